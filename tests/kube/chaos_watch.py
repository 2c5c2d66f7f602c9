"""What happened to pods and jobs while programs were killed, as a watch of the API tells it.

PodAudit follows every pod of the cluster and holds what must hold at every moment, not only at the end:
  a pod that has a node keeps it for as long as it lives (by its uid);
  what the pods of a node that are not over ask for is there.
It compares states of one collection in the order of its versions, so nothing in it depends on when it is looked at.
"""
import http.client
import json
import threading
import time

from kube import Refused

RETRY_SECONDS = 0.3
WATCH_SECONDS = 20


def milli_cpu(text):
    return int(text[:-1]) if text.endswith('m') else int(float(text) * 1000)


def asked_cpu(pod):
    """Of pods as the load makes them: containers that run together."""
    return sum(milli_cpu(container.get('resources', {}).get('requests', {}).get('cpu', '0'))
               for container in pod['spec']['containers'])


def is_over(pod):
    return pod.get('status', {}).get('phase') in ('Succeeded', 'Failed')


class Follower:
    """A collection, listed and watched again and again until stop(); each state is given to see() or forget()."""

    def __init__(self, api, path):
        self.api, self.path = api, path
        self.known = {}  # uid -> object
        self.lock = threading.Lock()
        self.stopped = threading.Event()
        self.relists = 0
        self.thread = threading.Thread(target=self.follow, daemon=True)

    def start(self):
        self.thread.start()
        return self

    def stop(self):
        self.stopped.set()

    def see(self, thing):
        pass

    def forget(self, thing):
        pass

    def follow(self):
        version = None
        while not self.stopped.is_set():
            try:
                if version is None:
                    version = self.take_list()
                for kind, thing in self.watch(version):
                    if self.stopped.is_set():
                        return
                    if kind == 'ERROR':  # too old: the server was away for longer than it remembers
                        version = None
                        break
                    version = thing['metadata']['resourceVersion']
                    self.take(kind, thing)
            except (Refused, OSError, http.client.HTTPException, ValueError):
                pass  # the server is away, not itself yet, or went in the middle of a line
            time.sleep(RETRY_SECONDS)

    def watch(self, version):
        """Events until the connection ends. Unlike Api.watch it never waits for a server that is gone."""
        connection = self.api.connect(timeout=WATCH_SECONDS * 2)
        try:
            connection.request('GET', f'{self.path}?watch=true&allowWatchBookmarks=true&resourceVersion={version}'
                               f'&timeoutSeconds={WATCH_SECONDS}', headers=self.api.headers)
            answer = connection.getresponse()
            if answer.status == 410:
                yield 'ERROR', {}
            elif answer.status == 200:
                for line in answer:
                    event = json.loads(line)
                    yield event['type'], event['object']
        finally:
            connection.close()

    def take_list(self):
        answer = self.api.get(self.path)
        self.relists += 1
        present = {thing['metadata']['uid']: thing for thing in answer['items']}
        for uid, thing in list(self.known.items()):
            if uid not in present:
                self.take('DELETED', thing)
        for thing in present.values():
            self.take('MODIFIED', thing)
        return answer['metadata']['resourceVersion']

    def take(self, kind, thing):
        with self.lock:
            if kind == 'DELETED':
                if self.known.pop(thing['metadata']['uid'], None) is not None:
                    self.forget(thing)
            elif kind in ('ADDED', 'MODIFIED'):
                self.see(thing)
                self.known[thing['metadata']['uid']] = thing

    def things(self):
        with self.lock:
            return list(self.known.values())


class PodAudit(Follower):
    def __init__(self, api, room):
        super().__init__(api, '/api/v1/pods')
        self.room = room      # node -> thousandths of a CPU
        self.node_of = {}     # uid -> node, of all pods that ever had one
        self.seen = set()     # uids
        self.used = {}        # node -> {uid: thousandths}
        self.broken = []

    def see(self, thing):
        uid, name, node = thing['metadata']['uid'], thing['metadata']['name'], thing['spec'].get('nodeName', '')
        self.seen.add(uid)
        before = self.node_of.get(uid, '')
        if before and node != before:
            self.broken.append(f'pod {name} ({uid}) was bound to {before}, and then to {node or "nowhere"}')
        if not node:
            return
        self.node_of[uid] = node
        used = self.used.setdefault(node, {})
        if is_over(thing):
            used.pop(uid, None)
            return
        used[uid] = asked_cpu(thing)
        if sum(used.values()) > self.room.get(node, 0):
            self.broken.append(f'node {node} has {self.room.get(node, 0)}m CPUs, its pods ask for '
                               f'{sum(used.values())}m with {name}')

    def forget(self, thing):
        uid = thing['metadata']['uid']
        for used in self.used.values():
            used.pop(uid, None)

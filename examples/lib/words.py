"""The words in which the examples are told.

A topic is a folder with manifests and a story.py, which has NEEDS (flags of `basalt up`; {here} is the folder),
perhaps PROGRAMS that must be installed, and play(s), where s is a Story. What a story states it checks, on the objects
of the API: a check that fails ends it.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time

from kube import Api, Refused, path_of

PATIENCE = 60  # seconds until something must have happened


class Failed(Exception):
    """A statement of a story that does not hold."""


class Story:
    def __init__(self, folder, basalt, kubeconfig, options):
        self.folder, self.basalt, self.kubeconfig = pathlib.Path(folder), basalt, kubeconfig
        self.times = options.times
        self.api = Api(kubeconfig)
        self.kubectl = None if options.without_kubectl else os.environ.get('KUBECTL') or shutil.which('kubectl')
        self.namespace = 'default'
        self.began = time.monotonic()

    # What is said.

    def say(self, text):
        print(f'{time.monotonic() - self.began:6.2f} s  {text}' if self.times else text, flush=True)

    def check(self, statement, holds, detail=''):
        if not holds:
            raise Failed(f'{statement}: not so{"; " + str(detail) if detail != "" else ""}')
        self.say(f'ok: {statement}')

    def until(self, statement, holds, seconds=PATIENCE):
        """Waits for holds() to be true; its last value is returned."""
        deadline = time.monotonic() + seconds
        while not (value := holds()):
            if time.monotonic() > deadline:
                raise Failed(f'{statement}: not within {seconds} s')
            time.sleep(0.02)
        self.say(f'ok: {statement}')
        return value

    # What is done.

    def run(self, *words, text=None, quiet=False):
        """Runs a program against the cluster and prints what it says."""
        environment = {**os.environ, 'KUBECONFIG': str(self.kubeconfig),
                       'KUBECACHEDIR': f'{self.kubeconfig}.cache'}  # nothing of the user's is read or written
        done = subprocess.run(words, input=text, env=environment, text=True, capture_output=True, check=False)
        if done.returncode != 0:
            raise Failed(f'{" ".join(words)}: exit status {done.returncode}\n{done.stdout}{done.stderr}')
        if not quiet:
            for line in done.stdout.splitlines():
                self.say(f'  {line}')
        return done.stdout

    def apply(self, *files):
        """By kubectl where there is one, else by `basalt apply`: the same for the server."""
        for file in files:
            path = os.path.relpath(self.folder / file)
            how = ['kubectl', 'apply'] if self.kubectl else ['basalt', 'apply']
            self.say(f'+ {" ".join(how)} -f {path}')
            how[0] = self.kubectl or self.basalt
            self.run(*how, '-n', self.namespace, '-f', path)

    def config_map(self, name, *files):
        """Files of this folder as a ConfigMap, as `kubectl create configmap NAME --from-file=…` makes it."""
        options = ' '.join(f'--from-file={os.path.relpath(self.folder / file)}' for file in files)
        self.say(f'+ kubectl create configmap {name} {options} -n {self.namespace}')
        data = {pathlib.Path(file).name: (self.folder / file).read_text() for file in files}
        manifest = {'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': name}, 'data': data}
        self.run(self.basalt, 'apply', '-n', self.namespace, '-f', '-', text=json.dumps(manifest))

    def delete(self, plural, name):
        self.say(f'+ kubectl delete {plural.rstrip("s")} {name}')
        self.api.delete(path_of(plural, name, self.namespace))

    def follow(self, job, until='Running', seconds=PATIENCE):
        """`basalt follow` until the job is there, without its times and events."""
        self.say(f'+ basalt follow job {job} --until {until}')
        said = self.run(self.basalt, 'follow', 'job', job, '-n', self.namespace, '--until', until,
                        '--timeout', str(seconds), quiet=True)
        for line in said.splitlines():
            if not line.partition(' ')[2].startswith(' '):
                self.say('  ' + line.partition(' ')[2])

    # What there is.

    def get(self, plural, name):
        return self.api.find(path_of(plural, name, self.namespace))

    def phase(self, job):
        found = self.get('jobs', job)
        return (found or {}).get('status', {}).get('state', {}).get('phase', '')

    def pods(self, job=None, labels=''):
        wanted = f'volcano.sh/job-name={job}' if job else labels
        return self.api.items(path_of('pods', namespace=self.namespace), wanted)

    def placed(self, job=None, labels=''):
        """Pods that hold a node: bound, not ended, not being deleted."""
        return [pod for pod in self.pods(job, labels) if holds_a_node(pod)]

    def group(self, job):
        """The PodGroup of a job, or None."""
        for found in self.api.items(path_of('podgroups', namespace=self.namespace)):
            if any(owner.get('name') == job for owner in found['metadata'].get('ownerReferences', [])):
                return found
        return None

    def reasons(self, job):
        """Why the job waits, as the condition Waiting of its PodGroup says: at most one sentence."""
        group = self.group(job)
        conditions = (group or {}).get('status', {}).get('conditions', [])
        return [condition['message'] for condition in conditions
                if condition['type'] == 'Waiting' and condition['status'] == 'True']

    def log(self, pod):
        try:
            return self.api.raw('GET', path_of('pods', pod, self.namespace, 'log'))
        except Refused:
            return ''

    def record(self):
        return Recorder(self.api, self.namespace)

    def tell_state(self, out=sys.stderr):
        """What there is, for the reader of a failure."""
        for plural in ('queues', 'jobs', 'podgroups', 'pods'):
            for item in self.api.items(path_of(plural, namespace=self.namespace)):
                status = item.get('status', {})
                brief = {key: status.get(key) for key in ('state', 'phase', 'reason', 'message', 'allocated', 'running')
                         if status.get(key)}
                why = [c.get('message') for c in status.get('conditions', []) if c.get('message')]
                node = item.get('spec', {}).get('nodeName', '')
                print(f'  {plural} {item["metadata"]["name"]} {node} {json.dumps(brief)} {why[-1:]}', file=out)
        for event in self.api.items(path_of('events', namespace=self.namespace))[-40:]:
            about = event.get('involvedObject', {})
            print(f'  event {about.get("kind")}/{about.get("name")} {event.get("reason")}: {event.get("message")}',
                  file=out)


def holds_a_node(pod):
    ended = pod.get('status', {}).get('phase') in ('Succeeded', 'Failed')
    return bool(pod['spec'].get('nodeName')) and not ended and 'deletionTimestamp' not in pod['metadata']


class Recorder:
    """All pods of a namespace as they change, in the server's order: for statements about what came before what."""

    def __init__(self, api, namespace):
        listed = api.get(path_of('pods', namespace=namespace))
        self.events = [('ADDED', pod) for pod in listed['items']]
        version = listed['metadata']['resourceVersion']
        self.thread = threading.Thread(target=self.read, args=(api, namespace, version), daemon=True)
        self.thread.start()

    def read(self, api, namespace, version):
        try:
            for event in api.watch(path_of('pods', namespace=namespace), version):
                self.events.append(event)
        except (OSError, ValueError):
            pass  # the cluster ends before the recorder does

    def first(self, holds):
        """The number of the first event whose pod fits. It has happened, but the recorder may hear of it late."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            number = next((n for n, (_, pod) in enumerate(list(self.events)) if holds(pod)), None)
            if number is not None:
                return number
            time.sleep(0.02)
        raise Failed('the recorder has not heard of what was to happen')

    def firsts(self, names, holds):
        """The same for each of the pods by name."""
        return [self.first(lambda pod, name=name: pod['metadata']['name'] == name and holds(pod)) for name in names]

"""Work for a cluster whose programs are killed: jobs that end well, that fail, at once or after restarts, that are
deleted, and that stay, although single pods of them are deleted.

The load knows of each job what must have become of it in the end: Completed, Failed, Running, or gone. It asks again
until the server has understood, as a good client does, and counts nothing that it does not know.
"""
import http.client
import threading
import time

from lifecycle_words import job, task  # puts examples/lib on the path
from kube import Refused, path_of

NAMESPACE = 'chaos'
MAX_OPEN = 30         # jobs that are not yet what they should become
MAX_STAYING = 5       # jobs that run until the end
DELETED_PODS = 0.1    # chance, at each turn, that a pod of one of them is deleted
PERIOD_SECONDS = 0.25
RETRY_SECONDS = 0.3
RESTART_FAILED = [{'event': 'PodFailed', 'action': 'RestartJob'}]
TURNED_AWAY = (409, 429)  # and everything from 500: the server, or a webhook that it asks, is away


def insist(call, done_codes=()):
    """Calls until the server has answered; an answer with one of the codes is one, too."""
    while True:
        try:
            return call()
        except Refused as refused:
            if refused.code in done_codes:
                return None
            if refused.code < 500 and refused.code not in TURNED_AWAY:
                raise
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(RETRY_SECONDS)


class Load:
    def __init__(self, api, jobs, dice):
        self.api, self.jobs, self.dice = api, jobs, dice  # jobs: a Follower of them
        self.expected = {}  # name -> phase, or 'gone'
        self.doomed = {}    # name -> when it is to be deleted
        self.made = 0
        self.problem = None
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)

    def start(self):
        insist(lambda: self.api.create(path_of('namespaces'), {
            'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': NAMESPACE}}), (409,))
        self.thread.start()
        return self

    def stop(self):
        """No more new jobs; those that are to be deleted are."""
        self.stopped.set()
        self.thread.join()

    def work(self):
        try:
            while not self.stopped.is_set():
                self.delete_doomed(time.monotonic())
                if len(self.open_jobs()) < MAX_OPEN:
                    self.make()
                if self.dice.random() < DELETED_PODS:
                    self.delete_pod()
                self.stopped.wait(PERIOD_SECONDS)
            self.delete_doomed(float('inf'))
        except Exception as problem:  # told by whoever waits for us
            self.problem = problem

    def make(self):
        name, replicas = f'job-{self.made}', self.dice.randint(1, 8)
        self.made += 1
        staying = sum(end == 'Running' for end in self.expected.values())
        kind = self.dice.choices(['ends', 'fails', 'restarts', 'deleted', 'stays'],
                                 [65, 8, 5, 18, 4 if staying < MAX_STAYING else 0])[0]
        self.expected[name] = {'ends': 'Completed', 'deleted': 'gone', 'stays': 'Running'}.get(kind, 'Failed')
        if kind == 'deleted':
            self.doomed[name] = time.monotonic() + self.dice.uniform(0.5, 8)
        run = {'ends': '1..4', 'fails': '1..3', 'restarts': '1'}.get(kind)
        work = task(replicas=replicas, run=run, exit_code=1 if self.expected[name] == 'Failed' else None)
        more = {'maxRetry': 2, 'policies': RESTART_FAILED} if kind == 'restarts' else {}
        insist(lambda: self.api.create(path_of('jobs', namespace=NAMESPACE), job(name, work, **more)), (409,))

    def delete_pod(self):
        """Of a job that stays: it is made again."""
        staying = [name for name, end in self.expected.items() if end == 'Running']
        if not staying:
            return
        name = f'{self.dice.choice(staying)}-worker-0'
        insist(lambda: self.api.delete(path_of('pods', name, NAMESPACE)), (404,))

    def delete_doomed(self, now):
        for name in [name for name, at in self.doomed.items() if at <= now]:
            insist(lambda name=name: self.api.delete(path_of('jobs', name, NAMESPACE)), (404,))
            del self.doomed[name]

    def open_jobs(self):
        """Those that are not yet what they should become, with what they are."""
        phases = {thing['metadata']['name']: thing.get('status', {}).get('state', {}).get('phase', 'new')
                  for thing in self.jobs.things()}
        return {name: phases.get(name, 'gone') for name, end in self.expected.items()
                if phases.get(name, 'gone') != end}

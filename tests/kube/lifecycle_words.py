"""The words of the life-cycle suite: jobs and queues as objects, and what is waited for."""
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'examples/lib'))
from kube import path_of  # noqa: E402
from words import Failed, Story  # noqa: E402

STEP_SECONDS = 0.1


def task(name='worker', replicas=1, cpu='1', run=None, exit_code=None, policies=None, priority=None):
    """A task whose pods do on simulated nodes what is said; cpu None: they ask for nothing."""
    marks = {'basalt.sh/run-seconds': run, 'basalt.sh/exit-code': exit_code}
    container = {'name': 'main', 'image': 'example/worker:1'}
    if cpu is not None:
        container['resources'] = {'requests': {'cpu': cpu}}
    pod = {'restartPolicy': 'Never', 'terminationGracePeriodSeconds': 1, 'containers': [container]}
    if priority:
        pod['priorityClassName'] = priority
    return {'name': name, 'replicas': replicas, **({'policies': policies} if policies else {}),
            'template': {'metadata': {'annotations': {k: str(v) for k, v in marks.items() if v is not None}},
                         'spec': pod}}


def job(name, *tasks, **spec):
    return {'apiVersion': 'batch.volcano.sh/v1alpha1', 'kind': 'Job', 'metadata': {'name': name},
            'spec': {'schedulerName': 'volcano', 'tasks': list(tasks), **spec}}


def queue(name, **spec):
    return {'apiVersion': 'scheduling.volcano.sh/v1beta1', 'kind': 'Queue', 'metadata': {'name': name}, 'spec': spec}


class Life(Story):
    """A story on the whole system, which can also be harmed."""

    def __init__(self, system, options):
        super().__init__(pathlib.Path(__file__).parent, system.program('basalt'), system.kubeconfig, options)
        self.system = system

    def until(self, statement, holds, seconds=60):
        deadline = time.monotonic() + seconds
        while True:
            for name in self.system.revive():  # as a kubelet does: who cannot renew its lease ends
                self.say(f'+ {name} has ended by itself, and starts again')
            try:
                value = holds()
            except OSError:  # the API server may be away
                value = None
            if value:
                self.say(f'ok: {statement}')
                return value
            if time.monotonic() > deadline:
                raise Failed(f'{statement}: not within {seconds} s')
            time.sleep(STEP_SECONDS)

    def make(self, *objects):
        """Creates them; jobs in the namespace of the chapter."""
        for content in objects:
            plural = {'Job': 'jobs', 'Queue': 'queues', 'CronJob': 'cronjobs', 'Namespace': 'namespaces',
                      'PriorityClass': 'priorityclasses'}[content['kind']]
            self.api.create(path_of(plural, namespace=self.namespace), content)

    def is_phase(self, name, phase):
        return lambda: self.phase(name) == phase

    def until_phase(self, name, phase, seconds=60):
        self.until(f'{name} is {phase}', self.is_phase(name, phase), seconds)

    def status(self, name):
        return (self.get('jobs', name) or {}).get('status', {})

    def uids(self, name):
        return {pod['metadata']['uid'] for pod in self.placed(name)}

    def queue_state(self, name):
        return (self.get('queues', name) or {}).get('status', {}).get('state')

    def vcctl(self, *words):
        done = subprocess.run([self.system.program('vcctl'), *words, '--kubeconfig', str(self.kubeconfig)], text=True,
                              capture_output=True, check=False)
        if done.returncode != 0:
            raise Failed(f'vcctl {" ".join(words)}: {done.stdout}{done.stderr}')
        self.say(f'+ vcctl {" ".join(words)}: {done.stdout.strip()}')

    def sound(self):
        """`basalt check`: the cluster keeps its invariants, whatever the chapter did."""
        done = subprocess.run([self.basalt, 'check', '--kubeconfig', str(self.kubeconfig)], text=True,
                              capture_output=True, check=False)
        self.check('basalt check finds nothing broken', done.returncode == 0, done.stdout + done.stderr)

    def clean(self, *queues):
        """The chapter's jobs go, and with them what they made; the next one finds the nodes empty."""
        for plural in ('cronjobs', 'jobs'):
            for item in self.api.items(path_of(plural, namespace=self.namespace)):
                self.api.delete(path_of(plural, item['metadata']['name'], self.namespace))
        self.until('nothing is left of the chapter', lambda: not any(
            self.api.items(path_of(plural, namespace=self.namespace)) for plural in ('jobs', 'podgroups', 'pods')))
        for name in queues:  # the webhook keeps a queue as long as its status says that it holds pods
            self.until(f'queue {name} holds nothing', lambda name=name: self.api.find(
                path_of('queues', name))['status'].get('allocated', {}).get('pods', '0') == '0')
            self.api.delete(path_of('queues', name))

    # What is done to the programs.

    def leader(self, program):
        """The replica that holds the lease of `program`, by its name; '' while none does."""
        lease = self.api.find(path_of('leases', self.system.leases[program], 'volcano-system')) or {}
        return self.system.leader(program, lease.get('spec', {}).get('holderIdentity'))

    def hand_over(self, program, leader, number):
        """Ends the leader by a signal, waits for another, and brings the first one back as a follower."""
        self.system.end(leader, number)
        self.say(f'+ kill -{number.name} {leader}')
        second = self.until(f'another {program} leads', lambda: self.leader(program), seconds=30)
        self.check(f'{second} has taken over from {leader}', second != leader)
        self.system.launch(leader)

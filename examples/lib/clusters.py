"""The clusters on which stories are played: one process of ours, or a real Kubernetes API server with our programs.

Both take the flags of `basalt up` that a story NEEDS, so that the same story is told in both worlds.
"""
import pathlib
import subprocess
import sys
import time

from kube import Api
from words import Failed

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tests/kube'))
import program_end  # noqa: E402
from whole_system import Crashed, Options, System, Unusable  # noqa: E402

READY_SECONDS = 30


class Absent(Exception):
    """What the story needs is not there: it is skipped, with this reason."""


class Standalone:
    """`basalt up --ephemeral` in a process of its own."""

    def __init__(self, basalt, flags, folder):
        self.kubeconfig = pathlib.Path(folder) / 'kubeconfig'
        self.place = pathlib.Path(folder) / 'basalt.log'
        command = [basalt, 'up', '--ephemeral', '--port', '0', '--kubeconfig', str(self.kubeconfig), *flags]
        with open(self.place, 'w', encoding='utf-8') as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + READY_SECONDS
        while not self.ready():
            if self.process.poll() is not None or time.monotonic() > deadline:
                program_end.stop('the cluster', self.process, self.place)
                raise Failed(f'the cluster does not start:\n{self.place.read_text()}')
            time.sleep(0.02)

    @staticmethod
    def how(flags):
        return ' '.join(['basalt up --ephemeral', *flags])

    def ready(self):
        try:
            return Api(self.kubeconfig).raw('GET', '/readyz') == 'ok'
        except (OSError, KeyError):
            return False

    def log(self):
        return self.place.read_text()[-4000:]

    def stop(self):
        if fault := program_end.stop('the cluster', self.process, self.place):
            raise Failed(fault)


class Kubernetes:
    """A real kube-apiserver and etcd; vc-scheduler, vc-controller-manager, vc-webhook-manager and `basalt nodes`."""

    def __init__(self, basalt, flags, folder):
        self.system = System(folder)
        try:
            self.system.start(basalt, options_of(flags))
        except Unusable as problem:
            raise (Absent if problem.code == 77 else Failed)(str(problem)) from problem
        self.kubeconfig = self.system.kubeconfig

    @staticmethod
    def how(flags):
        return ' '.join(['tests/kube/system start DIR basalt', *words_of(options_of(flags))])

    def log(self):
        return '\n'.join(f'{name}:\n{self.system.log(name, 1500)}' for name in self.system.members)

    def stop(self):
        try:
            self.system.stop()
        except Crashed as crashed:
            raise Failed(str(crashed)) from crashed


def options_of(flags):
    """What `basalt up` does by flags, with programs of their own. Raises Absent where that cannot be."""
    if '--no-local-node' not in flags:
        raise Absent('it needs real processes on this machine; on Kubernetes kubelets run them, and there is none here')
    options, rest = Options(), [flag for flag in flags if flag != '--no-local-node']
    for flag, value in zip(rest[::2], rest[1::2]):
        if flag == '--simulated-nodes':
            options.nodes.append(value)
        elif flag == '--scheduler-conf':
            options.scheduler_flags.append(f'{flag}={value}')
        else:
            raise Absent(f'there is nothing like {flag} of `basalt up`')
    return options


def words_of(options):
    return [*(f'--simulated-nodes {group}' for group in options.nodes),
            *(f'--scheduler-flag {flag}' for flag in options.scheduler_flags)]

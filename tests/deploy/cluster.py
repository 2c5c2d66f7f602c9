"""A real control plane with enforced rights, and programs that run as the chart's service accounts."""
import json
import os
import pathlib
import subprocess
import sys
import time

KUBE = pathlib.Path(__file__).resolve().parents[1] / 'kube'
sys.path.insert(0, str(KUBE))
from free_port import free_port  # noqa: E402
from program_end import stop  # noqa: E402

SPACE = 'volcano-system'


class Unbuildable(Exception):
    """The real programs cannot be built here."""


def until(what, condition, seconds=90):
    """Asks again and again until the condition holds; its last answer is returned."""
    deadline = time.monotonic() + seconds
    while True:
        answer = condition()
        if answer:
            return answer
        assert time.monotonic() < deadline, f'not within {seconds} s: {what}'
        time.sleep(0.1)


class Cluster:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        built = subprocess.run([KUBE / 'build', 'kubectl', 'kube-apiserver', 'etcd'], text=True, capture_output=True)
        if built.returncode == 3:
            raise Unbuildable(built.stderr.strip())
        assert built.returncode == 0, built.stderr
        self.tool = built.stdout.splitlines()[-1] + '/kubectl'
        started = subprocess.run([KUBE / 'real-cluster', 'start', self.folder / 'kube', '--no-fsync', '--rbac'],
                                 text=True, capture_output=True)
        assert started.returncode == 0, started.stderr
        self.kubeconfig = started.stdout.strip()
        self.programs = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        faults = [stop(name, program, self.folder / f'{name}.log') for name, program in self.programs.items()]
        self.programs = {}
        subprocess.run([KUBE / 'real-cluster', 'stop', self.folder / 'kube'], check=False)
        assert not any(faults), '\n'.join(filter(None, faults))

    def environment(self, kubeconfig=None):
        return {**os.environ, 'KUBECONFIG': str(kubeconfig or self.kubeconfig)}

    def kubectl(self, *words, feed=None, check=True):
        run = subprocess.run([self.tool, *words], text=True, capture_output=True, input=feed, env=self.environment())
        assert not check or run.returncode == 0, f'kubectl {" ".join(words)}: {run.stderr}'
        return run.stdout if check else run

    def get(self, *words):
        """The objects as dictionaries; one that is not there is {}."""
        run = self.kubectl('get', *words, '-o', 'json', check=False)
        return json.loads(run.stdout) if run.returncode == 0 else {}

    def apply(self, text):
        return self.kubectl('apply', '-f', '-', feed=text)

    def kubeconfig_of(self, account):
        """A kubeconfig with a token of a service account of the chart."""
        token = self.kubectl('create', 'token', account, '-n', SPACE, '--duration', '1h').strip()
        admin = json.loads(self.kubectl('config', 'view', '--raw', '-o', 'json'))
        admin['users'] = [{'name': 'admin', 'user': {'token': token}}]
        path = self.folder / f'{account}.kubeconfig'
        path.touch(mode=0o600)
        path.write_text(json.dumps(admin))
        return path

    def run(self, name, *words, kubeconfig=None, environment=None):
        """Starts a program; its output goes to <folder>/<name>.log."""
        log = open(self.folder / f'{name}.log', 'w')
        self.programs[name] = subprocess.Popen(
            [str(w) for w in words], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            env={**self.environment(kubeconfig), **(environment or {})})

    def log(self, name):
        return (self.folder / f'{name}.log').read_text()

    def stop(self, name):
        """Ends a program; fails when it ends, or has ended, otherwise than it may."""
        fault = stop(name, self.programs.pop(name), self.folder / f'{name}.log')
        assert not fault, fault

    def check_alive(self):
        for name, program in self.programs.items():
            assert program.poll() is None, f'{name} has ended with {program.returncode}:\n{self.log(name)[-3000:]}'

    def audit(self):
        """Requests of service accounts, as the server wrote them down."""
        lines = (self.folder / 'kube/audit.log').read_text().splitlines()
        return [json.loads(line) for line in lines if line.endswith('}')]

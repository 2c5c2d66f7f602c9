"""The whole system on a real kube-apiserver: its programs as processes of their own, in a folder that knows them.

DIR/cluster    etcd and kube-apiserver (tests/kube/real-cluster), unless another kubeconfig is given
DIR/bin        the programs under their Volcano names: links to one basalt
DIR/NAME.log   what a member said, over all its lives
DIR/NAME.life  its process and how it ended, in its last life (tests/kube/watched)
DIR/system.json  the members: name, command line, process id, address of its health page

A member is one process: vc-scheduler-0, vc-controller-manager-0, vc-webhook-manager-0, nodes. Members outlive the
process that started them, so that a shell can start the system and stop it later. The folder belongs to one user at a
time: nothing guards against two.

A member that crashes fails the test: stop() raises Crashed when one has ended, at any time, otherwise than it may
(program_end.py).
"""
import json
import os
import pathlib
import signal
import ssl
import subprocess
import time
import urllib.error
import urllib.request

from free_port import free_port
from program_end import fault_of_end

HERE = pathlib.Path(__file__).resolve().parent
NAMESPACE = 'volcano-system'
READY_SECONDS = 60
STOP_SECONDS = 60
CANNOT_BUILD = 3  # exit status of tests/kube/build
LEASES = {'vc-scheduler': 'volcano', 'vc-controller-manager': 'vc-controller-manager'}
ADMISSIONS = ('/jobs/mutate,/jobs/validate,/podgroups/mutate,/podgroups/validate,/pods/validate,/queues/mutate,'
              '/queues/validate,/jobflows/validate,/cronjobs/validate,/hypernodes/validate')


class Unusable(Exception):
    """The system does not start, or not here; code 77 where only something is missing."""

    def __init__(self, text, code=1):
        super().__init__(text)
        self.code = code


class Crashed(Unusable):
    """A program of ours has ended otherwise than it may."""


def run(words, **options):
    done = subprocess.run([str(word) for word in words], text=True, capture_output=True, check=False, **options)
    if done.returncode != 0:
        code = 77 if done.returncode == CANNOT_BUILD and 'kube' in str(words[0]) else 1
        raise Unusable(f'{words[0]} {words[1] if len(words) > 1 else ""}: exit status {done.returncode}\n'
                       f'{done.stdout[-2000:]}{done.stderr[-2000:]}', code)
    return done.stdout


def is_alive(pid):
    try:
        os.waitpid(pid, os.WNOHANG)  # a child of ours would stay a zombie
    except ChildProcessError:
        pass
    try:
        return pathlib.Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0] != 'Z'
    except OSError:
        return False


def wait_until(what, holds, seconds=READY_SECONDS):
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise Unusable(f'{what}: not within {seconds} s')
        time.sleep(0.05)


class Options:
    """What a system consists of. Every field may be left as it is."""

    def __init__(self, **given):
        self.kubeconfig = None      # of an existing cluster; None: a new one in the folder
        self.fsync = False          # etcd's
        self.replicas = 1           # of the scheduler and of the controllers
        self.webhooks = True
        self.nodes = []             # groups as `basalt nodes --simulated-nodes` has them; none: no such program
        self.upkeep = True          # stand in for kube-controller-manager; never with a kubeconfig of others
        self.scheduler_flags = []   # more flags for each replica
        self.controller_flags = []
        self.lease = ()             # seconds (duration, renew deadline, retry period); (): the programs' own
        unknown = set(given) - set(vars(self))
        assert not unknown, unknown
        vars(self).update(given)


class System:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.file = self.folder / 'system.json'
        self.state = json.loads(self.file.read_text()) if self.file.exists() else {'members': {}}

    kubeconfig = property(lambda self: pathlib.Path(self.state['kubeconfig']))
    members = property(lambda self: self.state['members'])
    faults = property(lambda self: self.state.setdefault('faults', []))  # of members that have ended so far
    leases = LEASES

    def save(self):
        fresh = self.file.with_suffix('.new')
        fresh.write_text(json.dumps(self.state, indent=1))
        fresh.rename(self.file)

    # The whole.

    def start(self, basalt, options=None, say=lambda text: None):
        """All members, and ready; on an error nothing stays behind but the folder with its logs."""
        options = options or Options()
        if self.file.exists():
            raise Unusable(f'{self.folder} has a system already; stop it first')
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            self.start_cluster(options, say)
            self.link_programs(basalt)
            say('CustomResourceDefinitions and the namespace ' + NAMESPACE)
            self.install()
            for name, words, health in self.plan(options):
                say(name + ': ' + ' '.join(words))
                self.members[name] = {'words': words, 'health': health}
                self.launch(name)
            self.await_ready()
            if options.webhooks:
                self.await_webhooks()
            wait_until('the queue "default" is open', self.has_default_queue)
        except BaseException:
            self.stop()
            raise

    def start_cluster(self, options, say):
        self.state = {'members': {}, 'kubectl': kubectl(), 'own_cluster': options.kubeconfig is None,
                      'fsync': options.fsync}
        if options.kubeconfig:
            self.state['kubeconfig'] = str(pathlib.Path(options.kubeconfig).resolve())
        else:
            say('etcd and kube-apiserver')
            self.state['kubeconfig'] = str(self.folder / 'cluster/kubeconfig')
            self.start_api()
        self.save()

    def stop(self):
        """Everything that start() started; harmless when nothing is there. Raises Crashed, when all is stopped, if a
        member has ended at any time as none may."""
        if self.state.get('own_cluster') is False and any('webhook' in name for name in self.members):
            self.remove_webhooks()
        for name in reversed(self.members):
            self.send(name, signal.SIGTERM)
        for name in self.members:
            self.await_end(name)
        if self.state.get('own_cluster'):
            self.real_cluster('crash')  # a clean stop waits for watches of others; with its data it starts again
        self.file.unlink(missing_ok=True)
        faults = self.faults
        self.state = {'members': {}}
        if faults:
            raise Crashed('a program of ours has crashed:\n' + '\n'.join(faults))

    # The API server.

    def real_cluster(self, verb, *flags):
        # Its servers inherit the streams: a pipe would never end.
        with open(self.folder / 'real-cluster.log', 'a', encoding='utf-8') as log:
            done = subprocess.run([HERE / 'real-cluster', verb, self.folder / 'cluster', *flags], check=False,
                                  stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        if done.returncode != 0:
            said = (self.folder / 'real-cluster.log').read_text()[-2000:]
            raise Unusable(f'real-cluster {verb}: {said}', 77 if done.returncode == CANNOT_BUILD else 1)

    def start_api(self):
        self.real_cluster('start', *([] if self.state['fsync'] else ['--no-fsync']))

    def crash_api(self):
        """kill -9 of etcd and kube-apiserver; start_api() has their data and their address again."""
        self.real_cluster('crash')

    def kubectl(self, *words, text=None):
        return run([self.state['kubectl'], *words], input=text,
                   env={**os.environ, 'KUBECONFIG': str(self.kubeconfig),
                        'KUBECACHEDIR': str(self.folder / 'kubectl-cache')})

    def install(self):
        definitions = run([self.program('basalt'), 'crds'])
        self.kubectl('apply', '--server-side', '--force-conflicts', '-f', '-', text=definitions)
        self.kubectl('apply', '--server-side', '-f', '-', text=json.dumps(
            {'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': NAMESPACE}}))
        self.kubectl('wait', '--for=condition=Established', '--timeout=30s', '-f', '-', text=definitions)

    def remove_webhooks(self):
        """From a cluster that goes on without us: it would ask nobody, and refuse."""
        for kind, word in (('mutatingwebhookconfiguration', 'mutate'), ('validatingwebhookconfiguration', 'validate')):
            names = ['volcano-admission-service' + path.replace('/', '-') for path in ADMISSIONS.split(',')
                     if path.endswith(word)]
            self.kubectl('delete', kind, '--ignore-not-found', *names)

    def has_default_queue(self):
        try:
            return self.kubectl('get', 'queue', 'default', '-o', 'jsonpath={.status.state}') == 'Open'
        except Unusable:
            return False

    # Members.

    def program(self, name):
        return str(self.folder / 'bin' / name)

    def link_programs(self, basalt):
        place = self.folder / 'bin'
        place.mkdir(exist_ok=True)
        for name in ('basalt', 'vc-scheduler', 'vc-controller-manager', 'vc-webhook-manager', 'vcctl'):
            (place / name).unlink(missing_ok=True)
            (place / name).symlink_to(pathlib.Path(basalt).resolve())

    def plan(self, options):
        """(name, words, health page) of each member."""
        access = ['--kubeconfig', str(self.kubeconfig)]
        election = [f'--leader-elect-{flag}={seconds}s' for flag, seconds in
                    zip(('lease-duration', 'renew-deadline', 'retry-period'), options.lease)]
        if options.webhooks:
            port, health = free_port(), free_port()
            yield ('vc-webhook-manager-0', [
                'vc-webhook-manager', *access, '--listen-address=127.0.0.1', f'--port={port}',
                f'--webhook-url=https://127.0.0.1:{port}', f'--webhook-namespace={NAMESPACE}',
                '--webhook-service-name=volcano-admission-service', f'--enabled-admission={ADMISSIONS}',
                '--create-configurations', '--enable-queue-allocated-pods-check=true', '--enable-healthz',
                f'--healthz-address=127.0.0.1:{health}'],
                f'https://127.0.0.1:{health}')
        for program, flags in (('vc-controller-manager', options.controller_flags),
                               ('vc-scheduler', options.scheduler_flags)):
            for replica in range(options.replicas):
                health, metrics = free_port(), free_port()
                yield (f'{program}-{replica}', [
                    program, *access, '--leader-elect=true', f'--leader-elect-resource-namespace={NAMESPACE}',
                    *election, '--enable-healthz', f'--healthz-address=127.0.0.1:{health}', '--enable-metrics',
                    f'--listen-address=127.0.0.1:{metrics}', *flags], f'http://127.0.0.1:{health}')
        if options.nodes or options.upkeep and not options.kubeconfig:
            groups = [word for group in options.nodes for word in ('--simulated-nodes', group)]
            upkeep = ['--upkeep'] if options.upkeep and not options.kubeconfig else []
            yield ('nodes', ['basalt', 'nodes', *access, *upkeep, *groups], '')

    def launch(self, name):
        """Starts a member that does not run."""
        member = self.members[name]
        life = self.folder / f'{name}.life'
        life.unlink(missing_ok=True)
        words = [HERE / 'watched', life, self.program(member['words'][0]), *member['words'][1:]]
        with open(self.folder / f'{name}.log', 'a', encoding='utf-8') as log:
            member['log_from'] = log.tell()
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                       start_new_session=True)  # a Ctrl-C is for the one who started us
        wait_until(f'{name} has a process', lambda: self.life(name))
        member['pid'], member['watcher'] = int(self.life(name)[0]), process.pid
        member['told'] = None
        member['lives'] = member.get('lives', 0) + 1
        self.save()

    def life(self, name):
        """Process id and, when it has ended, status of the last life of a member, as words; [] before it began."""
        try:
            lines = (self.folder / f'{name}.life').read_text().split('\n')[:-1]  # without a line half written
        except FileNotFoundError:
            return []
        return [line.split()[1] for line in lines]

    def settle_end(self, name):
        """Notes how a member ended whose process is gone."""
        member = self.members[name]
        wait_until(f'it is written how {name} ended',
                   lambda: len(self.life(name)) == 2 and not is_alive(member['watcher']))
        status = int(self.life(name)[1])
        fault = fault_of_end(name, 128 - status if status > 128 else status, member['told'], self.said(name))
        if fault:
            self.faults.append(fault)
        for key in ('pid', 'watcher'):
            del member[key]

    def is_running(self, name):
        return is_alive(self.members[name].get('pid', 0)) if self.members[name].get('pid') else False

    def send(self, name, number):
        if self.is_running(name):
            if number in (signal.SIGTERM, signal.SIGKILL):
                self.members[name]['told'] = int(number)
            os.kill(self.members[name]['pid'], number)

    def await_end(self, name, seconds=STOP_SECONDS):
        if not self.members[name].get('pid'):
            return
        deadline = time.monotonic() + seconds
        while self.is_running(name):
            if time.monotonic() > deadline:
                os.kill(self.members[name]['pid'], signal.SIGKILL)
            time.sleep(0.02)
        self.settle_end(name)

    def end(self, name, number=signal.SIGTERM):
        """Ends a member by a signal; launch() brings it back."""
        self.send(name, number)
        self.await_end(name)
        self.save()

    def revive(self):
        """Starts the members that have ended by themselves, as a kubelet does; their names."""
        ended = [name for name, member in self.members.items() if member.get('pid') and not self.is_running(name)]
        for name in ended:
            self.settle_end(name)
            self.launch(name)
        return ended

    def page(self, name, path='/healthz'):
        """The status of a page of the member; 0 where nobody answers. Its own certificate is not looked at."""
        request = urllib.request.Request(self.members[name]['health'] + path)
        try:
            with urllib.request.urlopen(request, timeout=5, context=ssl._create_unverified_context()) as answer:
                return answer.status
        except urllib.error.HTTPError as refused:
            return refused.code
        except OSError:
            return 0

    def await_ready(self):
        for name, member in self.members.items():
            def ready(name=name, member=member):
                if not self.is_running(name):
                    raise Unusable(f'{name} has ended:\n' + self.log(name))
                return not member['health'] or self.page(name, '/readyz') == 200
            wait_until(f'{name} is ready (see {self.folder}/{name}.log)', ready)

    def await_webhooks(self):
        """The API server calls them: a job without tasks is refused by us, not by its schema."""
        probe = json.dumps({'apiVersion': 'batch.volcano.sh/v1alpha1', 'kind': 'Job',
                            'metadata': {'name': 'probe', 'namespace': 'default'}, 'spec': {'minAvailable': 1}})

        def refused():
            try:
                self.kubectl('create', '--dry-run=server', '-f', '-', text=probe)
                return False
            except Unusable as answer:
                return 'No task specified' in str(answer)
        wait_until('the API server asks the webhooks', refused)

    def log(self, name, size=3000):
        """The end of what a member said."""
        try:
            return (self.folder / f'{name}.log').read_text(errors='replace')[-size:]
        except OSError:
            return ''

    def said(self, name):
        """What a member said in its last life."""
        with open(self.folder / f'{name}.log', encoding='utf-8', errors='replace') as log:
            log.seek(self.members[name]['log_from'])
            return log.read()

    def has_said(self, name, text):
        return text in self.said(name)

    def leader(self, program, holder):
        """The running replica of `program` that is the holder whom a lease names; '' where it is none."""
        for name in self.members:
            if holder and name.startswith(program) and self.is_running(name) and self.has_said(name, f'as {holder}'):
                return name
        return ''


def kubectl():
    built = subprocess.run([HERE / 'build', 'kubectl'], capture_output=True, text=True, check=False)
    if built.returncode != 0:
        raise Unusable(built.stderr.strip(), 77 if built.returncode == CANNOT_BUILD else 1)
    return built.stdout.splitlines()[-1] + '/kubectl'

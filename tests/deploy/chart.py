"""The chart, rendered by the real helm with several values, and what must hold of it."""
import pathlib
import subprocess

import yaml

import structure

HERE = pathlib.Path(__file__).resolve().parent
VALUES = {'defaults': None, **{path.stem: path for path in sorted((HERE / 'values').glob('*.yaml'))}}
NAMESPACE = 'volcano-system'

# Values that must be refused, with a word of the message that says why.
REFUSED = [
    (['custom.scheduler_replica=1'], 'scheduler_replica'),
    (['custom.scheduler_replicas=two'], 'want null or integer'),
    (['custom.scheduler_replicas=2', 'custom.leader_elect_enable=false'], 'Set custom.leader_elect_enable to true'),
    (['custom.colocation_enable=true'], 'node agent'),
    (['custom.agent_scheduler_enable=true'], 'agent scheduler'),
    (['custom.scheduler_plugins_dir=/plugins'], 'written in Go'),
    (['custom.scheduler_sharding_mode=hard'], 'set it to none'),
    (['custom.enabled_admissions=/job/mutate'], 'there are /jobs/mutate'),
    (['basic.admission_port=80'], 'admission_port'),
    (['basic.image_pull_policy=Sometimes'], 'IfNotPresent'),
    (['extraArgs.scheduler[0]=word'], 'extraArgs/scheduler'),
    (['custom.admission_config_override=resourceGroups: }'], 'no YAML'),
    (['jobSecrets.namespaces={Not_A_Namespace}'], 'jobSecrets/namespaces'),
    (['networkPolicy.metricsFrom[0].everybody=true'], 'networkPolicy/metricsFrom'),
]


class Unrenderable(Exception):
    """There is no helm here."""


class Chart:
    def __init__(self, root, basalt, scratch):
        self.root, self.basalt, self.scratch = root, basalt, scratch
        self.folder = root / 'deploy/helm/basalt'
        built = subprocess.run([HERE / 'build-helm'], text=True, capture_output=True)
        if built.returncode == 3:
            raise Unrenderable(built.stderr.strip())
        assert built.returncode == 0, built.stderr
        self.helm = built.stdout.splitlines()[-1]

    def run_helm(self, *words):
        return subprocess.run([self.helm, *map(str, words)], text=True, capture_output=True)

    def render_text(self, *words, release='volcano', namespace=NAMESPACE):
        run = self.run_helm('template', release, self.folder, '--namespace', namespace, *words)
        assert run.returncode == 0, run.stderr
        return run.stdout

    def render(self, *words, **place):
        return [t for t in yaml.safe_load_all(self.render_text(*words, **place)) if t]

    @staticmethod
    def words_for(values):
        return [] if values is None else ['--values', values]

    def check_current(self):
        run = subprocess.run([self.root / 'deploy/generate', '--check', '--basalt', self.basalt, '--helm', self.helm],
                             text=True, capture_output=True)
        assert run.returncode == 0, run.stderr

    def lint_all(self):
        for name, values in VALUES.items():
            run = self.run_helm('lint', '--strict', self.folder, *self.words_for(values))
            assert run.returncode == 0, f'helm lint with {name}:\n{run.stdout}{run.stderr}'

    def check_structure(self):
        for name, values in VALUES.items():
            things = self.render(*self.words_for(values))
            for check in structure.EVERY:
                try:
                    check(things)
                except (AssertionError, KeyError, ValueError) as wrong:
                    raise AssertionError(f'values {name}: {check.__name__}: {wrong!r}') from wrong
        defaults = self.render()
        structure.check_security(defaults)
        structure.check_volcano_names(defaults)
        elsewhere = self.render(release='other', namespace='batch')
        for check in structure.EVERY:
            check(elsewhere)
        left = [t for t in elsewhere if t['metadata'].get('namespace', 'batch') != 'batch']
        assert not left, f'not in the release\'s namespace: {left}'
        return len(VALUES) + 1

    def check_job_secrets(self):
        """The right about Secrets of jobs: everywhere, in the namespaces that are named, or nowhere."""
        everywhere = ('ClusterRole', '', 'volcano-controllers')
        for settings, expected in (
                ([], {everywhere}),
                (['jobSecrets.namespaces={a,b}'], {('Role', n, 'volcano-controllers-job-secrets') for n in 'ab'}),
                (['jobSecrets.enabled=false'], set()),
                (['jobSecrets.enabled=false', 'jobSecrets.namespaces={a}'], set())):
            things = self.render(*(w for s in settings for w in ('--set', s)))
            found = {role for role, verbs, names in structure.secret_rules(things) if not names and 'delete' in verbs}
            assert found == expected, f'{settings}: {sorted(found)}'
            for kind, space, name in found - {everywhere}:
                bound = [b for b in structure.of_kind(things, 'RoleBinding')
                         if b['metadata']['namespace'] == space and b['roleRef'] == {
                             'apiGroup': 'rbac.authorization.k8s.io', 'kind': kind, 'name': name}]
                assert len(bound) == 1, f'{space}: {bound}'

    def check_network_policies(self):
        """Off when they are not wanted; scrapers can be narrowed down, probes and API servers cannot."""
        assert not structure.of_kind(self.render('--set', 'networkPolicy.enabled=false'), 'NetworkPolicy')
        narrowed = self.render('--set-json', 'networkPolicy.metricsFrom=[{"podSelector":{"matchLabels":{"a":"b"}}}]')
        structure.check_network_policies(narrowed)
        froms = [rule['from'] for p in structure.of_kind(narrowed, 'NetworkPolicy') for rule in p['spec']['ingress']
                 if 'from' in rule]
        assert froms == [[{'podSelector': {'matchLabels': {'a': 'b'}}}]] * 2, froms

    def check_refusals(self):
        for settings, word in REFUSED:
            flags = [w for s in settings for w in ('--set', s)]
            run = self.run_helm('template', 'volcano', self.folder, *flags)
            assert run.returncode != 0 and word in run.stderr, f'{settings}: {run.stderr or "accepted"}'

    def parses(self, program, arguments):
        """Programs print their version only after all flags were read."""
        path = self.scratch / program
        if not path.exists():
            path.symlink_to(self.basalt)
        run = subprocess.run([path, *arguments, '--version'], text=True, capture_output=True)
        return run.returncode == 0, run.stderr

    def check_notes(self, kubeconfig):
        """Whoever brings values of Volcano's that mean nothing here reads which; whoever does not reads nothing.

        helm shows notes only to who has a cluster, though nothing is installed.
        """
        def ignored(values):
            run = self.run_helm('install', 'volcano', self.folder, '--dry-run=client', '--kubeconfig', kubeconfig,
                                *self.words_for(values))
            assert run.returncode == 0, run.stderr
            _, _, list_of_them = run.stdout.partition('These values have no meaning here:\n')
            return [line.split()[0] for line in list_of_them.split('\n\n')[0].splitlines()]
        assert not ignored(None), ignored(None)
        found = ignored(VALUES['volcano'])
        for name in ('basic.crd_version', 'basic.agent_image_name', 'custom.agent_log_level',
                     'custom.kube_state_metrics_image_name', 'custom.hypernode_controller_replicas',
                     'custom.admission_init_ttl', 'custom.go_memlimit_enable', 'custom.sharding_configmap_enable'):
            assert name in found, f'{name} is taken without a word; the notes name {found}'
        for name in ('custom.agent_scheduler_enable', 'custom.vap_enable'):
            assert name not in found, f'{name} is off'

    def check_admission_flags(self):
        """In `basalt up` a queue with allocated pods cannot be deleted; so it is on a cluster."""
        (container,) = [c for _, _, c in structure.pods(self.render()) if c['command'] == ['vc-webhook-manager']]
        assert '--enable-queue-allocated-pods-check=true' in container['args'], container['args']

    def check_flags(self):
        for name, values in VALUES.items():
            for _, _, container in structure.pods(self.render(*self.words_for(values))):
                (program,) = container['command']
                good, why = self.parses(program, container['args'])
                assert good, f'values {name}: {program}: {why}'
                assert not self.parses(program, [*container['args'], '--no-such-flag=1'])[0], 'this check is blind'

    def check_configurations(self):
        """The chart's webhook configurations are those that the program would make itself."""
        compared = 0
        for name, values in VALUES.items():
            things = self.render(*self.words_for(values))
            (container,) = [c for _, _, c in structure.pods(things) if c['command'] == ['vc-webhook-manager']]
            conf = self.scratch / f'{name}.conf'
            maps = {m['metadata']['name']: m for m in structure.of_kind(things, 'ConfigMap')}
            conf.write_text(maps['volcano-admission-configmap']['data']['volcano-admission.conf'])
            arguments = [f'--admission-conf={conf}' if a.startswith('--admission-conf=') else a
                         for a in container['args']]
            path = self.scratch / 'vc-webhook-manager'
            run = subprocess.run([path, *arguments, '--print-configurations'], text=True, capture_output=True)
            assert run.returncode == 0, run.stderr
            ours = {t['metadata']['name']: t for t in structure.webhook_configurations(things)}
            theirs = {t['metadata']['name']: t for t in yaml.safe_load_all(run.stdout) if t}
            assert set(ours) == set(theirs), f'values {name}: {sorted(set(ours) ^ set(theirs))}'
            for key, configuration in theirs.items():
                assert ours[key]['kind'] == configuration['kind'], key
                assert without_own_selectors(ours[key]) == configuration['webhooks'], (
                    f'values {name}: {key}:\nchart:   {ours[key]["webhooks"]}\nprogram: {configuration["webhooks"]}')
                compared += 1
        return compared


def without_own_selectors(configuration):
    """The webhooks without what an operator added to their namespace selectors."""
    for hook in configuration['webhooks']:
        selector = hook['namespaceSelector']
        selector['matchExpressions'] = selector['matchExpressions'][:1]
    return configuration['webhooks']

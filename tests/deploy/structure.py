"""Checks on a rendered chart that need no cluster: what names something names a thing that is there, and fits."""

WORKLOAD_PROGRAMS = {'scheduler': 'vc-scheduler', 'controllers': 'vc-controller-manager',
                     'admission': 'vc-webhook-manager'}


def key(thing):
    metadata = thing['metadata']
    return thing['kind'], metadata.get('namespace', ''), metadata['name']


def of_kind(things, kind):
    return [t for t in things if t['kind'] == kind]


def matches(selector, labels):
    return bool(selector) and all((labels or {}).get(k) == v for k, v in selector.items())


def pods(things):
    """(Deployment, pod template, its one container) of each program."""
    for deployment in of_kind(things, 'Deployment'):
        template = deployment['spec']['template']
        (container,) = template['spec']['containers']
        yield deployment, template, container


def check_unique(things):
    seen = set()
    for thing in things:
        assert key(thing) not in seen, f'twice: {key(thing)}'
        seen.add(key(thing))


def check_selectors(things):
    templates = [t for _, t, _ in pods(things)]
    for deployment, template, _ in pods(things):
        assert matches(deployment['spec']['selector']['matchLabels'], template['metadata']['labels']), key(deployment)
    for service in of_kind(things, 'Service'):
        found = [t for t in templates if matches(service['spec']['selector'], t['metadata']['labels'])]
        assert len(found) == 1, f'{key(service)} selects {len(found)} deployments'
        ports = found[0]['spec']['containers'][0]['ports']
        for port in service['spec']['ports']:
            known = [p['name'] for p in ports] + [p['containerPort'] for p in ports]
            assert port['targetPort'] in known, f'{key(service)}: no container port {port["targetPort"]}'
        annotated = service['metadata'].get('annotations', {}).get('prometheus.io/port')
        assert annotated in (None, *(str(p['port']) for p in service['spec']['ports'])), key(service)
    for budget in of_kind(things, 'PodDisruptionBudget'):
        labels = budget['spec']['selector']['matchLabels']
        guarded = [d for d, t, _ in pods(things) if matches(labels, t['metadata']['labels'])]
        assert len(guarded) == 1 and guarded[0]['spec']['replicas'] > budget['spec']['minAvailable'], key(budget)
    for monitor in of_kind(things, 'ServiceMonitor'):
        found = [s for s in of_kind(things, 'Service')
                 if matches(monitor['spec']['selector']['matchLabels'], s['metadata'].get('labels'))]
        assert len(found) == 1, f'{key(monitor)} selects {len(found)} services'
        names = [p['name'] for p in found[0]['spec']['ports']]
        assert all(e['port'] in names for e in monitor['spec']['endpoints']), key(monitor)


def check_references(things):
    known = {key(t) for t in things}
    for deployment, template, container in pods(things):
        spec, space = template['spec'], deployment['metadata']['namespace']
        assert ('ServiceAccount', space, spec['serviceAccountName']) in known, key(deployment)
        volumes = {v['name']: v for v in spec['volumes']}
        mounts = {m['mountPath']: volumes[m['name']] for m in container['volumeMounts']}
        assert {v['name'] for v in mounts.values()} == set(volumes), f'{key(deployment)}: a volume that nobody mounts'
        for volume in volumes.values():
            if 'configMap' in volume:
                assert ('ConfigMap', space, volume['configMap']['name']) in known, key(deployment)
        for argument in container['args']:
            check_file_argument(things, argument, mounts)
        names = {p['name'] for p in container['ports']}
        for probe in ('startupProbe', 'livenessProbe', 'readinessProbe'):
            assert container[probe]['httpGet']['port'] in names, f'{key(deployment)}: {probe}'
    for binding in of_kind(things, 'ClusterRoleBinding') + of_kind(things, 'RoleBinding'):
        role, space = binding['roleRef'], binding['metadata'].get('namespace', '')
        assert (role['kind'], space, role['name']) in known, key(binding)
        for subject in binding['subjects']:
            assert ('ServiceAccount', subject['namespace'], subject['name']) in known, key(binding)


def check_file_argument(things, argument, mounts):
    """A file that a flag names is a key of the ConfigMap that is mounted there."""
    _, _, path = argument.partition('=')
    for folder, volume in mounts.items():
        if path.startswith(folder + '/') and 'configMap' in volume:
            maps = [c for c in of_kind(things, 'ConfigMap') if c['metadata']['name'] == volume['configMap']['name']]
            assert path.removeprefix(folder + '/') in maps[0]['data'], f'{argument}: no such key'


def webhook_configurations(things):
    return of_kind(things, 'MutatingWebhookConfiguration') + of_kind(things, 'ValidatingWebhookConfiguration')


def check_webhooks(things):
    services = {(s['metadata']['namespace'], s['metadata']['name']): s for s in of_kind(things, 'Service')}
    enabled = []
    for _, _, container in pods(things):
        for argument in container['args']:
            if argument.startswith('--enabled-admission='):
                enabled = argument.partition('=')[2].split(',')
    registered = []
    for configuration in webhook_configurations(things):
        for hook in configuration['webhooks']:
            place = hook['clientConfig']['service']
            service = services[(place['namespace'], place['name'])]
            assert place['port'] in [p['port'] for p in service['spec']['ports']], key(configuration)
            expected = 'volcano-admission-service' + place['path'].replace('/', '-')
            assert configuration['metadata']['name'] == expected, key(configuration)
            left_out = hook['namespaceSelector']['matchExpressions'][0]
            assert {'kube-system', place['namespace']} <= set(left_out['values']), key(configuration)
            if hook['failurePolicy'] == 'Fail':
                groups = [g for rule in hook['rules'] for g in rule['apiGroups']]
                mine = all(g.endswith('.volcano.sh') for g in groups)
                assert mine or hook.get('matchConditions'), f'{key(configuration)}: an outage stops other people'
            registered.append(place['path'])
    # Without groups and gates /pods/mutate has nothing to do, and nobody is asked.
    missing = set(enabled) - set(registered)
    assert missing <= {'/pods/mutate'} and set(registered) <= set(enabled), f'registered {registered}, served {enabled}'


def check_network_policies(things):
    """Where there are policies: one for each program, which lets in what the pods serve and nothing else."""
    policies = of_kind(things, 'NetworkPolicy')
    for deployment, template, container in pods(things):
        labels = template['metadata']['labels']
        found = [p for p in policies if matches(p['spec']['podSelector']['matchLabels'], labels)]
        assert len(found) == (1 if policies else 0), f'{key(deployment)} has {len(found)} network policies'
        for policy in found:
            assert policy['spec']['policyTypes'] == ['Ingress'] and 'egress' not in policy['spec'], key(policy)
            open_ports = [p['port'] for rule in policy['spec']['ingress'] for p in rule['ports']]
            served = {p['name'] for p in container['ports']}
            if '--enable-metrics=false' in container['args'] and '--enable-pprof=true' not in container['args']:
                served -= {'metrics'}
            assert sorted(open_ports) == sorted(served), f'{key(policy)} opens {open_ports}, served are {served}'
            narrowed = [rule['ports'] for rule in policy['spec']['ingress'] if 'from' in rule]
            assert all(p['port'] == 'metrics' for ports in narrowed for p in ports), (
                f'{key(policy)}: API servers and kubelets have no selector')


def check_tokens(things):
    """Only the pods that need a token get one."""
    for account in of_kind(things, 'ServiceAccount'):
        assert account['automountServiceAccountToken'] is False, key(account)
    for deployment, template, _ in pods(things):
        assert template['spec']['automountServiceAccountToken'] is True, key(deployment)


def secret_rules(things):
    """(role, verbs, names) of every rule about Secrets."""
    return [(key(role), set(rule['verbs']), rule.get('resourceNames', []))
            for role in of_kind(things, 'ClusterRole') + of_kind(things, 'Role')
            for rule in role['rules'] if 'secrets' in rule['resources']]


def check_security(things):
    """What the default values promise; an operator may loosen it."""
    for deployment, template, container in pods(things):
        name, pod, own = key(deployment), template['spec'].get('securityContext', {}), container['securityContext']
        assert own['runAsNonRoot'] and own['runAsUser'] == 1000, name
        assert own['readOnlyRootFilesystem'] and own['allowPrivilegeEscalation'] is False, name
        assert own['capabilities'] == {'drop': ['ALL']}, name
        assert pod['seccompProfile'] == {'type': 'RuntimeDefault'}, name
        assert container['resources']['requests'] and container['resources']['limits']['memory'], name
        assert template['spec']['priorityClassName'] == 'system-cluster-critical', name
        assert template['spec']['topologySpreadConstraints'], name
        assert deployment['spec']['replicas'] >= 2, name
        for field in ('hostNetwork', 'hostPID', 'hostIPC'):
            assert not template['spec'].get(field), name
        assert not [v for v in template['spec']['volumes'] if 'hostPath' in v], name
    assert len(of_kind(things, 'PodDisruptionBudget')) == len(of_kind(things, 'Deployment')), 'a budget for each'
    assert len(of_kind(things, 'NetworkPolicy')) == len(of_kind(things, 'Deployment')), 'a network policy for each'


def check_rights(things):
    """No wildcard, no secret of others, no right that would lead to more rights."""
    for role, verbs, names in secret_rules(things):
        assert names or verbs <= {'create', 'delete'}, f'{role} reads secrets'
        assert not names or role[0] == 'Role', f'{role}: a name in every namespace'
    for role in of_kind(things, 'ClusterRole') + of_kind(things, 'Role'):
        for rule in role['rules']:
            for field in ('apiGroups', 'resources', 'verbs'):
                assert '*' not in rule[field], f'{key(role)}: a wildcard'
            assert not {'impersonate', 'escalate', 'bind'} & set(rule['verbs']), key(role)
            assert 'rbac.authorization.k8s.io' not in rule['apiGroups'], key(role)
            assert not {'pods/exec', 'pods/attach', 'nodes/proxy'} & set(rule['resources']), key(role)


def check_program_names(things):
    for deployment, _, container in pods(things):
        short = deployment['metadata']['name'].split('-', 1)[1]
        assert container['command'] == [WORKLOAD_PROGRAMS[short]], key(deployment)


EVERY = (check_unique, check_selectors, check_references, check_webhooks, check_rights, check_network_policies,
         check_tokens, check_program_names)

# With release name volcano: what an upgrade of a Volcano release finds in its place. Facts about Volcano's chart.
VOLCANO_NAMES = {
    ('ConfigMap', 'volcano-admission-configmap'), ('ConfigMap', 'volcano-controller-configmap'),
    ('ConfigMap', 'volcano-scheduler-configmap'),
    ('ServiceAccount', 'volcano-admission'), ('ServiceAccount', 'volcano-controllers'),
    ('ServiceAccount', 'volcano-scheduler'),
    ('ClusterRole', 'volcano-admission'), ('ClusterRole', 'volcano-controllers'), ('ClusterRole', 'volcano-scheduler'),
    ('ClusterRole', 'vcjob-editor-role'), ('ClusterRole', 'vcjob-viewer-role'),
    ('ClusterRoleBinding', 'volcano-admission-role'), ('ClusterRoleBinding', 'volcano-controllers-role'),
    ('ClusterRoleBinding', 'volcano-scheduler-role'),
    ('Deployment', 'volcano-admission'), ('Deployment', 'volcano-controllers'), ('Deployment', 'volcano-scheduler'),
    ('Service', 'volcano-admission-service'), ('Service', 'volcano-controllers-service'),
    ('Service', 'volcano-scheduler-service'),
    ('MutatingWebhookConfiguration', 'volcano-admission-service-jobs-mutate'),
    ('MutatingWebhookConfiguration', 'volcano-admission-service-queues-mutate'),
    ('ValidatingWebhookConfiguration', 'volcano-admission-service-jobs-validate'),
    ('ValidatingWebhookConfiguration', 'volcano-admission-service-queues-validate'),
    ('ValidatingWebhookConfiguration', 'volcano-admission-service-podgroups-validate'),
    ('ValidatingWebhookConfiguration', 'volcano-admission-service-cronjobs-validate'),
    ('ValidatingWebhookConfiguration', 'volcano-admission-service-hypernodes-validate'),
}
# A Deployment's selector cannot be changed.
VOLCANO_SELECTORS = {'volcano-admission': 'volcano-admission', 'volcano-controllers': 'volcano-controller',
                     'volcano-scheduler': 'volcano-scheduler'}


def check_volcano_names(things):
    missing = VOLCANO_NAMES - {(t['kind'], t['metadata']['name']) for t in things}
    assert not missing, f'Volcano has {sorted(missing)}, we do not'
    for deployment in of_kind(things, 'Deployment'):
        selector = deployment['spec']['selector']['matchLabels']
        assert selector == {'app': VOLCANO_SELECTORS[deployment['metadata']['name']]}, key(deployment)

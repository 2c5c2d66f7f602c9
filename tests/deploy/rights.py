"""Rights that roles grant, and requests that were made."""
import collections

import structure

# Rights that the workload does not use, and when they are used. A right that is used here must leave this list.
RARE = {
    'volcano-scheduler': {
        ('get', '', 'pods'): 'the outcome of a write is unknown',
        ('get', 'batch.volcano.sh', 'jobs'): 'a gang waits outside of its queue and has no pods yet',
        ('get', 'scheduling.volcano.sh', 'podgroups'): 'the outcome of a write is unknown',
        ('get', 'scheduling.volcano.sh', 'queues'): 'the outcome of a write is unknown',
        ('patch', '', 'events'): 'the same is to be told again, minutes later',
    },
    'volcano-controllers': {
        ('patch', '', 'events'): 'the same is to be told again, minutes later',
        ('update', 'apps', 'statefulsets/finalizers'): 'as for ReplicaSets, which are tried',
        ('update', 'apps', 'daemonsets/finalizers'): 'as for ReplicaSets, which are tried',
        ('update', 'batch', 'jobs/finalizers'): 'as for ReplicaSets, which are tried',
    },
    'volcano-admission': {
        ('patch', '', 'secrets'): 'the certificate is renewed, after two thirds of its life',
        ('get', 'scheduling.volcano.sh', 'queues'): 'a job comes right after its queue',
        ('get', '', 'namespaces'): 'a group comes right after its namespace',
        ('get', '', 'persistentvolumeclaims'): 'a new job names a claim',
    },
}


class Granted:
    """(verb, group, resource) that each service account may use; resource with its subresource."""

    def __init__(self, things):
        self.of = collections.defaultdict(set)
        roles = {structure.key(r): r for kind in ('ClusterRole', 'Role') for r in structure.of_kind(things, kind)}
        for kind in ('ClusterRoleBinding', 'RoleBinding'):
            for binding in structure.of_kind(things, kind):
                role = roles[(binding['roleRef']['kind'], binding['metadata'].get('namespace', ''),
                              binding['roleRef']['name'])]
                for subject in binding['subjects']:
                    for rule in role['rules']:
                        self.of[subject['name']] |= {(v, g, r) for v in rule['verbs'] for g in rule['apiGroups']
                                                     for r in rule['resources']}


def request_of(entry):
    """(account, (verb, group, resource)) of an audit line about an object; None for discovery and the like."""
    account = entry['user']['username'].rsplit(':', 1)[-1]
    about = entry.get('objectRef')
    if about is None:
        return None
    resource = about['resource'] + ('/' + about['subresource'] if about.get('subresource') else '')
    return account, (entry['verb'], about.get('apiGroup', ''), resource)


def check_audit(entries, granted):
    """(number of rights used, number of rare ones); fails for a refusal and for a right that nobody needs."""
    used = collections.defaultdict(set)
    refused = set()
    for entry in entries:
        request = request_of(entry)
        if entry.get('annotations', {}).get('authorization.k8s.io/decision') == 'forbid':
            refused.add((request or entry['requestURI'], entry['annotations'].get('authorization.k8s.io/reason', '')))
        elif entry.get('responseStatus', {}).get('code') == 403:  # admission: the right to name an owner, say
            refused.add((request, entry['responseStatus'].get('message', '')))
        elif request is not None:
            used[request[0]].add(request[1])
            if request[1][0] == 'watch':  # new servers send the list as the watch's beginning; older ones want both
                used[request[0]].add(('list', *request[1][1:]))
            if request[1][0] == 'patch' and entry.get('responseStatus', {}).get('code') == 201:
                used[request[0]].add(('create', *request[1][1:]))  # an apply of something new needs both
    assert not refused, 'refused:\n' + '\n'.join(map(str, sorted(refused, key=str)))
    for account, rights in granted.of.items():
        rare = set(RARE[account])
        # The right to name an owner is asked of the authorizer by admission, and leaves no line of its own.
        silent = {r for r in rights if r[2].endswith('/finalizers')}
        idle = rights - used[account] - rare - silent
        assert not idle, f'{account} never used:\n' + '\n'.join(map(str, sorted(idle)))
        wrong = (rare & used[account]) | (rare - rights)
        assert not wrong, f'{account}: not rare, or not granted: {sorted(wrong)}'
    return sum(len(u) for u in used.values()), sum(len(r) for r in RARE.values())

"""Makes the programs do all that they do on a cluster: objects of workload.yaml, and what people do with them."""
import json
import pathlib
import subprocess

from cluster import until

HERE = pathlib.Path(__file__).resolve().parent
TEAM = ('-n', 'team')


def phase_of(cluster, kind, name):
    return cluster.get(kind, name, *TEAM).get('status', {}).get('state', {}).get('phase')


def job(name, replicas, **spec):
    task = {'name': 'worker', 'replicas': replicas, 'template': {'spec': {
        'containers': [{'name': 'main', 'image': 'none', 'resources': {'requests': {'cpu': '3'}}}]}}}
    return json.dumps({'apiVersion': 'batch.volcano.sh/v1alpha1', 'kind': 'Job',
                       'metadata': {'name': name, 'namespace': 'team'},
                       'spec': {'queue': 'team', 'minAvailable': replicas, 'tasks': [task], **spec}})


def play(cluster, basalt):
    until('the queues root and default', lambda: all(
        cluster.get('queue', q).get('status', {}).get('state') == 'Open' for q in ('root', 'default')))
    documents = (HERE / 'workload.yaml').read_text()
    first, rest = documents.split('---\napiVersion: scheduling.k8s.io', 1)
    cluster.apply(first)
    until('the queue to open', lambda: cluster.get('queue', 'team')['status'].get('state') == 'Open')
    cluster.apply('apiVersion: scheduling.k8s.io' + rest)
    own_a_pod(cluster)

    until('the flow to succeed', lambda: phase_of(cluster, 'jobflow', 'steps') == 'Succeed')
    until('the training job to be collected', lambda: not cluster.get('vcjob', 'train', *TEAM))
    for name in ('bare', 'owned', 'gated'):
        until(f'pod {name} to run', lambda name=name: cluster.get('pod', name, *TEAM)['status']['phase'] == 'Running')
    until('the racks as HyperNodes', lambda: len(cluster.get('hypernodes')['items']) >= 2)
    change_racks(cluster)
    suspend_and_resume(cluster, basalt)
    preempt(cluster)
    close_queue(cluster, basalt)
    until('the cron job', lambda: cluster.get('cronvcjob', 'every-minute', *TEAM).get('status', {})
          .get('lastScheduleTime'), seconds=120)


def own_a_pod(cluster):
    """What the ReplicaSet's controller would make, and a pod that waits for its queue behind a gate."""
    owner = cluster.get('replicaset', 'set', *TEAM)
    reference = {'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': 'set', 'uid': owner['metadata']['uid'],
                 'controller': True, 'blockOwnerDeletion': True}
    for name, metadata in (('owned', {'ownerReferences': [reference], 'labels': {'app': 'set'}}),
                           ('gated', {'annotations': {'scheduling.volcano.sh/queue-allocation-gate': 'true'}})):
        cluster.apply(json.dumps({
            'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': name, 'namespace': 'team', **metadata},
            'spec': {'schedulerName': 'volcano',
                     'containers': [{'name': 'main', 'image': 'none', 'resources': {'requests': {'cpu': '100m'}}}]}}))


def change_racks(cluster):
    """A node moves to the other rack, then the first rack is empty: HyperNodes change and go."""
    nodes = [n['metadata']['name'] for n in cluster.get('nodes', '-l', 'example.com/rack=r1')['items']]
    cluster.kubectl('label', '--overwrite', 'node', *nodes, 'example.com/rack=r2')

    def moved():
        texts = [json.dumps(h['spec']) for h in cluster.get('hypernodes')['items']]
        return any(all(f'"{n}"' in t for n in nodes) for t in texts)
    until('the HyperNodes of the moved nodes', moved)


def suspend_and_resume(cluster, basalt):
    cluster.apply(job('paused', 1))
    until('the job to run', lambda: phase_of(cluster, 'vcjob', 'paused') == 'Running')
    for verb, phase in (('suspend', 'Aborted'), ('resume', 'Running')):
        vcctl(cluster, basalt, 'job', verb, '-N', 'paused', '-n', 'team')
        until(f'the job to be {phase}', lambda phase=phase: phase_of(cluster, 'vcjob', 'paused') == phase)
    cluster.kubectl('delete', 'vcjob', 'paused', *TEAM)


def preempt(cluster):
    """Four nodes with room for one such pod each: the urgent job makes room for itself."""
    cluster.apply(job('patient', 4, minAvailable=1))
    until('all places to be taken',
          lambda: cluster.get('vcjob', 'patient', *TEAM).get('status', {}).get('running') == 4)
    cluster.apply(job('hasty', 2, priorityClassName='urgent'))
    until('the urgent job to run', lambda: phase_of(cluster, 'vcjob', 'hasty') == 'Running')
    cluster.kubectl('patch', 'vcjob', 'patient', *TEAM, '--type=merge', '-p', '{"spec":{"minAvailable":2}}')
    until('words about a pod that waits', lambda: any(
        c['type'] == 'PodScheduled' and c['status'] == 'False'
        for p in cluster.get('pods', *TEAM)['items'] for c in p['status'].get('conditions', [])))


def close_queue(cluster, basalt):
    cluster.kubectl('delete', 'vcjob', '--all', *TEAM)
    cluster.apply(json.dumps({'apiVersion': 'scheduling.volcano.sh/v1beta1', 'kind': 'Queue',
                              'metadata': {'name': 'short-lived'}, 'spec': {'weight': 1}}))
    until('the queue to open', lambda: cluster.get('queue', 'short-lived').get('status', {}).get('state') == 'Open')
    vcctl(cluster, basalt, 'queue', 'operate', '--name', 'short-lived', '--action', 'close')
    until('the queue to close', lambda: cluster.get('queue', 'short-lived')['status'].get('state') == 'Closed')


def vcctl(cluster, basalt, *words):
    run = subprocess.run([basalt, 'vcctl', *words], text=True, capture_output=True, env=cluster.environment())
    assert run.returncode == 0, f'vcctl {" ".join(words)}: {run.stdout}{run.stderr}'

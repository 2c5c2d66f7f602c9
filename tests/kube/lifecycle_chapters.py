"""The chapters of the life-cycle suite. Each begins and ends with empty nodes: four with 4 CPUs each.

A statement that something does not happen follows a sign that it was decided: a reason in an event, a phase.
"""
import re
import signal

from kube import Refused, path_of
from lifecycle_words import job, queue, task

NODES = '4:cpu=4,memory=16Gi,name=cpu'
RESTART_FAILED = [{'event': 'PodFailed', 'action': 'RestartJob'}]


def refusal(s, content):
    """What the API server says to an object; '' when it takes it."""
    try:
        s.make(content)
        return ''
    except Refused as refused:
        return str(refused)


def completed(s):
    """a job runs and completes; what it leaves open is filled in by the webhook"""
    s.make(job('simple', task(replicas=3, run=1)))
    spec = s.get('jobs', 'simple')['spec']
    s.check('queue, minAvailable and maxRetry are there',
            (spec['queue'], spec['minAvailable'], spec['maxRetry']) == ('default', 3, 3), spec)
    s.until_phase('simple', 'Completed')
    s.check('three pods have succeeded', s.status('simple').get('succeeded') == 3, s.status('simple'))
    s.until('its group has gone, its pods are kept', lambda: s.group('simple') is None and len(s.pods('simple')) == 3)


def refused(s):
    """what is wrong is refused by the webhook, in Volcano's words"""
    said = refusal(s, job('lost', task(), queue='nowhere'))
    s.check('a job in a queue that is not there', 'unable to find job queue' in said, said)
    said = refusal(s, job('greedy', task(replicas=1), minAvailable=2))
    s.check('more members than replicas', "job 'minAvailable' should not be greater than" in said, said)
    said = refusal(s, queue('child', weight=1, parent='child'))
    s.check('a queue that is its own parent', 'cannot use itself as parent' in said, said)


def gang(s):
    """all or nothing: a gang that does not fit holds nothing, and starts as one when it does"""
    s.make(job('first', task(replicas=14)))
    s.until_phase('first', 'Running')
    s.make(job('gang', task(replicas=4)))
    s.until('the scheduler says why it waits', lambda: s.reasons('gang'))
    s.check('it holds nothing', s.placed('gang') == [])
    s.delete('jobs', 'first')
    s.until_phase('gang', 'Running')
    s.check('all four run', len(s.placed('gang')) == 4)


def queues(s):
    """a queue has a limit; closed, it takes no jobs; open, it does"""
    s.make(queue('narrow', weight=1, capability={'cpu': '2'}))
    s.until('the queue is open', lambda: s.queue_state('narrow') == 'Open')
    s.make(job('wide', task(replicas=4), minAvailable=1, queue='narrow'))
    s.until('two of four pods fit', lambda: len(s.placed('wide')) == 2)
    s.until('the queue says so', lambda: s.get('queues', 'narrow')['status'].get('allocated', {}).get('cpu') == '2')
    s.vcctl('queue', 'operate', '--action', 'close', '-n', 'narrow')
    s.until('the queue is closing: a job is in it', lambda: s.queue_state('narrow') == 'Closing')
    said = refusal(s, job('late', task(), queue='narrow'))
    s.check('it takes no more jobs', 'can only submit job to queue with state `Open`' in said, said)
    s.check('it still has two pods', len(s.placed('wide')) == 2)
    s.delete('jobs', 'wide')
    s.until('the queue is closed', lambda: s.queue_state('narrow') == 'Closed')
    s.vcctl('queue', 'operate', '--action', 'open', '-n', 'narrow')
    s.until('the queue is open again', lambda: s.queue_state('narrow') == 'Open')
    s.make(job('late', task(run=1), queue='narrow'))
    s.until_phase('late', 'Completed')


def preemption(s):
    """within a queue the more important job takes the place of the less important one"""
    for name, value in (('life-high', 1000), ('life-low', 10)):
        s.make({'apiVersion': 'scheduling.k8s.io/v1', 'kind': 'PriorityClass', 'metadata': {'name': name},
                'value': value})
    s.make(job('low', task(replicas=16, priority='life-low'), minAvailable=1, priorityClassName='life-low'))
    s.until('the less important job has all', lambda: len(s.placed('low')) == 16)
    before = s.uids('low')
    s.make(job('high', task(replicas=4, priority='life-high'), priorityClassName='life-high'))
    s.until_phase('high', 'Running')
    kept = len(s.uids('low') & before)
    s.check('four pods made room, twelve stayed', kept == 12, kept)


def reclaim(s):
    """a queue takes back what another uses above its share"""
    s.make(queue('mine', weight=3, reclaimable=True), queue('yours', weight=1, reclaimable=True))
    s.until('both queues are open', lambda: s.queue_state('mine') == s.queue_state('yours') == 'Open')
    s.make(job('borrower', task(replicas=16), minAvailable=1, queue='yours'))
    s.until('it borrows all 16 CPUs', lambda: len(s.placed('borrower')) == 16)
    s.make(job('owner', task(replicas=12), queue='mine'))
    s.until_phase('owner', 'Running')
    s.until('12 : 4 by weight', lambda: (len(s.placed('owner')), len(s.placed('borrower'))) == (12, 4))


def backfill(s):
    """pods that ask for nothing run where nothing is left"""
    s.make(job('full', task(replicas=16)))
    s.until_phase('full', 'Running')
    s.make(job('light', task(replicas=2, cpu=None, run=1)))
    s.until_phase('light', 'Completed')
    s.check('the full job runs on', len(s.placed('full')) == 16)


def suspend(s):
    """suspend and resume, by vcctl"""
    s.make(job('paused', task(replicas=2)))
    s.until_phase('paused', 'Running')
    before = s.uids('paused')
    s.vcctl('job', 'suspend', '-N', 'paused', '-n', s.namespace)
    s.until_phase('paused', 'Aborted')
    s.until('its pods are gone', lambda: s.placed('paused') == [])
    s.vcctl('job', 'resume', '-N', 'paused', '-n', s.namespace)
    s.until_phase('paused', 'Running')
    s.check('with two new pods', len(s.uids('paused') - before) == 2)


def policies(s):
    """PodFailed restarts the job until maxRetry, TaskCompleted completes it, PodEvicted restarts it"""
    s.make(job('broken', task(replicas=2, run=0.2, exit_code=1), policies=RESTART_FAILED, maxRetry=2),
           job('led', task('leader', run=1, policies=[{'event': 'TaskCompleted', 'action': 'CompleteJob'}]),
               task('helper', replicas=2)),
           job('moved', task(replicas=2), policies=[{'event': 'PodEvicted', 'action': 'RestartJob'}]))
    s.until_phase('broken', 'Failed')
    s.check('after two tries', s.status('broken').get('retryCount') == 2, s.status('broken'))
    s.until_phase('led', 'Completed')
    s.until('the helpers are gone', lambda: s.placed('led') == [])
    s.until_phase('moved', 'Running')
    before = s.uids('moved')
    s.api.delete(path_of('pods', 'moved-worker-0', s.namespace))
    s.until('both pods are new', lambda: len(s.uids('moved') - before) == 2)
    s.until_phase('moved', 'Running')
    s.check('it was restarted once', s.status('moved').get('retryCount') == 1, s.status('moved'))


def drain(s):
    """a node is drained: its pods are evicted, and the job is restarted on the nodes that are left"""
    s.make(job('moves', task(replicas=8), policies=[{'event': 'PodEvicted', 'action': 'RestartJob'}]))
    s.until_phase('moves', 'Running')
    node = s.placed('moves')[0]['spec']['nodeName']
    s.say(f'+ kubectl drain {node} --force --timeout=60s')
    s.system.kubectl('drain', node, '--force', '--timeout=60s')

    def elsewhere():
        nodes = [pod['spec']['nodeName'] for pod in s.placed('moves') if pod['status'].get('phase') == 'Running']
        return len(nodes) == 8 and node not in nodes and s.phase('moves') == 'Running'
    s.until(f'all eight run, none on {node}', elsewhere)
    s.system.kubectl('uncordon', node)


def ttl(s):
    """a job that is done goes by itself, and with it what it made"""
    s.make(job('brief', task(run=0.5), ttlSecondsAfterFinished=1))
    s.until('it has gone', lambda: s.get('jobs', 'brief') is None and not s.pods('brief'))
    s.until('and its group', lambda: s.group('brief') is None)


def placed_once(s, recorder, count):
    """That many pods were placed, and none of them ever named another node."""
    bound = {}
    for _, pod in list(recorder.events):
        if pod['spec'].get('nodeName'):
            bound.setdefault(pod['metadata']['uid'], set()).add(pod['spec']['nodeName'])
    s.check(f'all {count} pods were placed, each on one node',
            len(bound) == count and all(len(nodes) == 1 for nodes in bound.values()), len(bound))


def submit_gangs(s, prefix):
    """24 pods where 16 fit, so that some gangs wait."""
    names = [f'{prefix}-{n}' for n in range(3)]
    for name in names:
        s.make(job(name, task(replicas=8, run=1)))
    return names


def hand_over(s):
    """leaders end in the middle of gangs: another replica goes on, and no gang is torn"""
    recorder, names = s.record(), []
    middle = {'vc-scheduler': lambda pod: pod['spec'].get('nodeName'), 'vc-controller-manager': lambda pod: True}
    for program, has_begun in middle.items():
        for number in (signal.SIGTERM, signal.SIGKILL):
            leader = s.until(f'{program} has a leader', lambda program=program: s.leader(program))
            prefix = f'{program[3:8]}-{number.name[3:].lower()}'
            names += submit_gangs(s, prefix)
            recorder.first(lambda pod: pod['metadata']['name'].startswith(prefix) and has_begun(pod))
            s.hand_over(program, leader, number)
    for name in names:
        s.until_phase(name, 'Completed')
    s.check('no job needed a second try', not any(s.status(name).get('retryCount') for name in names))
    placed_once(s, recorder, 8 * len(names))


def frozen(s):
    """a leader that stands still in the middle of a gang, and wakes up when another leads, changes nothing any more"""
    recorder = s.record()
    leader = s.until('vc-scheduler has a leader', lambda: s.leader('vc-scheduler'))
    life, names = s.system.members[leader]['lives'], submit_gangs(s, 'frozen')
    recorder.first(lambda pod: pod['spec'].get('nodeName'))
    s.say(f'+ kill -STOP {leader}')
    s.system.send(leader, signal.SIGSTOP)
    s.until('another vc-scheduler leads', lambda: s.leader('vc-scheduler') not in ('', leader))
    s.say(f'+ kill -CONT {leader}')
    s.system.send(leader, signal.SIGCONT)
    s.until(f'{leader} has lost its lease, and starts over', lambda: s.system.members[leader]['lives'] > life)
    for name in names:
        s.until_phase(name, 'Completed')
    placed_once(s, recorder, 8 * len(names))


def api_server(s):
    """the API server is killed in the middle: everything goes on when it is back"""
    for n in range(4):
        s.make(job(f'before-{n}', task(replicas=4, run=2)))
    s.until('some pods are placed', lambda: s.placed(labels='volcano.sh/job-namespace=' + s.namespace))
    s.say('+ kill -9 of kube-apiserver and etcd, and a new start')
    s.system.crash_api()
    s.system.start_api()
    for n in range(4):
        s.until_phase(f'before-{n}', 'Completed')
    s.make(job('after', task(replicas=4, run=1)))
    s.until_phase('after', 'Completed')


def columns(s):
    """kubectl prints jobs, queues and groups as Volcano's users know them"""
    s.make(job('printed', task(replicas=2)))
    s.until_phase('printed', 'Running')
    s.until('its group runs', lambda: s.group('printed')['status'].get('running') == 2)
    for kind, shown, wide in (
            ('vcjob', r'NAME +STATUS +MINAVAILABLE +RUNNINGS +AGE\nprinted +Running +2 +2 +[0-9]+m?s', 'default'),
            ('podgroup', r'NAME +STATUS +MINMEMBER +RUNNINGS +AGE\nprinted-[-0-9a-f]+ +Running +2 +2 +[0-9]+m?s',
             'default'),
            ('queue', r'NAME +PARENT\ndefault +root\n(.*\n)*root', 'root')):
        text = s.system.kubectl('get', kind, '-n', s.namespace)
        s.check(f'kubectl get {kind}', re.match(shown, text), text)
        text = s.system.kubectl('get', kind, '-n', s.namespace, '-o', 'wide')
        s.check(f'kubectl get {kind} -o wide', wide in text, text)


def cron(s):
    """at the full minute the cron job of the beginning made a job, which is done"""
    s.namespace = 'cron'

    def made():
        return [item for item in s.api.items(path_of('jobs', namespace=s.namespace))
                if item.get('status', {}).get('state', {}).get('phase') == 'Completed']
    first = s.until('a job of the cron job is Completed', made, seconds=90)[0]
    s.check('it belongs to the cron job', first['metadata']['ownerReferences'][0]['name'] == 'report')
    s.until('the cron job knows when it last did', lambda: s.get('cronjobs', 'report').get('status', {}).get(
        'lastScheduleTime'))


def begin_cron(s):
    """Before all chapters, because the minute takes its time. Its pods ask for nothing, and take nobody's place."""
    s.make({'apiVersion': 'batch.volcano.sh/v1alpha1', 'kind': 'CronJob', 'metadata': {'name': 'report'},
            'spec': {'schedule': '* * * * *', 'concurrencyPolicy': 'Forbid',
                     'jobTemplate': {'spec': job('', task(cpu=None, run=1))['spec']}}})


CHAPTERS = [completed, refused, gang, queues, preemption, reclaim, backfill, suspend, policies, drain, ttl,
            columns, hand_over, frozen, api_server, cron]
QUEUES = {queues: ['narrow'], reclaim: ['mine', 'yours']}

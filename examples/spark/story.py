"""Bare pods with a PodGroup, as Spark makes them: no driver starts where its executors would not fit.

Six CPUs, four of them taken. The driver needs one, but it would only hold it and wait for executors: its group is not
let in. When there is room for all, the driver starts, and then its executors.
"""
NEEDS = ['--no-local-node', '--simulated-nodes', '3:cpu=2,memory=8Gi,name=cpu']


def group_phase(s):
    return s.get('podgroups', 'spark-pi').get('status', {}).get('phase')


def held(s, role):
    return len(s.placed(labels=f'spark-role={role}'))


def ended(s):
    pods = s.pods(labels='spark-role')
    return len(pods) == 3 and all(pod['status'].get('phase') == 'Succeeded' for pod in pods)


def play(s):
    s.apply('other.yaml')
    s.until('another job runs on 4 of 6 CPUs', lambda: len(s.placed('other')) == 2)
    s.apply('podgroup.yaml', 'driver.yaml')
    s.until('the group is seen and not let in', lambda: group_phase(s) == 'Pending')
    s.check('the driver, which would fit, holds nothing', held(s, 'driver') == 0)
    s.delete('jobs', 'other')
    s.until('there is room for all: the driver starts', lambda: held(s, 'driver') == 1)
    s.apply('executors.yaml')
    s.until('both executors start', lambda: held(s, 'executor') == 2)
    s.until('the group runs', lambda: group_phase(s) == 'Running')
    s.until('all three have done their work', lambda: ended(s))

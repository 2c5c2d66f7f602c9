"""A master and three workers that train together: names by svc, places by env, keys by ssh."""
NEEDS = []


def play(s):
    s.config_map('training-code', 'train.py')
    s.apply('job.yaml')
    s.follow('distributed-training', until='Completed')
    log = s.log('distributed-training-master-0')
    for line in log.splitlines():
        s.say(f'  {line}')
    s.check('the master found its own name', 'master is distributed-training-master-0.distributed-training' in log)
    s.check('the key pair of the ssh plugin was in its place', 'ssh key is there' in log)
    s.check('four ranks have learned y = 3x + 2', 'rank 0 of 4: w=3.00 b=2.00' in log)
    s.check('at the first try', s.get('jobs', 'distributed-training')['status'].get('retryCount', 0) == 0)

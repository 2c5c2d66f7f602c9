"""A gang at every full minute: the cron job makes a job, which runs and completes.

Takes up to a minute: the clock is the real one.
"""
from kube import path_of

NEEDS = ['--no-local-node', '--simulated-nodes', '2:cpu=8,memory=32Gi,name=cpu']


def made(s):
    return [job['metadata']['name'] for job in s.api.items(path_of('jobs'))
            if any(owner.get('kind') == 'CronJob' for owner in job['metadata'].get('ownerReferences', []))]


def play(s):
    s.apply('cronjob.yaml')
    names = s.until('the full minute has made a job', lambda: made(s), seconds=75)
    s.check('its name begins with that of the cron job', names[0].startswith('report-'), names)
    s.follow(names[0], until='Completed')
    s.until('the cron job knows when it last did', lambda: s.get('cronjobs', 'report').get('status', {}).get(
        'lastScheduleTime'))

"""A job of 2 to 6 workers starts with 2, grows to 6 when there is room, and is scaled to 3 by hand.

Six CPUs, four of them taken.
"""
from kube import path_of

NEEDS = ['--no-local-node', '--simulated-nodes', '3:cpu=2,memory=8Gi,name=cpu']


def play(s):
    s.apply('first.yaml')
    s.until('the first job runs on 4 of 6 CPUs', lambda: s.phase('first') == 'Running')
    s.apply('job.yaml')
    s.follow('elastic')
    s.check('it runs with 2 of 6 workers', len(s.placed('elastic')) == 2, len(s.placed('elastic')))
    s.delete('jobs', 'first')
    s.until('it has grown to 6 workers', lambda: len(s.placed('elastic')) == 6)
    s.say('+ kubectl patch vcjob elastic --type json -p \'[{"op": "replace", "path": "/spec/tasks/0/replicas", …}]\'')
    change = [{'op': 'replace', 'path': '/spec/tasks/0/replicas', 'value': 3}]
    s.api.raw('PATCH', path_of('jobs', 'elastic'), change, 'application/json-patch+json')
    s.until('it has 3 workers, still Running', lambda: len(s.pods('elastic')) == 3 and s.phase('elastic') == 'Running')

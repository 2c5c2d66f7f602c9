"""The same jobs without gangs: two jobs hold half of what they need each, and neither can ever go on.

The job is the one of examples/deadlock. Without the gang plugin each gets some of the eight GPUs; all are taken, no
job has its six pods, and every process waits for one that will not come.
"""
NEEDS = ['--gpus', '8', '--scheduler-conf', '{here}/scheduler.conf']


def play(s):
    s.config_map('tensorflow-code', '../tensorflow/train.py')
    s.apply('before.yaml')
    s.until('an earlier job uses the whole machine', lambda: len(s.placed('before')) == 8)
    manifest = (s.folder / '../deadlock/job.yaml').read_text()
    jobs = ['---\n' + manifest.replace('name: NAME', f'name: {name}') for name in ('one', 'two')]
    s.say('+ for name in one two; do sed s/NAME/$name/ examples/deadlock/job.yaml; echo ---; done | kubectl apply -f -')
    s.run(s.basalt, 'apply', '-f', '-', text=''.join(jobs))
    s.until('both wait with all their pods', lambda: len(s.pods('one')) == len(s.pods('two')) == 6)
    s.delete('jobs', 'before')
    s.until('the earlier job is gone, and all 8 GPUs are taken again',
            lambda: len(s.placed('one')) + len(s.placed('two')) == 8)
    s.until('every process that could start has started', lambda: sum(
        pod['status'].get('phase') == 'Running' for pod in s.placed('one') + s.placed('two')) == 8)
    held = {name: len(s.placed(name)) for name in ('one', 'two')}
    s.check(f'neither job is whole: they hold {held["one"]} and {held["two"]} of 6', max(held.values()) < 6)
    waiting = [len(s.pods(name)) - held[name] for name in held]
    s.check(f'{waiting[0]} and {waiting[1]} pods wait for a GPU that nobody will give back', all(waiting), waiting)
    for name in held:
        done = [pod['metadata']['name'] for pod in s.pods(name) if pod['status'].get('phase') == 'Succeeded']
        s.check(f'no pod of {name} has got anywhere', done == [], done)

"""1, 2 and 5 jobs of 2 ps + 4 workers where only one fits: with gangs all finish, one after the other.

Eight GPUs, six per job, real processes that wait for each other. The story deadlock-without-gang shows the same jobs
without the gang plugin.
"""
NEEDS = ['--gpus', '8']


def submit(s, names):
    manifest = (s.folder / 'job.yaml').read_text()
    for name in names:
        s.say(f'+ sed s/NAME/{name}/ examples/deadlock/job.yaml | kubectl apply -f -')
        s.run(s.basalt, 'apply', '-f', '-', text=manifest.replace('name: NAME', f'name: {name}'))


def play(s):
    s.config_map('tensorflow-code', '../tensorflow/train.py')
    for case, count in enumerate((1, 2, 5), start=1):
        names = [f'case{case}-job{n}' for n in range(1, count + 1)]
        submit(s, names)
        s.until(f'case {case}: {count} of {count} jobs are finished',
                lambda names=names: all(s.phase(name) == 'Completed' for name in names), seconds=150)

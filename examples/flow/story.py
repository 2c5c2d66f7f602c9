"""A flow of jobs: each begins when those it depends on have completed."""
NEEDS = ['--no-local-node', '--simulated-nodes', '2:cpu=8,memory=32Gi,name=cpu']
STAGES = ['nightly-fetch', 'nightly-train', 'nightly-evaluate']


def play(s):
    recorder = s.record()
    s.apply('templates.yaml', 'flow.yaml')
    s.until('the flow has succeeded', lambda: s.get('jobflows', 'nightly').get('status', {}).get('state', {}).get(
        'phase') == 'Succeed')
    for job in STAGES:
        s.check(f'{job} is Completed', s.phase(job) == 'Completed', s.phase(job))
    for first, second in zip(STAGES, STAGES[1:]):
        ended = recorder.first(lambda pod, job=first: pod['metadata']['name'].startswith(job + '-')
                               and pod['status'].get('phase') == 'Succeeded')
        began = recorder.first(lambda pod, job=second: pod['metadata']['name'].startswith(job + '-'))
        s.check(f'{second} began after {first} ended', ended < began)

"""Tasks that wait for tasks: no pod of a task exists before those it depends on run."""
NEEDS = ['--no-local-node', '--simulated-nodes', '2:cpu=8,memory=32Gi,name=cpu']


def play(s):
    recorder = s.record()
    s.apply('job.yaml')
    s.follow('pipeline', until='Completed')
    for task, before in (('load', ['database-0']), ('report', ['database-0', 'load-0', 'load-1'])):
        names = [f'pipeline-{name}' for name in before]
        made = recorder.first(lambda pod, task=task: pod['metadata']['name'].startswith(f'pipeline-{task}-'))
        ran = recorder.firsts(names, lambda pod: pod['status'].get('phase') == 'Running')
        s.check(f'{task} came after {" and ".join(before)} ran', max(ran) < made)

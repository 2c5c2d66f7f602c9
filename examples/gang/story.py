"""A gang of 8 GPUs waits on 6 free ones holding nothing; 4 become free, and all 8 start at once.

Ten GPUs. A job of four runs; a gang of eight is submitted and waits: no pod of it holds a GPU. When the first job
goes, all eight are placed in one cycle, before any of them has started.
"""
NEEDS = ['--no-local-node', '--simulated-nodes', '5:cpu=8,memory=32Gi,nvidia.com/gpu=2,name=gpu']


def play(s):
    s.apply('earlier.yaml')
    s.until('the earlier job runs on 4 of 10 GPUs', lambda: s.phase('earlier') == 'Running')
    recorder = s.record()
    s.apply('job.yaml')
    why = s.until('the scheduler says why the gang of 8 waits', lambda: s.reasons('train'))
    s.say(f'  {why[0]}')
    s.check('the gang holds nothing', s.placed('train') == [])
    s.until('the job is Pending', lambda: s.phase('train') == 'Pending')
    s.delete('jobs', 'earlier')
    s.follow('train')
    s.check('8 pods run', len(s.placed('train')) == 8)

    names = [f'train-worker-{i}' for i in range(8)]
    freed = recorder.first(lambda pod: pod['metadata']['name'].startswith('earlier-')
                           and 'deletionTimestamp' in pod['metadata'])
    bound = recorder.firsts(names, lambda pod: 'nodeName' in pod['spec'])
    running = recorder.firsts(names, lambda pod: pod['status'].get('phase') == 'Running')
    s.check('none was placed before the earlier job went', freed < min(bound))
    s.check('all 8 were placed before the first of them ran: one cycle', max(bound) < min(running))
    s.follow('train', until='Completed')

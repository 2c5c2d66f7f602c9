"""A production gang takes GPUs from development pods of the same queue, and gives them back.

Eight GPUs, all used by experiments. An urgent gang of two with two GPUs each evicts four of them, no more; when it has
finished, the experiments are eight again.
"""
NEEDS = ['--no-local-node', '--simulated-nodes', '2:cpu=8,memory=32Gi,nvidia.com/gpu=4,name=gpu',
         '--scheduler-conf', '{here}/scheduler.conf']


def play(s):
    s.apply('priorities.yaml', 'dev.yaml')
    s.until('experiments use all 8 GPUs', lambda: len(s.placed('experiments')) == 8)
    before = {pod['metadata']['uid'] for pod in s.placed('experiments')}
    s.apply('prod.yaml')
    s.follow('urgent')
    left = {pod['metadata']['uid'] for pod in s.placed('experiments')} & before
    s.check('4 experiments made room, 4 stayed', len(left) == 4, f'{len(left)} stayed')
    s.follow('urgent', until='Completed')
    s.until('the experiments are 8 again', lambda: len(s.placed('experiments')) == 8)
    s.check('the job of the experiments is Running', s.phase('experiments') == 'Running', s.phase('experiments'))

"""Three queues 4 : 2 : 1: an idle share is lent, and taken back when its owner returns.

21 GPUs. The dev queue is alone and borrows all of them. When training and inference come, they reclaim their
shares: 12, 6 and 3. When training goes, its GPUs are lent again, 2 : 1.
"""
NEEDS = ['--no-local-node', '--simulated-nodes', '7:cpu=8,memory=32Gi,nvidia.com/gpu=3,name=gpu',
         '--scheduler-conf', '{here}/scheduler.conf']


def shares(s):
    return tuple(len(s.placed(job)) for job in ('trainer', 'batch-inference', 'experiments'))


def play(s):
    s.apply('queues.yaml')
    s.apply('dev.yaml')
    s.until('dev is alone and borrows all 21 GPUs', lambda: shares(s) == (0, 0, 21))
    s.apply('training.yaml', 'inference.yaml')
    s.until('the owners are back: 12 : 6 : 3', lambda: shares(s) == (12, 6, 3))
    s.until('the queue says so too', lambda: gpus_of(s, 'training') == '12')
    s.delete('jobs', 'trainer')
    s.until('training is gone; the others share its GPUs 2 : 1', lambda: shares(s) == (0, 14, 7))


def gpus_of(s, queue):
    return s.get('queues', queue).get('status', {}).get('allocated', {}).get('nvidia.com/gpu')

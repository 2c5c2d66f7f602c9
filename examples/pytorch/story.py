"""A PyTorch-like job: MASTER_ADDR, RANK and WORLD_SIZE by the pytorch plugin, $(VC_MASTER_HOST) in the arguments."""
NEEDS = []


def play(s):
    s.config_map('training-code', '../training/train.py')
    s.apply('job.yaml')
    s.follow('pytorch', until='Completed')
    log = s.log('pytorch-master-0')
    for line in log.splitlines():
        s.say(f'  {line}')
    s.check('the arguments name the master', 'rendezvous at pytorch-master-0.pytorch:29500' in log)
    s.check('three ranks have learned y = 3x + 2', 'rank 0 of 3: w=3.00 b=2.00' in log)

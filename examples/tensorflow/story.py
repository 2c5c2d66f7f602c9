"""A parameter server and two workers, real processes: TF_CONFIG, names, and a job that ends with its workers."""
NEEDS = []


def play(s):
    s.config_map('tensorflow-code', 'train.py')
    s.apply('job.yaml')
    s.follow('tensorflow', until='Completed')
    for worker in ('tensorflow-worker-0', 'tensorflow-worker-1'):
        last = s.log(worker).strip().splitlines()[-1:]
        s.check(f'{worker} has learned y = 3x + 2', last == ['done: w=3.00 b=2.00'], last)

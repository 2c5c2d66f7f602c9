"""mpirun over two worker pods, with a real Open MPI: names, keys, and a job that ends with mpirun.

Needs Open MPI: apt-get install openmpi-bin.
"""
NEEDS = []
PROGRAMS = ['mpirun']


def play(s):
    s.config_map('mpi-code', 'pi.py', 'remote.py')
    s.apply('job.yaml')
    s.follow('mpi', until='Completed')
    log = s.log('mpi-master-0')
    for line in log.splitlines():
        s.say(f'  {line}')
    for worker in (0, 1):
        s.check(f'a rank ran in mpi-worker-{worker}', f'of 2 on mpi-worker-{worker}' in log)
    s.check('they have computed pi together', 'pi is 3.1415926536' in log)
    s.until('the workers are gone with mpirun', lambda: s.placed('mpi') == [])

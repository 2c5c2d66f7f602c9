"""Queues in a tree: a team borrows up to its department's limit, and each gets back what it deserves.

Thirty CPUs: department a deserves 18 (12 for team a1, 6 for team a2) and may never have more than 24; department b
deserves 12. Team a1 alone gets 24. When all three are busy they have 12, 6 and 12.
"""
NEEDS = ['--no-local-node', '--simulated-nodes', '3:cpu=10,memory=64Gi,name=cpu',
         '--scheduler-conf', '{here}/scheduler.conf']


def shares(s):
    return tuple(len(s.placed(f'work-{team}')) for team in ('a1', 'a2', 'b1'))


def play(s):
    s.apply('queues.yaml')
    s.apply('a1.yaml')
    s.until('team a1 borrows to the limit of its department: 24 of 30', lambda: shares(s) == (24, 0, 0))
    s.apply('b1.yaml')
    s.until('department b gets its 12 back', lambda: shares(s)[2] == 12 and sum(shares(s)) == 30)
    s.apply('a2.yaml')
    s.until('within department a the teams share 12 : 6', lambda: shares(s) == (12, 6, 12))

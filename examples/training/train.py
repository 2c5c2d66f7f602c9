"""Data-parallel training: rank 0 adds up the gradients of all, everybody takes the same step.

Who is who: RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, as torchrun and the pytorch plugin set them; or the flags,
for jobs that know it from the svc and env plugins.
"""
import argparse
import json
import os
import random
import socket
import sys
import time

STEPS = 200
RATE = 0.1


class Sum:
    """The sum over all ranks of a list of numbers, the same for everybody."""

    def __init__(self, rank, world, address, port):
        self.channels = []
        if rank == 0:
            with socket.create_server((address, port), backlog=world) as listener:
                self.channels = [listener.accept()[0].makefile('rw') for _ in range(world - 1)]
            self.leads = True
        else:
            self.channels = [self.reach(address, port)]
            self.leads = False

    @staticmethod
    def reach(address, port):
        while True:
            try:
                return socket.create_connection((address, port), timeout=None).makefile('rw')
            except OSError:
                time.sleep(0.1)

    def __call__(self, numbers):
        if not self.leads:
            self.send(self.channels[0], numbers)
            return self.receive(self.channels[0])
        total = list(numbers)
        for channel in self.channels:
            total = [a + b for a, b in zip(total, self.receive(channel))]
        for channel in self.channels:
            self.send(channel, total)
        return total

    @staticmethod
    def send(channel, numbers):
        channel.write(json.dumps(numbers) + '\n')
        channel.flush()

    @staticmethod
    def receive(channel):
        line = channel.readline()
        if not line:
            sys.exit('another rank went away')
        return json.loads(line)


def train(rank, world, total):
    rng = random.Random(rank)
    data = [(x, 3.0 * x + 2.0) for x in (rng.uniform(-1, 1) for _ in range(64))]
    w = b = 0.0
    for step in range(STEPS + 1):
        errors = [(w * x + b - y, x) for x, y in data]
        loss, dw, db = total([sum(e * e for e, _ in errors), sum(2 * e * x for e, x in errors),
                              sum(2 * e for e, _ in errors)])
        count = world * len(data)
        if rank == 0 and step % 50 == 0:
            print(f'step {step} loss {loss / count:.6f}', flush=True)
        w, b = w - RATE * dw / count, b - RATE * db / count
    print(f'rank {rank} of {world}: w={w:.2f} b={b:.2f}', flush=True)


def main():
    words = argparse.ArgumentParser()
    words.add_argument('--rank', type=int, default=os.environ.get('RANK'))
    words.add_argument('--world', type=int, default=os.environ.get('WORLD_SIZE'))
    words.add_argument('--endpoint', default=f'{os.environ.get("MASTER_ADDR")}:{os.environ.get("MASTER_PORT")}')
    words.add_argument('--worker', action='store_true', help='rank is VC_TASK_INDEX + 1')
    given = words.parse_args()
    rank = int(os.environ['VC_TASK_INDEX']) + 1 if given.worker else int(given.rank)
    address, port = given.endpoint.rsplit(':', 1)
    key = os.path.join('/root', '.ssh', 'id_rsa')
    print(f'rank {rank}: master is {address}, ssh key {"is" if os.path.exists(key) else "is not"} there', flush=True)
    train(rank, int(given.world), Sum(rank, int(given.world), address, int(port)))


if __name__ == '__main__':
    main()

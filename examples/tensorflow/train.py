"""A parameter server and its workers, as TensorFlow divides them, small enough to read.

Who is who comes from TF_CONFIG, which the job's tensorflow plugin sets. Each parameter of y = w·x + b lives on one
server; workers pull all of them, compute a gradient on their part of the data, and push it. Nobody begins before
everybody is there: a server waits for all workers, a worker for all servers. That is why such a job needs a gang.
"""
import json
import os
import random
import socket
import sys
import threading
import time

STEPS = int(os.environ.get('STEPS', '400'))
RATE = 0.05
PARAMETERS = 2  # w and b; parameter i is on server i modulo the number of servers


def say(text):
    print(text, flush=True)


def serve(address, workers):
    """One parameter server: waits for `workers` connections, answers pulls and pushes until all are closed."""
    host, port = address.rsplit(':', 1)
    values, lock, served = [0.0] * PARAMETERS, threading.Lock(), []

    def answer(channel):
        channel.write('go\n')
        channel.flush()
        for line in channel:
            message = json.loads(line)
            with lock:
                for i, change in message.items():
                    values[int(i)] -= RATE * change / workers
                channel.write(json.dumps(values) + '\n')
            channel.flush()

    with socket.create_server((host, int(port)), backlog=workers) as listener:
        say(f'listening on {address} for {workers} workers')
        channels = [listener.accept()[0].makefile('rw') for _ in range(workers)]
        say('all workers are here')
        for channel in channels:
            served.append(threading.Thread(target=answer, args=(channel,)))
            served[-1].start()
        for thread in served:
            thread.join()
    say(f'parameters {values}')


def reach(address):
    """A connection to a server that may not be up yet, or not have a name yet."""
    host, port = address.rsplit(':', 1)
    while True:
        try:
            return socket.create_connection((host, int(port)), timeout=None).makefile('rw')
        except OSError:
            time.sleep(0.1)


def work(servers, index):
    channels = [reach(server) for server in servers]
    for channel in channels:
        if channel.readline() != 'go\n':
            sys.exit('a server went away before it began')
    say('all servers are here')
    rng = random.Random(index)
    data = [(x, 3.0 * x + 2.0) for x in (rng.uniform(-1, 1) for _ in range(64))]

    def exchange(changes):
        values = [0.0] * PARAMETERS
        for n, channel in enumerate(channels):
            mine = {str(i): changes[i] for i in changes if i % len(channels) == n}
            channel.write(json.dumps(mine) + '\n')
            channel.flush()
            for i, value in enumerate(json.loads(channel.readline())):
                if i % len(channels) == n:
                    values[i] = value
        return values

    w, b = exchange({})
    for step in range(STEPS + 1):
        errors = [(w * x + b - y, x) for x, y in data]
        if step % 100 == 0:
            say(f'step {step} loss {sum(e * e for e, _ in errors) / len(errors):.6f}')
        w, b = exchange({0: 2 * sum(e * x for e, x in errors) / len(errors),
                         1: 2 * sum(e for e, _ in errors) / len(errors)})
    say(f'done: w={w:.2f} b={b:.2f}')


def main():
    config = json.loads(os.environ['TF_CONFIG'])
    cluster, task = config['cluster'], config['task']
    if task['type'] == 'ps':
        serve(cluster['ps'][task['index']], len(cluster['worker']))
    else:
        work(cluster['ps'], task['index'])


if __name__ == '__main__':
    main()

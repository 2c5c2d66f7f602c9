#!/usr/bin/env python3
"""Loopback ports for servers of tests.

They are below those that the kernel hands out to clients. Otherwise a server that is restarted on its port may find it
taken: by any client of the machine, or by its own client, which tries to connect meanwhile and, given that very port as
its own, is connected with itself.

Usage: tests/kube/free_port.py [COUNT]      prints that many different ones, 1 by default
"""
import random
import socket
import sys

FIRST, END = 20000, 32000


def is_free(port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(('127.0.0.1', port))
            return True
        except OSError:
            return False


def free_ports(count):
    """Different ports on which nobody listens now."""
    ports = [port for port in random.sample(range(FIRST, END), 400) if is_free(port)]
    if len(ports) < count:
        raise OSError(f'no {count} free ports between {FIRST} and {END}')
    return ports[:count]


def free_port():
    return free_ports(1)[0]


if __name__ == '__main__':
    print(*free_ports(int(sys.argv[1]) if len(sys.argv) > 1 else 1))

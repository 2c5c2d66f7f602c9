"""Slowloris: more connections than the server keeps send a header byte by byte, and bodies never come whole. Others are
served, and nobody who trickles is kept for long."""
import threading
import time

from server import Failed

CLIENTS = 400
SECONDS_OF_TRICKLE = 8


def trickle(server, stop, opened):
    try:
        with server.connect(timeout=20) as tls:
            opened.append(1)
            tls.sendall(b'POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: a\r\n')
            while not stop.is_set():
                tls.sendall(b'X-A: b\r\n')
                stop.wait(0.5)
    except OSError:
        pass  # closed by the server: that is its right


def attack(server):
    stop, opened = threading.Event(), []
    threads = [threading.Thread(target=trickle, args=(server, stop, opened), daemon=True) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + SECONDS_OF_TRICKLE
    slowest, asked = 0, 0
    while time.monotonic() < end:
        began = time.monotonic()
        status, _ = server.request('GET', '/api/v1/namespaces')
        slowest, asked = max(slowest, time.monotonic() - began), asked + 1
        if status != 200:
            raise Failed(f'a list was answered {status}')
    stop.set()
    for thread in threads:
        thread.join()
    return f'{len(opened)} trickled, {asked} lists, the slowest in {slowest * 1000:.0f} ms'

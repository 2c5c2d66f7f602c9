"""1,100 connections that say nothing, to the API server and to a webhook server (which keeps 1,000): all the others are
served all the same."""
import pathlib
import socket
import ssl
import subprocess
import sys
import threading
import time

from server import Failed

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'kube'))
from free_port import free_port  # noqa: E402

IDLE = 1100
NEW = 20


def connect(port):
    return socket.create_connection(('127.0.0.1', port), timeout=10)


def shake_hands(port):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context.wrap_socket(connect(port))


def check_served(port, path, what):
    """New clients get an answer; how long the slowest took."""
    slowest = 0
    for _ in range(NEW):
        began = time.monotonic()
        with shake_hands(port) as tls:
            tls.sendall(f'GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'.encode())
            answer = tls.recv(100)
        slowest = max(slowest, time.monotonic() - began)
        if not answer.startswith(b'HTTP/1.1 200'):
            raise Failed(f'{what} answered {answer[:40]!r} while {IDLE} connections were idle')
    return slowest


def crowd(port, path, what):
    idle = [shake_hands(port) if i % 10 == 0 else connect(port) for i in range(IDLE)]
    try:
        return check_served(port, path, what)
    finally:
        for one in idle:
            one.close()


def webhook_server(server):
    port, pages = free_port(), free_port()
    words = [server.program, 'webhook', f'--kubeconfig={server.state / "kubeconfig"}', '--listen-address=127.0.0.1',
             f'--port={port}', f'--healthz-address=127.0.0.1:{pages}', f'--webhook-url=https://127.0.0.1:{port}',
             '--webhook-namespace=default']
    log = pathlib.Path(server.state).parent / 'webhook.log'
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log.open('wb'))
    for _ in range(600):
        try:
            with shake_hands(port):
                return process, port
        except OSError:
            if process.poll() is not None:
                break
            threading.Event().wait(0.05)
    process.kill()
    raise Failed(f'the webhook server did not start: {log.read_text(errors="replace")[-2000:]}')


def attack(server):
    slowest = crowd(server.port, '/healthz', 'the API server')
    process, port = webhook_server(server)
    try:
        webhook = crowd(port, '/healthz', 'the webhook server')
    finally:
        process.terminate()
        status = process.wait(60)
    if status != 0:
        raise Failed(f'the webhook server ended with status {status}')
    return f'{IDLE} idle; new clients waited {slowest * 1000:.0f} ms for the API, {webhook * 1000:.0f} ms for a webhook'

"""Somebody who asks /healthz all the time, in a process of its own so that the attack does not slow it down."""
import multiprocessing
import socket
import ssl
import time

from server import Failed

PAUSE_SECONDS = 0.05
PATIENCE_SECONDS = 15  # far more than the limit; what takes longer counts as this


def ask(port, context):
    """Seconds until the answer, and what was wrong with it ("" : nothing)."""
    began = time.monotonic()
    answer = b''
    try:
        with socket.create_connection(('127.0.0.1', port), timeout=PATIENCE_SECONDS) as plain:
            with context.wrap_socket(plain) as tls:
                tls.sendall(b'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
                while piece := tls.recv(4096):
                    answer += piece
    except OSError as error:
        return time.monotonic() - began, f'{type(error).__name__}: {error}'
    good = answer.startswith(b'HTTP/1.1 200 ') and answer.endswith(b'ok')
    return time.monotonic() - began, '' if good else repr(answer[:200])


def probe(port, stop, pipe):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    times, wrong = [], []
    while not stop.is_set():
        seconds, problem = ask(port, context)
        times.append(seconds)
        if problem and len(wrong) < 10:
            wrong.append(problem)
        stop.wait(PAUSE_SECONDS)
    pipe.send((times, wrong))


class Prober:
    def __init__(self, port):
        ways = multiprocessing.get_context('spawn')
        self._stop = ways.Event()
        self._pipe, other = ways.Pipe(duplex=False)
        self._process = ways.Process(target=probe, args=(port, self._stop, other), daemon=True)
        self._times, self._wrong = [], []

    def __enter__(self):
        self._process.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        if self._pipe.poll(3 * PATIENCE_SECONDS):
            self._times, self._wrong = self._pipe.recv()
        self._process.join(PATIENCE_SECONDS)

    def figures(self):
        if not self._times:
            return 'was never answered'
        ordered = sorted(self._times)
        return (f'{len(ordered)} times, median {ordered[len(ordered) // 2] * 1000:.0f} ms, '
                f'longest {ordered[-1] * 1000:.0f} ms')

    def check(self, limit):
        if not self._times:
            raise Failed('nobody could ask /healthz')
        if self._wrong:
            raise Failed(f'/healthz answered wrong: {"; ".join(self._wrong)}')
        if max(self._times) > limit:
            raise Failed(f'/healthz took {max(self._times):.2f} s, more than {limit} s')

"""One connection sends thousands of requests without reading, others hang up in the middle: answers come in order, one
for each, and nobody else waits."""
import socket
import threading

from server import Failed

REQUESTS = 3000
RUDE = 50


def pipeline(server):
    """Every other one is work for another thread (discovery): the order must hold all the same."""
    with server.connect(admin=True, timeout=50) as tls:
        def send():
            for i in range(REQUESTS):
                path = f'/api/v1/namespaces/n{i}' if i % 2 == 0 else '/api/v1'
                tls.sendall(f'GET {path} HTTP/1.1\r\nHost: a\r\n\r\n'.encode())
        sender = threading.Thread(target=send, daemon=True)
        sender.start()
        reader = tls.makefile('rb')
        for i in range(REQUESTS):
            length = 0
            status = reader.readline()
            while (line := reader.readline().strip()):
                if line.lower().startswith(b'content-length:'):
                    length = int(line.split(b':')[1])
            body = reader.read(length)
            expected = f'"n{i}"'.encode() if i % 2 == 0 else b'APIResourceList'
            if expected not in body:
                raise Failed(f'answer {i} is not to request {i}: {status!r} {body[:200]!r}')
        sender.join()


def hang_up(server):
    try:
        with server.connect(admin=True) as tls:
            tls.sendall(b'GET /openapi/v2 HTTP/1.1\r\nHost: a\r\n\r\n' * 20)
            tls.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def attack(server):
    rude = [threading.Thread(target=hang_up, args=(server,), daemon=True) for _ in range(RUDE)]
    for thread in rude:
        thread.start()
    pipeline(server)
    for thread in rude:
        thread.join()
    return f'{REQUESTS} pipelined requests answered in order, {RUDE} clients hung up'

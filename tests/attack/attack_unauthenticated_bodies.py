"""300 clients that nobody knows send a body of 3 MB each, all at once: none of it may be kept."""
import threading

from server import Failed

CLIENTS = 300
BODY_BYTES = 3_000_000
MOST_MEGABYTES = 64  # more than 300 connections in TLS need, far less than their bodies


def send(server, statuses):
    try:
        with server.connect() as tls:
            head = (f'POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: a\r\n'
                    f'Content-Type: application/json\r\nContent-Length: {BODY_BYTES}\r\n\r\n')
            tls.sendall(head.encode())
            piece = b'x' * 65536
            try:
                for _ in range(BODY_BYTES // len(piece)):
                    tls.sendall(piece)
            except OSError:
                pass  # refused before all was sent
            try:
                statuses.append(tls.recv(64)[9:12].decode())
            except OSError:
                statuses.append('cut')
    except OSError as error:
        statuses.append(type(error).__name__)


def attack(server):
    before = server.megabytes()
    statuses = []
    threads = [threading.Thread(target=send, args=(server, statuses), daemon=True) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    grown = server.peak_megabytes() - before
    counts = {status: statuses.count(status) for status in sorted(set(statuses))}
    if counts.get('201') or counts.get('200'):
        raise Failed(f'somebody unknown was let in: {counts}')
    if counts.get('401', 0) < CLIENTS // 2:
        raise Failed(f'most were not told 401: {counts}')
    if grown > MOST_MEGABYTES * (3 if server.sanitized else 1):
        raise Failed(f'{CLIENTS} bodies of clients that nobody knows cost {grown} MB')
    return f'answers {counts}, {grown} MB more'

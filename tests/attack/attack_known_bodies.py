"""300 clients that are known send a body of 3 MB each, all at once: one budget holds them all, the rest is told 429."""
import threading

from server import Failed

CLIENTS = 300
BODY_BYTES = 3_000_000
MOST_MEGABYTES = 500  # far less than the bodies and what is read out of them


def send(server, statuses):
    name = threading.current_thread().name
    body = '{"metadata":{"name":"%s"},"data":{"a":"%s"}}' % (name.lower(), 'x' * (BODY_BYTES - 100))
    try:
        with server.connect(admin=True, timeout=50) as tls:
            head = (f'POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: a\r\n'
                    f'Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n')
            try:
                tls.sendall(head.encode() + body.encode())
            except OSError:
                pass
            statuses.append(tls.recv(64)[9:12].decode())
    except OSError as error:
        statuses.append(type(error).__name__)


def attack(server):
    before = server.megabytes()
    statuses = []
    threads = [threading.Thread(target=send, args=(server, statuses), name=f'c{i}', daemon=True)
               for i in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    grown = server.peak_megabytes() - before
    counts = {status: statuses.count(status) for status in sorted(set(statuses))}
    if counts.get('201'):
        raise Failed(f'objects of {BODY_BYTES} bytes were taken: {counts}')
    if grown > MOST_MEGABYTES * (3 if server.sanitized else 1):
        raise Failed(f'{CLIENTS} bodies cost {grown} MB: {counts}')
    return f'answers {counts}, {grown} MB more'

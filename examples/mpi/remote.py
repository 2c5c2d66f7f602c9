"""Running commands in other pods of the job: in place of ssh and sshd, with the keys of the ssh plugin.

  remote.py serve PORT          in each worker: runs what a holder of the job's key asks for
  remote.py agent HOST WORDS…   what mpirun calls instead of ssh; the exit status is that of the command

A caller proves that it has the private key of the job, which only its pods see, by an HMAC over a fresh challenge and
the command. One command per connection.
"""
import hashlib
import hmac
import json
import os
import secrets
import socket
import subprocess
import sys
import threading
import time

KEY_FILE = os.environ.get('REMOTE_KEY') or os.path.join('/root', '.ssh', 'id_rsa')  # where the ssh plugin puts it
PORT = int(os.environ.get('REMOTE_PORT', '2022'))
MAX_MESSAGE = 1 << 20
PATIENCE = 60  # seconds until a worker that is still starting must answer


def proof(challenge, command):
    with open(KEY_FILE, 'rb') as key:
        return hmac.new(key.read(), challenge.encode() + b'\0' + command.encode(), hashlib.sha256).hexdigest()


def answer(connection):
    with connection, connection.makefile('rw') as channel:
        challenge = secrets.token_hex(32)
        channel.write(challenge + '\n')
        channel.flush()
        try:
            asked = json.loads(channel.readline(MAX_MESSAGE))
            command, given = str(asked['command']), str(asked['proof'])
        except (ValueError, KeyError, TypeError):
            return
        if not hmac.compare_digest(given, proof(challenge, command)):
            return
        done = subprocess.run(['sh', '-c', command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        channel.write(json.dumps({'status': done.returncode, 'output': done.stdout}) + '\n')


def serve(port):
    address = os.environ.get('POD_IP', '127.0.0.1')
    with socket.create_server((address, port)) as listener:
        print(f'{socket.gethostname()} serves on {address}:{port}', flush=True)
        while True:
            threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()


def agent(host, words):
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            connection = socket.create_connection((host, PORT), timeout=None)
            break
        except OSError as error:
            if time.monotonic() > deadline:
                sys.exit(f'remote.py: {host} does not answer: {error}')
            time.sleep(0.1)
    command = ' '.join(words)  # as ssh does: the words are for a shell
    with connection, connection.makefile('rw') as channel:
        challenge = channel.readline().strip()
        channel.write(json.dumps({'command': command, 'proof': proof(challenge, command)}) + '\n')
        channel.flush()
        reply = channel.readline()
    if not reply:
        sys.exit(f'remote.py: {host} refused')
    done = json.loads(reply)
    sys.stdout.write(done['output'])
    return done['status']


if __name__ == '__main__':
    if sys.argv[1] == 'serve':
        serve(int(sys.argv[2]) if len(sys.argv) > 2 else PORT)
    else:
        sys.exit(agent(sys.argv[2], sys.argv[3:]))

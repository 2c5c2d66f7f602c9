"""A server to attack: `basalt up` with its own state directory, and ways to talk to it."""
import base64
import http.client
import json
import mmap
import os
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import tempfile
import threading

START_SECONDS = 60
END_SECONDS = 30


class Failed(Exception):
    """The server did what it must not."""


class Server:
    """program, sanitized, port, state (its directory), ca_file; request() as an administrator, connect() as anybody."""

    def __init__(self, basalt, flags, state=None):
        """state: a directory to keep the objects in; without one they are in memory only."""
        self.program = basalt
        with open(basalt, 'rb') as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as code:
            self.sanitized = code.find(b'__asan_init') >= 0  # then freed memory is kept for a while
        self._scratch = tempfile.TemporaryDirectory(prefix='basalt-attack-')
        self.state = state or pathlib.Path(self._scratch.name) / 'state'
        self.log = pathlib.Path(self._scratch.name) / 'log'
        words = [basalt, 'up', *([] if state else ['--ephemeral']), '--state', str(self.state), '--port', '0',
                 '--no-local-node', *flags]
        with self.log.open('wb') as log:
            self._process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL)
        self.pid = self._process.pid
        self.port = self._read_port()
        self._read_kubeconfig()

    def _read_port(self):
        killer = threading.Timer(START_SECONDS, self._process.kill)
        killer.start()
        line = self._process.stdout.readline().decode()
        killer.cancel()
        found = re.search(r':(\d+)$', line.strip())
        if not found:
            raise Failed(f'the server did not start: {line}{self.log_text()}')
        return int(found.group(1))

    def _read_kubeconfig(self):
        for _ in range(START_SECONDS * 20):  # written right after the line that was just read
            if (self.state / 'kubeconfig').exists():
                break
            threading.Event().wait(0.05)
        text = (self.state / 'kubeconfig').read_text()
        self.ca_file = self._save(text, 'certificate-authority-data', 'ca.crt')
        self._certificate = self._save(text, 'client-certificate-data', 'admin.crt')
        self._key = self._save(text, 'client-key-data', 'admin.key')

    def _save(self, text, field, name):
        path = pathlib.Path(self._scratch.name) / name
        path.write_bytes(base64.b64decode(re.search(field + r': (\S+)', text).group(1)))
        return str(path)

    def tls(self, admin=False):
        context = ssl.create_default_context(cafile=self.ca_file)
        if admin:
            context.load_cert_chain(self._certificate, self._key)
        return context

    def connect(self, admin=False, timeout=30):
        """A TLS connection that says what the attack makes it say; without `admin` nobody knows the client."""
        plain = socket.create_connection(('127.0.0.1', self.port), timeout=timeout)
        return self.tls(admin).wrap_socket(plain, server_hostname='127.0.0.1')

    def request(self, method, path, body=None, content_type='application/json', timeout=60):
        """(status, body as text), as an administrator, over a new connection. `body`: bytes, text or JSON."""
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        connection = http.client.HTTPSConnection('127.0.0.1', self.port, context=self.tls(True), timeout=timeout)
        try:
            connection.request(method, path, body, {'Content-Type': content_type} if body is not None else {})
            answer = connection.getresponse()
            return answer.status, answer.read().decode(errors='replace')
        finally:
            connection.close()

    def peak_megabytes(self):
        """The most memory that the process had so far."""
        return self._memory('VmHWM')

    def megabytes(self):
        return self._memory('VmRSS')

    def _memory(self, field):
        try:
            status = pathlib.Path(f'/proc/{self.pid}/status').read_text()
        except OSError:
            return 0
        found = re.search(field + r':\s+(\d+) kB', status)
        return int(found.group(1)) // 1024 if found else 0

    def metric(self, name):
        """The sum of a family's series."""
        _, text = self.request('GET', '/metrics')
        return sum(float(line.rsplit(' ', 1)[1]) for line in text.splitlines()
                   if line.startswith((name + ' ', name + '{')))

    def log_text(self):
        return self.log.read_text(errors='replace')

    def check_alive(self):
        if self._process.poll() is not None:
            raise Failed(f'the server ended with status {self._process.returncode}: {self.log_text()[-4000:]}')
        status, _ = self.request('GET', '/api/v1/namespaces')
        if status != 200:
            raise Failed(f'afterwards a list of namespaces is answered {status}')

    def wait(self, seconds):
        """The exit status of a server that ends by itself; None: it did not."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def check_end(self):
        """After the with block: how it ended."""
        if self._process.returncode != 0:
            raise Failed(f'at SIGTERM the server ended with status {self._process.returncode}: {self._last_words}')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            os.kill(self.pid, signal.SIGKILL)
            self._process.wait()
        self._process.stdout.close()
        self._last_words = self.log_text()[-4000:]
        self._scratch.cleanup()

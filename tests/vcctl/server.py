"""A standalone server of ours for the vcctl steps, and a raw door to its API for what vcctl cannot do (status)."""
import base64
import http.client
import json
import pathlib
import re
import ssl
import subprocess
import sys
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'kube'))
from program_end import stop  # noqa: E402

READY_SECONDS = 60


class Server:
    def __init__(self, basalt, folder):
        self.kubeconfig = pathlib.Path(folder) / 'kubeconfig'
        self.log = open(pathlib.Path(folder) / 'basalt.log', 'w')
        # Without controllers: what is checked is what the API alone gives, the same in every run.
        self.process = subprocess.Popen(
            [basalt, 'up', '--ephemeral', '--api-only', '--port', '0', '--kubeconfig', str(self.kubeconfig)],
            stdout=self.log, stderr=subprocess.STDOUT)
        self.folder = pathlib.Path(folder)
        deadline = time.monotonic() + READY_SECONDS
        while not self.ready():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit('the server did not start:\n' + (self.folder / 'basalt.log').read_text())
            time.sleep(0.02)

    def ready(self):
        if not self.kubeconfig.exists() or not self.kubeconfig.read_text().endswith('\n'):
            return False
        try:
            return self.raw('GET', '/readyz')[0] == 200
        except OSError:
            return False

    def raw(self, method, path, body=None):
        """Status code and decoded answer of one request as the admin of the kubeconfig."""
        text = self.kubeconfig.read_text()

        def part(key):
            return re.search(rf'^ *{key}: (\S+)$', text, re.M).group(1)
        for key, name in (('client-certificate-data', 'crt'), ('client-key-data', 'key')):
            (self.folder / name).write_bytes(base64.b64decode(part(key)))
        context = ssl.create_default_context(cadata=base64.b64decode(part('certificate-authority-data')).decode())
        context.load_cert_chain(self.folder / 'crt', self.folder / 'key')
        address = urllib.parse.urlsplit(part('server'))
        connection = http.client.HTTPSConnection(address.hostname, address.port, context=context, timeout=30)
        kind = 'application/merge-patch+json' if method == 'PATCH' else 'application/json'
        connection.request(method, path, None if body is None else json.dumps(body), {'Content-Type': kind})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, json.loads(text) if text.startswith('{') else text

    def stop(self):
        """What is wrong with how the server ended; '': nothing."""
        self.log.close()
        return stop('the server', self.process, self.folder / 'basalt.log')

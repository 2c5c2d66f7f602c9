"""What a reader has: a cluster, the programs, a folder with the files that the commands name, and charts to install."""
import functools
import http.server
import os
import pathlib
import re
import shutil
import socket
import socketserver
import subprocess
import sys
import threading
import time

import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent / 'deploy'), str(HERE.parent / 'kube')]
from chart import Chart, Unrenderable  # noqa: E402
from free_port import free_port, is_free  # noqa: E402

OWN_SERVER = HERE.parent / 'kube/own-server'
PATIENCE = 60  # seconds until what a reader waits for must be seen
VERSION = '1.12.0'  # that a document asks for


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Mirror:
    """On loopback what the documents fetch: a chart repository in which our chart is called volcano, and our manifest;
    and the real kubectl and helm. Use it as a context manager. Unrenderable: they cannot be built here.
    """

    def __init__(self, basalt, scratch):
        built = subprocess.run([HERE.parent / 'kube/build', 'kubectl'], text=True, capture_output=True)
        if built.returncode == 3:
            raise Unrenderable(built.stderr.strip())
        assert built.returncode == 0, built.stderr
        self.kubectl = pathlib.Path(built.stdout.splitlines()[-1]) / 'kubectl'
        self.folder = scratch / 'mirror'
        self.folder.mkdir()
        chart = Chart(ROOT, basalt, scratch)
        self.helm = pathlib.Path(chart.helm)
        copy = scratch / 'volcano'
        shutil.copytree(chart.folder, copy)
        head = copy / 'Chart.yaml'
        head.write_text(yaml.safe_dump({**yaml.safe_load(head.read_text()), 'name': 'volcano'}))
        for words in (['package', copy, '--version', VERSION, '--destination', self.folder],
                      ['repo', 'index', self.folder]):
            run = chart.run_helm(*words)
            assert run.returncode == 0, f'helm {words[0]}: {run.stderr}'
        # As a manifest of Volcano's is: with the definitions.
        parts = [*sorted((chart.folder / 'crd').glob('*.yaml')), ROOT / 'deploy/kubernetes/basalt.yaml']
        (self.folder / 'volcano-development.yaml').write_text('---\n'.join(part.read_text() for part in parts))

    def __enter__(self):
        handler = functools.partial(QuietHandler, directory=self.folder)
        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f'http://127.0.0.1:{self.server.server_address[1]}'
        return self

    def __exit__(self, *_):
        self.server.shutdown()


class Relay(socketserver.ThreadingTCPServer):
    """Every connection to a port of loopback goes on to another address, as `kubectl port-forward` does it."""
    allow_reuse_address = daemon_threads = True

    def __init__(self, port, to):
        class Handler(socketserver.BaseRequestHandler):
            def handle(handler):
                with socket.create_connection(to, timeout=10) as there:
                    back = threading.Thread(target=pour, args=(there, handler.request))
                    back.start()
                    pour(handler.request, there)
                    back.join()
        super().__init__(('127.0.0.1', port), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


def pour(source, sink):
    try:
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # one of them has gone; so does the other


class Reader:
    """One reader with a cluster of his own; use it as a context manager."""

    def __init__(self, basalt, folder, mirror, flags):
        self.folder, self.flags, self.basalt = folder, flags, basalt
        self.home = folder / 'home'
        self.home.mkdir(parents=True, exist_ok=True)
        path = [basalt.parent, mirror.kubectl.parent, mirror.helm.parent, os.environ['PATH']]
        self.environment = {'PATH': os.pathsep.join(map(str, path)), 'HOME': str(self.home), 'LC_ALL': 'C.UTF-8',
                            'KUBECONFIG': str(folder / 'server/kubeconfig')}
        self.fault = ''

    def __enter__(self):
        run = subprocess.run([OWN_SERVER, 'start', self.folder / 'server', self.basalt, '--ephemeral', *self.flags],
                             text=True, capture_output=True)
        assert run.returncode == 0, run.stderr
        return self

    def __exit__(self, *_):
        run = subprocess.run([OWN_SERVER, 'stop', self.folder / 'server'], text=True, capture_output=True)
        self.fault = run.stderr if run.returncode else ''

    def type(self, line):
        """(exit status, what is printed) of a line in bash."""
        # timeout ends what the line started, too; status 124
        run = subprocess.run(['timeout', '--kill-after=5', str(PATIENCE), 'bash', '-o', 'pipefail', '-c', line],
                             text=True, cwd=self.home, env=self.environment, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return run.returncode, run.stdout

    def type_until(self, line, wrong):
        """Types it again and again until wrong(status, output) says '' or it takes too long; its last words."""
        deadline = time.monotonic() + PATIENCE
        while True:
            status, output = self.type(line)
            fault = wrong(status, output)
            if not fault or time.monotonic() > deadline:
                return fault, output
            time.sleep(0.2)

    def must(self, line, seen=''):
        """A line of the test's own; with `seen` until that is printed."""
        def wrong(status, output):
            return '' if status == 0 and re.search(seen, output) else f'status {status}, `{seen}` is not seen'

        def once():
            status, output = self.type(line)
            return wrong(status, output), output
        fault, output = self.type_until(line, wrong) if seen else once()
        assert not fault, f'before or after a line of the document: `{line}`: {fault}:\n{output}'
        return output

    def write(self, name, text):
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def port_for(wanted):
    """This port when nobody has it, else another."""
    return wanted if is_free(wanted) else free_port()

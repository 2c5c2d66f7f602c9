"""What each document presumes: nodes, files, and what its reader does between the lines."""
import re
import sys

import yaml

from document import cut, makefile_of
from flat_manifests import files_of
from world import ROOT, Relay, port_for

SYSTEM = 'volcano-system'
# What the image of document 000 would run: its endpoints with the standard library, on the pod's own address.
MODEL_SERVER = '''
import os, runpy, socket
os.environ["POD_IP"] = socket.gethostbyname(os.environ["HOSTNAME"])
runpy.run_path({path!r}, run_name="__main__")
'''


class Story:
    """A document that presumes nothing. BEFORE and AFTER: command line → lines of the reader's own, each with what
    must then be seen ('': nothing in particular); those after tell whether the line did what it says."""
    BEFORE, AFTER = {}, {}
    NODES = ['--no-local-node', '--simulated-nodes', '4:cpu=64,memory=512Gi,nvidia.com/gpu=8']

    def __init__(self):
        self.names, self.done = {}, set()

    def flags(self, _):
        return self.NODES

    def begin(self, document, reader, mirror):
        self.reader = reader
        self.names = {'repository': mirror.url, 'manifest': f'{mirror.url}/volcano-development.yaml'}

    def before(self, text):
        self.do(self.BEFORE, text)

    def after(self, text):
        self.do(self.AFTER, text)

    def do(self, table, text):
        for pattern, lines in table.items():
            if re.fullmatch(pattern, text):
                self.done.add(pattern)
                for line, seen in lines:
                    self.reader.must(line.format(**self.names), seen)

    def end(self):
        pass

    def left(self):
        """What was never to be done: the document has no such line any more."""
        return {*self.BEFORE, *self.AFTER} - self.done


class ServedModel(Story):
    """Document 000: pods that are processes of this machine, a Makefile, and requests to a Service."""
    AFTER = {r'helm upgrade .*': [('helm status {release} -n ' + SYSTEM, 'STATUS: deployed'),
                                  ('kubectl rollout status deployment {release}-scheduler -n ' + SYSTEM, '')]}

    def flags(self, folder):
        server = MODEL_SERVER.format(path=str(ROOT / 'examples/serving/model_server.py'))
        folder.mkdir()
        images = folder / 'images.yaml'
        images.write_text(yaml.safe_dump(
            [{'image': 'ml-model:latest', 'entrypoint': [sys.executable, '-c', server]}]))
        return ['--images', images]

    def begin(self, document, reader, mirror):
        super().begin(document, reader, mirror)
        self.names['port'], self.relay = port_for(8080), None
        pods = next(line.shown for line in document.lines if line.text == f'kubectl get pod -n {SYSTEM}')
        self.names['release'] = re.match('(.*)-admission-', pods[1])[1]  # what Volcano's chart names its pods after
        things = document.manifests('What gets deployed')
        queues = [thing for thing in things if thing['kind'] == 'Queue']
        others = [self.completed(thing) for thing in things if thing['kind'] != 'Queue']
        reader.write('k8s/volcano-queue.yaml', yaml.safe_dump_all(queues))
        reader.write('k8s/ml-model-deployment.yaml', yaml.safe_dump_all(others))
        text = makefile_of(document, {'HELM_RELEASE_NAME': self.names['release']})
        reader.write('Makefile', re.sub(r'https://\S+/helm-charts', mirror.url, text))

    @staticmethod
    def completed(thing):
        """The document leaves names out where they do not matter to it."""
        metadata = thing.setdefault('metadata', {})
        metadata.setdefault('name', 'ml-model')
        metadata.setdefault('namespace', 'ml-models')
        return thing

    def before(self, text):
        super().before(text)
        if text.startswith(('curl', 'for i')) and self.relay is None:
            address = self.reader.must("kubectl get service ml-model -n ml-models -o jsonpath='{.spec.clusterIP}'")
            self.relay = Relay(self.names['port'], (address.strip(), 80))

    def end(self):
        if self.relay:
            self.relay.shutdown()
            self.relay.server_close()


class TrainingQueues(Story):
    """Document 001: three queues, a gang and an urgent job on simulated GPU nodes."""
    INSTALL = 'helm install volcano volcano-sh/volcano -n volcano-system --create-namespace'
    BEFORE = {
        # The quick answer stands above the step that it sums up.
        INSTALL: [('helm repo add volcano-sh {repository}', ''), ('helm repo update', '')],
        INSTALL + ' --set .*': [(f'helm uninstall volcano -n {SYSTEM}', '')],
        'kubectl get queue -o wide': [('kubectl create namespace ml-training', ''),
                                      ('kubectl apply -f volcano-queues.yaml', ''),
                                      ('kubectl apply -f volcano-training-job.yaml', ''),
                                      ('kubectl apply -f volcano-priority.yaml', '')],
    }
    AFTER = {r'kubectl annotate .*': [('kubectl get queue dev-queue -o yaml', 'overuse-tolerance: "0"')]}

    def begin(self, document, reader, mirror):
        super().begin(document, reader, mirror)
        for name, text in files_of(document, cut).items():
            reader.write(name, text)


class Commands(Story):
    """Document 002: installation in two ways, and vcctl with a job called my-job."""
    PHASE = "kubectl get vcjob my-job -o jsonpath='{{.status.state.phase}}'"
    BEFORE = {
        r'vcctl job list': [('vcctl job run -N my-job', '')],
        r'kubectl apply -f .*': [(f'helm uninstall volcano -n {SYSTEM}', '')],  # the other way to install
    }
    AFTER = {
        r'vcctl queue create .*': [("kubectl get queue my-queue -o jsonpath='{{.spec.weight}} {{.status.state}}'",
                                    '^2 Open$')],
        r'vcctl job suspend .*': [(PHASE, '^Aborted$')],
        r'vcctl job resume .*': [(PHASE, '^Running$')],
        r'vcctl job delete .*': [('kubectl get vcjob 2>&1', 'No resources found')],
    }


STORIES = {'000': ServedModel, '001': TrainingQueues, '002': Commands}

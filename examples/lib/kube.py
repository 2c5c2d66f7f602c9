"""The API of a cluster, by its kubeconfig: as little as the examples need, with the standard library alone."""
import base64
import http.client
import json
import os
import re
import ssl
import tempfile
import threading
import urllib.parse

VOLCANO = {
    'jobs': 'batch.volcano.sh/v1alpha1',
    'cronjobs': 'batch.volcano.sh/v1alpha1',
    'queues': 'scheduling.volcano.sh/v1beta1',
    'podgroups': 'scheduling.volcano.sh/v1beta1',
    'jobflows': 'flow.volcano.sh/v1alpha1',
    'jobtemplates': 'flow.volcano.sh/v1alpha1',
}
OTHER_GROUPS = {
    'leases': 'coordination.k8s.io/v1',
    'priorityclasses': 'scheduling.k8s.io/v1',
    'customresourcedefinitions': 'apiextensions.k8s.io/v1',
}
CLUSTER_SCOPED = {'queues', 'nodes', 'namespaces', 'priorityclasses', 'customresourcedefinitions'}


class Refused(Exception):
    """An answer of the server that is no success."""

    def __init__(self, code, text):
        super().__init__(f'{code}: {text}')
        self.code = code


def path_of(plural, name='', namespace='default', subresource=''):
    """The path of a collection or an object: path_of('jobs', 'train') and the like."""
    group = VOLCANO.get(plural) or OTHER_GROUPS.get(plural)
    root = f'/apis/{group}' if group else '/api/v1'
    where = '' if plural in CLUSTER_SCOPED else f'/namespaces/{namespace}'
    return '/'.join(part for part in (root + where, plural, name, subresource) if part)


class Api:
    def __init__(self, kubeconfig):
        with open(kubeconfig, encoding='utf-8') as file:
            text = file.read()
        fields = dict(re.findall(r'^[\s-]*([a-z-]+):\s+(\S+)\s*$', text, re.M))
        server = urllib.parse.urlsplit(fields['server'])
        self.host, self.port = server.hostname, server.port
        self.context = ssl.create_default_context(
            cadata=base64.b64decode(fields['certificate-authority-data']).decode())
        self.headers = {}
        if 'token' in fields:
            self.headers['Authorization'] = f'Bearer {fields["token"]}'
        else:
            self.use_certificate(fields)
        self.local = threading.local()  # one connection per thread

    def use_certificate(self, fields):
        with tempfile.NamedTemporaryFile('wb') as pem:  # the ssl module takes a certificate from a file only
            os.fchmod(pem.fileno(), 0o600)
            pem.write(base64.b64decode(fields['client-certificate-data']))
            pem.write(base64.b64decode(fields['client-key-data']))
            pem.flush()
            self.context.load_cert_chain(pem.name)

    def connect(self, timeout=30):
        return http.client.HTTPSConnection(self.host, self.port, context=self.context, timeout=timeout)

    def raw(self, method, path, body=None, content_type='application/json'):
        """The text of the answer. A kept connection that broke meanwhile is made anew, once, for reads."""
        for attempt in (1, 2):
            connection = getattr(self.local, 'connection', None) or self.connect()
            self.local.connection = connection
            try:
                headers = {**self.headers, **({'Content-Type': content_type} if body is not None else {})}
                connection.request(method, path, json.dumps(body) if body is not None else None, headers)
                answer = connection.getresponse()
                text = answer.read().decode()
                break
            except (http.client.HTTPException, OSError):
                connection.close()
                self.local.connection = None
                if attempt == 2 or method != 'GET':
                    raise
        if answer.status >= 300:
            raise Refused(answer.status, text)
        return text

    def get(self, path):
        return json.loads(self.raw('GET', path))

    def find(self, path):
        """The object, or None where there is none."""
        try:
            return self.get(path)
        except Refused as refused:
            if refused.code == 404:
                return None
            raise

    def items(self, path, labels=''):
        query = '?labelSelector=' + urllib.parse.quote(labels) if labels else ''
        return self.get(path + query)['items']

    def create(self, path, content):
        return json.loads(self.raw('POST', path, content))

    def merge(self, path, patch):
        return json.loads(self.raw('PATCH', path, patch, 'application/merge-patch+json'))

    def delete(self, path):
        self.raw('DELETE', path)

    def watch(self, path, version):
        """Events of a collection, as (type, object), until the connection ends."""
        connection = self.connect(timeout=None)
        connection.request('GET', f'{path}?watch=true&resourceVersion={version}', headers=self.headers)
        for line in connection.getresponse():
            if line.strip():
                event = json.loads(line)
                yield event['type'], event['object']

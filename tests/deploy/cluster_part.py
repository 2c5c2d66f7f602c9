"""The chart on a real API server, and the programs with the rights that it gives them.

1. Every rendering is taken by the server; helm installs, upgrades and uninstalls it, the definitions stay.
2. The plain manifests are applied. The three programs run with tokens of the chart's service accounts and the chart's
   own flags; kube-apiserver reaches the webhook through the chart's Service.
3. A workload makes them do everything that they do (workload.yaml).
4. The server's audit log has no refusal, and every right that the chart grants was used, but for those in RARE.
"""
import http.client
import json
import pathlib
import socket
import ssl

import metric_names
import structure
from chart import VALUES, Chart
from cluster import SPACE, Cluster, Unbuildable, until
from free_port import free_port
from rights import Granted, check_audit
from workload import play

HERE = pathlib.Path(__file__).resolve().parent
NODES = ['2:cpu=4,memory=16Gi,name=a,label=example.com/rack=r1', '2:cpu=4,memory=16Gi,name=b,label=example.com/rack=r2']

# So that ServiceMonitor and PrometheusRule can be applied.
MONITORING = '''
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: {plural}.monitoring.coreos.com}}
spec:
  group: monitoring.coreos.com
  scope: Namespaced
  names: {{kind: {kind}, plural: {plural}}}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {{openAPIV3Schema: {{type: object, x-kubernetes-preserve-unknown-fields: true}}}}
---
'''


def own_address():
    """An address of this machine that an EndpointSlice may have: not loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(('192.0.2.1', 9))  # nothing is sent
        except OSError as why:
            raise Unbuildable(f'this machine has only loopback addresses: {why}') from why
        return probe.getsockname()[0]


def check_server_takes_all(chart, cluster):
    for name, values in VALUES.items():
        text = chart.render_text(*chart.words_for(values))
        run = cluster.kubectl('apply', '--server-side', '--dry-run=server', '-f', '-', feed=text, check=False)
        assert run.returncode == 0, f'values {name}: {run.stderr}'


def check_helm_life(chart, cluster):
    """Install, change, change back, uninstall: nothing but the definitions and the namespace stays."""
    def helm(*words):
        run = chart.run_helm('--kubeconfig', cluster.kubeconfig, '--namespace', SPACE, *words)
        assert run.returncode == 0, f'helm {" ".join(map(str, words))}: {run.stderr}'
        return run.stdout
    notes = helm('install', 'volcano', chart.folder)
    assert 'is installed as volcano' in notes, notes
    helm('upgrade', 'volcano', chart.folder, '--values', VALUES['everything'])
    assert cluster.get('deployment', 'volcano-scheduler', '-n', SPACE)['spec']['replicas'] == 3
    helm('upgrade', 'volcano', chart.folder, '--reset-values')
    assert cluster.get('deployment', 'volcano-scheduler', '-n', SPACE)['spec']['replicas'] == 2
    helm('uninstall', 'volcano')
    assert cluster.get('deployment', '-n', SPACE)['items'] == []
    kept = cluster.get('crd', 'jobs.batch.volcano.sh')
    assert kept, 'uninstalling removed the definitions, and with them all jobs'


def place_webhook(cluster, port):
    """What the endpoint controller would make for the chart's Service."""
    service = cluster.get('service', 'volcano-admission-service', '-n', SPACE)
    (named,) = service['spec']['ports']
    cluster.apply(json.dumps({
        'apiVersion': 'discovery.k8s.io/v1', 'kind': 'EndpointSlice', 'addressType': 'IPv4',
        'metadata': {'name': 'admission', 'namespace': SPACE,
                     'labels': {'kubernetes.io/service-name': 'volcano-admission-service'}},
        'endpoints': [{'addresses': [own_address()], 'conditions': {'ready': True}}],
        'ports': [{'name': named['name'], 'port': port, 'protocol': 'TCP'}]}))


class Programs:
    """The three, with the chart's flags; only addresses and paths of files are those of this machine."""

    def __init__(self, cluster, basalt, things):
        self.cluster, self.ports, self.probes = cluster, {}, {}
        folder = cluster.folder
        for deployment, template, container in structure.pods(things):
            account = template['spec']['serviceAccountName']
            (program,) = container['command']
            link = folder / program
            link.symlink_to(basalt)
            files = self.write_files(things, template, folder / account)
            arguments = [self.on_this_machine(a, files) for a in container['args']]
            health, metrics = free_port(), free_port()
            arguments.append(f'--healthz-address=127.0.0.1:{health}')
            if program == 'vc-webhook-manager':
                metrics = free_port()
                arguments.append(f'--port={metrics}')
            else:
                arguments.append(f'--listen-address=127.0.0.1:{metrics}')
            self.ports[account] = (health, metrics)
            self.probes[account] = container
            if program == 'vc-webhook-manager':
                place_webhook(cluster, metrics)
            environment = {e['name']: e['value'] for e in container['env']}
            environment['DEBUG_SOCKET_DIR'] = str(folder / f'{account}-socks')
            cluster.run(account, link, *arguments, kubeconfig=cluster.kubeconfig_of(account), environment=environment)

    @staticmethod
    def write_files(things, template, folder):
        """Mount path → folder with the keys of the ConfigMap that is mounted there."""
        files = {}
        volumes = {v['name']: v for v in template['spec']['volumes']}
        for mount in template['spec']['containers'][0]['volumeMounts']:
            source = volumes[mount['name']].get('configMap')
            if source is None:
                continue
            (data,) = [m['data'] for m in structure.of_kind(things, 'ConfigMap')
                       if m['metadata']['name'] == source['name']]
            place = folder / mount['name']
            place.mkdir(parents=True)
            for key, text in data.items():
                (place / key).write_text(text)
            files[mount['mountPath']] = place
        return files

    @staticmethod
    def on_this_machine(argument, files):
        for mount, place in files.items():
            argument = argument.replace(f'={mount}/', f'={place}/')
        return argument

    def page(self, account, path, scheme='HTTP', port=None):
        """(status, text) of a page; (0, why) when nobody answers."""
        where = ('127.0.0.1', port or self.ports[account][0])
        try:
            if scheme == 'HTTPS':
                unverified = ssl._create_unverified_context()  # as the kubelet probes
                connection = http.client.HTTPSConnection(*where, timeout=5, context=unverified)
            else:
                connection = http.client.HTTPConnection(*where, timeout=5)
            connection.request('GET', path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except (OSError, http.client.HTTPException) as why:
            return 0, str(why)

    def wait_ready(self):
        """By the chart's own probes."""
        for account, container in self.probes.items():
            for probe in ('livenessProbe', 'readinessProbe'):
                page = container[probe]['httpGet']

                def good(account=account, page=page):
                    self.cluster.check_alive()
                    return self.page(account, page['path'], page['scheme'])[0] == 200
                until(f'{account} {page["path"]}: {self.page(account, page["path"], page["scheme"])}', good)

    def metrics(self):
        pages = {a: self.page(a, '/metrics', port=self.ports[a][1]) for a in ('volcano-scheduler',
                                                                              'volcano-controllers')}
        for account, (status, text) in pages.items():
            assert status == 200, f'{account} /metrics: {status} {text}'
        return [text for _, text in pages.values()]


def run(basalt, scratch):

    chart = Chart(HERE.parents[1], basalt, scratch)
    with Cluster(scratch) as cluster:
        cluster.kubectl('create', 'namespace', SPACE)
        cluster.apply(''.join(MONITORING.format(kind=kind, plural=kind.lower() + 's')
                              for kind in ('ServiceMonitor', 'PrometheusRule')))
        until('the monitoring kinds', lambda: cluster.kubectl('get', 'servicemonitors,prometheusrules', '-A',
                                                             check=False).returncode == 0)
        check_server_takes_all(chart, cluster)
        chart.check_notes(cluster.kubeconfig)
        check_helm_life(chart, cluster)
        cluster.kubectl('apply', '--server-side', '-f', str(chart.folder / 'crd'),
                        '-f', str(chart.root / 'deploy/kubernetes/basalt.yaml'))
        text = chart.render_text('--values', VALUES['cluster'])
        cluster.kubectl('apply', '--server-side', '--force-conflicts', '-f', '-', feed=text)
        things = chart.render('--values', VALUES['cluster'])
        cluster.run('nodes', basalt, 'nodes', '--upkeep', *(w for n in NODES for w in ('--simulated-nodes', n)))
        programs = Programs(cluster, basalt, things)
        programs.wait_ready()
        play(cluster, basalt)
        asked = metric_names.check_served(chart.folder, programs.metrics())
        cluster.check_alive()
        for account in programs.ports:
            cluster.stop(account)
        used, unused = check_audit(cluster.audit(), Granted(things))
    return (f'{len(VALUES)} renderings taken by the server; helm installs, upgrades, uninstalls; {used} rights used, '
            f'none refused, {unused} rare; {asked} series of dashboard and alerts are served')

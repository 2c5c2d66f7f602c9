"""Two replicas of a model server with probes, a ConfigMap and a Service; a crash restarts the job.

Real processes on the local node. Requests through the Service reach both replicas; when one process is killed, the
job's policy restarts it, and the Service answers again.
"""
import http.client
import json
import os
import pathlib
import signal

from kube import path_of

NEEDS = []
JOB = 'ml-model-job'
ROW = [float(n) for n in range(1, 21)]


def ask(s, method, page, content=None):
    """(status, content, who answered) through the Service; None while nobody answers."""
    service = s.api.get(path_of('services', 'ml-model', s.namespace))
    connection = http.client.HTTPConnection(service['spec']['clusterIP'], 8080, timeout=5)
    try:
        connection.request(method, page, json.dumps(content) if content else None)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read()), answer.getheader('X-Served-By')
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()


def ready(s):
    def is_ready(pod):
        return any(c['type'] == 'Ready' and c['status'] == 'True' for c in pod['status'].get('conditions', []))
    return sorted(pod['metadata']['name'] for pod in s.placed(JOB) if is_ready(pod))


def servers_seen(s):
    answers = [ask(s, 'POST', '/predict', {'features': [ROW]}) for _ in range(10)]
    return {answer[2] for answer in answers if answer and answer[0] == 200}


def process_of(pod):
    """The process of a pod on this machine, by its environment."""
    for entry in pathlib.Path('/proc').iterdir():
        try:
            if entry.name.isdigit() and f'HOSTNAME={pod}\0'.encode() in (entry / 'environ').read_bytes() \
                    and b'model_server.py' in (entry / 'cmdline').read_bytes():
                return int(entry.name)
        except OSError:
            continue  # gone meanwhile, or not ours
    return None


def play(s):
    s.apply('queue.yaml')
    s.namespace = 'ml-models'
    s.config_map('ml-model-code', 'model_server.py')
    s.apply('serving.yaml')
    s.follow(JOB)
    names = [f'{JOB}-ml-server-{n}' for n in (0, 1)]
    s.until('both replicas are ready: their probes say so', lambda: ready(s) == names)
    s.until('the Service answers', lambda: ask(s, 'GET', '/health'))
    for page in ('/health', '/ready', '/model-info'):
        status, content, _ = ask(s, 'GET', page)
        s.check(f'GET {page}: {json.dumps(content)}', status == 200)
    status, content, _ = ask(s, 'POST', '/predict', {'features': [ROW, ROW]})
    s.check(f'POST /predict: {json.dumps(content)}', status == 200 and len(content['predictions']) == 2)
    s.until('requests are spread over both replicas', lambda: servers_seen(s) == set(names))
    if s.kubectl:
        s.say('+ kubectl get vcjob -n ml-models')
        s.run(s.kubectl, 'get', 'vcjob', '-n', 'ml-models')

    before = {pod['metadata']['uid'] for pod in s.pods(JOB)}
    process = process_of(names[0])
    s.check(f'the process of {names[0]} is found', process is not None)
    s.say(f'+ kill -9 {process}')
    os.kill(process, signal.SIGKILL)
    s.until('the policy has restarted the job', lambda: s.get('jobs', JOB)['status'].get('retryCount') == 1)
    s.until('two new replicas are ready', lambda: ready(s) == names
            and not before & {pod['metadata']['uid'] for pod in s.placed(JOB)})
    s.until('the Service answers from both again', lambda: servers_seen(s) == set(names))
    s.check('the job is Running', s.phase(JOB) == 'Running', s.phase(JOB))

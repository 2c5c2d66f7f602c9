"""What must be seen of each command line of the documents, and what is put in place of what cannot be had here.

Patterns stand for whole command lines. A line of a document that no pattern knows fails the test, and so does a
pattern that no line needs any more.
"""
import json
import re

# Rows that begin with the name of a program and are no command lines.
PROSE = [r'kubectl (configured|plugins)\b.*', r'vcctl — .*']

# Lines that are left out, and why.
LEFT_OUT = {
    r'make minikube-start': 'the cluster is `basalt up`',
    r'make minikube-build': 'an image is a name here; --images says what runs for it',
    r'make port-forward': 'no command is listed, and kubectl port-forward is not served yet: the test relays the port',
}

# What is put in place of a part of a line, and why. {repository}, {manifest} and {port} are the test's own.
SUBSTITUTIONS = [
    (r'https://volcano-sh\.github\.io/helm-charts', '{repository}',
     'no network: a chart repository on loopback has our chart under the name and the version that are asked for'),
    (r'https://raw\.githubusercontent\.com/\S+/volcano-development\.yaml', '{manifest}',
     'no network: our own definitions and manifest on loopback, as one file'),
    (r'\$\(HELM_RELEASE_NAME\)', '{release}', 'a variable of the document\'s Makefile, which make would fill in'),
    (r'localhost:8080\b', 'localhost:{port}', 'another program here may have port 8080'),
]

AGE = r'\d+[smhd]\S*'


def cells(row):
    return re.split(r'\s{2,}', row.strip())


def table_of(rows):
    """{first cell: {header: cell}} in the order of the rows, and the headers."""
    headers = cells(rows[0])
    return {cells(row)[0]: dict(zip(headers, cells(row))) for row in rows[1:]}, headers


def as_shown(*stable, other_names=False):
    """The table that the document shows: its headers in their order, its rows, and the same in these columns."""
    def check(output, shown):
        if not output.strip():
            return 'nothing is printed'
        ours, our_headers = table_of(output.strip().splitlines())
        theirs, their_headers = table_of(shown)
        if [h for h in our_headers if h in their_headers] != their_headers:
            return f'the document has the columns {their_headers}'
        if other_names:
            ours, theirs = dict(enumerate(ours.values())), dict(enumerate(theirs.values()))
        if list(ours) != list(theirs):
            return f'the document has the rows {list(theirs)}'
        for name, row in theirs.items():
            for column in stable:
                if ours[name].get(column, '') != row.get(column, ''):
                    return f'{name}: {column} is {ours[name].get(column)}, in the document {row.get(column)}'
        return ''
    return check


def as_shown_json(*other_values):
    """The members that the document shows, with its values; of `other_values` only the form is looked at."""
    def form(value):
        return [form(v) for v in value] if isinstance(value, list) else type(value).__name__

    def check(output, shown):
        ours, theirs = json.loads(output.strip().splitlines()[-1]), json.loads(shown[-1])
        if list(ours) != list(theirs):
            return f'the document has the members {list(theirs)}'
        for key, value in theirs.items():
            ok = form(ours[key]) == form(value) if key in other_values else ours[key] == value
            if not ok:
                return f'{key} is {ours[key]}, in the document {value}'
        return ''
    return check


def sees(*patterns):
    """All of these are in what is printed."""
    def check(output, _):
        missing = [p for p in patterns if not re.search(p, output, re.M)]
        return f'not seen: {missing}' if missing else ''
    return check


def lacks(pattern):
    return lambda output, _: f'seen: {pattern}' if re.search(pattern, output) else ''


def both(*checks):
    return lambda output, shown: next((wrong for check in checks if (wrong := check(output, shown))), '')


def all_answered(output, shown):
    """As many answers as the document shows, each with one prediction."""
    expected = sum(row.startswith('{"predictions"') for row in shown)
    answers = output.count('"predictions"')
    return '' if answers == expected else f'{answers} answers, in the document {expected}'


def parts(name, ready=r'1/1 +Running +0 +' + AGE):
    return rf'^volcano-{name}-\S+ +{ready}$'


PARTS = sees(parts('admission'), parts('controllers'), parts('scheduler'))
INSTALLED = sees(r'^STATUS: deployed$', r'^NAMESPACE: volcano-system$')
PREDICTED = as_shown_json('predictions', 'probabilities')
POD_COLUMNS = as_shown('NAME', 'READY', 'STATUS', 'RESTARTS', 'NOMINATED NODE', 'READINESS GATES')

# Command line → what must be seen. Several documents may have the same line.
EXPECTED = {
    r'helm repo add volcano-sh \S+': sees(r'"volcano-sh" (has been added|already exists)'),
    r'helm repo update': sees(r'Successfully got an update from the "volcano-sh" chart repository',
                              r'Update Complete'),
    r'helm install volcano volcano-sh/volcano -n volcano-system --create-namespace': both(
        INSTALLED, sees(r'^NAME: volcano$'), lacks('have no meaning here')),
    r'helm install volcano volcano-sh/volcano -n volcano-system --create-namespace( --set basic\.\w+\.enabled=true){3}':
        both(INSTALLED, sees(r'^  basic\.scheduler\.enabled \(', r'^  basic\.controller\.enabled \(',
                             r'^  basic\.admission\.enabled \(')),
    r'helm upgrade --install \S+ volcano-sh/volcano .*--version v1\.12\.0 .*--wait --timeout=300s': both(
        INSTALLED, sees(r'^  basic\.image\.tag \(')),
    r'kubectl create namespace \S+ --dry-run=client -o yaml \| kubectl apply -f -':
        sees(r'^namespace/\S+ (created|configured|unchanged)$'),
    r'kubectl wait --for=condition=ready pod -l app=volcano-scheduler --namespace volcano-system --timeout=300s':
        sees(r'^pod/volcano-scheduler-\S+ condition met$'),
    r'kubectl get pods -n volcano-system': PARTS,
    r'kubectl get pod -n volcano-system': both(PARTS, as_shown('READY', 'STATUS', 'RESTARTS', other_names=True)),
    r'kubectl get crd \| grep volcano': sees(*(rf'^{name} ' for name in (
        r'jobs\.batch\.volcano\.sh', r'queues\.scheduling\.volcano\.sh', r'podgroups\.scheduling\.volcano\.sh',
        r'commands\.bus\.volcano\.sh'))),
    r'make install-volcano': both(INSTALLED, sees(r'Update Complete')),
    r'make verify-volcano': both(PARTS, sees(r'condition met', r'^jobs\.batch\.volcano\.sh ')),
    r'make deploy-app': sees(r'^queue\S*/ml-queue ', r'^job\S*/ml-model-job created', r'^service/\S+ created'),
    r'kubectl apply -f k8s/volcano-queue\.yaml': sees(r'^queue\S*/ml-queue (unchanged|configured)$',
                                                      r'^queue\S*/default (unchanged|configured)$'),
    r'kubectl apply -f k8s/ml-model-deployment\.yaml': sees(r'^configmap/ml-model-config unchanged$',
                                                            r'^job\S*/ml-model-job (unchanged|configured)$'),
    r'kubectl apply -f \S+/volcano-development\.yaml': sees(
        r'^deployment\.apps/volcano-scheduler (created|configured|unchanged)$',
        r'^customresourcedefinition\S*/jobs\.batch\.volcano\.sh (created|configured|unchanged)$'),
    r'kubectl get pods( -l app=ml-model)? -n ml-models -o wide': POD_COLUMNS,
    # The document's manifest has another queue than its output.
    r'kubectl get vcjob -n ml-models -o wide': both(as_shown('NAME', 'STATUS', 'MINAVAILABLE', 'RUNNINGS'),
                                                    sees(r'^ml-model-job .* default\b')),
    r'kubectl get vcjob ml-model-job -n ml-models': as_shown('NAME', 'STATUS', 'MINAVAILABLE', 'RUNNINGS'),
    r'kubectl get vcjob -A': sees(r'^NAMESPACE +NAME +STATUS +MINAVAILABLE +RUNNINGS +AGE$',
                                  rf'^ml-training +distributed-training +Running +4 +4 +{AGE}$',
                                  rf'^default +urgent-training +Running +2 +2 +{AGE}$'),
    r'kubectl annotate queue dev-queue \S+=\S+': sees(r'^queue\S*/dev-queue annotated$'),
    r'kubectl logs -n volcano-system deploy/volcano-scheduler --tail=100': sees(r'policy loaded'),
    r'kubectl get queue training-queue -o yaml \| grep -A5 status': sees(r'^status:$', r'^  allocated:$',
                                                                        r'nvidia\.com/gpu: "24"'),
    r"kubectl get pods -n ml-training -o jsonpath='\{\.items\[\*\]\.spec\.schedulerName\}'":
        sees(r'\Avolcano volcano volcano volcano\Z'),
    r'curl -f \S+/(health|ready)': as_shown_json(),
    r'curl \S+/model-info': as_shown_json('model_type'),
    r'(?s)curl -X POST \S+/predict .*': PREDICTED,
    r'(?s)for i in \{1\.\.10\}; do\s+curl .*\nwait': all_answered,
    r'vcctl queue list': sees(r'^Name +Weight +State +Parent +Inqueue +Pending +Running +Unknown +Completed',
                              r'^default +1 +Open +root ', r'^root +1 +Open '),
    r'vcctl queue create -n my-queue -w 2': sees(r'^queue my-queue created with weight 2$'),
    r'vcctl job list': sees(r'^Name +Creation +Phase +JobType +Replicas +Min +Pending +Running ',
                            r'^my-job +\S+ +Running +Batch +1 +1 +0 +1 '),
    r'vcctl job view -n my-job': sees(r'^Name: +\tmy-job$', r'Phase:\tRunning$'),
    r'vcctl job suspend -n my-job': sees(r'my-job'),
    r'vcctl job resume -n my-job': sees(r'my-job'),
    r'vcctl job delete -n my-job': sees(r'^delete job my-job successfully$'),
}
# The same line with other circumstances: by document.
OF_DOCUMENT = {
    ('000', r'kubectl get queue -o wide'): as_shown('NAME', 'PARENT'),
    ('001', r'kubectl get queue -o wide'): sees(r'^NAME +PARENT', r'^training-queue +root', r'^inference-queue +root',
                                                r'^dev-queue +root', r'^default +root', r'^root'),
}
# These only look: a reader looks again until it is so.
LOOKS = re.compile(r'kubectl (get|logs) |vcctl \w+ (list|view)|curl |for i ')

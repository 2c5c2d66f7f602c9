"""Small requests that ask for much work, two at a time: each is refused or done at once, and nobody else waits."""
import json
import threading
import time

from server import Failed

MOST_SECONDS = 20  # for one bomb, also in a build with sanitizers on a busy machine; without bounds it is minutes
MOST_MEGABYTES = 1500
CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
BOMBS = '/apis/attack.io/v1/namespaces/default/bombs'


def definition(name, schema):
    return {'apiVersion': 'apiextensions.k8s.io/v1', 'kind': 'CustomResourceDefinition',
            'metadata': {'name': f'{name}s.attack.io'},
            'spec': {'group': 'attack.io', 'scope': 'Namespaced',
                     'names': {'plural': f'{name}s', 'singular': name, 'kind': name.capitalize()},
                     'versions': [{'name': 'v1', 'served': True, 'storage': True,
                                   'schema': {'openAPIV3Schema': schema}}]}}


def bomb(name, **fields):
    return {'apiVersion': 'attack.io/v1', 'kind': 'Bomb', 'metadata': {'name': name}, **fields}


BOMB_SCHEMA = {'type': 'object', 'properties': {
    'list': {'type': 'array', 'items': {'type': 'integer'}},
    'limited': {'type': 'array', 'items': {'type': 'integer', 'allOf': [{'minimum': 0}] * 5000}},
    'filled': {'type': 'array', 'items': {'type': 'object', 'properties': {
        'text': {'type': 'string', 'default': 'x' * 20000}}}},
    'matched': {'type': 'string', 'pattern': '(a|b)*a(a|b){900}c'},
}}


def patch_front(server):
    """Inserts at the front of a list of 400,000 elements."""
    operations = [{'op': 'add', 'path': '/list/0', 'value': 1}] * 9000
    return server.request('PATCH', f'{BOMBS}/long', operations, 'application/json-patch+json')


def patch_copies(server):
    """A list that doubles with each pair of operations."""
    operations = [{'op': 'copy', 'from': '/list', 'path': '/x'}, {'op': 'move', 'from': '/x', 'path': '/list/-'}] * 200
    return server.request('PATCH', f'{BOMBS}/long', operations, 'application/json-patch+json')


def yaml_lines(server):
    """Long keys in deep nesting: the path of each element is a hundred times as long as its text."""
    text = 'data: ' + ('{' + 'k' * 128 + ': ') * 90 + '[' + 'a,' * 400000 + 'a]' + '}' * 90
    return server.request('POST', CONFIG_MAPS, text, 'application/yaml')


def yaml_aliases(server):
    """A billion laughs."""
    lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x,x]']
    for i in range(1, 10):
        lines.append(f'a{i}: &a{i} [' + ','.join([f'*a{i - 1}'] * 10) + ']')
    return server.request('POST', CONFIG_MAPS, '\n'.join(lines), 'application/yaml')


def pattern_many(server):
    """Thousands of patterns that are a few bytes each, and megabytes when compiled."""
    fields = {f'p{i}': {'type': 'string', 'pattern': f'(.{{900}}|{i}).{{900}}'} for i in range(3000)}
    return server.request('POST', DEFINITIONS, definition('pattern', {'type': 'object', 'properties': fields}))


def schema_nodes(server):
    """A schema of 400,000 nodes."""
    schema = {'type': 'object', 'properties': {'a': {'type': 'string', 'allOf': [{}] * 400000}}}
    return server.request('POST', DEFINITIONS, definition('node', schema))


def validation_product(server):
    """100,000 values, each to be checked against 5,000 limits."""
    return server.request('POST', BOMBS, bomb('product', limited=[1] * 100000))


def pattern_long_subject(server):
    """A pattern whose states do not fit into memory, with a megabyte to read."""
    return server.request('POST', BOMBS, bomb('subject', matched='abbabaab' * 150000))


def defaults(server):
    """300,000 empty elements, each with a default of 20 KB."""
    return server.request('POST', BOMBS, bomb('defaults', filled=[{}] * 300000))


def empty_containers(server):
    """700,000 containers of which nothing is said."""
    body = '{"metadata":{"name":"p"},"spec":{"containers":[' + '{},' * 700000 + '{}]}}'
    return server.request('POST', '/api/v1/namespaces/default/pods', body)


def owners(server):
    """Each owner too many is a complaint that shows all of them."""
    one = {'apiVersion': 'v1', 'kind': 'Pod', 'name': 'p', 'uid': 'u', 'controller': True}
    body = {'metadata': {'name': 'owned', 'ownerReferences': [one] * 20000}}
    return server.request('POST', CONFIG_MAPS, body)


def strategic_duplicates(server):
    """One element, named 20,000 times, with a long list below it."""
    again = {'name': 'c', 'env': [{'name': 'x', 'value': 'y'}]}
    patch = {'spec': {'template': {'spec': {'containers': [again] * 20000}}}}
    return server.request('PATCH', '/apis/apps/v1/namespaces/default/deployments/long', patch,
                          'application/strategic-merge-patch+json')


ATTACKS = [patch_front, patch_copies, yaml_lines, yaml_aliases, pattern_many, schema_nodes, validation_product,
           pattern_long_subject, defaults, empty_containers, owners, strategic_duplicates]


def prepare(server):
    made = [server.request('POST', DEFINITIONS, definition('bomb', BOMB_SCHEMA))]
    made.append(server.request('POST', BOMBS, bomb('long', list=[0] * 400000)))
    variables = [{'name': f'e{i}'} for i in range(15000)]
    labels = {'a': 'b'}
    container = {'name': 'c', 'image': 'i', 'env': variables}
    made.append(server.request('POST', '/apis/apps/v1/namespaces/default/deployments', {
        'metadata': {'name': 'long'}, 'spec': {'replicas': 0, 'selector': {'matchLabels': labels}, 'template': {
            'metadata': {'labels': labels}, 'spec': {'containers': [container]}}}}))
    for status, body in made:
        if status != 201:
            raise Failed(f'what is attacked could not be made: {status} {body[:500]}')


def attack(server):
    prepare(server)
    seen = {}

    def throw(attacks):
        for one in attacks:
            began = time.monotonic()
            try:
                status, body = one(server)
            except OSError as error:
                status, body = 0, f'{type(error).__name__}: {error}'
            seen[one.__name__] = (status, time.monotonic() - began, body)

    # Each bomb goes off beside another one.
    threads = [threading.Thread(target=throw, args=(ATTACKS,)), threading.Thread(target=throw, args=(ATTACKS[::-1],))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name, (status, seconds, body) in sorted(seen.items()):
        message = json.loads(body).get('message', '') if body.startswith('{') else body
        print(f'    {name}: {status} after {seconds:.2f} s: {message[:120]}', flush=True)
        if status not in (400, 413, 422):
            raise Failed(f'{name} was answered {status}: {body[:300]}')
        if seconds > MOST_SECONDS:
            raise Failed(f'{name} took {seconds:.1f} s')
    if server.peak_megabytes() > MOST_MEGABYTES:
        raise Failed(f'memory reached {server.peak_megabytes()} MB')
    longest = max(seconds for _, seconds, _ in seen.values())
    return f'{len(seen)} bombs refused, the longest after {longest:.1f} s'


SECONDS = 300

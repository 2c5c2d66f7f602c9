"""Manifests of a text that lost its indentation, as web pages do when they are copied: found, and indented again.

The nesting comes from the schemas of the CRDs: a key belongs to the innermost place that knows it and does not have it
yet; where that leads nowhere, further out. A block that begins with "# NAME.yaml" is the file of that name.
"""
import pathlib
import re

import yaml

CRDS = pathlib.Path(__file__).resolve().parents[2] / 'deploy/helm/basalt/crd'
ROW = re.compile(r'^(?P<item>- )?(?:(?P<key>[A-Za-z0-9./_-]+):(?:\s+(?P<value>[^#].*))?)?(?:\s*#.*)?$')
RESOURCE = re.compile(r'cpu|memory|pods|.*/.*')  # what stands in a map of amounts
SCALAR = {'type': 'string'}
META = {'properties': {'name': SCALAR, 'namespace': SCALAR}}
HEAD = {'apiVersion': SCALAR, 'kind': SCALAR, 'metadata': META}
PRIORITY_CLASS = {'properties': {**HEAD, 'value': SCALAR, 'globalDefault': SCALAR, 'description': SCALAR}}


def schema_of(kind):
    if kind == 'PriorityClass':
        return PRIORITY_CLASS
    for path in CRDS.glob('*.yaml'):
        spec = yaml.safe_load(path.read_text())['spec']
        if spec['names']['kind'] == kind:
            schema = next(v for v in spec['versions'] if v['storage'])['schema']['openAPIV3Schema']
            return {'properties': {**schema['properties'], 'metadata': META}}
    raise LookupError(f'no CRD has the kind {kind}')


def child_of(schema, key, has_value):
    """The schema of what stands at a key; None: the key has no place there."""
    known = schema.get('properties', {}).get(key)
    if known is not None:
        return known
    values = schema.get('additionalProperties')
    if not isinstance(values, dict) or not has_value:
        return None
    return values if values.get('type') == 'array' or RESOURCE.fullmatch(key) else None


def place(rows, at, frames):
    """Rows `at` and below, indented; None: they fit nowhere. frames: (schema, keys seen), the outermost first."""
    if at == len(rows):
        return []
    text = rows[at]
    found = ROW.match(text)
    for depth in range(len(frames) - 1, -1, -1):
        here, (schema, seen) = frames[:depth + 1], frames[depth]
        is_list = 'items' in schema
        if is_list != text.startswith('- '):
            continue
        if is_list and schema['items'].get('type') == 'string':
            below = place(rows, at + 1, here)
        elif not found or not found['key']:
            continue
        else:
            if is_list:
                schema, seen = schema['items'], frozenset()
                here = [*here, (schema, seen)]
            child = child_of(schema, found['key'], found['value'] is not None)
            if child is None or found['key'] in seen:
                continue
            here = [*here[:-1], (schema, seen | {found['key']})]
            below = place(rows, at + 1, here if found['value'] else [*here, (child, frozenset())])
        if below is not None:
            return ['  ' * depth + text, *below]
    return None


def indented(rows):
    kind = next(row.split(':')[1].strip() for row in rows if row.startswith('kind:'))
    placed = place(rows, 0, [(schema_of(kind), frozenset())])
    if placed is None:
        raise ValueError('no manifest:\n' + '\n'.join(rows))
    return '\n'.join(placed) + '\n'


def files_of(document, cut):
    """{name: text} of the manifests below lines "# NAME.yaml"."""
    files, name, rows = {}, '', []

    def end_manifest():
        if rows:
            files[name] = files.get(name, '') + '---\n' + indented(rows)
            rows.clear()
    for row in document.rows:
        title = re.fullmatch(r'# (\S+\.yaml)', row)
        kept = cut(row).rstrip()
        if title:
            end_manifest()
            name = title[1]
        elif name and row == '---':
            end_manifest()
        elif name and not row.startswith('#'):
            rows.append(kept)
            if kept != row.rstrip():  # the next heading is glued behind the last row
                end_manifest()
                name = ''
    return files

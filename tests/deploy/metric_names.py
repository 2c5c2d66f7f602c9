"""Which series the dashboard and the alerts ask for, and which families a page of /metrics has."""
import json
import re

import yaml

NAME = re.compile(r'\b(?:volcano|basalt|process)_[a-z0-9_]+')
PARTS = ('_bucket', '_sum', '_count')  # of a histogram


def families_of(page):
    """Name → type, from the page's comments."""
    return dict(re.findall(r'^# TYPE (\S+) (\S+)$', page, re.M))


def expressions(chart):
    dashboard = json.loads((chart / 'monitoring/dashboard.json').read_text())
    for panel in dashboard['panels']:
        for target in panel.get('targets', []):
            yield f'panel "{panel["title"]}"', target['expr']
    for variable in dashboard['templating']['list']:
        if variable['type'] == 'query':
            yield f'variable {variable["name"]}', variable['query']['query']
    for group in yaml.safe_load((chart / 'monitoring/alerts.yaml').read_text()):
        for rule in group['rules']:
            yield f'alert {rule["alert"]}', rule['expr']


def check_served(chart, pages):
    families = {}
    for page in pages:
        families.update(families_of(page))
    asked = 0
    for where, expression in expressions(chart):
        names = NAME.findall(expression)
        assert names, f'{where} asks for nothing of ours: {expression}'
        for name in names:
            asked += 1
            base = next((name.removesuffix(p) for p in PARTS
                         if name.endswith(p) and families.get(name.removesuffix(p)) == 'histogram'), name)
            assert base in families, f'{where}: no program serves {name}'
            if base == name:
                assert families[name] != 'histogram', f'{where}: {name} is a histogram'
                if 'rate(' in expression and families[name] == 'gauge':
                    assert f'rate({name}' not in expression, f'{where}: the rate of the gauge {name}'
    return asked

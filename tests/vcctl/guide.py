"""Runs the commands of docs/guides/vcctl.md in their order against a server and compares what they print.

  ```console vcctl      each line after "$ " is run; the lines below are its output, both streams. A line "…" stands
                        for any lines, a "…" at the end of a line for its rest. Dates, ages and ids may differ.
  ```yaml vcctl=NAME    a file that the reader makes; it goes to a scratch folder where the commands run
  <!-- server: METHOD PATH JSON -->   what controllers would have done by now; JSON on any lines
"""
import json
import os
import re
import subprocess

PART = re.compile(r'^```console vcctl\n(?P<console>.*?)^```$|^```yaml vcctl=(?P<name>\S+)\n(?P<file>.*?)^```$|'
                  r'^<!-- server: (?P<method>\w+) (?P<path>\S+)\s*(?P<body>.*?)\s*-->$', re.M | re.S)
MASKS = [(re.compile(r'\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d)?'), '<date>'), (re.compile(r'\b\d+s\b'), '<age>'),
         (re.compile(r'(?<=\S) +(?=\S)'), ' ')]


def masked(line):
    for pattern, word in MASKS:
        line = pattern.sub(word, line)
    return line.rstrip()


def agrees(shown, got):
    if not shown:
        return not got
    if shown[0] == '…':
        return any(agrees(shown[1:], got[n:]) for n in range(len(got) + 1))
    if not got:
        return False
    want, have = masked(shown[0]), masked(got[0])
    same = have.startswith(want[:-1]) if want.endswith('…') else want == have
    return same and agrees(shown[1:], got[1:])


def run_guide(steps, page, programs, server):
    folder = server.folder / 'guide'
    folder.mkdir()
    own = {key: value for key, value in steps.environment.items() if key != 'BASALT_VOLCANO_OUTPUT'}
    environment = {**own, 'PATH': f'{programs}{os.pathsep}{os.environ["PATH"]}'}
    for part in PART.finditer(page.read_text()):
        if part['name']:
            (folder / part['name']).write_text(part['file'])
        elif part['method']:
            code, answer = server.raw(part['method'], part['path'], json.loads(part['body']) if part['body'] else None)
            steps.expect(f'guide: {part["method"]} {part["path"]}', code < 300, answer)
        else:
            for command in re.split(r'^(?=\$ )', part['console'], flags=re.M):
                if not command.startswith('$ '):
                    continue
                line, _, shown = command[2:].partition('\n')
                done = subprocess.run(['bash', '-c', line], cwd=folder, env=environment, text=True, timeout=60,
                                      capture_output=True)
                got = done.stdout + done.stderr
                steps.expect(f'guide: {line}', agrees(shown.splitlines(), got.splitlines()), got)

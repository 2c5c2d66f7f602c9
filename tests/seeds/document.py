"""What a reader of a document types: its command lines in order, what it shows below them, and its manifests."""
import pathlib
import re
import shlex
import subprocess

import yaml

PROGRAMS = 'helm|kubectl|vcctl'
TYPED = re.compile(rf'^\s*(?:[-*•●]\s+|\d+\.\s+)?(?P<mark>[$#]\s+)?(?P<line>(?:{PROGRAMS})\s.*)$')
# Common words of prose, too: a line of a block only.
TYPED_IN_BLOCK = re.compile(r'^\s*(?P<mark>[$#]\s+)?(?P<line>(?:make|curl|for)\s.*)$')
IN_CODE = re.compile(rf'`((?:{PROGRAMS})\s[^`]+)`')
# Text that follows without a blank, as in web pages that were copied: "volcano-systemStep 2: …", ". Create …".
GLUED = re.compile(r'(?<=[a-z0-9\'"}])(?=[A-Z][a-z]+ )|\. (?=[A-Z])')
FENCE = '```'


class Line:
    """One command line: `text` on one or more lines, `shown` the output below it, `block` the number of its block."""

    def __init__(self, number, text, block):
        self.number, self.text, self.block = number, text, block
        self.shown = []


def cut(text):
    """The text without what is glued behind it; a word that begins a quotation is not."""
    for found in GLUED.finditer(text):
        head = text[:found.start()]
        if not head.endswith(('"', "'")) or head.count(head[-1]) % 2 == 0:
            return head
    return text


def is_whole(text):
    """Whether a shell would begin with it, and not ask for more."""
    if text.endswith('\\'):
        return False
    return subprocess.run(['bash', '-n', '-c', text], capture_output=True).returncode == 0


class Document:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.number = self.path.name.split('_')[0]
        self.rows = self.path.read_text(encoding='utf-8').splitlines()
        self.lines = list(self._lines())

    def _lines(self):
        at = block = 0
        while at < len(self.rows):
            row = self.rows[at]
            if row.startswith(FENCE):
                block = 0 if block else at + 1
            found = TYPED.match(row) or (block and TYPED_IN_BLOCK.match(row))
            if not found:
                yield from (Line(at + 1, cut(text), 0) for text in IN_CODE.findall(row))
                at += 1
                continue
            line, at = self._whole(at, found, block)
            if (found['mark'] or '').startswith('$'):
                line.shown, at = self._shown(at)
            yield line

    def _whole(self, at, found, block):
        """The line with those that continue it, and the row behind."""
        text, first = cut(found['line']).rstrip(), at + 1
        comment = (found['mark'] or '').startswith('#')
        at += 1
        while not is_whole(text) and at < len(self.rows):
            more = self.rows[at]
            text += '\n' + (re.sub(r'^#\s*', '', more) if comment else more).rstrip()
            at += 1
        if at < len(self.rows) and self.rows[at].strip() == '$ wait':  # for what the line left in the background
            text, at = text + '\nwait', at + 1
        return Line(first, re.sub(r'\s*\\\n\s*', ' ', text), block), at

    def _shown(self, at):
        """The rows of output from there on, and the row behind them."""
        end = at
        while end < len(self.rows) and not self.rows[end].startswith(('$ ', '# ', FENCE)):
            end += 1
        return [row for row in self.rows[at:end] if row.strip()], end

    def blocks(self, language, after):
        """The fenced blocks of a language, below the heading that starts so and above the next of its rank."""
        found, rank, inside = [], 0, None
        for row in self.rows:
            heading = re.match('(#+) (.*)', row) if inside is None else None
            if heading and heading[2].startswith(after):
                rank = len(heading[1])
            elif heading and len(heading[1]) <= rank:
                rank = 0
            elif row.startswith(FENCE):
                if inside is not None and inside[0] == FENCE + language and rank:
                    found.append('\n'.join(inside[1:]) + '\n')
                inside = [row] if inside is None else None
            elif inside is not None:
                inside.append(row)
        return found

    def manifests(self, after):
        """Objects of fenced YAML; one begins at "apiVersion:", also where the document has no "---"."""
        parts = [part for block in self.blocks('yaml', after)
                 for part in re.split(r'^(?=apiVersion:)', block, flags=re.M)]
        return [thing for thing in (yaml.safe_load(part.replace('\n---', '\n')) for part in parts)
                if isinstance(thing, dict) and 'kind' in thing]


def makefile_of(document, variables):
    """The targets that the document calls, made of the commands that it lists beneath them.

    Of two targets in a block the one called verify-… has the commands that only look.
    """
    text = ''.join(f'{name} = {value}\n' for name, value in variables.items())
    for make in (line for line in document.lines if line.text.startswith('make ')):
        target = shlex.split(make.text)[1]
        commands = [line.text for line in document.lines
                    if line.block == make.block and not line.text.startswith('make ')]
        siblings = [line for line in document.lines if line.block == make.block and line.text.startswith('make ')]
        if len(siblings) > 1:
            looks = target.startswith('verify-')
            commands = [c for c in commands if bool(re.match('kubectl (get|wait) ', c)) == looks]
        text += f'.PHONY: {target}\n{target}:\n' + ''.join(f'\t{command}\n' for command in commands)
    return text

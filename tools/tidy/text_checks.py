"""Checks on every text file and on the documents. Each takes a Tree and yields (path, line, message)."""
import posixpath
import re

MAX_COLUMNS = 120
CODE_SUFFIXES = ('.h', '.cc', '.py', '.cmake', '.sh')


def _lines(tree, path):
    return enumerate(tree.text(path).split('\n'), start=1)


def _is_code(tree, path):
    return path.endswith(CODE_SUFFIXES) or path.endswith('CMakeLists.txt') or tree.text(path).startswith('#!')


def check_trailing_space(tree):
    for path in tree.files():
        if path == 'LICENSE' or tree.is_recorded(path):
            continue
        for line, text in _lines(tree, path):
            if text != text.rstrip():
                yield path, line, 'trailing whitespace'


def check_line_length(tree):
    for path in tree.files():
        if not (_is_code(tree, path) or path.endswith('.md')) or tree.is_recorded(path):
            continue
        for line, text in _lines(tree, path):
            is_row = path.endswith('.md') and (text.lstrip().startswith('|') or 'http' in text)
            if len(text) > MAX_COLUMNS and not is_row:
                yield path, line, f'{len(text)} columns; the limit is {MAX_COLUMNS}'


_MACHINE_PATH = re.compile(r'(?<![\w.}/-])/(?:work|root|home)/')


def check_machine_paths(tree):
    for path in tree.files():
        for line, text in _lines(tree, path):
            if _MACHINE_PATH.search(text):
                yield path, line, 'absolute path of one machine'


_LATER = re.compile(r'\b(?:TO' r'DO|FIX' r'ME|X' r'XX)\b(?!\(#\d+\))')


def check_todo(tree):
    for path in tree.files():
        if not _is_code(tree, path):
            continue
        for line, text in _lines(tree, path):
            if _LATER.search(text):
                yield path, line, 'a note for later names its issue, e.g. (#12), or does not exist'


def _without_fences(text):
    """Markdown with fenced blocks blanked, lines kept."""
    return re.sub(r'^( *)(```|~~~).*?^\1\2[ ]*$', lambda m: re.sub(r'[^\n]', '', m.group()), text, flags=re.M | re.S)


def check_one_title(tree):
    for path in tree.files():
        if path.endswith('.md'):
            titles = re.findall(r'^# \S.*$', _without_fences(tree.text(path)), re.M)
            if len(titles) != 1:
                yield path, 1, f'{len(titles)} titles (lines that start with "# "); a page has one'


def check_links(tree):
    for path in tree.files():
        if not path.endswith('.md'):
            continue
        for line, text in enumerate(_without_fences(tree.text(path)).split('\n'), start=1):
            for target in re.findall(r'\]\(([^)\s]+)\)', re.sub(r'`[^`]*`', '', text)):
                if re.match(r'[a-z]+:|#', target):
                    continue
                resolved = posixpath.normpath(posixpath.join(posixpath.dirname(path), target.split('#')[0]))
                if not tree.has(resolved):
                    yield path, line, f'link to {target}, which does not exist'


_NAMED_PATH = re.compile(r'`((?:src|tools|cmake|docs|tests|\.ci)/[\w./-]+)`')


def check_named_files(tree):
    """A page that names a file of the tree names one that exists. History (decisions, changelog) may not keep up."""
    for path in tree.files():
        if not path.endswith('.md') or path.startswith('docs/decisions/') or path == 'CHANGELOG.md':
            continue
        for line, text in enumerate(_without_fences(tree.text(path)).split('\n'), start=1):
            for name in _NAMED_PATH.findall(text):
                if not tree.has(name.rstrip('/.')):
                    yield path, line, f'names {name}, which does not exist'

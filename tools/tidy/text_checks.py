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


_NAMED_SOURCE = re.compile(r'(?<![\w<"/.*-])((?:[\w-]+/)*[\w-]+\.(?:h|cc))\b')


def check_comment_files(tree):
    """A comment that names a source, by its name or by the end of its path, names one that exists."""
    ends = set()
    for path in tree.cpp_files('src/', 'tests/'):
        parts = path.split('/')
        ends.update('/'.join(parts[n:]) for n in range(len(parts)))
    for path in tree.cpp_files('src/', 'tests/'):
        for line, text in _lines(tree, path):
            comment = re.search(r'(?<!:)//(.*)', text)
            for name in _NAMED_SOURCE.findall(comment.group(1)) if comment else []:
                if name not in ends:
                    yield path, line, f'the comment names {name}, which does not exist'


LIFE = 'docs/life-of-a-job.md'
MAX_STEPS = 14
_FILE_OR_FUNCTION = re.compile(r'`(src/[\w./-]+)`|`(\w+)\(\)`')


def _steps(text):
    """Yields (line, number, text) of the top-level numbered list of a page."""
    lines = _without_fences(text).split('\n')
    starts = [i for i, line in enumerate(lines) if re.match(r'\d+\. ', line)]
    for start, end in zip(starts, starts[1:] + [len(lines)]):
        body = [lines[start]]
        for line in lines[start + 1:end]:
            if line and not line.startswith(' '):
                break
            body.append(line)
        yield start + 1, int(lines[start].split('.')[0]), '\n'.join(body)


def check_life_of_a_job(tree):
    """The story has at most MAX_STEPS steps, in order; each names files, and functions that are in the file before."""
    if not tree.has(LIFE):
        return
    steps = list(_steps(tree.text(LIFE)))
    if [number for _, number, _ in steps] != list(range(1, len(steps) + 1)) or not 0 < len(steps) <= MAX_STEPS:
        yield LIFE, 1, f'the steps are 1 to at most {MAX_STEPS}, in order'
    for line, number, text in steps:
        at, functions = None, 0
        for file, function in _FILE_OR_FUNCTION.findall(text):
            if file:
                at = file
                if file not in tree.files():
                    yield LIFE, line, f'step {number} names {file}, which is no file'
                    at = None
            elif at is not None:
                functions += 1
                if not re.search(rf'\b{function}\(', tree.blanked(at)):
                    yield LIFE, line, f'step {number}: there is no {function}() in {at}'
        if functions == 0:
            yield LIFE, line, f'step {number} names no function of a file'


READING = 'docs/README.md'
MAX_MINUTES = 10
LINES_PER_MINUTE = {'.md': 110, '.h': 220, '.cc': 220, '.scn': 110}
_STOP = re.compile(r'^\| *(\d*½?) min *\|(.*)$', re.M)


def _minutes(text):
    return sum(0.5 if digit == '½' else int(digit) for digit in re.findall(r'\d+|½', text))


def check_reading_path(tree):
    """The ten-minute path: each stop's files are short enough for its minutes, and all stops together for ten."""
    if not tree.has(READING):
        return
    text = tree.text(READING)
    total = 0
    for stop in _STOP.finditer(text):
        line = text[:stop.start()].count('\n') + 1
        given = _minutes(stop.group(1))
        total += given
        needed = 0
        for target in re.findall(r'\]\(([^)\s#]+)\)', stop.group(2)):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(READING), target))
            suffix = posixpath.splitext(path)[1]
            if path not in tree.files() or suffix not in LINES_PER_MINUTE:
                yield READING, line, f'{target} is no file that can be read in minutes'
                continue
            needed += tree.text(path).count('\n') / LINES_PER_MINUTE[suffix]
        if needed > given:
            yield READING, line, f'this stop takes {needed:.1f} minutes, not {given}: shorten or split its files'
        if needed == 0:
            yield READING, line, 'a stop links the files to read'
    if not 0 < total <= MAX_MINUTES:
        yield READING, 1, f'the reading path takes {total} minutes; it has at most {MAX_MINUTES}'

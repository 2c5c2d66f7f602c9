"""Checks on C++ files. Each takes a Tree and yields Finding tuples (path, line, message)."""
import re

import cpp

MAX_FILE_LINES = 400
WARN_FILE_LINES = 250
MAX_FUNCTION_LINES = 70
# Terms of Kubernetes that have one of the banned nouns in them.
FIELD_TERMS = ('ControllerManager', 'VolumeManager', 'FieldManager')
BANNED_NOUNS = ('Manager', 'Helper', 'Helpers', 'Util', 'Utils', 'Common', 'Impl')


def read_layers(text):
    """Returns (arrows, pure layers, external prefix → layers and houses) from the text of layers.txt."""
    arrows, pure, external = {}, set(), {}
    for line in text.splitlines():
        line = line.split('#')[0].strip()
        if not line:
            continue
        name, _, rest = line.partition(':')
        if name == 'pure':
            pure = set(rest.split())
        elif name.startswith('external '):
            external[name.split()[1]] = set(rest.split())
        else:
            arrows[name] = rest.split()
    return arrows, pure, external


def reach(arrows, layer):
    seen, todo = {layer}, [layer]
    while todo:
        for target in arrows.get(todo.pop(), []):
            if target not in seen:
                seen.add(target)
                todo.append(target)
    return seen


def layer_of(arrows, path):
    """The layer of a path below src/: the longest row of layers.txt that is a folder above it."""
    parts = path.split('/')
    for n in range(len(parts) - 1, 0, -1):
        if '/'.join(parts[:n]) in arrows:
            return '/'.join(parts[:n])
    return None


def house_of(layer):
    return layer.split('/')[0]


def _may_name(layer, allowed):
    return layer in allowed or house_of(layer) in allowed


def check_layers(tree):
    arrows, pure, external = read_layers(tree.text('tools/tidy/layers.txt'))
    for path in tree.cpp_files('src/'):
        layer = layer_of(arrows, path.removeprefix('src/'))
        if layer is None:
            yield path, 1, 'its folder is not in tools/tidy/layers.txt: add it there and to CMakeLists.txt'
            continue
        allowed = reach(arrows, layer)
        for line, quoted, target in cpp.includes(tree.text(path)):
            if quoted:
                if not tree.has_header(target):
                    yield path, line, f'include "{target}" is not a path from src/'
                elif layer_of(arrows, target) not in allowed:
                    yield path, line, f'{layer} may not include {target} (allowed: {" ".join(sorted(allowed))})'
                continue
            prefix = next((p for p in external if target.startswith(p)), None)
            if prefix and not _may_name(layer, external[prefix]):
                yield path, line, f'{layer} may not include <{target}>; only {" ".join(sorted(external[prefix]))} may'
            elif layer in pure and not prefix and '/' in target and not path.endswith('_test.cc'):
                yield path, line, f'{layer} uses the standard library only, not <{target}>'


def _pure_files(tree):
    """The sources in which everything decides; their tests may do as they like."""
    arrows, pure, _ = read_layers(tree.text('tools/tidy/layers.txt'))
    for path in tree.cpp_files('src/'):
        if layer_of(arrows, path.removeprefix('src/')) in pure and not path.endswith('_test.cc'):
            yield path


def check_cmake_agrees(tree):
    arrows, _, _ = read_layers(tree.text('tools/tidy/layers.txt'))
    if not tree.has('CMakeLists.txt'):
        return
    text = tree.text('CMakeLists.txt')
    drawn = {}
    for m in re.finditer(r'basalt_library\(\s*([\w/]+)([^)]*)\)', text):
        links = re.search(r'LINKS((?:\s+[a-z_/]+\b)*)', m.group(2))
        drawn[m.group(1)] = links.group(1).split() if links else []
    for layer in sorted((set(arrows) | set(drawn)) - {'programs'}):
        want, have = arrows.get(layer), drawn.get(layer)
        if want is None or have is None or sorted(want) != sorted(have):
            yield 'CMakeLists.txt', 1, f'links of "{layer}" are {have}, but tools/tidy/layers.txt says {want}'


def check_file_size(tree):
    for path in tree.cpp_files('src/'):
        lines = tree.text(path).count('\n')
        if lines > MAX_FILE_LINES:
            yield path, lines, f'{lines} lines; the hard stop is {MAX_FILE_LINES}: split it'


def warn_file_size(tree):
    for path in tree.cpp_files('src/'):
        lines = tree.text(path).count('\n')
        if WARN_FILE_LINES < lines <= MAX_FILE_LINES:
            yield path, lines, f'{lines} lines; aim at 200, hard stop {MAX_FILE_LINES}'


def check_function_size(tree):
    for path in tree.cpp_files('src/', 'tests/'):
        for first, last in cpp.functions(tree.blanked(path)):
            if last - first + 1 > MAX_FUNCTION_LINES:
                yield path, first, f'function body of {last - first + 1} lines; the limit is {MAX_FUNCTION_LINES}'


_BANNED_CALLS = [
    (r'\b(?:system|steady|high_resolution|utc|file)_clock\b', 'the clock; take `now` as an argument'),
    (r'\bstd::time\s*\(|(?<![\w.>:])time\s*\(\s*(?:NULL|nullptr|0|&)|\b(?:clock_)?gettime(?:ofday)?\s*\(', 'the clock'),
    (r'(?<![\w.>])(?:std::)?s?rand\s*\(|\brandom_device\b|\bdefault_random_engine\b', 'random; take an Rng&'),
    (r'\b(?:secure_)?getenv\b', 'the environment; take a value'),
    (r'\bstd::(?:cout|cerr|clog|cin)\b|(?<![\w.>])(?:std::)?v?f?(?:printf|puts|putc|putchar)\s*\(', 'input and output'),
    (r'\bstd::(?:j?thread|async|future|promise|(?:\w+_)?mutex|condition_variable\w*)\b', 'threads and locks'),
    (r'#\s*include\s*<(?:iostream|fstream|print|thread|mutex|shared_mutex|condition_variable|future|filesystem)>',
     'a header of I/O or threads'),
]
_BANNED_CALL_EXEMPT = {'src/base/check.cc'}  # says why the process dies


def check_banned_calls(tree):
    for path in _pure_files(tree):
        if path in _BANNED_CALL_EXEMPT:
            continue
        text = tree.blanked(path)
        for pattern, what in _BANNED_CALLS:
            for m in re.finditer(pattern, text):
                yield path, cpp.line_of(text, m.start()), f'`{m.group().strip()}`: pure folders may not use {what}'


_ORDER_FREE = re.compile(r'//.*\border-free:\s*\S')


def check_unordered_iteration(tree):
    for path in _pure_files(tree):
        names = cpp.unordered_names(tree.blanked(path))
        header = re.sub(r'\.cc$', '.h', path)
        if header != path and tree.has(header):
            names |= cpp.unordered_names(tree.blanked(header))
        lines = tree.text(path).splitlines()
        loops = list(cpp.range_loops(tree.blanked(path)))
        for m in re.finditer(r'\b(\w+)\s*\.\s*c?begin\s*\(', tree.blanked(path)):
            loops.append((cpp.line_of(tree.blanked(path), m.start()), m.group(1)))
        for line, name in loops:
            excused = any(_ORDER_FREE.search(lines[at]) for at in (line - 1, line - 2) if at >= 0)
            if name in names and not excused:
                yield path, line, (f'walks the unordered container `{name}`: its order may reach a decision. '
                                   'Use a vector, or say `// order-free: why`')


def check_names(tree):
    camel = re.compile(r'[A-Z][a-z0-9]*')
    for path in tree.cpp_files('src/', 'tests/'):
        stem = path.rsplit('/', 1)[-1].replace('controller_manager', '').replace('volume_manager', '')
        for word in re.split(r'[_./-]', stem)[:-1]:
            if word.capitalize() in BANNED_NOUNS:
                yield path, 1, f'file name with "{word}": say what it does instead'
        text = tree.blanked(path)
        for m in re.finditer(r'\b(?:class|struct|union|concept|using)\s+([A-Z]\w*)', text):
            name = m.group(1)
            for term in FIELD_TERMS:
                name = name.replace(term, '')
            if name == 'Handler' or any(word in BANNED_NOUNS for word in camel.findall(name)):
                yield path, cpp.line_of(text, m.start()), f'type name `{name}`: say what it does instead'


def check_pragma_once(tree):
    for path in tree.cpp_files('src/', 'tests/'):
        if path.endswith('.h') and not re.search(r'^#pragma once$', tree.text(path), re.M):
            yield path, 1, 'header without #pragma once'


def check_own_header_first(tree):
    """x.cc includes x.h before anything else, so that compiling x.cc proves that x.h compiles alone."""
    for path in tree.cpp_files('src/'):
        header = path.removesuffix('.cc') + '.h'
        if not path.endswith('.cc') or not tree.has(header):
            continue
        first = re.search(r'^#include [<"]([^>"]+)[>"]', tree.text(path), re.M)
        if first is None or 'src/' + first.group(1) != header:
            yield path, 1, f'{header.removeprefix("src/")} is not its first include'


_INSERT = r'(?<![\w.>])\*?\(?\*?({name})\)?\[[^\]\n]*\]\s*=(?!=)\s*'
_BOUND = re.compile(r'\b(\w+)\s*=\s*(?:&\s*)?((?:\w+(?:\.|->))*\w+)(?:\.|->)(?:if_contains|find)\(')
_SELF = re.compile(_INSERT.format(name=r'(?:\w+(?:\.|->))*\w+') +
                   r'(?:std::move\()?\*?\1(?:(?:\.|->)(?:at|if_contains|find)\(|\[ *\])')


def check_json_alias(tree):
    """`object[to] = *object.if_contains(from)`: the insert moves the table into which the right side points."""
    message = ('an insert moves what the right side points into: use text::rename_member, or copy into a value of your '
               'own first')
    for path in tree.cpp_files('src/', 'tests/'):
        text = tree.blanked(path)
        for m in _SELF.finditer(text):
            yield path, cpp.line_of(text, m.start()), message
        for bound in _BOUND.finditer(text):
            pointer, owner = bound.groups()
            block = text[bound.end():_block_end(text, bound.end())]
            insert = re.search(_INSERT.format(name=re.escape(owner)) + rf'(?:std::move\()?\*?{pointer}\b', block)
            if insert:
                yield path, cpp.line_of(text, bound.end() + insert.start()), message


def _block_end(text, at):
    """Where the block around `at` ends."""
    depth = 0
    for m in re.compile(r'[{}]').finditer(text, at):
        depth += 1 if m.group() == '{' else -1
        if depth < 0:
            return m.start()
    return len(text)

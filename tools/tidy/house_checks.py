"""Checks on the geography: houses, their doors, their words. Each takes a Tree and yields (path, line, message)."""
import collections
import re

import cpp
from source_checks import house_of, layer_of, read_layers

LAYERS = 'tools/tidy/layers.txt'
DOORS = 'tools/tidy/doors.txt'
REPEATED = 'tools/tidy/repeated-names.txt'
MAX_README_LINES = 40


def _rows(tree, path):
    """Yields (line number, text) of the rows of a list: no comments, no blank lines."""
    if not tree.has(path):
        return
    for line, text in enumerate(tree.text(path).splitlines(), start=1):
        text = text.split('#')[0].strip()
        if text:
            yield line, text


def _house(path):
    return path.removeprefix('src/').split('/')[0]


def check_doors(tree):
    """Another house includes only doors, and a door is a header that another house includes. Tests may look inside."""
    doors = {text: line for line, text in _rows(tree, DOORS)}
    entered = set()
    for path in tree.cpp_files('src/'):
        if path.endswith('_test.cc'):
            continue
        for line, quoted, target in cpp.includes(tree.text(path)):
            if not quoted or _house(target) in (_house(path), 'base') or not tree.has_header(target):
                continue
            if target in doors:
                entered.add(target)
            elif not path.endswith('_fixture.h'):
                yield path, line, f'{target} is no door of its house: see {DOORS}'
    for door, line in doors.items():
        if not tree.has_header(door):
            yield DOORS, line, f'{door} does not exist'
        elif door not in entered:
            yield DOORS, line, f'no other house includes {door}: it need not be a door'


# A definition at the left margin, after template heads and attributes: types inside of others are no header's names.
_TYPE = re.compile(r'^(?:template\s*<[^;{]*?>\s*(?:requires[^;{]*?\s)?)?'
                   r'(?:class|struct|union|enum class|enum|concept)\s+'
                   r'(?:\[\[[^\]]*\]\]\s*)?([A-Z]\w*)\b(?!\s*;|::)(?![\w\s<>:,]*>\s*(?:class|struct))', re.M)


def check_unique_names(tree):
    """Header names, and the types at the margin of headers, are unique, or listed with the reason."""
    allowed = {}
    for line, text in _rows(tree, REPEATED):
        name, _, reason = text.partition(':')
        if not reason.strip():
            yield REPEATED, line, f'{name}: a repeated name needs a reason'
        allowed[name.strip()] = line
    places = collections.defaultdict(list)
    for path in tree.cpp_files('src/', 'tests/'):
        if not path.endswith('.h'):
            continue
        places[path.rsplit('/', 1)[-1]].append((path, 1))
        if path.startswith('src/'):
            text = tree.blanked(path)
            for m in _TYPE.finditer(text):
                places[m.group(1)].append((path, cpp.line_of(text, m.start(1))))
    for name, found in places.items():
        if len({path for path, _ in found}) > 1 and name not in allowed:
            for path, line in found:
                others = ', '.join(other for other, _ in found if other != path)
                yield path, line, f'`{name}` is also in {others}: choose another name, or give the reason in {REPEATED}'
    for name, line in allowed.items():
        if len({path for path, _ in places.get(name, [])}) < 2:
            yield REPEATED, line, f'{name} is not repeated any more'


_NAMESPACE = re.compile(r'^namespace basalt(?:::(\w+))?[\w:]* \{', re.M)
_NAMED_OTHERWISE = {'base': None, 'engine/core': 'engine', 'programs': None}


def check_namespaces(tree):
    """The namespace of a file is the last word of its layer."""
    arrows, _, _ = read_layers(tree.text(LAYERS))
    for path in tree.cpp_files('src/'):
        layer = layer_of(arrows, path.removeprefix('src/'))
        if layer is None:
            continue
        want = _NAMED_OTHERWISE.get(layer, layer.split('/')[-1])
        text = tree.blanked(path)
        found = [m.group(1) for m in _NAMESPACE.finditer(text)]
        if found and want not in found:
            yield path, 1, f'namespace basalt::{want or ""} is expected in {layer}, not {found[0]}'


def check_house_pages(tree):
    """Every house has a README: what it is, its rooms, its doors, who may enter."""
    arrows, _, _ = read_layers(tree.text(LAYERS))
    for house in sorted({house_of(layer) for layer in arrows}):
        page = f'src/{house}/README.md'
        if not tree.has(page):
            yield LAYERS, 1, f'{page} is missing'
            continue
        lines = tree.text(page).count('\n')
        if lines > MAX_README_LINES:
            yield page, lines, f'{lines} lines; the page of a house has at most {MAX_README_LINES}'


def picture(layers_text):
    """The houses and their layers as lines of text, from layers.txt: what each layer points to, in its order."""
    arrows, _, _ = read_layers(layers_text)
    width = max(len(layer) for layer in arrows)
    lines, last = [], None
    for layer, targets in arrows.items():
        house = house_of(layer)
        if last not in (None, house):
            lines.append('')
        last = house
        short = [t.removeprefix(house + '/') if house_of(t) == house and t != house else t for t in targets]
        lines.append(f'{layer:<{width}}  ─►  {"  ".join(short)}' if targets else layer)
    return '\n'.join(lines)


def check_picture(tree):
    """README.md shows the layers as they are: tools/tidy/draw-layers writes the block anew."""
    if 'README.md' not in tree.files() or '<!-- layers -->' not in tree.text('README.md'):
        return
    if f'<!-- layers -->\n```\n{picture(tree.text(LAYERS))}\n```\n' not in tree.text('README.md'):
        yield 'README.md', 1, 'the picture of the layers is not that of layers.txt: run tools/tidy/draw-layers'

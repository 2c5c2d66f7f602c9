"""What `./test NAME` can name: the tests of the tree as data, read from the tree itself.

    unit tests    src/**/*_test.cc and tests/<ring>/*_test.cc; one GoogleTest program per layer and per ring
    scripts       the basalt_script_test(…) lines of cmake/tests.cmake: everything else that ctest runs
    scenarios     tests/scenarios/**/*.scn
    kubectl       tests/kubectl/steps/*.sh
    conformance   the topics of tests/conformance/cases.floor

What each proves is read too: rings and scripts from the tables of tests/README.md, layers from the READMEs of src/, a
file of tests from its first comment or that of the header it tests, a scenario from its title.
"""
import dataclasses
import difflib
import fnmatch
import functools
import pathlib
import re

TEST = re.compile(r'^TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)', re.M)
PARAMETRIC = re.compile(r'^TEST_P\(\s*(\w+)\s*,\s*(\w+)\s*\)', re.M)
SCRIPT = re.compile(r'^ *basalt_script_test\((\w+) +(\S+)\s((?:[^()]|\([^()]*\))*)\)', re.M)
ROW = re.compile(r'^\| *(`[^|]+) *\| *([^|]+?) *\|', re.M)


@dataclasses.dataclass(frozen=True)
class TestFile:
    """A file of GoogleTest tests. `name` is what one types: its path without src/ or tests/ and without _test.cc."""
    path: pathlib.Path
    name: str
    program: str

    @functools.cached_property
    def tests(self):
        """(suite, test, whether it has parameters), in the file's order."""
        text = self.path.read_text()
        parametric = set(PARAMETRIC.findall(text))
        return [(suite, test, (suite, test) in parametric) for suite, test in TEST.findall(text)]

    def filters(self, pattern=None):
        """Its tests as pieces of a GoogleTest filter; of them those whose name has the pattern in it."""
        chosen = [(f'{suite}.{test}', parametric) for suite, test, parametric in self.tests
                  if pattern is None or fnmatch.fnmatchcase(f'{suite}.{test}', f'*{pattern}*')]
        return [f'*/{name}/*' if parametric else name for name, parametric in chosen]


@dataclasses.dataclass(frozen=True)
class Script:
    """A test of ctest that is no GoogleTest program; `targets` is what has to be built for it."""
    name: str
    label: str
    targets: tuple


class Catalog:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        lines = (self.root / 'tools/tidy/layers.txt').read_text()
        self.layers = sorted(set(re.findall(r'^([a-z_/]+):', lines, re.M)) - {'pure'}, key=len, reverse=True)
        self.files = self._test_files()
        self.programs = sorted({file.program for file in self.files})
        self.scripts = self._scripts()
        self.scenarios = {str(path.relative_to(self.root / 'tests/scenarios'))[:-len('.scn')]: path
                          for path in sorted((self.root / 'tests/scenarios').rglob('*.scn'))}
        self.steps = {path.stem: path for path in sorted((self.root / 'tests/kubectl/steps').glob('*.sh'))}
        floors = (self.root / 'tests/conformance/cases.floor').read_text()
        self.topics = re.findall(r'^([^#\s]+)\s', floors, re.M)

    def _test_files(self):
        files, taken = [], set()
        for path in sorted((self.root / 'src').rglob('*_test.cc')):
            name = path.relative_to(self.root / 'src').as_posix()[:-len('_test.cc')]
            layer = next(layer for layer in self.layers if name.startswith(layer + '/'))
            files.append(TestFile(path, name, layer.replace('/', '_') + '_test'))
            taken.add(files[-1].program)
        for path in sorted((self.root / 'tests').glob('*/*_test.cc')):
            ring = path.parent.name
            program = f'{ring}_ring_test' if f'{ring}_test' in taken else f'{ring}_test'  # as cmake/tests.cmake
            files.append(TestFile(path, f'{ring}/{path.name[:-len("_test.cc")]}', program))
        return files

    def _scripts(self):
        text = (self.root / 'cmake/tests.cmake').read_text()
        scripts = {}
        for name, label, command in SCRIPT.findall(text):
            targets = re.findall(r'\$<TARGET_FILE:(\w+)>', command) or re.findall(r'^(basalt) ', command)
            # Clients of our server run in both builds; in dev they are labelled so.
            scripts[name] = Script(name, 'clients' if label == '${clients}' else label, tuple(targets))
        return scripts

    def files_named(self, word):
        """The files that a word names: a folder's, else those whose path has the word's parts in order and ends so."""
        word = re.sub(r'(_test)?\.(cc|h)$', '', word.rstrip('/'))
        word = re.sub(r'^(\./)?(src|tests)/', '', word)
        below = [file for file in self.files if file.name.startswith(word + '/')]
        named = below or [file for file in self.files if _ends_in_order(file.name.split('/'), word.split('/'))]
        return named or self._files_about(word)

    def _files_about(self, word):
        """A source or folder without test files of its name: the tests of its layer that include it, else those that
        do elsewhere, else all of its layer."""
        found = []
        folder = self.root / 'src' / word
        for path in [folder] if folder.is_dir() else sorted((self.root / 'src').rglob(f'{word.rsplit("/", 1)[-1]}.*')):
            name = path.relative_to(self.root / 'src').with_suffix('').as_posix()
            if not _ends_in_order(name.split('/'), word.split('/')):
                continue
            line = f'#include "{name}/' if path.is_dir() else f'#include "{name}.h"'
            layer = next((layer for layer in self.layers if f'{name}/'.startswith(layer + '/')), '')
            program = layer.replace('/', '_') + '_test'
            about = [file for file in self.files if line in file.path.read_text()]
            found += [file for file in about if file.program == program] or about or self.program_files(program)
        return list(dict.fromkeys(found))

    def program_files(self, program):
        return [file for file in self.files if file.program == program]

    @staticmethod
    def matching(names, patterns):
        """Of `names`, those that one of the patterns names: by a part of it, or as a shell pattern; and the patterns
        that name none."""
        def hits(pattern):
            pattern = re.sub(r'^(\./)?(tests/scenarios|tests/kubectl/steps)/|\.(scn|sh)$', '', pattern)
            return [name for name in names if pattern in name or fnmatch.fnmatchcase(name, pattern)]
        found = {pattern: hits(pattern) for pattern in patterns}
        chosen = [name for name in names if any(name in hit for hit in found.values())]
        return chosen, [pattern for pattern, hit in found.items() if not hit]

    def all_names(self):
        folders = {parent.as_posix() for file in self.files for parent in pathlib.PurePath(file.name).parents}
        return sorted((folders - {'.'}) | {file.name for file in self.files} | set(self.programs) | set(self.scripts))

    @staticmethod
    def nearest(word, names):
        """The name that is meant, most likely: near as a whole, or in its last part. Empty when nothing is near."""
        near = difflib.get_close_matches(word, names, n=1, cutoff=0.7)
        if near:
            return near[0]
        ends = {}
        for name in names:
            ends.setdefault(re.sub(r'^\d+-', '', name.rsplit('/', 1)[-1]), name)  # 30-apply is called apply
        near = difflib.get_close_matches(word.rsplit('/', 1)[-1], ends, n=1, cutoff=0.65)
        return ends[near[0]] if near else ''

    def lines(self):
        """(name, what it proves) of everything that can be named, in the order of --list."""
        rows = _rows(self.root / 'tests/README.md')
        rooms = {f'{house.parent.name}/{room.strip("/")}': text for house in sorted(self.root.glob('src/*/README.md'))
                 for room, text in _rows(house).items()}
        for program in self.programs:
            files = self.program_files(program)
            folder = next((layer for layer in self.layers if layer.replace('/', '_') + '_test' == program), None)
            name = folder if folder else files[0].name.split('/')[0]
            proves = rooms.get(name) if folder else rows.get(program)
            yield name, f'{sum(len(file.tests) for file in files)} tests: {proves or "all of its folder"}'
            for file in files:
                proves = _first_sentence(file.path) or ', '.join(dict.fromkeys(suite for suite, _, _ in file.tests))
                yield file.name, f'{len(file.tests)} tests: {proves}'
        for name in self.scripts:
            yield name, rows.get(name, '')
        for name, path in self.scenarios.items():
            yield f'scenario {name}', _title(path)
        for name, path in self.steps.items():
            yield f'kubectl {name}', _first_sentence(path)
        for topic in self.topics:
            yield f'conformance {topic}', 'recorded Volcano cases'


def _ends_in_order(parts, wanted):
    if parts[-1] != wanted[-1]:
        return False
    rest = iter(parts[:-1])
    return all(part in rest for part in wanted[:-1])


def _rows(path):
    """The rows of a README's tables whose first cell is a name in backticks, or several; the name → the second cell."""
    if not path.exists():
        return {}
    return {name: text for names, text in ROW.findall(path.read_text()) for name in re.findall(r'`([^`]+)`', names)}


def _first_sentence(path):
    """Of the comment at a file's top; of a test without one, that of the header it is the test of."""
    for candidate in (path, path.with_name(path.name.replace('_test.cc', '.h'))):
        if not candidate.exists():
            continue
        words = []
        for line in candidate.read_text().splitlines():
            found = re.match(r'(?://|#(?!!|include|pragma)) ?(.*)', line)
            if not found:
                break
            if not found[1]:
                break
            words.append(found[1])
        if words:
            return re.split(r'(?<=[.:;])\s', ' '.join(words), maxsplit=1)[0].rstrip('.:;')
    return ''


def _title(path):
    first = path.read_text().split('\n', 1)[0]
    return first.split(' — ', 1)[-1].lstrip('# ')

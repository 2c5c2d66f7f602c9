"""A guide's worked example: files that its reader adds and changes, and programs of a build linked anew from them.

Only the units that change are compiled, with the commands of the build; a library's batch of files is one unit. Their
objects stand before the libraries in the link, so that what the libraries have under the same names is not taken.
"""
import json
import re
import shlex
import subprocess

TYPES = 'src/kube/api/schema/builtin/'
TYPE_TEXTS = 'generated/kube/api/type_texts.cc'  # made from TYPES when CMake configures


def edited(text, path, diff):
    """`text` with the places of the diff changed."""
    for place in re.split(r'^@@.*\n', diff, flags=re.M):
        lines = [line or ' ' for line in place.splitlines()]
        old = '\n'.join(line[1:] for line in lines if line[0] in ' -') + '\n'
        new = '\n'.join(line[1:] for line in lines if line[0] in ' +') + '\n'
        if not lines or ('\n' + text).count('\n' + old) != 1:
            raise ValueError(f'these lines are not in {path}, or more than once:\n{old}')
        text = ('\n' + text).replace('\n' + old, '\n' + new)[1:]
    return text


class WorkedExample:
    def __init__(self, root, build, folder):
        self._root, self._build, self._folder = root, build, folder
        self._changed = {}  # path below the root (or absolute, of a generated source) → its copy in the folder
        self._units = None  # file → its entry in compile_commands.json
        self._objects = None  # (what it replaces in a link, or None; our object; whether it is of a test)

    def add(self, path, text):
        if (self._root / path).exists():
            raise ValueError(f'{path} is there already')
        self._put(path, text)

    def edit(self, path, diff):
        before = self._changed.get(path, self._root / path).read_text()
        after = edited(before, path, diff)
        self._put(path, after)
        if path.startswith(TYPES):
            generated = self._build / TYPE_TEXTS
            source = self._changed.get(str(generated), generated)
            self._put(str(generated), source.read_text().replace(before, after), TYPE_TEXTS)

    def program(self, name):
        """The program of this name with the example in it; None: the build has none."""
        link = self._link_command(name)
        if link is None:
            return None
        made = self._folder / 'bin' / name
        if made.exists():
            return made
        made.parent.mkdir(exist_ok=True)
        more = []
        for replaced, mine, test in self._compiled():
            if replaced is not None and f' {replaced} ' in link:
                link = link.replace(f' {replaced} ', f' {mine} ')
            elif not test or name.endswith('_test'):
                more.append(str(mine))
        link = re.sub(rf'-o\s+bin/{name}\b', lambda _: shlex.join(['-o', str(made), *more]), link)
        run = subprocess.run(['bash', '-c', link], cwd=self._build, text=True, capture_output=True)
        if run.returncode != 0 or not made.exists():
            raise ValueError(f'{name} with the example does not link:\n' + run.stdout + run.stderr)
        return made

    def _put(self, path, text, place=None):
        copy = self._folder / (place or path)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text)
        self._changed[path] = copy

    def _link_command(self, name):
        listed = subprocess.run(['ninja', '-C', str(self._build), '-t', 'commands', f'bin/{name}'], text=True,
                                capture_output=True)
        return listed.stdout.splitlines()[-1] if listed.returncode == 0 else None

    def _unit_of(self, path):
        """The unit that compiles the source, and whether it compiles that alone; None: there is none."""
        if self._units is None:
            commands = json.loads((self._build / 'compile_commands.json').read_text())
            self._units = {entry['file']: entry for entry in commands}
            self._batches = {file: open(file, encoding='utf-8').read() for file in self._units
                             if re.search(r'/Unity/unity_\d+_cxx\.cxx$', file)}
        if path in self._units:
            return self._units[path]
        return next((self._units[file] for file, text in self._batches.items() if f'"{path}"' in text), None)

    def _neighbour(self, path):
        """A unit with the flags for a new source: of a file of its kind in its folder or in one above; or None."""
        test = path.endswith('_test.cc')
        for folder in (self._root / path).parents:
            for other in sorted(folder.glob('*.cc')) if folder.exists() else []:
                if other.name.endswith('_test.cc') == test and (unit := self._unit_of(str(other))):
                    return unit
        return None

    def _compiled(self):
        """Compiles what has changed, once."""
        if self._objects is not None:
            return self._objects
        self._objects, batches = [], {}
        for path, copy in self._changed.items():
            if not path.endswith('.cc'):
                continue
            whole = str(self._root / path)  # a path that is absolute stays what it is
            unit = self._unit_of(whole)
            test = path.endswith('_test.cc')
            if unit is None:
                neighbour = self._neighbour(path)
                if neighbour is not None:
                    self._compile(neighbour, copy, None, test)
                elif not test:  # a build without tests compiles none
                    raise ValueError(f'nothing in the build says how to compile {path}')
            elif unit['file'] == whole:
                self._compile(unit, copy, unit, test)
            else:
                text = batches.get(unit['file'], (None, self._batches[unit['file']]))[1]
                batches[unit['file']] = (unit, text.replace(f'"{whole}"', f'"{copy}"'))
        for index, (unit, text) in enumerate(batches.values()):
            batch = self._folder / f'batch_{index}.cxx'
            batch.write_text(text)
            self._compile(unit, batch, unit, False)
        return self._objects

    def _compile(self, unit, source, replaced, test):
        words = shlex.split(unit.get('command') or shlex.join(unit['arguments']))
        was = words[words.index('-o') + 1]
        made = self._folder / 'objects' / f'{len(self._objects)}.o'
        made.parent.mkdir(exist_ok=True)
        words[words.index('-o') + 1] = str(made)
        words[words.index('-c') + 1] = str(source)
        compiler = next(i for i, w in enumerate(words) if re.search(r'(^|/)(g\+\+|c\+\+|clang\+\+)[^/]*$', w))
        words.insert(compiler + 1, f'-I{self._folder / "src"}')
        run = subprocess.run(words, cwd=unit['directory'], text=True, capture_output=True)
        if run.returncode != 0:
            raise ValueError(f'{source.relative_to(self._folder)} does not compile:\n' + run.stderr)
        self._objects.append((was if replaced else None, made, test))

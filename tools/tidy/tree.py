"""The files under test, read once. Paths are relative to the root, with forward slashes."""
import os
import re

import cpp

SKIPPED_FOLDERS = {'.git', 'build', 'node_modules', '__pycache__', '.cache'}


class Tree:
    def __init__(self, root=None, files=None):
        """From a folder on disk, or from a dictionary path → text (used by the self-test)."""
        self._texts = dict(files or {})
        self._blanked = {}
        self._folders = set()
        if root is not None:
            self._read(root)
        for path in self._texts:
            parts = path.split('/')
            self._folders.update('/'.join(parts[:n]) for n in range(1, len(parts)))
        self._folders.add('.')

    def _read(self, root):
        for folder, subfolders, names in os.walk(root):
            subfolders[:] = sorted(s for s in subfolders if s not in SKIPPED_FOLDERS)
            for name in sorted(names):
                full = os.path.join(folder, name)
                path = os.path.relpath(full, root).replace(os.sep, '/')
                if path.startswith('tests/fuzz/corpus/'):
                    self._texts[path] = ''  # arbitrary bytes; present, but not read
                    continue
                try:
                    with open(full, encoding='utf-8', newline='') as file:
                        self._texts[path] = file.read()
                except UnicodeDecodeError:
                    self._texts[path] = ''  # binary

    def files(self):
        return sorted(self._texts)

    def has(self, path):
        return path in self._texts or path in self._folders

    def has_header(self, target):
        """By its path from src/. Those of kube/api/views are made by tools/write-views."""
        folder, _, name = target.rpartition('/')
        made = folder == 'kube/api/views' and self._texts.get('src/kube/api/views.txt', '')
        return self.has('src/' + target) or bool(made and re.search(rf'^{re.escape(name)}:', made, re.M))

    def text(self, path):
        return self._texts[path]

    def blanked(self, path):
        if path not in self._blanked:
            self._blanked[path] = cpp.blank_comments_and_strings(self._texts[path])
        return self._blanked[path]

    def cpp_files(self, *prefixes):
        return [p for p in self.files() if p.endswith(('.h', '.cc')) and p.startswith(prefixes)]

    def is_recorded(self, path):
        """Recorded data keeps its bytes: whitespace and line length are not ours to choose."""
        return '/golden/' in path or '/recorded/' in path or path.startswith('tests/fuzz/corpus/')

#!/usr/bin/env python3
"""Every tidy rule passes on a good sample and fails on a bad one."""
import unittest

import cpp
import source_checks
import tidy
from tree import Tree

LAYERS = '''
base:
model: base
engine: model
text: base
pure: base model engine
external boost/: text
'''
CMAKE = 'basalt_library(base)\nbasalt_library(model LINKS base)\n' \
        'basalt_library(engine LINKS model)\nbasalt_library(text LINKS base EXTERNAL Boost::json)\n'
TITLE = '# A page\n'


LIFE = 'docs/life-of-a-job.md'
READING = 'docs/README.md'


def stop(minutes, links):
    return f'| {minutes} min | {links} | why |\n'


def long_function(lines):
    return 'void f(int a) {\n' + '  g();\n' * (lines - 2) + '}\n'


# rule → list of (file, bad text). Each must be found, by that rule, in that file.
BAD = {
    'layers': [
        ('src/model/a.cc', '#include "engine/e.h"\n'),
        ('src/model/a.cc', '#include "base/nowhere.h"\n'),
        ('src/model/a.cc', '#include "../base/b.h"\n'),
        ('src/model/a.cc', '#include <boost/json.hpp>\n'),
        ('src/model/a.cc', '#include <sys/socket.h>\n'),
        ('src/unknown/a.cc', 'int a;\n'),
    ],
    'cmake-agrees': [
        ('CMakeLists.txt', CMAKE.replace('model LINKS base', 'model')),
        ('CMakeLists.txt', CMAKE + 'basalt_library(extra LINKS base)\n'),
        ('CMakeLists.txt', 'basalt_library(base)\n'),
    ],
    'file-size': [('src/base/a.cc', '//\n' * 401)],
    'function-size': [
        ('src/base/a.cc', 'namespace n {\n' + long_function(71) + '}\n'),
        ('src/base/a.h', '#pragma once\nclass A {\n public:\n' + long_function(80) + '};\n'),
        ('src/base/a.cc', 'A::A(int b)\n    : b_{b}, c_{} {\n' + 'g();\n' * 70 + '}\n'),
        ('src/base/a.cc', 'auto f() const -> std::vector<int> {\n' + 'g({1, 2});\n' * 70 + '}\n'),
        ('src/base/a_test.cc', 'TEST(A, B) {\n' + 'if (a) { g(); }\n' * 70 + '}\n'),
        ('src/base/a.cc', 'template <class T>\nT f(T a = {}) {\n' + 'g();\n' * 70 + '}\n'),
    ],
    'banned-calls': [
        ('src/base/a.cc', 'auto t = std::chrono::steady_clock::now();\n'),
        ('src/base/a.cc', 'auto t = time(nullptr);\n'),
        ('src/base/a.cc', 'int r = std::rand();\n'),
        ('src/base/a.cc', 'std::random_device d;\n'),
        ('src/base/a.cc', 'auto e = std::getenv(name);\n'),
        ('src/base/a.cc', '#include <iostream>\n'),
        ('src/base/a.cc', 'std::printf("x");\n'),
        ('src/base/a.cc', 'std::cerr << 1;\n'),
        ('src/base/a.cc', 'std::mutex m;\n'),
        ('src/base/a.cc', 'std::jthread t;\n'),
    ],
    'unordered-iteration': [
        ('src/base/a.cc', 'std::unordered_map<int, std::vector<int>> m;\nvoid f() { for (auto& [k, v] : m) g(k); }\n'),
        ('src/base/a.cc', 'using Ids = std::unordered_set<int>;\nvoid f(const Ids& ids) { for (int i : ids) g(i); }\n'),
        ('src/base/a.cc', 'void f() { for (int i : this->seen_) g(i); }\n'),
        ('src/base/a.cc', 'std::unordered_set<int> s;\nauto v = std::vector(s.begin(), s.end());\n'),
    ],
    'json-alias': [
        ('src/base/a.cc', 'void f(Object& o) {\n  if (Value* v = o.if_contains(from)) {\n'
                          '    o[to] = std::move(*v);\n    o.erase(from);\n  }\n}\n'),
        ('src/base/a.cc', 'void f(Object& o) {\n  const auto at = o.find(from);\n  o[to] = at->value();\n}\n'),
        ('src/base/a.cc', 'void f(Object* o) {\n  const Value* v = o->if_contains(from);\n  (*o)[to] = *v;\n}\n'),
        ('src/base/a.cc', 'void f(Object& o) { o["name"] = o.at("uid"); }\n'),
        ('src/base/a.cc', 'void f(Object& o) { o["name"] = o["uid"]; }\n'),
        ('src/base/a_test.cc', 'void f(Object& o) { o[to] = std::move(*o.if_contains(from)); }\n'),
    ],
    'doors': [
        ('src/engine/a.cc', '#include "model/inner.h"\n'),
        ('tools/tidy/doors.txt', 'model/m.h\nmodel/gone.h\n'),
        ('tools/tidy/doors.txt', 'model/m.h\ntext/t.h\n'),
    ],
    'unique-names': [
        ('src/engine/m.h', '#pragma once\n'),
        ('src/engine/n.h', '#pragma once\nstruct M {\n};\n'),
        ('src/engine/n.h', '#pragma once\ntemplate <class T>\nclass M {\n};\n'),
        ('tools/tidy/repeated-names.txt', 'M: once upon a time\n'),
        ('tools/tidy/repeated-names.txt', 'M:\n'),
    ],
    'namespaces': [('src/model/a.cc', 'namespace basalt::engine {\n}\n')],
    'house-pages': [('src/model/README.md', TITLE + 'x\n' * 40), ('tools/tidy/layers.txt', LAYERS + 'new: base\n')],
    'picture': [('README.md', TITLE + '<!-- layers -->\n```\nbase\n```\n')],
    'names': [
        ('src/base/a.h', '#pragma once\nclass JobManager {};\n'),
        ('src/base/a.h', '#pragma once\nenum class StringUtil { A };\n'),
        ('src/base/a.h', '#pragma once\nstruct Handler {};\n'),
        ('src/base/job_utils.h', '#pragma once\n'),
    ],
    'pragma-once': [('src/base/a.h', 'int a;\n')],
    'own-header-first': [('src/base/a.cc', '#include <vector>\n#include "base/a.h"\n')],
    'trailing-space': [('src/base/a.cc', 'int a; \n'), ('docs/p.md', TITLE + 'text\t\n')],
    'line-length': [('src/base/a.cc', '//' + 'x' * 119 + '\n'), ('docs/p.md', TITLE + 'x' * 121 + '\n')],
    'machine-paths': [
        ('docs/p.md', TITLE + 'see /' + 'home/someone/file\n'),
        ('tools/a.py', 'path = "/' + 'work/main"\n'),
    ],
    'todo': [('src/base/a.cc', '// TO' 'DO: later\n'), ('tools/a.py', '# FIX' 'ME(me)\n')],
    'one-title': [('docs/p.md', 'no title\n'), ('docs/p.md', TITLE + '# Another\n')],
    'links': [('docs/p.md', TITLE + 'see [this](missing.md)\n'), ('README.md', TITLE + '[a](docs/missing.md#x)\n')],
    'named-files': [('docs/p.md', TITLE + 'see `src/base/gone.h`\n')],
    'comment-files': [
        ('src/base/a.cc', '// See gone.h.\n'),
        ('src/base/a.cc', 'int a;  // as in (engine/b.h)\n'),
    ],
    'life-of-a-job': [
        (LIFE, TITLE + 'no steps\n'),
        (LIFE, TITLE + '1. `src/base/gone.cc`: `f()`\n'),
        (LIFE, TITLE + '1. `src/base/a.cc`: `gone()`\n'),
        (LIFE, TITLE + '1. `src/base/a.cc`: `std()`\n'),
        (LIFE, TITLE + '1. `src/base/a.cc` without a function\n'),
        (LIFE, TITLE + '1. `f()` before its file `src/base/a.cc`\n'),
        (LIFE, TITLE + ''.join(f'{n}. `src/base/a.cc`: `f()`\n' for n in (1, 3))),
        (LIFE, TITLE + ''.join(f'{n}. `src/base/a.cc`: `f()`\n' for n in range(1, 16))),
    ],
    'reading-path': [
        (READING, TITLE + '| read | nothing |\n'),
        (READING, TITLE + stop(1, '[m](../src/model/gone.h)')),
        (READING, TITLE + stop(1, '[base](../src/base)')),
        (READING, TITLE + stop(1, 'nothing to read')),
        (READING, TITLE + stop('½', '[table](../src/base/table.cc) [m](../src/model/m.h)')),
        (READING, TITLE + stop(1, '[m](../src/model/m.h)') * 11),
    ],
}

GOOD = {
    'src/base/b.h': '#pragma once\n#include <vector>\n',
    'src/base/a.h': '#pragma once\n#include <unordered_set>\nclass A {\n  std::unordered_set<int> seen_;\n};\n',
    'src/base/a.cc': '#include "base/a.h"\n#include "base/b.h"\n'
                     '// std::cout, getenv and TO' 'DO(#12) in a comment are fine\n'
                     '// see b.h, base/b.h, a_test.cc, x.hpp and https://example.org/gone.h\n'
                     'const char* s = "std::getenv(";\nconst char* r = R"(std::rand( { )";\nint n = 1\'000\'000;\n'
                     'void f() {\n  for (int i : list) g(i);\n  char b = \'{\';\n  std::snprintf(s, 1, "x");\n}\n'
                     'void h() {\n  // order-free: a sum\n  for (int i : seen_) n += i;\n}\n'
                     'void r(Object& o) {\n  o["b"] = Value(o.at("a"));\n  list[i] = list[j];\n'
                     '  if (Value* v = o.if_contains(k)) { *v = 1; }\n  o[k] = w;\n}\n'
                     'struct Implicit {};\nstruct Commonly {};\nInstant time() const;\n',
    'src/base/a_test.cc': 'void f() { std::cout << 1; }\n' + long_function(70),
    'src/base/table.cc': 'constexpr Row kRows[] = {\n' + '  {1, f(2)},\n' * 100 + '};\n',
    'src/engine/e.h': '#pragma once\n#include "base/b.h"\n#include "model/m.h"\n',
    'src/model/m.h': '#pragma once\nclass M {\n' + '  void f() const { g(); }\n' * 100 + '};\n',
    'src/text/j.cc': '#include <boost/json.hpp>\n',
    'src/text/t.h': '#pragma once\n',
    'src/model/inner.h': '#pragma once\n',
    'src/model/a_test.cc': 'namespace basalt::model {\nnamespace {\n}\n}\n',
    **{f'src/{house}/README.md': TITLE for house in ('base', 'model', 'engine', 'text')},
    'tools/tidy/layers.txt': LAYERS,
    'tools/tidy/doors.txt': '# all\nmodel/m.h\n',
    'CMakeLists.txt': CMAKE,
    'docs/p.md': TITLE + '[q](q.md#there) [w](https://example.org) `src/base/a.h`\n```\n# not a title\n```\n'
                 '| ' + 'x' * 130 + ' |\n',
    'docs/q.md': TITLE + '[folder](../src/base) `[not](a-link)`\n',
    'README.md': TITLE,
    LIFE: TITLE + '```\n1. a picture\n```\n1. **First.** Both of `src/base/a.cc`: `f()`, `h()`\n'
                  '2. **Then**\n   - `src/base/a.cc`: `r()`\n   - `src/model/m.h`: `f()`\n\nThe end, `anything()`.\n',
    READING: TITLE + stop(1, '[a](../src/base/table.cc), [m](../src/model/m.h)') + stop('1½', '[p](p.md)'),
}


class EveryRule(unittest.TestCase):
    def findings(self, files):
        tree = Tree(files=files)
        return [(rule, path) for rule, check in tidy.rules().items() for path, _, _ in check(tree)]

    def test_good_sample_has_no_finding(self):
        self.assertEqual(self.findings(GOOD), [])

    def test_every_rule_has_a_bad_sample(self):
        self.assertEqual(set(BAD), set(tidy.rules()))

    def test_bad_samples_are_found(self):
        for rule, samples in BAD.items():
            for path, text in samples:
                with self.subTest(rule=rule, text=text[:80]):
                    self.assertIn((rule, path), self.findings(GOOD | {path: text}))

    def test_large_file_is_warned_about_before_it_fails(self):
        tree = Tree(files={'src/base/a.cc': '//\n' * 251})
        self.assertEqual(len(list(source_checks.warn_file_size(tree))), 1)

    def test_functions_are_seen_one_by_one(self):
        text = ('namespace a {\nstruct S {\n  S() : x{1} {}\n  int x = 3;\n};\n'
                'int f() {\n  return [] { return 1; }();\n}\n}\n')
        self.assertEqual(list(cpp.functions(cpp.blank_comments_and_strings(text))), [(3, 3), (6, 8)])


if __name__ == '__main__':
    unittest.main()

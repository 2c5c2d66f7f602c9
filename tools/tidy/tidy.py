#!/usr/bin/env python3
"""Rules about the sources that no compiler checks. Usage: tidy.py [ROOT]

Prints one line per finding, as file:line: [rule] message, and exits 1 if there is one. Warnings do not fail.
To add a rule: write check_<rule>(tree) in one of the *_checks.py and a bad sample in tidy_test.py.
"""
import os
import sys

import house_checks
import source_checks
import text_checks
from tree import Tree


def rules():
    """Rule name → function: every check_* of the three modules."""
    found = {}
    for module in (source_checks, house_checks, text_checks):
        for name, function in vars(module).items():
            if name.startswith('check_'):
                found[name.removeprefix('check_').replace('_', '-')] = function
    return found


def main(arguments):
    here = os.path.dirname(os.path.abspath(__file__))
    root = arguments[0] if arguments else os.path.dirname(os.path.dirname(here))
    tree = Tree(root)
    for path, _, message in source_checks.warn_file_size(tree):
        print(f'{path}: warning: {message}')
    failures = 0
    for rule, check in rules().items():
        for path, line, message in check(tree):
            print(f'{path}:{line}: [{rule}] {message}')
            failures += 1
    print(f'tidy: {len(rules())} rules, {len(tree.files())} files, {failures} findings')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))

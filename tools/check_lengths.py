#!/usr/bin/env python3
"""Checks that files, functions and lines stay short: no file over 800 lines, no function over 120,
nine in ten under 60; no line over 100 columns, which clang-format does not see to in comments.

usage: check_lengths.py [ROOT]     (default: the project that holds this file)
"""

import re
import sys
from pathlib import Path

FILE_LIMIT, FUNCTION_LIMIT, USUAL_LIMIT, LINE_LIMIT = 800, 120, 60, 100
FOLDERS = ("include", "src", "cli", "benchmarks", "scenes", "tests")
# other sources, of which the lines alone are measured, and where they are
LINE_FOLDERS = (*FOLDERS, ".ci", "cmake", "docs", "python", "studies", "tools", "viewer")
LINE_SUFFIXES = (".py", ".ts", ".mjs", ".sh", ".cmake")
FREE, BOUND = re.compile(r"(clang-format|# fmt:) off"), re.compile(r"(clang-format|# fmt:) on")
START = re.compile(r"^[A-Za-z_].*\)\s*\{\s*$|^\{\s*$|^ .*\) \{$")


def functions(lines):
    """(line of the opening brace, length in lines) of each function: it ends at the next brace in
    the first column."""
    start = None
    for number, line in enumerate(lines, 1):
        if (
            start is None
            and START.match(line)
            and not line.startswith(("typedef", "struct", "enum"))
        ):
            start = number
        elif line.startswith("}"):
            if start:
                yield start, number - start + 1
            start = None


def long_lines(lines):
    """Numbers of the lines that are too long. Tables that the formatters leave alone may be wide:
    those between "clang-format off" and "on", or "fmt: off" and "on"."""
    free = False
    for number, line in enumerate(lines, 1):
        free = (free or bool(FREE.search(line))) and not BOUND.search(line)
        if len(line) > LINE_LIMIT and not free:
            yield number


def sources(root):
    """All files whose lines are measured."""
    suffixes = (".c", ".h", *LINE_SUFFIXES)
    found = [
        path
        for folder in LINE_FOLDERS
        for path in (root / folder).rglob("*")
        if path.suffix in suffixes and "node_modules" not in path.parts
    ]
    return sorted(found + list(root.glob("CMakeLists.txt")))


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    complaints, lengths = [], []
    for path in sorted(path for folder in FOLDERS for path in (root / folder).rglob("*.[ch]")):
        lines = path.read_text().splitlines()
        if len(lines) > FILE_LIMIT:
            complaints.append(
                f"{path.relative_to(root)}: {len(lines)} lines, more than {FILE_LIMIT}"
            )
        for number, length in functions(lines):
            lengths.append(length)
            if length > FUNCTION_LIMIT:
                complaints.append(
                    f"{path.relative_to(root)}:{number}: a function of {length} lines, more "
                    f"than {FUNCTION_LIMIT}"
                )
    for path in sources(root):
        complaints += [
            f"{path.relative_to(root)}:{number}: a line of more than {LINE_LIMIT} columns"
            for number in long_lines(path.read_text().splitlines())
        ]
    lengths.sort()
    median, ninth = (lengths[len(lengths) * tenths // 10] for tenths in (5, 9))
    if ninth >= USUAL_LIMIT:
        complaints.append(
            f"one function in ten is longer than {ninth} lines; nine in ten should be shorter "
            f"than {USUAL_LIMIT}"
        )
    for line in complaints:
        print(line)
    print(
        f"lengths: {len(lengths)} functions, median {median} lines, nine in ten at most "
        f"{ninth}, {len(complaints)} complaints"
    )
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())

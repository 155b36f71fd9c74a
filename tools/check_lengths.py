#!/usr/bin/env python3
"""Checks that files, functions and lines stay short: no file over 800 lines, no function over 120, nine in ten under 60; no line
over 100 columns, which clang-format does not see to in comments.

usage: check_lengths.py [ROOT]     (default: the project that holds this file)
"""

import re
import sys
from pathlib import Path

FILE_LIMIT, FUNCTION_LIMIT, USUAL_LIMIT, LINE_LIMIT = 800, 120, 60, 100
FOLDERS = ("include", "src", "cli", "benchmarks", "scenes", "tests")
START = re.compile(r"^[A-Za-z_].*\)\s*\{\s*$|^\{\s*$|^ .*\) \{$")


def functions(lines):
    """(line of the opening brace, length in lines) of each function: it ends at the next brace in the first column."""
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
    """Numbers of the lines that are too long. Tables that clang-format leaves alone may be wide."""
    free = False
    for number, line in enumerate(lines, 1):
        free = (free or "clang-format off" in line) and "clang-format on" not in line
        if len(line) > LINE_LIMIT and not free:
            yield number


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    complaints, lengths = [], []
    for path in sorted(path for folder in FOLDERS for path in (root / folder).rglob("*.[ch]")):
        lines = path.read_text().splitlines()
        if len(lines) > FILE_LIMIT:
            complaints.append(
                f"{path.relative_to(root)}: {len(lines)} lines, more than {FILE_LIMIT}"
            )
        complaints += [
            f"{path.relative_to(root)}:{number}: a line of more than {LINE_LIMIT} columns"
            for number in long_lines(lines)
        ]
        for number, length in functions(lines):
            lengths.append(length)
            if length > FUNCTION_LIMIT:
                complaints.append(
                    f"{path.relative_to(root)}:{number}: a function of {length} lines, more than {FUNCTION_LIMIT}"
                )
    lengths.sort()
    median, ninth = (lengths[len(lengths) * tenths // 10] for tenths in (5, 9))
    if ninth >= USUAL_LIMIT:
        complaints.append(
            f"one function in ten is longer than {ninth} lines; nine in ten should be shorter than {USUAL_LIMIT}"
        )
    for line in complaints:
        print(line)
    print(
        f"lengths: {len(lengths)} functions, median {median} lines, nine in ten at most {ninth}, {len(complaints)} complaints"
    )
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())

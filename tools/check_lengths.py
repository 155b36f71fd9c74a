#!/usr/bin/env python3
"""Checks that files and functions stay short: no file over 800 lines, no function over 120, nine in ten under 60.

usage: check_lengths.py [ROOT]     (default: the project that holds this file)
"""
import re
import sys
from pathlib import Path

FILE_LIMIT, FUNCTION_LIMIT, USUAL_LIMIT = 800, 120, 60
START = re.compile(r"^[A-Za-z_].*\)\s*\{\s*$|^\{\s*$|^ .*\) \{$")


def functions(lines):
    """(line of the opening brace, length in lines) of each function: it ends at the next brace in the first column."""
    start = None
    for number, line in enumerate(lines, 1):
        if start is None and START.match(line) and not line.startswith(("typedef", "struct", "enum")):
            start = number
        elif line.startswith("}"):
            if start:
                yield start, number - start + 1
            start = None


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    complaints, lengths = [], []
    for path in sorted(path for folder in ("include", "src", "cli", "benchmarks", "scenes") for path in (root / folder).rglob("*.[ch]")):
        lines = path.read_text().splitlines()
        if len(lines) > FILE_LIMIT:
            complaints.append(f"{path.relative_to(root)}: {len(lines)} lines, more than {FILE_LIMIT}")
        for number, length in functions(lines):
            lengths.append(length)
            if length > FUNCTION_LIMIT:
                complaints.append(f"{path.relative_to(root)}:{number}: a function of {length} lines, more than {FUNCTION_LIMIT}")
    lengths.sort()
    median, ninth = (lengths[len(lengths) * tenths // 10] for tenths in (5, 9))
    if ninth >= USUAL_LIMIT:
        complaints.append(f"one function in ten is longer than {ninth} lines; nine in ten should be shorter than {USUAL_LIMIT}")
    for line in complaints:
        print(line)
    print(f"lengths: {len(lengths)} functions, median {median} lines, nine in ten at most {ninth}, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())

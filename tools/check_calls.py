#!/usr/bin/env python3
"""Checks that calls between the files of the library form no cycle.

usage: check_calls.py LIST_OF_OBJECT_FILES

The list names one object file in each line. A file calls another where its object file refers to a
function that the other defines, so the answer is exact, whatever headers say. An address of a
function counts as a call. A `const` table that another file defines does not: a list of descriptors
names all of its kinds, and the kinds use what the list's floor offers.

Prints each cycle: the files that reach each other, with the functions.
"""

import subprocess
import sys
from pathlib import Path

FUNCTION, UNDEFINED = "TW", "U"  # nm's letters: text, weak, undefined


def source_of(path):
    """src/base/hash.c, from .../limpet_objects.dir/src/base/hash.c.o."""
    parts = Path(path).parts
    start = max((i + 1 for i, part in enumerate(parts) if part.endswith(".dir")), default=0)
    return str(Path(*parts[start:]).with_suffix(""))


def symbols_of(paths):
    """{file: (functions that it defines, symbols that it needs from others)}"""
    command = ["nm", "-A", "-g", "-P", *paths]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    symbols = {source_of(path): (set(), set()) for path in paths}
    for line in lines:
        path, symbol = line.split(": ", 1)
        name, letter = symbol.split()[:2]
        defined, needed = symbols[source_of(path)]
        if letter in FUNCTION:
            defined.add(name)
        elif letter == UNDEFINED:
            needed.add(name)
    return symbols


def call_graph(paths):
    """{file: {file that it calls: [functions]}}"""
    symbols = symbols_of(paths)
    owner = {name: file for file, (defined, _) in symbols.items() for name in defined}
    graph = {}
    for file, (_, needed) in symbols.items():
        calls = graph[file] = {}
        for name in sorted(needed):
            if owner.get(name, file) != file:
                calls.setdefault(owner[name], []).append(name)
    return graph


def reachable(graph, start):
    """Files that `start` calls, directly or not."""
    found, waiting = set(), [start]
    while waiting:
        for file in graph[waiting.pop()]:
            if file not in found:
                found.add(file)
                waiting.append(file)
    return found


def find_cycles(graph):
    """Sorted lists of files that call each other around."""
    reach = {file: reachable(graph, file) for file in graph}
    cycles = {
        tuple(sorted(other for other in reach[file] if file in reach[other]))
        for file in graph
        if file in reach[file]
    }
    return sorted(cycles)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    paths = [line for line in Path(sys.argv[1]).read_text().splitlines() if line.endswith(".o")]
    graph = call_graph(paths)
    cycles = find_cycles(graph)
    for cycle in cycles:
        print(f"cycle of calls between {len(cycle)} files:")
        for file in cycle:
            for other in cycle:
                if other in graph[file]:
                    print(f"  {file} calls {other}: {', '.join(graph[file][other])}")
    calls = sum(len(others) for others in graph.values())
    print(f"calls: {len(graph)} files, {calls} pairs, {len(cycles)} cycles")
    return 1 if cycles or not graph else 0


if __name__ == "__main__":
    sys.exit(main())

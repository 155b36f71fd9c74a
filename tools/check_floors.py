#!/usr/bin/env python3
"""Checks that includes go down the floors only.

usage: check_floors.py [ROOT]     (default: the project that holds this file)

Rules, from the folders of the project:
- a file of src/ or include/limpet/ includes headers of its own folder and of lower floors; folders
  on one floor do not see each other;
- a public header has the floor of the folder whose noun it carries;
- no cycle of includes;
- cli/ and scenes/ include public headers and their own; benchmarks/ and tests/ may include
  everything;
- limpet/limpet.h is for programs (cli/, scenes/, tests/, benchmarks/), not for the library;
- a header is named by its path from src/ or include/, or, beside the including file, by its name
  alone.
"""

import re
import sys
from pathlib import Path

FLOOR = {
    "base": 0,
    "math": 1,
    "geometry": 2, "optim": 2, "fem": 2,
    "model": 3,
    "dynamics": 4, "collide": 4, "law": 4,
    "contact": 5,
    "constraint": 6, "solve": 6,
    "step": 7, "sense": 7,
    "gradient": 8,
    "control": 9,
    "format": 10, "record": 10,
    "batch": 11,
}  # fmt: skip
FOLDER_OF_PUBLIC_HEADER = {
    "appearance": "model",
    "data": "model",
    "description": "model",
    "distance": "geometry",
    "field": "base",
    "identify": "control",
    "live": "record",
    "plan": "control",
    "deformable": "model",
    "material": "model",
    "parameter": "model",
    "pressure": "geometry",
    "gradient_deformable": "gradient",
    "rollout_gradient": "gradient",
    "gradient_parameters": "gradient",
    "gradient_jump": "gradient",
    "gradient_smoothing": "gradient",
}  # where the noun is not the folder's name
PROGRAMS = ("cli", "benchmarks", "scenes", "tests")
SUPPORT = {
    "tests": ["tests/support", "scenes/support", "cli"],
    "scenes": ["scenes/support"],
}  # further include folders of programs
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<(limpet/[^>]+)>)')


def folder_of(path):
    """The library folder that a file of the project belongs to, or the program folder; None: on no
    floor."""
    parts = path.parts
    if parts[0] == "src" and len(parts) > 2:
        return parts[1]
    if parts[:2] == ("include", "limpet"):
        return FOLDER_OF_PUBLIC_HEADER.get(path.stem, path.stem)
    return parts[0] if parts[0] in PROGRAMS else None


def find_header(root, path, name):
    """Path from the root of the header that `path` includes as `name`, or None."""
    beside = [path.parent / name] if "/" not in name else []
    support = [Path(folder) / name for folder in SUPPORT.get(path.parts[0], [])]
    for candidate in beside + [Path("src") / name, Path("include") / name] + support:
        if (root / candidate).is_file():
            return candidate
    return None


def complaint(path, header):
    """Why `path` must not include `header`, or None."""
    folder, target = folder_of(path), folder_of(header)
    if folder in PROGRAMS:
        if folder in ("cli", "scenes") and header.parts[0] == "src":
            return f"{folder}/ sees public headers only"
        if (
            header.parts[0] in PROGRAMS
            and header.parts[0] != folder
            and str(header.parent) not in SUPPORT.get(folder, [])
        ):
            return f"{folder}/ does not see {header.parts[0]}/"
        return None
    if header == Path("include/limpet/limpet.h"):
        return "limpet/limpet.h is for programs; include the headers that are needed"
    if path == Path("include/limpet/limpet.h"):
        return None
    if folder not in FLOOR:
        return f"'{folder}' has no floor (tools/check_floors.py lists them)"
    if target not in FLOOR:
        return f"'{target}' has no floor (tools/check_floors.py lists them)"
    if folder == target or FLOOR[target] < FLOOR[folder]:
        return None
    where = "up to" if FLOOR[target] > FLOOR[folder] else "across, on"
    return f"from {folder} (floor {FLOOR[folder]}) {where} {target} (floor {FLOOR[target]})"


def find_cycle(graph):
    """One cycle of the include graph as a list of paths, or None. Depth first, with the path on a
    stack."""
    done, stack = set(), []

    def visit(node):
        if node in stack:
            return stack[stack.index(node) :] + [node]
        if node in done:
            return None
        stack.append(node)
        for header in graph.get(node, []):
            cycle = visit(header)
            if cycle:
                return cycle
        stack.pop()
        done.add(node)
        return None

    for node in sorted(graph):
        cycle = visit(node)
        if cycle:
            return cycle
    return None


def check(root):
    """Returns (number of files read, list of complaints)."""
    files = sorted(
        path.relative_to(root)
        for folder in ("include", "src") + PROGRAMS
        for path in (root / folder).rglob("*.[ch]")
    )
    graph, complaints = {}, []
    for path in files:
        graph[path] = []
        for number, line in enumerate((root / path).read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            name = match.group(1) or match.group(2)
            header = find_header(root, path, name)
            reason = (
                complaint(path, header)
                if header
                else "there is no such header (system headers go in <>)"
            )
            if reason:
                complaints.append(f'{path}:{number}: include of "{name}": {reason}')
            if header:
                graph[path].append(header)
    cycle = find_cycle(graph)
    if cycle:
        complaints.append("include cycle: " + " -> ".join(str(path) for path in cycle))
    return len(files), complaints


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    count, complaints = check(root)
    for line in complaints:
        print(line)
    print(f"floors: {count} files, {len(complaints)} complaints")
    return 1 if complaints or not count else 0


if __name__ == "__main__":
    sys.exit(main())

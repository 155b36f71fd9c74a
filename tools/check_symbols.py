#!/usr/bin/env python3
"""Checks the names that the library gives to the world.

usage: check_symbols.py LIBLIMPET_SO LIBLIMPET_A [INCLUDE_FOLDER]

- every global symbol, hidden ones too (they matter to whoever links statically), begins with
  limpet_;
- the shared library exports exactly what the public headers declare with LIMPET_API;
- a function that is global, but not public, is called from another file than its own: else it is
  `static`, or nobody needs it.
"""

import re
import subprocess
import sys
from pathlib import Path

DECLARATION = re.compile(r"\bLIMPET_API\b[^;({]*?\b(\w+)\s*(?:\(|\[|;)")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
DEFINED = set("TDBRVWGSC")  # nm's letters for text, data, read-only, weak, common
FUNCTIONS = set("TW")


def defined_symbols(library, *options, letters=DEFINED):
    lines = subprocess.run(
        ["nm", "-P", *options, str(library)], check=True, capture_output=True, text=True
    ).stdout
    fields = (line.split() for line in lines.splitlines())
    return {field[0] for field in fields if len(field) > 2 and field[1] in letters}


def declared_symbols(folder):
    names = set()
    for header in sorted(folder.glob("*.h")):
        text = COMMENT.sub("", header.read_text())
        text = re.sub(r"^\s*#.*$", "", text, flags=re.M)
        names.update(DECLARATION.findall(text))
    return names


def lonely_symbols(names, root):
    """Functions of `names` that one source alone speaks of, and no header but to declare them."""
    sources, headers = {}, {}
    for folder in ("src", "cli", "tests", "benchmarks", "scenes"):
        for path in (root / folder).rglob("*.[ch]"):
            words = re.findall(r"\blimpet_\w+", COMMENT.sub("", path.read_text()))
            for word in words if path.suffix == ".h" else set(words):
                counts = headers if path.suffix == ".h" else sources
                counts[word] = counts.get(word, 0) + 1
    # a name that macros put together stands in no source
    return [name for name in names if sources.get(name) == 1 and headers.get(name, 0) <= 1]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    folder = (
        Path(sys.argv[3])
        if len(sys.argv) > 3
        else Path(__file__).resolve().parent.parent / "include/limpet"
    )
    exported = defined_symbols(sys.argv[1], "-D")
    everything = defined_symbols(sys.argv[2], "-g")
    declared = declared_symbols(folder)

    complaints = [
        f"{name}: does not begin with limpet_"
        for name in sorted(everything | exported)
        if not name.startswith("limpet_")
    ]
    complaints += [
        f"{name}: exported, but in no public header" for name in sorted(exported - declared)
    ]
    complaints += [
        f"{name}: declared LIMPET_API, but not exported" for name in sorted(declared - exported)
    ]
    internal = defined_symbols(sys.argv[2], "-g", letters=FUNCTIONS) - declared
    complaints += [
        f"{name}: no other file calls it; make it static, or remove it"
        for name in sorted(lonely_symbols(internal, folder.parent.parent))
    ]
    for line in complaints:
        print(line)
    print(
        f"symbols: {len(everything)} global, {len(exported)} exported, {len(declared)} "
        f"declared, {len(complaints)} complaints"
    )
    return 1 if complaints or not exported else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Public functions that take something assert what they take: indices, sizes, order of calls.

Reads the declarations with LIMPET_API in include/limpet, finds each definition in src, and fails
where its body has no assert. Left out are functions without arguments, those that free, and those
of EXEMPT, each with its reason."""

import re
import sys
from pathlib import Path

EXEMPT = {
    "limpet_status_name": "any number has a name",
    "limpet_pressure_surface_create": "takes nothing but an error, which may be NULL",
}
# they take what a creator returned, NULL too
FREES = re.compile(r"_(destroy|free)$")

ROOT = Path(__file__).resolve().parent.parent


def declared():
    """Names of public functions that take arguments."""
    names = {}
    for header in sorted((ROOT / "include" / "limpet").glob("*.h")):
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", header.read_text(), flags=re.S)
        for match in re.finditer(r"LIMPET_API\s[^;{]*?(limpet_\w+)\s*\(([^;]*)\)\s*;", text):
            if match.group(2).strip() != "void" and not FREES.search(match.group(1)):
                names[match.group(1)] = header.name
    return names


def body_of(text, start):
    """The block that opens behind `start`."""
    depth = 0
    for at in range(text.index("{", start), len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return text[start:at]
    return ""


def defined():
    """name -> (file, body) of all functions in src whose name begins with limpet_."""
    found = {}
    for source in sorted((ROOT / "src").rglob("*.c")):
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", source.read_text(), flags=re.S)
        pattern = r"^(?!static)\w[^;{}=#]*?(limpet_\w+)\([^;{}]*\)\s*\{"
        for match in re.finditer(pattern, text, re.M):
            found[match.group(1)] = (source.relative_to(ROOT), body_of(text, match.end() - 1))
    return found


def main():
    bodies, complaints = defined(), []
    names = declared()
    for name, header in names.items():
        if name not in bodies:
            complaints.append(f"{header}: {name} is not defined in src")
        elif name in EXEMPT:
            if "assert(" in bodies[name][1]:
                complaints.append(f"{bodies[name][0]}: {name} asserts, so it needs no exemption")
        elif "assert(" not in bodies[name][1]:
            complaints.append(f"{bodies[name][0]}: {name} asserts nothing")
    for name in EXEMPT.keys() - names.keys():
        complaints.append(f"{name} is exempt and not public")
    for complaint in complaints:
        print(complaint)
    print(f"asserts: {len(names)} public functions with arguments, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())

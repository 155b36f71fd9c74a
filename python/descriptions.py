#!/usr/bin/env python3
"""Writes limpet/_descriptions.py: what the public headers say of each field of a struct.

usage: descriptions.py INCLUDE_FOLDER OUTPUT.py

A comment belongs to the declaration in whose line it begins, and goes on in lines that hold nothing
else; one that stands in lines of its own belongs to the declaration below it. Docstrings of
limpet.Builder are made of these texts, which begin with shape and unit.
"""

import re
import sys
from pathlib import Path

STRUCT = re.compile(r"^typedef struct (limpet_\w+) \{([^\n]*)\n(.*?)^\} \1;", re.S | re.M)
NAME = re.compile(r"\(?\*?\s*(\w+)\)?(?:\[\w+\])*$")


def split_line(line):
    """Code and comment of a line."""
    code, _, comment = line.partition("//")
    return code.strip(), comment.strip()


def without_blocks(body):
    """Block comments as lines of line comments."""

    def lines(match):
        rows = match.group(1).splitlines()
        return "\n".join("// " + row.strip().lstrip("*").strip() for row in rows)

    return re.sub(r"/\*(.*?)\*/", lines, body, flags=re.S)


def names_of(declaration):
    """Names that a declaration declares: "const double *q, *v" has q and v."""
    declaration = re.sub(r"\([^)]*\)$", "", declaration)  # arguments of a function
    return [NAME.search(part.strip()).group(1) for part in declaration.split(",")]


def fields_of(body):
    """{field: text} of the body of a struct."""
    fields, above, code, told, open_names = {}, [], "", [], []
    for line in without_blocks(body).splitlines():
        more, comment = split_line(line)
        if not more and not code:
            if comment and open_names and line.index("//") > 2:  # goes on with the line before
                for name in open_names:
                    fields[name] += " " + comment
            elif comment:
                above, open_names = [*above, comment], []
            else:
                above, open_names = [], []
            continue
        code, told = f"{code} {more}".strip(), [*told, comment] if comment else told
        if not code.endswith(";"):
            continue  # a declaration of several lines
        text = " ".join([*above, *told])
        open_names = names_of(code[:-1])
        fields.update(dict.fromkeys(open_names, text))
        above, code, told = [], "", []
    return fields


def main():
    folder, output = Path(sys.argv[1]) / "limpet", sys.argv[2]
    rows = ['"""What the headers say of fields of structs; made by python/descriptions.py."""', ""]
    rows.append("FIELDS = {")
    for header in sorted(folder.glob("*.h")):
        for name, _, body in STRUCT.findall(header.read_text()):
            fields = {field: text for field, text in fields_of(body).items() if text}
            rows.append(f"    {name!r}: {fields!r},")
    Path(output).write_text("\n".join([*rows, "}", ""]))


if __name__ == "__main__":
    main()

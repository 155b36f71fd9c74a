#!/usr/bin/env python3
"""Turns the public headers into one Markdown page: comments become text, declarations stay as they
are.

usage: make_api_docs.py [INCLUDE_FOLDER] > api.md

A header is read in paragraphs, which empty lines separate. A comment at the head of a paragraph is
its text, the rest its code. A comment line that ends or begins with a run of dashes is a heading.
"""

import re
import sys
from pathlib import Path

ORDER = [
    "base",
    "field",
    "geometry",
    "distance",
    "pressure",
    "fem",
    "material",
    "appearance",
    "deformable",
    "description",
    "model",
    "parameter",
    "data",
    "dynamics",
    "law",
    "contact",
    "constraint",
    "step",
    "sense",
    "gradient",
    "gradient_parameters",
    "gradient_jump",
    "gradient_smoothing",
    "gradient_deformable",
    "rollout_gradient",
    "control",
    "plan",
    "identify",
    "format",
    "record",
    "live",
    "batch",
]
IGNORED = re.compile(r'^\s*(#.*(\\\n.*)*|extern "C" \{|\}|#\s*include.*)\s*$')
HEADING = re.compile(r"^// -{8,}\s*(.+?)$|^// (.+?) -{8,}$")


def escape(text):
    """Text of a comment as Markdown: code between backticks stays, characters that Markdown would
    take are escaped."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        part if part.startswith("`") else re.sub(r"([*_<>\[\]$|#~\\])", r"\\\1", part)
        for part in parts
    )


def split_paragraph(lines):
    """(text of the leading comment, remaining lines of code)."""
    text, rest = [], list(lines)
    while rest:
        line = rest[0].strip()
        if line.startswith("//"):
            text.append(line[2:].strip())
            rest.pop(0)
        elif line.startswith("/*"):
            while rest:
                line = rest.pop(0).strip()
                text.append(re.sub(r"^/?\*+ ?|\s*\*/$", "", line).strip())
                if line.endswith("*/"):
                    break
        else:
            break
    return " ".join(part for part in text if part), rest


def paragraphs(lines):
    """Groups of lines between empty ones; the braces of a struct and the lines of a block comment
    keep a group together."""
    group, depth, comment = [], 0, False
    for line in lines:
        comment = (comment or line.strip().startswith("/*")) and "*/" not in line
        code = re.sub(r"//.*|/\*.*?\*/", "", line)
        depth += 0 if comment else code.count("{") - code.count("}")
        if line.strip() or depth > 0 or comment:
            group.append(line)
        elif group:
            yield group
            group = []
    if group:
        yield group


def declarations(group):
    """Parts of a paragraph: each comment that stands at the left margin after a finished
    declaration begins a new one."""
    part, depth, comment, in_code = [], 0, False, False
    for line in group:
        starts = line.startswith(("//", "/*")) and depth == 0 and not comment
        if starts and in_code:
            yield part
            part, in_code = [], False
        part.append(line)
        comment = (comment or line.startswith("/*")) and "*/" not in line
        if not comment and not starts and not line.startswith((" *", "//")):
            in_code = True
            code = re.sub(r"//.*|/\*.*?\*/", "", line)
            depth += code.count("{") - code.count("}")
    if part:
        yield part


def header_page(path):
    """Markdown of one header."""
    source = path.read_text()
    match = re.match(r"/\*\s*(.*?)\*/", source, re.S)
    head, body = (match.group(1), source[match.end() :]) if match else ("", source)
    out = [f"## limpet/{path.name}", ""]
    text = re.sub(r"^limpet/\w+\.h: ", "", re.sub(r"\n \*[ ]?", "\n", head))
    for chunk in re.split(r"\n\s*\n", text):
        flat = escape(" ".join(chunk.split()))
        out += [flat[:1].upper() + flat[1:], ""]
    lines = [
        line
        for line in body.splitlines()
        if not IGNORED.match(line) or re.match(r"#define LIMPET_VERSION", line)
    ]
    for group in paragraphs(lines):
        for part in declarations(group):
            heading = HEADING.match(part[0])
            if heading:
                out += [f"### {escape(heading.group(1) or heading.group(2)).capitalize()}", ""]
                part = part[1:]
            comment, code = split_paragraph(part)
            if comment:
                out += [escape(comment), ""]
            if code:
                out += ["```c", *(line.replace("LIMPET_API ", "") for line in code), "```", ""]
    return out


def main():
    folder = (
        Path(sys.argv[1])
        if len(sys.argv) > 1
        else Path(__file__).resolve().parent.parent / "include/limpet"
    )
    out = [
        "# C API",
        "",
        "Made from the public headers in `include/limpet/`; `#include <limpet/limpet.h>` brings "
        "all of them.",
        "",
    ]
    for name in ORDER:
        if (folder / f"{name}.h").exists():
            out += header_page(folder / f"{name}.h")
    forgotten = {path.stem for path in folder.glob("*.h")} - set(ORDER) - {"limpet"}
    if forgotten:
        sys.exit(f"make_api_docs.py: no place in the order for {', '.join(sorted(forgotten))}")
    print("\n".join(out))


if __name__ == "__main__":
    main()

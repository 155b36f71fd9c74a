#!/usr/bin/env python3
"""Turns what `limpet list --json` says into a Markdown page: models, constraints, schemes, shapes
and sensors, with their parameters.

usage: make_docs_tables.py LIMPET_COMMAND > tables.md
"""

import json
import subprocess
import sys

TITLES = {
    "models": ("Contact models", "`limpet run --contact NAME`"),
    "constraints": ("Constraints", ""),
    "schemes": ("Stepping schemes", "`limpet run --scheme NAME`"),
    "shapes": ("Pairs of shapes", "What makes the contact points of two geoms."),
    "sensors": ("Sensors", "`<sensor>` of MJCF; [what they read and when](sensors.md)."),
    "controllers": ("Controllers", "`limpet run --controller FILE.json`; [the file](control.md)."),
}


def cell(value):
    """A value as the text of a table's cell; null is infinite."""
    text = "∞" if value is None else f"{value:g}" if isinstance(value, (int, float)) else str(value)
    return text.replace("|", "\\|")


def bounds(minimum, maximum):
    if minimum is None:
        return "any" if maximum is None else f"at most {cell(maximum)}"
    return f"at least {cell(minimum)}" if maximum is None else f"{cell(minimum)} to {cell(maximum)}"


def descriptor_page(descriptor):
    out = [f"### {descriptor['name']}", "", descriptor["text"] or "", ""]
    if descriptor["reference"]:
        out += [f"Reference: {descriptor['reference']}", ""]
    if descriptor["parameters"]:
        out += ["| parameter | unit | default | range | |", "|---|---|---|---|---|"]
        for parameter in descriptor["parameters"]:
            limits = bounds(parameter["minimum"], parameter["maximum"])
            out.append(
                f"| `{parameter['name']}` | {cell(parameter['unit'])} | "
                f"{cell(parameter['default'])} | {limits} "
                f"| {cell(parameter['text'])} |"
            )
        out.append("")
    return out


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    lists = json.loads(
        subprocess.run(
            [sys.argv[1], "list", "--json"], check=True, capture_output=True, text=True
        ).stdout
    )
    out = [
        "# Models, constraints, schemes, shapes, sensors, controllers",
        "",
        "Made from the descriptors in the library; `limpet list` prints the same.",
        "",
    ]
    for key, (title, text) in TITLES.items():
        out += [f"## {title}", "", text, ""]
        if key == "shapes":  # a long table of short rows
            out += ["| pair | contact points | reference |", "|---|---|---|"]
            out += [
                f"| {cell(row['name'])} | {cell(row['text'])} | {cell(row['reference'] or '')} |"
                for row in lists[key]
            ] + [""]
        elif key == "sensors":
            out += ["| kind | numbers | unit | stage | |", "|---|---|---|---|---|"]
            out += [
                f"| `{row['name']}` | {row['size'] or 'any'} | {cell(row['unit'])} | "
                f"{row['stage']} | {cell(row['text'])} |"
                for row in lists[key]
            ] + [""]
        else:
            for descriptor in lists[key]:
                out += descriptor_page(descriptor)
    print("\n".join(out))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Turns what `limpet list --json` says into Markdown: a page of all tables, and tables in pages.

usage: make_docs_tables.py LIMPET_COMMAND > tables.md
       make_docs_tables.py LIMPET_COMMAND PAGE.md ...     (fills the pages in place)

In a page a line `<!-- table: settings -->` becomes the table of the settings of a step with the
presets, `<!-- table: options -->` the options of the command that set one each, and
`<!-- table: limpet_material -->` the fields of that struct with their defaults.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

TITLES = {
    "models": ("Contact models", "`limpet run --contact NAME`"),
    "laws": ("Normal laws", "`limpet run --normal-law NAME`"),
    "elastic": ("Elastic laws", "Of [deformable bodies](deformable-bodies.md)."),
    "constraints": ("Constraints", ""),
    "schemes": ("Stepping schemes", "`limpet run --scheme NAME`"),
    "shapes": ("Pairs of shapes", "What makes the contact points of two geoms."),
    "sensors": ("Sensors", "`<sensor>` of MJCF; [what they read and when](sensors.md)."),
    "controllers": ("Controllers", "`limpet run --controller FILE.json`; [the file](control.md)."),
    "cost-terms": ("Terms of a cost", "`limpet optimize`; [the file](trajectory-optimisation.md)."),
    "structs": (
        "Fields of structs",
        "In C: `limpet_data_fields()` and its like, [limpet/field.h](api.md).",
    ),
}


def cell(value):
    """A value as the text of a table's cell; null is infinite."""
    text = "∞" if value is None else f"{value:g}" if isinstance(value, (int, float)) else str(value)
    return text.replace("|", "\\|")


def row(*cells):
    return f"| {' | '.join(cells)} |"


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
                row(
                    f"`{parameter['name']}`",
                    cell(parameter["unit"]),
                    cell(parameter["default"]),
                    limits,
                    cell(parameter["text"]),
                )
            )
        out.append("")
    return out


def unit(field):
    return cell(field["unit"] or "")


def limits(field):
    """Range of a number that is given; empty for switches and names."""
    if field["type"] in ("bool", "descriptor", "struct", "enum"):
        return ""
    return bounds(field["minimum"], field["maximum"])


def settings_table(lists):
    """Settings of a step, with a column for each preset: blank where it changes nothing."""
    presets = [preset for preset in lists["presets"] if preset["values"]]
    names = " | ".join(preset["name"] for preset in presets)
    out = [
        f"| field of `limpet_step_settings` | unit | default | range | {names} | |",
        "|---|---|---|---|" + "---|" * (len(presets) + 1),
    ]
    for field in struct(lists, "limpet_step_settings")["fields"]:
        changed = " | ".join(preset["values"].get(field["name"], "") for preset in presets)
        cells = [f"`{field['name']}`", unit(field), field["default"], limits(field), changed]
        out.append(row(*cells, cell(field["text"])))
    return out


def options_table(lists):
    """Options of `limpet run` that set one field each."""
    out = ["| option | setting | default | range |", "|---|---|---|---|"]
    for field in struct(lists, "limpet_step_settings")["fields"]:
        if "option" not in field["uses"]:
            continue
        name = field["name"].split(".")[-1]
        off = field["default"] == "true"
        option = f"--{'no-' if off else ''}{name.replace('_', '-')}"
        of = f" {field['unit']}" if field["unit"] not in (None, "1") else ""
        setting = f"`{field['name']}`{' off' if off else ''}: {cell(field['text'])}"
        out.append(row(f"`{option}`", setting, field["default"] + of, limits(field)))
    return out


def struct(lists, name):
    return next(entry for entry in lists["structs"] if entry["name"] == name)


def defaults_table(lists, name):
    """Fields of a struct that a user fills."""
    out = [f"| field of `{name}` | unit | default | range | |", "|---|---|---|---|---|"]
    for field in struct(lists, name)["fields"]:
        default = field["default"] or ""
        cells = [f"`{field['name']}`", unit(field), default, limits(field)]
        out.append(row(*cells, cell(field["text"])))
    return out


def fields_table(entry):
    """Fields of a struct as they lie there."""
    out = [
        f"### {entry['name']}",
        "",
        "| field | type | shape | unit | filled by | |",
        "|---|---|---|---|---|---|",
    ]
    for field in entry["fields"]:
        stage = f"`{field['stage']}`" if field["stage"] else ""
        kind = f"`{field['struct']}`" if field["struct"] else field["type"]
        cells = [f"`{field['name']}`", kind, field["shape"], unit(field), stage]
        out.append(row(*cells, cell(field["text"])))
    return [*out, ""]


def filled(text, lists):
    """A page with its tables."""

    def table(match):
        name = match.group(1)
        tables = {"settings": settings_table, "options": options_table}
        return "\n".join(tables[name](lists) if name in tables else defaults_table(lists, name))

    return re.sub(r"^<!-- table: (\w+) -->$", table, text, flags=re.M)


def tables_page(lists):
    out = [
        "# What can be chosen by name, and fields of structs",
        "",
        "Made from the descriptors and tables in the library; `limpet list` prints the same.",
        "",
    ]
    for key, (title, text) in TITLES.items():
        out += [f"## {title}", "", text, ""]
        if key == "shapes":  # a long table of short rows
            out += ["| pair | contact points | reference |", "|---|---|---|"]
            out += [
                row(cell(entry["name"]), cell(entry["text"]), cell(entry["reference"] or ""))
                for entry in lists[key]
            ] + [""]
        elif key == "sensors":
            out += ["| kind | numbers | unit | stage | |", "|---|---|---|---|---|"]
            out += [
                row(
                    f"`{entry['name']}`",
                    str(entry["size"] or "any"),
                    cell(entry["unit"]),
                    entry["stage"],
                    cell(entry["text"]),
                )
                for entry in lists[key]
            ] + [""]
        elif key == "structs":
            for entry in lists[key]:
                out += fields_table(entry)
        else:
            for descriptor in lists[key]:
                out += descriptor_page(descriptor)
    return "\n".join(out)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    output = subprocess.run(
        [sys.argv[1], "list", "--json"], check=True, capture_output=True, text=True
    )
    lists = json.loads(output.stdout)
    for page in map(Path, sys.argv[2:]):
        page.write_text(filled(page.read_text(), lists))
    if len(sys.argv) == 2:
        print(tables_page(lists))


if __name__ == "__main__":
    main()

"""Tables of a docs page that studies refresh. They stand between two markers, everything else is
written by hand:

<!-- table: NAME -->
...
<!-- end -->
"""

import re

from .checks import shown
from .command import StudyError

WORDS = {"pass": "pass", "miss": "**miss**", "fail": "**FAIL**"}  # of the verdicts of checks


def table_text(header, rows):
    """Markdown of a table; numbers are written with `shown`, the first column is flush left."""
    cells = [[shown(cell, 4) for cell in row] for row in rows]
    lines = [
        "| " + " | ".join(header) + " |",
        "|" + "|".join(["---"] + ["---:"] * (len(header) - 1)) + "|",
    ]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in cells])


def checks_text(checks):
    """Markdown of a table of checks."""
    lines = ["| check | value | expected | |", "|---|---:|---:|---|"]
    return "\n".join(
        lines
        + [
            f"| {check.text} | {shown(check.value)}{check.suffix()} | "
            f"{check.expected}{check.suffix()} | {WORDS[check.verdict()]} |"
            for check in checks
        ]
    )


def refresh(path, tables):
    """Puts the tables {name: Markdown} into the page. A table without a place, or a place without a
    table, is an error."""
    text = path.read_text()
    places = re.findall(r"<!-- table: (\S+) -->", text)
    if sorted(places) != sorted(tables):
        raise StudyError(
            f"{path}: has the tables {sorted(places)}, the study makes {sorted(tables)}"
        )
    for name, table in tables.items():
        block = rf"(<!-- table: {re.escape(name)} -->\n).*?(<!-- end -->)"
        text, count = re.subn(
            block, lambda match: f"{match[1]}\n{table}\n\n{match[2]}", text, flags=re.S
        )
        if count != 1:
            raise StudyError(f"{path}: the table '{name}' has no '<!-- end -->'")
    path.write_text(text)

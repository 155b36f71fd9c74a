"""Tables that programs of this project measured, between two comments of a page:

    <!-- measured: NAME -->

    | ... |

    *Limpet 0.1.0, 1 December 2026: `limpet bench --json`.*
    <!-- counts
    panda iterations=1.45 hash=eacb74ae5da538bf
    -->
    <!-- end -->

The text around them is written by hand. Counts (iterations, contacts, instructions, hashes of
states) are what the same program counts again on any quiet or busy machine of the same kind: they
tell whether a table is still true. Times are not among them.
"""

import re

PLACE = re.compile(r"^<!-- measured: (\S+) -->\n(.*?)^<!-- end -->$", re.M | re.S)
OPENING = re.compile(r"^<!-- measured: (\S+) -->$", re.M)
COUNTS = re.compile(r"^<!-- counts\n(.*?)^-->$", re.M | re.S)
# relative difference of real numbers that counts as none: round-off of means; and of instructions,
# which the libraries of the system have a share in. Shares are printed with two digits.
ROUND_OFF, INSTRUCTIONS, SHARE = 1e-6, 0.005, 0.011


class PageError(Exception):
    """A page has not the places that it should have."""


def places(text, page="the page"):
    """{name: block} of a page; a block that does not end, or a name that comes twice, is an
    error."""
    found = PLACE.findall(text)
    names = [name for name, _ in found]
    if names != OPENING.findall(text):
        raise PageError(f"{page}: a measured table has no '<!-- end -->' of its own")
    if len(set(names)) != len(names):
        raise PageError(f"{page}: a measured table is there twice")
    return dict(found)


def table_text(header, rows):
    """Markdown of a table; columns after the first are flush right, and so are their numbers."""
    for row in rows:
        if len(row) != len(header):
            raise PageError(f"a row of {len(row)} cells in a table of {len(header)}: {row}")
    lines = [f"| {' | '.join(map(str, row))} |" for row in [header, *rows]]
    lines.insert(1, f"|---|{'---:|' * (len(header) - 1)}")
    return "\n".join(lines)


def count_text(value):
    return f"{value:.9g}" if isinstance(value, float) else str(value)


def counts_text(counts):
    """{row: {count: value}} as lines."""
    lines = (
        " ".join([row.replace(" ", "_"), *(f"{key}={count_text(v)}" for key, v in of_row.items())])
        for row, of_row in counts.items()
    )
    return "<!-- counts\n" + "".join(f"{line}\n" for line in lines) + "-->"


def counts_of(block):
    """{row: {count: text}} of a block; empty where it has none."""
    match = COUNTS.search(block)
    counts = {}
    for line in match[1].splitlines() if match else []:
        row, *words = line.split()
        counts[row] = dict(word.split("=", 1) for word in words)
    return counts


def block_text(header, rows, source, counts):
    """What stands between the comments."""
    parts = [f"\n{table_text(header, rows)}\n", f"*{source}*"]
    return "\n".join([*parts, *([counts_text(counts)] if counts else []), ""])


def put(text, name, block, page="the page"):
    """The page with another block in the place of that name."""
    if name not in places(text, page):
        raise PageError(f"{page}: there is no '<!-- measured: {name} -->'")
    return PLACE.sub(
        lambda match: match[0] if match[1] != name
        else f"<!-- measured: {name} -->\n{block}<!-- end -->",
        text,
    )


def equal(key, old, new):
    """Are two counts the same, given as text?"""
    try:
        a, b = float(old), float(new)
    except ValueError:
        return old == new
    if key == "hash":
        return old == new
    if key.startswith("share"):
        return abs(a - b) <= SHARE
    share = INSTRUCTIONS if key.startswith("instructions") else ROUND_OFF
    return abs(a - b) <= share * max(abs(a), abs(b))


def differences(block, counts):
    """What counts of now differ in from those of a block: a line for each."""
    old = counts_of(block)
    new = counts_of(counts_text(counts))
    lines = [f"{row}: no longer measured" for row in old if row not in new]
    for row, of_row in new.items():
        if row not in old:
            lines.append(f"{row}: not in the table")
            continue
        for key in {**old[row], **of_row}:
            a, b = old[row].get(key, "nothing"), of_row.get(key, "nothing")
            if not equal(key, a, b):
                lines.append(f"{row}: {key} {a} in the page, {b} now")
    return lines

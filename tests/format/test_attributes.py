#!/usr/bin/env python3
"""No number in a model file is passed over in silence: every numeric attribute of the robots of
the menagerie, changed, changes what `limpet info` or `limpet compute` print, or the page of MJCF
lists it as one that is accepted in silence."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path

COMMAND = os.environ.get("LIMPET_COMMAND", "build/release/limpet")
SOURCE = Path(os.environ.get("LIMPET_SOURCE_DIR", "."))
MODELS = (
    Path(os.environ.get("LIMPET_SHARED", SOURCE / "../shared")) / "models/menagerie"
)
TRIES = 8  # places of an attribute: a default class may be one that nothing uses


def silent_words():
    """(element, attribute) pairs, and elements, that docs/mjcf.md says are accepted in silence."""
    pairs, elements = set(), set()
    for line in (SOURCE / "docs/mjcf.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        tags = re.findall(r"`<([^>]+)>`(?! in )", cells[-1])
        if len(cells) == 2 and tags:
            elements.update(tags)
        first = re.match(r"`<([^>]+)>`(?! in )", cells[0])
        if len(cells) == 5 and first:
            pairs.update(
                (first.group(1), name) for name in re.findall(r"`([^`]+)`", cells[3])
            )
    return pairs, elements


def numbers_of(text):
    """The numbers of an attribute; [] where it is something else."""
    try:
        return [float(word) for word in text.split()]
    except ValueError:
        return []


def changed(numbers):
    """Another value of the same kind: whole numbers stay whole."""
    first = numbers[0]
    other = first + 1 if first == int(first) else 1.5 * first + 0.25
    return " ".join(f"{x:g}" for x in [other, *numbers[1:]])


def printed(path):
    """All that the command says of a file."""
    info = subprocess.run(
        [COMMAND, "info", path, "--json"], capture_output=True, check=False
    )
    values = subprocess.run(
        [COMMAND, "compute", path, "--states", "-"],
        input=b'{"states": [{}]}',
        capture_output=True,
        check=False,
    )
    return info.returncode, info.stdout, info.stderr, values.stdout, values.stderr


def is_silent(tag, attribute, pairs, elements):
    return tag in elements or (tag, attribute) in pairs


class Attributes(unittest.TestCase):
    def test_every_number_counts_or_is_listed(self):
        pairs, elements = silent_words()
        self.assertGreater(len(pairs), 100)
        counted, passed_over = set(), {}
        files = sorted(MODELS.glob("*/*.xml"), key=lambda path: path.stat().st_size)
        with tempfile.TemporaryDirectory() as folder:
            for number, path in enumerate(files):
                copy = Path(folder) / str(number)
                self.look_at(path, copy, pairs, elements, counted, passed_over)
        left = {key: place for key, place in passed_over.items() if key not in counted}
        print(f"attributes: {len(counted)} change something, {len(left)} do not")
        self.assertEqual(left, {})
        self.assertGreater(len(counted), 50)

    def look_at(self, path, folder, pairs, elements, counted, passed_over):
        """Changes the attributes of one file that no earlier file has shown to count."""
        folder.mkdir()
        for other in path.parent.iterdir():
            (folder / other.name).symlink_to(other)
        copy = folder / "changed_copy.xml"
        tree = ET.parse(path)
        tree.write(copy)
        before = printed(copy)
        if before[0]:
            return  # a fragment
        tries = {}
        for element in tree.iter():
            for name, text in list(element.attrib.items()):
                key, numbers = (element.tag, name), numbers_of(text)
                if not numbers or key in counted or is_silent(*key, pairs, elements):
                    continue
                tries[key] = tries.get(key, 0) + 1
                if tries[key] > TRIES:
                    continue
                element.set(name, changed(numbers))
                tree.write(copy)
                element.set(name, text)
                if printed(copy) != before:
                    counted.add(key)
                else:
                    passed_over[key] = path.name


if __name__ == "__main__":
    if not MODELS.is_dir():
        print("skipped: no menagerie in the shared data")
        sys.exit(77)
    unittest.main()

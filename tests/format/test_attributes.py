#!/usr/bin/env python3
"""No number in a model file is passed over in silence: every numeric attribute (in SDFormat every
number) that the files at hand have, changed in one place, changes what `limpet info` or `limpet
compute` print, or a warning names it, or the page of the format lists it as accepted in silence.

One file stands for each attribute: the smallest in which it counts. The files are those of this
project and, where shared data are, the menagerie, MuJoCo's examples and robots of Drake.
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path

COMMAND = os.path.abspath(os.environ.get("LIMPET_COMMAND", "build/release/limpet"))
SOURCE = Path(os.environ.get("LIMPET_SOURCE_DIR", ".")).resolve()
SHARED = Path(os.environ.get("LIMPET_SHARED", SOURCE / "../shared")) / "models"
TRIES = 6  # places of an attribute: a default class may be one that nothing uses
LARGEST = 60000  # [bytes]  of a file: those that load slowly add no attributes
PAGES = {".xml": "mjcf", ".urdf": "urdf", ".sdf": "sdformat"}
FILES = {
    ".xml": ("menagerie/*/*.xml", "mjcf/**/*.xml"),
    ".urdf": ("drake/**/*.urdf", "dexurdf/**/*.urdf"),
    ".sdf": ("drake/**/*.sdf",),
}
OWN = {".xml": ("scenes/**/*.xml", "tests/format/good/*.xml"), ".urdf": (), ".sdf": ()}
# (element, attribute) that count in ways which neither command shows at the start pose, and why
ELSEWHERE = {
    ("mjcf", "key", "time"): "the time of a keyframe, where a run starts",
    ("mjcf", "camera", "xyaxes"): "where pictures are taken from",
    ("mjcf", "camera", "zaxis"): "where pictures are taken from",
    ("mjcf", "geom", "xyaxes"): "on geoms of the world alone, whose poses are not printed",
    ("mjcf", "limpet:tie", "box"): "the same vertices lie in the larger box",
    ("mjcf", "contact", "solref"): "of a deformable body, whose material is not printed",
    ("mjcf", "contact", "solimp"): "of a deformable body, whose material is not printed",
    ("mjcf", "flexcomp", "group"): "of a deformable body, which is drawn with it",
    ("mjcf", "framepos", "nsample"): "of a sensor without delay and interval, which looks at none",
    ("sdformat", "normal", "#text"): "a direction of any length",
    ("urdf", "mechanicalReduction", "#text"): "of a joint that nothing drives",
    ("sdformat", "sdf", "version"): "noted below 1.7",
}
PREFIXES = ("drake", "limpet")  # declared with their own names as places


def short(name):
    """{namespace}name as the files write it."""
    space, _, local = name.rpartition("}")
    return f"{space[1:]}:{local}" if space else local


def silent_words(page):
    """(element, attribute) pairs, and elements, that a page says are accepted in silence, or not
    simulated."""
    pairs, elements = set(), set()
    text = (SOURCE / f"docs/{page}.md").read_text().partition("## Coverage")[2]
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        tags = re.findall(r"`<([^>]+)>`(?! in )", cells[-1])
        if len(cells) == 2 and tags:
            elements.update(tags)
        first = re.match(r"`<([^>]+)>`( in `default`)?$", cells[0])
        if len(cells) == 5 and first:
            pairs.update((first.group(1), name) for name in re.findall(r"`([^`]+)`", cells[3]))
    return pairs, elements


def numbers_of(text):
    """The numbers of an attribute; [] where it is something else."""
    try:
        return [float(word) for word in (text or "").split()]
    except ValueError:
        return []


def changed(numbers):
    """Another value of the same kind: whole numbers stay whole. The last number changes, since the
    first one alone may only scale a direction or a quaternion."""
    last = numbers[-1]
    other = last + 1 if last == int(last) else 1.5 * last + 0.25
    return " ".join(f"{x:.15g}" for x in [*numbers[:-1], other])


def is_warned(said, key, ancestors):
    """Whether a note names the attribute, or an element that holds it and is left out."""
    name = key[0] if key[1] == "#text" else key[1]
    holders = (key[0], *ancestors[1:])
    return bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said)) or any(
        f"<{tag}>" in said or f"the {tag} is left out" in said for tag in holders
    )


def run(*arguments, given=None):
    return subprocess.run([COMMAND, *arguments], capture_output=True, input=given, check=False)


def info_of(path):
    """Exit code and what the command prints about a file."""
    done = run("info", path, "--json")
    return done.returncode, done.stdout, done.stderr


def values_of(path):
    """What it computes at the start pose."""
    done = run("compute", path, "--states", "-", given=b'{"states": [{}]}')
    return done.stdout, done.stderr


def tree_of(path):
    """The elements of a file; prefixes that it uses and does not declare are declared."""
    text = path.read_text()
    for prefix in PREFIXES:
        text = re.sub(rf'\s*xmlns:{prefix}=("[^"]*"|\'[^\']*\')', "", text)
        text = re.sub(r"<(robot|sdf|mujoco)\b", rf'<\1 xmlns:{prefix}="{prefix}"', text, count=1)
    return ET.ElementTree(ET.fromstring(text))


def places(element, silent, ancestors=()):
    """(element, attribute name or None for its text, value, ancestors) of all numbers of a file,
    but what is inside of elements that are accepted in silence."""
    if not isinstance(element.tag, str) or (ancestors and short(element.tag) in silent):
        return
    for name, text in list(element.attrib.items()):
        if numbers_of(text):
            yield element, name, text, ancestors
    if numbers_of(element.text) and len(element) == 0:
        yield element, None, element.text, ancestors
    for child in element:
        yield from places(child, silent, (*ancestors, short(element.tag)))


def put(element, name, text):
    if name is None:
        element.text = text
    else:
        element.set(name, text)


class Attributes(unittest.TestCase):
    maxDiff = None

    def look_at(self, ending):
        """(those that count, those that do not by file) over the files of one format."""
        page = PAGES[ending]
        pairs, elements = silent_words(page)
        files = [path for pattern in FILES[ending] for path in SHARED.glob(pattern)]
        files += [path for pattern in OWN[ending] for path in SOURCE.glob(pattern)]
        files = [path for path in files if path.stat().st_size < LARGEST]
        files.append(SOURCE / f"tests/format/good/robot{ending}")
        counted, passed_over, tries = set(), {}, {}
        with tempfile.TemporaryDirectory() as folder:
            for number, path in enumerate(sorted(files, key=lambda p: (p.stat().st_size, p.name))):
                tree = tree_of(path)
                wanted = []
                for element, name, text, ancestors in places(tree.getroot(), elements):
                    key = (short(element.tag), short(name) if name else "#text")
                    if key in counted or key in pairs:
                        continue
                    if (page, *key) not in ELSEWHERE and tries.get(key, 0) < TRIES:
                        wanted.append((key, element, name, text, ancestors))
                if wanted:
                    copy = Path(folder) / str(number)
                    self.change(path, copy, tree, wanted, counted, passed_over, tries)
        return counted, {key: at for key, at in passed_over.items() if key not in counted}

    def change(self, path, folder, tree, wanted, counted, passed_over, tries):
        """Changes the numbers of one file that no earlier file has shown to count."""
        folder.mkdir()
        for other in path.parent.iterdir():
            (folder / other.name).symlink_to(other)
        copy = folder / f"changed_copy{path.suffix}"
        tree.write(copy)
        info = info_of(copy)
        if info[0]:
            return  # a fragment, or a file that is refused
        values = values_of(copy)
        warned = run("check", copy)
        said = (warned.stdout + warned.stderr).decode(errors="replace")
        for key, element, name, text, ancestors in wanted:
            if key in counted or tries.get(key, 0) >= TRIES:
                continue
            tries[key] = tries.get(key, 0) + 1
            if is_warned(said, key, ancestors):
                counted.add(key)
                continue
            put(element, name, changed(numbers_of(text)))
            tree.write(copy)
            put(element, name, text)
            if info_of(copy) != info or values_of(copy) != values:
                counted.add(key)
            else:
                passed_over[key] = path.name

    def every_number_counts(self, ending, least):
        counted, left = self.look_at(ending)
        print(f"{PAGES[ending]}: {len(counted)} numbers change something, {len(left)} do not")
        self.assertEqual(left, {}, "\n".join(f"{key}: {at}" for key, at in left.items()))
        self.assertGreater(len(counted), least)

    def test_mjcf(self):
        self.every_number_counts(".xml", 60)

    def test_urdf(self):
        self.every_number_counts(".urdf", 15)

    def test_sdformat(self):
        self.every_number_counts(".sdf", 10)


if __name__ == "__main__":
    for name in PREFIXES:
        ET.register_namespace(name, name)
    unittest.main()

#!/usr/bin/env python3
"""Good files of every kind in tests/format/good, broken in 500 ways: an attribute removed,
repeated, renamed, out of its range, of the wrong type; an element moved, removed, repeated; numbers
and words of other files changed; the end cut off. The same variants on every machine.

Each variant is refused with its file and line, or accepted with another result, with a note, or
for a reason that broken_variants.json lists. Nothing crashes or hangs. Where MuJoCo is installed
(in this Python, or in LIMPET_MUJOCO_PYTHON) it judges the MJCF and URDF variants too, and every
difference of verdicts has its reason in the same list.
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

COMMAND = os.path.abspath(os.environ.get("LIMPET_COMMAND", "build/release/limpet"))
SOURCE = Path(os.environ.get("LIMPET_SOURCE_DIR", ".")).resolve()
GOOD = SOURCE / "tests/format/good"
LIST = SOURCE / "tests/format/broken_variants.json"
# variants of each good file: 500
SHARES = {
    "robot.xml": 200,
    "robot.urdf": 90,
    "robot.sdf": 90,
    "shape.obj": 30,
    "shape.stl": 30,
    "controls.csv": 30,
    "controller.json": 30,
}
NUMBERS = ("-1", "0", "nan", "inf", "1e308", "1e-320", "-1e30", "99999999999", "")
WORDS = ("abc", "true", "1 2 3 4 5 6 7 8 9", "1,5", "0x", "'", "../..", "world")


# ------------------------------------------------------------------------------ breaking XML


def is_numeric(text):
    try:
        return bool([float(word) for word in text.split()])
    except ValueError:
        return False


def other_value(rng, text):
    """A value out of range or of another type, and what was done in a word."""
    if is_numeric(text):
        words = text.split()
        way = rng.choice(("range", "type", "count", "mark"))
        if way == "range":
            words[rng.randrange(len(words))] = rng.choice(NUMBERS)
        elif way == "type":
            words[rng.randrange(len(words))] = rng.choice(WORDS)
        elif way == "count":
            words = words[:-1] if len(words) > 1 and rng.random() < 0.5 else [*words, "7"]
        else:
            words[0] += rng.choice((",", ";", "e", "rad", "-"))
        return " ".join(words), way
    return rng.choice((*NUMBERS, *WORDS, text.upper(), text + "x", text[:-1])), "word"


def attribute_break(rng, element, way):
    """Breaks one attribute, or the text, of an element; (what, extra text for the tag)."""
    name = rng.choice(sorted(element.attrib)) if element.attrib else None
    if name is None:
        if not (element.text or "").strip():
            return None
        element.text, how = other_value(rng, element.text.strip())
        return f"<{element.tag}> text {how}"
    value = element.attrib[name]
    if way == "remove":
        del element.attrib[name]
    elif way == "rename":
        del element.attrib[name]
        element.attrib[rng.choice((name + "x", name[1:] or "q", name.upper() + "_"))] = value
    elif way == "repeat":
        element.attrib["REPEATED" + name] = value
    else:
        element.attrib[name], way = other_value(rng, value)
    return f"<{element.tag}> {name} {way}"


def element_break(rng, root, element, way):
    """Moves, removes or repeats an element."""
    parents = {child: parent for parent in root.iter() for child in parent}
    parent = parents[element]
    at = list(parent).index(element)
    if way == "repeat":
        parent.insert(at, ET.fromstring(ET.tostring(element)))
    else:
        parent.remove(element)
    target = None
    if way == "move":
        target = rng.choice([e for e in root.iter() if e is not parent])
        target.insert(rng.randrange(len(target) + 1), element)
    into = f" into <{target.tag}>" if target is not None else ""
    return f"element <{element.tag}> {way}{into}"


def break_xml(rng, text):
    """(broken text, what was done) of an XML file."""
    if rng.random() < 0.06:
        return text[: rng.randrange(1, len(text))], "truncated"
    ET.register_namespace("drake", "http://drake.mit.edu")
    while True:
        root = ET.fromstring(text)
        element = rng.choice(list(root.iter())[1:])
        if rng.random() < 0.25:
            what = element_break(rng, root, element, rng.choice(("move", "remove", "repeat")))
        else:
            way = rng.choice(("remove", "rename", "repeat", "value", "value", "value", "value"))
            what = attribute_break(rng, element, way)
        if what is None:
            continue
        broken = ET.tostring(root, encoding="unicode").replace("REPEATED", "")
        return broken, what


def break_words(rng, text):
    """(broken text, what was done) of a file of lines and words."""
    way = rng.choice(("truncated", "word", "word", "word", "line removed", "line repeated", "mark"))
    lines = text.splitlines(keepends=True)
    at = rng.randrange(len(lines))
    if way == "truncated":
        return text[: rng.randrange(1, len(text))], way
    if way == "line removed":
        return "".join(lines[:at] + lines[at + 1 :]), f"{way}: {lines[at].strip()}"
    if way == "line repeated":
        return "".join(lines[: at + 1] + lines[at:]), f"{way}: {lines[at].strip()}"
    spots = [match.span() for match in re.finditer(r"[\w.+-]+", text)]
    begin, end = rng.choice(spots)
    value = rng.choice((*NUMBERS, *WORDS))
    if way == "mark":
        value = text[begin:end] + rng.choice((",", ";", ":", '"', "/9", "]"))
    line = text.count("\n", 0, begin) + 1
    return text[:begin] + value + text[end:], f"line {line}: {text[begin:end]} -> {value}"


def variants():
    """(name of the good file, number, text, what was done), 500 of them."""
    for name, count in SHARES.items():
        rng = random.Random(name)
        text = (GOOD / name).read_text()
        seen = {text}
        number = 0
        while number < count:
            broken, what = (break_xml if name.startswith("robot") else break_words)(rng, text)
            if broken in seen:
                continue
            seen.add(broken)
            yield name, number, broken, what
            number += 1


# ---------------------------------------------------------------------------------- verdicts


def model_of(folder, name):
    """The model to load for a file; a mesh gets one around it."""
    path = folder / name
    if path.suffix not in (".obj", ".stl"):
        return path
    wrapper = path.with_suffix(path.suffix + ".xml")
    wrapper.write_text(
        f'<mujoco><asset><mesh name="m" file="{name}"/></asset><worldbody><body><freejoint/>'
        '<geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
    )
    return wrapper


def limpet(*arguments, given=None):
    return subprocess.run(
        [COMMAND, *arguments], capture_output=True, input=given, check=False, timeout=60
    )


STATES = b'{"states": [{}]}'


def result_of(folder, name):
    """(exit code, what was computed, what was said) of a file."""
    if name.endswith((".csv", ".json")):
        option = "--controls" if name.endswith(".csv") else "--controller"
        done = limpet("run", GOOD / "robot.xml", option, folder / name, "--time", "8ms", "--json")
        return done.returncode, b"".join(re.findall(rb'"state_hash": .*', done.stdout)), done.stderr
    path = model_of(folder, name)
    done = limpet("compute", path, "--states", "-", given=STATES)
    return done.returncode, done.stdout, done.stderr


def judge(folder, variant):
    """A record of what became of a variant."""
    name, number, text, what = variant
    place = folder / f"{name}.{number}"
    place.mkdir()
    (place / "shape.obj").write_text((GOOD / "shape.obj").read_text())
    (place / name).write_text(text)
    code, out, said = result_of(place, name)
    record = {"file": name, "number": number, "what": what, "code": code, "said": said.decode()}
    record["path"] = str(model_of(place, name))
    if code == 0 and not name.endswith((".csv", ".json")):
        info = limpet("info", record["path"], "--json")
        out += re.sub(rb'"[^"]*\.(xml|urdf|sdf)[^"]*"', b'""', info.stdout)
        check = limpet("check", record["path"])
        record["said"] += check.stdout.decode() + check.stderr.decode()
    record["out"] = out
    return record


def is_noted(said, usual):
    """Whether it says more than it says of the good file."""
    told = re.compile("note|doubtful")

    def strip(text):
        return {line.split(": ", 1)[-1] for line in text.splitlines() if told.search(line)}

    return bool(strip(said) - strip(usual))


def reason_of(rules, record, kind, theirs=""):
    """Why this is as it should be, by the list; None: nothing explains it."""
    for rule in rules:
        if (
            rule["kind"] == kind
            and re.fullmatch(rule.get("file", ".*"), record["file"])
            and re.search(rule.get("what", ""), record["what"])
            and re.search(rule.get("says", ""), record["said"] if kind == "refused" else theirs)
        ):
            rule["used"] = rule.get("used", 0) + 1
            return rule["why"]
    return None


MUJOCO = """
import sys, json
try:
    import mujoco
except ImportError:
    sys.exit(77)
for line in sys.stdin:
    try:
        mujoco.MjModel.from_xml_path(line.strip())
        print(json.dumps([True, ""]), flush=True)
    except Exception as error:
        print(json.dumps([False, str(error)]), flush=True)
"""


def mujoco_verdicts(paths):
    """[accepted, message] for each path; None: MuJoCo is not installed."""
    python = os.environ.get("LIMPET_MUJOCO_PYTHON") or sys.executable
    done = subprocess.run(
        [python, "-c", MUJOCO], input="\n".join(paths), capture_output=True, text=True, check=False
    )
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    return lines if len(lines) == len(paths) else None


class BrokenVariants(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rules = json.loads(LIST.read_text())
        cls.folder = tempfile.TemporaryDirectory()
        folder = Path(cls.folder.name)
        cls.usual = {}
        for name in SHARES:
            good = judge(folder, (name, "good", (GOOD / name).read_text(), "nothing"))
            assert good["code"] == 0, good["said"]
            cls.usual[name] = good
        with ThreadPoolExecutor(2) as pool:
            cls.records = list(pool.map(lambda variant: judge(folder, variant), variants()))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def complain(self, wrong):
        self.assertEqual(wrong, [], "\n".join(wrong[:200]))

    def test_each_is_refused_with_its_place_or_accepted_for_a_reason(self):
        refused, other, noted, listed, wrong = 0, 0, 0, 0, []
        for record in self.records:
            label = f"{record['file']} {record['number']}: {record['what']}"
            usual = self.usual[record["file"]]
            if record["code"] not in (0, 1):
                wrong.append(f"{label}: exit code {record['code']}: {record['said'][:200]}")
            elif record["code"] == 1:
                refused += 1
                if not re.search(r"\.(xml|urdf|sdf|obj|stl|csv|json)(:\d+)?[: ]", record["said"]):
                    wrong.append(f"{label}: no place: {record['said'][:200]}")
            elif record["out"] != usual["out"]:
                other += 1
            elif is_noted(record["said"], usual["said"]):
                noted += 1
            elif reason_of(self.rules, record, "no effect"):
                listed += 1
            else:
                wrong.append(f"{label}: accepted, and nothing changed")
        print(
            f"broken variants: {len(self.records)}; {refused} refused, {other} another model, "
            f"{noted} noted, {listed} of no effect for a listed reason"
        )
        self.assertEqual(len(self.records), 500)
        self.assertGreater(refused, 150)
        self.complain(wrong)

    def test_verdicts_are_those_of_mujoco_or_explained(self):
        judged = [r for r in self.records if r["file"].endswith((".xml", ".urdf", ".obj", ".stl"))]
        verdicts = mujoco_verdicts([record["path"] for record in judged])
        if verdicts is None:
            self.skipTest("MuJoCo is not installed")
        same, explained, wrong = 0, 0, []
        for record, (accepted, message) in zip(judged, verdicts, strict=True):
            if accepted == (record["code"] == 0):
                same += 1
                continue
            kind = "refused" if accepted else "accepted"
            if reason_of(self.rules, record, kind, message):
                explained += 1
                continue
            said = record["said"] if accepted else message
            label = f"{record['file']} {record['number']}: {record['what']}"
            wrong.append(f"{label}: {kind} here: {said[:160]!r}")
        print(f"MuJoCo: {same} verdicts are the same, {explained} differ for a listed reason")
        self.complain(wrong)


if __name__ == "__main__":
    unittest.main()

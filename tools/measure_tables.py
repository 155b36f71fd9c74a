#!/usr/bin/env python3
"""Measures again what the pages say, and writes it between '<!-- measured: NAME -->' and
'<!-- end -->' (tools/measured_pages.py), with version, date and commands below each table.

usage: measure_tables.py [NAME ...]         measures these tables, or all, and fills the pages
       measure_tables.py --check [NAME ...] counts again and says which tables differ: iterations,
                                            contacts, instructions, hashes of states; never times
       measure_tables.py --list             names, pages, minutes, commands
       options: --build FOLDER (build/release)

`make tables` runs it. Times want a quiet machine; counts do not care. Models are searched below
LIMPET_SHARED (../shared). MuJoCo stands beside Limpet where LIMPET_PYTHON, cache/venv or python3
has it (mujoco-core 4.0.1), instructions where valgrind is installed. A table whose peer or data are
missing stays as it is, and the tool says so. Exit status of --check: 1 where a table differs.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import measured_pages  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
PEER, PEER_NAME = " --against mujoco", "MuJoCo"


class Skipped(Exception):
    """A table cannot be measured here; the text says why."""


@dataclass
class Measured:
    header: list
    rows: list
    counts: dict = field(default_factory=dict)


@dataclass
class Table:
    name: str
    page: str
    commands: tuple  # as a user would type them in the root of the project
    minutes: float  # on a quiet machine
    made_of: object  # function of what the commands printed
    times: bool = True  # shows times, so the processor is named
    runs: int = 1  # of JSON reports: times are the least of so many, as machines have slow spells
    needs: tuple = ()  # programs beside those of the project


def python_with_mujoco():
    """The Python that `limpet bench --against mujoco` takes; None: none has the package."""
    for program in (os.environ.get("LIMPET_PYTHON"), ROOT / "cache/venv/bin/python3", "python3"):
        if program and shutil.which(program):
            known = "import importlib.util, sys; sys.exit(not importlib.util.find_spec('mujoco'))"
            if subprocess.run([program, "-c", known], check=False).returncode == 0:
                return str(program)
    return None


class Runner:
    """Runs commands, each of them once."""

    def __init__(self, build, peers=True, announce=print):
        self.build, self.peers, self.announce = Path(build), peers, announce
        self.python = python_with_mujoco() if peers else None
        self.printed = {}
        # where programs leave what they draw or count
        self.scratch = tempfile.TemporaryDirectory()

    def shared(self):
        return Path(os.environ.get("LIMPET_SHARED", ROOT.parent / "shared"))

    def argv(self, command):
        """What to execute: programs of the build, and the Python that has MuJoCo."""
        first, *rest = shlex.split(command.replace("$LIMPET_SHARED", str(self.shared())))
        if first == "python3":
            return [self.python or sys.executable, *rest]
        if first == "limpet" or re.match(r"(bench|test)_", first):
            first = str(self.build / first)
        return [first, *rest]

    def least(self, command, runs):
        """A JSON report whose times are the least of so many runs; one where only counts matter."""
        report = json.loads(self(command))
        for _ in range(1, runs if self.peers else 1):
            report = least_times(report, json.loads(self(command, again=True)))
        return json.dumps(report)

    def __call__(self, command, again=False):
        """What a command prints; without its peer where only counts are wanted."""
        if not self.peers:
            command = command.replace(PEER, "")
        if again or command not in self.printed:
            self.announce(f"  {command}")
            start = time.monotonic()
            argv = [word.replace("$OUT", self.scratch.name) for word in self.argv(command)]
            if not shutil.which(argv[0]):
                raise Skipped(f"{argv[0]} is not there: build first")
            environment = {"LIMPET_SHARED": str(self.shared()), **os.environ}
            if self.python:
                environment["LIMPET_PYTHON"] = self.python
            done = subprocess.run(
                argv, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
            )
            if done.returncode:
                raise Skipped(f"'{command}' ended with {done.returncode}: {done.stderr.strip()}")
            self.printed[command] = done.stdout + (done.stderr if "valgrind" in argv[0] else "")
            self.announce(f"    {time.monotonic() - start:.0f} s")
        return self.printed[command]


def least_times(one, other):
    """A report with the lesser of the times of two."""
    if isinstance(one, dict):
        return {
            key: min(value, other[key])
            if key == "seconds_per_step"
            else least_times(value, other[key])
            for key, value in one.items()
        }
    if isinstance(one, list) and len(one) == len(other):
        return [least_times(*pair) for pair in zip(one, other)]
    return one


# ------------------------------------------------------------------------------ how numbers look


def us(seconds):
    value = 1e6 * seconds
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def thousands(count):
    """Instructions: 105 k, 3.05 M."""
    return f"{count / 1e6:.3g} M" if count >= 1e6 else f"{count / 1e3:.3g} k"


def per_step(number):
    return f"{number:.2f}" if number < 10 else f"{number:,.0f}"


def mm(metres):
    return "0" if metres < 5e-9 else f"{1e3 * metres:.2g}"


def columns(text, pattern):
    """Groups of all lines that a pattern fits."""
    found = re.findall(pattern, text, re.M)
    if not found:
        raise Skipped("the output has another form than this tool knows")
    return found


# ----------------------------------------------------------- limpet bench, limpet bench --moving

SETTLED = {
    "panda": "free Panda",
    "panda_grasp": "Panda grasp",
    "humanoid": "humanoid",
    "g1": "G1",
    "clutter100": "clutter of 100",
    "pile216": "216 cubes",
}
MOVING = {
    "panda": "Panda, free, back to its home pose",
    "panda_shaken": "Panda shakes a cube that it holds",
    "2f85": "Robotiq 2F-85 closes",
    "humanoid": "humanoid falls",
    "g1": "Unitree G1 collapses",
    "shadow_hand": "Shadow hand closes on an ellipsoid",
    "allegro": "Allegro hand closes on an ellipsoid",
    "anymal": "ANYmal falls",
    "cassie": "Cassie falls from its zero pose, joints beyond their limits",
    "aloha": "ALOHA collapses",
    "clutter40": "40 bodies fall into a bin",
    "clutter100": "100 bodies fall into a bin",
    "clutter200": "200 bodies fall into a bin",
    "clutter1000": "1000 bodies fall into a bin, 150 steps",
    "clutter10000": "10,000 bodies fall, 50 steps",
}
ROBOTS = tuple(MOVING)[:10]


def scenes_of(text, wanted):
    """The scenes of a report by name, in the order that is wanted."""
    scenes = {scene["name"]: scene for scene in json.loads(text)["scenes"]}
    missing = [name for name in wanted if name not in scenes]
    if missing:
        raise Skipped(f"no shared data for {', '.join(missing)}")
    return [scenes[name] for name in wanted]


def counts_of_scenes(scenes):
    """What is the same in each run of a program."""
    keys = ("contacts", "iterations", "worst_iterations", "unsolved_steps")
    return {
        scene["name"]: {
            **{key: scene[key] for key in keys if key in scene},
            "hash": scene["state_hash"],
        }
        for scene in scenes
    }


def peer_of(scene, run):
    """MuJoCo's part of a scene; nothing where only counts are wanted."""
    if run.peers and "mujoco" not in scene:
        raise Skipped("MuJoCo: not installed")
    return scene.get("mujoco")


def settled(run, reports):
    scenes = scenes_of(reports[0], SETTLED)
    peers = [peer_of(scene, run) for scene in scenes]
    header = ["µs a step", *SETTLED.values()]
    rows = [["Limpet", *(us(scene["seconds_per_step"]) for scene in scenes)]]
    if all(peers):
        title = f"MuJoCo {peers[0]['version']}, its defaults, same run"
        rows.append([title, *(us(peer["seconds_per_step"]) for peer in peers)])
    return Measured(header, rows, counts_of_scenes(scenes))


def moving(run, reports):
    scenes = scenes_of(reports[0], tuple(MOVING)[:12])
    rows, version = [], ""
    for scene in scenes:
        peer = peer_of(scene, run)
        row = [MOVING[scene["name"]], us(scene["seconds_per_step"]), mm(scene["depth"])]
        if peer:
            version = peer["version"]
            theirs = peer["default"]
            row.insert(2, us(theirs["seconds_per_step"]))
            row.append(mm(theirs["depth"]))
        rows.append(row)
    header = ["while it moves", "Limpet [µs]"]
    if version:
        header.append(f"MuJoCo {version}, its file's solver [µs]")
    header += ["deepest, Limpet [mm]", *(["MuJoCo [mm]"] if version else [])]
    return Measured(header, rows, counts_of_scenes(scenes))


def moving_counts(run, reports):
    scenes = scenes_of(reports[0], MOVING)
    header = ["scene", "steps", "contacts", "pairs", "iterations", "at most", "not solved",
              "deepest [mm]"]  # fmt: skip
    rows = [
        [f"`{s['name']}`", s["steps"], per_step(s["contacts"]), per_step(s["pairs"]),
         f"{s['iterations']:.2f}", s["worst_iterations"], s["unsolved_steps"], mm(s["depth"])]
        for s in scenes
    ]  # fmt: skip
    return Measured(header, rows, counts_of_scenes(scenes))


INSTRUCTIONS = (
    f"limpet bench --moving {' '.join(ROBOTS)} clutter40 --steps 250 --instructions --json",
    "limpet bench --moving clutter100 clutter200 clutter1000 --steps 100 --instructions --json",
)


def instructions(run, reports):
    header = ["scene", "steps", "broad phase", "narrow phase", "assembly", "whole step",
              "collision, share of it"]  # fmt: skip
    rows, counts = [], {}
    for report in reports:
        for scene in json.loads(report)["scenes"]:
            if "instructions" not in scene:
                raise Skipped("valgrind: not installed")
            of = scene["instructions"]
            stages = [of["broad_phase"], of["narrow_phase"], of["assembly"]]
            rows.append([f"`{scene['name']}`", scene["steps"], *map(thousands, stages),
                         thousands(of["total"]), f"{sum(stages) / of['total']:.2f}"])  # fmt: skip
            counts[scene["name"]] = {"instructions": round(of["total"]),
                                     "hash": scene["state_hash"]}  # fmt: skip
    return Measured(header, rows, counts)


# ---------------------------------------------------------------------------------------- heaps


def heaps(run, reports):
    header = ["heaps", "steps", "not solved", "iterations a step", "at most",
              "what else"]  # fmt: skip
    steps, unsolved = columns(reports[0], r"^(\d+) steps, (\d+) unsolved")[0]
    mean, most, outside = columns(
        reports[0],
        r"^([\d.]+) iterations a step, (\d+) at most; friction outside its cone by (\S+);",
    )[0]
    last = columns(reports[1], r"^ +\d+ .*\d$")[-1].split()
    memory = columns(reports[1], r"memory (.*) after the first tenth")[0]
    rows = [
        ["random, 5 to 60 bodies", f"{int(steps):,}", unsolved, mean, most,
         f"friction outside its cone by {outside}"],
        ["stirred, 40 bodies", f"{int(last[0]):,}", last[1], last[3], last[4],
         f"step memory {int(last[7]) / 1e6:.2f} MB, {memory} after the first tenth"],
    ]  # fmt: skip
    counts = {
        "random": {"steps": steps, "unsolved": unsolved, "iterations": mean, "most": most},
        "stirred": {"steps": last[0], "unsolved": last[1], "iterations": last[3], "most": last[4],
                    "memory": last[7]},
    }  # fmt: skip
    return Measured(header, rows, counts)


# ----------------------------------------------------------------------------------- collision

# pair, row of bench_pairs, column of its poses, floor [µs]
PAIRS = (
    ("two spheres", "sphere sphere", "overlapping", "0.015"),
    ("two capsules", "capsule capsule", "overlapping", "0.03"),
    ("capsule and box", "capsule box", "overlapping", "0.1"),
    ("two boxes, any pose", "box box", "overlapping", ""),
    ("two boxes, face on face", "box box", "resting", "0.25"),
    ("two cylinders", "cylinder cylinder", "overlapping", "0.4"),
    ("two hulls, from nothing", "mesh mesh", "overlapping", "0.6"),
    ("two hulls that are apart, from nothing", "mesh mesh", "apart", ""),
)


def pair_times(run, reports):
    lines = columns(reports[0], r"^(\w+) +(\w+) +(overlapping .*)$")
    times = {}
    for a, b, rest in lines:
        for sort, nanoseconds, points in re.findall(
            r"(overlapping|in margin|apart|resting) +([\d.]+) ns +([\d.]+) points", rest
        ):
            times[f"{a} {b}", sort] = 1e-3 * float(nanoseconds), points
    rows, counts = [], {}
    for text, row, sort, floor in PAIRS:
        value, points = times[row, sort]
        ratio = f"{value / float(floor):.1f}" if floor else ""
        rows.append([text, floor, f"{value:.2g}", ratio])
        counts[f"{row} {sort}"] = {"points": points}
    return Measured(["query", "floor [µs]", "time [µs]", "ratio"], rows, counts)


def pair_work(run, reports):
    found = columns(
        reports[0], r"(\w+) +(\w+) +(\d+) pairs, mean +(\d+) blocks, worst +(\d+), ([\d.]+) times"
    )
    rows = [
        [f"{a.replace('mesh', 'hull')}, {b.replace('mesh', 'hull')}", mean, ratio]
        for a, b, _, mean, _, ratio in found
        if float(ratio) > 7.0
    ]
    counts = {f"{a} {b}": {"pairs": pairs, "instructions": mean, "worst": worst}
              for a, b, pairs, mean, worst, _ in found}  # fmt: skip
    return Measured(["pair", "mean [blocks]", "longest, over the mean"], rows, counts)


def surfaces(run, reports):
    found = columns(
        reports[0],
        r"^(.*?) +(\d+) faces +step +([\d.]+) us: surface +([\d.]+), .*; ([\d.]+) us a face",
    )
    rows = [[name, faces, step, surface, each] for name, faces, step, surface, each in found]
    counts = {name: {"faces": faces} for name, faces, *_ in found}
    header = ["scene", "faces", "step [µs]", "of it surface [µs]", "µs a face"]
    return Measured(header, rows, counts)


def loading(run, reports):
    mine = columns(reports[0], r"^(\S+\.xml) +([\d.]+) +[\d.]+ +([\d.]+) +[\d.]+$")
    header = ["model", "cold [ms]", "again [ms]"]
    rows = [[f"`{name}`", cold, again] for name, cold, again in mine]
    if run.peers:
        if "not installed" in reports[1]:
            raise Skipped("MuJoCo: not installed")
        theirs = columns(reports[1], r"^(\S+\.xml) +([\d.]+) +[\d.]+ +([\d.]+) +[\d.]+$")
        header += ["MuJoCo cold [ms]", "MuJoCo again [ms]"]
        for row, (_, cold, again) in zip(rows, theirs, strict=True):
            row += [cold, again]
    return Measured(header, rows)


# --------------------------------------------------------------------------------- derivatives

MODELS = {"franka_emika_panda": "Panda, held", "humanoid": "humanoid, lying",
          "unitree_g1": "Unitree G1", "shadow_hand": "Shadow hand",
          "anybotics_anymal_c": "ANYmal", "agility_cassie": "Cassie"}  # fmt: skip


def gradient_times(run, reports):
    lines = [line.split(" | ") for line in reports[0].splitlines()[1:]]
    if run.peers and "not installed" in reports[0]:
        raise Skipped("MuJoCo: not installed")
    header = ["model", "n_v", "contacts", "step [µs]", "with Jacobians [µs] (steps)",
              "before a product [µs]", "product [µs]", "MuJoCo: step [µs]",
              "`mjd_transitionFD` [µs] (steps)"]  # fmt: skip
    rows = [[MODELS[line[0]], *line[1:]] for line in lines]
    return Measured(header, rows, {line[0]: {"contacts": line[2]} for line in lines})


def gradient_counts(run, reports):
    lines = [line.split(" | ") for line in reports[0].splitlines()[1:]]
    header = ["model", "steps before", "step, instructions", "step with Jacobians",
              "before a product", "one product", "the first product"]  # fmt: skip
    rows = [[MODELS[line[0]], *line[1:]] for line in lines]
    keys = ("instructions", "share_jacobian", "share_prepare", "share_product")
    counts = {
        f"{line[0]} {line[1]}": dict(zip(keys, (w.removesuffix(" k") for w in line[2:]),
                                         strict=False))
        for line in lines
    }  # fmt: skip
    return Measured(header, rows, counts)


def adjoint(run, reports):
    found = columns(
        reports[0],
        r"^(\d+) steps: forwards ([\d.]+) M, with the adjoint ([\d.]+) M: ([\d.]+) forward",
    )
    header = ["steps", "forwards [10⁶ instructions]", "with the adjoint", "forward runs"]
    counts = {"grasp": {"instructions": found[0][1], "share": found[0][3]}}
    return Measured(header, [list(row) for row in found], counts)


# --------------------------------------------------------------------------------- free flight

FLYING = {
    "ANYmal": "models/menagerie/anybotics_anymal_c/scene.xml",
    "Unitree G1 (joint friction)": "models/menagerie/unitree_g1/scene.xml",
    "a chain of four links": "scenes-peers/chain4.xml",
    "MuJoCo's humanoid": "models/mjcf/model/humanoid/humanoid.xml",
}
COUNT_FLIGHT = (
    "valgrind --tool=callgrind --toggle-collect=limpet_step --callgrind-out-file=$OUT/callgrind "
    "{bench} --one {kind} 200 $LIMPET_SHARED/{file}"
)


def flight(run, reports):
    rows, counts = [], {}
    bench = run.build / "bench_flight"
    for name, file in FLYING.items():
        of = {}
        for kind in ("plain", "flight"):
            text = run(COUNT_FLIGHT.format(bench=bench, kind=kind, file=file))
            of[kind] = int(columns(text, r"Collected : (\d+)")[0]) / 200
        rows.append([name, thousands(of["plain"]), thousands(of["flight"]),
                     f"{of['flight'] / of['plain']:.2f}"])  # fmt: skip
        counts[name] = {f"instructions_{kind}": round(count) for kind, count in of.items()}
    return Measured(["in the air", "plain scheme", "free flight", "ratio"], rows, counts)


# --------------------------------------------------------------------------- deformable bodies


def fem(run, reports):
    found = columns(
        reports[0],
        r"^(.*?) +(\d+) +(\d+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)(.*)$",
    )
    header = ["body", "tetrahedra", "nodes", "step [ms]", "of it factor [ms]",
              "multiply-adds of a factor [10⁶]", "contact on 20, 60 nodes [ms]",
              "`neo-hookean` [ms]"]  # fmt: skip
    rows, counts = [], {}
    for name, tetrahedra, nodes, step, factor, work, twenty, sixty, rest in found:
        law = re.search(r"neo-hookean ([\d.]+)", rest)
        title = "FinRay-like finger" if name.startswith("finray") else name
        rows.append([title, f"{int(tetrahedra):,}", f"{int(nodes):,}", step, factor, work,
                     f"{twenty}, {sixty}", law[1] if law else ""])  # fmt: skip
        counts[f"{name} {tetrahedra}"] = {"nodes": nodes, "multiply_adds": work}
    return Measured(header, rows, counts)


def locking(run, reports):
    found = columns(
        reports[0], r"^(linear|quadratic) +(\d+) +(\d+) +([\d.]+) +([\d.]+) +([\d.]+)$"
    )
    header = ["element", "cells across", "nodes", "ν = 0.3", "ν = 0.49", "step [ms]"]
    counts = {f"{kind} {across}": {"soft": soft, "stiff": stiff}
              for kind, across, _, soft, stiff, _ in found}  # fmt: skip
    return Measured(header, [list(row) for row in found], counts)


# ---------------------------------------------------------------------------------- the tables

READ, COST = "README.md", "docs/performance.md"
TABLES = (
    Table("settled", READ, (f"limpet bench{PEER} --json",), 2, settled, runs=5,
          needs=(PEER_NAME,)),
    Table("moving", READ, (f"limpet bench --moving {' '.join(tuple(MOVING)[:12])}{PEER} --json",),
          5, moving, runs=5, needs=(PEER_NAME,)),
    Table("moving-counts", COST,
          ("limpet bench --moving --json",), 2, moving_counts, times=False),
    Table("instructions", COST, INSTRUCTIONS, 4, instructions, times=False, needs=("valgrind",)),
    Table("heaps", COST, ("bench_heaps 540 0 500", "bench_stirred 1000000"), 5, heaps,
          times=False),
    Table("pair-times", COST, ("bench_pairs",), 1, pair_times),
    Table("pair-work", COST, ("test_pair_work 3000000",), 2, pair_work, times=False),
    Table("surfaces", COST, ("bench_pressure_step",), 0.2, surfaces),
    Table("loading", COST, ("bench_load", "python3 benchmarks/load_mujoco.py"), 1, loading,
          needs=(PEER_NAME,)),
    Table("gradient-times", "docs/gradients.md", ("python3 benchmarks/gradient_mujoco.py",), 1,
          gradient_times, needs=(PEER_NAME,)),
    Table("gradient-counts", "docs/gradients.md", ("python3 benchmarks/gradient_counts.py",), 5,
          gradient_counts, times=False, needs=("valgrind",)),
    Table("adjoint", "docs/gradients.md",
          ("python3 benchmarks/gradient_counts.py --adjoint 1000",), 2, adjoint, times=False,
          needs=("valgrind",)),
    Table("flight", "docs/theory/free-flight.md", (), 1, flight, times=False,
          needs=("valgrind",)),
    Table("fem", "docs/theory/fem.md",
          ("bench_fem $LIMPET_SHARED/models/soft/finray/finray_1000.vtk",), 1, fem),
    Table("locking", "docs/theory/fem.md", ("bench_fem --locking",), 0.2, locking),
)  # fmt: skip


def shown_commands(table):
    if table.name == "flight":
        return ("valgrind --tool=callgrind --toggle-collect=limpet_step bench_flight --one "
                "plain|flight 200 FILE",)  # fmt: skip
    return table.commands


def processor():
    try:
        found = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        found = None
    return found[1].split(" @")[0] if found else "an unnamed processor"


def source(table, version):
    """The line below a table."""
    now = datetime.now(timezone.utc)
    commands = ", ".join(f"`{command}`" for command in shown_commands(table))
    where = f", {processor()}" if table.times else ""
    least = f", least times of {table.runs} runs" if table.runs > 1 else ""
    return f"Limpet {version}, {now.day} {now:%B %Y}{where}: {commands}{least}."


def measure(table, run):
    """The table as it is now."""
    for program in table.needs:
        if program != PEER_NAME and not shutil.which(program):
            raise Skipped(f"{program}: not installed")
        if program == PEER_NAME and run.peers and not run.python:
            raise Skipped(f"{program}: not installed")
    if table.runs > 1:
        return table.made_of(run, [run.least(command, table.runs) for command in table.commands])
    return table.made_of(run, [run(command) for command in table.commands])


def block_of(table, root=ROOT):
    page = root / table.page
    blocks = measured_pages.places(page.read_text(), table.page)
    if table.name not in blocks:
        raise measured_pages.PageError(f"{table.page} has no '<!-- measured: {table.name} -->'")
    return blocks[table.name]


def check(table, run, root=ROOT):
    """A line for each count that is no longer that of the page."""
    block = block_of(table, root)
    if not measured_pages.counts_of(block):
        return ["times alone: nothing to check"] if "|" in block else ["never measured"]
    return measured_pages.differences(block, measure(table, run).counts)


def fill(table, run, version, root=ROOT):
    block_of(table, root)  # there is a place for it: before minutes are spent
    found = measure(table, run)
    page = root / table.page
    block = measured_pages.block_text(
        found.header, found.rows, source(table, version), found.counts
    )
    page.write_text(measured_pages.put(page.read_text(), table.name, block, table.page))


def list_tables(tables):
    for table in tables:
        print(f"{table.name:16} {table.page}, about {table.minutes:g} min")
        for command in shown_commands(table):
            print(f"{'':16} {command}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--build", default=str(ROOT / "build/release"))
    parser.add_argument("name", nargs="*")
    words = parser.parse_args()
    known = {table.name: table for table in TABLES}
    for name in words.name:
        if name not in known:
            parser.error(f"no table is named '{name}'; there are {', '.join(known)}")
    tables = [known[name] for name in words.name] or list(TABLES)
    if words.list:
        list_tables(tables)
        return 0
    run = Runner(words.build, peers=not words.check)
    version = run("limpet --version").split()[-1]
    differ = 0
    for table in tables:
        print(f"{table.name} ({table.page})", flush=True)
        try:
            if words.check:
                lines = check(table, run)
                differ += any("times alone" not in line for line in lines)
                print("\n".join(f"  {line}" for line in lines or ["as in the page"]))
            else:
                fill(table, run, version)
        except Skipped as reason:
            print(f"  skipped: {reason}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())

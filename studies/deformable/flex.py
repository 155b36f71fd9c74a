#!/usr/bin/env python3
"""MuJoCo's files with flexes, its examples and those of its tests: each runs for five seconds here
and, where mujoco-core is installed, in MuJoCo. The table says how far each came within the time
allowed, steps that were not solved, time a step, and where the vertices ended.

LIMPET_FLEX_SECONDS (300) is the time of a processor that a file gets in either program, less where
--budget leaves less: then the file is missing until a call has the time for it.
LIMPET_MUJOCO_PYTHON a Python with mujoco-core 4.0.1 (else the one that runs this),
LIMPET_FLEX_ONLY names files (drape,bag), LIMPET_FLEX_PICTURES=1 draws the end of each file into
OUT/pictures (it takes Chromium). Files that were run by the same build, or by the same MuJoCo, are
not run again.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.command import ROOT, build, command  # noqa: E402
from support.rows import Rows, key_of  # noqa: E402
from support.study import main  # noqa: E402

END, LIMIT = 5.0, float(os.environ.get("LIMPET_FLEX_SECONDS", "300"))  # [s], [s of a processor]
QUICK = ("pinch.xml", "flex_nocnstr.xml")
ONLY = [name for name in os.environ.get("LIMPET_FLEX_ONLY", "").split(",") if name]
# files that are the same model here and in MuJoCo, at rest at the end
SAME = ("pancake", "pinch", "gripper_2d", "hollow_vs_solid", "softbox", "cube_22_ascii_vol_gmshApp")
PEER = Path(__file__).resolve().parent / "_flex_mujoco.py"
NOTE = re.compile(r"limpet: warning: [^ ]*?:\d+:\d+: (.*)")


def files(shared):
    """Files that have a flex or a flexcomp of their own."""
    found = [
        path
        for path in sorted((shared / "models/mjcf").rglob("*.xml"))
        if re.search(r"<flex(comp)?\b[^>]*\b(name|type|body)=", path.read_text(errors="replace"))
    ]
    kept = {path.read_bytes() + path.name.encode(): path for path in reversed(found)}
    return sorted(kept.values())  # copies of a file are run once


def parse(text):
    """The JSON of a run, or None."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return None


def used(pid):
    """[s]  of a processor, of a running process; of the clock where the system does not tell"""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return time.monotonic()
    user, system = text.rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def ended(words, limit):
    """Output and errors of a command that is asked to end (Ctrl-C) after `limit` seconds of a
    processor, and killed after as long again, within a step; and whether it was asked."""
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL
    ) as process:
        begin, asked = used(process.pid), False
        while True:
            try:
                return (*process.communicate(timeout=0.5), asked)
            except subprocess.TimeoutExpired:
                spent = used(process.pid) - begin
            if spent > limit and not asked:
                process.send_signal(signal.SIGINT)
                asked = True
            if spent > 2.0 * limit + 30.0:
                process.kill()
                return (*process.communicate(), asked)


def heights(bounds):
    """The lowest and the highest vertex of all soft bodies [m]."""
    return [min(low[2] for low, _ in bounds), max(high[2] for _, high in bounds)] if bounds else []


def ours(path, limit):
    """What `limpet run` says of a file; {"cut": limit}: it takes longer than the study has."""
    words = [str(command()), "run", str(path), "--time", str(END), "--json"]
    out, errors, asked = ended(words, limit)
    summary = parse(out)
    if asked and limit < LIMIT:
        return {"cut": limit}
    notes = sorted(set(NOTE.findall(errors)))
    if summary is None:
        text = (errors.strip().splitlines() or ["killed within a step"])[-1]
        return {"error": re.sub(r"limpet: (?:\S+/)?", "", text), "notes": notes}
    outcomes = summary["warnings"]["outcomes"]
    energy = summary["energy"]
    return {
        "time": summary["simulated_time"],
        "steps": summary["steps"],
        "unsolved": summary["steps"] - outcomes["solved"] - outcomes["friction missed"],
        "milliseconds": 1e3 * summary["processor_time"] / max(summary["steps"], 1),
        "energy": [energy[side]["total"] for side in ("start", "end")],
        "overlap": summary["penetration"]["value"],
        "inverted": sum(soft["inverted"] for soft in summary["deformables"] or []),
        "heights": heights([soft["bounds"] for soft in summary["deformables"] or []]),
        "notes": notes,
    }


def theirs(path, python):
    """The same of MuJoCo."""
    out, errors, _ = ended([python, str(PEER), str(path), str(END), str(LIMIT)], 2 * LIMIT)
    answer = parse(out.strip().splitlines()[-1]) if out.strip() else None
    if answer is None:
        answer = {"error": (errors.strip().splitlines() or ["it did not end"])[-1]}
    answer["heights"] = heights(list(answer.get("bounds", {}).values()))
    return answer


def peer():
    """A Python that has MuJoCo, and its version; or None."""
    python = os.environ.get("LIMPET_MUJOCO_PYTHON", sys.executable)
    words = [python, "-c", "import mujoco; print(mujoco.__version__)"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return None if done.returncode else (python, done.stdout.strip())


def picture(study, path, time_reached):
    """Draws a file near the end of its run."""
    folder = study.out / "pictures"
    folder.mkdir(exist_ok=True)
    words = [command(), "render", path, "--png", folder / f"{path.stem}.png", "--quiet"]
    at = min(END, 0.9 * time_reached)
    ended([*map(str, words), "--", "--time", f"{at:.3g}s"], 2 * LIMIT + 60)


@cache
def made_by():
    return key_of(*build())  # digested once: some 16 MB


def key_of_ours(path):
    return key_of(path, made_by(), f"{END} {LIMIT}")


def cut(kept, name, path):
    """[s]  time after which an earlier call ended this file early; 0: it has its row, or none"""
    return kept.row(name).get("cut", 0.0) if kept.has(name, key_of_ours(path)) else 0.0


def ours_of(study, kept, name, path):
    """The row of a file that Limpet ran; it is run where it is missing. None: the time of the study
    is too short for it."""
    key, limit = key_of_ours(path), min(LIMIT, study.deadline - time.monotonic())
    known, tried = kept.has(name, key), cut(kept, name, path)
    if known and not tried:
        return kept.row(name)
    if limit <= tried:
        return None
    row = ours(path, limit)
    kept.add(name, key, row)
    if "cut" in row:
        return None
    if os.environ.get("LIMPET_FLEX_PICTURES") == "1" and "error" not in row:
        picture(study, path, row["time"])
    return row


def theirs_of(kept, name, path, mujoco):
    """The same of MuJoCo, whose rows outlive builds of Limpet."""
    key = key_of(path, PEER, f"{END} {LIMIT} {mujoco[1]}")
    if not kept.has(name, key):
        kept.add(name, key, theirs(path, mujoco[0]))
    return kept.row(name)


def pair(values, form="{:.3f}"):
    return " to ".join(form.format(value) for value in values) if values else "–"


def cells(name, row):
    """A line of the table."""
    a, b = row["limpet"], row["mujoco"] or {"error": "not installed"}
    if "error" in a:
        return [name, "refused", "", "", "", "", "", ""]
    other = "error" not in b
    early = f" at {b['time']:.3g} s" if other and b["time"] < END - 1e-6 else ""
    return [
        name,
        f"{a['time']:.3g}",
        f"{a['unsolved']} of {a['steps']}",
        f"{a['milliseconds']:.3g}",
        f"{b['milliseconds']:.3g}{' *' * b['adapted']}" if other else "not read",
        f"{pair(a['heights'])} / {pair(b['heights'])}{early}" if other else pair(a["heights"]),
        f"{a['energy'][1] - a['energy'][0]:.3g}"
        + (f" / {b['energy'][1] - b['energy'][0]:.3g}" if other else ""),
        f"{1e3 * a['overlap']:.2g}",
    ]


def notes_of(rows):
    """Each note and the files that have it."""
    notes = {}
    for name, row in rows.items():
        for note in row["limpet"].get("notes", []):
            notes.setdefault(re.sub(r"E = \S+ Pa", "a modulus", note), set()).add(name)
    order = sorted(notes.items(), key=lambda item: (-len(item[1]), item[0]))
    return [[text, len(names), ", ".join(sorted(names)[:4])] for text, names in order]


def made(study, shared, chosen):
    """Rows of the files, as many as the time is enough for."""
    folder = shared / "models/mjcf"
    mujoco = peer()
    if not mujoco:
        print("MuJoCo: skipped: not installed")
    kept, others = Rows(study.out / "limpet.jsonl"), Rows(study.out / "mujoco.jsonl")
    rows, left = {}, 0
    name_of = {path: str(path.relative_to(folder)).removesuffix(".xml") for path in chosen}
    # those that were cut come last, or no call within a time would get past them
    for path in sorted(chosen, key=lambda path: (cut(kept, name_of[path], path), path)):
        name = name_of[path]
        row = ours_of(study, kept, name, path)
        if not row:
            left += 1
            continue
        rows[name] = {"limpet": row, "mujoco": None}
        if mujoco and study.in_time(1):
            rows[name]["mujoco"] = theirs_of(others, name, path, mujoco)
        left += bool(mujoco and not rows[name]["mujoco"])
        if study.full:
            print(" | ".join(map(str, cells(name, rows[name]))), flush=True)
    study.left = left
    return {name: rows[name] for name in sorted(rows)}


def farthest(rows):
    """[m]  between the lowest and highest vertices of both programs, of files that are the same"""
    pairs = [
        (row["limpet"]["heights"], row["mujoco"]["heights"])
        for name, row in rows.items()
        if name.rsplit("/", 1)[-1] in SAME and row["mujoco"] and row["mujoco"]["heights"]
    ]
    return max((abs(a - b) for ours, theirs in pairs for a, b in zip(ours, theirs, strict=True)),
               default=None)  # fmt: skip


def study(study):
    shared = Path(os.environ.get("LIMPET_SHARED", ROOT.parent / "shared")).resolve()
    every = files(shared) if (shared / "models/mjcf").exists() else []
    if not every:
        print("skipped: no shared data (models/mjcf)")
        return
    chosen = every if study.full else [path for path in every if path.name in QUICK]
    chosen = [path for path in chosen if not ONLY or path.stem in ONLY]
    rows = made(study, shared, chosen)
    ran = [row["limpet"] for row in rows.values() if "error" not in row["limpet"]]
    refused = len(rows) - len(ran)
    study.within("files that do not run", refused, high=2)  # two are malformed on purpose
    study.sheet(
        "files that reach 5 s in the time allowed",
        sum(row["time"] > END - 1e-6 for row in ran),
        low=len(ran),
        accepted=(0.5 * len(ran), len(ran)),
    )
    steps, unsolved = (sum(row[key] for row in ran) for key in ("steps", "unsolved"))
    study.sheet(f"steps not solved, of {steps}", unsolved, high=0, accepted=(0, 0.1 * steps))
    inverted = sum(row["inverted"] for row in ran)
    study.sheet("inverted elements at the end", inverted, high=0, accepted=(0, 100))
    apart = farthest(rows)
    if apart is not None:
        study.within("ends of vertices from MuJoCo's, where the model is the same", 1e3 * apart,
                     high=5.0, unit="mm")  # fmt: skip
    study.table(
        "files",
        ["file", "time [s]", "not solved", "step [ms]", "MuJoCo's [ms]",
         "lowest and highest vertex / MuJoCo's [m]", "energy gained / MuJoCo's [J]",
         "overlap [mm]"],
        [cells(name, row) for name, row in rows.items()],
    )  # fmt: skip
    study.table("notes", ["note", "files", "such as"], notes_of(rows))


if __name__ == "__main__":
    sys.exit(main(study, __file__))

#!/usr/bin/env python3
"""A thousand random soft ellipsoids (E 1e4 to 1e7 Pa, nu 0 to 0.49, three elastic laws) are gripped
by the Panda and lifted: no step may stay unsolved, no element be inverted at the end of a step, and
a thing comes along exactly where friction can hold it.

LIMPET_GRASPS sets another number of them, LIMPET_GRASPS_SEED another draw (15), LIMPET_GRASPS_ONLY
those that are made ("690-709,757"). Each grasp is a row of OUT/rows.jsonl. Started again, the
study makes those that are missing; rows of another scene or another build of the command are made
anew.

The grip is a share of what holds the weight by Coulomb's law, 0.4 to 0.7 or 1.15 to 3. That counts
what the flat faces of the pads can carry. A thing that sags over the upper edge of a pad hangs on
it, too: friction then has to carry what the normal forces leave.
"""

import os
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from _grasp_soft import END, STEP, controller, controls, draw, numbers, scene  # noqa: E402
from support.command import ROOT, build  # noqa: E402
from support.recording import Recording  # noqa: E402
from support.rows import Rows, key_of  # noqa: E402
from support.study import Run, main  # noqa: E402

PANDA = "models/menagerie/franka_emika_panda/panda.xml"
QUICK, FULL, LOT = 6, int(os.environ.get("LIMPET_GRASPS", "1000")), 10
SEED = int(os.environ.get("LIMPET_GRASPS_SEED", "15"))
ONLY = os.environ.get("LIMPET_GRASPS_ONLY", "")


def chosen(count):
    """Numbers of the grasps that are made."""
    if not ONLY:
        return list(range(count))
    ends = [list(map(int, part.split("-"))) for part in ONLY.split(",")]
    return [i for part in ends for i in range(part[0], part[-1] + 1)]


def pads(log, friction):
    """Share of the pads' upward force that is normal, in the mean over the last tenth of records;
    and how far the worst contact of all is outside its cone, over its bound."""
    force, normal = log.read("contact/force"), log.read("contact/normal")
    along = (force * normal).sum(axis=1)
    across = np.linalg.norm(force - along[:, None] * normal, axis=1)
    thing, table = (log.names("geom").index(name) for name in ("thing", "table"))
    geom, begin = log.read("contact/geom"), log.read("contact_begin")
    last = np.arange(len(force)) >= begin[int(0.9 * (len(begin) - 1))]
    of_pad = last & (geom == thing).any(axis=1) & ~(geom == table).any(axis=1)
    up = np.where(geom[:, 1] == thing, 1.0, -1.0)[of_pad]
    whole = (up * force[of_pad, 2]).sum()
    pressed = (up * along[of_pad] * normal[of_pad, 2]).sum()
    touching = along > 1e-9 * max(along.max(), 1e-300)
    outside = (across[touching] / (friction * along[touching])).max() - 1.0
    return float(pressed / whole) if whole > 0.0 else 0.0, float(max(outside, 0.0))


def outcome(result, grasp):
    """What became of a grasp: share of the hand's way that the thing made, inverted elements, steps
    that were not solved, largest relative change of volume, and what pads says."""
    log = Recording(result.log)
    hooked, outside = pads(log, grasp.friction)
    height = log.read("vertex_position")[:, :, 2].mean(axis=1)
    hand = log.read("body_position")[:, log.names("body").index("hand"), 2]
    volume = log.read("deformable/volume")[:, 0]
    outcomes = log.read("info/outcome")
    return {
        "hooked": hooked,
        "outside": outside,
        "lifted": float((height[-1] - height[0]) / (hand[-1] - hand[0])),
        "inverted": int(log.read("deformable/inverted").max()),
        "unsolved": int((outcomes > 1).sum()),
        "volume": float(np.abs(volume[1:] / volume[1] - 1.0).max()),
        "contacts": float(log.contact_count.mean()),
        "milliseconds": 1e3 * result.summary["processor_time"] / result.summary["steps"],
    }


def simulate(study, panda, grasps):
    """The grasps that were made and their rows; those that the file has are not run again."""
    rows = Rows(study.out / "rows.jsonl")
    arm = study.write_scene("arm.json", controller())
    missing, keys, made_by = [], {}, key_of(*build())  # digested once: some 16 MB
    for i in chosen(len(grasps)):
        grasp = grasps[i]
        text, csv = scene(panda, grasp), controls(grasp)
        keys[str(i)] = key_of(text, csv, arm, made_by)
        if rows.has(str(i), keys[str(i)]):
            continue
        path, motor = study.write_scene(f"{i}.xml", text), study.write_scene(f"{i}.csv", csv)
        words = ("--controller", arm, "--controls", motor, "--log-vertices", 25)
        missing.append(Run(str(i), path, "coulomb", STEP, END, words))
    if study.full:
        print(f"{len(keys) - len(missing)} of {len(keys)} grasps are in {rows.path}")
    for first in range(0, len(missing), LOT):  # logs are read and dropped in lots
        if first and not study.in_time(len(missing) - first):
            break
        for name, result in study.simulate(missing[first : first + LOT]).items():
            rows.add(name, keys[name], outcome(result, grasps[int(name)]))
            result.log.unlink()
        if study.full:
            done = len(keys) - len(missing) + min(first + LOT, len(missing))
            print(f"{done} of {len(keys)} grasps", flush=True)
    made = [name for name in keys if rows.has(name, keys[name])]
    return [grasps[int(name)] for name in made], [rows.row(name) for name in made]


def picture(study, grasps, found):
    from support import figures

    figure, axis = figures.grid(width=5.0, height=3.2)
    share = [grasp.share for grasp in grasps]
    lifted = [row["lifted"] for row in found]
    marks = axis.scatter(
        share, lifted, c=[np.log10(grasp.young) for grasp in grasps], s=6, cmap="viridis"
    )
    axis.axvline(1.0, color="#888888", lw=0.8)
    axis.set(xlabel="grip over what holds the weight", ylabel="way of the thing over the hand's")
    figure.colorbar(marks, ax=axis, label="log10 of E [Pa]")
    study.figure("grasps", figure)


def study(study):
    shared = Path(os.environ.get("LIMPET_SHARED", ROOT.parent / "shared")).resolve()
    if not (shared / PANDA).exists():
        print(f"skipped: no shared data ({PANDA})")
        return
    draws = numbers(SEED)
    grasps = [draw(draws) for _ in range(FULL if study.full else QUICK)]
    grasps, found = simulate(study, shared / PANDA, grasps)
    steps = len(found) * round(END / STEP)
    unsolved = sum(row["unsolved"] for row in found)
    study.sheet(f"steps not solved, of {steps}", unsolved, high=0, accepted=(0, 0.001 * steps))
    study.within(
        "inverted elements at the end of a step", max(row["inverted"] for row in found), high=0
    )
    pairs = list(zip(grasps, found, strict=True))
    wrong = [
        (grasp, row)
        for grasp, row in pairs
        if (row["lifted"] > 0.5) != (grasp.share > 1.0 - max(row["hooked"], 0.0))
    ]
    outside = max(row["outside"] for row in found)
    study.within("friction of a contact over its bound, most", outside, high=1e-6)
    study.sheet(
        "grasps that hold or slip against Coulomb's law",
        len(wrong),
        high=0,
        accepted=(0, 0.05 * len(pairs)),
    )
    held = [row["lifted"] for grasp, row in pairs if grasp.share > 1.0 and row["lifted"] > 0.5]
    slipped = [row["lifted"] for grasp, row in pairs if grasp.share < 1.0 - max(row["hooked"], 0.0)]
    for grasp, row in pairs:
        if grasp.share < 1.0 and row["lifted"] > 0.5:
            print(f"hangs on the edge of a pad: {grasp} {row}")
    if held:
        study.within("way of a thing that is held, least, over the hand's", min(held), low=0.5)
    if slipped:
        study.within("way of a thing that slips, most, over the hand's", max(slipped), high=0.3)
    for grasp, row in pairs:
        if row["unsolved"]:
            print(f"not solved: {grasp} {row}")
    for grasp, row in wrong:
        print(f"against the law: {grasp} {row}")
    if study.full:
        picture(study, grasps, found)


if __name__ == "__main__":
    sys.exit(main(study, __file__))

#!/usr/bin/env python3
"""The Panda's hand holds a bell pepper, a mug and an ellipsoid by pressure fields, and is shaken
for ten seconds; beside it the same with points.

Slip is how far the thing has moved in the hand from before it is shaken to after it, both at rest:
what is elastic in between comes back.
"""

import os
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from _grasp_scenes import END, REST, THINGS, controls, scene  # noqa: E402
from support.command import ROOT  # noqa: E402
from support.recording import Recording  # noqa: E402
from support.study import Run, main  # noqa: E402

HAND = "models/menagerie/franka_emika_panda/hand.xml"
STEP, PERIOD = 2e-3, 0.02  # [s]  of a step, between records
KINDS = {"fields": (), "points": ("--no-pressure-fields",)}
MM = 1e3


def slip(log):
    """Way [mm] and turn [rad] of the thing in the hand, and the largest way while it is shaken."""
    place = log.q[:, 5:8] - log.q[:, :3]
    turn = log.q[:, 8:12]
    first = int(np.searchsorted(log.time, REST - PERIOD / 2))
    last = int(np.searchsorted(log.time, END - PERIOD / 2))
    way = MM * np.linalg.norm(place - place[first], axis=1)
    angle = 2.0 * np.arccos(min(1.0, abs(float(turn[first] @ turn[last]))))
    return float(way[last]), float(angle), float(way[first:].max())


def pressures(log, record, pad):
    """Places in the pad's plane [mm], relative to the hand, and pressures [kPa] of a record."""
    kept = log.contact_record == record
    geoms = log.read("contact/geom").reshape(-1, 2)[kept]
    touches = (geoms == log.names("geom").index(pad)).any(axis=1)
    area = log.read("contact/area")[kept][touches]
    place = log.read("contact/position")[kept][touches] - log.q[record, :3]
    force = np.abs(log.read("contact/force")[kept][touches, 1])
    return MM * place, force / area / 1e3, area


def draw(study, logs):
    from support import figures

    figure, axes = figures.plt.subplots(1, len(logs), figsize=(9.0, 3.2))
    for panel, (name, log) in zip(axes, logs.items(), strict=True):
        record = int(np.searchsorted(log.time, REST - PERIOD / 2))
        place, pressure, area = pressures(log, record, "left_pad")
        marks = panel.scatter(
            place[:, 0],
            place[:, 2],
            c=pressure,
            s=40 * np.sqrt(area / area.mean()),
            cmap="viridis",
            rasterized=True,
        )
        panel.set(title=name, xlabel="x [mm]", ylabel="z [mm]", aspect="equal")
        figure.colorbar(marks, ax=panel, label="kPa", shrink=0.7)
    study.figure("grasps", figure)


def study(study):
    shared = Path(os.environ.get("LIMPET_SHARED", ROOT.parent / "shared")).resolve()
    if not (shared / HAND).exists():
        print(f"skipped: no shared data ({HAND})")
        return
    study.write_scene("shake.csv", controls())
    path = {
        thing.name: study.write_scene(f"{thing.name}.xml", scene(shared / HAND, shared, thing))
        for thing in THINGS
    }
    csv = path["mug"].parent / "shake.csv"
    runs = [
        Run(
            f"{thing.name}-{kind}",
            path[thing.name],
            "coulomb",
            STEP,
            END,
            ("--keyframe", "grasp", "--controls", csv, "--log-period", PERIOD, *words),
        )
        for thing in (THINGS if study.full else THINGS[1:2])
        for kind, words in KINDS.items()
    ]
    results = study.simulate(runs)
    rows, shown = [], {}
    for run in runs:
        name, kind = run.name.split("-")
        log = Recording(results[run.name].log)
        way, angle, most = slip(log)
        contacts = float(log.contact_count.mean())
        rows.append(
            [
                name,
                kind,
                f"{way:.3g}",
                f"{angle:.2g}",
                f"{most:.3g}",
                f"{contacts:.0f}",
            ]
        )
        if kind == "fields":
            study.sheet(
                f"{name}: slip after ten seconds", way, high=0.1, unit="mm"
            )
            shown[name] = log
    header = [
        "thing",
        "contact",
        "slip [mm]",
        "turn [rad]",
        "largest way [mm]",
        "contacts",
    ]
    study.table("slip", header, rows)
    for row in rows:
        print("  ".join(row))
    if study.full:
        draw(study, shown)


if __name__ == "__main__":
    sys.exit(main(study, __file__))

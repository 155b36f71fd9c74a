#!/usr/bin/env python3
"""The Panda with two soft fingers that have the Fin Ray effect puts a peg into a hole that is 3 mm
off its scripted path (figure 26 of "Irrotational Contact Fields"; its fingers, peg and path are not
public, these are made by parameters).

The seven points of the acceptance sheet: the finger's tip bends towards what pushes it, the peg is
seated and held, contacts, inverted elements and volume, time a step, a finer mesh, golden values.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import _finray_push as push  # noqa: E402
import _finray_scene as peg  # noqa: E402
from _finray_mesh import Finger, mesh, vtk  # noqa: E402
from support.command import ROOT, command  # noqa: E402
from support.recording import Recording  # noqa: E402
from support.study import Run, main  # noqa: E402

PANDA = "models/menagerie/franka_emika_panda/panda.xml"
STEP, PUSHED, FORCE = 0.01, 0.4, 5.0  # [s], [s], [N]  at rest to 0.6 % then
ERROR, GRIP, HELD = 0.003, 16.0, 5.0  # [m], [N] of the motor, [s]
TIMED = 7  # runs of which the fastest counts: other programs slow them down
MM = 1e3


def pushes(study):
    """Deflection [mm] of the face that is pushed, by distance from the base, of each finger."""
    fingers = {"finger": Finger(), "solid wedge": Finger(solid=True)}
    if study.full:
        fingers["finer mesh"] = Finger().finer(2)
    runs = []
    for name, finger in fingers.items():
        word = name.replace(" ", "-")
        file = study.write_scene(f"{word}.vtk", vtk(finger))
        path = study.write_scene(f"{word}.xml", push.scene(finger, file.resolve(), FORCE))
        words = ("--keyframe", "push", "--log-period", 0.1)
        runs.append(Run(word, path, "coulomb", STEP, PUSHED, words))
    results = study.simulate(runs)
    shapes = {}
    for (name, finger), run in zip(fingers.items(), runs, strict=True):
        x = Recording(results[run.name].log).read("vertex_position")
        place, _ = mesh(finger)
        face = place[:, 1] < 1e-9
        along = np.unique(place[face, 0].round(7))
        moved = [
            MM * (x[-1] - x[0])[face & (np.abs(place[:, 0] - at) < 1e-6), 1].mean() for at in along
        ]
        shapes[name] = (MM * along, np.array(moved))
    return shapes


def tip_turn(shape):
    """How much farther the tip has gone with the push than the face at 60 % of the length [mm]."""
    along, moved = shape
    return float(moved[-1] - np.interp(0.6 * along[-1], along, moved))


def check_pushes(study, shapes):
    study.within(
        "(i) the tip against the middle, pushed by 5 N: towards the object",
        tip_turn(shapes["finger"]),
        high=-0.1,
        unit="mm",
    )
    study.within(
        "(i) a solid wedge of the same outline bends away",
        tip_turn(shapes["solid wedge"]),
        low=0.1,
        unit="mm",
    )
    if "finer mesh" in shapes:
        coarse, fine = (shapes[name][1][-1] for name in ("finger", "finer mesh"))
        study.sheet(
            "(vi) tip of a mesh 8 times finer, difference",
            100 * abs(float(coarse / fine - 1.0)),
            high=25,
            unit="%",
            accepted=(0, 70),
        )


def golden(study):
    """(vii) elements and bodies against golden values, by the test of this build."""
    test = command().parent / "test_fem_golden"
    if not test.exists():
        print("(vii) skipped: test_fem_golden is not built")
        return
    done = subprocess.run([test], capture_output=True, text=True, check=False)
    study.holds("(vii) golden values of elements and bodies (test_fem_golden)", not done.returncode)


def in_hand(log):
    """Place of the peg in the hand's axes [m], by record."""
    bodies = log.names("body")
    hand, body = bodies.index("hand"), bodies.index("peg")
    position = log.read("body_position")
    w, x, y, z = log.read("body_quaternion")[:, hand].T
    axes = np.stack(
        (
            1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
            2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
            2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
        ),
        axis=-1,
    ).reshape(-1, 3, 3)  # fmt: skip
    return np.einsum("tji,tj->ti", axes, position[:, body] - position[:, hand])


def insertion(study, panda):
    """The run with the peg, and a short one that is timed, without log: the least of several."""
    file = study.write_scene("finger.vtk", vtk(Finger())).resolve()
    path = study.write_scene("peg.xml", peg.scene(panda, file, ERROR))
    script = study.write_scene("peg.json", peg.path())
    words = ("--controller", script, "--set", f"grip={-GRIP}")
    timed = Run("timed", path, "coulomb", STEP, 1.5, words, False)
    summaries = [study.simulate([timed])["timed"].summary for _ in range(TIMED)]
    step = min(1e3 * run["processor_time"] / run["steps"] for run in summaries)
    end = peg.TIMES["down"] + HELD + 0.1
    html = study.out / "peg.html"
    whole = Run("peg", path, "coulomb", STEP, end, (*words, "--log-vertices", 10, "--html", html))
    return Recording(study.simulate([whole])["peg"].log), step


def check_insertion(study, log, step):
    seat = log.read("body_position")[-1, log.names("body").index("peg"), 2] - 0.5 * peg.PEG_LENGTH
    floor = peg.tip_height() + peg.GRIP - peg.PEG_LENGTH - peg.DEPTH
    study.within("(ii) foot of the peg above the hole's floor", MM * (seat - floor), -1, 3, "mm")
    place = in_hand(log)
    first = int(np.searchsorted(log.time, peg.TIMES["down"] + 0.1))
    slip = MM * float(np.linalg.norm(place[-1] - place[first]))
    study.sheet("(ii) slip while held for 5 s", slip, high=0.5, unit="mm", accepted=(0, 5))
    carried = log.contact_count[log.time > peg.TIMES["grip"]]
    study.sheet("(iii) contacts, mean", float(carried.mean()), 40, 150, accepted=(20, 300))
    study.sheet("(iii) contacts, most", int(carried.max()), 40, 150, accepted=(20, 400))
    study.within("(iv) inverted elements", int(log.read("deformable/inverted").max()), high=0)
    volume = log.read("deformable/volume")[1:]
    change = 100 * float(np.abs(volume / volume[0] - 1.0).max())
    study.sheet("(iv) change of volume", change, high=1.0, unit="%", accepted=(0, 5))
    study.sheet("(v) processor time a step", step, high=5.0, unit="ms", accepted=(0, np.inf))
    unsolved = int((log.read("info/outcome") > 1).sum())
    study.sheet(
        f"steps not solved, of {len(log.time) - 1}", unsolved, high=0, accepted=(0, 20)
    )


def picture(study, log, shapes):
    """Figure 26: the fingers and the peg at four times; contacts; and the face that was pushed."""
    from support import figures

    figure, axes = figures.plt.subplots(2, 3, figsize=(8.0, 5.4))
    x = log.read("vertex_position")
    body = log.read("body_position")[:, log.names("body").index("peg")]
    times = [0.05, peg.TIMES["grip"], peg.TIMES["across"], peg.TIMES["down"]]
    for panel, time in zip(axes.flat, times, strict=False):
        record = min(10 * round(time / STEP / 10), 10 * (len(x) - 1))
        at = MM * x[record // 10]
        panel.plot(at[:, 0], at[:, 2], ",", color="#1f5fa8", rasterized=True)
        low, high = body[record, 2] + np.array((-0.5, 0.5)) * peg.PEG_LENGTH
        panel.add_patch(
            figures.plt.Rectangle(
                (MM * (body[record, 0] - peg.PEG), MM * low),
                2 * MM * peg.PEG,
                MM * (high - low),
                fill=False,
                color="#d1495b",
            )
        )
        panel.set(title=f"{time:g} s", xlabel="x [mm]", ylabel="z [mm]", aspect="equal")
    axes[1, 1].plot(log.time, log.contact_count)
    axes[1, 1].set(xlabel="t [s]", ylabel="contacts")
    for name, (along, moved) in shapes.items():
        axes[1, 2].plot(along, moved, label=name)
    axes[1, 2].set(xlabel="from the base [mm]", ylabel="face moved by 5 N [mm]")
    axes[1, 2].legend(fontsize=7)
    study.figure("finray", figure)


def study(study):
    shapes = pushes(study)
    check_pushes(study, shapes)
    golden(study)
    if not study.full:
        return
    shared = Path(os.environ.get("LIMPET_SHARED", ROOT.parent / "shared")).resolve()
    if not (shared / PANDA).exists():
        print(f"skipped: no shared data ({PANDA})")
        return
    log, step = insertion(study, shared / PANDA)
    check_insertion(study, log, step)
    picture(study, log, shapes)


if __name__ == "__main__":
    sys.exit(main(study, __file__))

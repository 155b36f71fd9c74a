#!/usr/bin/env python3
"""Grasps in the schemes `quasi-dynamic` and `discrete` at low speed: the forces at rest agree."""

import os
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "studies"), str(ROOT / "tools")]

import run_aloha  # noqa: E402
from _scheme import GRAVITY, controls, quasi_dynamic  # noqa: E402
from support.recording import Recording  # noqa: E402
from support.study import Run, main  # noqa: E402

SHARED = Path(os.environ.get("LIMPET_SHARED", ROOT.parent / "shared"))
HAND = SHARED / "models/menagerie/franka_emika_panda/hand.xml"
DISCRETE_STEP, QUASI_STEP = 0.002, 0.01  # [s]
SCHEMES = {"discrete": "discrete, lagged", "rigid": "discrete, anitescu", "quasi": "quasi-dynamic"}
OBJECT = {"box": 'type="box" size="0.03 0.03 0.03"', "ball": 'size="0.03"'}
CUBE = """
  <worldbody>
    <body name="object" pos="0 0 0.1034">
      <freejoint/>
      <geom name="object" type="box" size="0.02 0.02 0.02" mass="0.05"/>
    </body>
  </worldbody>
  <keyframe>
    <key name="held" qpos="0.0201 0.0201 0 0 0.1034 1 0 0 0" ctrl="0"/>
  </keyframe>
</mujoco>"""


def forces(log, axis, held):
    """On the geom `held` at the end: {side: normal force [N] and upward friction [N]}, sides along
    an axis, and the floor's share."""
    names, last = log.names("geom"), slice(*log.read("contact_begin")[-2:])
    pair, force, normal = (
        log.read(f"contact/{name}")[last] for name in ("geom", "force", "normal")
    )
    result = {"-": np.zeros(2), "+": np.zeros(2), "below": np.zeros(2)}
    for (a, b), f, n in zip(pair, force, normal, strict=True):
        if held not in (names[a], names[b]):
            continue
        sign = 1.0 if names[b] == held else -1.0
        f, n = sign * f, sign * n
        side = "below" if abs(n[axis]) < 0.5 else "-" if n[axis] > 0 else "+"
        result[side] += f @ n, f[2] - (f @ n) * n[2]
    return result


def both(name, scene, time, *options):
    """The three runs of one scene."""
    return [Run(f"{name}-discrete", scene, "lagged", DISCRETE_STEP, time, options),
            Run(f"{name}-rigid", scene, "anitescu", DISCRETE_STEP, time, options),
            quasi_dynamic(f"{name}-quasi", scene, QUASI_STEP, time, *options)]  # fmt: skip


def compare(study, name, logs, axis, weight, servo, held="object"):
    """Normal forces, friction and servo forces of one grasp."""
    rows, reference = [], forces(logs[f"{name}-discrete"], axis, held)
    for scheme, word in SCHEMES.items():
        log = logs[f"{name}-{scheme}"]
        found, motor = forces(log, axis, held), log.read("actuator_force")[-1, servo]
        carried = found["-"][1] + found["+"][1]
        study.near(
            f"{name}, {word}: friction that carries the object",
            carried,
            weight,
            "N",
            relative=0.02 if scheme == "rigid" else 0.01,
        )
        for side in "-+":
            study.near(
                f"{name}, {word}: normal force on the {side} side",
                found[side][0],
                reference[side][0],
                "N",
                relative=0.01,
            )
        rows.append(
            [f"{name}, {word}", *(float(x) for x in (found["-"][0], found["+"][0], carried, motor))]
        )
    study.near(
        f"{name}: force of the servo, quasi-dynamic", rows[2][-1], rows[0][-1], "N", relative=0.01
    )
    return rows


def resting(study):
    """The whole study."""
    lift = controls(
        study,
        "lift",
        [0.0, 0.5, 1.0, 4.0],
        lift=[0.0, 0.0, 0.0, 0.02],
        left=[0.0, 0.02, 0.035, 0.035],
        right=[0.0, 0.02, 0.035, 0.035],
    )
    runs, text = [], study.scene("lift.xml").read_text()
    for name, shape in OBJECT.items() if study.full else [("box", OBJECT["box"])]:
        path = study.write_scene(f"lift-{name}.xml", text.replace(OBJECT["box"], shape, 1))
        runs += both(name, path, 5.0, "--controls", lift)
    if HAND.exists():
        hand = (
            HAND.read_text()
            .replace('meshdir="assets"', f'meshdir="{HAND.parent / "assets"}"')
            .replace("</mujoco>", CUBE)
        )
        runs += both("panda", study.write_scene("panda.xml", hand), 2.0, "--keyframe", "held")
    else:
        print(f"skipped: no {HAND}, so no Panda hand")
    aloha = run_aloha.fetch_robot() if study.full else None
    if aloha:
        runs += both(
            "aloha",
            aloha / run_aloha.ALOHA_MODEL,
            12.0,
            "--keyframe",
            "0",
            "--controls",
            ROOT / "scenes/aloha_lift/controls.csv",
        )
    elif study.full:
        print("skipped: no network and no ALOHA robot in the cache")
    logs = {name: Recording(result.log) for name, result in study.simulate(runs).items()}
    rows = []
    for name in OBJECT if study.full else ("box",):
        rows += compare(study, name, logs, 0, 0.5 * GRAVITY, 1)
    if HAND.exists():
        rows += compare(study, "panda", logs, 1, 0.05 * GRAVITY, 0)
    if aloha:
        rows += compare(study, "aloha", logs, 1, 0.05 * GRAVITY, -1, "red_box")
    study.table(
        "forces",
        ["grasp", "normal, one side [N]", "normal, other side [N]", "friction [N]", "servo [N]"],
        rows,
    )


if __name__ == "__main__":
    sys.exit(main(resting, __file__))

#!/usr/bin/env python3
"""Cross-checks that need no figure of "Irrotational Contact Fields": against Drake's CENIC
integrator, a rolling ball, an inclined plane, and a stack of three spheres with the masses 1 : 64 :
4096.
"""

import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.recording import Recording  # noqa: E402
from support.series import SERIES, options  # noqa: E402
from support.study import Run, main  # noqa: E402

GRAVITY = 9.81  # [m/s^2]
TILTS, SLOPE_STEP, SLOPE_TIME = (10.0, 25.0, 35.0), 1e-3, 1.0  # [deg] [s] [s]
FRICTION = 0.4  # of the inclined plane: tan = 0.4 at 21.8 deg, 2/7 tan = 0.4 at 54.5 deg
SLIP_ROLL = 0.1  # friction with which a sphere rolls up to 19.3 deg
STACK = {
    "bottom": (0.16, 4096),
    "middle": (0.04, 64),
    "top": (0.01, 1),
}  # radius [m], mass over the smallest
DENSITY = 1000.0  # [kg/m^3]
STACK_STEP, STACK_STIFFNESS = 0.01, 1e8  # [s] [N/m]  of each sphere and of the ground

HEAD = """<mujoco model="{title}" xmlns:limpet="limpet">
  <option gravity="{gravity}"/>
  <default><geom friction="{friction}" limpet:stiffness="{k:g}" limpet:dissipation="{d:g}"
        limpet:relaxation_time="{tau:g}"/></default>
  <worldbody>
    <geom name="ground" type="plane" size="1 1 0.1"/>
"""
TAIL = """  </worldbody>
  <keyframe><key name="start" qpos="{qpos}" qvel="{qvel}"/></keyframe>
</mujoco>
"""


def scene(study, name, bodies, qpos, qvel, gravity=f"0 0 -{GRAVITY}", **material):
    """A scene of bodies on a plane with a keyframe."""
    numbers = [" ".join(repr(float(value)) for value in row) for row in (qpos, qvel)]
    text = (
        HEAD.format(title=name, gravity=gravity, **material)
        + bodies
        + TAIL.format(qpos=numbers[0], qvel=numbers[1])
    )
    return study.write_scene(f"{name}.xml", text)


def sphere(name, radius, mass):
    """A free solid sphere."""
    return (
        f'    <body name="{name}"><freejoint/><geom name="{name}" type="sphere" '
        f'size="{radius!r}" mass="{float(mass)!r}"/></body>\n'
    )


def planar(shape, mass, inertia):
    """A body on slides x, z and a hinge about y."""
    return (
        '    <body name="body"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 '
        '1"/><joint type="hinge" axis="0 1 0"/>'
        f'<inertial pos="0 0 0" mass="{mass!r}" diaginertia="{inertia!r} {inertia!r} '
        f'{inertia!r}"/>{shape}</body>\n'
    )


def cenic(study):
    """(i) Lagged at a fixed step is what CENIC does at a fixed step."""
    known = json.loads((study.folder / "scenes/cenic-ball.json").read_text())
    start = known["start"]
    path = scene(
        study,
        "cenic",
        sphere("ball", known["radius"], known["mass"]),
        [*start["position"], 1, 0, 0, 0],
        [*start["velocity"], *start["rotation"]],
        friction=known["friction"],
        k=known["stiffness"],
        d=known["dissipation"],
        tau=0,
    )
    rows = np.array(known["rows"])
    words = (
        "--preset",
        "drake",
        "--keyframe",
        "start",
        "--stiction-speed",
        str(known["stiction_speed"]),
        "--friction-regularization",
        "0",
        "--tolerance",
        "1e-13",
    )

    def check(log):
        found = np.column_stack([log.q[:, :3], log.v[:, :3], log.v[:, 3:]])
        for name, columns, unit, tolerance in (
            ("position", slice(0, 3), "m", 1e-12),
            ("velocity", slice(3, 6), "m/s", 1e-11),
            ("turning rate", slice(6, 9), "rad/s", 1e-9),
        ):
            apart = np.abs(found[:, columns] - rows[:, columns]).max()
            study.near(
                f"Drake's CENIC at a fixed step: largest difference of {name} in {len(rows)} steps",
                apart,
                0.0,
                unit,
                absolute=tolerance,
            )
        study.within(
            "   in which the ball slides and then rolls: change of its speed",
            rows[0, 3] - rows[-1, 3],
            low=0.5,
            unit="m/s",
        )

    return [
        Run("cenic", path, "lagged", known["step"], known["step"] * len(rows), words)
    ], lambda logs: check(logs["cenic"])


def rolling(study):
    """(ii) A ball of 10 cm that rolls at 0.8 m/s for 1 s."""
    path = scene(
        study,
        "rolling",
        sphere("ball", 0.1, 1.0),
        [0, 0, 0.1, 1, 0, 0, 0],
        [0.8, 0, 0, 0, 8.0, 0],
        friction=0.5,
        k=2e6,
        d=10,
        tau=0.01,
    )
    runs = [
        Run(f"rolling-{model}", path, model, 1e-2, 1.0, ("--keyframe", "start", *options(model)))
        for model in SERIES
    ]

    def check(logs):
        for model in SERIES:
            log = logs[f"rolling-{model}"]
            study.near(f"rolling ball, {model}: way in 1 s", log.q[-1, 0], 0.8, "m", absolute=1e-3)
            study.near(f"rolling ball, {model}: height", log.q[-1, 2], 0.1, "m", absolute=1e-3)

    return runs, check


def slope_cases():
    """(name, body, friction, tilt [deg], acceleration along the slope [m/s^2]) of a point that
    slides and of spheres that roll."""
    cases = []
    for tilt in TILTS:
        sine, cosine = np.sin(np.radians(tilt)), np.cos(np.radians(tilt))
        block = (
            0.0 if FRICTION >= np.tan(np.radians(tilt)) else GRAVITY * (sine - FRICTION * cosine)
        )
        cases.append((f"block-{tilt:g}", "block", FRICTION, tilt, block))
        for friction in (FRICTION, SLIP_ROLL):
            rolls = friction >= 2 / 7 * np.tan(np.radians(tilt))
            ball = 5 / 7 * GRAVITY * sine if rolls else GRAVITY * (sine - friction * cosine)
            cases.append((f"ball-{friction:g}-{tilt:g}", "ball", friction, tilt, ball))
    return cases


def inclined(study):
    """(iii) An inclined plane: a block sticks up to tan = mu, a sphere rolls up to 2/7 tan = mu.
    Gravity is tilted, not the plane."""
    runs = []
    bodies = {
        "block": planar(
            "".join(f'<geom type="sphere" size="0.001" pos="{x} 0 -0.049"/>' for x in (-0.1, 0.1)),
            1.0,
            1e-3,
        ),
        "ball": planar('<geom type="sphere" size="0.05"/>', 1.0, 0.4 * 0.05**2),
    }
    for name, body, friction, tilt, _ in slope_cases():
        angle = np.radians(tilt)
        gravity = f"{float(GRAVITY * np.sin(angle))!r} 0 {float(-GRAVITY * np.cos(angle))!r}"
        path = scene(
            study,
            name,
            bodies[body],
            [0, 0.05, 0],
            [0, 0, 0],
            gravity,
            friction=friction,
            k=2e7,
            d=10,
            tau=1e-4,
        )
        words = list(options("lagged", "1e-10"))
        words[words.index("--stiction-speed") + 1] = "1e-5"
        runs.append(
            Run(name, path, "lagged", SLOPE_STEP, SLOPE_TIME, ("--keyframe", "start", *words))
        )

    def check(logs):
        rows = []
        for name, body, friction, tilt, expected in slope_cases():
            log = logs[name]
            late = log.time > 0.2
            found = np.polyfit(log.time[late], log.v[late, 0], 1)[0]
            study.near(
                f"slope of {tilt:g}°, {body}, mu {friction:g}: acceleration",
                found,
                expected,
                "m/s²",
                relative=1e-3,
                absolute=1e-5,
            )
            if expected == 0.0:
                study.near(f"   way in {SLOPE_TIME:g} s", log.q[-1, 0], 0.0, "m", absolute=1e-4)
            rows.append([body, friction, tilt, found, expected])
        study.table(
            "slope", ["body", "mu", "tilt [deg]", "acceleration [m/s²]", "closed form [m/s²]"], rows
        )

    return runs, check


def stack(study):
    """(iv) Three spheres on each other, masses 1 : 64 : 4096, small ones on top."""
    bodies, qpos, height = "", [], 0.0
    for name, (radius, _) in STACK.items():
        bodies += sphere(name, radius, DENSITY * 4 / 3 * np.pi * radius**3)
        qpos += [0, 0, height + radius, 1, 0, 0, 0]
        height += 2 * radius
    path = scene(
        study, "stack", bodies, qpos, [0] * 18, friction=1, k=STACK_STIFFNESS, d=5, tau=0.005
    )
    runs = [
        Run(
            f"stack-{model}",
            path,
            model,
            STACK_STEP,
            5.0,
            ("--keyframe", "start", *options(model, "1e-10")),
        )
        for model in SERIES
    ]

    def check(logs):
        masses = [DENSITY * 4 / 3 * np.pi * radius**3 for radius, _ in STACK.values()]
        study.near(
            "stack: mass of the bottom over the top", masses[0] / masses[2], 4096.0, relative=1e-9
        )
        rows = []
        for model in SERIES:
            log = logs[f"stack-{model}"]
            depth = np.array(
                [
                    STACK["bottom"][0],
                    STACK["bottom"][0] * 2 + STACK["middle"][0],
                    2 * (STACK["bottom"][0] + STACK["middle"][0]) + 0.01,
                ]
            )
            sunk = depth - log.q[-1, 2::7]
            pairs = [sunk[0], sunk[1] - sunk[0], sunk[2] - sunk[1]]
            loads = [GRAVITY * sum(masses), GRAVITY * sum(masses[1:]), GRAVITY * masses[2]]
            study.within(
                f"stack, {model}: largest distance from the axis after 5 s",
                float(np.abs(log.q[-1, [0, 1, 7, 8, 14, 15]]).max()),
                high=1e-6,
                unit="m",
            )
            for where, found, load in zip(("ground", "middle", "top"), pairs, loads, strict=True):
                study.near(
                    f"stack, {model}: penetration, {where}",
                    1e9 * found,
                    1e9 * load / (STACK_STIFFNESS / 2),
                    "nm",
                    relative=1e-3,
                    absolute=0.01,
                )
            rows.append([model, *(1e9 * value for value in pairs)])
        rows.append(["W/k", *(1e9 * load / (STACK_STIFFNESS / 2) for load in loads)])
        study.table(
            "stack", ["penetration [nm]", "ground", "middle on bottom", "top on middle"], rows
        )

    return runs, check


def crosschecks(study):
    """The whole study."""
    parts = [part(study) for part in (cenic, rolling, inclined, stack)]
    results = study.simulate([run for runs, _ in parts for run in runs])
    logs = {name: Recording(result.log) for name, result in results.items()}
    for _, check in parts:
        check(logs)


if __name__ == "__main__":
    sys.exit(main(crosschecks, __file__))

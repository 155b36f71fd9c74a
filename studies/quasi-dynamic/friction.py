#!/usr/bin/env python3
"""Rest, fall, the pyramid of friction and its budget: what the rows of "quasi-dynamic point clouds
with torsional friction" do to one body."""

import math
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from _scheme import GRAVITY, controls, quasi_dynamic  # noqa: E402
from support.recording import Recording  # noqa: E402
from support.study import main  # noqa: E402

FRICTION, SPEED, STEP = 0.5, 0.1, 0.01  # [-, m/s, s]  of the block
WEIGHT = 2.0 * GRAVITY  # [N]  of the block
SQUEEZE, LENGTH = 10.0, 0.02  # [N, m]  of the jaws; torsional friction length
LOADS = (0.0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9)  # share of the grip's friction that the weight takes
MODELS = {"anitescu": "pyramid", "anitescu-cone": "cone"}
COLOUR = {"anitescu": "#1f5fa8", "anitescu-cone": "#d1495b"}


def check_rest_and_fall(study):
    """Sheet A1: a ball at rest, falling and landing."""
    text = study.scene("sphere.xml").read_text()
    high = study.write_scene("sphere-high.xml", text.replace('pos="0 0 0.1"', 'pos="0 0 0.11"'))
    results = study.simulate(
        [
            quasi_dynamic("rest", study.scene("sphere.xml"), STEP, 0.5),
            quasi_dynamic("fall", high, STEP, 0.3),
        ]
    )
    rest, fall = (Recording(results[name].log) for name in ("rest", "fall"))
    study.within(
        "rest: displacement of a step", STEP * np.abs(rest.v).max(), high=1e-9, unit="m, rad"
    )
    study.near("rest: normal force", rest.force[-1, 2], GRAVITY, "N", relative=1e-6)
    heights = np.concatenate([[0.11], fall.q[:, 2]])
    drop, steps = GRAVITY * STEP**2, math.ceil(0.01 / (GRAVITY * STEP**2))
    study.near(
        "fall: way of every step before the last",
        1e3 * np.abs(np.diff(heights)[: steps - 1]).max(),
        1e3 * drop,
        "mm",
        relative=1e-9,
    )
    study.near(
        "fall: way of the first step", -1e3 * np.diff(heights)[0], 1e3 * drop, "mm", relative=1e-9
    )
    study.near(
        "fall from 10 mm: steps until it stands", int(np.argmax(heights < 0.1 + 1e-9)), steps
    )
    study.within("fall: gap afterwards", np.abs(heights[steps:] - 0.1).max(), high=1e-9, unit="m")


def block(study, name, push, tangents, model):
    """A run of the block: angles [rad] of the push and, if not 0, of the tangents: friction a hair
    apart makes them follow an axis."""
    text = study.scene("block.xml").read_text()
    text = text.replace('axis="1 0 0"', f'axis="{math.cos(push)!r} {math.sin(push)!r} 0"')
    if tangents:
        text = text.replace(
            'mass="2"',
            'mass="2" limpet:friction_ratio="1.000000000001" '
            f'limpet:friction_axis="{math.cos(tangents)!r} {math.sin(tangents)!r} 0"',
        )
    path = study.write_scene(f"{name}.xml", text)
    move = controls(study, "push", [0.0, 2.0], push=[0.0, 2.0 * SPEED])
    return quasi_dynamic(name, path, STEP, 2.0, "--controls", move, contact=model)


def check_sliding(study):
    """Sheet A4: a block that is pushed glides, and friction depends on the direction. Returns
    friction by model and angle."""
    quarter = math.pi / 4
    angles = [k * math.pi / 36 for k in range(19)] if study.full else [0.0, quarter]
    runs = [
        block(study, f"{model}-{k}", angle, 0.0, model)
        for model in MODELS
        for k, angle in enumerate(angles)
    ]
    runs += [block(study, f"turned-{k}", k * quarter, quarter, "anitescu") for k in (0, 1)]
    logs = {name: Recording(result.log) for name, result in study.simulate(runs).items()}
    force = {name: log.read("actuator_force")[-1, 0] for name, log in logs.items()}
    full, diagonal = FRICTION * WEIGHT, FRICTION * WEIGHT / math.sqrt(2.0)
    half = len(angles) // 2 if study.full else 1
    study.near(
        "pyramid: gap of a block at 0.1 m/s",
        1e3 * logs["anitescu-0"].q[-1, 0],
        1e3 * STEP * FRICTION * SPEED,
        "mm",
        relative=1e-6,
    )
    study.near("pyramid: friction along a tangent", force["anitescu-0"], full, "N", relative=1e-6)
    study.near(
        "pyramid: friction along the diagonal",
        force[f"anitescu-{half}"],
        diagonal,
        "N",
        relative=1e-6,
    )
    study.near(
        "pyramid turned by 45°: friction along x", force["turned-0"], diagonal, "N", relative=1e-6
    )
    study.near(
        "pyramid turned by 45°: friction along the diagonal",
        force["turned-1"],
        full,
        "N",
        relative=1e-6,
    )
    for k, angle in enumerate(angles):
        most = max(abs(math.cos(angle)), abs(math.sin(angle)))
        if k in (0, half // 2, half):
            study.near(
                f"pyramid: friction at {math.degrees(angle):.0f}°",
                force[f"anitescu-{k}"],
                full * most,
                "N",
                relative=1e-6,
            )
            study.near(
                f"cone: friction at {math.degrees(angle):.0f}°",
                force[f"anitescu-cone-{k}"],
                full,
                "N",
                relative=1e-6,
            )
    return {
        model: [(angle, force[f"{model}-{k}"]) for k, angle in enumerate(angles)]
        for model in MODELS
    }


def slips(study, cases):
    """Whether the ball between the jaws turns or falls, for cases (model, mass [kg], torque [N
    m])."""
    text, runs = study.scene("jaws.xml").read_text(), []
    for k, (model, mass, torque) in enumerate(cases):
        path = study.write_scene(
            f"jaws-{mass:.9f}.xml", text.replace('mass="0.5"', f'mass="{mass!r}"')
        )
        runs.append(
            quasi_dynamic(
                f"jaws-{k}",
                path,
                STEP,
                0.2,
                "--set",
                "left=10mm",
                "--set",
                "right=10mm",
                "--set",
                f"torque={torque!r}",
                contact=model,
                log=False,
            )
        )
    results = study.simulate(runs)
    return [max(map(abs, results[run.name].summary["v"][2:])) > 1e-4 for run in runs]


def limit(model, load):
    """[N m]  most torque that sticks when the weight takes the share `load` of friction."""
    left = 1.0 - load if model == "anitescu" else math.sqrt(1.0 - load**2)
    return 2.0 * LENGTH * SQUEEZE * left


def mass_of(load):
    """[kg]; a tenth of a gram stands for none"""
    return max(1e-4, load * 2.0 * FRICTION * SQUEEZE / GRAVITY)


def check_budget(study):
    """Sheet A5: torque and weight share the normal force. Returns the limits that bisection found,
    {model: [N m]}."""
    loads = LOADS if study.full else (0.45,)
    cases = [
        (model, mass_of(load), factor * limit(model, load))
        for model in MODELS
        for load in loads
        for factor in (0.999, 1.001)
    ]
    outcome = slips(study, cases)
    for k, (model, load) in enumerate((model, load) for model in MODELS for load in loads):
        right = outcome[2 * k : 2 * k + 2] == [False, True]
        study.holds(
            f"{MODELS[model]}, weight takes {load:g}: sticks at 0.999 of the limit, slips at 1.001",
            right,
        )
    if not study.full:
        return None
    pairs = [(model, load) for model in MODELS for load in loads]
    low, high = np.zeros(len(pairs)), np.full(len(pairs), 0.6)
    for _ in range(11):
        middle = 0.5 * (low + high)
        turned = np.array(
            slips(
                study,
                [
                    (model, mass_of(load), float(torque))
                    for (model, load), torque in zip(pairs, middle, strict=True)
                ],
            )
        )
        low, high = np.where(turned, low, middle), np.where(turned, middle, high)
    found = dict(zip(pairs, 0.5 * (low + high), strict=True))
    study.table(
        "budget",
        ["share of the weight", "pyramid [N m]", "closed form", "cone [N m]", "closed form"],
        [
            [
                f"{load:g}",
                *(x for model in MODELS for x in (float(found[model, load]), limit(model, load))),
            ]
            for load in loads
        ],
    )
    return {model: [found[model, load] for load in loads] for model in MODELS}


def draw(study, friction, budget):
    """Friction by direction, and torque against weight."""
    from support import figures

    figure = figures.plt.figure(figsize=(7.0, 3.0))
    polar, axis = figure.add_subplot(1, 2, 1, projection="polar"), figure.add_subplot(1, 2, 2)
    load = np.linspace(0.0, 1.0, 101)
    for model, word in MODELS.items():
        angle, force = np.array(friction[model]).T
        polar.plot(angle, force / WEIGHT, "o-", color=COLOUR[model], ms=3, label=word)
        axis.plot(load, [limit(model, x) for x in load], color=COLOUR[model], lw=0.9)
        axis.plot(LOADS, budget[model], "o", color=COLOUR[model], label=word)
    polar.set(thetamin=0, thetamax=90, ylim=(0, 0.6), title="friction over weight, by direction")
    axis.set(xlabel="weight over 2 μ N", ylabel="largest torque that sticks [N m]")
    axis.legend()
    study.figure("friction", figure)


def friction(study):
    """The whole study."""
    check_rest_and_fall(study)
    directions = check_sliding(study)
    budget = check_budget(study)
    if study.full:
        draw(study, directions, budget)


if __name__ == "__main__":
    sys.exit(main(friction, __file__))

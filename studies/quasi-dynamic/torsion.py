#!/usr/bin/env python3
"""Torsional boundary layer: a ball on a floor, turned about the normal, Fig. 3 of "quasi-dynamic
point clouds with torsional friction"."""

import math
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from _scheme import GRAVITY, controls, quasi_dynamic  # noqa: E402
from support.recording import Recording  # noqa: E402
from support.study import main  # noqa: E402

MASS, RADIUS, LENGTH = 1.0, 0.1, 0.01  # [kg, m, m]  LENGTH: torsional friction length
INERTIA = 0.4 * MASS * RADIUS**2
LIMIT = LENGTH * MASS * GRAVITY  # [N m]  most torque that sticks
RATIOS = (0.5, 0.99, 1.01, 1.1, 1.5, 2.0)
STEPS = (0.02, 0.01, 0.005)  # [s]
FINAL_GAP = {0.02: 0.09609, 0.01: 0.024274, 0.005: 0.0060998}  # [mm]  after the ramp
COLOUR = {0.02: "#d1495b", 0.01: "#2e8b57", 0.005: "#1f5fa8"}
RAMP = 2.0  # [s]  from no torque to twice the limit
RATE = 0.5  # [rad/s]  prescribed spin


def ramp_reference(h):
    """Spin [rad/s] and gap [m] after each step of the ramp, by the closed form of one step."""
    gap, spins, gaps = 0.0, [], []
    for k in range(round(RAMP / h)):
        torque = 2.0 * LIMIT * k * h / RAMP
        turn = (
            h
            * (h * torque - LENGTH * h * MASS * GRAVITY + LENGTH * MASS * gap / h)
            / (INERTIA + LENGTH**2 * MASS)
        )
        fall = GRAVITY * h**2
        turn, gap = (turn, LENGTH * turn) if turn > 0 else (0.0, max(0.0, gap - fall))
        spins.append(turn / h)
        gaps.append(gap)
    return np.array(spins), np.array(gaps)


def gap(log):
    """[m]  (T)  under the ball"""
    return log.q[:, 2] - RADIUS


def check_constant_torque(study):
    """Spin and gap under constant torques."""
    h, rows = 0.01, []
    models = ("anitescu", "anitescu-cone") if study.full else ("anitescu",)
    runs = [
        quasi_dynamic(
            f"{model}-{ratio:g}",
            study.scene("sphere.xml"),
            h,
            0.6,
            "--set",
            f"torque={ratio * LIMIT!r}",
            contact=model,
        )
        for model in models
        for ratio in RATIOS
    ]
    for result in study.simulate(runs).values():
        model, ratio = result.run.contact, float(result.run.name.rsplit("-", 1)[1])
        log = Recording(result.log)
        spin = h * (ratio - 1.0) * LIMIT / INERTIA if ratio > 1.0 else 0.0
        study.near(
            f"{model}, {ratio:g} of the limit: spin",
            log.v[-1, 5],
            spin,
            "rad/s",
            absolute=1e-9,
            relative=1e-6,
        )
        study.near(
            f"{model}, {ratio:g} of the limit: gap",
            1e3 * gap(log)[-1],
            1e3 * h * LENGTH * spin,
            "mm",
            absolute=1e-9,
            relative=1e-6,
        )
        rows.append(
            [
                f"{model}, {ratio:g}",
                float(log.v[-1, 5]),
                spin,
                1e3 * float(gap(log)[-1]),
                1e3 * h * LENGTH * spin,
            ]
        )
    study.table(
        "torque",
        ["torque over limit", "spin [rad/s]", "closed form", "gap [mm]", "closed form"],
        rows,
    )


def check_ramp(study):
    """The ramp of Fig. 3 for three steps, and the same steps at a prescribed spin. Returns the logs
    of the ramp."""
    ramp = controls(study, "ramp", [0.0, RAMP], torque=[0.0, 2.0 * LIMIT])
    turn = controls(study, "turn", [0.0, 1.0], turn=[0.0, RATE])
    results = study.simulate(
        [
            quasi_dynamic(f"ramp-{h:g}", study.scene("sphere.xml"), h, RAMP, "--controls", ramp)
            for h in STEPS
        ]
        + [
            quasi_dynamic(f"turn-{h:g}", study.scene("spin.xml"), h, 1.0, "--controls", turn)
            for h in STEPS
        ]
    )
    ramps = {h: Recording(results[f"ramp-{h:g}"].log) for h in STEPS}
    driven = {h: Recording(results[f"turn-{h:g}"].log).q[-1, 0] for h in STEPS}
    for h, log in ramps.items():
        spins, gaps = ramp_reference(h)
        begins = log.time[np.abs(log.v[:, 5]) > 1e-9][0] - h
        study.near(
            f"ramp, {h:g} s: start of the first step that spins",
            begins,
            0.5 * RAMP,
            "s",
            absolute=1.01 * h,
        )
        study.near(
            f"ramp, {h:g} s: final gap", 1e3 * gap(log)[-1], FINAL_GAP[h], "mm", relative=1e-4
        )
        study.within(
            f"ramp, {h:g} s: spin off the closed form",
            np.abs(log.v[:, 5] - spins).max(),
            high=1e-9,
            unit="rad/s",
        )
        study.within(
            f"ramp, {h:g} s: gap off the closed form",
            np.abs(gap(log) - gaps).max(),
            high=1e-10,
            unit="m",
        )
        study.near(
            f"spin of {RATE:g} rad/s, {h:g} s: gap",
            1e3 * driven[h],
            1e3 * h * LENGTH * RATE,
            "mm",
            relative=1e-6,
        )
    for h in STEPS[:-1]:
        study.near(
            f"gap of the ramp at {h:g} s over that at half of it",
            gap(ramps[h])[-1] / gap(ramps[h / 2])[-1],
            4.0,
            relative=0.02,
        )
        study.near(
            f"gap at prescribed spin at {h:g} s over that at half of it",
            driven[h] / driven[h / 2],
            2.0,
            relative=1e-6,
        )
    study.table(
        "scaling",
        ["step [s]", "gap after the ramp [mm]", "gap at 0.5 rad/s [mm]"],
        [[f"{h:g}", 1e3 * float(gap(ramps[h])[-1]), 1e3 * float(driven[h])] for h in STEPS],
    )
    return ramps


def check_centimetre(study):
    """Parameters for which the gap is the fraction of a centimetre of which the paper speaks."""
    text = study.scene("sphere.xml").read_text()
    text = (
        text.replace('friction="0.5 0.01"', 'friction="0.5 0.05"')
        .replace('size="0.1"', 'size="0.05"')
        .replace('0 0 0.1"', '0 0 0.05"')
    )
    scene = study.write_scene("sphere-centimetre.xml", text)
    limit = 0.05 * MASS * GRAVITY
    run = quasi_dynamic(
        "centimetre",
        scene,
        0.01,
        1.0,
        "--speculative-distance",
        "0.05",
        "--set",
        f"torque={5 * limit!r}",
    )
    log = Recording(study.simulate([run])["centimetre"].log)
    study.near(
        "mu_w = r = 5 cm, five times the limit: gap",
        1e3 * (log.q[-1, 2] - 0.05),
        9.81,
        "mm",
        relative=1e-6,
    )


def draw(study, ramps):
    """Fig. 3: torque, spin and gap over time for three steps, with ball and floor."""
    from support import figures

    figure, axes = figures.grid(3, 1, width=6.4, height=5.6, sharex=True)
    time = np.array([0.0, RAMP])
    axes[0].plot(time, [0.0, 2.0 * LIMIT], color="#444444", label="applied")
    axes[0].axhline(LIMIT, ls=":", color="#888888", label=r"$\mu_\omega m g$")
    for h, log in ramps.items():
        axes[1].plot(log.time, log.v[:, 5], color=COLOUR[h], label=f"h = {1e3 * h:g} ms")
        axes[2].plot(log.time, 1e3 * gap(log), color=COLOUR[h])
    for axis, label in zip(axes, ("torque [N m]", "spin [rad/s]", "gap [mm]"), strict=True):
        axis.set_ylabel(label)
    axes[2].set_xlabel("time [s]")
    axes[0].legend(loc="upper left")
    axes[1].legend(loc="upper left")
    inset = axes[2].inset_axes([0.05, 0.35, 0.32, 0.6])
    inset.add_patch(figures.plt.Rectangle((-2.2, -0.3), 4.4, 0.3, fc="#cccccc", ec="#444444"))
    inset.add_patch(figures.plt.Circle((0.0, 1.35), 1.0, fc="#dfe8f2", ec="#444444"))
    inset.annotate(
        "",
        (0.0, 0.35),
        (0.0, 0.0),
        arrowprops={"arrowstyle": "<->", "color": "#444444", "shrinkA": 0, "shrinkB": 0},
    )
    inset.text(0.15, 0.08, r"$h\,\mu_\omega\,\omega$", fontsize=7)
    turn = np.linspace(-0.8 * math.pi, 0.2 * math.pi, 30)
    inset.plot(0.45 * np.cos(turn), 2.1 + 0.12 * np.sin(turn), color="#d1495b")
    inset.set(xlim=(-2.2, 2.2), ylim=(-0.3, 2.5), aspect="equal")
    inset.axis("off")
    study.figure("torsion", figure)


def torsion(study):
    """The whole study."""
    check_constant_torque(study)
    ramps = check_ramp(study)
    check_centimetre(study)
    if study.full:
        draw(study, ramps)


if __name__ == "__main__":
    sys.exit(main(torsion, __file__))

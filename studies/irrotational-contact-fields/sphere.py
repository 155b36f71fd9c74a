#!/usr/bin/env python3
"""Falling sphere, section XI-B of "Irrotational Contact Fields" (Figs. 5-7): it lands, slides, and
rolls.

The friction impulse is mu times the normal impulse while the sphere slides, whatever the normal
force does, so the end of sliding is known exactly: t = 2 U0/(7 mu g), with the speed 5/7 U0.
"""

import math
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.measure import position_error, slopes  # noqa: E402
from support.recording import Recording  # noqa: E402
from support.series import SERIES, options  # noqa: E402
from support.study import Run, main  # noqa: E402

GRAVITY, MASS, RADIUS, FRICTION, SPEED = 9.81, 0.5, 0.025, 0.5, 2.0  # SI
RELAXATION = 1e-3  # [s]  of SAP
DURATION = 0.2  # [s]
STEPS = (1e-2, 2e-3, 4e-4)  # [s]
REFERENCE_STEP = 4e-5  # [s]
FINER_STEP, FINER_REFERENCE_STEP = 8e-5, 8e-6  # [s]  below the steps of the paper
TOLERANCE = "1e-10"  # the weight adds 4e-5 to the momentum in a step of 8e-6 s
ROLL_TIME = 2 * SPEED / (7 * FRICTION * GRAVITY)  # [s]  0.116499
ROLL_SPEED = 5 / 7 * SPEED  # [m/s]

# two prototypes, independent of Limpet (rigid body, one contact, Newton's method), at a step of 2
# ms; errors e_q in mm by step
FIRST_CONTACT = {"sap": 0.066, "similar": 0.068, "lagged": 0.072}  # [s]
PEAK_FORCE = {"sap": 49.7, "similar": 79.2, "lagged": 141.7}  # [N]
ERROR = {
    "sap": (3.72, 0.748, 0.225),
    "similar": (3.45, 0.594, 0.121),
    "lagged": (2.45, 0.499, 0.0915),
}


def slip(log):
    """(T)  [m/s]  tangential velocity of the point that touches the ground"""
    return log.v[:, 0] - RADIUS * log.v[:, 2]


def roll_onset(log):
    """Time [s] after which the sphere does not slip any more."""
    slides = np.nonzero(np.abs(slip(log)) > 1e-2)[0]
    return log.time[min(slides[-1] + 1, len(log.time) - 1)]


def runs(study):
    """Every model at every step, at a finer one and at that of the reference; a finer reference;
    the other reading of 'height'."""
    scene, start = study.scene("sphere.xml"), ("--keyframe", "centre at 5 cm")
    steps = (*STEPS, FINER_STEP, REFERENCE_STEP) if study.full else STEPS[1:2]
    pairs = [(model, dt) for model in SERIES for dt in steps] + (
        [("lagged", FINER_REFERENCE_STEP)] if study.full else []
    )
    every = [
        Run(f"{model}-{dt:g}", scene, model, dt, DURATION, (*start, *options(model, TOLERANCE)))
        for model, dt in pairs
    ]
    return [
        *every,
        Run(
            "gap",
            scene,
            "lagged",
            2e-3,
            DURATION,
            ("--keyframe", "gap of 5 cm", *options("lagged", TOLERANCE)),
        ),
    ]


def contact_time(dt, gliding):
    """End [s] of the first step that would end closer to the ground than the gliding gap mu (dt +
    tau_d) U0, in discrete free fall."""
    count = 1
    while 0.025 - GRAVITY * dt**2 * count * (count + 1) / 2 > gliding:
        count += 1
    return count * dt


def check_motion(study, logs):
    """Sheet B2 at 2 ms: contact, roll, spikes."""
    dt = 2e-3
    for model in SERIES:
        log = logs[f"{model}-{dt:g}"]
        force, onset = log.force[:, 2], roll_onset(log)
        study.near(
            f"{model}: first contact",
            log.time[np.nonzero(force > 0)[0][0]],
            FIRST_CONTACT[model],
            "s",
            absolute=1e-9,
        )
        delay = {"sap": dt + RELAXATION, "similar": dt, "lagged": 0.0}[model]
        study.near(
            f"{model}: first contact by the law of gliding",
            log.time[np.nonzero(force > 0)[0][0]],
            contact_time(dt, FRICTION * delay * SPEED),
            "s",
            absolute=1e-9,
        )
        study.near(
            f"{model}: peak normal force", force.max(), PEAK_FORCE[model], "N", relative=0.03
        )
        study.near(
            f"{model}: rolls from",
            onset,
            ROLL_TIME,
            "s",
            absolute=2 * dt + (RELAXATION if model == "sap" else 0.0),
        )
        study.near(f"{model}: speed when rolling", log.v[-1, 0], ROLL_SPEED, "m/s", relative=1e-6)
        study.near(
            f"{model}: turning rate when rolling",
            log.v[-1, 2],
            ROLL_SPEED / RADIUS,
            "rad/s",
            relative=1e-6,
        )
        spike = force[np.abs(log.time - onset) <= 2.5 * dt].max()
        if model == "lagged":
            study.near(
                "lagged: largest force when rolling begins (no spike)",
                spike,
                MASS * GRAVITY,
                "N",
                relative=2e-3,
            )
        else:
            study.within(f"{model}: spike when rolling begins", spike, 7.0, 10.0, "N")
    study.near(
        "lagged: rolls from, with a gap of 5 cm",
        roll_onset(logs["gap"]),
        ROLL_TIME,
        "s",
        absolute=2 * dt,
    )
    study.near(
        "lagged: speed when rolling, with a gap of 5 cm",
        logs["gap"].v[-1, 0],
        ROLL_SPEED,
        "m/s",
        relative=1e-6,
    )


def check_impact(study, logs):
    """The closed forms of an inelastic impact, against Lagged at small steps; and peak forces,
    which depend on the step."""
    log = logs[f"lagged-{REFERENCE_STEP:g}"]
    landing = math.sqrt(2 * 0.025 / GRAVITY)
    slides = (log.time > landing + 0.01) & (log.time < ROLL_TIME - 0.005)
    after, turning = (
        np.polyval(np.polyfit(log.time[slides], log.v[slides, k], 1), landing) for k in (0, 2)
    )
    study.near(
        "lagged, 4e-5 s: time of the impact",
        log.time[np.nonzero(log.force[:, 2] > 0)[0][0]],
        landing,
        "s",
        absolute=2 * REFERENCE_STEP,
    )
    study.near("lagged, 4e-5 s: speed after the impact", after, 1.64982, "m/s", relative=1e-3)
    study.near(
        "lagged, 4e-5 s: turning rate after the impact", turning, 35.018, "rad/s", relative=5e-3
    )
    study.near(
        "lagged, 4e-5 s: slip after the impact",
        after - RADIUS * turning,
        0.77438,
        "m/s",
        relative=5e-3,
    )
    study.near("lagged, 4e-5 s: way at 0.2 s", log.q[-1, 0], 0.331500, "m", absolute=5e-5)
    study.near(
        "lagged, 2 ms: way at 0.2 s from a gap of 5 cm",
        logs["gap"].q[-1, 0],
        0.344000,
        "m",
        absolute=2e-3,
    )
    energy = 0.5 * MASS * (log.v[-1, 0] ** 2 + 0.4 * (RADIUS * log.v[-1, 2]) ** 2)
    study.near(
        "loss of the energy along the ground",
        0.5 * MASS * SPEED**2 - energy,
        2 / 7 * 0.5 * MASS * SPEED**2,
        "J",
        relative=1e-6,
    )
    study.near(
        "lagged: peak force at 4e-4 s",
        logs["lagged-0.0004"].force[:, 2].max(),
        837.0,
        "N",
        relative=0.03,
    )
    study.near("lagged: peak force at 4e-5 s", log.force[:, 2].max(), 5e3, "N", relative=0.2)


def check_convergence(study, logs):
    """Errors e_q against the table of the sheet, slopes, SAP's plateau. Returns {model: errors [m]
    at STEPS and FINER_STEP}."""
    reference, finer = logs[f"lagged-{REFERENCE_STEP:g}"], logs[f"lagged-{FINER_REFERENCE_STEP:g}"]

    def error_of(model, dt, exact):
        return position_error(logs[f"{model}-{dt:g}"], exact, DURATION, slice(0, 2))

    error = {
        model: [
            *(error_of(model, dt, reference) for dt in STEPS),
            error_of(model, FINER_STEP, finer),
        ]
        for model in SERIES
    }
    for model in SERIES:
        for dt, value, expected in zip(STEPS, error[model], ERROR[model], strict=False):
            study.near(f"{model}: e_q at {dt:g} s", 1e3 * value, expected, "mm", relative=0.2)
    study.near("lagged: slope of e_q", slopes(STEPS, error["lagged"][:3])[0], 1.0, absolute=0.1)
    study.within(
        "sap: error at 2 ms over that at 0.4 ms (5: first order)",
        error["sap"][1] / error["sap"][2],
        high=4.0,
    )
    for model in SERIES:
        last = slopes((STEPS[2], FINER_STEP), error[model][2:])[0]
        if model == "sap":
            study.within("sap: slope of e_q below 0.4 ms (plateau)", last, high=0.5)
        else:
            study.near(f"{model}: slope of e_q below 0.4 ms", last, 1.0, absolute=0.1)
    left = {model: error_of(model, REFERENCE_STEP, reference) for model in SERIES}
    study.within(
        "sap: what is left of e_q against Lagged at the same 0.04 ms (plateau)",
        1e3 * left["sap"],
        0.1,
        0.3,
        "mm",
    )
    study.within("similar: what is left there", 1e3 * left["similar"], high=0.03, unit="mm")
    study.table(
        "errors",
        ["e_q [mm] at dt", *(f"{dt:g} s" for dt in (*STEPS, FINER_STEP))],
        [[model, *(1e3 * value for value in error[model])] for model in SERIES],
    )
    return error


def draw_scene(study, logs):
    """Fig. 5: the way of the sphere, and the gap on which SAP and Similar glide."""
    from support import figures

    figure, axis = figures.grid(width=7.0, height=2.3)
    log = logs["lagged-0.0004"]
    axis.plot(log.q[:, 0], log.q[:, 1] + 0.05, color=figures.COLOURS["lagged"], lw=0.8)
    for at, words in ((0.0, "start"), (0.0714, "lands"), (ROLL_TIME, "rolls"), (0.2, "")):
        x, z, turn = np.array(
            [np.interp(at, np.r_[0, log.time], np.r_[0, log.q[:, k]]) for k in range(3)]
        )
        axis.add_patch(figures.plt.Circle((x, z + 0.05), RADIUS, fill=False, color="#444444"))
        axis.plot(
            [x, x + RADIUS * math.sin(turn)],
            [z + 0.05, z + 0.05 + RADIUS * math.cos(turn)],
            color="#444444",
            lw=0.8,
        )
        axis.annotate(
            words,
            (x, z + 0.05 + RADIUS),
            (0 if words != "lands" else -16, 5),
            textcoords="offset points",
            ha="center",
        )
    axis.annotate(
        "", (0.1, 0.05), (0.03, 0.05), arrowprops={"arrowstyle": "->", "color": "#444444"}
    )
    axis.text(0.065, 0.053, "2 m/s", ha="center")
    log, at = logs["sap-0.002"], 0.085  # [s]  an instant of sliding
    x, lift = np.interp(at, log.time, log.q[:, 0]), 8 * np.interp(at, log.time, log.q[:, 1] + 0.025)
    axis.add_patch(
        figures.plt.Circle(
            (x, RADIUS + lift), RADIUS, fill=False, ls="--", color=figures.COLOURS["sap"]
        )
    )
    axis.annotate(
        "SAP glides\n(gap x 8)",
        (x, 2 * RADIUS + lift),
        (0, 3),
        textcoords="offset points",
        ha="center",
        color=figures.COLOURS["sap"],
        fontsize=8,
    )
    axis.axhline(0, color="black", lw=1.2)
    axis.set(xlim=(-0.04, 0.38), ylim=(-0.008, 0.1), xlabel="x [m]", ylabel="z [m]", aspect="equal")
    axis.grid(False)
    study.figure("sphere-scene", figure)


def draw_motion(study, logs):
    """Fig. 6: velocity and force of the contact at 2 ms."""
    from support import figures

    figure, axes = figures.grid(2, 2, height=4.6, sharex=True)
    for model in SERIES:
        log = logs[f"{model}-0.002"]
        shown = (log.time > 0.054) & (log.time < 0.136)
        for axis, values in zip(
            axes.T.flat,
            (slip(log), log.v[:, 1], log.force[:, 2], np.abs(log.force[:, 0])),
            strict=True,
        ):
            axis.plot(log.time[shown], values[shown], marker=".", ms=2.5, **figures.style(model))
    for axis, label in zip(
        axes.T.flat, ("$v_t$ [m/s]", "$v_n$ [m/s]", "$f_n$ [N]", "$|f_t|$ [N]"), strict=True
    ):
        axis.set_ylabel(label)
        axis.axvline(ROLL_TIME, color="#888888", lw=0.8, ls=":")
    for axis in axes[1]:
        axis.set_xlabel("time [s]")
    axes[0, 0].set_xlim(0.055, 0.135)
    axes[1, 0].set_ylim(-0.8, 0.1)
    for axis in axes[:, 1]:
        axis.set_yscale("symlog", linthresh=10)
        axis.set_ylim(bottom=0)
        axis.set_yticks([0, 5, 10, 20, 50, 100], ["0", "5", "10", "20", "50", "100"])
    axes[0, 0].annotate(
        "rolls from\n0.1165 s",
        (ROLL_TIME, 0.75),
        (-4, 0),
        textcoords="offset points",
        fontsize=8,
        ha="right",
    )
    axes[0, 0].legend()
    study.figure("sphere-motion", figure)


def draw_convergence(study, error):
    """Fig. 7: e_q over the step; hollow: a step below those of the paper."""
    from support import figures

    study.figure("sphere-convergence", figures.convergence(SERIES, STEPS, FINER_STEP, error))


def sphere(study):
    """The whole study."""
    logs = {name: Recording(result.log) for name, result in study.simulate(runs(study)).items()}
    check_motion(study, logs)
    if study.full:
        check_impact(study, logs)
        error = check_convergence(study, logs)
        draw_scene(study, logs)
        draw_motion(study, logs)
        draw_convergence(study, error)


if __name__ == "__main__":
    sys.exit(main(sphere, __file__))

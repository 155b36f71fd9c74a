#!/usr/bin/env python3
"""Oscillating conveyor belt, section XI-A of "Irrotational Contact Fields" (Figs. 2-4): a box
sticks, slips, and sticks again.

The belt moves as x = A sin(w t). Rigid Coulomb friction has a closed form: the box slips when the
belt decelerates faster than mu g, then loses speed linearly, and sticks when the belt has its
velocity again.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.measure import position_error, slopes  # noqa: E402
from support.recording import Recording  # noqa: E402
from support.series import SERIES, options  # noqa: E402
from support.study import Run, main  # noqa: E402

GRAVITY, MASS, FRICTION, AMPLITUDE, OMEGA = 9.81, 1.0, 0.7, 0.2, 2 * np.pi  # SI
RELAXATION = 1e-3  # [s]  of SAP
DURATION = 2.0  # [s]
STEPS = (5e-2, 1e-2, 2e-3)  # [s]
REFERENCE_STEP = 2e-4  # [s]
FINER_STEP, FINER_REFERENCE_STEP = 4e-4, 4e-5  # [s]  below the steps of the paper
MIDDLE = 1e-2  # [s]  of Fig. 3
WEIGHT = MASS * GRAVITY

# two prototypes, independent of Limpet, at 10 ms; errors e_q in mm at STEPS, with the belt's mean
# velocity of each step, so that the belt is where it should be at the end of every step
SLIP = {"lagged": 0.1127, "similar": 0.1120, "sap": 0.1111}  # [m/s]
FORCE = {"lagged": (9.810, 9.810), "similar": (9.524, 11.41), "sap": (9.497, 11.35)}  # [N]
GAP = {1e-2: {"similar": 0.783, "sap": 0.854}, 2e-3: {"similar": 0.158, "sap": 0.235}}  # [mm]
ERROR = {
    "lagged": (0.80, 0.097, 0.013),
    "similar": (2.51, 0.45, 0.090),
    "sap": (2.55, 0.55, 0.230),
}  # [mm]


def coulomb():
    """Rigid Coulomb friction, first half period: slip starts, largest slip speed and when, sticks
    again, slip distance. SI."""
    start = np.arcsin(FRICTION * GRAVITY / (AMPLITUDE * OMEGA**2)) / OMEGA
    most = 0.5 - start  # the belt decelerates by mu g again

    def relative(t):  # velocity of the box over the belt
        return AMPLITUDE * OMEGA * (
            np.cos(OMEGA * start) - np.cos(OMEGA * t)
        ) - FRICTION * GRAVITY * (t - start)

    low, high = most, 0.5
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if relative(middle) > 0 else (low, middle)
    t = np.linspace(start, low, 100001)
    values = relative(t)
    distance = float(np.sum(0.5 * (values[1:] + values[:-1]) * np.diff(t)))
    return {"start": start, "most": most, "speed": relative(most), "end": low, "distance": distance}


def runs(study):
    """Every model at every step, at a finer one and at that of the reference; a finer reference."""
    steps = (*STEPS, FINER_STEP, REFERENCE_STEP) if study.full else (MIDDLE,)
    pairs = [(dt, model) for dt in steps for model in SERIES] + (
        [(FINER_REFERENCE_STEP, "lagged")] if study.full else []
    )

    def one(name, model, dt, tolerance):
        words = (
            "--keyframe",
            "with the belt",
            "--controls",
            belt_controls(study, dt),
            *options(model, tolerance),
        )
        return Run(f"{name}{model}-{dt:g}", study.scene("conveyor.xml"), model, dt, DURATION, words)

    # iterations are counted at the paper's tolerance
    counted = (
        [one("count-", model, dt, "1e-5") for dt in (*STEPS, FINER_STEP) for model in SERIES]
        if study.full
        else []
    )
    return [one("", model, dt, "1e-10") for dt, model in pairs] + counted


def belt_controls(study, dt):
    """CSV in which the control of a step is the belt's mean velocity in it: its position is
    exact."""
    times = dt * np.arange(round(DURATION / dt) + 2)
    mean = AMPLITUDE * (np.sin(OMEGA * (times + dt)) - np.sin(OMEGA * times)) / dt
    rows = [f"{t:.17g},{v:.17g}" for t, v in zip(times, mean, strict=True)]
    return study.write_scene(f"belt-{dt:g}.csv", "\n".join(["time,drive", *rows]) + "\n")


def slip(log):
    """(T)  [m/s]  velocity of the box over the belt"""
    return log.v[:, 0] - log.read("control")[:, 0]


def gap(log):
    """(T)  [m]  of the lowest corner, end of the step"""
    return log.q[:, 1] + 0.02499975475 - 0.025 * (np.abs(np.sin(log.q[:, 2])) + np.cos(log.q[:, 2]))


def slip_phases(log, model):
    """First and last record of each stretch of slip: five times the creep at which friction is
    full, v_s or sigma mu g dt."""
    creep = 1e-3 * FRICTION * GRAVITY * MIDDLE if model == "sap" else 1e-4  # [m/s]
    slipping = np.abs(slip(log)) > 5.0 * creep
    edges = np.diff(np.r_[0, slipping.astype(int), 0])
    return list(zip(np.nonzero(edges == 1)[0], np.nonzero(edges == -1)[0] - 1, strict=True))


def check_slip(study, log, model, exact):
    """Times, speeds and distance of the four slip phases against Coulomb's."""
    dt = MIDDLE
    phases = slip_phases(log, model)
    study.near(f"{model}: slip phases in 2 s", len(phases), 4)
    for number, (first, last) in enumerate(phases[:4]):
        late = 0.5 * number
        study.near(
            f"{model}: slip {number + 1} starts",
            log.time[first],
            exact["start"] + late,
            "s",
            absolute=1.5 * dt,
        )
        study.near(
            f"{model}: slip {number + 1} ends",
            log.time[last] + dt,
            exact["end"] + late,
            "s",
            absolute=1.5 * dt,
        )
    speed = np.abs(slip(log))
    study.near(f"{model}: largest slip speed", speed.max(), SLIP[model], "m/s", relative=0.02)
    study.near(
        f"{model}: largest slip speed, Coulomb", speed.max(), exact["speed"], "m/s", relative=0.02
    )
    study.near(
        f"{model}: when",
        log.time[np.argmax(speed[: round(0.5 / dt)])],
        exact["most"],
        "s",
        absolute=1.5 * dt,
    )
    first, last = phases[0]
    inside = slice(first + 2, last - 1)
    deceleration = -np.polyfit(log.time[inside], log.v[inside, 0], 1)[0]
    for word, record in (("starts", first), ("ends", last + 1)):
        belt = AMPLITUDE * OMEGA * np.cos(OMEGA * exact["start" if word == "starts" else "end"])
        study.near(
            f"{model}: velocity of the belt when slip 1 {word}",
            log.read("control")[record, 0],
            belt,
            "m/s",
            absolute=1.5 * dt * AMPLITUDE * OMEGA**2,
        )
    study.near(
        f"{model}: way slipped in slip 1",
        dt * speed[: round(0.5 / dt)].sum(),
        exact["distance"],
        "m",
        absolute=0.02 * exact["distance"] + 0.25 * dt * exact["speed"],
    )
    study.near(
        f"{model}: deceleration while slipping",
        deceleration,
        FRICTION * GRAVITY,
        "m/s²",
        relative=1e-4 if model == "lagged" else 0.02,
    )


def check_forces(study, log, model):
    """Normal force, vertical velocity and gap of Fig. 3."""
    late = log.time > 0.05
    force = log.force[late, 2]
    for word, value, expected in (
        ("smallest", force.min(), FORCE[model][0]),
        ("largest", force.max(), FORCE[model][1]),
    ):
        study.near(f"{model}: {word} normal force", value, expected, "N", relative=0.05)
    vertical = np.abs(log.v[late, 1])
    if model == "lagged":
        study.within("lagged: vertical speed", vertical.max(), high=1e-5, unit="m/s")
        study.within("lagged: gap", 1e3 * gap(log)[late].max(), high=1e-3, unit="mm")
        return
    study.within(f"{model}: vertical speed (glides)", vertical.max(), low=1e-2, unit="m/s")
    for number, (_, last) in enumerate(slip_phases(log, model)[:4]):
        spike = log.force[last - 1 : last + 4, 2].max() - WEIGHT
        study.within(
            f"{model}: spike over the weight when slip {number + 1} ends", spike, low=1.0, unit="N"
        )


def check_gaps(study, logs):
    """Gliding against the prototypes and against the law of Table I, mu (dt + tau_d) |v_t|."""
    rows = []
    for dt in GAP:
        for model, expected in GAP[dt].items():
            log = logs[f"{model}-{dt:g}"]
            largest = 1e3 * gap(log)[log.time > 0.05].max()
            law = (
                1e3 * FRICTION * (dt + (RELAXATION if model == "sap" else 0.0)) * coulomb()["speed"]
            )
            study.near(f"{model}: largest gap at {dt:g} s", largest, expected, "mm", relative=0.03)
            rows.append([model, dt, largest, law])
        if dt == 2e-3:
            log = logs[f"lagged-{dt:g}"]
            study.within(
                "lagged: largest gap at 0.002 s", 1e3 * gap(log).max(), high=1e-6, unit="mm"
            )
    study.table(
        "gaps", ["model", "dt [s]", "largest gap [mm]", "mu (dt + tau) max slip [mm]"], rows
    )


def check_convergence(study, logs):
    """Errors e_q, slopes, SAP's plateau. Returns {model: errors [m] at STEPS and FINER_STEP}."""
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
            study.near(f"{model}: e_q at {dt:g} s", 1e3 * value, expected, "mm", relative=0.1)
    for model in SERIES:
        published = slopes(STEPS, error[model][:3])[1][-1]
        below = slopes((STEPS[2], FINER_STEP), error[model][2:])[1][0]
        if model == "sap":
            study.within("sap: last slope of e_q (plateau)", published, high=0.6)
            study.within("sap: slope of e_q below 2 ms", below, high=published)
        else:
            study.within(f"{model}: last slope of e_q", published, low=0.95)
            study.within(f"{model}: slope of e_q below 2 ms", below, low=0.95)
    left = {model: error_of(model, REFERENCE_STEP, reference) for model in SERIES}
    study.within(
        "sap: what is left of e_q against Lagged at the same 0.2 ms (plateau)",
        1e3 * left["sap"],
        0.1,
        1.0,
        "mm",
    )
    study.within("similar: what is left there", 1e3 * left["similar"], high=0.05, unit="mm")
    columns = [f"{dt:g} s" for dt in (*STEPS, FINER_STEP)]
    study.table(
        "errors", ["e_q [mm] at dt", *columns], [[m, *(1e3 * e for e in error[m])] for m in SERIES]
    )
    iterations = [
        [m, *(float(np.mean(logs[f"count-{m}-{dt:g}"].iterations)) for dt in (*STEPS, FINER_STEP))]
        for m in SERIES
    ]
    study.table("iterations", ["Newton iterations at dt", *columns], iterations)
    return error


def draw_scene(study):
    """Fig. 2: the box on the belt, with the gap of SAP and Similar drawn far too large."""
    from support import figures

    figure, axes = figures.grid(1, 2, width=7.0, height=1.9, sharey=True)
    for axis, title, lift in (
        (axes[0], "sticks: every model; slips: Lagged", 0.0),
        (axes[1], "slips: SAP, Similar (gap exaggerated)", 0.012),
    ):
        axis.add_patch(
            figures.plt.Rectangle((-0.025, lift), 0.05, 0.05, fc="#dfe8f2", ec="#444444")
        )
        axis.add_patch(
            figures.plt.Rectangle((-0.11, -0.012), 0.22, 0.012, fc="#cccccc", ec="#444444")
        )
        axis.annotate(
            "",
            (0.1, -0.02),
            (0.0, -0.02),
            arrowprops={"arrowstyle": "<->", "color": "#444444"},
            annotation_clip=False,
        )
        axis.text(0.05, -0.036, "0.2 m sin(2π t)", ha="center")
        if lift:
            axis.annotate(
                "", (0.04, 0), (0.04, lift), arrowprops={"arrowstyle": "<->", "color": "#444444"}
            )
            axis.text(0.045, 0.25 * lift, r"$\mu\,(\delta t+\tau_d)\,|v_t|$", fontsize=8)
        axis.set(xlim=(-0.12, 0.12), ylim=(-0.045, 0.075), aspect="equal", title=title)
        axis.axis("off")
    study.figure("conveyor-scene", figure)


def draw_motion(study, logs):
    """Fig. 3: velocity and force of the contact at 10 ms."""
    from support import figures

    figure, axes = figures.grid(3, 2, height=6.4, sharex=True)
    labels = (
        "velocity of the box [m/s]",
        "$v_t$ [m/s]",
        "$v_n$ [m/s]",
        "$f_n$ [N]",
        "$f_t$ [N]",
        "gap [mm]",
    )
    for model in SERIES:
        log = logs[f"{model}-{MIDDLE:g}"]
        shown = log.time <= 1.0
        columns = (
            log.v[:, 0],
            slip(log),
            log.v[:, 1],
            log.force[:, 2],
            log.force[:, 0],
            1e3 * gap(log),
        )
        for axis, values in zip(axes.T.flat, columns, strict=True):
            axis.plot(log.time[shown], values[shown], **figures.style(model))
    time = np.linspace(0.0, 1.0, 201)
    axes[0, 0].plot(
        time, AMPLITUDE * OMEGA * np.cos(OMEGA * time), ":", color="#888888", label="belt"
    )
    for axis, label in zip(axes.T.flat, labels, strict=True):
        axis.set_ylabel(label)
    for axis in axes[2]:
        axis.set_xlabel("time [s]")
    axes[0, 1].axhline(WEIGHT, color="#888888", lw=0.8, ls=":")
    axes[0, 0].legend(loc="upper center")
    study.figure("conveyor-motion", figure)


def draw_convergence(study, error):
    """Fig. 4: e_q over the step; hollow: a step below those of the paper."""
    from support import figures

    study.figure("conveyor-convergence", figures.convergence(SERIES, STEPS, FINER_STEP, error))


def conveyor(study):
    """The whole study."""
    exact = coulomb()
    for name, expected, unit in (
        ("start", 0.167849, "s"),
        ("most", 0.332151, "s"),
        ("speed", 0.112171, "m/s"),
        ("end", 0.416621, "s"),
        ("distance", 0.015695, "m"),
    ):
        study.near(f"closed form: {name}", exact[name], expected, unit, relative=1e-4)
    for name, expected in (("start", 0.62022), ("end", -1.08810)):
        study.near(
            f"closed form: velocity of the belt at the {name}",
            AMPLITUDE * OMEGA * np.cos(OMEGA * exact[name]),
            expected,
            "m/s",
            relative=1e-4,
        )
    logs = {name: Recording(result.log) for name, result in study.simulate(runs(study)).items()}
    for model in SERIES:
        check_slip(study, logs[f"{model}-{MIDDLE:g}"], model, exact)
        check_forces(study, logs[f"{model}-{MIDDLE:g}"], model)
    if study.full:
        check_gaps(study, logs)
        draw_scene(study)
        draw_motion(study, logs)
        draw_convergence(study, check_convergence(study, logs))


if __name__ == "__main__":
    sys.exit(main(conveyor, __file__))

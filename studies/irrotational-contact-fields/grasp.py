#!/usr/bin/env python3
"""Grasp stress test, section XII-B of "Irrotational Contact Fields" (Figs. 20-22): a hand shakes a
rod until it falls.

The Franka hand holds a bronze rod above its centre of mass and moves on a horizontal circle. Near
the rod's frequency as a pendulum about the pads it rocks, slides, and falls. How long that takes is
compared between Lagged and Similar, with and without dissipation, at 0.2 ms and at 10 ms.
"""

import math
import os
import sys
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import _grasp_scene as grasp  # noqa: E402
from support.command import ROOT  # noqa: E402
from support.recording import Recording  # noqa: E402
from support.study import Run, StudyError, main  # noqa: E402

HAND = "models/menagerie/franka_emika_panda/hand.xml"
FREQUENCIES = (1.3, 1.35, 1.4, 1.42, 1.45, 1.5, 1.55, 1.6, 1.7)  # [Hz]
FALLS = FREQUENCIES[2:]  # where the refinement study is made
FINE, COARSE, FINER = 2e-4, 1e-2, 1e-4  # [s]  time steps; the last one for the refinement study
BETWEEN, SHOWN = (5e-3, 2e-3, 1e-3), 1.5  # [s] time steps between them, at this frequency [Hz]
MODELS = ("lagged", "similar")
DISSIPATIONS = (0.0, 50.0)  # [s/m]
DURATION = 20.0  # [s]
# [s]  by frequency, where the rod lies on the floor before DURATION; a run that still holds it
# then is made anew, to the end
ENOUGH = {1.42: 18.0, 1.45: 13.0, 1.5: 9.0, 1.55: 8.0, 1.6: 7.0, 1.7: 6.0}
CYLINDER_FREQUENCY = 1.6  # [Hz]  of the plain cylinder of the corrected sheet
CYLINDER_ENOUGH = 14.0  # [s]
PERIOD = 5e-3  # [s]  between records
OPTIONS = (
    "--keyframe",
    "grasp",
    "--stiction-speed",
    "1e-4",
    "--friction-regularization",
    "0",
    "--tolerance",
    "1e-5",
    "--iteration-limit",
    "500",
    "--no-curved-paths",
    "--plain-flight",
)


def hand_file():
    """The hand's file among the shared models; None: it is not there."""
    path = (Path(os.environ.get("LIMPET_SHARED", ROOT.parent / "shared")) / HAND).resolve()
    return path if path.exists() else None


def name_of(model, dissipation, frequency, dt):
    return f"{model}-d{dissipation:g}-{frequency:g}Hz-{dt:g}"


def plan(study):
    """(model, dissipation, frequency, dt) of all runs."""
    if not study.full:
        return [("lagged", 0.0, f, 2e-3) for f in (1.2, 1.6)] + [("similar", 0.0, 1.6, 2e-3)]
    cases = [
        (model, d, f, dt)
        for f in FREQUENCIES
        for model in MODELS
        for d in DISSIPATIONS
        for dt in (FINE, COARSE)
    ]
    cases += [(model, 0.0, SHOWN, dt) for model in MODELS for dt in BETWEEN]
    return cases + [("lagged", 0.0, f, FINER) for f in FALLS]


def runs(study, cases, hand):
    """The runs; one scene for each dissipation, one table of controls for each frequency."""
    duration = DURATION if study.full else 8.0
    scenes = {d: study.write_scene(f"grasp-{d:g}.xml", grasp.scene(hand, d)) for d in DISSIPATIONS}
    tables = {
        f: study.write_scene(f"circle-{f:g}.csv", grasp.controls(f, duration))
        for f in {case[2] for case in cases}
    }
    return [
        Run(
            name_of(*case),
            scenes[case[1]],
            case[0],
            case[3],
            min(duration, ENOUGH.get(case[2], duration)),
            (*OPTIONS, "--controls", tables[case[2]], "--log-period", repr(max(PERIOD, case[3]))),
        )
        for case in cases
    ]


def simulated(study, planned):
    """Results of the runs; those that end before the rod falls are made to DURATION."""
    results = study.simulate(planned)
    late = [
        replace(run, time=DURATION)
        for run in planned
        if study.full and run.time < DURATION and math.isinf(Shake(results[run.name].log).failure())
    ]
    return {**results, **study.simulate(late)}


def cylinder_name(model, dissipation, dt):
    return f"cylinder-{name_of(model, dissipation, CYLINDER_FREQUENCY, dt)}"


def cylinder_runs(study, hand):
    """The plain cylinder: both models, with and without dissipation, at both steps."""
    table = study.write_scene("circle-cylinder.csv", grasp.controls(CYLINDER_FREQUENCY, DURATION))
    cases = [(m, d, dt) for m in MODELS for d in DISSIPATIONS for dt in (FINE, COARSE)]
    scenes = {
        d: study.write_scene(f"cylinder-{d:g}.xml", grasp.scene(hand, d, cylinder=True))
        for d in DISSIPATIONS
    }
    words = (*OPTIONS, "--controls", table, "--log-period")
    return [
        Run(
            cylinder_name(m, d, dt),
            scenes[d],
            m,
            dt,
            CYLINDER_ENOUGH,
            (*words, repr(max(PERIOD, dt))),
        )
        for m, d, dt in cases
    ]


class Shake(Recording):
    """A log with what the grasp asks of it."""

    def failure(self):
        """T_f [s]"""
        return self._failure

    @cached_property
    def _failure(self):
        """[s]  the end of the last contact between the rod and the hand, from the start of the
        motion; infinite while it holds."""
        names = self.names("geom")
        knobs = [i for i, name in enumerate(names) if name.startswith("knob")]
        geoms, loaded = (
            self.read("contact/geom"),
            np.linalg.norm(self.read("contact/force"), axis=1) > 0.0,
        )
        held = loaded & np.isin(geoms, knobs).any(axis=1)
        landed = np.nonzero(loaded & (geoms == names.index("floor")).any(axis=1))[0]
        if len(landed) == 0:
            return math.inf
        before = np.nonzero(held & (self.contact_record < self.contact_record[landed[0]]))[0]
        return float(self.time[self.contact_record[before[-1]]]) - grasp.HOLD

    def lean(self):
        """(T)  [rad]  angle of the rod's axis with the vertical"""
        turn = self.q[:, 7:11]
        return np.arccos(np.clip(1.0 - 2.0 * (turn[:, 1] ** 2 + turn[:, 2] ** 2), -1.0, 1.0))

    def radius(self):
        """[m]  of the circle on which the hand moves, from when it has swollen until the rod falls:
        least and largest"""
        steady = (self.time > grasp.HOLD + grasp.SWELL + 0.1) & (self.time < self.failure())
        away = np.hypot(self.q[steady, 0], self.q[steady, 1])
        return float(away.min()), float(away.max())


def check_solved(study, results, cases):
    """Every step is solved; the hand keeps to its circle, whatever the rod does."""
    for dt in sorted({case[3] for case in cases}):
        mine = [results[name_of(*case)] for case in cases if case[3] == dt]
        steps = sum(result.summary["steps"] for result in mine)
        solved = sum(result.summary["warnings"]["outcomes"]["solved"] for result in mine)
        study.near(f"steps solved of {steps}, dt {dt:g} s", solved, steps)
        radii = [Shake(result.log).radius() for result in mine]
        worst = max(
            max(abs(least - grasp.CIRCLE), abs(most - grasp.CIRCLE)) for least, most in radii
        )
        study.within(
            f"largest error of the circle's radius, dt {dt:g} s", 1e6 * worst, high=30.0, unit="µm"
        )


def errors(times, model, dissipation, dt):
    """(frequencies)  relative error of T_f against Lagged at 0.2 ms with the same dissipation; NaN
    where one of them is infinite"""
    value, reference = times[model, dissipation, dt], times["lagged", dissipation, FINE]
    with np.errstate(invalid="ignore"):
        return np.where(
            np.isfinite(value) & np.isfinite(reference), value / reference - 1.0, np.nan
        )


def check_times(study, times):
    """The inequalities of sheet B5."""
    reference = times["lagged", 0.0, FINE]
    falls = np.isfinite(reference)
    first = int(np.nonzero(falls)[0][0])
    study.holds(
        f"the rod is held below {FREQUENCIES[first]:g} Hz", bool(first >= 2 and falls[first:].all())
    )
    share = FREQUENCIES[first - 1] / grasp.pendulum_frequency()
    study.within("largest frequency at which it is held, over the pendulum's", share, 0.9, 1.0)
    study.holds("T_f falls with the frequency", bool((np.diff(reference[falls]) < 0).all()))
    refined = np.nanmax(np.abs(times["lagged", 0.0, FINER][falls] / reference[falls] - 1.0))
    study.within(
        "refinement: T_f at 0.1 ms against 0.2 ms", 100 * float(refined), high=3.0, unit="%"
    )
    gain = times["lagged", 50.0, FINE][falls] / reference[falls] - 1.0
    study.within(
        "lagged at 0.2 ms: dissipation changes T_f by at least",
        100 * float(gain.min()),
        low=-0.5,
        unit="%",
    )
    study.within(
        "lagged at 0.2 ms: dissipation changes T_f by at most",
        100 * float(gain.max()),
        high=10.0,
        unit="%",
    )
    glided = np.abs(errors(times, "similar", 0.0, FINE))
    study.within(
        "similar at 0.2 ms, d = 0: largest error",
        100 * float(np.nanmax(glided)),
        high=0.5,
        unit="%",
    )
    modulated = errors(times, "similar", 50.0, FINE)
    study.within(
        "similar at 0.2 ms, d = 50 s/m: least error (compliance modulation)",
        100 * float(np.nanmin(modulated)),
        5.0,
        60.0,
        "%",
    )
    study.within(
        "similar at 0.2 ms, d = 50 s/m: largest error",
        100 * float(np.nanmax(modulated)),
        5.0,
        60.0,
        "%",
    )
    check_coarse(
        study,
        {
            (model, d): 100 * errors(times, model, d, COARSE)[falls]
            for model in MODELS
            for d in DISSIPATIONS
        },
    )


def check_coarse(study, error):
    """At 10 ms truncation dominates; gliding takes a little from it, compliance modulation cancels
    more. `error` [%]"""
    lagged, similar = error["lagged", 0.0], error["similar", 0.0]
    study.within("lagged at 10 ms, d = 0: worst error", float(lagged.min()), -50.0, 0.0, "%")
    study.within("lagged at 10 ms, d = 0: least error", float(lagged.max()), high=0.0, unit="%")
    study.within("similar at 10 ms, d = 0: worst error", float(similar.min()), -50.0, 0.0, "%")
    study.within("similar at 10 ms, d = 0: least error", float(similar.max()), high=0.0, unit="%")
    above = similar - lagged
    study.within(
        "10 ms, d = 0: similar's error above lagged's by at least",
        float(above.min()),
        low=0.0,
        unit="%",
    )
    study.within(
        "10 ms, d = 0: similar's error above lagged's by at most",
        float(above.max()),
        high=20.0,
        unit="%",
    )
    change = np.abs(error["lagged", 50.0] - lagged)
    study.within(
        "lagged at 10 ms: dissipation changes the error by at most",
        float(change.max()),
        high=5.0,
        unit="%",
    )
    shrunk = [float(np.abs(error["similar", d]).mean()) for d in DISSIPATIONS]
    study.within(
        "similar at 10 ms: mean size of the error, d = 50 s/m over d = 0",
        shrunk[1] / shrunk[0],
        high=1.0,
    )


def check_steps(study, logs):
    """Errors of T_f over the time step at one frequency, without dissipation."""
    rows = []
    reference = logs[name_of("lagged", 0.0, SHOWN, FINE)].failure()
    for model in MODELS:
        error = [
            100 * (logs[name_of(model, 0.0, SHOWN, dt)].failure() / reference - 1.0)
            for dt in (COARSE, *BETWEEN, FINE)
        ]
        rows.append([model, *(f"{value:+.1f}" for value in error)])
        study.within(
            f"{model}, {SHOWN:g} Hz: size of the error at 2 ms over that at 10 ms",
            abs(error[2] / error[0]),
            high=0.5,
        )
    study.table(
        "steps",
        [
            f"error of T_f [%] at {SHOWN:g} Hz",
            *(f"{1e3 * dt:g} ms" for dt in (COARSE, *BETWEEN, FINE)),
        ],
        rows,
    )


def check_cylinder(study, logs):
    """The plain cylinder on the flat pads: what of the paper it repeats, and what not."""
    time = {
        (m, d, dt): logs[cylinder_name(m, d, dt)].failure()
        for m in MODELS
        for d in DISSIPATIONS
        for dt in (FINE, COARSE)
    }
    reference = {d: time["lagged", d, FINE] for d in DISSIPATIONS}

    def error(model, d, dt):
        return 100 * (time[model, d, dt] / reference[d] - 1.0)

    study.within("cylinder: T_f of lagged at 0.2 ms, d = 0", reference[0.0], 4.0, 12.0, "s")
    study.within("cylinder: similar at 0.2 ms, d = 0", error("similar", 0.0, FINE), -0.5, 0.5, "%")
    study.within(
        "cylinder: similar at 0.2 ms, d = 50 s/m (the paper: 30 %)",
        error("similar", 50.0, FINE),
        10.0,
        60.0,
        "%",
    )
    study.within("cylinder: lagged at 10 ms, d = 0", error("lagged", 0.0, COARSE), -50.0, 0.0, "%")
    study.within(
        "cylinder: similar at 10 ms, d = 0 (departs from the paper, where it is negative)",
        error("similar", 0.0, COARSE),
        low=0.0,
        unit="%",
    )
    rows = [
        [f"{m}, d = {d:g} s/m, {1e3 * dt:g} ms", f"{time[m, d, dt]:.2f}", f"{error(m, d, dt):+.1f}"]
        for d in DISSIPATIONS
        for dt in (FINE, COARSE)
        for m in MODELS
    ]
    study.table("cylinder", ["plain cylinder, 1.6 Hz", "T_f [s]", "error [%]"], rows)


def tables(study, times):
    words = [f"{f:g} Hz" for f in FREQUENCIES]

    def shown(values, form):
        return [form.format(value) if np.isfinite(value) else "–" for value in values]

    finer = ["" if f not in FALLS else "{:.2f}".format(t)
             for f, t in zip(FREQUENCIES, times["lagged", 0.0, FINER], strict=True)]  # fmt: skip
    rows = [[f"{model}, d = {d:g} s/m, {1e3 * dt:g} ms", *shown(times[model, d, dt], "{:.2f}")]
            for d in DISSIPATIONS for dt in (FINE, COARSE) for model in MODELS]  # fmt: skip
    study.table(
        "times",
        ["T_f [s]", *words],
        [*rows, ["lagged, d = 0, 0.1 ms", *finer]],
    )
    rows = [
        [
            f"{model}, d = {d:g} s/m, {1e3 * dt:g} ms",
            *shown(100 * errors(times, model, d, dt), "{:+.1f}"),
        ]
        for d in DISSIPATIONS
        for model, dt in (("similar", FINE), ("lagged", COARSE), ("similar", COARSE))
    ]
    study.table("errors", ["error of T_f [%]", *words], rows)


def draw(study, times, logs):
    """Figs. 21 and 22, and how the rod rocks."""
    from support import figures

    figure, axis = figures.grid(width=5.0, height=2.8)
    for d, line, shape in ((0.0, "-", "o"), (50.0, "--", "^")):
        value = times["lagged", d, FINE]
        axis.plot(
            FREQUENCIES,
            value,
            line,
            marker=shape,
            color=figures.COLOURS["lagged"],
            label=f"Lagged, d = {d:g} s/m",
        )
    held = [f for f, t in zip(FREQUENCIES, value, strict=True) if math.isinf(t)]
    axis.plot(
        held,
        [DURATION] * len(held),
        "^",
        mfc="none",
        color="#888888",
        label=f"held for {DURATION:g} s",
    )
    axis.axvline(grasp.pendulum_frequency(), color="#888888", lw=0.8, ls=":")
    axis.text(grasp.pendulum_frequency() + 0.003, 1.0, "pendulum", fontsize=7, color="#666666")
    axis.set(xlabel="frequency of the circle [Hz]", ylabel="$T_f$ [s]", ylim=(0, None))
    axis.legend(fontsize=7)
    study.figure("grasp-time", figure)

    figure, axes = figures.grid(1, 2, height=2.8, sharey=True)
    for axis, d in zip(axes, DISSIPATIONS, strict=True):
        for model, dt, line in (
            ("similar", FINE, "-"),
            ("lagged", COARSE, "--"),
            ("similar", COARSE, "--"),
        ):
            error = 100 * errors(times, model, d, dt)
            axis.plot(
                FREQUENCIES,
                error,
                line,
                marker=figures.MARKERS[model],
                color=figures.COLOURS[model],
                label=f"{figures.LABELS[model]}, {1e3 * dt:g} ms",
            )
        axis.axhline(0, color="black", lw=0.6)
        axis.set(xlabel="frequency of the circle [Hz]", title=f"d = {d:g} s/m")
    axes[0].set_ylabel("error of $T_f$ [%]")
    axes[0].legend(fontsize=7)
    study.figure("grasp-error", figure)

    figure, axis = figures.grid(width=7.0, height=2.4)
    for frequency, colour in (
        (1.3, "#777777"),
        (1.42, figures.COLOURS["lagged"]),
        (1.5, figures.COLOURS["sap"]),
    ):
        log = logs[name_of("lagged", 0.0, frequency, FINE)]
        end = min(log.failure() + grasp.HOLD, 12.0)
        shown = log.time < end
        axis.plot(
            log.time[shown] - grasp.HOLD,
            np.degrees(log.lean()[shown]),
            lw=0.8,
            color=colour,
            label=f"{frequency:g} Hz",
        )
    axis.set(xlabel="t [s]", ylabel="lean of the rod [deg]")
    axis.legend(fontsize=7)
    study.figure("grasp-lean", figure)


def study(study):
    hand = hand_file()
    if not hand and study.full:
        raise StudyError(f"there is no {HAND}; LIMPET_SHARED names the folder that has it")
    if not hand:
        print(f"skipped: no shared data ({HAND})")
        return
    cases = plan(study)
    results = simulated(study, runs(study, cases, hand))
    if study.full:
        plain = simulated(study, cylinder_runs(study, hand))
        check_cylinder(study, {name: Shake(result.log) for name, result in plain.items()})
    check_solved(study, results, cases)
    logs = {name: Shake(result.log) for name, result in results.items()}
    if not study.full:
        study.holds(
            "lagged, 1.2 Hz, 2 ms: the rod is held",
            math.isinf(logs[name_of("lagged", 0.0, 1.2, 2e-3)].failure()),
        )
        for model in MODELS:
            study.within(
                f"{model}, 1.6 Hz, 2 ms: T_f",
                logs[name_of(model, 0.0, 1.6, 2e-3)].failure(),
                2.0,
                5.0,
                "s",
            )
        return
    times = {
        (model, d, dt): np.array(
            [
                logs[name].failure() if (name := name_of(model, d, f, dt)) in logs else math.nan
                for f in FREQUENCIES
            ]
        )
        for model, d, dt in {
            (case[0], case[1], case[3]) for case in cases if case[3] not in BETWEEN
        }
    }
    study.near("frequency of the pendulum", grasp.pendulum_frequency(), 1.4667, "Hz", absolute=1e-3)
    check_times(study, times)
    tables(study, times)
    check_steps(study, logs)
    draw(study, times, logs)


if __name__ == "__main__":
    sys.exit(main(study, __file__))

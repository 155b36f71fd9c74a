#!/usr/bin/env python3
"""Tennis ball in the jaws of an arm, Figs. 1-3 of "A robust and tractable contact model for dynamic robotic simulation", every method.

What is measured is the drift of the ball in the frame of the hand, from the end of the first step on.
"""
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import _methods as methods  # noqa: E402
from support.command import ROOT  # noqa: E402
from support.recording import Recording  # noqa: E402
from support.study import main  # noqa: E402

SCENE = ROOT / "scenes/iiwa_tennis_ball.xml"
START = ("--keyframe", "grasp", "--controller", str(SCENE.with_suffix(".json")))
RADIUS = 33.5  # [mm]  of the ball: farther away than that it is lost
STEP, DURATION, LONG = 1e-3, 25.0, 100.0  # [s]  as in the paper
LONG_METHODS = ("two-phase", "lagged")
FINER, FINER_METHODS = 5e-4, ("two-phase", "sap")  # [s]
SOFTENINGS = (1e-4, 1e-3, 1e-2, 1e-1)  # of lcp; its default is 1e-6
PAPER_LOST = {"penalty": "≤ 0.003", "lcp": "0.16", "sequential-impulse": "0.4", "two-phase": "held"}  # [s]


def rotated_back(turn, vector):
    """(T, 3)  vectors in the frames with quaternions `turn` (T, 4), w first"""
    w, axis = turn[:, :1], -turn[:, 1:]
    twice = 2.0 * np.cross(axis, vector)
    return vector + w * twice + np.cross(axis, twice)


class Grasp:
    """Drift of the ball over time."""

    def __init__(self, result, start=None):
        log = Recording(result.log)
        names = log.names("body")
        place = log.read("body_position")
        ball, hand = names.index("ball"), names.index("hand")
        self.place = 1e3 * rotated_back(log.read("body_quaternion")[:, hand], place[:, ball] - place[:, hand])  # (T, 3) [mm]
        self.time = log.time
        self.start = self.place[1] if start is None else start
        self.drift = np.linalg.norm(self.place - self.start, axis=1)  # (T) [mm]
        self.drift[0] = 0.0

    def at(self, time):
        """Drift [mm] at the record next to this time."""
        return float(self.drift[np.argmin(np.abs(self.time - time))])

    def lost(self):
        """Time [s] at which the ball has left the jaws; infinite: held"""
        away = np.nonzero(~(self.drift < RADIUS))[0]
        return float(self.time[away[0]]) if len(away) else np.inf


def plan(study):
    """All runs of the study."""
    names = methods.METHODS if study.full else ("two-phase", "two-phase-literal", "lcp", "lagged")
    runs = [methods.run(name, name, SCENE, STEP, DURATION if study.full else 1.0, *START) for name in names]
    if not study.full:
        return runs
    explicit = [methods.run(f"{name}-explicit", name, SCENE, STEP, DURATION, *START, "--explicit-euler") for name in methods.IMPULSE]
    finer = [methods.run(f"{name}-finer", name, SCENE, FINER, DURATION, *START, "--log-period", "1ms") for name in FINER_METHODS]
    long = [methods.run(f"{name}-long", name, SCENE, STEP, LONG, *START, "--log-period", "20ms") for name in LONG_METHODS]
    soft = [methods.run(f"lcp-{value:g}", "lcp", SCENE, STEP, DURATION, *START, "--softening", repr(value)) for value in SOFTENINGS]
    straight = [methods.run(f"{name}-straight", name, SCENE, STEP, DURATION, *START, "--no-curved-paths") for name in ("similar", "anitescu")]
    return [*runs, *explicit, *finer, *long, *soft, *straight]


def check_held(study, grasps):
    """Who holds the ball, and how far it drifts."""
    for name in (name for name in methods.METHODS if name in grasps):
        if name == "two-phase-literal":
            study.within(f"{name}: the ball is lost after", grasps[name].lost(), 0.05, 1.0, "s")
        else:
            study.holds(f"{name}: the ball is held for {grasps[name].time[-1]:.0f} s", grasps[name].lost() == np.inf)
    if not study.full:
        study.within("two-phase: drift at 1 s", grasps["two-phase"].at(1.0), 1e-3, 0.05, "mm")
        study.within("lagged: drift at 1 s", grasps["lagged"].at(1.0), 0.0, 1e-3, "mm")
        return
    study.within("two-phase: drift at 25 s", grasps["two-phase"].at(DURATION), high=0.5, unit="mm")
    for name in LONG_METHODS:
        long = grasps[f"{name}-long"]
        study.holds(f"{name}: the ball is held for {LONG:g} s", long.lost() == np.inf)
        study.near(f"{name}: drift at 100 s over that at 25 s (linear: 4)", long.at(LONG) / long.at(DURATION), 4.0, absolute=0.5)


def check_order(study, grasps):
    """What the drift comes from, and the order of the methods as it is measured here."""
    final = {name: grasp.at(DURATION) for name, grasp in grasps.items()}
    for name in FINER_METHODS:
        study.near(f"{name}: drift at a step of 1 ms over that at 0.5 ms (2: first order)", final[name] / final[f"{name}-finer"], 2.0, absolute=0.05)
    for name in ("lcp", "pgs", "similar-straight", "anitescu-straight"):
        study.near(f"{name}: drift over that of two-phase", final[name] / final["two-phase"], 1.0, absolute=0.02)
    study.within("sequential-impulse: drift over that of two-phase", final["sequential-impulse"] / final["two-phase"], 1.2, 3.0)
    study.within("penalty: drift at 0.1 s over that of two-phase", grasps["penalty"].at(0.1) / grasps["two-phase"].at(0.1), 5.0, 50.0)
    study.within("two-phase: drift over that of lagged", final["two-phase"] / final["lagged"], low=50.0)
    study.within("lcp, explicit Euler: drift over that of two-phase", final["lcp-explicit"] / final["two-phase-explicit"], 2.0, 5.0)
    most, less = (final[f"lcp-{value:g}"] for value in (SOFTENINGS[-1], SOFTENINGS[-2]))
    study.near("lcp: drift with a softening of 0.1 over that with 0.01 (10: creep in proportion)", most / less, 10.0, absolute=2.0)


def said(grasp, time):
    """Drift as text, or that the ball is lost."""
    return f"{grasp.at(time):.2g}" if grasp.lost() > time else "lost"


def lost_text(grasp):
    return "held" if grasp.lost() == np.inf else f"{grasp.lost():.2f}"


def tables(study, grasps):
    cost = methods.compared(methods.METHODS, SCENE, STEP, 2.0, *START)
    times = (0.1, 1.0, 10.0, DURATION)
    rows = [[name, lost_text(grasps[name]), PAPER_LOST.get(name, ""), *(said(grasps[name], time) for time in times),
             f"{1e6 * cost[name]['step_time_median']:.0f}"] for name in methods.METHODS]  # fmt: skip
    study.table("drift", ["method", "lost at [s]", "in the paper", *(f"drift at {t:g} s [mm]" for t in times), "step [µs]"], rows)
    rows = [[name, lost_text(grasps[f"{name}-explicit"]), *(said(grasps[f"{name}-explicit"], time) for time in times)] for name in methods.IMPULSE]
    study.table("explicit", ["explicit Euler", "lost at [s]", *(f"drift at {t:g} s [mm]" for t in times)], rows)
    values = [("1e-06", grasps["lcp"]), *((f"{value:g}", grasps[f"lcp-{value:g}"]) for value in SOFTENINGS)]
    study.table("softening", ["softening of lcp", "lost at [s]", *(f"drift at {t:g} s [mm]" for t in times)],
                [[text, lost_text(grasp), *(said(grasp, time) for time in times)] for text, grasp in values])  # fmt: skip
    rows = [[name, said(grasps[f"{name}-long"], DURATION), said(grasps[f"{name}-long"], LONG)] for name in LONG_METHODS]
    study.table("long", ["100 s", "drift at 25 s [mm]", "drift at 100 s [mm]"], rows)


def draw(study, grasps):
    """Fig. 1: the first half second, logarithmic; Fig. 2: 25 s, linear."""
    from support import figures

    figure, (early, late) = figures.grid(1, 2, width=7.4, height=3.2)
    for name in methods.METHODS:
        grasp, look = grasps[name], "-" if name in methods.IMPULSE else "--"
        first = (grasp.time > 1.5 * STEP) & (grasp.time <= 0.5) & (grasp.drift > 0) & (grasp.drift < 1e3)
        early.semilogy(grasp.time[first], grasp.drift[first], look, color=methods.COLOURS[name], label=name)
        if grasp.lost() == np.inf:
            some = figures.thinned(len(grasp.time), 800)
            late.plot(grasp.time[some], grasp.drift[some], look, color=methods.COLOURS[name], label=name)
    early.axhline(RADIUS, color="#888888", lw=0.6, ls=":")
    early.set(xlabel="time [s]", ylabel="drift [mm]", ylim=(1e-8, 1e3))
    late.set(xlabel="time [s]", ylabel="drift [mm]", ylim=(0, None))
    figure.legend(*early.get_legend_handles_labels(), loc="outside lower center", ncol=5, fontsize=7)
    study.figure("grasp-drift", figure)


def study(study):
    """The whole study."""
    results = study.simulate(plan(study))
    grasps = {name: Grasp(result) for name, result in results.items() if not name.endswith(("-long", "-finer"))}
    for name, result in results.items():
        if name.endswith("-long"):  # the same steps as the shorter run, recorded less often
            grasps[name] = Grasp(result, grasps[name.removesuffix("-long")].start)
        elif name.endswith("-finer"):
            grasps[name] = Grasp(result)  # from 1 ms, its second step
    check_held(study, grasps)
    if study.full:
        check_order(study, grasps)
        tables(study, grasps)
        draw(study, grasps)


if __name__ == "__main__":
    sys.exit(main(study, __file__))

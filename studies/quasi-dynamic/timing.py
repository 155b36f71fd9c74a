#!/usr/bin/env python3
"""Time of a step with a point cloud, by stage and by number of points, Fig. 4 of "quasi-dynamic
point clouds with torsional friction"."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.command import command  # noqa: E402
from support.study import StudyError, main  # noqa: E402

PAPER = 90e-6  # [s]  a whole step, on another machine (M1 Pro, Julia)
POINTS = (100, 992, 10000, 100000, 1000000)
PARTS = {
    "distance and selection": ("broad phase", "narrow phase"),
    "assembly": ("assembly",),
    "programme": ("solve",),
    "kinematics, dynamics": ("kinematics", "dynamics"),
    "integration": ("integration",),
}
COLOURS = ("#e39b2d", "#2e8b57", "#1f5fa8", "#999999", "#cccccc")


def measured(points):
    """Results of benchmarks/bench_quasi_dynamic.c, [{points, median, p99, stage, ...}] in
    seconds."""
    program = command().parent / "bench_quasi_dynamic"
    if not program.exists():
        raise StudyError(f"there is no {program}; 'make build' builds it")
    done = subprocess.run(
        [str(program), "--json", *map(str, points)],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode != 0:
        raise StudyError(f"{program} ended with exit code {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def parts(result):
    """Times of the parts in the order of PARTS, [s]."""
    return [sum(result["stage"][stage] for stage in stages) for stages in PARTS.values()]


def draw(study, results):
    """Stages of a step with 992 points, and the time over the number of points."""
    from support import figures

    figure, (bars, curve) = figures.grid(1, 2, width=7.0, height=2.8)
    shown = next(result for result in results if result["points"] == 992)
    for k, (name, value) in enumerate(zip(PARTS, parts(shown), strict=True)):
        bars.barh(k, 1e6 * value, color=COLOURS[k])
        bars.text(1e6 * value, k, f" {1e6 * value:.1f}", va="center")
    bars.set(yticks=range(len(PARTS)), yticklabels=list(PARTS), xlabel="median [µs], 992 points")
    bars.margins(x=0.15)
    bars.invert_yaxis()
    bars.grid(False)
    count = [result["points"] for result in results]
    curve.loglog(
        count, [1e6 * result["p99"] for result in results], ":", color="#222222", label="99 %"
    )
    curve.loglog(
        count,
        [1e6 * result["median"] for result in results],
        "o-",
        color="#222222",
        label="whole step",
    )
    for k, name in enumerate(list(PARTS)[:3]):
        curve.loglog(
            count,
            [1e6 * parts(result)[k] for result in results],
            "s-",
            color=COLOURS[k],
            label=name,
        )
    curve.set(xlabel="points", ylabel="time [µs]")
    curve.legend(fontsize=7)
    study.figure("timing", figure)


def timing(study):
    """The whole study."""
    results = measured(POINTS if study.full else POINTS[1:2])
    for result in results:
        study.holds(
            f"{result['points']} points: all steps solved, 15 contacts in each",
            result["unsolved"] == 0 and result["contacts"] == 15,
        )
    if not study.full:
        return
    study.within(
        "992 points: median of a step over the paper's 90 µs",
        results[1]["median"] / PAPER,
        high=1.0,
    )
    # counted, not timed: a search through many points drives out of caches what it reads
    changes = [result["changes"] for result in results]
    study.within(
        "programme: changes of the active set, most over least of all numbers of points",
        max(changes) / min(changes),
        high=2.5,
    )
    x, y = (
        np.array([result["points"] for result in results]),
        np.array([result["median"] for result in results]),
    )
    line = y[0] + (y[-1] - y[0]) * x / x[-1]
    study.within(
        "time over a + b N, b from a million points: largest at fewer points",
        (y / line)[:-1].max(),
        high=2.0,
    )
    rows = [
        [
            str(r["points"]),
            *(1e6 * value for value in (r["median"], r["p99"], *parts(r))),
            r["changes"],
        ]
        for r in results
    ]
    columns = ["points", "median [µs]", "99 % [µs]", *(f"{name} [µs]" for name in PARTS)]
    study.table("times", [*columns, "changes of the active set"], rows)
    draw(study, results)


if __name__ == "__main__":
    sys.exit(main(timing, __file__))

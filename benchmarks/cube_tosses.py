#!/usr/bin/env python3
"""Fits contact parameters to the recorded cube tosses of the shared data and prints the scores of
every contact model.

usage: cube_tosses.py [--models A,B] [--fit NAME,NAME] [--data FOLDER] [--program FILE]
[--evaluations N]

For each model: the defaults with friction 0.18, then the parameters fitted on the training tosses
by the downhill simplex method (Nelder, Mead 1965), then the same parameters at a third of the step.
Scores are those of the data's own score.py on the held-out tosses. Parameters: friction, rounding
[m], restitution, stiffness [N/m], dissipation [s/m], inertia [kg m2]. Needs NumPy and a build
(`cmake --build --preset release --target bench_cube_tosses`).
"""

import argparse
import math
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# start and size of the first simplex; positive numbers are searched on a logarithmic scale
START = {
    "friction": (0.18, 0.1, "log"),
    "rounding": (4e-3, 0.3, "log"),
    "restitution": (0.15, 0.1, "linear"),
    "stiffness": (1e4, 1.0, "log"),
    "dissipation": (0.5, 0.7, "log"),
    "inertia": (0.00081, 0.1, "log"),
}
SUBSTEPS = 5


def value_of(name, x):
    return math.exp(x) if START[name][2] == "log" else min(max(x, 0.0), 1.0)


def run(program, data, model, values, subset, substeps=SUBSTEPS, out=None):
    """Loss of one run, and its line."""
    words = [program, "--data", data, "--subset", subset, "--substeps", str(substeps)]
    words += ["--model", model] if model != "default" else []
    for name, value in values.items():
        words += [f"--{name}", f"{value:.17g}"]
    if out:
        words += ["--out", out]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return float(re.search(r"combined (\S+)", done.stdout).group(1)), done.stdout.strip()


def simplex(loss, start, sizes, evaluations):
    """Least point of loss by the downhill simplex method, with that many evaluations at most."""
    points = [list(start)]
    for i, size in enumerate(sizes):
        points.append([x + (size if i == k else 0.0) for k, x in enumerate(start)])
    known = sorted((loss(p), p) for p in points)
    used = len(known)
    while used < evaluations:
        best, second, worst = known[0], known[-2], known[-1]
        n = len(start)
        centre = [sum(p[k] for _, p in known[:-1]) / n for k in range(n)]

        def along(t, centre=centre, worst=worst):
            p = [c + t * (w - c) for c, w in zip(centre, worst[1], strict=True)]
            return loss(p), p

        new = along(-1.0)
        used += 1
        if new[0] < best[0]:
            further = along(-2.0)
            used += 1
            new = min(new, further)
        elif new[0] >= second[0]:
            new = along(0.5 if new[0] >= worst[0] else -0.5)
            used += 1
            if new[0] >= worst[0]:
                points = [
                    [b + 0.5 * (x - b) for b, x in zip(best[1], p, strict=True)] for _, p in known
                ]
                known = sorted((loss(p), p) for p in points)
                used += len(points)
                continue
        known = sorted([*known[:-1], new])
    return known[0]


def score(data, predictions, rounding):
    """Line of the data's own score of the held-out tosses."""
    words = [sys.executable, Path(data) / "score.py", predictions, "--subset", "test"]
    words += ["--corner-radius", f"{rounding:.6g}"] if rounding else []
    return subprocess.run([str(word) for word in words], capture_output=True, text=True).stdout


def report(program, data, model, values, words):
    """Scores at the step of the fit and at a third of it."""
    for substeps in (SUBSTEPS, 3 * SUBSTEPS):
        with tempfile.TemporaryDirectory() as folder:
            out = str(Path(folder) / "predictions.csv")
            loss, line = run(program, data, model, values, "test", substeps, out)
            text = score(data, out, values.get("rounding", 0.0))
        print(f"\n{model}, {words}, {substeps} steps a frame: {line}")
        print("\n".join(f"    {row}" for row in text.strip().splitlines()), flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    shared = os.environ.get("LIMPET_SHARED", str(ROOT.parent / "shared"))
    parser.add_argument("--models", default="default,similar,sap")
    parser.add_argument("--fit", default="friction,rounding")
    parser.add_argument("--data", default=str(Path(shared) / "data/cube-tosses"))
    parser.add_argument("--program", default=str(ROOT / "build/release/bench_cube_tosses"))
    parser.add_argument("--evaluations", type=int, default=40)
    options = parser.parse_args()
    if not Path(options.data).exists():
        print(f"skipped: no cube tosses in {options.data}")
        return 77
    names = options.fit.split(",")
    for model in options.models.split(","):
        report(options.program, options.data, model, {"friction": 0.18}, "nothing fitted")

        def loss(x, model=model):
            values = {name: value_of(name, v) for name, v in zip(names, x, strict=True)}
            return run(options.program, options.data, model, values, "train")[0]

        start = [math.log(START[n][0]) if START[n][2] == "log" else START[n][0] for n in names]
        _, x = simplex(loss, start, [START[n][1] for n in names], options.evaluations)
        values = {name: value_of(name, v) for name, v in zip(names, x, strict=True)}
        words = ", ".join(f"{name} {value:.5g}" for name, value in values.items())
        report(options.program, options.data, model, values, f"fitted: {words}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

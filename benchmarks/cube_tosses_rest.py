#!/usr/bin/env python3
"""Where the error of the default contact model on the recorded cube tosses comes from: the start,
the data, or the model.

usage: cube_tosses_rest.py [--data FOLDER] [--program FILE] [--friction N] [--rounding M]

Held-out tosses, parameters as fitted by cube_tosses.py. Prints the combined error by toss and by
time after the first impact; what the tracking error of the start alone makes; and how far it falls
if each toss may choose its start, friction or restitution among a few. The last ones are no
results: they know the answer, and bound what another law or better data could win.
"""

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
STARTS = 16
FRICTIONS = (0.13, 0.15, 0.16, 0.19, 0.21, 0.23)
RESTITUTIONS = (0.1, 0.2, 0.3)
HALF_SIDE = 0.0524  # [m]
FRAME_RATE = 148.0  # [Hz]
PROCESSES = 2


def load_score(data):
    """The data's own score.py as a module."""
    spec = importlib.util.spec_from_file_location("score", Path(data) / "score.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def simulate(options, **values):
    """{toss: (frames, 7)} that the program predicts with these options."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "predictions.csv"
        words = [options.program, "--data", options.data, "--subset", "test", "--out", out]
        words += ["--friction", options.friction, "--rounding", options.rounding]
        for name, value in values.items():
            words += ["--" + name.replace("_", "-"), value]
        subprocess.run([str(word) for word in words], check=True, capture_output=True)
        return poses(out)


def poses(path):
    """{toss: (frames, 7)} of a CSV file."""
    rows = np.loadtxt(path, delimiter=",", skiprows=1, usecols=range(9))
    return {int(toss): rows[rows[:, 0] == toss, 2:] for toss in np.unique(rows[:, 0])}


def frame_errors(score, a, b):
    """(frames, 2) [-] position error over the half side, and angle."""
    place = np.linalg.norm(a[:, :3] - b[:, :3], axis=1) / HALF_SIDE
    return np.column_stack([place, score.angle_between(a[:, 3:], b[:, 3:])])


def by_toss(score, predicted, recorded):
    """(tosses) combined error of each."""
    errors = (frame_errors(score, pose, recorded[toss]) for toss, pose in predicted.items())
    return np.array([error.sum(axis=1).mean() for error in errors])


def print_times(score, predicted, recorded, radius):
    """Errors over the time after the first impact, and the share of tosses on the wrong face."""
    ranges = ((-1000, 0), (0, 5), (5, 15), (15, 30), (30, 60), (60, 1000))
    sums = np.zeros((len(ranges), 3))
    wrong = []
    total = by_toss(score, predicted, recorded)
    for pose, truth in ((predicted[toss], recorded[toss]) for toss in predicted):
        errors = frame_errors(score, pose, truth)
        low = score.lowest_height(truth[:, :3], truth[:, 3:], radius)
        first = int(np.argmax(low < 1e-3))
        frame = np.arange(len(errors)) - first
        for k, (begin, end) in enumerate(ranges):
            chosen = (frame >= begin) & (frame < end)
            sums[k] += [*errors[chosen].sum(axis=0), chosen.sum()]
        wrong.append(score.face_down(pose[-1, 3:]) != score.face_down(truth[-1, 3:]))
    for (begin, end), (place, turn, count) in zip(ranges, sums, strict=True):
        name = f"{begin} to {end} frames after" if end < 1000 else "later"
        print(
            f"  {'in flight' if begin < 0 else name:24} place {place / count:.3f}, "
            f"angle {turn / count:.3f}, frames {count:.0f}"
        )
    wrong = np.array(wrong)
    print(
        f"  {wrong.sum()} of {len(wrong)} tosses end on the wrong face: {total[wrong].mean():.3f},"
        f" the others {total[~wrong].mean():.3f}; {total[wrong].sum() / total.sum():.0%} of all"
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    shared = os.environ.get("LIMPET_SHARED", str(ROOT.parent / "shared"))
    parser.add_argument("--data", default=str(Path(shared) / "data/cube-tosses"))
    parser.add_argument("--program", default=str(ROOT / "build/release/bench_cube_tosses"))
    parser.add_argument("--friction", type=float, default=0.17304)
    parser.add_argument("--rounding", type=float, default=0.0043329)
    options = parser.parse_args()
    if not Path(options.data).exists():
        print(f"skipped: no cube tosses in {options.data}")
        return 77
    score = load_score(options.data)
    recorded = poses(Path(options.data) / "tosses.csv")
    cases = [{}]
    cases += [{"start_seed": seed} for seed in range(1, STARTS + 1)]
    cases += [{"friction": mu} for mu in FRICTIONS] + [{"restitution": e} for e in RESTITUTIONS]
    cases += [{"substeps": 15}]
    with ThreadPoolExecutor(PROCESSES) as pool:
        runs = list(pool.map(lambda case: simulate(options, **case), cases))
    error = [by_toss(score, run, recorded) for run in runs]
    base, starts = error[0], error[1 : 1 + STARTS]
    frictions = error[1 + STARTS : 1 + STARTS + len(FRICTIONS)]
    bounces = error[1 + STARTS + len(FRICTIONS) : -1]

    print(f"combined error of {len(base)} tosses: {base.mean():.3f}, median {np.median(base):.3f}")
    print(
        f"  at a third of the step {error[-1].mean():.3f}; by toss they differ by "
        f"{by_toss(score, runs[0], runs[-1]).mean():.3f}"
    )
    print_times(score, runs[0], recorded, options.rounding)
    apart = np.mean([by_toss(score, run, runs[0]).mean() for run in runs[1 : 1 + STARTS]])
    print(f"starts off by the tracking error, against the same model: {apart:.3f}")
    spread = np.std(np.mean(starts, axis=1))
    print(f"  against the recordings: {np.mean(starts):.3f} +- {spread:.3f}")
    for name, chosen in (
        (f"start, of {STARTS} and the recorded one", starts),
        ("friction, of 0.13 to 0.23", frictions),
        ("restitution, of 0 to 0.3", bounces),
        ("friction or restitution", [*frictions, *bounces]),
        ("all of them", [*starts, *frictions, *bounces]),
    ):
        print(f"each toss its best {name}: {np.min([base, *chosen], axis=0).mean():.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

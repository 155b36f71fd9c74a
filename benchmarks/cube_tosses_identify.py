#!/usr/bin/env python3
"""Fits friction, rounding and restitution of the recorded cube with `limpet identify`.

usage: cube_tosses_identify.py [--tosses N] [--skip K] [--windows ROWS] [--starts S]
                               [--command limpet] [--data FOLDER]

The cube is eight balls at the corners of a smaller cube, which on a plane is a rounded cube
exactly: one parameter moves the radius of the balls and, against it, their places. Takes N tosses
of the training set (ids divisible by 6) after the first K, writes a fit and its records into a
folder of their own, and prints values with both kinds of error bars. Tosses are fitted in windows
of ROWS frames whose start states are unknown, too; --windows 0: as a whole, from S starts.
"""

import argparse
import csv
import json
import subprocess
import tempfile
from pathlib import Path

HALF_SIDE = 0.0524  # [m]
FRAME_RATE, SUBSTEPS = 148, 5
# [m], [rad]  what a frame may be off without blaming the parameters: at the end of a toss, and of a
# window
PLACE, TURN = 0.005, 0.1
WINDOW_PLACE, WINDOW_TURN = 0.0005, 0.01
# [m/s], [rad/s]  how far the difference of two frames may be from the speed at the second one
SPEED, SPIN = 0.3, 3.0
SIGNS = [(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]


def write_model(path, rounding):
    place = HALF_SIDE - rounding
    balls = "".join(
        f"<geom name='c{i}' size='{rounding}' pos='{x * place} {y * place} {z * place}'/>"
        for i, (x, y, z) in enumerate(SIGNS)
    )
    path.write_text(
        "<mujoco xmlns:limpet='limpet'><option timestep='0.001'/><default><geom friction='0.2' "
        "limpet:restitution='0.1'/></default><worldbody><geom type='plane' size='5 5 .1' "
        "friction='0' limpet:restitution='0'/><body><freejoint/><inertial pos='0 0 0' mass='0.37' "
        f"diaginertia='0.00081 0.00081 0.00081'/>{balls}</body></worldbody></mujoco>"
    )


def rounding_links():
    links = [f"c{i}.size[0]" for i in range(8)]
    for i, signs in enumerate(SIGNS):
        for axis, sign in enumerate(signs):
            links.append(
                {"parameter": f"c{i}.position[{axis}]", "factor": -sign, "offset": sign * HALF_SIDE}
            )
    return links


def body_rate(row):
    """Angular velocity of a start row in body axes: R' w."""
    w, x, y, z = (float(row[k]) for k in ("qw", "qx", "qy", "qz"))
    v = [float(row[k]) for k in ("wx", "wy", "wz")]
    R = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return [sum(R[i][k] * v[i] for i in range(3)) for k in range(3)]


POSE = ("x", "y", "z", "qw", "qx", "qy", "qz")


def write_records(folder, data, ids):
    starts = {int(r["toss"]): r for r in csv.DictReader((data / "initial.csv").open())}
    frames = {i: [] for i in ids}
    for r in csv.DictReader((data / "tosses.csv").open()):
        if int(r["toss"]) in frames:
            frames[int(r["toss"])].append(r)
    for i in ids:
        start = starts[i]
        v = [start[k] for k in ("vx", "vy", "vz")] + [repr(x) for x in body_rate(start)]
        with (folder / f"{i}.csv").open("w") as out:
            out.write("time," + ",".join(f"q{k}" for k in range(7)))
            out.write("," + ",".join(f"v{k}" for k in range(6)) + "\n")
            for number, r in enumerate(frames[i]):
                row = start if number == 0 else r
                cells = [repr(number / FRAME_RATE)] + [row[k] for k in POSE]
                out.write(",".join(cells + (v if number == 0 else [""] * 6)) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    root = Path(__file__).resolve().parent.parent
    parser.add_argument("--tosses", type=int, default=20)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--windows", type=int, default=10)
    parser.add_argument("--starts", type=int, default=1)
    parser.add_argument("--command", default=str(root / "build/release/limpet"))
    parser.add_argument("--data", type=Path, default=root / "../shared/data/cube-tosses")
    options = parser.parse_args()
    known = [int(r["toss"]) for r in csv.DictReader((options.data / "initial.csv").open())]
    train = [i for i in known if i % 6 == 0]
    ids = train[options.skip : options.skip + options.tosses]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_model(folder / "cube.xml", 0.004)
        write_records(folder, options.data, ids)
        fit = {
            "model": "cube.xml",
            "time_step": 1.0 / (FRAME_RATE * SUBSTEPS),
            "parameters": [
                {"name": "friction", "of": [f"c{i}.friction" for i in range(8)], "start": 0.2,
                 "minimum": 0.1, "maximum": 0.3},
                {"name": "rounding", "of": rounding_links(), "start": 0.004, "minimum": 0.0005,
                 "maximum": 0.015},
                {"name": "restitution", "of": [f"c{i}.restitution" for i in range(8)],
                 "start": 0.1, "minimum": 0.0, "maximum": 0.4},
            ],
            "trajectories": [f"{i}.csv" for i in ids],
            "noise": [PLACE] * 3 + [TURN] * 3,
            "solver": {"width": 0.02, "tolerance": 1e-3, "iterations": 20,
                       "starts": options.starts},
        }  # fmt: skip
        if options.windows:
            fit["noise"] = [WINDOW_PLACE] * 3 + [WINDOW_TURN] * 3
            fit["windows"] = {
                "rows": options.windows,
                "speed_noise": [SPEED] * 3 + [SPIN] * 3,
            }
        (folder / "fit.json").write_text(json.dumps(fit))
        subprocess.run([options.command, "identify", str(folder / "fit.json")], check=True)


if __name__ == "__main__":
    main()

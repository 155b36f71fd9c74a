#!/usr/bin/env python3
"""Times rays of sensors in MuJoCo and in bench_rays, taking turns, and compares what they see.

usage: rays_mujoco.py BENCH_RAYS [FILE...]   BENCH_RAYS: that program of a build of Limpet
                      default: two scenes that are made in a temporary folder
                        terrain  20 rangefinders on a body above 201 x 201 heights
                        depth    a camera of 64 x 48 pixels above heights, 8 meshes of 20000
                                 triangles and 40 primitives

Processor time of one ray [us], least of several rounds; MuJoCo by mj_sensorPos, which reads all
sensors of positions, so that the models should have no others. The sums of all ranges that are met
are printed beside the times. Where MuJoCo is not installed it prints "skipped: not installed".
"""

import math
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 5
GRID = 201


def heights(chance):
    bumps = [(chance.uniform(1, 9), chance.uniform(1, 9), chance.uniform(0, 6)) for _ in range(8)]
    return " ".join(
        f"{sum(math.sin(a * i / 20 + b * j / 20 + c) for a, b, c in bumps):.4f}"
        for i in range(GRID)
        for j in range(GRID)
    )


def field(chance):
    return (
        f'<hfield name="ground" nrow="{GRID}" ncol="{GRID}" size="10 10 1 .1" '
        f'elevation="{heights(chance)}"/>'
    )


def write_rock(path, columns, rows):
    """A bumpy ball of 2 columns rows triangles."""
    with open(path, "w", encoding="utf-8") as file:
        for r in range(rows + 1):
            up = math.pi * (r / rows - 0.5)
            for c in range(columns):
                turn = 2 * math.pi * c / columns
                size = 0.6 + 0.1 * math.sin(5 * turn) * math.cos(up) + 0.05 * math.cos(9 * up)
                x, y = size * math.cos(up) * math.cos(turn), size * math.cos(up) * math.sin(turn)
                file.write(f"v {x:.7f} {y:.7f} {size * math.sin(up):.7f}\n")
        for r in range(rows):
            for c in range(columns):
                a, b = r * columns + c + 1, r * columns + (c + 1) % columns + 1
                file.write(f"f {a} {b} {b + columns}\nf {a} {b + columns} {a + columns}\n")


def terrain(folder):
    chance = random.Random(1)
    sites = "".join(
        f'<site name="s{i}" pos="{0.1 * (i % 5)} {0.1 * (i // 5)} 0" '
        f'euler="{chance.uniform(120, 240)} {chance.uniform(-60, 60)} 0"/>'
        for i in range(20)
    )
    text = (
        f"<mujoco><asset>{field(chance)}</asset><worldbody>"
        '<geom type="hfield" hfield="ground"/>'
        f'<body pos="0 0 2"><freejoint/><geom size=".1"/>{sites}</body></worldbody><sensor>'
        + "".join(f'<rangefinder site="s{i}"/>' for i in range(20))
        + "</sensor></mujoco>"
    )
    path = Path(folder) / "terrain.xml"
    path.write_text(text, encoding="utf-8")
    return path


def depth(folder):
    chance = random.Random(2)
    write_rock(Path(folder) / "rock.obj", 100, 100)
    kinds = ("sphere", "capsule", "ellipsoid", "cylinder", "box")

    def body(i):
        where = " ".join(f"{chance.uniform(-5, 5):.4f}" for _ in range(2))
        what = (
            'type="mesh" mesh="rock"'
            if i < 8
            else f'type="{kinds[i % 5]}" size=".3 .2 .4"'
        )
        return f'<body pos="{where} {chance.uniform(1, 3):.4f}"><freejoint/><geom {what}/></body>'

    text = (
        f'<mujoco><asset><mesh name="rock" file="rock.obj"/>{field(chance)}</asset><worldbody>'
        '<geom type="hfield" hfield="ground"/><body pos="0 -6 8">'
        '<camera name="eye" euler="35 0 0" fovy="60" resolution="64 48"/></body>'
        + "".join(body(i) for i in range(48))
        + '</worldbody><sensor><rangefinder camera="eye"/></sensor></mujoco>'
    )
    path = Path(folder) / "depth.xml"
    path.write_text(text, encoding="utf-8")
    return path


def mujoco_time(mujoco, model, data, reads):
    start = time.process_time()
    for _ in range(reads):
        mujoco.mj_sensorPos(model, data)
    return (time.process_time() - start) / reads


def limpet_time(program, path, reads):
    done = subprocess.run([program, path, str(reads)], capture_output=True, check=True, text=True)
    rays, total = done.stdout.splitlines()
    return float(rays.split()[2]), float(total.split()[3])


def compare(mujoco, program, path):
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    rays = model.nsensordata
    reads = max(3, 20000 // rays)
    ours, theirs, total = [], [], 0.0
    for _ in range(ROUNDS):
        time_of_ray, total = limpet_time(program, path, reads)
        ours.append(time_of_ray)
        theirs.append(1e6 * mujoco_time(mujoco, model, data, reads) / rays)
    met = data.sensordata[data.sensordata >= 0]
    print(
        f"{path.stem:12} {rays:6} {min(ours):9.3f} {min(theirs):9.3f} "
        f"{total:18.9f} {met.sum():18.9f}"
    )


def main(arguments):
    if not arguments:
        print(__doc__)
        return 2
    try:
        import mujoco
    except ImportError:
        print("skipped: not installed")
        return 0
    print(f"time of a ray [us]; sum of the ranges [m]; MuJoCo {mujoco.__version__}")
    print(f"{'':12} {'rays':>6} {'Limpet':>9} {'MuJoCo':>9} {'Limpet':>18} {'MuJoCo':>18}")
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(path) for path in arguments[1:]] or [terrain(folder), depth(folder)]
        for path in paths:
            compare(mujoco, arguments[0], path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Fits friction and dissipation to recorded cube tosses, and prints the score of the data's own
score.py on the tosses that were kept back.

usage: cube_tosses.py [DATA] [--model NAME] [--evaluations N]

DATA is the folder with initial.csv, tosses.csv and score.py (shared/data/cube-tosses beside a
checkout). All tosses of a subset are worlds of one rollout.
"""

import argparse
import importlib.util
import sys
import tempfile
from pathlib import Path

import numpy as np

import limpet

FRAME, STEPS = 1.0 / 148.0, 5  # [s] of a frame of the recordings, steps of the simulation in it
SIDE, MASS, INERTIA = 0.1048, 0.37, 8.1e-4  # [m, kg, kg m^2]
SCENE = f"""<mujoco model="toss">
<option timestep="{FRAME / STEPS!r}"/><worldbody>
<geom name="board" type="plane" size="2 2 .1" friction="0"/>
<body name="cube"><freejoint/><inertial pos="0 0 0" mass="{MASS}"
  diaginertia="{INERTIA} {INERTIA} {INERTIA}"/>
<geom name="cube" type="box" size="{SIDE / 2} {SIDE / 2} {SIDE / 2}"/></body></worldbody>
</mujoco>"""


def table(path):
    """{column: array} of a CSV file."""
    names = path.read_text().split("\n", 1)[0].split(",")
    values = np.loadtxt(path, delimiter=",", skiprows=1)
    return dict(zip(names, values.T, strict=True))


def subset_of(tosses, name):
    """The rows of the training or the test set, as score.py divides them."""
    return np.flatnonzero((tosses % 6 == 0) if name == "train" else (tosses % 6 != 0))


class Tosses:
    """Recorded starts of a subset, and their simulation with given numbers of the model."""

    def __init__(self, data, subset, settings):
        start = table(data / "initial.csv")
        rows = subset_of(start["toss"].astype(int), subset)
        self.number = start["toss"][rows].astype(int)
        self.frames = start["frames"][rows].astype(int)
        self.settings = settings
        self.q = np.column_stack([start[n][rows] for n in ("x", "y", "z", "qw", "qx", "qy", "qz")])
        v = np.column_stack([start[n][rows] for n in ("vx", "vy", "vz")])
        w = np.column_stack([start[n][rows] for n in ("wx", "wy", "wz")])
        # recorded angular velocities are in world axes, those of a free joint in the body's
        self.v = np.concatenate([v, [turn(q).T @ x for q, x in zip(self.q[:, 3:], w)]], axis=1)

    def simulate(self, friction, dissipation):
        """Poses (tosses x frames x 7) from the second frame on."""
        builder = limpet.Builder()
        builder.read_text(SCENE)
        builder.set_parameter("cube.friction", friction)
        builder.set_parameter("cube.dissipation", dissipation)
        builder.set_parameter("board.dissipation", dissipation)
        model = builder.compile()
        data, states = model.data(), []
        for q, v in zip(self.q, self.v, strict=True):
            data.set_pose(q, v)
            states.append(data.get_state())
        steps = STEPS * (int(self.frames.max()) - 1)
        settings = limpet.Settings(model, **self.settings)
        return limpet.rollout(model, states, steps=steps, interval=STEPS, settings=settings).q


def turn(q):
    """Rotation matrix of a quaternion (w, x, y, z)."""
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def scorer_of(data):
    """The module score.py of the data."""
    spec = importlib.util.spec_from_file_location("score", data / "score.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def loss(tosses, recorded, score, numbers):
    """Mean combined error of a subset: position over half the side, and angle [rad]."""
    poses = tosses.simulate(*numbers)
    errors = []
    for number, count, rows, start in zip(tosses.number, tosses.frames, poses, tosses.q):
        whole = np.vstack([start, rows[: count - 1]])
        truth = recorded[int(number)]
        errors.append(score.score_toss(truth[:, 0], truth[:, 1:], whole)["combined"])
    return float(np.mean(errors))


def fit(evaluate, start, spread, budget):
    """Least point of a function of two positive numbers: a grid of nine points on logarithmic
    scales moves to its best one, and is halved where that is the middle."""
    best, size, known = np.log(start), np.log(spread), {}

    def at(point):
        key = tuple(np.round(point, 9))
        if key not in known:
            known[key] = evaluate(np.exp(point))
        return known[key]

    while len(known) < budget and size.max() > 0.01:
        points = [best + size * (i, j) for i in (0, -1, 1) for j in (0, -1, 1)]
        values = [at(point) for point in points]
        k = int(np.argmin(values))
        best, size = points[k], size / 2 if k == 0 else size
    return np.exp(best), at(best)


def write(tosses, numbers, path):
    """Simulated poses as score.py reads them."""
    lines = ["toss,t,x,y,z,qw,qx,qy,qz"]
    poses = tosses.simulate(*numbers)
    for number, count, rows, start in zip(tosses.number, tosses.frames, poses, tosses.q):
        for k, pose in enumerate(np.vstack([start, rows[: count - 1]])):
            lines.append(f"{number},{k * FRAME:.9f}," + ",".join(f"{x:.9g}" for x in pose))
    Path(path).write_text("\n".join(lines) + "\n")


def main():
    beside = Path(__file__).resolve().parents[3] / "shared/data/cube-tosses"
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", nargs="?", type=Path, default=beside)
    parser.add_argument("--model", default="coulomb", help="contact model; coulomb")
    parser.add_argument("--evaluations", type=int, default=60, help="of the fit; 60")
    options = parser.parse_args()
    if not (options.data / "score.py").exists():
        sys.exit(f"there is no data in {options.data}; give its folder")
    score, settings = scorer_of(options.data), {"contact": options.model}
    recorded = score.read_poses(options.data / "tosses.csv")
    train = Tosses(options.data, "train", settings)
    print(f"{len(train.number)} tosses to fit; friction 0.18, dissipation 50 s/m: ", end="")
    print(f"combined {loss(train, recorded, score, (0.18, 50.0)):.3f}", flush=True)
    numbers, least = fit(
        lambda x: loss(train, recorded, score, x), (0.18, 1.0), (1.15, 4.0), options.evaluations
    )
    print(f"fitted: friction {numbers[0]:.4f}, dissipation {numbers[1]:.3g} s/m: {least:.3f}\n")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.csv"
        write(Tosses(options.data, "test", settings), numbers, path)
        scores, missing, failed = score.score_all(recorded, score.read_poses(path), "test")
        score.print_summary(scores, missing, failed)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Grasp of a point cloud with and without torsional friction, Fig. 1 of "quasi-dynamic point clouds
with torsional friction", scene `bunny13`."""

import math
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from _bunny import (
    FRICTION,
    GRAVITY,
    MASS,
    OBJECTS,
    PAD,
    PAD_AT,
    Step,
    distances,
    hand_pose,
    make_cloud,
    points_in_world,
    rotation,
)  # noqa: E402
from _cloud import COUNT  # noqa: E402
from _programme import residuals, solve  # noqa: E402
from _scheme import controls, quasi_dynamic  # noqa: E402
from support.recording import Recording  # noqa: E402
from support.study import main  # noqa: E402

STEP, LENGTH = 0.01, 0.008  # [s, m]  LENGTH: torsional friction of the pads
LIFT = 2.0  # [s]  when the lift begins
END = {True: 10.0, False: 6.0}  # [s]  of the full study and of the quick one
COLOUR = {"on": "#1f5fa8", "off": "#d1495b"}


def scene(study, name, length, order=None):
    """Writes the scene with this torsional friction length; returns its path and the points."""
    points = make_cloud(study.out / "scenes" / f"{name}.npy", order)
    text = study.scene("bunny13.xml").read_text().replace("bunny.npy", f"{name}.npy")
    text = text.replace(f'"{FRICTION} {LENGTH}"', f'"{FRICTION} {float(length)!r}"')
    return study.write_scene(f"{name}.xml", text), points


def run(study, name, path, time):
    """The hand closes on the head, presses, and rises by 0.1 m (and the 2 mm that the weight takes
    from its servo)."""
    file = controls(
        study,
        "grasp",
        [0.0, 1.0, 1.5, LIFT, 6.0],
        y=[0.0, 0.018, 0.021, 0.021, 0.021],
        z=[0.0, 0.0, 0.0, 0.0, 0.102],
        aperture=[0.0, 0.036, 0.058, 0.058, 0.058],
    )
    return quasi_dynamic(name, path, STEP, time, "--controls", file, "--speculative-distance", "1")


def arrays(log):
    """What a step's programme is made from."""
    names = {
        "control": "control",
        "begin": "contact_begin",
        "geom": "contact/geom",
        "normal": "contact/normal",
        "distance": "contact/distance",
        "position": "contact/position",
        "force": "contact/force",
        "torsion": "contact/torsion",
        "q": "q",
        "v": "v",
    }
    return {
        **{name: log.read(dataset) for name, dataset in names.items()},
        "names": log.names("geom"),
    }


def pivot(q):
    """[deg]  by which the cloud has turned since the lift began, at each record."""
    first = rotation(q[round(LIFT / STEP) - 1, 3:7])
    return np.array(
        [
            math.degrees(
                2.0 * math.asin(min(1.0, np.linalg.norm(rotation(x) - first) / math.sqrt(8.0)))
            )
            for x in q[:, 3:7]
        ]
    )


def grip(log, record):
    """Mean point [m] of each pad's forces and their normal forces [N]."""
    result = {}
    for side in OBJECTS[1:]:
        rows = [
            i
            for i in range(log["begin"][record], log["begin"][record + 1])
            if side in (log["names"][k] for k in log["geom"][i])
        ]
        force = np.abs(np.einsum("ij,ij->i", log["force"][rows], log["normal"][rows]))
        result[side] = (
            np.average(log["position"][rows], axis=0, weights=force),
            force.sum(),
            int((force > 1e-6).sum()),
        )
    return result


def hanging(points, log, record):
    """Angle [deg] of the centre of mass from straight below the line of the pads' points, and its
    distance from that line [m], horizontally."""
    held, q = grip(log, record), log["q"][record - 1]
    axis = held["right"][0] - held["left"][0]
    axis /= np.linalg.norm(axis)
    arm, down = (
        points_in_world(points.mean(axis=0)[None], q)[0] - held["left"][0],
        np.array([0.0, 0.0, -1.0]),
    )
    arm, down = arm - axis * (arm @ axis), down - axis * (down @ axis)
    return math.degrees(
        math.atan2(np.linalg.norm(np.cross(arm, down)), arm @ down)
    ), np.linalg.norm(np.cross(arm, down))


def check_steps(study, word, points, log, length, start):
    """Every step against a programme of its own, its KKT conditions, and the points that were left
    out."""
    every = range(0, len(log["q"]), 1 if study.full else 10)
    worst = {key: 0.0 for key in ("difference", "stationarity", "complementarity", "own")}
    least = {key: np.inf for key in ("gap", "budget", "again", "others")}
    shapes = set()
    for record in every:
        before = start if record == 0 else log["q"][record - 1]
        step = Step(points, log, record, before, length, STEP)
        shapes.add((step.Q.shape[0], step.G.shape[0]))
        v, multipliers = solve(step.Q, step.c, step.G, step.offset)
        worst["own"] = max(
            worst["own"],
            np.abs(residuals(step.Q, step.c, step.G, step.offset, v, multipliers)).max(),
        )
        worst["difference"] = max(worst["difference"], STEP * np.abs(v - step.v).max())
        stationarity, gap, budget, product = step.residuals(length)
        worst["stationarity"], worst["complementarity"] = (
            max(worst["stationarity"], stationarity),
            max(worst["complementarity"], product),
        )
        least["gap"], least["budget"] = min(least["gap"], gap), min(least["budget"], budget)
        after, taken = distances(points, log["q"][record]), step.chosen(points)
        mask = np.zeros_like(after, dtype=bool)
        for k, name in enumerate(OBJECTS):
            mask[k, taken[name]] = True
        least["again"], least["others"] = (
            min(least["again"], after[mask].min()),
            min(least["others"], after[~mask].min()),
        )
    rows = 80 if length > 0 else 60
    study.holds(
        f"{word}: variables and rows are 13 and {rows} in all of {len(every)} steps",
        shapes == {(13, rows)},
    )
    study.within(
        f"{word}: |dq - h v| against the script's programme",
        worst["difference"],
        high=1e-9,
        unit="m, rad",
    )
    study.within(f"{word}: residual of the script's own solutions", worst["own"], high=1e-9)
    study.within(f"{word}: stationarity", worst["stationarity"], high=1e-8, unit="N s")
    study.within(f"{word}: complementarity", worst["complementarity"], high=1e-8, unit="J")
    study.within(
        f"{word}: normal impulse left by friction and torsion (multipliers are not negative)",
        least["budget"],
        low=-1e-9,
        unit="N s",
    )
    study.within(
        f"{word}: smallest linearised gap of the 15 points at the end of a step",
        1e3 * least["gap"],
        low=-1e-4,
        unit="mm",
    )
    study.within(
        f"{word}: the same, evaluated again after the step",
        1e3 * least["again"],
        low=-0.05,
        unit="mm",
    )
    study.within(
        f"{word}: smallest gap of the {3 * COUNT - 15} pairs that were not chosen",
        1e3 * least["others"],
        low=-0.05,
        unit="mm",
    )


def check_pivot(study, points, logs):
    """The object stays as it was gripped, or swings until its centre of mass hangs."""
    for word, log in logs.items():
        angle, rise = pivot(log["q"]), log["q"][-1, 2] - log["q"][round(LIFT / STEP) - 1, 2]
        begin, end = (
            hanging(points, log, round(LIFT / STEP) - 1)[0],
            hanging(points, log, len(log["q"]) - 1)[0],
        )
        if word == "on":
            study.within(
                "torsion on: pivot while it is lifted",
                angle[round(LIFT / STEP) :].max(),
                high=0.1,
                unit="deg",
            )
            study.near("torsion on: lifted by", rise, 0.1, "m", absolute=1e-3)
        else:
            study.within("torsion off: pivot", angle[-1], low=30.0, unit="deg")
            study.near(
                "torsion off: pivot over the angle at which the centre of mass began",
                angle[-1] / begin,
                1.0,
                relative=0.05,
            )
            study.within(
                "torsion off: centre of mass from straight below the pads at the end",
                end,
                high=1.0,
                unit="deg",
            )
        held = grip(log, len(log["q"]) - 1)
        study.holds(
            f"torsion {word}: one point touches each pad at the end",
            all(count == 1 for _, _, count in held.values()),
        )


def check_bound(study, points, log):
    """The length that holds it, mu_w = W e/(2 N - W/mu): half of it does not."""
    record = len(log["q"]) - 1
    held, (_, offset) = grip(log, record), hanging(points, log, record)
    weight, force = MASS * GRAVITY, 0.5 * (held["left"][1] + held["right"][1])
    needed = weight * offset / (2.0 * force - weight / FRICTION)
    study.within(
        "length that holds the object, W e / (2 N - W/mu)",
        1e3 * needed,
        high=1e3 * LENGTH,
        unit="mm",
    )
    runs = [
        run(study, f"bound-{factor:g}", scene(study, f"bound-{factor:g}", factor * needed)[0], 6.0)
        for factor in (0.5, 2.0)
    ]
    results = study.simulate(runs)
    turned = {
        factor: pivot(Recording(results[f"bound-{factor:g}"].log).q)[-1] for factor in (0.5, 2.0)
    }
    study.within("half of that length: pivot", turned[0.5], low=5.0, unit="deg")
    study.within("twice that length: pivot", turned[2.0], high=0.1, unit="deg")


def check_repeats(study, results, logs):
    """The same bits again; nearly the same motion with the points in another order."""
    path, _ = scene(
        study, "mixed", LENGTH, lambda count: np.random.default_rng(5).permutation(count)
    )
    again = study.simulate(
        [
            run(study, "again", results["on"].run.scene, END[study.full]),
            run(study, "mixed", path, END[study.full]),
        ]
    )
    study.holds(
        "a second run is the same, byte for byte",
        again["again"].summary["state_hash"] == results["on"].summary["state_hash"]
        and np.array_equal(Recording(again["again"].log).q, logs["on"]["q"]),
    )
    difference = np.abs(Recording(again["mixed"].log).q - logs["on"]["q"]).max()
    study.within(
        "points in another order: largest difference of a coordinate",
        difference,
        high=1e-6,
        unit="m, rad",
    )


def draw_frame(axis, points, q, colour):
    """The scene from the side: points by depth, the pad behind, the pad in front."""
    from support import figures

    world = points_in_world(points, q)
    front = world[:, 1] < 0.002
    axis.axhspan(-0.02, 0.0, color="#dddddd")
    axis.scatter(
        world[front, 0],
        world[front, 2],
        s=2.2,
        c=np.round(world[front, 1], 2),
        cmap="copper_r",
        rasterized=True,
        linewidths=0,
        antialiaseds=False,
    )
    origin, R, _, _ = hand_pose(q)
    centre = origin - PAD_AT * R[:, 1]
    corner, size = (centre[0] - PAD[0], centre[2] - PAD[2]), (2 * PAD[0], 2 * PAD[2])
    axis.add_patch(
        figures.plt.Rectangle(corner, *size, fc=colour, ec="#222222", alpha=0.75, zorder=3)
    )
    axis.set(xlim=(-0.09, 0.13), ylim=(-0.02, 0.27), aspect="equal", xticks=[], yticks=[])
    axis.grid(False)


def draw(study, points, logs):
    """Two rows of four frames, and the pivot over time."""
    from support import figures

    figure, axes = figures.grid(2, 4, width=7.0, height=4.6)
    for row, word in zip(axes, ("on", "off"), strict=True):
        for axis, time in zip(row, (0.5, 2.0, 4.0, END[True]), strict=True):
            draw_frame(axis, points, logs[word]["q"][round(time / STEP) - 1], COLOUR[word])
            axis.set_title(f"torsion {word}, {time:g} s")
    study.figure("bunny-frames", figure)

    figure, axis = figures.grid(width=5.0, height=2.4)
    for word, log in logs.items():
        axis.plot(
            STEP * np.arange(1, len(log["q"]) + 1),
            pivot(log["q"]),
            color=COLOUR[word],
            label=f"torsion {word}",
        )
    axis.axvspan(LIFT, 6.0, color="#eeeeee", zorder=0)
    axis.set(xlabel="time [s], grey: lift", ylabel="pivot [deg]")
    axis.legend()
    study.figure("bunny-pivot", figure)


def bunny(study):
    """The whole study."""
    paths, lengths = {}, {"on": LENGTH, "off": 0.0}
    for word, length in lengths.items():
        paths[word], points = scene(study, f"torsion-{word}", length)
    results = study.simulate(
        [run(study, word, path, END[study.full]) for word, path in paths.items()]
    )
    logs = {word: arrays(Recording(result.log)) for word, result in results.items()}
    start = np.zeros(14)
    start[3] = 1.0
    for word, log in logs.items():
        check_steps(study, f"torsion {word}", points, log, lengths[word], start)
    if study.full:
        check_pivot(study, points, logs)
        check_bound(study, points, logs["on"])
        draw(study, points, logs)
    check_repeats(study, results, logs)


if __name__ == "__main__":
    sys.exit(main(bunny, __file__))

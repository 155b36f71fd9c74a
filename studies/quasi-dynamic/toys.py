#!/usr/bin/env python3
"""Pang's two toys, a ball that grazes a block and a disc that is pinched: Limpet's steps against a
quadratic programme of velocities in this script.

Pang's form: minimise 1/2 v'Qv - b'v, Q = blkdiag(M_u, h² K), b = h tau, subject to J_row v >=
-phi/h. Equation (13) of the paper is the same problem with dq = h v.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from _programme import residuals, solve  # noqa: E402
from _scheme import controls, quasi_dynamic  # noqa: E402
from support.recording import Recording  # noqa: E402
from support.study import main  # noqa: E402

GRAZE_STEP, PINCH_STEP = 0.1, 0.01  # [s]
THRESHOLD = 10.0  # [mm]  squeeze beyond contact of each finger that carries the weight


def graze(q, command):
    """Velocities of block, ball x and ball z, and residuals of that solution."""
    h, stiffness, mu = GRAZE_STEP, 100.0, 1.0
    Q = np.diag([1.0, h * h * stiffness, h * h * stiffness])
    b = np.array([0.0, *(h * stiffness * (command - q[1:]))])
    G = np.array([[-sign * mu, sign * mu, 1.0] for sign in (1, -1)])
    offset = np.full(2, q[2] / h)
    v, multipliers = solve(Q, -b, G, offset)
    return v, residuals(Q, -b, G, offset, v, multipliers)


def pinch(q, command):
    """Velocities of disc x, disc z, lift, left and right finger."""
    h, stiffness, mu = PINCH_STEP, 1000.0, 0.5
    Q = np.diag([1.0, 1.0, *(3 * [h * h * stiffness])])
    b = np.array([0.0, -h * 10.0, *(h * stiffness * (command - q[2:]))])
    G, gap = [], []
    for sign in (1, -1):
        G += [
            [1, sign * mu, -sign * mu, -1, 0],
            [-1, sign * mu, -sign * mu, 0, 1],
            [sign * mu, 1, 0, 0, 0],
        ]
        gap += [q[0] - q[3], q[4] - q[0], q[1]]
    G, offset = np.array(G, dtype=float), np.array(gap) / h
    v, multipliers = solve(Q, -b, G, offset)
    return v, residuals(Q, -b, G, offset, v, multipliers)


def compare(study, name, log, h, programme, start):
    """Every step against the programme, from the same state and command."""
    states, commands = np.vstack([start, log.q[:-1]]), log.read("control")
    worst, found = 0.0, np.zeros(4)
    for q, after, command in zip(states, log.q, commands, strict=True):
        v, residual = programme(q, command)
        worst = max(worst, np.abs(after - q - h * v).max())
        found = np.maximum(found, np.abs(residual))
    study.within(f"{name}: |dq - h v| over {len(states)} steps", worst, high=1e-9, unit="m")
    study.within(f"{name}: residual of the script's own solutions", found.max(), high=1e-9)


def check_graze(study):
    """1000 random commands, each a step from where the last one led."""
    count = 1000 if study.full else 100
    command = np.random.default_rng(8).uniform(-0.05, 0.05, (count, 2))
    file = controls(study, "graze", GRAZE_STEP * np.arange(count), x=command[:, 0], z=command[:, 1])
    run = quasi_dynamic(
        "graze",
        study.scene("graze.xml"),
        GRAZE_STEP,
        GRAZE_STEP * count,
        "--controls",
        file,
        "--speculative-distance",
        "1",
    )
    log = Recording(study.simulate([run])["graze"].log)
    pressed = log.force[:, 2] > 0
    study.within("graze: share of the steps that touch", pressed.mean(), 0.3, 0.9)
    study.within(
        "graze: way of the block, some steps slide",
        np.abs(np.diff(log.q[:, 0])).max(),
        low=1e-3,
        unit="m",
    )
    compare(study, "graze", log, GRAZE_STEP, graze, [0.0, 0.0, 0.0])


def check_pinch(study):
    """Slow lifts with several squeezes. Returns {squeeze [mm]: log}."""
    squeezes = (0.0, 5.0, 9.0, 9.9, 10.1, 11.0, 15.0) if study.full else (9.9, 10.1)
    times, lift = (
        [0.0, 0.1, 0.6, 4.6],
        [0.0, 0.0, 0.01, 0.012],
    )  # 10 mm take up the servo's own give, then 0.5 mm/s
    runs = []
    for squeeze in squeezes:
        press = [0.0] + 3 * [1e-3 * squeeze]
        file = controls(
            study, f"pinch-{squeeze:g}", times, lift=lift, left=press, right=[-x for x in press]
        )
        runs.append(
            quasi_dynamic(
                f"pinch-{squeeze:g}", study.scene("pinch.xml"), PINCH_STEP, 4.6, "--controls", file
            )
        )
    logs = {
        squeeze: Recording(result.log)
        for squeeze, result in zip(squeezes, study.simulate(runs).values(), strict=True)
    }
    rows = []
    for squeeze, log in logs.items():
        rise = 1e3 * log.q[-1, 1]
        if squeeze < THRESHOLD:
            study.within(
                f"pinch, squeeze of {squeeze:g} mm: rise of the disc", rise, high=0.05, unit="mm"
            )
        else:
            study.within(
                f"pinch, squeeze of {squeeze:g} mm: rise of the disc", rise, low=1.5, unit="mm"
            )
        rows.append([f"{squeeze:g}", float(rise)])
        compare(study, f"pinch, {squeeze:g} mm", log, PINCH_STEP, pinch, np.zeros(5))
    study.table("pinch", ["squeeze [mm]", "rise of the disc [mm], fingers 2 mm"], rows)
    return logs


def draw(study, logs):
    """Rise of the disc and of the fingers over the squeeze."""
    from support import figures

    figure, axis = figures.grid(width=4.6, height=2.6)
    squeezes = list(logs)
    axis.axvline(THRESHOLD, ls="--", color="#888888", lw=0.8, label="weight / (2 μ K)")
    axis.plot(
        squeezes,
        [1e3 * log.q[-1, 2] for log in logs.values()],
        "s",
        mfc="none",
        color="#e39b2d",
        label="fingers",
    )
    axis.plot(
        squeezes, [1e3 * log.q[-1, 1] for log in logs.values()], "o", color="#1f5fa8", label="disc"
    )
    axis.set(xlabel="squeeze beyond contact [mm]", ylabel="rise in 4.6 s [mm]")
    axis.legend(loc="center left")
    study.figure("toys", figure)


def toys(study):
    """The whole study."""
    check_graze(study)
    logs = check_pinch(study)
    if study.full:
        draw(study, logs)


if __name__ == "__main__":
    sys.exit(main(toys, __file__))

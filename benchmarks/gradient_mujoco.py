#!/usr/bin/env python3
"""Jacobians of a step beside MuJoCo's finite differences, in one run.

    gradient_mujoco.py [--bench PATH] [MODEL.xml ...]

Runs bench_gradient (step, step with all Jacobians, what they take before a product, a product with
weights) and, where MuJoCo is installed, times mj_step and mjd_transitionFD (centred) of the same
models, from the same first keyframe after the same 300 steps. The least of several batches counts.
Models are below LIMPET_SHARED (default: ../shared) unless they are named.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MODELS = (
    "models/menagerie/franka_emika_panda/scene.xml",
    "models/mjcf/model/humanoid/humanoid.xml",
    "models/menagerie/unitree_g1/scene.xml",
)
SETTLE, BATCHES = 300, 7
LINE = re.compile(
    r"^(\S+) .*nv\s+(\d+) contacts\s+(\d+)  step\s+([\d.]+) us  jacobian\s+([\d.]+) us.*"
    r"prepare\s+([\d.]+) us  product\s+([\d.]+) us"
)


def least(batches, count, call):
    """The least time of a call [us]."""
    best = float("inf")
    for _ in range(batches):
        start = time.perf_counter()
        for _ in range(count):
            call()
        best = min(best, (time.perf_counter() - start) / count)
    return 1e6 * best


def of_mujoco(path):
    """(step, transitionFD) [us]; None: not installed."""
    try:
        import mujoco
        import numpy as np
    except ImportError:
        return None
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    for _ in range(SETTLE):
        mujoco.mj_step(model, data)
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_INTEGRATION)
    state = np.zeros(size)
    mujoco.mj_getState(model, data, state, mujoco.mjtState.mjSTATE_INTEGRATION)
    n = 2 * model.nv + model.na
    a, b = np.zeros((n, n)), np.zeros((n, model.nu))

    def step():
        mujoco.mj_setState(model, data, state, mujoco.mjtState.mjSTATE_INTEGRATION)
        mujoco.mj_step(model, data)

    def jacobian():
        mujoco.mj_setState(model, data, state, mujoco.mjtState.mjSTATE_INTEGRATION)
        mujoco.mjd_transitionFD(model, data, 1e-6, 1, a, b, None, None)

    return least(BATCHES, 40, step), least(BATCHES, 4, jacobian)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bench", default=str(ROOT / "build/release/bench_gradient"))
    parser.add_argument("model", nargs="*")
    words = parser.parse_args()
    shared = Path(os.environ.get("LIMPET_SHARED", ROOT.parent / "shared"))
    paths = words.model or [shared / name for name in MODELS]
    told = subprocess.run(
        [words.bench, *map(str, paths)], check=True, capture_output=True, text=True
    ).stdout
    print("model | nv | contacts | step us | with Jacobians us (steps) | before a product us | "
          "product us | MuJoCo step us | mjd_transitionFD us (steps)")
    for path, line in zip(paths, told.splitlines()):
        match = LINE.match(line)
        if not match:
            sys.exit(f"gradient_mujoco.py: bench_gradient said '{line}'")
        step, jacobian, prepare, product = map(float, match.groups()[3:])
        theirs = of_mujoco(path)
        other = f"{theirs[0]:.1f} | {theirs[1]:.0f} ({theirs[1] / theirs[0]:.0f})" if theirs else \
            "skipped: not installed |"
        print(f"{Path(path).parent.name} | {match[2]} | {match[3]} | {step:.1f} | "
              f"{jacobian:.1f} ({jacobian / step:.1f}) | {prepare:.1f} | {product:.1f} | {other}")


if __name__ == "__main__":
    main()

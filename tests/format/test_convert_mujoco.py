#!/usr/bin/env python3
"""What `limpet convert` writes, MuJoCo loads, with the same poses, masses and mass matrix.

Skipped (77) without MuJoCo in this Python, or in the one that LIMPET_MUJOCO_PYTHON names.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import mujoco
    import numpy as np
except ImportError:
    other = os.environ.get("LIMPET_MUJOCO_PYTHON")
    if other and os.environ.get("LIMPET_MUJOCO_TRIED") is None:
        os.environ["LIMPET_MUJOCO_TRIED"] = "1"
        os.execv(other, [other, *sys.argv])
    print("skipped: no MuJoCo in this Python")
    sys.exit(77)

COMMAND = os.environ.get("LIMPET_COMMAND", "build/release/limpet")
SOURCE = Path(os.environ.get("LIMPET_SOURCE_DIR", "."))
MODELS = Path(os.environ.get("LIMPET_SHARED", SOURCE / "../shared")) / "models"
FILES = [
    "drake/**/*.urdf",
    "drake/**/*.sdf",
    "dexurdf/**/*.urdf",
    "menagerie/*/scene*.xml",
    "mjcf/model/humanoid/humanoid.xml",
    "mjcf/model/car/car.xml",
    "mjcf/model/slider_crank/slider_crank.xml",
    "mjcf/corpus/engine/testdata/actuation/*.xml",
    "mjcf/corpus/engine/testdata/passive/*.xml",
    "mjcf/corpus/testdata/delay.xml",
]
TOLERANCE = 1e-9  # relative to the largest entry, or to 1


def compute(model, states, folder):
    """What Limpet computes for the states, by `limpet compute`."""
    path, out = folder / "states.json", folder / "out.json"
    path.write_text(json.dumps({"states": states}))
    command = [COMMAND, "compute", model, "--states", path, "--out", out]
    subprocess.run(command, check=True, capture_output=True)
    return json.loads(out.read_text())["states"]


def differ(ours, theirs):
    """Largest difference, relative to the largest entry or to 1."""
    ours, theirs = np.asarray(ours, float).ravel(), np.asarray(theirs, float).ravel()
    if ours.size == 0:
        return 0.0
    return np.abs(ours - theirs).max() / max(1.0, np.abs(theirs).max())


def compare(path, folder):
    """The worst difference of a file; None: Limpet does not load it; a text: MuJoCo does not."""
    xml = folder / "model.xml"
    line = [COMMAND, "convert", path, xml, "--rigid-only"]
    done = subprocess.run(line, capture_output=True, text=True)
    if done.returncode:
        return None
    try:
        model = mujoco.MjModel.from_xml_path(str(xml))
    except ValueError as error:
        return str(error).replace("\n", " ")
    data = mujoco.MjData(model)
    rng = np.random.default_rng(1)
    q = model.qpos0.copy()
    mujoco.mj_integratePos(model, q, rng.normal(size=model.nv), 0.3)
    result = compute(path, [{}, {"q": q.tolist()}], folder)
    worst = 0.0
    for state, pose in zip(result, (model.qpos0, q), strict=True):
        data.qpos[:] = pose
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        for i, unit in enumerate(np.eye(model.nv)):
            mujoco.mj_mulM(model, data, M[i], unit)
        worst = max(worst, differ(state["mass_matrix"], M))
        worst = max(worst, differ(state["position"], data.xpos))
    return worst


def main():
    if not MODELS.exists():
        print("skipped: no shared data")
        return 77
    compared, failed, refused = 0, 0, []
    for pattern in FILES:
        for path in sorted(MODELS.glob(pattern)):
            with tempfile.TemporaryDirectory() as folder:
                worst = compare(path, Path(folder))
            name = path.relative_to(MODELS)
            if worst is None:
                print(f"left out: {name}: Limpet does not load it")
            elif isinstance(worst, str):
                refused.append(name)
                print(f"REFUSED by MuJoCo: {name}: {worst[:160]}")
            else:
                compared += 1
                failed += worst > TOLERANCE
                if worst > TOLERANCE:
                    print(f"DIFFERS: {name}: {worst:.2g}")
    print(f"convert: {compared} files compared, {failed} differ, {len(refused)} refused by MuJoCo")
    return 1 if failed or refused else 0


if __name__ == "__main__":
    sys.exit(main())

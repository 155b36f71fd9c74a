"""Sensors against MuJoCo's sensordata, at random states: the model of every kind beside this file,
and robots of the shared data.

Both compute at a given state. Positions and velocities do not depend on constraints; accelerations
and forces are compared with MuJoCo's constraints switched off, because `limpet compute` has none
either. Needs MuJoCo, in this Python or in the one that LIMPET_PYTHON names: without it the test is
skipped.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from with_mujoco import mujoco  # noqa: E402

import numpy as np  # noqa: E402

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
COMMAND = os.environ.get("LIMPET_COMMAND", str(ROOT / "build/limpet"))
SHARED = Path(os.environ.get("LIMPET_SHARED", ROOT.parent / "shared"))
STATES = 20
ROBOTS = ["menagerie/agility_cassie/cassie.xml", "menagerie/unitree_g1/g1.xml"]
SENSOR = mujoco.mjtSensor
# round-off of poses, velocities, energies, relative to the size of the array; accelerations:
# condition of the mass matrix;
# distances of curved shapes: MuJoCo's own tolerance (ccd_tolerance 1e-6, a point on a sphere moves
# by its square root)
TOLERANCE = {
    mujoco.mjtStage.mjSTAGE_POS: 1e-10,
    mujoco.mjtStage.mjSTAGE_VEL: 1e-10,
    mujoco.mjtStage.mjSTAGE_ACC: 1e-6,
}
LOOSER = {
    SENSOR.mjSENS_GEOMDIST: 2e-6,
    SENSOR.mjSENS_GEOMNORMAL: 5e-3,
    SENSOR.mjSENS_GEOMFROMTO: 5e-3,
    SENSOR.mjSENS_RANGEFINDER: 1e-6,
}


def random_state(model, data, generator):
    """A state with joints in and beyond their limits, written to `data`; what `limpet compute`
    takes."""
    mujoco.mj_resetData(model, data)
    for joint in range(model.njnt):
        q, v = model.jnt_qposadr[joint], model.jnt_dofadr[joint]
        kind = model.jnt_type[joint]
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            data.qpos[q : q + 3] += [generator.uniform(-0.5, 0.5) for _ in range(3)]
        if kind in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
            start = q + 3 if kind == mujoco.mjtJoint.mjJNT_FREE else q
            turn = np.array([generator.gauss(0, 1) for _ in range(4)])
            data.qpos[start : start + 4] = turn / np.linalg.norm(turn)
        else:
            data.qpos[q] += generator.uniform(-0.6, 0.6)
    data.qvel[:] = [generator.gauss(0, 1) for _ in range(model.nv)]
    data.ctrl[:] = [generator.uniform(-1, 1) for _ in range(model.nu)]
    return {"q": list(data.qpos), "v": list(data.qvel), "control": list(data.ctrl)}


def mujoco_sensors(model, data):
    """sensordata of the state, with accelerations and forces of a world without constraints."""
    mujoco.mj_forward(model, data)
    values = data.sensordata.copy()
    flags = model.opt.disableflags
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    mujoco.mj_forward(model, data)
    model.opt.disableflags = flags
    for i in range(model.nsensor):
        if model.sensor_needstage[i] == mujoco.mjtStage.mjSTAGE_ACC:
            at = slice(model.sensor_adr[i], model.sensor_adr[i] + model.sensor_dim[i])
            values[at] = data.sensordata[at]
    return values


def limpet_sensors(path, states):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"states": states}, file)
        file.flush()
        result = subprocess.run(
            [COMMAND, "compute", str(path), "--states", file.name],
            check=True,
            capture_output=True,
            text=True,
        )
    return [np.array(state["sensor"]) for state in json.loads(result.stdout)["states"]]


def compare(path):
    """Number of sensors whose values differ; prints them."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    generator = random.Random(5)
    states, expected = [], []
    for _ in range(STATES):
        states.append(random_state(model, data, generator))
        expected.append(mujoco_sensors(model, data))
    ours = limpet_sensors(path, states)
    failures, worst = 0, {}
    for i in range(model.nsensor):
        kind, at = (
            SENSOR(model.sensor_type[i]),
            slice(model.sensor_adr[i], model.sensor_adr[i] + model.sensor_dim[i]),
        )
        tolerance = LOOSER.get(kind, TOLERANCE[mujoco.mjtStage(model.sensor_needstage[i])])
        error = max(
            np.abs(a[at] - b[at]).max() / max(1.0, np.abs(b[at]).max())
            for a, b in zip(ours, expected)
        )
        worst[kind.name] = max(worst.get(kind.name, 0.0), error)
        if not error <= tolerance:
            k = max(range(STATES), key=lambda k: np.abs(ours[k][at] - expected[k][at]).max())
            print(
                f"{path.name}: sensor {i} {kind.name} {model.sensor(i).name}: {ours[k][at]}, "
                f"MuJoCo {expected[k][at]}"
            )
            failures += 1
    print(f"{path.name}: {model.nsensor} sensors, {STATES} states, {failures} differ")
    if "-v" in sys.argv:
        print("\n".join(f"  {name[7:].lower()} {error:.1e}" for name, error in worst.items()))
    return failures


def main():
    paths = [HERE / "every_kind.xml"] + [
        path for path in (SHARED / "models" / name for name in ROBOTS) if path.exists()
    ]
    sys.exit(1 if sum(compare(path) for path in paths) else 0)


if __name__ == "__main__":
    main()

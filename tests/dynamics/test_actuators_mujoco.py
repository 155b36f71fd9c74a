"""Actuators, springs and dampers against MuJoCo at random states: lengths, velocities, forces,
rates of activations, energy, sensors and accelerations of the models beside this file and of
MuJoCo's examples in the shared data; and lengths of muscles, which MuJoCo finds by simulation.

Needs MuJoCo, in this Python or in the one that LIMPET_PYTHON names: without it the test is skipped.
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
SHARED = Path(os.environ.get("LIMPET_SHARED", ROOT.parent / "shared")) / "models/mjcf"
STATES = 30
MODELS = [
    "corpus/engine/testdata/actuation/activation.xml",
    "corpus/engine/testdata/actuation/damper.xml",
    "corpus/engine/testdata/actuation/sites.xml",
    "corpus/engine/testdata/actuation/orientation.xml",
    "corpus/engine/testdata/passive/poly_stiffness.xml",
    "model/slider_crank/slider_crank.xml",
]
# MuJoCo's name of an array, that of `limpet compute`, and the tolerance, relative to its size:
# round-off; for accelerations times the condition of the mass matrix; forces of a muscle whose
# length range MuJoCo has simulated follow that range, by what it differs
ARRAYS = [
    ("actuator_length", "actuator_length", 1e-12, 1e-12),
    ("actuator_velocity", "actuator_velocity", 1e-12, 1e-12),
    ("act_dot", "activation_rate", 1e-12, 1e-12),
    ("actuator_force", "actuator_scalar_force", 1e-10, 1e-2),
    ("qfrc_actuator", "actuator_force", 1e-10, 1e-2),
    ("qfrc_spring", "spring_force", 1e-10, 1e-10),
    ("qfrc_damper", "damper_force", 1e-10, 1e-10),
    ("sensordata", "sensor", 1e-10, 1e-2),
    ("qacc_smooth", "acceleration", 1e-8, 1e-2),
]
OUTPUTS = ("actuator_length", "actuator_velocity", "actuator_force")  # one for each output
RANGE_TOLERANCE = 1e-2  # of MuJoCo's simulation (tolrange is 5 %)


def random_state(model, data, generator):
    mujoco.mj_resetData(model, data)
    for joint in range(model.njnt):
        q, kind = model.jnt_qposadr[joint], model.jnt_type[joint]
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            data.qpos[q : q + 3] += [generator.uniform(-0.5, 0.5) for _ in range(3)]
            q += 3
        if kind in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
            turn = np.array([generator.gauss(0, 1) for _ in range(4)])
            data.qpos[q : q + 4] = turn / np.linalg.norm(turn)
        else:
            low, high = model.jnt_range[joint] if model.jnt_limited[joint] else (-1, 1)
            data.qpos[q] = generator.uniform(low, high)
    data.qvel[:] = [generator.gauss(0, 1) for _ in range(model.nv)]
    data.ctrl[:] = [generator.uniform(-0.3, 1.3) for _ in range(model.nu)]
    data.act[:] = [generator.uniform(0.0, 1.0) for _ in range(model.na)]
    return {
        "q": list(data.qpos),
        "v": list(data.qvel),
        "control": list(data.ctrl) + [0.0] * sum(model.actuator_ctrlnum == 0),
        "activation": list(data.act[activations(model)]),
    }


def limpet(*arguments):
    return subprocess.run(
        [COMMAND, *map(str, arguments)], check=True, capture_output=True, text=True
    ).stdout


def compare_ranges(path, model):
    """Lengths of muscles; returns whether any was found by simulation, and the failures."""
    actuators = json.loads(limpet("info", path, "--json"))["actuators"]
    found, failures = False, 0
    text = path.read_text(encoding="utf-8")
    for i, ours in enumerate(actuators):
        muscle = mujoco.mjtGain.mjGAIN_MUSCLE
        kinds = (model.actuator_gaintype, model.actuator_biastype)
        if i >= model.nactuator or all(kind[i] != muscle for kind in kinds):
            continue
        theirs, own = model.actuator_lengthrange[i], np.array(ours["length_range"])
        found = found or "lengthrange" not in text or not np.array_equal(theirs, own)
        if np.abs(theirs - own).max() > RANGE_TOLERANCE * (theirs[1] - theirs[0]):
            print(f"{path.name}: lengths of {ours['name']}: {own}, MuJoCo {theirs}")
            failures += 1
    return found, failures


def outputs(model):
    """Of each output of MuJoCo's actuators, the actuator here: a quaternion has a control more; of
    several inputs of a motor the first gives the force; motors without inputs come last."""
    found, last = [], model.nu
    for i in range(model.nactuator):
        first, outs = model.actuator_ctrladr[i], model.actuator_outnum[i]
        if model.actuator_ctrlnum[i] == 0:
            first, last = last, last + 1
        if outs == 3:
            first += model.actuator_ctrlnum[i] - outs
        found += [first + k for k in range(outs)]
    return found


def activations(model):
    """Of each activation here, MuJoCo's: those of motors without inputs come last."""
    with_input = [model.actuator_ctrlnum[i] > 0 for i in range(model.nactuator)]
    return [
        model.actuator_actadr[i] + k
        for has in (True, False)
        for i in range(model.nactuator)
        if with_input[i] == has
        for k in range(model.actuator_actnum[i])
    ]


def compare(path):
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    simulated, failures = compare_ranges(path, model)
    generator = random.Random(8)
    states, expected = [], []
    for _ in range(STATES):
        states.append(random_state(model, data, generator))
        mujoco.mj_forward(model, data)
        expected.append({name: getattr(data, name).copy() for name, *_ in ARRAYS})
        expected[-1]["energy"] = data.energy.copy()
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"states": states}, file)
        file.flush()
        ours = json.loads(limpet("compute", path, "--states", file.name))["states"]
    for theirs, own, exact, loose in ARRAYS:
        a = np.array([state[own] for state in ours])
        b = np.array([state[theirs] for state in expected])
        if b.size == 0:
            continue
        if theirs in OUTPUTS:
            a = a[:, outputs(model)]
        if theirs == "act_dot":
            b = b[:, activations(model)]
        error = np.abs(a - b).max() / max(1.0, np.abs(b).max())
        if "-v" in sys.argv:
            print(f"  {theirs} {error:.1e}")
        if not error <= (loose if simulated else exact):
            print(f"{path.name}: {theirs} differs by {error:.1e}")
            failures += 1
    a = np.array([[state["potential_energy"], state["kinetic_energy"]] for state in ours])
    b = np.array([state["energy"] for state in expected])
    if not np.abs(a - b).max() <= 1e-10 * max(1.0, np.abs(b).max()):
        print(f"{path.name}: energy differs by {np.abs(a - b).max():.1e}")
        failures += 1
    print(f"{path.name}: {model.nu} controls, {STATES} states, {failures} differ")
    return failures


def main():
    own = ("every_actuator", "growing_springs", "motors", "orientation_servos")
    paths = [HERE / f"{name}.xml" for name in own]
    paths += [path for path in map(SHARED.joinpath, MODELS) if path.exists()]
    sys.exit(1 if sum(compare(path) for path in paths) else 0)


if __name__ == "__main__":
    main()

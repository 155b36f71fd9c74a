#!/usr/bin/env python3
"""What `limpet convert IN OUT.urdf` writes, read by Pinocchio and by Drake: poses of links, masses
and mass matrices at random coordinates, against Limpet's of the same file.

Needs NumPy and one of the two in this Python, or in the one that LIMPET_PEERS_PYTHON names; what is
not installed is skipped, with a line that says so.
"""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PEERS = ("pinocchio", "pydrake")
if not any(importlib.util.find_spec(peer) for peer in PEERS):
    other = os.environ.pop("LIMPET_PEERS_PYTHON", None)  # tried once
    if other:
        os.execv(other, [other, *sys.argv])
    print("skipped: not installed: pinocchio, pydrake")
    sys.exit(77)

import numpy as np  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from urdf_files import MODELS, paths  # noqa: E402

SOURCE = Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("LIMPET_COMMAND", str(SOURCE / "build/release/limpet"))
TOLERANCE = 1e-9  # relative to the largest entry, or to 1
STATES = 3


def command(*arguments):
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True)


def rotation(quaternion):
    """Matrix of (w, x, y, z)."""
    w, *u = quaternion / np.linalg.norm(quaternion)
    x, y, z = u
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


def relative(origin, pose):
    """A pose (position, quaternion w x y z) as seen from another."""
    w, u = origin[3], -origin[4:]
    turn = np.concatenate(
        ([w * pose[3] - u @ pose[4:]], w * pose[4:] + pose[3] * u + np.cross(u, pose[4:]))
    )
    return np.concatenate((rotation(origin[3:]).T @ (pose[:3] - origin[:3]), turn))


def random_coordinates(info, rng):
    q = np.concatenate([np.array(j["q_reference"], float) for j in info["joints"]] or [[]])
    for joint in info["joints"]:
        at, count = joint["q_offset"], joint["q_count"]
        if count == 1:
            low, high = joint["range"] or (-3.0, 3.0)
            q[at] = rng.uniform(max(low or -3.0, -3.0), min(high or 3.0, 3.0))
        else:
            q[at : at + count] = rng.normal(size=count)
            q[at + count - 4 : at + count] /= np.linalg.norm(q[at + count - 4 : at + count])
    return q


def to_peer(info, q, scalar, free):
    """Velocities of a peer from ours: `scalar(joint)` and `free(joint, R)` give rows."""
    T = np.zeros((sum(joint["v_count"] for joint in info["joints"]),) * 2)
    for joint in info["joints"]:
        at = joint["v_offset"]
        if joint["v_count"] == 1:
            T[scalar(joint), at] = 1.0
        else:
            R = rotation(q[joint["q_offset"] + 3 : joint["q_offset"] + 7])
            rows, block = free(joint, R)
            T[np.ix_(rows, range(at, at + 6))] = block
    return T


def still_mass(info):
    """Of links that no joint moves, which Pinocchio does not count."""
    moves, mass = [False], 0.0
    jointed = {joint["body_name"] for joint in info["joints"]}
    for body in info["bodies"][1:]:
        moves.append(moves[body["parent"]] or body["name"] in jointed)
        mass += 0.0 if moves[-1] else body["mass"]
    return mass


def pinocchio_values(urdf, info, states):
    import pinocchio

    # a root that is not "world" floats here; Pinocchio is told so
    names = set(re.findall(r'<(?:drake:)?joint name="([^"]*)"', urdf.read_text()))
    root = {j["name"]: "root_joint" for j in info["joints"] if j["name"] not in names}
    flyer = [pinocchio.JointModelFreeFlyer()] if root else []
    model = pinocchio.buildModelFromUrdf(str(urdf), *flyer)
    data = model.createData()

    def joint_of(joint):
        return model.joints[model.getJointId(root.get(joint["name"], joint["name"]))]

    if model.nv != sum(j["v_count"] for j in info["joints"]):
        return f"{model.nv} velocities"
    armature = np.zeros(model.nv)
    for joint in info["joints"]:
        j = joint_of(joint)
        if joint["v_count"] == 1:
            armature[j.idx_v] = joint["armature"][0]
    values = []
    for q in states:
        x = pinocchio.neutral(model)
        for joint in info["joints"]:
            j, at = joint_of(joint), joint["q_offset"]
            if joint["q_count"] == 1 and j.nq == 1:
                x[j.idx_q] = q[at]
            elif joint["q_count"] == 1:
                x[j.idx_q : j.idx_q + 2] = np.cos(q[at]), np.sin(q[at])
            else:
                # from the origin of the joint; a root that floats has none
                pose = q[at : at + 7]
                if joint["name"] not in root:
                    pose = relative(np.array(joint["q_reference"]), pose)
                x[j.idx_q : j.idx_q + 7] = np.concatenate((pose[:3], pose[4:], pose[3:4]))

        def free(joint, R):
            j = joint_of(joint)
            return range(j.idx_v, j.idx_v + 6), np.block(
                [[R.T, np.zeros((3, 3))], [np.zeros((3, 3)), np.eye(3)]]
            )

        T = to_peer(info, q, lambda j: joint_of(j).idx_v, free)
        M = np.triu(pinocchio.crba(model, data, x))
        M = M + M.T - np.diag(M.diagonal()) + np.diag(armature)
        pinocchio.framesForwardKinematics(model, data, x)
        poses = {}
        for body in info["bodies"][1:]:
            frame = model.getFrameId(body["name"], pinocchio.FrameType.BODY)
            if frame < len(data.oMf):
                pose = data.oMf[frame].copy()  # what it holds changes with the next state
                poses[body["name"]] = (pose.translation, pose.rotation)
        mass = pinocchio.computeTotalMass(model) + still_mass(info)
        values.append((T.T @ M @ T, poses, mass))
    return values


def drake_values(urdf, info, states):
    import logging

    logging.getLogger("drake").setLevel(logging.ERROR)
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    plant = MultibodyPlant(0.0)
    Parser(plant).AddModels(str(urdf))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    if plant.num_velocities() != sum(j["v_count"] for j in info["joints"]):
        return f"{plant.num_velocities()} velocities"
    mass = plant.CalcTotalMass(context)
    values = []
    for q in states:
        x = np.zeros(plant.num_positions())
        for joint in info["joints"]:
            at = joint["q_offset"]
            if joint["q_count"] == 1:
                x[plant.GetJointByName(joint["name"]).position_start()] = q[at]
            else:
                body = plant.GetBodyByName(joint["body_name"])
                if not body.is_floating_base_body():
                    return f"{joint['body_name']} does not float"
                first = body.floating_positions_start()
                x[first : first + 7] = np.concatenate((q[at + 3 : at + 7], q[at : at + 3]))
        plant.SetPositions(context, x)

        def free(joint, R):
            body = plant.GetBodyByName(joint["body_name"])
            first = body.floating_velocities_start_in_v()
            zero = np.zeros((3, 3))
            return range(first, first + 6), np.block([[zero, R], [np.eye(3), zero]])

        T = to_peer(info, q, lambda j: plant.GetJointByName(j["name"]).velocity_start(), free)
        M = plant.CalcMassMatrix(context)
        for joint in info["joints"]:  # Drake has rotors of its actuators only
            j = plant.GetJointByName(joint["name"]) if joint["v_count"] == 1 else None
            if j and not any(
                plant.get_joint_actuator(a).joint().index() == j.index()
                for a in plant.GetJointActuatorIndices()
            ):
                M[j.velocity_start(), j.velocity_start()] += joint["armature"][0]
        poses = {}
        for body in info["bodies"][1:]:
            X = plant.EvalBodyPoseInWorld(context, plant.GetBodyByName(body["name"]))
            poses[body["name"]] = (X.translation(), X.rotation().matrix())
        values.append((T.T @ M @ T, poses, mass))
    return values


def worst_difference(info, ours, theirs):
    worst = 0.0
    for a, (M, poses, mass) in zip(ours, theirs, strict=True):
        own = np.array(a["mass_matrix"]).reshape(M.shape)
        if M.size:
            worst = max(worst, np.abs(own - M).max() / max(1.0, np.abs(own).max()))
        for i, body in enumerate(info["bodies"]):
            if body["name"] not in poses:
                continue
            p, R = poses[body["name"]]
            size = max(1.0, np.abs(p).max())
            worst = max(worst, np.abs(p - a["position"][i]).max() / size)
            worst = max(worst, np.abs(R - rotation(np.array(a["quaternion"][i]))).max())
        moving = sum(body["mass"] for body in info["bodies"])
        worst = max(worst, abs(mass - moving) / max(1.0, moving)) if mass is not None else worst
    return worst


def compare(path, folder):
    """Lines of what was found, (compared, failed)."""
    urdf = folder / "model.urdf"
    if command("info", path, "--json").returncode:
        return []
    if command("convert", path, urdf, "--rigid-only").returncode:
        return []
    info = json.loads(command("info", urdf, "--json").stdout)
    if any(joint["q_count"] == 4 for joint in info["joints"]):
        return [("ball joints, which URDF has not", None, "")]
    rng = np.random.default_rng(11)
    states = [random_coordinates(info, rng) for _ in range(STATES)]
    given = folder / "states.json"
    given.write_text(json.dumps({"states": [{"q": q.tolist()} for q in states]}))
    done = command("compute", urdf, "--states", given)
    ours = json.loads(done.stdout)["states"]
    found = []
    for peer, values in (("pinocchio", pinocchio_values), ("pydrake", drake_values)):
        if not importlib.util.find_spec(peer):
            continue
        try:
            theirs = values(urdf, info, states)
        except Exception as error:  # what a peer refuses is said, with its words
            theirs = f"{type(error).__name__}: {error}"
        if isinstance(theirs, str):
            found.append((peer, np.inf, theirs.strip().splitlines()[-1][:200]))
        else:
            found.append((peer, worst_difference(info, ours, theirs), ""))
    return found


def main():
    if not MODELS.exists():
        print("skipped: no shared data")
        return 77
    count, failed = {}, 0
    for path in paths():
        with tempfile.TemporaryDirectory() as folder:
            for peer, worst, said in compare(path, Path(folder)):
                if worst is None:
                    count[peer] = (count.get(peer, (0, 0))[0] + 1, 0)
                    continue
                good = worst <= TOLERANCE
                same, differ = count.get(peer, (0, 0))
                count[peer] = (same + good, differ + (not good))
                if not good:
                    failed += 1
                    print(f"{peer}: {path.relative_to(MODELS)}: {worst:.1e} {said}")
    skipped = "ball joints, which URDF has not"
    print(f"{count.pop(skipped, (0, 0))[0]} files with {skipped}, were left out")
    for peer in PEERS:
        if peer in count:
            print(f"{peer}: {count[peer][0]} files the same, {count[peer][1]} differ")
        else:
            print(f"skipped: not installed: {peer}")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())

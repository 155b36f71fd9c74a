#!/usr/bin/env python3
"""What `limpet convert IN OUT.urdf` writes loads again, with the same poses, masses and mass
matrix at the same coordinates; MuJoCo is asked, too, where it is installed. Links that stand
between joints of a body weigh 1e-12 kg, below the tolerance.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
except ImportError:
    np = None
    other = os.environ.get("LIMPET_MUJOCO_PYTHON")
    if other and os.environ.get("LIMPET_MUJOCO_TRIED") is None:
        os.environ["LIMPET_MUJOCO_TRIED"] = "1"
        os.execv(other, [other, *sys.argv])

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from urdf_files import MODELS, paths  # noqa: E402

COMMAND = os.environ.get("LIMPET_COMMAND", "build/release/limpet")
TOLERANCE = 1e-9  # relative to the largest entry, or to 1
STATES = 3


def command(*arguments, **options):
    """Runs limpet."""
    return subprocess.run(
        [COMMAND, *arguments], capture_output=True, text=True, check=False, **options
    )


def info(path):
    done = command("info", path, "--json")
    return json.loads(done.stdout) if done.returncode == 0 else None


def compute(path, states, folder):
    """What Limpet computes for the states."""
    given, out = folder / "states.json", folder / "out.json"
    given.write_text(json.dumps({"states": states}))
    done = command("compute", path, "--states", given, "--out", out)
    return json.loads(out.read_text())["states"] if done.returncode == 0 else done.stderr


def random_states(model):
    """Coordinates within the limits, quaternions of all directions."""
    rng = np.random.default_rng(3)
    states = [{"q": np.concatenate([j["q_reference"] for j in model["joints"]] or [[]]).tolist()}]
    for _ in range(STATES):
        q = []
        for joint in model["joints"]:
            if joint["q_count"] == 1:
                low, high = joint["range"] or (-3.0, 3.0)
                q.append(rng.uniform(max(low or -3.0, -3.0), min(high or 3.0, 3.0)))
            else:
                turn = rng.normal(size=4)
                q += [*rng.normal(size=joint["q_count"] - 4), *(turn / np.linalg.norm(turn))]
        states.append({"q": q})
    return states


def worst_difference(ours, theirs, names, other_names):
    """The largest relative difference of M and of the poses of bodies with these names."""
    worst = 0.0
    for a, b in zip(ours, theirs, strict=True):
        M, N = np.asarray(a["mass_matrix"]), np.asarray(b["mass_matrix"])
        if M.shape != N.shape:
            return np.inf
        if M.size:
            worst = max(worst, np.abs(M - N).max() / max(1.0, np.abs(M).max()))
        for key in ("position", "quaternion"):
            here, there = np.asarray(a[key]), np.asarray(b[key])
            for i, name in enumerate(names):
                p, r = here[i], there[other_names.index(name)]
                r = -r if key == "quaternion" and p @ r < 0 else r
                worst = max(worst, np.abs(p - r).max() / max(1.0, np.abs(p).max()))
    return worst


def body_names(model):
    """Names of the bodies, as the writer gives them."""
    return [
        "world" if i == 0 else body["name"] or f"body_{i}" for i, body in enumerate(model["bodies"])
    ]


def compare(path, folder):
    """(worst difference, what was told); None: there is nothing to compare."""
    before = info(path)
    if before is None:
        return None
    urdf = folder / "model.urdf"
    done = command("convert", path, urdf, "--rigid-only")
    if done.returncode:
        return np.inf, done.stderr
    after = info(urdf)
    if after is None:
        return np.inf, command("check", urdf).stderr
    states = random_states(before)
    ours, theirs = compute(path, states, folder), compute(urdf, states, folder)
    if isinstance(ours, str) or isinstance(theirs, str):
        return np.inf, f"{ours} {theirs}"[:300]
    names = body_names(before)
    worst = worst_difference(ours, theirs, names, body_names(after))
    masses = {name: body["mass"] for name, body in zip(body_names(after), after["bodies"])}
    for name, body in zip(names[1:], before["bodies"][1:], strict=True):
        worst = max(worst, abs(masses[name] - body["mass"]) / max(1.0, body["mass"]))
    return worst, done.stderr


def ask_mujoco(path, folder):
    """The worst difference of M between a URDF and what MuJoCo makes of it; a text: why none."""
    try:
        import mujoco
    except ImportError:
        return "skipped: MuJoCo is not installed"
    urdf = folder / "model.urdf"
    if command("convert", path, urdf, "--rigid-only").returncode:
        return "not converted"
    compiler = '<mujoco><compiler discardvisual="true" fusestatic="false" strippath="false"/>'
    urdf.write_text(urdf.read_text().replace(">\n", f">{compiler}</mujoco>\n", 1))
    try:
        model = mujoco.MjModel.from_xml_path(str(urdf))
    except ValueError as error:
        return str(error).splitlines()[0]
    # rotors are a tag of Drake's
    model.dof_armature[:] = np.concatenate([j["armature"] for j in info(path)["joints"]])
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    ours = compute(path, [{"q": data.qpos.tolist()}], folder)
    if isinstance(ours, str):
        return ours[:200]
    M = np.zeros((model.nv, model.nv))
    for i, unit in enumerate(np.eye(model.nv)):
        mujoco.mj_mulM(model, data, M[i], unit)
    N = np.asarray(ours[0]["mass_matrix"])
    return np.abs(M - N).max() / max(1.0, np.abs(N).max())


def main():
    if np is None or not MODELS.exists():
        print("skipped: no numpy" if np is None else "skipped: no shared data")
        return 77
    compared, failed, told = 0, 0, 0
    for path in paths():
        name = path.relative_to(MODELS)
        with tempfile.TemporaryDirectory() as folder:
            result = compare(path, Path(folder))
        if result is None:
            continue
        worst, said = result
        compared += 1
        told += bool(said)
        if not worst <= TOLERANCE:
            failed += 1
            print(f"DIFFERS: {name}: {worst:.2g}: {said[:300]}")
    print(f"convert to URDF: {compared} files compared, {failed} differ, {told} with losses told")
    with tempfile.TemporaryDirectory() as folder:
        for robot in ("franka_emika_panda/panda.xml", "kuka_iiwa_14/iiwa14.xml"):
            answer = ask_mujoco(MODELS / "menagerie" / robot, Path(folder))
            print(f"MuJoCo, M of {robot}: {answer}")
            failed += not (isinstance(answer, str) and "skipped" in answer or answer <= TOLERANCE)
    return 1 if failed or not compared else 0


if __name__ == "__main__":
    sys.exit(main())

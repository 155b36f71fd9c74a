"""MuJoCo's side of flex.py: runs one file and prints one line of JSON: how far it came, what went
wrong, time a step, where the vertices of its flexes and the origins of its bodies ended, energy.

usage: _flex_mujoco.py FILE TIME [s] LIMIT [s of a processor]

MuJoCo 4.0.1 refuses what newer and older files say: the attribute `internal`, edges `vert`, and
elasticity under the integrators implicit and implicitfast. Such a file is read anew without the
attribute, with plain edges, and with the integrator `discrete`; the answer says so ("adapted").
"""

import json
import re
import sys
import tempfile
import time
from pathlib import Path

import mujoco
import numpy


def bounds(points):
    """The lowest and the highest corner."""
    return [points.min(axis=0).tolist(), points.max(axis=0).tolist()]


def adapted(text, discrete):
    """The text of a file as MuJoCo 4.0.1 takes it, with its integrator or `discrete`."""
    text = re.sub(r'\s+internal="[^"]*"', "", text).replace('equality="vert"', 'equality="true"')
    if not discrete:
        return text
    text = re.sub(r'\s+integrator="[^"]*"', "", text)
    return re.sub(r"(<mujoco[^>]*>)", r'\1<option integrator="discrete"/>', text, count=1)


def load(path):
    """The model, and whether the file had to be adapted."""
    try:
        return mujoco.MjModel.from_xml_path(path), False
    except ValueError as error:
        if not re.search("internal|vert|integrator", str(error)):
            raise
    # a copy of the folder, of links but for the file; what lies beside the folder is linked, too
    path = Path(path)
    with tempfile.TemporaryDirectory() as top:
        copy = Path(top) / path.parent.name
        copy.mkdir()
        for beside in path.parent.parent.iterdir():
            if beside.name != path.parent.name:
                (Path(top) / beside.name).symlink_to(beside)
        for other in path.parent.iterdir():
            if other.name != path.name:
                (copy / other.name).symlink_to(other)
        file = copy / path.name
        for discrete in (False, True):
            file.write_text(adapted(path.read_text(), discrete))
            try:
                return mujoco.MjModel.from_xml_path(str(file)), True
            except ValueError as error:
                if discrete or "integrator" not in str(error):
                    raise


def run(path, end, limit):
    """What the file came to after `end` seconds, or after `limit` seconds of a processor."""
    model, changed = load(path)
    model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    energy = float(data.energy.sum())
    processor, steps = time.process_time(), 0
    while steps * model.opt.timestep < end - 1e-9 and time.process_time() - processor < limit:
        mujoco.mj_step(model, data)
        steps += 1
    processor = time.process_time() - processor
    mujoco.mj_forward(model, data)
    place = data.flexvert_xpos.reshape(-1, 3)
    flexes = {
        mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_FLEX, i): bounds(place[adr : adr + number])
        for i, (adr, number) in enumerate(
            zip(model.flex_vertadr, model.flex_vertnum, strict=True)
        )
    }
    return {
        "adapted": changed,
        "time": steps * float(model.opt.timestep),
        "steps": steps,
        "milliseconds": 1e3 * processor / max(steps, 1),
        "warnings": int(data.warning.number.sum()),
        "energy": [energy, float(data.energy.sum())],
        "finite": bool(numpy.isfinite(data.qpos).all()),
        "bounds": flexes,
    }


def main(path, end, limit):
    try:
        answer = run(path, float(end), float(limit))
    except ValueError as error:
        answer = {"error": str(error).splitlines()[0]}
    print(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])

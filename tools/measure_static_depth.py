#!/usr/bin/env python3
"""Measures with MuJoCo how the scenes of tests/contact/static_depth rest: the numbers in
test_static_depth.c.

Needs MuJoCo's Python package (`pip install mujoco-core==4.0.1`); without it says so and ends with
status 77. Each scene runs for 40 s. Prints for each pair of geoms the depth below margin - gap,
mean over the pair's contacts; for a scene without contacts the position and velocity of each joint;
and the largest acceleration that was left.
"""

import math
import sys
from pathlib import Path

try:
    import mujoco
except ImportError:
    print("skipped: not installed (MuJoCo's Python package)")
    sys.exit(77)

SCENES = Path(__file__).resolve().parent.parent / "tests/contact/static_depth"
SECONDS = 40.0


def depths(data):
    """{(geom, geom): mean depth [m]} of the contacts."""
    found = {}
    for contact in data.contact:
        found.setdefault(tuple(int(g) for g in contact.geom), []).append(
            contact.includemargin - contact.dist
        )
    return {pair: sum(values) / len(values) for pair, values in found.items()}


def main():
    print(f"MuJoCo {mujoco.__version__}")
    for path in sorted(SCENES.glob("*.xml")):
        model = mujoco.MjModel.from_xml_path(str(path))
        data = mujoco.MjData(model)
        while data.time < SECONDS:
            mujoco.mj_step(model, data)
        mujoco.mj_forward(model, data)
        left = f"acceleration left {abs(data.qacc).max():.1e}"
        for pair, depth in depths(data).items():
            print(f"{path.name:16} geoms {pair[0]} {pair[1]}: depth {depth:.9e} m, {left}")
        if data.ncon == 0:
            for i in range(model.njnt):
                joint, name = data.joint(i), model.joint(i).name
                if model.jnt_type[i] == mujoco.mjtJoint.mjJNT_BALL:
                    turn = 2.0 * math.atan2(math.hypot(*joint.qpos[1:]), joint.qpos[0])
                    print(f"{path.name:16} {name}: turn {turn:.9e}, {left}")
                else:
                    print(
                        f"{path.name:16} {name}: q {joint.qpos[0]:.9e}, v {joint.qvel[0]:.9e}, "
                        f"{left}"
                    )


if __name__ == "__main__":
    main()

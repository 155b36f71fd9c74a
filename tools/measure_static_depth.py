#!/usr/bin/env python3
"""Measures with MuJoCo how deep the scenes of tests/contact/static_depth rest in their contacts: the numbers in test_static_depth.c.

Needs MuJoCo's Python package (`pip install mujoco-core==4.0.1`); without it says so and ends with status 77. Each scene runs for 40 s; a
generalised damping force of 1e-3 of the momentum per step calms what still moves, and is zero at rest. Prints for each pair of geoms
the depth below margin - gap, mean over the pair's contacts, and the fastest velocity that was left.
"""
import sys
from pathlib import Path

try:
    import mujoco
    import numpy
except ImportError:
    print("skipped: not installed (MuJoCo's Python package)")
    sys.exit(77)

SCENES = Path(__file__).resolve().parent.parent / "tests/contact/static_depth"
SECONDS = 40.0


def settle(model, data):
    """Steps until the scene is at rest."""
    moved = numpy.zeros(model.nv)
    while data.time < SECONDS:
        mujoco.mj_mulM(model, data, moved, data.qvel)
        data.qfrc_applied[:] = -1e-3 / model.opt.timestep * moved
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)


def depths(data):
    """{(geom, geom): mean depth [m]} of the contacts."""
    found = {}
    for contact in data.contact:
        found.setdefault(tuple(int(g) for g in contact.geom), []).append(contact.includemargin - contact.dist)
    return {pair: sum(values) / len(values) for pair, values in found.items()}


def main():
    print(f"MuJoCo {mujoco.__version__}")
    for path in sorted(SCENES.glob("*.xml")):
        model = mujoco.MjModel.from_xml_path(str(path))
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        settle(model, data)
        for pair, depth in depths(data).items():
            print(f"{path.name:16} geoms {pair[0]} {pair[1]}  depth {depth:.9e} m  contacts {data.ncon}  "
                  f"velocity left {abs(data.qvel).max():.1e}")  # fmt: skip


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Times contact surfaces of Drake 1.51.1 and of bench_pressure in one run.

usage: pressure_drake.py [BENCH]     (default build/release/bench_pressure)

Drake's time is that of a query for all surfaces of a scene of two geometries, less that of the same
scene with the geometries apart; the least of several rounds. Poses are those of bench_pressure,
Drake's resolution hint is 1 cm. Where Drake is not installed it prints "skipped: not installed".
"""

import subprocess
import sys
import time
from pathlib import Path

ROUNDS, REPEATS = 7, 50
HINT = 0.01  # [m]
APART = 1.0  # [m]
# name as in bench_pressure, shapes A and B with moduli [Pa] (None: rigid), height of B [m]
CASES = (
    ("sphere on rigid half space", ("plane", None), ("sphere", 1e6), 0.047),
    ("sphere with box", ("box", 1e6), ("sphere", 1e6), 0.087),
    ("box with box", ("box", 1e6), ("box", 2.5e6), 0.077),
)


def shape_of(drake, name):
    if name == "plane":
        return drake.HalfSpace()
    return drake.Sphere(0.05) if name == "sphere" else drake.Box(0.1, 0.14, 0.08)


def properties(drake, modulus):
    made = drake.ProximityProperties()
    if modulus is None:
        drake.AddRigidHydroelasticProperties(HINT, made)
    else:
        drake.AddCompliantHydroelasticProperties(HINT, modulus, made)
    return made


def query_time(drake, case, height):
    """[s, faces]  the least time of a query with B at this height"""
    scene = drake.SceneGraph()
    source = scene.RegisterSource("bench")
    frame = scene.RegisterFrame(source, drake.GeometryFrame("b"))
    for holder, (name, modulus) in ((None, case[1]), (frame, case[2])):
        geometry = drake.GeometryInstance(drake.RigidTransform(), shape_of(drake, name), name)
        geometry.set_proximity_properties(properties(drake, modulus))
        if holder is None:
            scene.RegisterAnchoredGeometry(source, geometry)
        else:
            scene.RegisterGeometry(source, holder, geometry)
    context = scene.CreateDefaultContext()
    poses = drake.FramePoseVector()
    poses.set_value(frame, drake.RigidTransform([0.003, -0.002, height]))
    scene.get_source_pose_port(source).FixValue(context, drake.Value(poses))
    port = scene.get_query_output_port()
    best, faces = float("inf"), 0
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(REPEATS):
            surfaces = port.Eval(context).ComputeContactSurfaces(
                drake.HydroelasticContactRepresentation.kPolygon
            )
        best = min(best, (time.perf_counter() - start) / REPEATS)
        faces = sum(surface.num_faces() for surface in surfaces)
    return best, faces


def main():
    bench = Path(sys.argv[1] if len(sys.argv) > 1 else "build/release/bench_pressure")
    if bench.exists():
        print(subprocess.run([str(bench)], capture_output=True, text=True, check=True).stdout)
    try:
        import pydrake.all as drake
    except ImportError:
        print("Drake: skipped: not installed (pip install drake==1.51.1)")
        return
    for case in CASES:
        near, faces = query_time(drake, case, case[3])
        far, _ = query_time(drake, case, APART)
        print(f"Drake: {case[0]:37} {1e6 * (near - far):9.2f} us  {faces:5} faces")


if __name__ == "__main__":
    main()

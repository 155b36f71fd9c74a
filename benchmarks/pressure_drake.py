#!/usr/bin/env python3
"""Times contact surfaces and steps of Drake 1.51.1 and of Limpet's benchmarks in one run.

usage: pressure_drake.py [BUILD [BOWL.obj]]
       (default build/release, ../shared/models/soft/shapes/bowl.obj)

Surfaces: Drake's time is that of a query for all surfaces of a scene of two geometries, less that
of the same scene with the geometries apart; the least of several rounds. Poses are those of
bench_pressure, Drake's resolution hint is 1 cm; meshes have the same tetrahedra.
Steps: twenty of a ball that slides and spins in a bowl, of bench_pressure_step ("Drake's ball"), by
Drake's two contact approximations; mean over the steps of the least of several runs. What Python
adds to a step is that of a plant without geometry, which is taken off.
Where Drake is not installed it prints "skipped: not installed".
"""

import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS, REPEATS = 7, 50
HINT = 0.01  # [m]
APART = 1.0  # [m]
CUBES = (5, 4, 4)  # of a block of 0.1 x 0.1 x 0.08 m, twelve tetrahedra each: bench_pressure.c
STEPS, RUNS, STEP = 20, 40, 2e-3  # [-], [-], [s]
# name as in bench_pressure, shapes A and B with moduli [Pa] (None: rigid), height of B [m]
CASES = (
    ("sphere on rigid half space", ("plane", None), ("sphere", 1e6), 0.047),
    ("sphere with box", ("box", 1e6), ("sphere", 1e6), 0.087),
    ("box with box", ("box", 1e6), ("box", 2.5e6), 0.077),
    ("box with mesh (960 tetrahedra)", ("box", 1e6), ("mesh", 2.5e6), 0.077),
    ("mesh with mesh (960 tetrahedra each)", ("mesh", 1e6), ("mesh", 2.5e6), 0.077),
    ("sphere with mesh (960 tetrahedra)", ("mesh", 1e6), ("sphere", 1e6), 0.087),
)
TURN = (math.cos(0.01), 0.3 * math.sin(0.01), 0.2 * math.sin(0.01), math.sin(0.01))  # of B, w first


def block_text():
    """The block of bench_pressure.c as a VTK file: cubes around an inner vertex each."""
    sides = [n + 1 for n in CUBES]
    size = (0.1, 0.1, 0.08)
    points, cells = [], []
    for shift, counts in ((0.0, sides), (0.5, CUBES)):
        for i in range(counts[0]):
            for j in range(counts[1]):
                for k in range(counts[2]):
                    at = zip((i, j, k), CUBES, size)
                    points.append([s * ((a + shift) / n - 0.5) for a, n, s in at])
    corners = sides[0] * sides[1] * sides[2]
    # two triangles for each face of a cube, by corner bits 4 x + 2 y + z
    faces = ((0, 1, 3), (0, 3, 2), (4, 7, 5), (4, 6, 7), (0, 5, 1), (0, 4, 5))
    faces += ((2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 7, 3), (1, 5, 7))
    for cube in range(CUBES[0] * CUBES[1] * CUBES[2]):
        i, j, k = cube // (CUBES[1] * CUBES[2]), cube // CUBES[2] % CUBES[1], cube % CUBES[2]
        for face in faces:
            cell = [
                ((i + (bit >> 2)) * sides[1] + j + (bit >> 1 & 1)) * sides[2] + k + (bit & 1)
                for bit in face
            ]
            cells.append([*cell, corners + cube])

    def volume(cell):
        a, b, c = ([points[v][i] - points[cell[3]][i] for i in range(3)] for v in cell[:3])
        return (
            a[0] * (b[1] * c[2] - b[2] * c[1])
            + a[1] * (b[2] * c[0] - b[0] * c[2])
            + a[2] * (b[0] * c[1] - b[1] * c[0])
        )

    # Drake's fourth vertex lies on the positive side of the first three
    cells = [c if volume(c) < 0.0 else [c[1], c[0], c[2], c[3]] for c in cells]
    lines = ["# vtk DataFile Version 3.0", "block", "ASCII", "DATASET UNSTRUCTURED_GRID"]
    lines += [f"POINTS {len(points)} double", *(" ".join(map(repr, p)) for p in points)]
    lines += [f"CELLS {len(cells)} {5 * len(cells)}"]
    lines += ["4 " + " ".join(map(str, c)) for c in cells]
    lines += [f"CELL_TYPES {len(cells)}", *(["10"] * len(cells))]
    return "\n".join(lines) + "\n"


def shape_of(drake, name, mesh_file):
    if name == "plane":
        return drake.HalfSpace()
    if name == "mesh":
        return drake.Mesh(str(mesh_file), 1.0)
    return drake.Sphere(0.05) if name == "sphere" else drake.Box(0.1, 0.14, 0.08)


def properties(drake, modulus):
    made = drake.ProximityProperties()
    if modulus is None:
        drake.AddRigidHydroelasticProperties(HINT, made)
    else:
        drake.AddCompliantHydroelasticProperties(HINT, modulus, made)
    return made


def query_time(drake, case, height, mesh_file):
    """[s, faces]  the least time of a query with B at this height"""
    scene = drake.SceneGraph()
    source = scene.RegisterSource("bench")
    frame = scene.RegisterFrame(source, drake.GeometryFrame("b"))
    for holder, (name, modulus) in ((None, case[1]), (frame, case[2])):
        shape = shape_of(drake, name, mesh_file)
        geometry = drake.GeometryInstance(drake.RigidTransform(), shape, name)
        geometry.set_proximity_properties(properties(drake, modulus))
        if holder is None:
            scene.RegisterAnchoredGeometry(source, geometry)
        else:
            scene.RegisterGeometry(source, holder, geometry)
    context = scene.CreateDefaultContext()
    poses = drake.FramePoseVector()
    turn = drake.Quaternion(*(part / math.hypot(*TURN) for part in TURN))
    poses.set_value(frame, drake.RigidTransform(turn, [0.003, -0.002, height]))
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


def ball_in_bowl(drake, approximation, bowl_file):
    """A plant with the ball of bench_pressure_step; bowl_file: None: nothing touches."""
    builder = drake.DiagramBuilder()
    plant, _ = drake.AddMultibodyPlantSceneGraph(builder, STEP)
    plant.set_contact_model(drake.ContactModel.kHydroelastic)
    plant.set_discrete_contact_approximation(approximation)
    inertia = drake.SpatialInertia(0.2, [0.0, 0.0, 0.0], drake.UnitInertia(*(3 * [7.2e-5 / 0.2])))
    ball = plant.AddRigidBody("ball", inertia)
    if bowl_file is not None:
        soft, hard = drake.ProximityProperties(), drake.ProximityProperties()
        friction = drake.CoulombFriction(0.5, 0.5)
        drake.AddContactMaterial(20.0, None, friction, soft)
        drake.AddCompliantHydroelasticProperties(HINT, 4e5, soft)
        drake.AddContactMaterial(None, None, friction, hard)
        drake.AddRigidHydroelasticProperties(HINT, hard)
        still = drake.RigidTransform()
        plant.RegisterCollisionGeometry(ball, still, drake.Sphere(0.03), "ball", soft)
        bowl = drake.Mesh(str(bowl_file), 1.0)
        plant.RegisterCollisionGeometry(plant.world_body(), still, bowl, "bowl", hard)
    plant.Finalize()
    return builder.Build(), plant


def step_time(drake, approximation, bowl_file):
    """[s, faces]  mean over the steps of the least time of each"""
    diagram, plant = ball_in_bowl(drake, approximation, bowl_file)
    least, faces = STEPS * [float("inf")], 0
    for run in range(RUNS):
        simulator = drake.Simulator(diagram)
        context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
        plant.SetPositions(context, [1.0, 0.0, 0.0, 0.0, 0.03, 0.01, 0.0371])
        plant.SetVelocities(context, [3.0, 0.0, 0.0, 0.2, 0.3, -0.1])
        simulator.Initialize()
        for i in range(STEPS):
            start = time.perf_counter()
            simulator.AdvanceTo((i + 1) * STEP)
            least[i] = min(least[i], time.perf_counter() - start)
            if run == 0 and bowl_file is not None:
                results = plant.get_contact_results_output_port().Eval(context)
                for k in range(results.num_hydroelastic_contacts()):
                    info = results.hydroelastic_contact_info(k)
                    faces += info.contact_surface().num_faces()
    return sum(least) / STEPS, faces / STEPS


def print_steps(drake, bowl_file):
    for word, approximation in (
        ("lagged", drake.DiscreteContactApproximation.kLagged),
        ("sap", drake.DiscreteContactApproximation.kSap),
    ):
        near, faces = step_time(drake, approximation, bowl_file)
        far, _ = step_time(drake, approximation, None)
        text = f"{word}: step of Drake's ball in bowl"
        print(f"Drake: {text:37} {1e6 * (near - far):9.2f} us  {faces:5.0f} faces")


def main():
    build = Path(sys.argv[1] if len(sys.argv) > 1 else "build/release")
    bowl_file = Path(
        sys.argv[2] if len(sys.argv) > 2 else "../shared/models/soft/shapes/bowl.obj"
    ).resolve()
    for bench in (build / "bench_pressure", build / "bench_pressure_step"):
        if bench.exists():
            print(subprocess.run([str(bench)], capture_output=True, text=True, check=True).stdout)
    try:
        import pydrake.all as drake
    except ImportError:
        print("Drake: skipped: not installed (pip install drake==1.51.1)")
        return
    with tempfile.TemporaryDirectory() as folder:
        mesh_file = Path(folder) / "block.vtk"
        mesh_file.write_text(block_text())
        for case in CASES:
            near, faces = query_time(drake, case, case[3], mesh_file)
            far, _ = query_time(drake, case, APART, mesh_file)
            print(f"Drake: {case[0]:37} {1e6 * (near - far):9.2f} us  {faces:5} faces")
    if bowl_file.exists():
        print_steps(drake, bowl_file)
    else:
        print(f"Drake: steps skipped: no {bowl_file.name}")


if __name__ == "__main__":
    main()

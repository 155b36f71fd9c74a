#!/usr/bin/env python3
"""Writes scenes/cenic-ball.json: a ball that drops, slides and rolls, by Drake's CENIC integrator
in fixed-step mode.

Run with a Python that has Drake (the package `drake` of the package index; the file was made with
1.51.1); crosschecks.py compares Limpet with it.
"""

import json
from pathlib import Path

import numpy as np
import pydrake.all as drake

STEP, COUNT = 1 / 128, 80  # [s]  a power of two, so that no rest of a step is left over
RADIUS, MASS, STIFFNESS, DISSIPATION, FRICTION = 0.1, 1.0, 2e5, 10.0, 0.5  # SI
# [m/s]  more than sigma w mu gamma_n0 at the impact, whose w Drake estimates in a way of its own
STICTION = 0.1
START = {"position": [0.0, 0.0, 0.15], "velocity": [2.0, 0.0, 0.0], "rotation": [0.0, -5.0, 0.0]}


def plant_add(builder):
    plant, _ = drake.AddMultibodyPlantSceneGraph(builder, time_step=0.0)
    plant.set_stiction_tolerance(STICTION)
    material = drake.ProximityProperties()
    drake.AddContactMaterial(
        DISSIPATION, STIFFNESS, drake.CoulombFriction(FRICTION, FRICTION), material
    )
    inertia = drake.SpatialInertia(MASS, np.zeros(3), drake.UnitInertia.SolidSphere(RADIUS))
    ball = plant.AddRigidBody("ball", inertia)
    plant.RegisterCollisionGeometry(
        ball, drake.RigidTransform(), drake.Sphere(RADIUS), "ball", material
    )
    plant.RegisterCollisionGeometry(
        plant.world_body(), drake.RigidTransform(), drake.HalfSpace(), "ground", material
    )
    plant.Finalize()
    return plant, ball


def main():
    builder = drake.DiagramBuilder()
    plant, ball = plant_add(builder)
    diagram = builder.Build()
    simulator = drake.Simulator(diagram)
    config = drake.SimulatorConfig(
        integration_scheme="cenic", max_step_size=STEP, use_error_control=False, accuracy=1e-8
    )
    drake.ApplySimulatorConfig(config, simulator)
    integrator = simulator.get_mutable_integrator()
    parameters = integrator.get_solver_parameters()
    parameters.min_tolerance = 1e-15
    integrator.SetSolverParameters(parameters)
    context = simulator.get_mutable_context()
    state = plant.GetMyMutableContextFromRoot(context)
    plant.SetFreeBodyPose(state, ball, drake.RigidTransform(START["position"]))
    plant.SetFreeBodySpatialVelocity(
        ball, drake.SpatialVelocity(START["rotation"], START["velocity"]), state
    )
    simulator.Initialize()
    rows = []
    for step in range(1, COUNT + 1):
        simulator.AdvanceTo(step * STEP)
        values = plant.GetPositionsAndVelocities(state)  # quaternion, position; rotation, velocity
        rows.append([*values[4:7], *values[10:13], *values[7:10]])
    print(integrator.get_num_steps_taken(), "steps")
    result = {
        "made_with": "Drake 1.51.1, CenicIntegrator, fixed-step mode",
        "step": STEP,
        "radius": RADIUS,
        "mass": MASS,
        "stiffness": STIFFNESS,
        "dissipation": DISSIPATION,
        "friction": FRICTION,
        "stiction_speed": STICTION,
        "start": START,
        "columns": "x y z vx vy vz wx wy wz, world axes, end of each step",
        "rows": rows,
    }
    Path(__file__).with_name("scenes").joinpath("cenic-ball.json").write_text(
        json.dumps(result) + "\n"
    )
    for row in rows[::6]:
        print(" ".join(f"{value:10.6f}" for value in row))


if __name__ == "__main__":
    main()

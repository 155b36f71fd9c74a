"""A program that mypy checks in its strict mode: the types of the package are right."""

import numpy as np
from numpy.typing import NDArray

import limpet


def last_height(path: str) -> float:
    model = limpet.load(path)
    data = model.data()
    data.control[:] = 0.0
    outcome: limpet.Outcome = limpet.step(model, data, 10, contact="sap")
    q: NDArray[np.float64] = data.q
    residual: float = data.info.residual
    assert not outcome.failed and not data.info.outcome.failed and residual < 1.0
    log = limpet.simulate(model, 0.1, controls=lambda d: None)
    traces = limpet.rollout(model, [data.get_state()], steps=3, threads=2)
    assert traces.q.shape[0] == 1 and len(log) > 0 and model.nq == q.size
    table: limpet.Table = limpet.sweep(path, {"box.friction": [0.1, 0.2]}, threads=2)
    moved: NDArray[np.float64] = table["box.moved"]
    plan = limpet.Plan(model, {"duration": 1.0})
    q_of, v_of, _ = limpet.Trajectory.cubic([0.0, 1.0], [[0.0], [1.0]])(0.5)
    forces: NDArray[np.float64] = limpet.joint_forces(data, ["lift"], [0.0])
    assert plan.cost >= 0.0 and q_of.size == v_of.size and moved.size == 2 and forces.size == 1
    return float(data.body("cube").position[2])

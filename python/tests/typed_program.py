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
    assert not outcome.failed and residual < 1.0
    log = limpet.simulate(model, 0.1, controls=lambda d: None)
    traces = limpet.rollout(model, [data.get_state()], steps=3, threads=2)
    assert traces.q.shape[0] == 1 and len(log) > 0 and model.nq == q.size
    return float(data.body("cube").position[2])

"""What the bridges to PyTorch and JAX share: steps and their vector-Jacobian products as functions
of arrays."""

from typing import TYPE_CHECKING

import numpy as np

from limpet import _errors
from limpet._data import Data, numbers
from limpet._errors import InputError, StateError
from limpet._gradient import Gradient
from limpet._model import Model
from limpet._native import ffi, lib
from limpet._settings import settings_for

if TYPE_CHECKING:
    from typing import Any

    from limpet._settings import Settings


class Stepper:
    """x = [q, v] after `count` steps, from x and the control u, held; and y' dx by x and u.

    A pose has nq numbers and moves in nv directions. The derivative by a quaternion is that along
    the sphere of unit quaternions, where the pose stays one: T' a, with T (nv x nq) the left
    inverse of N(q), dq/dt = N(q) v.
    """

    def __init__(self, model: "Model", count: int, settings: "Settings | None", values: "Any"):
        _errors.expect(model, Model, "model")
        count = _errors.whole(count, "count")
        if count < 1:
            raise InputError(f"count is {count}; give at least 1 step")
        if model.na:
            raise InputError("actuators with states of their own have no derivatives")
        self.model, self.count = model, count
        self.settings = settings_for(model, settings, values)
        self.data, self.gradient = Data(model), Gradient(model)

    def begin(self, x, u):
        """The world at a state; the same whatever it did before."""
        m = self.model
        lib.limpet_data_reset(m._record, self.data._record)
        self.data.q[:], self.data.v[:] = x[: m.nq], x[m.nq :]
        self.data.control[:] = u

    def check(self, x, u):
        m = self.model
        return numbers(x, (m.nq + m.nv,), "x"), numbers(u, (m.nu,), "u")

    def run(self, x, u):
        """x after the steps (nq + nv)."""
        x, u = self.check(x, u)
        self.begin(x, u)
        for _ in range(self.count):
            outcome = lib.limpet_step(self.model._record, self.data._record, self.settings._record)
            if lib.limpet_outcome_failed(outcome):
                raise StateError(f"a step failed: {_errors.text(lib.limpet_outcome_word(outcome))}")
        return np.concatenate([self.data.q, self.data.v])

    def pull_back(self, x, u, y):
        """(y' dx+/dx, y' dx+/du) of y (nq + nv), steps made again with their derivatives."""
        m = self.model
        x, u = self.check(x, u)
        states, by_u = [], np.zeros(m.nu)
        self.begin(x, u)
        for _ in range(self.count):
            states.append(self.data.get_state())
            lib.limpet_step(m._record, self.data._record, self.settings._record)
        by_v = np.array(y[m.nq :], dtype=np.float64)
        by_q = tangent(m, self.data.q).T @ y[: m.nq]
        for state in reversed(states):
            self.data.set_state(state)
            self.data.control[:] = u
            self.gradient.step(self.data, self.settings)
            back = self.gradient.adjoint(by_q, by_v)
            if back is None:
                raise StateError(f"a step has no derivative: {self.gradient.reason}")
            by_q, by_v = back["q"], back["v"]
            by_u += back.get("control", 0.0)
        return np.concatenate([left_inverse(m, x[: m.nq]).T @ by_q, by_v]), by_u


def tangent(model, q):
    """N (nq x nv): dq/dt = N v, by the library's own integration of a pose."""
    h, columns = 1e-6, []
    place = np.array(q, dtype=np.float64)
    for j in range(model.nv):
        ends = []
        for sign in (h, -h):
            end, direction = place.copy(), np.zeros(model.nv)
            direction[j] = sign
            target, way = (ffi.from_buffer("double[]", a) for a in (end, direction))
            lib.limpet_integrate_position(model._record, target, target, way, 1.0, False)
            ends.append(end)
        columns.append((ends[0] - ends[1]) / (2.0 * h))
    return np.array(columns).T.reshape(model.nq, model.nv)


def left_inverse(model, q):
    """T (nv x nq): v = T dq/dt, with T N = 1."""
    return np.linalg.pinv(tangent(model, q))

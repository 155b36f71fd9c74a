"""Steps as differentiable functions of PyTorch.

    from limpet.torch import Step
    step = Step(model, count=10)               # ten steps with the control held
    x = step(x, u)                             # x = [q, v] (nq + nv) or (worlds x ...), u (nu)
    x.sum().backward()

The backward pass is J'y by the implicit function theorem: one adjoint a step, no Jacobian.
PyTorch is needed here and nowhere else of the package.
"""

from typing import Any

import numpy as np
import torch

from limpet import Model, Settings
from limpet._bridge import Stepper

Tensor = torch.Tensor


class _Function(torch.autograd.Function):
    """One world or many: rows of x and u."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, u: Tensor, stepper: Stepper) -> Tensor:
        ctx.stepper = stepper
        ctx.save_for_backward(x, u)
        return _like([stepper.run(*row) for row in _rows(x, u)], x)

    @staticmethod
    def backward(ctx: Any, y: Tensor) -> "tuple[Tensor, Tensor, None]":
        x, u = ctx.saved_tensors
        weights = _array(y).reshape(-1, x.shape[-1])
        pairs = [
            ctx.stepper.pull_back(*row, weight)
            for row, weight in zip(_rows(x, u), weights, strict=True)
        ]
        by_x, by_u = zip(*pairs, strict=True) if pairs else ((), ())
        by_u = np.array(by_u).reshape(-1, u.shape[-1])
        if u.dim() < x.dim():
            by_u = by_u.sum(axis=0)  # one control for all worlds
        return _like(by_x, x), _like(by_u, u), None


def _array(tensor):
    return tensor.detach().cpu().to(torch.float64).numpy()


def _rows(x, u):
    states = _array(x).reshape(-1, x.shape[-1])
    controls = np.broadcast_to(_array(u), (*x.shape[:-1], u.shape[-1]))
    return list(zip(states, controls.reshape(len(states), u.shape[-1]), strict=True))


def _like(rows, tensor):
    values = torch.from_numpy(np.array(rows, dtype=np.float64).reshape(tuple(tensor.shape)))
    return values.to(dtype=tensor.dtype, device=tensor.device)


class Step:
    """A differentiable function: x (nq + nv) after `count` steps, from x and the control u (nu).

    Rows of x are worlds; u has a row for each, or is one for all. settings, or keywords such as
    contact="similar": how steps are made. A step that fails, or that has no derivative, raises
    limpet.StateError; shapes that are wrong raise limpet.InputError.
    """

    def __init__(
        self, model: Model, count: int = 1, settings: "Settings | None" = None, **values: Any
    ):
        self._stepper = Stepper(model, count, settings, values)
        self.model = model

    def __call__(self, x: Tensor, u: Tensor) -> Tensor:
        return _Function.apply(x, u, self._stepper)

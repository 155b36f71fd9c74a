"""Steps as differentiable functions of JAX.

    from limpet.jax import make_step
    step = make_step(model, count=10)          # ten steps with the control held
    x = step(x, u)                             # x = [q, v] (nq + nv), u (nu)
    jax.grad(lambda u: step(x, u).sum())(u)

It is a jax.custom_vjp over a callback to the library, which runs on the processor: jit, vmap (one
world after the other) and grad work, forward mode does not. The backward pass is J'y by the
implicit function theorem. Where JAX is not set to 64 bits, results are rounded to 32. JAX is needed
here and nowhere else of the package.
"""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from limpet import InputError, Model, Settings
from limpet._bridge import Stepper


def make_step(
    model: Model, count: int = 1, settings: "Settings | None" = None, **values: Any
) -> "Callable[[jax.Array, jax.Array], jax.Array]":
    """A differentiable function: x (nq + nv) after `count` steps, from x and the control u (nu).

    settings, or keywords such as contact="similar": how steps are made. Arrays of another shape
    raise InputError. A step that fails, or that has no derivative, is an error of JAX that carries
    the text of limpet.StateError.
    """
    stepper = Stepper(model, count, settings, values)

    def run(x, u):
        result = stepper.run(np.asarray(x, np.float64), np.asarray(u, np.float64))
        return result.astype(x.dtype)

    def pull_back(x, u, y):
        arrays = (np.asarray(a, np.float64) for a in (x, u, y))
        by_x, by_u = stepper.pull_back(*arrays)
        return by_x.astype(x.dtype), by_u.astype(u.dtype)

    def shape(array):
        return jax.ShapeDtypeStruct(array.shape, array.dtype)

    @jax.custom_vjp
    def step(x, u):
        return jax.pure_callback(run, shape(x), x, u, vmap_method="sequential")

    def forward(x, u):
        return step(x, u), (x, u)

    def backward(kept, y):
        x, u = kept
        return jax.pure_callback(pull_back, (shape(x), shape(u)), x, u, y, vmap_method="sequential")

    step.defvjp(forward, backward)

    def checked(x, u):
        # here, since what a callback raises reaches the caller as an error inside of JAX
        x, u = jax.numpy.asarray(x), jax.numpy.asarray(u)
        for array, size, name in ((x, model.nq + model.nv, "x"), (u, model.nu, "u")):
            if array.shape != (size,):
                raise InputError(f"{name}: expected the shape ({size},), got {array.shape}")
            if not jax.numpy.issubdtype(array.dtype, jax.numpy.floating):
                raise InputError(f"{name}: expected floating point, got {array.dtype}")
        return step(x, u)

    return checked

"""Steps as functions of PyTorch and JAX: their gradients are those of differences; skipped where
these are not installed."""

import numpy as np
import pytest

import limpet
from limpet._bridge import left_inverse, tangent

# soft, so that differences of a micrometre open no contact
PUSH = """<mujoco xmlns:limpet="limpet"><worldbody><geom name="floor" type="plane" size="3 3 1"/>
<body name="finger" pos="-.2 0 .1"><joint name="push" type="slide" axis="1 0 0" damping="2"/>
<geom size=".05" mass=".5"/></body>
<body name="box" pos="0 0 .1"><freejoint/>
<geom name="box" type="box" size=".1 .1 .1" mass=".3" friction=".4"
limpet:stiffness="2000" limpet:dissipation="1"/></body></worldbody>
<actuator><motor joint="push" gear="10"/></actuator></mujoco>"""
# one step of the default model; several of one whose contacts carry nothing from step to step
WAYS = [(1, {"tolerance": 1e-13}), (5, {"tolerance": 1e-13, "contact": "similar"})]


@pytest.fixture
def model():
    return limpet.load_text(PUSH)


@pytest.fixture
def start(model):
    """A state in which the finger pushes the box over the floor."""
    data = model.data()
    data.control[:] = 0.6
    limpet.step(model, data, 200)
    assert data.v[1] > 0.1  # the box moves
    return np.concatenate([data.q, data.v]), np.array([0.6])


def differences(model, way, x, u, weight):
    """Gradient of weight . x+ by x and u, by central differences; a pose moves in velocity
    coordinates and its gradient is brought to q."""
    from limpet._bridge import Stepper

    stepper = Stepper(model, way[0], None, way[1])
    h, nq = 1e-6, model.nq
    N = tangent(model, x[:nq])

    def along(dx, du):
        return weight @ (stepper.run(x + dx, u + du) - stepper.run(x - dx, u - du)) / (2 * h)

    zero, none = np.zeros_like(x), np.zeros_like(u)
    by_q = []
    for j in range(model.nv):
        dx = zero.copy()
        dx[:nq] = h * N[:, j]
        by_q.append(along(dx, none))
    by_v = [along(h * np.eye(len(x))[nq + j], none) for j in range(model.nv)]
    by_u = [along(zero, h * np.eye(len(u))[j]) for j in range(len(u))]
    return np.concatenate([left_inverse(model, x[:nq]).T @ by_q, by_v]), np.array(by_u)


def weight_of(x):
    return np.random.default_rng(8).normal(size=len(x))


def test_poses_and_velocities_belong_together(model, start):
    x, _ = start
    N, T = tangent(model, x[: model.nq]), left_inverse(model, x[: model.nq])
    np.testing.assert_allclose(T @ N, np.eye(model.nv), atol=1e-8)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_pull_back_is_that_of_differences(model, start, way):
    from limpet._bridge import Stepper

    x, u = start
    weight = weight_of(x)
    by_x, by_u = Stepper(model, way[0], None, way[1]).pull_back(x, u, weight)
    expected_x, expected_u = differences(model, way, x, u, weight)
    np.testing.assert_allclose(by_u, expected_u, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(by_x, expected_x, rtol=1e-4, atol=1e-4 * np.abs(expected_x).max())
    assert np.abs(by_u).max() > 1e-3  # the push counts


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_torch(model, start, way):
    torch = pytest.importorskip("torch", reason="skipped: not installed")
    from limpet.torch import Step

    step, (x, u) = Step(model, way[0], **way[1]), start
    weight = weight_of(x)
    state = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    control = torch.tensor(u, dtype=torch.float64, requires_grad=True)
    (step(state, control) * torch.tensor(weight)).sum().backward()
    expected_x, expected_u = differences(model, way, x, u, weight)
    np.testing.assert_allclose(control.grad.numpy(), expected_u, rtol=1e-4, atol=1e-6)
    scale = 1e-4 * np.abs(expected_x).max()
    np.testing.assert_allclose(state.grad.numpy(), expected_x, rtol=1e-4, atol=scale)

    # worlds as rows, one control for all of them
    rows = torch.tensor(np.stack([x, x]), dtype=torch.float64)
    shared = torch.tensor(u, dtype=torch.float64, requires_grad=True)
    (step(rows, shared) * torch.tensor(weight)).sum().backward()
    np.testing.assert_allclose(shared.grad.numpy(), 2 * control.grad.numpy(), rtol=1e-9)
    with pytest.raises(limpet.InputError):
        step(state[:3], control)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_jax(model, start, way):
    jax = pytest.importorskip("jax", reason="skipped: not installed")
    jax.config.update("jax_enable_x64", True)
    from limpet.jax import make_step

    step, (x, u) = make_step(model, way[0], **way[1]), start
    weight = weight_of(x)
    loss = jax.jit(jax.grad(lambda x, u: weight @ step(x, u), argnums=(0, 1)))
    by_x, by_u = loss(x, u)
    expected_x, expected_u = differences(model, way, x, u, weight)
    np.testing.assert_allclose(by_u, expected_u, rtol=1e-4, atol=1e-6)
    scale = 1e-4 * np.abs(expected_x).max()
    np.testing.assert_allclose(by_x, expected_x, rtol=1e-4, atol=scale)
    both = jax.vmap(step, in_axes=(0, None))(np.stack([x, x]), u)
    np.testing.assert_allclose(both[1], step(x, u))
    with pytest.raises(limpet.InputError, match="x: expected the shape"):
        step(x[:3], u)
    with pytest.raises(limpet.InputError, match="u: expected floating point"):
        step(x, np.ones(len(u), int))

"""Environments of Gymnasium; skipped without it."""

import copy
import pickle

import numpy as np
import pytest

import limpet

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402

from limpet.gymnasium import Env, Lift, VectorEnv  # noqa: E402

# down over the cube, fingers closed, up in 40 steps of 25 ms: a step of the command alone would ask
# for more than the pads hold
WAY = [[-0.075, 0.0, 0.0]] * 30 + [[-0.075, 0.04, 0.04]] * 20
WAY += [[lift, 0.04, 0.04] for lift in np.linspace(-0.075, 0.15, 40)]


@pytest.mark.filterwarnings("ignore")
def test_the_checker_of_gymnasium_is_content():
    check_env(Env(Lift()), skip_render_check=True)


def test_a_grasp_lifts_the_cube():
    env = Env(Lift())
    env.reset(seed=1)
    for action in WAY:
        _, reward, *_ = env.step(np.array(action))
    # 0.225 m of stroke, times 10, less what the servo sags and the way that is not done yet
    assert reward > 1.5


def run(mode, threads):
    task = Lift()
    task.horizon = 7
    envs = VectorEnv(task, 5, threads=threads, autoreset_mode=mode)
    seen, _ = envs.reset(seed=3)
    rng = np.random.default_rng(0)
    rows = [seen]
    ends, infos = [], []
    for _ in range(20):
        if mode is AutoresetMode.DISABLED and ends and ends[-1].any():
            envs.reset(options={"reset_mask": ends[-1]})
        action = rng.uniform(envs.action_space.low, envs.action_space.high)
        seen, reward, terminated, truncated, info = envs.step(action)
        assert envs.observation_space.contains(seen)
        rows += [seen, np.repeat(reward[:, None], seen.shape[1], axis=1)]
        ends.append(terminated | truncated)
        infos.append(info)
    return np.array(rows), ends, infos


def test_seeds_of_each_world():
    envs = VectorEnv(Lift(), 3, threads=1)
    seen, _ = envs.reset(seed=[7, None, 9])
    for world, seed in ((0, 7), (2, 9)):
        np.testing.assert_array_equal(seen[world], Env(Lift()).reset(seed=seed)[0])
    again, _ = envs.reset(seed=[7, None, None])
    np.testing.assert_array_equal(again[0], seen[0])
    assert (again[1:, Lift.cube] != seen[1:, Lift.cube]).all()
    with pytest.raises(limpet.InputError, match="expected one or 3, got 2"):
        envs.reset(seed=[1, 2])


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_the_same_bits_at_any_number_of_threads(mode):
    np.testing.assert_array_equal(run(mode, 1)[0], run(mode, 2)[0])


def test_episodes_begin_again_as_their_mode_says():
    _, ends, _ = run(AutoresetMode.NEXT_STEP, 1)
    assert [k for k, e in enumerate(ends) if e.all()] == [6, 14]  # the step of a reset counts
    rows, ends, infos = run(AutoresetMode.SAME_STEP, 1)
    assert [k for k, e in enumerate(ends) if e.all()] == [6, 13]
    final = infos[6]["final_obs"]
    assert infos[6]["_final_obs"].all() and final[0].shape == rows[0][0].shape
    # what is seen is the next episode's start: the hand at rest in its first pose
    np.testing.assert_array_equal(rows[1 + 2 * 6][:, :3], 0.0)
    assert not np.allclose(final[0][:3], 0.0)
    _, ends, _ = run(AutoresetMode.DISABLED, 1)
    assert [k for k, e in enumerate(ends) if e.all()] == [6, 13]


def lift_of(mass):
    """Lift with a cube of that mass [kg]."""
    from limpet.gymnasium import _LIFT

    builder = limpet.Builder()
    builder.read_text(_LIFT)
    builder.set_parameter("body:cube.mass", mass)
    return builder.compile()


def test_worlds_have_models_of_their_own():
    """Heavier cubes sink deeper between pads that slip, and each world is that of its model."""
    task = Lift()
    task.models = [lift_of(mass) for mass in (0.1, 0.4)]
    envs = VectorEnv(task, 3, threads=2)
    envs.reset(seed=1)
    for action in WAY:
        seen, *_ = envs.step(np.tile(action, (3, 1)))
    for world, model in enumerate((*task.models, task.models[0])):
        one = Lift()
        one.model = model
        single = VectorEnv(one, 3, threads=1)
        single.reset(seed=1)
        for action in WAY:
            alone, *_ = single.step(np.tile(action, (3, 1)))
        np.testing.assert_array_equal(seen[world], alone[world])
    assert np.abs(seen[0] - seen[1]).max() > 1e-6


def test_models_of_other_sizes_are_refused(model):
    with pytest.raises(limpet.InputError, match="model 1 has"):
        limpet.Batch([Lift().model, model])
    with pytest.raises(limpet.InputError, match="3 worlds, but the batch has 2 models"):
        limpet.Batch([model, model]).rollout(steps=1, worlds=3)
    assert limpet.Batch([model, model]).rollout(steps=2).q.shape == (2, 2, model.nq)


def test_wrong_calls_are_told():
    envs = VectorEnv(Lift(), num_envs=3, threads=1)
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.step(np.zeros((3, 3)))
    envs.reset(seed=0)
    for actions in (np.zeros((3, 2)), np.zeros((2, 3)), np.zeros(3)):
        with pytest.raises(limpet.InputError, match="expected the shape"):
            envs.step(actions)
    actions = np.zeros((3, 3))
    actions[2, 1] = np.nan
    with pytest.raises(limpet.InputError, match="number 1 of world 2 is nan"):
        envs.step(actions)
    with pytest.raises(limpet.InputError, match="reset_mask"):
        envs.reset(options={"reset_mask": np.array([True])})
    with pytest.raises(limpet.InputError, match="num_envs"):
        VectorEnv(Lift(), num_envs=0)


def test_masks_of_numbers_are_masks():
    envs = VectorEnv(Lift(), num_envs=4, threads=1)
    envs.reset(seed=0)
    envs.step(np.zeros((4, 3)))
    envs.reset(options={"reset_mask": np.array([1, 0, 0, 1])})
    assert envs._steps.tolist() == [0, 1, 1, 0]


def test_environments_are_copied():
    envs = VectorEnv(Lift(), num_envs=2, threads=2)
    envs.reset(seed=0)
    envs.step(np.full((2, 3), 0.01))
    for other in (copy.deepcopy(envs), pickle.loads(pickle.dumps(envs))):
        for seen, same in zip(envs.reset(seed=1)[0], other.reset(seed=1)[0], strict=True):
            np.testing.assert_array_equal(seen, same)

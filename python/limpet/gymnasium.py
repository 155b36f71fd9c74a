"""Environments of Gymnasium: many worlds of one model on threads.

    from limpet.gymnasium import Lift, VectorEnv
    envs = VectorEnv(Lift(), num_envs=64, threads=2)

A task says what is learned: its model, how an episode begins, what is seen and what is rewarded.
VectorEnv steps all worlds of a task side by side; Env is one world of it. The same seed gives the
same bits at any number of threads. Gymnasium is needed here and nowhere else of the package.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    import gymnasium
    from gymnasium.vector import AutoresetMode
except ModuleNotFoundError as reason:
    if not str(reason.name).startswith("gymnasium"):
        raise
    raise ModuleNotFoundError(
        "limpet.gymnasium needs Gymnasium; pip install 'limpet[gymnasium]'", name="gymnasium"
    ) from None

from limpet import Batch, InputError, Model, Settings, _errors, load_text
from limpet._data import doubles

Array = NDArray[np.float64]


class Task:
    """What is learned. Arrays have one row a world.

    model: of all worlds
    models: of each world, where masses, friction and the like differ between them; world i is of
        models[i], from the first one again where there are more worlds. None: all are of `model`
    skip: steps of the simulation for each step of the environment
    horizon: steps of the environment after which an episode is truncated
    """

    model: Model
    models: "Sequence[Model] | None" = None
    skip: int = 5
    horizon: int = 200
    settings: "Settings | None" = None

    def start(self, rng: np.random.Generator) -> Array:
        """A full state, as data.set_state takes it, in which an episode begins."""
        raise NotImplementedError

    def observe(self, q: Array, v: Array, sensor: Array) -> Array:
        """What is seen (worlds x numbers)."""
        return np.concatenate([q, v], axis=1)

    def reward(self, q: Array, v: Array, control: Array) -> Array:
        """Reward of a step (worlds)."""
        raise NotImplementedError

    def done(self, q: Array, v: Array) -> NDArray[np.bool_]:
        """Whether an episode ends for good (worlds)."""
        return np.zeros(len(q), dtype=bool)


_LIFT = """<mujoco model="lift">
  <option timestep="0.005"/>
  <default><position kp="400" kv="40"/><geom friction="0.8"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 .1"/>
    <body name="hand" pos="0 0 .2">
      <joint name="lift" type="slide" axis="0 0 1" range="-.085 .2" damping="1"/>
      <geom type="box" size=".06 .02 .01" mass=".5"/>
      <body name="left" pos="-.05 0 -.06">
        <joint name="close_left" type="slide" axis="1 0 0" range="0 .04" damping="1"/>
        <geom type="box" size=".005 .02 .05" mass=".1"/>
      </body>
      <body name="right" pos=".05 0 -.06">
        <joint name="close_right" type="slide" axis="-1 0 0" range="0 .04" damping="1"/>
        <geom type="box" size=".005 .02 .05" mass=".1"/>
      </body>
    </body>
    <body name="cube" pos="0 0 .02"><freejoint/>
      <geom type="box" size=".02 .02 .02" mass=".1"/></body>
  </worldbody>
  <actuator>
    <position name="lift" joint="lift" ctrlrange="-.085 .2" kp="2000" kv="100"/>
    <position name="left" joint="close_left" ctrlrange="0 .04"/>
    <position name="right" joint="close_right" ctrlrange="0 .04"/>
  </actuator>
</mujoco>"""


class Lift(Task):
    """A gripper of two fingers lifts a cube of 40 mm: the reward is the cube's height in metres,
    above the floor, times 10. The cube begins within 5 mm of the middle."""

    cube = 3  # first coordinate of the cube in q
    rest = 0.02  # m  height of its centre on the floor

    def __init__(self) -> None:
        self.model = load_text(_LIFT)
        self._data = self.model.data()

    def start(self, rng: np.random.Generator) -> Array:
        self._data.reset()
        self._data.q[self.cube : self.cube + 2] += rng.uniform(-0.005, 0.005, 2)
        return self._data.get_state()

    def reward(self, q: Array, v: Array, control: Array) -> Array:
        return 10.0 * (q[:, self.cube + 2] - self.rest)


class VectorEnv(gymnasium.vector.VectorEnv):
    """Worlds of a task, stepped on threads.

    autoreset_mode: as Gymnasium has it: NEXT_STEP, SAME_STEP or DISABLED. autoreset: the name that
        it had before
    """

    def __init__(
        self,
        task: Task,
        num_envs: int = 1,
        *,
        threads: "int | None" = None,
        autoreset_mode: AutoresetMode = AutoresetMode.NEXT_STEP,
        autoreset: "AutoresetMode | None" = None,
    ):
        _errors.expect(task, Task, "task")
        num_envs = _errors.whole(num_envs, "num_envs")
        if num_envs < 1:
            raise InputError(f"num_envs is {num_envs}; give at least 1")
        self.autoreset = AutoresetMode(autoreset_mode if autoreset is None else autoreset)
        self.task, self.num_envs = task, num_envs
        self.metadata = {"autoreset_mode": self.autoreset, "render_modes": []}
        self.render_mode = None
        self.spec = None
        model = task.model
        models = task.models and [task.models[i % len(task.models)] for i in range(num_envs)]
        self._batch = Batch(models or model, threads)
        seen = self._observe(*self._empty())
        self.single_observation_space = _box(-np.inf, np.inf, (seen.shape[1],))
        limited = model.actuator_control_limited[:, None]
        bounds = np.where(limited, model.actuator_control_range, [[-1.0, 1.0]])
        self.single_action_space = _box(bounds[:, 0], bounds[:, 1], (model.nu,))
        batch = gymnasium.vector.utils.batch_space
        self.observation_space = batch(self.single_observation_space, num_envs)
        self.action_space = batch(self.single_action_space, num_envs)
        self._state = np.zeros((num_envs, len(model.data().get_state())))
        self._steps = np.zeros(num_envs, dtype=int)
        self._ended = np.zeros(num_envs, dtype=bool)
        self._traces = None

    def reset(
        self,
        *,
        seed: "int | Sequence[int | None] | None" = None,
        options: "dict[str, Any] | None" = None,
    ) -> "tuple[Array, dict[str, Any]]":
        """Begins episodes: in all worlds, or in those of options["reset_mask"].

        seed: of all worlds together, or a list with one for each: world i then begins as Env does
            with seed[i], and goes on with its random numbers where that is None
        """
        seeds = None if seed is None or np.ndim(seed) == 0 else list(seed)
        if seeds is not None and len(seeds) != self.num_envs:
            raise InputError(f"seed: expected one or {self.num_envs}, got {len(seeds)}")
        super().reset(seed=None if seeds is not None else seed)
        if not hasattr(self, "_rngs") or (seed is not None and seeds is None):
            start = seed if seeds is None and seed is not None else self.np_random_seed
            self._rngs = _generators(start, self.num_envs)
        for world, one in enumerate(seeds or ()):
            if one is not None:
                self._rngs[world] = _generators(one, 1)[0]
        every = np.ones(self.num_envs, dtype=bool)
        mask = np.asarray((options or {}).get("reset_mask", every), dtype=bool)
        if mask.shape != every.shape:
            raise InputError(f"reset_mask: expected {every.shape}, got {mask.shape}")
        self._begin(mask)
        return self._look(), {}

    def step(
        self, actions: Array
    ) -> "tuple[Array, Array, NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]":
        task, info = self.task, {}
        if not hasattr(self, "_rngs"):
            raise gymnasium.error.ResetNeeded("call reset before the first step")
        low, high = self.single_action_space.low, self.single_action_space.high
        actions = np.clip(self._actions(actions), low, high)
        again = self._ended.copy() if self.autoreset is AutoresetMode.NEXT_STEP else None
        q, v, sensor = self._advance(actions)
        self._steps += 1
        reward = np.asarray(task.reward(q, v, actions), dtype=np.float64)
        terminated = np.asarray(task.done(q, v), dtype=bool)
        truncated = self._steps >= task.horizon
        seen = self._observe(q, v, sensor)
        if again is not None and again.any():
            # the step after an end begins the next episode
            self._begin(again)
            seen[again] = self._look()[again]
            reward[again], terminated[again], truncated[again] = 0.0, False, False
        self._ended = terminated | truncated
        if self.autoreset is AutoresetMode.SAME_STEP and self._ended.any():
            last = np.full(self.num_envs, None, dtype=object)
            for world in np.flatnonzero(self._ended):
                last[world] = seen[world].copy()
            info = {"final_obs": last, "_final_obs": self._ended.copy(), "final_info": {}}
            ended = self._ended.copy()
            self._begin(ended)
            seen[ended] = self._look()[ended]
        return seen, reward, terminated, truncated, info

    def _actions(self, actions):
        actions = doubles(actions, "actions")
        if actions.shape != self.action_space.shape:
            raise InputError(
                f"actions: expected the shape {self.action_space.shape}, got {actions.shape}"
            )
        if np.isnan(actions).any():
            world, number = np.argwhere(np.isnan(actions))[0]
            raise InputError(f"actions: number {number} of world {world} is nan")
        return actions

    def _begin(self, mask):
        for world in np.flatnonzero(mask):
            self._state[world] = self.task.start(self._rngs[world])
        self._steps[mask] = 0
        self._ended[mask] = False

    def _advance(self, actions):
        skip = self.task.skip
        controls = np.repeat(actions[:, None, :], skip, axis=1)
        traces = self._traces = self._batch.rollout(
            self._state, controls, interval=skip, out=self._traces, settings=self.task.settings
        )
        self._state = traces.end_state.copy()
        return traces.q[:, 0], traces.v[:, 0], traces.sensor[:, 0]

    def _empty(self):
        model = self.task.model
        return tuple(np.zeros((1, size)) for size in (model.nq, model.nv, model.nsensor))

    def _observe(self, q, v, sensor):
        return np.array(self.task.observe(q, v, sensor), dtype=np.float64)

    def _look(self):
        """What is seen of the states as they are; sensors are those of a step, so 0 at a start."""
        data = self.task.model.data()
        q = np.empty((self.num_envs, data.model.nq))
        v = np.empty((self.num_envs, data.model.nv))
        for world, state in enumerate(self._state):
            data.set_state(state)
            q[world], v[world] = data.q, data.v
        return self._observe(q, v, np.zeros((self.num_envs, data.model.nsensor)))


class Env(gymnasium.Env):
    """One world of a task."""

    metadata = {"render_modes": []}

    def __init__(self, task: Task):
        self._all = VectorEnv(task, 1, threads=1, autoreset_mode=AutoresetMode.DISABLED)
        self.observation_space = self._all.single_observation_space
        self.action_space = self._all.single_action_space

    def reset(
        self, *, seed: "int | None" = None, options: "dict[str, Any] | None" = None
    ) -> "tuple[Array, dict[str, Any]]":
        super().reset(seed=seed)
        seen, _ = self._all.reset(seed=seed)
        return seen[0], {}

    def step(self, action: Array) -> "tuple[Array, float, bool, bool, dict[str, Any]]":
        seen, reward, terminated, truncated, _ = self._all.step(np.asarray(action)[None])
        return seen[0], float(reward[0]), bool(terminated[0]), bool(truncated[0]), {}


def _generators(seed, count):
    return [np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(count)]


def _box(low, high, shape):
    return gymnasium.spaces.Box(low, high, shape, dtype=np.float64)

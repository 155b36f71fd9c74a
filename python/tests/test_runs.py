"""Runs, rollouts, dynamics, gradients, controllers."""

import contextlib
import gc
import json
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import warnings

import numpy as np
import pytest
from conftest import ROOT

import limpet


def test_a_log_holds_what_happened(model, tmp_path):
    log = limpet.simulate(model, 0.2, interval=0.01, contact="similar", progress=False)
    assert len(log) == 20 and log.q.shape == (20, 9) and log.sensor.shape == (20, 4)
    np.testing.assert_allclose(log.time, np.arange(1, 21) * 0.01)
    assert log.worst is limpet.Outcome.SOLVED
    assert sum(log.outcome_count.values()) == 100
    assert len(log.contacts[-1]) >= 4
    log.save(tmp_path / "run.npz")
    np.testing.assert_array_equal(np.load(tmp_path / "run.npz")["q"], log.q)
    for name in ("run.h5", "run.html"):
        with pytest.raises(limpet.InputError, match="LogWriter"):
            log.save(tmp_path / name)
        assert not list(tmp_path.glob(name + "*"))


def test_a_disk_that_fills_leaves_no_half_of_a_file(model, tmp_path):
    resource = pytest.importorskip("resource")
    log = limpet.simulate(model, seconds=0.1)
    log.save(tmp_path / "run.npz")
    before = (tmp_path / "run.npz").read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, limits[1]))
    try:
        with pytest.raises(limpet.FileError, match="run.npz: File too large"):
            log.save(tmp_path / "run.npz")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (tmp_path / "run.npz").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["run.npz"]


def test_ctrl_c_keeps_what_was_recorded(model, tmp_path):
    def stop(data):
        if data.step_count == 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match="of 1 s") as caught:
        limpet.simulate(model, 1.0, controls=stop)
    log = caught.value.done
    assert isinstance(caught.value, limpet.Interrupted) and len(log) == 20
    assert log.worst is limpet.Outcome.SOLVED
    if limpet.lib.limpet_replay_available():
        log.replay(tmp_path / "until.html")
    with pytest.raises(limpet.Interrupted) as caught:
        limpet.simulate(model, 1.0, controls=lambda data: (_ for _ in ()).throw(KeyboardInterrupt))
    assert len(caught.value.done) == 0 and not caught.value.done.worst.failed


@contextlib.contextmanager
def ctrl_c_once(begun):
    """Presses Ctrl-C as soon as `begun` says so, which must be before the block ends."""

    def press():
        while not begun():
            pass
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press, daemon=True)
    with pytest.raises(KeyboardInterrupt) as caught:
        thread.start()
        yield caught
        thread.join()


@contextlib.contextmanager
def ctrl_c_when_asked(monkeypatch, count):
    """Presses Ctrl-C, in another thread, when the library asks for the count-th time whether to go
    on; it does not ask again."""
    asked = []

    def go_on(*_):
        asked.append(True)
        if len(asked) == count:
            thread = threading.Thread(target=os.kill, args=(os.getpid(), signal.SIGINT))
            thread.start()
            thread.join()
        return True

    monkeypatch.setattr(limpet._errors, "_go_on", go_on)
    monkeypatch.setattr(limpet._errors, "_INTERVAL", 0.0)  # else the clock says when
    with pytest.raises(KeyboardInterrupt):
        yield
    monkeypatch.undo()
    assert len(asked) == count


@pytest.mark.parametrize("count", [1, 5, 15, 30, 40])  # forwards up to 20, then backwards
def test_ctrl_c_ends_the_gradient_of_a_rollout(model, monkeypatch, count):
    weights = np.ones((21, model.nv))
    whole, gradient = limpet.RolloutGradient(model, 20), limpet.RolloutGradient(model, 20)
    assert whole.compute(model.data(), 20, weight_q=weights)
    assert gradient.compute(model.data(), 20, weight_q=weights)
    data = model.data()
    with ctrl_c_when_asked(monkeypatch, count):
        gradient.compute(data, 20, weight_q=weights)
    assert data.step_count == min(count - 1, 20)
    with pytest.raises(limpet.StateError, match="there is no gradient"):
        _ = gradient.by_control  # nor that of before
    assert gradient.reason == "stopped"
    assert gradient.compute(model.data(), 20, weight_q=weights)
    assert np.array_equal(gradient.by_control, whole.by_control)


@pytest.mark.parametrize(("interval", "count"), [(0.0, 40), (1e9, 1)])
def test_signals_are_looked_for_once_in_an_interval(model, monkeypatch, interval, count):
    asked = []
    monkeypatch.setattr(limpet._errors, "_go_on", lambda *_: asked.append(True) or True)
    monkeypatch.setattr(limpet._errors, "_INTERVAL", interval)
    gradient = limpet.RolloutGradient(model, 20)
    assert gradient.compute(model.data(), 20, weight_q=np.ones((21, model.nv)))
    assert len(asked) == count


SOFT = """
<mujoco><asset><mesh name="m" builtin="sphere" params="2" scale=".1 .1 .1" limpet:concave="true"/>
</asset><worldbody><geom type="plane" size="1 1 .1"/><body><freejoint/><geom type="mesh" mesh="m"
limpet:elastic_modulus="1e5"/></body></worldbody></mujoco>
"""


@pytest.mark.parametrize("count", [1, 20, 60])
def test_ctrl_c_ends_a_compilation(monkeypatch, tmp_path, count):
    (tmp_path / "soft.xml").write_text(SOFT)
    builder = limpet.Builder(tmp_path / "soft.xml")
    whole = builder.compile()
    with ctrl_c_when_asked(monkeypatch, count):
        builder.compile()
    assert builder.compile().hash == whole.hash
    with ctrl_c_when_asked(monkeypatch, count):
        limpet.load(tmp_path / "soft.xml")
    with ctrl_c_when_asked(monkeypatch, count):
        limpet.load_text(SOFT)


def test_ctrl_c_ends_the_reading_of_files(monkeypatch, tmp_path):
    faces = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
    names = [f"part{i}.obj" for i in range(3)]
    for name in names:
        (tmp_path / name).write_text(faces)
    meshes = "".join(f"<mesh name='{name}' file='{name}'/>" for name in names)
    geoms = "".join(f"<geom type='mesh' mesh='{name}'/>" for name in names)
    (tmp_path / "parts.xml").write_text(
        f"<mujoco><asset>{meshes}</asset><worldbody>{geoms}</worldbody></mujoco>"
    )
    with ctrl_c_when_asked(monkeypatch, 3):
        limpet.Builder(tmp_path / "parts.xml")


@pytest.mark.parametrize("count", [1, 20, 60])
def test_ctrl_c_ends_the_making_of_a_field(monkeypatch, count):
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1)]
    faces += [(2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
    with ctrl_c_when_asked(monkeypatch, count):
        limpet.PressureField(vertices=corners, faces=faces)

    def pressure(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        limpet.PressureField(vertices=corners, faces=faces, function=pressure)


def test_what_progress_raises_ends_a_compilation():
    told = []

    def fail(done, count):
        told.append((done, count))
        if done > 1:
            raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        limpet.load_text(SOFT, progress=fail)
    assert told[-1][0] > 1 and all(done <= 1 and count == 2 for done, count in told[:-1])


def test_other_threads_hear_of_no_ctrl_c(model, monkeypatch):
    def fail(*_):
        raise AssertionError("asked in another thread")

    monkeypatch.setattr(limpet._errors, "_go_on", fail)
    found = []
    thread = threading.Thread(target=lambda: found.append(limpet.load_text(SOFT)))
    thread.start()
    thread.join()
    assert found[0].geom_count == 2


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_a_rollout(model, threads):
    batch = limpet.Batch(model, threads)
    expected = batch.rollout(steps=20, worlds=3).end_state
    with ctrl_c_once(batch._busy.locked):
        batch.rollout(steps=10**9, worlds=3, interval=10**9)  # days
    np.testing.assert_array_equal(batch.rollout(steps=20, worlds=3).end_state, expected)


def test_ctrl_c_ends_a_plan():
    content = json.loads((ROOT / "scenes/plans/pendulum.json").read_text())
    plan = limpet.Plan(limpet.load(ROOT / "scenes/plans" / content.pop("model")), content)
    plan.settings.cost_tolerance = 0.0
    with ctrl_c_once(lambda: plan.iterations > 0):
        plan.solve()
    ended = plan.iterations, plan.cost
    assert all(map(np.isfinite, (plan.cost, *sum(plan.terms.values(), ()))))
    plan.solve(lambda number, cost: number < 3)
    assert ended[0] > 0 and plan.cost <= ended[1]


def test_the_last_step_always_has_a_record(model):
    every = limpet.simulate(model, 0.1)
    for interval, count in ((0.03, 4), (0.05, 2), (1.0, 1)):
        log = limpet.simulate(model, 0.1, interval=interval)
        assert len(log) == count
        np.testing.assert_array_equal(log.q[-1], every.q[-1])


def test_intervals_that_make_no_sense_are_told(model):
    for interval in (np.nan, np.inf, -1.0):
        with pytest.raises(limpet.InputError, match="interval"):
            limpet.simulate(model, 0.01, interval=interval)


def test_a_world_is_stepped_by_one_thread_at_a_time(model):
    data, refused, inside = model.data(), [], threading.Event()

    def others():
        inside.wait()
        try:
            limpet.step(model, data)
        except limpet.StateError as reason:
            refused.append(reason)

    thread = threading.Thread(target=others)
    thread.start()
    data._stepper = threading.get_ident()  # as while this thread is within a step
    inside.set()
    thread.join()
    assert len(refused) == 1 and data.step_count == 0
    data._stepper = 0
    limpet.step(model, data)
    assert data.step_count == 1 and data._stepper == 0
    # for real: worlds of their own go on side by side, one that is shared stays whole
    worlds = [model.data() for _ in range(3)] + [data]
    done = [threading.Thread(target=_step_often, args=(model, w)) for w in worlds + [data]]
    for thread in done:
        thread.start()
    for thread in done:
        thread.join()
    assert all((w.q == worlds[0].q).all() and w.step_count == 200 for w in worlds[:3])


def _step_often(model, data):
    for _ in range(200):
        try:
            limpet.step(model, data)
        except limpet.StateError:
            pass


def test_settings_of_a_plan_keep_it_alive(model):
    source = {"duration": 0.02, "cost": [{"kind": "control", "running": 1}]}
    settings = limpet.Plan(model, source).settings
    limit = settings.iteration_limit
    gc.collect()
    plans = [limpet.Plan(model, source) for _ in range(20)]
    plans[0].settings.iteration_limit = limit + 1
    assert settings.iteration_limit == limit and plans[0].settings.iteration_limit == limit + 1
    for name, value in (("threads", 0), ("iteration_limit", -1), ("cost_tolerance", np.nan)):
        plan = limpet.Plan(model, source)
        setattr(plan.settings, name, value)
        with pytest.raises(limpet.InputError, match=name):
            plan.solve()


def test_replays_are_pages(model, tmp_path):
    log = limpet.simulate(model, 0.05)
    if not limpet.lib.limpet_replay_available():
        pytest.skip("built without the viewer")
    log.replay(tmp_path / "run.html")
    assert "<html" in (tmp_path / "run.html").read_text()
    assert "<iframe" in log._repr_html_()
    with pytest.raises(limpet.InputError):
        limpet.simulate(model, 0.01, replay=False).replay(tmp_path / "none.html")


def test_controls_come_in_three_forms(model):
    table = np.linspace(0, 1, 50)[:, None]
    first = limpet.simulate(model, 0.1, controls=table)
    second = limpet.simulate(model, 0.1, controls=lambda d: [table[round(d.time / 0.002), 0]])
    np.testing.assert_array_equal(first.q, second.q)
    with pytest.raises(limpet.InputError, match="controls"):
        limpet.simulate(model, 0.1, controls=np.zeros((3, 1)))
    with pytest.raises(limpet.InputError, match="seconds"):
        limpet.simulate(model, float("nan"))


def test_rollouts_are_steps(model):
    generator = np.random.default_rng(1)
    worlds, steps = 6, 40
    states = []
    for _ in range(worlds):
        data = model.data()
        data.q[:2] = generator.uniform(-1, 1, 2)
        states.append(data.get_state())
    controls = generator.normal(size=(worlds, steps, model.nu))
    one = limpet.rollout(model, states, controls, threads=1)
    two = limpet.rollout(model, states, controls, threads=3)
    np.testing.assert_array_equal(one.q, two.q)
    for w in range(worlds):
        data = model.data()
        data.set_state(states[w])
        for k in range(steps):
            data.control[:] = controls[w, k]
            limpet.step(model, data)
            np.testing.assert_array_equal(one.q[w, k], data.q)
            np.testing.assert_array_equal(one.sensor[w, k], data.sensor)
    again = limpet.rollout(model, states, controls, threads=2, out=one)
    assert again is one and one.worst is limpet.Outcome.SOLVED
    sparse = limpet.rollout(model, states, controls, interval=8)
    np.testing.assert_array_equal(sparse.v, one.v[:, 7::8])
    with pytest.raises(limpet.InputError, match="controls"):
        limpet.rollout(model, states, controls[:, :, :0])
    with pytest.raises(limpet.InputError, match="out.q"):
        limpet.rollout(model, states, controls[:, :5], out=one)


def test_dynamics_agree_with_each_other(model, data):
    generator = np.random.default_rng(2)
    data.q[:2] = generator.normal(size=2)
    data.v[:] = generator.normal(size=model.nv)
    mass = data.full_mass_matrix()
    np.testing.assert_allclose(mass, mass.T, atol=1e-12)
    vdot = generator.normal(size=model.nv)
    bias = data.inverse_dynamics(np.zeros(model.nv))
    np.testing.assert_allclose(data.inverse_dynamics(vdot), mass @ vdot + bias, atol=1e-10)
    assert data.kinetic_energy() == pytest.approx(0.5 * data.v @ mass @ data.v)
    velocity = data.jacobian("box") @ data.v
    np.testing.assert_allclose(velocity[3:], data.v[2:5], atol=1e-12)
    before = data.q.copy()
    d = generator.normal(size=model.nv) * 0.1
    data.integrate(d)
    after = data.q.copy()
    data.q[:] = before
    np.testing.assert_allclose(data.difference(after), d, atol=1e-9)


def test_gradients_are_those_of_differences(model, data):
    limpet.step(model, data, 100)
    gradient = limpet.Gradient(model)
    copies = [data.copy() for _ in range(2)]
    assert gradient.step(data, tolerance=1e-12) is limpet.Outcome.SOLVED
    assert gradient.reason is None
    h = 1e-5
    for copy, sign in zip(copies, (1, -1), strict=True):
        copy.control[0] += sign * h
        limpet.step(model, copy, tolerance=1e-12)
    difference = (copies[0].v - copies[1].v) / (2 * h)
    np.testing.assert_allclose(gradient.dv["control"][:, 0], difference, atol=1e-6)
    weight = np.arange(model.nv, dtype=float)
    np.testing.assert_allclose(
        gradient.adjoint(weight_v=weight)["control"], weight @ gradient.dv["control"], atol=1e-12
    )


def test_smoothed_gradients(model, data):
    """Smoothing is of the derivatives: the world moves with the same bits."""
    plain, other = limpet.Gradient(model), data.copy()
    plain.step(other)
    spreads = {"spread_position": 1e-3, "spread_velocity": 0.01}
    random = limpet.Gradient(model, smoothing={"kind": "random", "samples": 4, **spreads})
    again = data.copy()
    random.step(data)
    former = {"spread_q": 1e-3, "spread_v": 0.01}  # names that these had before
    other_name = limpet.Gradient(model, smoothing={"kind": "random", "samples": 4, **former})
    other_name.step(again)
    assert (random.dv["v"] == other_name.dv["v"]).all()
    assert (data.q == other.q).all() and random.reason is None
    assert random.dv["v"].shape == plain.dv["v"].shape
    assert not (random.dv["v"] == plain.dv["v"]).all()
    with pytest.raises(limpet.InputError, match="samples is 3; an even number"):
        limpet.Gradient(model, smoothing={"kind": "random", "samples": 3})
    with pytest.raises(limpet.InputError, match="no smoothing"):
        limpet.Gradient(model, smoothing={"kind": "soft"})
    with pytest.raises(limpet.InputError, match="has no 'width'"):
        limpet.Gradient(model, smoothing={"kind": "random", "width": 3})


def test_controllers_and_inverse_kinematics(scenes):
    model = limpet.load(scenes / "falling_boxes.xml")
    with pytest.raises(limpet.InputError):
        limpet.Controller(model, {"nonsense": 1})
    with pytest.raises(limpet.FileError):
        limpet.Controller.load(model, scenes / "none.json")
    arm = limpet.load_text(
        "<mujoco><worldbody><body name='a'><joint name='j' axis='0 1 0'/>"
        "<geom type='capsule' fromto='0 0 0 .5 0 0' size='.02'/>"
        "<body name='b' pos='.5 0 0'><joint name='k' axis='0 1 0'/>"
        "<geom type='capsule' fromto='0 0 0 .5 0 0' size='.02'/></body></body></worldbody>"
        "</mujoco>"
    )
    data = arm.data()
    target = (0.6, 0.0, 0.3)
    reach = limpet.inverse_kinematics(
        data, ["j", "k"], [{"body": "b", "point": (0.5, 0, 0), "position": target}], q=[-0.5, 0.5]
    )
    assert reach.solved, reach
    data.q[:] = reach.q
    data.kinematics()
    tip = data.body("b").position + data.body("b").rotation.reshape(3, 3) @ (0.5, 0, 0)
    np.testing.assert_allclose(tip, target, atol=1e-8)
    with pytest.raises(limpet.InputError, match="task"):
        limpet.inverse_kinematics(data, ["j"], [{"nose": 1}])


def test_logs_hold_what_steps_say(scenes):
    """Rows are taken as memory and read in the end: the same as reading after each step."""
    model = limpet.load(scenes / "falling_boxes.xml")
    data = model.data()
    log = limpet.simulate(model, 0.7, interval=2 * model.time_step, replay=False)
    for k in range(len(log)):
        limpet.step(model, data, 2)
        assert log.time[k] == data.time and log.outcome[k] == data.info.outcome
        for name in ("q", "v", "control", "sensor"):
            np.testing.assert_array_equal(getattr(log, name)[k], getattr(data, name))
        for name, values in log.info.items():
            np.testing.assert_equal(values[k], getattr(data.info, name), name)
        assert isinstance(log.contacts[k], np.recarray)
        np.testing.assert_array_equal(log.contacts[k], data.contacts)
    assert len(log.contacts[-1]) > 10
    assert log.contacts[-1].slip_speed.shape == log.contacts[-1].pair.shape[:1]


def test_a_run_lasts_at_least_as_long_as_it_is_asked(scenes):
    """As `limpet run` counts steps, so that both end in the same state."""
    model = limpet.load(scenes / "falling_boxes.xml")
    for seconds, dt, steps in ((0.1, 7e-3, 15), (0.01, 3e-4, 34), (0.1, 2e-3, 50), (1e-4, 2e-3, 1)):
        assert len(limpet.simulate(model, seconds, dt=dt, replay=False)) == steps


def test_recording_calls_little(scenes):
    """Calls of functions for each step that is recorded: no clock, which lies on a loaded machine.
    Reading contacts and info after each step took 130."""
    model, calls = limpet.load(scenes / "falling_boxes.xml"), 0

    def count(frame, event, argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    def counted(seconds):
        nonlocal calls
        calls = 0
        sys.setprofile(count)
        try:
            limpet.simulate(model, seconds, replay=False)
        finally:
            sys.setprofile(None)
        return calls

    counted(model.time_step)  # imports
    steps = 200
    more = counted(2 * steps * model.time_step) - counted(steps * model.time_step)
    assert more < 45 * steps, more / steps


def golden_files(golden):
    for folder in ("menagerie", "mjcf"):
        yield from sorted((golden / "dynamics" / folder).rglob("*.json"))


def quietly(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", limpet.LimpetWarning)
        return limpet.load(path)


def test_golden_dynamics_from_python(golden):
    """Mass matrix, bias and energy of MuJoCo's states, through the package."""
    compared, left_out = 0, []
    for path in golden_files(golden):
        content = json.loads(path.read_text())
        try:
            model = quietly(golden.parent / "models" / content["model"])
        except limpet.LimpetError as reason:
            left_out.append(f"{content['model']}: {reason.message.splitlines()[0]}")
            continue
        if any(note.unsupported for note in model.notes):
            left_out.append(f"{content['model']}: not all of it is simulated")
            continue
        data = model.data()
        for state in content["states"]:
            if state.get("M") is None or len(state["qpos"]) != model.nq:
                continue
            data.q[:], data.v[:] = state["qpos"], state["qvel"]
            mass = np.array(state["M"], dtype=float).reshape(model.nv, model.nv)
            scale = 1e-6 * max(np.abs(mass).max(initial=0.0), 1e-9)
            np.testing.assert_allclose(data.full_mass_matrix(), mass, rtol=1e-6, atol=scale)
            bias = data.inverse_dynamics(np.zeros(model.nv))
            size = np.abs(state["qfrc_bias"]).max(initial=0.0) if model.nv else 0.0
            np.testing.assert_allclose(bias, state["qfrc_bias"], rtol=1e-6, atol=2e-6 * size + 1e-9)
            compared += 1
    print(f"{compared} states compared, {len(left_out)} files left out")
    assert compared > 300, left_out


def forked(function):
    """What a function gives in a fork of this process, which has no other threads."""
    context = multiprocessing.get_context("fork")
    ends = context.Pipe(duplex=False)
    child = context.Process(target=lambda: ends[1].send(function()))
    child.start()
    try:
        assert ends[0].poll(60), "the fork hangs"
        return ends[0].recv()
    finally:
        child.kill()
        child.join()


@pytest.mark.filterwarnings("ignore:This process")
def test_batches_go_on_in_a_fork(model):
    """The threads of a batch and of a world stay with the process that made them."""
    batch = limpet.Batch(model, 3)
    expected = batch.rollout(steps=20, worlds=5).end_state
    end = forked(lambda: limpet.Batch.rollout(batch, steps=20, worlds=5).end_state)
    np.testing.assert_array_equal(end, expected)

    def destroyed():
        nonlocal batch
        del batch
        gc.collect()
        return True

    assert forked(destroyed)
    data, twin = model.data(), model.data()
    for one in (data, twin):
        limpet.step(model, one, 5, threads=3)
    limpet.step(model, twin, 5, threads=3)
    assert forked(lambda: (limpet.step(model, data, 5, threads=3), data.state_hash)[1]) == (
        twin.state_hash
    )


def run_threads(*functions):
    problems = []

    def call(function):
        try:
            function()
        except BaseException as reason:
            problems.append(reason)

    threads = [threading.Thread(target=call, args=(f,), daemon=True) for f in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "threads hang"
    return problems


def test_threads_share_a_batch(model):
    batch, controls = limpet.Batch(model, 2), np.random.default_rng(0).normal(size=(6, 60, 1))
    expected = limpet.rollout(model, controls=controls, threads=1).end_state
    ends = []
    assert not run_threads(*4 * [lambda: ends.append(batch.rollout(controls=controls).end_state)])
    for end in ends:
        np.testing.assert_array_equal(end, expected)


def test_worlds_are_of_one_thread_while_they_step(model):
    """What would read or change a world in the middle of a run is an error in other threads."""
    data, state, problems = model.data(), model.data().get_state(), []
    meddlers = (
        *(data.copy, data.reset, data.forward_dynamics, lambda: data.set_state(state)),
        *(lambda: data.contacts, lambda: limpet.step(model, data), lambda: pickle.dumps(data)),
        lambda: limpet.simulate(model, 0.02, data=data, replay=False),
    )

    def inside(same):
        limpet.step(model, same)  # the thread that runs it may
        problems.append(run_threads(*meddlers))

    log = limpet.simulate(model, 0.004, data=data, controls=inside)
    assert log.worst is limpet.Outcome.SOLVED
    for refused in problems:
        assert len(refused) == len(meddlers)
        assert all("another thread" in str(reason) for reason in refused), refused
    assert not run_threads(*meddlers[:1])


def test_rollouts_refuse_what_is_no_whole_number(model):
    batch = limpet.Batch(model, 1)
    for words in ({"steps": 2.7}, {"steps": 2, "worlds": 1.5}, {"steps": 4, "interval": 1.5}):
        with pytest.raises(TypeError, match="expected a whole number"):
            batch.rollout(**words)
    with pytest.raises(limpet.InputError, match="expected numbers"):
        batch.rollout(controls=[[[None]]])
    with pytest.raises(TypeError, match="Traces"):
        batch.rollout(steps=2, out=3)
    for threads in (0, 10**6, 2**40):
        with pytest.raises(limpet.InputError, match="1 to 1024"):
            limpet.Batch(model, threads)
    with pytest.raises(limpet.InputError, match="not both"):
        limpet.simulate(model, 0.1, data=model.data(), keyframe="raised")

"""Worlds: views, steps, contacts, state, settings, and misuse."""

import _thread
import gc
import inspect
import pickle
import signal
import sys
import threading
import weakref

import numpy as np
import pytest

import limpet


def test_named_access_writes_into_the_world(data):
    data.joint("elbow").q = 0.3
    assert data.q[1] == 0.3
    data.actuator("lift").control = 1.5
    assert data.control[0] == 1.5
    assert data.joint("elbow").q.shape == (1,)
    with pytest.raises(AttributeError, match="it has"):
        print(data.joint("elbow").mass)


def test_bodies_are_pushed_by_name(data):
    data.body("box").applied_wrench = [0, 0, 0, 1, 2, 3]
    np.testing.assert_array_equal(data.applied_wrench[data.body("box").index], [0, 0, 0, 1, 2, 3])
    assert data.body("box").applied_wrench.shape == (6,)
    with pytest.raises(limpet.InputError, match="applied_wrench"):
        data.body("box").applied_wrench = [1, 2]
    with pytest.raises(AttributeError, match="here it is applied_wrench"):
        print(data.body("box").xfrc_applied)


def test_a_world_keeps_its_model(model, data):
    with pytest.raises(AttributeError):
        data.model = limpet.load_text("<mujoco/>")
    assert data.model is model


def test_a_state_that_is_no_number_is_named(model, data):
    data.joint("elbow").q = np.nan
    assert limpet.step(model, data) >= limpet.Outcome.ISLAND_FAILED
    assert data.bad_input == "q 1 'elbow' is nan"


def test_attributes_that_are_not_there(model, data):
    """A name that is misspelt, or MuJoCo's, is an error, and not an attribute from then on."""
    for owner, name, hint in (
        *((data, "qpos", "here it is q"), (data, "ctrl", "here it is control")),
        *((data, "contrl", "did you mean 'control'"), (model, "opt", "time_step")),
        *((model, "nbody", "here it is body_count"), (model, "bodymass", "body_mass")),
    ):
        with pytest.raises(AttributeError, match=hint):
            getattr(owner, name)
        with pytest.raises(AttributeError, match=hint):
            setattr(owner, name, 0.0)
        assert not hasattr(owner, name)


def test_names_of_mujoco_lead_to_what_is_there(model, data):
    from limpet import _data, _model

    for owner, names in ((data, _data._MUJOCO), (model, _model._MUJOCO)):
        for old, new in names.items():
            assert not hasattr(owner, old)
            word = new.removeprefix("model.").split(",")[0].split(" ")[0].removesuffix("()")
            assert hasattr(owner, word), (old, new)


def test_views_are_made_once_and_outlive_the_world(model):
    data = model.data()
    q = data.q
    assert data.q is q
    q[0] = 0.25
    limpet.step(model, data)
    assert q[0] == data.q[0] != 0.25
    del data
    gc.collect()
    q[0] = 1.0  # memory that is still there
    assert q[0] == 1.0


def test_worlds_are_freed(model):
    handles = []
    for _ in range(5):
        data = model.data()
        data.q, data.body_position, data.contacts, data.settings  # noqa: B018  makes views
        handles.append(weakref.ref(data._handle))
    del data
    gc.collect()
    assert [handle() for handle in handles] == [None] * 5


def test_a_step_is_that_of_the_library(model, data):
    lib = limpet.lib
    other = model.data()
    settings = limpet.Settings(model)
    for _ in range(50):
        lib.limpet_step(model._record, other._record, settings._record)
    assert limpet.step(model, data, 50) is limpet.Outcome.SOLVED
    np.testing.assert_array_equal(data.get_state(), other.get_state())
    assert data.info.outcome == limpet.Outcome.SOLVED
    assert data.info.contact_count == len(data.contacts)


def test_contacts_are_the_arrays_of_the_world(model, data):
    """Every column is its array, and reading all of them is cheap: loops read them every step."""
    from limpet import _data

    limpet.step(model, data, 400)
    contacts = data.contacts
    assert len(contacts) > 2
    for column, field in _data._COLUMNS.items():
        array = getattr(data, field.name)
        np.testing.assert_array_equal(contacts[column].ravel(), array.ravel())
        assert contacts[column].dtype == array.dtype
    calls = 0

    def count(frame, event, argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    data.contacts  # noqa: B018
    sys.setprofile(None)
    assert calls < 250  # 64; 815 where each array looks up its shape


def test_contacts_carry_the_weight(model, data):
    limpet.step(model, data, 300)
    contacts = data.contacts
    box, floor = model.geom("box").index, model.geom("floor").index
    rows = contacts[(contacts.pair == sorted((floor, box))).all(axis=1)]
    assert len(rows) == 4
    total = rows.force_world.sum(axis=0)
    np.testing.assert_allclose(total, (0, 0, 0.5 * 9.81), atol=1e-6)
    assert (rows.slip_speed < 1e-6).all()
    for contact in rows:
        assert contact.frame.shape == (3, 3) and contact.sticks
    contacts.force[:] = 0.0  # a copy
    assert data.contacts.force.any()


def test_sensors_read_by_name(model, data):
    data.reset("raised")
    limpet.step(model, data)
    assert data.sensor_values("angle") == pytest.approx(-0.5)
    np.testing.assert_allclose(data.sensor_values("where"), (1, 0, 0.2), atol=1e-12)


def test_copies_go_on_alike(model, data):
    data.control[:] = 0.7
    data.applied_wrench[3, 3] = 0.2
    limpet.step(model, data, 30)
    other = data.copy()
    limpet.step(model, data, 30)
    limpet.step(model, other, 30)
    np.testing.assert_array_equal(data.get_state(), other.get_state())


def test_settings_are_checked(model, data):
    settings = limpet.Settings(model, contact="sap", dt=1e-3)
    assert settings.contact_model.name == "sap" and settings.time_step == 1e-3
    with pytest.raises(limpet.InputError, match="time_step"):
        settings.time_step = -1.0
    assert settings.time_step == 1e-3
    with pytest.raises(limpet.InputError, match="coulomb"):
        limpet.Settings(model, contact="soft")
    with pytest.raises(AttributeError, match="there are"):
        settings.colour = 3
    with pytest.raises(AttributeError, match="did you mean 'contact'"):
        settings.contct = "sap"
    with pytest.raises(limpet.InputError, match="built in"):
        settings.normal_law = "hertz"
    with pytest.raises(limpet.InputError, match="does not take"):
        settings.contact_model = "pgs"
    with pytest.raises(limpet.InputError, match="no normal law"):
        limpet.Settings(model, contact="anitescu", normal_law="hertz")
    assert settings.contact_model.name == "sap"
    settings.scheme = "impulse"
    settings.contact_model = "pgs"
    settings.scheme = "discrete"
    assert settings.contact_model.name == "coulomb"
    settings.single_point = True
    assert settings.single_point is True
    limpet.step(model, data, 2, contact="similar", dt=1e-3)
    assert data.time == pytest.approx(2e-3)
    data.settings.time_step = 5e-4
    limpet.step(model, data)
    assert data.time == pytest.approx(2.5e-3)


def test_what_is_wrong_is_named(model, data):
    with pytest.raises(limpet.InputError, match="^control: "):
        data.control = [1.0] * 99
    with pytest.raises(AttributeError, match="result of limpet_kinematics"):
        data.body_position = np.zeros((len(data.body_position), 3))
    with pytest.raises(AttributeError, match="result of limpet_kinematics"):
        data.body(1).position = [0.0, 0.0, 0.0]
    with pytest.raises(limpet.InputError, match="not a text of JSON"):
        limpet.Controller(model, "sway.json")
    with pytest.raises(TypeError, match="is made by"):
        limpet.Trajectory([0.0, 1.0], [[0.0], [1.0]])
    with pytest.raises(TypeError, match="model is a limpet.Model"):
        limpet.step(None, data)


def test_bad_numbers_are_an_outcome(model, data):
    data.control[0] = np.nan
    state = data.get_state()
    outcome = limpet.step(model, data)
    assert outcome is limpet.Outcome.BAD_INPUT and outcome.failed
    np.testing.assert_array_equal(state, data.get_state())


WRONG = [None, 3, "text", [1, "a"], {}, np.zeros(2), object()]


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_wrong_things_raise(model, data, wrong):
    for call in (
        lambda: limpet.step(wrong, data),
        lambda: limpet.step(model, wrong),
        lambda: limpet.step(model, data, settings=wrong if wrong is not None else 1),
        lambda: data.set_state(wrong),
        lambda: limpet.simulate(wrong, 1.0),
        lambda: limpet.simulate(model, 1.0, controls=wrong if wrong is not None else "x"),
        lambda: limpet.Batch(wrong),
        lambda: limpet.Gradient(wrong),
        lambda: limpet.load_text(wrong),
        lambda: data.jacobian("box", wrong if wrong is not None else "x"),
    ):
        with pytest.raises((TypeError, ValueError, limpet.LimpetError, KeyError)):
            call()


@pytest.mark.parametrize("wrong", [None, "text", np.zeros(2), object(), {}], ids=repr)
def test_arrays_take_numbers_of_their_shape(data, wrong):
    before = data.q.copy()
    with pytest.raises((TypeError, ValueError)):
        data.q = wrong
    np.testing.assert_array_equal(data.q, before)


def test_a_world_belongs_to_its_model(model, data):
    other = limpet.load_text("<mujoco/>")
    with pytest.raises(limpet.StateError):
        limpet.step(other, data)


def python_calls(work):
    """Functions of Python that run meanwhile."""
    names = []
    sys.setprofile(lambda frame, event, _: event == "call" and names.append(frame.f_code.co_name))
    try:
        work()
    finally:
        sys.setprofile(None)
    return names


def test_a_step_of_a_loop_runs_no_python(model, data):
    assert limpet.step(model, data) is limpet.Outcome.SOLVED
    step, other = limpet.step, data.copy()
    outcomes = []

    def some():
        outcomes.append(step(model, data))
        outcomes.append(step(model, data, 3))

    assert python_calls(some) == ["some"]
    assert outcomes == [limpet.Outcome.SOLVED] * 2
    # the same by the general function, and by words
    assert "step" in python_calls(lambda: step(model, other, count=2, settings=other.settings))
    step(model, other, 2, None)
    np.testing.assert_array_equal(data.get_state(), other.get_state())
    assert list(inspect.signature(step).parameters)[:4] == ["model", "data", "count", "settings"]
    assert pickle.loads(pickle.dumps(step)) is step


def test_a_step_in_c_refuses_what_it_must(model, data):
    limpet.step(model, data)
    time = data.time
    with pytest.raises(limpet.InputError, match="-1 times"):
        limpet.step(model, data, -1)
    with pytest.raises(TypeError, match="count: expected a whole number"):
        limpet.step(model, data, "2")
    with pytest.raises(limpet.StateError, match="another model"):
        limpet.step(limpet.load_text("<mujoco/>"), data)
    data._stepper = threading.get_ident() + 1
    with pytest.raises(limpet.StateError, match="another thread"):
        limpet.step(model, data)
    data._stepper = 0
    assert data.time == time
    data.control[0] = np.nan
    assert limpet.step(model, data, 2) is limpet.Outcome.BAD_INPUT


def test_ctrl_c_ends_steps(model, data):
    # a shell that starts this in the background has it ignore the signal
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    limpet.step(model, data)

    def interrupt():
        while data.time < 0.02:
            pass
        _thread.interrupt_main()

    watcher = threading.Thread(target=interrupt)
    watcher.start()
    with pytest.raises(KeyboardInterrupt):
        limpet.step(model, data, 10**9)
    watcher.join()
    signal.signal(signal.SIGINT, before)
    assert limpet.step(model, data) is limpet.Outcome.SOLVED


def test_a_world_that_nothing_holds_is_freed(model):
    data = model.data()
    limpet.step(model, data)
    held = sys.getrefcount(model)
    data.info.cycle = data  # only the collector finds it
    gone = weakref.ref(data)
    del data
    gc.collect()
    assert gone() is None and sys.getrefcount(model) == held - 1


def test_threads_step_side_by_side(model):
    worlds = [model.data() for _ in range(4)]
    threads = [threading.Thread(target=limpet.step, args=(model, w, 200)) for w in worlds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for world in worlds[1:]:
        np.testing.assert_array_equal(worlds[0].get_state(), world.get_state())


def test_gradients_tell_jumps():
    plate = limpet.load_text(
        "<mujoco><option gravity='0 0 0'/><worldbody><geom type='box' size='1 1 0.02'/>"
        "<body><freejoint/><geom type='sphere' size='0.01'/></body></worldbody></mujoco>"
    )
    for height, told in ((4e-8, True), (1e-5, False)):
        data = limpet.Data(plate)
        data.q[2] = height
        gradient = limpet.Gradient(plate, jump_width=1e-7)
        gradient.step(data)
        assert gradient.reason is None
        if told:
            assert gradient.jump["cause"] == "contacts" and gradient.jump["contact"] == 0
            assert abs(gradient.jump["distance"] - height) < 1e-10
            assert np.isinf(gradient.kink["q"]).all()
        else:
            assert gradient.jump is None

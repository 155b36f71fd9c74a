"""Wrong arguments are named: which one, what was expected, and what came."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import limpet

WRONG = [
    (lambda m, d: limpet.Model(None), TypeError, "made by limpet.load"),
    (lambda m, d: limpet.Data("arm"), TypeError, "model is a limpet.Model, not str"),
    (lambda m, d: limpet.Settings(d), TypeError, "model is a limpet.Model, not Data"),
    (lambda m, d: limpet.step(m, d, 1.5), TypeError, "count: expected a whole number, got 1.5"),
    (lambda m, d: limpet.step(m, d, None), TypeError, "count: expected a whole number"),
    (lambda m, d: d.joint(np.ones(2)), TypeError, "joint is chosen by name or number"),
    (lambda m, d: d.joint(None), TypeError, "joint is chosen by name or number"),
    (lambda m, d: setattr(d, "time", np.ones(2)), ValueError, "time: expected a number"),
    (lambda m, d: setattr(d, "q", object()), ValueError, "^q: "),
    (lambda m, d: d.set_pose(d.q, time="now"), ValueError, "time: expected a number, got 'now'"),
    (lambda m, d: limpet.simulate(m, "3 s"), ValueError, "seconds: expected a number, got '3 s'"),
    (lambda m, d: limpet.simulate(m, "1"), ValueError, "seconds: expected a number, got '1'"),
    (lambda m, d: limpet.simulate(m, 1e12), ValueError, r"seconds is 1e\+12; give 1e\+09 at most"),
    (lambda m, d: limpet.simulate(m, 1, controls="u.csv"), ValueError,
     r"limpet.read_controls\(model, 'u.csv'\)"),
    (lambda m, d: limpet.load_text("<mujoco/>").data().reset("home"), ValueError,
     "no keyframe 'home'; the model has none"),
    (lambda m, d: limpet.load("/dev"), OSError, "is a folder; give a file in it"),
    (lambda m, d: limpet.simulate(m, 1, interval=[]), ValueError, "interval: expected a number"),
    (lambda m, d: limpet.rollout(None), TypeError, "model: expected a list of limpet.Model"),
    (lambda m, d: limpet.Batch([]), ValueError, "no models"),
    (lambda m, d: limpet.Batch([m, d]), TypeError, "model is a limpet.Model, not Data"),
    (lambda m, d: limpet.Batch(m, "two"), TypeError, "threads: expected a whole number"),
    (lambda m, d: limpet.rollout(m, np.zeros((2, m.nq + m.nv)), steps=1), ValueError,
     "what data.get_state"),
    (lambda m, d: limpet.load("a.urdf", packages=3), TypeError, "packages: expected a str or a"),
    (lambda m, d: limpet.rollout(m, steps=1.5), TypeError, "steps: expected a whole number"),
    (lambda m, d: limpet.write_replays(3, "a"), TypeError, "replays: expected a list"),
    (lambda m, d: limpet.LogWriter("a", d, interval=None), ValueError, "interval: expected a"),
    (lambda m, d: limpet.RolloutGradient(m, "9"), TypeError, "step_limit: expected a whole"),
    (lambda m, d: limpet.ParameterGradient(limpet.Builder(), 3), TypeError, "names: expected"),
    (lambda m, d: limpet.PressureField("box", size=(1, 1, 1), modulus=None), ValueError,
     "modulus: expected a number, got None"),
    (lambda m, d: limpet.inverse_kinematics(d, 0.5, []), TypeError, "joints: expected a list"),
    (lambda m, d: limpet.inverse_kinematics(d, "elbow", []), TypeError, "joints: expected a list"),
    (lambda m, d: limpet.inverse_kinematics(d, ["elbow"], [3]), TypeError, "a task is a dict"),
    (lambda m, d: limpet.joint_forces(d, 3, []), TypeError, "joints: expected a list"),
    (lambda m, d: limpet.Builder().add_exclude(0, "hand"), ValueError, "no body 'hand'"),
    (lambda m, d: limpet.Builder().body("wrld"), ValueError, "did you mean 'world'"),
    (lambda m, d: limpet.contact_models["spa"], KeyError, "did you mean 'sap'"),
    (lambda m, d: limpet.contact_models["lagged"].parameters["stictionspeed"], KeyError,
     "did you mean 'stiction_speed'"),
    (lambda m, d: setattr(m.body("box"), "mass", 2), AttributeError,
     "a model does not change, mass of a body neither; edit a limpet.Builder"),
    (lambda m, d: setattr(m.body("box"), "weight", 2), AttributeError, "has no 'weight'; it has"),
    (lambda m, d: d.step(), AttributeError, r"here it is limpet.step\(model, data\)"),
    (lambda m, d: limpet.laod, AttributeError, "did you mean 'load'"),
    (lambda m, d: limpet.MjModel, AttributeError, r"here it is limpet.load\(path\)"),
    (lambda m, d: limpet.simulate(m, 0.01).outcom, AttributeError, "did you mean 'outcome'"),
    (lambda m, d: limpet.Builder().add_exclude(0, 0.5), TypeError, "by name or handle, not by"),
    (lambda m, d: limpet.Builder().add_exclude(0, 7), IndexError, "body 7: 1 were added"),
    (lambda m, d: limpet.Builder().geom(b"a"), TypeError, "by name or handle"),
    (lambda m, d: limpet.Builder().add_geom(material=3), ValueError, "material: expected a dict"),
    (lambda m, d: limpet.View(m, d, port="a"), TypeError, "port: expected a whole number"),
    (lambda m, d: limpet.View(m, d, port=-1), ValueError, "port is -1; give 0"),
    (lambda m, d: limpet.View(m, d, speed=0), ValueError, "speed is 0; give a positive"),
    (lambda m, d: limpet.View(m, d, speed="x"), ValueError, "speed: expected a number"),
    (lambda m, d: limpet.render(m, camera=(1, 2)), ValueError, r"camera: expected the shape \(6,"),
    (lambda m, d: limpet.render(m, width="a"), TypeError, "width: expected a whole number"),
    (lambda m, d: limpet.render(m, time="a"), ValueError, "time: expected a number, got 'a'"),
    (lambda m, d: limpet.render(m, words="a\0b"), ValueError, "words cannot hold a NUL"),
    (lambda m, d: limpet.render(m, path="a.jpg"), ValueError, "a picture is written as PNG"),
    (lambda m, d: limpet.sweep("a", {}, seconds="x"), ValueError, "seconds: expected a number"),
    (lambda m, d: limpet.sweep("a", {}, threads="x"), TypeError, "threads: expected a whole"),
    (lambda m, d: limpet.sweep("a", {}, samples="x"), TypeError, "samples: expected a whole"),
    (lambda m, d: limpet.LogWriter(None, d), TypeError, "a path is a str, bytes or os.PathLike"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "words"), WRONG)
def test_wrong_arguments_are_named(model, data, call, kind, words):
    with pytest.raises(kind, match=words):
        call(model, data)


def test_packages_may_be_a_dict(tmp_path):
    meshes = tmp_path / "arm/meshes"
    meshes.mkdir(parents=True)
    faces = "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
    (meshes / "link.obj").write_text("v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .3\n" + faces)
    robot = tmp_path / "arm.urdf"
    robot.write_text(
        "<robot name='arm'><link name='base'><collision><geometry>"
        "<mesh filename='package://my_arm/meshes/link.obj'/></geometry></collision></link></robot>"
    )
    for packages in ({"my_arm": tmp_path / "arm"}, f"my_arm={tmp_path / 'arm'}"):
        model = limpet.load(robot, packages=packages, fix_base=True)
        assert model.geom_count == 1
        assert pickle.loads(pickle.dumps(model)).hash == model.hash


def test_whole_numbers_may_be_floats(model, data):
    limpet.step(model, data, 2.0)
    assert abs(data.time - 2 * model.time_step) < 1e-15


def test_excluded_bodies_go_by_name():
    text = """<mujoco><worldbody><body name="a"><freejoint/><geom size=".1"/></body>
        <body name="b"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""
    builder = limpet.Builder()
    builder.read_text(text)
    assert len(_contacts(builder)) > 0
    builder.add_exclude("a", builder.find("body", "b"))
    assert len(_contacts(builder)) == 0


def _contacts(builder):
    data = builder.compile().data()
    data.find_contacts()
    return data.contacts


def test_controls_of_a_file_are_checked(model, tmp_path):
    path = tmp_path / "controls.csv"
    for text, words in (
        ("time,lift,lift\n0,1,2\n", "'lift' stands there twice"),
        ("time,lift\n0,1\n1,nan\n", "row 2 has a number that is not finite"),
        ("time,lift\n0,1\n0,1\n", "must grow"),
        ("lift\n1\n", "time,ACTUATOR"),
        ("", "time,ACTUATOR"),
    ):
        path.write_text(text)
        with pytest.raises(limpet.InputError, match=words):
            limpet.read_controls(model, path)
    path.write_text('time,"lift"\n0,0.5\n')
    log = limpet.simulate(model, 0.01, controls=limpet.read_controls(model, path))
    assert log.control[-1] == 0.5


def test_models_and_worlds_are_shown_inline(model, data):
    if not limpet.lib.limpet_replay_available():
        pytest.skip("built without the viewer")
    for what in (model, data):
        assert what._repr_html_().startswith('<iframe srcdoc="<!doctype html>')


def test_gymnasium_that_is_missing_is_named():
    code = "import sys; sys.modules['gymnasium'] = None; import limpet.gymnasium"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pip install 'limpet[gymnasium]'" in done.stderr, done.stderr

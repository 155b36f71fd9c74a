"""Models: reading, names, fields, errors, building, pickling."""

import pickle
import warnings

import numpy as np
import pytest

import limpet


def test_fields_are_those_of_the_library(model):
    assert (model.nq, model.nv, model.nu) == (9, 8, 1)
    assert model.names("body") == ("world", "upper", "lower", "box")
    assert model.body_mass.shape == (4,)
    assert model.body_inertia.shape == (4, 9)
    box = model.body("box")
    assert box.mass == model.body_mass[box.index] == pytest.approx(0.5)
    assert model.geom("box").material["friction"] == 0.6
    assert model.gravity == (0.0, 0.0, -9.81)
    assert "mass" in dir(box) and "kg" in type(model).body_mass.__doc__


def test_arrays_of_a_model_cannot_be_written(model):
    with pytest.raises(ValueError, match="read-only"):
        model.body_mass[1] = 2.0


def test_views_outlive_the_model():
    masses = limpet.load_text(
        "<mujoco><worldbody><body><geom size='.1'/></body></worldbody></mujoco>"
    )
    masses = masses.body_mass
    assert masses[1] > 4.0


@pytest.mark.parametrize("wrong", ["bx", "Box", ""])
def test_unknown_names_say_what_there_is(model, wrong):
    with pytest.raises(limpet.InputError, match="there is no body"):
        model.body(wrong)


def test_numbers_choose_objects_too(model):
    assert model.body(-1).name == "box"
    with pytest.raises(IndexError):
        model.body(4)
    with pytest.raises(TypeError):
        model.body(None)


def test_errors_have_fields(tmp_path):
    path = tmp_path / "wrong.xml"
    path.write_text("<mujoco>\n<worldbody>\n<geom size='x'/></worldbody></mujoco>")
    with pytest.raises(limpet.InputError) as caught:
        limpet.load(path)
    assert caught.value.file == str(path)
    assert caught.value.line == 3
    assert "size" in caught.value.message
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.file, again.line) == (caught.value.file, 3)
    with pytest.raises(limpet.FileError) as caught:
        limpet.load(tmp_path / "none.xml")
    assert caught.value.hint


def test_what_is_not_simulated_is_a_warning(tmp_path):
    text = (
        "<mujoco><worldbody><body><joint type='slide'/><geom size='.1'/></body></worldbody>"
        "<extension><plugin plugin='mujoco.elasticity.cable'/></extension></mujoco>"
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = limpet.load_text(text)
    unsupported = [note for note in model.notes if note.unsupported]
    assert len(caught) == len(unsupported)
    if unsupported:
        assert caught[0].category is limpet.LimpetWarning


URDF = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
    iyz="0"/></inertial></link>
  <link name="tip"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
    iyz="0"/></inertial></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="tip"/>
    <axis xyz="0 1 0"/></joint>
</robot>
"""


def test_robot_files_of_other_formats_load(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(URDF)
    assert limpet.load(path).nv == 7  # it floats
    fixed = limpet.load(path, fix_base=True)
    assert fixed.nv == 1 and fixed.body("tip").mass == 2.0
    builder = limpet.Builder(path, fix_base=True)
    assert builder.compile().nv == 1
    with pytest.raises(TypeError, match="there are"):
        limpet.load(path, nonsense=1)


def test_builder_makes_what_the_file_makes(model):
    builder = limpet.Builder()
    body = builder.add_body(name="ball", position=(0, 0, 1))
    builder.add_joint(body=body, kind="free")
    builder.add_geom(body=body, kind="sphere", size=(0.1, 0, 0), material={"friction": 0.4})
    builder.add_geom(body=0, kind="plane")
    built = builder.compile()
    read = limpet.load_text(
        "<mujoco><worldbody><body name='ball' pos='0 0 1'><freejoint/>"
        "<geom size='.1' friction='.4'/></body><geom type='plane' size='0 0 1'/>"
        "</worldbody></mujoco>"
    )
    a, b = built.data(), read.data()
    limpet.step(built, a, 600)
    limpet.step(read, b, 600)
    np.testing.assert_allclose(a.q, b.q, atol=1e-9)
    assert built.geom_material["friction"][-1] == 0.4 or 0.4 in built.geom_material["friction"]


def test_a_model_that_was_read_can_be_edited(scenes):
    builder = limpet.Builder(scenes / "falling_boxes.xml")
    before = builder.compile()
    builder.geom(3).material.friction = 0.123
    builder.options.gravity = (0, 0, -1.62)
    after = builder.compile()
    assert after.gravity == (0, 0, -1.62) and before.gravity == (0, 0, -9.81)
    assert 0.123 in after.geom_material["friction"]
    with pytest.raises(limpet.InputError):
        builder.geom(3).size = (1, 2)
    with pytest.raises(AttributeError, match="has no 'colour'"):
        builder.geom(3).colour = 1


def test_models_and_worlds_are_pickled(scenes):
    model = limpet.load(scenes / "falling_boxes.xml")
    data = model.data()
    limpet.step(model, data, 50)
    data.control[:] = 0.1
    again = pickle.loads(pickle.dumps(data))
    limpet.step(model, data, 20)
    limpet.step(again.model, again, 20)
    np.testing.assert_array_equal(data.get_state(), again.get_state())


def test_logs_and_settings_are_pickled(model):
    """As multiprocessing sends them back."""
    settings = limpet.Settings(model, contact="sap", preset="drake", tolerance=1e-7)
    log = limpet.simulate(model, 0.05, settings=settings)
    again = pickle.loads(pickle.dumps(log))
    np.testing.assert_array_equal(again.q, log.q)
    np.testing.assert_array_equal(again.contacts[-1].force, log.contacts[-1].force)
    assert again.worst == log.worst
    for name in dir(settings):
        if name != "copy":
            assert repr(getattr(again.settings, name)) == repr(getattr(settings, name))
    ends = [model.data(), model.data()]
    for data, same in zip(ends, (settings, again.settings), strict=True):
        limpet.step(model, data, 30, settings=same)
    assert ends[0].state_hash == ends[1].state_hash
    with pytest.raises(limpet.InputError, match="pickled"):
        again.replay("page.html")


def test_materials_have_attributes(model):
    material = model.geom("box").material
    assert material.friction == material["friction"] == 0.6


def test_the_text_of_a_model_is_no_path():
    with pytest.raises(limpet.FileError, match="load_text"):
        limpet.load(" <mujoco/>")


def test_descriptors_say_what_they_are():
    lagged = limpet.contact_models["lagged"]
    assert lagged.parameters["stiction_speed"].unit == "m/s"
    assert "coulomb" in limpet.contact_models and "discrete" in limpet.schemes
    assert limpet.presets()[:1] == ["limpet"]


def test_numbers_of_a_preset_stay_with_any_contact_model(model):
    """Drake's SAP is the preset with another contact model."""
    settings = limpet.Settings(model, preset="drake", contact="sap")
    assert (settings.near_rigid_ratio, settings.friction_regularization) == (1.0, 1e-3)
    settings.contact_model = "similar"
    assert (settings.near_rigid_ratio, settings.stiction_speed) == (1.0, 1e-4)
    assert limpet.Settings(model, contact="sap").near_rigid_ratio == 0.1

"""Models made in code: arrays say how long they are, tables go by name, and nothing that is passed
makes the library read what is not there."""

import copy
import gc
import inspect
import json
import pickle
import re

import numpy as np
import pytest
from conftest import ROOT

import limpet

CORNERS = [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]
TETRAHEDRON = {"vertices": CORNERS, "tetrahedra": [[0, 1, 2, 3]], "youngs_modulus": 1e5}


@pytest.fixture
def builder():
    return limpet.Builder()


def test_shapes_are_those_of_the_headers():
    module = __import__("limpet._builder", fromlist=["_ARRAYS"])
    told = {}
    for name in ("description", "deformable"):
        text = (ROOT / f"include/limpet/{name}.h").read_text()
        for array, shape in re.findall(r"const \w+ \*(\w+);\s*//\s*\(([^)]*)\)", text):
            told.setdefault(array, set()).add(shape)
    assert len(told) > 8
    for array, shapes in told.items():
        counts, width = module._ARRAYS[array]
        shape = " x ".join([*counts, *([str(width)] if width > 1 else [])])
        written = {re.sub(r"3 x 2|2 x 3", "6", s) for s in shapes} - {"vertex_count"} or shapes
        assert written == {shape}, array


def test_counts_are_those_of_the_arrays(builder):
    ground = {"grid_half": (1, 1), "grid_base": 0.1}
    builder.add_mesh(name="corner", vertices=CORNERS)
    builder.add_mesh(name="hill", rows=2, columns=3, heights=np.ones((2, 3)), **ground)
    body = builder.add_body(parent=0, position=(0, 0, 1))
    builder.add_joint(body=body, kind="revolute", name="turn")
    builder.add_geom(body=body, kind="mesh", mesh=0)
    builder.add_keyframe(name="bent", q=[0.3])
    model = builder.compile()
    assert model.data("bent").joint("turn").q == 0.3


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("mesh", {"vertices": CORNERS, "vertex_count": 10**7}),
        ("mesh", {"vertices": CORNERS, "vertex_count": -1}),
        ("mesh", {"vertices": [0.0, 1.0]}),
        ("mesh", {"vertex_count": 5}),
        ("mesh", {"vertices": CORNERS, "field": [1.0]}),
        ("mesh", {"vertices": CORNERS, "tangents": np.ones((3, 2, 3))}),
        ("mesh", {"rows": 1000, "columns": 1000, "heights": [1.0, 2.0]}),
        ("cloud", {"points": CORNERS, "point_count": 10**7}),
        ("keyframe", {"q": [1.0], "q_count": 10**6}),
        ("keyframe", {"mocap_position": [[0, 0, 0]], "mocap_count": 9}),
        ("tendon", {"terms": [{"joint": 0, "coefficient": 1}], "term_count": 10**6}),
        ("tendon", {"point_count": 3}),
        ("tendon", {"terms": [1, 2]}),
        ("deformable", TETRAHEDRON | {"tetrahedron_count": 10**6}),
        ("deformable", TETRAHEDRON | {"ties": [{"body": 0, "vertex_count": 10**8}]}),
        ("deformable", TETRAHEDRON | {"ties": [{"body": 0}], "tie_count": 10**6}),
        ("texture", {"image_size": (10**9,) * 6}),
        ("texture", {"image": ["no bytes"]}),
        ("texture", {"grid_layout": "R" * 99}),
    ],
)
def test_counts_that_lie_are_refused(builder, kind, fields):
    with pytest.raises(limpet.InputError):
        getattr(builder, f"add_{kind}")(**fields)


def test_counts_of_what_was_added_stay(builder):
    body = builder.add_deformable(**TETRAHEDRON)
    with pytest.raises(limpet.InputError, match="cannot be set"):
        builder.deformable(body).vertex_count = 10**8
    assert builder.deformable(body).vertex_count == 4


def test_sensors_and_laws_go_by_name(builder):
    body = builder.add_body(parent=0, position=(0, 0, 1))
    joint = builder.add_joint(body=body, kind="revolute", name="turn")
    builder.add_geom(body=body, kind="sphere", size=(0.1, 0, 0))
    builder.add_sensor(name="angle", kind="jointpos", object_type="joint", object=joint)
    builder.add_deformable(**TETRAHEDRON, law="corotated")
    with pytest.raises(limpet.InputError, match="sensor kind"):
        builder.add_sensor(kind="jointposs")
    with pytest.raises(limpet.InputError, match="elastic law"):
        builder.add_deformable(**TETRAHEDRON, law="rubber")
    data = builder.compile().data()
    data.joint("turn").q = 0.25
    data.evaluate_sensors()
    np.testing.assert_array_equal(data.sensor_values("angle"), [0.25])


def test_points_of_a_tendon_begin_with_their_defaults(builder):
    sites = []
    for x in (0.0, 0.3):
        body = builder.add_body(parent=0, position=(x, 0, 1))
        builder.add_joint(body=body, kind="prismatic", axis=(1, 0, 0))
        builder.add_geom(body=body, kind="sphere", size=(0.05, 0, 0))
        sites.append(builder.add_site(body=body))
    builder.add_tendon(name="cord", points=[{"kind": "site", "object": s} for s in sites])
    data = builder.compile().data()
    data.forward_dynamics()
    assert data.tendon("cord").length == pytest.approx(0.3, abs=1e-12)


def test_ties_hold_a_soft_body(builder):
    soft = builder.add_deformable(**TETRAHEDRON, position=(0, 0, 1))
    ties = [{"body": 0, "vertices": [0, 1, 2]}]
    other = builder.add_deformable(**TETRAHEDRON, position=(1, 0, 1), ties=ties)
    builder.add_tie(soft, 0, low=(-0.01, -0.01, -0.01), high=(0.2, 0.2, 0.01))
    data = builder.compile().data()
    limpet.step(data.model, data, 50)
    places = data.vertex_position.reshape(2, 4, 3)
    for body, x in ((soft, 0), (other, 1)):
        clamped = np.array(CORNERS)[:3] + (x, 0, 1)
        np.testing.assert_allclose(places[body, :3], clamped, atol=1e-9)
        assert abs(places[body, 3, 2] - 1.1) < 0.01
    for wrong in ({}, {"vertices": [0], "low": (0, 0, 0), "high": (1, 1, 1)}, {"low": (0, 0, 0)}):
        with pytest.raises(limpet.InputError, match="vertices, or low"):
            builder.add_tie(soft, 0, **wrong)
    with pytest.raises(IndexError):
        builder.add_tie(7, 0, vertices=[0])


def test_links_that_overlap_are_left_out_on_request(tmp_path):
    text = """<mujoco><worldbody><body name="base"><geom size=".1"/><body name="arm">
      <joint type="hinge" axis="0 1 0"/><geom size=".02" pos="0 0 1"/><body name="hand">
      <joint type="hinge" axis="0 0 1"/><geom size=".05" pos=".1 0 0"/></body></body></body>
      </worldbody></mujoco>"""
    path = tmp_path / "arm.xml"
    path.write_text(text)
    builder = limpet.Builder(path)
    assert builder.exclude_overlaps() == 1
    assert builder.exclude_overlaps() == 0
    loaded = limpet.load(path, exclude_overlaps=True)
    for model in (builder.compile(), loaded, limpet.load_text(text, exclude_overlaps=True)):
        assert model.exclude_count == 1
        assert any("'base' and 'hand' overlap by 50 mm" in note.text for note in model.notes)
    assert limpet.load(path).exclude_count == 0


def test_a_texture_holds_its_file(builder, tmp_path):
    png = limpet_png()
    builder.add_texture(name="dots", kind="flat", image=png)
    paint = builder.add_appearance(name="paint", texture=0)
    builder.add_geom(body=0, kind="box", size=(1, 1, 1), appearance=paint)
    model = builder.compile()
    log = limpet.simulate(model, 0.01)
    if not limpet.lib.limpet_replay_available():
        pytest.skip("built without the viewer")
    log.replay(tmp_path / "out.html")
    page = (tmp_path / "out.html").read_text()
    scene = json.loads(re.search(r'id="limpet-scene">(.*?)</script>', page, re.S)[1])
    assert scene["textures"][0]["images"][0]["count"] == len(png)


def limpet_png():
    """A PNG file of one red pixel."""
    import struct
    import zlib

    def chunk(kind, body):
        check = zlib.crc32(kind + body)
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", check)

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    rows = zlib.compress(b"\0\xff\0\0")
    signature = b"\x89PNG\r\n\x1a\n"
    return signature + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_objects_go_by_name():
    """A name does where a handle is wanted, of the kind that the field or another field says."""

    def arm(upper, lower, elbow, world):
        builder = limpet.Builder()
        mass = {"has_inertial": True, "mass": 1, "inertia": (1, 1, 1, 0, 0, 0)}
        builder.add_body(name="upper", parent=world, position=(0, 0, 1), **mass)
        builder.add_joint(name="shoulder", body=upper, kind="revolute")
        builder.add_body(name="lower", parent=upper, **mass)
        builder.add_joint(name="elbow", body=lower, kind="revolute")
        builder.add_geom(name="tip", body=lower, kind="sphere", size=(0.1, 0, 0), mass=1)
        builder.add_actuator(name="drive", transmission="joint", target=elbow)
        builder.add_actuator(name="other", target=elbow)
        builder.add_sensor(name="angle", kind="jointpos", object_type="joint", object=elbow)
        return builder.compile()

    assert arm("upper", "lower", "elbow", "world").hash == arm(1, 2, 1, 0).hash
    with pytest.raises(limpet.InputError, match="there are: plane, sphere, .*, soft$"):
        limpet.Builder().add_geom(body="world", kind="xyz")
    with pytest.raises(limpet.InputError, match="there is no 'count'"):
        limpet.Builder().add_geom(body="world", kind="count")
    with pytest.raises(AttributeError, match="has no 'sizee'; did you mean 'size'"):
        limpet.Builder().add_geom(body="world", kind="sphere", sizee=1)
    with pytest.raises(limpet.InputError, match="there is no body 'uper'"):
        arm("uper", "lower", "elbow", "world")
    with pytest.raises(limpet.InputError, match="there is no joint 'lower'"):
        arm("upper", "lower", "lower", "world")


def test_models_made_in_code_are_pickled(scenes):
    """Every way to change a builder is done again, with what was given at that time."""
    builder = limpet.Builder(scenes / "falling_boxes.xml")
    builder.options.gravity = (0, 0, -3)
    builder.geom(3).material.friction = 0.25
    builder.set_parameter("floor.friction", 0.4)
    corners = np.array(CORNERS, dtype=float)
    builder.add_mesh(name="corner", vertices=corners)
    builder.add_body(name="new", parent="world", position=[0, 0, 3])
    builder.add_joint(body="new", kind="free")
    builder.add_geom(body="new", kind="mesh", mesh="corner", material={"friction": 0.7})
    kind = limpet.sensor_kinds["framepos"]
    builder.add_sensor(name="at", kind=kind, object_type="body", object="new")
    builder.add_exclude(1, 2)
    builder.remove_keyframes()
    soft = builder.add_deformable(**TETRAHEDRON, position=(0, 0, 5), ties=[{"body": 0}])
    builder.add_tie(soft, 0, vertices=[1])
    builder.read_text("<mujoco><worldbody><site name='mark'/></worldbody></mujoco>")
    builder.name("mine")
    corners[:] = 9.0
    model = builder.compile()
    assert pickle.loads(pickle.dumps(model)).hash == model.hash
    builder.geom(3).material.friction = 0.9
    after = builder.compile()
    assert after.hash != model.hash
    for one in (model, after):
        assert pickle.loads(pickle.dumps(one)).hash == one.hash


def test_models_are_their_own_copies(builder):
    builder.add_body(name="ball", parent=0)
    builder.add_joint(body="ball", kind="free")
    builder.add_geom(body="ball", kind="sphere", size=(0.1, 0, 0))
    model = builder.compile()
    assert copy.copy(model) is model
    data = model.data()
    data.settings.time_step = 1e-3
    for other in (copy.deepcopy(data), pickle.loads(pickle.dumps(data))):
        assert limpet.step(other.model, other, 3) is limpet.Outcome.SOLVED
        assert other.time == pytest.approx(3e-3)
    assert copy.deepcopy(data).model is model


def test_options_hold_their_builder(scenes):
    options = limpet.Builder(scenes / "falling_boxes.xml").options
    gc.collect()
    assert options.gravity == (0.0, 0.0, -9.81)


def test_help_tells_lengths_and_units():
    module = __import__("limpet._builder", fromlist=["_KINDS"])
    for kind in module._KINDS:
        add = getattr(limpet.Builder, f"add_{kind}")
        assert list(inspect.signature(add).parameters) == ["self", "fields"]
        # each line of a field, none left out
        fields = dict(limpet.ffi.typeof(module._struct_of(kind)).fields)
        told = re.findall(r"^(\w+)", inspect.getdoc(add), re.M)
        assert set(fields) - {"place"} <= set(told), kind
    words = inspect.getdoc(limpet.Builder.add_joint)
    assert "\nposition: (3)  [m]  anchor in the body frame" in words
    assert "\nkind: one of free, ball, prismatic, revolute, screw" in words
    assert re.search(r"^    friction: \[-\]", inspect.getdoc(limpet.Builder.add_geom), re.M)

"""Pressure fields that a Python function gives: to the builder, and to a field without a world."""

import limpet
import numpy as np
import pytest

HALF = np.array([0.05, 0.04, 0.03])  # [m]
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * HALF
# counter-clockwise from outside; corner 4 x + 2 y + z
FACES = [
    *([0, 1, 3], [0, 3, 2], [4, 7, 5], [4, 6, 7], [0, 5, 1], [0, 4, 5]),
    *([2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 7, 3], [1, 5, 7]),
]


def of_box(x):
    return min(h - abs(v) for h, v in zip(HALF, x, strict=True)) / min(HALF)


def builder(function):
    made = limpet.Builder()
    body = made.add_body()
    made.add_joint(body=body, kind="free")
    mesh = made.add_mesh(
        name="pad",
        vertex_count=8,
        vertices=1e3 * CORNERS,
        face_count=12,
        faces=FACES,
        scale=(1e-3, 1e-3, 1e-3),
        field_function=function,
    )
    made.add_geom(
        body=body,
        kind="mesh",
        mesh=mesh,
        material={"elastic_modulus": 1e7, "field_size": 0.005},
        density=1e6,  # so heavy that it hardly moves in a step
    )
    made.add_geom(body=0, kind="plane", position=(0.0, 0.0, -0.029))
    return made


def force(made):
    """Normal force [N] at the start on the pad that is 1 mm deep in the floor."""
    model = made.compile()
    data = limpet.Data(model)
    limpet.step(model, data)
    return float(np.sum(data.contact_force[:, 2]))


def test_the_builder_asks_a_function_in_the_frame_of_the_file():
    asked = []

    def in_millimetres(x):
        asked.append(x)
        return of_box([1e-3 * v for v in x])

    here = force(builder(in_millimetres))
    assert len(asked) > 1000 and max(max(map(abs, x)) for x in asked) > 40.0
    assert here == pytest.approx(force(builder(None)), rel=0.05)

    # half the pressure, half the force of the pressure
    half = force(builder(lambda x: 0.5 * of_box([1e-3 * v for v in x])))
    assert 0.4 * here < half < 0.7 * here


def test_what_a_function_raises_comes_out():
    def broken(x):
        raise KeyError("pressure")

    with pytest.raises(KeyError, match="pressure"):
        builder(broken).compile()
    with pytest.raises(limpet.InputError, match="field_function"):
        builder(3.0)
    with pytest.raises(limpet.InputError, match="not a finite number"):
        builder(lambda x: float("nan")).compile()
    with pytest.raises(limpet.InputError, match="positive at none"):
        builder(lambda x: -1.0).compile()


def test_a_field_alone_has_the_function():
    field = limpet.PressureField(vertices=CORNERS, faces=FACES, modulus=1e6, function=of_box)
    pressure, _ = field([[0.0, 0.0, 0.02]])
    assert pressure[0] == pytest.approx(1e6 * of_box([0.0, 0.0, 0.02]), rel=0.05)
    with pytest.raises(limpet.InputError, match="not a shape"):
        limpet.PressureField("sphere", size=[0.1], function=of_box)
    with pytest.raises(ZeroDivisionError):
        limpet.PressureField(vertices=CORNERS, faces=FACES, function=lambda x: 1 / 0)


def test_making_of_fields_is_told():
    told = []
    builder(None).compile(progress=lambda done, count: told.append((done, count)))
    done = [share for share, _ in told]
    assert told and done == sorted(done) and {count for _, count in told} == {2}
    assert done[-1] <= 2

    def stop(done, count):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        builder(None).compile(progress=stop)
    with pytest.raises(TypeError, match="function of"):
        builder(None).compile(progress=3)


def test_a_file_tells_how_far_its_fields_are(tmp_path):
    path = tmp_path / "ball.xml"
    path.write_text(
        "<mujoco><asset><mesh name='m' builtin='sphere' params='2' scale='.1 .1 .1' "
        "limpet:concave='true'/></asset><worldbody><geom type='plane' size='1 1 .1'/><body>"
        "<freejoint/><geom type='mesh' mesh='m' limpet:elastic_modulus='1e5'/></body></worldbody>"
        "</mujoco>"
    )
    told = []
    model = limpet.load(path, progress=lambda done, count: told.append((done, count)))
    assert len(told) > 5 and told[-1][1] == 2
    assert any(share % 1 for share, _ in told)  # with a part of a field
    assert model.hash == limpet.load(path).hash
    again = []
    limpet.load_text(path.read_text(), progress=lambda *now: again.append(now))
    assert again == told

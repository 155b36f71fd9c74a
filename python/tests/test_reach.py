"""What single functions of the library give through Python agrees with each other and with laws."""

import gc
import json
import os
import signal
import warnings

import numpy as np
import pytest
from conftest import ROOT

import limpet


def test_dynamics_are_each_others_inverse(model, data):
    rng = np.random.default_rng(4)
    data.q[:2], data.v[:] = rng.normal(size=2), rng.normal(size=model.nv)
    x = rng.normal(size=model.nv)
    np.testing.assert_allclose(data.mass_times(x), data.full_mass_matrix() @ x, atol=1e-12)
    np.testing.assert_allclose(data.mass_solve(data.mass_times(x)), x, atol=1e-9)
    np.testing.assert_allclose(data.inverse_dynamics(data.acceleration_from(x)), x, atol=1e-9)
    wrench = rng.normal(size=6)
    turned = data.jacobian("box", (0.3, 0.2, 0.1)).T @ wrench
    np.testing.assert_allclose(data.wrench_to_joints("box", wrench, (0.3, 0.2, 0.1)), turned)
    row = data.transmission("lift")
    assert row[0] == 2.0 and not row[1:].any()


def test_derivatives_of_dynamics_are_differences(model, data):
    rng = np.random.default_rng(5)
    data.q[:2], data.v[:] = rng.normal(size=2), rng.normal(size=model.nv)
    vdot, x = rng.normal(size=model.nv), rng.normal(size=model.nv)
    by_q, by_v = data.inverse_dynamics_derivatives(vdot)
    mass_by_q = data.mass_derivative(x)
    h, rest = 1e-6, data.q.copy()
    for j in range(model.nv):
        ends = []
        for sign in (1, -1):
            data.q[:] = rest
            data.integrate(sign * h * np.eye(model.nv)[j])
            ends.append((data.inverse_dynamics(vdot), data.mass_times(x)))
        data.q[:] = rest
        np.testing.assert_allclose(by_q[:, j], (ends[0][0] - ends[1][0]) / (2 * h), atol=1e-6)
        np.testing.assert_allclose(mass_by_q[:, j], (ends[0][1] - ends[1][1]) / (2 * h), atol=1e-6)
        v = data.v.copy()
        forces = []
        for sign in (1, -1):
            data.v[:] = v
            data.v[j] += sign * h
            forces.append(data.inverse_dynamics(vdot))
        data.v[:] = v
        np.testing.assert_allclose(by_v[:, j], (forces[0] - forces[1]) / (2 * h), atol=1e-6)
    # the joints' damping is 0.1 N m s
    np.testing.assert_allclose(np.diag(data.passive_derivatives()[1])[:2], -0.1)


def test_states_have_numbers(model, data):
    other = data.copy()
    assert data.state_hash == other.state_hash
    other.v[0] = 1e-9
    assert data.state_hash != other.state_hash
    data.q[4] = 0.0499
    assert data.find_contacts() == 4 and (data.contacts.force == 0).all()
    data.evaluate_sensors()
    np.testing.assert_allclose(data.sensor_values("where"), (1, 0, 0.0499), atol=1e-12)


def test_trajectories_pass_through_their_points():
    time, places = [0.0, 0.5, 2.0], [[0.0, 1.0], [1.0, -1.0], [0.5, 0.0]]
    for make in (limpet.Trajectory.cubic, limpet.Trajectory.quintic):
        way = make(time, places)
        for t, place in zip(time, places, strict=True):
            np.testing.assert_allclose(way(t)[0], place, atol=1e-12)
            np.testing.assert_allclose(way(t)[1], 0.0, atol=1e-12)
        assert len(way) == 2 and way.end == 2.0
    wave = limpet.Trajectory.sinusoid([0.1], [2.0], [0.5], [0.3])
    np.testing.assert_allclose(wave(0.7)[0], 0.1 + 2.0 * np.sin(np.pi * 0.7 + 0.3))
    assert wave.end == np.inf
    fast = limpet.Trajectory.trapezoid([0.0], [1.0], [1.0], [2.0])
    assert fast.end == pytest.approx(1.5)
    with pytest.raises(limpet.InputError):
        limpet.Trajectory.cubic([1.0, 0.0], [[0], [1]])
    turn = limpet.Path.circle(
        ((1, 0, 0), (1, 0, 0, 0)), (0, 0, 0), (0, 0, 1), np.pi / 2, end_time=2.0, turning=True
    )
    (place, quaternion), velocity, _ = turn(2.0)
    np.testing.assert_allclose(place, (0, 1, 0), atol=1e-12)
    np.testing.assert_allclose(quaternion, (np.sqrt(0.5), 0, 0, np.sqrt(0.5)), atol=1e-12)
    assert (turn.start, turn.end) == (0.0, 2.0) and not velocity.any()


def test_forces_of_joints_move_them_as_asked(model, data):
    tau = limpet.joint_forces(data, ["shoulder", "elbow"], [0.5, -1.0])
    data.applied_force[:2] = tau
    data.forward_dynamics()
    np.testing.assert_allclose(data.acceleration[:2], [0.5, -1.0], atol=1e-9)
    assert limpet.joint_actuator(model, "shoulder") == 0
    assert limpet.actuator_command(model, "shoulder", 3.0) == (1.5, True)
    with pytest.raises(limpet.InputError):
        limpet.joint_actuator(model, "elbow")


def test_plans_come_from_json():
    content = json.loads((ROOT / "scenes/plans/pendulum.json").read_text())
    model = limpet.load(ROOT / "scenes/plans" / content.pop("model"))
    plan = limpet.Plan(model, content)
    costs = []
    outcome = plan.solve(lambda number, cost: costs.append(cost) or number < 8)
    assert outcome == "stopped" and costs == sorted(costs, reverse=True) and len(costs) > 3
    assert plan.cost == pytest.approx(sum(sum(pair) for pair in plan.terms.values()))
    # the plan is what its controls do
    data = model.data()
    data.set_state(plan.state[0])
    np.testing.assert_allclose(plan.feedback(0, data), plan.control[0], atol=1e-12)
    plan.advance(2)
    with pytest.raises(limpet.InputError, match="cost"):
        limpet.Plan(model, {"duration": 1.0, "cost": [{"kind": "x"}]}, file="plan.json")


def test_fits_find_what_made_the_records():
    text = (
        "<mujoco><worldbody><body name='a'><joint name='j' axis='0 1 0' damping='{}'/>"
        "<geom type='capsule' fromto='0 0 0 .5 0 0' size='.02'/></body></worldbody></mujoco>"
    )
    true = limpet.load_text(text.format(0.07))
    log = limpet.simulate(true, 0.4, replay=False, interval=0.01)
    builder = limpet.Builder()
    builder.read_text(text.format(0.02))
    fit = limpet.Fit(
        builder,
        {
            "parameters": [{"of": "j.damping", "start": 0.02, "minimum": 0, "maximum": 1}],
            "trajectories": ["made"],
            "noise": 1e-4,
        },
    )
    start = true.data()
    fit.record(0, [0.0, *log.time], np.vstack([start.q[None], log.q]))
    assert fit.trajectories == ("made",)
    assert fit.solve() in ("converged", "no further descent")
    assert fit.parameters[0].value == pytest.approx(0.07, rel=1e-4)
    assert fit.parameters[0].standard_error == fit.parameters[0].error  # one trajectory
    assert builder.parameter("j.damping") == pytest.approx(0.07, rel=1e-4)


def test_gradients_by_parameters_and_of_rollouts(tmp_path):
    builder = limpet.Builder()
    builder.read_text(
        "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 1'><freejoint/>"
        "<geom size='.1'/></body><body name='a' pos='1 0 1'><joint name='j' axis='0 1 0'/>"
        "<geom type='capsule' fromto='0 0 0 .5 0 0' size='.02'/></body></worldbody>"
        "<actuator><motor joint='j'/></actuator></mujoco>"
    )
    model = builder.compile()
    data = model.data()
    parameters = limpet.ParameterGradient(builder, ["gravity[2]"])
    gradient = limpet.Gradient(model)
    with pytest.raises(limpet.StateError):
        parameters.of(gradient)
    gradient.step(data)
    assert parameters.value == [-9.81]
    # in free fall dv/dg = dt
    assert parameters.of(gradient)["dv"][2, 0] == pytest.approx(data.settings.time_step)
    weight = np.ones(model.nv)
    np.testing.assert_allclose(
        parameters.adjoint(gradient, weight_v=weight), weight @ parameters.of(gradient)["dv"]
    )

    rollout = limpet.RolloutGradient(model, 30)
    state, steps = data.get_state(), 30
    weight = np.zeros((steps + 1, model.nv))
    weight[-1, 6] = 1.0
    controls = np.zeros((steps, model.nu))
    assert rollout.compute(data, steps, controls=controls, weight_q=weight), rollout.reason
    ends, h = [], 1e-4
    for sign in (1, -1):
        data.set_state(state)
        data.control[:] = 0.0
        for k in range(steps):
            data.control[0] = sign * h if k == 3 else 0.0
            limpet.step(model, data)
        ends.append(data.q[7])
    assert rollout.by_control[3, 0] == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-4)


def test_distances_and_fields_of_shapes():
    points = np.random.default_rng(6).normal(size=(50, 3))
    distance, gradient = limpet.signed_distance("sphere", points, size=0.5)
    np.testing.assert_allclose(distance, np.linalg.norm(points, axis=1) - 0.5, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(gradient, axis=1), 1.0)
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]]
    faces += [[2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
    cube = limpet.Surface(corners, faces)
    box, _ = limpet.signed_distance("box", points, size=(0.5,) * 3, position=(0.5,) * 3)
    np.testing.assert_allclose(limpet.signed_distance(cube, points)[0], box, atol=1e-12)
    with pytest.raises(limpet.InputError):
        limpet.Surface(corners, faces[:-1])

    # a sphere of E = 1e6 Pa, 5 mm into a rigid half space
    ball = limpet.PressureField("sphere", size=0.1, modulus=1e6)
    floor = limpet.PressureField("plane", modulus=np.inf)
    pressure, _ = ball([[0, 0, 0.05]])
    assert pressure[0] == pytest.approx(5e5)
    surface = limpet.contact_surface(ball, floor, pose_a=((0, 0, 0.095), np.eye(3)))
    # p = E (1 - sqrt(r^2 + z^2)/R) over the disc r^2 <= R^2 - z^2
    z, R, E = 0.095, 0.1, 1e6
    force = np.pi * E * (R * R - z * z - 2 * (R**3 - z**3) / (3 * R))
    assert surface.force[2] == pytest.approx(-force, rel=2e-3)
    assert surface.point_area.sum() == pytest.approx(surface.area)
    np.testing.assert_allclose(surface.normal, [[0, 0, -1]] * len(surface.normal), atol=1e-12)


def test_elastic_bodies_stretch_as_hooke_says():
    corners = [[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)]
    cells = [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]]
    body = limpet.ElasticBody(corners, cells, youngs_modulus=2e5, poissons_ratio=0.0, law="linear")
    assert body.info["volume"] == pytest.approx(1.0)
    assert body.node_mass.sum() == pytest.approx(1000.0)
    stretched = body.rest * [1, 1, 1.01]
    mises, cauchy = body.stress(stretched)
    np.testing.assert_allclose(cauchy[:, 2], 2e5 * 0.01, rtol=0.03)
    assert body.state(stretched)["elastic"] == pytest.approx(0.5 * 2e5 * 1e-4, rel=1e-6)
    h, direction = 1e-6, np.random.default_rng(7).normal(size=stretched.shape)
    energies = [body.state(stretched + s * h * direction)["elastic"] for s in (1, -1)]
    expected = (energies[0] - energies[1]) / (2 * h)
    assert (body.force(stretched) * direction).sum() == pytest.approx(expected, rel=1e-6)
    load = np.zeros((8, 3))
    load[4:, 2] = 500.0
    q, outcome = body.equilibrium([0, 1, 2, 3], force=load)
    assert outcome == "solved" and 1.005 < q[4:, 2].mean() < 1.02
    energy, stress, derivative = limpet.elastic_energy("corotated", 1e6, 0.3, np.eye(3))
    assert energy == 0.0 and not stress.any() and derivative.shape == (3, 3, 3, 3)
    assert "neo-hookean" in limpet.elastic_laws


def test_builders_take_pictures_and_cameras():
    builder = limpet.Builder()
    builder.add_texture(name="chess", pattern="checker")
    builder.add_appearance(name="cloth")
    builder.add_camera(name="eye", body=0, position=(1, 0, 1))
    builder.camera("eye").position = (2, 0, 1)
    body = builder.add_body(name="arm")
    builder.add_joint(name="j", body=body, kind="revolute", limited=True, range=(-0.5, 1.0))
    builder.add_geom(body=body, kind="sphere", size=(0.1, 0, 0))
    builder.add_actuator(name="a", transmission="joint", target=0)
    model = builder.compile()
    assert model.length_range("a") == pytest.approx((-0.5, 1.0))
    assert model.control_unit("a") == "N m"


def test_models_go_back_to_files(model, tmp_path):
    left_out = model.write_mjcf(tmp_path / "again.xml")
    again = limpet.load(tmp_path / "again.xml")
    assert isinstance(left_out, tuple)
    np.testing.assert_allclose(again.body_mass, model.body_mass, rtol=1e-9)
    arm = limpet.load_text(
        "<mujoco><worldbody><body name='a'><joint name='j' axis='0 1 0'/>"
        "<geom type='capsule' fromto='0 0 0 .5 0 0' size='.02'/></body></worldbody></mujoco>"
    )
    arm.write_urdf(tmp_path / "arm.urdf")
    assert limpet.load(tmp_path / "arm.urdf", fix_base=True).nv == 1
    with pytest.raises(limpet.FileError):
        model.write_mjcf(tmp_path / "none" / "a.xml")


def test_clouds_and_meshes_are_read(tmp_path):
    (tmp_path / "a.xyz").write_text("0 0 0\n1 2 3\n")
    np.testing.assert_array_equal(limpet.read_cloud(tmp_path / "a.xyz"), [[0, 0, 0], [1, 2, 3]])
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    mesh = limpet.read_mesh(tmp_path / "a.obj")
    assert mesh["vertices"].shape == (3, 3) and mesh["faces"].tolist() == [[0, 1, 2]]
    with pytest.raises(limpet.FileError):
        limpet.read_mesh(tmp_path / "none.obj")


def test_replays_lie_over_each_other(model, tmp_path):
    if not limpet.lib.limpet_replay_available():
        pytest.skip("built without the viewer")
    replays = []
    for name, contact in (("one", "coulomb"), ("two", "sap")):
        data = model.data()
        replay = limpet.Replay(model, name=name, signals={"height [mm]": lambda d: 1e3 * d.q[4]})
        replay.append(data)
        for _ in range(20):
            limpet.step(model, data, contact=contact)
            replay.append(data)
        replays.append(replay)
    limpet.write_replays(replays, tmp_path / "both.html")
    page = (tmp_path / "both.html").read_text()
    assert "height [mm]" in page and '"two"' in page
    broken = limpet.Replay(model, signals={"x": lambda d: 1 / 0})
    with pytest.raises(ZeroDivisionError):
        broken.append(model.data())


def test_logs_are_read(model, data, tmp_path):
    try:
        log = limpet.LogWriter(tmp_path / "a.h5", data)
    except limpet.UnsupportedError:
        with pytest.raises(limpet.LimpetError):
            limpet.read_log(tmp_path / "a.h5")
        pytest.skip("built without logs")
    h5py = pytest.importorskip("h5py", reason="skipped: not installed")
    with log:
        for _ in range(5):
            limpet.step(model, data)
            log.append()
    arrays = limpet.read_log(tmp_path / "a.h5")
    np.testing.assert_array_equal(arrays["q"][-1], data.q)
    assert h5py and "time_step" in arrays["settings"]
    with pytest.raises(limpet.FileError, match="no such file"):
        limpet.read_log(tmp_path / "none.h5")
    (tmp_path / "text.h5").write_text("no log")
    with pytest.raises(limpet.FileError, match="not an HDF5 file"):
        limpet.read_log(tmp_path / "text.h5")
    (tmp_path / "text.h5").unlink()

    # a writer that is forgotten writes what is left, and lets go of its file
    log = limpet.LogWriter(tmp_path / "b.h5", data)
    with pytest.raises(limpet.FileError, match="b.h5: another process is writing this log; wait"):
        limpet.LogWriter(tmp_path / "b.h5", data)
    for _ in range(3):
        limpet.step(model, data)
        log.append()
    del log
    gc.collect()
    assert len(limpet.read_log(tmp_path / "b.h5")["time"]) == 3
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.h5", "b.h5"]


def test_a_log_is_read_while_it_is_written_and_after_a_kill(model, data, tmp_path):
    h5py = pytest.importorskip("h5py", reason="skipped: not installed")
    path = tmp_path / "a.h5"
    try:
        log = limpet.LogWriter(path, data)
    except limpet.UnsupportedError:
        pytest.skip("built without logs")
    lengths, held = [], []
    for _ in range(3):
        for _ in range(300):
            limpet.step(model, data)
            log.append()
        with pytest.warns(limpet.LimpetWarning, match="a.h5: is still being written"):
            lengths.append(len(limpet.read_log(path)["time"]))
        held.append(h5py.File(path))  # and neither stops nor spoils the run
    assert 0 < lengths[0] < lengths[1] < lengths[2] < 900
    log.close()
    assert [len(file["time"]) for file in held] == lengths
    assert all(np.isfinite(file["q"][-1]).all() for file in held)
    for file in held:
        file.close()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(limpet.read_log(path)["time"]) == 900

    child = os.fork()
    if child == 0:
        log = limpet.LogWriter(path, data)
        for _ in range(300):
            limpet.step(model, data)
            log.append()
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    with pytest.warns(limpet.LimpetWarning, match="a.h5: ends early, since its run was killed"):
        assert 0 < len(limpet.read_log(path)["time"]) < 300


def test_damaged_logs_are_told(model, data, tmp_path):
    """A file that is cut, or has other bits somewhere, is read or is an error with the file."""
    pytest.importorskip("h5py", reason="skipped: not installed")
    path, told = tmp_path / "a.h5", []
    try:
        log = limpet.LogWriter(path, data)
    except limpet.UnsupportedError:
        pytest.skip("built without logs")
    with log:
        for _ in range(5):
            limpet.step(model, data)
            log.append()
    whole, rng = path.read_bytes(), np.random.default_rng(5)
    for k in range(400):
        damaged = bytearray(whole)
        if k % 8 == 0:
            del damaged[int(rng.integers(len(whole))) :]
        for place in rng.integers(max(1, len(damaged)), size=int(rng.integers(1, 20))):
            damaged[place : place + 1] = rng.bytes(1)
        path.write_bytes(damaged)
        try:
            assert "attributes" in limpet.read_log(path)
        except limpet.FileError as reason:
            assert reason.file == str(path) and str(reason).startswith(f"{path}: ")
            told.append(str(reason))
    assert 100 < len(told) < 400 and any("is a damaged log: " in words for words in told)


def test_products_through_a_deformable_body():
    """J x against differences of steps; J' y is its transposed."""
    model = limpet.load_text(
        "<mujoco><worldbody><limpet:deformable name='a' type='box' size='.05 .02 .02' cells='2 1 1'"
        " pos='0 0 1' young='1e5'><limpet:tie body='world' box='-.051 -1 -1 -.049 1 1'/>"
        "</limpet:deformable></worldbody></mujoco>"
    )
    rng = np.random.default_rng(1)
    shape = model.vertex_count, 3
    direction, weight = rng.normal(size=shape), rng.normal(size=shape)
    gradient = limpet.Gradient(model, contacts=False)
    gradient.step(model.data())
    moved = gradient.forward({"vertex_velocity": direction})
    back = gradient.backward({"vertex_position": weight})
    ends = []
    for side in (-1e-3, 1e-3):
        data = model.data()
        data.vertex_velocity[:] += side * direction
        limpet.step(model, data)
        ends.append(data.vertex_position.copy())
    slope = (ends[1] - ends[0]) / 2e-3
    np.testing.assert_allclose(moved["vertex_position"], slope, atol=1e-9 * np.abs(slope).max())
    ahead = (weight * moved["vertex_position"]).sum()
    assert ahead == pytest.approx((back["vertex_velocity"] * direction).sum(), rel=1e-12)
    assert back["youngs_modulus"].shape == (1,)
    with pytest.raises(limpet.InputError, match="there are: q, v"):
        gradient.forward({"vertices": direction})


def test_numbers_by_name_through_a_deformable_body():
    """Columns of vertices against differences of steps; products with weights of them."""
    builder = limpet.Builder()
    builder.read_text(
        "<mujoco><worldbody><limpet:deformable name='a' type='box' size='.05 .02 .02' cells='2 1 1'"
        " pos='0 0 0' shell='true' thickness='.002' young='1e5'><limpet:tie body='world' "
        "box='-.051 -1 -1 -.049 1 1'/></limpet:deformable></worldbody></mujoco>"
    )
    model = builder.compile()
    parameters = limpet.ParameterGradient(builder, ["gravity[2]", "a.thickness"])
    gradient = limpet.Gradient(model, contacts=False)
    data = model.data()
    limpet.step(model, data)
    state = data.get_state()
    gradient.step(data)
    columns = parameters.of(gradient)
    assert columns["dv"].shape == (0, 2)
    assert columns["vertex_velocity"].shape == (model.vertex_count, 3, 2)
    ends = []
    for thickness in (0.00199, 0.00201):
        builder.set_parameter("a.thickness", thickness)
        data = builder.compile().data()  # the gradient keeps its own
        data.set_state(state)
        limpet.step(data.model, data)
        ends.append(data.vertex_velocity.copy())
    slope = (ends[1] - ends[0]) / 2e-5
    np.testing.assert_allclose(
        columns["vertex_velocity"][..., 1], slope, atol=1e-5 * np.abs(slope).max()
    )
    weight = np.random.default_rng(2).normal(size=(model.vertex_count, 3))
    np.testing.assert_allclose(
        parameters.adjoint(gradient, weight_vertex_position=weight),
        np.einsum("ik,ikn->n", weight, columns["vertex_position"]),
        rtol=1e-12,
    )


def test_deformable_bodies_are_written(tmp_path):
    """The same bits come back; rigid_only leaves them out."""
    model = limpet.load_text(
        "<mujoco><worldbody><limpet:deformable name='a' type='box' size='.05 .02 .02' cells='2 1 1'"
        " pos='0 0 1' euler='0 0 30' young='1e5'/></worldbody></mujoco>"
    )
    assert model.write_mjcf(tmp_path / "whole.xml") == ()
    again = limpet.load(tmp_path / "whole.xml")
    np.testing.assert_array_equal(again.data().vertex_position, model.data().vertex_position)
    assert model.write_mjcf(tmp_path / "rigid.xml", rigid_only=True) == ("deformable body a",)
    assert limpet.load(tmp_path / "rigid.xml").deformable_count == 0

"""Random trees of SDFormat, beside Drake: poses of the file, poses at random coordinates, and the
rates after a step without contact.

Nested models, poses relative to any frame in all notations, frames attached to frames, axes
expressed in frames, canonical links, placement frames; fixed, revolute, continuous, prismatic,
screw, universal and ball joints with damping, springs and limits. Drake gives joints to the nested
model of their child, so they have names of their own.

Needs Drake (PyPI: drake 1.51.1): without it the test is skipped.
"""

import math
import random

import numpy as np
import pytest

import limpet

drake = pytest.importorskip("pydrake.all", reason="not installed: drake")

TREES = 150
PARTS = {"universal": ("_1", "_2"), "planar": ("_x", "_y", "_theta")}  # joints made of several
KINDS = "revolute prismatic continuous fixed universal ball screw".split()
PLACE, RATE = 1e-9, 1e-6


def log_uniform(r, low, high):
    return math.exp(r.uniform(math.log(low), math.log(high)))


def numbers(values):
    return " ".join(repr(float(v)) for v in values)


def unit(r, count):
    x = np.array([r.gauss(0, 1) for _ in range(count)])
    return x / np.linalg.norm(x)


def pose(r, frames):
    """In one of three notations, relative to one of the frames or to what is usual."""
    place = [r.uniform(-0.5, 0.5) for _ in range(3)]
    angles = [r.uniform(-math.pi, math.pi) for _ in range(3)]
    text = "<pose" + (f" relative_to='{r.choice(frames)}'" if frames and r.random() < 0.6 else "")
    kind = r.choice(["radians", "degrees", "quaternion"])
    if kind == "radians":
        return f"{text}>{numbers(place + angles)}</pose>"
    if kind == "degrees":
        return f"{text} degrees='true'>{numbers(place + [math.degrees(a) for a in angles])}</pose>"
    return f"{text} rotation_format='quat_xyzw'>{numbers([*place, *unit(r, 4)])}</pose>"


def solid(r):
    """Mass and entries of the inertia of six points."""
    mass = log_uniform(r, 0.05, 20)
    points = log_uniform(r, 0.03, 0.3) * np.array([unit(r, 3) for _ in range(6)])
    spread = mass / 6 * points.T @ points
    moment = np.trace(spread) * np.eye(3) - spread
    at = {"ixx": (0, 0), "iyy": (1, 1), "izz": (2, 2), "ixy": (0, 1), "ixz": (0, 2), "iyz": (1, 2)}
    return mass, {name: float(moment[place]) for name, place in at.items()}


def inertial(r):
    mass, inertia = solid(r)
    entries = "".join(f"<{name}>{value!r}</{name}>" for name, value in inertia.items())
    place = pose(r, []) if r.random() < 0.8 else ""
    return f"<inertial>{place}<mass>{mass!r}</mass><inertia>{entries}</inertia></inertial>"


def axis(r, frames, sprung=True, limited=True):
    seen = f" expressed_in='{r.choice(frames)}'" if r.random() < 0.5 else ""
    dynamics = f"<damping>{log_uniform(r, 1e-3, 1)!r}</damping>" if r.random() < 0.5 else ""
    if sprung and r.random() < 0.3:
        dynamics += f"<spring_stiffness>{log_uniform(r, 0.1, 100)!r}</spring_stiffness>"
        dynamics += f"<spring_reference>{r.uniform(-1, 1)!r}</spring_reference>"
    limit = ""
    if limited and r.random() < 0.5:
        limit = f"<lower>{-r.uniform(0.3, 3)!r}</lower><upper>{r.uniform(0.3, 3)!r}</upper>"
    return (
        f"<axis><xyz{seen}>{numbers(unit(r, 3))}</xyz>"
        + (f"<dynamics>{dynamics}</dynamics>" if dynamics else "")
        + (f"<limit>{limit}</limit>" if limit else "")
        + "</axis>"
    )


def joint(r, name, kind, parent, child, frames):
    text = f"<joint name='{name}' type='{kind}'>" + (pose(r, frames) if r.random() < 0.6 else "")
    text += f"<parent>{parent}</parent><child>{child}</child>"
    if kind == "universal":
        damping = f"<dynamics><damping>{log_uniform(r, 1e-3, 1)!r}</damping></dynamics>"
        text += f"<axis><xyz>1 0 0</xyz>{damping}</axis><axis2><xyz>0 1 0</xyz>{damping}</axis2>"
    elif kind not in ("fixed", "ball"):
        text += axis(r, frames, kind != "screw", kind not in ("screw", "continuous"))
    if kind == "screw":
        pitch = r.choice([-1, 1]) * log_uniform(r, 0.05, 0.5)
        text += f"<screw_thread_pitch>{pitch!r}</screw_thread_pitch>"
    return text + "</joint>"


def model(r, name, depth, grounded):
    text, frames, links = "", ["__model__"], []
    nested = depth > 0 and r.random() < 0.5
    if nested:
        text += model(r, f"{name}_sub", depth - 1, False)
    for i in range(r.randint(1, 4)):
        links.append(f"l{i}")
        text += f"<link name='l{i}'>{pose(r, frames)}{inertial(r)}</link>"
        frames.append(f"l{i}")
        if r.random() < 0.5:
            attached = f" attached_to='{r.choice(frames[1:])}'" if r.random() < 0.7 else ""
            text += f"<frame name='{name}_f{i}'{attached}>{pose(r, frames)}</frame>"
            frames.append(f"{name}_f{i}")
    for i, link in enumerate(links[1:], 1):
        kind = r.choice(KINDS)
        text += joint(r, f"{name}_j{i}", kind, r.choice(links[:i]), link, frames)
    if nested:
        kind, child = r.choice(["revolute", "prismatic", "fixed"]), f"{name}_sub::l0"
        text += joint(r, f"{name}_nested", kind, r.choice(links), child, frames)
    if grounded:
        kind = r.choice(["fixed", "revolute"])
        text += joint(r, f"{name}_base", kind, "world", "l0", frames)
    head = f"<model name='{name}'"
    head += f" canonical_link='{r.choice(links)}'" if r.random() < 0.2 else ""
    head += f" placement_frame='{r.choice(frames[1:])}'" if r.random() < 0.2 else ""
    return f"{head}>{pose(r, [])}{text}</model>"


def world(r):
    models = "".join(
        model(r, f"m{i}", r.choice([0, 1, 2]), r.random() < 0.5) for i in range(r.randint(1, 2))
    )
    return f"<?xml version='1.0'?><sdf version='1.9'><world name='w'>{models}</world></sdf>"


class Twin:
    """One world in both simulators."""

    def __init__(self, r, path):
        self.time_step = log_uniform(r, 2e-4, 5e-3)
        self.plant = drake.MultibodyPlant(self.time_step)
        drake.Parser(self.plant).AddModels(str(path))
        self.plant.Finalize()
        self.simulator = drake.Simulator(self.plant)
        self.context = self.simulator.get_mutable_context()
        self.model = limpet.load(path)
        self.data = self.model.data()
        self.control(r)
        self.settings = limpet.Settings(
            self.model, preset="drake", time_step=self.time_step, tolerance=1e-10
        )

    def control(self, r):
        """Random controls of all actuators; one on each joint."""
        count = self.plant.num_actuators()
        u = np.array([r.gauss(0, 1) for _ in range(count)])
        if count:
            self.plant.get_actuation_input_port().FixValue(self.context, u)
        for index in self.plant.GetJointActuatorIndices():
            actuator = self.plant.get_joint_actuator(index)
            mine = self.named(self.model.actuator, self.model.actuator_count, actuator.name())
            self.data.actuator(mine).control = actuator.get_actuation_vector(u)[0]

    def name(self, body):
        """Of a body of Drake in the file."""
        return f"{self.plant.GetModelInstanceName(body.model_instance())}::{body.name()}"

    def joints(self):
        """(joint of Drake, its name in the file without models)"""
        for index in self.plant.GetJointIndices():
            found = self.plant.get_joint(index)
            if found.type_name() != "weld":
                yield found, found.name()

    def ours(self, name, suffix=""):
        """The joint of that name, of whatever model."""
        found = self.named(self.model.joint, self.model.joint_count, name + suffix)
        return self.data.joint(found)

    def named(self, item, count, name):
        """The whole name of what has this one in its model."""
        every = (item(i).name for i in range(count))
        return next(n for n in every if n.rsplit("::", 1)[-1] == name)

    def place_floating(self, r, joint):
        body, turn, place = joint.child_body(), unit(r, 4), [r.uniform(-1, 1) for _ in range(3)]
        rotation = drake.RotationMatrix(drake.Quaternion(turn))
        spin, shift = (np.array([r.gauss(0, 1) for _ in range(3)]) for _ in range(2))
        self.plant.SetFreeBodyPose(self.context, body, drake.RigidTransform(rotation, place))
        velocity = drake.SpatialVelocity(spin, shift)
        self.plant.SetFreeBodySpatialVelocity(body, velocity, self.context)
        mine = self.floating(body)
        mine.q, mine.v = [*place, *turn], [*shift, *(rotation.matrix().T @ spin)]

    def floating(self, body):
        return self.data.joint(self.name(body))

    def place_ball(self, r, joint, mine):
        angles, v = [r.uniform(-1, 1) for _ in range(3)], [r.gauss(0, 1) for _ in range(3)]
        joint.set_angles(self.context, angles)
        joint.set_angular_velocity(self.context, np.array(v))
        # Limpet's coordinates are in axes of the child, Drake's in those of the joint's frame
        turned = drake.RotationMatrix(drake.RollPitchYaw(angles))
        of_child = joint.frame_on_child().GetFixedPoseInBodyFrame().rotation()
        q = (of_child @ turned @ of_child.inverse()).ToQuaternion()
        mine.q = [q.w(), q.x(), q.y(), q.z()]
        mine.v = (of_child @ turned.inverse()).matrix() @ np.array(v)

    def place_scalar(self, r, joint, first, mine):
        low, high = joint.position_lower_limits()[first], joint.position_upper_limits()[first]
        q, v = self.plant.GetPositions(self.context), self.plant.GetVelocities(self.context)
        at, speed = min(max(r.gauss(0, 0.5), low + 0.05), high - 0.05), r.gauss(0, 1)
        q[joint.position_start() + first], v[joint.velocity_start() + first] = at, speed
        self.plant.SetPositions(self.context, q)
        self.plant.SetVelocities(self.context, v)
        mine.q, mine.v = at, speed

    def place(self, r):
        for joint, name in self.joints():
            kind = joint.type_name()
            if kind == "quaternion_floating":
                self.place_floating(r, joint)
            elif kind == "ball_rpy":
                self.place_ball(r, joint, self.ours(name))
            elif kind in PARTS:
                for k, part in enumerate(PARTS[kind]):
                    self.place_scalar(r, joint, k, self.ours(name, part))
            else:
                self.place_scalar(r, joint, 0, self.ours(name))

    def pose_error(self):
        self.data.kinematics()
        worst = 0.0
        for index in range(1, self.plant.num_bodies()):
            body = self.plant.get_body(drake.BodyIndex(index))
            mine, at = self.data.body(self.name(body)), body.EvalPoseInWorld(self.context)
            rotation = np.array(mine.rotation).reshape(3, 3)
            worst = max(worst, np.abs(mine.position - at.translation()).max())
            worst = max(worst, np.abs(rotation - at.rotation().matrix()).max())
        return worst

    def rates(self):
        """Of Drake and of Limpet after a step."""
        self.simulator.AdvanceTo(self.time_step)
        limpet.step(self.model, self.data, 1, settings=self.settings)
        theirs, ours = [0.0], [0.0]
        v = self.plant.GetVelocities(self.context)
        for joint, name in self.joints():
            kind, first = joint.type_name(), joint.velocity_start()
            if kind == "quaternion_floating":
                ours += list(np.array(self.floating(joint.child_body()).v)[:3])
                theirs += list(v[first + 3 : first + 6])
            elif kind in PARTS:
                ours += [float(np.ravel(self.ours(name, part).v)[0]) for part in PARTS[kind]]
                theirs += list(v[first : first + len(PARTS[kind])])
            elif kind != "ball_rpy":
                ours.append(float(np.ravel(self.ours(name).v)[0]))
                theirs.append(v[first])
        return np.array(theirs), np.array(ours)


def compare(twin, r, seed):
    assert twin.pose_error() < PLACE, f"{seed}: poses of the file"
    twin.place(r)
    assert twin.pose_error() < PLACE, f"{seed}: poses at random coordinates"
    theirs, ours = twin.rates()
    assert np.abs(theirs - ours).max() < RATE * (1 + np.abs(theirs).max()), f"{seed}: rates"


@pytest.mark.filterwarnings("ignore")
def test_random_trees_are_drakes(tmp_path):
    for seed in range(TREES):
        r = random.Random(seed)
        path = tmp_path / "tree.sdf"
        path.write_text(world(r))
        compare(Twin(r, path), r, seed)

"""Random URDF files, beside Pinocchio: every field that both have, and two random states.

Each file of `random_urdf.py` is read by both. Compared are links (masses, inertias, poses), joints
(limits, efforts, losses), followers, shapes with their poses and colours; then poses, mass matrix,
bias force, Jacobians and accelerations in random states. Drawn is what both read: Pinocchio knows
no axis of planar joints, no followers of followers, and no blanks round numbers.

    LIMPET_URDF_FILES=1000 pytest python/tests/test_pinocchio_fields.py
    python python/tests/test_pinocchio_fields.py COUNT [FIRST SEED]    all differences, no test
    python python/tests/random_urdf.py SEED pinocchio                  the file of a seed

Needs Pinocchio (PyPI: pin 4.1.0): without it the test is skipped.
"""

import os
import sys

import numpy as np
import pytest
from field_twin import FieldTwin, print_differences
from random_urdf import PINOCCHIO, WEDGE, draw

import limpet

try:
    import pinocchio as pin
except ImportError:
    if __name__ == "__main__":
        print("skipped: not installed: pinocchio")
        sys.exit(77)
    pytest.skip("not installed: pinocchio", allow_module_level=True)

FILES = int(os.environ.get("LIMPET_URDF_FILES", "60"))
POSE, DYNAMICS = 1e-12, 1e-9
PLANAR = ("_x", "_y", "_theta")
FLOATING = ("_x", "_y", "_z", "_turn")
# What coal has of a shape, and Limpet in geom_size.
SIZES = {
    "BOX": lambda shape: shape.halfSide,
    "SPHERE": lambda shape: [shape.radius],
    "CYLINDER": lambda shape: [shape.radius, shape.halfLength],
}


def turn_of(quaternion):
    w, x, y, z = quaternion
    return pin.Quaternion(w, x, y, z).matrix()


class Twin(FieldTwin):
    """One file in both programs."""

    PEER = "Pinocchio"

    def __init__(self, seed, folder):
        super().__init__(seed)
        self.text = text = draw(seed, PINOCCHIO)
        (folder / "wedge.obj").write_text(WEDGE)
        path = folder / "robot.urdf"
        path.write_text(text)
        root = [] if "<link name='world'/>" in text else [pin.JointModelFreeFlyer()]
        self.theirs = pin.buildModelFromXML(text, *root)
        self.following = pin.buildModelFromXML(text, *root, True)
        self.shapes = [
            pin.buildGeomFromUrdfString(self.theirs, text, kind, str(folder))
            for kind in (pin.GeometryType.VISUAL, pin.GeometryType.COLLISION)
        ]
        self.ours = limpet.load(path)
        self.names = {kind: self.ours.names(kind) for kind in ("body", "joint", "geom")}

    def find(self, kind, name):
        return self.names[kind].index(name)

    # the model

    def links(self):
        """(frame of Pinocchio, number of the body)"""
        for frame in self.theirs.frames:
            if frame.type == pin.FrameType.BODY and frame.name not in ("universe", "world"):
                yield frame, self.find("body", frame.name)

    def compare_links(self):
        """Inertias of joints, which are sums of those of the links that are welded together."""
        m, t = self.ours, self.theirs
        sums, count = [pin.Inertia.Zero() for _ in range(t.njoints)], 1
        for frame, b in self.links():
            count += 1
            moment = np.array(m.body_inertia[b]).reshape(3, 3)
            own = pin.Inertia(m.body_mass[b], np.array(m.body_com[b]), moment)
            sums[frame.parentJoint] += frame.placement.act(own)
        for name, ours, theirs in zip(t.names[1:], sums[1:], list(t.inertias)[1:]):
            self.compare(f"mass at {name}", ours.mass, theirs.mass, POSE)
            self.compare(f"centre of mass at {name}", ours.lever, theirs.lever, POSE)
            self.compare(f"inertia at {name}", ours.inertia, theirs.inertia, POSE)
        self.compare("links", m.body_count, count)

    def joints(self):
        """(joint of Pinocchio, numbers of the joints here)"""
        for j in range(1, self.theirs.njoints):
            name, kind = self.theirs.names[j], self.theirs.joints[j].shortname()
            if name == "root_joint":
                yield j, [0]
            elif "Planar" in kind:
                yield j, [self.find("joint", name + part) for part in PLANAR]
            elif "FreeFlyer" in kind:
                parts = FLOATING if name + "_x" in self.names["joint"] else ("",)
                yield j, [self.find("joint", name + part) for part in parts]
            else:
                yield j, [self.find("joint", name)]

    def compare_joints(self):
        m, t, count = self.ours, self.theirs, 0
        for j, ours in self.joints():
            count += len(ours)
            joint, name, first = t.joints[j], t.names[j], m.joint_v[ours[0]]
            if joint.nv > 1:
                continue
            low, high = t.lowerPositionLimit[joint.idx_q], t.upperPositionLimit[joint.idx_q]
            limited = joint.nq == 1
            self.compare(f"limited {name}", m.joint_limited[ours[0]], limited)
            if limited:
                self.compare(f"range of {name}", m.joint_range[ours[0]], [low, high])
            friction = t.upperDryFrictionLimit[joint.idx_v]
            self.compare(f"damping of {name}", m.dof_damping[first], t.damping[joint.idx_v])
            self.compare(f"friction of {name}", m.dof_dry_friction[first], friction)
            self.compare_effort(name, ours[0], t.upperEffortLimit[joint.idx_v])
        self.compare("joints", m.joint_count, count)

    def compare_effort(self, name, joint, effort):
        m = self.ours
        if f"<transmission name='t {name}'" not in self.text:
            return
        drives = np.flatnonzero(m.actuator_target == joint)
        self.compare(f"drives of {name}", len(drives), effort > 0)
        for a in drives:
            if np.isfinite(effort):
                self.compare(f"effort of {name}", m.actuator_force_range[a], [-effort, effort])
            self.compare(f"bounds of {name}", m.actuator_force_limited[a], np.isfinite(effort))

    def compare_followers(self):
        m, t, count = self.ours, self.following, 0
        for j, followed in zip(t.mimicking_joints, t.mimicked_joints):
            count += 1
            joint, name = t.joints[j].extract(), t.names[j]
            row = np.flatnonzero(m.coupler_y == self.find("joint", name))
            self.compare(f"followers {name}", row.size, 1)
            if row.size != 1:
                continue
            leader = self.find("joint", t.names[followed])
            self.compare(f"followed by {name}", m.coupler_x[row], leader)
            numbers = [joint.offset, joint.scaling]
            self.compare(f"coefficients of {name}", m.coupler_coefficient[row[0]][:2], numbers)
        self.compare("followers", m.coupler_count, count)

    def compare_shapes(self):
        m = self.ours
        groups = [[], []]
        for g in range(m.geom_count):
            touches = bool(m.geom_contype[g] or m.geom_conaffinity[g])
            groups[touches].append(g)
        for kind, shapes, ours in zip(("visual", "collision"), self.shapes, groups):
            theirs = list(shapes.geometryObjects)
            self.compare(f"{kind} shapes", len(ours), len(theirs))
            for frame, b in self.links():
                mine = [g for g in ours if m.geom_body[g] == b]
                here = [s for s in theirs if self.theirs.frames[s.parentFrame].name == frame.name]
                here.sort(key=lambda s: int(s.name.rsplit("_", 1)[1]))
                self.compare(f"{kind}s of {frame.name}", len(mine), len(here))
                for g, shape in zip(mine, here):
                    place = frame.placement.actInv(shape.placement)
                    self.compare_shape(f"{kind} {shape.name}", g, place, shape)

    def compare_shape(self, name, g, place, shape):
        m, kind = self.ours, shape.meshPath
        if kind in SIZES:  # meshes have principal axes here
            size = SIZES[kind](shape.geometry)
            self.compare(f"position of {name}", m.geom_position[g], place.translation, POSE)
            turn = turn_of(m.geom_quaternion[g])
            self.compare(f"rotation of {name}", turn, place.rotation, POSE)
            self.compare(f"size of {name}", m.geom_size[g][: len(size)], size, POSE)
        if name.startswith("visual") and shape.overrideMaterial:
            self.compare(f"colour of {name}", m.geom_rgba[g], shape.meshColor, 1e-6)

    # states

    def draw_state(self, r, data):
        """Of both; returns q, v of Pinocchio and the matrix T of v = T (v here)."""
        m, t = self.ours, self.theirs
        q, turn = pin.neutral(t), np.zeros((t.nv, m.nv))
        data.v[:] = r.normal(size=m.nv)
        for j, ours in self.joints():
            joint = t.joints[j]
            at, to, a = joint.idx_q, joint.idx_v, m.joint_q[ours[0]]
            first = m.joint_v[ours[0]]
            block = turn[to : to + joint.nv, first : first + joint.nv]
            block[:] = np.eye(joint.nv)
            if joint.nv == 6:
                place, spin = r.uniform(-1, 1, 3), r.normal(size=4)
                spin /= np.linalg.norm(spin)
                data.q[a : a + 7] = [*place, *spin]
                q[at : at + 7] = [*place, *spin[1:], spin[0]]
                block[:3, :3] = turn_of(spin).T
            elif joint.nv == 3:
                x, y, angle = r.uniform(-1, 1, 3)
                c, s = np.cos(angle), np.sin(angle)
                data.q[a : a + 3] = [x, y, angle]
                q[at : at + 4] = [x, y, c, s]
                block[:2, :2] = [[c, s], [-s, c]]
            else:
                angle = r.uniform(-1, 1)
                data.q[a] = angle
                q[at : at + joint.nq] = angle if joint.nq == 1 else [np.cos(angle), np.sin(angle)]
        return q, turn @ data.v, turn

    def rate_of(self, v):
        """dT/dt (v here), which accelerations of Pinocchio have besides."""
        t, result = self.theirs, np.zeros(self.theirs.nv)
        for j, _ in self.joints():
            joint, to = t.joints[j], t.joints[j].idx_v
            if joint.nv == 6:  # d/dt (R^T) u = -w x (R^T u)
                result[to : to + 3] = -np.cross(v[to + 3 : to + 6], v[to : to + 3])
            elif joint.nv == 3:
                spin = [0, 0, v[to + 2]]
                result[to : to + 2] = -np.cross(spin, [v[to], v[to + 1], 0])[:2]
        return result

    def compare_state(self, r):
        m, t = self.ours, self.theirs
        data, their = m.data(), t.createData()
        q, v, turn = self.draw_state(r, data)
        data.forward_dynamics()
        pin.framesForwardKinematics(t, their, q)
        pin.computeJointJacobians(t, their, q)
        for frame, b in self.links():
            index = t.getFrameId(frame.name, pin.FrameType.BODY)
            place, rotation = their.oMf[index].translation, their.oMf[index].rotation
            self.compare(f"position of {frame.name}", data.body_position[b], place, POSE)
            self.compare(f"rotation of {frame.name}", data.body_rotation[b], rotation, POSE)
            if not t.nv:  # where Pinocchio has no Jacobians
                continue
            jacobian = pin.getFrameJacobian(t, their, index, pin.LOCAL_WORLD_ALIGNED)
            jacobian = jacobian.reshape(6, -1) @ turn
            ours = data.jacobian(int(b), data.body_position[b])
            self.compare(f"Jacobian of {frame.name}", ours, [*jacobian[3:], *jacobian[:3]], POSE)
        if not t.nv:
            return
        mass = pin.crba(t, their, q)
        mass = np.triu(mass) + np.triu(mass, 1).T
        self.compare("mass matrix", data.full_mass_matrix(), turn.T @ mass @ turn, DYNAMICS)
        rest = self.rate_of(v)
        bias = turn.T @ pin.rnea(t, their, q, v, rest)
        self.compare("bias", data.bias, bias, DYNAMICS)
        if np.linalg.cond(mass) < 1e6:
            damping = -m.dof_damping * data.v
            self.compare("passive force", data.passive_force, damping, DYNAMICS)
            theirs = pin.aba(t, their, q, v, np.linalg.solve(turn.T, damping))
            ours = turn @ data.acceleration + rest
            self.compare("acceleration", ours, theirs, 1e-7)

    def compare_model(self):
        self.compare_links()
        self.compare_joints()
        self.compare_followers()
        self.compare_shapes()


@pytest.mark.filterwarnings("ignore")
def test_random_files_are_pinocchios(tmp_path):
    for seed in range(FILES):
        try:
            twin = Twin(seed, tmp_path)
        except ValueError as error:
            assert "not in the kinematic tree" in str(error)  # a follower before its leader
            continue
        differences = twin.compare_all()
        assert not differences, f"seed {seed}: {differences}"


if __name__ == "__main__":
    print_differences(Twin, *sys.argv[1:])

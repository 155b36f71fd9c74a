"""One file in Limpet and in Drake, and every field that both have: the comparison of
`test_drake_fields.py`."""

import numpy as np
import pydrake.all as drake
from field_twin import FieldTwin

import limpet

POSE, DYNAMICS, ACCELERATION = 1e-11, 1e-9, 1e-7
PARTS = {"universal": ("_1", "_2"), "planar": ("_x", "_y", "_theta")}  # joints made of several
# What Drake has of a shape, and Limpet in geom_size.
SIZES = {
    "Sphere": lambda s: [s.radius()],
    "Box": lambda s: 0.5 * np.array(s.size()),
    "Cylinder": lambda s: [s.radius(), 0.5 * s.length()],
    "Capsule": lambda s: [s.radius(), 0.5 * s.length()],
    "Ellipsoid": lambda s: [s.a(), s.b(), s.c()],
}
# Proximity properties of Drake: group, name, and where the material of a geom has them.
MATERIAL = [
    ("material", "point_contact_stiffness", "stiffness"),
    ("material", "hunt_crossley_dissipation", "dissipation"),
    ("material", "relaxation_time", "relaxation_time"),
]


class Twin(FieldTwin):
    """One file in both programs. `scoped` says whether names of bodies have their model's."""

    PEER = "Drake"

    def __init__(self, seed, path, scoped):
        super().__init__(seed)
        self.scoped = scoped
        builder = drake.DiagramBuilder()
        self.plant, scene = drake.AddMultibodyPlantSceneGraph(builder, 0.0)
        self.ours = limpet.load(path)
        self.read(self.plant, path)
        diagram = builder.Build()
        self.diagram = diagram.CreateDefaultContext()
        self.context = self.plant.GetMyMutableContextFromRoot(self.diagram)
        self.free = drake.MultibodyPlant(0.0)  # without shapes, and so without contact
        self.read(self.free, path)
        self.query = scene.get_query_output_port()
        self.scene = scene.GetMyContextFromRoot(self.diagram)
        self.inspector = scene.model_inspector()
        self.names = {kind: self.ours.names(kind) for kind in ("body", "joint", "actuator")}
        self.geoms = {}  # of Drake to ours

    def read(self, plant, path):
        """Drake reads no gravity."""
        parser = drake.Parser(plant)
        parser.package_map().Add("parts", str(path.parent))
        parser.AddModels(str(path))
        plant.mutable_gravity_field().set_gravity_vector(self.ours.gravity)
        plant.Finalize()

    # names

    def find(self, kind, name):
        """The number of what has this name in its model."""
        found = [i for i, n in enumerate(self.names[kind]) if n and n.rsplit("::", 1)[-1] == name]
        assert len(found) == 1, f"seed {self.seed}: {len(found)} objects {kind} '{name}'"
        return found[0]

    def name(self, body):
        if not self.scoped:
            return body.name()
        return f"{self.plant.GetModelInstanceName(body.model_instance())}::{body.name()}"

    def links(self):
        """(body of Drake, number here)"""
        for index in range(1, self.plant.num_bodies()):
            body = self.plant.get_body(drake.BodyIndex(index))
            yield body, self.names["body"].index(self.name(body))

    def joints(self):
        """(joint of Drake, numbers here); what floats has its link's name."""
        for index in self.plant.GetJointIndices():
            joint = self.plant.get_joint(index)
            kind, name = joint.type_name(), joint.name()
            if kind == "weld":
                continue
            if kind == "quaternion_floating":
                yield joint, [self.names["joint"].index(self.name(joint.child_body()))]
            else:
                yield joint, [self.find("joint", name + part) for part in PARTS.get(kind, ("",))]

    # the model

    def compare_links(self):
        m, count = self.ours, 1
        for body, b in self.links():
            count += 1
            name, theirs = self.name(body), body.CalcSpatialInertiaInBodyFrame(self.context)
            self.compare(f"mass of {name}", m.body_mass[b], theirs.get_mass(), POSE)
            if not theirs.get_mass() > 0:
                continue
            self.compare(f"centre of mass of {name}", m.body_com[b], theirs.get_com(), POSE)
            moment = theirs.Shift(theirs.get_com()).CalcRotationalInertia().CopyToFullMatrix3()
            self.compare(f"inertia of {name}", m.body_inertia[b], moment, POSE)
        self.compare("links", m.body_count, count)

    def compare_joints(self):
        m, count = self.ours, 0
        for joint, ours in self.joints():
            count += len(ours)
            name = joint.name()
            if joint.type_name() == "quaternion_floating":
                continue
            low, high = joint.position_lower_limits(), joint.position_upper_limits()
            for i, j in enumerate(ours if joint.type_name() != "ball_rpy" else []):
                limited = bool(np.isfinite([low[i], high[i]]).any())
                self.compare(f"limited {name}", m.joint_limited[j], limited)
                if limited:
                    self.compare(f"range of {name}", m.joint_range[j], [low[i], high[i]])
            rows = np.concatenate([np.flatnonzero(m.dof_joint == j) for j in ours])
            self.compare(f"damping of {name}", m.dof_damping[rows], joint.default_damping_vector())
        self.compare("joints", m.joint_count, count)

    def compare_actuators(self):
        m, armature = self.ours, np.zeros(self.ours.nv)
        self.compare("actuators", m.actuator_count, self.plant.num_actuators())
        for index in self.plant.GetJointActuatorIndices():
            theirs = self.plant.get_joint_actuator(index)
            name, a = theirs.name(), self.find("actuator", theirs.name())
            joint = self.find("joint", theirs.joint().name())
            self.compare(f"joint of {name}", m.actuator_target[a], joint)
            limit = theirs.effort_limit()
            self.compare(f"limited {name}", m.actuator_force_limited[a], np.isfinite(limit))
            if np.isfinite(limit):
                self.compare(f"effort of {name}", m.actuator_force_range[a], [-limit, limit])
            armature[m.joint_v[joint]] += theirs.default_reflected_inertia()
        self.compare("armature", m.dof_armature, armature, POSE)

    def compare_shapes(self):
        m, count = self.ours, 0
        touches = (m.geom_contype != 0) | (m.geom_conaffinity != 0)
        for body, b in [(self.plant.world_body(), 0), *self.links()]:
            for kind, theirs in (
                ("collision", self.plant.GetCollisionGeometriesForBody(body)),
                ("visual", self.plant.GetVisualGeometriesForBody(body)),
            ):
                mine = np.flatnonzero((m.geom_body == b) & (touches == (kind == "collision")))
                self.compare(f"{kind}s of {body.name()}", len(mine), len(theirs))
                count += len(mine)
                for g, shape in zip(mine, theirs):
                    self.geoms[shape] = int(g)
                    self.compare_shape(f"{kind} {self.inspector.GetName(shape)}", g, shape)
        self.compare("shapes", m.geom_count, count)

    def compare_shape(self, name, g, theirs):
        m, shape = self.ours, self.inspector.GetShape(theirs)
        kind = type(shape).__name__
        if kind in SIZES:
            size, place = SIZES[kind](shape), self.inspector.GetPoseInFrame(theirs)
            self.compare(f"size of {name}", m.geom_size[g][: len(size)], size, POSE)
            self.compare(f"position of {name}", m.geom_position[g], place.translation(), POSE)
            turn = drake.RotationMatrix(drake.Quaternion(m.geom_quaternion[g])).matrix()
            self.compare(f"rotation of {name}", turn, place.rotation().matrix(), POSE)
        looks = self.inspector.GetIllustrationProperties(theirs)
        if looks and looks.HasProperty("phong", "diffuse"):
            colour = looks.GetProperty("phong", "diffuse")
            colour = [colour.r(), colour.g(), colour.b(), colour.a()]
            self.compare(f"colour of {name}", m.geom_rgba[g], colour, 1e-6)
        feel = self.inspector.GetProximityProperties(theirs)
        if feel:
            self.compare_material(name, m.geom_material[g], feel)

    def compare_material(self, name, material, theirs):
        friction = theirs.GetPropertyOrDefault("material", "coulomb_friction", None)
        if friction:
            self.compare(f"friction of {name}", material["friction"], friction.dynamic_friction())
        for group, theirs_name, ours_name in MATERIAL:
            if theirs.HasProperty(group, theirs_name):
                value = theirs.GetProperty(group, theirs_name)
                self.compare(f"{theirs_name} of {name}", material[ours_name], value)

    # states

    def draw_floating(self, r, joint, j, data, turn):
        m, spin, place = self.ours, r.normal(size=4), r.uniform(-1, 1, 3)
        spin = drake.Quaternion(spin / np.linalg.norm(spin))
        rotation, body = drake.RotationMatrix(spin), joint.child_body()
        self.plant.SetFreeBodyPose(self.context, body, drake.RigidTransform(rotation, place))
        a, v = m.joint_q[j], m.joint_v[j]
        data.q[a : a + 7] = [*place, *spin.wxyz()]
        first = joint.velocity_start()
        turn[first : first + 3, v + 3 : v + 6] = rotation.matrix()
        turn[first + 3 : first + 6, v : v + 3] = np.eye(3)

    def draw_ball(self, r, joint, j, data, turn):
        angles = r.uniform(-1, 1, 3)
        joint.set_angles(self.context, angles)
        # here coordinates are in axes of the child, in Drake in those of the joint's frames
        turned = drake.RotationMatrix(drake.RollPitchYaw(angles))
        of_child = joint.frame_on_child().GetFixedPoseInBodyFrame().rotation()
        q = (of_child @ turned @ of_child.inverse()).ToQuaternion()
        m, first = self.ours, joint.velocity_start()
        data.q[m.joint_q[j] : m.joint_q[j] + 4] = q.wxyz()
        v = m.joint_v[j]
        turn[first : first + 3, v : v + 3] = (turned @ of_child.inverse()).matrix()

    def draw_state(self, r, data):
        """Of both; returns T of v = T (v here)."""
        m, turn = self.ours, np.zeros((self.plant.num_velocities(), self.ours.nv))
        for joint, ours in self.joints():
            kind = joint.type_name()
            if kind == "quaternion_floating":
                self.draw_floating(r, joint, ours[0], data, turn)
            elif kind == "ball_rpy":
                self.draw_ball(r, joint, ours[0], data, turn)
            else:
                q = self.plant.GetPositions(self.context)
                for i, j in enumerate(ours):
                    q[joint.position_start() + i] = data.q[m.joint_q[j]] = r.uniform(-1, 1)
                    turn[joint.velocity_start() + i, m.joint_v[j]] = 1.0
                self.plant.SetPositions(self.context, q)
        data.v[:] = r.normal(size=m.nv)
        self.plant.SetVelocities(self.context, turn @ data.v)
        u = r.normal(size=self.plant.num_actuated_dofs())
        for index in self.plant.GetJointActuatorIndices():
            theirs = self.plant.get_joint_actuator(index)
            limit = min(theirs.effort_limit(), 1e3)
            i = theirs.input_start()
            u[i] = np.clip(u[i], -limit, limit)
            data.control[self.find("actuator", theirs.name())] = u[i]
        if len(u):
            self.plant.get_actuation_input_port().FixValue(self.context, u)
        return turn

    def compare_state(self, r, moved=True):
        m, data = self.ours, self.ours.data()
        turn = self.draw_state(r, data) if moved else None
        data.forward_dynamics()
        for body, b in self.links():
            name, place = self.name(body), body.EvalPoseInWorld(self.context)
            self.compare(f"position of {name}", data.body_position[b], place.translation(), POSE)
            rotation = place.rotation().matrix()
            self.compare(f"rotation of {name}", data.body_rotation[b], rotation, POSE)
            if moved and m.nv:
                jacobian = self.plant.CalcJacobianSpatialVelocity(
                    *(self.context, drake.JacobianWrtVariable.kV, body.body_frame(), np.zeros(3)),
                    *(self.plant.world_frame(), self.plant.world_frame()),
                )
                ours = data.jacobian(int(b), data.body_position[b])
                self.compare(f"Jacobian of {name}", ours, jacobian @ turn, POSE)
        self.compare_touching(data)
        if moved and m.nv:
            self.compare_dynamics(data, turn)

    def compare_dynamics(self, data, turn):
        plant, context = self.plant, self.context
        mass = turn.T @ plant.CalcMassMatrix(context) @ turn
        self.compare("mass matrix", data.full_mass_matrix(), mass, DYNAMICS)
        bias = plant.CalcBiasTerm(context) - plant.CalcGravityGeneralizedForces(context)
        self.compare("bias", data.bias, turn.T @ bias, DYNAMICS)
        if not plant.num_constraints() and np.linalg.cond(mass) < 1e6:
            free = self.free.CreateDefaultContext()
            self.free.SetPositionsAndVelocities(free, plant.GetPositionsAndVelocities(context))
            if plant.num_actuated_dofs():
                u = plant.get_actuation_input_port().Eval(context)
                self.free.get_actuation_input_port().FixValue(free, u)
            rates = self.free.EvalTimeDerivatives(free).CopyToVector()[plant.num_positions() :]
            self.compare("acceleration", turn @ data.acceleration, rates, ACCELERATION)

    def neighbours(self, pair):
        """What is welded to a neighbour at a joint counts as the neighbour here, not in Drake."""
        m = self.ours
        a, b = (m.body_weld[m.geom_body[g]] for g in pair)
        return a in m.body_weld[m.body_parent[m.body_weld == b]] or (
            b in m.body_weld[m.body_parent[m.body_weld == a]]
        )

    def compare_touching(self, data):
        """Which geoms touch, of those that touch by more than a hundredth of a millimetre."""
        query = self.query.Eval(self.scene)
        theirs = {
            tuple(sorted((self.geoms[p.id_A], self.geoms[p.id_B])))
            for p in query.ComputePointPairPenetration()
            if p.depth > 1e-5
        }
        data.find_contacts()
        contacts = data.contacts
        ours = {tuple(sorted(map(int, c.pair))) for c in contacts if c.distance < -1e-5}
        for pair in ours - theirs | {p for p in theirs - ours if not self.neighbours(p)}:
            who = "Limpet" if pair in ours else "Drake"
            names = [self.names["body"][self.ours.geom_body[g]] for g in pair]
            self.differences.append(("touching", f"{pair} of {names}: {who} alone"))

    def compare_model(self):
        self.compare_links()
        self.compare_joints()
        self.compare_actuators()
        self.compare_shapes()
        if not self.differences:
            self.compare_state(None, moved=False)

"""Random scenes of SDFormat, stepped by Drake and by Limpet with its preset `drake`.

Materials are drawn over their whole range: stiffness 1e3 to 1e7 N/m, friction 0.01 to 1.5, masses
over four decades, steps of 0.2 to 10 ms, three contact models, bodies alone and chains. Velocities
after one step agree to what Drake's solver leaves (1e-6 of the momentum). Scenes in which Drake's
narrow phase places a contact elsewhere are passed over: pairs of boxes, capsules, cylinders and
ellipsoids iterate there.

Needs Drake (PyPI: drake 1.51.1): without it the test is skipped.
"""

import math
import random

import numpy as np
import pytest

import limpet

drake = pytest.importorskip("pydrake.all", reason="not installed: drake")

SCENES = 60
TOLERANCE = 1e-5  # of the largest speed
PLACE = 1e-9  # of the size of a body, within which contacts are the same
LAWS = {
    "sap": drake.DiscreteContactApproximation.kSap,
    "similar": drake.DiscreteContactApproximation.kSimilar,
    "lagged": drake.DiscreteContactApproximation.kLagged,
}


def log_uniform(r, low, high):
    return math.exp(r.uniform(math.log(low), math.log(high)))


def numbers(values):
    return " ".join(repr(float(v)) for v in values)


def shape(r, kind, size):
    if kind == "sphere":
        return f"<sphere><radius>{size * r.uniform(0.5, 1)}</radius></sphere>"
    if kind == "box":
        return f"<box><size>{numbers(size * r.uniform(0.6, 2) for _ in range(3))}</size></box>"
    if kind == "ellipsoid":
        radii = numbers(size * r.uniform(0.5, 1) for _ in range(3))
        return f"<ellipsoid><radii>{radii}</radii></ellipsoid>"
    radius, length = size * r.uniform(0.3, 1), size * r.uniform(0.5, 1.5)
    return f"<{kind}><radius>{radius}</radius><length>{length}</length></{kind}>"


def proximity(r):
    tags = {
        "point_contact_stiffness": log_uniform(r, 1e3, 1e7),
        "hunt_crossley_dissipation": log_uniform(r, 0.1, 100),
        "relaxation_time": log_uniform(r, 1e-4, 0.1),
        "mu_dynamic": log_uniform(r, 0.01, 1.5),
    }
    inside = "".join(f"<drake:{k}>{v!r}</drake:{k}>" for k, v in tags.items())
    return f"<drake:proximity_properties>{inside}</drake:proximity_properties>"


def link(r, name, pose, kind, size, mass):
    inertia = [mass * size * size * r.uniform(0.5, 1) for _ in range(3)]
    moments = "".join(f"<i{a}>{m!r}</i{a}>" for a, m in zip(("xx", "yy", "zz"), inertia))
    com = numbers([size * r.uniform(-0.3, 0.3) for _ in range(3)] + [r.uniform(-1, 1)] * 3)
    place = numbers([size * r.uniform(-0.2, 0.2) for _ in range(3)] + [r.uniform(-1.5, 1.5)] * 3)
    return (
        f"<link name='{name}'><pose>{numbers(pose)}</pose><inertial><pose>{com}</pose>"
        f"<mass>{mass!r}</mass><inertia>{moments}</inertia></inertial>"
        f"<collision name='c{name}'><pose>{place}</pose><geometry>{shape(r, kind, size)}</geometry>"
        f"{proximity(r)}</collision></link>"
    )


def chain(r, kinds, size, mass):
    """A body that floats, with up to two links behind it."""
    parts = [link(r, "a0", [0] * 6, r.choice(kinds), size, mass)]
    for j in range(1, r.choice([1, 1, 2, 3])):
        offset = [size * 1.5 * j] + [size * r.uniform(-0.3, 0.3) for _ in range(2)]
        pose = offset + [r.uniform(-1, 1) for _ in range(3)]
        parts.append(link(r, f"a{j}", pose, r.choice(kinds), size, mass * log_uniform(r, 0.1, 3)))
        axis = np.array([r.gauss(0, 1) for _ in range(3)])
        parts.append(
            f"<joint name='j{j}' type='{r.choice(['continuous', 'prismatic'])}'>"
            f"<parent>a{j - 1}</parent><child>a{j}</child><axis>"
            f"<xyz>{numbers(axis / np.linalg.norm(axis))}</xyz>"
            f"<dynamics><damping>{log_uniform(r, 1e-3, 1)}</damping></dynamics></axis></joint>"
        )
    return "".join(parts)


def scene(r, kinds):
    size, count = log_uniform(r, 0.02, 0.5), r.randint(1, 4)
    text = (
        "<?xml version='1.0'?><sdf version='1.9'><world name='w'><model name='ground'>"
        "<static>true</static><link name='l'><collision name='g'><geometry><plane><normal>0 0 1"
        f"</normal></plane></geometry>{proximity(r)}</collision></link></model>"
    )
    for k in range(count):
        place = [size * k * r.uniform(0.6, 1.2), size * r.uniform(-0.5, 0.5)]
        pose = place + [size * r.uniform(0.2, 1)] + [r.uniform(-1.5, 1.5) for _ in range(3)]
        body = chain(r, kinds, size, log_uniform(r, 0.01, 100))
        text += f"<model name='m{k}'><pose>{numbers(pose)}</pose>{body}</model>"
    return text + "</world></sdf>", size, count


class Twin:
    """One scene in both simulators, in the same state."""

    def __init__(self, r, path, size, count, law, time_step):
        builder = drake.DiagramBuilder()
        self.plant, self.graph = drake.AddMultibodyPlantSceneGraph(builder, time_step)
        drake.Parser(self.plant).AddModels(str(path))
        self.plant.set_contact_model(drake.ContactModel.kPoint)
        self.plant.set_discrete_contact_approximation(LAWS[law])
        self.plant.Finalize()
        self.simulator = drake.Simulator(builder.Build())
        self.context = self.plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        self.model = limpet.load(path)
        self.data = self.model.data()
        self.size, self.count, self.time_step = size, count, time_step
        self.settings = limpet.Settings(
            self.model, preset="drake", contact=law, time_step=time_step, tolerance=1e-9
        )
        speed = log_uniform(r, 1e-3, 3)
        for k in range(count):
            self.throw(r, k, speed)

    def joints(self, k):
        plant = self.plant
        every = (plant.get_joint(j) for j in plant.GetJointIndices(self.instance(k)))
        return [j for j in every if j.num_velocities() == 1]

    def instance(self, k):
        return self.plant.GetModelInstanceByName(f"m{k}")

    def base(self, k):
        return self.plant.GetBodyByName("a0", self.instance(k))

    def rotation(self, k):
        pose = self.plant.EvalBodyPoseInWorld(self.context, self.base(k))
        return pose.rotation().matrix()

    def throw(self, r, k, speed):
        spin = np.array([r.gauss(0, 0.3) for _ in range(3)]) * speed / self.size
        shift = np.array([r.gauss(0, 1) for _ in range(3)]) * speed
        velocity = drake.SpatialVelocity(spin, shift)
        self.plant.SetFreeBodySpatialVelocity(self.base(k), velocity, self.context)
        turned = self.rotation(k).T @ spin
        self.data.joint(f"m{k}::a0").v = np.concatenate([shift, turned])
        for joint in self.joints(k):
            q, v = r.gauss(0, 0.5) * self.unit(joint), r.gauss(0, 0.3) * speed
            v *= self.unit(joint) / self.size
            if joint.type_name() == "prismatic":
                joint.set_translation(self.context, q)
                joint.set_translation_rate(self.context, v)
            else:
                joint.set_angle(self.context, q)
                joint.set_angular_rate(self.context, v)
            mine = self.data.joint(f"m{k}::{joint.name()}")
            mine.q, mine.v = q, v

    def unit(self, joint):
        return self.size if joint.type_name() == "prismatic" else 1.0

    def rate(self, joint):
        if joint.type_name() == "prismatic":
            return joint.get_translation_rate(self.context)
        return joint.get_angular_rate(self.context)

    def depths(self):
        """Of Drake's contacts, in their order."""
        root = self.simulator.get_context()
        query = self.graph.get_query_output_port().Eval(self.graph.GetMyContextFromRoot(root))
        return sorted(p.depth for p in query.ComputePointPairPenetration())

    def step(self):
        """False: contacts lie elsewhere."""
        depths = self.depths()
        self.simulator.AdvanceTo(self.time_step)
        limpet.step(self.model, self.data, 1, settings=self.settings)
        mine = sorted(-c.distance for c in self.data.contacts)
        assert len(mine) == len(depths)
        return np.allclose(mine, depths, rtol=0, atol=PLACE * self.size)

    def velocities(self):
        """Of Drake and of Limpet, all in m/s."""
        theirs, ours, size = [], [], self.size
        for k in range(self.count):
            v = self.plant.EvalBodySpatialVelocityInWorld(self.context, self.base(k))
            theirs += [*v.translational(), *(size * self.rotation(k).T @ v.rotational())]
            mine = np.array(self.data.joint(f"m{k}::a0").v)
            ours += [*mine[:3], *(size * mine[3:])]
            for joint in self.joints(k):
                scale = size / self.unit(joint)
                theirs.append(scale * self.rate(joint))
                ours.append(scale * float(np.ravel(self.data.joint(f"m{k}::{joint.name()}").v)[0]))
        return np.array(theirs), np.array(ours)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kinds", ["sphere", "box", "capsule", "ellipsoid", "sphere box"])
def test_first_step_of_random_scenes_is_drakes(kinds, tmp_path):
    compared = 0
    for seed in range(SCENES):
        r = random.Random(f"{kinds} {seed}")
        text, size, count = scene(r, kinds.split())
        path = tmp_path / f"{seed}.sdf"
        path.write_text(text)
        twin = Twin(r, path, size, count, r.choice(list(LAWS)), log_uniform(r, 2e-4, 1e-2))
        if not twin.step():
            continue
        theirs, ours = twin.velocities()
        assert np.abs(theirs - ours).max() <= TOLERANCE * np.abs(theirs).max(), (kinds, seed)
        compared += 1
    assert compared >= SCENES // 6

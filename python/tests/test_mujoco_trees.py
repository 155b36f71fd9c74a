"""Random trees of MJCF, beside MuJoCo: poses of the file, masses, accelerations, sensors.

Every way to write an orientation, both units, Euler sequences, frames, classes, geoms of all
primitives, inertias given and derived, all joints, springs, dampers, armature, fixed and spatial
tendons, actuators and sensors, at random poses. What is known to differ is not drawn: tendons whose
armature couples branches (MuJoCo's kinetic energy misses m l'^2/2 there), viscous media (MuJoCo's
ellipsoid coefficients have seven digits), bounds of masses on bodies without geoms.

Needs MuJoCo (PyPI: mujoco-core 4.0.1): without it the test is skipped.
"""

import math
import random

import numpy as np
import pytest

import limpet

mujoco = pytest.importorskip("mujoco", reason="not installed: mujoco")

TREES = 200
TOLERANCE = 1e-8
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
CLASS = (
    "<default><default class='other'><joint damping='.3' armature='.02' stiffness='2'/>"
    "<geom density='2000' group='1'/></default></default>"
)


def numbers(values):
    return " ".join(repr(float(v)) for v in values)


class Tree:
    """The text of a model, and the names of what is in it."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.count = 0
        self.bodies, self.sites, self.geoms, self.scalars, self.balls = [], [], [], [], []
        self.tendons, self.actuators = [], 0
        self.degrees = self.chance(0.5)
        self.text = self.model()

    def chance(self, share):
        return self.r.random() < share

    def log(self, low, high):
        return math.exp(self.r.uniform(math.log(low), math.log(high)))

    def normal(self, count):
        return [self.r.gauss(0, 1) for _ in range(count)]

    def name(self, letter, names):
        self.count += 1
        names.append(f"{letter}{self.count}")
        return names[-1]

    def maybe(self, share, text):
        return text if self.chance(share) else ""

    def angle(self, size):
        return self.r.uniform(-size, size) * (180 / math.pi if self.degrees else 1.0)

    def position(self, size):
        return f" pos='{numbers(self.r.uniform(-size, size) for _ in range(3))}'"

    def orientation(self):
        forms = {
            "": "",
            "quat": numbers(self.normal(4)),
            "axisangle": numbers([*self.normal(3), self.angle(3)]),
            "euler": numbers([self.angle(3) for _ in range(3)]),
            "xyaxes": numbers(self.normal(6)),
            "zaxis": numbers(self.normal(3)),
        }
        form = self.r.choice(list(forms))
        return f" {form}='{forms[form]}'" if form else ""

    def geom(self):
        kind = self.r.choice(list(SIZES))
        text = f"<geom name='{self.name('g', self.geoms)}' type='{kind}'"
        if kind != "sphere" and self.chance(0.25):
            start = [self.r.uniform(-0.3, 0.3) for _ in range(3)]
            ends = numbers(start + [x + self.r.uniform(0.05, 0.3) for x in start])
            text += f" fromto='{ends}' size='{self.log(0.01, 0.1)!r}'"
        else:
            size = numbers(self.log(0.02, 0.2) for _ in range(SIZES[kind]))
            text += f" size='{size}'" + self.position(0.2) + self.orientation()
        mass = self.r.choice(
            ["", f" mass='{self.log(0.01, 10)!r}'", f" density='{self.log(1e2, 5e3)!r}'"]
        )
        rest = self.maybe(0.2, " shellinertia='true'") + self.maybe(0.2, " class='other'")
        return text + mass + rest + "/>"

    def joint(self):
        kind = self.r.choice(["hinge", "slide", "ball", "hinge"])
        scalar = kind != "ball"
        text = f"<joint name='{self.name('j', self.scalars if scalar else self.balls)}'"
        text += f" type='{kind}'" + self.maybe(0.5, self.position(0.2))
        text += self.maybe(0.4, f" damping='{self.log(1e-3, 1)!r}'")
        text += self.maybe(0.3, f" stiffness='{self.log(1e-2, 100)!r}'")
        text += self.maybe(0.3, f" armature='{self.log(1e-3, 1)!r}'")
        if scalar:
            rest = self.angle(1) if kind == "hinge" else self.r.uniform(-1, 1)
            text += f" axis='{numbers(self.normal(3))}'" + self.maybe(0.3, f" ref='{rest!r}'")
            text += self.maybe(0.3, f" springref='{rest!r}'")
        return text + self.maybe(0.15, " class='other'") + "/>"

    def inertial(self):
        mass, size = self.log(0.05, 10), self.log(0.02, 0.2)
        if self.chance(0.5):
            moments = numbers(mass * size**2 * self.r.uniform(0.6, 1) for _ in range(3))
            shape = self.orientation() + f" diaginertia='{moments}'"
        else:
            points = size * np.array([self.normal(3) for _ in range(6)])
            spread = mass / 6 * points.T @ points
            moment = np.trace(spread) * np.eye(3) - spread
            order = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
            shape = f" fullinertia='{numbers(moment[at] for at in order)}'"
        return f"<inertial{self.position(0.1)} mass='{mass!r}'{shape}/>"

    def body(self, depth, top):
        text = f"<body name='{self.name('b', self.bodies)}'" + self.position(0.4)
        text += self.orientation() + self.maybe(0.15, " gravcomp='.5'")
        text += self.maybe(0.15, " childclass='other'") + ">"
        if top and self.chance(0.4):
            text += "<freejoint/>"
        else:
            for _ in range(self.r.choice([0, 1, 1, 2, 3])):
                text += self.joint()
                if self.balls and self.balls[-1] == f"j{self.count}":
                    break  # a ball is the last
        text += self.maybe(0.3, self.inertial())
        text += "".join(self.geom() for _ in range(self.r.randint(1, 3)))
        for _ in range(self.r.randint(0, 2)):
            site = self.name("s", self.sites)
            text += f"<site name='{site}'{self.position(0.2)}{self.orientation()}/>"
        for _ in range(self.r.randint(0, 2) if depth else 0):
            child = self.body(depth - 1, False)
            frame = f"<frame{self.position(0.2)}{self.orientation()}>{child}</frame>"
            text += frame if self.chance(0.3) else child
        return text + "</body>"

    def law(self):
        text = f" stiffness='{self.log(0.1, 50)!r}' damping='{self.log(0.01, 1)!r}'"
        return text + self.maybe(0.5, f" springlength='{self.r.uniform(0, 0.5)!r}'")

    def all_tendons(self):
        text = ""
        if len(self.scalars) >= 2 and self.chance(0.5):
            joints = self.r.sample(self.scalars, 2)
            terms = (f"<joint joint='{j}' coef='{self.r.gauss(0, 1)!r}'/>" for j in joints)
            text += f"<fixed name='{self.name('t', self.tendons)}'{self.law()}>"
            text += "".join(terms) + "</fixed>"
        if len(self.sites) >= 3 and self.chance(0.5):
            a, b, c = (f"<site site='{s}'/>" for s in self.r.sample(self.sites, 3))
            text += f"<spatial name='{self.name('t', self.tendons)}'{self.law()}>{a}{b}{c}"
            text += self.maybe(0.3, f"<pulley divisor='2'/>{a}{b}") + "</spatial>"
        return f"<tendon>{text}</tendon>" if text else ""

    def transmission(self):
        ways = []
        if self.scalars:
            ways += [f"joint='{self.r.choice(self.scalars)}' gear='{self.r.gauss(0, 3)!r}'"] * 2
        if self.balls:
            where = self.r.choice(["joint", "jointinparent"])
            ways.append(f"{where}='{self.r.choice(self.balls)}' gear='{numbers(self.normal(3))}'")
        if self.tendons:
            ways.append(f"tendon='{self.r.choice(self.tendons)}'")
        if len(self.sites) >= 2:
            a, b = self.r.sample(self.sites, 2)
            gear = f" gear='{numbers(self.normal(6))}'"
            ways += [f"site='{a}'{gear}", f"site='{a}' refsite='{b}'{gear}"]
        return self.r.choice(ways) if ways else None

    def all_actuators(self):
        text = ""
        laws = {
            "motor": "",
            "position": f"kp='{self.log(0.1, 100)!r}' kv='{self.log(0.01, 1)!r}'",
            "velocity": f"kv='{self.log(0.01, 1)!r}'",
            "general": "gaintype='affine' gainprm='2 .3 -.1' biastype='affine' biasprm='.5 -1 -.2' "
            f"dyntype='{self.r.choice(['none', 'filter', 'integrator'])}' dynprm='.1'",
            "intvelocity": f"kp='{self.log(0.1, 10)!r}' actrange='-1 1'",
            "cylinder": "area='.3' timeconst='.1' bias='.2 0 0'",
        }
        for _ in range(self.r.randint(0, 4)):
            way, kind = self.transmission(), self.r.choice(list(laws))
            if way:
                text += f"<{kind} name='a{self.actuators}' {way} {laws[kind]}/>"
                self.actuators += 1
        return f"<actuator>{text}</actuator>" if text else ""

    def object_of(self, suffix):
        lists = {"xbody": self.bodies, "body": self.bodies, "geom": self.geoms}
        if self.sites:
            lists["site"] = self.sites
        kind = self.r.choice(list(lists))
        return f" {suffix}type='{kind}' {suffix}name='{self.r.choice(lists[kind])}'"

    def sensor(self):
        frames = "framepos framexaxis frameyaxis framezaxis framelinvel frameangvel".split()
        ways = [f"{self.r.choice(frames)}{self.object_of('obj')}{self.object_of('ref')}"]
        ways.append(f"{self.r.choice(['framelinacc', 'frameangacc'])}{self.object_of('obj')}")
        ways.append(f"subtree{self.r.choice(['com', 'linvel', 'angmom'])}")
        ways[-1] += f" body='{self.r.choice(self.bodies)}'"
        ways += ["e_potential", "e_kinetic"]
        if self.sites:
            kinds = "accelerometer velocimeter gyro force torque magnetometer".split()
            ways += [f"{k} site='{self.r.choice(self.sites)}'" for k in kinds]
        if self.scalars:
            kind = self.r.choice(["jointpos", "jointvel", "jointactuatorfrc"])
            ways.append(f"{kind} joint='{self.r.choice(self.scalars)}'")
        if self.tendons:
            kind = self.r.choice(["tendonpos", "tendonvel", "tendonactuatorfrc"])
            ways.append(f"{kind} tendon='{self.r.choice(self.tendons)}'")
        if self.actuators:
            kind = self.r.choice(["actuatorpos", "actuatorvel", "actuatorfrc"])
            ways.append(f"{kind} actuator='a{self.r.randrange(self.actuators)}'")
        return f"<{self.r.choice(ways)}/>"

    def model(self):
        angle = "degree" if self.degrees else "radian"
        compiler = f"<compiler angle='{angle}'"
        sequence = "".join(self.r.choice("xyzXYZ") for _ in range(3))
        compiler += self.maybe(0.4, f" eulerseq='{sequence}'")
        compiler += self.maybe(0.2, f" inertiafromgeom='{self.r.choice(['true', 'auto'])}'") + "/>"
        option = f"<option gravity='{numbers(self.normal(3))}' magnetic='.1 .2 .3'>"
        option += "<flag contact='disable'/></option>"
        world = "".join(self.body(self.r.randint(0, 3), True) for _ in range(self.r.randint(1, 3)))
        text = f"<mujoco>{compiler}{option}{CLASS}<worldbody>{world}</worldbody>"
        text += self.all_tendons() + self.all_actuators()
        sensors = "".join(self.sensor() for _ in range(self.r.randint(0, 8)))
        return text + f"<sensor>{sensors}</sensor></mujoco>"


class Twin:
    """One model in both simulators, in the same random state."""

    def __init__(self, seed):
        tree = Tree(seed)
        self.theirs = mujoco.MjModel.from_xml_string(tree.text)
        self.ours = limpet.load_text(tree.text)
        self.their_data, self.our_data = mujoco.MjData(self.theirs), self.ours.data()
        self.first = np.array(self.our_data.q), np.array(self.their_data.qpos)
        r = np.random.default_rng(seed)
        d, m = self.their_data, self.theirs
        mujoco.mj_integratePos(m, d.qpos, 0.7 * r.standard_normal(m.nv), 1.0)
        d.qvel[:] = r.standard_normal(m.nv)
        d.ctrl[:] = r.standard_normal(m.nu)
        d.act[:] = 0.5 * r.standard_normal(m.na)
        self.our_data.q[:], self.our_data.v[:] = d.qpos, d.qvel
        if m.nu:
            self.our_data.control[:] = d.ctrl
        if m.na:
            self.our_data.activation[:] = d.act
        mujoco.mj_forward(m, d)
        self.our_data.forward_dynamics()
        self.our_data.evaluate_sensors()

    def pairs(self):
        """(what, ours, theirs)"""
        d = self.their_data
        mass = np.zeros((self.theirs.nv, self.theirs.nv))
        mujoco.mj_fullM(self.theirs, d, mass)
        yield "pose of the file", *self.first
        yield "mass matrix", self.our_data.full_mass_matrix(), mass
        if self.theirs.nv == 0 or np.linalg.cond(mass) > 1e8:
            return  # slides that do the same: any accelerations will do
        yield "actuator forces", self.our_data.actuator_force, d.actuator_force
        yield "accelerations", self.our_data.acceleration, d.qacc
        yield "sensors", self.our_data.sensor, d.sensordata


def test_sides_of_tendons_are_mujocos():
    r = random.Random(1)
    bodies, ends, tendons, count = "", "", "", 300

    def point():
        return numbers(r.gauss(0, 1) for _ in range(3))

    for i in range(count):
        kind = ("sphere", "cylinder")[i % 2]
        size, turn = r.choice((0.04, 0.4, 0.8)), numbers(r.gauss(0, 1) for _ in range(4))
        bodies += (
            f"<geom name='g{i}' type='{kind}' size='{size} 1' quat='{turn}'/>"
            f"<site name='a{i}' pos='{point()}'/><site name='s{i}' pos='{point()}'/>"
        )
        ends += f"<site name='b{i}' pos='{point()}'/>"
        tendons += (
            f"<spatial><site site='a{i}'/><geom geom='g{i}' sidesite='s{i}'/>"
            f"<site site='b{i}'/></spatial>"
        )
    text = (
        f"<mujoco><worldbody>{bodies}<body><freejoint/><geom size='.1'/>{ends}</body></worldbody>"
        f"<tendon>{tendons}</tendon></mujoco>"
    )
    theirs, ours = mujoco.MjModel.from_xml_string(text), limpet.load_text(text).data()
    data = mujoco.MjData(theirs)
    mujoco.mj_forward(theirs, data)
    ours.forward_dynamics()
    wraps = (data.ten_wrapnum == 4).sum()
    assert count // 5 < wraps < count
    np.testing.assert_allclose(ours.site_position, data.site_xpos, rtol=0, atol=1e-12)
    np.testing.assert_allclose(ours.site_rotation, data.site_xmat, rtol=0, atol=1e-12)
    assert ours.site("b7").position.tolist() == ours.site_position[2 * count + 7].tolist()
    with pytest.raises(ValueError, match="read-only"):
        ours.site("b7").position = 0.0
    # sides inside of a shape: MuJoCo searches the touching point to 1e-6 rad
    np.testing.assert_allclose(ours.tendon_length, data.ten_length, rtol=0, atol=1e-9)


@pytest.mark.filterwarnings("ignore")
def test_random_trees_are_mujocos():
    read = 0
    for seed in range(TREES):
        for what, ours, theirs in Twin(seed).pairs():
            size = max(1.0, np.abs(theirs).max(initial=0.0))
            error = np.abs(np.asarray(ours).reshape(theirs.shape) - theirs).max(initial=0.0)
            assert error <= TOLERANCE * size, f"{seed}: {what} off by {error:.3g} of {size:.3g}"
            read += what == "sensors"
    assert read > TREES // 2

"""Draws worlds of SDFormat at random, feature by feature, for tests beside Drake.

`draw(seed)` is the text of a world and {name: text} of the models that it includes, which stand in
a package `parts`. Models in models, frames, poses relative to any frame in all notations, axes
expressed in frames, joints of all kinds within models and between them, shapes with surfaces.
Names of joints are used once in a file.
"""

import math
import random
import sys

import numpy as np

SCALAR = ("revolute", "continuous", "prismatic")
KINDS = [*SCALAR, *SCALAR, "fixed", "universal", "ball", "screw", "planar"]


class Scope:
    """What names stand for in a model: frames, and links that no joint holds yet."""

    def __init__(self):
        self.frames, self.links, self.scalars = [], [], []


class World:
    def __init__(self, seed):
        self.r, self.count, self.parts = random.Random(seed), 0, {}

    # numbers

    def chance(self, share):
        return self.r.random() < share

    def log(self, low, high):
        return math.exp(self.r.uniform(math.log(low), math.log(high)))

    def number(self, value):
        text = self.r.choice(["{!r}", "{:.17e}", "{:+.17g}", " {!r}\n "]).format(float(value))
        return text.replace("0.", ".", 1) if text.startswith("0.") and self.chance(0.3) else text

    def numbers(self, values):
        return " ".join(self.number(v).strip() for v in values)

    def unit(self, size=3):
        x = np.array([self.r.gauss(0, 1) for _ in range(size)])
        return x / np.linalg.norm(x)

    def name(self, letter):
        self.count += 1
        return f"{letter}{self.count}"

    def mixed(self, *parts):
        parts = [p for p in parts if p]
        self.r.shuffle(parts)
        return "".join(p + self.r.choice(["", "\n", "<!-- <link> -->"]) for p in parts)

    def pose(self, frames, share=0.8):
        """In one of three notations, relative to one of the frames or to what is usual."""
        if not self.chance(share):
            return ""
        place = [self.r.uniform(-0.5, 0.5) for _ in range(3)]
        angles = [self.r.choice([0, math.pi / 2, self.r.uniform(-4, 4)]) for _ in range(3)]
        text = "<pose"
        if frames and self.chance(0.6):
            text += f" relative_to='{self.r.choice(frames)}'"
        kind = self.r.choice(["", "euler_rpy", "degrees", "quat_xyzw"])
        if kind == "degrees":
            text += " degrees='true'"
            angles = [math.degrees(a) for a in angles]
        elif kind:
            text += f" rotation_format='{kind}'"
            angles = self.unit(4) if kind == "quat_xyzw" else angles
        return f"{text}>{self.numbers([*place, *angles])}</pose>"

    # links

    def inertial(self):
        if self.chance(0.1):
            return ""  # 1 kg, 1 kg m^2
        mass = self.log(0.05, 20)
        points = self.log(0.03, 0.3) * np.array([self.unit() for _ in range(6)])
        spread = mass / 6 * points.T @ points
        moment = np.trace(spread) * np.eye(3) - spread + 1e-4 * mass * np.eye(3)
        at = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
        if self.chance(0.2):  # products that are not given are 0
            at = {key: at[key] for key in ("xx", "yy", "zz")}
        parts = [f"<i{key}>{self.number(moment[place])}</i{key}>" for key, place in at.items()]
        inertia = f"<inertia>{self.mixed(*parts)}</inertia>"
        mass = f"<mass>{self.number(mass)}</mass>"
        return f"<inertial>{self.mixed(self.pose([]), mass, inertia)}</inertial>"

    def shape(self):
        kind = self.r.choice(["box", "sphere", "cylinder", "capsule", "ellipsoid"])
        if kind in ("box", "ellipsoid"):
            what = "size" if kind == "box" else "radii"
            inside = f"<{what}>{self.numbers(self.log(0.01, 1) for _ in range(3))}</{what}>"
        else:
            inside = f"<radius>{self.number(self.log(0.01, 1))}</radius>"
            if kind != "sphere":
                inside += f"<length>{self.number(self.log(0.01, 1))}</length>"
        return f"<geometry><{kind}>{inside}</{kind}></geometry>"

    def surface(self):
        mu = self.log(0.01, 1)
        if self.chance(0.3):
            ode = f"<mu>{self.number(mu * self.r.uniform(1, 2))}</mu><mu2>{self.number(mu)}</mu2>"
            return f"<surface><friction><ode>{ode}</ode></friction></surface>"
        if self.chance(0.4):
            return ""
        parts = {"mu_dynamic": mu, "mu_static": mu * self.r.uniform(1, 2)}
        parts |= {"point_contact_stiffness": self.log(1e3, 1e7)} if self.chance(0.5) else {}
        parts |= {"hunt_crossley_dissipation": self.log(0.1, 100)} if self.chance(0.5) else {}
        parts |= {"relaxation_time": self.log(1e-3, 1)} if self.chance(0.5) else {}
        tags = [f"<drake:{key}>{self.number(v)}</drake:{key}>" for key, v in parts.items()]
        return f"<drake:proximity_properties>{self.mixed(*tags)}</drake:proximity_properties>"

    def material(self):
        rgba = self.numbers(self.r.random() for _ in range(4))
        return f"<material><diffuse>{rgba}</diffuse></material>" if self.chance(0.6) else ""

    def link(self, scope, inside_frames):
        name = self.name("l")
        pose = self.pose(inside_frames)
        scope.links.append(name)
        frames = [*inside_frames, name]
        parts = [pose, self.inertial()]
        for _ in range(self.r.choice([0, 0, 1, 2])):
            inside = self.mixed(self.pose(frames), self.shape(), self.surface())
            parts.append(f"<collision name='{self.name('c')}'>{inside}</collision>")
        for _ in range(self.r.choice([0, 0, 1])):
            inside = self.mixed(self.pose(frames), self.shape(), self.material())
            parts.append(f"<visual name='{self.name('v')}'>{inside}</visual>")
        return f"<link name='{name}'>{self.mixed(*parts)}</link>"

    # joints

    def limit(self, kind):
        parts = []
        if kind in ("revolute", "prismatic") and self.chance(0.6):
            parts.append(f"<lower>{self.number(-self.r.uniform(0.01, 3))}</lower>")
            if self.chance(0.8):
                parts.append(f"<upper>{self.number(self.r.uniform(0.01, 3))}</upper>")
        if kind in SCALAR and self.chance(0.6):
            effort = self.r.choice([0.0, -1.0, self.log(1, 1e3), self.log(1, 1e3)])
            parts.append(f"<effort>{self.number(effort)}</effort>")
        return f"<limit>{self.mixed(*parts)}</limit>" if parts else ""

    def dynamics(self, kind):
        parts = []
        if self.chance(0.5):
            parts.append(f"<damping>{self.number(self.log(1e-3, 1))}</damping>")
        if kind in SCALAR and self.chance(0.25):
            parts.append(f"<spring_stiffness>{self.number(self.log(0.1, 100))}</spring_stiffness>")
            rest = self.number(self.r.uniform(-1, 1))
            parts.append(f"<spring_reference>{rest}</spring_reference>")
        return f"<dynamics>{self.mixed(*parts)}</dynamics>" if parts else ""

    def axis(self, kind, frames, mimic=""):
        seen = f" expressed_in='{self.r.choice(frames)}'" if self.chance(0.5) else ""
        xyz = f"<xyz{seen}>{self.numbers(self.unit())}</xyz>"
        return f"<axis>{self.mixed(xyz, self.limit(kind), self.dynamics(kind), mimic)}</axis>"

    def universal(self):
        damping = f"<dynamics><damping>{self.number(self.log(1e-3, 1))}</damping></dynamics>"
        damping = damping if self.chance(0.5) else ""
        first = f"<axis><xyz>1 0 0</xyz>{damping}</axis>"
        return [f"{first}<axis2><xyz>0 1 0</xyz>{damping}</axis2>"]

    def rotor(self):
        if not self.chance(0.3):
            return []
        inertia, ratio = self.number(self.log(1e-5, 1e-2)), self.number(self.log(1, 100))
        return [
            f"<drake:rotor_inertia>{inertia}</drake:rotor_inertia>"
            f"<drake:gear_ratio>{ratio}</drake:gear_ratio>"
        ]

    def mimic(self, scope):
        if not scope.scalars or not self.chance(0.15):
            return ""
        parts = [f"<multiplier>{self.number(self.r.uniform(-2, 2))}</multiplier>"]
        parts.append(f"<offset>{self.number(self.r.uniform(-0.2, 0.2))}</offset>")
        return f"<mimic joint='{self.r.choice(scope.scalars)}'>{self.mixed(*parts)}</mimic>"

    def joint(self, scope, kind, parent, child, frames):
        name = self.name("j")
        planar = kind == "planar"  # Drake's own, which has no pose and is no frame
        pose = "" if planar else self.pose(frames, 0.6)
        frames += [] if planar else [name]
        tag = "drake:joint" if planar else "joint"
        parts = []
        if kind == "planar":  # Drake reads ends of its own tag
            parts.append(f"<drake:parent>{parent}</drake:parent><drake:child>{child}</drake:child>")
            parts.append(f"<drake:damping>{self.numbers([0.1, 0.2, 0.3])}</drake:damping>")
        else:
            parts.append(f"<parent>{parent}</parent><child>{child}</child>")
        if kind == "universal":
            parts += self.universal()
        elif kind in SCALAR:
            parts.append(self.axis(kind, frames, self.mimic(scope)))
            parts += self.rotor()
            scope.scalars.append(name)
        elif kind == "screw":
            parts.append(self.axis(kind, frames))
            pitch = self.number(self.r.choice([-1, 1]) * self.log(0.05, 0.5))
            parts.append(f"<screw_thread_pitch>{pitch}</screw_thread_pitch>")
        return f"<{tag} name='{name}' type='{kind}'>{self.mixed(pose, *parts)}</{tag}>"

    # models

    def frame(self, frames):
        name = self.name("f")
        attached = f" attached_to='{self.r.choice(frames)}'" if self.chance(0.7) else ""
        text = f"<frame name='{name}'{attached}>{self.pose(frames)}</frame>"
        frames.append(name)
        return text

    def include(self, inner, frames, depth):
        """A model in a file of its own, and its name."""
        name, file = self.name("m"), f"{self.name('part')}.sdf"
        head = "<?xml version='1.0'?><sdf version='1.9' xmlns:drake='http://drake.mit.edu'>"
        self.parts[file] = f"{head}{self.model(self.name('x'), inner, depth - 1)}</sdf>"
        pose = self.pose(frames)
        parts = [f"<uri>package://parts/{file}</uri>", f"<name>{name}</name>", pose]
        if pose and self.chance(0.3):
            parts.append(f"<placement_frame>{self.r.choice(inner.frames)}</placement_frame>")
        return f"<include>{self.mixed(*parts)}</include>", name

    def sub(self, scope, frames, depth):
        """A model within one; its first link is held by a joint."""
        inner = Scope()
        if self.chance(0.5):
            name = self.name("m")
            text = self.model(name, inner, depth - 1)
        else:
            text, name = self.include(inner, frames, depth)
        frames += [name, *(f"{name}::{f}" for f in inner.frames)]
        scope.frames = frames
        return text, f"{name}::{inner.links[0]}"

    def model(self, name, scope, depth, grounded=False):
        frames, parts, held = [], [], []
        pose = self.pose([], 0.6)
        if depth > 0 and self.chance(0.4):
            text, child = self.sub(scope, frames, depth)
            parts.append(text)
            held.append(child)
        for _ in range(self.r.randint(1, 4)):
            parts.append(self.link(scope, [*frames, "__model__"]))
            frames.append(scope.links[-1])
            if self.chance(0.4):
                parts.append(self.frame(frames))
        seen = [*frames, "__model__"]
        for i, link in enumerate(scope.links[1:], 1):
            parent = self.r.choice(scope.links[:i])
            parts.append(self.joint(scope, self.r.choice(KINDS), parent, link, seen))
        for child in held:
            kind = self.r.choice(["fixed", *SCALAR])
            parts.append(self.joint(scope, kind, self.r.choice(scope.links), child, seen))
        if grounded:
            kind = self.r.choice(["fixed", *SCALAR])
            parts.append(self.joint(scope, kind, "world", scope.links[0], seen))
        scope.frames = [f for f in seen if f != "__model__"]
        head = f"<model name='{name}'"
        if self.chance(0.2):
            head += f" canonical_link='{self.r.choice(scope.links)}'"
        if self.chance(0.2):
            head += f" placement_frame='{self.r.choice(frames)}'"
        return f"{head}>{pose}{self.mixed(*parts)}</model>"

    def still(self):
        """A model that is static: links without joints."""
        scope, links = Scope(), []
        for _ in range(self.r.randint(1, 2)):
            links.append(self.link(scope, [*scope.links, "__model__"]))
        static = self.r.choice(["true", "1"])
        inside = self.mixed(f"<static>{static}</static>", self.pose([]), *links)
        return f"<model name='{self.name('m')}'>{inside}</model>"

    def text(self):
        parts, scopes = [], []
        for _ in range(self.r.randint(1, 2)):
            name, scope = self.name("m"), Scope()
            parts.append(self.model(name, scope, self.r.choice([0, 1, 2]), self.chance(0.5)))
            scopes.append((name, scope))
        if len(scopes) == 2 and self.chance(0.4):  # between two models: one hangs on the other
            (a, first), (b, second) = scopes
            if "<parent>world</parent>" not in parts[1]:
                ends = f"{a}::{self.r.choice(first.links)}", f"{b}::{second.links[0]}"
                frames = [a, b, *(f"{b}::{f}" for f in second.frames)]
                parts.append(self.joint(Scope(), "fixed", *ends, frames))  # all that Drake has
        if self.chance(0.3):
            parts.append(self.still())
        if self.chance(0.4):  # frames of the world, and an include that stands on one
            frames = ["world", *(name for name, _ in scopes)]
            parts += [self.frame(frames) for _ in range(self.r.randint(1, 2))]
            parts.append(self.include(Scope(), frames, 1)[0])
        if self.chance(0.4):
            gravity = self.numbers(self.r.uniform(-10, 10) for _ in range(3))
            parts.append(f"<gravity>{gravity}</gravity>")
        names = "xmlns:drake='http://drake.mit.edu'"
        head = f"<?xml version='1.0'?><sdf version='1.9' {names}>"
        return f"{head}<world name='w'>{self.mixed(*parts)}</world></sdf>"


def draw(seed):
    world = World(seed)
    text = world.text()
    return text, world.parts


if __name__ == "__main__":
    for file, inside in draw(int(sys.argv[1]))[1].items():
        print(f"{file}:\n{inside}")
    print(draw(int(sys.argv[1]))[0])

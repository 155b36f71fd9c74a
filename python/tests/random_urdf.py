"""Draws URDF files at random, feature by feature, for tests beside Pinocchio and Drake.

`draw(seed, peer)` is the text of one robot: a tree of links under `world` or floating, with joints
of all types that the peer has, and elements in any order. Numbers are written in all ways that XML
schema allows. Meshes are the file `wedge.obj`, whose text is WEDGE.
"""

import math
import random
import sys

import numpy as np

WEDGE = """v -0.1 -0.05 0
v 0.2 -0.05 0
v -0.1 0.15 0
v -0.1 -0.05 0.25
f 1 3 2
f 1 2 4
f 2 3 4
f 3 1 4
"""
PINOCCHIO, DRAKE = "pinocchio", "drake"
COMMON = ["revolute", "continuous", "prismatic", "fixed"]
KINDS = {
    # Pinocchio's planar joint slides along x and y of its frame, whatever the axis
    PINOCCHIO: [*COMMON, "floating", "planar"],
    DRAKE: [*COMMON, "planar", "ball", "universal", "screw"],
}
SCALAR = ("revolute", "continuous", "prismatic")


class Robot:
    """One robot. Methods give the text of an element, or "" where it is left out."""

    def __init__(self, seed, peer):
        self.r, self.peer = random.Random(seed), peer
        self.materials, self.driven, self.count = [], [], 0

    # numbers and attributes

    def chance(self, share):
        return self.r.random() < share

    def log(self, low, high):
        return math.exp(self.r.uniform(math.log(low), math.log(high)))

    def number(self, value):
        """In one of the ways in which programs and people write numbers."""
        ways = ["{!r}", "{:.17e}", "{:.17E}", "{:+.17g}"]
        if self.peer == DRAKE:  # urdfdom, which Pinocchio reads with, takes no blanks round numbers
            ways.append(" {!r}\n")
        text = self.r.choice(ways).format(float(value))
        text = text.replace("0.", ".", 1) if text.startswith("0.") and self.chance(0.3) else text
        return text

    def numbers(self, values):
        blank = self.r.choice([" ", " ", "  "])
        return blank.join(self.number(v).strip() for v in values)

    def attributes(self, **values):
        """In any order, in either quotes."""
        pairs = list(values.items())
        self.r.shuffle(pairs)
        quote = self.r.choice("'\"")
        return "".join(
            f" {name}={quote}{value if isinstance(value, str) else self.number(value)}{quote}"
            for name, value in pairs
        )

    def unit(self, size=3):
        x = np.array([self.r.gauss(0, 1) for _ in range(size)])
        return x / np.linalg.norm(x)

    def mixed(self, *parts):
        """Elements in any order, with comments and blanks between."""
        parts = [p for p in parts if p]
        self.r.shuffle(parts)
        between = ["", "\n", " ", "<!-- a <link> that is 1 < 2 -->"]
        return "".join(p + self.r.choice(between) for p in parts)

    def origin(self, share=0.8):
        if not self.chance(share):
            return ""
        values = {}
        if self.chance(0.8):
            values["xyz"] = self.numbers(self.r.uniform(-0.5, 0.5) for _ in range(3))
        if self.chance(0.7):
            angle = self.r.choice([math.pi, math.pi, 10.0])
            ways = [0.0, math.pi / 2, self.r.uniform(-angle, angle), self.r.uniform(-angle, angle)]
            values["rpy"] = self.numbers(self.r.choice(ways) for _ in "rpy")
        return f"<origin{self.attributes(**values)}/>"

    # links

    def inertia(self, mass):
        """Of six points of equal mass, and of a ball besides."""
        points = self.log(0.03, 0.3) * np.array([self.unit() for _ in range(6)])
        spread = mass / 6 * points.T @ points
        moment = np.trace(spread) * np.eye(3) - spread + 1e-4 * mass * np.eye(3)
        at = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
        values = {f"i{name}": float(moment[place]) for name, place in at.items()}
        return f"<inertia{self.attributes(**values)}/>"

    def inertial(self, share):
        """What is welded to another link needs none, and may have a mass without inertia."""
        if not self.chance(share):
            return ""
        mass = self.log(0.05, 20)
        parts = [f"<mass{self.attributes(value=mass)}/>", self.inertia(mass)]
        return f"<inertial>{self.mixed(self.origin(), *parts)}</inertial>"

    def shape(self):
        kinds = ["box", "sphere", "cylinder", "mesh"]
        kind = self.r.choice(kinds + ["drake:capsule", "drake:ellipsoid"] * (self.peer == DRAKE))
        if kind == "box":
            values = {"size": self.numbers(self.log(0.01, 1) for _ in range(3))}
        elif kind == "sphere":
            values = {"radius": self.log(0.01, 1)}
        elif kind == "mesh":
            values = {"filename": "wedge.obj"}
            if self.chance(0.6):
                values["scale"] = self.numbers(self.log(0.1, 10) for _ in range(3))
        elif kind == "drake:ellipsoid":
            values = {name: self.log(0.01, 1) for name in "abc"}
        else:
            values = {"radius": self.log(0.01, 1), "length": self.log(0.01, 1)}
        return f"<geometry><{kind}{self.attributes(**values)}/></geometry>"

    def rgba(self):
        return f"<color{self.attributes(rgba=self.numbers(self.r.random() for _ in range(4)))}/>"

    def material(self):
        if self.chance(0.3):
            return ""
        if self.materials and self.chance(0.5):
            return f"<material{self.attributes(name=self.r.choice(self.materials))}/>"
        self.count += 1
        name = f"paint {self.count}"
        self.materials += [name] * (self.peer == PINOCCHIO)
        return f"<material{self.attributes(name=name)}>{self.rgba()}</material>"

    def proximity(self):
        if self.peer == PINOCCHIO or self.chance(0.5):
            return ""
        friction = self.log(0.01, 1)
        parts = {"mu_dynamic": friction, "mu_static": friction * self.r.uniform(1, 2)}
        parts |= {"point_contact_stiffness": self.log(1e3, 1e7)} if self.chance(0.5) else {}
        parts |= {"hunt_crossley_dissipation": self.log(0.1, 100)} if self.chance(0.5) else {}
        parts |= {"relaxation_time": self.log(1e-3, 1)} if self.chance(0.5) else {}
        tags = [f"<drake:{name}{self.attributes(value=v)}/>" for name, v in parts.items()]
        return f"<drake:proximity_properties>{self.mixed(*tags)}</drake:proximity_properties>"

    def geoms(self):
        parts = []
        for _ in range(self.r.choice([0, 0, 1, 2])):
            inside = self.mixed(self.origin(), self.shape(), self.proximity())
            parts.append(f"<collision>{inside}</collision>")
        for _ in range(self.r.choice([0, 1, 2])):
            looks = self.mixed(self.origin(), self.shape(), self.material())
            parts.append(f"<visual>{looks}</visual>")
        return parts

    def link(self, name, share):
        inside = self.mixed(self.inertial(share), *self.geoms())
        return f"<link{self.attributes(name=name)}>{inside}</link>"

    # joints

    def axis(self, kind):
        if kind == "planar" and self.peer == PINOCCHIO:
            return "<axis xyz='0 0 1'/>"
        if kind in ("fixed", "floating", "ball", "universal") or self.chance(0.15):
            return ""
        axis = self.r.choice([[0, 0, 1], [0, -1, 0], [1, 0, 0], self.unit() * self.log(0.1, 10)])
        return f"<axis{self.attributes(xyz=self.numbers(axis))}/>"

    def limit(self, kind):
        values = {}
        if self.peer == DRAKE or kind in SCALAR:
            values["effort"] = self.r.choice([self.log(1, 1e3), self.log(1, 1e3), 0.0])
            values["velocity"] = self.log(0.1, 10)
        if kind in ("revolute", "prismatic"):
            values |= {"lower": -self.r.uniform(0.01, 3), "upper": self.r.uniform(0.01, 3)}
            if self.peer == PINOCCHIO and self.chance(0.2):  # the other one is 0
                del values[self.r.choice(["lower", "upper"])]
        elif kind not in SCALAR or self.chance(0.3):
            return ""
        return f"<limit{self.attributes(**values)}/>"

    def dynamics(self, kind):
        if kind in ("fixed", "floating") or self.chance(0.4):
            return ""
        values = {"damping": self.log(1e-3, 1)} if self.chance(0.8) else {}
        if kind == "planar" and self.peer == DRAKE:  # which asks for three
            values = {"damping": self.numbers(self.log(1e-3, 1) for _ in range(3))}
        if kind in SCALAR and self.peer == PINOCCHIO:
            values |= {"friction": self.log(1e-3, 1)} if self.chance(0.5) else {}
        if not values:
            return ""
        return f"<dynamics{self.attributes(**values)}/>"

    def mimic(self, name, kind):
        if kind not in SCALAR:
            return ""
        endless = kind == "continuous" and self.peer == PINOCCHIO  # whose joints follow their like
        followed = [n for n, other in self.driven if other == endless]
        if not followed or self.chance(0.75):
            self.driven.append((name, endless))
            return ""  # Pinocchio has no chains of followers
        values = {"joint": self.r.choice(followed)}
        values |= {"multiplier": self.r.uniform(-2, 2)} if self.chance(0.7) else {}
        values |= {"offset": self.r.uniform(-0.2, 0.2)} if self.chance(0.7) else {}
        return f"<mimic{self.attributes(**values)}/>"

    def joint(self, name, kind, parent, child):
        tag = "drake:joint" if kind in ("ball", "universal", "screw") else "joint"
        ends = f"<parent link='{parent}'/>", f"<child link='{child}'/>"
        pitch = ""
        if kind == "screw":
            pitch = self.r.choice([-1, 1]) * self.log(0.05, 0.5)
            pitch = f"<drake:screw_thread_pitch{self.attributes(value=pitch)}/>"
        planner = self.r.choice(["", "", "<safety_controller k_velocity='3' k_position='2'/>"])
        inside = self.mixed(
            *(self.origin(), *ends, self.axis(kind), self.limit(kind), self.dynamics(kind)),
            *(self.mimic(name, kind), pitch, planner if kind in SCALAR else ""),
        )
        return f"<{tag}{self.attributes(name=name, type=kind)}>{inside}</{tag}>"

    def transmission(self, joint):
        rotor = []
        if self.peer == DRAKE and self.chance(0.6):
            rotor.append(f"<drake:rotor_inertia{self.attributes(value=self.log(1e-5, 1e-2))}/>")
            rotor.append(f"<drake:gear_ratio{self.attributes(value=self.log(1, 100))}/>")
        words = "<hardwareInterface>hardware_interface/EffortJointInterface</hardwareInterface>"
        drive = f"<actuator name='drive of {joint}'>{self.mixed(*rotor)}</actuator>"
        driven = f"<joint name='{joint}'>{words}</joint>"
        kind = "<type>transmission_interface/SimpleTransmission</type>"
        return f"<transmission name='t {joint}'>{kind}{self.mixed(drive, driven)}</transmission>"

    # the file

    def kind_of(self, index, grounded):
        if index == 0:
            return self.r.choice(["fixed", *SCALAR])
        return self.r.choice(KINDS[self.peer])

    def text(self):
        grounded, shared = self.chance(0.5), [f"shared {i}" for i in range(self.r.randint(0, 2))]
        self.materials += shared
        links = [f"l{i}" for i in range(self.r.randint(1, 8))]
        parts, kinds = ["<link name='world'/>"] if grounded else [], {}
        for i, child in enumerate(links):
            if i == 0 and not grounded:
                continue
            parent = self.r.choice(links[:i]) if i else "world"
            kinds[child] = self.kind_of(i, grounded)
            parts.append(self.joint(f"j{i}", kinds[child], parent, child))
            if kinds[child] in SCALAR and self.chance(0.4):
                parts.append(self.transmission(f"j{i}"))
        massless = [n for n in links if kinds.get(n) == "fixed"]
        parts += [self.link(n, 0.6 if n in massless else 1) for n in links]
        parts += [
            f"<material{self.attributes(name=name)}>{self.rgba()}</material>" for name in shared
        ]
        if self.chance(0.6):
            self.r.shuffle(parts)
        if self.chance(0.2):
            parts.append("<gazebo reference='l0'><material>Gazebo/Blue</material></gazebo>")
        head = "<?xml version='1.0' encoding='utf-8'?>\n" if self.chance(0.8) else ""
        names = " xmlns:drake='http://drake.mit.edu' xmlns:xacro='http://www.ros.org/wiki/xacro'"
        return f"{head}<!-- {self.peer} -->\n<robot name='r'{names}>{''.join(parts)}</robot>"


def draw(seed, peer):
    return Robot(seed, peer).text()


if __name__ == "__main__":
    print(draw(int(sys.argv[1]), sys.argv[2]))

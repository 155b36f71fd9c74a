"""Draws bodies, what is on them and default classes of MJCF at random: the ground of
`random_mjcf.py`.

Each feature has one function, which draws attributes over their whole range, alone and together.
"""

import math
import random

import numpy as np

SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}


def text_of(values):
    return " ".join(f"{float(v):.10g}" for v in values)


class World:
    """The bodies of one file that is drawn, and the names of what is in it."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.count = 0
        self.bodies, self.geoms, self.wraps, self.sites, self.tendons = [], [], [], [], []
        self.scalars, self.balls, self.free, self.classes = [], [], [], []
        self.actuators, self.cameras, self.limited, self.limited_tendons = [], [], [], []
        self.degrees = self.chance(0.5)

    # numbers

    def chance(self, share):
        return self.r.random() < share

    def uniform(self, low, high, count=1):
        return text_of(self.r.uniform(low, high) for _ in range(count))

    def log(self, low, high, count=1):
        bounds = math.log(low), math.log(high)
        return text_of(math.exp(self.r.uniform(*bounds)) for _ in range(count))

    def angle(self, low, high, count=1):
        unit = 180 / math.pi if self.degrees else 1.0
        return self.uniform(low * unit, high * unit, count)

    def vector(self, count=3):
        """Any direction, of any length over two decades."""
        size = 10 ** self.r.uniform(-1, 1)
        return text_of(size * self.r.gauss(0, 1) for _ in range(count))

    def span(self, low, high, draw=None):
        """An interval round zero."""
        draw = draw or self.uniform
        return f"{draw(-high, -low)} {draw(low, high)}"

    def law(self, low, high):
        """A stiffness or damping: a number, or a polynomial."""
        return self.log(low, high, self.r.choice([1, 1, 1, 2, 3]))

    # pieces of text

    def name(self, letter, names):
        """Without a digit at the end: copies of a <replicate> add some."""
        self.count += 1
        names.append(f"{letter}{self.count}_")
        return names[-1]

    def maybe(self, share, attribute, value):
        return f' {attribute}="{value}"' if self.chance(share) else ""

    def in_class(self, share, attribute="class"):
        return self.maybe(share, attribute, self.r.choice(self.classes)) if self.classes else ""

    def several(self, most, feature):
        return "".join(feature() for _ in range(self.r.randint(0, most)))

    def switch(self, share, attribute):
        return self.maybe(share, attribute, self.r.choice(["true", "false", "auto"]))

    def position(self, size=0.3):
        return self.maybe(0.85, "pos", self.uniform(-size, size, 3))

    def orientation(self):
        forms = {
            "quat": self.vector(4),
            "euler": self.angle(-3, 3, 3),
            "axisangle": f"{self.vector()} {self.angle(-3, 3)}",
            "xyaxes": f"{self.vector()} {self.vector()}",
            "zaxis": self.vector(),
        }
        form = self.r.choice([*forms, "", ""])
        return f' {form}="{forms[form]}"' if form else ""

    def impedance(self, share, suffix=""):
        """Positive and negative solref, solimp of two to five numbers."""
        reference = f"{self.uniform(0.01, 0.1)} {self.uniform(0.5, 2)}"
        if self.chance(0.3):
            reference = f"-{self.log(10, 1e4)} -{self.log(1, 100)}"
        values = [self.uniform(0.5, 0.9), self.uniform(0.91, 0.99), self.log(1e-4, 0.1)]
        values += [self.uniform(0.1, 0.9), str(self.r.randint(1, 3))]
        impedance = " ".join(values[: self.r.randint(2, 5)])
        return self.maybe(share, f"solref{suffix}", reference) + self.maybe(
            share, f"solimp{suffix}", impedance
        )

    # bodies and what is on them

    def contact_attributes(self):
        margin, gap = self.uniform(0.02, 0.05), self.log(1e-4, 0.02)
        return (
            self.maybe(0.15, "condim", self.r.choice([1, 3, 4, 6]))
            + self.maybe(0.15, "friction", self.uniform(0.1, 2, self.r.randint(1, 3)))
            + self.impedance(0.15)
            + self.maybe(0.15, "solmix", self.uniform(0.1, 3))
            + self.maybe(0.15, "priority", self.r.randint(0, 2))
            + self.maybe(0.15, "margin", margin)
            + self.maybe(0.1, "gap", gap)
        )

    def geom_attributes(self):
        mass = self.r.choice([f' mass="{self.log(0.01, 10)}"', f' density="{self.log(10, 5e3)}"'])
        text = self.contact_attributes() + (mass if self.chance(0.7) else "")
        for attribute, most in (("contype", 3), ("conaffinity", 3), ("group", 5)):
            text += self.maybe(0.2, attribute, self.r.randint(0, most))
        text += self.maybe(0.1, "shellinertia", "true")
        return text + self.maybe(0.1, "fluidshape", "ellipsoid")

    def geom(self):
        kind, name = self.r.choice(list(SIZES)), self.name("g", self.geoms)
        if kind in ("sphere", "cylinder"):
            self.wraps.append(name)
        text = f'<geom name="{name}" type="{kind}"'
        if kind != "sphere" and self.chance(0.3):
            text += f' size="{self.uniform(0.02, 0.2)}" fromto="{self.uniform(-0.3, 0.3, 6)}"'
        else:
            text += f' size="{self.uniform(0.02, 0.2, SIZES[kind])}"'
            text += self.position() + self.orientation()
        return text + self.in_class(0.3) + self.geom_attributes() + "/>"

    def joint_attributes(self, kind=None):
        """Those of one kind of joint; without a kind, of any, for classes."""
        text = ""
        if kind in ("hinge", "slide"):
            draw = self.angle if kind == "hinge" else self.uniform
            if self.chance(0.5):
                text += f' range="{self.span(0.1, 2, draw)}"' + self.switch(0.2, "limited")
            text += self.maybe(0.2, "ref", draw(-1, 1)) + self.maybe(0.2, "springref", draw(-1, 1))
            text += self.maybe(0.1, "margin", draw(0, 0.2))
            damped = f"{self.uniform(0.05, 1)} {self.uniform(0.1, 2)}"
            text += self.maybe(0.1, "springdamper", damped)
            if self.chance(0.2):
                text += f' actuatorfrcrange="{self.span(1, 20)}"'
                text += self.switch(0.2, "actuatorfrclimited")
        elif kind == "ball":
            text += self.maybe(0.3, "range", f"0 {self.angle(0.5, 2)}")
        for attribute, share, value in (
            ("stiffness", 0.3, self.law(0.1, 100)),
            ("damping", 0.3, self.law(0.01, 10)),
            ("armature", 0.3, self.log(1e-3, 1)),
            ("frictionloss", 0.2, self.log(0.01, 10)),
            ("actuatorgravcomp", 0.15, "true"),
        ):
            text += self.maybe(share, attribute, value)
        return text + self.impedance(0.1, "limit") + self.impedance(0.1, "friction")

    def joint(self, kind):
        names = {"ball": self.balls, "free": self.free}.get(kind, self.scalars)
        text = f'<joint name="{self.name("j", names)}" type="{kind}"'
        if kind in ("hinge", "slide"):
            aligned = self.r.choice(["1 0 0", "0 1 0", "0 0 1"])
            text += f' axis="{self.vector() if self.chance(0.7) else aligned}"'
        if kind != "free":
            text += self.maybe(0.5, "pos", self.uniform(-0.2, 0.2, 3))
        attributes = self.joint_attributes(kind)
        if " range=" in attributes and 'limited="false"' not in attributes:
            self.limited.append(names[-1])
        return text + self.in_class(0.3) + attributes + "/>"

    def joints(self, top):
        if top and self.chance(0.4):
            if self.chance(0.4):
                return self.joint("free")
            align = self.maybe(0.5, "align", "false")
            return f'<freejoint name="{self.name("j", self.free)}"{align}/>'
        scalars = [self.r.choice(["hinge", "slide"]) for _ in range(self.r.randint(1, 3))]
        ways = [[], ["ball"], ["slide", "ball"], *[scalars] * 6]
        return "".join(self.joint(kind) for kind in self.r.choice(ways))

    def inertial(self):
        scale = 10 ** self.r.uniform(-3, 0)
        if self.chance(0.5):
            points = np.array([[self.r.gauss(0, 1) for _ in range(3)] for _ in range(3)])
            spread = scale * points @ points.T
            moment = np.trace(spread) * np.eye(3) - spread
            order = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
            shape = f' fullinertia="{text_of(moment[at] for at in order)}"'
        else:
            moments = text_of(scale * self.r.uniform(0.6, 1) for _ in range(3))
            shape = f' diaginertia="{moments}"' + self.orientation()
        mass = self.log(0.05, 20)
        return f'<inertial pos="{self.uniform(-0.1, 0.1, 3)}" mass="{mass}"{shape}/>'

    def site(self):
        place = self.uniform(-0.3, 0.3, 3)  # always: between coinciding sites no direction is told
        text = f'<site name="{self.name("s", self.sites)}" pos="{place}"' + self.orientation()
        kind = self.r.choice(["sphere", "box", "capsule"])
        return f'{text}{self.in_class(0.2)} type="{kind}" size="{self.uniform(0.01, 0.1, 3)}"/>'

    def body(self, depth=0):
        text = f'<body name="{self.name("b", self.bodies)}"' + self.position() + self.orientation()
        text += self.maybe(0.15, "gravcomp", self.uniform(-0.1, 1.5))
        text += self.in_class(0.2, "childclass") + ">" + self.joints(depth == 0)
        text += self.inertial() if self.chance(0.35) else ""
        text += self.geom() + self.several(1, self.geom) + self.several(2, self.site)
        if self.chance(0.15):
            text += f'<camera name="{self.name("k", self.cameras)}" resolution="5 4"'
            text += self.maybe(0.5, "fovy", self.uniform(20, 90))
            text += f"{self.position()}{self.orientation()}/>"
        for _ in range(self.r.randint(0, 2) if depth < 3 else 0):
            child = self.body(depth + 1)
            text += self.frame(child) if self.chance(0.15) else child
        return text + "</body>"

    def frame(self, child):
        text = f"<frame{self.position()}{self.orientation()}{self.in_class(0.4, 'childclass')}>"
        return f"{text}{child}{self.geom()}</frame>"

    def replicate(self):
        """Copies along an offset and turned about all axes, also nested."""
        body = f'<body pos=".1 .2 .3"><joint axis="{self.vector()}"/><geom size=".05"/></body>'
        for _ in range(self.r.choice([1, 1, 2])):
            offset, turn = self.uniform(-0.2, 0.2, 3), self.angle(-1, 1, 3)
            count = self.r.randint(2, 3)
            body = f'<replicate count="{count}" offset="{offset}" euler="{turn}">{body}</replicate>'
        return body

    def lone_slider(self):
        """Centred on its body, which slides along an axis of its own."""
        text = f'<body{self.position()}><joint type="slide" axis="1 0 0"'
        text += self.joint_attributes("slide")
        return text + f'/><geom size="{self.uniform(0.02, 0.2)}"/></body>'

    def mocap(self):
        self.sites.append("target")
        text = f'<body mocap="true"{self.position()}{self.orientation()}>'
        return text + '<geom size=".1"/><site name="target"/></body>'

    def floor(self):
        self.geoms.append("floor")
        text = '<geom name="floor" type="plane" size="0 0 1"' + self.position()
        return text + self.contact_attributes() + "/>"

    def world(self):
        text = "".join(self.body() for _ in range(self.r.randint(1, 3)))
        for share, feature in (
            (0.3, self.geom),
            (0.3, self.floor),
            (0.05, self.lone_slider),
            (0.15, self.mocap),
            (0.15, self.replicate),
        ):
            text += feature() if self.chance(share) else ""
        return text

    # default classes

    def tendon_attributes(self):
        text = self.maybe(0.3, "stiffness", self.law(0.1, 100))
        text += self.maybe(0.3, "damping", self.law(0.1, 10))
        text += self.maybe(0.2, "frictionloss", self.uniform(0.1, 5))
        if self.chance(0.3):
            text += f' range="{self.uniform(-1, 0.1)} {self.uniform(0.2, 2)}"'
            text += self.switch(0.2, "limited")
        slack = f"{self.uniform(0.1, 0.3)} {self.uniform(0.3, 1)}"
        text += self.maybe(0.4, "springlength", self.r.choice([self.uniform(0.1, 1), slack]))
        text += self.maybe(0.15, "actuatorfrcrange", self.span(1, 20))
        return text + self.maybe(0.1, "margin", self.uniform(0.001, 0.1))

    def pair_attributes(self):
        return (
            self.maybe(0.4, "condim", self.r.choice([1, 3, 4, 6]))
            + self.maybe(0.4, "friction", self.uniform(0.1, 2, self.r.randint(1, 5)))
            + self.maybe(0.3, "margin", self.uniform(0.001, 0.05))
            + self.maybe(0.2, "gap", self.uniform(0, 0.001))
            + self.impedance(0.3)
        )

    def class_content(self):
        """Each kind of element, in its order, with chances of its own."""
        control = self.maybe(0.5, "ctrlrange", self.span(0.1, 2))
        parts = (
            (0.5, "joint" + self.joint_attributes()),
            (0.5, "geom" + self.geom_attributes()),
            (0.3, f'site size="{self.uniform(0.01, 0.1)}" type="sphere"'),
            (0.3, f'motor gear="{self.uniform(-5, 5)}"{control}'),
            (0.3, f'position kp="{self.log(1, 100)}"' + self.maybe(0.5, "kv", self.log(0.1, 10))),
            (0.2, f'general gainprm="{self.uniform(0.1, 10)}" biastype="affine" biasprm="1 -2"'),
            (0.2, f'velocity kv="{self.log(0.1, 10)}"'),
            (0.3, "tendon" + self.tendon_attributes()),
            (0.2, "equality" + self.impedance(0.7)),
            (0.2, "pair" + self.pair_attributes()),
        )
        return "".join(f"<{part}/>" for share, part in parts if self.chance(share))

    def default_class(self, depth=0):
        name = f"c{self.count}"
        self.count += 1
        text = f'<default class="{name}">' + self.class_content()
        if depth == 0 and self.chance(0.4):
            text += self.default_class(1)
        self.classes.append(name)
        return text + "</default>"

    def defaults(self):
        content = self.class_content()
        return f"<default>{content}{self.several(2, self.default_class)}</default>"

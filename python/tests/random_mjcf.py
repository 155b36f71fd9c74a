"""Draws MJCF files at random, feature by feature, for tests beside MuJoCo.

`draw(seed)` is the text of one file. Each feature of the format has one function, and draws its
attributes over their whole range, alone and together, on elements and in nested default classes.
Nineteen of twenty files are valid.
"""

import sys

from random_mjcf_sensors import Sensors

FLAGS = (
    "gravity spring damper clampctrl filterparent actuation contact equality limit frictionloss"
).split()


class File(Sensors):
    """Adds all sections beside the world: tendons, actuators, equalities, contacts, sensors."""

    def fixed_tendon(self):
        joints = self.r.sample(self.scalars, min(len(self.scalars), self.r.randint(1, 3)))
        terms = "".join(f'<joint joint="{j}" coef="{self.uniform(-2, 2)}"/>' for j in joints)
        return "fixed", terms

    def spatial_tendon(self):
        sites = self.r.sample(self.sites, min(len(self.sites), self.r.randint(2, 5)))
        path = f'<site site="{sites[0]}"/>'
        for site in sites[1:]:
            if self.wraps and self.chance(0.3):
                side = self.maybe(0.4, "sidesite", self.r.choice(self.sites))
                path += f'<geom geom="{self.r.choice(self.wraps)}"{side}/>'
            path += f'<site site="{site}"/>'
        if self.chance(0.2):
            ends = "".join(f'<site site="{site}"/>' for site in sites[:2])
            path += f'<pulley divisor="{self.uniform(0.5, 3)}"/>{ends}'
        return "spatial", path

    def tendon(self):
        ways = [self.fixed_tendon] * bool(self.scalars)
        ways += [self.spatial_tendon] * (len(self.sites) >= 3)
        if not ways:
            return ""
        kind, path = self.r.choice(ways)()
        text = f'<{kind} name="{self.name("t", self.tendons)}"'
        attributes = self.tendon_attributes()
        if " range=" in attributes and ' limited="false"' not in attributes:
            self.limited_tendons.append(self.tendons[-1])
        return f"{text}{self.in_class(0.2)}{attributes}>{path}</{kind}>"

    def transmissions(self):
        """What any actuator may act on, and what only one without a length may."""
        ways = [f'joint="{j}"' for j in self.scalars[:3]] + [f'tendon="{t}"' for t in self.tendons]
        if self.scalars:
            ways.append(f'jointinparent="{self.r.choice(self.scalars)}"')
        ways = [w + self.maybe(0.5, "gear", self.uniform(-5, 5)) for w in ways]
        others = []
        for names, size in ((self.balls, 3), (self.free, 6)):
            if names:
                where = self.r.choice(["joint", "jointinparent"])
                others.append(f'{where}="{self.r.choice(names)}" gear="{self.vector(size)}"')
        if len(self.sites) > 1:
            a, b = self.r.sample(self.sites, 2)
            gear = f'gear="{self.vector(6)}"'
            others += [f'site="{a}" {gear}', f'site="{a}" refsite="{b}" {gear}']
            length = self.uniform(0.5, 1.5)
            others.append(f'slidersite="{a}" cranksite="{b}" cranklength="{length}"')
        return ways, others

    def actuator_laws(self):
        """The kinds, each with attributes of its own."""
        gain, rate = self.log(1, 100), self.log(0.1, 10)
        bounded = self.span(0.1, 2)
        damped = self.r.choice([f' kv="{rate}"', f' dampratio="{self.uniform(0.1, 2)}"', ""])
        kind = self.r.choice(["integrator", "filter", "filterexact"])
        bias = self.uniform(-2, 2, 3)
        return {
            "motor": "",
            "position": self.maybe(0.7, "kp", gain)
            + damped
            + self.maybe(0.2, "timeconst", self.uniform(0.01, 1)),
            "velocity": self.maybe(0.7, "kv", rate),
            "intvelocity": self.maybe(0.7, "kp", gain) + f' actrange="{bounded}"',
            "damper": self.maybe(0.7, "kv", rate) + f' ctrlrange="0 {self.uniform(0.1, 2)}"',
            "cylinder": self.maybe(0.7, "timeconst", self.uniform(0.01, 1))
            + self.maybe(0.5, self.r.choice(["area", "diameter"]), self.uniform(0.1, 2))
            + self.maybe(0.5, "bias", self.uniform(-1, 1, 3)),
            "general": f' gaintype="affine" gainprm="{self.uniform(-2, 2, 3)}"'
            f' biastype="affine" biasprm="{bias}"',
            "general ": f' dyntype="{kind}" dynprm="{self.uniform(0.01, 1)}"'
            + self.maybe(0.4, "actrange", bounded)
            + self.maybe(0.3, "actearly", "true")
            + (f' biastype="affine" biasprm="{bias}"' if self.chance(0.5) else ""),
            "motor ": self.maybe(0.5, "armature", self.uniform(0.01, 1))
            + self.maybe(0.5, "damping", self.uniform(0.01, 1)),
            "muscle": f' lengthrange="{self.uniform(0.1, 0.4)} {self.uniform(0.5, 1.5)}"'
            + self.maybe(0.4, "timeconst", self.uniform(0.01, 0.1, 2))
            + self.maybe(0.3, "force", self.uniform(10, 100))
            + self.maybe(0.3, "tausmooth", self.uniform(0, 0.1))
            + self.maybe(0.3, "vmax", self.uniform(1, 3))
            + self.maybe(0.3, "lmin", self.uniform(0.3, 0.7)),
        }

    def actuator(self):
        if self.chance(0.15):
            return self.motor()
        name, common = f'name="{self.name("a", [])}"', self.in_class(0.2)
        if self.chance(0.1):
            control = f'ctrlrange="0 {self.uniform(0.5, 2)}" gain="{self.uniform(1, 10)}"'
            return f'<adhesion {name} body="{self.r.choice(self.bodies)}" {control}/>'
        laws, (ways, others) = self.actuator_laws(), self.transmissions()
        kind = self.r.choice(list(laws))
        ways += [] if kind in ("motor ", "muscle") else others
        if not ways:
            return ""
        self.actuators.append(name.split('"')[1])
        if kind != "damper":
            common += self.maybe(0.3, "ctrlrange", self.span(0.1, 2))
        common += self.maybe(0.3, "forcerange", self.span(0.1, 20))
        common += self.maybe(0.1, "group", self.r.randint(0, 4))
        return f"<{kind.strip()} {name} {self.r.choice(ways)}{common}{laws[kind]}/>"

    def equality(self):
        kind = self.r.choice(["connect", "weld", "joint", "tendon"])
        common = self.impedance(0.2) + self.in_class(0.15)
        common += self.maybe(0.2, "active", self.r.choice(["true", "false"]))
        if kind in ("connect", "weld") and self.chance(0.4):
            if len(self.sites) < 2:
                return ""
            a, b = self.r.sample(self.sites, 2)
            return f'<{kind} site1="{a}" site2="{b}"{common}/>'
        bodies = kind in ("connect", "weld")
        names = self.bodies if bodies else {"joint": self.scalars, "tendon": self.tendons}[kind]
        if len(names) < 2:
            return ""
        a, b = self.r.sample(names, 2)
        what = "body" if bodies else kind
        text = f'<{kind} {what}1="{a}"' + self.maybe(0.75, f"{what}2", b) + common
        if kind == "connect" or (kind == "weld" and self.chance(0.4)):
            text += f' anchor="{self.uniform(-0.2, 0.2, 3)}"'
        if kind == "weld":
            text += self.maybe(0.4, "relpose", f"{self.uniform(-0.2, 0.2, 3)} {self.vector(4)}")
            text += self.maybe(0.3, "torquescale", self.uniform(0.1, 2))
        return text + (self.maybe(0.6, "polycoef", self.uniform(-1, 1, 5)) * (not bodies)) + "/>"

    def contact(self):
        text = ""
        if len(self.bodies) > 1 and self.chance(0.5):
            a, b = self.r.sample(self.bodies, 2)
            text += f'<exclude body1="{a}" body2="{b}"/>'
        if len(self.geoms) > 1 and self.chance(0.5):
            a, b = self.r.sample(self.geoms, 2)
            text += f'<pair geom1="{a}" geom2="{b}"{self.in_class(0.2)}{self.pair_attributes()}/>'
        return text

    # the file

    def compiler(self):
        sequence = "".join(self.r.choice("xyzXYZ") for _ in range(3))
        groups = f"{self.r.randint(0, 1)} {self.r.randint(3, 5)}"
        text = "<compiler" if self.degrees else '<compiler angle="radian"'
        for share, attribute, value in (
            (0.4, "eulerseq", sequence),
            (0.25, "inertiafromgeom", self.r.choice(["true", "auto"])),
            (0.15, "settotalmass", self.uniform(1, 50)),
            (0.15, "balanceinertia", "true"),
            # not both: where the mass that is bound lies is MuJoCo's own idea
            (0.3, *self.r.choice([("alignfree", "true"), ("boundmass", self.uniform(0.01, 1))])),
            (0.2, "boundinertia", self.uniform(1e-4, 0.01)),
            (0.1, "inertiagrouprange", groups),
        ):
            text += self.maybe(share, attribute, value)
        return text + "/>"

    def option(self):
        flags = "".join(self.maybe(0.06, flag, "disable") for flag in FLAGS)
        text = "<option"
        for share, attribute, value in (
            (0.4, "gravity", self.uniform(-10, 10, 3)),
            (0.2, "density", self.log(1, 1000)),
            (0.2, "viscosity", self.log(1e-4, 1)),
            (0.2, "wind", self.uniform(-3, 3, 3)),
            (0.2, "magnetic", self.uniform(-1, 1, 3)),
            (0.2, "timestep", self.uniform(5e-4, 0.01)),
        ):
            text += self.maybe(share, attribute, value)
        return f"{text}><flag{flags}/></option>"

    def text(self):
        text = self.compiler() + self.option() + (self.defaults() if self.chance(0.6) else "")
        text += f"<worldbody>{self.world()}</worldbody>"
        for section, most, feature in (
            ("tendon", 3, self.tendon),
            ("actuator", 5, self.actuator),
            ("equality", 2, self.equality),
            ("contact", 1, self.contact),
            ("sensor", 5, self.sensor),
        ):
            content = self.several(most, feature)
            text += f"<{section}>{content}</{section}>" if content else ""
        return f"<mujoco>{text}</mujoco>"


def draw(seed):
    return File(seed).text()


if __name__ == "__main__":
    print(draw(int(sys.argv[1])))

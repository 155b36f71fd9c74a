"""Draws motors and sensors of MJCF at random, for `random_mjcf.py`: PID controllers, electrical
motors and servos of orientation; sensors of all kinds whose values need no constraint."""

from random_mjcf_world import World

# Kinds of sensors by what they measure. Those of limits are zero but near limits.
SITE = "accelerometer gyro velocimeter magnetometer force torque rangefinder".split()
SCALAR = "jointpos jointvel jointactuatorfrc".split()
TENDON = "tendonpos tendonvel tendonactuatorfrc".split()
ACTUATOR = ["actuatorpos", "actuatorvel", "actuatorfrc"]
BALL = ["ballquat", "ballangvel"]
BODY = ["subtreecom", "subtreelinvel", "subtreeangmom"]
RELATIVE = "framepos framequat framexaxis frameyaxis framezaxis framelinvel frameangvel".split()
ABSOLUTE = ["framelinacc", "frameangacc"]
UNIT = "quat axis normal dir".split()  # parts of the names of directions, which are not cut off
DISTANCES = ["distance", "normal", "fromto"]
RAYS = "dist dir origin point normal depth".split()  # what a rangefinder tells, in this order


class Sensors(World):
    """Adds motors and sensors to the bodies of a file."""

    # motors

    def pid(self):
        inputs = self.r.choice(["pos", "pos vel", "vel ff", "pos ff", "pos vel ff"])
        text = f' input="{inputs}" kp="{self.log(1, 100)}" kv="{self.log(0.1, 10)}"'
        if "pos" in inputs and self.chance(0.6):
            text += f' ki="{self.log(0.1, 100)}"' + self.maybe(0.5, "imax", self.log(0.01, 1))
        return text + (self.maybe(0.4, "slewmax", self.log(0.1, 10)) if "pos" in inputs else "")

    def dcmotor(self):
        inputs = self.r.choice(["voltage", "pos", "pos vel voltage", "vel ff"])
        text = f' input="{inputs}" resistance="{self.log(0.2, 5)}"'
        text += f' motorconst="{self.log(0.1, 5)}"'
        text += self.maybe(0.5, "inductance", f"0 {self.log(1e-3, 0.1)}")
        heat = f"{self.log(0.1, 2)} {self.log(0.1, 5)} 0 {self.log(1e-3, 1e-2)} 20 25"
        text += self.maybe(0.4, "thermal", heat)
        cogging = f"{self.log(0.01, 1)} {self.r.randint(1, 30)} {self.uniform(0, 6)}"
        text += self.maybe(0.4, "cogging", cogging)
        slip = self.r.uniform(0.01, 1)
        lugre = f"{self.log(50, 5000)} {self.log(0.5, 50)} {slip} {1.5 * slip} {self.log(0.01, 1)}"
        text += self.maybe(0.4, "lugre", lugre)
        text += self.maybe(0.3, "saturation", f"{self.log(1, 100)} 0 {self.log(10, 1000)}")
        if inputs != "voltage":
            gains = f"{self.log(1, 100)} {self.log(1, 100) if 'pos' in inputs else 0}"
            limits = f"{self.log(0.1, 10)} 1 {self.log(5, 50)}"
            text += f' controller="{gains} {self.log(0.1, 10)} {limits}"'
        return text + self.maybe(0.3, "damping", self.log(0.01, 1))

    def orientation_servo(self):
        if self.balls and self.chance(0.7):
            where = f'joint="{self.r.choice(self.balls)}"'
        elif len(self.sites) > 1:
            where = 'site="{}" refsite="{}"'.format(*self.r.sample(self.sites, 2))
        else:
            return ""
        text = f'<orientation name="{self.name("a", [])}" {where} kp="{self.log(1, 100)}"'
        text += self.maybe(0.5, "kv", self.log(0.1, 10))
        text += self.maybe(0.3, "forcerange", f"0 {self.uniform(0.1, 20)}")
        return text + self.maybe(0.4, "input", "quat") + "/>"

    def motor(self):
        """With several inputs and activations; on one coordinate."""
        if not self.scalars or self.chance(0.3):
            return self.orientation_servo()
        kind = self.r.choice([self.pid, self.dcmotor])
        gear = self.maybe(0.4, "gear", self.uniform(-3, 3))
        where = f'joint="{self.r.choice(self.scalars)}"{gear}'
        return f'<{kind.__name__} name="{self.name("a", [])}" {where}{kind()}/>'

    # sensors

    def frames(self):
        """What has a pose, of all kinds, as (type, name)."""
        kinds = {"body": self.bodies, "xbody": self.bodies, "geom": self.geoms}
        kinds |= {"site": self.sites, "camera": self.cameras}
        return [(kind, self.r.choice(names)) for kind, names in kinds.items() if names]

    def frame_sensor(self):
        frames = self.frames()
        text = '{} objtype="{}" objname="{}"'
        if self.chance(0.3):
            return text.format(self.r.choice(ABSOLUTE), *self.r.choice(frames))
        text = text.format(self.r.choice(RELATIVE), *self.r.choice(frames))
        if self.chance(0.6):
            text += ' reftype="{}" refname="{}"'.format(*self.r.choice(frames))
        return text

    def pair_sensor(self):
        a, b = self.r.sample(self.geoms, 2)
        return f'{self.r.choice(DISTANCES)} geom1="{a}" geom2="{b}" cutoff="{self.uniform(0.1, 3)}"'

    def ray_sensor(self, where):
        told = " ".join(word for word in RAYS if self.chance(0.4))
        return f"rangefinder {where}" + (f' data="{told}"' if told else "")

    def sensor_ways(self):
        """One of each kind that the file has something for."""
        ways = ["clock", "e_potential", "e_kinetic", self.frame_sensor(), self.frame_sensor()]
        for kinds, what, names in (
            (BODY, "body", self.bodies),
            (SCALAR, "joint", self.scalars),
            (["jointlimitpos", "jointlimitvel"], "joint", self.limited),
            (BALL, "joint", self.balls),
            (TENDON, "tendon", self.tendons),
            (["tendonlimitpos", "tendonlimitvel"], "tendon", self.limited_tendons),
            (SITE, "site", self.sites),
            (ACTUATOR, "actuator", self.actuators),
        ):
            ways += [f'{self.r.choice(kinds)} {what}="{self.r.choice(names)}"' for _ in names[:2]]
        if len(self.geoms) > 1:
            ways.append(self.pair_sensor())
        if self.sites:
            ways.append(self.ray_sensor(f'site="{self.r.choice(self.sites)}"'))
            kind, name = self.r.choice(self.frames())
            site = self.r.choice(self.sites)
            ways.append(f'insidesite site="{site}" objtype="{kind}" objname="{name}"')
        if self.cameras:
            ways.append(self.ray_sensor(f'camera="{self.r.choice(self.cameras)}"'))
            if self.sites:
                site, camera = self.r.choice(self.sites), self.r.choice(self.cameras)
                ways.append(f'camprojection site="{site}" camera="{camera}"')
        return ways

    def sensor(self):
        text = self.r.choice(self.sensor_ways())
        cut = "cutoff" in text or any(word in text for word in UNIT)
        cutoff = "" if cut else self.maybe(0.15, "cutoff", self.uniform(0.05, 2))
        return f"<{text}{cutoff}/>"

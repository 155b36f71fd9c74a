"""Random grasps of soft ellipsoids: the Panda of MuJoCo's Menagerie closes its fingers on one with
a force and lifts it. Moduli, sizes, density and friction are drawn on log scales, the force from
them: a given share of what holds the weight.

Changed in the Panda: its pose of the file is its keyframe `home`, of the shapes of its fingers only
the large pads remain, and a motor closes the two fingers.
"""

import math
import random
import re
from dataclasses import dataclass

from _finray_scene import FINGERS, HAND, at_home, hand_path

GRAVITY = 9.81  # [m/s^2]
STEP = 2e-3  # [s]
CLOSED, LIFTED, END = 0.35, 0.65, 0.9  # [s]  ends of the phases
LIFT = 0.02  # [m]
PAD = 0.0085  # [m]  half the side of a pad
FACE, MIDDLE = 0.0015, 0.0445  # [m]  of a pad, from the origin of its finger: its face, its middle
GAP = 0.0003  # [m]  between pads and thing at the start
NEAR = 0.15  # a grip that holds has this much to spare
SQUEEZE = 0.2  # the largest
SETTLE = 0.05  # [s]  in which a grip closes to 1/e, at most: the lift begins with all of it


@dataclass(frozen=True)
class Grasp:
    """One of them."""

    axes: tuple  # [m]  semi-axes
    young: float  # [Pa]
    poisson: float
    density: float  # [kg/m^3]
    friction: float
    share: float  # 2 mu F over the force that the lift takes
    law: str

    def mass(self):
        """[kg]  of the smooth ellipsoid"""
        return 4.0 / 3.0 * math.pi * math.prod(self.axes) * self.density

    def force(self):
        """[N]  of each pad; the lift's acceleration counts"""
        peak = 10.0 / math.sqrt(3.0) * LIFT / (LIFTED - CLOSED) ** 2  # of 10 x^3 - 15 x^4 + 6 x^5
        return self.share * self.mass() * (GRAVITY + peak) / (2.0 * self.friction)


def log_uniform(numbers, low, high):
    """Even on a log scale."""
    return math.exp(numbers.uniform(math.log(low), math.log(high)))


def squeeze(grasp):
    """Pressure of the pads over Young's modulus, about the strain of the middle."""
    return grasp.force() / (math.pi * grasp.axes[1] * grasp.axes[2]) / grasp.young


def draw(numbers):
    """A grasp that a hand can make: the thing is not squeezed by more than a fifth."""
    while True:
        share = numbers.choice((numbers.uniform(0.4, 0.7), numbers.uniform(1 + NEAR, 3.0)))
        grasp = Grasp(
            tuple(log_uniform(numbers, 0.015, 0.035) for _ in range(3)),
            log_uniform(numbers, 1e4, 1e7),
            numbers.uniform(0.0, 0.49),
            log_uniform(numbers, 200.0, 2000.0),
            log_uniform(numbers, 0.2, 1.0),
            share,
            numbers.choice(("linear-corotated", "corotated", "neo-hookean-log")),
        )
        if squeeze(grasp) < SQUEEZE:
            return grasp


def rise(time):
    """Height [m] of the hand over its start."""
    x = min(max((time - CLOSED) / (LIFTED - CLOSED), 0.0), 1.0)
    return LIFT * x**3 * (10.0 - 15.0 * x + 6.0 * x * x)


def controller():
    """Text of the controller: the arm lifts the hand, straight up."""
    x, y, z = HAND
    times = [0.01 * i for i in range(round(END / 0.01) + 1)]
    return hand_path(times, [(x, y, z + rise(time)) for time in times])


def with_pads(text, grasp):
    """Of the fingers' shapes the large pads; slides open by the thing; one motor for both."""
    way = grasp.axes[0] + GAP - FACE
    damping = min(40 + 4 * grasp.force(), SETTLE * 2 * grasp.young * PAD)  # 2 E PAD: of the thing
    slow = f'class="finger" ref="{way}" range="-0.01 0.05" damping="{damping}"'
    for name, side in (("left", 1.0), ("right", -1.0)):
        start = text.index(f'<body name="{name}_finger"')
        end = text.index("</body>", start)
        other = r'\s*<geom[^>]*class="(collision|fingertip_pad[^"]*[2-5])"/>'
        block = re.sub(other, "", text[start:end])
        pad = f'class="fingertip_pad_collision_1" friction="{grasp.friction}"'
        block = block.replace('class="fingertip_pad_collision_1"', pad)
        block = block.replace('pos="0 0 0.0584"', f'pos="0 {side * way} {FINGERS}"', 1)
        text = text[:start] + block.replace('class="finger"', slow) + text[end:]
    start, end = text.index("<!-- Remap"), text.index("</actuator>")
    return text[:start] + '<general name="grip" tendon="split"/>' + text[end:]


def scene(panda, grasp):
    """Text of the scene: `panda` the file of the robot."""
    text = panda.read_text().replace('meshdir="assets"', f'meshdir="{panda.parent / "assets"}"')
    text = with_pads(at_home(text), grasp)
    text = re.sub(r"<keyframe>.*</keyframe>", "", text, flags=re.S)
    x, y, z = HAND
    middle = z - FINGERS - MIDDLE
    foot = middle - grasp.axes[2]
    world = f"""
    <geom name="table" type="box" size="0.1 0.1 {0.5 * foot}" pos="{x} {y} {0.5 * foot}"
      friction="{grasp.friction}" rgba="0.6 0.6 0.6 1"/>
    <limpet:deformable name="thing" type="ellipsoid" cells="4 4 4"
      size="{" ".join(map(str, grasp.axes))}" pos="{x} {y} {middle}"
      law="{grasp.law}" young="{grasp.young}" poisson="{grasp.poisson}"
      density="{grasp.density}" damping="0.002" friction="{grasp.friction}"/>
  </worldbody>"""
    text = text.replace("</worldbody>", world, 1)
    return re.sub(r"<option [^>]*/>", f'<option timestep="{STEP}"/>', text)


def controls(grasp):
    """Text of the controls file: the motor's force grows in a tenth of a second."""
    push = -2.0 * grasp.force()  # the tendon is the mean of the two slides
    return f"time,grip\n0,0\n0.1,{push:.9g}\n"


def numbers(seed):
    """The random numbers of the grasps."""
    return random.Random(seed)

"""Random grasps of soft ellipsoids: pads of the size of the Panda's close on one with a force and
lift it. Moduli, sizes, density and friction are drawn on log scales, the force from them: a given
share of what holds the weight."""

import math
import random
from dataclasses import dataclass

GRAVITY = 9.81  # [m/s^2]
STEP = 2e-3  # [s]
CLOSED, LIFTED, END = 0.35, 0.6, 0.8  # [s]  ends of the phases
LIFT = 0.02  # [m]
PAD = 0.012  # [m]  half the side of a pad
NEAR = 0.15  # a grip that holds has this much to spare


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
            numbers.choice(("linear-corotated", "corotated", "neo-hookean")),
        )
        if squeeze(grasp) < 0.2:
            return grasp


def rise(time):
    """Height [m] of the hand."""
    x = min(max((time - CLOSED) / (LIFTED - CLOSED), 0.0), 1.0)
    return LIFT * x**3 * (10.0 - 15.0 * x + 6.0 * x * x)


def controls(grasp):
    """Text of the controls file."""
    rows = ["time,left,right,lift"]
    for i in range(round(END / 0.01) + 1):
        time = 0.01 * i
        push = grasp.force() * min(1.0, time / 0.1)
        rows.append(f"{time:.4g},{push:.9g},{push:.9g},{rise(time):.9g}")
    return "\n".join(rows) + "\n"


def scene(grasp):
    """Text of the scene."""
    a, b, c = grasp.axes
    pad = (
        f'<geom type="box" size="0.004 {PAD} {PAD}" mass="0.1" friction="{grasp.friction}" '
        'rgba="0.3 0.5 0.8 1"/>'
    )
    return f"""<mujoco model="soft grasp">
  <option timestep="{STEP}"/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 0.1" friction="{grasp.friction}"/>
    <body name="hand" pos="0 0 {c}">
      <joint name="lift" type="slide" axis="0 0 1"/>
      <inertial pos="0 0 0.1" mass="1" diaginertia="0.01 0.01 0.01"/>
      <body name="left" pos="{-a - 0.0045} 0 0">
        <joint name="left" type="slide" axis="1 0 0" damping="{40 + 4 * grasp.force()}"/>{pad}
      </body>
      <body name="right" pos="{a + 0.0045} 0 0">
        <joint name="right" type="slide" axis="-1 0 0" damping="{40 + 4 * grasp.force()}"/>{pad}
      </body>
    </body>
    <limpet:deformable name="thing" type="ellipsoid" size="{a} {b} {c}" cells="4 4 4"
      pos="0 0 {c}" law="{grasp.law}" young="{grasp.young}" poisson="{grasp.poisson}"
      density="{grasp.density}" damping="0.002" friction="{grasp.friction}"/>
  </worldbody>
  <actuator>
    <motor name="left" joint="left"/>
    <motor name="right" joint="right"/>
    <position name="lift" joint="lift" kp="1e5" kv="2e3"/>
  </actuator>
</mujoco>
"""


def numbers(seed):
    """The random numbers of the grasps."""
    return random.Random(seed)

"""The clutter scene of Irrotational Contact Fields, section XII-A, as MJCF: 40 spheres and boxes in
four piles over a sink.

Pile p of four stands at (+-0.2, +-0.2) m; object i of ten has its centre at dz/2 + i dz, dz = 0.15
m. Shapes follow
std::mt19937(41) with a uniform choice of 0 (sphere) or 1 (box), restarted for each pile: S B S S B
S S B S B. Orientations are uniformly random by Shoemake's formula from a generator of the same
kind, restarted for each pile too; the quaternions stand in the file. A box collides with spheres as
a box, and with boxes and the sink by 26 spheres on its shell.
"""

import math

import numpy

SEED = 41
RADIUS = 0.05  # [m]  spheres; half side of boxes
DENSITY = 1000.0  # [kg/m^3]
SPACING = 0.15  # [m]  dz
PILES = [(x, y) for x in (-0.2, 0.2) for y in (-0.2, 0.2)]  # [m]
SINK, WALL, FLOOR = (
    0.8,
    0.04,
    40.0,
)  # [m]  inner width and height, thickness, side of the floor plate

# contype and conaffinity: spheres meet everything, boxes meet spheres only
SPHERE_BITS = 'contype="2" conaffinity="3"'
BOX_BITS = 'contype="1" conaffinity="2"'


class Twister:
    """std::mt19937 with the distributions of libstdc++."""

    def __init__(self, seed):
        self._generator = numpy.random.RandomState(seed)

    def word(self):
        return int(self._generator.randint(0, 2**32, dtype=numpy.uint32))

    def bit(self):
        return self.word() >> 31

    def unit(self):
        low, high = self.word(), self.word()
        return (low + high * 2.0**32) / 2.0**64


def shapes(count):
    """0: sphere, 1: box, from the bottom to the top of a pile."""
    twister = Twister(SEED)
    return [twister.bit() for _ in range(count)]


def orientations(count):
    """Quaternions (w, x, y, z), uniform on the rotations."""
    twister = Twister(SEED)
    result = []
    for _ in range(count):
        u, a, b = twister.unit(), 2.0 * math.pi * twister.unit(), 2.0 * math.pi * twister.unit()
        low, high = math.sqrt(1.0 - u), math.sqrt(u)
        result.append(
            (low * math.sin(a), low * math.cos(a), high * math.sin(b), high * math.cos(b))
        )
    return result


def _numbers(values):
    return " ".join(f"{value:.17g}" for value in values)


def _shell():
    """26 spheres of a third of the box each, without the one in its middle."""
    steps = [-2.0 * RADIUS / 3.0, 0.0, 2.0 * RADIUS / 3.0]
    places = [
        (x, y, z) for x in steps for y in steps for z in steps if (x, y, z) != (0.0, 0.0, 0.0)
    ]
    return [("shell", f' pos="{_numbers(place)}"') for place in places]


def _object(name, box, position, quaternion):
    side = 2.0 * RADIUS
    mass = DENSITY * (side**3 if box else 4.0 / 3.0 * math.pi * RADIUS**3)
    inertia = mass * side**2 / 6.0 if box else 0.4 * mass * RADIUS**2
    geoms = [("box", ""), *_shell()] if box else [("ball", "")]
    return [
        f'<body name="{name}" pos="{_numbers(position)}" quat="{_numbers(quaternion)}">',
        f'  <freejoint name="{name}"/>',
        f'  <inertial pos="0 0 0" mass="{mass:.17g}" diaginertia="{_numbers(3 * [inertia])}"/>',
        *(
            f'  <geom name="{name}/{i}" class="{kind}"{place}/>'
            for i, (kind, place) in enumerate(geoms)
        ),
        "</body>",
    ]


def _sink():
    half, middle = 0.5 * WALL, 0.5 * (SINK + WALL)
    long, tall = 0.5 * SINK + WALL, 0.5 * SINK
    return [
        f'<geom name="floor" class="wall" size="{0.5 * FLOOR} {0.5 * FLOOR} {half}" pos="0 0 '
        f'{-half}"/>',
        *(
            f'<geom class="wall" size="{half} {long} {tall}" pos="{x:g} 0 {tall}"/>'
            for x in (-middle, middle)
        ),
        *(
            f'<geom class="wall" size="{long} {half} {tall}" pos="0 {y:g} {tall}"/>'
            for y in (-middle, middle)
        ),
    ]


def scene(stiffness, seed=None, dissipation=10.0, relaxation_time=1e-4, friction=1.0, per_pile=10):
    """MJCF text. Pairs of an object and the sink have `stiffness` [N/m], two objects half of it;
    `dissipation` [s/m] and `relaxation_time` [s] are those of pairs. A seed shifts the objects by
    up to half a micrometre: another run of the same chaos."""
    kinds, turns = shapes(per_pile), orientations(per_pile)
    shift = numpy.random.default_rng(seed).uniform(-5e-7, 5e-7, (len(PILES), per_pile, 2)) * (
        seed is not None
    )
    bodies = []
    for pile, (x, y) in enumerate(PILES):
        for i, (box, turn) in enumerate(zip(kinds, turns, strict=True)):
            name = f"{'box' if box else 'sphere'}_{pile}_{i}"
            bodies += _object(
                name, box, (x + shift[pile, i, 0], y + shift[pile, i, 1], (0.5 + i) * SPACING), turn
            )
    material = f'friction="{friction}" condim="3"'
    soft = f'limpet:stiffness="{stiffness:.17g}" limpet:dissipation="{dissipation:.17g}"'
    relaxation = f'limpet:relaxation_time="{0.5 * relaxation_time:.17g}"'  # a pair has the sum
    lines = [
        '<mujoco model="clutter">',
        '  <option gravity="0 0 -9.81"/>',
        "  <default>",
        f"    <geom {material} {relaxation}/>",
        f'    <default class="wall"><geom type="box" {BOX_BITS} rgba="0.7 0.75 0.8 '
        '0.25"/></default>',
        f'    <default class="ball"><geom type="sphere" size="{RADIUS}" {SPHERE_BITS} {soft}'
        ' rgba="0.85 0.45 0.25 1"/></default>',
        f'    <default class="box"><geom type="box" size="{RADIUS} {RADIUS} {RADIUS}" '
        f"{BOX_BITS} {soft}"
        ' rgba="0.3 0.5 0.75 1"/></default>',
        f'    <default class="shell"><geom type="sphere" size="{RADIUS / 3.0:.17g}" '
        f'{SPHERE_BITS} {soft} group="3"/></default>',
        "  </default>",
        "  <worldbody>",
        *("    " + line for line in _sink()),
        *("    " + line for line in bodies),
        "  </worldbody>",
        "</mujoco>",
    ]
    return "\n".join(lines) + "\n"

"""Scene of the peg in the hole: the Panda of MuJoCo's Menagerie with two fingers that have the Fin
Ray effect, a peg on a pedestal, and a holder with a square hole.

Changed in the Panda: its pose of the file is its keyframe `home` (deformable bodies start from the
pose of the file), the shapes of its fingers are gone, and a motor closes the two fingers.
"""

import json
import math
import re

HOME = (0.0, 0.0, 0.0, -math.pi / 2, 0.0, math.pi / 2, -math.pi / 4)  # [rad]
# the hand's axes in that pose: its z down, its y, along which the fingers move, along x
DOWN = (0.0, math.sqrt(0.5), math.sqrt(0.5), 0.0)
OPEN = 0.0115  # [m]  way of each finger from closed
HAND = (0.5545, 0.0, 0.6245)  # [m]  origin of the hand in that pose, z downwards
FINGERS = 0.0584  # [m]  from there to the base of the fingers
FACE = 0.0  # [m]  face of a finger from its origin
PEG, PEG_LENGTH, PEG_MASS = 0.01, 0.12, 0.1  # [m]  radius, length; [kg]
HOLE, DEPTH, WALL, LIP = 0.024, 0.06, 0.012, 0.006  # [m]  LIP: of the chamfer
ACROSS = 0.12  # [m]  from the pedestal to the hole
GRIP = 0.045  # [m]  the peg reaches this far up between the fingers
LIFT = 0.09  # [m]
TIMES = {"grip": 0.6, "lift": 1.4, "across": 2.6, "down": 4.2}  # [s]  ends of the phases
FRICTION = 0.6
MATERIAL = f'young="2.5e6" poisson="0.49" density="1000" damping="0.01" friction="{FRICTION}"'


def turned(quaternion, angle):
    """Text of the quaternion (w x y z), turned by `angle` about its own z axis."""
    w, x, y, z = quaternion
    size = math.sqrt(w * w + x * x + y * y + z * z)
    c, s = math.cos(angle / 2) / size, math.sin(angle / 2) / size
    return f"{w * c - z * s:.17g} {x * c + y * s:.17g} {y * c - x * s:.17g} {w * s + z * c:.17g}"


def at_home(text):
    """The Panda's file with its joints at HOME in the pose of the file."""
    for i, angle in enumerate(HOME, 1):
        body = re.search(rf'<body name="link{i}"([^>]*)>', text)
        quat = re.search(r'quat="([^"]*)"', body[1])
        numbers = [float(word) for word in quat[1].split()] if quat else [1.0, 0.0, 0.0, 0.0]
        rest = re.sub(r' quat="[^"]*"', "", body[1])
        text = text.replace(
            body[0], f'<body name="link{i}"{rest} quat="{turned(numbers, angle)}">'
        )
        text = text.replace(f'<joint name="joint{i}"', f'<joint name="joint{i}" ref="{angle}"')
    return text


def finger(name, mesh, element):
    """A soft finger on the slide of one of the hand's."""
    return (
        f'<limpet:deformable name="{name}_soft" file="{mesh}" element="{element}" {MATERIAL} '
        f'pos="0 {FACE} 0" euler="0 -1.5707963267948966 0" rgba="0.2 0.5 0.8 1">'
        # both sides of the base: the rib between them holds the rest
        '<limpet:tie box="-1 -1 -1 1e-6 1 -0.0099"/><limpet:tie box="-1 -1 0.0099 1e-6 1 1"/>'
        "</limpet:deformable>"
    )


def with_fingers(text, mesh, element):
    """Shapes of the fingers replaced, slides open by OPEN, one motor for both."""
    for name, side in (("left", 1.0), ("right", -1.0)):
        start = text.index(f'<body name="{name}_finger"')
        end = text.index("</body>", start)
        block = re.sub(r"\s*<geom[^>]*/>", "", text[start:end])
        block = block.replace('pos="0 0 0.0584"', f'pos="0 {side * OPEN} {FINGERS}"', 1)
        joint = f'class="finger" ref="{OPEN}" range="-0.01 0.04" damping="200"'
        block = block.replace('class="finger"', joint)
        text = text[:start] + block + finger(name, mesh, element) + text[end:]
    start = text.index("<!-- Remap")
    end = text.index("</actuator>")
    motor = '<general name="grip" tendon="split" ctrlrange="-100 100"/>'
    return text[:start] + motor + text[end:]


def box(size, position, **words):
    """A box of the world."""
    rest = "".join(f' {key}="{value}"' for key, value in words.items())
    numbers = [" ".join(f"{value:.6g}" for value in row) for row in (size, position)]
    return (
        f'<geom type="box" size="{numbers[0]}" pos="{numbers[1]}" '
        f'friction="{FRICTION}" rgba="0.6 0.6 0.6 1"{rest}/>'
    )


def holder(place, top, error):
    """Four walls with chamfers around a hole, whose middle is off by `error` along x; a floor."""
    x, y = place[0] + error, place[1]
    half, parts = HOLE / 2, []
    for k in range(4):
        c, s = round(math.cos(k * math.pi / 2)), round(math.sin(k * math.pi / 2))
        out, length = half + WALL / 2, half + WALL
        size = (WALL / 2, length, DEPTH / 2) if c else (length, WALL / 2, DEPTH / 2)
        parts.append(box(size, (x + c * out, y + s * out, top - DEPTH / 2)))
        # a chamfer of 45 degrees: a plate on the inner rim, leaning outwards
        lean = math.pi / 4
        reach = LIP / 2 / math.sqrt(2)
        thin = 0.001
        size = (LIP / 2, length, thin) if c else (length, LIP / 2, thin)
        way = half + reach + thin / math.sqrt(2)
        turn = f"0 {-c * lean:.9g} 0" if c else f"{s * lean:.9g} 0 0"
        parts.append(box(size, (x + c * way, y + s * way, top + reach - thin / 2), euler=turn))
    parts.append(box((half, half, 0.005), (x, y, top - DEPTH - 0.005)))
    return "\n    ".join(parts)


def tip_height():
    """Height [m] of the fingers' tips at the start."""
    return HAND[2] - FINGERS - 0.09


def scene(panda, mesh, error, element="linear"):
    """Text of the scene: `panda` the file of the robot, `mesh` that of a finger."""
    text = panda.read_text().replace('meshdir="assets"', f'meshdir="{panda.parent / "assets"}"')
    text = with_fingers(at_home(text), mesh, element)
    text = text.replace('<geom mesh="hand_c" class="collision"/>', "")  # its fingers pass it
    text = re.sub(r"<keyframe>.*</keyframe>", "", text, flags=re.S)
    foot = tip_height() + GRIP - PEG_LENGTH  # of the peg on its pedestal
    world = f"""
    {box((0.03, 0.03, 0.5 * foot), (HAND[0], HAND[1], 0.5 * foot), name="pedestal")}
    {holder((HAND[0], HAND[1] + ACROSS), foot, error)}
    <body name="peg" pos="{HAND[0]} {HAND[1]} {foot + PEG_LENGTH / 2}">
      <freejoint/>
      <geom name="peg" type="cylinder" size="{PEG} {PEG_LENGTH / 2}" mass="{PEG_MASS}"
            friction="{FRICTION}" rgba="0.8 0.5 0.2 1"/>
    </body>
  </worldbody>"""
    text = text.replace("</worldbody>", world, 1)
    return re.sub(r'<option [^>]*/>', '<option timestep="0.01"/>', text)


def hand_path(times, positions):
    """Text of a controller that leads the hand, which points down, along a line of places [m]."""
    return json.dumps(
        {
            "kind": "cartesian",
            "joints": [f"joint{i}" for i in range(1, 8)],
            "body": "hand",
            "drive": "joint-position",
            "precomputed": True,
            "path": {
                "kind": "line",
                "times": times,
                "positions": positions,
                "quaternions": [DOWN] * len(times),
            },
        },
        indent=1,
    )


def path():
    """Text of the controller: lift the peg, carry it across, put it into the hole."""
    x, y, z = HAND
    end = y + ACROSS
    points = [
        (0.0, (x, y, z)),
        (TIMES["grip"], (x, y, z)),
        (TIMES["lift"], (x, y, z + LIFT)),
        (TIMES["across"], (x, end, z + LIFT)),
        (TIMES["down"], (x, end, z - DEPTH)),
    ]
    return hand_path([time for time, _ in points], [place for _, place in points])



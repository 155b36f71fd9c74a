"""The grasp of Irrotational Contact Fields, section XII-B, as MJCF: the Franka hand holds a bronze
rod and moves on a horizontal circle.

The hand is `hand.xml` of MuJoCo's Menagerie, pointing down. Changed: it hangs on two sliding joints
with stiff servos that follow a table of controls; its actuator, which can press with 2 N at most,
is a constant force on the fingers; shapes to look at are left out unless asked for. The rod is a
vertical bar with a square cross-section, held above its centre of mass by four round knobs on each
of two faces: the paper gives no rod, and on flat faces, which lie on the 16 corners of a pad,
Similar's gliding moves the load to the fastest corners, those with the longest lever; small round
contacts close to each other keep it where it is.
A second rod is a plain vertical cylinder on the pads as they are, as the corrected sheet B5 has
it.
"""

import itertools
import math
import xml.etree.ElementTree as xml

DENSITY = 8000.0  # [kg/m^3]  bronze
LENGTH, WIDTH = 0.18, 0.041  # [m]  of the rod
ARM = 0.08  # [m]  from the rod's centre up to the grip
KNOB, PROUD, LEVER = (
    0.01,
    0.004,
    0.002,
)  # [m]  a knob's radius, its height above the face, its distance from the grip
PADS = 0.0584 + 0.0445  # [m]  from the hand's origin to the middle of the pads
CIRCLE = 0.015  # [m]  radius: 3 cm across
STIFFNESS = 5e3  # [N/m]  of a knob; a face has four
FRICTION = 0.5  # [1]
GRIP = 70.0  # [N]  of each finger
FLOOR = 0.6  # [m]  below the hand
# the plain cylinder of sheet B5: radius, length [m], stiffness of each contact [N/m], friction [1],
# grip of each finger [N]
CYLINDER = {"radius": 0.015, "length": 0.2, "stiffness": 1e4, "friction": 0.7, "grip": 16.0}
SERVO, SERVO_DAMPING = 1e6, 2e3  # [N/m, N s/m]
HOLD, SWELL = 0.2, 1.0  # [s]  at rest; until the circle has its full radius
SAMPLE = 2e-3  # [s]  between rows of the controls


def rod_mass():
    return DENSITY * WIDTH**2 * LENGTH


def pendulum_frequency():
    """Of the rod about the axis through the pads [Hz]."""
    inertia = ARM**2 + (LENGTH**2 + WIDTH**2) / 12.0
    return math.sqrt(9.81 * ARM / inertia) / (2.0 * math.pi)


def circle(time, frequency):
    """Position and velocity of the hand [m, m/s]: a circle that swells from a point without a
    jerk."""
    s = min(max((time - HOLD) / SWELL, 0.0), 1.0)
    radius = CIRCLE * s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
    growth = CIRCLE * 30.0 * s**2 * (1.0 - s) ** 2 / SWELL
    rate = 2.0 * math.pi * frequency
    angle = rate * (time - HOLD)
    cos, sin = math.cos(angle), math.sin(angle)
    return (radius * cos, radius * sin), (
        growth * cos - radius * rate * sin,
        growth * sin + radius * rate * cos,
    )


def controls(frequency, duration):
    """Text of a controls file: places that the servos, which are damped, have to aim at."""
    rows = ["time,x,y"]
    for i in range(math.ceil(duration / SAMPLE) + 2):
        place, speed = circle(i * SAMPLE, frequency)
        aim = [p + SERVO_DAMPING / SERVO * v for p, v in zip(place, speed)]
        rows.append(f"{i * SAMPLE:.6g},{aim[0]:.12g},{aim[1]:.12g}")
    return "\n".join(rows) + "\n"


def _slide(axis):
    name = "xy"[axis]
    return xml.Element("joint", name=name, type="slide", axis="1 0 0" if axis == 0 else "0 1 0")


def _knobbed_rod(dissipation):
    body = xml.Element("body", name="rod", pos=f"0 0 {-PADS - ARM:.17g}")
    xml.SubElement(body, "freejoint", name="rod")
    material = {
        "limpet:stiffness": f"{STIFFNESS:.17g}",
        "limpet:dissipation": f"{dissipation:.17g}",
    }
    surface = {
        "friction": f"{FRICTION}",
        "priority": "1",
    }  # its friction counts, not that of the hand
    look = {"rgba": "0.8 0.5 0.2 1"}
    size = f"{0.5 * WIDTH:.17g} {0.5 * WIDTH:.17g} {0.5 * LENGTH:.17g}"
    box = {"name": "rod", "type": "box", "size": size, "density": f"{DENSITY}"}
    xml.SubElement(
        body, "geom", contype="2", conaffinity="2", **box, **look
    )  # touches the floor, not the hand
    for i, (side, (x, z)) in enumerate(
        itertools.product((1, -1), ((1, 0), (-1, 0), (0, 1), (0, -1)))
    ):
        place = (
            f"{x * LEVER:.17g} {side * (0.5 * WIDTH + PROUD - KNOB):.17g} {ARM + z * LEVER:.17g}"
        )
        shape = {"name": f"knob{i}", "type": "sphere", "size": f"{KNOB}", "mass": "0", "pos": place}
        xml.SubElement(body, "geom", **shape, **look, **surface, **material)
    return body


def _cylinder(dissipation):
    body = xml.Element("body", name="rod", pos=f"0 0 {-PADS - ARM:.17g}")
    xml.SubElement(body, "freejoint", name="rod")
    shape = {
        "name": "knob",
        "type": "cylinder",
        "size": f"{CYLINDER['radius']} {0.5 * CYLINDER['length']:.17g}",
        "density": f"{DENSITY}",
    }
    surface = {"friction": f"{CYLINDER['friction']}", "priority": "1"}
    touches = {"contype": "3", "conaffinity": "3"}  # the hand and the floor
    material = {
        "limpet:stiffness": f"{CYLINDER['stiffness']:.17g}",
        "limpet:dissipation": f"{dissipation:.17g}",
    }
    xml.SubElement(body, "geom", rgba="0.8 0.5 0.2 1", **shape, **surface, **touches, **material)
    return body


def _without_looks(body):
    for child in list(body):
        if child.tag == "geom" and child.get("class") == "visual":
            body.remove(child)
        elif child.tag == "body":
            _without_looks(child)


def scene(hand_file, dissipation, looks=False, cylinder=False):
    """MJCF text; `dissipation` [s/m]; the rod with knobs, or the plain cylinder."""
    root = xml.parse(hand_file).getroot()
    root.set("model", "grasp")
    root.find("compiler").set("meshdir", str(hand_file.parent / "assets"))
    world = root.find("worldbody")
    hand = world.find("body")
    if not looks:
        _without_looks(hand)
        assets = root.find("asset")
        used = {geom.get("mesh") for geom in hand.iter("geom")}
        for mesh in assets.findall("mesh"):
            if (mesh.get("name") or mesh.get("file").rsplit(".")[0]) not in used:
                assets.remove(mesh)

    # two sliding joints, then the hand, pointing down
    world.remove(hand)
    carriage = xml.SubElement(world, "body", name="carriage")
    xml.SubElement(carriage, "inertial", pos="0 0 0", mass="1", diaginertia="0.01 0.01 0.01")
    carriage.extend([_slide(0), _slide(1)])
    hand.set("quat", "0 1 0 0")
    carriage.append(hand)
    world.append(_cylinder(dissipation) if cylinder else _knobbed_rod(dissipation))
    soft = {
        "limpet:stiffness": "1e4",
        "limpet:dissipation": "50",
    }  # where the rod ends, without a bounce
    floor = {
        "name": "floor",
        "type": "plane",
        "size": "1 1 0.1",
        "pos": f"0 0 {-FLOOR}",
        "rgba": "0.6 0.62 0.65 1",
    }
    xml.SubElement(world, "geom", contype="2", conaffinity="2", **floor, **soft)

    # a constant force closes the fingers: half of it acts on each
    actuator = root.find("actuator")
    actuator.clear()
    xml.SubElement(actuator, "position", name="x", joint="x", kp=f"{SERVO}", kv=f"{SERVO_DAMPING}")
    xml.SubElement(actuator, "position", name="y", joint="y", kp=f"{SERVO}", kv=f"{SERVO_DAMPING}")
    xml.SubElement(
        actuator,
        "general",
        name="grip",
        tendon="split",
        gaintype="fixed",
        gainprm="1",
        biastype="none",
    )
    grip = CYLINDER["grip"] if cylinder else GRIP
    opening = (
        CYLINDER["radius"] if cylinder else 0.5 * WIDTH + PROUD
    )  # [m]  at which the pads touch
    key = xml.SubElement(xml.SubElement(root, "keyframe"), "key", name="grasp")
    key.set("qpos", f"0 0 {opening:.17g} {opening:.17g} 0 0 {-PADS - ARM:.17g} 1 0 0 0")
    key.set("ctrl", f"0 0 {-2.0 * grip:.17g}")
    xml.indent(root)
    return xml.tostring(root, encoding="unicode") + "\n"

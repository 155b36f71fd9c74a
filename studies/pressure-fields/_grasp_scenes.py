"""Scenes of grasps.py: the Panda's hand, pointing down, holds a bell pepper, a mug by its wall, or
an ellipsoid, and is shaken along three axes.

The hand is `hand.xml` of MuJoCo's Menagerie. Changed: it hangs on three sliding joints with stiff
servos that follow a table of controls; a constant force closes the fingers; of its shapes only the
large pad of each finger collides, and it is compliant.
"""

import math
import xml.etree.ElementTree as xml
from dataclasses import dataclass

PADS = 0.0584 + 0.0445  # [m]  from the hand's origin to the middle of the pads
FACE = 0.0015  # [m]  face of a pad from the finger's origin
PAD_MODULUS, DISSIPATION, FRICTION = "1e6", "10", "1"  # [Pa], [s/m], [1]
SERVO, DAMPING = 1e6, 2e3  # [N/m, N s/m]
REST, SHAKEN, END = 1.0, 9.5, 10.0  # [s]  shaken from REST to SHAKEN
AMPLITUDE, RATES = 0.02, (1.5, 1.9, 1.2)  # [m], [Hz] along x, y, z: up to 2.9 m/s^2
SAMPLE = 5e-3  # [s]  between rows of the controls
ANCHORS = "4096"  # contacts that keep what sticks: more than there are
NAMESPACE = "limpet"


@dataclass(frozen=True)
class Thing:
    """What is held."""

    name: str
    geom: dict  # attributes of its shape
    file: str  # its mesh, among the shared models; empty: a primitive
    half: float  # [m]  half its thickness between the pads
    place: tuple  # [m]  of its frame from the middle between the pads
    grip: float  # [N]  of each finger


THINGS = (
    Thing(
        "pepper",
        {"mass": "0.159", "limpet:elastic_modulus": "5e4", "limpet:dissipation": "10"},
        "models/soft/veggies/yellow_bell_pepper_no_stem_low.vtk",
        0.041,
        (0.0, 0.0, -0.045),
        15.0,
    ),
    Thing(
        "mug",
        {"mass": "0.3"},
        "models/soft/shapes/mug.obj",
        0.002,
        (0.0, -0.038, -0.033),
        60.0,
    ),
    Thing(
        "ellipsoid",
        {
            "mass": "0.15",
            "size": "0.03 0.02 0.025",
            "limpet:elastic_modulus": "5e5",
            "limpet:dissipation": "10",
            "limpet:field_error": "1e-2",
        },
        "",
        0.02,
        (0.0, 0.0, 0.0),
        15.0,
    ),
)


def controls():
    """Text of a controls file: where the servos have to aim."""
    rows = ["time,x,y,z"]
    for i in range(math.ceil(END / SAMPLE) + 1):
        time = i * SAMPLE
        phase = min(max((time - REST) / (SHAKEN - REST), 0.0), 1.0)
        swell = min(1.0, 8.0 * phase, 8.0 * (1.0 - phase))
        size = AMPLITUDE * swell * swell * (3.0 - 2.0 * swell)
        aims = [size * math.sin(2 * math.pi * rate * (time - REST)) for rate in RATES]
        rows.append(f"{time:.6g}," + ",".join(f"{aim:.9g}" for aim in aims))
    return "\n".join(rows) + "\n"


def _keep_pads(body, error):
    """Of the fingers' shapes; `error`: that of the thing's field, as a pair has the finer one."""
    for child in list(body):
        if child.tag == "geom" and child.get("class") == "fingertip_pad_collision_1":
            child.set("name", body.get("name").replace("finger", "pad"))
            child.set("friction", FRICTION)
            child.set("limpet:elastic_modulus", PAD_MODULUS)
            child.set("limpet:dissipation", DISSIPATION)
            if error:
                child.set("limpet:field_error", error)
        elif child.tag == "geom" and child.get("class") != "visual":
            body.remove(child)
        elif child.tag == "body":
            _keep_pads(child, error)


def scene(hand_file, shared, thing):
    """MJCF text."""
    root = xml.parse(hand_file).getroot()
    root.set("model", f"grasp of a {thing.name}")
    root.set("xmlns:limpet", NAMESPACE)
    root.find("compiler").set("meshdir", str(hand_file.parent / "assets"))
    root.find("option").set("limpet:anchors", ANCHORS)
    world = root.find("worldbody")
    hand = world.find("body")
    _keep_pads(hand, thing.geom.get("limpet:field_error"))
    world.remove(hand)
    carriage = xml.SubElement(world, "body", name="carriage")
    xml.SubElement(carriage, "inertial", pos="0 0 0", mass="1", diaginertia="0.01 0.01 0.01")
    for axis, way in zip("xyz", ("1 0 0", "0 1 0", "0 0 1"), strict=True):
        xml.SubElement(carriage, "joint", name=axis, type="slide", axis=way)
    hand.set("quat", "0 1 0 0")
    carriage.append(hand)

    x, y, z = thing.place
    start = (x, y, z - PADS)
    body = xml.SubElement(world, "body", name=thing.name, pos=" ".join(map(repr, start)))
    xml.SubElement(body, "freejoint", name=thing.name)
    shape = {"name": thing.name, "friction": FRICTION, "rgba": "0.9 0.75 0.25 1", **thing.geom}
    if thing.file:
        mesh = {"name": thing.name, "file": str(shared / thing.file)}
        if thing.file.endswith(".obj"):
            mesh["limpet:concave"] = "true"
        xml.SubElement(root.find("asset"), "mesh", **mesh)
        shape |= {"type": "mesh", "mesh": thing.name}
    else:
        shape["type"] = "ellipsoid"
    xml.SubElement(body, "geom", **shape)

    actuator = root.find("actuator")
    actuator.clear()
    for axis in "xyz":
        servo = {"name": axis, "joint": axis, "kp": f"{SERVO}", "kv": f"{DAMPING}"}
        xml.SubElement(actuator, "position", **servo)
    grip = {"gaintype": "fixed", "gainprm": "1", "biastype": "none"}
    xml.SubElement(actuator, "general", name="grip", tendon="split", **grip)
    key = xml.SubElement(xml.SubElement(root, "keyframe"), "key", name="grasp")
    opening = min(thing.half - FACE, 0.04)
    key.set("qpos", f"0 0 0 {opening} {opening} {' '.join(map(repr, start))} 1 0 0 0")
    key.set("ctrl", f"0 0 0 {-2.0 * thing.grip}")
    xml.indent(root)
    return xml.tostring(root, encoding="unicode") + "\n"

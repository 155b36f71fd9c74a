"""The scene of panda.py: the Panda holds a cube of 40 mm and 0.2 kg in its fingers, at its home
pose, and swings it about the axis of its base.

The robot is `panda.xml` of MuJoCo's Menagerie. Changed: gravity of its links is compensated, as the
real one's controller does; a constant force closes the fingers ("grip"); its pads have names.
"""

import math
import xml.etree.ElementTree as xml

ROBOT = "models/menagerie/franka_emika_panda/panda.xml"
# [m]  middle between the pads in the home pose, by the robot's kinematics
GRASP = (0.5545, 0.0, 0.5216)
HALF, MASS = 0.02, 0.2  # [m, kg]  of the cube
REST, SHAKEN, END = 0.2, 1.2, 1.4  # [s]  shaken from REST to SHAKEN
SWING, RATE = 0.1, 2.0  # [rad, Hz]  of the first joint
SAMPLE = 5e-3  # [s]  between rows of the controls
HOME = (0.0, 0.0, 0.0, -1.57079, 0.0, 1.57079, -0.7853)  # [rad]


def controls():
    """Text of a controls file: the first joint swings, the others stay."""
    names = ",".join(f"actuator{i}" for i in range(1, 8))
    rows = [f"time,{names}"]
    for i in range(math.ceil(END / SAMPLE) + 1):
        time = i * SAMPLE
        phase = min(max((time - REST) / (SHAKEN - REST), 0.0), 1.0)
        swell = min(1.0, 4.0 * phase, 4.0 * (1.0 - phase))
        size = SWING * swell * swell * (3.0 - 2.0 * swell)
        aim = size * math.sin(2.0 * math.pi * RATE * (time - REST))
        rows.append(f"{time:.6g},{aim:.9g}," + ",".join(map(str, HOME[1:])))
    return "\n".join(rows) + "\n"


def _prepare(body, side=None):
    """Names the pads, and lets the controller carry the links."""
    body.set("gravcomp", "1")
    side = {"left_finger": "left", "right_finger": "right"}.get(body.get("name"), side)
    for child in body:
        if child.tag == "body":
            _prepare(child, side)
        elif child.tag == "geom" and child.get("class", "").startswith("fingertip_pad"):
            child.set("name", f"pad_{side}_{child.get('class')[-1]}")


def scene(robot_file):
    """MJCF text."""
    root = xml.parse(robot_file).getroot()
    root.set("model", "panda holds a cube")
    root.find("compiler").set("meshdir", str(robot_file.parent / "assets"))
    world = root.find("worldbody")
    for body in world.findall("body"):
        _prepare(body)
    body = xml.SubElement(world, "body", name="cube", pos=" ".join(map(str, GRASP)))
    xml.SubElement(body, "freejoint", name="cube")
    # of two friction coefficients the larger one counts: that of the pads
    size = f"{HALF} {HALF} {HALF}"
    shape = {"type": "box", "size": size, "mass": str(MASS), "friction": "0.001"}
    xml.SubElement(body, "geom", name="cube", rgba="0.8 0.3 0.2 1", **shape)

    actuator = root.find("actuator")
    actuator.remove(actuator[-1])
    force = {"gaintype": "fixed", "gainprm": "-2", "biastype": "none"}
    xml.SubElement(actuator, "general", name="grip", tendon="split", **force)
    key = root.find("keyframe").find("key")
    key.set("name", "grasp")
    angles = " ".join(map(str, HOME))
    key.set("qpos", f"{angles} {HALF} {HALF} {' '.join(map(str, GRASP))} 1 0 0 0")
    key.set("ctrl", f"{angles} 0")
    xml.indent(root)
    return xml.tostring(root, encoding="unicode") + "\n"

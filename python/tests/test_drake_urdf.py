"""Random robots of URDF, beside Drake: poses of the file, poses at random coordinates, and the
rates after a step without contact.

Revolute, continuous, prismatic, fixed, planar, ball, universal and screw joints about axes of any
length and direction, with damping, limits and mimics; transmissions with rotors behind gears and
random efforts; links and joints in any order. Drake has no floating joints between links.

Needs Drake (PyPI: drake 1.51.1): without it the test is skipped.
"""

import math
import random

import pytest

drake = pytest.importorskip("pydrake.all", reason="not installed: drake")

from test_drake_trees import Twin, compare, log_uniform, numbers, solid, unit  # noqa: E402

ROBOTS = 150
KINDS = "revolute prismatic continuous fixed planar ball universal screw".split()
DRIVEN = ("revolute", "prismatic", "continuous")
HEAD = "<?xml version='1.0'?><robot name='robot' xmlns:drake='http://drake.mit.edu'>"


def origin(r):
    xyz = f" xyz='{numbers(r.uniform(-0.5, 0.5) for _ in range(3))}'"
    rpy = f" rpy='{numbers(r.uniform(-math.pi, math.pi) for _ in range(3))}'"
    parts = r.choice(["", xyz, rpy, xyz + rpy, xyz + rpy])
    return f"<origin{parts}/>" if parts else ""


def link(r, name):
    mass, inertia = solid(r)
    entries = " ".join(f"{key}='{value!r}'" for key, value in inertia.items())
    parts = f"{origin(r)}<mass value='{mass!r}'/><inertia {entries}/>"
    return f"<link name='{name}'><inertial>{parts}</inertial></link>"


def joint(r, name, kind, parent, child, earlier):
    tag = "drake:joint" if kind in ("ball", "universal", "screw") else "joint"
    text = f"<{tag} name='{name}' type='{kind}'>{origin(r)}"
    text += f"<parent link='{parent}'/><child link='{child}'/>"
    if kind not in ("fixed", "ball", "universal") and r.random() < 0.85:
        text += f"<axis xyz='{numbers(unit(r, 3) * log_uniform(r, 0.1, 10))}'/>"
    if kind == "screw":
        pitch = r.choice([-1, 1]) * log_uniform(r, 0.05, 0.5)
        text += f"<drake:screw_thread_pitch value='{pitch!r}'/>"
    if kind != "fixed" and r.random() < 0.5:
        count = 3 if kind == "planar" else 1
        text += f"<dynamics damping='{numbers(log_uniform(r, 1e-3, 1) for _ in range(count))}'/>"
    if kind in ("revolute", "prismatic"):
        low, high = -r.uniform(0.3, 3), r.uniform(0.3, 3)
        text += f"<limit lower='{low!r}' upper='{high!r}' effort='10' velocity='1000'/>"
    if kind in DRIVEN and earlier and r.random() < 0.2:
        by = f"multiplier='{r.uniform(-2, 2)!r}' offset='{r.uniform(-0.2, 0.2)!r}'"
        text += f"<mimic joint='{r.choice(earlier)}' {by}/>"
    return text + f"</{tag}>"


def transmission(r, name):
    rotor = ""
    if r.random() < 0.6:
        rotor += f"<drake:rotor_inertia value='{log_uniform(r, 1e-5, 1e-2)!r}'/>"
        rotor += f"<drake:gear_ratio value='{log_uniform(r, 1, 100)!r}'/>"
    return (
        "<transmission><type>transmission_interface/SimpleTransmission</type>"
        f"<joint name='{name}'><hardwareInterface>hardware_interface/EffortJointInterface"
        f"</hardwareInterface></joint><actuator name='drive of {name}'>{rotor}</actuator>"
        "</transmission>"
    )


def robot(r):
    grounded, driven = r.random() < 0.5, []
    links = [f"l{i}" for i in range(r.randint(2, 7))]
    parts = ["<link name='world'/>"] if grounded else []
    parts += [link(r, name) for name in links]
    for i, child in enumerate(links):
        if i == 0 and not grounded:
            continue
        name, parent = f"j{i}", r.choice(links[:i]) if i else "world"
        kind = r.choice(KINDS) if i else r.choice(["fixed", "revolute", "prismatic", "planar"])
        parts.append(joint(r, name, kind, parent, child, driven))
        if kind in DRIVEN:
            driven.append(name)
            parts += [transmission(r, name)] if r.random() < 0.5 else []
    if r.random() < 0.5:
        r.shuffle(parts)
    return f"{HEAD}{''.join(parts)}</robot>"


class UrdfTwin(Twin):
    def name(self, body):
        return body.name()


@pytest.mark.filterwarnings("ignore")
def test_random_robots_are_drakes(tmp_path):
    for seed in range(ROBOTS):
        r = random.Random(seed)
        path = tmp_path / "robot.urdf"
        path.write_text(robot(r))
        compare(UrdfTwin(r, path), r, seed)

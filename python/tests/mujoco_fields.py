"""Which fields of models and states Limpet and MuJoCo both have, and where they differ on purpose:
the tables of `test_mujoco_fields.py`."""

from typing import Callable, NamedTuple

import mujoco
import numpy as np

FREE, BALL, SLIDE = range(3)  # kinds of joints
JOINT, JOINT_IN_PARENT, TENDON, SITE, BODY = (
    int(getattr(mujoco.mjtTrn, f"mjTRN_{name}"))
    for name in ("JOINT", "JOINTINPARENT", "TENDON", "SITE", "BODY")
)
MUSCLE = int(mujoco.mjtDyn.mjDYN_MUSCLE)

# Errors are relative to the largest number of a field, and absolute below 1.
ROUNDING = 1e-11
# Poses: of axes that are nearly parallel rounding grows.
POSE = 1e-10
# Lengths of tendons round geoms: MuJoCo searches the touching point to 1e-6 rad.
WRAPPED = 1e-6
# MuJoCo's coefficients of ellipsoids in a medium have seven digits.
MEDIUM = 1e-6

# Rows of a field that count: what a limit says where nothing is limited may differ.
ROWS: dict[str, Callable] = {
    "all": lambda m: slice(None),
    "moving": lambda m: slice(1, None),
    "massive": lambda m: (m.body_mass > 0) & (np.arange(m.nbody) > 0),
    "with mass": lambda m: m.dof_invweight0 < 1e9,
    "tendon with mass": lambda m: m.tendon_invweight0 < 1e9,
    "placed": lambda m: m.jnt_type != FREE,
    "scalar": lambda m: m.jnt_type >= SLIDE,
    "limited": lambda m: m.jnt_limited > 0,
    "effort": lambda m: m.jnt_actfrclimited > 0,
    "tendon limited": lambda m: m.tendon_limited > 0,
    "tendon effort": lambda m: m.tendon_actfrclimited > 0,
    "control": lambda m: m.actuator_ctrllimited > 0,
    "force": lambda m: m.actuator_forcelimited > 0,
    "activation": lambda m: m.actuator_actlimited > 0,
    "geared": lambda m: m.actuator_trntype != BODY,
}

# Limpet's field, MuJoCo's, the rows that count, and the tolerance where it is not that of rounding.
MODEL = [
    ("body_parent", "body_parentid", "moving"),
    ("body_position", "body_pos", "moving"),
    ("body_quaternion", "body_quat", "all"),
    ("body_mass", "body_mass", "moving"),
    ("body_com", "body_ipos", "massive"),
    ("body_gravity_compensation", "body_gravcomp", "moving"),
    ("body_inverse_weight", "body_invweight0", "massive", 1e-8),
    ("joint_kind", "jnt_type", "all"),
    ("joint_body", "jnt_bodyid", "all"),
    ("joint_position", "jnt_pos", "placed"),
    ("joint_axis", "jnt_axis", "scalar"),
    ("joint_limited", "jnt_limited", "all"),
    ("joint_range", "jnt_range", "limited"),
    ("joint_limit_margin", "jnt_margin", "limited"),
    ("joint_stiffness", "jnt_stiffness", "all", 1e-9),
    ("joint_stiffness_growth", "jnt_stiffnesspoly", "all"),
    ("joint_effort_limited", "jnt_actfrclimited", "scalar"),
    ("joint_effort_range", "jnt_actfrcrange", "effort"),
    ("joint_actuator_gravity_compensation", "jnt_actgravcomp", "all"),
    ("q_reference", "qpos0", "all"),
    ("q_spring", "qpos_spring", "all"),
    ("dof_body", "dof_bodyid", "all"),
    ("dof_armature", "dof_armature", "all"),
    ("dof_damping", "dof_damping", "all", 1e-9),
    ("dof_damping_growth", "dof_dampingpoly", "all"),
    ("dof_dry_friction", "dof_frictionloss", "all"),
    ("dof_inverse_weight", "dof_invweight0", "with mass", 1e-8),
    ("geom_body", "geom_bodyid", "all"),
    ("geom_position", "geom_pos", "all"),
    ("geom_quaternion", "geom_quat", "all"),
    ("geom_contype", "geom_contype", "all"),
    ("geom_conaffinity", "geom_conaffinity", "all"),
    ("geom_condim", "geom_condim", "all"),
    ("geom_margin", "geom_margin", "all"),
    ("geom_gap", "geom_gap", "all"),
    ("geom_priority", "geom_priority", "all"),
    ("geom_impedance_mix", "geom_solmix", "all"),
    ("geom_group", "geom_group", "all"),
    ("site_body", "site_bodyid", "all"),
    ("site_position", "site_pos", "all"),
    ("site_quaternion", "site_quat", "all"),
    ("pair_condim", "pair_dim", "all"),
    ("pair_friction", "pair_friction", "all"),
    ("pair_margin", "pair_margin", "all"),
    ("pair_gap", "pair_gap", "all"),
    ("tendon_limited", "tendon_limited", "all"),
    ("tendon_range", "tendon_range", "tendon limited"),
    ("tendon_limit_margin", "tendon_margin", "tendon limited"),
    ("tendon_stiffness", "tendon_stiffness", "all"),
    ("tendon_stiffness_growth", "tendon_stiffnesspoly", "all"),
    ("tendon_damping", "tendon_damping", "all"),
    ("tendon_damping_growth", "tendon_dampingpoly", "all"),
    ("tendon_dry_friction", "tendon_frictionloss", "all"),
    ("tendon_armature", "tendon_armature", "all"),
    ("tendon_effort_limited", "tendon_actfrclimited", "all"),
    ("tendon_effort_range", "tendon_actfrcrange", "tendon effort"),
    ("tendon_spring_range", "tendon_lengthspring", "all", 1e-9),
    ("tendon_inverse_weight", "tendon_invweight0", "tendon with mass", 1e-5),
    ("tendon_reference_length", "tendon_length0", "all", 1e-9),
    ("actuator_control_limited", "actuator_ctrllimited", "all"),
    ("actuator_control_range", "actuator_ctrlrange", "control"),
    ("actuator_force_limited", "actuator_forcelimited", "all"),
    ("actuator_force_range", "actuator_forcerange", "force"),
    ("actuator_activation_limited", "actuator_actlimited", "all"),
    ("actuator_activation_range", "actuator_actrange", "activation"),
    ("actuator_gear", "actuator_gear", "geared"),
    ("actuator_group", "actuator_group", "all"),
    ("sensor_cutoff", "sensor_cutoff", "all"),
]

# Limpet's field of a state, MuJoCo's, and tolerances: at least the first, the second where tendons
# go round geoms, the third in a medium.
STATE = [
    ("body_position", "xpos", POSE),
    ("body_quaternion", "xquat", POSE),
    ("geom_position", "geom_xpos", POSE),
    ("geom_rotation", "geom_xmat", POSE),
    ("site_position", "site_xpos", POSE),
    ("site_rotation", "site_xmat", POSE),
    ("bias", "qfrc_bias", 1e-10),
    ("spring_force", "qfrc_spring", 1e-10, WRAPPED),
    ("damper_force", "qfrc_damper", 1e-10, WRAPPED),
    ("gravity_compensation_force", "qfrc_gravcomp", 1e-10),
    ("fluid_force", "qfrc_fluid", 1e-10, 1e-10, MEDIUM),
    ("passive_force", "qfrc_passive", 1e-10, WRAPPED, MEDIUM),
    ("tendon_length", "ten_length", 1e-12, 1e-9),
    ("tendon_velocity", "ten_velocity", POSE, WRAPPED),
    ("actuator_length", "actuator_length", 1e-11, 1e-9),
    ("actuator_velocity", "actuator_velocity", POSE, WRAPPED),
    ("actuator_force", "actuator_force", 1e-10, WRAPPED),
    ("activation_rate", "act_dot", 1e-10),
    ("actuator_joint_force", "qfrc_actuator", 1e-10, WRAPPED),
    ("acceleration", "qacc_smooth", 1e-8, 1e-5, 1e-5),
]


OUTPUTS = ("actuator_length", "actuator_velocity", "actuator_force")  # one for each output


def outputs(m):
    """Of each output of MuJoCo's actuators the actuator here: a servo of quaternions has a control
    more; of several inputs of a motor the first gives the force."""
    starts = m.actuator_ctrladr + np.where(m.actuator_outnum == 3, m.actuator_ctrlnum - 3, 0)
    return [a + k for a, count in zip(starts, m.actuator_outnum) for k in range(count)]


# Tolerances of sensors that MuJoCo searches for: points where curved shapes are nearest.
SENSORS = {"geomdist": 1e-5, "geomnormal": 1e-3, "geomfromto": 1e-3}


class Difference(NamedTuple):
    """Fields that differ on purpose, in which files, and why."""

    fields: list[str]
    where: Callable
    reason: str


def with_actuators(m):
    """MuJoCo's armature and damping with those of actuators, which Limpet adds up."""
    names = [f"{kind}_{what}" for kind in ("dof", "tendon") for what in ("armature", "damping")]
    result = {name: getattr(m, name).copy() for name in names}
    for i in range(m.nactuator):
        target, gear = m.actuator_trnid[i, 0], m.actuator_gear[m.actuator_outadr[i], 0]
        joint = m.actuator_trntype[i] in (JOINT, JOINT_IN_PARENT)
        if joint:
            target = m.jnt_dofadr[target]
        elif m.actuator_trntype[i] != TENDON:
            continue
        for what in ("armature", "damping"):
            added = gear**2 * getattr(m, f"actuator_{what}")[i]
            result[f"{'dof' if joint else 'tendon'}_{what}"][target] += added
    return result


def has(*words):
    """Whether any of the words stands in the file."""
    return lambda twin, m: any(word in twin.text for word in words)


def tendon_armature(twin, m):
    return with_actuators(m)["tendon_armature"].any()


def singular(twin, m):
    return twin.condition > 1e8  # the first state is the reference, where weights are computed


def sliding(twin, m):
    return (m.body_simple == 2).any()


WEIGHTS = ["body_inverse_weight", "dof_inverse_weight", "tendon_inverse_weight"]
PASSIVE = ["spring_force", "damper_force", "passive_force", "potential_energy"]
SERVO = ["actuator_force", "actuator_joint_force"]
MOTION = ["acceleration", "sensor"]
ODD_WEIGHTS = (tendon_armature, singular, sliding)
FROM_WEIGHTS = has("springdamper", "<muscle", "dampratio")
EXCEPTIONS = {
    "negative gravcomp alone": Difference(
        ["gravity_compensation_force", "passive_force", "actuator_joint_force", *MOTION],
        lambda twin, m: m.body_gravcomp.any() and m.body_gravcomp.max() <= 0,
        "MuJoCo compensates gravity only where a body has a positive number",
    ),
    "no actuation": Difference(
        ["actuator_velocity", "sensor"],
        lambda twin, m: m.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_ACTUATION),
        "MuJoCo computes no velocities of actuators that are disabled; here they are known",
    ),
    "armature of tendons": Difference(
        [*WEIGHTS, "mass_matrix", "bias", "kinetic_energy", *MOTION],
        tendon_armature,
        "all products within a tree, where MuJoCo keeps the diagonal between branches",
    ),
    "weights of bodies that slide": Difference(
        WEIGHTS,
        sliding,
        "of a lone body that slides along its own axes MuJoCo takes 1/m, without armature",
    ),
    "motions without mass": Difference(
        MOTION, singular, "of slides along one axis any accelerations will do"
    ),
    "what follows from such weights": Difference(
        [*PASSIVE, *SERVO, "joint_stiffness", "dof_damping", *MOTION],
        lambda twin, m: FROM_WEIGHTS(twin, m) and any(f(twin, m) for f in ODD_WEIGHTS),
        "springdamper, dampratio and peak forces of muscles follow from inverse weights",
    ),
    "muscles that move nothing": Difference(
        ["actuator_force"],
        lambda twin, m: (m.actuator_acc0[m.actuator_dyntype == MUSCLE] < 1e-12).any(),
        "the peak force is infinite in MuJoCo, zero here; neither moves anything",
    ),
    "box of a body that has only boundmass": Difference(
        ["fluid_force", "passive_force", *MOTION],
        lambda twin, m: (np.ptp(m.body_inertia[m.body_mass > 0], axis=1) == 0).any(),
        "its axes are any, as its moments are equal; a medium tells them apart",
    ),
    "copies of sensors": Difference(
        ["sensor_cutoff", "nsensor"],
        lambda twin, m: "<replicate" in twin.text and (m.sensor_objtype < 1).any(),
        "MuJoCo copies sensors without an object with each <replicate>",
    ),
}
# What MuJoCo refuses and Limpet loads. Keys are parts of MuJoCo's message.
REFUSED = {"geom wrapping not supported": "armature of tendons round geoms is simulated here"}

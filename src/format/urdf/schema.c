/* format/urdf/schema.c: the elements and attributes of URDF 1.0 to 1.2 and of Drake's extensions,
 * and what becomes of each (source: the URDF pages of the ROS wiki and urdfdom, Drake's page on
 * parsing; names are facts of the format). */
#include "format/urdf/schema.h"

#include <stddef.h>

#include "format/robot/schema_rows.h"

#define USED LIMPET_SCHEMA_USED, NULL
#define SILENT(reason) LIMPET_SCHEMA_SILENT, reason
#define UNSUPPORTED(reason) LIMPET_SCHEMA_UNSUPPORTED, reason

#define DRAWING "for drawing only"
#define CONTROL "data for controllers and hardware, not for the simulation"
#define METHOD "chooses the numerical method of Bullet"
#define NO_ROLLING "contacts of these files have no torsional and rolling friction, as in Drake"
#define NO_SPRING                                                                           \
  "contacts of Bullet that are springs are not simulated: give drake:proximity_properties " \
  "a stiffness"
#define POSE "xyz rpy quat_xyzw"

static const limpet_schema_rule rules[] = {
    {"robot", USED, "name", "version", "",
     LIMPET_ROBOT_EXTENSIONS
     "link joint material transmission gazebo drake:joint frame self_collide"},
    {"link", USED, "name", "type", "",
     "inertial visual collision contact self_collision_checking drake:surface_velocity_axis"},
    {"contact", USED, "", "name", "",
     "lateral_friction restitution rolling_friction spinning_friction contact_cfm contact_erp "
     "stiffness damping friction_anchor inertia_scaling"},
    {"lateral_friction", USED, "value", "", "", ""},
    {"restitution", USED, "value", "", "", ""},
    {"rolling_friction", UNSUPPORTED(NO_ROLLING), "", "value", "", ""},
    {"spinning_friction", UNSUPPORTED(NO_ROLLING), "", "value", "", ""},
    {"stiffness", UNSUPPORTED(NO_SPRING), "", "value", "", ""},
    {"damping", UNSUPPORTED(NO_SPRING), "", "value", "", ""},
    {"inertia_scaling", UNSUPPORTED("inertias are those of the file"), "", "value", "", ""},
    {"friction_anchor", SILENT(METHOD), "", "", "", ""},
    {"contact_cfm", SILENT(METHOD), "", "value", "", ""},
    {"contact_erp", SILENT(METHOD), "", "value", "", ""},
    {"inertial", USED, "", "", "", "origin mass inertia density"},
    {"origin", USED, POSE, "", "", ""},
    {"mass", USED, "value", "", "", ""},
    {"density", USED, "value", "", "", ""},
    {"inertia", USED, "ixx iyy izz ixy ixz iyz", "iyx izx izy", "", ""},
    {"visual", USED, "name", "", "",
     "origin geometry material drake:accepting_renderer drake:illustration_properties "
     "drake:perception_properties"},
    {"collision", USED, "name", "", "",
     "origin geometry verbose drake:proximity_properties material@collision"},
    {"material@collision", SILENT(DRAWING), "", "name", "", "*"},
    {"verbose", SILENT("data for people and programs, not for the simulation"), "", "value", "",
     ""},
    {"geometry", USED, "", "", "",
     "box cylinder sphere capsule mesh drake:capsule drake:ellipsoid ellipsoid plane "
     "drake:declare_convex"},
    {"box", USED, "size", "", "", ""},
    {"cylinder", USED, "radius length", "", "", ""},
    {"sphere", USED, "radius", "", "", ""},
    {"capsule", USED, "radius length", "", "", ""},
    {"drake:capsule", USED, "radius length", "", "", ""},
    {"ellipsoid", USED, "a b c", "", "", ""},
    {"drake:ellipsoid", USED, "a b c", "", "", ""},
    {"plane", USED, "normal", "", "", ""},
    {"mesh", USED, "filename scale", "", "", "drake:declare_convex"},
    {"drake:declare_convex", SILENT("meshes touch as their convex hull"), "", "", "", ""},
    {"material", USED, "name", "", "", "color texture"},
    {"color", USED, "rgba", "", "", ""},
    {"texture", SILENT(DRAWING), "", "filename", "", ""},
    {"drake:accepting_renderer", SILENT(DRAWING), "", "name", "", "*"},
    {"drake:illustration_properties", SILENT(DRAWING), "", "enabled", "", "*"},
    {"drake:perception_properties", SILENT(DRAWING), "", "enabled", "", "*"},
    {"self_collision_checking",
     SILENT("geometry for planners, besides that of the simulation: it does not touch"), "", "", "",
     "*"},
    {"self_collide", SILENT("an extension of Gazebo"), "", "", "", "*"},
    {"drake:surface_velocity_axis",
     UNSUPPORTED("surfaces that move are not read from URDF: see the material's surface velocity"),
     "", "xyz value", "", "*"},

    LIMPET_ROBOT_PROXIMITY_ROWS("value"),

    {"joint", USED, "name type", "", "",
     "origin parent child axis limit dynamics mimic safety_controller calibration "
     "drake:screw_thread_pitch"},
    {"drake:joint", USED, "name type", "", "",
     "origin parent child axis limit dynamics mimic safety_controller calibration "
     "drake:screw_thread_pitch"},
    {"parent", USED, "link", "", "", ""},
    {"child", USED, "link", "", "", ""},
    {"axis", USED, "xyz", "", "", ""},
    {"limit", USED, "lower upper effort velocity",
     "drake:acceleration acceleration deceleration jerk", "", ""},
    {"dynamics", USED, "damping friction limpet:armature", "", "", ""},
    {"mimic", USED, "joint multiplier offset", "", "", ""},
    {"safety_controller", SILENT(CONTROL), "",
     "k_position k_velocity soft_lower_limit soft_upper_limit", "", ""},
    {"calibration", SILENT(CONTROL), "", "rising falling reference_position", "", ""},
    {"drake:screw_thread_pitch", USED, "value", "", "", ""},

    {"transmission", USED, "name", "type", "",
     "joint@transmission actuator type@transmission mechanicalReduction robotNamespace "
     "motorTorqueConstant"},
    {"joint@transmission", USED, "name", "", "",
     "hardwareInterface role mechanicalReduction offset"},
    {"actuator", USED, "name", "", "",
     "hardwareInterface mechanicalReduction motorTorqueConstant role drake:rotor_inertia "
     "drake:gear_ratio drake:controller_gains"},
    {"type@transmission", SILENT(CONTROL), "", "#text", "", ""},
    {"hardwareInterface", SILENT(CONTROL), "", "#text", "", ""},
    {"role", SILENT(CONTROL), "", "#text", "", ""},
    {"offset", SILENT(CONTROL), "", "#text", "", ""},
    {"mechanicalReduction", USED, "#text", "", "", ""},
    {"robotNamespace", SILENT(CONTROL), "", "#text", "", ""},
    {"motorTorqueConstant", SILENT(CONTROL), "", "#text", "", ""},
    {"drake:rotor_inertia", USED, "value", "", "", ""},
    {"drake:gear_ratio", USED, "value", "", "", ""},
    {"drake:controller_gains", USED, "p d", "", "", ""},

    {"gazebo", SILENT("read by Gazebo alone; friction and the like in it are noted"), "",
     "reference", "", "*"},
    {"frame", USED, "name link xyz rpy", "", "", ""},

    LIMPET_ROBOT_EXTENSION_ROWS("link", "name", "value"),
    {NULL, USED, NULL, NULL, NULL, NULL}};

static const limpet_schema_reason reasons[] = {{NULL, NULL, NULL}};

const limpet_schema limpet_urdf_schema = {
    .format = "URDF",
    .rules = rules,
    .reasons = reasons,
    .single =
        "inertial origin mass inertia density geometry box cylinder sphere capsule mesh color "
        "drake:capsule ellipsoid drake:ellipsoid plane "
        "parent child "
        "axis limit dynamics mimic drake:screw_thread_pitch drake:rotor_inertia drake:gear_ratio "
        "drake:controller_gains drake:proximity_properties drake:mu_dynamic drake:mu_static "
        "drake:point_contact_stiffness drake:hunt_crossley_dissipation drake:relaxation_time "
        "drake:hydroelastic_modulus drake:hydroelastic_margin drake:mesh_resolution_hint",
    .open = true};

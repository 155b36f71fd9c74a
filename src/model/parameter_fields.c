/* model/parameter_fields.c: the numbers of descriptions that can be named, varied and fitted. Those
 * of a geom's material stand in limpet_material_fields. */
#include <assert.h>

#include "base/field.h"
#include "limpet/parameter.h"

#define NUMBER(member, of_unit, low, high, what)                                                  \
  {                                                                                               \
    LIMPET_FIELD_ONE(RECORD, member), .shape = "", .unit = of_unit, .value = NAN, .minimum = low, \
                                      .maximum = high, .text = what                               \
  }
#define NUMBERS(member, dimensions, of_unit, low, high, what)                                \
  {                                                                                          \
    LIMPET_FIELD_INSIDE(RECORD, member), .shape = dimensions, .unit = of_unit, .value = NAN, \
                                         .minimum = low, .maximum = high, .text = what       \
  }

// clang-format off
#define RECORD limpet_geom_description
static const limpet_field geom_fields[] = {
    NUMBERS(size, "3", "m", 0.0, INFINITY, "radius, half lengths: see limpet_shape_kind"),
    NUMBERS(position, "3", "m", -INFINITY, INFINITY, "in the body frame"),
    NUMBERS(quaternion, "4", NULL, -INFINITY, INFINITY, "in the body frame; normalised"),
    NUMBER(margin, "m", 0.0, INFINITY, "contact acts below this distance"),
    NUMBER(gap, "m", 0.0, INFINITY, "beyond the margin contact is reported, but does not act"),
    NUMBER(mass, "kg", 0.0, INFINITY, "instead of what the density gives"),
    NUMBER(density, "kg/m^3", 0.0, INFINITY, "where no mass is given"),
};
#undef RECORD

#define RECORD limpet_body_description
static const limpet_field body_fields[] = {
    NUMBER(mass, "kg", 0.0, INFINITY, "the inertia changes in proportion"),
    NUMBERS(com, "3", "m", -INFINITY, INFINITY, "centre of mass in the body frame, of a body with an inertial"),
    NUMBERS(inertia, "6", "kg m^2", -INFINITY, INFINITY, "about com, of a body with an inertial"),
    NUMBERS(position, "3", "m", -INFINITY, INFINITY, "in the parent"),
    NUMBERS(quaternion, "4", NULL, -INFINITY, INFINITY, "in the parent; normalised"),
    NUMBER(gravity_compensation, "1", -INFINITY, INFINITY, "share of the weight carried by a force at com"),
};
#undef RECORD

#define RECORD limpet_joint_description
static const limpet_field joint_fields[] = {
    NUMBERS(position, "3", "m", -INFINITY, INFINITY, "anchor in the body frame"),
    NUMBERS(axis, "3", NULL, -INFINITY, INFINITY, "in the body frame; normalised"),
    NUMBER(stiffness, "N/m, N m/rad", 0.0, INFINITY, "of its spring"),
    NUMBER(spring_reference, "m, rad", -INFINITY, INFINITY, "rest of its spring"),
    NUMBER(damping, "N s/m, N m s/rad", 0.0, INFINITY, "viscous"),
    NUMBER(armature, "kg, kg m^2", 0.0, INFINITY, "reflected rotor inertia"),
    NUMBER(dry_friction, "N, N m", 0.0, INFINITY, "dry friction"),
    NUMBER(pitch, "m", -INFINITY, INFINITY, "screw: way in one turn"),
    NUMBERS(range, "2", "m, rad", -INFINITY, INFINITY, "limits"),
    NUMBERS(effort_range, "2", "N, N m", -INFINITY, INFINITY, "limits of the sum of actuator forces"),
};
#undef RECORD

#define RECORD limpet_actuator_description
static const limpet_field actuator_fields[] = {
    NUMBERS(gear, "6", NULL, -INFINITY, INFINITY, "transmission ratio"),
    NUMBERS(gain, "3", NULL, -INFINITY, INFINITY, "force per input: constant, by length, by velocity"),
    NUMBERS(bias, "3", NULL, -INFINITY, INFINITY, "force: constant, by length, by velocity"),
    NUMBERS(control_range, "2", NULL, -INFINITY, INFINITY, "limits of the control"),
    NUMBERS(force_range, "2", NULL, -INFINITY, INFINITY, "limits of the force [N, N m]"),
    NUMBER(activation_time, "s", 0.0, INFINITY, "time constant of a filter"),
};
#undef RECORD

#define RECORD limpet_deformable_description
static const limpet_field deformable_fields[] = {
    NUMBER(youngs_modulus, "Pa", 0.0, INFINITY, "E"),
    NUMBER(poissons_ratio, "1", -1.0, 0.5, "nu"),
    NUMBER(density, "kg/m^3", 0.0, INFINITY, "of its matter"),
    NUMBER(mass_damping, "1/s", 0.0, INFINITY, "Rayleigh damping by mass, alpha"),
    NUMBER(stiffness_damping, "s", 0.0, INFINITY, "Rayleigh damping by stiffness, beta"),
    NUMBER(thickness, "m", 0.0, INFINITY, "of a shell; diameter of a rope"),
    NUMBER(edge_stiffness, "N/m", 0.0, INFINITY, "of springs along the edges of shells and ropes"),
    NUMBER(edge_damping, "N s/m", 0.0, INFINITY, "along the edges of shells and ropes"),
    NUMBER(surface_stiffness, "Pa/m", 0.0, INFINITY, "of its skin against pressure fields"),
};
#undef RECORD
// clang-format on

static const limpet_field_table geoms = LIMPET_FIELD_TABLE(limpet_geom_description, geom_fields),
                                bodies = LIMPET_FIELD_TABLE(limpet_body_description, body_fields),
                                joints = LIMPET_FIELD_TABLE(limpet_joint_description, joint_fields),
                                actuators = LIMPET_FIELD_TABLE(limpet_actuator_description,
                                                               actuator_fields),
                                deformables = LIMPET_FIELD_TABLE(limpet_deformable_description,
                                                                 deformable_fields);

const limpet_field_table *limpet_parameter_fields(limpet_object object) {
  assert(object >= 0 && object < LIMPET_OBJECT_COUNT);
  switch (object) {
    case LIMPET_OBJECT_GEOM: return &geoms;
    case LIMPET_OBJECT_BODY: return &bodies;
    case LIMPET_OBJECT_JOINT: return &joints;
    case LIMPET_OBJECT_ACTUATOR: return &actuators;
    case LIMPET_OBJECT_DEFORMABLE: return &deformables;
    default: return NULL;
  }
}

/* model/parameter_fields.c: the numbers of descriptions that can be named, varied and fitted. Those
 * of structs inside descriptions (materials, muscles, motors, impedances) stand in the tables of
 * these. */
#include <assert.h>
#include <string.h>

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
    NUMBER(fit_scale, "1", 0.0, INFINITY, "of a primitive that is fitted to a mesh"),
    NUMBER(impedance_mix, "1", 0.0, INFINITY, "weight where impedances of two geoms are mixed"),
    NUMBERS(fluid_coefficients, "5", "1", -INFINITY, INFINITY, "blunt, slender, angular drag, Kutta lift, Magnus lift, of a geom that the medium acts on as on an ellipsoid"),
};
#undef RECORD

#define RECORD limpet_body_description
static const limpet_field body_fields[] = {
    NUMBER(mass, "kg", 0.0, INFINITY, "the inertia changes in proportion"),
    NUMBERS(com, "3", "m", -INFINITY, INFINITY, "centre of mass in the body frame, of a body with an inertial"),
    NUMBERS(inertia, "6", "kg m^2", -INFINITY, INFINITY, "about com, of a body with an inertial"),
    NUMBERS(inertia_quaternion, "4", NULL, -INFINITY, INFINITY, "axes of inertia in the body frame; normalised"),
    NUMBERS(position, "3", "m", -INFINITY, INFINITY, "in the parent"),
    NUMBERS(quaternion, "4", NULL, -INFINITY, INFINITY, "in the parent; normalised"),
    NUMBER(gravity_compensation, "1", -INFINITY, INFINITY, "share of the weight carried by a force at com"),
};
#undef RECORD

#define RECORD limpet_joint_description
static const limpet_field joint_fields[] = {
    NUMBERS(position, "3", "m", -INFINITY, INFINITY, "anchor in the body frame"),
    NUMBERS(axis, "3", NULL, -INFINITY, INFINITY, "in the body frame; normalised"),
    NUMBER(reference, "m, rad", -INFINITY, INFINITY, "coordinate in the pose of the file"),
    NUMBER(stiffness, "N/m, N m/rad", 0.0, INFINITY, "of its spring"),
    NUMBERS(stiffness_growth, "2", NULL, -INFINITY, INFINITY, "c of a spring -(k + c0 x + c1 x^2) x"),
    NUMBER(spring_reference, "m, rad", -INFINITY, INFINITY, "rest of its spring"),
    NUMBERS(spring_damper, "2", NULL, 0.0, INFINITY, "time [s] and damping ratio, from which stiffness and more damping follow"),
    NUMBER(damping, "N s/m, N m s/rad", 0.0, INFINITY, "viscous"),
    NUMBERS(damping_growth, "2", NULL, -INFINITY, INFINITY, "c of a damper -(d + c0 |v| + c1 v^2) v"),
    NUMBER(armature, "kg, kg m^2", 0.0, INFINITY, "reflected rotor inertia"),
    NUMBER(dry_friction, "N, N m", 0.0, INFINITY, "dry friction"),
    NUMBER(pitch, "m", -INFINITY, INFINITY, "screw: way in one turn"),
    NUMBERS(range, "2", "m, rad", -INFINITY, INFINITY, "limits"),
    NUMBER(limit_margin, "m, rad", 0.0, INFINITY, "limits act this much earlier"),
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
    NUMBERS(activation_range, "2", NULL, -INFINITY, INFINITY, "limits of the activation"),
    NUMBER(activation_time, "s", 0.0, INFINITY, "time constant of a filter, of a muscle that grows tense"),
    NUMBER(deactivation_time, "s", 0.0, INFINITY, "time constant of a muscle that grows slack"),
    NUMBER(activation_smoothing, "1", 0.0, INFINITY, "control less activation that goes from one time constant to the other"),
    NUMBER(delay, "s", 0.0, INFINITY, "after which the control acts"),
    NUMBER(crank_length, "m", 0.0, INFINITY, "slider-crank: of the rod"),
    NUMBERS(length_range, "2", NULL, -INFINITY, INFINITY, "least and greatest length, of a muscle"),
    NUMBER(damping_ratio, "1", 0.0, INFINITY, "of a servo whose damping follows from the inertia it moves"),
};
#undef RECORD

#define RECORD limpet_site_description
static const limpet_field site_fields[] = {
    NUMBERS(position, "3", "m", -INFINITY, INFINITY, "in the body frame"),
    NUMBERS(quaternion, "4", NULL, -INFINITY, INFINITY, "in the body frame; normalised"),
};
#undef RECORD

#define RECORD limpet_mesh_description
static const limpet_field mesh_fields[] = {
    NUMBERS(scale, "3", "1", -INFINITY, INFINITY, "of its vertices, of a height field: sides, elevations"),
};
#undef RECORD

#define RECORD limpet_tendon_description
static const limpet_field tendon_fields[] = {
    NUMBERS(range, "2", NULL, -INFINITY, INFINITY, "limits of the length"),
    NUMBER(limit_margin, "m", 0.0, INFINITY, "limits act this much earlier"),
    NUMBER(limit_stiffness, "N/m", 0.0, INFINITY, "of the limits"),
    NUMBER(limit_damping, "N s/m", 0.0, INFINITY, "of the limits"),
    NUMBER(stiffness, "N/m", 0.0, INFINITY, "of its spring"),
    NUMBERS(stiffness_growth, "2", NULL, -INFINITY, INFINITY, "c of a spring -(k + c0 x + c1 x^2) x"),
    NUMBER(damping, "N s/m", 0.0, INFINITY, "viscous"),
    NUMBERS(damping_growth, "2", NULL, -INFINITY, INFINITY, "c of a damper -(d + c0 |v| + c1 v^2) v"),
    NUMBERS(spring_range, "2", NULL, -INFINITY, INFINITY, "no force inside"),
    NUMBER(armature, "kg", 0.0, INFINITY, "mass that moves along"),
    NUMBER(dry_friction, "N", 0.0, INFINITY, "dry friction"),
    NUMBERS(effort_range, "2", "N", -INFINITY, INFINITY, "limits of the sum of actuator forces"),
};
#undef RECORD

#define RECORD limpet_tendon_term
static const limpet_field term_fields[] = {
    NUMBER(coefficient, NULL, -INFINITY, INFINITY, "of the joint of a term"),
};
#undef RECORD

#define RECORD limpet_tendon_point
static const limpet_field point_fields[] = {
    NUMBER(divisor, "1", 0.0, INFINITY, "of a pulley: of the lengths of the branch that follows"),
};
#undef RECORD

#define RECORD limpet_cloud_description
static const limpet_field cloud_fields[] = {
    NUMBERS(scale, "3", "1", -INFINITY, INFINITY, "of its points"),
    NUMBER(point_radius, "m", 0.0, INFINITY, "of the ball that each point is"),
};
#undef RECORD

#define RECORD limpet_coupler_description
static const limpet_field coupler_fields[] = {
    NUMBERS(coefficient, "5", NULL, -INFINITY, INFINITY, "of its polynomial"),
};
#undef RECORD

#define RECORD limpet_loop_description
static const limpet_field loop_fields[] = {
    NUMBERS(position_a, "3", "m", -INFINITY, INFINITY, "of its point on the first body"),
    NUMBERS(quaternion_a, "4", NULL, -INFINITY, INFINITY, "of its frame on the first body; normalised"),
    NUMBERS(position_b, "3", "m", -INFINITY, INFINITY, "of its point on the second body"),
    NUMBERS(quaternion_b, "4", NULL, -INFINITY, INFINITY, "of its frame on the second body; normalised"),
    NUMBER(length, "m", 0.0, INFINITY, "of a distance"),
    NUMBER(stiffness, "N/m", 0.0, INFINITY, "of a distance"),
    NUMBER(damping, "N s/m", 0.0, INFINITY, "of a distance"),
    NUMBER(torque_scale, "1", 0.0, INFINITY, "of a weld: turns are resisted with its square"),
};
#undef RECORD

#define RECORD limpet_pair_description
static const limpet_field pair_fields[] = {
    NUMBERS(friction, "5", NULL, 0.0, INFINITY, "two sliding [-], torsional, two rolling [m]"),
    NUMBER(margin, "m", 0.0, INFINITY, "contact acts below this distance"),
    NUMBER(gap, "m", 0.0, INFINITY, "beyond the margin contact is reported, but does not act"),
    NUMBER(adhesion, "N", 0.0, INFINITY, "pull of each contact"),
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

#undef NUMBER
#undef NUMBERS
#define TABLE(type, rows) LIMPET_FIELD_TABLE(type, rows)
static const limpet_field_table tables[LIMPET_OBJECT_COUNT] = {
    [LIMPET_OBJECT_GEOM] = TABLE(limpet_geom_description, geom_fields),
    [LIMPET_OBJECT_BODY] = TABLE(limpet_body_description, body_fields),
    [LIMPET_OBJECT_JOINT] = TABLE(limpet_joint_description, joint_fields),
    [LIMPET_OBJECT_SITE] = TABLE(limpet_site_description, site_fields),
    [LIMPET_OBJECT_MESH] = TABLE(limpet_mesh_description, mesh_fields),
    [LIMPET_OBJECT_CLOUD] = TABLE(limpet_cloud_description, cloud_fields),
    [LIMPET_OBJECT_ACTUATOR] = TABLE(limpet_actuator_description, actuator_fields),
    [LIMPET_OBJECT_TENDON] = TABLE(limpet_tendon_description, tendon_fields),
    [LIMPET_OBJECT_COUPLER] = TABLE(limpet_coupler_description, coupler_fields),
    [LIMPET_OBJECT_LOOP] = TABLE(limpet_loop_description, loop_fields),
    [LIMPET_OBJECT_PAIR] = TABLE(limpet_pair_description, pair_fields),
    [LIMPET_OBJECT_DEFORMABLE] = TABLE(limpet_deformable_description, deformable_fields),
};

#define PART(kind, record, of_prefix, member, of_fields)                                  \
  {                                                                                       \
    .object = LIMPET_OBJECT_##kind, .prefix = of_prefix, .offset = offsetof(record, member), \
    .fields = of_fields                                                                   \
  }
#define ARRAY(kind, record, member, counted, of_fields)                                             \
  {                                                                                               \
    .object = LIMPET_OBJECT_##kind, .prefix = "", .offset = offsetof(record, member),                \
    .stride = sizeof *LIMPET_FIELD_OF(record, member), .count = offsetof(record, counted), .fields = of_fields \
  }
static const limpet_field_table *terms(void) {
  static const limpet_field_table table = TABLE(limpet_tendon_term, term_fields);
  return &table;
}
static const limpet_field_table *points(void) {
  static const limpet_field_table table = TABLE(limpet_tendon_point, point_fields);
  return &table;
}
static const limpet_parameter_part parts[] = {
    ARRAY(TENDON, limpet_tendon_description, terms, term_count, terms),
    ARRAY(TENDON, limpet_tendon_description, points, point_count, points),
    PART(GEOM, limpet_geom_description, "", material, limpet_material_fields),
    PART(GEOM, limpet_geom_description, "", material.impedance, limpet_impedance_fields),
    PART(JOINT, limpet_joint_description, "limit_", limit_impedance, limpet_impedance_fields),
    PART(JOINT, limpet_joint_description, "dry_friction_", dry_friction_impedance, limpet_impedance_fields),
    PART(TENDON, limpet_tendon_description, "limit_", limit_impedance, limpet_impedance_fields),
    PART(TENDON, limpet_tendon_description, "dry_friction_", dry_friction_impedance, limpet_impedance_fields),
    PART(ACTUATOR, limpet_actuator_description, "muscle_", muscle, limpet_muscle_fields),
    PART(ACTUATOR, limpet_actuator_description, "motor_", motor, limpet_motor_fields),
    PART(COUPLER, limpet_coupler_description, "", impedance, limpet_impedance_fields),
    PART(LOOP, limpet_loop_description, "", impedance, limpet_impedance_fields),
    PART(PAIR, limpet_pair_description, "", impedance, limpet_impedance_fields),
    {.object = LIMPET_OBJECT_COUNT},
};
// clang-format on

const limpet_field_table *limpet_parameter_fields(limpet_object object) {
  assert(object >= 0 && object < LIMPET_OBJECT_COUNT);
  return tables[object].count > 0 ? &tables[object] : NULL;
}

const limpet_parameter_part *limpet_parameter_parts(void) { return parts; }

// The field of a table that is a double.
static const limpet_field *number_of(const limpet_field_table *table, const char *name) {
  const limpet_field *field = limpet_field_find(table, name);
  return field && field->type == LIMPET_FIELD_DOUBLE ? field : NULL;
}

const limpet_field *limpet_parameter_field(limpet_object object, const char *name, size_t *offset) {
  assert(name && offset);
  *offset = 0;
  const limpet_field_table *own = limpet_parameter_fields(object);
  const limpet_field *field = own ? number_of(own, name) : NULL;
  for (const limpet_parameter_part *part = parts; part->fields && !field; ++part) {
    const size_t length = strlen(part->prefix);
    if (part->object != object || strncmp(name, part->prefix, length) != 0) continue;
    field = number_of(part->fields(), name + length);
    *offset = part->offset;
  }
  return field;
}

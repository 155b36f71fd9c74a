/* model/compile_numbers.c: every number of every description, by tables: NaN is refused everywhere,
 * infinity where it has no meaning, and sizes that no energy could be reckoned with. The words are
 * those of MJCF where it has one, so that the reader of a message finds the attribute. */
#include <float.h>
#include <math.h>

#include "model/compile.h"

typedef struct number_field {
  const char *what;
  size_t offset;
  int count;
  double largest;  // infinite where infinity is meaningful
} number_field;

typedef struct number_table {
  int list;
  int count;
  const number_field *fields;
} number_table;

#define WITHIN(type, member, count, largest, what) \
  { what, offsetof(limpet_##type##_description, member), count, largest }
#define AT(type, member, count, infinite, what) \
  WITHIN(type, member, count, (infinite) ? (double)INFINITY : LIMPET_LARGEST_NUMBER, what)
// whose length is checked where it is normalised
#define DIRECTION(type, member, count, what) WITHIN(type, member, count, DBL_MAX, what)
#define IMPEDANCE(type, member, what)                      \
  AT(type, member.reference, 2, false, what " reference"), \
      AT(type, member.impedance, 5, false, what " impedance")

// clang-format off
static const number_field body_fields[] = {
    AT(body, position, 3, false, "position"),
    DIRECTION(body, quaternion, 4, "quaternion"),
    AT(body, mass, 1, false, "mass"),
    AT(body, com, 3, false, "centre of mass"),
    AT(body, inertia, 6, false, "inertia"),
    DIRECTION(body, inertia_quaternion, 4, "quaternion of the inertia"),
    AT(body, gravity_compensation, 1, false, "gravity compensation"),
};
static const number_field joint_fields[] = {
    AT(joint, position, 3, false, "position"),
    DIRECTION(joint, axis, 3, "axis"),
    AT(joint, pitch, 1, false, "pitch"),
    AT(joint, reference, 1, false, "reference"),
    AT(joint, range, 2, true, "range"),
    AT(joint, limit_margin, 1, false, "margin"),
    IMPEDANCE(joint, limit_impedance, "limit"),
    AT(joint, stiffness, 1, false, "stiffness"),
    AT(joint, stiffness_growth, 2, false, "growth of the stiffness"),
    AT(joint, spring_reference, 1, false, "spring reference"),
    AT(joint, spring_damper, 2, false, "springdamper"),
    AT(joint, damping, 1, false, "damping"),
    AT(joint, damping_growth, 2, false, "growth of the damping"),
    AT(joint, armature, 1, false, "armature"),
    AT(joint, dry_friction, 1, false, "dry friction"),
    IMPEDANCE(joint, dry_friction_impedance, "dry friction"),
    AT(joint, effort_range, 2, true, "effort range"),
};
static const number_field geom_fields[] = {
    AT(geom, size, 3, false, "size"),
    AT(geom, fit_scale, 1, false, "fit scale"),
    AT(geom, position, 3, false, "position"),
    DIRECTION(geom, quaternion, 4, "quaternion"),
    AT(geom, material.friction, 1, false, "friction"),
    AT(geom, material.friction_torsional, 1, false, "torsional friction"),
    AT(geom, material.friction_rolling, 1, false, "rolling friction"),
    AT(geom, material.stiffness, 1, true, "stiffness"),
    AT(geom, material.dissipation, 1, false, "dissipation"),
    AT(geom, material.relaxation_time, 1, false, "relaxation time"),
    IMPEDANCE(geom, material.impedance, "contact"),
    AT(geom, material.adhesion, 1, false, "adhesion"),
    AT(geom, impedance_mix, 1, false, "impedance mix"),
    AT(geom, margin, 1, false, "margin"),
    AT(geom, gap, 1, false, "gap"),
    AT(geom, density, 1, false, "density"),
    AT(geom, fluid_coefficients, 5, false, "fluid coefficients"),
};
static const number_field site_fields[] = {
    AT(site, position, 3, false, "position"),
    DIRECTION(site, quaternion, 4, "quaternion"),
    AT(site, size, 3, false, "size"),
};
static const number_field camera_fields[] = {
    AT(camera, position, 3, false, "position"),
    DIRECTION(camera, quaternion, 4, "quaternion"),
    AT(camera, focal, 2, false, "focal length"),
    AT(camera, centre, 2, false, "centre"),
};
static const number_field mesh_fields[] = {
    AT(mesh, scale, 3, false, "scale"),
    AT(mesh, reference_position, 3, false, "reference position"),
    DIRECTION(mesh, reference_quaternion, 4, "reference quaternion"),
};
static const number_field cloud_fields[] = {
    AT(cloud, scale, 3, false, "scale"),
    AT(cloud, point_radius, 1, false, "point radius"),
};
static const number_field tendon_fields[] = {
    AT(tendon, range, 2, true, "range"),
    AT(tendon, limit_margin, 1, false, "margin"),
    AT(tendon, limit_stiffness, 1, true, "limit stiffness"),
    AT(tendon, limit_damping, 1, false, "limit damping"),
    IMPEDANCE(tendon, limit_impedance, "limit"),
    AT(tendon, stiffness, 1, false, "stiffness"),
    AT(tendon, stiffness_growth, 2, false, "growth of the stiffness"),
    AT(tendon, damping, 1, false, "damping"),
    AT(tendon, damping_growth, 2, false, "growth of the damping"),
    AT(tendon, spring_range, 2, true, "spring length"),
    AT(tendon, armature, 1, false, "armature"),
    AT(tendon, dry_friction, 1, false, "dry friction"),
    IMPEDANCE(tendon, dry_friction_impedance, "dry friction"),
    AT(tendon, effort_range, 2, true, "effort range"),
};
static const number_field actuator_fields[] = {
    AT(actuator, gear, 6, false, "gear"),
    AT(actuator, control_range, 2, true, "control range"),
    AT(actuator, force_range, 2, true, "force range"),
    AT(actuator, activation_range, 2, true, "activation range"),
    AT(actuator, activation_time, 1, false, "activation time"),
    AT(actuator, gain, 3, false, "gain"),
    AT(actuator, bias, 3, false, "bias"),
    AT(actuator, damping_ratio, 1, false, "damping ratio"),
    AT(actuator, delay, 1, false, "delay"),
    AT(actuator, deactivation_time, 1, false, "deactivation time"),
    AT(actuator, activation_smoothing, 1, false, "smoothing of the activation"),
    AT(actuator, length_range, 2, false, "length range"),
    AT(actuator, crank_length, 1, false, "crank length"),
    AT(actuator, muscle.range, 2, false, "range of lengths"),
    AT(actuator, muscle.force, 1, false, "peak force"),
    AT(actuator, muscle.scale, 1, false, "scale of the peak force"),
    AT(actuator, muscle.shortest, 1, false, "shortest length"),
    AT(actuator, muscle.longest, 1, false, "longest length"),
    AT(actuator, muscle.fastest, 1, false, "fastest velocity"),
    AT(actuator, muscle.passive_force, 1, false, "passive force"),
    AT(actuator, muscle.lengthening_force, 1, false, "force of lengthening"),
};
static const number_field coupler_fields[] = {
    AT(coupler, coefficient, 5, false, "coefficients"),
    IMPEDANCE(coupler, impedance, "coupler"),
};
static const number_field loop_fields[] = {
    AT(loop, position_a, 3, false, "position on the first body"),
    DIRECTION(loop, quaternion_a, 4, "quaternion on the first body"),
    AT(loop, position_b, 3, false, "position on the second body"),
    DIRECTION(loop, quaternion_b, 4, "quaternion on the second body"),
    AT(loop, stiffness, 1, true, "stiffness"),
    AT(loop, damping, 1, false, "damping"),
    AT(loop, torque_scale, 1, false, "torque scale"),
    IMPEDANCE(loop, impedance, "loop"),
};
static const number_field pair_fields[] = {
    AT(pair, friction, 5, false, "friction"),
    IMPEDANCE(pair, impedance, "contact"),
    AT(pair, margin, 1, false, "margin"),
    AT(pair, gap, 1, false, "gap"),
    AT(pair, adhesion, 1, false, "adhesion"),
};
static const number_field sensor_fields[] = {
    AT(sensor, cutoff, 1, false, "cutoff"),
    AT(sensor, noise, 1, false, "noise"),
    AT(sensor, delay, 1, false, "delay"),
    AT(sensor, interval, 2, false, "interval"),
};
static const number_field deformable_fields[] = {
    AT(deformable, scale, 3, false, "scale"),
    AT(deformable, position, 3, false, "position"),
    DIRECTION(deformable, quaternion, 4, "quaternion"),
    AT(deformable, fill_size, 1, false, "fill size"),
    AT(deformable, surface_stiffness, 1, false, "surface stiffness"),
    AT(deformable, margin, 1, false, "margin"),
};
static const number_field keyframe_fields[] = {
    AT(keyframe, time, 1, false, "time"),
};

#define TABLE(list, fields) {list, sizeof fields / sizeof fields[0], fields}

static const number_table tables[] = {
    TABLE(LIMPET_OBJECT_BODY, body_fields),
    TABLE(LIMPET_OBJECT_JOINT, joint_fields),
    TABLE(LIMPET_OBJECT_GEOM, geom_fields),
    TABLE(LIMPET_OBJECT_SITE, site_fields),
    TABLE(LIMPET_OBJECT_CAMERA, camera_fields),
    TABLE(LIMPET_OBJECT_MESH, mesh_fields),
    TABLE(LIMPET_OBJECT_CLOUD, cloud_fields),
    TABLE(LIMPET_OBJECT_TENDON, tendon_fields),
    TABLE(LIMPET_OBJECT_ACTUATOR, actuator_fields),
    TABLE(LIMPET_OBJECT_COUPLER, coupler_fields),
    TABLE(LIMPET_OBJECT_LOOP, loop_fields),
    TABLE(LIMPET_OBJECT_PAIR, pair_fields),
    TABLE(LIMPET_OBJECT_KEYFRAME, keyframe_fields),
    TABLE(LIMPET_OBJECT_SENSOR, sensor_fields),
    TABLE(LIMPET_OBJECT_DEFORMABLE, deformable_fields),
};
// clang-format on

static limpet_status check_number(limpet_compiler *compiler, int list, int handle,
                                  const number_field *field, double x) {
  if (fabs(x) <= field->largest) return LIMPET_OK;
  if (isfinite(x))
    return limpet_compile_error(compiler, list, handle,
                                ": its %s is %g, too large to reckon with; give at most %g",
                                field->what, x, copysign(field->largest, x));
  return limpet_compile_error(compiler, list, handle, ": its %s is %s; give a finite number",
                              field->what, isnan(x) ? "not a number (NaN)" : "infinite");
}

static limpet_status check_item(limpet_compiler *compiler, const number_table *table, int handle) {
  const limpet_builder_list *list = &compiler->builder->list[table->list];
  const char *item =
      (const char *)list->items + (size_t)handle * limpet_description_kinds[table->list].size;
  for (int i = 0; i < table->count; ++i) {
    const number_field *field = &table->fields[i];
    const double *numbers = (const double *)(const void *)(item + field->offset);
    for (int k = 0; k < field->count; ++k) {
      const limpet_status status = check_number(compiler, table->list, handle, field, numbers[k]);
      if (status) return status;
    }
  }
  return LIMPET_OK;
}

static bool can_be_reckoned(const double x[3]) {
  return fabs(x[0]) <= LIMPET_LARGEST_NUMBER && fabs(x[1]) <= LIMPET_LARGEST_NUMBER &&
         fabs(x[2]) <= LIMPET_LARGEST_NUMBER;
}

static const char *finite_word(const double x[3]) {
  return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]) ? "too large to reckon with"
                                                            : "not finite";
}

static limpet_status check_options(limpet_compiler *compiler) {
  const limpet_options *options = &compiler->builder->options;
  const double *g = options->gravity;
  if (!can_be_reckoned(g))
    return limpet_error_fill(compiler->error, LIMPET_ERROR_INPUT,
                             "gravity (%g, %g, %g) is %s; give three numbers in m/s^2", g[0], g[1],
                             g[2], finite_word(g));
  if (options->anchor_count < LIMPET_ANCHORS_AUTOMATIC ||
      options->anchor_count > LIMPET_ANCHOR_LIMIT)
    return limpet_error_fill(compiler->error, LIMPET_ERROR_INPUT,
                             "anchor count is %d; give a number from 0 to %d, or -1",
                             options->anchor_count, LIMPET_ANCHOR_LIMIT);
  if (!(options->time_step > 0.0) || !isfinite(options->time_step))
    return limpet_error_fill(compiler->error, LIMPET_ERROR_INPUT,
                             "time step is %g s; give a positive one, for example 0.002",
                             options->time_step);
  const double *B = options->magnetic_field;
  if (!can_be_reckoned(B))
    return limpet_error_fill(compiler->error, LIMPET_ERROR_INPUT,
                             "the magnetic field (%g, %g, %g) is %s; give three numbers in T", B[0],
                             B[1], B[2], finite_word(B));
  const double *wind = options->wind;
  if (!(options->density >= 0.0 && options->density <= LIMPET_LARGEST_NUMBER) ||
      !(options->viscosity >= 0.0 && options->viscosity <= LIMPET_LARGEST_NUMBER) ||
      !can_be_reckoned(wind))
    return limpet_error_fill(compiler->error, LIMPET_ERROR_INPUT,
                             "the medium has the density %g kg/m^3, the viscosity %g Pa s and the "
                             "wind (%g, %g, %g) m/s; "
                             "give numbers below 1e50, density and viscosity 0 or more",
                             options->density, options->viscosity, wind[0], wind[1], wind[2]);
  if (isnan(options->bound_mass) || isnan(options->bound_inertia) || isnan(options->total_mass))
    return limpet_error_fill(
        compiler->error, LIMPET_ERROR_INPUT,
        "a bound of mass or inertia or the total mass is not a number (NaN); give finite numbers");
  return LIMPET_OK;
}

limpet_status limpet_compile_numbers(limpet_compiler *compiler) {
  limpet_status status = check_options(compiler);
  for (size_t t = 0; t < sizeof tables / sizeof tables[0]; ++t)
    for (int i = 0; i < compiler->builder->list[tables[t].list].count && !status; ++i)
      status = check_item(compiler, &tables[t], i);
  return status;
}

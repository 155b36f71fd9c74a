/* model/data_fields.c: the one table of the fields of limpet_data, and that of limpet_step_info.
 * Memory, full state, its hash, and what logs record of a step are made from them. A new state
 * array is one line here and one in data.h. */
#include "base/field.h"

#include <assert.h>

#include "limpet/data.h"

enum {
  STATE = LIMPET_FIELD_STATE,
  PACKED = LIMPET_FIELD_PACKED,
  STEP = LIMPET_FIELD_STEP,
  RESULT = LIMPET_FIELD_RESULT,
  CLOCK = LIMPET_FIELD_CLOCK
};

#define REST(unit_text, bits, function, words) \
  LIMPET_FIELD_NO_RANGE, .unit = unit_text, .uses = bits, .stage = function, .text = words

#define RECORD limpet_step_info
#define ONE(member, unit_text, bits, function, words) \
  { LIMPET_FIELD_ONE(RECORD, member), .shape = "", REST(unit_text, bits, function, words) }
#define INSIDE(member, dimensions, unit_text, bits, function, words)            \
  {                                                                             \
    LIMPET_FIELD_INSIDE(RECORD, member), .shape = dimensions,                   \
                                         REST(unit_text, bits, function, words) \
  }
#define ARRAY(member, dimensions, unit_text, bits, function, words)              \
  {                                                                              \
    LIMPET_FIELD_POINTER(RECORD, member), .shape = dimensions,                   \
                                          REST(unit_text, bits, function, words) \
  }
#define CHOICE(member, bits, function, words)                                                 \
  {                                                                                           \
    LIMPET_FIELD_MEMBER(RECORD, member, LIMPET_FIELD_ENUM), .shape = "",                      \
                                                            REST(NULL, bits, function, words) \
  }
#define STRUCT(member, table, bits, function, words)                                            \
  {                                                                                             \
    LIMPET_FIELD_MEMBER(RECORD, member, LIMPET_FIELD_STRUCT), .shape = "", .fields = table,     \
                                                              REST(NULL, bits, function, words) \
  }

// clang-format off
static const limpet_field info_fields[] = {
    CHOICE(outcome, RESULT, "limpet_step", "0 solved, 1 friction missed, 2 precision limit, 3 iteration limit, 4 infeasible, 5 some islands failed and were held, 6 numerical failure, 7 out of memory, 8 bad input"),
    ONE(iterations, NULL, RESULT, "limpet_step", "of the solver, of whatever kind; most over islands"),
    ONE(iterations_total, NULL, RESULT, "limpet_step", "the same, summed over islands"),
    ONE(line_search_evaluations, NULL, RESULT, "limpet_step", "of the objective, summed over islands"),
    ONE(factorizations, NULL, RESULT, "limpet_step", "of all matrices, summed over islands"),
    ONE(newton_iterations, NULL, RESULT, "limpet_step", "compliant: of Newton's method"),
    ONE(interior_iterations, NULL, RESULT, "limpet_step", "rigid: of the interior-point method"),
    ONE(active_set_changes, NULL, RESULT, "limpet_step", "rigid: of the active-set method"),
    ONE(sweeps, NULL, RESULT, "limpet_step", "impulsive: over all contacts or rows"),
    ONE(pivots, NULL, RESULT, "limpet_step", "impulsive: of complementarity problems"),
    ONE(barrier_iterations, NULL, RESULT, "limpet_step", "impulsive: of phase two"),
    ONE(residual, "1", RESULT, "limpet_step", "momentum residual over momentum scale, worst island"),
    ONE(condition_number, "1", RESULT, "limpet_step", "of the Hessian, worst island; only if settings ask for it"),
    ONE(cost, "J", RESULT, "limpet_step", "objective at the solution, summed over islands"),
    ONE(substep_count, NULL, RESULT, "limpet_step", "substeps of the step"),
    ONE(rejected_substeps, NULL, RESULT, "limpet_step", "tries of substeps that were too long"),
    ONE(shortest_substep, "s", RESULT, "limpet_step", "that was taken"),
    ONE(substep_error, "m, rad", RESULT, "limpet_step", "error estimate of a substep, largest: above settings.accuracy where shorter ones did not help"),
    ONE(repeats, NULL, RESULT, "limpet_step", "solves anew, with contacts that an impact of the step made, or with weaker returns or rebounds"),
    ONE(restrained_returns, NULL, RESULT, "limpet_step", "contacts and limits that start far inside, and come back weakly: they press too hard against each other"),
    ONE(restrained_rebounds, NULL, RESULT, "limpet_step", "contacts that part slower than restitution asks, as more would make energy"),
    ONE(crossing_rounds, NULL, RESULT, "limpet_step", "solves anew, as deformable bodies passed through each other"),
    ONE(crossing_count, NULL, RESULT, "limpet_step", "vertices and edges of deformable bodies that pass all the same"),
    ONE(crossing_depth, "m", RESULT, "limpet_step", "most by which one of these ends beyond the other"),
    ONE(crossing_vertex, NULL, RESULT, "limpet_step", "of that one, index into the vertex arrays; LIMPET_NONE: none"),
    ONE(elastic_rounds, NULL, RESULT, "limpet_step", "solves anew, with nonlinear elastic laws taken where the last one ended"),
    ONE(elastic_residual, "1", RESULT, "limpet_step", "momentum residual of these laws with contact, over its scale"),
    ONE(island_count, NULL, RESULT, "limpet_step", "islands with at least one constraint or contact"),
    ONE(largest_island, NULL, RESULT, "limpet_step", "velocities in the largest island"),
    ONE(immovable_contacts, NULL, RESULT, "limpet_step", "contacts left out: nothing moves them along their normal"),
    ONE(bounded_contacts, NULL, RESULT, "limpet_step", "contacts with a stiffness that start so far inside that it is bounded"),
    ONE(swallowed_pairs, NULL, RESULT, "limpet_step", "pairs of pressure fields so deep in each other that nothing pushes"),
    ONE(failed_islands, NULL, RESULT, "limpet_step", "islands that failed: their trees were held for the step"),
    ONE(pair_count, NULL, RESULT, "limpet_step", "pairs of geoms that the broad phase let through"),
    ONE(contact_count, NULL, RESULT, "limpet_step", "contact points in the problem, those near touching included"),
    ONE(touching_count, NULL, RESULT, "limpet_step", "contact points with a normal force"),
    ONE(constraint_count, NULL, RESULT, "limpet_step", "scalar rows: limits, dry friction, couplers, loops, actuators"),
    ONE(clamped_controls, NULL, 0, "limpet_step", "controls outside their range, which act as its end"),
    CHOICE(bad_input, 0, "limpet_step", "bad input: the array that is not finite"),
    ONE(bad_input_index, NULL, 0, "limpet_step", "bad input: the entry in it"),
    ONE(arena_growth, NULL, 0, "limpet_step", "times that memory had to grow, since create"),
    ONE(arena_peak, "bytes", 0, "limpet_step", "most that a step took"),
    INSIDE(stage_time, "7", "s", RESULT | CLOCK, "limpet_step", "only with settings.profile"),
    ONE(loop_gap, "m", RESULT, "limpet_step", "widest gap of a connect, weld or distance at the start of the step"),
    ONE(loop_turn, "rad", RESULT, "limpet_step", "largest turn of the frames of a weld from each other, likewise"),
    ONE(coupler_error, "m, rad", RESULT, "limpet_step", "largest error of a coupler at the start of the step"),
    ONE(deepest_penetration, "m", RESULT, "limpet_step", "largest -distance of a contact at the start of the step"),
    ONE(largest_stiction_speed, "m/s", RESULT, "limpet_step", "fastest creep of sticking contacts"),
    ONE(flight_error, "1", RESULT, "limpet_step", "energy error of flight over its kinetic energy, worst tree"),
    ONE(overlap_made, "m", RESULT, "limpet_step", "by which a pair's deepest contact is deeper than one step ago, most"),
    ONE(overlap_contact, NULL, RESULT, "limpet_step", "that contact, index into the contact arrays; LIMPET_NONE: none"),
    ONE(surface_error, "1", RESULT, "limpet_step", "of force and area of the worst one, over the sum of its pressures"),
    ONE(surface_contact, NULL, RESULT, "limpet_step", "a contact of that one, index into the contact arrays; LIMPET_NONE: none"),
    ONE(surface_missing, "N", RESULT, "limpet_step", "by which sums of pressures may be off, added up"),
    ONE(friction_departure, "1", RESULT, "limpet_step", "of the worst contact: outside its cone, or short in sliding"),
    ONE(friction_contact, NULL, RESULT, "limpet_step", "that contact, index into the contact arrays; LIMPET_NONE: none"),
    ONE(friction_outside, "1", RESULT, "limpet_step", "largest |f_t|/(mu f_n) - 1 of contacts that carry"),
    ONE(friction_missing, "1", RESULT, "limpet_step", "of mu f_n of all sliding contacts: what friction they lack"),
    ONE(friction_sliding, "N", RESULT, "limpet_step", "mu f_n, summed over sliding contacts"),
    ONE(friction_loose, "N", RESULT, "limpet_step", "friction of contacts without normal force, summed"),
    ONE(friction_total, "N", RESULT, "limpet_step", "friction of all contacts, summed"),
    ONE(kinetic_energy, "J", RESULT, "limpet_step", "of all bodies; 0 without settings.energy"),
    ONE(potential_energy, "J", RESULT, "limpet_step", "gravity and springs; 0 without settings.energy"),
    ONE(contact_energy, "J", RESULT, "limpet_step", "in contacts of given stiffness, and what rebounds may give back; 0 without settings.energy"),
    ONE(constraint_energy, "J", RESULT, "limpet_step", "in limits, loops of given impedance; 0 without settings.energy"),
    ONE(return_work, "J", RESULT, "limpet_step", "by what led back that began apart or inside: docs/log.md"),
    ONE(energy_rise, "J", RESULT, "limpet_step", "of the four, that no work put in; NaN: not looked at"),
    ONE(momentum_gained, "N s", RESULT, "limpet_step", "linear"),
    ONE(angular_momentum_gained, "N m s", RESULT, "limpet_step", "about the centre of mass of the tree"),
};

#undef RECORD
#define RECORD limpet_data
static const limpet_field data_fields[] = {
    ONE(model, NULL, 0, NULL, "of the world"),
    ONE(time, "s", STATE, NULL, "of the world"),
    ARRAY(q, "nq", "m, rad, -", STATE, NULL, "coordinates"),
    ARRAY(v, "nv", "m/s, rad/s", STATE, NULL, "velocities"),
    ARRAY(activation, "na", NULL, STATE, NULL, "states of actuators that have one"),
    ARRAY(warm_start, "nv", "m/s, rad/s", STATE, NULL, "change of v in the last step"),
    ARRAY(tree_held, "tree_count", NULL, STATE, NULL, "impulses on the tree: 0 none, 1 of its own, 2 of others"),
    ARRAY(tree_jammed, "tree_count", NULL, STATE, NULL, "1: its limits pressed and did not come back, else 0"),
    ARRAY(mocap_position, "mocap_count x 3", "m", STATE, NULL, "in the world frame"),
    ARRAY(mocap_quaternion, "mocap_count x 4", NULL, STATE, NULL, "body axes to the world frame"),
    ARRAY(anchor, "options.anchor_count x " LIMPET_FIELD_DIGITS(LIMPET_ANCHOR_SIZE), NULL, STATE | PACKED, NULL, "what contacts carry: LIMPET_ANCHOR_SIZE"),
    ARRAY(vertex_position, "vertex_count x 3", "m", STATE, "limpet_step", "of deformable bodies, in the world frame"),
    ARRAY(vertex_velocity, "vertex_count x 3", "m/s", STATE, "limpet_step", "of deformable bodies, in the world frame"),
    ARRAY(history, "history_count", NULL, STATE, "limpet_step", "what delays remember: times [s] and values"),
    ARRAY(control, "nu", NULL, 0, NULL, "in units of the actuators"),
    ARRAY(applied_force, "nv", "N, N m", 0, NULL, "generalised"),
    ARRAY(applied_wrench, "body_count x 6", "N m, N", 0, NULL, "about the centre of mass, world axes"),
    ARRAY(body_position, "body_count x 3", "m", 0, "limpet_kinematics", "in the world frame"),
    ARRAY(body_quaternion, "body_count x 4", NULL, 0, "limpet_kinematics", "body axes to the world frame"),
    ARRAY(body_rotation, "body_count x 9", NULL, 0, "limpet_kinematics", "row-major matrix of body_quaternion"),
    ARRAY(body_com, "body_count x 3", "m", 0, "limpet_kinematics", "in the world frame"),
    ARRAY(tree_origin, "tree_count x 3", "m", 0, "limpet_kinematics", "centre of mass of the tree's first body, in the world frame"),
    ARRAY(body_inertia, "body_count x 10", "kg, kg m, kg m^2", 0, "limpet_kinematics", "in the world frame: m, m c, xx yy zz xy xz yz"),
    ARRAY(dof_axis, "nv x 6", "1 or 1/m, m or 1", 0, "limpet_kinematics", "motion per unit of velocity"),
    ARRAY(tendon_row, "tendon_dof_count", "m, m/rad", 0, "limpet_kinematics", "d length / d velocity tendon_dof"),
    ARRAY(geom_position, "geom_count x 3", "m", 0, "limpet_geom_kinematics", "in the world frame"),
    ARRAY(geom_rotation, "geom_count x 9", NULL, 0, "limpet_geom_kinematics", "row-major, geom axes to the world frame"),
    ARRAY(body_velocity, "body_count x 6", "rad/s, m/s", 0, "limpet_velocity_kinematics", "about the tree origin"),
    ARRAY(dof_axis_rate, "nv x 6", "rad/s, m/s", 0, "limpet_velocity_kinematics", "change of dof_axis due to the velocities"),
    ARRAY(mass_matrix, "mass_size", "kg, kg m, kg m^2", 0, "limpet_mass_matrix", "dense row-major block of each tree"),
    ARRAY(bias, "nv", "N, N m", 0, "limpet_bias", "M vdot + bias = forces"),
    ARRAY(spring_force, "nv", "N, N m", 0, "limpet_passive_forces", "of joints and tendons"),
    ARRAY(damper_force, "nv", "N, N m", 0, "limpet_passive_forces", "of joints and tendons"),
    ARRAY(gravity_compensation_force, "nv", "N, N m", 0, "limpet_passive_forces", "at centres of mass"),
    ARRAY(fluid_force, "nv", "N, N m", 0, "limpet_passive_forces", "of the medium"),
    ARRAY(passive_force, "nv", "N, N m", 0, "limpet_passive_forces", "sum of the four, without compensation by actuators"),
    ARRAY(tendon_length, "tendon_count", "m, or as its coefficients", 0, "limpet_tendon_kinematics", "of the tendon"),
    ARRAY(tendon_velocity, "tendon_count", "m/s, or as its coefficients", 0, "limpet_tendon_kinematics", "rate of length"),
    ARRAY(actuator_length, "actuator_count", "m or rad", 0, "limpet_actuation", "of the transmission"),
    ARRAY(actuator_velocity, "actuator_count", "m/s or rad/s", 0, "limpet_actuation", "of the transmission"),
    ARRAY(actuator_force, "actuator_count", "N, N m", 0, "limpet_actuation", "after a step: mean over the step"),
    ARRAY(activation_rate, "na", "unit of the activation, per second", 0, "limpet_actuation", "of the activations"),
    ARRAY(actuator_joint_force, "nv", "N, N m", 0, "limpet_actuation", "generalised, of all actuators"),
    ARRAY(acceleration, "nv", "m/s^2, rad/s^2", 0, "limpet_forward_dynamics", "without constraints"),
    ARRAY(sensor, "nsensor", "by sensor", 0, "limpet_sensors_evaluate", "values of sensor i from sensor_address[i]"),
    ONE(contact_count, NULL, 0, "limpet_step", "of the arrays below"),
    ARRAY(contact_geom, "contact_count x 2", NULL, STEP, "limpet_step", "A, B"),
    ARRAY(contact_feature, "contact_count", NULL, STEP, "limpet_step", "the same while the same features touch"),
    ARRAY(contact_position, "contact_count x 3", "m", STEP, "limpet_step", "where force acts, in the world frame"),
    ARRAY(contact_frame, "contact_count x 9", NULL, STEP, "limpet_step", "rows t1, t2, n in the world frame; n from A to B"),
    ARRAY(contact_distance, "contact_count", "m", STEP, "limpet_step", "negative inside"),
    ARRAY(contact_velocity, "contact_count x 3", "m/s", STEP, "limpet_step", "of B relative to A, end of the step"),
    ARRAY(contact_force, "contact_count x 3", "N", STEP, "limpet_step", "on B, contact frame, mean over the step"),
    ARRAY(contact_torsion, "contact_count", "N m", STEP, "limpet_step", "on B about the normal, mean over the step"),
    ARRAY(contact_rolling, "contact_count x 2", "N m", STEP, "limpet_step", "on B about t1, t2, mean over the step"),
    ARRAY(contact_stiffness, "contact_count", "N/m", STEP, "limpet_step", "of the contact point"),
    ARRAY(contact_dissipation, "contact_count", "s/m", STEP, "limpet_step", "Hunt-Crossley"),
    ARRAY(contact_friction, "contact_count", "1", STEP, "limpet_step", "of this step; the larger one if anisotropic"),
    ARRAY(contact_slip_speed, "contact_count", "m/s", STEP, "limpet_step", "eps_s of regularised friction"),
    ARRAY(contact_sticks, "contact_count", NULL, STEP, "limpet_step", "has a force, and friction below 0.99 of its bound"),
    ARRAY(contact_area, "contact_count", "m^2", STEP, "limpet_step", "of a contact surface; 0: a point of two shapes"),
    ONE(surface_count, NULL, 0, "limpet_step", "of the arrays below"),
    ARRAY(surface_geom, "surface_count x 2", NULL, STEP, "limpet_step", "A, B"),
    ARRAY(surface_area, "surface_count", "m^2", STEP, "limpet_step", "where there is a normal force"),
    ARRAY(surface_force, "surface_count x 3", "N", STEP, "limpet_step", "on B, mean over the step, in the world frame"),
    ARRAY(surface_torque, "surface_count x 3", "N m", STEP, "limpet_step", "on B about surface_centre, in the world frame"),
    ARRAY(surface_centre, "surface_count x 3", "m", STEP, "limpet_step", "centre of pressure, in the world frame"),
    ARRAY(surface_deepest, "surface_count x 3", "m", STEP, "limpet_step", "where the bodies overlap most, in the world frame"),
    ARRAY(surface_depth, "surface_count", "m", STEP, "limpet_step", "there, at the start of the step"),
    ARRAY(surface_pressure, "surface_count", "Pa", STEP, "limpet_step", "largest at a point, mean over the step"),
    ARRAY(vertex_force, "vertex_count x 3", "N", 0, "limpet_step", "contacts, ties, supports, mean over the step, in the world frame"),
    ARRAY(deformable_force, "deformable_count x 3", "N", 0, "limpet_step", "of contacts on it, mean over the step, in the world frame"),
    ARRAY(deformable_energy, "deformable_count", "J", 0, "limpet_step", "elastic"),
    ARRAY(deformable_volume, "deformable_count", "m^3", 0, "limpet_step", "of its elements"),
    ARRAY(deformable_stress, "deformable_count", "Pa", 0, "limpet_step", "von Mises, largest of its elements"),
    ARRAY(deformable_inverted, "deformable_count", NULL, 0, "limpet_step", "elements with a point of negative volume"),
    ONE(constraint_count, NULL, 0, "limpet_step", "of the arrays below"),
    ARRAY(constraint_kind, "constraint_count", NULL, STEP, "limpet_step", "index into limpet_constraint_kinds() of contact.h"),
    ARRAY(constraint_target, "constraint_count", NULL, STEP, "limpet_step", "object that it belongs to, by kind"),
    ARRAY(constraint_component, "constraint_count", NULL, STEP, "limpet_step", "row of its target, by kind; else 0"),
    ARRAY(constraint_error, "constraint_count", "m, rad", STEP, "limpet_step", "limits: distance left; else 0"),
    ARRAY(constraint_force, "constraint_count", "N, N m", STEP, "limpet_step", "mean over the step"),
    ARRAY(constraint_joint_force, "nv", "N, N m", 0, "limpet_step", "of contacts and constraints"),
    STRUCT(info, limpet_step_info_fields, 0, "limpet_step", "of the last step"),
    ONE(step_count, NULL, 0, "limpet_step", "steps since create or reset"),
    INSIDE(warning_count, "9", NULL, 0, "limpet_step", "steps by outcome since create or reset"),
    ONE(clamped_count, NULL, 0, "limpet_step", "controls clamped in a step, since create or reset"),
    ONE(workspace, NULL, 0, NULL, "what only the library sees"),
};
// clang-format on

static const limpet_field_table info_table = LIMPET_FIELD_TABLE(limpet_step_info, info_fields);
static const limpet_field_table data_table = LIMPET_FIELD_TABLE(limpet_data, data_fields);

const limpet_field_table *limpet_step_info_fields(void) { return &info_table; }
const limpet_field_table *limpet_data_fields(void) { return &data_table; }

size_t limpet_data_field_count(const limpet_data *data, const limpet_field *field) {
  assert(data && field);
  const limpet_field_scope scope[] = {{&data_table, data}, {limpet_model_fields(), data->model}};
  return limpet_field_count(field, scope, 2);
}

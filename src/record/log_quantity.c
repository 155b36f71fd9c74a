/* record/log_quantity.c: the table of what a log records: one line for each dataset. docs/log.md
 * shows it. */
#include <string.h>

#include "record/log.h"

static void contact_end(void *rows, const limpet_log *log, const limpet_data *data);

static void contact_normal(void *rows, const limpet_log *log, const limpet_data *data) {
  (void)log;
  double *normal = rows;
  for (int i = 0; i < data->contact_count; ++i)
    memcpy(&normal[3 * i], &data->contact_frame[9 * i + 6], 3 * sizeof(double));
}

// World axes from the contact frame.
static void to_world(double *world, const limpet_data *data, const double *local) {
  for (int i = 0; i < data->contact_count; ++i) {
    const double *frame = &data->contact_frame[9 * i], *x = &local[3 * i];
    for (int k = 0; k < 3; ++k)
      world[3 * i + k] = x[0] * frame[k] + x[1] * frame[3 + k] + x[2] * frame[6 + k];
  }
}

static void contact_velocity(void *rows, const limpet_log *log, const limpet_data *data) {
  (void)log;
  to_world(rows, data, data->contact_velocity);
}

static void contact_force(void *rows, const limpet_log *log, const limpet_data *data) {
  (void)log;
  to_world(rows, data, data->contact_force);
}

#define VALUE(member) LIMPET_LOG_VALUE, offsetof(limpet_data, member), NULL
#define ARRAY(member) LIMPET_LOG_ARRAY, offsetof(limpet_data, member), NULL
#define POSE(member) LIMPET_LOG_POSE, offsetof(limpet_data, member), NULL
#define COMPUTED(function) LIMPET_LOG_COMPUTED, 0, function
#define REAL_PER_RECORD LIMPET_LOG_RECORD, LIMPET_LOG_F8
#define WHOLE_PER_RECORD LIMPET_LOG_RECORD, LIMPET_LOG_I4, LIMPET_LOG_ONE, 0

// clang-format off
const limpet_log_quantity limpet_log_quantities[] = {
    {"time", "s", "time at the end of the step", REAL_PER_RECORD, LIMPET_LOG_ONE, 0, VALUE(time)},
    {"step", "1", "number of the step; 0: the start", LIMPET_LOG_RECORD, LIMPET_LOG_I8, LIMPET_LOG_ONE, 0, VALUE(step_count)},
    {"q", "m, rad or 1, by joint", "coordinates", REAL_PER_RECORD, LIMPET_LOG_NQ, 0, ARRAY(q)},
    {"v", "m/s or rad/s, by joint", "velocities", REAL_PER_RECORD, LIMPET_LOG_NV, 0, ARRAY(v)},
    {"activation", "by actuator", "activation states", REAL_PER_RECORD, LIMPET_LOG_NA, 0, ARRAY(activation)},
    {"control", "by actuator", "controls during the step", REAL_PER_RECORD, LIMPET_LOG_NU, 0, ARRAY(control)},
    {"actuator_force", "N or N m, by actuator", "forces of the actuators, mean over the step", REAL_PER_RECORD, LIMPET_LOG_NU, 0, ARRAY(actuator_force)},
    {"sensor", "by sensor", "values of the sensors at the start of the step, with the accelerations and forces of the step", REAL_PER_RECORD, LIMPET_LOG_SENSORS, 0, ARRAY(sensor)},
    {"body_position", "m", "body origins in the world", REAL_PER_RECORD, LIMPET_LOG_BODIES, 3, POSE(body_position)},
    {"body_quaternion", "1", "body orientations (w, x, y, z), body axes to world axes", REAL_PER_RECORD, LIMPET_LOG_BODIES, 4, POSE(body_quaternion)},

    {"contact_begin", "1", "contacts of record i are the rows contact_begin[i] to contact_begin[i + 1] - 1 of contact/*", LIMPET_LOG_RECORD_END, LIMPET_LOG_I8, LIMPET_LOG_ONE, 0, COMPUTED(contact_end)},
    {"contact/geom", "1", "geoms A and B, indices into names/geom", LIMPET_LOG_CONTACT, LIMPET_LOG_I4, LIMPET_LOG_ONE, 2, ARRAY(contact_geom)},
    {"contact/position", "m", "where the force acts, world, start of the step", LIMPET_LOG_CONTACT, LIMPET_LOG_F8, LIMPET_LOG_ONE, 3, ARRAY(contact_position)},
    {"contact/normal", "1", "from A to B, world", LIMPET_LOG_CONTACT, LIMPET_LOG_F8, LIMPET_LOG_ONE, 3, COMPUTED(contact_normal)},
    {"contact/distance", "m", "signed distance, negative inside, start of the step", LIMPET_LOG_CONTACT, LIMPET_LOG_F8, LIMPET_LOG_ONE, 0, ARRAY(contact_distance)},
    {"contact/velocity", "m/s", "B relative to A where the force acts, world, end of the step", LIMPET_LOG_CONTACT, LIMPET_LOG_F8, LIMPET_LOG_ONE, 3, COMPUTED(contact_velocity)},
    {"contact/slip_speed", "m/s", "slip speed below which friction was regularised", LIMPET_LOG_CONTACT, LIMPET_LOG_F8, LIMPET_LOG_ONE, 0, ARRAY(contact_slip_speed)},
    {"contact/force", "N", "force on B, world, mean over the step", LIMPET_LOG_CONTACT, LIMPET_LOG_F8, LIMPET_LOG_ONE, 3, COMPUTED(contact_force)},
    {"contact/torsion", "N m", "torque on B about the normal, mean over the step; rigid contact models", LIMPET_LOG_CONTACT, LIMPET_LOG_F8, LIMPET_LOG_ONE, 0, ARRAY(contact_torsion)},

    {"info/outcome", "1", "0 solved, 1 iteration limit, 2 infeasible, 3 numerical failure, 4 out of memory, 5 bad input", WHOLE_PER_RECORD, VALUE(info.outcome)},
    {"info/iterations", "1", "Newton iterations, most over islands", WHOLE_PER_RECORD, VALUE(info.iterations)},
    {"info/iterations_total", "1", "Newton iterations, sum over islands", WHOLE_PER_RECORD, VALUE(info.iterations_total)},
    {"info/line_search_evaluations", "1", "evaluations of the line search, sum over islands", WHOLE_PER_RECORD, VALUE(info.line_search_evaluations)},
    {"info/factorizations", "1", "factorisations, sum over islands", WHOLE_PER_RECORD, VALUE(info.factorizations)},
    {"info/residual", "1", "momentum residual over momentum scale, worst island", REAL_PER_RECORD, LIMPET_LOG_ONE, 0, VALUE(info.residual)},
    {"info/condition_number", "1", "of the Hessian, worst island; 0 unless asked for", REAL_PER_RECORD, LIMPET_LOG_ONE, 0, VALUE(info.condition_number)},
    {"info/cost", "J", "objective at the solution, sum over islands", REAL_PER_RECORD, LIMPET_LOG_ONE, 0, VALUE(info.cost)},
    {"info/island_count", "1", "islands with a constraint or contact", WHOLE_PER_RECORD, VALUE(info.island_count)},
    {"info/largest_island", "1", "velocities in the largest island", WHOLE_PER_RECORD, VALUE(info.largest_island)},
    {"info/pair_count", "1", "pairs of geoms after the broad phase", WHOLE_PER_RECORD, VALUE(info.pair_count)},
    {"info/contact_count", "1", "contact points in the problem", WHOLE_PER_RECORD, VALUE(info.contact_count)},
    {"info/touching_count", "1", "contact points with a normal force", WHOLE_PER_RECORD, VALUE(info.touching_count)},
    {"info/constraint_count", "1", "scalar constraint rows", WHOLE_PER_RECORD, VALUE(info.constraint_count)},
    {"info/loop_gap", "m", "widest gap of a connect, weld or distance, start of the step", REAL_PER_RECORD, LIMPET_LOG_ONE, 0, VALUE(info.loop_gap)},
    {"info/deepest_penetration", "m", "largest -distance of a contact, start of the step", REAL_PER_RECORD, LIMPET_LOG_ONE, 0, VALUE(info.deepest_penetration)},
    {"info/largest_stiction_speed", "m/s", "fastest creep among sticking contacts", REAL_PER_RECORD, LIMPET_LOG_ONE, 0, VALUE(info.largest_stiction_speed)},
    {"info/kinetic_energy", "J", "end of the step; 0 without the setting energy", REAL_PER_RECORD, LIMPET_LOG_ONE, 0, VALUE(info.kinetic_energy)},
    {"info/potential_energy", "J", "gravity and springs, end of the step; 0 without the setting energy", REAL_PER_RECORD, LIMPET_LOG_ONE, 0, VALUE(info.potential_energy)},
    {"info/contact_energy", "J", "stored in contacts, end of the step; 0 without the setting energy", REAL_PER_RECORD, LIMPET_LOG_ONE, 0, VALUE(info.contact_energy)},
    {"info/stage_time", "s", "time of the stages of the step; only where asked for", REAL_PER_RECORD, LIMPET_LOG_STAGES, 0, VALUE(info.stage_time)},

    {"every_step/time", "s", "time at the end of every step", LIMPET_LOG_STEP, LIMPET_LOG_F8, LIMPET_LOG_ONE, 0, VALUE(time)},
    {"every_step/control", "by actuator", "controls during every step", LIMPET_LOG_STEP, LIMPET_LOG_F8, LIMPET_LOG_NU, 0, ARRAY(control)},
};
// clang-format on

const int limpet_log_quantity_count =
    (int)(sizeof limpet_log_quantities / sizeof limpet_log_quantities[0]);

// rows of contact/geom so far, which are appended after this one
static void contact_end(void *rows, const limpet_log *log, const limpet_data *data) {
  int64_t end = data->contact_count;
  for (int c = 0; c < log->column_count; ++c) {
    if (log->column[c].quantity->axis != LIMPET_LOG_CONTACT) continue;
    end += (int64_t)log->column[c].total;
    break;
  }
  memcpy(rows, &end, sizeof end);
}

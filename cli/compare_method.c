/* cli/compare_method.c: one method of a comparison: its world, its steps, and what is measured of
 * them.
 *
 * Contacts with phi0 (distance at the start of the step, negative inside), normal force f_n,
 * velocity (v_t, v_n) at its end:
 *   penetration       max(0, -phi0); slip: |v_t| where the contact sticks: both in the last half of
 *                     the run, when impacts are mostly over
 *   gliding distance  max(0, phi0 + dt v_n) where f_n > 0 and the contact slides: a law that
 *                     couples normal force and slip holds a sliding contact at mu dt |v_t|
 *                     (Similar) or mu (dt + tau_d) |v_t| (SAP) above the surface (Castro, Han,
 *                     Masterjohn, Irrotational Contact Fields, table I)
 * The rise of energy in a step is that of info.energy_rise (step/report_energy.c of the library):
 * what no work put in.
 *
 * Time of a step is the sum of its stages: energies, measures and replay are no part of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

const limpet_compare_row limpet_compare_rows[LIMPET_COMPARE_ROW_COUNT] = {
#define FIELD(name) offsetof(limpet_method_result, name)
    {"penetration_deepest", "penetration, deepest", "m",
     "of all contacts, in the last half of the run", FIELD(penetration_deepest)},
    {"penetration_mean", "penetration, mean", "m",
     "over contacts with a normal force and steps, in the last half", FIELD(penetration_mean)},
    {"slip_fastest", "slip in stiction, fastest", "m/s",
     "of contacts that stick, in the last half of the run", FIELD(slip_fastest)},
    {"slip_mean", "slip in stiction, mean", "m/s",
     "over contacts that stick and steps, in the last half", FIELD(slip_mean)},
    {"gliding_distance", "gliding distance", "m",
     "largest gap of a contact that slides and still has a normal force", FIELD(gliding_distance)},
    {"energy_end", "energy at the end", "J", "kinetic and potential (gravity, springs)",
     FIELD(energy_end)},
    {"energy_rise", "energy, largest rise", "J",
     "in one step, without the work of actuators; soft contacts push back", FIELD(energy_rise)},
    {"iterations_mean", "Newton iterations, mean", "1", "of the hardest island of each step",
     FIELD(iterations_mean)},
    {"iterations_worst", "Newton iterations, worst", "1", "of any step", FIELD(iterations_worst)},
    {"unsolved_steps", "steps not solved", "1", "steps that missed the tolerance or failed",
     FIELD(unsolved_steps)},
    {"step_time_median", "time of a step, median", "s",
     "wall time, methods taking turns every few steps", FIELD(step_time_median)},
    {"step_time_least", "time of a step, least", "s", "of any step", FIELD(step_time_least)},
    {"position_difference", "body farthest away", "m",
     "distance at the end of a centre of mass, or of a soft body's vertex, from that of the first",
     FIELD(position_difference)},
    {"rotation_difference", "body turned most", "rad",
     "angle at the end of a body against that of the first method", FIELD(rotation_difference)},
#undef FIELD
};

double limpet_compare_value(const limpet_compare_row *row, const limpet_method_result *result) {
  double value;
  memcpy(&value, (const char *)result + row->offset, sizeof value);
  return value;
}

// -------------------------------------------------------------------------------- open, close

int limpet_method_open(limpet_comparison *comparison, limpet_method *method) {
  enum { SAMPLE_LIMIT = 1000000 };
  const limpet_model *model = comparison->model;
  const int64_t steps = comparison->step_count;
  limpet_measures *measures = &method->measures;
  measures->half = steps / 2;
  measures->energy = comparison->energy_start;
  measures->stride = 1 + steps / SAMPLE_LIMIT;
  measures->step_time = calloc((size_t)(steps / measures->stride + 1), sizeof *measures->step_time);
  if (!measures->step_time) {
    limpet_complain("%s: not enough memory to compare on this model", comparison->path);
    return LIMPET_EXIT_SIMULATION;
  }
  method->controls = comparison->controls;
  method->settings.energy = true;
  method->settings.profile = true;
  if (!comparison->options->html) return LIMPET_OPTIONS_GO;
  method->replay =
      limpet_replay_open(model, comparison->path, &method->settings, comparison->method_count);
  if (!method->replay) return LIMPET_EXIT_INPUT;
  limpet_replay_append(method->replay, model, method->data);
  return LIMPET_OPTIONS_GO;
}

void limpet_method_close(limpet_method *method) {
  limpet_replay_destroy(method->replay);
  limpet_controller_destroy(method->controller);
  if (method->data) limpet_data_destroy(method->data);
  free(method->measures.step_time);
}

// ---------------------------------------------------------------------------------- measuring

static void contacts_measure(limpet_measures *measures, const limpet_data *data, double dt,
                             bool late) {
  for (int i = 0; i < data->contact_count; ++i) {
    const double *v = data->contact_velocity + 3 * i, phi0 = data->contact_distance[i];
    const bool carries = data->contact_force[3 * i + 2] > 0.0, sticks = data->contact_sticks[i];
    const double depth = fmax(0.0, -phi0), slip = hypot(v[0], v[1]);
    if (late) measures->penetration = fmax(measures->penetration, depth);
    if (late && carries) {
      measures->penetration_sum += depth;
      ++measures->carrying_count;
    }
    if (late && sticks) {
      measures->slip = fmax(measures->slip, slip);
      measures->slip_sum += slip;
      ++measures->sticking_count;
    }
    if (carries && !sticks) {
      measures->gliding = fmax(measures->gliding, phi0 + dt * v[2]);
      ++measures->sliding_count;
    }
  }
}

static void energy_measure(limpet_measures *measures, const limpet_step_info *info) {
  measures->energy = info->kinetic_energy + info->potential_energy;
  measures->energy_rise = fmax(measures->energy_rise, info->energy_rise);
}

static void step_measure(limpet_measures *measures, const limpet_data *data, double dt) {
  const limpet_step_info *info = &data->info;
  double time = 0.0;
  for (int i = 0; i < LIMPET_STAGE_COUNT; ++i) time += info->stage_time[i];
  if (measures->steps % measures->stride == 0) measures->step_time[measures->sample_count++] = time;
  contacts_measure(measures, data, dt, measures->steps >= measures->half);
  energy_measure(measures, info);
  measures->iterations += info->iterations;
  if (info->iterations > measures->iterations_most) measures->iterations_most = info->iterations;
  ++measures->steps;
}

bool limpet_method_step(const limpet_comparison *comparison, limpet_method *method) {
  const limpet_model *model = comparison->model;
  limpet_data *data = method->data;
  limpet_measures *measures = &method->measures;
  if (method->stopped) return true;
  limpet_controls_apply(&method->controls, data->time, data->control);
  if (method->controller)
    limpet_controller_update(method->controller, model, data, method->settings.time_step);
  const limpet_outcome outcome = limpet_step(model, data, &method->settings);
  measures->unsolved += outcome != LIMPET_OUTCOME_SOLVED;
  limpet_warnings_add(&measures->warnings, data);
  if (limpet_outcome_failed(outcome)) {
    limpet_complain("%s: stopped at %.9g s, in step %lld: %s", method->name, data->time,
                    (long long)measures->steps + 1, limpet_outcome_word(outcome));
    method->stopped = true;
    return true;
  }
  step_measure(measures, data, method->settings.time_step);
  if (!method->replay || limpet_replay_append(method->replay, model, data) == LIMPET_OK)
    return true;
  limpet_complain("--html: not enough memory for the replay");
  return false;
}

// ------------------------------------------------------------------------------------ the end

static int compare_doubles(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return a < b ? -1 : a > b;
}

static void times_end(const limpet_measures *measures, limpet_method_result *result) {
  const int64_t count = measures->sample_count;
  double *time = measures->step_time;
  result->step_time_median = result->step_time_least = NAN;
  if (count == 0) return;
  qsort(time, (size_t)count, sizeof *time, compare_doubles);
  result->step_time_least = time[0];
  result->step_time_median = 0.5 * (time[(count - 1) / 2] + time[count / 2]);
}

// Angle [rad] between two orientations, unit quaternions: 2 atan2(|vector part|, scalar part) of
// conj(a) b.
static double angle_between(const double a[4], const double b[4]) {
  const double scalar = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const double x = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2];
  const double y = a[0] * b[2] + a[1] * b[3] - a[2] * b[0] - a[3] * b[1];
  const double z = a[0] * b[3] - a[1] * b[2] + a[2] * b[1] - a[3] * b[0];
  return 2.0 * atan2(sqrt(x * x + y * y + z * z), fabs(scalar));
}

static void difference_end(const limpet_model *model, const limpet_method *method,
                           const limpet_method *first, limpet_method_result *result) {
  result->position_difference = result->rotation_difference = NAN;
  if (method == first || method->stopped || first->stopped) return;  // not at the same time
  result->position_difference = result->rotation_difference = 0.0;
  limpet_kinematics(model, method->data);
  limpet_kinematics(model, first->data);
  for (int b = 1; b < model->body_count; ++b) {
    const double *x = method->data->body_com + 3 * b, *y = first->data->body_com + 3 * b;
    const double distance = hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]);
    const double angle =
        angle_between(method->data->body_quaternion + 4 * b, first->data->body_quaternion + 4 * b);
    result->position_difference = fmax(result->position_difference, distance);
    result->rotation_difference = fmax(result->rotation_difference, angle);
  }
  for (int v = 0; v < model->vertex_count; ++v) {
    const double *x = method->data->vertex_position + 3 * v,
                 *y = first->data->vertex_position + 3 * v;
    const double distance = hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]);
    result->position_difference = fmax(result->position_difference, distance);
  }
}

void limpet_method_end(const limpet_comparison *comparison, limpet_method *method,
                       const limpet_method *first) {
  const limpet_measures *m = &method->measures;
  limpet_method_result *result = &method->result;
  *result = (limpet_method_result){
      .penetration_deepest = m->carrying_count ? m->penetration : NAN,
      .penetration_mean = m->carrying_count ? m->penetration_sum / (double)m->carrying_count : NAN,
      .slip_fastest = m->sticking_count ? m->slip : NAN,
      .slip_mean = m->sticking_count ? m->slip_sum / (double)m->sticking_count : NAN,
      .gliding_distance = m->sliding_count ? m->gliding : NAN,
      .energy_end = m->energy,
      .energy_rise = m->energy_rise,
      .iterations_mean = m->steps ? (double)m->iterations / (double)m->steps : NAN,
      .iterations_worst = m->steps ? (double)m->iterations_most : NAN,
      .unsolved_steps = (double)m->unsolved,
  };
  times_end(m, result);
  difference_end(comparison->model, method, first, result);
}

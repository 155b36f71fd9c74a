/* control/plan_term_joint.c: cost terms of joints and actuators.
 *
 *   joint-position  r = q - target            joints of one coordinate  [m, rad]
 *   joint-velocity  r = v - target            all velocities of joints  [m/s, rad/s]
 *   control         r = u - target            [unit of the control]
 *   effort          r = f - target, f = (g0 + g1 l + g2 l') u + b0 + b1 l + b2 l'   [N, N m]
 * l, l': length and velocity of the actuator. Where f is cut off by its range it does not change.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/drive.h"
#include "control/joints.h"
#include "control/plan_term.h"
#include "dynamics/actuator_law.h"
#include "limpet/dynamics.h"

// Names of the list `key`, or all of the kind where it is absent, into `chosen` (count), by malloc.
static bool names_read(const limpet_model *model, const limpet_json *object, const char *key,
                       limpet_object kind, int **chosen, int *count) {
  limpet_json list;
  const int all = limpet_model_count(model, kind);
  const bool given = limpet_json_member(&list, object, key);
  if (given && !limpet_json_array(&list, object, key, (size_t)all)) return false;
  *count = given ? (int)json_array_size(list.value) : all;
  if (*count == 0) return limpet_json_fail(object, "the model has no %s", limpet_object_word(kind));
  *chosen = calloc((size_t)*count, sizeof **chosen);
  if (!*chosen) return limpet_json_fail(object, "no memory");
  for (int i = 0; i < *count; ++i) {
    (*chosen)[i] = i;
    if (!given) continue;
    const limpet_json name = limpet_json_element(&list, (size_t)i);
    if (!limpet_json_find(&name, model, kind, &(*chosen)[i])) return false;
  }
  return true;
}

static bool rows_read(limpet_plan_term *term, const limpet_json *object, int rows) {
  return limpet_plan_term_rows(term, rows, true) || limpet_json_fail(object, "no memory");
}

static bool target_read(limpet_plan_term *term, const limpet_json *object) {
  const double zero = 0.0;
  limpet_json member;
  for (int i = 0; i < term->rows; ++i) term->target[i] = zero;
  return !limpet_json_member(&member, object, "target") ||
         limpet_json_numbers(object, "target", term->rows, NULL, term->target);
}

// ------------------------------------------------------------------------------------ joints

// The joints of the term; without "joints" all that have one coordinate, or all there are.
static bool joint_position_read(limpet_plan_term *term, const limpet_model *model,
                                const limpet_json *object) {
  int *joint = NULL, count = 0, rows = 0;
  limpet_json member;
  const bool given = limpet_json_member(&member, object, "joints");
  if (!names_read(model, object, "joints", LIMPET_OBJECT_JOINT, &joint, &count)) {
    free(joint);
    return false;
  }
  for (int i = 0; i < count; ++i) {
    if (limpet_joint_kind_nv(model->joint_kind[joint[i]]) == 1) joint[rows++] = joint[i];
    else if (given) {
      char label[160];
      limpet_json_fail(&member,
                       "joint %s has more than one coordinate; use the kinds position and "
                       "orientation of its body",
                       limpet_joint_label(label, sizeof label, model, joint[i]));
      free(joint);
      return false;
    }
  }
  const bool made = rows > 0 ? rows_read(term, object, rows)
                             : limpet_json_fail(object, "no joint has one coordinate alone");
  for (int i = 0; made && i < rows; ++i) term->list[i] = joint[i];
  free(joint);
  return made && target_read(term, object);
}

static void joint_position_evaluate(const limpet_plan_term *term, limpet_plan_evaluation *at) {
  for (int i = 0; i < term->rows; ++i) {
    const int joint = term->list[i];
    at->r[i] = at->data->q[at->model->joint_q[joint]] - term->target[i];
    if (at->J) at->J[i * at->n + at->model->joint_v[joint]] = 1.0;
  }
}

static const char *const joint_keys[] = {"joints", "target", NULL};

const limpet_plan_term_kind limpet_plan_term_joint_position = {
    .descriptor = {.name = "joint-position",
                   .text = "Coordinates of `joints` (all that have one) [m, rad] less `target`.",
                   .reference = "docs/trajectory-optimisation.md"},
    .keys = joint_keys,
    .read = joint_position_read,
    .evaluate = joint_position_evaluate};

static bool joint_velocity_read(limpet_plan_term *term, const limpet_model *model,
                                const limpet_json *object) {
  int *joint = NULL, count = 0, rows = 0;
  bool made = names_read(model, object, "joints", LIMPET_OBJECT_JOINT, &joint, &count);
  for (int i = 0; made && i < count; ++i) rows += limpet_joint_kind_nv(model->joint_kind[joint[i]]);
  made = made && rows_read(term, object, rows);
  for (int i = 0, row = 0; made && i < count; ++i)
    for (int k = 0; k < limpet_joint_kind_nv(model->joint_kind[joint[i]]); ++k)
      term->list[row++] = model->joint_v[joint[i]] + k;
  free(joint);
  return made && target_read(term, object);
}

static void joint_velocity_evaluate(const limpet_plan_term *term, limpet_plan_evaluation *at) {
  for (int i = 0; i < term->rows; ++i) {
    at->r[i] = at->data->v[term->list[i]] - term->target[i];
    if (at->J) at->J[i * at->n + at->model->nv + term->list[i]] = 1.0;
  }
}

const limpet_plan_term_kind limpet_plan_term_joint_velocity = {
    .descriptor = {.name = "joint-velocity",
                   .text = "Velocities of `joints` (all), of a free joint six [m/s, rad/s], less "
                           "`target`.",
                   .reference = "docs/trajectory-optimisation.md"},
    .keys = joint_keys,
    .read = joint_velocity_read,
    .evaluate = joint_velocity_evaluate};

// --------------------------------------------------------------------------------- actuators

static bool actuators_read(limpet_plan_term *term, const limpet_model *model,
                           const limpet_json *object) {
  int *actuator = NULL, count = 0;
  const bool made =
      names_read(model, object, "actuators", LIMPET_OBJECT_ACTUATOR, &actuator, &count) &&
      rows_read(term, object, count);
  if (made) memcpy(term->list, actuator, (size_t)count * sizeof *actuator);
  free(actuator);
  return made && target_read(term, object);
}

static void control_evaluate(const limpet_plan_term *term, limpet_plan_evaluation *at) {
  for (int i = 0; i < term->rows; ++i) {
    at->r[i] = at->data->control[term->list[i]] - term->target[i];
    if (at->Ju) at->Ju[i * at->m + term->list[i]] = 1.0;
  }
}

static const char *const actuator_keys[] = {"actuators", "target", NULL};

const limpet_plan_term_kind limpet_plan_term_control = {
    .descriptor = {.name = "control",
                   .text = "Controls of `actuators` (all) in their units less `target`.",
                   .reference = "docs/trajectory-optimisation.md"},
    .keys = actuator_keys,
    .of_control = true,
    .read = actuators_read,
    .evaluate = control_evaluate};

static bool effort_read(limpet_plan_term *term, const limpet_model *model,
                        const limpet_json *object) {
  if (!actuators_read(term, model, object)) return false;
  for (int i = 0; i < term->rows; ++i)
    if (model->actuator_gain_law[term->list[i]] == LIMPET_ACTUATOR_MOTOR)
      return limpet_json_fail(object,
                              "names (or means) a PID controller or an electrical motor, whose "
                              "effort has no derivative here; name the other actuators");
  return true;
}

static void effort_evaluate(const limpet_plan_term *term, limpet_plan_evaluation *at) {
  const limpet_model *model = at->model;
  int *dof = (int *)(void *)(at->scratch + 6 * model->nv);
  double *row = at->scratch;
  limpet_tendon_kinematics(model, at->data);
  limpet_passive_forces(model, at->data);
  limpet_actuation(model, at->data);
  for (int i = 0; i < term->rows; ++i) {
    const int a = term->list[i];
    const double force = at->data->actuator_force[a], u = at->data->control[a],
                 length = at->data->actuator_length[a], rate = at->data->actuator_velocity[a];
    at->r[i] = force - term->target[i];
    const limpet_actuator_curve gain = limpet_actuator_gain_curve(model, a, length, rate),
                                bias = limpet_actuator_bias_curve(model, a, length, rate);
    const double *range = model->actuator_force_range + 2 * a;
    const bool cut = model->actuator_force_limited[a] && (force <= range[0] || force >= range[1]);
    if (!at->J || cut) continue;
    const int count = limpet_actuator_row(model, at->data, a, dof, row);
    for (int k = 0; k < count; ++k) {
      at->J[i * at->n + dof[k]] += (gain.by_length * u + bias.by_length) * row[k];
      at->J[i * at->n + model->nv + dof[k]] += (gain.by_velocity * u + bias.by_velocity) * row[k];
    }
    if (at->Ju) at->Ju[i * at->m + a] = gain.value;
  }
}

const limpet_plan_term_kind limpet_plan_term_effort = {
    .descriptor = {.name = "effort",
                   .text = "Forces of `actuators` (all) at the start of a knot [N, N m] less "
                           "`target`.",
                   .reference = "docs/trajectory-optimisation.md"},
    .keys = actuator_keys,
    .of_control = true,
    .read = effort_read,
    .evaluate = effort_evaluate};

/* control/plan_read_start.c: where a plan starts and what it guesses:
 *   "start": {"keyframe": NAME, "joints": {NAME: coordinate or list}, "velocities": {likewise}}
 *   "control": {"initial": "keyframe" | "gravity" | numbers, "minimum", "maximum": numbers}
 *   "guess": {"keyframe": NAME}  states on the way from the start to that pose: multiple shooting
 * "gravity": the controls with which actuators hold their joints at the start. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/drive.h"
#include "control/plan_read.h"
#include "limpet/control.h"
#include "math/quaternion.h"

static double *numbers(size_t count) { return calloc(count + 1, sizeof(double)); }

// ------------------------------------------------------------------------------------- start

// Numbers of one joint: a number, or a list as long as the joint has.
static bool joint_numbers(const limpet_json *member, int count, double *to) {
  if (count == 1 && json_is_number(member->value)) {
    *to = json_number_value(member->value);
    return isfinite(*to) || limpet_json_fail(member, "must be finite");
  }
  return limpet_json_list(member, count, to);
}

// {"joint": numbers} into coordinates or velocities.
static bool joints_read(const limpet_model *model, limpet_data *data, const limpet_json *start,
                        bool velocities) {
  limpet_json object;
  const char *key;
  json_t *value;
  if (!limpet_json_member(&object, start, velocities ? "velocities" : "joints")) return true;
  if (!json_is_object(object.value)) return limpet_json_fail(&object, "must be an object {...}");
  json_object_foreach((json_t *)object.value, key, value) {
    limpet_json member;
    int joint;
    limpet_json_member(&member, &object, key);
    json_t *name = json_string(key);
    limpet_json as_name = member;
    as_name.value = name;
    const bool found = limpet_json_find(&as_name, model, LIMPET_OBJECT_JOINT, &joint);
    json_decref(name);
    if (!found) return false;
    const limpet_joint_kind kind = model->joint_kind[joint];
    double *to = velocities ? data->v + model->joint_v[joint] : data->q + model->joint_q[joint];
    const int count = velocities ? limpet_joint_kind_nv(kind) : limpet_joint_kind_nq(kind);
    if (!joint_numbers(&member, count, to)) return false;
    const bool turns = kind == LIMPET_JOINT_FREE || kind == LIMPET_JOINT_BALL;
    if (turns && !velocities && !(limpet_quaternion_normalize(to + count - 4) > 0.0))
      return limpet_json_fail(&member, "ends with no quaternion (w, x, y, z)");
  }
  return true;
}

static bool start_read(const limpet_model *model, limpet_data *data, const limpet_json *root) {
  static const char *const keys[] = {"keyframe", "joints", "velocities", NULL};
  limpet_json start, member;
  int keyframe;
  if (!limpet_json_member(&start, root, "start")) return true;
  if (!limpet_json_keys(&start, keys)) return false;
  if (limpet_json_member(&member, &start, "keyframe")) {
    if (!limpet_json_find(&member, model, LIMPET_OBJECT_KEYFRAME, &keyframe)) return false;
    limpet_data_reset_keyframe(model, data, keyframe);
  }
  return joints_read(model, data, &start, false) && joints_read(model, data, &start, true);
}

// ---------------------------------------------------------------------------------- controls

// The joints with one coordinate whose one actuator can hold them.
static int held_joints(const limpet_model *model, int *joint) {
  int count = 0;
  for (int j = 0; j < model->joint_count; ++j)
    if (limpet_joint_kind_nv(model->joint_kind[j]) == 1 &&
        limpet_joint_actuator(model, j, NULL) != LIMPET_NONE)
      joint[count++] = j;
  return count;
}

// Controls that hold the joints against gravity and springs at the state of data.
static bool gravity_controls(const limpet_model *model, limpet_data *data, const limpet_json *json,
                             double *control) {
  const size_t count = (size_t)model->joint_count;
  int *joint = calloc(count + 1, sizeof *joint);
  double *q = numbers(count), *zero = numbers(count), *tau = numbers(count);
  const int held = joint ? held_joints(model, joint) : 0;
  limpet_error error = {0};
  limpet_inverse_dynamics *dynamics =
      held > 0 ? limpet_inverse_dynamics_create(model, held, joint, &error) : NULL;
  const bool made = dynamics && q && zero && tau;
  for (int i = 0; made && i < held; ++i) q[i] = data->q[model->joint_q[joint[i]]];
  if (made) limpet_inverse_dynamics_forces(dynamics, data, q, zero, zero, NULL, tau);
  for (int i = 0; made && i < held; ++i) {
    const int actuator = limpet_joint_actuator(model, joint[i], NULL);
    limpet_actuator_command(model, actuator, q[i], 0.0, tau[i], &control[actuator]);
  }
  limpet_inverse_dynamics_destroy(dynamics);
  free(joint), free(q), free(zero), free(tau);
  return made || limpet_json_fail(json, "no actuator can hold a joint alone; give numbers");
}

// The first control of the guess, the same at all knots.
static bool initial_read(const limpet_model *model, limpet_data *data, const limpet_json *control,
                         double *u) {
  static const char *const words[] = {"keyframe", "gravity", NULL};
  limpet_json member;
  memcpy(u, data->control, (size_t)model->nu * sizeof *u);
  if (!limpet_json_member(&member, control, "initial")) return true;
  if (!json_is_string(member.value))
    return limpet_json_numbers(control, "initial", model->nu, NULL, u);
  int word;
  if (!limpet_json_choice(control, "initial", words, 0, &word)) return false;
  return word == 0 || gravity_controls(model, data, &member, u);
}

/* A limit of the controls, NULL where the file gives none. */
static bool limit_read(const limpet_model *model, const limpet_json *control, const char *key,
                       const double **limit) {
  limpet_json member;
  if (!limpet_json_member(&member, control, key)) return true;
  double *values = numbers((size_t)model->nu);
  *limit = values;
  if (!values) return limpet_json_fail(&member, "no memory");
  return limpet_json_numbers(control, key, model->nu, NULL, values);
}

static bool controls_read(limpet_plan_task *task, const limpet_model *model, limpet_data *data,
                          const limpet_json *root) {
  static const char *const keys[] = {"initial", "minimum", "maximum", NULL};
  limpet_json control;
  const size_t nu = (size_t)model->nu, knots = (size_t)task->problem.knot_count;
  double *guess = numbers(knots * nu);
  task->control = guess;
  if (!guess) return limpet_json_fail(root, "no memory");
  const bool given = limpet_json_member(&control, root, "control");
  memcpy(guess, data->control, nu * sizeof *guess);
  if (given && (!limpet_json_keys(&control, keys) || !initial_read(model, data, &control, guess) ||
                !limit_read(model, &control, "minimum", &task->problem.control_minimum) ||
                !limit_read(model, &control, "maximum", &task->problem.control_maximum)))
    return false;
  const double *low = task->problem.control_minimum, *high = task->problem.control_maximum;
  for (size_t i = 0; i < nu && low && high; ++i)
    if (low[i] > high[i])
      return limpet_json_fail(&control, "the minimum %g of control %zu is above its maximum %g",
                              low[i], i, high[i]);
  for (size_t k = 1; k < knots; ++k) memcpy(guess + k * nu, guess, nu * sizeof *guess);
  return true;
}

// ------------------------------------------------------------------------------------- guess

// States on the way from the start to a keyframe's pose, at the velocity that this takes.
static bool guess_read(limpet_plan_task *task, const limpet_model *model, limpet_data *data,
                       const limpet_json *root) {
  static const char *const keys[] = {"keyframe", NULL};
  limpet_json guess, member;
  int keyframe;
  if (!limpet_json_member(&guess, root, "guess")) return true;
  if (!limpet_json_keys(&guess, keys)) return false;
  if (!limpet_json_member(&member, &guess, "keyframe"))
    return limpet_json_fail(&guess, "\"keyframe\" is missing");
  if (!limpet_json_find(&member, model, LIMPET_OBJECT_KEYFRAME, &keyframe)) return false;
  const size_t size = (size_t)limpet_data_state_size(model);
  const int knots = task->problem.knot_count, nv = model->nv;
  double *state = numbers(((size_t)knots + 1) * size), *d = numbers((size_t)nv);
  task->state = state;
  if (!state || !d) {
    free(d);
    return limpet_json_fail(&guess, "no memory");
  }
  const double duration = knots * task->problem.hold * task->step.time_step;
  limpet_difference_position(model, d, data->q, model->keyframe_q + keyframe * model->nq);
  for (int k = 0; k <= knots; ++k) {
    limpet_data_state_write(model, data, task->problem.start_state);
    limpet_integrate_position(model, data->q, data->q, d, (double)k / knots, false);
    for (int i = 0; i < nv && k > 0; ++i) data->v[i] = d[i] / duration;
    data->time += duration * k / knots;
    limpet_data_state_read(model, data, state + (size_t)k * size);
  }
  free(d);
  task->settings.multiple_shooting = true;
  return true;
}

bool limpet_plan_start_read(limpet_plan_task *task, const limpet_model *model,
                            const limpet_json *root) {
  limpet_data *data = limpet_data_create(model);
  double *state = numbers((size_t)limpet_data_state_size(model));
  task->problem.start_state = state;
  if (!data || !state) {
    limpet_data_destroy(data);
    return limpet_json_fail(root, "no memory");
  }
  bool made = start_read(model, data, root);
  limpet_data_state_read(model, data, state);
  made = made && controls_read(task, model, data, root) && guess_read(task, model, data, root);
  limpet_data_destroy(data);
  return made;
}

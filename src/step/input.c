/* step/input.c: see input.h. Cost: one multiplication and addition a number. */
#include "step/input.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "dynamics/activation.h"

typedef struct input_array {
  const double *value;
  int count;
  const char *word;     // what a number of it is
  int width;            // numbers of one object
  limpet_object owner;  // that its numbers belong to
} input_array;

static input_array array_of(const limpet_data *data, limpet_input input) {
  const limpet_model *model = data->model;
  switch (input) {
    case LIMPET_INPUT_CONTROL:
      return (input_array){data->control, model->nu, "control", 1, LIMPET_OBJECT_ACTUATOR};
    case LIMPET_INPUT_APPLIED_FORCE:
      return (input_array){data->applied_force, model->nv, "applied_force", 1, LIMPET_OBJECT_JOINT};
    case LIMPET_INPUT_APPLIED_WRENCH:
      return (input_array){data->applied_wrench, 6 * model->body_count, "applied_wrench", 6,
                           LIMPET_OBJECT_BODY};
    case LIMPET_INPUT_MOCAP_POSITION:
      return (input_array){data->mocap_position, 3 * model->mocap_count, "mocap_position", 3,
                           LIMPET_OBJECT_BODY};
    case LIMPET_INPUT_MOCAP_QUATERNION:
      return (input_array){data->mocap_quaternion, 4 * model->mocap_count, "mocap_quaternion", 4,
                           LIMPET_OBJECT_BODY};
    case LIMPET_INPUT_COUNT: break;
  }
  return (input_array){0};
}

// Two numbers at a time, which every 64-bit processor can do.
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

// The first number that is not finite, or `count`: 0 x is 0 for finite x and NaN for others. Four
// sums, for each addition waits for the one before.
static int first_bad(const double *value, int count) {
  pair low = {0.0, 0.0}, high = low;
  int k = 0;
  for (; k + 4 <= count; k += 4) {
    low += 0.0 * *(const pair *)(value + k);
    high += 0.0 * *(const pair *)(value + k + 2);
  }
  for (; k < count; ++k) low[0] += 0.0 * value[k];
  low += high;
  if (low[0] + low[1] == 0.0) return count;
  int i = 0;
  while (isfinite(value[i])) ++i;
  return i;
}

limpet_outcome limpet_input_check(const limpet_data *data, limpet_step_info *info) {
  for (limpet_input input = 0; input < LIMPET_INPUT_COUNT; ++input) {
    const input_array array = array_of(data, input);
    const int bad = first_bad(array.value, array.count);
    if (bad == array.count) continue;
    info->bad_input = input, info->bad_input_index = bad;
    return LIMPET_OUTCOME_BAD_INPUT;
  }
  const limpet_model *model = data->model;
  if (model->options.disabled & LIMPET_DISABLE_CLAMP_CONTROL) return LIMPET_OUTCOME_SOLVED;
  for (int i = 0; i < model->nu; ++i) {
    if (!model->actuator_control_limited[i]) continue;
    const double u = limpet_actuator_asked(model, data, i),
                 *range = model->actuator_control_range + 2 * i;
    info->clamped_controls += u < range[0] || u > range[1];
  }
  return LIMPET_OUTCOME_SOLVED;
}

// Writes "control 3 'grip' is nan". A joint without a name goes by its body.
static void tell(const limpet_model *model, input_array array, int index, int owner, char *text,
                 size_t size) {
  const char *name = limpet_model_name(model, array.owner, owner), *of = " '";
  if (!name && array.owner == LIMPET_OBJECT_JOINT) {
    name = limpet_model_name(model, LIMPET_OBJECT_BODY, model->joint_body[owner]);
    of = " of body '";
  }
  snprintf(text, size, "%s %d%s%s%s is %g", array.word, index, name ? of : "", name ? name : "",
           name ? "'" : "", array.value[index]);
}

// Index of the object that entry `index` of an input belongs to.
static int owner_of(const limpet_model *model, limpet_input input, int object) {
  if (input == LIMPET_INPUT_APPLIED_FORCE) return model->dof_joint[object];
  if (input != LIMPET_INPUT_MOCAP_POSITION && input != LIMPET_INPUT_MOCAP_QUATERNION) return object;
  int body = 0;
  while (body < model->body_count && model->body_mocap[body] != object) ++body;
  return body;
}

// The first coordinate or velocity that is not finite, if there is one.
static void tell_state(const limpet_data *data, char *text, size_t size) {
  const limpet_model *model = data->model;
  const input_array q = {data->q, model->nq, "q", 1, LIMPET_OBJECT_JOINT},
                    v = {data->v, model->nv, "v", 1, LIMPET_OBJECT_JOINT};
  const int bad_q = first_bad(q.value, q.count), bad_v = first_bad(v.value, v.count);
  if (bad_q < q.count) {
    int joint = 0;
    while (joint + 1 < model->joint_count && model->joint_q[joint + 1] <= bad_q) ++joint;
    tell(model, q, bad_q, joint, text, size);
  } else if (bad_v < v.count) {
    tell(model, v, bad_v, model->dof_joint[bad_v], text, size);
  }
}

const char *limpet_bad_input_text(const limpet_data *data, char *text, size_t size) {
  assert(data && (text || size == 0));
  const limpet_outcome outcome = data->info.outcome;
  if (size > 0) text[0] = '\0';
  if (outcome == LIMPET_OUTCOME_ISLAND_FAILED || outcome == LIMPET_OUTCOME_NUMERICAL_FAILURE)
    tell_state(data, text, size);
  if (outcome != LIMPET_OUTCOME_BAD_INPUT) return text;
  const limpet_input input = data->info.bad_input;
  const int index = data->info.bad_input_index;
  const input_array array = array_of(data, input);
  tell(data->model, array, index, owner_of(data->model, input, index / array.width), text, size);
  return text;
}

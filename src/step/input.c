/* step/input.c: see input.h. Cost: two multiplications and an addition a number. */
#include "step/input.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "dynamics/activation.h"
#include "dynamics/tree.h"

typedef struct input_array {
  const double *value;
  int count;
  const char *word;     // what a number of it is
  int width;            // numbers of one object
  limpet_object owner;  // that its numbers belong to
} input_array;

static inline input_array array_of(const limpet_data *data, limpet_input input) {
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

// Whether a number can be reckoned with: its square is finite.
static bool is_usable(double x) { return isfinite(x * x); }

// Whether all are 0, as most inputs are: it takes half of what the sums below take.
static bool all_zero(const double *value, int count) {
  typedef long long word_pair __attribute__((vector_size(16), aligned(8), may_alias));
  word_pair low = {0, 0}, high = low;
  int k = 0;
  for (; k + 8 <= count; k += 8) {
    low |= *(const word_pair *)(value + k) | *(const word_pair *)(value + k + 4);
    high |= *(const word_pair *)(value + k + 2) | *(const word_pair *)(value + k + 6);
  }
  low |= high;
  if (low[0] | low[1]) return false;
  while (k < count && value[k] == 0.0) ++k;
  return k == count;
}

// The first number that is not finite, or, `squared`, whose square is not, or `count`: 0 x is 0 for
// finite x and NaN for others. Four sums, for each addition waits for the one before.
static int first_bad(const double *value, int count, bool squared) {
  pair low = {0.0, 0.0}, high = low;
  int k = 0;
  for (; k + 4 <= count; k += 4) {
    pair a = *(const pair *)(value + k), b = *(const pair *)(value + k + 2);
    if (squared) a *= a, b *= b;
    low += 0.0 * a, high += 0.0 * b;
  }
  for (; k < count; ++k) low[0] += 0.0 * (squared ? value[k] * value[k] : value[k]);
  low += high;
  if (low[0] + low[1] == 0.0) return count;
  int i = 0;
  while (squared ? is_usable(value[i]) : isfinite(value[i])) ++i;
  return i;
}

// Whether a quaternion has a direction: the square of its length neither vanishes nor overflows.
static bool has_direction(const double *q) {
  const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  return square >= DBL_MIN && square <= DBL_MAX;
}

// The first mocap pose that is none, as the index of its number, or `count`.
static int first_bad_input(input_array array, limpet_input input) {
  const bool quaternion = input == LIMPET_INPUT_MOCAP_QUATERNION,
             pose = quaternion || input == LIMPET_INPUT_MOCAP_POSITION;
  if (!pose && all_zero(array.value, array.count)) return array.count;
  const int bad = first_bad(array.value, array.count, pose);
  if (!quaternion) return bad;
  int i = 0;
  while (i < bad && has_direction(array.value + i)) i += array.width;
  return i < bad ? i : bad;
}

// The quaternion of a joint in q, or NULL.
static const double *quaternion_of(const limpet_model *model, const double *q, int joint) {
  const limpet_joint_kind kind = model->joint_kind[joint];
  if (kind != LIMPET_JOINT_FREE && kind != LIMPET_JOINT_BALL) return NULL;
  return q + model->joint_q[joint] + (kind == LIMPET_JOINT_FREE ? 3 : 0);
}

// Whether an input can be reckoned with; else it is noted.
static inline bool input_fits(const limpet_data *data, limpet_input input, limpet_step_info *info) {
  const input_array array = array_of(data, input);
  const int bad = first_bad_input(array, input);
  if (bad == array.count) return true;
  info->bad_input = input, info->bad_input_index = bad;
  return false;
}

// How many controls lie outside of their ranges.
static int clamped_controls(const limpet_model *model, const limpet_data *data) {
  const bool *limited = model->actuator_control_limited;
  const double *range = model->actuator_control_range;
  int count = 0;
  for (int i = 0; i < model->nu; ++i, range += 2) {
    if (!limited[i]) continue;
    const double u = limpet_actuator_asked(model, data, i);
    count += u < range[0] || u > range[1];
  }
  return count;
}

limpet_outcome limpet_input_check(const limpet_data *data, limpet_step_info *info) {
  bool fit = true;
#pragma GCC unroll 8
  for (limpet_input input = 0; input < LIMPET_INPUT_COUNT && fit; ++input)
    fit = input_fits(data, input, info);
  if (!fit) return LIMPET_OUTCOME_BAD_INPUT;
  const limpet_model *model = data->model;
  if (!(model->options.disabled & LIMPET_DISABLE_CLAMP_CONTROL))
    info->clamped_controls += clamped_controls(model, data);
  return LIMPET_OUTCOME_SOLVED;
}

// The first coordinate of joints [first, end) that makes no pose, or `nq`.
static int first_poseless(const limpet_model *model, const double *q, int first, int end) {
  if (first == end) return model->nq;
  const int begin = model->joint_q[first];
  const int past = end < model->joint_count ? model->joint_q[end] : model->nq;
  const int bad = begin + first_bad(q + begin, past - begin, true);
  for (int j = first; j < end && model->joint_q[j] <= bad; ++j) {
    const double *quaternion = quaternion_of(model, q, j);
    if (quaternion && quaternion + 3 < q + bad && !has_direction(quaternion))
      return (int)(quaternion - q);
  }
  return bad < past ? bad : model->nq;
}

// Whether the coordinates of a tree make poses, and its velocities are finite.
static bool tree_is_usable(const limpet_model *model, const limpet_data *data, int tree) {
  const int dof = model->tree_dof[tree], dofs = model->tree_dof_count[tree];
  const int first = model->dof_joint[dof], end = model->dof_joint[dof + dofs - 1] + 1;
  return first_poseless(model, data->q, first, end) == model->nq &&
         first_bad(data->v + dof, dofs, false) == dofs;
}

bool limpet_input_state_is_usable(const limpet_model *model, const limpet_data *data) {
  return first_poseless(model, data->q, 0, model->joint_count) == model->nq &&
         first_bad(data->v, model->nv, false) == model->nv;
}

bool limpet_input_lose_poses(const limpet_model *model, limpet_data *data, limpet_trees trees) {
  if (limpet_input_state_is_usable(model, data)) return false;
  for (int i = 0; i < trees.count; ++i) {
    const int t = limpet_trees_at(trees, i);
    if (!tree_is_usable(model, data, t)) limpet_tree_lose_pose(model, data, t);
  }
  return true;
}

void limpet_input_fail_trees(const limpet_model *model, const limpet_data *data,
                             limpet_free_motion *motion) {
  for (int i = 0; i < motion->trees.count; ++i) {
    const int t = limpet_trees_at(motion->trees, i);
    if (!tree_is_usable(model, data, t)) limpet_free_motion_fail(model, t, motion);
  }
}

/* Writes "control 3 'grip' is nan" or what else is wrong with that number. A joint without a name
 * goes by its body. */
static void tell(const limpet_model *model, input_array array, int index, int owner, char *text,
                 size_t size) {
  const double value = array.value[index];
  const char *name = limpet_model_name(model, array.owner, owner), *of = " '";
  if (!name && array.owner == LIMPET_OBJECT_JOINT) {
    name = limpet_model_name(model, LIMPET_OBJECT_BODY, model->joint_body[owner]);
    of = " of body '";
  }
  char fault[48];
  if (is_usable(value)) snprintf(fault, sizeof fault, "begins a quaternion without a direction");
  else snprintf(fault, sizeof fault, "is %g%s", value, isfinite(value) ? ", too large" : "");
  snprintf(text, size, "%s %d%s%s%s %s", array.word, index, name ? of : "", name ? name : "",
           name ? "'" : "", fault);
}

// Index of the object that entry `index` of an input belongs to.
static int owner_of(const limpet_model *model, limpet_input input, int object) {
  if (input == LIMPET_INPUT_APPLIED_FORCE) return model->dof_joint[object];
  if (input != LIMPET_INPUT_MOCAP_POSITION && input != LIMPET_INPUT_MOCAP_QUATERNION) return object;
  int body = 0;
  while (body < model->body_count && model->body_mocap[body] != object) ++body;
  return body;
}

// The first coordinate or velocity that cannot be reckoned with, if there is one.
static void tell_state(const limpet_data *data, char *text, size_t size) {
  const limpet_model *model = data->model;
  const input_array q = {data->q, model->nq, "q", 1, LIMPET_OBJECT_JOINT},
                    v = {data->v, model->nv, "v", 1, LIMPET_OBJECT_JOINT};
  const int bad_q = first_poseless(model, data->q, 0, model->joint_count),
            bad_v = first_bad(v.value, v.count, true);
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

/* control/trajectory_read.c: joint trajectories from JSON; positions beyond the range of their
 * joint are errors. */
#include "control/trajectory_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/joints.h"
#include "math/vec3.h"

enum { POINT_LIMIT = 100000 };

typedef struct reader {
  const limpet_model *model;
  int n;
  const int *joint;
  double *number;  // (8 x n)
} reader;

// A position of each joint within its range.
static bool range_check(const reader *r, const limpet_json *json, const double *q, double sign,
                        const double *swing) {
  for (int i = 0; i < r->n; ++i) {
    const double position = q[i] + (swing ? sign * fabs(swing[i]) : 0.0),
                 *range = r->model->joint_range + 2 * r->joint[i];
    char label[160];
    if (position >= range[0] - 1e-9 && position <= range[1] + 1e-9) continue;
    return limpet_json_fail(
        json, "takes joint %s to %g %s, beyond its range %g to %g",
        limpet_joint_label(label, sizeof label, r->model, r->joint[i]), position,
        r->model->joint_kind[r->joint[i]] == LIMPET_JOINT_PRISMATIC ? "m" : "rad", range[0],
        range[1]);
  }
  return true;
}

static limpet_trajectory *told(limpet_trajectory *made, const limpet_json *json,
                               const limpet_error *error) {
  if (!made) limpet_json_fail(json, "%s", error->message);
  return made;
}

static limpet_trajectory *constant_read(const reader *r, const limpet_json *json) {
  static const char *const keys[] = {"kind", "position", NULL};
  double *q = r->number, *zero = r->number + r->n;
  limpet_error error;
  memset(zero, 0, (size_t)r->n * sizeof *zero);
  if (!limpet_json_keys(json, keys) || !limpet_json_numbers(json, "position", r->n, NULL, q) ||
      !range_check(r, json, q, 0.0, NULL))
    return NULL;
  return told(limpet_trajectory_sinusoid(r->n, q, zero, zero, zero, &error), json, &error);
}

static limpet_trajectory *sinusoid_read(const reader *r, const limpet_json *json) {
  static const char *const keys[] = {
      "kind", "offset", "amplitude", "frequency", "angular_frequency", "phase", NULL};
  double *offset = r->number, *amplitude = offset + r->n, *frequency = amplitude + r->n,
         *phase = frequency + r->n;
  limpet_json member;
  limpet_error error;
  for (int i = 0; i < r->n; ++i) {
    offset[i] = r->model->q_reference[r->model->joint_q[r->joint[i]]];
    phase[i] = 0.0;
  }
  if (!limpet_json_keys(json, keys) || !limpet_json_numbers(json, "offset", r->n, offset, offset) ||
      !limpet_json_numbers(json, "amplitude", r->n, NULL, amplitude) ||
      !limpet_json_numbers(json, "phase", r->n, phase, phase))
    return NULL;
  const bool angular = limpet_json_member(&member, json, "angular_frequency");
  if (angular && limpet_json_member(&member, json, "frequency")) {
    limpet_json_fail(&member, "stands beside \"angular_frequency\"; give one of them");
    return NULL;
  }
  if (!limpet_json_numbers(json, angular ? "angular_frequency" : "frequency", r->n, NULL,
                           frequency))
    return NULL;
  for (int i = 0; angular && i < r->n; ++i) frequency[i] /= 2.0 * LIMPET_PI;
  if (!range_check(r, json, offset, 1.0, amplitude) ||
      !range_check(r, json, offset, -1.0, amplitude))
    return NULL;
  return told(limpet_trajectory_sinusoid(r->n, offset, amplitude, frequency, phase, &error), json,
              &error);
}

static limpet_trajectory *trapezoid_read(const reader *r, const limpet_json *json) {
  static const char *const keys[] = {"kind", "from", "to", "start", "speed", "acceleration", NULL};
  double *from = r->number, *to = from + r->n, *speed = to + r->n, *acceleration = speed + r->n,
         start = 0.0, zero = 0.0;
  limpet_error error;
  for (int i = 0; i < r->n; ++i) from[i] = r->model->q_reference[r->model->joint_q[r->joint[i]]];
  if (!limpet_json_keys(json, keys) || !limpet_json_numbers(json, "from", r->n, from, from) ||
      !limpet_json_numbers(json, "to", r->n, NULL, to) ||
      !limpet_json_number(json, "start", &zero, &start) ||
      !limpet_json_numbers(json, "speed", r->n, NULL, speed) ||
      !limpet_json_numbers(json, "acceleration", r->n, NULL, acceleration) ||
      !range_check(r, json, from, 0.0, NULL) || !range_check(r, json, to, 0.0, NULL))
    return NULL;
  return told(limpet_trajectory_trapezoid(r->n, start, from, to, speed, acceleration, &error), json,
              &error);
}

// A list of `count` lists of n numbers.
static bool rows_read(const reader *r, const limpet_json *json, const char *key, int count,
                      bool positions, double *rows) {
  limpet_json list;
  if (!limpet_json_array(&list, json, key, POINT_LIMIT)) return false;
  if (json_array_size(list.value) != (size_t)count)
    return limpet_json_fail(&list, "has %zu entries, and there are %d times",
                            json_array_size(list.value), count);
  for (int i = 0; i < count; ++i) {
    const limpet_json row = limpet_json_element(&list, (size_t)i);
    double *values = rows + (size_t)i * (size_t)r->n;
    if (!limpet_json_list(&row, r->n, values) ||
        (positions && !range_check(r, &row, values, 0.0, NULL)))
      return false;
  }
  return true;
}

static limpet_trajectory *waypoints_read(const reader *r, const limpet_json *json) {
  static const char *const keys[] = {"kind",      "interpolation", "times",
                                     "positions", "velocities",    NULL};
  static const char *const words[] = {"quintic", "cubic", NULL};
  limpet_json times, member;
  limpet_error error;
  int word;
  if (!limpet_json_keys(json, keys) ||
      !limpet_json_choice(json, "interpolation", words, 0, &word) ||
      !limpet_json_array(&times, json, "times", POINT_LIMIT))
    return NULL;
  const int count = (int)json_array_size(times.value);
  const bool velocities = limpet_json_member(&member, json, "velocities");
  const size_t numbers = (size_t)count * (size_t)r->n;
  double *time = calloc((size_t)count + 2 * numbers, sizeof *time), *position = time + count,
         *velocity = position + numbers;
  limpet_trajectory *made = NULL;
  if (!time) limpet_json_fail(json, "no memory");
  else if (limpet_json_list(&times, count, time) &&
           rows_read(r, json, "positions", count, true, position) &&
           (!velocities || rows_read(r, json, "velocities", count, false, velocity)))
    made = told((word ? limpet_trajectory_cubic : limpet_trajectory_quintic)(
                    r->n, count, time, position, velocities ? velocity : NULL, &error),
                json, &error);
  free(time);
  return made;
}

limpet_trajectory *limpet_trajectory_read(const limpet_model *model, int count, const int *joint,
                                          const limpet_json *object) {
  static const char *const kinds[] = {"constant", "sinusoid", "waypoints", "trapezoid", NULL};
  static limpet_trajectory *(*const read[])(const reader *, const limpet_json *) = {
      constant_read, sinusoid_read, waypoints_read, trapezoid_read};
  limpet_json json;
  limpet_trajectory *made = NULL;
  int kind;
  reader r = {.model = model,
              .n = count,
              .joint = joint,
              .number = calloc(8 * (size_t)count, sizeof(double))};
  if (!r.number) limpet_json_fail(object, "no memory");
  else if (!limpet_json_member(&json, object, "trajectory"))
    limpet_json_fail(object, "\"trajectory\" is missing");
  else if (!json_is_object(json.value)) limpet_json_fail(&json, "must be an object {...}");
  else if (limpet_json_choice(&json, "kind", kinds, -1, &kind)) made = read[kind](&r, &json);
  free(r.number);
  return made;
}

/* control/controller_cartesian.c: a body or site follows a path; inverse kinematics at every
 * update, from the last solution.
 *
 *   q_d  inverse kinematics of the pose of the path
 *   v_d  J+ V,  a_d = J+ (A - J' v_d),   J+ = J^T (J J^T + epsilon I)^-1,  epsilon = 1e-8 of the
 *        trace
 *   J' v_d by central differences of J v_d along v_d
 * V, A: velocity and acceleration of the path. Where the pose is out of reach the nearest one is
 * held: v_d = a_d = 0. Precomputed: q_d and v_d every 10 ms when the controller is made, with
 * everything else as in the reference pose, and cubics between (error of q_d: h^4/384 of its fourth
 * derivative); out of reach is then an error. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/controller.h"
#include "control/ik.h"
#include "control/trajectory_read.h"
#include "math/dense.h"

typedef struct follower {
  limpet_path *path;
  limpet_ik *ik;
  limpet_ik_task task;
  double *posture;  // (n)  or NULL
  bool started;
  limpet_trajectory *precomputed;  // or NULL
} follower;

// ----------------------------------------------------------------------------------- planning

// rate = J+ (weighted twist) where the world of ik is, J being there too.
static void rates(limpet_ik *ik, const limpet_ik_task *task, const double twist[6], double *rate) {
  double trace = 0.0;
  for (int k = 0; k < 6; ++k) {
    ik->y[k] = twist[k] * (k < 3 ? task->rotation_weight : task->position_weight);
    for (int l = 0; l <= k; ++l)
      ik->G[6 * k + l] = limpet_dot(ik->n, ik->J + k * ik->n, ik->J + l * ik->n);
    trace += ik->G[7 * k];
  }
  for (int k = 0; k < 6; ++k) ik->G[7 * k] += 1e-8 * trace + 1e-300;
  const bool solved = limpet_cholesky(6, ik->G, 6) == 0;
  if (solved) limpet_cholesky_solve(6, ik->G, 6, ik->y);
  for (int i = 0; i < ik->n; ++i) {
    rate[i] = 0.0;
    for (int k = 0; k < 6 && solved; ++k) rate[i] += ik->J[k * ik->n + i] * ik->y[k];
  }
}

// twist -= J'(q) v: what the turning of the axes alone contributes; both weighted rows, undone.
static void turning_take(limpet_ik *ik, const limpet_ik_task *task, const double *q,
                         const double *v, double twist[6]) {
  // [s]  error h^2 and round-off 1e-16/h are both far below what a step does
  const double h = 1e-5;
  for (int side = -1; side <= 1; side += 2) {
    for (int i = 0; i < ik->n; ++i) ik->trial[i] = q[i] + side * h * v[i];
    limpet_ik_cost(ik, 1, task, ik->trial, ik->r_trial);
    limpet_ik_jacobian(ik, 1, task);
    for (int k = 0; k < 6; ++k) {
      const double weight = k < 3 ? task->rotation_weight : task->position_weight;
      if (weight > 0.0)
        twist[k] -= side * limpet_dot(ik->n, ik->J + k * ik->n, v) / (2.0 * h * weight);
    }
  }
}

// Wanted motion at `time`, from the solution q; whether the path is within reach.
static bool motion_at(follower *f, int n, const limpet_data *data, double time,
                      const limpet_ik_settings *settings, double *q, double *v, double *a,
                      limpet_ik_info *info) {
  double velocity[6], acceleration[6];
  limpet_path_at(f->path, time, &f->task.target, velocity, acceleration);
  if (limpet_ik_solve(f->ik, data, 1, &f->task, settings, q, info) != LIMPET_IK_SOLVED) {
    memset(v, 0, (size_t)n * sizeof *v);
    memset(a, 0, (size_t)n * sizeof *a);
    return false;
  }
  limpet_ik_jacobian(f->ik, 1, &f->task);
  rates(f->ik, &f->task, velocity, v);
  turning_take(f->ik, &f->task, q, v, acceleration);
  limpet_ik_cost(f->ik, 1, &f->task, q, f->ik->r_trial);
  limpet_ik_jacobian(f->ik, 1, &f->task);
  rates(f->ik, &f->task, acceleration, a);
  return true;
}

static limpet_ik_settings settings_first(const follower *f) {
  limpet_ik_settings settings = limpet_ik_settings_default();
  settings.restart_limit = 20;
  settings.posture = f->posture;
  return settings;
}

static void cartesian_plan(limpet_controller_part *part, const limpet_model *model,
                           const limpet_data *data, double time, limpet_update *update) {
  follower *f = part->plan;
  limpet_drive *drive = &part->drive;
  (void)model;
  if (f->precomputed) {
    limpet_trajectory_at(f->precomputed, time, drive->wanted_q, drive->wanted_v, drive->wanted_a);
    return;
  }
  limpet_ik_settings settings = limpet_ik_settings_default();
  if (!f->started) {
    for (int i = 0; i < drive->n; ++i) drive->wanted_q[i] = data->q[drive->q[i]];
    settings = settings_first(f);
  }
  f->started = true;
  if (!motion_at(f, drive->n, data, time, &settings, drive->wanted_q, drive->wanted_v,
                 drive->wanted_a, NULL))
    update->unreached = true;
}

// The trajectory of the joints along the whole path; false with the error.
static bool precompute(limpet_controller_part *part, const limpet_model *model,
                       const limpet_json *object) {
  const double period = 0.01, longest = 1000.0;  // [s]
  follower *f = part->plan;
  limpet_drive *drive = &part->drive;
  const double start = limpet_path_start(f->path), duration = limpet_path_end(f->path) - start;
  const int n = drive->n, count = 2 + (int)ceil(fmin(duration, longest) / period);
  const size_t numbers = (size_t)count * (size_t)n;
  if (!(duration <= longest))
    return limpet_json_fail(object, "the path takes %g s, and at most %g s can be precomputed",
                            duration, longest);
  limpet_error error;
  limpet_data *data = limpet_data_create(model);
  double *time = calloc((size_t)count + 2 * numbers, sizeof *time), *q = time + count,
         *v = q + numbers;
  bool fine = (data && time) || limpet_json_fail(object, "no memory");
  for (int i = 0; i < n && fine; ++i)
    q[i] = f->posture ? f->posture[i] : model->q_reference[drive->q[i]];
  for (int k = 0; k < count && fine; ++k) {
    const limpet_ik_settings settings = k == 0 ? settings_first(f) : limpet_ik_settings_default();
    limpet_ik_info info;
    double *now = q + (size_t)k * (size_t)n;
    time[k] = start + duration * k / (count - 1);
    if (k > 0) memcpy(now, now - n, (size_t)n * sizeof *now);
    fine =
        motion_at(f, n, data, time[k], &settings, now, v + (size_t)k * (size_t)n, drive->wanted_a,
                  &info) ||
        limpet_json_fail(object, "the path is out of reach at %.6g s: %.3g m and %.3g rad are left",
                         time[k], info.position_error, info.rotation_error);
  }
  if (fine) {
    f->precomputed = limpet_trajectory_cubic(n, count, time, q, v, &error);
    fine = f->precomputed || limpet_json_fail(object, "%s", error.message);
  }
  free(time);
  limpet_data_destroy(data);
  return fine;
}

// ------------------------------------------------------------------------------------ reading

static bool frame_read(follower *f, const limpet_model *model, const limpet_json *object) {
  limpet_json name;
  int index;
  limpet_object kind = LIMPET_OBJECT_SITE;
  const bool site = limpet_json_member(&name, object, "site");
  if (!limpet_json_member(&name, object, "body") == !site)
    return limpet_json_fail(object, "give one of \"body\" and \"site\": what follows the path");
  if (site) limpet_json_member(&name, object, "site");
  else kind = LIMPET_OBJECT_BODY;
  if (!limpet_json_find(&name, model, kind, &index)) return false;
  f->task = limpet_ik_task_default(kind, index);
  const double zero[3] = {0.0, 0.0, 0.0};
  bool turns;
  if (!limpet_json_numbers(object, "point", 3, zero, f->task.point) ||
      !limpet_json_boolean(object, "rotation", true, &turns))
    return false;
  if (!turns) f->task.rotation_weight = 0.0;
  f->path = limpet_path_read(object, turns);
  return f->path != NULL;
}

// keys with either drive
#define FOLLOWER_KEYS \
  "kind", "joints", "body", "site", "point", "rotation", "path", "posture", "drive", "precomputed"

static bool cartesian_read(limpet_controller_part *part, const limpet_model *model,
                           const limpet_json *object) {
  static const char *const drives[] = {"computed-torque", "joint-position", NULL};
  static const char *const torque_keys[] = {FOLLOWER_KEYS, LIMPET_DRIVE_TORQUE_KEYS, NULL};
  static const char *const servo_keys[] = {FOLLOWER_KEYS, LIMPET_DRIVE_POSITION_KEYS, NULL};
  limpet_error error;
  limpet_json member;
  int drive;
  if (!limpet_json_choice(object, "drive", drives, 0, &drive)) return false;
  if (!limpet_json_keys(object, drive ? servo_keys : torque_keys)) return false;
  if (!limpet_drive_read(&part->drive, model, object, drive == 1)) return false;
  follower *f = part->plan = calloc(1, sizeof *f);
  if (!f) return limpet_json_fail(object, "no memory");
  if (!frame_read(f, model, object)) return false;
  if (limpet_json_member(&member, object, "posture")) {
    f->posture = calloc((size_t)part->drive.n, sizeof *f->posture);
    if (!f->posture) return limpet_json_fail(object, "no memory");
    if (!limpet_json_numbers(object, "posture", part->drive.n, NULL, f->posture)) return false;
  }
  f->ik = limpet_ik_create(model, part->drive.n, part->drive.joint, 1, &error);
  if (!f->ik) return limpet_json_fail(object, "%s", error.message);
  bool precomputed;
  return limpet_json_boolean(object, "precomputed", false, &precomputed) &&
         (!precomputed || precompute(part, model, object));
}

static void cartesian_release(limpet_controller_part *part) {
  follower *f = part->plan;
  if (!f) return;
  limpet_path_destroy(f->path);
  limpet_ik_destroy(f->ik);
  limpet_trajectory_destroy(f->precomputed);
  free(f->posture);
  free(f);
}

static void cartesian_reset(limpet_controller_part *part) {
  ((follower *)part->plan)->started = false;
}

const limpet_controller_kind limpet_controller_cartesian = {
    .descriptor = {.name = "cartesian",
                   .text = "A body or site follows a line or circle; joint motion by inverse "
                           "kinematics at every step.",
                   .reference = "src/control/controller_cartesian.c"},
    .read = cartesian_read,
    .plan = cartesian_plan,
    .reset = cartesian_reset,
    .release = cartesian_release,
};

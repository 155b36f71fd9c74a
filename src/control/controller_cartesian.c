/* control/controller_cartesian.c: a body or site follows a path; inverse kinematics at every update, from the last solution.
 *
 *   q_d  inverse kinematics of the pose of the path
 *   v_d  J+ V,  a_d = J+ (A - J' v_d),   J+ = J^T (J J^T + epsilon I)^-1,  epsilon = 1e-8 of the trace
 *   J' v_d by central differences of J v_d along v_d
 * V, A: velocity and acceleration of the path. Where the pose is out of reach the nearest one is held: v_d = a_d = 0. */
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
} follower;

// ---------------------------------------------------------------------------------------------------------------- reading

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
  if (!limpet_json_numbers(object, "point", 3, zero, f->task.point) || !limpet_json_boolean(object, "rotation", true, &turns))
    return false;
  if (!turns) f->task.rotation_weight = 0.0;
  f->path = limpet_path_read(object, turns);
  return f->path != NULL;
}

static bool cartesian_read(limpet_controller_part *part, const limpet_model *model, const limpet_json *object) {
  static const char *const drives[] = {"computed-torque", "joint-position", NULL};
  static const char *const torque_keys[] = {
      "kind", "joints", "body", "site", "point", "rotation", "path", "posture", "drive", LIMPET_DRIVE_TORQUE_KEYS, NULL};
  static const char *const servo_keys[] = {
      "kind", "joints", "body", "site", "point", "rotation", "path", "posture", "drive", LIMPET_DRIVE_POSITION_KEYS, NULL};
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
  return f->ik || limpet_json_fail(object, "%s", error.message);
}

static void cartesian_release(limpet_controller_part *part) {
  follower *f = part->plan;
  if (!f) return;
  limpet_path_destroy(f->path);
  limpet_ik_destroy(f->ik);
  free(f->posture);
  free(f);
}

static void cartesian_reset(limpet_controller_part *part) { ((follower *)part->plan)->started = false; }

// --------------------------------------------------------------------------------------------------------------- planning

// rate = J+ (weighted twist) where the world of ik is, J being there too.
static void rates(limpet_ik *ik, const limpet_ik_task *task, const double twist[6], double *rate) {
  double trace = 0.0;
  for (int k = 0; k < 6; ++k) {
    ik->y[k] = twist[k] * (k < 3 ? task->rotation_weight : task->position_weight);
    for (int l = 0; l <= k; ++l) ik->G[6 * k + l] = limpet_dot(ik->n, ik->J + k * ik->n, ik->J + l * ik->n);
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
static void turning_take(limpet_ik *ik, const limpet_ik_task *task, const double *q, const double *v, double twist[6]) {
  const double h = 1e-5;  // [s]  error h^2 and round-off 1e-16/h are both far below what a step does
  for (int side = -1; side <= 1; side += 2) {
    for (int i = 0; i < ik->n; ++i) ik->trial[i] = q[i] + side * h * v[i];
    limpet_ik_cost(ik, 1, task, ik->trial, ik->r_trial);
    limpet_ik_jacobian(ik, 1, task);
    for (int k = 0; k < 6; ++k) {
      const double weight = k < 3 ? task->rotation_weight : task->position_weight;
      if (weight > 0.0) twist[k] -= side * limpet_dot(ik->n, ik->J + k * ik->n, v) / (2.0 * h * weight);
    }
  }
}

static void cartesian_plan(limpet_controller_part *part, const limpet_model *model, const limpet_data *data, double time,
                           limpet_update *update) {
  follower *f = part->plan;
  limpet_drive *drive = &part->drive;
  limpet_ik_settings settings = limpet_ik_settings_default();
  double velocity[6], acceleration[6];
  (void)model;
  limpet_path_at(f->path, time, &f->task.target, velocity, acceleration);
  if (!f->started) {
    for (int i = 0; i < drive->n; ++i) drive->wanted_q[i] = data->q[drive->q[i]];
    settings.restart_limit = 20;
    settings.posture = f->posture;
  }
  f->started = true;
  const bool reached = limpet_ik_solve(f->ik, data, 1, &f->task, &settings, drive->wanted_q, NULL) == LIMPET_IK_SOLVED;
  if (!reached) {
    update->unreached = true;
    memset(drive->wanted_v, 0, (size_t)drive->n * sizeof(double));
    memset(drive->wanted_a, 0, (size_t)drive->n * sizeof(double));
    return;
  }
  limpet_ik_jacobian(f->ik, 1, &f->task);
  rates(f->ik, &f->task, velocity, drive->wanted_v);
  turning_take(f->ik, &f->task, drive->wanted_q, drive->wanted_v, acceleration);
  limpet_ik_cost(f->ik, 1, &f->task, drive->wanted_q, f->ik->r_trial);
  limpet_ik_jacobian(f->ik, 1, &f->task);
  rates(f->ik, &f->task, acceleration, drive->wanted_a);
}

const limpet_controller_kind limpet_controller_cartesian = {
    .descriptor = {.name = "cartesian",
                   .text = "A body or site follows a line or circle; joint motion by inverse kinematics at every step.",
                   .reference = "src/control/controller_cartesian.c"},
    .read = cartesian_read,
    .plan = cartesian_plan,
    .reset = cartesian_reset,
    .release = cartesian_release,
};

/* scenes/aloha_lift/make_controls.c: writes controls.csv: the right arm of gym-aloha's bimanual ViperX picks the cube up, lifts it 0.2 m and
 * shakes it 5 cm peak to peak, vertically, at 2 Hz for 5 s.
 *
 *   usage: aloha_lift_make_controls bimanual_viperx_transfer_cube.xml > controls.csv
 *
 * The gripper points straight down and follows waypoints of its link's position. Joint angles come from inverse kinematics, by damped least
 * squares on the 6-vector of position and orientation error:
 *   dq = J' (J J' + lambda^2 I)^-1 e
 * Joint velocities and accelerations are central differences of the angles. The position servos (force kp (u - q)) get
 *   u = q + (M qddot + bias + c qdot)/kp
 * c [N m s/rad] is what MuJoCo's frictionloss does below its slip speed: c = b d/((1 - d) Ahat), from solreffriction, solimpfriction
 * (docs/mjcf-contact.md). Nothing but these controls acts on the robot when the scene runs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limpet/limpet.h"

enum { ARM = 6, MOST = 64 };

static const double row_interval = 0.02;  // [s]  between rows of the file
static const double sample = 1e-3;        // [s]  for differences
static const double end_time = 11.0;      // [s]
static const double cube_x = 0.2, cube_y = 0.5;
static const double above = 0.28, grasp = 0.163,
                    lift = 0.2;  // [m]  heights of the gripper link: before, at, and added after the grasp
static const double shake_amplitude = 0.02515, shake_frequency = 2.0, shake_start = 5.5, shake_time = 5.0;
static const double finger_open = 0.057,
                    finger_closed = 0.021;  // [m]  commands of the left finger; the right one's are negative
static const double pi = 3.14159265358979323846;

// Minimum-jerk blend from 0 at t0 to 1 at t1.
static double blend(double t, double t0, double t1) {
  const double s = fmin(fmax((t - t0) / (t1 - t0), 0.0), 1.0);
  return s * s * s * (10.0 - 15.0 * s + 6.0 * s * s);
}

static double height_at(double t) {
  double z = above + (grasp - above) * blend(t, 1.7, 2.5) + lift * blend(t, 3.6, 5.0);
  const double shaken = fmin(fmax(t - shake_start, 0.0), shake_time);
  return z + shake_amplitude * (1.0 - cos(2.0 * pi * shake_frequency * shaken));
}

static double finger_at(double t) { return finger_open + (finger_closed - finger_open) * blend(t, 2.6, 2.9); }

typedef struct arm {
  limpet_model *model;
  limpet_data *data;
  int body;  // gripper link
  int q[ARM], v[ARM];
  double home[ARM];
} arm;

static const char *const joint_names[ARM] = {"waist", "shoulder", "elbow", "forearm_roll", "wrist_angle", "wrist_rotate"};

static int arm_find(arm *a) {
  char name[64];
  a->body = limpet_model_find(a->model, LIMPET_OBJECT_BODY, "vx300s_right/gripper_link");
  if (a->body < 0) return 1;
  for (int i = 0; i < ARM; ++i) {
    snprintf(name, sizeof name, "vx300s_right/%s", joint_names[i]);
    const int joint = limpet_model_find(a->model, LIMPET_OBJECT_JOINT, name);
    if (joint < 0) return 1;
    a->q[i] = a->model->joint_q[joint], a->v[i] = a->model->joint_v[joint];
    a->home[i] = a->model->keyframe_q[a->q[i]];
  }
  return 0;
}

// Solves the symmetric positive definite 6 x 6 system A x = b in place, by Gauss without pivoting.
static void solve6(double A[36], double b[6]) {
  for (int k = 0; k < 6; ++k)
    for (int i = k + 1; i < 6; ++i) {
      const double f = A[6 * i + k] / A[6 * k + k];
      for (int j = k; j < 6; ++j) A[6 * i + j] -= f * A[6 * k + j];
      b[i] -= f * b[k];
    }
  for (int i = 5; i >= 0; --i) {
    for (int j = i + 1; j < 6; ++j) b[i] -= A[6 * i + j] * b[j];
    b[i] /= A[6 * i + i];
  }
}

// Error of the gripper: rotation vector to the wanted axes (columns of R: x down, y to -y of the world), then position.
static double gripper_error(const arm *a, double z, double e[6]) {
  static const double wanted[9] = {0, 0, -1, 0, -1, 0, -1, 0, 0};
  const double *R = a->data->body_rotation + 9 * a->body, *p = a->data->body_position + 3 * a->body;
  for (int i = 0; i < 3; ++i) e[i] = 0.0;
  for (int axis = 0; axis < 3; ++axis) {  // 1/2 sum r x wanted
    const double r[3] = {R[axis], R[3 + axis], R[6 + axis]}, w[3] = {wanted[axis], wanted[3 + axis], wanted[6 + axis]};
    e[0] += 0.5 * (r[1] * w[2] - r[2] * w[1]);
    e[1] += 0.5 * (r[2] * w[0] - r[0] * w[2]);
    e[2] += 0.5 * (r[0] * w[1] - r[1] * w[0]);
  }
  e[3] = cube_x - p[0], e[4] = cube_y - p[1], e[5] = z - p[2];
  double size = 0.0;
  for (int i = 0; i < 6; ++i) size += e[i] * e[i];
  return sqrt(size);
}

// Joint angles for the gripper at height z, from the angles in q. Returns the error that is left [m, rad].
static double inverse_kinematics(arm *a, double z, double q[ARM]) {
  double J[6 * MOST], e[6], error = INFINITY;
  for (int iteration = 0; iteration < 200; ++iteration) {
    for (int i = 0; i < ARM; ++i) a->data->q[a->q[i]] = q[i];
    limpet_kinematics(a->model, a->data);
    error = gripper_error(a, z, e);
    if (error < 1e-12) break;
    limpet_jacobian(a->model, a->data, a->body, a->data->body_position + 3 * a->body, J);
    double A[36], lambda = 1e-4 + 0.05 * fmin(error, 1.0);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) {
        A[6 * i + j] = i == j ? lambda * lambda : 0.0;
        for (int k = 0; k < ARM; ++k) A[6 * i + j] += J[i * a->model->nv + a->v[k]] * J[j * a->model->nv + a->v[k]];
      }
    solve6(A, e);
    for (int k = 0; k < ARM; ++k)
      for (int i = 0; i < 6; ++i) q[k] += J[i * a->model->nv + a->v[k]] * e[i];
  }
  return error;
}

// Wanted joint angles at time t: from home to above the cube by t = 1.5 s in joint space, then along the heights.
static double angles_at(arm *a, double t, const double start[ARM], double q[ARM]) {
  memcpy(q, start, ARM * sizeof *q);
  const double error = inverse_kinematics(a, height_at(t), q);
  const double s = blend(t, 0.2, 1.6);
  for (int i = 0; i < ARM; ++i) q[i] = a->home[i] + s * (q[i] - a->home[i]);
  return error;
}

// Damping that MuJoCo's soft frictionloss amounts to [N m s/rad].
static double friction_damping(const limpet_model *model, int v) {
  if (!(model->dof_dry_friction[v] > 0.0)) return 0.0;
  const limpet_impedance *p = &model->dof_dry_friction_impedance[v];
  const double d = p->impedance[0], b = 2.0 / (p->impedance[1] * p->reference[0]);
  return b * d / ((1.0 - d) * model->dof_inverse_weight[v]);
}

// Commands of the arm's servos: angles plus what the servo must push with.
static void commands_at(arm *a, double t, const double above_cube[ARM], double u[ARM]) {
  double q[3][ARM], vdot[MOST] = {0}, tau[MOST];
  for (int k = 0; k < 3; ++k) angles_at(a, t + (k - 1) * sample, above_cube, q[k]);
  memset(a->data->v, 0, (size_t)a->model->nv * sizeof *a->data->v);
  for (int i = 0; i < ARM; ++i) {
    a->data->q[a->q[i]] = q[1][i];
    a->data->v[a->v[i]] = (q[2][i] - q[0][i]) / (2.0 * sample);
    vdot[a->v[i]] = (q[2][i] - 2.0 * q[1][i] + q[0][i]) / (sample * sample);
  }
  limpet_kinematics(a->model, a->data);
  limpet_velocity_kinematics(a->model, a->data);
  limpet_rnea(a->model, a->data, vdot, tau);
  for (int i = 0; i < ARM; ++i) {
    char name[64];
    snprintf(name, sizeof name, "vx300s_right/%s", joint_names[i]);
    const int actuator = limpet_model_find(a->model, LIMPET_OBJECT_ACTUATOR, name);
    const double kp = a->model->actuator_gain[3 * actuator];
    u[i] = q[1][i] + (tau[a->v[i]] + friction_damping(a->model, a->v[i]) * a->data->v[a->v[i]]) / kp;
  }
}

static void print_header(const limpet_model *model) {
  printf("time");
  for (int i = 0; i < model->actuator_count; ++i) printf(",%s", limpet_model_name(model, LIMPET_OBJECT_ACTUATOR, i));
  printf("\n");
}

static void print_row(const arm *a, double t, const double u[ARM]) {
  const limpet_model *model = a->model;
  printf("%.2f", t);
  for (int i = 0; i < model->actuator_count; ++i) {
    const char *name = limpet_model_name(model, LIMPET_OBJECT_ACTUATOR, i);
    double value = model->keyframe_q[model->joint_q[model->actuator_target[i]]];  // the left arm stays where it is
    if (strcmp(name, "vx300s_right/left_finger") == 0) value = finger_at(t);
    if (strcmp(name, "vx300s_right/right_finger") == 0) value = -finger_at(t);
    for (int k = 0; k < ARM; ++k) {
      char joint[64];
      snprintf(joint, sizeof joint, "vx300s_right/%s", joint_names[k]);
      if (strcmp(name, joint) == 0) value = u[k];
    }
    printf(",%.6f", value);
  }
  printf("\n");
}

int main(int argument_count, char **arguments) {
  if (argument_count != 2) {
    fprintf(stderr, "usage: %s bimanual_viperx_transfer_cube.xml > controls.csv\n", arguments[0]);
    return 2;
  }
  limpet_error error;
  arm a = {.model = limpet_load(arguments[1], NULL, &error)};
  if (!a.model) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  a.data = limpet_data_create(a.model);
  if (!a.data || a.model->nv > MOST || a.model->keyframe_count < 1 || arm_find(&a)) {
    fprintf(stderr, "%s: this is not gym-aloha's transfer-cube scene\n", arguments[1]);
    return 1;
  }
  limpet_data_reset_keyframe(a.model, a.data, 0);

  // angles above the cube once, from a bent guess; every later solution starts there
  double start[ARM] = {0.0, -0.3, 0.9, 0.0, 1.0, 0.0}, worst = inverse_kinematics(&a, above, start);
  print_header(a.model);
  for (int row = 0; row * row_interval <= end_time + 1e-9; ++row) {
    double u[ARM], q[ARM];
    const double t = row * row_interval;
    worst = fmax(worst, angles_at(&a, t, start, q));
    commands_at(&a, t, start, u);
    print_row(&a, t, u);
  }
  fprintf(stderr, "inverse kinematics: largest error %.3g m or rad\n", worst);
  limpet_data_destroy(a.data);
  limpet_model_destroy(a.model);
  return worst < 1e-6 ? 0 : 1;
}

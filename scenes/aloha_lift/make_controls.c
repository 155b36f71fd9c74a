/* scenes/aloha_lift/make_controls.c: writes controls.csv: the right arm of gym-aloha's bimanual ViperX picks the cube up, lifts
 * it 0.2 m and shakes it 5 cm peak to peak, vertically, at 2 Hz for 5 s.
 *
 *   usage: aloha_lift_make_controls bimanual_viperx_transfer_cube.xml > controls.csv
 *
 * The gripper points straight down and follows heights of its link over the cube; joint angles by inverse kinematics
 * (scenes/support/inverse_kinematics.h). Joint velocities and accelerations are central differences of the angles.
 * The position servos (force kp (u - q)) get
 *   u = q + (M qddot + bias + c qdot)/kp
 * c [N m s/rad] is what MuJoCo's frictionloss does below its slip speed: c = b d/((1 - d) Ahat), from solreffriction,
 * solimpfriction (docs/mjcf-contact.md). Nothing but these controls acts on the robot when the scene runs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "inverse_kinematics.h"
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
  reach hand;  // gripper link
  double home[ARM];
} arm;

static const char *const joint_names[ARM] = {"vx300s_right/waist",       "vx300s_right/shoulder",
                                             "vx300s_right/elbow",       "vx300s_right/forearm_roll",
                                             "vx300s_right/wrist_angle", "vx300s_right/wrist_rotate"};

// Joint angles for the gripper pointing down (x down, y to -y of the world) over the cube at height z, from the angles in q.
static double angles_down(arm *a, double z, double q[ARM]) {
  static const double axes[9] = {0, 0, -1, 0, -1, 0, -1, 0, 0};
  return reach_pose(&a->hand, (double[3]){cube_x, cube_y, z}, axes, q);
}

// Wanted joint angles at time t: from home to above the cube by t = 1.5 s in joint space, then along the heights.
static double angles_at(arm *a, double t, const double start[ARM], double q[ARM]) {
  memcpy(q, start, ARM * sizeof *q);
  const double error = angles_down(a, height_at(t), q);
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
    a->data->q[a->hand.q[i]] = q[1][i];
    a->data->v[a->hand.v[i]] = (q[2][i] - q[0][i]) / (2.0 * sample);
    vdot[a->hand.v[i]] = (q[2][i] - 2.0 * q[1][i] + q[0][i]) / (sample * sample);
  }
  limpet_kinematics(a->model, a->data);
  limpet_velocity_kinematics(a->model, a->data);
  limpet_rnea(a->model, a->data, vdot, tau);
  for (int i = 0; i < ARM; ++i) {
    const int actuator = limpet_model_find(a->model, LIMPET_OBJECT_ACTUATOR, joint_names[i]);
    const double kp = a->model->actuator_gain[3 * actuator];
    u[i] = q[1][i] + (tau[a->hand.v[i]] + friction_damping(a->model, a->hand.v[i]) * a->data->v[a->hand.v[i]]) / kp;
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
    for (int k = 0; k < ARM; ++k)
      if (strcmp(name, joint_names[k]) == 0) value = u[k];
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
  if (!a.data || a.model->nv > MOST || a.model->keyframe_count < 1 ||
      reach_find(&a.hand, a.model, a.data, "vx300s_right/gripper_link", ARM, joint_names)) {
    fprintf(stderr, "%s: this is not gym-aloha's transfer-cube scene\n", arguments[1]);
    return 1;
  }
  limpet_data_reset_keyframe(a.model, a.data, 0);
  for (int i = 0; i < ARM; ++i) a.home[i] = a.model->keyframe_q[a.hand.q[i]];

  // angles above the cube once, from a bent guess; every later solution starts there
  double start[ARM] = {0.0, -0.3, 0.9, 0.0, 1.0, 0.0}, worst = angles_down(&a, above, start);
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

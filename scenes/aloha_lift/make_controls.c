/* scenes/aloha_lift/make_controls.c: writes controls.csv: the right arm of gym-aloha's bimanual
 * ViperX picks the cube up, lifts it 0.2 m and shakes it 5 cm peak to peak, vertically, at 2 Hz for
 * 5 s.
 *
 *   usage: aloha_lift_make_controls bimanual_viperx_transfer_cube.xml > controls.csv
 *
 * The gripper points straight down and follows heights of its link over the cube; joint angles by
 * inverse kinematics (limpet/control.h). Joint velocities and accelerations are central differences
 * of the angles. The position servos get the control with which they exert, there, the force that
 * the motion takes: that of inverse dynamics with dry friction. Nothing but these controls acts on
 * the robot when the scene runs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "limpet/limpet.h"

enum { ARM = 6 };

static const double row_interval = 0.02;  // [s]  between rows of the file
static const double sample = 1e-3;        // [s]  for differences
static const double end_time = 11.0;      // [s]
static const double cube_x = 0.2, cube_y = 0.5;
static const double
    above = 0.28,
    grasp = 0.163,
    lift = 0.2;  // [m]  heights of the gripper link: before, at, and added after the grasp
static const double shake_amplitude = 0.02515, shake_frequency = 2.0, shake_start = 5.5,
                    shake_time = 5.0;
static const double finger_open = 0.057,
                    finger_closed =
                        0.021;  // [m]  commands of the left finger; the right one's are negative
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

static double finger_at(double t) {
  return finger_open + (finger_closed - finger_open) * blend(t, 2.6, 2.9);
}

typedef struct arm {
  limpet_model *model;
  limpet_data *data;
  limpet_ik *ik;
  limpet_ik_task hand;  // gripper link
  limpet_inverse_dynamics *dynamics;
  int q[ARM], v[ARM], actuator[ARM];
  double home[ARM];
} arm;

static const char *const joint_names[ARM] = {
    "vx300s_right/waist",        "vx300s_right/shoulder",    "vx300s_right/elbow",
    "vx300s_right/forearm_roll", "vx300s_right/wrist_angle", "vx300s_right/wrist_rotate"};

// Joint angles for the gripper pointing down (x down, y to -y of the world) over the cube at height
// z, from the angles in q. Returns what is left of the error [m].
static double angles_down(arm *a, double z, double q[ARM]) {
  limpet_ik_settings settings = limpet_ik_settings_default();
  limpet_ik_info info;
  settings.position_tolerance = settings.rotation_tolerance = 1e-13;
  a->hand.target = (limpet_pose){{cube_x, cube_y, z}, {0.0, sqrt(0.5), 0.0, -sqrt(0.5)}};
  limpet_ik_solve(a->ik, a->data, 1, &a->hand, &settings, q, &info);
  return fmax(info.position_error, info.rotation_error);
}

// Wanted joint angles at time t: from home to above the cube by t = 1.5 s in joint space, then
// along the heights.
static double angles_at(arm *a, double t, const double start[ARM], double q[ARM]) {
  memcpy(q, start, ARM * sizeof *q);
  const double error = angles_down(a, height_at(t), q);
  const double s = blend(t, 0.2, 1.6);
  for (int i = 0; i < ARM; ++i) q[i] = a->home[i] + s * (q[i] - a->home[i]);
  return error;
}

// Commands of the arm's servos: angles plus what the servo must push with.
static void commands_at(arm *a, double t, const double above_cube[ARM], double u[ARM]) {
  double q[3][ARM], v[ARM], vdot[ARM], tau[ARM];
  for (int k = 0; k < 3; ++k) angles_at(a, t + (k - 1) * sample, above_cube, q[k]);
  for (int i = 0; i < ARM; ++i) {
    v[i] = (q[2][i] - q[0][i]) / (2.0 * sample);
    vdot[i] = (q[2][i] - 2.0 * q[1][i] + q[0][i]) / (sample * sample);
  }
  limpet_inverse_dynamics_forces(a->dynamics, a->data, q[1], v, vdot, v, tau);
  for (int i = 0; i < ARM; ++i)
    limpet_actuator_command(a->model, a->actuator[i], q[1][i], v[i], tau[i], &u[i]);
}

static void print_header(const limpet_model *model) {
  printf("time");
  for (int i = 0; i < model->actuator_count; ++i)
    printf(",%s", limpet_model_name(model, LIMPET_OBJECT_ACTUATOR, i));
  printf("\n");
}

static void print_row(const arm *a, double t, const double u[ARM]) {
  const limpet_model *model = a->model;
  printf("%.2f", t);
  for (int i = 0; i < model->actuator_count; ++i) {
    const char *name = limpet_model_name(model, LIMPET_OBJECT_ACTUATOR, i);
    double value =
        model->keyframe_q[model->joint_q[model->actuator_target[i]]];  // the left arm stays where
                                                                       // it is
    if (strcmp(name, "vx300s_right/left_finger") == 0) value = finger_at(t);
    if (strcmp(name, "vx300s_right/right_finger") == 0) value = -finger_at(t);
    for (int k = 0; k < ARM; ++k)
      if (strcmp(name, joint_names[k]) == 0) value = u[k];
    printf(",%.6f", value);
  }
  printf("\n");
}

// Joints, gripper link and workspace; false, after a message, when the model is another one.
static bool arm_open(arm *a, const char *path) {
  limpet_error error = {.message = "this is not gym-aloha's transfer-cube scene"};
  int joint[ARM];
  a->model = limpet_load(path, NULL, &error);
  a->data = a->model && a->model->keyframe_count > 0 ? limpet_data_create(a->model) : NULL;
  bool found = a->data != NULL;
  for (int i = 0; found && i < ARM; ++i) {
    joint[i] = limpet_model_find(a->model, LIMPET_OBJECT_JOINT, joint_names[i]);
    found = joint[i] != LIMPET_NONE &&
            (a->actuator[i] = limpet_joint_actuator(a->model, joint[i], &error)) != LIMPET_NONE;
    if (!found) break;
    a->q[i] = a->model->joint_q[joint[i]], a->v[i] = a->model->joint_v[joint[i]];
    a->home[i] = a->model->keyframe_q[a->q[i]];
  }
  const int link =
      found ? limpet_model_find(a->model, LIMPET_OBJECT_BODY, "vx300s_right/gripper_link")
            : LIMPET_NONE;
  a->hand = limpet_ik_task_default(LIMPET_OBJECT_BODY, link);
  if (link != LIMPET_NONE) a->ik = limpet_ik_create(a->model, ARM, joint, 1, &error);
  if (a->ik) a->dynamics = limpet_inverse_dynamics_create(a->model, ARM, joint, &error);
  if (a->dynamics) limpet_data_reset_keyframe(a->model, a->data, 0);
  else fprintf(stderr, "%s: %s\n", path, error.message);
  return a->dynamics != NULL;
}

static void arm_close(arm *a) {
  limpet_inverse_dynamics_destroy(a->dynamics);
  limpet_ik_destroy(a->ik);
  limpet_data_destroy(a->data);
  if (a->model) limpet_model_destroy(a->model);
}

int main(int argument_count, char **arguments) {
  if (argument_count != 2) {
    fprintf(stderr, "usage: %s bimanual_viperx_transfer_cube.xml > controls.csv\n", arguments[0]);
    return 2;
  }
  arm a = {0};
  if (!arm_open(&a, arguments[1])) {
    arm_close(&a);
    return 1;
  }

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
  arm_close(&a);
  return worst < 1e-6 ? 0 : 1;
}

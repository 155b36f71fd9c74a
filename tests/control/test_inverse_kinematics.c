/* tests/control: inverse kinematics: random poses that can be reached, poses that cannot, singular
 * ones, limits, posture, several tasks. Arms: a planar one of two links, whose geometry is known,
 * the iiwa and ALOHA's. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "control/ik.h"
#include "limpet/limpet.h"
#include "mjcf_text.h"
#include "shared_data.h"

enum { MOST = 8 };

typedef struct arm {
  limpet_model *model;
  limpet_data *data;
  limpet_ik *ik;
  int n, joint[MOST];
  limpet_ik_task task;
} arm;

static arm arm_open(limpet_model *model, int n, const int *joint, limpet_object object,
                    const char *name) {
  limpet_error error;
  arm a = {.model = model, .n = n};
  memcpy(a.joint, joint, (size_t)n * sizeof *joint);
  a.data = limpet_data_create(model);
  a.ik = limpet_ik_create(model, n, joint, 2, &error);
  a.task = limpet_ik_task_default(object, limpet_model_find(model, object, name));
  assert_true(a.data && a.ik && a.task.index >= 0);
  return a;
}

static void arm_close(arm *a) {
  limpet_ik_destroy(a->ik);
  limpet_data_destroy(a->data);
  limpet_model_destroy(a->model);
}

static arm planar(void) {
  static const char text[] =
      "<mujoco><compiler angle='radian'/><worldbody><body name='upper'><joint name='a' axis='0 0 "
      "1' range='-3 3' "
      "limited='true'/>"
      "<geom type='capsule' fromto='0 0 0 .5 0 0' size='.02'/><body name='lower' pos='.5 0 0'>"
      "<joint name='b' axis='0 0 1' range='-2.5 2.5' limited='true'/><geom type='capsule' "
      "fromto='0 0 0 .3 0 0' size='.02'/>"
      "<site name='tip' pos='.3 0 0'/></body></body></worldbody></mujoco>";
  const int joints[2] = {0, 1};
  arm a = arm_open(mjcf_load(text), 2, joints, LIMPET_OBJECT_SITE, "tip");
  a.task.rotation_weight = 0.0;
  return a;
}

static arm shared_arm(const char *path, const char *const *names, int n, limpet_object object,
                      const char *name) {
  limpet_error error;
  int joint[MOST];
  if (!shared_exists(path)) skip();
  limpet_model *model = limpet_load(shared_path(path), NULL, &error);
  if (!model) printf("%s\n", error.message);
  assert_non_null(model);
  for (int i = 0; i < n; ++i) joint[i] = limpet_model_find(model, LIMPET_OBJECT_JOINT, names[i]);
  return arm_open(model, n, joint, object, name);
}

static arm iiwa(void) {
  static const char *const names[] = {"joint1", "joint2", "joint3", "joint4",
                                      "joint5", "joint6", "joint7"};
  return shared_arm("models/menagerie/kuka_iiwa_14/iiwa14.xml", names, 7, LIMPET_OBJECT_SITE,
                    "attachment_site");
}

static arm aloha(void) {
  static const char *const names[] = {"right/waist",       "right/shoulder",
                                      "right/elbow",       "right/forearm_roll",
                                      "right/wrist_angle", "right/wrist_rotate"};
  return shared_arm("models/menagerie/aloha/aloha.xml", names, 6, LIMPET_OBJECT_BODY,
                    "right/gripper_link");
}

static void random_angles(const arm *a, unsigned long *seed, double margin, double *q) {
  for (int i = 0; i < a->n; ++i) {
    const double *range = a->model->joint_range + 2 * a->joint[i], span = range[1] - range[0];
    q[i] = random_uniform(seed, range[0] + margin * span, range[1] - margin * span);
  }
}

// The pose that the frame of the task has at q.
static void pose_at(const arm *a, const double *q, limpet_pose *pose) {
  for (int i = 0; i < a->n; ++i) a->data->q[a->model->joint_q[a->joint[i]]] = q[i];
  limpet_kinematics(a->model, a->data);
  limpet_ik_frame(a->model, a->data, &a->task, pose);
}

static void expect_within_limits(const arm *a, const double *q) {
  for (int i = 0; i < a->n; ++i)
    assert_true(q[i] >= a->model->joint_range[2 * a->joint[i]] &&
                q[i] <= a->model->joint_range[2 * a->joint[i] + 1]);
}

/* Poses of random angles are reached to 1e-8 m and rad from a pose that has nothing to do with
 * them, checked by kinematics of the test's own world. */
static void expect_all_reached(arm a, int count) {
  unsigned long seed = 7;
  limpet_ik_settings settings = limpet_ik_settings_default();
  settings.restart_limit = 50;
  int iterations = 0, restarts = 0;
  double start[MOST], worst = 0.0;
  random_angles(&a, &seed, 0.2, start);
  for (int k = 0; k < count; ++k) {
    double q[MOST], given[MOST];
    limpet_pose reached;
    limpet_ik_info info;
    random_angles(&a, &seed, 0.02, given);
    pose_at(&a, given, &a.task.target);
    memcpy(q, start, sizeof q);
    assert_int_equal(limpet_ik_solve(a.ik, a.data, 1, &a.task, &settings, q, &info),
                     LIMPET_IK_SOLVED);
    pose_at(&a, q, &reached);
    double same = 0.0, miss = 0.0;
    for (int i = 0; i < 4; ++i) same += reached.quaternion[i] * a.task.target.quaternion[i];
    for (int i = 0; i < 3; ++i)
      miss = fmax(miss, fabs(reached.position[i] - a.task.target.position[i]));
    assert_true(miss < 1e-8 && fabs(same) > 1.0 - 1e-15);
    worst = fmax(worst, miss);
    expect_within_limits(&a, q);
    iterations += info.iterations, restarts += info.restarts;
  }
  printf("%d poses: %.1f iterations, %.2f restarts on average, worst miss %.2g m\n", count,
         (double)iterations / count, (double)restarts / count, worst);
  arm_close(&a);
}

static void iiwa_reaches_random_poses(void **state) {
  (void)state;
  expect_all_reached(iiwa(), 200);
}

static void aloha_reaches_random_poses(void **state) {
  (void)state;
  expect_all_reached(aloha(), 200);
}

static void planar_arm_has_its_closed_form(void **state) {
  (void)state;
  arm a = planar();
  const double x = 0.45, y = 0.4, l1 = 0.5, l2 = 0.3;
  double q[2] = {0.3, 0.8};
  limpet_ik_info info;
  a.task.target.position[0] = x, a.task.target.position[1] = y;
  assert_int_equal(limpet_ik_solve(a.ik, a.data, 1, &a.task, NULL, q, &info), LIMPET_IK_SOLVED);
  const double elbow = acos((x * x + y * y - l1 * l1 - l2 * l2) / (2.0 * l1 * l2));
  assert_true(fabs(q[1] - elbow) < 1e-8);
  assert_true(fabs(q[0] - (atan2(y, x) - atan2(l2 * sin(elbow), l1 + l2 * cos(elbow)))) < 1e-8);
  arm_close(&a);
}

// Out of reach: the tip ends on the line to the target, at full stretch, and the outcome says so.
static void out_of_reach_comes_nearest(void **state) {
  (void)state;
  arm a = planar();
  double q[2] = {0.3, 0.8};
  limpet_pose tip;
  limpet_ik_info info;
  a.task.target.position[0] = 0.9, a.task.target.position[1] = 0.9;
  assert_int_equal(limpet_ik_solve(a.ik, a.data, 1, &a.task, NULL, q, &info), LIMPET_IK_NEAREST);
  const double reach = 0.8, distance = hypot(0.9, 0.9);
  pose_at(&a, q, &tip);
  printf("out of reach: %d iterations, error above the least %.2g m\n", info.iterations,
         info.position_error - (distance - reach));
  assert_true(fabs(info.position_error - (distance - reach)) < 1e-9);
  assert_true(fabs(tip.position[0] - reach * sqrt(0.5)) < 1e-5 &&
              fabs(tip.position[1] - reach * sqrt(0.5)) < 1e-5);
  assert_string_equal(limpet_ik_outcome_word(info.outcome), "out of reach");

  // too near: inside the ring, with the elbow at its limit of 2.5 rad
  a.task.target.position[0] = a.task.target.position[1] = 0.01;
  assert_int_equal(limpet_ik_solve(a.ik, a.data, 1, &a.task, NULL, q, &info), LIMPET_IK_NEAREST);
  const double least = sqrt(0.25 + 0.09 + 2.0 * 0.5 * 0.3 * cos(2.5));
  assert_true(fabs(fabs(q[1]) - 2.5) < 1e-12);
  assert_true(fabs(info.position_error - (least - hypot(0.01, 0.01))) < 1e-9);
  arm_close(&a);
}

// From the stretched arm, whose Jacobian has no row along the arm, a target on that line is found,
// and nothing grows large.
static void stretched_arm_folds(void **state) {
  (void)state;
  arm a = planar();
  double q[2] = {0.0, 0.0};
  a.task.target.position[0] = 0.5;
  assert_int_equal(limpet_ik_solve(a.ik, a.data, 1, &a.task, NULL, q, NULL), LIMPET_IK_SOLVED);
  expect_within_limits(&a, q);
  arm_close(&a);

  // the iiwa upright: three axes in one line
  arm b = iiwa();
  double up[MOST] = {0}, bent[MOST] = {0.0, 0.0, 0.0, -1e-3, 0.0, 1e-3, 0.0};
  pose_at(&b, bent, &b.task.target);
  assert_int_equal(limpet_ik_solve(b.ik, b.data, 1, &b.task, NULL, up, NULL), LIMPET_IK_SOLVED);
  for (int i = 0; i < b.n; ++i) assert_true(fabs(up[i]) < 1.0);
  arm_close(&b);
}

// The redundant joint goes to where the posture is nearest: no motion that keeps the pose brings it
// nearer.
static void posture_is_sought_in_what_is_free(void **state) {
  (void)state;
  arm a = iiwa();
  const double given[7] = {0.3, 0.6, -0.2, -1.2, 0.4, 0.9, 0.1},
               posture[7] = {0.0, 0.7, 0.0, -1.3, 0.0, 1.0, 0.0};
  limpet_ik_settings settings = limpet_ik_settings_default();
  double plain[MOST] = {0.3, 0.6, -0.2, -1.2, 0.4, 0.9, 0.1}, drawn[MOST], away[2] = {0.0, 0.0};
  pose_at(&a, given, &a.task.target);
  memcpy(drawn, plain, sizeof drawn);
  settings.posture = posture;
  limpet_ik_info info;
  assert_int_equal(limpet_ik_solve(a.ik, a.data, 1, &a.task, &settings, drawn, &info),
                   LIMPET_IK_SOLVED);
  for (int i = 0; i < 7; ++i) {
    away[0] += (plain[i] - posture[i]) * (plain[i] - posture[i]);
    away[1] += (drawn[i] - posture[i]) * (drawn[i] - posture[i]);
  }
  printf("posture: distance %.4f rad from %.4f, %d iterations\n", sqrt(away[1]), sqrt(away[0]),
         info.iterations);
  assert_true(away[1] < 0.9 * away[0]);

  // stationary: the difference from the posture is a combination of the rows of J
  double r[6], residual[7], gram[6][7];
  limpet_ik_cost(a.ik, 1, &a.task, drawn, r);
  limpet_ik_jacobian(a.ik, 1, &a.task);
  for (int i = 0; i < 7; ++i) residual[i] = posture[i] - drawn[i];
  for (int k = 0; k < 6; ++k) {  // Gram-Schmidt, twice for good measure
    for (int i = 0; i < 7; ++i) gram[k][i] = a.ik->J[7 * k + i];
    for (int pass = 0; pass < 2; ++pass)
      for (int l = 0; l < k; ++l) {
        double dot = 0.0;
        for (int i = 0; i < 7; ++i) dot += gram[k][i] * gram[l][i];
        for (int i = 0; i < 7; ++i) gram[k][i] -= dot * gram[l][i];
      }
    double norm = 0.0, along = 0.0;
    for (int i = 0; i < 7; ++i) norm += gram[k][i] * gram[k][i];
    for (int i = 0; i < 7; ++i) gram[k][i] /= sqrt(norm);
    for (int i = 0; i < 7; ++i) along += gram[k][i] * residual[i];
    for (int i = 0; i < 7; ++i) residual[i] -= along * gram[k][i];
  }
  for (int i = 0; i < 7; ++i) assert_true(fabs(residual[i]) < 1e-6);
  arm_close(&a);
}

// Two tasks that contradict each other are met in the ratio of their squared weights.
static void weights_decide_between_tasks(void **state) {
  (void)state;
  static const char text[] =
      "<mujoco><worldbody><body name='cart'><joint name='x' type='slide' axis='1 0 0'/><geom "
      "size='.1'/>"
      "</body></worldbody></mujoco>";
  const int joint = 0;
  arm a = arm_open(mjcf_load(text), 1, &joint, LIMPET_OBJECT_BODY, "cart");
  limpet_ik_task tasks[2] = {a.task, a.task};
  tasks[0].target.position[0] = 1.0, tasks[0].position_weight = 1.0;
  tasks[1].target.position[0] = 4.0, tasks[1].position_weight = sqrt(2.0);
  double q = 0.0;
  limpet_ik_info info;
  assert_int_equal(limpet_ik_solve(a.ik, a.data, 2, tasks, NULL, &q, &info), LIMPET_IK_NEAREST);
  assert_true(fabs(q - 3.0) < 1e-7);  // (1*1 + 2*4)/3
  tasks[0].target.position[0] = NAN;
  assert_int_equal(limpet_ik_solve(a.ik, a.data, 2, tasks, NULL, &q, &info),
                   LIMPET_IK_NUMERICAL_FAILURE);
  arm_close(&a);
}

/* Gradient and Hessian of the cost against differences (h = 1e-4: h^2 and 1e-16/h^2 are both
 * 1e-8). For positions the Hessian is exact; for turns up to the square of the error, here (0.04
 * rad)^2. */
static void derivatives_are_those_of_the_cost(void **state) {
  (void)state;
  arm a = iiwa();
  unsigned long seed = 11;
  const double h = 1e-4;
  for (int k = 0; k < 20; ++k) {
    const bool turns = k % 2;
    double q[MOST], r[6], other[MOST], worst = 0.0, most = 0.0;
    random_angles(&a, &seed, 0.1, q);
    for (int i = 0; i < 7; ++i)
      other[i] = q[i] + random_uniform(&seed, -0.02, 0.02) * (turns ? 1.0 : 20.0);
    pose_at(&a, other, &a.task.target);
    a.task.rotation_weight = turns ? 0.7 : 0.0, a.task.position_weight = turns ? 0.0 : 1.5;
    limpet_ik_cost(a.ik, 1, &a.task, q, a.ik->r);
    limpet_ik_jacobian(a.ik, 1, &a.task);
    for (int i = 0; i < 7; ++i)
      for (int j = 0; j < 7; ++j) {
        double cost[4], hessian = -limpet_ik_curvature(a.ik, 1, i, j), J[2][6];
        for (int m = 0; m < 6; ++m)
          J[0][m] = a.ik->J[7 * m + i], J[1][m] = a.ik->J[7 * m + j], hessian += J[0][m] * J[1][m];
        for (int m = 0; m < 4; ++m) {
          memcpy(other, q, sizeof other);
          other[i] += m & 1 ? h : -h, other[j] += m & 2 ? h : -h;
          cost[m] = limpet_ik_cost(a.ik, 1, &a.task, other, r);
        }
        worst =
            fmax(worst, fabs((cost[3] - cost[2] - cost[1] + cost[0]) / (4.0 * h * h) - hessian));
        most = fmax(most, fabs(limpet_ik_curvature(a.ik, 1, i, j)));
      }
    assert_true(worst < (turns ? 8e-4 : 1e-6) && worst < 0.1 * most);
  }
  arm_close(&a);
}

static void wrong_joints_are_refused(void **state) {
  (void)state;
  limpet_error error;
  limpet_model *model = mjcf_load(
      "<mujoco><worldbody><body><joint name='h'/><geom size='.1'/></body><body><freejoint "
      "name='f'/>"
      "<geom size='.1'/></body></worldbody></mujoco>");
  assert_null(limpet_ik_create(model, 1, (int[]){1}, 1, &error));
  assert_non_null(strstr(error.message, "'f' is a free joint"));
  assert_null(limpet_ik_create(model, 2, (int[]){0, 0}, 1, &error));
  assert_non_null(strstr(error.message, "twice"));
  assert_null(limpet_ik_create(model, 1, (int[]){7}, 1, &error));
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planar_arm_has_its_closed_form),
      cmocka_unit_test(out_of_reach_comes_nearest),
      cmocka_unit_test(weights_decide_between_tasks),
      cmocka_unit_test(wrong_joints_are_refused),
      cmocka_unit_test(derivatives_are_those_of_the_cost),
      cmocka_unit_test(stretched_arm_folds),
      cmocka_unit_test(posture_is_sought_in_what_is_free),
      cmocka_unit_test(iiwa_reaches_random_poses),
      cmocka_unit_test(aloha_reaches_random_poses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

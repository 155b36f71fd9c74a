/* tests/contact/test_static_depth.c: how deep things rest in contacts and joint limits whose
 * impedance an author set, compared with MuJoCo.
 *
 * The numbers below were measured with MuJoCo 4.0.1 by tools/measure_static_depth.py: elliptic
 * cone, 40 s, until no acceleration was above 1e-7. Depth: margin - gap - distance, mean over
 * the contacts of a pair of geoms. Five scenes: a sphere (standard form), a stiff box (four
 * contacts share the load), a capsule (direct form; upper arc of the impedance), a heavy sphere
 * (two impedances mix), a stack (priority; explicit pair with a margin; the depth is the lower
 * box's). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "limpet/limpet.h"

typedef struct rest {
  const char *scene;
  int geom[2];
  double margin;  // [m]
  double depth;   // [m]  MuJoCo's
} rest;

static const rest rests[] = {
    {"sphere", {0, 1}, 0.0, 4.194115525e-4},      {"stiff_box", {0, 1}, 0.0, 1.363646490e-6},
    {"direct_form", {0, 1}, 0.0, 3.948528458e-5}, {"mixed", {0, 1}, 0.0, 2.034430852e-3},
    {"stack", {0, 1}, 0.0, 5.876095509e-4},       {"stack", {1, 2}, 1e-3, 1.921162074e-3},
};

// The world of a scene after 10 s; destroy data and its model.
static limpet_data *settled(const char *scene) {
  char path[512];
  limpet_error error;
  snprintf(path, sizeof path, "%s/tests/contact/static_depth/%s.xml", LIMPET_SOURCE_DIR, scene);
  limpet_model *model = limpet_load(path, NULL, &error);
  if (!model) fail_msg("%s", error.message);
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  while (data->time < 10.0)
    assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
  return data;
}

static void destroy(limpet_data *data) {
  limpet_model *model = (limpet_model *)data->model;
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// Depth at which a scene rests, mean over the contacts of the two geoms.
static double depth_of(const rest *r) {
  limpet_data *data = settled(r->scene);

  double sum = 0.0;
  int count = 0;
  for (int i = 0; i < data->contact_count; ++i) {
    if (data->contact_geom[2 * i] != r->geom[0] || data->contact_geom[2 * i + 1] != r->geom[1])
      continue;
    sum += r->margin - data->contact_distance[i];
    ++count;
  }
  destroy(data);
  assert_true(count > 0);
  return sum / count;
}

/* At rest both programs obey m g = sum of K(r) r with the same K, and velocity terms vanish. 1e-4
 * of the depth: what is left of the motion after 10 s (1e-6 seen), far below what a wrong factor of
 * d(r), a wrong weight or a wrong rule of mixing makes (5 % and more). */
static void depths_of_author_set_contacts_are_those_of_mujoco(void **state) {
  (void)state;
  double worst = 0.0;
  for (size_t i = 0; i < sizeof rests / sizeof rests[0]; ++i) {
    const double depth = depth_of(&rests[i]), error = fabs(depth / rests[i].depth - 1.0);
    printf("%-12s geoms %d %d: depth %10.4f um, MuJoCo %10.4f um, relative difference %.1e\n",
           rests[i].scene, rests[i].geom[0], rests[i].geom[1], 1e6 * depth, 1e6 * rests[i].depth,
           error);
    worst = fmax(worst, error);
  }
  assert_true(worst < 1e-4);
}

/* The difference that is meant: a geom with MuJoCo's own defaults has no material, so it is
 * near-rigid and sinks m g w beta^2 dt^2/(4 pi^2) = 0.017 um, while MuJoCo sinks 367 um. */
static void default_contact_does_not_sink(void **state) {
  (void)state;
  const double mujoco = 3.671818425e-4,
               depth = depth_of(&(rest){.scene = "default", .geom = {0, 1}});
  printf("default     depth %.4f um, MuJoCo %.1f um\n", 1e6 * depth, 1e6 * mujoco);
  assert_true(depth > 0.0 && depth < 1e-6);
}

/* The same for rows of joints: two limits, an equality, and soft dry friction, which slips under a
 * weight with the speed f R/b. Tolerance as above. */
static void joints_rest_and_slip_as_in_mujoco(void **state) {
  (void)state;
  static const double q[4] = {-5.215021024e-3, 3.064282215e-2, -1.161451314e-1, -4.002743428e-2},
                      slip = -1.035499995e-2;
  limpet_data *data = settled("joints");
  for (int i = 0; i < 4; ++i) {
    printf("joint %d: q %.9g, MuJoCo %.9g\n", i, data->q[i], q[i]);
    assert_true(fabs(data->q[i] / q[i] - 1.0) < 1e-4);
  }
  printf("slip speed %.9g m/s, MuJoCo %.9g m/s\n", data->v[4], slip);
  assert_true(fabs(data->v[4] / slip - 1.0) < 1e-4);
  destroy(data);
}

/* The limit of a ball joint's angle, margin included. Tolerance as above. */
static void a_ball_joint_leans_on_its_limit_as_in_mujoco(void **state) {
  (void)state;
  const double mujoco = 5.602938918e-1;
  limpet_data *data = settled("ball_limit");
  const double *q = data->q;
  const double turn = 2.0 * atan2(sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), q[0]);
  printf("ball joint: turn %.9g rad, MuJoCo %.9g rad\n", turn, mujoco);
  assert_true(fabs(turn / mujoco - 1.0) < 1e-4);
  destroy(data);
}

/* Soft connects and welds, with torque scales and an anchor off the hinge. Turns of 2 mrad:
 * MuJoCo's row is sin(turn/2), here it is turn/2. */
static void loops_give_way_as_in_mujoco(void **state) {
  (void)state;
  static const double q[5] = {-7.481760649e-3, -1.733783027e-3, 1.645969659e-3, 1.234476887e-3,
                              -8.258917700e-3};
  limpet_data *data = settled("loops");
  assert_int_equal(data->model->loop_count, 5);
  for (int i = 0; i < 5; ++i) {
    printf("body %d in a soft loop: q %.9g, MuJoCo %.9g\n", i, data->q[i], q[i]);
    assert_true(fabs(data->q[i] / q[i] - 1.0) < 1e-4);
  }
  destroy(data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(depths_of_author_set_contacts_are_those_of_mujoco),
      cmocka_unit_test(default_contact_does_not_sink),
      cmocka_unit_test(joints_rest_and_slip_as_in_mujoco),
      cmocka_unit_test(a_ball_joint_leans_on_its_limit_as_in_mujoco),
      cmocka_unit_test(loops_give_way_as_in_mujoco),
  };
  return cmocka_run_group_tests_name("static depth", tests, NULL, NULL);
}

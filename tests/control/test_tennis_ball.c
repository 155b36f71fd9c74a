/* tests/control: scenes/iiwa_tennis_ball: its arm is the iiwa, and the ball stays in the jaws while
 * the shoulder swings. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "math/quaternion.h"
#include "shared_data.h"

enum { ARM = 7 };

static limpet_model *scene(double friction) {
  limpet_error error;
  limpet_builder *builder = limpet_builder_create();
  if (limpet_mjcf_read(builder, LIMPET_SOURCE_DIR "/scenes/iiwa_tennis_ball.xml", NULL, &error) !=
      LIMPET_OK)
    fail_msg("%s", error.message);
  for (int g = 0; g < limpet_builder_count(builder, LIMPET_OBJECT_GEOM); ++g)
    limpet_builder_geom(builder, g)->material.friction = friction;
  limpet_model *model = limpet_builder_compile(builder, &error);
  if (!model) fail_msg("%s", error.message);
  limpet_builder_destroy(builder);
  return model;
}

static limpet_controller *controller(const limpet_model *model) {
  static char text[4096];
  limpet_error error;
  FILE *file = fopen(LIMPET_SOURCE_DIR "/scenes/iiwa_tennis_ball.json", "r");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  limpet_controller *made = limpet_controller_create(model, text, "iiwa_tennis_ball.json", &error);
  if (!made) fail_msg("%s", error.message);
  return made;
}

// The ball's centre in the axes of either jaw.
static void ball_in_jaws(const limpet_model *model, limpet_data *data, double p[2][3]) {
  static const char *const names[] = {"left_jaw", "right_jaw"};
  const int ball = limpet_model_find(model, LIMPET_OBJECT_BODY, "ball");
  limpet_kinematics(model, data);
  for (int side = 0; side < 2; ++side) {
    const int jaw = limpet_model_find(model, LIMPET_OBJECT_BODY, names[side]);
    double d[3];
    limpet_vec3_sub(d, data->body_position + 3 * ball, data->body_position + 3 * jaw);
    limpet_mat3_tmul_vec(p[side], data->body_rotation + 9 * jaw, d);
  }
}

// How far the ball moves in the jaws [m] until `end`, mean of both; the hand itself swings by
// decimetres.
static double drift(double friction, double end, double *tracking) {
  limpet_model *model = scene(friction);
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  limpet_controller *c = controller(model);
  double start[2][3], now[2][3], rest[ARM];
  limpet_data_reset_keyframe(model, data, 0);
  memcpy(rest, data->q, sizeof rest);
  ball_in_jaws(model, data, start);
  *tracking = 0.0;
  while (data->time < end) {
    for (int j = 0; j < ARM; ++j) {
      const double wanted = rest[j] + (j < 2 ? 0.25 * sin((j + 1) * data->time) : 0.0);
      *tracking = fmax(*tracking, fabs(data->q[j] - wanted));
    }
    limpet_controller_update(c, model, data, settings.time_step);
    assert_true(limpet_step(model, data, &settings) <= LIMPET_OUTCOME_ITERATION_LIMIT);
  }
  ball_in_jaws(model, data, now);
  limpet_controller_destroy(c);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  return 0.5 * (limpet_vec3_distance(now[0], start[0]) + limpet_vec3_distance(now[1], start[1]));
}

/* A sticking contact of `lagged` creeps with at most the stiction speed, 1 um/s, so 25 um in 25 s.
 * The arm does not know of the ball: its weight at the wrist, at most 0.57 N x 0.15 m over an
 * inertia above 5e-3 kg m^2, makes 17 rad/s^2 / (50 rad/s)^2 = 7 mrad. */
static void ball_is_held(void **state) {
  (void)state;
  double tracking;
  const double held = drift(0.6, 25.0, &tracking);
  printf("tennis ball: %.3g mm in 25 s, joints within %.3g rad\n", 1e3 * held, tracking);
  assert_true(held < 25e-6 && tracking < 7e-3);

  // the negative control: 2 mu 10 N is less than the weight of 0.57 N
  assert_true(drift(0.02, 1.0, &tracking) > 0.1);
}

// Frames of the Menagerie's bodies are turned, joints are not: the mass matrices of both arms are
// equal, without the hand.
static void arm_is_the_iiwa(void **state) {
  (void)state;
  limpet_error error;
  const char *path = "models/menagerie/kuka_iiwa_14/iiwa14.xml";
  if (!shared_exists(path)) skip();
  limpet_builder *builder = limpet_builder_create();
  assert_int_equal(
      limpet_mjcf_read(builder, LIMPET_SOURCE_DIR "/scenes/iiwa_tennis_ball.xml", NULL, &error),
      LIMPET_OK);
  for (int g = 0; g < limpet_builder_count(builder, LIMPET_OBJECT_GEOM); ++g)
    limpet_builder_geom(builder, g)->mass = 1e-9;
  limpet_model *model[2] = {limpet_builder_compile(builder, &error),
                            limpet_load(shared_path(path), NULL, &error)};
  limpet_builder_destroy(builder);
  if (!model[0] || !model[1]) fail_msg("%s", error.message);
  limpet_data *data[2];
  unsigned long seed = 5;
  for (int k = 0; k < 2; ++k) data[k] = limpet_data_create(model[k]);
  for (int pose = 0; pose < 20; ++pose) {
    for (int i = 0; i < ARM; ++i) data[0]->q[i] = data[1]->q[i] = random_uniform(&seed, -2.0, 2.0);
    for (int k = 0; k < 2; ++k)
      limpet_kinematics(model[k], data[k]), limpet_mass_matrix(model[k], data[k]);
    for (int i = 0; i < ARM; ++i)
      for (int j = 0; j < ARM; ++j) {
        const int n = model[0]->tree_dof_count[0];
        assert_true(fabs(data[0]->mass_matrix[n * i + j] - data[1]->mass_matrix[ARM * i + j]) <
                    1e-7);  // eight geoms of 1e-9 kg within 1.4 m
      }
  }
  for (int i = 0; i < ARM; ++i)
    for (int side = 0; side < 2; ++side)
      assert_true(model[0]->joint_range[2 * i + side] == model[1]->joint_range[2 * i + side]);
  for (int k = 0; k < 2; ++k) limpet_data_destroy(data[k]), limpet_model_destroy(model[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(arm_is_the_iiwa),
                                     cmocka_unit_test(ball_is_held)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

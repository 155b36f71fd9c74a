/* tests/sense/test_tactile.c: tactile skins against MuJoCo 4.0.1 (numbers that it printed, six
 * digits) and against closed forms. */
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
#include "mjcf_text.h"

enum { TAXELS = 12 };

/* A skin on a box that moves, over a sphere of radius 0.25 at the origin. Steps of 0.1 us: the
 * sensor is that of the state. */
static limpet_model *skin_world(const char *mesh, const char *other) {
  char text[1600];
  snprintf(text, sizeof text,
           "<mujoco><option timestep='1e-7' gravity='0 0 0'/><asset>"
           "<mesh name='wedge' builtin='wedge' params='4 3 40 30 .3' scale='.3 .2 .25'/>"
           "<mesh name='plate' builtin='plate' params='4 3' scale='.3 .5 .2'/></asset><worldbody>"
           "%s<body name='pad' pos='.02 .03 .3' euler='5 8 10'><freejoint/>"
           "<geom type='box' size='.3 .5 .2' mass='1'/><geom name='skin' type='mesh' mesh='%s' "
           "mass='0' contype='0' conaffinity='0'/></body></worldbody>"
           "<sensor><tactile geom='skin' mesh='%s'/></sensor></mujoco>",
           other, mesh, mesh);
  return mjcf_load(text);
}

#define FIXED "<geom type='sphere' size='.25'/>"
#define SPINNING "<body><freejoint/><geom type='sphere' size='.25' mass='1'/></body>"

static void read_skin(const limpet_model *model, double value[3 * TAXELS]) {
  static const double pad[6] = {.1, .2, .3, .4, .5, .6}, ball[6] = {0, 0, 0, 1, 2, 3};
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  if (model->nv > 6) memcpy(data->v, ball, sizeof ball);
  memcpy(data->v + model->nv - 6, pad, sizeof pad);
  limpet_step(model, data, &settings);
  assert_int_equal(model->sensor_size[0], 3 * TAXELS);
  memcpy(value, data->sensor, 3 * TAXELS * sizeof *value);
  limpet_data_destroy(data);
}

static void assert_skin(const char *mesh, const char *other, const double expected[3 * TAXELS]) {
  limpet_model *model = skin_world(mesh, other);
  double value[3 * TAXELS];
  read_skin(model, value);
  for (int i = 0; i < 3 * TAXELS; ++i)
    if (!(fabs(value[i] - expected[i]) < 2e-6))
      fail_msg("%s, number %d: %.6f, MuJoCo %.6f", mesh, i, value[i], expected[i]);
  limpet_model_destroy(model);
}

static void skins_agree_with_mujoco(void **state) {
  (void)state;
  static const double plate[3 * TAXELS] = {0, 0, 0, 0, 0.10797,  0, 0, 0.120532, 0, 0, 0.008439, 0,
                                           0, 0, 0, 0, 0.246567, 0, 0, 0.336567, 0, 0, 0.426567, 0,
                                           0, 0, 0, 0, 0.330106, 0, 0, 0.255106, 0, 0, 0.180106, 0};
  static const double wedge[3 * TAXELS] = {
      0.084859, 0.074088, 0.044482, 0.172918, 0.159582, 0.105404, 0.184249, 0.169573, 0.111114,
      0.103845, 0.0928,   0.059402, 0.148109, 0.200649, 0.239664, 0.024246, 0.072227, 0.107219,
      0.055713, 0.015335, 0.012052, 0.132296, 0.10642,  0.094071, 0.13127,  0.218276, 0.294833,
      0.200946, 0.28826,  0.359339, 0.252352, 0.333302, 0.39457,  0.318313, 0.382761, 0.4248};
  static const double spun[3 * TAXELS] = {0, 0, 0, 0, 0.10797,  0, 0, 0.120532, 0, 0, 0.008439, 0,
                                          0, 0, 0, 0, 0.593592, 0, 0, 0.244683, 0, 0, 0.104225, 0,
                                          0, 0, 0, 0, 0.089603, 0, 0, 0.331954, 0, 0, 0.574304, 0};
  assert_skin("plate", FIXED, plate);
  assert_skin("plate", SPINNING, spun);
  assert_skin("wedge", FIXED, wedge);
}

// Over a ball that spins by (1, 2, 3) rad/s: the plate's taxels by hand.
static void sliding_counts_the_spin_of_the_other(void **state) {
  (void)state;
  limpet_model *model = skin_world("plate", SPINNING);
  double value[3 * TAXELS];
  read_skin(model, value);
  limpet_data *data = limpet_data_create(model);
  limpet_forward_dynamics(model, data);
  const double *R = data->body_rotation + 9 * 2, *at = data->body_position + 3 * 2;
  static const double v[3] = {.1, .2, .3}, w_local[3] = {.4, .5, .6}, spin[3] = {1, 2, 3};
  int felt = 0;
  for (int i = 0; i < TAXELS; ++i) {
    const double x[3] = {.3 * ((2 * (i / 3) + 1) / 4.0 - 1.0), .5 * ((2 * (i % 3) + 1) / 3.0 - 1.0),
                         -.2};
    double arm[3], w[3], W[3];
    for (int k = 0; k < 3; ++k) {
      arm[k] = R[3 * k] * x[0] + R[3 * k + 1] * x[1] + R[3 * k + 2] * x[2];
      w[k] = R[3 * k] * w_local[0] + R[3 * k + 1] * w_local[1] + R[3 * k + 2] * w_local[2];
      W[k] = at[k] + arm[k];
    }
    const double depth = fmax(0.0, .25 - sqrt(W[0] * W[0] + W[1] * W[1] + W[2] * W[2]));
    double slip[3];
    for (int k = 0; k < 3; ++k) {
      const int a = (k + 1) % 3, b = (k + 2) % 3;
      slip[k] = v[k] + w[a] * arm[b] - w[b] * arm[a] - (spin[a] * W[b] - spin[b] * W[a]);
    }
    assert_true(fabs(value[i] - depth) < 1e-6);
    for (int k = 0; k < 2; ++k) {  // along y and z of the plate
      const double along = fabs(slip[0] * R[1 + k] + slip[1] * R[4 + k] + slip[2] * R[7 + k]);
      assert_true(fabs(value[(1 + k) * TAXELS + i] - (depth > 0.0 ? along : 0.0)) < 1e-5);
    }
    felt += depth > 0.0;
  }
  assert_true(felt >= 3);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// Without a contact a skin feels nothing; a mesh without tangents has no speeds.
static void a_skin_in_the_air_is_silent(void **state) {
  (void)state;
  limpet_model *model = skin_world("plate", "<geom type='sphere' size='.05' pos='2 0 0'/>");
  double value[3 * TAXELS];
  read_skin(model, value);
  for (int i = 0; i < 3 * TAXELS; ++i) assert_true(value[i] == 0.0);
  limpet_model_destroy(model);
}

static void mistakes_are_told(void **state) {
  (void)state;
#define REFUSED(sensor, message)                                                                   \
  assert_true(mjcf_refused(                                                                        \
      MODEL("<asset><mesh name='p' builtin='plate' params='3 3'/></asset><worldbody><body><joint " \
            "/><geom name='g' size='.1'/></body></worldbody><sensor>\n" sensor "</sensor>"),       \
      message))
  REFUSED("<tactile geom='g' mesh='q'/>", "robot.xml:3:19: there is no mesh 'q' in <asset>");
  REFUSED("<tactile geom='' mesh='p'/>",
          "robot.xml:3:10: 'geom' of <tactile> is empty; give the name of its geom");
  REFUSED("<actuatorfrc actuator=''/>",
          "robot.xml:3:14: 'actuator' of <actuatorfrc> is empty; give the name of its actuator");
  REFUSED("<tactile geom='g'/>", "robot.xml:3:1: <tactile> needs the attribute 'mesh'");
  REFUSED("<tactile geom='g' mesh='p' cutoff='-1'/>",
          "robot.xml:3:1: sensor 0: cutoff -1, noise 0; give 0 or more");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(skins_agree_with_mujoco),
      cmocka_unit_test(sliding_counts_the_spin_of_the_other),
      cmocka_unit_test(a_skin_in_the_air_is_silent),
      cmocka_unit_test(mistakes_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

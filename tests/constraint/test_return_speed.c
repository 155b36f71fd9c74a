/* tests/constraint/test_return_speed.c: what starts outside a near-rigid limit comes back at the
 * return speed and stays inside.
 *
 * Two links start 1 rad outside their limits, without gravity. Each limit pushes its joint at 2
 * rad/s; released, the links pass their momentum on, by a small factor. Without the bound they come
 * back at 1 rad over 2 dt = 250 rad/s and more. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "mjcf_world.h"
#include "shared_data.h"
#include "small_models.h"

static limpet_model *two_links(void) {
  limpet_builder *builder = limpet_builder_create();
  int body = 0;
  for (int i = 0; i < 2; ++i) {
    body = small_body(builder, NULL, body, 0.4 * i, 0.0, 0.0);
    limpet_joint_description *joint = limpet_builder_joint(
        builder, small_joint(builder, NULL, body, LIMPET_JOINT_REVOLUTE, 0.0, 1.0, 0.0));
    joint->limited = true;
    joint->range[0] = i == 0 ? 1.0 : -2.0, joint->range[1] = i == 0 ? 2.0 : -1.0;
    limpet_builder_geom(builder, small_sphere(builder, body, 1.0, 0.05))->position[0] = 0.2;
  }
  limpet_builder_options(builder)->gravity[2] = 0.0;
  return small_compile(builder);
}

/* The upper link has its weight 0.2 and 0.6 m from its axle, the lower one 0.2 m: with 20 they come
 * back at 0.2 m/s, about 1 rad/s. */
static void joints_come_back_by_the_return_speed(void **state) {
  (void)state;
  limpet_model *model = two_links();
  assert_non_null(model);
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  double fastest = 0.0;
  settings.return_speed = 20.0;
  for (int i = 0; i < 3000; ++i) {
    assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
    for (int v = 0; v < model->nv; ++v) fastest = fmax(fastest, fabs(data->v[v]));
  }
  print_message("fastest: %.3g rad/s\n", fastest);
  assert_true(fastest > 0.3 && fastest < 3.0);
  for (int j = 0; j < 2; ++j) {
    assert_true(data->q[j] > model->joint_range[2 * j] - 1e-3);
    assert_true(data->q[j] < model->joint_range[2 * j + 1] + 1e-3);
  }
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

/* A tendon from a point below the axle of a pendulum to its bob is shortest where it hangs, and
 * longer than its limit even there. Its row vanishes there, and asked for 1,640 rad/s nearby. */
static void tendons_at_their_shortest_do_not_race(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      "<mujoco><worldbody><site name='a' pos='0 0 -0.6'/><body><joint axis='0 1 0'/>"
      "<geom type='sphere' size='.03' pos='0 0 -.3' mass='1'/><site name='b' pos='0 0 -.3'/></body>"
      "</worldbody><tendon><spatial range='0 0.2'><site site='a'/><site site='b'/></spatial>"
      "</tendon></mujoco>",
      NULL);
  double fastest = 0.0;
  w.data->q[0] = 0.3;
  for (int i = 0; i < 500; ++i) {
    mjcf_world_step(&w);
    fastest = fmax(fastest, fabs(w.data->v[0]));
  }
  print_message("fastest: %.3g rad/s\n", fastest);
  assert_true(fastest < 1.5 * w.settings.return_speed);
  mjcf_world_destroy(&w);
}

/* A slide 5 to 50 mm outside its limit, or a box on a rope that is that much longer than it may be,
 * with a weight that pulls it out: it is lifted at 20 mm/s whatever the step and the mass are, and
 * not thrown. At 2 m/s it would fly 200 mm high. */
static void lengths_come_back_as_contacts_do(void **state) {
  (void)state;
  static const char *const scenes[] = {
      "<mujoco><option timestep='%.17g'/><worldbody><body><joint type='slide' axis='0 0 1' "
      "range='0 1'/><geom size='.05' mass='%.17g'/></body></worldbody></mujoco>",
      "<mujoco><option timestep='%.17g'/><worldbody><site name='a' pos='0 0 1'/><body><freejoint/>"
      "<geom size='.05' mass='%.17g'/><site name='b'/></body></worldbody><tendon><spatial "
      "range='0 1'><site site='a'/><site site='b'/></spatial></tendon></mujoco>"};
  unsigned long seed = 8;
  double fastest = 0.0, last = 0.0, most = 0.0;
  for (int trial = 0; trial < 60; ++trial) {
    const double dt = exp(random_uniform(&seed, log(1e-4), log(4e-3))),
                 mass = exp(random_uniform(&seed, log(1e-3), log(1e3))),
                 out = random_uniform(&seed, 5e-3, 5e-2);
    char text[1024];
    snprintf(text, sizeof text, scenes[trial % 2], dt, mass);
    mjcf_world w = mjcf_world_of(text, NULL);
    double *z = w.data->q + (trial % 2 ? 2 : 0), *v = w.data->v + (trial % 2 ? 2 : 0);
    *z = -out;
    while (w.data->time < 1.05 * out / 0.02 + 0.1) {
      mjcf_world_step(&w);
      fastest = fmax(fastest, *v), most = fmax(most, *z);
    }
    last = fmax(last, fabs(*z) + fabs(*v));
    mjcf_world_destroy(&w);
  }
  print_message("lifted at %.4g m/s, %.2g m beyond the limit, then still to %.2g\n", fastest, most,
                last);
  assert_true(fastest > 0.019 && fastest < 0.021);
  assert_true(most < 1e-4 && last < 1e-4);
}

/* A slide outside of its limit that a loop holds: both press without end, and the limit comes back
 * weakly, whatever the mass, far outside and less than 2 m/s would take in a step. */
static void slides_that_jam_come_back_weakly(void **state) {
  (void)state;
  unsigned long seed = 9;
  for (int trial = 0; trial < 20; ++trial) {
    const double mass = exp(random_uniform(&seed, log(1e-3), log(1e3))),
                 out = trial % 2 ? 0.1 : 0.004;
    char text[1024];
    snprintf(text, sizeof text,
             "<mujoco><option timestep='.002'/><worldbody><site name='a' pos='0 0 %.17g'/><body>"
             "<joint type='slide' axis='0 0 1' range='0 1'/><geom size='.05' mass='%.17g'/>"
             "<site name='b'/></body></worldbody><equality><connect site1='a' site2='b'/>"
             "</equality></mujoco>",
             -out, mass);
    mjcf_world w = mjcf_world_of(text, NULL);
    w.data->q[0] = -out;
    mjcf_world_step(&w);
    if (w.data->info.restrained_returns != 1)
      fail_msg("%g kg, %g m outside: %d come back weakly", mass, out,
               w.data->info.restrained_returns);
    mjcf_world_destroy(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(joints_come_back_by_the_return_speed),
                                     cmocka_unit_test(tendons_at_their_shortest_do_not_race),
                                     cmocka_unit_test(lengths_come_back_as_contacts_do),
                                     cmocka_unit_test(slides_that_jam_come_back_weakly)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* tests/laws/test_friction_bounds.c: friction of near-rigid contacts on links that fall and
 * turn: bounded by what the contact carries, not by a deformation of 1e-8 m that a step does not
 * keep to. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "law/contact_model_list.h"
#include "limpet/step.h"
#include "mjcf_world.h"
#include "solve/friction_bounds.h"

/* A leg: 10 kg that fall along a slide, a hinge under them, a link of 0.6 m at 40 deg, a foot on
 * the ground. The foot slides out where friction is below tan 40 deg = 0.84. */
#define LEG(friction)                                                                     \
  "<mujoco><default><geom friction='" friction                                            \
  "'/></default><worldbody><geom type='plane' size='5 5 1'/>"                             \
  "<body pos='0 0 .489627'><joint type='slide' axis='0 0 1'/><geom size='.05' mass='10' " \
  "contype='0' conaffinity='0'/>"                                                         \
  "<body><joint type='hinge' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .385673 0 " \
  "-.459627' size='.01' mass='1' "                                                        \
  "contype='0' conaffinity='0'/><geom pos='.385673 0 -.459627' size='.03' "               \
  "mass='.2'/></body></body></worldbody></mujoco>"

enum { STEPS = 75 };

// Sum of | |f_t| - mu f_n | over that of mu f_n, from the fourth step on: by how much friction
// misses Coulomb's law in sliding.
static double coulomb_error(mjcf_world *w, double mu, int steps) {
  double off = 0.0, all = 0.0;
  for (int i = 0; i < steps; ++i) {
    mjcf_world_step(w);
    assert_int_equal(w->data->info.outcome, LIMPET_OUTCOME_SOLVED);
    for (int c = 0; c < w->data->contact_count && i >= 3; ++c) {
      const double *f = w->data->contact_force + 3 * c;
      off += fabs(hypot(f[0], f[1]) - mu * f[2]);
      all += mu * f[2];
    }
  }
  assert_true(all > 0.0);
  return off / all;
}

/* As published there is no friction at all: the foot is open by 1e-8 to 5e-6 m at the start of each
 * step. With bounds that are kept and renewed it is that of Coulomb's law, but for 1 % by which the
 * load changes from step to step and 0.3 % more from the curved path. What the hip falls by is that
 * of rigid contact within the error of first order of both. */
static void a_foot_that_slides_out_has_its_friction(void **state) {
  (void)state;
  double error[2], height[3];
  for (int k = 0; k < 2; ++k) {
    mjcf_world w = mjcf_world_of(LEG(".3"), "lagged");
    if (k == 0) w.settings.friction_passes = 0;
    error[k] = coulomb_error(&w, 0.3, STEPS);
    height[k] = w.data->q[0];
    mjcf_world_destroy(&w);
  }
  mjcf_world other = mjcf_world_of(LEG(".3"), "anitescu");
  for (int i = 0; i < STEPS; ++i) mjcf_world_step(&other);
  height[2] = other.data->q[0];
  mjcf_world_destroy(&other);
  printf(
      "Coulomb error %.3g as published, %.3g; the hip falls by %.5g m, %.5g m, rigid contact %.5g "
      "m\n",
      error[0], error[1], height[0], height[1], height[2]);
  assert_true(error[0] > 0.9 && error[1] < 0.03);
  assert_true(fabs(height[0] / height[2] - 1.0) > 0.05 && fabs(height[1] / height[2] - 1.0) < 5e-3);
}

// The load comes up within a few steps, against a cone that it is close to; from then on the foot
// sticks.
static void a_foot_with_enough_friction_stays(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(LEG("1"), "lagged");
  for (int i = 0; i < STEPS; ++i) {
    mjcf_world_step(&w);
    assert_int_equal(w.data->contact_count, 1);
    const double *v = w.data->contact_velocity;
    if (i >= 5 && !(hypot(v[0], v[1]) < 5e-6)) fail_msg("step %d: %g m/s", i, hypot(v[0], v[1]));
  }
  assert_true(w.data->q[0] > -1e-4);
  mjcf_world_destroy(&w);
}

/* A step from scratch has nothing to go by. One pass brings the bound to the load that there is
 * without friction; that the load then changes by a quarter, 0.3 of it in friction, is less than
 * what another pass is made for. */
static void a_pass_brings_the_bound_to_the_load(void **state) {
  (void)state;
  double error[2];
  for (int passes = 0; passes < 2; ++passes) {
    mjcf_world w = mjcf_world_of(LEG(".3"), "lagged");
    for (int i = 0; i < 20; ++i) mjcf_world_step(&w);
    memset(w.data->anchor, 0,
           (size_t)(LIMPET_ANCHOR_SIZE * w.model->options.anchor_count) * sizeof(double));
    w.settings.friction_passes = passes;
    mjcf_world_step(&w);
    const double *f = w.data->contact_force;
    error[passes] = fabs(hypot(f[0], f[1]) / (0.3 * f[2]) - 1.0);
    mjcf_world_destroy(&w);
  }
  printf("from scratch friction is off Coulomb's law by %.3g, after a pass by %.3g\n", error[0],
         error[1]);
  assert_true(error[0] == 1.0 && error[1] < 0.3);
}

// Bounds are part of the state: what goes on from it does so bit for bit; another state does not.
static void bounds_are_part_of_the_state(void **state) {
  (void)state;
  mjcf_world a = mjcf_world_of(LEG(".3"), "lagged"), b = mjcf_world_of(LEG(".3"), "lagged");
  for (int i = 0; i < 30; ++i) mjcf_world_step(&a);
  double *vector = malloc((size_t)limpet_data_state_size(a.model) * sizeof *vector);
  limpet_data_state_read(a.model, a.data, vector);
  limpet_data_state_write(b.model, b.data, vector);
  free(vector);
  for (int i = 0; i < 30; ++i) mjcf_world_step(&a), mjcf_world_step(&b);
  assert_true(limpet_data_state_hash(a.model, a.data) == limpet_data_state_hash(b.model, b.data));
  b.data->anchor[6] *= 0.5;
  mjcf_world_step(&a), mjcf_world_step(&b);
  assert_true(limpet_data_state_hash(a.model, a.data) != limpet_data_state_hash(b.model, b.data));

  // a foot in the air keeps nothing
  assert_true(a.data->anchor[0] > 0.0);
  a.data->q[0] = 1.0;
  mjcf_world_step(&a);
  assert_true(a.data->contact_count == 0 && a.data->anchor[0] == 0.0);
  mjcf_world_destroy(&a);
  mjcf_world_destroy(&b);
}

// As published nothing is kept; a stiffness in N/m is taken by its word whatever the passes.
static void what_is_published_stays_what_it_is(void **state) {
  (void)state;
  for (int stiff = 0; stiff < 2; ++stiff) {
    mjcf_world w[2];
    for (int k = 0; k < 2; ++k) {
      w[k] = mjcf_world_of(LEG(".3"), "lagged");
      w[k].settings.friction_passes = 3 * k;
      if (stiff) w[k].settings.rigid_stiffness = 1e6;
      for (int i = 0; i < 10; ++i) mjcf_world_step(&w[k]);
    }
    assert_true((w[0].data->q[1] == w[1].data->q[1]) == (stiff == 1));
    assert_true(w[0].data->anchor[0] == 0.0 && w[1].data->anchor[0] > 0.0);
    for (int k = 0; k < 2; ++k) mjcf_world_destroy(&w[k]);
  }
}

/* From its second renewal in a step on a bound goes half the way; what it held open once there was
 * friction gets none. Hard contacts: a normal speed of a tenth of the slip speed stands for 2e-8 N
 * s. */
static void a_bound_does_not_go_to_and_fro(void **state) {
  (void)state;
  const limpet_contact_settings settings = {.stiction_speed = 1e-6,
                                            .friction_regularization = 1e-5};
  limpet_contact_constants constants = {.dt = 2e-3,
                                        .friction = 0.5,
                                        .stiffness = 5e4,
                                        .delassus = 1.0,
                                        .compliant.slip_speed = 1e-6,
                                        .renewable = true};
  const limpet_friction_bound *bound = limpet_contact_model_lagged.bound;
  const double slides[3] = {0.0, 0.0, 1.0}, less[3] = {0.5, 0.0, 0.5},
               agrees[3] = {0.375, 0.0, 0.74}, open[3] = {0.3, 0.0, 0.0};
  assert_true(limpet_friction_bounds_renew(bound, &settings, 1, &constants, slides) &&
              constants.compliant.lagged_impulse == 1.0);
  assert_true(limpet_friction_bounds_renew(bound, &settings, 1, &constants, less) &&
              constants.compliant.lagged_impulse == 0.75);
  assert_false(limpet_friction_bounds_renew(bound, &settings, 1, &constants, agrees));
  assert_true(constants.compliant.slip_speed == fmax(1e-6, 1e-5 * 0.5 * 0.75));
  assert_true(limpet_friction_bounds_renew(bound, &settings, 1, &constants, open) &&
              constants.compliant.lagged_impulse == 0.0);
  assert_false(limpet_friction_bounds_renew(bound, &settings, 1, &constants, slides));

  // the first time a bound that holds a contact open may have been the one of another step
  constants.compliant.renewed = constants.compliant.let_go = false,
  constants.compliant.lagged_impulse = 1.0;
  assert_true(limpet_friction_bounds_renew(bound, &settings, 1, &constants, open) &&
              constants.compliant.lagged_impulse == 0.0);
  assert_true(limpet_friction_bounds_renew(bound, &settings, 1, &constants, slides) &&
              constants.compliant.lagged_impulse == 0.5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_foot_that_slides_out_has_its_friction),
      cmocka_unit_test(a_foot_with_enough_friction_stays),
      cmocka_unit_test(a_pass_brings_the_bound_to_the_load),
      cmocka_unit_test(bounds_are_part_of_the_state),
      cmocka_unit_test(a_bound_does_not_go_to_and_fro),
      cmocka_unit_test(what_is_published_stays_what_it_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

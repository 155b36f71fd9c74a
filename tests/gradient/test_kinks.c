/* tests/gradient/test_kinks.c: derivatives of the quasi-dynamic step in closed form (sheet A2 of
 * the shared reference, benchmarks.md, 2.6), what comes where the step has a kink, and what is
 * refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gradient_world.h"
#include "limpet/limpet.h"
#include "mjcf_text.h"
#include "step_differences.h"

static const double g = 9.81, h = 0.01, m = 1.0, I = 0.004, length = 0.01;

static gradient_world ball_open(double torque, int steps) {
  static const char text[] =
      "<mujoco><worldbody><geom type='plane' size='1 1 1' friction='0.5 0.01' condim='4'/><body "
      "pos='0 0 0.1'>"
      "<freejoint/><geom size='0.1' mass='1' friction='0.5 0.01' "
      "condim='4'/></body></worldbody></mujoco>";
  gradient_world w = gradient_world_open(mjcf_load(text), "quasi-dynamic", "anitescu", h);
  w.data->applied_force[5] = torque;
  for (int i = 0; i < steps; ++i) gradient_world_step(&w);
  return w;
}

/* Beyond its limit a ball spins at dtheta = h [h tau - mu_w h m g + mu_w m phi/h]/(I + mu_w^2 m)
 * and rises to phi1 = mu_w dtheta. In the steady state the gap follows: d omega/d tau = h/I, d
 * gap/d mu_w = h^2 (tau - 2 mu_w m g)/I. */
static void torsion_beyond_the_limit(void **state) {
  (void)state;
  const double torque = 2.0 * length * m * g, inertia = I + length * length * m;
  gradient_world w = ball_open(torque, 60);
  gradient_world_differentiate(&w);
  const limpet_gradient *d = w.gradient;
  assert_int_equal(d->weak_count + d->dependent_count, 0);
  const double by_torque = d->dv.force[5 * 6 + 5], z_by_torque = d->dq.force[2 * 6 + 5];
  const double by_z = d->dv.q[5 * 6 + 2], z_by_z = d->dq.q[2 * 6 + 2];
  assert_true(fabs(by_torque / (h / inertia) - 1.0) < 1e-9);
  assert_true(fabs(by_z / (length * m / (h * inertia)) - 1.0) < 1e-6);
  // the steady state: z = z1(z, tau)
  const double z_steady = z_by_torque / (1.0 - z_by_z);
  assert_true(fabs((by_torque + by_z * z_steady) / (h / I) - 1.0) < 1e-6);
  const double gap_by_length = d->dq.torsion[2] / (1.0 - z_by_z);
  assert_true(fabs(gap_by_length / (h * h * (torque - 2.0 * length * m * g) / I + 1e-30) - 1.0) <
                  1e-6 ||
              fabs(gap_by_length) < 1e-9);
  assert_true(fabs(d->dv.friction[5]) < 1e-12);
  gradient_world_close(&w);

  // at 3 tau_max the gap does depend on the length
  w = ball_open(3.0 * length * m * g, 60);
  gradient_world_differentiate(&w);
  const double slope = w.gradient->dq.torsion[2] / (1.0 - w.gradient->dq.q[2 * 6 + 2]);
  assert_true(fabs(slope / (h * h * length * m * g / I) - 1.0) < 1e-6);
  gradient_world_close(&w);
}

// Below the limit nothing turns, and no row is at a kink; the fourth of the rows that stick depends
// on the others.
static void torsion_below_the_limit(void **state) {
  (void)state;
  gradient_world w = ball_open(0.5 * length * m * g, 10);
  gradient_world_differentiate(&w);
  assert_int_equal(w.gradient->weak_count, 0);
  assert_true(w.gradient->dependent_count > 0);
  assert_true(fabs(w.gradient->dv.force[5 * 6 + 5]) < 1e-9);
  assert_true(w.gradient->kink.force[5] == 0.0);
  assert_true(fabs(w.gradient->dv.torsion[5]) < 1e-9);
  gradient_world_close(&w);
}

// At the limit to the last bits: the derivative is between those of the two sides, 0 and h/(I +
// mu_w^2 m), and says so.
static void torsion_at_the_limit(void **state) {
  (void)state;
  gradient_world w = ball_open(0.0, 3);
  w.data->applied_force[5] = length * m * g;
  limpet_data *from = gradient_world_copy(&w);
  gradient_world_differentiate(&w);
  assert_true(w.gradient->weak_count > 0);
  assert_true(w.gradient->kink.force[5] > 0.0);
  step_differences s;
  step_differences_open(&s, w.model, from, &w.settings);
  step_differences_between(&s, step_move_force, 5, -1e-5, 0.0);
  const double below = s.dv[5];
  step_differences_between(&s, step_move_force, 5, 0.0, 1e-5);
  const double above = s.dv[5], value = w.gradient->dv.force[5 * 6 + 5];
  assert_true(fabs(below) < 1e-6 && fabs(above / (h / (I + length * length * m)) - 1.0) < 1e-6);
  assert_true(value > below - 1e-6 && value < above + 1e-6);
  step_differences_close(&s);
  limpet_data_destroy(from);
  gradient_world_close(&w);
}

static gradient_world box_open(void) {
  static const char text[] =
      "<mujoco><worldbody><geom type='plane' size='1 1 1' friction='0.5'/><body pos='0 0 0.05'>"
      "<freejoint/><geom type='box' size='0.1 0.08 0.05' mass='2' "
      "friction='0.5'/></body></worldbody></mujoco>";
  gradient_world w = gradient_world_open(mjcf_load(text), "quasi-dynamic", "anitescu", h);
  for (int i = 0; i < 3; ++i) gradient_world_step(&w);
  return w;
}

/* A box at rest on four corners, 16 rows for 6 velocities: small forces move nothing, tilting it is
 * undone by the step; one corner that is lifted moves nothing while the others hold, one that is
 * pressed in lifts the box: a kink. */
static void box_on_four_corners(void **state) {
  (void)state;
  gradient_world w = box_open();
  limpet_data *from = gradient_world_copy(&w);
  gradient_world_differentiate(&w);
  const limpet_gradient *d = w.gradient;
  assert_int_equal(d->contact_count, 4);
  assert_int_equal(d->weak_count, 0);
  assert_int_equal(d->dependent_count, 10);
  for (int i = 0; i < 36; ++i) assert_true(fabs(d->dv.force[i]) < 1e-9);
  step_differences s;
  step_differences_open(&s, w.model, from, &w.settings);
  assert_true(
      step_differences_agree(&s, "q", step_move_q, 6, d->dq.q, d->dv.q, d->kink.q, 1e-6, 1e-6));
  assert_true(step_differences_agree(&s, "force", step_move_force, 6, d->dq.force, d->dv.force,
                                     d->kink.force, 1e-3, 1e-6));
  assert_int_equal(s.kinks, 0);
  for (int i = 0; i < 4; ++i) assert_true(d->kink.distance[i] > 0.0);
  step_differences_close(&s);
  limpet_data_destroy(from);
  gradient_world_close(&w);
}

/* The contact of a bullet with a wall half a step ahead is no contact of the shapes where they are:
 * it is searched anew along the path. The bullet ends the step at the wall: v = gap/h towards it.
 */
static void contact_of_a_bullet_is_followed(void **state) {
  (void)state;
  static const char text[] =
      "<mujoco><option gravity='0 0 0'/><worldbody><geom type='box' size='0.01 1 1' "
      "friction='0.5'/>"
      "<body pos='-0.5 0 0'><freejoint/><geom size='0.005' mass='0.01' "
      "friction='0.5'/></body></worldbody></mujoco>";
  gradient_world w = gradient_world_open(mjcf_load(text), "discrete", "anitescu", h);
  w.data->v[0] = 100.0, w.data->v[1] = 3.0;
  limpet_data *from = gradient_world_copy(&w);
  gradient_world_differentiate(&w);
  const limpet_gradient *d = w.gradient;
  assert_int_equal(d->carried_count, 0);
  step_differences s;
  step_differences_open(&s, w.model, from, &w.settings);
  assert_true(
      step_differences_agree(&s, "q", step_move_q, 6, d->dq.q, d->dv.q, d->kink.q, 1e-6, 1e-6));
  assert_true(
      step_differences_agree(&s, "v", step_move_v, 6, d->dq.v, d->dv.v, d->kink.v, 1e-4, 1e-6));
  assert_int_equal(s.kinks, 0);
  assert_true(fabs(d->dv.q[0] + 1.0 / h) < 1e-6 / h);
  step_differences_close(&s);
  limpet_data_destroy(from);
  gradient_world_close(&w);
}

// At the end of the range of a control the derivative is that from inside, and a kink is told;
// beyond it, none.
static void control_at_the_end_of_its_range(void **state) {
  (void)state;
  static const char text[] =
      "<mujoco><worldbody><body><joint name='x' type='slide' axis='1 0 0'/><geom size='0.1' "
      "mass='2'/></body></worldbody>"
      "<actuator><position joint='x' kp='100' ctrlrange='0 0.5' "
      "ctrllimited='true'/></actuator></mujoco>";
  static const double control[] = {0.2, 0.5, 0.6},
                      expected[] = {1.0, 1.0, 0.0};  // q1 is the command
  for (int i = 0; i < 3; ++i) {
    gradient_world w = gradient_world_open(mjcf_load(text), "quasi-dynamic", "anitescu", h);
    w.data->control[0] = control[i];
    gradient_world_differentiate(&w);
    assert_true(fabs(w.gradient->dq.control[0] - expected[i]) < 1e-9);
    assert_int_equal(isinf(w.gradient->kink.control[0]) != 0, control[i] == 0.5);
    gradient_world_close(&w);
  }
}

static void what_is_refused(void **state) {
  (void)state;
  gradient_world w = box_open();
  const limpet_gradient_settings all = limpet_gradient_settings_default();
  const double weight[6] = {0.0};
  gradient_world_differentiate(&w);
  assert_true(limpet_gradient_adjoint(w.gradient, weight, NULL));
  gradient_world_step(&w);
  assert_false(limpet_gradient_adjoint(w.gradient, weight, NULL));  // the world has moved on

  limpet_step_settings_scheme(&w.settings, limpet_scheme_find("impulse"));
  limpet_gradient_step(w.model, w.data, &w.settings, &all, w.gradient);
  assert_non_null(w.gradient->reason);
  assert_null(w.gradient->dq.q);
  assert_false(limpet_gradient_adjoint(w.gradient, weight, NULL));
  gradient_world_close(&w);
}

// What is left out stays NULL; the adjoint needs no Jacobians.
static void parts(void **state) {
  (void)state;
  gradient_world w = ball_open(0.2, 5);
  limpet_gradient_settings settings = limpet_gradient_settings_default();
  settings.jacobians = settings.contacts = false;
  const double weight[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 1.0};
  assert_int_equal(limpet_gradient_step(w.model, w.data, &w.settings, &settings, w.gradient),
                   LIMPET_OUTCOME_SOLVED);
  assert_null(w.gradient->reason);
  assert_null(w.gradient->dq.q);
  assert_null(w.gradient->adjoint.friction);
  assert_true(limpet_gradient_adjoint(w.gradient, NULL, weight));
  assert_true(fabs(w.gradient->adjoint.force[5] / (h / (I + length * length * m)) - 1.0) < 1e-9);
  gradient_world_close(&w);
}

/* A joint that turns 0.2 rad in a step is where two parts of the step become three: columns that
 * lead across are flagged, and none are a percent below. */
static void parts_of_a_flight(void **state) {
  (void)state;
  static const char text[] =
      "<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/><geom size='.1' mass='1'/>"
      "<body><joint axis='0 1 0'/><geom size='.05' pos='.3 .1 0' mass='.3'/></body></body>"
      "</worldbody></mujoco>";
  static const double turn[2] = {0.2 - 1e-9, 0.198};
  enum { JOINT = 6 };
  for (int k = 0; k < 2; ++k) {
    limpet_model *model = mjcf_load(text);
    limpet_data *data = limpet_data_create(model);
    limpet_gradient *gradient = limpet_gradient_create(model);
    limpet_step_settings settings = limpet_step_settings_default(model);
    const limpet_gradient_settings wanted = limpet_gradient_settings_default();
    data->v[JOINT] = turn[k] / settings.time_step;
    limpet_gradient_step(model, data, &settings, &wanted, gradient);
    assert_null(gradient->reason);
    assert_true(k == 0 ? isinf(gradient->kink.v[JOINT]) : gradient->kink.v[JOINT] == 0.0);
    for (int i = 0; i < model->nv; ++i) assert_true(gradient->kink.q[i] == 0.0);
    limpet_gradient_destroy(gradient);
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
}

/* The same of an arm that a servo holds, whose columns come from differences of the residual: along
 * its speed and, where the pull is what leads across, along nothing else. */
static void parts_of_a_driven_arm(void **state) {
  (void)state;
  static const char text[] =
      "<mujoco><option gravity='0 0 0' timestep='0.002'/><worldbody><body><joint name='a' axis='0 "
      "1 "
      "0'/><geom size='.05' pos='.3 0 0' mass='1'/><body pos='.5 0 0'><joint axis='0 1 0'/>"
      "<geom size='.05' pos='.2 0 0' mass='.5'/></body></body></worldbody>"
      "<actuator><position joint='a' kp='10' kv='1'/></actuator></mujoco>";
  static const double turn[] = {0.1 - 1e-10, 0.2 - 1e-10, 0.1 + 1e-10, 0.09, 0.15, 0.21};
  enum { CASES = sizeof turn / sizeof *turn, AT_JUMPS = 3, OTHER = 1 };
  for (int k = 0; k < CASES; ++k) {
    limpet_model *model = mjcf_load(text);
    limpet_data *data = limpet_data_create(model);
    limpet_gradient *gradient = limpet_gradient_create(model);
    limpet_step_settings settings = limpet_step_settings_default(model);
    const limpet_gradient_settings wanted = limpet_gradient_settings_default();
    data->v[OTHER] = turn[k] / settings.time_step;
    limpet_gradient_step(model, data, &settings, &wanted, gradient);
    assert_null(gradient->reason);
    assert_true(data->tree_held[0] == 2.0);
    assert_true(k < AT_JUMPS ? isinf(gradient->kink.v[OTHER]) : gradient->kink.v[OTHER] == 0.0);
    assert_true(gradient->kink.v[0] == 0.0 && gradient->kink.q[OTHER] == 0.0);
    limpet_gradient_destroy(gradient);
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(torsion_beyond_the_limit),
      cmocka_unit_test(torsion_below_the_limit),
      cmocka_unit_test(torsion_at_the_limit),
      cmocka_unit_test(box_on_four_corners),
      cmocka_unit_test(contact_of_a_bullet_is_followed),
      cmocka_unit_test(control_at_the_end_of_its_range),
      cmocka_unit_test(what_is_refused),
      cmocka_unit_test(parts_of_a_flight),
      cmocka_unit_test(parts_of_a_driven_arm),
      cmocka_unit_test(parts),
  };
  return cmocka_run_group_tests_name("kinks", tests, NULL, NULL);
}

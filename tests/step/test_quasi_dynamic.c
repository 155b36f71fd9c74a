/* tests/step/test_quasi_dynamic.c: the scheme quasi-dynamic with rigid contact against closed
 * forms: rest and fall, torsional and tangential sliding, how the rows of the pyramid share the
 * normal force, round cones, velocities instead of displacements. The numbers are sheets A1 to A5
 * and A8 of the shared reference, benchmarks.md, section 2.6. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "mjcf_world.h"

static const double g = 9.81;

static mjcf_world open_world(const char *text, const char *contact_model, double h) {
  mjcf_world w = mjcf_world_of(text, NULL);
  limpet_step_settings_scheme(&w.settings, limpet_scheme_find("quasi-dynamic"));
  assert_string_equal(limpet_contact_model_descriptor(w.settings.contact_model)->name, "anitescu");
  limpet_step_settings_contact_model(&w.settings, limpet_contact_model_find(contact_model));
  w.settings.time_step = h;
  return w;
}

#define SPHERE(z, size, mass, friction)                                    \
  "<mujoco><worldbody><geom type='plane' size='1 1 1' friction='" friction \
  "' condim='4'/><body pos='0 0 " z                                        \
  "'><freejoint/>"                                                         \
  "<geom size='" size "' mass='" mass "' friction='" friction              \
  "' condim='4'/></body></worldbody></mujoco>"

static double force_sum(const limpet_data *data) {
  double sum = 0.0;
  for (int i = 0; i < data->contact_count; ++i) sum += data->contact_force[3 * i + 2];
  return sum;
}

// A1: rest, constant speed g h in free fall, landing.
static void rest_and_fall(void **state) {
  (void)state;
  static const char *const models[] = {"anitescu", "anitescu-cone"};
  for (int m = 0; m < 2; ++m) {
    mjcf_world w = open_world(SPHERE("0.1", "0.1", "1", "0.5 0.01"), models[m], 0.01);
    for (int i = 0; i < 10; ++i) mjcf_world_step(&w);
    for (int k = 0; k < 6; ++k) assert_true(fabs(w.data->v[k]) * 0.01 < 1e-9);
    assert_true(fabs(force_sum(w.data) / g - 1.0) < 1e-6);
    mjcf_world_destroy(&w);

    w = open_world(SPHERE("0.11", "0.1", "1", "0.5 0.01"), models[m], 0.01);
    for (int i = 0, n = 0; i < 15; ++i) {
      const double before = w.data->q[2];
      mjcf_world_step(&w);
      const double gap = w.data->q[2] - 0.1;
      if (before - 0.1 > 2.0 * g * 1e-4)
        assert_true(fabs(before - w.data->q[2] - g * 1e-4) < 1e-12);
      n += gap > 1e-9;
      assert_true(gap > -1e-9);
      if (i == 14) assert_int_equal(n + 1, (int)ceil(0.01 / (g * 1e-4)));
    }
    assert_true(fabs(w.data->q[2] - 0.1) < 1e-9);
    mjcf_world_destroy(&w);
  }
}

// A2: omega* = h (tau - tau_max)/I, gap* = h mu_w omega*.
static void torsion_slips_beyond_its_limit(void **state) {
  (void)state;
  static const char *const models[] = {"anitescu", "anitescu-cone"};
  static const double ratio[] = {0.5, 0.99, 1.01, 1.1, 1.5, 2.0};
  const double I = 0.004, limit = 0.01 * g, h = 0.01;
  for (int m = 0; m < 2; ++m)
    for (int r = 0; r < 6; ++r)
      for (int sign = -1; sign < 2; sign += 2) {
        mjcf_world w = open_world(SPHERE("0.1", "0.1", "1", "0.5 0.01"), models[m], h);
        for (int i = 0; i < 60; ++i) {
          w.data->applied_force[5] = sign * ratio[r] * limit;
          mjcf_world_step(&w);
        }
        const double omega = ratio[r] > 1.0 ? sign * h * (ratio[r] - 1.0) * limit / I : 0.0,
                     gap = h * 0.01 * fabs(omega);
        assert_true(fabs(w.data->v[5] - omega) <= 1e-6 * fabs(omega) + 1e-9);
        assert_true(fabs(w.data->q[2] - 0.1 - gap) <= 1e-6 * gap + 1e-10);
        assert_int_equal(w.data->contact_count, 1);
        const double torque = w.data->contact_torsion[0];
        assert_true(fabs(fabs(torque) - fmin(ratio[r], 1.0) * limit) < 1e-6 * limit);
        mjcf_world_destroy(&w);
      }
}

/* A2 with a gap of a centimetre: mu_w 0.05 m, 5 tau_max. The default search distance is 0.2 mm, so
 * the contact must be looked for as far as it spins up. */
static void torsion_glides_on_a_centimetre(void **state) {
  (void)state;
  static const char *const models[] = {"anitescu", "anitescu-cone"};
  const double I = 0.001, limit = 0.05 * g, h = 0.01;
  for (int m = 0; m < 2; ++m) {
    mjcf_world w = open_world(SPHERE("0.05", "0.05", "1", "0.5 0.05"), models[m], h);
    for (int i = 0; i < 60; ++i) {
      w.data->applied_force[5] = 5.0 * limit;
      mjcf_world_step(&w);
    }
    const double omega = h * 4.0 * limit / I, gap = h * 0.05 * omega;
    printf("%s: gap %.9g mm, sheet %.9g mm\n", models[m], 1e3 * (w.data->q[2] - 0.05), 1e3 * gap);
    assert_int_equal(w.data->contact_count, 1);
    assert_true(fabs(w.data->v[5] - omega) <= 1e-6 * omega);
    assert_true(fabs(w.data->q[2] - 0.05 - gap) <= 1e-6 * gap);
    assert_true(fabs(fabs(w.data->contact_torsion[0]) - limit) < 1e-6 * limit);
    mjcf_world_destroy(&w);
  }
}

// A3: the final gap of a ramp to twice the limit over 2 s, for three steps.
static void gap_of_a_ramp(void **state) {
  (void)state;
  static const double h[] = {0.02, 0.01, 0.005},
                      expected[] = {0.09609e-3, 0.024274e-3, 0.0060998e-3};
  for (int k = 0; k < 3; ++k) {
    mjcf_world w = open_world(SPHERE("0.1", "0.1", "1", "0.5 0.01"), "anitescu", h[k]);
    const int steps = (int)(2.0 / h[k] + 0.5);
    for (int i = 0; i < steps; ++i) {
      w.data->applied_force[5] = 2.0 * 0.0981 * i * h[k] / 2.0;
      mjcf_world_step(&w);
      if (i * h[k] < 1.0 - h[k]) assert_true(fabs(w.data->v[5]) < 1e-9);
    }
    printf("h %g s: gap %.6g mm, sheet %.6g mm\n", h[k], 1e3 * (w.data->q[2] - 0.1),
           1e3 * expected[k]);
    assert_true(fabs((w.data->q[2] - 0.1) / expected[k] - 1.0) < 1e-4);
    mjcf_world_destroy(&w);
  }
}

/* A4: a block that is pushed by an impedance glides at h mu v, and feels mu m g along a tangent of
 * the pyramid, mu m g/sqrt 2 along the diagonal; the round cone: mu m g in any direction. */
static double friction_of_pushed_block(const char *model, double angle, double *gap) {
  char text[1024];
  snprintf(text, sizeof text,
           "<mujoco><worldbody><geom type='plane' size='1 1 1' friction='0.5'/><body pos='0 0 0.1'>"
           "<joint name='z' type='slide' axis='0 0 1'/><joint name='x' type='slide' axis='%.17g "
           "%.17g 0'/>"
           "<geom size='0.1' mass='2' friction='0.5'/></body></worldbody>"
           "<actuator><position joint='x' kp='1e4'/></actuator></mujoco>",
           cos(angle), sin(angle));
  mjcf_world w = open_world(text, model, 0.01);
  for (int i = 0; i < 400; ++i) {
    w.data->control[0] = 0.1 * 0.01 * (i + 1);  // 0.1 m/s
    mjcf_world_step(&w);
  }
  assert_true(fabs(w.data->v[1] - 0.1) < 1e-9);
  assert_int_equal(w.data->contact_count, 1);
  *gap = w.data->q[0];
  const double force = w.data->actuator_force[0];
  assert_true(fabs(hypot(w.data->contact_force[0], w.data->contact_force[1]) - force) <
                  1e-6 * force ||
              strcmp(model, "anitescu") == 0);
  mjcf_world_destroy(&w);
  return force;
}

static void sliding_glides(void **state) {
  (void)state;
  const double weight = 2.0 * g, quarter = atan(1.0);
  double gap;
  const double along = friction_of_pushed_block("anitescu", 0.0, &gap);
  assert_true(fabs(gap / (0.01 * 0.5 * 0.1) - 1.0) < 1e-6);
  assert_true(fabs(along / (0.5 * weight) - 1.0) < 1e-6);
  const double diagonal = friction_of_pushed_block("anitescu", quarter, &gap);
  assert_true(fabs(diagonal / (0.5 * weight / sqrt(2.0)) - 1.0) < 1e-6);
  for (double angle = 0.0; angle < 1.6; angle += 0.2) {
    const double round = friction_of_pushed_block("anitescu-cone", angle, &gap);
    assert_true(fabs(round / (0.5 * weight) - 1.0) < 1e-6);
    assert_true(fabs(gap / (0.01 * 0.5 * 0.1) - 1.0) < 1e-6);
  }
}

/* A5: a ball between two jaws, force N each; weight W and torque T about the line of contacts: it
 * holds up to W/(2 mu) + T/(2 mu_w) = N in the pyramid with a tangent upright, and up to the
 * Euclidean sum of both in the cone. */
static bool ball_slips(const char *model, double torque) {
  static const char text[] =
      "<mujoco><worldbody><body pos='-0.1 0 0'><joint name='l' type='slide' axis='1 0 0'/>"
      "<geom type='box' size='0.05 0.05 0.05' friction='0.5 0.02' condim='4'/></body>"
      "<body pos='0.1 0 0'><joint name='r' type='slide' axis='-1 0 0'/>"
      "<geom type='box' size='0.05 0.05 0.05' friction='0.5 0.02' condim='4'/></body>"
      "<body><freejoint/><geom size='0.05' mass='0.5' friction='0.5 0.02' "
      "condim='4'/></body></worldbody>"
      "<actuator><position joint='l' kp='1000'/><position joint='r' "
      "kp='1000'/></actuator></mujoco>";
  mjcf_world w = open_world(text, model, 0.01);
  w.data->control[0] = w.data->control[1] = 0.01;  // 10 N
  for (int i = 0; i < 30; ++i) {
    w.data->applied_force[2 + 3] = torque;
    mjcf_world_step(&w);
  }
  const bool slips = fabs(w.data->v[5]) > 1e-4 ||
                     fabs(w.data->v[4]) > 1e-4;  // cones are solved to 1e-9 of the momentum
  mjcf_world_destroy(&w);
  return slips;
}

static void rows_share_the_normal_force(void **state) {
  (void)state;
  const double N = 10.0, W = 0.5 * g, used = W / (2.0 * 0.5) / N;
  const double pyramid = 2.0 * 0.02 * N * (1.0 - used),
               cone = 2.0 * 0.02 * N * sqrt(1.0 - used * used);
  assert_false(ball_slips("anitescu", 0.999 * pyramid));
  assert_true(ball_slips("anitescu", 1.001 * pyramid));
  assert_false(ball_slips("anitescu-cone", 0.999 * cone));
  assert_true(ball_slips("anitescu-cone", 1.001 * cone));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rest_and_fall),
      cmocka_unit_test(torsion_slips_beyond_its_limit),
      cmocka_unit_test(torsion_glides_on_a_centimetre),
      cmocka_unit_test(gap_of_a_ramp),
      cmocka_unit_test(sliding_glides),
      cmocka_unit_test(rows_share_the_normal_force),
  };
  return cmocka_run_group_tests_name("quasi_dynamic", tests, NULL, NULL);
}

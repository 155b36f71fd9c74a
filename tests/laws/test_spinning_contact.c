/* tests/laws/test_spinning_contact.c: bodies that spin while they touch: impulses turn their
 * angular momentum about the right axis, whatever they turn in a step. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "limpet/dynamics.h"
#include "limpet/step.h"
#include "math/vec3.h"
#include "mjcf_text.h"
#include "mjcf_world.h"
#include "shared_data.h"

/* A tippe top: a ball whose centre of mass lies 3 mm below its centre, spun with 180 rad/s about
 * the vertical and tilted by 0.1 rad. Returns when its axis passes a cosine of -0.9 [s]. */
static double inversion(double dt) {
  mjcf_world w = mjcf_world_of(
      MODEL("<default><geom friction='.3'/></default><worldbody><geom type='plane' size='9 9 1'/>"
            "<body pos='0 0 .02'><freejoint/><inertial pos='0 0 -.003' mass='.03' "
            "diaginertia='4.5e-6 4.5e-6 4.4e-6'/><geom size='.02'/></body></worldbody>"),
      "coulomb");
  const double tilt = 0.1, spin = 180.0;
  w.settings.time_step = dt;
  w.data->q[3] = cos(0.5 * tilt), w.data->q[4] = sin(0.5 * tilt);
  w.data->v[4] = spin * sin(tilt), w.data->v[5] = spin * cos(tilt);
  const double *x = w.data->q + 4;
  while (w.data->time < 2.0 && 1.0 - 2.0 * (x[0] * x[0] + x[1] * x[1]) > -0.9) mjcf_world_step(&w);
  const double when = w.data->time;
  mjcf_world_destroy(&w);
  return when;
}

// 1.142 s: where steps of 0.02 ms are, and other simulators with steps as short.
static void a_tippe_top_inverts_in_time(void **state) {
  (void)state;
  const double expected = 1.142;
  const double coarse = inversion(2e-3), used = inversion(1e-3), fine = inversion(2e-4);
  printf("inverts at %.4f, %.4f, %.4f s\n", coarse, used, fine);
  assert_true(fabs(used - expected) < 0.01 * expected);
  assert_true(fabs(fine - expected) < 0.002 * expected);
  assert_true(fabs(coarse - expected) < 0.02 * expected);
}

typedef struct carried {
  double linear[3], angular[3];  // about the origin
  double kinetic;
} carried;

static carried carried_by(mjcf_world *w) {
  carried c;
  const double origin[3] = {0.0, 0.0, 0.0};
  double both[6];
  limpet_kinematics(w->model, w->data);
  limpet_velocity_kinematics(w->model, w->data);
  limpet_mass_matrix(w->model, w->data);
  limpet_tendon_kinematics(w->model, w->data);
  limpet_momentum(w->model, w->data, 0, origin, both);
  limpet_vec3_copy(c.angular, both);
  limpet_vec3_copy(c.linear, both + 3);
  c.kinetic = limpet_kinetic_energy(w->model, w->data);
  return c;
}

/* Two bricks meet in the air while they spin with up to 60 rad/s, 0.12 rad in a step. What one gets
 * the other loses: linear and angular momentum of both, about a fixed point, stay to round-off
 * through the impact, and energy does not grow. */
static void impacts_keep_angular_momentum(void **state) {
  (void)state;
  unsigned long seed = 3;
  double linear = 0.0, angular = 0.0, rise = 0.0;
  int touched = 0;
  for (int trial = 0; trial < 40; ++trial) {
    mjcf_world w = mjcf_world_of(
        MODEL("<option gravity='0 0 0'/><default><geom friction='.4'/></default><worldbody>"
              "<body><freejoint/><geom type='box' size='.05 .08 .03'/></body>"
              "<body pos='.2 0 0'><freejoint/><geom type='box' size='.04 .05 .1'/></body>"
              "</worldbody>"),
        "coulomb");
    for (int i = 0; i < 12; ++i)
      w.data->v[i] = random_uniform(&seed, -1.0, 1.0) * (i % 6 < 3 ? 0.3 : 60.0);
    w.data->v[0] = 2.0;
    const carried start = carried_by(&w);
    double before = start.kinetic;
    for (int i = 0; i < 100; ++i) {
      mjcf_world_step(&w);
      touched += w.data->contact_count > 0 && w.data->contact_force[2] > 0.0;
      const carried now = carried_by(&w);
      linear = fmax(
          linear, limpet_vec3_distance(now.linear, start.linear) / limpet_vec3_norm(start.linear));
      angular = fmax(angular, limpet_vec3_distance(now.angular, start.angular) /
                                  limpet_vec3_norm(start.angular));
      rise = fmax(rise, (now.kinetic - before) / start.kinetic);
      before = now.kinetic;
    }
    mjcf_world_destroy(&w);
  }
  printf("%d contacts; momentum off by %.2g, angular momentum by %.2g, energy up by %.2g\n",
         touched, linear, angular, rise);
  assert_true(touched > 40);
  assert_true(linear < 1e-12);
  assert_true(angular < 1e-11);
  assert_true(rise < 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tippe_top_inverts_in_time),
      cmocka_unit_test(impacts_keep_angular_momentum),
  };
  return cmocka_run_group_tests_name("spinning contact", tests, NULL, NULL);
}

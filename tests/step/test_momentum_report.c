/* tests/step/test_momentum_report.c: what a step says of momentum that no force or impulse gave. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "limpet/step.h"
#include "mjcf_text.h"
#include "mjcf_world.h"
#include "shared_data.h"

#define CHAIN                                                                                     \
  "<body pos='0 0 .6'><freejoint/><geom type='box' size='.1 .03 .02' mass='1'/><body pos='.1 0 "  \
  "0'>"                                                                                           \
  "<joint type='hinge' axis='0 1 0'/><geom type='box' pos='.1 0 0' size='.1 .02 .02' mass='.5'/>" \
  "</body></body>"

typedef struct gained {
  double linear, angular;  // [N s], [N m s]
} gained;

static gained run(mjcf_world *w, unsigned long *seed, double turn, double time) {
  gained most = {0};
  w->settings.energy = true;
  for (int i = 0; i < w->model->nv; ++i)
    w->data->v[i] = random_uniform(seed, -1.0, 1.0) * (i % 6 < 3 ? 0.5 : turn);
  while (w->data->time < time) {
    mjcf_world_step(w);
    most.linear = fmax(most.linear, w->data->info.momentum_gained);
    most.angular = fmax(most.angular, w->data->info.angular_momentum_gained);
  }
  return most;
}

/* What flies gains round-off of 1 kg at some m/s; bodies alone that hit each other and the floor
 * what the solver leaves of their momentum. */
static void nothing_is_gained_in_flight_and_by_bodies_alone(void **state) {
  (void)state;
  static const char *const texts[] = {
      MODEL("<worldbody>" CHAIN "</worldbody>"),
      MODEL("<worldbody><geom type='plane' size='9 9 1'/><body pos='0 0 .2'><freejoint/>"
            "<inertial pos='.01 .005 -.02' mass='1' diaginertia='.002 .003 .004'/>"
            "<geom type='box' size='.05 .07 .03'/></body><body pos='0 0 .4'><freejoint/>"
            "<geom type='capsule' size='.04 .06' mass='.7'/></body></worldbody>"),
  };
  unsigned long seed = 3;
  for (int k = 0; k < 10; ++k) {
    mjcf_world w = mjcf_world_of(texts[k % 2], "coulomb");
    w.settings.tolerance = 1e-10;
    const gained most = run(&w, &seed, 20.0, 1.0);
    const double allowed = k % 2 ? 1e-8 : 1e-12;
    if (!(most.linear < allowed))
      printf("%d: gained %g N s, %g N m s\n", k, most.linear, most.angular);
    assert_true(most.linear < allowed);
    assert_true(most.angular < allowed);
    mjcf_world_destroy(&w);
  }
}

// A force from outside is no gain: a body that is pushed and turned.
static void forces_are_no_gain(void **state) {
  (void)state;
  unsigned long seed = 3;
  mjcf_world w = mjcf_world_of(MODEL("<worldbody>" CHAIN "</worldbody>"), "coulomb");
  for (int i = 0; i < 7; ++i) w.data->applied_force[i] = 0.3 * (i + 1);
  const gained most = run(&w, &seed, 2.0, 0.5);
  assert_true(most.linear < 1e-12);
  assert_true(most.angular < 1e-12);
  mjcf_world_destroy(&w);
}

/* A chain that tumbles along the floor gets the momentum of its impulses. What the report tells is
 * what the solver leaves: less with a finer tolerance. */
static void what_the_solver_leaves_is_told(void **state) {
  (void)state;
  double worst[2];
  for (int k = 0; k < 2; ++k) {
    unsigned long seed = 5;
    mjcf_world w = mjcf_world_of(
        MODEL("<worldbody><geom type='plane' size='9 9 1'/>" CHAIN "</worldbody>"), "coulomb");
    w.settings.tolerance = k ? 1e-11 : 1e-4;
    worst[k] = run(&w, &seed, 5.0, 1.0).angular;
    mjcf_world_destroy(&w);
  }
  printf("gained %.2g N m s at a tolerance of 1e-4, %.2g at 1e-11\n", worst[0], worst[1]);
  assert_true(worst[1] < 1e-9 && worst[0] > 100.0 * worst[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_gained_in_flight_and_by_bodies_alone),
      cmocka_unit_test(forces_are_no_gain),
      cmocka_unit_test(what_the_solver_leaves_is_told),
  };
  return cmocka_run_group_tests_name("momentum report", tests, NULL, NULL);
}

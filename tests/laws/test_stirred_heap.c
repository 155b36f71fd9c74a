/* tests/laws/test_stirred_heap.c: a heap that a paddle stirs without end: memory stays flat,
 * nothing fails, nothing leaves. The short form of benchmarks/bench_stirred.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "math/vec3.h"
#include "mjcf_text.h"
#include "mjcf_world.h"

enum { OBJECTS = 14, STEPS = 6000 };

static const double inner = 0.2;  // [m]  half width of the bin

// A bin, spheres, boxes and capsules in two layers above it, and a paddle on a hinge with a motor.
static void heap_text(char *text, size_t size) {
  static const char *const shapes[] = {"sphere' size='.04", "box' size='.032 .032 .032",
                                       "capsule' size='.024 .024"};
  int n = snprintf(
      text, size,
      "<mujoco><default><geom friction='.5' density='1000'/></default><worldbody>"
      "<geom type='plane' size='1 1 .1'/><geom type='box' size='.1 .4 .4' pos='%g 0 .4'/>"
      "<geom type='box' size='.1 .4 .4' pos='-%g 0 .4'/><geom type='box' size='.4 .1 .4' "
      "pos='0 %g .4'/><geom type='box' size='.4 .1 .4' pos='0 -%g .4'/><body pos='0 0 .09'>"
      "<joint name='paddle' type='hinge' axis='0 0 1'/><geom type='box' size='.07 .006 .08' "
      "pos='.07 0 0' mass='1'/></body>",
      inner + 0.1, inner + 0.1, inner + 0.1, inner + 0.1);
  for (int i = 0; i < OBJECTS; ++i)
    n += snprintf(text + n, size - (size_t)n,
                  "<body pos='%g %g %g' euler='%d %d 0'><freejoint/><geom type='%s'/></body>",
                  0.11 * (i % 3 - 1), 0.11 * (i / 3 % 3 - 1), 0.25 + 0.12 * (i / 9), 40 * i, 25 * i,
                  shapes[i % 3]);
  snprintf(text + n, size - (size_t)n,
           "</worldbody><actuator><velocity joint='paddle' kv='20' forcerange='-20 20'/>"
           "</actuator></mujoco>");
}

/* 12 s at 2 ms. Memory has grown to what the heap needs within a third of it. Hard steps, in which
 * objects jam between paddle and wall, may end at the iteration limit: one in a hundred at most. */
static void memory_stays_flat(void **state) {
  (void)state;
  char text[8192];
  heap_text(text, sizeof text);
  mjcf_world w = mjcf_world_of(text, NULL);
  limpet_data *data = w.data;
  int unsolved = 0, growth = 0;
  size_t peak = 0;
  double turned = 0.0;
  for (int i = 0; i < STEPS; ++i) {
    data->control[0] = 3.0 * sin(2.0 * LIMPET_PI * data->time / 4.0);
    const limpet_outcome outcome = limpet_step(w.model, data, &w.settings);
    assert_false(limpet_outcome_failed(outcome));
    unsolved += outcome != LIMPET_OUTCOME_SOLVED;
    turned += fabs(data->v[0]) * w.settings.time_step;
    if (i == STEPS / 3) growth = data->info.arena_growth, peak = data->info.arena_peak;
  }
  printf("stirred by %.1f rad: %d of %d steps unsolved, %zu bytes, %zu at a third\n", turned,
         unsolved, STEPS, data->info.arena_peak, peak);
  assert_true(turned > 3.0);
  assert_true(unsolved <= STEPS / 100);
  assert_int_equal(data->info.arena_growth, growth);
  for (int i = 0; i < OBJECTS; ++i) {
    const double *q = data->q + 1 + 7 * i;
    assert_true(fabs(q[0]) < inner && fabs(q[1]) < inner && q[2] > 0.0 && q[2] < 0.8);
  }
  mjcf_world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(memory_stays_flat)};
  return cmocka_run_group_tests_name("stirred_heap", tests, NULL, NULL);
}

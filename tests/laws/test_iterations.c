/* tests/laws/test_iterations.c: how many Newton iterations steps of the default model take, on
 * robots that fall and on stacks and heaps at rest. Counts are the same on every machine of a kind;
 * chaotic scenes vary by a fifth with anything, so bounds are means over whole runs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "effort.h"
#include "limpet/format.h"
#include "limpet/step.h"
#include "mjcf_world.h"
#include "shared_data.h"

typedef struct counts {
  double mean;
  int worst, unsolved, steps;
  double speed;  // [m/s, rad/s]  largest at the end
} counts;

static void run(const limpet_model *model, limpet_data *data, const limpet_step_settings *settings,
                int steps, counts *c) {
  *c = (counts){.steps = steps};
  for (int k = 0; k < steps; ++k) {
    const limpet_outcome outcome = limpet_step(model, data, settings);
    assert_false(limpet_outcome_failed(outcome));
    c->unsolved += outcome != LIMPET_OUTCOME_SOLVED;
    c->mean += (double)data->info.iterations / steps;
    if (data->info.iterations > c->worst) c->worst = data->info.iterations;
  }
  for (int i = 0; i < model->nv; ++i) c->speed = fmax(c->speed, fabs(data->v[i]));
}

// Two thirds of the default limit, here also of steps that look again. Bits of other compilers take
// other courses (a step of the G1 takes 69 with sanitizers): the limit.
static const int worst = TEST_WATCHED ? 90 : 60;

// Whole falls from rest, without control, at 2 ms and beside it.
static void robots_and_a_heap_fall(void **state) {
  (void)state;
  static const struct {
    const char *file, *keyframe;
    double seconds;
    double most;   // iterations, mean
    int unsolved;  // steps
  } scenes[] = {{"models/menagerie/unitree_g1/scene.xml", "stand", 2.0, 5.0, 1},
                {"models/mjcf/model/humanoid/humanoid.xml", NULL, 2.0, 4.0, 0},
                {"models/menagerie/agility_cassie/scene.xml", "home", 2.0, 4.0, 0},
                // of 112,892 steps with 150 other step lengths one was not solved
                {"scenes-peers/clutter40.xml", NULL, 1.5, 12.0, 1}};
  static const double dt[] = {1.9e-3, 2e-3, 2.1e-3};
  for (int i = 0; i < 12; i += test_effort(1, 3)) {
    if (!shared_exists(scenes[i / 3].file)) skip();
    limpet_error error;
    limpet_model *model = limpet_load(shared_path(scenes[i / 3].file), NULL, &error);
    if (!model) fail_msg("%s", error.message);
    limpet_data *data = limpet_data_create(model);
    const char *key = scenes[i / 3].keyframe;
    if (key)
      limpet_data_reset_keyframe(model, data,
                                 limpet_model_find(model, LIMPET_OBJECT_KEYFRAME, key));
    memset(data->control, 0, (size_t)model->nu * sizeof *data->control);
    limpet_step_settings settings = limpet_step_settings_default(model);
    settings.time_step = dt[i % 3];
    counts c;
    const double seconds = (TEST_WATCHED ? 0.4 : 1.0) * scenes[i / 3].seconds;
    run(model, data, &settings, (int)(seconds / dt[i % 3]), &c);
    printf("%-48s %.1f ms: %.2f iterations a step, most %d, %d of %d unsolved\n",
           scenes[i / 3].file, 1e3 * dt[i % 3], c.mean, c.worst, c.unsolved, c.steps);
    assert_true(c.mean <= scenes[i / 3].most);
    assert_true(c.worst <= worst && c.unsolved <= scenes[i / 3].unsolved);
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
}

static const double at_rest = 0.6;  // [-]  mean iterations a step

// Settled for 2 s first; the model's own step is 2 ms.
static void stacks_at_rest(void **state) {
  (void)state;
  static const char *const files[] = {"scenes-peers/stack10.xml", "scenes-peers/ladder40.xml"};
  for (int i = 0; i < 2; ++i) {
    if (!shared_exists(files[i])) skip();
    limpet_error error;
    limpet_model *model = limpet_load(shared_path(files[i]), NULL, &error);
    if (!model) fail_msg("%s", error.message);
    limpet_data *data = limpet_data_create(model);
    const limpet_step_settings settings = limpet_step_settings_default(model);
    counts c;
    run(model, data, &settings, 1000, &c);
    run(model, data, &settings, 500, &c);
    printf("%-48s %.2f iterations a step, %.2g m/s\n", files[i], c.mean, c.speed);
    assert_true(c.mean <= at_rest && c.worst <= 3 && c.unsolved == 0);
    assert_true(c.speed < 1e-6);
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
}

enum { CUBES = 27 };

// Cubes of 0.1 m and 1 kg in a bin, in three layers, each turned, by multiples of `turn` [degrees].
static void heap_text(char *text, size_t size, int turn) {
  int n = snprintf(text, size,
                   "<mujoco><default><geom friction='.5'/></default><worldbody>"
                   "<geom type='plane' size='1 1 .1'/>");
  static const char *const walls[] = {".35 0", "-.35 0", "0 .35", "0 -.35"};
  for (int i = 0; i < 4; ++i)
    n += snprintf(text + n, size - (size_t)n, "<geom type='box' size='%s .4' pos='%s .4'/>",
                  i < 2 ? ".1 .45" : ".45 .1", walls[i]);
  for (int i = 0; i < CUBES; ++i)
    n += snprintf(text + n, size - (size_t)n,
                  "<body pos='%g %g %g' euler='%d %d %d'><freejoint/>"
                  "<geom type='box' size='.05 .05 .05' mass='1'/></body>",
                  0.15 * (i % 3 - 1), 0.15 * (i / 3 % 3 - 1), 0.12 + 0.16 * (i / 9), turn * i,
                  23 * i, 11 * i);
  snprintf(text + n, size - (size_t)n, "</worldbody></mujoco>");
}

/* A heap of cubes comes to rest: edges that lie across faces must not rock from end to end
 * (tests/geometry/test_manifold.c). */
static void heaps_at_rest(void **state) {
  (void)state;
  if (TEST_WATCHED) skip();  // heaps_land visits the same code
  char text[8192];
  heap_text(text, sizeof text, 37);
  mjcf_world w = mjcf_world_of(text, NULL);
  w.settings.time_step = 2e-3;
  counts falling, resting;
  run(w.model, w.data, &w.settings, 1500, &falling);
  run(w.model, w.data, &w.settings, 500, &resting);
  printf(
      "heap of %d cubes: %.2f iterations a step while it falls, %d of %d unsolved; at rest %.2f, "
      "%.2g m/s\n",
      CUBES, falling.mean, falling.unsolved, falling.steps, resting.mean, resting.speed);
  assert_true(falling.unsolved <= 0.01 * falling.steps);
  assert_true(resting.mean <= at_rest && resting.unsolved == 0);
  assert_true(resting.speed < 1e-6);
  mjcf_world_destroy(&w);
}

/* Where many cubes land at once the linear step from the forces of the last step leads astray, and
 * sweeps over the contacts put it right (solve/coulomb_solve.c, `begin`). */
static void heaps_land(void **state) {
  (void)state;
  enum { HEAPS = TEST_WATCHED ? 2 : 12, STEPS = 200 };
  double mean = 0.0;
  int most = 0, long_ones = 0;
  for (int i = 0; i < HEAPS; ++i) {
    char text[8192];
    heap_text(text, sizeof text, 31 + 2 * i);
    mjcf_world w = mjcf_world_of(text, NULL);
    w.settings.time_step = 2e-3;
    counts c;
    run(w.model, w.data, &w.settings, STEPS, &c);
    mean += c.mean / HEAPS;
    long_ones += c.worst > 30;
    if (c.worst > most) most = c.worst;
    assert_int_equal(c.unsolved, 0);
    mjcf_world_destroy(&w);
  }
  printf("%d heaps of %d cubes land: %.2f iterations a step, most %d, in %d heaps above 30\n",
         HEAPS, CUBES, mean, most, long_ones);
  // without second sweeps 7.7, and 11 of the heaps; with other round-off 6.7 to 6.8, and 6 or 7
  assert_true(mean < 7.0 && long_ones <= 8 && most <= worst);
}

/* Three cloths fall on a ball and on each other: islands of a thousand velocities whose contacts
 * share the vertices of soft bodies. Hard steps of these end by sweeps, too. */
static void cloths_fall_on_a_ball(void **state) {
  (void)state;
  static const char *const file = "models/mjcf/model/flex/drape.xml";
  if (TEST_WATCHED || !shared_exists(file)) skip();
  limpet_error error;
  limpet_model *model = limpet_load(shared_path(file), NULL, &error);
  if (!model) fail_msg("%s", error.message);
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  counts c;
  run(model, data, &settings, 160, &c);
  printf("three cloths on a ball: %.2f iterations a step, most %d, %d of %d unsolved\n", c.mean,
         c.worst, c.unsolved, c.steps);
  // 5.4 iterations a step; 8.5 where sweeps come after five, 22 where as late as in other islands
  assert_true(c.unsolved == 0 && c.worst <= worst && c.mean < 7.0);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

/* With hardly any iterations each hard step ends by what ends unsolved ones: friction in the cone,
 * momentum met, no overlap to speak of, and a name for it. The limit is that of all its solves. */
static void unsolved_steps_are_sound(void **state) {
  (void)state;
  static const char *const files[] = {"models/menagerie/unitree_g1/scene.xml",
                                      "scenes-peers/clutter40.xml"};
  for (int i = 0; i < 4; i += test_effort(1, 3)) {
    if (!shared_exists(files[i / 2])) skip();
    limpet_error error;
    limpet_model *model = limpet_load(shared_path(files[i / 2]), NULL, &error);
    if (!model) fail_msg("%s", error.message);
    limpet_data *data = limpet_data_create(model);
    limpet_step_settings settings = limpet_step_settings_default(model);
    settings.iteration_limit = i % 2 ? 6 : 2;
    const int steps = i < 2 ? 300 : test_effort(150, 110);
    int unsolved = 0, again = 0;
    double outside = 0.0, residual = 0.0, deepest = 0.0, speed = 0.0;
    for (int k = 0; k < steps; ++k) {
      const limpet_outcome outcome = limpet_step(model, data, &settings);
      assert_false(limpet_outcome_failed(outcome));
      unsolved += outcome != LIMPET_OUTCOME_SOLVED;
      assert_true(data->info.iterations <= (1 + data->info.repeats) * settings.iteration_limit);
      again += data->info.repeats > 0;
      outside = fmax(outside, data->info.friction_outside);
      residual = fmax(residual, data->info.residual);
      deepest = fmax(deepest, data->info.deepest_penetration);
      for (int d = 0; d < model->nv; ++d) speed = fmax(speed, fabs(data->v[d]));
    }
    printf(
        "%s, limit %d: %d of %d unsolved, %d looked at again, outside %.2g, residual %.2g, overlap "
        "%.2g m, %.2g\n",
        files[i / 2], settings.iteration_limit, unsolved, steps, again, outside, residual, deepest,
        speed);
    assert_true(unsolved > 10 && (i < 2 || again > 10));
    assert_true(outside < 1e-9 && residual <= settings.tolerance);
    assert_true(deepest < 2e-3 && speed < 200.0);
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
}

/* With less than half of the iterations nearly all steps of a fall are solved: sweeps come close,
 * and the shifted problems that follow start from their forces. From the velocities of sweeps 22 of
 * 1211 steps were unsolved. */
static void few_iterations_solve_a_fall(void **state) {
  (void)state;
  static const char file[] = "scenes-peers/clutter100.xml";
  static const double dt[] = {1.87e-3, 1.95e-3, 2.02e-3, 2.09e-3},
                      seconds = TEST_WATCHED ? 0.4 : 0.6;
  int unsolved = 0, steps = 0;
  if (!shared_exists(file)) skip();
  limpet_error error;
  limpet_model *model = limpet_load(shared_path(file), NULL, &error);
  if (!model) fail_msg("%s", error.message);
  for (int i = 0; i < test_effort(4, 1); ++i) {
    limpet_data *data = limpet_data_create(model);
    limpet_step_settings settings = limpet_step_settings_default(model);
    settings.time_step = dt[i];
    settings.iteration_limit = 24;
    counts c;
    run(model, data, &settings, (int)(seconds / dt[i]), &c);
    unsolved += c.unsolved, steps += c.steps;
    limpet_data_destroy(data);
  }
  printf("%s, 24 iterations: %d of %d unsolved\n", file, unsolved, steps);
  assert_true(unsolved <= 10);
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(robots_and_a_heap_fall),
      cmocka_unit_test(stacks_at_rest),
      cmocka_unit_test(heaps_at_rest),
      cmocka_unit_test(heaps_land),
      cmocka_unit_test(cloths_fall_on_a_ball),
      cmocka_unit_test(unsolved_steps_are_sound),
      cmocka_unit_test(few_iterations_solve_a_fall),
  };
  return cmocka_run_group_tests_name("iterations", tests, NULL, NULL);
}

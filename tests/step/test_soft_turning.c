/* tests/step/test_soft_turning.c: solids of the law linear-corotated that are tied to a body that
 * turns. Their law is taken first where they turn on, and rounds keep a factor: what comes out is
 * that of the end of the step all the same, with its derivatives. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "effort.h"
#include "math/vec3.h"
#include "mjcf_world.h"
#include "random_models.h"
#include "soft_products.h"

typedef struct bar {
  int joint, cells[3];
  double size[3], young, poisson, density, damping, mass, ground, turn[3], step;
} bar;

enum { HINGE, BALL, FREE, JOINTS };

static bar random_bar(unsigned long *seed, int i) {
  bar b = {.joint = i % JOINTS,
           .young = random_log(seed, 1e5, 1e9),
           .density = random_log(seed, 100.0, 4000.0),
           .damping = i % 2 ? random_log(seed, 1e-5, 1e-2) : 0.0,
           .mass = random_log(seed, 1e-3, 1.0),
           .ground = i % 4 == 3 ? random_uniform(seed, -0.9, -0.5) : -100.0,
           .step = random_log(seed, 2e-4, 5e-3)};
  b.size[0] = random_log(seed, 0.02, 0.1);
  b.size[1] = random_log(seed, 0.005, 0.03), b.size[2] = random_log(seed, 0.005, 0.03);
  for (int k = 0; k < 3; ++k) b.cells[k] = 1 + (int)random_uniform(seed, k == 0 ? 1.0 : 0.0, 3.0);
  random_vector(seed, b.turn, 3, random_log(seed, 1.0, 30.0));
  if (b.joint == HINGE) b.turn[0] = b.turn[2] = 0.0;
  return b;
}

// The bar along x from a body with a joint; `ground`: over its length.
static mjcf_world world_of(const bar *b, const char *law) {
  static const char *const joints[JOINTS] = {[HINGE] = "<joint type='hinge' axis='0 1 0'/>",
                                             [BALL] = "<joint type='ball'/>",
                                             [FREE] = "<freejoint/>"};
  char text[1024];
  const double x = b->size[0];
  snprintf(text, sizeof text,
           "<mujoco><worldbody><geom type='plane' size='9 9 .1' pos='0 0 %g'/><body>%s"
           "<geom type='box' size='.004 .004 .004' mass='%.17g' contype='0' conaffinity='0'/>"
           "<limpet:deformable type='box' size='%.17g %.17g %.17g' cells='%d %d %d' law='%s' "
           "young='%.17g' poisson='%.17g' density='%.17g' damping='%.17g' pos='%.17g 0 0'>"
           "<limpet:tie box='%.17g -1 -1 %.17g 1 1'/></limpet:deformable></body></worldbody>"
           "</mujoco>",
           b->ground * x, joints[b->joint], b->mass, x, b->size[1], b->size[2], b->cells[0],
           b->cells[1], b->cells[2], law, b->young, b->poisson, b->density, b->damping, x,
           -1.0001 * x, -0.9999 * x);
  mjcf_world w = mjcf_world_of(text, NULL);
  w.settings.time_step = b->step, w.settings.energy = true;
  return w;
}

// All turns as one about the body's origin.
static void turn(const mjcf_world *w, const bar *b) {
  limpet_data *data = w->data;
  if (b->joint == HINGE) data->v[0] = b->turn[1];
  else limpet_vec3_copy(data->v, b->turn);  // ball and free joints: angular velocity first
  for (int i = 0; i < w->model->vertex_count; ++i)
    limpet_vec3_cross(data->vertex_velocity + 3L * i, b->turn, data->vertex_position + 3L * i);
}

static double distance(int count, const double *a, const double *b) {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

typedef struct tally {
  int steps, followed, unsolved, rounds;
  double worst, gained;
} tally;

static bool step(mjcf_world *w, tally *t) {
  const bool solved = limpet_step(w->model, w->data, &w->settings) == LIMPET_OUTCOME_SOLVED;
  ++t->steps, t->unsolved += !solved;
  t->rounds += w->data->info.elastic_rounds;
  return solved;
}

/* Each step against one of `corotated` from the same state, which is solved from where the last
 * step ended, with singular values: its energy is that of the other law where lambda vanishes. */
static void compare(const bar *b, tally *t) {
  mjcf_world w = world_of(b, "linear-corotated"), other = world_of(b, "corotated");
  const int count = 3 * w.model->vertex_count;
  w.settings.tolerance = other.settings.tolerance = 1e-8;
  turn(&w, b);
  double speed = 0.0;
  for (int i = 0; i < 40; ++i) {
    limpet_data_state_copy(w.data, other.data);
    tally unused = {0};
    const bool both = step(&other, &unused) && step(&w, t);
    speed = fmax(speed, limpet_vec3_norm(b->turn) * b->size[0] * sqrt(count));
    if (!both || w.data->info.elastic_rounds == 0) continue;
    ++t->followed;
    t->worst = fmax(t->worst,
                    distance(count, w.data->vertex_velocity, other.data->vertex_velocity) / speed);
  }
  mjcf_world_destroy(&w), mjcf_world_destroy(&other);
}

static void the_law_is_that_of_the_end(void **state) {
  (void)state;
  unsigned long seed = 15;
  tally t = {0};
  for (int i = 0; i < test_effort(60, 12); ++i) {
    const bar b = random_bar(&seed, i);
    compare(&b, &t);
  }
  print_message("%d steps, %d unsolved, %d by the law of the end, in %d rounds: off by %.2g\n",
                t.steps, t.unsolved, t.followed, t.rounds, t.worst);
  assert_true(3 * t.followed > t.steps);
  assert_true(t.worst < 1e-6);
}

// No step gains energy, and none stays unsolved at the tolerance by default.
static void nothing_is_gained(void **state) {
  (void)state;
  unsigned long seed = 16;
  tally t = {0};
  for (int i = 0; i < test_effort(60, 12); ++i) {
    bar b = random_bar(&seed, i);
    b.poisson = random_uniform(&seed, 0.0, 0.49);
    mjcf_world w = world_of(&b, "linear-corotated");
    turn(&w, &b);
    double whole = 0.0;
    for (int k = 0; k < 60; ++k) {
      if (!step(&w, &t)) continue;
      whole = fmax(whole, w.data->info.kinetic_energy);
      t.gained = fmax(t.gained, w.data->info.energy_rise / whole);
    }
    mjcf_world_destroy(&w);
  }
  print_message("%d steps, %d unsolved, %d rounds: at most %.2g gained\n", t.steps, t.unsolved,
                t.rounds, t.gained);
  assert_true(t.rounds > t.steps / 2);
  assert_true(500 * t.unsolved <= t.steps);
  assert_true(t.gained < 5e-3);
}

// A factor that rounds keep is not that of the end; the last round has the one that derivatives
// know.
static void derivatives_are_those_of_the_end(void **state) {
  (void)state;
  unsigned long seed = 17;
  int smooth = 0, followed = 0, tried = 0;
  for (int i = 0; i < test_effort(12, 6); ++i) {
    bar b = random_bar(&seed, i);
    b.poisson = 0.3, b.young = 5e5, b.density = 1000.0, b.ground = -100.0, b.step = 2e-3;
    limpet_vec3_scale(b.turn, 15.0 / limpet_vec3_norm(b.turn), b.turn);
    mjcf_world w = world_of(&b, "linear-corotated");
    w.settings.tolerance = 1e-9;
    turn(&w, &b);
    tally t = {0};
    for (int k = 0; k < 10; ++k) step(&w, &t);
    ++tried, smooth += soft_products_check(&w, "a bar that turns, tied", 1e-6, &seed);
    followed += w.data->info.elastic_rounds > 0;
    mjcf_world_destroy(&w);
  }
  print_message("%d of %d smooth, %d by the law of the end\n", smooth, tried, followed);
  assert_true(4 * smooth >= 3 * tried && 2 * followed >= tried);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_law_is_that_of_the_end),
                                     cmocka_unit_test(nothing_is_gained),
                                     cmocka_unit_test(derivatives_are_those_of_the_end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

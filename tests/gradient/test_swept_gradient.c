/* tests/gradient/test_swept_gradient.c: columns of steps in which a fast body meets another one on
 * its path (collide/fast_pairs.h), against differences of whole steps.
 *
 * Where both touch, and so the contact's points and its normal, follows from poses and velocities
 * at the start. Bodies of 2 to 5 cm fly 1 to 5 cm in a step and hit each other off their centres,
 * or pass each other's edges and turn there. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "effort.h"
#include "limpet/gradient.h"
#include "mjcf_world.h"
#include "random_models.h"
#include "step_differences.h"

enum { THROWS = TEST_WATCHED ? 4 : 12 };

static const double tolerance = 1e-6;  // [-]  of the largest entry; most are within 1e-8

// A body that is thrown, one that it meets, and a wall that some of them turn at.
#define SCENE(thrown, met)                                  \
  "<mujoco><option timestep='0.005'/><worldbody>"           \
  "<body pos='-0.07 0.004 0.003'><freejoint/><geom " thrown \
  " density='800'/></body>"                                 \
  "<body euler='20 35 10'><freejoint/><geom " met           \
  "/></body>"                                               \
  "<geom type='box' size='0.01 0.5 0.5' pos='0.2 0 0'/></worldbody></mujoco>"

static const char *const scenes[] = {
    SCENE("size='0.02'", "size='0.03'"), SCENE("size='0.01'", "type='capsule' size='0.015 0.04'"),
    SCENE("type='capsule' size='0.01 0.02' euler='10 60 0'", "type='capsule' size='0.015 0.04'"),
    SCENE("size='0.015'", "type='box' size='0.02 0.03 0.025'"),
    SCENE("type='ellipsoid' size='0.012 0.02 0.015' euler='10 60 0'",
          "type='ellipsoid' size='0.02 0.03 0.025'")};
enum { SCENES = sizeof scenes / sizeof scenes[0] };

typedef enum way { WAY_DEFAULT, WAY_DIFFERENCES, WAY_SMOOTHED } way;

typedef struct totals {
  int columns, flagged, off, hits;
  double worst;
} totals;

static double largest(const double *x, int count) {
  double most = 1e-3;
  for (int i = 0; i < count; ++i) most = fmax(most, fabs(x[i]));
  return most;
}

static void compare(step_differences *s, const limpet_gradient *g, bool by_v, totals *sum) {
  const int nv = s->model->nv;
  const double *dq = by_v ? g->dq.v : g->dq.q, *dv = by_v ? g->dv.v : g->dv.q,
               scale[2] = {largest(dq, nv * nv), largest(dv, nv * nv)};
  double *own = calloc(2 * (size_t)nv, sizeof *own), settled;
  for (int c = 0; c < nv; ++c) {
    ++sum->columns;
    if ((by_v ? g->kink.v : g->kink.q)[c] > 0.0) {
      ++sum->flagged;
      continue;
    }
    for (int i = 0; i < nv; ++i) own[i] = dq[i * nv + c], own[nv + i] = dv[i * nv + c];
    const double best =
        step_differences_nearest(s, by_v ? step_move_v : step_move_q, c, own, scale, &settled);
    sum->worst = fmax(sum->worst, best);
    if (!(best > tolerance && settled <= 0.3 * best)) continue;
    ++sum->off;
    printf("by %c %d: %.2g of the largest entry\n", by_v ? 'v' : 'q', c, best);
  }
  free(own);
}

// Thrown at the other body, which moves, too, so that it comes to lie in the step's way or near it.
static void throw_body(limpet_data *data, unsigned long *seed) {
  random_vector(seed, data->v, 12, 0.3);
  const double speed = random_uniform(seed, 2.0, 10.0);
  data->v[0] += speed;
  data->q[0] = -random_uniform(seed, 0.2, 0.9) * 0.005 * speed - 0.05;
  data->q[1] = random_uniform(seed, -0.03, 0.03);
  data->q[2] = random_uniform(seed, -0.03, 0.03);
}

static void check_scene(const char *text, const char *law, way by, totals *sum) {
  unsigned long seed = 7;
  mjcf_world world = mjcf_world_of(text, law);
  limpet_data *from = limpet_data_create(world.model);
  limpet_gradient *gradient = limpet_gradient_create(world.model);
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  double *state = calloc((size_t)limpet_data_state_size(world.model), sizeof *state);
  wanted.contacts = wanted.inputs = false;
  wanted.differences = by == WAY_DIFFERENCES;
  if (by == WAY_SMOOTHED) wanted.smoothing.kind = LIMPET_SMOOTHING_BARRIER;
  world.settings.tolerance = 1e-13;
  limpet_step_settings steps = world.settings;
  if (by == WAY_SMOOTHED)
    assert_null(limpet_gradient_smoothing_step(&wanted.smoothing, &world.settings, &steps));
  for (int k = 0; k < THROWS; ++k) {
    limpet_data_reset(world.model, world.data);
    throw_body(world.data, &seed);
    limpet_data_state_read(world.model, world.data, state);
    limpet_data_state_write(world.model, from, state);
    limpet_gradient_step(world.model, world.data, &world.settings, &wanted, gradient);
    assert_null(gradient->reason);
    if (!(world.data->contact_count > 0 && world.data->contact_force[2] > 0.0)) continue;
    ++sum->hits;
    step_differences s;
    step_differences_open(&s, world.model, from, &steps);
    compare(&s, gradient, false, sum);
    compare(&s, gradient, true, sum);
    step_differences_close(&s);
  }
  free(state);
  limpet_gradient_destroy(gradient);
  limpet_data_destroy(from);
  mjcf_world_destroy(&world);
}

static void check_law(const char *law, way by, totals *sum) {
  for (int i = 0; i < SCENES; ++i) {
    const totals before = *sum;
    check_scene(scenes[i], law, by, sum);
    printf("%s, scene %d: %d hits, %d columns, %d flagged\n", law, i, sum->hits - before.hits,
           sum->columns - before.columns, sum->flagged - before.flagged);
  }
  printf("%s: worst %.2g\n", law, sum->worst);
}

/* With the points held, columns by velocity were off by up to their largest entry, and all columns
 * by pose were flagged. */
static void rigid_contact_follows_the_paths(void **unused) {
  (void)unused;
  static const char *const laws[] = {"anitescu", "anitescu-cone"};
  for (int k = 0; k < 2; ++k) {
    totals sum = {0};
    check_law(laws[k], WAY_DEFAULT, &sum);
    assert_int_equal(sum.off, 0);
    assert_true(sum.hits >= SCENES * THROWS / 4);
    assert_true(sum.flagged < sum.columns / 10);
  }
}

// All columns of compliant contact by differences, as of trees without a closed form.
static void compliant_contact_follows_the_paths(void **unused) {
  (void)unused;
  totals sum = {0};
  check_law("coulomb", WAY_DIFFERENCES, &sum);
  assert_int_equal(sum.off, 0);
  assert_true(sum.flagged < sum.columns / 3);
}

// Derivatives of the barrier's step against differences of that step.
static void smoothed_contact_follows_the_paths(void **unused) {
  (void)unused;
  totals sum = {0};
  check_law("similar", WAY_SMOOTHED, &sum);
  assert_int_equal(sum.off, 0);
  assert_true(sum.flagged < sum.columns / 20);
}

// The velocity (nv) after a step from `from` at another speed across the path.
static void velocity_at(const mjcf_world *world, const double *from, double speed, double *v) {
  limpet_data_state_write(world->model, world->data, from);
  world->data->v[0] = 12.0, world->data->v[1] = speed;
  limpet_step(world->model, world->data, &world->settings);
  for (int i = 0; i < world->model->nv; ++i) v[i] = world->data->v[i];
}

static double apart(const double *a, const double *b, int count) {
  double most = 0.0;
  for (int i = 0; i < count; ++i) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

// Halves [*low, *high] around the larger change; the change that is left.
static double close_in(const mjcf_world *world, const double *from, double *low, double *high) {
  double at_low[12], at_middle[12], at_high[12];
  const int nv = world->model->nv;
  velocity_at(world, from, *low, at_low);
  velocity_at(world, from, *high, at_high);
  while (*high - *low > 1e-9) {
    const double middle = 0.5 * (*low + *high);
    velocity_at(world, from, middle, at_middle);
    if (apart(at_low, at_middle, nv) > apart(at_middle, at_high, nv)) {
      *high = middle;
      for (int i = 0; i < nv; ++i) at_high[i] = at_middle[i];
    } else {
      *low = middle;
      for (int i = 0; i < nv; ++i) at_low[i] = at_middle[i];
    }
  }
  return apart(at_low, at_high, nv);
}

/* The search for the touch ends within a thousandth of the size of the bodies, so that a step jumps
 * where it takes another look. Speeds within 1e-9 m/s of that are found by bisection. */
static void another_look_is_a_kink(void **unused) {
  (void)unused;
  enum { SPEEDS = 100 };
  int jumps = 0;
  mjcf_world world = mjcf_world_of(scenes[1], "anitescu");
  limpet_gradient *gradient = limpet_gradient_create(world.model);
  const limpet_gradient_settings wanted = limpet_gradient_settings_default();
  double *from = calloc((size_t)limpet_data_state_size(world.model), sizeof *from);
  world.settings.tolerance = 1e-13;
  world.data->q[1] = 0.013, world.data->q[2] = 0.004;
  limpet_data_state_read(world.model, world.data, from);
  for (int k = 0; k < SPEEDS; ++k) {
    double low = 0.02 * k - 1.0, high = 0.02 * k - 0.98;
    if (close_in(&world, from, &low, &high) < 1e-5) continue;
    ++jumps;
    limpet_data_state_write(world.model, world.data, from);
    world.data->v[0] = 12.0, world.data->v[1] = low;
    limpet_gradient_step(world.model, world.data, &world.settings, &wanted, gradient);
    assert_null(gradient->reason);
    printf("a jump at %.9f m/s\n", low);
    assert_true(gradient->kink.v[1] > 0.0);
  }
  assert_true(jumps > 0);
  free(from);
  limpet_gradient_destroy(gradient);
  mjcf_world_destroy(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rigid_contact_follows_the_paths),
                                     cmocka_unit_test(compliant_contact_follows_the_paths),
                                     cmocka_unit_test(smoothed_contact_follows_the_paths),
                                     cmocka_unit_test(another_look_is_a_kink)};
  return cmocka_run_group_tests_name("swept_gradient", tests, NULL, NULL);
}

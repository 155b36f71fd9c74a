/* tests/solve/test_island_rows.c: islands of rows alone start from the linear problem of the rows
 * as they are at the guess of the step. Whatever the guess is, the step is that of Newton's method
 * from the old velocity, which knows no such start. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "effort.h"
#include "limpet/limpet.h"
#include "mjcf_world.h"
#include "random_models.h"
#include "solve/row.h"
#include "step/prepared.h"

// Limits on one side and on both, dry friction, a servo with little force, a coupler, a loop.
static const char *const arm =
    "<mujoco><option timestep='0.002'/><compiler angle='radian'/>"
    "<default><geom contype='0' conaffinity='0'/></default><worldbody>"
    "<body name='a'><joint name='1' axis='0 1 0' range='-1 1' frictionloss='0.3'/>"
    "<geom type='capsule' size='0.03' fromto='0 0 0 0 0 0.3' mass='2'/>"
    "<body pos='0 0 0.3'><joint name='2' axis='1 0 0' range='-1 0.5' damping='0.1'/>"
    "<geom type='capsule' size='0.02' fromto='0 0 0 0 0 0.3' mass='1'/>"
    "<body name='b' pos='0 0 0.3'><joint name='3' axis='0 1 0' range='-0.5 1' frictionloss='0.01'/>"
    "<geom type='capsule' size='0.02' fromto='0 0 0 0.2 0 0' mass='0.1'/>"
    "<joint name='4' type='slide' axis='1 0 0' range='-0.1 0.1'/></body></body></body>"
    "<body name='c' pos='0.5 0 0'><joint name='5' axis='0 1 0' range='-2 2'/>"
    "<geom type='capsule' size='0.02' fromto='0 0 0 0 0 0.6' mass='0.5'/></body></worldbody>"
    "<equality><joint joint1='3' joint2='2' polycoef='0 0.5 0 0 0'/>"
    "<connect body1='b' body2='c' anchor='0.2 0 0'/></equality>"
    "<actuator><position joint='1' kp='200' kv='5' forcerange='-3 3'/>"
    "<position joint='5' kp='50' forcerange='-1 1'/></actuator></mujoco>";

static double between(uint64_t *seed, double low, double high) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return low + (high - low) * (double)(*seed >> 11) * 0x1p-53;
}

// Of either sign, its size on a log scale.
static double scattered(uint64_t *seed, double least, double most) {
  const double size = exp(between(seed, log(least), log(most)));
  return between(seed, -1.0, 1.0) < 0.0 ? -size : size;
}

// Any state near the reference pose.
static void scatter(const limpet_model *model, limpet_data *data, uint64_t *seed) {
  limpet_data_reset(model, data);
  for (int i = 0; i < model->nq; ++i) data->q[i] += between(seed, -1.0, 1.0);
  for (int i = 0; i < model->nv; ++i) data->v[i] = scattered(seed, 1e-4, 30.0);
  for (int i = 0; i < model->nu; ++i) data->control[i] = between(seed, -1.0, 1.0);
}

static void guesses_lead_to_one_step(void **state) {
  (void)state;
  mjcf_world world = mjcf_world_of(arm, NULL);
  const limpet_model *model = world.model;
  limpet_data *data = world.data;
  limpet_step_settings settings = world.settings;
  uint64_t seed = 7;
  int rows = 0, one = 0;
  double worst = 0.0, v[8];
  const int count = test_effort(400, 40);
  for (int k = 0; k < count; ++k) {
    scatter(model, data, &seed);
    limpet_step_prepared prepared;
    limpet_step_result result;
    assert_int_equal(limpet_step_prepare(model, data, &settings, settings.time_step, &prepared), 0);
    settings.warm_start = false;
    assert_int_equal(limpet_step_attempt(&prepared, &settings, &result), 0);
    assert_true(model->nv <= 8);
    memcpy(v, result.solution->contact.v, (size_t)model->nv * sizeof *v);

    // guesses from good ones to those that lead nowhere
    const double wrong = exp(between(&seed, log(1e-6), log(30.0)));
    for (int i = 0; i < model->nv; ++i)
      data->warm_start[i] = v[i] - data->v[i] + scattered(&seed, 1e-3 * wrong, wrong);
    settings.warm_start = true;
    assert_int_equal(limpet_step_attempt(&prepared, &settings, &result), 0);
    rows += result.solution->problem.row_count;
    one += result.info.iterations == 1;
    double off = 0.0, size = 0.0;
    for (int i = 0; i < model->nv; ++i) {
      off = fmax(off, fabs(result.solution->contact.v[i] - v[i]));
      size = fmax(size, fabs(v[i]));
    }
    worst = fmax(worst, off / size);
  }
  printf("%g rows a step; %g of the steps take one iteration; velocities differ by %g at most\n",
         (double)rows / count, (double)one / count, worst);
  assert_true(rows > 5 * count && 4 * one > count);
  // the tolerance, times what inertias along the velocities differ by
  assert_true(worst <= 1e-5);
  mjcf_world_destroy(&world);
}

/* Three rows that name the same velocities, some with zeros, give the same bits at once as one by
 * one; rows that do not are no triple. */
static void triples_sum_as_rows(void **state) {
  (void)state;
  enum { VELOCITIES = 12, MOST = 8 };
  unsigned long seed = 5;
  for (int count = 1; count <= MOST; ++count) {
    int dof[3 * MOST];
    double value[3 * MOST], x[VELOCITIES], gamma[3], u[3], push[2][VELOCITIES];
    limpet_constraint_row row[3];
    random_vector(&seed, value, 3 * count, 1.0);
    random_vector(&seed, x, VELOCITIES, 1.0);
    random_vector(&seed, gamma, 3, 1.0);
    random_vector(&seed, push[0], VELOCITIES, 1.0);
    memcpy(push[1], push[0], sizeof push[0]);
    for (int e = 0; e < 3 * count; ++e) dof[e] = VELOCITIES - 1 - e % count;  // towards the root
    for (int k = 0; k < 3; ++k) {
      row[k] = (limpet_constraint_row){.entry = k * count, .entry_count = count};
      value[k * count + (k + 1) % count] = 0.0;
    }
    const limpet_contact_problem problem = {.entry_dof = dof, .entry_value = value, .row = row};
    assert_int_equal(limpet_row_is_triple(&problem, row, 3), count > 1);
    assert_false(limpet_row_is_triple(&problem, row, 2));
    limpet_row_triple_speed(&problem, row, x, u);
    limpet_row_triple_push(&problem, row, gamma, push[0]);
    for (int k = 0; k < 3; ++k) {
      assert_true(u[k] == limpet_row_speed(&problem, &row[k], x));
      limpet_row_push(&problem, &row[k], gamma[k], push[1]);
    }
    assert_memory_equal(push[0], push[1], sizeof push[0]);
    dof[3 * count - 1] = 0;
    assert_false(limpet_row_is_triple(&problem, row, 3));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(guesses_lead_to_one_step),
                                     cmocka_unit_test(triples_sum_as_rows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* tests/gradient/test_leaving.c: the step in which a tree of several bodies leaves what held it:
 * columns in closed form against differences of whole steps.
 *
 * A body with two arms stands or lies on a floor, is thrown up, and its first step without a force
 * of the floor is taken. All columns of pose, velocity, force and control are compared: within 1e-8
 * of the largest entry, which is what differences tell (measured: 1.1e-10). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/gradient.h"
#include "mjcf_world.h"
#include "random_models.h"
#include "step/flight.h"
#include "step_differences.h"

enum { THROWS = 16, STEPS = 12 };

static const double tolerance = 1e-8;  // [-]  of the largest entry

#define JUMPER                                                                             \
  "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='5 5 0.1'/>"       \
  "<body name='trunk' pos='0 0 0.105'><freejoint/>"                                        \
  "<geom type='box' size='0.15 0.1 0.1' pos='0.02 0 0' mass='2'/>"                         \
  "<body pos='0.15 0 0'><joint name='a' type='hinge' axis='0 1 0' damping='0.1'/>"         \
  "<geom type='capsule' size='0.03' fromto='0 0 0 0.3 0 0.05' mass='0.5'/>"                \
  "<body pos='0.3 0 0.05'><joint name='b' type='hinge' axis='0 0.6 0.8' stiffness='2'/>"   \
  "<geom type='capsule' size='0.025' fromto='0 0 0 0.2 0.1 0' mass='0.3'/></body></body>"  \
  "<body pos='-0.15 0 0.05'><joint name='c' type='ball'/>"                                 \
  "<geom type='capsule' size='0.03' fromto='0 0 0 -0.25 0.05 0' mass='0.4'/></body>"       \
  "</body></worldbody><actuator><motor joint='a'/><position joint='b' kp='5'/></actuator>" \
  "</mujoco>"

typedef struct group {
  const char *name;
  step_move *move;
  int count;
  const double *dq, *dv, *kink;
} group;

static double largest(const double *x, int count) {
  double most = 1e-9;
  for (int i = 0; i < count; ++i) most = fmax(most, fabs(x[i]));
  return most;
}

// The worst column of a group without a kink.
static double worst_of(step_differences *s, const group *g, int nv, int *compared) {
  const double scale[2] = {largest(g->dq, nv * g->count), largest(g->dv, nv * g->count)};
  double *own = calloc(2 * (size_t)nv, sizeof *own), worst = 0.0, settled;
  for (int c = 0; c < g->count; ++c) {
    if (g->kink[c] > 0.0) continue;
    for (int i = 0; i < nv; ++i)
      own[i] = g->dq[i * g->count + c], own[nv + i] = g->dv[i * g->count + c];
    worst = fmax(worst, step_differences_nearest(s, g->move, c, own, scale, &settled));
    ++*compared;
  }
  free(own);
  return worst;
}

// Compares the step that world made from the state of `from`.
static double compare(const mjcf_world *world, const limpet_data *from, const limpet_gradient *g,
                      int *compared) {
  const int nv = world->model->nv, nu = world->model->nu;
  const group groups[] = {
      {"q", step_move_q, nv, g->dq.q, g->dv.q, g->kink.q},
      {"v", step_move_v, nv, g->dq.v, g->dv.v, g->kink.v},
      {"force", step_move_force, nv, g->dq.force, g->dv.force, g->kink.force},
      {"control", step_move_control, nu, g->dq.control, g->dv.control, g->kink.control}};
  double worst = 0.0;
  step_differences s;
  step_differences_open(&s, world->model, from, &world->settings);
  for (size_t k = 0; k < sizeof groups / sizeof *groups; ++k) {
    const double error = worst_of(&s, &groups[k], nv, compared);
    if (!(error <= tolerance)) printf("by %s: %g\n", groups[k].name, error);
    worst = fmax(worst, error);
  }
  step_differences_close(&s);
  return worst;
}

static void trees_that_leave_have_closed_forms(void **unused) {
  (void)unused;
  unsigned long seed = 3;
  mjcf_world world = mjcf_world_of(JUMPER, NULL);
  const limpet_model *model = world.model;
  limpet_data *from = limpet_data_create(model);
  limpet_gradient *gradient = limpet_gradient_create(model);
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  double *state = calloc((size_t)limpet_data_state_size(model), sizeof *state), kick[16],
         worst = 0.0;
  int leaving = 0, compared = 0;
  wanted.contacts = false;
  world.settings.tolerance = 1e-13;
  assert_true(model->nv <= 16);
  for (int k = 0; k < THROWS; ++k) {
    limpet_data_reset(model, world.data);
    random_vector(&seed, world.data->v, model->nv, 0.3);
    random_vector(&seed, world.data->control, model->nu, 0.3);
    mjcf_world_run(&world, 0.04 + 0.01 * k);
    random_vector(&seed, kick, model->nv, 0.4);
    for (int i = 0; i < model->nv; ++i) world.data->v[i] += kick[i];
    world.data->v[2] += 2.0;
    for (int i = 0; i < STEPS; ++i) {
      limpet_data_state_read(model, world.data, state);
      limpet_data_state_write(model, from, state);
      memcpy(from->control, world.data->control, (size_t)model->nu * sizeof(double));
      limpet_gradient_step(model, world.data, &world.settings, &wanted, gradient);
      assert_null(gradient->reason);
      if (from->tree_held[0] < LIMPET_FLIGHT_HELD_OUTSIDE ||
          !(world.data->tree_held[0] < LIMPET_FLIGHT_HELD_OUTSIDE) || gradient->approximate)
        continue;
      ++leaving;
      for (int d = 0; d < model->nv; ++d) assert_false(gradient->by_differences[d]);
      worst = fmax(worst, compare(&world, from, gradient, &compared));
    }
  }
  printf("%d steps in which the tree leaves, %d columns: worst %.2g\n", leaving, compared, worst);
  assert_true(leaving >= THROWS / 2 && compared > 20 * leaving);
  assert_true(worst <= tolerance);
  free(state);
  limpet_gradient_destroy(gradient);
  limpet_data_destroy(from);
  mjcf_world_destroy(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(trees_that_leave_have_closed_forms)};
  return cmocka_run_group_tests_name("leaving", tests, NULL, NULL);
}

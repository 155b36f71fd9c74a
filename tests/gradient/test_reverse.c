/* tests/gradient/test_reverse.c: J'y by passes that run backwards (gradient/reverse.h) against
 * products with dense Jacobians of the same step, for robots in random states and under random
 * controls, for all compliant models. Both see the same factor; they differ by round-off alone:
 * near-rigid contacts and limits make momenta that are 1e6 times those of the result, of which
 * 1e-16 remains. */
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
#include "limpet/format.h"
#include "limpet/gradient.h"
#include "random_models.h"
#include "shared_data.h"

enum { STATES = TEST_WATCHED ? 8 : 24, RESTART = 8, GROUPS = 5 };

static const double tolerance = 1e-10;  // [-]  of the sum of the terms of a product

static const char *const robots[] = {
    "menagerie/franka_emika_panda/scene.xml",  "mjcf/model/humanoid/humanoid.xml",
    "menagerie/unitree_g1/scene.xml",          "menagerie/shadow_hand/scene_right.xml",
    "menagerie/anybotics_anymal_c/scene.xml",  "menagerie/robotiq_2f85/scene.xml",
    "menagerie/wonik_allegro/scene_right.xml", "menagerie/agility_cassie/scene.xml",
};
enum { ROBOTS = sizeof robots / sizeof robots[0] };

static const char *const laws[] = {"coulomb", "lagged", "similar", "sap"};
enum { LAWS = sizeof laws / sizeof laws[0] };

typedef struct reverse_world {
  limpet_model *model;
  limpet_data *data;
  limpet_gradient *dense, *reverse;
  limpet_step_settings settings;
  double *state, *weight;
  unsigned long seed;
} reverse_world;

static void disturb(reverse_world *w, int k) {
  const limpet_model *model = w->model;
  if (k % RESTART == 0) {
    limpet_data_reset(model, w->data);
    if (model->keyframe_count > 0) limpet_data_reset_keyframe(model, w->data, 0);
    random_vector(&w->seed, w->data->v, model->nv, k == 0 ? 0.05 : 0.5);
  }
  random_vector(&w->seed, w->data->control, model->nu, 0.1);
  for (int i = 0; i < 1 + k; ++i) limpet_step(model, w->data, &w->settings);
}

// The largest difference of one group over the sum of the terms of its products.
static double off(const reverse_world *w, int columns, const double *dq, const double *dv,
                  const double *product) {
  const int nv = w->model->nv;
  double worst = 0.0, most = 0.0;
  for (int j = 0; j < columns; ++j) {
    double sum = 0.0, size = 0.0;
    for (int i = 0; i < nv; ++i) {
      const double q = w->weight[i] * dq[i * columns + j],
                   v = w->weight[nv + i] * dv[i * columns + j];
      sum += q + v, size += fabs(q) + fabs(v);
    }
    if (isnan(sum) != isnan(product[j])) return INFINITY;
    if (isnan(sum)) continue;
    worst = fmax(worst, fabs(sum - product[j]));
    most = fmax(most, size);
  }
  return most > 0.0 ? worst / most : worst;
}

static double compare(reverse_world *w) {
  const int nv = w->model->nv, nu = w->model->nu;
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  limpet_data_state_read(w->model, w->data, w->state);
  limpet_gradient_step(w->model, w->data, &w->settings, &wanted, w->dense);
  limpet_data_state_write(w->model, w->data, w->state);
  wanted.jacobians = false;
  limpet_gradient_step(w->model, w->data, &w->settings, &wanted, w->reverse);
  assert_true(!w->dense->reason == !w->reverse->reason);
  if (w->dense->reason) return 0.0;
  assert_true(limpet_gradient_adjoint(w->reverse, w->weight, w->weight + nv));
  const limpet_gradient_arrays *q = &w->dense->dq, *v = &w->dense->dv, *y = &w->reverse->adjoint;
  double worst = fmax(off(w, nv, q->q, v->q, y->q), off(w, nv, q->v, v->v, y->v));
  worst = fmax(worst, off(w, nv, q->force, v->force, y->force));
  worst = fmax(worst, off(w, nu, q->control, v->control, y->control));
  return fmax(worst, off(w, nu, q->stiffness, v->stiffness, y->stiffness));
}

// Returns the worst difference of a robot; *compared: how many states had derivatives.
static double run(const char *robot, const char *law, int *compared) {
  char path[256];
  limpet_error error;
  reverse_world w = {.seed = 7};
  double worst = 0.0;
  snprintf(path, sizeof path, "models/%s", robot);
  w.model = limpet_load(shared_path(path), NULL, &error);
  if (!w.model) fail_msg("%s", error.message);
  w.data = limpet_data_create(w.model);
  w.dense = limpet_gradient_create(w.model), w.reverse = limpet_gradient_create(w.model);
  w.state = calloc((size_t)limpet_data_state_size(w.model), sizeof *w.state);
  w.weight = calloc(2 * (size_t)w.model->nv, sizeof *w.weight);
  w.settings = limpet_step_settings_default(w.model);
  limpet_step_settings_contact_model(&w.settings, limpet_contact_model_find(law));
  for (int k = 0; k < STATES; ++k) {
    disturb(&w, k);
    random_vector(&w.seed, w.weight, 2 * w.model->nv, 1.0);
    worst = fmax(worst, compare(&w));
    *compared += !w.dense->reason;
  }
  free(w.state), free(w.weight);
  limpet_gradient_destroy(w.dense), limpet_gradient_destroy(w.reverse);
  limpet_data_destroy(w.data);
  limpet_model_destroy(w.model);
  return worst;
}

static void products_are_those_of_the_jacobians(void **state) {
  (void)state;
  if (!shared_exists("models/menagerie")) skip();
  for (int i = 0; i < ROBOTS; ++i)
    for (int k = 0; k < (i < 3 ? LAWS : 1); ++k) {
      int compared = 0;
      const double worst = run(robots[i], laws[k], &compared);
      printf("%s, %s: %d states, %.1e\n", robots[i], laws[k], compared, worst);
      assert_true(compared > STATES / 2);
      assert_true(worst < tolerance);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(products_are_those_of_the_jacobians)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

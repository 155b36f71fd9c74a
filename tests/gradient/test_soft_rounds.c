/* tests/gradient/test_soft_rounds.c: derivatives of steps whose elastic laws are taken anew in
 * rounds: those of what rounds come to. How far steps themselves scatter about these, and where a
 * step takes another number of rounds, is told. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/gradient_deformable.h"
#include "mjcf_text.h"
#include "mjcf_world.h"
#include "shared_data.h"
#include "soft_products.h"

static unsigned long seed;

static const char *const lying = MODEL(
    "<worldbody><geom type='plane' size='1 1 .1'/>"
    "<limpet:deformable name='a' type='box' size='.05 .03 .02' cells='2 1 1' pos='0 0 .0199' "
    "friction='.5' law='%s' young='%.17g' poisson='%.17g' density='1000' mass_damping='.2' "
    "damping='.001'/></worldbody>");

static mjcf_world world_of(const char *law, double young, double poisson) {
  char text[4096];
  snprintf(text, sizeof text, lying, law, young, poisson);
  return mjcf_world_of(text, NULL);
}

// A block that has settled for some steps, shaken.
static mjcf_world draw(const char *law, double young, double poisson) {
  mjcf_world w = world_of(law, young, poisson);
  w.settings.time_step = random_uniform(&seed, 1e-3, 5e-3);
  w.settings.tolerance = 1e-10;
  for (int i = 0; i < 3 * w.model->vertex_count; ++i)
    w.data->vertex_velocity[i] += random_uniform(&seed, -0.02, 0.02);
  for (int i = 0; i < 15; ++i) limpet_step(w.model, w.data, &w.settings);
  return w;
}

typedef struct told {
  int rounds;
  double residual, scatter, margin;
  bool approximate;
} told;

// What a step from a state says of its rounds.
static told look(mjcf_world *w, const limpet_data *from, double tolerance,
                 limpet_gradient *gradient) {
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  wanted.contacts = false;
  limpet_data_state_copy(from, w->data);
  w->settings.tolerance = tolerance;
  limpet_gradient_step(w->model, w->data, &w->settings, &wanted, gradient);
  return (told){w->data->info.elastic_rounds, w->data->info.elastic_residual,
                gradient->elastic_scatter, gradient->elastic_margin, gradient->approximate};
}

static void another_number_of_rounds_is_told(void **state) {
  (void)state;
  enum { DRAWS = 12 };
  int looked_at = 0, anew = 0;
  seed = 3;
  for (int k = 0; k < DRAWS; ++k) {
    mjcf_world w =
        draw(k % 2 ? "neo-hookean" : "corotated", pow(10.0, random_uniform(&seed, 4.5, 6.0)), 0.3);
    limpet_data *from = limpet_data_create(w.model);
    limpet_data_state_copy(w.data, from);
    limpet_gradient *gradient = limpet_gradient_create(w.model);
    // contacts are solved to the same tolerance, and leave their part of the residual
    double rho = 1e-4;
    told within;
    for (int i = 0; i < 6; ++i) {
      within = look(&w, from, 1.2 * rho, gradient);
      if (within.rounds > 0 || within.margin < 0.19) break;
      rho = within.residual;
    }
    if (rho > 1e-9 && !gradient->reason && within.rounds == 0 && within.margin < 0.19) {
      ++looked_at;
      assert_true(within.approximate);
      assert_true(within.scatter == sqrt(within.residual));
      const told beyond = look(&w, from, 0.9 * rho, gradient);
      anew += beyond.rounds == 1;
      assert_true(beyond.rounds == 0 || gradient->reason || beyond.approximate);
      const told far = look(&w, from, 3.0 * rho, gradient);
      assert_int_equal(far.rounds, 0);
      assert_false(far.approximate);
      assert_true(fabs(far.margin - log(3.0)) < 0.1);
    }
    limpet_gradient_destroy(gradient);
    limpet_data_destroy(from);
    mjcf_world_destroy(&w);
  }
  assert_true(looked_at >= 4 && anew >= 3);
}

// Bodies whose law is linear in a step have no rounds.
static void linear_laws_have_none(void **state) {
  (void)state;
  seed = 4;
  mjcf_world w = draw("linear-corotated", 1e5, 0.3);
  limpet_gradient *gradient = limpet_gradient_create(w.model);
  limpet_data *from = limpet_data_create(w.model);
  limpet_data_state_copy(w.data, from);
  const told at = look(&w, from, 1e-10, gradient);
  assert_true(at.scatter == 0.0 && isinf(at.margin));
  limpet_gradient_destroy(gradient);
  limpet_data_destroy(from);
  mjcf_world_destroy(&w);
}

// The sum of weighted velocities of vertices after a step of a body of another modulus.
static double loss_of(const char *law, double young, const limpet_step_settings *settings,
                      const limpet_data *from, const double *weight, int rounds, bool *same) {
  mjcf_world w = world_of(law, young, 0.3);
  double sum = 0.0;
  limpet_data_state_copy(from, w.data);
  limpet_step(w.model, w.data, settings);
  for (int i = 0; i < 3 * w.model->vertex_count; ++i) sum += weight[i] * w.data->vertex_velocity[i];
  *same = *same && w.data->info.elastic_rounds == rounds;
  mjcf_world_destroy(&w);
  return sum;
}

/* At the tolerance of a step by default slopes of steps along the modulus are off by up to the
 * scatter that is told, nearly all. The motion of blocks that hardly move is round-off. */
static void steps_scatter_as_told(void **state) {
  (void)state;
  enum { DRAWS = 24 };
  int looked_at = 0, within = 0, seen = 0;
  seed = 11;
  for (int k = 0; k < DRAWS; ++k) {
    const char *law = k % 2 ? "neo-hookean" : "corotated";
    const double young = pow(10.0, random_uniform(&seed, 4.5, 6.0)), width = 1e-3 * young;
    mjcf_world w = draw(law, young, 0.3);
    limpet_data *from = limpet_data_create(w.model);
    limpet_data_state_copy(w.data, from);
    limpet_gradient *gradient = limpet_gradient_create(w.model);
    soft_vector weight = soft_vector_make(w.model), by = soft_vector_make(w.model);
    for (int i = 0; i < 3 * w.model->vertex_count; ++i)
      weight.at.vertex_velocity[i] = random_uniform(&seed, -1.0, 1.0);
    const told at = look(&w, from, 1e-6, gradient);
    if (!at.approximate && limpet_gradient_backward(gradient, &weight.at, &by.at)) {
      bool same = true;
      double f[4];
      for (int i = 0; i < 4; ++i)
        f[i] = loss_of(law, young + (i - 1.5 + (i < 2 ? -0.5 : 0.5)) * width, &w.settings, from,
                       weight.at.vertex_velocity, at.rounds, &same);
      const double slope = (8.0 * (f[2] - f[1]) - (f[3] - f[0])) / (12.0 * width),
                   own = by.at.youngs_modulus[0], error = fabs(slope - own) / fabs(own);
      if (same) {
        ++looked_at, within += error <= at.scatter + 1e-7, seen += error > 1e-7;
        if (!(error <= 50.0 * at.scatter + 1e-7))
          fail_msg("draw %d: off by %.2g, told are %.2g", k, error, at.scatter);
      }
    }
    free(weight.block), free(by.block);
    limpet_gradient_destroy(gradient);
    limpet_data_destroy(from);
    mjcf_world_destroy(&w);
  }
  assert_true(looked_at > DRAWS / 2 && 10 * within >= 9 * looked_at && seen > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(another_number_of_rounds_is_told),
                                     cmocka_unit_test(linear_laws_have_none),
                                     cmocka_unit_test(steps_scatter_as_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

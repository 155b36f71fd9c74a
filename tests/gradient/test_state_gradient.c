/* tests/gradient/test_state_gradient.c: derivatives by pose and velocity of steps of a whole scene
 * with compliant contact, against differences of steps.
 *
 * Near-rigid contacts are 1e-8 m deep and stick within 1e-6 m/s, so no single width suits all
 * columns: each is compared with the best of several. Columns that are flagged as kinks are left
 * out. Tolerance: 1e-5 of the largest entry of a matrix, as the best width leaves 1e-6. `lagged`
 * bends too much for differences: the bounds of a contact that is 1e-10 m deep double within as
 * much. test_golden_gradients.c has it. */
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
#include "limpet/limpet.h"
#include "mjcf_text.h"
#include "random_models.h"
#include "step_differences.h"

static const double tolerance = 1e-5;  // [-]
static const double widest = 1e-6, narrowest = 1e-11, narrower = 0.1;

typedef struct world {
  limpet_model *model;
  limpet_data *data, *other;
  limpet_step_settings settings;
  limpet_gradient *gradient;
  double *state, *unit, *ends;  // (state size), (nv), (2 x nv)
} world;

static double *doubles(int count) {
  double *array = calloc((size_t)count, sizeof *array);
  assert_non_null(array);
  return array;
}

static limpet_model *falling_boxes(void) {
  limpet_error error;
  limpet_model *model = limpet_load(LIMPET_SOURCE_DIR "/scenes/falling_boxes.xml", NULL, &error);
  if (!model) fail_msg("%s", error.message);
  return model;
}

static world world_open(limpet_model *model, const char *contact_model) {
  world w = {.model = model};
  w.data = limpet_data_create(w.model), w.other = limpet_data_create(w.model);
  w.settings = limpet_step_settings_default(w.model);
  limpet_step_settings_contact_model(&w.settings, limpet_contact_model_find(contact_model));
  w.settings.tolerance = 1e-13;
  w.settings.iteration_limit = 300;
  w.gradient = limpet_gradient_create(w.model);
  w.state = doubles(limpet_data_state_size(w.model));
  w.unit = doubles(w.model->nv), w.ends = doubles(2 * w.model->nv);
  return w;
}

static void world_close(world *w) {
  free(w->state), free(w->unit), free(w->ends);
  limpet_gradient_destroy(w->gradient);
  limpet_data_destroy(w->data), limpet_data_destroy(w->other);
  limpet_model_destroy(w->model);
}

// The velocity after a step from the kept state, moved along `dof` of the pose or the velocity.
static void end_of_step(world *w, bool velocity, int dof, double by, double *v) {
  limpet_data_state_write(w->model, w->other, w->state);
  w->unit[dof] = by;
  if (velocity) w->other->v[dof] += by;
  else limpet_integrate_position(w->model, w->other->q, w->other->q, w->unit, 1.0, false);
  w->unit[dof] = 0.0;
  limpet_step(w->model, w->other, &w->settings);
  memcpy(v, w->other->v, (size_t)w->model->nv * sizeof *v);
}

// The least error of a column of J (nv x nv) over the widths.
static double column_error(world *w, bool velocity, int dof, const double *J) {
  const int nv = w->model->nv;
  double best = INFINITY;
  for (double width = widest; width > 0.5 * narrowest; width *= narrower) {
    double worst = 0.0;
    end_of_step(w, velocity, dof, -width, w->ends);
    end_of_step(w, velocity, dof, width, w->ends + nv);
    for (int i = 0; i < nv; ++i)
      worst = fmax(worst, fabs((w->ends[nv + i] - w->ends[i]) / (2.0 * width) - J[i * nv + dof]));
    best = fmin(best, worst);
  }
  return best;
}

static int compare(world *w, bool velocity, const double *J, const double *kink) {
  const int nv = w->model->nv;
  double largest = 1.0;
  for (int i = 0; i < nv * nv; ++i) largest = fmax(largest, fabs(J[i]));
  int smooth = 0;
  for (int dof = 0; dof < nv; ++dof) {
    if (kink[dof] > 0.0) continue;
    const double error = column_error(w, velocity, dof, J);
    if (!(error <= tolerance * largest))
      printf("%s %d: error %g of %g\n", velocity ? "velocity" : "pose", dof, error, largest);
    assert_true(error <= tolerance * largest);
    ++smooth;
  }
  return smooth;
}

static void state_of_a_scene(void **state) {
  (void)state;
  static const char *const models[] = {"coulomb", "similar"};
  const limpet_gradient_settings wanted = limpet_gradient_settings_default();
  for (int k = 0; k < 2; ++k) {
    world w = world_open(falling_boxes(), models[k]);
    int smooth = 0, columns = 0;
    for (int step = 0; step <= 300; ++step) {
      if (step % 150) {
        limpet_step(w.model, w.data, &w.settings);
        continue;
      }
      limpet_data_state_read(w.model, w.data, w.state);
      limpet_gradient_step(w.model, w.data, &w.settings, &wanted, w.gradient);
      assert_null(w.gradient->reason);
      const limpet_gradient *g = w.gradient;
      smooth += compare(&w, false, g->dv.q, g->kink.q) + compare(&w, true, g->dv.v, g->kink.v);
      columns += 2 * w.model->nv;
    }
    printf("%s: %d of %d columns are smooth\n", models[k], smooth, columns);
    assert_true(smooth > columns / 2);
    world_close(&w);
  }
}

/* An arm of three joints far outside of their limits, and a tendon outside of its own. impedance:
 * MJCF attributes of the two limits of joints; tendon: the tendon. */
static limpet_model *arm_outside(const char *impedance, const char *tendon) {
  char text[2048];
  snprintf(text, sizeof text,
           MODEL("<compiler angle='radian'/><option timestep='.002'/><worldbody><site name='a' "
                 "pos='0 1 1'/><body><joint axis='0 1 0' range='.5 2' %s/><geom type='capsule' "
                 "size='.02' fromto='0 0 0 .3 0 0' mass='2' contype='0'/><body pos='.3 0 0'><joint "
                 "name='k' axis='0 0 1'/><geom type='capsule' size='.02' fromto='0 0 0 .2 .1 0' "
                 "mass='1' contype='0'/><body pos='.2 .1 0'><joint name='l' axis='1 0 1' range='-2 "
                 "-1' %s/><geom type='box' size='.05 .02 .03' mass='.3' contype='0'/><site "
                 "name='b' pos='.05 .01 0'/></body></body></body></worldbody><tendon>%s</tendon>"),
           impedance, impedance, tendon);
  return mjcf_load(text);
}

// Compares columns of ten random states with three rows. Returns how many are smooth.
static int compare_states(world *w, bool closed_form) {
  const limpet_gradient_settings wanted = limpet_gradient_settings_default();
  unsigned long seed = 12;
  int smooth = 0;
  limpet_step(w->model, w->data, &w->settings);  // a first step after flight has no closed form
  for (int k = 0; k < 10; ++k) {
    random_vector(&seed, w->data->q, w->model->nv, 0.2);
    random_vector(&seed, w->data->v, w->model->nv, 0.01);
    limpet_data_state_read(w->model, w->data, w->state);
    limpet_gradient_step(w->model, w->data, &w->settings, &wanted, w->gradient);
    assert_null(w->gradient->reason);
    const limpet_gradient *g = w->gradient;
    assert_true(w->data->constraint_count == 3);
    for (int i = 0; i < w->model->nv && closed_form; ++i) assert_false(g->by_differences[i]);
    smooth += compare(w, false, g->dv.q, g->kink.q) + compare(w, true, g->dv.v, g->kink.v);
  }
  return smooth;
}

/* Joints and a tendon far outside of their limits are led back as the masses that hang on them ask
 * for, which depends on the pose of the joints beyond. */
static void limits_that_lead_back(void **state) {
  (void)state;
  world w = world_open(arm_outside("",
                                   "<spatial range='0 .3'><site site='a'/><site site='b'/>"
                                   "</spatial>"),
                       "coulomb");
  const int smooth = compare_states(&w, false);
  printf("limits that lead back: %d of %d columns are smooth\n", smooth, 20 * w.model->nv);
  assert_true(smooth > 10 * w.model->nv);
  world_close(&w);
}

// Springs of limits that have an impedance do not depend on these masses: columns are closed forms.
static void limits_with_impedances(void **state) {
  (void)state;
  world w = world_open(arm_outside("solreflimit='.05 1'",
                                   "<fixed range='1 2' limited='true' solreflimit='.05 1'><joint "
                                   "joint='k' coef='1'/><joint joint='l' coef='.5'/></fixed>"),
                       "coulomb");
  const int smooth = compare_states(&w, true);
  printf("limits with impedances: %d of %d columns are smooth\n", smooth, 20 * w.model->nv);
  assert_true(smooth > 10 * w.model->nv);
  world_close(&w);
}

enum { LOOPS = 30, NV = 8 };

/* A body of 0.1 to 10 g that a near-rigid loop ties to an arm of 1 to 100 kg: the loop is as stiff
 * as the arm needs, up to 1e12 times what the body resists with, and without a refinement of
 * solutions columns were off by 8.6e-7 of the largest entry. Columns of poses are not compared:
 * where the loop turns, their change of the residual has that round-off itself. */
static void light_bodies_in_loops(void **state) {
  (void)state;
  static unsigned long seed = 4;
  const limpet_gradient_settings wanted = limpet_gradient_settings_default();
  double worst = 0.0;
  int solved = 0;  // to 1e-13, which is not always there
  for (int k = 0; k < LOOPS; ++k) {
    char text[1200];
    const double dt = random_log(&seed, 2e-4, 2e-3), upper = random_log(&seed, 1.0, 100.0),
                 lower = random_log(&seed, 1.0, 100.0), light = random_log(&seed, 1e-4, 1e-2),
                 size = random_uniform(&seed, 0.02, 0.05);
    snprintf(
        text, sizeof text,
        MODEL("<option timestep='%.17g'/><worldbody><body name='light' pos='.4 .03 .02'>"
              "<freejoint/><geom type='box' size='%.17g .03 .02' mass='%.17g' contype='0'/>"
              "</body><body><joint axis='0 1 0' damping='1'/><geom type='capsule' size='.02' "
              "fromto='0 0 0 .2 0 0' mass='%.17g' contype='0'/><body name='tip' pos='.2 0 0'>"
              "<joint axis='0 0 1' damping='1'/><geom type='capsule' size='.02' fromto='0 0 0 .2 0 "
              "0' "
              "mass='%.17g' contype='0'/></body></body></worldbody><equality>"
              "<connect body1='tip' body2='light' anchor='.2 0 .05' solref='.02 1'/></equality>"),
        dt, size, light, upper, lower);
    limpet_model *model = mjcf_load(text);
    assert_int_equal(model->nv, NV);
    limpet_data *data = limpet_data_create(model), *from = limpet_data_create(model);
    limpet_gradient *g = limpet_gradient_create(model);
    limpet_step_settings settings = limpet_step_settings_default(model);
    settings.tolerance = 1e-13, settings.iteration_limit = 300;
    random_vector(&seed, data->v, NV, 1.0);
    for (int i = 0; i < 10; ++i) limpet_step(model, data, &settings);
    limpet_data_state_copy(data, from);
    limpet_gradient_step(model, data, &settings, &wanted, g);
    solved += !g->reason;
    step_differences s;
    step_differences_open(&s, model, from, &settings);
    double scale[2] = {0.0};
    for (int i = 0; i < NV * NV && !g->reason; ++i) {
      scale[0] = fmax(scale[0], fabs(g->dq.v[i]));
      scale[1] = fmax(scale[1], fabs(g->dv.v[i]));
    }
    for (int c = 0; c < NV && !g->reason; ++c) {
      double own[2 * NV], settled;
      if (g->kink.v[c] > 0.0) continue;
      for (int d = 0; d < NV; ++d) own[d] = g->dq.v[d * NV + c], own[NV + d] = g->dv.v[d * NV + c];
      worst = fmax(worst, step_differences_nearest(&s, step_move_v, c, own, scale, &settled));
    }
    step_differences_close(&s);
    limpet_gradient_destroy(g);
    limpet_data_destroy(data), limpet_data_destroy(from);
    limpet_model_destroy(model);
  }
  printf("light bodies in loops: off by %.2g of the largest entry, %d of %d solved\n", worst,
         solved, LOOPS);
  assert_true(3 * solved > LOOPS);
  assert_true(worst < 2e-8);  // 1.3e-8 of round-off under a sanitizer
}

// Boxes of 1 cm to 10 cm and 1 g to 10 kg on each other.
static limpet_model *random_stack(unsigned long *seed, int count) {
  char text[4096];
  int end = snprintf(text, sizeof text, "<mujoco><worldbody><geom type='plane' size='1 1 1'/>");
  double z = 0.0;
  for (int i = 0; i < count; ++i) {
    const double a = 0.01 * pow(10.0, random_uniform(seed, 0, 1)),
                 m = 1e-3 * pow(10.0, random_uniform(seed, 0, 4)),
                 x = random_uniform(seed, -2e-3, 2e-3);
    end += snprintf(text + end, sizeof text - (size_t)end,
                    "<body pos='%g %g %g'><freejoint/><geom type='box' size='%g %g %g' mass='%g'/>"
                    "</body>",
                    x, -0.5 * x, z + a, a, a, a, m);
    z += 2.0 * a;
  }
  snprintf(text + end, sizeof text - (size_t)end, "</worldbody></mujoco>");
  return mjcf_load(text);
}

// Derivatives of the next step at two tolerances: they are there, and agree.
static void agree_at_the_limit(const limpet_model *model, const double *state,
                               const limpet_step_settings *settings) {
  const limpet_gradient_settings wanted = limpet_gradient_settings_default();
  const double tolerances[] = {settings->tolerance, 1e-10};
  limpet_gradient *gradient[2];
  double most = 1.0, apart = 0.0;
  for (int k = 0; k < 2; ++k) {
    limpet_data *data = limpet_data_create(model);
    limpet_step_settings own = *settings;
    own.tolerance = tolerances[k];
    gradient[k] = limpet_gradient_create(model);
    limpet_data_state_write(model, data, state);
    limpet_gradient_step(model, data, &own, &wanted, gradient[k]);
    if (gradient[k]->reason) fail_msg("%s", gradient[k]->reason);
    limpet_data_destroy(data);
  }
  for (int i = 0; i < model->nv * model->nv; ++i) {
    most = fmax(most, fabs(gradient[1]->dv.v[i]));
    apart = fmax(apart, fabs(gradient[0]->dv.v[i] - gradient[1]->dv.v[i]));
  }
  assert_true(apart <= 1e-6 * most);
  for (int k = 0; k < 2; ++k) limpet_gradient_destroy(gradient[k]);
}

/* A tolerance beyond what doubles come to: some steps end at the precision limit, as good a
 * solution as there is. They had no derivatives. */
static void steps_at_the_limit_of_doubles(void **unused) {
  (void)unused;
  enum { STACKS = TEST_WATCHED ? 10 : 60, RUN = 30 };
  unsigned long seed = 3;
  int found = 0;
  for (int i = 0; i < STACKS; ++i) {
    limpet_model *model = random_stack(&seed, 3 + i % 4);
    limpet_data *data = limpet_data_create(model);
    double *state = calloc((size_t)limpet_data_state_size(model), sizeof *state);
    limpet_step_settings settings = limpet_step_settings_default(model);
    limpet_step_settings_contact_model(&settings, limpet_contact_model_find("similar"));
    settings.tolerance = 1e-18, settings.iteration_limit = 60;
    for (int k = 0; k < RUN; ++k) {
      limpet_data_state_read(model, data, state);
      if (limpet_step(model, data, &settings) != LIMPET_OUTCOME_PRECISION_LIMIT) continue;
      agree_at_the_limit(model, state, &settings);
      ++found;
    }
    free(state);
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
  printf("steps at the limit of doubles: %d of %d\n", found, STACKS * RUN);
  assert_true(found > 0 || TEST_WATCHED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(state_of_a_scene), cmocka_unit_test(limits_that_lead_back),
      cmocka_unit_test(limits_with_impedances), cmocka_unit_test(light_bodies_in_loops),
      cmocka_unit_test(steps_at_the_limit_of_doubles)};
  return cmocka_run_group_tests_name("state_gradient", tests, NULL, NULL);
}

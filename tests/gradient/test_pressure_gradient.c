/* tests/gradient/test_pressure_gradient.c: derivatives of steps with contact surfaces by pose,
 * velocity and force against differences of steps.
 *
 * A soft box that lands askew on a plane and slides, for four contact models and for `coulomb` with
 * soft shear: no column is flagged. Then bodies of all shapes with fields in closed form, of sizes,
 * masses, moduli, frictions and speeds drawn at random, land on a plane or a box, each rigid or
 * soft, and slide and roll; a column counts where it is not flagged. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "effort.h"
#include "mjcf_text.h"
#include "random_models.h"
#include "step_differences.h"

static const char *const contacts[] = {"coulomb", "lagged", "similar", "sap"};
enum { MODELS = 4 };

static double largest(const double *x, int count) {
  double most = 1e-6;
  for (int i = 0; i < count; ++i) most = fmax(most, fabs(x[i]));
  return most;
}

static void a_soft_box_on_a_plane(void **state) {
  (void)state;
  // the last regularises friction below a slip like that of the box
  static const double shear_ratio[] = {1e3, 1e3, 1e3, 1e3, 1.0};
  int failed = 0, kinks = 0;
  for (int c = 0; c < MODELS + 1; ++c) {
    limpet_model *model = mjcf_load(
        "<mujoco><worldbody><geom type='plane' size='1 1 .1' friction='.5'/>"
        "<body pos='0 0 .0497' euler='.3 .5 20'><freejoint/><geom type='box' size='.06 .05 .05' "
        "mass='1' friction='.5' limpet:elastic_modulus='1e6'/></body></worldbody></mujoco>");
    limpet_data *data = limpet_data_create(model), *from = limpet_data_create(model);
    limpet_gradient *gradient = limpet_gradient_create(model);
    limpet_step_settings settings = limpet_step_settings_default(model);
    const char *contact = contacts[c % MODELS];
    limpet_step_settings_contact_model(&settings, limpet_contact_model_find(contact));
    settings.tolerance = 1e-13;
    settings.shear_ratio = shear_ratio[c];
    const double v[6] = {0.4, 0.2, -0.05, 0.1, -0.2, 0.3};
    for (int i = 0; i < 6; ++i) data->v[i] = from->v[i] = v[i];
    const limpet_gradient_settings own = limpet_gradient_settings_default();
    limpet_gradient_step(model, data, &settings, &own, gradient);
    assert_null(gradient->reason);
    assert_true(data->surface_count == 1);
    step_differences s;
    step_differences_open(&s, model, from, &settings);
    const int nv = model->nv;
    // measured are 6e-8 of the largest entry
    failed += !step_differences_agree(&s, contact, step_move_v, nv, gradient->dq.v, gradient->dv.v,
                                      gradient->kink.v, 1e-6, 1e-7);
    failed += !step_differences_agree(&s, contact, step_move_force, nv, gradient->dq.force,
                                      gradient->dv.force, gradient->kink.force, 1e-4, 1e-7);
    failed += !step_differences_agree(&s, contact, step_move_q, nv, gradient->dq.q, gradient->dv.q,
                                      gradient->kink.q, 1e-8, 1e-7);
    kinks += s.kinks;
    step_differences_close(&s);
    limpet_gradient_destroy(gradient);
    limpet_data_destroy(data);
    limpet_data_destroy(from);
    limpet_model_destroy(model);
  }
  assert_int_equal(failed, 0);
  assert_int_equal(kinks, 0);
}

// -------------------------------------------------------------------------- random bodies

enum { SCENES = 36, MOST_WAIT = 400, TEXT = 1200 };

typedef struct totals {
  int columns, flagged, undecided, missed;
  double worst;
} totals;

static unsigned long seed = 21;

static double by_log(double low, double high) {
  return exp(random_uniform(&seed, log(low), log(high)));
}

static const char *geom_text(int kind, double size, char *text) {
  static const char *const kinds[] = {"sphere", "box", "capsule", "cylinder", "ellipsoid"};
  const double second = by_log(0.5, 2.0), third = by_log(0.5, 2.0);
  snprintf(text, 120, "type='%s' size='%.9g %.9g %.9g'", kinds[kind], size, size * second,
           size * third);
  return text;
}

// A soft body above something.
static limpet_model *random_scene(int scene, double *height) {
  char text[TEXT], geom[120], floor[280], soft[90] = "";
  const double size = by_log(0.01, 0.2), modulus = by_log(1e4, 1e7);
  const int under = scene % 4;  // plane, soft box, rigid box, soft plane
  if (under == 1) snprintf(soft, sizeof soft, "limpet:elastic_modulus='%g'", by_log(1e4, 1e7));
  if (under == 3)
    snprintf(soft, sizeof soft, "limpet:elastic_modulus='%g' limpet:slab_thickness='%g'",
             by_log(1e4, 1e7), size);
  if (under % 3 == 0) snprintf(floor, sizeof floor, "<geom type='plane' size='1 1 .1' %s/>", soft);
  else
    snprintf(floor, sizeof floor,
             "<geom type='box' pos='0 0 %.9g' size='%.9g %.9g %.9g' euler='%g %g 10' %s/>", -size,
             5.0 * size, 4.0 * size, size, under == 1 ? 3.0 : 0.0, under == 1 ? 5.0 : 0.0, soft);
  *height = size;
  // one by one: compilers evaluate the arguments of a call in any order
  const double friction = by_log(0.05, 1.5), dissipation = by_log(0.1, 20.0),
               density = by_log(1.0, 10.0);
  double turn[3];
  for (int k = 0; k < 3; ++k) turn[k] = random_uniform(&seed, -180.0, 180.0);
  snprintf(text, sizeof text,
           "<mujoco><default><geom friction='%.6g' limpet:dissipation='%.6g'/></default><worldbody>"
           "%s<body pos='0 0 %.9g' euler='%g %g %g'><freejoint/><geom %s mass='%.6g' "
           "limpet:elastic_modulus='%.6g'/></body></worldbody></mujoco>",
           friction, dissipation, floor, 3.8 * size, turn[0], turn[1], turn[2],
           geom_text(scene % 5, size, geom), 1e3 * size * size * size * density, modulus);
  return mjcf_load(text);
}

// Falls until it touches, and some steps more.
static bool land(limpet_model *model, limpet_data *data, const limpet_step_settings *settings,
                 double height) {
  for (int i = 0; i < 3; ++i) {
    data->v[i] = random_uniform(&seed, -3.0, 3.0) * height;
    data->v[3 + i] = random_uniform(&seed, -3.0, 3.0);
  }
  data->v[2] = -by_log(2.0, 10.0) * height;
  int left = -1;
  for (int i = 0; i < MOST_WAIT && left != 0; ++i) {
    if (limpet_step(model, data, settings) != LIMPET_OUTCOME_SOLVED) return false;
    if (left > 0) --left;
    if (left < 0 && data->surface_count > 0) left = (int)by_log(1.0, 60.0);
  }
  return left == 0 && data->surface_count > 0;
}

static void check_columns(step_differences *s, const limpet_gradient *g, bool by_v,
                          const char *name, totals *sum) {
  const int nv = s->model->nv;
  const double *dq = by_v ? g->dq.v : g->dq.q, *dv = by_v ? g->dv.v : g->dv.q,
               *kink = by_v ? g->kink.v : g->kink.q;
  const double scale[2] = {largest(dq, nv * nv), largest(dv, nv * nv)};
  for (int k = 0; k < nv; ++k) {
    double own[12], settled;
    ++sum->columns;
    sum->flagged += kink[k] > 0.0;
    if (kink[k] > 0.0) continue;
    for (int i = 0; i < nv; ++i) own[i] = dq[i * nv + k], own[nv + i] = dv[i * nv + k];
    const double best =
        step_differences_nearest(s, by_v ? step_move_v : step_move_q, k, own, scale, &settled);
    if (best <= 1e-6) {
      sum->worst = fmax(sum->worst, best);
    } else if (settled > 0.3 * best) {
      ++sum->undecided;
    } else {
      ++sum->missed;
      printf("%s by %c %d: %.2g of the largest entry, differences settle to %.2g\n", name,
             by_v ? 'v' : 'q', k, best, settled);
    }
  }
}

static void check_scene(int scene, totals *sum) {
  double height;
  limpet_model *model = random_scene(scene, &height);
  limpet_data *data = limpet_data_create(model), *from = limpet_data_create(model);
  limpet_gradient *gradient = limpet_gradient_create(model);
  double *kept = test_calloc((size_t)limpet_data_state_size(model), sizeof *kept);
  limpet_step_settings settings = limpet_step_settings_default(model);
  const char *contact = contacts[scene / 2 % MODELS];
  limpet_step_settings_contact_model(&settings, limpet_contact_model_find(contact));
  settings.tolerance = 1e-13;
  settings.iteration_limit = 300;
  settings.shear_ratio = by_log(0.3, 3000.0);
  if (land(model, data, &settings, height)) {
    limpet_gradient_settings wanted = limpet_gradient_settings_default();
    wanted.inputs = wanted.contacts = false;
    limpet_data_state_read(model, data, kept);
    limpet_data_state_write(model, from, kept);
    limpet_gradient_step(model, data, &settings, &wanted, gradient);
    if (!gradient->reason) {
      char name[40];
      snprintf(name, sizeof name, "scene %d, %s", scene, contact);
      step_differences s;
      step_differences_open(&s, model, from, &settings);
      check_columns(&s, gradient, false, name, sum);
      check_columns(&s, gradient, true, name, sum);
      step_differences_close(&s);
    }
  }
  test_free(kept);
  limpet_gradient_destroy(gradient);
  limpet_data_destroy(data), limpet_data_destroy(from);
  limpet_model_destroy(model);
}

static void random_bodies_land(void **state) {
  (void)state;
  totals sum = {0};
  const int scenes = test_effort(SCENES, SCENES / 3);
  for (int scene = 0; scene < scenes; ++scene) check_scene(scene, &sum);
  printf("random bodies: %d columns, %d flagged, %d undecided, %d missed, worst %.2g\n",
         sum.columns, sum.flagged, sum.undecided, sum.missed, sum.worst);
  assert_true(sum.columns >= 8 * scenes);  // most land and are solved
  assert_true(sum.flagged <= sum.columns / 10 && sum.undecided <= sum.columns / 40);
  assert_int_equal(sum.missed, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_soft_box_on_a_plane),
                                     cmocka_unit_test(random_bodies_land)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

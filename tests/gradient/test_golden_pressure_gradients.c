/* tests/gradient/test_golden_pressure_gradients.c: Jacobians of steps with contact surfaces by pose
 * and velocity against differences of an independent minimiser in 80 bits on the same meshes
 * (../shared/golden/gradient/hydroelastic; lagged, similar, sap).
 *
 * Tolerance: 1e-6 of the largest entry, or ten times the spread of those differences where that is
 * more. A Jacobian with a column flagged as a kink is compared in the other columns. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "golden_pressure.h"
#include "golden_tangent.h"
#include "limpet/gradient.h"

enum { NV = GOLDEN_TANGENT_SIZE };

static const double tolerance = 1e-6, spreads = 10.0;

// to (nv) += column by column of J (nv x nv) times `from`.
static void multiply(int nv, const double *J, const double *from, double *to) {
  for (int i = 0; i < nv; ++i)
    for (int k = 0; k < nv; ++k) to[i] += J[i * nv + k] * from[k];
}

typedef struct comparison {
  limpet_model *model;
  limpet_data *data;
  limpet_gradient *gradient;
  golden_frame start, end;
} comparison;

/* Column i (pose first, then velocity) in golden coordinates: (dx, dv). Returns whether one of our
 * columns that it is made of has a kink. */
static bool our_column(const comparison *c, int i, double *dx, double *dv) {
  const int nv = c->model->nv;
  const limpet_gradient *g = c->gradient;
  double x[NV] = {0}, v[NV] = {0};
  memset(dx, 0, NV * sizeof *dx);
  memset(dv, 0, NV * sizeof *dv);
  (i < nv ? x : v)[i % nv] = 1.0;
  golden_change_to_ours(c->model, &c->start, x, v);
  multiply(nv, g->dq.q, x, dx);
  multiply(nv, g->dq.v, v, dx);
  multiply(nv, g->dv.q, x, dv);
  multiply(nv, g->dv.v, v, dv);
  golden_change_back(c->model, &c->end, dx, dv);
  bool kinked = false;
  for (int k = 0; k < nv; ++k)
    kinked = kinked || (x[k] != 0.0 && g->kink.q[k] > 0.0) || (v[k] != 0.0 && g->kink.v[k] > 0.0);
  return kinked;
}

typedef struct totals {
  int jacobians, columns, kinked, failed;
  double worst;
} totals;

static void compare(const char *name, const char *key, const json_t *scene, const json_t *entry,
                    totals *sum) {
  comparison c = {.model = golden_pressure_compile(scene)};
  c.data = limpet_data_create(c.model);
  c.gradient = limpet_gradient_create(c.model);
  golden_pressure_state(c.model, entry, c.data->q, c.data->v);
  golden_pressure_controls(scene, c.data);
  const limpet_step_settings settings = golden_pressure_settings(c.model, scene, key);
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  wanted.contacts = false;
  c.start = golden_frame_of(c.model, c.data->q, c.data->v);
  limpet_gradient_step(c.model, c.data, &settings, &wanted, c.gradient);
  c.end = golden_frame_of(c.model, c.data->q, c.data->v);

  static double golden[4 * NV * NV];
  const int nv = c.model->nv;
  const double spread = json_number_value(json_object_get(entry, "finite_difference_spread"));
  json_numbers(json_object_get(entry, "jacobian"), golden, 4 * NV * NV);
  double worst = c.gradient->reason ? INFINITY : 0.0, largest = 0.0;
  int kinked = 0;
  for (int i = 0; i < 2 * nv && !c.gradient->reason; ++i) {
    double ours[2][NV];
    const bool kink = our_column(&c, i, ours[0], ours[1]);
    kinked += kink;
    for (int k = 0; k < 2 * nv; ++k) {
      const double expected = golden[k * 2 * nv + i];
      largest = fmax(largest, fabs(expected));
      if (!kink) worst = fmax(worst, fabs(expected - ours[k / nv][k % nv]));
    }
  }
  const double error = worst / largest;
  ++sum->jacobians;
  sum->columns += 2 * nv;
  sum->kinked += kinked;
  if (isfinite(error)) sum->worst = fmax(sum->worst, error);
  if (!(error <= fmax(tolerance, spreads * spread))) {
    ++sum->failed;
    printf("%s %s: error %.3g (spread %.2g), %d of %d columns kinked%s%s\n", name, key, error,
           spread, kinked, 2 * nv, c.gradient->reason ? ", " : "",
           c.gradient->reason ? c.gradient->reason : "");
  }
  limpet_gradient_destroy(c.gradient);
  limpet_data_destroy(c.data);
  limpet_model_destroy(c.model);
}

static void golden_pressure_jacobians(void **state) {
  (void)state;
  if (!shared_exists("golden/gradient/hydroelastic")) skip();
  file_list files = file_list_find(shared_path("golden/gradient/hydroelastic"), ".json");
  totals sum = {0};
  for (int i = 0; i < files.count; ++i) {
    json_t *root = json_read(files.path[i]), *entry;
    const char *name = json_string_value(json_object_get(root, "scene")), *key;
    char path[256];
    snprintf(path, sizeof path, "golden/hydroelastic/scenes/%s.json", name);
    json_t *scene = json_read(shared_path(path));
    json_object_foreach(json_object_get(root, "models"), key, entry)
        compare(name, key, scene, entry, &sum);
    json_decref(scene);
    json_decref(root);
  }
  printf(
      "golden gradients with contact surfaces: %d Jacobians, %d columns, %d of them at kinks; "
      "worst %.3g\n",
      sum.jacobians, sum.columns, sum.kinked, sum.worst);
  file_list_free(&files);
  assert_true(sum.jacobians > 0);
  assert_int_equal(sum.failed, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(golden_pressure_jacobians)};
  return cmocka_run_group_tests_name("golden_pressure_gradients", tests, NULL, NULL);
}

/* tests/gradient/test_golden_gradients.c: Jacobians of whole steps against those of an independent
 * implementation in 50 digits (../shared/golden/gradient/scenes), for the models lagged, similar,
 * sap.
 *
 * Coordinates: golden_tangent.h.
 * Tolerance: 1e-8 of the largest entry of a block; those beyond 1e-9 are counted. Entries nearer to
 * a kink than 1e-4 are left out, as the README of the values says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "golden_scene.h"
#include "golden_tangent.h"
#include "limpet/gradient_parameters.h"

enum { NV = GOLDEN_TANGENT_SIZE, PARAMETERS = 64, NAME = 128 };  // of a scene, at most

static const double tolerance = 1e-8;  // [-]
// [-]  of the README: how many miss it is printed
static const double wanted_tolerance = 1e-9;
static const double least_margin = 1e-4;  // [-]  README: nearer to a switch is left out
static const double least_depth = 1e-9;   // [m]
// [-]  dq, dv of a block that is zero, as where a contact has opened, have round-off of others
static const double least_entry = 1.0;
static const double stiff_tolerance = 1e-6;  // [-]  README: near 1e12 N/m

// to (nv) += J from, J row-major (nv x nv).
static void multiply(int nv, const double *J, const double *from, double *to) {
  for (int i = 0; i < nv; ++i)
    for (int k = 0; k < nv; ++k) to[i] += J[i * nv + k] * from[k];
}

typedef enum block { BLOCK_Q, BLOCK_V, BLOCK_FORCE, BLOCK_PARAMETER, BLOCKS } block;
static const char *const block_names[BLOCKS] = {"q", "v", "force", "parameter"};

typedef struct comparison {
  const limpet_model *model;
  const limpet_gradient *gradient;
  const limpet_gradient_parameters *parameters;
  golden_frame start, end;
} comparison;

// Column `i` of a block by our derivatives, in golden coordinates.
static void our_column(const comparison *c, block which, int i, double *dx, double *dv) {
  const int nv = c->model->nv;
  double x[NV] = {0}, v[NV] = {0};
  memset(dx, 0, NV * sizeof *dx);
  memset(dv, 0, NV * sizeof *dv);
  const limpet_gradient *g = c->gradient;
  if (which == BLOCK_PARAMETER) {
    const limpet_gradient_parameters *p = c->parameters;
    for (int k = 0; k < nv; ++k) dx[k] = p->dq[k * p->count + i], dv[k] = p->dv[k * p->count + i];
  } else if (which == BLOCK_FORCE) {
    x[i] = 1.0;
    golden_force_to_ours(c->model, &c->start, x);
    multiply(nv, g->dq.force, x, dx);
    multiply(nv, g->dv.force, x, dv);
  } else {
    (which == BLOCK_Q ? x : v)[i] = 1.0;
    golden_change_to_ours(c->model, &c->start, x, v);
    multiply(nv, g->dq.q, x, dx);
    multiply(nv, g->dq.v, v, dx);
    multiply(nv, g->dv.q, x, dv);
    multiply(nv, g->dv.v, v, dv);
  }
  golden_change_back(c->model, &c->end, dx, dv);
}

// The worst error of a block over its largest entry, dq and dv apart.
static double block_error(const comparison *c, block which, const json_t *jacobian) {
  const int nv = c->model->nv;
  const json_t *expected = json_object_get(jacobian, block_names[which]);
  double worst[2] = {0.0, 0.0}, largest[2] = {least_entry, least_entry};
  for (int i = 0; i < (which == BLOCK_PARAMETER ? c->parameters->count : nv); ++i) {
    double ours[2][NV], golden[2][NV];
    our_column(c, which, i, ours[0], ours[1]);
    json_numbers(json_array_get(json_object_get(expected, "dq"), (size_t)i), golden[0], NV);
    json_numbers(json_array_get(json_object_get(expected, "dv"), (size_t)i), golden[1], NV);
    for (int part = 0; part < 2; ++part)
      for (int k = 0; k < nv; ++k) {
        largest[part] = fmax(largest[part], fabs(golden[part][k]));
        worst[part] = fmax(worst[part], fabs(golden[part][k] - ours[part][k]));
      }
  }
  return fmax(worst[0] / largest[0], worst[1] / largest[1]);
}

typedef struct totals {
  int jacobians, left_out, missed, failed;
  double worst, worst_product;
} totals;

// What a product with weights differs by from that with the dense Jacobians, over its terms.
static double product_error(int nv, const double *dq, const double *dv, const double *weight,
                            const double *product) {
  double worst = 0.0, largest = least_entry;
  for (int j = 0; j < nv; ++j) {
    double sum = 0.0, size = 0.0;
    for (int i = 0; i < nv; ++i) {
      const double q = weight[i] * dq[i * nv + j], v = weight[nv + i] * dv[i * nv + j];
      sum += q + v, size += fabs(q) + fabs(v);
    }
    worst = fmax(worst, fabs(sum - product[j]));
    largest = fmax(largest, size);
  }
  return worst / largest;
}

// The same step again from `state`, with products alone.
static double compare_product(const limpet_gradient *dense, limpet_data *data,
                              const limpet_step_settings *settings, const double *state) {
  const limpet_model *model = data->model;
  const int nv = model->nv;
  double weight[2 * NV];
  limpet_gradient *products = limpet_gradient_create(model);
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  wanted.jacobians = false;
  for (int i = 0; i < 2 * nv; ++i) weight[i] = cos(3.0 * i) + 0.1;
  limpet_data_state_write(model, data, state);
  limpet_gradient_step(model, data, settings, &wanted, products);
  assert_true(limpet_gradient_adjoint(products, weight, weight + nv));
  const limpet_gradient_arrays *y = &products->adjoint;
  double worst = product_error(nv, dense->dq.q, dense->dv.q, weight, y->q);
  worst = fmax(worst, product_error(nv, dense->dq.v, dense->dv.v, weight, y->v));
  worst = fmax(worst, product_error(nv, dense->dq.force, dense->dv.force, weight, y->force));
  limpet_gradient_destroy(products);
  return worst;
}

static double allowed(const char *name) {
  return strstr(name, "k12") ? stiff_tolerance : tolerance;
}

// Those of the file, which say "geometry" and "name".
static limpet_gradient_parameters *parameters_of(const json_t *root, const json_t *scene) {
  char text[PARAMETERS][NAME];
  const char *names[PARAMETERS];
  const json_t *list = json_object_get(root, "parameters");
  const int count = (int)json_array_size(list);
  assert_true(count <= PARAMETERS);
  for (int i = 0; i < count; ++i) {
    const json_t *one = json_array_get(list, (size_t)i);
    snprintf(text[i], NAME, "geom:%s.%s", golden_scene_text(one, "geometry"),
             golden_scene_text(one, "name"));
    names[i] = text[i];
  }
  limpet_builder *builder = golden_scene_builder(scene);
  limpet_error error = {0};
  limpet_gradient_parameters *p = limpet_gradient_parameters_create(builder, names, count, &error);
  if (!p) fail_msg("%s", error.message);
  limpet_builder_destroy(builder);
  return p;
}

static void compare_state(const char *name, limpet_gradient_parameters *parameters,
                          const json_t *scene, const json_t *entry, const char *key, totals *sum) {
  if (golden_scene_number(entry, "switch_margin", 1.0) < least_margin ||
      fabs(golden_scene_number(entry, "smallest_depth", 1.0)) < least_depth) {
    sum->left_out += BLOCKS;
    return;
  }
  char contact_model[32];
  snprintf(contact_model, sizeof contact_model, "%.*s", (int)strcspn(key, "_"), key);
  limpet_model *model = golden_scene_compile(scene);
  limpet_data *data = limpet_data_create(model);
  limpet_gradient *gradient = limpet_gradient_create(model);
  assert_true(model->nv <= NV);
  double scene_q[256], scene_v[256];
  json_numbers(json_object_get(entry, "q"), scene_q, 256);
  json_numbers(json_object_get(entry, "v"), scene_v, 256);
  golden_scene_state(model, scene_q, scene_v, data->q, data->v);
  golden_scene_controls(model, data, scene);
  const limpet_step_settings settings =
      golden_scene_settings(model, scene, limpet_contact_model_find(contact_model));
  const limpet_gradient_settings wanted = limpet_gradient_settings_default();

  comparison c = {.model = model, .gradient = gradient, .parameters = parameters};
  c.start = golden_frame_of(model, data->q, data->v);
  double *from = calloc((size_t)limpet_data_state_size(model), sizeof *from);
  limpet_data_state_read(model, data, from);
  limpet_gradient_step(model, data, &settings, &wanted, gradient);
  c.end = golden_frame_of(model, data->q, data->v);
  const char *missing = limpet_gradient_by_parameters(gradient, parameters);
  for (block which = 0; which < BLOCKS; ++which) {
    const double error = gradient->reason || missing
                             ? INFINITY
                             : block_error(&c, which, json_object_get(entry, "jacobian"));
    ++sum->jacobians;
    if (isfinite(error)) sum->worst = fmax(sum->worst, error);
    sum->missed += !(error <= wanted_tolerance);
    if (error <= allowed(name)) continue;
    ++sum->failed;
    printf("%s %s by %s: error %.3g%s%s (margin %.2g)\n", name, key, block_names[which], error,
           missing ? ", " : "", missing ? missing : "",
           golden_scene_number(entry, "switch_margin", 1.0));
  }
  if (!gradient->reason)
    sum->worst_product = fmax(sum->worst_product, compare_product(gradient, data, &settings, from));
  free(from);
  limpet_gradient_destroy(gradient);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

static void whole_steps(void **state) {
  (void)state;
  if (!shared_exists("golden/gradient/scenes")) skip();
  file_list files = file_list_find(shared_path("golden/gradient/scenes"), ".json");
  totals sum = {0};
  for (int i = 0; i < files.count; ++i) {
    json_t *root = json_read(files.path[i]);
    char path[512];
    snprintf(path, sizeof path, "golden/contact/scenes/%s.json", golden_scene_text(root, "scene"));
    json_t *scene = json_read(shared_path(path));
    assert_non_null(scene);
    const char *key;
    json_t *entry;
    limpet_gradient_parameters *parameters = parameters_of(root, scene);
    json_object_foreach(json_object_get(root, "models"), key, entry)
        compare_state(golden_scene_text(root, "scene"), parameters, scene, entry, key, &sum);
    limpet_gradient_parameters_destroy(parameters);
    json_decref(scene);
    json_decref(root);
  }
  printf(
      "golden gradients: %d Jacobians compared, %d differ by more than 1e-9, %d by more than "
      "1e-8, %d left out near kinks; worst %.3g\n",
      sum.jacobians, sum.missed, sum.failed, sum.left_out, sum.worst);
  printf("products with weights against these Jacobians: worst %.3g\n", sum.worst_product);
  file_list_free(&files);
  assert_true(sum.worst_product < 1e-12);
  assert_true(sum.jacobians > 0);
  assert_int_equal(sum.failed, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(whole_steps)};
  return cmocka_run_group_tests_name("golden_gradients", tests, NULL, NULL);
}

/* tests/fem/test_fem_golden.c: elements and bodies against the golden values of golden/fem:
 * elements in 50 digits, bodies of 96 to 192 tetrahedra over 20 steps by an independent
 * implementation.
 *
 * Elements: errors relative to the largest stress that the law has at a strain of one, |dP/dF||F|.
 * Bodies of linear laws: 1e-12 of the largest velocity after one step; later steps add up what the
 * first ones differ by. Others: solved to round-off here, to 1e-13 of the residual there. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/fem.h"
#include "shared_data.h"

// names there and here
static const struct {
  const char *golden, *law;
} names[] = {{"linear", "linear"},
             {"linear_corotated", "linear-corotated"},
             {"corotated", "corotated"},
             {"neo_hookean", "neo-hookean-drake"}};
enum { LAWS = (int)(sizeof names / sizeof *names) };

static double number(const json_t *o, const char *key) {
  return json_number_value(json_object_get(o, key));
}

static double largest(const double *x, int count) {
  double most = 0.0;
  for (int i = 0; i < count; ++i) most = fmax(most, fabs(x[i]));
  return most;
}

static double distance(const double *x, const double *y, int count) {
  double most = 0.0;
  for (int i = 0; i < count; ++i) {
    if (!isfinite(x[i])) return INFINITY;
    most = fmax(most, fabs(x[i] - y[i]));
  }
  return most;
}

static void element_check(const json_t *c, const json_t *model, const limpet_elastic_law *law) {
  const double E = number(c, "youngs_modulus"), nu = number(c, "poissons_ratio");
  double F[9], F0[9], P[9], P_golden[9], D[81], D_golden[81];
  assert_int_equal(json_numbers(json_object_get(c, "F"), F, 9), 9);
  assert_int_equal(json_numbers(json_object_get(c, "F_previous"), F0, 9), 9);
  assert_int_equal(json_numbers(json_object_get(model, "first_piola"), P_golden, 9), 9);
  assert_int_equal(json_numbers(json_object_get(model, "dP_dF"), D_golden, 81), 81);
  const double energy = limpet_elastic_energy(law, E, nu, F0, F, P);
  limpet_elastic_derivative(law, E, nu, F0, F, false, D);
  const double stiffness = largest(D_golden, 81), size = stiffness * largest(F, 9);
  const double golden = number(model, "energy_density");
  assert_true(distance(P, P_golden, 9) <= 1e-15 * size + 1e-12 * largest(P_golden, 9));
  assert_true(distance(D, D_golden, 81) <= 1e-12 * stiffness);
  assert_true(fabs(energy - golden) <= 1e-12 * fabs(golden) + 1e-15 * size);
}

static void elements(void **state) {
  (void)state;
  if (!shared_exists("golden/fem/elements/elements.json")) skip();
  json_t *file = json_read(shared_path("golden/fem/elements/elements.json"));
  const json_t *cases = json_object_get(file, "cases");
  assert_int_equal(json_array_size(cases), 24);
  for (size_t i = 0; i < json_array_size(cases); ++i) {
    const json_t *c = json_array_get(cases, i), *models = json_object_get(c, "models");
    for (int k = 0; k < LAWS; ++k) {
      const json_t *model = json_object_get(models, names[k].golden);
      if (model) element_check(c, model, limpet_elastic_law_find(names[k].law));
    }
  }
  json_decref(file);
}

// ------------------------------------------------------------------------------- bodies

static double *numbers_of(const json_t *value, int count) {
  double *x = malloc((size_t)count * sizeof *x);
  assert_int_equal(json_numbers(value, x, count), count);
  return x;
}

static int *integers_of(const json_t *value, int count) {
  double *x = numbers_of(value, count);
  int *n = malloc((size_t)(count + 1) * sizeof *n);
  for (int i = 0; i < count; ++i) n[i] = (int)x[i];
  free(x);
  return n;
}

typedef struct golden_body {
  limpet_fem_body *body;
  limpet_fem_input input;
  double *q, *v, *next;
  int n, *fixed;
} golden_body;

static golden_body body_read(const json_t *file, const char *law) {
  golden_body g = {0};
  const json_t *vertices = json_object_get(file, "vertices"),
               *tetrahedra = json_object_get(file, "tetrahedra"),
               *fixed = json_object_get(file, "fixed_vertices");
  limpet_fem_description d = limpet_fem_description_default();
  d.vertex_count = (int)json_array_size(vertices);
  d.tetrahedron_count = (int)json_array_size(tetrahedra);
  g.n = 3 * d.vertex_count;
  double *x = numbers_of(vertices, g.n);
  int *t = integers_of(tetrahedra, 4 * d.tetrahedron_count);
  d.vertices = x, d.tetrahedra = t;
  d.law = limpet_elastic_law_find(law);
  d.youngs_modulus = number(file, "youngs_modulus");
  d.poissons_ratio = number(file, "poissons_ratio");
  d.density = number(file, "density");
  d.mass_damping = number(file, "mass_damping");
  d.stiffness_damping = number(file, "stiffness_damping");
  d.damping = LIMPET_FEM_DAMPING_TANGENT;
  limpet_error error = {0};
  g.body = limpet_fem_body_create(&d, &error);
  if (!g.body) fail_msg("%s", error.message);
  free(x), free(t);
  g.q = numbers_of(json_object_get(file, "q0"), g.n);
  g.v = numbers_of(json_object_get(file, "v0"), g.n);
  g.next = malloc((size_t)g.n * sizeof *g.next);
  g.fixed = integers_of(fixed, (int)json_array_size(fixed));
  g.input = (limpet_fem_input){.position = g.q,
                               .velocity = g.v,
                               .dt = number(file, "time_step"),
                               .fixed_count = (int)json_array_size(fixed),
                               .fixed = g.fixed,
                               .tolerance = 1e-14};
  json_numbers(json_object_get(file, "gravity"), g.input.gravity, 3);
  return g;
}

static void body_free(golden_body *g) {
  limpet_fem_body_destroy(g->body);
  free(g->q), free(g->v), free(g->next), free(g->fixed);
}

static void start_check(const golden_body *g, const json_t *file) {
  const json_t *start = json_object_get(file, "at_start");
  const limpet_fem_state s = limpet_fem_body_state(g->body, g->q, g->v, NULL);
  const double energy = number(start, "elastic_energy");
  double *golden = numbers_of(json_object_get(start, "internal_force"), g->n);
  limpet_fem_body_force(g->body, NULL, g->q, g->next);
  assert_true(distance(g->next, golden, g->n) <= 1e-12 * largest(golden, g->n));
  assert_true(fabs(s.elastic - energy) <= 1e-12 * energy);
  const limpet_fem_body_info info = limpet_fem_body_information(g->body);
  assert_true(fabs(info.mass - number(start, "total_mass")) <= 1e-13);
  assert_true(fabs(info.volume - number(start, "total_volume")) <= 1e-15);
  free(golden);
}

// Worst difference of velocity over the steps, relative to the largest velocity.
static double body_compare(golden_body *g, const json_t *file) {
  const json_t *expected = json_object_get(file, "expected");
  limpet_fem_step *step = limpet_fem_step_create(g->body, NULL);
  double worst = 0.0;
  for (size_t k = 0, done = 0; k < json_array_size(expected); ++k) {
    const json_t *e = json_array_get(expected, k);
    for (; done < (size_t)number(e, "step"); ++done) {
      assert_int_equal(limpet_fem_step_begin(step, &g->input), LIMPET_FEM_SOLVED);
      const double *v = limpet_fem_step_free_velocity(step);
      limpet_fem_step_positions(step, v, g->next);
      memcpy(g->v, v, (size_t)g->n * sizeof *v);
      memcpy(g->q, g->next, (size_t)g->n * sizeof *v);
    }
    double *q = numbers_of(json_object_get(e, "q"), g->n),
           *v = numbers_of(json_object_get(e, "v"), g->n);
    const double difference = distance(g->v, v, g->n) / largest(v, g->n);
    worst = fmax(worst, difference / (double)done);
    assert_true(distance(g->q, q, g->n) <= 1e-9 * largest(q, g->n));
    free(q), free(v);
  }
  limpet_fem_step_destroy(step);
  return worst;
}

static void bodies(void **state) {
  (void)state;
  if (!shared_exists("golden/fem/bodies")) skip();
  file_list files = file_list_find(shared_path("golden/fem/bodies"), ".json");
  assert_int_equal(files.count, 16);
  for (int i = 0; i < files.count; ++i) {
    json_t *file = json_read(files.path[i]);
    const char *model = json_string_value(json_object_get(file, "model"));
    for (int k = 0; k < LAWS; ++k) {
      if (strcmp(names[k].golden, model) != 0) continue;
      golden_body g = body_read(file, names[k].law);
      start_check(&g, file);
      const double worst = body_compare(&g, file);
      printf("%-18s %.1e per step\n", names[k].law, worst);
      assert_true(worst <= (k < 2 ? 1e-12 : 1e-10));
      body_free(&g);
    }
    json_decref(file);
  }
  file_list_free(&files);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(elements), cmocka_unit_test(bodies)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* tests/fem/test_fem_static.c: bodies at rest: golden deflections, the patch test, a bar in
 * tension, and the cantilever of linear and quadratic elements against beam theory.
 *
 * Cantilever under its own weight, w = rho g A: w L^4/(8 E I) + w L^2/(2 G A 5/6) (Timoshenko).
 * Linear tetrahedra are too stiff, the more the nearer nu is to 0.5; quadratic ones are the cure.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fem_bar.h"
#include "shared_data.h"

static double number(const json_t *o, const char *key) {
  return json_number_value(json_object_get(o, key));
}

// Mean displacement of the nodes with the largest x.
static void tip_displacement(const fem_world *w, double length, double u[3]) {
  const double *rest = limpet_fem_body_rest(w->body);
  int count = 0;
  u[0] = u[1] = u[2] = 0.0;
  for (int i = 0; i < w->n / 3; ++i)
    if (fabs(rest[3 * i] - length) < 1e-9) {
      ++count;
      for (int k = 0; k < 3; ++k) u[k] += w->q[3 * i + k] - rest[3 * i + k];
    }
  for (int k = 0; k < 3; ++k) u[k] /= count;
}

static void golden_level(const json_t *c, const json_t *level, const char *law) {
  const int across = (int)number(level, "cells_across");
  const double length = number(c, "length"), width = number(c, "width");
  fem_bar bar =
      fem_bar_make((int)lround(length / width) * across, across, across, length, width, width);
  bar.description.law = limpet_elastic_law_find(law);
  bar.description.youngs_modulus = number(c, "youngs_modulus");
  bar.description.poissons_ratio = number(c, "poissons_ratio");
  bar.description.density = number(c, "density");
  fem_world w = fem_world_make(&bar.description);
  fem_world_fix(&w, 0, 0.0);
  w.input.gravity[2] = -9.81;
  assert_int_equal(w.n / 3, (int)number(level, "vertices"));
  const limpet_fem_outcome outcome = limpet_fem_step_equilibrium(w.step, &w.input, w.q);
  assert_int_equal(outcome, LIMPET_FEM_SOLVED);
  double u[3], golden[3];
  tip_displacement(&w, length, u);
  json_numbers(json_object_get(level, "tip"), golden, 3);
  // both are solved to 1e-10 of the load
  for (int k = 0; k < 3; ++k)
    if (fabs(u[k] - golden[k]) > 1e-8 * fabs(golden[2]))
      fail_msg("%s, %d across: tip %.12g, golden %.12g", law, across, u[k], golden[k]);
  fem_world_free(&w);
  fem_bar_free(&bar);
}

static void golden_cantilevers(void **state) {
  (void)state;
  if (!shared_exists("golden/fem/static/cantilever.json")) skip();
  static const char *const laws[][2] = {{"linear", "linear"},
                                        {"linear_corotated", "linear-corotated"},
                                        {"corotated", "corotated"},
                                        {"neo_hookean", "neo-hookean-drake"}};
  json_t *file = json_read(shared_path("golden/fem/static/cantilever.json"));
  const json_t *cases = json_object_get(file, "cases");
  for (size_t i = 0; i < json_array_size(cases); ++i) {
    const json_t *c = json_array_get(cases, i), *levels = json_object_get(c, "levels");
    const char *model = json_string_value(json_object_get(c, "model")), *law = NULL;
    for (int k = 0; k < 4; ++k)
      if (strcmp(laws[k][0], model) == 0) law = laws[k][1];
    assert_non_null(law);
    for (size_t k = 0; k < json_array_size(levels); ++k)
      golden_level(c, json_array_get(levels, k), law);
  }
  json_decref(file);
}

/* Affine displacement of the surface: the inside follows it exactly, whatever the mesh. Linear
 * laws: the affine field solves the discrete equations; others too, since the stress is uniform. */
static void patch(void **state) {
  (void)state;
  static const double G[9] = {0.02, 0.01, -0.03, 0.015, -0.02, 0.01, 0.005, 0.03, 0.04};
  for (int element = 0; element < 2; ++element)
    for (const limpet_elastic_law *const *law = limpet_elastic_laws(); *law; ++law) {
      fem_bar bar = fem_bar_make(3, 3, 3, 0.3, 0.2, 0.25);
      unsigned long seed = 5;
      for (int i = 0; i < bar.description.vertex_count; ++i) {  // shifts the inner vertices
        double *x = bar.vertices + 3 * i;
        bool inside = true;
        for (int k = 0; k < 3; ++k) inside &= x[k] > 1e-9 && x[k] < bar.size[k] - 1e-9;
        for (int k = 0; k < 3 && inside; ++k) x[k] += random_uniform(&seed, -0.01, 0.01);
      }
      bar.description.law = *law;
      bar.description.element = (limpet_fem_element)element;
      bar.description.poissons_ratio = 0.3;
      fem_world w = fem_world_make(&bar.description);
      for (int axis = 0; axis < 3; ++axis) {
        fem_world_fix(&w, axis, 0.0);
        fem_world_fix(&w, axis, bar.size[axis]);
      }
      // nodes on edges are fixed by two faces: each once
      int kept = 0;
      for (int i = 0; i < w.input.fixed_count; ++i) {
        bool known = false;
        for (int j = 0; j < kept; ++j) known |= w.fixed[j] == w.fixed[i];
        if (!known) w.fixed[kept++] = w.fixed[i];
      }
      w.input.fixed_count = kept;
      const double *rest = limpet_fem_body_rest(w.body);
      for (int f = 0; f < kept; ++f)
        for (int i = 0; i < 3; ++i)
          for (int k = 0; k < 3; ++k)
            w.q[3 * w.fixed[f] + i] += G[3 * i + k] * rest[3 * w.fixed[f] + k];
      w.input.tolerance = 1e-30;  // to round-off: there is no load to compare with
      assert_int_equal(limpet_fem_step_equilibrium(w.step, &w.input, w.q), LIMPET_FEM_SOLVED);
      double worst = 0.0;
      for (int n = 0; n < w.n; ++n) {
        double x = rest[n];
        for (int k = 0; k < 3; ++k) x += G[3 * (n % 3) + k] * rest[3 * (n / 3) + k];
        worst = fmax(worst, fabs(x - w.q[n]));
      }
      assert_true(worst < 1e-14);  // [m] of 0.3
      fem_world_free(&w);
      fem_bar_free(&bar);
    }
}

// A bar that is pulled by F with nu = 0: stress F/A in every element, length L (1 + F/(E A)).
static void tension(void **state) {
  (void)state;
  for (int element = 0; element < 2; ++element) {
    fem_bar bar = fem_bar_make(6, 2, 2, 0.3, 0.05, 0.04);
    bar.description.law = limpet_elastic_law_find("linear");
    bar.description.element = (limpet_fem_element)element;
    bar.description.poissons_ratio = 0.0;
    fem_world w = fem_world_make(&bar.description);
    fem_world_fix(&w, 0, 0.0);
    const double area = 0.05 * 0.04, pull = 40.0, E = bar.description.youngs_modulus;
    // the pull is spread over the end by the consistent loads of its triangles
    double *force = calloc((size_t)w.n, sizeof *force);
    const double *rest = limpet_fem_body_rest(w.body);
    const limpet_fem_body_info info = limpet_fem_body_information(w.body);
    const int *faces = limpet_fem_body_faces(w.body), per_face = element ? 4 : 1;
    for (int f = 0; f < info.face_count; f += per_face) {
      const int *t = faces + 3 * f;
      bool at_end = true;
      for (int k = 0; k < 3 * per_face; ++k) at_end &= fabs(rest[3 * t[k]] - 0.3) < 1e-9;
      if (!at_end) continue;
      const double share = pull / (2.0 * 2.0 * 2.0) / 3.0;  // eight triangles of equal area
      if (element == 0)
        for (int k = 0; k < 3; ++k) force[3 * t[k]] += share;
      else  // middles of edges carry all of it: triangle 4 of the split
        for (int k = 9; k < 12; ++k) force[3 * t[k]] += share;
    }
    w.input.force = force;
    assert_int_equal(limpet_fem_step_equilibrium(w.step, &w.input, w.q), LIMPET_FEM_SOLVED);
    double u[3];
    tip_displacement(&w, 0.3, u);
    assert_true(fabs(u[0] - 0.3 * pull / (E * area)) < 1e-11 * 0.3);
    double *stress = malloc((size_t)info.tetrahedron_count * sizeof *stress);
    limpet_fem_body_stress(w.body, w.q, stress, NULL);
    for (int t = 0; t < info.tetrahedron_count; ++t)
      assert_true(fabs(stress[t] - pull / area) < 1e-8 * pull / area);
    free(stress), free(force);
    fem_world_free(&w);
    fem_bar_free(&bar);
  }
}

// Share of Timoshenko's deflection that a bar 10 times as long as high has.
static double cantilever(limpet_fem_element element, int across, double nu) {
  const double L = 0.5, h = 0.05, E = 1e7, rho = 1000.0, g = 9.81;
  fem_bar bar = fem_bar_make(10 * across, across, across, L, h, h);
  bar.description.law = limpet_elastic_law_find("linear");
  bar.description.element = element;
  bar.description.youngs_modulus = E, bar.description.poissons_ratio = nu;
  fem_world w = fem_world_make(&bar.description);
  fem_world_fix(&w, 0, 0.0);
  w.input.gravity[2] = -g;
  assert_int_equal(limpet_fem_step_equilibrium(w.step, &w.input, w.q), LIMPET_FEM_SOLVED);
  double u[3];
  tip_displacement(&w, L, u);
  fem_world_free(&w);
  fem_bar_free(&bar);
  const double weight = rho * g * h * h, I = h * h * h * h / 12.0, G = E / (2.0 * (1.0 + nu));
  return -u[2] /
         (weight * pow(L, 4.0) / (8.0 * E * I) + weight * L * L / (2.0 * G * h * h * 5.0 / 6.0));
}

static void locking(void **state) {
  (void)state;
  double before[2] = {0.0, 0.0};
  printf("deflection over Timoshenko's\n  nu    across  linear  quadratic\n");
  for (int across = 1; across <= 4; across *= 2)
    for (int k = 0; k < 2; ++k) {
      const double nu = k ? 0.49 : 0.3;
      const double linear = cantilever(LIMPET_FEM_LINEAR, across, nu);
      const double quadratic = across < 4 ? cantilever(LIMPET_FEM_QUADRATIC, across, nu) : NAN;
      printf("  %.2f  %d       %.3f   %.3f\n", nu, across, linear, quadratic);
      // linear elements converge from below, the slower the nearer nu is to 0.5
      assert_true(linear > 1.3 * before[k] && linear < 1.0);
      if (across < 4) assert_true(fabs(quadratic - 1.0) < (across == 1 ? 0.16 : 0.07));
      before[k] = linear;
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(golden_cantilevers), cmocka_unit_test(patch),
                                     cmocka_unit_test(tension), cmocka_unit_test(locking)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

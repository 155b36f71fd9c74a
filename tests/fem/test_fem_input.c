/* tests/fem/test_fem_input.c: what a deformable body refuses, with numbers and names; what it makes
 * of a good mesh. */
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
#include "math/vec3.h"

static void refuse(const limpet_fem_description *d, limpet_status status, const char *first,
                   const char *second) {
  limpet_error error = {0};
  limpet_fem_body *body = limpet_fem_body_create(d, &error);
  assert_null(body);
  assert_int_equal(error.status, status);
  if (!strstr(error.message, first) || !strstr(error.message, second))
    fail_msg("'%s' lacks '%s' or '%s'", error.message, first, second);
  assert_null(limpet_fem_body_create(d, NULL));
}

static void materials(void **state) {
  (void)state;
  fem_bar bar = fem_bar_make(1, 1, 1, 0.1, 0.1, 0.1);
  const limpet_fem_description good = bar.description;
  limpet_fem_description d = good;
  d.youngs_modulus = 0.0, refuse(&d, LIMPET_ERROR_INPUT, "Young's modulus is 0 Pa", "positive");
  d.youngs_modulus = -2e5, refuse(&d, LIMPET_ERROR_INPUT, "-200000 Pa", "positive");
  d = good, d.youngs_modulus = NAN, refuse(&d, LIMPET_ERROR_INPUT, "nan", "Young");
  d = good, d.density = -1.0, refuse(&d, LIMPET_ERROR_INPUT, "density is -1 kg/m^3", "positive");
  d = good, d.poissons_ratio = 0.5, refuse(&d, LIMPET_ERROR_INPUT, "ratio is 0.5", "below 0.5");
  d = good, d.poissons_ratio = -1.0, refuse(&d, LIMPET_ERROR_INPUT, "ratio is -1", "above -1");
  d = good, d.mass_damping = -0.1, refuse(&d, LIMPET_ERROR_INPUT, "mass damping", "-0.1");
  d = good, d.stiffness_damping = INFINITY, refuse(&d, LIMPET_ERROR_INPUT, "stiffness", "inf");
  d = good, d.law = limpet_elastic_law_find("neo-hookean-drake"), d.poissons_ratio = 0.12;
  refuse(&d, LIMPET_ERROR_INPUT, "neo-hookean-drake needs one above 0.125", "take neo-hookean");
  d.law = limpet_elastic_law_find("neo-hookean"), d.poissons_ratio = -0.5;
  limpet_fem_body_destroy(limpet_fem_body_create(&d, NULL));
  fem_bar_free(&bar);
}

static void meshes(void **state) {
  (void)state;
  fem_bar bar = fem_bar_make(2, 1, 1, 0.2, 0.1, 0.1);
  limpet_fem_description d = bar.description;
  d.tetrahedron_count = 0, refuse(&d, LIMPET_ERROR_INPUT, "0 tetrahedra", "at least");
  d = bar.description;

  // an index out of range, a vertex that nothing uses, a number that is none
  const int kept = bar.tetrahedra[7];
  bar.tetrahedra[7] = 12,
  refuse(&d, LIMPET_ERROR_INPUT, "tetrahedron 1 names vertex 12", "0 to 11");
  bar.tetrahedra[7] = -1, refuse(&d, LIMPET_ERROR_INPUT, "vertex -1", "0 to 11");
  bar.tetrahedra[7] = kept;
  const double x = bar.vertices[10];
  bar.vertices[10] = NAN, refuse(&d, LIMPET_ERROR_INPUT, "vertex 3", "no number");
  bar.vertices[10] = x;
  d.tetrahedron_count = 6;
  refuse(&d, LIMPET_ERROR_INPUT, "4 of 12 vertices belong to no tetrahedron", "vertex 8 first");
  d = bar.description;

  // flat, a sliver, and twice the same
  double *last = bar.vertices + 3 * 11, place[3];
  limpet_vec3_copy(place, last);
  last[0] = 0.1, last[1] = 0.1, last[2] = 0.1 + 1e-17;
  refuse(&d, LIMPET_ERROR_INPUT, "volume of", "flat");
  last[0] = 0.1 + 1e-6;
  refuse(&d, LIMPET_ERROR_INPUT, "quality below 0.001", "the worst is tetrahedron");
  refuse(&d, LIMPET_ERROR_INPUT, "give its surface (STL, OBJ)", "even ones of edge fill_size");
  d.least_quality = 0.0;
  limpet_fem_body *body = limpet_fem_body_create(&d, NULL);
  assert_non_null(body);
  assert_true(limpet_fem_body_information(body).quality_worst < 1e-3);
  limpet_fem_body_destroy(body);
  limpet_vec3_copy(last, place);
  int copy[4];
  memcpy(copy, bar.tetrahedra + 4, sizeof copy);
  memcpy(bar.tetrahedra + 4, bar.tetrahedra, sizeof copy);
  refuse(&d, LIMPET_ERROR_INPUT, "tetrahedra 0 and 1 overlap", "face");
  memcpy(bar.tetrahedra + 4, copy, sizeof copy);
  fem_bar_free(&bar);
}

// Tetrahedra that each have vertices of their own, as some programs write them, fall apart.
static void a_soup(void **state) {
  (void)state;
  fem_bar bar = fem_bar_make(2, 1, 1, 0.2, 0.1, 0.1);
  limpet_fem_description d = bar.description;
  double vertices[3 * 48];
  int tetrahedra[48];
  assert_int_equal(d.tetrahedron_count, 12);
  for (int i = 0; i < 48; ++i) {
    tetrahedra[i] = i;
    limpet_vec3_copy(vertices + 3 * i, bar.vertices + 3 * bar.tetrahedra[i]);
  }
  d.vertices = vertices, d.vertex_count = 48, d.tetrahedra = tetrahedra;
  refuse(&d, LIMPET_ERROR_INPUT, "36 of 48 vertices lie where another one does", "14 faces lie on");
  // two pieces that touch along an edge are no soup
  d.tetrahedron_count = 2, d.vertex_count = 8;
  static const double two[] = {0, 0, 0, 1, 0, 0, 0, 1,  0, 0, 0, 1,
                               0, 0, 0, 1, 0, 0, 0, -1, 0, 0, 0, -1};
  d.vertices = two;
  limpet_fem_body *body = limpet_fem_body_create(&d, NULL);
  assert_non_null(body);
  limpet_fem_body_destroy(body);
  fem_bar_free(&bar);
}

// Volume, mass, centre, surface and orientation do not depend on how tetrahedra are written.
static void good(void **state) {
  (void)state;
  for (int element = 0; element < 2; ++element) {
    fem_bar bar = fem_bar_make(3, 2, 2, 0.3, 0.2, 0.1);
    bar.description.element = (limpet_fem_element)element;
    for (int t = 0; t < bar.description.tetrahedron_count; t += 3) {  // inside out
      const int swap = bar.tetrahedra[4 * t];
      bar.tetrahedra[4 * t] = bar.tetrahedra[4 * t + 1], bar.tetrahedra[4 * t + 1] = swap;
    }
    limpet_fem_body *body = limpet_fem_body_create(&bar.description, NULL);
    const limpet_fem_body_info info = limpet_fem_body_information(body);
    assert_true(fabs(info.volume - 0.006) < 1e-16 && fabs(info.mass - 6.0) < 1e-13);
    for (int k = 0; k < 3; ++k) assert_true(fabs(info.centre[k] - 0.5 * bar.size[k]) < 1e-15);
    assert_true(info.quality_worst > 0.3 && info.quality_worst <= info.quality_mean);
    assert_int_equal(info.face_count, 2 * 2 * (6 + 6 + 4) * (element ? 4 : 1));

    // the surface is closed and seen from outside: its volume is that of the body
    const int *faces = limpet_fem_body_faces(body);
    const double *rest = limpet_fem_body_rest(body);
    double volume = 0.0, mass = 0.0;
    for (int f = 0; f < info.face_count; ++f) {
      double cross[3];
      limpet_vec3_cross(cross, rest + 3 * faces[3 * f], rest + 3 * faces[3 * f + 1]);
      volume += limpet_vec3_dot(cross, rest + 3 * faces[3 * f + 2]) / 6.0;
      assert_in_range(limpet_fem_body_face_tetrahedra(body)[f], 0, info.tetrahedron_count - 1);
    }
    assert_true(fabs(volume - info.volume) < 1e-16);
    for (int i = 0; i < info.node_count; ++i) mass += limpet_fem_body_node_mass(body)[i];
    assert_true(fabs(mass - info.mass) < 1e-13);
    for (int t = 0; t < info.tetrahedron_count; ++t) {
      const int *v = limpet_fem_body_tetrahedra(body) + 4 * t;
      double e[3][3], cross[3];
      for (int k = 0; k < 3; ++k) limpet_vec3_sub(e[k], rest + 3 * v[k + 1], rest + 3 * v[0]);
      limpet_vec3_cross(cross, e[0], e[1]);
      assert_true(limpet_vec3_dot(cross, e[2]) > 0.0);
    }
    limpet_fem_body_destroy(body);
    fem_bar_free(&bar);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(materials), cmocka_unit_test(meshes),
                                     cmocka_unit_test(a_soup), cmocka_unit_test(good)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

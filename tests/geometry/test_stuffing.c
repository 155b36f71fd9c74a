/* tests/geometry/test_stuffing.c: tetrahedra that fill a closed surface: one conforming mesh whose
 * boundary is the surface to second order, without slivers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "closed_meshes.h"
#include "effort.h"
#include "geometry/pressure.h"
#include "geometry/pressure_mesh.h"
#include "geometry/stuffing.h"
#include "math/vec3.h"

static const double pi = 3.14159265358979323846;

static limpet_stuffing fill(const test_mesh *mesh, double size) {
  limpet_pressure_material material = limpet_pressure_material_default();
  material.size = size;
  limpet_error error = {0};
  limpet_pressure_field *field = limpet_pressure_field_of_triangles(
      mesh->vertices, mesh->vertex_count, mesh->faces, mesh->face_count, &material, &error);
  if (!field) fail_msg("%s", error.message);
  limpet_stuffing out;
  assert_int_equal(limpet_stuff(field->vertices, field->vertex_count, field->pressure,
                                field->tetrahedra, field->info.elements, &out),
                   LIMPET_OK);
  limpet_pressure_field_destroy(field);
  return out;
}

// Least angle [degrees] between two faces.
static double least_angle(const double *const x[4]) {
  static const int edge[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2},
                                 {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
  double least = 180.0;
  for (int e = 0; e < 6; ++e) {
    double along[3], a[3], b[3], m[3], n[3];
    limpet_vec3_sub(along, x[edge[e][1]], x[edge[e][0]]);
    limpet_vec3_sub(a, x[edge[e][2]], x[edge[e][0]]),
        limpet_vec3_sub(b, x[edge[e][3]], x[edge[e][0]]);
    limpet_vec3_cross(m, along, a), limpet_vec3_cross(n, along, b);
    const double cosine = limpet_vec3_dot(m, n) / (limpet_vec3_norm(m) * limpet_vec3_norm(n));
    least = fmin(least, acos(fmax(-1.0, fmin(1.0, cosine))) * 180.0 / pi);
  }
  return least;
}

typedef struct findings {
  double volume, angle, away;  // [m^3], [degrees] the least, [m] of the boundary from the surface
} findings;

// Fails unless volumes are positive and neighbours share whole faces.
static findings look(const test_mesh *surface, const limpet_stuffing *s) {
  findings f = {.angle = 180.0};
  limpet_pressure_mesh mesh = {.vertex_count = s->vertex_count,
                               .tetrahedron_count = s->tetrahedron_count,
                               .vertices = s->vertices,
                               .tetrahedra = s->tetrahedra};
  for (int t = 0; t < s->tetrahedron_count; ++t) {
    const double *x[4];
    for (int k = 0; k < 4; ++k) x[k] = s->vertices + 3 * s->tetrahedra[4 * t + k];
    const double volume = limpet_pressure_mesh_volume6(x[0], x[1], x[2], x[3]) / 6.0;
    assert_true(volume > 0.0);
    f.volume += volume, f.angle = fmin(f.angle, least_angle(x));
  }
  limpet_error error = {0};
  if (limpet_pressure_mesh_boundary(&mesh, &error)) fail_msg("%s", error.message);
  for (int i = 0; i < 3 * mesh.face_count; i += 7)
    f.away = fmax(f.away, test_mesh_distance(surface, s->vertices + 3 * mesh.faces[i]));
  // closed: normals times areas add up to nothing
  double sum[3] = {0.0, 0.0, 0.0}, all = 0.0;
  for (int i = 0; i < mesh.face_count; ++i) {
    const int *v = mesh.faces + 3 * i;
    double a[3], b[3], n[3];
    limpet_vec3_sub(a, s->vertices + 3 * v[1], s->vertices + 3 * v[0]);
    limpet_vec3_sub(b, s->vertices + 3 * v[2], s->vertices + 3 * v[0]);
    limpet_vec3_cross(n, a, b), limpet_vec3_add(sum, sum, n);
    all += limpet_vec3_norm(n);
  }
  assert_true(limpet_vec3_norm(sum) < 1e-12 * all);
  free(mesh.faces);
  return f;
}

static double inside(const test_mesh *mesh) {
  static const double origin[3] = {0.0, 0.0, 0.0};
  double sum = 0.0;
  for (int i = 0; i < mesh->face_count; ++i) {
    const int *v = mesh->faces + 3 * i;
    sum += limpet_pressure_mesh_volume6(origin, mesh->vertices + 3 * v[0],
                                        mesh->vertices + 3 * v[1], mesh->vertices + 3 * v[2]);
  }
  return sum / 6.0;
}

static void a_ring_is_filled_to_second_order(void **state) {
  (void)state;
  test_mesh *ring = calloc(1, sizeof *ring);
  test_mesh_torus(ring, 64, 32, 0.1, 0.04);
  const int sizes = test_effort(3, 2);
  double error[3];
  for (int k = 0; k < sizes; ++k) {
    const double h = 0.02 * pow(0.5, k);
    limpet_stuffing s = fill(ring, h);
    const findings f = look(ring, &s);
    error[k] = fabs(f.volume / inside(ring) - 1.0);
    print_message(
        "edge %g m: %d tetrahedra, volume off by %.4f, boundary by %.4f of the edge, "
        "least angle %.1f degrees\n",
        h, s.tetrahedron_count, error[k], f.away / h, f.angle);
    assert_true(f.away < 0.5 * h * h / 0.04 && f.angle > 15.0);
    limpet_stuffing_free(&s);
  }
  for (int k = 1; k < sizes; ++k) assert_true(error[k] < error[k - 1] / 3.0);
  free(ring);
}

/* Whatever the shape and the size of the lattice, the mesh is one that fits together; spikes that
 * are thinner than it are lost, and corners are rounded. */
static void random_surfaces_give_meshes_that_fit(void **state) {
  (void)state;
  unsigned long seed = 9;
  test_mesh *mesh = malloc(sizeof *mesh);
  double least = 180.0, worst = 0.0;
  for (int i = 0; i < 24; i += test_effort(1, 8)) {
    mesh->vertex_count = mesh->face_count = 0;
    const double size = pow(10.0, -3.0 + 4.0 * i / 24.0), one[3] = {0.3 * size, -size, 2.0 * size},
                 half[3] = {size, 0.7 * size, 0.5 * size};
    if (i % 3 == 0) test_mesh_box(mesh, one, half);
    if (i % 3 == 1) test_mesh_star(mesh, &seed, 7, 0.6 * size, size);
    if (i % 3 == 2) test_mesh_torus(mesh, 17, 9, size, 0.4 * size);
    const double h = size * (0.09 + 0.016 * (i % 7));
    limpet_stuffing s = fill(mesh, h);
    const findings f = look(mesh, &s);
    least = fmin(least, f.angle), worst = fmax(worst, fabs(f.volume / inside(mesh) - 1.0));
    limpet_stuffing_free(&s);
  }
  print_message("least angle %.2f degrees, volume off by at most %.3f\n", least, worst);
  assert_true(least > 8.0 && worst < 0.06);
  free(mesh);
}

static void nothing_inside_gives_nothing(void **state) {
  (void)state;
  const double x[12] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  const double out[4] = {-1.0, -2.0, -0.5, 0.0}, in[4] = {1.0, 2.0, 0.5, 0.0};
  const int t[4] = {0, 1, 2, 3};
  limpet_stuffing s;
  assert_int_equal(limpet_stuff(x, 4, out, t, 1, &s), LIMPET_OK);
  assert_int_equal(s.tetrahedron_count, 0);
  limpet_stuffing_free(&s);
  assert_int_equal(limpet_stuff(x, 4, in, t, 1, &s), LIMPET_OK);
  assert_int_equal(s.tetrahedron_count, 1);
  limpet_stuffing_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ring_is_filled_to_second_order),
      cmocka_unit_test(random_surfaces_give_meshes_that_fit),
      cmocka_unit_test(nothing_inside_gives_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

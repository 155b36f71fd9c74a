/* benchmarks/bench_pressure.c: time of a contact surface for pairs of pressure fields.
 *
 * Prints microseconds for each surface (the least of several rounds), faces or points, and
 * nanoseconds for each. Poses lie 3 mm deep and stay, so that what may meet is found once. Run
 * alone: a busy sibling core doubles the figures.
 *
 * usage: bench_pressure [TOLERANCE [PART]]     (default 1e-3; PART: of the names of cases to run)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/mesh_geometry.h"
#include "limpet/pressure.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "measure.h"

enum { ROUNDS = 7 };
static const double round_time = 0.02;  // [s]

typedef struct bench_case {
  const char *name;
  limpet_pressure_field *a, *b;
  double height;  // [m]  of B above A
  double target;  // [us]  asked for; 0: none
} bench_case;

static limpet_pressure_field *shape(limpet_shape_kind kind, double x, double y, double z,
                                    double modulus) {
  limpet_pressure_material material = limpet_pressure_material_default();
  material.modulus = modulus;
  const double size[3] = {x, y, z};
  return limpet_pressure_field_of_shape(kind, size, NULL, &material, NULL);
}

// A block of 0.1 x 0.1 x 0.08 m as n[0] x n[1] x n[2] cubes of twelve tetrahedra around an inner
// vertex each.
static limpet_pressure_field *block(const int n[3], double modulus) {
  const int side[3] = {n[0] + 1, n[1] + 1, n[2] + 1}, corners = side[0] * side[1] * side[2],
            cubes = n[0] * n[1] * n[2];
  double *x = malloc((size_t)(corners + cubes) * 3 * sizeof *x);
  int *t = malloc((size_t)cubes * 48 * sizeof *t), count = 0;
  for (int v = 0; v < corners + cubes; ++v) {
    const int c = v < corners ? v : v - corners, *m = v < corners ? side : n;
    const double shift = v < corners ? 0.0 : 0.5;
    const int at[3] = {c / (m[1] * m[2]), c / m[2] % m[1], c % m[2]};
    for (int i = 0; i < 3; ++i)
      x[3 * v + i] = (i == 2 ? 0.08 : 0.1) * ((at[i] + shift) / n[i] - 0.5);
  }
  // two triangles for each face of a cube, by corner bits 4 x + 2 y + z
  static const int face[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 7, 5}, {4, 6, 7}, {0, 5, 1}, {0, 4, 5},
                                  {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 7, 3}, {1, 5, 7}};
  for (int c = 0; c < cubes; ++c)
    for (int f = 0; f < 12; ++f, ++count) {
      for (int k = 0; k < 3; ++k) {
        const int bit = face[f][k], i = c / (n[1] * n[2]) + (bit >> 2),
                  j = c / n[2] % n[1] + (bit >> 1 & 1);
        t[4 * count + k] = (i * side[1] + j) * side[2] + c % n[2] + (bit & 1);
      }
      t[4 * count + 3] = corners + c;
    }
  limpet_pressure_material material = limpet_pressure_material_default();
  material.modulus = modulus;
  limpet_error error = {0};
  limpet_pressure_field *field =
      limpet_pressure_field_of_tetrahedra(x, corners + cubes, t, count, NULL, &material, &error);
  if (!field) fprintf(stderr, "%s\n", error.message);
  free(x), free(t);
  return field;
}

static void run(const bench_case *bench, limpet_pressure_surface *surface,
                const limpet_pressure_query *asked, uint64_t number) {
  const double origin[3] = {0.0, 0.0, 0.0}, upright[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double place[3] = {0.003, -0.002, bench->height}, turned[9], best = INFINITY;
  const double q[4] = {cos(0.01), 0.3 * sin(0.01), 0.2 * sin(0.01), sin(0.01)};
  double unit[4] = {q[0], q[1], q[2], q[3]};
  limpet_quaternion_normalize(unit);
  limpet_quaternion_to_matrix(turned, unit);
  const limpet_pressure_body a = {bench->a, origin, upright}, b = {bench->b, place, turned};
  limpet_pressure_query query = *asked;
  query.pair = number + 1;
  int repeat = 1;
  for (int r = 0; r < ROUNDS; ++r) {
    const double start = now();
    for (int k = 0; k < repeat; ++k) limpet_pressure_surface_compute(surface, &a, &b, &query);
    const double each = (now() - start) / repeat;
    best = each < best ? each : best;
    repeat = (int)(round_time / best) + 1;
  }
  const int faces = surface->polygon_count ? surface->polygon_count : surface->point_count;
  printf("%-44s %9.2f us  %5d faces  %5d points  %7.1f ns/face  force %.4g N", bench->name,
         1e6 * best, faces, surface->point_count, 1e9 * best / (faces ? faces : 1),
         limpet_vec3_norm(surface->force));
  if (bench->target > 0.0) printf("  (asked: %g us)", bench->target);
  printf("\n");
}

int main(int argc, char **argv) {
  static const int cubes[3] = {5, 4, 4};
  limpet_pressure_query query = limpet_pressure_query_default();
  if (argc > 1) query.tolerance = atof(argv[1]);
  limpet_pressure_field *plane = shape(LIMPET_SHAPE_PLANE, 0, 0, 0, INFINITY),
                        *soft_plane = shape(LIMPET_SHAPE_PLANE, 0, 0, 0, 2e6),
                        *ball = shape(LIMPET_SHAPE_SPHERE, 0.05, 0, 0, 1e6),
                        *hard_ball = shape(LIMPET_SHAPE_SPHERE, 0.05, 0, 0, INFINITY),
                        *box = shape(LIMPET_SHAPE_BOX, 0.05, 0.07, 0.04, 1e6),
                        *box2 = shape(LIMPET_SHAPE_BOX, 0.05, 0.07, 0.04, 2.5e6),
                        *egg = shape(LIMPET_SHAPE_ELLIPSOID, 0.06, 0.045, 0.035, 2.5e6),
                        *can = shape(LIMPET_SHAPE_CYLINDER, 0.04, 0.06, 0, 2.5e6),
                        *capsule = shape(LIMPET_SHAPE_CAPSULE, 0.035, 0.05, 0, 2.5e6),
                        *block_a = block(cubes, 1e6), *block_b = block(cubes, 2.5e6);
  const bench_case cases[] = {
      {"sphere on rigid half space", plane, ball, 0.047, 2.0},
      {"rigid sphere in compliant half space", soft_plane, hard_ball, 0.047, 2.0},
      {"capsule on end on rigid half space", plane, capsule, 0.082, 0.0},
      {"sphere on compliant half space", soft_plane, ball, 0.047, 0.0},
      {"sphere with sphere", ball, ball, 0.097, 0.0},
      {"sphere with box", box, ball, 0.087, 0.0},
      {"ellipsoid with box", box, egg, 0.072, 0.0},
      {"cylinder on end on rigid half space", plane, can, 0.057, 0.0},
      {"cylinder on end with box", box, can, 0.097, 0.0},
      {"box on rigid half space", plane, box, 0.037, 0.0},
      {"box with box", box, box2, 0.077, 10.0},
      {"box with mesh (960 tetrahedra)", box, block_b, 0.077, 0.0},
      {"mesh with mesh (960 tetrahedra each)", block_a, block_b, 0.077, 150.0},
      {"sphere with mesh (960 tetrahedra)", block_a, ball, 0.087, 0.0}};
  limpet_pressure_surface *surface = limpet_pressure_surface_create(NULL);
  printf("tolerance %g\n", query.tolerance);
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k)
    if (argc < 3 || strstr(cases[k].name, argv[2])) run(&cases[k], surface, &query, k);
  limpet_pressure_surface_destroy(surface);
  limpet_pressure_field *all[] = {plane, soft_plane, ball,    hard_ball, box,    box2,
                                  egg,   can,        capsule, block_a,   block_b};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) limpet_pressure_field_destroy(all[k]);
  return 0;
}

/* tests/geometry/test_signed_distance.c: signed distances of points and their gradients.
 *
 * Convex shapes: phi(x) = max over unit d of d.x - h(d) with the support function h, inside and
 * outside; attained at the gradient. That is one law for all of them and needs no formula of any.
 * Surfaces: all triangles one by one, and the sign by crossings of rays. All: gradients are unit,
 * towards the surface phi changes by the way gone, phi is Lipschitz 1. Sizes are 0.01 to 0.5 m;
 * 1e-12 m is a thousand times the round-off of the formulas. */
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
#include "geometry/distance_grid.h"
#include "geometry/distance_table.h"
#include "geometry/surface.h"
#include "hull_shapes.h"
#include "limpet/format.h"
#include "math/vec3.h"
#include "shared_data.h"

enum { POINTS = 400, POSES = TEST_WATCHED ? 3 : 12, DIRECTIONS = 30 };

static const double tolerance = 1e-12;  // [m]

static void random_point(unsigned long *seed, double x[3], double reach) {
  for (int i = 0; i < 3; ++i) x[i] = random_uniform(seed, -reach, reach);
}

/* What holds for every shape: the two ways of asking agree, gradients are unit, and a step along
 * the gradient towards the surface changes phi by its length. `slack` [m]: what the shape's own
 * tolerance adds. */
static void laws_hold(const limpet_shape *shape, const double *x, int count, double slack) {
  static double phi[POINTS], alone[POINTS], gradient[3 * POINTS];
  limpet_signed_distance(shape, x, count, alone, NULL);
  limpet_signed_distance(shape, x, count, phi, gradient);
  for (int i = 0; i < count; ++i) {
    const double *g = gradient + 3 * i;
    assert_true(fabs(phi[i] - alone[i]) < tolerance);
    assert_true(fabs(limpet_vec3_norm(g) - 1.0) < tolerance);
    for (int k = 1; k < 4; ++k) {
      double moved[3], there;
      const double way = -phi[i] * k / 3.0;
      limpet_vec3_addmul(moved, x + 3 * i, way, g);
      limpet_signed_distance(shape, moved, 1, &there, NULL);
      if (!(fabs(there - phi[i] - way) < tolerance + slack))
        fail_msg("%s: phi %.17g, after %.17g along the gradient %.17g",
                 limpet_shape_kind_word(shape->kind), phi[i], way, there);
    }
    const int j = (7 * i + 3) % count;
    assert_true(fabs(phi[i] - phi[j]) <=
                limpet_vec3_distance(x + 3 * i, x + 3 * j) + tolerance + slack);
  }
}

static void convex_shape_is_right(test_shape *s, unsigned long *seed, double slack) {
  static double x[3 * POINTS], phi[POINTS], gradient[3 * POINTS];
  int inside = 0;
  for (int i = 0; i < POINTS; ++i) {
    random_point(seed, x + 3 * i, i % 3 == 0 ? 0.7 : i % 3 == 1 ? 0.25 : 0.04);
    limpet_vec3_add(x + 3 * i, x + 3 * i, s->position);
  }
  laws_hold(&s->shape, x, POINTS, slack);
  limpet_signed_distance(&s->shape, x, POINTS, phi, gradient);
  for (int i = 0; i < POINTS; ++i) {
    inside += phi[i] < 0.0;
    for (int k = 0; k <= DIRECTIONS; ++k) {
      double d[3], support[3], offset[3];
      if (k < DIRECTIONS) random_point(seed, d, 1.0), limpet_vec3_normalize(d);
      else limpet_vec3_copy(d, gradient + 3 * i);
      limpet_shape_support(support, &s->shape, d);
      limpet_vec3_sub(offset, x + 3 * i, support);
      const double height = limpet_vec3_dot(offset, d);
      if (!(height <= phi[i] + tolerance + slack) ||
          (k == DIRECTIONS && !(height >= phi[i] - tolerance - slack)))
        fail_msg("%s: phi %.17g, support gives %.17g (%d)", limpet_shape_kind_word(s->shape.kind),
                 phi[i], height, k);
    }
  }
  assert_true(inside > 10);
}

static void convex_shapes_have_their_distance(void **state) {
  (void)state;
  unsigned long seed = 5;
  const limpet_shape_kind kinds[] = {LIMPET_SHAPE_SPHERE,    LIMPET_SHAPE_CAPSULE,
                                     LIMPET_SHAPE_ELLIPSOID, LIMPET_SHAPE_CYLINDER,
                                     LIMPET_SHAPE_BOX,       LIMPET_SHAPE_MESH};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
    for (int pose = 0; pose < POSES; ++pose) {
      const double half[3] = {0.3, 0.2, 0.25};
      limpet_hull *hull = pose % 3 ? test_hull_random(&seed, 6 + 4 * pose, half)
                                   : test_hull_prism(3 + pose, 0.3, 0.1);
      test_shape s;
      double size[3];
      for (int i = 0; i < 3; ++i) size[i] = random_uniform(&seed, pose % 4 == 0 ? 0.02 : 0.15, 0.4);
      test_shape_create(&s, kinds[k], size, hull);
      test_random_rotation(&seed, s.rotation);
      random_point(&seed, s.position, 1.0);
      // the root of the ellipsoid is found to where Newton's steps drown in round-off
      convex_shape_is_right(&s, &seed, kinds[k] == LIMPET_SHAPE_ELLIPSOID ? 1e-11 : 0.0);
      free(hull);
    }
}

static void planes_and_closed_forms(void **state) {
  (void)state;
  test_shape s;
  double phi[3], gradient[9];
  const double size[3] = {0.2, 0.3, 0.4}, x[9] = {0.5, 0.6, 0.7, 0.1, 0.0, 0.0, 0.0, 0.0, -0.9};
  test_shape_create(&s, LIMPET_SHAPE_PLANE, size, NULL);
  s.position[2] = 0.25;
  limpet_signed_distance(&s.shape, x, 3, phi, gradient);
  assert_true(fabs(phi[0] - 0.45) < tolerance && fabs(phi[2] + 1.15) < tolerance &&
              gradient[2] == 1.0 && gradient[0] == 0.0);
  test_shape_create(&s, LIMPET_SHAPE_BOX, size, NULL);
  limpet_signed_distance(&s.shape, x, 3, phi, gradient);
  assert_true(fabs(phi[0] - sqrt(0.27)) < tolerance && fabs(phi[1] + 0.1) < tolerance &&
              fabs(phi[2] - 0.5) < tolerance);
  assert_true(gradient[3] == 1.0 && gradient[8] == -1.0);
  test_shape_create(&s, LIMPET_SHAPE_CYLINDER, size, NULL);
  limpet_signed_distance(&s.shape, x, 3, phi, gradient);
  assert_true(fabs(phi[0] - hypot(hypot(0.5, 0.6) - 0.2, 0.4)) < tolerance &&
              fabs(phi[1] + 0.1) < tolerance);
  test_shape_create(&s, LIMPET_SHAPE_CAPSULE, size, NULL);
  limpet_signed_distance(&s.shape, x, 3, phi, NULL);
  assert_true(fabs(phi[2] - 0.4) < tolerance && fabs(phi[1] + 0.1) < tolerance);
}

static void every_instruction_set_gives_the_same_bits(void **state) {
  (void)state;
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2")) skip();
  unsigned long seed = 9;
  const double size[3] = {0.2, 0.15, 0.3};
  for (limpet_shape_kind kind = LIMPET_SHAPE_PLANE; kind < LIMPET_SHAPE_COUNT; ++kind) {
    assert_true((limpet_distance_baseline.kernel[kind] == NULL) ==
                (limpet_distance_avx2.kernel[kind] == NULL));
    if (!limpet_distance_baseline.kernel[kind]) continue;
    test_shape s;
    double x[3][64], phi[2][64];
    test_shape_create(&s, kind, size, NULL);
    test_random_rotation(&seed, s.rotation);
    random_point(&seed, s.position, 1.0);
    const limpet_distance_view view = limpet_distance_view_create(&s.shape, NULL, NULL);
    for (int i = 0; i < 192; ++i) x[i / 64][i % 64] = random_uniform(&seed, -1.0, 1.0);
    limpet_distance_baseline.kernel[kind](phi[0], &view, x[0], x[1], x[2], 64);
    limpet_distance_avx2.kernel[kind](phi[1], &view, x[0], x[1], x[2], 64);
    assert_memory_equal(phi[0], phi[1], sizeof phi[0]);

    // and a point gets the same bits alone as among others
    for (int i = 0; i < 64; ++i) {
      const double point[3] = {x[0][i], x[1][i], x[2][i]};
      double alone;
      limpet_signed_distance(&s.shape, point, 1, &alone, NULL);
      assert_true(alone == phi[0][i]);
    }
  }
#else
  skip();
#endif
}

// The height over the planes of a hull is phi inside, and never more; the same bits in every table,
// for odd counts too.
static void hulls_are_bounded_from_below(void **state) {
  (void)state;
  unsigned long seed = 12;
  const double half[3] = {0.3, 0.2, 0.25};
  limpet_hull *hull = test_hull_random(&seed, 30, half);
  test_shape s;
  double x[3][64], bound[2][64], phi[64];
  int inside = 0;
  test_shape_create(&s, LIMPET_SHAPE_MESH, NULL, hull);
  test_random_rotation(&seed, s.rotation);
  const limpet_distance_view view = limpet_distance_view_create(&s.shape, NULL, NULL);
  for (int i = 0; i < 192; ++i) x[i / 64][i % 64] = random_uniform(&seed, -0.3, 0.3);
  limpet_distance_block(phi, &view, x[0], x[1], x[2], 64);
  limpet_distance()->hull_bound(bound[0], &view, x[0], x[1], x[2], 64);
  for (int i = 0; i < 64; ++i) {
    limpet_distance_baseline.hull_bound(bound[1], &view, x[0] + i, x[1] + i, x[2] + i, 64 - i);
    assert_memory_equal(bound[0] + i, bound[1], (size_t)(64 - i) * sizeof(double));
    assert_true(bound[0][i] <= phi[i] + tolerance);
    if (phi[i] < 0.0) assert_true(fabs(bound[0][i] - phi[i]) < tolerance), ++inside;
  }
  assert_true(inside > 5 && inside < 60);
  free(hull);
}

// -------------------------------------------------------------------------------- surfaces

static test_mesh mesh;

static void mesh_clear(void) { mesh.vertex_count = mesh.face_count = 0; }

// Distances from the mesh against all triangles, and signs against rays; points near it, around it,
// and on corners.
static void surface_is_right(unsigned long *seed, double reach) {
  static double x[3 * POINTS], phi[POINTS];
  static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, origin[3] = {0, 0, 0};
  limpet_error error = {0};
  limpet_surface *surface =
      limpet_surface_create(mesh.vertices, mesh.vertex_count, mesh.faces, mesh.face_count, &error);
  if (!surface) fail_msg("%s", error.message);
  const limpet_shape shape = {.kind = LIMPET_SHAPE_MESH,
                              .size = origin,
                              .position = origin,
                              .rotation = identity,
                              .surface = surface};
  for (int i = 0; i < POINTS; ++i) {
    random_point(seed, x + 3 * i, i % 3 == 0 ? reach : 1e-2);
    if (i % 3 == 0) continue;
    const double *v = mesh.vertices + 3 * (int)random_uniform(seed, 0.0, mesh.vertex_count);
    limpet_vec3_add(x + 3 * i, x + 3 * i, v);
    if (i % 3 == 1) limpet_vec3_addmul(x + 3 * i, x + 3 * i, random_uniform(seed, -0.1, 0.1), v);
  }
  laws_hold(&shape, x, POINTS, 0.0);
  limpet_signed_distance(&shape, x, POINTS, phi, NULL);
  int inside = 0;
  for (int i = 0; i < POINTS; ++i) {
    const double distance = test_mesh_distance(&mesh, x + 3 * i),
                 winding = limpet_surface_winding(surface, x + 3 * i);
    const bool in = test_mesh_inside(&mesh, seed, x + 3 * i);
    if (!(fabs(fabs(phi[i]) - distance) < tolerance))
      fail_msg("distance %.17g, all triangles %.17g", phi[i], distance);
    if (distance > tolerance && in != (phi[i] < 0.0))
      fail_msg("%.17g has the wrong sign at point %d", phi[i], i);
    if (distance > tolerance) assert_true(fabs(winding - in) < 1e-9);
    inside += in;
  }
  assert_true(inside > POINTS / 80);
  limpet_surface_destroy(surface);
}

static void closed_meshes_have_their_distance(void **state) {
  (void)state;
  unsigned long seed = 31;
  const double centre[3] = {0.1, -0.2, 0.05}, plate[3] = {0.3, 0.2, 0.002},
               cube[3] = {0.1, 0.1, 0.1};
  for (int round = 0; round < 6; ++round) {
    mesh_clear(), test_mesh_star(&mesh, &seed, 4 + round, 0.05 + 0.05 * (round % 4), 0.3);
    surface_is_right(&seed, 0.4);
  }
  mesh_clear(), test_mesh_torus(&mesh, 24, 12, 0.3, 0.1);
  surface_is_right(&seed, 0.5);
  mesh_clear(), test_mesh_box(&mesh, centre, plate);
  surface_is_right(&seed, 0.4);
  mesh_clear(), test_mesh_angle(&mesh, 0.3, 0.004);
  surface_is_right(&seed, 0.4);

  // two parts apart, one surface with a hollow
  const double far[3] = {0.4, 0.0, 0.0}, hollow[3] = {0.06, 0.07, 0.08};
  mesh_clear(), test_mesh_box(&mesh, centre, cube), test_mesh_box(&mesh, far, cube);
  surface_is_right(&seed, 0.5);
  mesh_clear(), test_mesh_box(&mesh, centre, hollow);
  for (int f = 0; f < mesh.face_count; ++f) {
    const int v = mesh.faces[3 * f + 1];
    mesh.faces[3 * f + 1] = mesh.faces[3 * f + 2], mesh.faces[3 * f + 2] = v;
  }
  test_mesh_box(&mesh, centre, cube);
  surface_is_right(&seed, 0.3);
}

// Where the surface touches itself, and next to faces without area, the normals do not know the
// side.
static void touching_and_flat_parts_have_the_right_sign(void **state) {
  (void)state;
  unsigned long seed = 77;
  const double half[3] = {0.1, 0.1, 0.1}, a[3] = {-0.1, -0.1, -0.1}, at_corner[3] = {0.1, 0.1, 0.1},
               at_edge[3] = {0.1, 0.1, -0.1};
  mesh_clear(), test_mesh_box(&mesh, a, half), test_mesh_box(&mesh, at_corner, half);
  surface_is_right(&seed, 0.3);
  mesh_clear(), test_mesh_box(&mesh, a, half), test_mesh_box(&mesh, at_edge, half);
  surface_is_right(&seed, 0.3);

  // slim ones leave points outside for which the common edge or tip is nearest
  mesh_clear(), test_mesh_wedge(&mesh, 0.2, -0.01, 0.02), test_mesh_wedge(&mesh, 0.2, 0.05, 0.12);
  surface_is_right(&seed, 0.2);
  mesh_clear(), test_mesh_spike(&mesh, 0.2, 0.02, 0.0), test_mesh_spike(&mesh, 0.1, 0.04, 0.08);
  surface_is_right(&seed, 0.1);

  // the sharp edge of a wedge, cut in its middle on one side: the sliver between has no area
  mesh_clear(), test_mesh_wedge(&mesh, 0.2, -0.01, 0.02);
  int *last = mesh.faces + 3 * (mesh.face_count - 1);
  const int p = last[0], q = last[1], r = last[2], m = mesh.vertex_count++;
  for (int i = 0; i < 3; ++i)
    mesh.vertices[3 * m + i] = 0.5 * (mesh.vertices[3 * q + i] + mesh.vertices[3 * r + i]);
  last[2] = m;
  const int more[6] = {p, m, r, q, r, m};
  memcpy(last + 3, more, sizeof more);
  mesh.face_count += 2;
  for (int round = 0; round < mesh.face_count;
       ++round) {  // whichever face at the edge is found first
    surface_is_right(&seed, 0.2);
    int spare[3];
    memcpy(spare, mesh.faces, sizeof spare);
    memmove(mesh.faces, mesh.faces + 3, 3 * (size_t)(mesh.face_count - 1) * sizeof(int));
    memcpy(mesh.faces + 3 * (mesh.face_count - 1), spare, sizeof spare);
  }
}

// The sampled distance of a ball of radius 0.25 m against its bounds; halving the spacing quarters
// the error where it is smooth.
static void grids_keep_their_error(void **state) {
  (void)state;
  unsigned long seed = 17;
  static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, origin[3] = {0, 0, 0};
  limpet_error error = {0};
  mesh_clear(), test_mesh_star(&mesh, &seed, 40, 0.25, 0.25);
  limpet_surface *surface =
      limpet_surface_create(mesh.vertices, mesh.vertex_count, mesh.faces, mesh.face_count, &error);
  assert_non_null(surface);
  limpet_shape shape = {.kind = LIMPET_SHAPE_MESH,
                        .size = origin,
                        .position = origin,
                        .rotation = identity,
                        .surface = surface};
  double worst[2] = {0.0, 0.0};
  for (int n = 0; n < 2; ++n) {
    const double h = n ? 0.01 : 0.02, margin = 0.05;
    limpet_distance_grid *grid = limpet_distance_grid_create(&shape, h, margin, &error);
    if (!grid) fail_msg("%s", error.message);
    assert_true(fabs(limpet_distance_grid_error(grid) - 0.5 * sqrt(3.0) * h) < 1e-15);
    limpet_shape sampled = shape;
    sampled.grid = grid;
    for (int i = 0; i < 4000; ++i) {
      double x[3], exact, ours, g[3], g_exact[3];
      random_point(&seed, x, i % 4 ? 0.29 : 0.5);
      limpet_signed_distance(&shape, x, 1, &exact, g_exact);
      limpet_signed_distance(&sampled, x, 1, &ours, g);
      assert_true(fabs(limpet_vec3_norm(g) - 1.0) < tolerance);
      const double off = fabs(ours - exact), radius = limpet_vec3_norm(x);
      assert_true(off <= limpet_distance_grid_error(grid));
      if (fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2]))) > 0.25 + margin + h)
        assert_true(off == 0.0);
      if (radius < 0.2 || radius > 0.28) continue;
      // a cell away the radius is smaller by h; the ball's facets add their own depth, r (1 -
      // cos(pi/80)) = 0.2 mm
      assert_true(off <= h * h / (4.0 * (radius - 2.0 * h)) + 4e-4);
      assert_true(limpet_vec3_dot(g, g_exact) > cos(2.0 * h / radius + 0.05));
      worst[n] = fmax(worst[n], off);
    }
    const double node[3] = {grid->low[0] + 7 * h, grid->low[1] + 9 * h, grid->low[2] + 5 * h};
    double exact, ours;
    limpet_signed_distance(&shape, node, 1, &exact, NULL),
        limpet_signed_distance(&sampled, node, 1, &ours, NULL);
    assert_true(fabs(exact - ours) < tolerance);
    limpet_distance_grid_destroy(grid);
  }
  assert_true(worst[1] < 0.5 * worst[0] && worst[0] > 1e-4);
  assert_null(limpet_distance_grid_create(&shape, 1e-5, 0.0, &error));
  assert_non_null(strstr(error.message, "widen it"));
  assert_null(limpet_distance_grid_create(&shape, 0.0, 0.0, &error));
  limpet_surface_destroy(surface);
}

static void open_meshes_are_refused(void **state) {
  (void)state;
  const double origin[3] = {0, 0, 0}, half[3] = {0.1, 0.1, 0.1};
  limpet_error error;
  mesh_clear(), test_mesh_box(&mesh, origin, half);
  assert_null(limpet_surface_create(mesh.vertices, mesh.vertex_count, mesh.faces,
                                    mesh.face_count - 1, &error));
  assert_non_null(strstr(error.message, "open at 3 edges"));
  assert_null(limpet_surface_create(mesh.vertices, mesh.vertex_count, mesh.faces,
                                    mesh.face_count - 2, &error));
  assert_non_null(strstr(error.message, "open at 4 edges"));

  // one face the wrong way, all of them
  int v = mesh.faces[1];
  mesh.faces[1] = mesh.faces[2], mesh.faces[2] = v;
  assert_null(
      limpet_surface_create(mesh.vertices, mesh.vertex_count, mesh.faces, mesh.face_count, &error));
  assert_non_null(strstr(error.message, "open at 3 edges"));
  for (int f = 1; f < mesh.face_count; ++f) {
    v = mesh.faces[3 * f + 1];
    mesh.faces[3 * f + 1] = mesh.faces[3 * f + 2], mesh.faces[3 * f + 2] = v;
  }
  assert_null(
      limpet_surface_create(mesh.vertices, mesh.vertex_count, mesh.faces, mesh.face_count, &error));
  assert_non_null(strstr(error.message, "inwards"));

  mesh.faces[5] = 8;
  assert_null(
      limpet_surface_create(mesh.vertices, mesh.vertex_count, mesh.faces, mesh.face_count, &error));
  assert_non_null(strstr(error.message, "names vertex 8"));
  mesh.faces[5] = 0, mesh.vertices[4] = NAN;
  assert_null(
      limpet_surface_create(mesh.vertices, mesh.vertex_count, mesh.faces, mesh.face_count, &error));
  assert_non_null(strstr(error.message, "vertex 1 of the surface is NaN"));
}

// Meshes of real robots: refused with the number of open edges, or the sign is that of the winding
// number.
static void meshes_of_robots(void **state) {
  (void)state;
  if (!shared_exists("models/menagerie")) skip();
  unsigned long seed = 3;
  file_list files = file_list_find(shared_path("models/menagerie"), ".stl");
  int closed = 0, open = 0, wrong = 0, asked = 0;
  for (int i = 0; i < files.count; i += 3) {
    limpet_mesh_file file;
    limpet_error error = {0};
    if (limpet_mesh_file_read(&file, files.path[i], &error) != LIMPET_OK) continue;
    limpet_surface *surface = limpet_surface_create(file.vertices, file.vertex_count, file.faces,
                                                    file.face_count, &error);
    open += !surface;
    closed += surface != NULL;
    if (!surface && !strstr(error.message, "open at") && !strstr(error.message, "inwards"))
      fail_msg("%s", error.message);
    for (int k = 0; k < 40 && surface && file.face_count < 50000; ++k) {
      double c[3], g[3];
      const double *v = file.vertices + 3 * (int)random_uniform(&seed, 0.0, file.vertex_count);
      for (int j = 0; j < 3; ++j) c[j] = v[j] * random_uniform(&seed, 0.7, 1.2);
      const double phi = limpet_surface_distance(g, surface, c),
                   winding = limpet_surface_winding(surface, c);
      if (!(fabs(phi) > 1e-9)) continue;  // on the surface both are right
      wrong += (phi < 0.0) != (winding > 0.5);
      ++asked;
    }
    limpet_surface_destroy(surface);
    limpet_mesh_file_free(&file);
  }
  file_list_free(&files);
  printf("meshes of robots: %d closed, %d refused; %d of %d signs differ from the winding number\n",
         closed, open, wrong, asked);
  assert_true(closed > 0 && open > 0 && wrong == 0 && asked > 300);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(convex_shapes_have_their_distance),
      cmocka_unit_test(planes_and_closed_forms),
      cmocka_unit_test(every_instruction_set_gives_the_same_bits),
      cmocka_unit_test(hulls_are_bounded_from_below),
      cmocka_unit_test(closed_meshes_have_their_distance),
      cmocka_unit_test(touching_and_flat_parts_have_the_right_sign),
      cmocka_unit_test(grids_keep_their_error),
      cmocka_unit_test(open_meshes_are_refused),
      cmocka_unit_test(meshes_of_robots),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

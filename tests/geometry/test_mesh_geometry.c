/* tests/geometry/test_mesh_geometry.c: mass properties, inertial frames, hulls and fitted
 * primitives of meshes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/mesh_geometry.h"
#include "math/quaternion.h"
#include "shared_data.h"

static const double cube_vertices[24] = {-1, -1, -1, 1, -1, -1, 1, 1, -1, -1, 1, -1,
                                         -1, -1, 1,  1, -1, 1,  1, 1, 1,  -1, 1, 1};
static const int cube_faces[36] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                   1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7};

static limpet_mesh_input input_of(int vertex_count, const double *vertices, int face_count,
                                  const int *faces) {
  return (limpet_mesh_input){.name = "m",
                             .vertex_count = vertex_count,
                             .face_count = face_count,
                             .vertices = vertices,
                             .faces = faces,
                             .scale = {1, 1, 1},
                             .reference_quaternion = {1, 0, 0, 0},
                             .inertia = LIMPET_MESH_INERTIA_EXACT,
                             .hull_vertex_limit = -1,
                             .want_hull = true};
}

static void process(limpet_mesh *mesh, void **storage, const limpet_mesh_input *input) {
  limpet_error error = {0};
  const limpet_status status = limpet_mesh_process(mesh, storage, input, &error);
  if (status != LIMPET_OK) printf("%s\n", error.message);
  assert_int_equal(status, LIMPET_OK);
}

static void random_points(double *points, int count, unsigned long *seed, const double size[3]) {
  for (int i = 0; i < 3 * count; ++i) points[i] = size[i % 3] * random_uniform(seed, -1.0, 1.0);
}

// A closed surface: every edge joins two faces, Euler's formula, planar convex faces with outward
// planes, links among vertices.
static void hull_check(const limpet_hull *hull, const double *points, int count, double tolerance) {
  assert_int_equal(hull->vertex_count - hull->edge_count + hull->face_count, 2);
  for (int f = 0; f < hull->face_count; ++f) {
    const double *plane = hull->face_plane + 4 * f;
    assert_true(fabs(limpet_vec3_norm(plane) - 1.0) < 1e-12);
    assert_true(limpet_vec3_dot(plane, hull->centre) < plane[3]);
    for (int i = 0; i < count; ++i)
      assert_true(limpet_vec3_dot(plane, points + 3 * i) <= plane[3] + tolerance);
    const int begin = hull->face_begin[f], n = hull->face_begin[f + 1] - begin;
    assert_true(n >= 3);
    for (int i = 0; i < n; ++i) {
      const double *a = hull->vertices + 3 * hull->face_vertex[begin + i];
      const double *b = hull->vertices + 3 * hull->face_vertex[begin + (i + 1) % n];
      const double *c = hull->vertices + 3 * hull->face_vertex[begin + (i + 2) % n];
      assert_true(fabs(limpet_vec3_dot(plane, a) - plane[3]) <= tolerance);

      // counter-clockwise: every corner turns left
      double u[3], v[3], turn[3];
      limpet_vec3_sub(u, b, a);
      limpet_vec3_sub(v, c, b);
      limpet_vec3_cross(turn, u, v);
      assert_true(limpet_vec3_dot(turn, plane) > 0.0);
    }
  }
  for (int e = 0; e < hull->edge_count; ++e) {
    const int *edge = hull->edge + 4 * e;
    assert_true(edge[0] < edge[1] && edge[2] != edge[3]);
    bool linked = false;
    for (int i = hull->neighbour_begin[edge[0]]; i < hull->neighbour_begin[edge[0] + 1]; ++i)
      linked |= hull->neighbour[i] == edge[1];
    assert_true(linked);

    // the left face goes from a to b, the right one from b to a
    for (int side = 0; side < 2; ++side) {
      const int f = edge[2 + side], n = hull->face_begin[f + 1] - hull->face_begin[f];
      const int *corner = hull->face_vertex + hull->face_begin[f];
      bool found = false;
      for (int i = 0; i < n; ++i)
        found |= corner[i] == edge[side] && corner[(i + 1) % n] == edge[1 - side];
      assert_true(found);
    }
  }
  // as many as edges, and those inside faces
  assert_true(hull->neighbour_begin[hull->vertex_count] >= 2 * hull->edge_count);
  const int padded = (hull->vertex_count + 3) / 4 * 4;
  for (int i = 0; i < padded; ++i)
    for (int k = 0; k < 3; ++k)
      assert_true(hull->vertices_soa[k * padded + i] ==
                  hull->vertices[3 * (i < hull->vertex_count ? i : 0) + k]);
}

static void cube_has_the_properties_of_a_cube(void **state) {
  (void)state;
  for (int kind = 0; kind < 4; ++kind) {
    limpet_mesh_input input = input_of(8, cube_vertices, 12, cube_faces);
    input.inertia = (limpet_mesh_inertia)kind;
    limpet_vec3_set(input.scale, 0.1, 0.2, 0.3);
    limpet_mesh mesh;
    void *storage;
    process(&mesh, &storage, &input);

    // eight corners and six faces of four corners; x and z change places, because the moments are
    // sorted descending
    assert_int_equal(mesh.hull->vertex_count, 8);
    assert_int_equal(mesh.hull->face_count, 6);
    hull_check(mesh.hull, mesh.vertices, mesh.vertex_count, 1e-14);
    const double size[3] = {0.1, 0.2, 0.3};
    double volume, inertia[3], expected_volume, expected[3];
    limpet_shape_mass(&volume, inertia, LIMPET_SHAPE_MESH, NULL, &mesh, false);
    limpet_shape_mass(&expected_volume, expected, LIMPET_SHAPE_BOX, size, NULL,
                      kind == LIMPET_MESH_INERTIA_SHELL);
    assert_true(arrays_agree("volume", &volume, &expected_volume, 1, 1e-14));
    assert_true(arrays_agree("inertia", inertia, expected, 3, 1e-14));
    assert_true(arrays_agree("half lengths", mesh.aabb + 3, size, 3, 1e-14));
    free(storage);
  }
}

/* The tetrahedron of the unit axes: volume 1/6, centre of mass (1/4, 1/4, 1/4), and by symmetry
 * about (1, 1, 1) the moments 1/80 + 1/480 (twice) and 1/80 - 1/240 = 1/120: integrals of x^2 =
 * 1/60, x y = 1/120 about the corner, minus m c c'. */
static void tetrahedron_has_its_closed_form(void **state) {
  (void)state;
  const double vertices[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const int faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  const limpet_mesh_input input = input_of(4, vertices, 4, faces);
  limpet_mesh mesh;
  void *storage;
  process(&mesh, &storage, &input);
  const double com[3] = {0.25, 0.25, 0.25}, second = 1.0 / 60.0 - 1.0 / 96.0,
               mixed = 1.0 / 120.0 - 1.0 / 96.0;
  const double moments[3] = {2.0 * second - mixed + 2.0 * mixed, 2.0 * second + mixed,
                             2.0 * second - 2.0 * mixed};
  double volume, inertia[3];
  limpet_shape_mass(&volume, inertia, LIMPET_SHAPE_MESH, NULL, &mesh, false);
  assert_true(fabs(volume - 1.0 / 6.0) < 1e-15);
  assert_true(arrays_agree("centre of mass", mesh.position, com, 3, 1e-15));
  const double ordered[3] = {fmax(moments[2], moments[0]),
                             fmax(fmin(moments[2], moments[0]), moments[1]),
                             fmin(moments[2], moments[0])};
  assert_true(arrays_agree("moments", inertia, ordered, 3, 1e-14));
  free(storage);
}

/* Latitude-longitude sphere of n rings: its volume and moments approach those of the ball with h^2,
 * h = pi/n. The moments of an inscribed polyhedron are smaller by about 2 to 3 h^2. */
static void sphere_mesh_approaches_the_ball(void **state) {
  (void)state;
  double last = INFINITY;
  for (int n = 8; n <= 32; n *= 2) {
    const int count = (n - 1) * 2 * n + 2;
    double *points = malloc(3 * (size_t)count * sizeof *points);
    int at = 0;
    for (int i = 1; i < n; ++i)
      for (int k = 0; k < 2 * n; ++k, at += 3)
        limpet_vec3_set(points + at, sin(LIMPET_PI * i / n) * cos(LIMPET_PI * k / n),
                        sin(LIMPET_PI * i / n) * sin(LIMPET_PI * k / n), cos(LIMPET_PI * i / n));
    limpet_vec3_set(points + at, 0, 0, 1);
    limpet_vec3_set(points + at + 3, 0, 0, -1);
    const limpet_mesh_input input =
        input_of(count, points, 0, NULL);  // without faces: those of the hull
    limpet_mesh mesh;
    void *storage;
    process(&mesh, &storage, &input);
    assert_int_equal(mesh.hull->vertex_count, count);
    assert_int_equal(mesh.hull->face_count, n * 2 * n);
    const double radius[3] = {1.0, 0.0, 0.0};
    double volume, inertia[3], ball, ball_inertia[3];
    limpet_shape_mass(&volume, inertia, LIMPET_SHAPE_MESH, NULL, &mesh, false);
    limpet_shape_mass(&ball, ball_inertia, LIMPET_SHAPE_SPHERE, radius, NULL, false);
    const double deficit = 1.0 - inertia[0] / ball_inertia[0];
    assert_true(deficit > 0.0 && deficit < 0.3 * last);
    last = deficit;
    free(storage), free(points);
  }
  assert_true(last < 3.0 * (LIMPET_PI / 32) * (LIMPET_PI / 32));
}

// Volume, moments and, in the world, the centre of mass of a random hull do not depend on the frame
// its points are written in.
static void properties_do_not_depend_on_the_frame(void **state) {
  (void)state;
  unsigned long seed = 5;
  for (int round = 0; round < 50; ++round) {
    double points[90], moved[90], axis[3], q[4], offset[3];
    const double size[3] = {0.05, 0.1, 0.2};
    random_points(points, 30, &seed, size);
    for (int k = 0; k < 3; ++k)
      axis[k] = random_uniform(&seed, -1, 1), offset[k] = random_uniform(&seed, -1, 1);
    limpet_vec3_normalize(axis);
    limpet_quaternion_from_axis_angle(q, axis, random_uniform(&seed, 0, 6));
    for (int i = 0; i < 30; ++i) {
      limpet_quaternion_rotate(moved + 3 * i, q, points + 3 * i);
      limpet_vec3_add(moved + 3 * i, moved + 3 * i, offset);
    }
    limpet_mesh_input input = input_of(30, points, 0, NULL);
    limpet_mesh a, b, c;
    void *storage[3];
    process(&a, &storage[0], &input);
    input.vertices = moved;
    process(&b, &storage[1], &input);

    // the reference pose takes the moved points back
    limpet_vec3_copy(input.reference_position, offset);
    limpet_quaternion_copy(input.reference_quaternion, q);
    process(&c, &storage[2], &input);
    double com[3];
    limpet_quaternion_rotate(com, q, a.position);
    limpet_vec3_add(com, com, offset);
    assert_true(fabs(a.volume - b.volume) < 1e-12 * a.volume &&
                fabs(a.volume - c.volume) < 1e-12 * a.volume);
    assert_true(arrays_agree("box", b.box, a.box, 3, 1e-12));
    assert_true(arrays_agree("centre", b.position, com, 3, 1e-12));
    assert_true(arrays_agree("reference pose", c.vertices, a.vertices, 90, 1e-10));
    for (int i = 0; i < 3; ++i) free(storage[i]);
  }
}

static void mirrored_scale_keeps_faces_outward(void **state) {
  (void)state;
  limpet_mesh_input input = input_of(8, cube_vertices, 12, cube_faces);
  limpet_vec3_set(input.scale, -0.1, 0.2, 0.3);
  limpet_mesh mesh;
  void *storage;
  process(&mesh, &storage, &input);  // an inside-out surface would be refused
  assert_true(fabs(mesh.volume - 8 * 0.006) < 1e-15);
  hull_check(mesh.hull, mesh.vertices, 8, 1e-14);
  free(storage);
}

static void inertial_frame_is_central_and_principal(void **state) {
  (void)state;
  unsigned long seed = 11;
  for (int round = 0; round < 20; ++round) {
    double points[60];
    const double size[3] = {0.3, 0.2, 0.1};
    random_points(points, 20, &seed, size);
    const limpet_mesh_input input = input_of(20, points, 0, NULL);
    limpet_mesh mesh, again;
    void *storage[2];
    process(&mesh, &storage[0], &input);
    assert_true(mesh.box[0] <= mesh.box[1] && mesh.box[1] <= mesh.box[2]);

    // processing the processed mesh changes nothing
    const limpet_mesh_input second = input_of(20, mesh.vertices, mesh.face_count, mesh.faces);
    process(&again, &storage[1], &second);
    const double zero[3] = {0}, identity[3] = {0};
    assert_true(arrays_agree("position", again.position, zero, 3, 1e-13));
    assert_true(arrays_agree("rotation", again.quaternion + 1, identity, 3, 1e-10));
    assert_true(arrays_agree("box", again.box, mesh.box, 3, 1e-12));

    // the stored pose takes the vertices back to the file's
    double back[60];
    for (int i = 0; i < 20; ++i) {
      limpet_quaternion_rotate(back + 3 * i, mesh.quaternion, mesh.vertices + 3 * i);
      limpet_vec3_add(back + 3 * i, back + 3 * i, mesh.position);
    }
    assert_true(arrays_agree("vertices", back, points, 60, 1e-13));
    free(storage[0]), free(storage[1]);
  }
}

static void hulls_of_random_points_are_closed_and_contain_them(void **state) {
  (void)state;
  unsigned long seed = 3;
  for (int round = 0; round < 200; ++round) {
    double points[300];
    const int count = 4 + round % 97;
    const double size[3] = {0.1, 0.2, 0.05};
    random_points(points, count, &seed, size);
    limpet_error error = {0};
    limpet_hull *hull = limpet_hull_create(points, count, -1, &error);
    assert_non_null(hull);
    hull_check(hull, points, count,
               3e-7);  // coplanar facets merge within 1e-6 of the radius, 0.23 m
    free(hull);
  }
}

/* A box whose faces carry a grid of points in single precision: flat to 1e-8 m only. One face for
 * each side, and nothing but the corners. */
static void flat_faces_become_one_polygon(void **state) {
  (void)state;
  double points[3 * 6 * 25], q[4] = {0.3, -0.5, 0.7, 0.2};
  limpet_quaternion_normalize(q);
  int count = 0;
  for (int axis = 0; axis < 3; ++axis)
    for (int side = -1; side <= 1; side += 2)
      for (int i = -2; i <= 2; ++i)
        for (int k = -2; k <= 2; ++k) {
          double p[3];
          p[axis] = 0.1 * side, p[(axis + 1) % 3] = 0.05 * i, p[(axis + 2) % 3] = 0.05 * k;
          limpet_quaternion_rotate(points + 3 * count, q, p);
          ++count;
        }
  for (int i = 0; i < 3 * count; ++i) points[i] = (double)(float)points[i];
  limpet_error error = {0};
  limpet_hull *hull = limpet_hull_create(points, count, -1, &error);
  assert_non_null(hull);
  assert_int_equal(hull->vertex_count, 8);
  assert_int_equal(hull->face_count, 6);
  hull_check(hull, points, count, 1e-7);
  free(hull);
}

static void vertex_limit_is_kept(void **state) {
  (void)state;
  unsigned long seed = 9;
  double points[3 * 500];
  for (int i = 0; i < 500; ++i) {
    for (int k = 0; k < 3; ++k) points[3 * i + k] = random_uniform(&seed, -1, 1);
    limpet_vec3_normalize(points + 3 * i);
  }
  limpet_error error = {0};
  limpet_hull *hull = limpet_hull_create(points, 500, 32, &error);
  assert_non_null(hull);
  assert_true(hull->vertex_count <= 32 && hull->vertex_count >= 16);
  hull_check(hull, hull->vertices, hull->vertex_count, 1e-6);
  free(hull);
}

// Shells against the growth of the solid by a thin layer, solids of revolution against sums over
// slices.
static void shape_masses_agree_with_quadrature(void **state) {
  (void)state;
  const double size[3] = {0.1, 0.2, 0.35}, step = 1e-5;
  const limpet_shape_kind kinds[] = {LIMPET_SHAPE_SPHERE, LIMPET_SHAPE_BOX, LIMPET_SHAPE_CYLINDER,
                                     LIMPET_SHAPE_CAPSULE};
  for (int i = 0; i < 4; ++i) {
    /* growing a solid by a thin layer adds the shell times its thickness: central difference, error
     * of order step^2 (capsule: radius only) */
    double low_size[3], high_size[3], low[4], high[4], shell[4], difference[4];
    for (int k = 0; k < 3; ++k) low_size[k] = size[k] - step, high_size[k] = size[k] + step;
    if (kinds[i] == LIMPET_SHAPE_CAPSULE) low_size[1] = high_size[1] = size[1];
    limpet_shape_mass(&low[0], low + 1, kinds[i], low_size, NULL, false);
    limpet_shape_mass(&high[0], high + 1, kinds[i], high_size, NULL, false);
    limpet_shape_mass(&shell[0], shell + 1, kinds[i], size, NULL, true);
    for (int k = 0; k < 4; ++k) difference[k] = (high[k] - low[k]) / (2 * step);
    assert_true(arrays_agree("shell", difference, shell, 4, 1e-8));
  }

  // solids of revolution by the midpoint rule over slices: error of order 1/slices^2
  for (int i = 2; i < 4; ++i) {
    double volume, inertia[3], sum[3] = {0};
    limpet_shape_mass(&volume, inertia, kinds[i], size, NULL, false);
    const double top = kinds[i] == LIMPET_SHAPE_CAPSULE ? size[1] + size[0] : size[1];
    const int slices = 20000;
    for (int k = 0; k < slices; ++k) {
      const double z = -top + 2 * top * (k + 0.5) / slices, beyond = fmax(fabs(z) - size[1], 0.0);
      const double area = LIMPET_PI * (size[0] * size[0] - beyond * beyond),
                   slice = 2 * top / slices * area;
      sum[0] += slice;
      sum[1] += slice * (area / LIMPET_PI / 4 + z * z);
      sum[2] += slice * area / LIMPET_PI / 2;
    }
    const double closed[3] = {volume, inertia[0], inertia[2]};
    for (int k = 0; k < 3; ++k) assert_true(fabs(sum[k] - closed[k]) < 1e-7 * closed[k]);
  }

  // ellipsoid: a sphere's when all axes are equal, for its shell up to the thickness 1e-6 m of the
  // layer
  const double round_size[3] = {0.2, 0.2, 0.2};
  for (int shell = 0; shell < 2; ++shell) {
    double a[4], b[4];
    limpet_shape_mass(&a[0], a + 1, LIMPET_SHAPE_ELLIPSOID, round_size, NULL, shell);
    limpet_shape_mass(&b[0], b + 1, LIMPET_SHAPE_SPHERE, round_size, NULL, shell);
    for (int k = 0; k < 4; ++k) assert_true(fabs(a[k] - b[k]) < (shell ? 2e-5 : 1e-14) * b[k]);
  }
}

static void fitted_primitives_follow_the_rules(void **state) {
  (void)state;
  const limpet_mesh mesh = {.box = {0.1, 0.2, 0.5}, .aabb = {0.01, 0.02, 0.03, 0.15, 0.25, 0.6}};
  const struct {
    limpet_shape_kind kind;
    bool aabb;
    double size[3];
  } rule[] = {{LIMPET_SHAPE_SPHERE, false, {0.8 / 3, 0, 0}},
              {LIMPET_SHAPE_SPHERE, true, {0.6, 0, 0}},
              {LIMPET_SHAPE_CAPSULE, false, {0.15, 0.425, 0}},
              {LIMPET_SHAPE_CAPSULE, true, {0.25, 0.35, 0}},
              {LIMPET_SHAPE_CYLINDER, false, {0.15, 0.5, 0}},
              {LIMPET_SHAPE_CYLINDER, true, {0.25, 0.6, 0}},
              {LIMPET_SHAPE_BOX, false, {0.1, 0.2, 0.5}},
              {LIMPET_SHAPE_BOX, true, {0.15, 0.25, 0.6}},
              {LIMPET_SHAPE_ELLIPSOID, false, {0.1, 0.2, 0.5}}};
  for (size_t i = 0; i < sizeof rule / sizeof *rule; ++i) {
    double size[3], position[3], quaternion[4];
    const double none[3] = {0};
    limpet_shape_fit(size, position, quaternion, rule[i].kind, &mesh, rule[i].aabb);
    assert_true(arrays_agree("size", size, rule[i].size, 3, 1e-15));
    assert_true(arrays_agree("position", position, rule[i].aabb ? mesh.aabb : none, 3, 1e-15));
  }
}

static void bad_meshes_are_refused_with_a_reason(void **state) {
  (void)state;
  limpet_mesh mesh;
  void *storage;
  limpet_error error;
  const double flat[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
  const int flat_faces[6] = {0, 1, 2, 1, 3, 2};
  double not_a_number[24];
  memcpy(not_a_number, cube_vertices, sizeof not_a_number);
  not_a_number[5] = NAN;
  int inward[36], beyond[36];
  memcpy(beyond, cube_faces, sizeof beyond);
  beyond[7] = 8;
  for (int i = 0; i < 36; ++i) inward[i] = cube_faces[35 - i];

  limpet_mesh_input input[7];
  input[0] = input_of(4, flat, 2, flat_faces);  // no volume
  input[1] = input_of(4, flat, 0, NULL);        // no hull
  input[2] = input_of(8, not_a_number, 12, cube_faces);
  input[3] = input_of(8, cube_vertices, 10, cube_faces);  // open
  input[4] = input_of(8, cube_vertices, 12, beyond);
  input[5] = input_of(8, cube_vertices, 12, inward);
  input[6] = input_of(8, cube_vertices, 12, cube_faces);
  input[6].scale[1] = 0.0;
  const char *word[7] = {"volume", "hull", "NaN", "open", "does not exist", "inwards", "scale"};
  input[0].inertia = LIMPET_MESH_INERTIA_LEGACY;
  for (int i = 0; i < 7; ++i) {
    memset(&error, 0, sizeof error);
    assert_int_equal(limpet_mesh_process(&mesh, &storage, &input[i], &error), LIMPET_ERROR_INPUT);
    if (!strstr(error.message, word[i])) print_message("case %d: %s\n", i, error.message);
    assert_non_null(strstr(error.message, word[i]));
    assert_non_null(strstr(error.message, "mesh 'm'"));
    assert_null(storage);
  }

  // the same open and inward surfaces have a legacy inertia; a flat one has a shell's
  input[3].inertia = input[5].inertia = LIMPET_MESH_INERTIA_LEGACY;
  input[0].inertia = LIMPET_MESH_INERTIA_SHELL;
  input[0].want_hull = false;
  const int good[3] = {0, 3, 5};
  for (int i = 0; i < 3; ++i) {
    process(&mesh, &storage, &input[good[i]]);
    free(storage);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cube_has_the_properties_of_a_cube),
      cmocka_unit_test(tetrahedron_has_its_closed_form),
      cmocka_unit_test(sphere_mesh_approaches_the_ball),
      cmocka_unit_test(properties_do_not_depend_on_the_frame),
      cmocka_unit_test(mirrored_scale_keeps_faces_outward),
      cmocka_unit_test(inertial_frame_is_central_and_principal),
      cmocka_unit_test(hulls_of_random_points_are_closed_and_contain_them),
      cmocka_unit_test(flat_faces_become_one_polygon),
      cmocka_unit_test(vertex_limit_is_kept),
      cmocka_unit_test(shape_masses_agree_with_quadrature),
      cmocka_unit_test(fitted_primitives_follow_the_rules),
      cmocka_unit_test(bad_meshes_are_refused_with_a_reason),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

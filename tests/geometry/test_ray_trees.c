/* tests/geometry/test_ray_trees.c: rays find by trees what they find by looking at every face and
 * every point, to the bit.
 *
 * Meshes: bumpy balls, flat sheets, heights, loose triangles with flat, doubled and needle-like
 * ones, at sizes from 1e-6 m to 1e6 m, near and far from their origin, in random poses. Rays: from
 * anywhere, from inside, at vertices, edges and faces, along faces and edges and axes, from points
 * of the surface, from 1e4 sizes away. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/item_tree.h"
#include "geometry/ray.h"
#include "limpet/distance.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "model/height_field.h"

enum { FACE_LIMIT = 2 * 26 * 26, VERTEX_LIMIT = 3 * FACE_LIMIT };

static unsigned long seed = 11;

static double uniform(double low, double high) {
  seed = seed * 6364136223846793005ul + 1442695040888963407ul;
  return low + (high - low) * (double)(seed >> 11 & 0x1fffffffffffff) / 9007199254740992.0;
}

static int below(int count) { return (int)uniform(0.0, count); }

static void random_vector(double v[3], double size) {
  for (int i = 0; i < 3; ++i) v[i] = uniform(-size, size);
}

static void random_direction(double d[3]) {
  do random_vector(d, 1.0);
  while (limpet_vec3_norm(d) < 0.1);
  limpet_vec3_normalize(d);
}

// ------------------------------------------------------------------------------------- meshes

typedef struct made_mesh {
  limpet_mesh mesh;
  double vertices[3 * VERTEX_LIMIT], size;
  int faces[3 * FACE_LIMIT];
} made_mesh;

// n x n cells on the unit square, two triangles each.
static void make_grid(made_mesh *made, int n) {
  made->mesh.vertex_count = (n + 1) * (n + 1), made->mesh.face_count = 2 * n * n;
  for (int r = 0; r <= n; ++r)
    for (int c = 0; c <= n; ++c)
      limpet_vec3_set(made->vertices + 3 * (r * (n + 1) + c), 2.0 * c / n - 1.0, 2.0 * r / n - 1.0,
                      0.0);
  int *face = made->faces;
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c, face += 6) {
      const int i = r * (n + 1) + c, j = i + n + 1;
      const int corners[6] = {i, i + 1, j, i + 1, j + 1, j};
      for (int k = 0; k < 6; ++k) face[k] = corners[k];
    }
}

static void make_heights(made_mesh *made) {
  make_grid(made, 2 + below(22));
  for (int v = 0; v < made->mesh.vertex_count; ++v)
    made->vertices[3 * v + 2] = uniform(0.0, 0.2) * (below(3) > 0);
}

// The grid rolled up to a ball with bumps; the poles are triangles without area.
static void make_ball(made_mesh *made) {
  const double bumps = uniform(0.0, 0.3);
  make_grid(made, 4 + below(20));
  for (int v = 0; v < made->mesh.vertex_count; ++v) {
    double *x = made->vertices + 3 * v;
    const double turn = LIMPET_PI * x[0], up = 0.5 * LIMPET_PI * x[1];
    const double r = 1.0 + bumps * sin(3.0 * turn) * cos(up);
    limpet_vec3_set(x, r * cos(up) * cos(turn), r * cos(up) * sin(turn), r * sin(up));
  }
}

static void make_loose(made_mesh *made) {
  const int faces = 1 + below(200);
  made->mesh.vertex_count = 3 * faces, made->mesh.face_count = faces;
  for (int f = 0; f < faces; ++f) {
    double *v = made->vertices + 9 * f, middle[3];
    const double size = pow(10.0, uniform(-3.0, 0.0));
    const int kind = below(8);
    random_vector(middle, 1.0);
    for (int k = 0; k < 3; ++k) {
      random_vector(v + 3 * k, size);
      limpet_vec3_add(v + 3 * k, v + 3 * k, middle);
      made->faces[3 * f + k] = 3 * f + k;
    }
    if (kind == 0) limpet_vec3_copy(v + 6, v + 3);  // two corners in one place
    if (kind == 1)
      for (int i = 0; i < 3; ++i) v[6 + i] = 0.25 * v[i] + 0.75 * v[3 + i];  // on a line
    if (kind == 2) limpet_vec3_addmul(v + 6, v, 1e-9, middle);               // a needle
    if (kind == 3 && f > 0)
      for (int k = 0; k < 9; ++k) v[k] = v[k - 9];  // doubled
  }
}

static void make_flat(made_mesh *made) {
  make_grid(made, 1 + below(23));
  if (below(2)) return;
  double turn[3], q[4], R[9], x[3];
  random_vector(turn, 3.0);
  limpet_quaternion_exp(q, turn);
  limpet_quaternion_to_matrix(R, q);
  for (int v = 0; v < made->mesh.vertex_count; ++v) {
    limpet_mat3_mul_vec(x, R, made->vertices + 3 * v);
    limpet_vec3_copy(made->vertices + 3 * v, x);
  }
}

static void make(made_mesh *made) {
  void (*const kinds[])(made_mesh *) = {make_heights, make_ball, make_loose, make_flat};
  made->mesh = (limpet_mesh){.vertices = made->vertices, .faces = made->faces};
  kinds[below(4)](made);
  made->size = pow(10.0, uniform(-6.0, 6.0));
  double away[3], low[3], high[3];
  random_vector(away, below(2) ? 0.0 : 3.0);
  for (int i = 0; i < 3; ++i) low[i] = INFINITY, high[i] = -INFINITY;
  for (int v = 0; v < made->mesh.vertex_count; ++v)
    for (int i = 0; i < 3; ++i) {
      double *x = made->vertices + 3 * v + i;
      *x = made->size * (*x + away[i]);
      low[i] = fmin(low[i], *x), high[i] = fmax(high[i], *x);
    }
  for (int i = 0; i < 3; ++i)
    made->mesh.aabb[i] = 0.5 * (low[i] + high[i]),
    made->mesh.aabb[3 + i] = 0.5 * (high[i] - low[i]);
}

// --------------------------------------------------------------------------------------- rays

typedef struct ray {
  double from[3], direction[3];
} ray;

// A point of a face: in it, on an edge, a corner.
static void point_of_face(double x[3], const made_mesh *made, int face) {
  double weight[3] = {uniform(0.0, 1.0), uniform(0.0, 1.0), uniform(0.0, 1.0)};
  const int kind = below(3), k = below(3);
  if (kind > 0) weight[k] = 0.0;
  if (kind > 1) weight[(k + 1) % 3] = 0.0;
  const double sum = weight[0] + weight[1] + weight[2];
  limpet_vec3_set(x, 0.0, 0.0, 0.0);
  for (int c = 0; c < 3; ++c)
    limpet_vec3_addmul(x, x, weight[c] / sum, made->vertices + 3 * made->faces[3 * face + c]);
}

// In axes of the mesh.
static ray random_ray(const made_mesh *made) {
  ray r;
  const int kind = below(8), face = below(made->mesh.face_count);
  const double far = below(4) ? 3.0 : 1e4;
  double target[3], second[3];
  random_vector(r.from, far * made->size);
  limpet_vec3_add(r.from, r.from, made->mesh.aabb);
  random_direction(r.direction);
  point_of_face(target, made, face), point_of_face(second, made, face);
  if (kind == 0) return r;  // anywhere
  if (kind == 1) {          // inside or near, along an axis
    for (int i = 0; i < 3; ++i) {
      r.from[i] = made->mesh.aabb[i] + made->mesh.aabb[3 + i] * uniform(-1.0, 1.0);
      r.direction[i] = 0.0;
    }
    r.direction[below(3)] = below(2) ? 1.0 : -1.0;
    return r;
  }
  if (kind == 2) {  // from the surface
    limpet_vec3_copy(r.from, target);
    return r;
  }
  if (kind == 3) {  // along a face, from before it
    double along[3];
    limpet_vec3_sub(along, second, target);
    if (limpet_vec3_norm(along) == 0.0) return r;
    limpet_vec3_normalize(along);
    limpet_vec3_copy(r.direction, along);
    limpet_vec3_addmul(r.from, target, -uniform(0.0, 3.0) * made->size, along);
    return r;
  }
  if (kind == 4) {  // down an axis onto the surface
    limpet_vec3_set(r.direction, 0.0, 0.0, 0.0);
    r.direction[below(3)] = below(2) ? 1.0 : -1.0;
    limpet_vec3_addmul(r.from, target, -uniform(0.0, far) * made->size, r.direction);
    return r;
  }
  double along[3];  // at the surface
  limpet_vec3_sub(along, target, r.from);
  if (limpet_vec3_norm(along) == 0.0) return r;
  limpet_vec3_normalize(along);
  limpet_vec3_copy(r.direction, along);
  return r;
}

typedef struct pose {
  double position[3], rotation[9];
} pose;

static pose random_pose(double size) {
  pose at = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  double turn[3], q[4];
  if (below(2)) return at;  // rays hit edges exactly
  random_vector(turn, 3.0);
  limpet_quaternion_exp(q, turn);
  limpet_quaternion_to_matrix(at.rotation, q);
  random_vector(at.position, size);
  return at;
}

static void ray_to_world(ray *r, const pose *at) {
  double x[3];
  limpet_mat3_mul_vec(x, at->rotation, r->from);
  limpet_vec3_add(r->from, x, at->position);
  limpet_mat3_mul_vec(x, at->rotation, r->direction);
  limpet_vec3_copy(r->direction, x);
}

// ---------------------------------------------------------------------------------- yardstick

/* The nearest face by the equation of Moeller and Trumbore alone. `clear`: no face that it finds
 * is nearly parallel to the ray, so that the ranges are those of the faces. */
static double plain_ray(const limpet_mesh *mesh, const pose *at, const ray *r, bool *clear) {
  double offset[3], p[3], d[3], nearest = -1.0;
  limpet_vec3_sub(offset, r->from, at->position);
  limpet_mat3_tmul_vec(p, at->rotation, offset);
  limpet_mat3_tmul_vec(d, at->rotation, r->direction);
  *clear = true;
  for (int f = 0; f < mesh->face_count; ++f) {
    const double *a = mesh->vertices + 3 * mesh->faces[3 * f],
                 *b = mesh->vertices + 3 * mesh->faces[3 * f + 1],
                 *c = mesh->vertices + 3 * mesh->faces[3 * f + 2];
    double e1[3], e2[3], h[3], s[3], q[3];
    limpet_vec3_sub(e1, b, a);
    limpet_vec3_sub(e2, c, a);
    limpet_vec3_cross(h, d, e2);
    const double determinant = limpet_vec3_dot(e1, h);
    if (determinant == 0.0) continue;
    limpet_vec3_sub(s, p, a);
    const double u = limpet_vec3_dot(s, h) / determinant;
    limpet_vec3_cross(q, s, e1);
    const double v = limpet_vec3_dot(d, q) / determinant, t = limpet_vec3_dot(e2, q) / determinant;
    if (!(u >= 0.0 && u <= 1.0 && v >= 0.0 && u + v <= 1.0)) continue;
    if (fabs(determinant) < 1e-4 * limpet_vec3_norm(e1) * limpet_vec3_norm(e2)) *clear = false;
    if (t >= 0.0 && (nearest < 0.0 || t < nearest)) nearest = t;
  }
  return nearest;
}

typedef struct counts {
  int rays, hits, clear;
} counts;

// Rays at a mesh with the tree and with all faces: the same. Adds to the counts.
static void check_rays(made_mesh *made, int rays, counts *count) {
  limpet_item_tree *tree = limpet_mesh_face_tree_create(&made->mesh);
  assert_non_null(tree);
  for (int i = 0; i < rays; ++i) {
    const pose at = random_pose(made->size);
    ray r = random_ray(made);
    ray_to_world(&r, &at);
    int face[2] = {-1, -1};
    bool clear;
    made->mesh.face_tree = NULL;
    const double all =
        limpet_mesh_ray(&made->mesh, at.position, at.rotation, r.from, r.direction, &face[0]);
    made->mesh.face_tree = tree;
    const double found =
        limpet_mesh_ray(&made->mesh, at.position, at.rotation, r.from, r.direction, &face[1]);
    assert_true(found == all && face[0] == face[1]);
    const double plain = plain_ray(&made->mesh, &at, &r, &clear);
    assert_true(!clear || found == plain);
    ++count->rays, count->hits += found >= 0.0, count->clear += clear;
  }
  limpet_item_tree_destroy(tree);
}

// A height field as the builder makes it, moved and turned as into an inertial frame.
static void make_field(made_mesh *made, limpet_height_field *field, limpet_arena *arena) {
  double height[24 * 24], turn[3], q[4], x[3];
  limpet_mesh_description d = limpet_mesh_description_default();
  d.rows = 2 + below(22), d.columns = 2 + below(22);
  made->size = pow(10.0, uniform(-6.0, 6.0));
  const bool rough = below(4) > 0;
  for (int i = 0; i < d.rows * d.columns; ++i)
    height[i] = rough ? made->size * uniform(0.0, 0.5) * (below(3) > 0) : 0.0;
  d.heights = height;
  d.grid_half[0] = made->size * uniform(0.1, 1.0), d.grid_half[1] = made->size * uniform(0.1, 1.0);
  d.grid_base = made->size * pow(10.0, uniform(-3.0, 0.0));
  bool failed = false;
  limpet_height_field_mesh(&d, arena, &failed);
  assert_false(failed);
  assert_true(d.vertex_count <= VERTEX_LIMIT && d.face_count <= FACE_LIMIT);
  *field = (limpet_height_field){.rows = d.rows,
                                 .columns = d.columns,
                                 .half = {d.grid_half[0], d.grid_half[1]},
                                 .base = d.grid_base,
                                 .height = d.heights,
                                 .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  for (int i = 0; i < d.rows * d.columns; ++i) field->highest = fmax(field->highest, height[i]);
  if (below(2)) {
    random_vector(turn, 3.0);
    limpet_quaternion_exp(q, turn);
    limpet_quaternion_to_matrix(field->rotation, q);
    random_vector(field->position, made->size);
  }
  const bool rounded = below(2);
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int v = 0; v < d.vertex_count; ++v) {
    limpet_mat3_mul_vec(x, field->rotation, d.vertices + 3 * v);
    for (int i = 0; i < 3; ++i) {
      x[i] += field->position[i];
      if (rounded) x[i] = (double)(float)x[i];
      made->vertices[3 * v + i] = x[i];
      low[i] = fmin(low[i], x[i]), high[i] = fmax(high[i], x[i]);
    }
  }
  made->mesh = (limpet_mesh){.vertices = made->vertices,
                             .faces = made->faces,
                             .vertex_count = d.vertex_count,
                             .face_count = d.face_count,
                             .heights = field};
  memcpy(made->faces, d.faces, 3 * (size_t)d.face_count * sizeof(int));
  for (int i = 0; i < 3; ++i)
    made->mesh.aabb[i] = 0.5 * (low[i] + high[i]),
    made->mesh.aabb[3 + i] = 0.5 * (high[i] - low[i]);
}

// Rays hit and miss, and most meet no face that is nearly along them.
static void assert_varied(const counts *count) {
  assert_true(count->hits > count->rays / 3 && count->hits < count->rays &&
              count->clear > count->rays / 2);
}

static void cells_on_the_way_are_enough(void **state) {
  (void)state;
  made_mesh *made = malloc(sizeof *made);
  assert_non_null(made);
  counts count = {0};
  for (int m = 0; m < 200; ++m) {
    limpet_height_field field;
    limpet_arena arena;
    assert_int_equal(limpet_arena_create(&arena, 1 << 16), LIMPET_OK);
    make_field(made, &field, &arena);
    check_rays(made, 300, &count);
    limpet_arena_destroy(&arena);
  }
  free(made);
  assert_varied(&count);
}

static void trees_find_what_all_faces_give(void **state) {
  (void)state;
  made_mesh *made = malloc(sizeof *made);
  assert_non_null(made);
  counts count = {0};
  for (int m = 0; m < 200; ++m) {
    make(made);
    check_rays(made, 300, &count);
  }
  free(made);
  assert_varied(&count);
}

// a tree with a box that is too small is found out
static void a_wrong_tree_shows(void **state) {
  (void)state;
  made_mesh *made = malloc(sizeof *made);
  assert_non_null(made);
  made->mesh = (limpet_mesh){.vertices = made->vertices, .faces = made->faces};
  made->size = 1.0;
  make_ball(made);
  limpet_vec3_set(made->mesh.aabb + 3, 1.5, 1.5, 1.5);
  limpet_item_tree *tree = limpet_mesh_face_tree_create(&made->mesh);
  assert_non_null(tree);
  limpet_vec3_scale(tree->node[1].half, 0.9, tree->node[1].half);
  const pose at = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  int different = 0;
  for (int i = 0; i < 300; ++i) {
    const ray r = random_ray(made);
    made->mesh.face_tree = NULL;
    const double all =
        limpet_mesh_ray(&made->mesh, at.position, at.rotation, r.from, r.direction, NULL);
    made->mesh.face_tree = tree;
    different +=
        limpet_mesh_ray(&made->mesh, at.position, at.rotation, r.from, r.direction, NULL) != all;
  }
  limpet_item_tree_destroy(tree);
  free(made);
  assert_true(different > 0);
}

/* A ray along a triangle, a hair beside its plane, has a range within the triangle; by the plain
 * equation it may have any. */
static void ranges_stay_within_their_faces(void **state) {
  (void)state;
  static const int faces[] = {0, 1, 2};
  int strays = 0;
  for (int i = 0; i < 20000; ++i) {
    double vertices[9], e[3], low = INFINITY, high = -INFINITY;
    for (int k = 0; k < 3; ++k) random_vector(vertices + 3 * k, 1.0);
    limpet_mesh mesh = {.vertex_count = 3, .face_count = 1, .vertices = vertices, .faces = faces};
    limpet_vec3_set(mesh.aabb + 3, 1.0, 1.0, 1.0);
    const pose at = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    ray r;
    limpet_vec3_sub(r.direction, vertices + 3, vertices);
    limpet_vec3_sub(e, vertices + 6, vertices);
    limpet_vec3_addmul(r.direction, r.direction, uniform(0.0, 1.0), e);
    limpet_vec3_normalize(r.direction);
    limpet_vec3_addmul(r.from, vertices, -10.0, r.direction);
    limpet_vec3_addmul(r.from, r.from, uniform(-1.0, 1.0), e);
    // of the box of the triangle no point is farther from a corner than it is long
    for (int k = 0; k < 3; ++k) {
      double x[3];
      limpet_vec3_sub(x, vertices + 3 * k, r.from);
      low = fmin(low, limpet_vec3_dot(x, r.direction) - 2.0 * sqrt(3.0));
      high = fmax(high, limpet_vec3_dot(x, r.direction) + 2.0 * sqrt(3.0));
    }
    bool clear;
    const double t = limpet_mesh_ray(&mesh, at.position, at.rotation, r.from, r.direction, NULL),
                 plain = plain_ray(&mesh, &at, &r, &clear);
    assert_true(t < 0.0 || (t >= low && t <= high));
    strays += plain >= 0.0 && (plain < low || plain > high);
  }
  assert_true(strays > 0);
}

// ------------------------------------------------------------------------------------- clouds

static double plain_cloud_ray(const limpet_cloud *cloud, const pose *at, const ray *r, int *point) {
  double offset[3], p[3], d[3], nearest = -1.0;
  limpet_vec3_sub(offset, r->from, at->position);
  limpet_mat3_tmul_vec(p, at->rotation, offset);
  limpet_mat3_tmul_vec(d, at->rotation, r->direction);
  for (int i = 0; i < cloud->point_count; ++i) {
    double q[3];
    limpet_vec3_sub(q, p, cloud->points + 3 * i);
    const double a = limpet_vec3_dot(d, d), b = limpet_vec3_dot(q, d),
                 c = limpet_vec3_dot(q, q) - cloud->point_radius * cloud->point_radius;
    const double discriminant = b * b - a * c;
    if (discriminant < 0.0) continue;
    const double root = sqrt(discriminant), begin = (-b - root) / a, end = (-b + root) / a;
    if (end < 0.0) continue;
    const double t = begin >= 0.0 ? begin : end;
    if (nearest < 0.0 || t < nearest) nearest = t, *point = i;
  }
  return nearest;
}

static void tree_of_a_cloud_finds_what_all_points_give(void **state) {
  (void)state;
  enum { POINTS = 3000 };
  double *points = malloc(3 * POINTS * sizeof *points);
  assert_non_null(points);
  int hits = 0, rays = 0;
  for (int m = 0; m < 60; ++m) {
    const double size = pow(10.0, uniform(-4.0, 4.0)),
                 radius = size * pow(10.0, uniform(-4.0, 0.0));
    const int count = 1 + below(below(2) ? POINTS - 1 : 40);
    for (int i = 0; i < count; ++i) {
      random_vector(points + 3 * i, size);
      if (m % 3 == 0) points[3 * i + 2] = 0.0;                                           // flat
      if (m % 4 == 0 && i > 0) limpet_vec3_copy(points + 3 * i, points + 3 * below(i));  // doubled
    }
    limpet_error error = {0};
    limpet_cloud *cloud = limpet_cloud_create(points, count, NULL, radius, &error);
    assert_non_null(cloud);
    for (int i = 0; i < 500; ++i, ++rays) {
      const pose at = random_pose(size);
      ray r;
      random_vector(r.from, size * (below(4) ? 2.0 : 1e4));
      double target[3], side[3];
      random_direction(side);
      limpet_vec3_addmul(target, points + 3 * below(count),
                         radius * (below(2) ? 1.0 : uniform(0.0, 1.5)), side);
      random_direction(r.direction);
      if (below(4) == 0) limpet_vec3_copy(r.from, target);
      else if (below(4)) {
        limpet_vec3_sub(r.direction, target, r.from);
        limpet_vec3_normalize(r.direction);
      }
      ray_to_world(&r, &at);
      int point[2] = {-1, -1};
      const double all = plain_cloud_ray(cloud, &at, &r, &point[0]),
                   found = limpet_cloud_ray(cloud, at.position, at.rotation, r.from, r.direction,
                                            &point[1]);
      assert_true(found == all && point[0] == point[1]);
      hits += found >= 0.0;
    }
    limpet_cloud_destroy(cloud);
  }
  free(points);
  assert_true(hits > rays / 3 && hits < rays);
}

// -------------------------------------------------------------------------------------- balls

/* Where a ray meets a shape, it meets the ball around it, no later: also rays that touch the shape
 * where the ball does, from 1e-3 to 1e5 sizes away. */
static void balls_hide_nothing(void **state) {
  (void)state;
  static const limpet_shape_kind kinds[] = {LIMPET_SHAPE_SPHERE, LIMPET_SHAPE_CAPSULE,
                                            LIMPET_SHAPE_ELLIPSOID, LIMPET_SHAPE_CYLINDER,
                                            LIMPET_SHAPE_BOX};
  int hits = 0, passed = 0;
  for (int i = 0; i < 200000; ++i) {
    const double size = pow(10.0, uniform(-6.0, 6.0)), away = size * pow(10.0, uniform(-3.0, 5.0));
    const double sizes[3] = {size * uniform(0.1, 1.0), size * uniform(0.1, 1.0),
                             size * uniform(0.1, 1.0)};
    const pose at = random_pose(size);
    const limpet_shape shape = {
        .kind = kinds[below(5)], .size = sizes, .position = at.position, .rotation = at.rotation};
    const double radius = limpet_shape_radius(shape.kind, sizes, NULL);
    double out[3], side[3], middle[3];
    ray r;
    random_direction(out), random_direction(side);
    limpet_vec3_cross(r.direction, out, side);
    limpet_vec3_normalize(r.direction);
    const double rim =
        below(2) ? 1.0 + pow(10.0, uniform(-17.0, -6.0)) * uniform(-1.0, 1.0) : uniform(0.0, 1.5);
    limpet_vec3_addmul(r.from, at.position, radius * rim, out);
    limpet_vec3_addmul(r.from, r.from, away * uniform(-1.0, 0.2), r.direction);
    limpet_vec3_sub(middle, at.position, r.from);
    const double t = limpet_shape_ray(&shape, r.from, r.direction),
                 bound = limpet_ray_ball_bound(middle, r.direction, radius);
    passed += isinf(bound);
    if (t < 0.0) continue;
    ++hits;
    assert_true(bound <= t);
  }
  assert_true(hits > 20000 && passed > 20000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_find_what_all_faces_give),
      cmocka_unit_test(cells_on_the_way_are_enough),
      cmocka_unit_test(a_wrong_tree_shows),
      cmocka_unit_test(ranges_stay_within_their_faces),
      cmocka_unit_test(tree_of_a_cloud_finds_what_all_points_give),
      cmocka_unit_test(balls_hide_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

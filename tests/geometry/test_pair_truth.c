/* tests/geometry/test_pair_truth.c: contacts of random pairs of shapes against what proves them.
 *
 * No second algorithm is needed to know whether a distance is right. With the deepest point's
 * distance d, normal n and points p on A, q on B, and the gap along any unit u,
 *   g(u) = min over B of u.x - max over A of u.x,
 *   g(n) = d                   always
 *   apart      p in A, q in B, |q - p| = d: no two points are nearer than g(n), and these are as
 * near overlap    g(u) <= d for every u: tried along the normals of faces and caps, products of
 * edges, random directions, and directions close to n Shapes have sizes from 1 mm to 1 m with sides
 * up to 300 times as long as others; they touch, overlap deeply, are far, and stand aligned, face
 * on face and edge on edge. With a number as argument that many pairs are checked (ten million take
 * minutes), and the worst time of a query is printed beside the mean. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "geometry/mesh_geometry.h"
#include "geometry/pair.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "shared_data.h"

enum { HULLS = 40, SHORT = 300000 };
static unsigned long seed = 77;
static long wanted = SHORT;
static limpet_hull *hulls[HULLS];

static double between(double low, double high) { return random_uniform(&seed, low, high); }
static double log_between(double low, double high) { return exp(between(log(low), log(high))); }
static int below(int count) { return (int)between(0, count - 1e-9); }

typedef struct truth_shape {
  limpet_shape shape;
  double size[3], position[3], rotation[9];
} truth_shape;

// ------------------------------------------------------------------------------------- drawing

static void direction_random(double u[3]) {
  do
    for (int i = 0; i < 3; ++i) u[i] = between(-1.0, 1.0);
  while (!(limpet_vec3_dot(u, u) > 1e-4));
  limpet_vec3_normalize(u);
}

// Turned at random, or by quarters of a turn.
static void rotation_random(double R[9], bool aligned) {
  double q[4] = {1.0, 0.0, 0.0, 0.0};
  if (!aligned) {
    for (int i = 0; i < 4; ++i) q[i] = between(-1.0, 1.0);
  } else {
    q[0] = 0.70710678118654752440;
    q[1 + below(3)] = below(2) ? q[0] : -q[0];
    if (below(3) == 0) q[0] = 1.0, q[1] = q[2] = q[3] = 0.0;
  }
  limpet_quaternion_normalize(q);
  limpet_quaternion_to_matrix(R, q);
}

static void shape_random(truth_shape *s, limpet_shape_kind kind, bool aligned) {
  const double scale = log_between(1e-3, 0.3);
  for (int i = 0; i < 3; ++i) {
    s->size[i] = scale * (below(4) ? between(0.3, 1.0) : log_between(0.003, 1.0));
    s->position[i] = between(-1.0, 1.0);
  }
  rotation_random(s->rotation, aligned);
  s->shape = (limpet_shape){.kind = kind,
                            .size = s->size,
                            .position = s->position,
                            .rotation = s->rotation,
                            .hull = kind == LIMPET_SHAPE_MESH ? hulls[below(HULLS)] : NULL};
}

static double support(const limpet_shape *shape, const double u[3]) {
  double p[3];
  limpet_shape_support(p, shape, u);
  return limpet_vec3_dot(p, u);
}

static double gap_along(const limpet_shape *a, const limpet_shape *b, const double u[3]) {
  const double back[3] = {-u[0], -u[1], -u[2]};
  return -support(b, back) - support(a, u);
}

// Puts B where the gap along a direction has the value that is wanted.
static void place(const truth_shape *a, truth_shape *b, bool aligned) {
  double u[3];
  const bool plane = a->shape.kind == LIMPET_SHAPE_PLANE;
  if (plane || (aligned && below(2))) {
    const int axis = plane ? 2 : below(3);
    for (int i = 0; i < 3; ++i) u[i] = a->rotation[3 * i + axis];
  } else {
    direction_random(u);
  }
  static const double deep = -0.5;  // of the extent
  const double extent = 2.0 * limpet_shape_radius(b->shape.kind, b->size, b->shape.hull);
  double wanted_gap = below(2) ? log_between(1e-12, 1e-2) * extent : extent * between(0.0, 3.0);
  if (below(2)) wanted_gap = fmax(-wanted_gap, deep * extent);
  const double back[3] = {-u[0], -u[1], -u[2]};
  const double on_a = plane ? limpet_vec3_dot(a->position, u) : support(&a->shape, u);
  limpet_vec3_addmul(b->position, b->position, wanted_gap + on_a + support(&b->shape, back), u);
  if (aligned || plane) return;
  // over the middle of A instead of anywhere beside it
  double offset[3], along;
  limpet_vec3_sub(offset, a->position, b->position);
  along = limpet_vec3_dot(offset, u);
  limpet_vec3_addmul(offset, offset, -along, u);
  limpet_vec3_addmul(b->position, b->position, below(3) ? 1.0 : 0.9, offset);
}

// ------------------------------------------------------------------------------------ checking

// Moves a point that lies outside of the shape into it: to the nearest one, except for ellipsoids
// and hulls, of which it must lie close by.
static void pull_inside(double point[3], const limpet_shape *shape) {
  double d[3], x[3];
  const double *s = shape->size;
  limpet_vec3_sub(d, point, shape->position);
  limpet_mat3_tmul_vec(x, shape->rotation, d);
  const double across = sqrt(x[0] * x[0] + x[1] * x[1]), along = fmin(s[1], fmax(-s[1], x[2]));
  switch (shape->kind) {
    case LIMPET_SHAPE_PLANE: x[2] = fmin(x[2], 0.0); break;
    case LIMPET_SHAPE_SPHERE: limpet_vec3_scale(x, fmin(1.0, s[0] / limpet_vec3_norm(x)), x); break;
    case LIMPET_SHAPE_CAPSULE: {
      const double scale = fmin(1.0, s[0] / hypot(across, x[2] - along));
      limpet_vec3_set(x, scale * x[0], scale * x[1], along + scale * (x[2] - along));
      break;
    }
    case LIMPET_SHAPE_CYLINDER: {
      const double scale = across > s[0] ? s[0] / across : 1.0;
      limpet_vec3_set(x, scale * x[0], scale * x[1], along);
      break;
    }
    case LIMPET_SHAPE_ELLIPSOID: {
      const double u[3] = {x[0] / s[0], x[1] / s[1], x[2] / s[2]};
      limpet_vec3_scale(x, fmin(1.0, 1.0 / limpet_vec3_norm(u)), x);
      break;
    }
    case LIMPET_SHAPE_BOX:
      for (int i = 0; i < 3; ++i) x[i] = fmin(s[i], fmax(-s[i], x[i]));
      break;
    default: {
      // towards the middle, until it is below all planes
      double scale = 1.0, arm[3];
      const limpet_hull *hull = shape->hull;
      limpet_vec3_sub(arm, x, hull->centre);
      for (int f = 0; f < hull->face_count; ++f) {
        const double *plane = hull->face_plane + 4 * f;
        const double along_arm = limpet_vec3_dot(plane, arm),
                     room = plane[3] - limpet_vec3_dot(plane, hull->centre);
        if (along_arm > room) scale = fmin(scale, room / along_arm);
      }
      limpet_vec3_addmul(x, hull->centre, scale, arm);
    }
  }
  limpet_mat3_mul_vec(point, shape->rotation, x);
  limpet_vec3_add(point, point, shape->position);
}

// Some of the shape's own directions: normals of faces, edges; in the common frame.
static int directions_of(double u[12][3], const limpet_shape *shape) {
  int count = 0;
  for (int i = 0; i < 3; ++i, ++count)
    for (int k = 0; k < 3; ++k) u[count][k] = shape->rotation[3 * k + i];
  for (int i = 0; i < 9 && shape->kind == LIMPET_SHAPE_MESH; ++i, ++count)
    limpet_mat3_mul_vec(u[count], shape->rotation,
                        shape->hull->face_plane + 4 * below(shape->hull->face_count));
  return count;
}

static double widest_gap(const limpet_shape *a, const limpet_shape *b, const double n[3]) {
  double of_a[12][3], of_b[12][3], u[3], most = -INFINITY;
  const int count_a = directions_of(of_a, a), count_b = directions_of(of_b, b);
  for (int i = 0; i < count_a + count_b; ++i) {
    limpet_vec3_copy(u, i < count_a ? of_a[i] : of_b[i - count_a]);
    for (int sign = 0; sign < 2; ++sign, limpet_vec3_neg(u, u))
      most = fmax(most, gap_along(a, b, u));
  }
  for (int i = 0; i < 9; ++i) {
    limpet_vec3_cross(u, of_a[i / 3], of_b[i % 3]);
    if (!(limpet_vec3_normalize(u) > 1e-3)) continue;
    for (int sign = 0; sign < 2; ++sign, limpet_vec3_neg(u, u))
      most = fmax(most, gap_along(a, b, u));
  }
  for (int i = 0; i < 12; ++i) {
    direction_random(u);
    limpet_vec3_addmul(u, n, i < 4 ? 1.0 : log_between(1e-7, 0.3), u);
    limpet_vec3_normalize(u);
    most = fmax(most, gap_along(a, b, u));
  }
  return most;
}

typedef struct pair_result {
  bool found;
  limpet_contact_point deepest;
} pair_result;

static pair_result query(const truth_shape *a, const truth_shape *b) {
  limpet_manifold m;
  limpet_shape_contact(&m, &a->shape, &b->shape, 10.0, false);
  pair_result r = {.found = m.count > 0};
  for (int i = 0; i < m.count; ++i)
    if (i == 0 || m.point[i].distance < r.deepest.distance) r.deepest = m.point[i];
  return r;
}

// Height of B over the plane A.
static double gap_over(const limpet_shape *a, const limpet_shape *b) {
  const double down[3] = {-a->rotation[2], -a->rotation[5], -a->rotation[8]};
  return limpet_vec3_dot(down, a->position) - support(b, down);
}

// The pair's size: what errors are measured by.
static double size_of(const truth_shape *a, const truth_shape *b) {
  const double ra = limpet_shape_radius(a->shape.kind, a->size, a->shape.hull),
               rb = limpet_shape_radius(b->shape.kind, b->size, b->shape.hull);
  return (isfinite(ra) ? ra : 0.0) + rb +
         (isfinite(ra) ? limpet_vec3_distance(a->position, b->position) : 0.0);
}

// How near two points of the shapes are to each other that lie close to p and p + d n.
static double distance_inside(const limpet_shape *a, const limpet_shape *b, const double p[3],
                              const double q[3]) {
  double in_a[3], in_b[3];
  limpet_vec3_copy(in_a, p);
  limpet_vec3_copy(in_b, q);
  pull_inside(in_a, a);
  pull_inside(in_b, b);
  return limpet_vec3_distance(in_a, in_b);
}

/* The least of it, from the witness points and from the support points of A and B along n: where
 * a vertex meets a curved surface, that vertex is exact. */
static double least_inside(const limpet_shape *a, const limpet_shape *b,
                           const limpet_contact_point *c) {
  const double back[3] = {-c->normal[0], -c->normal[1], -c->normal[2]};
  double least = distance_inside(a, b, c->on_a, c->on_b), p[3], q[3];
  limpet_shape_support(q, b, back);
  limpet_vec3_addmul(p, q, c->distance, back);
  least = fmin(least, distance_inside(a, b, p, q));
  // each of the points and its image on the other shape
  limpet_vec3_copy(q, c->on_a);
  pull_inside(q, b);
  least = fmin(least, distance_inside(a, b, c->on_a, q));
  limpet_vec3_copy(p, c->on_b);
  pull_inside(p, a);
  least = fmin(least, distance_inside(a, b, p, c->on_b));
  if (a->kind == LIMPET_SHAPE_PLANE) return least;
  limpet_shape_support(p, a, c->normal);
  limpet_vec3_addmul(q, p, c->distance, c->normal);
  return fmin(least, distance_inside(a, b, p, q));
}

// What is proved wrong, over the pair's size: of the distance, and of the points.
typedef struct violation {
  double distance, points;
} violation;

static violation violation_of(const truth_shape *a, const truth_shape *b, const pair_result *r) {
  if (!r->found) return (violation){INFINITY, INFINITY};
  const limpet_contact_point *c = &r->deepest;
  const double d = c->distance, size = size_of(a, b);
  const bool plane = a->shape.kind == LIMPET_SHAPE_PLANE;
  double p[3], q[3];
  limpet_vec3_copy(p, c->on_a);
  limpet_vec3_copy(q, c->on_b);
  pull_inside(p, &a->shape);
  pull_inside(q, &b->shape);
  const double gap =
      plane ? gap_over(&a->shape, &b->shape) : gap_along(&a->shape, &b->shape, c->normal);
  violation v = {.points =
                     fmax(limpet_vec3_distance(p, c->on_a), limpet_vec3_distance(q, c->on_b))};
  v.points = fmax(v.points, fabs(limpet_vec3_distance(c->on_a, c->on_b) - fabs(d)));
  // apart: no less than the gap, no more than the points are apart
  if (d > 0.0) v.distance = fmax(fabs(least_inside(&a->shape, &b->shape, c) - d), fabs(d - gap));
  else v.distance = fabs(gap - d);
  if (d <= 0.0 && !plane)
    v.distance = fmax(v.distance, widest_gap(&a->shape, &b->shape, c->normal) - d);
  v.distance /= size, v.points /= size;
  return v;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct kind_record {
  long count, rough,
      wrong;  // pairs; those whose distance is proved less well; those that are wrong
  double worst, worst_points, sum_time, worst_time;
} kind_record;

static const double distance_tolerance = 1e-9, gap_tolerance = 1e-4, point_tolerance = 1e-3;

static void pair_check(limpet_shape_kind ka, limpet_shape_kind kb, bool timed,
                       kind_record *record) {
  truth_shape a, b;
  const bool aligned = below(4) == 0;
  shape_random(&a, ka, aligned);
  shape_random(&b, kb, aligned);
  place(&a, &b, aligned);
  double start = timed ? now() : 0.0;
  const pair_result r = query(&a, &b);
  double time_needed = timed ? now() - start : 0.0;
  // an interrupt is not the query's: the least of three where it seems slow
  for (int k = 0;
       k < 3 && timed && time_needed > 5.0 * record->sum_time / (double)(record->count + 1); ++k) {
    start = now();
    query(&a, &b);
    time_needed = fmin(time_needed, now() - start);
  }
  const violation off = violation_of(&a, &b, &r);
  record->sum_time += time_needed;
  if (record->count > 1000) record->worst_time = fmax(record->worst_time, time_needed);
  ++record->count;
  record->worst_points = fmax(record->worst_points, off.points);
  record->worst = fmax(record->worst, off.distance);
  if (off.distance > distance_tolerance) ++record->rough;
  // apart, the normal of curved shapes is good to 1e-4, so its gap and points prove no more
  if (r.found && r.deepest.distance > 0.0 && off.distance < gap_tolerance) return;
  if (off.distance <= distance_tolerance && off.points <= point_tolerance) return;
  if (++record->wrong <= 3)
    print_message("%s and %s at %.9g m: distance off by %.2g, points by %.2g of the size\n",
                  limpet_shape_kind_word(ka), limpet_shape_kind_word(kb), r.deepest.distance,
                  off.distance, off.points);
}

static void distances_are_what_proves_them(void **state) {
  (void)state;
  for (int h = 0; h < HULLS; ++h) {
    double points[3 * 60];
    const int count = 6 + below(54);
    const double scale = log_between(1e-2, 0.3);
    for (int i = 0; i < 3 * count; ++i) points[i] = scale * between(-1.0, 1.0);
    hulls[h] = limpet_hull_create(points, count, -1, NULL);
    assert_non_null(hulls[h]);
  }
  const bool timed = wanted > SHORT;
  long wrong = 0;
  static kind_record records[LIMPET_SHAPE_COUNT][LIMPET_SHAPE_COUNT];
  for (long k = 0; k < wanted; ++k) {
    limpet_shape_kind ka = (limpet_shape_kind)below(LIMPET_SHAPE_CLOUD),
                      kb = (limpet_shape_kind)(1 + below(LIMPET_SHAPE_CLOUD - 1));
    if (ka > kb) {
      const limpet_shape_kind swap = ka;
      ka = kb, kb = swap;
    }
    pair_check(ka, kb, timed, &records[ka][kb]);
  }
  for (int ka = 0; ka < LIMPET_SHAPE_CLOUD; ++ka)
    for (int kb = ka; kb < LIMPET_SHAPE_CLOUD; ++kb) {
      const kind_record *r = &records[ka][kb];
      if (r->count == 0) continue;
      wrong += r->wrong;
      print_message(
          "%-9s %-9s %8ld pairs, distance within %.1g of the size (%ld beyond 1e-9, %ld wrong), "
          "points %.1g",
          limpet_shape_kind_word((limpet_shape_kind)ka),
          limpet_shape_kind_word((limpet_shape_kind)kb), r->count, r->worst, r->rough, r->wrong,
          r->worst_points);
      if (timed)
        print_message(", mean %.2f us, worst %.1f times it", 1e6 * r->sum_time / (double)r->count,
                      r->worst_time * (double)r->count / r->sum_time);
      print_message("\n");
    }
  for (int h = 0; h < HULLS; ++h) free(hulls[h]);
  print_message("%ld pairs, %ld wrong\n", wanted, wrong);
  assert_int_equal(wrong, 0);
}

int main(int argc, char **argv) {
  if (argc > 1) wanted = atol(argv[1]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(distances_are_what_proves_them)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

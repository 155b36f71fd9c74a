/* tests/geometry/test_pair_truth.c: contacts of random pairs of shapes against what proves them.
 *
 * No second algorithm is needed to know whether a distance is right. With the deepest point's
 * distance d, normal n and points p on A, q on B, and the gap along any unit u,
 *   g(u) = min over B of u.x - max over A of u.x,
 *   g(n) = d                   always
 *   apart      p in A, q in B, |q - p| = d: no two points are nearer than g(n), and these are as
 *              near
 *   overlap    g(u) <= d for every u: tried along the normals of faces and caps, products of
 *              edges, random directions, and directions close to n
 *
 * Shapes have sizes from 1 mm to 1 m with sides up to 300 times as long as others; they touch,
 * overlap deeply, are far, and stand aligned, face on face and edge on edge. With a number as
 * argument that many pairs are checked (ten million take half a minute), from the seed that a
 * second one gives, and the worst time of a query is printed beside the mean; test_pair_work.c
 * counts work that does not depend on the clock. */
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

#include "geometry/pair.h"
#include "math/vec3.h"
#include "random_pairs.h"

enum { SHORT = 300000 };
static random_pairs drawn;
static long wanted = SHORT;
static unsigned long first_seed = 77;

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
    limpet_mat3_mul_vec(
        u[count], shape->rotation,
        shape->hull->face_plane + 4 * random_pair_below(&drawn, shape->hull->face_count));
  return count;
}

static double widest_gap(const limpet_shape *a, const limpet_shape *b, const double n[3]) {
  double of_a[12][3], of_b[12][3], u[3], most = -INFINITY;
  const int count_a = directions_of(of_a, a), count_b = directions_of(of_b, b);
  for (int i = 0; i < count_a + count_b; ++i) {
    limpet_vec3_copy(u, i < count_a ? of_a[i] : of_b[i - count_a]);
    for (int sign = 0; sign < 2; ++sign, limpet_vec3_neg(u, u))
      most = fmax(most, random_pair_gap(a, b, u));
  }
  for (int i = 0; i < 9; ++i) {
    limpet_vec3_cross(u, of_a[i / 3], of_b[i % 3]);
    if (!(limpet_vec3_normalize(u) > 1e-3)) continue;
    for (int sign = 0; sign < 2; ++sign, limpet_vec3_neg(u, u))
      most = fmax(most, random_pair_gap(a, b, u));
  }
  for (int i = 0; i < 12; ++i) {
    random_pair_direction(u, &drawn);
    limpet_vec3_addmul(u, n, i < 4 ? 1.0 : random_pair_log(&drawn, 1e-7, 0.3), u);
    limpet_vec3_normalize(u);
    most = fmax(most, random_pair_gap(a, b, u));
  }
  return most;
}

typedef struct pair_result {
  bool found;
  limpet_contact_point deepest;
} pair_result;

static pair_result query(const random_shape *a, const random_shape *b) {
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
  return limpet_vec3_dot(down, a->position) - random_pair_support(b, down);
}

// The pair's size: what errors are measured by.
static double size_of(const random_shape *a, const random_shape *b) {
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

static violation violation_of(const random_shape *a, const random_shape *b, const pair_result *r) {
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
      plane ? gap_over(&a->shape, &b->shape) : random_pair_gap(&a->shape, &b->shape, c->normal);
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
  random_shape a, b;
  random_pair_draw(&a, &b, &drawn, ka, kb);
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
  const bool timed = wanted > SHORT;
  long wrong = 0;
  static kind_record records[LIMPET_SHAPE_COUNT][LIMPET_SHAPE_COUNT];
  for (long k = 0; k < wanted; ++k) {
    limpet_shape_kind ka, kb;
    random_pair_kinds(&ka, &kb, &drawn);
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
  print_message("%ld pairs, %ld wrong\n", wanted, wrong);
  assert_int_equal(wrong, 0);
}

// Two shapes of a pair follow each other; hull: of those that the test made first, or -1.
typedef struct hard_shape {
  limpet_shape_kind kind;
  int hull;
  double size[3], position[3], rotation[9];
} hard_shape;

/* Pairs whose least depth was missed, of ten million: faces of hulls less deep than what EPA ended
 * with by a millionth, the normal across two straight sides, the flat side of a thin ellipsoid. */
static void hard_pairs_are_right(void **state) {
  (void)state;
  static const hard_shape hard[] = {
      {LIMPET_SHAPE_CYLINDER,
       -1,
       {0x1.23cd93035dff5p-10, 0x1.442f9b9ad7deep-10, 0x1.37b2f4bb4ebd1p-11},
       {-0x1.7bb6ff954736cp-1, -0x1.bf9254e03f7fp-1, -0x1.478b94d625cbcp-1},
       {-0x1.49832a43ad58ap-2, 0x1.270ce2af0ee9dp-2, -0x1.cdc6483e89dedp-1, -0x1.8f90262024f08p-1,
        0x1.d5ae40d98d0fcp-2, 0x1.b32bab5646704p-2, 0x1.127f4c40bd40bp-1, 0x1.ae624a401b76p-1,
        0x1.3c78d9f11a33ap-4}},
      {LIMPET_SHAPE_MESH,
       12,
       {0x1.0ec64721deb37p-10, 0x1.b8370acd94012p-13, 0x1.ed94807bd4bfcp-12},
       {-0x1.7bba5958833d7p-1, -0x1.bfdd7ad9a3974p-1, -0x1.478e39c25a37cp-1},
       {0x1.cb4cc5b9c200ap-3, 0x1.717aafcebb075p-1, -0x1.4f53c19d6b45fp-1, -0x1.233d758a946cap-2,
        -0x1.304beb8274838p-1, -0x1.812706b7c2368p-1, -0x1.dd3c5edd19a41p-1, 0x1.6b7f7987ee81cp-2,
        0x1.26baf29de3cap-4}},
      {LIMPET_SHAPE_CYLINDER,
       -1,
       {0x1.95430550314e7p-6, 0x1.23f4ca4b0e2ccp-8, 0x1.9436cbebf6199p-7},
       {-0x1.5d812fad05ed4p-1, 0x1.ca44fcf390ac8p-1, 0x1.72c08722c02a6p-1},
       {-0x1.73bc23a4e327p-1, -0x1.e5bdcfa44c1fap-2, 0x1.fdc9bce8548b9p-2, -0x1.15c415ae1ca9fp-1,
        -0x1.975d7e7e0f0e8p-5, -0x1.ad59b9e436dd7p-1, 0x1.b0ae59a1747adp-2, -0x1.c202b9cb197fdp-1,
        -0x1.c519742c77d5ep-3}},
      {LIMPET_SHAPE_MESH,
       19,
       {0x1.0ac8308e059a9p-3, 0x1.ccff630924b8dp-3, 0x1.d76dad5a315b2p-3},
       {-0x1.5c1f328c7ec54p-1, 0x1.c80864d6837eap-1, 0x1.76b5def9380cfp-1},
       {-0x1.0c56d3b62045ap-2, 0x1.842d1c77fb6f2p-1, -0x1.31b71393d1968p-1, -0x1.438e759008fccp-2,
        -0x1.4dd5ea0428f6bp-1, -0x1.60e1c023d9e86p-1, -0x1.d2df77b209336p-1, 0x1.08018d3d895ap-7,
        0x1.a4450c90fd10bp-2}},
      {LIMPET_SHAPE_CYLINDER,
       -1,
       {0x1.024ddf34e814bp-8, 0x1.998b54385d3c6p-9, 0x1.1c4cc32614afcp-8},
       {0x1.7a8899877a7f4p-2, 0x1.fa0bb18b69abcp-2, 0x1.67c5008b02c2p-1},
       {-0x1.9ff993dddc564p-1, 0x1.3fdc6f47e6829p-2, -0x1.f81b85d6854dp-2, 0x1.b5e0825a6e975p-2,
        0x1.c953d11613fc1p-1, -0x1.1c943b3185f9ap-3, 0x1.95d4df2dec4f2p-2, -0x1.4b2ab42fbd3a6p-2,
        -0x1.b7f1d70711a6fp-1}},
      {LIMPET_SHAPE_BOX,
       -1,
       {0x1.ca0d15d11d4e1p-9, 0x1.34e2dc17e8ba8p-8, 0x1.43b147fcb9eb9p-10},
       {0x1.7dd28a53b754ap-2, 0x1.fa34103639a7ep-2, 0x1.66ac8d8e213eap-1},
       {-0x1.a7cffec2abd7ap-1, 0x1.26f8ff67ab20dp-3, 0x1.15a6201d87002p-1, -0x1.0490058045cb3p-1,
        0x1.b6cf8cd3d5598p-3, -0x1.aade42639568p-1, -0x1.e3e2e33902584p-3, -0x1.eea47f1f632b6p-1,
        -0x1.aa3aa268e45cp-4}},
      {LIMPET_SHAPE_ELLIPSOID,
       -1,
       {0x1.72133228c705ap-4, 0x1.1c8dfaac5aca4p-11, 0x1.33495d98c701ep-4},
       {-0x1.465af497f9848p-2, -0x1.5e8c2d6b6c01p-1, 0x1.151d9dde4f02ap-1},
       {0x1.b058ed8b82b85p-1, -0x1.f0b2adb222919p-2, -0x1.d17d516f2f1e1p-3, -0x1.0496083d2f21p-6,
        0x1.9b0dda427c1d4p-2, -0x1.d4ddf759d7f2bp-1, 0x1.12242a0c98152p-1, 0x1.8dc68c77f06afp-1,
        0x1.5334b2fb2aef6p-2}},
      {LIMPET_SHAPE_CYLINDER,
       -1,
       {0x1.dbca715d6883bp-4, 0x1.b535ee9e99d85p-3, 0x1.c582612acd088p-8},
       {-0x1.ac7808c7efca6p-3, -0x1.4ed030b2d15a7p-1, 0x1.00d49a2f74433p-1},
       {-0x1.4ba5da5502331p-2, 0x1.361d999bd471ap-3, 0x1.de289d2498f78p-1, 0x1.cb3ffc4063e1cp-1,
        -0x1.0f293efaabd9ap-2, 0x1.6a7fc60651c48p-2, 0x1.342118b77d27dp-2, 0x1.e798ec458454ep-1,
        -0x1.9a1527fef0e2p-5}},
      {LIMPET_SHAPE_CYLINDER,
       -1,
       {0x1.5d3e190464988p-4, 0x1.07bc675e35b5fp-4, 0x1.bee9430ae4453p-5},
       {-0x1.612893528b24p-2, -0x1.d83c2d0bc3p-5, 0x1.60f61581213aep-1},
       {-0x1.864de4113a2c5p-5, -0x1.f39a6db35b53ap-4, 0x1.fb975c47bc9eep-1, 0x1.85d8cc064669p-2,
        0x1.d4acaead34aeep-1, 0x1.0c1ecc281db4dp-3, -0x1.d8d09374319fp-1, 0x1.88e08fb88e636p-2,
        0x1.7218ac9d4d45p-9}},
      {LIMPET_SHAPE_MESH,
       4,
       {0x1.ae556a7a5c739p-12, 0x1.c6b352a371184p-8, 0x1.a129fcb9b6017p-8},
       {-0x1.183600491f80ap-2, -0x1.b0227ccf32b4p-5, 0x1.43de5cee8e5cp-1},
       {0x1.bff75db97aa8p-6, 0x1.f1fe568065e91p-1, -0x1.d872e953d0e76p-3, -0x1.e42b36548d81ap-2,
        -0x1.86a4668e918a3p-3, -0x1.b874c1df72d45p-1, -0x1.c2ef963a66b78p-1, 0x1.0f8e17b3d826p-3,
        0x1.d195506c47516p-2}},
  };
  for (size_t i = 0; i < sizeof hard / sizeof *hard; i += 2) {
    random_shape pair[2];
    for (int k = 0; k < 2; ++k) {
      const hard_shape *from = &hard[i + (size_t)k];
      random_shape *to = &pair[k];
      memcpy(to->size, from->size, sizeof to->size);
      memcpy(to->position, from->position, sizeof to->position);
      memcpy(to->rotation, from->rotation, sizeof to->rotation);
      to->shape = (limpet_shape){.kind = from->kind,
                                 .size = to->size,
                                 .position = to->position,
                                 .rotation = to->rotation,
                                 .hull = from->hull >= 0 ? drawn.hulls[from->hull] : NULL};
    }
    const pair_result r = query(&pair[0], &pair[1]);
    double off = 0.0;
    for (int k = 0; k < 100; ++k) off = fmax(off, violation_of(&pair[0], &pair[1], &r).distance);
    print_message("%s and %s: distance off by %.2g of the size\n",
                  limpet_shape_kind_word(pair[0].shape.kind),
                  limpet_shape_kind_word(pair[1].shape.kind), off);
    assert_true(off < distance_tolerance);
  }
}

static int pairs_create(void **state) {
  (void)state;
  return random_pairs_create(&drawn, first_seed) ? 0 : 1;
}

static int pairs_destroy(void **state) {
  (void)state;
  random_pairs_destroy(&drawn);
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1) wanted = atol(argv[1]);
  if (argc > 2) first_seed = strtoul(argv[2], NULL, 10);
  const struct CMUnitTest tests[] = {cmocka_unit_test(distances_are_what_proves_them),
                                     cmocka_unit_test(hard_pairs_are_right)};
  return cmocka_run_group_tests(tests, pairs_create, pairs_destroy);
}

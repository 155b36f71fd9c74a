/* benchmarks/bench_pairs.c: time of the narrow phase for each pair of shapes.
 *
 * For every pair 256 random poses of four sorts: up to 2 mm deep, up to 2 mm apart within the
 * margin, 2 to 5 cm apart, and B standing on A face on face, 0.1 mm deep. Prints nanoseconds per
 * query (the least of several rounds) and the mean number of points. The hulls have 20 points;
 * those that stand are prisms of ten sides. Processor time; a busy sibling core doubles it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "geometry/mesh_geometry.h"
#include "geometry/pair.h"
#include "math/quaternion.h"
#include "measure.h"

enum { POSES = 256, ROUNDS = 9, REPEAT = 20 };

// A shape with its own storage for size and pose.
typedef struct bench_shape {
  limpet_shape shape;
  double size[3], position[3], rotation[9];
} bench_shape;

typedef struct pose_set {
  int count;
  bench_shape a[POSES], b[POSES];
} pose_set;

static void shape_random(bench_shape *s, limpet_shape_kind kind, const limpet_hull *hull,
                         unsigned long long *seed) {
  double q[4];
  for (int i = 0; i < 3; ++i) s->size[i] = uniform(seed, 0.05, 0.15), s->position[i] = 0.0;
  for (int i = 0; i < 4; ++i) q[i] = uniform(seed, -1.0, 1.0);
  limpet_quaternion_normalize(q);
  limpet_quaternion_to_matrix(s->rotation, q);
  s->shape = (limpet_shape){.kind = kind,
                            .size = s->size,
                            .position = s->position,
                            .rotation = s->rotation,
                            .hull = kind == LIMPET_SHAPE_MESH ? hull : NULL};
}

// Poses whose distance lies between `low` and `high`: B is pushed along a random direction until it
// does.
static void poses_create(pose_set *set, limpet_shape_kind ka, limpet_shape_kind kb,
                         const limpet_hull *hull, double low, double high) {
  unsigned long long seed = 5;
  set->count = 0;
  while (set->count < POSES) {
    bench_shape *a = &set->a[set->count], *b = &set->b[set->count];
    double direction[3];
    shape_random(a, ka, hull, &seed);
    shape_random(b, kb, hull, &seed);
    for (int i = 0; i < 3; ++i) direction[i] = uniform(&seed, -1.0, 1.0);
    limpet_vec3_normalize(direction);
    const double target = uniform(&seed, low, high);
    if (ka == LIMPET_SHAPE_PLANE) {
      double lowest[3], n[3] = {a->rotation[2], a->rotation[5], a->rotation[8]},
                        down[3] = {-n[0], -n[1], -n[2]};
      limpet_shape_support(lowest, &b->shape, down);
      limpet_vec3_addmul(b->position, b->position, target - limpet_vec3_dot(lowest, n), n);
    } else {
      for (int k = 0; k < 30; ++k) {
        double on_a[3], on_b[3], normal[3];
        const double d = limpet_convex_distance(&a->shape, &b->shape, on_a, on_b, normal);
        limpet_vec3_addmul(b->position, b->position, 0.7 * (target - d), direction);
      }
    }
    ++set->count;
  }
}

// B stands on A, face on face, 0.1 mm deep, turned about the normal.
static void poses_rest(pose_set *set, limpet_shape_kind ka, limpet_shape_kind kb,
                       const limpet_hull *hull) {
  unsigned long long seed = 9;
  for (set->count = 0; set->count < POSES; ++set->count) {
    bench_shape *a = &set->a[set->count], *b = &set->b[set->count];
    const double upright[3] = {0, 0, 1};
    double spin[4];
    double top[3] = {0, 0, 0}, up[3] = {0, 0, 1}, bottom[3], down[3] = {0, 0, -1};
    shape_random(a, ka, hull, &seed);
    shape_random(b, kb, hull, &seed);
    limpet_mat3_identity(a->rotation);
    limpet_quaternion_from_axis_angle(spin, upright, uniform(&seed, -3.0, 3.0));
    limpet_quaternion_to_matrix(b->rotation, spin);
    b->position[0] = uniform(&seed, -0.05, 0.05), b->position[1] = uniform(&seed, -0.05, 0.05);
    if (ka != LIMPET_SHAPE_PLANE) limpet_shape_support(top, &a->shape, up);
    limpet_shape_support(bottom, &b->shape, down);
    b->position[2] += top[2] - bottom[2] - 1e-4;
  }
}

static void measure(const char *what, const pose_set *set, double margin) {
  double best = INFINITY;
  long points = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    limpet_manifold m;
    points = 0;
    const double start = processor_now();
    for (int r = 0; r < REPEAT; ++r)
      for (int k = 0; k < set->count; ++k) {
        limpet_shape_contact(&m, &set->a[k].shape, &set->b[k].shape, margin, false);
        points += m.count;
      }
    best = fmin(best, (processor_now() - start) / (REPEAT * set->count));
  }
  printf("%-12s %8.1f ns %5.2f points   ", what, 1e9 * best,
         (double)points / (REPEAT * set->count));
}

int main(void) {
  static pose_set set;
  unsigned long long seed = 3;
  double points[60], corners[60];
  for (int i = 0; i < 60; ++i) points[i] = uniform(&seed, -0.1, 0.1);
  for (int i = 0; i < 20; ++i) {
    const double angle = 2.0 * LIMPET_PI * (i / 2) / 10;
    limpet_vec3_set(corners + 3 * i, 0.1 * cos(angle), 0.1 * sin(angle), i % 2 == 0 ? -0.1 : 0.1);
  }
  limpet_hull *hull = limpet_hull_create(points, 20, -1, NULL),
              *prism = limpet_hull_create(corners, 20, -1, NULL);
  if (hull == NULL || prism == NULL) return 1;
  for (limpet_shape_kind ka = LIMPET_SHAPE_PLANE; ka < LIMPET_SHAPE_CLOUD; ++ka)
    for (limpet_shape_kind kb = ka; kb < LIMPET_SHAPE_CLOUD; ++kb) {
      if (kb == LIMPET_SHAPE_PLANE) continue;
      printf("%-9s %-9s ", limpet_shape_kind_word(ka), limpet_shape_kind_word(kb));
      poses_create(&set, ka, kb, hull, -2e-3, 0.0);
      measure("overlapping", &set, 0.0);
      poses_create(&set, ka, kb, hull, 0.0, 2e-3);
      measure("in margin", &set, 3e-3);
      poses_create(&set, ka, kb, hull, 0.02, 0.05);
      measure("apart", &set, 1e-3);
      poses_rest(&set, ka, kb, prism);
      measure("resting", &set, 1e-3);
      printf("\n");
    }
  free(hull), free(prism);
  return 0;
}

/* random_pairs.c: see random_pairs.h. */
#include "random_pairs.h"

#include <math.h>
#include <stdlib.h>

#include "geometry/mesh_geometry.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "shared_data.h"

double random_pair_between(random_pairs *r, double low, double high) {
  return random_uniform(&r->seed, low, high);
}

double random_pair_log(random_pairs *r, double low, double high) {
  return exp(random_pair_between(r, log(low), log(high)));
}

int random_pair_below(random_pairs *r, int count) {
  return (int)random_pair_between(r, 0, count - 1e-9);
}

void random_pair_direction(double u[3], random_pairs *r) {
  do
    for (int i = 0; i < 3; ++i) u[i] = random_pair_between(r, -1.0, 1.0);
  while (!(limpet_vec3_dot(u, u) > 1e-4));
  limpet_vec3_normalize(u);
}

// Turned at random, or by quarters of a turn.
static void rotation_random(double R[9], random_pairs *r, bool aligned) {
  double q[4] = {1.0, 0.0, 0.0, 0.0};
  if (!aligned) {
    for (int i = 0; i < 4; ++i) q[i] = random_pair_between(r, -1.0, 1.0);
  } else {
    q[0] = 0.70710678118654752440;
    q[1 + random_pair_below(r, 3)] = random_pair_below(r, 2) ? q[0] : -q[0];
    if (random_pair_below(r, 3) == 0) q[0] = 1.0, q[1] = q[2] = q[3] = 0.0;
  }
  limpet_quaternion_normalize(q);
  limpet_quaternion_to_matrix(R, q);
}

static void shape_random(random_shape *s, random_pairs *r, limpet_shape_kind kind, bool aligned) {
  const double scale = random_pair_log(r, 1e-3, 0.3);
  for (int i = 0; i < 3; ++i) {
    s->size[i] = scale * (random_pair_below(r, 4) ? random_pair_between(r, 0.3, 1.0)
                                                  : random_pair_log(r, 0.003, 1.0));
    s->position[i] = random_pair_between(r, -1.0, 1.0);
  }
  rotation_random(s->rotation, r, aligned);
  s->shape = (limpet_shape){
      .kind = kind,
      .size = s->size,
      .position = s->position,
      .rotation = s->rotation,
      .hull = kind == LIMPET_SHAPE_MESH ? r->hulls[random_pair_below(r, RANDOM_PAIR_HULLS)] : NULL};
}

double random_pair_support(const limpet_shape *shape, const double u[3]) {
  double p[3];
  limpet_shape_support(p, shape, u);
  return limpet_vec3_dot(p, u);
}

double random_pair_gap(const limpet_shape *a, const limpet_shape *b, const double u[3]) {
  const double back[3] = {-u[0], -u[1], -u[2]};
  return -random_pair_support(b, back) - random_pair_support(a, u);
}

// Puts B where the gap along a direction has the value that is wanted.
static void place(const random_shape *a, random_shape *b, random_pairs *r, bool aligned) {
  double u[3];
  const bool plane = a->shape.kind == LIMPET_SHAPE_PLANE;
  if (plane || (aligned && random_pair_below(r, 2))) {
    const int axis = plane ? 2 : random_pair_below(r, 3);
    for (int i = 0; i < 3; ++i) u[i] = a->rotation[3 * i + axis];
  } else {
    random_pair_direction(u, r);
  }
  static const double deep = -0.5;  // of the extent
  const double extent = 2.0 * limpet_shape_radius(b->shape.kind, b->size, b->shape.hull);
  double wanted_gap = random_pair_below(r, 2) ? random_pair_log(r, 1e-12, 1e-2) * extent
                                              : extent * random_pair_between(r, 0.0, 3.0);
  if (random_pair_below(r, 2)) wanted_gap = fmax(-wanted_gap, deep * extent);
  const double back[3] = {-u[0], -u[1], -u[2]};
  const double on_a = plane ? limpet_vec3_dot(a->position, u) : random_pair_support(&a->shape, u);
  limpet_vec3_addmul(b->position, b->position,
                     wanted_gap + on_a + random_pair_support(&b->shape, back), u);
  if (aligned || plane) return;
  // over the middle of A instead of anywhere beside it
  double offset[3], along;
  limpet_vec3_sub(offset, a->position, b->position);
  along = limpet_vec3_dot(offset, u);
  limpet_vec3_addmul(offset, offset, -along, u);
  limpet_vec3_addmul(b->position, b->position, random_pair_below(r, 3) ? 1.0 : 0.9, offset);
}

void random_pair_kinds(limpet_shape_kind *ka, limpet_shape_kind *kb, random_pairs *r) {
  *ka = (limpet_shape_kind)random_pair_below(r, LIMPET_SHAPE_CLOUD);
  *kb = (limpet_shape_kind)(1 + random_pair_below(r, LIMPET_SHAPE_CLOUD - 1));
  if (*ka <= *kb) return;
  const limpet_shape_kind swap = *ka;
  *ka = *kb, *kb = swap;
}

void random_pair_draw(random_shape *a, random_shape *b, random_pairs *r, limpet_shape_kind ka,
                      limpet_shape_kind kb) {
  const bool aligned = random_pair_below(r, 4) == 0;
  shape_random(a, r, ka, aligned);
  shape_random(b, r, kb, aligned);
  place(a, b, r, aligned);
}

bool random_pairs_create(random_pairs *r, unsigned long seed) {
  *r = (random_pairs){.seed = seed};
  for (int h = 0; h < RANDOM_PAIR_HULLS; ++h) {
    double points[3 * 60];
    const int count = 6 + random_pair_below(r, 54);
    const double scale = random_pair_log(r, 1e-2, 0.3);
    for (int i = 0; i < 3 * count; ++i) points[i] = scale * random_pair_between(r, -1.0, 1.0);
    r->hulls[h] = limpet_hull_create(points, count, -1, NULL);
    if (!r->hulls[h]) return false;
  }
  return true;
}

void random_pairs_destroy(random_pairs *r) {
  for (int h = 0; h < RANDOM_PAIR_HULLS; ++h) free(r->hulls[h]);
}

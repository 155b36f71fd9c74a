/* tests/support/hull_shapes.c: see the header. */
#include "hull_shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/mesh_geometry.h"
#include "math/quaternion.h"
#include "shared_data.h"

enum { POINTS = 64 };

limpet_hull *test_hull_create(const double *points, int count) {
  limpet_error error;
  limpet_hull *hull = limpet_hull_create(points, count, -1, &error);
  if (!hull) {
    fprintf(stderr, "%s\n", error.message);
    abort();
  }
  return hull;
}

limpet_hull *test_hull_box(const double half[3]) {
  double points[24];
  for (int i = 0; i < 8; ++i)
    for (int c = 0; c < 3; ++c) points[3 * i + c] = i >> c & 1 ? half[c] : -half[c];
  return test_hull_create(points, 8);
}

limpet_hull *test_hull_prism(int corners, double radius, double half_height) {
  double points[3 * POINTS];
  for (int i = 0; i < 2 * corners; ++i) {
    const double angle = 2.0 * LIMPET_PI * (i / 2) / corners;
    limpet_vec3_set(points + 3 * i, radius * cos(angle), radius * sin(angle),
                    i % 2 == 0 ? -half_height : half_height);
  }
  return test_hull_create(points, 2 * corners);
}

limpet_hull *test_hull_random(unsigned long *state, int count, const double half[3]) {
  double points[3 * POINTS];
  for (int i = 0; i < count; ++i)
    for (int c = 0; c < 3; ++c) points[3 * i + c] = random_uniform(state, -half[c], half[c]);
  return test_hull_create(points, count);
}

void test_shape_create(test_shape *s, limpet_shape_kind kind, const double size[3],
                       const limpet_hull *hull) {
  memset(s, 0, sizeof *s);
  if (size != NULL) limpet_vec3_copy(s->size, size);
  limpet_mat3_identity(s->rotation);
  s->shape = (limpet_shape){.kind = kind,
                            .size = s->size,
                            .position = s->position,
                            .rotation = s->rotation,
                            .hull = hull};
}

void test_shape_bind(test_shape *s) {
  s->shape.size = s->size, s->shape.position = s->position, s->shape.rotation = s->rotation;
}

void test_random_rotation(unsigned long *state, double rotation[9]) {
  double q[4];
  for (int i = 0; i < 4; ++i) q[i] = random_uniform(state, -1.0, 1.0);
  limpet_quaternion_normalize(q);
  limpet_quaternion_to_matrix(rotation, q);
}

void test_shape_move(test_shape *s, const double turn[3], const double shift[3]) {
  double q[4], R[9], old[9];
  limpet_quaternion_exp(q, turn);
  limpet_quaternion_to_matrix(R, q);
  limpet_mat3_copy(old, s->rotation);
  limpet_mat3_mul(s->rotation, R, old);
  limpet_vec3_add(s->position, s->position, shift);
}

bool test_manifold_is_sound(const limpet_manifold *manifold, double margin) {
  bool sound = manifold->count <= LIMPET_MANIFOLD_ROOM;
  for (int i = 0; i < manifold->count; ++i) {
    const limpet_contact_point *p = &manifold->point[i];
    double d[3];
    limpet_vec3_sub(d, p->on_b, p->on_a);
    sound &= fabs(limpet_vec3_dot(d, p->normal) - p->distance) < 1e-12 &&
             fabs(limpet_vec3_norm(p->normal) - 1.0) < 1e-12;
    sound &= p->distance < margin || p->distance <= 0.0;
    for (int k = 0; k < i; ++k) sound &= manifold->point[k].feature != p->feature;
  }
  return sound;
}

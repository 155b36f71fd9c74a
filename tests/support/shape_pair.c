// tests/support/shape_pair.c: see shape_pair.h.
#include "shape_pair.h"

#include <math.h>

#include "math/quaternion.h"
#include "math/vec3.h"

enum { NUMBERS = 10 };  // on_a, on_b, normal, distance

void shape_pair_of(shape_pair *pair, limpet_shape_kind a, limpet_shape_kind b) {
  const limpet_shape_kind kind[2] = {a, b};
  for (int s = 0; s < 2; ++s)
    pair->shape[s] = (limpet_shape){.kind = kind[s],
                                    .position = pair->position[s],
                                    .rotation = pair->rotation[s],
                                    .size = pair->size[s],
                                    .hull = pair->hull[s]};
}

static void move(const shape_pair *from, const double P[3], int k, double by, shape_pair *to) {
  *to = *from;
  shape_pair_of(to, from->shape[0].kind, from->shape[1].kind);
  if (k >= 3) {
    to->position[1][k - 3] += by;
    return;
  }
  double turn[3] = {0.0}, quaternion[4], R[9], arm[3];
  turn[k] = by;
  limpet_quaternion_exp(quaternion, turn);
  limpet_quaternion_to_matrix(R, quaternion);
  limpet_mat3_mul(to->rotation[1], R, from->rotation[1]);
  limpet_vec3_sub(arm, from->position[1], P);
  limpet_mat3_mul_vec(to->position[1], R, arm);
  limpet_vec3_add(to->position[1], to->position[1], P);
}

static bool numbers_at(const shape_pair *from, const double P[3], int k, double by, double margin,
                       uint64_t feature, double numbers[NUMBERS]) {
  shape_pair moved;
  limpet_manifold manifold;
  move(from, P, k, by, &moved);
  limpet_shape_contact(&manifold, &moved.shape[0], &moved.shape[1], margin, false);
  for (int i = 0; i < manifold.count; ++i) {
    limpet_contact_point *p = &manifold.point[i];
    if (p->feature != feature && !from->improve) continue;
    if (from->improve) from->improve(moved.shape, p);
    limpet_vec3_copy(numbers, p->on_a), limpet_vec3_copy(numbers + 3, p->on_b);
    limpet_vec3_copy(numbers + 6, p->normal);
    numbers[9] = p->distance;
    return true;
  }
  return false;
}

double shape_pair_rate_error(const shape_pair *pair, const double P[3], int k, double width,
                             double scale, double margin, const limpet_contact_point *point,
                             const limpet_box_point_change *change) {
  static const double places[4] = {-2.0, -1.0, 1.0, 2.0},
                      weights[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
  const double E = (k < 3 ? 1.0 : scale) * width;
  double slope[NUMBERS] = {0.0}, own[NUMBERS], size = k < 3 ? scale : 1.0, worst = 0.0;
  for (int s = 0; s < 4; ++s) {
    double numbers[NUMBERS];
    if (!numbers_at(pair, P, k, places[s] * E, margin, point->feature, numbers)) return INFINITY;
    for (int i = 0; i < NUMBERS; ++i) slope[i] += weights[s] * numbers[i] / E;
  }
  limpet_vec3_copy(own, change->on_a), limpet_vec3_copy(own + 3, change->on_b);
  // the normal turns; about itself the frame may turn as it likes
  limpet_vec3_cross(own + 6, change->turn, point->normal);
  own[9] = change->distance;
  for (int i = 0; i < 6; ++i) size = fmax(size, fabs(own[i]));
  for (int i = 0; i < NUMBERS; ++i) {
    const double unit = i >= 6 && i < 9 ? fmax(k < 3 ? 1.0 : 1.0 / scale, size / scale) : size;
    worst = fmax(worst, fabs(own[i] - slope[i]) / unit);
  }
  return worst;
}

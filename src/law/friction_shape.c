/* law/friction_shape.c: principal axes of anisotropic friction: see friction_shape.h. */
#include "law/friction_shape.h"

#include <math.h>

#include "math/vec3.h"

static const double smallest_ratio = 1e-6;

// Which of the two geoms has a say: both, or the one of higher priority.
static bool counts(const limpet_model *model, const limpet_geom_pair *pair, int geom) {
  const int priority = model->geom_priority[pair->geom_a] - model->geom_priority[pair->geom_b];
  return priority == 0 || geom == (priority > 0 ? pair->geom_a : pair->geom_b);
}

bool limpet_friction_shape_matters(const limpet_model *model, const limpet_geom_pair *pair) {
  if (pair->pair >= 0) {
    const double *friction = model->pair_friction + 5 * pair->pair;
    return model->pair_condim[pair->pair] > 1 && friction[0] != friction[1];
  }
  const int geoms[2] = {pair->geom_a, pair->geom_b};
  for (int i = 0; i < 2; ++i)
    if (model->geom_material[geoms[i]].friction_ratio != 1.0 && counts(model, pair, geoms[i]))
      return true;
  return false;
}

// t1 = direction laid into the tangent plane, t2 = n x t1; false where the direction is along the
// normal.
static bool lay(double frame[9], const double direction[3]) {
  const double *n = frame + 6;
  double t[3];
  limpet_vec3_addmul(t, direction, -limpet_vec3_dot(direction, n), n);
  const double length = limpet_vec3_norm(t);
  if (!(length > 1e-9 * limpet_vec3_norm(direction))) return false;
  limpet_vec3_scale(frame, 1.0 / length, t);
  limpet_vec3_cross(frame + 3, n, frame);
  return true;
}

/* log S in the tangents of `frame` (xx, xy, yy): log ratio c c' for c across the friction axis. */
static void add_logarithm(const limpet_model *model, const limpet_data *data, int geom,
                          const double frame[9], double L[3]) {
  const limpet_material *material = &model->geom_material[geom];
  if (material->friction_ratio == 1.0) return;
  double axis[3], own[9];
  limpet_mat3_mul_vec(axis, data->geom_rotation + 9 * geom, material->friction_axis);
  limpet_vec3_copy(own + 6, frame + 6);
  if (!lay(own, axis)) limpet_vec3_tangents(own, own + 3, own + 6);
  const double x = limpet_vec3_dot(own + 3, frame), y = limpet_vec3_dot(own + 3, frame + 3);
  const double logarithm = log(fmax(material->friction_ratio, smallest_ratio));
  L[0] += logarithm * x * x, L[1] += logarithm * x * y, L[2] += logarithm * y * y;
}

static limpet_friction_shape shape_of_geoms(const limpet_model *model, const limpet_data *data,
                                            const limpet_geom_pair *pair, double frame[9]) {
  const int geoms[2] = {pair->geom_a, pair->geom_b};
  double L[3] = {0.0};
  limpet_vec3_tangents(frame, frame + 3, frame + 6);
  for (int i = 0; i < 2; ++i)
    if (counts(model, pair, geoms[i])) add_logarithm(model, data, geoms[i], frame, L);

  // axes of L: the first one at the angle of the larger eigenvalue
  const double mean = 0.5 * (L[0] + L[2]), half = 0.5 * (L[0] - L[2]), radius = hypot(half, L[1]);
  const double angle = 0.5 * atan2(L[1], half), c = cos(angle), s = sin(angle);
  double t1[3], t2[3];
  for (int i = 0; i < 3; ++i)
    t1[i] = c * frame[i] + s * frame[3 + i], t2[i] = c * frame[3 + i] - s * frame[i];
  limpet_vec3_copy(frame, t1);
  limpet_vec3_copy(frame + 3, t2);
  return (limpet_friction_shape){.largest = exp(mean + radius),
                                 .scale = {1.0, fmax(exp(-2.0 * radius), smallest_ratio)}};
}

/* Tangents as in MuJoCo (measured with 4.0.1): the first one is the world's y, or its z where
 * the normal is near y, laid into the tangent plane; for a capsule on a plane it is the
 * capsule's axis. */
static limpet_friction_shape shape_of_pair(const limpet_model *model, const limpet_data *data,
                                           const limpet_geom_pair *pair, double frame[9]) {
  static const double x[3] = {1.0, 0.0, 0.0}, y[3] = {0.0, 1.0, 0.0}, z[3] = {0.0, 0.0, 1.0};
  const limpet_shape_kind a = model->geom_kind[pair->geom_a], b = model->geom_kind[pair->geom_b];
  const bool a_lies = a == LIMPET_SHAPE_CAPSULE && b == LIMPET_SHAPE_PLANE;
  if (a_lies || (b == LIMPET_SHAPE_CAPSULE && a == LIMPET_SHAPE_PLANE)) {
    const double *R = data->geom_rotation + 9 * (a_lies ? pair->geom_a : pair->geom_b);
    if (!lay(frame, (double[3]){R[2], R[5], R[8]})) lay(frame, x);
  } else {
    lay(frame, fabs(frame[7]) < 0.5 ? y : z);
  }
  const double *friction = model->pair_friction + 5 * pair->pair,
               largest = fmax(friction[0], friction[1]);
  limpet_friction_shape shape = {.largest = 1.0};
  for (int e = 0; e < 2; ++e) shape.scale[e] = fmax(friction[e] / largest, smallest_ratio);
  return shape;
}

limpet_friction_shape limpet_friction_shape_of(const limpet_model *model, const limpet_data *data,
                                               const limpet_geom_pair *pair, double frame[9]) {
  return pair->pair >= 0 ? shape_of_pair(model, data, pair, frame)
                         : shape_of_geoms(model, data, pair, frame);
}

/* control/plan_term_distance.c: cost term of the distance of two geoms: to keep clear of each
 * other, or to come close.
 *
 *   at_least:  r = max(0, at_least - phi)        target:  r = phi - target        [m]
 *   dphi = n . (J_b(p_b) - J_a(p_a)) dq,   n from A to B, p_a and p_b the nearest points
 * phi is negative where they overlap. Exact where the nearest points are unique. */
#include <math.h>

#include "collide/shape_of_geom.h"
#include "control/drive.h"
#include "control/plan_term.h"
#include "geometry/pair.h"
#include "limpet/dynamics.h"
#include "math/vec3.h"

// [m]  farther than that a plane counts as out of reach
static const double plane_reach = 1e3;

static bool distance_read(limpet_plan_term *term, const limpet_model *model,
                          const limpet_json *object) {
  static const char *const sides[LIMPET_PLAN_TERM_PARTS] = {"geom", "other"};
  const double none = NAN;
  limpet_json member;
  for (int k = 0; k < LIMPET_PLAN_TERM_PARTS; ++k) {
    const char *name;
    if (!limpet_json_text(object, sides[k], NULL, &name)) return false;
    limpet_json_member(&member, object, sides[k]);
    if (!limpet_json_find(&member, model, LIMPET_OBJECT_GEOM, &term->geom[k])) return false;
    if (model->geom_kind[term->geom[k]] == LIMPET_SHAPE_CLOUD)
      return limpet_json_fail(&member, "is a point cloud, which has no distance here");
  }
  if (model->geom_kind[term->geom[0]] == LIMPET_SHAPE_PLANE &&
      model->geom_kind[term->geom[1]] == LIMPET_SHAPE_PLANE)
    return limpet_json_fail(object, "two planes have no distance");
  if (!limpet_plan_term_rows(term, 1, false)) return limpet_json_fail(object, "no memory");
  if (!limpet_json_number(object, "at_least", &none, &term->least)) return false;
  const bool target = limpet_json_member(&member, object, "target");
  if (target == !isnan(term->least))
    return limpet_json_fail(object, "give \"at_least\" [m] to keep clear, or \"target\" [m]");
  return !target || limpet_json_number(object, "target", NULL, &term->target[0]);
}

typedef struct nearest {
  double distance, on_a[3], on_b[3], normal[3];
} nearest;

static nearest nearest_of(const limpet_plan_term *term, const limpet_plan_evaluation *at) {
  const limpet_shape a = limpet_shape_of_geom(at->model, at->data, term->geom[0]),
                     b = limpet_shape_of_geom(at->model, at->data, term->geom[1]);
  nearest best = {.distance = INFINITY};
  if (a.kind != LIMPET_SHAPE_PLANE && b.kind != LIMPET_SHAPE_PLANE) {
    best.distance = limpet_convex_distance(&a, &b, best.on_a, best.on_b, best.normal);
    return best;
  }
  limpet_manifold manifold;
  limpet_shape_contact(&manifold, &a, &b, plane_reach, false);
  for (int i = 0; i < manifold.count; ++i) {
    const limpet_contact_point *p = &manifold.point[i];
    if (!(p->distance < best.distance)) continue;
    best.distance = p->distance;
    limpet_vec3_copy(best.on_a, p->on_a);
    limpet_vec3_copy(best.on_b, p->on_b);
    limpet_vec3_copy(best.normal, p->normal);
  }
  return best;
}

static void distance_evaluate(const limpet_plan_term *term, limpet_plan_evaluation *at) {
  limpet_geom_kinematics(at->model, at->data, true);
  const nearest pair = nearest_of(term, at);
  const bool clear = !isnan(term->least);
  at->r[0] = clear ? fmax(0.0, term->least - pair.distance) : pair.distance - term->target[0];
  if (!isfinite(at->r[0])) at->r[0] = 0.0;
  if (!at->J || (clear && at->r[0] == 0.0) || !isfinite(pair.distance)) return;
  const int nv = at->model->nv;
  const double sign = clear ? -1.0 : 1.0;
  for (int side = 0; side < LIMPET_PLAN_TERM_PARTS; ++side) {
    const int body = at->model->geom_body[term->geom[side]];
    limpet_jacobian(at->model, at->data, body, side ? pair.on_b : pair.on_a, at->scratch);
    for (int j = 0; j < nv; ++j)
      for (int i = 0; i < 3; ++i)
        at->J[j] += (side ? sign : -sign) * pair.normal[i] * at->scratch[(3 + i) * nv + j];
  }
}

static const char *const keys[] = {"geom", "other", "at_least", "target", NULL};

const limpet_plan_term_kind limpet_plan_term_distance = {
    .descriptor = {.name = "distance",
                   .text = "Distance of `geom` and `other` [m]: what is missing to `at_least`, or "
                           "the difference from `target`.",
                   .reference = "docs/trajectory-optimisation.md"},
    .keys = keys,
    .read = distance_read,
    .evaluate = distance_evaluate};

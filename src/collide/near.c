/* collide/near.c: see near.h. Cost: some 300 instructions for a candidate that is asked. */
#include "collide/near.h"

#include <math.h>

#include "collide/bounds.h"
#include "collide/cull.h"
#include "math/extremes.h"

static const double rounding = 1e-12;  // of distances, and of spreads, which are sums of many steps

double limpet_pair_margin(const limpet_model *model, int geom_a, int geom_b, int pair) {
  if (pair >= 0) return model->pair_margin[pair];
  return model->geom_margin[geom_a] + model->geom_margin[geom_b];
}

static double margin_of(const limpet_model *model, const limpet_candidate *pair) {
  return limpet_pair_margin(model, model->collider_geom[pair->a], model->collider_geom[pair->b],
                            pair->pair);
}

static double gap_of(const limpet_model *model, const limpet_candidate *pair) {
  if (pair->pair >= 0) return model->pair_gap[pair->pair];
  return model->geom_gap[model->collider_geom[pair->a]] +
         model->geom_gap[model->collider_geom[pair->b]];
}

static double reach_of(const limpet_model *model, const limpet_reach *reach, int a, int b) {
  const int body_a = model->geom_body[model->collider_geom[a]],
            body_b = model->geom_body[model->collider_geom[b]];
  return limpet_reach_of_bodies(model, reach, body_a, body_b);
}

/* [m]  By how much both boxes together are larger than they need be: reach that two bodies of one
 * tree have in common takes them no nearer to each other. 0: of others. */
static double shared_reach(const limpet_model *model, const limpet_reach *reach, int a, int b) {
  const int tree_a = model->body_tree[model->geom_body[model->collider_geom[a]]],
            tree_b = model->body_tree[model->geom_body[model->collider_geom[b]]];
  return tree_a == tree_b && tree_a >= 0 ? 2.0 * reach->tree[tree_a] : 0.0;
}

// What a collider adds to its box: of body and tree.
static double full_reach(const limpet_model *model, const limpet_reach *reach, int c) {
  const int body = model->geom_body[model->collider_geom[c]], tree = model->body_tree[body];
  return reach->body[body] + (tree >= 0 ? reach->tree[tree] : 0.0);
}

static bool goes_by_boxes(const limpet_colliders *colliders, const limpet_candidate *pair) {
  return pair->pair < 0 &&
         !((colliders->flags[pair->a] | colliders->flags[pair->b]) & LIMPET_COLLIDER_PLANE);
}

/* Up to which sum of their spreads a pair that is not near stays so, by its spheres or over a
 * plane by the box. Both grow by the spreads at most. */
static double clear_until(const limpet_colliders *colliders, const limpet_model *model,
                          const limpet_data *data, const limpet_reach *reach, double spread,
                          const limpet_candidate *pair) {
  const int a = pair->a, b = pair->b;
  const double ways = spread - full_reach(model, reach, a) - full_reach(model, reach, b);
  const double margin = limpet_max(0.0, margin_of(model, pair) + gap_of(model, pair));
  const double clear = limpet_colliders_clearance(colliders, model, data, a, b) - margin;
  return ways + clear - rounding * (fabs(clear) + spread);
}

// Ways that overflow say nothing.
static double known_or_unknown(double until) { return until >= 0.0 ? until : -1.0; }

// The less of two lengths by which a pair is near; 0 where they are no numbers.
static double certain_of(const limpet_model *model, const limpet_candidate *pair, double x,
                         double y) {
  const double a = model->geom_radius[model->collider_geom[pair->a]],
               b = model->geom_radius[model->collider_geom[pair->b]];
  const double radii = (isfinite(a) ? a : 0.0) + (isfinite(b) ? b : 0.0);
  const double least = x <= y ? x : y <= x ? y : 0.0;
  return least - rounding * (radii + least);
}

bool limpet_candidate_ask(limpet_colliders *colliders, const limpet_model *model,
                          const limpet_data *data, const limpet_reach *reach, double spread,
                          limpet_candidate *pair, double *inside) {
  ++colliders->tests;
  const int a = pair->a, b = pair->b;
  double overlap = INFINITY;
  pair->until = -1.0;
  *inside = 0.0;
  if (goes_by_boxes(colliders, pair)) {
    const limpet_box *box_a = limpet_bounds_box(colliders, model, data, reach, a),
                     *box_b = limpet_bounds_box(colliders, model, data, reach, b);
    const double gap = limpet_boxes_gap(box_a, box_b);
    const double shared = gap > 0.0 ? 0.0 : shared_reach(model, reach, a, b);
    if (gap + shared > 0.0) {
      pair->until = known_or_unknown(spread + gap);
      return false;
    }
    // less than rounding takes: whether they meet is said without it
    if (limpet_boxes_distance(box_a, box_b, 0.0f) + shared > 0.0) return false;
    overlap = limpet_boxes_overlap(box_a, box_b) - shared;
  }
  const double margin = margin_of(model, pair) + gap_of(model, pair);
  if (limpet_colliders_near(colliders, model, data, a, b,
                            limpet_max(0.0, margin + reach_of(model, reach, a, b)), inside)) {
    *inside = certain_of(model, pair, *inside, overlap);
    return true;
  }
  pair->until = known_or_unknown(clear_until(colliders, model, data, reach, spread, pair));
  return false;
}

void limpet_candidate_pair(const limpet_model *model, const limpet_reach *reach,
                           const limpet_candidate *candidate, limpet_collision_pair *pair) {
  // field by field: a struct that is returned is copied
  pair->geom_a = model->collider_geom[candidate->a];
  pair->geom_b = model->collider_geom[candidate->b];
  pair->pair = candidate->pair;
  pair->margin = margin_of(model, candidate);
  pair->gap = gap_of(model, candidate);
  pair->reach = reach_of(model, reach, candidate->a, candidate->b);
  pair->lessened = pair->swallowed = false;
  pair->rest = (limpet_rest){.face = -1};
  pair->surface_error = pair->surface_force = 0.0;
  pair->memory = candidate->memory;
}

/* collide/bounds.c: see bounds.h. */
#include "collide/bounds.h"

#include <math.h>
#include <string.h>

#include "math/extremes.h"
#include "math/pairs.h"
#include "math/vec3.h"

static const double wide_share = 0.1;    // of the half extents
static const double wide_reaches = 4.0;  // some eight ways of a step
// [-]  a wide box that exceeds a new one by more than this share of the growth is too wide
static const float slack_limit = 8.0f;
static const double rounding = 2e-6;  // of the coordinates of boxes, which are single precision

// [m]  what the bodies of a tree have in common.
static double tree_reach(const limpet_model *model, const limpet_reach *reach, int body) {
  const int tree = model->body_tree[body];
  return tree >= 0 ? reach->tree[tree] : 0.0;
}

static double reach_of_body(const limpet_model *model, const limpet_reach *reach, int body) {
  return reach->body[body] + tree_reach(model, reach, body);
}

static double reach_of_geom(const limpet_model *model, const limpet_reach *reach, int geom) {
  return reach_of_body(model, reach, model->geom_body[geom]);
}

static void box_update(limpet_colliders *colliders, const limpet_model *model,
                       const limpet_data *data, int c, double reach) {
  const int geom = model->collider_geom[c];
  const double *p = data->geom_position + 3 * geom, *R = data->geom_rotation + 9 * geom;
  const double *m = colliders->centre + 3 * c, *h = colliders->half + 3 * c;
  const double grow = model->geom_margin[geom] + model->geom_gap[geom] + reach;
  const bool round = model->geom_kind[geom] == LIMPET_SHAPE_SPHERE;
  limpet_box *box = &colliders->box[c];
  for (int i = 0; i < 3; ++i) {
    const double *r = R + 3 * i;
    const double centre = p[i] + r[0] * m[0] + r[1] * m[1] + r[2] * m[2];
    const double half =
        grow + (round ? h[0] : fabs(r[0]) * h[0] + fabs(r[1]) * h[1] + fabs(r[2]) * h[2]);
    // more than rounding to single precision takes away
    const double slack = 2e-7 * (fabs(centre) + half);
    box->low[i] = (float)(centre - half - slack);
    box->high[i] = (float)(centre + half + slack);
  }
}

// Poses of bodies by name, as compilers load those of a struct anew after each store of pairs.
typedef struct body_poses {
  const double *position, *rotation, *quaternion;
} body_poses;

static inline body_poses poses_of(const limpet_data *data) {
  return (body_poses){data->body_position, data->body_rotation, data->body_quaternion};
}

// The way of the middle of a body's colliders since it was last seen, and how far it turned.
static inline void carrier_see(limpet_carrier *carrier, const body_poses *poses) {
  const long body = carrier->body;
  const double *R = poses->rotation + 9 * body, *m = carrier->middle,
               *at = poses->position + 3 * body, *Q = poses->quaternion + 4 * body;
  double *p = carrier->pose, *way = carrier->way;
  const double x = m[0], y = m[1], z = m[2];
  const double now[3] = {R[0] * x + R[1] * y + R[2] * z + at[0],
                         R[3] * x + R[4] * y + R[5] * z + at[1],
                         R[6] * x + R[7] * y + R[8] * z + at[2]};
  const limpet_pair wx = limpet_pair_at(Q), yz = limpet_pair_at(Q + 2);
  const limpet_pair low = wx - limpet_pair_at(p + 3), high = yz - limpet_pair_at(p + 5);
  const limpet_pair square = low * low + high * high;
  carrier->turned += 2.0 * sqrt(square[0] + square[1]);
  for (int i = 0; i < 3; ++i) way[i] = now[i] - p[i];
  for (int i = 0; i < 3; ++i) p[i] = now[i];
  *(limpet_pair *)(p + 3) = wx, *(limpet_pair *)(p + 5) = yz;
}

// The spread of a collider, with the reach `ahead`.
static void spread_update(limpet_colliders *colliders, int c, double ahead) {
  const limpet_carrier *carrier = &colliders->carrier[colliders->carrier_of[c]];
  colliders->spread[c] = carrier->moved + carrier->turned * colliders->arm[2 * c + 1] + ahead;
}

static void box_widen(limpet_box *wide, const limpet_box *box, float growth) {
  *wide = (limpet_box){0};
  for (int i = 0; i < 3; ++i)
    wide->low[i] = box->low[i] - growth, wide->high[i] = box->high[i] + growth;
}

// By how much a box lies within another on all sides [m], less what rounding may take.
static double room_within(const limpet_box *wide, const limpet_box *box) {
  double room = INFINITY;
  for (int i = 0; i < 3; ++i) {
    const double size = fabs(wide->low[i]) + fabs(wide->high[i]);
    const double low = box->low[i] - wide->low[i], high = wide->high[i] - box->high[i];
    room = limpet_min(room, limpet_min(low, high) - rounding * size);
  }
  return room;
}

void limpet_bounds_box_make(limpet_colliders *colliders, const limpet_model *model,
                            const limpet_data *data, const limpet_reach *reach, int c) {
  colliders->boxed[c] = colliders->step;
  box_update(colliders, model, data, c, reach_of_geom(model, reach, model->collider_geom[c]));
}

static void collider_update(limpet_colliders *colliders, const limpet_model *model,
                            const limpet_data *data, int c, double ahead) {
  const double *h = colliders->half + 3 * c;
  box_update(colliders, model, data, c, ahead);
  colliders->boxed[c] = colliders->step;
  const double size = wide_share * (h[0] + h[1] + h[2]) / 3.0;
  const double growing =
      limpet_collider_is_carried(colliders, c) ? size + wide_reaches * ahead : 0.0;
  const float growth = (float)growing;
  limpet_box *wide = &colliders->wide[c], most;
  box_widen(&most, &colliders->box[c], slack_limit * growth);
  if (!limpet_box_holds(wide, &colliders->box[c]) || !limpet_box_holds(&most, wide)) {
    box_widen(wide, &colliders->box[c], growth);
    // with such a reach or less it would be too wide
    colliders->calm[c] =
        (growing + ahead - slack_limit * size) / (1.0 + slack_limit * wide_reaches);
    colliders->flags[c] |= LIMPET_COLLIDER_LEFT;
    colliders->left[colliders->left_count++] = c;
  }
  colliders->stays[c] = colliders->spread[c] + room_within(wide, &colliders->box[c]);
}

/* Spread of a collider; its box where it may be out of the wide one, or calm in it.
 * always: in any case. */
static void collider_look(limpet_colliders *colliders, const limpet_model *model,
                          const limpet_data *data, int c, const limpet_reach *reach, bool always) {
  const double ahead = reach_of_geom(model, reach, model->collider_geom[c]);
  spread_update(colliders, c, ahead);
  if (always || !(colliders->spread[c] < colliders->stays[c]) || ahead < colliders->calm[c])
    collider_update(colliders, model, data, c, ahead);
}

/* Leaves that moved, one by one; or, at first, where many moved and where the tree has been moved
 * about for long, all anew. */
static void tree_update(limpet_colliders *colliders, limpet_box_tree *tree, int *leaf, int count,
                        const int *left, int left_count) {
  if (count <= LIMPET_FEW_COLLIDERS) return;
  if (tree->count != count || 4 * left_count > count || tree->moves > 2 * count) {
    limpet_box_tree_build(tree, colliders->wide, leaf, count);
    return;
  }
  for (int k = 0; k < left_count; ++k)
    limpet_box_tree_move(tree, left[k], &colliders->wide[left[k]]);
}

/* The largest growth of a spread. `sure`: 0, but where a growth is no number or infinite; then
 * nothing is known any more. */
static void clock_advance(limpet_carrier_pairs *pairs, double most, double sure) {
  pairs->clock += most;
  if (sure == 0.0 && pairs->clock < INFINITY) return;
  pairs->clock = 0.0;
  memset(pairs->grown, 0, (size_t)pairs->carriers * sizeof *pairs->grown);
  memset(pairs->row_until, 0, (size_t)pairs->carriers * sizeof *pairs->row_until);
}

// The mean of the ways of the carriers that have moved since they were seen, which are seen now.
static void carriers_see(limpet_carrier *carrier, int count, const body_poses *poses,
                         double mean[3]) {
  limpet_vec3_zero(mean);
  int seen = 0;
  for (const limpet_carrier *end = carrier + count; carrier < end; ++carrier) {
    if (carrier->body == 0) continue;
    carrier_see(carrier, poses);
    limpet_vec3_add(mean, mean, carrier->way);
    ++seen;
  }
  if (seen > 0) limpet_vec3_scale(mean, 1.0 / seen, mean);
}

void limpet_bounds_carriers(limpet_colliders *colliders, const limpet_model *model,
                            const limpet_data *data, const limpet_reach *reach) {
  ++colliders->step;
  if (reach->body[0] != colliders->fixed_reach)
    for (int k = 0; k < colliders->fixed_count; ++k) colliders->boxed[colliders->fixed[k]] = 0;
  colliders->fixed_reach = reach->body[0];
  const body_poses poses = poses_of(data);
  double mean[3];
  carriers_see(colliders->carrier, colliders->carrier_count, &poses, mean);
  limpet_carrier_pairs *pairs = &colliders->pairs;
  double most = 0.0, sure = 0.0, shared = 0.0;
  for (int k = 0, tree = LIMPET_NONE; k < colliders->carrier_count; ++k) {
    limpet_carrier *carrier = &colliders->carrier[k];
    const int body = carrier->body;
    if (model->body_tree[body] != tree) {  // those of a tree follow each other
      tree = model->body_tree[body];
      shared = tree_reach(model, reach, body);
    }
    carrier->moved += limpet_vec3_distance(carrier->way, mean);
    const double own = reach->body[body], whole = own + shared,
                 turning = carrier->turned * carrier->arm;
    pairs->turning[k] = turning;
    pairs->reach[2 * k] = whole, pairs->reach[2 * k + 1] = own;
    const double spread = carrier->moved + turning + whole;
    // with what the tree has in common, and without
    const double with = spread - pairs->spread[k], without = with - (shared - pairs->shared[k]);
    const double grown = limpet_larger(limpet_larger(with, without), 0.0);
    pairs->grown[k] += grown;
    most = limpet_larger(grown, most);
    sure += 0.0 * (with + without);
    pairs->spread[k] = spread, pairs->shared[k] = shared;
  }
  clock_advance(pairs, most, sure);
}

void limpet_bounds_update(limpet_colliders *colliders, const limpet_model *model,
                          const limpet_data *data, const limpet_reach *reach) {
  for (int k = 0; k < colliders->left_count; ++k)
    colliders->flags[colliders->left[k]] &= (unsigned char)~LIMPET_COLLIDER_LEFT;
  colliders->left_count = 0;
  ++colliders->step;
  const body_poses poses = poses_of(data);
  for (int k = 0; k < colliders->carrier_count; ++k) {
    limpet_carrier *carrier = &colliders->carrier[k];
    if (carrier->body == 0) continue;
    carrier_see(carrier, &poses);
    carrier->moved += limpet_vec3_norm(carrier->way);
  }
  const bool forget = colliders->forget;
  for (int k = 0; k < colliders->moving_count; ++k)
    collider_look(colliders, model, data, colliders->moving[k], reach, forget);
  const int moving_left = colliders->left_count;
  const bool all = reach->body[0] != colliders->fixed_reach;
  for (int k = 0; k < colliders->fixed_count && (all || colliders->carried); ++k) {
    const int c = colliders->fixed[k];
    if (all || limpet_collider_is_carried(colliders, c))
      collider_look(colliders, model, data, c, reach, all || forget);
  }
  for (int k = 0; k < colliders->plane_count; ++k)
    spread_update(colliders, colliders->plane[k],
                  reach_of_geom(model, reach, model->collider_geom[colliders->plane[k]]));
  colliders->fixed_reach = reach->body[0];
  tree_update(colliders, &colliders->tree[LIMPET_TREE_MOVING], colliders->moving,
              colliders->moving_count, colliders->left, moving_left);
  tree_update(colliders, &colliders->tree[LIMPET_TREE_FIXED], colliders->fixed,
              colliders->fixed_count, colliders->left + moving_left,
              colliders->left_count - moving_left);
}

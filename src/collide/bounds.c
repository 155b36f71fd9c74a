/* collide/bounds.c: see bounds.h. */
#include "collide/bounds.h"

#include <math.h>
#include <string.h>

#include "math/vec3.h"

static const double wide_share = 0.1;    // of the half extents
static const double wide_reaches = 4.0;  // some eight ways of a step
// [-]  a wide box that exceeds a new one by more than this share of the growth is too wide
static const float slack_limit = 8.0f;

static double reach_of_geom(const limpet_model *model, const limpet_reach *reach, int geom) {
  const int body = model->geom_body[geom], tree = model->body_tree[body];
  return reach->body[body] + (tree >= 0 ? reach->tree[tree] : 0.0);
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

// How far the geom moved since it was last seen, added to its way.
static void way_update(limpet_colliders *colliders, const limpet_model *model,
                       const limpet_data *data, int c) {
  const int geom = model->collider_geom[c];
  const double *p = data->geom_position + 3 * geom, *R = data->geom_rotation + 9 * geom;
  double *pose = colliders->pose + 12 * c, turn = 0.0;
  for (int i = 0; i < 9; ++i) turn += (R[i] - pose[3 + i]) * (R[i] - pose[3 + i]);
  colliders->way[c] += limpet_vec3_distance(p, pose) + sqrt(turn) * model->geom_radius[geom];
  memcpy(pose, p, 3 * sizeof *pose);
  memcpy(pose + 3, R, 9 * sizeof *pose);
}

static void box_widen(limpet_box *wide, const limpet_box *box, float growth) {
  *wide = (limpet_box){0};
  for (int i = 0; i < 3; ++i)
    wide->low[i] = box->low[i] - growth, wide->high[i] = box->high[i] + growth;
}

static void collider_update(limpet_colliders *colliders, const limpet_model *model,
                            const limpet_data *data, int c, const limpet_reach *reach) {
  const double ahead = reach_of_geom(model, reach, model->collider_geom[c]);
  const double *h = colliders->half + 3 * c;
  box_update(colliders, model, data, c, ahead);
  way_update(colliders, model, data, c);
  const bool still = !(colliders->flags[c] & (LIMPET_COLLIDER_MOVES | LIMPET_COLLIDER_CARRIED));
  const float growth =
      still ? 0.0f : (float)(wide_share * (h[0] + h[1] + h[2]) / 3.0 + wide_reaches * ahead);
  limpet_box *wide = &colliders->wide[c], most;
  box_widen(&most, &colliders->box[c], slack_limit * growth);
  if (limpet_box_holds(wide, &colliders->box[c]) && limpet_box_holds(&most, wide)) return;
  box_widen(wide, &colliders->box[c], growth);
  colliders->flags[c] |= LIMPET_COLLIDER_LEFT;
  colliders->left[colliders->left_count++] = c;
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

void limpet_bounds_update(limpet_colliders *colliders, const limpet_model *model,
                          const limpet_data *data, const limpet_reach *reach) {
  for (int k = 0; k < colliders->left_count; ++k)
    colliders->flags[colliders->left[k]] &= (unsigned char)~LIMPET_COLLIDER_LEFT;
  colliders->left_count = 0;
  for (int k = 0; k < colliders->moving_count; ++k)
    collider_update(colliders, model, data, colliders->moving[k], reach);
  const int moving_left = colliders->left_count;
  const bool all = reach->body[0] != colliders->fixed_reach;
  for (int k = 0; k < colliders->fixed_count && (all || colliders->carried); ++k) {
    const int c = colliders->fixed[k];
    if (all || (colliders->flags[c] & LIMPET_COLLIDER_CARRIED))
      collider_update(colliders, model, data, c, reach);
  }
  for (int k = 0; k < colliders->plane_count; ++k)
    if (colliders->flags[colliders->plane[k]] & (LIMPET_COLLIDER_MOVES | LIMPET_COLLIDER_CARRIED))
      way_update(colliders, model, data, colliders->plane[k]);
  colliders->fixed_reach = reach->body[0];
  tree_update(colliders, &colliders->tree[LIMPET_TREE_MOVING], colliders->moving,
              colliders->moving_count, colliders->left, moving_left);
  tree_update(colliders, &colliders->tree[LIMPET_TREE_FIXED], colliders->fixed,
              colliders->fixed_count, colliders->left + moving_left,
              colliders->left_count - moving_left);
}

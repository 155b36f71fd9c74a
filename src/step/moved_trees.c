/* step/moved_trees.c: see moved_trees.h. Cost: a pass over the points found. */
#include "step/moved_trees.h"

#include "contact/assemble.h"
#include "math/extremes.h"
#include "math/forest.h"
#include "math/vec3.h"
#include "model/point_velocity.h"
#include "step/assembly.h"

static int tree_of(const limpet_model *model, int geom) {
  return model->body_tree[model->geom_body[geom]];
}

// Velocity [m/s] of a point of a geom's body at the end of the attempt, W.
static void velocity_at(const limpet_parting *p, int geom, const double point[3], double v[3]) {
  const limpet_model *model = p->data->model;
  limpet_point_velocity_by(model, p->data, p->twist, model->geom_body[geom], point, v);
}

// Whether a point may close within the step at the velocities of the attempt.
static bool may_close(const limpet_parting *p, const limpet_collision_pair *pair,
                      const limpet_contact_point *point) {
  double of_a[3], of_b[3];
  velocity_at(p, pair->geom_a, point->on_a, of_a);
  velocity_at(p, pair->geom_b, point->on_b, of_b);
  const double speed = limpet_vec3_dot(point->normal, of_b) - limpet_vec3_dot(point->normal, of_a);
  const double way = LIMPET_WAYS_AHEAD * p->work->settings.time_step * limpet_min(0.0, speed);
  const double reach = limpet_step_speculative_distance(&p->work->settings);
  return !(point->distance - pair->margin + way > reach);
}

static void join_islands(const limpet_parting *p) {
  const limpet_contact_problem *problem = &p->work->problem;
  for (int i = 0; i < problem->island_count; ++i) {
    const limpet_island *island = &problem->island[i];
    const int *block = problem->island_block + island->block;
    for (int k = 1; k < island->block_count; ++k) limpet_forest_join(p->root, block[0], block[k]);
  }
}

// Trees between which points of the new collision may close.
static void join_points(const limpet_parting *p, const limpet_collision *collision) {
  const limpet_model *model = p->data->model;
  for (int first = 0, end; first < collision->contact_count; first = end) {
    end = limpet_collision_pair_end(collision, first);
    const limpet_collision_pair *pair = limpet_collision_pair_of(collision, first);
    const int a = tree_of(model, pair->geom_a), b = tree_of(model, pair->geom_b);
    if (a < 0 || b < 0 || limpet_forest_root(p->root, a) == limpet_forest_root(p->root, b))
      continue;
    bool closes = false;
    for (int i = first; i < end && !closes; ++i)
      closes = may_close(p, pair, &collision->contact[i].point);
    if (closes) limpet_forest_join(p->root, a, b);
  }
}

static void move_pair(const limpet_parting *p, const limpet_collision_pair *pair) {
  const int a = tree_of(p->data->model, pair->geom_a), b = tree_of(p->data->model, pair->geom_b);
  if (a >= 0) p->moved[a] = true;
  if (b >= 0) p->moved[b] = true;
}

// Whether two pairs have the same points.
static bool same_points(const limpet_collision *a, int first_a, int end_a,
                        const limpet_collision *b, int first_b, int end_b) {
  if (end_a - first_a != end_b - first_b) return false;
  for (int i = first_a, k = first_b; i < end_a; ++i, ++k)
    if (a->contact[i].point.feature != b->contact[k].point.feature) return false;
  return true;
}

// Trees of pairs whose points are not those of the attempt.
static void move_changed(const limpet_parting *p, const limpet_collision *collision) {
  const limpet_collision *posed = p->posed;
  int i = 0, k = 0;
  while (i < collision->contact_count || k < posed->contact_count) {
    const limpet_collision_pair *a =
        i < collision->contact_count ? limpet_collision_pair_of(collision, i) : NULL;
    const limpet_collision_pair *b =
        k < posed->contact_count ? limpet_collision_pair_of(posed, k) : NULL;
    const bool new_first = a && (!b || limpet_collision_pair_before(a, b)),
               old_first = b && (!a || limpet_collision_pair_before(b, a));
    const int end_a = a ? limpet_collision_pair_end(collision, i) : i,
              end_b = b ? limpet_collision_pair_end(posed, k) : k;
    if (new_first || old_first || !same_points(collision, i, end_a, posed, k, end_b))
      move_pair(p, old_first ? b : a);
    if (!old_first) i = end_a;
    if (!new_first) k = end_b;
  }
}

static void move_unsolved(const limpet_parting *p) {
  const limpet_contact_problem *problem = &p->work->problem;
  for (int i = 0; i < problem->island_count; ++i)
    if (p->found->contact.outcome[i] != LIMPET_OUTCOME_SOLVED)
      p->moved[problem->island_block[problem->island[i].block]] = true;
}

// A tree moves where one that belongs to it does.
static void move_together(const limpet_parting *p) {
  const int count = p->data->model->tree_count;
  for (int t = 0; t < count; ++t)
    if (p->moved[t]) p->moved[limpet_forest_root(p->root, t)] = true;
  for (int t = 0; t < count; ++t) p->moved[t] = p->moved[limpet_forest_root(p->root, t)];
}

int limpet_moved_trees_staying_contacts(const limpet_parting *p) {
  const limpet_contact_problem *problem = &p->work->problem;
  int count = 0;
  for (int i = 0; i < problem->island_count; ++i)
    if (!p->moved[problem->island_block[problem->island[i].block]])
      count += problem->island[i].contact_count;
  return count;
}

limpet_trees limpet_moved_trees_list(const limpet_parting *p) {
  const int trees = p->data->model->tree_count;
  int *list = LIMPET_TAKE(p->work->arena, int, trees), count = 0;
  for (int t = 0; list && t < trees; ++t)
    if (p->moved[t]) list[count++] = t;
  return (limpet_trees){count, list};
}

bool limpet_moved_trees_has(const limpet_parting *p, int geom) {
  const int tree = tree_of(p->data->model, geom);
  return tree >= 0 && p->moved[tree];
}

bool limpet_moved_trees_lacks(const limpet_parting *p, int geom) {
  const int tree = tree_of(p->data->model, geom);
  return tree >= 0 && !p->moved[tree];
}

static limpet_status take_trees(limpet_parting *p) {
  const int trees = p->data->model->tree_count;
  limpet_arena *arena = p->work->arena;
  p->root = LIMPET_TAKE(arena, int, trees);
  p->moved = LIMPET_TAKE_ZERO(arena, bool, trees);
  if (!p->root || !p->moved) return LIMPET_ERROR_MEMORY;
  for (int t = 0; t < trees; ++t) p->root[t] = t;
  return LIMPET_OK;
}

limpet_status limpet_moved_trees_find(limpet_parting *p) {
  if (take_trees(p) != LIMPET_OK) return LIMPET_ERROR_MEMORY;
  join_islands(p);
  join_points(p, &p->work->collision);
  move_changed(p, &p->work->collision);
  move_unsolved(p);
  move_together(p);
  return LIMPET_OK;
}

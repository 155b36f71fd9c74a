/* step/detection.c: how far from their surfaces bodies search for contacts, and the search.
 *
 *   own      d/2 + 2 dt (|v_o - v_r| + |dv_o - dv_r| + (|w| + |dw|) r)   of a body
 *   common   2 dt (|v_r| + |dv_r|)                                       of a tree
 * Index r: the first body of the tree; factor r: radius of the body about its origin [m].
 * d: speculative distance [m], v_o: velocity of the body's origin, w: its angular velocity; dv_o,
 * dw: what free motion adds to them within the step, [dw; dv] = sum over the dofs above the body of
 * S_k dv_k. The factor 2 allows for impacts within the step that speed a body up. Where impacts
 * throw bodies farther, look_again.c looks again, with what they have added in the place of free
 * motion if it is more. */
#include "step/detection.h"

#include <math.h>
#include <string.h>

#include "collide/fast_pairs.h"
#include "collide/pair_reach.h"
#include "collide/soft.h"
#include "dynamics/tree_kernels.h"
#include "math/extremes.h"
#include "math/spatial.h"
#include "math/vec3.h"
#include "step/assembly.h"
#include "step/scheme.h"
#include "step/soft_motion.h"

// Velocity [m/s] of a point at `arm` from the origin of the tree, for the twist V about that, W.
static inline void point_velocity(const double arm[3], const double V[6], double v[3]) {
  limpet_vec3_cross(v, V, arm);
  limpet_vec3_add(v, v, V + 3);
}

// Velocity [m/s] of the body's origin for the twist V about the origin of its tree, W.
static void origin_velocity(const limpet_data *data, int body, int tree, const double V[6],
                            double v[3]) {
  double arm[3];
  limpet_vec3_sub(arm, data->body_position + 3 * body, data->tree_origin + 3 * tree);
  point_velocity(arm, V, v);
}

// Velocities whose squares overflow say nothing of how far bodies get: all of them are looked at.
static inline double known_or_infinite(double reach) { return reach < INFINITY ? reach : INFINITY; }

static inline double longer(double reach, double asked) {
  const double known = known_or_infinite(asked);
  return known > reach ? known : reach;
}

// Reach of a tree whose first body goes `shared` [m/s] and whose bodies go way (body_count) beside
// it.
static void widen(const limpet_model *model, int tree, double ahead, double shared,
                  const double *way, double *own, double *common) {
  const limpet_range bodies = limpet_tree_bodies(model, tree);
  common[tree] = longer(common[tree], ahead * shared);
  for (int b = bodies.first; b < bodies.end; ++b) own[b] = longer(own[b], ahead * way[b]);
}

// Twists of all bodies, zero of those that are in none of the trees. NULL: no memory.
static double *twists_take(const limpet_model *model, limpet_trees trees, limpet_arena *arena) {
  const size_t size = 6 * (size_t)model->body_count;
  if (trees.tree) return LIMPET_TAKE_ZERO(arena, double, size);
  double *twist = LIMPET_TAKE(arena, double, size);
  for (int b = 0; twist && b < model->body_count;) {
    const int tree = model->body_tree[b];
    if (tree < 0) limpet_spatial_zero(twist + 6 * b);
    b += tree < 0 ? 1 : model->tree_body_count[tree];
  }
  return twist;
}

// Twists now of the bodies of trees that move, 0 of others. NULL: no memory.
static const double *twists_now(const limpet_model *model, const limpet_data *data,
                                limpet_trees trees, limpet_arena *arena) {
  if (!trees.tree) return data->body_velocity;
  double *twist = LIMPET_TAKE_ZERO(arena, double, 6 * (size_t)model->body_count);
  for (int i = 0; i < trees.count && twist; ++i) {
    const int t = limpet_trees_at(trees, i), first = 6 * model->tree_body[t];
    memcpy(twist + first, data->body_velocity + first,
           6 * (size_t)model->tree_body_count[t] * sizeof *twist);
  }
  return twist;
}

/* Whether pairs may be looked at as far as both approach each other: nothing acts from farther off,
 * and what impacts throw together is looked at again. */
static bool is_pairwise(const limpet_step_settings *settings, const limpet_free_motion *motion) {
  return settings->contact_model->glide == NULL && !motion->soft &&
         limpet_step_looks_again(settings);
}

// What was looked ahead before is looked ahead again.
static void keep_reach(const limpet_model *model, const limpet_reach *before, double *own,
                       double *common) {
  for (int b = 0; b < model->body_count; ++b) own[b] = limpet_max(own[b], before->body[b]);
  for (int t = 0; t < model->tree_count; ++t) common[t] = limpet_max(common[t], before->tree[t]);
}

/* How far geoms are looked for. Zero where only what touches counts. LIMPET_OK or
 * LIMPET_ERROR_MEMORY. */
static limpet_status reach_of_bodies(const limpet_detection *d, limpet_reach *reach) {
  const limpet_model *model = d->model;
  const limpet_step_settings *settings = d->settings;
  const limpet_free_motion *motion = d->motion;
  const limpet_trees trees = d->trees;
  limpet_arena *arena = d->arena;
  double *own = LIMPET_TAKE_ZERO(arena, double, model->body_count),
         *common = LIMPET_TAKE_ZERO(arena, double, model->tree_count);
  const double speculative = limpet_step_speculative_distance(settings);
  const limpet_reach before = *reach;
  *reach = (limpet_reach){.body = own, .tree = common, .least = speculative};
  if (!own || !common) return LIMPET_ERROR_MEMORY;
  if (!(speculative > 0.0)) return LIMPET_OK;
  const double *v[LIMPET_REACH_MOTIONS] = {motion->v_free, motion->v_thrown};
  const double ahead = reach->ahead = LIMPET_WAYS_AHEAD * settings->time_step;
  for (int m = 0; m < LIMPET_REACH_MOTIONS; ++m) {
    if (!v[m]) continue;
    double *change = twists_take(model, trees, arena),
           *way = LIMPET_TAKE(arena, double, model->body_count);
    if (!change || !way) return LIMPET_ERROR_MEMORY;
    for (int i = 0; i < trees.count; ++i) {
      const int t = limpet_trees_at(trees, i);
      const double shared = limpet_tree_kernels_here()->ways(model, d->data, v[m], t, change, way);
      if (m == 0 || !d->farther || d->farther[t]) widen(model, t, ahead, shared, way, own, common);
    }
    reach->added[m] = change;
  }
  for (int b = 0; b < model->body_count; ++b) own[b] += 0.5 * speculative;
  if (d->farther) keep_reach(model, &before, own, common);
  if (!is_pairwise(settings, motion)) return LIMPET_OK;
  reach->twist = twists_now(model, d->data, trees, arena);
  return reach->twist ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

// Pairs that pass through each other within the step.
static limpet_status find_fast_pairs(const limpet_detection *d, limpet_collision *collision) {
  const limpet_step_settings *settings = d->settings;
  if (!limpet_may_be_fast(d->model, d->data, settings->time_step, collision)) return LIMPET_OK;
  const double *v_free = d->motion->v_free, *v = d->data->v;
  const double speculative = limpet_step_speculative_distance(settings);
  if (!(speculative > 0.0)) return LIMPET_OK;
  double change = 0.0;
  for (int i = 0; i < d->model->nv; ++i) change = limpet_max(change, fabs(v_free[i] - v[i]));
  const double slack = speculative + LIMPET_WAYS_AHEAD * settings->time_step * change;
  return limpet_fast_pairs(d->model, d->data, settings->time_step, slack,
                           settings->compatibility.single_point, d->arena, collision);
}

static void drop_still_pairs(const limpet_model *model, limpet_trees trees,
                             limpet_collision *collision) {
  int kept = 0;
  for (int i = 0; i < collision->pair_count; ++i) {
    const limpet_collision_pair *pair = &collision->pair[i];
    if (limpet_trees_have(trees, model->body_tree[model->geom_body[pair->geom_a]]) ||
        limpet_trees_have(trees, model->body_tree[model->geom_body[pair->geom_b]]))
      collision->pair[kept++] = *pair;
  }
  collision->pair_count = kept;
}

// Stage 4, of pairs that are known. Outcome: solved or out of memory.
static limpet_outcome find_points(const limpet_detection *d, const limpet_reach *reach,
                                  const limpet_collision *known, limpet_collision *collision) {
  if (limpet_narrow_phase(d->model, d->data, d->settings->compatibility.single_point, reach, known,
                          d->arena, collision) != LIMPET_OK ||
      find_fast_pairs(d, collision) != LIMPET_OK)
    return LIMPET_OUTCOME_OUT_OF_MEMORY;
  if (!d->motion->soft) return LIMPET_OUTCOME_SOLVED;
  const limpet_soft_request request = {.v_free = d->motion->soft->v_free,
                                       .dt = d->settings->time_step,
                                       .speculative = limpet_step_speculative_distance(d->settings),
                                       .reach = reach,
                                       .surfaces = collision->surfaces};
  return limpet_soft_contacts(d->model, d->data, &request, d->arena, collision) == LIMPET_OK
             ? LIMPET_OUTCOME_SOLVED
             : LIMPET_OUTCOME_OUT_OF_MEMORY;
}

bool limpet_step_looks_again(const limpet_step_settings *settings) {
  return !settings->scheme->impulsive && !settings->scheme->from_rest &&
         settings->contact_model->family == LIMPET_CONTACT_COMPLIANT &&
         !settings->compatibility.single_point && limpet_step_speculative_distance(settings) > 0.0;
}

limpet_outcome limpet_step_detect(const limpet_detection *d, const limpet_collision *known,
                                  limpet_reach *reach, limpet_collision *collision) {
  const limpet_step_settings *settings = d->settings;
  *collision = (limpet_collision){0};
  if (d->model->options.disabled & LIMPET_DISABLE_CONTACT) return LIMPET_OUTCOME_SOLVED;
  if (reach_of_bodies(d, reach)) return LIMPET_OUTCOME_OUT_OF_MEMORY;

  // 3 broad phase
  if (limpet_broad_phase(d->model, d->data, reach, d->arena, collision) != LIMPET_OK)
    return LIMPET_OUTCOME_OUT_OF_MEMORY;
  if (d->trees.tree) drop_still_pairs(d->model, d->trees, collision);
  limpet_stage_clock_lap(d->clock, LIMPET_STAGE_BROAD_PHASE);

  // 4 narrow phase
  if (settings->pressure_fields &&
      limpet_contact_model_family(settings->contact_model) == LIMPET_CONTACT_COMPLIANT)
    collision->surfaces =
        settings->compatibility.polygon_centroids ? LIMPET_SURFACE_CENTROIDS : LIMPET_SURFACE_EXACT;
  const limpet_outcome outcome = find_points(d, reach, known, collision);
  limpet_stage_clock_lap(d->clock, LIMPET_STAGE_NARROW_PHASE);
  return outcome;
}

// What more bodies get by thrown velocities than by free motion.
typedef struct throw_of_step {
  const limpet_model *model;
  const limpet_data *data;
  const limpet_reach *reach;
  const double *twist;  // (body_count x 6)
  double dt;            // [s]
  double *farther;      // (body_count)  [m]  of any of its points; -1: not asked yet
} throw_of_step;

static double farther_by(const throw_of_step *t, int body) {
  const int tree = t->model->body_tree[body];
  double *farther = &t->farther[body];
  if (*farther >= 0.0) return *farther;
  double change[6], v[3];
  for (int i = 0, k = 6 * body; i < 6; ++i, ++k)
    change[i] = t->twist[k] - t->reach->twist[k] - t->reach->added[0][k];
  origin_velocity(t->data, body, tree, change, v);
  const double turning = limpet_vec3_norm(change) * t->model->body_radius[body];
  return *farther = known_or_infinite(t->dt * (limpet_vec3_norm(v) + turning));
}

// Whether a pair is brought together from farther off than it was looked at; then its reach grows.
static bool is_thrown(const throw_of_step *t, limpet_collision_pair *pair) {
  const int a = t->model->geom_body[pair->geom_a], b = t->model->geom_body[pair->geom_b];
  if (!pair->lessened) return false;
  // without what was thrown it comes half its reach nearer at most
  if (farther_by(t, a) + farther_by(t, b) <= 0.5 * (pair->reach + t->reach->least)) return false;
  const limpet_reach thrown = {
      .twist = t->twist, .ahead = t->reach->ahead, .least = t->reach->least};
  limpet_collision_pair most = *pair;
  most.lessened = false;
  most.reach = limpet_reach_of_bodies(t->model, t->reach, a, b);
  limpet_pair_reach_lessen(t->model, t->data, &thrown, &most);
  if (!(most.reach > pair->reach)) return false;
  *pair = most;
  return true;
}

static bool any_lessened(const limpet_collision *collision) {
  for (int k = 0; k < collision->pair_count; ++k)
    if (collision->pair[k].lessened) return true;
  return false;
}

limpet_outcome limpet_step_detect_thrown(const limpet_detection *d, const limpet_reach *reach,
                                         const double *twist, limpet_collision *collision) {
  const limpet_model *model = d->model;
  if (!reach->twist || !any_lessened(collision)) return LIMPET_OUTCOME_SOLVED;
  const throw_of_step t = {.model = model,
                           .data = d->data,
                           .reach = reach,
                           .twist = twist,
                           .dt = d->settings->time_step,
                           .farther = LIMPET_TAKE(d->arena, double, model->body_count)};
  limpet_collision_pair *pair = LIMPET_TAKE(d->arena, limpet_collision_pair, collision->pair_count);
  if (!t.farther || !pair) return LIMPET_OUTCOME_OUT_OF_MEMORY;
  for (int b = 0; b < model->body_count; ++b)
    t.farther[b] = limpet_trees_have(d->trees, model->body_tree[b]) ? -1.0 : 0.0;
  const limpet_collision known = *collision;
  memcpy(pair, known.pair, (size_t)known.pair_count * sizeof *pair);
  bool any = false;
  for (int k = 0; k < known.pair_count; ++k) any |= is_thrown(&t, &pair[k]);
  if (!any) return LIMPET_OUTCOME_SOLVED;
  collision->pair = pair;
  const limpet_outcome outcome = find_points(d, NULL, &known, collision);
  limpet_stage_clock_lap(d->clock, LIMPET_STAGE_NARROW_PHASE);
  return outcome;
}

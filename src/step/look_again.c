/* step/look_again.c: contacts and limits that the problem of a step did not have, seen where the
 * step ends.
 *
 * Contacts of a step are half spaces of the pose at its start. They say nothing of
 *   - points that impacts of the step throw together faster than was looked ahead,
 *   - features that a turn of the bodies brings to the front: an edge that comes to lie on a face,
 *     the next point of a surface that rolls.
 * So geoms that may have met are looked at in the pose where the step ends. Where they overlap by
 * more than `allowed` and more than their contacts expect, the points of that pose are added, along
 * their normals n of the end, so that
 *   phi(v) = phi_1 + h n . [(v_B - v_A)(p) - (v_B - v_A)_1(p)]
 * v_1: velocities that the attempt found, phi_1 [m]: the distance at its end, p: the mean of the
 * material points of A and B, moved back to the start; h [s]: the step. It is the gap linearised at
 * the end of the attempt, so the next attempt is a step of Newton's method for the gap.
 *
 *   may have met   least distance found at the start < h max |v_B - v_A| over the smaller geom, or,
 *                  of contacts in the problem, h |w_B - w_A| r > allowed: a translation keeps what
 *                  a half space has apart
 *   searched anew  where a body got farther than it was looked ahead: detection.c
 *   shallow        along the normal of the start, moved with A or B, both are not as deep as that
 * Contacts with a stiffness of their own overlap as they should, and are left alone.
 *
 * A limit of a joint or tendon has a row where the velocities of the start, or free ones, may reach
 * it. Where those of an attempt pass one without a row, all limits that they may reach get theirs.
 *
 * Cost: two to four support points for each pair that moves, a query where they do not settle it; a
 * comparison for each limit; kinematics, assembly and solve where something is missing. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "collide/separation.h"
#include "collide/shape_of_geom.h"
#include "constraint/kind.h"
#include "dynamics/tree.h"
#include "math/extremes.h"
#include "math/spatial.h"
#include "math/vec3.h"
#include "model/point_velocity.h"
#include "step/assembly.h"
#include "step/brake.h"
#include "step/close_loops.h"
#include "step/detection.h"
#include "step/flight.h"
#include "step/look_through.h"
#include "step/pose_again.h"
#include "step/pose_part.h"
#include "step/prepared.h"
#include "step/rebound.h"
#include "step/restrain.h"
#include "step/results.h"
#include "step/soft_newton.h"

/* [-]  of the distance from which contacts take part: overlap that is left as it is, 0.1 mm at the
 * default; and the share of that which it must be deeper than contacts expect. */
static const double allowed_share = 0.5, unexpected_share = 0.1;

// [-]  of that distance, by which a limit of lengths that has no row may be passed: a micrometre.
static const double limit_share = 5e-3;

/* [-]  of the distance of the origins, by which a pair must be clear of that depth before its
 * points are not asked for: more than they may err by. */
static const double shallow_slack = 1e-6;

// Features of points of the end: apart from those of the start, and from those of other attempts.
enum { END_FEATURE_BIT = 62, ATTEMPT_BIT = 56 };

// Attempts of a step after the first, at most.
enum { LOOK_AGAIN_LIMIT = 2 };

typedef struct looker {
  limpet_step_work *work;
  const limpet_data *data;
  limpet_step_end end;  // the world where the attempt ends
  const double *twist;  // (body_count x 6)  at the velocities of the attempt
  const bool *moved;    // (tree_count)  since the look before; NULL: all
  double allowed;       // [m]
  int attempt;
} looker;

// Velocity [m/s] of a point of a body, W.
static void velocity_at(const looker *l, int body, const double point[3], double v[3]) {
  limpet_point_velocity_by(l->data->model, l->data, l->twist, body, point, v);
}

// Velocity of B less that of A at a point, W.
static void relative_velocity(const looker *l, const limpet_collision_pair *pair,
                              const double point[3], double v[3]) {
  const limpet_model *model = l->data->model;
  double of_a[3];
  velocity_at(l, model->geom_body[pair->geom_a], point, of_a);
  velocity_at(l, model->geom_body[pair->geom_b], point, v);
  limpet_vec3_sub(v, v, of_a);
}

// Whether a tree moves otherwise than where it was looked at before.
static bool has_moved(const looker *l, int tree) {
  return tree >= 0 && (!l->moved || l->moved[tree]);
}

static bool pair_has_moved(const looker *l, const limpet_collision_pair *pair) {
  const limpet_model *model = l->data->model;
  return !l->moved || has_moved(l, model->body_tree[model->geom_body[pair->geom_a]]) ||
         has_moved(l, model->body_tree[model->geom_body[pair->geom_b]]);
}

// Whether a body of a tree got farther than it was looked ahead.
static bool got_farther(const looker *l, int tree) {
  const limpet_model *model = l->data->model;
  const limpet_reach *reach = &l->work->reach;
  const limpet_range bodies = limpet_tree_bodies(model, tree);
  const double dt = l->work->settings.time_step;
  double shared[3];
  velocity_at(l, bodies.first, l->data->body_position + 3 * bodies.first, shared);
  if (dt * limpet_vec3_norm(shared) > reach->tree[tree]) return true;
  for (int b = bodies.first; b < bodies.end; ++b) {
    double v[3];
    velocity_at(l, b, l->data->body_position + 3 * b, v);
    const double turning = limpet_vec3_norm(l->twist + 6 * b) * model->body_radius[b];
    if (dt * (limpet_vec3_distance(v, shared) + turning) > reach->body[b]) return true;
  }
  return false;
}

// The first of the trees that did; their number: none.
static int first_farther(const looker *l) {
  const limpet_trees trees = l->work->trees;
  int i = 0;
  while (i < trees.count &&
         !(has_moved(l, limpet_trees_at(trees, i)) && got_farther(l, limpet_trees_at(trees, i))))
    ++i;
  return i;
}

// (tree_count)  which trees did, of which `first` is the first. NULL: no memory.
static const bool *note_farther(const looker *l, int first) {
  const limpet_trees trees = l->work->trees;
  bool *farther = LIMPET_TAKE_ZERO(l->work->arena, bool, l->data->model->tree_count);
  for (int i = first; farther && i < trees.count; ++i) {
    const int t = limpet_trees_at(trees, i);
    farther[t] = i == first || (has_moved(l, t) && got_farther(l, t));
  }
  return farther;
}

// What is known of a pair from the points that were found at the start.
typedef struct known_pair {
  bool rigid;       // no point has a stiffness of its own
  bool in_problem;  // a point is in the problem
  double least;     // [m]  distance of a point left out, less the margin
  double expected;  // [m]  least distance at the end by the contacts in the problem, at most 0
} known_pair;

/* Records [*from, end) are those of the pair, *from on return; records and pairs are both sorted by
 * geoms. Returns the end. */
static int records_of(const limpet_contact_records *records, const limpet_collision_pair *pair,
                      int *from) {
  int end = *from;
  for (; end < records->count; ++end) {
    const limpet_geom_pair *geoms = &records->pair[records->record[end].pair].geoms;
    if (geoms->geom_a > pair->geom_a ||
        (geoms->geom_a == pair->geom_a && geoms->geom_b > pair->geom_b))
      break;
    if (geoms->geom_a < pair->geom_a || geoms->geom_b < pair->geom_b) *from = end + 1;
  }
  return end;
}

static known_pair know_pair(const looker *l, const limpet_contact_solution *solution,
                            const limpet_collision *collision, int first, int end, int *from) {
  const limpet_contact_records *records = &l->work->records;
  const limpet_collision_pair *pair = &collision->pair[collision->contact[first].pair];
  // points of contact surfaces look ahead themselves, by fields that go on outside of the shapes
  known_pair known = {
      .rigid = collision->contact[first].area == 0.0 && !collision->contact[first].link,
      .least = INFINITY};
  for (int i = first; i < end; ++i)
    known.least = limpet_min(known.least, collision->contact[i].point.distance - pair->margin);
  const int records_end = records_of(records, pair, from);
  for (int i = *from; i < records_end; ++i) {
    const int k = records->record[i].contact;
    const limpet_contact_constants *c = &solution->constants[k];
    known.in_problem = true;
    known.rigid = known.rigid && c->near_rigid;
    known.expected =
        limpet_min(known.expected, c->distance + c->dt * solution->velocity[3 * k + 2]);
  }
  // what nothing can move is left out, and stays inside
  if (!known.in_problem) known.expected = limpet_min(known.expected, known.least);
  return known;
}

// Whether the geoms of a pair may have met by the end of the step.
static bool may_have_met(const looker *l, const limpet_collision_pair *pair,
                         const known_pair *known) {
  const limpet_model *model = l->data->model;
  const double radius_a = model->geom_radius[pair->geom_a],
               radius_b = model->geom_radius[pair->geom_b];
  const double dt = l->work->settings.time_step, radius = limpet_min(radius_a, radius_b);
  double turn[3], v[3];
  limpet_vec3_sub(turn, l->twist + 6 * model->geom_body[pair->geom_b],
                  l->twist + 6 * model->geom_body[pair->geom_a]);
  const double turning = dt * radius * limpet_vec3_norm(turn);
  if (known->in_problem) return turning > l->allowed;
  const int smaller = radius_a < radius_b ? pair->geom_a : pair->geom_b;
  relative_velocity(l, pair, l->data->geom_position + 3 * smaller, v);
  return known->least < dt * limpet_vec3_norm(v) + turning;
}

// A point of a geom at the end of the step, moved back with the geom to the start.
static void move_back(const looker *l, int geom, const double at_end[3], double at_start[3]) {
  double lever[3], own[3], world[3];
  limpet_vec3_sub(lever, at_end, l->end.world.geom_position + 3 * geom);
  limpet_mat3_tmul_vec(own, l->end.world.geom_rotation + 9 * geom, lever);
  limpet_mat3_mul_vec(world, l->data->geom_rotation + 9 * geom, own);
  limpet_vec3_add(at_start, l->data->geom_position + 3 * geom, world);
}

// From a point of the end to one of the start that leads there: see the head.
static void bring_to_start(const looker *l, const limpet_collision_pair *pair,
                           limpet_contact_point *point) {
  double middle[3], v[3], on[3];
  move_back(l, pair->geom_a, point->on_a, on);
  limpet_vec3_copy(point->on_a, on);
  move_back(l, pair->geom_b, point->on_b, on);
  limpet_vec3_copy(point->on_b, on);
  for (int k = 0; k < 3; ++k) middle[k] = 0.5 * (point->on_a[k] + point->on_b[k]);
  relative_velocity(l, pair, middle, v);
  point->distance -= l->work->settings.time_step * limpet_vec3_dot(point->normal, v);
  point->feature |= (uint64_t)1 << END_FEATURE_BIT | (uint64_t)l->attempt << ATTEMPT_BIT;
}

// How far apart two shapes are along a unit axis from A to B [m, W].
static double gap_along(const limpet_shape *a, const limpet_shape *b, const double axis[3]) {
  double on_a[3], on_b[3], back[3];
  limpet_vec3_neg(back, axis);
  limpet_shape_support(on_a, a, axis);
  limpet_shape_support(on_b, b, back);
  return limpet_vec3_dot(on_b, axis) - limpet_vec3_dot(on_a, axis);
}

/* Whether no point of a pair is deeper than `least` [m] at the end: along the normal that it had at
 * the start, moved with A or with B, the shapes are farther apart. Of what iterates: others are as
 * soon asked. */
static bool is_shallow(const looker *l, const limpet_collision_pair *pair, const limpet_shape *a,
                       const limpet_shape *b, const double normal[3], double least) {
  if (a->kind == LIMPET_SHAPE_PLANE || b->kind == LIMPET_SHAPE_PLANE || a->heights || b->heights ||
      !limpet_separation_pays(a->kind, b->kind))
    return false;
  const double safe = least + shallow_slack * limpet_vec3_distance(a->position, b->position);
  const int geom[2] = {pair->geom_a, pair->geom_b};
  for (int side = 0; side < 2; ++side) {
    double own[3], axis[3];
    limpet_mat3_tmul_vec(own, l->data->geom_rotation + 9 * geom[side], normal);
    limpet_mat3_mul_vec(axis, l->end.world.geom_rotation + 9 * geom[side], own);
    if (gap_along(a, b, axis) > safe) return true;
  }
  return false;
}

/* Points of a pair at the end of the step that are deeper than its contacts expect, to `to`.
 * normal: of one of its contacts at the start. */
static int add_points(looker *l, const limpet_collision_pair *pair, int index,
                      const double normal[3], double expected, limpet_collision_contact *to) {
  limpet_step_end_pose(&l->end, pair->geom_a);
  limpet_step_end_pose(&l->end, pair->geom_b);
  const limpet_shape a = limpet_shape_of_geom(l->data->model, &l->end.world, pair->geom_a),
                     b = limpet_shape_of_geom(l->data->model, &l->end.world, pair->geom_b);
  const double deep = limpet_min(-l->allowed, expected - unexpected_share * l->allowed);
  if (is_shallow(l, pair, &a, &b, normal, pair->margin + deep)) return 0;
  limpet_manifold manifold;
  limpet_shape_contact(&manifold, &a, &b, limpet_max(pair->margin, 0.0), false);
  int count = 0;
  for (int i = 0; i < manifold.count; ++i) {
    const double distance = manifold.point[i].distance - pair->margin;
    if (!(distance < deep)) continue;
    to[count] =
        (limpet_collision_contact){.pair = index, .point = manifold.point[i], .of_end = true};
    bring_to_start(l, pair, &to[count++].point);
  }
  return count;
}

// Contacts in the memory of a step, which grows.
typedef struct contact_list {
  limpet_arena *arena;
  limpet_collision_contact *contact;  // (room)
  int count, room;
} contact_list;

// Whether there is room for so many more.
static bool has_room(contact_list *list, int more) {
  if (list->count + more <= list->room) return true;
  const int room = 2 * (list->count + more);
  limpet_collision_contact *grown = LIMPET_TAKE(list->arena, limpet_collision_contact, room);
  if (!grown) return false;
  if (list->count > 0) memcpy(grown, list->contact, (size_t)list->count * sizeof *grown);
  list->contact = grown, list->room = room;
  return true;
}

/* The points of `collision`, each pair's followed by those that it lacks, into the list. False:
 * there is no memory. */
static bool gather(looker *l, const limpet_contact_solution *solution,
                   const limpet_collision *collision, contact_list *all) {
  int from = 0;
  for (int first = 0, end; first < collision->contact_count; first = end) {
    const int index = collision->contact[first].pair;
    for (end = first; end < collision->contact_count && collision->contact[end].pair == index;)
      ++end;
    if (!has_room(all, end - first + LIMPET_MANIFOLD_ROOM)) return false;
    memcpy(all->contact + all->count, collision->contact + first,
           (size_t)(end - first) * sizeof *all->contact);
    all->count += end - first;
    const limpet_collision_pair *pair = &collision->pair[index];
    if (!pair_has_moved(l, pair)) continue;
    const known_pair known = know_pair(l, solution, collision, first, end, &from);
    if (known.rigid && may_have_met(l, pair, &known))
      all->count += add_points(l, pair, index, collision->contact[first].point.normal,
                               known.expected, all->contact + all->count);
  }
  return true;
}

// Whether any pair may have met: points of the end are looked for then.
static bool any_met(const looker *l, const limpet_contact_solution *solution,
                    const limpet_collision *collision) {
  int from = 0;
  for (int first = 0, end; first < collision->contact_count; first = end) {
    const int index = collision->contact[first].pair;
    for (end = first; end < collision->contact_count && collision->contact[end].pair == index;)
      ++end;
    if (!pair_has_moved(l, &collision->pair[index])) continue;
    const known_pair known = know_pair(l, solution, collision, first, end, &from);
    if (known.rigid && may_have_met(l, &collision->pair[index], &known)) return true;
  }
  return false;
}

/* Contacts that are missing, into the collision of the work. 1: there are some; 0: none; -1: no
 * memory. */
static int find_missing(looker *l, limpet_data *data, const limpet_step_solution *solution,
                        limpet_stage_clock *clock) {
  limpet_step_work *work = l->work;
  limpet_collision collision = work->collision;
  limpet_detection detection = {data->model,   data,        &work->settings, work->trees,
                                &work->motion, work->arena, clock,           NULL};
  const int first = first_farther(l);
  if (first < work->trees.count) {
    detection.farther = note_farther(l, first);
    if (!detection.farther) return -1;
    if (limpet_step_detect(&detection, &work->detected, &work->reach, &collision) !=
        LIMPET_OUTCOME_SOLVED)
      return -1;
    work->detected = collision;
    work->detected_again = true;
  } else if (limpet_step_detect_thrown(&detection, &work->reach, l->twist, &collision) !=
             LIMPET_OUTCOME_SOLVED) {
    return -1;
  }
  if (!any_met(l, &solution->contact, &collision)) return 0;
  const limpet_arena_mark mark = limpet_arena_mark_now(work->arena);
  contact_list all = {.arena = work->arena};
  if (!has_room(&all, collision.contact_count) ||
      limpet_step_end_open(l->work, data, solution->q, &l->end) != LIMPET_OK ||
      !gather(l, &solution->contact, &collision, &all))
    return -1;
  limpet_stage_clock_lap(clock, LIMPET_STAGE_NARROW_PHASE);
  if (all.count == collision.contact_count) return 0;
  collision.contact = limpet_arena_release_but(work->arena, mark, all.contact,
                                               (size_t)all.count * sizeof *all.contact);
  collision.contact_count = all.count;
  work->collision = collision;
  return collision.contact ? 1 : -1;
}

// Whether each look has as many iterations: with fewer the end of a solve stays short of closing
// its gaps. Published models keep one limit for all looks of a step.
static bool is_coupled(const limpet_step_settings *settings) {
  return limpet_compliant_model_of(settings->contact_model)->coupled;
}

/* Sizes of the velocities that attempts of the step ended with: how far limits look ahead.
 * LIMPET_OK or LIMPET_ERROR_MEMORY. */
static limpet_status note_speeds(limpet_step_work *work, const limpet_model *model,
                                 const double *v) {
  double **fastest = &work->motion.fastest;
  if (!*fastest) *fastest = LIMPET_TAKE_ZERO(work->arena, double, model->nv);
  if (!*fastest) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < model->nv; ++i) (*fastest)[i] = limpet_max((*fastest)[i], fabs(v[i]));
  return LIMPET_OK;
}

// find_missing, with what it changed given back where there are none. *twist: at the velocities of
// the attempt.
static int missing_contacts(limpet_step_prepared *prepared, const limpet_step_result *result,
                            limpet_stage_clock *clock, const double **twist) {
  limpet_step_work *work = prepared->work;
  limpet_data *data = prepared->data;
  const limpet_step_solution *solution = result->solution;
  if (solution->problem.contact_count == 0) return 0;
  looker l = {.work = work,
              .data = data,
              .moved = solution->kept ? solution->moved : NULL,
              .allowed = allowed_share * limpet_step_speculative_distance(&work->settings),
              .attempt = result->info.repeats};
  const limpet_arena_mark mark = limpet_arena_mark_now(work->arena);
  const limpet_collision detected = work->detected;
  const limpet_reach reach = work->reach;
  const bool detected_again = work->detected_again;
  work->motion.v_thrown = solution->contact.v;
  l.twist = limpet_step_twists_of(data->model, data, solution->contact.v, work->arena);
  const int missing = l.twist ? find_missing(&l, data, solution, clock) : -1;
  *twist = l.twist;
  if (missing == 0) {
    work->detected = detected, work->reach = reach, work->detected_again = detected_again;
    limpet_arena_release(work->arena, mark);
  }
  return missing;
}

// Limits that the attempt passed and its problem had not.
static bool passed_limits(const limpet_step_work *work, const limpet_data *data,
                          const limpet_step_solution *solution) {
  const limpet_contact_problem *problem = &solution->problem;
  return problem->contact_count + problem->row_count > 0 &&
         !work->settings.compatibility.late_tendon_limits &&
         limpet_constraints_passed(data->model, data, problem, solution->contact.v,
                                   limit_share * limpet_step_speculative_distance(&work->settings));
}

// Contacts and limits that the attempt missed, into the problem. False: there are none.
static bool see_missing(limpet_step_prepared *prepared, const limpet_step_result *result,
                        limpet_stage_clock *clock) {
  limpet_step_work *work = prepared->work;
  limpet_data *data = prepared->data;
  if (limpet_outcome_failed(result->outcome) || !limpet_step_looks_again(&work->settings) ||
      work->looks == LOOK_AGAIN_LIMIT || work->spent.crossing_rounds > 0)
    return false;
  const limpet_step_solution *solution = result->solution;
  const bool limits = passed_limits(work, data, solution);
  const limpet_collision posed = work->collision;
  const double *twist;
  const int missing = missing_contacts(prepared, result, clock, &twist);
  if (missing == 0 && !limits) return false;
  if (missing < 0 || note_speeds(work, data->model, solution->contact.v) != LIMPET_OK)
    prepared->outcome = LIMPET_OUTCOME_OUT_OF_MEMORY;
  ++work->looks;
  if (missing < 1 || limits || prepared->outcome != LIMPET_OUTCOME_SOLVED ||
      !limpet_step_pose_part(prepared, result, &posed, twist, clock))
    limpet_step_pose_again(prepared, result, clock);
  if (is_coupled(&work->settings)) work->earlier_iterations = work->spent.iterations;
  return true;
}

bool limpet_step_look_again(limpet_step_prepared *prepared, const limpet_step_result *result) {
  assert(prepared && result);
  limpet_step_work *work = prepared->work;
  if (!work) return false;
  limpet_stage_clock clock =
      limpet_stage_clock_start(work->settings.profile, work->info.stage_time);
  const bool again =
      limpet_step_restrain(prepared, result) || limpet_step_close_loops(prepared, result, &clock) ||
      limpet_step_brake(prepared, result, &clock) || see_missing(prepared, result, &clock) ||
      limpet_step_hold_rebounds(prepared, result) ||
      (!limpet_step_laws_follow(work, prepared->data->model) &&
       limpet_step_look_through(prepared, result, &clock));
  limpet_stage_clock_lap(&clock, again ? LIMPET_STAGE_ASSEMBLY : LIMPET_STAGE_NARROW_PHASE);
  return again;
}

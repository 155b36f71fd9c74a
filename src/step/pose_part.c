/* step/pose_part.c: see pose_part.h.
 *
 *   moved   trees whose island lacks points, was not solved, or is reached by one that does: two
 *           trees belong together where an island of the attempt joins them, and where a point
 *           between them may close at the velocities of the attempt (constants.c)
 *   part    the problem of the moved trees alone, assembled as any other: of their points none is
 *           left between a moved tree and one that stays, since none of these may close
 *   whole   the islands of the attempt but those of moved trees, and those of the part, in the
 *           order of their first blocks, and the records of both
 * So islands that stay have no points that may close with the velocities of the attempt alone; they
 * were looked at where it ended. Cost: a pass over the points found, a copy of the problem, and
 * what the part costs. */
#include "step/pose_part.h"

#include <math.h>
#include <string.h>

#include "contact/assemble.h"
#include "math/extremes.h"
#include "math/forest.h"
#include "math/vec3.h"
#include "step/assembly.h"
#include "step/pose_again.h"

// The part has at most 3 of 4 contacts of the attempt: else all is as soon posed anew.
enum { PART_OF = 4, PART = 3 };

typedef struct parting {
  limpet_step_work *work;
  const limpet_data *data;
  const limpet_step_solution *found;  // of the attempt
  const limpet_collision *posed;      // that its problem was made from
  const double *twist;                // (body_count x 6)  at its velocities
  int *root;                          // (tree_count)  union-find forest
  bool *moved;                        // (tree_count)
} parting;

static int tree_of(const limpet_model *model, int geom) {
  return model->body_tree[model->geom_body[geom]];
}

static const limpet_collision_pair *pair_of(const limpet_collision *collision, int contact) {
  return &collision->pair[collision->contact[contact].pair];
}

// Velocity [m/s] of a point of a geom's body at the end of the attempt, W.
static void velocity_at(const parting *p, int geom, const double point[3], double v[3]) {
  const int body = p->data->model->geom_body[geom], tree = p->data->model->body_tree[body];
  const double *V = p->twist + 6 * body;
  double arm[3];
  limpet_vec3_zero(v);
  if (tree < 0) return;
  limpet_vec3_sub(arm, point, p->data->tree_origin + 3 * tree);
  limpet_vec3_cross(v, V, arm);
  limpet_vec3_add(v, v, V + 3);
}

// Whether a point may close within the step at the velocities of the attempt.
static bool may_close(const parting *p, const limpet_collision_pair *pair,
                      const limpet_contact_point *point) {
  double of_a[3], of_b[3];
  velocity_at(p, pair->geom_a, point->on_a, of_a);
  velocity_at(p, pair->geom_b, point->on_b, of_b);
  const double speed = limpet_vec3_dot(point->normal, of_b) - limpet_vec3_dot(point->normal, of_a);
  const double way = LIMPET_WAYS_AHEAD * p->work->settings.time_step * limpet_min(0.0, speed);
  const double reach = limpet_step_speculative_distance(&p->work->settings);
  return !(point->distance - pair->margin + way > reach);
}

static void join_islands(const parting *p) {
  const limpet_contact_problem *problem = &p->work->problem;
  for (int i = 0; i < problem->island_count; ++i) {
    const limpet_island *island = &problem->island[i];
    const int *block = problem->island_block + island->block;
    for (int k = 1; k < island->block_count; ++k) limpet_forest_join(p->root, block[0], block[k]);
  }
}

// Trees between which points of the new collision may close.
static void join_points(const parting *p, const limpet_collision *collision) {
  const limpet_model *model = p->data->model;
  for (int first = 0, end; first < collision->contact_count; first = end) {
    end = limpet_collision_pair_end(collision, first);
    const limpet_collision_pair *pair = pair_of(collision, first);
    const int a = tree_of(model, pair->geom_a), b = tree_of(model, pair->geom_b);
    if (a < 0 || b < 0 || limpet_forest_root(p->root, a) == limpet_forest_root(p->root, b))
      continue;
    bool closes = false;
    for (int i = first; i < end && !closes; ++i)
      closes = may_close(p, pair, &collision->contact[i].point);
    if (closes) limpet_forest_join(p->root, a, b);
  }
}

static void move_pair(const parting *p, const limpet_collision_pair *pair) {
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
static void move_changed(const parting *p, const limpet_collision *collision) {
  const limpet_collision *posed = p->posed;
  int i = 0, k = 0;
  while (i < collision->contact_count || k < posed->contact_count) {
    const limpet_collision_pair *a = i < collision->contact_count ? pair_of(collision, i) : NULL;
    const limpet_collision_pair *b = k < posed->contact_count ? pair_of(posed, k) : NULL;
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

static void move_unsolved(const parting *p) {
  const limpet_contact_problem *problem = &p->work->problem;
  for (int i = 0; i < problem->island_count; ++i)
    if (p->found->contact.outcome[i] != LIMPET_OUTCOME_SOLVED)
      p->moved[problem->island_block[problem->island[i].block]] = true;
}

// A tree moves where one that belongs to it does.
static void move_together(const parting *p) {
  const int count = p->data->model->tree_count;
  for (int t = 0; t < count; ++t)
    if (p->moved[t]) p->moved[limpet_forest_root(p->root, t)] = true;
  for (int t = 0; t < count; ++t) p->moved[t] = p->moved[limpet_forest_root(p->root, t)];
}

// Contacts of islands that stay.
static int staying_contacts(const parting *p) {
  const limpet_contact_problem *problem = &p->work->problem;
  int count = 0;
  for (int i = 0; i < problem->island_count; ++i)
    if (!p->moved[problem->island_block[problem->island[i].block]])
      count += problem->island[i].contact_count;
  return count;
}

/* Whether islands of a problem stand for themselves: nothing but contacts joins trees, and nothing
 * was weakened or left out in some of them, which are counted for all. */
static bool may_part(const limpet_step_work *work, const limpet_model *model,
                     const limpet_step_result *result) {
  const limpet_contact_problem *problem = &work->problem;
  return work->motion.flight && !work->motion.soft && !work->trees.tree && !problem->pull &&
         !work->records.shape && !work->records.shears && !work->collision.swept &&
         model->loop_count == 0 && model->tendon_count == 0 && model->coupler_count == 0 &&
         problem->immovable_count == 0 && work->info.bounded_contacts == 0 &&
         work->spent.restrained_returns == 0 && result->info.failed_islands == 0 &&
         result->info.restrained_returns == 0;
}

// The points of the collision that move a moved tree; from: where they are in it.
static limpet_status take_points(const parting *p, limpet_arena *arena, limpet_collision *part,
                                 int **from) {
  const limpet_collision *all = &p->work->collision;
  const limpet_model *model = p->data->model;
  *part = *all;
  part->contact_count = 0;
  part->contact = LIMPET_TAKE(arena, limpet_collision_contact, all->contact_count);
  *from = LIMPET_TAKE(arena, int, all->contact_count);
  if (!part->contact || !*from) return LIMPET_ERROR_MEMORY;
  for (int first = 0, end; first < all->contact_count; first = end) {
    end = limpet_collision_pair_end(all, first);
    const limpet_collision_pair *pair = pair_of(all, first);
    const int a = tree_of(model, pair->geom_a), b = tree_of(model, pair->geom_b);
    if ((a >= 0 && !p->moved[a]) || (b >= 0 && !p->moved[b])) continue;
    for (int i = first; i < end; ++i) {
      (*from)[part->contact_count] = i;
      part->contact[part->contact_count++] = all->contact[i];
    }
  }
  return LIMPET_OK;
}

// Records of both, by geoms; to_whole: where those of the attempt (0) and of the part (1) come.
typedef struct record_merge {
  const limpet_contact_records *from[2];
  int *to_whole[2];
  int last[2];  // pair that was copied last of each
} record_merge;

static void copy_record(record_merge *merge, int source, int i, int found,
                        limpet_contact_records *to) {
  const limpet_contact_record *record = &merge->from[source]->record[i];
  if (record->pair != merge->last[source]) {
    to->pair[to->pair_count++] = merge->from[source]->pair[record->pair];
    merge->last[source] = record->pair;
  }
  to->record[to->count] = *record;
  to->record[to->count].pair = to->pair_count - 1;
  to->record[to->count].found = found;
  merge->to_whole[source][i] = to->count++;
}

// Where a point of the attempt's collision is in the new one; *from: a place that is not after it.
static int found_again(const parting *p, int found, int *from) {
  const limpet_collision *posed = p->posed, *all = &p->work->collision;
  const limpet_collision_pair *pair = pair_of(posed, found);
  int first = found;
  while (first > 0 && posed->contact[first - 1].pair == posed->contact[found].pair) --first;
  while (limpet_collision_pair_before(pair_of(all, *from), pair)) ++*from;
  return *from + found - first;
}

static limpet_status merge_records(const parting *p, const limpet_contact_records *part,
                                   limpet_arena *arena, record_merge *merge,
                                   limpet_contact_records *to) {
  const limpet_contact_records *old = &p->work->records;
  const limpet_model *model = p->data->model;
  *merge = (record_merge){
      .from = {old, part},
      .to_whole = {LIMPET_TAKE(arena, int, old->count), LIMPET_TAKE(arena, int, part->count)},
      .last = {LIMPET_NONE, LIMPET_NONE}};
  *to = (limpet_contact_records){
      .pair = LIMPET_TAKE(arena, limpet_contact_pair, old->pair_count + part->pair_count),
      .record = LIMPET_TAKE(arena, limpet_contact_record, old->count + part->count)};
  if (!merge->to_whole[0] || !merge->to_whole[1] || !to->pair || !to->record)
    return LIMPET_ERROR_MEMORY;
  int k = 0, from = 0;
  for (int i = 0; i < old->count; ++i) {
    const limpet_geom_pair *geoms = &old->pair[old->record[i].pair].geoms;
    const int a = tree_of(model, geoms->geom_a), b = tree_of(model, geoms->geom_b);
    if ((a >= 0 && p->moved[a]) || (b >= 0 && p->moved[b])) continue;
    for (;
         k < part->count && limpet_geom_pair_before(&part->pair[part->record[k].pair].geoms, geoms);
         ++k)
      copy_record(merge, 1, k, part->record[k].found, to);
    copy_record(merge, 0, i, found_again(p, old->record[i].found, &from), to);
  }
  for (; k < part->count; ++k) copy_record(merge, 1, k, part->record[k].found, to);
  return LIMPET_OK;
}

// Two problems that become one.
typedef struct problem_merge {
  const limpet_contact_problem *from[2];  // of the attempt, and of the part
  const int *to_record[2];                // (records of each)
  bool *known[2];                         // (contacts of each)  NULL: all are
  int *place[2];                          // (islands of each)  in the whole; LIMPET_NONE: not yet
  limpet_contact_problem *to;
  bool *to_known;  // (contacts)
  double *bound;   // (contacts and rows)
  int *kept;       // (islands)  of the attempt that they are; LIMPET_NONE
  int blocks;      // in islands so far
} problem_merge;

static limpet_status take_whole(problem_merge *m, limpet_arena *arena) {
  const limpet_contact_problem *a = m->from[0], *b = m->from[1];
  limpet_contact_problem *to = m->to;
  const int contacts = a->contact_count + b->contact_count, rows = a->row_count + b->row_count;
  const int islands = a->island_count + b->island_count;
  *to = *b;
  to->block = LIMPET_TAKE(arena, limpet_block, a->block_count);
  to->patch = LIMPET_TAKE(arena, limpet_patch, a->patch_count + b->patch_count);
  to->constants = LIMPET_TAKE(arena, limpet_contact_constants, contacts);
  to->contact_row = LIMPET_TAKE(arena, double, 18 * (size_t)contacts);
  to->contact_source = LIMPET_TAKE(arena, int, contacts);
  const bool biased = a->contact_bias || b->contact_bias;
  to->contact_bias = biased ? LIMPET_TAKE_ZERO(arena, double, LIMPET_CONTACT_BIAS *contacts) : NULL;
  to->carried = LIMPET_TAKE(arena, double, 3 * contacts);
  const bool bristles = a->stretch || b->stretch;
  to->stretch = bristles ? LIMPET_TAKE_ZERO(arena, double, 3 * contacts) : NULL;
  to->rebound = bristles ? LIMPET_TAKE_ZERO(arena, double, contacts) : NULL;
  to->row = LIMPET_TAKE(arena, limpet_constraint_row, rows);
  to->entry_dof = LIMPET_TAKE(arena, int, a->entry_count + b->entry_count);
  to->entry_value = LIMPET_TAKE(arena, double, a->entry_count + b->entry_count);
  to->island = LIMPET_TAKE(arena, limpet_island, islands);
  to->island_block = LIMPET_TAKE(arena, int, a->block_count);
  m->to_known = LIMPET_TAKE(arena, bool, contacts);
  m->kept = LIMPET_TAKE(arena, int, islands);
  m->place[0] = LIMPET_TAKE(arena, int, a->island_count);
  m->place[1] = LIMPET_TAKE(arena, int, b->island_count);
  const bool bounded = a->return_bound || b->return_bound;
  m->bound = bounded ? LIMPET_TAKE(arena, double, contacts + rows) : NULL;
  if (!to->block || !to->patch || !to->constants || !to->contact_row || !to->contact_source ||
      (biased && !to->contact_bias) || !to->carried ||
      (bristles && (!to->stretch || !to->rebound)) || !to->row || !to->entry_dof ||
      !to->entry_value || !to->island || !to->island_block || !m->to_known || !m->kept ||
      !m->place[0] || !m->place[1] || (bounded && !m->bound))
    return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < a->island_count; ++i) m->place[0][i] = LIMPET_NONE;
  for (int i = 0; i < b->island_count; ++i) m->place[1][i] = LIMPET_NONE;
  to->patch_count = to->contact_count = to->row_count = to->entry_count = to->island_count = 0;
  to->anisotropic = a->anisotropic || b->anisotropic;
  to->loaded = a->loaded || b->loaded;
  return LIMPET_OK;
}

static void copy_patches(problem_merge *m, const limpet_contact_problem *from,
                         const limpet_island *island) {
  limpet_contact_problem *to = m->to;
  for (int i = 0; i < island->patch_count; ++i) {
    limpet_patch *patch = &to->patch[to->patch_count++];
    *patch = from->patch[island->patch + i];
    patch->contact += to->contact_count - island->contact;
  }
}

static void copy_contacts(problem_merge *m, int source, const limpet_island *island) {
  const limpet_contact_problem *from = m->from[source];
  limpet_contact_problem *to = m->to;
  const int at = to->contact_count, first = island->contact;
  const size_t count = (size_t)island->contact_count;
  memcpy(to->constants + at, from->constants + first, count * sizeof *to->constants);
  memcpy(to->contact_row + 18 * at, from->contact_row + 18 * first,
         18 * count * sizeof *to->contact_row);
  if (from->contact_bias)
    memcpy(to->contact_bias + LIMPET_CONTACT_BIAS * at,
           from->contact_bias + LIMPET_CONTACT_BIAS * first,
           LIMPET_CONTACT_BIAS * count * sizeof *to->contact_bias);
  memcpy(to->carried + 3 * at, from->carried + 3 * first, 3 * count * sizeof *to->carried);
  if (from->stretch) {
    memcpy(to->stretch + 3 * at, from->stretch + 3 * first, 3 * count * sizeof *to->stretch);
    memcpy(to->rebound + at, from->rebound + first, count * sizeof *to->rebound);
  }
  for (int i = 0; i < island->contact_count; ++i) {
    to->contact_source[at + i] = m->to_record[source][from->contact_source[first + i]];
    m->to_known[at + i] = !m->known[source] || m->known[source][first + i];
  }
  to->contact_count += island->contact_count;
}

static void copy_rows(problem_merge *m, const limpet_contact_problem *from,
                      const limpet_island *island) {
  limpet_contact_problem *to = m->to;
  for (int i = 0; i < island->row_count; ++i) {
    limpet_constraint_row *row = &to->row[to->row_count++];
    *row = from->row[island->row + i];
    const size_t count = (size_t)row->entry_count;
    memcpy(to->entry_dof + to->entry_count, from->entry_dof + row->entry,
           count * sizeof *to->entry_dof);
    memcpy(to->entry_value + to->entry_count, from->entry_value + row->entry,
           count * sizeof *to->entry_value);
    row->entry = to->entry_count;
    to->entry_count += row->entry_count;
  }
}

// An island of one of the problems at the end of the whole.
static void copy_island(problem_merge *m, int source, int index) {
  const limpet_contact_problem *from = m->from[source];
  const limpet_island *island = &from->island[index];
  limpet_contact_problem *to = m->to;
  m->kept[to->island_count] = source == 0 ? index : LIMPET_NONE;
  limpet_island *copy = &to->island[to->island_count++];
  *copy = *island;
  copy->block = m->blocks, copy->patch = to->patch_count, copy->contact = to->contact_count,
  copy->row = to->row_count;
  memcpy(to->island_block + m->blocks, from->island_block + island->block,
         (size_t)island->block_count * sizeof *to->island_block);
  m->blocks += island->block_count;
  copy_patches(m, from, island);
  copy_contacts(m, source, island);
  copy_rows(m, from, island);
}

// Islands are numbered by their first block, as partition numbers them.
static void copy_islands(problem_merge *m, const bool *moved) {
  limpet_contact_problem *to = m->to;
  for (int t = 0; t < to->block_count; ++t) {
    const int source = moved[t];
    limpet_block *block = &to->block[t];
    *block = m->from[source]->block[t];
    if (block->island < 0) continue;
    int *place = &m->place[source][block->island];
    if (*place == LIMPET_NONE) {
      *place = to->island_count;
      copy_island(m, source, block->island);
    }
    block->island = *place;
  }
}

// Bounds of all that comes back; of all else they are infinite.
static void copy_bounds(problem_merge *m) {
  limpet_contact_problem *to = m->to;
  to->return_bound = m->bound;
  if (!m->bound) return;
  for (int i = 0; i < to->contact_count + to->row_count; ++i) m->bound[i] = INFINITY;
  for (int source = 0; source < 2; ++source) {
    const limpet_contact_problem *from = m->from[source];
    for (int i = 0; i < from->island_count && from->return_bound; ++i) {
      if (m->place[source][i] == LIMPET_NONE) continue;
      const limpet_island *island = &from->island[i], *copy = &to->island[m->place[source][i]];
      memcpy(m->bound + copy->contact, from->return_bound + island->contact,
             (size_t)island->contact_count * sizeof *m->bound);
      memcpy(m->bound + to->contact_count + copy->row,
             from->return_bound + from->contact_count + island->row,
             (size_t)island->row_count * sizeof *m->bound);
    }
  }
}

static limpet_status merge_problems(const parting *p, const limpet_contact_problem *part,
                                    const record_merge *records, bool *known, limpet_arena *arena,
                                    limpet_contact_problem *to, problem_merge *m) {
  *m = (problem_merge){.from = {&p->work->problem, part},
                       .to_record = {records->to_whole[0], records->to_whole[1]},
                       .known = {NULL, known},
                       .to = to};
  if (take_whole(m, arena)) return LIMPET_ERROR_MEMORY;
  copy_islands(m, p->moved);
  copy_bounds(m);
  return to->model->turns ? limpet_problem_take_spins(to, arena) : LIMPET_OK;
}

static limpet_status take_parting(parting *p, limpet_arena *arena) {
  const int trees = p->data->model->tree_count;
  p->root = LIMPET_TAKE(arena, int, trees);
  p->moved = LIMPET_TAKE_ZERO(arena, bool, trees);
  if (!p->root || !p->moved) return LIMPET_ERROR_MEMORY;
  for (int t = 0; t < trees; ++t) p->root[t] = t;
  return LIMPET_OK;
}

// The trees that move. NULL: no memory.
static limpet_trees list_moved(const parting *p, limpet_arena *arena) {
  const int trees = p->data->model->tree_count;
  int *list = LIMPET_TAKE(arena, int, trees), count = 0;
  for (int t = 0; list && t < trees; ++t)
    if (p->moved[t]) list[count++] = t;
  return (limpet_trees){count, list};
}

/* The part's problem posed and joined with what stays. part: a copy of the work, with what is the
 * part's own. */
static limpet_status pose_and_join(const parting *p, limpet_data *data, limpet_stage_clock *clock,
                                   limpet_step_work *part) {
  limpet_step_work *work = p->work;
  limpet_arena *arena = work->arena;
  int *from;
  part->motion.trees = list_moved(p, arena);
  if (!part->motion.trees.tree || take_points(p, arena, &part->collision, &from) ||
      limpet_step_pose(part, data, clock) != LIMPET_OUTCOME_SOLVED)
    return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < part->records.count; ++i)
    part->records.record[i].found = from[part->records.record[i].found];
  bool *known = LIMPET_TAKE_ZERO(arena, bool, part->problem.contact_count);
  if (!known ||
      limpet_step_carry_found(part, &work->records, p->found->contact.carried, known) != LIMPET_OK)
    return LIMPET_ERROR_MEMORY;

  record_merge records;
  problem_merge m;
  limpet_contact_records all;
  limpet_contact_problem whole;
  if (merge_records(p, &part->records, arena, &records, &all) ||
      merge_problems(p, &part->problem, &records, known, arena, &whole, &m))
    return LIMPET_ERROR_MEMORY;
  work->problem = whole, work->records = all;
  limpet_contact_records_find(&work->records, &work->problem);
  work->known = m.to_known, work->kept_island = m.kept;
  return LIMPET_OK;
}

bool limpet_step_pose_part(limpet_step_prepared *prepared, const limpet_step_result *result,
                           const limpet_collision *posed, const double *twist,
                           limpet_stage_clock *clock) {
  limpet_step_work *work = prepared->work;
  limpet_data *data = prepared->data;
  const limpet_step_solution *solution = result->solution;
  if (!solution->contact.carried || !may_part(work, data->model, result)) return false;
  const limpet_arena_mark mark = limpet_arena_mark_now(work->arena);
  parting p = {.work = work, .data = data, .found = solution, .posed = posed, .twist = twist};
  if (take_parting(&p, work->arena) != LIMPET_OK) return false;
  join_islands(&p);
  join_points(&p, &work->collision);
  move_changed(&p, &work->collision);
  move_unsolved(&p);
  move_together(&p);
  const int all = work->problem.contact_count;
  if (PART_OF * (all - staying_contacts(&p)) > PART * all) {
    limpet_arena_release(work->arena, mark);
    return false;
  }

  limpet_step_work part = *work;
  part.spent = result->info;
  ++part.spent.repeats;
  prepared->outcome = LIMPET_OUTCOME_OUT_OF_MEMORY;
  if (pose_and_join(&p, data, clock, &part) != LIMPET_OK) return true;
  prepared->outcome = LIMPET_OUTCOME_SOLVED;
  work->info.pair_count = part.info.pair_count;
  work->info.immovable_contacts = part.info.immovable_contacts;
  work->info.swallowed_pairs = part.info.swallowed_pairs;
  work->info.bounded_contacts = part.info.bounded_contacts;
  work->spent = part.spent;
  work->weak = part.weak;
  work->folded = NULL;
  work->found = solution->contact.v;
  work->kept = solution;
  work->moved = p.moved;
  return true;
}

/* step/pose_part.c: see pose_part.h.
 *
 *   moved   trees that are posed anew (moved_trees.h)
 *   part    the problem of the moved trees alone, assembled as any other: of their points none is
 *           left between a moved tree and one that stays, since none of these may close
 *   whole   what stays of the attempt, and the part (join_problem.h)
 *
 * So islands that stay have no points that may close with the velocities of the attempt alone; they
 * were looked at where it ended. Cost: a pass over the points found, a copy of the problem, and
 * what the part costs. */
#include "step/pose_part.h"

#include "step/join_problem.h"
#include "step/moved_trees.h"
#include "step/pose_again.h"

// The part has at most 3 of 4 contacts of the attempt: else all is as soon posed anew.
enum { PART_OF = 4, PART = 3 };

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
         result->info.restrained_returns == 0 && result->info.restrained_rebounds == 0;
}

// The points of the collision that move a moved tree; from: where they are in it.
static limpet_status take_points(const limpet_parting *p, limpet_arena *arena,
                                 limpet_collision *part, int **from) {
  const limpet_collision *all = &p->work->collision;
  *part = *all;
  part->contact_count = 0;
  part->contact = LIMPET_TAKE(arena, limpet_collision_contact, all->contact_count);
  *from = LIMPET_TAKE(arena, int, all->contact_count);
  if (!part->contact || !*from) return LIMPET_ERROR_MEMORY;
  for (int first = 0, end; first < all->contact_count; first = end) {
    end = limpet_collision_pair_end(all, first);
    const limpet_collision_pair *pair = limpet_collision_pair_of(all, first);
    if (limpet_moved_trees_lacks(p, pair->geom_a) || limpet_moved_trees_lacks(p, pair->geom_b))
      continue;
    for (int i = first; i < end; ++i) {
      (*from)[part->contact_count] = i;
      part->contact[part->contact_count++] = all->contact[i];
    }
  }
  return LIMPET_OK;
}

/* The part's problem posed and joined with what stays. part: a copy of the work, with what is the
 * part's own. */
static limpet_status pose_and_join(const limpet_parting *p, limpet_data *data,
                                   limpet_stage_clock *clock, limpet_step_work *part) {
  limpet_step_work *work = p->work;
  limpet_arena *arena = work->arena;
  int *from;
  part->motion.trees = limpet_moved_trees_list(p);
  if (!part->motion.trees.tree || take_points(p, arena, &part->collision, &from) ||
      limpet_step_pose(part, data, clock) != LIMPET_OUTCOME_SOLVED)
    return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < part->records.count; ++i)
    part->records.record[i].found = from[part->records.record[i].found];
  bool *known = LIMPET_TAKE_ZERO(arena, bool, part->problem.contact_count);
  if (!known ||
      limpet_step_carry_found(part, &work->records, p->found->contact.carried, known) != LIMPET_OK)
    return LIMPET_ERROR_MEMORY;
  return limpet_problem_join(p, part, known);
}

bool limpet_step_pose_part(limpet_step_prepared *prepared, const limpet_step_result *result,
                           const limpet_collision *posed, const double *twist,
                           limpet_stage_clock *clock) {
  limpet_step_work *work = prepared->work;
  limpet_data *data = prepared->data;
  const limpet_step_solution *solution = result->solution;
  if (!solution->contact.carried || !may_part(work, data->model, result)) return false;
  const limpet_arena_mark mark = limpet_arena_mark_now(work->arena);
  limpet_parting p = {
      .work = work, .data = data, .found = solution, .posed = posed, .twist = twist};
  if (limpet_moved_trees_find(&p) != LIMPET_OK) return false;
  const int all = work->problem.contact_count;
  if (PART_OF * (all - limpet_moved_trees_staying_contacts(&p)) > PART * all) {
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

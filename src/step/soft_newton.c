/* step/soft_newton.c: Newton's method on contact and elasticity together, for laws that are not
 * linear during a step.
 *
 *   R(v) = J' gamma(v)      R: momentum residual of the body (fem.h), gamma: impulses of contacts
 *                           and ties
 * An attempt solves it with R taken as linear at some v_k: H (v - v_k) + R(v_k) = J' gamma(v), a
 * convex problem whose contact part is exact. Its solution v has
 *   rho = |R(v) - J' gamma| / (dt |f_ext| + |J' gamma|)     [-]
 * for each island: the bodies that contacts connect. The next v_k is v; where rho did not fall, it
 * is v_k + s (v - v_k), with the first s of 1/2, 1/4, ... for which rho falls, impulses being
 * shared out by s, too: Newton's direction lessens rho. Of v - v_k the rotation of each body is
 * taken as one (fem/spin.h): nodes that go straight stretch a body by half the square of its angle,
 * which outweighs all else where it is stiff. v itself, which is straight, is next only where rho
 * is no less at the end of the turned way. From the third round on the next v_k is where the
 * residuals of the last ends of turned ways would vanish together, if rho is less there: where H is
 * projected, the rotation of a pressed body is far stiffer in H than in R, and rounds alone come
 * nearer by a tenth or less each. The ways from the newest end to the others are combined, and
 * turned as one; of thin bodies that follow those of straight ends, and only where no share of the
 * way is needed: turned ones take more rounds. Shells, ropes and gas far from solved
 * go by their objective, which the direction v - v_k lessens: part of them turn against each other,
 * and rho is that of their stretches. The first v_k is the free motion, or the velocity of the
 * start of what is tied or was pressed in the last step, and has no contact, so the first v is
 * always taken. An island at the tolerance of the step keeps its laws while others go on. Ends
 * where all are, or after ROUNDS with the best attempt of all islands as it was, not solved again:
 * there contacts may be unsolved, too, and end elsewhere. The outcome says so.
 *
 * H: exact where it is positive definite, else projected element by element (fem/step.c). Bodies
 * whose linear law brought energy (fem/follow.c) take H as if they were not stressed while rho is
 * above `settled`, and then the exact one, which derivatives know, as long as that helps.
 *
 * Where nothing touches bodies but what sets of their vertices are tied to, H is in the stiffness
 * of the sets' rows alone, which hardly give way. So rounds of laws that follow may keep that of
 * the last while rho is above `settled`: the factor of a body that turns on (fem/turn_start.c)
 * lessens rho to a hundredth in each. Without the exact one at the end derivatives of steps would
 * be off by the root of the residual.
 *
 * Cost of a round: H, its factor, its condensation, and one more attempt. */
#include "step/soft_newton.h"

#include <math.h>
#include <string.h>

#include "fem/spin.h"
#include "fem/rigid_set.h"
#include "math/vec3.h"
#include "step/soft_islands.h"
#include "step/soft_motion.h"
#include "step/soft_sets.h"
#include "step/stage_clock.h"

static const double sufficient = 0.1;  // [-]  share of s by which rho has to fall
static const double near = 1e-2;       // [-]  rho of what is nearly solved
static const double downhill = 1e-4;   // [-]  share of the slope by which the objective has to fall
static const double astray = 0.25;     // [-]  of the way where no share lessens rho
static const double enough = 0.9;      // [-]  of rho before: a whole step is taken
static const double quick = 0.3;       // [-]  of rho before: a round whose factor serves the next
static const double settled = 1e-4;    // [-]  rho from which H is exact in all laws
// SLOW: rounds after which they are many
enum { ROUNDS = 30, HALVINGS = 10, SLOW = 2 };

// Bodies to which forces that are linear in the step bring energy are solved here from now on.
static void follow_ends(const limpet_model *model, const limpet_step_solution *solution,
                        const limpet_soft_motion *soft) {
  for (int d = 0; d < model->deformable_count; ++d) {
    const limpet_soft_body *body = &soft->body[d];
    if (body->failed || body->block == LIMPET_NONE || solution->contact.held[body->block]) continue;
    if (body->step->input.backward_euler &&
        limpet_fem_gains(body->step, solution->vertex_velocity + 3 * model->deformable_vertex[d]))
      limpet_fem_follow(body->step);
  }
}

// What the attempt found: velocities of all vertices and the impulses on them.
static void found_take(const limpet_model *model, const limpet_soft_motion *soft,
                       const limpet_step_solution *solution, limpet_soft_newton *state) {
  memcpy(state->found, solution->vertex_velocity,
         3 * (size_t)model->vertex_count * sizeof *state->found);
  for (int i = 0; i < model->vertex_count; ++i) {
    const int dof = solution->problem.vertex_dof ? solution->problem.vertex_dof[i] : LIMPET_NONE;
    for (int k = 0; k < 3; ++k)
      state->found_impulse[3 * i + k] =
          dof == LIMPET_NONE ? 0.0 : solution->contact.impulse[dof + k];
  }
  limpet_soft_sets_share_out(model, soft, &solution->problem, solution->contact.impulse,
                             state->found_impulse);
}

// The outcome at least, of bodies without contact that stayed unsolved, and of those that are held.
static limpet_outcome free_motions_outcome(const limpet_model *model,
                                           const limpet_soft_motion *soft) {
  limpet_outcome outcome = LIMPET_OUTCOME_SOLVED;
  for (int d = 0; d < model->deformable_count; ++d) {
    const limpet_soft_body *body = &soft->body[d];
    if (body->failed) return LIMPET_OUTCOME_ISLAND_FAILED;
    if (body->block == LIMPET_NONE && body->outcome != LIMPET_FEM_SOLVED)
      outcome = LIMPET_OUTCOME_ITERATION_LIMIT;
  }
  return outcome;
}

static bool state_take(limpet_arena *arena, long count, int bodies, limpet_soft_newton *state) {
  double **arrays[] = {
      &state->v,     &state->impulse,       &state->found,     &state->found_impulse,
      &state->trial, &state->trial_impulse, &state->packed[0], &state->packed[1],
      &state->rest,  &state->packed[2]};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) {
    *arrays[k] = LIMPET_TAKE_ZERO(arena, double, count);
    if (!*arrays[k]) return false;
  }
  state->body = LIMPET_TAKE(arena, limpet_soft_body, bodies);
  state->member = LIMPET_TAKE_ZERO(arena, limpet_soft_member, bodies);
  for (int d = 0; state->member && d < bodies; ++d) state->member[d].island = LIMPET_NONE;
  return state->body && state->member;
}

// Where the laws of the first attempt were taken, of bodies that turn on.
static void begin_where_taken(const limpet_model *model, const limpet_soft_motion *soft,
                              limpet_soft_newton *state) {
  for (int d = 0; d < model->deformable_count; ++d) {
    const limpet_fem_step *step = soft->body[d].step;
    const long first = 3L * model->deformable_vertex[d],
               count = 3L * model->deformable_vertex[d + 1] - first;
    if (step->began_turning) memcpy(state->v + first, step->taken, (size_t)count * sizeof(double));
  }
}

// Numbers of an island's vertices, one body after the other, to `packed`.
static long pack(const limpet_soft_attempt *a, int island, const double *x, double *packed) {
  const limpet_model *model = a->data->model;
  long at = 0;
  for (int d = island; d < model->deformable_count; ++d) {
    if (a->state->member[d].island != island) continue;
    const long first = 3L * model->deformable_vertex[d],
               n = 3L * model->deformable_vertex[d + 1] - first;
    memcpy(packed + at, x + first, (size_t)n * sizeof *x);
    at += n;
  }
  return at;
}

// rho of the trial, where ways that turn have left nodes that move as rigid bodies put back there.
static double measure_trial(const limpet_soft_attempt *a, int island) {
  for (int d = island; d < a->data->model->deformable_count; ++d)
    if (a->state->member[d].island == island)
      limpet_fem_rigid_admit(a->work->motion.soft->body[d].step,
                             a->state->trial + 3L * a->data->model->deformable_vertex[d]);
  return limpet_soft_measure(a, island, LIMPET_SOFT_TRIAL, a->state->trial,
                             a->state->trial_impulse);
}

// to = from + share (found - from), entries first ... end - 1.
static void share_way(const double *from, const double *found, double share, long first, long end,
                      double *to) {
  for (long i = first; i < end; ++i) to[i] = from[i] + share * (found[i] - from[i]);
}

// The trial at a share of the way from where the laws were to what was found, turned; its rho.
static double try_share(const limpet_soft_attempt *a, int island, double share) {
  limpet_soft_newton *state = a->state;
  for (int d = island; d < a->data->model->deformable_count; ++d) {
    if (state->member[d].island != island) continue;
    const long first = 3L * a->data->model->deformable_vertex[d],
               end = 3L * a->data->model->deformable_vertex[d + 1];
    share_way(state->impulse, state->found_impulse, share, first, end, state->trial_impulse);
    for (long i = first; i < end; ++i) state->rest[i] = state->found[i] - state->v[i];
    limpet_fem_step_turn(a->work->motion.soft->body[d].step, state->v + first, state->rest + first,
                         share, state->trial + first);
  }
  return measure_trial(a, island);
}

// The trial at a share of the straight way.
static void try_straight(const limpet_soft_attempt *a, int island, double share) {
  limpet_soft_newton *state = a->state;
  for (int d = island; d < a->data->model->deformable_count; ++d) {
    if (state->member[d].island != island) continue;
    const long first = 3L * a->data->model->deformable_vertex[d],
               end = 3L * a->data->model->deformable_vertex[d + 1];
    share_way(state->v, state->found, share, first, end, state->trial);
    share_way(state->impulse, state->found_impulse, share, first, end, state->trial_impulse);
  }
  measure_trial(a, island);
}

/* Keeps where an attempt led, with its residual: the trial at the end of the turned way, else what
 * was found. False: no memory. */
static bool remember(const limpet_soft_attempt *a, int island, bool turned) {
  limpet_soft_newton *state = a->state;
  if (!turned)
    limpet_soft_measure(a, island, LIMPET_SOFT_FOUND, state->found, state->found_impulse);
  pack(a, island, turned ? state->trial : state->found, state->packed[0]);
  pack(a, island, state->found_impulse, state->packed[1]);
  const long n = pack(a, island, state->rest, state->packed[2]);
  limpet_soft_history *history = &state->member[island].history;
  if (history->count == 0) *history = (limpet_soft_history){0};  // of other bodies
  return limpet_soft_history_add(history, a->work->arena, n, state->packed[0], state->packed[1],
                                 state->packed[2]);
}

/* Of one body, whose numbers begin at `at` in the history: the trial at the end of the way, turned
 * or straight, from the newest point that is made of the ways to the others. */
static void combine(const limpet_soft_attempt *a, int d, const limpet_soft_history *history,
                    long at, int count, const double *share, bool turned) {
  limpet_soft_newton *state = a->state;
  const long first = 3L * a->data->model->deformable_vertex[d],
             n = 3L * a->data->model->deformable_vertex[d + 1] - first;
  limpet_fem_step *step = a->work->motion.soft->body[d].step;
  double *way = state->packed[0], *sum = state->packed[1], *impulse = state->trial_impulse + first;
  const int newest = history->newest;
  memset(sum, 0, (size_t)n * sizeof *sum);
  memcpy(impulse, history->impulse[newest] + at, (size_t)n * sizeof *impulse);
  for (int i = 0; i < count; ++i) {
    const int other = limpet_soft_history_place(history, i + 1);
    if (turned)
      limpet_fem_step_way(step, history->v[newest] + at, history->v[other] + at,
                          state->trial + first, way);
    else
      for (long k = 0; k < n; ++k) way[k] = history->v[other][at + k] - history->v[newest][at + k];
    for (long k = 0; k < n; ++k) {
      sum[k] += share[i] * way[k];
      impulse[k] += share[i] * (history->impulse[other][at + k] - history->impulse[newest][at + k]);
    }
  }
  if (turned) limpet_fem_step_turn(step, history->v[newest] + at, sum, 1.0, state->trial + first);
  else
    for (long k = 0; k < n; ++k) state->trial[first + k] = history->v[newest][at + k] + sum[k];
}

/* The trial where the residuals of the last points would vanish together. Its rho; infinite where
 * there is none. */
static double extrapolate(const limpet_soft_attempt *a, int island, bool turned) {
  const limpet_soft_history *history = &a->state->member[island].history;
  double share[LIMPET_ANDERSON_MEMORY];
  const long n = pack(a, island, a->state->found, a->state->packed[0]);
  const int count = limpet_soft_history_shares(history, n, share);
  if (count == 0) return INFINITY;
  long at = 0;
  for (int d = island; d < a->data->model->deformable_count; ++d) {
    if (a->state->member[d].island != island) continue;
    combine(a, d, history, at, count, share, turned);
    at += 3L * (a->data->model->deformable_vertex[d + 1] - a->data->model->deformable_vertex[d]);
  }
  return measure_trial(a, island);
}

/* [J]  Of thin bodies that follow: their objective at v, less the work of the impulses found. With
 * contact and the rigid bodies, whose part is convex and has these impulses for slope where the
 * attempt ended, it rises by no more than all does. NaN: another body is in the island. */
static double objective_of(const limpet_soft_attempt *a, int island, const double *v) {
  const limpet_soft_newton *state = a->state;
  double sum = 0.0;
  for (int d = island; d < a->data->model->deformable_count; ++d) {
    if (state->member[d].island != island) continue;
    limpet_fem_step *step = a->work->motion.soft->body[d].step;
    const int first = 3 * a->data->model->deformable_vertex[d],
              end = 3 * a->data->model->deformable_vertex[d + 1];
    if (!limpet_fem_thin_follows(step) || !step->input.backward_euler) return NAN;
    sum += limpet_fem_thin_objective(step, v + first);
    for (int i = first; i < end; ++i) sum -= state->found_impulse[i] * v[i];
  }
  return sum;
}

// [J]  Slope of that from where the laws were to what was found.
static double slope_of(const limpet_soft_attempt *a, int island) {
  limpet_soft_newton *state = a->state;
  double sum = 0.0;
  for (int d = island; d < a->data->model->deformable_count; ++d) {
    if (state->member[d].island != island) continue;
    const int first = 3 * a->data->model->deformable_vertex[d],
              end = 3 * a->data->model->deformable_vertex[d + 1];
    limpet_fem_step_residual(a->work->motion.soft->body[d].step, state->v + first,
                             state->rest + first);
    for (int i = first; i < end; ++i)
      sum += (state->rest[i] - state->found_impulse[i]) * (state->found[i] - state->v[i]);
  }
  return sum;
}

/* Far from the end of thin bodies rho says little, as stretches by turning outweigh all else: the
 * trial at the first share of the straight way that lessens the objective. False: there is none, or
 * the island has other bodies. */
static bool descends(const limpet_soft_attempt *a, int island) {
  const double before = objective_of(a, island, a->state->v);
  if (!isfinite(before)) return false;
  const double slope = slope_of(a, island);
  double share = 1.0;
  for (int k = 0; slope < 0.0 && k < HALVINGS; ++k, share *= 0.5) {
    try_straight(a, island, share);
    if (objective_of(a, island, a->state->trial) <= before + downhill * share * slope) return true;
  }
  return false;
}

// Whether rounds are many, so that what was found is worth keeping.
static bool is_slow(const limpet_soft_attempt *a, int island) {
  return limpet_soft_rounds(a, island) >= SLOW &&
         isfinite(limpet_soft_rho(a, island, LIMPET_SOFT_FOUND));
}

/* Whether a trial, not what was found, is where the laws of an island are taken next: the end of
 * the turned way where rho is less there, or where many ways lead together, or nearer to where they
 * were, or where no share lessens rho, a part of the way all the same. A rho that is not a number
 * counts as one that rose. *full: no memory. */
static bool prefers_trial(const limpet_soft_attempt *a, int island, bool *full) {
  const double before = limpet_soft_rho(a, island, LIMPET_SOFT_AT);
  const double found = limpet_soft_rho(a, island, LIMPET_SOFT_FOUND);
  if (limpet_soft_rounds(a, island) > 0 && before > near && descends(a, island)) return true;
  const double turned = try_share(a, island, 1.0);
  const bool turns = turned < enough * found;
  const double least = turns ? turned : found;
  const bool slow = is_slow(a, island), thin = isfinite(objective_of(a, island, a->state->v));
  if (slow) *full = *full || !remember(a, island, turns && !thin);
  if (slow && !thin) {
    if (!*full && extrapolate(a, island, true) <= enough * fmin(least, before)) return true;
    if (turns) try_share(a, island, 1.0);
  }
  if (limpet_soft_rounds(a, island) == 0 || least <= enough * before)
    return turns || (thin && !*full && extrapolate(a, island, false) <= enough * found);
  double share = 1.0;
  int halvings = 0;
  do {
    share *= 0.5;
  } while (!(try_share(a, island, share) <= (1.0 - sufficient * share) * before) &&
           ++halvings < HALVINGS);
  if (halvings == HALVINGS) try_share(a, island, turned < before ? 1.0 : astray);
  return true;
}

// Where the law of a body is taken next: at the trial, or at what was found.
static void take_point(const limpet_soft_attempt *a, int d, bool trial) {
  limpet_soft_newton *state = a->state;
  limpet_soft_member *member = &state->member[d];
  const int first = 3 * a->data->model->deformable_vertex[d];
  const size_t size =
      (size_t)(3 * a->data->model->deformable_vertex[d + 1] - first) * sizeof *state->v;
  memcpy(state->v + first, (trial ? state->trial : state->found) + first, size);
  memcpy(state->impulse + first, (trial ? state->trial_impulse : state->found_impulse) + first,
         size);
  member->balance[LIMPET_SOFT_AT] = member->balance[trial ? LIMPET_SOFT_TRIAL : LIMPET_SOFT_FOUND];
  ++member->rounds;
}

/* Whether a round far from the end keeps H and its factor, where contacts have no stiffness by
 * them: those of a body that turned on, and then as long as rho falls quickly. */
static bool keeps_factor(const limpet_soft_attempt *a, int island, double before) {
  const double now = limpet_soft_rho(a, island, LIMPET_SOFT_AT);
  for (int d = island; d < a->data->model->deformable_count; ++d) {
    const limpet_soft_member *member = &a->state->member[d];
    if (member->island != island) continue;
    const limpet_soft_body *body = &a->work->motion.soft->body[d];
    if (!body->step->serves || !limpet_fem_follows(body->step) || !limpet_soft_only_sets(body))
      return false;
    if (member->rounds > 1 ? !(now <= quick * before) : !body->step->began_turning) return false;
  }
  return true;
}

// How the laws of an island are taken next; `before`: rho where they were taken last.
static void choose_matrix(const limpet_soft_attempt *a, int island, double before) {
  const bool exact = limpet_soft_rho(a, island, LIMPET_SOFT_AT) <= settled;
  const bool keeps = !exact && keeps_factor(a, island, before);
  for (int d = island; d < a->data->model->deformable_count; ++d) {
    limpet_soft_member *member = &a->state->member[d];
    if (member->island != island) continue;
    member->keeps = keeps;
    if (keeps) continue;
    member->exact = exact && member->exact_rounds < LIMPET_SOFT_EXACT_ROUNDS;
    member->exact_rounds += member->exact;
  }
}

/* Where all laws that are not balanced are taken next. Bodies that are held: at what was found.
 * False: no memory. */
static bool next_points(const limpet_soft_attempt *a) {
  const int count = a->data->model->deformable_count;
  limpet_soft_member *member = a->state->member;
  bool full = false;
  for (int island = 0; island < count; ++island) {
    if (member[island].island == LIMPET_NONE) take_point(a, island, false);
    if (!limpet_soft_is_island(a->state, island) || member[island].met) continue;
    const double before = limpet_soft_rho(a, island, LIMPET_SOFT_AT);
    const bool trial = prefers_trial(a, island, &full);
    for (int d = island; d < count; ++d)
      if (member[d].island == island) take_point(a, d, trial);
    choose_matrix(a, island, before);
  }
  return !full;
}

// [J]  kinetic and elastic, of the bodies that are solved here, at the end of a step with v.
static double energy_of(const limpet_step_work *work, const limpet_data *data, const double *v,
                        double *q) {
  const limpet_model *model = data->model;
  double energy = 0.0;
  for (int d = 0; d < model->deformable_count; ++d) {
    if (!limpet_soft_takes(model, work->motion.soft, d)) continue;
    const int first = 3 * model->deformable_vertex[d], end = 3 * model->deformable_vertex[d + 1];
    for (int i = first; i < end; ++i)
      q[i] = data->vertex_position[i] + work->settings.time_step * v[i];
    const limpet_fem_state state =
        limpet_fem_body_state(model->deformable_body[d], q + first, v + first, NULL);
    energy += state.kinetic + state.elastic;
  }
  return isfinite(energy) ? energy : INFINITY;
}

/* Keeps the best attempt: that of the least rho, or where all are far from solved, the one that
 * ends with the least energy, since rho then says little. */
static void keep_best(const limpet_step_work *work, const limpet_data *data,
                      const limpet_step_result *result, double rho, limpet_soft_newton *state) {
  const double badness = rho <= near ? rho : 1.0 + energy_of(work, data, state->found, state->rest);
  if (state->rounds > 0 && !(badness < state->least)) return;
  state->least = badness, state->rho = rho;
  state->solution = result->solution;
  state->problem = work->problem, state->records = work->records;
  memcpy(state->body, work->motion.soft->body,
         (size_t)work->motion.soft->count * sizeof *state->body);
}

// The best attempt, in the place of the last one.
static void take_best(limpet_step_work *work, const limpet_soft_newton *state,
                      limpet_step_result *result) {
  result->solution = state->solution, result->v = state->solution->v;
  result->info.elastic_residual = state->rho;
  work->problem = state->problem, work->records = state->records;
  memcpy(work->motion.soft->body, state->body,
         (size_t)work->motion.soft->count * sizeof *state->body);
}

// The laws of all bodies that are not balanced, at v; false: a matrix is not positive definite.
static bool take_laws(const limpet_model *model, limpet_soft_motion *soft,
                      const limpet_soft_newton *state) {
  const double *v = state->v;
  for (int d = 0; d < model->deformable_count; ++d) {
    if (!limpet_soft_takes(model, soft, d) || state->member[d].met) continue;
    const int first = 3 * model->deformable_vertex[d], end = 3 * model->deformable_vertex[d + 1];
    limpet_fem_step *step = soft->body[d].step;
    if (state->member[d].keeps) limpet_fem_relinearise_kept(step, v + first);
    else if (limpet_fem_relinearise(step, v + first, !state->member[d].exact) != LIMPET_FEM_SOLVED)
      return false;
    soft->body[d].relinearised = true;
    memcpy(soft->v_free + first, limpet_fem_step_free_velocity(step),
           (size_t)(end - first) * sizeof *v);
  }
  return true;
}

static bool begins(const limpet_step_work *work, const limpet_step_result *result) {
  return work && work->motion.soft && !limpet_outcome_failed(result->outcome) &&
         !work->settings.linearised_elasticity && !work->settings.scheme->from_rest;
}

bool limpet_step_laws_follow(const limpet_step_work *work, const limpet_model *model) {
  if (!work->motion.soft || work->settings.linearised_elasticity ||
      work->settings.scheme->from_rest)
    return false;
  for (int d = 0; d < model->deformable_count; ++d)
    if (limpet_soft_is_nonlinear(model, d)) return true;
  return false;
}

static void unsolved(limpet_step_result *result) {
  if (result->outcome == LIMPET_OUTCOME_SOLVED)
    result->outcome = result->info.outcome = LIMPET_OUTCOME_ITERATION_LIMIT;
}

// The problem with the laws at state->v; false: there is none.
static bool pose_anew(limpet_step_prepared *prepared, const limpet_step_result *result,
                      const limpet_soft_newton *state, limpet_stage_clock *clock) {
  limpet_step_work *work = prepared->work;
  if (!take_laws(prepared->data->model, work->motion.soft, state)) return false;
  limpet_stage_clock_lap(clock, LIMPET_STAGE_DYNAMICS);
  prepared->outcome = limpet_step_pose(work, prepared->data, clock);
  work->found = result->solution->contact.v;
  work->found_vertices = result->solution->vertex_velocity;
  return true;
}

static bool take_laws_anew(limpet_step_prepared *prepared, limpet_step_result *result,
                           limpet_soft_newton *state, limpet_stage_clock *clock) {
  limpet_step_work *work = prepared->work;
  limpet_data *data = prepared->data;
  const limpet_model *model = data->model;
  const long count = 3L * model->vertex_count;
  if (!state->v) {
    if (!state_take(work->arena, count, work->motion.soft->count, state)) {
      unsolved(result);
      return false;
    }
    begin_where_taken(model, work->motion.soft, state);
  }
  follow_ends(model, result->solution, work->motion.soft);
  found_take(model, work->motion.soft, result->solution, state);
  const limpet_soft_attempt a = {work, data, result->solution, state};
  limpet_soft_find_islands(&a);
  const double rho = limpet_soft_judge_islands(&a);
  result->info.elastic_rounds = state->rounds;
  result->info.elastic_residual = rho;
  const limpet_outcome free_outcome = free_motions_outcome(model, work->motion.soft);
  if (result->outcome < free_outcome) result->outcome = result->info.outcome = free_outcome;
  if (limpet_soft_all_met(&a)) return false;
  keep_best(work, data, result, rho, state);
  // Newton's rounds; the laws of the body as it is
  if (state->rounds < ROUNDS) {
    const bool next = next_points(&a);
    ++state->rounds;
    if (next && pose_anew(prepared, result, state, clock)) return true;
    state->rounds = ROUNDS;
  }
  if (state->rounds == ROUNDS && state->least > near) {
    memset(state->v, 0, (size_t)count * sizeof *state->v);
    ++state->rounds;
    if (pose_anew(prepared, result, state, clock)) return true;
  }
  take_best(work, state, result);
  if (!(state->rho <= work->settings.tolerance)) unsolved(result);
  return false;
}

bool limpet_step_relinearise(limpet_step_prepared *prepared, limpet_step_result *result,
                             limpet_soft_newton *state) {
  limpet_step_work *work = prepared->work;
  if (!begins(work, result)) return false;
  limpet_stage_clock clock =
      limpet_stage_clock_start(work->settings.profile, work->info.stage_time);
  const bool again = take_laws_anew(prepared, result, state, &clock);
  limpet_stage_clock_lap(&clock, LIMPET_STAGE_DYNAMICS);
  return again;
}

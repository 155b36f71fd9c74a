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
 * shared out by s, too: Newton's direction lessens rho. The first v_k is the free motion, which has
 * no contact, so the first v is always taken. An island at the tolerance of the step keeps its laws
 * while others go on. Ends where all are, or after ROUNDS with the best attempt of all islands as
 * it was, not solved again: there contacts may be unsolved, too, and end elsewhere. The outcome
 * says so.
 * H: exact where it is positive definite, else projected element by element (fem/step.c). Bodies
 * whose linear law brought energy (fem/follow.c) take H as if they were not stressed while rho is
 * above `settled`, and then the exact one, which derivatives know, as long as that helps.
 * Cost of a round: H, its factor, its condensation, and one more attempt. */
#include "step/soft_newton.h"

#include <math.h>
#include <string.h>

#include "fem/step.h"
#include "math/vec3.h"
#include "step/soft_motion.h"
#include "step/stage_clock.h"

static const double sufficient = 0.1;  // [-]  share of s by which rho has to fall
static const double near = 1e-2;       // [-]  rho of what is nearly solved
static const double astray = 0.25;     // [-]  of the way where no share lessens rho
static const double enough = 0.9;      // [-]  of rho before: a whole step is taken
static const double settled = 1e-4;    // [-]  rho from which H is exact in all laws
// SLOW: rounds after which they are many; EXACT_ROUNDS: of laws that are linear in other steps
enum { ROUNDS = 30, HALVINGS = 10, SLOW = 2, EXACT_ROUNDS = 2 };

static bool is_nonlinear(const limpet_model *model, int d) {
  const limpet_fem_body_info info = limpet_fem_body_information(model->deformable_body[d]);
  return !limpet_elastic_law_is_linear(info.law);
}

// Bodies that are solved here.
static bool takes(const limpet_model *model, const limpet_soft_motion *soft, int d) {
  return (is_nonlinear(model, d) || limpet_fem_follows(soft->body[d].step)) &&
         !soft->body[d].failed && soft->body[d].block != LIMPET_NONE;
}

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

// One attempt and what is known of those before.
typedef struct attempted {
  const limpet_step_work *work;
  const limpet_data *data;
  const limpet_step_solution *solution;
  limpet_soft_newton *state;
} attempted;

static bool is_island(const limpet_soft_newton *state, int d) {
  return state->member[d].island == d;
}

// R(v) - impulse of one body to state->rest.
static limpet_soft_balance balance_of(const attempted *a, const double *v, const double *impulse,
                                      int d) {
  const limpet_model *model = a->data->model;
  const int first = model->deformable_vertex[d];
  const double *mass = limpet_fem_body_node_mass(model->deformable_body[d]);
  const double g = limpet_vec3_norm(model->options.gravity), dt = a->work->settings.time_step;
  double *rest = a->state->rest;
  limpet_soft_balance sum = {0.0, 0.0};
  limpet_fem_step_residual(a->work->motion.soft->body[d].step, v + 3 * first, rest + 3 * first);
  // what the support of fixed nodes gives is no residual
  for (int t = model->deformable_tie[d]; t < model->deformable_tie[d + 1]; ++t) {
    if (model->body_tree[model->tie_body[t]] >= 0) continue;
    double *r = rest + 3 * model->tie_vertex[t];
    sum.scale += limpet_vec3_dot(r, r);
    limpet_vec3_copy(r, impulse + 3 * model->tie_vertex[t]);
  }
  for (int i = first; i < model->deformable_vertex[d + 1]; ++i) {
    double *r = rest + 3 * i;
    limpet_vec3_sub(r, r, impulse + 3 * i);
    sum.rest += limpet_vec3_dot(r, r);
    sum.scale += limpet_vec3_dot(impulse + 3 * i, impulse + 3 * i);
    sum.scale += dt * dt * g * g * mass[i - first] * mass[i - first];
  }
  return sum;
}

// rho of an island at a place that was measured; 0: there is no force.
static double rho_of(const attempted *a, int island, int place) {
  limpet_soft_balance sum = {0.0, 0.0};
  for (int d = island; d < a->data->model->deformable_count; ++d) {
    const limpet_soft_member *member = &a->state->member[d];
    if (member->island != island) continue;
    sum.rest += member->balance[place].rest, sum.scale += member->balance[place].scale;
  }
  return sum.scale == 0.0 ? 0.0 : sqrt(sum.rest / sum.scale);
}

// rho of an island at a place, of which v and impulse are those of all vertices.
static double measure(const attempted *a, int island, int place, const double *v,
                      const double *impulse) {
  for (int d = island; d < a->data->model->deformable_count; ++d) {
    limpet_soft_member *member = &a->state->member[d];
    if (member->island == island) member->balance[place] = balance_of(a, v, impulse, d);
  }
  return rho_of(a, island, place);
}

// How often the laws of all bodies of an island were taken.
static int rounds_of(const attempted *a, int island) {
  int rounds = a->state->member[island].rounds;
  for (int d = island; d < a->data->model->deformable_count; ++d) {
    const limpet_soft_member *member = &a->state->member[d];
    if (member->island == island && member->rounds < rounds) rounds = member->rounds;
  }
  return rounds;
}

// Whether contacts connect two bodies that are solved here.
static bool is_connected(const attempted *a, int d, int other) {
  const limpet_soft_body *body = a->work->motion.soft->body;
  const limpet_block *block = a->solution->problem.block;
  const int island = block[body[d].block].island;
  return island >= 0 && island == block[body[other].block].island;
}

/* Islands of the attempt. What it found in islands that have other bodies than before is combined
 * with nothing older. */
static void find_islands(const attempted *a) {
  const limpet_soft_motion *soft = a->work->motion.soft;
  const int count = a->data->model->deformable_count;
  limpet_soft_member *member = a->state->member;
  for (int d = 0; d < count; ++d) {
    const int before = member[d].island, block = soft->body[d].block;
    int island = LIMPET_NONE;
    if (takes(a->data->model, soft, d) && !a->solution->contact.held[block])
      for (island = 0; island < d; ++island)
        if (is_island(a->state, island) && is_connected(a, island, d)) break;
    member[d].island = island;
    if (island == before) continue;
    if (before != LIMPET_NONE) member[before].history.count = 0;
    if (island != LIMPET_NONE) member[island].history.count = 0;
  }
}

// Whether the laws of an island were last taken with the exact H.
static bool is_exact(const attempted *a, int island) {
  for (int d = island; d < a->data->model->deformable_count; ++d) {
    const limpet_soft_member *member = &a->state->member[d];
    const limpet_fem_step *step = a->work->motion.soft->body[d].step;
    if (member->island == island && step->turned && limpet_fem_follows(step) && !member->exact &&
        member->exact_rounds < EXACT_ROUNDS)
      return false;
  }
  return true;
}

static bool all_met(const attempted *a) {
  for (int d = 0; d < a->data->model->deformable_count; ++d)
    if (is_island(a->state, d) && !a->state->member[d].met) return false;
  return true;
}

/* Which islands the attempt balances; returns rho of the worst one, or one that is not a number. */
static double judge_islands(const attempted *a) {
  double worst = 0.0;
  for (int d = 0; d < a->data->model->deformable_count; ++d) {
    limpet_soft_member *member = &a->state->member[d];
    if (is_island(a->state, d)) {
      const double rho = measure(a, d, LIMPET_SOFT_FOUND, a->state->found, a->state->found_impulse);
      member->met = rho <= a->work->settings.tolerance && is_exact(a, d);
      worst = isnan(worst) || rho <= worst ? worst : rho;
    } else member->met = member->island != LIMPET_NONE && a->state->member[member->island].met;
  }
  return worst;
}

// What the attempt found: velocities of all vertices and the impulses on them.
static void found_take(const limpet_model *model, const limpet_step_solution *solution,
                       limpet_soft_newton *state) {
  memcpy(state->found, solution->vertex_velocity,
         3 * (size_t)model->vertex_count * sizeof *state->found);
  for (int i = 0; i < model->vertex_count; ++i) {
    const int dof = solution->problem.vertex_dof ? solution->problem.vertex_dof[i] : LIMPET_NONE;
    for (int k = 0; k < 3; ++k)
      state->found_impulse[3 * i + k] =
          dof == LIMPET_NONE ? 0.0 : solution->contact.impulse[dof + k];
  }
}

// Whether a body without contact stayed unsolved.
static bool free_motion_unsolved(const limpet_model *model, const limpet_soft_motion *soft) {
  for (int d = 0; d < model->deformable_count; ++d)
    if (soft->body[d].block == LIMPET_NONE && soft->body[d].outcome != LIMPET_FEM_SOLVED)
      return true;
  return false;
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

// Numbers of an island's vertices, one body after the other, to `packed` or from there.
static long pack(const attempted *a, int island, bool back, double *x, double *packed) {
  const limpet_model *model = a->data->model;
  long at = 0;
  for (int d = island; d < model->deformable_count; ++d) {
    if (a->state->member[d].island != island) continue;
    const long first = 3L * model->deformable_vertex[d],
               n = 3L * model->deformable_vertex[d + 1] - first;
    if (back) memcpy(x + first, packed + at, (size_t)n * sizeof *x);
    else memcpy(packed + at, x + first, (size_t)n * sizeof *x);
    at += n;
  }
  return at;
}

static double measure_trial(const attempted *a, int island) {
  return measure(a, island, LIMPET_SOFT_TRIAL, a->state->trial, a->state->trial_impulse);
}

// The trial at a share of the way from where the laws were to what was found; its rho.
static double try_share(const attempted *a, int island, double share) {
  limpet_soft_newton *state = a->state;
  for (int d = island; d < a->data->model->deformable_count; ++d) {
    if (state->member[d].island != island) continue;
    for (long i = 3L * a->data->model->deformable_vertex[d];
         i < 3L * a->data->model->deformable_vertex[d + 1]; ++i) {
      state->trial[i] = state->v[i] + share * (state->found[i] - state->v[i]);
      state->trial_impulse[i] =
          state->impulse[i] + share * (state->found_impulse[i] - state->impulse[i]);
    }
  }
  return measure_trial(a, island);
}

// Keeps what the attempt found of an island, with its residual. False: no memory.
static bool remember(const attempted *a, int island) {
  limpet_soft_newton *state = a->state;
  pack(a, island, false, state->found, state->packed[0]);
  pack(a, island, false, state->found_impulse, state->packed[1]);
  const long n = pack(a, island, false, state->rest, state->packed[2]);
  limpet_soft_history *history = &state->member[island].history;
  if (history->count == 0) *history = (limpet_soft_history){0};  // of other bodies
  return limpet_soft_history_add(history, a->work->arena, n, state->packed[0], state->packed[1],
                                 state->packed[2]);
}

/* Where no share of the way was needed but rounds are many: from what the last attempts found to
 * where their residuals would vanish together. Whether rho of that trial is less. */
static bool extrapolate(const attempted *a, int island) {
  limpet_soft_newton *state = a->state;
  const long n = pack(a, island, false, state->found, state->packed[0]);
  if (!limpet_soft_history_extrapolate(&state->member[island].history, n, state->packed[0],
                                       state->packed[1]))
    return false;
  pack(a, island, true, state->trial, state->packed[0]);
  pack(a, island, true, state->trial_impulse, state->packed[1]);
  return measure_trial(a, island) <= enough * rho_of(a, island, LIMPET_SOFT_FOUND);
}

/* Whether a trial, not what was found, is where the laws of an island are taken next: nearer to
 * where they were, or where no share lessens rho, a part of the way all the same. A rho that is not
 * a number counts as one that rose. */
static bool prefers_trial(const attempted *a, int island) {
  const double before = rho_of(a, island, LIMPET_SOFT_AT);
  if (rounds_of(a, island) == 0 || rho_of(a, island, LIMPET_SOFT_FOUND) <= enough * before)
    return extrapolate(a, island);
  double share = 1.0;
  int halvings = 0;
  do {
    share *= 0.5;
  } while (!(try_share(a, island, share) <= (1.0 - sufficient * share) * before) &&
           ++halvings < HALVINGS);
  if (halvings == HALVINGS) try_share(a, island, astray);
  return true;
}

// Where the law of a body is taken next: at the trial, or at what was found.
static void take_point(const attempted *a, int d, bool trial) {
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

// Where all laws that are not balanced are taken next. Bodies that are held: at what was found.
static void next_points(const attempted *a) {
  const int count = a->data->model->deformable_count;
  limpet_soft_member *member = a->state->member;
  for (int island = 0; island < count; ++island) {
    if (member[island].island == LIMPET_NONE) take_point(a, island, false);
    if (!is_island(a->state, island) || member[island].met) continue;
    const bool trial = prefers_trial(a, island);
    for (int d = island; d < count; ++d)
      if (member[d].island == island) take_point(a, d, trial);
    const bool exact = rho_of(a, island, LIMPET_SOFT_AT) <= settled;
    for (int d = island; d < count; ++d)
      if (member[d].island == island) {
        member[d].exact = exact && member[d].exact_rounds < EXACT_ROUNDS;
        member[d].exact_rounds += member[d].exact;
      }
  }
}

// Of islands whose rounds are many: keeps what was found. False: no memory.
static bool remember_all(const attempted *a) {
  for (int d = 0; d < a->data->model->deformable_count; ++d)
    if (is_island(a->state, d) && !a->state->member[d].met && rounds_of(a, d) >= SLOW &&
        isfinite(rho_of(a, d, LIMPET_SOFT_FOUND)) && !remember(a, d))
      return false;
  return true;
}

// [J]  kinetic and elastic, of the bodies that are solved here, at the end of a step with v.
static double energy_of(const limpet_step_work *work, const limpet_data *data, const double *v,
                        double *q) {
  const limpet_model *model = data->model;
  double energy = 0.0;
  for (int d = 0; d < model->deformable_count; ++d) {
    if (!takes(model, work->motion.soft, d)) continue;
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
    if (!takes(model, soft, d) || state->member[d].met) continue;
    const int first = 3 * model->deformable_vertex[d], end = 3 * model->deformable_vertex[d + 1];
    limpet_fem_step *step = soft->body[d].step;
    if (limpet_fem_relinearise(step, v + first, !state->member[d].exact) != LIMPET_FEM_SOLVED)
      return false;
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
    if (is_nonlinear(model, d)) return true;
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
  if (!state->v && !state_take(work->arena, count, work->motion.soft->count, state)) {
    unsolved(result);
    return false;
  }
  follow_ends(model, result->solution, work->motion.soft);
  found_take(model, result->solution, state);
  const attempted a = {work, data, result->solution, state};
  find_islands(&a);
  const double rho = judge_islands(&a);
  result->info.elastic_rounds = state->rounds;
  result->info.elastic_residual = rho;
  if (free_motion_unsolved(model, work->motion.soft)) unsolved(result);
  if (all_met(&a)) return false;
  if (!remember_all(&a)) {
    unsolved(result);
    return false;
  }
  keep_best(work, data, result, rho, state);
  // Newton's rounds; the laws of the body as it is
  if (state->rounds < ROUNDS) {
    next_points(&a);
    ++state->rounds;
    if (pose_anew(prepared, result, state, clock)) return true;
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

/* step/soft_newton.c: Newton's method on contact and elasticity together, for laws that are not
 * linear during a step.
 *
 *   R(v) = J' gamma(v)      R: momentum residual of the body (fem.h), gamma: impulses of contacts
 *                           and ties
 * An attempt solves it with R taken as linear at some v_k: H (v - v_k) + R(v_k) = J' gamma(v), a
 * convex problem whose contact part is exact. Its solution v has
 *   rho = |R(v) - J' gamma| / (dt |f_ext| + |J' gamma|)     [-]
 * all bodies together. The next v_k is v; where rho did not fall, it is v_k + s (v - v_k), with the
 * first s of 1/2, 1/4, ... for which rho falls, impulses being shared out by s, too: Newton's
 * direction lessens rho. The first v_k is the free motion, which has no contact, so the first v is
 * always taken. Ends at the tolerance of the step, or after ROUNDS with the best attempt as it was,
 * not solved again: there contacts may be unsolved, too, and end elsewhere. The outcome says so.
 * H: exact where it is positive definite, else projected element by element (fem/step.c).
 * Cost of a round: H, its factor, its condensation, and one more attempt. */
#include "step/soft_newton.h"

#include <math.h>
#include <string.h>

#include "fem/step.h"
#include "math/vec3.h"
#include "step/soft_motion.h"
#include "step/stage_clock.h"

static const double sufficient = 0.1;           // [-]  share of s by which rho has to fall
static const double near = 1e-2;                // [-]  rho of what is nearly solved
static const double astray = 0.25;              // [-]  of the way where no share lessens rho
static const double enough = 0.9;               // [-]  of rho before: a whole step is taken
enum { ROUNDS = 30, HALVINGS = 10, SLOW = 2 };  // SLOW: rounds after which they are many

static bool is_nonlinear(const limpet_model *model, int d) {
  const limpet_fem_body_info info = limpet_fem_body_information(model->deformable_body[d]);
  return !limpet_elastic_law_is_linear(info.law);
}

// Bodies that are solved here.
static bool takes(const limpet_model *model, const limpet_soft_motion *soft, int d) {
  return (is_nonlinear(model, d) || limpet_fem_thin_follows(soft->body[d].step)) &&
         !soft->body[d].failed && soft->body[d].block != LIMPET_NONE;
}

// Thin bodies to which their linear forces bring energy are solved here from now on.
static void follow_thin(const limpet_model *model, const limpet_step_solution *solution,
                        const limpet_soft_motion *soft) {
  for (int d = 0; d < model->deformable_count; ++d) {
    const limpet_soft_body *body = &soft->body[d];
    if (body->failed || body->block == LIMPET_NONE || solution->contact.held[body->block]) continue;
    if (body->step->input.backward_euler &&
        limpet_fem_thin_gains(body->step,
                              solution->vertex_velocity + 3 * model->deformable_vertex[d]))
      limpet_fem_thin_follow(body->step);
  }
}

typedef struct balance {
  double rest, scale;  // [N^2 s^2]
} balance;

// R(v) - impulse of one body to `rest`; adds the squares of both and of their scale.
static void add_body(const limpet_step_work *work, const limpet_data *data, const double *v,
                     const double *impulse, int d, double *rest, balance *sum) {
  const limpet_model *model = data->model;
  const int first = model->deformable_vertex[d];
  const double *mass = limpet_fem_body_node_mass(model->deformable_body[d]);
  const double g = limpet_vec3_norm(model->options.gravity), dt = work->settings.time_step;
  limpet_fem_step_residual(work->motion.soft->body[d].step, v + 3 * first, rest + 3 * first);
  // what the support of fixed nodes gives is no residual
  for (int t = model->deformable_tie[d]; t < model->deformable_tie[d + 1]; ++t) {
    if (model->body_tree[model->tie_body[t]] >= 0) continue;
    double *r = rest + 3 * model->tie_vertex[t];
    sum->scale += limpet_vec3_dot(r, r);
    limpet_vec3_copy(r, impulse + 3 * model->tie_vertex[t]);
  }
  for (int i = first; i < model->deformable_vertex[d + 1]; ++i) {
    double *r = rest + 3 * i;
    limpet_vec3_sub(r, r, impulse + 3 * i);
    sum->rest += limpet_vec3_dot(r, r);
    sum->scale += limpet_vec3_dot(impulse + 3 * i, impulse + 3 * i);
    sum->scale += dt * dt * g * g * mass[i - first] * mass[i - first];
  }
}

// rho of all bodies at v with the impulses of vertices; 0: there is none. rest: R - impulse.
static double residual_of(const limpet_step_work *work, const limpet_data *data,
                          const limpet_step_solution *solution, const double *v,
                          const double *impulse, double *rest) {
  const limpet_model *model = data->model;
  balance sum = {0.0, 0.0};
  memset(rest, 0, 3 * (size_t)model->vertex_count * sizeof *rest);
  for (int d = 0; d < model->deformable_count; ++d)
    if (takes(model, work->motion.soft, d) &&
        !solution->contact.held[work->motion.soft->body[d].block])
      add_body(work, data, v, impulse, d, rest, &sum);
  return sum.scale > 0.0 ? sqrt(fmax(sum.rest, 0.0) / sum.scale) : 0.0;
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
  double **arrays[] = {&state->v,     &state->impulse,       &state->found, &state->found_impulse,
                       &state->trial, &state->trial_impulse, &state->rest};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) {
    *arrays[k] = LIMPET_TAKE_ZERO(arena, double, count);
    if (!*arrays[k]) return false;
  }
  state->body = LIMPET_TAKE(arena, limpet_soft_body, bodies);
  return state->body != NULL;
}

static void swap(double **x, double **y) {
  double *const z = *x;
  *x = *y, *y = z;
}

// The trial at a share of the way from where the laws were to what was found; its rho.
static double try_share(const limpet_step_work *work, const limpet_data *data,
                        const limpet_step_solution *solution, double share,
                        limpet_soft_newton *state) {
  for (long i = 0; i < 3L * data->model->vertex_count; ++i) {
    state->trial[i] = state->v[i] + share * (state->found[i] - state->v[i]);
    state->trial_impulse[i] =
        state->impulse[i] + share * (state->found_impulse[i] - state->impulse[i]);
  }
  return residual_of(work, data, solution, state->trial, state->trial_impulse, state->rest);
}

static void take_trial(limpet_soft_newton *state) {
  swap(&state->found, &state->trial), swap(&state->found_impulse, &state->trial_impulse);
}

/* Where no share of the way was needed but rounds are many: from what the last attempts found to
 * where their residuals would vanish together, if rho is less there. Returns rho of what is in
 * state->found then. */
static double extrapolate(const limpet_step_work *work, const limpet_data *data,
                          const limpet_step_solution *solution, double rho,
                          limpet_soft_newton *state) {
  const long n = 3L * data->model->vertex_count;
  if (!limpet_soft_history_extrapolate(&state->history, n, state->trial, state->trial_impulse))
    return rho;
  const double next =
      residual_of(work, data, solution, state->trial, state->trial_impulse, state->rest);
  if (!(next <= enough * rho)) return rho;
  take_trial(state);
  return next;
}

/* Where the laws are taken next: at what was found with `rho`, or nearer to where they were; where
 * no share lessens rho, a part of the way all the same. A rho that is not a number counts as one
 * that rose. */
static void next_point(const limpet_step_work *work, const limpet_data *data,
                       const limpet_step_solution *solution, double rho,
                       limpet_soft_newton *state) {
  if (state->rounds > 0 && !(rho <= enough * state->residual)) {
    double share = 1.0;
    int halvings = 0;
    do {
      share *= 0.5;
      rho = try_share(work, data, solution, share, state);
    } while (!(rho <= (1.0 - sufficient * share) * state->residual) && ++halvings < HALVINGS);
    if (halvings == HALVINGS) rho = try_share(work, data, solution, astray, state);
    take_trial(state);
  } else rho = extrapolate(work, data, solution, rho, state);
  swap(&state->v, &state->found), swap(&state->impulse, &state->found_impulse);
  state->residual = rho;
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

// The laws of all bodies at v; false: a matrix is not positive definite.
static bool take_laws(const limpet_model *model, limpet_soft_motion *soft, const double *v) {
  for (int d = 0; d < model->deformable_count; ++d) {
    if (!takes(model, soft, d)) continue;
    const int first = 3 * model->deformable_vertex[d], end = 3 * model->deformable_vertex[d + 1];
    limpet_fem_step *step = soft->body[d].step;
    if (limpet_fem_step_relinearise(step, v + first) != LIMPET_FEM_SOLVED) return false;
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

// The problem with the laws at v; false: there is none.
static bool pose_anew(limpet_step_prepared *prepared, const limpet_step_result *result,
                      const double *v, limpet_stage_clock *clock) {
  limpet_step_work *work = prepared->work;
  if (!take_laws(prepared->data->model, work->motion.soft, v)) return false;
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
  follow_thin(model, result->solution, work->motion.soft);
  found_take(model, result->solution, state);
  const double rho =
      residual_of(work, data, result->solution, state->found, state->found_impulse, state->rest);
  result->info.elastic_rounds = state->rounds;
  result->info.elastic_residual = rho;
  if (free_motion_unsolved(model, work->motion.soft)) unsolved(result);
  if (rho <= work->settings.tolerance) return false;
  if (state->rounds >= SLOW && isfinite(rho) &&
      !limpet_soft_history_add(&state->history, work->arena, count, state->found,
                               state->found_impulse, state->rest)) {
    unsolved(result);
    return false;
  }
  keep_best(work, data, result, rho, state);
  // Newton's rounds; the laws of the body as it is
  if (state->rounds < ROUNDS) {
    next_point(work, data, result->solution, rho, state);
    ++state->rounds;
    if (pose_anew(prepared, result, state->v, clock)) return true;
    state->rounds = ROUNDS;
  }
  if (state->rounds == ROUNDS && state->least > near) {
    memset(state->v, 0, (size_t)count * sizeof *state->v);
    ++state->rounds;
    if (pose_anew(prepared, result, state->v, clock)) return true;
  }
  take_best(work, state, result);
  unsolved(result);
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

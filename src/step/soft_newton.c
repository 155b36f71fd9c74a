/* step/soft_newton.c: Newton's method on contact and elasticity together, for laws that are not
 * linear during a step.
 *
 *   R(v) = J' gamma(v)      R: momentum residual of the body (fem.h), gamma: impulses of contacts
 *                           and ties
 * An attempt solves it with R taken as linear at some v_k: H (v - v_k) + R(v_k) = J' gamma(v), a
 * convex problem whose contact part is exact. Its solution v has
 *   rho = |R(v) - J' gamma| / (dt |f_ext| + |J' gamma|)     [-]
 * all bodies together. The next v_k is v; where rho did not fall, it is the middle of the last v_k
 * and v, which shortens the step as a line search does. The first v_k is the free motion. Ends at
 * the tolerance of the step, or after ROUNDS; then the outcome says so.
 * H: exact where it is positive definite, else projected element by element (fem/step.c).
 * Cost of a round: H, its factor, its condensation, and one more attempt. */
#include "step/soft_newton.h"

#include <math.h>
#include <string.h>

#include "math/vec3.h"
#include "step/soft_motion.h"
#include "step/stage_clock.h"

static const double sufficient = 0.9;  // [-]  of the residual before: else the step is halved
enum { ROUNDS = 30, HALVINGS = 6 };

static bool is_nonlinear(const limpet_model *model, int d) {
  const limpet_fem_body_info info = limpet_fem_body_information(model->deformable_body[d]);
  return !limpet_elastic_law_is_linear(info.law);
}

// Bodies that are solved here.
static bool takes(const limpet_model *model, const limpet_soft_motion *soft, int d) {
  return is_nonlinear(model, d) && !soft->body[d].failed && soft->body[d].block != LIMPET_NONE;
}

typedef struct balance {
  double rest, scale;  // [N^2 s^2]
} balance;

// Adds |R - J' gamma|^2 and the squares of its scale of one body.
static void add_body(const limpet_step_work *work, const limpet_data *data,
                     const limpet_step_solution *solution, int d, double *R, balance *sum) {
  const limpet_model *model = data->model;
  const limpet_contact_problem *problem = &solution->problem;
  const int first = model->deformable_vertex[d];
  const double *mass = limpet_fem_body_node_mass(model->deformable_body[d]);
  const double g = limpet_vec3_norm(model->options.gravity), dt = work->settings.time_step;
  limpet_fem_step_residual(work->motion.soft->body[d].step, solution->vertex_velocity + 3 * first,
                           R);
  for (int i = first; i < model->deformable_vertex[d + 1]; ++i) {
    const int dof = problem->vertex_dof[i];
    for (int k = 0; k < 3; ++k) {
      const double impulse = dof == LIMPET_NONE ? 0.0 : solution->contact.impulse[dof + k];
      const double rest = R[3 * (i - first) + k] - impulse;
      sum->rest += rest * rest;
      sum->scale += impulse * impulse;
    }
    sum->scale += dt * dt * g * g * mass[i - first] * mass[i - first];
  }
  // what the support of fixed nodes gives is no residual
  for (int t = model->deformable_tie[d]; t < model->deformable_tie[d + 1]; ++t) {
    if (model->body_tree[model->tie_body[t]] >= 0) continue;
    const double *r = R + 3 * (model->tie_vertex[t] - first);
    sum->rest -= limpet_vec3_dot(r, r);
    sum->scale += limpet_vec3_dot(r, r);
  }
}

// rho of all bodies; 0: there is none. NAN: no memory.
static double residual_of(const limpet_step_work *work, const limpet_data *data,
                          const limpet_step_solution *solution) {
  const limpet_model *model = data->model;
  balance sum = {0.0, 0.0};
  double *R = LIMPET_TAKE(work->arena, double, 3 * (size_t)model->vertex_count);
  if (!R) return NAN;
  for (int d = 0; d < model->deformable_count; ++d)
    if (takes(model, work->motion.soft, d) &&
        !solution->contact.held[work->motion.soft->body[d].block])
      add_body(work, data, solution, d, R, &sum);
  return sum.scale > 0.0 ? sqrt(fmax(sum.rest, 0.0) / sum.scale) : 0.0;
}

// Whether a body without contact stayed unsolved.
static bool free_motion_unsolved(const limpet_model *model, const limpet_soft_motion *soft) {
  for (int d = 0; d < model->deformable_count; ++d)
    if (soft->body[d].block == LIMPET_NONE && soft->body[d].outcome != LIMPET_FEM_SOLVED)
      return true;
  return false;
}

/* Where the laws are taken next: at what was found, or, where that was no better, half way there.
 */
static void next_point(limpet_soft_newton *state, double rho, const double *found, long count) {
  const bool shorten =
      state->rounds > 0 && rho > sufficient * state->residual && state->halvings < HALVINGS;
  if (shorten) {
    ++state->halvings;
    for (long i = 0; i < count; ++i) state->v[i] = 0.5 * (state->v[i] + state->found[i]);
    memcpy(state->found, state->v, (size_t)count * sizeof *state->found);
    return;
  }
  state->halvings = 0;
  state->residual = rho;
  memcpy(state->v, found, (size_t)count * sizeof *found);
  memcpy(state->found, found, (size_t)count * sizeof *found);
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

static void unsolved(limpet_step_result *result) {
  if (result->outcome == LIMPET_OUTCOME_SOLVED)
    result->outcome = result->info.outcome = LIMPET_OUTCOME_ITERATION_LIMIT;
}

static bool take_laws_anew(limpet_step_prepared *prepared, limpet_step_result *result,
                           limpet_soft_newton *state, limpet_stage_clock *clock) {
  limpet_step_work *work = prepared->work;
  limpet_data *data = prepared->data;
  const limpet_model *model = data->model;
  const long count = 3L * model->vertex_count;
  const double rho = residual_of(work, data, result->solution);
  result->info.elastic_rounds = state->rounds;
  result->info.elastic_residual = rho;
  if (free_motion_unsolved(model, work->motion.soft)) unsolved(result);
  if (rho <= work->settings.tolerance) return false;
  if (!state->v) {
    state->v = LIMPET_TAKE_ZERO(work->arena, double, count);
    state->found = LIMPET_TAKE_ZERO(work->arena, double, count);
  }
  const bool memory = state->v && state->found && !isnan(rho);
  if (memory && state->rounds < ROUNDS) {
    next_point(state, rho, result->solution->vertex_velocity, count);
    ++state->rounds;
    if (take_laws(model, work->motion.soft, state->v)) {
      limpet_stage_clock_lap(clock, LIMPET_STAGE_DYNAMICS);
      prepared->outcome = limpet_step_pose(work, data, clock);
      work->found = result->solution->contact.v;
      work->found_vertices = result->solution->vertex_velocity;
      return true;
    }
  }
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

/* fem/step.c: one implicit step of a deformable body without contact.
 *
 * R = 0 (system.c) is the step of fem.h in momentum form. Linear laws: v* = v0 - H^-1 R(v0), one
 * solve. Other laws: Newton's method (step_newton.c). v0: the velocity at the start, at fixed nodes
 * the prescribed one.
 *
 * The factor's pattern is found once, in the order of the body. Cost of a linear step: rotations, H
 * and one force by batches of elements, one factorisation, one solve. */
#include "fem/step.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fem/rigid_set.h"

// ------------------------------------------------------------------------------- memory

static limpet_status factor_create(limpet_fem_step *step) {
  const limpet_fem_body *body = step->body;
  const int n = body->info.node_count;
  int *size = malloc((size_t)n * sizeof *size), *order = NULL;
  int *pairs = malloc((size_t)body->block_count * 2 * sizeof *pairs);
  if (body->order && (order = malloc((size_t)n * sizeof *order)))
    memcpy(order, body->order, (size_t)n * sizeof *order);
  if (size && pairs && (order || !body->order)) {
    limpet_fem_body_blocks(body, size, pairs);
    limpet_fem_rigid_blocks(step, size, pairs, order);
    step->factor =
        limpet_block_cholesky_create_in(&step->arena, n, size, body->block_count, pairs, order);
  }
  for (int k = 0; step->factor && k < body->block_count; ++k) {
    limpet_fem_target *t = &step->target[k];
    t->offset = limpet_block_cholesky_offset(step->factor, pairs[2 * k], pairs[2 * k + 1],
                                             &t->stride, &t->transposed);
  }
  free(size), free(pairs), free(order);
  if (!step->factor) return LIMPET_ERROR_MEMORY;
  return LIMPET_OK;
}

static limpet_status arrays_take(limpet_fem_step *step) {
  const limpet_fem_body *body = step->body;
  const long n = body->info.node_count;
  const long points = (long)body->batch_count * body->element_points * LIMPET_FEM_LANES;
  limpet_arena *arena = &step->arena;
  step->fixed = LIMPET_TAKE_ZERO(arena, bool, n);
  step->H = LIMPET_TAKE(arena, double, 9L * body->block_count);
  step->target = LIMPET_TAKE(arena, limpet_fem_target, body->block_count);
  if (!step->fixed || !step->H || !step->target) return LIMPET_ERROR_MEMORY;
  double **vectors[] = {&step->start, &step->free, &step->residual, &step->direction,
                        &step->trial, &step->load, &step->position, &step->force};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k) {
    *vectors[k] = LIMPET_TAKE_ZERO(arena, double, 3 * n);
    if (!*vectors[k]) return LIMPET_ERROR_MEMORY;
  }
  const bool frozen = body->info.law->frozen, turns = frozen && body->info.law->rotates;
  const bool strain = body->damping == LIMPET_FEM_DAMPING_STRAIN;
  if (frozen ? turns : body->damping != LIMPET_FEM_DAMPING_TANGENT) {
    step->R = LIMPET_TAKE(arena, double, 9 * points);
    if (!step->R) return LIMPET_ERROR_MEMORY;
  }
  if (turns && points > 0) {
    step->turned = LIMPET_TAKE(arena, double, 9 * points);
    step->turned_at = LIMPET_TAKE(arena, double, 3 * n);
    step->last = LIMPET_TAKE(arena, double, 3 * n);
    step->last_residual = LIMPET_TAKE(arena, double, 3 * n);
    step->taken = LIMPET_TAKE(arena, double, 3 * n);
    if (!step->turned || !step->turned_at || !step->last || !step->last_residual || !step->taken)
      return LIMPET_ERROR_MEMORY;
  }
  if (body->info.law->principal && points > 0) {
    step->H0 = LIMPET_TAKE(arena, double, 9L * body->block_count);
    if (!step->H0) return LIMPET_ERROR_MEMORY;
  }
  if (body->info.law->principal) {
    step->point = LIMPET_TAKE(arena, double, LIMPET_FEM_POINT *points);
    step->rate = strain ? LIMPET_TAKE(arena, double, LIMPET_FEM_RATE *points) : NULL;
    if (!step->point || (strain && !step->rate)) return LIMPET_ERROR_MEMORY;
  }
  return LIMPET_OK;
}

limpet_fem_step *limpet_fem_step_create(const limpet_fem_body *body, limpet_error *error) {
  assert(body);
  return limpet_fem_step_create_rigid(body, NULL, error);
}

limpet_fem_step *limpet_fem_step_create_rigid(const limpet_fem_body *body, const int *set,
                                              limpet_error *error) {
  assert(body);
  limpet_fem_step *step = calloc(1, sizeof *step);
  const size_t per_node = 4096;  // [bytes]  first block of the arena, about what solids need
  if (step &&
      limpet_arena_create(&step->arena, per_node * (size_t)body->info.node_count) == LIMPET_OK) {
    step->body = body;
    if (!arrays_take(step) && !limpet_fem_thin_create(step) &&
        !limpet_fem_rigid_create(step, set) && !factor_create(step) &&
        !limpet_fem_condensed_create(step))
      return step;
  }
  limpet_fem_step_destroy(step);
  limpet_error_fill(error, LIMPET_ERROR_MEMORY,
                    "no memory for the step of a deformable body of %d nodes",
                    body->info.node_count);
  return NULL;
}

void limpet_fem_step_destroy(limpet_fem_step *step) {
  if (!step) return;
  limpet_fem_condensed_destroy(step);
  limpet_arena_destroy(&step->arena);
  free(step);
}

// ------------------------------------------------------------------------------- the step

static limpet_fem_outcome linear_step(limpet_fem_step *step) {
  const limpet_fem_body *body = step->body;
  const int n = 3 * body->info.node_count;
  limpet_fem_assemble(step, false);
  if (!limpet_fem_factor(step)) return LIMPET_FEM_NOT_POSITIVE;
  double *r = step->residual, *d = step->direction;
  limpet_fem_evaluate(step, step->free, r);
  if (step->rigid) memcpy(step->rigid->held, r, (size_t)n * sizeof *r);
  limpet_fem_clear_fixed(step, r);
  for (int i = 0; i < n; ++i) d[i] = -r[i];
  limpet_fem_back_solve(step, d);

  // what is left of the residual: R + H d
  limpet_fem()->multiply(body, step->H, d, step->trial);
  for (int i = 0; step->rigid && i < n; ++i) step->rigid->held[i] += step->trial[i];
  limpet_fem_gas_multiply(step, d, step->trial);
  for (int i = 0; i < n; ++i) step->trial[i] += r[i], step->free[i] += d[i];
  limpet_fem_clear_fixed(step, step->trial);
  const double first = limpet_fem_norm(n, r);
  step->left = first;
  step->info.residual = first > 0.0 ? limpet_fem_norm(n, step->trial) / first : 0.0;
  step->info.iterations = 1;
  return LIMPET_FEM_SOLVED;
}

// Rotations at the start, which the end of the step before may have had.
static void rotations_take(limpet_fem_step *step, const double *position) {
  const size_t size = 3 * (size_t)step->body->info.node_count * sizeof *position;
  if (step->turned_is_kept && memcmp(step->turned_at, position, size) == 0) {
    double *R = step->R;
    step->R = step->turned, step->turned = R;
    step->turned_is_kept = false;
    return;
  }
  limpet_fem()->rotations(step->body, position, step->R);
}

bool limpet_fem_step_take_start(limpet_fem_step *step, const limpet_fem_input *input) {
  if (!limpet_fem_input_take(step, input)) return false;
  if (step->R && !limpet_fem_takes_strain(step)) rotations_take(step, input->position);
  limpet_fem_thin_begin(step);
  if (!step->is_linear) {
    limpet_fem_strain_start(step);
    limpet_fem_assemble_start(step, step->H0);
  }
  return true;
}

limpet_fem_outcome limpet_fem_begin_taken(limpet_fem_step *step) {
  return step->info.outcome =
             step->is_linear ? linear_step(step) : limpet_fem_minimize(step, step->free);
}

limpet_fem_outcome limpet_fem_begin(limpet_fem_step *step, const limpet_fem_input *input) {
  if (!limpet_fem_step_take_start(step, input)) return step->info.outcome = LIMPET_FEM_NOT_FINITE;
  return limpet_fem_begin_taken(step);
}

limpet_fem_outcome limpet_fem_step_begin(limpet_fem_step *step, const limpet_fem_input *input) {
  assert(step && input && input->position && input->velocity && input->dt > 0.0);
  assert(input->fixed_count == 0 || input->fixed);
  const limpet_fem_outcome outcome = limpet_fem_begin(step, input);
  if (outcome == LIMPET_FEM_NOT_FINITE || outcome == LIMPET_FEM_NOT_POSITIVE ||
      limpet_fem_complete(step, true))
    return outcome;
  return step->info.outcome = LIMPET_FEM_NOT_POSITIVE;
}

// |R| at the free velocity.
static double free_residual(limpet_fem_step *step) {
  limpet_fem_evaluate(step, step->free, step->residual);
  limpet_fem_clear_fixed(step, step->residual);
  return limpet_fem_norm(3 * step->body->info.node_count, step->residual);
}

limpet_fem_outcome limpet_fem_begin_near_start(limpet_fem_step *step, const limpet_fem_input *input,
                                               double left, bool *ends) {
  assert(step && input && input->position && input->velocity && input->dt > 0.0 && ends);
  *ends = true;
  if (!limpet_fem_step_take_start(step, input)) return step->info.outcome = LIMPET_FEM_NOT_FINITE;
  assert(!step->is_linear);
  const double before = free_residual(step);
  if (!(before <= left)) return limpet_fem_begin_end(step);
  const limpet_fem_outcome outcome = limpet_fem_relinearise(step, step->free, false);
  if (outcome != LIMPET_FEM_SOLVED) return outcome;
  *ends = !(free_residual(step) < before);
  if (!*ends) return LIMPET_FEM_SOLVED;
  for (int i = 0; i < 3 * step->body->info.node_count; ++i) step->free[i] -= step->direction[i];
  return limpet_fem_begin_end(step);
}

limpet_fem_outcome limpet_fem_begin_end(limpet_fem_step *step) {
  return step->info.outcome = limpet_fem_minimize(step, step->free);
}

// The law at v, of which R is step->residual, as linear there with the factor at hand.
static void free_take(limpet_fem_step *step, const double *v) {
  const int n = 3 * step->body->info.node_count;
  double *d = step->direction;
  for (int i = 0; i < n; ++i) d[i] = -step->residual[i];
  limpet_fem_back_solve(step, d);
  for (int i = 0; i < n; ++i) step->free[i] = v[i] + d[i];
}

void limpet_fem_relinearise_kept(limpet_fem_step *step, const double *v) {
  limpet_fem_evaluate_once(step, v, step->residual);
  limpet_fem_clear_fixed(step, step->residual);
  free_take(step, v);
}

limpet_fem_outcome limpet_fem_relinearise(limpet_fem_step *step, const double *v, bool turned) {
  const bool follows = limpet_fem_thin_follows(step);
  if (step->is_linear && !follows) return LIMPET_FEM_SOLVED;
  limpet_fem_evaluate_once(step, v, step->residual);
  limpet_fem_clear_fixed(step, step->residual);
  if (follows) limpet_fem_thin_stiffness_at(step, v, true, turned);
  if (turned && step->turned) limpet_fem_assemble_turned(step);
  else limpet_fem_assemble(step, false);
  if (!limpet_fem_factor(step)) {
    if (follows) limpet_fem_thin_stiffness_at(step, v, false, turned);
    limpet_fem_assemble(step, true);
    ++step->info.projected;
    if (!limpet_fem_factor(step)) return step->info.outcome = LIMPET_FEM_NOT_POSITIVE;
  }
  limpet_fem_thin_went(step, v);
  free_take(step, v);
  return LIMPET_FEM_SOLVED;
}

limpet_fem_outcome limpet_fem_step_relinearise(limpet_fem_step *step, const double *v) {
  assert(step && step->input.position && v);
  return limpet_fem_relinearise(step, v, false);
}

limpet_fem_info limpet_fem_step_info(const limpet_fem_step *step) {
  assert(step);
  return step->info;
}

const double *limpet_fem_step_free_velocity(const limpet_fem_step *step) {
  assert(step);
  return step->free;
}

void limpet_fem_step_residual(limpet_fem_step *step, const double *v, double *R) {
  assert(step && step->input.position && v && R);
  limpet_fem_evaluate_once(step, v, R);
}

void limpet_fem_step_multiply(const limpet_fem_step *step, const double *x, double *y) {
  assert(step && x && y);
  limpet_fem()->multiply(step->body, step->H, x, y);
  limpet_fem_gas_multiply(step, x, y);
}

void limpet_fem_step_solve(const limpet_fem_step *step, double *x) {
  assert(step && x);
  limpet_fem_back_solve(step, x);
}

const char *limpet_fem_outcome_name(limpet_fem_outcome outcome) {
  static const char *const names[] = {"solved", "iteration limit", "stalled",
                                      "not positive definite", "not finite"};
  assert((int)outcome >= 0 && outcome < sizeof names / sizeof *names);
  return names[outcome];
}

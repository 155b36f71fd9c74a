/* fem/step.c: one implicit step of a deformable body without contact.
 *
 *   R(v+) = M (v+ - v) + dt f(q + dt/2 (v + v+)) + dt (alpha M + beta K) v+ - dt f_ext      [N s]
 *   H     = (1 + alpha dt) M + dt (dt/2 + beta) K                                           [kg]
 *
 * Backward Euler: q + dt v+ in f, and dt in the place of dt/2 in H.
 * R = 0 is the step of fem.h in momentum form. Linear laws: f(q) + beta K v = f(q + beta v), so R
 * is one evaluation of f and v* = v0 - H^-1 R(v0) one solve. Other laws: Newton's method
 * (step_newton.c). v0: the velocity at the start, at fixed nodes the prescribed one.
 *
 * The factor's order and pattern are found once. Cost of a linear step: rotations, H and one
 * force by batches of elements, one factorisation, one solve. */
#include "fem/step.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static const double default_tolerance = 1e-10;  // [-]  of the residual, to the initial one
enum { DEFAULT_LIMIT = 100 };

// ------------------------------------------------------------------------------- memory

static limpet_status factor_create(limpet_fem_step *step) {
  const limpet_fem_body *body = step->body;
  const int n = body->info.node_count;
  int *size = malloc((size_t)n * sizeof *size);
  int *pairs = malloc((size_t)body->block_count * 2 * sizeof *pairs);
  if (size && pairs) {
    for (int i = 0; i < n; ++i) {
      size[i] = 3;
      for (int k = body->row_begin[i]; k < body->row_begin[i + 1]; ++k)
        pairs[2 * k] = i, pairs[2 * k + 1] = body->column[k];
    }
    step->factor = limpet_block_cholesky_create(&step->arena, n, size, body->block_count, pairs);
  }
  free(size), free(pairs);
  if (!step->factor) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < n; ++i)
    for (int k = body->row_begin[i]; k < body->row_begin[i + 1]; ++k) {
      limpet_fem_target *t = &step->target[k];
      t->offset = limpet_block_cholesky_offset(step->factor, i, body->column[k], &t->stride,
                                               &t->transposed);
    }
  return LIMPET_OK;
}

// Whether a nonlinear law has damping that stays during a step.
static bool damped_by_rest(const limpet_fem_body *body) {
  return body->info.stiffness_damping > 0.0 && body->damping == LIMPET_FEM_DAMPING_TURNED;
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
  if (step->is_linear ? body->info.law->rotates : damped_by_rest(body)) {
    step->R = LIMPET_TAKE(arena, double, 9 * points);
    if (!step->R) return LIMPET_ERROR_MEMORY;
  }
  if (!step->is_linear) {
    step->H0 = LIMPET_TAKE(arena, double, 9L * body->block_count);
    if (!step->H0) return LIMPET_ERROR_MEMORY;
  }
  if (body->info.law->principal) {
    step->point = LIMPET_TAKE(arena, double, LIMPET_FEM_POINT *points);
    if (!step->point) return LIMPET_ERROR_MEMORY;
  }
  return LIMPET_OK;
}

limpet_fem_step *limpet_fem_step_create(const limpet_fem_body *body, limpet_error *error) {
  assert(body);
  limpet_fem_step *step = calloc(1, sizeof *step);
  const size_t first = 1 << 20;  // [bytes]
  if (step && limpet_arena_create(&step->arena, first) == LIMPET_OK) {
    step->body = body;
    step->is_linear = limpet_elastic_law_is_linear(body->info.law);
    if (!arrays_take(step) && !factor_create(step) && !limpet_fem_condensed_create(step))
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

// ------------------------------------------------------------------------------- pieces

double limpet_fem_norm(int count, const double *x) {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += x[i] * x[i];
  return sqrt(sum);
}

void limpet_fem_mass_add(const limpet_fem_body *body, double c, const double *x, double *y) {
  for (int i = 0; i < body->info.node_count; ++i) {
    double s[3] = {0.0, 0.0, 0.0};
    const double *xi = x + 3L * i;
    for (int n = body->row_begin[i]; n < body->row_begin[i + 1]; ++n) {
      const int j = body->column[n];
      const double m = c * body->mass[n];
      for (int k = 0; k < 3; ++k) s[k] += m * x[3L * j + k];
      if (j == i) break;
      for (int k = 0; k < 3; ++k) y[3L * j + k] += m * xi[k];
    }
    for (int k = 0; k < 3; ++k) y[3L * i + k] += s[k];
  }
}

void limpet_fem_body_mass_multiply(const limpet_fem_body *body, const double *x, double *y) {
  assert(body && x && y);
  memset(y, 0, 3 * (size_t)body->info.node_count * sizeof *y);
  limpet_fem_mass_add(body, 1.0, x, y);
}

void limpet_fem_clear_fixed(const limpet_fem_step *step, double *x) {
  for (int k = 0; k < step->input.fixed_count; ++k)
    memset(x + 3L * step->input.fixed[k], 0, 3 * sizeof *x);
}

double limpet_fem_share(const limpet_fem_step *step) {
  return step->input.backward_euler ? 1.0 : 0.5;
}

void limpet_fem_step_positions(const limpet_fem_step *step, const double *v, double *q) {
  assert(step && step->input.position && v && q);
  const double share = limpet_fem_share(step), ahead = share * step->input.dt,
               behind = (1.0 - share) * step->input.dt;
  for (long i = 0; i < 3L * step->body->info.node_count; ++i)
    q[i] = step->input.position[i] + behind * step->start[i] + ahead * v[i];
}

void limpet_fem_damping_add(const limpet_fem_step *step, double scale, const double *x, double *y) {
  const limpet_fem_body *body = step->body;
  const double beta = body->info.stiffness_damping;
  if (!(beta > 0.0)) return;
  if (!step->is_linear && body->damping == LIMPET_FEM_DAMPING_TANGENT)
    limpet_fem()->product(body, step->point, scale * beta, x, y);
  else limpet_fem()->linear_force(body, step->R, scale * beta, x, 0.0, y);
}

void limpet_fem_evaluate(limpet_fem_step *step, const double *v, double *R) {
  const limpet_fem_body *body = step->body;
  const limpet_fem_kernels *kernels = limpet_fem();
  const double dt = step->input.dt, alpha = body->info.mass_damping,
               beta = body->info.stiffness_damping;
  const long n = 3L * body->info.node_count;
  double *x = step->position, *f = step->force;
  memset(f, 0, (size_t)n * sizeof *f);
  limpet_fem_step_positions(step, v, x);
  if (step->is_linear) {
    for (long i = 0; i < n; ++i) x[i] += beta * v[i];
    kernels->linear_force(body, step->R, 1.0, x, 1.0, f);
  } else {
    step->energy = kernels->points(body, x, step->point);
    kernels->force(body, step->point, f);
    limpet_fem_damping_add(step, 1.0, v, f);
  }
  for (long i = 0; i < n; ++i) {
    R[i] = dt * (f[i] - step->load[i]);
    x[i] = (1.0 + alpha * dt) * v[i] - step->start[i];
  }
  limpet_fem_mass_add(body, 1.0, x, R);
}

// The part of H that stays during a step: mass, and stiffness at rest for all or for damping.
static void assemble_start(const limpet_fem_step *step, double *H) {
  const limpet_fem_body *body = step->body;
  const double dt = step->input.dt, mass = 1.0 + body->info.mass_damping * dt;
  const double beta = body->info.stiffness_damping;
  for (int k = 0; k < body->block_count; ++k) {
    double *h = H + 9L * k;
    memset(h, 0, 9 * sizeof *h);
    h[0] = h[4] = h[8] = mass * body->mass[k];
  }
  if (step->is_linear)
    limpet_fem()->linear_stiffness(body, step->R, dt * (limpet_fem_share(step) * dt + beta), H);
  else if (damped_by_rest(body)) limpet_fem()->linear_stiffness(body, step->R, dt * beta, H);
}

void limpet_fem_assemble(limpet_fem_step *step, bool projected) {
  const limpet_fem_body *body = step->body;
  if (step->is_linear) {
    assemble_start(step, step->H);
    return;
  }
  const double dt = step->input.dt,
               beta = damped_by_rest(body) ? 0.0 : body->info.stiffness_damping;
  memcpy(step->H, step->H0, 9 * (size_t)body->block_count * sizeof *step->H);
  limpet_fem()->stiffness(body, step->point, projected, dt * (limpet_fem_share(step) * dt + beta),
                          step->H);
}

// Block (i, j) of H to its place in the factor; fixed nodes: rows and columns of the identity.
static void block_copy(const limpet_fem_target *t, const double *h, double *values) {
  double *to = values + t->offset;
  if (t->transposed) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) to[(long)i * t->stride + j] = h[3 * j + i];
  } else {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) to[(long)i * t->stride + j] = h[3 * i + j];
  }
}

bool limpet_fem_factor(limpet_fem_step *step) {
  static const double identity[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  const limpet_fem_body *body = step->body;
  ++step->info.factorizations;
  limpet_block_cholesky_zero(step->factor);
  double *values = limpet_block_cholesky_values(step->factor);
  for (int i = 0; i < body->info.node_count; ++i)
    for (int k = body->row_begin[i]; k < body->row_begin[i + 1]; ++k) {
      const int j = body->column[k];
      if (!step->fixed[i] && !step->fixed[j])
        block_copy(&step->target[k], step->H + 9L * k, values);
      else if (i == j) block_copy(&step->target[k], identity, values);
    }
  return limpet_block_cholesky_factor(step->factor) == 0;
}

// ------------------------------------------------------------------------------- the step

static bool all_finite(long count, const double *x) {
  double sum = 0.0;
  for (long i = 0; i < count; ++i) sum += x[i] * 0.0;
  return sum == 0.0;
}

bool limpet_fem_input_take(limpet_fem_step *step, const limpet_fem_input *input) {
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  for (int k = 0; k < step->input.fixed_count; ++k) step->fixed[step->input.fixed[k]] = false;
  step->input = *input;
  step->info = (limpet_fem_info){.outcome = LIMPET_FEM_SOLVED};
  if (!(step->input.tolerance > 0.0)) step->input.tolerance = default_tolerance;
  if (step->input.iteration_limit < 1) step->input.iteration_limit = DEFAULT_LIMIT;
  if (!all_finite(n, input->position) || !all_finite(n, input->velocity)) {
    step->input.fixed_count = 0;
    return false;
  }
  memcpy(step->start, input->velocity, (size_t)n * sizeof *step->start);
  memcpy(step->free, input->velocity, (size_t)n * sizeof *step->free);
  for (long i = 0; i < n; ++i)
    step->load[i] =
        body->node_mass[i / 3] * input->gravity[i % 3] + (input->force ? input->force[i] : 0.0);
  for (int k = 0; k < input->fixed_count; ++k) {
    const int node = input->fixed[k];
    assert(node >= 0 && node < body->info.node_count && !step->fixed[node]);
    step->fixed[node] = true;
    for (int i = 0; i < 3; ++i)
      step->free[3L * node + i] = input->fixed_velocity ? input->fixed_velocity[3L * k + i] : 0.0;
  }
  return true;
}

static limpet_fem_outcome linear_step(limpet_fem_step *step) {
  const limpet_fem_body *body = step->body;
  const int n = 3 * body->info.node_count;
  limpet_fem_assemble(step, false);
  if (!limpet_fem_factor(step)) return LIMPET_FEM_NOT_POSITIVE;
  double *r = step->residual, *d = step->direction;
  limpet_fem_evaluate(step, step->free, r);
  limpet_fem_clear_fixed(step, r);
  for (int i = 0; i < n; ++i) d[i] = -r[i];
  limpet_block_cholesky_solve(step->factor, d);

  // what is left of the residual: R + H d
  limpet_fem()->multiply(body, step->H, d, step->trial);
  for (int i = 0; i < n; ++i) step->trial[i] += r[i], step->free[i] += d[i];
  limpet_fem_clear_fixed(step, step->trial);
  const double first = limpet_fem_norm(n, r);
  step->info.residual = first > 0.0 ? limpet_fem_norm(n, step->trial) / first : 0.0;
  step->info.iterations = 1;
  return LIMPET_FEM_SOLVED;
}

limpet_fem_outcome limpet_fem_step_begin(limpet_fem_step *step, const limpet_fem_input *input) {
  assert(step && input && input->position && input->velocity && input->dt > 0.0);
  assert(input->fixed_count == 0 || input->fixed);
  limpet_fem_outcome outcome = LIMPET_FEM_NOT_FINITE;
  if (limpet_fem_input_take(step, input)) {
    if (step->R) limpet_fem()->rotations(step->body, input->position, step->R);
    if (step->H0) assemble_start(step, step->H0);
    outcome = step->is_linear ? linear_step(step) : limpet_fem_minimize(step, step->free);
  }
  step->info.outcome = outcome;
  return outcome;
}

limpet_fem_outcome limpet_fem_step_relinearise(limpet_fem_step *step, const double *v) {
  assert(step && step->input.position && v);
  if (step->is_linear) return LIMPET_FEM_SOLVED;
  const int n = 3 * step->body->info.node_count;
  double *r = step->residual, *d = step->direction;
  limpet_fem_evaluate(step, v, r);
  limpet_fem_clear_fixed(step, r);
  limpet_fem_assemble(step, false);
  if (!limpet_fem_factor(step)) {
    limpet_fem_assemble(step, true);
    ++step->info.projected;
    if (!limpet_fem_factor(step)) return step->info.outcome = LIMPET_FEM_NOT_POSITIVE;
  }
  for (int i = 0; i < n; ++i) d[i] = -r[i];
  limpet_block_cholesky_solve(step->factor, d);
  for (int i = 0; i < n; ++i) step->free[i] = v[i] + d[i];
  return LIMPET_FEM_SOLVED;
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
  limpet_fem_evaluate(step, v, R);
}

void limpet_fem_step_multiply(const limpet_fem_step *step, const double *x, double *y) {
  assert(step && x && y);
  limpet_fem()->multiply(step->body, step->H, x, y);
}

void limpet_fem_step_solve(const limpet_fem_step *step, double *x) {
  assert(step && x);
  limpet_block_cholesky_solve(step->factor, x);
}

const char *limpet_fem_outcome_name(limpet_fem_outcome outcome) {
  static const char *const names[] = {"solved", "iteration limit", "stalled",
                                      "not positive definite", "not finite"};
  assert((int)outcome >= 0 && outcome < sizeof names / sizeof *names);
  return names[outcome];
}

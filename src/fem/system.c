/* fem/system.c: the momentum residual of a step, its matrix and the factor:
 *
 *   R(v+) = M (v+ - v) + dt f(q + dt/2 (v + v+)) + dt (alpha M + beta K) v+ - dt f_ext      [N s]
 *   H     = (1 + alpha dt) M + dt (dt/2 + beta) K                                           [kg]
 *
 * Backward Euler: q + dt v+ in f, and dt in the place of dt/2 in H. Laws linear during a step:
 * f(q) + beta K v = f(q + beta v), one evaluation of f. Other laws: damping by the rate of Green's
 * strain (strain_rate_code.h), (beta/dt) F S with S that of the strain since the start, whose
 * energy is counted with the elastic one. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "fem/rigid_set.h"
#include "math/vec3.h"

static const double default_tolerance = 1e-10;  // [-]  of the residual, to the initial one
enum { DEFAULT_LIMIT = 100 };

// Bodies that are held and move by the midpoint rule are not: only the velocity at the end damps
// what alternates there.
bool limpet_fem_takes_strain(const limpet_fem_step *step) {
  return !step->is_linear && step->rate &&
         (step->input.backward_euler || step->input.fixed_count == 0);
}

bool limpet_fem_damped_by_strain(const limpet_fem_step *step) {
  return limpet_fem_takes_strain(step) && step->body->info.stiffness_damping > 0.0;
}

// Laws that are linear in other steps have no tangent that damps them: theirs is the same.
static bool damped_by_rest(const limpet_fem_step *step) {
  const limpet_fem_body *body = step->body;
  return body->info.stiffness_damping > 0.0 && !step->is_linear && !limpet_fem_takes_strain(step) &&
         (body->damping != LIMPET_FEM_DAMPING_TANGENT || body->info.law->frozen);
}

void limpet_fem_strain_start(limpet_fem_step *step) {
  if (limpet_fem_damped_by_strain(step))
    limpet_fem()->rate_start(step->body, step->input.position, step->rate);
}

// [-]  of the stress of the strains since the start: damping
static double strain_scale(const limpet_fem_step *step) {
  return step->body->info.stiffness_damping / step->input.dt;
}

bool limpet_fem_follows(const limpet_fem_step *step) {
  return limpet_fem_thin_follows(step) || (step->body->info.law->frozen && !step->is_linear);
}

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

double limpet_fem_motion_energy(limpet_fem_step *step, const double *v, const double *w) {
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  double *u = step->trial, *momentum = step->force, mean[3] = {0.0, 0.0, 0.0};
  for (int i = 0; !w && i < body->info.node_count; ++i)
    limpet_vec3_addmul(mean, mean, body->node_mass[i] / body->info.mass, v + 3L * i);
  for (long i = 0; i < n; ++i) u[i] = v[i] - (w ? w[i] : mean[i % 3]);
  memset(momentum, 0, (size_t)n * sizeof *momentum);
  limpet_fem_mass_add(body, 1.0, u, momentum);
  double energy = 0.0;
  for (long i = 0; i < n; ++i) energy += 0.5 * u[i] * momentum[i];
  return energy;
}

void limpet_fem_body_mass_multiply(const limpet_fem_body *body, const double *x, double *y) {
  assert(body && x && y);
  memset(y, 0, 3 * (size_t)body->info.node_count * sizeof *y);
  limpet_fem_mass_add(body, 1.0, x, y);
}

void limpet_fem_damping_add(const limpet_fem_step *step, double scale, const double *x, double *y) {
  const limpet_fem_body *body = step->body;
  const double beta = body->info.stiffness_damping;
  if (!(beta > 0.0) || limpet_fem_damped_by_strain(step)) return;
  if (!step->is_linear && !damped_by_rest(step))
    limpet_fem()->product(body, step->point, scale * beta, x, y);
  else limpet_fem()->linear_force(body, step->R, scale * beta, x, 0.0, y);
}

/* f += the forces of laws that follow at positions x, by the rotations there: no singular values
 * are taken before a tangent asks for them. */
static void turned_force(limpet_fem_step *step, const double *x, double *f) {
  double model;
  const double more = limpet_fem()->turning_energy(step->body, step->R, x, &model, step->turned);
  limpet_fem()->linear_force(step->body, step->turned, 1.0, x, 1.0, f);
  step->energy = model + more;
  memcpy(step->turned_at, x, 3 * (size_t)step->body->info.node_count * sizeof *x);
  step->turned_is_kept = true, step->point_is_kept = step->last_is_kept = false;
}

void limpet_fem_points_take(limpet_fem_step *step) {
  if (step->is_linear || !step->turned || step->point_is_kept) return;
  limpet_fem()->points(step->body, step->turned_at, step->point);
  step->point_is_kept = true;
}

void limpet_fem_forces(limpet_fem_step *step, const double *v, double *f) {
  const limpet_fem_body *body = step->body;
  const limpet_fem_kernels *kernels = limpet_fem();
  double *x = step->position;
  limpet_fem_step_positions(step, v, x);
  if (step->is_linear) {
    const double beta = body->info.stiffness_damping;
    for (long i = 0; i < 3L * body->info.node_count; ++i) x[i] += beta * v[i];
    kernels->linear_force(body, step->R, 1.0, x, 1.0, f);
    limpet_fem_thin_force(step, x, v, f);
  } else {
    if (step->turned) turned_force(step, x, f);
    else {
      step->energy = kernels->points(body, x, step->point);
      kernels->force(body, step->point, f);
    }
    limpet_fem_damping_add(step, 1.0, v, f);
    if (limpet_fem_damped_by_strain(step))
      step->energy += kernels->rate_force(body, strain_scale(step), x, step->rate, f);
  }
}

void limpet_fem_evaluate(limpet_fem_step *step, const double *v, double *R) {
  const limpet_fem_body *body = step->body;
  const double dt = step->input.dt, alpha = body->info.mass_damping;
  const long n = 3L * body->info.node_count;
  double *x = step->position, *f = step->force;
  memset(f, 0, (size_t)n * sizeof *f);
  limpet_fem_forces(step, v, f);
  for (long i = 0; i < n; ++i) {
    R[i] = dt * (f[i] - step->load[i]);
    x[i] = (1.0 + alpha * dt) * v[i] - step->start[i];
  }
  limpet_fem_mass_add(body, 1.0, x, R);
  step->last_is_kept = step->last && !step->is_linear;
  if (!step->last_is_kept) return;
  memcpy(step->last, v, (size_t)n * sizeof *v);
  memcpy(step->last_residual, R, (size_t)n * sizeof *R);
}

void limpet_fem_evaluate_once(limpet_fem_step *step, const double *v, double *R) {
  const size_t size = 3 * (size_t)step->body->info.node_count * sizeof *v;
  if (step->last_is_kept && memcmp(v, step->last, size) == 0) memcpy(R, step->last_residual, size);
  else limpet_fem_evaluate(step, v, R);
}

// The part of H that stays during a step: mass, and stiffness at rest for all or for damping.
void limpet_fem_assemble_start(const limpet_fem_step *step, double *H) {
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
  limpet_fem_thin_assemble(step, H);
  if (damped_by_rest(step)) limpet_fem()->linear_stiffness(body, step->R, dt * beta, H);
}

void limpet_fem_assemble(limpet_fem_step *step, bool projected) {
  const limpet_fem_body *body = step->body;
  if (step->is_linear) {
    limpet_fem_assemble_start(step, step->H);
    return;
  }
  const bool strain = limpet_fem_damped_by_strain(step);
  const double dt = step->input.dt, beta = body->info.stiffness_damping;
  const double tangent = strain || damped_by_rest(step) ? 0.0 : beta;
  limpet_fem_points_take(step);
  memcpy(step->H, step->H0, 9 * (size_t)body->block_count * sizeof *step->H);
  limpet_fem()->stiffness(body, step->point, projected,
                          dt * (limpet_fem_share(step) * dt + tangent), step->H);
  if (strain)
    limpet_fem()->rate_stiffness(body, dt * limpet_fem_share(step) * beta, step->rate, projected,
                                 step->H);
}

void limpet_fem_assemble_turned(limpet_fem_step *step) {
  const limpet_fem_body *body = step->body;
  const double dt = step->input.dt;
  memcpy(step->H, step->H0, 9 * (size_t)body->block_count * sizeof *step->H);
  limpet_fem()->linear_stiffness(body, step->turned, limpet_fem_share(step) * dt * dt, step->H);
  if (limpet_fem_damped_by_strain(step))
    limpet_fem()->rate_stiffness(body, limpet_fem_share(step) * dt * body->info.stiffness_damping,
                                 step->rate, true, step->H);
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
  step->serves = false;
  limpet_block_cholesky_zero(step->factor);
  double *values = limpet_block_cholesky_values(step->factor);
  for (int i = 0; i < body->info.node_count; ++i)
    for (int k = body->row_begin[i]; k < body->row_begin[i + 1]; ++k) {
      const int j = body->column[k];
      if (step->fixed[i] || step->fixed[j]) {
        if (i == j) block_copy(&step->target[k], identity, values);
      } else if (step->rigid && (step->rigid->set[i] != LIMPET_FEM_FREE_NODE ||
                                 step->rigid->set[j] != LIMPET_FEM_FREE_NODE)) {
        limpet_fem_rigid_add(step, k, i, j, values);
      } else {
        block_copy(&step->target[k], step->H + 9L * k, values);
      }
    }
  limpet_fem_rigid_fill(step, values);
  if (limpet_block_cholesky_factor(step->factor) != 0) return false;
  limpet_fem_gas_prepare(step);
  step->serves = true, step->lags = false;
  return true;
}

// ------------------------------------------------------------------------------- input

static bool all_finite(long count, const double *x) {
  double sum = 0.0;
  for (long i = 0; i < count; ++i) sum += x[i] * 0.0;
  return sum == 0.0;
}

bool limpet_fem_input_take(limpet_fem_step *step, const limpet_fem_input *input) {
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  step->is_linear = body->info.law->frozen;
  step->serves = step->lags = step->last_is_kept = step->began_turning = false;
  memset(step->fixed, 0, (size_t)body->info.node_count * sizeof *step->fixed);
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
  limpet_fem_rigid_admit(step, step->free);
  return true;
}

/* fem/thin_step.c: shells, ropes and gas within a step: see thin.h, gas.h.
 *
 *   f = f0 + K (x - x0) + C v + (c n.(x - x0) - (p - p_out)) n
 *   H += dt (share dt + beta) K + dt C,  and share dt^2 c n n' in each solve
 * x0 positions at the start, beta K v by x = q + beta v as in system.c, C dampers of edges; gas is
 * not damped. Forces that follow the positions: thin_follow.c. */
#include <math.h>
#include <string.h>

#include "fem/thin_step.h"
#include "math/vec3.h"

enum { ROW = 3 * LIMPET_THIN_NODES };

limpet_status limpet_fem_thin_create(limpet_fem_step *step) {
  const limpet_fem_body *body = step->body;
  limpet_arena *arena = &step->arena;
  const long n = 3L * body->info.node_count;
  if (body->thin.count == 0 && !body->gas.present) return LIMPET_OK;
  limpet_fem_thin_step *thin = step->thin = LIMPET_TAKE_ZERO(arena, limpet_fem_thin_step, 1);
  if (!thin) return LIMPET_ERROR_MEMORY;
  double **vectors[] = {&thin->f0,  &thin->dx,         &thin->y,    &thin->zero,
                        &thin->was, &thin->gas.normal, &thin->gas.u};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k)
    if (!(*vectors[k] = LIMPET_TAKE_ZERO(arena, double, n))) return LIMPET_ERROR_MEMORY;
  thin->K = LIMPET_TAKE(arena, double, 9L * body->block_count);
  if (body->thin.damped) thin->C = LIMPET_TAKE(arena, double, 9L * body->block_count);
  thin->D = LIMPET_TAKE(arena, double, 9L * body->block_count);
  thin->edge = limpet_fem_thin_shortest(body);
  return thin->K && thin->D && (thin->C || !body->thin.damped) ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

// Adds the lower blocks of K (rows of 3 LIMPET_THIN_NODES) at the places of an element.
static void scatter(const limpet_thin_element *e, const double *K, double *to) {
  const int *place = e->place;
  for (int b = 0; b < e->count; ++b)
    for (int a = 0; a <= b; ++a, ++place)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) to[9L * *place + 3 * i + j] += K[(3 * b + i) * ROW + 3 * a + j];
}

// c d d' of a damper.
static void damper(const limpet_thin_element *e, const double *q, double *C) {
  double d[3];
  limpet_vec3_sub(d, q + 3L * e->node[1], q + 3L * e->node[0]);
  const double square = limpet_vec3_dot(d, d);
  memset(C, 0, ROW * 6 * sizeof *C);
  for (int r = 0; square > 0.0 && r < 6; ++r)
    for (int s = 0; s < 6; ++s)
      C[r * ROW + s] = (r / 3 == s / 3 ? e->damping : -e->damping) * d[r % 3] * d[s % 3] / square;
}

// What the step takes of gas with nodes at q (node_count x 3).
static void gas_begin(const limpet_fem_step *step, const double *q, limpet_fem_gas_step *gas) {
  const limpet_fem_body *body = step->body;
  const double dt = step->input.dt;
  const double volume = limpet_fem_gas_volume(body, q, gas->normal);
  const double pressure = limpet_fem_gas_pressure(body, volume);
  gas->excess = pressure - body->gas.outside;
  gas->slope = body->gas.exponent * pressure / fmax(volume, 1e-3 * body->gas.volume);
  gas->rigidity = limpet_fem_share(step) * dt * dt * gas->slope;
}

void limpet_fem_thin_begin(limpet_fem_step *step) {
  limpet_fem_thin_step *thin = step->thin;
  if (!thin) return;
  const limpet_fem_body *body = step->body;
  const double *q = step->input.position;
  double K[ROW * ROW], f[ROW];
  thin->follows = false;
  memset(thin->f0, 0, 3 * (size_t)body->info.node_count * sizeof *thin->f0);
  memset(thin->K, 0, 9 * (size_t)body->block_count * sizeof *thin->K);
  if (thin->C) memset(thin->C, 0, 9 * (size_t)body->block_count * sizeof *thin->C);
  for (int t = 0; t < body->thin.count; ++t) {
    const limpet_thin_element *e = &body->thin.element[t];
    limpet_thin_energy(&body->thin, e, q, q, false, f, K);
    scatter(e, K, thin->K);
    for (int a = 0; a < e->count; ++a)
      limpet_vec3_add(thin->f0 + 3L * e->node[a], thin->f0 + 3L * e->node[a], f + 3 * a);
    if (e->damping > 0.0) damper(e, q, K), scatter(e, K, thin->C);
  }
  if (body->gas.present) gas_begin(step, q, &thin->gas);
}

static double dot(long n, const double *a, const double *b) {
  double sum = 0.0;
  for (long i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

void limpet_fem_thin_force(limpet_fem_step *step, const double *x, const double *v, double *f) {
  limpet_fem_thin_step *thin = step->thin;
  if (!thin) return;
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  if (thin->follows) {
    limpet_fem_thin_force_there(step, v, f);
    return;
  }
  for (long i = 0; i < n; ++i) thin->dx[i] = x[i] - step->input.position[i];
  limpet_fem()->multiply(body, thin->K, thin->dx, thin->y);
  for (long i = 0; i < n; ++i) f[i] += thin->f0[i] + thin->y[i];
  if (thin->C) {
    limpet_fem()->multiply(body, thin->C, v, thin->y);
    for (long i = 0; i < n; ++i) f[i] += thin->y[i];
  }
  if (!body->gas.present) return;
  // positions without what x has for damping
  const limpet_fem_gas_step *gas = &thin->gas;
  const double beta = body->info.stiffness_damping;
  const double change = dot(n, gas->normal, thin->dx) - beta * dot(n, gas->normal, v);
  const double excess = gas->excess - gas->slope * change;
  for (long i = 0; i < n; ++i) f[i] -= excess * gas->normal[i];
}

void limpet_fem_thin_assemble(const limpet_fem_step *step, double *H) {
  const limpet_fem_thin_step *thin = step->thin;
  if (!thin) return;
  const limpet_fem_body *body = step->body;
  const double dt = step->input.dt;
  const double beta = body->info.stiffness_damping;
  const double c = dt * (limpet_fem_share(step) * dt + (thin->follows ? 0.0 : beta));
  for (long k = 0; k < 9L * body->block_count; ++k) H[k] += c * thin->K[k];
  for (long k = 0; thin->follows && beta > 0.0 && k < 9L * body->block_count; ++k)
    H[k] += dt * beta * thin->D[k];
  for (long k = 0; thin->C && k < 9L * body->block_count; ++k) H[k] += dt * thin->C[k];
}

void limpet_fem_gas_prepare(limpet_fem_step *step) {
  if (!step->body->gas.present) return;
  limpet_fem_gas_step *gas = &step->thin->gas;
  const long n = 3L * step->body->info.node_count;
  memcpy(gas->u, gas->normal, (size_t)n * sizeof *gas->u);
  limpet_fem_clear_fixed(step, gas->u);
  limpet_fem_solve(step, gas->u);
  gas->scale = gas->rigidity / (1.0 + gas->rigidity * dot(n, gas->normal, gas->u));
}

void limpet_fem_gas_multiply(const limpet_fem_step *step, const double *x, double *y) {
  if (!step->body->gas.present) return;
  const limpet_fem_gas_step *gas = &step->thin->gas;
  const long n = 3L * step->body->info.node_count;
  const double c = gas->rigidity * dot(n, gas->normal, x);
  for (long i = 0; i < n; ++i) y[i] += c * gas->normal[i];
}

void limpet_fem_gas_condense(const limpet_fem_step *step, int count, const int *nodes, double *W) {
  if (!step->body->gas.present) return;
  const limpet_fem_gas_step *gas = &step->thin->gas;
  for (int r = 0; r < 3 * count; ++r)
    for (int s = 0; s < 3 * count; ++s)
      W[(long)r * 3 * count + s] -=
          gas->scale * gas->u[3L * nodes[r / 3] + r % 3] * gas->u[3L * nodes[s / 3] + s % 3];
}

void limpet_fem_back_solve(const limpet_fem_step *step, double *x) {
  limpet_fem_solve(step, x);
  if (!step->body->gas.present) return;
  const limpet_fem_gas_step *gas = &step->thin->gas;
  const long n = 3L * step->body->info.node_count;
  double along = 0.0;  // n.x of nodes that are free
  for (long i = 0; i < n; ++i)
    if (!step->fixed[i / 3]) along += gas->normal[i] * x[i];
  for (long i = 0; i < n; ++i) x[i] -= gas->scale * along * gas->u[i];
}

bool limpet_fem_thin_follows(const limpet_fem_step *step) {
  return step->thin && step->thin->follows;
}

void limpet_fem_thin_stiffness_at(limpet_fem_step *step, const double *v, bool whole, bool seen) {
  const limpet_fem_body *body = step->body;
  limpet_fem_thin_step *thin = step->thin;
  double *q = thin->dx, K[ROW * ROW];
  limpet_fem_step_positions(step, v, q);
  memset(thin->K, 0, 9 * (size_t)body->block_count * sizeof *thin->K);
  for (int t = 0; t < body->thin.count; ++t) {
    const limpet_thin_element *e = &body->thin.element[t];
    if (seen) limpet_thin_stiffness_seen(&body->thin, e, thin->was, q, whole, K);
    else limpet_thin_energy(&body->thin, e, q, q, whole, NULL, K);
    scatter(e, K, thin->K);
  }
  if (body->gas.present) gas_begin(step, q, &thin->gas);
}

void limpet_fem_thin_went(limpet_fem_step *step, const double *v) {
  if (limpet_fem_thin_follows(step)) limpet_fem_step_positions(step, v, step->thin->was);
}

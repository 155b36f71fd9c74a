/* fem/thin_tangent.c: how the part of shells, ropes and gas in R changes: see tangent.h.
 *
 *   R  = .. + dt [f0(q) + K(q) y + C(q) v+ - P n(q)],   y = q+ - q + beta v+,
 *   P  = p(V(q)) - p_out - c(V(q)) n.d,                 d = q+ - q = b v + a v+,  b = (1 - s) dt
 * dR is
 * - by q:     dt of the elements (thin_change.h), with n' = d2V/dq2, which is symmetric:
 *             -dt [(p' - c' n.d) (n.dq) - c (n' dq).d] n - dt P n' dq
 * - by v:     b dt (K + c n n')
 * - by E, nu: of the elements with their numbers changed
 * - by beta:  dt K v+ */
#include "fem/thin_step.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "math/vec3.h"

static double dot(long n, const double *a, const double *b) {
  double sum = 0.0;
  for (long i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// ---------------------------------------------------------------------------------- material

// How the numbers of an element change with E and nu.
static limpet_thin_numbers numbers_of(const limpet_fem_body *body, const limpet_thin_element *e,
                                      double by_E, double by_nu) {
  const double E = body->info.youngs_modulus, nu = body->info.poissons_ratio;
  const double lambda = body->thin.lambda, mu = body->thin.mu, by_mu = -mu / (1.0 + nu);
  const double by_lambda =
      2.0 * (by_mu * nu / (1.0 - nu) + mu / ((1.0 - nu) * (1.0 - nu)));  // lambda = 2 mu nu/(1-nu)
  const double bending = e->kind == LIMPET_THIN_BENDING ? by_nu * e->stiffness_by_nu : 0.0;
  return (limpet_thin_numbers){.lambda = by_E / E * lambda + by_nu * by_lambda,
                               .mu = by_E / E * mu + by_nu * by_mu,
                               .stiffness = by_E / E * e->elastic + bending,
                               .poisson = by_nu};
}

// F += the change of all elements' force with E and nu.
static void material_push(const limpet_fem_body *body, const limpet_thin_load *load, double by_E,
                          double by_nu, double *F) {
  if (by_E == 0.0 && by_nu == 0.0) return;
  for (int t = 0; t < body->thin.count; ++t) {
    const limpet_thin_element *e = &body->thin.element[t];
    const limpet_thin_numbers numbers = numbers_of(body, e, by_E, by_nu);
    limpet_thin_push(&body->thin, e, load, NULL, &numbers, F);
  }
}

// ---------------------------------------------------------------------------------- gas

// y += scale n' x, how the normals n = dV/dq turn with x.
static void normal_add(const limpet_fem_body *body, const double *q, double scale, const double *x,
                       double *y) {
  for (int f = 0; f < body->info.face_count; ++f) {
    const int *v = body->faces + 3L * f;
    for (int k = 0; k < 3; ++k) {
      const long a = 3L * v[(k + 1) % 3], b = 3L * v[(k + 2) % 3];
      double first[3], second[3], *at = y + 3L * v[k];
      limpet_vec3_cross(first, x + a, q + b);
      limpet_vec3_cross(second, q + a, x + b);
      limpet_vec3_addmul(at, at, scale / 6.0, first);
      limpet_vec3_addmul(at, at, scale / 6.0, second);
    }
  }
}

// What the gas pushes with, and how that follows its volume.
typedef struct gas_push {
  double pressure, slope;  // [Pa], [Pa/m^3]  P, P' with n and d held
} gas_push;

// d: q+ - q
static gas_push gas_of(const limpet_fem_step *step, const double *d) {
  const limpet_fem_body *body = step->body;
  const limpet_fem_gas_step *gas = &step->thin->gas;
  const double along = dot(3L * body->info.node_count, gas->normal, d);
  const double volume = limpet_fem_gas_volume(body, step->input.position, NULL);
  // what is all but emptied keeps its pressure
  const bool held = volume < 1e-3 * body->gas.volume;
  const double by_volume = held ? 0.0 : -gas->slope,
               by_slope = held ? 0.0 : -(body->gas.exponent + 1.0) * gas->slope / volume;
  return (gas_push){gas->excess - gas->slope * along, by_volume - by_slope * along};
}

// dR += its change with dq; d: q+ - q; turned (node_count x 3): work.
static void gas_forward(const limpet_fem_step *step, const double *d, const double *dq,
                        double *turned, double *dR) {
  const limpet_fem_body *body = step->body;
  const limpet_fem_gas_step *gas = &step->thin->gas;
  const long n = 3L * body->info.node_count;
  const double dt = step->input.dt;
  const gas_push push = gas_of(step, d);
  memset(turned, 0, (size_t)n * sizeof *turned);
  normal_add(body, step->input.position, 1.0, dq, turned);
  const double more = push.slope * dot(n, gas->normal, dq) - gas->slope * dot(n, turned, d);
  for (long i = 0; i < n; ++i) dR[i] -= dt * (more * gas->normal[i] + push.pressure * turned[i]);
}

// Transposed: by_q += dt times the gradient of l.F
static void gas_adjoint(const limpet_fem_step *step, const double *d, const double *l,
                        double *by_q) {
  const limpet_fem_body *body = step->body;
  const limpet_fem_gas_step *gas = &step->thin->gas;
  const double *q = step->input.position, dt = step->input.dt;
  const long n = 3L * body->info.node_count;
  const gas_push push = gas_of(step, d);
  const double along = dot(n, gas->normal, l);
  for (long i = 0; i < n; ++i) by_q[i] -= dt * push.slope * along * gas->normal[i];
  normal_add(body, q, dt * gas->slope * along, d, by_q);
  normal_add(body, q, -dt * push.pressure, l, by_q);
}

// ---------------------------------------------------------------------------------- both ways

/* What elements see at v: y in step->position, of the gas d in thin->dx. */
static limpet_thin_load load_of(limpet_fem_step *step, const double *v) {
  limpet_fem_thin_step *thin = step->thin;
  const double beta = step->body->info.stiffness_damping;
  double *y = step->position;
  limpet_fem_step_positions(step, v, y);
  for (long i = 0; i < 3L * step->body->info.node_count; ++i) {
    thin->dx[i] = y[i] - step->input.position[i];
    y[i] = thin->dx[i] + beta * v[i];
  }
  return (limpet_thin_load){1.0, step->input.position, y, v};
}

void limpet_fem_thin_multiply(const limpet_fem_step *step, double scale, const double *x,
                              double *y) {
  const limpet_fem_body *body = step->body;
  limpet_fem_thin_step *thin = step->thin;
  if (!thin) return;
  const long n = 3L * body->info.node_count;
  limpet_fem()->multiply(body, thin->K, x, thin->y);
  for (long i = 0; i < n; ++i) y[i] += scale * thin->y[i];
  if (!body->gas.present) return;
  const double along = scale * thin->gas.slope * dot(n, thin->gas.normal, x);
  for (long i = 0; i < n; ++i) y[i] += along * thin->gas.normal[i];
}

static double early_of(const limpet_fem_step *step) {
  return (1.0 - limpet_fem_share(step)) * step->input.dt;
}

void limpet_fem_thin_forward(limpet_fem_step *step, const double *v,
                             const limpet_fem_change *change, double *dR) {
  limpet_fem_thin_step *thin = step->thin;
  if (!thin) return;
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  const double dt = step->input.dt;
  const limpet_thin_load load = load_of(step, v);
  if (change->velocity) limpet_fem_thin_multiply(step, early_of(step) * dt, change->velocity, dR);
  if (change->stiffness_damping != 0.0) {
    limpet_fem()->multiply(body, thin->K, v, thin->y);
    for (long i = 0; i < n; ++i) dR[i] += dt * change->stiffness_damping * thin->y[i];
  }
  double *F = thin->y;
  memset(F, 0, (size_t)n * sizeof *F);
  material_push(body, &load, change->youngs_modulus, change->poissons_ratio, F);
  for (int t = 0; t < body->thin.count && change->position; ++t)
    limpet_thin_push(&body->thin, &body->thin.element[t], &load, change->position, NULL, F);
  for (long i = 0; i < n; ++i) dR[i] += dt * F[i];
  if (change->position && body->gas.present)
    gas_forward(step, thin->dx, change->position, thin->y, dR);
}

void limpet_fem_thin_adjoint(limpet_fem_step *step, const double *v, const double *l,
                             limpet_fem_gradient *g) {
  limpet_fem_thin_step *thin = step->thin;
  if (!thin) return;
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  const double dt = step->input.dt;
  const limpet_thin_load load = load_of(step, v);
  if (g->velocity) limpet_fem_thin_multiply(step, early_of(step) * dt, l, g->velocity);
  limpet_fem()->multiply(body, thin->K, v, thin->y);
  g->stiffness_damping += dt * dot(n, l, thin->y);
  double *const by[] = {&g->youngs_modulus, &g->poissons_ratio};
  for (int k = 0; k < 2; ++k) {
    memset(thin->y, 0, (size_t)n * sizeof *thin->y);
    material_push(body, &load, k == 0, k == 1, thin->y);
    *by[k] += dt * dot(n, l, thin->y);
  }
  if (!g->position) return;
  for (int t = 0; t < body->thin.count; ++t)
    limpet_thin_pull(&body->thin, &body->thin.element[t], &load, dt, l, g->position);
  if (body->gas.present) gas_adjoint(step, thin->dx, l, g->position);
}

// ---------------------------------------------------------------------------------- stiffness

// By q: of z.K z, z.C z and c (n.z)^2, times what they have in H.
static void stiffness_pull(limpet_fem_step *step, const double *z, double *by_q) {
  limpet_fem_thin_step *thin = step->thin;
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  const double dt = step->input.dt, elastic = limpet_fem_share(step) * dt * dt;
  for (long i = 0; i < n; ++i) thin->y[i] = (elastic + dt * body->info.stiffness_damping) * z[i];
  for (long i = 0; i < n; ++i) thin->dx[i] = dt * z[i];
  const limpet_thin_load load = {0.0, step->input.position, thin->y, thin->dx};
  for (int t = 0; t < body->thin.count; ++t)
    limpet_thin_pull(&body->thin, &body->thin.element[t], &load, 1.0, z, by_q);
  if (!body->gas.present) return;
  const limpet_fem_gas_step *gas = &thin->gas;
  const double along = dot(n, gas->normal, z);
  const double volume = limpet_fem_gas_volume(body, step->input.position, NULL);
  const double by_slope =
      volume < 1e-3 * body->gas.volume ? 0.0 : -(body->gas.exponent + 1.0) * gas->slope / volume;
  for (long i = 0; i < n; ++i) by_q[i] += elastic * by_slope * along * along * gas->normal[i];
  normal_add(body, step->input.position, 2.0 * elastic * gas->slope * along, z, by_q);
}

void limpet_fem_thin_stiffness(limpet_fem_step *step, const double *z,
                               limpet_fem_stiffness_gradient *g) {
  limpet_fem_thin_step *thin = step->thin;
  if (!thin) return;
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  const double dt = step->input.dt, beta = body->info.stiffness_damping;
  const double elastic = limpet_fem_share(step) * dt * dt + dt * beta;
  const limpet_thin_load load = {0.0, step->input.position, z, z};
  if (g->numbers) {
    limpet_fem()->multiply(body, thin->K, z, thin->y);
    g->stiffness_damping += dt * dot(n, z, thin->y);
    double *const by[] = {&g->youngs_modulus, &g->poissons_ratio};
    for (int k = 0; k < 2; ++k) {
      memset(thin->y, 0, (size_t)n * sizeof *thin->y);
      material_push(body, &load, k == 0, k == 1, thin->y);
      *by[k] += elastic * dot(n, z, thin->y);
    }
  }
  stiffness_pull(step, z, g->position);
}

// ---------------------------------------------------------------------------------- kinks

int limpet_fem_tangent_kinks(limpet_fem_step *step, const double *v, double width, double share) {
  assert(step && v);
  if (!step->thin) return 0;
  const limpet_fem_body *body = step->body;
  const limpet_thin_load load = load_of(step, v);
  double *mark = step->direction;
  memset(mark, 0, 3 * (size_t)body->info.node_count * sizeof *mark);
  for (int t = 0; t < body->thin.count; ++t) {
    const limpet_thin_element *e = &body->thin.element[t];
    if (!limpet_thin_is_kink(&body->thin, e, &load, width, share)) continue;
    for (int a = 0; a < e->count; ++a) mark[e->node[a]] = 1.0;
  }
  int count = 0;
  for (int i = 0; i < body->info.node_count; ++i) count += mark[i] != 0.0 ? 3 : 0;
  return count;
}

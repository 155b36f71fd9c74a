/* fem/thin_tangent.c: how the part of shells, ropes and gas in R changes: see tangent.h.
 *
 *   R  = .. + dt [f0(q) + K(q) y + C(q) v+ - P n(q)],   y = q+ - q + beta v+,
 *   P  = p(V(q)) - p_out - c(V(q)) n.d,                 d = q+ - q = b v + a v+,  b = (1 - s) dt
 * or where forces follow (thin_follow.c)
 *   R  = .. + dt [f0(q+) + beta D(q) v+ + C(q) v+ - (p(V(q+)) - p_out) n(q+)]
 * without how the normals of bending and of gas turn in H. dR is
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
static gas_push gas_of(const limpet_fem_step *step, const double *q, const double *d) {
  const limpet_fem_body *body = step->body;
  const limpet_fem_gas_step *gas = &step->thin->gas;
  const double along = dot(3L * body->info.node_count, gas->normal, d);
  const double volume = limpet_fem_gas_volume(body, q, NULL);
  // what is all but emptied keeps its pressure
  const bool held = volume < 1e-3 * body->gas.volume;
  const double by_volume = held ? 0.0 : -gas->slope,
               by_slope = held ? 0.0 : -(body->gas.exponent + 1.0) * gas->slope / volume;
  return (gas_push){gas->excess - gas->slope * along, by_volume - by_slope * along};
}

// dR += its change with dq, gas taken at q; d: q+ - q; turned (node_count x 3): work.
static void gas_forward(const limpet_fem_step *step, const double *q, const double *d,
                        const double *dq, double *turned, double *dR) {
  const limpet_fem_body *body = step->body;
  const limpet_fem_gas_step *gas = &step->thin->gas;
  const long n = 3L * body->info.node_count;
  const double dt = step->input.dt;
  const gas_push push = gas_of(step, q, d);
  memset(turned, 0, (size_t)n * sizeof *turned);
  normal_add(body, q, 1.0, dq, turned);
  const double more = push.slope * dot(n, gas->normal, dq) - gas->slope * dot(n, turned, d);
  for (long i = 0; i < n; ++i) dR[i] -= dt * (more * gas->normal[i] + push.pressure * turned[i]);
}

// Transposed: by_q += dt times the gradient of l.F
static void gas_adjoint(const limpet_fem_step *step, const double *q, const double *d,
                        const double *l, double *by_q) {
  const limpet_fem_body *body = step->body;
  const limpet_fem_gas_step *gas = &step->thin->gas;
  const double dt = step->input.dt;
  const long n = 3L * body->info.node_count;
  const gas_push push = gas_of(step, q, d);
  const double along = dot(n, gas->normal, l);
  for (long i = 0; i < n; ++i) by_q[i] -= dt * push.slope * along * gas->normal[i];
  normal_add(body, q, dt * gas->slope * along, d, by_q);
  normal_add(body, q, -dt * push.pressure, l, by_q);
}

// ---------------------------------------------------------------------------------- both ways

// What elements see at v: one load, or where forces follow that of the end and that of dampers.
typedef struct thin_loads {
  int count;
  limpet_thin_load load[2];
  const double *gas_q, *gas_d;  // (node_count x 3)  [m]  where gas is taken, and the way from there
} thin_loads;

// y, or q+ where forces follow, in step->position; d, or beta v there, in thin->dx.
static thin_loads loads_of(limpet_fem_step *step, const double *v) {
  limpet_fem_thin_step *thin = step->thin;
  const double beta = step->body->info.stiffness_damping, *q = step->input.position;
  double *y = step->position;
  limpet_fem_step_positions(step, v, y);
  if (thin->follows) {
    for (long i = 0; i < 3L * step->body->info.node_count; ++i) thin->dx[i] = beta * v[i];
    return (thin_loads){
        2, {{1.0, y, thin->zero, thin->zero, true}, {0.0, q, thin->dx, v, false}}, y, thin->zero};
  }
  for (long i = 0; i < 3L * step->body->info.node_count; ++i) {
    thin->dx[i] = y[i] - q[i];
    y[i] = thin->dx[i] + beta * v[i];
  }
  return (thin_loads){1, {{1.0, q, y, v, false}}, q, thin->dx};
}

// Stiffness of the damping.
static const double *damping_of(const limpet_fem_thin_step *thin) {
  return thin->follows ? thin->D : thin->K;
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
  const thin_loads loads = loads_of(step, v);
  if (change->velocity) limpet_fem_thin_multiply(step, early_of(step) * dt, change->velocity, dR);
  if (change->stiffness_damping != 0.0) {
    limpet_fem()->multiply(body, damping_of(thin), v, thin->y);
    for (long i = 0; i < n; ++i) dR[i] += dt * change->stiffness_damping * thin->y[i];
  }
  double *F = thin->y;
  memset(F, 0, (size_t)n * sizeof *F);
  for (int k = 0; k < loads.count; ++k) {
    const limpet_thin_load *load = &loads.load[k];
    material_push(body, load, change->youngs_modulus, change->poissons_ratio, F);
    for (int t = 0; t < body->thin.count && change->position; ++t)
      limpet_thin_push(&body->thin, &body->thin.element[t], load, change->position, NULL, F);
  }
  for (long i = 0; i < n; ++i) dR[i] += dt * F[i];
  if (change->position && body->gas.present)
    gas_forward(step, loads.gas_q, loads.gas_d, change->position, thin->y, dR);
}

void limpet_fem_thin_adjoint(limpet_fem_step *step, const double *v, const double *l,
                             limpet_fem_gradient *g) {
  limpet_fem_thin_step *thin = step->thin;
  if (!thin) return;
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  const double dt = step->input.dt;
  const thin_loads loads = loads_of(step, v);
  if (g->velocity) limpet_fem_thin_multiply(step, early_of(step) * dt, l, g->velocity);
  limpet_fem()->multiply(body, damping_of(thin), v, thin->y);
  g->stiffness_damping += dt * dot(n, l, thin->y);
  double *const by[] = {&g->youngs_modulus, &g->poissons_ratio};
  for (int k = 0; k < 2; ++k) {
    memset(thin->y, 0, (size_t)n * sizeof *thin->y);
    for (int i = 0; i < loads.count; ++i)
      material_push(body, &loads.load[i], k == 0, k == 1, thin->y);
    *by[k] += dt * dot(n, l, thin->y);
  }
  if (!g->position) return;
  for (int t = 0; t < loads.count * body->thin.count; ++t)
    limpet_thin_pull(&body->thin, &body->thin.element[t % body->thin.count],
                     &loads.load[t / body->thin.count], dt, l, g->position);
  if (body->gas.present) gas_adjoint(step, loads.gas_q, loads.gas_d, l, g->position);
}

// ---------------------------------------------------------------------------------- stiffness

// By q: of `elastic` z.K z of the load's K, and of dt z.C z, without gas.
static void stiffness_pull(limpet_fem_step *step, limpet_thin_load load, double elastic, double dt,
                           const double *z, double *by_q) {
  limpet_fem_thin_step *thin = step->thin;
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  for (long i = 0; i < n; ++i) thin->y[i] = elastic * z[i];
  for (long i = 0; i < n; ++i) thin->dx[i] = dt * z[i];
  load.y = thin->y, load.v = thin->dx;
  for (int t = 0; t < body->thin.count; ++t)
    limpet_thin_pull(&body->thin, &body->thin.element[t], &load, 1.0, z, by_q);
}

// By q: of `elastic` c (n.z)^2 of gas at q.
static void gas_stiffness_pull(const limpet_fem_step *step, const double *q, double elastic,
                               const double *z, double *by_q) {
  const limpet_fem_body *body = step->body;
  const limpet_fem_gas_step *gas = &step->thin->gas;
  const long n = 3L * body->info.node_count;
  if (!body->gas.present) return;
  const double along = dot(n, gas->normal, z);
  const double volume = limpet_fem_gas_volume(body, q, NULL);
  const double by_slope =
      volume < 1e-3 * body->gas.volume ? 0.0 : -(body->gas.exponent + 1.0) * gas->slope / volume;
  for (long i = 0; i < n; ++i) by_q[i] += elastic * by_slope * along * along * gas->normal[i];
  normal_add(body, q, 2.0 * elastic * gas->slope * along, z, by_q);
}

// Adds what the material does to `weight` z.K z of the load's K with y = z.
static void stiffness_numbers(limpet_fem_step *step, const limpet_thin_load *load, double weight,
                              const double *z, limpet_fem_stiffness_gradient *g) {
  limpet_fem_thin_step *thin = step->thin;
  const long n = 3L * step->body->info.node_count;
  double *const by[] = {&g->youngs_modulus, &g->poissons_ratio};
  for (int k = 0; k < 2; ++k) {
    memset(thin->y, 0, (size_t)n * sizeof *thin->y);
    material_push(step->body, load, k == 0, k == 1, thin->y);
    *by[k] += weight * dot(n, z, thin->y);
  }
}

// K at the end: what its position changes is shared out to what that comes from.
static void stiffness_at_end(limpet_fem_step *step, const double *z,
                             limpet_fem_stiffness_gradient *g) {
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  const double dt = step->input.dt, share = limpet_fem_share(step), *q = step->position;
  const limpet_thin_load load = {0.0, q, z, step->thin->zero, true};
  double *by_q = step->trial;
  if (g->numbers) stiffness_numbers(step, &load, share * dt * dt, z, g);
  memset(by_q, 0, (size_t)n * sizeof *by_q);
  stiffness_pull(step, load, share * dt * dt, 0.0, z, by_q);
  gas_stiffness_pull(step, q, share * dt * dt, z, by_q);
  for (long i = 0; i < n; ++i) {
    g->position[i] += by_q[i];
    g->velocity[i] += (1.0 - share) * dt * by_q[i];
    g->end[i] += share * dt * by_q[i];
  }
}

void limpet_fem_thin_stiffness(limpet_fem_step *step, const double *v, const double *z,
                               limpet_fem_stiffness_gradient *g) {
  limpet_fem_thin_step *thin = step->thin;
  if (!thin) return;
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  const double *q = step->input.position, dt = step->input.dt, beta = body->info.stiffness_damping;
  const double at_start = thin->follows ? 0.0 : limpet_fem_share(step) * dt * dt;
  const limpet_thin_load load = {0.0, q, z, z, false};
  if (g->numbers) {
    limpet_fem()->multiply(body, damping_of(thin), z, thin->y);
    g->stiffness_damping += dt * dot(n, z, thin->y);
    stiffness_numbers(step, &load, at_start + dt * beta, z, g);
  }
  stiffness_pull(step, load, at_start + dt * beta, dt, z, g->position);
  gas_stiffness_pull(step, q, at_start, z, g->position);
  if (!thin->follows) return;
  limpet_fem_step_positions(step, v, step->position);
  stiffness_at_end(step, z, g);
}

// ---------------------------------------------------------------------------------- kinks

// Whether the normal of bending counts.
static bool is_curved(const limpet_thin_element *e) {
  return e->kind == LIMPET_THIN_BENDING && e->rest != 0.0;
}

int limpet_fem_tangent_kinks(limpet_fem_step *step, const double *v, double width, double share) {
  assert(step && v);
  if (!step->thin) return 0;
  const limpet_fem_body *body = step->body;
  const thin_loads loads = loads_of(step, v);
  const limpet_thin_load *load = &loads.load[loads.count - 1];
  double *mark = step->direction;
  memset(mark, 0, 3 * (size_t)body->info.node_count * sizeof *mark);
  for (int t = 0; t < body->thin.count; ++t) {
    const limpet_thin_element *e = &body->thin.element[t];
    const bool turns = step->thin->follows && (body->gas.present || is_curved(e));
    if (!turns && !limpet_thin_is_kink(&body->thin, e, load, width, share)) continue;
    for (int a = 0; a < e->count; ++a) mark[e->node[a]] = 1.0;
  }
  int count = 0;
  for (int i = 0; i < body->info.node_count; ++i) count += mark[i] != 0.0 ? 3 : 0;
  return count;
}

void limpet_fem_stiffness_jumps(const limpet_fem_step *step, const double *z, double scale,
                                double width, double *jump) {
  assert(step && z && jump);
  const limpet_fem_body *body = step->body;
  const double dt = step->input.dt,
               elastic = dt * (limpet_fem_share(step) * dt + body->info.stiffness_damping);
  const limpet_thin_load load = {.x = step->input.position, .y = z, .v = z};
  for (int t = 0; step->thin && t < body->thin.count; ++t) {
    const limpet_thin_element *e = &body->thin.element[t];
    const double more = elastic * limpet_thin_stiffness_jump(&body->thin, e, &load, width);
    for (int a = 0; a < e->count; ++a) jump[e->node[a]] += scale * more;
  }
}

/* fem/tangent_strain.c: how damping by the rate of Green's strain changes with what a step starts
 * from, both ways. The share of it in the residual has no time step of its own:
 *   R_d = beta F S g,   S = C (E - E_0),   C e = 2 mu e + lambda tr(e) 1
 *   E = (F'F - 1)/2 of the end,   E_0 = (F0'F0 - 1)/2 of the start
 * Of z.K z, Z the gradient of z, A = sym(F'Z), B = Z'Z:
 *   z.K z = A:C A + S:B,   by F: 2 Z C A + F C B,   by E_0: -C B
 * Everything is taken point by point: derivatives are not where time goes. */
#include "fem/tangent_strain.h"

#include <string.h>

#include "fem/element_points.h"
#include "math/vec3.h"

enum { LANES = LIMPET_FEM_LANES };

// One point at the end of the step: F and S (3 x 3) of the last force, and weight [m^3].
typedef struct strain_point {
  long batch, point;
  int lane;
  double weight, F[9], S[9];
} strain_point;

static void point_at(const limpet_fem_step *step, int t, int p, strain_point *at) {
  static const int place[9] = {0, 5, 4, 5, 1, 3, 4, 3, 2};
  const limpet_fem_body *body = step->body;
  at->batch = t / LANES, at->point = at->batch * body->element_points + p, at->lane = t % LANES;
  at->weight = body->weight[at->point * LANES + at->lane];
  const double *r = step->rate + at->point * LIMPET_FEM_RATE * LANES + at->lane;
  for (int i = 0; i < 9; ++i) {
    at->F[i] = r[(LIMPET_FEM_RATE_F + i) * LANES];
    at->S[i] = r[(LIMPET_FEM_RATE_STRESS + place[i]) * LANES];
  }
}

static void gradient_of(const limpet_fem_step *step, const strain_point *at, const double *x,
                        double F[9]) {
  limpet_fem_gradient_at(step->body, at->point, at->batch, at->lane, x, F);
}

// y_a += scale weight (P X) g_a
static void spread(const limpet_fem_step *step, const strain_point *at, double scale,
                   const double P[9], const double X[9], double *y) {
  double T[9];
  limpet_mat3_mul(T, P, X);
  for (int i = 0; i < 9; ++i) T[i] *= scale * at->weight;
  limpet_fem_spread_at(step->body, at->point, at->batch, at->lane, T, y);
}

// e += sym(A'B)
static void add_symmetric(const double A[9], const double B[9], double e[9]) {
  double T[9];
  limpet_mat3_tmul(T, A, B);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) e[3 * i + j] += 0.5 * (T[3 * i + j] + T[3 * j + i]);
}

// s = C e
static void lame_stress(const limpet_elastic_constants *c, const double e[9], double s[9]) {
  const double pressure = c->lambda * (e[0] + e[4] + e[8]);
  for (int i = 0; i < 9; ++i) s[i] = 2.0 * c->mu * e[i] + (i % 4 == 0 ? pressure : 0.0);
}

// [s]  how far positions at the end move with velocities at the start
static double early_time(const limpet_fem_step *step) {
  return (1.0 - limpet_fem_share(step)) * step->input.dt;
}

// The strains of the start, and at v those of the end with their stresses; y += scale their force.
static void take_strains(limpet_fem_step *step, const double *v, double scale, double *y) {
  limpet_fem()->rate_start(step->body, step->input.position, step->rate);
  limpet_fem_step_positions(step, v, step->position);
  limpet_fem()->rate_force(step->body, scale, step->position, step->rate, y);
}

void limpet_fem_strain_unit(limpet_fem_step *step, double scale, const double *v, double *y) {
  take_strains(step, v, scale / step->input.dt, y);
}

void limpet_fem_strain_forward(limpet_fem_step *step, const double *v,
                               const limpet_fem_change *change, double *dR) {
  if (!limpet_fem_damped_by_strain(step)) return;
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  const double share = limpet_fem_share(step), early = 1.0 - share, dt = step->input.dt;
  const double beta = body->info.stiffness_damping;
  double *x = step->direction, *f = step->force;
  if (change->time_step != 0.0) {  // R_d is none of what grows with the step
    memset(f, 0, (size_t)n * sizeof *f);
    take_strains(step, v, -change->time_step * beta / dt, f);
    for (long i = 0; i < n; ++i) dR[i] += f[i];
  }
  for (long i = 0; i < n; ++i)
    x[i] = (change->position ? change->position[i] : 0.0) +
           (change->velocity ? early * dt * change->velocity[i] : 0.0) +
           change->time_step * (early * step->start[i] + share * v[i]);
  limpet_fem()->rate_product(body, beta, step->rate, x, dR);
  for (int t = 0; change->position && t < body->info.tetrahedron_count; ++t)
    for (int p = 0; p < body->element_points; ++p) {
      strain_point at;
      double F0[9], d[9], e[9] = {0.0}, s[9];
      point_at(step, t, p, &at);
      gradient_of(step, &at, step->input.position, F0);
      gradient_of(step, &at, change->position, d);
      add_symmetric(F0, d, e);
      lame_stress(&body->lame, e, s);
      spread(step, &at, -beta, at.F, s, dR);
    }
}

// y += scale times the gradient of T:E_0 by q at the start, T symmetric.
static void start_pull(const limpet_fem_step *step, const strain_point *at, double scale,
                       const double T[9], double *y) {
  double F0[9];
  gradient_of(step, at, step->input.position, F0);
  spread(step, at, scale, F0, T, y);
}

void limpet_fem_strain_adjoint(limpet_fem_step *step, const double *l, double *by_q, double *by_v) {
  if (!limpet_fem_damped_by_strain(step)) return;
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  double *y = step->direction;
  memset(y, 0, (size_t)n * sizeof *y);
  const double beta = body->info.stiffness_damping;
  limpet_fem()->rate_product(body, beta, step->rate, l, y);
  for (long i = 0; by_q && i < n; ++i) by_q[i] += y[i];
  for (long i = 0; by_v && i < n; ++i) by_v[i] += early_time(step) * y[i];
  for (int t = 0; by_q && t < body->info.tetrahedron_count; ++t)
    for (int p = 0; p < body->element_points; ++p) {
      strain_point at;
      double G[9], e[9] = {0.0}, T[9];
      point_at(step, t, p, &at);
      gradient_of(step, &at, l, G);
      add_symmetric(at.F, G, e);
      lame_stress(&body->lame, e, T);
      start_pull(step, &at, -beta, T, by_q);
    }
}

double limpet_fem_strain_work(limpet_fem_step *step, const double *v, const double *z,
                              limpet_elastic_constants rest) {
  limpet_fem_body other = *step->body;
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  double *y = step->direction, work = 0.0;
  other.lame = rest;
  step->body = &other;
  take_strains(step, v, 0.0, step->force);
  step->body = body;
  memset(y, 0, (size_t)n * sizeof *y);
  limpet_fem()->rate_product(&other, 1.0, step->rate, z, y);
  for (long i = 0; i < n; ++i) work += z[i] * y[i];
  return work;
}

void limpet_fem_strain_stiffness(limpet_fem_step *step, const double *z, double *by_q, double *by_v,
                                 double *by_end) {
  if (!limpet_fem_damped_by_strain(step)) return;
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  const double share = limpet_fem_share(step), dt = step->input.dt;
  const double scale = share * dt * body->info.stiffness_damping;
  double *y = step->direction;
  memset(y, 0, (size_t)n * sizeof *y);
  for (int t = 0; t < body->info.tetrahedron_count; ++t)
    for (int p = 0; p < body->element_points; ++p) {
      strain_point at;
      double Z[9], A[9] = {0.0}, B[9] = {0.0}, CA[9], CB[9];
      point_at(step, t, p, &at);
      gradient_of(step, &at, z, Z);
      add_symmetric(at.F, Z, A);
      add_symmetric(Z, Z, B);
      lame_stress(&body->lame, A, CA);
      lame_stress(&body->lame, B, CB);
      spread(step, &at, 2.0 * scale, Z, CA, y);
      spread(step, &at, scale, at.F, CB, y);
      start_pull(step, &at, -scale, CB, by_q);
    }
  for (long i = 0; i < n; ++i) {
    by_q[i] += y[i];
    by_v[i] += early_time(step) * y[i];
    by_end[i] += share * dt * y[i];
  }
}

/* fem/derivative.c: derivatives of a step of a deformable body by what it starts from and what it
 * is made of, backwards: from the derivative of a loss by v+ and q+ to those by everything else.
 *
 * The step solves R(v+; theta) = impulses, which are constants here, so
 *   dL = l.dR,  H l = -w,  w = dL/dv+ + dt/2 dL/dq+
 * for H = dR/dv+: one back-substitution for all parameters. With q+ = q + dt/2 (v + v+):
 *   by v      -M l + dt^2/2 K l            by force  -dt l
 *   by E      dt l.(f + beta D v+)/E       by nu     the same with the derivatives of Lame's
 *                                                    constants, in which stresses are linear
 *   by rho    l.(M ((1 + alpha dt) v+ - v) - dt m g)/rho
 *   by alpha  dt l.M v+                    by beta   dt l.D v+
 *   by q      dt K l + what turns with the rotations R0(q) of linear-corotated and of the damping
 * Rotations: for P = R (2 mu (sym A - c I) + lambda (tr A - 3 c) I), A = R'F, S that bracket,
 * B = R'G, G the gradient of l, and dR = R [o]:
 *   dP:G = [o]:N = n.o,  N = B S + 2 mu A sym(B) + lambda tr(B) A,  n = (N21 - N12, ..)
 *   (tr(S0) I - S0) o = axial(R' dF0),  F0 = R S0:   dP:G = (R [m]):dF0,  m = (tr S0 I - S0)^-1 n
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "fem/step.h"
#include "math/vec3.h"

enum { LANES = LIMPET_FEM_LANES };

// x 3 x 3 of one point: sum over nodes of x_a g_a'.
static void gradient_at(const limpet_fem_body *body, long point, long batch, int lane,
                        const double *x, double F[9]) {
  const int k = body->element_nodes;
  memset(F, 0, 9 * sizeof *F);
  for (int a = 0; a < k; ++a) {
    const double *xa = x + 3L * body->node[(batch * k + a) * LANES + lane];
    const double *g = body->gradient + ((point * k + a) * 3) * LANES + lane;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) F[3 * i + j] += xa[i] * g[j * LANES];
  }
}

// y_a += P g_a
static void spread_at(const limpet_fem_body *body, long point, long batch, int lane,
                      const double P[9], double *y) {
  const int k = body->element_nodes;
  for (int a = 0; a < k; ++a) {
    double *ya = y + 3L * body->node[(batch * k + a) * LANES + lane];
    const double *g = body->gradient + ((point * k + a) * 3) * LANES + lane;
    for (int i = 0; i < 3; ++i)
      ya[i] += P[3 * i] * g[0] + P[3 * i + 1] * g[LANES] + P[3 * i + 2] * g[2 * LANES];
  }
}

static void axial(const double X[9], double a[3]) {
  limpet_vec3_set(a, X[7] - X[5], X[2] - X[6], X[3] - X[1]);
}

// n of the head: how dP:G follows the rotation.
static void rotation_slope(const limpet_elastic_constants *c, const double A[9], const double B[9],
                           double rest, double n[3]) {
  double S[9], symmetric[9], N[9], T[9];
  const double trace_A = A[0] + A[4] + A[8], trace_B = B[0] + B[4] + B[8];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const double unit = i == j ? 1.0 : 0.0;
      S[3 * i + j] = c->mu * (A[3 * i + j] + A[3 * j + i] - 2.0 * rest * unit) +
                     c->lambda * (trace_A - 3.0 * rest) * unit;
      symmetric[3 * i + j] = 0.5 * (B[3 * i + j] + B[3 * j + i]);
    }
  limpet_mat3_mul(N, B, S);
  limpet_mat3_mul(T, A, symmetric);
  for (int i = 0; i < 9; ++i) N[i] += 2.0 * c->mu * T[i] + c->lambda * trace_B * A[i];
  axial(N, n);
}

/* y += scale times the derivative by q of l.K(R0(q)) (x - rest X), R0 alone changing. */
static void rotation_pull(const limpet_fem_body *body, const double *q, double scale,
                          const double *x, double rest, const double *l, double *y) {
  for (int t = 0; t < body->info.tetrahedron_count; ++t)
    for (int p = 0; p < body->element_points; ++p) {
      const long batch = t / LANES, point = batch * body->element_points + p;
      const int lane = t % LANES;
      double F0[9], F[9], G[9], R[9], S0[9], A[9], B[9], n[3], m[3], w[3], V[9], skew[9], P[9];
      gradient_at(body, point, batch, lane, q, F0);
      gradient_at(body, point, batch, lane, x, F);
      gradient_at(body, point, batch, lane, l, G);
      limpet_elastic_rotation(F0, R);
      limpet_mat3_tmul(S0, R, F0);
      limpet_mat3_tmul(A, R, F);
      limpet_mat3_tmul(B, R, G);
      rotation_slope(&body->lame, A, B, rest, n);
      // m = (tr(S0) I - S0)^-1 n in the axes of S0
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < i; ++j)
          S0[3 * i + j] = S0[3 * j + i] = 0.5 * (S0[3 * i + j] + S0[3 * j + i]);
      limpet_mat3_eigen(S0, w, V);
      const double trace = w[0] + w[1] + w[2];
      double along[3];
      limpet_mat3_tmul_vec(along, V, n);
      for (int i = 0; i < 3; ++i) along[i] /= trace - w[i];
      limpet_mat3_mul_vec(m, V, along);
      const double cross[9] = {0.0, -m[2], m[1], m[2], 0.0, -m[0], -m[1], m[0], 0.0};
      limpet_mat3_mul(skew, R, cross);
      const double weight = scale * body->weight[point * LANES + lane];
      for (int i = 0; i < 9; ++i) P[i] = weight * skew[i];
      spread_at(body, point, batch, lane, P, y);
    }
}

static double dot(long n, const double *x, const double *y) {
  double sum = 0.0;
  for (long i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

// l.(f + beta D v) with other constants in place of the law's and of those at rest.
static double stress_work(limpet_fem_step *step, const double *v, const double *l,
                          limpet_elastic_constants law, limpet_elastic_constants rest,
                          double *scratch) {
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  limpet_fem_body other = *body;
  other.constants = law, other.lame = rest;
  memset(scratch, 0, (size_t)n * sizeof *scratch);
  step->body = &other;
  limpet_fem_forces(step, v, scratch);
  step->body = body;
  return dot(n, l, scratch);
}

// Derivatives of Lame's constants by nu, as the law takes them.
static limpet_elastic_constants by_poisson(const limpet_elastic_law *law, double E, double nu) {
  const double mu = -E / (2.0 * (1.0 + nu) * (1.0 + nu));
  const double both = (1.0 + nu) * (1.0 - 2.0 * nu);
  const double lambda = E * (1.0 + 2.0 * nu * nu) / (both * both);
  return (limpet_elastic_constants){.lambda = lambda + law->shift * mu, .mu = mu};
}

static void material_derivatives(limpet_fem_step *step, const double *v, const double *l,
                                 limpet_fem_gradient *g) {
  const limpet_fem_body *body = step->body;
  const limpet_fem_body_info *info = &body->info;
  const long n = 3L * info->node_count;
  const double dt = step->input.dt, E = info->youngs_modulus, nu = info->poissons_ratio;
  double *work = step->trial, *Ml = step->direction;
  g->poissons_ratio = dt * stress_work(step, v, l, by_poisson(info->law, E, nu),
                                       by_poisson(&limpet_elastic_law_linear, E, nu), work);
  g->youngs_modulus = dt / E * stress_work(step, v, l, body->constants, body->lame, work);

  limpet_fem_body_mass_multiply(body, l, Ml);
  const double now = dot(n, Ml, v), before = dot(n, Ml, step->start);
  double weight = 0.0;
  for (long i = 0; i < n; ++i) weight += l[i] * body->node_mass[i / 3] * step->input.gravity[i % 3];
  g->density = ((1.0 + info->mass_damping * dt) * now - before - dt * weight) / info->density;
  g->mass_damping = dt * now;

  memset(work, 0, (size_t)n * sizeof *work);
  limpet_fem()->linear_force(body, step->R, 1.0, v, 0.0, work);
  g->stiffness_damping = dt * dot(n, l, work);
}

bool limpet_fem_step_derivative(limpet_fem_step *step, const double *v, const double *dL_dv,
                                const double *dL_dq, limpet_fem_gradient *g) {
  assert(step && step->input.position && v && (dL_dv || dL_dq) && g);
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  const double dt = step->input.dt, beta = body->info.stiffness_damping,
               share = limpet_fem_share(step);
  if (!step->is_linear && beta > 0.0 && body->damping == LIMPET_FEM_DAMPING_TANGENT) return false;

  // H at v, exact
  double *l = step->residual;
  limpet_fem_evaluate(step, v, l);
  limpet_fem_assemble(step, false);
  if (!limpet_fem_factor(step)) return false;
  for (long i = 0; i < n; ++i)
    l[i] = -(dL_dv ? dL_dv[i] : 0.0) - (dL_dq ? share * dt * dL_dq[i] : 0.0);
  limpet_fem_clear_fixed(step, l);
  limpet_block_cholesky_solve(step->factor, l);

  material_derivatives(step, v, l, g);
  memset(g->gravity, 0, sizeof g->gravity);
  for (long i = 0; i < n; ++i) g->gravity[i % 3] -= dt * body->node_mass[i / 3] * l[i];
  if (g->force)
    for (long i = 0; i < n; ++i) g->force[i] = -dt * l[i];

  // K l by what H l is made of: H = (1 + alpha dt) M + dt (share dt K + beta D)
  limpet_fem_evaluate(step, v, step->trial);
  double *Kl = step->trial, *Ml = step->direction;
  memset(Kl, 0, (size_t)n * sizeof *Kl);
  if (step->is_linear) limpet_fem()->linear_force(body, step->R, 1.0, l, 0.0, Kl);
  else limpet_fem()->product(body, step->point, 1.0, l, Kl);
  limpet_fem_body_mass_multiply(body, l, Ml);
  const double start = 1.0 - share;  // of v in q+, times dt
  if (g->velocity)
    for (long i = 0; i < n; ++i)
      g->velocity[i] = start * dt * dt * Kl[i] - Ml[i] + (dL_dq ? start * dt * dL_dq[i] : 0.0);
  if (!g->position) return true;
  for (long i = 0; i < n; ++i) g->position[i] = dt * Kl[i] + (dL_dq ? dL_dq[i] : 0.0);
  if (!step->R) return true;
  double *x = step->position;
  if (step->is_linear) {
    limpet_fem_step_positions(step, v, x);
    for (long i = 0; i < n; ++i) x[i] += beta * v[i];
    rotation_pull(body, step->input.position, dt, x, 1.0, l, g->position);
  } else {
    rotation_pull(body, step->input.position, dt * beta, v, 0.0, l, g->position);
  }
  return true;
}

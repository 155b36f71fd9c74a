/* fem/tangent.c: see tangent.h. With q+ = q + dt ((1 - s) v + s v+), s the share of v+ (1/2,
 * backward Euler 1), dR is
 * - by v:     -M + (1 - s) dt^2 K
 * - by q:     dt K + what turns with the rotations R0(q) of linear-corotated and of the damping
 * - by E:     dt (f + beta D v+)/E
 * - by nu:    the same with the derivatives of Lame's constants, in which stresses are linear
 * - by rho:   (M ((1 + alpha dt) v+ - v) - dt m g)/rho
 * - by alpha: dt M v+
 * - by beta:  dt D v+
 * - by dt:    (R - M (v+ - v))/dt + dt K ((1 - s) v + s v+)
 *
 * Rotations: for P = R (2 mu (sym A - c I) + lambda (tr A - 3 c) I), A = R'F, S that bracket, and
 * dR = R [o]:
 *   (tr(S0) I - S0) o = axial(R' dF0),  F0 = R S0
 *   dP = R ([o] S - 2 mu sym([o] A) - lambda tr([o] A) I)
 * and transposed, with B = R'G, G the gradient of l:
 *   dP:G = [o]:N = n.o,  N = B S + 2 mu A sym(B) + lambda tr(B) A,  n = (N21 - N12, ..)
 *   dP:G = (R [m]):dF0,  m = (tr S0 I - S0)^-1 n */
#include "fem/tangent.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "fem/element_points.h"
#include "fem/rigid_set.h"
#include "fem/tangent_strain.h"
#include "fem/thin_step.h"
#include "math/vec3.h"

enum { LANES = LIMPET_FEM_LANES };

static void axial(const double X[9], double a[3]) {
  limpet_vec3_set(a, X[7] - X[5], X[2] - X[6], X[3] - X[1]);
}

// m = (tr(S0) I - S0)^-1 n, by cofactors.
static void turning_solve(const double S0[9], const double n[3], double m[3]) {
  const double a = S0[4] + S0[8], b = S0[0] + S0[8], c = S0[0] + S0[4];
  const double x = -0.5 * (S0[1] + S0[3]), y = -0.5 * (S0[2] + S0[6]), z = -0.5 * (S0[5] + S0[7]);
  const double A = b * c - z * z, B = y * z - x * c, C = x * z - y * b;
  const double scale = 1.0 / (a * A + x * B + y * C);
  m[0] = scale * (A * n[0] + B * n[1] + C * n[2]);
  m[1] = scale * (B * n[0] + (a * c - y * y) * n[1] + (x * y - a * z) * n[2]);
  m[2] = scale * (C * n[0] + (x * y - a * z) * n[1] + (a * b - x * x) * n[2]);
}

// Rotation of a point at the start of the step.
static void rotation_at(const limpet_fem_step *step, long point, int lane, double R[9]) {
  for (int i = 0; i < 9; ++i) R[i] = step->R[(point * 9 + i) * LANES + lane];
}

static void cross_matrix(const double m[3], double X[9]) {
  const double cross[9] = {0.0, -m[2], m[1], m[2], 0.0, -m[0], -m[1], m[0], 0.0};
  limpet_mat3_copy(X, cross);
}

// S of the head.
static void bracket(const limpet_elastic_constants *c, const double A[9], double rest,
                    double S[9]) {
  const double trace = A[0] + A[4] + A[8];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      S[3 * i + j] = c->mu * (A[3 * i + j] + A[3 * j + i]) +
                     (i == j ? c->lambda * (trace - 3.0 * rest) - 2.0 * c->mu * rest : 0.0);
}

// n of the head: how dP:G follows the rotation.
static void rotation_slope(const limpet_elastic_constants *c, const double A[9], const double B[9],
                           double rest, double n[3]) {
  double S[9], symmetric[9], N[9], T[9];
  const double trace_B = B[0] + B[4] + B[8];
  bracket(c, A, rest, S);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) symmetric[3 * i + j] = 0.5 * (B[3 * i + j] + B[3 * j + i]);
  limpet_mat3_mul(N, B, S);
  limpet_mat3_mul(T, A, symmetric);
  for (int i = 0; i < 9; ++i) N[i] += 2.0 * c->mu * T[i] + c->lambda * trace_B * A[i];
  axial(N, n);
}

// A point of an element, seen from its rotation R at the start: S0 = R'F0 of q, A = R'F of x, B =
// R'G of `third`.
typedef struct rotated_point {
  long batch, point;
  int lane;
  double weight;  // [m^3]  times `scale`
  double R[9], S0[9], A[9], B[9];
} rotated_point;

static void rotated_at(const limpet_fem_step *step, int t, int p, double scale, const double *x,
                       const double *third, rotated_point *at) {
  const limpet_fem_body *body = step->body;
  double F0[9], F[9], G[9];
  at->batch = t / LANES, at->point = at->batch * body->element_points + p, at->lane = t % LANES;
  at->weight = scale * body->weight[at->point * LANES + at->lane];
  limpet_fem_gradient_at(body, at->point, at->batch, at->lane, step->input.position, F0);
  limpet_fem_gradient_at(body, at->point, at->batch, at->lane, x, F);
  limpet_fem_gradient_at(body, at->point, at->batch, at->lane, third, G);
  rotation_at(step, at->point, at->lane, at->R);
  limpet_mat3_tmul(at->S0, at->R, F0);
  limpet_mat3_tmul(at->A, at->R, F);
  limpet_mat3_tmul(at->B, at->R, G);
}

// y_a += weight R X g_a
static void spread_rotated(const limpet_fem_body *body, const rotated_point *at, const double X[9],
                           double *y) {
  double P[9];
  limpet_mat3_mul(P, at->R, X);
  for (int i = 0; i < 9; ++i) P[i] *= at->weight;
  limpet_fem_spread_at(body, at->point, at->batch, at->lane, P, y);
}

/* y += scale times the derivative by q of l.K(R0(q)) (x - rest X), R0 alone changing. */
static void rotation_pull(const limpet_fem_step *step, double scale, const double *x, double rest,
                          const double *l, double *y) {
  const limpet_fem_body *body = step->body;
  for (int t = 0; t < body->info.tetrahedron_count; ++t)
    for (int p = 0; p < body->element_points; ++p) {
      rotated_point at;
      double n[3], m[3], turn[9];
      rotated_at(step, t, p, scale, x, l, &at);
      rotation_slope(&body->lame, at.A, at.B, rest, n);
      turning_solve(at.S0, n, m);
      cross_matrix(m, turn);
      spread_rotated(body, &at, turn, y);
    }
}

// y += scale times the change of K(R0(q)) (x - rest X) with dq, R0 alone changing.
static void rotation_push(const limpet_fem_step *step, double scale, const double *x, double rest,
                          const double *dq, double *y) {
  const limpet_fem_body *body = step->body;
  for (int t = 0; t < body->info.tetrahedron_count; ++t)
    for (int p = 0; p < body->element_points; ++p) {
      rotated_point at;
      double n[3], o[3], turn[9], S[9], B[9], P[9];
      rotated_at(step, t, p, scale, x, dq, &at);
      axial(at.B, n);
      turning_solve(at.S0, n, o);
      cross_matrix(o, turn);
      bracket(&body->lame, at.A, rest, S);
      limpet_mat3_mul(P, turn, S);
      limpet_mat3_mul(B, turn, at.A);
      const double trace = B[0] + B[4] + B[8];
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          P[3 * i + j] -= body->lame.mu * (B[3 * i + j] + B[3 * j + i]) +
                          (i == j ? body->lame.lambda * trace : 0.0);
      spread_rotated(body, &at, P, y);
    }
}

static double dot(long n, const double *x, const double *y) {
  double sum = 0.0;
  for (long i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

// f += scale (f + beta D v) of tetrahedra, with other constants in place of the law's and of those
// at rest.
static void stress_add(limpet_fem_step *step, const double *v, double scale,
                       limpet_elastic_constants law, limpet_elastic_constants rest, double *f) {
  limpet_fem_body other = *step->body;
  const limpet_fem_body *body = step->body;
  other.constants.lambda = scale * law.lambda, other.constants.mu = scale * law.mu;
  other.lame.lambda = scale * rest.lambda, other.lame.mu = scale * rest.mu;
  struct limpet_fem_thin_step *thin = step->thin;
  step->body = &other, step->thin = NULL;
  limpet_fem_forces(step, v, f);
  step->body = body, step->thin = thin;
}

// Derivatives of Lame's constants by nu, as the law takes them.
static limpet_elastic_constants by_poisson(const limpet_elastic_law *law, double E, double nu) {
  const double mu = -E / (2.0 * (1.0 + nu) * (1.0 + nu));
  const double both = (1.0 + nu) * (1.0 - 2.0 * nu);
  const double lambda = E * (1.0 + 2.0 * nu * nu) / (both * both);
  return (limpet_elastic_constants){.lambda = lambda + law->shift * mu, .mu = mu};
}

// The same for unit changes of E and nu; `scale` of each.
static void add_material_force(limpet_fem_step *step, const double *v, double by_E, double by_nu,
                               double *f) {
  const limpet_fem_body *body = step->body;
  const limpet_fem_body_info *info = &body->info;
  const double E = info->youngs_modulus, nu = info->poissons_ratio;
  if (by_E != 0.0) stress_add(step, v, by_E / E, body->constants, body->lame, f);
  if (by_nu != 0.0)
    stress_add(step, v, by_nu, by_poisson(info->law, E, nu),
               by_poisson(&limpet_elastic_law_linear, E, nu), f);
}

// Sets y to what c M x and what weight by density changes in R per unit of ln(rho).
static void mass_part(const limpet_fem_step *step, const double *v, double *x, double *y) {
  const limpet_fem_body *body = step->body;
  const double dt = step->input.dt, alpha = body->info.mass_damping;
  const long n = 3L * body->info.node_count;
  for (long i = 0; i < n; ++i) {
    x[i] = (1.0 + alpha * dt) * v[i] - step->start[i];
    y[i] = -dt * body->node_mass[i / 3] * step->input.gravity[i % 3];
  }
  limpet_fem_mass_add(body, 1.0, x, y);
}

// y += scale K x, K of the elastic law at the last evaluation
static void elastic_product(limpet_fem_step *step, double scale, const double *x, double *y) {
  limpet_fem_points_take(step);
  if (step->is_linear) limpet_fem()->linear_force(step->body, step->R, scale, x, 0.0, y);
  else limpet_fem()->product(step->body, step->point, scale, x, y);
}

/* What the rotations of the start turn: positions and damping of linear laws, damping of others.
 * x (node_count x 3) receives it. Returns the share `rest` of the positions at rest in it, and the
 * factor; 0: nothing turns. */
static double turned(const limpet_fem_step *step, const double *v, double *x, double *rest) {
  const long n = 3L * step->body->info.node_count;
  const double dt = step->input.dt, beta = step->body->info.stiffness_damping;
  if (!step->R || limpet_fem_takes_strain(step)) return 0.0;
  *rest = step->is_linear ? 1.0 : 0.0;
  if (step->is_linear) {
    limpet_fem_step_positions(step, v, x);
    for (long i = 0; i < n; ++i) x[i] += beta * v[i];
    return dt;
  }
  memcpy(x, v, (size_t)n * sizeof *x);
  return dt * beta;
}

// y += scale times the damping force at v for beta = 1 s.
static void damping_unit(limpet_fem_step *step, double scale, const double *v, double *y) {
  if (limpet_fem_takes_strain(step)) limpet_fem_strain_unit(step, scale, v, y);
  else limpet_fem()->linear_force(step->body, step->R, scale, v, 0.0, y);
}

bool limpet_fem_step_linearise(limpet_fem_step *step, const limpet_fem_input *input,
                               const double *v, bool follows, bool factored) {
  assert(step && input && v);
  if (!limpet_fem_step_take_start(step, input)) return false;
  if (step->is_linear && follows) limpet_fem_follow(step);
  if (limpet_fem_thin_follows(step)) limpet_fem_thin_stiffness_at(step, v, true, false);
  limpet_fem_evaluate(step, v, step->residual);
  limpet_fem_assemble(step, false);
  memset(step->free, 0, 3 * (size_t)step->body->info.node_count * sizeof *step->free);
  return !factored || limpet_fem_factor(step);
}

const char *limpet_fem_tangent_missing(const limpet_fem_body *body) {
  const bool linear = limpet_elastic_law_is_linear(body->info.law);
  if (!linear && body->info.stiffness_damping > 0.0 && body->damping == LIMPET_FEM_DAMPING_TANGENT)
    return "damping by the tangent has no derivatives";
  return NULL;
}

// dR += its change with the time step. After an evaluation at v; uses trial, direction.
static void add_time_step(limpet_fem_step *step, const double *v, double change, double *dR) {
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  const double dt = step->input.dt, share = limpet_fem_share(step);
  double *x = step->trial, *R = step->direction;
  limpet_fem_evaluate(step, v, R);
  for (long i = 0; i < n; ++i) x[i] = step->start[i] - v[i];
  limpet_fem_mass_add(body, 1.0, x, R);
  for (long i = 0; i < n; ++i) {
    dR[i] += change / dt * R[i];
    x[i] = (1.0 - share) * step->start[i] + share * v[i];
  }
  elastic_product(step, change * dt, x, dR);
  limpet_fem_thin_multiply(step, change * dt, x, dR);
}

void limpet_fem_tangent_forward(limpet_fem_step *step, const double *v,
                                const limpet_fem_change *change, double *dR) {
  assert(step && v && change && dR);
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  const double dt = step->input.dt, early = 1.0 - limpet_fem_share(step);
  double *x = step->trial, *y = step->direction, rest;
  memset(y, 0, (size_t)n * sizeof *y);
  add_material_force(step, v, change->youngs_modulus, change->poissons_ratio, y);
  damping_unit(step, change->stiffness_damping, v, y);
  for (long i = 0; i < n; ++i) dR[i] = dt * y[i];
  if (change->density != 0.0) {
    mass_part(step, v, x, y);
    for (long i = 0; i < n; ++i) dR[i] += change->density / body->info.density * y[i];
  }
  for (long i = 0; i < n; ++i) dR[i] -= dt * body->node_mass[i / 3] * change->gravity[i % 3];
  limpet_fem_mass_add(body, dt * change->mass_damping, v, dR);

  limpet_fem_thin_forward(step, v, change, dR);

  // the elastic law at v again, where constants were others
  limpet_fem_evaluate(step, v, y);
  if (change->velocity) {
    limpet_fem_mass_add(body, -1.0, change->velocity, dR);
    elastic_product(step, early * dt * dt, change->velocity, dR);
  }
  if (change->time_step != 0.0) add_time_step(step, v, change->time_step, dR);
  if (change->position) elastic_product(step, dt, change->position, dR);
  const double scale = turned(step, v, x, &rest);
  if (scale != 0.0 && change->position) rotation_push(step, scale, x, rest, change->position, dR);
  limpet_fem_strain_forward(step, v, change, dR);
}

static void material_adjoint(limpet_fem_step *step, const double *v, const double *l,
                             limpet_fem_gradient *g) {
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  const size_t size = (size_t)n * sizeof(double);
  const double dt = step->input.dt;
  double *x = step->trial, *y = step->direction;
  memset(y, 0, size);
  add_material_force(step, v, 1.0, 0.0, y);
  g->youngs_modulus = dt * dot(n, l, y);
  memset(y, 0, size);
  add_material_force(step, v, 0.0, 1.0, y);
  g->poissons_ratio = dt * dot(n, l, y);
  memset(y, 0, size);
  damping_unit(step, 1.0, v, y);
  g->stiffness_damping = dt * dot(n, l, y);
  mass_part(step, v, x, y);
  g->density = dot(n, l, y) / body->info.density;
  limpet_fem_body_mass_multiply(body, v, y);
  g->mass_damping = dt * dot(n, l, y);
  memset(g->gravity, 0, sizeof g->gravity);
  for (long i = 0; i < n; ++i) g->gravity[i % 3] -= dt * body->node_mass[i / 3] * l[i];
}

void limpet_fem_tangent_adjoint(limpet_fem_step *step, const double *v, const double *l,
                                limpet_fem_gradient *g) {
  assert(step && v && l && g);
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  const size_t size = (size_t)n * sizeof(double);
  const double dt = step->input.dt, early = 1.0 - limpet_fem_share(step);
  double rest;
  material_adjoint(step, v, l, g);
  limpet_fem_evaluate(step, v, step->trial);
  if (g->velocity) memset(g->velocity, 0, size);
  if (g->position) memset(g->position, 0, size);
  limpet_fem_thin_adjoint(step, v, l, g);
  if (g->velocity) {
    limpet_fem_mass_add(body, -1.0, l, g->velocity);
    elastic_product(step, early * dt * dt, l, g->velocity);
  }
  if (g->position) elastic_product(step, dt, l, g->position);
  const double scale = turned(step, v, step->trial, &rest);
  if (scale != 0.0 && g->position) rotation_pull(step, scale, step->trial, rest, l, g->position);
  limpet_fem_strain_adjoint(step, l, g->position, g->velocity);
}

// ---------------------------------------------------------------------------------- stiffness

// [-]  largest change of an entry of F within the differences of K along z
static const double strain_width = 1e-3;

// Where the stiffness is taken: velocities of the end and its positions.
typedef struct stiffness_place {
  const double *v, *x;
} stiffness_place;

// z.K z with other constants, at the strains of the place where K follows them.
static double work_with(limpet_fem_step *step, stiffness_place at, const double *z,
                        limpet_elastic_constants law, limpet_elastic_constants rest, bool damping) {
  if (damping && limpet_fem_takes_strain(step)) return limpet_fem_strain_work(step, at.v, z, rest);
  limpet_fem_body other = *step->body;
  const long n = 3L * step->body->info.node_count;
  double *y = step->direction;
  other.constants = law, other.lame = rest;
  memset(y, 0, (size_t)n * sizeof *y);
  if (damping || step->is_linear) {
    limpet_fem()->linear_force(&other, step->R, 1.0, z, 0.0, y);
  } else {
    limpet_fem()->points(&other, at.x, step->point);
    step->point_is_kept = false;
    limpet_fem()->product(&other, step->point, 1.0, z, y);
  }
  return dot(n, z, y);
}

static double largest_gradient(const limpet_fem_body *body, const double *z) {
  double most = 0.0, G[9];
  for (int t = 0; t < body->info.tetrahedron_count; ++t)
    for (int p = 0; p < body->element_points; ++p) {
      const long batch = t / LANES;
      limpet_fem_gradient_at(body, batch * body->element_points + p, batch, t % LANES, z, G);
      for (int i = 0; i < 9; ++i) most = fmax(most, fabs(G[i]));
    }
  return most;
}

// y <- the gradient of z.K(x) z by x: the change of K z along z, as third derivatives of an energy
// have no order.
static void third_derivative(limpet_fem_step *step, const double *x, const double *z, double *y) {
  static const double place[4] = {-2.0, -1.0, 1.0, 2.0},
                      weight[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  const double size = largest_gradient(body, z);
  double *moved = step->force;
  memset(y, 0, (size_t)n * sizeof *y);
  if (!(size > 0.0)) return;
  const double width = strain_width / size;
  for (int k = 0; k < 4; ++k) {
    for (long i = 0; i < n; ++i) moved[i] = x[i] + place[k] * width * z[i];
    limpet_fem()->points(body, moved, step->point);
    step->point_is_kept = false;
    limpet_fem()->product(body, step->point, weight[k] / width, z, y);
  }
}

// The part of the numbers of the body.
static void stiffness_numbers(limpet_fem_step *step, stiffness_place at, const double *z,
                              limpet_fem_stiffness_gradient *g) {
  const limpet_fem_body *body = step->body;
  const limpet_fem_body_info *info = &body->info;
  const long n = 3L * info->node_count;
  const double dt = step->input.dt, elastic = limpet_fem_share(step) * dt * dt;
  const double E = info->youngs_modulus, nu = info->poissons_ratio, beta = info->stiffness_damping;
  const double damped = limpet_fem_takes_strain(step) ? limpet_fem_share(step) * dt : dt;
  const limpet_elastic_constants law = by_poisson(info->law, E, nu),
                                 rest = by_poisson(&limpet_elastic_law_linear, E, nu);
  double *y = step->direction;
  const double K = work_with(step, at, z, body->constants, body->lame, false),
               D = beta > 0.0 ? work_with(step, at, z, body->constants, body->lame, true) : 0.0;
  g->youngs_modulus = (elastic * K + damped * beta * D) / E;
  g->poissons_ratio = elastic * work_with(step, at, z, law, rest, false) +
                      (beta > 0.0 ? damped * beta * work_with(step, at, z, law, rest, true) : 0.0);
  g->stiffness_damping =
      damped * (beta > 0.0 ? D : work_with(step, at, z, body->constants, body->lame, true));
  limpet_fem_body_mass_multiply(body, z, y);
  const double M = dot(n, z, y);
  g->density = (1.0 + info->mass_damping * dt) * M / info->density;
  g->mass_damping = dt * M;
}

void limpet_fem_stiffness_adjoint(limpet_fem_step *step, const double *v, const double *z,
                                  limpet_fem_stiffness_gradient *g) {
  assert(step && v && z && g);
  const limpet_fem_body *body = step->body;
  const limpet_fem_body_info *info = &body->info;
  const long n = 3L * info->node_count;
  const size_t size = (size_t)n * sizeof(double);
  const double dt = step->input.dt, share = limpet_fem_share(step), beta = info->stiffness_damping;
  const double elastic = share * dt * dt;
  double *x = step->trial, *y = step->direction;
  limpet_fem_step_positions(step, v, x);
  if (g->numbers) stiffness_numbers(step, (stiffness_place){v, x}, z, g);
  memset(g->position, 0, size), memset(g->velocity, 0, size), memset(g->end, 0, size);
  if (!step->is_linear) {
    third_derivative(step, x, z, y);
    for (long i = 0; i < n; ++i) {
      g->position[i] = elastic * y[i];
      g->velocity[i] = (1.0 - share) * dt * g->position[i];
      g->end[i] = share * dt * g->position[i];
    }
  }
  const double turning = step->is_linear ? elastic + dt * beta : dt * beta;
  if (step->R && !limpet_fem_takes_strain(step) && (!step->is_linear || info->law->rotates))
    rotation_pull(step, turning, z, 0.0, z, g->position);
  limpet_fem_thin_stiffness(step, v, z, g);
  if (g->arm && step->rigid) limpet_fem_rigid_stiffness(step, z, g->arm);
  if (step->is_linear) return;
  limpet_fem_evaluate(step, v, y);  // the points of v again
  limpet_fem_strain_stiffness(step, z, g->position, g->velocity, g->end);
}

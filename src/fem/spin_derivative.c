/* fem/spin_derivative.c: derivatives of limpet_fem_step_keep_spin.
 *
 *   v+ = v + (Q - 1)/a r(v),   r = q' - c',  q' = q + b v0 + a v    a = s dt, b = (1 - s) dt:
 *                                                                   tangent.c
 *   B(q+, v+) = B(q, v0),  q+ = q + b v0 + a v+,  B(x, y) = sum (x - c(x)) x (M y)
 * which says Q. Of what both ends are, (Q - 1) r = a w x (r + Q r)/2 tells w, and that Q = Q(a w/2)
 * of spin.c. With p = dq + b dv0, P x = x less its mean by mass, t_k = e_k x r+, r+ = Q r:
 *   u  = dv + (Q - 1)/a P(p + a dv)                                 what Q makes when it is held
 *   T dw = -[B(p + a u, v+) + B(q+, u) - B(dq, v0) - B(q, dv0)],    dv+ = u + dw x r+
 *   T_k  = a B(t_k, v+) + B(q+, t_k)
 * There are no nodal forces. */
#include <assert.h>
#include <string.h>

#include "fem/spin.h"
#include "fem/tangent.h"
#include "math/lu.h"
#include "math/vec3.h"

// What both directions need.
typedef struct spin_state {
  limpet_fem_step *step;
  const limpet_fem_body *body;
  long n;
  double a, b, w[3], T[9];
  const double *q, *v0, *end;
  double *r, *q_end;  // (n)  r+; positions at the end
  double *scratch, *x;
} spin_state;

// B(x, y)
static void spin(const spin_state *s, const double *x, const double *y, double S[3]) {
  double c[3];
  limpet_fem_centre(s->body, x, c);
  limpet_fem_spin(s->body, x, c, y, s->scratch, S);
}

static void solve_3(const double A[9], bool transposed, double b[3]) {
  double LU[9];
  int pivot[3];
  limpet_mat3_copy(LU, A);
  if (limpet_lu(3, LU, pivot)) return;
  if (transposed) limpet_lu_solve_transposed(3, LU, pivot, b);
  else limpet_lu_solve(3, LU, pivot, b);
}

// x <- x less its mean by mass
static void centre(const limpet_fem_body *body, double *x) {
  double c[3];
  limpet_fem_centre(body, x, c);
  for (long i = 0; i < 3L * body->info.node_count; ++i) x[i] -= c[i % 3];
}

// w, from positions without the turn in s->r, which it changes.
static void find_turn(spin_state *s, const double *v) {
  const double zero[3] = {0.0};
  double I[9];
  for (long i = 0; i < s->n; ++i) s->r[i] = 0.5 * (s->r[i] + s->q_end[i]);
  centre(s->body, s->r);
  for (int k = 0; k < 3; ++k) {
    double unit[3] = {0.0}, inertia[3];
    unit[k] = 1.0;
    limpet_fem_turning(s->body, s->r, zero, unit, s->x);
    spin(s, s->r, s->x, inertia);
    for (int i = 0; i < 3; ++i) I[3 * i + k] = inertia[i];
  }
  for (long i = 0; i < s->n; ++i) s->x[i] = s->end[i] - v[i];
  spin(s, s->r, s->x, s->w);
  solve_3(I, false, s->w);
}

// Uses position, trial, force and direction of the workspace.
static spin_state spin_state_of(limpet_fem_step *step, const double *v, const double *end) {
  const limpet_fem_body *body = step->body;
  const double dt = step->input.dt, share = limpet_fem_share(step), zero[3] = {0.0};
  spin_state s = {.step = step,
                  .body = body,
                  .n = 3L * body->info.node_count,
                  .a = share * dt,
                  .b = (1.0 - share) * dt,
                  .q = step->input.position,
                  .v0 = step->start,
                  .end = end,
                  .r = step->position,
                  .q_end = step->trial,
                  .scratch = step->force,
                  .x = step->direction};
  limpet_fem_step_positions(step, end, s.q_end);
  limpet_fem_step_positions(step, v, s.r);
  find_turn(&s, v);
  memcpy(s.r, s.q_end, (size_t)s.n * sizeof *s.r);
  centre(body, s.r);
  for (int k = 0; k < 3; ++k) {
    double unit[3] = {0.0}, turned[3], moved[3];
    unit[k] = 1.0;
    limpet_fem_turning(body, s.r, zero, unit, s.x);
    spin(&s, s.x, end, moved);
    spin(&s, s.q_end, s.x, turned);
    for (int i = 0; i < 3; ++i) s.T[3 * i + k] = s.a * moved[i] + turned[i];
  }
  return s;
}

// Transposed: x <- x less the share of each node in the sum
static void centre_transposed(const limpet_fem_body *body, double *x) {
  double sum[3] = {0.0};
  const int count = body->info.node_count;
  for (int i = 0; i < count; ++i) limpet_vec3_add(sum, sum, x + 3L * i);
  for (int i = 0; i < count; ++i)
    limpet_vec3_addmul(x + 3L * i, x + 3L * i, -body->node_mass[i] / body->info.mass, sum);
}

static double entry(const double *x, long i) { return x ? x[i] : 0.0; }

void limpet_fem_spin_forward(limpet_fem_step *step, const double *v, const double *end,
                             const double *dq, const double *dv0, double *dv) {
  assert(step && v && end && dv);
  const spin_state s = spin_state_of(step, v, end);
  const double zero[3] = {0.0};
  double *x = s.x, part[3], dw[3];
  for (long i = 0; i < s.n; ++i) x[i] = entry(dq, i) + s.b * entry(dv0, i) + s.a * dv[i];
  centre(s.body, x);
  for (long i = 0; i < s.n; i += 3) {
    double turn[3];
    limpet_fem_turned(s.a, s.w, x + i, turn);
    limpet_vec3_add(dv + i, dv + i, turn);
  }
  for (long i = 0; i < s.n; ++i) x[i] = entry(dq, i) + s.b * entry(dv0, i) + s.a * dv[i];
  spin(&s, x, end, dw);
  spin(&s, s.q_end, dv, part);
  limpet_vec3_add(dw, dw, part);
  if (dq) {
    spin(&s, dq, s.v0, part);
    limpet_vec3_sub(dw, dw, part);
  }
  if (dv0) {
    spin(&s, s.q, dv0, part);
    limpet_vec3_sub(dw, dw, part);
  }
  solve_3(s.T, false, dw);
  limpet_fem_turning(s.body, s.r, zero, dw, x);
  for (long i = 0; i < s.n; ++i) dv[i] -= x[i];
}

// y += scale times the gradient of B(x, v).u by x
static void add_by_position(const spin_state *s, const double *v, const double u[3], double scale,
                            double *y) {
  limpet_fem_body_mass_multiply(s->body, v, s->scratch);
  for (long i = 0; i < s->n; i += 3) limpet_vec3_cross(s->x + i, s->scratch + i, u);
  centre_transposed(s->body, s->x);
  for (long i = 0; i < s->n; ++i) y[i] += scale * s->x[i];
}

// y += scale times the gradient of B(x, v).u by v
static void add_by_velocity(const spin_state *s, const double *x, const double u[3], double scale,
                            double *y) {
  double c[3];
  limpet_fem_centre(s->body, x, c);
  limpet_fem_turning(s->body, x, c, u, s->x);
  limpet_fem_mass_add(s->body, scale, s->x, y);
}

void limpet_fem_spin_adjoint(limpet_fem_step *step, const double *v, const double *end,
                             double *weight, double *by_q, double *by_v0, double *work) {
  assert(step && v && end && weight && by_q && by_v0 && work);
  const spin_state s = spin_state_of(step, v, end);
  double u[3] = {0.0}, *p = work, *z = work + s.n;
  for (long i = 0; i < s.n; i += 3) {
    double torque[3];
    limpet_vec3_cross(torque, s.r + i, weight + i);
    limpet_vec3_add(u, u, torque);
  }
  solve_3(s.T, true, u);

  // of the spin that is kept
  memset(p, 0, (size_t)s.n * sizeof *p);
  add_by_position(&s, end, u, -1.0, p);
  for (long i = 0; i < s.n; ++i) weight[i] += s.a * p[i];
  add_by_velocity(&s, s.q_end, u, -1.0, weight);
  add_by_position(&s, s.v0, u, 1.0, by_q);
  add_by_velocity(&s, s.q, u, 1.0, by_v0);

  // of what Q makes when it is held: its transpose turns back
  double back[3];
  limpet_vec3_scale(back, -1.0, s.w);
  for (long i = 0; i < s.n; i += 3) {
    limpet_fem_turned(s.a, back, weight + i, z + i);
  }
  centre_transposed(s.body, z);
  for (long i = 0; i < s.n; ++i) {
    weight[i] += s.a * z[i];
    p[i] += z[i];
    by_q[i] += p[i];
    by_v0[i] += s.b * p[i];
  }
}

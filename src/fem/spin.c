/* fem/spin.c: angular momentum of a body that nothing holds, kept exactly.
 *
 * The step loses dt/2 sum v+ x M v of it, and laws with the rotations of the start push with a
 * small torque of their own. With c the centre of mass and S = sum (q - c) x M (v - v_c) the spin
 * about it, the end of the step is turned about the centre by a rotation Q so that
 *   S(q', v') = S(q, v) + sum r x (dt F + impulse),   r = q' - c',   q' = c+ + Q (q+ - c+)
 *   v' = v+ + (Q - 1)(q+ - c+)/a,   a = dt/2 (backward Euler: dt), as positions move with a v'
 * Strains stay as they are; v+ + w x (q+ - c+) alone would stretch the body by (a |w|)^2/2, much
 * energy where it is stiff. Momentum stays. Q by Cayley's map of a w/2, w by the inertia
 * sum r x M (w x r) of the first round; it is of the order of dt^2, so three or four rounds, whose
 * rotations follow each other, reach round-off. Gravity has no torque about c. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "fem/spin.h"
#include "math/vec3.h"

enum { ROUNDS = 8, WAY_ROUNDS = 4 };
static const double round_off = 2.2e-16;   // [-]  of the spin that |q| and |v| could have
static const double least_moment = 1e-12;  // [-]  of the largest: below, the body is a line

void limpet_fem_centre(const limpet_fem_body *body, const double *x, double c[3]) {
  limpet_vec3_zero(c);
  for (int i = 0; i < body->info.node_count; ++i)
    limpet_vec3_addmul(c, c, body->node_mass[i] / body->info.mass, x + 3L * i);
}

void limpet_fem_spin(const limpet_fem_body *body, const double *q, const double c[3],
                     const double *v, double *scratch, double S[3]) {
  limpet_fem_body_mass_multiply(body, v, scratch);
  limpet_vec3_zero(S);
  for (int i = 0; i < body->info.node_count; ++i) {
    double r[3], cross[3];
    limpet_vec3_sub(r, q + 3L * i, c);
    limpet_vec3_cross(cross, r, scratch + 3L * i);
    limpet_vec3_add(S, S, cross);
  }
}

void limpet_fem_turning(const limpet_fem_body *body, const double *q, const double c[3],
                        const double w[3], double *x) {
  for (int i = 0; i < body->info.node_count; ++i) {
    double r[3];
    limpet_vec3_sub(r, q + 3L * i, c);
    limpet_vec3_cross(x + 3L * i, w, r);
  }
}

/* (Q - 1) x/a with Q = (1 - [g])^-1 (1 + [g]), g = a w/2, so that (Q - 1) x = [g] (x + Q x):
 *   (w x x + g x (w x x))/(1 + g.g) */
void limpet_fem_turned(double a, const double w[3], const double x[3], double y[3]) {
  double g[3], first[3], second[3];
  limpet_vec3_scale(g, 0.5 * a, w);
  limpet_vec3_cross(first, w, x);
  limpet_vec3_cross(second, g, first);
  limpet_vec3_add(y, first, second);
  limpet_vec3_scale(y, 1.0 / (1.0 + limpet_vec3_dot(g, g)), y);
}

// Torque of nodal forces over the step and of impulses, about c.
static void torque_of(const limpet_fem_step *step, const double *q, const double c[3],
                      const double *impulse, double T[3]) {
  const double dt = step->input.dt, *force = step->input.force;
  limpet_vec3_zero(T);
  for (int i = 0; i < step->body->info.node_count && (force || impulse); ++i) {
    double r[3], push[3] = {0.0, 0.0, 0.0}, cross[3];
    if (force) limpet_vec3_scale(push, dt, force + 3L * i);
    if (impulse) limpet_vec3_add(push, push, impulse + 3L * i);
    limpet_vec3_sub(r, q + 3L * i, c);
    limpet_vec3_cross(cross, r, push);
    limpet_vec3_add(T, T, cross);
  }
}

// Principal moments e (3) [kg m^2] and axes V (9) of the body at q.
static void inertia_of(limpet_fem_step *step, const double *q, const double c[3], double e[3],
                       double V[9]) {
  double I[9];
  for (int k = 0; k < 3; ++k) {
    double unit[3] = {0.0, 0.0, 0.0}, column[3];
    unit[k] = 1.0;
    limpet_fem_turning(step->body, q, c, unit, step->direction);
    limpet_fem_spin(step->body, q, c, step->direction, step->force, column);
    for (int i = 0; i < 3; ++i) I[3 * i + k] = column[i];
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < i; ++j) I[3 * i + j] = I[3 * j + i] = 0.5 * (I[3 * i + j] + I[3 * j + i]);
  limpet_mat3_eigen(I, e, V);
}

bool limpet_fem_step_keep_spin(limpet_fem_step *step, const double *impulse, double *v) {
  assert(step && step->input.position && v);
  if (step->input.fixed_count > 0) return false;
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  const double a = limpet_fem_share(step) * step->input.dt;
  double c[3], start[3], e[3] = {0.0}, V[9] = {0.0}, size = 0.0, before = INFINITY;
  limpet_fem_centre(body, step->input.position, c);
  limpet_fem_spin(body, step->input.position, c, step->start, step->force, start);
  for (long i = 0; i < n; ++i)
    size += fabs(body->node_mass[i / 3]) * (fabs(step->input.position[i]) + fabs(c[i % 3])) *
            (fabs(v[i]) + fabs(step->start[i]));
  double *q = step->position;
  for (int round = 0; round < ROUNDS; ++round) {
    double now[3], gap[3], along[3], w[3];
    limpet_fem_step_positions(step, v, q);
    limpet_fem_centre(body, q, c);
    limpet_fem_spin(body, q, c, v, step->force, now);
    torque_of(step, q, c, impulse, gap);
    for (int i = 0; i < 3; ++i) gap[i] += start[i] - now[i];
    // what is missing is round-off, or falls no more
    const double missing = limpet_vec3_norm(gap);
    if (missing <= round_off * size || !(missing < 0.5 * before)) return true;
    before = missing;
    if (round == 0) inertia_of(step, q, c, e, V);
    if (!(e[2] > least_moment * e[0])) return false;
    limpet_mat3_tmul_vec(along, V, gap);
    for (int i = 0; i < 3; ++i) along[i] /= e[i];
    limpet_mat3_mul_vec(w, V, along);
    for (long i = 0; i < n; i += 3) {
      double r[3], turn[3];
      limpet_vec3_sub(r, q + i, c);
      limpet_fem_turned(a, w, r, turn);
      limpet_vec3_add(v + i, v + i, turn);
    }
  }
  return true;
}

// Of a field d (node_count x 3) of a body at q: its mean, and its rotation w about the centre c.
typedef struct rigid_part {
  double c[3], mean[3], w[3];
} rigid_part;

/* By the masses of nodes alone, which any rigid motion is found exactly by; those of corners of
 * quadratic elements may be negative, and count by their size. False: the body is a line. */
static bool rigid_part_of(const limpet_fem_body *body, const double *q, const double *d,
                          rigid_part *to) {
  const int n = body->info.node_count;
  double mass = 0.0, S[3] = {0.0}, J[9] = {0.0}, e[3], V[9], along[3];
  limpet_vec3_zero(to->c), limpet_vec3_zero(to->mean);
  for (int i = 0; i < n; ++i) {
    const double m = fabs(body->node_mass[i]);
    mass += m;
    limpet_vec3_addmul(to->c, to->c, m, q + 3L * i);
    limpet_vec3_addmul(to->mean, to->mean, m, d + 3L * i);
  }
  limpet_vec3_scale(to->c, 1.0 / mass, to->c);
  limpet_vec3_scale(to->mean, 1.0 / mass, to->mean);
  for (int i = 0; i < n; ++i) {
    const double m = fabs(body->node_mass[i]);
    double r[3], u[3], cross[3];
    limpet_vec3_sub(r, q + 3L * i, to->c);
    limpet_vec3_sub(u, d + 3L * i, to->mean);
    limpet_vec3_cross(cross, r, u);
    limpet_vec3_addmul(S, S, m, cross);
    const double square = limpet_vec3_dot(r, r);
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) J[3 * a + b] += m * ((a == b ? square : 0.0) - r[a] * r[b]);
  }
  limpet_mat3_eigen(J, e, V);
  if (!(e[2] > least_moment * e[0])) return false;
  limpet_mat3_tmul_vec(along, V, S);
  for (int i = 0; i < 3; ++i) along[i] /= e[i];
  limpet_mat3_mul_vec(to->w, V, along);
  return true;
}

bool limpet_fem_rotation_in(const limpet_fem_body *body, const double *q, const double *d,
                            double w[3]) {
  rigid_part part;
  if (!rigid_part_of(body, q, d, &part)) return false;
  limpet_vec3_copy(w, part.w);
  return true;
}

void limpet_fem_step_turn(limpet_fem_step *step, const double *v, const double *d, double share,
                          double *to) {
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  const double a = limpet_fem_share(step) * step->input.dt;
  double *q = step->position, w[3];
  rigid_part part;
  limpet_fem_step_positions(step, v, q);
  if (step->input.fixed_count > 0 || !rigid_part_of(body, q, d, &part)) {
    for (long i = 0; i < n; ++i) to[i] = v[i] + share * d[i];
    return;
  }
  limpet_vec3_scale(w, share, part.w);
  for (long i = 0; i < n; i += 3) {
    double r[3], turn[3], rest[3], turned[3];
    limpet_vec3_sub(r, q + i, part.c);
    limpet_vec3_cross(turn, w, r);
    for (int k = 0; k < 3; ++k) rest[k] = share * (d[i + k] - part.mean[k]) - turn[k];
    limpet_fem_turned(a, w, r, turn);
    limpet_fem_turned(a, w, rest, turned);
    for (int k = 0; k < 3; ++k)
      to[i + k] = v[i + k] + share * part.mean[k] + turn[k] + rest[k] + a * turned[k];
  }
}

// Each round leaves of what is missing the angle of the turn.
void limpet_fem_step_way(limpet_fem_step *step, const double *v, const double *end, double *scratch,
                         double *way) {
  const long n = 3L * step->body->info.node_count;
  for (long i = 0; i < n; ++i) way[i] = end[i] - v[i];
  for (int round = 0; round < WAY_ROUNDS; ++round) {
    limpet_fem_step_turn(step, v, way, 1.0, scratch);
    for (long i = 0; i < n; ++i) way[i] += end[i] - scratch[i];
  }
}

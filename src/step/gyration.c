/* step/gyration.c: rotation of bodies that float alone.
 *
 *   I w' = -w x I w                              body axes, about the centre of mass
 *   I (w1 - w0) = -h g m x I m,  m = (w0 + w1)/2  implicit midpoint, h = dt/n with h |w| <= 1/2
 *   Q = exp(h m),  g = tan(a/2)/(a/2),  a = h |m|  turn of a step
 *   torque = I (w(dt) - w0)/dt + w0 x I w0      added to the torque at the start of the step
 *   w [rad/s] angular velocity, I [kg m^2] inertia
 *
 * The torque at the start of the step alone is an explicit step, and adds energy: a bar thrown with
 * 5 turns a second about its length and 1 across has thirty times its energy after 3 s at 2 ms. The
 * midpoint rule keeps energy and the square of the angular momentum, both quadratic, to round-off.
 * With g, I w1 = (1 + h g [m]/2)^-1 (1 - h g [m]/2) I w0 is Q' I w0: the angular momentum stays
 * where it points, and steady rotation is exact.
 * Bodies with children keep the explicit torque.
 * Source: Hairer, Lubich, Wanner, Geometric Numerical Integration, sections IV.2 and VII.5. */
#include "step/gyration.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/quaternion.h"
#include "model/workspace.h"

enum { SUBSTEP_LIMIT = 64, ITERATION_LIMIT = 12 };

static const double small_step = 1e-8;  // [-]  of w: Newton's steps shrink from here to its square

// Inertia about the centre of mass, body axes, from the mass matrix (6 x 6, linear first) of the
// body: the Schur complement.
static void inertia_of(const double *M, double I[9]) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double coupled = 0.0;
      for (int k = 0; k < 3; ++k) coupled += M[6 * (3 + i) + k] * M[6 * (3 + j) + k] / M[7 * k];
      I[3 * i + j] = M[6 * (3 + i) + 3 + j] - coupled;
    }
}

// x = J^-1 b by Cramer's rule; false when J is singular.
static bool solve(const double J[9], const double b[3], double x[3]) {
  const double determinant = limpet_mat3_determinant(J);
  if (!(fabs(determinant) > 0.0)) return false;
  for (int c = 0; c < 3; ++c) {
    double K[9];
    limpet_mat3_copy(K, J);
    for (int r = 0; r < 3; ++r) K[3 * r + c] = b[r];
    x[c] = limpet_mat3_determinant(K) / determinant;
  }
  return true;
}

// h g and its derivative by m is `slope` m. The slope, for Newton's method, to 1e-4.
static double stretched(double h, const double m[3], double *slope) {
  const double a2 = h * h * limpet_vec3_dot(m, m), half = 0.5 * sqrt(a2);
  *slope = h * h * h * (1.0 / 6.0 + a2 / 30.0);
  return half > 1e-4 ? h * tan(half) / half : h * (1.0 + a2 / 12.0);
}

/* One midpoint step of length h from w to w, by Newton's method; false when it does not converge.
 * The spin of a needle about its length has fewer digits than others: there its steps stay above
 * the round-off of w, and no longer shrink. */
static bool midpoint_step(const double I[9], double h, double w[3]) {
  double start[3], last = INFINITY, scale = limpet_vec3_norm(w);
  limpet_vec3_copy(start, w);
  for (int k = 0; k < ITERATION_LIMIT; ++k) {
    // residual I (w - w0) + h g m x L, L = I m
    double m[3], L[3], change[3], r[3], turn[3], slope;
    for (int i = 0; i < 3; ++i) m[i] = 0.5 * (start[i] + w[i]), change[i] = w[i] - start[i];
    limpet_mat3_mul_vec(L, I, m);
    limpet_mat3_mul_vec(r, I, change);
    limpet_vec3_cross(turn, m, L);
    const double stretch = stretched(h, m, &slope);
    limpet_vec3_addmul(r, r, stretch, turn);

    // derivative I + h g/2 ([m] I - [L]) + m x L (h g)'/2
    const double mx[9] = {0.0, -m[2], m[1], m[2], 0.0, -m[0], -m[1], m[0], 0.0};
    const double Lx[9] = {0.0, -L[2], L[1], L[2], 0.0, -L[0], -L[1], L[0], 0.0};
    double J[9], step[3];
    limpet_mat3_mul(J, mx, I);
    for (int i = 0; i < 9; ++i)
      J[i] = I[i] + 0.5 * (stretch * (J[i] - Lx[i]) + slope * turn[i / 3] * m[i % 3]);
    if (!solve(J, r, step)) return false;
    limpet_vec3_sub(w, w, step);
    const double size = limpet_vec3_norm(step);
    if (size <= 4.0 * DBL_EPSILON * scale || (size <= small_step * scale && size > 0.5 * last))
      return true;
    last = size;
  }
  return false;
}

/* The exact derivative of h g by m over m: that of Newton's method ends at x^4. Below, the series
 * of tan(x)/x, x = a/2, to x^10: 1e-16 at x = 0.1. */
static double stretch_slope(double h, const double m[3]) {
  const double x2 = 0.25 * h * h * limpet_vec3_dot(m, m), x = sqrt(x2), t = tan(x);
  const double by_x2 =
      x < 0.1 ? 1.0 / 3.0 + x2 * (4.0 / 15.0 +
                                  x2 * (17.0 / 105.0 +
                                        x2 * (248.0 / 2835.0 + x2 * (1382.0 / 31185.0 +
                                                                     x2 * (43688.0 / 2027025.0)))))
              : (x * (1.0 + t * t) - t) / (2.0 * x2 * x);
  return 0.5 * h * h * h * by_x2;
}

static void cross_matrix(double M[9], const double x[3]) {
  const double cross[9] = {0.0, -x[2], x[1], x[2], 0.0, -x[0], -x[1], x[0], 0.0};
  limpet_mat3_copy(M, cross);
}

/* change (3 x 3) <- D change, D = dw1/dw0 of a midpoint step from w0 to w1:
 *   (I + T) dw1 = (I - T) dw0,   T = h g/2 ([m] I - [I m]) + (m x I m) (h g)'/2 */
static bool midpoint_change(const double I[9], double h, const double w0[3], const double w1[3],
                            double change[9]) {
  double m[3], L[3], turn[3], mx[9], Lx[9], T[9], J[9], sum[9], unused;
  for (int i = 0; i < 3; ++i) m[i] = 0.5 * (w0[i] + w1[i]);
  limpet_mat3_mul_vec(L, I, m);
  limpet_vec3_cross(turn, m, L);
  cross_matrix(mx, m), cross_matrix(Lx, L);
  limpet_mat3_mul(T, mx, I);
  const double stretch = stretched(h, m, &unused), slope = stretch_slope(h, m);
  for (int i = 0; i < 9; ++i) {
    const double t = 0.5 * (stretch * (T[i] - Lx[i]) + slope * turn[i / 3] * m[i % 3]);
    T[i] = I[i] - t, J[i] = I[i] + t;
  }
  limpet_mat3_mul(sum, T, change);
  for (int k = 0; k < 3; ++k) {
    double column[3] = {sum[k], sum[3 + k], sum[6 + k]}, x[3];
    if (!solve(J, column, x)) return false;
    for (int i = 0; i < 3; ++i) change[3 * i + k] = x[i];
  }
  return true;
}

// turn (3 x 3) <- exp(-d)' turn + T(d) by: of a rotation that exp(d) follows.
static void follow_turn(const double d[3], const double by[9], double turn[9]) {
  // T(d) = 1 - a [d] + b [d]^2, exp(-d) = 1 - c [d] + a [d]^2
  const double p2 = limpet_vec3_dot(d, d), p = sqrt(p2), s = sin(0.5 * p);
  const double c = p < 1e-2 ? 1.0 - p2 / 6.0 * (1.0 - p2 / 20.0) : sin(p) / p;
  const double a = p < 1e-2 ? 0.5 - p2 / 24.0 * (1.0 - p2 / 30.0) : 2.0 * s * s / p2;
  const double b =
      p < 1e-1 ? 1.0 / 6.0 - p2 / 120.0 * (1.0 - p2 / 42.0 * (1.0 - p2 / 72.0 * (1.0 - p2 / 110.0)))
               : (1.0 - c) / p2;
  double dx[9], back[9], right[9], turned[9], added[9];
  cross_matrix(dx, d);
  for (int i = 0; i < 9; ++i) {
    const double unit = i % 4 == 0, square = d[i / 3] * d[i % 3] - unit * p2;
    back[i] = unit - c * dx[i] + a * square;
    right[i] = unit - a * dx[i] + b * square;
  }
  limpet_mat3_mul(turned, back, turn);
  limpet_mat3_mul(added, right, by);
  for (int i = 0; i < 9; ++i) turn[i] = turned[i] + added[i];
}

static void turn_steadily(const double w[3], double dt, double turn[4]) {
  limpet_quaternion_identity(turn);
  limpet_quaternion_integrate(turn, w, dt);
}

int limpet_gyration_count(double dt, const double w[3]) {
  const double turns = ceil(2.0 * dt * limpet_vec3_norm(w));
  return !(turns <= SUBSTEP_LIMIT) ? 0 : turns > 1.0 ? (int)turns : 1;
}

int limpet_gyration_parts(const limpet_data *data, int tree, limpet_gyration_stage stage, double dt,
                          const double w[3]) {
  const limpet_workspace *workspace = data->workspace;
  int *parts = workspace->turn_parts + 2 * tree + stage;
  const int count = workspace->holds_rules ? *parts : limpet_gyration_count(dt, w);
  if (workspace->keeps_parts) return count > 0 && *parts > count ? *parts : count;
  return *parts = count;
}

// Where it cannot be told, w stays.
void limpet_gyration_turn(const double I[9], double dt, int count, double w[3], double turn[4]) {
  double start[3];
  limpet_vec3_copy(start, w);
  if (turn) limpet_quaternion_identity(turn);
  for (int i = 0; i < count; ++i) {
    double mean[3];
    limpet_vec3_copy(mean, w);
    if (!midpoint_step(I, dt / count, w)) break;
    limpet_vec3_add(mean, mean, w);
    if (turn) limpet_quaternion_integrate(turn, mean, 0.5 * dt / count);
    if (i + 1 == count) return;
  }
  limpet_vec3_copy(w, start);
  if (turn) turn_steadily(w, dt, turn);
}

bool limpet_gyration_turn_change(const double I[9], double dt, int count, double w[3],
                                 double turn[4], double w_by_w[9], double turn_by_w[9]) {
  const double h = dt / count;
  double now[3], by[9], whole[9], total[4];
  limpet_vec3_copy(now, w);
  limpet_mat3_identity(by);
  memset(whole, 0, sizeof whole);
  limpet_quaternion_identity(total);
  for (int i = 0; i < count; ++i) {
    double start[3], way[3], mean[9];
    limpet_vec3_copy(start, now);
    memcpy(mean, by, sizeof mean);
    if (!midpoint_step(I, h, now) || !midpoint_change(I, h, start, now, by)) return false;
    for (int k = 0; k < 9; ++k) mean[k] = 0.5 * h * (mean[k] + by[k]);
    limpet_vec3_add(way, start, now);
    limpet_quaternion_integrate(total, way, 0.5 * h);
    limpet_vec3_scale(way, 0.5 * h, way);
    follow_turn(way, mean, whole);
  }
  if (count == 0) return false;
  limpet_vec3_copy(w, now);
  limpet_quaternion_copy(turn, total);
  memcpy(w_by_w, by, sizeof by), memcpy(turn_by_w, whole, sizeof whole);
  return true;
}

// I w, and whether w turns as it is: spheres and cubes have no gyroscopic torque, up to round-off.
static bool is_steady(const double I[9], const double w[3], double L[3], double torque[3]) {
  limpet_mat3_mul_vec(L, I, w);
  limpet_vec3_cross(torque, w, L);
  return limpet_vec3_norm(torque) <= 1e-14 * limpet_vec3_norm(w) * limpet_vec3_norm(L);
}

void limpet_gyration_turn_body(const double I[9], double dt, int count, double w[3],
                               double turn[4]) {
  double L[3], torque[3];
  if (is_steady(I, w, L, torque)) turn_steadily(w, dt, turn);
  else limpet_gyration_turn(I, dt, count, w, turn);
}

/* Mean gyroscopic torque of a body in the next dt without torques, less that at the start, which is
 * part of data->bias. */
static void torque_of_body(const limpet_model *model, const limpet_data *data, int tree, double dt,
                           double torque[3]) {
  double I[9], L[3], w[3], change[3];
  const double *start = data->v + model->tree_dof[tree] + 3;
  inertia_of(data->mass_matrix + model->tree_mass[tree], I);
  if (is_steady(I, start, L, torque)) {
    limpet_vec3_zero(torque);
    return;
  }
  limpet_vec3_copy(w, start);
  const int count = limpet_gyration_parts(data, tree, LIMPET_GYRATION_FREE, dt, w);
  limpet_gyration_turn(I, dt, count, w, NULL);
  limpet_vec3_sub(change, w, start);
  limpet_mat3_mul_vec(L, I, change);
  limpet_vec3_addmul(torque, torque, 1.0 / dt, L);
}

void limpet_gyration_add(const limpet_model *model, const limpet_data *data, limpet_trees trees,
                         double dt, double *force) {
  for (int i = 0; i < trees.count; ++i) {
    const int t = limpet_trees_at(trees, i);
    if (!limpet_tree_is_free_body(model, t)) continue;
    double torque[3], *to = force + model->tree_dof[t] + 3;
    torque_of_body(model, data, t, dt, torque);
    limpet_vec3_add(to, to, torque);
  }
}

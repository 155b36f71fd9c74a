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

#include "math/quaternion.h"

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

static void turn_steadily(const double w[3], double dt, double turn[4]) {
  limpet_quaternion_identity(turn);
  limpet_quaternion_integrate(turn, w, dt);
}

// Where it cannot be told, w stays.
void limpet_gyration_turn(const double I[9], double dt, double w[3], double turn[4]) {
  double start[3];
  limpet_vec3_copy(start, w);
  const double turns = ceil(2.0 * dt * limpet_vec3_norm(w));
  const int count = !(turns <= SUBSTEP_LIMIT) ? 0 : turns > 1.0 ? (int)turns : 1;
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

bool limpet_gyration_turns(const limpet_model *model, int tree) {
  return model->tree_body_count[tree] == 1 &&
         model->joint_kind[model->dof_joint[model->tree_dof[tree]]] == LIMPET_JOINT_FREE;
}

// I w, and whether w turns as it is: spheres and cubes have no gyroscopic torque, up to round-off.
static bool is_steady(const double I[9], const double w[3], double L[3], double torque[3]) {
  limpet_mat3_mul_vec(L, I, w);
  limpet_vec3_cross(torque, w, L);
  return limpet_vec3_norm(torque) <= 1e-14 * limpet_vec3_norm(w) * limpet_vec3_norm(L);
}

void limpet_gyration_turn_body(const double I[9], double dt, double w[3], double turn[4]) {
  double L[3], torque[3];
  if (is_steady(I, w, L, torque)) turn_steadily(w, dt, turn);
  else limpet_gyration_turn(I, dt, w, turn);
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
  limpet_gyration_turn(I, dt, w, NULL);
  limpet_vec3_sub(change, w, start);
  limpet_mat3_mul_vec(L, I, change);
  limpet_vec3_addmul(torque, torque, 1.0 / dt, L);
}

void limpet_gyration_add(const limpet_model *model, const limpet_data *data, limpet_trees trees,
                         double dt, double *force) {
  for (int i = 0; i < trees.count; ++i) {
    const int t = limpet_trees_at(trees, i);
    if (!limpet_gyration_turns(model, t)) continue;
    double torque[3], *to = force + model->tree_dof[t] + 3;
    torque_of_body(model, data, t, dt, torque);
    limpet_vec3_add(to, to, torque);
  }
}

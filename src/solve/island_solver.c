/* solve/island_solver.c: cost, gradient and line search of one island.
 *
 *   f(v) = 1/2 (v - v*)' A (v - v*) + sum l(W V(v)) + sum r(a v)
 *   g    = A (v - v*) - J' gamma
 *   ray  f'(alpha) = g_A + alpha c_A - sum gamma . dv_c - sum gamma du          with W V, a v, A d
 *        computed once per ray
 *   residual ||D g||, scale max(||D A v||, ||D J' gamma||), D = diag(A)^-1/2      (Castro et al.,
 *     Unconstrained convex
 *     formulation, VI-C)
 *
 * Velocities and forces of a patch's contacts pass through its 6-vector, so a contact costs 18
 * multiply-adds and a patch 6 per column. */
#include "solve/island_solver.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/spatial.h"

enum { SMALL_BLOCK = 12 };  // rows up to which a call of a kernel costs more than it saves

// y = A x over the trees of the island, by rows of the symmetric blocks.
static void momentum_of(const limpet_island_solver *s, const double *x, double *y) {
  const limpet_contact_problem *p = s->problem;
  memset(y, 0, (size_t)s->n * sizeof *y);
  for (int i = 0; i < s->island->tree_count; ++i) {
    const int tree = p->island_tree[s->island->tree + i], n = p->tree_dof_count[tree];
    const double *A = p->A + p->tree_matrix[tree], *u = x + p->tree_offset[tree];
    double *w = y + p->tree_offset[tree];
    if (n > SMALL_BLOCK) {
      for (int c = 0; c < n; ++c) limpet_axpy(n, u[c], A + c * n, w);
      continue;
    }
    for (int c = 0; c < n; ++c)
      for (int r = 0; r < n; ++r) w[r] += u[c] * A[c * n + r];
  }
}

// Velocities of contacts and rows for the generalised velocity x.
static void contact_velocities(const limpet_island_solver *s, const double *x, double *contact_v,
                               double *row_u) {
  const limpet_contact_problem *p = s->problem;
  const limpet_island *island = s->island;
  for (int i = 0; i < island->patch_count; ++i) {
    const limpet_patch *patch = &p->patch[island->patch + i];

    // V = sum column v
    double V[6] = {0};
    for (int k = 0; k < patch->side_count; ++k) {
      const limpet_patch_side *side = &patch->side[k];
      for (int c = 0; c < side->count; ++c)
        limpet_spatial_addmul(V, x[side->dof[c]], side->column + 6 * c);
    }

    // v_c = W V
    const double *W = p->contact_row + 18 * patch->contact;
    double *v = contact_v + 3 * (patch->contact - island->contact);
    for (int c = 0; c < 3 * patch->contact_count; ++c) v[c] = limpet_spatial_dot(W + 6 * c, V);
  }
  for (int i = 0; i < island->row_count; ++i) {
    const limpet_constraint_row *row = &p->row[island->row + i];
    double u = 0.0;
    for (int e = row->entry; e < row->entry + row->entry_count; ++e)
      u += p->entry_value[e] * x[p->entry_dof[e]];
    row_u[i] = u;
  }
}

// impulse = J' gamma.
static void joint_impulse(limpet_island_solver *s) {
  const limpet_contact_problem *p = s->problem;
  const limpet_island *island = s->island;
  memset(s->impulse, 0, (size_t)s->n * sizeof *s->impulse);
  for (int i = 0; i < island->patch_count; ++i) {
    const limpet_patch *patch = &p->patch[island->patch + i];
    const double *W = p->contact_row + 18 * patch->contact;
    const double *gamma = s->contact_gamma + 3 * (patch->contact - island->contact);
    double F[6] = {0};
    for (int c = 0; c < 3 * patch->contact_count; ++c)
      limpet_spatial_addmul(F, gamma[c], W + 6 * c);
    for (int k = 0; k < patch->side_count; ++k) {
      const limpet_patch_side *side = &patch->side[k];
      for (int c = 0; c < side->count; ++c)
        s->impulse[side->dof[c]] += limpet_spatial_dot(side->column + 6 * c, F);
    }
  }
  for (int i = 0; i < island->row_count; ++i) {
    const limpet_constraint_row *row = &p->row[island->row + i];
    for (int e = row->entry; e < row->entry + row->entry_count; ++e)
      s->impulse[p->entry_dof[e]] += p->entry_value[e] * s->row_gamma[i];
  }
}

// Impulse of a row and its cost: 1/2 R gamma^2 between the bounds, linear beyond.
static double row_evaluate(const limpet_constraint_row *row, double u, double *gamma) {
  const double y = (row->v_hat - u) * row->R_inverse;
  *gamma = y < row->lower ? row->lower : y > row->upper ? row->upper : y;
  return (*gamma * y - 0.5 * *gamma * *gamma) / row->R_inverse;
}

static void add_bias(limpet_island_solver *s) {
  const double *bias = s->problem->contact_bias + 2 * s->island->contact;
  for (int i = 0; i < s->island->contact_count; ++i)
    for (int k = 0; k < 2; ++k) s->contact_v[3 * i + k] += bias[2 * i + k];
}

// Cost and gradient from difference, A_difference and the velocities of contacts and rows.
static double cost_and_gradient(limpet_island_solver *s, double *gradient) {
  const limpet_contact_problem *p = s->problem;
  const limpet_island *island = s->island;
  double cost = 0.5 * limpet_dot(s->n, s->difference, s->A_difference);
  if (island->contact_count)
    cost += p->model->evaluate(s->constants, island->contact_count, s->contact_v, s->contact_gamma);
  for (int i = 0; i < island->row_count; ++i)
    cost += row_evaluate(&p->row[island->row + i], s->row_u[i], &s->row_gamma[i]);
  joint_impulse(s);
  for (int i = 0; i < s->n; ++i) gradient[i] = s->A_difference[i] - s->impulse[i];
  return cost;
}

double limpet_island_evaluate(void *context, const double *x, double *gradient) {
  limpet_island_solver *s = context;
  for (int i = 0; i < s->n; ++i) s->difference[i] = x[i] - s->v_free[i];
  momentum_of(s, s->difference, s->A_difference);
  contact_velocities(s, x, s->contact_v, s->row_u);
  if (s->problem->contact_bias) add_bias(s);
  return cost_and_gradient(s, gradient);
}

double limpet_island_advance(void *context, double alpha, const double *x, double *gradient) {
  limpet_island_solver *s = context;
  const limpet_contact_problem *p = s->problem;
  const limpet_island *island = s->island;

  // the dual of friction moves with the whole Newton step, velocities and momenta by the part that
  // was taken
  if (p->model->dual_step)
    p->model->dual_step(s->constants, island->contact_count, s->contact_v, s->contact_dv,
                        s->contact_dual);
  limpet_axpy(3 * island->contact_count, alpha, s->contact_dv, s->contact_v);
  limpet_axpy(island->row_count, alpha, s->row_du, s->row_u);
  limpet_axpy(s->n, alpha, s->A_direction, s->A_difference);
  for (int i = 0; i < s->n; ++i) s->difference[i] = x[i] - s->v_free[i];
  return cost_and_gradient(s, gradient);
}

void limpet_island_measure(void *context, const double *x, const double *gradient,
                           limpet_newton_measure *measure) {
  const limpet_island_solver *s = context;
  const limpet_island *island = s->island;
  double residual = 0.0, momentum = 0.0, impulse = 0.0, size = 0.0;
  for (int i = 0; i < s->n; ++i) {
    const double d = s->scale[i], A_v = s->A_difference[i] + s->momentum[i];
    residual += d * d * gradient[i] * gradient[i];
    momentum += d * d * A_v * A_v;
    impulse += d * d * s->impulse[i] * s->impulse[i];
    size += x[i] * x[i] / (d * d);
  }

  /* round-off of the terms: a contact's impulse carries that of v_c, multiplied by its stiffness,
   * and acts on the residual with the root of its Delassus number; rows likewise */
  double stiff = 0.0;
  for (int i = 0; i < island->contact_count; ++i) {
    const limpet_contact_constants *constants = &s->constants[i];
    const double *v = s->contact_v + 3 * i;
    const double speed =
        fabs(v[0]) + fabs(v[1]) + fabs(v[2]) +
        fabs(constants->elastic_force) / (constants->dt * constants->stiffness + 1e-300);
    const double e = constants->dt * constants->dt * constants->stiffness * speed *
                     (1.0 + constants->dissipation * fabs(v[2]));
    stiff += constants->delassus * e * e;
  }
  measure->residual = sqrt(residual);
  measure->scale = sqrt(fmax(momentum, impulse));
  measure->floor = 4.4e-16 * (sqrt(momentum) + sqrt(impulse) + sqrt(stiff));
  measure->step = sqrt(size);
}

double limpet_island_ray(void *context, const double *x, const double *direction) {
  limpet_island_solver *s = context;
  (void)x;
  momentum_of(s, direction, s->A_direction);
  s->slope_0 = limpet_dot(s->n, direction, s->A_difference);
  s->curvature_0 = limpet_dot(s->n, direction, s->A_direction);
  contact_velocities(s, direction, s->contact_dv, s->row_du);
  double size = 0.0;
  for (int i = 0; i < s->n; ++i) size += direction[i] * direction[i] / (s->scale[i] * s->scale[i]);
  return sqrt(size);
}

void limpet_island_along(void *context, double alpha, double *slope, double *curvature) {
  const limpet_island_solver *s = context;
  const limpet_contact_problem *p = s->problem;
  const limpet_island *island = s->island;
  double first = s->slope_0 + alpha * s->curvature_0, second = s->curvature_0;
  if (island->contact_count)
    limpet_contact_model_along(p->model, s->constants, island->contact_count, s->contact_v,
                               s->contact_dv, alpha, &first, &second);
  for (int i = 0; i < island->row_count; ++i) {
    const limpet_constraint_row *row = &p->row[island->row + i];
    const double y = (row->v_hat - s->row_u[i] - alpha * s->row_du[i]) * row->R_inverse;
    if (y < row->lower) first -= row->lower * s->row_du[i];
    else if (y > row->upper) first -= row->upper * s->row_du[i];
    else first -= y * s->row_du[i], second += row->R_inverse * s->row_du[i] * s->row_du[i];
  }
  *slope = first;
  *curvature = second;
}

/* solve/island_solver.c: cost, gradient and line search of one island.
 *
 *   f(v)      = 1/2 (v - v*)' A (v - v*) + sum l(W V(v)) + sum r(a v)
 *   g         = A (v - v*) - J' gamma
 *   ray       f'(alpha) = g_A + alpha c_A - sum gamma . dv_c - sum gamma du
 *             W V, a v and A d are computed once per ray
 *   residual  ||D g||,  scale max(||D A v||, ||D J' gamma||),  D = diag(A)^-1/2
 *             of coupled models the momentum ||D A v|| counts no more than 30 ||D A (v - v*)||, or
 *             1e-3 times itself where that is more; with deformable bodies 1 and 1e-4 times: what
 *             all of the world moves with is no reason to solve it less, and short steps have
 *             accelerations that are as true as those of long ones
 * Reference: Castro et al., An unconstrained convex formulation of compliant contact, VI-C. */
#include "solve/island_solver.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/extremes.h"
#include "math/pairs.h"
#include "solve/island.h"
#include "solve/island_jacobian.h"
#include "solve/row.h"

static const double round_off = 4.4e-16;  // [-]  of each term of the residual: two units of doubles
// [-]  of the slip of stiction: a residual of 1e-6 of that moves contacts by a thousandth of it
static const double noticed = 1e3;

static void add_bias(limpet_island_solver *s) {
  const double *bias = s->problem->contact_bias + LIMPET_CONTACT_BIAS * s->island->contact;
  for (int i = 0; i < s->island->contact_count; ++i)
    for (int k = 0; k < 2; ++k) s->contact_v[3 * i + k] += bias[LIMPET_CONTACT_BIAS * i + k];
}

double limpet_island_laws(limpet_island_solver *s) {
  const limpet_island *island = s->island;
  double cost = 0.5 * limpet_dot(s->n, s->difference, s->A_difference);
  if (island->contact_count)
    cost += s->model->evaluate(s->constants, island->contact_count, s->contact_v, s->contact_gamma);
  for (int i = 0; i < island->row_count; ++i)
    cost += limpet_row_cost(&s->problem->row[island->row + i], s->row_u[i]);
  limpet_island_rows_evaluate(s);
  return cost + limpet_island_spins_evaluate(s);
}

void limpet_island_rows_evaluate(limpet_island_solver *s) {
  for (int i = 0; i < s->island->row_count; ++i)
    s->row_gamma[i] = limpet_row_impulse(&s->problem->row[s->island->row + i], s->row_u[i]);
}

void limpet_island_push(limpet_island_solver *s, double *gradient) {
  limpet_island_solver_impulse(s, s->contact_gamma, s->row_gamma, s->impulse);
  limpet_island_spins_impulse(s, s->impulse);
  for (int i = 0; i < s->n; ++i) gradient[i] = s->A_difference[i] - s->impulse[i];
}

double limpet_island_cost(limpet_island_solver *s, double *gradient) {
  const double cost = limpet_island_laws(s);
  limpet_island_push(s, gradient);
  return cost;
}

void limpet_island_place(limpet_island_solver *s, const double *x) {
  for (int i = 0; i < s->n; ++i) s->difference[i] = x[i] - s->v_free[i];
  limpet_island_momentum(s->problem, s->island, s->difference, s->A_difference);
  limpet_island_solver_speeds(s, x, s->contact_v, s->row_u);
  if (s->problem->contact_bias) add_bias(s);
  limpet_island_spins_rates(s, x);
}

double limpet_island_evaluate(void *context, const double *x, double *gradient) {
  limpet_island_place(context, x);
  return limpet_island_cost(context, gradient);
}

void limpet_island_state_keep(limpet_island_solver *s) {
  memcpy(s->kept_state, s->x, s->state_size * sizeof *s->x);
}

void limpet_island_state_restore(limpet_island_solver *s) {
  memcpy(s->x, s->kept_state, s->state_size * sizeof *s->x);
  if (s->spins.count > 0) limpet_island_spins_rates(s, s->x);
}

void limpet_island_move(limpet_island_solver *s, double alpha, const double *x) {
  limpet_axpy(3 * s->island->contact_count, alpha, s->contact_dv, s->contact_v);
  limpet_axpy(s->island->row_count, alpha, s->row_du, s->row_u);
  limpet_island_spins_move(s, alpha);
  limpet_axpy(s->n, alpha, s->A_direction, s->A_difference);
  for (int i = 0; i < s->n; ++i) s->difference[i] = x[i] - s->v_free[i];
}

double limpet_island_advance(void *context, double alpha, const double *x, double *gradient) {
  limpet_island_solver *s = context;
  const limpet_island *island = s->island;

  // the dual of friction moves with the whole Newton step, velocities and momenta by the part that
  // was taken
  if (s->model->dual_step)
    s->model->dual_step(s->constants, island->contact_count, s->contact_v, s->contact_dv,
                        s->contact_dual);
  limpet_island_spins_dual_step(s, s->spins.w);
  limpet_island_move(s, alpha, x);
  return limpet_island_cost(s, gradient);
}

// Two numbers at a time, which every 64-bit processor can do.
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

static pair pair_at(const double *values, int i) { return *(const pair *)(values + i); }

// Squares of D gradient, D A v, D J' gamma and D^-1 x, summed even and odd places apart.
static void sum_squares(const limpet_island_solver *s, const double *x, const double *gradient,
                        double sum[4]) {
  pair all[4] = {{0.0}};
  int i = 0;
  for (; i + 1 < s->n; i += 2) {
    const pair d = pair_at(s->scale, i), weight = d * d, speed = pair_at(x, i),
               g = pair_at(gradient, i), push = pair_at(s->impulse, i),
               A_v = pair_at(s->A_difference, i) + pair_at(s->momentum, i);
    all[0] += weight * g * g;
    all[1] += weight * A_v * A_v;
    all[2] += weight * push * push;
    all[3] += speed * speed / weight;
  }
  for (int k = 0; k < 4; ++k) sum[k] = all[k][0] + all[k][1];
  if (i == s->n) return;
  const double weight = s->scale[i] * s->scale[i], A_v = s->A_difference[i] + s->momentum[i];
  sum[0] += weight * gradient[i] * gradient[i];
  sum[1] += weight * A_v * A_v;
  sum[2] += weight * s->impulse[i] * s->impulse[i];
  sum[3] += x[i] * x[i] / weight;
}

// Square of D A (v - v*).
static double change_square(const limpet_island_solver *s) {
  double change = 0.0;
  for (int i = 0; i < s->n; ++i)
    change += s->scale[i] * s->scale[i] * s->A_difference[i] * s->A_difference[i];
  return change;
}

// Shares of the change ||D A (v - v*)|| and of the momentum that the momentum counts in the scale:
// see the head.
typedef struct momentum_shares {
  double changed, moved;  // [-]
} momentum_shares;
static const momentum_shares of_rigid = {30.0, 1e-3}, of_soft = {1.0, 1e-4};

// Square of what counts of the momentum, from the square of all of it.
static double counted_square(const limpet_island_solver *s, double momentum) {
  if (!s->soft && !s->model->coupled) return momentum;
  const momentum_shares share = s->soft ? of_soft : of_rigid;
  return fmin(momentum, fmax(share.changed * share.changed * change_square(s),
                             share.moved * share.moved * momentum));
}

// Square of the terms whose round-off the impulses of rows carry, as they act on the residual.
static double row_terms(const limpet_island_solver *s, const double *x) {
  const limpet_contact_problem *p = s->problem;
  double sum = 0.0;
  for (int i = 0; i < s->island->row_count; ++i) {
    const limpet_constraint_row *row = &p->row[s->island->row + i];
    double speed = fabs(row->v_hat);
    for (int k = row->entry; k < row->entry + row->entry_count; ++k)
      speed += fabs(p->entry_value[k] * x[p->entry_dof[k]]);
    // what does not push, or by round-off alone
    if (s->row_gamma[i] == 0.0 && fabs(row->v_hat - s->row_u[i]) > 8.0 * round_off * speed)
      continue;
    const double e = row->R_inverse * speed;
    for (int k = row->entry; k < row->entry + row->entry_count; ++k) {
      const double part = s->scale[p->entry_dof[k]] * p->entry_value[k] * e;
      sum += part * part;
    }
  }
  return sum;
}

void limpet_island_measure(void *context, const double *x, const double *gradient,
                           limpet_newton_measure *measure) {
  const limpet_island_solver *s = context;
  const limpet_island *island = s->island;
  double squares[4];
  sum_squares(s, x, gradient, squares);
  const double momentum = squares[1], impulse = squares[2];

  /* round-off of the terms: a contact's impulse carries that of v_c, multiplied by its stiffness,
   * and acts on the residual with the root of its Delassus number. What is wedged bears kilonewtons
   * that move nothing: its momenta are round-off, and count as those of a contact's mass at
   * `noticed` times the slip of stiction */
  double stiff = 0.0, creep2 = INFINITY;
  for (int i = 0; i < island->contact_count; ++i) {
    const limpet_contact_constants *constants = &s->constants[i];
    const double *v = s->contact_v + 3 * i;
    const double dt = constants->dt, eps = constants->compliant.slip_speed;
    const double speed = fabs(v[0]) + fabs(v[1]) + fabs(v[2]);
    const double e = dt * (dt * constants->stiffness * speed + fabs(constants->elastic_force)) *
                     (1.0 + constants->dissipation * fabs(v[2]));
    stiff += constants->delassus * e * e;
    creep2 = limpet_min(eps * eps / constants->delassus, creep2);
  }
  measure->residual = sqrt(squares[0]);
  measure->scale = sqrt(fmax(counted_square(s, momentum), impulse));
  measure->floor =
      round_off * (sqrt(momentum) + sqrt(impulse) + sqrt(stiff) + sqrt(row_terms(s, x)));
  measure->least_scale = isfinite(creep2) ? noticed * sqrt(creep2) : 0.0;
  // what round-off leaves is met as published models meet it
  if (s->model->coupled)
    measure->least_scale = fmax(measure->least_scale, sqrt(fmax(momentum, impulse)));
  measure->step = sqrt(squares[3]);
}

double limpet_island_start_bound(const limpet_island_solver *s,
                                 const limpet_newton_measure *measure, double tolerance) {
  return fmax(tolerance * fmin(measure->scale, sqrt(change_square(s))), measure->floor);
}

bool limpet_island_blocks_met(const limpet_island_solver *s, const double *gradient, double share,
                              double tolerance) {
  for (int b = 0; b < s->island->block_count; ++b) {
    const limpet_block *block = limpet_island_block(s->problem, s->island, b);
    double residual = 0.0, change = 0.0, impulse = 0.0, momentum = 0.0;
    for (int i = block->offset; i < block->offset + block->size && !block->still; ++i) {
      const double weight = s->scale[i] * s->scale[i], A_v = s->A_difference[i] + s->momentum[i];
      residual += weight * gradient[i] * gradient[i];
      change += weight * s->A_difference[i] * s->A_difference[i];
      impulse += weight * s->impulse[i] * s->impulse[i];
      momentum += weight * A_v * A_v;
    }
    if (residual >
        limpet_max(share * share * limpet_max(change, impulse), tolerance * tolerance * momentum))
      return false;
  }
  return true;
}

// [-]  of a tree's velocities and their changes: what a joint may be off, however slow it is itself
static const double unseen = 1e-4;

// How many velocities of a block from i on are of one kind: three turns or shifts, or one.
static int alike(const limpet_block *block, int i) {
  int count = 1;
  while (count < 3 && i + count < block->size && block->joint[i + count] == block->joint[i])
    ++count;
  return count;
}

static bool block_joints_met(const limpet_island_solver *s, const limpet_block *block,
                             const double *off, double share) {
  const double *v = s->x + block->offset, *change = s->difference + block->offset;
  const double least =
      unseen * unseen *
      (limpet_pairs_square(block->size, v) + limpet_pairs_square(block->size, change));
  if (limpet_pairs_square(block->size, off) <= least) return true;
  for (int i = 0, end; i < block->size; i = end) {
    end = i + alike(block, i);
    double miss = 0.0, has = 0.0, changes = 0.0;
    for (int k = i; k < end; ++k) {
      miss += off[k] * off[k];
      has += v[k] * v[k];
      changes += change[k] * change[k];
    }
    if (miss > limpet_max(least, share * share * limpet_max(has, changes))) return false;
  }
  return true;
}

bool limpet_island_joints_met(const limpet_island_solver *s, const double *gradient, double share,
                              double *work) {
  for (int b = 0; b < s->island->block_count; ++b) {
    const limpet_block *block = limpet_island_block(s->problem, s->island, b);
    if (!block->factor || block->still) continue;
    memcpy(work, gradient + block->offset, (size_t)block->size * sizeof *work);
    limpet_positive_again(block->size, block->factor, work);
    if (!block_joints_met(s, block, work, share)) return false;
  }
  return true;
}

static double ray(void *context, const double *x, const double *direction) {
  limpet_island_solver *s = context;
  (void)x;
  limpet_island_solver_speeds(s, direction, s->contact_dv, s->row_du);
  return limpet_island_ray_given(s, direction);
}

limpet_newton_problem limpet_island_newton(limpet_island_solver *s) {
  return (limpet_newton_problem){.n = s->n,
                                 .context = s,
                                 .evaluate = limpet_island_evaluate,
                                 .measure = limpet_island_measure,
                                 .direction = limpet_island_direction,
                                 .ray = ray,
                                 .advance = limpet_island_advance,
                                 .along = limpet_island_along};
}

double limpet_island_ray_given(limpet_island_solver *s, const double *direction) {
  limpet_island_momentum(s->problem, s->island, direction, s->A_direction);
  s->slope_0 = limpet_dot(s->n, direction, s->A_difference);
  s->curvature_0 = limpet_dot(s->n, direction, s->A_direction);
  limpet_island_spins_speeds(s, direction, s->spins.dw);
  double size = 0.0;
  for (int i = 0; i < s->n; ++i) size += direction[i] * direction[i] / (s->scale[i] * s->scale[i]);
  return sqrt(size);
}

void limpet_island_along(void *context, double alpha, double *slope, double *curvature) {
  const limpet_island_solver *s = context;
  const limpet_island *island = s->island;
  double first = s->slope_0 + alpha * s->curvature_0, second = s->curvature_0;
  if (island->contact_count)
    limpet_compliant_model_along(s->model, s->constants, island->contact_count, s->contact_v,
                                 s->contact_dv, alpha, &first, &second);
  for (int i = 0; i < island->row_count; ++i) {
    const limpet_constraint_row *row = &s->problem->row[island->row + i];
    const double du = s->row_du[i], y = (row->v_hat - s->row_u[i] - alpha * du) * row->R_inverse;
    first -= limpet_row_clamp(row, y) * du;
    second += limpet_row_curvature(row, y) * du * du;
  }
  limpet_island_spins_along(s, alpha, &first, &second);
  *slope = first;
  *curvature = second;
}

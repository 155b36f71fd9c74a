/* solve/island_solver.c: cost, gradient and line search of one island.
 *
 *   f(v)      = 1/2 (v - v*)' A (v - v*) + sum l(W V(v)) + sum r(a v)
 *   g         = A (v - v*) - J' gamma
 *   ray       f'(alpha) = g_A + alpha c_A - sum gamma . dv_c - sum gamma du
 *             W V, a v and A d are computed once per ray
 *   residual  ||D g||,  scale max(||D A v||, ||D J' gamma||),  D = diag(A)^-1/2
 *             with deformable bodies max(||D A (v - v*)||, ||D J' gamma||), or `moved` times that
 *             where it is more: what all of the world moves with is no reason to solve it less
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
static const double moved = 1e-4;  // [-]  share of the momentum that counts with soft bodies

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
  const limpet_constraint_row *row = s->problem->row + island->row;
  for (int i = 0; i < island->row_count; ++i, ++row) {
    const double y = limpet_row_wanted(row, s->row_u[i]), gamma = limpet_row_clamp(row, y);
    cost += limpet_row_cost(row, y, gamma);
    s->row_gamma[i] = gamma;
  }
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

/* What a unit of round-off means in contacts, squared: an impulse carries that of v_c, multiplied
 * by its stiffness, and acts on the residual with the root of its Delassus number. `slips`: that of
 * the slip reaches the normal speed, as a sum of the same velocities; not where that was moved to
 * where it is by its own changes. */
static inline double stiff_square(const limpet_island_solver *s, bool slips) {
  double stiff = 0.0;
  for (int i = 0; i < s->island->contact_count; ++i) {
    const limpet_contact_constants *constants = &s->constants[i];
    const double *v = s->contact_v + 3 * i;
    const double dt = constants->dt;
    const double speed = slips ? fabs(v[0]) + fabs(v[1]) + fabs(v[2]) : fabs(v[2]);
    const double e = dt * (dt * constants->stiffness * speed + fabs(constants->elastic_force)) *
                     (1.0 + constants->dissipation * fabs(v[2]));
    stiff += constants->delassus * e * e;
  }
  return stiff;
}

void limpet_island_measure(void *context, const double *x, const double *gradient,
                           limpet_newton_measure *measure) {
  const limpet_island_solver *s = context;
  double squares[4];
  sum_squares(s, x, gradient, squares);
  const double momentum = squares[1], impulse = squares[2];

  /* round-off of the terms. What is wedged bears kilonewtons that move nothing: its momenta are
   * round-off, and count as those of a contact's mass at `noticed` times the slip of stiction */
  const double stiff = stiff_square(s, true);
  measure->residual = sqrt(squares[0]);
  const double counted = s->soft ? fmax(change_square(s), moved * moved * momentum) : momentum;
  measure->scale = sqrt(fmax(counted, impulse));
  measure->floor = round_off * (sqrt(momentum) + sqrt(impulse) + sqrt(stiff));
  measure->least_scale = isfinite(s->creep2) ? noticed * sqrt(s->creep2) : 0.0;
  measure->step = sqrt(squares[3]);
}

double limpet_island_asked(const limpet_island_solver *s, const limpet_newton_measure *measure,
                           double tolerance, double share) {
  return tolerance * fmin(measure->scale, share * sqrt(change_square(s)));
}

double limpet_island_bound(const limpet_island_solver *s, const limpet_newton_measure *measure,
                           double tolerance, double share) {
  return fmax(limpet_island_asked(s, measure, tolerance, share), measure->floor);
}

double limpet_island_moved_floor(const limpet_island_solver *s,
                                 const limpet_newton_measure *measure) {
  return round_off * (measure->scale + sqrt(stiff_square(s, false)));
}

// Squares of what a part of a block has, in the units of the residual.
typedef struct share_of {
  double residual, change, impulse, momentum;
} share_of;

static share_of share_from(const limpet_island_solver *s, const double *gradient, int first,
                           int end) {
  share_of part = {0};
  for (int i = first; i < end; ++i) {
    const double weight = s->scale[i] * s->scale[i], A_v = s->A_difference[i] + s->momentum[i];
    part.residual += weight * gradient[i] * gradient[i];
    part.change += weight * s->A_difference[i] * s->A_difference[i];
    part.impulse += weight * s->impulse[i] * s->impulse[i];
    part.momentum += weight * A_v * A_v;
  }
  return part;
}

/* [-]  of a body alone, whose turning and shifting are asked for apart: where that begins, in
 * tolerances of its impulse; how much each of both may miss, in shares of a block */
static const double apart = 10.0, looser = 5.0;

static bool share_is_met(const share_of *part, double share, double least) {
  const double known = share * share * limpet_max(part->change, part->impulse);
  return part->residual <= limpet_max(known, least);
}

bool limpet_island_blocks_met(const limpet_island_solver *s, const double *gradient, double share,
                              double tolerance) {
  for (int b = 0; b < s->island->block_count; ++b) {
    const limpet_block *block = limpet_island_block(s->problem, s->island, b);
    if (block->still) continue;
    const int first = block->offset, end = first + block->size;
    const share_of whole = share_from(s, gradient, first, end);
    if (!share_is_met(&whole, share, tolerance * tolerance * whole.momentum)) return false;
    const double asked = apart * tolerance;
    const double least = asked * asked * limpet_max(whole.impulse, whole.momentum);
    if (!block->alone || whole.residual <= least) continue;
    const share_of shifts = share_from(s, gradient, first, first + 3),
                   turns = share_from(s, gradient, first + 3, end);
    const double own = looser * share;
    if (!share_is_met(&shifts, own, least) || !share_is_met(&turns, own, least)) return false;
  }
  return true;
}

// [-]  of a tree's velocities and their changes, turns and shifts apart: what a joint may be off,
// however slow it is itself
static const double unseen = 1e-4;

// Velocities of a block of one joint and one unit: three or one; those of a free joint in two runs.
typedef struct joint_run {
  int first, end;
  bool shifts;  // [m/s]; else it turns [rad/s]
} joint_run;

static joint_run run_from(const limpet_block *block, int first) {
  const int joint = block->joint[first];
  const limpet_joint_kind kind = block->kind_of[joint];
  const bool begins = first == 0 || block->joint[first - 1] != joint;
  joint_run run = {
      .first = first,
      .end = first + 1,
      .shifts = kind == LIMPET_JOINT_PRISMATIC || (kind == LIMPET_JOINT_FREE && begins)};
  while (run.end < first + 3 && run.end < block->size && block->joint[run.end] == joint) ++run.end;
  return run;
}

static double run_square(const joint_run *run, const double *x) {
  return limpet_pairs_square(run->end - run->first, x + run->first);
}

/* Whether all that a block's velocities are off is below `unseen`, so that no joint need be asked:
 * the sum of their squares is within half of what each of them may be. Velocities that shift come
 * apart from those that turn. */
static bool block_is_met(const limpet_block *block, const double *v, const double *change,
                         const double *off) {
  double all[2] = {0.0, 0.0}, missed[2] = {0.0, 0.0};
  for (int i = 0; i < block->size; ++i) {
    const int joint = block->joint[i];
    const limpet_joint_kind kind = block->kind_of[joint];
    const bool shifts = kind == LIMPET_JOINT_PRISMATIC ||
                        (kind == LIMPET_JOINT_FREE && (i < 3 || block->joint[i - 3] != joint));
    all[shifts] += v[i] * v[i] + change[i] * change[i];
    missed[shifts] += off[i] * off[i];
  }
  const double allowed = 0.5 * unseen * unseen;
  return missed[0] <= allowed * all[0] && missed[1] <= allowed * all[1];
}

static bool block_joints_met(const limpet_island_solver *s, const limpet_block *block,
                             const double *off, double share) {
  const double *v = s->x + block->offset, *change = s->difference + block->offset;
  if (block_is_met(block, v, change, off)) return true;
  double all[2] = {0.0, 0.0};  // of what turns, of what shifts
  for (joint_run run = {0}; run.end < block->size;) {
    run = run_from(block, run.end);
    all[run.shifts] += run_square(&run, v) + run_square(&run, change);
  }
  for (joint_run run = {0}; run.end < block->size;) {
    run = run_from(block, run.end);
    const double own = limpet_max(run_square(&run, v), run_square(&run, change));
    if (run_square(&run, off) > limpet_max(unseen * unseen * all[run.shifts], share * share * own))
      return false;
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

bool limpet_island_torques_met(const limpet_island_solver *s, const double *gradient, double share,
                               double least) {
  for (int b = 0; b < s->island->block_count; ++b) {
    const limpet_block *block = limpet_island_block(s->problem, s->island, b);
    if (!block->joint || block->still) continue;
    for (joint_run run = {0}; run.end < block->size;) {
      run = run_from(block, run.end);
      const share_of part =
          share_from(s, gradient, block->offset + run.first, block->offset + run.end);
      if (!share_is_met(&part, share, least * least)) return false;
    }
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

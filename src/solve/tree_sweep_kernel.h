/* solve/tree_sweep_kernel.h: the kernels of tree_sweep.h, written once and compiled by a source
 * file that defines LIMPET_TREE_SWEEP, the name of their table. Contraction is on, as in
 * math/dense_kernels.h. Sums go by lanes of four, and in two parts, so that a product does not wait
 * for the one before. */
#include "math/lanes.h"
#include "solve/sweep_law_kernel.h"
#include "solve/tree_sweep.h"

// s (2 x n) += J v of one side with n unknowns, a constant: even groups and odd ones.
INLINE void add_speeds(const int n, const limpet_tree_side *side, const double *v, lanes s[2][3]) {
  const double *J = side->J, *at = v + side->from;
  const double *end = at + (long)LANES * side->J_groups;
  for (; at + LANES < end; at += 2 * LANES, J += 2 * LANES * n)
#pragma GCC unroll 2
    for (int part = 0; part < 2; ++part)
#pragma GCC unroll 3
      for (int e = 0; e < n; ++e)
        s[part][e] += lanes_at(J + LANES * (part * n + e)) * lanes_at(at + LANES * part);
  if (at < end)
#pragma GCC unroll 3
    for (int e = 0; e < n; ++e) s[0][e] += lanes_at(J + LANES * e) * lanes_at(at);
}

// v += dx Y, by groups of n unknowns.
INLINE void add_push(const int n, int groups, const double *Y, const double *dx, double *v) {
  for (double *end = v + (long)LANES * groups; v < end; v += LANES, Y += LANES * n) {
    lanes sum = lanes_at(v);
#pragma GCC unroll 3
    for (int e = 0; e < n; ++e) sum += dx[e] * lanes_at(Y + LANES * e);
    lanes_put(v, sum);
  }
}

INLINE double sum_of(lanes s) { return (s[0] + s[2]) + (s[1] + s[3]); }

static double relax(const limpet_tree_contact *contact, double friction, double *x, double *v) {
  const limpet_tree_side *side = contact->side, *end = side + contact->sides;
  lanes s[2][3] = {{all(0.0), all(0.0), all(0.0)}, {all(0.0), all(0.0), all(0.0)}};
  double u[3], dx[3];
  for (; side < end; ++side) add_speeds(3, side, v, s);
#pragma GCC unroll 3
  for (int e = 0; e < 3; ++e) u[e] = contact->law.bias[e] + sum_of(s[0][e] + s[1][e]);
  const double moved = change_of(&contact->law, friction, u, x, dx);
  if (moved == 0.0) return 0.0;
  for (int e = 0; e < 3; ++e) x[e] += dx[e];
  for (side = contact->side; side < end; ++side)
    add_push(3, side->Y_groups, side->Y, dx, v + side->first);
  return moved;
}

INLINE double speed_of_row(const limpet_tree_row *row, const double *v) {
  if (row->alone >= 0) return row->value * v[row->alone];
  lanes s[2][3] = {{all(0.0)}, {all(0.0)}};
  for (int k = 0; k < row->sides; ++k) add_speeds(1, &row->side[k], v, s);
  return sum_of(s[0][0] + s[1][0]);
}

static double relax_rows(int count, const limpet_tree_row *row, double *x, double *v) {
  double moved = 0.0;
  for (const limpet_tree_row *last = row + count; row < last; ++row, ++x) {
    const double old = *x,
                 y = old + (row->wanted - speed_of_row(row, v) - row->R * old) * row->share;
    const double now = y < row->lower ? row->lower : y > row->upper ? row->upper : y;
    const double dx = now - old;
    if (dx == 0.0) continue;
    *x = now;
    for (int k = 0; k < row->sides; ++k)
      add_push(1, row->side[k].Y_groups, row->side[k].Y, &dx, v + row->side[k].first);
    moved += row->w * dx * dx;
  }
  return moved;
}

static void push(const limpet_tree_contact *contact, const double x[3], double *f) {
  const limpet_tree_side *side = contact->side, *end = side + contact->sides;
  if (x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0) return;
  for (; side < end; ++side) add_push(3, side->J_groups, side->J, x, f + side->from);
}

static void push_rows(int count, const limpet_tree_row *row, const double *x, double *f) {
  for (const limpet_tree_row *last = row + count; row < last; ++row, ++x) {
    if (*x == 0.0) continue;
    if (row->alone >= 0) {
      f[row->alone] += row->value * *x;
      continue;
    }
    for (int k = 0; k < row->sides; ++k)
      add_push(1, row->side[k].J_groups, row->side[k].J, x, f + row->side[k].from);
  }
}

static double square(int n, const double *w, const double *x) {
  lanes sum = all(0.0);
  int i = 0;
  for (; i + LANES <= n; i += LANES) {
    const lanes some = lanes_at(x + i);
    sum += lanes_at(w + i) * some * some;
  }
  double rest = 0.0;
  for (; i < n; ++i) rest += w[i] * x[i] * x[i];
  return sum_of(sum) + rest;
}

const limpet_tree_sweep_kernels LIMPET_TREE_SWEEP = {.relax = relax,
                                                     .relax_rows = relax_rows,
                                                     .push = push,
                                                     .push_rows = push_rows,
                                                     .square = square};

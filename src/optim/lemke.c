/* optim/lemke.c: see lemke.h. The table is a dictionary: each row is a basic unknown as a linear
 * function of those that are zero. */
#include "optim/lemke.h"

#include <math.h>

#include "math/dense.h"

enum { PIVOTS_FOR_ONE = 10, SPREAD = 1009, STRIDE = 7919 };
// [-]  q is moved apart by that, so that no two rows tie; coefficients below are round-off; an
// artificial unknown below is that of q
static const double apart = 1e-11, round_off = 1e-11, negligible = 1e-6;

typedef struct lemke_table {
  int n, width;
  double *row;        // (n x width)  coefficients, the artificial unknown's, the constant
  int *basic, *zero;  // (n), (n + 1)  unknowns: w_i is i, z_i is n + i, the artificial one 2 n
} lemke_table;

size_t limpet_lemke_memory_size(int n) { return (2 * (size_t)n + 2) * sizeof(int); }

static double *row_of(const lemke_table *t, int i) { return t->row + (size_t)i * (size_t)t->width; }
static double constant_of(const lemke_table *t, int i) { return row_of(t, i)[t->n + 1]; }

// w as the basis; returns the row with the least constant.
static int fill(lemke_table *t, const double *q) {
  int least = 0;
  for (int i = 0; i < t->n; ++i) {
    row_of(t, i)[t->n] = 1.0;
    row_of(t, i)[t->n + 1] = q[i] + apart * (1.0 + (double)(i * STRIDE % SPREAD) / SPREAD);
    t->basic[i] = i, t->zero[i] = t->n + i;
    if (constant_of(t, i) < constant_of(t, least)) least = i;
  }
  t->zero[t->n] = 2 * t->n;
  return least;
}

// The basic unknown of row `leave` changes places with that of column `enter`.
static void pivot(lemke_table *t, int leave, int enter) {
  double *from = row_of(t, leave);
  const double inverse = 1.0 / from[enter];
  for (int j = 0; j < t->width; ++j) from[j] *= -inverse;
  from[enter] = inverse;
  for (int i = 0; i < t->n; ++i) {
    double *to = row_of(t, i);
    const double share = to[enter];
    if (i == leave || share == 0.0) continue;
    to[enter] = 0.0;
    limpet_axpy(t->width, share, from, to);
  }
  const int unknown = t->basic[leave];
  t->basic[leave] = t->zero[enter], t->zero[enter] = unknown;
}

// The row whose unknown falls to zero first as that of the column grows; -1: none does. Of equal
// ones the artificial unknown.
static int first_to_vanish(const lemke_table *t, int enter) {
  int first = -1;
  double least = INFINITY;
  for (int i = 0; i < t->n; ++i) {
    const double slope = row_of(t, i)[enter];
    if (!(slope < -round_off)) continue;
    const double at = constant_of(t, i) / -slope;
    if (at > least || (at == least && t->basic[i] != 2 * t->n)) continue;
    least = at, first = i;
  }
  return first;
}

static int column_of(const lemke_table *t, int unknown) {
  int column = 0;
  while (t->zero[column] != unknown) ++column;
  return column;
}

/* Whether the artificial unknown is round-off of q. Each vertex of the path solves the problem with
 * q and that much more, so the solution is as good as found; tables of badly conditioned M do not
 * tell its last pivots from rays. */
static bool is_rounded(const lemke_table *t) {
  int row = 0;
  while (row < t->n && t->basic[row] != 2 * t->n) ++row;
  return row == t->n || fabs(constant_of(t, row)) <= negligible;
}

// Drives the artificial unknown out of the basis.
static bool follow(lemke_table *t, int leave) {
  int enter = t->n;
  for (int k = 0; k < PIVOTS_FOR_ONE * t->n && leave >= 0; ++k) {
    pivot(t, leave, enter);
    const int left = t->zero[enter];
    if (left == 2 * t->n) return true;
    enter = column_of(t, left < t->n ? left + t->n : left - t->n);
    leave = first_to_vanish(t, enter);
  }
  return is_rounded(t);
}

bool limpet_lemke(int n, double *table, const double *q, void *memory, double *z) {
  lemke_table t = {.n = n,
                   .width = limpet_lemke_width(n),
                   .row = table,
                   .basic = memory,
                   .zero = (int *)memory + n};
  if (n == 0) return true;
  const int least = fill(&t, q);
  const bool solved = constant_of(&t, least) >= 0.0 || follow(&t, least);
  for (int i = 0; i < n; ++i) z[i] = 0.0;
  for (int i = 0; i < n; ++i)
    if (t.basic[i] >= n && t.basic[i] < 2 * n) z[t.basic[i] - n] = fmax(constant_of(&t, i), 0.0);
  return solved;
}

/* solve/coulomb_facets_rows.c: scalar rows beside contacts that are pivoted (coulomb_facets.c).
 *
 *   u_r = b_r + W_rc x_c + W_rr x_r,   x_r = clamp((v_hat - u_r)/R, lower, upper)
 * Rows within their bounds follow the contacts, x_r = K^-1 (v_hat - b_r - W_rc x_c), K = W_rr + R:
 * so loops, servos and dry friction that holds are taken out of the problem, and contacts see
 *   E = W_cc - W_cr K^-1 W_rc,   e = b_c + W_cr K^-1 (v_hat - b_r)
 * Rows at a bound push with it. Which ones are there is told by the impulse with which a row would
 * meet its law alone, and asked again after each problem. Cost: 1/6 rows^3 + rows (3 contacts)^2.
 */
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "solve/coulomb_facets.h"
#include "solve/row.h"

static const limpet_constraint_row *row_of(const limpet_faceted *f, int r) {
  return &f->solver->coulomb->space->row[r];
}

// The impulse with which a row meets its law alone, without its bounds.
static double wanted(const limpet_faceted *f, int r) {
  const limpet_constraint_row *row = row_of(f, r);
  const int i = 3 * f->contacts + r;
  const double *W = f->W + (size_t)i * (size_t)f->size, R = 1.0 / row->R_inverse;
  const double u = f->b[i] + limpet_dot(f->size, W, f->x);
  return f->x[i] + (row->v_hat - u - R * f->x[i]) / (W[i] + R);
}

// Tells which rows act; those that do not have the impulse of their bound. Returns whether all are
// as they were.
static bool sort_rows(limpet_faceted *f) {
  bool same = true;
  for (int r = 0; r < f->rows; ++r) {
    const double y = wanted(f, r), held = limpet_row_clamp(row_of(f, r), y);
    const bool acts = held == y;
    same = same && acts == f->acts[r];
    f->acts[r] = acts;
    if (!acts) f->x[3 * f->contacts + r] = held;
  }
  return same;
}

// K of the rows that act; others have a row of their own, 1.
static void fill_matrix(const limpet_faceted *f) {
  for (int r = 0; r < f->rows; ++r)
    for (int k = 0; k < f->rows; ++k) {
      const double W = f->W[(3 * f->contacts + r) * f->size + 3 * f->contacts + k];
      double *K = f->K + r * f->rows + k;
      *K = f->acts[r] && f->acts[k] ? W : 0.0;
      if (r == k) *K = f->acts[r] ? W + 1.0 / row_of(f, r)->R_inverse : 1.0;
    }
}

// Speed at unknown i by the impulses of rows that do not act alone.
static double pushed(const limpet_faceted *f, int i) {
  double u = f->b[i];
  for (int r = 0; r < f->rows; ++r)
    if (!f->acts[r]) u += f->W[i * f->size + 3 * f->contacts + r] * f->x[3 * f->contacts + r];
  return u;
}

// follow <- K^-1 (W_rc, v_hat - u_r), by columns: each of 3 contacts + 1 is a vector of rows.
static bool fill_follow(const limpet_faceted *f) {
  const int m = 3 * f->contacts;
  fill_matrix(f);
  if (limpet_cholesky(f->rows, f->K, f->rows) != 0) return false;
  for (int j = 0; j <= m; ++j) {
    double *column = f->follow + j * f->rows;
    for (int r = 0; r < f->rows; ++r)
      column[r] = !f->acts[r] ? 0.0
                  : j < m     ? f->W[(m + r) * f->size + j]
                              : row_of(f, r)->v_hat - pushed(f, m + r);
    limpet_cholesky_solve(f->rows, f->K, f->rows, column);
  }
  return true;
}

bool limpet_facets_eliminate(limpet_faceted *f) {
  const int m = 3 * f->contacts;
  sort_rows(f);
  if (f->rows > 0 && !fill_follow(f)) return false;
  for (int i = 0; i < m; ++i) {
    const double *W = f->W + i * f->size;
    f->e[i] = pushed(f, i) + limpet_dot(f->rows, W + m, f->follow + m * f->rows);
    for (int j = 0; j < m; ++j)
      f->E[i * m + j] = W[j] - limpet_dot(f->rows, W + m, f->follow + j * f->rows);
  }
  return true;
}

bool limpet_facets_follow(limpet_faceted *f) {
  const int m = 3 * f->contacts;
  for (int r = 0; r < f->rows; ++r) {
    if (!f->acts[r]) continue;
    double x = f->follow[m * f->rows + r];
    for (int j = 0; j < m; ++j) x -= f->follow[j * f->rows + r] * f->x[j];
    f->x[m + r] = x;
  }
  return sort_rows(f);
}

double limpet_facets_rows_missed(const limpet_faceted *f) {
  double sum = 0.0;
  for (int r = 0; r < f->rows; ++r) {
    const int i = 3 * f->contacts + r;
    const double off = f->x[i] - limpet_row_clamp(row_of(f, r), wanted(f, r));
    sum += f->W[(size_t)i * (size_t)(f->size + 1)] * off * off;
  }
  return sum;
}

/* optim/cone_frame.c: what the equations of cone_equations.h are made of that does not change with
 * the impulses: the space that keeps normal velocities, B or F, the gradient of the bound. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/decompose.h"
#include "math/dense.h"
#include "optim/cone_equations.h"

static const double cutoff = 1e-10;  // [-]  of the part of a row, over its length, that is new
// [-]  of the trace, for least squares whose columns may depend; refinement undoes it
static const double regular = 1e-12;

void limpet_cone_equations_null_space(limpet_cone_barrier_workspace *p) {
  const int n = p->problem->rows.n;
  double *rows = p->K;  // (push x n)
  for (int i = 0; i < p->problem->push_count; ++i) {
    const double *row = p->problem->rows.W + (3 * p->problem->push[i] + 2) * n,
                 length = sqrt(limpet_dot(n, row, row));
    for (int j = 0; j < n; ++j) rows[i * n + j] = length > 0.0 ? row[j] / length : 0.0;
  }
  p->d = limpet_null_basis(p->problem->push_count, n, rows, cutoff, p->right, p->Z);
}

/* E: normal rows of the open blocks, less what the constraints determine of them. Those of which
 * nothing is left keep their speeds and are taken out. */
static void fill_open(limpet_cone_barrier_workspace *p) {
  const int n = p->problem->rows.n;
  int kept = 0;
  for (int k = 0; k < p->open_count; ++k) {
    const int N = 3 * p->open[k] + 2;
    const double *row = p->problem->rows.W + N * n;
    double *free = p->E + kept * n;
    memset(free, 0, (size_t)n * sizeof *free);
    for (int l = 0; l < p->d; ++l)
      limpet_axpy(n, limpet_block_rows_dot(&p->problem->rows, N, p->Z + l * n), p->Z + l * n, free);
    if (!(limpet_dot(n, free, free) > cutoff * cutoff * limpet_dot(n, row, row))) continue;
    p->open[kept] = p->open[k], p->slack[kept++] = p->slack[k];
  }
  p->open_count = kept;
}

// y += the outer product of a row with itself.
static void add_square(int n, const double *row, double *y) {
  for (int i = 0; i < n; ++i)
    if (row[i] != 0.0) limpet_axpy(n, row[i], row, y + i * n);
}

// The projector on velocities that change none of the rows, not those along a tangent either.
static void fill_unseen(limpet_cone_barrier_workspace *p) {
  const int n = p->problem->rows.n, d = p->d;
  double *R = p->rows, *Y = p->G,
         *y = p->field;  // tangents over Z (2 push x d), null space of that (d x d)
  int count = 0;
  for (int i = 0; i < 2 * p->problem->push_count; ++i) {
    const int unknown = 3 * p->problem->push[i / 2] + i % 2;
    if (!limpet_cone_rubs(p, i / 2)) continue;
    const double *row = p->problem->rows.W + unknown * n,
                 length = sqrt(limpet_dot(n, row, row)) + DBL_MIN;
    double *r = R + count * d;
    for (int k = 0; k < d; ++k)
      r[k] = limpet_block_rows_dot(&p->problem->rows, unknown, p->Z + k * n) / length;
    count += limpet_dot(d, r, r) > cutoff * cutoff;
  }
  const int unseen = limpet_null_basis(count, d, R, cutoff, p->right, Y);
  memset(p->unseen, 0, (size_t)(n * n) * sizeof *p->unseen);
  for (int l = 0; l < unseen; ++l) {
    memset(y, 0, (size_t)n * sizeof *y);
    for (int k = 0; k < d; ++k) limpet_axpy(n, Y[l * d + k], p->Z + k * n, y);
    add_square(n, y, p->unseen);
  }
}

static void begin_energy(limpet_cone_barrier_workspace *p) {
  const int n = p->problem->rows.n;
  fill_unseen(p);
  p->forces = n;
  memset(p->B, 0, (size_t)(n * n) * sizeof *p->B);
  for (int k = 0; k < p->d; ++k) {
    double *row = p->root_B + k * n;
    const double *z = p->Z + k * n;
    for (int i = 0; i < n; ++i) row[i] = z[i] - limpet_dot(n, p->unseen + i * n, z);
    add_square(n, row, p->B);
  }
}

static void begin_squares(limpet_cone_barrier_workspace *p) {
  const int n = p->problem->rows.n;
  p->tau_count = 0;
  for (int i = 0; i < 2 * p->problem->push_count; ++i) {
    if (!limpet_cone_rubs(p, i / 2)) continue;
    memcpy(p->F + p->tau_count++ * n,
           p->problem->rows.W + (3 * p->problem->push[i / 2] + i % 2) * n,
           (size_t)n * sizeof *p->F);
  }
  memcpy(p->rows, p->Z, (size_t)(p->d * n) * sizeof *p->rows);
  p->forces =
      p->tau_count + limpet_null_basis(p->d, n, p->rows, 0.5, p->right, p->F + p->tau_count * n);
}

void limpet_cone_equations_frame(limpet_cone_barrier_workspace *p) {
  enum { ROUNDS = 3 };
  static const double left_over = 1e-12;
  const int n = p->problem->rows.n;
  double *H = p->K, *move = p->field, size = 0.0,
         trace = 0.0;  // least squares by normal equations, refined
  memcpy(p->left, p->problem->linear, 3 * (size_t)p->problem->rows.blocks * sizeof *p->left);
  for (int i = 0; i < 3 * p->problem->push_count; ++i) {
    const int unknown = 3 * p->problem->push[i / 3] + i % 3;
    if (!limpet_cone_rubs(p, i / 3)) p->left[unknown] = 0.0;
    size = fmax(size, fabs(p->left[unknown]));
  }
  if (size == 0.0) return;
  memset(H, 0, (size_t)(n * n) * sizeof *H);
  for (int i = 0; i < 3 * p->problem->push_count; ++i) {
    const int unknown = 3 * p->problem->push[i / 3] + i % 3;
    const double *row = p->problem->rows.W + unknown * n;
    for (int j = 0; j < n; ++j)
      if (row[j] != 0.0) limpet_block_rows_axpy(&p->problem->rows, unknown, row[j], H + j * n);
  }
  for (int j = 0; j < n; ++j) trace += H[j * n + j];
  for (int j = 0; j < n; ++j) H[j * n + j] += regular * trace;
  if (limpet_cholesky(n, H, n)) return;
  for (int round = 0; round < ROUNDS; ++round) {
    memset(move, 0, (size_t)n * sizeof *move);
    for (int i = 0; i < 3 * p->problem->push_count; ++i)
      limpet_block_rows_axpy(&p->problem->rows, 3 * p->problem->push[i / 3] + i % 3,
                             p->left[3 * p->problem->push[i / 3] + i % 3], move);
    limpet_cholesky_solve(n, H, n, move);
    limpet_axpy(n, 1.0, move, p->u);
    limpet_axpy(n, 1.0, move, p->wanted_u);
    for (int i = 0; i < 3 * p->problem->push_count; ++i) {
      const int unknown = 3 * p->problem->push[i / 3] + i % 3;
      p->left[unknown] -= limpet_block_rows_dot(&p->problem->rows, unknown, move);
    }
  }
  for (int i = 0; i < 3 * p->problem->push_count; ++i) {
    double *left = &p->left[3 * p->problem->push[i / 3] + i % 3];
    if (fabs(*left) < left_over * size) *left = 0.0;
  }
}

void limpet_cone_equations_begin(limpet_cone_barrier_workspace *p) {
  fill_open(p);
  if (p->problem->squares) begin_squares(p);
  else begin_energy(p);
}

void limpet_cone_equations_bound(limpet_cone_barrier_workspace *p) {
  enum { ROUNDS = 3 };
  const int n = p->problem->rows.n;
  double *H = p->K, *zeta = p->field, trace = 0.0;  // least squares by normal equations, refined
  memset(H, 0, (size_t)(n * n) * sizeof *H);
  for (int i = 0; i < p->problem->push_count; ++i) {
    const int N = 3 * p->problem->push[i] + 2;
    const double *row = p->problem->rows.W + N * n;
    double *k = p->bound_row + 3 * i;
    k[0] = k[1] = 0.0, k[2] = p->problem->squares ? 2.0 * p->x[N] : 1.0;
    for (int j = 0; j < n; ++j)
      if (row[j] != 0.0) limpet_block_rows_axpy(&p->problem->rows, N, row[j], H + j * n);
  }
  for (int j = 0; j < n; ++j) trace += H[j * n + j];
  for (int j = 0; j < n; ++j) H[j * n + j] += regular * trace;
  if (limpet_cholesky(n, H, n)) return;
  for (int round = 0; round < ROUNDS; ++round) {
    memset(zeta, 0, (size_t)n * sizeof *zeta);
    for (int i = 0; i < p->problem->push_count; ++i)
      limpet_block_rows_axpy(&p->problem->rows, 3 * p->problem->push[i] + 2,
                             p->bound_row[3 * i + 2], zeta);
    limpet_cholesky_solve(n, H, n, zeta);
    for (int k = 0; k < p->d; ++k)
      limpet_axpy(n, -limpet_dot(n, p->Z + k * n, zeta), p->Z + k * n, zeta);
    for (int i = 0; i < 3 * p->problem->push_count; ++i)
      p->bound_row[i] -=
          limpet_block_rows_dot(&p->problem->rows, 3 * p->problem->push[i / 3] + i % 3, zeta);
  }
}

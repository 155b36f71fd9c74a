/* optim/cone_equations.c: see cone_equations.h. */
#include "optim/cone_equations.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/dense_table.h"

enum { REFINEMENTS = 10, ATTEMPTS = 4, STRIP = 24 };  // STRIP: rows of K at a time
// [-]  of the diagonal, where round-off asks for it: at first, and from attempt to attempt
static const double least_more = 1e-15, more_growth = 1e2;
static const double noticed = 1e-10;  // [-]  of |u|^2: changes of du^2 are measured by that
static const double careful_uncertain = 1e-3;  // [-]  of du, by reflections
static const double uncertain = 1e-6;          // [-]  of du

// Gradient of the bound with respect to the impulses of number i of those that push.
static void bound_gradient(const limpet_cone_barrier_workspace *p, int i, double h[3]) {
  const int N = 3 * p->problem->push[i] + 2;
  memcpy(h, p->bound_row + 3 * i, 3 * sizeof *h);
  if (p->problem->squares) h[2] += 2.0 * (p->x[N] - p->start[N]);
  if (!limpet_cone_rubs(p, i)) h[0] = h[1] = 0.0;  // nothing moves there
}

double limpet_cone_bound_rate(const limpet_cone_barrier_workspace *p) {
  double sum = 0.0;
  for (int i = 0; i < p->problem->push_count; ++i) {
    double h[3];
    bound_gradient(p, i, h);
    sum += limpet_dot(3, h, p->dx + 3 * p->problem->push[i]);
  }
  return sum;
}

// ------------------------------------------------------------------------------------- matrix

// dx -= L L' force: round-off of large forces stays on the ray of the cone.
static void yield_to(const double *L, const double force[3], double dx[3]) {
  double y[3];
  for (int e = 0; e < 3; ++e) y[e] = L[e] * force[0] + L[3 + e] * force[1] + L[6 + e] * force[2];
  for (int e = 0; e < 3; ++e) dx[e] -= limpet_dot(3, L + 3 * e, y);
}

// Row `e` of L'W of number i of those that push, into v, where it is not zero.
static void cone_row(const limpet_cone_barrier_workspace *p, int i, int e, double *v) {
  const int n = p->problem->rows.n, *range = p->problem->rows.range + 4 * p->problem->push[i];
  const double *W = p->problem->rows.W + 3 * p->problem->push[i] * n, *L = p->cone + 9 * i;
  for (int a = 0; a < 4; a += 2)
    for (int j = range[a]; j < range[a] + range[a + 1]; ++j)
      v[j] = L[e] * W[j] + L[3 + e] * W[n + j] + L[6 + e] * W[2 * n + j];
}

void limpet_cone_equations_cones(limpet_cone_barrier_workspace *p, double curvature) {
  const int n = p->problem->rows.n;
  p->bound_curvature = curvature;
  memset(p->G, 0, (size_t)(n * n) * sizeof *p->G);
  for (int i = 0; i < p->problem->push_count; ++i) {
    const int c = p->problem->push[i], *range = p->problem->rows.range + 4 * c;
    double *step = p->step + 3 * i, *v = p->field, force[3];
    limpet_cone_term_inverse(limpet_cone_term_of(p, c), p->x + 3 * c, curvature, p->cone + 9 * i,
                             step);
    for (int e = 0; e < 3; ++e) force[e] = p->problem->squares ? 0.0 : p->t * p->left[3 * c + e];
    yield_to(p->cone + 9 * i, force, step);
    for (int e = 0; e < 3; ++e) {
      cone_row(p, i, e, v);
      for (int a = 0; a < 4; a += 2)
        for (int j = range[a]; j < range[a] + range[a + 1]; ++j)
          for (int b = 0; b < 4; b += 2)
            for (int k = range[b]; k < range[b] + range[b + 1]; ++k) p->G[j * n + k] += v[j] * v[k];
    }
  }
}

static double trace_of(const limpet_cone_barrier_workspace *p) {
  double trace = 0.0;
  for (int i = 0; i < p->problem->rows.n; ++i) trace += p->G[i * p->problem->rows.n + i];
  return trace;
}

// y (forces) = F x;  x (n) = F'y
static void to_forces(const limpet_cone_barrier_workspace *p, const double *x, double *y) {
  const int n = p->problem->rows.n;
  if (!p->problem->squares) memcpy(y, x, (size_t)n * sizeof *y);
  for (int k = 0; k < p->forces && p->problem->squares; ++k) y[k] = limpet_dot(n, p->F + k * n, x);
}

static void from_forces(const limpet_cone_barrier_workspace *p, const double *y, double *x) {
  const int n = p->problem->rows.n;
  if (!p->problem->squares) memcpy(x, y, (size_t)n * sizeof *x);
  else memset(x, 0, (size_t)n * sizeof *x);
  for (int k = 0; k < p->forces && p->problem->squares; ++k) limpet_axpy(n, y[k], p->F + k * n, x);
}

// The block of the forces; its lower triangle counts.
static void fill_forces(limpet_cone_barrier_workspace *p, int size) {
  const int n = p->problem->rows.n;
  if (!p->problem->squares) {
    const double weight = trace_of(p) / n;
    for (int i = 0; i < n; ++i)
      for (int k = 0; k <= i; ++k)
        p->K[i * size + k] =
            p->G[i * n + k] + p->B[i * n + k] / p->t + weight * p->unseen[i * n + k];
    return;
  }
  const int m = p->forces;  // kernels subtract: -F G, then K from that
  memset(p->FG, 0, (size_t)(m * n) * sizeof *p->FG);
  limpet_dense()->sub_mul_t(m, n, n, p->F, n, p->G, n, p->FG, n);
  for (int i = 0; i < m; i += STRIP) {
    const int rows = m - i < STRIP ? m - i : STRIP, columns = i + rows;
    for (int k = i; k < columns; ++k) memset(p->K + k * size, 0, (size_t)columns * sizeof *p->K);
    limpet_dense()->sub_mul_t(rows, columns, n, p->FG + i * n, n, p->F, n, p->K + i * size, size);
  }
  for (int i = 0; i < p->tau_count; ++i) p->K[i * size + i] += 0.5 / p->t;
}

// The rows of bound and open rows.
static void fill_borders(limpet_cone_barrier_workspace *p, int size) {
  const int n = p->problem->rows.n, m = p->forces;
  double corner = p->bound * p->bound;
  memset(p->border, 0, (size_t)n * sizeof *p->border);
  for (int i = 0; i < p->problem->push_count; ++i) {
    double h[3], answer[3] = {0.0, 0.0, 0.0};
    bound_gradient(p, i, h);
    yield_to(p->cone + 9 * i, h, answer);
    for (int e = 0; e < 3; ++e)
      limpet_block_rows_axpy(&p->problem->rows, 3 * p->problem->push[i] + e, -answer[e], p->border);
    corner -= limpet_dot(3, h, answer);
  }
  to_forces(p, p->border, p->K + m * size);
  p->K[m * size + m] = corner;
  for (int k = 0; k < p->open_count; ++k) {
    double *row = p->K + (m + 1 + k) * size, *EG = p->EG + k * n;
    for (int j = 0; j < n; ++j) EG[j] = limpet_dot(n, p->G + j * n, p->E + k * n);
    to_forces(p, EG, row);
    row[m] = limpet_dot(n, p->E + k * n, p->border);
    for (int l = 0; l <= k; ++l) row[m + 1 + l] = limpet_dot(n, p->E + l * n, EG);
    row[m + 1 + k] += p->slack[k] * p->slack[k];
  }
}

// ------------------------------------------------------------------------------------- factor

// The unknowns of the equations at a row of L'W.
static void fill_row(limpet_cone_barrier_workspace *p, int i, int e, int size, double *row) {
  double h[3], *v = p->field;
  const double *L = p->cone + 9 * i;
  memset(v, 0, (size_t)p->problem->rows.n * sizeof *v);
  cone_row(p, i, e, v);
  to_forces(p, v, row);
  if (size == p->forces) return;
  bound_gradient(p, i, h);
  row[p->forces] = L[e] * h[0] + L[3 + e] * h[1] + L[6 + e] * h[2];
  for (int k = 0; k < p->open_count; ++k)
    row[p->forces + 1 + k] = limpet_dot(p->problem->rows.n, p->E + k * p->problem->rows.n, v);
}

// Rows of a matrix whose product with its transpose is that of the equations. Returns their number.
static int fill_rows(limpet_cone_barrier_workspace *p, int size) {
  const int n = p->problem->rows.n, m = p->forces;
  const double weight = sqrt(trace_of(p) / n),
               share = sqrt((p->problem->squares ? 0.5 : 1.0) / p->t);
  const int inner = p->problem->squares ? p->tau_count : p->d + n;
  int count = 0;
  memset(p->rows, 0,
         (size_t)((3 * p->problem->push_count + inner + size - m) * size) * sizeof *p->rows);
  for (int i = 0; i < p->problem->push_count; ++i)
    for (int e = 0; e < 3; ++e) fill_row(p, i, e, size, p->rows + count++ * size);
  for (int k = 0; k < inner; ++k) {
    double *row = p->rows + count++ * size;
    if (p->problem->squares) row[k] = share;
    else if (k < p->d) limpet_axpy(n, share, p->root_B + k * n, row);
    else limpet_axpy(n, weight, p->unseen + (k - p->d) * n, row);
  }
  for (int k = m; k < size; ++k)
    p->rows[count++ * size + k] = k == m ? p->bound : p->slack[k - m - 1];
  return count;
}

// Sorts rows by their largest entries, descending. largest (count): work.
static void sort_rows(int count, int size, double *M, double *largest) {
  for (int i = 0; i < count; ++i) {
    largest[i] = 0.0;
    for (int j = 0; j < size; ++j) largest[i] = fmax(largest[i], fabs(M[i * size + j]));
  }
  for (int i = 0; i < count; ++i) {
    int best = i;
    for (int k = i; k < count; ++k) best = largest[k] > largest[best] ? k : best;
    largest[best] = largest[i];
    for (int j = 0; j < size && best != i; ++j) {
      const double t = M[best * size + j];
      M[best * size + j] = M[i * size + j], M[i * size + j] = t;
    }
  }
}

// The factor by reflections of the rows. False where a column vanishes.
static bool factor_rows(limpet_cone_barrier_workspace *p, int size) {
  const int count = fill_rows(p, size);
  double *M = p->rows, *v = M + count * size, *w = v + count;
  sort_rows(count, size, M, v);
  for (int j = 0; j < size; ++j) {
    double squared = 0.0;
    for (int i = j; i < count; ++i) v[i] = M[i * size + j], squared += v[i] * v[i];
    if (!(squared > 0.0)) return false;
    const double alpha = v[j] > 0.0 ? -sqrt(squared) : sqrt(squared);
    v[j] -= alpha;
    const double factor = 1.0 / (alpha * v[j]);
    memset(w, 0, (size_t)size * sizeof *w);
    for (int i = j; i < count; ++i)
      if (v[i] != 0.0) limpet_axpy(size - j, v[i], M + i * size + j, w);
    for (int i = j; i < count; ++i)
      if (v[i] != 0.0) limpet_axpy(size - j, factor * v[i], w, M + i * size + j);
    M[j * size + j] = alpha;
  }
  for (int i = 0; i < size; ++i)
    for (int k = 0; k <= i; ++k) p->K[i * size + k] = M[k * size + i];
  return true;
}

int limpet_cone_equations_factor(limpet_cone_barrier_workspace *p, bool bordered) {
  const int size = p->forces + (bordered ? 1 + p->open_count : 0);
  ++p->info->factorizations;
  if (p->careful) return factor_rows(p, size) ? size : 0;
  double more = least_more;
  for (int attempt = 0; attempt < ATTEMPTS; ++attempt, more *= more_growth) {
    fill_forces(p, size);
    if (bordered) fill_borders(p, size);
    for (int i = 0; i < size; ++i) p->K[i * size + i] *= 1.0 + more;
    if (limpet_cholesky(size, p->K, size) == 0) return size;
  }
  return 0;
}

// -------------------------------------------------------------------------------------- solve

// dx += -D^-1 (h sigma + W (F'f + E'theta)), du with it.
static void step_back(limpet_cone_barrier_workspace *p, const double *solution, bool bordered) {
  from_forces(p, solution, p->field);
  for (int k = 0; k < p->open_count && bordered; ++k)
    limpet_axpy(p->problem->rows.n, solution[p->forces + 1 + k], p->E + k * p->problem->rows.n,
                p->field);
  for (int i = 0; i < p->problem->push_count; ++i) {
    const int c = p->problem->push[i];
    double force[3], dx[3] = {0.0, 0.0, 0.0};
    bound_gradient(p, i, force);
    for (int e = 0; e < 3; ++e)
      force[e] = (bordered ? solution[p->forces] * force[e] : 0.0) +
                 limpet_block_rows_dot(&p->problem->rows, 3 * c + e, p->field);
    yield_to(p->cone + 9 * i, force, dx);
    for (int e = 0; e < 3; ++e) {
      p->dx[3 * c + e] += dx[e];
      limpet_block_rows_axpy(&p->problem->rows, 3 * c + e, dx[e], p->du);
    }
  }
}

// right: what is missing in the equations for the present dx, du and solution.
static void fill_missing(limpet_cone_barrier_workspace *p, bool bordered) {
  const int n = p->problem->rows.n, m = p->forces;
  double *right = p->right;
  const double *f = p->solution;
  to_forces(p, p->du, right);
  for (int j = 0; j < n && !p->problem->squares; ++j) p->field[j] = f[j] / p->t - p->gradient[j];
  for (int j = 0; j < n && !p->problem->squares; ++j)
    right[j] -= limpet_dot(n, p->B + j * n, p->field);
  for (int i = 0, k = 0; i < 2 * p->problem->push_count && p->problem->squares; ++i) {
    if (!limpet_cone_rubs(p, i / 2)) continue;
    right[k] += limpet_cone_speed(p, 3 * p->problem->push[i / 2] + i % 2) - 0.5 * f[k] / p->t;
    ++k;
  }
  if (!bordered) return;
  right[m] = p->bound + limpet_cone_bound_rate(p) - p->bound * p->bound * f[m];
  for (int k = 0; k < p->open_count; ++k) {
    const double s = p->slack[k], rate = limpet_dot(n, p->E + k * n, p->du);
    right[m + 1 + k] = rate - s - s * s * f[m + 1 + k];
  }
}

// How much du differs from what it was, over its size, or over 1e-5 of the velocities of the
// bodies.
static double change_of(const limpet_cone_barrier_workspace *p) {
  double sum = 0.0, size = 1e-300;
  for (int i = 0; i < p->problem->rows.n; ++i) {
    const double change = p->du[i] - p->before[i];
    sum += change * change;
    size +=
        p->du[i] * p->du[i] + noticed * (p->u[i] * p->u[i] + p->problem->u[i] * p->problem->u[i]);
  }
  return sqrt(sum / size);
}

bool limpet_cone_equations_solve(limpet_cone_barrier_workspace *p, int size, bool bordered) {
  const size_t bytes = (size_t)p->problem->rows.n * sizeof(double);
  double change = INFINITY, last = INFINITY;
  memcpy(p->gradient, p->u, bytes);  // energy
  memset(p->du, 0, bytes);
  memset(p->solution, 0, (size_t)size * sizeof *p->solution);
  for (int i = 0; i < p->problem->push_count; ++i)
    for (int e = 0; e < 3; ++e) {
      const int unknown = 3 * p->problem->push[i] + e;
      p->dx[unknown] = p->step[3 * i + e];
      if (p->dx[unknown] != 0.0)
        limpet_block_rows_axpy(&p->problem->rows, unknown, p->dx[unknown], p->du);
    }
  for (int round = 0; round <= REFINEMENTS; ++round) {
    fill_missing(p, bordered);
    limpet_cholesky_solve(size, p->K, size, p->right);
    limpet_axpy(size, 1.0, p->right, p->solution);
    memcpy(p->before, p->du, bytes);
    step_back(p, p->right, bordered);
    last = change, change = change_of(p);
    if (round > 0 && (change < 1e-12 || change > 0.5 * last)) break;
  }
  return change < (p->careful ? careful_uncertain : uncertain);
}

void limpet_cone_equations_restore(limpet_cone_barrier_workspace *p) {
  const int n = p->problem->rows.n, size = p->forces + 1 + p->open_count;
  double *drift = p->before;
  for (int i = 0; i < n; ++i) drift[i] = p->u[i] - p->wanted_u[i];
  for (int k = 0; k < p->d; ++k)
    limpet_axpy(n, -limpet_dot(n, p->Z + k * n, drift), p->Z + k * n, drift);
  memset(p->right, 0, (size_t)size * sizeof *p->right);
  to_forces(p, drift, p->right);
  for (int k = 0; k < p->tau_count && p->problem->squares; ++k) p->right[k] = 0.0;
  limpet_cholesky_solve(size, p->K, size, p->right);
  memset(p->dx, 0, 3 * (size_t)p->problem->rows.blocks * sizeof *p->dx);
  memset(p->du, 0, (size_t)n * sizeof *p->du);
  step_back(p, p->right, true);
}

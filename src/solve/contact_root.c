/* solve/contact_root.c: see contact_root.h. */
#include "solve/contact_root.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/dense_table.h"
#include "solve/island.h"

size_t limpet_contact_root_lay_out(limpet_contact_root *z, int contacts, int velocities,
                                   char *memory) {
  const size_t c = (size_t)contacts, n = (size_t)velocities;
  size_t used = 0;
  double *L = limpet_space_take(memory, &used, n * n),
         *W = limpet_space_take(memory, &used, 3 * c * n);
  double *v = limpet_space_take(memory, &used, n), *u = limpet_space_take(memory, &used, n);
  if (memory) {
    z->L = L, z->W = W, z->v = v, z->u = u;
    z->block = (int *)(void *)(memory + used);
    z->range = z->block + n + 1;
  }
  used += (n + 1 + 4 * c) * sizeof(int);
  return (used + 7) / 8 * 8;
}

// -------------------------------------------------------------------------------------- filling

// Index of an entry of row r among the island's velocities.
static int local_of(const limpet_contact_space *s, int entry) {
  return s->problem->entry_dof[entry];
}

// Blocks: those of unknowns, and all between the first and the last that a row ties together.
static void find_blocks(limpet_contact_root *z) {
  const limpet_contact_space *s = z->space;
  const limpet_contact_problem *p = s->problem;
  memset(z->block, 0, (size_t)(z->n + 1) * sizeof *z->block);
  for (int t = 0; t < s->island->block_count; ++t)
    z->block[limpet_island_block(p, s->island, t)->offset] = 1;
  for (int r = 0; r < s->rows; ++r) {
    int low = z->n, high = 0;
    for (int e = s->row[r].entry; e < s->row[r].entry + s->row[r].entry_count; ++e) {
      low = local_of(s, e) < low ? local_of(s, e) : low;
      high = local_of(s, e) > high ? local_of(s, e) : high;
    }
    for (int j = low + 1; j <= high; ++j) z->block[j] = 0;
  }
  for (int j = 0, first = 0; j < z->n; ++j) {
    if (z->block[j]) first = j;
    z->block[j] = first;
  }
  z->block[z->n] = z->n;
}

static int end_of_block(const limpet_contact_root *z, int first) {
  int end = first + 1;
  while (end < z->n && z->block[end] == first) ++end;
  return end;
}

// L: first M^, then its factor.
static bool factor_mass(limpet_contact_root *z, const double *row_impulse) {
  const limpet_contact_space *s = z->space;
  const limpet_contact_problem *p = s->problem;
  const int n = z->n;
  memset(z->L, 0, (size_t)(n * n) * sizeof *z->L);
  for (int t = 0; t < s->island->block_count; ++t) {
    const limpet_block *block = limpet_island_block(p, s->island, t);
    block->kind->copy(block, false, z->L + block->offset * n + block->offset, (size_t)n);
  }
  for (int r = 0; r < s->rows; ++r) {
    const limpet_constraint_row *row = &s->row[r];
    if (!isnan(row_impulse[r])) continue;
    for (int a = row->entry; a < row->entry + row->entry_count; ++a)
      for (int b = row->entry; b < row->entry + row->entry_count; ++b)
        z->L[local_of(s, a) * n + local_of(s, b)] +=
            row->R_inverse * p->entry_value[a] * p->entry_value[b];
  }
  for (int first = 0; first < n; first = end_of_block(z, first))
    if (limpet_cholesky(end_of_block(z, first) - first, z->L + first * n + first, n)) return false;
  return true;
}

static void solve_mass(const limpet_contact_root *z, double *x) {
  for (int first = 0; first < z->n; first = end_of_block(z, first))
    limpet_cholesky_solve(end_of_block(z, first) - first, z->L + first * z->n + first, z->n,
                          x + first);
}

// x <- L^-T x
static void solve_transposed(const limpet_contact_root *z, double *x) {
  for (int i = z->n - 1; i >= 0; --i) {
    x[i] /= z->L[i * z->n + i];
    for (int k = z->block[i]; k < i; ++k) x[k] -= z->L[i * z->n + k] * x[i];
  }
}

static void fill_contacts(limpet_contact_root *z) {
  const limpet_contact_space *s = z->space;
  const int n = z->n;
  memset(z->W, 0, (size_t)(3 * s->contacts * n) * sizeof *z->W);
  for (int c = 0; c < s->contacts; ++c) {
    int *range = z->range + 4 * c, count = 0;
    for (int i = 0; i < 4; ++i) range[i] = 0;
    for (int k = s->first[c]; k < s->first[c + 1]; ++k) {
      const limpet_space_segment *segment = &s->segment[k];
      for (int e = 0; e < 3; ++e)
        memcpy(z->W + (3 * c + e) * n + segment->offset + segment->from,
               segment->J + e * segment->width, (size_t)segment->width * sizeof(double));
      const int first = z->block[segment->offset];
      if (count == 0 || range[0] != first)
        range[2 * count] = first, range[2 * count++ + 1] = end_of_block(z, first) - first;
    }
    for (int i = 0; i < count; ++i) {
      const int first = range[2 * i];
      limpet_dense()->solve_rows(3, range[2 * i + 1], z->L + first * n + first, n,
                                 z->W + 3 * c * n + first, n);
    }
  }
}

static void fill_velocity(limpet_contact_root *z, const double *row_impulse) {
  const limpet_contact_space *s = z->space;
  const int n = z->n;

  // rows at a bound push; then the springs of the others answer
  memcpy(z->v, s->v_free, (size_t)n * sizeof *z->v);
  for (int r = 0; r < s->rows; ++r)
    for (int k = s->first[s->contacts + r];
         k < s->first[s->contacts + r + 1] && !isnan(row_impulse[r]); ++k)
      limpet_axpy(s->segment[k].count, row_impulse[r], s->segment[k].Y,
                  z->v + s->segment[k].offset);
  memset(z->u, 0, (size_t)n * sizeof *z->u);
  for (int r = 0; r < s->rows; ++r) {
    const limpet_constraint_row *row = &s->row[r];
    if (!isnan(row_impulse[r])) continue;
    double lack = row->v_hat;
    for (int e = row->entry; e < row->entry + row->entry_count; ++e)
      lack -= s->problem->entry_value[e] * z->v[local_of(s, e)];
    for (int e = row->entry; e < row->entry + row->entry_count; ++e)
      z->u[local_of(s, e)] += row->R_inverse * lack * s->problem->entry_value[e];
  }
  solve_mass(z, z->u);
  for (int i = 0; i < n; ++i) z->v[i] += z->u[i], z->u[i] = 0.0;
  for (int i = 0; i < n; ++i)
    for (int k = z->block[i]; k <= i; ++k) z->u[k] += z->L[i * n + k] * z->v[i];
}

limpet_outcome limpet_contact_root_fill(limpet_contact_root *z, const limpet_contact_space *space,
                                        const double *row_impulse) {
  z->space = space, z->n = space->velocities;
  z->rows = (limpet_block_rows){.n = z->n, .blocks = space->contacts, .W = z->W, .range = z->range};
  find_blocks(z);
  if (!factor_mass(z, row_impulse)) return LIMPET_OUTCOME_NUMERICAL_FAILURE;
  fill_contacts(z);
  fill_velocity(z, row_impulse);
  return LIMPET_OUTCOME_SOLVED;
}

// --------------------------------------------------------------------------------------- using

void limpet_contact_root_velocity(const limpet_contact_root *z, const double *x, double *v) {
  memset(v, 0, (size_t)z->n * sizeof *v);
  for (int i = 0; i < 3 * z->space->contacts; ++i)
    if (x[i] != 0.0) limpet_block_rows_axpy(&z->rows, i, x[i], v);
  solve_transposed(z, v);
  for (int i = 0; i < z->n; ++i) v[i] += z->v[i];
}

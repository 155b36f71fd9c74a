/* solve/island_hessian.c: Hessian of one island, factored, and the Newton direction.
 *
 *   H = A + sum_patches S' (sum_c W_c' G_c W_c) S + sum_rows a' a / R
 *
 * The contacts of a patch are summed as one symmetric 6 x 6 matrix K before they meet the columns
 * S, so a thousand points on a pair of bodies cost a thousand 6 x 6 updates and one pass over the
 * joints. Dense (lower triangle, row-major) for small islands, otherwise block-sparse. */
#include <math.h>
#include <string.h>

#include "contact/block_soft.h"
#include "math/dense_table.h"
#include "math/extremes.h"
#include "math/spatial.h"
#include "solve/island.h"
#include "solve/island_dense.h"
#include "solve/island_jacobian.h"
#include "solve/island_pieces.h"
#include "solve/row.h"

// [-]  what the diagonal gets more of itself where the matrix is not positive definite in doubles:
// from round-off of its entries up, as long as the direction is still one of Newton's method
static const double least_share = 1e-14, largest_share = 1e-5, share_growth = 100.0;

limpet_status limpet_island_vectors_create(limpet_island_solver *s,
                                           const limpet_contact_problem *problem, int index,
                                           limpet_arena *arena) {
  const limpet_island *island = &problem->island[index];
  const size_t n = (size_t)island->size, m = (size_t)island->contact_count,
               r = (size_t)island->row_count;
  *s = (limpet_island_solver){.problem = problem,
                              .island = island,
                              .model = limpet_compliant_model_of(problem->model),
                              .n = island->size};

  // vectors in one piece
  double *block = LIMPET_TAKE(arena, double, 17 * n + (17 + LIMPET_HESSIAN_SIZE) * m + 5 * r);
  s->eased_constants = LIMPET_TAKE(arena, limpet_contact_constants, m);
  s->own_constants = LIMPET_TAKE(arena, limpet_contact_constants, m);
  if (!block || !s->eased_constants || !s->own_constants ||
      limpet_island_spins_create(s, arena) != LIMPET_OK)
    return LIMPET_ERROR_MEMORY;
  s->constants = s->own_constants;
  if (m > 0)
    memcpy(s->own_constants, problem->constants + island->contact, m * sizeof *s->own_constants);
  double **const vectors[] = {
      &s->momentum,         &s->v_free,       &s->scale,   &s->A_direction,
      &s->newton.direction, &s->other_start,  &s->closest, &s->x,
      &s->difference,       &s->A_difference, &s->impulse, &s->newton.gradient};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) *vectors[i] = block, block += n;
  s->contact_v = block, block += 3 * m;
  s->contact_gamma = block, block += 3 * m;
  s->row_u = block, block += r;
  s->row_gamma = block, block += r;
  s->state_size = (size_t)(block - s->x);
  s->contact_dv = block, block += 3 * m;
  s->contact_dual = block, block += 2 * m;
  memset(s->contact_dual, 0, 2 * m * sizeof *s->contact_dual);
  s->contact_G = block, block += LIMPET_HESSIAN_SIZE * m;
  s->row_du = block, block += r;
  s->kept_state = block;

  if (limpet_island_jacobian_create(s, arena) != LIMPET_OK) return LIMPET_ERROR_MEMORY;

  // constants in the island's order
  limpet_island_gather(problem, island, problem->momentum, s->momentum);
  limpet_island_gather(problem, island, problem->v_free, s->v_free);
  for (int i = 0; i < island->block_count; ++i) {
    const limpet_block *one = limpet_island_block(problem, island, i);
    one->kind->diagonal(one, s->scale + one->offset);
    s->soft |= one->mesh || one->kind == &limpet_block_soft;
  }
  for (int i = 0; i < island->size; ++i) s->scale[i] = 1.0 / sqrt(s->scale[i]);
  s->creep2 = INFINITY;
  for (size_t i = 0; i < m; ++i) {
    const double eps = s->own_constants[i].compliant.slip_speed;
    s->creep2 = limpet_min(eps * eps / s->own_constants[i].delassus, s->creep2);
  }
  return LIMPET_OK;
}

limpet_status limpet_island_hessian_create(limpet_island_solver *s, int dense_limit,
                                           limpet_arena *arena) {
  bool sparse = s->island->block_count > 1;
  for (int i = 0; i < s->island->block_count; ++i)
    sparse |= limpet_island_block(s->problem, s->island, i)->mesh != NULL;
  if (s->n > dense_limit && sparse) return limpet_island_sparse_create(s, arena);
  return limpet_island_dense_create(s, arena);
}

limpet_status limpet_island_solver_create(limpet_island_solver *s,
                                          const limpet_contact_problem *problem, int index,
                                          int dense_limit, limpet_arena *arena) {
  const limpet_status status = limpet_island_vectors_create(s, problem, index, arena);
  return status == LIMPET_OK ? limpet_island_hessian_create(s, dense_limit, arena) : status;
}

// Y (count x 6) = columns K.
static void stiffness_times_columns(const limpet_patch_side *side, const double K[36], double *Y) {
  for (int c = 0; c < side->count; ++c) {
    const double *column = side->column + 6 * c;
    double *y = Y + 6 * c;
    limpet_spatial_zero(y);
    for (int i = 0; i < 6; ++i) limpet_spatial_addmul(y, column[i], K + 6 * i);
  }
}

enum {
  COLUMN_CAPACITY = 512
};  // columns of a side that are handled at once; longer chains take several passes

enum { BODY = LIMPET_BODY, FEW_CONTACTS = 5 };

/* Whether a patch joins bodies, whose columns are whole 6 x 6 matrices, and where the blocks `b` of
 * its sides begin (NULL: dense). */
static bool joins_bodies(const limpet_patch *patch, const limpet_patch_blocks *b) {
  for (int a = 0; b && a < patch->side_count; ++a)
    if (patch->side[a].dof[0] != b->first[a]) return false;
  return limpet_patch_joins_bodies(patch);
}

/* Blocks of a patch of bodies: to[0], to[2] += C K C' of either side, to[1] += C_r K C_c' of the
 * side r whose rows it has. Above the diagonals of to[0], to[2] as well. */
static void bodies_to_blocks(const limpet_patch *patch, const double K[36], int r,
                             double *const to[3], const int stride[3]) {
  const limpet_dense_table *dense = limpet_dense();
  double Y[2][BODY * BODY];  // -C K
  memset(Y, 0, sizeof Y);
  for (int a = 0; a < patch->side_count; ++a) {
    const double *C = patch->side[a].column;
    dense->sub_mul_t(BODY, BODY, BODY, C, BODY, K, BODY, Y[a], BODY);
    dense->sub_mul_t(BODY, BODY, BODY, Y[a], BODY, C, BODY, to[2 * a], stride[2 * a]);
  }
  if (patch->side_count == 2)
    dense->sub_mul_t(BODY, BODY, BODY, Y[r], BODY, patch->side[1 - r].column, BODY, to[1],
                     stride[1]);
}

// The lower triangle of a block of the dense Hessian += D.
static void add_lower(double *to, size_t stride, const double D[BODY * BODY]) {
  for (size_t i = 0; i < BODY; ++i)
    for (size_t j = 0; j <= i; ++j) to[i * stride + j] += D[BODY * i + j];
}

// What a patch of bodies adds: its K, or where that is NULL what its contacts have by rows of J.
typedef struct body_patch {
  const limpet_patch *patch;
  const double *K, *J, *G;
} body_patch;

static void body_to_blocks(const body_patch *of, int r, double *const to[3], const int stride[3]) {
  if (of->K) bodies_to_blocks(of->patch, of->K, r, to, stride);
  else
    limpet_dense()->body_stiffness(of->patch->contact_count, of->patch->side_count, r, of->J, of->G,
                                   to, stride);
}

static void body_to_dense(limpet_island_solver *s, const body_patch *of) {
  double D[2][BODY * BODY];
  const limpet_patch *patch = of->patch;
  const size_t n = (size_t)s->H_stride;
  const int r = patch->side_count == 2 && patch->side[1].dof[0] > patch->side[0].dof[0];
  const size_t row = (size_t)patch->side[r].dof[0];
  double *between = s->H + row * n;
  if (patch->side_count == 2) between += patch->side[1 - r].dof[0];
  double *const to[3] = {D[0], between, D[1]};
  memset(D, 0, sizeof D);
  body_to_blocks(of, r, to, (const int[]){BODY, s->H_stride, BODY});
  for (int a = 0; a < patch->side_count; ++a)
    add_lower(s->H + (size_t)patch->side[a].dof[0] * (n + 1), n, D[a]);
}

static void body_to_hessian(limpet_island_solver *s, const body_patch *of,
                            const limpet_patch_blocks *b) {
  if (s->H) body_to_dense(s, of);
  else body_to_blocks(of, of->patch->side_count == 2 && !b->transposed, b->block, b->stride);
}

static void patch_to_dense(limpet_island_solver *s, const limpet_patch *patch, const double K[36]) {
  for (int a = 0; a < patch->side_count; ++a)
    for (int b = 0; b < patch->side_count; ++b) {
      const limpet_patch_side *rows = &patch->side[a], *columns = &patch->side[b];
      limpet_dense()->add_congruent(rows->count, rows->dof, rows->column, K, columns->count,
                                    columns->dof, columns->column, s->H, s->H_stride);
    }
}

// block (rows x columns) += Y columns'; only the lower triangle when rows and columns are the same
// side.
static void add_block(double *block, int stride, const limpet_patch_side *rows, int row_shift,
                      const double *Y, const limpet_patch_side *columns, int column_shift,
                      int lower) {
  for (int i = 0; i < rows->count; ++i) {
    double *to = block + (size_t)(rows->dof[i] - row_shift) * (size_t)stride - column_shift;
    for (int j = 0; j < columns->count; ++j) {
      if (lower && columns->dof[j] > rows->dof[i]) continue;
      to[columns->dof[j]] += limpet_spatial_dot(Y + 6 * i, columns->column + 6 * j);
    }
  }
}

static void patch_to_sparse(const limpet_patch *patch, const limpet_patch_blocks *b,
                            const double K[36]) {
  double Y[6 * COLUMN_CAPACITY];
  for (int a = 0; a < patch->side_count; ++a) {
    const limpet_patch_side *rows = &patch->side[a];
    const int shift = b->first[a];
    for (int begin = 0; begin < rows->count; begin += COLUMN_CAPACITY) {
      limpet_patch_side part = *rows;
      part.count = rows->count - begin < COLUMN_CAPACITY ? rows->count - begin : COLUMN_CAPACITY;
      part.column += 6 * begin, part.dof += begin;
      stiffness_times_columns(&part, K, Y);
      add_block(b->block[a == 0 ? 0 : 2], b->stride[a == 0 ? 0 : 2], &part, shift, Y, rows, shift,
                1);
      // the off-diagonal block once, from the side whose rows it has
      if (patch->side_count == 2 && (b->transposed ? a == 0 : a == 1)) {
        const limpet_patch_side *columns = &patch->side[1 - a];
        add_block(b->block[1], b->stride[1], &part, shift, Y, columns, b->first[1 - a], 0);
      }
    }
  }
}

// Address of the entry (i, j) of the Hessian, i >= j in local order where dense.
static double *entry(limpet_island_solver *s, int i, int j) {
  if (s->H)
    return i >= j ? &s->H[(size_t)i * (size_t)s->H_stride + (size_t)j]
                  : &s->H[(size_t)j * (size_t)s->H_stride + (size_t)i];
  const int a = s->part_of[i], b = s->part_of[j];
  const int row = i - s->part_first[a], column = j - s->part_first[b];
  if (a == b) {
    const int stride = s->block_stride[a];
    return row >= column ? &s->diagonal_block[a][row * stride + column]
                         : &s->diagonal_block[a][column * stride + row];
  }
  int stride, transposed;
  double *block = limpet_block_cholesky_block(s->sparse, a, b, &stride, &transposed);
  return transposed ? &block[column * stride + row] : &block[row * stride + column];
}

static void row_to_sparse(limpet_island_solver *s, const limpet_constraint_row *row,
                          double curvature) {
  const limpet_contact_problem *p = s->problem;
  for (int e = row->entry; e < row->entry + row->entry_count; ++e)
    for (int f = row->entry; f <= e; ++f)
      *entry(s, p->entry_dof[e], p->entry_dof[f]) +=
          curvature * p->entry_value[e] * p->entry_value[f];
}

// The larger of two velocities has the row, entry by entry.
static void row_to_dense(limpet_island_solver *s, const limpet_constraint_row *row,
                         double curvature) {
  const int *dof = s->problem->entry_dof + row->entry;
  const double *value = s->problem->entry_value + row->entry;
  const size_t stride = (size_t)s->H_stride;
  for (int e = 0, largest = -1; e < row->entry_count; ++e) {
    const double share = curvature * value[e];
    const size_t own = (size_t)dof[e];
    double *of_row = s->H + own * stride;
    if (dof[e] >= largest) {
      largest = dof[e];
      for (int f = 0; f <= e; ++f) of_row[dof[f]] += share * value[f];
      continue;
    }
    for (int f = 0; f <= e; ++f) {
      double *to = dof[f] <= dof[e] ? of_row + dof[f] : s->H + (size_t)dof[f] * stride + own;
      *to += share * value[f];
    }
  }
}

/* The same for three rows with the same velocities, where all act; each entry sums them one after
 * the other. False: one of them does not. */
static bool triple_to_dense(limpet_island_solver *s, const limpet_constraint_row *row,
                            const double u[3]) {
  const int *dof = s->problem->entry_dof + row->entry, count = row->entry_count;
  const double *value[3], *all = s->problem->entry_value;
  double curvature[3];
  for (int k = 0; k < 3; ++k) {
    curvature[k] = limpet_row_curvature(row + k, limpet_row_wanted(row + k, u[k]));
    if (curvature[k] == 0.0) return false;
    value[k] = all + row[k].entry;
  }
  const double *a = value[0], *b = value[1], *c = value[2];
  const size_t stride = (size_t)s->H_stride;
  for (int e = 0; e < count; ++e) {
    const double x = curvature[0] * a[e], y = curvature[1] * b[e], z = curvature[2] * c[e];
    const int own = dof[e];
    double *of_row = s->H + (size_t)own * stride, *of_column = s->H + own;
    for (int f = 0; f <= e; ++f) {
      double *to = dof[f] <= own ? of_row + dof[f] : of_column + (size_t)dof[f] * stride;
      *to = ((*to + x * a[f]) + y * b[f]) + z * c[f];
    }
  }
  return true;
}

// A row within its bounds, of any number of velocities.
static void row_to_hessian(limpet_island_solver *s, const limpet_constraint_row *row,
                           double curvature) {
  if (s->H) row_to_dense(s, row, curvature);
  else row_to_sparse(s, row, curvature);
}

static void rows_to_hessian(limpet_island_solver *s) {
  const limpet_contact_problem *p = s->problem;
  const limpet_constraint_row *row = p->row + s->island->row, *end = row + s->island->row_count;
  const bool *triple = s->H ? s->row_triple : NULL;
  double *H = s->H;
  const size_t next = H ? (size_t)s->H_stride + 1 : 0;  // between numbers of the diagonal
  for (const double *u = s->row_u; row < end; ++row, ++u) {
    if (triple && triple[u - s->row_u] && triple_to_dense(s, row, u)) {
      row += 2, u += 2;
      continue;
    }
    const double curvature = limpet_row_curvature(row, limpet_row_wanted(row, *u));
    if (curvature == 0.0) continue;
    if (!H || row->entry_count != 1) {
      row_to_hessian(s, row, curvature);
      continue;
    }
    // nearly all rows of a robot
    const double value = p->entry_value[row->entry];
    H[(size_t)p->entry_dof[row->entry] * next] += curvature * value * value;
  }
}

static void patch_to_hessian(limpet_island_solver *s, int index) {
  const limpet_patch *patch = &s->problem->patch[s->island->patch + index];
  const limpet_patch_blocks *b = s->H ? NULL : &s->patch_block[index];
  const bool joins = !(b && b->in_pieces) && joins_bodies(patch, b);
  const double *rows = joins && s->body_rows ? s->body_rows[index] : NULL;
  // rows cost less than K where they are few, and know no spins
  if (rows && patch->contact_count <= FEW_CONTACTS && patch->spin_count == 0) {
    const double *G = s->contact_G + LIMPET_HESSIAN_SIZE * (patch->contact - s->island->contact);
    body_to_hessian(s, &(body_patch){.patch = patch, .J = rows, .G = G}, b);
    return;
  }
  double K[36];
  if (!limpet_island_patch_stiffness(s, patch, K)) return;
  if (b && b->in_pieces) limpet_island_pieces_add(s, index, K);
  else if (joins) body_to_hessian(s, &(body_patch){.patch = patch, .K = K}, b);
  else if (s->H) patch_to_dense(s, patch, K);
  else patch_to_sparse(patch, b, K);
}

static void patches_to_hessian(limpet_island_solver *s) {
  for (int i = 0; i < s->island->patch_count; ++i) patch_to_hessian(s, i);
}

// A + J' G J + rows for G = contact_G.
static void assemble_given(limpet_island_solver *s) {
  if (s->H) limpet_island_dense_mass(s);
  else limpet_island_sparse_mass(s);
  if (s->H && s->gram) limpet_island_dense_contacts(s);
  else patches_to_hessian(s);
  rows_to_hessian(s);
}

static void contact_hessians(limpet_island_solver *s, const double *dual) {
  if (s->island->contact_count)
    s->model->hessian(s->constants, s->island->contact_count, s->contact_v, dual, s->contact_G);
  limpet_island_spins_hessian(s, dual ? s->spins.dual : NULL);
}

void limpet_island_assemble(limpet_island_solver *s, const double *dual) {
  contact_hessians(s, dual);
  assemble_given(s);
}

static void stiffen_diagonal(limpet_island_solver *s, double share) {
  for (int i = 0; i < s->n; ++i) *entry(s, i, i) *= 1.0 + share;
}

static bool factor(limpet_island_solver *s) {
  return s->H ? limpet_island_dense_factor(s) : limpet_block_cholesky_factor(s->sparse) == 0;
}

bool limpet_island_factor(limpet_island_solver *s) {
  if (!s->H && !s->sparse && limpet_island_hessian_create(s, s->dense_limit, s->later) != LIMPET_OK)
    return false;
  assemble_given(s);
  bool failed = !factor(s);
  // stiffness ratios beyond the digits of doubles: a little more on the diagonal still gives a
  // direction of descent
  for (double share = least_share; failed && share < largest_share; share *= share_growth) {
    assemble_given(s);
    stiffen_diagonal(s, share);
    failed = !factor(s);
  }
  return !failed;
}

void limpet_island_back_solve(const limpet_island_solver *s, double *x) {
  if (s->H) limpet_island_dense_solve(s, x);
  else limpet_block_cholesky_solve(s->sparse, x);
}

bool limpet_island_direction(void *context, const double *gradient, double *direction) {
  limpet_island_solver *s = context;
  contact_hessians(s, s->plain_hessian ? NULL : s->contact_dual);
  if (!limpet_island_factor(s)) return false;
  for (int i = 0; i < s->n; ++i) direction[i] = -gradient[i];
  limpet_island_back_solve(s, direction);
  return true;
}

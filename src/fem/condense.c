/* fem/condense.c: the matrix of a deformable body condensed onto the nodes in contact.
 *
 *   W = (H^-1)_CC [1/kg],   A = W^-1: the Schur complement of H onto C
 *   all nodes: dv = H^-1 E_C impulse,  impulse = A dv_C
 * W comes from solves on the paths of the elimination tree (math/block_inverse.c), so the factor of
 * the free motion serves whatever nodes take part.
 * Where all nodes that move are in C, A = H without those that are fixed, and none follow.
 * Cost: that of W, and (3 c)^3/2 multiply-adds for the inverse; of all nodes that of the diagonal
 * of H^-1. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "fem/rigid_set.h"
#include "math/block_inverse.h"
#include "math/dense.h"
#include "math/dense_table.h"

enum { FIRST_ROOM = 16 };  // nodes

typedef struct limpet_fem_condensed {
  int room;  // blocks of three rows
  int count, rows;
  bool whole;          // all nodes that move are there: W is not factored
  int *nodes;          // (node_count)
  double *impulse;     // (3 node_count)
  double *diagonal;    // limpet_block_inverse_diagonal_doubles; NULL: not taken yet
  double *W;           // (3 room x 3 room)  its Cholesky factor below the diagonal after condense
  double *work;        // limpet_block_inverse_doubles, which is more than W
  int *index;          // limpet_block_inverse_ints
  double *reciprocal;  // (3 room)  of the diagonal of W's factor
} condensed;

static void room_free(condensed *c) {
  free(c->W), free(c->work), free(c->index), free(c->reciprocal);
}

static limpet_status room_take(const limpet_fem_step *step, int room, condensed *c) {
  const size_t columns = 3 * (size_t)room;
  c->room = room;
  c->W = malloc(columns * columns * sizeof *c->W);
  c->work = limpet_pages_alloc((size_t)limpet_block_inverse_doubles(step->factor, (int)columns) *
                               sizeof *c->work);
  c->index = malloc((size_t)limpet_block_inverse_ints(step->factor, room) * sizeof *c->index);
  c->reciprocal = malloc(columns * sizeof *c->reciprocal);
  if (c->W && c->work && c->index && c->reciprocal) return LIMPET_OK;
  room_free(c);
  return LIMPET_ERROR_MEMORY;
}

limpet_status limpet_fem_condensed_create(limpet_fem_step *step) {
  const int nodes = step->body->info.node_count;
  const int room = nodes < FIRST_ROOM ? nodes : FIRST_ROOM;
  condensed *c = step->condensed = LIMPET_TAKE_ZERO(&step->arena, condensed, 1);
  if (!c) return LIMPET_ERROR_MEMORY;
  c->nodes = LIMPET_TAKE(&step->arena, int, nodes);
  c->impulse = LIMPET_TAKE(&step->arena, double, 3L * nodes);
  if (c->nodes && c->impulse && room_take(step, room, c) == LIMPET_OK) return LIMPET_OK;
  step->condensed = NULL;
  return LIMPET_ERROR_MEMORY;
}

void limpet_fem_condensed_destroy(limpet_fem_step *step) {
  if (step->condensed) room_free(step->condensed);
}

static limpet_status room_make(limpet_fem_step *step, int count) {
  condensed *c = step->condensed;
  if (count <= c->room) return LIMPET_OK;
  const int nodes = step->body->info.node_count;
  int room = c->room;
  while (room < count) room *= 2;
  condensed next = *c;
  if (room_take(step, room < nodes ? room : nodes, &next)) return LIMPET_ERROR_MEMORY;
  room_free(c);
  *c = next;
  return LIMPET_OK;
}

int limpet_fem_free_count(const limpet_fem_step *step) {
  int free = 0;
  for (int i = 0; i < step->body->info.node_count; ++i) free += !step->fixed[i];
  return free;
}

double limpet_fem_factor_cost(const limpet_fem_step *step) {
  return limpet_block_cholesky_flops(step->factor);
}

// Keeps which nodes take part.
static void nodes_take(limpet_fem_step *step, int count, const int *nodes) {
  condensed *c = step->condensed;
  for (int k = 0; k < count; ++k) {
    assert(nodes[k] >= 0 && nodes[k] < step->body->info.node_count && !step->fixed[nodes[k]]);
    c->nodes[k] = nodes[k];
  }
  c->count = count, c->rows = limpet_fem_nodes_rows(step, count, nodes);
  c->whole = count == limpet_fem_free_count(step) && !step->body->gas.present && !step->rigid;
}

limpet_status limpet_fem_step_take_whole(limpet_fem_step *step, int count, const int *nodes,
                                         double *inverse) {
  assert(step && nodes);
  condensed *c = step->condensed;
  nodes_take(step, count, nodes);
  assert(c->whole);
  if (!inverse) return LIMPET_OK;
  if (!c->diagonal) {
    c->diagonal =
        LIMPET_TAKE(&step->arena, double, limpet_block_inverse_diagonal_doubles(step->factor));
  }
  if (!c->diagonal) return LIMPET_ERROR_MEMORY;
  limpet_block_inverse_diagonal(step->factor, inverse, c->diagonal);
  return LIMPET_OK;
}

// A block of H (3 x 3, row-major) to A, and its transpose to the other triangle.
static void block_spread(const double *block, int row, int column, double *A, int lda) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      A[(3L * row + i) * lda + 3 * column + j] = block[3 * i + j];
      A[(3L * column + j) * lda + 3 * row + i] = block[3 * i + j];
    }
}

// A <- H of nodes that are all there. number (node_count): scratch.
static void whole_copy(const limpet_fem_step *step, int count, const int *nodes, int *number,
                       double *A, int lda) {
  const limpet_fem_body *body = step->body;
  for (int i = 0; i < body->info.node_count; ++i) number[i] = -1;
  for (int k = 0; k < count; ++k) number[nodes[k]] = k;
  for (int i = 0; i < 3 * count; ++i) memset(A + (long)i * lda, 0, 3 * (size_t)count * sizeof *A);
  for (int i = 0; i < body->info.node_count; ++i)
    for (int k = body->row_begin[i]; number[i] >= 0 && k < body->row_begin[i + 1]; ++k) {
      const int j = body->column[k];
      if (number[j] >= 0) block_spread(step->H + 9L * k, number[i], number[j], A, lda);
    }
}

// Of A^-1 what is wanted: all of it (leading dimension lda), or its diagonal; or both NULL.
static limpet_status condense(limpet_fem_step *step, int count, const int *nodes, double *A,
                              int lda, double *inverse, double *diagonal) {
  assert(step && count >= 0 && (count == 0 || (nodes && A)));
  const int n = limpet_fem_nodes_rows(step, count, nodes);
  assert(lda >= n);
  if (room_make(step, n / 3)) return LIMPET_ERROR_MEMORY;
  condensed *c = step->condensed;
  nodes_take(step, count, nodes);
  if (count == 0) return LIMPET_OK;
  if (c->whole && !inverse && !diagonal) {
    whole_copy(step, count, nodes, c->index, A, lda);
    return LIMPET_OK;
  }
  limpet_block_inverse_part(step->factor, count, nodes, c->W, n, c->work, c->index);
  limpet_fem_gas_condense(step, count, nodes, c->W);
  if (inverse)
    for (int i = 0; i < n; ++i)
      memcpy(inverse + (long)i * lda, c->W + (long)i * n, (size_t)n * sizeof *c->W);
  for (int i = 0; diagonal && i < n; ++i) diagonal[i] = c->W[(long)i * n + i];
  if (c->whole) {
    whole_copy(step, count, nodes, c->index, A, lda);
    return LIMPET_OK;
  }
  const limpet_dense_table *dense = limpet_dense();
  const int failed = dense->cholesky(n, c->W, n, c->reciprocal);
  (void)failed;  // a part of the inverse of a positive definite matrix is positive definite
  assert(failed == 0);
  dense->cholesky_invert(n, c->W, n, c->reciprocal, c->work, A, lda);
  return LIMPET_OK;
}

limpet_status limpet_fem_step_condense(limpet_fem_step *step, int count, const int *nodes,
                                       double *A, int lda, double *inverse) {
  assert(step && count >= 0);
  return condense(step, count, nodes, A, lda, inverse, NULL);
}

limpet_status limpet_fem_step_condense_diagonal(limpet_fem_step *step, int count, const int *nodes,
                                                double *A, int lda, double *diagonal) {
  assert(step && count >= 0);
  return condense(step, count, nodes, A, lda, NULL, diagonal);
}

// Where the unknowns of the nodes that take part are in x, of which each node has a place.
static double *at_node(const limpet_fem_step *step, int node, double *x) {
  return x + (step->rigid ? step->rigid->row[node] : 3L * node);
}

// v = v* + H^-1 E_C c->impulse
static void respond(limpet_fem_step *step, double *v) {
  const condensed *c = step->condensed;
  const long n = 3L * step->body->info.node_count;
  double *x = step->rigid ? step->rigid->rows : v;
  memset(x, 0, (size_t)(n + (step->rigid ? 3L * step->rigid->count : 0)) * sizeof *x);
  for (int k = 0, i = 0; k < c->count; ++k) {
    const int rows = limpet_fem_node_rows(step, c->nodes[k]);
    memcpy(at_node(step, c->nodes[k], x), c->impulse + i, (size_t)rows * sizeof *x);
    i += rows;
  }
  if (step->rigid) {
    limpet_block_cholesky_solve(step->factor, x);
    limpet_fem_rigid_expand(step, x, v);
  } else {
    limpet_fem_back_solve(step, v);
  }
  for (long i = 0; i < n; ++i) v[i] += step->free[i];
}

void limpet_fem_step_follow_impulse(limpet_fem_step *step, const double *impulse, double *v) {
  assert(step && v && (step->condensed->count == 0 || impulse));
  condensed *c = step->condensed;
  if (c->count > 0) memcpy(c->impulse, impulse, (size_t)c->rows * sizeof *impulse);
  respond(step, v);
}

// v = v* + dv at the nodes that take part.
static void set_changed(const limpet_fem_step *step, const double *dv, double *v) {
  const condensed *c = step->condensed;
  for (int k = 0; k < c->count; ++k) {
    const int node = c->nodes[k], set = limpet_fem_set_of(step, node);
    if (set == LIMPET_FEM_FREE_NODE) {
      for (int i = 0; i < 3; ++i) v[3L * node + i] = step->free[3L * node + i] + dv[i];
    } else {
      limpet_fem_rigid_move(step, set, dv, v);
      for (int j = node; j < step->body->info.node_count; ++j)
        for (int i = 0; i < 3 && step->rigid->set[j] == set; ++i)
          v[3L * j + i] += step->free[3L * j + i];
    }
    dv += limpet_fem_node_rows(step, node);
  }
}

void limpet_fem_step_follow(limpet_fem_step *step, const double *dv, double *v) {
  assert(step && v && (step->condensed->count == 0 || dv));
  condensed *c = step->condensed;
  const int n = c->rows;
  if (n > 0 && !c->whole) {
    memcpy(c->impulse, dv, (size_t)n * sizeof *dv);
    limpet_cholesky_solve(n, c->W, n, c->impulse);
  }
  if (c->whole) memcpy(v, step->free, 3 * (size_t)step->body->info.node_count * sizeof *v);
  else respond(step, v);
  set_changed(step, dv, v);
}

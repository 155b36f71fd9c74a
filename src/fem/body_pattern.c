/* fem/body_pattern.c: which 3 x 3 blocks the matrix of a deformable body has: lower triangle, by
 * rows, columns ascending, and where the blocks of each element's pairs of nodes lie. */
#include <stdlib.h>
#include <string.h>

#include "fem/body.h"

enum { LANES = LIMPET_FEM_LANES, MOST_NODES = LIMPET_THIN_NODES };  // a tetrahedron has 10

static int compare_int(const void *a, const void *b) {
  return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static int nodes_sorted(const limpet_fem_body *body, int t, int *node) {
  const int k = body->element_nodes;
  if (t >= body->info.tetrahedron_count) {
    const limpet_thin_element *e = &body->thin.element[t - body->info.tetrahedron_count];
    memcpy(node, e->node, sizeof e->node);
    return e->count;
  }
  memcpy(node, body->element_node + (long)k * t, (size_t)k * sizeof *node);
  qsort(node, (size_t)k, sizeof *node, compare_int);
  return k;
}

// Tetrahedra, and thin elements behind them.
static int elements_of(const limpet_fem_body *body) {
  return body->info.tetrahedron_count + body->thin.count;
}

// Number of entries of each row, repetitions included, as beginnings: begin[i + 2] counts row i.
static void rows_count(const limpet_fem_body *body, int *begin) {
  int node[MOST_NODES];
  for (int t = 0; t < elements_of(body); ++t) {
    const int k = nodes_sorted(body, t, node);
    for (int b = 0; b < k; ++b) begin[node[b] + 2] += b + 1;
  }
  // a node that no element of stiffness has is there with its mass
  for (int i = 0; i < body->info.node_count; ++i) ++begin[i + 2];
  for (int i = 0; i < body->info.node_count; ++i) begin[i + 2] += begin[i + 1];
}

static void rows_fill(const limpet_fem_body *body, int *begin, int *column) {
  int node[MOST_NODES];
  for (int i = 0; i < body->info.node_count; ++i) column[begin[i + 1]++] = i;
  for (int t = 0; t < elements_of(body); ++t) {
    const int k = nodes_sorted(body, t, node);
    for (int b = 0; b < k; ++b)
      for (int a = 0; a <= b; ++a) column[begin[node[b] + 1]++] = node[a];
  }
}

// Sorts each row and keeps each column once; begin (node_count + 1) becomes that of what is kept.
static int rows_merge(int rows, int *begin, int *column) {
  int kept = 0;
  for (int i = 0, from = 0; i < rows; ++i) {
    const int to = begin[i + 1];
    qsort(column + from, (size_t)(to - from), sizeof *column, compare_int);
    begin[i] = kept;
    for (int n = from; n < to; ++n)
      if (kept == begin[i] || column[kept - 1] != column[n]) column[kept++] = column[n];
    from = to;
  }
  begin[rows] = kept;
  return kept;
}

static int block_find(const limpet_fem_body *body, int row, int column) {
  int low = body->row_begin[row], high = body->row_begin[row + 1] - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (body->column[middle] < column) low = middle + 1;
    else high = middle;
  }
  return low;
}

static void places_find(limpet_fem_body *body) {
  const int k = body->element_nodes, pairs = k * (k + 1) / 2;
  int node[MOST_NODES];
  for (int n = 0; n < body->batch_count * LANES; ++n) {
    const int last = body->info.tetrahedron_count - 1;
    nodes_sorted(body, n < last ? n : last, node);
    int *place = body->place + (long)(n / LANES) * pairs * LANES + n % LANES;
    for (int b = 0; b < k; ++b)
      for (int a = 0; a <= b; ++a, place += LANES) *place = block_find(body, node[b], node[a]);
  }
}

static void thin_places_find(limpet_fem_body *body) {
  for (int t = 0; t < body->thin.count; ++t) {
    limpet_thin_element *e = &body->thin.element[t];
    int *place = e->place;
    for (int b = 0; b < e->count; ++b)
      for (int a = 0; a <= b; ++a) *place++ = block_find(body, e->node[b], e->node[a]);
  }
}

limpet_status limpet_fem_body_pattern(limpet_fem_body *body) {
  const long k = body->element_nodes, pairs = k * (k + 1) / 2, n = body->info.node_count;
  body->batch_count = (body->info.tetrahedron_count + LANES - 1) / LANES;
  int *begin = calloc((size_t)n + 2, sizeof *begin);
  int *column = malloc((size_t)(pairs * body->info.tetrahedron_count +
                                LIMPET_THIN_PAIRS * (long)body->thin.count + n) *
                       sizeof *column);
  limpet_status status = begin && column ? LIMPET_OK : LIMPET_ERROR_MEMORY;
  if (status == LIMPET_OK) {
    rows_count(body, begin);
    rows_fill(body, begin, column);
    body->block_count = rows_merge((int)n, begin, column);
    body->row_begin = LIMPET_TAKE(&body->arena, int, n + 1);
    body->column = LIMPET_TAKE(&body->arena, int, body->block_count);
    body->place = LIMPET_TAKE(&body->arena, int, body->batch_count *pairs *LANES);
    if (!body->row_begin || !body->column || !body->place) status = LIMPET_ERROR_MEMORY;
  }
  if (status == LIMPET_OK) {
    memcpy(body->row_begin, begin, (size_t)(n + 1) * sizeof *begin);
    memcpy(body->column, column, (size_t)body->block_count * sizeof *column);
    places_find(body);
    thin_places_find(body);
  }
  free(begin), free(column);
  return status;
}

void limpet_fem_body_blocks(const limpet_fem_body *body, int *size, int *pairs) {
  for (int i = 0; i < body->info.node_count; ++i) {
    size[i] = 3;
    for (int k = body->row_begin[i]; k < body->row_begin[i + 1]; ++k)
      pairs[2 * k] = i, pairs[2 * k + 1] = body->column[k];
  }
}

/* math/block_inverse.c: W = (H^-1)_CC = Y' Y with Y = L^-1 E_C, H = L L'.
 *
 * Y is found supernode by supernode, forward, for all columns at once. A column is zero but on the
 * path from its block to the root of the elimination tree. Columns are sorted by position; since
 * the order of elimination is a postorder, those that pass through a supernode are neighbours:
 * the range [low, high). With X the rows of Y that belong to a supernode (diagonal block D = L L',
 * block row P of the upper factor):
 *   X <- L^-1 X,   Y[R] -= P' X,   W += X' X
 * Of Y the columns that pass are stored, supernode by supernode.
 * Source: Davis, Direct Methods for Sparse Linear Systems, section 3.2 (sparse right-hand sides).
 * Cost: sum over supernodes of (w/2 + r + m/2) w m multiply-adds, m = high - low, w rows, r below.
 */
#include "math/block_inverse.h"

#include <assert.h>
#include <string.h>

#include "math/block_symbolic.h"
#include "math/dense_table.h"

static long stride_of(int columns) { return (columns + 3) & ~3; }

long limpet_block_inverse_doubles(const limpet_block_cholesky *factor, int columns) {
  assert(factor && columns >= 0);
  const long stride = stride_of(columns);
  return stride * factor->row_count + stride * stride;
}

long limpet_block_inverse_ints(const limpet_block_cholesky *factor, int blocks) {
  assert(factor && blocks >= 0);
  return 3L * factor->supernode_count + 3L * blocks + factor->n + 2;
}

typedef struct part {
  const limpet_block_cholesky *factor;
  int count, columns;
  long stride;
  int *order;       // (count)  which of the blocks is number k by position
  int *first;       // (count + 1)  first column of number k
  int *low, *high;  // (supernode_count)  columns that pass through; high 0: none
  int *place;       // (supernode_count)  where its rows of Y begin, in groups of 4 numbers
  double *Y, *V;    // rows of low..high, (stride x stride): -W in sorted order
} part;

// Numbers between rows of Y of a supernode.
static int row_stride(const part *p, int s) { return (int)stride_of(p->high[s] - p->low[s]); }

// Row `row` (in the order of elimination) of Y, of supernode s, in column `column`.
static double *place_of(const part *p, int s, int row, int column) {
  return p->Y + 4L * p->place[s] + (long)(row - p->factor->supernode[s].row) * row_stride(p, s) +
         column - p->low[s];
}

double limpet_block_inverse_flops(const limpet_block_cholesky *factor, int count, const int *blocks,
                                  int *index) {
  assert(factor && (count == 0 || blocks) && index);
  double flops = 0.0;
  for (int s = 0; s < factor->supernode_count; ++s) index[s] = 0;
  for (int k = 0; k < count; ++k) {
    const int q = factor->position[blocks[k]];
    index[factor->owner[q]] += factor->row[q + 1] - factor->row[q];
  }
  for (int s = 0; s < factor->supernode_count; ++s) {
    const limpet_supernode *node = &factor->supernode[s];
    const double w = node->width, m = index[s];
    flops += (0.5 * w + node->below + 0.5 * m) * w * m;
    if (node->list_count > 0) index[factor->owner[factor->list[node->list]]] += index[s];
  }
  return flops;
}

// Blocks sorted by position, by counting.
static void blocks_sort(part *p, const int *blocks, int *number) {
  const limpet_block_cholesky *factor = p->factor;
  for (int q = 0; q < factor->n; ++q) number[q] = -1;
  for (int k = 0; k < p->count; ++k) {
    assert(blocks[k] >= 0 && blocks[k] < factor->n && number[factor->position[blocks[k]]] < 0);
    number[factor->position[blocks[k]]] = k;
  }
  int at = 0, column = 0;
  for (int q = 0; q < factor->n; ++q)
    if (number[q] >= 0) {
      p->order[at] = number[q];
      p->first[at++] = column;
      column += factor->row[q + 1] - factor->row[q];
    }
  p->first[at] = p->columns = column;
}

// Ranges of columns of all supernodes, places of their rows, and Y = E_C.
static void ranges_find(part *p, const int *blocks) {
  const limpet_block_cholesky *factor = p->factor;
  for (int s = 0; s < factor->supernode_count; ++s) p->low[s] = p->columns, p->high[s] = 0;
  for (int k = 0; k < p->count; ++k) {
    const int s = factor->owner[factor->position[blocks[p->order[k]]]];
    if (p->first[k] < p->low[s]) p->low[s] = p->first[k];
    if (p->first[k + 1] > p->high[s]) p->high[s] = p->first[k + 1];
  }
  long size = 0;
  for (int s = 0; s < factor->supernode_count; ++s) {
    const limpet_supernode *node = &factor->supernode[s];
    if (p->high[s] <= p->low[s]) continue;
    p->place[s] = (int)(size / 4);
    size += (long)node->width * row_stride(p, s);
    if (node->list_count == 0) continue;
    const int up = factor->owner[factor->list[node->list]];
    if (p->low[s] < p->low[up]) p->low[up] = p->low[s];
    if (p->high[s] > p->high[up]) p->high[up] = p->high[s];
  }
  memset(p->Y, 0, (size_t)size * sizeof *p->Y);
  for (int k = 0; k < p->count; ++k) {
    const int q = factor->position[blocks[p->order[k]]], row = factor->row[q];
    for (int i = 0; i < p->first[k + 1] - p->first[k]; ++i)
      *place_of(p, factor->owner[q], row + i, p->first[k] + i) = 1.0;
  }
}

// One supernode: its rows of Y, what they take from later rows, and their part of -W.
static void supernode_pass(part *p, int number) {
  const limpet_block_cholesky *factor = p->factor;
  const limpet_dense_table *dense = limpet_dense();
  const limpet_supernode *s = &factor->supernode[number];
  const int low = p->low[number], m = p->high[number] - low, stride = row_stride(p, number);
  double *X = place_of(p, number, s->row, low);
  const double *P = factor->values + s->panel;
  dense->panel_solve(s->width, m, factor->values + s->diagonal, factor->inverse + s->row, X,
                     stride);
  const int *list = factor->list + s->list, *column = factor->column + s->list;
  for (int i = 0, end; i < s->list_count; i = end) {
    const int to = factor->owner[list[i]], last = factor->supernode[to].last;
    for (end = i + 1; end < s->list_count && list[end] == list[end - 1] + 1 && list[end] <= last;)
      ++end;
    const int rows = (end < s->list_count ? column[end] : s->below) - column[i];
    dense->panel_product(rows, m, s->width, P + column[i], s->stride, X, stride,
                         place_of(p, to, factor->row[list[i]], low), row_stride(p, to));
  }
  const limpet_panel_update square = {m, m, 0, 0, (int)(low * p->stride + low), (int)p->stride, 1};
  dense->panel_update(1, &square, s->width, X, stride, p->V);
}

// W from -W in sorted order, of which the lower triangle is there.
static void matrix_hand_out(const part *p, const int *start, double *W, int ldw) {
  for (int a = 0; a < p->count; ++a)
    for (int b = 0; b <= a; ++b)
      for (int i = p->first[a]; i < p->first[a + 1]; ++i)
        for (int j = p->first[b]; j < p->first[b + 1]; ++j) {
          const double w = i >= j ? -p->V[i * p->stride + j] : -p->V[j * p->stride + i];
          const long row = start[p->order[a]] + i - p->first[a],
                     column = start[p->order[b]] + j - p->first[b];
          W[row * ldw + column] = W[column * ldw + row] = w;
        }
}

void limpet_block_inverse_part(const limpet_block_cholesky *factor, int count, const int *blocks,
                               double *W, int ldw, double *work, int *index) {
  assert(factor && (count == 0 || (blocks && W)) && work && index);
  part p = {.factor = factor, .count = count};
  p.low = index, p.high = p.low + factor->supernode_count;
  p.place = p.high + factor->supernode_count;
  p.order = p.place + factor->supernode_count, p.first = p.order + count;
  int *start = p.first + count + 1, *number = start + count;
  blocks_sort(&p, blocks, number);
  p.stride = stride_of(p.columns);
  p.V = work, p.Y = work + p.stride * p.stride;
  memset(p.V, 0, (size_t)(p.stride * p.stride) * sizeof *p.V);
  ranges_find(&p, blocks);
  for (int s = 0; s < factor->supernode_count; ++s)
    if (p.high[s] > p.low[s]) supernode_pass(&p, s);
  for (int k = 0, row = 0; k < count; ++k) {
    const int q = factor->position[blocks[k]];
    start[k] = row;
    row += factor->row[q + 1] - factor->row[q];
  }
  matrix_hand_out(&p, start, W, ldw);
}

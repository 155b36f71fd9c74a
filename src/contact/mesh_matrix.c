// contact/mesh_matrix.c: see mesh_matrix.h.
#include "contact/mesh_matrix.h"

#include <string.h>

#include "math/block_inverse.h"
#include "math/dense.h"

enum { ROW = LIMPET_MESH_ROW, BLOCK = ROW * ROW };

void limpet_mesh_matrix_apply(const limpet_block *block, const double *x, double *y) {
  const limpet_mesh_matrix *mesh = block->mesh;
  for (int r = 0; r < mesh->rows; ++r) {
    const double *x_r = x + ROW * r;
    double sum[ROW] = {0.0, 0.0, 0.0};
    for (int e = mesh->begin[r]; e < mesh->begin[r + 1]; ++e) {
      const int c = mesh->column[e];
      const double *a = mesh->value + BLOCK * e, *x_c = x + ROW * c;
      for (int i = 0; i < ROW; ++i)
        sum[i] += a[ROW * i] * x_c[0] + a[ROW * i + 1] * x_c[1] + a[ROW * i + 2] * x_c[2];
      if (c == r) continue;
      for (int j = 0; j < ROW; ++j)
        y[ROW * c + j] += a[j] * x_r[0] + a[ROW + j] * x_r[1] + a[2 * ROW + j] * x_r[2];
    }
    for (int i = 0; i < ROW; ++i) y[ROW * r + i] += sum[i];
  }
}

void limpet_mesh_matrix_diagonal(const limpet_block *block, double *to) {
  const limpet_mesh_matrix *mesh = block->mesh;
  for (int r = 0; r < mesh->rows; ++r)
    for (int i = 0; i < ROW; ++i)
      to[ROW * r + i] = mesh->value[BLOCK * (mesh->begin[r + 1] - 1) + i * (ROW + 1)];
}

void limpet_mesh_matrix_copy(const limpet_block *block, bool lower, double *to, size_t stride) {
  const limpet_mesh_matrix *mesh = block->mesh;
  for (int i = 0; i < block->size; ++i)
    memset(to + (size_t)i * stride, 0, (size_t)(lower ? i + 1 : block->size) * sizeof *to);
  for (int r = 0; r < mesh->rows; ++r)
    for (int e = mesh->begin[r]; e < mesh->begin[r + 1]; ++e)
      for (int i = 0; i < ROW; ++i)
        for (int j = 0; j < ROW; ++j) {
          const size_t row = (size_t)(ROW * r + i), column = (size_t)(ROW * mesh->column[e] + j);
          const double a = mesh->value[BLOCK * e + ROW * i + j];
          if (column <= row || !lower) to[row * stride + column] = a;
          if (!lower) to[column * stride + row] = a;
        }
}

// Bodies of some hundred vertices have so many contacts in sweeps that A^-1 is worth its memory.
enum { INVERTED = 1024 };  // unknowns

size_t limpet_mesh_matrix_factor_size(const limpet_block *block) {
  const size_t n = (size_t)block->size;
  if (n > INVERTED) return 0;
  const size_t ints = (size_t)limpet_block_inverse_ints(block->mesh->factor, block->mesh->rows);
  return n * n + (size_t)limpet_block_inverse_doubles(block->mesh->factor, block->size) +
         (ints + 1) / 2;
}

bool limpet_mesh_matrix_factor(const limpet_block *block, double *inverse) {
  const limpet_mesh_matrix *mesh = block->mesh;
  const size_t n = (size_t)block->size;
  if (n > INVERTED) return true;
  double *work = inverse + n * n;
  int *index = (int *)(void *)(work + limpet_block_inverse_doubles(mesh->factor, block->size));
  limpet_block_inverse_part(mesh->factor, mesh->rows, mesh->place, inverse, block->size, work,
                            index);
  return true;
}

// x <- A^-1 x by the rows of the inverse whose x is not zero.
static void multiply_inverse(int n, const double *inverse, double *x, double *work) {
  memset(work, 0, (size_t)n * sizeof *work);
  for (int i = 0; i < n; ++i)
    if (x[i] != 0.0) limpet_axpy(n, x[i], inverse + (size_t)i * (size_t)n, work);
  memcpy(x, work, (size_t)n * sizeof *x);
}

void limpet_mesh_matrix_solve(const limpet_block *block, const double *inverse, double *x) {
  const limpet_mesh_matrix *mesh = block->mesh;
  if (block->size <= INVERTED) {
    multiply_inverse(block->size, inverse, x, mesh->work);
    return;
  }
  memset(mesh->work, 0, (size_t)limpet_block_cholesky_rows(mesh->factor) * sizeof *mesh->work);
  for (int r = 0; r < mesh->rows; ++r)
    memcpy(mesh->work + ROW * mesh->place[r], x + ROW * r, ROW * sizeof *x);
  limpet_block_cholesky_solve(mesh->factor, mesh->work);
  for (int r = 0; r < mesh->rows; ++r)
    memcpy(x + ROW * r, mesh->work + ROW * mesh->place[r], ROW * sizeof *x);
}

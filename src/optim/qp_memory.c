/* optim/qp_memory.c: the workspace of quadratic programmes: its size, and its layout for one of
 * them. */
#include "optim/qp_memory.h"

#include <assert.h>

int limpet_qp_row_total(const limpet_qp_problem *problem) {
  int total = problem->row_count;
  for (int k = 0; k < problem->cone_count; ++k) total += problem->cone_dimension[k];
  return total;
}

static double *take(char **memory, size_t *size, size_t count) {
  double *array = *memory ? (double *)(void *)(*memory + *size) : NULL;
  *size += (count * sizeof(double) + 63) / 64 * 64;
  return array;
}

// Bytes for that many variables, linear rows, rows of cones and cones; lays out at `block` (64-byte
// aligned) unless NULL.
static size_t lay_out(limpet_qp_memory *w, limpet_qp_size size, char *block) {
  const int n = size.n, m = size.row_count, total = m + size.cone_row_count;
  *w = (limpet_qp_memory){.n = n, .ld = limpet_qp_pad(n, LIMPET_QP_LANES), .m = m, .total = total};
  w->ldm = limpet_qp_pad(m, LIMPET_QP_ROW_LANES);
  const size_t ld = (size_t)w->ld + LIMPET_QP_LANES, ldm = (size_t)w->ldm, all = (size_t)total,
               square = (size_t)n * ld;
  size_t bytes = limpet_working_set_layout(&w->set, n, block);
  double **const row[] = {&w->h, &w->s, &w->bound, &w->norm, &w->scale};
  double **const column[] = {&w->weight, &w->x, &w->u, &w->e, &w->b, &w->dx, &w->du, &w->free_x};
  for (size_t i = 0; i < sizeof row / sizeof *row; ++i) *row[i] = take(&block, &bytes, ldm);
  for (size_t i = 0; i < sizeof column / sizeof *column; ++i) *column[i] = take(&block, &bytes, ld);
  w->Gt = take(&block, &bytes, (size_t)n * ldm);

  struct limpet_interior_arrays *v = &w->interior;
  double **const of_variables[] = {&v->variable_scale, &v->c,     &v->x,     &v->dx,
                                   &v->dual,           &v->right, &v->kept_x};
  double **const of_rows[] = {&v->row_scale, &v->h,       &v->s,       &v->lambda,
                              &v->ds,        &v->dlambda, &v->scaled,  &v->target,
                              &v->primal,    &v->Gdx,     &v->scaling, &v->kept_lambda};
  for (size_t i = 0; i < sizeof of_variables / sizeof *of_variables; ++i)
    *of_variables[i] = take(&block, &bytes, ld);
  for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; ++i)
    *of_rows[i] = take(&block, &bytes, all);
  v->eta = take(&block, &bytes, (size_t)size.cone_count);
  w->face = (limpet_face *)(void *)take(&block, &bytes, (size_t)size.cone_count);
  w->tight = (bool *)(void *)take(&block, &bytes, (size_t)m);
  v->Q = take(&block, &bytes, square);
  v->H = take(&block, &bytes, square);
  v->G = take(&block, &bytes, all * ld);
  v->panel = take(&block, &bytes, 2 * all * ld);
  return bytes;
}

static size_t memory_bytes(void) { return (sizeof(limpet_qp_memory) + 63) / 64 * 64; }

size_t limpet_qp_workspace_size(limpet_qp_size size) {
  limpet_qp_memory memory;
  return memory_bytes() + lay_out(&memory, size, NULL);
}

void limpet_qp_workspace_init(limpet_qp_workspace *workspace, limpet_qp_size size, void *memory) {
  workspace->size = size;
  workspace->memory = memory;
  lay_out(workspace->memory, size, (char *)memory + memory_bytes());
}

limpet_qp_memory *limpet_qp_memory_for(const limpet_qp_problem *problem,
                                       limpet_qp_workspace *workspace) {
  limpet_qp_memory *memory = workspace->memory;
  const limpet_qp_size size = {.n = problem->n,
                               .row_count = problem->row_count,
                               .cone_row_count = limpet_qp_row_total(problem) - problem->row_count,
                               .cone_count = problem->cone_count};
  assert(size.n <= workspace->size.n && size.row_count <= workspace->size.row_count);
  assert(size.cone_row_count <= workspace->size.cone_row_count &&
         size.cone_count <= workspace->size.cone_count);
  if (memory->n != size.n || memory->m != size.row_count ||
      memory->total != size.row_count + size.cone_row_count)
    lay_out(memory, size, (char *)workspace->memory + memory_bytes());
  return memory;
}

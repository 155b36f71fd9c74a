/* step/soft_blocks.c: stage 5 of deformable bodies: see soft_motion.h.
 *
 * The vertices that links of contacts name and those tied to bodies that move take part. H of the
 * body is condensed onto them: A, dense, three rows for each. Arrays of velocities of the problem
 * are those of the trees, and then the vertices', body by body.
 * Cost: one solve with the factor of H for each vertex that takes part, and a Cholesky of A in the
 * solve of its island. */
#include <assert.h>
#include <string.h>

#include "contact/block_soft.h"
#include "fem/step.h"
#include "step/soft_motion.h"

// Which vertices can be unknowns: not those tied to what cannot move, nor those of bodies that are
// held.
static bool *find_movable(const limpet_model *model, const limpet_soft_motion *soft,
                          limpet_arena *arena) {
  bool *moves = LIMPET_TAKE(arena, bool, model->vertex_count);
  if (!moves) return NULL;
  for (int d = 0; d < soft->count; ++d)
    for (int i = model->deformable_vertex[d]; i < model->deformable_vertex[d + 1]; ++i)
      moves[i] = !soft->body[d].failed;
  for (int t = 0; t < model->tie_count; ++t)
    if (model->body_tree[model->tie_body[t]] < 0) moves[model->tie_vertex[t]] = false;
  return moves;
}

enum { TIED = -2, TOUCHED = -3 };  // vertices that have no number yet; others LIMPET_NONE

// Marks vertices that take part: those that only ties hang on, and those of contacts.
static void mark_vertices(const limpet_model *model, const limpet_contact_records *records,
                          const bool *moves, int *dof) {
  for (int i = 0; i < model->vertex_count; ++i) dof[i] = LIMPET_NONE;
  for (int t = 0; t < model->tie_count; ++t)
    if (moves[model->tie_vertex[t]]) dof[model->tie_vertex[t]] = TIED;
  for (int i = 0; i < records->count; ++i) {
    const limpet_soft_link *link = records->record[i].link;
    for (int k = 0; link && k < link->count; ++k)
      if (moves[link->vertex[k]]) dof[link->vertex[k]] = TOUCHED;
  }
}

// The vertices of a body that have that mark, numbered from the velocity `next` on.
static void number_vertices(const limpet_model *model, int d, int mark, limpet_soft_body *body,
                            int *dof, int *next) {
  const int first = model->deformable_vertex[d];
  for (int i = first; i < model->deformable_vertex[d + 1]; ++i) {
    if (dof[i] != mark) continue;
    body->vertex[body->count++] = i - first;
    dof[i] = *next;
    *next += 3;
  }
}

// All that are marked, those without contact first.
static limpet_status list_vertices(const limpet_model *model, int d, limpet_soft_body *body,
                                   limpet_arena *arena, int *dof, int *next) {
  body->count = 0;
  body->block = LIMPET_NONE;
  body->vertex =
      LIMPET_TAKE(arena, int, model->deformable_vertex[d + 1] - model->deformable_vertex[d]);
  if (!body->vertex) return LIMPET_ERROR_MEMORY;
  number_vertices(model, d, TIED, body, dof, next);
  body->tied_count = body->count;
  number_vertices(model, d, TOUCHED, body, dof, next);
  return LIMPET_OK;
}

// Arrays of velocities with room for the vertices, those of the trees copied.
static double *extend(const double *trees, int nv, int all, limpet_arena *arena) {
  double *to = LIMPET_TAKE_ZERO(arena, double, all);
  if (to && trees) memcpy(to, trees, (size_t)nv * sizeof *to);
  return to;
}

typedef struct joined {
  double *momentum, *v_free, *v_start, *v_thrown;
  int *dof_block;
} joined;

static limpet_status take_arrays(const limpet_contact_problem *problem, const limpet_data *data,
                                 int all, limpet_arena *arena, joined *to) {
  const int nv = problem->nv;
  *to = (joined){.momentum = extend(problem->momentum, nv, all, arena),
                 .v_free = extend(problem->v_free, nv, all, arena),
                 .v_start = extend(data->v, nv, all, arena),
                 .v_thrown = extend(problem->v_thrown, nv, all, arena),
                 .dof_block = LIMPET_TAKE(arena, int, all)};
  if (!to->momentum || !to->v_free || !to->v_start || !to->v_thrown || !to->dof_block)
    return LIMPET_ERROR_MEMORY;
  if (nv > 0) memcpy(to->dof_block, problem->dof_block, (size_t)nv * sizeof(int));
  return LIMPET_OK;
}

// Room for A^-1 (n x n), where it is wanted.
static limpet_status take_compliance(const limpet_soft_motion *soft, int n, limpet_arena *arena,
                                     double **compliance) {
  *compliance = NULL;
  if (!soft->whole_compliance) return LIMPET_OK;
  *compliance = LIMPET_TAKE(arena, double, (size_t)n *(size_t)n);
  return *compliance ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

// The diagonal of a matrix to its first n numbers.
static void keep_diagonal(int n, double *matrix) {
  for (int i = 0; matrix && i < n; ++i) matrix[i] = matrix[(size_t)i * ((size_t)n + 1)];
}

// Room for the matrices of all bodies that take part.
static limpet_status take_matrices(limpet_soft_motion *soft, limpet_arena *arena) {
  for (int d = 0; d < soft->count; ++d) {
    limpet_soft_body *body = &soft->body[d];
    const int n = 3 * body->count;
    body->matrix = body->compliance = NULL;
    if (n == 0) continue;
    body->matrix = LIMPET_TAKE(arena, double, (size_t)n *(size_t)n);
    if (!body->matrix || take_compliance(soft, n, arena, &body->compliance))
      return LIMPET_ERROR_MEMORY;
  }
  return LIMPET_OK;
}

// A task: bodies do not know of each other here.
static void condense(void *context, int d, int thread) {
  limpet_soft_body *body = &((limpet_soft_motion *)context)->body[d];
  const int n = 3 * body->count;
  (void)thread;
  body->condensed = LIMPET_OK;
  if (n == 0) return;
  body->condensed = limpet_fem_step_condense(body->step, body->count, body->vertex, body->matrix, n,
                                             body->compliance);
  keep_diagonal(n, body->compliance);
}

enum { MANY_VERTICES = 64 };  // from which the island's Hessian gains by the pattern of H

/* Blocks of H between vertices that have a number, in the lower triangle of these: counted as
 * begin[row + 1] where `next` is NULL, else written from next[row] on. */
static void spread_pattern(const limpet_fem_body *fem, const int *number, int *next,
                           limpet_block_pattern *pattern) {
  for (int i = 0; i < fem->info.node_count; ++i)
    for (int e = fem->row_begin[i]; e < fem->row_begin[i + 1]; ++e) {
      const int a = number[i], b = number[fem->column[e]];
      if (a == LIMPET_NONE || b == LIMPET_NONE) continue;
      const int row = a > b ? a : b;
      if (next) pattern->column[next[row]++] = a > b ? b : a;
      else ++pattern->begin[row + 1];
    }
}

/* The pattern of A where all vertices that move take part, so that A = H. NULL in *pattern: it is
 * dense, or small. */
static limpet_status find_pattern(const limpet_soft_body *body, limpet_arena *arena,
                                  const limpet_block_pattern **pattern) {
  const limpet_fem_body *fem = body->step->body;
  const int nodes = fem->info.node_count, count = body->count;
  *pattern = NULL;
  if (count < MANY_VERTICES || !limpet_fem_is_whole(body->step, count)) return LIMPET_OK;
  limpet_block_pattern *to = LIMPET_TAKE(arena, limpet_block_pattern, 1);
  int *number = LIMPET_TAKE(arena, int, nodes), *next = LIMPET_TAKE(arena, int, count);
  if (!to || !number || !next) return LIMPET_ERROR_MEMORY;
  *to = (limpet_block_pattern){.rows = count,
                               .begin = LIMPET_TAKE_ZERO(arena, int, count + 1),
                               .column = LIMPET_TAKE(arena, int, fem->row_begin[nodes])};
  if (!to->begin || !to->column) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < nodes; ++i) number[i] = LIMPET_NONE;
  for (int k = 0; k < count; ++k) number[body->vertex[k]] = k;
  spread_pattern(fem, number, NULL, to);
  for (int r = 0; r < count; ++r) next[r] = to->begin[r], to->begin[r + 1] += to->begin[r];
  spread_pattern(fem, number, next, to);
  *pattern = to;
  return LIMPET_OK;
}

// The block of one body and its part of the arrays.
static void add_block(const limpet_model *model, const limpet_data *data, int d, const int *dof_of,
                      const limpet_block_pattern *pattern, limpet_soft_motion *soft,
                      limpet_contact_problem *problem, const joined *to) {
  limpet_soft_body *body = &soft->body[d];
  if (body->count == 0) return;
  const int n = 3 * body->count, first = model->deformable_vertex[d], tied = body->tied_count;
  const int dof = dof_of[first + body->vertex[0]];
  const double *A = body->matrix;
  body->block = problem->block_count;
  problem->block[problem->block_count++] =
      (limpet_block){.kind = &limpet_block_soft,
                     .owner = d,
                     .dof = dof,
                     .size = n,
                     .split = tied < body->count && !pattern ? 3 * tied : 0,
                     .pattern = pattern,
                     .matrix = A,
                     .compliance = body->compliance,
                     .island = -1};
  for (int i = 0; i < body->count; ++i) {
    const int vertex = 3 * (first + body->vertex[i]);
    for (int k = 0; k < 3; ++k) {
      to->dof_block[dof + 3 * i + k] = body->block;
      to->v_free[dof + 3 * i + k] = to->v_thrown[dof + 3 * i + k] = soft->v_free[vertex + k];
      to->v_start[dof + 3 * i + k] = data->vertex_velocity[vertex + k];
    }
  }
  for (int i = 0; i < n; ++i) {
    double sum = 0.0;
    for (int k = 0; k < n; ++k) sum += A[(size_t)i * (size_t)n + (size_t)k] * to->v_free[dof + k];
    to->momentum[dof + i] = sum;
  }
}

static void hand_over(int all, const int *dof, const joined *to, limpet_contact_problem *problem) {
  problem->nv = all;
  problem->vertex_dof = dof;
  problem->dof_block = to->dof_block;
  problem->momentum = to->momentum, problem->v_free = to->v_free, problem->v_start = to->v_start;
  if (problem->v_thrown) problem->v_thrown = to->v_thrown;
}

// The blocks of another problem of the same trees.
static limpet_status join_given(const limpet_model *model, const limpet_data *data,
                                const limpet_soft_motion *soft, limpet_arena *arena,
                                limpet_contact_problem *problem) {
  const limpet_contact_problem *given = soft->given;
  const int trees = problem->block_count;
  joined to;
  limpet_block *block = LIMPET_TAKE(arena, limpet_block, given->block_count);
  if (!block || take_arrays(problem, data, given->nv, arena, &to)) return LIMPET_ERROR_MEMORY;
  memcpy(block, problem->block, (size_t)trees * sizeof *block);
  memcpy(to.dof_block, given->dof_block, (size_t)given->nv * sizeof(int));
  for (int i = 0; i < model->vertex_count; ++i)
    for (int k = 0, dof = given->vertex_dof[i]; k < 3 && dof != LIMPET_NONE; ++k) {
      to.v_free[dof + k] = to.v_thrown[dof + k] = soft->v_free[3 * i + k];
      to.v_start[dof + k] = data->vertex_velocity[3 * i + k];
    }
  for (int b = trees; b < given->block_count; ++b) {
    block[b] = given->block[b];
    block[b].island = -1;
    block[b].kind->apply(&block[b], to.v_free + block[b].dof, to.momentum + block[b].dof);
  }
  problem->block = block;
  problem->block_count = given->block_count;
  hand_over(given->nv, given->vertex_dof, &to, problem);
  return LIMPET_OK;
}

limpet_status limpet_soft_motion_drop_far(const limpet_model *model, const limpet_data *data,
                                          const limpet_assembly_settings *settings,
                                          const limpet_collision *collision,
                                          const limpet_soft_motion *soft, limpet_arena *arena,
                                          limpet_contact_records *records,
                                          const limpet_contact_problem *problem) {
  assert(model && data && settings && collision && soft && arena && records && problem);
  if (!soft->whole_compliance || soft->given) return LIMPET_OK;
  const limpet_vertex_motion vertices = {.v_start = data->vertex_velocity,
                                         .v_free = soft->v_free,
                                         .moves = find_movable(model, soft, arena)};
  if (!vertices.moves) return LIMPET_ERROR_MEMORY;
  return limpet_contacts_drop_far(model, data, settings, collision, &vertices, arena, records,
                                  problem);
}

limpet_status limpet_soft_motion_join(const limpet_model *model, const limpet_data *data,
                                      const limpet_contact_records *records,
                                      limpet_soft_motion *soft, limpet_arena *arena,
                                      limpet_contact_problem *problem) {
  assert(model && data && records && soft && arena && problem && problem->nv == model->nv);
  if (soft->given) return join_given(model, data, soft, arena, problem);
  int *dof = LIMPET_TAKE(arena, int, model->vertex_count), all = problem->nv;
  const bool *moves = find_movable(model, soft, arena);
  if (!dof || !moves) return LIMPET_ERROR_MEMORY;
  mark_vertices(model, records, moves, dof);
  for (int d = 0; d < soft->count; ++d)
    if (list_vertices(model, d, &soft->body[d], arena, dof, &all)) return LIMPET_ERROR_MEMORY;
  joined to;
  limpet_block *block = LIMPET_TAKE(arena, limpet_block, problem->block_count + soft->count);
  if (!block || take_arrays(problem, data, all, arena, &to)) return LIMPET_ERROR_MEMORY;
  memcpy(block, problem->block, (size_t)problem->block_count * sizeof *block);
  problem->block = block;
  if (take_matrices(soft, arena)) return LIMPET_ERROR_MEMORY;
  limpet_threads_run(soft->threads, soft->count, condense, soft);
  for (int d = 0; d < soft->count; ++d) {
    const limpet_block_pattern *pattern;
    if (soft->body[d].condensed || find_pattern(&soft->body[d], arena, &pattern))
      return LIMPET_ERROR_MEMORY;
    add_block(model, data, d, dof, pattern, soft, problem, &to);
  }
  hand_over(all, dof, &to, problem);
  return LIMPET_OK;
}

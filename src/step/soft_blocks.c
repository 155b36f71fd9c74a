/* step/soft_blocks.c: stage 5 of deformable bodies: see soft_motion.h.
 *
 * The vertices that links of contacts name and those tied to bodies that move take part. H of the
 * body is condensed onto them: A, dense, three rows for each. Where so many are there that this
 * costs more, as in cloth on cloth, all others take part, too: A = H is as sparse as the mesh.
 * Arrays of velocities of the problem are those of the trees, and then the vertices', body by body.
 * Cost: one solve with the factor of H for each vertex that takes part, and a Cholesky of A in the
 * solve of its island. */
#include <assert.h>
#include <string.h>

#include "contact/block_soft.h"
#include "fem/rigid_set.h"
#include "step/soft_motion.h"
#include "step/soft_sets.h"

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
    const int rows = limpet_fem_node_rows(body->step, i - first);
    body->vertex[body->count++] = i - first;
    body->size += rows;
    dof[i] = *next;
    *next += rows;
  }
}

enum { MANY_VERTICES = 64 };  // from which a body gains by the pattern of its matrix
/* Multiply-adds of a step: of a body whose m of 3 c unknowns are condensed, and of one that is
 * whole, with a factorisation that costs F. An island is factored some four times. Contacts fill
 * its factor, and what is sparse runs at half the rate of what is dense. */
static double cost_condensed(double m) { return (0.5 + 4.0 / 6.0) * m * m * m; }
static double cost_whole(double F) { return 2.0 * (4.0 * 2.0 + 2.5) * F; }

/* Whether all vertices of a body that move are to be unknowns, of which `marked` must be: not where
 * that would make contacts stiffer. */
static bool is_to_be_whole(const limpet_soft_motion *soft, const limpet_soft_body *body,
                           int marked) {
  const int free = limpet_fem_free_count(body->step);
  if (body->failed || body->step->body->gas.present || body->step->rigid || marked == 0 ||
      free < MANY_VERTICES)
    return false;
  return marked == free ||
         (soft->whole_compliance &&
          cost_condensed(3.0 * marked) > cost_whole(limpet_fem_factor_cost(body->step)));
}

// Marks all vertices of a body that move as those of contacts.
static void mark_all(const limpet_model *model, int d, const bool *moves, int *dof) {
  for (int i = model->deformable_vertex[d]; i < model->deformable_vertex[d + 1]; ++i)
    if (moves[i]) dof[i] = TOUCHED;
}

// Sets that move as rigid bodies have the marks of all their vertices at the first one.
static void mark_sets(const limpet_soft_body *body, int *dof) {
  const limpet_fem_rigid *rigid = body->step->rigid;
  for (int i = 0; rigid && i < body->step->body->info.node_count; ++i) {
    const int set = rigid->set[i], lead = set == LIMPET_FEM_FREE_NODE ? i : rigid->lead[set];
    if (lead == i) continue;
    if (dof[i] == TOUCHED) dof[lead] = TOUCHED;
    dof[i] = LIMPET_NONE;
  }
}

// All that are marked, those without contact first; or all that move, ascending.
static limpet_status list_vertices(const limpet_model *model, const limpet_soft_motion *soft, int d,
                                   const bool *moves, limpet_arena *arena, int *dof, int *next) {
  limpet_soft_body *body = &soft->body[d];
  const int first = model->deformable_vertex[d], end = model->deformable_vertex[d + 1];
  int marked = 0;
  mark_sets(body, dof + first);
  for (int i = first; i < end; ++i) marked += dof[i] != LIMPET_NONE;
  body->count = body->size = 0;
  body->block = LIMPET_NONE;
  body->mesh = NULL;
  body->vertex = LIMPET_TAKE(arena, int, end - first);
  if (!body->vertex) return LIMPET_ERROR_MEMORY;
  if (is_to_be_whole(soft, body, marked)) {
    body->mesh = LIMPET_TAKE_ZERO(arena, limpet_mesh_matrix, 1);
    if (!body->mesh) return LIMPET_ERROR_MEMORY;
    mark_all(model, d, moves, dof);
  }
  number_vertices(model, d, TIED, body, dof, next);
  body->tied_size = body->size;
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

// Room for a matrix as sparse as the mesh: what links two vertices that take part, by H.
limpet_status limpet_soft_take_mesh(const limpet_soft_body *body, limpet_arena *arena) {
  assert(body && body->mesh && arena);
  const limpet_fem_body *fem = body->step->body;
  const int nodes = fem->info.node_count, count = body->count;
  limpet_mesh_matrix *mesh = body->mesh;
  *mesh = (limpet_mesh_matrix){.rows = count,
                               .begin = LIMPET_TAKE(arena, int, count + 1),
                               .column = LIMPET_TAKE(arena, int, fem->block_count),
                               .value = LIMPET_TAKE(arena, double, 9L * fem->block_count),
                               .factor = body->step->factor,
                               .place = body->vertex,
                               .work = LIMPET_TAKE(arena, double, 3L * nodes)};
  return mesh->begin && mesh->column && mesh->value && mesh->work ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

// Room for the matrices of all bodies that take part, and for the diagonal of A^-1 where it is
// wanted: of meshes with room for all nodes.
static limpet_status take_matrices(limpet_soft_motion *soft, limpet_arena *arena) {
  for (int d = 0; d < soft->count; ++d) {
    limpet_soft_body *body = &soft->body[d];
    const size_t n = (size_t)body->size;
    body->matrix = body->compliance = NULL;
    if (n == 0) continue;
    if (body->mesh && limpet_soft_take_mesh(body, arena)) return LIMPET_ERROR_MEMORY;
    if (!body->mesh && !(body->matrix = LIMPET_TAKE(arena, double, n *n)))
      return LIMPET_ERROR_MEMORY;
    if (!soft->whole_compliance) continue;
    const size_t nodes = (size_t)body->step->body->info.node_count;
    body->compliance = LIMPET_TAKE(arena, double, body->mesh ? 3 * nodes : n);
    if (!body->compliance) return LIMPET_ERROR_MEMORY;
  }
  return LIMPET_OK;
}

// Vertices that take part ascend, so the lower triangle of H between them is that of the mesh.
void limpet_soft_fill_mesh(const limpet_soft_body *body) {
  assert(body && body->mesh);
  const limpet_fem_body *fem = body->step->body;
  limpet_mesh_matrix *mesh = body->mesh;
  int at = 0;
  for (int r = 0; r < mesh->rows; ++r) {
    const int node = body->vertex[r];
    mesh->begin[r] = at;
    for (int e = fem->row_begin[node], c = 0; e < fem->row_begin[node + 1]; ++e) {
      while (c < r && body->vertex[c] < fem->column[e]) ++c;
      if (body->vertex[c] != fem->column[e]) continue;  // it is fixed
      mesh->column[at] = c;
      memcpy(mesh->value + 9L * at++, body->step->H + 9L * e, 9 * sizeof *mesh->value);
    }
  }
  mesh->begin[mesh->rows] = at;
}

// A task: the free motion of what takes part needs H and its factor, which stay behind elsewhere.
static void complete(void *context, int d, int thread) {
  limpet_soft_body *body = &((limpet_soft_motion *)context)->body[d];
  (void)thread;
  if (body->count > 0 && !limpet_fem_complete(body->step, false)) body->failed = true;
}

static int count_failed(const limpet_soft_motion *soft) {
  int failed = 0;
  for (int d = 0; d < soft->count; ++d) failed += soft->body[d].failed;
  return failed;
}

/* The vertices that take part, numbered behind the velocities of the trees; *all: how many
 * velocities there are. Bodies whose H has no factor fail, and what takes part is found again. */
static limpet_status number_bodies(const limpet_model *model, const limpet_contact_records *records,
                                   limpet_soft_motion *soft, limpet_arena *arena, int *dof,
                                   int *all) {
  const int trees = *all;
  int failed = 0;
  for (int before = -1; failed != before;) {
    *all = trees;
    const bool *moves = find_movable(model, soft, arena);
    if (!moves) return LIMPET_ERROR_MEMORY;
    mark_vertices(model, records, moves, dof);
    for (int d = 0; d < soft->count; ++d)
      if (list_vertices(model, soft, d, moves, arena, dof, all)) return LIMPET_ERROR_MEMORY;
    before = count_failed(soft);
    limpet_threads_run(soft->threads, soft->count, complete, soft);
    failed = count_failed(soft);
  }
  return LIMPET_OK;
}

// The diagonal of A^-1 from that of H^-1: vertices ascend, so it is packed in place.
static void pack_diagonal(const limpet_soft_body *body) {
  double *inverse = body->compliance;
  for (int k = 0; inverse && k < body->count; ++k)
    memmove(inverse + 3L * k, inverse + 3L * body->vertex[k], 3 * sizeof *inverse);
}

// A task: bodies do not know of each other here.
static void condense(void *context, int d, int thread) {
  limpet_soft_body *body = &((limpet_soft_motion *)context)->body[d];
  const int n = body->size;
  (void)thread;
  body->condensed = LIMPET_OK;
  if (n == 0) return;
  if (body->mesh) {
    body->condensed =
        limpet_fem_step_take_whole(body->step, body->count, body->vertex, body->compliance);
    limpet_soft_fill_mesh(body);
    pack_diagonal(body);
    return;
  }
  body->condensed = limpet_fem_step_condense_diagonal(body->step, body->count, body->vertex,
                                                      body->matrix, n, body->compliance);
}

// The block of one body and its part of the arrays.
static void add_block(const limpet_model *model, const limpet_data *data, int d, const int *dof_of,
                      limpet_soft_motion *soft, limpet_contact_problem *problem, const joined *to) {
  limpet_soft_body *body = &soft->body[d];
  if (body->count == 0) return;
  const int n = body->size, first = model->deformable_vertex[d], tied = body->tied_size;
  const int dof = dof_of[first + body->vertex[0]];
  body->block = problem->block_count;
  limpet_block *block = &problem->block[problem->block_count++];
  *block = (limpet_block){.kind = body->mesh ? &limpet_block_soft_mesh : &limpet_block_soft,
                          .owner = d,
                          .dof = dof,
                          .size = n,
                          .split = tied < n && !body->mesh ? tied : 0,
                          .matrix = body->matrix,
                          .mesh = body->mesh,
                          .compliance = body->compliance,
                          .island = -1};
  for (int i = 0; i < n; ++i) to->dof_block[dof + i] = body->block;
  limpet_soft_unknowns(body, soft->v_free + 3 * first, true, to->v_free + dof);
  limpet_soft_unknowns(body, data->vertex_velocity + 3 * first, false, to->v_start + dof);
  memcpy(to->v_thrown + dof, to->v_free + dof, (size_t)n * sizeof *to->v_thrown);
  memset(to->momentum + dof, 0, (size_t)n * sizeof *to->momentum);
  block->kind->apply(block, to->v_free + dof, to->momentum + dof);
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
  const limpet_soft_body *seen = limpet_soft_sets_seen(model, data, soft, arena);
  if (!block || !seen || take_arrays(problem, data, given->nv, arena, &to) ||
      limpet_soft_sets_like(model, given, seen, arena, problem))
    return LIMPET_ERROR_MEMORY;
  memcpy(block, problem->block, (size_t)trees * sizeof *block);
  memcpy(to.dof_block, given->dof_block, (size_t)given->nv * sizeof(int));
  for (int b = trees; b < given->block_count; ++b) {
    const int d = given->block[b].owner, first = 3 * model->deformable_vertex[d],
              dof = given->block[b].dof;
    block[b] = given->block[b];
    block[b].island = -1;
    limpet_soft_unknowns(&soft->body[d], soft->v_free + first, true, to.v_free + dof);
    limpet_soft_unknowns(&seen[d], data->vertex_velocity + first, false, to.v_start + dof);
    memcpy(to.v_thrown + dof, to.v_free + dof, (size_t)block[b].size * sizeof *to.v_thrown);
    block[b].kind->apply(&block[b], to.v_free + block[b].dof, to.momentum + block[b].dof);
  }
  problem->block = block;
  problem->block_count = given->block_count;
  hand_over(given->nv, given->vertex_dof, &to, problem);
  return LIMPET_OK;
}

limpet_status limpet_soft_motion_drop_far(const limpet_soft_motion *soft, limpet_closing *closing,
                                          limpet_arena *arena, limpet_contact_records *records) {
  assert(soft && closing && closing->problem && arena && records);
  if (!soft->whole_compliance || soft->given) return LIMPET_OK;
  closing->vertices = (limpet_vertex_motion){.v_start = closing->data->vertex_velocity,
                                             .v_free = soft->v_free,
                                             .moves = find_movable(closing->model, soft, arena)};
  if (!closing->vertices.moves) return LIMPET_ERROR_MEMORY;
  return limpet_contacts_drop_far(closing, arena, records);
}

limpet_status limpet_soft_motion_join(const limpet_model *model, const limpet_data *data,
                                      const limpet_contact_records *records,
                                      limpet_soft_motion *soft, limpet_arena *arena,
                                      limpet_contact_problem *problem) {
  assert(model && data && records && soft && arena && problem && problem->nv == model->nv);
  if (soft->given) return join_given(model, data, soft, arena, problem);
  int *dof = LIMPET_TAKE(arena, int, model->vertex_count), all = problem->nv;
  if (!dof || number_bodies(model, records, soft, arena, dof, &all)) return LIMPET_ERROR_MEMORY;
  // what nothing touches after all moves by its law
  for (int d = 0; d < soft->count; ++d)
    if (soft->body[d].count == 0) limpet_soft_motion_end_free(model, d, soft);
  joined to;
  limpet_block *block = LIMPET_TAKE(arena, limpet_block, problem->block_count + soft->count);
  if (!block || take_arrays(problem, data, all, arena, &to)) return LIMPET_ERROR_MEMORY;
  memcpy(block, problem->block, (size_t)problem->block_count * sizeof *block);
  problem->block = block;
  if (take_matrices(soft, arena)) return LIMPET_ERROR_MEMORY;
  limpet_threads_run(soft->threads, soft->count, condense, soft);
  for (int d = 0; d < soft->count; ++d) {
    if (soft->body[d].condensed) return LIMPET_ERROR_MEMORY;
    add_block(model, data, d, dof, soft, problem, &to);
  }
  if (limpet_soft_sets_join(model, soft, arena, dof, problem)) return LIMPET_ERROR_MEMORY;
  hand_over(all, dof, &to, problem);
  return LIMPET_OK;
}

/* gradient/soft_begin.c: the equations of a step with deformable bodies, exact at its solution. */
#include <math.h>
#include <string.h>

#include "collide/soft.h"
#include "fem/rigid_set.h"
#include "fem/tangent.h"
#include "gradient/soft_gradient.h"
#include "gradient/workspace.h"
#include "step/soft_sets.h"

static const char *const no_memory = "out of memory";
// Of tensions that begin: the jump of the slope that counts, of what the column does. The
// derivative is in closed form: near is enough.
static const double tension_share = 1e-8;
// [-]  |ln| of a factor of 1.5: steps with a residual that near to the tolerance are at a jump.
static const double near_round = 0.4;

// Why the bodies have no derivatives; NULL: they have.
static const char *missing(const limpet_model *model, const limpet_solved_step *solved) {
  const limpet_soft_motion *motion = solved->motion.soft;
  if (solved->solution.programme) return "deformable bodies have no derivatives in rigid contact";
  for (int d = 0; d < model->deformable_count; ++d) {
    const limpet_soft_body *body = &motion->body[d];
    const char *reason = limpet_fem_tangent_missing(model->deformable_body[d]);
    if (reason) return reason;
    if (body->failed || (body->block != LIMPET_NONE && solved->solution.held[body->block]))
      return "a deformable body is held, since its step was not solved";
  }
  return NULL;
}

// Velocities that were solved for: those of the end but of bodies that were turned there.
static const double *solved_velocities(const limpet_gradient_workspace *w, const limpet_data *data,
                                       const limpet_solved_step *solved, limpet_arena *arena) {
  const limpet_soft_motion *motion = solved->motion.soft;
  const limpet_model *model = w->model;
  double *v = LIMPET_TAKE(arena, double, 3 * model->vertex_count);
  for (int d = 0; v && d < model->deformable_count; ++d) {
    const int first = 3 * model->deformable_vertex[d], end = 3 * model->deformable_vertex[d + 1];
    const bool flies = limpet_soft_flies(&motion->body[d], &solved->problem, &solved->solution);
    const double *from = flies ? motion->v_free : data->vertex_velocity;
    memcpy(v + first, from + first, (size_t)(end - first) * sizeof *v);
  }
  return v;
}

// A vertex that changes r: it is in contact, or a tie of its own holds it.
typedef struct touches {
  const limpet_soft_gradient *soft;
  int nv;
  bool *vertex;  // (vertex_count)
} touches;

static void touch_dof(const touches *t, int dof, int rows) {
  for (int i = 0; i < rows && dof != LIMPET_NONE; ++i) t->soft->touched[dof - t->nv + i] = true;
}

// `place`: where the vertex is changes r, too.
static void touch(const touches *t, int vertex, bool place) {
  const limpet_contact_problem *problem = &t->soft->solved.problem;
  const int dof = problem->vertex_dof[vertex];
  if (limpet_soft_in_set(problem, vertex)) {
    touch_dof(t, problem->rigid_vertex[vertex].dof, LIMPET_FEM_SET_ROWS);
    t->vertex[problem->rigid_vertex[vertex].lead] |= place;
    t->vertex[vertex] |= place;
  } else {
    touch_dof(t, dof, 3);
    t->vertex[vertex] |= dof != LIMPET_NONE;
  }
}

// All of a set, whose first vertex has its mark: contacts see the motion of the set at the start.
static void touch_sets(const touches *t, int count) {
  const limpet_rigid_vertex *rigid = t->soft->solved.problem.rigid_vertex;
  for (int i = 0; i < count && rigid; ++i)
    if (rigid[i].dof != LIMPET_NONE && t->vertex[rigid[i].lead]) t->vertex[i] = true;
}

// The unknowns of vertices and the vertices that are touched, and weights in the order of the
// problem.
static limpet_status take_unknowns(limpet_gradient_workspace *w, limpet_soft_gradient *soft) {
  const limpet_model *model = w->model;
  const int count = model->vertex_count;
  soft->unknowns = soft->solved.problem.nv - model->nv;
  soft->vertex = LIMPET_TAKE(&w->arena, int, count);
  soft->weight = LIMPET_TAKE(&w->arena, double, soft->unknowns);
  soft->touched = LIMPET_TAKE_ZERO(&w->arena, bool, soft->unknowns);
  soft->held = LIMPET_TAKE_ZERO(&w->arena, double, 3 * (size_t)count);
  const touches t = {soft, model->nv, LIMPET_TAKE_ZERO(&w->arena, bool, count)};
  if (!soft->vertex || !soft->weight || !soft->touched || !soft->held || !t.vertex)
    return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < soft->solved.records.count; ++i) {
    const limpet_soft_link *link = soft->solved.records.record[i].link;
    for (int k = 0; link && k < link->count; ++k) touch(&t, link->vertex[k], true);
  }
  for (int i = 0; i < model->tie_count; ++i) touch(&t, model->tie_vertex[i], false);
  touch_sets(&t, count);
  for (int i = 0; i < count; ++i)
    if (t.vertex[i]) soft->vertex[soft->places++] = i;
  return LIMPET_OK;
}

// The exact matrix of a body in its block: dense, or as sparse as the mesh where the step has that.
static limpet_status exact_matrix(limpet_arena *arena, limpet_soft_body *body,
                                  limpet_block *block) {
  const int n = block->size;
  if (!body->mesh) {
    body->matrix = LIMPET_TAKE(arena, double, (size_t)n *(size_t)n);
    block->matrix = body->matrix;
    return body->matrix ? limpet_fem_step_condense(body->step, body->count, body->vertex,
                                                   body->matrix, n, NULL)
                        : LIMPET_ERROR_MEMORY;
  }
  limpet_mesh_matrix *mesh = LIMPET_TAKE(arena, limpet_mesh_matrix, 1);
  if (!mesh) return LIMPET_ERROR_MEMORY;
  block->mesh = body->mesh = mesh;
  if (limpet_soft_take_mesh(body, arena)) return LIMPET_ERROR_MEMORY;
  limpet_soft_fill_mesh(body);
  return limpet_fem_step_take_whole(body->step, body->count, body->vertex, NULL);
}

/* The matrix of a body at the solution in its block, with v* so that A (v - v*) is the residual R
 * condensed: v - v* = (H^-1 R)_C. */
static limpet_status exact_block(limpet_gradient_workspace *w, limpet_soft_gradient *soft, int d,
                                 double *momentum, double *v_free) {
  limpet_soft_body *body = &soft->motion->body[d];
  if (body->block == LIMPET_NONE) return LIMPET_OK;
  limpet_block *block = &soft->solved.problem.block[body->block];
  const int n = block->size, first = 3 * w->model->deformable_vertex[d], nv = w->model->nv;
  const int count = 3 * body->step->body->info.node_count;
  double *u = LIMPET_TAKE(&w->arena, double, count), *u_C = LIMPET_TAKE(&w->arena, double, n);
  if (!u || !u_C || exact_matrix(&w->arena, body, block)) return LIMPET_ERROR_MEMORY;
  limpet_fem_step_residual(body->step, soft->v + first, u);
  if (body->step->rigid) memcpy(soft->held + first, u, (size_t)count * sizeof *u);
  limpet_fem_clear_fixed(body->step, u);
  limpet_fem_back_solve(body->step, u);
  if (block->compliance) {
    double *weight = soft->weight + block->dof - nv;
    memcpy(weight, block->compliance, (size_t)n * sizeof *weight);
    block->compliance = weight;
  }
  memset(momentum + block->dof, 0, (size_t)n * sizeof *momentum);
  limpet_soft_unknowns(body, u, false, u_C);
  limpet_soft_unknowns(body, soft->v + first, true, v_free + block->dof);
  for (int i = 0; i < n; ++i) v_free[block->dof + i] -= u_C[i];
  block->kind->apply(block, v_free + block->dof, momentum + block->dof);
  return LIMPET_OK;
}

// The problem of the step with exact blocks in arrays of its own.
static limpet_status exact_problem(limpet_gradient_workspace *w, limpet_soft_gradient *soft) {
  limpet_contact_problem *problem = &soft->solved.problem;
  const size_t nv = (size_t)problem->nv, blocks = (size_t)problem->block_count;
  limpet_block *block = LIMPET_TAKE(&w->arena, limpet_block, blocks);
  double *momentum = LIMPET_TAKE(&w->arena, double, nv),
         *v_free = LIMPET_TAKE(&w->arena, double, nv);
  if (!block || !momentum || !v_free) return LIMPET_ERROR_MEMORY;
  memcpy(block, problem->block, blocks * sizeof *block);
  memcpy(momentum, problem->momentum, nv * sizeof *momentum);
  memcpy(v_free, problem->v_free, nv * sizeof *v_free);
  problem->block = block, problem->momentum = momentum, problem->v_free = v_free;
  for (int d = 0; d < w->model->deformable_count; ++d)
    if (exact_block(w, soft, d, momentum, v_free)) return LIMPET_ERROR_MEMORY;
  return LIMPET_OK;
}

const char *limpet_soft_gradient_begin(limpet_gradient_workspace *w, const limpet_data *data,
                                       const limpet_solved_step **solved) {
  const limpet_model *model = w->model;
  w->soft = NULL;
  if (model->deformable_count == 0) return NULL;
  const char *reason = missing(model, *solved);
  if (reason) return reason;
  limpet_soft_gradient *soft = LIMPET_TAKE_ZERO(&w->arena, limpet_soft_gradient, 1);
  if (!soft) return no_memory;
  soft->solved = **solved;
  soft->solved.solution.solver = NULL;  // their matrices are those of the step
  soft->end = data->vertex_velocity;
  soft->v = solved_velocities(w, data, &soft->solved, &w->arena);
  const limpet_soft_point point = {soft->v, soft->solved.motion.soft, .factored = true};
  if (!soft->v || take_unknowns(w, soft) ||
      limpet_soft_motion_linearise(model, w->world, &w->settings, &point, &w->arena, &soft->motion))
    return no_memory;
  for (int d = 0; d < model->deformable_count; ++d)
    if (soft->motion->body[d].failed)
      return "the stiffness of a deformable body is not positive definite at the end of the step";
  if (exact_problem(w, soft)) return no_memory;
  for (int d = 0; d < model->deformable_count; ++d)
    soft->kinks += limpet_fem_tangent_kinks(
        soft->motion->body[d].step, soft->v + 3 * model->deformable_vertex[d],
        LIMPET_TENSION_WIDTH * w->wanted.difference, tension_share);
  soft->assembled = *soft->motion;
  soft->assembled.given = &soft->solved.problem;
  w->soft = soft;
  *solved = &soft->solved;
  return NULL;
}

void limpet_soft_gradient_rounds(limpet_gradient *gradient, const limpet_data *data,
                                 const limpet_solved_step *solved) {
  limpet_gradient_workspace *w = gradient->workspace;
  if (!w->soft || isinf(solved->motion.soft->round_margin)) return;
  gradient->elastic_scatter = sqrt(data->info.elastic_residual);
  gradient->elastic_margin = solved->motion.soft->round_margin;
  if (gradient->elastic_margin < near_round) gradient->approximate = w->approximate = true;
}

/* contact/block_soft.c: deformable bodies as blocks of unknowns: see block.h.
 *
 * The unknowns are the velocities of the vertices that take part in contacts and ties, three for
 * each, in W. A is the Schur complement of the body's momentum matrix onto them
 * (limpet_fem_step_condense), so the other vertices follow without a choice of their own. Where all
 * that move take part, A is that matrix, as sparse as the mesh.
 * A contact acts on a point of a triangle: its link (collide/soft.h) names up to six vertices and
 * their weights, and each gives three columns without an angular part, weight times an axis. */
#include "contact/block_soft.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "contact/block_dense.h"
#include "contact/mesh_matrix.h"
#include "math/vec3.h"

/* The three numbers of a vertex are along the axes of the world, which a body does not know: where
 * joints count as a whole all have one that is as large in any heading, a share of their sum. Of a
 * solid, nearly as large along each, their mean; of what is thin, which gives way across alone, the
 * number whose norm |w I| is that across. */
static void share_sums(const limpet_block *block, const limpet_model *model, double *inverse) {
  const bool solid =
      limpet_fem_body_information(model->deformable_body[block->owner]).tetrahedron_count > 0;
  const double share = solid ? 1.0 / 3.0 : sqrt(1.0 / 3.0);
  for (int i = 0; i < block->size; i += 3) {
    const double w = share * (inverse[i] + inverse[i + 1] + inverse[i + 2]);
    inverse[i] = inverse[i + 1] = inverse[i + 2] = w;
  }
}

static void weigh(const limpet_block *block, const limpet_model *model, const limpet_data *data,
                  double *inverse, double *mix) {
  (void)data;
  if (block->compliance) {
    memcpy(inverse, block->compliance, (size_t)block->size * sizeof *inverse);
    if (mix) share_sums(block, model, inverse);
    return;
  }
  block->kind->diagonal(block, inverse);
  for (int i = 0; i < block->size; ++i) inverse[i] = 1.0 / inverse[i];
}

// Columns are not coupled by coordinates that turn, so each counts for itself.
static void add_delassus(const limpet_model *model, const limpet_data *data, int count,
                         const int *dof, const double *column,
                         const limpet_delassus_weights *weights, double D[36]) {
  (void)model, (void)data;
  for (int k = 0; k < count; ++k)
    for (int e = 3; e < 6; ++e)
      D[7 * e] += column[6 * k + e] * column[6 * k + e] * weights->inverse[dof[k]];
}

// A contact's columns come from its link, not from parts.
static int column_room(const limpet_block *block, const limpet_model *model,
                       limpet_block_parts parts) {
  (void)block, (void)model, (void)parts;
  return 0;
}

static int columns(const limpet_block *block, const limpet_model *model, const limpet_data *data,
                   limpet_block_parts parts, const double point[3], int *dof, double *column) {
  (void)block, (void)model, (void)data, (void)parts, (void)point, (void)dof, (void)column;
  return 0;
}

// Positions of vertices are no coordinates q: step/soft_motion.h moves them.
static void integrate(const limpet_block *block, const limpet_model *model, double *q1,
                      const double *q0, const double *v, double dt, bool first_order) {
  (void)block, (void)model, (void)q1, (void)q0, (void)v, (void)dt, (void)first_order;
}

// The body as a whole: single nodes of quadratic elements have negative masses.
static void add_mass(const limpet_block *block, const limpet_model *model, const limpet_data *data,
                     limpet_block_mass *sum) {
  const int d = block->owner, first = model->deformable_vertex[d],
            count = model->deformable_vertex[d + 1] - first;
  const double *mass = limpet_fem_body_node_mass(model->deformable_body[d]);
  const double *x = data->vertex_position + 3 * first;
  double all = 0.0, com[3] = {0.0, 0.0, 0.0}, arm[3], spread = 0.0;
  for (int i = 0; i < count; ++i) {
    all += mass[i];
    limpet_vec3_addmul(com, com, mass[i], x + 3 * i);
  }
  limpet_vec3_scale(com, 1.0 / all, com);
  for (int i = 0; i < count; ++i) {
    limpet_vec3_sub(arm, x + 3 * i, com);
    spread += mass[i] * limpet_vec3_dot(arm, arm);
  }
  limpet_block_mass_add(sum, all, com);
  sum->spread += spread;
}

const limpet_block_kind limpet_block_soft = {.name = "soft",
                                             .apply = limpet_block_dense_apply,
                                             .diagonal = limpet_block_dense_diagonal,
                                             .copy = limpet_block_dense_copy,
                                             .factor_size = limpet_block_dense_factor_size,
                                             .factor = limpet_block_dense_factor,
                                             .solve = limpet_block_dense_solve,
                                             .column_room = column_room,
                                             .columns = columns,
                                             .weigh = weigh,
                                             .add_delassus = add_delassus,
                                             .integrate = integrate,
                                             .add_mass = add_mass};

const limpet_block_kind limpet_block_soft_mesh = {.name = "soft, of a mesh",
                                                  .apply = limpet_mesh_matrix_apply,
                                                  .diagonal = limpet_mesh_matrix_diagonal,
                                                  .copy = limpet_mesh_matrix_copy,
                                                  .factor_size = limpet_mesh_matrix_factor_size,
                                                  .factor = limpet_mesh_matrix_factor,
                                                  .solve = limpet_mesh_matrix_solve,
                                                  .column_room = column_room,
                                                  .columns = columns,
                                                  .weigh = weigh,
                                                  .add_delassus = add_delassus,
                                                  .integrate = integrate,
                                                  .add_mass = add_mass};

// The side of the block that vertex `vertex` belongs to; NULL: it is not in the problem.
static limpet_patch_side *side_of(const limpet_contact_problem *problem, int dof,
                                  limpet_arena *arena, limpet_patch *patch) {
  const int block = problem->dof_block[dof];
  for (int s = 0; s < patch->side_count; ++s)
    if (patch->side[s].block == block) return &patch->side[s];
  assert(patch->side_count < 2);
  const int columns = (problem->rigid_vertex ? 6 : 3) * LIMPET_SOFT_LINKS;
  limpet_patch_side *side = &patch->side[patch->side_count++];
  *side = (limpet_patch_side){.block = block,
                              .dof = LIMPET_TAKE(arena, int, columns),
                              .column = LIMPET_TAKE_ZERO(arena, double, 6 * columns)};
  return side;
}

// Columns of a vertex that moves with a rigid body, added to those of others in its set.
static void add_rigid_columns(const limpet_rigid_vertex *vertex, double weight,
                              limpet_patch_side *side) {
  int at = 0;
  while (at < side->count && side->dof[at] != vertex->dof) ++at;
  for (int e = 0; e < 6; ++e) side->dof[at + e] = vertex->dof + e;
  if (at == side->count) side->count += 6;
  for (int e = 0; e < 3; ++e) {
    double axis[3] = {0.0, 0.0, 0.0}, turned[3];
    axis[e] = 1.0;
    limpet_vec3_cross(turned, axis, vertex->arm);
    side->column[6 * (at + e) + 3 + e] += weight;
    double *column = side->column + 6 * (at + 3 + e) + 3;
    limpet_vec3_addmul(column, column, weight, turned);
  }
}

limpet_status limpet_block_soft_columns(const limpet_contact_problem *problem,
                                        const limpet_soft_link *link, limpet_arena *arena,
                                        limpet_patch *patch) {
  assert(problem && link && arena && patch);
  for (int i = 0; i < link->count; ++i) {
    const limpet_rigid_vertex *rigid =
        problem->rigid_vertex ? &problem->rigid_vertex[link->vertex[i]] : NULL;
    const bool in_set = rigid && rigid->dof != LIMPET_NONE;
    const int dof = in_set ? rigid->dof : problem->vertex_dof[link->vertex[i]];
    if (dof == LIMPET_NONE || link->weight[i] == 0.0) continue;
    limpet_patch_side *side = side_of(problem, dof, arena, patch);
    if (!side->dof || !side->column) return LIMPET_ERROR_MEMORY;
    if (in_set) {
      add_rigid_columns(rigid, link->weight[i], side);
      continue;
    }
    for (int e = 0; e < 3; ++e) {
      side->dof[side->count] = dof + e;
      side->column[6 * side->count + 3 + e] = link->weight[i];
      ++side->count;
    }
  }
  return LIMPET_OK;
}

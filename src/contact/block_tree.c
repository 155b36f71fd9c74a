// contact/block_tree.c: kinematic trees as blocks of unknowns: see block.h.
#include <assert.h>
#include <string.h>

#include "contact/block_dense.h"
#include "contact/problem.h"
#include "dynamics/delassus.h"
#include "dynamics/point_columns.h"
#include "math/vec3.h"
#include "model/integrate.h"

enum { small_block = 64 };  // velocities

static int column_room(const limpet_block *block, const limpet_model *model,
                       limpet_block_parts parts) {
  // no velocity is named twice; paths are counted only where that may save much
  if (block->size <= small_block) return block->size;
  int room = 0;
  for (int i = 0; i < 2; ++i)
    if (parts.part[i] != LIMPET_NONE) room += limpet_point_path_length(model, parts.part[i]);
  return room;
}

// Velocities that move both parts cancel: both paths end where they meet.
static int columns(const limpet_block *block, const limpet_model *model, const limpet_data *data,
                   limpet_block_parts parts, const double point[3], int *dof, double *column) {
  (void)block;
  const int *part = parts.part;
  const bool both = part[0] != LIMPET_NONE && part[1] != LIMPET_NONE;
  const int stop = both ? limpet_point_common_dof(model, model->body_last_dof[part[0]],
                                                  model->body_last_dof[part[1]])
                        : -1;
  int count = 0;
  for (int i = 0; i < 2; ++i)
    if (part[i] != LIMPET_NONE)
      count += limpet_point_columns(model, data, model->body_last_dof[part[i]], stop, point,
                                    i == 0 ? -1.0 : 1.0, dof + count, column + 6 * count);
  return count;
}

static void weigh(const limpet_block *block, const limpet_model *model, const limpet_data *data,
                  double *inverse, double *mix) {
  limpet_delassus_weigh(model, data, block->owner, block->matrix, inverse, mix);
}

static void integrate(const limpet_block *block, const limpet_model *model, double *q1,
                      const double *q0, const double *v, double dt, bool first_order) {
  const limpet_range joints = limpet_tree_joints(model, block->owner);
  limpet_integrate_joints(model, joints.first, joints.end, q1, q0, v, dt, first_order);
}

static void add_mass(const limpet_block *block, const limpet_model *model, const limpet_data *data,
                     limpet_block_mass *sum) {
  const int first = model->tree_body[block->owner],
            end = first + model->tree_body_count[block->owner];
  for (int b = first; b < end; ++b)
    limpet_block_mass_add(sum, model->body_mass[b], data->body_com + 3 * b);
}

const limpet_block_kind limpet_block_tree = {.name = "tree",
                                             .dense = true,
                                             .apply = limpet_block_dense_apply,
                                             .diagonal = limpet_block_dense_diagonal,
                                             .copy = limpet_block_dense_copy,
                                             .factor_size = limpet_block_dense_factor_size,
                                             .factor = limpet_block_dense_factor,
                                             .solve = limpet_block_dense_solve,
                                             .column_room = column_room,
                                             .columns = columns,
                                             .weigh = weigh,
                                             .add_delassus = limpet_delassus_add,
                                             .integrate = integrate,
                                             .add_mass = add_mass};

// Steiner's theorem about the new centre.
void limpet_block_mass_add(limpet_block_mass *sum, double m, const double c[3]) {
  assert(sum && c);
  const double all = sum->mass + m;
  if (!(all > 0.0)) return;
  double arm[3];
  limpet_vec3_sub(arm, c, sum->com);
  sum->spread += sum->mass * m / all * limpet_vec3_dot(arm, arm);
  limpet_vec3_addmul(sum->com, sum->com, m / all, arm);
  sum->mass = all;
}

limpet_status limpet_problem_take_trees(limpet_contact_problem *problem, const limpet_model *model,
                                        const double *A, limpet_trees trees, limpet_arena *arena) {
  assert(problem && model && arena && (model->nv == 0 || A));
  problem->nv = model->nv;
  problem->block_count = model->tree_count;
  problem->dof_block = model->dof_tree;
  problem->block = LIMPET_TAKE(arena, limpet_block, model->tree_count);
  for (int t = 0; problem->block && t < model->tree_count; ++t) {
    const limpet_range q = limpet_tree_positions(model, t);
    problem->block[t] = (limpet_block){.kind = &limpet_block_tree,
                                       .owner = t,
                                       .dof = model->tree_dof[t],
                                       .size = model->tree_dof_count[t],
                                       .position = q.first,
                                       .positions = q.end - q.first,
                                       .alone = limpet_tree_is_free_body(model, t),
                                       .still = !limpet_trees_have(trees, t),
                                       .matrix = A + model->tree_mass[t],
                                       .island = -1};
  }
  return problem->block ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

void limpet_problem_know_factor(limpet_contact_problem *problem, const limpet_model *model,
                                int tree, const double *factor) {
  assert(problem && model && tree >= 0 && tree < model->tree_count);
  limpet_block *block = &problem->block[tree];
  const int *joint = model->dof_joint + block->dof;
  if (block->still || joint[0] == joint[block->size - 1]) return;
  block->joint = joint;
  block->kind_of = model->joint_kind;
  block->factor = factor;
}

limpet_status limpet_problem_take_weights(const limpet_contact_problem *problem,
                                          const limpet_model *model, limpet_arena *arena,
                                          limpet_delassus_weights *weights) {
  assert(problem && model && arena && weights);
  const bool whole = problem->model->whole_joints;
  weights->inverse = LIMPET_TAKE(arena, double, problem->nv);
  weights->mix = whole ? LIMPET_TAKE(arena, double, 6 * model->nv) : NULL;
  return weights->inverse && (!whole || weights->mix) ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

// Of one block, as its kind gives them; zero where it is still.
static void weigh_block(const limpet_contact_problem *problem, const limpet_model *model,
                        const limpet_data *data, int index,
                        const limpet_delassus_weights *weights) {
  assert(problem && model && data && weights && index >= 0 && index < problem->block_count);
  const limpet_block *block = &problem->block[index];
  double *inverse = weights->inverse + block->dof;
  const bool tree = block->dof < model->nv;
  double *mix = weights->mix && tree ? weights->mix + 6 * block->dof : weights->mix;
  if (!block->still) {
    block->kind->weigh(block, model, data, inverse, mix);
    return;
  }
  memset(inverse, 0, (size_t)block->size * sizeof *inverse);
  if (mix && tree) memset(mix, 0, 6 * (size_t)block->size * sizeof *mix);
}

void limpet_problem_weigh_once(limpet_contact_problem *problem, const limpet_model *model,
                               const limpet_data *data, int block) {
  assert(problem && problem->weighed && block >= 0 && block < problem->block_count);
  if (!problem->weighed[block]) weigh_block(problem, model, data, block, &problem->weights);
  problem->weighed[block] = true;
}

void limpet_problem_weigh(const limpet_contact_problem *problem, const limpet_model *model,
                          const limpet_data *data, const limpet_delassus_weights *weights) {
  assert(problem && weights && (problem->nv == 0 || weights->inverse));
  for (int b = 0; b < problem->block_count; ++b) weigh_block(problem, model, data, b, weights);
}

int limpet_problem_block_of(const limpet_contact_problem *problem, const limpet_model *model,
                            int unit) {
  assert(problem && unit >= 0 && unit < model->body_count);
  const int tree = model->body_tree[unit];
  return tree >= 0 && !problem->block[tree].still ? tree : LIMPET_NONE;
}

/* model/trees.h: some of the trees of a model: those that a stage of a step is for. Trees that are
 * not in the list stay as they are, and cost a stage no more than that they are passed over. */
#ifndef LIMPET_MODEL_TREES_H
#define LIMPET_MODEL_TREES_H

#include <assert.h>

#include "limpet/model.h"

typedef struct limpet_trees {
  int count;
  const int *tree;  // (count)  ascending; NULL: the first `count` trees
} limpet_trees;

static inline limpet_trees limpet_trees_all(const limpet_model *model) {
  return (limpet_trees){model->tree_count, NULL};
}

// The i-th tree of the list.
static inline int limpet_trees_at(limpet_trees trees, int i) {
  assert(i >= 0 && i < trees.count);
  return trees.tree ? trees.tree[i] : i;
}

// Velocities of the tree that has most.
static inline int limpet_trees_widest(const limpet_model *model) {
  int widest = 0;
  for (int t = 0; t < model->tree_count; ++t)
    if (model->tree_dof_count[t] > widest) widest = model->tree_dof_count[t];
  return widest;
}

// By bisection. Tree -1, the world, is in no list.
static inline bool limpet_trees_have(limpet_trees trees, int tree) {
  if (!trees.tree) return tree >= 0 && tree < trees.count;
  int low = 0, high = trees.count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (trees.tree[middle] < tree) low = middle + 1;
    else high = middle;
  }
  return low < trees.count && trees.tree[low] == tree;
}

// Velocities of a tree: `first` up to, but without, `end`; joints and positions likewise.
typedef struct limpet_range {
  int first, end;
} limpet_range;

static inline limpet_range limpet_tree_dofs(const limpet_model *model, int tree) {
  const int first = model->tree_dof[tree];
  return (limpet_range){first, first + model->tree_dof_count[tree]};
}

static inline limpet_range limpet_tree_bodies(const limpet_model *model, int tree) {
  const int first = model->tree_body[tree];
  return (limpet_range){first, first + model->tree_body_count[tree]};
}

// Whether its first joint is free.
static inline bool limpet_tree_floats(const limpet_model *model, int tree) {
  return model->joint_kind[model->dof_joint[model->tree_dof[tree]]] == LIMPET_JOINT_FREE;
}

// Whether it is one body with a free joint, and what is welded to it: three shifts, three turns.
static inline bool limpet_tree_is_free_body(const limpet_model *model, int tree) {
  return model->tree_dof_count[tree] == 6 && limpet_tree_floats(model, tree);
}

// Whether it floats and has several bodies: it is posed before it is placed (tree_kernels_code.h).
static inline bool limpet_tree_is_placed(const limpet_model *model, int tree) {
  return model->tree_body_count[tree] > 1 && limpet_tree_floats(model, tree);
}

static inline limpet_range limpet_tree_joints(const limpet_model *model, int tree) {
  const limpet_range dofs = limpet_tree_dofs(model, tree);
  return (limpet_range){model->dof_joint[dofs.first], model->dof_joint[dofs.end - 1] + 1};
}

static inline limpet_range limpet_tree_positions(const limpet_model *model, int tree) {
  const limpet_range joints = limpet_tree_joints(model, tree);
  return (limpet_range){model->joint_q[joints.first],
                        joints.end < model->joint_count ? model->joint_q[joints.end] : model->nq};
}

/* Trees in a row, whose velocities and joints are one range: loops over velocities see all trees at
 * once where all are asked for. Among the bodies may be some that are in no tree. */
typedef struct limpet_tree_run {
  limpet_range dofs, joints, bodies;
} limpet_tree_run;

static inline int limpet_trees_run_count(limpet_trees trees) {
  return trees.tree ? trees.count : trees.count > 0;
}

static inline limpet_tree_run limpet_trees_run(const limpet_model *model, limpet_trees trees,
                                               int i) {
  const int first = trees.tree ? trees.tree[i] : 0, last = trees.tree ? first : trees.count - 1;
  return (limpet_tree_run){
      {limpet_tree_dofs(model, first).first, limpet_tree_dofs(model, last).end},
      {limpet_tree_joints(model, first).first, limpet_tree_joints(model, last).end},
      {limpet_tree_bodies(model, first).first, limpet_tree_bodies(model, last).end}};
}

#endif

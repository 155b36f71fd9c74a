/* dynamics/acting.c: which tendons and actuators act on the trees of a list: see tree.h. */
#include <assert.h>

#include "dynamics/tree.h"

bool limpet_tendon_moves(const limpet_model *model, int tendon, limpet_trees trees) {
  assert(tendon >= 0 && tendon < model->tendon_count);
  if (!trees.tree) return true;
  for (int i = model->tendon_dof_begin[tendon]; i < model->tendon_dof_begin[tendon + 1]; ++i)
    if (limpet_trees_have(trees, model->dof_tree[model->tendon_dof[i]])) return true;
  return false;
}

static bool site_moves(const limpet_model *model, int site, limpet_trees trees) {
  return site != LIMPET_NONE && limpet_trees_have(trees, model->body_tree[model->site_body[site]]);
}

bool limpet_actuator_acts(const limpet_model *model, int actuator, limpet_trees trees) {
  assert(actuator >= 0 && actuator < model->actuator_count);
  if (!trees.tree) return true;
  const int target = model->actuator_target[actuator];
  switch (model->actuator_transmission[actuator]) {
    case LIMPET_TRANSMISSION_JOINT:
    case LIMPET_TRANSMISSION_JOINT_IN_PARENT:
      return limpet_trees_have(trees, model->dof_tree[model->joint_v[target]]);
    case LIMPET_TRANSMISSION_TENDON: return limpet_tendon_moves(model, target, trees);
    case LIMPET_TRANSMISSION_SITE:
    case LIMPET_TRANSMISSION_SLIDER_CRANK:
      return site_moves(model, target, trees) ||
             site_moves(model, model->actuator_reference_site[actuator], trees);
    case LIMPET_TRANSMISSION_SURFACE:
    case LIMPET_TRANSMISSION_BODY: break;
  }
  return true;
}

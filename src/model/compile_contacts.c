/* model/compile_contacts.c: which geoms can touch anything at all, pairs with parameters
 * of their own, bodies that never touch. */
#include <math.h>

#include "math/vec3.h"
#include "model/compile.h"

static limpet_status fill_pair(limpet_compiler *compiler, int p) {
  limpet_model *model = compiler->model;
  const limpet_pair_description *pair = limpet_builder_pairs(compiler->builder) + p;
  const int a = compiler->geom.index[pair->geom_a], b = compiler->geom.index[pair->geom_b];
  if (a == b)
    return limpet_compile_error(compiler, LIMPET_OBJECT_PAIR, p,
                                " pairs a geom with itself; name two different ones");
  if (pair->condim != 1 && pair->condim != 3 && pair->condim != 4 && pair->condim != 6)
    return limpet_compile_error(compiler, LIMPET_OBJECT_PAIR, p, ": condim is %d; use 1, 3, 4 or 6",
                                pair->condim);
  for (int k = 0; k < 5; ++k)
    if (pair->friction[k] < 0.0)
      return limpet_compile_error(compiler, LIMPET_OBJECT_PAIR, p,
                                  ": its friction %d is %g; give 0 or more", k, pair->friction[k]);
  model->pair_geom[2 * p] = a < b ? a : b;
  model->pair_geom[2 * p + 1] = a < b ? b : a;
  model->pair_condim[p] = pair->condim;
  for (int k = 0; k < 5; ++k) model->pair_friction[5 * p + k] = pair->friction[k];
  model->pair_has_impedance[p] = pair->has_impedance;
  model->pair_impedance[p] = pair->impedance;
  model->pair_margin[p] = pair->margin;
  model->pair_gap[p] = pair->gap;
  model->pair_adhesion[p] = pair->adhesion;
  return LIMPET_OK;
}

// A geom is a collider if the bits of some geom match its own, or if it is in a pair.
static void fill_colliders(limpet_model *model) {
  unsigned contype = 0, conaffinity = 0;
  for (int g = 0; g < model->geom_count; ++g) {
    contype |= model->geom_contype[g];
    conaffinity |= model->geom_conaffinity[g];
    model->geom_collider[g] = -1;
  }
  for (int p = 0; p < 2 * model->pair_count; ++p) model->geom_collider[model->pair_geom[p]] = 0;
  for (int g = 0; g < model->geom_count; ++g) {
    const bool matches =
        (model->geom_contype[g] & conaffinity) || (model->geom_conaffinity[g] & contype);
    if (model->geom_kind[g] == LIMPET_SHAPE_SOFT) {  // found by collide/soft.h
      model->geom_collider[g] = -1;
      continue;
    }
    if (!matches && model->geom_collider[g] < 0) continue;
    const int body = model->geom_body[g];
    if (isfinite(model->geom_radius[g]))
      model->body_radius[body] =
          fmax(model->body_radius[body],
               model->geom_radius[g] + limpet_vec3_norm(model->geom_position + 3 * g));
    model->geom_collider[g] = model->collider_count;
    model->collider_geom[model->collider_count++] = g;
  }
}

// Room for the contacts of a heap: four on each of four sides of every geom.
static void fill_anchors(limpet_model *model) {
  enum { ANCHORS_PER_GEOM = 16, LEAST = 256 };
  if (model->options.anchor_count != LIMPET_ANCHORS_AUTOMATIC) return;
  const int limit = LIMPET_ANCHOR_LIMIT / ANCHORS_PER_GEOM;
  const int count =
      ANCHORS_PER_GEOM * (model->collider_count < limit ? model->collider_count : limit);
  model->options.anchor_count = model->collider_count == 0 ? 0 : count < LEAST ? LEAST : count;
}

limpet_status limpet_compile_contacts(limpet_compiler *compiler) {
  limpet_model *model = compiler->model;
  for (int p = 0; p < model->pair_count; ++p) {
    const limpet_status status = fill_pair(compiler, p);
    if (status) return status;
  }
  for (int e = 0; e < model->exclude_count; ++e)
    for (int k = 0; k < 2; ++k)
      model->exclude_body[2 * e + k] = compiler->body.index[compiler->builder->exclude[e][k]];
  fill_colliders(model);
  fill_anchors(model);
  return LIMPET_OK;
}

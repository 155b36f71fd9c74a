/* gradient/tree_change.c: see tree_change.h. Cost: one pass of the derivatives of inverse dynamics
 * and one mass matrix for each tree. */
#include "gradient/tree_change.h"

#include <string.h>

#include "dynamics/tree.h"
#include "gradient/tree_place.h"
#include "gradient/tree_weights.h"
#include "math/dense.h"

enum { FREE_DOFS = 6 };

typedef struct filler {
  limpet_tree_place place;
  limpet_tree_weights weights;
  double *bias_v, *passive_q;  // (mass_size)
} filler;

static limpet_status dynamics(filler *f, limpet_data *at, limpet_tree_change *t, int tree,
                              const limpet_tree_centres *c, limpet_arena *arena) {
  const limpet_probe *probe = f->place.probe;
  const limpet_model *model = probe->model;
  const double h = probe->settings->time_step, share = limpet_tree_share(probe, tree);
  const int n = t->n, block = model->tree_mass[tree];
  double *bias_v = t->by_middle ? f->bias_v + block : t->v;
  if (c->are) limpet_tree_place_base(&f->place, &c->middle, tree);
  limpet_tree_rnea_derivatives(model, at, tree, f->place.vdot, h, t->q, bias_v);
  if (!probe->has_mass) limpet_tree_mass_matrix(model, at, tree);
  const double *M = probe->data->mass_matrix + block, *springs = f->passive_q + block;
  if (t->by_middle) {
    limpet_integration_chain(&f->place.way, tree, n, t->q, t->v);
    limpet_tree_place_slope(&f->place, t, share, n, t->v, bias_v, NULL);
    limpet_axpy(n * n, 1.0, bias_v, t->v);
  }
  for (int i = 0; i < n * n && t->change; ++i) t->change[i] = t->by_middle ? 0.5 * t->v[i] : 0.0;
  limpet_axpy(n * n, -1.0, M, t->v);
  if (c->are) {
    if (t->change) limpet_tree_centre_part(&c->middle, n, t->change);
    if (limpet_tree_centre_both(&c->middle, &c->start, probe, tree, arena, t->q, t->v))
      return LIMPET_ERROR_MEMORY;
  }
  if (t->change && t->impulse_change)
    memcpy(t->impulse_change, t->change, FREE_DOFS * (size_t)n * sizeof *t->change);
  if (t->impulse_q) {
    memcpy(t->impulse_q, t->q, FREE_DOFS * (size_t)n * sizeof *t->q);
    memcpy(t->impulse_v, t->v, FREE_DOFS * (size_t)n * sizeof *t->v);
  }
  limpet_axpy(n * n, -h, springs, t->q);
  return LIMPET_OK;
}

// The columns `from` on of a tree that flies, to (rows x n).
static void take_block(const limpet_tree_change *t, int rows, const double *X, int from,
                       double *to) {
  for (int i = 0; i < rows; ++i)
    memcpy(to + i * t->n, X + i * t->flight->width + from, (size_t)t->n * sizeof *to);
}

static limpet_status flight_dynamics(filler *f, limpet_tree_change *t, int tree,
                                     limpet_arena *arena) {
  const limpet_tree_flight_input input = {tree,
                                          f->passive_q + f->place.probe->model->tree_mass[tree],
                                          t->change != NULL, t->flight_room};
  if (limpet_tree_flight_make(f->place.probe, &input, &f->place.middle, arena, t->flight))
    return LIMPET_ERROR_MEMORY;
  take_block(t, t->n, t->flight->r, 0, t->q);
  take_block(t, t->n, t->flight->r, t->n, t->v);
  if (t->change) take_block(t, t->n, t->flight->r, 3 * t->n, t->change);
  if (t->impulse_change) take_block(t, FREE_DOFS, t->flight->r, 3 * t->n, t->impulse_change);
  if (!t->impulse_q) return LIMPET_OK;
  take_block(t, FREE_DOFS, t->flight->r, 0, t->impulse_q);
  take_block(t, FREE_DOFS, t->flight->r, t->n, t->impulse_v);
  return LIMPET_OK;
}

static limpet_status take(filler *f, bool weights, limpet_arena *arena, limpet_tree_change *trees) {
  const limpet_model *model = f->place.probe->model;
  const size_t size = (size_t)model->mass_size;
  double *block = LIMPET_TAKE(arena, double, (weights ? 4 : 2) * size);
  if (!block) return LIMPET_ERROR_MEMORY;
  for (int t = 0; t < model->tree_count; ++t) {
    const size_t at = (size_t)model->tree_mass[t];
    trees[t].q = block + at;
    trees[t].v = block + size + at;
    if (!weights) continue;
    trees[t].own_q = block + 2 * size + at, trees[t].own_v = block + 3 * size + at;
  }
  if (weights && limpet_tree_weights_take(&f->weights, arena, trees)) return LIMPET_ERROR_MEMORY;
  f->bias_v = LIMPET_TAKE(arena, double, 2 * size);
  if (!f->bias_v) return LIMPET_ERROR_MEMORY;
  f->passive_q = f->bias_v + size;
  return LIMPET_OK;
}

limpet_status limpet_tree_change_fill(const limpet_probe *probe, bool weights, limpet_arena *arena,
                                      limpet_tree_change *trees) {
  const limpet_model *model = probe->model;
  limpet_data *data = probe->data;
  filler f = {.weights.place = &f.place};
  if (limpet_tree_place_begin(&f.place, probe, trees, arena) || take(&f, weights, arena, trees))
    return LIMPET_ERROR_MEMORY;
  limpet_passive_derivatives(model, data, f.passive_q, NULL);
  for (int t = 0; t < model->tree_count; ++t) {
    if (!trees[t].known && !trees[t].impulse_q && !trees[t].flight) continue;
    limpet_data *at =
        trees[t].flight ? &f.place.middle.world : limpet_tree_place_at(&f.place, &trees[t], t);
    limpet_tree_centres c;
    if (trees[t].flight && flight_dynamics(&f, &trees[t], t, arena)) return LIMPET_ERROR_MEMORY;
    if (limpet_tree_centres_make(probe, at, t, arena, &c)) return LIMPET_ERROR_MEMORY;
    if (trees[t].flight) trees[t].by_middle = true;
    else if (limpet_tree_alone(probe, t)) limpet_tree_place_alone(&f.place, &trees[t], t);
    else if (dynamics(&f, at, &trees[t], t, &c, arena)) return LIMPET_ERROR_MEMORY;
    if (weights && trees[t].known &&
        limpet_tree_weights_fill(&f.weights, at, &trees[t], t, &c, arena))
      return LIMPET_ERROR_MEMORY;
  }
  return LIMPET_OK;
}

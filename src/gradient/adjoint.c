/* gradient/adjoint.c: the results of a step for one weighting, from its columns or backwards
 * through the step (reverse.h).
 *
 *   w' dv = (S' w)' d(residual): one solve, then a product with each column
 * Columns that pass through the end of flight (flight.h) do so here, too. */
#include <math.h>
#include <string.h>

#include "gradient/flight.h"
#include "gradient/soft_stiffening.h"
#include "gradient/weighting.h"
#include "math/dense.h"

double limpet_weighting_end(const limpet_weighting *a, limpet_gradient_group group, int column,
                            bool through) {
  limpet_gradient_workspace *w = a->workspace;
  const int nv = w->model->nv;
  const double own =
      a->solved ? limpet_dot(w->residual.solved->problem.nv, a->solved, w->velocity) : 0.0;
  bool switches;
  if (!through) limpet_gradient_pass_end(w, group, column);
  else if (limpet_flight_column(w, group, column, w->velocity, w->shift, &switches)) return NAN;
  return own + (a->weight_q ? limpet_dot(nv, a->weight_q, w->shift) : 0.0) +
         (a->weight_v ? limpet_dot(nv, a->weight_v, w->velocity) : 0.0);
}

double limpet_weighting_flight(const limpet_weighting *a, limpet_gradient_group group, int column,
                               const double *change, int island) {
  limpet_soft_solve(a->workspace, change, island, a->workspace->velocity);
  return limpet_weighting_end(a, group, column, false);
}

static void use_product(void *context, limpet_gradient_group group, int column,
                        const double *change, int island) {
  const limpet_weighting *a = context;
  const limpet_residual *residual = &a->workspace->residual;
  const int from = island < 0 ? 0 : residual->at[island],
            end = island < 0 ? residual->size : residual->at[island + 1];
  double *to = *limpet_gradient_array(a->to, group) + column;
  if (change && a->workspace->flies)
    *to = limpet_weighting_flight(a, group, column, change, island);
  else *to = change ? limpet_dot(end - from, a->dual + from, change + from) : NAN;
}

// What the end of a step has of forces, and of controls outside the solve. by_f: (nv).
static void add_forces(const limpet_gradient_workspace *w, const double *by_f,
                       const limpet_gradient_arrays *to) {
  const int nv = w->model->nv;
  if (w->flies || !w->columns.control_force || !w->wanted.inputs) return;
  limpet_axpy(nv, 1.0, by_f, to->force);
  for (int i = 0; i < w->model->nu; ++i)
    to->control[i] += limpet_dot(nv, w->columns.control_force + i * nv, by_f);
}

limpet_status limpet_weighting_columns(limpet_gradient *gradient, const limpet_weighting *a,
                                       double *dual) {
  limpet_gradient_workspace *w = gradient->workspace;
  const double *weight_q = a->weight_q, *weight_v = a->weight_v;
  const int nv = w->model->nv;
  const size_t all = (size_t)w->residual.solved->problem.nv;
  double *by_q = LIMPET_TAKE_ZERO(&w->arena, double, 3 * nv), *by_v = by_q + nv, *by_f = by_v + nv;
  double *weight = LIMPET_TAKE(&w->arena, double, 3 * nv), *work = weight + nv;
  if (!by_q || !weight) return LIMPET_ERROR_MEMORY;

  const limpet_end_weights weights = {weight_q, weight_v, by_q, by_v, by_f, a->change};

  // the weight of v, that of q included
  memset(w->velocity, 0, all * sizeof *w->velocity);
  if (weight_q) limpet_integration_adjoint(&w->integration, weight_q, w->velocity, by_q);
  for (int k = 0; k < w->tree_end_count && !w->flies && weight_q; ++k)
    limpet_tree_end_place(&w->tree_end[k], weight_q, w->velocity, by_q);
  if (weight_v) {
    memcpy(weight, weight_v, (size_t)nv * sizeof *weight);
    for (int k = 0; k < w->tree_end_count && !w->flies; ++k)
      limpet_tree_end_weigh(&w->tree_end[k], &weights, weight);
    for (int i = 0; i < nv; ++i) w->velocity[i] += weight[i];
  }
  for (int k = 0; k < w->end_count && !w->flies; ++k)
    limpet_body_end_weigh(&w->end[k], weight_q, weight_v, w->velocity, by_q, by_v);
  for (int k = 0; k < w->free_end_count && !w->flies; ++k) {
    // integration.h took them along what was solved for
    const limpet_tree_free_end *end = &w->free_end[k];
    memset(by_q + end->first, 0, (size_t)end->n * sizeof *by_q);
    limpet_tree_free_end_weigh(end, &weights, w->velocity, work);
  }
  if (a->solved) limpet_axpy((int)all, 1.0, a->solved, w->velocity);
  if (!limpet_soft_solve_adjoint(w, w->velocity, dual))
    gradient->approximate = w->approximate = true;

  limpet_gradient_visit(w, use_product, (void *)a);
  for (int i = 0; i < nv && gradient->adjoint.q && !w->flies; ++i)
    gradient->adjoint.q[i] += by_q[i];
  for (int i = 0; i < nv && gradient->adjoint.v && !w->flies; ++i)
    gradient->adjoint.v[i] += by_v[i];
  add_forces(w, by_f, &gradient->adjoint);
  return LIMPET_OK;
}

bool limpet_gradient_adjoint_plain(limpet_gradient *gradient, const double *weight_q,
                                   const double *weight_v) {
  limpet_gradient_workspace *w = gradient->workspace;
  if (limpet_solved_step_of(w->data) != w->solved) return false;
  const limpet_arena_mark mark = limpet_arena_mark_now(&w->arena);
  double *dual = LIMPET_TAKE(&w->arena, double, w->residual.size);
  if (!dual) return false;
  limpet_weighting a = {w, &gradient->adjoint, dual, weight_q, weight_v, NULL, NULL};
  limpet_status status;
  if (w->reverse) {
    status = limpet_reverse_product(w->reverse, weight_q, weight_v, NULL, dual, &gradient->adjoint);
    if (status == LIMPET_OK) limpet_gradient_visit_contacts(w, use_product, &a);
  } else {
    status = limpet_weighting_columns(gradient, &a, dual);
  }
  limpet_arena_release(&w->arena, mark);
  return status == LIMPET_OK;
}

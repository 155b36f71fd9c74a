/* gradient/carried_adjoint.c: the adjoint of a step in a rollout, with weights of what it leaves
 * besides pose and velocity, and those of what it had: carried.h.
 *
 * Weights of stretches and rebounds of contacts go through the wrenches of their patches, dual . dr
 * = wrench . dF; those of the change of velocity through flight's estimate of the middle of a step,
 * and c = v1 - v0 itself. */
#include <string.h>

#include "gradient/carried.h"
#include "gradient/flight_ends.h"
#include "gradient/soft_stiffening.h"
#include "gradient/weighting.h"
#include "math/dense.h"
#include "solve/island.h"
#include "step/scheme.h"

// dual . dr = wrench . dF of each patch.
static void wrenches_of(const limpet_residual *residual, const double *dual,
                        const limpet_carried_contacts *contacts) {
  for (int k = 0; k < contacts->patch_count; ++k) {
    const limpet_patch_view *view = &contacts->patch[k];
    double *Y = contacts->wrench + 6 * k;
    limpet_patch_velocity(view->patch, dual + residual->at[view->island], Y);
    for (int i = 0; i < 6; ++i) Y[i] = -Y[i];
  }
}

// The same where columns pass through the end of the step one by one.
static void wrenches_through(const limpet_weighting *a, const limpet_carried_contacts *contacts) {
  limpet_gradient_workspace *w = a->workspace;
  memset(w->change, 0, (size_t)w->residual.size * sizeof *w->change);
  for (int k = 0; k < contacts->patch_count; ++k) {
    const limpet_patch_view *view = &contacts->patch[k];
    double *r = w->change + w->residual.at[view->island];
    const size_t size =
        (size_t)w->residual.solved->problem.island[view->island].size * sizeof(double);
    for (int i = 0; i < 6; ++i) {
      double F[6] = {0.0};
      F[i] = -1.0;
      limpet_patch_push(view->patch, F, r);
      contacts->wrench[6 * k + i] =
          limpet_weighting_flight(a, LIMPET_GRADIENT_GROUPS, 0, w->change, view->island);
      memset(r, 0, size);
    }
  }
}

// Column of the residual by the change of a velocity in the last step, by differences.
static limpet_residual_outcome change_column(limpet_gradient_workspace *w, int dof, double *column,
                                             double *other) {
  const double E = LIMPET_SMOOTH_DIFFERENCE * w->wanted.difference;
  double *moved = w->world->warm_start + dof, base = *moved;
  *moved = base + E;
  limpet_residual_outcome outcome = limpet_probe_evaluate(w->probe, &w->arena, column);
  *moved = base - E;
  if (outcome == LIMPET_RESIDUAL_DONE) outcome = limpet_probe_evaluate(w->probe, &w->arena, other);
  *moved = base;
  for (int i = 0; i < w->residual.size; ++i) column[i] = (column[i] - other[i]) / (2.0 * E);
  return outcome;
}

// By the change of velocity in the last step: of trees without a closed form from differences.
static limpet_status add_changes(const limpet_weighting *a, double *change) {
  limpet_gradient_workspace *w = a->workspace;
  const limpet_residual *residual = &w->residual;
  double *column = LIMPET_TAKE(&w->arena, double, 2 * residual->size),
         *other = column + residual->size;
  bool any = false;
  if (!column) return LIMPET_ERROR_MEMORY;
  for (int t = 0; t < w->model->tree_count; ++t) {
    const limpet_range dofs = limpet_tree_dofs(w->model, t);
    if (!limpet_carried_remembers(w, t)) continue;
    const bool known = w->columns.change_known && w->columns.change_known[t],
               ends = w->flies || (!known && limpet_flight_ends(residual->solved, w->data, t));
    any = any || !known || ends;
    for (int d = dofs.first; d < dofs.end; ++d) {
      const double *own = known ? w->columns.change + (size_t)d * (size_t)residual->size : column;
      if (!known && change_column(w, d, column, other)) return LIMPET_ERROR_MEMORY;
      if (!ends) {
        change[d] += limpet_dot(residual->size, a->dual, own);
        continue;
      }
      limpet_soft_solve(w, own, -1, w->velocity);
      change[d] += limpet_weighting_end(a, LIMPET_GRADIENT_CHANGE, d, true);
    }
  }
  if (any) limpet_gradient_look_back(w);
  return LIMPET_OK;
}

// Contacts of a step whose products come from columns. NULL: no memory.
static limpet_contact_sweep *sweep_of(limpet_gradient_workspace *w) {
  const limpet_contact_problem *problem = &w->residual.solved->problem;
  limpet_column_writer *writer = LIMPET_TAKE_ZERO(&w->arena, limpet_column_writer, 1);
  if (!writer) return NULL;
  *writer = (limpet_column_writer){.probe = w->probe,
                                   .arena = &w->arena,
                                   .width = LIMPET_SMOOTH_DIFFERENCE * w->wanted.difference};
  if (limpet_problem_take_weights(problem, w->model, &w->arena, &writer->delassus)) return NULL;
  limpet_problem_weigh(problem, w->model, w->world, &writer->delassus);
  return limpet_contact_sweep_make(writer, false);
}

static limpet_status carried_by_columns(limpet_gradient *gradient, limpet_weighting *a,
                                        double *dual, limpet_contact_sweep *sweep,
                                        limpet_carried_contacts *contacts, limpet_carried *start) {
  limpet_gradient_workspace *w = gradient->workspace;
  const size_t nv = (size_t)w->model->nv;
  double *zero = LIMPET_TAKE_ZERO(&w->arena, double, 7 * nv);
  if (!zero || limpet_weighting_columns(gradient, a, dual)) return LIMPET_ERROR_MEMORY;
  if (w->flies) wrenches_through(a, contacts);
  else wrenches_of(&w->residual, dual, contacts);
  if (add_changes(a, start->change)) return LIMPET_ERROR_MEMORY;
  if (w->flies) limpet_gradient_look_back(w);
  if (sweep)
    limpet_contact_sweep_add(sweep, NULL, zero, contacts->weight, gradient->adjoint.q,
                             gradient->adjoint.v, zero + nv);
  return LIMPET_OK;
}

static limpet_status adjoint_carried(limpet_gradient *gradient, limpet_weighting *a, double *dual,
                                     const limpet_carried *end, limpet_carried *start) {
  limpet_gradient_workspace *w = gradient->workspace;
  double *solved = LIMPET_TAKE_ZERO(&w->arena, double, w->residual.solved->problem.nv);
  limpet_carried_contacts contacts;
  if (!solved) return LIMPET_ERROR_MEMORY;
  if (!w->reverse) limpet_gradient_look_back(w);
  const bool kept = w->residual.solved->problem.stretch != NULL;
  limpet_contact_sweep *own = !w->reverse && kept ? sweep_of(w) : NULL;
  const limpet_contact_sweep *sweep = w->reverse ? limpet_reverse_contacts(w->reverse) : own;
  if ((kept && !sweep) || limpet_carried_contacts_make(w, sweep, w->data, &contacts) ||
      limpet_carried_weigh(w, end, &contacts, solved))
    return LIMPET_ERROR_MEMORY;
  a->solved = solved;
  if (!w->reverse && carried_by_columns(gradient, a, dual, own, &contacts, start))
    return LIMPET_ERROR_MEMORY;
  if (w->reverse) {
    const limpet_reverse_carried carried = {solved, contacts.weight, start->change};
    if (limpet_reverse_product(w->reverse, a->weight_q, a->weight_v, &carried, dual,
                               &gradient->adjoint))
      return LIMPET_ERROR_MEMORY;
    wrenches_of(&w->residual, dual, &contacts);
  }
  limpet_carried_collect(w, &contacts, start);
  return limpet_carried_rebounds(w, end, &contacts, &gradient->adjoint, start->change);
}

bool limpet_gradient_adjoint_carried(limpet_gradient *gradient, const double *weight_q,
                                     const double *weight_v, const limpet_carried *end,
                                     limpet_carried *start) {
  limpet_gradient_workspace *w = gradient->workspace;
  if (limpet_solved_step_of(w->data) != w->solved) return false;
  const int nv = w->model->nv;
  limpet_carried_clear(w->world, start);
  if (!w->residual.smooth || w->settings.scheme->from_rest)
    return limpet_gradient_adjoint_plain(gradient, weight_q, weight_v);
  const limpet_arena_mark mark = limpet_arena_mark_now(&w->arena);
  double *dual = LIMPET_TAKE(&w->arena, double, w->residual.size),
         *weight = LIMPET_TAKE_ZERO(&w->arena, double, nv);
  if (!dual || !weight) return false;

  // c = v1 - v0
  if (weight_v) memcpy(weight, weight_v, (size_t)nv * sizeof *weight);
  limpet_axpy(nv, 1.0, end->change, weight);
  limpet_weighting a = {w, &gradient->adjoint, dual, weight_q, weight, NULL, start->change};
  const limpet_status status = adjoint_carried(gradient, &a, dual, end, start);
  limpet_axpy(nv, -1.0, end->change, gradient->adjoint.v);
  limpet_arena_release(&w->arena, mark);
  return status == LIMPET_OK;
}

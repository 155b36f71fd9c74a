/* gradient/jacobian.c: derivatives column by column (dq, dv), or for one weighting of the results
 * (adjoint).
 *
 *   dv = S d(residual),   dq = T dv + (dq1/dq0 for columns of the pose)        S: residual.h, T =
 *                         dq1/dv: integration.h
 *   w' dv = (S' w)' d(residual): one solve, then a product with each column
 * Where trees fly, the end of the step changes velocities, too, and columns pass through it one by
 * one (flight.h), in the adjoint as well. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "gradient/carried.h"
#include "gradient/flight.h"
#include "gradient/flight_ends.h"
#include "math/dense.h"
#include "solve/island.h"
#include "step/scheme.h"

typedef struct filler {
  limpet_gradient_workspace *workspace;
  limpet_gradient *gradient;
} filler;

static void put(double *array, int rows, int width, int column, const double *values) {
  for (int i = 0; i < rows; ++i)
    array[(size_t)i * (size_t)width + (size_t)column] = values ? values[i] : NAN;
}

// The same of bodies alone, and velocities of trees that were held; state and inputs held.
static void pass_ends(limpet_gradient_workspace *w) {
  for (int k = 0; k < w->end_count; ++k) {
    const limpet_body_end *end = &w->end[k];
    double s[6];
    memcpy(s, w->velocity + end->first, sizeof s);
    for (int i = 0; i < 6; ++i) {
      w->shift[end->first + i] = limpet_dot(6, end->q_by_s + 6 * i, s);
      w->velocity[end->first + i] = limpet_dot(6, end->v_by_s + 6 * i, s);
    }
  }
  for (int k = 0; k < w->tree_end_count; ++k)
    limpet_tree_end_pass(&w->tree_end[k], w->velocity, w->shift);
  for (int k = 0; k < w->free_end_count; ++k) {
    const limpet_tree_free_end *end = &w->free_end[k];
    double work[12];
    limpet_tree_free_end_rows(end, LIMPET_END_BY_NONE, 0, 1, NULL, w->velocity + end->first,
                              w->shift + end->first, work);
  }
}

bool limpet_gradient_pass_end(limpet_gradient_workspace *w, limpet_gradient_group group,
                              int column) {
  bool switches = false;
  if (!w->flies) {
    limpet_integration_by_v(&w->integration, w->velocity, w->shift);
    pass_ends(w);
  } else if (limpet_flight_column(w, group, column, w->velocity, w->shift, &switches) !=
             LIMPET_OK) {
    for (int i = 0; i < w->model->nv; ++i) w->velocity[i] = w->shift[i] = NAN;
  }
  return switches;
}

static void use_column(void *context, limpet_gradient_group group, int column, const double *change,
                       int island) {
  const filler *f = context;
  limpet_gradient_workspace *w = f->workspace;
  const int nv = w->model->nv, width = limpet_gradient_width(w, group);
  double *dv = *limpet_gradient_array(&f->gradient->dv, group),
         *dq = *limpet_gradient_array(&f->gradient->dq, group);
  double *kink = *limpet_gradient_array(&f->gradient->kink, group) + column;
  *kink = NAN;
  if (change) {
    *kink = limpet_residual_forward(&w->residual, change, island, w->velocity);
    const bool end = limpet_gradient_pass_end(w, group, column);
    if (end || limpet_gradient_kinked(w, group, column)) *kink = INFINITY;
  }
  put(dv, nv, width, column, change ? w->velocity : NULL);
  put(dq, nv, width, column, change ? w->shift : NULL);
}

// Whether a velocity is one of a body that has its own form.
static bool ends_alone(const limpet_gradient_workspace *w, int dof) {
  for (int k = 0; k < w->end_count; ++k)
    if (dof >= w->end[k].first && dof < w->end[k].first + 6) return true;
  for (int k = 0; k < w->free_end_count; ++k)
    if (dof >= w->free_end[k].first && dof < w->free_end[k].first + w->free_end[k].n) return true;
  return false;
}

limpet_status limpet_gradient_fill(limpet_gradient_workspace *w, limpet_gradient *gradient) {
  filler f = {w, gradient};
  const bool blocks = w->residual.smooth && !w->flies && !w->soft;
  if (blocks && limpet_gradient_fill_blocks(w, gradient)) return LIMPET_ERROR_MEMORY;
  if (blocks) limpet_gradient_visit_contacts(w, use_column, &f);
  else limpet_gradient_visit(w, use_column, &f);
  for (int i = 0; i < w->model->nv && gradient->dq.q && !w->flies; ++i)
    if (!ends_alone(w, i))
      limpet_integration_add_by_q(&w->integration, i, gradient->dq.q + i, w->model->nv);
  return LIMPET_OK;
}

// ----------------------------------------------------------------------------------- adjoint

typedef struct weighting {
  limpet_gradient_workspace *workspace;
  limpet_gradient_arrays *to;
  const double *dual;                 // (residual size)
  const double *weight_q, *weight_v;  // (nv)  NULL: zero
  const double *solved;               // (nv of the problem)  of what was solved for; NULL: zero
  double *change;  // (nv)  += by the change of the last step at ends; NULL: not wanted
} weighting;

// Results weighted, from the change of the velocity that was solved for in w->velocity. through:
// by differences of the end of the step.
static double end_product(const weighting *a, limpet_gradient_group group, int column,
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

// In free flight: the derivatives of the column themselves, weighted.
static double flight_product(const weighting *a, limpet_gradient_group group, int column,
                             const double *change, int island) {
  limpet_residual_forward(&a->workspace->residual, change, island, a->workspace->velocity);
  return end_product(a, group, column, false);
}

static void use_product(void *context, limpet_gradient_group group, int column,
                        const double *change, int island) {
  const weighting *a = context;
  const limpet_residual *residual = &a->workspace->residual;
  const int from = island < 0 ? 0 : residual->at[island],
            end = island < 0 ? residual->size : residual->at[island + 1];
  double *to = *limpet_gradient_array(a->to, group) + column;
  if (change && a->workspace->flies) *to = flight_product(a, group, column, change, island);
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

// From columns: adjoint of the gradient. solved (nv of the problem): weights of the velocity that
// was solved for, besides; NULL: zero. dual (residual size): receives that of the residual.
static limpet_status adjoint_of_columns(limpet_gradient *gradient, const weighting *a,
                                        double *dual) {
  limpet_gradient_workspace *w = gradient->workspace;
  const double *weight_q = a->weight_q, *weight_v = a->weight_v;
  const int nv = w->model->nv;
  const size_t all = (size_t)w->residual.solved->problem.nv;
  double *by_q = LIMPET_TAKE_ZERO(&w->arena, double, 3 * nv), *by_v = by_q + nv, *by_f = by_v + nv;
  double *weight = LIMPET_TAKE(&w->arena, double, 3 * nv), *work = weight + nv;
  if (!by_q || !weight) return LIMPET_ERROR_MEMORY;

  // the weight of v, that of q included
  memset(w->velocity, 0, all * sizeof *w->velocity);
  if (weight_q) limpet_integration_adjoint(&w->integration, weight_q, w->velocity, by_q);
  for (int k = 0; k < w->tree_end_count && !w->flies && weight_q; ++k)
    limpet_tree_end_place(&w->tree_end[k], weight_q, w->velocity, by_q);
  if (weight_v) {
    memcpy(weight, weight_v, (size_t)nv * sizeof *weight);
    for (int k = 0; k < w->tree_end_count && !w->flies; ++k)
      limpet_tree_end_weigh(&w->tree_end[k], weight, by_q, by_v, by_f, a->change);
    for (int i = 0; i < nv; ++i) w->velocity[i] += weight[i];
  }
  for (int k = 0; k < w->end_count && !w->flies; ++k)
    limpet_body_end_weigh(&w->end[k], weight_q, weight_v, w->velocity, by_q, by_v);
  for (int k = 0; k < w->free_end_count && !w->flies; ++k) {
    // integration.h took them along what was solved for
    const limpet_tree_free_end *end = &w->free_end[k];
    memset(by_q + end->first, 0, (size_t)end->n * sizeof *by_q);
    limpet_tree_free_end_weigh(end, weight_q, weight_v, w->velocity, by_q, by_v, by_f, a->change,
                               work);
  }
  if (a->solved) limpet_axpy((int)all, 1.0, a->solved, w->velocity);
  limpet_residual_adjoint(&w->residual, w->velocity, dual);

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
  weighting a = {w, &gradient->adjoint, dual, weight_q, weight_v, NULL, NULL};
  limpet_status status;
  if (w->reverse) {
    status = limpet_reverse_product(w->reverse, weight_q, weight_v, NULL, dual, &gradient->adjoint);
    if (status == LIMPET_OK) limpet_gradient_visit_contacts(w, use_product, &a);
  } else {
    status = adjoint_of_columns(gradient, &a, dual);
  }
  limpet_arena_release(&w->arena, mark);
  return status == LIMPET_OK;
}

// -------------------------------------------------------------------------- what is carried

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
static void wrenches_through(const weighting *a, const limpet_carried_contacts *contacts) {
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
          flight_product(a, LIMPET_GRADIENT_GROUPS, 0, w->change, view->island);
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
static limpet_status add_changes(const weighting *a, double *change) {
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
      limpet_residual_forward(residual, own, -1, w->velocity);
      change[d] += end_product(a, LIMPET_GRADIENT_CHANGE, d, true);
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
  return limpet_contact_sweep_make(writer);
}

static limpet_status carried_by_columns(limpet_gradient *gradient, weighting *a, double *dual,
                                        limpet_contact_sweep *sweep,
                                        limpet_carried_contacts *contacts, limpet_carried *start) {
  limpet_gradient_workspace *w = gradient->workspace;
  const size_t nv = (size_t)w->model->nv;
  double *zero = LIMPET_TAKE_ZERO(&w->arena, double, 7 * nv);
  if (!zero || adjoint_of_columns(gradient, a, dual)) return LIMPET_ERROR_MEMORY;
  if (w->flies) wrenches_through(a, contacts);
  else wrenches_of(&w->residual, dual, contacts);
  if (add_changes(a, start->change)) return LIMPET_ERROR_MEMORY;
  if (w->flies) limpet_gradient_look_back(w);
  if (sweep)
    limpet_contact_sweep_add(sweep, NULL, zero, contacts->weight, gradient->adjoint.q,
                             gradient->adjoint.v, zero + nv);
  return LIMPET_OK;
}

static limpet_status adjoint_carried(limpet_gradient *gradient, weighting *a, double *dual,
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
  weighting a = {w, &gradient->adjoint, dual, weight_q, weight, NULL, start->change};
  const limpet_status status = adjoint_carried(gradient, &a, dual, end, start);
  limpet_axpy(nv, -1.0, end->change, gradient->adjoint.v);
  limpet_arena_release(&w->arena, mark);
  return status == LIMPET_OK;
}

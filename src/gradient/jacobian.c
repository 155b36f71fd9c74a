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

#include "gradient/flight.h"
#include "math/dense.h"

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
  for (int k = 0; k < w->tree_end_count; ++k) limpet_tree_end_pass(&w->tree_end[k], w->velocity);
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
} weighting;

// In free flight: the derivatives of the column themselves, weighted.
static double flight_product(const weighting *a, limpet_gradient_group group, int column,
                             const double *change, int island) {
  limpet_gradient_workspace *w = a->workspace;
  limpet_residual_forward(&w->residual, change, island, w->velocity);
  limpet_gradient_pass_end(w, group, column);
  const int nv = w->model->nv;
  return (a->weight_q ? limpet_dot(nv, a->weight_q, w->shift) : 0.0) +
         (a->weight_v ? limpet_dot(nv, a->weight_v, w->velocity) : 0.0);
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

bool limpet_gradient_adjoint_plain(limpet_gradient *gradient, const double *weight_q,
                                   const double *weight_v) {
  limpet_gradient_workspace *w = gradient->workspace;
  if (limpet_solved_step_of(w->data) != w->solved) return false;
  const int nv = w->model->nv;
  const size_t all = (size_t)w->residual.solved->problem.nv;
  const limpet_arena_mark mark = limpet_arena_mark_now(&w->arena);
  double *dual = LIMPET_TAKE(&w->arena, double, w->residual.size),
         *by_q = LIMPET_TAKE_ZERO(&w->arena, double, 3 * nv), *by_v = by_q + nv, *by_f = by_v + nv;
  double *weight = LIMPET_TAKE(&w->arena, double, 3 * nv), *work = weight + nv;
  if (!dual || !by_q || !weight) return false;

  weighting a = {w, &gradient->adjoint, dual, weight_q, weight_v};
  if (w->reverse) {
    const limpet_status status =
        limpet_reverse_product(w->reverse, weight_q, weight_v, dual, &gradient->adjoint);
    if (status == LIMPET_OK) limpet_gradient_visit_contacts(w, use_product, &a);
    limpet_arena_release(&w->arena, mark);
    return status == LIMPET_OK;
  }

  // the weight of v, that of q included
  memset(w->velocity, 0, all * sizeof *w->velocity);
  if (weight_q) limpet_integration_adjoint(&w->integration, weight_q, w->velocity, by_q);
  if (weight_v) {
    memcpy(weight, weight_v, (size_t)nv * sizeof *weight);
    for (int k = 0; k < w->tree_end_count && !w->flies; ++k)
      limpet_tree_end_weigh(&w->tree_end[k], weight, by_q, by_v, by_f);
    for (int i = 0; i < nv; ++i) w->velocity[i] += weight[i];
  }
  for (int k = 0; k < w->end_count && !w->flies; ++k)
    limpet_body_end_weigh(&w->end[k], weight_q, weight_v, w->velocity, by_q, by_v);
  for (int k = 0; k < w->free_end_count && !w->flies; ++k) {
    // integration.h took them along what was solved for
    const limpet_tree_free_end *end = &w->free_end[k];
    memset(by_q + end->first, 0, (size_t)end->n * sizeof *by_q);
    limpet_tree_free_end_weigh(end, weight_q, weight_v, w->velocity, by_q, by_v, by_f, work);
  }
  limpet_residual_adjoint(&w->residual, w->velocity, dual);

  limpet_gradient_visit(w, use_product, &a);
  for (int i = 0; i < nv && gradient->adjoint.q && !w->flies; ++i)
    gradient->adjoint.q[i] += by_q[i];
  for (int i = 0; i < nv && gradient->adjoint.v && !w->flies; ++i)
    gradient->adjoint.v[i] += by_v[i];
  add_forces(w, by_f, &gradient->adjoint);
  limpet_arena_release(&w->arena, mark);
  return true;
}

/* gradient/jacobian.c: derivatives of the whole step (dq, dv), column by column.
 *
 *   dv = S d(residual),   dq = T dv + (dq1/dq0 for columns of the pose)
 * S: residual.h, T = dq1/dv: integration.h. Where trees fly, the end of the step changes
 * velocities, too, and columns pass through it one by one (flight.h). */
#include <math.h>
#include <string.h>

#include "gradient/flight.h"
#include "gradient/round_off.h"
#include "gradient/soft_stiffening.h"
#include "math/dense.h"

// [-]  of the largest entry of the columns of an island, that round-off may be of
static const double told = 1e-8;

typedef struct filler {
  limpet_gradient_workspace *workspace;
  limpet_gradient *gradient;
  bool ends_later;  // columns of state and inputs stay those of what was solved for
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
    const limpet_end_columns one = {.width = 1, .own = LIMPET_END_BY_NONE};
    double work[12];
    limpet_tree_free_end_rows(end, &one, w->velocity + end->first, w->shift + end->first, work);
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
  const bool later = f->ends_later && group <= LIMPET_GRADIENT_STIFFNESS;
  *kink = NAN;
  if (change) {
    *kink = limpet_soft_solve(w, change, island, w->velocity);
    const bool end = !later && limpet_gradient_pass_end(w, group, column);
    if (end || limpet_gradient_kinked(w, group, column)) *kink = INFINITY;
  }
  put(dv, nv, width, column, change ? w->velocity : NULL);
  if (!later) put(dq, nv, width, column, change ? w->shift : NULL);
}

// Whether a velocity is one of a body that has its own form.
static bool ends_alone(const limpet_gradient_workspace *w, int dof) {
  for (int k = 0; k < w->end_count; ++k)
    if (dof >= w->end[k].first && dof < w->end[k].first + 6) return true;
  for (int k = 0; k < w->free_end_count; ++k)
    if (dof >= w->free_end[k].first && dof < w->free_end[k].first + w->free_end[k].n) return true;
  return false;
}

// Flags the columns of the pose of an island of which round-off may be more than `told`.
static void mark_round_off(limpet_gradient_workspace *w, limpet_gradient *gradient, int index) {
  const limpet_contact_problem *problem = &w->residual.solved->problem;
  const limpet_island *island = &problem->island[index];
  const double left = limpet_round_off(&w->residual, w->world, index, w->velocity);
  double most = 0.0;
  if (left == 0.0) return;
  for (int i = 0; i < island->size; ++i) {
    const double *row =
        gradient->dv.q + limpet_problem_global_dof(problem, island, i) * problem->nv;
    for (int j = 0; j < island->size; ++j)
      most = fmax(most, fabs(row[limpet_problem_global_dof(problem, island, j)]));
  }
  if (!(left > told * most)) return;
  for (int j = 0; j < island->size; ++j)
    gradient->kink.q[limpet_problem_global_dof(problem, island, j)] = INFINITY;
}

void limpet_gradient_add_start(const limpet_gradient_workspace *w, double *dq) {
  for (int i = 0; i < w->model->nv; ++i)
    if (!ends_alone(w, i)) limpet_integration_add_by_q(&w->integration, i, dq + i, w->model->nv);
}

limpet_status limpet_gradient_fill(limpet_gradient_workspace *w, limpet_gradient *gradient) {
  const bool whole = w->residual.smooth && !w->flies, blocks = whole && !w->soft;
  filler f = {w, gradient, whole && w->soft};
  if (blocks && limpet_gradient_fill_blocks(w, gradient)) return LIMPET_ERROR_MEMORY;
  if (blocks) limpet_gradient_visit_contacts(w, use_column, &f);
  else limpet_gradient_visit(w, use_column, &f);
  if (f.ends_later && limpet_gradient_fill_ends(w, gradient)) return LIMPET_ERROR_MEMORY;
  const bool marks = w->residual.smooth && gradient->dv.q && !w->soft;
  for (int i = 0; marks && i < w->residual.solved->problem.island_count; ++i)
    mark_round_off(w, gradient, i);
  if (gradient->dq.q && !w->flies) limpet_gradient_add_start(w, gradient->dq.q);
  return LIMPET_OK;
}

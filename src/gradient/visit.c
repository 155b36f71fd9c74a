/* gradient/visit.c: every column that a step has a derivative for, as a change of its residual. */
#include <math.h>
#include <string.h>

#include "gradient/contact_change.h"
#include "gradient/workspace.h"
#include "math/extremes.h"

double **limpet_gradient_array(limpet_gradient_arrays *a, limpet_gradient_group group) {
  double **const arrays[] = {&a->q,
                             &a->v,
                             &a->force,
                             &a->control,
                             &a->stiffness,
                             &a->friction,
                             &a->torsion,
                             &a->distance,
                             &a->contact_stiffness,
                             &a->dissipation,
                             &a->relaxation_time,
                             &a->start_speed,
                             &a->point,
                             &a->turn};
  return arrays[group];
}

int limpet_gradient_width(const limpet_gradient_workspace *w, limpet_gradient_group group) {
  if (group <= LIMPET_GRADIENT_FORCE) return w->model->nv;
  if (group <= LIMPET_GRADIENT_STIFFNESS) return w->model->nu;
  const int contacts = w->residual.solved->problem.contact_count;
  return group < LIMPET_GRADIENT_POINT ? contacts : 3 * contacts;
}

bool limpet_gradient_is_wanted(const limpet_gradient_workspace *w, limpet_gradient_group group) {
  if (group == LIMPET_GRADIENT_Q) return w->columns.q != NULL;
  if (group == LIMPET_GRADIENT_V) return w->columns.v != NULL;
  return w->wanted.inputs && (group != LIMPET_GRADIENT_STIFFNESS || w->columns.servo_count > 0);
}

// Whether a control lies within the width of differences of an end of its range.
static bool is_at_end(const limpet_gradient_workspace *w, int actuator) {
  const limpet_model *model = w->model;
  if (!model->actuator_control_limited[actuator] ||
      (model->options.disabled & LIMPET_DISABLE_CLAMP_CONTROL))
    return false;
  const double u = w->world->control[actuator],
               width = w->wanted.difference * limpet_max(1.0, fabs(u)),
               *range = model->actuator_control_range + 2 * actuator;
  return fabs(u - range[0]) <= width || fabs(u - range[1]) <= width;
}

bool limpet_gradient_kinked(const limpet_gradient_workspace *w, limpet_gradient_group group,
                            int column) {
  if (w->approximate || (group <= LIMPET_GRADIENT_V && w->carries)) return true;
  switch (group) {
    case LIMPET_GRADIENT_Q: return w->columns.kinked_q[column];
    case LIMPET_GRADIENT_V: return w->columns.kinked_v[column];
    case LIMPET_GRADIENT_FORCE: return w->columns.kinked_force[column];
    case LIMPET_GRADIENT_CONTROL: return is_at_end(w, column) || w->columns.kinked_control[column];
    default: return false;
  }
}

bool limpet_gradient_meets_kink(const limpet_gradient_workspace *w,
                                const limpet_gradient *gradient) {
  int patches = 0;
  const limpet_patch_view *patch =
      w->reverse ? limpet_contact_sweep_patches(limpet_reverse_contacts(w->reverse), &patches)
                 : NULL;
  if (gradient->weak_count > 0 || gradient->vertex_kink_count > 0 || w->approximate || w->carries)
    return true;
  for (int k = 0; k < patches; ++k)
    if (patch[k].law.kinked || limpet_patch_law_bends(&patch[k].law)) return true;
  for (int i = 0; i < w->model->nv && !w->reverse && w->columns.q; ++i)
    if (w->columns.kinked_q[i] || (w->columns.v && w->columns.kinked_v[i])) return true;
  return false;
}

static bool wanted(const limpet_gradient_workspace *w, limpet_gradient_group group) {
  if (group <= LIMPET_GRADIENT_V) return w->wanted.state;
  return group <= LIMPET_GRADIENT_STIFFNESS ? w->wanted.inputs : w->wanted.contacts;
}

limpet_status limpet_gradient_take(limpet_gradient_workspace *w, int rows,
                                   limpet_gradient_arrays *arrays) {
  *arrays = (limpet_gradient_arrays){0};
  for (limpet_gradient_group group = 0; group < LIMPET_GRADIENT_GROUPS; ++group) {
    if (!wanted(w, group)) continue;
    double **array = limpet_gradient_array(arrays, group);
    *array =
        LIMPET_TAKE_ZERO(&w->arena, double, (size_t)rows *(size_t)limpet_gradient_width(w, group));
    if (!*array) return LIMPET_ERROR_MEMORY;
  }
  return LIMPET_OK;
}

static void visit_inputs(limpet_gradient_workspace *w, limpet_change_use use, void *context) {
  const limpet_columns *columns = &w->columns;
  const size_t size = (size_t)w->residual.size;
  for (int i = 0; i < w->model->nv && columns->force; ++i)
    use(context, LIMPET_GRADIENT_FORCE, i, columns->force + (size_t)i * size, -1);
  for (int i = 0; i < w->model->nv && !columns->force; ++i) {
    double *at = w->change + limpet_residual_slot(&w->residual, i);
    *at = -w->settings.time_step;
    use(context, LIMPET_GRADIENT_FORCE, i, w->change, -1);
    *at = 0.0;
  }
  for (int i = 0; i < w->model->nu; ++i) {
    use(context, LIMPET_GRADIENT_CONTROL, i, columns->control + (size_t)i * size, -1);
    use(context, LIMPET_GRADIENT_STIFFNESS, i,
        columns->in_stiffness[i] ? columns->stiffness + (size_t)i * size : NULL, -1);
  }
}

static int axes_of(limpet_contact_parameter parameter) {
  return parameter < LIMPET_CHANGE_POINT ? 1 : 3;
}

static void visit_compliant(limpet_gradient_workspace *w, const limpet_patch *patch, int contact,
                            int island, limpet_change_use use, void *context) {
  const limpet_smooth_island *smooth = &w->residual.smooth[island];
  const int place = w->residual.solved->problem.contact_source[contact];
  const size_t size = (size_t)(smooth->n + smooth->weak_count);
  double *r = w->change + w->residual.at[island];
  for (limpet_contact_parameter parameter = 0; parameter < LIMPET_CHANGE_PARAMETERS; ++parameter)
    for (int axis = 0; axis < axes_of(parameter); ++axis) {
      const bool known = limpet_smooth_contact_change(smooth, patch, contact, parameter, axis, r);
      use(context, LIMPET_GRADIENT_FRICTION + parameter, axes_of(parameter) * place + axis,
          known ? w->change : NULL, island);
      memset(r, 0, size * sizeof *r);
    }
}

static void visit_contact(limpet_gradient_workspace *w, const limpet_contact_view *view, int island,
                          int place, limpet_change_use use, void *context) {
  const limpet_qp_problem *qp = &view->programme->qp;
  double *r = w->change + w->residual.at[island], *s = r + qp->n;
  for (limpet_contact_parameter parameter = 0; parameter < LIMPET_CHANGE_PARAMETERS; ++parameter) {
    const int count = axes_of(parameter);
    const bool rigid = parameter < LIMPET_CHANGE_STIFFNESS || parameter > LIMPET_CHANGE_START_SPEED;
    for (int axis = 0; axis < count; ++axis) {
      memset(r, 0, (size_t)(qp->n + limpet_qp_row_total(qp)) * sizeof *r);
      limpet_contact_change(view, parameter, axis, r, s);
      use(context, LIMPET_GRADIENT_FRICTION + parameter, count * place + axis,
          rigid ? w->change : NULL, island);
    }
  }
  memset(r, 0, (size_t)(qp->n + limpet_qp_row_total(qp)) * sizeof *r);
}

void limpet_gradient_visit(limpet_gradient_workspace *w, limpet_change_use use, void *context) {
  const size_t size = (size_t)w->residual.size;
  memset(w->change, 0, size * sizeof *w->change);
  for (int i = 0; i < w->model->nv && w->columns.q; ++i)
    use(context, LIMPET_GRADIENT_Q, i, w->columns.q + (size_t)i * size, -1);
  for (int i = 0; i < w->model->nv && w->columns.v; ++i)
    use(context, LIMPET_GRADIENT_V, i, w->columns.v + (size_t)i * size, -1);
  if (w->wanted.inputs) visit_inputs(w, use, context);
  limpet_gradient_visit_contacts(w, use, context);
}

void limpet_gradient_visit_contacts(limpet_gradient_workspace *w, limpet_change_use use,
                                    void *context) {
  if (!w->wanted.contacts) return;
  memset(w->change, 0, (size_t)w->residual.size * sizeof *w->change);
  const limpet_contact_problem *problem = &w->residual.solved->problem;
  for (int i = 0; i < problem->island_count; ++i)
    for (int k = problem->island[i].patch;
         k < problem->island[i].patch + problem->island[i].patch_count; ++k) {
      const limpet_patch *patch = &problem->patch[k];
      for (int c = patch->contact; c < patch->contact + patch->contact_count; ++c) {
        if (w->residual.smooth) {
          visit_compliant(w, patch, c, i, use, context);
          continue;
        }
        limpet_contact_view view;
        limpet_contact_view_make(&w->residual, i, patch, c, w->settings.return_speed, &view);
        visit_contact(w, &view, i, problem->contact_source[c], use, context);
      }
    }
}

/* gradient/row_columns.c: see row_columns.h.
 *
 *   dr -= a dgamma,  dgamma = dgamma/ds ds + dgamma/dw dw,   ds = rate a dq,  dw = sum a_k^2
 * d(1/A_kk) controls: ds = that of the servo's error; of actuators outside the solve dr -= h a df
 * An error of a servo and a force are linear in a control within its range but for activations. */
#include "gradient/row_columns.h"

#include <math.h>
#include <string.h>

#include "dynamics/activation.h"
#include "dynamics/actuator_law.h"
#include "dynamics/tree.h"
#include "gradient/loop_change.h"

static const limpet_constraint_row *row_of(const limpet_column_writer *w,
                                           const limpet_row_view *view) {
  return &w->probe->residual->solved->problem.row[view->row];
}

// -------------------------------------------------------------------------- views

static int weak_of(const limpet_smooth_island *smooth, int index) {
  for (int i = 0; i < smooth->weak_count; ++i)
    if (smooth->weak[i].kind == LIMPET_WEAK_ROW && smooth->weak[i].index == index) return i;
  return -1;
}

static void slopes_take(limpet_row_view *view, const limpet_constraint_row *row, double u) {
  const limpet_row_slopes *s = &view->slopes;
  const double y = (row->v_hat - u) * row->R_inverse;
  const double bound = fabs(y - row->lower) < fabs(y - row->upper) ? row->lower : row->upper;
  const double shrink = bound == 0.0 ? 0.0 : bound / (row->R_inverse * row->R_inverse);
  view->gamma_by_s = s->v_hat_by_s * row->R_inverse + (row->v_hat - u) * s->R_inverse_by_s;
  view->gamma_by_w = s->v_hat_by_w * row->R_inverse + (row->v_hat - u) * s->R_inverse_by_w;
  view->speed_by_s = -s->v_hat_by_s - shrink * s->R_inverse_by_s;
  view->speed_by_w = -s->v_hat_by_w - shrink * s->R_inverse_by_w;
}

static void forget_row(const limpet_column_writer *w, const limpet_island *island,
                       const limpet_constraint_row *row) {
  const limpet_contact_problem *problem = &w->probe->residual->solved->problem;
  for (int e = row->entry; e < row->entry + row->entry_count; ++e) {
    const int dof = limpet_problem_global_dof(problem, island, problem->entry_dof[e]);
    if (dof < w->probe->model->nv) w->tree[w->probe->model->dof_tree[dof]].known = false;
  }
}

// Ties of deformable bodies have no closed form.
static bool holds_vertex(const limpet_column_writer *w, const limpet_island *island,
                         const limpet_constraint_row *row) {
  const limpet_contact_problem *problem = &w->probe->residual->solved->problem;
  for (int e = row->entry; e < row->entry + row->entry_count; ++e)
    if (limpet_problem_global_dof(problem, island, problem->entry_dof[e]) >= w->probe->model->nv)
      return true;
  return false;
}

void limpet_row_views_make(const limpet_column_writer *w, limpet_row_probe *rows,
                           limpet_row_view *views) {
  const limpet_contact_problem *problem = &w->probe->residual->solved->problem;
  for (int i = 0; i < problem->island_count; ++i) {
    const limpet_island *island = &problem->island[i];
    const limpet_smooth_island *smooth = &w->probe->residual->smooth[i];
    for (int k = island->row; k < island->row + island->row_count; ++k) {
      const limpet_constraint_row *row = &problem->row[k];
      const double u = smooth->base.row_u[k - island->row], y = (row->v_hat - u) * row->R_inverse;
      limpet_row_view *view = &views[k];
      *view = (limpet_row_view){.island = i,
                                .row = k,
                                .weak = weak_of(smooth, k - island->row),
                                .holds = !(y < row->lower || y > row->upper)};
      if (limpet_constraint_kinds()[row->kind] == &limpet_constraint_actuator &&
          !w->servo[row->target])
        w->servo[row->target] = view;
      if (limpet_loop_has_row(row)) {  // loop_columns.h
        view->holds = false;
        continue;
      }
      if (holds_vertex(w, island, row)) {
        forget_row(w, island, row);
        view->holds = false, view->weak = -1;
        continue;
      }
      const bool idle = !view->holds && view->weak < 0;
      if (view->weak >= 0 && limpet_row_limits_move(rows, row)) forget_row(w, island, row);
      else if (idle ? limpet_row_is_known(rows, problem, island, k)
                    : limpet_row_slopes_of(rows, problem, island, k, &view->slopes))
        slopes_take(view, row, u);
      else forget_row(w, island, row);
    }
  }
}

bool limpet_row_views_weigh(int count, const limpet_row_view *views) {
  for (int i = 0; i < count; ++i)
    if (views[i].gamma_by_w != 0.0 || (views[i].weak >= 0 && views[i].speed_by_w != 0.0))
      return true;
  return false;
}

// -------------------------------------------------------------------------- state

// Adds the change of a row by ds and dw to a column.
static void add(const limpet_column_writer *w, const limpet_row_view *view, double ds, double dw,
                double *column) {
  const limpet_residual *residual = w->probe->residual;
  const limpet_contact_problem *problem = &residual->solved->problem;
  const limpet_constraint_row *row = row_of(w, view);
  const double dgamma = view->gamma_by_s * ds + view->gamma_by_w * dw;
  const int at = residual->at[view->island];
  for (int e = row->entry; e < row->entry + row->entry_count && view->holds; ++e)
    column[at + problem->entry_dof[e]] -= problem->entry_value[e] * dgamma;
  if (view->weak >= 0)
    column[at + residual->smooth[view->island].n + view->weak] +=
        view->speed_by_s * ds + view->speed_by_w * dw;
}

// Poses and velocities that a weight depends on.
static void mark_weight(const limpet_column_writer *w, int dof) {
  const limpet_tree_change *tree = &w->tree[w->probe->model->dof_tree[dof]];
  for (int j = 0; j < tree->n && tree->known; ++j) {
    const int place = (dof - tree->first) * tree->n + j, column = tree->first + j;
    if (tree->own_q[place] != 0.0) w->columns->kinked_q[column] = true;
    if (tree->by_middle && tree->own_v[place] != 0.0) w->columns->kinked_v[column] = true;
  }
}

static void add_weight(const limpet_column_writer *w, const limpet_row_view *view, double a,
                       int dof) {
  const limpet_tree_change *tree = &w->tree[w->probe->model->dof_tree[dof]];
  if (!tree->known) return;
  for (int j = 0; j < tree->n; ++j) {
    const int place = (dof - tree->first) * tree->n + j, column = tree->first + j;
    if (tree->own_q[place] != 0.0)
      add(w, view, 0.0, a * a * tree->own_q[place], limpet_column_of(w, w->columns->q, column));
    if (w->columns->v && tree->by_middle && tree->own_v[place] != 0.0)
      add(w, view, 0.0, a * a * tree->own_v[place], limpet_column_of(w, w->columns->v, column));
    if (tree->change && tree->by_middle && tree->own_v[place] != 0.0)
      add(w, view, 0.0, 0.5 * a * a * tree->own_v[place],
          limpet_column_of(w, w->columns->change, column));
  }
}

void limpet_row_columns_write(const limpet_column_writer *w, const limpet_row_view *view) {
  const limpet_contact_problem *problem = &w->probe->residual->solved->problem;
  const limpet_constraint_row *row = row_of(w, view);
  const limpet_island *island = &problem->island[view->island];
  const bool weighs = view->gamma_by_w != 0.0 || (view->weak >= 0 && view->speed_by_w != 0.0);
  if (!view->holds && view->weak < 0) return;
  for (int e = row->entry; e < row->entry + row->entry_count; ++e) {
    const int dof = limpet_problem_global_dof(problem, island, problem->entry_dof[e]);
    const double a = problem->entry_value[e];
    add(w, view, view->slopes.rate * a, 0.0, limpet_column_of(w, w->columns->q, dof));
    if (weighs) add_weight(w, view, a, dof);
    if (view->slopes.kinked_s && a != 0.0) w->columns->kinked_q[dof] = true;
    if (weighs && view->slopes.kinked_w) mark_weight(w, dof);
  }
}

// -------------------------------------------------------------------------- controls

typedef struct control_range {
  double lower, upper;
} control_range;

// Around a control, within its range.
static control_range range_of(const limpet_column_writer *w, int actuator, double share) {
  const limpet_model *model = w->probe->model;
  const double u = w->probe->data->control[actuator], width = share * fmax(1.0, fabs(u));
  control_range range = {u - width, u + width};
  if (!model->actuator_control_limited[actuator] ||
      (model->options.disabled & LIMPET_DISABLE_CLAMP_CONTROL))
    return range;
  const double *allowed = model->actuator_control_range + 2 * actuator;
  range.lower = fmax(range.lower, allowed[0]), range.upper = fmin(range.upper, allowed[1]);
  return range;
}

// Whether a control acts by one row, or by a force of its own, on trees that are known.
static bool acts_alone(const limpet_column_writer *w, int actuator, const int *dof, int count) {
  const limpet_model *model = w->probe->model;
  const int target = model->actuator_target[actuator];
  if (model->actuator_gain_law[actuator] == LIMPET_ACTUATOR_MOTOR) return false;
  for (int k = 0; k < count; ++k)
    if (!w->tree[model->dof_tree[dof[k]]].known) return false;
  switch (model->actuator_transmission[actuator]) {
    case LIMPET_TRANSMISSION_JOINT:
    case LIMPET_TRANSMISSION_JOINT_IN_PARENT: return !model->joint_effort_limited[target];
    case LIMPET_TRANSMISSION_TENDON: return !model->tendon_effort_limited[target];
    default: return false;
  }
}

// Change of the error of a servo of the solve by its control. False: its gain changes with it.
static bool servo_slope(const limpet_column_writer *w, int actuator, const control_range *range,
                        double *slope) {
  const limpet_model *model = w->probe->model;
  limpet_data *data = w->probe->data;
  const double u = data->control[actuator], dt = w->probe->settings->time_step;
  // from where the control is to the farther end of its difference: the error is linear in it
  const double from = fmin(fmax(u, range->lower), range->upper),
               to = range->upper - from > from - range->lower ? range->upper : range->lower;
  limpet_servo here, there;
  if (!limpet_actuator_gain_is_constant(model, actuator)) return false;
  bool known = limpet_probe_servo(w->probe, actuator, &here);
  data->control[actuator] = to;
  known = limpet_actuator_servo(model, data, actuator, dt, &there) && known;
  data->control[actuator] = u;
  *slope = (there.error - here.error) / (to - from);
  return known;
}

// Change of the force of an actuator outside the solve.
static double force_slope(const limpet_column_writer *w, int actuator, const control_range *range) {
  const limpet_model *model = w->probe->model;
  limpet_data *data = w->probe->data;
  const double u = data->control[actuator], dt = w->probe->settings->time_step;
  data->control[actuator] = range->lower;
  const double lower = limpet_actuator_own_force(model, data, actuator, dt);
  data->control[actuator] = range->upper;
  const double upper = limpet_actuator_own_force(model, data, actuator, dt);
  data->control[actuator] = u;
  return (upper - lower) / (range->upper - range->lower);
}

/* Whether the input of an actuator is its control, and its error or force a constant gain times it:
 * well within its range, without an activation of its own or a limit of its force. */
static bool is_plain(const limpet_column_writer *w, int actuator, bool solved,
                     const control_range *range, double share) {
  const limpet_model *model = w->probe->model;
  const double u = w->probe->data->control[actuator], width = share * fmax(1.0, fabs(u));
  const bool acts = !model->actuator_disabled[actuator] && model->actuator_history[actuator] < 0 &&
                    (solved || !model->actuator_force_limited[actuator]) &&
                    !(model->options.disabled & LIMPET_DISABLE_ACTUATION);
  return acts && limpet_actuator_is_affine(model, actuator) &&
         limpet_actuator_gain_is_constant(model, actuator) &&
         (model->actuator_activation[actuator] == LIMPET_ACTIVATION_NONE ||
          model->actuator_act[actuator] < 0) &&
         range->lower == u - width && range->upper == u + width;
}

bool limpet_control_slope_make(const limpet_column_writer *w, double share, int actuator,
                               const limpet_actuator_reach *reach, limpet_control_slope *to) {
  const control_range range = range_of(w, actuator, share);
  const bool open = range.upper > range.lower;
  *to = (limpet_control_slope){.view = reach->solved ? w->servo[actuator] : NULL};
  if (!acts_alone(w, actuator, reach->dof, reach->count) || (reach->solved && open && !to->view))
    return false;
  if (!open) return true;
  if (is_plain(w, actuator, reach->solved, &range, share)) {
    to->slope = w->probe->model->actuator_gain[3 * actuator];
    return true;
  }
  if (reach->solved) return servo_slope(w, actuator, &range, &to->slope);
  to->slope = force_slope(w, actuator, &range);
  return true;
}

limpet_status limpet_row_columns_control(const limpet_column_writer *w, double share,
                                         bool *differs) {
  const limpet_model *model = w->probe->model;
  limpet_actuator_reach reach = {.row = LIMPET_TAKE(w->arena, double, 2 * model->nv),
                                 .dof = LIMPET_TAKE(w->arena, int, 2 * model->nv)};
  if (!reach.row || !reach.dof) return LIMPET_ERROR_MEMORY;
  memset(w->columns->control, 0,
         (size_t)model->nu * (size_t)w->probe->residual->size * sizeof(double));
  for (int i = 0; i < model->nu; ++i) {
    limpet_servo servo;
    limpet_control_slope one;
    reach.count = limpet_actuator_row(model, w->probe->data, i, reach.dof, reach.row);
    reach.solved = limpet_probe_servo(w->probe, i, &servo);
    double *column = limpet_column_of(w, w->columns->control, i);
    differs[i] = !limpet_control_slope_make(w, share, i, &reach, &one);
    if (differs[i] || one.slope == 0.0) continue;
    if (one.view) add(w, one.view, one.slope, 0.0, column);
    for (int k = 0; k < reach.count && !one.view; ++k) {
      const double force = reach.row[k] * one.slope;
      limpet_column_add_force(w, reach.dof[k], force, column);
      if (w->columns->control_force)
        w->columns->control_force[i * model->nv + reach.dof[k]] += force;
    }
  }
  return LIMPET_OK;
}

// -------------------------------------------------------------------------- products

// Its change by its impulse, times the dual.
static double dual_of(const limpet_column_writer *w, const limpet_row_view *view,
                      const double *dual) {
  const limpet_contact_problem *problem = &w->probe->residual->solved->problem;
  const limpet_constraint_row *row = row_of(w, view);
  const int at = w->probe->residual->at[view->island];
  double sum = 0.0;
  for (int e = row->entry; e < row->entry + row->entry_count && view->holds; ++e)
    sum -= problem->entry_value[e] * dual[at + problem->entry_dof[e]];
  return sum;
}

void limpet_row_product_add(const limpet_column_writer *w, const limpet_row_view *view,
                            const double *dual, double *by_q, double *by_weight) {
  const limpet_contact_problem *problem = &w->probe->residual->solved->problem;
  const limpet_constraint_row *row = row_of(w, view);
  if (!view->holds) return;
  const double x = dual_of(w, view, dual);
  for (int e = row->entry; e < row->entry + row->entry_count; ++e) {
    const double a = problem->entry_value[e];
    const int dof =
        limpet_problem_global_dof(problem, &problem->island[view->island], problem->entry_dof[e]);
    by_q[dof] += x * view->gamma_by_s * view->slopes.rate * a;
    by_weight[dof] += x * view->gamma_by_w * a * a;
  }
}

double limpet_control_product(const limpet_column_writer *w, const limpet_actuator_reach *reach,
                              const limpet_control_slope *slope, const double *dual) {
  const double dt = w->probe->settings->time_step;
  double sum = 0.0;
  if (slope->view) return dual_of(w, slope->view, dual) * slope->view->gamma_by_s * slope->slope;
  for (int k = 0; k < reach->count; ++k) sum += reach->row[k] * dual[w->slot[reach->dof[k]]];
  return -dt * slope->slope * sum;
}

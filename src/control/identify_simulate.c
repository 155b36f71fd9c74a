/* control/identify_simulate.c: what a model with other numbers makes of recorded trajectories. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "control/identify_windows.h"

static const double step_slack = 0.01;  // [-]  of a step by which a row may miss it

bool limpet_identify_assign(limpet_identify *fit, const double *theta) {
  limpet_identify_workspace *w = fit->workspace;
  for (int i = 0; i < w->link_count; ++i) {
    const limpet_identify_link *link = &w->link[i];
    if (limpet_parameter_assign(w->builder, &link->target,
                                link->offset + link->factor * theta[link->parameter],
                                NULL) != LIMPET_OK)
      return false;
  }
  return true;
}

static bool trajectory_simulate(const limpet_identify_workspace *w, const limpet_model *model,
                                const limpet_identify_trajectory *t, limpet_data *data, double *r) {
  limpet_identify_start(t, model, data);
  for (int row = 1; row < t->rows; ++row) {
    limpet_identify_drive(t, row, model, data);
    for (int step = t->step[row - 1]; step < t->step[row]; ++step)
      if (limpet_outcome_failed(limpet_step(model, data, &w->step))) return false;
    limpet_identify_compare(w, model, t->q + (size_t)row * (size_t)model->nq, data->q,
                            r + t->first + (row - 1) * model->nv);
  }
  return true;
}

// Numbers of all trajectories from a model.
typedef bool filler(limpet_identify *fit, const limpet_model *model, limpet_data *data,
                    double *values);

static bool trajectories_simulate(limpet_identify *fit, const limpet_model *model,
                                  limpet_data *data, double *r) {
  const limpet_identify_workspace *w = fit->workspace;
  for (int t = 0; t < fit->trajectory_count; ++t)
    if (!trajectory_simulate(w, model, &w->trajectory[t], data, r)) return false;
  return true;
}

// Fills `count` numbers at theta. False where one is not finite, too.
static bool fill_at(limpet_identify *fit, const double *theta, filler *fill, int count,
                    double *values) {
  ++fit->simulations;
  if (!limpet_identify_assign(fit, theta)) return false;
  limpet_model *model = limpet_builder_compile(fit->workspace->builder, NULL);
  limpet_data *data = model ? limpet_data_create(model) : NULL;
  bool good = data && fill(fit, model, data, values);
  for (int i = 0; good && i < count; ++i) good = isfinite(values[i]);
  limpet_data_destroy(data);
  if (model) limpet_model_destroy(model);
  return good;
}

bool limpet_identify_residuals(limpet_identify *fit, const double *theta, double *r) {
  filler *fill = fit->workspace->windows ? limpet_identify_windows_fit : trajectories_simulate;
  if (fit->workspace->windows) limpet_identify_windows_aim(fit, theta);
  return fill_at(fit, theta, fill, fit->row_count, r);
}

bool limpet_identify_held(limpet_identify *fit, const double *theta, double *r) {
  return fill_at(fit, theta, limpet_identify_windows_hold, fit->row_count, r);
}

bool limpet_identify_project(limpet_identify *fit, const double *theta, double *J) {
  limpet_identify_windows_aim(fit, theta);
  return fill_at(fit, theta, limpet_identify_windows_project, fit->parameter_count * fit->row_count,
                 J);
}

// ------------------------------------------------------------------------------------ records

static double *copied(const double *from, size_t count) {
  double *to = calloc(count + 1, sizeof *to);
  if (to && from) memcpy(to, from, count * sizeof *to);
  return to;
}

// Tells the row, too; false.
static bool row_refuse(limpet_error *error, int row, limpet_status status) {
  if (error) error->line = row + 1;
  return status == LIMPET_OK;
}

// Steps since the first row; false with the error where a row lies between two steps.
static bool steps_count(limpet_identify_trajectory *t, const double *time, double dt,
                        const char *name, limpet_error *error) {
  for (int row = 0; row < t->rows; ++row) {
    const double steps = (time[row] - time[0]) / dt;
    t->step[row] = (int)lround(steps);
    if (row > 0 && t->step[row] <= t->step[row - 1])
      return row_refuse(
          error, row,
          limpet_error_fill(error, LIMPET_ERROR_INPUT,
                            "times of '%s' do not grow by a step of %g s from row %d to row %d",
                            name, dt, row, row + 1));
    if (fabs(steps - t->step[row]) > step_slack)
      return row_refuse(error, row,
                        limpet_error_fill(error, LIMPET_ERROR_INPUT,
                                          "row %d of '%s' at %.9g s lies between two steps of %.9g "
                                          "s; choose a \"time_step\" that "
                                          "divides the times",
                                          row + 1, name, time[row], dt));
  }
  return true;
}

limpet_status limpet_identify_record(limpet_identify *fit, int trajectory, int rows,
                                     const double *time, const double *q, const double *v,
                                     const double *control, limpet_error *error) {
  assert(fit && trajectory >= 0 && trajectory < fit->trajectory_count && time && q);
  limpet_identify_workspace *w = fit->workspace;
  limpet_identify_trajectory *t = &w->trajectory[trajectory];
  const char *name = fit->trajectory[trajectory];
  const size_t count = (size_t)(rows > 0 ? rows : 0);
  if (rows < 2)
    return limpet_error_fill(error, LIMPET_ERROR_INPUT, "%s: has %d rows; two at least are wanted",
                             name, rows);
  free(t->step), free(t->q), free(t->v), free(t->control);
  *t = (limpet_identify_trajectory){.rows = rows, .step = calloc(count, sizeof(int))};
  t->q = copied(q, count * (size_t)w->model->nq);
  t->v = copied(v, (size_t)w->model->nv);
  if (control) t->control = copied(control, count * (size_t)w->model->nu);
  if (!t->step || !t->q || !t->v || (control && !t->control))
    return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "not enough memory");
  return steps_count(t, time, w->step.time_step, name, error) ? LIMPET_OK : LIMPET_ERROR_INPUT;
}

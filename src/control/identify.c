/* control/identify.c: Gauss and Newton's method for numbers of a model, damped by Levenberg and
 * Marquardt, with limits; and error bars.
 *
 *   (J'J + m diag(J'J)) d = -J'r,   theta <- theta + d within the limits
 * J = dr/dtheta by the derivatives of the steps (identify_gradient.c), or by central differences of
 * whole simulations over `width` times the value; a parameter at a limit is left out while the
 * residual pushes it outwards. m falls tenfold after a step that made r smaller and grows tenfold
 * otherwise. Errors: s^2 (J'J)^-1, and the jackknife's over the G trajectories, each left out in
 * turn, to first order: grouped_errors; with several starts the bootstrap's: identify_minima.h.
 * Start k > 0 is at minimum + frac(1/2 + k a_i) (maximum - minimum), a_i = x^-(i + 1), x^(p + 1) =
 * x + 1: M. Roberts' sequence, which fills the box evenly. Windows (identify_windows.h): J without
 * what their start states can do. */
#include "control/identify.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/identify_minima.h"
#include "control/identify_windows.h"
#include "math/dense.h"

static const double damping_start = 1e-6, damping_factor = 10.0, damping_limit = 1e12;
static const double promise_least = 1e-9;  // [-]  of the sum of squares: round-off of simulations
static const double effect_lost = 1e-9;    // [-]  of an effect that is round-off of the largest
static const double digits_lost = 1e-14;   // [-]  of a pivot that is round-off of its column

typedef struct fitting {
  limpet_identify *fit;
  int p, rows, compared;          // compared: of the rows, those that are not always zero
  double *theta, *trial, *d, *g;  // (p)
  double *best;                   // (p)
  double *r, *r_trial, *r_low;    // (rows)
  double *J;                      // (p x rows)  a row for each parameter
  double *H, *factor, *inverse;   // (p x p)
  double sum, damping;
  bool by_differences;             // from now on
  bool stopped;                    // by the progress
  limpet_identify_minima *minima;  // of several starts, or NULL
} fitting;

static double *numbers(size_t count) { return calloc(count + 1, sizeof(double)); }

/* Numbers of the residual that say something: coordinates without noise are not compared, and start
 * speeds without it are not known. */
static int compared_count(const limpet_identify *fit) {
  const limpet_identify_workspace *w = fit->workspace;
  int count = 0;
  for (int i = 0; i < w->model->nv; ++i) {
    if (!(w->noise[i] > 0.0)) continue;
    const bool speeds = w->windows && w->speed_noise && w->speed_noise[i] > 0.0;
    for (int k = 0; w->windows && k < w->windows->count; ++k)
      count += w->windows->window[k].intervals + 1 + speeds;
    for (int t = 0; !w->windows && t < fit->trajectory_count; ++t)
      count += w->trajectory[t].rows - 1;
  }
  return count;
}

static bool fitting_create(fitting *f, limpet_identify *fit) {
  const size_t p = (size_t)fit->parameter_count, rows = (size_t)fit->row_count;
  *f = (fitting){.fit = fit,
                 .p = (int)p,
                 .rows = (int)rows,
                 .compared = compared_count(fit),
                 .damping = damping_start,
                 .by_differences = fit->workspace->by_differences || fit->workspace->windows};
  f->theta = numbers(p), f->trial = numbers(p), f->d = numbers(p), f->g = numbers(p);
  f->best = numbers(p);
  f->r = numbers(rows), f->r_trial = numbers(rows), f->r_low = numbers(rows);
  f->J = numbers(p * rows), f->H = numbers(p * p);
  f->factor = numbers(p * p), f->inverse = numbers(p * p);
  return f->theta && f->trial && f->d && f->g && f->best && f->r && f->r_trial && f->r_low &&
         f->J && f->H && f->factor && f->inverse;
}

static void fitting_release(fitting *f) {
  free(f->theta), free(f->trial), free(f->d), free(f->g), free(f->best);
  free(f->r), free(f->r_trial), free(f->r_low);
  free(f->J), free(f->H), free(f->factor), free(f->inverse);
}

// The first residual of a trajectory; of the one past the last: their number.
static int trajectory_first(const fitting *f, int t) {
  const limpet_identify *fit = f->fit;
  return t < fit->trajectory_count ? fit->workspace->trajectory[t].first : f->rows;
}

// |r_t|^2 of each trajectory (G).
static void sums_fill(const fitting *f, const double *r, double *sum) {
  for (int t = 0; t < f->fit->trajectory_count; ++t) {
    const int first = trajectory_first(f, t), end = trajectory_first(f, t + 1);
    sum[t] = limpet_dot(end - first, r + first, r + first);
  }
}

/* Residuals at theta into r; error bars of several starts know the place. False where a simulation
 * failed. */
static bool simulate(fitting *f, const double *theta, double *r) {
  if (!limpet_identify_residuals(f->fit, theta, r)) return false;
  if (!f->minima) return true;
  limpet_identify_minimum *tried = limpet_identify_minima_add(f->minima, false);
  if (!tried) return false;
  memcpy(tried->theta, theta, (size_t)f->p * sizeof(double));
  sums_fill(f, r, tried->sum);
  return true;
}

// The same beside theta, for differences: start states of windows stay.
static bool simulate_beside(fitting *f, const double *theta, double *r) {
  return f->fit->workspace->windows ? limpet_identify_held(f->fit, theta, r)
                                    : simulate(f, theta, r);
}

static double within(const limpet_identify_parameter *parameter, double value) {
  return fmin(fmax(value, parameter->minimum), parameter->maximum);
}

// Column i of dr/dtheta, one-sided at a limit. False where a simulation failed.
static bool column_fill(fitting *f, int i) {
  const limpet_identify_parameter *parameter = &f->fit->parameter[i];
  const double value = f->theta[i], width = f->fit->workspace->width *
                                            fmax(fabs(value), fmax(fabs(parameter->start), 1e-300));
  const double low = within(parameter, value - width), high = within(parameter, value + width);
  memcpy(f->trial, f->theta, (size_t)f->p * sizeof(double));
  f->trial[i] = low;
  if (!simulate_beside(f, f->trial, f->r_low)) return false;
  f->trial[i] = high;
  if (!simulate_beside(f, f->trial, f->r_trial)) return false;
  double *J = f->J + (size_t)i * (size_t)f->rows;
  for (int k = 0; k < f->rows; ++k) J[k] = (f->r_trial[k] - f->r_low[k]) / (high - low);
  return true;
}

// By the derivatives of the steps, or, where these are not wanted or not to be had, by differences.
static bool columns_fill(fitting *f) {
  limpet_identify *fit = f->fit;
  if (!f->by_differences && limpet_identify_jacobian(fit, f->theta, f->J)) {
    ++fit->jacobians;
    return true;
  }
  ++fit->differences;
  for (int i = 0; i < f->p; ++i)
    if (!column_fill(f, i)) return false;
  return !fit->workspace->windows || limpet_identify_project(fit, f->theta, f->J);
}

static bool jacobian_fill(fitting *f) {
  if (!columns_fill(f)) return false;
  for (int i = 0; i < f->p; ++i) {
    const double *Ji = f->J + (size_t)i * (size_t)f->rows;
    f->g[i] = limpet_dot(f->rows, Ji, f->r);
    for (int j = 0; j <= i; ++j)
      f->H[i * f->p + j] = f->H[j * f->p + i] =
          limpet_dot(f->rows, Ji, f->J + (size_t)j * (size_t)f->rows);
  }
  return true;
}

// Whether the descent pushes the parameter out of its range.
static bool held(const fitting *f, int i) {
  const limpet_identify_parameter *parameter = &f->fit->parameter[i];
  return (f->theta[i] <= parameter->minimum && f->g[i] > 0.0) ||
         (f->theta[i] >= parameter->maximum && f->g[i] < 0.0);
}

// d for the present damping; false where the matrix is singular.
static bool step_solve(fitting *f) {
  const int p = f->p;
  for (int i = 0; i < p; ++i) {
    f->d[i] = held(f, i) ? 0.0 : -f->g[i];
    for (int j = 0; j < p; ++j) {
      const bool out = held(f, i) || held(f, j);
      f->factor[i * p + j] = out ? (i == j ? 1.0 : 0.0) : f->H[i * p + j];
    }
    f->factor[i * p + i] *= 1.0 + f->damping;
    if (!(f->factor[i * p + i] > 0.0)) return false;
  }
  if (limpet_cholesky(p, f->factor, p) != 0) return false;
  limpet_cholesky_solve(p, f->factor, p, f->d);
  return true;
}

// Takes steps with growing damping until one makes the residual smaller.
static bool step_take(fitting *f) {
  for (; f->damping <= damping_limit; f->damping *= damping_factor) {
    if (!step_solve(f)) continue;
    for (int i = 0; i < f->p; ++i)
      f->trial[i] = within(&f->fit->parameter[i], f->theta[i] + f->d[i]);
    if (!simulate(f, f->trial, f->r_trial)) continue;
    const double sum = limpet_dot(f->rows, f->r_trial, f->r_trial);
    if (!(sum < f->sum)) continue;
    for (int i = 0; i < f->p; ++i) f->d[i] = f->trial[i] - f->theta[i];
    memcpy(f->theta, f->trial, (size_t)f->p * sizeof(double));
    memcpy(f->r, f->r_trial, (size_t)f->rows * sizeof(double));
    if (f->fit->workspace->windows) limpet_identify_windows_keep(f->fit);
    f->sum = sum;
    f->damping = fmax(f->damping / damping_factor, 1e-12);
    return true;
  }
  return false;
}

// Whether the model of the residual promises less than the tolerance.
static bool exhausted(fitting *f) {
  const double damping = f->damping;
  f->damping = damping_start;
  const bool solved = step_solve(f);
  f->damping = damping;
  return solved && -limpet_dot(f->p, f->g, f->d) <= promise_least * f->sum;
}

/* The same by differences, where the derivatives of the steps promised a descent that is not there:
 * past impacts they hold for less than any step. */
static bool step_retake(fitting *f) {
  if (f->by_differences || exhausted(f)) return false;
  f->by_differences = true;
  f->damping = damping_start;
  return jacobian_fill(f) && step_take(f);
}

// ------------------------------------------------------------------------------------- errors

// What a change of parameter i by its own size does to the residual.
static double effect(const fitting *f, int i) {
  const double size = fmax(fabs(f->theta[i]), fabs(f->fit->parameter[i].start));
  return sqrt(f->H[i * f->p + i]) * fmax(size, 1e-300);
}

// (J'J)^-1; false where the data do not tell the parameters apart.
static bool invert(fitting *f) {
  const int p = f->p;
  memcpy(f->factor, f->H, (size_t)(p * p) * sizeof(double));
  double most = 0.0;
  for (int i = 0; i < p; ++i) most = fmax(most, effect(f, i));
  for (int i = 0; i < p; ++i)
    if (!(effect(f, i) > effect_lost * most)) return false;
  if (limpet_cholesky(p, f->factor, p) != 0) return false;
  for (int i = 0; i < p; ++i) {
    const double pivot = f->factor[i * p + i];
    if (!(pivot * pivot > digits_lost * f->H[i * p + i])) return false;
  }
  memset(f->inverse, 0, (size_t)(p * p) * sizeof(double));
  for (int i = 0; i < p; ++i) {
    f->inverse[i * p + i] = 1.0;
    limpet_cholesky_solve(p, f->factor, p, f->inverse + i * p);
  }
  return true;
}

// J_t'J_t (p x p) and J_t'r_t (p) of a trajectory.
static void trajectory_sums(const fitting *f, int t, double *H, double *g) {
  const int first = trajectory_first(f, t), end = trajectory_first(f, t + 1);
  for (int i = 0; i < f->p; ++i) {
    const double *Ji = f->J + (size_t)i * (size_t)f->rows + first;
    g[i] = limpet_dot(end - first, Ji, f->r + first);
    for (int j = 0; j <= i; ++j)
      H[i * f->p + j] = H[j * f->p + i] =
          limpet_dot(end - first, Ji, f->J + (size_t)j * (size_t)f->rows + first);
  }
}

/* How far the fit would move without trajectory t, into d (p): (J'J - J_t'J_t) d = J_t'r_t. False
 * where the others alone do not determine the parameters. */
static bool trajectory_leave(fitting *f, int t, double *d) {
  const int p = f->p;
  trajectory_sums(f, t, f->factor, d);
  for (int i = 0; i < p * p; ++i) f->factor[i] = f->H[i] - f->factor[i];
  if (limpet_cholesky(p, f->factor, p) != 0) return false;
  limpet_cholesky_solve(p, f->factor, p, d);
  return true;
}

/* Standard errors where each trajectory errs as a whole: the jackknife's, to first order,
 * (G - 1)/G sum of (d_t - mean d)^2, times Student's t. NAN: fewer than two trajectories. */
static void grouped_errors(fitting *f) {
  limpet_identify *fit = f->fit;
  const int G = fit->trajectory_count;
  double *mean = f->g, *d = f->d;
  memset(f->trial, 0, (size_t)f->p * sizeof(double));
  memset(mean, 0, (size_t)f->p * sizeof(double));
  bool determined = G > 1;
  for (int pass = 0; pass < 2; ++pass)
    for (int t = 0; t < G && determined; ++t) {
      determined = trajectory_leave(f, t, d);
      for (int i = 0; i < f->p; ++i) {
        if (pass == 0) mean[i] += d[i] / G;
        else f->trial[i] += (d[i] - mean[i]) * (d[i] - mean[i]);
      }
    }
  for (int i = 0; i < f->p; ++i)
    fit->parameter[i].error_grouped =
        G < 2        ? NAN
        : determined ? limpet_identify_student(G) * sqrt(f->trial[i] * (G - 1.0) / G)
                     : INFINITY;
}

static bool errors_fill(fitting *f) {
  limpet_identify *fit = f->fit;
  const limpet_identify_windows *windows = fit->workspace->windows;
  const int states = windows ? windows->count * windows->unknown_count : 0;
  const double free_rows = fmax(f->compared - states - f->p, 1), variance = f->sum / free_rows;
  const bool determined = jacobian_fill(f) && invert(f);
  for (int i = 0; i < f->p; ++i) {
    limpet_identify_parameter *parameter = &fit->parameter[i];
    parameter->error = determined ? sqrt(variance * f->inverse[i * f->p + i]) : INFINITY;
    parameter->error_grouped = INFINITY;
  }
  if (determined) grouped_errors(f);
  return determined;
}

// ------------------------------------------------------------------------------------- solve

static void values_tell(fitting *f) {
  limpet_identify *fit = f->fit;
  for (int i = 0; i < f->p; ++i) fit->parameter[i].value = f->theta[i];
  fit->residual = sqrt(f->sum / f->compared);
}

// Whether the last step changed no parameter by more than the tolerance.
static bool settled(const fitting *f) {
  double most = 0.0;
  for (int i = 0; i < f->p; ++i)
    most = fmax(most, fabs(f->d[i]) / fmax(fabs(f->theta[i]), fabs(f->fit->parameter[i].start)));
  return most <= f->fit->workspace->tolerance;
}

// [-]  of the sum of squares: a smaller decrease ends it. Start states of windows are found to
// this.
static double gain_least(const limpet_identify_workspace *w) {
  return fmax(w->tolerance * 1e-3, w->windows ? LIMPET_IDENTIFY_WINDOW_GAIN : 0.0);
}

static limpet_identify_outcome iterate(fitting *f, limpet_identify_progress *progress,
                                       void *context) {
  limpet_identify *fit = f->fit;
  for (int i = 1; i <= fit->workspace->iteration_limit; ++i) {
    if (!jacobian_fill(f)) return LIMPET_IDENTIFY_FAILED;
    const double before = f->sum;
    ++fit->iterations;
    const bool taken = step_take(f) || step_retake(f);
    values_tell(f);
    f->stopped = progress && !progress(context, fit);
    if (f->stopped) return LIMPET_IDENTIFY_ITERATION_LIMIT;
    if (!taken) return exhausted(f) ? LIMPET_IDENTIFY_CONVERGED : LIMPET_IDENTIFY_NO_DESCENT;
    if (settled(f) || before - f->sum <= gain_least(fit->workspace) * before)
      return LIMPET_IDENTIFY_CONVERGED;
  }
  return LIMPET_IDENTIFY_ITERATION_LIMIT;
}

// False without memory.
static bool rows_count(limpet_identify *fit) {
  if (fit->workspace->window_rows > 0) return limpet_identify_windows_make(fit);
  fit->row_count = 0;
  for (int t = 0; t < fit->trajectory_count; ++t) {
    limpet_identify_trajectory *trajectory = &fit->workspace->trajectory[t];
    assert(trajectory->rows >= 2);
    trajectory->first = fit->row_count;
    fit->row_count += (trajectory->rows - 1) * fit->workspace->model->nv;
  }
  return true;
}

static bool residuals_fill(fitting *f) {
  const bool windows = f->fit->workspace->windows;
  if (windows) limpet_identify_windows_reset(f->fit);
  if (!simulate(f, f->theta, f->r)) return false;
  if (windows) limpet_identify_windows_keep(f->fit);
  f->sum = limpet_dot(f->rows, f->r, f->r);
  return true;
}

// From theta.
static limpet_identify_outcome fit_once(fitting *f, limpet_identify_progress *progress,
                                        void *context) {
  f->damping = damping_start;
  if (!residuals_fill(f)) return LIMPET_IDENTIFY_FAILED;
  values_tell(f);
  if (f->fit->starts_made++ == 0) f->fit->start_residual = f->fit->residual;
  return iterate(f, progress, context);
}

// ------------------------------------------------------------------------------------- starts

// x > 1 with x^(p + 1) = x + 1.
static double golden(int p) {
  double x = 1.5;
  for (int i = 0; i < 60; ++i) x = pow(x + 1.0, 1.0 / (p + 1.0));
  return x;
}

static void start_place(fitting *f, int k) {
  const double ratio = 1.0 / golden(f->p);
  double share = 1.0;
  for (int i = 0; i < f->p; ++i) {
    const limpet_identify_parameter *p = &f->fit->parameter[i];
    share *= ratio;
    const double part = fmod(0.5 + k * share, 1.0);
    f->theta[i] =
        k == 0 ? within(p, p->start) : within(p, p->minimum + part * (p->maximum - p->minimum));
  }
}

// Keeps where a fit ended.
static bool minimum_keep(fitting *f, limpet_identify_minima *minima) {
  const int p = f->p;
  if (!jacobian_fill(f)) return true;  // such a minimum is passed over
  limpet_identify_minimum *m = limpet_identify_minima_add(minima, true);
  if (!m) return false;
  memcpy(m->theta, f->theta, (size_t)p * sizeof(double));
  sums_fill(f, f->r, m->sum);
  for (int t = 0; t < minima->G; ++t) trajectory_sums(f, t, m->H + t * p * p, m->g + t * p);
  return true;
}

typedef struct best {
  double sum;
  limpet_identify_outcome outcome;
} best;

// Fits from one start; whether to go on.
static bool start_try(fitting *f, int k, limpet_identify_progress *progress, void *context,
                      limpet_identify_minima *minima, best *least) {
  f->stopped = false;
  start_place(f, k);
  const limpet_identify_outcome outcome = fit_once(f, progress, context);
  if (outcome == LIMPET_IDENTIFY_FAILED) return true;
  if (f->fit->workspace->starts > 1 && !minimum_keep(f, minima)) return false;
  if (f->sum < least->sum) {
    *least = (best){f->sum, outcome};
    memcpy(f->best, f->theta, (size_t)f->p * sizeof(double));
  }
  return !f->stopped;
}

static limpet_identify_outcome fit_all(fitting *f, limpet_identify_progress *progress,
                                       void *context) {
  limpet_identify *fit = f->fit;
  const int starts = fit->workspace->starts;
  limpet_identify_minima minima = {.p = f->p, .G = fit->trajectory_count};
  best least = {INFINITY, LIMPET_IDENTIFY_FAILED};
  if (starts > 1) f->minima = &minima;
  for (int k = 0; k < starts && start_try(f, k, progress, context, &minima, &least); ++k) {
  }
  if (least.outcome != LIMPET_IDENTIFY_FAILED) {
    memcpy(f->theta, f->best, (size_t)f->p * sizeof(double));
    if (starts > 1 && !residuals_fill(f)) least.outcome = LIMPET_IDENTIFY_FAILED;
    values_tell(f);
    const bool determined = errors_fill(f);
    if (determined && minima.count > 1) {
      limpet_identify_minima_errors(&minima, f->d);
      for (int i = 0; i < f->p; ++i) fit->parameter[i].error_grouped = f->d[i];
    }
    if (!determined) least.outcome = LIMPET_IDENTIFY_NOT_DETERMINED;
    // the builder is left at the fit
    limpet_identify_residuals(fit, f->theta, f->r);
  }
  f->minima = NULL;
  limpet_identify_minima_free(&minima);
  return least.outcome;
}

limpet_identify_outcome limpet_identify_solve(limpet_identify *fit,
                                              limpet_identify_progress *progress, void *context) {
  assert(fit && fit->parameter_count > 0);
  fitting f;
  const bool counted = rows_count(fit);
  fit->iterations = fit->simulations = fit->jacobians = fit->differences = fit->starts_made = 0;
  const limpet_identify_outcome outcome =
      fitting_create(&f, fit) && counted ? fit_all(&f, progress, context) : LIMPET_IDENTIFY_FAILED;
  fitting_release(&f);
  return outcome;
}

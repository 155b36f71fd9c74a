/* control/identify_windows.c: see identify_windows.h. Start states of one window: the
 * Levenberg-Marquardt method, from x + dx/dtheta (theta - theta kept). X by central differences
 * over a share of the noise, start speeds over that share a row. Cost of X: 4 simulations of a
 * window for each coordinate that is compared. */
#include "control/identify_windows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/dense.h"

enum { ITERATIONS = 24 };  // of the start states, from those that are kept

static const double width_share = 0.02;                           // [-]  of the noise
static const double damping_start = 1e-3, damping_factor = 10.0;  // [-]
static const double damping_least = 1e-9, damping_limit = 1e8;    // [-]
static const double round_off = 1e-18;  // [-]  mean square of a residual that is none
static const double ridge = 1e-12;      // [-]  of the diagonal: a state that changes nothing stays

// -------------------------------------------------------------------------------- windows

// Windows of a trajectory of so many rows: of about as many intervals as are wanted.
static int windows_of(const limpet_identify_workspace *w, int rows) {
  const int count = (int)lround((rows - 1.0) / w->window_rows);
  return count > 1 ? count : 1;
}

static int residuals_of(const limpet_identify_workspace *w, int intervals) {
  return (intervals + 1 + (w->speed_noise != NULL)) * w->model->nv;
}

// Recorded pose of its first row, and the speed with which it came there.
static void window_start(const limpet_identify_workspace *w, limpet_identify_window *window) {
  const limpet_model *model = w->model;
  const limpet_identify_trajectory *t = &w->trajectory[window->trajectory];
  const size_t nq = (size_t)model->nq, row = (size_t)window->row;
  memcpy(window->q, t->q + row * nq, nq * sizeof(double));
  memcpy(window->v, t->v, (size_t)model->nv * sizeof(double));
  if (row == 0) return;
  const double dt = (t->step[row] - t->step[row - 1]) * w->step.time_step;
  limpet_difference_position(model, window->v, t->q + (row - 1) * nq, window->q);
  for (int i = 0; i < model->nv; ++i) window->v[i] /= dt;
}

// What start states are unknown: of coordinates that are compared.
static void find_unknown(const limpet_identify_workspace *w, limpet_identify_windows *all) {
  const int nv = w->model->nv;
  for (int part = 0; part < 2; ++part)
    for (int i = 0; i < nv; ++i)
      if (w->noise[i] > 0.0) all->unknown[all->unknown_count++] = part * nv + i;
}

// Counts windows, and the longest residual of one.
static int count_windows(limpet_identify *fit, int *longest) {
  const limpet_identify_workspace *w = fit->workspace;
  int count = 0;
  *longest = 0;
  for (int t = 0; t < fit->trajectory_count; ++t) {
    const int rows = w->trajectory[t].rows, windows = windows_of(w, rows),
              residuals = residuals_of(w, (rows - 1) / windows + 1);
    count += windows;
    if (residuals > *longest) *longest = residuals;
  }
  return count;
}

static bool take(limpet_identify_windows *all, const limpet_identify *fit, int count, int longest) {
  const limpet_model *model = fit->workspace->model;
  const size_t nv = (size_t)model->nv, nq = (size_t)model->nq, p = (size_t)fit->parameter_count,
               own = nq + (5 + 2 * p) * nv, m = 2 * nv, rows = (size_t)longest;
  all->window = calloc((size_t)count, sizeof *all->window);
  all->unknown = calloc(m + 1, sizeof *all->unknown);
  all->memory = calloc((size_t)count * own + (m + 2) * rows + 3 * m + 2 * m * m + 2 * p + 1,
                       sizeof *all->memory);
  if (!all->window || !all->unknown || !all->memory) return false;
  double *at = all->memory;
  for (int k = 0; k < count; ++k, at += own) {
    limpet_identify_window *window = &all->window[k];
    window->q = at, window->v = at + nq;
    window->x = window->v + nv, window->tried = window->x + m;
    window->response = window->tried + m;
  }
  all->X = at, all->r = at + m * rows, all->r_low = all->r + rows;
  all->trial = all->r_low + rows, all->d = all->trial + m, all->g = all->d + m;
  all->H = all->g + m, all->factor = all->H + m * m;
  all->theta = all->factor + m * m, all->theta_kept = all->theta + p;
  return true;
}

bool limpet_identify_windows_make(limpet_identify *fit) {
  limpet_identify_workspace *w = fit->workspace;
  int longest;
  const int count = count_windows(fit, &longest);
  limpet_identify_windows_free(w->windows);
  limpet_identify_windows *all = w->windows = calloc(1, sizeof *all);
  if (!all || !take(all, fit, count, longest)) return false;
  find_unknown(w, all);
  fit->row_count = 0;
  for (int t = 0; t < fit->trajectory_count; ++t) {
    limpet_identify_trajectory *trajectory = &w->trajectory[t];
    const int intervals = trajectory->rows - 1, windows = windows_of(w, trajectory->rows);
    trajectory->first = fit->row_count;
    for (int k = 0; k < windows; ++k) {
      limpet_identify_window *window = &all->window[all->count++];
      window->trajectory = t;
      window->row = (int)((int64_t)k * intervals / windows);
      window->intervals = (int)((int64_t)(k + 1) * intervals / windows) - window->row;
      window->first = fit->row_count;
      window_start(w, window);
      fit->row_count += residuals_of(w, window->intervals);
    }
  }
  return true;
}

void limpet_identify_windows_free(limpet_identify_windows *windows) {
  if (!windows) return;
  free(windows->window), free(windows->unknown), free(windows->memory);
  free(windows);
}

void limpet_identify_windows_reset(limpet_identify *fit) {
  limpet_identify_windows *all = fit->workspace->windows;
  const size_t size = 2 * (size_t)fit->workspace->model->nv * sizeof(double);
  all->responds = false;
  for (int k = 0; k < all->count; ++k) memset(all->window[k].x, 0, size);
}

void limpet_identify_windows_aim(limpet_identify *fit, const double *theta) {
  memcpy(fit->workspace->windows->theta, theta, (size_t)fit->parameter_count * sizeof *theta);
}

void limpet_identify_windows_keep(limpet_identify *fit) {
  limpet_identify_windows *all = fit->workspace->windows;
  const size_t size = 2 * (size_t)fit->workspace->model->nv * sizeof(double);
  all->responds = false;
  for (int k = 0; k < all->count; ++k) memcpy(all->window[k].x, all->window[k].tried, size);
}

// ------------------------------------------------------------------------------ one window

// What is simulated.
typedef struct world {
  const limpet_identify *fit;
  const limpet_identify_workspace *w;
  limpet_identify_windows *all;
  const limpet_model *model;
  limpet_data *data;
} world;

static world world_of(limpet_identify *fit, const limpet_model *model, limpet_data *data) {
  return (world){fit, fit->workspace, fit->workspace->windows, model, data};
}

// Residuals of a window that starts at x.
static bool simulate(const world *o, const limpet_identify_window *window, const double *x,
                     double *r) {
  const limpet_identify_workspace *w = o->w;
  const limpet_model *model = o->model;
  const limpet_identify_trajectory *t = &w->trajectory[window->trajectory];
  const int nv = model->nv, end = window->row + window->intervals;
  limpet_data *data = o->data;
  limpet_data_reset(model, data);
  data->time = t->step[window->row] * w->step.time_step;
  limpet_integrate_position(model, data->q, window->q, x, 1.0, false);
  for (int i = 0; i < nv; ++i) data->v[i] = window->v[i] + x[nv + i];
  for (int row = window->row; row <= end; ++row, r += nv) {
    const int from = row > window->row ? t->step[row - 1] : t->step[row];
    if (row > window->row) limpet_identify_drive(t, row, model, data);
    for (int step = from; step < t->step[row]; ++step)
      if (limpet_outcome_failed(limpet_step(model, data, &w->step))) return false;
    limpet_identify_compare(w, model, t->q + (size_t)row * (size_t)model->nq, data->q, r);
  }
  for (int i = 0; i < nv && w->speed_noise; ++i)
    r[i] = w->speed_noise[i] > 0.0 ? -x[nv + i] / w->speed_noise[i] : 0.0;
  return true;
}

// [m, rad, m/s, rad/s]  of the differences along a number of x.
static double width_of(const world *o, const limpet_identify_window *window, int number) {
  const int nv = o->model->nv;
  const limpet_identify_trajectory *t = &o->w->trajectory[window->trajectory];
  const double pose = width_share * o->w->noise[number % nv];
  const int steps = t->step[window->row + 1] - t->step[window->row];
  return number < nv ? pose : pose / (steps * o->w->step.time_step);
}

// X at x. On both sides: a contact that opens has another slope than one that closes.
static bool slopes_fill(const world *o, const limpet_identify_window *window, const double *x) {
  limpet_identify_windows *all = o->all;
  const int rows = residuals_of(o->w, window->intervals);
  memcpy(all->trial, x, 2 * (size_t)o->model->nv * sizeof *x);
  for (int k = 0; k < all->unknown_count; ++k) {
    const int number = all->unknown[k];
    const double width = width_of(o, window, number);
    double *column = all->X + (size_t)k * (size_t)rows;
    all->trial[number] = x[number] - width;
    if (!simulate(o, window, all->trial, all->r_low)) return false;
    all->trial[number] = x[number] + width;
    if (!simulate(o, window, all->trial, column)) return false;
    all->trial[number] = x[number];
    for (int i = 0; i < rows; ++i) column[i] = (column[i] - all->r_low[i]) / (2.0 * width);
  }
  return true;
}

// H = X'X.
static void squares_fill(const limpet_identify_windows *all, int rows) {
  const int m = all->unknown_count;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j <= i; ++j)
      all->H[i * m + j] = all->H[j * m + i] =
          limpet_dot(rows, all->X + (size_t)i * (size_t)rows, all->X + (size_t)j * (size_t)rows);
}

// The factor of H with so much of its diagonal added; false where it is not positive definite.
static bool squares_factor(const limpet_identify_windows *all, double damping) {
  const int m = all->unknown_count;
  memcpy(all->factor, all->H, (size_t)(m * m) * sizeof(double));
  for (int i = 0; i < m; ++i) {
    double *pivot = &all->factor[i * (m + 1)];
    *pivot = *pivot > 0.0 ? *pivot * (1.0 + damping) : 1.0;
  }
  return limpet_cholesky(m, all->factor, m) == 0;
}

/* Where the start state goes to with the parameters, or where it was, whichever is better: into
 * window->tried, with its residuals r. False where a simulation from where it was failed. */
static bool start_follow(const world *o, limpet_identify_window *window, int rows, double *r) {
  const limpet_identify_windows *all = o->all;
  const int size = 2 * o->model->nv;
  const size_t bytes = (size_t)size * sizeof *window->x;
  memcpy(window->tried, window->x, bytes);
  if (!simulate(o, window, window->x, r)) return false;
  if (!all->responds) return true;
  memcpy(all->trial, window->x, bytes);
  for (int p = 0; p < o->fit->parameter_count; ++p)
    limpet_axpy(size, all->theta[p] - all->theta_kept[p], window->response + p * size, all->trial);
  if (!simulate(o, window, all->trial, all->r) ||
      !(limpet_dot(rows, all->r, all->r) < limpet_dot(rows, r, r)))
    return true;
  memcpy(window->tried, all->trial, bytes);
  memcpy(r, all->r, (size_t)rows * sizeof *r);
  return true;
}

// The best x from window->x into window->tried, with its residuals r.
static bool window_fit(const world *o, limpet_identify_window *window, double *r) {
  limpet_identify_windows *all = o->all;
  const int m = all->unknown_count, rows = residuals_of(o->w, window->intervals);
  const size_t size = 2 * (size_t)o->model->nv * sizeof(double);
  double damping = damping_start;
  if (!start_follow(o, window, rows, r)) return false;
  double sum = limpet_dot(rows, r, r);
  for (int iteration = 0; iteration < ITERATIONS && sum > round_off * rows; ++iteration) {
    const double before = sum;
    if (!slopes_fill(o, window, window->tried)) return false;
    squares_fill(all, rows);
    for (int i = 0; i < m; ++i) all->g[i] = limpet_dot(rows, all->X + (size_t)i * (size_t)rows, r);

    // steps with growing damping until one makes the residual smaller
    for (; damping <= damping_limit && !(sum < before); damping *= damping_factor) {
      if (!squares_factor(all, damping)) continue;
      for (int i = 0; i < m; ++i) all->d[i] = -all->g[i];
      limpet_cholesky_solve(m, all->factor, m, all->d);
      memcpy(all->trial, window->tried, size);
      for (int i = 0; i < m; ++i) all->trial[all->unknown[i]] += all->d[i];
      if (!simulate(o, window, all->trial, all->r)) continue;
      const double tried = limpet_dot(rows, all->r, all->r);
      if (!(tried < sum)) continue;
      sum = tried;
      memcpy(window->tried, all->trial, size);
      memcpy(r, all->r, (size_t)rows * sizeof *r);
    }
    damping = fmax(damping / (damping_factor * damping_factor), damping_least);
    if (!(before - sum > LIMPET_IDENTIFY_WINDOW_GAIN * before)) break;
  }
  return true;
}

// --------------------------------------------------------------------------- all windows

bool limpet_identify_windows_fit(limpet_identify *fit, const limpet_model *model, limpet_data *data,
                                 double *r) {
  const world o = world_of(fit, model, data);
  for (int k = 0; k < o.all->count; ++k)
    if (!window_fit(&o, &o.all->window[k], r + o.all->window[k].first)) return false;
  return true;
}

bool limpet_identify_windows_hold(limpet_identify *fit, const limpet_model *model,
                                  limpet_data *data, double *r) {
  const world o = world_of(fit, model, data);
  for (int k = 0; k < o.all->count; ++k) {
    const limpet_identify_window *window = &o.all->window[k];
    if (!simulate(&o, window, window->x, r + window->first)) return false;
  }
  return true;
}

bool limpet_identify_windows_project(limpet_identify *fit, const limpet_model *model,
                                     limpet_data *data, double *J) {
  const world o = world_of(fit, model, data);
  limpet_identify_windows *all = o.all;
  const int m = all->unknown_count, size = 2 * model->nv;
  for (int k = 0; k < all->count; ++k) {
    const limpet_identify_window *window = &all->window[k];
    const int rows = residuals_of(o.w, window->intervals);
    if (!slopes_fill(&o, window, window->x)) return false;
    squares_fill(all, rows);
    if (!squares_factor(all, ridge)) return false;
    for (int p = 0; p < fit->parameter_count; ++p) {
      double *column = J + (size_t)p * (size_t)fit->row_count + window->first;
      for (int i = 0; i < m; ++i)
        all->d[i] = limpet_dot(rows, all->X + (size_t)i * (size_t)rows, column);
      limpet_cholesky_solve(m, all->factor, m, all->d);
      for (int i = 0; i < m; ++i) {
        limpet_axpy(rows, -all->d[i], all->X + (size_t)i * (size_t)rows, column);
        window->response[p * size + all->unknown[i]] = -all->d[i];
      }
    }
  }
  memcpy(all->theta_kept, all->theta, (size_t)fit->parameter_count * sizeof *all->theta);
  all->responds = true;
  return true;
}

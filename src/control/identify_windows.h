/* control/identify_windows.h: trajectories in pieces whose start states are unknown, too.
 *
 *   minimise over x   |r(theta, x)|^2,   x = (dq, dv): the start of a window away from the record
 *   dr/dtheta = (1 - P) dr/dtheta|_x,   P = X (X'X)^-1 X',   X = dr/dx
 * so that the rest of a fit sees theta alone (variable projection; Golub, Pereyra, The
 * differentiation of pseudo-inverses and nonlinear least squares problems, SIAM J. Numer. Anal. 10,
 * 1973, with Kaufman's approximation of the derivative, BIT 15, 1975). r of a window: all its rows,
 * the first one too, and what is known of its start speeds. */
#ifndef LIMPET_CONTROL_IDENTIFY_WINDOWS_H
#define LIMPET_CONTROL_IDENTIFY_WINDOWS_H

#include "control/identify.h"

// [-]  of the sum of squares of a window, of which less ends the search for its start state
#define LIMPET_IDENTIFY_WINDOW_GAIN 1e-6

// A piece of a trajectory.
typedef struct limpet_identify_window {
  int trajectory, row, intervals;  // from this row on
  int first;                       // of its residuals
  double *q, *v;                   // (nq), (nv)  as recorded; v, but for the first, by differences
  double *x, *tried;               // (2 nv)  start state less q, v: kept, and of the last residuals
  double *response;                // (parameters x 2 nv)  dx/dtheta, of the last projection
} limpet_identify_window;

typedef struct limpet_identify_windows {
  int count;
  limpet_identify_window *window;  // (count)
  int unknown_count;               // of each window
  int *unknown;                    // (unknown_count)  among the 2 nv
  double *memory;                  // of windows and of the work
  double *theta, *theta_kept;      // (parameters)  of the next residuals, of the last projection
  bool responds;                   // responses are those of the start states that are kept
  double *X;                       // (unknown_count x longest residual)
  double *r, *r_low;               // (longest residual)
  double *trial, *d, *g;           // (2 nv)
  double *H, *factor;              // (unknown_count x unknown_count)
} limpet_identify_windows;

/* Windows of the recorded trajectories, whose residuals it places: `first` of each, and
 * fit->row_count. False without memory. */
bool limpet_identify_windows_make(limpet_identify *fit);
void limpet_identify_windows_free(limpet_identify_windows *windows);

// Start states as recorded; and those of the last residuals are kept from now on.
void limpet_identify_windows_reset(limpet_identify *fit);
void limpet_identify_windows_keep(limpet_identify *fit);

// The parameters of the next residuals: start states are sought from where they lead.
void limpet_identify_windows_aim(limpet_identify *fit, const double *theta);
/* Residuals r (row_count) of a model with the best start states, sought from those that are kept;
 * and with those that are kept. False where a simulation failed. */
bool limpet_identify_windows_fit(limpet_identify *fit, const limpet_model *model, limpet_data *data,
                                 double *r);
bool limpet_identify_windows_hold(limpet_identify *fit, const limpet_model *model,
                                  limpet_data *data, double *r);
/* Takes what start states can do out of the columns J (parameters x row_count) at the model, with
 * the start states that are kept, and finds their responses. False where a simulation failed. */
bool limpet_identify_windows_project(limpet_identify *fit, const limpet_model *model,
                                     limpet_data *data, double *J);

#endif

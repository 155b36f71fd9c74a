/* control/identify.h: parts of fitting models to records. */
#ifndef LIMPET_CONTROL_IDENTIFY_H
#define LIMPET_CONTROL_IDENTIFY_H

#include "limpet/identify.h"

// One number of the builder that a parameter sets to offset + factor theta.
typedef struct limpet_identify_link {
  int parameter;
  limpet_parameter_target target;
  double factor, offset;
} limpet_identify_link;

typedef struct limpet_identify_trajectory {
  int rows;
  int *step;        // (rows)  steps since the first row
  double *q, *v;    // (rows x nq), (nv)
  double *control;  // (rows x nu) or NULL
  int first;        // of its residuals
} limpet_identify_trajectory;

struct limpet_identify_workspace {
  limpet_builder *builder;
  limpet_model *model;  // at the start
  limpet_step_settings step;
  int link_count;
  limpet_identify_link *link;
  limpet_identify_trajectory *trajectory;
  double *noise;  // (nv)  [m, rad]  0: the coordinate is not compared
  int iteration_limit;
  double tolerance, width;  // [-]
  bool by_differences;      // derivatives of simulations, not of their steps
  int starts;               // 1 at least
  int window_rows;          // intervals of a window whose start state is unknown; 0: no windows
  double *speed_noise;      // (nv)  [m/s, rad/s]  of start speeds, 0: unknown; NULL: all are
  struct limpet_identify_windows *windows;  // of the last solve: identify_windows.h; or NULL
};

/* Residuals at parameters `theta` into r (fit->row_count), of windows with their best start states.
 * False where a simulation or a model failed. */
bool limpet_identify_residuals(limpet_identify *fit, const double *theta, double *r);
/* dr/dtheta at theta into J (parameters x row_count), by the derivatives of the steps. False where
 * a model or a simulation failed, or a step has no derivative. */
bool limpet_identify_jacobian(limpet_identify *fit, const double *theta, double *J);
// Residuals with the start states of windows that are kept; and what start states can do taken out
// of the columns J (parameters x row_count). False where a simulation or a model failed.
bool limpet_identify_held(limpet_identify *fit, const double *theta, double *r);
bool limpet_identify_project(limpet_identify *fit, const double *theta, double *J);
// r (nv) of one row: (recorded (-) simulated)/noise; zero for what is not compared.
void limpet_identify_compare(const limpet_identify_workspace *w, const limpet_model *model,
                             const double *recorded, const double *q, double *r);
// Gives the builder the values. False where it does not take them.
bool limpet_identify_assign(limpet_identify *fit, const double *theta);
// The world at the first row of a trajectory; and the steps of one row's interval, from there.
void limpet_identify_start(const limpet_identify_trajectory *t, const limpet_model *model,
                           limpet_data *data);
void limpet_identify_drive(const limpet_identify_trajectory *t, int row, const limpet_model *model,
                           limpet_data *data);

#endif

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
};

/* Residuals at parameters `theta` into r (fit->row_count). False where a simulation or a model
 * failed. */
bool limpet_identify_residuals(limpet_identify *fit, const double *theta, double *r);
/* dr/dtheta at theta into J (parameters x row_count), by the derivatives of the steps. False where
 * a model or a simulation failed, or a step has no derivative. */
bool limpet_identify_jacobian(limpet_identify *fit, const double *theta, double *J);
// Gives the builder the values. False where it does not take them.
bool limpet_identify_assign(limpet_identify *fit, const double *theta);
// The world at the first row of a trajectory; and the steps of one row's interval, from there.
void limpet_identify_start(const limpet_identify_trajectory *t, const limpet_model *model,
                           limpet_data *data);
void limpet_identify_drive(const limpet_identify_trajectory *t, int row, const limpet_model *model,
                           limpet_data *data);

#endif

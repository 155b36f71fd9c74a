// gradient/row_columns.h: columns of pose, velocity and controls from scalar rows.
#ifndef LIMPET_GRADIENT_ROW_COLUMNS_H
#define LIMPET_GRADIENT_ROW_COLUMNS_H

#include "gradient/column_writer.h"
#include "gradient/row_change.h"

// A row of the step's problem at its solution.
typedef struct limpet_row_view {
  int island, row;
  int weak;    // number among the weak ones of its island; -1: it is not
  bool holds;  // within its bounds
  limpet_row_slopes slopes;
  double gamma_by_s, gamma_by_w;  // of its impulse
  double speed_by_s, speed_by_w;  // of its distance from its switch, where it is weak
} limpet_row_view;

/* Views (row_count) of all rows, and those of the writer's actuators; rows without a closed form
 * make their trees unknown. */
void limpet_row_views_make(const limpet_column_writer *writer, limpet_row_probe *rows,
                           limpet_row_view *views);
// Whether one of them depends on its weight.
bool limpet_row_views_weigh(int count, const limpet_row_view *views);
// Adds a row to the columns of pose and velocity of trees that are known.
void limpet_row_columns_write(const limpet_column_writer *writer, const limpet_row_view *view);
/* Columns of controls whose actuators act on trees that are known; differs (nu): receives which are
 * left. `share`: half width over a control of size 1. The world's rates of activations are those of
 * other controls afterwards. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_row_columns_control(const limpet_column_writer *writer, double share,
                                         bool *differs);

// Where an actuator acts: `solved`: as a servo of the solve.
typedef struct limpet_actuator_reach {
  int *dof, count;
  double *row;  // (count)
  bool solved;
} limpet_actuator_reach;

// What a control changes.
typedef struct limpet_control_slope {
  const limpet_row_view *view;  // of a servo; NULL: a force outside the solve
  double slope;                 // of its error, or of its force; 0 where it is held
} limpet_control_slope;

/* False: there is no closed form. share: see above. */
bool limpet_control_slope_make(const limpet_column_writer *w, double share, int actuator,
                               const limpet_actuator_reach *reach, limpet_control_slope *to);

/* Products from the left, dual (residual size): by_q, by_weight (nv) += dual' dr of a row by the
 * pose and by the 1/A_kk of its velocities about their own axes (limpet_tree_change.own_q). */
void limpet_row_product_add(const limpet_column_writer *w, const limpet_row_view *view,
                            const double *dual, double *by_q, double *by_weight);
// dual' dr by a control.
double limpet_control_product(const limpet_column_writer *w, const limpet_actuator_reach *reach,
                              const limpet_control_slope *slope, const double *dual);

#endif

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

/* Views (row_count) of all rows; rows without a closed form make their trees unknown. */
void limpet_row_views_make(const limpet_column_writer *writer, limpet_row_probe *rows,
                           limpet_row_view *views);
// Whether one of them depends on its weight.
bool limpet_row_views_weigh(int count, const limpet_row_view *views);
// Adds a row to the columns of pose and velocity of trees that are known.
void limpet_row_columns_write(const limpet_column_writer *writer, const limpet_row_view *view);
/* Columns of controls whose actuators act on trees that are known; differs (nu): receives which are
 * left. `share`: half width over a control of size 1. The world's rates of activations are those of
 * other controls afterwards. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_row_columns_control(const limpet_column_writer *writer, int count,
                                         const limpet_row_view *views, double share, bool *differs);

#endif

/* geometry/pressure_runs.h: where along a ray of a chart the smooth pieces of its surface end.
 */
#ifndef LIMPET_GEOMETRY_PRESSURE_RUNS_H
#define LIMPET_GEOMETRY_PRESSURE_RUNS_H

#include "geometry/pressure_sweep.h"

enum { LIMPET_PRESSURE_RUNS = 64 };  // of one ray; more are joined

// A stretch of one smooth piece.
typedef struct limpet_pressure_run {
  double low, high;
} limpet_pressure_run;

// Places of one theta.
typedef struct limpet_pressure_ray {
  const limpet_pressure_chart *chart;
  double theta, rate;  // [rad], [-]  d theta/d phi
  double pressed;      // up to here along s the pressure is not negative
  bool outside;        // the surface goes on with negative pressures
  bool folded;         // it meets a sheet that is left out
  int halvings, count;
  limpet_pressure_run runs[LIMPET_PRESSURE_RUNS];
} limpet_pressure_ray;

/* Fills pressed, folded and the runs of a ray whose chart, theta, halvings (for a change of piece)
 * and `outside` are given. Cost: `looks` of the chart, and 12 to 30 halvings for each change. */
void limpet_pressure_find_runs(limpet_pressure_ray *r);

#endif

/* limpet/identify.h: numbers of a model fitted to recorded trajectories by Gauss and Newton's
 * method, with error bars. Floor 9.
 *
 *   minimise sum of r^2 over theta,   r = (q recorded (-) q simulated)/noise
 * at all rows of all trajectories, in velocity coordinates (nv numbers a row). Each trajectory is
 * simulated from its first row with its controls. theta: numbers of the model by the names of
 * limpet/parameter.h, each a linear function offset + factor theta, so that one theta can move
 * several. docs/identification.md describes the file and the method. */
#ifndef LIMPET_IDENTIFY_H
#define LIMPET_IDENTIFY_H

#include "limpet/parameter.h"
#include "limpet/step.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limpet_identify_parameter {
  const char *name;
  double start, minimum, maximum;
  double value;  // fitted
  /* standard errors: of independent noise, s^2 (J'J)^-1 with s^2 the mean square of what is left;
   * and grouped, where the rows of a trajectory err together and trajectories do not: the jackknife
   * over trajectories to first order, with several starts the bootstrap over trajectories, each
   * draw at its own best minimum; both times Student's t of 68 %, so that one error covers the
   * truth as often as one of a normal distribution (two trajectories at least; else NAN) */
  double error, error_grouped;
} limpet_identify_parameter;

typedef enum limpet_identify_outcome {
  LIMPET_IDENTIFY_CONVERGED,
  LIMPET_IDENTIFY_ITERATION_LIMIT,
  LIMPET_IDENTIFY_NO_DESCENT,      // no step made the residual smaller, and the model promised one
  LIMPET_IDENTIFY_NOT_DETERMINED,  // the data do not tell the parameters apart
  LIMPET_IDENTIFY_FAILED           // a simulation failed, or a model could not be compiled
} limpet_identify_outcome;

LIMPET_API const char *limpet_identify_outcome_word(limpet_identify_outcome outcome);

typedef struct limpet_identify_workspace limpet_identify_workspace;

// A fit.json: parameters and which trajectories are wanted.
typedef struct limpet_identify {
  int parameter_count;
  limpet_identify_parameter *parameter;  // (parameter_count)
  int trajectory_count;
  const char **trajectory;  // (trajectory_count)  names of files as the fit gives them
  // of the last solve
  int iterations, simulations;  // simulations of all trajectories
  int jacobians, differences;   // Jacobians by derivatives of steps, and by differences
  int starts_made;              // fits from different starts; the best is told
  int row_count;                // numbers in the residual
  double start_residual;        // [-]  root mean square of r at the start
  double residual;  // [-]  root mean square of r where it is compared; 1: as large as the noise
  limpet_identify_workspace *workspace;
} limpet_identify;

/* NULL, with file, line, place and way out, where something is wrong. The builder holds the model;
 * it is changed to the values that are tried, and must outlive the fit. "model" is left to the
 * caller. `file` may be NULL. */
LIMPET_API limpet_identify *limpet_identify_create(limpet_builder *builder, const char *text,
                                                   const char *file, limpet_error *error);
LIMPET_API void limpet_identify_destroy(limpet_identify *fit);
// The model at the start of the fit, for sizes and names.
LIMPET_API const limpet_model *limpet_identify_model(const limpet_identify *fit);

/* The standard error to report: error_grouped where there are trajectories enough for it, for rows
 * of a trajectory err together where the model is wrong; else error. */
LIMPET_API double limpet_identify_error(const limpet_identify_parameter *parameter);

/* Gives a trajectory its record: time (rows) [s] strictly growing, by whole steps; q (rows x nq);
 * v (nv) at the first row, NULL: at rest; control (rows x nu) from each row to the next, NULL: as
 * after reset. Arrays are copied. Where the time of a row is wrong, error->line is that row,
 * from 1. */
LIMPET_API limpet_status limpet_identify_record(limpet_identify *fit, int trajectory, int rows,
                                                const double *time, const double *q,
                                                const double *v, const double *control,
                                                limpet_error *error);

// Called after each iteration with the root mean square residual; false ends the fit.
typedef bool limpet_identify_progress(void *context, const limpet_identify *fit);

/* Fits from the start values; all trajectories have records. The builder has the fitted values
 * afterwards. `progress` may be NULL. */
LIMPET_API limpet_identify_outcome limpet_identify_solve(limpet_identify *fit,
                                                         limpet_identify_progress *progress,
                                                         void *context);
/* NULL, or words on why the values of the last solve are not to be trusted: what is left is more
 * than three times the noise, so that error bars say nothing. */
LIMPET_API const char *limpet_identify_doubt(const limpet_identify *fit);

#ifdef __cplusplus
}
#endif
#endif

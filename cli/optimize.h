/* cli/optimize.h: one optimisation by `limpet optimize`: what was asked, what is open, what came
 * out. */
#ifndef LIMPET_CLI_OPTIMIZE_H
#define LIMPET_CLI_OPTIMIZE_H

#include "loading.h"
#include "limpet/plan.h"

typedef struct limpet_optimize {
  // what was asked
  limpet_loading loading;
  const char *controls, *states, *html, *iterations, *derivative;  // output files, or NULL
  int threads;                                                     // 0: as the plan says
  bool json, quiet, smoothed;
  const char *path;  // of the plan

  // what is open
  char *text;        // of the plan
  char *model_path;  // beside the plan
  limpet_model *model;
  limpet_plan_task *task;
  limpet_plan *plan;

  // what came out
  limpet_plan_outcome outcome;
  int row_count;
  limpet_plan_iteration *row;  // (row_count)
  double *gradient;            // (knots x nu)  of the cost by the controls; NULL: not wanted
  const char *gradient_reason;
  int gradient_step, kink_count;  // step without a derivative; steps that touch a kink
  limpet_data *world;             // in which costs are differentiated
} limpet_optimize;

// Fills gradient; false after a complaint.
bool limpet_optimize_differentiate(limpet_optimize *run);
// Writes the files that were asked for. Returns the exit code, after a complaint where not 0.
int limpet_optimize_write(const limpet_optimize *run);
// What was found, in words or as JSON.
void limpet_optimize_print(const limpet_optimize *run);
void limpet_optimize_print_json(const limpet_optimize *run);

#endif

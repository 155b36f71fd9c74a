/* cli/sweep_plan.h: which runs a sweep has: numbers that vary, and their values in each run. */
#ifndef LIMPET_CLI_SWEEP_PLAN_H
#define LIMPET_CLI_SWEEP_PLAN_H

#include "loading.h"

enum { LIMPET_SWEEP_DIMENSIONS = 16, LIMPET_SWEEP_VALUES = 1000000 };

// One number that varies: of the model (--param) or a control (--set).
typedef struct limpet_sweep_dimension {
  char name[2 * LIMPET_PARAMETER_NAME_SIZE];  // as given, before the '='
  bool control;
  bool range;     // value[0] to value[1], sampled; else a list
  int count;      // of the list
  double *value;  // (count)  SI
} limpet_sweep_dimension;

typedef struct limpet_sweep_plan {
  int dimension_count;
  limpet_sweep_dimension dimension[LIMPET_SWEEP_DIMENSIONS];
  int samples;  // 0: every combination of the lists
  int run_count;
} limpet_sweep_plan;

/* Takes what varies out of `parameters` and `controls` ("NAME=LOW:HIGH", "NAME=LOW:HIGH:COUNT",
 * "NAME=A,B,C"); what is left there is the same in every run. Returns LIMPET_OPTIONS_GO or an exit
 * code after a complaint; the plan is freed in both cases. */
int limpet_sweep_plan_make(limpet_sweep_plan *plan, const char *path, const limpet_loading *loading,
                           limpet_text_list *parameters, limpet_text_list *controls, int samples);

void limpet_sweep_plan_free(limpet_sweep_plan *plan);

/* The values of run `run`, one a dimension. Samples are a Halton sequence: any run alone, and any
 * number of the first ones, fill the box evenly. */
void limpet_sweep_plan_values(const limpet_sweep_plan *plan, int run,
                              double values[LIMPET_SWEEP_DIMENSIONS]);

#endif

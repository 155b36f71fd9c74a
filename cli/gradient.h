/* cli/gradient.h: the report of `limpet gradient`. */
#ifndef LIMPET_CLI_GRADIENT_H
#define LIMPET_CLI_GRADIENT_H

#include "gradient_soft.h"
#include "loading.h"
#include "start.h"

// Blocks of the derivative of the velocity after the step.
enum { LIMPET_REPORT_Q, LIMPET_REPORT_V, LIMPET_REPORT_CONTROL, LIMPET_REPORT_BLOCKS };

typedef struct limpet_gradient_report limpet_gradient_report;

typedef struct limpet_gradient_column {
  int group, index;  // block; velocity or actuator
  double kink;       // [m/s, rad/s per unit]  limpet/gradient.h; 0: smooth
  double error;      // [-]  from differences, relative to the largest entry of the block
} limpet_gradient_column;

typedef struct limpet_gradient_block {
  int columns, flagged;  // how many; with a kink
  double largest;        // entry
  double error;          // [-]  largest of columns without a kink
} limpet_gradient_block;

struct limpet_gradient_report {
  const char *path;
  limpet_model *model;
  limpet_data *data, *other;  // after the step; of differences
  limpet_step_settings settings;
  limpet_gradient_settings wanted;
  limpet_controls controls;
  limpet_gradient *gradient;
  double *state;  // before the step
  limpet_gradient_block block[LIMPET_REPORT_BLOCKS];
  int column_count;
  limpet_gradient_column *column;   // (column_count)
  double step_time, gradient_time;  // [s]  least of some
  limpet_gradient_soft soft;
  double jump_width;          // how far from the start jumps of the step are looked for; 0: not
  limpet_gradient_jump jump;  // the nearest one
};

void limpet_gradient_report_print(const limpet_gradient_report *report);
void limpet_gradient_report_json(const limpet_gradient_report *report);

#endif

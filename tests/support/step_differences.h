/* tests/support/step_differences.h: derivatives of a step by differences of steps, to compare those
 * of limpet/gradient.h with. */
#ifndef LIMPET_TEST_STEP_DIFFERENCES_H
#define LIMPET_TEST_STEP_DIFFERENCES_H

#include "limpet/gradient.h"

// A step from the state and inputs of a world, which stays as it is.
typedef struct step_differences {
  const limpet_model *model;
  const limpet_data *from;
  const limpet_step_settings *settings;
  limpet_data *data;      // where steps are made
  double *state, *q, *v;  // of `from`; results of a step (nq, nv)
  double *dq, *dv;        // (nv)  the last derivative
  int kinks, columns;     // of all comparisons
  int false_kinks;        // whose two sides agree
  bool of_model;          // moves change the model: they are undone by a move back
} step_differences;

void step_differences_open(step_differences *s, const limpet_model *model, const limpet_data *from,
                           const limpet_step_settings *settings);
void step_differences_close(step_differences *s);

// What moves in a difference: one number by `by`, before the step of `data`.
typedef void step_move(const limpet_model *model, limpet_data *data, int index, double by);
extern step_move step_move_q, step_move_v, step_move_force, step_move_control;

// Fills dq and dv by [f(+high) - f(low)]/(high - low).
void step_differences_between(step_differences *s, step_move *move, int index, double low,
                              double high);

/* Whether the columns of `dq` and `dv` (nv x count) agree with central differences of half width
 * `width`, to `tolerance` of the largest entry of the matrix; columns with a kink are left out,
 * counted, and their two sides compared. Prints the worst entry where they do not. */
bool step_differences_agree(step_differences *s, const char *what, step_move *move, int count,
                            const double *dq, const double *dv, const double *kink, double width,
                            double tolerance);

/* The column `own` (dq, dv: 2 nv) against differences of fourth order of widths from 1e-3 to 1e-9,
 * until one is within 1e-9: the least of their largest errors, each part over its scale. *settled:
 * how near differences of three neighbours among the widths come to each other, of those whose last
 * is no more than three times as far from the column as the nearest one; where that is not less,
 * they decide nothing. */
double step_differences_nearest(step_differences *s, step_move *move, int index, const double *own,
                                const double scale[2], double *settled);

/* Whether the step jumps within 1e-5 of the number, as between two solutions of Coulomb's law: what
 * it differs by from its tangent `own` (nv, of the velocity) there is no less than 0.3 of that ten
 * times as far away, to one side. A wrong tangent leaves a tenth, and so does a kink. */
bool step_differences_jump(step_differences *s, step_move *move, int index, const double *own);

#endif

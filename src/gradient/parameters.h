/* gradient/parameters.h: models around the value of a parameter (parameter_models.c), and what
 * derivatives take of them (parameters.c). */
#ifndef LIMPET_GRADIENT_PARAMETERS_INTERNAL_H
#define LIMPET_GRADIENT_PARAMETERS_INTERNAL_H

#include "limpet/gradient_parameters.h"

enum { LIMPET_STENCIL = 4 };  // models of a parameter

/* f' = [sum weight f(place E) + rest f(0)]/E; sum bend [f(place E) - f(0)]/E: how much the slope
 * jumps, zero to third order where f is smooth; all zero: not told. */
typedef struct limpet_stencil {
  double place[LIMPET_STENCIL], weight[LIMPET_STENCIL], rest, bend[LIMPET_STENCIL];
} limpet_stencil;

typedef struct limpet_varied {
  double value, width;  // width: E
  bool time_step;       // the parameter is that of the settings
  // it is a number of data: where it starts the step, index into an array at an offset [bytes] of
  // limpet_data; offset 0: it is one of the model
  size_t array;
  int index;
  const limpet_stencil *stencil;
  limpet_model *model[LIMPET_STENCIL];
  limpet_data *world[LIMPET_STENCIL];
} limpet_varied;

struct limpet_gradient_parameters_workspace {
  limpet_varied *one;  // (count)
};

// The model with number `index` at `value`; NULL with the error.
typedef limpet_model *limpet_vary(void *context, int index, double value, limpet_error *error);
/* limpet_gradient_parameters_create for numbers of any meaning: their values, what they may not
 * fall below (-INFINITY: anything), E at most (NULL: of any), and the models around them. */
limpet_gradient_parameters *limpet_gradient_parameters_vary(int count, const double *value,
                                                            const double *minimum,
                                                            const double *widest, limpet_vary *vary,
                                                            void *context, limpet_error *error);

#endif

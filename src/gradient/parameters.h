/* gradient/parameters.h: models around the value of a parameter. */
#ifndef LIMPET_GRADIENT_PARAMETERS_INTERNAL_H
#define LIMPET_GRADIENT_PARAMETERS_INTERNAL_H

#include "limpet/data.h"

enum { LIMPET_STENCIL = 4 };  // models of a parameter

// f' = [sum weight f(place E) + rest f(0)]/E
typedef struct limpet_stencil {
  double place[LIMPET_STENCIL], weight[LIMPET_STENCIL], rest;
} limpet_stencil;

typedef struct limpet_varied {
  double value, width;  // width: E
  bool time_step;       // the parameter is that of the settings
  const limpet_stencil *stencil;
  limpet_model *model[LIMPET_STENCIL];
  limpet_data *world[LIMPET_STENCIL];
} limpet_varied;

#endif

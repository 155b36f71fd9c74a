// control/identify_row.c: one row of a recording: its start, its controls, and by how much q misses
// it.
#include <string.h>

#include "control/identify.h"
#include "limpet/dynamics.h"

void limpet_identify_compare(const limpet_identify_workspace *w, const limpet_model *model,
                             const double *recorded, const double *q, double *r) {
  limpet_difference_position(model, r, q, recorded);
  for (int i = 0; i < model->nv; ++i) r[i] = w->noise[i] > 0.0 ? r[i] / w->noise[i] : 0.0;
}

void limpet_identify_start(const limpet_identify_trajectory *t, const limpet_model *model,
                           limpet_data *data) {
  limpet_data_reset(model, data);
  memcpy(data->q, t->q, (size_t)model->nq * sizeof(double));
  memcpy(data->v, t->v, (size_t)model->nv * sizeof(double));
}

void limpet_identify_drive(const limpet_identify_trajectory *t, int row, const limpet_model *model,
                           limpet_data *data) {
  const size_t nu = (size_t)model->nu;
  if (t->control && nu)
    memcpy(data->control, t->control + (size_t)(row - 1) * nu, nu * sizeof(double));
}

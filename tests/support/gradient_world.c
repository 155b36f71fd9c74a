/* tests/support/gradient_world.c: see gradient_world.h. */
#include "gradient_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

gradient_world gradient_world_open(limpet_model *model, const char *scheme,
                                   const char *contact_model, double h) {
  gradient_world w = {
      .model = model, .data = limpet_data_create(model), .gradient = limpet_gradient_create(model)};
  assert_non_null(w.data);
  assert_non_null(w.gradient);
  w.settings = limpet_step_settings_default(model);
  limpet_step_settings_scheme(&w.settings, limpet_scheme_find(scheme));
  limpet_step_settings_contact_model(&w.settings, limpet_contact_model_find(contact_model));
  w.settings.time_step = h;
  return w;
}

void gradient_world_close(gradient_world *w) {
  limpet_gradient_destroy(w->gradient);
  limpet_data_destroy(w->data);
  limpet_model_destroy(w->model);
}

void gradient_world_step(gradient_world *w) {
  assert_int_equal(limpet_step(w->model, w->data, &w->settings), LIMPET_OUTCOME_SOLVED);
}

void gradient_world_differentiate(gradient_world *w) {
  const limpet_gradient_settings settings = limpet_gradient_settings_default();
  assert_int_equal(limpet_gradient_step(w->model, w->data, &w->settings, &settings, w->gradient),
                   LIMPET_OUTCOME_SOLVED);
  if (w->gradient->reason) printf("no derivatives: %s\n", w->gradient->reason);
  assert_null(w->gradient->reason);
}

limpet_data *gradient_world_copy(const gradient_world *w) {
  limpet_data *copy = limpet_data_create(w->model);
  double *state = malloc((size_t)limpet_data_state_size(w->model) * sizeof *state);
  assert_non_null(copy);
  assert_non_null(state);
  limpet_data_state_read(w->model, w->data, state);
  limpet_data_state_write(w->model, copy, state);
  memcpy(copy->control, w->data->control, (size_t)w->model->nu * sizeof(double));
  memcpy(copy->applied_force, w->data->applied_force, (size_t)w->model->nv * sizeof(double));
  memcpy(copy->applied_wrench, w->data->applied_wrench,
         6 * (size_t)w->model->body_count * sizeof(double));
  free(state);
  return copy;
}

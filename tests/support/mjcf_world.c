/* tests/support/mjcf_world.c: see mjcf_world.h. */
#include "mjcf_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mjcf_text.h"

mjcf_world mjcf_world_of(const char *text, const char *contact_model) {
  mjcf_world w = {.model = mjcf_load(text)};
  w.data = limpet_data_create(w.model);
  assert_non_null(w.data);
  w.settings = limpet_step_settings_default(w.model);
  if (contact_model) w.settings.contact_model = limpet_contact_model_find(contact_model);
  assert_non_null(w.settings.contact_model);
  return w;
}

void mjcf_world_destroy(mjcf_world *w) {
  limpet_data_destroy(w->data);
  limpet_model_destroy(w->model);
}

void mjcf_world_step(mjcf_world *w) {
  const limpet_outcome outcome = limpet_step(w->model, w->data, &w->settings);
  if (outcome != LIMPET_OUTCOME_SOLVED)
    fail_msg("t = %g s: %s, %d iterations, residual %.3g", w->data->time,
             limpet_outcome_word(outcome), w->data->info.iterations, w->data->info.residual);
}

void mjcf_world_run(mjcf_world *w, double time) {
  const int steps = (int)(time / w->settings.time_step + 0.5);
  for (int i = 0; i < steps; ++i) mjcf_world_step(w);
}

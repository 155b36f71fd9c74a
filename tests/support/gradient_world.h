/* tests/support/gradient_world.h: a world that steps with rigid contact, and the derivatives of its
 * steps. */
#ifndef LIMPET_TEST_GRADIENT_WORLD_H
#define LIMPET_TEST_GRADIENT_WORLD_H

#include "limpet/gradient.h"

typedef struct gradient_world {
  limpet_model *model;
  limpet_data *data;
  limpet_step_settings settings;
  limpet_gradient *gradient;
} gradient_world;

// Takes the model, which is destroyed at the end.
gradient_world gradient_world_open(limpet_model *model, const char *scheme,
                                   const char *contact_model, double h);
void gradient_world_close(gradient_world *w);
// One step, solved, or the test fails; with all derivatives, or it fails.
void gradient_world_step(gradient_world *w);
void gradient_world_differentiate(gradient_world *w);
// A world with the same state and inputs, to be destroyed.
limpet_data *gradient_world_copy(const gradient_world *w);

#endif

/* tests/support/golden_pressure.h: the scenes of golden/hydroelastic/scenes as models, on the very
 * meshes that Drake made. */
#ifndef LIMPET_TEST_GOLDEN_PRESSURE_H
#define LIMPET_TEST_GOLDEN_PRESSURE_H

#include "limpet/step.h"
#include "shared_data.h"

limpet_model *golden_pressure_compile(const json_t *root);
limpet_step_settings golden_pressure_settings(const limpet_model *model, const json_t *root,
                                              const char *contact_model);
void golden_pressure_controls(const json_t *root, limpet_data *data);
// The scene's coordinates (free: quaternion, position; angular and linear velocity, W) to ours.
void golden_pressure_state(const limpet_model *model, const json_t *state, double *q, double *v);

#endif

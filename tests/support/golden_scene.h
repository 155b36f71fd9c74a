/* tests/support/golden_scene.h: the scenes of golden/contact/scenes as models, with the settings
 * and inputs that they were computed with. */
#ifndef LIMPET_TEST_GOLDEN_SCENE_H
#define LIMPET_TEST_GOLDEN_SCENE_H

#include "limpet/step.h"
#include "shared_data.h"

// A number of a JSON object, or `value` where it has none of that name; a text, or NULL.
double golden_scene_number(const json_t *object, const char *key, double value);
const char *golden_scene_text(const json_t *object, const char *key);

// To be destroyed, and the model of it.
limpet_builder *golden_scene_builder(const json_t *root);
limpet_model *golden_scene_compile(const json_t *root);
limpet_step_settings golden_scene_settings(const limpet_model *model, const json_t *root,
                                           const limpet_contact_model *contact_model);
void golden_scene_controls(const limpet_model *model, limpet_data *data, const json_t *root);
/* Scene coordinates (free bodies: quaternion, position; angular and linear velocity in W) to ours:
 * q (nq), v (nv). */
void golden_scene_state(const limpet_model *model, const double *scene_q, const double *scene_v,
                        double *q, double *v);

#endif

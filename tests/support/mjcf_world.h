/* tests/support/mjcf_world.h: a world from an MJCF text, with the settings that it is stepped
 * with. */
#ifndef LIMPET_TEST_MJCF_WORLD_H
#define LIMPET_TEST_MJCF_WORLD_H

#include "limpet/step.h"

typedef struct mjcf_world {
  limpet_model *model;
  limpet_data *data;
  limpet_step_settings settings;
} mjcf_world;

// Default settings with that contact model (NULL: the default one; its own regularisation is not
// taken).
mjcf_world mjcf_world_of(const char *text, const char *contact_model);
void mjcf_world_destroy(mjcf_world *world);
// One step, or steps for that time; fails the test unless every step is solved.
void mjcf_world_step(mjcf_world *world);
void mjcf_world_run(mjcf_world *world, double time);

#endif

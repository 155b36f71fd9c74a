/* tests/support/impulse_world.h: worlds for tests of the scheme `impulse`. */
#ifndef LIMPET_TEST_IMPULSE_WORLD_H
#define LIMPET_TEST_IMPULSE_WORLD_H

#include "limpet/limpet.h"

typedef struct impulse_world {
  limpet_model *model;
  limpet_data *data;
  limpet_step_settings settings;
} impulse_world;

// A world of an MJCF text, stepped by the scheme `impulse` with the contact model of that name.
impulse_world impulse_world_open(const char *text, const char *contact_model, double dt,
                                 bool explicit_euler);
void impulse_world_close(impulse_world *world);
// Steps for `time` [s]; fails the test on a numerical failure or on a number that is not finite.
void impulse_world_run(impulse_world *world, double time);

/* MJCF in a static buffer. A plane at z = 0 with `count` cubes of 0.1 m and 1 kg on each other,
 * friction 0.5; gravity of 9.81 m/s^2 is turned by `degrees` about y, as if the plane were. */
const char *impulse_boxes(int count, double degrees);
// A ball (or a cube) of 67 mm and 58 g between two fingers on slides that press with 5 N each,
// friction 0.6.
const char *impulse_grasp(bool cube);

#endif

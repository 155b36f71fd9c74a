/* tests/support/crossing_scenes.h: random scenes in which thin and soft things are thrown at each
 * other and at themselves. What each draws is said in crossing_scenes.c. */
#ifndef LIMPET_TEST_CROSSING_SCENES_H
#define LIMPET_TEST_CROSSING_SCENES_H

#include <stddef.h>

#include "mjcf_world.h"

typedef struct crossing_scene {
  char text[200000];  // MJCF
  size_t length;
  double time_step;  // [s]
  double speed;      // [m/s]  downwards, of what falls at the start
  double cell;       // [m]  of sheets
  int thrown;        // the deformable body that falls, or LIMPET_NONE: joint velocity 0
} crossing_scene;

// A sheet that falls on its edge and folds, of that step, speed and cell.
void crossing_sheet(unsigned long *seed, double time_step, double speed, double cell,
                    crossing_scene *scene);
// A section of a tube on the floor that a heavy plate crushes.
void crossing_ring(unsigned long *seed, double time_step, double speed, crossing_scene *scene);
// A cloth that falls on another one, which is held at its corners or lies on the floor.
void crossing_cloths(unsigned long *seed, double time_step, double speed, crossing_scene *scene);
// A shell that meets itself and holds gas, mostly too little to keep its shape, falls on the floor.
void crossing_balloon(unsigned long *seed, double time_step, double speed, crossing_scene *scene);
// A plate of 1 mm that falls on a cloth held at two sides.
void crossing_plate(unsigned long *seed, double time_step, double speed, crossing_scene *scene);
// A sphere, capsule, ellipsoid or cylinder that falls on a cloth held at two sides.
void crossing_shot(unsigned long *seed, double time_step, double speed, crossing_scene *scene);
// A capsule of 0.1 to 1 mm that a mocap body, to be moved at the speed, pulls through a cloth held
// at two sides or its corners.
void crossing_wire(unsigned long *seed, double time_step, double speed, crossing_scene *scene);
// A cloth that falls on the edge of a box.
void crossing_edge(unsigned long *seed, double time_step, double speed, crossing_scene *scene);

// The world of a scene, with what is thrown at its speed.
mjcf_world crossing_world(const crossing_scene *scene, const char *contact_model);

#endif

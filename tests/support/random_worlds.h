/* tests/support/random_worlds.h: worlds of random trees that fly, land and slide, as MJCF.
 *
 * One to four trees of one to six links: roots that float or hang, hinges, slides and balls, masses
 * over six decades, friction from 0.01 to 1.5 of each geom; with springs, dampers, dry friction,
 * limits, armature, tendons, loops, motors and servos. They fly beside each other or lie one above
 * the other, on a floor that may be tilted, and half of them on a free slab of 1 kg to 1e6 kg. A
 * seed is a world: the same on every machine. */
#ifndef LIMPET_TESTS_RANDOM_WORLDS_H
#define LIMPET_TESTS_RANDOM_WORLDS_H

#include <stdbool.h>

#include "mjcf_world.h"

enum { RANDOM_WORLD_TREES = 4, RANDOM_WORLD_LINKS = 6, RANDOM_WORLD_TEXT = 65536 };

typedef struct random_world {
  char text[RANDOM_WORLD_TEXT];
  double dt;                  // [s]  0.05 to 5 ms
  const char *contact_model;  // coulomb as often as the four others together
  unsigned long start;        // seed of the velocities
  unsigned long material;     // of coefficients of restitution; 0: there are none
  double speed;               // [m/s, rad/s]  0: dropped
  int trees, tree_links[RANDOM_WORLD_TREES];
  bool slab, tilted, weightless, stacked, selfish;  // selfish: trees touch themselves
  bool springs, dampers, dry, limits, armature, tendons, loops, driven;
  // of random_world_draw_scenery alone
  bool meshes, terrain, paddle, floating;  // floating: gravity compensation
} random_world;

void random_world_draw(random_world *world, unsigned long seed);
/* The world of that seed with the default model, other gravity (none, or 0.1 to 100 m/s^2) and, by
 * chance, torsional and rolling friction, contacts with a stiffness of their own, and restitution.
 */
void random_world_draw_materials(random_world *world, unsigned long seed);
/* The world of that seed with the default model and, by chance, convex meshes for links, a height
 * field for the floor, a mocap body that sweeps through the trees, and gravity compensation. */
void random_world_draw_scenery(random_world *world, unsigned long seed);
// Moves the mocap body to where it is at the end of the step, which is that of the world.
void random_world_sweep(const random_world *world, mjcf_world *w);
// Compiles it and throws its bodies: settings as drawn, with energies.
mjcf_world random_world_make(const random_world *world);

#endif

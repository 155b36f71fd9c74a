/* collide/colliders.h: the geoms that can collide, with what the broad phase keeps from step to
 * step: bounds in their own frames, filters, the order of the sweep. Collider c is
 * model->collider_geom[c], ascending in geoms. */
#ifndef LIMPET_COLLIDE_COLLIDERS_H
#define LIMPET_COLLIDE_COLLIDERS_H

#include <stdint.h>

#include "limpet/data.h"

/* Colliders sorted by the low end of their boxes along the sweep axis; boxes as arrays of their own
 * in that order, ended by four boxes at infinity. Axis 0 is the sweep axis. */
typedef struct limpet_sweep_list {
  int count;
  int *order;               // (count)  colliders
  float *low[3], *high[3];  // (count + 4)  [m]
} limpet_sweep_list;

// A pair that was apart when it was last looked at: see separation.h.
typedef struct limpet_separation {
  uint64_t key;    // limpet_pair_key of the geoms; 0: none
  double axis[3];  // from A to B, axes of A; zero: not known yet
} limpet_separation;

typedef struct limpet_colliders {
  int count, plane_count;
  int *unit;         // (count)  the rigid unit: body_weld, or the mocap body that carries it
  int *parent_unit;  // (count)  the unit it hangs on, where contacts with that are not wanted, else
                     // -1
  unsigned char *flags;             // (count)  LIMPET_COLLIDER_ bits
  double *centre, *half;            // (count x 3)  [m]  bounding box in axes of the geom
  float *box;                       // (count x 6)  [m]  W  low, high, grown by margin and reach
  int *plane;                       // (plane_count)  colliders that are planes
  limpet_sweep_list moving, fixed;  // the others
  int axis;                         // 0..2  sweep axis in W
  double fixed_reach;  // [m]  reach with which the boxes of `fixed` were made; -1: not made yet
  bool carried;        // some fixed colliders hang on mocap bodies, their boxes change
  uint64_t *exclude;   // (exclude_count)  sorted keys of pairs of bodies that never touch
  uint64_t *pair;  // (pair_count)  sorted keys of pairs of colliders with parameters of their own
  int exclude_count, pair_count;
  int *bucket;                    // (count + 1)  scratch of sorting
  limpet_separation *separation;  // (separation_count)  a power of two
  int separation_count;
  int candidate_room, contact_room;  // what the last step needed
} limpet_colliders;

enum {
  LIMPET_COLLIDER_MOVES = 1,     // its body belongs to a kinematic tree
  LIMPET_COLLIDER_CARRIED = 2,   // hangs on a mocap body
  LIMPET_COLLIDER_EXCLUDES = 4,  // its body is named in an exclude
  LIMPET_COLLIDER_PAIRED = 8,    // it is named in an explicit pair
  LIMPET_COLLIDER_COSTLY =
      16  // mesh, cylinder, ellipsoid, cloud: the narrow phase iterates, so tighter culling pays
};

// One number for two geoms, colliders or bodies in either order; not 0 if they differ.
static inline uint64_t limpet_pair_key(int a, int b) {
  return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

// The object of the world's workspace, made on first use. NULL: no memory.
limpet_colliders *limpet_colliders_of(const limpet_model *model, limpet_data *data);

/* Whether two colliders may touch by the filters (explicit pairs are not asked here: they
 * always may, and never through this path). */
bool limpet_colliders_allowed(const limpet_colliders *colliders, const limpet_model *model, int a,
                              int b);

#endif

/* collide/colliders.h: the geoms that can collide, with what the broad phase keeps from step to
 * step: bounds in their own frames, filters, boxes, candidates. Collider c is
 * model->collider_geom[c], ascending in geoms. */
#ifndef LIMPET_COLLIDE_COLLIDERS_H
#define LIMPET_COLLIDE_COLLIDERS_H

#include <stdint.h>

#include "collide/box_tree.h"
#include "collide/candidates.h"
#include "collide/pair_memories.h"
#include "limpet/data.h"

enum { LIMPET_TREE_MOVING, LIMPET_TREE_FIXED, LIMPET_TREE_COUNT };

// Up to so many colliders all of them are looked at, which costs less than a tree that moves.
enum { LIMPET_FEW_COLLIDERS = 64 };

// A body with colliders, or a collider that cannot move.
typedef struct limpet_carrier {
  int body;          // 0: it cannot move
  int count;         // of its colliders
  double middle[3];  // [m]  of their origins, in axes of the body
  double arm;        // [m]  radius of all boxes of its colliders about the middle
  double pose[7];    // position of the middle and quaternion when it was last seen
  double way[3];     // [m]  of the middle since it was seen before
  double moved;      // [m]  how far the middle has moved, summed over the poses seen (bounds.h)
  double turned;     // [-]  2 sin(angle/2) of its turns at most, likewise
} limpet_carrier;

// The pairs of colliders of two carriers A and B, as they were when they were last asked.
typedef struct limpet_carrier_pair {
  int begin, end;   // range of items
  int near;         // how many of them were near
  double apart;     // [m]  by how much the others were not; not positive: that is not known
  double inside;    // [m]  by how much those that were near were it, likewise
  double from[3];   // [m]  W  the middle of B less that of A
  double turning;   // [m]  of both
  double reach[2];  // [m]  of both with their trees, and without
} limpet_carrier_pair;

// Pairs of a world of few bodies: carrier_pairs.h. No carriers: the world goes by trees.
typedef struct limpet_carrier_pairs {
  int carriers, count;
  double *spread;   // (carriers)  [m]  of all its colliders: bounds.h
  double *turning;  // (carriers)  [m]  how far its colliders have turned about its middle, at most
  double *reach;    // (carriers x 2)  [m]  of its body with the tree, and without
  double *shared;   // (carriers)  [m]  reach of its tree
  int *kin_end;     // (carriers)  the carriers after it, before this one, are of its tree
  double *until;    // (carriers x carriers)  [m]  sum of spreads, of one tree without what both
                    // have in common, up to which all pairs of A and B are apart; -1: not known;
                    // INFINITY: there are none
  double *grown;    // (carriers)  [m]  by how much its spread has grown, summed over the steps
  double clock;     // [m]  the largest of these growths, likewise
  double *row_until;  // (carriers)  [m]  while grown and the clock together are below, no pairs of
                      // A with later carriers come near, but those that are looked at; negative: so
                      // many scans note none
  int *looks;         // (carriers)  how many those are
  int *look;          // (carriers x carriers)  the later carriers of those, in order
  int *pair_of;  // (carriers x carriers)  index of A and B, A <= B; LIMPET_NONE: there are none
  limpet_carrier_pair *pair;  // (pair_count)
  int pair_count;
  limpet_candidate *item;  // (count)  by carriers, then by colliders
  int found;               // pairs that were near in a step, at most
} limpet_carrier_pairs;

typedef struct limpet_colliders {
  int count, plane_count;
  int *unit;         // (count)  the rigid unit: body_weld, or the mocap body that carries it
  int *parent_unit;  // (count)  the unit it hangs on, where contacts with that are not wanted, else
                     // -1
  unsigned char *flags;     // (count)  LIMPET_COLLIDER_ bits
  double *centre, *half;    // (count x 3)  [m]  bounding box in axes of the geom
  limpet_box *box;          // (count)  [m]  W  now, grown by margin and reach
  limpet_box *wide;         // (count)  [m]  W  for some steps to come
  limpet_carrier *carrier;  // (carrier_count)
  int carrier_count;
  int *carrier_of;      // (count)
  double *arm;          // (count x 2)  [m]  radius of the shape, of its box about the middle
  double *spread;       // (count)  [m]  that of its box, and the reach now
  double *stays;        // (count)  [m]  up to this spread the box lies within the wide one
  double *calm;         // (count)  [m]  with a reach below that the wide box may be too wide
  long *boxed;          // (count)  step in which the box was made
  long step;            // counts updates
  int *plane;           // (plane_count)  colliders that are planes
  int *moving, *fixed;  // (moving_count, fixed_count)  the others
  int moving_count, fixed_count;
  int *left;  // (left_count)  those that left their wide boxes in the last step
  int left_count;
  limpet_box_tree tree[LIMPET_TREE_COUNT];  // of the wide boxes
  limpet_candidates candidates;
  limpet_carrier_pairs pairs;
  limpet_pair_memories memories;
  double fixed_reach;  // [m]  reach with which the boxes of `fixed` were made; -1: not made yet
  bool carried;        // some fixed colliders hang on mocap bodies, their boxes change
  uint64_t *exclude;   // (exclude_count)  sorted keys of pairs of bodies that never touch
  uint64_t *pair;  // (pair_count)  sorted keys of pairs of colliders with parameters of their own
  int exclude_count, pair_count;
  int *bucket;         // (count + 1)  scratch of sorting
  int *stack, *found;  // (2 count), (count)  scratch of queries
  long tests;          // boxes that were compared in the last step
  bool forget;         // nothing is remembered of pairs: what tests compare with
  int contact_room;    // what the last step needed
} limpet_colliders;

enum {
  LIMPET_COLLIDER_MOVES = 1,     // its body belongs to a kinematic tree
  LIMPET_COLLIDER_CARRIED = 2,   // hangs on a mocap body
  LIMPET_COLLIDER_EXCLUDES = 4,  // its body is named in an exclude
  LIMPET_COLLIDER_PAIRED = 8,    // it is named in an explicit pair
  LIMPET_COLLIDER_COSTLY = 16,   // mesh, cylinder, ellipsoid, cloud: the narrow phase iterates
  LIMPET_COLLIDER_PLANE = 32,
  LIMPET_COLLIDER_LEFT = 64  // left its wide box in the last step
};

// Whether a collider moves by itself or with a mocap body.
static inline bool limpet_collider_is_carried(const limpet_colliders *colliders, int c) {
  return colliders->flags[c] & (LIMPET_COLLIDER_MOVES | LIMPET_COLLIDER_CARRIED);
}

// One number for two geoms, colliders or bodies in either order; not 0 if they differ.
static inline uint64_t limpet_pair_key(int a, int b) {
  return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

// Order of keys, for qsort and bsearch.
int limpet_pair_key_compare(const void *a, const void *b);

// The object of the world's workspace, made on first use. NULL: no memory.
limpet_colliders *limpet_colliders_of(const limpet_model *model, limpet_data *data);

/* Whether two colliders may touch by the filters (explicit pairs are not asked here: they
 * always may, and never through this path). */
bool limpet_colliders_allowed(const limpet_colliders *colliders, const limpet_model *model, int a,
                              int b);

#endif

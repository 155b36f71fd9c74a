/* collide/collide.h: which geoms may touch, and their contact points.
 *
 *   broad phase    boxes grown by how far each body may move; pairs of wider boxes are kept as
 *                  candidates from step to step, after the filters (same rigid unit, parent and
 *                  child, contype/conaffinity, excludes)
 *   narrow phase   shape pairs by table; what is remembered of a pair spares most of them
 * The result is sorted by geom numbers, and depends on the poses alone. */
#ifndef LIMPET_COLLIDE_COLLIDE_H
#define LIMPET_COLLIDE_COLLIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "geometry/pair.h"
#include "limpet/data.h"

typedef struct limpet_collision_pair {
  int geom_a, geom_b;  // a < b
  int pair;            // index of the explicit pair (model->pair_*), or -1
  double margin;       // [m]  sum of the geoms' margins, or the pair's
  double gap;          // [m]  likewise
  double reach;        // [m]  distance beyond margin and gap up to which contact points are wanted
  bool lessened;       // the reach is less than that of both bodies: pair_reach.h
  bool swallowed;      // fields that lie too deep in each other to push
  double surface_error;  // [-]  of force and area, as its contact surface states
  double surface_force;  // [N]  integral of the pressure of that
  int memory;            // of the narrow phase, see candidates.h
  limpet_rest rest;      // what its points rest on, if the narrow phase is certain
} limpet_collision_pair;

// The order of pairs of different geoms: by the first geom, then by the second.
static inline bool limpet_collision_pair_before(const limpet_collision_pair *a,
                                                const limpet_collision_pair *b) {
  return a->geom_a != b->geom_a ? a->geom_a < b->geom_a : a->geom_b < b->geom_b;
}

// Where the force of a contact acts: between the two points, or, where they are far apart
// (fast_pairs.h), at one of them.
typedef enum limpet_acts_on {
  LIMPET_ACTS_BETWEEN,
  LIMPET_ACTS_ON_A,
  LIMPET_ACTS_ON_B
} limpet_acts_on;

// Whether adhesion reaches a contact: contact/adhesion.h.
typedef enum limpet_pull_reach {
  LIMPET_PULL_BY_DISTANCE,  // as it is
  LIMPET_PULL_HELD,         // it did in the step whose derivatives are taken
  LIMPET_PULL_OUT           // it did not
} limpet_pull_reach;

typedef struct limpet_collision_contact {
  int pair;                             // index into limpet_collision.pair
  const struct limpet_soft_link *link;  // vertices of deformable bodies: soft.h; NULL: none
  limpet_contact_point point;           // A is geom_a
  limpet_acts_on acts_on;
  limpet_pull_reach pull_reach;
  bool passes;  // seen to pass within the step: it acts, whatever the speeds of the start say
  // its distance is what leads to the gap that was seen where an attempt of the step ended: where
  // bodies turn, none of the surfaces
  bool of_end;
  uint32_t course;  // of a swept point: which decisions its search took; fast_pairs.h
  // of a point of a contact surface: pressure.h; area 0: a point of two shapes
  double area;            // [m^2]
  double pressure;        // [Pa]  negative before touch
  double gradient;        // [Pa/m]  along the normal, of both fields
  double shear_gradient;  // [Pa/m]  that counts for shear: pressure.h
} limpet_collision_contact;

// How pairs of geoms with pressure fields touch.
typedef enum limpet_surface_kind {
  LIMPET_SURFACE_NONE,      // at points, as others do
  LIMPET_SURFACE_EXACT,     // by a contact surface whose sums are its integrals
  LIMPET_SURFACE_CENTROIDS  // by one point for each of its polygons
} limpet_surface_kind;

typedef struct limpet_collision {
  int pair_count, contact_count;
  // (pair_count)  what the broad phase let through, by (geom_a, geom_b)
  limpet_collision_pair *pair;
  limpet_surface_kind surfaces;  // set by the caller between the two phases
  int swallowed_count;           // pairs of which that is true
  bool swept;                    // some points are not those of the narrow phase: fast_pairs.h
  double sweep_slack;            // [m]  of that search
  bool ordered;                  // contacts come in the order of a problem's islands, not by pair
  limpet_collision_contact *contact;  // (contact_count)  by pair, then as the manifold has them
} limpet_collision;

// The pair that a contact is one of.
static inline const limpet_collision_pair *limpet_collision_pair_of(
    const limpet_collision *collision, int contact) {
  return &collision->pair[collision->contact[contact].pair];
}

// Contacts of the pair of contact `first` end before the returned one.
static inline int limpet_collision_pair_end(const limpet_collision *collision, int first) {
  const limpet_collision_contact *contact = collision->contact;
  int end = first + 1;
  while (end < collision->contact_count && contact[end].pair == contact[first].pair) ++end;
  return end;
}

// Motions of a step beside that at its start: free motion, and as bodies were thrown.
enum { LIMPET_REACH_MOTIONS = 2 };

/* How far geoms are looked for beyond their margins. What the bodies of a tree have in
 * common counts only towards other trees. With twists, pairs are asked for as far as both approach
 * each other: pair_reach.h. */
typedef struct limpet_reach {
  const double *body;   // (body_count)  [m]  the same for all bodies that cannot move
  const double *tree;   // (tree_count)  [m]
  const double *twist;  // (body_count x 6)  about the origins of trees, W; NULL: not known
  const double *added[LIMPET_REACH_MOTIONS];  // (body_count x 6)  NULL: there is no such motion
  double ahead;                               // [s]  ways are speeds times that
  double least;                               // [m]  reach of what does not move
} limpet_reach;

// Reach of two bodies: what both have together.
static inline double limpet_reach_of_bodies(const limpet_model *model, const limpet_reach *reach,
                                            int a, int b) {
  const int tree_a = model->body_tree[a], tree_b = model->body_tree[b];
  double sum = reach->body[a] + reach->body[b];
  if (tree_a != tree_b)
    sum += (tree_a >= 0 ? reach->tree[tree_a] : 0.0) + (tree_b >= 0 ? reach->tree[tree_b] : 0.0);
  return sum;
}

/* Pairs whose distance may be below margin + gap + reach of A + reach of B. After
 * limpet_geom_kinematics. Memory from `arena`. Status: LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_broad_phase(const limpet_model *model, limpet_data *data,
                                 const limpet_reach *reach, limpet_arena *arena,
                                 limpet_collision *collision);
/* Contact points with distance < margin + gap + reach of the pair, or <= 0 where that sum is 0.
 * reach: lessens that of pairs by their relative motion; NULL: it stays.
 * known: what was found in the same poses with another reach; pairs whose reach is the same now are
 * not asked again. NULL: nothing. */
limpet_status limpet_narrow_phase(const limpet_model *model, limpet_data *data, bool single,
                                  const limpet_reach *reach, const limpet_collision *known,
                                  limpet_arena *arena, limpet_collision *collision);

#endif

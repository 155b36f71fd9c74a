/* geometry/cloud_tree.h: the points of a cloud in an order in which neighbours lie together, with a
 * ball around every group. */
#ifndef LIMPET_GEOMETRY_CLOUD_TREE_H
#define LIMPET_GEOMETRY_CLOUD_TREE_H

#include "geometry/distance_table.h"

enum {
  LIMPET_CLOUD_LEAF = 32,   // points
  LIMPET_CLOUD_FAN = 8,     // leaves in a group, groups in a larger one
  LIMPET_CLOUD_LEVELS = 12  // 32 * 8^11 points: more than an int counts
};

// Balls of one level; group g holds groups LIMPET_CLOUD_FAN g ... of the level below, or points
// LIMPET_CLOUD_LEAF g ...
typedef struct limpet_cloud_level {
  int count;
  double *x, *y, *z;  // (count up to a multiple of LIMPET_CLOUD_FAN)  [m]  centres
  double *radius;     // likewise  [m]
} limpet_cloud_level;

struct limpet_cloud_tree {
  int place_count;    // a multiple of LIMPET_CLOUD_LEAF
  double *x, *y, *z;  // (place_count)  [m]  points in the order of the tree, the last one repeated
  int *point;         // (place_count)  number of the point in the cloud, -1 where it is repeated
  int level_count;
  limpet_cloud_level level[LIMPET_CLOUD_LEVELS];  // leaves first
  double extent;  // [m]  largest distance of a point from the origin
};

// NULL: no memory. The order depends on where the points are, not on their numbers, except of
// points in the same place.
limpet_cloud_tree *limpet_cloud_tree_create(const double *points, int count);
void limpet_cloud_tree_destroy(limpet_cloud_tree *tree);

typedef struct limpet_cloud_hit {
  double distance;  // [m]  of the point, without its radius
  int place;        // in the tree
  double rank;      // what the hits are ordered by, then
  uint32_t tie;     // this
} limpet_cloud_hit;

typedef struct limpet_cloud_query {
  int capacity;  // how many hits there is room for, > 0
  int wanted;    // how many are wanted, 1 to capacity: those beyond that are as near as the last of
                 // these, or of no use
  double reach;  // [m]  points farther than this are not
  double origin;   // [m]  with a quantum: where the bins begin, at most the least distance
  double quantum;  // [m]  0: nearest first, ties by number. Else all points of a bin of distances
                   // are as near, and of those
                   //      that are too many some are taken that lie spread over the cloud
} limpet_cloud_query;

/* The nearest points, nearest first; their number. `view`: the shape as seen from the cloud. By
 * branch and bound: phi is Lipschitz, so no point of a ball is nearer than phi(centre) - radius.
 * `all`: by the distances of all points instead; the result is the same. */
int limpet_cloud_search(limpet_cloud_hit *hit, const limpet_cloud_tree *tree,
                        const limpet_distance_view *view, const limpet_cloud_query *query,
                        bool all);

// Groups of a level that have one parent, of which `first` is the first.
static inline int limpet_cloud_group_count(const limpet_cloud_level *level, int first) {
  const int left = level->count - first;
  return left < LIMPET_CLOUD_FAN ? left : LIMPET_CLOUD_FAN;
}

// Numbers of the groups in the order of a visit: by bound, of equal ones the lowest first.
static inline void limpet_cloud_order(int order[LIMPET_CLOUD_FAN],
                                      const double bound[LIMPET_CLOUD_FAN], int count) {
  for (int i = 0; i < count; ++i) {
    int at = i;
    for (; at > 0 && bound[order[at - 1]] > bound[i]; --at) order[at] = order[at - 1];
    order[at] = i;
  }
}

#endif

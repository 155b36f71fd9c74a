/* collide/box_tree.h: a binary tree of boxes that grow, shrink and move one at a time.
 *
 * Leaves are colliders; an inner node holds the box around its two children. A query visits the
 * nodes whose boxes meet a given one: about log n of them and the answers, wherever things lie in
 * space, so the tests of a step grow with what moved. */
#ifndef LIMPET_COLLIDE_BOX_TREE_H
#define LIMPET_COLLIDE_BOX_TREE_H

#include <math.h>
#include <stdbool.h>

// Low corner, 0, high corner, 0  [m]  W: two registers of four.
typedef struct limpet_box {
  float low[4], high[4];
} limpet_box;

typedef struct limpet_box_node {
  limpet_box box;
  int parent;    // -1: the root
  int child[2];  // of a leaf: -1 and its collider
} limpet_box_node;

typedef struct limpet_box_tree {
  int root;               // -1: empty
  int count;              // leaves
  int moves;              // since it was built
  limpet_box_node *node;  // (2 room)  the leaf of collider c is node c, inner nodes follow
  int room;               // colliders
  int *spare;             // (room)  numbers of inner nodes that are not in use
  int spare_count;
} limpet_box_tree;

#if defined(__SSE2__)
#include <emmintrin.h>
static inline bool limpet_boxes_meet(const limpet_box *a, const limpet_box *b) {
  const __m128 x = _mm_cmple_ps(_mm_loadu_ps(a->low), _mm_loadu_ps(b->high)),
               y = _mm_cmple_ps(_mm_loadu_ps(b->low), _mm_loadu_ps(a->high));
  return _mm_movemask_ps(_mm_and_ps(x, y)) == 15;
}
// Whether b lies within a.
static inline bool limpet_box_holds(const limpet_box *a, const limpet_box *b) {
  const __m128 x = _mm_cmple_ps(_mm_loadu_ps(a->low), _mm_loadu_ps(b->low)),
               y = _mm_cmple_ps(_mm_loadu_ps(b->high), _mm_loadu_ps(a->high));
  return _mm_movemask_ps(_mm_and_ps(x, y)) == 15;
}
// The largest over the axes of how far two boxes are apart [m], with `share` of their coordinates
// added.
static inline double limpet_boxes_distance(const limpet_box *a, const limpet_box *b, float share) {
  const __m128 al = _mm_loadu_ps(a->low), ah = _mm_loadu_ps(a->high), bl = _mm_loadu_ps(b->low),
               bh = _mm_loadu_ps(b->high), sign = _mm_set1_ps(-0.0f);
  const __m128 size = _mm_add_ps(_mm_add_ps(_mm_andnot_ps(sign, al), _mm_andnot_ps(sign, ah)),
                                 _mm_add_ps(_mm_andnot_ps(sign, bl), _mm_andnot_ps(sign, bh)));
  const __m128 gap = _mm_add_ps(_mm_max_ps(_mm_sub_ps(bl, ah), _mm_sub_ps(al, bh)),
                                _mm_mul_ps(_mm_set1_ps(share), size));
  const __m128 y = _mm_shuffle_ps(gap, gap, 1), z = _mm_shuffle_ps(gap, gap, 2);
  return (double)_mm_cvtss_f32(_mm_max_ss(gap, _mm_max_ss(y, z)));
}
#else
static inline bool limpet_boxes_meet(const limpet_box *a, const limpet_box *b) {
  bool meet = true;
  for (int i = 0; i < 3; ++i) meet &= a->low[i] <= b->high[i] && b->low[i] <= a->high[i];
  return meet;
}
static inline bool limpet_box_holds(const limpet_box *a, const limpet_box *b) {
  bool holds = true;
  for (int i = 0; i < 3; ++i) holds &= a->low[i] <= b->low[i] && b->high[i] <= a->high[i];
  return holds;
}
static inline double limpet_boxes_distance(const limpet_box *a, const limpet_box *b, float share) {
  double most = -INFINITY;
  for (int i = 0; i < 3; ++i) {
    const double size = fabs(a->low[i]) + fabs(a->high[i]) + fabs(b->low[i]) + fabs(b->high[i]);
    const double ab = b->low[i] - a->high[i], ba = a->low[i] - b->high[i];
    const double gap = (ab > ba ? ab : ba) + (double)share * size;
    if (gap > most) most = gap;
  }
  return most;
}
#endif

// By how much two boxes are apart on some axis, and meet on all of them [m], less what rounding may
// take; negative: it is not certain.
static inline double limpet_boxes_gap(const limpet_box *a, const limpet_box *b) {
  return limpet_boxes_distance(a, b, -2e-6f);
}
static inline double limpet_boxes_overlap(const limpet_box *a, const limpet_box *b) {
  return -limpet_boxes_distance(a, b, 2e-6f);
}

/* Builds the tree of the colliders `leaf`, whose boxes are box[leaf]; `leaf` is reordered. Halves
 * them along the widest axis, so the tree is balanced. Cost: n log n. */
void limpet_box_tree_build(limpet_box_tree *tree, const limpet_box *box, int *leaf, int count);

// A leaf of the tree has another box. Cost: log n.
void limpet_box_tree_move(limpet_box_tree *tree, int leaf, const limpet_box *box);

/* Colliders whose boxes meet `box`, up to `room` of them, into `found`. `stack` has room for as
 * many numbers as the tree has nodes. Returns how many there are, and adds to *tests the boxes
 * that were looked at. */
int limpet_box_tree_query(const limpet_box_tree *tree, const limpet_box *box, int *stack,
                          int *found, int room, long *tests);

#endif

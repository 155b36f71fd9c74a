/* geometry/item_tree.h: a tree of boxes over numbered items that do not move: cells and faces of
 * pressure fields, faces that rays meet. One item to a leaf. */
#ifndef LIMPET_GEOMETRY_ITEM_TREE_H
#define LIMPET_GEOMETRY_ITEM_TREE_H

#include "limpet/base.h"
#include "limpet/geometry.h"

// Inner node: its first child follows it, `next` is the second. Leaf: item >= 0.
typedef struct limpet_item_node {
  double centre[3], half[3];  // [m]  box
  float least, most;          // [Pa]  of a field: pressures of the tetrahedra in it, rounded
                              // outwards; others leave them alone
  int next, item;
} limpet_item_node;

struct limpet_item_tree {
  int count;
  double radius;           // [m]  of a ball about the centre of the first box that holds all
  limpet_item_node *node;  // (count)  depth first
};

enum { LIMPET_ITEM_TREE_DEPTH = 64 };  // more than any number of items needs

// Boxes (count x 6: low, high) to a tree. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_item_tree_build(limpet_item_tree *tree, const double *box, int count);
// A tree that was allocated, and its nodes.
void limpet_item_tree_destroy(limpet_item_tree *tree);

#endif

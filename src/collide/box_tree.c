/* collide/box_tree.c: see box_tree.h. A leaf that moved is taken out and put where it makes the
 * boxes on its way grow least; after as many moves as there are leaves the caller builds anew.
 * Reference: Bittner, Hapala, Havran, Fast insertion-based optimization of bounding volume
 * hierarchies (2013), for the measure; Ericson, Real-Time Collision Detection (2005), 6.2. */
#include "collide/box_tree.h"

#include <assert.h>

static void box_union(limpet_box *to, const limpet_box *a, const limpet_box *b) {
  for (int i = 0; i < 4; ++i) {
    to->low[i] = a->low[i] < b->low[i] ? a->low[i] : b->low[i];
    to->high[i] = a->high[i] > b->high[i] ? a->high[i] : b->high[i];
  }
}

// Half of the surface: what the chance of being visited is proportional to.
static float surface(const limpet_box *box) {
  const float x = box->high[0] - box->low[0], y = box->high[1] - box->low[1],
              z = box->high[2] - box->low[2];
  return x * y + y * z + z * x;
}

// ------------------------------------------------------------------------------------- building

static float centre(const limpet_box *box, int axis) { return box->low[axis] + box->high[axis]; }

static int widest_axis(const limpet_box *box, const int *leaf, int count) {
  int best = 0;
  float most = -1.0f;
  for (int axis = 0; axis < 3; ++axis) {
    float low = centre(&box[leaf[0]], axis), high = low;
    for (int k = 1; k < count; ++k) {
      const float x = centre(&box[leaf[k]], axis);
      low = x < low ? x : low, high = x > high ? x : high;
    }
    if (high - low > most) most = high - low, best = axis;
  }
  return best;
}

// Puts the lower half along the axis into the first half of the places (Hoare's selection).
static void halve(const limpet_box *box, int *leaf, int count, int axis) {
  int first = 0, last = count - 1;
  const int middle = count / 2;
  while (first < last) {
    const float pivot = centre(&box[leaf[(first + last) / 2]], axis);
    int i = first, j = last;
    while (i <= j) {
      while (centre(&box[leaf[i]], axis) < pivot) ++i;
      while (centre(&box[leaf[j]], axis) > pivot) --j;
      if (i > j) break;
      const int swap = leaf[i];
      leaf[i++] = leaf[j], leaf[j--] = swap;
    }
    if (middle <= j) last = j;
    else if (middle >= i) first = i;
    else return;
  }
}

static int node_take(limpet_box_tree *tree) {
  assert(tree->spare_count > 0);
  return tree->spare[--tree->spare_count];
}

static int build(limpet_box_tree *tree, const limpet_box *box, int *leaf, int count, int parent) {
  if (count == 1) {
    limpet_box_node *node = &tree->node[leaf[0]];
    *node = (limpet_box_node){.box = box[leaf[0]], .parent = parent, .child = {-1, leaf[0]}};
    return leaf[0];
  }
  const int n = node_take(tree), half = count / 2;
  halve(box, leaf, count, widest_axis(box, leaf, count));
  limpet_box_node *node = &tree->node[n];
  node->parent = parent;
  node->child[0] = build(tree, box, leaf, half, n);
  node->child[1] = build(tree, box, leaf + half, count - half, n);
  box_union(&node->box, &tree->node[node->child[0]].box, &tree->node[node->child[1]].box);
  return n;
}

void limpet_box_tree_build(limpet_box_tree *tree, const limpet_box *box, int *leaf, int count) {
  assert(tree && count >= 0 && count <= tree->room);
  tree->spare_count = 0;
  for (int n = 2 * tree->room - 1; n >= tree->room; --n) tree->spare[tree->spare_count++] = n;
  tree->count = count;
  tree->moves = 0;
  tree->root = count ? build(tree, box, leaf, count, -1) : -1;
}

// --------------------------------------------------------------------------------------- moving

static void refit_up(limpet_box_tree *tree, int n) {
  for (; n >= 0; n = tree->node[n].parent) {
    limpet_box_node *node = &tree->node[n];
    box_union(&node->box, &tree->node[node->child[0]].box, &tree->node[node->child[1]].box);
  }
}

// Puts `with` in the place of `node` below its parent.
static void replace(limpet_box_tree *tree, int node, int with) {
  const int parent = tree->node[node].parent;
  tree->node[with].parent = parent;
  if (parent < 0) tree->root = with;
  else tree->node[parent].child[tree->node[parent].child[1] == node] = with;
}

static void leaf_remove(limpet_box_tree *tree, int leaf) {
  const int parent = tree->node[leaf].parent;
  const int *child = tree->node[parent].child;
  const int sibling = child[child[0] == leaf];
  replace(tree, parent, sibling);
  tree->spare[tree->spare_count++] = parent;
  refit_up(tree, tree->node[sibling].parent);
}

// The leaf beside which the box makes the boxes on the way grow least.
static int place_of(const limpet_box_tree *tree, const limpet_box *box) {
  int n = tree->root;
  while (tree->node[n].child[0] >= 0) {
    float growth[2];
    for (int side = 0; side < 2; ++side) {
      limpet_box both;
      const limpet_box *other = &tree->node[tree->node[n].child[side]].box;
      box_union(&both, other, box);
      growth[side] = surface(&both) - surface(other);
    }
    n = tree->node[n].child[growth[1] < growth[0]];
  }
  return n;
}

void limpet_box_tree_move(limpet_box_tree *tree, int leaf, const limpet_box *box) {
  assert(tree->count > 0 && tree->node[leaf].child[1] == leaf);
  ++tree->moves;
  limpet_box_node *node = &tree->node[leaf];
  if (tree->count == 1) {
    node->box = *box;
    return;
  }
  leaf_remove(tree, leaf);
  node->box = *box;
  const int beside = place_of(tree, box), n = node_take(tree);
  replace(tree, beside, n);
  tree->node[n].child[0] = beside, tree->node[n].child[1] = leaf;
  tree->node[beside].parent = node->parent = n;
  refit_up(tree, n);
}

// -------------------------------------------------------------------------------------- queries

int limpet_box_tree_query(const limpet_box_tree *tree, const limpet_box *box, int *stack,
                          int *found, int room, long *tests) {
  int depth = 0, count = 0;
  if (tree->root >= 0) stack[depth++] = tree->root;
  while (depth > 0) {
    const limpet_box_node *node = &tree->node[stack[--depth]];
    ++*tests;
    if (!limpet_boxes_meet(&node->box, box)) continue;
    if (node->child[0] < 0) {
      if (count < room) found[count] = node->child[1];
      ++count;
    } else {
      stack[depth++] = node->child[1];
      stack[depth++] = node->child[0];
    }
  }
  return count;
}

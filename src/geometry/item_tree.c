/* geometry/item_tree.c: see item_tree.h.
 *
 * Each node halves its items at the median of their centres along the longest side of the box of
 * the centres; equal centres keep the order of the items, so the tree depends on the boxes alone.
 * Cost: some three comparisons an item for each level (C. A. R. Hoare, Algorithm 65: find, CACM
 * 4(7), 1961). */
#include "geometry/item_tree.h"

#include <math.h>
#include <stdlib.h>

typedef struct tree_item {
  double key;  // [m]  twice the centre along the axis of the split
  int item;
} tree_item;

typedef struct tree_builder {
  const double *box;  // (count x 6)
  tree_item *item;
  limpet_item_tree *tree;
} tree_builder;

static bool comes_before(const tree_item *x, const tree_item *y) {
  return x->key != y->key ? x->key < y->key : x->item < y->item;
}

static void swap_items(tree_item *a, tree_item *b) {
  const tree_item kept = *a;
  *a = *b, *b = kept;
}

// Puts the `middle` smallest items first; the order within the halves is of no matter.
static void part_at(tree_item *item, int count, int middle) {
  for (int low = 0, high = count - 1; low < high;) {
    // the middle one of three as pivot
    const int half = low + (high - low) / 2;
    if (comes_before(&item[half], &item[low])) swap_items(&item[half], &item[low]);
    if (comes_before(&item[high], &item[low])) swap_items(&item[high], &item[low]);
    if (comes_before(&item[high], &item[half])) swap_items(&item[high], &item[half]);
    const tree_item pivot = item[half];
    int i = low, j = high;
    while (i <= j) {
      while (comes_before(&item[i], &pivot)) ++i;
      while (comes_before(&pivot, &item[j])) --j;
      if (i <= j) swap_items(&item[i++], &item[j--]);
    }
    if (middle <= j) high = j;
    else if (middle >= i) low = i;
    else return;
  }
}

static double twice_centre(const tree_builder *builder, int k, int axis) {
  const double *box = builder->box + 6 * builder->item[k].item;
  return box[axis] + box[3 + axis];
}

static int longest_axis(const tree_builder *builder, int begin, int end) {
  int best = 0;
  double length = -1.0;
  for (int axis = 0; axis < 3; ++axis) {
    double low = INFINITY, high = -INFINITY;
    for (int k = begin; k < end; ++k) {
      const double c = twice_centre(builder, k, axis);
      low = c < low ? c : low, high = c > high ? c : high;
    }
    if (high - low > length) length = high - low, best = axis;
  }
  return best;
}

static void fill_box(const tree_builder *builder, limpet_item_node *node, int begin, int end) {
  for (int axis = 0; axis < 3; ++axis) {
    double low = INFINITY, high = -INFINITY;
    for (int k = begin; k < end; ++k) {
      const double *box = builder->box + 6 * builder->item[k].item;
      low = box[axis] < low ? box[axis] : low;
      high = box[3 + axis] > high ? box[3 + axis] : high;
    }
    node->centre[axis] = 0.5 * (low + high), node->half[axis] = 0.5 * (high - low);
  }
}

static void split(tree_builder *builder, int begin, int end) {
  limpet_item_node *node = &builder->tree->node[builder->tree->count++];
  fill_box(builder, node, begin, end);
  node->item = builder->item[begin].item, node->next = -1;
  if (end - begin == 1) return;
  const int axis = longest_axis(builder, begin, end), middle = begin + (end - begin) / 2;
  for (int k = begin; k < end; ++k) builder->item[k].key = twice_centre(builder, k, axis);
  part_at(builder->item + begin, end - begin, middle - begin);
  node->item = -1;
  split(builder, begin, middle);
  node->next = builder->tree->count;
  split(builder, middle, end);
}

limpet_status limpet_item_tree_build(limpet_item_tree *tree, const double *box, int count) {
  *tree = (limpet_item_tree){0};
  if (count == 0) return LIMPET_OK;
  tree->node = malloc((size_t)(2 * count - 1) * sizeof *tree->node);
  tree_item *item = malloc((size_t)count * sizeof *item);
  if (tree->node && item) {
    for (int k = 0; k < count; ++k) item[k] = (tree_item){0.0, k};
    split(&(tree_builder){box, item, tree}, 0, count);
  }
  free(item);
  return tree->count ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

void limpet_item_tree_destroy(limpet_item_tree *tree) {
  if (!tree) return;
  free(tree->node);
  free(tree);
}

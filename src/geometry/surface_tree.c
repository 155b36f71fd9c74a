/* geometry/surface_tree.c: a tree of boxes over the faces of a surface.
 *
 * Each node halves its faces at the median of their centres along the longest side of the box of
 * the centres; equal centres keep the order of the faces. So the tree depends on nothing but the
 * mesh and is log2(faces) deep. Nodes lie depth first: the first child follows its parent. Cost:
 * faces * log2(faces) comparisons for each level. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/surface.h"
#include "math/vec3.h"

typedef struct leaf_face {
  double centre[3];  // [m]  sum of the corners
  double key;        // [m]  centre along the axis of the split
  int face;          // number in the mesh
} leaf_face;

typedef struct tree_builder {
  const limpet_surface *surface;
  leaf_face *item;  // (face_count)
  limpet_surface_node *node;
  int node_count;
} tree_builder;

static int key_compare(const void *a, const void *b) {
  const leaf_face *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return (x->face > y->face) - (x->face < y->face);
}

static void box_of_faces(const tree_builder *builder, limpet_surface_node *node, int begin,
                         int end) {
  const limpet_surface *s = builder->surface;
  for (int i = 0; i < 3; ++i) node->low[i] = INFINITY, node->high[i] = -INFINITY;
  for (int f = begin; f < end; ++f)
    for (int k = 0; k < 3; ++k) {
      const double *v = s->vertices + 3 * s->faces[3 * builder->item[f].face + k];
      for (int i = 0; i < 3; ++i)
        node->low[i] = fmin(node->low[i], v[i]), node->high[i] = fmax(node->high[i], v[i]);
    }
}

static int longest_axis(const tree_builder *builder, int begin, int end) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int f = begin; f < end; ++f)
    for (int i = 0; i < 3; ++i) {
      low[i] = fmin(low[i], builder->item[f].centre[i]);
      high[i] = fmax(high[i], builder->item[f].centre[i]);
    }
  int axis = 0;
  for (int i = 1; i < 3; ++i)
    if (high[i] - low[i] > high[axis] - low[axis]) axis = i;
  return axis;
}

static void split(tree_builder *builder, int begin, int end) {
  limpet_surface_node *node = &builder->node[builder->node_count++];
  box_of_faces(builder, node, begin, end);
  node->next = begin, node->count = end - begin;
  if (end - begin <= LIMPET_SURFACE_LEAF) return;
  const int axis = longest_axis(builder, begin, end), middle = begin + (end - begin) / 2;
  for (int f = begin; f < end; ++f) builder->item[f].key = builder->item[f].centre[axis];
  qsort(builder->item + begin, (size_t)(end - begin), sizeof *builder->item, key_compare);
  node->count = 0;
  split(builder, begin, middle);
  node->next = builder->node_count;
  split(builder, middle, end);
}

// What belongs to each face, `width` bytes of it, in the new order.
static void permute(void *values, void *spare, size_t width, const tree_builder *builder) {
  const size_t count = (size_t)builder->surface->face_count;
  for (size_t f = 0; f < count; ++f)
    memcpy((char *)spare + width * f, (const char *)values + width * (size_t)builder->item[f].face,
           width);
  memcpy(values, spare, width * count);
}

limpet_status limpet_surface_tree_build(limpet_surface *s) {
  tree_builder builder = {.surface = s, .node = s->node};
  builder.item = malloc((size_t)s->face_count * sizeof *builder.item);
  void *spare = malloc((size_t)s->face_count * 9 * sizeof(double));
  if (builder.item && spare) {
    for (int f = 0; f < s->face_count; ++f) {
      leaf_face *item = &builder.item[f];
      *item = (leaf_face){.face = f};
      for (int k = 0; k < 3; ++k)
        limpet_vec3_add(item->centre, item->centre, s->vertices + 3 * s->faces[3 * f + k]);
    }
    split(&builder, 0, s->face_count);
    s->node_count = builder.node_count;
    permute(s->faces, spare, 3 * sizeof(int), &builder);
    permute(s->face_normal, spare, 3 * sizeof(double), &builder);
    permute(s->edge_normal, spare, 9 * sizeof(double), &builder);
    permute(s->doubt, spare, 1, &builder);
  }
  const bool built = builder.item && spare;
  free(builder.item), free(spare);
  return built ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

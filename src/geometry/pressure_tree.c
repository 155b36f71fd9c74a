/* geometry/pressure_tree.c: the tree of boxes over the cells or faces of a pressure field. */
#include <math.h>
#include <stdlib.h>

#include "geometry/pressure.h"
#include "math/vec3.h"

static void face_box(const limpet_pressure_field *field, int face, double box[6]) {
  for (int i = 0; i < 3; ++i) box[i] = INFINITY, box[3 + i] = -INFINITY;
  for (int c = field->face_begin[face]; c < field->face_begin[face + 1]; ++c)
    for (int i = 0; i < 3; ++i) {
      box[i] = fmin(box[i], field->corner[3 * c + i]);
      box[3 + i] = fmax(box[3 + i], field->corner[3 * c + i]);
    }
}

// Least and largest pressure of a tetrahedron; of other cells, which go on outside, and faces: any.
static void cell_range(const limpet_pressure_field *field, int cell, limpet_item_node *node) {
  node->least = -INFINITY, node->most = INFINITY;
  if (!field->tetrahedra) return;
  double low = INFINITY, high = -INFINITY;
  for (int k = 0; k < 4; ++k) {
    const double p = field->pressure[field->tetrahedra[4 * cell + k]];
    low = fmin(low, p), high = fmax(high, p);
  }
  node->least = nextafterf((float)low, -INFINITY), node->most = nextafterf((float)high, INFINITY);
}

// Children come after their node, so that the last nodes go first.
static void fill_ranges(limpet_pressure_field *field) {
  for (int k = field->tree.count - 1; k >= 0; --k) {
    limpet_item_node *node = &field->tree.node[k];
    if (node->item >= 0) {
      cell_range(field, node->item, node);
    } else {
      const limpet_item_node *left = node + 1, *right = &field->tree.node[node->next];
      node->least = fminf(left->least, right->least);
      node->most = fmaxf(left->most, right->most);
    }
  }
}

static double farthest(const double centre[3], const double *points, int count) {
  double most = 0.0;
  for (int k = 0; k < count; ++k) most = fmax(most, limpet_vec3_distance(centre, points + 3 * k));
  return most;
}

static double radius_of(const limpet_pressure_field *field) {
  const limpet_item_node *whole = &field->tree.node[0];
  if (field->rigid) return farthest(whole->centre, field->corner, field->corner_count);
  if (field->tetrahedra) return farthest(whole->centre, field->vertices, field->vertex_count);
  return limpet_vec3_norm(whole->half);
}

limpet_status limpet_pressure_field_tree(limpet_pressure_field *field) {
  const int count = field->rigid ? field->face_count : field->cell_count;
  double *box = malloc(((size_t)count * 6 + 1) * sizeof *box);
  if (!box) return LIMPET_ERROR_MEMORY;
  for (int k = 0; k < count; ++k) {
    if (field->rigid) {
      face_box(field, k, box + 6 * k);
    } else {
      limpet_vec3_copy(box + 6 * k, field->cell[k].low);
      limpet_vec3_copy(box + 6 * k + 3, field->cell[k].high);
    }
  }
  const limpet_status status = limpet_item_tree_build(&field->tree, box, count);
  free(box);
  if (status == LIMPET_OK) fill_ranges(field);
  if (field->tree.count > 0) field->tree.radius = radius_of(field);
  return status;
}

/* geometry/pressure_locate.c: the tetrahedron of a field that holds a point, by the tree of boxes.
 *
 * A point on a face belongs to both sides; the lowest number wins. Cost: some boxes for each level
 * of the tree, none where the hint is right. */
#include <math.h>

#include "geometry/pressure.h"
#include "math/vec3.h"

static bool cell_holds(const limpet_pressure_field *field, int t, const double x[3]) {
  static const double slack = 1e-12;  // [-]  of a share: points on faces belong to both sides
  for (int k = 0; k < 4; ++k) {
    const double *plane = field->plane + 16 * t + 4 * k;
    if (limpet_vec3_dot(plane, x) + plane[3] < -slack) return false;
  }
  return true;
}

int limpet_pressure_locate(const limpet_pressure_field *field, const double x[3], int hint) {
  if (hint >= 0 && cell_holds(field, hint, x)) return hint;
  int stack[LIMPET_ITEM_TREE_DEPTH], depth = 0, best = -1;
  stack[depth++] = 0;
  while (depth > 0) {
    const int k = stack[--depth];
    const limpet_item_node *node = &field->tree.node[k];
    bool within = true;
    for (int i = 0; i < 3; ++i) within &= fabs(x[i] - node->centre[i]) <= node->half[i];
    if (!within) continue;
    if (node->item >= 0) {
      if ((best < 0 || node->item < best) && cell_holds(field, node->item, x)) best = node->item;
    } else {
      stack[depth++] = node->next, stack[depth++] = k + 1;
    }
  }
  return best;
}

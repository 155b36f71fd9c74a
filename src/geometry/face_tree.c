/* geometry/face_tree.c: the tree of boxes over the faces of a mesh that rays look at; of a height
 * field over its walls and its base alone, since rays go over the cells themselves. */
#include <assert.h>
#include <stdlib.h>

#include "geometry/ray_mesh.h"

limpet_item_tree *limpet_mesh_face_tree_create(const limpet_mesh *mesh) {
  assert(mesh && mesh->face_count > 0);
  const limpet_height_field *field = mesh->heights;
  const int first = field ? 2 * (field->rows - 1) * (field->columns - 1) : 0,
            count = mesh->face_count - first;
  double *box = malloc((size_t)count * 6 * sizeof *box);
  limpet_item_tree *tree = calloc(1, sizeof *tree);
  bool built = false;
  if (box && tree) {
    for (int f = 0; f < count; ++f) limpet_mesh_face_box(mesh, first + f, box + 6 * f);
    built = limpet_item_tree_build(tree, box, count) == LIMPET_OK;
  }
  free(box);
  if (!built) {
    limpet_item_tree_destroy(tree);
    return NULL;
  }
  for (int k = 0; k < tree->count; ++k)
    if (tree->node[k].item >= 0) tree->node[k].item += first;
  return tree;
}

/* geometry/ray_mesh.c: rays against the triangles of a mesh, by a walk through boxes that gives the
 * hit that all faces would give, to the bit (see ray_face.c).
 *
 * Boxes have the axes of the mesh, and those of a height field the axes of the field: its cells are
 * such boxes, and a ray goes over them; walls and base have a tree.
 *
 * Cost: all faces without a tree; with one about log2(faces) boxes and a few triangles; of a height
 * field the cells on the way from the highest to the lowest height. */
#include "geometry/ray_mesh.h"

#include <assert.h>

// Slower than this along an axis [1/m], a ray stands still there.
static const double still = 1e-150;

static bool of_use(const limpet_mesh_walk *ray, limpet_interval box) {
  return box.begin <= box.end && box.end >= 0.0 && box.begin <= ray->nearest;
}

// The nearer of two children first; the other waits with the range at which its box begins.
static void tree_visit(limpet_mesh_walk *ray, const limpet_item_node *nodes) {
  struct {
    int node;
    double begin;
  } waiting[LIMPET_ITEM_TREE_DEPTH];
  int depth = 0;
  for (int k = 0;;) {
    const limpet_item_node *node = &nodes[k];
    int next = -1;
    if (node->item >= 0) {
      limpet_mesh_face_visit(ray, node->item);
    } else {
      const int child[2] = {k + 1, node->next};
      limpet_interval box[2];
      for (int c = 0; c < 2; ++c)
        box[c] = limpet_mesh_ray_box(ray, nodes[child[c]].centre, nodes[child[c]].half,
                                     2.0 * ray->slack);
      const int first = box[1].begin < box[0].begin;
      if (of_use(ray, box[first])) next = child[first];
      if (of_use(ray, box[!first])) {
        assert(depth < LIMPET_ITEM_TREE_DEPTH);
        if (next >= 0) {
          waiting[depth].node = child[!first];
          waiting[depth++].begin = box[!first].begin;
        } else {
          next = child[!first];
        }
      }
    }
    while (next < 0) {
      if (depth == 0) return;
      --depth;
      if (waiting[depth].begin <= ray->nearest) next = waiting[depth].node;
    }
    k = next;
  }
}

// p, d and what follows from them.
static void start(limpet_mesh_walk *ray, const double position[3], const double rotation[9],
                  const double from[3], const double direction[3]) {
  const limpet_mesh *mesh = ray->mesh;
  double extent = 0.0, away = 0.0;
  limpet_ray_into_axes(ray->p, from, position, rotation);
  limpet_mat3_tmul_vec(ray->d, rotation, direction);
  limpet_vec3_copy(ray->q, ray->p);
  limpet_vec3_copy(ray->e, ray->d);
  if (mesh->heights) {
    limpet_ray_into_axes(ray->q, ray->p, mesh->heights->position, mesh->heights->rotation);
    limpet_mat3_tmul_vec(ray->e, mesh->heights->rotation, ray->d);
  }
  for (int i = 0; i < 3; ++i) {
    ray->inverse[i] = fabs(ray->e[i]) > still ? 1.0 / ray->e[i] : 0.0;
    extent = fmax(extent, fabs(mesh->aabb[i]) + mesh->aabb[3 + i]);
    away = fmax(away, fabs(ray->p[i]));
  }
  ray->slack = 1e-9 * extent + 1e-13 * away;
}

double limpet_mesh_ray(const limpet_mesh *mesh, const double position[3], const double rotation[9],
                       const double from[3], const double direction[3], int *face) {
  assert(mesh && position && rotation);
  limpet_mesh_walk ray = {.mesh = mesh, .nearest = INFINITY};
  start(&ray, position, rotation, from, direction);
  if (mesh->face_tree) {
    const limpet_item_node *root = mesh->face_tree->node;
    if (mesh->heights) limpet_mesh_heights_visit(&ray);
    if (of_use(&ray, limpet_mesh_ray_box(&ray, root->centre, root->half, 2.0 * ray.slack)))
      tree_visit(&ray, root);
  } else {
    for (int f = 0; f < mesh->face_count; ++f) limpet_mesh_face_visit(&ray, f);
  }
  if (isinf(ray.nearest)) return -1.0;
  if (face) *face = ray.face;
  return ray.nearest;
}

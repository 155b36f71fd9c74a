/* format/mesh/growth.c: meshes that grow while a file is read; the arrays double when full. */
#include "format/mesh/growth.h"

#include <limits.h>
#include <stdlib.h>

// makes room for one more element of three `size`-byte numbers
static bool grow(void **array, int *room, int count, size_t size) {
  if (count < *room) return true;
  if (*room > INT_MAX / 12) return false;
  const int larger = *room ? 2 * *room : 256;
  void *moved = realloc(*array, (size_t)larger * 3 * size);
  if (!moved) return false;
  *array = moved, *room = larger;
  return true;
}

int limpet_mesh_add_vertex(limpet_mesh_growth *growth, const double vertex[3]) {
  limpet_mesh_file *mesh = growth->mesh;
  void *array = mesh->vertices;
  const bool fits = grow(&array, &growth->vertex_room, mesh->vertex_count, sizeof(double));
  mesh->vertices = array;
  if (!fits) return -1;
  for (int k = 0; k < 3; ++k) mesh->vertices[3 * mesh->vertex_count + k] = vertex[k];
  return mesh->vertex_count++;
}

int limpet_mesh_add_face(limpet_mesh_growth *growth, int a, int b, int c) {
  limpet_mesh_file *mesh = growth->mesh;
  void *array = mesh->faces;
  const bool fits = grow(&array, &growth->face_room, mesh->face_count, sizeof(int));
  mesh->faces = array;
  if (!fits) return -1;
  int *face = mesh->faces + 3 * mesh->face_count;
  face[0] = a, face[1] = b, face[2] = c;
  return mesh->face_count++;
}

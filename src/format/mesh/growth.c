/* format/mesh/growth.c: meshes that grow while a file is read; the arrays double when full. */
#include "format/mesh/growth.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// makes room for one more element of `size` bytes
static bool grow(void **array, int *room, int count, size_t size) {
  if (count < *room) return true;
  if (*room > INT_MAX / 12) return false;
  const int larger = *room ? 2 * *room : 256;
  void *moved = realloc(*array, (size_t)larger * size);
  if (!moved) return false;
  *array = moved, *room = larger;
  return true;
}

int limpet_mesh_add_vertex(limpet_mesh_growth *growth, const double vertex[3]) {
  limpet_mesh_file *mesh = growth->mesh;
  void *array = mesh->vertices;
  const bool fits = grow(&array, &growth->vertex_room, mesh->vertex_count, 3 * sizeof(double));
  mesh->vertices = array;
  if (!fits) return -1;
  for (int k = 0; k < 3; ++k) mesh->vertices[3 * mesh->vertex_count + k] = vertex[k];
  return mesh->vertex_count++;
}

int limpet_mesh_add_face(limpet_mesh_growth *growth, int a, int b, int c) {
  limpet_mesh_file *mesh = growth->mesh;
  void *array = mesh->faces;
  const bool fits = grow(&array, &growth->face_room, mesh->face_count, 3 * sizeof(int));
  mesh->faces = array;
  if (!fits) return -1;
  int *face = mesh->faces + 3 * mesh->face_count;
  face[0] = a, face[1] = b, face[2] = c;
  return mesh->face_count++;
}

int limpet_mesh_add_coordinate(limpet_mesh_growth *growth, const float coordinate[2]) {
  void *array = growth->coordinate;
  const bool fits = grow(&array, &growth->coordinate_room, growth->coordinate_count,
                         2 * sizeof *growth->coordinate);
  growth->coordinate = array;
  if (!fits) return -1;
  memcpy(growth->coordinate + 2 * growth->coordinate_count, coordinate, 2 * sizeof *coordinate);
  return growth->coordinate_count++;
}

bool limpet_mesh_picture_face(limpet_mesh_growth *growth, const int coordinate[3]) {
  limpet_mesh_file *mesh = growth->mesh;
  const int known = growth->corner_room;
  while (growth->corner_room < mesh->face_count) {
    void *array = mesh->texture_coordinates;
    const bool fits = grow(&array, &growth->corner_room, growth->corner_room, 6 * sizeof(float));
    mesh->texture_coordinates = array;
    if (!fits) return false;
  }
  memset(mesh->texture_coordinates + 6 * (size_t)known, 0,
         6 * (size_t)(growth->corner_room - known) * sizeof(float));
  float *corner = mesh->texture_coordinates + 6 * (mesh->face_count - 1);
  for (int k = 0; k < 3; ++k)
    if (coordinate[k] >= 0 && coordinate[k] < growth->coordinate_count)
      memcpy(corner + 2 * k, growth->coordinate + 2 * coordinate[k], 2 * sizeof *corner);
  return true;
}

// A file may stop to name coordinates before its last face.
void limpet_mesh_growth_end(limpet_mesh_growth *growth) {
  limpet_mesh_file *mesh = growth->mesh;
  free(growth->coordinate);
  growth->coordinate = NULL;
  if (!mesh->texture_coordinates || growth->corner_room >= mesh->face_count) return;
  float *longer = realloc(mesh->texture_coordinates, 6 * (size_t)mesh->face_count * sizeof *longer);
  if (!longer) {
    free(mesh->texture_coordinates);
    mesh->texture_coordinates = NULL;  // drawn in one colour
    return;
  }
  memset(longer + 6 * (size_t)growth->corner_room, 0,
         6 * (size_t)(mesh->face_count - growth->corner_room) * sizeof *longer);
  mesh->texture_coordinates = longer;
}

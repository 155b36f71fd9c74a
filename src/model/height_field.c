/* model/height_field.c: a height field as a closed mesh: two triangles for each cell, four walls
 * that are fans from corners of the base, and the base. */
#include "model/height_field.h"

#include <assert.h>
#include <string.h>

typedef struct face_list {
  int *face, count;
} face_list;

static void add_face(face_list *list, int a, int b, int c) {
  int *face = list->face + 3 * list->count++;
  face[0] = a, face[1] = b, face[2] = c;
}

/* A wall: the tops `first`, `first + step`, ..., `last`, with the outside to the right of that way,
 * over the base from corner `from` to corner `to`. */
static void add_wall(face_list *list, int first, int step, int last, int from, int to) {
  for (int i = first; i != last; i += step) add_face(list, i + step, i, from);
  add_face(list, last, from, to);
}

static void fill_vertices(double *vertex, const limpet_mesh_description *mesh) {
  const int rows = mesh->rows, columns = mesh->columns;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c, vertex += 3) {
      vertex[0] = mesh->grid_half[0] * (2.0 * c / (columns - 1) - 1.0);
      vertex[1] = mesh->grid_half[1] * (2.0 * r / (rows - 1) - 1.0);
      vertex[2] = mesh->heights[r * columns + c];
    }
  }
  for (int k = 0; k < 4; ++k, vertex += 3) {  // counter-clockwise from above
    vertex[0] = k == 0 || k == 3 ? -mesh->grid_half[0] : mesh->grid_half[0];
    vertex[1] = k < 2 ? -mesh->grid_half[1] : mesh->grid_half[1];
    vertex[2] = -mesh->grid_base;
  }
}

static void fill_faces(face_list *list, int rows, int columns) {
  const int corner = rows * columns, last = corner - 1;
  for (int r = 0; r + 1 < rows; ++r) {
    for (int c = 0; c + 1 < columns; ++c) {
      const int i = r * columns + c;
      add_face(list, i, i + 1, i + columns + 1);
      add_face(list, i, i + columns + 1, i + columns);
    }
  }
  add_wall(list, 0, 1, columns - 1, corner, corner + 1);
  add_wall(list, columns - 1, columns, last, corner + 1, corner + 2);
  add_wall(list, last, -1, last - columns + 1, corner + 2, corner + 3);
  add_wall(list, last - columns + 1, -columns, 0, corner + 3, corner);
  add_face(list, corner, corner + 2, corner + 1);
  add_face(list, corner, corner + 3, corner + 2);
}

void limpet_height_field_mesh(limpet_mesh_description *mesh, limpet_arena *arena, bool *failed) {
  assert(mesh && arena && failed);
  const int rows = mesh->rows, columns = mesh->columns;
  if (rows < 2 || columns < 2 || columns > (1 << 28) / rows) {
    mesh->heights = NULL;
    return;
  }
  const int tops = rows * columns,
            faces = 2 * (rows - 1) * (columns - 1) + 2 * (rows - 1 + columns - 1) + 4 + 2;
  double *height = LIMPET_TAKE(arena, double, tops),
         *vertex = LIMPET_TAKE(arena, double, 3 * (tops + 4));
  face_list list = {.face = LIMPET_TAKE(arena, int, 3 * faces)};
  if (!height || !vertex || !list.face) {
    *failed = true;
    return;
  }
  memcpy(height, mesh->heights, (size_t)tops * sizeof *height);
  mesh->heights = height;
  fill_vertices(vertex, mesh);
  fill_faces(&list, rows, columns);
  assert(list.count == faces);
  mesh->vertices = vertex, mesh->vertex_count = tops + 4;
  mesh->faces = list.face, mesh->face_count = faces;
}

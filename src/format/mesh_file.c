/* format/mesh_file.c: choosing the reader by the ending of the file, and growing meshes. */
#include "format/mesh_file.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "format/text.h"

static const struct {
  const char *ending;
  limpet_mesh_reader *read;
} mesh_formats[] = {
    {".stl", limpet_mesh_read_stl}, {".obj", limpet_mesh_read_obj}, {".msh", limpet_mesh_read_msh}};

enum { MESH_FILE_LIMIT = 1 << 30 };  // [bytes]

static limpet_status check_numbers(const limpet_mesh_file *mesh, const char *path,
                                   limpet_error *error) {
  if (mesh->vertex_count == 0)
    return limpet_error_fill_at(error, LIMPET_ERROR_INPUT, path, 0, 0, "has no vertices");
  for (int i = 0; i < 3 * mesh->vertex_count; ++i)
    if (!isfinite(mesh->vertices[i]))
      return limpet_error_fill_at(
          error, LIMPET_ERROR_INPUT, path, 0, 0,
          "vertex %d has a coordinate that is not a finite number; export the mesh again", i / 3);
  return LIMPET_OK;
}

limpet_status limpet_mesh_file_read(limpet_mesh_file *mesh, const char *path, limpet_error *error) {
  *mesh = (limpet_mesh_file){0};
  limpet_mesh_reader *read = NULL;
  for (size_t i = 0; i < sizeof mesh_formats / sizeof *mesh_formats; ++i)
    if (limpet_path_ends_in(path, mesh_formats[i].ending)) read = mesh_formats[i].read;
  if (!read)
    return limpet_error_fill_at(
        error, LIMPET_ERROR_UNSUPPORTED, path, 0, 0,
        "this mesh format is not read; convert the file to .stl, .obj or MuJoCo's .msh");
  char *text;
  size_t length;
  limpet_status status = limpet_text_file(&text, &length, path, MESH_FILE_LIMIT, error);
  if (status != LIMPET_OK) return status;
  status = read(mesh, text, length, path, error);
  free(text);
  if (status == LIMPET_OK) status = check_numbers(mesh, path, error);
  if (status != LIMPET_OK) limpet_mesh_file_free(mesh);
  return status;
}

void limpet_mesh_file_free(limpet_mesh_file *mesh) {
  free(mesh->vertices);
  free(mesh->faces);
  *mesh = (limpet_mesh_file){0};
}

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

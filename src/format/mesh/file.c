/* format/mesh/file.c: choosing the reader by the ending of the file. */
#include "format/mesh/formats.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "format/mesh/assimp.h"
#include "format/read/text.h"

static const struct {
  const char *ending;
  limpet_mesh_reader *read;
} mesh_formats[] = {{".stl", limpet_mesh_read_stl},
                    {".obj", limpet_mesh_read_obj},
                    {".msh", limpet_mesh_read_msh},
                    {".vtk", limpet_mesh_read_vtk}};

// read by assimp, which opens the file and what it refers to
static const char *const scene_endings[] = {".dae", ".ply", ".gltf", ".glb"};

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

static bool is_scene(const char *path) {
  for (size_t i = 0; i < sizeof scene_endings / sizeof *scene_endings; ++i)
    if (limpet_path_ends_in(path, scene_endings[i])) return true;
  return false;
}

static limpet_status read_text(limpet_mesh_file *mesh, const char *path, limpet_error *error) {
  limpet_mesh_reader *read = NULL;
  for (size_t i = 0; i < sizeof mesh_formats / sizeof *mesh_formats; ++i)
    if (limpet_path_ends_in(path, mesh_formats[i].ending)) read = mesh_formats[i].read;
  if (!read)
    return limpet_error_fill_at(error, LIMPET_ERROR_UNSUPPORTED, path, 0, 0,
                                "this mesh format is not read; convert the file to .stl, .obj, "
                                ".dae, .ply, .gltf, .glb, .vtk (tetrahedra) or .msh");
  char *text;
  size_t length;
  limpet_status status = limpet_text_file(&text, &length, path, MESH_FILE_LIMIT, error);
  if (status != LIMPET_OK) return status;
  status = read(mesh, text, length, path, error);
  free(text);
  return status;
}

limpet_status limpet_mesh_file_read(limpet_mesh_file *mesh, const char *path, limpet_error *error) {
  assert(mesh && path);
  *mesh = (limpet_mesh_file){0};
  limpet_status status =
      is_scene(path) ? limpet_mesh_read_assimp(mesh, path, error) : read_text(mesh, path, error);
  if (status == LIMPET_OK) status = check_numbers(mesh, path, error);
  if (status != LIMPET_OK) limpet_mesh_file_free(mesh);
  return status;
}

void limpet_mesh_file_free(limpet_mesh_file *mesh) {
  free(mesh->vertices);
  free(mesh->faces);
  free(mesh->tetrahedra);
  free(mesh->field);
  free(mesh->texture_coordinates);
  free(mesh->image);
  *mesh = (limpet_mesh_file){0};
}

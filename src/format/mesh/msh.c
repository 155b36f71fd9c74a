/* format/mesh/msh.c: files that end in .msh: Gmsh's, which say so, and MuJoCo's own binary mesh:
 * four int32 (vertices, normals, texture coordinates, faces), then the vertices (3 floats each),
 * normals (3), texture coordinates (2) and faces (3 int32), little endian. The counts must fit the
 * length of the file. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "format/mesh/formats.h"

static int32_t read_i32(const char *bytes) {
  const unsigned char *b = (const unsigned char *)bytes;
  const uint32_t bits =
      (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
  int32_t value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static float read_float(const char *bytes) {
  const int32_t bits = read_i32(bytes);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static limpet_status check_header(const int32_t count[4], size_t length, const char *path,
                                  limpet_error *error) {
  uint64_t expected = 16;
  static const uint64_t size[4] = {12, 12, 8, 12};
  for (int i = 0; i < 4; ++i) {
    if (count[i] < 0)
      return limpet_error_fill_at(error, LIMPET_ERROR_INPUT, path, 0, 0,
                                  "has a negative count in its header: not a MuJoCo mesh");
    expected += size[i] * (uint64_t)count[i];
  }
  if (expected != (uint64_t)length)
    return limpet_error_fill_at(
        error, LIMPET_ERROR_INPUT, path, 0, 0,
        "its header asks for %llu bytes, but it has %llu; is it truncated, or not a MuJoCo mesh?",
        (unsigned long long)expected, (unsigned long long)length);
  return LIMPET_OK;
}

// One pair a vertex in the file, v from the top down; one a corner in the mesh.
static void read_coordinates(limpet_mesh_file *mesh, const char *pairs) {
  const size_t corners = 3 * (size_t)mesh->face_count;
  mesh->texture_coordinates = malloc((2 * corners + 1) * sizeof *mesh->texture_coordinates);
  if (!mesh->texture_coordinates) return;  // drawn in one colour
  for (size_t i = 0; i < corners; ++i) {
    const char *pair = pairs + 8 * (size_t)mesh->faces[i];
    mesh->texture_coordinates[2 * i] = read_float(pair);
    mesh->texture_coordinates[2 * i + 1] = 1.0F - read_float(pair + 4);
  }
}

limpet_status limpet_mesh_read_msh(limpet_mesh_file *mesh, const char *text, size_t length,
                                   const char *path, limpet_error *error) {
  if (length >= 11 && memcmp(text, "$MeshFormat", 11) == 0)
    return limpet_mesh_read_gmsh(mesh, text, length, path, error);
  if (length < 16)
    return limpet_error_fill_at(error, LIMPET_ERROR_INPUT, path, 0, 0,
                                "is too short for a MuJoCo mesh");
  int32_t count[4];
  for (int i = 0; i < 4; ++i) count[i] = read_i32(text + 4 * i);
  const limpet_status status = check_header(count, length, path, error);
  if (status != LIMPET_OK) return status;

  // the lengths fit the file, so the sizes are sane
  const size_t vertex_count = (size_t)count[0], face_count = (size_t)count[3];
  mesh->vertices = malloc((3 * vertex_count + 1) * sizeof *mesh->vertices);
  mesh->faces = face_count ? malloc(3 * face_count * sizeof *mesh->faces) : NULL;
  if (!mesh->vertices || (face_count && !mesh->faces))
    return limpet_error_fill_at(error, LIMPET_ERROR_MEMORY, path, 0, 0, "no memory for the mesh");
  mesh->vertex_count = count[0], mesh->face_count = count[3];
  for (size_t i = 0; i < 3 * vertex_count; ++i)
    mesh->vertices[i] = (double)read_float(text + 16 + 4 * i);
  const char *faces = text + length - 12 * face_count;
  for (size_t i = 0; i < 3 * face_count; ++i) {
    mesh->faces[i] = read_i32(faces + 4 * i);
    if (mesh->faces[i] < 0 || mesh->faces[i] >= count[0])
      return limpet_error_fill_at(error, LIMPET_ERROR_INPUT, path, 0, 0,
                                  "face %zu names vertex %d, but there are %d", i / 3,
                                  mesh->faces[i], count[0]);
  }
  if (count[2] == count[0]) read_coordinates(mesh, faces - 8 * (size_t)count[2]);
  return LIMPET_OK;
}

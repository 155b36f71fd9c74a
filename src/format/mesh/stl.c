/* format/mesh/stl.c: STL, binary and text.
 *
 * Binary: 80 bytes of anything, a count, then 50 bytes for each triangle: normal, three corners (12
 * floats, little endian) and two bytes of anything. Text: "facet ... vertex x y z (three times) ...
 * endfacet". A file is binary when its length fits the count at byte 80; many binary files begin
 * with "solid" too. Corners that are equal in single precision become one vertex. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/hash.h"
#include "format/mesh/formats.h"
#include "format/mesh/growth.h"
#include "format/read/text.h"

// ----------------------------------------------------------------- merging repeated vertices

typedef struct vertex_table {  // open addressing, a power of two slots
  limpet_mesh_growth growth;
  int *slot;  // vertex index, or -1
  size_t slot_count;
} vertex_table;

static bool table_create(vertex_table *table, limpet_mesh_file *mesh, size_t corner_count) {
  size_t slot_count = 64;
  while (slot_count < 2 * corner_count) slot_count *= 2;
  *table = (vertex_table){.growth.mesh = mesh, .slot_count = slot_count};
  if (!(table->slot = malloc(slot_count * sizeof *table->slot))) return false;
  for (size_t i = 0; i < slot_count; ++i) table->slot[i] = -1;
  return true;
}

// index of the vertex with exactly these coordinates, a new one if there is none; -1: no memory
static int table_vertex(vertex_table *table, const float corner[3]) {
  double vertex[3];
  for (int k = 0; k < 3; ++k) vertex[k] = (double)corner[k] + 0.0;  // turns -0 into 0
  size_t i =
      (size_t)limpet_hash_bytes(LIMPET_HASH_START, vertex, sizeof vertex) & (table->slot_count - 1);
  for (; table->slot[i] >= 0; i = (i + 1) & (table->slot_count - 1))
    if (memcmp(table->growth.mesh->vertices + 3 * table->slot[i], vertex, sizeof vertex) == 0)
      return table->slot[i];
  return table->slot[i] = limpet_mesh_add_vertex(&table->growth, vertex);
}

static bool table_triangle(vertex_table *table, const float corner[9]) {
  int index[3];
  for (int k = 0; k < 3; ++k)
    if ((index[k] = table_vertex(table, corner + 3 * k)) < 0) return false;
  return limpet_mesh_add_face(&table->growth, index[0], index[1], index[2]) >= 0;
}

// ---------------------------------------------------------------------------------- binary

static uint32_t read_u32(const char *bytes) {
  const unsigned char *b = (const unsigned char *)bytes;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static float read_float(const char *bytes) {
  const uint32_t bits = read_u32(bytes);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static limpet_status no_memory(const char *path, limpet_error *error) {
  return limpet_error_fill_at(error, LIMPET_ERROR_MEMORY, path, 0, 0, "no memory for the mesh");
}

static limpet_status read_binary(limpet_mesh_file *mesh, const char *text, uint32_t count,
                                 const char *path, limpet_error *error) {
  vertex_table table;
  if (!table_create(&table, mesh, (size_t)count * 3)) return no_memory(path, error);
  limpet_status status = LIMPET_OK;
  for (uint32_t i = 0; i < count && status == LIMPET_OK; ++i) {
    float corner[9];
    for (int k = 0; k < 9; ++k) corner[k] = read_float(text + 84 + 50 * (size_t)i + 12 + 4 * k);
    for (int k = 0; k < 9 && status == LIMPET_OK; ++k)
      if (!isfinite(corner[k]))
        status = limpet_error_fill_at(
            error, LIMPET_ERROR_INPUT, path, 0, 0,
            "triangle %u has a coordinate that is not a finite number; export the mesh again", i);
    if (status == LIMPET_OK && !table_triangle(&table, corner)) status = no_memory(path, error);
  }
  free(table.slot);
  return status;
}

// ------------------------------------------------------------------------------------ text

typedef struct stl_text {
  const char *at;
  int line;
} stl_text;

// moves to the next word and returns its length; 0 at the end
static size_t next_word(stl_text *text) {
  for (; isspace((unsigned char)*text->at); ++text->at)
    if (*text->at == '\n') ++text->line;
  size_t length = 0;
  while (text->at[length] && !isspace((unsigned char)text->at[length])) ++length;
  return length;
}

static bool word_is(const stl_text *text, size_t length, const char *word) {
  return strlen(word) == length && strncasecmp(text->at, word, length) == 0;
}

// three numbers behind the word "vertex", on the same line or not
static bool read_corner(stl_text *text, float corner[3]) {
  for (int k = 0; k < 3; ++k) {
    double value;
    if (next_word(text) == 0 || !limpet_text_number(&text->at, &value) || !isfinite(value))
      return false;
    if (*text->at && !isspace((unsigned char)*text->at)) return false;
    corner[k] = (float)value;
  }
  return true;
}

static limpet_status read_text(limpet_mesh_file *mesh, const char *bytes, size_t size,
                               const char *path, limpet_error *error) {
  vertex_table table;
  if (!table_create(&table, mesh, size / 20 + 16)) return no_memory(path, error);
  stl_text text = {bytes, 1};
  float corner[9];
  int corners = 0, facet_line = 0;
  bool complete = false;
  limpet_status status = LIMPET_OK;
  for (size_t length; status == LIMPET_OK && !complete && (length = next_word(&text)) > 0;) {
    const bool is_facet = word_is(&text, length, "facet"),
               is_vertex = word_is(&text, length, "vertex");
    const bool is_end = word_is(&text, length, "endfacet");
    complete = word_is(&text, length, "endsolid");
    text.at += length;
    if (is_facet) {
      corners = 0, facet_line = text.line;
    } else if (is_vertex) {
      if (corners == 3 || !read_corner(&text, corner + 3 * corners))
        status = limpet_error_fill_at(
            error, LIMPET_ERROR_INPUT, path, text.line, 0,
            "expected three finite numbers behind 'vertex', three times in a facet");
      ++corners;
    } else if (is_end) {
      if (corners != 3)
        status =
            limpet_error_fill_at(error, LIMPET_ERROR_INPUT, path, text.line, 0,
                                 "the facet of line %d has %d corners, not 3", facet_line, corners);
      else if (!table_triangle(&table, corner)) status = no_memory(path, error);
    }
  }
  free(table.slot);
  if (status == LIMPET_OK && !complete)
    status = limpet_error_fill_at(error, LIMPET_ERROR_INPUT, path, text.line, 0,
                                  "'endsolid' is missing; is the file truncated?");
  return status;
}

limpet_status limpet_mesh_read_stl(limpet_mesh_file *mesh, const char *text, size_t length,
                                   const char *path, limpet_error *error) {
  const uint32_t count = length >= 84 ? read_u32(text + 80) : 0;
  if (length >= 84 && (uint64_t)length == 84 + 50 * (uint64_t)count) {
    if (count == 0)
      return limpet_error_fill_at(error, LIMPET_ERROR_INPUT, path, 0, 0, "has no triangles");
    return read_binary(mesh, text, count, path, error);
  }
  if (length >= 5 && strncasecmp(text, "solid", 5) == 0 && !memchr(text, '\0', length))
    return read_text(mesh, text, length, path, error);
  if (length >= 84 && (uint64_t)length > 84 + 50 * (uint64_t)count && count > 0)
    return read_binary(mesh, text, count, path, error);
  return limpet_error_fill_at(error, LIMPET_ERROR_INPUT, path, 0, 0,
                              "is neither text STL nor binary STL: %u triangles would take %llu "
                              "bytes, but it has %llu; is it truncated?",
                              count, 84 + 50 * (unsigned long long)count,
                              (unsigned long long)length);
}

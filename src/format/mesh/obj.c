/* format/mesh/obj.c: Wavefront OBJ: "v x y z" and "f a b c ..." with a, a/t, a//n, a/t/n, indices
 * from 1 or, negative, from the last vertex back. Polygons are cut into a fan of triangles.
 * Everything else (textures, normals, groups, materials, curves) is not geometry of a rigid shape
 * and is passed over. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "format/mesh/formats.h"
#include "format/mesh/growth.h"
#include "format/read/text.h"

typedef struct obj_text {
  const char *at;
  int line;
  const char *path;
  limpet_error *error;
} obj_text;

static bool end_of_line(const char *at) {
  return *at == '\0' || *at == '\n' || *at == '\r' || *at == '#';
}

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// skips blanks within the line, and a backslash that joins it to the next
static void skip_blanks(obj_text *text) {
  for (;;) {
    if (*text->at == ' ' || *text->at == '\t') ++text->at;
    else if (text->at[0] == '\\' &&
             (text->at[1] == '\n' || (text->at[1] == '\r' && text->at[2] == '\n')))
      text->at += text->at[1] == '\n' ? 2 : 3, ++text->line;
    else return;
  }
}

static limpet_status fail(const obj_text *text, const char *reason) {
  return limpet_error_fill_at(text->error, LIMPET_ERROR_INPUT, text->path, text->line, 0, "%s",
                              reason);
}

static limpet_status no_memory(const obj_text *text) {
  return limpet_error_fill_at(text->error, LIMPET_ERROR_MEMORY, text->path, 0, 0,
                              "no memory for the mesh");
}

static limpet_status read_vertex(obj_text *text, limpet_mesh_growth *growth) {
  double vertex[3];
  for (int k = 0; k < 3; ++k) {
    skip_blanks(text);
    if (end_of_line(text->at) || !limpet_text_number(&text->at, &vertex[k]) || !isfinite(vertex[k]))
      return fail(text, "expected three finite numbers behind 'v'");
  }
  return limpet_mesh_add_vertex(growth, vertex) < 0 ? no_memory(text) : LIMPET_OK;
}

// one corner "a/t/n" of a face; -1: malformed, -2: out of range
static int read_corner(obj_text *text, int vertex_count) {
  const char *at = text->at;
  const bool back = *at == '-';
  if (*at == '-' || *at == '+') ++at;
  const char *first = at;
  long index = 0;
  for (; *at >= '0' && *at <= '9'; ++at)
    if (index < INT_MAX) index = 10 * index + (*at - '0');
  if (at == first || !(is_blank(*at) || *at == '/' || *at == '\0')) return -1;
  while (*at && !is_blank(*at)) ++at;
  text->at = at;
  if (back) index = -index;
  const long from_zero = index > 0 ? index - 1 : vertex_count + index;
  if (index == 0 || from_zero < 0 || from_zero >= vertex_count) return -2;
  return (int)from_zero;
}

static limpet_status read_face(obj_text *text, limpet_mesh_growth *growth) {
  int corners = 0, first = 0, last = 0;
  for (skip_blanks(text); !end_of_line(text->at); skip_blanks(text)) {
    const int corner = read_corner(text, growth->mesh->vertex_count);
    if (corner == -1)
      return fail(text, "expected vertex numbers such as 7, 7/1, 7//2 or 7/1/2 behind 'f'");
    if (corner == -2)
      return fail(text, "the face names a vertex that the file does not have above it");
    if (corners >= 2 && limpet_mesh_add_face(growth, first, last, corner) < 0)
      return no_memory(text);
    if (corners == 0) first = corner;
    last = corner;
    ++corners;
  }
  return corners < 3 ? fail(text, "a face needs three vertices or more") : LIMPET_OK;
}

limpet_status limpet_mesh_read_obj(limpet_mesh_file *mesh, const char *bytes, size_t length,
                                   const char *path, limpet_error *error) {
  obj_text text = {bytes, 1, path, error};
  limpet_mesh_growth growth = {.mesh = mesh};
  if (strlen(bytes) != length) return fail(&text, "has zero bytes in it: not a text file");
  const char *end = bytes + length;
  while (*text.at) {
    skip_blanks(&text);
    const bool keyword = text.at[0] && (text.at[1] == ' ' || text.at[1] == '\t');
    limpet_status status = LIMPET_OK;
    if (keyword && *text.at == 'v') ++text.at, status = read_vertex(&text, &growth);
    else if (keyword && *text.at == 'f') ++text.at, status = read_face(&text, &growth);
    if (status != LIMPET_OK) return status;
    const char *line_end = memchr(text.at, '\n', (size_t)(end - text.at));
    text.at = line_end ? line_end + 1 : end;
    if (line_end) ++text.line;
  }
  return LIMPET_OK;
}

/* format/mesh/obj.c: Wavefront OBJ: "v x y z" and "f a b c ..." with a, a/t, a//n, a/t/n, indices
 * from 1 or, negative, from the last vertex back. Polygons are cut into a fan of triangles.
 * "vt u v" are coordinates of a picture that faces name by t; those that are missing or malformed
 * are 0, since they are drawn only. Everything else (normals, groups, materials, curves) is not
 * geometry of a rigid shape and is passed over. */
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

static limpet_status read_coordinate(obj_text *text, limpet_mesh_growth *growth) {
  float coordinate[2] = {0};
  for (int k = 0; k < 2; ++k) {
    double number;
    skip_blanks(text);
    if (!end_of_line(text->at) && limpet_text_number(&text->at, &number) && fabs(number) < 1e6)
      coordinate[k] = (float)number;
  }
  return limpet_mesh_add_coordinate(growth, coordinate) < 0 ? no_memory(text) : LIMPET_OK;
}

// A number from 1, or from the last back, as one from 0: -1: malformed, -2: out of range.
static int read_index(const char **from, int count) {
  const char *at = *from;
  const bool back = *at == '-';
  if (*at == '-' || *at == '+') ++at;
  const char *first = at;
  long index = 0;
  for (; *at >= '0' && *at <= '9'; ++at)
    if (index < INT_MAX) index = 10 * index + (*at - '0');
  if (at == first) return -1;
  *from = at;
  if (back) index = -index;
  const long from_zero = index > 0 ? index - 1 : count + index;
  return index == 0 || from_zero < 0 || from_zero >= count ? -2 : (int)from_zero;
}

// one corner "a/t/n" of a face; *coordinate: t, negative for none
static int read_corner(obj_text *text, const limpet_mesh_growth *growth, int *coordinate) {
  const char *at = text->at;
  const int vertex = read_index(&at, growth->mesh->vertex_count);
  if (vertex == -1 || !(is_blank(*at) || *at == '/' || *at == '\0')) return -1;
  *coordinate = -1;
  if (*at == '/') ++at, *coordinate = read_index(&at, growth->coordinate_count);
  while (*at && !is_blank(*at)) ++at;
  text->at = at;
  return vertex;
}

static limpet_status read_face(obj_text *text, limpet_mesh_growth *growth) {
  int corners = 0, first = 0, last = 0, picture[3] = {0};
  for (skip_blanks(text); !end_of_line(text->at); skip_blanks(text)) {
    const int corner = read_corner(text, growth, &picture[2]);
    if (corner == -1)
      return fail(text, "expected vertex numbers such as 7, 7/1, 7//2 or 7/1/2 behind 'f'");
    if (corner == -2)
      return fail(text, "the face names a vertex that the file does not have above it");
    if (corners >= 2 && (limpet_mesh_add_face(growth, first, last, corner) < 0 ||
                         (growth->coordinate && !limpet_mesh_picture_face(growth, picture))))
      return no_memory(text);
    if (corners == 0) first = corner, picture[0] = picture[2];
    last = corner, picture[1] = picture[2];
    ++corners;
  }
  return corners > 0 ? LIMPET_OK : fail(text, "a face needs vertices");  // of two: an edge
}

static bool has_keyword(const char *at, const char *word) {
  const size_t length = strlen(word);
  return strncmp(at, word, length) == 0 && (at[length] == ' ' || at[length] == '\t');
}

static limpet_status read_line(obj_text *text, limpet_mesh_growth *growth) {
  skip_blanks(text);
  if (has_keyword(text->at, "v")) return ++text->at, read_vertex(text, growth);
  if (has_keyword(text->at, "vt")) return text->at += 2, read_coordinate(text, growth);
  if (has_keyword(text->at, "f")) return ++text->at, read_face(text, growth);
  return LIMPET_OK;
}

limpet_status limpet_mesh_read_obj(limpet_mesh_file *mesh, const char *bytes, size_t length,
                                   const char *path, limpet_error *error) {
  obj_text text = {bytes, 1, path, error};
  limpet_mesh_growth growth = {.mesh = mesh};
  if (strlen(bytes) != length) return fail(&text, "has zero bytes in it: not a text file");
  const char *end = bytes + length;
  limpet_status status = LIMPET_OK;
  while (*text.at && status == LIMPET_OK) {
    status = read_line(&text, &growth);
    const char *line_end = memchr(text.at, '\n', (size_t)(end - text.at));
    text.at = line_end ? line_end + 1 : end;
    if (line_end) ++text.line;
  }
  limpet_mesh_growth_end(&growth);
  return status;
}

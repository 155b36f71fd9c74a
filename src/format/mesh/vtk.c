/* format/mesh/vtk.c: tetrahedral meshes in the legacy format of VTK, ASCII or binary, versions 2 to
 * 5.1 (VTK User's Guide, "VTK File Formats").
 *
 *   # vtk DataFile Version 3.0 | title | ASCII or BINARY | DATASET UNSTRUCTURED_GRID
 *   POINTS n type              3 n numbers
 *   CELLS n size               n times "count, points"; from version 5.1 on OFFSETS and
 * CONNECTIVITY CELL_TYPES n               10: tetrahedron; points, lines, triangles, quads are
 * passed over POINT_DATA n, SCALARS name type, LOOKUP_TABLE name    of the name `field`: a pressure
 * field Binary numbers are big endian. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "format/mesh/formats.h"
#include "format/mesh/tetrahedra.h"
#include "format/read/text.h"

enum {
  WORD_SIZE = 64,
  VTK_TETRAHEDRON = 10,
  COUNT_LIMIT = 50000000  // points, cells: more than any file below 1 GiB has
};

typedef struct vtk_text {
  const char *start, *at, *end;
  bool binary;
  const char *path;
  limpet_error *error;
} vtk_text;

// Cells as they stand in the file.
typedef struct vtk_cells {
  int count, size;
  int *begin;    // (count + 1)  into point
  int *point;    // (size)
  double *type;  // (count)
} vtk_cells;

static limpet_status fail(const vtk_text *text, const char *reason) {
  int line = 1;
  for (const char *p = text->start; p < text->at; ++p) line += *p == '\n';
  return limpet_error_fill_at(text->error, LIMPET_ERROR_INPUT, text->path, line, 0, "%s", reason);
}

static limpet_status no_memory(const vtk_text *text) {
  return limpet_error_fill_at(text->error, LIMPET_ERROR_MEMORY, text->path, 0, 0,
                              "no memory for the mesh");
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static void skip_line(vtk_text *text) {
  while (text->at < text->end && *text->at != '\n') ++text->at;
  if (text->at < text->end) ++text->at;
}

// The next word, cut off at its room; false at the end of the file.
static bool read_word(vtk_text *text, char word[WORD_SIZE]) {
  int size = 0;
  while (text->at < text->end && is_blank(*text->at)) ++text->at;
  for (; text->at < text->end && !is_blank(*text->at); ++text->at)
    if (size + 1 < WORD_SIZE) word[size++] = *text->at;
  word[size] = '\0';
  return size > 0;
}

static bool read_count(vtk_text *text, int *count) {
  char word[WORD_SIZE], *end;
  if (!read_word(text, word)) return false;
  const long value = strtol(word, &end, 10);
  if (*end || value < 0 || value > COUNT_LIMIT) return false;
  *count = (int)value;
  return true;
}

// [bytes]  of a number of the type; 0: not a type of the format
static size_t size_of_type(const char *type) {
  static const struct {
    const char *name;
    size_t size;
  } types[] = {{"double", 8},       {"float", 4}, {"int", 4},          {"unsigned_int", 4},
               {"vtktypeint32", 4}, {"long", 8},  {"vtktypeint64", 8}, {"vtkIdType", 8}};
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
    if (strcmp(type, types[i].name) == 0) return types[i].size;
  return 0;
}

static double binary_number(const char *bytes, size_t size, bool real) {
  uint64_t bits = 0;
  for (size_t i = 0; i < size; ++i) bits = bits << 8 | (unsigned char)bytes[i];
  if (!real) return size == 4 ? (double)(int32_t)(uint32_t)bits : (double)(int64_t)bits;
  if (size == 8) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  const uint32_t low = (uint32_t)bits;
  float value;
  memcpy(&value, &low, sizeof value);
  return (double)value;
}

/* `count` numbers of `type` into a new array. A number takes two bytes of text at least, so a count
 * that the file cannot hold asks for no memory. */
static limpet_status read_array(vtk_text *text, const char *type, int count, double **out) {
  const size_t size = size_of_type(type), left = (size_t)(text->end - text->at);
  if (size == 0) return fail(text, "a number type that is not known; double, float and int are");
  const size_t least = text->binary ? size : 2;
  if ((size_t)count > left / least + 1) return fail(text, "the file ends before its numbers do");
  *out = malloc(((size_t)count + 1) * sizeof **out);
  if (!*out) return no_memory(text);
  if (text->binary) {
    skip_line(text);
    if ((size_t)(text->end - text->at) < (size_t)count * size)
      return fail(text, "the file ends before its numbers do");
    const bool real = strcmp(type, "double") == 0 || strcmp(type, "float") == 0;
    for (int i = 0; i < count; ++i, text->at += size)
      (*out)[i] = binary_number(text->at, size, real);
    return LIMPET_OK;
  }
  for (int i = 0; i < count; ++i) {
    while (text->at < text->end && is_blank(*text->at)) ++text->at;
    if (!limpet_text_number(&text->at, &(*out)[i])) return fail(text, "expected a number");
  }
  return LIMPET_OK;
}

static limpet_status read_integers(vtk_text *text, const char *type, int count, int **out) {
  double *numbers = NULL;
  limpet_status status = read_array(text, type, count, &numbers);
  *out = status == LIMPET_OK ? malloc(((size_t)count + 1) * sizeof **out) : NULL;
  if (status == LIMPET_OK && !*out) status = no_memory(text);
  for (int i = 0; status == LIMPET_OK && i < count; ++i) {
    if (!(numbers[i] >= 0.0 && numbers[i] <= COUNT_LIMIT) || numbers[i] != floor(numbers[i]))
      status = fail(text, "expected the number of a point or a count, 0 or more");
    else (*out)[i] = (int)numbers[i];
  }
  free(numbers);
  return status;
}

static limpet_status read_header(vtk_text *text) {
  static const char magic[] = "# vtk DataFile Version";
  char word[WORD_SIZE], kind[WORD_SIZE];
  if ((size_t)(text->end - text->at) < sizeof magic ||
      memcmp(text->at, magic, sizeof magic - 1) != 0)
    return fail(text,
                "a VTK file begins with '# vtk DataFile Version'; save it in the legacy "
                "format (.vtk), not as .vtu");
  skip_line(text), skip_line(text);
  if (!read_word(text, word) || (strcmp(word, "ASCII") != 0 && strcmp(word, "BINARY") != 0))
    return fail(text, "expected ASCII or BINARY in the third line");
  text->binary = word[0] == 'B';
  if (!read_word(text, word) || strcmp(word, "DATASET") != 0 || !read_word(text, kind))
    return fail(text, "expected DATASET UNSTRUCTURED_GRID");
  return strcmp(kind, "UNSTRUCTURED_GRID") == 0
             ? LIMPET_OK
             : fail(text, "only data sets of the kind UNSTRUCTURED_GRID have tetrahedra");
}

static limpet_status read_points(vtk_text *text, limpet_mesh_file *mesh) {
  char type[WORD_SIZE];
  if (mesh->vertices) return fail(text, "has the section POINTS twice");
  if (!read_count(text, &mesh->vertex_count) || !read_word(text, type))
    return fail(text, "expected the number of points and their type");
  const limpet_status status = read_array(text, type, 3 * mesh->vertex_count, &mesh->vertices);
  for (int i = 0; status == LIMPET_OK && i < 3 * mesh->vertex_count; ++i)
    if (!isfinite(mesh->vertices[i]))
      return fail(text, "a coordinate above is not a finite number; export the mesh again");
  return status;
}

// CELLS up to version 4: runs of "count, points".
static limpet_status read_runs(vtk_text *text, vtk_cells *cells) {
  int *numbers = NULL;
  limpet_status status = read_integers(text, "int", cells->size, &numbers);
  cells->begin = calloc((size_t)cells->count + 1, sizeof(int));
  cells->point = malloc(((size_t)cells->size + 1) * sizeof(int));
  if (status == LIMPET_OK && (!cells->begin || !cells->point)) status = no_memory(text);
  int at = 0, to = 0;
  for (int c = 0; status == LIMPET_OK && c < cells->count; ++c) {
    const int count = at < cells->size ? numbers[at++] : 0;
    if (count < 1 || count > cells->size - at) {
      status = fail(text, "a cell of CELLS above has no points, or more than there are numbers");
      break;
    }
    for (int i = 0; i < count; ++i) cells->point[to++] = numbers[at++];
    cells->begin[c + 1] = to;
  }
  free(numbers);
  return status;
}

// CELLS from version 5.1 on: OFFSETS and CONNECTIVITY; both counts are those of numbers.
static limpet_status read_offsets(vtk_text *text, vtk_cells *cells) {
  char word[WORD_SIZE], type[WORD_SIZE];
  if (!read_word(text, word) || strcmp(word, "OFFSETS") != 0 || !read_word(text, type))
    return fail(text, "expected OFFSETS and a type behind CELLS");
  if (cells->count < 1) return fail(text, "has no cells");
  limpet_status status = read_integers(text, type, cells->count, &cells->begin);
  --cells->count;
  if (status != LIMPET_OK) return status;
  if (!read_word(text, word) || strcmp(word, "CONNECTIVITY") != 0 || !read_word(text, type))
    return fail(text, "expected CONNECTIVITY and a type behind the offsets");
  status = read_integers(text, type, cells->size, &cells->point);
  for (int c = 0; status == LIMPET_OK && c <= cells->count; ++c)
    if (cells->begin[c] > cells->size || (c > 0 && cells->begin[c] < cells->begin[c - 1]))
      status = fail(text, "the offsets of the cells above do not ascend within their points");
  return status;
}

static limpet_status read_cells(vtk_text *text, vtk_cells *cells) {
  if (cells->begin) return fail(text, "has the section CELLS twice");
  if (!read_count(text, &cells->count) || !read_count(text, &cells->size))
    return fail(text, "expected the number of cells and of numbers behind CELLS");
  if ((size_t)cells->count > (size_t)(text->end - text->at))
    return fail(text, "the file ends before its cells do");
  const char *here = text->at;
  char word[WORD_SIZE];
  const bool offsets = read_word(text, word) && strcmp(word, "OFFSETS") == 0;
  text->at = here;
  return offsets ? read_offsets(text, cells) : read_runs(text, cells);
}

static limpet_status read_types(vtk_text *text, vtk_cells *cells) {
  int count;
  if (cells->type) return fail(text, "has the section CELL_TYPES twice");
  if (!read_count(text, &count) || !cells->begin || count != cells->count)
    return fail(text, "CELL_TYPES must have as many entries as CELLS, and stand behind it");
  return read_array(text, "int", count, &cells->type);
}

// Scalars of points; those of the name `field` are kept.
static limpet_status read_scalars(vtk_text *text, limpet_mesh_file *mesh, bool of_points) {
  char name[WORD_SIZE], type[WORD_SIZE], word[WORD_SIZE];
  if (!read_word(text, name) || !read_word(text, type))
    return fail(text, "expected the name and the type of SCALARS");
  skip_line(text);
  if (!read_word(text, word) || strcmp(word, "LOOKUP_TABLE") != 0 || !read_word(text, word))
    return fail(text, "expected LOOKUP_TABLE behind SCALARS");
  if (!of_points || strcmp(name, "field") != 0 || mesh->field) return LIMPET_OK;
  return read_array(text, type, mesh->vertex_count, &mesh->field);
}

static limpet_status read_sections(vtk_text *text, limpet_mesh_file *mesh, vtk_cells *cells) {
  char word[WORD_SIZE];
  bool of_points = false;
  while (read_word(text, word)) {
    limpet_status status = LIMPET_OK;
    if (strcmp(word, "POINTS") == 0) status = read_points(text, mesh);
    else if (strcmp(word, "CELLS") == 0) status = read_cells(text, cells);
    else if (strcmp(word, "CELL_TYPES") == 0) status = read_types(text, cells);
    else if (strcmp(word, "POINT_DATA") == 0) of_points = true;
    else if (strcmp(word, "CELL_DATA") == 0) of_points = false;
    else if (strcmp(word, "SCALARS") == 0) status = read_scalars(text, mesh, of_points);
    if (status != LIMPET_OK) return status;
  }
  if (!mesh->vertices) return fail(text, "the section POINTS is missing");
  if (!cells->begin) return fail(text, "the section CELLS is missing");
  return cells->type ? LIMPET_OK : fail(text, "the section CELL_TYPES is missing");
}

// Tetrahedra of all cells. Types 1 to 9 are points, lines and surfaces.
static limpet_status take_tetrahedra(const vtk_text *text, const vtk_cells *cells,
                                     limpet_mesh_file *mesh) {
  mesh->tetrahedra = malloc((4 * (size_t)cells->count + 1) * sizeof *mesh->tetrahedra);
  if (!mesh->tetrahedra) return no_memory(text);
  for (int c = 0; c < cells->count; ++c) {
    const int begin = cells->begin[c], count = cells->begin[c + 1] - begin;
    if (cells->type[c] >= 1.0 && cells->type[c] < VTK_TETRAHEDRON) continue;
    if (cells->type[c] != VTK_TETRAHEDRON || count != 4)
      return limpet_error_fill_at(text->error, LIMPET_ERROR_INPUT, text->path, 0, 0,
                                  "cell %d is of VTK's type %g with %d points; only tetrahedra of "
                                  "four points (type 10) are read, convert the mesh to them",
                                  c, cells->type[c], count);
    memcpy(mesh->tetrahedra + 4 * mesh->tetrahedron_count++, cells->point + begin,
           4 * sizeof *mesh->tetrahedra);
  }
  return LIMPET_OK;
}

limpet_status limpet_mesh_read_vtk(limpet_mesh_file *mesh, const char *bytes, size_t length,
                                   const char *path, limpet_error *error) {
  vtk_text text = {
      .start = bytes, .at = bytes, .end = bytes + length, .path = path, .error = error};
  vtk_cells cells = {0};
  limpet_status status = read_header(&text);
  if (status == LIMPET_OK) status = read_sections(&text, mesh, &cells);
  if (status == LIMPET_OK) status = take_tetrahedra(&text, &cells, mesh);
  if (status == LIMPET_OK) status = limpet_mesh_tetrahedra_finish(mesh, path, error);
  free(cells.begin), free(cells.point), free(cells.type);
  return status;
}

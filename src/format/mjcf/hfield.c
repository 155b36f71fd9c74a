/* format/mjcf/hfield.c: height fields of <asset>: heights in the XML, or in a file of two 32-bit
 * integers (rows, columns) and 32-bit floats, first row at -y. The heights are scaled so that the
 * lowest is 0 and the highest 1, times the third number of `size`; rows in the XML begin at +y.
 * Images are noted and left out. Source: MJCF reference, asset/hfield. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/mjcf/asset.h"
#include "format/mjcf/file.h"
#include "format/mjcf/mesh.h"
#include "format/mjcf/space.h"
#include "format/read/text.h"
#include "format/read/value.h"

enum { HFIELD = 1, SIDE_LIMIT = 10000 };           // kind in the table of meshes; rows or columns
static const size_t FILE_LIMIT = (size_t)1 << 28;  // [bytes]

void limpet_mjcf_hfield_add(limpet_reader *reader, limpet_mjcf_source *source,
                            const limpet_xml_element *e) {
  const char *name = limpet_xml_value(e, "name"), *file = limpet_xml_value(e, "file");
  if (!name && file) name = limpet_path_stem(&reader->pool, file);
  if (!name) limpet_reader_fail(reader, e, NULL, "<hfield> needs the attribute 'file' or 'name'");
  const limpet_mjcf_mesh *other = limpet_table_find(&source->meshes, HFIELD, name);
  if (other)
    limpet_reader_fail(reader, e, "name",
                       "the name '%s' is used twice for a height field; the first is at %s:%d:%d",
                       name, other->element->file, other->element->line, other->element->column);
  limpet_mjcf_mesh *field = LIMPET_READER_TAKE(reader, limpet_mjcf_mesh, 1);
  *field = (limpet_mjcf_mesh){.name = name, .element = e, .handle = LIMPET_NONE};
  limpet_reader_enter(reader, &source->meshes, HFIELD, name, field);
}

static void check_sides(limpet_reader *reader, const limpet_xml_element *e, int rows, int columns) {
  if (rows < 2 || columns < 2 || rows > SIDE_LIMIT || columns > SIDE_LIMIT)
    limpet_reader_fail(reader, e, NULL,
                       "a height field of %d rows and %d columns; there can be 2 to %d of each",
                       rows, columns, SIDE_LIMIT);
}

// heights written in the XML, or all zero
static double *read_inline(limpet_reader *reader, const limpet_xml_element *e,
                           limpet_mesh_description *d) {
  limpet_read_integer(reader, e, "nrow", &d->rows);
  limpet_read_integer(reader, e, "ncol", &d->columns);
  check_sides(reader, e, d->rows, d->columns);
  double *height = LIMPET_READER_TAKE(reader, double, (size_t)d->rows *(size_t)d->columns);
  int count = 0;
  const double *given = limpet_read_array(reader, e, "elevation", &count);
  if (!given) return height;
  if (count != d->rows * d->columns)
    limpet_reader_fail(reader, e, "elevation",
                       "'elevation' has %d numbers, but there are %d rows of %d", count, d->rows,
                       d->columns);
  for (int r = 0; r < d->rows; ++r)
    memcpy(height + (d->rows - 1 - r) * d->columns, given + r * d->columns,
           (size_t)d->columns * sizeof *height);
  return height;
}

// the file of heights; NULL: an image
static double *read_file(limpet_mjcf *m, const limpet_mjcf_source *source,
                         const limpet_xml_element *e, limpet_mesh_description *d) {
  const char *file = limpet_xml_value(e, "file"), *tried = NULL;
  if (source->compiler.strip_path) file = limpet_path_name(file);
  const char *path =
      limpet_mjcf_file_find(m->reader, source, e, file, limpet_mjcf_asset_folder(source), &tried);
  if (!path)
    limpet_reader_fail(m->reader, e, "file",
                       "the file of the height field cannot be found; tried %s", tried);
  const size_t length = strlen(path);
  if (length > 4 && strcmp(path + length - 4, ".png") == 0) return NULL;
  char *text;
  size_t size;
  const limpet_status status = limpet_text_file(&text, &size, path, FILE_LIMIT, m->reader->error);
  if (status != LIMPET_OK) limpet_reader_stop(m->reader, status);
  int32_t sides[2] = {0, 0};
  if (size >= sizeof sides) memcpy(sides, text, sizeof sides);
  const bool fits = sides[0] > 0 && sides[1] > 0 && sides[0] <= SIDE_LIMIT &&
                    sides[1] <= SIDE_LIMIT &&
                    size == sizeof sides + (size_t)sides[0] * (size_t)sides[1] * sizeof(float);
  if (!fits) {
    free(text);
    limpet_reader_fail(m->reader, e, "file",
                       "%s is no height field: it has %zu bytes, and begins with the sides %d and "
                       "%d; give two 32-bit integers and rows * columns 32-bit floats",
                       path, size, sides[0], sides[1]);
  }
  d->rows = sides[0], d->columns = sides[1], d->file = path;
  const size_t count = (size_t)sides[0] * (size_t)sides[1];
  double *height = LIMPET_READER_TAKE(m->reader, double, count);
  for (size_t i = 0; i < count; ++i) {
    float value;
    memcpy(&value, text + sizeof sides + i * sizeof value, sizeof value);
    height[i] = (double)value;
  }
  free(text);
  check_sides(m->reader, e, d->rows, d->columns);
  return height;
}

// from 0 to `top`; MuJoCo keeps single precision
static void normalise(limpet_reader *reader, const limpet_xml_element *e, double *height, int count,
                      double top) {
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < count; ++i) {
    if (!isfinite(height[i]))
      limpet_reader_fail(reader, e, NULL, "height %d of the height field is not finite", i);
    low = fmin(low, height[i]), high = fmax(high, height[i]);
  }
  for (int i = 0; i < count; ++i)
    height[i] = high > low ? top * (double)(float)((height[i] - low) / (high - low)) : 0.0;
}

int limpet_mjcf_hfield_handle(limpet_mjcf *m, const limpet_mjcf_source *source, const char *name,
                              const limpet_xml_element *geom) {
  limpet_mjcf_mesh *field = name ? limpet_table_find(&source->meshes, HFIELD, name) : NULL;
  if (!field)
    limpet_reader_fail(m->reader, geom, name ? "hfield" : NULL,
                       "there is no height field '%s' in <asset>", name ? name : "");
  if (field->handle != LIMPET_NONE || field->missing) return field->handle;
  const limpet_xml_element *e = field->element;
  limpet_mesh_description d = limpet_mesh_description_default();
  double size[4] = {0.0, 0.0, 0.0, 0.0};
  d.name = limpet_reader_join(m->reader, source->first_space->prefix, name, "");
  d.place = limpet_xml_place(e, NULL);
  d.inertia = LIMPET_MESH_INERTIA_EXACT;
  limpet_read_required(m->reader, e, "size");
  limpet_read_numbers(m->reader, e, "size", size, 4, 4);
  for (int k = 0; k < 4; ++k)
    if (!(size[k] > 0.0) || isinf(size[k]))
      limpet_reader_fail(m->reader, e, "size",
                         "number %d of the size of a height field must be positive, not %g", k + 1,
                         size[k]);
  const bool in_file = limpet_xml_find(e, "file") && *limpet_xml_value(e, "file");
  double *height = in_file ? read_file(m, source, e, &d) : read_inline(m->reader, e, &d);
  if (!height) {
    limpet_reader_unsupported(m->reader, e, "file", "hfield image",
                              "height fields in images are not read: geoms that use one are left "
                              "out; write the heights in 'elevation', or in a binary file");
    field->missing = true;
    return LIMPET_NONE;
  }
  normalise(m->reader, e, height, d.rows * d.columns, size[2]);
  d.grid_half[0] = size[0], d.grid_half[1] = size[1], d.grid_base = size[3];
  d.heights = height;
  field->handle = limpet_reader_added(m->reader, limpet_builder_add_mesh(m->reader->builder, &d));
  return field->handle;
}

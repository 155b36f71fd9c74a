/* format/cloud/ply.c: PLY: a header of elements with their properties, then the elements as text or
 * as numbers of either byte order. The points are x, y and z of the element "vertex"; other
 * properties and the elements before it are passed over, what follows it is not read. */
#include <string.h>

#include "base/error.h"
#include "format/cloud/formats.h"
#include "format/cloud/points.h"

enum { PROPERTIES = 64, ELEMENTS = 16 };

typedef struct ply_property {
  limpet_cloud_number type, count_type;
  bool list;
  int axis;  // 0 1 2: x y z, else -1
} ply_property;

typedef struct ply_element {
  bool vertex;
  uint64_t count;
  int property_count;
  ply_property property[PROPERTIES];
} ply_element;

typedef struct ply_header {
  bool binary, big_endian;
  int element_count;
  ply_element element[ELEMENTS];  // up to the vertices
} ply_header;

static limpet_status broken(const char *path, int line, const char *what, limpet_error *error) {
  return limpet_error_fill_at(error, LIMPET_ERROR_INPUT, path, line, 0, "%s", what);
}

// ---------------------------------------------------------------------------------- header

static bool read_type(limpet_cloud_number *type, limpet_cloud_text *text) {
  static const struct {
    const char *word;
    limpet_cloud_number type;
  } types[] = {
      {"char", LIMPET_CLOUD_I1},   {"int8", LIMPET_CLOUD_I1},    {"uchar", LIMPET_CLOUD_U1},
      {"uint8", LIMPET_CLOUD_U1},  {"short", LIMPET_CLOUD_I2},   {"int16", LIMPET_CLOUD_I2},
      {"ushort", LIMPET_CLOUD_U2}, {"uint16", LIMPET_CLOUD_U2},  {"int", LIMPET_CLOUD_I4},
      {"int32", LIMPET_CLOUD_I4},  {"uint", LIMPET_CLOUD_U4},    {"uint32", LIMPET_CLOUD_U4},
      {"float", LIMPET_CLOUD_F4},  {"float32", LIMPET_CLOUD_F4}, {"double", LIMPET_CLOUD_F8},
      {"float64", LIMPET_CLOUD_F8}};
  size_t length;
  const char *word = limpet_cloud_word(text, &length);
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
    if (limpet_cloud_word_is(word, length, types[i].word)) return *type = types[i].type, true;
  return false;
}

static bool read_format(ply_header *header, limpet_cloud_text *text) {
  size_t length;
  const char *word = limpet_cloud_word(text, &length);
  header->big_endian = limpet_cloud_word_is(word, length, "binary_big_endian");
  header->binary = header->big_endian || limpet_cloud_word_is(word, length, "binary_little_endian");
  return header->binary || limpet_cloud_word_is(word, length, "ascii");
}

// The vertices must be the last element that is kept: later ones are not entered.
static bool read_element(ply_header *header, limpet_cloud_text *text, bool *closed) {
  size_t length;
  const char *word = limpet_cloud_word(text, &length);
  if (header->element_count > 0 && header->element[header->element_count - 1].vertex)
    *closed = true;
  if (*closed) return true;
  if (!word || header->element_count == ELEMENTS) return false;
  ply_element *element = &header->element[header->element_count++];
  element->vertex = limpet_cloud_word_is(word, length, "vertex");
  return limpet_cloud_text_count(text, &element->count);
}

static bool read_property(ply_header *header, limpet_cloud_text *text) {
  if (header->element_count == 0) return false;
  ply_element *element = &header->element[header->element_count - 1];
  if (element->property_count == PROPERTIES) return false;
  ply_property *property = &element->property[element->property_count++];
  limpet_cloud_text ahead = *text;
  size_t length;
  const char *word = limpet_cloud_word(&ahead, &length);
  *property = (ply_property){.list = limpet_cloud_word_is(word, length, "list"), .axis = -1};
  if (property->list) {
    *text = ahead;
    if (!read_type(&property->count_type, text) || property->count_type >= LIMPET_CLOUD_F4)
      return false;
  }
  if (!read_type(&property->type, text)) return false;
  word = limpet_cloud_word(text, &length);
  if (!property->list && word && length == 1 && *word >= 'x' && *word <= 'z')
    property->axis = *word - 'x';
  return word != NULL;
}

static bool has_places(const ply_header *header) {
  if (header->element_count == 0) return false;
  const ply_element *last = &header->element[header->element_count - 1];
  int seen = 0;
  for (int i = 0; i < last->property_count; ++i)
    if (last->property[i].axis >= 0) seen |= 1 << last->property[i].axis;
  return last->vertex && seen == 7;
}

static limpet_status read_header(ply_header *header, limpet_cloud_text *text, const char *path,
                                 limpet_error *error) {
  bool has_format = false, closed = false;
  while (limpet_cloud_line_next(text)) {
    size_t length;
    const char *word = limpet_cloud_word(text, &length);
    bool good = true;
    if (limpet_cloud_word_is(word, length, "format")) good = has_format = read_format(header, text);
    else if (limpet_cloud_word_is(word, length, "element"))
      good = read_element(header, text, &closed);
    else if (limpet_cloud_word_is(word, length, "property") && !closed)
      good = read_property(header, text);
    else if (limpet_cloud_word_is(word, length, "end_header")) {
      limpet_cloud_line_next(text);
      if (!has_format)
        return broken(path, text->line, "the header of the PLY file names no format", error);
      if (has_places(header)) return LIMPET_OK;
      return broken(path, text->line,
                    "the PLY file has no element 'vertex' with the properties x, y and z", error);
    }
    if (!good) return broken(path, text->line, "this line of the header cannot be read", error);
  }
  return broken(path, text->line, "the header of the PLY file has no end", error);
}

// ------------------------------------------------------------------------------------ data

/* One number, from the text or the bytes; false at the end or where it is none. Elements of text
 * stand in a line of their own, but may be broken. */
static bool next_number(const ply_header *header, limpet_cloud_text *text, limpet_cloud_number type,
                        double *value) {
  if (header->binary) {
    const size_t size = limpet_cloud_number_size(type);
    if ((size_t)(text->end - text->at) < size) return false;
    *value = limpet_cloud_number_at(text->at, type, header->big_endian);
    text->at += size;
    return true;
  }
  for (;;) {
    limpet_cloud_text ahead = *text;
    size_t length;
    if (limpet_cloud_word(&ahead, &length)) return limpet_cloud_text_number(text, value);
    if (ahead.at < ahead.end && *ahead.at == '\0') return false;
    if (!limpet_cloud_line_next(text)) return false;
  }
}

static bool next_record(const ply_header *header, const ply_element *element,
                        limpet_cloud_text *text, double point[3]) {
  double value;
  for (int i = 0; i < element->property_count; ++i) {
    const ply_property *property = &element->property[i];
    double count = 1.0;
    if (property->list &&
        (!next_number(header, text, property->count_type, &count) || !(count >= 0.0)))
      return false;
    for (double k = 0.0; k < count; k += 1.0) {
      if (!next_number(header, text, property->type, &value)) return false;
      if (property->axis >= 0) point[property->axis] = value;
    }
  }
  return true;
}

static limpet_status read_element_data(limpet_cloud_file *cloud, const ply_header *header,
                                       const ply_element *element, limpet_cloud_text *text,
                                       const char *path, limpet_error *error) {
  limpet_status status = LIMPET_OK;
  if (element->property_count == 0) return LIMPET_OK;
  if (element->vertex)
    status = limpet_cloud_room(cloud, element->count, (size_t)(text->end - text->at),
                               header->binary ? 3 : 6, path, error);
  for (uint64_t i = 0; i < element->count && status == LIMPET_OK; ++i) {
    double point[3] = {0.0, 0.0, 0.0};
    if (!next_record(header, element, text, point))
      return limpet_error_fill_at(
          error, LIMPET_ERROR_INPUT, path, header->binary ? 0 : text->line, 0,
          "%s %llu of %llu is cut off or has a word that is no number; is the file truncated?",
          element->vertex ? "point" : "an element before the points, number", (unsigned long long)i,
          (unsigned long long)element->count);
    if (element->vertex)
      status = limpet_cloud_add(cloud, point, header->binary ? 0 : text->line, path, error);
  }
  return status;
}

limpet_status limpet_cloud_read_ply(limpet_cloud_file *cloud, const char *bytes, size_t length,
                                    const char *path, limpet_error *error) {
  ply_header header = {0};
  limpet_cloud_text text = {bytes, bytes + length, 1};
  size_t word_length;
  const char *word = limpet_cloud_word(&text, &word_length);
  if (!limpet_cloud_word_is(word, word_length, "ply"))
    return broken(path, 1, "is no PLY file: it does not begin with 'ply'", error);
  limpet_status status = read_header(&header, &text, path, error);
  for (int i = 0; i < header.element_count && status == LIMPET_OK; ++i)
    status = read_element_data(cloud, &header, &header.element[i], &text, path, error);
  return status;
}

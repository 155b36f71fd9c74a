/* format/cloud/pcd.c: PCD, the clouds of the Point Cloud Library: a header of lines "KEYWORD
 * values", then one record for each point, as text or as little-endian numbers. Compressed files
 * have two sizes, compressed and not, and then by LZF first all values of one field, then of the
 * next. Fields other than x, y and z are passed over. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "format/cloud/formats.h"
#include "format/cloud/points.h"

enum { FIELDS = 64 };

typedef struct pcd_header {
  int field_count;
  struct {
    int axis;  // 0 1 2: x y z, else -1
    uint64_t size, count;
    char type;                   // I U F
    uint64_t column;             // numbers before it in a record
    size_t offset;               // bytes before it in a record
    limpet_cloud_number number;  // of x, y, z
  } field[FIELDS];
  int place[3];  // fields of x, y, z
  uint64_t points, columns;
  size_t record;  // [bytes]
  bool binary, compressed;
} pcd_header;

static limpet_status broken(const char *path, int line, const char *what, limpet_error *error) {
  return limpet_error_fill_at(error, LIMPET_ERROR_INPUT, path, line, 0, "%s", what);
}

// FIELDS, SIZE, TYPE, COUNT: one word for each field.
static bool read_fields(pcd_header *header, limpet_cloud_text *text, const char *keyword) {
  size_t length;
  int i = 0;
  for (; i < FIELDS; ++i) {
    limpet_cloud_text ahead = *text;
    const char *word = limpet_cloud_word(&ahead, &length);
    if (!word) break;
    if (*keyword == 'F') {
      header->field[i].axis = length == 1 && *word >= 'x' && *word <= 'z' ? *word - 'x' : -1;
      header->field[i].count = 1;
    } else if (*keyword == 'T') {
      header->field[i].type = *word;
    } else if (!limpet_cloud_text_count(
                   text, *keyword == 'S' ? &header->field[i].size : &header->field[i].count)) {
      return false;
    }
    *text = ahead;
  }
  if (*keyword == 'F') header->field_count = i;
  return i > 0 && i < FIELDS && i == header->field_count;
}

static bool number_type(limpet_cloud_number *number, char type, uint64_t size) {
  static const struct {
    char type;
    uint64_t size;
    limpet_cloud_number number;
  } types[] = {{'F', 4, LIMPET_CLOUD_F4}, {'F', 8, LIMPET_CLOUD_F8}, {'I', 1, LIMPET_CLOUD_I1},
               {'I', 2, LIMPET_CLOUD_I2}, {'I', 4, LIMPET_CLOUD_I4}, {'I', 8, LIMPET_CLOUD_I8},
               {'U', 1, LIMPET_CLOUD_U1}, {'U', 2, LIMPET_CLOUD_U2}, {'U', 4, LIMPET_CLOUD_U4},
               {'U', 8, LIMPET_CLOUD_U8}};
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
    if (types[i].type == type && types[i].size == size) return *number = types[i].number, true;
  return false;
}

// Where x, y and z are in a record.
static bool place_fields(pcd_header *header) {
  for (int k = 0; k < 3; ++k) header->place[k] = -1;
  for (int i = 0; i < header->field_count; ++i) {
    if (header->field[i].size > 8 || header->field[i].count > 65536) return false;
    header->field[i].offset = header->record;
    header->field[i].column = header->columns;
    header->record += (size_t)(header->field[i].size * header->field[i].count);
    header->columns += header->field[i].count;
    const int axis = header->field[i].axis;
    if (axis < 0) continue;
    if (header->field[i].count != 1) return false;
    if (!number_type(&header->field[i].number, header->field[i].type, header->field[i].size))
      return false;
    header->place[axis] = i;
  }
  return header->place[0] >= 0 && header->place[1] >= 0 && header->place[2] >= 0;
}

static limpet_status read_data_word(pcd_header *header, limpet_cloud_text *text, const char *path,
                                    limpet_error *error) {
  size_t length;
  const char *word = limpet_cloud_word(text, &length);
  header->compressed = limpet_cloud_word_is(word, length, "binary_compressed");
  header->binary = header->compressed || limpet_cloud_word_is(word, length, "binary");
  if (!header->binary && !limpet_cloud_word_is(word, length, "ascii"))
    return broken(path, text->line, "DATA must be ascii, binary or binary_compressed", error);
  if (!place_fields(header))
    return broken(path, text->line,
                  "FIELDS, SIZE, TYPE and COUNT do not describe x, y and z, each a number", error);
  return LIMPET_OK;
}

// Lines up to DATA; the text is left behind that line.
static limpet_status read_header(pcd_header *header, limpet_cloud_text *text, const char *path,
                                 limpet_error *error) {
  bool has_points = false;
  uint64_t width = 0, height = 0;
  do {
    size_t length;
    const char *word = limpet_cloud_word(text, &length);
    bool good = true;
    if (limpet_cloud_word_is(word, length, "DATA")) {
      if (!has_points) header->points = width * height;
      const limpet_status status = read_data_word(header, text, path, error);
      limpet_cloud_line_next(text);
      return status;
    }
    if (limpet_cloud_word_is(word, length, "FIELDS") ||
        limpet_cloud_word_is(word, length, "SIZE") || limpet_cloud_word_is(word, length, "TYPE") ||
        limpet_cloud_word_is(word, length, "COUNT"))
      good = read_fields(header, text, word);
    else if (limpet_cloud_word_is(word, length, "WIDTH"))
      good = limpet_cloud_text_count(text, &width) && width <= UINT32_MAX;
    else if (limpet_cloud_word_is(word, length, "HEIGHT"))
      good = limpet_cloud_text_count(text, &height) && height <= UINT32_MAX;
    else if (limpet_cloud_word_is(word, length, "POINTS"))
      good = has_points = limpet_cloud_text_count(text, &header->points);
    if (!good)
      return broken(path, text->line,
                    "the values of this line of the header are wrong, or too many", error);
  } while (limpet_cloud_line_next(text));
  return broken(path, text->line, "the header of the PCD file has no line 'DATA'", error);
}

static limpet_status read_text(limpet_cloud_file *cloud, const pcd_header *header,
                               limpet_cloud_text *text, const char *path, limpet_error *error) {
  limpet_status status = LIMPET_OK;
  for (uint64_t i = 0; i < header->points && status == LIMPET_OK; ++i) {
    double point[3] = {0.0, 0.0, 0.0}, value;
    for (uint64_t column = 0; column < header->columns; ++column) {
      if (!limpet_cloud_text_number(text, &value))
        return limpet_error_fill_at(
            error, LIMPET_ERROR_INPUT, path, text->line, 0,
            "point %llu of %llu has no number %llu of %llu; is the file truncated?",
            (unsigned long long)i, (unsigned long long)header->points,
            (unsigned long long)column + 1, (unsigned long long)header->columns);
      for (int k = 0; k < 3; ++k)
        if (header->field[header->place[k]].column == column) point[k] = value;
    }
    status = limpet_cloud_add(cloud, point, text->line, path, error);
    limpet_cloud_line_next(text);
  }
  return status;
}

// Records one after the other, or compressed ones field by field.
static limpet_status read_binary(limpet_cloud_file *cloud, const pcd_header *header,
                                 const char *data, const char *path, limpet_error *error) {
  limpet_status status = LIMPET_OK;
  for (uint64_t i = 0; i < header->points && status == LIMPET_OK; ++i) {
    double point[3];
    for (int k = 0; k < 3; ++k) {
      const int f = header->place[k];
      const uint64_t begin =
          header->compressed ? header->points * header->field[f].offset + i * header->field[f].size
                             : i * header->record + header->field[f].offset;
      point[k] = limpet_cloud_number_at(data + begin, header->field[f].number, false);
    }
    status = limpet_cloud_add(cloud, point, 0, path, error);
  }
  return status;
}

static limpet_status read_compressed(limpet_cloud_file *cloud, const pcd_header *header,
                                     const char *data, size_t size, const char *path,
                                     limpet_error *error) {
  // no overflow: it was compared with the file
  const size_t length = (size_t)header->points * header->record;
  if (size < 8 || limpet_cloud_number_at(data, LIMPET_CLOUD_U4, false) > (double)(size - 8) ||
      limpet_cloud_number_at(data + 4, LIMPET_CLOUD_U4, false) != (double)length)
    return broken(path, 0,
                  "the sizes before the compressed points do not fit; is the file truncated?",
                  error);
  char *plain = malloc(length);
  if (!plain)
    return limpet_error_fill_at(error, LIMPET_ERROR_MEMORY, path, 0, 0, "no memory for the points");
  const size_t packed = (size_t)limpet_cloud_number_at(data, LIMPET_CLOUD_U4, false);
  limpet_status status = LIMPET_OK;
  if (limpet_cloud_lzf((unsigned char *)plain, length, (const unsigned char *)data + 8, packed))
    status = read_binary(cloud, header, plain, path, error);
  else status = broken(path, 0, "the compressed points are broken; write the file again", error);
  free(plain);
  return status;
}

limpet_status limpet_cloud_read_pcd(limpet_cloud_file *cloud, const char *bytes, size_t length,
                                    const char *path, limpet_error *error) {
  pcd_header header = {0};
  limpet_cloud_text text = {bytes, bytes + length, 1};
  limpet_status status = read_header(&header, &text, path, error);
  if (status != LIMPET_OK) return status;
  const size_t left = (size_t)(text.end - text.at);
  // LZF makes at most 264 bytes of three
  const size_t most = header.compressed ? (left < SIZE_MAX / 88 ? 88 * left : SIZE_MAX) : left;
  status =
      limpet_cloud_room(cloud, header.points, most, header.binary ? header.record : 6, path, error);
  if (status != LIMPET_OK) return status;
  if (header.compressed) return read_compressed(cloud, &header, text.at, left, path, error);
  return header.binary ? read_binary(cloud, &header, text.at, path, error)
                       : read_text(cloud, &header, &text, path, error);
}

/* format/cloud/points.h: points, numbers and words that the readers of point clouds share. */
#ifndef LIMPET_FORMAT_CLOUD_POINTS_H
#define LIMPET_FORMAT_CLOUD_POINTS_H

#include "limpet/format.h"

/* Room for `count` points. A count for which the file has less than `least` bytes a point is
 * refused before any memory is asked for: headers lie. */
limpet_status limpet_cloud_room(limpet_cloud_file *cloud, uint64_t count, size_t length,
                                size_t least, const char *path, limpet_error *error);

// Enters point number cloud->point_count, which stands in `line` (0: no lines); fails where it is
// not finite.
limpet_status limpet_cloud_add(limpet_cloud_file *cloud, const double point[3], int line,
                               const char *path, limpet_error *error);

// How numbers lie in a binary file.
typedef enum limpet_cloud_number {
  LIMPET_CLOUD_I1,
  LIMPET_CLOUD_U1,
  LIMPET_CLOUD_I2,
  LIMPET_CLOUD_U2,
  LIMPET_CLOUD_I4,
  LIMPET_CLOUD_U4,
  LIMPET_CLOUD_I8,
  LIMPET_CLOUD_U8,
  LIMPET_CLOUD_F4,
  LIMPET_CLOUD_F8
} limpet_cloud_number;

size_t limpet_cloud_number_size(limpet_cloud_number type);  // [bytes]
double limpet_cloud_number_at(const char *bytes, limpet_cloud_number type, bool big_endian);

// Decompresses exactly out_size bytes; false: the input is broken, or makes more or less.
bool limpet_cloud_lzf(unsigned char *out, size_t out_size, const unsigned char *in, size_t in_size);

// A text of lines and words; blanks, tabs, commas and carriage returns part words.
typedef struct limpet_cloud_text {
  const char *at, *end;
  int line;
} limpet_cloud_text;

bool limpet_cloud_line_next(
    limpet_cloud_text *text);  // behind the end of this line; false at the end of the text
// Next word of this line, its length in *length; NULL where the line ends.
const char *limpet_cloud_word(limpet_cloud_text *text, size_t *length);
// Compares letters without case.
bool limpet_cloud_word_is(const char *word, size_t length, const char *other);
// Next word of this line as a number; false: it is none, or the line ends.
bool limpet_cloud_text_number(limpet_cloud_text *text, double *value);
// The same as a count: no sign, no fraction.
bool limpet_cloud_text_count(limpet_cloud_text *text, uint64_t *value);

#endif

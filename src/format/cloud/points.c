/* format/cloud/points.c: points, numbers and words that the readers of point clouds share. */
#include "format/cloud/points.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "format/read/text.h"

// ---------------------------------------------------------------------------------- points

limpet_status limpet_cloud_room(limpet_cloud_file *cloud, uint64_t count, size_t length,
                                size_t least, const char *path, limpet_error *error) {
  if (count > length / least || count > INT_MAX / 3)
    return limpet_error_fill_at(
        error, LIMPET_ERROR_INPUT, path, 0, 0,
        "says that it has %llu points, but is only %llu bytes long; is it truncated?",
        (unsigned long long)count, (unsigned long long)length);
  cloud->points = malloc((count ? 3 * (size_t)count : 1) * sizeof *cloud->points);
  if (cloud->points) return LIMPET_OK;
  return limpet_error_fill_at(error, LIMPET_ERROR_MEMORY, path, 0, 0, "no memory for %llu points",
                              (unsigned long long)count);
}

limpet_status limpet_cloud_add(limpet_cloud_file *cloud, const double point[3], int line,
                               const char *path, limpet_error *error) {
  for (int k = 0; k < 3; ++k) {
    if (isfinite(point[k])) continue;
    return limpet_error_fill_at(
        error, LIMPET_ERROR_INPUT, path, line, 0,
        "%c of point %d (counted from 0) is %s; remove points without a place", 'x' + k,
        cloud->point_count, isnan(point[k]) ? "not a number (NaN)" : "infinite");
  }
  memcpy(cloud->points + 3 * (size_t)cloud->point_count++, point, 3 * sizeof *point);
  return LIMPET_OK;
}

// --------------------------------------------------------------------------------- numbers

size_t limpet_cloud_number_size(limpet_cloud_number type) {
  static const size_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return sizes[type];
}

double limpet_cloud_number_at(const char *bytes, limpet_cloud_number type, bool big_endian) {
  const size_t size = limpet_cloud_number_size(type);
  uint64_t bits = 0;
  for (size_t i = 0; i < size; ++i)
    bits = bits << 8 | (unsigned char)bytes[big_endian ? i : size - 1 - i];
  const uint32_t low = (uint32_t)bits;
  float single;
  double value;
  switch (type) {
    case LIMPET_CLOUD_I1: return (int8_t)bits;
    case LIMPET_CLOUD_I2: return (int16_t)bits;
    case LIMPET_CLOUD_I4: return (int32_t)low;
    case LIMPET_CLOUD_I8: return (double)(int64_t)bits;
    case LIMPET_CLOUD_F4: memcpy(&single, &low, sizeof single); return (double)single;
    case LIMPET_CLOUD_F8: memcpy(&value, &bits, sizeof value); return value;
    default: return (double)bits;
  }
}

// ----------------------------------------------------------------------------------- words

static bool parts_words(char c) { return c == ' ' || c == '\t' || c == '\r' || c == ','; }

bool limpet_cloud_line_next(limpet_cloud_text *text) {
  const char *newline = memchr(text->at, '\n', (size_t)(text->end - text->at));
  text->at = newline ? newline + 1 : text->end;
  text->line += newline != NULL;
  return text->at < text->end;
}

const char *limpet_cloud_word(limpet_cloud_text *text, size_t *length) {
  while (text->at < text->end && parts_words(*text->at)) ++text->at;
  const char *word = text->at;
  while (text->at < text->end && *text->at != '\n' && *text->at != '\0' && !parts_words(*text->at))
    ++text->at;
  *length = (size_t)(text->at - word);
  return *length > 0 ? word : NULL;
}

bool limpet_cloud_word_is(const char *word, size_t length, const char *other) {
  return word && strlen(other) == length && strncasecmp(word, other, length) == 0;
}

bool limpet_cloud_text_number(limpet_cloud_text *text, double *value) {
  size_t length;
  const char *word = limpet_cloud_word(text, &length), *cursor = word;
  return word && limpet_text_number(&cursor, value) && cursor == word + length;
}

bool limpet_cloud_text_count(limpet_cloud_text *text, uint64_t *value) {
  size_t length;
  const char *word = limpet_cloud_word(text, &length);
  *value = 0;
  if (!word || length > 18) return false;
  for (size_t i = 0; i < length; ++i) {
    if (word[i] < '0' || word[i] > '9') return false;
    *value = 10 * *value + (uint64_t)(word[i] - '0');
  }
  return true;
}

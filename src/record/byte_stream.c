/* record/byte_stream.c: aligned arrays and the JSON that names them. */
#include "record/byte_stream.h"

#include <stdlib.h>
#include <string.h>

enum { ARRAY_ALIGNMENT = 8 };  // [bytes]  the size of a double, the largest element

void limpet_stream_write(limpet_byte_stream *stream, const void *bytes, size_t size) {
  stream->put(stream->target, bytes, size);
  stream->offset += size;
}

json_t *limpet_stream_array_begin(limpet_byte_stream *stream, limpet_element element,
                                  size_t count) {
  static const char *const word[LIMPET_ELEMENT_COUNT] = {"f8", "f4", "u4", "u2", "i2", "u1"};
  static const unsigned char zero[ARRAY_ALIGNMENT] = {0};
  const size_t over = stream->offset % ARRAY_ALIGNMENT;
  limpet_stream_write(stream, zero, (ARRAY_ALIGNMENT - over) % ARRAY_ALIGNMENT);
  return json_pack("{s:s, s:I, s:I}", "type", word[element], "offset", (json_int_t)stream->offset,
                   "count", (json_int_t)count);
}

json_t *limpet_stream_array(limpet_byte_stream *stream, limpet_element element, size_t count,
                            const void *values) {
  static const size_t size[LIMPET_ELEMENT_COUNT] = {8, 4, 4, 2, 2, 1};
  json_t *array = limpet_stream_array_begin(stream, element, count);
  limpet_stream_write(stream, values, count * size[element]);
  return array;
}

// "<" stands only inside strings, where \u003c means the same: no name can end the script element
static char *without_less_than(const char *text) {
  static const char escape[] = "\\u003c";
  const size_t escape_length = sizeof escape - 1;
  size_t length = strlen(text) + 1;
  for (const char *at = text; *at; ++at)
    if (*at == '<') length += escape_length - 1;
  char *safe = malloc(length), *to = safe;
  for (const char *at = text; safe && *at; ++at) {
    if (*at != '<') {
      *to++ = *at;
      continue;
    }
    memcpy(to, escape, escape_length);
    to += escape_length;
  }
  if (safe) *to = 0;
  return safe;
}

char *limpet_record_text(const json_t *value) {
  // 9 digits: what a float needs to come back as itself
  char *text = json_dumps(value, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9));
  char *safe = text ? without_less_than(text) : NULL;
  free(text);
  return safe;
}

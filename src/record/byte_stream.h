/* record/byte_stream.h: binary arrays, one after the other, on their way to whoever takes bytes.
 *
 * Each array begins at a multiple of 8 bytes, and a JSON text says where: {"type": "f4", "offset":
 * bytes, "count": elements}. A reader makes typed views of the whole stream at these offsets. */
#ifndef LIMPET_RECORD_BYTE_STREAM_H
#define LIMPET_RECORD_BYTE_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

typedef struct limpet_byte_stream {
  void (*put)(void *target, const void *bytes, size_t size);  // keeps its own account of failures
  void *target;
  size_t offset;  // [bytes]  that were written
} limpet_byte_stream;

// What the elements of an array are; little-endian.
typedef enum limpet_element {
  LIMPET_ELEMENT_F8,  // double
  LIMPET_ELEMENT_F4,  // float
  LIMPET_ELEMENT_U4,  // uint32
  LIMPET_ELEMENT_U2,  // uint16
  LIMPET_ELEMENT_I2,  // int16
  LIMPET_ELEMENT_U1,  // byte
  LIMPET_ELEMENT_COUNT
} limpet_element;

void limpet_stream_write(limpet_byte_stream *stream, const void *bytes, size_t size);
/* An array in pieces: begin aligns the stream and returns the JSON; then `count` elements follow by
 * limpet_stream_write in any number of pieces. */
json_t *limpet_stream_array_begin(limpet_byte_stream *stream, limpet_element element, size_t count);
json_t *limpet_stream_array(limpet_byte_stream *stream, limpet_element element, size_t count,
                            const void *values);

/* JSON as text, by malloc. It may stand inside a <script> element, whatever names it holds. NULL
 * when there is no memory. */
char *limpet_record_text(const json_t *value);

#endif

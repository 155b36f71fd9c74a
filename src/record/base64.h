/* record/base64.h: bytes as text in a file (RFC 4648 section 4). */
#ifndef LIMPET_RECORD_BASE64_H
#define LIMPET_RECORD_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct limpet_base64 {
  FILE *file;
  unsigned char carry[3];  // bytes that wait for a full group
  int carried;
  bool failed;  // a write went wrong
} limpet_base64;

// `put` of a limpet_byte_stream whose target is a limpet_base64.
void limpet_base64_put(void *base64, const void *bytes, size_t size);
// The last group, filled up with '='.
void limpet_base64_end(limpet_base64 *base64);

/* Bytes of a text that is whole groups. `bytes` holds 3/4 of `length`; returns how many there are,
 * or -1 where it is no such text. */
long limpet_base64_decode(const char *text, size_t length, unsigned char *bytes);

#endif

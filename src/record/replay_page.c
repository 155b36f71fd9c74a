/* record/replay_page.c: base64 stream and JSON of a replay page.
 *
 * Binary arrays of a replay are one stream, cut nowhere, so that the viewer decodes it once and
 * makes typed views at the offsets that the JSON names; each array begins at a multiple of 8 bytes.
 * Base64: RFC 4648 section 4. */
#include "record/replay_page.h"

#include <stdlib.h>
#include <string.h>

static void page_put(limpet_page *page, const void *bytes, size_t size) {
  if (size > 0 && fwrite(bytes, 1, size, page->file) != size) page->failed = true;
}

static void encode_group(char text[4], const unsigned char bytes[3]) {
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  text[0] = digit[bytes[0] >> 2];
  text[1] = digit[(bytes[0] & 3) << 4 | bytes[1] >> 4];
  text[2] = digit[(bytes[1] & 15) << 2 | bytes[2] >> 6];
  text[3] = digit[bytes[2] & 63];
}

void limpet_page_write(limpet_page *page, const void *bytes, size_t size) {
  const unsigned char *byte = bytes;
  page->offset += size;
  while (size > 0) {
    // whole groups, up to a buffer full
    char text[4096];
    size_t length = 0;
    while (size > 0 && length < sizeof text) {
      page->carry[page->carried++] = *byte++;
      --size;
      if (page->carried < 3) continue;
      encode_group(&text[length], page->carry);
      length += 4;
      page->carried = 0;
    }
    page_put(page, text, length);
  }
}

void limpet_page_stream_end(limpet_page *page) {
  if (page->carried == 0) return;
  char text[4];
  for (int k = page->carried; k < 3; ++k) page->carry[k] = 0;
  encode_group(text, page->carry);
  for (int k = page->carried + 1; k < 4; ++k) text[k] = '=';
  page_put(page, text, 4);
  page->carried = 0;
}

json_t *limpet_page_array_begin(limpet_page *page, limpet_element element, size_t count) {
  static const char *const word[LIMPET_ELEMENT_COUNT] = {"f8", "f4", "u4", "u2", "i2"};
  static const unsigned char zero[8] = {0};
  limpet_page_write(page, zero, (8 - page->offset % 8) % 8);
  return json_pack("{s:s, s:I, s:I}", "type", word[element], "offset", (json_int_t)page->offset,
                   "count", (json_int_t)count);
}

json_t *limpet_page_array(limpet_page *page, limpet_element element, size_t count,
                          const void *values) {
  static const size_t size[LIMPET_ELEMENT_COUNT] = {8, 4, 4, 2, 2};
  json_t *array = limpet_page_array_begin(page, element, count);
  limpet_page_write(page, values, count * size[element]);
  return array;
}

// "<" stands only inside strings, where \u003c means the same: no name can end the script element
void limpet_page_json(limpet_page *page, const json_t *value) {
  char *text = json_dumps(value, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9));
  if (!text) {
    page->failed = true;
    return;
  }
  const char *from = text;
  for (const char *at = text; *at; ++at) {
    if (*at != '<') continue;
    page_put(page, from, (size_t)(at - from));
    page_put(page, "\\u003c", 6);
    from = at + 1;
  }
  page_put(page, from, strlen(from));
  free(text);
}

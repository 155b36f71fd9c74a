/* record/base64.c: three bytes become four digits; what does not fill a group waits for the next
 * call. */
#include "record/base64.h"

static void encode_group(char text[4], const unsigned char bytes[3]) {
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  text[0] = digit[bytes[0] >> 2];
  text[1] = digit[(bytes[0] & 3) << 4 | bytes[1] >> 4];
  text[2] = digit[(bytes[1] & 15) << 2 | bytes[2] >> 6];
  text[3] = digit[bytes[2] & 63];
}

static void put_text(limpet_base64 *base64, const char *text, size_t length) {
  if (length > 0 && fwrite(text, 1, length, base64->file) != length) base64->failed = true;
}

void limpet_base64_put(void *target, const void *bytes, size_t size) {
  limpet_base64 *base64 = target;
  const unsigned char *byte = bytes;
  while (size > 0) {
    // whole groups, up to a buffer full
    char text[4096];
    size_t length = 0;
    while (size > 0 && length < sizeof text) {
      base64->carry[base64->carried++] = *byte++;
      --size;
      if (base64->carried < 3) continue;
      encode_group(&text[length], base64->carry);
      length += 4;
      base64->carried = 0;
    }
    put_text(base64, text, length);
  }
}

void limpet_base64_end(limpet_base64 *base64) {
  if (base64->carried == 0) return;
  char text[4];
  for (int k = base64->carried; k < 3; ++k) base64->carry[k] = 0;
  encode_group(text, base64->carry);
  for (int k = base64->carried + 1; k < 4; ++k) text[k] = '=';
  put_text(base64, text, sizeof text);
  base64->carried = 0;
}

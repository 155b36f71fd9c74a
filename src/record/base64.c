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

// 0 to 63; 64: filling; -1: no digit
static int digit_value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  if (c == '/') return 63;
  return c == '=' ? 64 : -1;
}

long limpet_base64_decode(const char *text, size_t length, unsigned char *bytes) {
  if (length % 4 != 0) return -1;
  long count = 0;
  for (size_t i = 0; i < length; i += 4) {
    unsigned group = 0;
    int filling = 0;
    for (size_t k = 0; k < 4; ++k) {
      const int value = digit_value(text[i + k]);
      if (value < 0 || (value < 64 && filling > 0)) return -1;
      filling += value == 64;
      group = group << 6 | (unsigned)(value & 63);
    }
    if (filling > 2 || (filling > 0 && i + 4 < length)) return -1;
    for (int k = 0; k < 3 - filling; ++k) bytes[count++] = (unsigned char)(group >> (16 - 8 * k));
  }
  return count;
}

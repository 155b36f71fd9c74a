/* format/cloud/lzf.c: LZF, the compression of binary_compressed PCD files.
 *
 * A control byte c < 32 is followed by c + 1 bytes that are copied. Otherwise c >> 5 is a length
 * (7: plus the next byte) and (c & 31) * 256 + the next byte a distance: length + 2 bytes are
 * copied from distance + 1 bytes back, which may run into what is being written. Reference: the
 * format of LibLZF (M. Lehmann). */
#include "format/cloud/points.h"

bool limpet_cloud_lzf(unsigned char *out, size_t out_size, const unsigned char *in,
                      size_t in_size) {
  size_t at = 0, done = 0;
  while (at < in_size) {
    const size_t control = in[at++];
    if (control < 32) {
      const size_t length = control + 1;
      if (length > in_size - at || length > out_size - done) return false;
      for (size_t i = 0; i < length; ++i) out[done++] = in[at++];
      continue;
    }
    size_t length = control >> 5;
    if (length == 7) {
      if (at == in_size) return false;
      length += in[at++];
    }
    length += 2;
    if (at == in_size) return false;
    const size_t back = (control & 31) * 256 + in[at++] + 1;
    if (back > done || length > out_size - done) return false;
    for (size_t i = 0; i < length; ++i, ++done) out[done] = out[done - back];
  }
  return done == out_size;
}

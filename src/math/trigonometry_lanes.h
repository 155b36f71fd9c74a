/* math/trigonometry_lanes.h: sines and cosines of four angles at once, with the bits of
 * trigonometry.h where nothing is contracted. For files that are compiled for each instruction
 * set. */
#ifndef LIMPET_MATH_TRIGONOMETRY_LANES_H
#define LIMPET_MATH_TRIGONOMETRY_LANES_H

#include "math/lanes.h"
#include "math/trigonometry.h"

INLINE void sines_cosines(double sine[4], double cosine[4], lanes angle) {
  const lane_mask sign = (lane_mask)all(-0.0);
  if (bits((lanes)((lane_mask)angle & ~sign) < all(1e5)) != 15) {
    for (int i = 0; i < 4; ++i) limpet_sine_cosine(&sine[i], &cosine[i], angle[i]);
    return;
  }
  const lanes shift = all(6755399441055744.0), turned = angle * all(0.63661977236758134308) + shift,
              k = turned - shift;
  const lanes r = ((angle - k * all(0x1.921fb544p+0)) - k * all(0x1.0b4611a6p-34)) -
                  k * all(0x1.3198a2e037073p-69);
  const lanes z = r * r;
  lanes odd = all(limpet_sine_cosine_terms[0][0]), even = all(limpet_sine_cosine_terms[0][1]);
#pragma GCC unroll 8
  for (int i = 1; i < 8; ++i) {
    odd = all(limpet_sine_cosine_terms[i][0]) + z * odd;
    even = all(limpet_sine_cosine_terms[i][1]) + z * even;
  }
  const lanes s = r + r * z * odd, c = all(1.0) - all(0.5) * z + z * z * even;

  // the quadrant stands in the low bits: it exchanges the two and sets their signs
  const lane_mask quadrant = (lane_mask)turned, one = {1, 1, 1, 1}, two = {2, 2, 2, 2};
  const lane_mask swap = (quadrant & one) == one, sign_s = (quadrant & two) << 62,
                  sign_c = ((quadrant + one) & two) << 62;
  lanes_put(sine, (lanes)((lane_mask)choose(swap, c, s) ^ sign_s));
  lanes_put(cosine, (lanes)((lane_mask)choose(swap, s, c) ^ sign_c));
}

#endif

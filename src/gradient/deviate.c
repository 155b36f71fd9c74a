/* gradient/deviate.c: see deviate.h. splitmix64 of (seed, pair, coordinate), Box and Muller's
 * normal deviates. */
#include "gradient/deviate.h"

#include <math.h>

static uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// In (0, 1).
static double uniform(uint64_t bits) { return ((double)(bits >> 11) + 0.5) * 0x1p-53; }

double limpet_deviate(uint64_t seed, int pair, int coordinate) {
  const double two_pi = 6.283185307179586;
  const uint64_t first = mixed(mixed(seed) ^ ((uint64_t)pair << 32 ^ (uint64_t)coordinate));
  return sqrt(-2.0 * log(uniform(first))) * cos(two_pi * uniform(mixed(first)));
}

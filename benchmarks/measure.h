/* benchmarks/measure.h: the clock and the random numbers of the benchmarks. */
#ifndef LIMPET_BENCHMARKS_MEASURE_H
#define LIMPET_BENCHMARKS_MEASURE_H

#include <time.h>

// [s]  since some fixed moment
static inline double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// [s]  time of the processor for this thread: other programs do not count
static inline double processor_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// In [low, high), the same numbers on every machine; a linear congruential generator (Knuth's
// MMIX).
static inline double uniform(unsigned long long *state, double low, double high) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * (double)(*state >> 11) / 9007199254740992.0;
}

#endif

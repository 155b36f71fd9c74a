/* gradient/deviate.h: numbers that scatter, the same on every machine. */
#ifndef LIMPET_GRADIENT_DEVIATE_H
#define LIMPET_GRADIENT_DEVIATE_H

#include <stdint.h>

// Standard normal deviate of a coordinate (q, v, control in turn) of a pair of samples.
double limpet_deviate(uint64_t seed, int pair, int coordinate);

#endif

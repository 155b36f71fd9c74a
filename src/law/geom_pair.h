/* law/geom_pair.h: two geoms that meet, as materials and shapes of friction see them. */
#ifndef LIMPET_LAW_GEOM_PAIR_H
#define LIMPET_LAW_GEOM_PAIR_H

#include <stdbool.h>

typedef struct limpet_geom_pair {
  int geom_a, geom_b;  // a < b
  int pair;            // index of the explicit pair (model->pair_*), or -1
} limpet_geom_pair;

// The order of contacts: by the first geom, then by the second.
static inline bool limpet_geom_pair_before(const limpet_geom_pair *a, const limpet_geom_pair *b) {
  return a->geom_a != b->geom_a ? a->geom_a < b->geom_a : a->geom_b < b->geom_b;
}

#endif

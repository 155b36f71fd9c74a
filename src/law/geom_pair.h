/* law/geom_pair.h: two geoms that meet, as materials and shapes of friction see them. */
#ifndef LIMPET_LAW_GEOM_PAIR_H
#define LIMPET_LAW_GEOM_PAIR_H

typedef struct limpet_geom_pair {
  int geom_a, geom_b;  // a < b
  int pair;            // index of the explicit pair (model->pair_*), or -1
} limpet_geom_pair;

#endif

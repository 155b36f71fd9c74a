/* geometry/pair_descriptors.c: the table of shape pairs as descriptors, made once, on first use. */
#include <pthread.h>
#include <stdio.h>

#include "geometry/pair.h"
#include "limpet/geometry.h"

enum { PAIR_CAPACITY = LIMPET_SHAPE_COUNT * (LIMPET_SHAPE_COUNT + 1) / 2 };

static limpet_descriptor pairs[PAIR_CAPACITY + 1];
static char pair_names[PAIR_CAPACITY][32];
static pthread_once_t pairs_once = PTHREAD_ONCE_INIT;

static void pairs_fill(void) {
  int count = 0;
  for (int a = 0; a < LIMPET_SHAPE_COUNT; ++a)
    for (int b = a; b < LIMPET_SHAPE_COUNT; ++b) {
      const limpet_shape_pair *pair = limpet_shape_pair_table[a][b];
      if (!pair) continue;
      snprintf(pair_names[count], sizeof pair_names[count], "%s %s",
               limpet_shape_kind_word((limpet_shape_kind)a),
               limpet_shape_kind_word((limpet_shape_kind)b));
      pairs[count] = (limpet_descriptor){
          .name = pair_names[count], .text = pair->text, .reference = pair->reference};
      ++count;
    }
}

const limpet_descriptor *limpet_shape_pairs(void) {
  pthread_once(&pairs_once, pairs_fill);
  return pairs;
}

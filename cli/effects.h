/* cli/effects.h: which geoms and pairs ask for torsional friction, rolling friction or restitution,
 * which not every contact model has, in words. */
#ifndef LIMPET_CLI_EFFECTS_H
#define LIMPET_CLI_EFFECTS_H

#include "limpet/limpet.h"

enum { LIMPET_EFFECT_TEXT_SIZE = 64 };

// How many ask: geoms that collide, and pairs with parameters of their own.
typedef struct limpet_effect_count {
  int geoms, pairs;
} limpet_effect_count;

limpet_effect_count limpet_effect_count_of(const limpet_model *model, limpet_contact_effect effect);
bool limpet_effect_asked(limpet_effect_count count);
// "torsional friction"
const char *limpet_effect_word(limpet_contact_effect effect);
// "2 geoms and 1 pair"
const char *limpet_effect_count_text(char text[LIMPET_EFFECT_TEXT_SIZE], limpet_effect_count count);

#endif

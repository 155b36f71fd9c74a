// cli/effects.c: see effects.h.
#include "effects.h"

#include <stdio.h>

// From which condim on friction against turning counts.
enum { TORSION_CONDIM = 4, ROLLING_CONDIM = 6 };

static bool geom_asks(const limpet_model *model, int geom, limpet_contact_effect effect) {
  const limpet_material *material = &model->geom_material[geom];
  const int condim = model->geom_condim[geom];
  switch (effect) {
    case LIMPET_EFFECT_TORSION:
      return condim >= TORSION_CONDIM && material->friction_torsional > 0.0;
    case LIMPET_EFFECT_ROLLING: return condim >= ROLLING_CONDIM && material->friction_rolling > 0.0;
    case LIMPET_EFFECT_RESTITUTION: return material->restitution > 0.0;
    default: return false;
  }
}

// A pair takes its restitution from its geoms.
static bool pair_asks(const limpet_model *model, int pair, limpet_contact_effect effect) {
  const double *friction = model->pair_friction + 5 * pair;
  const int condim = model->pair_condim[pair];
  if (effect == LIMPET_EFFECT_TORSION) return condim >= TORSION_CONDIM && friction[2] > 0.0;
  if (effect == LIMPET_EFFECT_ROLLING)
    return condim >= ROLLING_CONDIM && (friction[3] > 0.0 || friction[4] > 0.0);
  return false;
}

limpet_effect_count limpet_effect_count_of(const limpet_model *model,
                                           limpet_contact_effect effect) {
  limpet_effect_count count = {0};
  for (int i = 0; i < model->collider_count; ++i)
    count.geoms += geom_asks(model, model->collider_geom[i], effect);
  for (int p = 0; p < model->pair_count; ++p) count.pairs += pair_asks(model, p, effect);
  return count;
}

bool limpet_effect_asked(limpet_effect_count count) { return count.geoms + count.pairs > 0; }

const char *limpet_effect_word(limpet_contact_effect effect) {
  static const char *const words[LIMPET_EFFECT_COUNT] = {
      [LIMPET_EFFECT_TORSION] = "torsional friction",
      [LIMPET_EFFECT_ROLLING] = "rolling friction",
      [LIMPET_EFFECT_RESTITUTION] = "restitution"};
  return words[effect];
}

const char *limpet_effect_count_text(char text[LIMPET_EFFECT_TEXT_SIZE],
                                     limpet_effect_count count) {
  int length = 0;
  if (count.geoms || !count.pairs)
    length = snprintf(text, LIMPET_EFFECT_TEXT_SIZE, "%d geom%s", count.geoms,
                      count.geoms == 1 ? "" : "s");
  if (count.pairs)
    snprintf(text + length, LIMPET_EFFECT_TEXT_SIZE - (size_t)length, "%s%d pair%s",
             length ? " and " : "", count.pairs, count.pairs == 1 ? "" : "s");
  return text;
}

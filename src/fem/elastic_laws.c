/* fem/elastic_laws.c: the table of elastic laws. */
#include <assert.h>
#include <string.h>

#include "fem/elastic_law.h"

#define ROW(name) &limpet_elastic_law_##name,
static const limpet_elastic_law *const laws[] = {LIMPET_ELASTIC_LAW_LIST(ROW) NULL};
#undef ROW

const limpet_elastic_law *const *limpet_elastic_laws(void) { return laws; }

const limpet_elastic_law *limpet_elastic_law_find(const char *name) {
  assert(name);
  for (int i = 0; laws[i]; ++i)
    if (strcmp(laws[i]->descriptor.name, name) == 0) return laws[i];
  return NULL;
}

const limpet_descriptor *limpet_elastic_law_descriptor(const limpet_elastic_law *law) {
  assert(law);
  return &law->descriptor;
}

bool limpet_elastic_law_is_linear(const limpet_elastic_law *law) {
  assert(law);
  return law->frozen;
}

limpet_elastic_constants limpet_elastic_constants_of(const limpet_elastic_law *law,
                                                     double youngs_modulus, double poissons_ratio) {
  const double E = youngs_modulus, nu = poissons_ratio, mu = E / (2.0 * (1.0 + nu));
  const double lambda = E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
  return (limpet_elastic_constants){.lambda = lambda + law->shift * mu, .mu = mu};
}

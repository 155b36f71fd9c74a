/* solve/coulomb_facets_room.c: the memory of pivoting, which sweeps reserve before they are run on
 * threads. Apart from coulomb_facets.c, which calls sweeps. */
#include "optim/lemke.h"
#include "solve/coulomb_facets.h"

enum { TAKES = 10 };

size_t limpet_coulomb_facets_room(const limpet_island_solver *s) {
  if (!s->coulomb->free_bodies || s->island->spin_count > 0 ||
      s->island->contact_count > LIMPET_FACETS_CONTACTS)
    return 0;
  const size_t m = (size_t)s->island->contact_count,
               n = (size_t)limpet_facets_unknowns(s->island->contact_count),
               width = (size_t)limpet_lemke_width((int)n);
  return (9 * m * m + (7 + 2 * LIMPET_FACETS) * m + n * (width + 2)) * sizeof(double) +
         limpet_lemke_memory_size((int)n) + TAKES * LIMPET_ARENA_ALIGNMENT;
}

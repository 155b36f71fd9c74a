/* solve/coulomb_facets_room.c: the memory of pivoting, which sweeps reserve before they are run on
 * threads. Apart from coulomb_facets.c, which calls sweeps. */
#include "optim/lemke.h"
#include "solve/coulomb_facets.h"

enum { TAKES = 13 };

size_t limpet_coulomb_facets_room(const limpet_island_solver *s) {
  if (!s->coulomb->free_bodies || s->island->spin_count > 0) return 0;
  const int contacts = limpet_facets_contacts(s->island->contact_count),
            unknowns = limpet_facets_unknowns(contacts);
  const size_t m = (size_t)contacts, n = (size_t)unknowns,
               width = (size_t)limpet_lemke_width(unknowns);
  return (9 * m * m + (10 + 2 * LIMPET_FACETS) * m + n * (width + 2) + (size_t)s->n) *
             sizeof(double) +
         m * sizeof(int) + limpet_lemke_memory_size(unknowns) + TAKES * LIMPET_ARENA_ALIGNMENT;
}

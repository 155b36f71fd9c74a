/* solve/coulomb_facets_room.c: the memory of pivoting, which sweeps reserve before they are run on
 * threads. Apart from coulomb_facets.c, which calls sweeps. */
#include "optim/lemke.h"
#include "solve/coulomb_facets.h"

enum { TAKES = 18 };

size_t limpet_coulomb_facets_room(const limpet_island_solver *s) {
  if (!s->coulomb->pivots) return 0;
  const int contacts = limpet_facets_contacts(s->island->contact_count),
            unknowns = limpet_facets_unknowns(contacts);
  const size_t m = (size_t)contacts, n = (size_t)unknowns, rows = (size_t)s->island->row_count,
               size = 3 * m + rows, width = (size_t)limpet_lemke_width(unknowns);
  return (size * size + 3 * size + 9 * m * m + rows * (size + 1) + (4 + 2 * LIMPET_FACETS) * m +
          n * (width + 2) + (size_t)s->n) *
             sizeof(double) +
         m * sizeof(int) + rows * sizeof(bool) + limpet_lemke_memory_size(unknowns) +
         TAKES * LIMPET_ARENA_ALIGNMENT;
}

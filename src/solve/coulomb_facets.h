/* solve/coulomb_facets.h: sizes of the linear complementarity problem of coulomb_facets.c. */
#ifndef LIMPET_SOLVE_COULOMB_FACETS_H
#define LIMPET_SOLVE_COULOMB_FACETS_H

#include "solve/coulomb.h"

enum {
  LIMPET_FACETS = 12,           // of a cone
  LIMPET_FACETS_CONTACTS = 24,  // at most: memory goes with their square, time with their cube
};

// Contacts that take part in an island of `all`.
static inline int limpet_facets_contacts(int all) {
  return all < LIMPET_FACETS_CONTACTS ? all : LIMPET_FACETS_CONTACTS;
}

// A normal force, friction along each facet, and a slip speed of each contact.
static inline int limpet_facets_unknowns(int contacts) { return contacts * (LIMPET_FACETS + 2); }

#endif

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

// What pivoting works with: a part of the contacts of an island, and all of its rows.
typedef struct limpet_faceted {
  limpet_island_solver *solver;
  int contacts, rows, size, n;  // size: 3 contacts + rows; n: of the complementarity problem
  int *contact;                 // (contacts)  of the island
  double *v;                    // (velocities)  while W is measured
  double *W, *b;                // (size x size) [1/kg], (size) [m/s]  u = W x + b
  double *E, *e;  // (3 contacts x 3 contacts), (3 contacts)  the same where rows that act follow
  double *K, *follow;  // (rows x rows), (rows x 3 contacts + 1)  W + R of rows; rows - follow x
  bool *acts;          // (rows)  within their bounds: they follow the contacts
  double *scale;       // (contacts) [kg^1/2]
  double *direction;   // (contacts x LIMPET_FACETS x 2)
  double *table, *q, *z, *x;
  double *best;  // (size) [N s]  x of all rounds that misses the laws least
  double turn;   // [deg]  of even facets
  bool returns;  // to the best x from rounds that led astray
  void *memory;
} limpet_faceted;

// coulomb_facets_rows.c: E and e, with rows at the bounds to which x takes them, and x there.
// False: K is not positive definite.
bool limpet_facets_eliminate(limpet_faceted *f);
// x of the rows that act <- what the contacts of x make them. Returns whether all stay so.
bool limpet_facets_follow(limpet_faceted *f);
// By how much rows miss their laws [kg m^2/s^2], squared.
double limpet_facets_rows_missed(const limpet_faceted *f);

#endif

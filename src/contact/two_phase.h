/* contact/two_phase.h: one island by the two-phase method, in pieces that tests can look at. Symbols: two_phase.c. */
#ifndef LIMPET_CONTACT_TWO_PHASE_H
#define LIMPET_CONTACT_TWO_PHASE_H

#include "contact/friction_programme.h"
#include "contact/island_contact_space.h"

typedef struct limpet_two_phase {
  limpet_contact_space *space;
  bool literal;
  double *A;                          // (3n x 3n)  of the contacts, scalar rows that act like springs condensed
  double *b;                          // (3n)
  double *target;                     // (n) [m/s]  normal speeds after the step
  int *pushing, count;                // (n)  contacts of phase two, in it: those that push; literal: all that approach or rest
  int *at;                            // (n)  variable of each of them
  double *w_s;                        // (n)  [N s]  normal impulses of phase one
  double *mu;                         // (n)
  double *Q, *c, *N, *C, *E, *e, *w;  // of the programme
  double *work;                       // (3 n^2 + 6 n)
  void *lcp_memory;
  limpet_friction_programme programme;
  int m;
  // scalar rows
  int *held, held_count;       // (rows)
  double *row_factor, *row_A;  // (rows x rows), (rows x (3n + 1))
  char *row_state;             // (rows)
} limpet_two_phase;

size_t limpet_two_phase_lay_out(limpet_two_phase *phases, int contacts, int rows, char *memory);
// A, b, targets of the contacts for the rows' present states.
void limpet_two_phase_condense(limpet_two_phase *phases);
// w_s and who pushes.
limpet_outcome limpet_two_phase_normals(limpet_two_phase *phases);
// Programme of phase two from w_s; solves it into space->x.
limpet_outcome limpet_two_phase_friction(limpet_two_phase *phases);

#endif

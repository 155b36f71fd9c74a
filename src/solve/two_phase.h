/* solve/two_phase.h: one island by the two-phase method, in pieces that tests can look at. Symbols:
 * two_phase.c. */
#ifndef LIMPET_SOLVE_TWO_PHASE_H
#define LIMPET_SOLVE_TWO_PHASE_H

#include "optim/cone_barrier.h"
#include "solve/contact_root.h"

typedef struct limpet_two_phase {
  limpet_contact_space *space;
  bool literal;
  limpet_contact_root root;  // of A; scalar rows within their bounds act like springs in it
  double *A_N;               // (contacts x contacts)  normals of A
  double *b;                 // (contacts x 3)
  double *target;            // (contacts) [m/s]  normal speeds after the step
  double *w_s;               // (contacts) [N s]  normal impulses of phase one
  int *pushing, count;  // (contacts)  that take part in phase two: those that push; literal: all
                        // that approach or rest
  int *open;            // (contacts)  the others
  double *mu;           // (contacts)  of phase two
  double *work;         // (2 contacts^2 + 9 contacts)
  bool *free;           // (contacts)
  void *lcp_memory;
  double *row_impulse;                    // (rows)  of those at a bound; NAN: within
  double *slack;                          // (contacts) [m/s]  of the speeds of open contacts
  limpet_cone_barrier_problem programme;  // phase two
  limpet_cone_barrier_workspace barrier;
} limpet_two_phase;

size_t limpet_two_phase_lay_out(limpet_two_phase *phases, bool literal, int contacts, int rows,
                                int velocities, char *memory);
// A, b, targets of the contacts for the rows' present states. A numerical failure where the mass
// matrix is not positive definite.
limpet_outcome limpet_two_phase_condense(limpet_two_phase *phases);
// w_s and who pushes.
limpet_outcome limpet_two_phase_normals(limpet_two_phase *phases);
/* The programme of phase two as it stands: contacts that push, open ones with their slacks, and the
 * bound's slack at the start. */
void limpet_two_phase_programme(limpet_two_phase *phases, int open_count, double bound);
// Programme of phase two from w_s; solves it into space->x.
limpet_outcome limpet_two_phase_friction(limpet_two_phase *phases);

#endif

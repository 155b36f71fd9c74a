/* solve/coulomb_turning.h: friction against turning (law/spin.h) in sweeps over the contacts of an
 * island: coulomb_sweep.c.
 *
 *   tau <- -p/w_r,  p = w - w_r tau,  in the disc of radius rho gamma_n
 * w [rad/s]: turning of B relative to A about the axes; w_r [1/(kg m^2)]: the larger diagonal entry
 * of e A^-1 e'. Stiction is rigid. v follows every change. */
#ifndef LIMPET_SOLVE_COULOMB_TURNING_H
#define LIMPET_SOLVE_COULOMB_TURNING_H

#include "solve/island_contact_space.h"
#include "solve/island_solver.h"

typedef struct limpet_turning {
  int count;                      // of spins of the island; 0: nothing else is filled
  const limpet_spin *spin;        // (count)
  int *first;                     // (contacts + 1)  spins of a contact
  int *segment_first;             // (count + 1)
  limpet_space_segment *segment;  // what the two torques of a spin do to the blocks that it touches
  double *tau;                    // (count x 2) [N m s]
  double *inertia;                // (count) [1/(kg m^2)]  w_r
} limpet_turning;

// Bytes that suffice for limpet_turning_create.
size_t limpet_turning_room(const limpet_contact_problem *problem, int island);
// Takes the memory from the arena and fills it for a space that is filled; tau = 0. False: no room.
bool limpet_turning_create(limpet_turning *turning, const limpet_contact_space *space,
                           limpet_arena *arena);
// tau within the bounds of the contacts' normal impulses; the space's v with them.
void limpet_turning_set(limpet_turning *turning, limpet_contact_space *space, const double *tau);
// The spins of one contact meet their law. Returns the square of the change [kg m^2/s^2].
double limpet_turning_relax(limpet_turning *turning, limpet_contact_space *space, int contact);

#endif

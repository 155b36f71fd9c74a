/* tests/support/sweep_laws.h: a law of contact drawn at random for kernels of sweeps, and by how
 * much impulses that a kernel found miss it. */
#ifndef LIMPET_TEST_SWEEP_LAWS_H
#define LIMPET_TEST_SWEEP_LAWS_H

#include "solve/sweep_law.h"

// Fills the law's part of the normal impulse, and the constants that it comes from; w is there.
void sweep_law_draw(limpet_sweep_law *law, limpet_contact_constants *constants,
                    unsigned long *state);

/* By how much the impulses x (3) miss the law, over what they are made of: the normal impulse is
 * that of the contact alone, friction sticks or is at its bound against the slip. u (3) [m/s]: the
 * velocity at the impulses `old` (3), and the sizes of its parts. */
double sweep_law_missed(const limpet_sweep_law *law, const limpet_contact_constants *constants,
                        const double u[3], const double sizes[3], const double old[3],
                        const double x[3]);

#endif

/* solve/containment.h: what happens to an island whose numbers fail: its blocks keep the velocity
 * of the start of the step, no impulse acts on them, and all other islands go on. */
#ifndef LIMPET_SOLVE_CONTAINMENT_H
#define LIMPET_SOLVE_CONTAINMENT_H

#include "solve/solve.h"

/* After the island was solved with that outcome: whether it failed, or left a number that is not
 * finite. Then its blocks are held at v_start (nv), and info.failed_islands counts it. */
bool limpet_island_hold_failed(const limpet_contact_problem *problem, int island,
                               limpet_outcome outcome, const double *v_start,
                               limpet_contact_solution *solution);
/* After all islands: holds blocks without an island whose free velocity is not finite, each as an
 * island of its own, and sets info.outcome where something was held. */
void limpet_blocks_hold_failed(const limpet_contact_problem *problem, const double *v_start,
                               limpet_contact_solution *solution);

#endif

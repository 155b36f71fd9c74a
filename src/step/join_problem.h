/* step/join_problem.h: the problem of the islands that stay and that of the trees that move, as
 * one. */
#ifndef LIMPET_STEP_JOIN_PROBLEM_H
#define LIMPET_STEP_JOIN_PROBLEM_H

#include "step/moved_trees.h"

/* Puts the part, a problem of the trees that move, into the problem and the records of the work, in
 * place of what the attempt had of these trees. known (contacts of the part): those that start from
 * forces that were found. The work then says what it keeps of the attempt: known, kept_island.
 * LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_problem_join(const limpet_parting *parting, const limpet_step_work *part,
                                  bool *known);

#endif

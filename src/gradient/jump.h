/* gradient/jump.h: the nearest jump of a step, by steps from moved states: limpet/gradient_jump.h.
 */
#ifndef LIMPET_GRADIENT_JUMP_SEARCH_H
#define LIMPET_GRADIENT_JUMP_SEARCH_H

#include "gradient/workspace.h"

/* Fills `jump` of the step that `workspace` knows, after its derivatives. LIMPET_OK or
 * LIMPET_ERROR_MEMORY. */
limpet_status limpet_gradient_look_for_jump(limpet_gradient_workspace *workspace,
                                            limpet_gradient_jump *jump);

#endif

/* gradient/contact_columns.h: columns of the changes of r by all patches of a step. A patch of a
 * tree with what does not move goes by composite matrices, as inertias of bodies do in CRBA:
 * patches below a joint count once, however many they are. Others, and those with a contact at a
 * switch, go one by one: patch_columns.h.
 *
 * With F the wrench of a patch on its body b, about the tree's origin, j a pose on the path of b:
 *   dr_i  = - S_i . dF - (S_j x S_i) . F                    over i on that path
 *   dF    = W S_j + V (P_j x S_j) + V0 (P0_j x S_j) + A q_j - <E, 2 crm(S_j) D_j> + ...
 * P, P0, q: contact_motion.h; W, V, V0, A (6 x 6) and E (6 x 6 x 6) are of the patch and add up
 * from bodies to their parents; D_j: sum of C_k W_k' over what j does not move. ...: the
 * acceleration of the centre of mass of a centred tree and weights of Delassus estimates, both
 * times rows that every i has. Cost: about 1000 flops a patch (3000 with Delassus estimates), 300
 * for each velocity (1000), and 50 (150) for each pair of velocities on one path. */
#ifndef LIMPET_GRADIENT_CONTACT_COLUMNS_H
#define LIMPET_GRADIENT_CONTACT_COLUMNS_H

#include "gradient/column_writer.h"

// Adds to the columns of the writer. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_contact_columns_write(limpet_column_writer *writer);

#endif

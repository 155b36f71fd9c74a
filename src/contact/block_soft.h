/* contact/block_soft.h: deformable bodies as blocks of unknowns. */
#ifndef LIMPET_CONTACT_BLOCK_SOFT_H
#define LIMPET_CONTACT_BLOCK_SOFT_H

#include "collide/soft.h"
#include "contact/problem.h"

// Vertices of a deformable body that take part: a dense symmetric matrix, row-major.
extern const limpet_block_kind limpet_block_soft;
// All vertices that move: a matrix as sparse as the mesh.
extern const limpet_block_kind limpet_block_soft_mesh;

/* Sides of the deformable bodies of a contact, added to those of its rigid units. LIMPET_OK or
 * LIMPET_ERROR_MEMORY. */
limpet_status limpet_block_soft_columns(const limpet_contact_problem *problem,
                                        const limpet_soft_link *link, limpet_arena *arena,
                                        limpet_patch *patch);

#endif

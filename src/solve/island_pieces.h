/* solve/island_pieces.h: patches on meshes in the block-sparse Hessian.
 *
 * A mesh has a part for each vertex, so the columns of a patch belong to several parts: those of
 * one part are a piece. S' K S goes to the matrix pair by pair of pieces, whose places are looked
 * up once. */
#ifndef LIMPET_SOLVE_ISLAND_PIECES_H
#define LIMPET_SOLVE_ISLAND_PIECES_H

#include "collide/soft.h"
#include "solve/island_solver.h"

// Pieces of a patch, at most: vertices of a link, and a part of a rigid unit on the other side.
#define LIMPET_PIECES (LIMPET_SOFT_LINKS + 1)

// Whether a side of the patch lies on a mesh.
bool limpet_patch_has_pieces(const limpet_island_solver *solver, const limpet_patch *patch);
// Parts of the pieces of such a patch, each as often as it has pieces. Returns how many.
int limpet_patch_parts(const limpet_island_solver *solver, const limpet_patch *patch,
                       int part[LIMPET_PIECES]);

// Pieces of all patches; after the symbolic factorisation. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_island_pieces_create(limpet_island_solver *solver, limpet_arena *arena);
// The Hessian += S' K S of patch `index` of the island. K (6 x 6): symmetric.
void limpet_island_pieces_add(limpet_island_solver *solver, int index, const double K[36]);

#endif

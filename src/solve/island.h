/* solve/island.h: what the solvers of all families and gradients do with the vectors of one island.
 *
 *   x, y      (island->size)  generalised, in the order of the island
 *   contact   (contacts x 3)  J x or gamma of the island's contacts, in their order
 *   row       (rows)          a x or gamma of its scalar rows
 * Velocities and forces of a patch's contacts pass through its 6-vector, so a contact costs 18
 * multiply-adds and a patch 6 per column. */
#ifndef LIMPET_SOLVE_ISLAND_H
#define LIMPET_SOLVE_ISLAND_H

#include "contact/problem.h"
#include "math/spatial.h"

// Block number i of an island.
static inline const limpet_block *limpet_island_block(const limpet_contact_problem *problem,
                                                      const limpet_island *island, int i) {
  return &problem->block[problem->island_block[island->block + i]];
}

// local <- the island's part of a vector of all velocities (nv), and back.
void limpet_island_gather(const limpet_contact_problem *problem, const limpet_island *island,
                          const double *global, double *local);
void limpet_island_scatter(const limpet_contact_problem *problem, const limpet_island *island,
                           const double *local, double *global);
// y = A x
void limpet_island_momentum(const limpet_contact_problem *problem, const limpet_island *island,
                            const double *x, double *y);
// Velocities of contacts, without their bias, and of rows.
void limpet_island_speeds(const limpet_contact_problem *problem, const limpet_island *island,
                          const double *x, double *contact, double *row);
// impulse = J' gamma
void limpet_island_impulse(const limpet_contact_problem *problem, const limpet_island *island,
                           const double *contact, const double *row, double *impulse);
// The same of the contacts of one patch: their places in `contact`; impulse +=.
void limpet_patch_speeds(const limpet_contact_problem *problem, const limpet_island *island,
                         const limpet_patch *patch, const double *x, double *contact);
void limpet_patch_impulse(const limpet_contact_problem *problem, const limpet_island *island,
                          const limpet_patch *patch, const double *contact, double *impulse);
// V = spatial velocity [rad/s, m/s] of B relative to A at the patch's point.
static inline void limpet_patch_velocity(const limpet_patch *patch, const double *x, double V[6]) {
  limpet_spatial_zero(V);
  for (int k = 0; k < patch->side_count; ++k) {
    const limpet_patch_side *side = &patch->side[k];
    for (int c = 0; c < side->count; ++c)
      limpet_spatial_addmul(V, x[side->dof[c]], side->column + 6 * c);
  }
}

// impulse += of the wrench F [N m s, N s] on B at the patch's point.
static inline void limpet_patch_push(const limpet_patch *patch, const double F[6],
                                     double *impulse) {
  for (int k = 0; k < patch->side_count; ++k) {
    const limpet_patch_side *side = &patch->side[k];
    for (int c = 0; c < side->count; ++c)
      impulse[side->dof[c]] += limpet_spatial_dot(side->column + 6 * c, F);
  }
}

enum { LIMPET_BODY = 6 };  // velocities of a body that floats alone

/* Whether each side of a patch is a body that floats alone, as in heaps, for which there are
 * kernels. Six velocities in a row of something else will do. */
bool limpet_patch_joins_bodies(const limpet_patch *patch);

/* Rows of J of one contact on the velocities of one side: entry e of column k goes to J[e stride +
 * dof - shift]. `spin`: a fourth row, the turning about the normal. */
void limpet_patch_jacobian(const limpet_patch_side *side, const double W[18], int stride, int shift,
                           bool spin, double *J);

#endif

/* contact/patch.h: the contacts between the same two rigid units: how they are found, what moves
 * them. */
#ifndef LIMPET_CONTACT_PATCH_H
#define LIMPET_CONTACT_PATCH_H

#include "contact/problem.h"
#include "contact/record.h"

// Patches by first appearance: where each contact goes, and how many each patch has. A contact with
// a deformable body has a patch of its own.
typedef struct limpet_patch_grouping {
  int patch_count;
  int *unit;      // (patches x 2)
  int *count;     // (patches)
  int *patch_of;  // (records)
} limpet_patch_grouping;

// What all contacts of a patch share.
typedef struct limpet_patch_sums {
  double D[36];  // inverse spatial inertia from the diagonal of A alone: see delassus.h
  // [rad/s, m/s]  S v0, S v* and S v_thrown (v0 where there are none): spatial velocities of B
  // relative to A at the patch's point
  double V0[6], V_free[6], V_thrown[6];
} limpet_patch_sums;

// LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_patch_grouping_make(const limpet_model *model,
                                         const limpet_contact_records *records, limpet_arena *arena,
                                         limpet_patch_grouping *g);
// Sides and columns of the patch between two rigid units, at patch->point. LIMPET_OK or
// LIMPET_ERROR_MEMORY.
limpet_status limpet_patch_columns(const limpet_contact_problem *problem, const limpet_model *model,
                                   const limpet_data *data, const int unit[2], limpet_arena *arena,
                                   limpet_patch *patch);
// `weights` as limpet_problem_weigh gives them; NULL: D is zero.
void limpet_patch_sums_compute(const limpet_contact_problem *problem, const limpet_model *model,
                               const limpet_data *data, const limpet_patch *patch,
                               const limpet_delassus_weights *weights, limpet_patch_sums *sums);

#endif

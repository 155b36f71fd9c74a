/* solve/island_patch_rows.c: what contacts have of the rows of J of their patch: W S x of the six
 * rows S' x, or the rows themselves; and what these rows push by: see island_jacobian.h. */
#include "math/dense_table.h"
#include "math/pairs.h"
#include "solve/island_jacobian.h"

void limpet_patch_rows_speeds(const limpet_island_solver *s, double *contact) {
  for (int i = 0; i < s->island->patch_count; ++i) {
    const limpet_patch *patch = &s->problem->patch[s->island->patch + i];
    const limpet_patch_rows *rows = &s->patch_rows[i];
    const double *from = s->row_values + rows->first,
                 *W = s->problem->contact_row + 18 * patch->contact;
    double *v = contact + 3 * (patch->contact - s->island->contact);
    if (rows->by_columns) limpet_dense()->contact_speeds(patch->contact_count, W, from, v);
    else limpet_pairs_copy(3 * patch->contact_count, v, from);
  }
}

void limpet_patch_rows_push(const limpet_island_solver *s, const double *contact) {
  for (int i = 0; i < s->island->patch_count; ++i) {
    const limpet_patch *patch = &s->problem->patch[s->island->patch + i];
    const limpet_patch_rows *rows = &s->patch_rows[i];
    const double *gamma = contact + 3 * (patch->contact - s->island->contact),
                 *W = s->problem->contact_row + 18 * patch->contact;
    double *to = s->row_values + rows->first;
    if (rows->by_columns) limpet_dense()->contact_push(patch->contact_count, W, gamma, to);
    else limpet_pairs_copy(3 * patch->contact_count, to, gamma);
  }
}

/* solve/coulomb_sweep_bodies.c: the contact space of an island of free bodies for sweeps, by the
 * kernels of body_sweep.h: J as the island has it, Y = M^-1 J' and the coupling W of the three
 * impulses of each contact, in one pass over the contacts. Cost: 36 multiply-adds in lanes for each
 * side of a contact and 42 for its solves, a factor of six rows for each body. */
#include <string.h>

#include "contact/patch.h"
#include "math/dense_table.h"
#include "solve/coulomb.h"
#include "solve/island.h"

enum { SIDE_ROWS = 3 * FREE_BODY };  // numbers of a contact's rows on one body

/* Factors of all bodies, with the reciprocals (velocities) of their diagonals. False: one is not
 * positive definite. */
static bool factor_bodies(limpet_contact_space *space, double *inverse) {
  double *factor = space->factor;
  for (int t = 0; t < space->island->block_count; ++t, factor += FREE_BODY * FREE_BODY) {
    const limpet_block *block = limpet_island_block(space->problem, space->island, t);
    memcpy(factor, block->matrix, FREE_BODY * FREE_BODY * sizeof *factor);
    if (limpet_dense()->cholesky(FREE_BODY, factor, FREE_BODY, inverse + block->offset))
      return false;
  }
  return true;
}

/* Rows of a contact: by bodies (sides x 3 x 6), in the dense J of the island, or W, from which they
 * are made. NULL: there are none. */
typedef struct contact_rows {
  double *bodies;
  const double *dense, *W;
} contact_rows;

// J (3 x 6) of one side: rows of the island where it has them by bodies, else copied or made.
static void take_rows(const limpet_island_solver *s, const limpet_patch_side *side,
                      const contact_rows *rows, limpet_space_segment *segment) {
  if (rows->bodies) {
    segment->J = rows->bodies;
  } else if (rows->dense) {
    const double *from = rows->dense + segment->offset;
    for (int e = 0; e < 3; ++e)
      memcpy(segment->J + FREE_BODY * e, from + (long)e * s->J_stride, FREE_BODY * sizeof *from);
  } else {
    if (side->count < FREE_BODY) memset(segment->J, 0, SIDE_ROWS * sizeof *segment->J);
    limpet_patch_jacobian(side, rows->W, FREE_BODY, segment->offset, false, segment->J);
  }
}

static void fill_patch(limpet_island_solver *s, int index, const double *inverse) {
  limpet_coulomb *c = s->coulomb;
  limpet_contact_space *space = c->space;
  const limpet_patch *patch = &s->problem->patch[s->island->patch + index];
  const bool dense = s->J && !s->patch_rows[index].by_columns;
  contact_rows rows = {.bodies = s->body_rows ? s->body_rows[index] : NULL,
                       .dense = dense ? s->J + s->patch_rows[index].first * s->J_stride : NULL,
                       .W = s->problem->contact_row + 18 * patch->contact};
  const int first = patch->contact - s->island->contact;
  for (int i = first; i < first + patch->contact_count; ++i) {
    double *W = c->sweep_own + 9 * i;
    memset(W, 0, 9 * sizeof *W);
    limpet_space_segment *segment = space->segment + space->first[i];
    for (int k = 0; k < patch->side_count; ++k, ++segment) {
      take_rows(s, &patch->side[k], &rows, segment);
      c->body_kernels->answer(space->factor + space->factor_at[segment->offset],
                              inverse + segment->offset, segment->J, segment->Y, W);
      if (rows.bodies) rows.bodies += SIDE_ROWS;
    }
    if (dense) rows.dense += 3 * s->J_stride;
    rows.W += 18;
    for (int e = 0; e < 3; ++e) space->diagonal[3 * i + e] = W[4 * e];
  }
}

bool limpet_coulomb_sweep_bodies_fill(limpet_island_solver *s) {
  limpet_contact_space *space = s->coulomb->space;
  const limpet_contact_problem *p = s->problem;
  double *inverse = LIMPET_TAKE(&s->coulomb->room, double, space->velocities);
  if (!inverse || !factor_bodies(space, inverse)) return false;
  for (int i = 0; i < s->island->patch_count; ++i) fill_patch(s, i, inverse);
  limpet_island_gather(p, s->island, p->v_free, space->v_free);
  memcpy(space->v, space->v_free, (size_t)space->velocities * sizeof *space->v);
  for (int i = 0; i < space->contacts && p->contact_bias; ++i)
    for (int e = 0; e < 2; ++e)
      space->bias[3 * i + e] = p->contact_bias[LIMPET_CONTACT_BIAS * (s->island->contact + i) + e];
  return true;
}

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

/* J (3 x 6) of one side: rows of the island where it has them by bodies, else copied or made.
 * `rows`: those of the contact; NULL: there are none. */
static void take_rows(const limpet_island_solver *s, const limpet_patch_side *side, int contact,
                      double *rows, limpet_space_segment *segment) {
  if (rows) {
    segment->J = rows;
  } else if (s->J) {
    const double *from = s->J + (long)(3 * contact) * s->J_stride + segment->offset;
    for (int e = 0; e < 3; ++e)
      memcpy(segment->J + FREE_BODY * e, from + (long)e * s->J_stride, FREE_BODY * sizeof *from);
  } else {
    const double *W = s->problem->contact_row + 18 * (s->island->contact + contact);
    if (side->count < FREE_BODY) memset(segment->J, 0, SIDE_ROWS * sizeof *segment->J);
    limpet_patch_jacobian(side, W, FREE_BODY, segment->offset, false, segment->J);
  }
}

static void fill_patch(limpet_island_solver *s, int index, const double *inverse) {
  limpet_coulomb *c = s->coulomb;
  limpet_contact_space *space = c->space;
  const limpet_patch *patch = &s->problem->patch[s->island->patch + index];
  double *rows = s->body_rows ? s->body_rows[index] : NULL;
  const int first = patch->contact - s->island->contact;
  for (int i = first; i < first + patch->contact_count; ++i) {
    double *W = c->sweep_own + 9 * i;
    memset(W, 0, 9 * sizeof *W);
    limpet_space_segment *segment = space->segment + space->first[i];
    for (int k = 0; k < patch->side_count; ++k, ++segment) {
      take_rows(s, &patch->side[k], i, rows, segment);
      c->body_kernels->answer(space->factor + space->factor_at[segment->offset],
                              inverse + segment->offset, segment->J, segment->Y, W);
      if (rows) rows += SIDE_ROWS;
    }
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

// gradient/contact_side.c: see contact_side.h.
#include "gradient/contact_side.h"

#include <string.h>

#include "math/spatial.h"

// W += motion x* rows
static void add_turned_rows(double W[36], const double motion[6], const double rows[36]) {
  for (int r = 0; r < 36; r += 6) limpet_side_add_turned(W + r, 1.0, motion, rows + r);
}

void limpet_contact_rows_of(const limpet_patch_view *p, limpet_contact_rows rows[LIMPET_SIDES]) {
  const bool moves_a = p->path[LIMPET_SIDE_A].count > 0;
  for (int r = 0; r < 6; ++r) {
    limpet_side_factors all[LIMPET_SIDES];
    double axis[6] = {0.0};
    axis[r] = 1.0;
    limpet_patch_sides(p, p->law.K + LIMPET_LAW_WIDTH * r, all);
    if (moves_a) limpet_side_add_turned(all[LIMPET_SIDE_A].xi, -1.0, axis, p->law.F);
    for (int side = 0; side < LIMPET_SIDES; ++side) {
      if (p->path[side].count == 0) continue;
      limpet_spatial_copy(rows[side].xi + 6 * r, all[side].xi);
      limpet_spatial_copy(rows[side].dV + 6 * r, all[side].dV);
      limpet_spatial_copy(rows[side].dV0 + 6 * r, all[side].dV0);
      limpet_spatial_copy(rows[side].dA + 6 * r, all[side].dA);
    }
  }
}

void limpet_contact_side_of(const limpet_contact_motion *m, const limpet_patch_view *p, int side,
                            const limpet_contact_rows *rows, const limpet_contact_place *at,
                            limpet_contact_side *to) {
  const limpet_body_motion *motion = &m->body[p->unit[side]];
  double V[6], V0[6], A[6];
  memset(to, 0, sizeof *to);
  limpet_spatial_shift_motion(V, motion->V, at->offset);
  limpet_side_shift_matrix(to->W, at->sign, rows->xi, at->lever);
  limpet_side_shift_matrix(to->V, at->sign, rows->dV, at->lever);
  add_turned_rows(to->W, V, to->V);
  if (!p->curved && !p->law.has_0) return;
  limpet_spatial_shift_motion(V0, motion->V0, at->offset);
  limpet_spatial_shift_motion(A, motion->A, at->offset);
  limpet_side_shift_matrix(to->V0, at->sign, rows->dV0, at->lever);
  limpet_side_shift_matrix(to->A, at->sign, rows->dA, at->lever);
  add_turned_rows(to->W, V0, to->V0);
  add_turned_rows(to->W, A, to->A);
  add_turned_rows(to->V0, V0, to->A);
}

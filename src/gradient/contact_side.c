// gradient/contact_side.c: see contact_side.h.
#include "gradient/contact_side.h"

#include "math/spatial.h"

void limpet_contact_side_of(const limpet_contact_motion *m, const limpet_patch_view *p, int side,
                            const limpet_contact_place *at, limpet_contact_side *to) {
  const limpet_body_path *path = &p->path[side];
  const limpet_body_motion *motion = &m->body[p->unit[side]];
  const int slower = limpet_patch_view_slower(p);
  limpet_side_input in = {.law = &p->law,
                          .sign = limpet_patch_signs[side],
                          .sees = side == LIMPET_SIDE_A,
                          .curved = p->curved,
                          .half = 0.5 * p->w->probe->settings->time_step,
                          .omega = path->V0,
                          .slower = p->path[slower].count > 0 ? p->path[slower].V0 : NULL,
                          .is_slower = side == slower,
                          .share = at->sign,
                          .lever = at->lever};
  limpet_vec3_sub(in.apart, p->path[LIMPET_SIDE_A].pivot, p->path[LIMPET_SIDE_B].pivot);
  limpet_patch_view_origin(path, p->patch->point, in.arm, in.v);
  limpet_vec3_sub(in.pivot, path->pivot, p->patch->point);
  limpet_spatial_shift_motion(in.V, motion->V, at->offset);
  limpet_spatial_shift_motion(in.V0, motion->V0, at->offset);
  limpet_spatial_shift_motion(in.A, motion->A, at->offset);
  limpet_contact_kernels_here()->side(&in, to);
}

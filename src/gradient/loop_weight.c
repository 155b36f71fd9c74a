/* gradient/loop_weight.c: how the weight w of what a loop joins changes: see loop_change.c. */
#include "gradient/loop_view.h"
#include "math/spatial.h"

// What the pose along one velocity does to where the rows act.
typedef struct place_change {
  const limpet_path_dof *by;
  int step[2];         // its place on each path; -1: it does not move this body
  double moved[2][3];  // d at
  double axis[3];      // d axis
} place_change;

static void place_change_of(const limpet_loop_view *view, int side, int k, place_change *change) {
  const limpet_path_dof *step = &view->path[side].step[k];
  double apart[3], middle[3];
  *change = (place_change){.by = step, .step = {-1, -1}};
  change->step[side] = k;
  if (step->shared) change->step[1 - side] = k;
  for (int s = 0; s < 2; ++s)
    if (change->step[s] >= 0) limpet_loop_point_motion(step->S, view->end[s], change->moved[s]);
  limpet_vec3_sub(apart, change->moved[1], change->moved[0]);
  if (view->kind == LIMPET_LOOP_DISTANCE && view->length > 0.0) {
    limpet_vec3_addmul(change->axis, apart, -limpet_vec3_dot(view->axis, apart), view->axis);
    limpet_vec3_scale(change->axis, 1.0 / view->length, change->axis);
  }
  if (view->kind != LIMPET_LOOP_WELD) return;
  limpet_vec3_add(middle, change->moved[0], change->moved[1]);
  for (int s = 0; s < 2; ++s) limpet_vec3_scale(change->moved[s], 0.5, middle);
}

// dw of a part, weights held.
static double weight_change(const limpet_loop_view *view, const place_change *change, int part) {
  double dw = 0.0;
  for (int side = 0; side < 2; ++side)
    for (int k = 0; k < view->path[side].count; ++k) {
      const limpet_path_dof *step = &view->path[side].step[k];
      const int j = change->step[side];
      double w[3], dc[3], dC[6] = {0.0}, Gw[3], term[3];
      if (step->shared) continue;
      limpet_loop_column(view, part, side, step->W, w);
      if (j >= 0 && limpet_body_path_moves_steady(&view->path[side], j, k))
        limpet_spatial_cross_motion(dC, change->by->S, step->C);
      if (part == 1) {
        limpet_vec3_copy(dc, dC);
      } else {
        limpet_loop_point_motion(dC, view->at[side], dc);
        limpet_vec3_cross(term, step->C, change->moved[side]);
        limpet_vec3_add(dc, dc, term);
      }
      limpet_mat3_mul_vec(Gw, view->G[part], w);
      dw += 2.0 * limpet_vec3_dot(Gw, dc);
    }
  if (view->kind == LIMPET_LOOP_DISTANCE) dw += 2.0 * limpet_vec3_dot(view->Dn, change->axis);
  return dw;
}

void limpet_loop_weight_change(const limpet_loop_view *view, int side, int k, double dw[2]) {
  place_change change;
  place_change_of(view, side, k, &change);
  dw[0] = weight_change(view, &change, 0);
  dw[1] = view->kind == LIMPET_LOOP_WELD ? weight_change(view, &change, 1) : 0.0;
}

void limpet_loop_by_weight(const limpet_loop_view *view, int side, int k, int l, double dw[2]) {
  const limpet_path_dof *step = view->path[side].step;
  for (int part = 0; part < 2; ++part) {
    double c[3], other[3], Gc[3];
    limpet_loop_column(view, part, side, step[k].C, c);
    limpet_loop_column(view, part, side, step[l].C, other);
    limpet_mat3_mul_vec(Gc, view->G[part], c);
    dw[part] = limpet_vec3_dot(Gc, other);
  }
}

bool limpet_loop_weighs(const limpet_loop_view *view) {
  for (int i = 0; i < view->count; ++i)
    if (view->law[i].rest * view->law[i].rho_by_w != 0.0) return true;
  return false;
}

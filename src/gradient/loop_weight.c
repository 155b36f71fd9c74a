/* gradient/loop_weight.c: how the weight w of what a loop joins changes: see loop_change.c.
 *
 *   dw = 2 sum of h_k . dc_k over the velocities k that do not move both bodies, h = G w
 *   dc = dC at x + C_w x dx,   dC_k = S_j x C_k where pose j moves C_k,   dw += 2 Dn . de
 * Sums from the body back to the root: cost linear in the lengths of the paths. */
#include <string.h>

#include "gradient/loop_view.h"
#include "math/spatial.h"

// What the velocities of a side have, of one part.
typedef struct side_weights {
  double (*turned)[6];  // (of a side)  C x* of the wrench that h is, both about where the rows act
  double moved[3];      // factors of dx
} side_weights;

static void weigh_side(const limpet_loop_view *view, int part, int side, side_weights *to) {
  limpet_vec3_zero(to->moved);
  for (int k = view->from[side]; k < view->from[side + 1]; ++k) {
    const limpet_loop_arm *arm = &view->arm[k];
    const double *C = view->motion->dof[view->dof[k]].C;
    double h[3], m[3], *turned = to->turned[k - view->from[side]];
    limpet_mat3_mul_vec(h, view->G[part], arm->w[part]);
    limpet_vec3_scale(h, 2.0, h);
    limpet_vec3_cross(turned, part == 1 ? C : arm->c[part], h);
    limpet_vec3_zero(turned + 3);
    if (part == 1) continue;
    limpet_vec3_cross(turned + 3, C, h);
    limpet_vec3_cross(m, h, C);
    limpet_vec3_add(to->moved, to->moved, m);
  }
}

// The axes that the pose at place j moves, and that are not behind it, or the other way round:
// those of its own joint.
static void turn_joint(const limpet_loop_view *view, int side, const side_weights *by, int j,
                       double sum[6]) {
  enum { JOINT = 2 };  // rotations of one joint around one
  const limpet_model *model = view->motion->w->probe->model;
  const int first = view->from[side], end = view->from[side + 1], dof = view->dof[j];
  if (limpet_joint_kind_nv(model->joint_kind[model->dof_joint[dof]]) == 1) return;
  for (int k = j - JOINT > first ? j - JOINT : first; k < end && k <= j + JOINT; ++k)
    if (limpet_contact_motion_moves_steady(view->motion, dof, view->dof[k]) != (k > j))
      limpet_spatial_addmul(sum, k > j ? -1.0 : 1.0, by->turned[k - first]);
}

// By what a pose does to where the rows act, through the end of a side that it moves by `moved`,
// and to the axis of a distance. by: factors of both places.
static double move_places(const limpet_loop_view *view, int side, const double moved[3],
                          const side_weights by[2]) {
  double apart[3], sum[3];
  if (view->kind == LIMPET_LOOP_WELD) {
    limpet_vec3_add(sum, by[0].moved, by[1].moved);
    return 0.5 * limpet_vec3_dot(moved, sum);
  }
  const double dw = limpet_vec3_dot(moved, by[side].moved);
  if (view->kind != LIMPET_LOOP_DISTANCE || !(view->length > 0.0)) return dw;
  const double along = limpet_vec3_dot(view->axis, view->Dn);
  limpet_vec3_addmul(apart, view->Dn, -along, view->axis);
  return dw + (side == 0 ? -2.0 : 2.0) / view->length * limpet_vec3_dot(apart, moved);
}

// By the poses of one part on the way to a side. sum (6): of what is behind, which grows.
static void turn_axes(const limpet_loop_view *view, int part, int side, int of,
                      const side_weights by[2], double behind[6]) {
  double at[3], end[3];
  limpet_vec3_add(at, view->body[side].lever, view->at[side]);
  limpet_vec3_add(end, view->body[side].lever, view->end[side]);
  for (int j = view->from[of + 1] - 1; j >= view->from[of]; --j) {
    const double *S = view->motion->dof[view->dof[j]].pose.S;
    double sum[6], moved[3], *dw = view->dw + 2 * j;
    limpet_spatial_copy(sum, behind);
    if (of == side) turn_joint(view, side, &by[side], j, sum);
    limpet_loop_point_motion(S, at, moved);
    dw[part] += limpet_vec3_dot(S, sum) + limpet_vec3_dot(moved, sum + 3);
    if (of == side) limpet_spatial_addmul(behind, 1.0, by[side].turned[j - view->from[side]]);
    if (part == 1) continue;
    limpet_loop_point_motion(S, end, moved);
    dw[0] += move_places(view, side, moved, by);
  }
}

limpet_status limpet_loop_weights_make(limpet_loop_view *view, limpet_arena *arena) {
  const int *from = view->from;
  view->weighs = false;
  for (int i = 0; i < view->count; ++i)
    view->weighs = view->weighs || view->law[i].rest * view->law[i].rho_by_w != 0.0;
  if (!view->weighs) return LIMPET_OK;
  side_weights by[LIMPET_SIDES];
  view->dw = LIMPET_TAKE_ZERO(arena, double, 2 * from[LIMPET_LOOP_PARTS]);
  by[0].turned = limpet_arena_take(arena, (size_t)from[LIMPET_LOOP_BOTH] * sizeof *by[0].turned);
  if (!view->dw || !by[0].turned) return LIMPET_ERROR_MEMORY;
  by[1].turned = by[0].turned + from[1];
  for (int part = 0; part < (view->kind == LIMPET_LOOP_WELD ? 2 : 1); ++part) {
    for (int side = 0; side < LIMPET_SIDES; ++side) weigh_side(view, part, side, &by[side]);
    for (int side = 0; side < LIMPET_SIDES; ++side) {
      double behind[6] = {0.0};
      turn_axes(view, part, side, side, by, behind);
      turn_axes(view, part, side, LIMPET_LOOP_BOTH, by, behind);
    }
  }
  return LIMPET_OK;
}

double limpet_loop_by_weight(const limpet_loop_view *view, int part, int k, int l) {
  double Gc[3];
  limpet_mat3_mul_vec(Gc, view->G[part], view->arm[k].c[part]);
  return limpet_vec3_dot(Gc, view->arm[l].c[part]);
}

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
  double *turned;   // (count x 6)  C x* of the wrench that h is
  double moved[3];  // factors of dx
} side_weights;

static void weigh_side(const limpet_loop_view *view, int part, int side, side_weights *to) {
  const limpet_body_path *path = &view->path[side];
  memset(to->turned, 0, 6 * (size_t)path->count * sizeof *to->turned);
  limpet_vec3_zero(to->moved);
  for (int k = 0; k < path->count; ++k) {
    const limpet_path_dof *step = &path->step[k];
    double w[3], h[3], H[6], m[3];
    if (step->shared) continue;
    limpet_loop_column(view, part, side, step->W, w);
    limpet_mat3_mul_vec(h, view->G[part], w);
    limpet_vec3_scale(h, 2.0, h);
    if (part == 1) {
      limpet_vec3_copy(H, h), limpet_vec3_zero(H + 3);
    } else {
      limpet_vec3_cross(H, view->at[side], h), limpet_vec3_copy(H + 3, h);
      limpet_vec3_cross(m, h, step->C);
      limpet_vec3_add(to->moved, to->moved, m);
    }
    limpet_spatial_cross_force(to->turned + 6 * k, step->C, H);
  }
}

// The axes that pose j moves, and that are not behind it, or the other way round: those of its own
// joint.
static void turn_joint(const limpet_body_path *path, const double *turned, int j, double sum[6]) {
  enum { JOINT = 2 };  // rotations of one joint around one
  const int joint = path->model->dof_joint[path->step[j].dof];
  if (path->step[j].shared || limpet_joint_kind_nv(path->model->joint_kind[joint]) == 1) return;
  for (int k = j > JOINT ? j - JOINT : 0; k < path->count && k <= j + JOINT; ++k)
    if (limpet_body_path_moves_steady(path, j, k) != (k > j))
      limpet_spatial_addmul(sum, k > j ? -1.0 : 1.0, turned + 6 * k);
}

// By what poses do to axes of their side.
static void turn_axes(const limpet_body_path *path, const double *turned, int part, double *dw) {
  double behind[6] = {0.0};
  for (int j = path->count - 1; j >= 0; --j) {
    double sum[6];
    limpet_spatial_copy(sum, behind);
    turn_joint(path, turned, j, sum);
    dw[2 * j + part] += limpet_spatial_dot(path->step[j].S, sum);
    limpet_spatial_addmul(behind, 1.0, turned + 6 * j);
  }
}

// By what a pose does to where the rows act, through the end of a side, and to the axis of a
// distance. by: factors of both places.
static double move_places(const limpet_loop_view *view, int side, const double S[6],
                          const side_weights by[2]) {
  double moved[3], apart[3], sum[3];
  limpet_loop_point_motion(S, view->end[side], moved);
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

limpet_status limpet_loop_weights_make(limpet_loop_view *view, limpet_arena *arena) {
  const limpet_body_path *path = view->path;
  const int steps = path[0].count + path[1].count;
  view->weighs = false;
  for (int i = 0; i < view->count; ++i)
    view->weighs = view->weighs || view->law[i].rest * view->law[i].rho_by_w != 0.0;
  if (!view->weighs) return LIMPET_OK;
  side_weights by[2];
  view->dw[0] = LIMPET_TAKE_ZERO(arena, double, 2 * steps);
  by[0].turned = LIMPET_TAKE(arena, double, 6 * steps);
  if (!view->dw[0] || !by[0].turned) return LIMPET_ERROR_MEMORY;
  view->dw[1] = view->dw[0] + 2 * path[0].count;
  by[1].turned = by[0].turned + 6 * path[0].count;
  for (int part = 0; part < (view->kind == LIMPET_LOOP_WELD ? 2 : 1); ++part) {
    for (int side = 0; side < 2; ++side) weigh_side(view, part, side, &by[side]);
    for (int side = 0; side < 2; ++side) {
      turn_axes(&path[side], by[side].turned, part, view->dw[side]);
      for (int k = 0; k < path[side].count && part == 0; ++k)
        view->dw[side][2 * k] += move_places(view, side, path[side].step[k].S, by);
    }
  }
  return LIMPET_OK;
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

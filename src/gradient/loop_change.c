/* gradient/loop_change.c: see loop_change.h.
 *
 * Row i pushes B by the wrench f_i about C and A by its opposite, f = [x cross e; e] at the point
 * x(B), x(A) where it acts, or [e; 0] of the rotations of a weld:
 *   u_i = f_B . U_B - f_A . U_A,   du_i = df . U + f . dU,   dU = S_j x sum of what j carries
 *   connect   e fixed,  x = Q, P,     g = Q - P
 *   weld      e fixed,  x = middle,   g = (turn, Q - P),  d turn = J(turn)^-1 (dB - R(turn) dA)
 *   distance  e = (Q - P)/|Q - P|,    g = |Q - P| - L
 *   bias      dt/2 (a_Q - a_P), a = A + A_w x x + omega x v at constant joint velocities
 * (constraint/ distance.c has what distance adds) w         ||D||_F/3, D = sum c c'/A_kk over
 * columns c at x;  distance: e'D e dgamma_i = rho (dv_hat - du) + (v_hat - u) drho, with the row's
 * own law, differentiated on the scale of its error. Velocities that move both bodies are in g and
 * the bias, not in u, f, D. */
#include "gradient/loop_change.h"

#include <math.h>
#include <string.h>

#include "gradient/loop_view.h"
#include "math/quaternion.h"
#include "math/spatial.h"

static const double small_turn = 1e-4;  // [rad]  below it the series of J^-1
static const double signs[2] = {-1.0, 1.0};

// --------------------------------------------------------------------------------------- geometry

// e of row i, and its change.
static void axis_of(const limpet_loop_view *view, int i, double e[3]) {
  limpet_vec3_zero(e);
  if (view->kind == LIMPET_LOOP_DISTANCE) limpet_vec3_copy(e, view->axis);
  else e[i % 3] = 1.0;
}

static void wrench_of(const limpet_loop_view *view, int i, int side, double f[6]) {
  double e[3];
  limpet_spatial_zero(f);
  axis_of(view, i, e);
  if (limpet_loop_is_turning(view, i)) {
    limpet_vec3_copy(f, e);
    return;
  }
  limpet_vec3_cross(f, view->at[side], e);
  limpet_vec3_copy(f + 3, e);
}

static void wrench_change(const limpet_loop_view *view, const limpet_loop_change *change, int i,
                          int side, double df[6]) {
  double e[3], term[3];
  limpet_spatial_zero(df);
  if (limpet_loop_is_turning(view, i)) return;
  axis_of(view, i, e);
  limpet_vec3_cross(df, change->moved[side], e);
  if (view->kind != LIMPET_LOOP_DISTANCE) return;
  limpet_vec3_cross(term, view->at[side], change->axis);
  limpet_vec3_add(df, df, term);
  limpet_vec3_copy(df + 3, change->axis);
}

// y = J(turn)^-1 x: the rotation vector turns by y where its rotation turns by x from the left.
static void inverse_turn(const double turn[3], const double x[3], double y[3]) {
  double once[3], twice[3];
  const double angle = limpet_vec3_norm(turn);
  const double c =
      angle < small_turn ? 1.0 / 12.0 : 1.0 / (angle * angle) - 0.5 / (angle * tan(0.5 * angle));
  limpet_vec3_cross(once, turn, x);
  limpet_vec3_cross(twice, turn, once);
  limpet_vec3_addmul(y, x, -0.5, once);
  limpet_vec3_addmul(y, y, c, twice);
}

double limpet_loop_entry(const limpet_loop_view *view, int i, int side, int k) {
  const limpet_path_dof *step = &view->path[side].step[k];
  double f[6];
  if (step->shared) return 0.0;
  wrench_of(view, i, side, f);
  return signs[side] * limpet_spatial_dot(f, step->S);
}

// dS_k by the pose at place j of a side. False: it does not move.
static bool axis_moves(const limpet_loop_view *view, const limpet_loop_change *change, int side,
                       int k, double dS[6]) {
  const int j = change->step[side];
  if (j < 0 || !limpet_body_path_moves(&view->path[side], j, k)) return false;
  limpet_spatial_cross_motion(dS, change->by->S, view->path[side].step[k].S);
  return true;
}

double limpet_loop_entry_change(const limpet_loop_view *view, const limpet_loop_change *change,
                                int i, int side, int k) {
  const limpet_path_dof *step = &view->path[side].step[k];
  double f[6], dS[6];
  if (step->shared) return 0.0;
  wrench_change(view, change, i, side, f);
  double sum = limpet_spatial_dot(f, step->S);
  if (axis_moves(view, change, side, k, dS)) {
    wrench_of(view, i, side, f);
    sum += limpet_spatial_dot(f, dS);
  }
  return signs[side] * sum;
}

// ---------------------------------------------------------------------------------------- changes

static double size_change(const limpet_model *model, const limpet_loop_view *view, int i,
                          const double *g, const double *dg) {
  if (view->kind == LIMPET_LOOP_DISTANCE) return dg[0];
  const double r = limpet_loop_size(model, view, i, g),
               s = 0.5 * model->loop_torque_scale[view->loop];
  if (r == 0.0) return 0.0;
  if (view->kind == LIMPET_LOOP_CONNECT) return limpet_vec3_dot(g, dg) / r;
  if (!model->loop_has_impedance[view->loop]) {
    const int from = i < 3 ? 0 : 3;
    return limpet_vec3_dot(g + from, dg + from) / r;
  }
  return (limpet_vec3_dot(g + 3, dg + 3) + s * s * limpet_vec3_dot(g, dg)) / r;
}

typedef struct end_change {
  double moved[3], a[3], v[3], alpha[3], turn[3];
} end_change;

// How the pivot of a body would go round its origin, if that went straight: w x (w x arm).
static void curve_of(const limpet_body_path *path, double arm[3], double turn[3], double curve[3]) {
  limpet_vec3_sub(arm, path->pivot, path->origin);
  limpet_vec3_cross(turn, path->V0, arm);
  limpet_vec3_cross(curve, path->V0, turn);
}

// How that changes: with the pose, xi, all of it turns.
static void curve_change(const limpet_body_path *path, const double *xi, const double dV[6],
                         double change[3]) {
  double arm[3], turn[3], curve[3], term[3];
  curve_of(path, arm, turn, curve);
  if (xi) {
    limpet_vec3_cross(change, xi, curve);
    return;
  }
  limpet_vec3_cross(change, dV, turn);
  limpet_vec3_cross(term, dV, arm);
  limpet_vec3_cross(curve, path->V0, term);
  limpet_vec3_add(change, change, curve);
}

/* What happens to the end of the loop on one side, at constant joint velocities: its place, its
 * velocity and its acceleration. xi: NULL where a velocity changes. */
static void end_of(const limpet_loop_view *view, int side, const double *xi, const double dV[6],
                   const double dA[6], end_change *to) {
  const limpet_body_path *path = &view->path[side];
  const double *x = view->end[side], *omega = path->V0;
  double v[3], term[3];
  memset(to, 0, sizeof *to);
  if (xi) limpet_loop_point_motion(xi, x, to->moved), limpet_vec3_copy(to->turn, xi);
  limpet_loop_point_motion(path->V0, x, v);
  limpet_loop_point_motion(dV, x, to->v);
  limpet_vec3_cross(term, omega, to->moved);
  limpet_vec3_add(to->v, to->v, term);
  limpet_loop_point_motion(dA, x, to->a);
  limpet_vec3_cross(term, path->A, to->moved);
  limpet_vec3_add(to->a, to->a, term);
  limpet_vec3_cross(term, dV, v);
  limpet_vec3_add(to->a, to->a, term);
  limpet_vec3_cross(term, omega, to->v);
  limpet_vec3_add(to->a, to->a, term);
  curve_change(path, xi, dV, term);
  limpet_vec3_sub(to->a, to->a, term);
  limpet_vec3_copy(to->alpha, dA);
}

static void ends_of(const limpet_loop_view *view, const limpet_loop_change *change, bool pose,
                    end_change end[2]) {
  static const double none[6] = {0.0};
  for (int side = 0; side < 2; ++side) {
    const int k = change->step[side];
    const limpet_path_dof *step = k < 0 ? NULL : &view->path[side].step[k];
    if (pose)
      end_of(view, side, step ? step->S : none, step ? step->dV0 : none, step ? step->dA : none,
             &end[side]);
    else end_of(view, side, NULL, step ? step->S : none, step ? step->dA_v : none, &end[side]);
  }
}

// d of dt/2 |v across|^2/|Q - P| of distance.
static double across_change(const limpet_loop_view *view, const limpet_loop_change *change,
                            const double dv[3], double dlength) {
  double v[2][3], apart[3];
  if (!(view->length > 0.0)) return 0.0;
  for (int side = 0; side < 2; ++side)
    limpet_loop_point_motion(view->path[side].V0, view->end[side], v[side]);
  limpet_vec3_sub(apart, v[1], v[0]);
  const double along = limpet_vec3_dot(view->axis, apart),
               across = limpet_vec3_dot(apart, apart) - along * along;
  const double dalong = limpet_vec3_dot(change->axis, apart) + limpet_vec3_dot(view->axis, dv);
  return (2.0 * limpet_vec3_dot(apart, dv) - 2.0 * along * dalong) / view->length -
         across * dlength / (view->length * view->length);
}

// a_Q - a_P at constant joint velocities.
static void accelerations(const limpet_probe *probe, const limpet_loop_view *view,
                          double apart[3]) {
  double a[2][3];
  for (int side = 0; side < 2; ++side) {
    const limpet_body_path *path = &view->path[side];
    double v[3], term[3], arm[3], turn[3];
    limpet_loop_point_motion(path->V0, view->end[side], v);
    limpet_loop_point_motion(path->A, view->end[side], a[side]);
    limpet_vec3_cross(term, path->V0, v);
    limpet_vec3_add(a[side], a[side], term);
    curve_of(path, arm, turn, term);
    limpet_vec3_sub(a[side], a[side], term);
    const double *bend = limpet_probe_bend(probe, limpet_loop_unit(probe->model, view, side));
    if (bend) limpet_vec3_sub(a[side], a[side], bend);
  }
  limpet_vec3_sub(apart, a[1], a[0]);
}

// db of the rows.
static void bias_change(const limpet_probe *probe, const limpet_loop_view *view,
                        const limpet_loop_change *change, const end_change end[2], double dlength,
                        double db[6]) {
  const double half = 0.5 * probe->settings->time_step;
  double da[3], dv[3], apart[3];
  memset(db, 0, 6 * sizeof *db);
  if (!probe->settings->curved_paths || probe->residual->solved->motion.straight) return;
  limpet_vec3_sub(da, end[1].a, end[0].a);
  limpet_vec3_sub(dv, end[1].v, end[0].v);
  if (view->kind == LIMPET_LOOP_DISTANCE) {
    accelerations(probe, view, apart);
    db[0] = half * (limpet_vec3_dot(view->axis, da) + limpet_vec3_dot(change->axis, apart) +
                    across_change(view, change, dv, dlength));
    return;
  }
  limpet_vec3_scale(db + (view->kind == LIMPET_LOOP_WELD ? 3 : 0), half, da);
  if (view->kind != LIMPET_LOOP_WELD) return;
  for (int i = 0; i < 3; ++i) db[i] = half * (end[1].alpha[i] - end[0].alpha[i]);
}

// dg of the rows; of distance the change of its axis, too.
static void error_change(const limpet_loop_view *view, const end_change end[2],
                         limpet_loop_change *change, double dg[6]) {
  double apart[3];
  memset(dg, 0, 6 * sizeof *dg);
  limpet_vec3_sub(apart, end[1].moved, end[0].moved);
  if (view->kind == LIMPET_LOOP_DISTANCE) {
    dg[0] = limpet_vec3_dot(view->axis, apart);
    limpet_vec3_addmul(change->axis, apart, -dg[0], view->axis);
    if (view->length > 0.0) limpet_vec3_scale(change->axis, 1.0 / view->length, change->axis);
    else limpet_vec3_zero(change->axis);
    return;
  }
  if (view->kind == LIMPET_LOOP_CONNECT) {
    limpet_vec3_copy(dg, apart);
    return;
  }
  double quaternion[4], R[9], turned[3], left[3];
  limpet_quaternion_exp(quaternion, view->turn);
  limpet_quaternion_to_matrix(R, quaternion);
  limpet_mat3_mul_vec(turned, R, end[0].turn);
  limpet_vec3_sub(left, end[1].turn, turned);
  inverse_turn(view->turn, left, dg);
  limpet_vec3_copy(dg + 3, apart);
}

// dU of a side by what is carried along.
static void velocity_carried(const limpet_probe *probe, const limpet_loop_view *view,
                             const limpet_loop_change *change, int side, double dU[6]) {
  const limpet_body_path *path = &view->path[side];
  const int j = change->step[side];
  double sum[6] = {0.0};
  limpet_spatial_zero(dU);
  if (j < 0) return;
  for (int k = 0; k < path->count; ++k)
    if (!path->step[k].shared && limpet_body_path_moves(path, j, k))
      limpet_spatial_addmul(sum, probe->residual->v[path->step[k].dof], path->step[k].S);
  limpet_spatial_cross_motion(dU, change->by->S, sum);
}

// dw of a part, weights held.
static double weight_change(const limpet_loop_view *view, const limpet_loop_change *change,
                            int part) {
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

static void change_begin(const limpet_loop_view *view, int side, int k,
                         limpet_loop_change *change) {
  const limpet_path_dof *step = &view->path[side].step[k];
  memset(change, 0, sizeof *change);
  change->by = step;
  change->step[0] = change->step[1] = -1;
  change->step[side] = k;
  if (step->shared) change->step[1 - side] = k;
}

void limpet_loop_change_pose(const limpet_probe *probe, const limpet_loop_view *view, int side,
                             int k, limpet_loop_change *change) {
  end_change end[2];
  double g[6] = {0.0}, dg[6], db[6], dU[2][6], dw[2] = {0.0, 0.0};
  change_begin(view, side, k, change);
  ends_of(view, change, true, end);
  limpet_loop_errors(probe->model, view, g);
  error_change(view, end, change, dg);
  for (int s = 0; s < 2; ++s) {
    limpet_vec3_copy(change->moved[s], end[s].moved);
    velocity_carried(probe, view, change, s, dU[s]);
  }
  if (view->kind == LIMPET_LOOP_WELD) {
    double sum[3];
    limpet_vec3_add(sum, end[0].moved, end[1].moved);
    for (int s = 0; s < 2; ++s) limpet_vec3_scale(change->moved[s], 0.5, sum);
  }
  bias_change(probe, view, change, end, dg[0], db);
  for (int part = 0; part < (view->kind == LIMPET_LOOP_WELD ? 2 : 1); ++part)
    dw[part] = weight_change(view, change, part);
  for (int i = 0; i < view->count; ++i) {
    const limpet_loop_law *law = &view->law[i];
    double du = 0.0, f[6], df[6];
    for (int s = 0; s < 2; ++s) {
      wrench_of(view, i, s, f);
      wrench_change(view, change, i, s, df);
      du += signs[s] * (limpet_spatial_dot(df, view->U[s]) + limpet_spatial_dot(f, dU[s]));
    }
    const double dr = size_change(probe->model, view, i, g, dg);
    change->dgamma[i] =
        law->rho * (law->v_by_g * dg[i] + law->v_by_b * db[i] + law->v_by_r * dr - du) +
        law->rest * (law->rho_by_g * dg[i] + law->rho_by_r * dr +
                     law->rho_by_w * dw[limpet_loop_part(view, i)]);
  }
}

void limpet_loop_change_velocity(const limpet_probe *probe, const limpet_loop_view *view, int side,
                                 int k, limpet_loop_change *change) {
  end_change end[2];
  double db[6];
  change_begin(view, side, k, change);
  ends_of(view, change, false, end);
  bias_change(probe, view, change, end, 0.0, db);
  for (int i = 0; i < view->count; ++i)
    change->dgamma[i] = view->law[i].rho * view->law[i].v_by_b * db[i];
}

void limpet_loop_change_bend(const limpet_probe *probe, const limpet_loop_view *view, int side,
                             const double dbend[3], double dgamma[LIMPET_LOOP_ROWS]) {
  const limpet_loop_change change = {.step = {-1, -1}};
  end_change end[2];
  double db[6];
  memset(end, 0, sizeof end);
  limpet_vec3_scale(end[side].a, -1.0, dbend);
  bias_change(probe, view, &change, end, 0.0, db);
  for (int i = 0; i < view->count; ++i) dgamma[i] = view->law[i].rho * view->law[i].v_by_b * db[i];
}

void limpet_loop_change_weight(const limpet_loop_view *view, int side, int k, int l,
                               double dgamma[6]) {
  const limpet_path_dof *step = view->path[side].step;
  for (int i = 0; i < view->count; ++i) {
    const int part = limpet_loop_part(view, i);
    double c[3], other[3], Gc[3];
    limpet_loop_column(view, part, side, step[k].C, c);
    limpet_loop_column(view, part, side, step[l].C, other);
    limpet_mat3_mul_vec(Gc, view->G[part], c);
    dgamma[i] = (k == l ? 1.0 : 2.0) * view->law[i].rest * view->law[i].rho_by_w *
                limpet_vec3_dot(Gc, other);
  }
}

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
 * the bias, not in u, f, D.
 *
 * All is linear in the motions of both bodies. Products from the left with dgamma_i and df_i run
 * backwards through these equations, from impulses and wrenches to the twists of the bodies. */
#include "gradient/loop_change.h"

#include <math.h>
#include <string.h>

#include "gradient/loop_view.h"
#include "math/quaternion.h"
#include "math/spatial.h"

static const double small_turn = 1e-4;  // [rad]  below it the series of J^-1

// Factors of the changes of both ends, of where the rows act, and of the axis of a distance.
typedef struct loop_pull {
  const limpet_loop_view *view;
  double end[2][3], at[2][3], axis[3];
  double apart[3];                       // of Q - P, besides its ends
  double turn[2][3];                     // of rotations of the bodies, besides
  double a[2][3], v[2][3], alpha[2][3];  // of accelerations and velocities of the ends
} loop_pull;

// --------------------------------------------------------------------------------------- wrenches

// Force and moment that factors c of the rows are together.
static void split(const limpet_loop_view *view, const double c[LIMPET_LOOP_ROWS], double force[3],
                  double moment[3]) {
  limpet_vec3_zero(moment);
  switch (view->kind) {
    case LIMPET_LOOP_DISTANCE: limpet_vec3_scale(force, c[0], view->axis); return;
    case LIMPET_LOOP_WELD: limpet_vec3_copy(moment, c), limpet_vec3_copy(force, c + 3); return;
    default: limpet_vec3_copy(force, c);
  }
}

void limpet_loop_wrench(const limpet_loop_view *view, const double c[LIMPET_LOOP_ROWS], int side,
                        double f[6]) {
  double moment[3];
  split(view, c, f + 3, moment);
  limpet_vec3_cross(f, view->at[side], f + 3);
  limpet_vec3_add(f, f, moment);
}

// What c has of df . X, of both bodies.
static void pull_wrench(loop_pull *p, const double c[LIMPET_LOOP_ROWS], const double X[2][6]) {
  double force[3], moment[3], part[3];
  split(p->view, c, force, moment);
  for (int s = 0; s < 2; ++s) {
    limpet_vec3_cross(part, force, X[s]);
    limpet_vec3_addmul(p->at[s], p->at[s], limpet_patch_signs[s], part);
    if (p->view->kind != LIMPET_LOOP_DISTANCE) continue;
    limpet_loop_point_motion(X[s], p->view->at[s], part);
    limpet_vec3_addmul(p->axis, p->axis, limpet_patch_signs[s] * c[0], part);
  }
}

// ----------------------------------------------------------------------------------------- errors

// y = J(turn)^-1' x: the rotation vector turns by J^-1 x where its rotation turns by x from the
// left.
static void inverse_turn_transposed(const double turn[3], const double x[3], double y[3]) {
  double once[3], twice[3];
  const double angle = limpet_vec3_norm(turn);
  const double c =
      angle < small_turn ? 1.0 / 12.0 : 1.0 / (angle * angle) - 0.5 / (angle * tan(0.5 * angle));
  limpet_vec3_cross(once, turn, x);
  limpet_vec3_cross(twice, turn, once);
  limpet_vec3_addmul(y, x, 0.5, once);
  limpet_vec3_addmul(y, y, c, twice);
}

// What factors of sizes r, `by` (rows), are of errors: by_g += by dr/dg.
static void pull_size(const limpet_model *model, const limpet_loop_view *view,
                      const double by[LIMPET_LOOP_ROWS], double by_g[LIMPET_LOOP_ROWS]) {
  double g[LIMPET_LOOP_ROWS] = {0.0};
  if (view->kind == LIMPET_LOOP_DISTANCE) {
    by_g[0] += by[0];
    return;
  }
  limpet_loop_errors(model, view, g);
  const bool whole = view->kind == LIMPET_LOOP_WELD && model->loop_has_impedance[view->loop];
  const double s = 0.5 * model->loop_torque_scale[view->loop];
  for (int from = 0; from < view->count; from += 3) {
    const double r = limpet_loop_size(model, view, from, g),
                 own = by[from] + by[from + 1] + by[from + 2],
                 sum = whole ? own + by[3 - from] + by[4 - from] + by[5 - from] : own,
                 share = whole && from == 0 ? s * s : 1.0;
    if (r > 0.0) limpet_vec3_addmul(by_g + from, by_g + from, share * sum / r, g + from);
  }
}

// From errors to both ends.
static void pull_errors(loop_pull *p, const double by_g[LIMPET_LOOP_ROWS]) {
  const limpet_loop_view *view = p->view;
  double quaternion[4], R[9], turned[3];
  if (view->kind == LIMPET_LOOP_DISTANCE) limpet_vec3_scale(p->apart, by_g[0], view->axis);
  else limpet_vec3_copy(p->apart, by_g + (view->kind == LIMPET_LOOP_WELD ? 3 : 0));
  if (view->kind != LIMPET_LOOP_WELD) return;
  limpet_quaternion_exp(quaternion, view->turn);
  limpet_quaternion_to_matrix(R, quaternion);
  inverse_turn_transposed(view->turn, by_g, p->turn[1]);
  limpet_mat3_tmul_vec(turned, R, p->turn[1]);
  limpet_vec3_scale(p->turn[0], -1.0, turned);
}

// ------------------------------------------------------------------------------------------- bias

// How the pivot of a body would go round its origin, if that went straight: w x (w x arm).
static void curve_of(const limpet_loop_body *body, double arm[3], double turn[3], double curve[3]) {
  limpet_vec3_sub(arm, body->pivot, body->origin);
  limpet_vec3_cross(turn, body->V0, arm);
  limpet_vec3_cross(curve, body->V0, turn);
}

// a_Q - a_P at constant joint velocities.
static void accelerations(const limpet_probe *probe, const limpet_loop_view *view,
                          double apart[3]) {
  double a[2][3];
  for (int side = 0; side < 2; ++side) {
    const limpet_loop_body *body = &view->body[side];
    double v[3], term[3], arm[3], turn[3];
    limpet_loop_point_motion(body->V0, view->end[side], v);
    limpet_loop_point_motion(body->A, view->end[side], a[side]);
    limpet_vec3_cross(term, body->V0, v);
    limpet_vec3_add(a[side], a[side], term);
    curve_of(body, arm, turn, term);
    limpet_vec3_sub(a[side], a[side], term);
    const double *bend = limpet_probe_bend(probe, body->unit);
    if (bend) limpet_vec3_sub(a[side], a[side], bend);
  }
  limpet_vec3_sub(apart, a[1], a[0]);
}

/* Of distance, dt/2 [e . (a_Q - a_P) + |v across|^2/|Q - P|], of which `by` is the factor; by_g:
 * of its length. */
static void pull_distance_bias(const limpet_probe *probe, loop_pull *p, double by, double *by_g) {
  const limpet_loop_view *view = p->view;
  double apart[3], v[2][3], dv[3];
  accelerations(probe, view, apart);
  limpet_vec3_addmul(p->axis, p->axis, by, apart);
  for (int s = 0; s < 2; ++s) limpet_vec3_scale(p->a[s], limpet_patch_signs[s] * by, view->axis);
  if (!(view->length > 0.0)) return;
  for (int s = 0; s < 2; ++s) limpet_loop_point_motion(view->body[s].V0, view->end[s], v[s]);
  limpet_vec3_sub(apart, v[1], v[0]);
  const double along = limpet_vec3_dot(view->axis, apart),
               across = limpet_vec3_dot(apart, apart) - along * along,
               share = 2.0 * by / view->length;
  limpet_vec3_addmul(dv, apart, -along, view->axis);
  for (int s = 0; s < 2; ++s) limpet_vec3_scale(p->v[s], limpet_patch_signs[s] * share, dv);
  limpet_vec3_addmul(p->axis, p->axis, -share * along, apart);
  *by_g -= by * across / (view->length * view->length);
}

// by (rows): factors of the biases.
static void pull_bias(const limpet_probe *probe, loop_pull *p, const double by[LIMPET_LOOP_ROWS],
                      double by_g[LIMPET_LOOP_ROWS]) {
  const double half = 0.5 * probe->settings->time_step;
  const bool weld = p->view->kind == LIMPET_LOOP_WELD;
  if (!probe->settings->curved_paths || probe->residual->solved->motion.straight) return;
  if (p->view->kind == LIMPET_LOOP_DISTANCE) {
    pull_distance_bias(probe, p, half * by[0], by_g);
    return;
  }
  for (int s = 0; s < 2; ++s) {
    limpet_vec3_scale(p->a[s], limpet_patch_signs[s] * half, by + (weld ? 3 : 0));
    if (weld) limpet_vec3_scale(p->alpha[s], limpet_patch_signs[s] * half, by);
  }
}

// ------------------------------------------------------------------------------------------- ends

static void add_cross(double to[3], double share, const double a[3], const double b[3]) {
  double c[3];
  limpet_vec3_cross(c, a, b);
  limpet_vec3_addmul(to, to, share, c);
}

// to += factors of a twist that moves the point x by what `by` multiplies.
static void add_point(double to[6], const double x[3], const double by[3]) {
  add_cross(to, 1.0, x, by);
  limpet_vec3_add(to + 3, to + 3, by);
}

// From the end of a side, at constant joint velocities, to the motion of its body.
static void pull_end(loop_pull *p, int side, limpet_loop_factors *to) {
  const limpet_loop_body *body = &p->view->body[side];
  const double *x = p->view->end[side], *omega = body->V0, *a = p->a[side];
  limpet_side_factors *own = &to->side[side];
  double speed[3], v[3], arm[3], turn[3], curve[3], part[3];
  limpet_loop_point_motion(body->V0, x, speed);
  add_point(own->dA, x, a);
  limpet_vec3_add(own->dA, own->dA, p->alpha[side]);
  // a = dA_w x x + dV_w x v + omega x dv - d curve
  limpet_vec3_copy(v, p->v[side]);
  add_cross(v, 1.0, a, omega);
  add_cross(own->dV0, 1.0, speed, a);
  add_point(own->dV0, x, v);
  add_cross(p->end[side], 1.0, a, body->A);
  add_cross(p->end[side], 1.0, v, omega);
  curve_of(body, arm, turn, curve);
  add_cross(own->xi, -1.0, curve, a);
  limpet_vec3_cross(part, a, omega);
  add_cross(to->by_v[side], -1.0, turn, a);
  add_cross(to->by_v[side], -1.0, arm, part);
  add_point(own->xi, x, p->end[side]);
  limpet_vec3_add(own->xi, own->xi, p->turn[side]);
}

/* What moves Q - P, of each side and of both: what moves both bodies leaves it as long as it is.
 * The two sides are large where a row is near-rigid, and do not cancel to the last digit. */
static void pull_apart(const loop_pull *p, limpet_loop_factors *to) {
  double gap[3], by[3];
  for (int i = 0; i < 6; ++i) to->shared[i] = to->side[0].xi[i] + to->side[1].xi[i];
  limpet_vec3_sub(gap, p->view->end[1], p->view->end[0]);
  add_cross(to->shared, 1.0, gap, p->apart);
  for (int s = 0; s < 2; ++s) {
    limpet_vec3_scale(by, limpet_patch_signs[s], p->apart);
    add_point(to->side[s].xi, p->view->end[s], by);
  }
}

// Where the rows act is at both ends, or between them; and the axis of a distance.
static void pull_places(loop_pull *p) {
  const limpet_loop_view *view = p->view;
  double both[3], apart[3];
  limpet_vec3_add(both, p->at[0], p->at[1]);
  limpet_vec3_scale(both, 0.5, both);
  for (int s = 0; s < 2; ++s)
    limpet_vec3_add(p->end[s], p->end[s], view->kind == LIMPET_LOOP_WELD ? both : p->at[s]);
  if (view->kind != LIMPET_LOOP_DISTANCE || !(view->length > 0.0)) return;
  limpet_vec3_addmul(apart, p->axis, -limpet_vec3_dot(view->axis, p->axis), view->axis);
  for (int s = 0; s < 2; ++s)
    limpet_vec3_addmul(p->end[s], p->end[s], limpet_patch_signs[s] / view->length, apart);
}

void limpet_loop_factors_of(const limpet_probe *probe, const limpet_loop_view *view,
                            const double y[LIMPET_LOOP_ROWS], limpet_loop_factors *to) {
  loop_pull p = {.view = view};
  double by_u[LIMPET_LOOP_ROWS], by_g[LIMPET_LOOP_ROWS], by_b[LIMPET_LOOP_ROWS],
      by_r[LIMPET_LOOP_ROWS];
  memset(to, 0, sizeof *to);
  for (int i = 0; i < view->count; ++i) {
    const limpet_loop_law *law = &view->law[i];
    by_u[i] = -y[i] * law->rho;
    by_g[i] = y[i] * (law->rho * law->v_by_g + law->rest * law->rho_by_g);
    by_b[i] = y[i] * law->rho * law->v_by_b;
    by_r[i] = y[i] * (law->rho * law->v_by_r + law->rest * law->rho_by_r);
    to->weight[limpet_loop_part(view, i)] += y[i] * law->rest * law->rho_by_w;
  }
  double U[2][6];
  for (int s = 0; s < LIMPET_SIDES; ++s) limpet_spatial_copy(U[s], view->body[s].U);
  pull_wrench(&p, by_u, (const double(*)[6])U);
  pull_size(probe->model, view, by_r, by_g);
  pull_bias(probe, &p, by_b, by_g);
  pull_errors(&p, by_g);
  pull_places(&p);
  for (int s = 0; s < 2; ++s) {
    limpet_loop_wrench(view, by_u, s, to->side[s].dV);
    for (int i = 0; i < 6; ++i) to->side[s].dV[i] *= limpet_patch_signs[s];
    pull_end(&p, s, to);
    limpet_spatial_addmul(to->by_v[s], 1.0, to->side[s].dV0);
  }
  pull_apart(&p, to);
}

void limpet_loop_wrench_factors(const limpet_loop_view *view, const double X[2][6],
                                double xi[2][6]) {
  loop_pull p = {.view = view};
  double less[LIMPET_LOOP_ROWS];
  for (int i = 0; i < LIMPET_LOOP_ROWS; ++i) less[i] = -view->gamma[i];
  pull_wrench(&p, less, X);
  pull_places(&p);
  for (int s = 0; s < 2; ++s) {
    limpet_spatial_zero(xi[s]);
    add_point(xi[s], view->end[s], p.end[s]);
  }
}

/* gradient/patch_product.c: see patch_product.h.
 *
 * With Y = -J x, x the dual of the island, x'dr = Y . dF - sum x_k dS_k . F: what patch_columns.c
 * does column by column runs backwards here, once for each body, and then along its path. seen from
 * A   dF = K_twist xi + K_V dV + ... gives  K' Y of each, and for xi_A
 *                 - V x* K_V'Y - ... - Y x* F           since (u x m) . f = u . (m x* f)
 *   dS_k          S_j . (X_j x* F),  X_j = sum of x_k S_k over what j moves
 *   D             S_j . sum of 2/A_kk C_k x* E C_k,  E = sum Y_i by_D_i;   C_k . E C_k by 1/A_kk
 * Cost: five products of 6 x 6 a patch, about 150 flops for each velocity on its paths. */
#include "gradient/patch_product.h"

#include <string.h>

#include "math/spatial.h"
#include "solve/island.h"

// What the changes of one body are multiplied by.
typedef struct body_factors {
  double xi[6], dV[6], dV0[6], dA[6];
} body_factors;

// What a patch is multiplied by.
typedef struct patch_factors {
  double Y[6], b[6], V0[6];
  double E[36];
  body_factors body[LIMPET_SIDES];
} patch_factors;

// y = K' x
static void multiply_transposed(double y[6], const double K[36], const double x[6]) {
  limpet_spatial_zero(y);
  for (int i = 0; i < 6; ++i) limpet_spatial_addmul(y, x[i], K + 6 * i);
}

// to -= a x* f
static void sub_cross(double to[6], const double a[6], const double f[6]) {
  double turned[6];
  limpet_spatial_cross_force(turned, a, f);
  limpet_spatial_addmul(to, -1.0, turned);
}

static void add_cross(double to[3], double share, const double a[3], const double b[3]) {
  double c[3];
  limpet_vec3_cross(c, a, b);
  limpet_vec3_addmul(to, to, share, c);
}

/* The bias of curved paths, patch_view.c, backwards: n of its linear part. moved (3): of what moves
 * the body's origin. */
static void bias_of_body(const limpet_patch_view *p, int side, double c, const double n[3],
                         const double moved_apart[3], body_factors *to) {
  const limpet_body_path *path = &p->path[side];
  const double share = c * limpet_patch_signs[side];
  double arm[3], v[3], dv[3], moved[3];
  limpet_patch_view_origin(path, p->patch->point, arm, v);
  add_cross(to->dV0, share, v, n);
  limpet_vec3_cross(dv, n, path->V0);
  limpet_vec3_scale(dv, share, dv);
  add_cross(to->dV0, 1.0, arm, dv);
  limpet_vec3_add(to->dV0 + 3, to->dV0 + 3, dv);
  limpet_vec3_cross(moved, dv, path->V0);
  limpet_vec3_addmul(moved, moved, -limpet_patch_signs[side], moved_apart);
  add_cross(to->xi, 1.0, arm, moved);
  limpet_vec3_add(to->xi + 3, to->xi + 3, moved);
}

static void bias_of(const limpet_patch_view *p, double dt, patch_factors *x) {
  const double c = 0.5 * dt, *n = x->b + 3;
  double moved_apart[3] = {0.0};
  const int slower = limpet_patch_view_slower(p);
  if (p->path[slower].count > 0) {
    const double *omega = p->path[slower].V0;
    double apart[3], turn[3], side[3], *domega = x->body[slower].dV0;
    limpet_vec3_sub(apart, p->path[LIMPET_SIDE_A].origin, p->path[LIMPET_SIDE_B].origin);
    limpet_vec3_cross(turn, omega, apart);
    limpet_vec3_cross(side, n, omega);
    add_cross(domega, c, turn, n);
    add_cross(domega, c, apart, side);
    add_cross(moved_apart, c, side, omega);
  }
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    limpet_spatial_addmul(x->body[side].dA, c * limpet_patch_signs[side], x->b);
    bias_of_body(p, side, c, n, moved_apart, &x->body[side]);
  }
}

static void factors_of(const limpet_patch_view *p, const double *dual, patch_factors *x) {
  const limpet_residual *residual = p->w->probe->residual;
  const limpet_patch_law *law = &p->law;
  double twist[6], V[6];
  memset(x, 0, sizeof *x);
  limpet_patch_velocity(p->patch, dual + residual->at[p->island], x->Y);
  for (int i = 0; i < 6; ++i) x->Y[i] = -x->Y[i];
  multiply_transposed(twist, law->K_twist, x->Y);
  multiply_transposed(V, law->K_V, x->Y);
  if (law->has_0) multiply_transposed(x->V0, law->K_0, x->Y);
  if (p->curved) multiply_transposed(x->b, law->K_b, x->Y);
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    body_factors *body = &x->body[side];
    limpet_spatial_addmul(body->xi, limpet_patch_signs[side], twist);
    limpet_spatial_addmul(body->dV, limpet_patch_signs[side], V);
    limpet_spatial_addmul(body->dV0, limpet_patch_signs[side], x->V0);
  }
  double *seen = x->body[LIMPET_SIDE_A].xi;
  sub_cross(seen, law->V, V);
  sub_cross(seen, x->Y, law->F);
  if (law->has_0) sub_cross(seen, law->V0, x->V0);
  if (p->curved) sub_cross(seen, law->b, x->b);
  if (p->curved) bias_of(p, p->w->probe->settings->time_step, x);
  for (int i = 0; i < 6 && law->weighs; ++i)
    for (int k = 0; k < 36; k += 6) limpet_spatial_addmul(x->E + k, x->Y[i], law->by_D[i] + k);
}

// ---------------------------------------------------------------------------------- paths

/* What D gets from column k of a path: into by_weight by 1/A_kk, and c (6) by what moves it. */
static void weigh(const limpet_patch_view *p, const patch_factors *x, const limpet_path_dof *step,
                  double *by_weight, double c[6]) {
  double h[6];
  limpet_spatial_zero(c);
  if (step->shared || !p->law.weighs) return;
  for (int i = 0; i < 6; ++i) h[i] = limpet_spatial_dot(x->E + 6 * i, step->C);
  by_weight[step->dof] += limpet_spatial_dot(step->C, h);
  limpet_spatial_cross_force(c, step->C, h);
  for (int i = 0; i < 6; ++i) c[i] *= 2.0 * p->w->inverse[step->dof];
}

// Sums over what is behind a velocity: x_k S_k of columns of one body, and c_k.
typedef struct path_sums {
  double S[6], c[6];
} path_sums;

/* What step j moves: all behind it, and rotations of its own joint, which turn its axes (S) or do
 * not (C). own: of steps j - 2 .. j + 2. */
static void moved_by(const limpet_body_path *path, int j, const path_sums *behind,
                     const path_sums *own, path_sums *to) {
  const limpet_model *model = path->model;
  const limpet_joint_kind kind = model->joint_kind[model->dof_joint[path->step[j].dof]];
  *to = *behind;
  if (kind != LIMPET_JOINT_FREE && kind != LIMPET_JOINT_BALL) return;
  for (int k = j > 2 ? j - 2 : 0; k < path->count && k <= j + 2; ++k) {
    if (limpet_body_path_moves(path, j, k) != (k > j))
      limpet_spatial_addmul(to->S, k > j ? -1.0 : 1.0, own[k].S);
    if (limpet_body_path_moves_steady(path, j, k) != (k > j))
      limpet_spatial_addmul(to->c, k > j ? -1.0 : 1.0, own[k].c);
  }
}

// own (path) of a side; adds all of c.
static void sums_of(const limpet_patch_view *p, int side, const patch_factors *x,
                    const double *dual, double *by_weight, path_sums *own, double all[6]) {
  const limpet_body_path *path = &p->path[side];
  for (int k = 0; k < path->count; ++k) {
    const limpet_path_dof *step = &path->step[k];
    limpet_spatial_zero(own[k].S);
    if (!step->shared) limpet_spatial_addmul(own[k].S, dual[p->w->slot[step->dof]], step->S);
    weigh(p, x, step, by_weight, own[k].c);
    limpet_spatial_addmul(all, 1.0, own[k].c);
  }
}

static void add_side(const limpet_patch_view *p, int side, const patch_factors *x,
                     const path_sums *own, const double all[6], double *by_q, double *by_v) {
  const limpet_body_path *path = &p->path[side];
  const body_factors *body = &x->body[side];
  const bool moving = p->curved || p->law.has_0;
  path_sums behind = {{0.0}, {0.0}};
  for (int j = path->count - 1; j >= 0; --j) {
    const limpet_path_dof *step = &path->step[j];
    path_sums moved;
    double by_S[6], turned[6];
    moved_by(path, j, &behind, own, &moved);
    limpet_spatial_addmul(behind.S, 1.0, own[j].S);
    limpet_spatial_addmul(behind.c, 1.0, own[j].c);
    if (step->shared && !p->curved) continue;
    limpet_spatial_copy(by_S, body->xi);
    limpet_spatial_cross_force(turned, moved.S, p->law.F);
    limpet_spatial_addmul(by_S, -limpet_patch_signs[side], turned);
    if (!step->shared) {
      limpet_spatial_addmul(by_S, 1.0, moved.c);
      if (side == LIMPET_SIDE_A) limpet_spatial_addmul(by_S, -1.0, all);
    }
    by_q[step->dof] += limpet_spatial_dot(step->S, by_S) + limpet_spatial_dot(step->dV, body->dV);
    if (!moving) continue;
    by_q[step->dof] +=
        limpet_spatial_dot(step->dV0, body->dV0) + limpet_spatial_dot(step->dA, body->dA);
    by_v[step->dof] +=
        limpet_spatial_dot(step->S, body->dV0) + limpet_spatial_dot(step->dA_v, body->dA);
  }
}

limpet_status limpet_patch_product_add(const limpet_patch_view *p, const double *dual, double *by_q,
                                       double *by_v, double *by_weight) {
  limpet_arena *arena = p->w->arena;
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  const int a = p->path[LIMPET_SIDE_A].count, b = p->path[LIMPET_SIDE_B].count;
  path_sums *own = LIMPET_TAKE(arena, path_sums, a + b);
  double all[6] = {0.0};
  patch_factors x;
  if (!own) return LIMPET_ERROR_MEMORY;
  factors_of(p, dual, &x);
  sums_of(p, LIMPET_SIDE_A, &x, dual, by_weight, own, all);
  sums_of(p, LIMPET_SIDE_B, &x, dual, by_weight, own + a, all);
  add_side(p, LIMPET_SIDE_A, &x, own, all, by_q, by_v);
  add_side(p, LIMPET_SIDE_B, &x, own + a, all, by_q, by_v);
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

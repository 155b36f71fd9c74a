/* gradient/law_weight.c: see law_weight.h. Cost: about 400 flops a contact.
 *
 *   w = |Y|/3   or   10 n'Y n of slender bodies,   Y = S D S',   S = [r x e_i; e_i]
 * S: velocity at the contact along the axes of the world, in place of W along its own: the norm is
 * the same, and does not turn with them. */
#include "gradient/law_weight.h"

#include <math.h>
#include <string.h>

#include "math/spatial.h"

// to (3 x 6) += r x M, M (3 x 6), column by column.
static void add_cross_rows(const double r[3], const double *M, double *to) {
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    limpet_spatial_addmul(to + 6 * i, r[j], M + 6 * k);
    limpet_spatial_addmul(to + 6 * i, -r[k], M + 6 * j);
  }
}

// T = S D (3 x 6), Y = T S'.
static void weigh(const double r[3], const double D[36], double T[18], double Y[9]) {
  const double back[3] = {-r[0], -r[1], -r[2]};
  memcpy(T, D + 18, 18 * sizeof *T);
  add_cross_rows(back, D, T);
  for (int i = 0; i < 3; ++i) {
    limpet_vec3_cross(Y + 3 * i, T + 6 * i, r);
    limpet_vec3_add(Y + 3 * i, Y + 3 * i, T + 6 * i + 3);
  }
}

void limpet_law_weight_matrix(const limpet_law_weight *weight, double by_D[36]) {
  double *M = by_D + 18;
  memset(by_D, 0, 36 * sizeof *by_D);
  for (int i = 0; i < 3; ++i) {
    if (weight->turns) {
      limpet_vec3_copy(by_D + 6 * i, weight->C + 3 * i);
      continue;
    }
    limpet_vec3_cross(M + 6 * i, weight->r, weight->C + 3 * i);
    limpet_vec3_copy(M + 6 * i + 3, weight->C + 3 * i);
  }
  if (!weight->turns) add_cross_rows(weight->r, M, by_D);
}

/* A weight w = sum C_ij Y_ij, C symmetric, that is in the row already. By D: S'C S. By twists: C
 * turns by turn . a, and 2 C (dS D S') with dS_i = [point x e_i; 0]. */
static void add_weight(const limpet_law_view *view, const double C[9], const double T[18],
                       const double a[3], const limpet_twist_rows *twists, limpet_law_row *row,
                       limpet_law_rows *rows) {
  limpet_law_weight *to = &rows->weight[rows->weight_count++];
  double m[9] = {0.0};
  limpet_spatial_copy(to->less, row->less);
  limpet_mat3_copy(to->C, C);
  limpet_vec3_copy(to->r, view->r);
  to->turns = false;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) limpet_vec3_addmul(m + 3 * i, m + 3 * i, C[3 * i + j], T + 6 * j);
  const double b[3] = {2.0 * (m[5] - m[7]), 2.0 * (m[6] - m[2]), 2.0 * (m[1] - m[3])};
  limpet_law_row_by_twist(twists, a, b, row);
}

static bool any(const double *x, int count) {
  for (int i = 0; i < count; ++i)
    if (x[i] != 0.0) return true;
  return false;
}

void limpet_law_add_weights(const limpet_law_view *view, const double D[36],
                            const limpet_twist_rows *twists, const double by_n[3],
                            const double by_own[3], limpet_law_rows *rows) {
  static const double still[3] = {0.0};
  const limpet_law_columns *L = &view->law;
  const limpet_contact_constants *c = view->c;
  const bool follows = c->near_rigid && !c->borne;  // the stiffness follows w
  double T[18], Y[9], by_w[3], along[3], norm = 0.0;
  for (int e = 0; e < 3; ++e) by_w[e] = L->w[e] + view->friction_by_w * L->friction[e];
  if (!follows && !any(by_w, 3) && !any(by_own, 3)) return;
  weigh(view->r, D, T, Y);
  const double *n = view->W + 15;
  for (int i = 0; i < 9; ++i) norm += Y[i] * Y[i];
  norm = sqrt(norm);
  limpet_mat3_mul_vec(along, Y, n);
  const double slender = 10.0 * limpet_vec3_dot(n, along);  // contact/constants.c
  const bool by_normal = slender < norm / 3.0;
  double by_k[3], C[9], turn[3], push[6] = {0.0};
  // k phi is the elastic force that friction reads, too
  for (int e = 0; e < 3; ++e)
    by_k[e] = L->stiffness[e] - view->friction_by_force * view->phi * L->friction[e];
  const double per_w = follows ? -c->stiffness / (by_normal ? slender : norm / 3.0) : 0.0;

  // of the norm: laws that read w, and the stiffness of what is not slender
  for (int i = 0; i < 9; ++i) C[i] = Y[i] / (3.0 * norm);
  limpet_law_push(view, 1.0, by_w, push);
  limpet_vec3_addmul(push, push, by_w[2], by_n);
  limpet_vec3_add(push, push, by_own);
  // where a row has the normal impulse, that row takes the weight of its stiffness
  limpet_law_row *normal = follows ? rows->normal : NULL;
  if (!by_normal && !normal) {
    limpet_law_push(view, per_w, by_k, push);
    limpet_vec3_addmul(push, push, per_w * by_k[2], by_n);
  }
  if (any(push, 6)) add_weight(view, C, T, still, twists, limpet_law_row_add(rows, push), rows);
  if (!follows || (!by_normal && !normal)) return;

  double share = per_w * by_k[2];
  if (!normal) {
    limpet_spatial_zero(push);
    limpet_law_push(view, per_w, by_k, push);
    limpet_vec3_addmul(push, push, per_w * by_k[2], by_n);
    normal = limpet_law_row_add(rows, push);
    share = 1.0;
  }
  for (int i = 0; i < 9; ++i)
    C[i] = share * (by_normal ? 10.0 * n[i / 3] * n[i % 3] : Y[i] / (3.0 * norm));
  limpet_vec3_cross(turn, n, along);
  limpet_vec3_scale(turn, by_normal ? 20.0 * share : 0.0, turn);
  add_weight(view, C, T, turn, twists, normal, rows);
}

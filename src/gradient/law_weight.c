// gradient/law_weight.c: see law_weight.h. Cost: about 1000 flops a contact.
#include "gradient/law_weight.h"

#include <math.h>
#include <string.h>

#include "math/spatial.h"

// T = W D, X = T W'.
static void weigh(const double W[18], const double D[36], double T[18], double X[9]) {
  memset(T, 0, 18 * sizeof *T);
  for (int e = 0; e < 3; ++e)
    for (int i = 0; i < 6; ++i) limpet_spatial_addmul(T + 6 * e, W[6 * e + i], D + 6 * i);
  for (int e = 0; e < 3; ++e)
    for (int f = 0; f < 3; ++f) X[3 * e + f] = limpet_spatial_dot(T + 6 * e, W + 6 * f);
}

// K += W' G W, G (3 x 3) row-major.
static void add_congruence(const double W[18], const double G[9], double K[36]) {
  double T[18] = {0.0};
  for (int e = 0; e < 3; ++e)
    for (int f = 0; f < 3; ++f) limpet_spatial_addmul(T + 6 * e, G[3 * e + f], W + 6 * f);
  for (int i = 0; i < 6; ++i)
    for (int e = 0; e < 3; ++e) limpet_spatial_addmul(K + 6 * i, W[6 * e + i], T + 6 * e);
}

/* A weight w = share sum G_ef X_ef that does push (6) to the wrench. dw by D, W' G W; by twists, 2
 * G (dW D W'), with dW_e = [r x (turn x e) + point x e; turn x e]: turn . a + point . b. G
 * symmetric.
 */
static void add_weight(const limpet_law_view *view, const double push[6], const double G[9],
                       const double T[18], const limpet_twist_rows *twists, limpet_law_rows *rows) {
  double a[3] = {0.0}, b[3] = {0.0};
  limpet_law_row *row = limpet_law_row_add(rows, push);
  limpet_law_weight *to = &rows->weight[rows->weight_count++];
  limpet_spatial_copy(to->less, row->less);
  memset(to->by_D, 0, sizeof to->by_D);
  add_congruence(view->W, G, to->by_D);
  for (int e = 0; e < 3; ++e) {
    const double *axis = view->W + 6 * e + 3;
    double mixed[6] = {0.0}, lever[3], part[3];
    for (int f = 0; f < 3; ++f) limpet_spatial_addmul(mixed, 2.0 * G[3 * e + f], T + 6 * f);
    limpet_vec3_cross(lever, mixed, view->r);
    limpet_vec3_add(lever, lever, mixed + 3);
    limpet_vec3_cross(part, axis, lever);
    limpet_vec3_add(a, a, part);
    limpet_vec3_cross(part, axis, mixed);
    limpet_vec3_add(b, b, part);
  }
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
  const limpet_law_columns *L = &view->law;
  const limpet_contact_constants *c = view->c;
  double T[18], X[9], by_w[3], norm = 0.0;
  for (int e = 0; e < 3; ++e) by_w[e] = L->w[e] + view->friction_by_w * L->friction[e];
  if (!c->near_rigid && !any(by_w, 3) && !any(by_own, 3)) return;
  weigh(view->W, D, T, X);
  for (int i = 0; i < 9; ++i) norm += X[i] * X[i];
  norm = sqrt(norm);
  const double slender = 10.0 * X[8];  // contact/constants.c
  const bool by_normal = slender < norm / 3.0;
  double by_k[3], G[9], push[6] = {0.0};
  // k phi is the elastic force that friction reads, too
  for (int e = 0; e < 3; ++e)
    by_k[e] = L->stiffness[e] - view->friction_by_force * view->phi * L->friction[e];
  const double per_w = c->near_rigid ? -c->stiffness / (by_normal ? slender : norm / 3.0) : 0.0;
  for (int i = 0; i < 9; ++i) G[i] = X[i] / (3.0 * norm);
  limpet_law_push(view, 1.0, by_w, push);
  limpet_vec3_addmul(push, push, by_w[2], by_n);
  limpet_vec3_add(push, push, by_own);
  if (!by_normal) limpet_law_push(view, per_w, by_k, push);
  if (!by_normal) limpet_vec3_addmul(push, push, per_w * by_k[2], by_n);
  if (any(push, 6)) add_weight(view, push, G, T, twists, rows);
  if (!c->near_rigid || !by_normal) return;
  const double normal[9] = {[8] = 10.0};
  limpet_spatial_zero(push);
  limpet_law_push(view, per_w, by_k, push);
  limpet_vec3_addmul(push, push, per_w * by_k[2], by_n);
  add_weight(view, push, normal, T, twists, rows);
}

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

/* dw of w = share sum G_ef X_ef: by D, W' G W; by twists, 2 G (dW D W'), with
 * dW_e = [r x (turn x e) + point x e; turn x e]: turn . a + point . b. G symmetric. */
static void weight_slopes(const limpet_law_view *view, const double G[9], const double T[18],
                          const limpet_point_change *change, limpet_law_weight *to) {
  double a[3] = {0.0}, b[3] = {0.0};
  memset(to->by_D, 0, sizeof to->by_D);
  limpet_law_add_congruence(view->W, G, to->by_D);
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
  for (int k = 0; k < 6; ++k)
    to->by_twist[k] = limpet_vec3_dot(change[k].turn, a) + limpet_vec3_dot(change[k].point, b);
}

static bool any(const double *x, int count) {
  for (int i = 0; i < count; ++i)
    if (x[i] != 0.0) return true;
  return false;
}

void limpet_law_add_weight(const limpet_law_weight *weight, limpet_patch_law *law) {
  for (int i = 0; i < 6; ++i) {
    limpet_spatial_addmul(law->K_twist + 6 * i, weight->y[i], weight->by_twist);
    for (int k = 0; k < 36; ++k)
      law->by_D[i][k] = (law->weighs ? law->by_D[i][k] : 0.0) + weight->y[i] * weight->by_D[k];
  }
  law->weighs = true;
}

void limpet_law_add_weights(const limpet_law_view *view, const double D[36],
                            const limpet_point_change *change, const double by_n[3],
                            const double by_own[3], limpet_patch_law *law) {
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
  double by_k[3], G[9];
  // k phi is the elastic force that friction reads, too
  for (int e = 0; e < 3; ++e)
    by_k[e] = L->stiffness[e] - view->friction_by_force * view->phi * L->friction[e];
  const double per_w = c->near_rigid ? -c->stiffness / (by_normal ? slender : norm / 3.0) : 0.0;
  for (int i = 0; i < 9; ++i) G[i] = X[i] / (3.0 * norm);
  limpet_law_weight to = {0};
  limpet_law_push(view, 1.0, by_w, to.y);
  limpet_vec3_addmul(to.y, to.y, by_w[2], by_n);
  limpet_vec3_add(to.y, to.y, by_own);
  if (!by_normal) limpet_law_push(view, per_w, by_k, to.y);
  if (!by_normal) limpet_vec3_addmul(to.y, to.y, per_w * by_k[2], by_n);
  if (any(to.y, 6)) {
    weight_slopes(view, G, T, change, &to);
    limpet_law_add_weight(&to, law);
  }
  if (!c->near_rigid || !by_normal) return;
  const double normal[9] = {[8] = 10.0};
  limpet_spatial_zero(to.y);
  limpet_law_push(view, per_w, by_k, to.y);
  limpet_vec3_addmul(to.y, to.y, per_w * by_k[2], by_n);
  weight_slopes(view, normal, T, change, &to);
  limpet_law_add_weight(&to, law);
}

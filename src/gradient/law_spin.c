/* gradient/law_spin.c: see law_spin.h.
 *
 * Friction against turning, law/spin.h, of a bound rho n:
 *   T = sum tau_e a_e,  dT = turn x T + sum dtau_e a_e,  dw_e = a_e . dV_ang + (turn x a_e) . V_ang
 *   dtau = -rho w/s dn - rho n (dw/s - w (w . dw + eps deps)/s^3),  deps = eps/2 (dw_r/w_r - dw/w)
 */
#include "gradient/law_spin.h"

#include <math.h>

#include "law/spin.h"
#include "math/spatial.h"

typedef struct spin_view {
  const limpet_spin *spin;
  double eps, weight;  // w_r [1/(kg m^2)]
  double torque[3];    // T
  double by_n[3];      // dT/dn
  double by_eps[3];    // dT/deps
  double by_w[9];      // dT by dw as a vector of W: sum B_ef a_e a_f'
} spin_view;

// Share of an axis in w_r: one of torsion, two of rolling.
static double share_of(const limpet_spin *spin) { return spin->rolling ? 0.5 : 1.0; }

static void spin_make(const limpet_law_view *view, const limpet_spin *spin, const double w[2],
                      const double D[36], spin_view *to) {
  *to = (spin_view){.spin = spin, .eps = spin->rate * view->c->compliant.slip_speed};
  const double s2 = w[0] * w[0] + w[1] * w[1] + to->eps * to->eps, s = sqrt(s2);
  const double n = view->gamma[2], rho = spin->length;
  for (int e = 0; e < 2; ++e) {
    const double *a = spin->axis + 3 * e;
    double turned[3] = {0.0};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) turned[i] += D[6 * i + j] * a[j];
    to->weight += share_of(spin) * limpet_vec3_dot(a, turned);
    limpet_vec3_addmul(to->torque, to->torque, -rho * n * w[e] / s, a);
    limpet_vec3_addmul(to->by_n, to->by_n, -rho * w[e] / s, a);
    limpet_vec3_addmul(to->by_eps, to->by_eps, rho * n * w[e] * to->eps / (s2 * s), a);
    for (int f = 0; f < 2; ++f) {
      const double B = -rho * n * ((e == f ? 1.0 : 0.0) - w[e] * w[f] / s2) / s;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) to->by_w[3 * i + j] += B * a[i] * spin->axis[3 * f + j];
    }
  }
}

// K += [y; 0] x'
static void add_outer(const double y[3], const double x[6], double K[36]) {
  for (int i = 0; i < 3; ++i) limpet_spatial_addmul(K + 6 * i, y[i], x);
}

// By dw = a . dV_ang.
static void add_turning(const spin_view *to, double K[36]) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) K[6 * i + j] += to->by_w[3 * i + j];
}

static void spin_motion(const limpet_law_view *view, const spin_view *to, limpet_patch_law *law) {
  const limpet_law_columns *L = &view->law;
  double along[6] = {0.0}, start[6] = {0.0}, bend[6] = {0.0};
  for (int f = 0; f < 3; ++f) limpet_spatial_addmul(along, L->v[f][2], view->W + 6 * f);
  for (int f = 0; f < 2; ++f) limpet_spatial_addmul(bend, L->v[f][2], view->W + 6 * f);
  limpet_spatial_addmul(bend, view->c->dt * L->bend[2], view->W + 12);
  limpet_spatial_addmul(start, L->speed[2], view->W + 12);
  add_outer(to->by_n, along, law->K_V);
  add_outer(to->by_n, start, law->K_0);
  add_outer(to->by_n, bend, law->K_b);
  law->has_0 = law->has_0 || L->speed[2] != 0.0;
  add_turning(to, law->K_V);
}

static void spin_twist(const limpet_law_view *view, const spin_view *to,
                       const limpet_point_change *change, limpet_patch_law *law) {
  limpet_law_frame frame;
  limpet_law_frame_make(view, law, &frame);
  for (int k = 0; k < 6; ++k) {
    double dgamma[3], dT[3], seen[3], part[3];
    limpet_law_by_twist(view, &frame, &change[k], dgamma);
    // axes that turn see the velocity turn back
    limpet_vec3_cross(seen, law->V, change[k].turn);
    limpet_mat3_mul_vec(dT, to->by_w, seen);
    limpet_vec3_addmul(dT, dT, dgamma[2], to->by_n);
    limpet_vec3_cross(part, change[k].turn, to->torque);
    limpet_vec3_add(dT, dT, part);
    for (int i = 0; i < 3; ++i) law->K_twist[6 * i + k] += dT[i];
  }
}

// What w_r of the turning does to eps.
static void spin_weights(const spin_view *to, const double D[36], const limpet_point_change *change,
                         limpet_patch_law *law) {
  limpet_law_weight weight = {0};
  limpet_vec3_scale(weight.y, 0.5 * to->eps / to->weight, to->by_eps);
  for (int e = 0; e < 2; ++e) {
    const double *a = to->spin->axis + 3 * e, share = share_of(to->spin);
    double turned[3] = {0.0}, lever[3];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        weight.by_D[6 * i + j] += share * a[i] * a[j];
        turned[i] += D[6 * i + j] * a[j];
      }
    limpet_vec3_cross(lever, a, turned);
    for (int k = 0; k < 6; ++k)
      weight.by_twist[k] += 2.0 * share * limpet_vec3_dot(change[k].turn, lever);
  }
  limpet_law_add_weight(&weight, law);
}

void limpet_law_add_spins(const limpet_law_view *view, const limpet_smooth_island *smooth,
                          const limpet_patch *patch, int contact, const double D[36],
                          const limpet_point_change *change, double by_n[3], double by_own[3],
                          limpet_patch_law *law) {
  for (int i = patch->spin; i < patch->spin + patch->spin_count; ++i) {
    const limpet_spin *spin = &smooth->base.problem->spin[i];
    if (spin->contact != contact) continue;
    spin_view turning;
    spin_make(view, spin, smooth->base.spins.w + 2 * (i - smooth->base.island->spin), D, &turning);
    limpet_vec3_add(law->F, law->F, turning.torque);
    spin_motion(view, &turning, law);
    spin_twist(view, &turning, change, law);
    spin_weights(&turning, D, change, law);
    limpet_vec3_add(by_n, by_n, turning.by_n);
    limpet_vec3_addmul(by_own, by_own, -0.5 * turning.eps / view->c->delassus, turning.by_eps);
  }
}

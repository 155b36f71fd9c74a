/* gradient/law_spin.c: see law_spin.h.
 *
 * Friction against turning, law/spin.h, of a bound rho n:
 *   T = sum tau_e a_e,  dT = turn x T + sum dtau_e a_e,  dw_e = a_e . dV_ang + (turn x a_e) . V_ang
 *   dtau = -rho w/s dn - rho n (dw/s - w (w . dw + eps deps)/s^3),  deps = eps/2 (dw_r/w_r - dw/w)
 */
#include "gradient/law_spin.h"

#include <math.h>
#include <string.h>

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

// What w_r of the turning does to eps.
static void add_weight(const spin_view *to, const double D[36], const limpet_twist_rows *twists,
                       limpet_law_rows *rows) {
  static const double none[3] = {0.0};
  double push[6] = {0.0}, by_turn[3] = {0.0};
  limpet_vec3_scale(push, 0.5 * to->eps / to->weight, to->by_eps);
  limpet_law_row *row = limpet_law_row_add(rows, push);
  limpet_law_weight *weight = &rows->weight[rows->weight_count++];
  *weight = (limpet_law_weight){.turns = true};
  limpet_spatial_copy(weight->less, row->less);
  for (int e = 0; e < 2; ++e) {
    const double *a = to->spin->axis + 3 * e, share = share_of(to->spin);
    double turned[3] = {0.0}, lever[3];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        weight->C[3 * i + j] += share * a[i] * a[j];
        turned[i] += D[6 * i + j] * a[j];
      }
    limpet_vec3_cross(lever, a, turned);
    limpet_vec3_addmul(by_turn, by_turn, 2.0 * share, lever);
  }
  limpet_law_row_by_twist(twists, by_turn, none, row);
}

void limpet_law_spins_make(const limpet_law_view *view, const limpet_patch *patch, int contact,
                           const double D[36], const limpet_twist_rows *twists,
                           limpet_law_rows *rows, limpet_law_spins *spins) {
  const limpet_island_solver *s = view->s;
  *spins = (limpet_law_spins){0};
  for (int i = patch->spin; i < patch->spin + patch->spin_count; ++i) {
    const limpet_spin *spin = &s->problem->spin[i];
    if (spin->contact != contact) continue;
    spin_view turning;
    spin_make(view, spin, s->spins.w + 2 * (i - s->island->spin), D, &turning);
    add_weight(&turning, D, twists, rows);
    limpet_vec3_add(spins->torque, spins->torque, turning.torque);
    limpet_vec3_add(spins->by_n, spins->by_n, turning.by_n);
    limpet_vec3_addmul(spins->by_own, spins->by_own, -0.5 * turning.eps / view->c->delassus,
                       turning.by_eps);
    for (int k = 0; k < 9; ++k) spins->by_w[k] += turning.by_w[k];
  }
}

void limpet_law_spins_add(const limpet_law_spins *spins, const limpet_twist_rows *twists,
                          limpet_patch_law *law) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      law->K[LIMPET_LAW_WIDTH * i + LIMPET_BY_V + j] += spins->by_w[3 * i + j];
  for (int k = 0; k < 6; ++k) {
    const double turn[3] = {twists->turn[0][k], twists->turn[1][k], twists->turn[2][k]};
    double dT[3], seen[3], part[3];
    // axes that turn see the velocity turn back
    limpet_vec3_cross(seen, law->V, turn);
    limpet_mat3_mul_vec(dT, spins->by_w, seen);
    limpet_vec3_cross(part, turn, spins->torque);
    for (int i = 0; i < 3; ++i)
      law->K[LIMPET_LAW_WIDTH * i + LIMPET_BY_TWIST + k] += dT[i] + part[i];
  }
}

/* gradient/patch_law.c: see patch_law.h.
 *
 *   u = V_lin + V_ang x r,   v_t = t . (u + b_c),  v_n = n . u,   b_c = bias at the contact
 *   phi = distance + h n . b                              elastic force -k phi, or its own
 *   dgamma = L_v dv + L_phi dphi + L_k dk + L_0 dv_n0 + ...       columns L: the law's own `change`
 *   dF = [dr x f + r x df; df],  f = frame' gamma,  df = turn x f + frame' dgamma
 * Stiffness that the step chose is 1/w; that of an impedance depends on the distance.
 * Cost: about ten evaluations of the law and 1500 flops a contact. */
#include "gradient/patch_law.h"

#include <math.h>
#include <string.h>

#include "contact/constants.h"
#include "law/impedance.h"
#include "math/spatial.h"

// The columns of a law at one contact: change of gamma per unit.
typedef struct law_columns {
  double v[3][3];       // by the velocity
  double distance[3];   // by phi, elastic force -k phi
  double bend[3];       // by phi of curved paths
  double stiffness[3];  // by k
  double speed[3];      // by v_n0
  double friction[3];
  double w[3];  // by w where k is held
} law_columns;

typedef struct contact_view {
  const limpet_island_solver *s;
  const limpet_contact_record *record;
  const limpet_contact_pair *pair;
  const limpet_contact_constants *c;
  const double *W, *gamma, *v, *frame;  // frame: rows t1, t2, n
  double r[3], f[3], u[3], moving[3];   // moving: u + bias
  double u0[3], b[3];                   // V0, b at the contact
  double phi;                           // before paths bend it
  double slip[3], slip_speed;           // direction of slip at the start of the step
  double friction_by_slip, friction_by_force, friction_by_w;
  double stiffness_by_phi, dissipation_by_phi;  // of an impedance
  double w_stiff;                               // [1/kg]  that a near-rigid stiffness is for
  bool by_normal;                               // it is that of the normal
  law_columns law;
} contact_view;

// -------------------------------------------------------------------------- one contact

static void law_along(const contact_view *view, const limpet_contact_constants *dc,
                      const double dv[3], double dgamma[3]) {
  view->s->model->change(view->c, dc, &view->s->problem->settings, view->v, dv, dgamma);
}

static void law_columns_of(contact_view *view) {
  static const double still[3] = {0.0};
  const limpet_contact_constants *c = view->c;
  law_columns *L = &view->law;
  for (int e = 0; e < 3; ++e) {
    const limpet_contact_constants none = {0};
    double dv[3] = {0.0};
    dv[e] = 1.0;
    law_along(view, &none, dv, L->v[e]);
  }
  const limpet_contact_constants distance = {.distance = 1.0, .elastic_force = -c->stiffness},
                                 bend = {.distance = 1.0,
                                         .elastic_force = -c->stiffness,
                                         .bend_speed = 1.0 / c->dt},
                                 stiffness = {.stiffness = 1.0, .elastic_force = -c->distance},
                                 speed = {.normal_speed = 1.0}, friction = {.friction = 1.0},
                                 w = {.delassus = 1.0};
  law_along(view, &distance, still, L->distance);
  law_along(view, &bend, still, L->bend);
  law_along(view, &stiffness, still, L->stiffness);
  law_along(view, &speed, still, L->speed);
  law_along(view, &friction, still, L->friction);
  law_along(view, &w, still, L->w);
}

// Stiffness and dissipation of an author's impedance, by the distance, on its own scale.
static void impedance_slopes(contact_view *view) {
  const limpet_pair_material *material = &view->pair->material;
  const limpet_contact_constants *c = view->c;
  const double weight = view->pair->inverse_weight, phi = view->phi;
  if (!material->has_impedance || c->near_rigid || !(weight > 0.0) || !(phi < 0.0)) return;
  const limpet_impedance_slopes slopes =
      limpet_impedance_stiffness_slopes(&material->impedance, phi, c->dt, weight);
  if (slopes.K != c->stiffness) return;
  view->stiffness_by_phi = -slopes.K_by_r;
  if (c->dissipation < material->dissipation)
    view->dissipation_by_phi = -slopes.C_by_r * weight / 9.80665;
}

// Friction between stiction and slip: contact/constants.c.
static void friction_slopes(contact_view *view) {
  const limpet_pair_material *material = &view->pair->material;
  const limpet_contact_settings *settings = &view->s->problem->settings;
  const limpet_contact_constants *c = view->c;
  const double elastic =
      view->pair->surface ? view->record->elastic_force : -c->stiffness * view->phi;
  limpet_friction_slopes slopes;
  limpet_contact_friction_slopes(material, settings, c->dt, c->delassus, elastic, view->slip_speed,
                                 &slopes);
  view->friction_by_slip = slopes.slip;
  view->friction_by_force = slopes.elastic_force;
  view->friction_by_w = slopes.delassus;
}

// x_lin + x_ang x r
static void at_contact(const double x[6], const double r[3], double velocity[3]) {
  limpet_vec3_cross(velocity, x, r);
  limpet_vec3_add(velocity, velocity, x + 3);
}

static void view_make(const limpet_probe *probe, int island, int contact,
                      const limpet_patch_law *law, contact_view *view) {
  const limpet_solved_step *solved = probe->residual->solved;
  const limpet_contact_problem *problem = &solved->problem;
  const limpet_island_solver *s = &probe->residual->smooth[island].base;
  const int i = contact - s->island->contact;
  *view = (contact_view){.s = s,
                         .record = &solved->records.record[problem->contact_source[contact]],
                         .c = &s->constants[i],
                         .W = problem->contact_row + 18 * contact,
                         .gamma = s->contact_gamma + 3 * i,
                         .v = s->contact_v + 3 * i};
  view->pair = &solved->records.pair[view->record->pair];
  view->frame = view->record->frame;
  view->phi = view->pair->surface ? -view->record->elastic_force / view->record->stiffness
                                  : view->record->distance - view->pair->margin;
  for (int e = 0; e < 3; ++e) {  // r = 1/2 sum e x (r x e)
    double part[3];
    limpet_vec3_cross(part, view->W + 6 * e + 3, view->W + 6 * e);
    limpet_vec3_addmul(view->r, view->r, 0.5, part);
    limpet_vec3_addmul(view->f, view->f, view->gamma[e], view->W + 6 * e + 3);
  }
  at_contact(law->V, view->r, view->u);
  at_contact(law->V0, view->r, view->u0);
  at_contact(law->b, view->r, view->b);
  limpet_vec3_add(view->moving, view->u, view->b);
  if (problem->stretch)
    limpet_vec3_addmul(view->moving, view->moving, 1.0 / problem->dt,
                       problem->stretch + 3 * contact);
  for (int e = 0; e < 2; ++e) {
    const double *t = view->W + 6 * e + 3;
    const double along = limpet_vec3_dot(t, view->u0) + limpet_vec3_dot(t, view->b);
    limpet_vec3_addmul(view->slip, view->slip, along, t);
  }
  view->slip_speed = limpet_vec3_normalize(view->slip);
}

// -------------------------------------------------------------------------- sums

// K += W' G W, G (3 x 3) row-major.
static void add_congruence(const double W[18], const double G[9], double K[36]) {
  double T[18] = {0.0};
  for (int e = 0; e < 3; ++e)
    for (int f = 0; f < 3; ++f) limpet_spatial_addmul(T + 6 * e, G[3 * e + f], W + 6 * f);
  for (int i = 0; i < 6; ++i)
    for (int e = 0; e < 3; ++e) limpet_spatial_addmul(K + 6 * i, W[6 * e + i], T + 6 * e);
}

static void add_motion(const contact_view *view, limpet_patch_law *law) {
  const law_columns *L = &view->law;
  const double dt = view->c->dt;
  double by_V[9], by_b[9], by_0[9];
  double slip[2];  // direction of slip in the contact frame
  for (int e = 0; e < 2; ++e) slip[e] = limpet_vec3_dot(view->slip, view->W + 6 * e + 3);
  bool any = false;
  for (int e = 0; e < 3; ++e) {
    const double sliding = L->friction[e] * view->friction_by_slip;
    for (int f = 0; f < 3; ++f) {
      by_V[3 * e + f] = L->v[f][e];
      by_b[3 * e + f] = f < 2 ? L->v[f][e] + sliding * slip[f] : dt * L->bend[e];
      by_0[3 * e + f] = f < 2 ? sliding * slip[f] : L->speed[e];
      any = any || by_0[3 * e + f] != 0.0;
    }
  }
  add_congruence(view->W, by_V, law->K_V);
  add_congruence(view->W, by_b, law->K_b);
  if (any) add_congruence(view->W, by_0, law->K_0);
  law->has_0 = law->has_0 || any;
}

// Change of the frame's components of a vector that stays: (turn x e) . x
static double turned(const double turn[3], const double e[3], const double x[3]) {
  double moved[3];
  limpet_vec3_cross(moved, turn, e);
  return limpet_vec3_dot(moved, x);
}

// dgamma by one twist of B.
static void law_by_twist(const contact_view *view, const limpet_patch_law *law,
                         const limpet_point_change *change, double dgamma[3]) {
  const law_columns *L = &view->law;
  const limpet_contact_constants *c = view->c;
  const double *n = view->W + 15;
  double by_V[3], by_V0[3], by_b[3], dv[3];
  limpet_vec3_cross(by_V, law->V, change->point);
  limpet_vec3_cross(by_V0, law->V0, change->point);
  limpet_vec3_cross(by_b, law->b, change->point);
  double along_slip = 0.0;
  for (int e = 0; e < 3; ++e) {
    const double *axis = view->W + 6 * e + 3;
    dv[e] = turned(change->turn, axis, e < 2 ? view->moving : view->u) +
            limpet_vec3_dot(axis, by_V) + (e < 2 ? limpet_vec3_dot(axis, by_b) : 0.0);
    if (e == 2) continue;
    double start[3], moved[3];
    limpet_vec3_add(start, view->u0, view->b);
    limpet_vec3_add(moved, by_V0, by_b);
    along_slip += limpet_vec3_dot(view->slip, axis) *
                  (turned(change->turn, axis, start) + limpet_vec3_dot(axis, moved));
  }
  const double bent = turned(change->turn, n, view->b) + limpet_vec3_dot(n, by_b);
  const double speed = turned(change->turn, n, view->u0) + limpet_vec3_dot(n, by_V0);

  // constants
  double elastic = -c->stiffness * change->distance;
  double stiffness = view->stiffness_by_phi * change->distance;
  elastic -= stiffness * view->phi;
  if (view->pair->surface) elastic = change->force, stiffness = change->stiffness;
  const double friction = view->friction_by_slip * along_slip + view->friction_by_force * elastic;
  for (int e = 0; e < 3; ++e) {
    dgamma[e] = c->dt * bent * L->bend[e] + speed * L->speed[e] + friction * L->friction[e];
    for (int f = 0; f < 3; ++f) dgamma[e] += L->v[f][e] * dv[f];
    if (!view->pair->surface)
      dgamma[e] += change->distance * L->distance[e] + stiffness * L->stiffness[e];
  }
  if (view->pair->surface || view->dissipation_by_phi != 0.0) {
    // phi = -force/k + bend
    const double k = view->record->stiffness;
    const limpet_contact_constants dc =
        view->pair->surface
            ? (limpet_contact_constants){.stiffness = stiffness,
                                         .elastic_force = elastic - stiffness * c->dt *
                                                                        limpet_vec3_dot(n, view->b),
                                         .distance =
                                             k > 0.0 ? (-elastic - stiffness * view->phi) / k : 0.0}
            : (limpet_contact_constants){.dissipation =
                                             view->dissipation_by_phi * change->distance};
    static const double still[3] = {0.0};
    double more[3];
    law_along(view, &dc, still, more);
    limpet_vec3_add(dgamma, dgamma, more);
  }
}

static void add_twist(const contact_view *view, const limpet_point_change *change,
                      limpet_patch_law *law) {
  for (int k = 0; k < 6; ++k) {
    double dgamma[3], df[3], moment[3], lever[3];
    law_by_twist(view, law, &change[k], dgamma);
    limpet_vec3_cross(df, change[k].turn, view->f);
    for (int e = 0; e < 3; ++e) limpet_vec3_addmul(df, df, dgamma[e], view->W + 6 * e + 3);
    limpet_vec3_cross(moment, view->r, df);
    limpet_vec3_cross(lever, change[k].point, view->f);
    for (int i = 0; i < 3; ++i) {
      law->K_twist[6 * i + k] += moment[i] + lever[i];
      law->K_twist[6 * (3 + i) + k] += df[i];
    }
  }
}

// -------------------------------------------------------------------------- weights

// T = W D, X = T W'.
static void weigh(const double W[18], const double D[36], double T[18], double X[9]) {
  memset(T, 0, 18 * sizeof *T);
  for (int e = 0; e < 3; ++e)
    for (int i = 0; i < 6; ++i) limpet_spatial_addmul(T + 6 * e, W[6 * e + i], D + 6 * i);
  for (int e = 0; e < 3; ++e)
    for (int f = 0; f < 3; ++f) X[3 * e + f] = limpet_spatial_dot(T + 6 * e, W + 6 * f);
}

// A contact whose law depends on its Delassus estimate w = f(W D W').
typedef struct weight_change {
  double y[6];         // dF/dw
  double by_D[36];     // dw = <by_D, dD>
  double by_twist[6];  // dw by xi, D held
} weight_change;

/* dw of w = share sum G_ef X_ef: by D, W' G W; by twists, 2 G (dW D W'), with
 * dW_e = [r x (turn x e) + point x e; turn x e]: turn . a + point . b. G symmetric. */
static void weight_slopes(const contact_view *view, const double G[9], const double T[18],
                          const limpet_point_change *change, weight_change *to) {
  double a[3] = {0.0}, b[3] = {0.0};
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
  for (int k = 0; k < 6; ++k)
    to->by_twist[k] = limpet_vec3_dot(change[k].turn, a) + limpet_vec3_dot(change[k].point, b);
}

static void push(const contact_view *view, double share, const double gamma[3], double y[6]) {
  for (int e = 0; e < 3; ++e) limpet_spatial_addmul(y, share * gamma[e], view->W + 6 * e);
}

static bool any(const double *x, int count) {
  for (int i = 0; i < count; ++i)
    if (x[i] != 0.0) return true;
  return false;
}

static void add_weight(const weight_change *weight, limpet_patch_law *law) {
  law->weighs = true;
  for (int i = 0; i < 6; ++i) {
    limpet_spatial_addmul(law->K_twist + 6 * i, weight->y[i], weight->by_twist);
    for (int j = 0; j < 6; ++j)
      limpet_spatial_addmul(law->by_D[i] + 6 * j, weight->y[i], weight->by_D + 6 * j);
  }
}

/* What w changes: k of a near-rigid contact, regularisation and friction of others. by_n, by_w (3):
 * torque by the normal impulse and by w itself, of friction against turning. */
static void add_weights(const contact_view *view, const double D[36],
                        const limpet_point_change *change, const double by_n[3],
                        const double by_own[3], limpet_patch_law *law) {
  const law_columns *L = &view->law;
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
  weight_change to = {0};
  push(view, 1.0, by_w, to.y);
  limpet_vec3_addmul(to.y, to.y, by_w[2], by_n);
  limpet_vec3_add(to.y, to.y, by_own);
  if (!by_normal) push(view, per_w, by_k, to.y);
  if (!by_normal) limpet_vec3_addmul(to.y, to.y, per_w * by_k[2], by_n);
  if (any(to.y, 6)) {
    weight_slopes(view, G, T, change, &to);
    add_weight(&to, law);
  }
  if (!c->near_rigid || !by_normal) return;
  const double normal[9] = {[8] = 10.0};
  limpet_spatial_zero(to.y);
  push(view, per_w, by_k, to.y);
  limpet_vec3_addmul(to.y, to.y, per_w * by_k[2], by_n);
  weight_slopes(view, normal, T, change, &to);
  add_weight(&to, law);
}

// -------------------------------------------------------------------------- turning

/* Friction against turning, law/spin.h, of a bound rho n:
 *   T = sum tau_e a_e,  dT = turn x T + sum dtau_e a_e,  dw_e = a_e . dV_ang + (turn x a_e) . V_ang
 *   dtau = -rho w/s dn - rho n (dw/s - w (w . dw + eps deps)/s^3),  deps = eps/2 (dw_r/w_r - dw/w)
 */
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

static void spin_make(const contact_view *view, const limpet_spin *spin, const double w[2],
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

static void spin_motion(const contact_view *view, const spin_view *to, limpet_patch_law *law) {
  const law_columns *L = &view->law;
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

static void spin_twist(const contact_view *view, const spin_view *to,
                       const limpet_point_change *change, limpet_patch_law *law) {
  for (int k = 0; k < 6; ++k) {
    double dgamma[3], dT[3], seen[3], part[3];
    law_by_twist(view, law, &change[k], dgamma);
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
  weight_change weight = {0};
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
  add_weight(&weight, law);
}

/* All spins of a contact. by_n, by_own (3): torque by the contact's normal impulse, and by its w
 * through eps. */
static void add_spins(const contact_view *view, const limpet_smooth_island *smooth,
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

// -------------------------------------------------------------------------- switches

static void add_switches(const contact_view *view, const limpet_smooth_island *smooth, int index,
                         const limpet_point_change *change, limpet_patch_law *law) {
  const double *n = view->W + 12;
  for (int i = 0; i < smooth->weak_count; ++i) {
    const limpet_weak *weak = &smooth->weak[i];
    if (weak->kind == LIMPET_WEAK_ROW || weak->index != index) continue;
    limpet_switch_change *to = &law->switching[law->switch_count++];
    *to = (limpet_switch_change){.weak = i};
    limpet_spatial_copy(to->by_b, n);
    if (weak->kind == LIMPET_WEAK_CLOSING) limpet_spatial_copy(to->by_V, n);
    for (int k = 0; k < 6; ++k) {
      double by_b[3], by_V[3];
      limpet_vec3_cross(by_b, law->b, change[k].point);
      limpet_vec3_cross(by_V, law->V, change[k].point);
      const double gap =
          view->pair->surface
              ? -(change[k].force + view->phi * change[k].stiffness) / view->record->stiffness
              : change[k].distance;
      to->by_twist[k] =
          gap / view->c->dt + turned(change[k].turn, n + 3, view->b) + limpet_vec3_dot(n + 3, by_b);
      if (weak->kind == LIMPET_WEAK_CLOSING)
        to->by_twist[k] += turned(change[k].turn, n + 3, view->u) + limpet_vec3_dot(n + 3, by_V);
    }
  }
}

// -------------------------------------------------------------------------- patches

bool limpet_patch_law_known(const limpet_probe *probe, int island, const limpet_patch *patch) {
  const limpet_solved_step *solved = probe->residual->solved;
  const limpet_contact_problem *problem = &solved->problem;
  const limpet_island_solver *s = &probe->residual->smooth[island].base;
  if (!s->model->change || (patch->spin_count > 0 && !s->model->coupled) || problem->anisotropic)
    return false;
  for (int c = patch->contact; c < patch->contact + patch->contact_count; ++c) {
    const limpet_contact_record *record = &solved->records.record[problem->contact_source[c]];
    const limpet_contact_pair *pair = &solved->records.pair[record->pair];
    if (s->constants[c - s->island->contact].normal || pair->surface_moves || pair->shaped ||
        (patch->spin_count > 0 && pair->surface) || record->link || record->pull != 0.0 ||
        (problem->rebound && problem->rebound[c] > 0.0))
      return false;
  }
  return true;
}

limpet_status limpet_patch_law_make(const limpet_probe *probe, int island,
                                    const limpet_patch *patch, const double D[36],
                                    const limpet_point_change *point, const unsigned char *kinked,
                                    limpet_arena *arena, limpet_patch_law *law) {
  const limpet_smooth_island *smooth = &probe->residual->smooth[island];
  law->switching = LIMPET_TAKE(arena, limpet_switch_change, smooth->weak_count);
  if (!law->switching) return LIMPET_ERROR_MEMORY;
  for (int k = 0; k < patch->contact_count; ++k) {
    const int contact = patch->contact + k, index = contact - smooth->base.island->contact;
    contact_view view;
    view_make(probe, island, contact, law, &view);
    add_switches(&view, smooth, index, point + 6 * k, law);
    if (!(view.gamma[2] > 0.0) && !(view.c->compliant.lagged_impulse > 0.0)) continue;
    impedance_slopes(&view);
    friction_slopes(&view);
    law_columns_of(&view);
    push(&view, 1.0, view.gamma, law->F);
    add_motion(&view, law);
    add_twist(&view, point + 6 * k, law);
    double by_n[3] = {0.0}, by_own[3] = {0.0};
    add_spins(&view, smooth, patch, contact, D, point + 6 * k, by_n, by_own, law);
    add_weights(&view, D, point + 6 * k, by_n, by_own, law);
    law->kinked |= kinked[contact];
  }
  return LIMPET_OK;
}

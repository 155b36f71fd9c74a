// gradient/law_change.c: see law_change.h. Cost: four evaluations of the law of each contact.
#include "gradient/law_change.h"

#include <float.h>
#include <math.h>

#include "law/normal_law.h"
#include "law/spin.h"
#include "math/vec3.h"
#include "solve/row.h"

// [-]  of the distance to the nearest switch of a law, that its differences span
static const double law_share = 3e-4;

// What the law of one contact is a function of.
typedef struct law_point {
  limpet_contact_constants constants;
  double v[3];  // [m/s]
} law_point;

// c = a + share (b - a) of all that a law reads, before `prepare`.
static void constants_between(const limpet_contact_constants *a, const limpet_contact_constants *b,
                              double share, limpet_contact_constants *c) {
  *c = *a;
#define BETWEEN(field) c->field = a->field + share * (b->field - a->field)
  BETWEEN(dt);
  BETWEEN(friction);
  BETWEEN(torsion);
  BETWEEN(rolling);
  BETWEEN(torsion_rate);
  BETWEEN(rolling_rate);
  BETWEEN(stiffness);
  BETWEEN(dissipation);
  BETWEEN(relaxation_time);
  BETWEEN(distance);
  BETWEEN(elastic_force);
  BETWEEN(shear);
  BETWEEN(normal_speed);
  BETWEEN(free_speed);
  BETWEEN(bend_speed);
  BETWEEN(bias_speed);
  BETWEEN(delassus);
#undef BETWEEN
}

// As contact/assemble.c does: of the gap before curved paths bend it.
static void prepare(const limpet_island_solver *base, limpet_contact_constants *c) {
  const double bend = c->dt * c->bend_speed;
  c->distance -= bend, c->elastic_force += c->stiffness * bend;
  base->model->head.prepare(c, &base->problem->settings);
  c->distance += bend, c->elastic_force -= c->stiffness * bend;
}

static void point_between(const limpet_island_solver *base, const limpet_island_solver *other,
                          int contact, double share, law_point *point) {
  const double *a = base->contact_v + 3 * contact, *b = other->contact_v + 3 * contact;
  constants_between(&base->constants[contact], &other->constants[contact], share,
                    &point->constants);
  prepare(base, &point->constants);
  for (int i = 0; i < 3; ++i) point->v[i] = a[i] + share * (b[i] - a[i]);
}

// [m/s]  by which the normal velocity of a contact can change before its law switches.
static double normal_reach(const limpet_island_solver *base, int contact) {
  const double impulse = base->contact_gamma[3 * contact + 2];
  const double curvature = base->contact_G[LIMPET_HESSIAN_SIZE * contact + 5];
  if (impulse > 0.0 && curvature > 0.0) return impulse / curvature;
  const limpet_contact_constants *c = &base->constants[contact];
  return fabs(base->contact_v[3 * contact + 2] + c->distance / (c->dt + c->relaxation_time)) +
         DBL_MIN;
}

// [m/s]  on which its friction changes: the slip, or what friction is regularised with.
static double slip_reach(const limpet_island_solver *base, int contact) {
  const limpet_contact_constants *c = &base->constants[contact];
  const double *v = base->contact_v + 3 * contact;
  const double least = fmax(c->compliant.slip_speed, c->compliant.R_tangent * c->friction *
                                                         base->contact_gamma[3 * contact + 2]);
  return sqrt(v[0] * v[0] + v[1] * v[1] + least * least) + DBL_MIN;
}

static double change_of(double a, double b, double scale) { return fabs(b - a) / scale; }

// Share of the change from `base` to `other` over which the law of a contact is differentiated.
static double share_of(const limpet_island_solver *base, const limpet_island_solver *other,
                       int contact) {
  const limpet_contact_constants *a = &base->constants[contact], *b = &other->constants[contact];
  const double *v = base->contact_v + 3 * contact, *u = other->contact_v + 3 * contact;
  const double reach = normal_reach(base, contact);
  double largest = hypot(u[0] - v[0], u[1] - v[1]) / slip_reach(base, contact);
  largest = fmax(largest, change_of(v[2], u[2], reach));
  largest = fmax(largest, change_of(a->distance, b->distance, a->dt * reach));
  largest = fmax(largest, change_of(a->normal_speed, b->normal_speed, reach));
  largest = fmax(largest, change_of(a->stiffness, b->stiffness, a->stiffness + DBL_MIN));
  largest = fmax(largest, change_of(a->delassus, b->delassus, a->delassus + DBL_MIN));
  largest = fmax(largest, change_of(a->dt, b->dt, a->dt));
  return largest > law_share ? law_share / largest : 1.0;
}

// dgamma/dshare of a function, from its values at -2, -1, 1, 2 shares: fourth order.
static double slope_of(const double value[4], double share) {
  return (8.0 * (value[2] - value[1]) - (value[3] - value[0])) / (12.0 * share);
}

static const double places[4] = {-2.0, -1.0, 1.0, 2.0};  // [shares]

// b - a of all that a law reads, before `prepare`.
static limpet_contact_constants constants_change(const limpet_contact_constants *a,
                                                 const limpet_contact_constants *b) {
  limpet_contact_constants change = {0};
#define CHANGE(field) change.field = b->field - a->field
  CHANGE(dt);
  CHANGE(friction);
  CHANGE(stiffness);
  CHANGE(dissipation);
  CHANGE(relaxation_time);
  CHANGE(distance);
  CHANGE(elastic_force);
  CHANGE(shear);
  CHANGE(normal_speed);
  CHANGE(free_speed);
  CHANGE(bend_speed);
  CHANGE(bias_speed);
  CHANGE(delassus);
#undef CHANGE
  return change;
}

// In closed form; false: the law has none.
static bool change_exactly(const limpet_island_solver *base, limpet_island_solver *other,
                           int contact) {
  if (!base->model->change) return false;
  const limpet_contact_constants *a = &base->constants[contact];
  const limpet_contact_constants dc = constants_change(a, &other->constants[contact]);
  const double *v = base->contact_v + 3 * contact, *u = other->contact_v + 3 * contact;
  const double dv[3] = {u[0] - v[0], u[1] - v[1], u[2] - v[2]};
  double dgamma[3];
  if (!base->model->change(a, &dc, &base->problem->settings, v, dv, dgamma)) return false;
  for (int e = 0; e < 3; ++e)
    other->contact_gamma[3 * contact + e] = base->contact_gamma[3 * contact + e] + dgamma[e];
  return true;
}

static void change_contact(const limpet_island_solver *base, limpet_island_solver *other,
                           int contact, double share) {
  if (change_exactly(base, other, contact)) return;
  double gamma[4][3];
  for (int k = 0; k < 4; ++k) {
    law_point point;
    point_between(base, other, contact, places[k] * share, &point);
    base->model->evaluate(&point.constants, 1, point.v, gamma[k]);
  }
  for (int e = 0; e < 3; ++e) {
    const double value[4] = {gamma[0][e], gamma[1][e], gamma[2][e], gamma[3][e]};
    other->contact_gamma[3 * contact + e] =
        base->contact_gamma[3 * contact + e] + slope_of(value, share);
  }
}

static void change_row(const limpet_constraint_row *a, const limpet_constraint_row *b, double u_a,
                       double u_b, double *gamma) {
  const double wanted = limpet_row_wanted(a, u_a);
  if (wanted < a->lower) *gamma = b->lower;
  else *gamma = wanted > a->upper ? b->upper : limpet_row_wanted(b, u_b);
}

// A spin of both problems: of the step, and of the other one.
typedef struct spin_pair {
  const limpet_spin *a, *b;
  const double *w_a, *w_b;  // (2)  [rad/s]
} spin_pair;

static double between(double a, double b, double share) { return a + share * (b - a); }

// b [N s], eps [rad/s] of a spin: law/spin.h.
typedef struct spin_bound {
  double impulse, eps;
} spin_bound;

static bool bound_is_coupled(const limpet_island_solver *base,
                             const limpet_contact_constants *constants) {
  return base->model->coupled && constants->compliant.friction_form == LIMPET_FRICTION_COUPLED;
}

static spin_bound bound_at(const limpet_island_solver *base, const limpet_island_solver *other,
                           const spin_pair *spin, double share) {
  law_point point;
  double slope;
  point_between(base, other, spin->a->contact - base->island->contact, share, &point);
  const limpet_compliant_constants *own = &point.constants.compliant;
  const double impulse = bound_is_coupled(base, &point.constants)
                             ? limpet_normal_impulse(&point.constants, point.v[2], &slope)
                             : own->lagged_impulse;
  return (spin_bound){impulse, between(spin->a->rate, spin->b->rate, share) * own->slip_speed};
}

// Changes of b and eps where b is the impulse at the start of the step; false: it is not.
static bool lagged_bound_change(const limpet_island_solver *base, const limpet_island_solver *other,
                                const spin_pair *spin, spin_bound *change) {
  const int contact = spin->a->contact - base->island->contact;
  const limpet_contact_constants *a = &base->constants[contact];
  const limpet_contact_constants dc = constants_change(a, &other->constants[contact]);
  double slip_speed;
  if (base->model->head.prepare != limpet_normal_law_lag ||
      !limpet_normal_law_lag_change(a, &dc, &base->problem->settings, &change->impulse,
                                    &slip_speed))
    return false;
  change->eps =
      (spin->b->rate - spin->a->rate) * a->compliant.slip_speed + spin->a->rate * slip_speed;
  return true;
}

/* Changes of b and eps. A bound that is the normal impulse changes with it: differences would have
 * the round-off of a contact that is about to open. */
static spin_bound bound_change(const limpet_island_solver *base, const limpet_island_solver *other,
                               const spin_pair *spin) {
  spin_bound exact;
  if (lagged_bound_change(base, other, spin, &exact)) return exact;
  const int contact = spin->a->contact - base->island->contact;
  const double share = share_of(base, other, contact);
  double impulse[4], eps[4];
  for (int k = 0; k < 4; ++k) {
    const spin_bound bound = bound_at(base, other, spin, places[k] * share);
    impulse[k] = bound.impulse, eps[k] = bound.eps;
  }
  spin_bound change = {slope_of(impulse, share), slope_of(eps, share)};
  if (bound_is_coupled(base, &base->constants[contact]))
    change.impulse = other->contact_gamma[3 * contact + 2] - base->contact_gamma[3 * contact + 2];
  return change;
}

// dtau = -(drho b + rho db) w/s - rho b (dw/s - w (w . dw + eps deps)/s^3)
static void change_spin(const limpet_island_solver *base, const limpet_island_solver *other,
                        const spin_pair *spin, const double *before, double *tau) {
  const spin_bound own = bound_at(base, base, spin, 0.0), change = bound_change(base, other, spin);
  const double *w = spin->w_a, rho = spin->a->length, drho = spin->b->length - rho;
  const double dw[2] = {spin->w_b[0] - w[0], spin->w_b[1] - w[1]};
  const double s2 = w[0] * w[0] + w[1] * w[1] + own.eps * own.eps, s = sqrt(s2);
  const double along = w[0] * dw[0] + w[1] * dw[1] + own.eps * change.eps;
  if (!(s > 0.0)) return;
  for (int e = 0; e < 2; ++e)
    tau[e] = before[e] - (drho * own.impulse + rho * change.impulse) * w[e] / s -
             rho * own.impulse * (dw[e] - w[e] * along / s2) / s;
}

// The spin of the step that a spin of the other problem is, from `from` on; -1: there is none.
static int find_spin(const limpet_island_solver *base, int from, int contact, bool rolling) {
  for (int i = from; i < base->spins.count; ++i)
    if (base->spins.spin[i].contact - base->island->contact == contact &&
        base->spins.spin[i].rolling == rolling)
      return i;
  return -1;
}

/* Another model may have spins where the step has none, of length zero there: tau is linear in the
 * length. */
static void change_spins(const limpet_island_solver *base, limpet_island_solver *other) {
  for (int k = 0, next = 0; k < other->spins.count; ++k) {
    const limpet_spin *b = &other->spins.spin[k];
    const double *w = other->spins.w + 2 * k;
    const int contact = b->contact - other->island->contact,
              i = find_spin(base, next, contact, b->rolling);
    double *tau = other->spins.tau + 2 * k;
    if (i >= 0) {
      const spin_pair both = {&base->spins.spin[i], b, base->spins.w + 2 * i, w};
      change_spin(base, other, &both, base->spins.tau + 2 * i, tau);
      next = i + 1;
    } else {
      limpet_spin alone = *b;
      alone.contact = base->island->contact + contact;
      const spin_pair same = {&alone, &alone, w, w};
      const spin_bound bound = bound_at(base, base, &same, 0.0);
      limpet_spin_evaluate(b->length * bound.impulse, bound.eps, w, tau);
    }
  }
}

void limpet_law_change(const limpet_island_solver *base, limpet_island_solver *other) {
  for (int i = 0; i < base->island->contact_count; ++i)
    change_contact(base, other, i, share_of(base, other, i));
  for (int i = 0; i < base->island->row_count; ++i)
    change_row(&base->problem->row[base->island->row + i],
               &other->problem->row[other->island->row + i], base->row_u[i], other->row_u[i],
               &other->row_gamma[i]);
  change_spins(base, other);
}

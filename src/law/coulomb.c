/* law/coulomb.c: the default model: compliant contact whose friction is Coulomb's in every step,
 * bounded by the normal impulse of the same step.
 *
 *   normal      gamma_n = n(v_n)
 *   friction    gamma_t = -mu n(v_n) t,   t = v_t/s,   s = sqrt(|v_t|^2 + eps_s^2)           (11)
 *   n           of the normal law, normal_law.h
 *   mu [-] friction, eps_s = v_s [m/s] stiction speed, n [N s], v [m/s]
 * No gap opens under what slides, nothing stiffens, and |gamma_t| <= mu gamma_n whatever the step
 * is. The field gamma(v) has a curl, d gamma_t/d v_n = mu k' t with k' = -n' while d gamma_n/d v_t
 * = 0, so it is no gradient and a step is no minimum. It is a fixed point of convex ones, each
 * irrotational, which solve/coulomb.h looks for:
 *   bounded     gamma_t = -mu b t for a given b: the cost of `lagged` with gamma_n0 = b; the law
 *               itself where b = n(v_n)
 *   shifted     n and t of z = v_n - mu (s - c) for a given c: the cost of `similar`, whose gap
 *               mu dt (s - eps_s) is taken back by the slip speed that is expected; the law itself
 *               where c = s
 * Contact surfaces of pressure fields shear as they are pressed: what sticks is held by a spring
 * kappa k, so friction is regularised below the slip that stretches it in a step to its bound,
 *   eps_s = mu f_e0/(kappa k h)   where that is more than v_s
 *   k [N/m] stiffness of the point, or a tenth of the surface's mean for its area where it runs
 * along a gradient: sides rub, too; f_e0 [N] elastic force at the start, h [s] step, kappa [-] and
 * the bristle of contact/kept.h is that spring. With rigid shear, points that lose their pressure
 * hand their load over by slipping, and what is held walks with every swing. Mindlin's kappa = 2 (1
 * - nu)/(2 - nu) sways as the whole depth of a soft body would; the default only shares the load.
 * docs/theory/coulomb.md has the proofs: a fixed point exists always, and need not be unique.
 *
 * Reference: Castro, Han, Masterjohn, Irrotational Contact Fields, (11), (18) to (21); the shift:
 * De Saxce, Feng, The bipotential method, Math. Comput. Modelling 28 (1998); Acary, Cadoux,
 * Lemarechal, Malick, A formulation of the linear discrete Coulomb friction problem via convex
 * optimization, ZAMM 91 (2011). */
#include <math.h>

#include "law/contact_model_list.h"
#include "law/friction_direction.h"
#include "law/normal_law.h"

// Slip [m/s] that stretches the shear spring of a contact surface to friction's bound in a step.
static double shear_speed(const limpet_contact_constants *c,
                          const limpet_contact_settings *settings) {
  if (!c->surface || !(settings->shear_ratio > 0.0)) return 0.0;
  return c->friction * fmax(0.0, limpet_start_force(c)) /
         (settings->shear_ratio * c->shear * c->dt);
}

// Its change.
static double shear_speed_change(const limpet_contact_constants *c,
                                 const limpet_contact_constants *dc,
                                 const limpet_contact_settings *settings) {
  const double eps = shear_speed(c, settings);
  if (!(eps > settings->stiction_speed)) return 0.0;
  return eps *
         (dc->friction / c->friction + limpet_start_force_change(c, dc) / limpet_start_force(c) -
          dc->shear / c->shear - dc->dt / c->dt);
}

static void coulomb_prepare(limpet_contact_constants *constants,
                            const limpet_contact_settings *settings) {
  constants->compliant = (limpet_compliant_constants){
      .slip_speed = fmax(settings->stiction_speed, shear_speed(constants, settings)),
      .friction_form = LIMPET_FRICTION_COUPLED};
}

// One contact as `lagged` sees it: in the coupled form with the bound of the velocity v.
static limpet_contact_constants as_bounded(const limpet_contact_constants *c, const double v[3]) {
  limpet_contact_constants bounded = *c;
  double curvature;
  if (c->compliant.friction_form == LIMPET_FRICTION_COUPLED)
    bounded.compliant.lagged_impulse = limpet_normal_impulse(c, v[2], &curvature);
  return bounded;
}

// v as `similar` sees it: its z is v_n - mu (s - eps_s).
static void shifted(const limpet_contact_constants *c, const double v[3], double u[3]) {
  u[0] = v[0];
  u[1] = v[1];
  u[2] = v[2] + c->friction * (c->compliant.friction_shift - c->compliant.slip_speed);
}

// All contacts of an island have the same form.
static bool is_bounded(const limpet_contact_constants *constants) {
  return constants->compliant.friction_form == LIMPET_FRICTION_BOUNDED;
}

static double coulomb_evaluate(const limpet_contact_constants *constants, int count,
                               const double *v, double *gamma) {
  if (count > 0 && is_bounded(constants))
    return limpet_contact_model_lagged.evaluate(constants, count, v, gamma);
  double cost = 0.0;
  for (int i = 0; i < count; ++i, v += 3, gamma += 3) {
    const limpet_contact_constants *c = &constants[i];
    if (c->compliant.friction_form == LIMPET_FRICTION_SHIFTED) {
      double u[3];
      shifted(c, v, u);
      cost += limpet_contact_model_similar.evaluate(c, 1, u, gamma);
    } else {
      const limpet_contact_constants bounded = as_bounded(c, v);
      cost += limpet_contact_model_lagged.evaluate(&bounded, 1, v, gamma);
    }
  }
  return cost;
}

// In the coupled form without the curl: solve/coulomb.h and gradients add it.
static void coulomb_hessian(const limpet_contact_constants *constants, int count, const double *v,
                            const double *dual, double *G) {
  if (count > 0 && is_bounded(constants)) {
    limpet_contact_model_lagged.hessian(constants, count, v, dual, G);
    return;
  }
  for (int i = 0; i < count; ++i, v += 3, G += LIMPET_HESSIAN_SIZE) {
    const limpet_contact_constants *c = &constants[i];
    const double *direction = dual ? dual + 2 * i : NULL;
    if (c->compliant.friction_form == LIMPET_FRICTION_SHIFTED) {
      double u[3];
      shifted(c, v, u);
      limpet_contact_model_similar.hessian(c, 1, u, direction, G);
    } else {
      const limpet_contact_constants bounded = as_bounded(c, v);
      limpet_contact_model_lagged.hessian(&bounded, 1, v, direction, G);
    }
  }
}

static void coulomb_along(const limpet_contact_constants *constants, int count, const double *v,
                          const double *dv, double alpha, double *slope, double *curvature) {
  if (count > 0 && is_bounded(constants)) {
    limpet_contact_model_lagged.along(constants, count, v, dv, alpha, slope, curvature);
    return;
  }
  for (int i = 0; i < count; ++i, v += 3, dv += 3) {
    double u[3];
    shifted(&constants[i], v, u);
    limpet_compliant_model_along(&limpet_contact_model_similar, &constants[i], 1, u, dv, alpha,
                                 slope, curvature);
  }
}

static bool coulomb_change(const limpet_contact_constants *c, const limpet_contact_constants *dc,
                           const limpet_contact_settings *settings, const double v[3],
                           const double dv[3], double dgamma[3]) {
  if (c->normal) return false;
  double curvature;
  const double n = limpet_hunt_crossley(c, v[2], &curvature);
  dgamma[2] = limpet_hunt_crossley_change(c, dc, v[2], dv[2]);
  limpet_friction_change(c->friction * n, dc->friction * n + c->friction * dgamma[2],
                         c->compliant.slip_speed, shear_speed_change(c, dc, settings), v, dv,
                         dgamma);
  return true;
}

static const limpet_parameter parameters[] = {
    LIMPET_PARAMETER_STICTION_SPEED, LIMPET_PARAMETER_NEAR_RIGID_RATIO, LIMPET_PARAMETER_STIFFNESS,
    LIMPET_PARAMETER_DISSIPATION,    LIMPET_PARAMETER_FRICTION,
};

const limpet_compliant_model limpet_contact_model_coulomb = {
    .head = {.descriptor =
                 {.name = "coulomb",
                  .text = "Compliant contact with Hunt-Crossley dissipation whose friction is "
                          "bounded by the normal impulse of the same step, impacts included: a "
                          "fixed point of convex problems, found by Newton's method on their "
                          "factors. A sliding contact stays closed and carries its weight. First "
                          "order in the time step.",
                  .reference = "Castro, Han, Masterjohn, Irrotational Contact Fields, equation "
                               "(11); Acary, Cadoux, Lemarechal, Malick, ZAMM 91 (2011)",
                  .parameter_count = sizeof parameters / sizeof parameters[0],
                  .parameters = parameters},
             .family = LIMPET_CONTACT_COMPLIANT,
             .turns = true,
             .promises_friction = true,
             .memory = LIMPET_MEMORY_WARM_START,
             .bristles = true,
             .whole_joints = true,
             .prepare = coulomb_prepare,
             .sticks = limpet_contact_model_sticks,
             .slip_speed = limpet_contact_model_slip_speed,
             .energy = limpet_normal_energy},
    .evaluate = coulomb_evaluate,
    .hessian = coulomb_hessian,
    .dual_step = limpet_friction_direction_step,
    .along = coulomb_along,
    .change = coulomb_change,
    .coupled = true,
};

/* law/lagged.c: the Lagged model: Hunt-Crossley normal impulse, friction bounded by the normal
 * impulse of the last step.
 *
 *   normal       gamma_n = n(v_n) = dt (f_e0 - dt k v_n)+ (1 - d v_n)+                  (7), (22)
 *   friction     gamma_t = -mu gamma_n0 v_t / sqrt(|v_t|^2 + eps_s^2)                  (10), (18)
 *   cost         l = mu gamma_n0 (sqrt(|v_t|^2 + eps_s^2) - eps_s) - N(v_n)                  (18)
 *   lag          gamma_n0 = dt (f_e0)+ (1 - d v_n0)+                           start of the step
 *   regularised  eps_s = max(v_s, sigma w mu gamma_n0)                                       (26)
 *
 *   dt [s] step, k [N/m] stiffness, d [s/m] dissipation, f_e0 [N] elastic force at the start,
 *   w [1/kg] Delassus estimate, mu [-] friction, v_s [m/s] stiction speed, sigma [-] regularisation
 *
 * n, N are those of the normal law, normal_law.h; (7), (22), (23) for Hunt-Crossley. Friction's
 * direction is a variable of its own in Newton's method (friction_direction.h). Tangent and normal
 * do not couple within a contact, so a sliding contact neither lifts nor stiffens.
 * Reference: Castro, Han, Masterjohn, Irrotational Contact Fields, sections V-B, VI, VIII. */
#include <math.h>

#include "law/bounded_friction.h"
#include "law/contact_model_list.h"
#include "law/friction_direction.h"
#include "law/normal_law.h"

static double lagged_evaluate(const limpet_contact_constants *constants, int count, const double *v,
                              double *gamma) {
  double cost = 0.0;
  for (int i = 0; i < count; ++i, v += 3, gamma += 3) {
    const limpet_contact_constants *c = &constants[i];

    cost += limpet_bounded_friction(c->friction * c->compliant.lagged_impulse,
                                    c->compliant.slip_speed, v, gamma);
    double integral;
    gamma[2] = limpet_normal_impulse_and_integral(c, v[2], &integral);
    cost -= integral;
  }
  return cost;
}

static void lagged_hessian(const limpet_contact_constants *constants, int count, const double *v,
                           const double *dual, double *G) {
  for (int i = 0; i < count; ++i, v += 3, G += LIMPET_HESSIAN_SIZE) {
    const limpet_contact_constants *c = &constants[i];
    const double s =
        sqrt(v[0] * v[0] + v[1] * v[1] + c->compliant.slip_speed * c->compliant.slip_speed);
    const double inverse = 1.0 / s, t[2] = {v[0] * inverse, v[1] * inverse};
    const double pull = c->friction * c->compliant.lagged_impulse * inverse;
    limpet_bounded_friction_hessian(pull, t, dual ? dual + 2 * i : t, G);
    G[3] = G[4] = 0.0;
    limpet_normal_impulse(c, v[2], &G[5]);
  }
}

static void lagged_along(const limpet_contact_constants *constants, int count, const double *v,
                         const double *dv, double alpha, double *slope, double *curvature) {
  double first = 0.0, second = 0.0;
  for (int i = 0; i < count; ++i, v += 3, dv += 3) {
    const limpet_contact_constants *c = &constants[i];
    const double x = v[0] + alpha * dv[0], y = v[1] + alpha * dv[1], z = v[2] + alpha * dv[2];

    // friction: derivatives of bound * sqrt(|v_t|^2 + eps^2)
    const double bound = c->friction * c->compliant.lagged_impulse;
    if (bound > 0.0) {
      const double s = sqrt(x * x + y * y + c->compliant.slip_speed * c->compliant.slip_speed),
                   inverse = 1.0 / s, pull = bound * inverse;
      const double along = (x * dv[0] + y * dv[1]) * inverse;
      first += bound * along;
      second += pull * (dv[0] * dv[0] + dv[1] * dv[1] - along * along);
    }

    // normal: derivatives of -N
    double normal_curvature;
    first -= limpet_normal_impulse(c, z, &normal_curvature) * dv[2];
    second += normal_curvature * dv[2] * dv[2];
  }
  *slope += first;
  *curvature += second;
}

static bool lagged_change(const limpet_contact_constants *c, const limpet_contact_constants *dc,
                          const limpet_contact_settings *settings, const double v[3],
                          const double dv[3], double dgamma[3]) {
  double dimpulse, deps;
  if (!limpet_normal_law_lag_change(c, dc, settings, &dimpulse, &deps)) return false;
  const double impulse = c->compliant.lagged_impulse;
  limpet_friction_change(c->friction * impulse, dc->friction * impulse + c->friction * dimpulse,
                         c->compliant.slip_speed, deps, v, dv, dgamma);
  dgamma[2] = limpet_hunt_crossley_change(c, dc, v[2], dv[2]);
  return true;
}

// Friction's bound is that of the lagged impulse: on an impact the normal impulse of this step is
// far larger.
static bool lagged_sticks(const limpet_contact_constants *constants, const double gamma[3]) {
  return sqrt(gamma[0] * gamma[0] + gamma[1] * gamma[1]) <
         LIMPET_STICKING_SHARE * constants->friction * constants->compliant.lagged_impulse;
}

static const limpet_parameter parameters[] = {
    LIMPET_PARAMETER_STICTION_SPEED,
    LIMPET_PARAMETER_FRICTION_REGULARIZATION(
        1e-5,
        "slip speed grows to sigma w mu gamma_n0 where that is larger, which keeps the Hessian's "
        "condition number bounded"),
    LIMPET_PARAMETER_NEAR_RIGID_RATIO,
    LIMPET_PARAMETER_STIFFNESS,
    LIMPET_PARAMETER_DISSIPATION,
    LIMPET_PARAMETER_FRICTION,
};

const limpet_compliant_model limpet_contact_model_lagged = {
    .head = {.descriptor =
                 {.name = "lagged",
                  .text = "Compliant contact with Hunt-Crossley dissipation; friction is bounded "
                          "by the normal impulse at the start of "
                          "the step. Convex, without the "
                          "gliding artefact of models whose cone couples slip and separation: a "
                          "sliding contact stays closed and carries "
                          "its weight. First order in the time step.",
                  .reference = "Castro, Han, Masterjohn, Irrotational Contact Fields, equations "
                               "(18), (22), (23), (26)",
                  .parameter_count = sizeof parameters / sizeof parameters[0],
                  .parameters = parameters},
             .family = LIMPET_CONTACT_COMPLIANT,
             .turns = true,
             .prepare = limpet_normal_law_lag,
             .sticks = lagged_sticks,
             .slip_speed = limpet_contact_model_slip_speed,
             .energy = limpet_normal_energy},
    .evaluate = lagged_evaluate,
    .hessian = lagged_hessian,
    .dual_step = limpet_friction_direction_step,
    .along = lagged_along,
    .change = lagged_change,
};

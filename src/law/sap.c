/* law/sap.c: the SAP model: linear Kelvin-Voigt compliance, the impulse projected onto the friction
 * cone.
 *
 *   R_n = max(beta^2/(4 pi^2) w, 1/(dt k (dt + tau_d))),  R_t = sigma w     (25), near-rigid limit
 *   v^  = -phi0/(dt + tau_d),  y = (-v_t/R_t, (v^ - v_n)/R_n),  y_r = |y_t|,  t = y_t/y_r
 *   mu^ = mu R_t/R_n,  mu~^2 = mu^2 R_t/R_n
 *   stiction  y_n > 0, y_r <= mu y_n         gamma = y
 *   sliding   -mu^ y_r < y_n < y_r/mu        gamma_n = (y_n + mu^ y_r)/(1 + mu~^2),
 *                                            gamma_t = mu gamma_n t
 *   open      otherwise                      gamma = 0
 *   cost      l = 1/2 gamma' R gamma                                                         (17)
 *   Hessian   (d gamma/dy) R^-1;  sliding, with f = 1/(1 + mu~^2):
 *             d gamma_t/dy_t = mu (gamma_n/y_r (I - t t') + mu^ f t t'),  d gamma_t/dy_n = mu f t,
 *             d gamma_n/dy_t = mu^ f t',                                  d gamma_n/dy_n = f
 *   tau_d [s] relaxation time, phi0 [m] distance, w [1/kg] Delassus estimate, beta, sigma [-]
 *
 * A sticking contact creeps with sigma w gamma_t. A sliding contact glides on a gap of
 * mu (dt + tau_d) |v_t|.
 * Reference: Castro, Permenter, Han, An unconstrained convex formulation of compliant contact, IEEE
 * T-RO 39 (2023); shared reference drake.md 2.3. */
#include <math.h>

#include "law/contact_model_list.h"
#include "law/normal_law.h"
#include "math/vec3.h"

static void sap_prepare(limpet_contact_constants *constants,
                        const limpet_contact_settings *settings) {
  const double beta = settings->near_rigid_ratio, dt = constants->dt;
  const double near_rigid = beta * beta / (4.0 * LIMPET_PI * LIMPET_PI) * constants->delassus;
  constants->compliant.R_normal =
      fmax(near_rigid, 1.0 / (dt * constants->stiffness * (dt + constants->relaxation_time)));
  constants->compliant.R_tangent = settings->friction_regularization * constants->delassus;
}

// Where y is with respect to the cone.
typedef enum sap_region { SAP_OPEN, SAP_SLIDING, SAP_STICTION } sap_region;

typedef struct sap_point {
  sap_region region;
  double y_t[2], y_n, y_r;  // [N s]
  double mu_hat, inverse;   // mu^, 1/(1 + mu~^2)
  double gamma_n;           // [N s]
} sap_point;

static sap_point sap_at(const limpet_contact_constants *constants, const double v[3]) {
  sap_point p = {.region = SAP_OPEN};
  const double mu = constants->friction,
               ratio = constants->compliant.R_tangent / constants->compliant.R_normal;
  p.y_t[0] = -v[0] / constants->compliant.R_tangent,
  p.y_t[1] = -v[1] / constants->compliant.R_tangent;
  p.y_n = (-constants->distance / (constants->dt + constants->relaxation_time) - v[2]) /
          constants->compliant.R_normal;
  p.y_r = sqrt(p.y_t[0] * p.y_t[0] + p.y_t[1] * p.y_t[1]);
  p.mu_hat = mu * ratio;
  p.inverse = 1.0 / (1.0 + mu * mu * ratio);
  if (p.y_n > 0.0 && p.y_r <= mu * p.y_n) {
    p.region = SAP_STICTION;
    p.gamma_n = p.y_n;
  } else if (-p.mu_hat * p.y_r < p.y_n) {
    p.region = SAP_SLIDING;
    p.gamma_n = (p.y_n + p.mu_hat * p.y_r) * p.inverse;
  }
  return p;
}

static double sap_glide(const limpet_contact_constants *constants, double slip, double turn) {
  (void)turn;
  return constants->friction * (constants->dt + constants->relaxation_time) * slip;
}

static double sap_evaluate(const limpet_contact_constants *constants, int count, const double *v,
                           double *gamma) {
  double cost = 0.0;
  for (int i = 0; i < count; ++i, v += 3, gamma += 3) {
    const sap_point p = sap_at(&constants[i], v);
    const double share = p.region == SAP_STICTION  ? 1.0
                         : p.region == SAP_SLIDING ? constants[i].friction * p.gamma_n / p.y_r
                                                   : 0.0;
    gamma[0] = share * p.y_t[0];
    gamma[1] = share * p.y_t[1];
    gamma[2] = p.gamma_n;
    cost += 0.5 * (constants[i].compliant.R_tangent * (gamma[0] * gamma[0] + gamma[1] * gamma[1]) +
                   constants[i].compliant.R_normal * gamma[2] * gamma[2]);
  }
  return cost;
}

static void sap_hessian(const limpet_contact_constants *constants, int count, const double *v,
                        const double *dual, double *G) {
  (void)dual;
  for (int i = 0; i < count; ++i, v += 3, G += LIMPET_HESSIAN_SIZE) {
    const sap_point p = sap_at(&constants[i], v);
    const double R_t = constants[i].compliant.R_tangent, R_n = constants[i].compliant.R_normal,
                 mu = constants[i].friction;
    for (int k = 0; k < LIMPET_HESSIAN_SIZE; ++k) G[k] = 0.0;
    if (p.region == SAP_STICTION) {
      G[0] = G[2] = 1.0 / R_t;
      G[5] = 1.0 / R_n;
    } else if (p.region == SAP_SLIDING) {
      const double t1 = p.y_t[0] / p.y_r, t2 = p.y_t[1] / p.y_r, across = p.gamma_n / p.y_r,
                   along = p.mu_hat * p.inverse;
      G[0] = mu / R_t * (across * (1.0 - t1 * t1) + along * t1 * t1);
      G[1] = mu / R_t * (along - across) * t1 * t2;
      G[2] = mu / R_t * (across * (1.0 - t2 * t2) + along * t2 * t2);
      G[3] = mu * p.inverse / R_n * t1;
      G[4] = mu * p.inverse / R_n * t2;
      G[5] = p.inverse / R_n;
    }
  }
}

// Where the tangential spring R_t meets the cone: |v_t| = R_t mu gamma_n.
static double sap_slip_speed(const limpet_contact_constants *constants, const double gamma[3]) {
  return constants->compliant.R_tangent * constants->friction * gamma[2];
}

static double sap_energy(const limpet_contact_constants *constants, double phi) {
  const limpet_normal_point point = limpet_normal_point_of(constants);
  return limpet_normal_law_kelvin_voigt.energy(&limpet_normal_law_kelvin_voigt, &point, phi);
}

// Changes of R_n and R_t.
static void regularization_change(const limpet_contact_constants *c,
                                  const limpet_contact_constants *dc,
                                  const limpet_contact_settings *settings, double *dR_n,
                                  double *dR_t) {
  const double share =
      settings->near_rigid_ratio * settings->near_rigid_ratio / (4.0 * LIMPET_PI * LIMPET_PI);
  const double time = c->dt + c->relaxation_time, dtime = dc->dt + dc->relaxation_time;
  const double R_n = 1.0 / (c->dt * c->stiffness * time);
  *dR_n = R_n > share * c->delassus
              ? -R_n * (dc->dt / c->dt + dc->stiffness / c->stiffness + dtime / time)
              : share * dc->delassus;
  *dR_t = settings->friction_regularization * dc->delassus;
}

static bool sap_change(const limpet_contact_constants *c, const limpet_contact_constants *dc,
                       const limpet_contact_settings *settings, const double v[3],
                       const double dv[3], double dgamma[3]) {
  const sap_point p = sap_at(c, v);
  const double R_n = c->compliant.R_normal, R_t = c->compliant.R_tangent, mu = c->friction;
  const double time = c->dt + c->relaxation_time, dtime = dc->dt + dc->relaxation_time;
  double dR_n, dR_t, dy[2];
  dgamma[0] = dgamma[1] = dgamma[2] = 0.0;
  if (p.region == SAP_OPEN) return true;
  regularization_change(c, dc, settings, &dR_n, &dR_t);
  const double dv_hat = (-dc->distance + c->distance * dtime / time) / time;
  const double dy_n = (dv_hat - dv[2] - p.y_n * dR_n) / R_n;
  for (int e = 0; e < 2; ++e) dy[e] = -(dv[e] + p.y_t[e] * dR_t) / R_t;
  if (p.region == SAP_STICTION) {
    dgamma[0] = dy[0], dgamma[1] = dy[1], dgamma[2] = dy_n;
    return true;
  }

  // sliding
  const double ratio = R_t / R_n, dratio = (dR_t - ratio * dR_n) / R_n;
  const double dmu_hat = dc->friction * ratio + mu * dratio;
  const double dinverse =
      -p.inverse * p.inverse * (2.0 * mu * dc->friction * ratio + mu * mu * dratio);
  const double dy_r = (p.y_t[0] * dy[0] + p.y_t[1] * dy[1]) / p.y_r;
  dgamma[2] = (dy_n + dmu_hat * p.y_r + p.mu_hat * dy_r) * p.inverse +
              (p.y_n + p.mu_hat * p.y_r) * dinverse;
  for (int e = 0; e < 2; ++e) {
    const double t = p.y_t[e] / p.y_r, dt = (dy[e] - t * dy_r) / p.y_r;
    dgamma[e] = (dc->friction * p.gamma_n + mu * dgamma[2]) * t + mu * p.gamma_n * dt;
  }
  return true;
}

static const limpet_parameter parameters[] = {
    // the law divides by it
    LIMPET_SETTING_FROM("friction_regularization", 1e-3, 1e-12,
                        "R_t = sigma w: stiction creeps with sigma w gamma_t"),
    LIMPET_PARAMETER_NEAR_RIGID_RATIO,
    LIMPET_PARAMETER_STIFFNESS,
    LIMPET_SETTING("relaxation_time", NAN,
                   "Kelvin-Voigt relaxation time of a geom; those of a pair add"),
    LIMPET_PARAMETER_FRICTION,
};

const limpet_compliant_model limpet_contact_model_sap = {
    .head = {.descriptor =
                 {.name = "sap",
                  .text = "Linear elasticity and damping (Kelvin-Voigt); the impulse is the "
                          "projection of the elastic one onto the friction "
                          "cone, in the norm of the regularisation. Robust and cheap; a sliding "
                          "contact glides on a gap of mu (dt + tau) "
                          "|v_t|, and damping acts in tension until the contact opens.",
                  .reference = "Castro, Permenter, Han, An unconstrained convex formulation of "
                               "compliant contact (2023)",
                  .parameter_count = sizeof parameters / sizeof parameters[0],
                  .parameters = parameters},
             .family = LIMPET_CONTACT_COMPLIANT,
             .prepare = sap_prepare,
             .glide = sap_glide,
             .sticks = limpet_contact_model_sticks,
             .slip_speed = sap_slip_speed,
             .energy = sap_energy,
             .normal_law = &limpet_normal_law_kelvin_voigt},
    .evaluate = sap_evaluate,
    .hessian = sap_hessian,
    .change = sap_change,
};

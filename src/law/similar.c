/* law/similar.c: the Similar model: Hunt-Crossley normal impulse and friction from one potential of
 * z = v_n - mu |v_t|_s.
 *
 *   z           = v_n - mu (s - eps_s),  s = sqrt(|v_t|^2 + eps_s^2)                         (19)
 *   normal      gamma_n = n(z)
 *   friction    gamma_t = -mu n(z) t,  t = v_t/s                                             (20)
 *   cost        l = -N(z)                                                                    (21)
 *   Hessian     G_nn = -n',  G_tn = mu n' t,  G_tt = -mu^2 n' t t' + mu n (I - t t')/s
 *               (the paper lacks the factor mu of the last term)
 *   n, N        of the normal law, normal_law.h
 *   eps_s       regularised with the lagged impulse as in Lagged and in Drake
 *
 * Friction obeys Coulomb's law with the normal impulse of the same step. A sliding contact behaves
 * as if its gap were larger by mu dt |v_t| (gliding).
 * Reference: Castro, Han, Masterjohn, Irrotational Contact Fields, section V-C; shared reference
 * drake.md 2.6, benchmarks.md 3.1. */
#include <math.h>

#include "law/contact_model_list.h"
#include "law/friction_direction.h"
#include "law/normal_law.h"

/* As in Lagged; and rest must be admissible with a barrier: it counts from farther off where a
 * surface that moves under a body at rest would lead z through it. */
static void similar_prepare(limpet_contact_constants *constants,
                            const limpet_contact_settings *settings) {
  limpet_normal_law_lag(constants, settings);
  if (!constants->normal || !constants->normal->range) return;
  const double slip2 = constants->bias_speed * constants->bias_speed;
  const double glide =
      constants->friction * slip2 /
      (sqrt(slip2 + constants->compliant.slip_speed * constants->compliant.slip_speed) +
       constants->compliant.slip_speed);
  constants->distance = fmax(constants->distance, 2.0 * constants->dt * glide);
}

static double similar_glide(const limpet_contact_constants *constants, double slip, double turn) {
  (void)turn;
  return constants->friction * constants->dt * slip;
}

static double similar_evaluate(const limpet_contact_constants *constants, int count,
                               const double *v, double *gamma) {
  double cost = 0.0;
  for (int i = 0; i < count; ++i, v += 3, gamma += 3) {
    const limpet_contact_constants *c = &constants[i];
    const double slip2 = v[0] * v[0] + v[1] * v[1],
                 s = sqrt(slip2 + c->compliant.slip_speed * c->compliant.slip_speed);
    // s - eps, to all digits
    const double z = v[2] - c->friction * slip2 / (s + c->compliant.slip_speed);
    double integral;
    const double n = limpet_normal_impulse_and_integral(c, z, &integral);
    gamma[0] = -c->friction * n * v[0] / s;
    gamma[1] = -c->friction * n * v[1] / s;
    gamma[2] = n;
    cost -= integral;
  }
  return cost;
}

static void similar_hessian(const limpet_contact_constants *constants, int count, const double *v,
                            const double *dual, double *G) {
  for (int i = 0; i < count; ++i, v += 3, G += LIMPET_HESSIAN_SIZE) {
    const limpet_contact_constants *c = &constants[i];
    const double slip2 = v[0] * v[0] + v[1] * v[1],
                 s = sqrt(slip2 + c->compliant.slip_speed * c->compliant.slip_speed),
                 mu = c->friction;
    const double t1 = v[0] / s, t2 = v[1] / s, w1 = dual ? dual[2 * i] : t1,
                 w2 = dual ? dual[2 * i + 1] : t2;
    double stiff;
    const double pull =
        mu * limpet_normal_impulse(c, v[2] - mu * slip2 / (s + c->compliant.slip_speed), &stiff) /
        s;
    G[0] = mu * mu * stiff * t1 * t1 + pull * (1.0 - t1 * w1);
    G[1] = mu * mu * stiff * t1 * t2 - 0.5 * pull * (t1 * w2 + t2 * w1);
    G[2] = mu * mu * stiff * t2 * t2 + pull * (1.0 - t2 * w2);
    G[3] = -mu * stiff * t1;
    G[4] = -mu * stiff * t2;
    G[5] = stiff;
  }
}

static bool similar_change(const limpet_contact_constants *c, const limpet_contact_constants *dc,
                           const limpet_contact_settings *settings, const double v[3],
                           const double dv[3], double dgamma[3]) {
  double dimpulse, deps, curvature, unit[2];
  if (!limpet_normal_law_lag_change(c, dc, settings, &dimpulse, &deps)) return false;
  const double eps = c->compliant.slip_speed, mu = c->friction;
  const double slip2 = v[0] * v[0] + v[1] * v[1], s = sqrt(slip2 + eps * eps);
  const double glide = slip2 > 0.0 ? slip2 / (s + eps) : 0.0;
  const double ds = limpet_friction_change(1.0, 0.0, eps, deps, v, dv, unit);

  // z, n(z), and friction bounded by it
  const double z = v[2] - mu * glide, dz = dv[2] - dc->friction * glide - mu * (ds - deps);
  const double n = limpet_hunt_crossley(c, z, &curvature);
  dgamma[2] = limpet_hunt_crossley_change(c, dc, z, dz);
  limpet_friction_change(mu * n, dc->friction * n + mu * dgamma[2], eps, deps, v, dv, dgamma);
  return true;
}

static const limpet_parameter parameters[] = {
    LIMPET_PARAMETER_STICTION_SPEED,
    LIMPET_PARAMETER_FRICTION_REGULARIZATION(
        1e-5, "slip speed grows to sigma w mu gamma_n0 where that is larger"),
    LIMPET_PARAMETER_NEAR_RIGID_RATIO,
    LIMPET_PARAMETER_STIFFNESS,
    LIMPET_PARAMETER_DISSIPATION,
    LIMPET_PARAMETER_FRICTION,
};

const limpet_compliant_model limpet_contact_model_similar = {
    .head =
        {.descriptor =
             {.name = "similar",
              .text =
                  "Compliant contact with Hunt-Crossley dissipation; friction and normal impulse "
                  "come from one potential, so "
                  "Coulomb's law holds within the step. A sliding contact glides on a gap of mu dt "
                  "|v_t| and hops where it "
                  "is stiff. Convex, first order in the time step.",
              .reference = "Castro, Han, Masterjohn, Irrotational Contact Fields, equations (19) "
                           "to (21), (26)",
              .parameter_count = sizeof parameters / sizeof parameters[0],
              .parameters = parameters},
         .family = LIMPET_CONTACT_COMPLIANT,
         .prepare = similar_prepare,
         .glide = similar_glide,
         .sticks = limpet_contact_model_sticks,
         .slip_speed = limpet_contact_model_slip_speed,
         .energy = limpet_normal_energy},
    .evaluate = similar_evaluate,
    .hessian = similar_hessian,
    .dual_step = limpet_friction_direction_step,
    .curved_penalty = true,
    .change = similar_change,
};

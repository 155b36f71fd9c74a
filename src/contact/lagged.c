/* contact/lagged.c: the Lagged model: Hunt-Crossley normal impulse, friction bounded by the normal impulse of the last step.
 *
 *   normal      gamma_n = n(v_n) = dt (f_e0 - dt k v_n)+ (1 - d v_n)+                              (7), (22)
 *   friction    gamma_t = -mu gamma_n0 v_t / sqrt(|v_t|^2 + eps_s^2)                                (10), (18)
 *   cost        l = mu gamma_n0 (sqrt(|v_t|^2 + eps_s^2) - eps_s) - N(v_n)                          (18)
 *   N(v)        antiderivative of n with N(0) = 0, constant from v^ = min(f_e0/(dt k), 1/d) on      (23)
 *   lag         gamma_n0 = dt (f_e0)+ (1 - d v_n0)+                                                 start of the step
 *   regularised eps_s = max(v_s, sigma w mu gamma_n0)                                               (26)
 *
 *   dt [s] step, k [N/m] stiffness, d [s/m] dissipation, f_e0 [N] elastic force at the start, w [1/kg] Delassus estimate,
 *   mu [-] friction, v_s [m/s] stiction speed, sigma [-] regularisation
 *
 * Hessian     primal-dual: friction's direction w = v_t/sqrt(|v_t|^2 + eps^2) is a variable of its own, and s w = v_t is
 *             linearised instead:
 *             G_tt = mu gamma_n0/s (I - (t w' + w t')/2),  w <- t + (dv - w (t.dv))/s,  |w| <= 1
 *             Positive definite, so a direction of descent; exact where w = t. Newton's method then needs about as many
 *             iterations for any eps_s, where the plain Hessian creeps from contact to contact (Chan, Golub, Mulet, SIAM J.
 *             Sci. Comput. 20, 1999).
 *
 * Reference: Castro, Han, Masterjohn, Irrotational Contact Fields, sections V-B, VI, VIII; the form in f_e0 instead of phi0,
 * which stays finite for k -> 0, is Drake's (shared reference drake.md, 2.4).
 * Tangent and normal do not couple within a contact, so a sliding contact neither lifts nor stiffens. */
#include "contact/contact_model.h"

#include <math.h>

static void lagged_prepare(limpet_contact_law *law, const limpet_contact_constants *constants) {
  law->lagged_impulse = law->dt * fmax(0.0, law->elastic_force) * fmax(0.0, 1.0 - law->dissipation * law->normal_speed);
  law->slip_speed =
      fmax(constants->stiction_speed, constants->friction_regularization * law->delassus * law->friction * law->lagged_impulse);
}

// N(v), the antiderivative of the normal impulse.
static double normal_cost(const limpet_contact_law *law, double v) {
  const double dt = law->dt, k = law->stiffness, d = law->dissipation, fe0 = law->elastic_force;
  const double end = fmin(fe0 / (dt * k + 1e-300), 1.0 / (d + 1e-300));
  const double u = fmin(v, end);
  return dt * (u * (fe0 - 0.5 * dt * k * u) - 0.5 * d * u * u * (fe0 - 2.0 / 3.0 * dt * k * u));
}

static double lagged_evaluate(const limpet_contact_law *law, int count, const double *v, double *gamma) {
  double cost = 0.0;
  for (int i = 0; i < count; ++i, v += 3, gamma += 3) {
    const limpet_contact_law *c = &law[i];

    // friction
    const double bound = c->friction * c->lagged_impulse;
    const double s = sqrt(v[0] * v[0] + v[1] * v[1] + c->slip_speed * c->slip_speed), pull = bound / s;
    gamma[0] = -pull * v[0];
    gamma[1] = -pull * v[1];
    cost += bound * (s - c->slip_speed);

    // normal
    const double fe = c->elastic_force - c->dt * c->stiffness * v[2], damping = 1.0 - c->dissipation * v[2];
    gamma[2] = fe > 0.0 && damping > 0.0 ? c->dt * fe * damping : 0.0;
    cost -= normal_cost(c, v[2]);
  }
  return cost;
}

static void lagged_hessian(const limpet_contact_law *law, int count, const double *v, const double *dual, double *G) {
  for (int i = 0; i < count; ++i, v += 3, G += LIMPET_HESSIAN_SIZE) {
    const limpet_contact_law *c = &law[i];
    const double s = sqrt(v[0] * v[0] + v[1] * v[1] + c->slip_speed * c->slip_speed);
    const double pull = c->friction * c->lagged_impulse / s, t1 = v[0] / s, t2 = v[1] / s;
    const double w1 = dual ? dual[2 * i] : t1, w2 = dual ? dual[2 * i + 1] : t2;
    G[0] = pull * (1.0 - t1 * w1);
    G[1] = -0.5 * pull * (t1 * w2 + t2 * w1);
    G[2] = pull * (1.0 - t2 * w2);
    G[3] = G[4] = 0.0;
    const double fe = c->elastic_force - c->dt * c->stiffness * v[2], damping = 1.0 - c->dissipation * v[2];
    G[5] = fe > 0.0 && damping > 0.0 ? c->dt * (c->stiffness * c->dt * damping + c->dissipation * fe) : 0.0;
  }
}

static void lagged_dual_step(const limpet_contact_law *law, int count, const double *v, const double *dv, double *dual) {
  for (int i = 0; i < count; ++i, v += 3, dv += 3, dual += 2) {
    // d = t - w + (dv - w (t . dv))/s, as far as |w| stays below 1
    const double s = sqrt(v[0] * v[0] + v[1] * v[1] + law[i].slip_speed * law[i].slip_speed);
    const double t1 = v[0] / s, t2 = v[1] / s, along = t1 * dv[0] + t2 * dv[1];
    const double w1 = t1 + (dv[0] - dual[0] * along) / s, w2 = t2 + (dv[1] - dual[1] * along) / s;
    const double size = sqrt(w1 * w1 + w2 * w2), shrink = size > 1.0 ? 1.0 / size : 1.0;
    dual[0] = shrink * w1, dual[1] = shrink * w2;
  }
}

static void lagged_along(const limpet_contact_law *law, int count, const double *v, const double *dv, double alpha,
                         double *slope, double *curvature) {
  double first = 0.0, second = 0.0;
  for (int i = 0; i < count; ++i, v += 3, dv += 3) {
    const limpet_contact_law *c = &law[i];
    const double x = v[0] + alpha * dv[0], y = v[1] + alpha * dv[1], z = v[2] + alpha * dv[2];

    // friction: derivatives of bound * sqrt(|v_t|^2 + eps^2)
    const double bound = c->friction * c->lagged_impulse;
    if (bound > 0.0) {
      const double s = sqrt(x * x + y * y + c->slip_speed * c->slip_speed), pull = bound / s;
      const double along = x * dv[0] + y * dv[1];
      first += pull * along;
      second += pull * (dv[0] * dv[0] + dv[1] * dv[1] - along * along / (s * s));
    }

    // normal: derivatives of -N
    const double fe = c->elastic_force - c->dt * c->stiffness * z, damping = 1.0 - c->dissipation * z;
    if (fe > 0.0 && damping > 0.0) {
      first -= c->dt * fe * damping * dv[2];
      second += c->dt * (c->stiffness * c->dt * damping + c->dissipation * fe) * dv[2] * dv[2];
    }
  }
  *slope += first;
  *curvature += second;
}

static double lagged_energy(const limpet_contact_law *law, double depth) { return 0.5 * law->stiffness * depth * depth; }

static const limpet_parameter parameters[] = {
    {"stiction_speed", "m/s", 1e-6, 0.0, INFINITY, "slip speed below which friction is regularised (v_s)"},
    {"friction_regularization", "1", 1e-5, 0.0, 1.0,
     "slip speed grows to sigma w mu gamma_n0 where that is larger, which keeps the Hessian's condition number bounded"},
    {"near_rigid_ratio", "1", 0.1, 0.0, INFINITY,
     "period of a near-rigid contact over the time step (beta): k = 4 pi^2/(beta^2 dt^2 w)"},
    {"stiffness", "N/m", INFINITY, 0.0, INFINITY, "point stiffness of a geom; infinite: near-rigid"},
    {"dissipation", "s/m", 50.0, 0.0, INFINITY, "Hunt-Crossley dissipation of a geom"},
    {"friction", "1", 1.0, 0.0, INFINITY, "Coulomb coefficient of a geom"},
};

const limpet_contact_model limpet_contact_model_lagged = {
    .descriptor =
        {.name = "lagged",
         .text = "Compliant contact with Hunt-Crossley dissipation; friction is bounded by the normal impulse at the start of "
                 "the step. Convex, without the gliding artefact of models whose cone couples slip and separation: a sliding "
                 "contact stays closed and carries its weight. First order in the time step.",
         .reference = "Castro, Han, Masterjohn, Irrotational Contact Fields, equations (18), (22), (23), (26)",
         .parameter_count = sizeof parameters / sizeof parameters[0],
         .parameters = parameters},
    .prepare = lagged_prepare,
    .evaluate = lagged_evaluate,
    .hessian = lagged_hessian,
    .dual_step = lagged_dual_step,
    .along = lagged_along,
    .energy = lagged_energy,
};

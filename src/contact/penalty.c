/* contact/penalty.c: a spring and a damper at every contact, and a virtual tangential spring from where it began to stick.
 *
 *   f_n = max(0, -k phi0 - c v_n)                                     phi0, v: at the start of the step
 *   f_t = -(k s + c v_t), at most mu f_n; where that cuts it, s = -(f_t + c v_t)/k: the anchor slips along
 *   s  <- s + dt v_t                                                  its force -k s is part of the state: see anchors.h
 *   k [N/m] of the materials; near-rigid ones from near_rigid_ratio, whose default is as stiff as explicit forces stand
 *   c = 2 zeta sqrt(k/w), zeta = 0.3, less where restitution e asks for it: -ln e/sqrt(pi^2 + ln^2 e);  w [1/kg] Delassus
 * Explicit: stable while steps resolve the period of what lies on several such springs at once. Scalar rows are solved with the
 * forces of the contacts given.
 * References: Moore, Wilhelms, Collision detection and response for computer animation (1988); Cundall, Strack, A discrete
 * numerical model for granular assemblies, Geotechnique 29 (1979), for the tangential spring. */
#include <math.h>

#include "contact/contact_model.h"
#include "contact/island_contact_space.h"
#include "math/vec3.h"

static const double damping_ratio = 0.3;  // [-]  zeta

static double damping_of(const limpet_contact_law *law) {
  double zeta = damping_ratio;
  if (law->restitution > 0.0) {
    const double logarithm = log(law->restitution);
    zeta = fmin(zeta, -logarithm / sqrt(LIMPET_PI * LIMPET_PI + logarithm * logarithm));
  }
  return 2.0 * zeta * sqrt(law->stiffness / law->delassus);
}

// Force of one contact for its velocity u at the start; s: stretch along the tangents, cut to what friction holds.
static void force_of(const limpet_contact_law *law, const double u[3], double s[2], double f[3]) {
  const double k = law->stiffness, c = damping_of(law);
  f[0] = f[1] = f[2] = 0.0;
  if (law->distance < 0.0) f[2] = fmax(0.0, -k * law->distance - c * u[2]);
  const double bound = law->friction * f[2];
  for (int e = 0; e < 2; ++e) f[e] = -(k * s[e] + c * u[e]);
  const double size = hypot(f[0], f[1]);
  if (!(size > bound)) return;
  for (int e = 0; e < 2; ++e) {
    f[e] *= bound / size;
    s[e] = bound > 0.0 ? -(f[e] + c * u[e]) / k : 0.0;
  }
}

static void penalty_solve(limpet_contact_space *s) {
  double *u = s->memory, *along = u + 3 * s->contacts, *v = along + 2 * s->contacts;

  // forces at the velocity of the start
  for (int i = 0; i < s->velocities; ++i) v[i] = s->v[i], s->v[i] = s->v_start[i];
  for (int i = 0; i < 3 * s->contacts; ++i) u[i] = limpet_contact_space_speed(s, i);
  for (int i = 0; i < s->velocities; ++i) s->v[i] = v[i];
  for (int c = 0; c < s->contacts; ++c) {
    double f[3];
    limpet_contact_space_carried(s, c, f);
    for (int e = 0; e < 2; ++e) along[2 * c + e] = -f[e] / s->law[c].stiffness;
    force_of(&s->law[c], u + 3 * c, along + 2 * c, f);
    for (int e = 0; e < 3; ++e) limpet_contact_space_push(s, 3 * c + e, s->dt * f[e]);
  }
  s->info = (limpet_newton_info){.iterations = limpet_contact_space_rows(s)};

  // springs follow the motion of the step
  for (int c = 0; c < s->contacts; ++c) {
    double f[3] = {0.0, 0.0, 0.0};
    for (int e = 0; e < 2; ++e) {
      const double speed = s->problem->moves_before ? u[3 * c + e] : limpet_contact_space_speed(s, 3 * c + e);
      f[e] = -s->law[c].stiffness * (along[2 * c + e] + s->dt * speed);
    }
    limpet_contact_space_carry(s, c, f);
  }
}

static size_t penalty_memory(int contacts, int rows, int velocities) {
  (void)rows;
  return (size_t)(5 * contacts + velocities) * sizeof(double);
}

static double penalty_energy(const limpet_contact_law *law, double phi) {
  return phi < 0.0 ? 0.5 * law->stiffness * phi * phi : 0.0;
}

static const limpet_parameter parameters[] = {
    LIMPET_PARAMETER_FRICTION,
    LIMPET_PARAMETER_RESTITUTION,
    LIMPET_PARAMETER_STIFFNESS,
    {"near_rigid_ratio", "1", 20.0, 0.0, INFINITY, "period of a rigid contact's spring over the time step (beta)"},
};

const limpet_contact_model limpet_contact_model_penalty = {
    .descriptor = {.name = "penalty",
                   .text =
                       "A spring and a damper at every contact and a virtual tangential spring from where it began to stick, "
                       "all explicit. Cheapest of all, and smooth; things sink in, and steps must resolve the stiffest "
                       "spring. The springs are part of the state (options.anchor_count). Of the scheme impulse.",
                   .reference = "Moore, Wilhelms, Collision detection and response for computer animation (1988)",
                   .parameter_count = sizeof parameters / sizeof parameters[0],
                   .parameters = parameters},
    .prepare = limpet_impulse_prepare,
    .solve = penalty_solve,
    .memory_size = penalty_memory,
    .force = true,
    .anchored = true,
    .sticks = limpet_contact_model_sticks,
    .slip_speed = limpet_impulse_slip_speed,
    .energy = penalty_energy,
};

/* solve/penalty.c: a spring and a damper at every contact, and a virtual tangential spring from the
 * point where the contact began to stick.
 *
 *   f_n = max(0, -k_n phi0 - c_n v_n)            phi0, v: at the start of the step
 *   f_t = -(k_t s + c_t v_t), at most mu f_n     at the bound the anchor slips along:
 *                                                s = -(f_t + c_t v_t)/k_t
 *   s  <- s + dt v_t                             the force -k_t s is part of the state (anchors.h)
 *
 * Gains. Forces are explicit: v1 = v0 - dt M^-1 J'(K phi0 + C J v0), q1 = q0 + dt v1. That is
 * stable if b + 2 a < 4, with b, a the largest eigenvalues of dt^2 K^1/2 A K^1/2 and of
 * dt C^1/2 A C^1/2, A = J M^-1 J'. With N contacts on each tree, Cauchy-Schwarz bounds A (as a
 * matrix) by the blocks B = sum N J M^-1 J' of single contacts, summed over their one or two trees:
 *   B (3 x 3)   b_n = B_nn,  b_t = largest eigenvalue of B_tt,  rho = |B_tn|/sqrt(b_n b_t)
 *   k_n, k_t    b/(dt^2 b_n (1 + rho)), b/(dt^2 b_t (1 + rho)): within b, whichever contacts are
 *               open or slide
 *   near-rigid  b = (2 pi/near_rigid_ratio)^2;  materials with a stiffness: k_n = k_t = k
 *   c_n, c_t    2 zeta sqrt(k/w), w = A_nn of the contact alone; at most the value with a = 0.9
 *   zeta        1, or from the restitution, e = exp(-2 zeta acos(zeta)/sqrt(1 - zeta^2)): a contact
 *               ends when its force does
 * A body may be as deep as dt v when a step first finds its contact; b + a < 2 keeps that from
 * adding energy. Contacts that bounce are softer, dt^2 k_n w <= 0.1, so that steps resolve them.
 * Explicit Euler, q1 = q0 + dt v0, needs b < a: k <= c/(2 dt).
 * Stable springs are not stiff: bodies sink in by f/k, and where springs are soft a row of bodies
 * under pressure is crushed, or buckles. Scalar rows are solved afterwards, with the contact forces
 * given.
 * References: Moore, Wilhelms, Collision detection and response for computer animation (1988);
 * Cundall, Strack, A discrete numerical model for granular assemblies, Geotechnique 29 (1979), for
 * the tangential spring; Schwager, Poeschel, Coefficient of restitution and linear-dashpot model
 * revisited, Granular Matter 9 (2007), for zeta; Tonge, Benevolenski, Voroshilov, Mass splitting
 * for jitter-free parallel rigid body simulation, ACM Trans. Graph. 31 (2012), for the bound. */
#include <math.h>

#include "law/contact_model_list.h"
#include "math/dense.h"
#include "math/vec3.h"
#include "solve/island_contact_space.h"

static const double damping_limit = 0.9;  // [-]  a
// [-]  dt^2 k_n w of what bounces: the contact lasts ten steps
static const double impact_limit = 0.1;

typedef struct contact_gains {
  double k_n, k_t, c_n, c_t;  // [N/m], [N s/m]
} contact_gains;

// zeta for a restitution: by iteration of zeta = L sqrt(1 - zeta^2)/(2 acos zeta), L = -ln e, which
// contracts.
static double damping_ratio(double restitution) {
  const double L = restitution > 0.0 ? -log(restitution) : INFINITY;
  if (L >= 2.0) return 1.0;
  double zeta = L / sqrt(LIMPET_PI * LIMPET_PI + L * L);
  for (int i = 0; i < 12; ++i) zeta = 0.5 * L * sqrt(1.0 - zeta * zeta) / acos(zeta);
  return zeta;
}

// Number of contacts on each tree, at the tree's first velocity.
static void count_contacts(const limpet_contact_space *s, double *count) {
  for (int i = 0; i < s->velocities; ++i) count[i] = 0.0;
  for (int k = 0; k < s->first[s->contacts]; ++k) count[s->segment[k].offset] += 1.0;
}

// The block B of a contact; returns its A_nn.
static double mobility(const limpet_contact_space *s, int contact, const double *count,
                       double B[9]) {
  double alone = 0.0;
  for (int i = 0; i < 9; ++i) B[i] = 0.0;
  for (int k = s->first[contact]; k < s->first[contact + 1]; ++k) {
    const limpet_space_segment *g = &s->segment[k];
    const double *Y = g->Y + g->from;
    for (int i = 0; i < 9; ++i)
      B[i] +=
          count[g->offset] * limpet_dot(g->width, g->J + i / 3 * g->width, Y + i % 3 * g->count);
    alone += limpet_dot(g->width, g->J + 2 * g->width, Y + 2 * g->count);
  }
  return alone;
}

static contact_gains gains_of(const limpet_contact_space *s, int contact, const double *count) {
  const limpet_contact_constants *constants = &s->constants[contact];
  const double dt = s->dt, zeta = damping_ratio(constants->restitution);
  double B[9];
  const double w = mobility(s, contact, count, B);
  if (!(w > 0.0)) return (contact_gains){0};
  const double b_n = B[8], b_t = 0.5 * (B[0] + B[4]) + hypot(0.5 * (B[0] - B[4]), B[1]);
  const double rho = b_t > 0.0 ? fmin(hypot(B[2], B[5]) / sqrt(b_n * b_t), 1.0) : 0.0;
  const double normal = 1.0 / (dt * dt * b_n * (1.0 + rho)),
               tangent = fmin(1.0 / (dt * dt * b_t * (1.0 + rho)), normal);

  contact_gains g = {.k_n = constants->stiffness, .k_t = constants->stiffness};
  if (constants->near_rigid) {
    const double b = constants->stiffness * dt * dt *
                     constants->delassus;  // near-rigid: 4 pi^2/beta^2, see contact_law.c
    g.k_n = b * normal, g.k_t = b * tangent;
    if (constants->restitution > 0.0) g.k_n = fmin(g.k_n, impact_limit / (dt * dt * w));
    if (s->problem->moves_before) {
      g.k_n = fmin(fmin(g.k_n, 0.5 * damping_limit * normal), zeta * zeta / (dt * dt * w));
      g.k_t = fmin(g.k_t, 0.5 * damping_limit * tangent);
    }
  }
  g.c_n = fmin(2.0 * zeta * sqrt(g.k_n / w), damping_limit * dt * normal);
  g.c_t = fmin(2.0 * sqrt(g.k_t / w), damping_limit * dt * tangent);
  return g;
}

// Force of one contact for its velocity u at the start; s: stretch along the tangents, cut to what
// friction holds.
static void force_of(const limpet_contact_constants *constants, const contact_gains *g,
                     const double u[3], double s[2], double f[3]) {
  f[0] = f[1] = f[2] = 0.0;
  if (constants->distance < 0.0) f[2] = fmax(0.0, -g->k_n * constants->distance - g->c_n * u[2]);
  const double bound = constants->friction * f[2];
  for (int e = 0; e < 2; ++e) f[e] = -(g->k_t * s[e] + g->c_t * u[e]);
  const double size = hypot(f[0], f[1]);
  if (!(size > bound)) return;
  for (int e = 0; e < 2; ++e) {
    f[e] *= bound / size;
    s[e] = bound > 0.0 ? -(f[e] + g->c_t * u[e]) / g->k_t : 0.0;
  }
}

static void penalty_solve(limpet_contact_space *s) {
  double *u = s->memory, *along = u + 3 * s->contacts, *v = along + 2 * s->contacts,
         *count = v + s->velocities;
  contact_gains *gains = (contact_gains *)(void *)(count + s->velocities);
  count_contacts(s, count);

  // forces at the velocity of the start
  for (int i = 0; i < s->velocities; ++i) v[i] = s->v[i], s->v[i] = s->v_start[i];
  for (int i = 0; i < 3 * s->contacts; ++i) u[i] = limpet_contact_space_speed(s, i);
  for (int i = 0; i < s->velocities; ++i) s->v[i] = v[i];
  for (int c = 0; c < s->contacts; ++c) {
    double f[3];
    gains[c] = gains_of(s, c, count);
    s->constants[c].stiffness = gains[c].k_n;  // as reported
    limpet_contact_space_carried(s, c, f);
    for (int e = 0; e < 2; ++e) along[2 * c + e] = gains[c].k_t > 0.0 ? -f[e] / gains[c].k_t : 0.0;
    force_of(&s->constants[c], &gains[c], u + 3 * c, along + 2 * c, f);
    for (int e = 0; e < 3; ++e) limpet_contact_space_push(s, 3 * c + e, s->dt * f[e]);
  }
  s->counts.sweeps = limpet_contact_space_rows(s);

  // springs follow the motion of the step, while there is a normal force
  for (int c = 0; c < s->contacts; ++c) {
    double f[3] = {0.0, 0.0, 0.0};
    for (int e = 0; e < 2 && s->x[3 * c + 2] > 0.0; ++e) {
      const double speed =
          s->problem->moves_before ? u[3 * c + e] : limpet_contact_space_speed(s, 3 * c + e);
      f[e] = -gains[c].k_t * (along[2 * c + e] + s->dt * speed);
    }
    limpet_contact_space_carry(s, c, f);
  }
}

static size_t penalty_memory(int contacts, int rows, int velocities) {
  (void)rows;
  return (size_t)(5 * contacts + 2 * velocities) * sizeof(double) +
         (size_t)contacts * sizeof(contact_gains);
}

static double penalty_energy(const limpet_contact_constants *constants, double phi) {
  return phi < 0.0 ? 0.5 * constants->stiffness * phi * phi : 0.0;
}

static const limpet_parameter parameters[] = {
    LIMPET_PARAMETER_FRICTION,
    LIMPET_PARAMETER_RESTITUTION,
    LIMPET_PARAMETER_STIFFNESS,
    LIMPET_SETTING(
        "near_rigid_ratio", 6.3,
        "period of the fastest motion on rigid contacts' springs over the time step, bounded from "
        "above (beta)"),
};

const limpet_impulsive_model limpet_contact_model_penalty = {
    .head =
        {.descriptor =
             {.name = "penalty",
              .text =
                  "A spring and a damper at every contact and a virtual tangential spring from "
                  "where it began to stick, "
                  "all explicit. Cheapest of all, and smooth; things sink in, and steps must "
                  "resolve the stiffest "
                  "spring. The springs are part of the state (options.anchor_count). Of the scheme "
                  "impulse.",
              .reference =
                  "Moore, Wilhelms, Collision detection and response for computer animation (1988)",
              .parameter_count = sizeof parameters / sizeof parameters[0],
              .parameters = parameters},
         .family = LIMPET_CONTACT_IMPULSIVE,
         .memory = LIMPET_MEMORY_SPRING,
         .prepare = limpet_impulse_prepare,
         .sticks = limpet_contact_model_sticks,
         .slip_speed = limpet_contact_model_no_slip_speed,
         .energy = penalty_energy},
    .solve = penalty_solve,
    .memory_size = penalty_memory,
    .force = true,
};

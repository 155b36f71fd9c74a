/* solve/pgs.c: projected Gauss-Seidel on velocities, as in popular engines.
 *
 *   one sweep   scalar rows, then each contact in the order of its list:
 *     x_n <- max(0, x_n + (s - u_n - R x_n)/(A_nn + R))              R = softening A_nn
 *     x_t <- x_t - (u_t + R x_t)/(max A_tt + R), projected onto the disc |x_t| <= mu x_n
 *   s           least normal speed: max(-e v_n0, -error_reduction (phi + slop)/dt), at most the
 *               return speed (Baumgarte); -phi/dt across an open gap
 *   u           follows every change through Y = M^-1 J', so that a sweep costs O(contacts)
 * Warm start: x of a contact begins with dt times its force of the last step, if the state has room
 * for it (options.anchor_count), else with zero; scalar rows begin with zero.
 * Slop: an overlap that is tolerated. Without it each corner of a box is pushed out on its own. A
 * corner that is out carries nothing, and loads jump between corners faster than sweeps follow.
 * Sweeps end at `tolerance` or after 200. Gains of late sweeps fall geometrically, and slowly with
 * mass ratios. In each sweep the softening moves loads between redundant contacts by its share of
 * them, so a smaller change is no progress.
 * References: Catto, Iterative dynamics with temporal coherence, GDC 2005 (warm start, slop);
 * Smith, ODE manual (softening, error reduction; slop as contact_surface_layer). */
#include <math.h>

#include "law/contact_model_list.h"
#include "solve/island_contact_space.h"

enum { SWEEP_LIMIT = 200 };
// [-]  largest change of a sweep over the largest impulse at which it ends
static const double tolerance = 1e-6;
// [-]  change in the last sweep above which a step counts as not converged
static const double accepted = 1e-4;
static const double slop = 1e-5;  // [m]

static void project(const limpet_contact_space *s, int contact, double x[2]) {
  const double bound = s->constants[contact].friction * s->x[3 * contact + 2],
               size = hypot(x[0], x[1]);
  if (!(size > bound)) return;
  const double share = bound > 0.0 ? bound / size : 0.0;
  x[0] *= share, x[1] *= share;
}

// One contact; returns the largest change.
static double relax(limpet_contact_space *s, int contact, double target) {
  const int t1 = 3 * contact, t2 = t1 + 1, n = t1 + 2;
  double change = 0.0;
  if (s->diagonal[n] > 0.0) {
    const double R = s->constants[contact].impulsive.softening * s->diagonal[n];
    const double x =
        s->x[n] + (target - limpet_contact_space_speed(s, n) - R * s->x[n]) / (s->diagonal[n] + R);
    change = fabs(fmax(x, 0.0) - s->x[n]);
    limpet_contact_space_push(s, n, fmax(x, 0.0) - s->x[n]);
  }
  const double A_t = fmax(s->diagonal[t1], s->diagonal[t2]),
               R = s->constants[contact].impulsive.softening * A_t;
  if (!(A_t > 0.0)) return change;
  double x[2] = {s->x[t1] - (limpet_contact_space_speed(s, t1) + R * s->x[t1]) / (A_t + R),
                 s->x[t2] - (limpet_contact_space_speed(s, t2) + R * s->x[t2]) / (A_t + R)};
  project(s, contact, x);
  for (int e = 0; e < 2; ++e) {
    change = fmax(change, fabs(x[e] - s->x[t1 + e]));
    limpet_contact_space_push(s, t1 + e, x[e] - s->x[t1 + e]);
  }
  return change;
}

// Least normal speed of a contact after the step.
static double target_of(const limpet_contact_space *s, int contact) {
  const limpet_contact_constants *constants = &s->constants[contact];
  const double target = limpet_contact_space_target(s, contact, false);
  return constants->distance < -slop
             ? fmax(target, -constants->impulsive.gap_speed * (1.0 + slop / constants->distance))
             : target;
}

// The impulses of the forces that the last step ended with.
static void resume(limpet_contact_space *s) {
  for (int c = 0; c < s->contacts; ++c) {
    double f[3];
    limpet_contact_space_carried(s, c, f);
    f[2] = fmax(f[2], 0.0);
    const double bound = s->constants[c].friction * f[2], size = hypot(f[0], f[1]),
                 share = size > bound ? bound / size : 1.0;
    for (int e = 0; e < 3; ++e)
      limpet_contact_space_push(s, 3 * c + e, s->dt * f[e] * (e < 2 ? share : 1.0));
  }
}

static void carry(limpet_contact_space *s) {
  for (int c = 0; c < s->contacts; ++c) {
    const double f[3] = {s->x[3 * c] / s->dt, s->x[3 * c + 1] / s->dt, s->x[3 * c + 2] / s->dt};
    limpet_contact_space_carry(s, c, f);
  }
}

static void pgs_solve(limpet_contact_space *s) {
  double *target = s->memory;
  for (int c = 0; c < s->contacts; ++c) target[c] = target_of(s, c);
  resume(s);
  double change = 1.0, size = 1.0;
  int sweep = 0;
  while (sweep < SWEEP_LIMIT && change > tolerance * size) {
    ++sweep, change = size = 0.0;
    for (int r = 0; r < s->rows; ++r) change = fmax(change, fabs(limpet_contact_space_row(s, r)));
    for (int c = 0; c < s->contacts; ++c) change = fmax(change, relax(s, c, target[c]));
    for (int i = 0; i < s->size; ++i) size = fmax(size, fabs(s->x[i]));
  }
  // friction follows the last normals
  for (int c = 0; c < s->contacts; ++c) {
    double x[2] = {s->x[3 * c], s->x[3 * c + 1]};
    project(s, c, x);
    for (int e = 0; e < 2; ++e) limpet_contact_space_push(s, 3 * c + e, x[e] - s->x[3 * c + e]);
  }
  carry(s);
  s->counts.sweeps = sweep;
  s->residual = size > 0.0 ? change / size : 0.0;
  s->outcome = s->residual > accepted ? LIMPET_OUTCOME_ITERATION_LIMIT : LIMPET_OUTCOME_SOLVED;
}

static size_t pgs_memory(int contacts, int rows, int velocities) {
  (void)rows, (void)velocities;
  return (size_t)contacts * sizeof(double);
}

static const limpet_parameter parameters[] = {
    LIMPET_PARAMETER_FRICTION,
    LIMPET_PARAMETER_RESTITUTION,
    LIMPET_PARAMETER_ERROR_REDUCTION,
    LIMPET_PARAMETER_SOFTENING,
};

const limpet_impulsive_model limpet_contact_model_pgs = {
    .head =
        {.descriptor =
             {.name = "pgs",
              .text =
                  "Projected Gauss-Seidel on velocities, as popular engines have it: sweeps over "
                  "the contacts, each of "
                  "which takes the impulse that stops it, Coulomb's disc for friction, error "
                  "reduction (Baumgarte) and "
                  "softening. Sweeps start from the forces of the last step "
                  "(options.anchor_count). "
                  "Cheap per sweep and robust; "
                  "slow where light things carry heavy ones. Of the scheme impulse.",
              .reference =
                  "Catto, Iterative dynamics with temporal coherence (2005); Smith, ODE manual",
              .parameter_count = sizeof parameters / sizeof parameters[0],
              .parameters = parameters},
         .family = LIMPET_CONTACT_IMPULSIVE,
         .memory = LIMPET_MEMORY_WARM_START,
         .prepare = limpet_impulse_prepare,
         .sticks = limpet_contact_model_sticks,
         .slip_speed = limpet_contact_model_no_slip_speed,
         .energy = limpet_contact_model_no_energy},
    .solve = pgs_solve,
    .memory_size = pgs_memory,
};

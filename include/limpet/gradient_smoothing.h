/* limpet/gradient_smoothing.h: smoothed derivatives of a step, where a contact that is open, or
 * about to switch, would say nothing. The step itself stays as it is. Floor 8.
 * docs/gradients.md, "Smoothing", says what they mean.
 *
 * Barrier. Derivatives of the step from the same state in which normal forces follow, in place of
 * the contact law, a spring and a logarithmic barrier in series:
 *   x = -phi = f/k - kappa/(f + c),   c = kappa/range
 * f(x) is smooth, f -> k x deep inside, kappa/|x| far outside, 0 at the distance `range`. Friction
 * is regularised below `slip_speed`. That is the interior-point view of contact: Howell and others,
 * Dojo, 2022; Pang, Suh, Yang, Tedrake, Global planning for contact-rich manipulation via local
 * smoothing of quasi-dynamic contact models, IEEE T-RO 39 (2023).
 *
 * Random. The mean over `samples` steps from states and controls that scatter: the derivative of
 *   F(q, v, u) = 1/N sum over s of f(q (+) spread_position xi_s, v + spread_velocity eta_s, u +
 * spread_u zeta_s) in pairs +xi, -xi, so that what is linear is exact. The draws depend on the seed
 * alone, and are those of every step: F is one function. Suh, Pang, Tedrake, Bundled gradients
 * through contact via randomized smoothing, IEEE RA-L 7 (2022). */
#ifndef LIMPET_GRADIENT_SMOOTHING_H
#define LIMPET_GRADIENT_SMOOTHING_H

#include "limpet/step.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum limpet_smoothing_kind {
  LIMPET_SMOOTHING_NONE,
  LIMPET_SMOOTHING_BARRIER,
  LIMPET_SMOOTHING_RANDOM
} limpet_smoothing_kind;

// The comment of each field ends with its default.
typedef struct limpet_gradient_smoothing {
  limpet_smoothing_kind kind;  // none
  // barrier
  double energy;      // [J]  kappa: a contact at the distance d has the force kappa/d; 1e-3
  double range;       // [m]  farther contacts have none; 0.1
  double slip_speed;  // [m/s]  friction grows linearly below it, if above that of the step; 1e-3
  // random: standard deviations
  int samples;             // even; 16
  double spread_position;  // [m, rad]  1e-3
  double spread_velocity;  // [m/s, rad/s]  1e-2
  double spread_control;   // [unit of the control]  0
  uint64_t seed;           // 1
} limpet_gradient_smoothing;

LIMPET_API limpet_gradient_smoothing limpet_gradient_smoothing_default(void);
// Words of the kinds: "none", "barrier", "random"; false: there is no such kind.
LIMPET_API const char *limpet_smoothing_word(limpet_smoothing_kind kind);
LIMPET_API bool limpet_smoothing_find(const char *word, limpet_smoothing_kind *kind);
// Whether all numbers lie in their ranges; otherwise LIMPET_ERROR_INPUT and which does not.
LIMPET_API limpet_status limpet_gradient_smoothing_check(const limpet_gradient_smoothing *smoothing,
                                                         limpet_error *error);
/* The settings of the step that the barrier differentiates: its normal law, the friction, contacts
 * as points. For rollouts of the smoothed step, too. Returns NULL, or why there is none: rigid and
 * impulsive contact models, and those with a normal law of their own. */
LIMPET_API const char *limpet_gradient_smoothing_step(const limpet_gradient_smoothing *smoothing,
                                                      const limpet_step_settings *settings,
                                                      limpet_step_settings *smoothed);

#ifdef __cplusplus
}
#endif
#endif

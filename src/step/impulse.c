/* step/impulse.c: the scheme `impulse`: contacts and impacts by impulses, solved by the methods of
 * impulsive contact models.
 *
 *   semi-implicit   v* = v0 + dt M^-1 f,  v1 = v* + M^-1 J' x,  q1 = q0 (+) dt v1
 *                   joint damping and springs implicit
 *   explicit        v+ = v0 + M^-1 J' x,  q1 = q0 (+) dt v+,  v1 = v+ + dt M^-1 f
 *                   f at q0, v0, everything explicit
 * The explicit scheme handles contacts at the start of the step, before forces, as in the two-phase
 * paper. In models whose impulses are forces (`force`: penalty, lcp) contacts and other forces act
 * together: v1 = v0 + dt M^-1 (f + J' x/dt), q1 = q0 (+) dt v0. There is no correction for curved
 * paths (curved_path.h): these methods prescribe velocities, and their drift is shown as it is.
 * Reference: Drumwright, Shell, A robust and tractable contact model for dynamic robotic
 * simulation, SAC 2009. */
#include <math.h>

#include "law/contact_model.h"
#include "step/scheme.h"

static limpet_outcome impulse_motion(const limpet_model *model, limpet_data *data,
                                     const limpet_step_settings *settings, limpet_trees trees,
                                     limpet_arena *arena, limpet_free_motion *motion) {
  const limpet_outcome outcome =
      settings->explicit_euler
          ? limpet_free_motion_explicit(model, data, settings,
                                        limpet_impulsive_model_of(settings->contact_model)->force,
                                        trees, arena, motion)
          : limpet_free_motion_compute(model, data, settings, trees, arena, motion);
  motion->straight = true;
  return outcome;
}

static const limpet_parameter parameters[] = {
    LIMPET_SETTING("time_step", NAN, "length of a step; command line, then file, then this"),
    LIMPET_SETTING(
        "speculative_distance", NAN,
        "geoms closer than this, or closing within the step, take part before they touch"),
    LIMPET_PARAMETER_ERROR_REDUCTION,
    LIMPET_PARAMETER_SOFTENING,
};

const limpet_scheme limpet_scheme_impulse = {
    .descriptor = {.name = "impulse",
                   .text = "Contact and impact by impulses, with Newton's restitution, solved by "
                           "one of the methods that engines and papers "
                           "have used: for comparisons with them. Semi-implicit or explicit Euler. "
                           "Takes the contact models pgs, "
                           "two-phase, lcp, sequential-impulse, penalty and no others.",
                   .reference = "Drumwright, Shell, A robust and tractable contact model for "
                                "dynamic robotic simulation (2009)",
                   .parameter_count = sizeof parameters / sizeof parameters[0],
                   .parameters = parameters},
    .contact_model = "two-phase",
    .impulsive = true,
    .free_motion = impulse_motion,
};

/* step/discrete.c: the scheme `discrete`: one convex solve per step, for the velocity at its end.
 * A and v* are those of flight.h, or of free_motion.h with the setting plain_flight.
 * Source: Castro, Han, Masterjohn, Irrotational Contact Fields, sections II and VIII. */
#include <math.h>

#include "step/flight.h"
#include "step/scheme.h"

limpet_outcome limpet_discrete_motion(const limpet_model *model, limpet_data *data,
                                      const limpet_step_settings *settings, limpet_trees trees,
                                      limpet_arena *arena, limpet_free_motion *motion) {
  return settings->compatibility.plain_flight
             ? limpet_free_motion_compute(model, data, settings, trees, arena, motion)
             : limpet_flight_motion(model, data, settings, trees, arena, motion);
}

static const limpet_parameter parameters[] = {
    LIMPET_SETTING("time_step", NAN, "length of a step; command line, then file, then this"),
    LIMPET_SETTING("tolerance", NAN, "relative momentum residual at which the solver stops"),
    LIMPET_SETTING("iteration_limit", NAN,
                   "Newton iterations of one solve; a step solved anew has as many again"),
    LIMPET_SETTING(
        "speculative_distance", NAN,
        "geoms closer than this, or closing within the step, take part before they touch"),
    LIMPET_SETTING("dense_limit", NAN, "islands of more velocities are factored block-sparse"),
};

const limpet_scheme limpet_scheme_discrete = {
    .descriptor = {.name = "discrete",
                   .text = "Fixed steps; the velocity at the end of a step minimises a strictly "
                           "convex function of momentum, contacts and constraints, all evaluated "
                           "at the configuration at its start. First order, unconditionally "
                           "solvable.",
                   .reference =
                       "Castro, Han, Masterjohn, Irrotational Contact Fields, equation (3)",
                   .parameter_count = sizeof parameters / sizeof parameters[0],
                   .parameters = parameters},
    .free_motion = limpet_discrete_motion,
};

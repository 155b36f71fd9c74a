/* step/discrete.c: the scheme `discrete`: one convex solve per step, in velocities at the end of
 * the step; the stages of
 * scheme.h with the momentum matrix and the free velocity of free_motion.h.
 * Source: Castro, Han, Masterjohn, Irrotational Contact Fields, sections II and VIII. */
#include <math.h>

#include "step/scheme.h"

static const limpet_parameter parameters[] = {
    {"time_step", "s", 0.002, 1e-9, 1.0, "length of a step; command line, then file, then this"},
    {"tolerance", "1", 1e-6, 0.0, 1.0, "relative momentum residual at which the solver stops"},
    {"iteration_limit", "1", 100, 1, INFINITY, "Newton iterations per step at most"},
    {"speculative_distance", "m", 2e-4, 0.0, INFINITY,
     "geoms closer than this, or closing within the step, take part before they touch"},
    {"dense_limit", "1", 60, 0, INFINITY, "islands of more velocities are factored block-sparse"},
};

const limpet_scheme limpet_scheme_discrete = {
    .descriptor = {.name = "discrete",
                   .text = "Fixed steps; the velocity at the end of a step minimises a strictly "
                           "convex function of momentum, contacts and "
                           "constraints, all evaluated at the configuration at its start. First "
                           "order, unconditionally solvable.",
                   .reference =
                       "Castro, Han, Masterjohn, Irrotational Contact Fields, equation (3)",
                   .parameter_count = sizeof parameters / sizeof parameters[0],
                   .parameters = parameters},
    .free_motion = limpet_free_motion_compute,
};

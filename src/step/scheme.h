/* step/scheme.h: what a stepping scheme is: what it brings to the stages that all share.
 *
 *   v  = argmin 1/2 |v - v*|_A^2 + contacts + constraints, everything evaluated at q0
 *   q1 = q0 (+) dt N(q0) v
 * A scheme gives A and v*; prepare.c, attempt.c and commit.c do the rest. */
#ifndef LIMPET_STEP_SCHEME_H
#define LIMPET_STEP_SCHEME_H

#include "base/field.h"
#include "step/free_motion.h"

struct limpet_scheme {
  limpet_descriptor descriptor;
  const char *contact_model;  // that the scheme is meant for; NULL: that of the settings stays
  bool impulsive;  // takes impulsive contact models, and only those; others take all but those
  limpet_free_motion_function free_motion;  // matrix A and velocity v* of the step
  bool from_rest;                           // velocities at the start of the step do not count
  // a step of settings->time_step that is more than one prepare, its attempts and a commit; it has
  // no derivatives; NULL: it is just these
  limpet_outcome (*advance)(const limpet_model *model, limpet_data *data,
                            const limpet_step_settings *settings);
};

// A and v* of the schemes `discrete` and `adaptive`: discrete.c.
limpet_outcome limpet_discrete_motion(const limpet_model *model, limpet_data *data,
                                      const limpet_step_settings *settings, limpet_trees trees,
                                      limpet_arena *arena, limpet_free_motion *motion);

// All schemes, in the order of lists. A new one is one line here: X(NAME) stands for
// limpet_scheme_NAME.
#define LIMPET_SCHEME_LIST(X) \
  X(discrete)                 \
  X(adaptive)                 \
  X(quasi_dynamic)            \
  X(impulse)

#define LIMPET_DECLARE_SCHEME(name) extern const limpet_scheme limpet_scheme_##name;
LIMPET_SCHEME_LIST(LIMPET_DECLARE_SCHEME)
#undef LIMPET_DECLARE_SCHEME

#endif

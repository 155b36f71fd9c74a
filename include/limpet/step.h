/* limpet/step.h: advancing a world in time. Floor 6. */
#ifndef LIMPET_STEP_H
#define LIMPET_STEP_H

#include "limpet/contact.h"
#include "limpet/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limpet_scheme limpet_scheme;  // src/step/scheme.h

typedef struct limpet_step_settings {
  const limpet_scheme *scheme;                // `discrete`
  const limpet_contact_model *contact_model;  // `lagged`
  double time_step;                           // [s]  the model's
  // contact
  double stiction_speed;           // [m/s]  v_s: slip speed below which friction is regularised
  double friction_regularization;  // [-]  sigma: eps_s = max(v_s, sigma w mu gamma_n0)
  double near_rigid_ratio;         // [-]  beta: period of a near-rigid contact over the step, k = 4 pi^2/(beta^2 dt^2 w)
  double rigid_stiffness;          // [N/m]  of geoms without a stiffness; INFINITY: near-rigid
  double constraint_ratio;         // [-]  the same for limits, couplers and stiff actuators; 0.1
  double speculative_distance;     // [m]  pairs closer than this take part before they touch
  bool curved_paths;               // sticking contacts follow the curved paths of links to second order; false: as Drake
  bool single_point;               // one deepest point for each pair of geoms; false: manifolds
  bool first_order_rotation;       // quaternion plus its rate; false: exponential map
  bool explicit_springs;           // joint and tendon springs at the start of the step, as Drake; false: implicit
  // solver
  double tolerance;     // [-]  relative momentum residual; 1e-6
  int iteration_limit;  // 100
  int dense_limit;      // islands up to this many velocities are factored dense
  bool warm_start;      // start from the last step's change of velocity where that is better than the old velocity
  int threads;          // 1; results do not depend on it
  // reports
  bool profile;  // fill info.stage_time
  bool energy;   // fill the energies of info
} limpet_step_settings;

// Defaults for this model; docs/defaults.md explains each value.
LIMPET_API limpet_step_settings limpet_step_settings_default(const limpet_model *model);
/* A preset by name: "limpet" (the defaults) or "drake" (constants and simplifications of Drake's discrete plant, used by
 * the tests against values computed with it). Returns false, and leaves `settings` alone, when there is none of that name. */
LIMPET_API bool limpet_step_settings_preset(limpet_step_settings *settings, const limpet_model *model, const char *name);

/* One step of settings->time_step: reads state, control and applied forces; writes state, contacts, forces and data->info. On a
 * numerical failure or without memory the state stays as it was, time included, and the outcome says so. */
LIMPET_API limpet_outcome limpet_step(const limpet_model *model, limpet_data *data, const limpet_step_settings *settings);

LIMPET_API const limpet_scheme *const *limpet_schemes(void);  // ended by NULL
LIMPET_API const limpet_scheme *limpet_scheme_find(const char *name);
LIMPET_API const limpet_descriptor *limpet_scheme_descriptor(const limpet_scheme *scheme);

#ifdef __cplusplus
}
#endif
#endif

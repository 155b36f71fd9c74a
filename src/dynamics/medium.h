/* dynamics/medium.h: forces of a medium, air or water, on bodies; which passive forces there are.
 */
#ifndef LIMPET_DYNAMICS_MEDIUM_H
#define LIMPET_DYNAMICS_MEDIUM_H

#include "limpet/data.h"
#include "model/trees.h"

// Without springs and dampers a model has no passive forces at all, as in MuJoCo.
static inline bool limpet_passive_acts(const limpet_model *model) {
  const unsigned both = LIMPET_DISABLE_SPRING | LIMPET_DISABLE_DAMPER;
  return (model->options.disabled & both) != both;
}

// Whether a medium acts: density or viscosity.
static inline bool limpet_medium_acts(const limpet_model *model) {
  return (model->options.density > 0.0 || model->options.viscosity > 0.0) &&
         limpet_passive_acts(model);
}

// Whether gravity is compensated where a body asks for it.
static inline bool limpet_compensation_acts(const limpet_model *model) {
  return !(model->options.disabled & LIMPET_DISABLE_GRAVITY) && limpet_passive_acts(model);
}

// fluid_force of the trees. After limpet_velocity_kinematics.
void limpet_medium_forces(const limpet_model *model, limpet_data *data, limpet_trees trees);

/* The part of the drag that is taken with the velocity at the end of a step: A (mass_size) += scale
 * D and force (nv) += D v, where D is what drag is per velocity, with its coefficients of the
 * start. */
void limpet_medium_implicit_add(const limpet_model *model, const limpet_data *data,
                                limpet_trees trees, double scale, double *A, double *force);

#endif

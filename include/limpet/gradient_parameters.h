/* limpet/gradient_parameters.h: derivatives of a step by numbers of the model: friction,
 * stiffness, masses, damping, gains, sizes, gravity, the time step, ... Floor 8.
 *
 * A parameter is named as limpet/parameter.h says: "pad.friction", "body:cube.mass",
 * "box.size[0]"; and besides "gravity[0]" to "gravity[2]", "density", "viscosity" and "wind[0]" to
 * "wind[2]" of the medium, "time_step", and inputs of the step that data has:
 * "muscle.activation[0]" of an actuator, "cube.wrench[0]" to "[5]" on a body
 * (data->applied_wrench). Each is compiled four times around its value, f' = [8 (f1 - f-1) - (f2 -
 * f-2)]/(12 E),   E = 1e-4 of the value, at least 1e-5 of what may be negative; at the lower end of
 * its range one-sided where f is the residual of the step's equations, with the solution held
 * (gradient.h); contact laws are differentiated on their own scale. The relative error is 1e-9 or
 * so. The cost of a parameter is that of four assemblies.
 *
 *   limpet_gradient_parameters *p = limpet_gradient_parameters_create(builder, names, 2, &error);
 *   limpet_gradient_step(model, data, &settings, &wanted, gradient);
 *   limpet_gradient_by_parameters(gradient, p);             // p->dq, p->dv, p->kink */
#ifndef LIMPET_GRADIENT_PARAMETERS_H
#define LIMPET_GRADIENT_PARAMETERS_H

#include "limpet/gradient.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limpet_gradient_parameters_workspace limpet_gradient_parameters_workspace;

typedef struct limpet_gradient_parameters {
  int count;
  double *value;    // (count)  that the builder has
  double *dq, *dv;  // (nv x count)  of pose and velocity after the step, as in gradient.h
  // (3 vertex_count x count)  of positions and velocities of the vertices of deformable bodies
  // after the step; NULL: the model has none
  double *vertex_position, *vertex_velocity;
  double *kink;     // (count)  as in gradient.h; infinite: a contact lost its feature, or it jumps
  double *adjoint;  // (count)  limpet_gradient_parameters_adjoint
  limpet_gradient_parameters_workspace *workspace;
} limpet_gradient_parameters;

/* names (count). NULL: `error` says which name is wrong. The models that are stepped are to be
 * compiled from the same builder, which is not needed afterwards. */
LIMPET_API limpet_gradient_parameters *limpet_gradient_parameters_create(limpet_builder *builder,
                                                                         const char *const *names,
                                                                         int count,
                                                                         limpet_error *error);
LIMPET_API void limpet_gradient_parameters_destroy(limpet_gradient_parameters *parameters);

/* Fills dq, dv and kink for the last limpet_gradient_step. Returns NULL, or why there are none:
 * memory, no derivatives of that step, other rows with another value. */
LIMPET_API const char *limpet_gradient_by_parameters(limpet_gradient *gradient,
                                                     limpet_gradient_parameters *parameters);
/* Fills adjoint: the gradient of a function of the results by the parameters, weights as in
 * limpet_gradient_adjoint. Returns NULL, or why there is none. */
LIMPET_API const char *limpet_gradient_parameters_adjoint(limpet_gradient *gradient,
                                                          limpet_gradient_parameters *parameters,
                                                          const double *weight_q,
                                                          const double *weight_v);

#ifdef __cplusplus
}
#endif
#endif

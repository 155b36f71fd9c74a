/* limpet/gradient_deformable.h: derivatives of a step with deformable bodies, as products with
 * vectors: vertices are many, so no Jacobian is formed. Floor 8. docs/gradients.md explains.
 *
 *   end = step(start),   d end = J d start,   dL/d start = J' dL/d end
 * start: pose, velocity, vertices, forces, controls, numbers of the bodies' material
 * end:   pose, velocity, vertices
 *
 *   limpet_gradient_step(model, data, &settings, &wanted, gradient);     // wanted: state, inputs
 *   limpet_gradient_forward(gradient, &change, &moved);                  // J x
 *   limpet_gradient_backward(gradient, &weight, &by);                    // J' y
 *
 * Exact where the step is: H of the body is the exact tangent at the end of the step, laws that are
 * not linear in a step included. Contact points come from differences of fourth order around each
 * vertex that takes part; relative error 1e-9 or so. The relative error of all is that of the step
 * itself: settings.tolerance.
 *
 * Shells, ropes and gas are in closed form. Their stiffness jumps in its slope where a tension
 * begins: vertices of elements within 0.01 settings.difference of that count in vertex_kink_count,
 * where they move, or where near-rigid contacts, which are as stiff as their vertices, see it.
 *
 * What is held: the stretch of bristles and other things that contacts carry from step to step,
 * poses of mocap bodies, shapes at rest. None: rigid contact models. */
#ifndef LIMPET_GRADIENT_DEFORMABLE_H
#define LIMPET_GRADIENT_DEFORMABLE_H

#include "limpet/gradient_parameters.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A change, or the gradient of a function. Of an end: the first four. NULL: zero where it is read,
 * not wanted where it is written. Poses in velocity coordinates, as in gradient.h; a gradient has
 * one over these units. */
typedef struct limpet_gradient_vector {
  double *q;                  // (nv)  [m, rad]
  double *v;                  // (nv)  [m/s, rad/s]
  double *vertex_position;    // (vertex_count x 3)  [m]
  double *vertex_velocity;    // (vertex_count x 3)  [m/s]
  double *force;              // (nv)  [N, N m]  data->applied_force
  double *control;            // (nu)  [unit of the control]
  double *youngs_modulus;     // (deformable_count)  [Pa]
  double *poissons_ratio;     // (deformable_count)  [-]
  double *density;            // (deformable_count)  [kg/m^3]
  double *mass_damping;       // (deformable_count)  [1/s]
  double *stiffness_damping;  // (deformable_count)  [s]
} limpet_gradient_vector;

/* moved <- J change, by <- J' weight, of the last limpet_gradient_step and before the next step of
 * its data. False, and nothing is written: there are no derivatives, data has moved on, there is no
 * deformable body, or no memory. */
LIMPET_API bool limpet_gradient_forward(limpet_gradient *gradient,
                                        const limpet_gradient_vector *change,
                                        const limpet_gradient_vector *moved);
LIMPET_API bool limpet_gradient_backward(limpet_gradient *gradient,
                                         const limpet_gradient_vector *weight,
                                         const limpet_gradient_vector *by);

/* Numbers of the model by name (gradient_parameters.h): fills parameters->adjoint with the gradient
 * by them of a function of the end, weights q, v, vertex_position and vertex_velocity; as
 * limpet_gradient_parameters_adjoint, which has those of q and v. Returns NULL, or why there is
 * none. */
LIMPET_API const char *limpet_gradient_parameters_backward(limpet_gradient *gradient,
                                                           limpet_gradient_parameters *parameters,
                                                           const limpet_gradient_vector *weight);

#ifdef __cplusplus
}
#endif
#endif

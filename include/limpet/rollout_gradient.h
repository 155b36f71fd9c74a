/* limpet/rollout_gradient.h: the gradient of a loss over a whole trajectory, by one pass forwards
 * and one backwards. Floor 8.
 *
 *   L = sum over k = 0 .. N of l_k(x_k) + sum over k = 0 .. N-1 of m_k(u_k),   x_k+1 = step(x_k,
 * u_k) a_N = dl_N/dx,   a_k = dl_k/dx + A_k' a_k+1,   dL/du_k = dm_k/du + B_k' a_k+1,   dL/dx_0 =
 * a_0
 *
 * x = (q, v) in the coordinates of limpet/gradient.h, and what a step leaves for the next one
 * besides: stretch of bristles, rebounds, the change of velocity with which free flight estimates
 * the middle of a step. u: data->control.
 *
 * Checkpoints. A' and B' times a vector are used, and no Jacobian is formed. The forward pass
 * stores the full state every `interval` steps; the backward pass stores all states of one interval
 * at a time by stepping through it once more. The full state decides all that follows, so steps
 * that are made again have the same bits. Memory: (N/interval + interval + 1) full states; interval
 * = 1 stores all of them and steps through nothing twice but the step that is differentiated. Cost:
 * N steps forwards, at most N again for the states, and N steps with their adjoint.
 *
 * With deformable bodies x has their vertices, too, and the costate goes backwards by
 * limpet_gradient_backward: no Jacobian is formed, and states are checkpoints. Numbers of the
 * bodies' material are those of all steps, so their derivative is the sum over the steps.
 *
 * Taken as constants: activations (by_control of an actuator with an activation is NAN; delays, and
 * motors with states of their own, are a reason), the shear of contact surfaces, bristles on
 * surfaces that move or whose friction depends on direction, and all that deformable bodies and
 * smoothed steps leave besides pose and velocity: carried_steps. */
#ifndef LIMPET_ROLLOUT_GRADIENT_H
#define LIMPET_ROLLOUT_GRADIENT_H

#include "limpet/gradient_deformable.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds the gradient of the terms of step k: by the state before the step, whose world is `data`
 * (poses of bodies computed), and by its control; k = N: by the last state, by_control NULL.
 * by_q, by_v (nv), by_control (nu). Called once for each k, from N down to 0. */
typedef void limpet_rollout_loss(void *context, int step, const limpet_model *model,
                                 const limpet_data *data, double *by_q, double *by_v,
                                 double *by_control);

/* The same by vertices (vertex_count x 3 each) of deformable bodies. */
typedef void limpet_rollout_vertex_loss(void *context, int step, const limpet_model *model,
                                        const limpet_data *data, double *by_position,
                                        double *by_velocity);

typedef struct limpet_rollout_gradient_request {
  const limpet_step_settings *settings;  // of every step
  int step_count;                        // N
  const double *control;                 // (N x nu)  of each step; NULL: as data has them
  // gradient of the terms; NULL: zero
  const double *weight_q;                      // ((N + 1) x nv)  [per m, rad]
  const double *weight_v;                      // ((N + 1) x nv)  [per m/s, rad/s]
  const double *weight_vertex_position;        // ((N + 1) x vertex_count x 3)  [per m]
  const double *weight_vertex_velocity;        // ((N + 1) x vertex_count x 3)  [per m/s]
  const double *weight_control;                // (N x nu)  [per unit of the control]
  limpet_rollout_loss *loss;                   // besides; NULL: none
  limpet_rollout_vertex_loss *vertex_loss;     // besides; NULL: none
  void *context;                               // of the losses and of go_on
  const limpet_gradient_smoothing *smoothing;  // of the derivatives of each step; NULL: none
  // asked before every step of either pass; false ends it: `reason` is "stopped"; NULL: never asked
  bool (*go_on)(void *context);
} limpet_rollout_gradient_request;

typedef struct limpet_rollout_gradient_workspace limpet_rollout_gradient_workspace;

// Results of the last limpet_rollout_gradient_compute.
typedef struct limpet_rollout_gradient {
  double *by_control;   // (N x nu)  dL/du_k; NAN: its actuator has an activation
  double *by_force;     // (N x nv)  dL by data->applied_force of step k
  double *by_q, *by_v;  // (nv)  by the start state
  // by the start state, vertices included, and by E, nu, density and damping of each deformable
  // body, the same in all steps; its force and control are not used
  limpet_gradient_vector by_start;
  const char *reason;  // why there is none; NULL: there is
  int step;            // at which step there was none; -1: all went well
  // steps that touch a kink: rows or contacts at a switch, features that are lost or change near
  // by, and steps whose derivatives are approximate (gradient.h)
  int kinks;
  /* steps that depend on such constants; where this is not 0 the gradient is approximate. Smoothed
   * steps do not count */
  int carried_steps;
  int steps_made;  // N forwards, those made again, those differentiated
  limpet_rollout_gradient_workspace *workspace;
} limpet_rollout_gradient;

/* For at most step_limit steps. interval: steps between two checkpoints; 0: every state where all
 * of them take less than 64 MB; else the least memory, about the square root of step_limit. NULL
 * without memory. The model must outlive it. */
LIMPET_API limpet_rollout_gradient *limpet_rollout_gradient_create(const limpet_model *model,
                                                                   int step_limit, int interval);
LIMPET_API void limpet_rollout_gradient_destroy(limpet_rollout_gradient *gradient);
// [bytes]  of states that one for so many steps has room for; of what contacts carry only that in
// use is written.
LIMPET_API size_t limpet_rollout_gradient_memory(const limpet_model *model, int step_limit,
                                                 int interval);

/* Steps `data` from its state through the request's steps, where it stays, and fills `gradient`.
 * Applied forces and mocap poses are those of data in every step. Returns whether there is a
 * gradient: false where a step failed or has no derivative, or go_on ended it. Allocates nothing
 * once the contacts were met. */
LIMPET_API bool limpet_rollout_gradient_compute(limpet_rollout_gradient *gradient,
                                                const limpet_model *model, limpet_data *data,
                                                const limpet_rollout_gradient_request *request);

#ifdef __cplusplus
}
#endif
#endif

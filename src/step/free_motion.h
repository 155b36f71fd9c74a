/* step/free_motion.h: the momentum matrix A and the velocity v* without contacts and
 * constraints. */
#ifndef LIMPET_STEP_FREE_MOTION_H
#define LIMPET_STEP_FREE_MOTION_H

#include "base/arena.h"
#include "limpet/step.h"
#include "model/trees.h"

typedef struct limpet_free_motion {
  limpet_trees trees;  // that move: of others the arrays of velocities hold v0, and A nothing
  double *A;           // (mass_size)  blocks of trees as data->mass_matrix
  double *momentum;    // (nv)  A v*
  double *v_free;      // (nv)  v*
  // (nv)  that an attempt of the step found: contacts may close with them, too; NULL: none
  const double *v_thrown;
  double *fastest;  // (nv)  limpet_contact_problem.fastest
  // (nv)  generalised force of the actuators that are not part of the solve
  double *explicit_force;
  double *force;  // (nv)  forces at the start of the step, dampers excepted; schemes add to it
  bool *servo_included;  // (actuator_count)  servos that are part of A and of the momentum; NULL:
                         // none
  // (actuator_count)  which are servos at the start of the step, and those; NULL: not known
  bool *serves;
  struct limpet_servo *servo;
  double *servo_force;    // (actuator_count)  [N, N m]  force of such a servo if nothing moves
  double *after;          // (nv)  [m/s, rad/s]  added to v when positions have moved; NULL: nothing
  bool moves_before;      // positions move with the velocity at the start of the step
  bool implicit_tendons;  // their springs and dampers are in A, or rows of the problem
  bool straight;          // contacts do not follow curved paths
  struct limpet_soft_motion *soft;  // of deformable bodies: soft_motion.h; NULL: there are none
  struct limpet_flight *flight;     // of trees that nothing holds: see flight.h; NULL: plain
  double *servo_slope;  // (actuator_count)  [N s/m, N m s/rad]  what its own velocity takes from it
} limpet_free_motion;

/* What free motions are made of, for the trees that move. After limpet_velocity_kinematics. begin:
 * fills mass_matrix, bias, tendon, passive and actuator arrays of data, and takes the arrays of
 * `motion`, with the forces at the start of a step of dt [s]. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_free_motion_begin(const limpet_model *model, limpet_data *data,
                                       limpet_trees trees, double dt, limpet_arena *arena,
                                       limpet_free_motion *motion);
// The same but mass_matrix and bias, with `bias` (nv; NULL: none) taken from the forces.
limpet_status limpet_free_motion_forces(const limpet_model *model, limpet_data *data,
                                        limpet_trees trees, double dt, const double *bias,
                                        limpet_arena *arena, limpet_free_motion *motion);
// A of the trees that move <- data->mass_matrix.
void limpet_free_motion_copy_masses(const limpet_model *model, const limpet_data *data,
                                    limpet_free_motion *motion);
// A += dt D + dt^2 K of joints.
void limpet_free_motion_add_joints(const limpet_model *model, const limpet_data *data,
                                   const limpet_step_settings *settings, limpet_trees trees,
                                   double *A);
/* The same of tendons within one tree. Those over several are rows of the problem: their springs
 * leave motion->force. Once for a motion. */
void limpet_free_motion_add_tendons(const limpet_model *model, const limpet_data *data,
                                    const limpet_step_settings *settings, double *A,
                                    limpet_free_motion *motion);
/* Force along a tendon [N] of its spring and damper, without that of its row, mean over a step that
 * ends with the velocities `end` (nv); q, v of data are those of the start. */
double limpet_free_motion_tendon_force(const limpet_model *model, const limpet_data *data,
                                       const limpet_step_settings *settings,
                                       const limpet_free_motion *motion, int tendon,
                                       const double *end);
// Whether some tendon within one tree has a damping or a stiffness that is implicit.
bool limpet_free_motion_tendons_act(const limpet_model *model, const limpet_data *data,
                                    const limpet_step_settings *settings);
/* A tree whose A is not positive definite: A becomes 1 and v* no number, so that the solve holds
 * the tree, and the island that it is in, while the rest of the world moves on:
 * solve/containment.h. */
void limpet_free_motion_fail(const limpet_model *model, int tree, limpet_free_motion *motion);
// v* from A and momentum; trees fail as above. Outcome: solved or out of memory.
limpet_outcome limpet_free_motion_finish(const limpet_model *model, limpet_arena *arena,
                                         limpet_free_motion *motion);
// v* and momentum of trees that do not move: v0 and zero.
void limpet_free_motion_rest(const limpet_model *model, const limpet_data *data,
                             limpet_free_motion *motion);
// What a scheme in velocities brings: fills `motion`. Outcome: solved or out of memory.
typedef limpet_outcome (*limpet_free_motion_function)(const limpet_model *model, limpet_data *data,
                                                      const limpet_step_settings *settings,
                                                      limpet_trees trees, limpet_arena *arena,
                                                      limpet_free_motion *motion);

/* Explicit Euler: M and forces at the start of the step. v* is the old velocity and forces act
 * afterwards, or, `at_once`, v* has them and positions move with the old velocity. As
 * limpet_free_motion_compute. */
limpet_outcome limpet_free_motion_explicit(const limpet_model *model, limpet_data *data,
                                           const limpet_step_settings *settings, bool at_once,
                                           limpet_trees trees, limpet_arena *arena,
                                           limpet_free_motion *motion);

/* The free motion of the scheme `discrete`. After limpet_velocity_kinematics. Outcome: solved
 * or out of memory. */
limpet_outcome limpet_free_motion_compute(const limpet_model *model, limpet_data *data,
                                          const limpet_step_settings *settings, limpet_trees trees,
                                          limpet_arena *arena, limpet_free_motion *motion);

#endif

/* gradient/probe.h: the step's problem assembled again at another state or input, with the contacts
 * and rows of the step. */
#ifndef LIMPET_GRADIENT_PROBE_H
#define LIMPET_GRADIENT_PROBE_H

#include "constraint/kind.h"
#include "gradient/residual.h"
#include "step/soft_motion.h"

typedef struct limpet_probe {
  const limpet_model *model;
  const limpet_step_settings *settings;
  const limpet_residual *residual;
  limpet_data *data;  // a world of its own, which is moved about
  double slack;       // [m]  that contact points may move
  const double *start_position,
      *start_rotation;  // (geoms x 3), x 9  poses of geoms at the start of the step
  bool *carried;        // (contacts, order of the problem)  its features were lost at some pose
  double *friction;     // (contacts, order of the problem)  receives coefficients; NULL: not wanted
  bool has_mass;        // mass matrices of data are those of the step, where it took them
  limpet_soft_motion *soft;  // deformable bodies: soft_gradient.h; NULL: none
  // dynamics of the trees at the present poses and velocities, with kinematics done; NULL: anew
  const limpet_free_motion *kept;
  // (nu)  servos of the solve at the start of the step, and which actuators are; NULL: not yet
  // known
  limpet_servo *servo;
  bool *serves;
  bool switches;     // adhesion of a contact or an acting limit began or ended, at some pose
  bool lost_row;     // a row that acts in the step has none, at some pose
  bool other_parts;  // a tree took another number of parts than in the step, at some pose
  bool joins;        // a row reached beyond the step's island, as a tendon that begins to wrap does
  // of another model: rows that the step has not, at the last evaluation
  int new_rows;          // those that act
  bool new_rows_switch;  // one is between its bounds, which its number is, or ends a free flight
} limpet_probe;

// Fills servo and serves, of the world as it is. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_probe_servos(limpet_probe *probe, limpet_arena *arena);
// Whether an actuator is a servo of the solve at the start of the step, and its servo.
bool limpet_probe_servo(const limpet_probe *probe, int actuator, limpet_servo *servo);

// Of a unit of the world as it is: limpet_curved_path_pivot [m].
void limpet_probe_pivot(const limpet_probe *probe, int unit, double pivot[3]);
/* Point [m] whose path the points of a unit turn about: the origin of its body, or the pivot where
 * its tree is centred (tree_centre.h). */
void limpet_probe_origin(const limpet_probe *probe, int unit, double origin[3]);
// Acceleration of the centre of mass of a centred tree [m/s^2], which its points lack; NULL: none.
const double *limpet_probe_bend(const limpet_probe *probe, int unit);

/* The problem at the state and inputs of probe->data, partitioned as that of the step. *impulse
 * (nv): of rows that the step has not; NULL: none. Memory from the arena stays. */
limpet_residual_outcome limpet_probe_assemble(limpet_probe *probe, limpet_arena *arena,
                                              limpet_contact_problem *problem, double **impulse);
/* The residual (residual->size) there. Memory from the arena, given back. */
limpet_residual_outcome limpet_probe_evaluate(limpet_probe *probe, limpet_arena *arena,
                                              double *values);

/* Contact points of the step's contacts at the present poses, in the order of its problem: the same
 * features where the shapes give them, else carried along. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_probe_follow(limpet_probe *probe, limpet_arena *arena,
                                  limpet_collision *collision);

/* Rows of `problem`, not yet partitioned, become those of the step, in its order. gamma (rows of
 * the step; NULL: not known): *lost becomes true where one that acts is missing. LIMPET_OK or
 * LIMPET_ERROR_MEMORY. */
limpet_status limpet_probe_match_rows(const limpet_contact_problem *step,
                                      limpet_contact_problem *problem, limpet_arena *arena,
                                      const double *gamma, bool *lost);

/* impulse (nv of the problem) += those of rows of `problem`, not yet partitioned, that the step has
 * not, at the velocities of the step; fills new_rows and new_rows_switch. */
void limpet_probe_new_rows(limpet_probe *probe, const limpet_contact_problem *problem,
                           double *impulse);

/* Tangents of `problem`, partitioned as the step, turned by quarters of a turn to those of the
 * step: which of them a normal gets jumps where two of its components are equal in size, and
 * friction does not change with that. Tangents of friction that depends on direction are the geoms'
 * own: `carried` tells where they are others than in the step. */
void limpet_probe_align_tangents(const limpet_contact_problem *step,
                                 limpet_contact_problem *problem, bool *carried);

#endif

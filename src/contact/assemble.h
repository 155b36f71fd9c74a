/* contact/assemble.h: from contact points and a model to the contact problem. */
#ifndef LIMPET_CONTACT_ASSEMBLE_H
#define LIMPET_CONTACT_ASSEMBLE_H

#include "contact/problem.h"
#include "contact/record.h"
#include "dynamics/flown.h"

/* [-]  ways of a step that contacts and bodies are looked ahead: one at the speed that they have,
 * one more for what an impact or other contacts of the step may add to it. */
#define LIMPET_WAYS_AHEAD 2.0

typedef struct limpet_assembly_settings {
  double dt;  // [s]
  limpet_contact_settings contact;
  // NULL: Hunt-Crossley, or what the contact model has built in
  const limpet_normal_law *normal_law;
  const double *normal_parameter;  // (LIMPET_NORMAL_PARAMETERS)
  // of the contact model
  double (*glide)(const limpet_contact_constants *constants, double slip, double turn);
  double near_rigid_ratio;  // [-]  beta of contacts without stiffness
  double constraint_ratio;  // [-]  beta of limits and stiff actuators
  double equality_ratio;    // [-]  beta of couplers and loops
  double return_speed;      // [m/s, rad/s]  of limits, couplers and loops
  double length_return;     // [m/s]  of masses that limits lead back, which do not slow them down
  double driven_speed;     // [m/s]  at which bodies that the user moves push, at most; 0: as others
  bool bounded_limits;     // limits are as stiff as Drake's at most: joint_limit.c
  bool mixed_weld_weight;  // one weight for the six rows of a weld
  bool bare_loop_weight;   // of loops that of their two bodies, not what they carry
  bool late_tendon_limits;     // tendon limits act only once they are violated
  bool without_mass;           // A holds no masses
  bool implicit_tendons;       // springs and dampers of tendons over several trees are rows
  bool explicit_springs;       // springs act as at the start of the step
  bool curved_paths;           // velocities follow the curved paths of links: see curved_path.h
  const bool *centred;         // (tree_count)  likewise; NULL: none
  const double *bend;          // (tree_count x 3)  [m/s^2]  likewise
  const limpet_flown *flown;   // (tree_count)  how bodies that loops hold will move; NULL: unknown
  const bool *servo_included;  // (actuator_count)  servos that A has already; NULL: none
  // (actuator_count)  which actuators are servos, and those; NULL: to be found
  const bool *serves;
  const struct limpet_servo *servo;
  // [m]  contacts closer than this take part even if nothing approaches
  double speculative_distance;
} limpet_assembly_settings;

// Velocities of deformable bodies before they are blocks of a problem, (vertex_count x 3) [m/s].
typedef struct limpet_vertex_motion {
  const double *v_start, *v_free;
  const bool *moves;  // (vertex_count)  the vertex is an unknown; others count as at rest
} limpet_vertex_motion;

// What says whether contacts of deformable bodies can close within the step.
typedef struct limpet_closing {
  const limpet_model *model;
  const limpet_data *data;
  const limpet_assembly_settings *settings;
  const limpet_collision *collision;
  const limpet_contact_problem *problem;  // that has its trees alone
  limpet_vertex_motion vertices;
} limpet_closing;

/* Drops the records of contacts of deformable bodies that cannot close within the step: so the
 * vertices that only they hang on are no unknowns. None may pull. LIMPET_OK or
 * LIMPET_ERROR_MEMORY. */
limpet_status limpet_contacts_drop_far(const limpet_closing *closing, limpet_arena *arena,
                                       limpet_contact_records *records);
/* Fills patches, contacts and their constants from records, and drops the records of contacts that
 * cannot close within the step: contact_source leads to those that stay. problem->model, dt, trees,
 * A, v_free are set by the caller; data holds the kinematics at the start of the step. LIMPET_OK or
 * LIMPET_ERROR_MEMORY. */
limpet_status limpet_contacts_assemble(const limpet_model *model, const limpet_data *data,
                                       const limpet_assembly_settings *settings,
                                       const limpet_collision *collision, limpet_arena *arena,
                                       limpet_contact_records *records,
                                       limpet_contact_problem *problem);
// record[i].contact for all records, once the contacts of the problem have their final order.
void limpet_contact_records_find(limpet_contact_records *records,
                                 const limpet_contact_problem *problem);

#endif

/* limpet/data.h: one world: state, what is computed from it, results of the last step. Floor 3.
 *
 * All arrays live in one block that `limpet_data_create` allocates; contact arrays are re-pointed
 * by every step (read them after the step, do not keep the pointers). W is the world frame. Spatial
 * vectors are [angular; linear] in world axes about the origin of the tree (data->tree_origin). */
#ifndef LIMPET_DATA_H
#define LIMPET_DATA_H

#include "limpet/model.h"

#ifdef __cplusplus
extern "C" {
#endif

// From good to bad: the worse one of two is the larger one.
typedef enum limpet_outcome {
  LIMPET_OUTCOME_SOLVED,           // momentum and friction are what the laws ask for
  LIMPET_OUTCOME_FRICTION_MISSED,  // friction misses Coulomb's law, which the model promises
  // tolerance not reached, but round-off of its terms explains the residual (info.residual):
  // doubles come no closer
  LIMPET_OUTCOME_PRECISION_LIMIT,
  LIMPET_OUTCOME_ITERATION_LIMIT,  // tolerance not reached: the best iterate was taken
  LIMPET_OUTCOME_INFEASIBLE,       // (quadratic programmes) with a certificate
  // NaN or an indefinite matrix in some islands: their trees were held as they were, all else moved
  LIMPET_OUTCOME_ISLAND_FAILED,
  LIMPET_OUTCOME_NUMERICAL_FAILURE,  // the same, and nothing else could move: the state was kept
  LIMPET_OUTCOME_OUT_OF_MEMORY,      // the state before the step was kept
  // an input is not finite, or a mocap pose is none (limpet_bad_input_text): the state before the
  // step was kept
  LIMPET_OUTCOME_BAD_INPUT,
  LIMPET_OUTCOME_COUNT
} limpet_outcome;

// "solved", "iteration limit", ...
LIMPET_API const char *limpet_outcome_word(limpet_outcome outcome);
// Whether a step of that outcome kept the state before it.
static inline bool limpet_outcome_failed(limpet_outcome outcome) {
  return outcome > LIMPET_OUTCOME_ISLAND_FAILED;
}

// The inputs of a step.
typedef enum limpet_input {
  LIMPET_INPUT_CONTROL,
  LIMPET_INPUT_APPLIED_FORCE,
  LIMPET_INPUT_APPLIED_WRENCH,
  LIMPET_INPUT_MOCAP_POSITION,
  LIMPET_INPUT_MOCAP_QUATERNION,
  LIMPET_INPUT_COUNT
} limpet_input;

// The stages of a step, numbered as in docs/pipeline.md; profile times are kept per stage.
typedef enum limpet_stage {
  LIMPET_STAGE_KINEMATICS,    // 1 poses, motion axes, inertias, velocities
  LIMPET_STAGE_DYNAMICS,      // 2 mass matrix, bias, passive and actuator forces, free velocity
  LIMPET_STAGE_BROAD_PHASE,   // 3 pairs of geoms that may touch
  LIMPET_STAGE_NARROW_PHASE,  // 4 contact points
  LIMPET_STAGE_ASSEMBLY,      // 5 contact problem: patches, constraints, islands
  LIMPET_STAGE_SOLVE,         // 6 convex solver
  LIMPET_STAGE_INTEGRATION,   // 7 new state, results
  LIMPET_STAGE_COUNT
} limpet_stage;

LIMPET_API const char *limpet_stage_word(limpet_stage stage);

typedef struct limpet_step_info {
  limpet_outcome outcome;       // 0 solved, 1 friction missed, 2 precision limit, 3 iteration
                                // limit, 4 infeasible, 5 some islands failed and were held,
                                // 6 numerical failure, 7 out of memory, 8 bad input
  int iterations;               // of the solver, of whatever kind; most over islands
  int iterations_total;         // the same, summed over islands
  int line_search_evaluations;  // of the objective, summed over islands
  int factorizations;           // of all matrices, summed over islands
  // what each family of contact models counts, summed over islands; 0 for other families
  int newton_iterations;    // compliant: of Newton's method
  int interior_iterations;  // rigid: of the interior-point method
  int active_set_changes;   // rigid: of the active-set method
  int sweeps;               // impulsive: over all contacts or rows
  int pivots;               // impulsive: of complementarity problems
  int barrier_iterations;   // impulsive: of phase two
  double residual;          // [-]  momentum residual over momentum scale, worst island
  double condition_number;  // [-]  of the Hessian, worst island; only if settings ask for it
  double cost;              // [J]  objective at the solution, summed over islands
  // of the scheme adaptive; 0 in other schemes
  int substep_count;        // substeps of the step
  int rejected_substeps;    // tries of substeps that were too long
  double shortest_substep;  // [s]  that was taken
  double substep_error;  // [m, rad]  error estimate of a substep, largest: above settings.accuracy
                         // where shorter ones did not help
  int repeats;           // solves anew, with contacts that an impact of the step made, or with
                         // weaker returns or rebounds
  int restrained_returns;   // contacts and limits that start far inside, and come back weakly:
                            // they press too hard against each other
  int restrained_rebounds;  // contacts that part slower than restitution asks, as more would make
                            // energy
  int crossing_rounds;      // solves anew, as deformable bodies passed through each other
  int crossing_count;       // vertices and edges of deformable bodies that pass all the same
  double crossing_depth;    // [m]  most by which one of these ends beyond the other
  int crossing_vertex;      // of that one, index into the vertex arrays; LIMPET_NONE: none
  int elastic_rounds;  // solves anew, with nonlinear elastic laws taken where the last one ended
  double elastic_residual;  // [-]  momentum residual of these laws with contact, over its scale
  int island_count;         // islands with at least one constraint or contact
  int largest_island;       // velocities in the largest island
  int immovable_contacts;   // contacts left out: nothing moves them along their normal
  int bounded_contacts;     // contacts with a stiffness that start so far inside that it is bounded
  int swallowed_pairs;      // pairs of pressure fields so deep in each other that nothing pushes
  int failed_islands;       // islands that failed: their trees were held for the step
  int pair_count;           // pairs of geoms that the broad phase let through
  int contact_count;        // contact points in the problem, those near touching included
  int touching_count;       // contact points with a normal force
  int constraint_count;     // scalar rows: limits, dry friction, couplers, loops, actuators
  int clamped_controls;     // controls outside their range, which act as its end
  limpet_input bad_input;   // bad input: the array that is not finite
  int bad_input_index;      // bad input: the entry in it
  int arena_growth;         // times that memory had to grow, since create
  size_t arena_peak;        // [bytes]  most that a step took
  double stage_time[LIMPET_STAGE_COUNT];  // [s]  only with settings.profile
  double loop_gap;       // [m]  widest gap of a connect, weld or distance at the start of the step
  double loop_turn;      // [rad]  largest turn of the frames of a weld from each other, likewise
  double coupler_error;  // [m, rad]  largest error of a coupler at the start of the step
  double deepest_penetration;     // [m]  largest -distance of a contact at the start of the step
  double largest_stiction_speed;  // [m/s]  fastest creep of sticking contacts
  double flight_error;            // [-]  energy error of flight over its kinetic energy, worst tree
  // overlap that is new, of contacts without a stiffness of their own: docs/log.md
  double overlap_made;  // [m]  by which a pair's deepest contact is deeper than one step ago, most
  int overlap_contact;  // that contact, index into the contact arrays; LIMPET_NONE: none
  // contact surfaces of pressure fields, by what they state of themselves: docs/log.md
  double surface_error;  // [-]  of force and area of the worst one, over the sum of its pressures
  int surface_contact;   // a contact of that one, index into the contact arrays; LIMPET_NONE: none
  double surface_missing;  // [N]  by which sums of pressures may be off, added up
  // friction against Coulomb's law, by results: docs/log.md
  double friction_departure;  // [-]  of the worst contact: outside its cone, or short in sliding
  int friction_contact;       // that contact, index into the contact arrays; LIMPET_NONE: none
  double friction_outside;    // [-]  largest |f_t|/(mu f_n) - 1 of contacts that carry
  double friction_missing;    // [-]  of mu f_n of all sliding contacts: what friction they lack
  double friction_sliding;    // [N]  mu f_n, summed over sliding contacts
  double friction_loose;      // [N]  friction of contacts without normal force, summed
  double friction_total;      // [N]  friction of all contacts, summed
  // at the end of the step, only with settings.energy
  double kinetic_energy;    // [J]  of all bodies; 0 without settings.energy
  double potential_energy;  // [J]  gravity and springs; 0 without settings.energy
  double contact_energy;    // [J]  in contacts of given stiffness, and what rebounds may give back;
                            // 0 without settings.energy
  double constraint_energy;  // [J]  in limits, loops of given impedance; 0 without settings.energy
  double return_work;        // [J]  by what led back that began apart or inside: docs/log.md
  double energy_rise;        // [J]  of the four, that no work put in; NaN: not looked at
  // of the worst tree that floats, which no force or impulse gave; 0 without settings.energy
  double momentum_gained;          // [N s]  linear
  double angular_momentum_gained;  // [N m s]  about the centre of mass of the tree
} limpet_step_info;

typedef struct limpet_workspace limpet_workspace;

/* What a contact carries from step to step: A + 1, B (geoms), the contact's feature (low and high
 * 32 bits); a force on B [N] in W: that of its tangential spring (contact model penalty), or its
 * whole force, from which the next step starts (coulomb, pgs); of coulomb the stretch of its
 * bristle [m] in the frame of A's body, and after an impact the speed of its rebound [m/s] and what
 * that may give back [J]. All zero: not in use. Those in use come first. */
#define LIMPET_ANCHOR_SIZE 12

typedef struct limpet_data {
  const limpet_model *model;  // of the world

  // full state: what a restart needs (limpet_data_state_* copies exactly these)
  double time;             // [s]  of the world
  double *q;               // (nq)  [m, rad, -]  coordinates
  double *v;               // (nv)  [m/s, rad/s]  velocities
  double *activation;      // (na)  states of actuators that have one
  double *warm_start;      // (nv)  [m/s, rad/s]  change of v in the last step
  double *tree_held;       // (tree_count)  impulses on the tree: 0 none, 1 of its own, 2 of others
  double *tree_jammed;     // (tree_count)  1: its limits pressed and did not come back, else 0
  double *mocap_position;  // (mocap_count x 3)  [m]  W
  double *mocap_quaternion;  // (mocap_count x 4)  body axes to W
  double *anchor;            // (options.anchor_count x 12)  what contacts carry: LIMPET_ANCHOR_SIZE

  double *vertex_position;  // (vertex_count x 3)  [m]  W  of deformable bodies
  double *vertex_velocity;  // (vertex_count x 3)  [m/s]  W  of deformable bodies
  double *history;          // (history_count)  what delays remember: times [s] and values

  // input: read by a step, never changed by it
  double *control;         // (nu)  in units of the actuators
  double *applied_force;   // (nv)  [N, N m]  generalised
  double *applied_wrench;  // (body_count x 6)  [N m, N]  about the centre of mass, world axes

  // poses: limpet_kinematics; after a step those of its start (with settings.energy bodies at its
  // end). Spatial quantities are about the tree's origin
  double *body_position;    // (body_count x 3)  [m]  W
  double *body_quaternion;  // (body_count x 4)  body axes to W
  double *body_rotation;    // (body_count x 9)  row-major matrix of body_quaternion
  double *body_com;         // (body_count x 3)  [m]  W
  double *tree_origin;      // (tree_count x 3)  [m]  W, centre of mass of the tree's first body
  double *body_inertia;     // (body_count x 10)  [kg, kg m, kg m^2]  W: m, m c, xx yy zz xy xz yz
  double *dof_axis;         // (nv x 6)  [1 or 1/m, m or 1]  motion per unit of velocity
  double *tendon_row;       // (tendon_dof_count)  [m, m/rad]  d length / d velocity tendon_dof
  double *geom_position;    // (geom_count x 3)  [m]  W: limpet_geom_kinematics
  double *geom_rotation;    // (geom_count x 9)  row-major, geom axes to W: limpet_geom_kinematics

  // velocities: limpet_velocity_kinematics
  double *body_velocity;  // (body_count x 6)  [rad/s, m/s]  about the tree origin
  double *dof_axis_rate;  // (nv x 6)  [rad/s, m/s]  change of dof_axis due to the velocities

  // dynamics: limpet_mass_matrix, limpet_bias, limpet_passive_forces
  double *mass_matrix;   // (mass_size)  [kg, kg m, kg m^2]  dense row-major block of each tree
  double *bias;          // (nv)  [N, N m]  M vdot + bias = forces: limpet_bias
  double *spring_force;  // (nv)  [N, N m]  of joints and tendons: limpet_passive_forces
  double *damper_force;  // (nv)  [N, N m]  of joints and tendons: limpet_passive_forces
  double *gravity_compensation_force;  // (nv)  [N, N m]  at centres of mass: limpet_passive_forces
  double *fluid_force;                 // (nv)  [N, N m]  of the medium: limpet_passive_forces
  double *passive_force;  // (nv)  [N, N m]  sum of the four, without compensation by actuators
  // limpet_tendon_kinematics, limpet_actuation, limpet_forward_dynamics
  double *tendon_length;         // (tendon_count)  [m, or as its coefficients]  of the tendon
  double *tendon_velocity;       // (tendon_count)  [m/s, or as its coefficients]  rate of length
  double *actuator_length;       // (actuator_count)  [m or rad]  of the transmission
  double *actuator_velocity;     // (actuator_count)  [m/s or rad/s]  of the transmission
  double *actuator_force;        // (actuator_count)  [N, N m]  after a step: mean over the step
  double *activation_rate;       // (na)  [unit of the activation, per second]  of the activations
  double *actuator_joint_force;  // (nv)  [N, N m]  generalised, of all actuators
  double *acceleration;          // (nv)  [m/s^2, rad/s^2]  without constraints

  /* Sensors: after a step what they read at its start, with the accelerations and forces of the
   * step; limpet_sensors_evaluate: at the present state. sense.h says more. */
  double *sensor;  // (nsensor)  [by sensor]  values of sensor i from sensor_address[i]

  // contacts of the last step, at its start configuration; A and B are geoms, A has the lower
  // index; velocities and forces are in the contact frame
  int contact_count;            // of the arrays below
  int *contact_geom;            // (contact_count x 2)  A, B
  uint64_t *contact_feature;    // (contact_count)  the same while the same features touch
  double *contact_position;     // (contact_count x 3)  [m]  W  where force acts
  double *contact_frame;        // (contact_count x 9)  rows t1, t2, n in W; n from A to B
  double *contact_distance;     // (contact_count)  [m]  negative inside
  double *contact_velocity;     // (contact_count x 3)  [m/s]  of B relative to A, end of the step
  double *contact_force;        // (contact_count x 3)  [N]  on B, contact frame, mean over the step
  double *contact_torsion;      // (contact_count)  [N m]  on B about the normal, mean over the step
  double *contact_rolling;      // (contact_count x 2)  [N m]  on B about t1, t2, mean over the step
  double *contact_stiffness;    // (contact_count)  [N/m]  of the contact point
  double *contact_dissipation;  // (contact_count)  [s/m]  Hunt-Crossley
  double *contact_friction;     // (contact_count)  [-]  of this step; the larger one if anisotropic
  double *contact_slip_speed;   // (contact_count)  [m/s]  eps_s of regularised friction
  bool *contact_sticks;  // (contact_count)  has a force, and friction below 0.99 of its bound

  double *contact_area;  // (contact_count)  [m^2]  of a contact surface; 0: a point of two shapes

  // contact surfaces of the last step that carry a force, one a pair of geoms (limpet/pressure.h)
  int surface_count;         // of the arrays below
  int *surface_geom;         // (surface_count x 2)  A, B
  double *surface_area;      // (surface_count)  [m^2]  where there is a normal force
  double *surface_force;     // (surface_count x 3)  [N]  W  on B, mean over the step
  double *surface_torque;    // (surface_count x 3)  [N m]  W  on B about surface_centre
  double *surface_centre;    // (surface_count x 3)  [m]  W  centre of pressure
  double *surface_deepest;   // (surface_count x 3)  [m]  W  where the bodies overlap most
  double *surface_depth;     // (surface_count)  [m]  there, at the start of the step
  double *surface_pressure;  // (surface_count)  [Pa]  largest at a point, mean over the step

  // deformable bodies in the last step; their contacts are among the contacts, with their geom
  double *vertex_force;  // (vertex_count x 3)  [N]  W  contacts, ties, supports, mean over the step
  double
      *deformable_force;  // (deformable_count x 3)  [N]  W  of contacts on it, mean over the step
  // at the end of the step, only with settings.energy
  double *deformable_energy;    // (deformable_count)  [J]  elastic
  double *deformable_volume;    // (deformable_count)  [m^3]  of its elements
  double *deformable_stress;    // (deformable_count)  [Pa]  von Mises, largest of its elements
  double *deformable_inverted;  // (deformable_count)  elements with a point of negative volume

  // scalar constraints of the last step
  int constraint_count;    // of the arrays below
  int *constraint_kind;    // (constraint_count)  index into limpet_constraint_kinds() of contact.h
  int *constraint_target;  // (constraint_count)  object that it belongs to, by kind
  // which row of its target: connect, tie: axis of W, rigid ties: 3 to 5 turns about them; weld:
  // row; tendon limit: 0 lower, 1 upper; dry friction: 0 of a velocity, 1 of a tendon
  int *constraint_component;  // (constraint_count)  row of its target, by kind; else 0
  double *constraint_error;   // (constraint_count)  [m, rad]  limits: distance left; else 0
  double *constraint_force;   // (constraint_count)  [N, N m]  mean over the step
  // actuators and springs of tendons are none
  double *constraint_joint_force;  // (nv)  [N, N m]  of contacts and constraints

  limpet_step_info info;                        // of the last step
  int64_t step_count;                           // steps since create or reset
  int64_t warning_count[LIMPET_OUTCOME_COUNT];  // steps by outcome since create or reset
  int64_t clamped_count;                        // controls clamped in a step, since create or reset
  limpet_workspace *workspace;                  // what only the library sees
} limpet_data;

/* A new world in the reference pose (controls 0, or clamped into their range), or NULL when there
 * is no memory. The model must outlive it. */
LIMPET_API limpet_data *limpet_data_create(const limpet_model *model);
LIMPET_API void limpet_data_destroy(limpet_data *data);

// The tables of the fields of a world, and of what a step says of itself.
LIMPET_API const limpet_field_table *limpet_data_fields(void);
LIMPET_API const limpet_field_table *limpet_step_info_fields(void);
// How many elements a field of limpet_data_fields() has now.
LIMPET_API size_t limpet_data_field_count(const limpet_data *data, const limpet_field *field);
LIMPET_API void limpet_data_reset(const limpet_model *model, limpet_data *data);
// State and controls of a keyframe; everything else as after a reset.
LIMPET_API void limpet_data_reset_keyframe(const limpet_model *model, limpet_data *data,
                                           int keyframe);

enum { LIMPET_INPUT_TEXT_SIZE = 128 };  // enough for limpet_bad_input_text with a short name
/* After a step with the outcome bad input: which number of data is not finite, as "control 3 'grip'
 * is nan", or makes no mocap pose. Where islands, or all, failed and were held: which coordinate or
 * velocity is none, as "q 9 of body 'cube' is nan": not finite, too large to be squared, or the
 * first of a quaternion without a direction; "" where there is none. Cut off at `size` characters.
 * Returns `text`. */
LIMPET_API const char *limpet_bad_input_text(const limpet_data *data, char *text, size_t size);

/* The full state as one vector of limpet_data_state_size(model) doubles: time, q, v, activation,
 * warm_start, mocap poses, anchors, vertices. Two worlds of equal state and input go on bit for bit
 * alike. */
LIMPET_API int limpet_data_state_size(const limpet_model *model);
LIMPET_API void limpet_data_state_read(const limpet_model *model, const limpet_data *data,
                                       double *state);
LIMPET_API void limpet_data_state_write(const limpet_model *model, limpet_data *data,
                                        const double *state);
// The state of one world into another, of the same model or of one of the same sizes.
LIMPET_API void limpet_data_state_copy(const limpet_data *from, limpet_data *to);
LIMPET_API uint64_t limpet_data_state_hash(const limpet_model *model, const limpet_data *data);

/* q <- q0 (+) dt N(q0) v: coordinates after moving with v for dt. Rotations by the exponential map;
 * `first_order`: quaternion plus its rate, normalised (Drake). q and q0 may be the same array. */
LIMPET_API void limpet_integrate_position(const limpet_model *model, double *q, const double *q0,
                                          const double *v, double dt, bool first_order);
/* v such that q1 = q0 (+) v (dt = 1): the difference of two poses in velocity coordinates. */
LIMPET_API void limpet_difference_position(const limpet_model *model, double *v, const double *q0,
                                           const double *q1);

#ifdef __cplusplus
}
#endif
#endif

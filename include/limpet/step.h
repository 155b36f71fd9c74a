/* limpet/step.h: advancing a world in time. Floor 7. */
#ifndef LIMPET_STEP_H
#define LIMPET_STEP_H

#include "limpet/dynamics.h"
#include "limpet/field.h"
#include "limpet/law.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limpet_scheme limpet_scheme;  // src/step/scheme.h

// Simplifications that other simulators make; the preset `drake` switches them on.
typedef struct limpet_step_compatibility {
  bool single_point;  // the deepest point of each pair of geoms only, not its manifold; false
  bool first_order_rotation;  // quaternion plus its rate, not the exponential map; false
  bool plain_flight;        // flight with the velocity at the end of the step, not its mean; false
  bool explicit_gyration;   // gyroscopic torques of flight at the start of the step; false
  bool explicit_springs;    // springs of joints and tendons act as at the start of the step; false
  bool mixed_weld_weight;   // one weight of a weld for metres and radians; false
  bool bare_loop_weight;    // loops as stiff as their two bodies need, not their whole load; false
  bool polygon_centroids;   // one contact a polygon of linear pressure fields; false
  bool midpoint_contact;    // deformable bodies move by the midpoint rule in contact, too; false
  bool late_tendon_limits;  // tendon limits act once they are violated, not one step ahead; false
} limpet_step_compatibility;

// The comment of each field ends with its default; docs/defaults.md says why. What is said here
// stands, with ranges, in limpet_step_settings_fields() too: a test compares both.
typedef struct limpet_step_settings {
  const limpet_scheme *scheme;                // stepping scheme; discrete
  const limpet_contact_model *contact_model;  // law of contact and friction; coulomb
  double time_step;  // [s]  length of a step, by default the model's; 0.002
  double accuracy;   // [m, rad]  scheme adaptive: error of a coordinate in a substep, at most; 1e-5
  // contact
  const limpet_normal_law *normal_law;  // of coulomb, lagged and similar; hunt-crossley
  double normal_parameter[LIMPET_NORMAL_PARAMETERS];  // of the law, in its descriptor's order; 0
  double stiction_speed;           // [m/s]  v_s: slip below which friction falls off smoothly; 1e-6
  double friction_regularization;  // [-]  sigma: or below sigma w mu gamma_n0, if larger; 1e-5
  double shear_ratio;              // [-]  of surfaces in coulomb: shear over normal stiffness; 1e3
  double near_rigid_ratio;         // [-]  beta: period of a near-rigid contact over the step; 0.1
  double rigid_stiffness;          // [N/m]  of geoms without a stiffness, INFINITY: near-rigid; inf
  double constraint_ratio;         // [-]  as near_rigid_ratio, for limits and stiff actuators; 0.1
  double equality_ratio;           // [-]  as near_rigid_ratio, for couplers and loops; 0.01
  double return_speed;             // [m/s, rad/s]  at most, from far outside near-rigid limits; 2
  double speculative_distance;     // [m]  nearer geoms take part before they touch; 2e-4
  double error_reduction;          // [-]  scheme impulse: share of overlap removed in a step; 0.2
  double softening;                // [-]  scheme impulse: regularisation over diag J M^-1 J'; 1e-6
  double bound_slack;              // [-]  two-phase: widening of the bound on normal impulses; 1e-6
  bool explicit_euler;             // scheme impulse: explicit Euler, not semi-implicit; false
  bool pressure_fields;            // contact surfaces of geoms that have fields; true
  bool linearised_elasticity;      // elastic laws in contact linearised at the free motion; false
  bool rigid_ties;                 // vertices that are tied to one body move as a part of it; true
  bool curved_paths;               // sticking contacts and loops follow links' curved paths; true
  limpet_step_compatibility compatibility;
  // solver
  double tolerance;     // [-]  residual over scale of momentum that solves an island; 1e-6
  int iteration_limit;  // Newton iterations of one solve; a step solved anew has as many again; 90
  double line_search_tolerance;  // [-]  slope left by a line search, over its first; 0: exact; 0.3
  bool plain_hessian;            // the exact Hessian, as published: not of coulomb; false
  int dense_limit;  // velocities up to which an island is factored dense, not block-sparse; 60
  bool warm_start;  // try the last change of velocity as a start; true
  int threads;      // results do not depend on it; 1
  // reports
  bool condition_number;  // fill info.condition_number: a dense factorisation; false
  bool profile;           // fill info.stage_time; false
  bool energy;  // fill the energies of info; bodies are then at the end of the step; false
} limpet_step_settings;

// Defaults for this model.
LIMPET_API limpet_step_settings limpet_step_settings_default(const limpet_model *model);
/* The table of the settings. Other tables bind to it by name: a parameter of a contact model,
 * constraint or scheme that is called as a setting is that setting. */
LIMPET_API const limpet_field_table *limpet_step_settings_fields(void);
// Whether all numbers lie within their ranges, and the scheme takes the contact model; otherwise
// LIMPET_ERROR_INPUT and which does not.
LIMPET_API limpet_status limpet_step_settings_check(const limpet_step_settings *settings,
                                                    limpet_error *error);
/* A parameter of a descriptor with all that it says. One whose unit is NULL is a setting, or a
 * field of limpet_material: unit and range, and the default where its own is NAN, are those of the
 * field.
 */
LIMPET_API limpet_parameter limpet_step_parameter(const limpet_parameter *parameter);

typedef struct limpet_preset_value {
  const char *field;  // of limpet_step_settings_fields()
  double value;       // booleans: 0 or 1
} limpet_preset_value;

typedef struct limpet_preset {
  const char *name, *text;
  const char *contact_model;  // by name; NULL: the default
  int count;
  const limpet_preset_value *values;  // (count)  what differs from the defaults
} limpet_preset;

// The presets, ended by one without a name.
LIMPET_API const limpet_preset *limpet_presets(void);
/* A preset by name: "limpet" (the defaults) or "drake" (constants and simplifications of Drake's
 * discrete plant, used by the tests against values computed with it). Returns false, and leaves
 * `settings` alone, when there is none of that name. */
LIMPET_API bool limpet_step_settings_preset(limpet_step_settings *settings,
                                            const limpet_model *model, const char *name);

/* Sets the contact model, and those settings that differ between models (LIMPET_FIELD_BY_MODEL) to
 * the defaults of its descriptor, whatever a preset gave them. */
LIMPET_API void limpet_step_settings_contact_model(limpet_step_settings *settings,
                                                   const limpet_contact_model *model);
/* The same after a preset: those that the preset gives are its own. So Drake's SAP is preset
 * "drake", then this with the model "sap". Returns false, and leaves `settings` alone, when there
 * is no preset of that name. */
LIMPET_API bool limpet_step_settings_preset_model(limpet_step_settings *settings, const char *name,
                                                  const limpet_contact_model *model);
// Sets the scheme, and the contact model that it is meant for. A scheme that is meant for none
// leaves the model, or brings the default where it does not take it.
LIMPET_API void limpet_step_settings_scheme(limpet_step_settings *settings,
                                            const limpet_scheme *scheme);
// Sets the normal law, and normal_parameter to the defaults of its descriptor.
LIMPET_API void limpet_step_settings_normal_law(limpet_step_settings *settings,
                                                const limpet_normal_law *law);

/* One step of settings->time_step: reads state, control and applied forces; writes state, contacts,
 * forces and data->info. Poses and what is computed from them are then those of the start of the
 * step (but see settings.energy); limpet_kinematics brings them to the new state. An island whose
 * numbers fail is held: its trees keep position and velocity of the start of the step, without
 * forces; all others move on, time included, and the outcome says so (info.failed_islands). Where
 * nothing is left that could move, on bad input or without memory the state stays as it was, time
 * included. */
LIMPET_API limpet_outcome limpet_step(const limpet_model *model, limpet_data *data,
                                      const limpet_step_settings *settings);

/* A step in three verbs, for controllers that look ahead, steps of chosen length and derivatives:
 *   prepare   reads state and inputs and sets up what is to be solved, for a step of `time_step`
 *   attempt   solves it; can be repeated with other settings of the solver
 *   commit    fills the results of the step in data and moves the state on
 * limpet_step is the three in turn, with limpet_step_look_again between attempts. Until commit the
 * state, the inputs and the results of the last step stay as they are; poses and what else is
 * computed from the state are those of prepare. A prepared step can be dropped at any time: the
 * next prepare does, as there is one at a time in a world. Between prepare and commit leave the
 * state alone, and call nothing that fills contacts. */
typedef struct limpet_step_prepared {
  limpet_outcome outcome;         // solved: there is something to attempt; else why not
  double time_step;               // [s]
  limpet_data *data;              // world that the step is of
  struct limpet_step_work *work;  // in its step memory, until the next prepare or commit
} limpet_step_prepared;

typedef struct limpet_step_result {
  limpet_outcome outcome;  // from numerical failure on there is no solution
  const double *v;         // (nv)  [m/s, rad/s]  velocity at the end of the step; NULL: no solution
  limpet_step_info info;   // what the solver counted
  struct limpet_step_solution *solution;  // in the step memory, as work
} limpet_step_result;

// Returns prepared->outcome. `time_step` [s] counts, not that of the settings.
LIMPET_API limpet_outcome limpet_step_prepare(const limpet_model *model, limpet_data *data,
                                              const limpet_step_settings *settings,
                                              double time_step, limpet_step_prepared *prepared);
/* Returns result->outcome: that of prepare if that failed. Of the settings only those of the solver
 * count (tolerance, iteration_limit, line_search_tolerance, plain_hessian,
 * dense_limit, warm_start, threads, condition_number, profile); scheme and contact model must be
 * those of prepare. Results of several attempts are there side by side. */
LIMPET_API limpet_outcome limpet_step_attempt(const limpet_step_prepared *prepared,
                                              const limpet_step_settings *settings,
                                              limpet_step_result *result);
/* After an attempt: whether geoms would overlap at the end of the step where none of their contacts
 * expects it, as an impact threw them together or a turn brought an edge onto a face. The prepared
 * step has then a new problem with contacts against that, which starts from the velocities and
 * forces of the attempt, and is to be attempted anew; `result` is used up. At most twice in a step;
 * with iterations of all attempts counting for the limit, but for `coulomb`. The same where
 * deformable bodies passed through each other, at most eight times (info.crossing_rounds); the
 * commit of what still passes then ends with the iteration limit. Of bodies with nonlinear elastic
 * laws, which limpet_step solves in rounds, nothing is looked for here. The same where things that
 * start inside each other press too hard: the new problem lets them come back weakly
 * (info.restrained_returns), once in a step; and where contacts that rebound made energy: they part
 * slower (info.restrained_rebounds), at most six times. False: `result` can be committed.
 *   limpet_step_attempt(&prepared, &settings, &result);
 *   while (limpet_step_look_again(&prepared, &result))
 *     limpet_step_attempt(&prepared, &settings, &result); */
LIMPET_API bool limpet_step_look_again(limpet_step_prepared *prepared,
                                       const limpet_step_result *result);
/* Returns the outcome of the step. On a failure, the attempt's or memory for the results, the state
 * stays as it was. A prepared step is committed once. */
LIMPET_API limpet_outcome limpet_step_commit(const limpet_model *model, limpet_data *data,
                                             const limpet_step_prepared *prepared,
                                             const limpet_step_result *result);

// The table of schemes, ended by NULL; and look-up by name, NULL if there is none.
LIMPET_API const limpet_scheme *const *limpet_schemes(void);
LIMPET_API const limpet_scheme *limpet_scheme_find(const char *name);
// Whether a scheme can step with a contact model: impulsive ones belong to `impulse`, all others to
// the other schemes.
LIMPET_API bool limpet_scheme_takes(const limpet_scheme *scheme, const limpet_contact_model *model);
LIMPET_API const limpet_descriptor *limpet_scheme_descriptor(const limpet_scheme *scheme);

#ifdef __cplusplus
}
#endif
#endif

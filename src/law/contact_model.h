/* law/contact_model.h: what a contact model is: a convex cost of the velocity at one contact point,
 * or rows that bound it.
 *
 * v_c = (v_t1, v_t2, v_n): velocity of B relative to A in the contact frame, v_n < 0 approaching. A
 * model gives the cost l(v_c), the impulse gamma = -dl/dv_c on B, and the Hessian G = d2l/dv_c2
 * (symmetric, positive semidefinite). A rigid model gives rows instead; what bodies do under them
 * is a quadratic programme. An impulsive model gives neither: it solves an island itself, for the
 * impulses, in contact space. */
#ifndef LIMPET_LAW_CONTACT_MODEL_H
#define LIMPET_LAW_CONTACT_MODEL_H

#include "base/field.h"
#include "limpet/law.h"

// What bounds friction of the model `coulomb`: coulomb.c of this folder.
typedef enum limpet_friction_form {
  LIMPET_FRICTION_COUPLED,  // the normal impulse of the same velocity: the law itself, no cost
  LIMPET_FRICTION_BOUNDED,  // lagged_impulse: the convex cost of `lagged`
  LIMPET_FRICTION_SHIFTED   // that of the speed z, of which friction_shift is part: of `similar`
} limpet_friction_form;

// Of one contact of a compliant model; filled by `prepare`.
typedef struct limpet_compliant_constants {
  double lagged_impulse;               // [N s]  gamma_n0
  double slip_speed;                   // [m/s]  eps_s
  double friction_shift;               // [m/s]  of `coulomb`, where `friction_form` says so
  limpet_friction_form friction_form;  // of `coulomb`
  double R_normal, R_tangent;          // [1/kg]  regularisation of `sap`
} limpet_compliant_constants;

// Of one contact of a rigid model; filled by `prepare`.
typedef struct limpet_rigid_constants {
  double gap_speed;  // [m/s]  at which the contact may close: phi0/dt, at least -return_speed
} limpet_rigid_constants;

// Of one contact of an impulsive model; filled by `prepare`.
typedef struct limpet_impulsive_constants {
  double gap_speed;  // [m/s]  at which the contact may close; inside, the share error_reduction of
                     // phi0/dt
  double softening;  // [-]  R of the contact's impulses over the diagonal of A
} limpet_impulsive_constants;

/* Constants of one contact during a step: what its model is a function of, besides v_c; filled by
 * the assembly, and what the family of the model adds by `prepare`. First what solvers read in
 * every evaluation, so that it lies in two lines of the cache. */
typedef struct limpet_contact_constants {
  double dt;                        // [s]
  double friction;                  // [-]  mu
  double stiffness;                 // [N/m]  k
  double dissipation;               // [s/m]  d
  double elastic_force;             // [N]  f_e0 = -k phi0: elastic force at the start of the step,
                                    // negative before touch
  double delassus;                  // [1/kg]  w
  const limpet_normal_law *normal;  // NULL: Hunt-Crossley, or what the model has built in
  union {
    limpet_compliant_constants compliant;
    limpet_rigid_constants rigid;
    limpet_impulsive_constants impulsive;
  };
  double torsion;          // [m]  torsional friction length, 0: none
  double rolling;          // [m]  rolling friction length, 0: none
  double torsion_rate;     // [1/m]  eps of torsion over eps_s: spin.h; 0: nothing can turn
  double rolling_rate;     // [1/m]  the same of rolling
  double relaxation_time;  // [s]  tau_d
  double restitution;      // [-]  Newton's e
  double distance;         // [m]  phi0, negative inside
  double shear;            // [N/m]  of a contact surface: k, or more where it runs along a gradient
  double normal_speed;     // [m/s]  v_n0 at the start of the step
  double free_speed;       // [m/s]  v_n at its end without contact
  double bend_speed;       // [m/s]  of curved paths along the normal, which distance and
                           // elastic_force hold over the step, and laws of its start do not see
  double bias_speed;       // [m/s]  slip of bodies at rest: surfaces that move, curved paths
  bool surface;            // a point of a contact surface, of pressure fields
  bool near_rigid;         // `stiffness` is that of the step, for want of one of the material
  bool borne;              // that of what it carries, not of w: contact/load.h
  bool soft;               // a point of a deformable body: slips less, see normal_law.h
  const double *normal_parameter;  // (LIMPET_NORMAL_PARAMETERS)
} limpet_contact_constants;

// Settings of a step that contact models read.
typedef struct limpet_contact_settings {
  double stiction_speed;           // [m/s]  v_s
  double friction_regularization;  // [-]  sigma
  double shear_ratio;              // [-]  kappa: coulomb.c; 0: none
  double near_rigid_ratio;         // [-]  beta
  double return_speed;             // [m/s]  at most, of what starts inside a rigid contact
  double error_reduction;          // [-]  share of it that impulsive models take back in a step
  double softening;                // [-]  R of impulsive contacts over the diagonal of A
  double bound_slack;  // [-]  of the two-phase models: of the bound on all normal impulses
} limpet_contact_settings;

// What a contact keeps from one step for the next: problem.carried, solution.carried.
typedef enum limpet_contact_memory {
  LIMPET_MEMORY_NONE,
  LIMPET_MEMORY_SPRING,      // the force of a spring between the two geoms
  LIMPET_MEMORY_WARM_START,  // impulses, where the settings ask for a warm start
} limpet_contact_memory;

/* Head of every descriptor: what lists, the assembly and reports need of a model of any family.
 * prepare, sticks, slip_speed and energy are always there. */
struct limpet_contact_model {
  limpet_descriptor descriptor;
  limpet_contact_family family;
  // friction is Coulomb's in every step: one that departs from it has the outcome friction missed
  bool promises_friction;
  limpet_contact_memory memory;
  bool bristles;  // contacts keep stretch and rebounds, too: contact/kept.h
  // Delassus estimates take each joint as a whole, so that near-rigid contacts are as stiff in any
  // heading and frame; else the diagonal of A alone, as the papers' plants do: delassus.h
  bool whole_joints;
  // what is built in; NULL: the model takes the law of the settings
  const limpet_normal_law *normal_law;
  // compliant: friction against turning counts, torsion and rolling: spin.h
  bool turns;
  // fills the constants of the family; those that all models share are there
  void (*prepare)(limpet_contact_constants *constants, const limpet_contact_settings *settings);
  /* Gap [m] on which a contact that slips with `slip` [m/s] and turns about its normal with `turn`
   * [rad/s] glides; dt, friction, torsion and relaxation_time are filled. Contacts within it take
   * part, so that what slides is not dropped and caught again. NULL: none. */
  double (*glide)(const limpet_contact_constants *constants, double slip, double turn);
  // reports: whether a contact with a normal force sticks
  bool (*sticks)(const limpet_contact_constants *constants, const double gamma[3]);
  // slip speed [m/s] below which friction is regularised
  double (*slip_speed)(const limpet_contact_constants *constants, const double gamma[3]);
  // elastic energy [J] stored at the distance phi [m]
  double (*energy)(const limpet_contact_constants *constants, double phi);
};

// -------------------------------------------------------------------------------------- compliant

enum { LIMPET_HESSIAN_SIZE = 6 };  // t1t1, t1t2, t2t2, t1n, t2n, nn

/* A compliant model: a convex cost l(v_c) of the velocity at one contact. evaluate and hessian are
 * always there. */
typedef struct limpet_compliant_model {
  limpet_contact_model head;
  /* Summed cost [J] of `count` contacts at velocities v (count x 3); impulses gamma (count x 3) are
   * filled. */
  double (*evaluate)(const limpet_contact_constants *constants, int count, const double *v,
                     double *gamma);
  /* Hessians G (count x LIMPET_HESSIAN_SIZE). `dual` NULL: exact. Otherwise the primal-dual ones:
   * `dual` (count x 2) holds the direction of friction as a variable of its own, |dual| <= 1, which
   * Newton's method moves together with v: see friction_direction.h. */
  void (*hessian)(const limpet_contact_constants *constants, int count, const double *v,
                  const double *dual, double *G);
  // dual after a Newton step dv from v; NULL: the model has none
  void (*dual_step)(const limpet_contact_constants *constants, int count, const double *v,
                    const double *dv, double *dual);
  // limpet_compliant_model_along in a shorter way; NULL: there is none
  void (*along)(const limpet_contact_constants *constants, int count, const double *v,
                const double *dv, double alpha, double *slope, double *curvature);
  /* dgamma (3): change of the impulse by changes dv (3) of the velocity and dc of all constants but
   * those that `prepare` fills, whose changes follow from the settings; c is prepared. Friction is
   * bounded by the law's own impulse (LIMPET_FRICTION_COUPLED). False: not known in closed form for
   * this normal law. NULL: for none. */
  bool (*change)(const limpet_contact_constants *c, const limpet_contact_constants *dc,
                 const limpet_contact_settings *settings, const double v[3], const double dv[3],
                 double dgamma[3]);
  /* The normal law takes a speed that is curved in v_c: the harder a contact, the narrower the
   * valley of the cost that a sliding contact must follow. See island_minimize.c. */
  bool curved_penalty;
  bool coupled;  // friction is bounded by the normal impulse of the same step: solve/coulomb.h
} limpet_compliant_model;

/* slope and curvature += of the summed cost at v + alpha dv along dv: by `along`, or by impulses
 * and exact Hessians. */
void limpet_compliant_model_along(const limpet_compliant_model *model,
                                  const limpet_contact_constants *constants, int count,
                                  const double *v, const double *dv, double alpha, double *slope,
                                  double *curvature);

// ------------------------------------------------------------------------------------------ rigid

enum { LIMPET_RIGID_ROWS = 6 };  // of one contact, at most

// A rigid model: rows that bound the velocity at one contact.
typedef struct limpet_rigid_model {
  limpet_contact_model head;
  /* u = (v_t1, v_t2, v_n, w_n): v_c and the turning of B relative to A about n [rad/s]. Fills `row`
   * (returned count x 4):  s_i = row_i . u,   s_i + gap_speed >= 0   for each; as a cone: s_0 +
   * gap_speed >= ||(s_1, ...)||, s_0 = v_n. The impulse, dual to u, is sum lambda_i row_i. */
  int (*rows)(const limpet_contact_constants *constants, double *row);
  bool cone;  // `rows` are one second-order cone, unless there is one only
} limpet_rigid_model;

// -------------------------------------------------------------------------------------- impulsive

struct limpet_contact_space;  // solve/island_contact_space.h

// An impulsive model: a method that finds the impulses of an island. Of the scheme `impulse`.
typedef struct limpet_impulsive_model {
  limpet_contact_model head;
  // finds the impulses x of an island from A, b and the constants, and sets outcome and info
  void (*solve)(struct limpet_contact_space *space);
  // bytes that `solve` finds in space->memory
  size_t (*memory_size)(int contacts, int rows, int velocities);
  bool dense;  // `solve` needs A itself
  // impulses are forces over the step, and act with the other forces: impulse.c of step
  bool force;
} limpet_impulsive_model;

// --------------------------------------------------------------------------------- all and several

// The descriptor of a model's family, of which `model` is the head.
const limpet_compliant_model *limpet_compliant_model_of(const limpet_contact_model *model);
const limpet_rigid_model *limpet_rigid_model_of(const limpet_contact_model *model);
const limpet_impulsive_model *limpet_impulsive_model_of(const limpet_contact_model *model);

/* [-]  of friction's bound, below which a contact is said to stick: regularised friction reaches
 * 0.995 of it at ten times eps_s. */
#define LIMPET_STICKING_SHARE 0.99

// slip_speed: eps_s of the constants.
double limpet_contact_model_slip_speed(const limpet_contact_constants *constants,
                                       const double gamma[3]);
// slip_speed: 0, friction is not regularised.
double limpet_contact_model_no_slip_speed(const limpet_contact_constants *constants,
                                          const double gamma[3]);
// sticks: friction below the share LIMPET_STICKING_SHARE of what the normal impulse of the step
// allows.
bool limpet_contact_model_sticks(const limpet_contact_constants *constants, const double gamma[3]);
// energy: 0, contact is rigid.
double limpet_contact_model_no_energy(const limpet_contact_constants *constants, double phi);
// prepare of impulsive models: the speeds at which gaps close and overlaps open, softening.
void limpet_impulse_prepare(limpet_contact_constants *constants,
                            const limpet_contact_settings *settings);

// Parameters that several models have, for their descriptors.
#define LIMPET_PARAMETER_STICTION_SPEED \
  LIMPET_SETTING("stiction_speed", 1e-6, "slip speed below which friction is regularised (v_s)")
#define LIMPET_PARAMETER_FRICTION_REGULARIZATION(value, text) \
  LIMPET_SETTING("friction_regularization", value, text)
#define LIMPET_PARAMETER_NEAR_RIGID_RATIO \
  LIMPET_SETTING(                         \
      "near_rigid_ratio", 0.1,            \
      "period of a near-rigid contact over the time step (beta): k = 4 pi^2/(beta^2 dt^2 w)")
#define LIMPET_PARAMETER_STIFFNESS \
  LIMPET_SETTING("stiffness", NAN, "point stiffness of a geom; infinite: near-rigid")
#define LIMPET_PARAMETER_DISSIPATION \
  LIMPET_SETTING("dissipation", NAN, "Hunt-Crossley dissipation of a geom")
#define LIMPET_PARAMETER_FRICTION LIMPET_SETTING("friction", NAN, "Coulomb coefficient of a geom")
#define LIMPET_PARAMETER_RESTITUTION \
  LIMPET_SETTING("restitution", NAN, \
                 "Newton's coefficient of restitution of a geom; the larger of two counts")
#define LIMPET_PARAMETER_ERROR_REDUCTION \
  LIMPET_SETTING("error_reduction", NAN, "share of an overlap that is taken back in a step")
#define LIMPET_PARAMETER_SOFTENING \
  LIMPET_SETTING("softening", NAN, "regularisation of a contact's impulses over its diagonal of A")

#endif

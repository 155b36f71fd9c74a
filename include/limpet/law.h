/* limpet/law.h: contact models and normal laws, as tables that describe themselves. Floor 4. */
#ifndef LIMPET_LAW_H
#define LIMPET_LAW_H

#include "limpet/data.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limpet_contact_model limpet_contact_model;  // src/law/contact_model.h

// What a contact model is. Impulsive ones belong to the scheme `impulse` and to no other.
typedef enum limpet_contact_family {
  LIMPET_CONTACT_COMPLIANT,  // a convex cost of the velocity at each contact
  LIMPET_CONTACT_RIGID,      // rows that bound that velocity: a quadratic or cone programme
  LIMPET_CONTACT_IMPULSIVE   // a method that finds the impulses of all contacts itself
} limpet_contact_family;

// Tables, ended by NULL; and look-up by name, NULL if there is none.
LIMPET_API const limpet_contact_model *const *limpet_contact_models(void);
LIMPET_API const limpet_contact_model *limpet_contact_model_find(const char *name);
LIMPET_API const limpet_descriptor *limpet_contact_model_descriptor(
    const limpet_contact_model *model);
LIMPET_API limpet_contact_family limpet_contact_model_family(const limpet_contact_model *model);
LIMPET_API const char *limpet_contact_family_name(limpet_contact_family family);

// What a material may ask of a contact besides friction against slip.
typedef enum limpet_contact_effect {
  LIMPET_EFFECT_TORSION,      // friction against turning about the normal
  LIMPET_EFFECT_ROLLING,      // friction against rolling
  LIMPET_EFFECT_RESTITUTION,  // impacts rebound
  LIMPET_EFFECT_COUNT
} limpet_contact_effect;

// Whether the model has it; one that has not ignores what materials say of it.
LIMPET_API bool limpet_contact_model_has(const limpet_contact_model *model,
                                         limpet_contact_effect effect);

// ------------------------------------------------------------------------------ normal laws

enum { LIMPET_NORMAL_PARAMETERS = 4 };  // that a normal law may have at most

// One contact during a step, as a normal law sees it.
typedef struct limpet_normal_point {
  double dt;                // [s]  length of the step
  double distance;          // [m]  phi0 at its start, negative inside
  double elastic_force;     // [N]  -k phi0
  double stiffness;         // [N/m]  k of the two geoms
  double dissipation;       // [s/m]  d, Hunt-Crossley
  double relaxation_time;   // [s]  tau_d, Kelvin-Voigt
  const double *parameter;  // (LIMPET_NORMAL_PARAMETERS)  in the order of the descriptor
} limpet_normal_point;

/* A normal law: the normal impulse n [N s] of one contact as a function of the normal velocity v
 * [m/s] at the end of the step, v > 0 separating; the distance is then phi0 + dt v. Contact models
 * Lagged and Similar take any law for which
 *   n(v) >= 0,  n'(v) <= 0 everywhere: then the step is convex
 *   N(v) is an antiderivative of n, its constant free
 * A law of your own: a constant of this type whose functions are thread-safe, given to
 * limpet_step_settings.normal_law. Data of its own can follow the struct, as the functions receive
 * its address. Equation (6) of Castro, Han, Masterjohn, Irrotational Contact Fields: n(v) = dt
 * f_n(phi0 + dt v, v). */
typedef struct limpet_normal_law limpet_normal_law;
struct limpet_normal_law {
  limpet_descriptor descriptor;  // its parameters are read from settings.normal_parameter
  /* Returns n(v); -n'(v) >= 0 into *curvature, N(v) into *integral unless that is NULL. Where v is
   * not admissible (a barrier has been crossed): n and curvature INFINITY, N -INFINITY; v = 0 must
   * be admissible. */
  double (*impulse)(const limpet_normal_law *law, const limpet_normal_point *point, double v,
                    double *curvature, double *integral);
  // elastic energy [J] stored at the distance phi [m]; NULL: reported as zero
  double (*energy)(const limpet_normal_law *law, const limpet_normal_point *point, double phi);
  /* -n'(v)/(dt^2 k) of a touching contact, 1 for a spring alone: near-rigid contacts, as stiff as
   * the step resolves, divide their stiffness by it; NULL: 1 */
  double (*stiffening)(const limpet_normal_law *law, const limpet_normal_point *point);
  // The force is stiffness times depth, times what depends on v alone. Points of contact surfaces
  // follow such laws; to others they prefer Hunt-Crossley.
  bool linear;
  // distance [m] at which the force begins; NULL: at touch
  double (*range)(const limpet_normal_law *law, const double *parameter);
};

// Table, ended by NULL; and look-up by name, NULL if there is none.
LIMPET_API const limpet_normal_law *const *limpet_normal_laws(void);
LIMPET_API const limpet_normal_law *limpet_normal_law_find(const char *name);
// The law that a contact model has built in, or NULL where it takes that of the settings.
LIMPET_API const limpet_normal_law *limpet_contact_model_normal_law(
    const limpet_contact_model *model);

#ifdef __cplusplus
}
#endif
#endif

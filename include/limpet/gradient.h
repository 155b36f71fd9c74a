/* limpet/gradient.h: derivatives of one step with respect to its state, its inputs and its
 * contacts, for the schemes `quasi-dynamic` and `discrete`. Floor 8. docs/gradients.md explains.
 *
 * Rigid contact, models `anitescu` and `anitescu-cone`. A step solves
 *   minimise 1/2 x'Qx + c'x   subject to   G x + h in K,   x = (v, ..),   q1 = q0 (+) dt v
 * The implicit function theorem gives dv from dQ, dc, dG, dh along every parameter. The contacts
 * are those of the step, each with its features.
 *
 * Compliant contact, models `coulomb`, `lagged`, `similar`, `sap`. A step solves
 *   r = A (v - v*) - J'gamma(v) = 0,   dv = -H^-1 dr,   H = dr/dv
 * There are derivatives with respect to state, forces, controls and stiffness. H of `coulomb` holds
 * the coupling of friction to the normal impulse of the same step; the bounds of `lagged` change
 * with the state at the start, as the model has them. The derivatives with respect to contacts take
 * the law of a contact, and where it acts, with all other contacts held.
 *
 * Coordinates. A pose changes by a displacement d (nv) in velocity coordinates: q moves to
 * limpet_integrate_position(q, d, 1). Units are m and rad; rotations of free and ball joints are in
 * axes of the child.
 *
 * Accuracy. Derivatives with respect to forces, stiffness and contacts are exact to the round-off
 * of the solver (cones: 1e-7). The change of Q, c, G, h with q and v comes from differences of
 * fourth order in a second world, over 20 times settings.difference or as much as moves a pose by
 * that, and that with controls from central ones of that half width, with contact points from the
 * shapes' own functions. Where geometry is smooth its relative error is about 1e-9. Of compliant
 * contact what has no closed form comes from the same differences, and the law of each contact is
 * differentiated on its own scale: relative error 1e-9 or so, near-rigid contacts that are 1e-8 m
 * deep included. Columns of the pose that the round-off of the forces of deep contacts reaches have
 * an infinite kink.
 *
 * Kinks. A step is piecewise smooth: contacts open and close, stick and slide. Where the set of
 * active rows changes, the derivative is that of one piece: rows that can carry a force stay
 * closed, and rows that touch without one are open. gradient.kink says along which parameters the
 * two sides differ. */
#ifndef LIMPET_GRADIENT_H
#define LIMPET_GRADIENT_H

#include "limpet/gradient_jump.h"
#include "limpet/gradient_smoothing.h"
#include "limpet/step.h"

#ifdef __cplusplus
extern "C" {
#endif

// The comment of each field ends with its default.
typedef struct limpet_gradient_settings {
  double difference;  // [m, rad, m/s, rad/s, control]  half width of differences; 1e-6
  double kink_speed;  // [m/s, rad/s]  compliant contacts nearer to closing are at a kink; 1e-9
  bool state;         // with respect to q and v; true
  bool inputs;        // with respect to forces, controls, stiffness; true
  bool contacts;      // with respect to contacts; true
  bool jacobians;     // fill dq and dv; false: only limpet_gradient_adjoint is wanted; true
  // all columns of the state by differences of whole assemblies, as a check of closed forms; false
  bool differences;
  /* [m, rad, m/s, rad/s]  how far from its start to look for jumps of the step, by steps of another
   * world along so many directions: 1e-9 takes about 10 steps; 0: not at all; 0 and 2 */
  double jump_width;
  int jump_directions;
  // of the derivatives, not of the step; those by contacts are left out then; none
  limpet_gradient_smoothing smoothing;
} limpet_gradient_settings;

LIMPET_API limpet_gradient_settings limpet_gradient_settings_default(void);

/* Derivatives of `rows` numbers, row-major, by what they are taken with respect to. NULL where
 * settings leave it out; contacts in the order of data->contact_*. Contact frames: rows t1, t2, n
 * of data->contact_frame. */
typedef struct limpet_gradient_arrays {
  double *q;        // (rows x nv)  [per m, rad]  pose at the start of the step
  double *v;        // (rows x nv)  [per m/s, rad/s]  velocity at its start; 0 if from rest
  double *force;    // (rows x nv)  [per N, N m]  data->applied_force
  double *control;  // (rows x nu)  [per unit of the control]  at the end of its range: from inside
  // (rows x nu)  [per N/m, N m/rad]  kp of position servos that the scheme has in its matrix
  // (quasi-dynamic: of joints, and of tendons in one tree), gain in proportion; else NAN
  double *stiffness;
  double *friction;  // (rows x contact_count)  [per 1]  data->contact_friction; none: 0
  // (rows x contact_count)  [per m]  torsional friction length; none: 0; of compliant contact NAN
  double *torsion;
  double *distance;  // (rows x contact_count)  [per m]  data->contact_distance, all else held
  // Of compliant contact whose normal law is Hunt-Crossley, or of `sap`; else NAN, and so are all
  // columns of contacts with friction against turning.
  double *contact_stiffness;  // (rows x contact_count)  [per N/m]
  double *dissipation;        // (rows x contact_count)  [per s/m]
  double *relaxation_time;    // (rows x contact_count)  [per s]
  // (rows x contact_count)  [per m/s]  normal speed at the start of the step, of laws that lag
  double *start_speed;
  double *point;  // (rows x 3 contact_count)  [per m]  point along t1, t2, n, same distance
  // (rows x 3 contact_count)  [per rad]  contact frame turned about t1, t2, n; point and distance
  // held
  double *turn;
} limpet_gradient_arrays;

typedef struct limpet_gradient_workspace limpet_gradient_workspace;

// Results of the last limpet_gradient_step; the arrays move with every call.
typedef struct limpet_gradient {
  int contact_count;
  limpet_gradient_arrays dq;  // (nv rows)  pose after the step; with settings.jacobians
  limpet_gradient_arrays dv;  // (nv rows)  of the velocity after the step; with settings.jacobians
  // (1 row)  [m/s, rad/s per unit]  rate at which rows that touch without a force leave zero along
  // this parameter; then the two sides differ. 0: the step is smooth. Infinite for a control at an
  // end of its range, too: its column is that from inside. With dq
  limpet_gradient_arrays kink;
  limpet_gradient_arrays adjoint;  // (1 row)  limpet_gradient_adjoint
  const char *reason;  // why there are no derivatives, and the arrays are NULL; else NULL
  int weak_count;  // rows that touch without a force: the step has a kink here, along forces too
  // rows in the span of others (one of every contact that sticks; corners of a box): no kink along
  // forces; `kink` says along what else
  int dependent_count;
  // contacts with a force whose feature a difference lost: their points moved with the bodies to
  // first order, the normal held. `kink` is infinite then along pose and velocity, but for contact
  // surfaces; of rigid contact along the poses and velocities that lose it
  int carried_count;
  // coordinates of vertices of deformable bodies along which the slopes of both sides differ
  int vertex_kink_count;
  /* Of soft laws that are not linear in a step, which is solved in rounds (info.elastic_rounds)
   * until info.elastic_residual is within settings.tolerance. These are derivatives of what rounds
   * come to; those of the step itself, as its rounds left it, differ by a share of this order: the
   * root of the residual [-]. 0: no such laws */
  double elastic_scatter;
  /* [-]  how near a residual came to the tolerance, |ln(residual/tolerance)|, of all rounds: where
   * it crosses it, the step takes another number of rounds, and jumps. INFINITY: no such laws */
  double elastic_margin;
  // (contact_count) [m/s]  of compliant contact: change of the contact's normal speed at which its
  // force would end, or begin, by its tangent; NULL: rigid contact
  double *contact_margin;
  /* The step is no solution of smooth equations near it: it ended with a shifted problem whose gap
   * is not closed to round-off (solve/coulomb_shift.c) or, of rigid contact, with an interior point
   * that does not show which rows are tight, took a second look, whose gaps depend on
   * the attempt before, or weakened what starts far inside (info.restrained_returns); or a
   * jump of the step is near, with settings.jump_width, or elastic_margin is below 0.4, a factor of
   * 1.5. `kink` is infinite in every column.
   * Besides, from the first product on whose rounds did not settle (soft laws that are not linear).
   */
  bool approximate;
  limpet_gradient_jump jump;  // the nearest one, with settings.jump_width
  /* (nv)  of compliant contact: whether the columns of pose and velocity of a velocity came from
   * differences of the whole assembly, its tree having something without a closed form: relative
   * error 1e-8 or so; NULL: rigid contact, all do */
  const bool *by_differences;
  int arena_growth;  // times that memory had to grow, since create
  limpet_gradient_workspace *workspace;
} limpet_gradient;

/* NULL when there is no memory. The model must outlive it. One for each thread. Memory grows with
 * the contacts that are met; a steady sequence of calls allocates nothing. */
LIMPET_API limpet_gradient *limpet_gradient_create(const limpet_model *model);
LIMPET_API void limpet_gradient_destroy(limpet_gradient *gradient);

/* limpet_step, and its derivatives: data moves on by one step, and `gradient` is filled. Returns
 * the outcome of the step; there are derivatives where it is solved, or as nearly as doubles come
 * to it (precision limit), and gradient->reason is NULL. */
LIMPET_API limpet_outcome limpet_gradient_step(const limpet_model *model, limpet_data *data,
                                               const limpet_step_settings *settings,
                                               const limpet_gradient_settings *gradient_settings,
                                               limpet_gradient *gradient);

/* The gradient of a function of the step's results whose gradient with respect to the pose after
 * the step is `weight_q` (nv, velocity coordinates; NULL: 0) and with respect to the velocity
 * `weight_v` (nv; NULL: 0): fills gradient->adjoint, one solve for each island. After
 * limpet_gradient_step and before the next step of its data. Returns false, and fills nothing,
 * where there are no derivatives or data has moved on. */
LIMPET_API bool limpet_gradient_adjoint(limpet_gradient *gradient, const double *weight_q,
                                        const double *weight_v);

#ifdef __cplusplus
}
#endif
#endif

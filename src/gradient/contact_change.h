/* gradient/contact_change.h: how the residual of a step changes with the constants and the geometry
 * of one contact. */
#ifndef LIMPET_GRADIENT_CONTACT_CHANGE_H
#define LIMPET_GRADIENT_CONTACT_CHANGE_H

#include "gradient/residual.h"

typedef enum limpet_contact_parameter {
  LIMPET_CHANGE_FRICTION,
  LIMPET_CHANGE_TORSION,
  LIMPET_CHANGE_DISTANCE,
  LIMPET_CHANGE_STIFFNESS,  // this one and the next three: compliant contact only
  LIMPET_CHANGE_DISSIPATION,
  LIMPET_CHANGE_RELAXATION_TIME,
  LIMPET_CHANGE_START_SPEED,
  LIMPET_CHANGE_POINT,  // three: along t1, t2, n
  LIMPET_CHANGE_TURN,   // three: about t1, t2, n
  LIMPET_CHANGE_PARAMETERS
} limpet_contact_parameter;

// One contact of the step's problem, at its solution.
typedef struct limpet_contact_view {
  const limpet_island_programme *programme;
  const limpet_patch *patch;
  const limpet_contact_constants *constants;
  int row, row_count;    // in the programme
  const double *rows;    // (row_count x 4)
  const double *W;       // (3 x 6)
  double return_speed;   // [m/s]  of the step's settings
  double r[3];           // [m]  from the patch's point to the contact
  double frame[9];       // unit axes t1, t2, n
  double V[6];           // [rad/s, m/s]  of B relative to A at the patch's point
  double u[4];           // [m/s, rad/s]  (v_t1, v_t2, v_n, w_n), bias included
  double dual[4];        // [N s, N m s]
  const double *lambda;  // (row_count)
} limpet_contact_view;

// `patch` and `contact` of the problem, in `island`.
void limpet_contact_view_make(const limpet_residual *residual, int island,
                              const limpet_patch *patch, int contact, double return_speed,
                              limpet_contact_view *view);

/* Changes of r (n) and of switch speeds (weak_count) of compliant contact per unit of the
 * parameter, into `change`, zero on entry. False: the contact has no such parameter, or no closed
 * form. */
bool limpet_smooth_contact_change(const limpet_smooth_island *smooth, const limpet_patch *patch,
                                  int contact, limpet_contact_parameter parameter, int axis,
                                  double *change);

/* Changes of r (n) and s (rows) of the island's programme per unit of the parameter; both are zero
 * on entry. `axis`: 0, or of the three. */
void limpet_contact_change(const limpet_contact_view *view, limpet_contact_parameter parameter,
                           int axis, double *r, double *s);

#endif

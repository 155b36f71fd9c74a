/* gradient/law_view.h: one contact of a patch at the solution, and how its law changes. Parts of
 * patch_law.h. */
#ifndef LIMPET_GRADIENT_LAW_VIEW_H
#define LIMPET_GRADIENT_LAW_VIEW_H

#include "gradient/patch_law.h"

// The columns of a law at one contact: change of gamma per unit.
typedef struct limpet_law_columns {
  double v[3][3];       // by the velocity
  double distance[3];   // by phi, elastic force -k phi
  double bend[3];       // by phi of curved paths
  double stiffness[3];  // by k
  double speed[3];      // by v_n0
  double friction[3];
  double w[3];  // by w where k is held
} limpet_law_columns;

// One contact at the solution, and what its law does.
typedef struct limpet_law_view {
  const limpet_island_solver *s;
  const limpet_contact_record *record;
  const limpet_contact_pair *pair;
  const limpet_contact_constants *c;
  const double *W, *gamma, *v, *frame;  // frame: rows t1, t2, n
  const limpet_shear *shear;            // of a surface; else zero; NULL: none is kept
  double r[3], f[3], u[3], moving[3];   // moving: u + bias
  double u0[3], b[3];                   // V0, b at the contact
  double phi;                           // before paths bend it
  double slip[3], slip_speed;           // direction of slip at the start of the step
  double friction_by_slip, friction_by_force, friction_by_w;
  double stiffness_by_phi, dissipation_by_phi;  // of an impedance
  limpet_law_columns law;
} limpet_law_view;

// A contact of the step's problem. law: V, V0, b of its patch.
void limpet_law_view_make(const limpet_probe *probe, int island, int contact,
                          const limpet_patch_law *law, limpet_law_view *view);
// Its slopes: of a contact that carries.
void limpet_law_view_slopes(limpet_law_view *view);
// dgamma (3) by changes of the constants and of the velocity.
void limpet_law_along(const limpet_law_view *view, const limpet_contact_constants *dc,
                      const double dv[3], double dgamma[3]);
// dgamma (3 x 3) by the acting point and by turns of the frame, the gap held.
typedef struct limpet_law_frame {
  double by_point[9], by_turn[9];
} limpet_law_frame;
void limpet_law_frame_make(const limpet_law_view *view, const limpet_patch_law *law,
                           limpet_law_frame *frame);
// dgamma (3) by one twist of B.
void limpet_law_by_twist(const limpet_law_view *view, const limpet_law_frame *frame,
                         const limpet_point_change *change, double dgamma[3]);
// Change of the frame's components of a vector that stays: (turn x e) . x
double limpet_law_turned(const double turn[3], const double e[3], const double x[3]);
// K += W' G W, G (3 x 3) row-major.
void limpet_law_add_congruence(const double W[18], const double G[9], double K[36]);
// y += share W' gamma
void limpet_law_push(const limpet_law_view *view, double share, const double gamma[3], double y[6]);

#endif

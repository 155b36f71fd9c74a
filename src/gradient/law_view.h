/* gradient/law_view.h: one contact of a patch at the solution, and how its law changes. Parts of
 * patch_law.h.
 *
 * A contact's impulse depends on its velocity along three axes, on its gap, ... Each of these is a
 * row: what it does to the wrench of the patch, and how it changes itself. All rows of a patch
 * become its matrices by one product:  dF = sum of push (change . [xi; dV; db; dV0]) */
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
  // whether friction follows the normal impulse n, and all but slip changes n alone: dgamma = along
  // dn, and one row has all of it
  bool follows;
  double along[3];
} limpet_law_view;

// A contact of the step's problem. law: V, V0, b of its patch.
void limpet_law_view_make(const limpet_probe *probe, int island, int contact,
                          const limpet_patch_law *law, limpet_law_view *view);
// Its slopes: of a contact that carries.
void limpet_law_view_slopes(limpet_law_view *view);
// Of one thing that wrenches depend on.
typedef struct limpet_law_row {
  double less[6];  // -push
  double change[LIMPET_LAW_WIDTH];
} limpet_law_row;

typedef struct limpet_law_rows {
  int count, weight_count;
  limpet_law_row *normal;     // of the normal impulse of the last contact; where it `follows`
  limpet_law_row *row;        // (LIMPET_LAW_ROWS a contact, and one a spin)
  limpet_law_weight *weight;  // (LIMPET_LAW_WEIGHTS a contact, and one a spin)
} limpet_law_rows;

enum { LIMPET_LAW_ROWS = 11, LIMPET_LAW_WEIGHTS = 2 };

// limpet_point_change of one contact along the six twists.
typedef struct limpet_twist_rows {
  double point[3][6], turn[3][6], distance[6];
} limpet_twist_rows;

void limpet_twist_rows_make(const limpet_point_change change[6], limpet_twist_rows *twists);
// A row of zeros that does push (6) to the wrench.
limpet_law_row *limpet_law_row_add(limpet_law_rows *rows, const double push[6]);
// row += a . turn + b . point
void limpet_law_row_by_twist(const limpet_twist_rows *twists, const double a[3], const double b[3],
                             limpet_law_row *row);
/* All rows of a contact but those of its Delassus estimate. law: V, V0, b of its patch, and whether
 * V0 matters. by_n (3): torque of friction against turning by the normal impulse. */
void limpet_law_view_rows(const limpet_law_view *view, const limpet_point_change change[6],
                          const limpet_twist_rows *twists, const double by_n[3],
                          limpet_patch_law *law, limpet_law_rows *rows);
/* Whether static friction bends: a contact that slips no faster than kink_speed [m/s] at the start
 * of the step, whose force follows its coefficient. */
bool limpet_law_view_bends(const limpet_law_view *view, double kink_speed);
// row: of the slip at the start of the step along a tangent, 0 or 1. law: V0, b of its patch.
void limpet_law_view_slip(const limpet_law_view *view, const limpet_twist_rows *twists,
                          const limpet_patch_law *law, int axis, limpet_law_row *row);
// Change of the frame's components of a vector that stays: (turn x e) . x
double limpet_law_turned(const double turn[3], const double e[3], const double x[3]);
// y += share W' gamma
void limpet_law_push(const limpet_law_view *view, double share, const double gamma[3], double y[6]);

#endif

/* gradient/patch_view.h: a patch of the step at its solution: the ways to its two bodies, and its
 * law. Columns (patch_columns.h) and products (contact_sweep.h) read it. */
#ifndef LIMPET_GRADIENT_PATCH_VIEW_H
#define LIMPET_GRADIENT_PATCH_VIEW_H

#include "gradient/body_path.h"
#include "gradient/column_writer.h"
#include "gradient/patch_law.h"

enum { LIMPET_SIDE_A = 0, LIMPET_SIDE_B = 1, LIMPET_SIDES = 2 };

// Signs of the bodies in B relative to A.
static const double limpet_patch_signs[LIMPET_SIDES] = {-1.0, 1.0};

// Of a body, about its tree's origin, W.
typedef struct limpet_body_motion {
  double V[6], V0[6], A[6];  // solution, start; acceleration at constant velocities
  double D[36];              // sum of C W' over its path: the Delassus estimate of a side
} limpet_body_motion;

typedef struct limpet_patch_view {
  const limpet_column_writer *w;
  int island;
  const limpet_patch *patch;
  int unit[LIMPET_SIDES];  // rigid units
  // where there are motions: no steps, and a count other than 0 where the body moves
  limpet_body_path path[LIMPET_SIDES];
  int meets;  // where there are motions: last body on both paths; LIMPET_NONE: there is none
  bool curved;
  const limpet_point_change *point;  // (contacts of the patch x 6)  by the six twists
  double D[36];                      // Delassus estimate, about the patch's point
  limpet_patch_law law;              // last: what of it is large is set where it is wanted
} limpet_patch_view;

// The rigid units of a patch.
void limpet_patch_units(const limpet_column_writer *w, const limpet_patch *patch,
                        int unit[LIMPET_SIDES]);
// Whether a contact of the patch pulls, or stands at a switch: others change nothing.
bool limpet_patch_view_matters(const limpet_column_writer *w, int island,
                               const limpet_patch *patch);
// Whether a law reads a Delassus estimate: of contacts (stiffness that the step chose,
// regularisation, stiction that load lifts) or of friction against turning.
bool limpet_contacts_weigh(const limpet_probe *probe);
/* motion (body_count): of the bodies in contact, from which the view is made without steps of
 * paths; NULL: it has them. weighs: a law reads Delassus estimates; else D is zero. Memory from the
 * writer's arena stays. LIMPET_OK or LIMPET_ERROR_MEMORY.
 */
limpet_status limpet_patch_view_make(const limpet_column_writer *w, int island,
                                     const limpet_patch *patch, const limpet_body_motion *motion,
                                     bool weighs, limpet_patch_view *view);
// The side that curved paths are seen from, the slower one: curved_path.c.
int limpet_patch_view_slower(const limpet_patch_view *view);
// Velocity [m/s] of a body's origin, which is `arm` from the patch's point P.
void limpet_patch_view_origin(const limpet_body_path *path, const double P[3], double arm[3],
                              double velocity[3]);

#endif

/* gradient/patch_view.h: a patch of the step at its solution: the ways to its two bodies, and its
 * law. Columns (patch_columns.h) and products (patch_product.h) read it. */
#ifndef LIMPET_GRADIENT_PATCH_VIEW_H
#define LIMPET_GRADIENT_PATCH_VIEW_H

#include "gradient/body_path.h"
#include "gradient/column_writer.h"
#include "gradient/patch_law.h"

enum { LIMPET_SIDE_A = 0, LIMPET_SIDE_B = 1, LIMPET_SIDES = 2 };

// Signs of the bodies in B relative to A.
static const double limpet_patch_signs[LIMPET_SIDES] = {-1.0, 1.0};

typedef struct limpet_patch_view {
  const limpet_column_writer *w;
  int island;
  const limpet_patch *patch;
  limpet_body_path path[LIMPET_SIDES];
  bool curved;
  limpet_patch_law law;  // last: what of it is large is set where it is wanted
} limpet_patch_view;

// Whether a contact of the patch pulls, or stands at a switch: others change nothing.
bool limpet_patch_view_matters(const limpet_column_writer *w, int island,
                               const limpet_patch *patch);
// Memory from the writer's arena stays. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_patch_view_make(const limpet_column_writer *w, int island,
                                     const limpet_patch *patch, limpet_patch_view *view);
// The side that curved paths are seen from, the slower one: curved_path.c.
int limpet_patch_view_slower(const limpet_patch_view *view);
// Velocity [m/s] of a body's origin, which is `arm` from the patch's point P.
void limpet_patch_view_origin(const limpet_body_path *path, const double P[3], double arm[3],
                              double velocity[3]);

#endif

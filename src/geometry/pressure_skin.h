/* geometry/pressure_skin.h: the triangles of a deforming surface as a rigid pressure field: which
 * triangles there are stays, where they are changes. */
#ifndef LIMPET_GEOMETRY_PRESSURE_SKIN_H
#define LIMPET_GEOMETRY_PRESSURE_SKIN_H

#include "limpet/pressure.h"

typedef struct limpet_pressure_skin limpet_pressure_skin;

/* faces (face_count x 3): into `vertices` (x 3) [m], counter-clockwise from outside, copied. NULL:
 * no memory. */
limpet_pressure_skin *limpet_pressure_skin_create(const int *faces, int face_count,
                                                  const double *vertices);
void limpet_pressure_skin_destroy(limpet_pressure_skin *skin);  // NULL: nothing
// Moves the triangles to the vertices' present places; boxes of the tree follow. O(faces).
void limpet_pressure_skin_move(limpet_pressure_skin *skin, const double *vertices);
// Element k of the field is face k.
const limpet_pressure_field *limpet_pressure_skin_field(const limpet_pressure_skin *skin);

#endif

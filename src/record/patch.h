/* record/patch.h: contact surfaces as polygons with a pressure at each corner, for pictures. */
#ifndef LIMPET_RECORD_PATCH_H
#define LIMPET_RECORD_PATCH_H

#include "limpet/data.h"
#include "limpet/pressure.h"

// All zero: empty, no room.
typedef struct limpet_patches {
  int polygon_count, corner_count;
  int *size;         // (polygon_count)  corners of each polygon
  double *vertex;    // (corner_count x 3)  [m]  W
  double *pressure;  // (corner_count)  [Pa]  of the fields, without what dissipates
  int size_room, vertex_room, pressure_room;
  limpet_pressure_surface *surface;  // that of the pair at hand
} limpet_patches;

/* The surfaces of the pairs that carried in the last step, where the bodies are now. After
 * limpet_kinematics. LIMPET_ERROR_MEMORY: none. */
limpet_status limpet_patches_take(limpet_patches *patches, const limpet_data *data);
void limpet_patches_free(limpet_patches *patches);

#endif

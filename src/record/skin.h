/* record/skin.h: surfaces of deformable bodies in pictures, and paths of spatial tendons: which
 * vertices they have, where those are in a frame, and the stress beside them. */
#ifndef LIMPET_RECORD_SKIN_H
#define LIMPET_RECORD_SKIN_H

#include <jansson.h>

#include "limpet/data.h"
#include "record/byte_stream.h"

enum { LIMPET_SKIN_NUMBERS = 4 };  // of a vertex in a frame: x, y, z [m] W, von Mises stress [Pa]

// All surfaces of a model, one after the other, then all spatial tendons.
typedef struct limpet_skin {
  const limpet_model *model;
  int vertex_count;   // of surfaces and tendons
  int surface_count;  // of surfaces
  int *vertex;        // (surface_count)  into data->vertex_*
  int *begin;         // (deformable_count + 1)  first of a body's
  int *number;        // (model->vertex_count)  place in `vertex`, or -1
  double *stress;     // (most elements)  [Pa]  scratch
  int *shares;        // (surface_count)  scratch
} limpet_skin;

// NULL: no memory. A model without deformable bodies and spatial tendons has a skin without
// vertices.
limpet_skin *limpet_skin_create(const limpet_model *model);
void limpet_skin_destroy(limpet_skin *skin);  // NULL: nothing
// numbers (vertex_count x LIMPET_SKIN_NUMBERS) of the present state and poses.
void limpet_skin_take(limpet_skin *skin, const limpet_data *data, float *numbers);
/* [{"geom", "begin", "count", "faces", "segments", "radius"}]: faces and segments index the entry's
 * own vertices; "tendon" in place of a geom, which is -1, for tendons. docs/replay.md. */
json_t *limpet_skin_encode(const limpet_skin *skin, limpet_byte_stream *stream);

#endif

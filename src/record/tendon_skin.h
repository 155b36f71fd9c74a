/* record/tendon_skin.h: spatial tendons in pictures: chains of points along their paths. A piece
 * from site to site has as many points in every frame, whether it lies on a geom or not, so that
 * frames are of one size and a picture between two frames can be drawn. */
#ifndef LIMPET_RECORD_TENDON_SKIN_H
#define LIMPET_RECORD_TENDON_SKIN_H

#include <jansson.h>

#include "limpet/data.h"
#include "record/byte_stream.h"

// Points of a tendon; 0: it is a fixed one, without a path.
int limpet_tendon_skin_vertices(const limpet_model *model, int tendon);
// numbers (vertices x LIMPET_SKIN_NUMBERS), see skin.h: places, and no stress. After the poses.
void limpet_tendon_skin_take(const limpet_model *model, const limpet_data *data, int tendon,
                             float *numbers);
// The entry of a tendon among the skins (docs/replay.md), whose vertices begin at `begin`.
json_t *limpet_tendon_skin_encode(const limpet_model *model, int tendon, int begin,
                                  limpet_byte_stream *stream);

#endif

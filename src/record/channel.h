/* record/channel.h: numbers of a run by name, one each a frame: joints, controls, actuators,
 * sensors, and what a program adds of its own. */
#ifndef LIMPET_RECORD_CHANNEL_H
#define LIMPET_RECORD_CHANNEL_H

#include <jansson.h>

#include "limpet/data.h"
#include "limpet/record.h"

enum { LIMPET_CHANNEL_LIMIT = 512 };  // of a run; those beyond are counted and left out

typedef struct limpet_channel limpet_channel;

typedef struct limpet_channels {
  const limpet_model *model;  // outlives this
  int count, left_out;
  limpet_channel *channel;  // (count)
  int capacity;
  limpet_replay_custom custom;  // names are not used after create
  double *custom_value;         // (custom.count)  scratch
} limpet_channels;

// `custom` may be NULL. NULL: no memory.
limpet_channels *limpet_channels_create(const limpet_model *model,
                                        const limpet_replay_custom *custom);
void limpet_channels_destroy(limpet_channels *channels);  // NULL: nothing
// values (count) of the last step.
void limpet_channels_take(limpet_channels *channels, const limpet_data *data, float *values);
// [{"name", "kind", "unit"}]: docs/replay.md.
json_t *limpet_channels_encode(const limpet_channels *channels);

#endif

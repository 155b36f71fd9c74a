/* record/live_sink.h: the sink that sends frames to pages as they come.
 *
 * A message is [kind u32][length u32][JSON of that length, which ends in blanks so that what
 * follows lies at a multiple of 8][binary arrays]. The first message is the scene, each further one
 * a run of one frame, both encoded as in a replay file, and the state of the simulation. */
#ifndef LIMPET_RECORD_LIVE_SINK_H
#define LIMPET_RECORD_LIVE_SINK_H

#include <jansson.h>

#include "record/frame_store.h"
#include "record/sink.h"
#include "record/web.h"

typedef struct limpet_message {  // bytes that grow; all zero: empty
  unsigned char *bytes;
  int size, capacity;
  bool failed;  // no memory
} limpet_message;

typedef struct limpet_live_sink {
  limpet_sink sink;
  limpet_web *web;                  // NULL: not served yet; frames wait in `frame`
  json_t *(*state)(void *context);  // of the simulation, for the next message
  void *context;
  limpet_run_facts facts;
  limpet_frame_store store;  // the frame that is sent
  limpet_message hello, frame;
  double due;    // [s]  wall time before which no frame is wanted
  bool wanted;   // something changed that a paused world would not show
  int arrivals;  // pages that have come
} limpet_live_sink;

void limpet_live_sink_open(limpet_live_sink *sink, json_t *(*state)(void *context), void *context);
void limpet_live_sink_close(limpet_live_sink *sink);
limpet_web_bytes limpet_message_bytes(const limpet_message *message);

// Wall time [s] of a clock that only goes on.
double limpet_wall_clock(void);

#endif

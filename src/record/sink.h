/* record/sink.h: who takes frames: a file, a socket, a test.
 *
 * A sink is the first member of a struct of its own and gets the calls in this order: `begin` once,
 * then for each step `wants`, and `take` if it wants the frame, then `end` once. What it is handed
 * lives until the call returns, but the scene, which lives until `end`: a sink copies what it
 * keeps. A sink that fails is asked for nothing more but its `end`. */
#ifndef LIMPET_RECORD_SINK_H
#define LIMPET_RECORD_SINK_H

#include "record/frame.h"

typedef struct limpet_sink limpet_sink;

struct limpet_sink {
  limpet_status (*begin)(limpet_sink *sink, const limpet_scene *scene,
                         const limpet_run_facts *facts, limpet_error *error);
  // Whether it takes a frame at `time` [s]; frames that nobody wants are not made.
  bool (*wants)(const limpet_sink *sink, double time);
  limpet_status (*take)(limpet_sink *sink, const limpet_frame *frame, limpet_error *error);
  // No frame follows: what was held back goes out, what was opened is closed.
  limpet_status (*end)(limpet_sink *sink, limpet_error *error);
};

#endif

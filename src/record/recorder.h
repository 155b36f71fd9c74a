/* record/recorder.h: makes frames of a run and hands them to sinks. */
#ifndef LIMPET_RECORD_RECORDER_H
#define LIMPET_RECORD_RECORDER_H

#include "record/sink.h"

enum { LIMPET_RECORDER_SINK_LIMIT = 4 };  // a file, a live view and two more

typedef struct limpet_recorder limpet_recorder;

// NULL when there is no memory. `model` outlives the recorder; `title`, `settings`
// and `custom` may be NULL.
limpet_recorder *limpet_recorder_create(const limpet_model *model, const char *title,
                                        const limpet_step_settings *settings,
                                        const limpet_replay_custom *custom);
// Before the first append. The sink outlives the recorder.
void limpet_recorder_add(limpet_recorder *recorder, limpet_sink *sink);
/* Call after every step, and before the first one for a frame of the start. The first call begins
 * the sinks. If a sink wants a frame, the kinematics run and it is made once for all of them. All
 * sinks are served; if one fails in this call, its status and text are the result, and the others
 * go on in the calls to come. */
limpet_status limpet_recorder_append(limpet_recorder *recorder, limpet_data *data,
                                     limpet_error *error);
// Ends the sinks that have begun; once. The first failure is the result.
limpet_status limpet_recorder_end(limpet_recorder *recorder, limpet_error *error);
// Ends first, if that was not done.
void limpet_recorder_destroy(limpet_recorder *recorder);

#endif

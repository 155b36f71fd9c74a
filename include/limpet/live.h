/* limpet/live.h: a world that is watched in a browser while it is simulated. Floor 10.
 *
 * A live view serves one page and its frames at an address of this machine alone (127.0.0.1), which
 * holds a random token. Whoever does not know the token, or asks from a page of another origin, is
 * refused. A slow browser gets fewer frames, the newest; a vanished one none. Neither slows the
 * simulation. docs/live.md describes the page. */
#ifndef LIMPET_LIVE_H
#define LIMPET_LIVE_H

#include "limpet/step.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limpet_live limpet_live;

typedef struct limpet_live_options {
  const char *title;  // NULL: the model's name
  int port;           // 0: one that is free
  bool paused;        // until someone plays; false
  double speed;       // [-]  simulated time over wall time; 1
  /* Called before each step of limpet_live_run, to set its inputs; may be NULL. What people do in
   * the page comes after it. */
  void (*before_step)(void *context, limpet_data *data);
  void *context;
} limpet_live_options;

LIMPET_API limpet_live_options limpet_live_options_default(void);

// Whether the library was built with the viewer and with a web server.
LIMPET_API bool limpet_live_available(void);

/* Begins to serve. `data` outlives the view; its state now is that of a reset. NULL on failure;
 * LIMPET_ERROR_UNSUPPORTED without viewer or web server. */
LIMPET_API limpet_live *limpet_live_create(const limpet_model *model, limpet_data *data,
                                           const limpet_step_settings *settings,
                                           const limpet_live_options *options, limpet_error *error);
LIMPET_API void limpet_live_destroy(limpet_live *live);

// "http://127.0.0.1:PORT/TOKEN/"
LIMPET_API const char *limpet_live_address(const limpet_live *live);
// How many pages watch.
LIMPET_API int limpet_live_watchers(limpet_live *live);

/* Shows the world as it is, if a frame is due; to be called after every step. A body that someone
 * drags gets its force in data->applied_wrench, for the step to come. Never waits. */
LIMPET_API limpet_status limpet_live_show(limpet_live *live);

/* Simulates for `seconds` of wall time as the page asks: plays at its speed, pauses, steps, resets,
 * drags bodies, sets controls. Sleeps while there is nothing to do. Returns the worst outcome; a
 * step that failed pauses. */
LIMPET_API limpet_outcome limpet_live_run(limpet_live *live, const limpet_step_settings *settings,
                                          double seconds);

#ifdef __cplusplus
}
#endif
#endif

/* record/chromium.h: one page in a headless Chromium, driven by the DevTools protocol: JSON
 * messages, each ended by a zero byte, over the browser's descriptors 3 and 4. */
#ifndef LIMPET_RECORD_CHROMIUM_H
#define LIMPET_RECORD_CHROMIUM_H

#include <jansson.h>

#include "limpet/base.h"
#include "record/process.h"

typedef struct limpet_chromium {
  limpet_process process;
  char folder[64];    // of its profile, removed at the end
  char session[128];  // of the page
  int last;           // number of the last message
  char *buffer;       // what has come
  size_t size, room;  // of it
  // asked while an answer is waited for, several times a second; false: wait no longer; may be NULL
  bool (*go_on)(void *context);
  void *context;  // of go_on
} limpet_chromium;

// LIMPET_OK where there is a browser; otherwise what to install.
limpet_status limpet_chromium_possible(limpet_error *error);
/* Opens an address in a window of width x height pixels; `browser` is zero but for go_on and its
 * context. On failure nothing is left open, and the error says what to install where there is no
 * browser. */
limpet_status limpet_chromium_open(limpet_chromium *browser, const char *address, int width,
                                   int height, limpet_error *error);
void limpet_chromium_close(limpet_chromium *browser);
// Value of a JavaScript expression; NULL where it throws, or the browser has ended.
json_t *limpet_chromium_evaluate(limpet_chromium *browser, const char *expression);
// The window as PNG; free it. NULL: none came.
unsigned char *limpet_chromium_picture(limpet_chromium *browser, size_t *size);

#endif

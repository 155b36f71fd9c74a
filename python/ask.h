/* python/ask.h: asks Python whether to go on, a few times a second. Part of limpet._native.
 *
 * A call of Python waits for its lock, which other threads may keep for 5 ms at a time. What the
 * library asks before every step is therefore passed on once in a while. */
#include <stdbool.h>
#include <time.h>

typedef struct asked {
  bool (*go_on)(void *context);  // of Python
  double interval;               // [s]  between two questions
  double next;                   // [s]  when to ask again, by the monotonic clock
} asked;

static inline double ask_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// The go_on of a request; context: asked.
static inline bool ask(void *context) {
  asked *a = context;
  if (ask_clock() < a->next) return true;
  const bool on = a->go_on(NULL);
  a->next = ask_clock() + a->interval;
  return on;
}

// The same as a limpet_pressure_progress.
static inline bool ask_of_field(void *context, double share) {
  (void)share;
  return ask(context);
}

// The same as a limpet_builder_progress.
static inline bool ask_of_fields(void *context, double done, int count) {
  (void)done;
  (void)count;
  return ask(context);
}

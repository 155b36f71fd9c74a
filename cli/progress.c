/* cli/progress.c: a bar on the terminal: share done, simulated time, real-time factor, time
 * left. */
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "quantity.h"

limpet_progress limpet_progress_begin(double duration, bool quiet) {
  const char *terminal = getenv("TERM");
  limpet_progress progress = {.duration = duration, .begin = limpet_wall_time()};
  progress.shown = !quiet && isatty(STDERR_FILENO) && !(terminal && strcmp(terminal, "dumb") == 0);
  progress.next = progress.begin + 0.1;
  return progress;
}

void limpet_progress_show(limpet_progress *progress, double done) {
  if (!progress->shown) return;
  const double now = limpet_wall_time();
  if (now < progress->next) return;
  progress->next = now + 0.1;

  enum { WIDTH = 30 };
  char bar[WIDTH + 1], total[LIMPET_QUANTITY_TEXT_SIZE], left[LIMPET_QUANTITY_TEXT_SIZE];
  const double elapsed = now - progress->begin,
               share = progress->duration > 0.0 ? done / progress->duration : 1.0;
  for (int i = 0; i < WIDTH; ++i) bar[i] = (double)i < share * WIDTH ? '#' : '.';
  bar[WIDTH] = '\0';
  limpet_quantity_text(total, progress->duration, "s");
  limpet_quantity_text(left, share > 0.0 ? elapsed * (1.0 - share) / share : 0.0, "s");
  fprintf(stderr, "\r[%s] %3.0f %%  ", bar, 100.0 * share);
  if (progress->counted)
    fprintf(stderr, "%.0f of %.0f %s", done, progress->duration, progress->counted);
  else
    fprintf(stderr, "%.2f s of %s, %.3g times real time", done, total,
            elapsed > 0.0 ? done / elapsed : 0.0);
  fprintf(stderr, ", %s left\x1b[K", left);
  fflush(stderr);
}

void limpet_progress_end(const limpet_progress *progress) {
  if (progress->shown) fputs("\r\x1b[K", stderr);
}

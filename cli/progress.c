/* cli/progress.c: a bar on the terminal: share done, simulated time, real-time factor, time
 * left. */
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
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

// Columns of the terminal; 80 where it does not say.
static int width_of_terminal(void) {
  struct winsize size;
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void limpet_progress_show(limpet_progress *progress, double done) {
  if (!progress->shown) return;
  const double now = limpet_wall_time();
  if (now < progress->next) return;
  progress->next = now + 0.1;

  // what follows the bar
  char words[160], total[LIMPET_QUANTITY_TEXT_SIZE], left[LIMPET_QUANTITY_TEXT_SIZE];
  const double elapsed = now - progress->begin,
               share = progress->duration > 0.0 ? done / progress->duration : 1.0;
  limpet_quantity_text(total, progress->duration, "s");
  limpet_quantity_text(left, share > 0.0 ? elapsed * (1.0 - share) / share : 0.0, "s");
  int length = snprintf(words, sizeof words, "%3.0f %%  ", 100.0 * share);
  const size_t room = sizeof words - (size_t)length;
  if (progress->counted)
    length += snprintf(words + length, room, "%.0f of %.0f %s, %s left", done, progress->duration,
                       progress->counted, left);
  else
    length += snprintf(words + length, room, "%.2f s of %s, %.3g times real time, %s left", done,
                       total, elapsed > 0.0 ? done / elapsed : 0.0, left);

  // the bar has what is left of the line: a line that is wrapped could not be drawn over
  enum { WIDTH = 30, LEAST = 4 };
  const int columns = width_of_terminal() - 1, rest = columns - length - (int)strlen("[] ");
  const int width = rest > WIDTH ? WIDTH : rest;
  char bar[WIDTH + 4] = "";
  if (width >= LEAST) {
    bar[0] = '[';
    for (int i = 0; i < width; ++i) bar[1 + i] = (double)i < share * width ? '#' : '.';
    snprintf(bar + 1 + width, sizeof bar - 1 - (size_t)width, "] ");
  }
  fprintf(stderr, "\r%s%.*s\x1b[K", bar, columns, words);
  fflush(stderr);
}

void limpet_progress_end(const limpet_progress *progress) {
  if (progress->shown) fputs("\r\x1b[K", stderr);
}

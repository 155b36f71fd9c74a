/* cli/signals.c: ending a long loop early and in order. */
#include "signals.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t caught;

static void signal_take(int number) { caught = number; }

void limpet_signals_listen(void) {
  struct sigaction action = {.sa_handler = signal_take};
  action.sa_flags = (int)SA_RESETHAND;  // a second one ends the program at once
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);

  // a terminal that closes, unless `nohup` said to go on
  struct sigaction before;
  if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
    sigaction(SIGHUP, &action, NULL);
}

int limpet_signal_caught(void) { return caught; }

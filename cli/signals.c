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
}

int limpet_signal_caught(void) { return caught; }

/* cli/signals.h: ending a long loop early and in order: SIGINT (Ctrl-C) and SIGTERM are noted, the
 * loop looks. */
#ifndef LIMPET_CLI_SIGNALS_H
#define LIMPET_CLI_SIGNALS_H

// From now on the first signal is noted; a second one ends the program at once.
void limpet_signals_listen(void);
// Number of the signal that came, or 0.
int limpet_signal_caught(void);

#endif

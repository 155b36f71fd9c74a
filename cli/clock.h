/* cli/clock.h: wall time. */
#ifndef LIMPET_CLI_CLOCK_H
#define LIMPET_CLI_CLOCK_H

double limpet_wall_time(void);  // [s]  monotonic, from an arbitrary start

#endif

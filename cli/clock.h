/* cli/clock.h: wall and processor time. */
#ifndef LIMPET_CLI_CLOCK_H
#define LIMPET_CLI_CLOCK_H

double limpet_wall_time(void);       // [s]  monotonic, from an arbitrary start
double limpet_processor_time(void);  // [s]  that this process has used, all threads

#endif

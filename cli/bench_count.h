/* cli/bench_count.h: instructions a step, counted by valgrind's callgrind. */
#ifndef LIMPET_CLI_BENCH_COUNT_H
#define LIMPET_CLI_BENCH_COUNT_H

#include <stdbool.h>

// Instructions per step: of the stages of collision, and of all.
typedef struct limpet_bench_count {
  double broad, narrow, assembly, total;
} limpet_bench_count;

/* Runs the scene once more under callgrind. False, with the reason on stderr, where there is no
 * valgrind or it counted nothing. */
bool limpet_bench_count_run(limpet_bench_count *count, const char *scene, int steps);

#endif

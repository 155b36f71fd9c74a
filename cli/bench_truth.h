/* cli/bench_truth.h: `limpet bench truth`: how true friction is where contacts begin, for every
 * contact model, step and coefficient. */
#ifndef LIMPET_CLI_BENCH_TRUTH_H
#define LIMPET_CLI_BENCH_TRUTH_H

#include <jansson.h>
#include <stdbool.h>

// Runs all measurements for the models of a list "a,b,c" (NULL: the default model, similar, sap);
// prints tables, or JSON. Returns the exit code.
int limpet_bench_truth(const char *models, bool json);

#endif

/* benchmarks/bench_flight.c: what free flight costs beside the plain scheme, for the files that are
 * named as arguments.
 *
 * Each figure is the least of 9 batches, the two schemes in turn, so that a machine that others use
 * disturbs both. For counts of instructions:
 *   valgrind --tool=callgrind bench_flight --one plain|flight STEPS FILE */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limpet/format.h"
#include "limpet/step.h"
#include "measure.h"

enum { BATCHES = 9, STEPS = 200 };

// High above everything, turning and with its joints in motion.
static void throw_up(const limpet_model *model, limpet_data *data) {
  limpet_data_reset(model, data);
  for (int j = 0; j < model->joint_count; ++j)
    if (model->joint_kind[j] == LIMPET_JOINT_FREE) data->q[model->joint_q[j] + 2] += 100.0;
  for (int i = 0; i < model->nv; ++i) data->v[i] = 0.5 * sin(1.0 + i);
}

// [s]  a step
static double fly(const limpet_model *model, limpet_data *data, bool plain, int steps) {
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.compatibility.plain_flight = plain;
  throw_up(model, data);
  const double start = now();
  for (int i = 0; i < steps; ++i) limpet_step(model, data, &settings);
  return (now() - start) / steps;
}

static void compare(const char *name, const limpet_model *model) {
  limpet_data *data = limpet_data_create(model);
  if (!data) return;
  double best[2] = {INFINITY, INFINITY};
  for (int batch = 0; batch < BATCHES; ++batch)
    for (int plain = 0; plain < 2; ++plain)
      best[plain] = fmin(best[plain], fly(model, data, plain, STEPS));
  printf("%-40s %8.2f us plain %8.2f us in flight, ratio %.2f\n", name, 1e6 * best[1],
         1e6 * best[0], best[0] / best[1]);
  limpet_data_destroy(data);
}

int main(int argc, char **argv) {
  limpet_error error;
  if (argc == 5 && strcmp(argv[1], "--one") == 0) {
    limpet_model *model = limpet_load(argv[4], NULL, &error);
    limpet_data *data = model ? limpet_data_create(model) : NULL;
    if (data) fly(model, data, strcmp(argv[2], "plain") == 0, atoi(argv[3]));
    limpet_data_destroy(data);
    limpet_model_destroy(model);
    return !data;
  }
  for (int i = 1; i < argc; ++i) {
    limpet_model *model = limpet_load(argv[i], NULL, &error);
    if (!model) return fprintf(stderr, "%s\n", error.message), 1;
    compare(argv[i], model);
    limpet_model_destroy(model);
  }
  return 0;
}

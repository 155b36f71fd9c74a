/* benchmarks/bench_rays.c: what the rays of a model's sensors cost.
 *
 * usage: bench_rays FILE [ROUNDS]
 *
 * Reads all sensors of the model in its first pose, ROUNDS times (default 200) and at least once
 * more to warm up, and prints the processor time of one ray: least and median of the rounds. The
 * model should have no other sensors to speak of. Last line: the sum of the ranges that are met,
 * by which two programs show that they saw the same. rays_mujoco.py makes scenes and prints
 * MuJoCo's times beside these. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "limpet/format.h"
#include "limpet/sense.h"

static double processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_time(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static bool measure(const limpet_model *model, int rounds) {
  limpet_data *data = limpet_data_create(model);
  double *time = malloc((size_t)rounds * sizeof *time), sum = 0.0;
  if (!data || !time) return false;
  for (int r = -1; r < rounds; ++r) {
    const double start = processor_time();
    limpet_sensors_evaluate(model, data);
    if (r >= 0) time[r] = processor_time() - start;
  }
  qsort(time, (size_t)rounds, sizeof *time, by_time);
  int rays = 0, met = 0;
  for (int s = 0; s < model->sensor_count; ++s) {
    if (strcmp(limpet_sensor_kind_descriptor(model->sensor_kind[s])->name, "rangefinder") != 0)
      continue;
    const double *value = data->sensor + model->sensor_address[s];
    for (int i = 0; i < model->sensor_size[s]; ++i) {
      ++rays;
      if (value[i] >= 0.0) ++met, sum += value[i];
    }
  }
  printf("%d rays, %.3f us each (median %.3f), %d hits\n", rays, 1e6 * time[0] / rays,
         1e6 * time[rounds / 2] / rays, met);
  printf("sum of ranges %.15g m\n", sum);
  limpet_data_destroy(data);
  free(time);
  return true;
}

int main(int count, char **argument) {
  if (count < 2) {
    fprintf(stderr, "usage: bench_rays FILE [ROUNDS]\n");
    return 2;
  }
  const int rounds = count > 2 ? atoi(argument[2]) : 200;
  limpet_error error = {0};
  limpet_model *model = limpet_load(argument[1], NULL, &error);
  if (!model || rounds < 1) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  const bool done = measure(model, rounds);
  limpet_model_destroy(model);
  return done ? 0 : 1;
}

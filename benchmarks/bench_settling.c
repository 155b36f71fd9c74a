/* benchmarks/bench_settling.c: how a heap that is dropped comes to rest: overlap, creep, what
 * leaves the bin, steps unsolved.
 *
 *   bench_settling [SECONDS [SCENE]]
 *
 * The scene is pile216.xml of the shared data, 216 cubes of 0.1 m over a bin, for 3 s. A line for
 * each quarter of a second: the deepest overlap at its end and within it; how fast free bodies got
 * away from where they were at its start, mean and fastest; free bodies below the floor or outside
 * the bin; steps unsolved so far and Newton iterations of a step. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "limpet/format.h"
#include "limpet/step.h"
#include "math/vec3.h"

static const double period = 0.25;    // [s]
static const double bin = 0.45;       // [m]  half its inner width
static const double usual_run = 3.0;  // [s]

typedef struct quarter {
  int steps;
  double deepest;     // [m]
  double iterations;  // sum
} quarter;

// Mean and largest way of free bodies since `before` [m]; returns how many are out of the bin.
static int moved(const limpet_model *model, const double *q, const double *before, double *mean,
                 double *most) {
  int bodies = 0, outside = 0;
  *mean = *most = 0.0;
  for (int j = 0; j < model->joint_count; ++j) {
    if (model->joint_kind[j] != LIMPET_JOINT_FREE) continue;
    const double *p = q + model->joint_q[j];
    const double way = limpet_vec3_distance(p, before + model->joint_q[j]);
    *mean += way, *most = fmax(*most, way);
    outside += !(fabs(p[0]) < bin && fabs(p[1]) < bin && p[2] > 0.0);
    ++bodies;
  }
  if (bodies) *mean /= bodies;
  return outside;
}

static long settle(const limpet_model *model, limpet_data *data, quarter *sums, double end) {
  const limpet_step_settings settings = limpet_step_settings_default(model);
  long unsolved = 0;
  while (data->time < end - 0.5 * settings.time_step) {
    unsolved += limpet_step(model, data, &settings) != LIMPET_OUTCOME_SOLVED;
    ++sums->steps;
    sums->iterations += data->info.iterations;
    sums->deepest = fmax(sums->deepest, data->info.deepest_penetration);
  }
  return unsolved;
}

static int run(const limpet_model *model, limpet_data *data, double seconds) {
  double *before = malloc((size_t)model->nq * sizeof *before);
  if (!before) return 1;
  long unsolved = 0;
  int outside = 0;
  printf("%6s %12s %12s %12s %12s %8s %9s %10s\n", "t [s]", "deep [um]", "at most", "mean [um/s]",
         "most [um/s]", "outside", "unsolved", "iterations");
  for (int k = 1; k * period < seconds + 0.5 * period; ++k) {
    quarter now = {0};
    double mean, most;
    memcpy(before, data->q, (size_t)model->nq * sizeof *before);
    unsolved += settle(model, data, &now, k * period);
    outside = moved(model, data->q, before, &mean, &most);
    printf("%6.2f %12.4g %12.4g %12.3g %12.3g %8d %9ld %10.2f\n", data->time,
           1e6 * data->info.deepest_penetration, 1e6 * now.deepest, 1e6 * mean / period,
           1e6 * most / period, outside, unsolved, now.iterations / now.steps);
    fflush(stdout);
  }
  free(before);
  return outside > 0;
}

int main(int argc, char **argv) {
  char path[4096];
  const char *shared = getenv("LIMPET_SHARED");
  snprintf(path, sizeof path, "%s/scenes-peers/pile216.xml", shared ? shared : "../shared");
  const char *scene = argc > 2 ? argv[2] : path;
  if (access(scene, R_OK) != 0) return printf("skipped: there is no file %s\n", scene), 0;
  limpet_error error;
  limpet_model *model = limpet_load(scene, NULL, &error);
  if (!model) return fprintf(stderr, "%s\n", error.message), 1;
  limpet_data *data = limpet_data_create(model);
  const int code = data ? run(model, data, argc > 1 ? atof(argv[1]) : usual_run) : 1;
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  return code;
}

/* benchmarks/bench_adaptive.c: what a substep of the scheme `adaptive` buys: error and solves,
 * beside steps of one length.
 *
 *   bench_adaptive
 * A pendulum of two links swings for 1 s. Twenty boxes (1 g to 1 t, friction 0.01 to 1.5, contacts
 * that swing in 20 ms) land on a free slab, for 0.1 s. Errors are largest differences of a
 * coordinate [m, rad] from steps of 2.5 us, median and worst over the boxes; solves are mean
 * problems solved in a run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limpet/format.h"
#include "limpet/step.h"
#include "measure.h"

enum { BOXES = 20 };

typedef struct run {
  const char *text;
  double v[12];  // at the start
  double time;   // [s]
} run;

static const char swing[] =
    "<mujoco><worldbody><body pos='0 0 2'><joint axis='0 1 0'/>"
    "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.02' mass='1'/>"
    "<body pos='.3 0 0'><joint axis='0 1 0'/>"
    "<geom type='capsule' fromto='0 0 0 .2 0 .1' size='.02' mass='.5'/></body></body>"
    "</worldbody></mujoco>";

static double log_uniform(unsigned long long *seed, double low, double high) {
  return low * pow(high / low, uniform(seed, 0.0, 1.0));
}

static void landing(unsigned long long *seed, char *text, size_t size, double v[12]) {
  const double friction = log_uniform(seed, 0.01, 1.5), mass = log_uniform(seed, 1e-3, 1e3);
  snprintf(text, size,
           "<mujoco><default><geom friction='%g' limpet:stiffness='%g'/></default><worldbody>"
           "<body><freejoint/><geom type='box' size='2 2 .1' mass='%g'/></body>"
           "<body pos='0 0 .18' euler='20 10 0'><freejoint/>"
           "<geom type='box' size='.05 .04 .03' mass='%g'/></body></worldbody></mujoco>",
           friction, 1e5 * mass, mass * log_uniform(seed, 1.0, 1e6), mass);
  for (int i = 6; i < 12; ++i) v[i] = i < 9 ? uniform(seed, -1.0, 1.0) : uniform(seed, -5.0, 5.0);
  v[8] = -1.0;
}

static limpet_model *model_of(const char *text) {
  limpet_error error;
  limpet_builder *builder = limpet_builder_create();
  limpet_model *model = NULL;
  if (limpet_mjcf_read_text(builder, text, strlen(text), NULL, NULL, &error) == LIMPET_OK)
    model = limpet_builder_compile(builder, &error);
  limpet_builder_destroy(builder);
  if (model) return model;
  fputs(error.message, stderr);
  exit(1);
}

// Positions at the end in q; returns how many problems were solved. accuracy 0: steps of one
// length.
static double simulate(const run *r, double time_step, double accuracy, limpet_model *model,
                       double *q) {
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  if (accuracy > 0.0) limpet_step_settings_scheme(&settings, limpet_scheme_find("adaptive"));
  settings.time_step = time_step, settings.accuracy = accuracy, settings.tolerance = 1e-9;
  memcpy(data->v, r->v, (size_t)model->nv * sizeof *data->v);
  const int steps = (int)lround(r->time / time_step);
  double solves = 0.0;
  for (int i = 0; i < steps; ++i) {
    limpet_step(model, data, &settings);
    const limpet_step_info *info = &data->info;
    solves += accuracy > 0.0 ? 3.0 * (info->substep_count + info->rejected_substeps) : 1.0;
  }
  memcpy(q, data->q, (size_t)model->nq * sizeof *q);
  limpet_data_destroy(data);
  return solves;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// One row: errors and solves of all runs with the same step and accuracy.
static void row(const char *name, const run *runs, limpet_model *const *models, int count,
                double (*exact)[14], double time_step, double accuracy) {
  double error[BOXES], solves = 0.0;
  for (int i = 0; i < count; ++i) {
    double q[14], difference[12];
    solves += simulate(&runs[i], time_step, accuracy, models[i], q) / count;
    limpet_difference_position(models[i], difference, exact[i], q);
    error[i] = 0.0;
    for (int k = 0; k < models[i]->nv; ++k) error[i] = fmax(error[i], fabs(difference[k]));
  }
  qsort(error, (size_t)count, sizeof *error, by_size);
  printf("%-8s ", name);
  if (accuracy > 0.0) printf("accuracy %-8g", accuracy);
  else printf("%6g ms steps ", 1e3 * time_step);
  printf(" %12.3g %12.3g %10.0f\n", error[count / 2], error[count - 1], solves);
}

static void compare(const char *name, const run *runs, int count, double longest) {
  limpet_model *models[BOXES];
  double exact[BOXES][14];
  for (int i = 0; i < count; ++i) {
    models[i] = model_of(runs[i].text);
    simulate(&runs[i], 2.5e-6, 0.0, models[i], exact[i]);
  }
  for (double step = 5e-3; step > 1e-5; step *= 0.2)
    row(name, runs, models, count, exact, step, 0.0);
  for (double accuracy = 1e-3; accuracy > 5e-8; accuracy *= 0.1)
    row(name, runs, models, count, exact, longest, accuracy);
  for (int i = 0; i < count; ++i) limpet_model_destroy(models[i]);
}

int main(void) {
  printf("%-23s %12s %12s %10s\n", "", "median error", "worst error", "solves");
  compare("swing", &(run){.text = swing, .time = 1.0}, 1, 20e-3);
  unsigned long long seed = 7;
  static char text[BOXES][1000];
  run runs[BOXES] = {{0}};
  for (int i = 0; i < BOXES; ++i) {
    landing(&seed, text[i], sizeof text[i], runs[i].v);
    runs[i].text = text[i], runs[i].time = 0.1;
  }
  compare("landing", runs, BOXES, 5e-3);
  return 0;
}

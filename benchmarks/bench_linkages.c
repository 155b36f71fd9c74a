/* benchmarks/bench_linkages.c: random closed linkages with joints outside of their limits: is
 * energy made from nothing?
 *
 *   bench_linkages [LINKAGES [FIRST]]
 *
 * Each linkage is drawn from its number: three to five hinged links of 5 cm to 2 m, of 10 g to 100
 * kg each, whose end is tied to the base, which floats or is fixed to the world; half of the joints
 * begin 0.05 to 0.6 rad outside of their limits, a third has a spring, a third an armature. It
 * falls for 1 s, onto a floor where that is near. Links press against limits that lead them back,
 * often with others at a dead centre of the loop.
 *
 * A line for each step of 4 to 0.5 ms: in how many linkages a step made more than 1 % of the energy
 * that was exchanged from nothing (info.energy_rise, on the larger of most kinetic energy and what
 * the fall took), the largest such share, the sum of largest rises [J], unsolved steps, iterations
 * of a step. Linkages with such steps of 0.5 ms are named before. Exit code 1: a step failed. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limpet/limpet.h"
#include "measure.h"

enum { LINKAGES = 80, MOST_LINKS = 5, STEP_SIZES = 4 };

static const double sizes[STEP_SIZES] = {4e-3, 2e-3, 1e-3, 5e-4};  // [s]
static const double told_share = 0.01;  // [-]  of the energy: what counts as made from nothing

typedef struct counts {
  int worse;
  long steps, unsolved, iterations;
  double worst, sum;
} counts;

typedef struct outcome {
  double rise, share;  // [J], [-]
  bool failed;
} outcome;

static double log_uniform(unsigned long long *seed, double low, double high) {
  return low * pow(high / low, uniform(seed, 0.0, 1.0));
}

static void print(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void print(FILE *to, const char *format, ...) {
  va_list values;
  va_start(values, format);
  vfprintf(to, format, values);
  va_end(values);
}

static void print_limits(FILE *to, unsigned long long *seed) {
  double low = -uniform(seed, 0.0, 1.5), high = uniform(seed, 0.0, 1.5);
  const double out = uniform(seed, 0.05, 0.6);
  const int side = (int)uniform(seed, 0.0, 4.0);  // 0, 1: outside of the lower, the upper one
  if (side == 0) low = out, high = out + 1.5;
  if (side == 1) low = -out - 1.5, high = -out;
  print(to, " range='%.17g %.17g'", low, high);
}

static void print_link(FILE *to, unsigned long long *seed, double length, const double from[2],
                       const double way[2], bool last) {
  const double mass = log_uniform(seed, 0.01, 100.0);
  print(to, "<body%s pos='%.17g 0 %.17g'><joint axis='0 1 0'", last ? " name='last'" : "", from[0],
        from[1]);
  print_limits(to, seed);
  if (uniform(seed, 0.0, 3.0) < 1.0)
    print(to, " armature='%.17g'", log_uniform(seed, 1e-4, 0.1) * mass * length * length);
  if (uniform(seed, 0.0, 3.0) < 1.0)
    print(to, " stiffness='%.17g'", log_uniform(seed, 0.1, 1e3) * mass * 9.81 * length);
  print(to, "/><geom type='capsule' size='%.17g' fromto='0 0 0 %.17g 0 %.17g' mass='%.17g'/>",
        0.05 * length, way[0], way[1], mass);
}

// MJCF of a linkage; the caller frees it.
static char *linkage_text(unsigned long long seed) {
  char *text = NULL;
  size_t size;
  FILE *to = open_memstream(&text, &size);
  if (!to) return NULL;
  for (int i = 0; i < 20; ++i) uniform(&seed, 0.0, 1.0);
  const int links = 3 + (int)uniform(&seed, 0.0, 3.0);
  const double length = log_uniform(&seed, 0.05, 2.0);
  const bool floats = uniform(&seed, 0.0, 1.0) < 0.5, near = uniform(&seed, 0.0, 1.0) < 0.7;
  print(to,
        "<mujoco><compiler angle='radian'/><worldbody><geom type='plane' size='9 9 1' "
        "contype='2' conaffinity='0' pos='0 0 %.17g'/><body name='base'>%s"
        "<geom type='sphere' size='%.17g' mass='%.17g' contype='0' conaffinity='0'/>",
        -(near ? 1.2 : 3.0) * links * length, floats ? "<freejoint/>" : "", 0.1 * length,
        log_uniform(&seed, 0.1, 100.0));
  double way[2] = {0.0, 0.0};
  for (int i = 0; i < links; ++i) {
    const double from[2] = {way[0], way[1]}, angle = uniform(&seed, -1.0, 1.0);
    way[0] = length * cos(angle), way[1] = -length * fabs(sin(angle));
    print_link(to, &seed, length, from, way, i == links - 1);
  }
  for (int i = 0; i <= links; ++i) print(to, "</body>");
  print(to,
        "</worldbody><default><geom contype='0' conaffinity='2'/></default><equality>"
        "<connect body1='last' body2='base' anchor='%.17g 0 %.17g'/></equality></mujoco>",
        way[0], way[1]);
  fclose(to);
  return text;
}

static limpet_model *linkage_make(unsigned long long seed) {
  limpet_error error;
  limpet_model *model = NULL;
  limpet_builder *builder = limpet_builder_create();
  char *text = linkage_text(seed);
  if (builder && text &&
      limpet_mjcf_read_text(builder, text, strlen(text), NULL, NULL, &error) == LIMPET_OK)
    model = limpet_builder_compile(builder, &error);
  if (!model) fprintf(stderr, "linkage %llu: %s\n", seed, builder && text ? error.message : "");
  free(text);
  limpet_builder_destroy(builder);
  return model;
}

static outcome run(const limpet_model *model, double dt, counts *sum) {
  outcome result = {0};
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.time_step = dt, settings.energy = true;
  double first = NAN, least = 0.0, most = 0.0;
  while (data && data->time < 1.0 - 0.5 * dt && !result.failed) {
    const limpet_outcome end = limpet_step(model, data, &settings);
    result.failed = limpet_outcome_failed(end);
    const limpet_step_info *info = &data->info;
    const double energy = info->kinetic_energy + info->potential_energy;
    if (isnan(first)) first = energy;
    least = fmin(least, energy - first), most = fmax(most, info->kinetic_energy);
    result.rise = fmax(result.rise, info->energy_rise);
    ++sum->steps, sum->unsolved += end != LIMPET_OUTCOME_SOLVED;
    sum->iterations += info->iterations;
  }
  result.share = result.rise / fmax(most - result.rise, fmax(-least, 1e-9));
  limpet_data_destroy(data);
  sum->worse += result.share > told_share, sum->worst = fmax(sum->worst, result.share);
  sum->sum += result.rise;
  return result;
}

int main(int argc, char **argv) {
  const int count = argc > 1 ? atoi(argv[1]) : LINKAGES;
  const int begin = argc > 2 ? atoi(argv[2]) : 0;
  counts sum[STEP_SIZES] = {0};
  bool failed = false;
  for (int i = begin; i < begin + count; ++i) {
    limpet_model *model = linkage_make((unsigned long long)i);
    if (!model) return 1;
    outcome end = {0};
    for (int k = 0; k < STEP_SIZES; ++k) {
      end = run(model, sizes[k], &sum[k]);
      failed = failed || end.failed;
    }
    if (end.share > told_share)
      printf("linkage %d: %.3g J from nowhere in a step of %g ms, %.3g of what moved\n", i,
             end.rise, 1e3 * sizes[STEP_SIZES - 1], end.share);
    limpet_model_destroy(model);
  }
  printf("%9s %9s %9s %9s %9s %9s\n", "step [ms]", "over 1 %", "worst [-]", "sum [J]", "unsolved",
         "iterations");
  for (int k = 0; k < STEP_SIZES; ++k)
    printf("%9g %9d %9.3g %9.3g %9ld %9.2f\n", 1e3 * sizes[k], sum[k].worse, sum[k].worst,
           sum[k].sum, sum[k].unsolved, (double)sum[k].iterations / (double)sum[k].steps);
  return failed;
}

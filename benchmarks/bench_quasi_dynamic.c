/* benchmarks/bench_quasi_dynamic.c: time of a step of the quasi-dynamic scheme with a point cloud,
 * by stage.
 *
 *   bench_quasi_dynamic [--json] [POINTS ...]      default: 100 992 10000 100000 1000000
 *
 * A cloud stands on a floor, between two pads: 13 variables (cloud 6, hand 6, aperture 1), 3
 * objects with 5 points each in every step, in contact or not, 80 rows: 4 for each point on the
 * floor and 6 for each on a pad. The hand closes, then rises and sinks slowly, so that points
 * change. 1000 steps of 10 ms are timed one by one after 300 others; then 1000 with times of
 * stages. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limpet/limpet.h"
#include "measure.h"

enum { STEPS = 1000, BEFORE = 300, MOST_POINTS = 10000000 };

#define SERVO(name, kp) "<position name='" name "' joint='" name "' kp='" kp "'/>"
#define PAD \
  "type='box' size='0.012 0.005 0.012' mass='0.1' friction='0.8 0.008' condim='4' contype='0'"

static const char scene[] =
    "<mujoco><option timestep='0.01'/><worldbody>"
    "<geom name='floor' type='plane' size='1 1 1' friction='0.8' contype='0'/>"
    "<body name='cloud' pos='0 0 0.03'><freejoint/>"
    "<inertial pos='0.004 0 0' mass='0.4' diaginertia='5e-4 5e-4 5e-4'/></body>"
    "<body pos='0 0 0.04' gravcomp='1'><joint name='x' type='slide' axis='1 0 0'/><joint name='y' "
    "type='slide' axis='0 1 0'/>"
    "<joint name='z' type='slide' axis='0 0 1'/><joint name='roll' type='hinge' axis='1 0 0'/>"
    "<joint name='pitch' type='hinge' axis='0 1 0'/><joint name='yaw' type='hinge' axis='0 0 1'/>"
    "<geom " PAD
    " pos='0 -0.048 0'/><body pos='0 0.048 0' gravcomp='1'>"
    "<joint name='aperture' type='slide' axis='0 -1 0'/><geom " PAD
    "/></body></body></worldbody>"
    "<actuator>" SERVO("x", "2000") SERVO("y", "500") SERVO("z", "2000") SERVO("roll", "500")
        SERVO("pitch", "500") SERVO("yaw", "500") SERVO("aperture", "1000") "</actuator></mujoco>";

// Points on a bumpy ball of 4 cm that is cut off below, for a base of 10 % of them.
static void points_make(double *points, int count) {
  for (int i = 0; i < count; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / count, turn = 2.399963229728653 * i,
                 s = sqrt(1.0 - z * z);
    const double r = 0.04 * (1.0 + 0.02 * sin(3.0 * turn) * s + 0.02 * cos(7.0 * z));
    points[3 * i] = r * s * cos(turn), points[3 * i + 1] = r * s * sin(turn),
               points[3 * i + 2] = fmax(r * z, -0.03);
  }
}

static limpet_model *model_make(int count) {
  limpet_error error;
  limpet_builder *builder = limpet_builder_create();
  double *points = malloc(3 * (size_t)count * sizeof *points);
  limpet_model *model = NULL;
  if (builder && points &&
      limpet_mjcf_read_text(builder, scene, sizeof scene - 1, NULL, NULL, &error) == LIMPET_OK) {
    points_make(points, count);
    limpet_cloud_description cloud = limpet_cloud_description_default();
    cloud.points = points, cloud.point_count = count, cloud.contact_points = 5;
    limpet_geom_description geom = limpet_geom_description_default();
    geom.cloud = limpet_builder_add_cloud(builder, &cloud);
    geom.kind = LIMPET_SHAPE_CLOUD,
    geom.body = limpet_builder_find(builder, LIMPET_OBJECT_BODY, "cloud");
    geom.conaffinity = 0, geom.mass = 0.0, geom.material.friction = 0.8;
    limpet_builder_add_geom(builder, &geom);
    model = limpet_builder_compile(builder, &error);
  }
  if (!model) fprintf(stderr, "bench_quasi_dynamic: %s\n", error.message);
  limpet_builder_destroy(builder);
  free(points);
  return model;
}

// Controls at step i: x, y, z, three turns, aperture.
static void command(limpet_data *data, int i) {
  const double closed = fmin(1.0, i / 200.0),
               lift = i < BEFORE ? 0.0 : 0.5 * (1.0 - cos(0.01 * (i - BEFORE)));
  data->control[1] = 0.004 * closed, data->control[6] = 0.03 * closed,
  data->control[2] = 0.02 * lift;
}

static int larger(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Share `part` of the values lies below the result; sorts them.
static double quantile(double *values, double part) {
  qsort(values, STEPS, sizeof *values, larger);
  return values[(int)(part * (STEPS - 1))];
}

typedef struct result {
  int points, contacts_least, touching, unsolved;
  double median, p99, stage[LIMPET_STAGE_COUNT];  // [s]
  double changes;                                 // of the active set, mean
} result;

static int measure(const limpet_model *model, bool profile, result *r) {
  static double time[STEPS], stage[LIMPET_STAGE_COUNT][STEPS];
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  limpet_step_settings_scheme(&settings, limpet_scheme_find("quasi-dynamic"));
  settings.speculative_distance = 1.0;  // all candidates take part
  settings.profile = profile;
  int failed = 0;
  r->contacts_least = 15, r->touching = 0, r->changes = 0.0;
  for (int i = 0; i < BEFORE + STEPS; ++i) {
    command(data, i);
    const double start = now();
    failed += limpet_step(model, data, &settings) != LIMPET_OUTCOME_SOLVED;
    if (i < BEFORE) continue;
    time[i - BEFORE] = now() - start;
    for (int s = 0; s < LIMPET_STAGE_COUNT; ++s) stage[s][i - BEFORE] = data->info.stage_time[s];
    if (data->contact_count < r->contacts_least) r->contacts_least = data->contact_count;
    if (data->info.touching_count > r->touching) r->touching = data->info.touching_count;
    r->changes += (double)data->info.iterations / STEPS;
  }
  if (profile)
    for (int s = 0; s < LIMPET_STAGE_COUNT; ++s) r->stage[s] = quantile(stage[s], 0.5);
  else r->median = quantile(time, 0.5), r->p99 = quantile(time, 0.99);
  limpet_data_destroy(data);
  return failed;
}

static void print_json(const result *r, bool last) {
  printf(
      "{\"points\": %d, \"median\": %.3e, \"p99\": %.3e, \"contacts\": %d, \"touching\": %d, "
      "\"unsolved\": %d, \"changes\": "
      "%.2f, \"stage\": {",
      r->points, r->median, r->p99, r->contacts_least, r->touching, r->unsolved, r->changes);
  for (int s = 0; s < LIMPET_STAGE_COUNT; ++s)
    printf("%s\"%s\": %.3e", s ? ", " : "", limpet_stage_word((limpet_stage)s), r->stage[s]);
  printf("}}%s\n", last ? "]" : ",");
}

static void print_line(const result *r) {
  printf("%8d %8.2f %8.2f %9d %9d %8.1f", r->points, 1e6 * r->median, 1e6 * r->p99,
         r->contacts_least, r->touching, r->changes);
  for (int s = 0; s < LIMPET_STAGE_COUNT; ++s) printf(" %8.2f", 1e6 * r->stage[s]);
  printf("\n");
}

static void print_head(void) {
  printf("microseconds of a step: median, 99 %%, medians of its stages; 13 variables, 80 rows\n");
  printf("  points   median      99%%  contacts  touching  changes");
  for (int s = 0; s < LIMPET_STAGE_COUNT; ++s) printf(" %8.8s", limpet_stage_word((limpet_stage)s));
  printf("\n");
}

static const char usage[] = "usage: bench_quasi_dynamic [--json] [POINTS ...]   1 to %d points\n";

int main(int argc, char **argv) {
  static const char *const counts[] = {"100", "992", "10000", "100000", "1000000"};
  const bool json = argc > 1 && strcmp(argv[1], "--json") == 0;
  const char *const *words = argc > 1 + json ? (const char *const *)argv + 1 + json : counts;
  const int count = argc > 1 + json ? argc - 1 - json : (int)(sizeof counts / sizeof *counts);
  for (int i = 0; i < count; ++i)
    if (atoi(words[i]) < 1 || atoi(words[i]) > MOST_POINTS)
      return fprintf(stderr, usage, MOST_POINTS), 2;
  if (json) printf("[");
  else print_head();
  for (int i = 0; i < count; ++i) {
    result r = {.points = atoi(words[i])};
    limpet_model *model = model_make(r.points);
    if (!model) return 1;
    r.unsolved = measure(model, false, &r) + measure(model, true, &r);
    limpet_model_destroy(model);
    if (r.unsolved)
      fprintf(stderr, "bench_quasi_dynamic: %d points: %d steps were not solved\n", r.points,
              r.unsolved);
    if (json) print_json(&r, i == count - 1);
    else print_line(&r);
  }
  return 0;
}

/* cli/bench_truth_scene.c: see bench_truth_scene.h. */
#include "bench_truth_scene.h"
#include "loading.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "output.h"

static const double gravity = 9.81;       // [m/s^2]
static const double landing_speed = 1.0;  // [m/s]  downwards
static const double pi = 3.14159265358979323846;

typedef struct truth_world {
  limpet_model *model;
  limpet_data *data;
  limpet_step_settings settings;
} truth_world;

static bool world_open(truth_world *world, const limpet_truth_method *method, limpet_model *model) {
  *world = (truth_world){.model = model, .data = model ? limpet_data_create(model) : NULL};
  if (!world->data) return false;
  world->settings = limpet_step_settings_default(model);
  limpet_step_settings_contact_model(&world->settings, method->model);
  if (!limpet_scheme_takes(world->settings.scheme, method->model))
    world->settings.scheme = limpet_scheme_find("impulse");
  world->settings.time_step = method->time_step;
  return true;
}

static bool world_from_text(truth_world *world, const limpet_truth_method *method,
                            const char *text) {
  limpet_error error;
  limpet_builder *builder = limpet_builder_create();
  limpet_model *model = NULL;
  if (builder &&
      limpet_mjcf_read_text(builder, text, strlen(text), "truth.xml", NULL, &error) == LIMPET_OK)
    model = limpet_builder_compile(builder, &error);
  if (!model) limpet_complain("bench truth: %s", error.message);
  limpet_builder_destroy(builder);
  return world_open(world, method, model);
}

static void world_close(truth_world *world) {
  limpet_data_destroy(world->data);
  limpet_model_destroy(world->model);
}

static bool world_step(truth_world *world) {
  return limpet_step(world->model, world->data, &world->settings) == LIMPET_OUTCOME_SOLVED;
}

// ----------------------------------------------------------------------------------- landing

// Speed along [m/s] that leaves 1 m/s of slip behind the landing.
static double speed_along(double friction) { return 1.0 + friction * landing_speed; }

double limpet_truth_slide(double friction) {
  const double left = speed_along(friction) - friction * landing_speed;
  return left * left / (2.0 * friction * gravity);
}

// A flat box, so that no friction tips it; below it the floor, or a slab that friction holds.
static void landing_text(char *text, size_t size, double friction, double slab) {
  char below[512] = "";
  if (slab > 0.0)
    snprintf(below, sizeof below,
             "<body pos='0 0 .1'><freejoint/><geom name='slab' type='box' size='40 2 .1' "
             "mass='%.17g' friction='%.17g'/></body>",
             slab, friction);
  snprintf(text, size,
           "<mujoco><worldbody><geom type='plane' size='50 50 .1' friction='%.17g'/>%s"
           "<body pos='0 0 %.17g'><freejoint/><geom name='box' type='box' size='.05 .05 .005' "
           "mass='.1' friction='%.17g'/></body></worldbody></mujoco>",
           slab > 0.0 ? 2.0 : friction, below, (slab > 0.0 ? 0.2 : 0.0) + 0.005 + 1e-3, friction);
}

// Adds the impulses [N s] on the box: along and across, normal.
static void add_impulses(const truth_world *world, int box, double sum[3]) {
  const limpet_data *data = world->data;
  for (int i = 0; i < data->contact_count; ++i) {
    if (data->contact_geom[2 * i] != box && data->contact_geom[2 * i + 1] != box) continue;
    const double *R = data->contact_frame + 9 * i, *f = data->contact_force + 3 * i;
    for (int k = 0; k < 3; ++k)
      sum[k] += world->settings.time_step * (f[0] * R[k] + f[1] * R[3 + k] + f[2] * R[6 + k]);
  }
}

double limpet_truth_landing(const limpet_truth_method *method, double friction, double slab,
                            double *slid) {
  char text[2048];
  truth_world world;
  landing_text(text, sizeof text, friction, slab);
  *slid = NAN;
  if (!world_from_text(&world, method, text)) return NAN;
  limpet_data *data = world.data;
  const int box = limpet_model_find(world.model, LIMPET_OBJECT_GEOM, "box");
  const int at = slab > 0.0 ? 7 : 0, to = slab > 0.0 ? 6 : 0;
  data->v[to] = speed_along(friction), data->v[to + 2] = -landing_speed;

  // impulses up to 20 ms, while it slides; then to rest
  const double impact = fmax(0.02, 4.0 * method->time_step);
  const double end = 1.2 * speed_along(friction) / (friction * gravity) + 0.1;
  double sum[3] = {0.0}, along_touch = NAN;
  bool solved = true;
  while (data->time < end && solved) {
    const double before = data->q[at] - (slab > 0.0 ? data->q[0] : 0.0);
    solved = world_step(&world);
    if (data->time < impact) add_impulses(&world, box, sum);
    if (isnan(along_touch) && sum[2] > 0.0) along_touch = before;
  }
  *slid = solved ? data->q[at] - (slab > 0.0 ? data->q[0] : 0.0) - along_touch : NAN;
  world_close(&world);
  return hypot(sum[0], sum[1]) / sum[2];
}

// ------------------------------------------------------------------------------------- thrown

double limpet_truth_thrown(const limpet_truth_method *method) {
  truth_world world;
  if (!world_from_text(
          &world, method,
          "<mujoco><worldbody><geom type='plane' size='50 50 .1'/>"
          "<body pos='0 0 .1'><freejoint/><geom type='box' size='5 2 .1' mass='1000'/></body>"
          "<body pos='-3 0 .242'><freejoint/><geom type='box' size='.05 .05 .04' mass='1'/></body>"
          "</worldbody></mujoco>"))
    return NAN;
  limpet_data *data = world.data;
  data->v[6] = 4.0, data->v[8] = -2.0;
  bool solved = true;
  while (data->time < 2.0 && solved) solved = world_step(&world);
  const double *q = data->q + 10;
  const double up = 1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2]);
  world_close(&world);
  return solved ? up : NAN;
}

// ------------------------------------------------------------------------------- shaken slope

// Slab on a vertical slide below the box; axes along and normal to the slope, x downhill.
static void shaken_slope_text(char *text, size_t size, double slope, double friction, double slab) {
  const double x = sin(slope), z = -cos(slope);  // of gravity
  snprintf(text, size,
           "<mujoco><option gravity='%.17g 0 %.17g'/><default><geom friction='%.17g'/></default>"
           "<worldbody><body pos='0 0 -.1'><joint type='slide' axis='%.17g 0 %.17g'/>"
           "<geom type='box' size='5 5 .1' mass='%.17g'/></body><body pos='0 0 .05'><freejoint/>"
           "<geom type='box' size='.1 .1 .05' mass='1'/></body></worldbody></mujoco>",
           gravity * x, gravity * z, friction, -x, -z, slab);
}

double limpet_truth_shaken_slope(const limpet_truth_method *method, double frequency) {
  const double friction = 0.5, slope = atan(0.9 * friction), time = 2.0, slab = 1e6;
  const double shake = 0.5 * gravity, omega = 2.0 * pi * frequency;
  char text[1024];
  truth_world world;
  shaken_slope_text(text, sizeof text, slope, friction, slab);
  if (!world_from_text(&world, method, text)) return NAN;
  limpet_data *data = world.data;
  data->v[0] = -shake / omega;  // of a slab that swings about its place
  data->v[1] = -sin(slope) * data->v[0], data->v[3] = cos(slope) * data->v[0];
  double start = 0.0;
  bool solved = true;
  while (data->time < time && solved) {
    if (start == 0.0 && data->time > 0.5 * time) start = data->q[1] + sin(slope) * data->q[0];
    const double middle = data->time + 0.5 * method->time_step;
    data->applied_force[0] = slab * (gravity + shake * sin(omega * middle));
    solved = world_step(&world);
  }
  const double speed = (data->q[1] + sin(slope) * data->q[0] - start) / (0.5 * time);
  world_close(&world);
  return solved ? speed : NAN;
}

// ------------------------------------------------------------------------------------ falling

// Forces [N], summed over steps.
typedef struct force_sums {
  double missing, full;
  double loose, friction;
} force_sums;

static limpet_model *open_falling(const char *file, double friction) {
  char path[LIMPET_PATH_SIZE];
  const char *shared = getenv("LIMPET_SHARED");
  snprintf(path, sizeof path, "%s/%s", shared && *shared ? shared : "../shared", file);
  if (access(path, R_OK) != 0) {
    fprintf(stderr, "bench truth: skipped: no file %s (LIMPET_SHARED says where)\n", path);
    return NULL;
  }
  limpet_model *model = limpet_model_open(path, NULL, false, NULL);
  for (int g = 0; model && friction > 0.0 && g < model->geom_count; ++g)
    model->geom_material[g].friction = friction;
  for (int p = 0; model && friction > 0.0 && p < model->pair_count; ++p)
    model->pair_friction[5 * p] = model->pair_friction[5 * p + 1] = friction;
  return model;
}

bool limpet_truth_falling(const limpet_truth_method *method, const char *file, const char *keyframe,
                          double friction, double time, limpet_truth_contacts *contacts) {
  truth_world world;
  *contacts = (limpet_truth_contacts){0};
  if (!world_open(&world, method, open_falling(file, friction))) return false;
  limpet_data *data = world.data;
  const int key = keyframe ? limpet_model_find(world.model, LIMPET_OBJECT_KEYFRAME, keyframe) : -1;
  if (key >= 0) limpet_data_reset_keyframe(world.model, data, key);
  memset(data->control, 0, (size_t)world.model->nu * sizeof *data->control);
  force_sums all = {0};
  while (data->time < time) {
    const limpet_outcome outcome = limpet_step(world.model, data, &world.settings);
    ++contacts->steps;
    if (outcome != LIMPET_OUTCOME_SOLVED) ++contacts->unsolved;
    if (limpet_outcome_failed(outcome)) break;
    const limpet_step_info *info = &data->info;
    all.missing += info->friction_missing * info->friction_sliding,
        all.full += info->friction_sliding;
    all.loose += info->friction_loose, all.friction += info->friction_total;
    if (info->friction_outside > 0.01) contacts->outside += 1.0;
    contacts->worst_outside = fmax(contacts->worst_outside, info->friction_outside);
    contacts->iterations += data->info.iterations;
    if (data->info.iterations > contacts->worst_iterations)
      contacts->worst_iterations = data->info.iterations;
    contacts->deepest = fmax(contacts->deepest, data->info.deepest_penetration);
  }
  contacts->iterations /= (double)contacts->steps;
  contacts->outside /= (double)contacts->steps;
  contacts->missing = all.full > 0.0 ? all.missing / all.full : 0.0;
  contacts->without_normal = all.friction > 0.0 ? all.loose / all.friction : 0.0;
  world_close(&world);
  return true;
}

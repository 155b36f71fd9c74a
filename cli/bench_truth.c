/* cli/bench_truth.c: see bench_truth.h. Every number stands beside what nature says. */
#include "bench_truth.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench_truth_scene.h"
#include "command.h"
#include "json.h"

enum { MODEL_LIMIT = 12, STEP_COUNT = 5, FRICTION_COUNT = 8, SLAB_COUNT = 8 };

static const double steps[STEP_COUNT] = {5e-3, 2e-3, 1e-3, 5e-4, 1e-4};  // [s]
static const double frictions[FRICTION_COUNT] = {0.01, 0.02, 0.05, 0.1, 0.199, 0.5, 1.0, 1.5};
static const double slabs[SLAB_COUNT] = {0.0, 1.0, 10.0, 1e2, 1e3, 1e4, 1e5, 1e6};  // [kg] 0: floor
static const double frequencies[] = {20.0, 50.0, 100.0};                            // [Hz]

typedef struct falling_scene {
  const char *name, *file, *keyframe;
  double friction, time;  // 0: the file's; [s]
} falling_scene;

static const falling_scene scenes[] = {
    {"g1", "models/menagerie/unitree_g1/scene.xml", "stand", 0.0, 2.0},
    {"g1, mu 0.15", "models/menagerie/unitree_g1/scene.xml", "stand", 0.15, 2.0},
    {"humanoid", "models/mjcf/model/humanoid/humanoid.xml", NULL, 0.0, 2.0},
    {"cassie", "models/menagerie/agility_cassie/scene.xml", "home", 0.0, 2.0},
    {"anymal", "models/menagerie/anybotics_anymal_c/scene.xml", NULL, 0.0, 2.0},
    {"clutter 40", "scenes-peers/clutter40.xml", NULL, 0.0, 1.5},
    {"clutter 100", "scenes-peers/clutter100.xml", NULL, 0.0, 1.5},
};

typedef struct truth_run {
  int model_count;
  const limpet_contact_model *model[MODEL_LIMIT];
  bool json;
  json_t *rows;
} truth_run;

static const char *name_of(const limpet_contact_model *model) {
  return limpet_contact_model_descriptor(model)->name;
}

static void keep(truth_run *run, json_t *row) {
  if (run->json) json_array_append_new(run->rows, row);
  else json_decref(row);
}

// ------------------------------------------------------------------------------------ tables

// Worst relative error over steps, one row for each coefficient.
static void landings(truth_run *run) {
  if (!run->json)
    printf(
        "box lands flat at 1 m/s: tangential over normal impulse, worst of %d steps, 5 to 0.1 "
        "ms\n%8s",
        STEP_COUNT, "mu");
  for (int m = 0; m < run->model_count && !run->json; ++m) printf(" %14s", name_of(run->model[m]));
  if (!run->json) putchar('\n');
  for (int f = 0; f < FRICTION_COUNT; ++f) {
    if (!run->json) printf("%8g", frictions[f]);
    for (int m = 0; m < run->model_count; ++m) {
      double worst = frictions[f], slid;
      for (int s = 0; s < STEP_COUNT; ++s) {
        const limpet_truth_method method = {run->model[m], steps[s]};
        const double mu = limpet_truth_landing(&method, frictions[f], 0.0, &slid);
        if (!(fabs(mu - frictions[f]) <= fabs(worst - frictions[f]))) worst = mu;
      }
      if (!run->json) printf(" %14.5f", worst), fflush(stdout);
      keep(run,
           json_pack("{s:s, s:s, s:f, s:o}", "measure", "landing", "model", name_of(run->model[m]),
                     "friction", frictions[f], "impulse_ratio", limpet_json_number(worst)));
    }
    if (!run->json) putchar('\n');
  }
}

static void slides(truth_run *run) {
  static const double friction = 0.1;
  const double expected = limpet_truth_slide(friction);
  if (!run->json) {
    printf("\nthat box slides, mu 0.1, steps of 2 ms, on a slab of ... [mm]; %.2f mm expected\n",
           1e3 * expected);
    printf("%14s", "model");
    for (int s = 0; s < SLAB_COUNT; ++s)
      if (slabs[s] > 0.0) printf(" %8.0g kg", slabs[s]);
      else printf(" %11s", "floor");
    putchar('\n');
  }
  for (int m = 0; m < run->model_count; ++m) {
    const limpet_truth_method method = {run->model[m], 2e-3};
    if (!run->json) printf("%14s", name_of(run->model[m]));
    for (int s = 0; s < SLAB_COUNT; ++s) {
      double slid;
      limpet_truth_landing(&method, friction, slabs[s], &slid);
      if (!run->json) printf(" %11.2f", 1e3 * slid), fflush(stdout);
      keep(run, json_pack("{s:s, s:s, s:f, s:f, s:o}", "measure", "slide", "model",
                          name_of(run->model[m]), "slab", slabs[s], "expected", expected, "slid",
                          limpet_json_number(slid)));
    }
    if (!run->json) putchar('\n');
  }
}

static void slopes(truth_run *run) {
  const int count = (int)(sizeof frequencies / sizeof *frequencies);
  if (!run->json) {
    printf(
        "\nbox on a shaken slope below the friction angle, 2 ms: creep [mm/s]; and cosine of "
        "the turn of a\nbox thrown onto a slab of 1 t (1: it stays on its face)\n%14s",
        "model");
    for (int k = 0; k < count; ++k) printf(" %8.0f Hz", frequencies[k]);
    printf(" %11s\n", "thrown");
  }
  for (int m = 0; m < run->model_count; ++m) {
    const limpet_truth_method method = {run->model[m], 2e-3};
    if (!run->json) printf("%14s", name_of(run->model[m]));
    for (int k = 0; k < count; ++k) {
      const double speed = limpet_truth_shaken_slope(&method, frequencies[k]);
      if (!run->json) printf(" %11.5f", 1e3 * speed), fflush(stdout);
      keep(run, json_pack("{s:s, s:s, s:f, s:o}", "measure", "shaken slope", "model",
                          name_of(run->model[m]), "frequency", frequencies[k], "speed",
                          limpet_json_number(speed)));
    }
    const double up = limpet_truth_thrown(&method);
    if (!run->json) printf(" %11.4f\n", up), fflush(stdout);
    keep(run, json_pack("{s:s, s:s, s:o}", "measure", "thrown", "model", name_of(run->model[m]),
                        "up", limpet_json_number(up)));
  }
}

static void falls(truth_run *run) {
  if (!run->json)
    printf(
        "\nfalling, no control, 2 ms: friction that sliding contacts lack; friction without "
        "normal force; steps with\na contact more than 1 %% outside its cone, and the worst; "
        "Newton iterations; deepest overlap\n%14s %14s %9s %9s %9s %9s %8s %6s %9s %9s\n",
        "scene", "model", "lack", "loose", "outside", "worst", "mean", "most", "unsolved",
        "deep [mm]");
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i)
    for (int m = 0; m < run->model_count; ++m) {
      const limpet_truth_method method = {run->model[m], 2e-3};
      const falling_scene *scene = &scenes[i];
      limpet_truth_contacts c;
      if (!limpet_truth_falling(&method, scene->file, scene->keyframe, scene->friction, scene->time,
                                &c))
        break;
      if (!run->json) {
        printf("%14s %14s %8.3f%% %8.3f%% %8.2f%% %8.1f%% %8.2f %6d %9ld %9.3f\n", scene->name,
               name_of(method.model), 100.0 * c.missing, 100.0 * c.without_normal,
               100.0 * c.outside, 100.0 * c.worst_outside, c.iterations, c.worst_iterations,
               c.unsolved, 1e3 * c.deepest);
        fflush(stdout);
      }
      keep(run, json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:i, s:I, s:f}", "measure",
                          "falling", "scene", scene->name, "model", name_of(method.model),
                          "missing", c.missing, "without_normal", c.without_normal, "outside",
                          c.outside, "worst_outside", c.worst_outside, "iterations", c.iterations,
                          "worst_iterations", c.worst_iterations, "unsolved",
                          (json_int_t)c.unsolved, "deepest", c.deepest));
    }
}

// ------------------------------------------------------------------------------------- models

static bool add_model(truth_run *run, const char *name, size_t length) {
  char text[64];
  snprintf(text, sizeof text, "%.*s", (int)length, name);
  const limpet_contact_model *model = limpet_contact_model_find(text);
  if (!model || run->model_count == MODEL_LIMIT) {
    limpet_complain("--contact: there is no contact model '%s'\n  see 'limpet list models'", text);
    return false;
  }
  run->model[run->model_count++] = model;
  return true;
}

// The default model comes first and counts once.
static bool add_models(truth_run *run, const char *names) {
  static const char *const usual = "similar,sap";
  if (!names) {
    limpet_error error;
    limpet_builder *builder = limpet_builder_create();
    limpet_model *empty = limpet_builder_compile(builder, &error);
    limpet_builder_destroy(builder);
    run->model[run->model_count++] = limpet_step_settings_default(empty).contact_model;
    limpet_model_destroy(empty);
    names = usual;
  }
  for (const char *end; *names; names = *end ? end + 1 : end) {
    end = strchr(names, ',');
    if (!end) end = names + strlen(names);
    if (!add_model(run, names, (size_t)(end - names))) return false;
  }
  return true;
}

int limpet_bench_truth(const char *models, bool json) {
  truth_run run = {.json = json, .rows = json ? json_array() : NULL};
  if (!add_models(&run, models)) return LIMPET_EXIT_USAGE;
  landings(&run);
  slides(&run);
  slopes(&run);
  falls(&run);
  if (!json) return LIMPET_EXIT_FINE;
  json_t *root = json_pack("{s:s, s:s, s:o}", "schema", "limpet.truth/1", "version",
                           limpet_version(), "rows", run.rows);
  limpet_json_print(root, stdout, false);
  json_decref(root);
  return LIMPET_EXIT_FINE;
}

/* cli/bench_moving.c: `limpet bench --moving`: CPU time of whole runs, alone or taking turns with
 * MuJoCo, what happened in them, and the same beside the results of an earlier build. */
#include "bench_moving.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench_count.h"
#include "bench_peer.h"
#include "bench_run.h"
#include "bench_time.h"
#include "clock.h"
#include "command.h"
#include "json.h"
#include "suggest.h"

enum { RUN_LIMIT = 5, PEER_KINDS = 2 };
static const double time_limit = 4.0;  // [s]  after which no further run of a scene begins

// What a scene took, in Limpet and in the peer with its default and its fastest solver.
typedef struct result {
  int runs;
  double run[RUN_LIMIT];               // [s per step]
  double peer[PEER_KINDS][RUN_LIMIT];  // [s per step]
  limpet_bench_story story;
  limpet_bench_count count;
  bool counted;
  json_t *description;     // of the peer; NULL: none
  const json_t *baseline;  // the scene in the file of the baseline; NULL: not there
} result;

static const char *const peer_kinds[PEER_KINDS] = {"default", "fastest"};

// ------------------------------------------------------------------------------------- running

/* Runs in turns: Limpet, peer, peer, Limpet, ... until the time is up. False: the peer fell
 * silent. */
static bool runs_time(limpet_bench_world *world, const limpet_bench_motion *motion,
                      limpet_bench_peer *peer, const limpet_bench_moving_options *options,
                      result *r) {
  const int steps = r->story.steps, limit = options->once ? 1 : RUN_LIMIT;
  const double begin = limpet_wall_time();
  for (r->runs = 0; r->runs < limit; ++r->runs) {
    const int i = r->runs;
    if (i > 0 && limpet_wall_time() - begin > time_limit) break;
    if (i % 2 == 0) r->run[i] = limpet_bench_run_time(world, motion, steps);
    for (int k = 0; k < PEER_KINDS && peer; ++k) {
      r->peer[k][i] = limpet_bench_peer_ask(peer, peer_kinds[k]);
      if (isnan(r->peer[k][i])) return false;
    }
    if (i % 2 == 1) r->run[i] = limpet_bench_run_time(world, motion, steps);
  }
  return true;
}

// Controls of the run, a row for every ten steps; NULL: they stay.
static json_t *controls_json(const limpet_bench_motion *motion, limpet_bench_world *world,
                             int steps) {
  if (!motion->drive) return json_array();
  json_t *rows = json_array();
  for (int i = 0; i < steps; i += LIMPET_BENCH_HOLD_STEPS) {
    motion->drive(world->model, i * LIMPET_BENCH_TIME_STEP, world->data->control);
    json_array_append_new(rows, limpet_json_array(world->data->control, world->model->nu));
  }
  return rows;
}

static json_t *peer_open(limpet_bench_peer *peer, limpet_bench_world *world,
                         const limpet_bench_motion *motion, int steps) {
  if (motion->alone) {
    fprintf(stderr, "%s: mujoco skipped: too many bodies for its memory\n", motion->scene.name);
    return NULL;
  }
  limpet_data_state_write(world->model, world->data, world->state);
  json_t *extra =
      json_pack("{s:i, s:i, s:o}", "moving_steps", steps, "hold_steps", LIMPET_BENCH_HOLD_STEPS,
                "controls", controls_json(motion, world, steps));
  json_t *description = limpet_bench_peer_open_with(peer, world, steps, extra);
  json_decref(extra);
  return description;
}

// ------------------------------------------------------------------------------------- telling

static double least(const double *values, int count) { return limpet_bench_least(values, count); }

// Limpet's time over the peer's, median of the pairs: above 1 Limpet is faster.
static double ratio_of(const result *r, int kind) {
  double ratios[RUN_LIMIT];
  for (int i = 0; i < r->runs; ++i) ratios[i] = r->peer[kind][i] / r->run[i];
  return limpet_bench_median(ratios, r->runs);
}

static void head_print(const char *machine) {
  printf(
      "limpet %s on %s, one thread, whole runs from the start pose in steps of 2 ms; CPU time "
      "in us a step\n\n",
      limpet_version(), machine);
  printf("%-13s %6s %6s %10s ", "scene", "nv", "steps", "us/step");
  for (int i = 0; i < LIMPET_STAGE_COUNT; ++i) printf(" %12s", limpet_stage_word((limpet_stage)i));
  printf("  %8s %8s %10s %6s %8s %9s  %s\n", "contacts", "pairs", "iterations", "worst", "unsolved",
         "depth mm", "state hash");
}

static void count_print(const result *r) {
  const limpet_bench_count *c = &r->count;
  printf("  instructions  %.4g a step; broad phase %.4g, narrow phase %.4g, assembly %.4g\n",
         c->total, c->broad, c->narrow, c->assembly);
}

static double number_at(const json_t *object, const char *key) {
  return json_number_value(json_object_get(object, key));
}

static void peer_print(const result *r) {
  for (int k = 0; k < PEER_KINDS; ++k) {
    const json_t *kind = json_object_get(r->description, peer_kinds[k]);
    printf(
        "  mujoco %-8s %s: %.2f us, %.2f times Limpet's; contacts %.1f, iterations %.2f, worst "
        "%.0f, depth %.3f mm\n",
        peer_kinds[k], json_string_value(json_object_get(kind, "solver")),
        1e6 * least(r->peer[k], r->runs), ratio_of(r, k), number_at(kind, "contacts"),
        number_at(kind, "iterations"), number_at(kind, "worst_iterations"),
        1e3 * number_at(kind, "depth"));
  }
}

/* Beside the baseline: instructions, which other work does not disturb, else time; and whether the
 * simulation is the same. */
static void baseline_print(const result *r) {
  const json_t *old = r->baseline, *counts = json_object_get(old, "instructions");
  char hash[24];
  snprintf(hash, sizeof hash, "%016" PRIx64, r->story.hash);
  const char *old_hash = json_string_value(json_object_get(old, "state_hash"));
  printf("  baseline      time %.2f of it",
         least(r->run, r->runs) / number_at(old, "seconds_per_step"));
  if (r->counted && counts) {
    const limpet_bench_count *c = &r->count;
    const double before = number_at(counts, "broad_phase") + number_at(counts, "narrow_phase") +
                          number_at(counts, "assembly");
    printf("; instructions %.3f of it, those of collision and assembly %.3f",
           c->total / number_at(counts, "total"), (c->broad + c->narrow + c->assembly) / before);
  }
  printf("; %s\n",
         old_hash && strcmp(old_hash, hash) == 0 ? "the same final state" : "another final state");
}

static void scene_print(const limpet_bench_world *world, const result *r) {
  const limpet_bench_story *s = &r->story;
  printf("%-13s %6d %6d %10.2f ", world->scene->name, world->model->nv, s->steps,
         1e6 * least(r->run, r->runs));
  for (int i = 0; i < LIMPET_STAGE_COUNT; ++i) printf(" %12.2f", 1e6 * s->stage[i]);
  printf("  %8.1f %8.1f %10.2f %6d %8d %9.4f  %016" PRIx64 "\n", s->contacts, s->pairs,
         s->iterations, s->worst_iterations, s->unsolved, 1e3 * s->depth, s->hash);
  if (r->counted) count_print(r);
  if (r->description) peer_print(r);
  if (r->baseline) baseline_print(r);
  fflush(stdout);
}

static json_t *scene_json(const limpet_bench_world *world, const result *r) {
  const limpet_bench_story *s = &r->story;
  json_t *stages = json_object();
  for (int i = 0; i < LIMPET_STAGE_COUNT; ++i)
    json_object_set_new(stages, limpet_stage_word((limpet_stage)i), json_real(s->stage[i]));
  json_t *scene = json_pack(
      "{s:s, s:s, s:i, s:i, s:f, s:o, s:o, s:f, s:f, s:f, s:i, s:i, s:f, s:o}", "name",
      world->scene->name, "text", world->scene->text, "nv", world->model->nv, "steps", s->steps,
      "seconds_per_step", least(r->run, r->runs), "runs", limpet_json_array(r->run, r->runs),
      "stage_time", stages, "contacts", s->contacts, "pairs", s->pairs, "iterations", s->iterations,
      "worst_iterations", s->worst_iterations, "unsolved_steps", s->unsolved, "depth", s->depth,
      "state_hash", limpet_json_hash(s->hash));
  if (r->counted)
    json_object_set_new(
        scene, "instructions",
        json_pack("{s:f, s:f, s:f, s:f}", "total", r->count.total, "broad_phase", r->count.broad,
                  "narrow_phase", r->count.narrow, "assembly", r->count.assembly));
  for (int k = 0; k < PEER_KINDS && r->description; ++k) {
    json_t *kind = json_object_get(r->description, peer_kinds[k]);
    json_object_set_new(kind, "seconds_per_step", json_real(least(r->peer[k], r->runs)));
    json_object_set_new(kind, "ratio", json_real(ratio_of(r, k)));
  }
  if (r->description) json_object_set(scene, "mujoco", r->description);
  return scene;
}

// -------------------------------------------------------------------------------------- scenes

static const json_t *baseline_scene(const json_t *baseline, const char *name) {
  size_t i;
  const json_t *scene;
  json_array_foreach(json_object_get(baseline, "scenes"), i, scene) {
    const char *other = json_string_value(json_object_get(scene, "name"));
    if (other && strcmp(other, name) == 0) return scene;
  }
  return NULL;
}

// False: the scene is there, but could not be run.
static bool scene_run(const limpet_bench_moving_options *options, const limpet_bench_motion *motion,
                      const json_t *baseline, json_t *scenes) {
  limpet_bench_world world;
  limpet_bench_peer peer;
  result r = {.baseline = baseline_scene(baseline, motion->scene.name)};
  const limpet_bench_readiness readiness = limpet_bench_open(&world, &motion->scene);
  if (readiness != LIMPET_BENCH_READY) return readiness == LIMPET_BENCH_SKIPPED;
  const int steps = options->steps > 0 ? options->steps : motion->steps;
  r.story.steps = steps;
  if (options->once) {  // what is counted: nothing but the run
    runs_time(&world, motion, NULL, options, &r);
  } else {
    limpet_bench_run_describe(&world, motion, steps, &r.story);
    if (options->against) r.description = peer_open(&peer, &world, motion, steps);
    if (!runs_time(&world, motion, r.description ? &peer : NULL, options, &r)) {
      limpet_complain("%s: mujoco stopped answering", motion->scene.name);
      limpet_bench_peer_close(&peer);
      json_decref(r.description);
      r.description = NULL;
      runs_time(&world, motion, NULL, options, &r);
    }
    if (options->count) r.counted = limpet_bench_count_run(&r.count, motion->scene.name, steps);
  }
  if (scenes) json_array_append_new(scenes, scene_json(&world, &r));
  else if (options->once) printf("%s: %.2f us a step\n", motion->scene.name, 1e6 * r.run[0]);
  else scene_print(&world, &r);
  if (r.description) limpet_bench_peer_close(&peer);
  json_decref(r.description);
  limpet_bench_close(&world);
  return true;
}

static bool is_named(const limpet_text_list *names, const char *name) {
  for (int k = 0; k < names->count; ++k)
    if (strcmp(names->text[k], name) == 0) return true;
  return names->count == 0;
}

static bool names_known(const limpet_text_list *names) {
  for (int k = 0; k < names->count; ++k) {
    limpet_suggestion best = {0};
    char hint[96];
    bool found = false;
    for (int i = 0; i < limpet_bench_motion_count; ++i) {
      found |= strcmp(names->text[k], limpet_bench_motions[i].scene.name) == 0;
      limpet_suggest(&best, names->text[k], limpet_bench_motions[i].scene.name);
    }
    if (found) continue;
    limpet_complain("there is no scene '%s' that moves%s\n  see 'limpet bench --help'",
                    names->text[k], limpet_suggestion_text(hint, sizeof hint, &best));
    return false;
  }
  return true;
}

/* The baseline and a warning where it is of another machine: then only counts compare. False: it
 * cannot be read. */
static bool baseline_read(const char *path, const char *machine, json_t **baseline) {
  *baseline = path ? limpet_json_read(path) : NULL;
  if (!path) return true;
  if (!*baseline) return false;
  const char *schema = json_string_value(json_object_get(*baseline, "schema"));
  if (!schema || strcmp(schema, "limpet.bench.moving/1") != 0) {
    limpet_complain("--baseline %s: not results of 'limpet bench --moving --json'", path);
    return false;
  }
  const char *other = json_string_value(json_object_get(*baseline, "machine"));
  if (other && strcmp(other, machine) != 0)
    fprintf(stderr, "the baseline is of another machine, %s: compare instructions, not times\n",
            other);
  return true;
}

int limpet_bench_moving(const limpet_bench_moving_options *options, const limpet_text_list *names) {
  char host[256] = "this machine";
  if (options->machine) snprintf(host, sizeof host, "%s", options->machine);
  else if (gethostname(host, sizeof host - 1) != 0) snprintf(host, sizeof host, "this machine");
  json_t *baseline;
  if (!names_known(names)) return LIMPET_EXIT_USAGE;
  if (!baseline_read(options->baseline, host, &baseline)) {
    json_decref(baseline);
    return LIMPET_EXIT_INPUT;
  }
  json_t *scenes = options->json ? json_array() : NULL;
  if (!scenes && !options->once) head_print(host), fflush(stdout);
  bool good = true;
  for (int i = 0; i < limpet_bench_motion_count; ++i)
    if (is_named(names, limpet_bench_motions[i].scene.name))
      good &= scene_run(options, &limpet_bench_motions[i], baseline, scenes);
  if (scenes) {
    json_t *root = json_pack("{s:s, s:s, s:s, s:f, s:o}", "schema", "limpet.bench.moving/1",
                             "version", limpet_version(), "machine", host, "calibration",
                             limpet_bench_calibration(), "scenes", scenes);
    limpet_json_print(root, stdout, false);
    json_decref(root);
  }
  json_decref(baseline);
  return good ? LIMPET_EXIT_FINE : LIMPET_EXIT_INPUT;
}

/* cli/bench.c: `limpet bench`: microseconds per step by stage on six scenes, alone or taking turns
 * with MuJoCo. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench_moving.h"
#include "bench_peer.h"
#include "bench_time.h"
#include "bench_truth.h"
#include "command.h"
#include "json.h"
#include "options.h"
#include "suggest.h"

typedef struct bench_run {
  bool json;
  const char *against;
  bool wanted[LIMPET_BENCH_SCENE_COUNT];
  json_t *scenes;  // with --json
} bench_run;

// -------------------------------------------------------------------------------------- timing

/* Times the scene, and the peer where there is one: Limpet, peer, peer, Limpet, Limpet, ... so that
 * a drift of the machine hits both alike. Returns false when the peer fell silent. */
static bool batches_run(limpet_bench_world *world, limpet_bench_peer *peer,
                        limpet_bench_result *result) {
  limpet_bench_batch(world);  // warms up
  for (int i = 0; i < LIMPET_BENCH_BATCHES; ++i) {
    const bool peer_first = i % 2 == 1;
    if (peer && peer_first) result->peer[i] = limpet_bench_peer_batch(peer);
    result->batch[i] = limpet_bench_batch(world);
    if (peer && !peer_first) result->peer[i] = limpet_bench_peer_batch(peer);
    if (peer && isnan(result->peer[i])) return false;
  }
  return true;
}

// Median over the pairs of batches of the peer's time over ours: above 1, Limpet is faster.
static double ratio_of(const limpet_bench_result *result) {
  double ratios[LIMPET_BENCH_BATCHES];
  for (int i = 0; i < LIMPET_BENCH_BATCHES; ++i) ratios[i] = result->peer[i] / result->batch[i];
  return limpet_bench_median(ratios, LIMPET_BENCH_BATCHES);
}

// ------------------------------------------------------------------------------------- telling

static void head_print(double calibration) {
  printf(
      "limpet %s, one thread, steps of 2 ms, %d batches of %d steps from one settled state; times "
      "in us per step\n",
      limpet_version(), LIMPET_BENCH_BATCHES, LIMPET_BENCH_BATCH_STEPS);
  printf("calibration: %.3f ns for an addition that waits for the one before\n\n",
         1e9 * calibration);
  printf("%-12s %5s %10s %10s ", "scene", "nv", "least", "median");
  for (int i = 0; i < LIMPET_STAGE_COUNT; ++i) printf(" %12s", limpet_stage_word((limpet_stage)i));
  printf("  %8s %10s %9s  %s\n", "contacts", "iterations", "residual", "state hash");
}

static void scene_print(const limpet_bench_world *world, const limpet_bench_result *result) {
  printf("%-12s %5d %10.2f %10.2f ", world->scene->name, world->model->nv,
         1e6 * limpet_bench_least(result->batch, LIMPET_BENCH_BATCHES),
         1e6 * limpet_bench_median(result->batch, LIMPET_BENCH_BATCHES));
  for (int i = 0; i < LIMPET_STAGE_COUNT; ++i) printf(" %12.2f", 1e6 * result->stage[i]);
  printf("  %8.1f %10.2f %9.2g  %016" PRIx64 "\n", result->contacts, result->iterations,
         result->residual, result->hash);
  if (result->failures)
    printf("%-12s %d of %d steps were not solved\n", "", result->failures,
           LIMPET_BENCH_BATCH_STEPS);
}

static void peer_print(const limpet_bench_result *result, const json_t *peer) {
  const char *version = json_string_value(json_object_get(peer, "version"));
  printf(
      "  mujoco %-9s %10.2f %10.2f   %.2f times Limpet's time (median of pairs); %.1f contacts, "
      "%.2f iterations, solver "
      "gradient %.2g\n",
      version ? version : "?", 1e6 * limpet_bench_least(result->peer, LIMPET_BENCH_BATCHES),
      1e6 * limpet_bench_median(result->peer, LIMPET_BENCH_BATCHES), ratio_of(result),
      json_number_value(json_object_get(peer, "contacts")),
      json_number_value(json_object_get(peer, "iterations")),
      json_number_value(json_object_get(peer, "residual")));
}

static json_t *scene_json(const limpet_bench_world *world, const limpet_bench_result *result,
                          json_t *peer) {
  json_t *stages = json_object();
  for (int i = 0; i < LIMPET_STAGE_COUNT; ++i) {
    json_object_set_new(stages, limpet_stage_word((limpet_stage)i), json_real(result->stage[i]));
  }
  json_t *scene =
      json_pack("{s:s, s:s, s:i, s:f, s:f, s:o, s:o}", "name", world->scene->name, "text",
                world->scene->text, "nv", world->model->nv, "seconds_per_step",
                limpet_bench_least(result->batch, LIMPET_BENCH_BATCHES), "seconds_per_step_median",
                limpet_bench_median(result->batch, LIMPET_BENCH_BATCHES), "batches",
                limpet_json_array(result->batch, LIMPET_BENCH_BATCHES), "stage_time", stages);
  json_object_set_new(scene, "contacts", json_real(result->contacts));
  json_object_set_new(scene, "iterations", json_real(result->iterations));
  json_object_set_new(scene, "residual", limpet_json_number(result->residual));
  json_object_set_new(scene, "islands", json_integer(result->islands));
  json_object_set_new(scene, "largest_island", json_integer(result->largest_island));
  json_object_set_new(scene, "unsolved_steps", json_integer(result->failures));
  json_object_set_new(scene, "state_hash", limpet_json_hash(result->hash));
  json_object_set_new(scene, "load_time", json_real(world->load_time));
  if (!peer) return scene;
  json_object_set_new(peer, "seconds_per_step",
                      json_real(limpet_bench_least(result->peer, LIMPET_BENCH_BATCHES)));
  json_object_set_new(peer, "seconds_per_step_median",
                      json_real(limpet_bench_median(result->peer, LIMPET_BENCH_BATCHES)));
  json_object_set_new(peer, "ratio", json_real(ratio_of(result)));
  json_object_set(scene, "mujoco", peer);
  return scene;
}

// -------------------------------------------------------------------------------------- scenes

// False: the scene is there, but could not be timed.
static bool scene_run(bench_run *bench, const limpet_bench_scene *scene) {
  limpet_bench_world world;
  limpet_bench_peer peer;
  limpet_bench_result result = {0};
  const limpet_bench_readiness readiness = limpet_bench_open(&world, scene);
  if (readiness != LIMPET_BENCH_READY) return readiness == LIMPET_BENCH_SKIPPED;
  json_t *description =
      bench->against ? limpet_bench_peer_open(&peer, &world, LIMPET_BENCH_BATCH_STEPS) : NULL;
  limpet_bench_describe(&world, &result);
  if (!batches_run(&world, description ? &peer : NULL, &result)) {
    limpet_complain("%s: mujoco stopped answering", scene->name);
    limpet_bench_peer_close(&peer);
    json_decref(description);
    description = NULL;
    batches_run(&world, NULL, &result);
  }
  if (bench->json) {
    json_array_append_new(bench->scenes, scene_json(&world, &result, description));
  } else {
    scene_print(&world, &result);
    if (description) peer_print(&result, description);
    fflush(stdout);
  }
  if (description) limpet_bench_peer_close(&peer);
  json_decref(description);
  limpet_bench_close(&world);
  return true;
}

// Marks the scenes that were asked for: all, when none was named.
static bool scenes_choose(bench_run *bench, const limpet_text_list *names) {
  for (int i = 0; i < LIMPET_BENCH_SCENE_COUNT; ++i) bench->wanted[i] = names->count == 0;
  for (int k = 0; k < names->count; ++k) {
    limpet_suggestion best = {0};
    char hint[96];
    bool found = false;
    for (int i = 0; i < LIMPET_BENCH_SCENE_COUNT; ++i) {
      const bool same = strcmp(names->text[k], limpet_bench_scenes[i].name) == 0;
      found |= same;
      bench->wanted[i] |= same;
      limpet_suggest(&best, names->text[k], limpet_bench_scenes[i].name);
    }
    if (found) continue;
    limpet_complain("there is no scene '%s'%s\n  see 'limpet bench --help'", names->text[k],
                    limpet_suggestion_text(hint, sizeof hint, &best));
    return false;
  }
  return true;
}

static int run(const limpet_command *command, int argc, char **argv) {
  bench_run bench = {0};
  const char *models = NULL;
  bool moving = false;
  limpet_bench_moving_options motion = {0};
  limpet_text_list names;
  const limpet_option table[] = {
      {"--against", LIMPET_OPTION_TEXT, &bench.against, "mujoco",
       "the same scenes in MuJoCo, taking turns", 0, 0, 0},
      {"--contact", LIMPET_OPTION_TEXT, &models, "MODEL,...",
       "of 'bench truth': contact models; the default, similar, sap", 0, 0, 0},
      {"--json", LIMPET_OPTION_FLAG, &bench.json, NULL, "the results as JSON", 0, 0, 0},
      {"--moving", LIMPET_OPTION_FLAG, &moving, NULL,
       "whole runs from the start pose instead of settled states", 0, 0, 0},
      {"--instructions", LIMPET_OPTION_FLAG, &motion.count, NULL,
       "with --moving: count instructions with valgrind, too (minutes)", 0, 0, 0},
      {"--steps", LIMPET_OPTION_COUNT, &motion.steps, "N",
       "with --moving: steps of a run; those of the scene", NULL, 1, 1000000},
      {"--baseline", LIMPET_OPTION_TEXT, &motion.baseline, "FILE.json",
       "with --moving: results of an earlier --json to compare with", 0, 0, 0},
      {"--machine", LIMPET_OPTION_TEXT, &motion.machine, "NAME",
       "with --moving: what results call this machine; its host name", 0, 0, 0},
      {"--once", LIMPET_OPTION_FLAG, &motion.once, NULL,
       "with --moving: one run and nothing else, for profilers", 0, 0, 0},
  };
  const int code =
      limpet_options_parse(command, table, sizeof table / sizeof *table, argc, argv, &names);
  if (code != LIMPET_OPTIONS_GO) return code;
  if (bench.against && strcmp(bench.against, "mujoco") != 0) {
    limpet_complain("--against: expected 'mujoco', not '%s'", bench.against);
    return LIMPET_EXIT_USAGE;
  }
  const bool only_moving =
      motion.count || motion.steps || motion.baseline || motion.machine || motion.once;
  if (moving && models) {
    limpet_complain("--contact belongs to 'limpet bench truth'");
    return LIMPET_EXIT_USAGE;
  }
  if (moving) {
    motion.json = bench.json, motion.against = bench.against;
    return limpet_bench_moving(&motion, &names);
  }
  if (only_moving) {
    limpet_complain(
        "--instructions, --steps, --baseline, --machine and --once belong to 'limpet bench "
        "--moving'");
    return LIMPET_EXIT_USAGE;
  }
  if (names.count == 1 && strcmp(names.text[0], "truth") == 0)
    return limpet_bench_truth(models, bench.json);
  if (models) {
    limpet_complain("--contact belongs to 'limpet bench truth'");
    return LIMPET_EXIT_USAGE;
  }
  for (int k = 0; k < names.count && names.count > 1; ++k) {
    if (strcmp(names.text[k], "truth") != 0) continue;
    limpet_complain("'limpet bench truth' stands alone: it has scenes of its own");
    return LIMPET_EXIT_USAGE;
  }
  if (!scenes_choose(&bench, &names)) return LIMPET_EXIT_USAGE;

  const double calibration = limpet_bench_calibration();
  bool good = true;
  if (bench.json) bench.scenes = json_array();
  else head_print(calibration), fflush(stdout);
  for (int i = 0; i < LIMPET_BENCH_SCENE_COUNT; ++i) {
    if (bench.wanted[i]) good &= scene_run(&bench, &limpet_bench_scenes[i]);
  }
  const int ending = good ? LIMPET_EXIT_FINE : LIMPET_EXIT_INPUT;
  if (!bench.json) return ending;
  json_t *root = json_pack("{s:s, s:s, s:f, s:i, s:o}", "schema", "limpet.bench/1", "version",
                           limpet_version(), "calibration", calibration, "batch_steps",
                           LIMPET_BENCH_BATCH_STEPS, "scenes", bench.scenes);
  limpet_json_print(root, stdout, false);
  json_decref(root);
  return ending;
}

const limpet_command limpet_command_bench = {
    .name = "bench",
    .synopsis =
        "bench [SCENE...] [--moving] [--against mujoco] [--json] | bench truth [--contact "
        "MODEL,...]",
    .summary = "microseconds per step by stage, alone or against MuJoCo",
    .text =
        "Scenes: panda (free), panda_grasp, humanoid (lying), g1 (standing), clutter100, pile216; "
        "all by default.\n"
        "Each settles first; then 15 batches of 20 steps from the same state are timed on one "
        "thread. Least and\n"
        "median over the batches, least per stage, contacts, Newton iterations, worst residual, "
        "and a hash of the\n"
        "final state: a faster run with another hash is another simulation. LIMPET_SHARED names "
        "the folder of the\n"
        "models (default ../shared); scenes without files are skipped. --against mujoco needs the "
        "PyPI package\n"
        "mujoco-core 4.0.1 in python3, or in the python3 that LIMPET_PYTHON names; MuJoCo starts "
        "from Limpet's\n"
        "settled state, settles with its own contact, and both take turns, batch by batch.\n"
        "'limpet bench --moving' runs other scenes from their start pose to the end: CPU time per "
        "step, stages,\n"
        "contacts, pairs, iterations, deepest overlap. Scenes: 2f85, humanoid, g1, shadow_hand, "
        "anymal, aloha,\n"
        "allegro, cassie, panda, panda_shaken, clutter40, clutter100, clutter200, clutter1000, "
        "clutter10000.\n"
        "'limpet bench truth' measures instead how true friction is where contacts begin: boxes "
        "that land and slide\n"
        "on floors and slabs, shaken slopes, falling robots and heaps, each against what nature "
        "says.\n",
    .examples =
        "  limpet bench panda humanoid\n"
        "  limpet bench --against mujoco --json > bench.json\n"
        "  limpet bench --moving --instructions --json > before.json\n"
        "  limpet bench --moving --instructions --baseline before.json\n"
        "  limpet bench truth --contact lagged,similar\n",
    .run = run,
};

/* cli/bench_scene.h: the scenes of `limpet bench`: files, start states, how long they settle. */
#ifndef LIMPET_CLI_BENCH_SCENE_H
#define LIMPET_CLI_BENCH_SCENE_H

#include "limpet/limpet.h"
#include "output.h"

enum { LIMPET_BENCH_SCENE_COUNT = 6 };
#define LIMPET_BENCH_TIME_STEP 0.002  // [s]  of all scenes and simulators

typedef struct limpet_bench_scene {
  const char *name;
  const char *text;      // what it is
  const char *file;      // below the shared data; NULL: `edit` makes it from nothing
  const char *keyframe;  // NULL: the pose of the file
  double settle;         // [s]  simulated before the clock starts
  int peer_settle;       // steps that a peer makes from our settled state before its clock starts
  // Changes the text of the file before it is loaded (the result by malloc); NULL: it is loaded as
  // it stands.
  char *(*edit)(const char *text, const char *folder);
  void (*prepare)(const limpet_model *model,
                  limpet_data *data);  // start state; NULL: that of the keyframe or file
} limpet_bench_scene;

extern const limpet_bench_scene limpet_bench_scenes[LIMPET_BENCH_SCENE_COUNT];

// A scene that is ready to be timed.
typedef struct limpet_bench_world {
  const limpet_bench_scene *scene;
  char path[LIMPET_PATH_SIZE];  // of the file that was loaded
  bool temporary;               // it is an edited copy, removed by close
  limpet_model *model;
  limpet_data *data;
  limpet_step_settings settings;
  double *state;     // the settled state
  double load_time;  // [s]
} limpet_bench_world;

typedef enum limpet_bench_readiness {
  LIMPET_BENCH_READY,
  LIMPET_BENCH_SKIPPED,  // the file is not there
  LIMPET_BENCH_FAILED    // it does not load, or the simulation stopped while it settled
} limpet_bench_readiness;

// Loads, prepares, settles; says on stderr why, when the scene is not ready.
limpet_bench_readiness limpet_bench_open(limpet_bench_world *world,
                                         const limpet_bench_scene *scene);
void limpet_bench_close(limpet_bench_world *world);

// What the Panda of several scenes begins with: home plus 0.2 rad; a cube between its pads, which
// an edited copy of its file holds.
void limpet_bench_panda_start(const limpet_model *model, limpet_data *data);
void limpet_bench_grasp_start(const limpet_model *model, limpet_data *data);
char *limpet_bench_grasp_edit(const char *text, const char *folder);

#endif

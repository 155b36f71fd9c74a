/* tests/support/golden_run.h: golden scenes of a folder run with every contact model that they have
 * results of; velocities are compared where a scene has some. */
#ifndef LIMPET_TEST_GOLDEN_RUN_H
#define LIMPET_TEST_GOLDEN_RUN_H

#include "limpet/step.h"
#include "shared_data.h"

typedef struct golden_run {
  const char *folder;    // of JSON files, below the shared data
  const char *contacts;  // name of the number of contacts in what is expected
  double allowed;        // [-]  relative error of velocities
  bool solved;           // every step must be
  // the world at the start of a scene; both are destroyed after its run
  limpet_model *(*model)(const json_t *root);
  void (*start)(const json_t *root, limpet_data *data);
  limpet_step_settings (*settings)(const limpet_model *model, const json_t *root,
                                   const char *contact_model);
  double (*error)(const limpet_data *data, const json_t *expected);
} golden_run;

/* Runs all scenes, prints what misses (with LIMPET_VERBOSE everything), and fails if any does.
 * Returns how many runs there were; 0: the folder is not there. */
int golden_run_all(const golden_run *run);

#endif

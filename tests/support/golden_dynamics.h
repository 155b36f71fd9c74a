/* tests/support/golden_dynamics.h: comparing a model and its dynamics with a file of
 * golden/dynamics (README there).
 *
 * What Limpet does not simulate yet (muscles, ...) is left out field by
 * field, and said so. */
#ifndef LIMPET_TEST_GOLDEN_DYNAMICS_H
#define LIMPET_TEST_GOLDEN_DYNAMICS_H

#include "limpet/dynamics.h"
#include "shared_data.h"

// How golden objects map to those of the model, and which fields can be compared.
typedef struct golden_match {
  const json_t *file;
  const limpet_model *model;
  int tendon_count, actuator_count;  // golden
  int *tendon, *actuator;            // golden index -> ours, or -1
  bool springs, dampers, actuation,
      mass;           // these forces, the whole actuation, M and bias can be compared
  double tolerance;   // least relative tolerance: 0, or 1e-6 where masses come from meshes
  char skipped[512];  // what was left out, in words
} golden_match;

golden_match golden_match_create(const json_t *file, const limpet_model *model);
void golden_match_destroy(golden_match *match);

// Sizes, bodies, joints, actuators, tendons, geometry, meshes. Prints every disagreement.
bool golden_tables_agree(golden_match *match);
/* All fields of all states; returns how many states were compared, or -1 - that number if something
 * disagrees. */
int golden_states_compare(golden_match *match);

bool golden_has_feature(const json_t *file, const char *feature);
const char *golden_string(const json_t *object, const char *key);  // "" if there is none
double golden_number(const json_t *object, const char *key);       // NAN if there is none

#endif

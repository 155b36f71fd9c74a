/* tests/support/golden_match.c: which objects of a golden file are which of the model, and what
 * cannot be compared. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden_dynamics.h"

const char *golden_string(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

double golden_number(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

bool golden_has_feature(const json_t *file, const char *feature) {
  const json_t *features = json_object_get(file, "features");
  for (size_t i = 0; i < json_array_size(features); ++i)
    if (strcmp(json_string_value(json_array_get(features, i)), feature) == 0) return true;
  return false;
}

static void skip(golden_match *match, const char *what) {
  const size_t used = strlen(match->skipped);
  if (!strstr(match->skipped, what))
    snprintf(match->skipped + used, sizeof match->skipped - used, "%s%s", used ? "; " : "", what);
}

static bool word_in(const char *word, const char *const *list) {
  for (; *list; ++list)
    if (strcmp(word, *list) == 0) return true;
  return false;
}

static bool actuator_is_supported(const golden_match *match, const json_t *actuator) {
  static const char *const transmissions[] = {"joint",       "jointinparent", "tendon", "site",
                                              "slidercrank", "body",          NULL};
  static const char *const dynamics[] = {"none", "integrator", "filter", "filterexact", NULL};
  static const char *const gains[] = {"fixed", "affine", NULL}, *const biases[] = {"none", "affine",
                                                                                   NULL};
  const char *transmission = golden_string(actuator, "trntype");
  if (strcmp(transmission, "tendon") == 0) {
    const int t = (int)json_integer_value(json_array_get(json_object_get(actuator, "trnid"), 0));
    if (t < 0 || t >= match->tendon_count || match->tendon[t] < 0) return false;
  }
  return word_in(transmission, transmissions) &&
         word_in(golden_string(actuator, "dyntype"), dynamics) &&
         word_in(golden_string(actuator, "gaintype"), gains) &&
         word_in(golden_string(actuator, "biastype"), biases);
}

// By number where counts agree, else by name.
static int object_of(const limpet_model *model, limpet_object object, int golden_count, int index,
                     const char *name) {
  if (limpet_model_count(model, object) == golden_count) return index;
  return *name ? limpet_model_find(model, object, name) : -1;
}

static void match_tendons(golden_match *match) {
  const json_t *tendons = json_object_get(match->file, "tendons");
  for (int i = 0; i < match->tendon_count; ++i) {
    const json_t *tendon = json_array_get(tendons, (size_t)i);
    match->tendon[i] = object_of(match->model, LIMPET_OBJECT_TENDON, match->tendon_count, i,
                                 golden_string(tendon, "name"));
  }
}

static void match_actuators(golden_match *match) {
  const json_t *actuators = json_object_get(match->file, "actuators");
  for (int i = 0; i < match->actuator_count; ++i) {
    const json_t *actuator = json_array_get(actuators, (size_t)i);
    match->actuator[i] = -1;
    if (actuator_is_supported(match, actuator)) {
      match->actuator[i] = object_of(match->model, LIMPET_OBJECT_ACTUATOR, match->actuator_count, i,
                                     golden_string(actuator, "name"));
      if (match->actuator[i] >= 0) continue;
    }
    match->actuation = false;
    char text[128];
    snprintf(text, sizeof text, "actuators %s/%s/%s", golden_string(actuator, "trntype"),
             golden_string(actuator, "dyntype"), golden_string(actuator, "gaintype"));
    skip(match, text);
  }
}

golden_match golden_match_create(const json_t *file, const limpet_model *model) {
  golden_match match = {.file = file,
                        .model = model,
                        .springs = true,
                        .dampers = true,
                        .actuation = true,
                        .mass = true};
  match.tendon_count = (int)json_array_size(json_object_get(file, "tendons"));
  match.actuator_count = (int)json_array_size(json_object_get(file, "actuators"));
  match.tendon = calloc((size_t)match.tendon_count + 1, sizeof(int));
  match.actuator = calloc((size_t)match.actuator_count + 1, sizeof(int));
  match_tendons(&match);
  match_actuators(&match);
  return match;
}

void golden_match_destroy(golden_match *match) { free(match->tendon), free(match->actuator); }

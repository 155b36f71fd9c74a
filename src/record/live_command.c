/* record/live_command.c: reads what a page asks, and believes none of it: verbs, numbers and
 * indices are checked here. */
#include "record/live_command.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

static const double slowest = 1e-3, fastest = 1e3;  // speeds that can be asked for  [-]
static const double farthest = 1e6;                 // [m]  coordinates of a drag

static const char *const verbs[LIMPET_LIVE_VERB_COUNT] = {"play",  "pause", "step",    "speed",
                                                          "reset", "drag",  "release", "control"};

static bool read_number(const json_t *object, const char *name, double *value) {
  const json_t *entry = json_object_get(object, name);
  if (!json_is_number(entry)) return false;
  *value = json_number_value(entry);
  return isfinite(*value);
}

// a whole number, 0 to limit - 1
static bool read_index(const json_t *object, const char *name, int limit, int *index) {
  const json_t *entry = json_object_get(object, name);
  const json_int_t value = json_integer_value(entry);
  *index = (int)value;
  return json_is_integer(entry) && value >= 0 && value < limit;
}

static bool read_place(const json_t *object, const char *name, double place[3]) {
  const json_t *entry = json_object_get(object, name);
  if (json_array_size(entry) != 3) return false;
  for (size_t k = 0; k < 3; ++k) {
    const json_t *number = json_array_get(entry, k);
    place[k] = json_number_value(number);
    if (!json_is_number(number) || !(fabs(place[k]) <= farthest)) return false;
  }
  return true;
}

static bool read_rest(const json_t *object, const limpet_model *model,
                      limpet_live_command *command) {
  switch (command->verb) {
    case LIMPET_LIVE_STEP:
      return read_index(object, "count", LIMPET_LIVE_STEP_LIMIT + 1, &command->number);
    case LIMPET_LIVE_SPEED:
      return read_number(object, "value", &command->value) && command->value >= slowest &&
             command->value <= fastest;
    case LIMPET_LIVE_DRAG:
      return read_index(object, "body", model->body_count, &command->number) &&
             model->body_tree[command->number] >= 0 &&
             read_place(object, "point", command->point) &&
             read_place(object, "target", command->target);
    case LIMPET_LIVE_CONTROL:
      return read_index(object, "actuator", model->nu, &command->number) &&
             read_number(object, "value", &command->value);
    default: return true;
  }
}

bool limpet_live_command_read(const char *text, const limpet_model *model,
                              limpet_live_command *command) {
  assert(text && model && command);
  json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
  const char *word = json_string_value(json_object_get(object, "do"));
  bool known = false;
  for (int v = 0; word && v < LIMPET_LIVE_VERB_COUNT; ++v)
    if (strcmp(word, verbs[v]) == 0) {
      *command = (limpet_live_command){.verb = (limpet_live_verb)v};
      known = true;
    }
  known = known && read_rest(object, model, command);
  json_decref(object);
  return known;
}

/* record/channel.c: which numbers a run has by name, and their values. Free joints have none: where
 * their bodies are is in the frame. */
#include "record/channel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "limpet/control.h"
#include "limpet/sense.h"

enum { NAME_SIZE = 96 };

typedef enum channel_source {
  SOURCE_Q,
  SOURCE_V,
  SOURCE_ACTUATOR_TORQUE,    // of a joint, of all actuators
  SOURCE_CONSTRAINT_TORQUE,  // of a joint, of contacts and constraints
  SOURCE_CONTROL,
  SOURCE_ACTUATOR_FORCE,
  SOURCE_SENSOR,
  SOURCE_CUSTOM,
  SOURCE_COUNT
} channel_source;

struct limpet_channel {
  channel_source source;
  int index;  // into the array of the source
  const char *unit;
  char name[NAME_SIZE];
};

static const char *const kind_word[SOURCE_COUNT] = {"q",       "v",     "tau",    "load",
                                                    "control", "force", "sensor", "custom"};

// ------------------------------------------------------------------------------------ making

// A channel called `name`, or "name.part"; false: no memory.
static bool add(limpet_channels *channels, channel_source source, int index, const char *unit,
                const char *name, const char *part) {
  if (channels->count == LIMPET_CHANNEL_LIMIT) {
    ++channels->left_out;
    return true;
  }
  if (!limpet_grow(&channels->channel, &channels->capacity, channels->count + 1,
                   sizeof *channels->channel))
    return false;
  limpet_channel *channel = &channels->channel[channels->count++];
  *channel = (limpet_channel){.source = source, .index = index, .unit = unit};
  const int length =
      snprintf(channel->name, sizeof channel->name, "%s%s%s", name, *part ? "." : "", part);
  return length >= 0;  // a name that is too long is cut
}

// The object's own name, or its kind and number.
static const char *name_of(const limpet_model *model, limpet_object object, const char *word,
                           int index, char text[NAME_SIZE]) {
  const char *name = limpet_model_name(model, object, index);
  if (name) return name;
  snprintf(text, NAME_SIZE, "%s %d", word, index);
  return text;
}

static bool add_velocities(limpet_channels *channels, int joint, const char *name) {
  static const char *const axes[] = {"x", "y", "z"};
  const limpet_model *model = channels->model;
  const limpet_joint_kind kind = model->joint_kind[joint];
  const bool slides = kind == LIMPET_JOINT_PRISMATIC;
  const int count = kind == LIMPET_JOINT_BALL ? 3 : 1, first = model->joint_v[joint];
  bool done = true;
  for (int k = 0; k < count && done; ++k) {
    const char *part = count > 1 ? axes[k] : "", *force = slides ? "N" : "N m";
    done = add(channels, SOURCE_V, first + k, slides ? "m/s" : "rad/s", name, part) &&
           add(channels, SOURCE_ACTUATOR_TORQUE, first + k, force, name, part) &&
           add(channels, SOURCE_CONSTRAINT_TORQUE, first + k, force, name, part);
  }
  return done;
}

static bool add_joints(limpet_channels *channels) {
  static const char *const parts[] = {"w", "x", "y", "z"};
  const limpet_model *model = channels->model;
  bool done = true;
  for (int j = 0; j < model->joint_count && done; ++j) {
    const limpet_joint_kind kind = model->joint_kind[j];
    if (kind == LIMPET_JOINT_FREE) continue;
    char text[NAME_SIZE];
    const char *name = name_of(model, LIMPET_OBJECT_JOINT, "joint", j, text);
    const int count = kind == LIMPET_JOINT_BALL ? 4 : 1;
    const char *unit = kind == LIMPET_JOINT_BALL        ? ""
                       : kind == LIMPET_JOINT_PRISMATIC ? "m"
                                                        : "rad";
    for (int k = 0; k < count && done; ++k)
      done = add(channels, SOURCE_Q, model->joint_q[j] + k, unit, name, count > 1 ? parts[k] : "");
    done = done && add_velocities(channels, j, name);
  }
  return done;
}

static bool add_actuators(limpet_channels *channels) {
  const limpet_model *model = channels->model;
  bool done = true;
  for (int i = 0; i < model->nu && done; ++i) {
    char text[NAME_SIZE];
    const char *name = name_of(model, LIMPET_OBJECT_ACTUATOR, "actuator", i, text);
    const char *unit = limpet_control_unit(model, i);
    done = add(channels, SOURCE_CONTROL, i, strcmp(unit, "1") == 0 ? "" : unit, name, "") &&
           add(channels, SOURCE_ACTUATOR_FORCE, i, "N or N m", name, "");
  }
  return done;
}

static bool add_sensors(limpet_channels *channels) {
  const limpet_model *model = channels->model;
  bool done = true;
  for (int s = 0; s < model->sensor_count && done; ++s) {
    const int first = model->sensor_address[s],
              end = s + 1 < model->sensor_count ? model->sensor_address[s + 1] : model->nsensor;
    char text[NAME_SIZE], part[16] = "";
    const char *name = name_of(model, LIMPET_OBJECT_SENSOR, "sensor", s, text);
    for (int k = first; k < end && done; ++k) {
      if (end - first > 1) snprintf(part, sizeof part, "%d", k - first);
      done = add(channels, SOURCE_SENSOR, k, limpet_sensor_kind_unit(model->sensor_kind[s]), name,
                 part);
    }
  }
  return done;
}

static bool add_custom(limpet_channels *channels, const limpet_replay_custom *custom) {
  if (!custom || custom->count <= 0) return true;
  channels->custom = *custom;
  channels->custom_value = calloc((size_t)custom->count, sizeof *channels->custom_value);
  bool done = channels->custom_value;
  for (int i = 0; i < custom->count && done; ++i)
    done = add(channels, SOURCE_CUSTOM, i, "", custom->name[i], "");
  return done;
}

limpet_channels *limpet_channels_create(const limpet_model *model,
                                        const limpet_replay_custom *custom) {
  limpet_channels *channels = calloc(1, sizeof *channels);
  if (!channels) return NULL;
  channels->model = model;
  // what the user asked for comes first, so that it is never left out
  if (add_custom(channels, custom) && add_joints(channels) && add_actuators(channels) &&
      add_sensors(channels))
    return channels;
  limpet_channels_destroy(channels);
  return NULL;
}

void limpet_channels_destroy(limpet_channels *channels) {
  if (!channels) return;
  free(channels->channel);
  free(channels->custom_value);
  free(channels);
}

// ------------------------------------------------------------------------------------- values

static const double *array_of(const limpet_channels *channels, const limpet_data *data,
                              channel_source source) {
  switch (source) {
    case SOURCE_Q: return data->q;
    case SOURCE_V: return data->v;
    case SOURCE_ACTUATOR_TORQUE: return data->actuator_joint_force;
    case SOURCE_CONSTRAINT_TORQUE: return data->constraint_joint_force;
    case SOURCE_CONTROL: return data->control;
    case SOURCE_ACTUATOR_FORCE: return data->actuator_force;
    case SOURCE_SENSOR: return data->sensor;
    case SOURCE_CUSTOM: return channels->custom_value;
    case SOURCE_COUNT: break;
  }
  return NULL;
}

void limpet_channels_take(limpet_channels *channels, const limpet_data *data, float *values) {
  if (channels->custom.count > 0)
    channels->custom.values(channels->custom.context, data, channels->custom_value);
  for (int i = 0; i < channels->count; ++i) {
    const limpet_channel *channel = &channels->channel[i];
    values[i] = (float)array_of(channels, data, channel->source)[channel->index];
  }
}

json_t *limpet_channels_encode(const limpet_channels *channels) {
  json_t *list = json_array();
  for (int i = 0; i < channels->count; ++i) {
    const limpet_channel *channel = &channels->channel[i];
    json_t *name = json_string(channel->name);  // NULL where a name is not UTF-8
    json_array_append_new(
        list, json_pack("{s:o, s:s, s:s}", "name", name ? name : json_string("?"), "kind",
                        kind_word[channel->source], "unit", channel->unit ? channel->unit : ""));
  }
  return list;
}

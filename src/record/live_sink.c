/* record/live_sink.c: frames as messages, 60 a second at most, and only while someone watches. */
#include "record/live_sink.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/grow.h"
#include "limpet/control.h"

static const double frame_period = 1.0 / 60.0;  // s

enum { MESSAGE_SCENE = 1, MESSAGE_FRAME = 2, HEAD_SIZE = 8, ALIGNMENT = 8 };

double limpet_wall_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ------------------------------------------------------------------------------------- messages

static void message_put(void *target, const void *bytes, size_t size) {
  limpet_message *message = target;
  if (message->failed || size == 0) return;
  const bool room = size <= (size_t)(INT32_MAX - message->size) &&
                    limpet_grow(&message->bytes, &message->capacity, message->size + (int)size, 1);
  message->failed = !room;
  if (!room) return;
  memcpy(message->bytes + message->size, bytes, size);
  message->size += (int)size;
}

limpet_web_bytes limpet_message_bytes(const limpet_message *message) {
  return (limpet_web_bytes){message->bytes, (size_t)message->size};
}

// Head and JSON, then the arrays that the JSON names. Takes the JSON.
static bool message_write(limpet_message *message, uint32_t kind, json_t *value,
                          const limpet_message *arrays) {
  char *text = value ? limpet_record_text(value) : NULL;
  json_decref(value);
  if (!text || arrays->failed) {
    free(text);
    return false;
  }
  static const char blanks[ALIGNMENT] = "        ";
  const size_t length = strlen(text), filled = (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  const uint32_t head[2] = {kind, (uint32_t)filled};
  message->size = 0;
  message->failed = false;
  message_put(message, head, HEAD_SIZE);
  message_put(message, text, length);
  message_put(message, blanks, filled - length);
  message_put(message, arrays->bytes, (size_t)arrays->size);
  free(text);
  return !message->failed;
}

// ---------------------------------------------------------------------------------------- scene

static json_t *actuators(const limpet_model *model) {
  json_t *list = json_array();
  for (int i = 0; i < model->nu; ++i) {
    const char *name = limpet_model_name(model, LIMPET_OBJECT_ACTUATOR, i);
    json_t *entry = json_object(), *word = name ? json_string(name) : NULL;
    json_object_set_new(entry, "name", word ? word : json_sprintf("actuator %d", i));
    json_object_set_new(entry, "unit", json_string(limpet_control_unit(model, i)));
    if (model->actuator_control_limited[i]) {
      json_object_set_new(entry, "low", json_real(model->actuator_control_range[2 * i]));
      json_object_set_new(entry, "high", json_real(model->actuator_control_range[2 * i + 1]));
    }
    json_array_append_new(list, entry);
  }
  return list;
}

static limpet_status begin(limpet_sink *base, const limpet_scene *scene,
                           const limpet_run_facts *facts, limpet_error *error) {
  limpet_live_sink *sink = (limpet_live_sink *)base;
  limpet_message arrays = {0};
  limpet_byte_stream stream = {.put = message_put, .target = &arrays};
  sink->facts = *facts;
  sink->store.moving_count = scene->moving_count;
  sink->store.skin_count = scene->skin->vertex_count;
  sink->store.channel_count = scene->channels->count;
  json_t *encoded = limpet_scene_encode(scene, &stream);
  json_t *message = json_pack("{s:o, s:o}", "scene", encoded, "actuators", actuators(scene->model));
  const bool written = message_write(&sink->hello, MESSAGE_SCENE, message, &arrays);
  free(arrays.bytes);
  if (written) return LIMPET_OK;
  return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "not enough memory for a live view");
}

// --------------------------------------------------------------------------------------- frames

static bool wants(const limpet_sink *base, double time) {
  const limpet_live_sink *sink = (const limpet_live_sink *)base;
  (void)time;
  if (!sink->web) return true;  // the first one waits for whoever comes
  if (limpet_web_clients(sink->web) == 0) return false;
  return sink->wanted || limpet_wall_clock() >= sink->due;
}

static limpet_status take(limpet_sink *base, const limpet_frame *frame, limpet_error *error) {
  limpet_live_sink *sink = (limpet_live_sink *)base;
  limpet_frame_store_clear(&sink->store);
  limpet_message arrays = {0};
  limpet_byte_stream stream = {.put = message_put, .target = &arrays};
  bool done = limpet_frame_store_append(&sink->store, frame) == LIMPET_OK;
  if (done) {
    json_t *run = limpet_run_encode(&sink->facts, &sink->store, &stream);
    json_t *message = json_pack("{s:o, s:o}", "run", run, "state", sink->state(sink->context));
    done = message_write(&sink->frame, MESSAGE_FRAME, message, &arrays);
  }
  free(arrays.bytes);
  if (done && sink->web) done = limpet_web_publish(sink->web, limpet_message_bytes(&sink->frame));
  sink->due = limpet_wall_clock() + frame_period;
  sink->wanted = false;
  if (done) return LIMPET_OK;
  return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "not enough memory for a live frame");
}

static limpet_status end(limpet_sink *base, limpet_error *error) {
  (void)base, (void)error;
  return LIMPET_OK;
}

void limpet_live_sink_open(limpet_live_sink *sink, json_t *(*state)(void *context), void *context) {
  *sink = (limpet_live_sink){
      .sink = {begin, wants, take, end}, .state = state, .context = context, .wanted = true};
}

void limpet_live_sink_close(limpet_live_sink *sink) {
  limpet_frame_store_free(&sink->store);
  free(sink->hello.bytes);
  free(sink->frame.bytes);
}

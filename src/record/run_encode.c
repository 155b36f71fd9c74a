/* record/run_encode.c: a run as JSON and binary arrays: times, outcomes, poses, contacts and
 * signals, each as one array over all frames. */
#include "record/frame_store.h"

static json_t *times(limpet_byte_stream *stream, const limpet_frame_store *store) {
  json_t *array = limpet_stream_array_begin(stream, LIMPET_ELEMENT_F8, (size_t)store->frame_count);
  for (int f = 0; f < store->frame_count; ++f)
    limpet_stream_write(stream, &store->frame[f].time, sizeof(double));
  return array;
}

static json_t *signals(limpet_byte_stream *stream, const limpet_frame_store *store) {
  json_t *all = json_object();
  for (int s = 0; s < LIMPET_SIGNAL_COUNT; ++s) {
    json_t *array =
        limpet_stream_array_begin(stream, LIMPET_ELEMENT_F4, (size_t)store->frame_count);
    for (int f = 0; f < store->frame_count; ++f)
      limpet_stream_write(stream, &store->frame[f].signal[s], sizeof(float));
    json_object_set_new(all, limpet_signal_name[s], array);
  }
  return all;
}

// contact_begin has one entry more than frames
static json_t *contact_begin(limpet_byte_stream *stream, const limpet_frame_store *store) {
  json_t *array =
      limpet_stream_array_begin(stream, LIMPET_ELEMENT_U4, (size_t)store->frame_count + 1);
  for (int f = 0; f < store->frame_count; ++f) {
    const uint32_t begin = (uint32_t)store->frame[f].contact_begin;
    limpet_stream_write(stream, &begin, sizeof begin);
  }
  const uint32_t end = (uint32_t)store->contact_count;
  limpet_stream_write(stream, &end, sizeof end);
  return array;
}

static json_t *contact_left_out(limpet_byte_stream *stream, const limpet_frame_store *store) {
  json_t *array = limpet_stream_array_begin(stream, LIMPET_ELEMENT_U4, (size_t)store->frame_count);
  for (int f = 0; f < store->frame_count; ++f) {
    const uint32_t count = (uint32_t)store->frame[f].contact_left_out;
    limpet_stream_write(stream, &count, sizeof count);
  }
  return array;
}

// one member of all contacts, which lies `offset` bytes into each
static json_t *contact_member(limpet_byte_stream *stream, const limpet_frame_store *store,
                              limpet_element element, size_t count, size_t offset, size_t size) {
  json_t *array = limpet_stream_array_begin(stream, element, count * (size_t)store->contact_count);
  for (int i = 0; i < store->contact_count; ++i)
    limpet_stream_write(stream, (const unsigned char *)&store->contact[i] + offset, size);
  return array;
}

static json_t *contacts(limpet_byte_stream *stream, const limpet_frame_store *store) {
  json_t *all = json_object();
  json_object_set_new(all, "begin", contact_begin(stream, store));
  json_object_set_new(all, "left_out", contact_left_out(stream, store));
  json_object_set_new(all, "position",
                      contact_member(stream, store, LIMPET_ELEMENT_F4, 3,
                                     offsetof(limpet_stored_contact, position), 12));
  json_object_set_new(all, "force",
                      contact_member(stream, store, LIMPET_ELEMENT_F4, 3,
                                     offsetof(limpet_stored_contact, force), 12));
  json_object_set_new(all, "normal",
                      contact_member(stream, store, LIMPET_ELEMENT_I2, 3,
                                     offsetof(limpet_stored_contact, normal), 6));
  static const struct {
    const char *name;
    size_t offset;
  } numbers[] = {{"area", offsetof(limpet_stored_contact, area)},
                 {"gap", offsetof(limpet_stored_contact, gap)},
                 {"slip", offsetof(limpet_stored_contact, slip)},
                 {"friction", offsetof(limpet_stored_contact, friction)}};
  for (size_t n = 0; n < sizeof numbers / sizeof *numbers; ++n)
    json_object_set_new(
        all, numbers[n].name,
        contact_member(stream, store, LIMPET_ELEMENT_F4, 1, numbers[n].offset, sizeof(float)));
  json_object_set_new(all, "geom",
                      contact_member(stream, store, LIMPET_ELEMENT_U4, 2,
                                     offsetof(limpet_stored_contact, geom), 8));
  return all;
}

// begin has one entry more than frames
static json_t *patches(limpet_byte_stream *stream, const limpet_frame_store *store) {
  json_t *all = json_object();
  json_t *begin =
      limpet_stream_array_begin(stream, LIMPET_ELEMENT_U4, (size_t)store->frame_count + 1);
  for (int f = 0; f <= store->frame_count; ++f) {
    const uint32_t first =
        (uint32_t)(f < store->frame_count ? store->frame[f].polygon_begin : store->polygon_count);
    limpet_stream_write(stream, &first, sizeof first);
  }
  json_object_set_new(all, "begin", begin);
  json_object_set_new(all, "size",
                      limpet_stream_array(stream, LIMPET_ELEMENT_U2, (size_t)store->polygon_count,
                                          store->polygon_size));
  json_object_set_new(all, "corner",
                      limpet_stream_array(stream, LIMPET_ELEMENT_F4,
                                          4 * (size_t)store->corner_count, store->corner));
  return all;
}

static json_t *outcomes(limpet_byte_stream *stream, const limpet_frame_store *store) {
  json_t *array = limpet_stream_array_begin(stream, LIMPET_ELEMENT_U2, (size_t)store->frame_count);
  for (int f = 0; f < store->frame_count; ++f) {
    const uint16_t outcome = (uint16_t)store->frame[f].outcome;
    limpet_stream_write(stream, &outcome, sizeof outcome);
  }
  return array;
}

// the words of all outcomes, which the array of outcomes indexes
static json_t *outcome_words(void) {
  json_t *words = json_array();
  for (int outcome = LIMPET_OUTCOME_SOLVED; outcome < LIMPET_OUTCOME_COUNT; ++outcome)
    json_array_append_new(words, json_string(limpet_outcome_word((limpet_outcome)outcome)));
  return words;
}

json_t *limpet_run_encode(const limpet_run_facts *facts, const limpet_frame_store *store,
                          limpet_byte_stream *stream) {
  const size_t poses = (size_t)store->frame_count * (size_t)store->moving_count;
  json_t *frames = json_object();
  json_object_set_new(frames, "count", json_integer(store->frame_count));
  json_object_set_new(frames, "time", times(stream, store));
  json_object_set_new(frames, "outcome", outcomes(stream, store));
  json_object_set_new(frames, "position",
                      limpet_stream_array(stream, LIMPET_ELEMENT_F4, 3 * poses, store->position));
  json_object_set_new(frames, "quaternion",
                      limpet_stream_array(stream, LIMPET_ELEMENT_I2, 4 * poses, store->quaternion));
  json_object_set_new(frames, "skin",
                      limpet_stream_array(stream, LIMPET_ELEMENT_F4,
                                          LIMPET_SKIN_NUMBERS * (size_t)store->frame_count *
                                              (size_t)store->skin_count,
                                          store->skin));
  json_object_set_new(frames, "channels",
                      limpet_stream_array(stream, LIMPET_ELEMENT_F4,
                                          (size_t)store->frame_count * (size_t)store->channel_count,
                                          store->channel));
  json_object_set_new(frames, "contacts", contacts(stream, store));
  json_object_set_new(frames, "patches", patches(stream, store));
  json_object_set_new(frames, "signals", signals(stream, store));
  json_t *name = facts->name ? json_string(facts->name) : NULL;
  return json_pack("{s:o, s:s, s:s, s:f, s:o, s:o}", "name", name ? name : json_string(""),
                   "scheme", facts->scheme, "contact_model", facts->contact_model, "time_step",
                   facts->time_step, "outcomes", outcome_words(), "frames", frames);
}

/* record/replay_frames.c: times, poses, contacts and plotted series of a replay, each as one array
 * over all frames. */
#include "record/replay_page.h"

// what the viewer calls the series, in the order of limpet_series
static const char *const series_name[LIMPET_SERIES_COUNT] = {
    "penetration", "force",          "iterations",       "step_time",
    "contacts",    "kinetic_energy", "potential_energy", "contact_energy"};

static json_t *times(limpet_page *page, const limpet_replay *replay) {
  json_t *array = limpet_page_array_begin(page, LIMPET_ELEMENT_F8, (size_t)replay->frame_count);
  for (int f = 0; f < replay->frame_count; ++f)
    limpet_page_write(page, &replay->frame[f].time, sizeof(double));
  return array;
}

static json_t *series(limpet_page *page, const limpet_replay *replay) {
  json_t *all = json_object();
  for (int s = 0; s < LIMPET_SERIES_COUNT; ++s) {
    json_t *array = limpet_page_array_begin(page, LIMPET_ELEMENT_F4, (size_t)replay->frame_count);
    for (int f = 0; f < replay->frame_count; ++f)
      limpet_page_write(page, &replay->frame[f].series[s], sizeof(float));
    json_object_set_new(all, series_name[s], array);
  }
  return all;
}

// contact_begin has one entry more than frames
static json_t *contact_begin(limpet_page *page, const limpet_replay *replay) {
  json_t *array = limpet_page_array_begin(page, LIMPET_ELEMENT_U4, (size_t)replay->frame_count + 1);
  for (int f = 0; f < replay->frame_count; ++f) {
    const uint32_t begin = (uint32_t)replay->frame[f].contact_begin;
    limpet_page_write(page, &begin, sizeof begin);
  }
  const uint32_t end = (uint32_t)replay->contact_count;
  limpet_page_write(page, &end, sizeof end);
  return array;
}

static json_t *contact_left_out(limpet_page *page, const limpet_replay *replay) {
  json_t *array = limpet_page_array_begin(page, LIMPET_ELEMENT_U4, (size_t)replay->frame_count);
  for (int f = 0; f < replay->frame_count; ++f) {
    const uint32_t count = (uint32_t)replay->frame[f].contact_left_out;
    limpet_page_write(page, &count, sizeof count);
  }
  return array;
}

// one member of all contacts, which lies `offset` bytes into each
static json_t *contact_member(limpet_page *page, const limpet_replay *replay,
                              limpet_element element, size_t count, size_t offset, size_t size) {
  json_t *array = limpet_page_array_begin(page, element, count * (size_t)replay->contact_count);
  for (int i = 0; i < replay->contact_count; ++i)
    limpet_page_write(page, (const unsigned char *)&replay->contact[i] + offset, size);
  return array;
}

static json_t *contacts(limpet_page *page, const limpet_replay *replay) {
  json_t *all = json_object();
  json_object_set_new(all, "begin", contact_begin(page, replay));
  json_object_set_new(all, "left_out", contact_left_out(page, replay));
  json_object_set_new(all, "position",
                      contact_member(page, replay, LIMPET_ELEMENT_F4, 3,
                                     offsetof(limpet_replay_contact, position), 12));
  json_object_set_new(all, "force",
                      contact_member(page, replay, LIMPET_ELEMENT_F4, 3,
                                     offsetof(limpet_replay_contact, force), 12));
  json_object_set_new(all, "normal",
                      contact_member(page, replay, LIMPET_ELEMENT_I2, 3,
                                     offsetof(limpet_replay_contact, normal), 6));
  json_object_set_new(
      all, "geom",
      contact_member(page, replay, LIMPET_ELEMENT_U4, 2, offsetof(limpet_replay_contact, geom), 8));
  return all;
}

void limpet_replay_frames(limpet_page *page, json_t *run, const limpet_replay *replay) {
  const size_t poses = (size_t)replay->frame_count * (size_t)replay->moving_count;
  json_t *frames = json_object();
  json_object_set_new(frames, "count", json_integer(replay->frame_count));
  json_object_set_new(frames, "time", times(page, replay));
  json_object_set_new(frames, "position",
                      limpet_page_array(page, LIMPET_ELEMENT_F4, 3 * poses, replay->position));
  json_object_set_new(frames, "quaternion",
                      limpet_page_array(page, LIMPET_ELEMENT_I2, 4 * poses, replay->quaternion));
  json_object_set_new(frames, "contacts", contacts(page, replay));
  json_object_set_new(frames, "series", series(page, replay));
  json_object_set_new(run, "frames", frames);
}

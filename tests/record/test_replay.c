/* tests/record/test_replay.c: replays: what the page carries, decoded again, is what was
 * appended. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "puppet.h"
#include "record/output_file.h"
#include "record/replay_file.h"

static const char page_path[] = LIMPET_BINARY_DIR "/test_replay.html";

static limpet_replay *collect(const limpet_model *model, int last, int frame_limit,
                              void (*change)(limpet_data *, int)) {
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = puppet_settings(model);
  limpet_replay_options options = limpet_replay_options_default();
  options.settings = &settings;
  options.frame_limit = frame_limit;
  limpet_replay *replay = limpet_replay_create(model, &options);
  assert_non_null(replay);
  for (int step = 0; step <= last; ++step) {
    puppet_move(model, data, step);
    if (change) change(data, step);
    assert_int_equal(limpet_replay_append(replay, model, data), LIMPET_OK);
  }
  limpet_data_destroy(data);
  return replay;
}

// ----------------------------------------------------------------------------------- decoding

// no half of a page is left by this process
static void expect_nothing_beside(void) {
  char *temporary = limpet_output_temporary(page_path);
  assert_int_equal(access(temporary, F_OK), -1);
  free(temporary);
}

static char *page_text(void) {
  FILE *file = fopen(page_path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  const size_t size = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(size + 1);
  assert_int_equal(fread(text, 1, size, file), size);
  text[size] = 0;
  fclose(file);
  return text;
}

// the content of the element that begins with `opening`, up to the first end of a script, as a
// browser reads it; by malloc
static char *element(const char *text, const char *opening) {
  const char *start = strstr(text, opening);
  assert_non_null(start);
  start += strlen(opening);
  const char *end = strstr(start, "</script>");
  assert_non_null(end);
  char *content = malloc((size_t)(end - start) + 1);
  memcpy(content, start, (size_t)(end - start));
  content[end - start] = 0;
  return content;
}

static unsigned char *decoded(const char *text) {
  const char *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  unsigned char *bytes = malloc(strlen(text) + 4);
  size_t count = 0;
  unsigned bits = 0;
  int held = 0;
  for (; *text && *text != '='; ++text) {
    bits = bits << 6 | (unsigned)(strchr(digits, *text) - digits);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes[count++] = (unsigned char)(bits >> held);
  }
  return bytes;
}

typedef struct page_content {
  json_t *scene, *runs;
  unsigned char *stream;
} page_content;

static json_t *page_json(const char *text, const char *opening) {
  char *content = element(text, opening);
  json_error_t error;
  json_t *value = json_loads(content, 0, &error);
  if (!value) fail_msg("%s", error.text);
  free(content);
  return value;
}

static page_content page_read(void) {
  char *text = page_text(),
       *stream = element(text, "<script type=\"text/plain\" id=\"limpet-stream\">");
  page_content page = {
      .scene = page_json(text, "<script type=\"application/json\" id=\"limpet-scene\">"),
      .runs = page_json(text, "<script type=\"application/json\" id=\"limpet-runs\">"),
      .stream = decoded(stream)};
  free(stream);
  free(text);
  return page;
}

static const json_t *frames_of(const page_content *page, size_t run) {
  const json_t *frames = json_object_get(json_array_get(page->runs, run), "frames");
  assert_non_null(frames);
  return frames;
}

static void page_free(page_content *page) {
  json_decref(page->scene);
  json_decref(page->runs);
  free(page->stream);
}

static const void *array(const page_content *page, const json_t *entry, const char *type,
                         size_t *count) {
  assert_string_equal(json_string_value(json_object_get(entry, "type")), type);
  *count = (size_t)json_integer_value(json_object_get(entry, "count"));
  const size_t offset = (size_t)json_integer_value(json_object_get(entry, "offset"));
  assert_int_equal(offset % 8, 0);
  return page->stream + offset;
}

// -------------------------------------------------------------------------------------- tests

static void write_or_fail(const limpet_replay *replay, const limpet_model *model) {
  limpet_error error = {0};
  if (limpet_replay_write(replay, model, page_path, &error) != LIMPET_OK)
    fail_msg("%s", error.message);
}

static void the_page_carries_what_was_appended(void **state) {
  const limpet_model *model = *state;
  if (!limpet_replay_available()) skip();
  limpet_replay *replay = collect(model, 1000, 3000, NULL);
  write_or_fail(replay, model);
  limpet_replay_destroy(replay);

  page_content page = page_read();
  const json_t *frames = frames_of(&page, 0), *bodies = json_object_get(page.scene, "bodies");
  size_t count, positions, quaternions;
  const double *time = array(&page, json_object_get(frames, "time"), "f8", &count);
  const float *position = array(&page, json_object_get(frames, "position"), "f4", &positions);
  const int16_t *quaternion =
      array(&page, json_object_get(frames, "quaternion"), "i2", &quaternions);
  assert_int_equal(json_array_size(bodies), model->body_count);

  // 2 s at 60 frames a second and the start; each frame at the first step that is due
  assert_int_equal(count, 121);
  limpet_data *data = limpet_data_create(model);
  const size_t tracks = positions / 3 / count;
  assert_int_equal(tracks, 3);  // two links and the cube
  assert_int_equal(quaternions, 4 * tracks * count);
  for (size_t f = 0; f < count; ++f) {
    assert_true(time[f] >= (double)f / 60.0 - 1e-6 && time[f] < (double)f / 60.0 + 0.002);
    puppet_move(model, data, (int)lround(time[f] / 0.002));
    for (int b = 0; b < model->body_count; ++b) {
      const json_int_t track =
          json_integer_value(json_object_get(json_array_get(bodies, (size_t)b), "track"));
      if (track < 0) continue;
      const size_t slot = f * tracks + (size_t)track;
      for (size_t k = 0; k < 3; ++k)
        assert_true(position[3 * slot + k] == (float)data->body_position[3 * (size_t)b + k]);
      for (size_t k = 0; k < 4; ++k)  // half a unit of the last place of 16 bits
        assert_true(fabs(quaternion[4 * slot + k] / 32767.0 -
                         data->body_quaternion[4 * (size_t)b + k]) < 0.51 / 32767.0);
    }
  }
  limpet_data_destroy(data);
  page_free(&page);
}

// the puppet's name holds an end tag, a quote and an ampersand
static void names_cannot_break_the_page(void **state) {
  const limpet_model *model = *state;
  if (!limpet_replay_available()) skip();
  limpet_replay *replay = collect(model, 100, 3000, NULL);
  write_or_fail(replay, model);
  limpet_replay_destroy(replay);
  page_content page = page_read();
  assert_string_equal(json_string_value(json_object_get(page.scene, "title")),
                      "puppet </script> <b>\"&\"");
  page_free(&page);
}

enum { SPIKE_STEP = 2345 };

static void one_spike(limpet_data *data, int step) {
  data->info.deepest_penetration = step == SPIKE_STEP ? 0.25 : 0.0;
  data->info.iterations = step == SPIKE_STEP + 1000 ? 99 : 1;
}

// frames are halved whenever they reach the limit, and peaks between frames survive it
static void thinning_keeps_peaks(void **state) {
  const limpet_model *model = *state;
  if (!limpet_replay_available()) skip();
  for (int limit = 20; limit < 60; limit += 7) {
    limpet_replay *replay = collect(model, 9999, limit, one_spike);
    write_or_fail(replay, model);
    limpet_replay_destroy(replay);
    page_content page = page_read();
    const json_t *frames = frames_of(&page, 0), *all = json_object_get(frames, "signals");
    size_t count, same;
    const double *time = array(&page, json_object_get(frames, "time"), "f8", &count);
    const float *penetration = array(&page, json_object_get(all, "penetration"), "f4", &same);
    const float *iterations = array(&page, json_object_get(all, "iterations"), "f4", &same);
    assert_in_range(count, limit / 2 - 1, limit);
    int spikes = 0, peaks = 0;
    for (size_t f = 1; f < count; ++f) {
      assert_true(fabs((time[f] - time[f - 1]) - (time[1] - time[0])) < 0.0041);
      if (penetration[f] == 0.25f) {
        ++spikes;
        assert_true(time[f - 1] < 0.002 * SPIKE_STEP - 1e-9 && 0.002 * SPIKE_STEP - 1e-9 < time[f]);
      } else assert_true(penetration[f] == 0.0f);
      peaks += iterations[f] == 99.0f;
    }
    assert_int_equal(spikes, 1);
    assert_int_equal(peaks, 1);
    page_free(&page);
  }
}

enum { MANY = LIMPET_STORED_CONTACT_LIMIT + 744 };

// more contacts than are kept, of 1, 2, 3, ... N
static void many_contacts(limpet_data *data, int step) {
  static int geom[2 * MANY];
  static double position[3 * MANY], frame[9 * MANY], force[3 * MANY], one[MANY], three[3 * MANY];
  (void)step;
  for (int i = 0; i < MANY; ++i) {
    frame[9 * i] = frame[9 * i + 4] = frame[9 * i + 8] = 1.0;
    force[3 * i + 2] = 1.0 + (7 * i) % MANY;
  }
  data->contact_count = MANY;
  data->contact_geom = geom;
  data->contact_position = position;
  data->contact_frame = frame;
  data->contact_force = force;
  data->contact_area = data->contact_distance = data->contact_friction = one;
  data->contact_velocity = three;
}

static void the_strongest_contacts_are_kept(void **state) {
  const limpet_model *model = *state;
  if (!limpet_replay_available()) skip();
  limpet_replay *replay = collect(model, 0, 3000, many_contacts);
  write_or_fail(replay, model);
  limpet_replay_destroy(replay);
  page_content page = page_read();
  const json_t *contacts = json_object_get(frames_of(&page, 0), "contacts");
  size_t count, one;
  const float *force = array(&page, json_object_get(contacts, "force"), "f4", &count);
  const uint32_t *left_out = array(&page, json_object_get(contacts, "left_out"), "u4", &one);
  assert_int_equal(count, 3 * LIMPET_STORED_CONTACT_LIMIT);
  assert_int_equal(left_out[0], MANY - LIMPET_STORED_CONTACT_LIMIT);
  for (int i = 0; i < LIMPET_STORED_CONTACT_LIMIT; ++i)
    assert_true(force[3 * i + 2] == (float)(MANY - i));
  page_free(&page);
}

static void lift_cube(limpet_data *data, int step) {
  (void)step;
  data->q[4] += 0.1;
}

// Arrays of two runs in one page are those that each has in a page of its own, whatever the
// lengths.
static void several_runs_share_a_page(void **state) {
  const limpet_model *model = *state;
  if (!limpet_replay_available()) skip();
  limpet_replay *runs[2] = {collect(model, 1000, 3000, NULL), collect(model, 400, 20, lift_cube)};
  limpet_error error = {0};
  page_content alone[2], both;
  for (int r = 0; r < 2; ++r) {
    write_or_fail(runs[r], model);
    alone[r] = page_read();
    assert_int_equal(json_array_size(alone[r].runs), 1);
  }
  assert_int_equal(
      limpet_replays_write((const limpet_replay *const *)runs, 2, model, page_path, &error),
      LIMPET_OK);
  both = page_read();
  assert_int_equal(json_array_size(both.runs), 2);
  assert_true(
      json_equal(json_object_get(both.scene, "geoms"), json_object_get(alone[0].scene, "geoms")));
  static const struct {
    const char *key, *type;
    size_t size;
  } arrays[] = {{"time", "f8", 8}, {"position", "f4", 4}, {"quaternion", "i2", 2}};
  for (size_t r = 0; r < 2; ++r) {
    const json_t *shared = frames_of(&both, r), *own = frames_of(&alone[r], 0);
    for (size_t a = 0; a < sizeof arrays / sizeof *arrays; ++a) {
      size_t count, own_count;
      const void *values =
          array(&both, json_object_get(shared, arrays[a].key), arrays[a].type, &count);
      const void *own_values =
          array(&alone[r], json_object_get(own, arrays[a].key), arrays[a].type, &own_count);
      assert_int_equal(count, own_count);
      assert_memory_equal(values, own_values, count * arrays[a].size);
    }
  }
  assert_int_equal(json_integer_value(json_object_get(frames_of(&both, 0), "count")), 121);
  assert_true(json_integer_value(json_object_get(frames_of(&both, 1), "count")) <= 20);
  for (int r = 0; r < 2; ++r) {
    page_free(&alone[r]);
    limpet_replay_destroy(runs[r]);
  }
  page_free(&both);
}

// Of a cloud of more than 20 000 points every third here; within half a step of 16 bits of where
// they are.
static void clouds_are_carried(void **state) {
  (void)state;
  if (!limpet_replay_available()) skip();
  enum { POINTS = 50001, DRAWN = POINTS / 3 };
  static double points[3 * POINTS];
  for (int i = 0; i < 3 * POINTS; ++i) points[i] = 0.1 * sin(0.7 * i);
  limpet_builder *builder = limpet_builder_create();
  limpet_cloud_description cloud = limpet_cloud_description_default();
  cloud.point_count = POINTS, cloud.points = points, cloud.point_radius = 0.001;
  limpet_geom_description geom = limpet_geom_description_default();
  geom.kind = LIMPET_SHAPE_CLOUD, geom.cloud = limpet_builder_add_cloud(builder, &cloud);
  limpet_builder_add_geom(builder, &geom);
  limpet_error error = {0};
  limpet_model *model = limpet_builder_compile(builder, &error);
  if (!model) fail_msg("%s", error.message);
  limpet_data *data = limpet_data_create(model);
  limpet_replay *replay = limpet_replay_create(model, NULL);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
  assert_int_equal(limpet_replay_append(replay, model, data), LIMPET_OK);
  write_or_fail(replay, model);
  page_content page = page_read();
  const json_t *entry = json_array_get(json_object_get(page.scene, "clouds"), 0),
               *array_entry = json_object_get(entry, "points");
  const json_t *low = json_object_get(array_entry, "low"),
               *high = json_object_get(array_entry, "high");
  size_t count;
  const uint16_t *codes = array(&page, array_entry, "u2", &count);
  assert_int_equal(count, 3 * DRAWN);
  assert_true(json_number_value(json_object_get(entry, "radius")) == 0.001);
  for (size_t i = 0; i < count; ++i) {
    const double from = json_number_value(json_array_get(low, i % 3)),
                 to = json_number_value(json_array_get(high, i % 3));
    assert_true(fabs(from + (to - from) * codes[i] / 65535.0 - points[3 * (i / 3 * 3) + i % 3]) <
                0.51 * (to - from) / 65535.0);
  }
  const json_t *drawn = json_array_get(json_object_get(page.scene, "geoms"), 0);
  assert_string_equal(json_string_value(json_object_get(drawn, "kind")), "cloud");
  assert_int_equal(json_integer_value(json_object_get(drawn, "cloud")), 0);
  page_free(&page);
  limpet_replay_destroy(replay), limpet_data_destroy(data), limpet_model_destroy(model),
      limpet_builder_destroy(builder);
}

static void keep_bytes(void *target, const void *bytes, size_t size) {
  if (size > 0) fwrite(bytes, 1, size, target);
}

// The scene of the page is, byte for byte, what any other taker of the scene is handed.
static void the_scene_is_the_same_for_everybody(void **state) {
  const limpet_model *model = *state;
  if (!limpet_replay_available()) skip();
  limpet_replay *replay = collect(model, 100, 3000, NULL);
  write_or_fail(replay, model);
  limpet_replay_destroy(replay);
  char *text = page_text(),
       *stream = element(text, "<script type=\"text/plain\" id=\"limpet-stream\">"),
       *in_page = element(text, "<script type=\"application/json\" id=\"limpet-scene\">");
  unsigned char *page_bytes = decoded(stream);

  limpet_data *data = limpet_data_create(model);
  puppet_move(model, data, 0);
  limpet_kinematics(model, data);
  limpet_scene *scene = limpet_scene_create(model, NULL, NULL);
  limpet_scene_place(scene, data);
  char *bytes = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&bytes, &size);
  limpet_byte_stream taken = {.put = keep_bytes, .target = memory};
  json_t *value = limpet_scene_encode(scene, &taken);
  fclose(memory);
  char *scene_text = limpet_record_text(value);
  assert_string_equal(scene_text, in_page);
  assert_int_equal(size, taken.offset);
  assert_true(size > 0);
  assert_memory_equal(bytes, page_bytes, size);

  json_decref(value), free(scene_text), free(bytes);
  limpet_scene_destroy(scene), limpet_data_destroy(data);
  free(page_bytes), free(in_page), free(stream), free(text);
}

// A disk that is full, as a limit on the size of files: an error with the reason, and the page that
// was there stays.
static void a_full_disk_is_said(void **state) {
  const limpet_model *model = *state;
  if (!limpet_replay_available()) skip();
  limpet_replay *replay = collect(model, 100, 3000, NULL);
  write_or_fail(replay, model);
  char *before = page_text();
  struct rlimit limit, small;
  getrlimit(RLIMIT_FSIZE, &limit);
  small = limit;
  small.rlim_cur = 100000;  // bytes; the page has some 700 000
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  limpet_error error = {0};
  const limpet_status status = limpet_replay_write(replay, model, page_path, &error);
  setrlimit(RLIMIT_FSIZE, &limit);
  assert_int_equal(status, LIMPET_ERROR_FILE);
  assert_non_null(strstr(error.message, page_path));
  assert_non_null(strstr(error.message, "File too large"));
  char *after = page_text();
  assert_string_equal(before, after);
  expect_nothing_beside();
  free(before), free(after);
  limpet_replay_destroy(replay);
}

static void nothing_half_written(void **state) {
  const limpet_model *model = *state;
  limpet_error error = {0};
  limpet_replay *replay = collect(model, 100, 3000, NULL),
                *empty = limpet_replay_create(model, NULL);
  const limpet_status unwritable =
      limpet_replay_write(replay, model, "/no such folder/a.html", &error);
  assert_non_null(strstr(error.message, "/no such folder/a.html"));
  if (!limpet_replay_available()) {
    assert_int_equal(unwritable, LIMPET_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "npm"));
  } else {
    assert_int_equal(unwritable, LIMPET_ERROR_FILE);
    assert_int_equal(limpet_replay_write(replay, model, "/dev/null", &error), LIMPET_ERROR_FILE);
    assert_int_equal(limpet_replay_write(empty, model, page_path, &error), LIMPET_ERROR_STATE);
    const limpet_replay *const one_empty[2] = {replay, empty};
    assert_int_equal(limpet_replays_write(one_empty, 2, model, page_path, &error),
                     LIMPET_ERROR_STATE);
    struct stat status;
    assert_true(stat("/dev/null", &status) == 0 && S_ISCHR(status.st_mode));
    write_or_fail(replay, model);
    expect_nothing_beside();
  }
  limpet_replay_destroy(replay);
  limpet_replay_destroy(empty);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_page_carries_what_was_appended),
      cmocka_unit_test(names_cannot_break_the_page),
      cmocka_unit_test(thinning_keeps_peaks),
      cmocka_unit_test(the_strongest_contacts_are_kept),
      cmocka_unit_test(several_runs_share_a_page),
      cmocka_unit_test(clouds_are_carried),
      cmocka_unit_test(the_scene_is_the_same_for_everybody),
      cmocka_unit_test(a_full_disk_is_said),
      cmocka_unit_test(nothing_half_written),
  };
  return cmocka_run_group_tests(tests, puppet_create, puppet_destroy);
}

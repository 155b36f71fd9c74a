/* record/replay_write.c: one HTML page from the template of viewer/ and what a replay has
 * collected.
 *
 * The template holds one marker; at its place go a <script> element with the binary stream in
 * base64 and one with the JSON. The page loads nothing from elsewhere. docs/replay.md describes the
 * JSON. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "record/output_file.h"
#include "record/replay_page.h"

static const char marker[] = "<!--limpet replay data-->";

// Runs of one model, in the order in which they were given; the first one says what is common to
// all.
typedef struct limpet_page_content {
  const limpet_replay *const *replay;  // (count)
  int count;
  const limpet_model *model;
} limpet_page_content;

static json_t *description(const limpet_replay *replay, const limpet_model *model) {
  const double *gravity = model->options.gravity;
  json_t *title = json_string(replay->title);
  if (!title) title = json_string("");  // not UTF-8
  return json_pack("{s:s, s:i, s:s, s:o, s:f, s:i, s:i, s:[f,f,f]}", "format", "limpet replay",
                   "revision", 2, "version", limpet_version(), "title", title, "time_step",
                   replay->time_step, "nv", model->nv, "nu", model->nu, "gravity", gravity[0],
                   gravity[1], gravity[2]);
}

static void write_data(limpet_page *page, const limpet_page_content *content) {
  json_t *scene = description(content->replay[0], content->model), *runs = json_array();
  fputs("<script type=\"text/plain\" id=\"limpet-stream\">", page->file);
  limpet_replay_scene(page, scene, content->replay[0], content->model);
  for (int r = 0; r < content->count; ++r) {
    const limpet_replay *replay = content->replay[r];
    json_t *run =
        json_pack("{s:s, s:s}", "scheme", replay->scheme, "contact_model", replay->contact_model);
    limpet_replay_frames(page, run, replay);
    json_array_append_new(runs, run);
  }
  json_object_set_new(scene, "runs", runs);
  limpet_page_stream_end(page);
  fputs("</script>\n<script type=\"application/json\" id=\"limpet-scene\">", page->file);
  limpet_page_json(page, scene);
  fputs("</script>\n", page->file);
  json_decref(scene);
}

// where the marker begins, or the end if there is none
static size_t marker_offset(void) {
  const size_t length = sizeof marker - 1;
  for (size_t i = 0; i + length <= limpet_replay_template_size; ++i)
    if (memcmp(&limpet_replay_template[i], marker, length) == 0) return i;
  return limpet_replay_template_size;
}

static limpet_status write_page(FILE *file, const limpet_page_content *content, const char *path,
                                limpet_error *error) {
  limpet_page page = {.file = file};
  const size_t before = marker_offset(), after = before + sizeof marker - 1;
  if (after > limpet_replay_template_size)
    return limpet_error_fill(error, LIMPET_ERROR_STATE,
                             "the viewer's page has no marker \"%s\"; build again", marker);
  fwrite(limpet_replay_template, 1, before, file);
  write_data(&page, content);
  fwrite(limpet_replay_template + after, 1, limpet_replay_template_size - after, file);
  if (page.failed || ferror(file) || fflush(file) != 0)
    return limpet_error_fill(error, LIMPET_ERROR_FILE, "%s: cannot be written: %s", path,
                             strerror(errno ? errno : ENOMEM));
  return LIMPET_OK;
}

static limpet_status write_beside(const limpet_page_content *content, const char *path,
                                  const char *temporary, limpet_error *error) {
  errno = 0;
  FILE *file = fopen(temporary, "wb");
  if (!file)
    return limpet_error_fill(error, LIMPET_ERROR_FILE, "%s: cannot be written: %s", path,
                             strerror(errno));
  limpet_status status = write_page(file, content, path, error);
  if (fclose(file) != 0 && status == LIMPET_OK)
    status = limpet_error_fill(error, LIMPET_ERROR_FILE, "%s: cannot be written: %s", path,
                               strerror(errno));
  if (status == LIMPET_OK) status = limpet_output_place(temporary, path, error);
  if (status != LIMPET_OK) remove(temporary);
  return status;
}

bool limpet_replay_available(void) { return limpet_replay_template_size > 0; }

limpet_status limpet_replays_write(const limpet_replay *const *replays, int count,
                                   const limpet_model *model, const char *path,
                                   limpet_error *error) {
  assert(count > 0);
  const limpet_page_content content = {replays, count, model};
  if (!limpet_replay_available())
    return limpet_error_fill(
        error, LIMPET_ERROR_UNSUPPORTED,
        "%s: cannot be written: limpet was built without the viewer; install npm and build again",
        path);
  for (int r = 0; r < count; ++r) {
    assert(replays[r]->moving_count == replays[0]->moving_count);  // of the same model
    if (replays[r]->frame_count == 0)
      return limpet_error_fill(error, LIMPET_ERROR_STATE,
                               "%s: cannot be written: the replay has no frames", path);
  }
  limpet_status status = limpet_output_check(path, error);
  if (status != LIMPET_OK) return status;
  char *temporary = limpet_output_name(path, ".part");
  if (!temporary)
    return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "%s: cannot be written: no memory", path);
  status = write_beside(&content, path, temporary, error);
  free(temporary);
  return status;
}

limpet_status limpet_replay_write(const limpet_replay *replay, const limpet_model *model,
                                  const char *path, limpet_error *error) {
  return limpet_replays_write(&replay, 1, model, path, error);
}

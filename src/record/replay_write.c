/* record/replay_write.c: one HTML page from the template of viewer/ and the runs of replay files.
 *
 * The template holds one marker; at its place go three <script> elements: the binary stream in
 * base64 (first the arrays of the scene, then those of the runs), the JSON of the scene, and that
 * of the runs. The page loads nothing from elsewhere. docs/replay.md describes the JSON. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "record/base64.h"
#include "record/output_file.h"
#include "record/replay_file.h"

// Runs of one model, in the order in which they were given; the scene is that of the first one.
typedef struct limpet_page_content {
  const limpet_replay_file *const *run;  // (count)
  int count;
} limpet_page_content;

// false when there is no memory; frees the value
static bool write_json(FILE *file, const char *id, json_t *value) {
  char *text = value ? limpet_record_text(value) : NULL;
  json_decref(value);
  if (text) fprintf(file, "<script type=\"application/json\" id=\"%s\">%s</script>\n", id, text);
  free(text);
  return text != NULL;
}

static bool write_data(FILE *file, const limpet_page_content *content) {
  limpet_base64 base64 = {.file = file};
  limpet_byte_stream stream = {.put = limpet_base64_put, .target = &base64};
  fputs("<script type=\"text/plain\" id=\"limpet-stream\">", file);
  json_t *scene = limpet_scene_encode(content->run[0]->scene, &stream), *runs = json_array();
  for (int r = 0; r < content->count; ++r)
    json_array_append_new(
        runs, limpet_run_encode(&content->run[r]->facts, &content->run[r]->store, &stream));
  limpet_base64_end(&base64);
  fputs("</script>\n", file);
  const bool scene_written = write_json(file, "limpet-scene", scene);
  return write_json(file, "limpet-runs", runs) && scene_written && !base64.failed;
}

static limpet_status write_page(FILE *file, const limpet_page_content *content, const char *path,
                                limpet_error *error) {
  const limpet_page_parts parts = limpet_page_parts_find();
  if (parts.behind == 0)
    return limpet_error_fill(error, LIMPET_ERROR_STATE,
                             "the viewer's page has no marker \"%s\"; build again",
                             limpet_page_marker);
  fwrite(limpet_replay_template, 1, parts.before, file);
  const bool written = write_data(file, content);
  fwrite(limpet_replay_template + parts.behind, 1, limpet_replay_template_size - parts.behind,
         file);
  if (!written || ferror(file) || fflush(file) != 0)
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

limpet_status limpet_replay_files_write(const limpet_replay_file *const *files, int count,
                                        const char *path, limpet_error *error) {
  assert(count > 0);
  const limpet_page_content content = {files, count};
  if (limpet_replay_template_size == 0)
    return limpet_error_fill(
        error, LIMPET_ERROR_UNSUPPORTED,
        "%s: cannot be written: limpet was built without the viewer; install npm and build again",
        path);
  for (int r = 0; r < count; ++r)
    if (files[r]->store.frame_count == 0)
      return limpet_error_fill(error, LIMPET_ERROR_STATE,
                               "%s: cannot be written: the replay has no frames", path);
  limpet_status status = limpet_output_check(path, error);
  if (status != LIMPET_OK) return status;
  char *temporary = limpet_output_temporary(path);
  if (!temporary)
    return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "%s: cannot be written: no memory", path);
  status = write_beside(&content, path, temporary, error);
  free(temporary);
  return status;
}

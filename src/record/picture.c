/* record/picture.c: a replay page as a picture or a video: the page is opened in a headless
 * Chromium, told the time, and photographed; ffmpeg makes a video of the photographs.
 *
 * Cost: about a second for the browser, and 0.1 to 1 s for each picture without a graphics card. */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "limpet/record.h"
#include "record/chromium.h"
#include "record/output_file.h"

enum { ADDRESS_SIZE = 8192, SIZE_LIMIT = 8192 };
static const double ready_time = 120.0;   // [s]  for a large page on a busy machine
static const double encode_time = 600.0;  // [s]  for ffmpeg, after the last picture

typedef struct picture_work {
  const limpet_picture_options *options;
  const char *page, *path;
  limpet_chromium browser;
  double start, end;  // [s]  of the replay
  int done, count;    // pictures of a video
  bool ended;         // by the progress
  limpet_error *error;
} picture_work;

limpet_picture_options limpet_picture_options_default(void) {
  return (limpet_picture_options){.width = 1280,
                                  .height = 720,
                                  .time = (double)NAN,
                                  .start = (double)NAN,
                                  .end = (double)NAN,
                                  .frames_per_second = 30.0,
                                  .speed = 1.0};
}

static bool ends_with(const char *path, const char *ending) {
  const size_t length = strlen(path), tail = strlen(ending);
  return length > tail && strcmp(path + length - tail, ending) == 0;
}

static bool is_video(const char *path) {
  return ends_with(path, ".mp4") || ends_with(path, ".webm") || ends_with(path, ".gif");
}

// Tells the progress; false: it wants no more.
static bool tell(void *context) {
  picture_work *work = context;
  const limpet_picture_options *options = work->options;
  work->ended = work->ended || (options->progress &&
                                !options->progress(options->context, work->done, work->count));
  return !work->ended;
}

static limpet_status stopped(const picture_work *work) {
  return limpet_error_fill(work->error, LIMPET_ERROR_STATE, "%s: stopped after %d of %d frames",
                           work->path, work->done, work->count);
}

// ------------------------------------------------------------------------------------- checks

static const char *encoder_program(void) {
  const char *named = getenv("LIMPET_FFMPEG");
  return named && *named ? named : "ffmpeg";
}

limpet_status limpet_picture_possible(const char *path, limpet_error *error) {
  assert(path);
  if (!ends_with(path, ".png") && !is_video(path))
    return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                             "%s: pictures end in .png, videos in .mp4, .webm or .gif", path);
  const limpet_status status = limpet_chromium_possible(error);
  if (status == LIMPET_OK && is_video(path) && !limpet_process_possible(encoder_program()))
    return limpet_error_fill(error, LIMPET_ERROR_UNSUPPORTED,
                             "%s: videos need ffmpeg, which was not found: install it (Debian: "
                             "apt-get install ffmpeg), or name it in LIMPET_FFMPEG; pictures "
                             "(.png) do not need it",
                             path);
  return status;
}

static limpet_status check(const picture_work *work) {
  const limpet_picture_options *options = work->options;
  if (options->width < 16 || options->height < 16 || options->width > SIZE_LIMIT ||
      options->height > SIZE_LIMIT)
    return limpet_error_fill(work->error, LIMPET_ERROR_INPUT,
                             "a picture of %d x %d pixels; give 16 to %d each", options->width,
                             options->height, SIZE_LIMIT);
  if (!(options->frames_per_second > 0.0 && options->frames_per_second <= 240.0) ||
      !(options->speed > 0.0 && options->speed <= 1e3))
    return limpet_error_fill(work->error, LIMPET_ERROR_INPUT,
                             "a video of %g pictures a second at speed %g; give 0 to 240, and a "
                             "speed up to 1000",
                             options->frames_per_second, options->speed);
  const limpet_status possible = limpet_picture_possible(work->path, work->error);
  if (possible != LIMPET_OK) return possible;
  FILE *page = fopen(work->page, "rb");
  if (!page)
    return limpet_error_fill(work->error, LIMPET_ERROR_FILE, "%s: cannot be read: %s", work->page,
                             strerror(errno));
  fclose(page);
  return limpet_output_check(work->path, work->error);
}

// ------------------------------------------------------------------------------------ the page

// A path as part of a file: address; false where it is too long.
static bool append_path(char *address, size_t size, const char *path) {
  static const char plain[] = "/-_.~";
  size_t length = strlen(address);
  for (const unsigned char *c = (const unsigned char *)path; *c; ++c) {
    const bool kept = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                      (*c >= '0' && *c <= '9') || strchr(plain, *c);
    if (length + 4 > size) return false;
    length += (size_t)snprintf(address + length, size - length, kept ? "%c" : "%%%02X", *c);
  }
  return true;
}

static bool address_make(const picture_work *work, char address[ADDRESS_SIZE]) {
  const limpet_picture_options *options = work->options;
  char *path = realpath(work->page, NULL);
  snprintf(address, ADDRESS_SIZE, "file://");
  bool fits = path && append_path(address, ADDRESS_SIZE, path);
  free(path);
  size_t length = strlen(address);
  char camera[256] = "";
  if (options->camera) {
    const double *c = options->camera;
    snprintf(camera, sizeof camera, "&camera=%.9g,%.9g,%.9g,%.9g,%.9g,%.9g", c[0], c[1], c[2], c[3],
             c[4], c[5]);
  }
  const int added =
      snprintf(address + length, ADDRESS_SIZE - length, "#theme=%s%s%s%s%s",
               options->dark ? "dark" : "light", options->page ? "" : "&ui=none", camera,
               options->words ? "&" : "", options->words ? options->words : "");
  fits = fits && added > 0 && (size_t)added < ADDRESS_SIZE - length;
  return fits;
}

static bool says_yes(limpet_chromium *browser, const char *expression) {
  json_t *value = limpet_chromium_evaluate(browser, expression);
  const bool yes = json_is_true(value);
  json_decref(value);
  return yes;
}

// Until the page shows its replay; an error where it says that it cannot.
static limpet_status page_wait(picture_work *work) {
  static const double look = 0.05;  // [s]
  static const char settled[] = "!!window.limpet && !!(limpet.ready || limpet.error)",
                    ended[] = "document.readyState === 'complete' && !window.limpet";
  bool ready = false;
  for (double waited = 0.0; waited < ready_time && !ready && tell(work); waited += look) {
    ready = says_yes(&work->browser, settled);
    if (!ready && waited > 2.0 && says_yes(&work->browser, ended)) break;
    if (!ready) nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * look)}, NULL);
  }
  if (!ready)
    return limpet_error_fill(work->error, LIMPET_ERROR_FILE,
                             "%s: is no replay; 'limpet run FILE --html' writes one", work->page);
  json_t *trouble = limpet_chromium_evaluate(&work->browser, "limpet.error || ''");
  const bool fine = json_string_length(trouble) == 0;
  limpet_status status = LIMPET_OK;
  if (!fine)
    status = limpet_error_fill(work->error, LIMPET_ERROR_FILE, "%s: %s", work->page,
                               trouble ? json_string_value(trouble) : "the browser has ended");
  json_decref(trouble);
  return status;
}

static limpet_status page_range(picture_work *work) {
  static const char ends[] =
      "['min', 'max'].map((end) => Number(document.getElementById('scrub')[end]))";
  json_t *range = limpet_chromium_evaluate(&work->browser, ends);
  work->start = json_number_value(json_array_get(range, 0));
  work->end = json_number_value(json_array_get(range, 1));
  const bool known = json_array_size(range) == 2;
  json_decref(range);
  if (known) return LIMPET_OK;
  return limpet_error_fill(work->error, LIMPET_ERROR_STATE, "%s: the browser has ended",
                           work->page);
}

static unsigned char *shoot(picture_work *work, double time, size_t *size) {
  char expression[96];
  snprintf(expression, sizeof expression, "limpet.seek(%.12g), true", time);
  if (!says_yes(&work->browser, expression)) return NULL;
  return limpet_chromium_picture(&work->browser, size);
}

static limpet_status no_picture(const picture_work *work) {
  if (work->ended) return stopped(work);
  return limpet_error_fill(work->error, LIMPET_ERROR_STATE,
                           "%s: the browser has ended, or gave no picture", work->page);
}

// ----------------------------------------------------------------------------- pictures, videos

static limpet_status still(picture_work *work, const char *temporary) {
  const double time = work->options->time;
  size_t size = 0;
  unsigned char *bytes = shoot(work, isnan(time) ? work->end : time, &size);
  if (!bytes) return no_picture(work);
  FILE *file = fopen(temporary, "wb");
  bool written = file && fwrite(bytes, 1, size, file) == size;
  if (file) written = fclose(file) == 0 && written;
  free(bytes);
  if (written) return LIMPET_OK;
  return limpet_error_fill(work->error, LIMPET_ERROR_FILE, "%s: cannot be written: %s", work->path,
                           strerror(errno));
}

// An encoder that reads pictures and writes the video; false where it does not start.
static bool encoder_start(const picture_work *work, const char *temporary,
                          limpet_process *encoder) {
  char rate[32];
  snprintf(rate, sizeof rate, "%.9g", work->options->frames_per_second);
  const char *format = ends_with(work->path, ".gif")    ? "gif"
                       : ends_with(work->path, ".webm") ? "webm"
                                                        : "mp4";
  // most players want even sizes, and colours at half of them
  const char *filter = *format == 'g' ? "split[a][b];[a]palettegen[p];[b][p]paletteuse"
                                      : "pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p";
  const char *const words[] = {encoder_program(),
                               "-y",
                               "-loglevel",
                               "error",
                               "-f",
                               "image2pipe",
                               "-framerate",
                               rate,
                               "-i",
                               "-",
                               "-vf",
                               filter,
                               "-f",
                               format,
                               temporary,
                               NULL};
  return limpet_process_start(encoder, (char *const *)(uintptr_t)words, 0, -1);
}

static limpet_status frames_write(picture_work *work, const limpet_process *encoder) {
  const limpet_picture_options *options = work->options;
  const double start = isnan(options->start) ? work->start : options->start,
               end = isnan(options->end) ? work->end : options->end,
               interval = options->speed / options->frames_per_second;
  if (!(end >= start) || (end - start) / interval > 1e6)
    return limpet_error_fill(work->error, LIMPET_ERROR_INPUT,
                             "a video from %g s to %g s; the replay goes from %g s to %g s", start,
                             end, work->start, work->end);
  work->count = 1 + (int)floor((end - start) / interval + 1e-9);
  for (int i = 0; i < work->count; ++i) {
    size_t size = 0;
    unsigned char *bytes = shoot(work, start + i * interval, &size);
    if (!bytes) return no_picture(work);
    const bool written = limpet_process_write(encoder, bytes, size);
    free(bytes);
    if (!written)
      return limpet_error_fill(work->error, LIMPET_ERROR_FILE,
                               "%s: ffmpeg ended early; can it write this kind of file?",
                               work->path);
    work->done = i + 1;
    if (!tell(work)) return stopped(work);
  }
  return LIMPET_OK;
}

static limpet_status video(picture_work *work, const char *temporary) {
  limpet_process encoder;
  if (!encoder_start(work, temporary, &encoder))
    return limpet_error_fill(work->error, LIMPET_ERROR_STATE, "%s: ffmpeg could not be started",
                             work->path);
  const limpet_status status = frames_write(work, &encoder);
  const int code = limpet_process_end(&encoder, status == LIMPET_OK ? encode_time : 0.0);
  if (status == LIMPET_OK && code != 0)
    return limpet_error_fill(work->error, LIMPET_ERROR_FILE, "%s: ffmpeg failed with status %d",
                             work->path, code);
  return status;
}

static limpet_status draw(picture_work *work, const char *temporary) {
  char address[ADDRESS_SIZE];
  if (!address_make(work, address))
    return limpet_error_fill(work->error, LIMPET_ERROR_INPUT,
                             "%s: the name or its words are too "
                             "long",
                             work->page);
  const limpet_picture_options *options = work->options;
  work->browser = (limpet_chromium){.go_on = tell, .context = work};
  limpet_status status =
      limpet_chromium_open(&work->browser, address, options->width, options->height, work->error);
  if (status != LIMPET_OK) return work->ended ? stopped(work) : status;
  status = page_wait(work);
  if (status == LIMPET_OK) status = page_range(work);
  if (status == LIMPET_OK)
    status = is_video(work->path) ? video(work, temporary) : still(work, temporary);
  limpet_chromium_close(&work->browser);
  return work->ended ? stopped(work) : status;
}

limpet_status limpet_picture_write(const char *page, const char *path,
                                   const limpet_picture_options *options, limpet_error *error) {
  assert(page && path);
  const limpet_picture_options chosen = options ? *options : limpet_picture_options_default();
  picture_work work = {.options = &chosen, .page = page, .path = path, .error = error};
  limpet_status status = check(&work);
  if (status != LIMPET_OK) return status;
  char *temporary = limpet_output_temporary(path);
  if (!temporary)
    return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "%s: cannot be written: no memory", path);
  status = draw(&work, temporary);
  if (status == LIMPET_OK) status = limpet_output_place(temporary, path, error);
  if (status != LIMPET_OK) remove(temporary);
  free(temporary);
  return status;
}

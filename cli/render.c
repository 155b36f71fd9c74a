/* cli/render.c: `limpet render`: a picture or a video of a replay, a log or a model, without a
 * screen.
 *
 * A log is run again and a model is run once, both by `limpet run`, into a replay of its own, which
 * is removed when it has been drawn. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "output.h"
#include "progress.h"
#include "signals.h"

typedef struct limpet_render_options {
  const char *png, *mp4, *camera, *words;
  double time, start, end;  // [s]  NAN: not given
  double fps, speed;        // 0: not given
  int width, height;
  bool dark, page, quiet;
  limpet_text_list arguments;
} limpet_render_options;

static bool ends_with(const char *path, const char *ending) {
  const size_t length = strlen(path), tail = strlen(ending);
  return length > tail && strcmp(path + length - tail, ending) == 0;
}

// Whether what is to be written can be, and is what the other options are of; else a complaint.
static bool outputs_check(const limpet_render_options *r) {
  const char *of_video = !isnan(r->start) ? "--start"
                         : !isnan(r->end) ? "--end"
                         : r->fps > 0.0   ? "--fps"
                         : r->speed > 0.0 ? "--speed"
                                          : NULL;
  const bool video = r->mp4 && (ends_with(r->mp4, ".mp4") || ends_with(r->mp4, ".webm") ||
                                ends_with(r->mp4, ".gif"));
  if (!r->png && !r->mp4)
    limpet_complain("say what to write: --png FILE.png, --mp4 FILE.mp4, or both");
  else if (r->png && !ends_with(r->png, ".png"))
    limpet_complain("--png %s: the name of a picture ends in .png", r->png);
  else if (r->mp4 && !video)
    limpet_complain("--mp4 %s: the name of a video ends in .mp4, .webm or .gif", r->mp4);
  else if (of_video && !r->mp4)
    limpet_complain("%s: only videos use it; name one with --mp4 FILE.mp4", of_video);
  else if (!isnan(r->time) && !r->png)
    limpet_complain("--time: only pictures use it; a video has --start and --end");
  else return true;
  return false;
}

static int options_read(const limpet_command *command, int argc, char **argv,
                        limpet_render_options *render) {
  *render = (limpet_render_options){
      .time = (double)NAN, .start = (double)NAN, .end = (double)NAN, .width = 1280, .height = 720};
  const limpet_option own[] = {
      {"--png", LIMPET_OPTION_TEXT, &render->png, "FILE.png", "write a picture", 0, 0, 0},
      {"--mp4", LIMPET_OPTION_TEXT, &render->mp4, "FILE.mp4",
       "write a video (also .webm, .gif); needs ffmpeg", 0, 0, 0},
      {"--time", LIMPET_OPTION_QUANTITY, &render->time, "TIME",
       "of the picture; the end of the replay", "s", 0, 1e9},
      {"--start", LIMPET_OPTION_QUANTITY, &render->start, "TIME", "where the video begins; 0", "s",
       0, 1e9},
      {"--end", LIMPET_OPTION_QUANTITY, &render->end, "TIME",
       "where it ends; the end of the replay", "s", 0, 1e9},
      {"--fps", LIMPET_OPTION_QUANTITY, &render->fps, "NUMBER",
       "pictures of a second of the video; 30", "1", 0.1, 240},
      {"--speed", LIMPET_OPTION_QUANTITY, &render->speed, "NUMBER",
       "simulated time over time of the video; 1", "1", 1e-3, 1e3},
      {"--width", LIMPET_OPTION_COUNT, &render->width, "PIXELS", "of the picture; 1280", 0, 16,
       8192},
      {"--height", LIMPET_OPTION_COUNT, &render->height, "PIXELS", "of the picture; 720", 0, 16,
       8192},
      {"--camera", LIMPET_OPTION_TEXT, &render->camera, "X,Y,Z,X,Y,Z",
       "place of the camera and what it looks at [m]; all that moves, as large as fits", 0, 0, 0},
      {"--dark", LIMPET_OPTION_FLAG, &render->dark, NULL, "dark background; light", 0, 0, 0},
      {"--page", LIMPET_OPTION_FLAG, &render->page, NULL, "with the cards and plots of the page", 0,
       0, 0},
      {"--words", LIMPET_OPTION_TEXT, &render->words, "WORDS",
       "of the page's address, joined by &: 'through=1&forces=0' (docs/replay.md)", 0, 0, 0},
      {"--quiet", LIMPET_OPTION_FLAG, &render->quiet, NULL, "no progress bar, no words", 0, 0, 0},
  };
  const int code = limpet_options_parse(command, own, (int)(sizeof own / sizeof *own), argc, argv,
                                        &render->arguments);
  if (code != LIMPET_OPTIONS_GO) return code;
  if (render->arguments.count == 0)
    limpet_complain(
        "no file given\n  try 'limpet render out.html --png out.png', or see 'limpet "
        "render --help'");
  else if (outputs_check(render)) return LIMPET_OPTIONS_GO;
  return LIMPET_EXIT_USAGE;
}

// ------------------------------------------------------------------------------------ the page

static bool begins_with(const char *path, const char *signature) {
  char head[16] = {0};
  FILE *file = fopen(path, "rb");
  const size_t length = file ? fread(head, 1, sizeof head, file) : 0;
  if (file) fclose(file);
  return length >= strlen(signature) && memcmp(head, signature, strlen(signature)) == 0;
}

/* Runs the log or the model into a replay: `limpet run [--from] FILE ARGUMENTS --html page
 * --quiet`, where the arguments are those behind "--". */
static int page_make(const limpet_render_options *render, char *page) {
  const char *path = render->arguments.text[0];
  const int file = mkstemps(page, (int)strlen(".html"));
  if (file < 0) {
    limpet_complain("%s: %s: no file for the replay can be made: %s", path, page, strerror(errno));
    return LIMPET_EXIT_INPUT;
  }
  close(file);
  const char *words[LIMPET_TEXT_LIST_LIMIT + 8] = {"run"};
  int count = 1;
  if (begins_with(path, "\x89HDF")) words[count++] = "--from";
  for (int i = 0; i < render->arguments.count; ++i) words[count++] = render->arguments.text[i];
  words[count++] = "--html";
  words[count++] = page;
  words[count++] = "--quiet";
  const int code = limpet_command_run.run(&limpet_command_run, count, (char **)(uintptr_t)words);
  if (code != LIMPET_EXIT_FINE) remove(page);
  return code;
}

// ------------------------------------------------------------------------------------- drawing

static bool camera_read(const char *text, double camera[6]) {
  char end = '\0';
  const int count = sscanf(text, "%lf,%lf,%lf,%lf,%lf,%lf%c", &camera[0], &camera[1], &camera[2],
                           &camera[3], &camera[4], &camera[5], &end);
  bool finite = count == 6;
  for (int k = 0; k < 6 && finite; ++k) finite = isfinite(camera[k]);
  if (!finite)
    limpet_complain(
        "--camera: '%s' is not six numbers; give its place and what it looks at: "
        "1,-2,0.5,0,0,0.3",
        text);
  return finite;
}

static bool progress_tell(void *context, int done, int count) {
  limpet_progress *progress = context;
  progress->duration = count;
  if (count > 0) limpet_progress_show(progress, done);
  return !limpet_signal_caught();
}

static int draw(const limpet_render_options *render, const char *page) {
  limpet_picture_options options = limpet_picture_options_default();
  double camera[6];
  if (render->camera && !camera_read(render->camera, camera)) return LIMPET_EXIT_USAGE;
  options.camera = render->camera ? camera : NULL;
  options.width = render->width, options.height = render->height;
  options.time = render->time, options.start = render->start, options.end = render->end;
  if (render->fps > 0.0) options.frames_per_second = render->fps;
  if (render->speed > 0.0) options.speed = render->speed;
  options.dark = render->dark, options.page = render->page, options.words = render->words;
  limpet_progress progress = limpet_progress_begin(1.0, render->quiet);
  progress.counted = "frames";
  options.progress = progress_tell;
  options.context = &progress;
  const char *const paths[] = {render->png, render->mp4};
  limpet_signals_listen();
  for (int i = 0; i < 2; ++i) {
    limpet_error error;
    if (!paths[i]) continue;
    const limpet_status status = limpet_picture_write(page, paths[i], &options, &error);
    limpet_progress_end(&progress);
    if (status == LIMPET_OK) {
      if (!render->quiet) printf("%-12s %s\n", i == 0 ? "picture" : "video", paths[i]);
      continue;
    }
    limpet_complain("%s", limpet_signal_caught() ? "interrupted" : error.message);
    return limpet_signal_caught() ? LIMPET_EXIT_SIGNAL + limpet_signal_caught() : LIMPET_EXIT_INPUT;
  }
  return LIMPET_EXIT_FINE;
}

// Whether what is asked for can be made and put there, before anything is run or drawn.
static bool outputs_possible(const limpet_render_options *r, const char *path) {
  const char *const options[] = {"--png", "--mp4"}, *const outputs[] = {r->png, r->mp4};
  limpet_error error;
  for (int i = 0; i < 2; ++i) {
    if (!outputs[i]) continue;
    if (!limpet_output_possible(options[i], outputs[i], &path, 1)) return false;
    if (limpet_picture_possible(outputs[i], &error) == LIMPET_OK) continue;
    limpet_complain("%s", error.message);
    return false;
  }
  return true;
}

static int render(const limpet_command *command, int argc, char **argv) {
  limpet_render_options options;
  int code = options_read(command, argc, argv, &options);
  if (code != LIMPET_OPTIONS_GO) return code;
  const char *path = options.arguments.text[0];
  if (!outputs_possible(&options, path)) return LIMPET_EXIT_INPUT;
  if (begins_with(path, "<!doctype html>")) return draw(&options, path);
  char page[256];
  const char *folder = getenv("TMPDIR");
  snprintf(page, sizeof page, "%s/limpet-render-XXXXXX.html",
           folder && *folder && strlen(folder) < 200 ? folder : "/tmp");
  code = page_make(&options, page);
  if (code != LIMPET_EXIT_FINE) return code;
  code = draw(&options, page);
  remove(page);
  return code;
}

const limpet_command limpet_command_render = {
    .name = "render",
    .synopsis = "render FILE --png OUT.png | --mp4 OUT.mp4 [options] [-- options of 'limpet run']",
    .summary = "a picture or a video, without a screen",
    .text =
        "Draws a replay (FILE.html), a log (FILE.h5, which is run again) or a model (which is run "
        "as 'limpet run'\n"
        "does it, with the options behind '--') as the viewer shows it. Pictures need Chromium, "
        "videos ffmpeg, too\n"
        "(Debian: apt-get install chromium ffmpeg; or LIMPET_CHROMIUM, LIMPET_FFMPEG name them).\n",
    .examples =
        "  limpet render out.html --png out.png --time 1.5s       the picture at 1.5 s\n"
        "  limpet render out.h5 --mp4 out.mp4 --dark --speed 0.5  a log, half as fast\n"
        "  limpet render scene.xml --png end.png -- --time 2s     a model after 2 s\n"
        "  limpet render out.html --png a.png --camera 1,-2,1,0,0,0.3 --words "
        "'through=1&forces=0'\n",
    .run = render,
};

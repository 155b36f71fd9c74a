/* cli/open_model.c: loads a model file for a command, opens its replay, and names its parts in
 * messages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "loading.h"
#include "parameters.h"
#include "progress.h"
#include "suggest.h"

// Warnings about what is not simulated or doubtful, ten at most: `limpet check` lists them all.
static void notes_warn(const limpet_model *model, const char *path) {
  enum { SHOWN = 10 };
  int count = 0;
  for (int i = 0; i < model->note_count; ++i) {
    const limpet_note *note = &model->note[i];
    if ((!note->unsupported && !note->doubtful) || ++count > SHOWN) continue;
    limpet_complain("warning: %s:%d:%d: %s", note->place.file ? note->place.file : path,
                    note->place.line, note->place.column, note->text);
  }
  if (count > SHOWN)
    limpet_complain("warning: and %d more; 'limpet check %s' lists all", count - SHOWN, path);
}

bool limpet_folder_complain(const char *path, const char *wanted) {
  struct stat status;
  if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  limpet_complain("%s: this is a folder; give a %s in it", path, wanted);
  return true;
}

int limpet_loading_options(limpet_loading *loading, limpet_option *table) {
  const limpet_option own[LIMPET_LOADING_OPTION_COUNT] = {
      {"--fix-base", LIMPET_OPTION_FLAG, &loading->fix_base, NULL,
       "URDF, SDFormat: weld links that no joint holds to the world", 0, 0, 0},
      {"--exclude-overlaps", LIMPET_OPTION_FLAG, &loading->exclude_overlaps, NULL,
       "links of a robot that overlap in its reference pose do not touch", 0, 0, 0},
      {"--package", LIMPET_OPTION_REPEATED, &loading->packages, "NAME=FOLDER",
       "where package://NAME lies; without NAME= a folder of packages", 0, 0, 0},
      {"--gravity", LIMPET_OPTION_TEXT, &loading->gravity, "X,Y,Z",
       "instead of the file's [m/s^2]; one number: along z", 0, 0, 0},
      {"--param", LIMPET_OPTION_REPEATED, &loading->parameters, "NAME.FIELD=VALUE",
       "number of a geom, body, joint, actuator, tendon, ...; 'pad*.friction=0.4', "
       "'body:cube.mass=80g'",
       0, 0, 0}};
  *loading = (limpet_loading){0};
  memcpy(table, own, sizeof own);
  return LIMPET_LOADING_OPTION_COUNT;
}

static limpet_load_options load_options_of(const limpet_loading *loading, char *packages,
                                           size_t size) {
  size_t used = 0;
  limpet_load_options options = limpet_load_options_default();
  *packages = '\0';
  for (int i = 0; loading && i < loading->packages.count && used < size; ++i)
    used += (size_t)snprintf(packages + used, size - used, "%s%s", i ? ":" : "",
                             loading->packages.text[i]);
  if (loading) {
    options.strict = loading->strict, options.fix_base = loading->fix_base;
    options.exclude_overlaps = loading->exclude_overlaps;
  }
  options.packages = packages;
  return options;
}

static limpet_status parameters_apply(limpet_builder *builder, const limpet_loading *loading,
                                      limpet_error *error) {
  limpet_status status = LIMPET_OK;
  if (loading->gravity) status = limpet_gravity_apply(builder, loading->gravity, error);
  for (int i = 0; i < loading->parameters.count && status == LIMPET_OK; ++i)
    status = limpet_assignment_apply(builder, loading->parameters.text[i], error);
  return status;
}

limpet_builder *limpet_builder_open(const char *path, const limpet_loading *loading,
                                    limpet_error *error, int *code) {
  char packages[8192];
  const limpet_load_options options = load_options_of(loading, packages, sizeof packages);
  limpet_builder *builder = limpet_builder_create();
  if (code) *code = LIMPET_EXIT_INPUT;
  if (!builder || !*path) {
    *error = (limpet_error){.status = builder ? LIMPET_ERROR_FILE : LIMPET_ERROR_MEMORY};
    snprintf(error->message, sizeof error->message, "%s%s", path,
             builder ? "the name of the model file is empty; give one"
                     : ": no memory to read the model");
    limpet_builder_destroy(builder);
    return NULL;
  }
  const char *file = strcmp(path, "-") == 0 ? "/dev/stdin" : path;
  limpet_status status = limpet_builder_read(builder, file, &options, error);
  if (status == LIMPET_OK && loading) {
    status = parameters_apply(builder, loading, error);
    if (status == LIMPET_ERROR_INPUT && code) *code = LIMPET_EXIT_USAGE;
  }
  if (status == LIMPET_OK) return builder;
  limpet_builder_destroy(builder);
  return NULL;
}

static bool fields_show(void *context, double done, int count) {
  limpet_progress *progress = context;
  progress->duration = (double)count;
  if (count > 0) limpet_progress_show(progress, done);
  return true;
}

limpet_model *limpet_model_load(const char *path, const limpet_loading *loading, bool quiet,
                                limpet_error *error, int *code) {
  limpet_builder *builder = limpet_builder_open(path, loading, error, code);
  if (!builder) return NULL;
  limpet_progress progress = limpet_progress_begin(0.0, quiet);
  progress.counted = "pressure fields";
  limpet_builder_watch(builder, fields_show, &progress);
  limpet_model *model = limpet_builder_compile(builder, error);
  limpet_progress_end(&progress);
  limpet_builder_destroy(builder);
  return model;
}

static limpet_model *open_or_complain(const char *path, const limpet_loading *loading, bool quiet,
                                      int *code) {
  if (code) *code = LIMPET_EXIT_INPUT;
  if (limpet_folder_complain(path, "model file")) return NULL;
  limpet_error error;
  limpet_model *model = limpet_model_load(path, loading, quiet, &error, code);
  if (!model) limpet_complain("%s", error.message);
  return model;
}

limpet_model *limpet_model_open(const char *path, const limpet_loading *loading, bool warn,
                                int *code) {
  limpet_model *model = open_or_complain(path, loading, !warn, code);
  if (model && warn) notes_warn(model, path);
  return model;
}

limpet_model *limpet_model_open_shown(const char *path, const limpet_loading *loading, int *code) {
  return open_or_complain(path, loading, false, code);
}

limpet_replay *limpet_replay_open(const limpet_model *model, const char *path,
                                  const limpet_step_settings *settings, int run_count) {
  if (!limpet_replay_available()) {
    limpet_complain("--html: limpet was built without the viewer; install npm and build again");
    return NULL;
  }
  limpet_replay_options options = limpet_replay_options_default();
  options.settings = settings;
  options.frame_limit /=
      run_count;  // so that a page of several runs is no larger than one of a long run
  const char *slash = strrchr(path, '/');
  if (!model->name || !*model->name) options.title = slash ? slash + 1 : path;
  limpet_replay *replay = limpet_replay_create(model, &options);
  if (!replay) limpet_complain("--html: not enough memory for the replay");
  return replay;
}

const char *limpet_object_label(char *text, size_t size, const limpet_model *model,
                                limpet_object object, int index) {
  const char *name = limpet_model_name(model, object, index);
  const char *word = limpet_object_word(object);
  if (name) {
    snprintf(text, size, "%s \"%s\"", word, name);
  } else if (object == LIMPET_OBJECT_GEOM) {
    char body[256];
    snprintf(
        text, size, "geom %d of %s", index,
        limpet_object_label(body, sizeof body, model, LIMPET_OBJECT_BODY, model->geom_body[index]));
  } else {
    snprintf(text, size, "%s %d", word, index);
  }
  return text;
}

int limpet_keyframe_open(const limpet_model *model, const char *path, const char *name) {
  int keyframe = limpet_model_find(model, LIMPET_OBJECT_KEYFRAME, name);
  if (keyframe != LIMPET_NONE) return keyframe;

  // a number counts, where it is no name
  char *end = NULL;
  const long number = strtol(name, &end, 10);
  if (end != name && !*end && number >= 0 && number < model->keyframe_count) return (int)number;

  limpet_suggestion best = {0};
  char hint[160], list[600] = "";
  int length = 0;
  for (int i = 0; i < model->keyframe_count; ++i) {
    const char *word = limpet_model_name(model, LIMPET_OBJECT_KEYFRAME, i);
    limpet_suggest(&best, name, word);
    if (length < (int)sizeof list - 1) {
      length += snprintf(list + length, sizeof list - (size_t)length, "%s%s",
                         i ? ", " : "; there are: ", word ? word : "(unnamed)");
    }
  }
  limpet_complain("%s: there is no keyframe '%s'%s%s", path, name,
                  limpet_suggestion_text(hint, sizeof hint, &best),
                  model->keyframe_count ? list : "; the model has none");
  return LIMPET_NONE;
}

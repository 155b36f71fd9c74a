/* cli/check.c: `limpet check`: what of a file is simulated as it asks, and what is not. */
#include <stdio.h>

#include "command.h"
#include "json.h"
#include "loading.h"
#include "options.h"

static void place_print(const limpet_place *place, const char *path) {
  printf("%s", place->file ? place->file : path);
  if (place->line > 0) printf(":%d:%d", place->line, place->column);
}

static void notes_print(const limpet_model *model, const char *path) {
  for (int i = 0; i < model->note_count; ++i) {
    const limpet_note *note = &model->note[i];
    place_print(&note->place, path);
    printf(": %s: %s\n",
           note->unsupported ? "not simulated"
           : note->doubtful  ? "doubtful"
                             : "note",
           note->text);
  }
}

static void json_print(const limpet_model *model, const char *path, const char *verdict,
                       const limpet_error *error) {
  json_t *notes = json_array();
  for (int i = 0; model && i < model->note_count; ++i) {
    const limpet_note *note = &model->note[i];
    json_array_append_new(
        notes,
        json_pack("{s:o, s:i, s:i, s:b, s:b, s:o}", "file",
                  limpet_json_text(note->place.file ? note->place.file : path), "line",
                  note->place.line, "column", note->place.column, "unsupported", note->unsupported,
                  "doubtful", note->doubtful, "text", limpet_json_text(note->text)));
  }
  json_t *root =
      json_pack("{s:s, s:o, s:o, s:o, s:s}", "schema", "limpet.check/1", "file",
                limpet_json_text(path), "notes", notes, "error",
                model ? json_null() : limpet_json_text(error->message), "verdict", verdict);
  limpet_json_print(root, stdout, false);
  json_decref(root);
}

static int check_file(const char *path, const limpet_loading *loading, bool json) {
  limpet_error error;
  int code;
  limpet_model *model = limpet_model_load(path, loading, false, &error, &code);
  int unsupported = 0;
  for (int i = 0; model && i < model->note_count; ++i) unsupported += model->note[i].unsupported;
  const char *verdict = !model ? "rejected" : unsupported ? "partly" : "fully supported";
  if (!model) limpet_complain("%s", error.message);
  if (json) {
    json_print(model, path, verdict, &error);
  } else {
    if (model) notes_print(model, path);
    printf("%s\n", verdict);
  }
  if (!model) return code;
  limpet_model_destroy(model);
  return LIMPET_EXIT_FINE;
}

static int run(const limpet_command *command, int argc, char **argv) {
  bool json = false;
  limpet_text_list arguments;
  limpet_loading loading;
  limpet_option table[1 + LIMPET_LOADING_OPTION_COUNT] = {
      {"--json", LIMPET_OPTION_FLAG, &json, NULL, "notes and verdict as JSON", 0, 0, 0}};
  const int count = 1 + limpet_loading_options(&loading, table + 1);
  const int code = limpet_options_parse(command, table, count, argc, argv, &arguments);
  if (code != LIMPET_OPTIONS_GO) return code;
  if (arguments.count != 1) return limpet_options_misused(command);
  return check_file(arguments.text[0], &loading, json);
}

const limpet_command limpet_command_check = {
    .name = "check",
    .synopsis = "check FILE [--json]",
    .summary = "what of a file is simulated, and what is not",
    .text =
        "Lists what was read but is not simulated ('not simulated', with file:line:column), and "
        "remarks ('note').\n"
        "The last line is the verdict: 'fully supported', 'partly' (something is not simulated) or "
        "'rejected' (the\n"
        "file cannot be loaded; the reason goes to stderr). The exit code is 0, 0 or 1.\n",
    .examples = "  limpet check robot.xml\n",
    .run = run,
};

/* cli/command.h: what the commands of `limpet` share: the table entry, exit codes, and how they
 * complain. */
#ifndef LIMPET_CLI_COMMAND_H
#define LIMPET_CLI_COMMAND_H

#include "limpet/limpet.h"

enum {
  LIMPET_EXIT_FINE = 0,
  LIMPET_EXIT_INPUT = 1,       // a file that is missing, malformed, or cannot be written
  LIMPET_EXIT_USAGE = 2,       // options or arguments that make no sense
  LIMPET_EXIT_SIMULATION = 3,  // the simulation stopped: numerical failure or no memory
  LIMPET_EXIT_SIGNAL = 128     // plus the number of the signal that ended a run early
};

typedef struct limpet_command {
  const char *name;
  const char *synopsis;  // what follows "limpet "
  const char *summary;   // one line, for the list of commands
  const char *text;      // paragraphs that explain it; ends with a newline
  const char *examples;  // lines "  limpet ...", each with what it does; ends with a newline
  int (*run)(const struct limpet_command *command, int argc,
             char **argv);  // argv[0] is the command; returns the exit code
} limpet_command;

extern const limpet_command limpet_command_run, limpet_command_compare, limpet_command_compute,
    limpet_command_info, limpet_command_check, limpet_command_convert, limpet_command_list,
    limpet_command_bench, limpet_command_optimize, limpet_command_identify, limpet_command_gradient,
    limpet_command_view, limpet_command_render, limpet_command_sweep;

extern const limpet_command limpet_command_completion, limpet_command_man;

// All commands, in the order of help.
extern const limpet_command *const limpet_commands[];
extern const int limpet_command_count;

// Writes "limpet: " and the text to stderr, with a newline.
void limpet_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Whether `path` is a folder; then it was said that a `wanted` should be given.
bool limpet_folder_complain(const char *path, const char *wanted);

/* A replay that is to show one of `run_count` runs in one page, named after the file where the
 * model has no name; complains and returns NULL when there is no viewer or no memory. */
limpet_replay *limpet_replay_open(const limpet_model *model, const char *path,
                                  const limpet_step_settings *settings, int run_count);

// Keyframe by name or number; LIMPET_NONE after a complaint that lists them.
int limpet_keyframe_open(const limpet_model *model, const char *path, const char *name);

/* Name of an object in words: geom "pad", or geom 12 of body "finger" where it has none.
 * `text` holds at least `size` characters. */
const char *limpet_object_label(char *text, size_t size, const limpet_model *model,
                                limpet_object object, int index);

#endif

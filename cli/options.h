/* cli/options.h: options of a command as a table, from which the parser and --help are made. */
#ifndef LIMPET_CLI_OPTIONS_H
#define LIMPET_CLI_OPTIONS_H

#include "command.h"

typedef enum limpet_option_kind {
  LIMPET_OPTION_FLAG,      // target bool *: no value
  LIMPET_OPTION_TEXT,      // target const char **
  LIMPET_OPTION_QUANTITY,  // target double *, in `unit`, within [minimum, maximum]
  LIMPET_OPTION_COUNT,     // target int *, within [minimum, maximum]
  LIMPET_OPTION_REPEATED   // target limpet_text_list *: may be given many times
} limpet_option_kind;

typedef struct limpet_option {
  const char *name;  // "--time"
  limpet_option_kind kind;
  void *target;
  const char *argument;  // the value as help shows it: "TIME"; NULL for flags
  const char *text;      // one sentence
  const char *unit;      // of a quantity, see quantity.h
  double minimum, maximum;
} limpet_option;

enum { LIMPET_TEXT_LIST_LIMIT = 256 };
typedef struct limpet_text_list {
  int count;
  const char *text[LIMPET_TEXT_LIST_LIMIT];
} limpet_text_list;

enum { LIMPET_OPTIONS_GO = -1 };  // the options are fine: the command goes on

/* Reads argv[1..]: options ("--name value" or "--name=value") into their targets, everything else
 * into `arguments`. After "--" nothing is an option. Returns LIMPET_OPTIONS_GO, or the exit code:
 * after --help (which is printed) or after a complaint. */
int limpet_options_parse(const limpet_command *command, const limpet_option *options,
                         int option_count, int argc, char **argv, limpet_text_list *arguments);

// Complains that a command was not called as its synopsis says; returns LIMPET_EXIT_USAGE.
int limpet_options_misused(const limpet_command *command);

/* Instead of reading arguments, every call of limpet_options_parse hands its table to `visit` and
 * returns as after --help: completions and man pages are made of the tables. NULL: as usual. */
typedef void limpet_options_visitor(void *context, const limpet_command *command,
                                    const limpet_option *options, int option_count);
void limpet_options_visit(limpet_options_visitor *visit, void *context);

#endif

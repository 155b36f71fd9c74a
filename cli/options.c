/* cli/options.c: reads the options of a command by its table, and prints its help from the same
 * table. */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quantity.h"
#include "suggest.h"

// Name and argument as help shows them; returns the length.
static int left_write(char *text, size_t size, const limpet_option *option) {
  return snprintf(text, size, "%s%s%s", option->name, option->argument ? " " : "",
                  option->argument ? option->argument : "");
}

static void help_print(const limpet_command *command, const limpet_option *options,
                       int option_count) {
  printf("limpet %s: %s\n\nUsage:\n  limpet %s\n\n%s\nExamples:\n%s", command->name,
         command->summary, command->synopsis, command->text, command->examples);
  printf("\nOptions:\n");
  char left[64], units[128];
  int width = 26;
  for (int i = 0; i < option_count; ++i) {
    const int length = left_write(left, sizeof left, &options[i]);
    if (length > width) width = length;
  }
  for (int i = 0; i < option_count; ++i) {
    const limpet_option *option = &options[i];
    left_write(left, sizeof left, option);
    printf("  %-*s %s", width, left, option->text);
    const bool with_unit = option->kind == LIMPET_OPTION_QUANTITY && strcmp(option->unit, "1") != 0;
    if (with_unit) printf(" [%s]", limpet_quantity_units(option->unit, units, sizeof units));
    printf("\n");
  }
  printf("  %-*s %s\n", width, "--help, -h", "this text");
  printf(
      "\nExit codes: 0 fine, 1 input or file error, 2 usage error, 3 the simulation stopped "
      "(numerical failure).\n");
}

// Complains about a value; all complaints of one command end the same way.
static int value_wrong(const limpet_command *command, const char *option, const char *problem) {
  limpet_complain("%s: %s\n  see 'limpet %s --help'", option, problem, command->name);
  return LIMPET_EXIT_USAGE;
}

static int quantity_take(const limpet_command *command, const limpet_option *option,
                         const char *value) {
  char problem[320];
  double number = 0.0;
  if (!limpet_quantity_parse(value, option->unit, &number, problem, sizeof problem)) {
    return value_wrong(command, option->name, problem);
  }
  if (number < option->minimum || number > option->maximum) {
    snprintf(problem, sizeof problem, "'%s' is out of range: it must lie between %g and %g%s%s",
             value, option->minimum, option->maximum, strcmp(option->unit, "1") ? " " : "",
             strcmp(option->unit, "1") ? option->unit : "");
    return value_wrong(command, option->name, problem);
  }
  *(double *)option->target = number;
  return LIMPET_OPTIONS_GO;
}

static int count_take(const limpet_command *command, const limpet_option *option,
                      const char *value) {
  char problem[320], *end = NULL;
  const long number = strtol(value, &end, 10);
  if (end == value || *end || (double)number < option->minimum ||
      (double)number > option->maximum) {
    snprintf(problem, sizeof problem, "'%s' is not a whole number between %g and %g", value,
             option->minimum, option->maximum);
    return value_wrong(command, option->name, problem);
  }
  *(int *)option->target = (int)number;
  return LIMPET_OPTIONS_GO;
}

static int list_take(const limpet_command *command, const char *name, limpet_text_list *list,
                     const char *value) {
  if (list->count == LIMPET_TEXT_LIST_LIMIT)
    return value_wrong(command, name, "given too many times");
  list->text[list->count++] = value;
  return LIMPET_OPTIONS_GO;
}

static int value_take(const limpet_command *command, const limpet_option *option,
                      const char *value) {
  switch (option->kind) {
    case LIMPET_OPTION_QUANTITY: return quantity_take(command, option, value);
    case LIMPET_OPTION_COUNT: return count_take(command, option, value);
    case LIMPET_OPTION_REPEATED: return list_take(command, option->name, option->target, value);
    case LIMPET_OPTION_TEXT:
      if (!*value) return value_wrong(command, option->name, "the value is empty");
      *(const char **)option->target = value;
      return LIMPET_OPTIONS_GO;
    case LIMPET_OPTION_FLAG: break;
  }
  return LIMPET_OPTIONS_GO;
}

static int option_unknown(const limpet_command *command, const limpet_option *options,
                          int option_count, const char *name) {
  limpet_suggestion best = {0};
  char hint[160];
  for (int i = 0; i < option_count; ++i) limpet_suggest(&best, name, options[i].name);
  limpet_suggest(&best, name, "--help");
  limpet_complain("unknown option '%s' of 'limpet %s'%s\n  see 'limpet %s --help'", name,
                  command->name, limpet_suggestion_text(hint, sizeof hint, &best), command->name);
  return LIMPET_EXIT_USAGE;
}

// Takes one option that begins at argv[*at]; moves *at to its last word.
static int option_take(const limpet_command *command, const limpet_option *options,
                       int option_count, int argc, char **argv, int *at) {
  // split "--name=value"
  char name[64];
  const char *word = argv[*at], *equals = strchr(word, '=');
  const size_t length = equals ? (size_t)(equals - word) : strlen(word);
  snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), word);
  const limpet_option *option = NULL;
  for (int i = 0; i < option_count; ++i) {
    if (strcmp(options[i].name, name) == 0) option = &options[i];
  }
  if (!option) return option_unknown(command, options, option_count, name);

  // a flag stands alone; everything else has a value, in the same word or the next
  if (option->kind == LIMPET_OPTION_FLAG) {
    if (equals) return value_wrong(command, name, "takes no value");
    *(bool *)option->target = true;
    return LIMPET_OPTIONS_GO;
  }
  if (equals) return value_take(command, option, equals + 1);
  if (*at + 1 >= argc) {
    char problem[96];
    snprintf(problem, sizeof problem, "needs a value: %s %s", name, option->argument);
    return value_wrong(command, name, problem);
  }
  return value_take(command, option, argv[++*at]);
}

int limpet_options_misused(const limpet_command *command) {
  limpet_complain("expected: limpet %s\n  see 'limpet %s --help'", command->synopsis,
                  command->name);
  return LIMPET_EXIT_USAGE;
}

static limpet_options_visitor *visitor;
static void *visitor_context;

void limpet_options_visit(limpet_options_visitor *visit, void *context) {
  visitor = visit;
  visitor_context = context;
}

int limpet_options_parse(const limpet_command *command, const limpet_option *options,
                         int option_count, int argc, char **argv, limpet_text_list *arguments) {
  bool only_arguments = false;
  arguments->count = 0;
  if (visitor) {
    visitor(visitor_context, command, options, option_count);
    return LIMPET_EXIT_FINE;
  }
  for (int i = 1; i < argc; ++i) {
    const char *word = argv[i];
    if (only_arguments || word[0] != '-' || !word[1]) {
      const int code = list_take(command, "arguments", arguments, word);
      if (code != LIMPET_OPTIONS_GO) return code;
    } else if (strcmp(word, "--") == 0) {
      only_arguments = true;
    } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
      help_print(command, options, option_count);
      return LIMPET_EXIT_FINE;
    } else {
      const int code = option_take(command, options, option_count, argc, argv, &i);
      if (code != LIMPET_OPTIONS_GO) return code;
    }
  }
  return LIMPET_OPTIONS_GO;
}

/* cli/completion.c: `limpet completion SHELL` and `limpet man [COMMAND]`: what the shell completes
 * and what man shows, both from the tables of options. */
#include <stdio.h>
#include <string.h>

#include "options.h"

// How one table is written; `context` of the visitor.
typedef struct limpet_page {
  void (*begin)(const limpet_command *command);
  void (*option)(const limpet_command *command, const limpet_option *option);
  void (*end)(const limpet_command *command);
} limpet_page;

static void write_table(void *context, const limpet_command *command, const limpet_option *options,
                        int option_count) {
  const limpet_page *page = context;
  if (page->begin) page->begin(command);
  for (int i = 0; i < option_count; ++i) page->option(command, &options[i]);
  if (page->end) page->end(command);
}

// Each command hands over its table instead of reading arguments.
static void write_command(limpet_page *page, const limpet_command *command) {
  char name[32];
  snprintf(name, sizeof name, "%s", command->name);
  char *arguments[] = {name, NULL};
  limpet_options_visit(write_table, page);
  command->run(command, 1, arguments);
  limpet_options_visit(NULL, NULL);
}

static void write_commands(limpet_page *page) {
  for (int i = 0; i < limpet_command_count; ++i) write_command(page, limpet_commands[i]);
}

// ------------------------------------------------------------------------------------ choices

/* Words that an option or an argument takes, with a blank after each, where the library knows them
 * all: "coulomb lagged ". */
typedef struct limpet_choices {
  char text[1024];
} limpet_choices;

static void add_choice(limpet_choices *choices, const char *name) {
  const size_t length = strlen(choices->text);
  snprintf(choices->text + length, sizeof choices->text - length, "%s ", name);
}

static limpet_choices choices_of(const limpet_option *option) {
  limpet_choices choices = {""};
  if (strcmp(option->name, "--contact") == 0)
    for (const limpet_contact_model *const *m = limpet_contact_models(); *m; ++m)
      add_choice(&choices, limpet_contact_model_descriptor(*m)->name);
  if (strcmp(option->name, "--scheme") == 0)
    for (const limpet_scheme *const *s = limpet_schemes(); *s; ++s)
      add_choice(&choices, limpet_scheme_descriptor(*s)->name);
  if (strcmp(option->name, "--normal-law") == 0)
    for (const limpet_normal_law *const *law = limpet_normal_laws(); *law; ++law)
      add_choice(&choices, ((const limpet_descriptor *)*law)->name);
  if (strcmp(option->name, "--preset") == 0)
    for (const limpet_preset *preset = limpet_presets(); preset->name; ++preset)
      add_choice(&choices, preset->name);
  return choices;
}

// What stands in the synopsis as "[models|laws]" or "bash|zsh|fish"; of man the commands.
static limpet_choices argument_choices(const limpet_command *command) {
  limpet_choices choices = {""};
  if (strcmp(command->name, "man") == 0)
    for (int i = 0; i < limpet_command_count; ++i) add_choice(&choices, limpet_commands[i]->name);
  const char *bar = strchr(command->synopsis, '|');
  while (bar && bar > command->synopsis && !strchr(" [", bar[-1])) --bar;
  for (; bar && *bar && !strchr(" ]", *bar); bar += *bar == '|') {
    char word[32];
    const int length = (int)strcspn(bar, "| ]");
    snprintf(word, sizeof word, "%.*s", length, bar);
    add_choice(&choices, word);
    bar += length;
  }
  return choices;
}

// A text with a backslash before each of `special`.
static void put_escaped(const char *text, const char *special) {
  for (const char *c = text; *c; ++c) {
    if (strchr(special, *c)) putchar('\\');
    putchar(*c);
  }
}

// ----------------------------------------------------------------------------------------- bash

static void bash_begin(const limpet_command *command) {
  printf("    %s) plain=\"%s\" words=\"", command->name, argument_choices(command).text);
}

static void bash_option(const limpet_command *command, const limpet_option *option) {
  (void)command;
  printf("%s ", option->name);
}

static void bash_end(const limpet_command *command) {
  (void)command;
  printf("--help\" ;;\n");
}

static void bash_choices(const limpet_command *command, const limpet_option *option) {
  const limpet_choices choices = choices_of(option);
  if (*choices.text)
    printf("    %s:%s) values=\"%s\" ;;\n", command->name, option->name, choices.text);
}

static void bash_write(void) {
  limpet_page words = {bash_begin, bash_option, bash_end}, values = {NULL, bash_choices, NULL};
  printf(
      "# completion of limpet for bash: source it, or put it into "
      "/usr/share/bash-completion/completions/limpet\n"
      "_limpet() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local words=\"\" plain=\"\" values=\"\" before=\"\" commands=\"");
  for (int i = 0; i < limpet_command_count; ++i) printf("%s ", limpet_commands[i]->name);
  printf(
      "\"\n  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"--help --version help $commands\" -- \"$current\"))\n"
      "    return\n  fi\n"
      "  # bash takes --option=value apart\n"
      "  if [ \"$current\" = \"=\" ]; then current=\"\"\n"
      "  elif [ \"$option\" = \"=\" ]; then option=${COMP_WORDS[COMP_CWORD-2]}\n  fi\n"
      "  case ${COMP_WORDS[1]}:$option in\n");
  write_commands(&values);
  printf(
      "  esac\n"
      "  if [ -n \"$values\" ]; then\n"
      "    case $current in *,*) before=${current%%,*}, current=${current##*,} ;; esac\n"
      "    COMPREPLY=($(compgen -P \"$before\" -W \"$values\" -- \"$current\"))\n"
      "    return\n  fi\n"
      "  case ${COMP_WORDS[1]} in\n"
      "    help) plain=$commands ;;\n");
  write_commands(&words);
  printf(
      "  esac\n"
      "  case $current in\n"
      "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$current\")) ;;\n"
      "    *) COMPREPLY=($(compgen -W \"$plain\" -- \"$current\")) ;;\n"
      "  esac\n}\n"
      "complete -o default -F _limpet limpet\n");
}

// ------------------------------------------------------------------------------------------ zsh

static void zsh_begin(const limpet_command *command) {
  printf("    %s)\n      _arguments \\\n", command->name);
}

static void zsh_option(const limpet_command *command, const limpet_option *option) {
  (void)command;
  const bool value = option->kind != LIMPET_OPTION_FLAG;
  printf("        $'%s%s%s[", option->kind == LIMPET_OPTION_REPEATED ? "*" : "", option->name,
         value ? "=" : "");
  put_escaped(option->text, "[]:'\\");
  printf("]");
  if (value) {
    printf(":");
    put_escaped(option->argument, "[]:'\\");
    const limpet_choices choices = choices_of(option);
    if (*choices.text) printf(":(%s)", choices.text);
    else printf(":_files");
  }
  printf("' \\\n");
}

static void zsh_end(const limpet_command *command) {
  const limpet_choices choices = argument_choices(command);
  if (*choices.text) printf("        '*:word:(%s)' ;;\n", choices.text);
  else printf("        '*:file:_files' ;;\n");
}

static void zsh_write(void) {
  limpet_page page = {zsh_begin, zsh_option, zsh_end};
  printf("#compdef limpet\n_limpet() {\n  local -a commands\n  commands=(\n");
  for (int i = 0; i < limpet_command_count; ++i) {
    printf("    $'%s:", limpet_commands[i]->name);
    put_escaped(limpet_commands[i]->summary, "':\\");
    printf("'\n");
  }
  printf(
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
      "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n");
  write_commands(&page);
  printf("  esac\n}\n_limpet \"$@\"\n");
}

// ----------------------------------------------------------------------------------------- fish

static void fish_option(const limpet_command *command, const limpet_option *option) {
  printf("complete -c limpet -n '__fish_seen_subcommand_from %s' -l %s%s -d '", command->name,
         option->name + 2, option->kind == LIMPET_OPTION_FLAG ? "" : " -r");
  put_escaped(option->text, "'\\");
  const limpet_choices choices = choices_of(option);
  if (*choices.text) printf("' -f -a '%s", choices.text);
  printf("'\n");
}

static void fish_begin(const limpet_command *command) {
  const limpet_choices choices = argument_choices(command);
  if (*choices.text)
    printf("complete -c limpet -n '__fish_seen_subcommand_from %s' -f -a '%s'\n", command->name,
           choices.text);
}

static void fish_write(void) {
  limpet_page page = {fish_begin, fish_option, NULL};
  for (int i = 0; i < limpet_command_count; ++i) {
    printf("complete -c limpet -n __fish_use_subcommand -f -a %s -d '", limpet_commands[i]->name);
    put_escaped(limpet_commands[i]->summary, "'\\");
    printf("'\n");
  }
  write_commands(&page);
}

static const struct {
  const char *name;
  void (*write)(void);
} shells[] = {{"bash", bash_write}, {"zsh", zsh_write}, {"fish", fish_write}};

static int completion(const limpet_command *command, int argc, char **argv) {
  limpet_text_list arguments;
  const int code = limpet_options_parse(command, NULL, 0, argc, argv, &arguments);
  if (code != LIMPET_OPTIONS_GO) return code;
  for (int i = 0; i < 3 && arguments.count == 1; ++i) {
    if (strcmp(shells[i].name, arguments.text[0]) != 0) continue;
    shells[i].write();
    return LIMPET_EXIT_FINE;
  }
  limpet_complain("name a shell: bash, zsh or fish");
  return LIMPET_EXIT_USAGE;
}

// ------------------------------------------------------------------------------------------ man

// Lines of text as roff takes them: no line begins with its control characters.
static void man_text(const char *text) {
  bool start = true;
  for (const char *c = text; *c; ++c) {
    if (start && (*c == '.' || *c == '\'')) fputs("\\&", stdout);
    if (*c == '\\') fputs("\\e", stdout);
    else if (*c == '-') fputs("\\-", stdout);
    else putchar(*c);
    start = *c == '\n';
  }
}

static void man_begin(const limpet_command *command) {
  printf(".SS \"");
  man_text(command->synopsis);
  printf("\"\n");
  man_text(command->summary);
  printf(".\n.PP\n");
  man_text(command->text);
  printf(".PP\n.nf\n");
  man_text(command->examples);
  printf(".fi\n");
}

static void man_option(const limpet_command *command, const limpet_option *option) {
  (void)command;
  printf(".TP\n\\fB");
  man_text(option->name);
  printf("\\fR");
  if (option->argument) {
    printf(" \\fI");
    man_text(option->argument);
    printf("\\fR");
  }
  printf("\n");
  man_text(option->text);
  printf("\n");
}

static void man_environment(void) {
  static const char *const variables[][2] = {
      {"LIMPET_PACKAGE_PATH", "where package://NAME of robot files lies, as --package says"},
      {"LIMPET_CHROMIUM, LIMPET_FFMPEG", "the programs with which 'limpet render' draws"},
      {"BROWSER", "the program with which 'limpet view' opens its page"},
      {"LIMPET_SHARED, LIMPET_PYTHON",
       "of 'limpet bench': the folder of the models, the Python that has MuJoCo"},
      {"TMPDIR", "where files lie that are not kept"},
  };
  printf(".SH ENVIRONMENT\n");
  for (size_t i = 0; i < sizeof variables / sizeof *variables; ++i) {
    printf(".TP\n\\fB%s\\fR\n", variables[i][0]);
    man_text(variables[i][1]);
    printf("\n");
  }
}

static int man(const limpet_command *command, int argc, char **argv) {
  limpet_text_list arguments;
  const int code = limpet_options_parse(command, NULL, 0, argc, argv, &arguments);
  if (code != LIMPET_OPTIONS_GO) return code;
  const char *only = arguments.count == 1 ? arguments.text[0] : NULL;
  const limpet_command *found = NULL;
  for (int i = 0; only && i < limpet_command_count; ++i)
    if (strcmp(limpet_commands[i]->name, only) == 0) found = limpet_commands[i];
  if (only && !found) limpet_complain("there is no command '%s'; 'limpet --help' lists them", only);
  else if (arguments.count > 1) limpet_complain("name one command, or none for all of them");
  if (arguments.count > 1 || (only && !found)) return LIMPET_EXIT_USAGE;
  limpet_page page = {man_begin, man_option, NULL};
  printf(
      ".TH LIMPET 1 \"\" \"limpet %s\"\n.SH NAME\nlimpet \\- simulates robots that touch things\n",
      limpet_version());
  printf(".SH SYNOPSIS\n\\fBlimpet\\fR \\fIcommand\\fR [\\fIoptions\\fR]\n.SH COMMANDS\n");
  if (found) write_command(&page, found);
  else write_commands(&page);
  printf(
      ".SH EXIT STATUS\n0 fine, 1 input or file error, 2 usage error, 3 the simulation stopped "
      "(numerical failure).\n");
  man_environment();
  return LIMPET_EXIT_FINE;
}

const limpet_command limpet_command_completion = {
    .name = "completion",
    .synopsis = "completion bash|zsh|fish",
    .summary = "what the shell completes",
    .text =
        "Writes a script that lets the shell complete commands, options, and names that the "
        "library knows.\n",
    .examples =
        "  source <(limpet completion bash)                               in this shell\n"
        "  limpet completion fish > ~/.config/fish/completions/limpet.fish\n",
    .run = completion,
};

const limpet_command limpet_command_man = {
    .name = "man",
    .synopsis = "man [COMMAND]",
    .summary = "the manual page",
    .text = "Writes the manual page, of all commands or of one.\n",
    .examples = "  limpet man | man -l -\n  limpet man sweep | man -l -\n",
    .run = man,
};

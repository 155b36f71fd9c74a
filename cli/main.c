/* cli/main.c: the command `limpet`: finds the command, teaches when it is asked. */
#include <stdarg.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "suggest.h"

const limpet_command *const limpet_commands[] = {
    &limpet_command_run,      &limpet_command_compare,  &limpet_command_compute,
    &limpet_command_info,     &limpet_command_check,    &limpet_command_convert,
    &limpet_command_list,     &limpet_command_bench,    &limpet_command_optimize,
    &limpet_command_identify, &limpet_command_gradient, &limpet_command_view,
    &limpet_command_render,   &limpet_command_sweep,    &limpet_command_completion,
    &limpet_command_man};
const int limpet_command_count = (int)(sizeof limpet_commands / sizeof *limpet_commands);

void limpet_complain(const char *format, ...) {
  char text[8192];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);

  // names and texts of files that are no text must not command the terminal
  for (unsigned char *c = (unsigned char *)text; *c; ++c) {
    const bool control = (*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7f;
    const bool second_set = *c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0;  // U+0080 to U+009F
    if (control || second_set) *c = '?';
    if (second_set) c[1] = '?';
  }
  fflush(stdout);
  fprintf(stderr, "limpet: %s\n", text);
}

static void help_print(void) {
  printf(
      "limpet %s simulates robots that touch things.\n"
      "\n"
      "Examples:\n"
      "  limpet run scene.xml                                 simulate 3 s and say in words what "
      "happened\n"
      "  limpet run scene.xml --dt 1ms --html out.html        ... at another step, and write a "
      "replay for any browser\n"
      "  limpet run scene.xml --set gripper=5N --log out.h5   ... with a constant control, "
      "recorded\n"
      "  limpet run --from out.h5                             run a log again and compare, bit for "
      "bit\n"
      "  limpet compare scene.xml --html out.html             every contact model side by side: a "
      "table, and a replay of all\n"
      "  limpet view scene.xml                                watch it run in a browser, and pull "
      "at it\n"
      "  limpet render out.html --mp4 out.mp4                 a video of a replay, a log or a "
      "model "
      "(--png: a picture)\n"
      "  limpet check robot.xml                               what of this file is simulated, and "
      "what is not?\n"
      "  limpet info robot.xml --json                         names, masses, joints for a program\n"
      "  limpet optimize plan.json --html plan.html           find controls that reach a goal, "
      "through contact\n"
      "  limpet compute robot.xml --states in.json            kinematics and dynamics for given "
      "states\n"
      "\n"
      "Commands:\n",
      limpet_version());
  for (int i = 0; i < limpet_command_count; ++i)
    printf("  %-10s %s\n", limpet_commands[i]->name, limpet_commands[i]->summary);
  printf(
      "  %-10s %s\n"
      "\n"
      "Quantities may carry units: 2ms, 3s, 5N, 0.1m, 30deg; a bare number is in SI units.\n"
      "Data goes to stdout, messages to stderr; --json gives one JSON object whose keys "
      "docs/cli.md explains.\n"
      "Exit codes: 0 fine, 1 input or file error, 2 usage error, 3 the simulation stopped "
      "(numerical failure).\n"
      "'limpet COMMAND --help' explains a command, 'limpet --version' names the version.\n",
      "help", "this text, or 'limpet help COMMAND'");
}

static const limpet_command *command_find(const char *name) {
  for (int i = 0; i < limpet_command_count; ++i) {
    if (strcmp(limpet_commands[i]->name, name) == 0) return limpet_commands[i];
  }
  limpet_suggestion best = {0};
  char hint[96];
  for (int i = 0; i < limpet_command_count; ++i)
    limpet_suggest(&best, name, limpet_commands[i]->name);
  limpet_complain("unknown command '%s'%s\n  see 'limpet --help'", name,
                  limpet_suggestion_text(hint, sizeof hint, &best));
  return NULL;
}

// Output that did not reach its file or pipe is an error, whatever the command said.
static int output_finish(int code) {
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout)) return code;
  if (errno == 0) {  // an earlier write failed: what is broken off gets a line's end, or the reason
    clearerr(stdout);
    fputc('\n', stdout);
    fflush(stdout);
  }
  limpet_complain("the output could not be written%s%s", errno ? ": " : "",
                  errno ? strerror(errno) : "");
  return code == LIMPET_EXIT_FINE ? LIMPET_EXIT_INPUT : code;
}

/* A descriptor that a caller closed (`limpet run 2>&-`) would become that of the next file, and
 * words meant for a terminal would go into a log. It leads to where they fail, as before. */
static void descriptors_fill(void) {
  for (int descriptor = 0; descriptor < 3; ++descriptor)
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
      open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv) {
  descriptors_fill();
  if (argc < 2) {
    limpet_complain("no command given\n  try 'limpet run FILE', or 'limpet --help'");
    return LIMPET_EXIT_USAGE;
  }
  const char *word = argv[1];
  if (strcmp(word, "--version") == 0) {
    printf("limpet %s\n", limpet_version());
    return output_finish(LIMPET_EXIT_FINE);
  }
  const bool help =
      strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
  if (help && (argc < 3 || argv[2][0] == '-')) {
    help_print();
    return output_finish(LIMPET_EXIT_FINE);
  }
  const limpet_command *command = command_find(help ? argv[2] : word);
  if (!command) return LIMPET_EXIT_USAGE;
  char *help_arguments[] = {argv[1], (char[]){"--help"}, NULL};
  return output_finish(help ? command->run(command, 2, help_arguments)
                            : command->run(command, argc - 1, argv + 1));
}

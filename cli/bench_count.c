/* cli/bench_count.c: this program under callgrind, and what its file says of the stages.
 *
 * Instruction counts do not depend on what else the machine does and repeat to 0.1 %. The child
 * runs `limpet bench --moving SCENE --once`; only limpet_step is counted. The file gives for every
 * call the inclusive cost:
 *   fn=(7) name          a function begins, its name given once
 *   cfn=(9) name         it calls another one
 *   calls=COUNT ...      the next line ends with the cost of those calls
 * Summed over all callers that is what a function and all below it took. */
#include "bench_count.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output.h"

extern char **environ;

// Functions that make up a stage; each is called from outside of the others only.
typedef struct stage_function {
  const char *name;
  int stage;     // STAGE_
  double share;  // -1: what it took belongs elsewhere
} stage_function;
enum { STAGE_BROAD, STAGE_NARROW, STAGE_ASSEMBLY, STAGE_COUNT };

// Detection less the narrow phase is the broad phase: the look ahead is part of it.
static const stage_function functions[] = {
    {"limpet_step_detect", STAGE_BROAD, 1.0},
    {"limpet_step_detect_thrown", STAGE_BROAD, 1.0},
    {"limpet_narrow_phase", STAGE_BROAD, -1.0},
    {"limpet_may_be_fast", STAGE_BROAD, -1.0},
    {"limpet_fast_pairs", STAGE_BROAD, -1.0},
    {"limpet_narrow_phase", STAGE_NARROW, 1.0},
    {"limpet_may_be_fast", STAGE_NARROW, 1.0},
    {"limpet_fast_pairs", STAGE_NARROW, 1.0},
    {"limpet_step_assemble", STAGE_ASSEMBLY, 1.0},
    {"limpet_problem_partition", STAGE_ASSEMBLY, 1.0},
    {"limpet_anchors_load", STAGE_ASSEMBLY, 1.0},
};
enum { FUNCTION_COUNT = sizeof functions / sizeof *functions };

// Number in "(7)" of a line "cfn=(7) name"; -1: none.
static int number_of(const char *line) {
  const char *open = strchr(line, '(');
  return open ? atoi(open + 1) : -1;
}

// Notes the number of a function when its name is given.
static void name_note(int numbers[FUNCTION_COUNT], const char *line) {
  const char *name = strstr(line, ") ");
  if (!name) return;
  const size_t length = strcspn(name + 2, "\n");
  for (int i = 0; i < FUNCTION_COUNT; ++i)
    if (strlen(functions[i].name) == length && strncmp(functions[i].name, name + 2, length) == 0)
      numbers[i] = number_of(line);
}

// Sums of the file by stage, and its total; false: it is not what callgrind writes.
static bool file_sum(const char *path, double stage[STAGE_COUNT], double *total) {
  FILE *file = fopen(path, "r");
  if (!file) return false;
  char line[4096];
  int numbers[FUNCTION_COUNT], called = -1;
  bool cost_follows = false;
  for (int i = 0; i < FUNCTION_COUNT; ++i) numbers[i] = -1;
  *total = 0.0;
  while (fgets(line, sizeof line, file)) {
    if (strncmp(line, "fn=", 3) == 0) name_note(numbers, line);
    if (strncmp(line, "cfn=", 4) == 0) name_note(numbers, line), called = number_of(line);
    if (strncmp(line, "totals:", 7) == 0) *total = atof(line + 7);
    if (cost_follows) {
      const char *cost = strrchr(line, ' ');
      for (int i = 0; i < FUNCTION_COUNT && cost; ++i)
        if (called >= 0 && numbers[i] == called)
          stage[functions[i].stage] += functions[i].share * atof(cost);
    }
    cost_follows = strncmp(line, "calls=", 6) == 0;
  }
  fclose(file);
  return *total > 0.0;
}

// False: there is no valgrind, or the run under it failed.
static bool child_run(const char *scene, int steps, const char *path) {
  char self[LIMPET_PATH_SIZE], out[LIMPET_PATH_SIZE + 64], number[16];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0) return false;
  self[length] = '\0';
  snprintf(out, sizeof out, "--callgrind-out-file=%s", path);
  snprintf(number, sizeof number, "%d", steps);
  char *arguments[] = {"valgrind",
                       "--tool=callgrind",
                       "--toggle-collect=limpet_step",
                       out,
                       self,
                       "bench",
                       "--moving",
                       "--once",
                       "--steps",
                       number,
                       (char *)scene,
                       NULL};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int stream = 1; stream <= 2; ++stream)
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0);
  pid_t process;
  const bool started =
      posix_spawnp(&process, arguments[0], &actions, NULL, arguments, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (!started || waitpid(process, &status, 0) != process) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool limpet_bench_count_run(limpet_bench_count *count, const char *scene, int steps) {
  char path[LIMPET_PATH_SIZE];
  const char *temporary = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/limpet_count_%ld", temporary ? temporary : "/tmp",
           (long)getpid());
  double stage[STAGE_COUNT] = {0.0}, total = 0.0;
  const bool counted = child_run(scene, steps, path) && file_sum(path, stage, &total);
  unlink(path);
  if (!counted) {
    fprintf(stderr, "%s: instructions skipped: valgrind is not installed or stopped\n", scene);
    return false;
  }
  *count = (limpet_bench_count){.broad = stage[STAGE_BROAD] / steps,
                                .narrow = stage[STAGE_NARROW] / steps,
                                .assembly = stage[STAGE_ASSEMBLY] / steps,
                                .total = total / steps};
  return true;
}

/* benchmarks/bench_load.c: how long a model takes to load, with its meshes.
 *
 * usage: bench_load [FILE...]   default: robots of the shared data, in the folder LIMPET_SHARED
 *                               (default: ../shared)
 *
 * Cold: the first limpet_load of a fresh process, which has no memory from the system and no code
 * in its caches; files are in the memory of the system, since only root can take them out of it.
 * Again: the same file once more in that process; Limpet keeps nothing on disk or between loads.
 * Least and median of several processes. benchmarks/load_mujoco.py prints MuJoCo's times. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "limpet/format.h"
#include "measure.h"

enum { PROCESSES = 15 };

static const char *const robots[] = {"models/menagerie/franka_emika_panda/panda.xml",
                                     "models/menagerie/unitree_g1/g1.xml",
                                     "models/menagerie/aloha/aloha.xml",
                                     "models/menagerie/shadow_hand/right_hand.xml",
                                     "models/menagerie/agility_cassie/cassie.xml",
                                     "models/mjcf/model/humanoid/100_humanoids.xml"};

typedef struct times {
  double cold, again;  // [s]
} times;

static double load(const char *path, limpet_error *error) {
  const double start = now();
  limpet_model *model = limpet_load(path, NULL, error);
  const double time = now() - start;
  if (!model) return -1.0;
  limpet_model_destroy(model);
  return time;
}

// In a process of its own; false: the file does not load.
static bool measure(const char *path, times *t) {
  int ends[2];
  if (pipe(ends)) return false;
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    limpet_error error = {0};
    t->cold = load(path, &error);
    if (t->cold < 0.0) fprintf(stderr, "%s\n", error.message);
    t->again = load(path, &error);
    const bool good = t->cold >= 0.0 && write(ends[1], t, sizeof *t) == (ssize_t)sizeof *t;
    _exit(good ? 0 : 1);
  }
  close(ends[1]);
  const bool good = child > 0 && read(ends[0], t, sizeof *t) == (ssize_t)sizeof *t;
  close(ends[0]);
  if (child > 0) waitpid(child, NULL, 0);
  return good;
}

static int by_time(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int report(const char *path, const char *name) {
  double cold[PROCESSES], again[PROCESSES];
  for (int i = 0; i < PROCESSES; ++i) {
    times t;
    if (!measure(path, &t)) return 1;
    cold[i] = t.cold, again[i] = t.again;
  }
  qsort(cold, PROCESSES, sizeof *cold, by_time);
  qsort(again, PROCESSES, sizeof *again, by_time);
  printf("%-24s %9.1f %9.1f %9.1f %9.1f\n", name, 1e3 * cold[0], 1e3 * cold[PROCESSES / 2],
         1e3 * again[0], 1e3 * again[PROCESSES / 2]);
  return 0;
}

static const char *name_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

int main(int argc, char **argv) {
  printf("time to load [ms], %d processes\n%-24s %9s %9s %9s %9s\n", PROCESSES, "", "cold",
         "median", "again", "median");
  int failed = 0;
  for (int i = 1; i < argc; ++i) failed |= report(argv[i], name_of(argv[i]));
  if (argc > 1) return failed;
  const char *shared = getenv("LIMPET_SHARED");
  for (size_t i = 0; i < sizeof robots / sizeof *robots; ++i) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", shared ? shared : "../shared", robots[i]);
    if (access(path, R_OK)) printf("%-24s left out: no shared data\n", name_of(path));
    else failed |= report(path, name_of(path));
  }
  return failed;
}

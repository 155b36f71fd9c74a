/* cli/bench_peer.c: another simulator in a process of its own, asked for one batch at a time.
 *
 * The script benchmarks/against_mujoco.py reads one JSON object (file, settled state, controls,
 * time step, steps of a batch), answers with one (version, contacts, iterations, residual, or an
 * error), and then with the time of a batch for each line "batch". So both simulators take turns on
 * the same core in the same minutes. */
#include "bench_peer.h"

#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "json.h"

extern char **environ;

// Folder of this program, "." if that is not known.
static void program_folder(char folder[LIMPET_PATH_SIZE]) {
  const ssize_t length = readlink("/proc/self/exe", folder, LIMPET_PATH_SIZE - 1);
  folder[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(folder, '/');
  if (slash) *slash = '\0';
  else snprintf(folder, LIMPET_PATH_SIZE, ".");
}

/* First of the places, relative to the folder of this program, where a file can be read; false: in
 * none. */
static bool file_find(char path[LIMPET_PATH_SIZE], const char *const *places, int count, int mode) {
  char folder[LIMPET_PATH_SIZE];
  program_folder(folder);
  for (int i = 0; i < count; ++i) {
    if (snprintf(path, LIMPET_PATH_SIZE, "%s/%s", folder, places[i]) >= LIMPET_PATH_SIZE) continue;
    if (access(path, mode) == 0) return true;
  }
  return false;
}

// Starts `python script` with pipes to and from it.
static bool process_start(limpet_bench_peer *peer, const char *python, const char *script) {
  int down[2], up[2];
  if (pipe(down) != 0) return false;
  if (pipe(up) != 0) return close(down[0]), close(down[1]), false;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, down[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, up[1], STDOUT_FILENO);
  for (int i = 0; i < 2; ++i) {
    posix_spawn_file_actions_addclose(&actions, down[i]);
    posix_spawn_file_actions_addclose(&actions, up[i]);
  }
  char *arguments[] = {(char *)python, (char *)script, NULL};
  const bool started =
      posix_spawnp(&peer->process, python, &actions, NULL, arguments, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(down[0]);
  close(up[1]);
  peer->to = fdopen(down[1], "w");
  peer->from = fdopen(up[0], "r");
  if (!started) peer->process = 0;
  return started && peer->to && peer->from;
}

static json_t *request_json(const limpet_bench_world *world, int batch_steps) {
  const limpet_model *model = world->model;
  limpet_data *data = world->data;
  limpet_data_state_write(model, data, world->state);
  char *path = realpath(world->path, NULL);
  json_t *request =
      json_pack("{s:o, s:f, s:i, s:i, s:o, s:o, s:o, s:o}", "file",
                limpet_json_text(path ? path : world->path), "time_step", LIMPET_BENCH_TIME_STEP,
                "settle_steps", world->scene->peer_settle, "batch_steps", batch_steps, "q",
                limpet_json_array(data->q, model->nq), "v", limpet_json_array(data->v, model->nv),
                "control", limpet_json_array(data->control, model->nu), "activation",
                limpet_json_array(data->activation, model->na));
  free(path);
  return request;
}

// One line of JSON from the peer; NULL when it is gone or talks nonsense.
static json_t *answer_read(limpet_bench_peer *peer) {
  char *line = NULL;
  size_t room = 0;
  json_t *answer = getline(&line, &room, peer->from) > 0 ? json_loads(line, 0, NULL) : NULL;
  free(line);
  return answer;
}

json_t *limpet_bench_peer_open_with(limpet_bench_peer *peer, const limpet_bench_world *world,
                                    int batch_steps, json_t *extra) {
  static const char *const scripts[] = {"../../benchmarks/against_mujoco.py",
                                        "../benchmarks/against_mujoco.py",
                                        "../share/limpet/against_mujoco.py"};
  static const char *const pythons[] = {"../../cache/venv/bin/python3",
                                        "../cache/venv/bin/python3"};
  char script[LIMPET_PATH_SIZE], venv[LIMPET_PATH_SIZE];
  *peer = (limpet_bench_peer){0};
  if (!file_find(script, scripts, 3, R_OK)) {
    fprintf(stderr, "%s: mujoco skipped: no benchmarks/against_mujoco.py beside this program\n",
            world->scene->name);
    return NULL;
  }
  signal(SIGPIPE, SIG_IGN);

  // the first Python that has the package
  const char *chosen = getenv("LIMPET_PYTHON");
  const char *candidates[] = {chosen, file_find(venv, pythons, 2, X_OK) ? venv : NULL, "python3"};
  const char *reason =
      "not installed (pip install mujoco-core==4.0.1; LIMPET_PYTHON names the python3 that has it)";
  for (int i = 0; i < 3; ++i) {
    if (!candidates[i] || !process_start(peer, candidates[i], script)) continue;
    json_t *request = request_json(world, batch_steps);
    if (extra) json_object_update(request, extra);
    json_dumpf(request, peer->to, JSON_COMPACT | JSON_REAL_PRECISION(17));
    fputc('\n', peer->to);
    fflush(peer->to);
    json_decref(request);
    json_t *answer = answer_read(peer);
    const char *error = json_string_value(json_object_get(answer, "error"));
    if (answer && !error) return answer;
    limpet_bench_peer_close(peer);
    if (error && strcmp(error, "not installed") != 0) {
      fprintf(stderr, "%s: mujoco skipped: %s\n", world->scene->name, error);
      json_decref(answer);
      return NULL;
    }
    json_decref(answer);
  }
  fprintf(stderr, "%s: mujoco skipped: %s\n", world->scene->name, reason);
  return NULL;
}

json_t *limpet_bench_peer_open(limpet_bench_peer *peer, const limpet_bench_world *world,
                               int batch_steps) {
  return limpet_bench_peer_open_with(peer, world, batch_steps, NULL);
}

double limpet_bench_peer_batch(limpet_bench_peer *peer) {
  return limpet_bench_peer_ask(peer, "batch");
}

double limpet_bench_peer_ask(limpet_bench_peer *peer, const char *what) {
  fprintf(peer->to, "%s\n", what);
  fflush(peer->to);
  json_t *answer = answer_read(peer);
  const double time = answer ? json_number_value(json_object_get(answer, "seconds_per_step")) : NAN;
  json_decref(answer);
  return time > 0.0 ? time : (double)NAN;
}

void limpet_bench_peer_close(limpet_bench_peer *peer) {
  if (peer->to) fclose(peer->to);
  if (peer->from) fclose(peer->from);
  if (peer->process) waitpid(peer->process, NULL, 0);
  *peer = (limpet_bench_peer){0};
}

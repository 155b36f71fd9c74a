/* tests/viewer/test_viewer.c: a replay in headless Chromium: the page runs, moves, and shows the
 * cube where the log says.
 *
 * The program makes a replay and a log of the same run, reads the cube's positions out of the log,
 * and hands them with the page to look_at_replay.mjs, which does the looking. A second page has two
 * runs; look_at_runs.mjs looks at it. Skipped where the viewer was not built, or without node or
 * Chromium. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <hdf5.h>
#include <jansson.h>

#include "puppet.h"

enum { STEPS = 3000, SKIPPED = 77 };

static const char page_path[] = LIMPET_BINARY_DIR "/test_viewer.html";
static const char runs_path[] = LIMPET_BINARY_DIR "/test_viewer_runs.html";
static const char log_path[] = LIMPET_BINARY_DIR "/test_viewer.h5";
static const char truth_path[] = LIMPET_BINARY_DIR "/test_viewer.json";

static bool have_program(const char *command) {
  char line[256];
  snprintf(line, sizeof line, "command -v %s >/dev/null 2>&1", command);
  return system(line) == 0;
}

static bool record(const limpet_model *model) {
  limpet_error error = {0};
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = puppet_settings(model);
  limpet_log_options log_options = limpet_log_options_default();
  limpet_replay_options options = limpet_replay_options_default();
  options.settings = &settings;
  log_options.interval = 0.05;
  puppet_move(model, data, 0);
  limpet_log *log = limpet_log_create(log_path, model, data, &settings, &log_options, &error);
  limpet_replay *replay = limpet_replay_create(model, &options);
  bool done = log && replay;
  for (int step = 0; step <= STEPS && done; ++step) {
    puppet_move(model, data, step);
    done = limpet_log_append(log, model, data, &error) == LIMPET_OK &&
           limpet_replay_append(replay, model, data) == LIMPET_OK;
  }
  done = done && limpet_log_close(log, &error) == LIMPET_OK &&
         limpet_replay_write(replay, model, page_path, &error) == LIMPET_OK;
  if (!done) fprintf(stderr, "%s\n", error.message);
  limpet_replay_destroy(replay);
  limpet_data_destroy(data);
  return done;
}

// three records of the log, as {"body": "cube", "truth": [{"time": s, "position": [x, y, z]}]}
static bool write_truth(int cube) {
  static const int record_index[3] = {10, 57, 101};
  double time, position[3];
  const hid_t file = H5Fopen(log_path, H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t times = H5Dopen2(file, "time", H5P_DEFAULT),
              positions = H5Dopen2(file, "body_position", H5P_DEFAULT);
  const hid_t time_space = H5Dget_space(times), position_space = H5Dget_space(positions);
  const hsize_t three = 3;
  const hid_t one = H5Screate(H5S_SCALAR), row = H5Screate_simple(1, &three, NULL);
  json_t *truth = json_array();
  bool read = file >= 0;
  for (int i = 0; i < 3; ++i) {
    const hsize_t start[3] = {(hsize_t)record_index[i], (hsize_t)cube, 0}, count[3] = {1, 1, 3};
    H5Sselect_hyperslab(time_space, H5S_SELECT_SET, start, NULL, count, NULL);
    H5Sselect_hyperslab(position_space, H5S_SELECT_SET, start, NULL, count, NULL);
    read = read && H5Dread(times, H5T_NATIVE_DOUBLE, one, time_space, H5P_DEFAULT, &time) >= 0;
    read = read &&
           H5Dread(positions, H5T_NATIVE_DOUBLE, row, position_space, H5P_DEFAULT, position) >= 0;
    json_array_append_new(truth, json_pack("{s:f, s:[f,f,f]}", "time", time, "position",
                                           position[0], position[1], position[2]));
  }
  H5Fclose(file);
  json_t *all = json_pack("{s:s, s:o}", "body", "cube", "truth", truth);
  const bool written = json_dump_file(all, truth_path, JSON_INDENT(1)) == 0;
  json_decref(all);
  return read && written;
}

// Two runs in one page: in the second one the cube is 0.25 m aside.
static bool record_runs(const limpet_model *model) {
  static const char *const names[2] = {"lagged", "sap"};
  limpet_error error = {0};
  limpet_data *data = limpet_data_create(model);
  limpet_replay *replay[2] = {0};
  bool done = true;
  for (int run = 0; run < 2 && done; ++run) {
    limpet_step_settings settings = puppet_settings(model);
    settings.contact_model = limpet_contact_model_find(names[run]);
    limpet_replay_options options = limpet_replay_options_default();
    options.settings = &settings;
    replay[run] = limpet_replay_create(model, &options);
    for (int step = 0; step <= STEPS && replay[run] && done; ++step) {
      puppet_move(model, data, step);
      data->q[3] -= run ? 0.25 : 0.0;
      done = limpet_replay_append(replay[run], model, data) == LIMPET_OK;
    }
  }
  done = done && limpet_replays_write((const limpet_replay *const *)replay, 2, model, runs_path,
                                      &error) == LIMPET_OK;
  if (!done) fprintf(stderr, "%s\n", error.message);
  for (int run = 0; run < 2; ++run) limpet_replay_destroy(replay[run]);
  limpet_data_destroy(data);
  return done;
}

static int look(const char *script, const char *arguments) {
  char command[2048];
  snprintf(command, sizeof command, "LIMPET_SOURCE_DIR='%s' node '%s/tests/viewer/%s' %s",
           LIMPET_SOURCE_DIR, LIMPET_SOURCE_DIR, script, arguments);
  const int status = system(command);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(void) {
  if (!limpet_replay_available() || !have_program("node") || !have_program("chromium")) {
    puts("skipped: needs npm at build time, node and chromium");
    return SKIPPED;
  }
  limpet_model *model = puppet_model();
  if (!model || !record(model) || !record_runs(model) ||
      !write_truth(limpet_model_find(model, LIMPET_OBJECT_BODY, "cube")))
    return 1;
  limpet_model_destroy(model);

  char arguments[1024];
  snprintf(arguments, sizeof arguments, "'%s' '%s' '%s'", page_path, truth_path, LIMPET_BINARY_DIR);
  const int one = look("look_at_replay.mjs", arguments);
  snprintf(arguments, sizeof arguments, "'%s'", runs_path);
  const int several = look("look_at_runs.mjs", arguments);
  return one ? one : several;
}

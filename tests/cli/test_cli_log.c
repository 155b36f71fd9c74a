/* tests/cli/test_cli_log.c: `limpet run --log` and `--from`: runs are repeated bit for bit; full
 * disks, damage, kills, and logs that are being written. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "command_line.h"

static void test_log_runs_again_bit_for_bit(void **state) {
  (void)state;
  text_save("controls.csv", "time,push\n0,0\n0.1,3\n0.2,-2\n");
  limpet(
      "run scene.xml --time 0.25s --dt 1ms --keyframe up --controls controls.csv --log out.h5 "
      "--stiction-speed 1mm/s --json");
  json_t *first = output_json();
  limpet("run --from out.h5 --json --threads 2");
  json_t *again = output_json();
  assert_string_equal(command_errors, "");
  assert_true(json_is_true(json_at(again, "rerun/complete")));
  assert_true(json_is_true(json_at(again, "rerun/identical")));
  assert_true(json_equal(json_at(first, "q"), json_at(again, "q")));
  assert_string_equal(text_at(first, "state_hash"), text_at(again, "state_hash"));
  assert_true(number_at(again, "settings/stiction_speed") ==
              number_at(first, "settings/stiction_speed"));
  json_decref(first);
  json_decref(again);
  limpet("run --from out.h5");
  expect_text(command_output, "the final state is bit-identical");

  // negative control: a changed model is refused
  char *changed = strdup(scene_text);
  memcpy(strstr(changed, "kp='20'"), "kp='21'", 7);
  text_save("other.xml", changed);
  free(changed);
  limpet("run other.xml --from out.h5");
  expect_error(1, "was made with another model");
}

/* One record in a period of three steps: the first step, then the first at or after 6, 12, 18 ms:
 * step 9 (18 ms) is the last. Step 10 has no record, so the run is repeated up to step 9. */
static void test_a_log_with_a_period_runs_again(void **state) {
  (void)state;
  text_save("controls.csv", "time,push\n0,0\n0.01,3\n0.02,-2\n");
  limpet(
      "run scene.xml --time 20ms --dt 2ms --keyframe up --controls controls.csv --log out.h5 "
      "--log-period 6ms --quiet");
  assert_int_equal(command_code, 0);
  char path[512];
  limpet_error error;
  snprintf(path, sizeof path, "%s/out.h5", command_folder);
  limpet_log_info *info = limpet_log_read(path, &error);
  assert_non_null(info);
  assert_int_equal(info->record_count, 4);
  static const double times[] = {0.002, 0.006, 0.012, 0.018};
  for (int i = 0; i < 4; ++i) assert_true(fabs(info->time[i] - times[i]) < 1e-12);
  assert_int_equal(info->step_count, 10);
  limpet_log_info_destroy(info);
  limpet("run --from out.h5 --json");
  json_t *again = output_json();
  assert_true(json_is_true(json_at(again, "rerun/identical")));
  assert_true(number_at(again, "steps") == 9);
  json_decref(again);
}

// What does not move has a log as well, without coordinates.
static void test_a_world_at_rest_runs_again(void **state) {
  (void)state;
  text_save("rest.xml", "<mujoco><worldbody><geom size='1'/></worldbody></mujoco>");
  limpet("run rest.xml --time 10ms --log rest.h5 --quiet");
  assert_int_equal(command_code, 0);
  limpet("run --from rest.h5");
  assert_int_equal(command_code, 0);
  expect_text(command_output, "the final state is bit-identical");
}

/* A disk that is full is played by a limit on the size of files: the run ends with one error, and
 * the log holds what was complete, ready to run again. */
static void test_a_full_disk_leaves_a_whole_log(void **state) {
  (void)state;
  struct rlimit before, small;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = before;
  small.rlim_cur = 3 << 19;  // one chunk of each dataset, and not the second
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  limpet("run scene.xml --time 60s --log full.h5 --quiet");
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, SIG_DFL);
  expect_error(1, "full.h5: cannot be written");
  assert_null(strstr(strstr(command_errors, "cannot be written") + 1, "cannot be written"));
  assert_false(file_exists("full.h5.part"));
  limpet("run --from full.h5");
  assert_int_equal(command_code, 0);
  expect_text(command_errors, "warning: full.h5: ends early");
  expect_text(command_output, "the final state is bit-identical");
}

// Where not even the header has room HDF5 crashed as the process ended, or said what went on in it.
static void test_a_disk_too_full_for_a_header(void **state) {
  (void)state;
  struct rlimit before, small;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = before;
  signal(SIGXFSZ, SIG_IGN);
  for (small.rlim_cur = 1 << 9; small.rlim_cur <= 1 << 17; small.rlim_cur *= 2) {
    setrlimit(RLIMIT_FSIZE, &small);
    limpet("run scene.xml --time 1s --log fuller.h5 --quiet");
    setrlimit(RLIMIT_FSIZE, &before);
    expect_error(1, "fuller.h5: cannot be written");
    assert_null(strstr(command_errors, "HDF5"));
    assert_false(file_exists("fuller.h5"));
    assert_false(file_exists("fuller.h5.part"));
  }
  signal(SIGXFSZ, SIG_DFL);
}

/* The command, not a crash, says that a log is damaged, whatever HDF5 makes of it. What HDF5 then
 * loses is not ours: the sanitizer does not look for leaks. */
static void test_damaged_logs_are_refused(void **state) {
  (void)state;
  static char bytes[1 << 22];
  char path[256];
  limpet("run scene.xml --time 20ms --log whole.h5 --quiet");
  snprintf(path, sizeof path, "%s/whole.h5", command_folder);
  setenv("ASAN_OPTIONS", "detect_leaks=0:allocator_may_return_null=1", 1);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  const size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  unsigned long seed = 7;
  for (int k = 0; k < 60; ++k) {
    snprintf(path, sizeof path, "%s/hurt.h5", command_folder);
    file = fopen(path, "w");
    assert_non_null(file);
    fwrite(bytes, 1, k % 4 ? size : size * (size_t)k / 60, file);
    for (int hit = 0; hit < 1 << (k % 8); ++hit) {
      seed = seed * 6364136223846793005UL + 1442695040888963407UL;
      fseek(file, (long)((seed >> 20) % (size < 30000 ? size : 30000)), SEEK_SET);
      fputc((int)(seed >> 56), file);
    }
    fclose(file);
    limpet("run --from hurt.h5 --quiet");
    assert_in_range(command_code, 0, 3);
    if (command_code) expect_text(command_errors, "limpet: ");
  }
  unsetenv("ASAN_OPTIONS");
}

static void expect_run_again(const char *warning) {
  limpet("run --from live.h5 --json");
  json_t *again = output_json();
  expect_text(command_errors, warning);
  assert_true(json_is_false(json_at(again, "rerun/complete")));
  assert_true(json_is_true(json_at(again, "rerun/identical")));
  json_decref(again);
}

// Who reads a log that is written gets what there is; who would write it, too, is told.
static void log_while_it_is_written(void) {
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(command_folder) != 0 || !freopen(".live", "w", stdout)) _exit(99);
    execl(LIMPET_BINARY_DIR "/limpet", "limpet", "run", "scene.xml", "--time", "100h", "--dt",
          "2ms", "--log-period", "0.5s", "--log", "live.h5", "--quiet", (char *)NULL);
    _exit(99);
  }
  char path[256];
  snprintf(path, sizeof path, "%s/live.h5", command_folder);
  for (int records = 0; records == 0; usleep(10000)) {
    assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
    limpet_log_info *info = limpet_log_read(path, NULL);
    if (!info) continue;
    records = info->record_count;
    limpet_log_info_destroy(info);
  }
  kill(child, SIGSTOP);  // it would write on, and each repetition has more to do
  expect_run_again("warning: live.h5: is still being written; the ");
  limpet("run scene.xml --time 1s --log live.h5");
  expect_error(1, "live.h5: another process is writing this log; wait until it ends, or give");
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  expect_run_again("warning: live.h5: ends early, since its run was killed");
  limpet("run scene.xml --time 1s --log live.h5 --quiet");
  assert_int_equal(command_code, 0);
  assert_string_equal(command_errors, "");
  remove(path);
}

static void test_a_log_that_is_being_written(void **state) {
  (void)state;
  log_while_it_is_written();
  setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);  // as clusters have it: our locks alone
  log_while_it_is_written();
  unsetenv("HDF5_USE_FILE_LOCKING");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_log_runs_again_bit_for_bit),
      cmocka_unit_test(test_a_log_with_a_period_runs_again),
      cmocka_unit_test(test_a_world_at_rest_runs_again),
      cmocka_unit_test(test_a_full_disk_leaves_a_whole_log),
      cmocka_unit_test(test_a_disk_too_full_for_a_header),
      cmocka_unit_test(test_damaged_logs_are_refused),
      cmocka_unit_test(test_a_log_that_is_being_written),
  };
  return cmocka_run_group_tests(tests, command_scene_open, command_scene_close);
}

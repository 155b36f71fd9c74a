/* tests/record/test_log_readers.c: logs that are read, or written twice, while a process writes
 * them. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "shared_data.h"
#include "log_files.h"
#include "puppet.h"
#include "record/log.h"

static const char first_path[] = LIMPET_BINARY_DIR "/test_log_readers_1.h5";
static const char second_path[] = LIMPET_BINARY_DIR "/test_log_readers_2.h5";

// A process that logs as many steps as it is told, so that this one can read meanwhile.
typedef struct writer {
  pid_t process;
  int order, done;  // pipes: how many steps, 0: close; a byte when that is done
} writer;

static void write_as_told(const limpet_model *model, int chunk, int order, int done) {
  limpet_error error = {0};
  limpet_data *data = limpet_data_create(model);
  limpet_log *log = puppet_log_begin(first_path, model, data, 0.0, chunk);
  int count, first = 0;
  bool open = true;
  while (open && read(order, &count, sizeof count) == sizeof count) {
    puppet_log_append(log, model, data, first, first + count - 1);
    first += count;
    open = count > 0;
    if (!open && limpet_log_close(log, &error) != LIMPET_OK) fail_msg("%s", error.message);
    if (write(done, "", 1) != 1) _exit(1);
  }
  _exit(0);
}

static writer writer_start(const limpet_model *model, int chunk) {
  int order[2], done[2];
  assert_int_equal(pipe(order), 0);
  assert_int_equal(pipe(done), 0);
  const writer w = {.process = fork(), .order = order[1], .done = done[0]};
  assert_true(w.process >= 0);
  if (w.process == 0) write_as_told(model, chunk, order[0], done[1]);
  close(order[0]);
  close(done[1]);
  return w;
}

static void writer_tell(const writer *w, int count) {
  char byte;
  assert_int_equal(write(w->order, &count, sizeof count), sizeof count);
  assert_int_equal(read(w->done, &byte, 1), 1);
}

static limpet_log_state state_of_log(void) {
  limpet_error error = {0};
  limpet_log_info *info = limpet_log_read(first_path, &error);
  if (!info) fail_msg("%s", error.message);
  const limpet_log_state state = info->state;
  limpet_log_info_destroy(info);
  return state;
}

static int writer_end(const writer *w) {
  int status;
  assert_int_equal(waitpid(w->process, &status, 0), w->process);
  close(w->order);
  close(w->done);
  return status;
}

// A log that is held open, as h5py does, and the bytes that it then had.
typedef struct reader {
  hid_t file;
  size_t length;
  unsigned char *bytes;
  int descriptor, records;
} reader;

static reader reader_open(int chunk) {
  reader r = {.records = log_check_whole(first_path, chunk)};
  r.bytes = log_bytes(first_path, &r.length);
  r.descriptor = open(first_path, O_RDONLY);
  r.file = H5Fopen(first_path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(r.file >= 0 && r.descriptor >= 0);
  return r;
}

// nobody has changed a byte of it, whatever name it has by now
static void reader_close(reader *r) {
  hsize_t shape[3];
  struct stat status;
  free(log_rows(r->file, "time", shape));
  assert_int_equal(shape[0], r->records);
  unsigned char *now = malloc(r->length);
  assert_int_equal(fstat(r->descriptor, &status), 0);
  assert_int_equal(status.st_size, r->length);
  assert_int_equal(pread(r->descriptor, now, r->length, 0), r->length);
  assert_memory_equal(now, r->bytes, r->length);
  free(now);
  free(r->bytes);
  close(r->descriptor);
  H5Fclose(r->file);
}

static void is_refused_a_second_time(const limpet_model *model) {
  limpet_error error = {0};
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  assert_null(limpet_log_create(first_path, model, data, &settings, NULL, &error));
  assert_non_null(strstr(error.message, "is writing this log; wait"));
  limpet_data_destroy(data);
}

// The same bytes in every dataset that grows, wherever they stand in the files.
static void expect_equal_rows(const char *path, const char *other_path) {
  limpet_log_quantity quantities[LIMPET_LOG_QUANTITY_LIMIT];
  const int count = limpet_log_quantities(quantities);
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT),
              other = H5Fopen(other_path, H5F_ACC_RDONLY, H5P_DEFAULT);
  int compared = 0;
  for (int i = 0; i < count; ++i) {
    htri_t there = 0;
    H5E_BEGIN_TRY { there = H5Oexists_by_name(file, quantities[i].name, H5P_DEFAULT); }
    H5E_END_TRY
    if (there <= 0) continue;
    hsize_t shape[3], other_shape[3];
    double *rows = log_rows(file, quantities[i].name, shape),
           *others = log_rows(other, quantities[i].name, other_shape);
    assert_memory_equal(shape, other_shape, sizeof shape);
    assert_memory_equal(rows, others, shape[0] * shape[1] * shape[2] * sizeof *rows);
    free(rows);
    free(others);
    ++compared;
  }
  assert_true(compared > 30);
  H5Fclose(file);
  H5Fclose(other);
}

/* During a run its log can be read at any time, with all whole chunks. Who keeps it open sees what
 * there was, and neither stops nor spoils the run. */
static void a_log_is_read_while_it_is_written(void **state) {
  const limpet_model *model = *state;
  enum { CHUNK = 16, TURNS = 12, HELD = 3 };
  limpet_error error = {0};
  reader held[HELD] = {0};
  writer w = writer_start(model, CHUNK);
  unsigned long random = 11;
  int steps = 0;
  for (int turn = 0; turn < TURNS; ++turn) {
    const int more = (int)random_uniform(&random, 1.0, 5.0 * CHUNK);
    writer_tell(&w, more);
    steps += more;
    if (turn >= HELD) reader_close(&held[turn % HELD]);
    held[turn % HELD] = reader_open(CHUNK);
    assert_int_equal(held[turn % HELD].records, steps / CHUNK * CHUNK);
    is_refused_a_second_time(model);
    assert_int_equal(state_of_log(), LIMPET_LOG_GROWING);
    assert_true(limpet_log_is_being_written(first_path));
  }
  writer_tell(&w, 0);
  assert_int_equal(writer_end(&w), 0);
  for (int i = 0; i < HELD; ++i) reader_close(&held[i]);
  limpet_log_info *info = limpet_log_read(first_path, &error);
  if (!info) fail_msg("%s", error.message);
  assert_int_equal(info->record_count, steps);
  assert_int_equal(info->state, LIMPET_LOG_CLOSED);
  assert_false(limpet_log_is_being_written(first_path));
  limpet_log_info_destroy(info);
  assert_int_equal(access(LIMPET_BINARY_DIR "/test_log_readers_1.h5.part", F_OK), -1);
  assert_int_equal(access(LIMPET_BINARY_DIR "/test_log_readers_1.h5.spare", F_OK), -1);

  puppet_log_write(second_path, model, steps - 1, 0.0, CHUNK);
  expect_equal_rows(first_path, second_path);
}

// what is read while a process writes is whole, too, where that process is killed
static void readers_leave_a_killed_log_whole(void **state) {
  const limpet_model *model = *state;
  enum { CHUNK = 16 };
  writer w = writer_start(model, CHUNK);
  writer_tell(&w, 50);
  reader first = reader_open(CHUNK);
  writer_tell(&w, 50);  // that one has the hidden file
  reader second = reader_open(CHUNK);
  kill(w.process, SIGKILL);
  assert_true(WIFSIGNALED(writer_end(&w)));
  assert_int_equal(log_check_whole(first_path, CHUNK), 96);
  reader_close(&first);
  reader_close(&second);
  assert_int_equal(state_of_log(), LIMPET_LOG_CUT);
  puppet_log_write(first_path, model, 10, 0.0, CHUNK);  // nobody writes it any more
  assert_int_equal(state_of_log(), LIMPET_LOG_CLOSED);
}

// Waits for the start, then begins the log; ends with 0 where it could, once it is told.
static void begin_at_once(const limpet_model *model, int start, int begun, int end) {
  char byte = 0;
  limpet_error error = {0};
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  if (read(start, &byte, 1) != 0) _exit(9);  // the end of the pipe
  limpet_log *log = limpet_log_create(first_path, model, data, &settings, NULL, &error);
  if (write(begun, "", 1) != 1 || read(end, &byte, 1) != 0) _exit(9);
  if (!log) _exit(strstr(error.message, "is writing this log; wait") ? 1 : 2);
  puppet_log_append(log, model, data, 0, 20);
  _exit(limpet_log_close(log, &error) == LIMPET_OK ? 0 : 3);
}

// of processes that begin one log in the same moment one gets it, and the others are told
static void one_of_many_writers_begins(void **state) {
  const limpet_model *model = *state;
  enum { TURNS = 10, MANY = 6 };
  for (int turn = 0; turn < TURNS; ++turn) {
    int start[2], begun[2], end[2], count[4] = {0};
    pid_t process[MANY];
    char byte;
    remove(first_path);
    assert_true(pipe(start) == 0 && pipe(begun) == 0 && pipe(end) == 0);
    for (int i = 0; i < MANY; ++i) {
      process[i] = fork();
      assert_true(process[i] >= 0);
      if (process[i] > 0) continue;
      close(start[1]);
      close(end[1]);
      begin_at_once(model, start[0], begun[1], end[0]);
    }
    close(start[1]);
    for (int i = 0; i < MANY; ++i) assert_int_equal(read(begun[0], &byte, 1), 1);
    close(end[1]);
    for (int i = 0; i < MANY; ++i) {
      int status;
      assert_int_equal(waitpid(process[i], &status, 0), process[i]);
      assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 4);
      ++count[WEXITSTATUS(status)];
    }
    close(start[0]), close(begun[0]), close(begun[1]), close(end[0]);
    assert_int_equal(count[0], 1);
    assert_int_equal(count[1], MANY - 1);
    assert_int_equal(state_of_log(), LIMPET_LOG_CLOSED);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_log_is_read_while_it_is_written),
      cmocka_unit_test(readers_leave_a_killed_log_whole),
      cmocka_unit_test(one_of_many_writers_begins),
  };
  return cmocka_run_group_tests(tests, puppet_create, puppet_destroy);
}

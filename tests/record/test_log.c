/* tests/record/test_log.c: logs: what is written is read, equal runs give equal files, a kill
 * leaves a whole file. */
#include <setjmp.h>
#include <stdarg.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#include <cmocka.h>

#include "effort.h"
#include "log_files.h"
#include "puppet.h"
#include "record/log.h"
#include "shared_data.h"

static const char first_path[] = LIMPET_BINARY_DIR "/test_log_1.h5";
static const char second_path[] = LIMPET_BINARY_DIR "/test_log_2.h5";

static void expect_row(const double *rows, const hsize_t shape[3], int row,
                       const double *expected) {
  const size_t width = (size_t)(shape[1] * shape[2]);
  for (size_t k = 0; k < width; ++k) assert_true(rows[(size_t)row * width + k] == expected[k]);
}

// --------------------------------------------------------------------------------- round trip

static void check_states(hid_t file, const limpet_model *model, int records) {
  hsize_t q_shape[3], position_shape[3], control_shape[3], time_shape[3], sensor_shape[3],
      begin_shape[3];
  double *sensor = log_rows(file, "sensor", sensor_shape),
         *begin = log_rows(file, "sensor_begin", begin_shape);
  assert_int_equal(sensor_shape[0], records);
  assert_int_equal(sensor_shape[1], 2);
  assert_int_equal(begin_shape[0], 3);
  assert_true(begin[0] == 0.0 && begin[1] == 1.0 && begin[2] == 2.0);
  double *q = log_rows(file, "q", q_shape),
         *position = log_rows(file, "body_position", position_shape);
  double *control = log_rows(file, "control", control_shape),
         *time = log_rows(file, "time", time_shape);
  assert_int_equal(time_shape[0], records);
  assert_int_equal(q_shape[1], model->nq);
  assert_int_equal(position_shape[1], model->body_count);
  limpet_data *data = limpet_data_create(model);
  for (int i = 0; i < records; ++i) {
    puppet_move(model, data, i);
    assert_true(time[i] == data->time);
    expect_row(q, q_shape, i, data->q);
    expect_row(position, position_shape, i, data->body_position);
    expect_row(control, control_shape, i, data->control);
    expect_row(sensor, sensor_shape, i, data->sensor);
  }
  free(sensor);
  free(begin);
  limpet_data_destroy(data);
  free(q);
  free(position);
  free(control);
  free(time);
}

// the frame of the puppet's contacts is the world's, so that force and normal need no turning here
static void check_contacts(hid_t file, const limpet_model *model, int records) {
  hsize_t begin_shape[3], force_shape[3], distance_shape[3], normal_shape[3], torsion_shape[3],
      rolling_shape[3], area_shape[3];
  double *contact_begin = log_rows(file, "contact_begin", begin_shape),
         *force = log_rows(file, "contact/force", force_shape);
  double *distance = log_rows(file, "contact/distance", distance_shape),
         *normal = log_rows(file, "contact/normal", normal_shape),
         *torsion = log_rows(file, "contact/torsion", torsion_shape),
         *rolling = log_rows(file, "contact/rolling", rolling_shape),
         *area = log_rows(file, "contact/area", area_shape);
  assert_int_equal(begin_shape[0], records + 1);
  limpet_data *data = limpet_data_create(model);
  int seen = 0;
  for (int i = 0; i < records; ++i) {
    puppet_move(model, data, i);
    assert_int_equal(contact_begin[i], seen);
    for (int c = 0; c < data->contact_count; ++c, ++seen) {
      expect_row(force, force_shape, seen, &data->contact_force[3 * c]);
      expect_row(normal, normal_shape, seen, (double[3]){0, 0, 1});
      assert_true(distance[seen] == data->contact_distance[c]);
      assert_true(area[seen] == data->contact_area[c]);
      assert_true(torsion[seen] == data->contact_torsion[c]);
      const double *turn = &data->contact_rolling[2 * c];
      expect_row(rolling, rolling_shape, seen, (double[3]){turn[0], turn[1], 0.0});
    }
  }
  assert_int_equal(contact_begin[records], seen);
  assert_int_equal(force_shape[0], seen);
  assert_true(seen > 0 && seen < 4 * records);
  limpet_data_destroy(data);
  free(area);
  free(torsion);
  free(rolling);
  free(contact_begin);
  free(force);
  free(distance);
  free(normal);
}

static void rows_are_what_was_appended(void **state) {
  const limpet_model *model = *state;
  enum { RECORDS = 1001 };  // not a multiple of the chunk
  puppet_log_write(first_path, model, RECORDS - 1, 0.0, 64);
  const hid_t file = H5Fopen(first_path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  check_states(file, model, RECORDS);
  check_contacts(file, model, RECORDS);
  H5Fclose(file);
}

static void every_dataset_has_a_unit(void **state) {
  const limpet_model *model = *state;
  puppet_log_write(first_path, model, 10, 0.004, 4);
  const hid_t file = H5Fopen(first_path, H5F_ACC_RDONLY, H5P_DEFAULT);
  limpet_log_quantity quantities[LIMPET_LOG_QUANTITY_LIMIT];
  const int count = limpet_log_quantities(quantities);
  int found = 0;
  for (int i = 0; i < count; ++i) {
    const char *name = quantities[i].name;
    if (log_leaves_out(name)) continue;
    const hid_t attribute = H5Aopen_by_name(file, name, "unit", H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attribute >= 0);
    assert_true(H5Aget_storage_size(attribute) > 0);
    H5Aclose(attribute);
    ++found;
  }
  assert_int_equal(found, count - 17);
  assert_true(count > 40);
  H5Fclose(file);
}

// ----------------------------------------------------------------------------------- reading

// The log knows the time and the control of each of its steps.
static void expect_controls(const limpet_log_info *info, const limpet_model *model) {
  limpet_data *data = limpet_data_create(model);
  for (int i = 0; i < info->step_count; ++i) {
    puppet_move(model, data, i + 1);
    assert_true(info->step_time[i] == data->time);
    for (int k = 0; k < info->nu; ++k)
      assert_true(info->step_control[i * info->nu + k] == data->control[k]);
  }
  limpet_data_destroy(data);
}

static void a_log_says_how_to_do_it_again(void **state) {
  const limpet_model *model = *state;
  limpet_error error = {0};
  puppet_log_write(first_path, model, 200, 0.0, 64);
  limpet_log_info *info = limpet_log_read(first_path, &error);
  if (!info) fail_msg("%s", error.message);
  assert_string_equal(info->version, limpet_version());
  assert_string_equal(info->command, "limpet run puppet.xml");
  assert_string_equal(info->model_path, "puppet.xml");
  assert_string_equal(info->model_text, "<mujoco model=\"puppet\"/>");
  assert_true(info->model_hash == model->hash);

  // the start
  limpet_data *data = limpet_data_create(model);
  puppet_move(model, data, 0);
  assert_int_equal(info->state_size, limpet_data_state_size(model));
  double *start = malloc((size_t)info->state_size * sizeof *start);
  limpet_data_state_read(model, data, start);
  assert_memory_equal(start, info->start_state, (size_t)info->state_size * sizeof *start);
  free(start);

  // 201 records, of which the first is the start and no step
  assert_int_equal(info->record_count, 201);
  assert_int_equal(info->step_count, 200);
  expect_controls(info, model);
  limpet_data_destroy(data);
  limpet_log_info_destroy(info);
}

static void controls_of_all_steps_are_kept_between_records(void **state) {
  const limpet_model *model = *state;
  limpet_error error = {0};
  puppet_log_write(first_path, model, 500, 0.05, 2);
  limpet_log_info *info = limpet_log_read(first_path, &error);
  if (!info) fail_msg("%s", error.message);
  assert_int_equal(info->record_count, 21);
  assert_int_equal(info->step_count, 500);
  for (int i = 0; i < info->record_count; ++i) assert_true(fabs(info->time[i] - 0.05 * i) < 1e-12);
  expect_controls(info, model);
  limpet_log_info_destroy(info);
}

static void a_log_says_which_steps_it_records(void **state) {
  const limpet_model *model = *state;
  limpet_error error = {0};
  double due[32];
  int count = 0;
  limpet_data *data = limpet_data_create(model);
  limpet_log *log = puppet_log_begin(first_path, model, data, 0.05, 8);
  for (int step = 0; step <= 500; ++step) {
    puppet_move(model, data, step);
    if (limpet_log_is_due(log, data->time)) due[count++ % 32] = data->time;
    assert_int_equal(limpet_log_append(log, model, data, &error), LIMPET_OK);
  }
  assert_int_equal(limpet_log_close(log, &error), LIMPET_OK);
  limpet_log_info *info = limpet_log_read(first_path, &error);
  assert_non_null(info);
  assert_int_equal(count, 21);
  assert_int_equal(info->record_count, count);
  for (int i = 0; i < count; ++i) assert_true(due[i] == info->time[i]);
  limpet_log_info_destroy(info);
  limpet_data_destroy(data);
}

// Records of a chunk where none are asked for: many small ones.
static void small_records_share_long_chunks(void **state) {
  const limpet_model *model = *state;
  puppet_log_write(first_path, model, 2000, 0.0, 0);
  const hid_t file = H5Fopen(first_path, H5F_ACC_RDONLY, H5P_DEFAULT),
              dataset = H5Dopen2(file, "q", H5P_DEFAULT), properties = H5Dget_create_plist(dataset);
  hsize_t rows[2] = {0};
  assert_int_equal(H5Pget_chunk(properties, 2, rows), 2);
  assert_true(rows[0] >= 256);
  H5Pclose(properties);
  H5Dclose(dataset);
  H5Fclose(file);
}

// A log that ends before its first chunks are full holds no empty room: texts, state and rows.
static void short_logs_are_small(void **state) {
  const limpet_model *model = *state;
  struct stat status;
  puppet_log_write(first_path, model, 10, 0.0, 0);
  assert_int_equal(stat(first_path, &status), 0);
  assert_in_range(status.st_size, 0, 128 << 10);
}

// a value that is not `value` and lies within the range of the field
static double other_value(const limpet_field *field, double value) {
  if (field->type == LIMPET_FIELD_BOOL) return 1.0 - value;
  if (value == 0.0) return fmin(1.0, field->maximum);
  return limpet_field_allows(field, 2.0 * value) && isfinite(value) ? 2.0 * value : 1e6;
}

static void settings_come_back(void **state) {
  const limpet_model *model = *state;
  limpet_error error = {0};
  const limpet_step_settings defaults = limpet_step_settings_default(model);
  limpet_step_settings settings = defaults, again;
  settings.scheme = limpet_scheme_find("impulse");
  settings.contact_model = limpet_contact_model_find("pgs");
  settings.normal_law = limpet_normal_law_find("hertz");

  // every setting that is stored differs from its default
  limpet_log_setting_place place = {0};
  while (limpet_log_setting_next(&place))
    if (limpet_field_is_number(place.field))
      limpet_field_assign(
          place.field, &settings, place.element,
          other_value(place.field, limpet_field_number(place.field, &defaults, place.element)));
  limpet_data *data = limpet_data_create(model);
  limpet_log *log = limpet_log_create(first_path, model, data, &settings, NULL, &error);
  assert_non_null(log);
  assert_int_equal(limpet_log_close(log, &error), LIMPET_OK);
  limpet_log_info *info = limpet_log_read(first_path, &error);
  assert_non_null(info);
  assert_int_equal(limpet_log_settings(info, model, &again, &error), LIMPET_OK);
  place = (limpet_log_setting_place){0};
  while (limpet_log_setting_next(&place)) {
    const size_t size = place.field->element,
                 offset = place.field->offset + (size_t)place.element * size;
    assert_memory_equal((char *)&again + offset, (char *)&settings + offset, size);
    assert_memory_not_equal((const char *)&again + offset, (const char *)&defaults + offset, size);
  }
  limpet_log_info_destroy(info);
  limpet_data_destroy(data);
}

// what a log leaves out changes no result; docs/defaults.md says which settings report only
static void only_reports_are_not_logged(void **state) {
  (void)state;
  static const char *const left_out[] = {"threads", "condition_number", "profile"};
  const limpet_field_table *table = limpet_step_settings_fields();
  int count = 0;
  for (int i = 0; i < table->count; ++i) {
    if (table->fields[i].uses & LIMPET_FIELD_RESULT) continue;
    assert_true(count < 3);
    assert_string_equal(table->fields[i].name, left_out[count++]);
  }
  assert_int_equal(count, 3);
}

// a damaged number is not taken for a setting
static void settings_out_of_range_are_refused(void **state) {
  const limpet_model *model = *state;
  limpet_error error = {0};
  puppet_log_write(first_path, model, 3, 0.0, 64);
  limpet_log_info *info = limpet_log_read(first_path, &error);
  assert_non_null(info);
  limpet_step_settings settings;
  limpet_log_setting *setting = malloc((size_t)info->setting_count * sizeof *setting);
  const limpet_log_setting *stored = info->setting;
  info->setting = setting;
  for (int i = 0; i < info->setting_count; ++i) {
    memcpy(setting, stored, (size_t)info->setting_count * sizeof *setting);
    if (setting[i].word) setting[i].word = "no such name";
    else setting[i].value = -1.0;
    assert_int_not_equal(limpet_log_settings(info, model, &settings, &error), LIMPET_OK);
    assert_non_null(strstr(error.message, setting[i].name));
    setting[i].value = NAN;
    if (!setting[i].word)
      assert_int_not_equal(limpet_log_settings(info, model, &settings, &error), LIMPET_OK);
  }
  info->setting = stored;
  free(setting);
  limpet_log_info_destroy(info);
}

// -------------------------------------------------------------------------------- equal files

// more than a second lies between the two, which time stamps of HDF5 would show
static void equal_runs_give_equal_files(void **state) {
  const limpet_model *model = *state;
  puppet_log_write(first_path, model, 777, 0.0, 64);
  usleep(1100000);
  void *litter = malloc(1 << 20);  // other contents of fresh memory
  memset(litter, 0xa5, 1 << 20);
  free(litter);
  puppet_log_write(second_path, model, 777, 0.0, 64);
  size_t first_size, second_size;
  unsigned char *first = log_bytes(first_path, &first_size),
                *second = log_bytes(second_path, &second_size);
  assert_int_equal(first_size, second_size);
  assert_memory_equal(first, second, first_size);
  free(first);
  free(second);
}

// --------------------------------------------------------------------------------------- kill

/* Logs without end, as fast as it goes, so that most of the time is spent in flushes; a byte to
 * `told` after each record. */
static void log_until_killed(const limpet_model *model, const char *path, int chunk, int told) {
  limpet_error error = {0};
  limpet_data *data = limpet_data_create(model);
  limpet_log *log = puppet_log_begin(path, model, data, 0.0, chunk);
  for (int step = 0;; ++step) {
    puppet_move(model, data, step);
    if (limpet_log_append(log, model, data, &error) != LIMPET_OK) _exit(1);
    if (write(told, "", 1) != 1) _exit(1);
  }
}

// Starts a process that logs and kills it while it goes on after that many records.
static void log_and_kill(const limpet_model *model, const char *path, int chunk, int records) {
  int told[2];
  assert_int_equal(pipe(told), 0);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) log_until_killed(model, path, chunk, told[1]);
  close(told[1]);
  char byte;
  for (int i = 0; i < records; ++i) assert_int_equal(read(told[0], &byte, 1), 1);
  kill(child, SIGKILL);
  int status;
  waitpid(child, &status, 0);
  assert_true(WIFSIGNALED(status));
  close(told[0]);
}

static void a_killed_process_leaves_a_whole_log(void **state) {
  const limpet_model *model = *state;
  enum { KILLS = TEST_WATCHED ? 16 : 100, LONGEST = 600 };
  unsigned long random = 7;
  int with_records = 0;
  for (int kill_index = 0; kill_index < KILLS; ++kill_index) {
    const int chunk = kill_index % 2 ? 8 : 64,
              records = (int)random_uniform(&random, 1.0, (double)LONGEST);
    remove(first_path);
    log_and_kill(model, first_path, chunk, records);
    const int found = log_check_whole(first_path, chunk);
    assert_true(found >= records - 2 * chunk);
    with_records += found > 0;
  }
  printf("opened %d of %d killed logs, %d with records\n", KILLS, KILLS, with_records);
  assert_true(with_records > KILLS / 2);
}

// ------------------------------------------------------------------------------------- errors

static void errors_name_the_file(void **state) {
  const limpet_model *model = *state;
  limpet_error error = {0};
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  assert_null(limpet_log_create("/no such folder/a.h5", model, data, &settings, NULL, &error));
  assert_int_equal(error.status, LIMPET_ERROR_FILE);
  assert_non_null(strstr(error.message, "/no such folder/a.h5"));
  assert_null(limpet_log_create("/dev/null", model, data, &settings, NULL,
                                &error));  // must not be replaced
  struct stat status;
  assert_int_equal(stat("/dev/null", &status), 0);
  assert_true(S_ISCHR(status.st_mode));

  assert_null(limpet_log_read(LIMPET_BINARY_DIR "/there is no such log.h5", &error));
  assert_int_equal(error.status, LIMPET_ERROR_FILE);
  FILE *file = fopen(second_path, "wb");
  fputs("this is no HDF5 file", file);
  fclose(file);
  assert_null(limpet_log_read(second_path, &error));
  const hid_t other = H5Fcreate(second_path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(other);
  assert_null(limpet_log_read(second_path, &error));
  assert_int_equal(error.status, LIMPET_ERROR_INPUT);
  limpet_data_destroy(data);
}

// a file that was there stays until the new one has something, and nothing is left beside it
static void nothing_is_left_beside_a_closed_log(void **state) {
  const limpet_model *model = *state;
  puppet_log_write(first_path, model, 300, 0.0, 64);
  assert_int_equal(access(LIMPET_BINARY_DIR "/test_log_1.h5.part", F_OK), -1);
  assert_int_equal(access(LIMPET_BINARY_DIR "/test_log_1.h5.spare", F_OK), -1);
}

// two that write one log would exchange the names of each other's files
static void a_log_that_is_being_written_is_refused(void **state) {
  const limpet_model *model = *state;
  limpet_error error = {0};
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  limpet_log *log = puppet_log_begin(first_path, model, data, 0.0, 16);
  puppet_log_append(log, model, data, 0, 40);
  assert_null(limpet_log_create(first_path, model, data, &settings, NULL, &error));
  assert_int_equal(error.status, LIMPET_ERROR_FILE);
  assert_non_null(strstr(error.message, "is writing this log; wait"));
  puppet_log_append(log, model, data, 41, 100);
  assert_int_equal(limpet_log_close(log, &error), LIMPET_OK);
  limpet_log_info *info = limpet_log_read(first_path, &error);
  assert_non_null(info);
  assert_int_equal(info->record_count, 101);
  limpet_log_info_destroy(info);
  puppet_log_write(first_path, model, 10, 0.0, 16);  // closed: it may be replaced
  limpet_data_destroy(data);
}

// whoever deletes or replaces the visible file does not end the run, and its end has all rows
static void a_log_that_is_taken_away_comes_back(void **state) {
  const limpet_model *model = *state;
  for (int replaced = 0; replaced < 2; ++replaced) {
    limpet_error error = {0};
    limpet_data *data = limpet_data_create(model);
    limpet_log *log = puppet_log_begin(first_path, model, data, 0.0, 16);
    puppet_log_append(log, model, data, 0, 40);
    remove(first_path);
    if (replaced) {
      FILE *other = fopen(first_path, "wb");
      fputs("of someone else", other);
      fclose(other);
    }
    puppet_log_append(log, model, data, 41, 200);
    assert_int_equal(limpet_log_close(log, &error), LIMPET_OK);
    limpet_log_info *info = limpet_log_read(first_path, &error);
    if (!info) fail_msg("%s", error.message);
    assert_int_equal(info->record_count, 201);
    limpet_log_info_destroy(info);
    assert_int_equal(access(LIMPET_BINARY_DIR "/test_log_1.h5.part", F_OK), -1);
    assert_int_equal(access(LIMPET_BINARY_DIR "/test_log_1.h5.spare", F_OK), -1);
    limpet_data_destroy(data);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_what_was_appended),
      cmocka_unit_test(every_dataset_has_a_unit),
      cmocka_unit_test(a_log_says_how_to_do_it_again),
      cmocka_unit_test(controls_of_all_steps_are_kept_between_records),
      cmocka_unit_test(a_log_says_which_steps_it_records),
      cmocka_unit_test(small_records_share_long_chunks),
      cmocka_unit_test(short_logs_are_small),
      cmocka_unit_test(settings_come_back),
      cmocka_unit_test(only_reports_are_not_logged),
      cmocka_unit_test(settings_out_of_range_are_refused),
      cmocka_unit_test(equal_runs_give_equal_files),
      cmocka_unit_test(a_killed_process_leaves_a_whole_log),
      cmocka_unit_test(errors_name_the_file),
      cmocka_unit_test(nothing_is_left_beside_a_closed_log),
      cmocka_unit_test(a_log_that_is_being_written_is_refused),
      cmocka_unit_test(a_log_that_is_taken_away_comes_back),
  };
  return cmocka_run_group_tests(tests, puppet_create, puppet_destroy);
}

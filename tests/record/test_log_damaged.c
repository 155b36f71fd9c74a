/* tests/record/test_log_damaged.c: logs with a part that is missing, of another shape or of another
 * type are refused with a reason; nothing is read beyond what it is, and no extent is believed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "log_files.h"
#include "puppet.h"
#include "record/log.h"

static const char path[] = LIMPET_BINARY_DIR "/test_log_damaged.h5";

enum { LAST_STEP = 5 };

typedef enum damage {
  WHOLE,
  GONE,     // an attribute, dataset or group is missing
  TEXTS,    // an attribute of many texts
  NUMBERS,  // an attribute of many numbers
  FOLDER,   // a group where a dataset should be
  WORDS,    // a dataset of texts
  SCALAR,   // a dataset without extents
  DEEP,     // a dataset of seven dimensions
  WIDE,     // a matrix where a vector should be, and the other way
  ENDLESS,  // more numbers than any memory holds, none of them stored
  LARGE,    // as many as memory holds
  FEW,      // one row
} damage;

static void attribute_replace(hid_t file, const char *name, damage how) {
  char group[64] = "/";
  const char *slash = strrchr(name, '/'), *own = slash ? slash + 1 : name;
  if (slash) snprintf(group, sizeof group, "%.*s", (int)(slash - name), name);
  const hid_t place = H5Oopen(file, group, H5P_DEFAULT);
  assert_true(H5Adelete(place, own) >= 0);
  enum { MANY = 4000 };
  const hsize_t many = MANY;
  const hid_t space = H5Screate_simple(1, &many, NULL), text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, H5T_VARIABLE);
  H5Tset_cset(text, H5T_CSET_UTF8);
  static const char *words[MANY];
  static double numbers[MANY];
  for (int i = 0; i < MANY; ++i) words[i] = "word";
  if (how != GONE) {
    const hid_t type = how == TEXTS ? text : H5T_NATIVE_DOUBLE;
    const hid_t attribute = H5Acreate2(place, own, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, how == TEXTS ? (const void *)words : numbers);
    H5Aclose(attribute);
  }
  H5Tclose(text);
  H5Sclose(space);
  H5Oclose(place);
}

static void dataset_replace(hid_t file, const char *name, damage how) {
  assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
  if (how == GONE) return;
  if (how == FOLDER) {
    H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    return;
  }
  const hsize_t deep[7] = {2, 2, 2, 2, 2, 2, 2}, endless[2] = {(hsize_t)1 << 40, 1000},
                large[2] = {(hsize_t)1 << 16, 1 << 14}, few[2] = {1, 1}, chunk[2] = {1, 1};
  const hsize_t *shape = how == DEEP ? deep : how == ENDLESS ? endless : how == LARGE ? large : few;
  const bool vector = strcmp(name, "time") == 0 || strcmp(name, "start_state") == 0;
  const int rank = how == DEEP ? 7 : vector != (how == WIDE) ? 1 : 2;
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE), text = H5Tcopy(H5T_C_S1);
  if (how == ENDLESS || how == LARGE) H5Pset_chunk(properties, rank, chunk);
  const hid_t space = how == SCALAR ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, shape, NULL);
  const hid_t dataset = H5Dcreate2(file, name, how == WORDS ? text : H5T_NATIVE_DOUBLE, space,
                                   H5P_DEFAULT, properties, H5P_DEFAULT);
  assert_true(dataset >= 0);
  H5Dclose(dataset);
  H5Sclose(space);
  H5Tclose(text);
  H5Pclose(properties);
}

static void is_refused(const limpet_model *model, const char *name, bool attribute, damage how) {
  limpet_error error = {0};
  puppet_log_write(path, model, LAST_STEP, 0.0, 0);
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  if (attribute) {
    assert_true(H5Ldelete(file, LIMPET_LOG_TEXTS, H5P_DEFAULT) >= 0);
    attribute_replace(file, name, how);
  } else dataset_replace(file, name, how);
  H5Fclose(file);
  limpet_log_info *info = limpet_log_read(path, &error);
  if (info) fail_msg("%s is taken with damage %d", name, (int)how);
  assert_int_not_equal(error.status, LIMPET_OK);
  assert_non_null(strstr(error.message, path));
}

// as logs were before their texts stood in a dataset, too
static void attributes_are_one_value(void **state) {
  static const char *const texts[] = {"format",     "version",         "model_name", "model_text",
                                      "model_hash", "controller_text", "command",    "model_path"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    const bool may_miss = strcmp(texts[i], "controller_text") == 0;
    if (!may_miss) is_refused(*state, texts[i], true, GONE);
    if (!may_miss) is_refused(*state, texts[i], true, TEXTS);
    if (!may_miss) is_refused(*state, texts[i], true, NUMBERS);
  }
  is_refused(*state, "settings/time_step", true, GONE);
  is_refused(*state, "settings/time_step", true, TEXTS);
  is_refused(*state, "settings/time_step", true, NUMBERS);
}

static void datasets_have_their_shape(void **state) {
  static const char *const names[] = {"start_state", "time"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    for (damage how = GONE; how <= LARGE; ++how)
      if (how != TEXTS && how != NUMBERS) is_refused(*state, names[i], false, how);
  is_refused(*state, "time", false, FEW);
  for (damage how = DEEP; how <= FEW; ++how) is_refused(*state, "control", false, how);
  is_refused(*state, "control", false, FOLDER);
  is_refused(*state, "settings", false, GONE);
}

// The dataset of texts is bytes in one piece, the last of them '\0', and none of them is missing.
static void texts_are_bytes(void **state) {
  for (damage how = FOLDER; how <= FEW; ++how) is_refused(*state, LIMPET_LOG_TEXTS, false, how);

  static const struct {
    const char *bytes;
    size_t size;
  } texts[] = {{"format=limpet log", 17},
               {"format=limpet log", 18},
               {"format=limpet log\0version=0.1\0command=run", 42},
               {"\0", 1},
               {"=\0", 2}};
  limpet_error error = {0};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    puppet_log_write(path, *state, LAST_STEP, 0.0, 0);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Ldelete(file, LIMPET_LOG_TEXTS, H5P_DEFAULT) >= 0);
    const hsize_t size = texts[i].size;
    const hid_t space = H5Screate_simple(1, &size, NULL),
                dataset = H5Dcreate2(file, LIMPET_LOG_TEXTS, H5T_STD_U8LE, space, H5P_DEFAULT,
                                     H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(dataset, H5T_STD_U8LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts[i].bytes);
    H5Dclose(dataset);
    H5Sclose(space);
    H5Fclose(file);
    error = (limpet_error){0};
    assert_null(limpet_log_read(path, &error));
    assert_non_null(strstr(error.message, path));
  }
}

// Logs without the dataset of texts give what their attributes say.
static void texts_of_attributes_are_read(void **state) {
  limpet_error error = {0};
  puppet_log_write(path, *state, LAST_STEP, 0.0, 0);
  limpet_log_info *whole = limpet_log_read(path, &error);
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(H5Ldelete(file, LIMPET_LOG_TEXTS, H5P_DEFAULT) >= 0);
  H5Fclose(file);
  limpet_log_info *former = limpet_log_read(path, &error);
  assert_non_null(whole);
  assert_non_null(former);
  assert_string_equal(whole->model_text, "<mujoco model=\"puppet\"/>");
  assert_string_equal(former->model_text, whole->model_text);
  assert_string_equal(former->model_path, whole->model_path);
  assert_string_equal(former->command, whole->command);
  assert_true(former->model_hash == whole->model_hash);
  assert_int_equal(former->setting_count, whole->setting_count);
  for (int i = 0; i < whole->setting_count; ++i)
    if (whole->setting[i].word)
      assert_string_equal(former->setting[i].word, whole->setting[i].word);
  limpet_log_info_destroy(whole);
  limpet_log_info_destroy(former);
}

// What a run that is made again needs no more than to say that its end is known.
static void an_end_of_no_shape_is_no_end(void **state) {
  limpet_error error = {0};
  for (damage how = GONE; how <= LARGE; ++how) {
    if (how == TEXTS || how == NUMBERS) continue;
    puppet_log_write(path, *state, LAST_STEP, 0.0, 0);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    dataset_replace(file, "q", how);
    H5Fclose(file);
    limpet_log_info *info = limpet_log_read(path, &error);
    assert_non_null(info);
    assert_int_equal(info->nq, 0);
    assert_null(info->end_q);
    limpet_log_info_destroy(info);
  }
}

// A file that breaks off anywhere is refused or read, and never reads beyond its end.
static void a_file_that_breaks_off_is_refused(void **state) {
  limpet_error error = {0};
  puppet_log_write(path, *state, LAST_STEP, 0.0, 0);
  FILE *file = fopen(path, "rb");
  fseek(file, 0, SEEK_END);
  const long size = ftell(file);
  fclose(file);
  for (int i = 9; i > 0; --i) {
    assert_int_equal(truncate(path, size * i / 10), 0);
    error = (limpet_error){0};
    assert_null(limpet_log_read(path, &error));
    assert_non_null(strstr(error.message, path));
  }
}

static int open_model(void **state) {
  *state = puppet_model();
  return *state == NULL;
}

static int close_model(void **state) {
  limpet_model_destroy(*state);
  unlink(path);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(attributes_are_one_value),
      cmocka_unit_test(datasets_have_their_shape),
      cmocka_unit_test(texts_are_bytes),
      cmocka_unit_test(texts_of_attributes_are_read),
      cmocka_unit_test(an_end_of_no_shape_is_no_end),
      cmocka_unit_test(a_file_that_breaks_off_is_refused),
  };
  return cmocka_run_group_tests(tests, open_model, close_model);
}

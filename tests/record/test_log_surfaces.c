/* tests/record/test_log_surfaces.c: contact surfaces in logs: the rows of each record are those of
 * limpet_data, and a model without pressure fields has none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <hdf5.h>

#include "limpet/limpet.h"

enum { RECORDS = 40 };
static const char path[] = LIMPET_BINARY_DIR "/test_log_surfaces.h5";

static limpet_model *scene(const char *file) {
  limpet_error error = {0};
  limpet_model *model = limpet_load(file, NULL, &error);
  if (!model) fail_msg("%s", error.message);
  return model;
}

// Steps and logs; NULL: only steps, up to `records` of them.
static limpet_data *run(const limpet_model *model, limpet_log **log, int records) {
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  limpet_error error = {0};
  if (log) *log = limpet_log_create(path, model, data, &settings, NULL, &error);
  for (int i = 0; i < records; ++i) {
    if (i > 0) limpet_step(model, data, &settings);
    if (log && limpet_log_append(*log, model, data, &error) != LIMPET_OK)
      fail_msg("%s", error.message);
  }
  return data;
}

static void *read_rows(hid_t file, const char *name, hid_t type, size_t size, hsize_t *rows) {
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
  assert_true(dataset >= 0);
  const hid_t space = H5Dget_space(dataset);
  hsize_t shape[3] = {1, 1, 1};
  H5Sget_simple_extent_dims(space, shape, NULL);
  void *values = malloc((size_t)(shape[0] * shape[1] * shape[2] + 1) * size);
  assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  *rows = shape[0];
  H5Sclose(space), H5Dclose(dataset);
  return values;
}

static void expect(hid_t file, const char *name, hsize_t begin, const double *wanted, int count,
                   int width) {
  hsize_t rows;
  double *values = read_rows(file, name, H5T_NATIVE_DOUBLE, sizeof(double), &rows);
  assert_true(begin + (hsize_t)count <= rows);
  assert_memory_equal(values + begin * (hsize_t)width, wanted,
                      (size_t)(count * width) * sizeof(double));
  free(values);
}

static void rows_are_those_of_the_world(void **state) {
  (void)state;
  limpet_model *model = scene(LIMPET_SOURCE_DIR "/scenes/pressure_pads.xml");
  limpet_log *log;
  limpet_error error = {0};
  limpet_data_destroy(run(model, &log, RECORDS));
  assert_int_equal(limpet_log_close(log, &error), LIMPET_OK);
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  hsize_t rows;
  int64_t *begin = read_rows(file, "surface_begin", H5T_NATIVE_INT64, sizeof *begin, &rows);
  assert_int_equal(rows, RECORDS + 1);
  int *geom = read_rows(file, "surface/geom", H5T_NATIVE_INT, sizeof *geom, &rows);
  assert_true(begin[RECORDS] == (int64_t)rows && begin[RECORDS] > RECORDS / 2);
  static const int looked_at[] = {1, RECORDS / 2, RECORDS - 1};
  for (int k = 0; k < 3; ++k) {
    const int i = looked_at[k];
    limpet_data *data = run(model, NULL, i + 1);
    const hsize_t from = (hsize_t)begin[i];
    const int count = data->surface_count;
    assert_int_equal(begin[i + 1] - begin[i], count);
    assert_memory_equal(geom + 2 * from, data->surface_geom, 2 * (size_t)count * sizeof *geom);
    expect(file, "surface/force", from, data->surface_force, count, 3);
    expect(file, "surface/torque", from, data->surface_torque, count, 3);
    expect(file, "surface/centre", from, data->surface_centre, count, 3);
    expect(file, "surface/deepest", from, data->surface_deepest, count, 3);
    expect(file, "surface/area", from, data->surface_area, count, 1);
    expect(file, "surface/depth", from, data->surface_depth, count, 1);
    expect(file, "surface/pressure", from, data->surface_pressure, count, 1);
    limpet_data_destroy(data);
  }
  free(begin), free(geom);
  H5Fclose(file);
  limpet_model_destroy(model);
  remove(path);
}

static void points_have_no_surfaces(void **state) {
  (void)state;
  limpet_model *model = scene(LIMPET_SOURCE_DIR "/scenes/falling_boxes.xml");
  limpet_log *log;
  limpet_error error = {0};
  limpet_data_destroy(run(model, &log, 3));
  assert_int_equal(limpet_log_close(log, &error), LIMPET_OK);
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_int_equal(H5Lexists(file, "surface_begin", H5P_DEFAULT), 0);
  assert_int_equal(H5Lexists(file, "surface", H5P_DEFAULT), 0);
  H5Fclose(file);
  limpet_model_destroy(model);
  remove(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_those_of_the_world),
      cmocka_unit_test(points_have_no_surfaces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

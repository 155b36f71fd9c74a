/* tests/record/test_log_soft.c: vertices of deformable bodies in logs, compressed, in each n-th
 * record, and the reports of the bodies beside them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <hdf5.h>

#include "limpet/record.h"
#include "mjcf_world.h"

enum { STEPS = 20, STRIDE = 3 };

static const char *const path = "test_log_soft.h5";
static const char *const cube =
    "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='1 1 .1'/>"
    "<limpet:deformable type='box' size='.05 .05 .05' cells='3 3 3' pos='0 0 .0501' young='1e5' "
    "poisson='0.4' damping='0.005'/></worldbody></mujoco>";

static void write_log(mjcf_world *w, int stride) {
  limpet_log_options options = limpet_log_options_default();
  assert_int_equal(options.vertex_stride, 1);
  options.vertex_stride = stride;
  limpet_log *log = limpet_log_create(path, w->model, w->data, &w->settings, &options, NULL);
  assert_non_null(log);
  assert_int_equal(limpet_log_append(log, w->model, w->data, NULL), LIMPET_OK);
  for (int i = 0; i < STEPS; ++i) {
    mjcf_world_step(w);
    assert_int_equal(limpet_log_append(log, w->model, w->data, NULL), LIMPET_OK);
  }
  assert_int_equal(limpet_log_close(log, NULL), LIMPET_OK);
}

// Reads a dataset of doubles; returns its rows, 0: it is not there.
static hsize_t read_rows(const char *name, double **values) {
  hsize_t shape[3] = {0, 1, 1};
  *values = NULL;
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  if (H5Lexists(file, name, H5P_DEFAULT) > 0) {
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
    H5Sget_simple_extent_dims(space, shape, NULL);
    *values = malloc(shape[0] * shape[1] * shape[2] * sizeof **values);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) >= 0);
    H5Sclose(space), H5Dclose(set);
  }
  H5Fclose(file);
  return shape[0];
}

static void vertices_are_in_each_third_record(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(cube, NULL);
  write_log(&w, STRIDE);
  double *x, *time;
  const size_t count = 3 * (size_t)w.model->vertex_count;
  assert_int_equal(read_rows("time", &time), STEPS + 1);
  // records 0, 3, ..., 18; the last step is record 20
  assert_int_equal(read_rows("vertex_position", &x), 7);
  assert_memory_equal(x, w.model->vertex_reference, count * sizeof *x);
  assert_true(x[6 * count + 2] < x[2]);  // it has come down
  free(x), free(time);
  mjcf_world_destroy(&w);
  remove(path);
}

static void without_them_there_is_no_dataset(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(cube, NULL);
  write_log(&w, 0);
  double *x;
  assert_int_equal(read_rows("vertex_position", &x), 0);
  assert_null(x);
  mjcf_world_destroy(&w);
  remove(path);
}

// The last rows are what the world has, and what the body itself says.
static void reports_are_those_of_the_body(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(cube, NULL);
  w.settings.energy = true;
  write_log(&w, 1);
  const limpet_fem_body *body = w.model->deformable_body[0];
  const limpet_fem_state now = limpet_fem_body_state(body, w.data->vertex_position, NULL, NULL);
  double *energy, *volume, *force, *stress;
  assert_int_equal(read_rows("deformable/energy", &energy), STEPS + 1);
  assert_int_equal(read_rows("deformable/volume", &volume), STEPS + 1);
  assert_int_equal(read_rows("deformable/stress", &stress), STEPS + 1);
  assert_int_equal(read_rows("deformable/force", &force), STEPS + 1);
  assert_true(energy[STEPS] == now.elastic && now.elastic > 0.0);
  assert_true(volume[STEPS] == now.volume && stress[STEPS] > 0.0);
  double up = 0.0;
  for (int i = 0; i < w.model->vertex_count; ++i) up += w.data->vertex_force[3 * i + 2];
  // sums in another order
  assert_true(up > 1.0 && force[3 * STEPS + 2] - up < 1e-9 && up - force[3 * STEPS + 2] < 1e-9);
  free(energy), free(volume), free(force), free(stress);
  mjcf_world_destroy(&w);
  remove(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(vertices_are_in_each_third_record),
                                     cmocka_unit_test(without_them_there_is_no_dataset),
                                     cmocka_unit_test(reports_are_those_of_the_body)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

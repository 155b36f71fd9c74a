/* tests/format/test_mjcf_write_sensors.c: models with every kind of sensor, of actuator, and with
 * surfaces that turn and pull, written as MJCF and read again, are the same to their sensors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/dynamics.h"
#include "limpet/format.h"
#include "limpet/sense.h"
#include "random_models.h"
#include "shared_data.h"

static int told;
static void count_told(void *context, const char *words) {
  (void)context;
  print_message("%s\n", words);
  ++told;
}

static limpet_model *load(const char *path) {
  limpet_error error = {0};
  limpet_model *model = limpet_load(path, NULL, &error);
  if (!model) fail_msg("%s", error.message);
  return model;
}

// Written, and read again.
static limpet_model *again(const limpet_model *model) {
  static const char *const path = "test_mjcf_write_sensors.xml";
  limpet_error error = {0};
  told = 0;
  if (limpet_mjcf_write(model, path, count_told, NULL, &error) != LIMPET_OK)
    fail_msg("%s", error.message);
  limpet_model *copy = load(path);
  remove(path);
  return copy;
}

static limpet_data *random_world(const limpet_model *model, unsigned long seed) {
  limpet_data *data = limpet_data_create(model);
  for (int i = 0; i < model->nv; ++i) data->v[i] = random_uniform(&seed, -0.5, 0.5);
  limpet_integrate_position(model, data->q, data->q, data->v, 0.5, false);
  for (int i = 0; i < model->nu; ++i) data->control[i] = random_uniform(&seed, 0.0, 1.0);
  for (int i = 0; i < model->na; ++i) data->activation[i] = random_uniform(&seed, 0.0, 1.0);
  limpet_sensors_evaluate(model, data);
  return data;
}

// Meshes are written as shells, which have other inertial frames: that is what a geom's frame is.
static bool measures_mesh_frame(const limpet_model *model, int sensor) {
  const limpet_object type[2] = {model->sensor_object_type[sensor],
                                 model->sensor_reference_type[sensor]};
  const int index[2] = {model->sensor_object[sensor], model->sensor_reference[sensor]};
  const char *kind = limpet_sensor_kind_descriptor(model->sensor_kind[sensor])->name;
  if (strncmp(kind, "frame", 5) != 0) return false;
  for (int k = 0; k < 2; ++k)
    if (type[k] == LIMPET_OBJECT_GEOM && index[k] != LIMPET_NONE &&
        model->geom_kind[index[k]] == LIMPET_SHAPE_MESH)
      return true;
  return false;
}

static void compare(const char *path) {
  limpet_model *model = load(path), *copy = again(model);
  assert_int_equal(told, 0);
  assert_int_equal(copy->sensor_count, model->sensor_count);
  assert_int_equal(copy->nsensor, model->nsensor);
  assert_int_equal(copy->camera_count, model->camera_count);
  assert_int_equal(copy->na, model->na);
  for (unsigned long seed = 1; seed < 4; ++seed) {
    limpet_data *a = random_world(model, seed), *b = random_world(copy, seed);
    for (int s = 0; s < model->sensor_count; ++s) {
      const int at = model->sensor_address[s];
      if (measures_mesh_frame(model, s)) continue;
      // vertices of meshes are in single precision
      assert_true(arrays_agree(model->object_name[LIMPET_OBJECT_SENSOR][s], a->sensor + at,
                               b->sensor + at, model->sensor_size[s], 1e-6));
    }
    assert_true(arrays_agree("forces", a->actuator_force, b->actuator_force, model->nu, 1e-9));
    assert_true(arrays_agree("rates", a->activation_rate, b->activation_rate, model->na, 1e-9));
    limpet_data_destroy(a);
    limpet_data_destroy(b);
  }
  limpet_model_destroy(model);
  limpet_model_destroy(copy);
}

static void sensors_and_actuators_come_back(void **state) {
  (void)state;
  compare(LIMPET_SOURCE_DIR "/tests/sense/every_kind.xml");
  compare(LIMPET_SOURCE_DIR "/tests/dynamics/every_actuator.xml");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sensors_and_actuators_come_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

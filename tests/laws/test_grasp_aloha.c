/* tests/laws/test_grasp_aloha.c: the run of `make run`: gym-aloha's right arm picks the cube up,
 * lifts it 0.2 m and shakes it 5 cm peak to peak at 2 Hz for 5 s, driven by
 * scenes/aloha_lift/controls.csv alone (MuJoCo: the cube moves 3.1 mm along the pads). The robot's
 * files are fetched by tools/run_aloha.py into cache/; without them the test is skipped. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "math/vec3.h"
#include "shared_data.h"

enum { COLUMNS = 64 };

static const double hold_start = 5.0, count_from = 5.5, shake_end = 10.5,
                    end = 11.0;  // [s]  of the trajectory

// The controls file: times and values, columns in the order of the actuators (as make_controls
// writes them).
typedef struct controls {
  int rows, columns;
  double *value;  // (rows x (1 + columns))
} controls;

static controls controls_read(const limpet_model *model) {
  controls c = {.columns = model->actuator_count};
  FILE *file = fopen(LIMPET_SOURCE_DIR "/scenes/aloha_lift/controls.csv", "r");
  assert_non_null(file);
  char line[4096];
  assert_non_null(fgets(line, sizeof line, file));
  char *name = strtok(line, ",\n");
  assert_string_equal(name, "time");
  for (int i = 0; i < c.columns; ++i)
    assert_string_equal(strtok(NULL, ",\n"), limpet_model_name(model, LIMPET_OBJECT_ACTUATOR, i));
  while (fgets(line, sizeof line, file)) {
    c.value = realloc(c.value, (size_t)(c.rows + 1) * (size_t)(1 + c.columns) * sizeof *c.value);
    char *text = line;
    for (int i = 0; i <= c.columns; ++i)
      c.value[c.rows * (1 + c.columns) + i] = strtod(text, &text), ++text;
    ++c.rows;
  }
  fclose(file);
  return c;
}

static void controls_at(const controls *c, double t, double *control) {
  const int width = 1 + c->columns;
  int row = 0;
  while (row + 2 < c->rows && c->value[(row + 1) * width] < t) ++row;
  const double *a = c->value + row * width, *b = a + width,
               s = fmin(fmax((t - a[0]) / (b[0] - a[0]), 0.0), 1.0);
  for (int i = 0; i < c->columns; ++i) control[i] = a[1 + i] + s * (b[1 + i] - a[1 + i]);
}

// Path of gym-aloha's scene in cache/, or NULL.
static const char *scene_path(void) {
  static char path[4096];
  file_list files = file_list_find(LIMPET_SOURCE_DIR "/cache", "bimanual_viperx_transfer_cube.xml");
  if (files.count) snprintf(path, sizeof path, "%s", files.path[0]);
  const int found = files.count;
  file_list_free(&files);
  if (!found) printf("skipped: gym-aloha is not in cache/ (tools/run_aloha.py fetches it)\n");
  return found ? path : NULL;
}

typedef struct result {
  double lift;    // [m]  height of the cube over its start when the hold begins
  double slip;    // [m]  largest displacement along the pads, in the gripper's axes, from half a
                  // second of hold on
  double stroke;  // [m]  of the cube while it is shaken
  double creep;   // [m/s]  fastest that the solver reports
  int unsolved;   // steps
} result;

/* friction < 0: as the file has it. */
static result run(const char *path, double friction) {
  limpet_error error;
  limpet_builder *builder = limpet_builder_create();
  if (limpet_mjcf_read(builder, path, NULL, &error)) fail_msg("%s", error.message);
  for (int g = 0; g < limpet_builder_count(builder, LIMPET_OBJECT_GEOM) && friction >= 0.0; ++g)
    limpet_builder_geom(builder, g)->material.friction = friction;
  limpet_model *model = limpet_builder_compile(builder, &error);
  if (!model) fail_msg("%s", error.message);
  limpet_builder_destroy(builder);
  limpet_data *data = limpet_data_create(model);
  limpet_data_reset_keyframe(model, data, 0);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  controls c = controls_read(model);
  const int hand = limpet_model_find(model, LIMPET_OBJECT_BODY, "vx300s_right/gripper_link");
  const int cube = limpet_model_find(model, LIMPET_OBJECT_BODY, "box");
  assert_true(hand > 0 && cube > 0);

  result r = {0};
  double first[3] = {NAN, NAN, NAN}, low = INFINITY, high = -INFINITY;
  while (data->time < end - 1e-9) {
    controls_at(&c, data->time, data->control);
    r.unsolved += limpet_step(model, data, &settings) != LIMPET_OUTCOME_SOLVED;
    r.creep = fmax(r.creep, data->info.largest_stiction_speed);
    limpet_kinematics(model, data);
    const double *p = data->body_position + 3 * cube;
    double offset[3], local[3];
    limpet_vec3_sub(offset, p, data->body_position + 3 * hand);
    limpet_mat3_tmul_vec(local, data->body_rotation + 9 * hand, offset);
    if (data->time < hold_start + 1e-9) r.lift = p[2] - 0.02;
    if (data->time < count_from) continue;
    if (isnan(first[0])) limpet_vec3_copy(first, local);
    r.slip = fmax(r.slip, hypot(local[0] - first[0], local[2] - first[2]));
    if (data->time < shake_end) low = fmin(low, p[2]), high = fmax(high, p[2]);
  }
  r.stroke = high - low;
  free(c.value);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  return r;
}

// The bar of the issue is 0.5 mm; a tenth of it keeps what is reached.
static void cube_is_lifted_and_stays_between_the_fingers(void **state) {
  (void)state;
  const char *path = scene_path();
  if (!path) skip();
  const result r = run(path, -1.0);
  printf(
      "aloha: lifted %.2f mm, shaken by %.2f mm, slips %.4f mm along the pads; fastest creep %.3g "
      "um/s\n",
      1e3 * r.lift, 1e3 * r.stroke, 1e3 * r.slip, 1e6 * r.creep);
  assert_int_equal(r.unsolved, 0);
  assert_true(fabs(r.lift - 0.2) < 2e-3);
  assert_true(fabs(r.stroke - 0.05) < 1e-3);
  assert_true(r.slip < 5e-5);
}

// Negative control: with friction 0.05 the fingers cannot lift it: it stays on the table.
static void slippery_cube_stays_on_the_table(void **state) {
  (void)state;
  const char *path = scene_path();
  if (!path) skip();
  const result r = run(path, 0.05);
  printf("aloha, friction 0.05: cube at %.3f mm over its start\n", 1e3 * r.lift);
  assert_true(fabs(r.lift) < 2e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cube_is_lifted_and_stays_between_the_fingers),
      cmocka_unit_test(slippery_cube_stays_on_the_table),
  };
  return cmocka_run_group_tests_name("grasp_aloha", tests, NULL, NULL);
}

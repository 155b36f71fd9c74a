/* tests/record/test_channels.c: numbers of a run by name: each is what data holds, joints,
 * actuators and sensors have theirs, free joints have none, and a program adds its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "mjcf_text.h"
#include "record/channel.h"

static const char robot[] = MODEL(
    "<worldbody><body><joint name='hinge' axis='0 1 0'/><geom size='.1'/>"
    "<body pos='1 0 0'><joint type='ball' name='ball'/><geom size='.1'/>"
    "<body pos='1 0 0'><joint type='slide' name='rail'/><geom size='.1'/><site name='tip'/></body>"
    "</body></body><body pos='0 0 9'><freejoint/><geom size='.1'/></body></worldbody>"
    "<actuator><motor name='drive' joint='hinge'/></actuator>"
    "<sensor><accelerometer name='feel' site='tip'/><jointpos joint='rail'/></sensor>");

// The value of the channel `kind` `name`; fails where there is none.
static double value_of(const limpet_channels *channels, const float *values, const char *kind,
                       const char *name, const char *unit) {
  json_t *list = limpet_channels_encode(channels);
  int found = -1;
  for (int i = 0; i < channels->count; ++i) {
    const json_t *entry = json_array_get(list, (size_t)i);
    if (strcmp(json_string_value(json_object_get(entry, "name")), name) == 0 &&
        strcmp(json_string_value(json_object_get(entry, "kind")), kind) == 0) {
      assert_string_equal(json_string_value(json_object_get(entry, "unit")), unit);
      found = i;
    }
  }
  json_decref(list);
  if (found < 0) fail_msg("no channel %s %s", kind, name);
  return (double)values[found];
}

static void own_numbers(void *context, const limpet_data *data, double *value) {
  value[0] = *(const double *)context * data->time;
  value[1] = -1.0;
}

static bool near(double a, double b) { return (float)b == (float)a; }

static void channels_are_what_data_holds(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(robot);
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  const char *const names[] = {"my time", "minus"};
  double two = 2.0;
  const limpet_replay_custom custom = {2, names, own_numbers, &two};
  limpet_channels *channels = limpet_channels_create(model, &custom);
  // 2 own; hinge 4, ball 4 + 9, slide 4; an actuator 2; sensors 3 + 1
  assert_int_equal(channels->count, 2 + 4 + 13 + 4 + 2 + 4);
  assert_int_equal(channels->left_out, 0);
  data->control[0] = 0.5;
  for (int i = 0; i < 50; ++i) limpet_step(model, data, &settings);

  float values[LIMPET_CHANNEL_LIMIT];
  limpet_channels_take(channels, data, values);
  assert_true(near(value_of(channels, values, "q", "hinge", "rad"), data->q[0]));
  assert_true(near(value_of(channels, values, "q", "ball.w", ""), data->q[1]));
  assert_true(near(value_of(channels, values, "v", "ball.z", "rad/s"), data->v[3]));
  assert_true(near(value_of(channels, values, "v", "rail", "m/s"), data->v[4]));
  assert_true(near(value_of(channels, values, "tau", "hinge", "N m"), 0.5));
  assert_true(near(value_of(channels, values, "load", "rail", "N"), 0.0));
  assert_true(near(value_of(channels, values, "control", "drive", "N m"), 0.5));
  assert_true(near(value_of(channels, values, "force", "drive", "N or N m"), 0.5));
  assert_true(near(value_of(channels, values, "sensor", "feel.2", "m/s^2"), data->sensor[2]));
  assert_true(near(value_of(channels, values, "sensor", "sensor 1", "m, rad"), data->sensor[3]));
  assert_true(near(value_of(channels, values, "custom", "my time", ""), 2.0 * data->time));
  assert_true(near(value_of(channels, values, "custom", "minus", ""), -1.0));
  assert_true(data->q[0] != 0.0 && data->v[2] != 0.0);
  limpet_channels_destroy(channels);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// More than there is room for are counted; what the program asked for is there.
static void channels_beyond_the_limit_are_counted(void **state) {
  (void)state;
  enum { JOINTS = 200, OWN = 3 };
  limpet_builder *builder = limpet_builder_create();
  for (int i = 0; i < JOINTS; ++i) {
    limpet_body_description body = limpet_body_description_default();
    const int handle = limpet_builder_add_body(builder, &body);
    limpet_joint_description joint = limpet_joint_description_default();
    joint.body = handle;
    joint.kind = LIMPET_JOINT_REVOLUTE;
    limpet_builder_add_joint(builder, &joint);
    limpet_geom_description geom = limpet_geom_description_default();
    geom.body = handle;
    geom.kind = LIMPET_SHAPE_SPHERE;
    geom.size[0] = 0.1;
    geom.contype = geom.conaffinity = 0;
    limpet_builder_add_geom(builder, &geom);
  }
  limpet_error error;
  limpet_model *model = limpet_builder_compile(builder, &error);
  assert_non_null(model);
  const char *const names[] = {"a", "b", "c"};
  const limpet_replay_custom custom = {OWN, names, own_numbers, NULL};
  limpet_channels *channels = limpet_channels_create(model, &custom);
  assert_int_equal(channels->count, LIMPET_CHANNEL_LIMIT);
  assert_int_equal(channels->left_out, 4 * JOINTS + OWN - LIMPET_CHANNEL_LIMIT);
  json_t *list = limpet_channels_encode(channels);
  assert_string_equal(json_string_value(json_object_get(json_array_get(list, 2), "name")), "c");
  json_decref(list);
  limpet_channels_destroy(channels);
  limpet_model_destroy(model);
  limpet_builder_destroy(builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(channels_are_what_data_holds),
      cmocka_unit_test(channels_beyond_the_limit_are_counted),
  };
  return cmocka_run_group_tests_name("channels", tests, NULL, NULL);
}

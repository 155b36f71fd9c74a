/* tests/control: what is wrong in a controller's JSON is said with file, line, place, and the
 * nearest word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "json_text.h"
#include "limpet/control.h"
#include "mjcf_text.h"

static limpet_model *model;

static int model_open(void **state) {
  (void)state;
  model = mjcf_load(
      "<mujoco><compiler angle='radian' autolimits='true'/><worldbody><body><joint name='shoulder' "
      "axis='0 1 0' range='-1 1'/>"
      "<geom size='.1'/><body pos='0 0 1'><joint name='elbow' axis='0 1 0'/><geom size='.1'/><body "
      "pos='0 0 1' name='hand'>"
      "<joint name='wrist' axis='1 0 0'/><geom size='.1'/><site name='tip'/></body></body></body>"
      "<body pos='9 0 0'><freejoint name='crate'/><geom size='.1'/></body></worldbody>"
      "<actuator><motor name='m' joint='shoulder'/><position name='p' joint='elbow' "
      "kp='10'/></actuator></mujoco>");
  return 0;
}

static int model_close(void **state) {
  (void)state;
  limpet_model_destroy(model);
  return 0;
}

// A text with ' for ".
static limpet_controller *create(const char *text, limpet_error *error) {
  return limpet_controller_create(model, json_text(text), "c.json", error);
}

static void expect(const char *text, const char *message) {
  limpet_error error = {0};
  assert_null(create(text, &error));
  if (strncmp(error.message, message, strlen(message)) == 0) return;
  printf("wanted: %s\ncame:   %s\n", message, error.message);
  fail();
}

#define SINE "'trajectory':{'kind':'sinusoid','amplitude':0.1,'frequency':1}"
#define TORQUE "{'kind':'computed-torque','joints':['shoulder'],'natural_frequency':5,\n"

static void right_ones_are_taken(void **state) {
  (void)state;
  static const char *const texts[] = {
      TORQUE SINE "}",
      "{'controllers':[" TORQUE SINE "},{'kind':'joint-position','joints':['elbow']," SINE "}]}",
      "{'kind':'computed-torque','joints':['wrist'],'apply':'joint-force','kp':[1],'kd':2,'"
      "trajectory':{'kind':'waypoints',"
      "'times':[0,1],'positions':[[0],[1]],'velocities':[[0],[2]],'interpolation':'cubic'}}",
      "{'kind':'computed-torque','joints':['shoulder'],'natural_frequency':5,'damping_ratio':0.7,'"
      "friction':false,"
      "'trajectory':{'kind':'trapezoid','to':1,'speed':1,'acceleration':2}}",
      "{'kind':'cartesian','joints':['shoulder'],'natural_frequency':5,'body':'hand','rotation':"
      "false,"
      "'path':{'kind':'line','times':[0,1],'positions':[[0,0,2],[1,0,1]]}}",
  };
  limpet_error error;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    limpet_controller *c = create(texts[i], &error);
    if (!c) printf("%s\n", error.message);
    assert_non_null(c);
    limpet_controller_destroy(c);
  }
  for (int i = 0; limpet_controller_kinds()[i]; ++i)
    assert_non_null(limpet_controller_kind_descriptor(limpet_controller_kinds()[i])->text);
}

static void wrong_shapes_are_named(void **state) {
  (void)state;
  expect("{'kind': ", "c.json:1:");
  expect("[1]", "c.json:1: must be an object {...}");
  expect("{\n\n'joints':['elbow']}", "c.json:1: \"kind\" is missing");
  expect(
      "{'kind':'computed-torqe'}",
      "c.json:1: kind: 'computed-torqe' is not known (did you mean 'computed-torque'?); there are: "
      "computed-torque, joint-position, cartesian");
  expect(TORQUE "\n'trajectori':{}}",
         "c.json:3: trajectori: is not known here (did you mean 'trajectory'?)");
  expect("{'controllers':[" TORQUE SINE "},\n3]}",
         "c.json:3: controllers[1]: must be an object {...}");
  expect("{'controllers':[],'kind':'x'}", "c.json:1: kind: is not known here");
  expect("{'kind':'joint-position','kind':'x'}", "c.json:1:");
  expect("{'controllers':[" TORQUE SINE "},\n" TORQUE SINE "}]}",
         "c.json:3: controllers[1]: joint 'shoulder' belongs to the controller number 0 already");
}

static void wrong_joints_are_named(void **state) {
  (void)state;
  expect("{'kind':'computed-torque','joints':['shoulder',\n'elbo'],'natural_frequency':5}",
         "c.json:2: joints[1]: the model has no joint 'elbo' (did you mean 'elbow'?)");
  expect("{'kind':'computed-torque','joints':['crate'],'natural_frequency':5}",
         "c.json:1: joints[0]: joint 'crate' is a free joint");
  expect("{'kind':'computed-torque','joints':['elbow','elbow'],'natural_frequency':5}",
         "c.json:1: joints[1]: joint 'elbow' is named twice");
  expect("{'kind':'computed-torque','joints':['wrist'],'natural_frequency':5}",
         "c.json:1: joints[0]: joint 'wrist' has no actuator; \"apply\": \"joint-force\"");
  expect(
      "{'kind':'computed-torque','joints':['elbow'],'natural_frequency':5,'apply':'joint-force'}",
      "c.json:1: joints[0]: joint 'elbow' has an actuator that would work against a joint force");
  expect("{'kind':'joint-position','joints':['shoulder']}",
         "c.json:1: joints[0]: the actuator of joint 'shoulder' is no position servo");
  expect("{'kind':'joint-position','joints':[]}",
         "c.json:1: joints: must be a list [...] with something in it");
}

static void wrong_numbers_are_named(void **state) {
  (void)state;
  expect("{'kind':'computed-torque','joints':['shoulder']}",
         "c.json:1: gains are missing; give \"natural_frequency\"");
  expect("{'kind':'computed-torque','joints':['shoulder'],\n'kp':-1,'kd':0}",
         "c.json:2: kp: is -1 and must not be negative");
  expect(TORQUE "'kp':1}", "c.json:1: natural_frequency: stands beside \"kp\"");
  expect(TORQUE "'trajectory':{'kind':'sinusoid',\n'amplitude':'x','frequency':1}}",
         "c.json:3: trajectory.amplitude: must be a number");
  expect(TORQUE "'trajectory':{'kind':'sinusoid',\n'amplitude':[1,2],'frequency':1}}",
         "c.json:3: trajectory.amplitude: has 2 numbers, and 1 are wanted");
  expect(TORQUE "'trajectory':{'kind':'sinusoid','amplitude':1.5,'frequency':1}}",
         "c.json:2: trajectory: takes joint 'shoulder' to 1.5 rad, beyond its range -1 to 1");
  expect(TORQUE "'trajectory':{'kind':'waypoints','times':[0,1,1],'positions':[[0],[0],[0]]}}",
         "c.json:2: trajectory: time 2 of a trajectory, 1 s, is not after");
  expect(TORQUE "'trajectory':{'kind':'waypoints','times':[0,1],'positions':[[0],\n[7]]}}",
         "c.json:3: trajectory.positions[1]: takes joint 'shoulder' to 7 rad");
  expect(
      TORQUE "'trajectory':{'kind':'trapezoid','to':1,'speed':0,'acceleration':2}}",
      "c.json:2: trajectory: speed and acceleration 0 of a trajectory, 0 and 2, must be positive");
  expect("{'kind':'cartesian','joints':['shoulder'],'natural_frequency':5}",
         "c.json:1: give one of \"body\" and \"site\"");
  expect("{'kind':'cartesian','joints':['shoulder'],'natural_frequency':5,'site':'top'}",
         "c.json:1: site: the model has no site 'top' (did you mean 'tip'?)");
  expect(
      "{'kind':'cartesian','joints':['shoulder'],'natural_frequency':5,'site':'tip',\n'path':{'"
      "kind':'circle','position':[0,0,"
      "1],"
      "'quaternion':[1,0,0,0],'centre':[0,0,0],'axis':[0,0,0],'angle':1,'end':1}}",
      "c.json:2: path: the axis, centre or angle of a circle");
  expect(
      "{'kind':'cartesian','joints':['shoulder'],'natural_frequency':5,'body':'hand','rotation':"
      "false,'precomputed':true,\n"
      "'path':{'kind':'line','times':[0,1],'positions':[[0,0,2],[0,0,3]]}}",
      "c.json:1: the path is out of reach at 0.0");
  expect(
      "{'kind':'cartesian','joints':['shoulder'],'natural_frequency':5,'body':'hand','rotation':"
      "false,'precomputed':true,\n"
      "'path':{'kind':'line','times':[0,1e9],'positions':[[0,0,2],[0,0,2]]}}",
      "c.json:1: the path takes 1e+09 s, and at most 1000 s can be precomputed");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(right_ones_are_taken), cmocka_unit_test(wrong_shapes_are_named),
      cmocka_unit_test(wrong_joints_are_named), cmocka_unit_test(wrong_numbers_are_named)};
  return cmocka_run_group_tests(tests, model_open, model_close);
}

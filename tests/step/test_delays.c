// Controls that act, and sensors that show, what was: against MuJoCo's numbers, and as a state.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/plan.h"
#include "limpet/rollout_gradient.h"
#include "mjcf_text.h"
#include "mjcf_world.h"

static const char text[] = MODEL(
    "<option timestep='0.01'><flag contact='disable' gravity='disable'/></option><worldbody>"
    "<body><joint name='a' type='slide'/><geom size='.1' mass='1e6'/></body>"
    "<body><joint name='b' type='slide'/><geom size='.1' mass='1e6'/></body>"
    "<body><joint name='c' type='slide'/><geom size='.1' mass='1e6'/></body></worldbody>"
    "<actuator><motor name='hold' joint='a' delay='0.025' nsample='4'/>"
    "<motor name='cubic' joint='b' delay='0.034' nsample='5' interp='cubic'/>"
    "<motor name='now' joint='c'/></actuator><sensor>"
    "<actuatorfrc actuator='hold'/><actuatorfrc actuator='cubic'/>"
    "<actuatorfrc actuator='now' delay='0.027' nsample='4' interp='linear'/>"
    "<actuatorfrc actuator='now' delay='0.04' nsample='4'/>"
    "<actuatorfrc actuator='now' interval='0.025' nsample='3'/>"
    "<actuatorfrc actuator='now' interval='0.03 -0.01' delay='0.045' nsample='4' interp='cubic'/>"
    "<clock delay='0.005' nsample='2'/></sensor>");

enum { STEPS = 14, SENSORS = 7 };

// MuJoCo 4.0.1: data.sensordata after each of 14 mj_step with the controls of `drive`.
static const double expected[STEPS][SENSORS] = {
    {0.0, 0.0, 0.0, 0.0, -2.0, 0.0, 0.0},
    {0.0, 0.0, 0.0, 0.0, -2.0, 0.0, 0.0},
    {0.0, 0.09, -0.6000000000000002, 0.0, -2.0, 0.0, 0.01},
    {-2.0, -0.8699999999999994, -1.1, 0.0, 0.0, -0.2314814814814814, 0.02},
    {1.5, -0.5660000000000004, 1.9000000000000004, -2.0, 0.0, 0.5277777777777781, 0.03},
    {1.0, 0.39, 2.799999999999999, 1.0, -1.0, 2.2500000000000013, 0.04},
    {2.0, 0.4399999999999999, 0.9000000000000006, 4.0, -1.0, 3.8078703703703716, 0.05},
    {-1.0, -0.49400000000000055, 1.7999999999999965, 0.0, -1.0, 3.571759259259258, 0.06},
    {3.0, 0.0839999999999996, -0.09999999999999942, 3.0, 1.0, 1.437499999999999, 0.07},
    {3.0, 1.2899999999999994, 0.800000000000002, -1.0, 1.0, -0.4675925925925909, 0.08},
    {-1.0, 1.5900000000000003, -1.1000000000000028, 2.0, 1.0, -1.0254629629629635, 0.09},
    {2.0, 1.1400000000000015, 1.8999999999999972, -2.0, 3.0, -0.18750000000000155, 0.1},
    {1.0, -0.2939999999999966, 2.800000000000004, 1.0, 3.0, 0.5856481481481468, 0.11},
    {1.5, -0.2160000000000028, 0.8999999999999971, 4.0, 2.0, 1.379629629629628, 0.12},
};

static void drive(mjcf_world *world, int k) {
  world->data->control[0] = (7 * k * k % 11 - 4) / 2.0;
  world->data->control[1] = (5 * k * k % 13 - 5) / 4.0;
  world->data->control[2] = 3 * k % 7 - 2;
}

static void is_what_mujoco_shows(void **state) {
  (void)state;
  mjcf_world world = mjcf_world_of(text, NULL);
  assert_int_equal(world.model->nsensor, SENSORS);
  for (int k = 0; k < STEPS; ++k) {
    drive(&world, k);
    mjcf_world_step(&world);
    for (int i = 0; i < SENSORS; ++i) {
      const double error = world.data->sensor[i] - expected[k][i];
      if (!(error < 1e-12 && error > -1e-12)) {
        print_error("step %d, sensor %d: %.17g, not %.17g\n", k, i, world.data->sensor[i],
                    expected[k][i]);
        fail();
      }
    }
  }
  mjcf_world_destroy(&world);
}

// What delays remember is part of the state: a copy goes on with the same bits.
static void remembers_in_the_state(void **state) {
  (void)state;
  mjcf_world world = mjcf_world_of(text, NULL), other = mjcf_world_of(text, NULL);
  const size_t size = (size_t)limpet_data_state_size(world.model) * sizeof(double);
  assert_true(world.model->history_count > 0);
  double *kept = malloc(size);
  for (int k = 0; k < 7; ++k) drive(&world, k), mjcf_world_step(&world);
  limpet_data_state_read(world.model, world.data, kept);
  limpet_data_state_write(other.model, other.data, kept);
  limpet_data *copy = limpet_data_create(world.model);
  limpet_data_state_copy(world.data, copy);
  assert_int_equal(limpet_data_state_hash(world.model, world.data),
                   limpet_data_state_hash(world.model, copy));
  limpet_data_destroy(copy);
  for (int k = 7; k < STEPS; ++k) {
    drive(&world, k), drive(&other, k);
    mjcf_world_step(&world), mjcf_world_step(&other);
    assert_memory_equal(world.data->sensor, other.data->sensor, SENSORS * sizeof(double));
    assert_memory_equal(world.data->v, other.data->v, 3 * sizeof(double));
  }

  // a reset forgets
  limpet_data_reset(world.model, world.data);
  for (int k = 0; k < 3; ++k) drive(&world, k), mjcf_world_step(&world);
  for (int i = 0; i < SENSORS; ++i) assert_true(world.data->sensor[i] == expected[2][i]);
  free(kept);
  mjcf_world_destroy(&world);
  mjcf_world_destroy(&other);
}

// A servo, an activation and a belt follow the delayed control, too: a control that stays is the
// same as no delay once the delay is over.
static void acts_later_and_the_same(void **state) {
  (void)state;
  static const char *const delays[] = {"", " delay='0.03' nsample='4'"};
  double q[2][40];
  for (int late = 0; late < 2; ++late) {
    char model[900];
    snprintf(model, sizeof model,
             MODEL("<option timestep='0.01' gravity='0 0 0'/><worldbody><body>"
                   "<joint name='a' type='slide'/><geom size='.1' mass='1'/></body>"
                   "<body><joint name='b' type='slide'/><geom size='.1' mass='1'/></body>"
                   "</worldbody><actuator><position joint='a' kp='30' kv='2'%s/>"
                   "<general joint='b' dyntype='filter' dynprm='.05'%s/></actuator>"),
             delays[late], delays[late]);
    mjcf_world world = mjcf_world_of(model, NULL);
    world.data->control[0] = 0.2, world.data->control[1] = 3.0;
    for (int k = 0; k < 20; ++k) {
      mjcf_world_step(&world);
      q[late][2 * k] = world.data->q[0], q[late][2 * k + 1] = world.data->q[1];
    }
    mjcf_world_destroy(&world);
  }
  for (int k = 0; k < 17; ++k)
    for (int i = 0; i < 2; ++i) {
      const double error = q[1][2 * (k + 3) + i] - q[0][2 * k + i];
      assert_true(error < 1e-14 && error > -1e-14);
    }
  assert_true(q[1][0] == 0.0 && q[1][4] == 0.0 && q[0][0] > 0.0);
}

static void refuses_what_cannot_be(void **state) {
  (void)state;
#define REFUSED(actuator, sensor, message)                                                     \
  assert_true(mjcf_refused(                                                                    \
      MODEL("<worldbody><body><joint name='j'/>" GEOM "</body></worldbody><actuator>" actuator \
            "</actuator><sensor>" sensor "</sensor>"),                                         \
      message))
  REFUSED("<motor joint='j' delay='.02'/>", "",
          "robot.xml:2:80: actuator 'j': its control is delayed by 0.02 s and 0 controls are "
          "remembered; give a positive delay, and as many controls as steps fit into it and one "
          "more, at most 524288");
  REFUSED("", "<jointpos joint='j' interval='.02 .01' nsample='2'/>",
          "robot.xml:2:99: sensor 0: delay 0 s, interval 0.02 s, last reading at 0.01 s; give 0 or "
          "more, and a last reading between minus the interval and 0");
  REFUSED("", "<jointpos joint='j' delay='.02'/>",
          "robot.xml:2:99: sensor 0: it remembers 0 readings; give as many as steps fit into its "
          "delay of 0.02 s and one more, 1048576 numbers in all at most");
}

// Derivatives of one step know that the control of now does not act; over steps they say so.
static void derivatives_say_so(void **state) {
  (void)state;
  mjcf_world world = mjcf_world_of(text, NULL);
  limpet_error error = {0};
  assert_null(limpet_plan_create(world.model, 3, &error));
  assert_non_null(strstr(error.message, "acts after a delay"));
  limpet_rollout_gradient *gradient = limpet_rollout_gradient_create(world.model, 2, 0);
  const limpet_rollout_gradient_request request = {.settings = &world.settings, .step_count = 2};
  assert_false(limpet_rollout_gradient_compute(gradient, world.model, world.data, &request));
  assert_non_null(strstr(gradient->reason, "delay"));
  limpet_rollout_gradient_destroy(gradient);
  mjcf_world_destroy(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(is_what_mujoco_shows),    cmocka_unit_test(remembers_in_the_state),
      cmocka_unit_test(acts_later_and_the_same), cmocka_unit_test(refuses_what_cannot_be),
      cmocka_unit_test(derivatives_say_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

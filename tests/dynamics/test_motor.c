/* tests/dynamics/test_motor.c: PID controllers and electrical motors against closed forms, over
 * parameters on log scales; stiff ones at a large step; derivatives of a step. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "effort.h"
#include "limpet/gradient.h"
#include "limpet/limpet.h"
#include "mjcf_text.h"

// A wheel of inertia J [kg m^2] on a hinge, without gravity, under one actuator.
static limpet_model *wheel(double J, const char *format, ...) __attribute__((format(printf, 2, 3)));

static limpet_model *wheel(double J, const char *format, ...) {
  char actuator[700], text[1500];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(actuator, sizeof actuator, format, arguments);
  va_end(arguments);
  snprintf(text, sizeof text,
           "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='x' axis='0 0 1'/>"
           "<inertial pos='0 0 0' mass='1' diaginertia='%.17g %.17g %.17g'/></body></worldbody>"
           "<actuator>%s</actuator></mujoco>",
           J, J, J, actuator);
  return mjcf_load(text);
}

static double log_scale(double low, double high) {
  return low * pow(high / low, rand() / (double)RAND_MAX);
}

// Steps to time t [s]; n steps.
static void run(const limpet_model *model, limpet_data *data, double t, int n) {
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.time_step = t / n;
  for (int i = 0; i < n; ++i)
    assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
}

static void assert_close(double is, double should, double tolerance) {
  if (!(fabs(is - should) <= tolerance))
    fail_msg("%.12g, expected %.12g within %.3g", is, should, tolerance);
}

// ------------------------------------------------------------------------------- windings

/* w = V/K (1 - exp(-t/T)), T = J R/K^2. A step is implicit Euler: (1 + h/T)^-n in place of the
 * exponential, to round-off. */
static void a_motor_runs_up_to_its_speed(void **state) {
  (void)state;
  srand(1);
  for (int k = 0; k < test_effort(50, 8); ++k) {
    const double J = log_scale(1e-6, 10.0), R = log_scale(0.01, 100.0), K = log_scale(1e-3, 10.0),
                 V = log_scale(0.1, 100.0), T = J * R / (K * K), h = T / 100.0;
    limpet_model *model =
        wheel(J, "<dcmotor joint='x' motorconst='%.17g' resistance='%.17g'/>", K, R);
    limpet_data *data = limpet_data_create(model);
    data->control[0] = V;
    run(model, data, 100.0 * h, 100);
    assert_close(data->v[0], V / K * (1.0 - pow(1.0 + h / T, -100)), 1e-9 * V / K);
    assert_close(data->v[0], V / K * (1.0 - exp(-1.0)), 0.005 * V / K);
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
}

/* With an inductance: T_e i' = (V - K w)/R - i, J w' = K i, an oscillator with
 * w'' + w'/T_e + w/(T T_e) = V/(K T T_e). Its closed form at a time of a few periods. */
static void a_winding_swings_with_its_rotor(void **state) {
  (void)state;
  srand(2);
  for (int k = 0; k < test_effort(30, 4); ++k) {
    const double J = log_scale(1e-5, 1.0), R = log_scale(0.1, 10.0), K = log_scale(0.01, 1.0),
                 T = J * R / (K * K), Te = T * log_scale(0.5, 20.0), V = 12.0;
    const double decay = 0.5 / Te, omega = sqrt(1.0 / (T * Te) - decay * decay), t = 2.0 / omega;
    limpet_model *model =
        wheel(J, "<dcmotor joint='x' motorconst='%.17g' resistance='%.17g' inductance='0 %.17g'/>",
              K, R, Te);
    limpet_data *data = limpet_data_create(model);
    data->control[0] = V;
    run(model, data, t, 4000);
    const double w =
        V / K * (1.0 - exp(-decay * t) * (cos(omega * t) + decay / omega * sin(omega * t)));
    assert_close(data->v[0], w, 3e-3 * V / K);
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
}

/* A short electrical time and a light rotor at a step a thousand times longer: it settles at V/K,
 * with the current that friction alone would need, 0. */
static void a_stiff_winding_is_stable(void **state) {
  (void)state;
  srand(3);
  for (int k = 0; k < test_effort(50, 8); ++k) {
    const double J = log_scale(1e-9, 1e-4), Te = log_scale(1e-9, 1.0), V = 10.0;
    limpet_model *model =
        wheel(J, "<dcmotor joint='x' motorconst='.05' resistance='.5' inductance='0 %.17g'/>", Te);
    limpet_data *data = limpet_data_create(model);
    data->control[0] = V;
    double most = 0.0;
    for (int i = 0; i < 200; ++i) {
      run(model, data, 0.002, 1);
      most = fmax(most, fabs(data->v[0]));
      assert_true(isfinite(data->v[0]));
    }
    assert_true(most < 3.0 * V / 0.05);
    if (J < 1e-6 && Te < 1e-3) assert_close(data->v[0], V / 0.05, 1e-3 * V / 0.05);
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
}

/* Held still, the winding heats: C t' = V^2/R(t) - t/Rt. Without a temperature coefficient
 * t = Rt V^2/R (1 - exp(-time/(Rt C))). Explicit Euler: its error over n steps of a decay of one
 * time constant is below 1/n. */
static void a_stalled_motor_heats_up(void **state) {
  (void)state;
  srand(4);
  for (int k = 0; k < test_effort(30, 4); ++k) {
    const double R = log_scale(0.1, 10.0), Rt = log_scale(0.1, 10.0), C = log_scale(1.0, 100.0),
                 V = log_scale(1.0, 50.0), t = Rt * C;
    limpet_model *model = wheel(1e12,
                                "<dcmotor joint='x' motorconst='1e-3' resistance='%.17g' "
                                "thermal='%.17g %.17g 0 0 20 20'/>",
                                R, Rt, C);
    limpet_data *data = limpet_data_create(model);
    data->control[0] = V;
    run(model, data, t, 500);
    const double end = Rt * V * V / R;
    assert_close(data->activation[0], end * (1.0 - exp(-1.0)), 2e-3 * end);
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }

  // 50 K above the reference, a resistance that grows by 0.004/K is 1.2 times as large
  limpet_model *model = wheel(1.0,
                              "<dcmotor joint='x' motorconst='.1' resistance='2' "
                              "thermal='1 1 0 .004 20 20'/>");
  limpet_data *data = limpet_data_create(model);
  data->control[0] = 10.0, data->activation[0] = 50.0;
  limpet_forward_dynamics(model, data);
  assert_close(data->actuator_force[0], 0.1 * 10.0 / (2.0 * 1.2), 1e-14);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

/* The drive cancels the back-EMF: within its voltage the torque is what the controller asks for,
 * at any velocity, and beyond it K/R (V_max - K w). */
static void a_drive_gives_what_is_asked_within_its_voltage(void **state) {
  (void)state;
  srand(5);
  for (int k = 0; k < test_effort(100, 10); ++k) {
    const double K = log_scale(0.01, 1.0), R = log_scale(0.1, 10.0), limit = log_scale(1.0, 100.0),
                 asked = log_scale(1e-3, 10.0), w = log_scale(0.1, 1000.0);
    limpet_model *model = wheel(1.0,
                                "<dcmotor joint='x' motorconst='%.17g' resistance='%.17g' "
                                "input='ff' controller='0 0 0 0 0 %.17g'/>",
                                K, R, limit);
    limpet_data *data = limpet_data_create(model);
    data->control[0] = asked, data->v[0] = w;
    limpet_forward_dynamics(model, data);
    const double V = R / K * asked + K * w;
    const double torque = V <= limit ? asked : K / R * (limit - K * w);
    assert_close(data->actuator_force[0], torque, 1e-12 * fmax(1.0, fabs(torque)));
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
}

// ------------------------------------------------------------------------------ controllers

/* J x'' = -kp x - kd x' - ki z - f, z' = x with a constant load f: at rest z = -f/ki and x = 0,
 * however large the load; without the integral x = -f/kp. */
static void an_integral_takes_a_load_away(void **state) {
  (void)state;
  srand(6);
  for (int k = 0; k < test_effort(20, 4); ++k) {
    const double J = log_scale(0.01, 1.0), omega = log_scale(2.0, 20.0), kp = J * omega * omega,
                 kd = 2.0 * J * omega, ki = 0.2 * kp * omega, load = log_scale(0.1, 10.0),
                 goal = 0.7;
    for (int with = 0; with < 2; ++with) {
      limpet_model *model =
          wheel(J, "<pid joint='x' kp='%.17g' kv='%.17g' ki='%.17g' input='pos ff'/>", kp, kd,
                with ? ki : 0.0);
      limpet_data *data = limpet_data_create(model);
      data->control[0] = goal, data->control[1] = -load;
      run(model, data, 200.0 / omega, 4000);
      assert_close(data->q[0], with ? goal : goal - load / kp, 1e-6 * fmax(1.0, load / kp));
      if (with) assert_close(data->activation[0], load / ki, 1e-6 * load / ki);
      limpet_data_destroy(data);
      limpet_model_destroy(model);
    }
  }
}

// The wanted position moves at the slew limit, and a stiff servo follows it.
static void a_slew_limit_makes_a_ramp(void **state) {
  (void)state;
  limpet_model *model = wheel(0.01, "<pid joint='x' kp='1e4' kv='200' slewmax='.5' input='pos'/>");
  limpet_data *data = limpet_data_create(model);
  data->control[0] = 1.0;
  run(model, data, 1.0, 500);
  assert_close(data->activation[0], 0.5, 1e-12);
  assert_close(data->q[0], 0.5 - 0.5 * 200.0 / 1e4, 1e-3);  // it lags by kv/kp
  run(model, data, 2.0, 1000);
  assert_close(data->activation[0], 1.0, 1e-12);
  assert_close(data->q[0], 1.0, 1e-6);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// A servo far stiffer than the step resolves does not overshoot by more than a bounded share.
static void a_stiff_controller_is_stable(void **state) {
  (void)state;
  srand(7);
  for (int k = 0; k < test_effort(40, 6); ++k) {
    const double J = log_scale(1e-6, 1.0), kp = J * log_scale(1.0, 1e12),
                 kd = kp * log_scale(1e-4, 1.0);
    limpet_model *model = wheel(J, "<pid joint='x' kp='%.17g' kv='%.17g' input='pos'/>", kp, kd);
    limpet_data *data = limpet_data_create(model);
    data->control[0] = 1.0;
    for (int i = 0; i < 300; ++i) {
      run(model, data, 0.002, 1);
      assert_true(fabs(data->q[0]) < 2.5);
    }
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
}

// --------------------------------------------------------------------------------- friction

/* Bristles: half the friction bends them by b = F/(2 s0); with b' = w (1 - s0 b/F) the wheel turns
 * by -F/s0 log(1 - s0 b/F) and stays there. Three times the friction, and it slides: at a speed far
 * above the Stribeck velocity the friction is Coulomb's. */
static void bristles_hold_and_slide(void **state) {
  (void)state;
  srand(8);
  for (int k = 0; k < test_effort(30, 4); ++k) {
    const double J = log_scale(1e-4, 1e-2), Fc = log_scale(0.01, 1.0), Fs = Fc,
                 s0 = Fc / log_scale(1e-4, 1e-2), s1 = 2.0 * sqrt(s0 * J), ws = 0.02;
    limpet_model *model = wheel(J,
                                "<dcmotor joint='x' input='none' motorconst='0' resistance='1' "
                                "lugre='%.17g %.17g %.17g %.17g %.17g'/>",
                                s0, s1, Fc, Fs, ws);
    limpet_data *data = limpet_data_create(model);
    data->applied_force[0] = 0.5 * Fc;
    run(model, data, 60.0 * sqrt(J / s0), 2000);
    assert_close(data->activation[0], 0.5 * Fc / s0, 2e-2 * Fc / s0);
    assert_close(data->q[0], -log(0.5) * Fc / s0, 2e-2 * Fc / s0);

    limpet_data_reset(model, data);
    data->applied_force[0] = 3.0 * Fc;
    run(model, data, fmax(200.0 * ws * J / Fc, sqrt(30.0 * J / s0)), 20000);
    const double v = data->v[0];
    assert_true(v > 20.0 * ws);
    limpet_forward_dynamics(model, data);
    assert_close(data->actuator_force[0], -Fc, 0.02 * Fc);
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
}

// Bristles that swing within the first half, however stiff: nothing grows after it.
static void stiff_bristles_are_stable(void **state) {
  (void)state;
  srand(9);
  for (int k = 0; k < test_effort(40, 6); ++k) {
    const double J = log_scale(1e-6, 1.0), s0 = J * log_scale(1e3, 1e12), Fc = log_scale(0.01, 1.0),
                 s1 = sqrt(s0 * J) * log_scale(0.01, 10.0);
    limpet_model *model = wheel(J,
                                "<dcmotor joint='x' input='none' motorconst='0' resistance='1' "
                                "lugre='%.17g %.17g %.17g %.17g .01'/>",
                                s0, s1, Fc, 1.2 * Fc);
    limpet_data *data = limpet_data_create(model);
    data->applied_force[0] = 0.3 * Fc;
    double start = 0.0;
    for (int i = 0; i < 500; ++i) {
      run(model, data, 0.002, 1);
      assert_true(isfinite(data->v[0]));
      start = fmax(start, i < 250 ? fabs(data->v[0]) : 0.0);
      if (i >= 250) assert_true(fabs(data->v[0]) <= 1.01 * start);
    }
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
}

/* A motor far from its torque limit and one at it: the limit bounds what the winding gives, and
 * cogging comes on top. */
static void cogging_is_beside_the_limit(void **state) {
  (void)state;
  limpet_model *model = wheel(1.0,
                              "<dcmotor joint='x' motorconst='.1' resistance='1' saturation='.2' "
                              "cogging='.05 6 .3'/>");
  limpet_data *data = limpet_data_create(model);
  data->control[0] = 100.0, data->q[0] = 0.4;
  const double cogging = 0.05 * sin(6.0 * 0.4 + 0.3);
  limpet_forward_dynamics(model, data);
  assert_close(data->actuator_force[0], 0.2 + cogging, 1e-15);
  run(model, data, 0.002, 1);
  assert_close(data->v[0], 0.002 * (0.2 + cogging), 1e-9);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// --------------------------------------------------------------------- derivatives, layout

static void take_world(limpet_data *to, const limpet_data *from) {
  limpet_data_state_copy(from, to);
  memcpy(to->control, from->control, (size_t)from->model->nu * sizeof(double));
}

// Derivatives of a step by state and by every control, against differences of the step itself.
static void derivatives_of_a_step(void **state) {
  (void)state;
  limpet_model *model =
      wheel(0.02,
            "<dcmotor joint='x' nominal='12 2 100' inductance='0 .003' input='pos vel ff voltage' "
            "controller='3 .4 .5 0 0 90' lugre='5 .1 .05 .07 .5' cogging='.02 3 .1'/>"
            "<pid joint='x' kp='2' kv='.3' ki='.5' input='pos vel ff'/>");
  limpet_data *data = limpet_data_create(model), *other = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  wanted.inputs = true;
  limpet_gradient *gradient = limpet_gradient_create(model);
  assert_non_null(gradient);
  data->q[0] = 0.3, data->v[0] = 1.2;
  for (int i = 0; i < model->nu; ++i) data->control[i] = 0.1 + 0.05 * i;
  for (int i = 0; i < model->na; ++i) data->activation[i] = 0.02 * (i + 1);
  assert_int_equal(model->nu, 7);
  assert_int_equal(model->na, 4);
  limpet_data *start = limpet_data_create(model);
  take_world(start, data);
  assert_int_equal(limpet_gradient_step(model, data, &settings, &wanted, gradient),
                   LIMPET_OUTCOME_SOLVED);
  for (int column = -2; column < model->nu; ++column) {
    double end[2];
    const double e = 1e-6;
    for (int side = 0; side < 2; ++side) {
      take_world(other, start);
      double *x = column == -2 ? other->q : column == -1 ? other->v : other->control + column;
      *x += side ? e : -e;
      assert_int_equal(limpet_step(model, other, &settings), LIMPET_OUTCOME_SOLVED);
      end[side] = other->v[0];
    }
    const double slope = (end[1] - end[0]) / (2.0 * e);
    const double is = column == -2   ? gradient->dv.q[0]
                      : column == -1 ? gradient->dv.v[0]
                                     : gradient->dv.control[column];
    assert_close(is, slope, 1e-6 * fmax(1e-3, fabs(slope)));
    if (column >= 0) assert_true(slope != 0.0);
  }
  limpet_gradient_destroy(gradient);
  limpet_data_destroy(start);
  limpet_data_destroy(data);
  limpet_data_destroy(other);
  limpet_model_destroy(model);
}

/* Controls of a motor without inputs stand last, so that those of the others keep their places;
 * keyframes fill both, and activations, in the order of the file. */
static void passive_motors_leave_controls_in_place(void **state) {
  (void)state;
  limpet_model *model =
      wheel(1.0,
            "<dcmotor name='passive' joint='x' input='none' motorconst='0' resistance='1' "
            "lugre='10 1 .1 .2 .1'/><motor name='m' joint='x'/>"
            "<pid name='p' joint='x' ki='1' slewmax='2'/></actuator><keyframe>"
            "<key ctrl='1 2 3' act='.1 .2 .3'/></keyframe><actuator>");
  limpet_data *data = limpet_data_create(model);
  assert_int_equal(limpet_model_find(model, LIMPET_OBJECT_ACTUATOR, "m"), 0);
  assert_int_equal(limpet_model_find(model, LIMPET_OBJECT_ACTUATOR, "p"), 1);
  assert_int_equal(limpet_model_find(model, LIMPET_OBJECT_ACTUATOR, "p_2"), 2);
  assert_int_equal(limpet_model_find(model, LIMPET_OBJECT_ACTUATOR, "passive"), 3);
  limpet_data_reset_keyframe(model, data, 0);
  static const double control[4] = {1, 2, 3, 0}, activation[3] = {.2, .3, .1};
  for (int i = 0; i < 4; ++i) assert_true(data->control[i] == control[i]);
  for (int i = 0; i < 3; ++i) assert_true(data->activation[i] == activation[i]);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// Each class has its inputs; an element takes those of its class.
static void inputs_follow_classes(void **state) {
  (void)state;
  limpet_model *m = mjcf_load(
      MODEL("<default><pid input='pos'/><default class='c'><pid input='pos vel ff'/></default>"
            "<default class='w'><dcmotor nominal='12 2 100'/></default></default>"
            "<worldbody><body><joint name='h'/>" GEOM "</body></worldbody><actuator>"
            "<pid name='p' joint='h'/><motor name='m' joint='h'/>"
            "<pid name='q' joint='h' class='c'/><dcmotor name='d' joint='h' class='w' "
            "input='none'/><dcmotor name='e' joint='h' class='w' resistance='3'/>"
            "<motor name='n' joint='h'/></actuator>"
            "<keyframe><key ctrl='1 2 3 4 5 6 7'/></keyframe>"));
  assert_string_equal(mjcf_names(m, LIMPET_OBJECT_ACTUATOR), "p m q q_2 q_3 e n d");
  CLOSE(m->keyframe_control, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 0.0);
  CLOSE(&m->actuator_motor[5].resistance, 3.0);
  CLOSE(&m->actuator_motor[7].resistance, 0.12 * 12.0 / 2.0);
  limpet_model_destroy(m);
}

// --------------------------------------------------------------------------------- messages

static void assert_refused(const char *actuator, const char *words) {
  char text[1000];
  limpet_error error = {0};
  snprintf(text, sizeof text,
           "<mujoco><worldbody><body><joint name='x'/><geom size='.1'/></body></worldbody>"
           "<actuator>\n%s</actuator></mujoco>",
           actuator);
  limpet_model *model = mjcf_load_with(text, NULL, &error);
  if (model || !strstr(error.message, words) || !strstr(error.message, "robot.xml:2"))
    fail_msg("%s: '%s' in: %s", actuator, words, model ? "(loaded)" : error.message);
}

static void what_cannot_be_is_said(void **state) {
  (void)state;
  assert_refused("<dcmotor joint='x'/>", "no resistance");
  assert_refused("<dcmotor joint='x' resistance='2'/>", "no motor constant");
  assert_refused("<dcmotor joint='x' resistance='-2' motorconst='1'/>", "give a positive one");
  assert_refused("<dcmotor joint='x' nominal='12 0 100'/>", "number 2 is 0");
  assert_refused("<dcmotor joint='x' nominal='12 2 100' controller='1'/>", "none of the inputs");
  assert_refused("<dcmotor joint='x' nominal='12 2 100' controller='1 1' input='vel'/>",
                 "no position input");
  assert_refused("<dcmotor joint='x' nominal='12 2 100' input='voltage pos'/>", "out of order");
  assert_refused("<dcmotor joint='x' nominal='12 2 100' thermal='2'/>", "give two of them");
  assert_refused("<pid joint='x' input='pos volt'/>", "not an input");
  assert_refused("<pid joint='x' kv='1' dampratio='1'/>", "keep one");
  assert_refused("<pid joint='x' ki='1' input='vel'/>", "no position input");
  assert_refused("<pid joint='x' slewmax='-1'/>", "cannot be negative");
  assert_refused("<general joint='x' gaintype='pid' biastype='none'/>", "needs biastype");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_motor_runs_up_to_its_speed),
      cmocka_unit_test(a_winding_swings_with_its_rotor),
      cmocka_unit_test(a_stiff_winding_is_stable),
      cmocka_unit_test(a_stalled_motor_heats_up),
      cmocka_unit_test(a_drive_gives_what_is_asked_within_its_voltage),
      cmocka_unit_test(an_integral_takes_a_load_away),
      cmocka_unit_test(a_slew_limit_makes_a_ramp),
      cmocka_unit_test(a_stiff_controller_is_stable),
      cmocka_unit_test(bristles_hold_and_slide),
      cmocka_unit_test(stiff_bristles_are_stable),
      cmocka_unit_test(cogging_is_beside_the_limit),
      cmocka_unit_test(derivatives_of_a_step),
      cmocka_unit_test(passive_motors_leave_controls_in_place),
      cmocka_unit_test(inputs_follow_classes),
      cmocka_unit_test(what_cannot_be_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

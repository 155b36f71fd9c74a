/* tests/control/test_plan_terms.c: cost terms of a plan.json: their gradients against differences
 * of their values at random states, Gauss-Newton's Hessian against the residuals, and what is said
 * where a file is wrong. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "json_text.h"
#include "limpet/control.h"
#include "limpet/plan.h"
#include "mjcf_text.h"
#include "shared_data.h"

static limpet_model *model;

static int model_open(void **state) {
  (void)state;
  model = mjcf_load(MODEL(
      "<compiler angle='radian'/><worldbody><geom name='floor' type='plane' size='1 1 .1'/>"
      "<body><joint name='yaw' axis='0 0 1'/><geom size='.05' mass='1'/><body pos='.3 0 .6'>"
      "<joint name='pitch' axis='0 1 0'/><geom name='arm' type='capsule' fromto='0 0 0 .4 0 0' "
      "size='.03'/><body name='hand' pos='.4 .1 0'><joint name='slide' type='slide' axis='1 0 "
      "1'/><geom name='hand' type='box' size='.05 .03 .02'/><site name='tip' pos='.05 .01 .02' "
      "euler='.3 .2 .1'/></body></body></body>"
      "<body name='ball' pos='.2 .8 .5'><freejoint name='ball'/><geom name='ball' size='.1'/><site "
      "name='mark' pos='.02 .03 .04'/></body></worldbody>"
      "<actuator><motor name='m' joint='yaw' gear='2'/><position name='p' joint='pitch' kp='30' "
      "kv='2'/><velocity name='s' joint='slide' kv='5'/></actuator>"
      "<keyframe><key name='home' qpos='.1 .2 .03 .2 .8 .5 1 0 0 0' ctrl='1 .2 0'/></keyframe>"));
  return 0;
}

static int model_close(void **state) {
  (void)state;
  limpet_model_destroy(model);
  return 0;
}

// A text with ' for ".
static limpet_plan_task *create(const char *text, limpet_error *error) {
  return limpet_plan_task_create(model, json_text(text), "plan.json", error);
}

#define PLAN(terms) "{'duration':0.02,\n'start':{'keyframe':'home'},\n'cost':[\n" terms "]}"

typedef struct probe {
  const char *text;
  limpet_plan_task *task;
  limpet_data *data;
  double *gradient;  // (2 nv + nu)  by differences
  double *x, *u, *xx, *uu, *ux;
} probe;

static double *numbers(int count) { return calloc((size_t)count + 1, sizeof(double)); }

static double value_at(probe *p, double length, limpet_plan_quadratic *quadratic) {
  limpet_kinematics(model, p->data);
  limpet_velocity_kinematics(model, p->data);
  return p->task->problem.cost(p->task->problem.context, model, p->data, 0, length, quadratic);
}

// Value with coordinate i of (q, v, u) moved.
static double value_moved(probe *p, double length, int i, double by) {
  const int nv = model->nv;
  double *q = numbers(model->nq), *unit = numbers(nv), value;
  memcpy(q, p->data->q, (size_t)model->nq * sizeof *q);
  if (i < nv) {
    unit[i] = 1.0;
    limpet_integrate_position(model, p->data->q, q, unit, by, false);
  } else if (i < 2 * nv) {
    p->data->v[i - nv] += by;
  } else {
    p->data->control[i - 2 * nv] += by;
  }
  value = value_at(p, length, NULL);
  memcpy(p->data->q, q, (size_t)model->nq * sizeof *q);
  if (i >= 2 * nv) p->data->control[i - 2 * nv] -= by;
  else if (i >= nv) p->data->v[i - nv] -= by;
  free(q), free(unit);
  return value;
}

static void state_draw(probe *p, unsigned long *seed) {
  double *d = numbers(model->nv);
  limpet_data_reset_keyframe(model, p->data, 0);
  for (int i = 0; i < model->nv; ++i) {
    d[i] = random_uniform(seed, -1.0, 1.0);
    p->data->v[i] = random_uniform(seed, -1.0, 1.0);
  }
  d[2] *= 0.1;
  limpet_integrate_position(model, p->data->q, p->data->q, d, 0.5, false);
  for (int i = 0; i < model->nu; ++i) p->data->control[i] = random_uniform(seed, -1.0, 1.0);
  free(d);
}

// 1e-6 of the largest entry: differences over 1e-5 leave 1e-9, those of the kinematics 1e-9.
static void gradient_check(probe *p, double length) {
  const double width = 1e-5;
  const int n = 2 * model->nv, m = model->nu;
  memset(p->x, 0, (size_t)n * sizeof *p->x), memset(p->u, 0, (size_t)m * sizeof *p->u);
  memset(p->xx, 0, (size_t)(n * n) * sizeof *p->xx);
  memset(p->uu, 0, (size_t)(m * m) * sizeof *p->uu);
  memset(p->ux, 0, (size_t)(m * n) * sizeof *p->ux);
  limpet_plan_quadratic quadratic = {p->x, p->u, p->xx, p->uu, p->ux};
  const double value = value_at(p, length, &quadratic);
  assert_true(value == value_at(p, length, NULL));
  double most = 1e-3, worst = 0.0;
  for (int i = 0; i < n + m; ++i) {
    const double difference =
        (value_moved(p, length, i, width) - value_moved(p, length, i, -width)) / (2.0 * width);
    most = fmax(most, fabs(difference));
    worst = fmax(worst, fabs(difference - (i < n ? p->x[i] : p->u[i - n])));
  }
  if (!(worst <= 1e-6 * most)) printf("%s: gradient is off by %g of %g\n", p->text, worst, most);
  assert_true(worst <= 1e-6 * most);

  // the model of a sum of squares: twice its value lies in no direction below zero
  double curvature = 0.0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      assert_true(fabs(p->xx[i * n + j] - p->xx[j * n + i]) <=
                  1e-12 * (1.0 + fabs(p->xx[i * n + j])));
      curvature += p->x[i] * p->xx[i * n + j] * p->x[j];
    }
  assert_true(curvature >= 0.0);
}

static void gradients_of_terms(void **state) {
  (void)state;
  static const char weighted[] =
      "{'kind':'orientation','frame':'tip','target':[0.7,0.1,0.5,-0.2],'running':1,"
      "'weights':[1,2,3]}";
  static const char *const terms[] = {
      "{'kind':'position','frame':'tip','target':[0.1,0.2,0.3],'running':3,'final':2}",
      "{'kind':'position','frame':'tip','relative_to':'mark','running':3,'weights':[1,2,3]}",
      weighted,
      "{'kind':'orientation','frame':'ball','running':1}",
      "{'kind':'velocity','frame':'tip','target':[1,0,0],'running':1}",
      "{'kind':'angular-velocity','frame':'hand','running':1}",
      "{'kind':'joint-position','target':[0.1,0.2,0.3],'running':1}",
      "{'kind':'joint-velocity','joints':['slide','ball'],'running':1}",
      "{'kind':'control','actuators':['p','m'],'target':0.1,'running':1,'weights':[1,2]}",
      "{'kind':'effort','running':1}",
      "{'kind':'distance','geom':'hand','other':'ball','target':0.05,'running':1}",
      "{'kind':'distance','geom':'ball','other':'floor','at_least':3,'running':1}",
      "{'kind':'distance','geom':'arm','other':'ball','at_least':2,'running':1}"};
  unsigned long seed = 3;
  for (size_t k = 0; k < sizeof terms / sizeof *terms; ++k) {
    char text[1024];
    limpet_error error;
    snprintf(text, sizeof text, PLAN("%s"), terms[k]);
    probe p = {.text = terms[k], .task = create(text, &error), .data = limpet_data_create(model)};
    if (!p.task) fail_msg("%s", error.message);
    const int n = 2 * model->nv, m = model->nu;
    p.x = numbers(n), p.u = numbers(m), p.xx = numbers(n * n), p.uu = numbers(m * m);
    p.ux = numbers(m * n);
    for (int draw = 0; draw < 20; ++draw) {
      state_draw(&p, &seed);
      gradient_check(&p, 0.01);
    }
    free(p.x), free(p.u), free(p.xx), free(p.uu), free(p.ux);
    limpet_data_destroy(p.data);
    limpet_plan_task_destroy(p.task);
  }
}

// Weights along the way are per second, those of the end count once; times cut terms off.
static void weights_and_times(void **state) {
  (void)state;
  limpet_error error;
  limpet_plan_task *task =
      create(PLAN("{'kind':'joint-position','joints':['yaw'],'running':2,'final':5,'from':0.004,"
                  "'to':0.008}"),
             &error);
  if (!task) fail_msg("%s", error.message);
  limpet_plan *plan = limpet_plan_create(model, 10, NULL);
  double running, last;
  assert_int_equal(task->problem.knot_count, 10);  // 20 ms in steps of 2 ms
  task->settings.iteration_limit = 0;
  limpet_plan_task_guess(task, plan);
  limpet_plan_solve(plan, &task->problem, &task->settings);
  const char *name = limpet_plan_task_term(task, plan, 0, &running, &last);
  assert_string_equal(name, "joint-position");
  const int size = limpet_data_state_size(model);
  double sum = 0.0;
  for (int k = 2; k < 4; ++k) sum += 2.0 * 0.002 * pow(plan->state[k * size + 1], 2.0);
  assert_true(fabs(running - sum) <= 1e-15);
  assert_true(fabs(last - 5.0 * pow(plan->state[10 * size + 1], 2.0)) <= 1e-15);
  assert_true(fabs(plan->cost - running - last) <= 1e-14);
  limpet_plan_destroy(plan);
  limpet_plan_task_destroy(task);
}

// "gravity" holds every joint that has an actuator where it is, for a while.
static void gravity_holds_the_start(void **state) {
  (void)state;
  limpet_error error;
  limpet_plan_task *task = create(
      "{'duration':0.02,'start':{'keyframe':'home','joints':{'pitch':-0.4},'velocities':{'ball':"
      "[0,0,1,0,0,0]}},'control':{'initial':'gravity','maximum':100},'cost':[{'kind':'control',"
      "'running':1}]}",
      &error);
  if (!task) fail_msg("%s", error.message);
  limpet_data *data = limpet_data_create(model);
  limpet_data_state_write(model, data, task->problem.start_state);
  assert_true(data->q[1] == -0.4 && data->q[0] == 0.1 && data->v[5] == 1.0);
  memcpy(data->control, task->control, (size_t)model->nu * sizeof(double));
  for (int k = 0; k < 10; ++k) limpet_step(model, data, &task->step);
  // the servos hold at the end of a step: after 20 ms micrometres are left
  for (int i = 0; i < 2; ++i) assert_true(fabs(data->v[i]) < 1e-3);
  limpet_data_destroy(data);
  limpet_plan_task_destroy(task);
}

static void expect(const char *text, const char *message) {
  limpet_error error = {0};
  assert_null(create(text, &error));
  if (strncmp(error.message, message, strlen(message)) == 0) return;
  printf("wanted: %s\ncame:   %s\n", message, error.message);
  fail();
}

static void mistakes_are_told(void **state) {
  (void)state;
  expect("{'duration':1,", "plan.json:1:");
  expect("{'duration':1}", "plan.json:1: \"cost\" is missing");
  expect("{'cost':[]}", "plan.json:1: \"duration\" is missing");
  expect("{'duration':-1,'cost':[]}", "plan.json:1: duration: must be positive [s]");
  expect("{'duratoin':1}", "plan.json:1: duratoin: is not known here (did you mean 'duration'?)");
  expect(PLAN("{'kind':'positon'}"),
         "plan.json:4: cost[0].kind: 'positon' is not known (did you mean 'position'?)");
  expect(PLAN("{'kind':'position','frame':'tap','running':1}"),
         "plan.json:4: cost[0].frame: the model has no body 'tap'");
  expect(PLAN("{'kind':'position','frame':'tip'}"),
         "plan.json:4: cost[0]: has no weight; give \"running\" (per second), \"final\" or both");
  expect(PLAN("{'kind':'position','frame':'tip','target':[1,2],'running':1}"),
         "plan.json:4: cost[0].target: has 2 numbers, and 3 are wanted");
  expect(PLAN("{'kind':'control','final':1}"),
         "plan.json:4: cost[0]: at the end there is no control; give \"running\" alone");
  expect(PLAN("{'kind':'joint-position','joints':['ball'],'running':1}"),
         "plan.json:4: cost[0].joints: joint 'ball' has more than one coordinate");
  expect(PLAN("{'kind':'distance','geom':'ball','other':'arm','running':1}"),
         "plan.json:4: cost[0]: give \"at_least\" [m] to keep clear, or \"target\" [m]");
  expect(PLAN("{'kind':'control','running':-1}"),
         "plan.json:4: cost[0].running: is -1 and must not be negative");
  expect("{'duration':1,'hold':0,'cost':[]}",
         "plan.json:1: hold: is 0; a whole number from 1 to 1000 is wanted");
  expect("{'duration':1,'contact_model':'laged','cost':[]}",
         "plan.json:1: contact_model: 'laged' is no contact model");
  expect("{'duration':1,'settings':{'stiction':1},'cost':[]}",
         "plan.json:1: settings.stiction: is no setting of a step");
  expect("{'duration':1,\n'start':{'keyframe':'hom'},'cost':[]}",
         "plan.json:2: start.keyframe: the model has no keyframe 'hom' (did you mean 'home'?)");
  expect("{'duration':1,'start':{'joints':{'yow':1}},'cost':[]}",
         "plan.json:1: start.joints.yow: the model has no joint 'yow' (did you mean 'yaw'?)");
  expect("{'duration':1,'control':{'minimum':1,'maximum':0},'cost':[]}",
         "plan.json:1: control: the minimum 1 of control 0 is above its maximum 0");
  expect("{'duration':1,'solver':{'iterations':1.5},'cost':[]}",
         "plan.json:1: solver.iterations: is 1.5; a whole number from 0 to 1000000 is wanted");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_of_terms),
      cmocka_unit_test(weights_and_times),
      cmocka_unit_test(gravity_holds_the_start),
      cmocka_unit_test(mistakes_are_told),
  };
  return cmocka_run_group_tests(tests, model_open, model_close);
}

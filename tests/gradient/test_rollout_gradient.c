/* tests/gradient/test_rollout_gradient.c: the adjoint of a rollout against the product of the
 * Jacobians of its steps, against differences of whole rollouts, and against itself with other
 * checkpoints; a grasp by the Panda over 1,000 steps. */
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
#include "gradient_world.h"
#include "limpet/format.h"
#include "limpet/rollout_gradient.h"
#include "math/vec3.h"
#include "mjcf_text.h"
#include "shared_data.h"

// An arm that sways above the floor, and a ball that is pushed along it: two kinds of steps.
static const char *const arm_and_ball = MODEL(
    "<compiler angle='radian'/><option timestep='0.002'/><worldbody><geom type='plane' size='5 5 "
    ".1' friction='.4'/>"
    "<body pos='0 0 1'><joint name='a' axis='0 1 0' damping='.1'/><geom type='capsule' fromto='0 0 "
    "0 .4 0 0' size='.03'/><body pos='.4 0 0'><joint name='b' axis='0 1 .2'/><geom type='capsule' "
    "fromto='0 0 0 .3 0 0' size='.03'/></body></body>"
    "<body pos='0 1 .0999'><freejoint/><geom size='.1' friction='.4' limpet:stiffness='20000'/>"
    "</body></worldbody>"
    "<actuator><motor joint='a'/><position joint='b' kp='5'/></actuator>");

typedef struct rollout {
  gradient_world w;
  int steps;
  double *start, *control, *weight_q, *weight_v, *weight_control;
} rollout;

// Weights and changes of the controls at random; the start is the present state.
static rollout rollout_open(gradient_world w, int steps, double size) {
  unsigned long seed = 5;
  rollout r = {.w = w, .steps = steps};
  const size_t n = (size_t)steps, nv = (size_t)w.model->nv, nu = (size_t)w.model->nu;
  r.start = zero_array((size_t)limpet_data_state_size(w.model));
  limpet_data_state_read(w.model, w.data, r.start);
  r.control = random_array(n * nu, size, &seed);
  for (size_t i = 0; i < n * nu; ++i) r.control[i] += w.data->control[i % nu];
  r.weight_q = random_array((n + 1) * nv, 1.0, &seed);
  r.weight_v = random_array((n + 1) * nv, 0.1, &seed);
  r.weight_control = random_array(n * nu, 0.01, &seed);
  return r;
}

static void rollout_close(rollout *r) {
  free(r->start), free(r->control);
  free(r->weight_q), free(r->weight_v), free(r->weight_control);
  gradient_world_close(&r->w);
}

static limpet_rollout_gradient_request request_of(const rollout *r) {
  return (limpet_rollout_gradient_request){.settings = &r->w.settings,
                                           .step_count = r->steps,
                                           .control = r->control,
                                           .weight_q = r->weight_q,
                                           .weight_v = r->weight_v,
                                           .weight_control = r->weight_control};
}

static limpet_rollout_gradient *adjoint_of(const rollout *r, int interval) {
  const limpet_rollout_gradient_request request = request_of(r);
  limpet_rollout_gradient *g = limpet_rollout_gradient_create(r->w.model, r->steps, interval);
  assert_non_null(g);
  limpet_data_state_write(r->w.model, r->w.data, r->start);
  if (!limpet_rollout_gradient_compute(g, r->w.model, r->w.data, &request))
    fail_msg("step %d: %s", g->step, g->reason);
  return g;
}

// a <- J' a + row of the weights, for one step's Jacobians in a world's gradient.
static void costate_back(const limpet_gradient *g, int nv, double *a_q, double *a_v, double *next) {
  for (int j = 0; j < nv; ++j) {
    next[j] = next[nv + j] = 0.0;
    for (int i = 0; i < nv; ++i) {
      next[j] += g->dq.q[i * nv + j] * a_q[i] + g->dv.q[i * nv + j] * a_v[i];
      next[nv + j] += g->dq.v[i * nv + j] * a_q[i] + g->dv.v[i * nv + j] * a_v[i];
    }
  }
  memcpy(a_q, next, (size_t)nv * sizeof *a_q);
  memcpy(a_v, next + nv, (size_t)nv * sizeof *a_v);
}

/* The same gradient by dense Jacobians of all steps: forwards with all states kept, then the
 * product from the end. Results: by_control (steps x nu), by_start (2 nv). */
static void product_of_jacobians(const rollout *r, double *by_control, double *by_start) {
  const limpet_model *model = r->w.model;
  const int nv = model->nv, nu = model->nu;
  const size_t size = (size_t)limpet_data_state_size(model);
  double *states = zero_array(((size_t)r->steps + 1) * size), *next = zero_array(2 * (size_t)nv);
  double *a_q = by_start, *a_v = by_start + nv;
  memcpy(states, r->start, size * sizeof *states);
  for (int k = 0; k < r->steps; ++k) {
    limpet_data_state_write(model, r->w.data, states + (size_t)k * size);
    memcpy(r->w.data->control, r->control + k * nu, (size_t)nu * sizeof(double));
    limpet_step(model, r->w.data, &r->w.settings);
    limpet_data_state_read(model, r->w.data, states + (size_t)(k + 1) * size);
  }
  for (int i = 0; i < nv; ++i) {
    a_q[i] = r->weight_q[r->steps * nv + i];
    a_v[i] = r->weight_v[r->steps * nv + i];
  }
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  for (int k = r->steps - 1; k >= 0; --k) {
    const limpet_gradient *g = r->w.gradient;
    limpet_data_state_write(model, r->w.data, states + (size_t)k * size);
    memcpy(r->w.data->control, r->control + k * nu, (size_t)nu * sizeof(double));
    limpet_gradient_step(model, r->w.data, &r->w.settings, &wanted, r->w.gradient);
    assert_null(g->reason);
    for (int j = 0; j < nu; ++j) {
      double sum = r->weight_control[k * nu + j];
      for (int i = 0; i < nv; ++i)
        sum += g->dq.control[i * nu + j] * a_q[i] + g->dv.control[i * nu + j] * a_v[i];
      by_control[k * nu + j] = sum;
    }
    costate_back(g, nv, a_q, a_v, next);
    for (int i = 0; i < nv; ++i) a_q[i] += r->weight_q[k * nv + i];
    for (int i = 0; i < nv; ++i) a_v[i] += r->weight_v[k * nv + i];
  }
  free(states), free(next);
}

// |a - b| <= tolerance times the largest |b|.
static void close_to(const char *what, const double *a, const double *b, int count,
                     double tolerance) {
  double most = 0.0, worst = 0.0;
  for (int i = 0; i < count; ++i) most = fmax(most, fabs(b[i]));
  for (int i = 0; i < count; ++i) worst = fmax(worst, fabs(a[i] - b[i]));
  if (!(worst <= tolerance * most)) printf("%s: %g of %g\n", what, worst, most);
  assert_true(most > 0.0 && worst <= tolerance * most);
}

// 1e-10: products of up to 1,000 matrices differ from those of vectors by round-off alone.
static void equals_product(const rollout *r, int interval) {
  const int nv = r->w.model->nv, nu = r->w.model->nu;
  double *by_control = zero_array((size_t)(r->steps * nu)), *by_start = zero_array(2 * (size_t)nv);
  limpet_rollout_gradient *g = adjoint_of(r, interval);
  product_of_jacobians(r, by_control, by_start);
  close_to("by control", g->by_control, by_control, r->steps * nu, 1e-10);
  close_to("by start pose", g->by_q, by_start, nv, 1e-10);
  close_to("by start velocity", g->by_v, by_start + nv, nv, 1e-10);
  limpet_rollout_gradient_destroy(g);
  free(by_control), free(by_start);
}

static rollout arm_open(const char *contact_model, int steps) {
  gradient_world w = gradient_world_open(mjcf_load(arm_and_ball), "discrete", contact_model, 0.002);
  w.settings.tolerance = 1e-12;
  w.data->v[2] = 0.5;  // the ball starts to slide
  return rollout_open(w, steps, 0.5);
}

// Models whose steps leave each other nothing here but pose and velocity: test_rollout_past.c.
static void equals_product_of_jacobians(void **state) {
  (void)state;
  static const char *const models[] = {"lagged", "similar"};
  for (int m = 0; m < 2; ++m) {
    rollout r = arm_open(models[m], 40);
    equals_product(&r, m * 7);
    rollout_close(&r);
  }
}

// Steps that are made again have the same bits, so the checkpoints do not matter at all.
static void checkpoints_do_not_matter(void **state) {
  (void)state;
  static const int intervals[] = {1, 7, 37, 40};
  rollout r = arm_open("coulomb", 37);
  const size_t count = (size_t)(r.steps * r.w.model->nu);
  double *first = zero_array(count);
  for (int i = 0; i < 4; ++i) {
    limpet_rollout_gradient *g = adjoint_of(&r, intervals[i]);
    if (i == 0) memcpy(first, g->by_control, count * sizeof *first);
    assert_memory_equal(first, g->by_control, count * sizeof *first);
    assert_true(g->steps_made <= 3 * r.steps);
    if (intervals[i] == 1) assert_int_equal(g->steps_made, 2 * r.steps);
    limpet_rollout_gradient_destroy(g);
  }
  // of many states the least are kept
  assert_true(limpet_rollout_gradient_memory(r.w.model, 1000000, 0) * 100 <
              limpet_rollout_gradient_memory(r.w.model, 1000000, 1));
  free(first);
  rollout_close(&r);
}

// The loss itself, with the pose in velocity coordinates about the nominal rollout's.
static double loss_of(const rollout *r, const double *control, const double *poses) {
  const limpet_model *model = r->w.model;
  const int nv = model->nv, nu = model->nu;
  double loss = 0.0, *d = zero_array((size_t)nv);
  limpet_data_state_write(model, r->w.data, r->start);
  for (int k = 0; k <= r->steps; ++k) {
    limpet_difference_position(model, d, poses + k * model->nq, r->w.data->q);
    for (int i = 0; i < nv; ++i)
      loss += r->weight_q[k * nv + i] * d[i] + r->weight_v[k * nv + i] * r->w.data->v[i];
    if (k == r->steps) break;
    for (int i = 0; i < nu; ++i) loss += r->weight_control[k * nu + i] * control[k * nu + i];
    memcpy(r->w.data->control, control + k * nu, (size_t)nu * sizeof(double));
    limpet_step(model, r->w.data, &r->w.settings);
  }
  free(d);
  return loss;
}

/* Along a random direction of all controls, to 1e-6: the derivative of a step with contact is good
 * to 1e-7 or so, and a central difference over 1e-5 leaves 1e-9. */
static void agrees_with_differences(rollout *r, double width) {
  unsigned long seed = 9;
  const limpet_model *model = r->w.model;
  const int count = r->steps * model->nu;
  double *poses = zero_array((size_t)((r->steps + 1) * model->nq)),
         *moved = zero_array((size_t)count);
  limpet_data_state_write(model, r->w.data, r->start);
  for (int k = 0; k <= r->steps; ++k) {
    memcpy(poses + k * model->nq, r->w.data->q, (size_t)model->nq * sizeof(double));
    if (k == r->steps) break;
    memcpy(r->w.data->control, r->control + k * model->nu, (size_t)model->nu * sizeof(double));
    limpet_step(model, r->w.data, &r->w.settings);
  }
  limpet_rollout_gradient *g = adjoint_of(r, 0);
  double *direction = random_array((size_t)count, 1.0, &seed), wanted = 0.0, ends[2];
  for (int side = 0; side < 2; ++side) {
    for (int i = 0; i < count; ++i)
      moved[i] = r->control[i] + (side ? width : -width) * direction[i];
    ends[side] = loss_of(r, moved, poses);
  }
  for (int i = 0; i < count; ++i) wanted += g->by_control[i] * direction[i];
  const double difference = (ends[1] - ends[0]) / (2.0 * width);
  if (!(fabs(difference - wanted) <= 1e-6 * fabs(wanted)))
    printf("difference %.12g, adjoint %.12g\n", difference, wanted);
  assert_true(fabs(difference - wanted) <= 1e-6 * fabs(wanted));
  limpet_rollout_gradient_destroy(g);
  free(poses), free(moved), free(direction);
}

static void equals_differences_of_rollouts(void **state) {
  (void)state;
  static const char *const models[] = {"similar", "coulomb"};
  for (int m = 0; m < 2; ++m) {
    rollout r = arm_open(models[m], 30);
    agrees_with_differences(&r, 1e-5);
    rollout_close(&r);
  }
}

// The sum of the squares of all velocities at the end, by a callback.
static void end_speed(void *context, int step, const limpet_model *model, const limpet_data *data,
                      double *by_q, double *by_v, double *by_control) {
  (void)by_q;
  const rollout *r = context;
  assert_true((by_control == NULL) == (step == r->steps));
  for (int i = 0; i < model->nv && !by_control; ++i) by_v[i] += 2.0 * data->v[i];
}

static void callbacks_add_to_weights(void **state) {
  (void)state;
  rollout r = arm_open("coulomb", 12);
  const int nv = r.w.model->nv, count = r.steps * r.w.model->nu;
  limpet_rollout_gradient *by_call = limpet_rollout_gradient_create(r.w.model, r.steps, 0);
  limpet_rollout_gradient_request request = request_of(&r);
  request.weight_q = request.weight_v = request.weight_control = NULL;
  request.loss = end_speed, request.context = &r;
  limpet_data_state_write(r.w.model, r.w.data, r.start);
  assert_true(limpet_rollout_gradient_compute(by_call, r.w.model, r.w.data, &request));

  // the same as weights
  memset(r.weight_q, 0, (size_t)((r.steps + 1) * nv) * sizeof(double));
  memset(r.weight_v, 0, (size_t)((r.steps + 1) * nv) * sizeof(double));
  memset(r.weight_control, 0, (size_t)count * sizeof(double));
  for (int i = 0; i < nv; ++i) r.weight_v[r.steps * nv + i] = 2.0 * r.w.data->v[i];
  limpet_rollout_gradient *by_weight = adjoint_of(&r, 0);
  assert_memory_equal(by_call->by_control, by_weight->by_control, (size_t)count * sizeof(double));
  limpet_rollout_gradient_destroy(by_call);
  limpet_rollout_gradient_destroy(by_weight);
  rollout_close(&r);
}

// Without derivatives (scheme impulse) the step and the reason are told.
static void says_where_there_is_none(void **state) {
  (void)state;
  rollout r = arm_open("coulomb", 5);
  limpet_step_settings_scheme(&r.w.settings, limpet_scheme_find("impulse"));
  const limpet_rollout_gradient_request request = request_of(&r);
  limpet_rollout_gradient *g = limpet_rollout_gradient_create(r.w.model, r.steps, 0);
  assert_false(limpet_rollout_gradient_compute(g, r.w.model, r.w.data, &request));
  assert_non_null(g->reason);
  assert_int_equal(g->step, r.steps - 1);
  limpet_rollout_gradient_destroy(g);
  rollout_close(&r);
}

typedef struct asked {
  int calls, end;  // `end`: the call that ends it; 0: none does
} asked;

static bool go_on(void *context) {
  asked *a = context;
  return ++a->calls != a->end;
}

/* It is asked before each step of both passes, those made again included, and ends where it says
 * so; what follows is as if nothing was. */
static void ends_where_it_is_told(void **state) {
  (void)state;
  enum { STEPS = 6, INTERVAL = 3 };
  rollout r = arm_open("coulomb", STEPS);
  limpet_rollout_gradient *whole = adjoint_of(&r, INTERVAL);
  limpet_rollout_gradient *g = limpet_rollout_gradient_create(r.w.model, STEPS, INTERVAL);
  limpet_rollout_gradient_request request = request_of(&r);
  for (int end = 1; end <= whole->steps_made + 1; ++end) {
    asked a = {.end = end};
    request.go_on = go_on, request.context = &a;
    limpet_data_state_write(r.w.model, r.w.data, r.start);
    const bool done = limpet_rollout_gradient_compute(g, r.w.model, r.w.data, &request);
    assert_int_equal(done, end > whole->steps_made);
    if (done) break;
    assert_string_equal(g->reason, "stopped");
    assert_int_equal(a.calls, end);
    assert_int_equal(g->steps_made, end - 1);
  }
  const size_t size = STEPS * (size_t)r.w.model->nu * sizeof(double);
  assert_memory_equal(g->by_control, whole->by_control, size);
  limpet_rollout_gradient_destroy(g);
  limpet_rollout_gradient_destroy(whole);
  rollout_close(&r);
}

// Controls that act through an activation, in later steps, have no derivative; others do.
static void activations_have_none(void **state) {
  (void)state;
  enum { STEPS = 20, NU = 4 };
  gradient_world w = gradient_world_open(
      mjcf_load("<mujoco><worldbody><body><joint name='j' axis='0 1 0'/><geom type='capsule' "
                "size='.02' fromto='0 0 0 .3 0 0'/></body></worldbody><actuator><motor joint='j'/>"
                "<general joint='j' dyntype='filter' dynprm='.02' gainprm='3'/><intvelocity "
                "joint='j' kp='20' actrange='-1 1'/><muscle joint='j' lengthrange='-1 1' "
                "force='20'/></actuator></mujoco>"),
      "discrete", "coulomb", 2e-3);
  double weight[STEPS + 1] = {[STEPS] = 1.0};
  limpet_rollout_gradient *g = limpet_rollout_gradient_create(w.model, STEPS, 0);
  const limpet_rollout_gradient_request request = {
      .settings = &w.settings, .step_count = STEPS, .weight_q = weight};
  assert_true(limpet_rollout_gradient_compute(g, w.model, w.data, &request));
  for (int k = 0; k < STEPS; ++k) {
    assert_true(g->by_control[NU * k] > 0.0);
    for (int i = 1; i < NU; ++i) assert_true(isnan(g->by_control[NU * k + i]));
  }
  assert_true(isfinite(g->by_q[0]) && isfinite(g->by_v[0]));
  limpet_rollout_gradient_destroy(g);
  gradient_world_close(&w);
}

// ------------------------------------------------------------------------------- Panda's grasp

static const double grip_distance = 0.1029;  // [m]  from the hand's origin along its axis
static const double half_cube = 0.025;       // [m]

static limpet_model *panda_with_cube(void) {
  limpet_error error;
  limpet_builder *builder = limpet_builder_create();
  if (limpet_mjcf_read(builder, shared_path("models/menagerie/franka_emika_panda/panda.xml"), NULL,
                       &error))
    fail_msg("%s", error.message);
  limpet_builder_remove_keyframes(builder);
  limpet_body_description body = limpet_body_description_default();
  limpet_joint_description joint = limpet_joint_description_default();
  joint.kind = LIMPET_JOINT_FREE;
  joint.body = limpet_builder_add_body(builder, &body);
  limpet_builder_add_joint(builder, &joint);
  limpet_geom_description geom = limpet_geom_description_default();
  geom.body = joint.body, geom.kind = LIMPET_SHAPE_BOX, geom.mass = 0.2;
  limpet_vec3_set(geom.size, half_cube, half_cube, half_cube);
  limpet_builder_add_geom(builder, &geom);
  limpet_model *model = limpet_builder_compile(builder, &error);
  if (!model) fail_msg("%s", error.message);
  limpet_builder_destroy(builder);
  return model;
}

// The Panda holds a cube of 50 mm; fingers closed by their servo, the arm by its own.
static void panda_start(gradient_world *w) {
  static const double pose[7] = {0.0, 0.3, 0.0, -2.1, 0.0, 2.4, -0.7853};  // [rad]
  const limpet_model *model = w->model;
  limpet_data *data = w->data;
  const int hand = limpet_model_find(model, LIMPET_OBJECT_BODY, "hand"), cube = model->nq - 7;
  memcpy(data->q, pose, sizeof pose);
  memcpy(data->control, pose, sizeof pose);
  data->q[7] = data->q[8] = half_cube + 0.001;
  limpet_kinematics(model, data);
  const double *R = data->body_rotation + 9 * hand, *p = data->body_position + 3 * hand;
  for (int i = 0; i < 3; ++i) data->q[cube + i] = p[i] + grip_distance * R[3 * i + 2];
  memcpy(data->q + cube + 3, data->body_quaternion + 4 * hand, 4 * sizeof(double));
  for (int k = 0; k < 100; ++k) gradient_world_step(w);
}

static rollout panda_open(const char *contact_model, int steps, double size) {
  gradient_world w = gradient_world_open(panda_with_cube(), "discrete", contact_model, 0.002);
  w.settings.tolerance = 1e-12;
  panda_start(&w);
  assert_true(w.data->info.touching_count > 0);
  return rollout_open(w, steps, size);
}

// With a model whose contacts carry nothing, and with one whose bristles hold the cube.
static void panda_holds_a_cube_for_1000_steps(void **state) {
  (void)state;
  if (!shared_exists("models/menagerie/franka_emika_panda/panda.xml")) skip();
  rollout r = panda_open("similar", test_effort(1000, 150), 0.0);
  equals_product(&r, 0);
  rollout_close(&r);
  r = panda_open("coulomb", test_effort(300, 50), 0.0);
  agrees_with_differences(&r, 1e-5);
  assert_true(r.w.data->info.touching_count > 0);  // it holds the cube still
  rollout_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equals_product_of_jacobians),
      cmocka_unit_test(checkpoints_do_not_matter),
      cmocka_unit_test(equals_differences_of_rollouts),
      cmocka_unit_test(callbacks_add_to_weights),
      cmocka_unit_test(says_where_there_is_none),
      cmocka_unit_test(ends_where_it_is_told),
      cmocka_unit_test(activations_have_none),
      cmocka_unit_test(panda_holds_a_cube_for_1000_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* tests/gradient/test_loop_change.c: columns of pose and velocity of mechanisms with loops in
 * closed form against differences of whole assemblies: connect, weld and distance; near-rigid, with
 * an impedance, as a spring; within a tree, between trees, to the world; closed and up to 3 mm or
 * 0.05 rad open; in all compliant models and with a floor beneath. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/constraint.h"
#include "limpet/format.h"
#include "limpet/gradient.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "mjcf_text.h"
#include "random_models.h"
#include "step_differences.h"

enum { DRAWS = 60, ROBOT_STATES = 4, RUN = 60 };

// [-]  of the largest entry: what differences of fourth order leave, of assemblies or of steps
static const double tolerance = 2e-8;
/* [-]  of the sum of the terms of a product. Near-rigid rows of light links leave of products what
 * differences leave of columns here: 1e-16 of the momentum that a row would make, of which all but
 * 1e-9 is taken back. */
static const double same = 5e-8;
static const char *const laws[] = {"coulomb", "lagged", "similar", "sap"};

static unsigned long seed = 3;

// Two branches of an arm, a free box and a free pair of links; sites where loops may end.
static const char world[] =
    "<mujoco><option timestep='0.004'/><worldbody><geom type='plane' size='5 5 .1'/>"
    "<body name='a' pos='0 0 .6'><joint axis='0 1 0'/><geom size='.03' mass='1' pos='.1 0 0'/>"
    "<body name='a1' pos='.2 0 0'><joint axis='0 1 .2' damping='.1'/><geom size='.03' mass='.5' "
    "pos='.1 .02 0'/><site name='s0' pos='.2 0 0'/></body>"
    "<body name='a2' pos='0 .1 .1'><joint type='ball'/><geom size='.03' mass='.7' pos='.1 0 .03'/>"
    "<body name='a3' pos='.1 0 0'><joint type='slide' axis='1 .3 0'/><geom type='box' size='.02 "
    ".03 "
    ".05' mass='.4'/><site name='s1' pos='.1 -.1 -.1'/></body></body></body>"
    "<body name='b' pos='.5 .1 .058'><freejoint/><geom type='box' size='.1 .08 .06' mass='1'/>"
    "<site name='s2' pos='.02 .05 .06'/></body>"
    "<body name='c' pos='-.5 0 .05'><freejoint/><geom type='box' size='.05 .05 .051' mass='2'/>"
    "<body name='c1' pos='.06 0 0'><joint axis='0 1 0' springref='.2' stiffness='1'/><geom "
    "size='.03' mass='.2' pos='.1 0 .1'/><site name='s3' pos='.1 0 .15'/></body>"
    "<body name='c2' pos='-.06 0 0'><joint axis='0 1 1'/><geom size='.03' mass='.2' pos='-.1 0 "
    ".1'/>"
    "<site name='s4' pos='.1 0 .15'/></body></body>"
    "<site name='s5' pos='.1 .1 .7'/></worldbody><equality>%s</equality></mujoco>";

static const char *const joined[][2] = {{"s0", "s1"}, {"s3", "s4"}, {"s0", "s5"}, {"s1", "s2"},
                                        {"s2", "s3"}, {"s5", "s1"}, {"s2", "s5"}, {"s0", "s4"}};
enum { JOINED = sizeof joined / sizeof joined[0] };

typedef struct totals {
  int columns, flagged, wrong, by_differences, by_steps;
  double worst, products_off;
} totals;

static double largest(const double *x, size_t count) {
  double most = 1e-9;
  for (size_t i = 0; i < count; ++i) most = fmax(most, fabs(x[i]));
  return most;
}

/* The largest error of a column against differences of fourth order of whole steps, at the best of
 * some widths: they have less round-off than differences of assemblies. */
static double error_by_steps(step_differences *s, step_move *move, int column, const double *own,
                             double scale) {
  const int nv = s->model->nv;
  double *narrow = calloc((size_t)nv, sizeof *narrow), best = INFINITY;
  for (double width = 1e-4; width > 1e-10; width *= 0.3) {
    double worst = 0.0;
    step_differences_between(s, move, column, -width, width);
    memcpy(narrow, s->dv, (size_t)nv * sizeof *narrow);
    step_differences_between(s, move, column, -2.0 * width, 2.0 * width);
    for (int i = 0; i < nv; ++i)
      worst = fmax(worst, fabs((4.0 * narrow[i] - s->dv[i]) / 3.0 - own[i * nv + column]));
    best = fmin(best, worst / scale);
  }
  free(narrow);
  return best;
}

static void compare(step_differences *s, step_move *move, const double *closed, const double *other,
                    const double *kink_closed, const double *kink_other, totals *sum) {
  const int nv = s->model->nv;
  const double scale = largest(other, (size_t)(nv * nv));
  for (int j = 0; j < nv; ++j) {
    ++sum->columns;
    if (kink_closed[j] > 0.0 || kink_other[j] > 0.0) {
      ++sum->flagged;
      continue;
    }
    double error = 0.0;
    for (int i = 0; i < nv; ++i)
      error = fmax(error, fabs(closed[i * nv + j] - other[i * nv + j]) / scale);
    if (error > tolerance) {
      const double by_steps = error_by_steps(s, move, j, closed, scale);
      ++sum->by_steps;
      if (by_steps > tolerance)
        printf("  column %d: off by %.2g, from differences of steps by %.2g\n", j, error, by_steps);
      error = by_steps;
    }
    sum->worst = fmax(sum->worst, error);
    sum->wrong += !(error <= tolerance);
  }
}

/* The largest difference of products with weights from those with the dense Jacobians, over the sum
 * of their terms. The state of `data` is that of the start. */
static double products_off(const limpet_model *model, limpet_data *data,
                           const limpet_step_settings *settings, const limpet_gradient *dense) {
  const int nv = model->nv;
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  limpet_gradient *g = limpet_gradient_create(model);
  double *weight = calloc(2 * (size_t)nv, sizeof *weight), worst = 0.0;
  unsigned long weights = 5;
  random_vector(&weights, weight, 2 * nv, 1.0);
  wanted.contacts = wanted.inputs = wanted.jacobians = false;
  limpet_gradient_step(model, data, settings, &wanted, g);
  assert_true(!g->reason && limpet_gradient_adjoint(g, weight, weight + nv));
  for (int group = 0; group < 2; ++group) {
    const double *dq = group ? dense->dq.v : dense->dq.q, *dv = group ? dense->dv.v : dense->dv.q,
                 *product = group ? g->adjoint.v : g->adjoint.q;
    double most = 0.0, off = 0.0;
    for (int j = 0; j < nv; ++j) {
      double sum = 0.0, size = 0.0;
      for (int i = 0; i < nv; ++i) {
        const double q = weight[i] * dq[i * nv + j], v = weight[nv + i] * dv[i * nv + j];
        sum += q + v, size += fabs(q) + fabs(v);
      }
      off = fmax(off, fabs(sum - product[j])), most = fmax(most, size);
    }
    worst = fmax(worst, off / most);
  }
  free(weight);
  limpet_gradient_destroy(g);
  return worst;
}

// Both derivatives of a step from the state of `data`, which stays there.
static void compare_state(const limpet_model *model, limpet_data *data,
                          const limpet_step_settings *settings, totals *sum) {
  const size_t size = (size_t)limpet_data_state_size(model);
  double *state = calloc(size + 1, sizeof *state);
  limpet_gradient *g[2];
  limpet_data_state_read(model, data, state);
  for (int k = 0; k < 2; ++k) {
    limpet_gradient_settings wanted = limpet_gradient_settings_default();
    wanted.contacts = wanted.inputs = false;
    wanted.differences = k == 1;
    g[k] = limpet_gradient_create(model);
    limpet_data_state_write(model, data, state);
    limpet_gradient_step(model, data, settings, &wanted, g[k]);
  }
  limpet_data_state_write(model, data, state);
  if (!g[0]->reason && !g[1]->reason) {
    for (int d = 0; d < model->nv; ++d) sum->by_differences += g[0]->by_differences[d];
    step_differences s;
    step_differences_open(&s, model, data, settings);
    compare(&s, step_move_q, g[0]->dv.q, g[1]->dv.q, g[0]->kink.q, g[1]->kink.q, sum);
    compare(&s, step_move_v, g[0]->dv.v, g[1]->dv.v, g[0]->kink.v, g[1]->kink.v, sum);
    step_differences_close(&s);
    limpet_data_state_write(model, data, state);
    sum->products_off = fmax(sum->products_off, products_off(model, data, settings, g[0]));
    limpet_data_state_write(model, data, state);
  }
  for (int k = 0; k < 2; ++k) limpet_gradient_destroy(g[k]);
  free(state);
}

// A word of XML for a loop of a kind; distance is made of a connect.
static int write_loop(char *to, size_t room, int kind, int at) {
  char more[64] = "";
  if (random_uniform(&seed, 0, 1) < 0.3) snprintf(more, sizeof more, " solref='0.03 0.8'");
  if (kind == LIMPET_LOOP_WELD && random_uniform(&seed, 0, 1) < 0.4)
    snprintf(more + strlen(more), sizeof more - strlen(more), " torquescale='%.2f'",
             random_uniform(&seed, 0, 1.5));
  return snprintf(to, room, "<%s site1='%s' site2='%s'%s/>",
                  kind == LIMPET_LOOP_WELD ? "weld" : "connect", joined[at][0], joined[at][1],
                  more);
}

// Both frames of a loop meet but for a small gap, where the bodies are.
static void close_loop(limpet_model *model, const limpet_data *data, int loop) {
  double place[2][3], R[9], Q[4], gap[3], turn[3], arm[3], inverse[4];
  const int *body = model->loop_body + 2 * loop;
  limpet_mat3_mul_vec(place[0], data->body_rotation + 9 * body[0], model->loop_position + 6 * loop);
  limpet_vec3_add(place[0], place[0], data->body_position + 3 * body[0]);
  random_vector(&seed, gap, 3, exp(random_uniform(&seed, log(1e-6), log(3e-3))));
  random_vector(&seed, turn, 3, exp(random_uniform(&seed, log(1e-5), log(5e-2))));
  limpet_vec3_add(arm, place[0], gap);
  limpet_vec3_sub(arm, arm, data->body_position + 3 * body[1]);
  limpet_mat3_copy(R, data->body_rotation + 9 * body[1]);
  if (model->loop_kind[loop] == LIMPET_LOOP_DISTANCE) return;
  limpet_mat3_tmul_vec(model->loop_position + 6 * loop + 3, R, arm);
  // Q = R_B^-1 exp(turn) R_A F_A
  double of_a[4], left[4];
  limpet_quaternion_exp(Q, turn);
  limpet_quaternion_mul(of_a, data->body_quaternion + 4 * body[0],
                        model->loop_quaternion + 8 * loop);
  limpet_quaternion_mul(left, Q, of_a);
  limpet_quaternion_conjugate(inverse, data->body_quaternion + 4 * body[1]);
  limpet_quaternion_mul(model->loop_quaternion + 8 * loop + 4, inverse, left);
}

static void draw(totals *sum) {
  char text[4096], loops[512] = "";
  const int count = 1 + (int)random_uniform(&seed, 0, 2.5);
  int kinds[3];
  for (int i = 0; i < count; ++i) {
    kinds[i] = (int)random_uniform(&seed, 0, 3 - 1e-9);
    write_loop(loops + strlen(loops), sizeof loops - strlen(loops),
               kinds[i] == 2   ? LIMPET_LOOP_DISTANCE
               : kinds[i] == 1 ? LIMPET_LOOP_WELD
                               : LIMPET_LOOP_CONNECT,
               (int)random_uniform(&seed, 0, JOINED - 1e-9));
  }
  snprintf(text, sizeof text, world, loops);
  limpet_model *model = mjcf_load(text);
  limpet_data *data = limpet_data_create(model);
  double *shift = calloc((size_t)model->nv, sizeof *shift);
  random_vector(&seed, shift, model->nv, 0.02);
  limpet_integrate_position(model, data->q, data->q, shift, 1.0, false);
  random_vector(&seed, data->v, model->nv, 0.5);
  limpet_kinematics(model, data);
  for (int i = 0; i < count; ++i) {
    if (kinds[i] == 2) {
      model->loop_kind[i] = LIMPET_LOOP_DISTANCE;
      model->loop_length[i] = limpet_loop_gap(model, data, i) + random_uniform(&seed, -1e-3, 1e-3);
      const bool spring = random_uniform(&seed, 0, 1) < 0.5;
      model->loop_stiffness[i] = spring ? 200.0 : INFINITY;
      model->loop_damping[i] = spring ? 3.0 : 0.0;
    }
    close_loop(model, data, i);
  }
  limpet_step_settings settings = limpet_step_settings_default(model);
  limpet_step_settings_contact_model(
      &settings, limpet_contact_model_find(laws[(int)random_uniform(&seed, 0, 4 - 1e-9)]));
  settings.tolerance = 1e-13, settings.iteration_limit = 300;
  settings.compatibility.plain_flight = random_uniform(&seed, 0, 1) < 0.5;
  compare_state(model, data, &settings, sum);
  // once more where the loop has acted, and contacts have memories
  for (int i = 0; i < 5; ++i) limpet_step(model, data, &settings);
  compare_state(model, data, &settings, sum);
  free(shift);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

static void drawn_mechanisms(void **unused) {
  (void)unused;
  totals sum = {0};
  for (int i = 0; i < DRAWS; ++i) draw(&sum);
  printf(
      "loops: %d columns, %d flagged, %d of velocities by differences, %d decided by "
      "steps, %d wrong, worst %.2g, products %.2g\n",
      sum.columns, sum.flagged, sum.by_differences, sum.by_steps, sum.wrong, sum.worst,
      sum.products_off);
  assert_true(sum.products_off < same);
  assert_true(sum.flagged < sum.columns / 4 && sum.by_differences < sum.columns / 4);
  assert_int_equal(sum.wrong, 0);
}

static void robots_with_loops(void **unused) {
  (void)unused;
  static const char *const robots[] = {"models/menagerie/agility_cassie/scene.xml",
                                       "models/menagerie/robotiq_2f85/scene.xml"};
  for (int r = 0; r < 2; ++r) {
    limpet_error error;
    totals sum = {0};
    if (!shared_exists(robots[r])) continue;
    limpet_model *model = limpet_load(shared_path(robots[r]), NULL, &error);
    if (!model) fail_msg("%s", error.message);
    limpet_data *data = limpet_data_create(model);
    limpet_step_settings settings = limpet_step_settings_default(model);
    settings.tolerance = 1e-13, settings.iteration_limit = 300;
    if (model->keyframe_count > 0) limpet_data_reset_keyframe(model, data, 0);
    random_vector(&seed, data->v, model->nv, 0.1);
    for (int k = 0; k < ROBOT_STATES; ++k) {
      for (int i = 0; i < RUN; ++i) limpet_step(model, data, &settings);
      for (int i = 0; i < model->nu; ++i) data->control[i] += random_uniform(&seed, -0.05, 0.05);
      compare_state(model, data, &settings, &sum);
    }
    printf(
        "%s: %d columns, %d flagged, %d of velocities by differences, %d decided by "
        "steps, %d wrong, worst %.2g, products %.2g\n",
        robots[r], sum.columns, sum.flagged, sum.by_differences, sum.by_steps, sum.wrong, sum.worst,
        sum.products_off);
    assert_true(sum.products_off < same);
    assert_int_equal(sum.wrong, 0);
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
}

static const char flying[] =
    "<mujoco><option timestep='.001' gravity='0 0 0'/><worldbody>"
    "<body name='a'><freejoint/><inertial pos='.01 0 .02' mass='1' diaginertia='.001 .003 .0035'/>"
    "</body><body name='b' pos='.1 .05 -.03' euler='20 30 40'><freejoint/>"
    "<inertial pos='0 .01 0' mass='.6' diaginertia='.002 .0007 .0015'/></body>"
    "<body pos='1 0 0'><joint axis='0 1 0'/><geom size='.05' mass='2' pos='.1 0 0'/>"
    "<body name='d' pos='.2 0 0'><joint type='ball'/><geom size='.05' mass='1' pos='0 .1 0'/>"
    "</body></body></worldbody><equality>%s</equality></mujoco>";

/* Rows of loops know where bodies alone fly, from their state and its last change: derivatives, by
 * differences, are those of steps. Where the problem was posed anew for what such a body missed,
 * they are approximate, and say so. */
static void bodies_alone_in_loops(void **unused) {
  (void)unused;
  static const char *const loops[] = {
      "<weld body1='a' body2='b'/>", "<connect body1='a' body2='b' anchor='.05 0 0'/>",
      "<weld body1='d' body2='b'/>", "<connect body1='a' anchor='.1 .1 0'/>"};
  for (int k = 0; k < 4; ++k)
    for (int fast = 0; fast < 2; ++fast) {
      char text[2048];
      snprintf(text, sizeof text, flying, loops[k]);
      limpet_model *model = mjcf_load(text);
      limpet_data *data = limpet_data_create(model);
      limpet_step_settings settings = limpet_step_settings_default(model);
      settings.tolerance = 1e-13, settings.iteration_limit = 300;
      random_vector(&seed, data->v, model->nv, fast ? 150.0 : 6.0);
      for (int i = 0; i < 8 && !fast; ++i) limpet_step(model, data, &settings);
      limpet_gradient *g = limpet_gradient_create(model);
      limpet_data *from = limpet_data_create(model);
      limpet_data_state_copy(data, from);
      const limpet_gradient_settings wanted = limpet_gradient_settings_default();
      limpet_gradient_step(model, data, &settings, &wanted, g);
      assert_null(g->reason);
      assert_int_equal(g->approximate, data->info.repeats > 0);
      assert_int_equal(fast, data->info.repeats > 0);
      step_differences s;
      step_differences_open(&s, model, from, &settings);
      const bool agrees = step_differences_agree(&s, "q", step_move_q, model->nv, g->dq.q, g->dv.q,
                                                 g->kink.q, 1e-6, 1e-6) &&
                          step_differences_agree(&s, "v", step_move_v, model->nv, g->dq.v, g->dv.v,
                                                 g->kink.v, 1e-4, 1e-6);
      if (!fast) assert_true(agrees);
      const double products = products_off(model, from, &settings, g);
      printf("products %.2g\n", products);
      assert_true(fast || products < same);
      step_differences_close(&s);
      limpet_gradient_destroy(g);
      limpet_data_destroy(from), limpet_data_destroy(data);
      limpet_model_destroy(model);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(drawn_mechanisms),
                                     cmocka_unit_test(bodies_alone_in_loops),
                                     cmocka_unit_test(robots_with_loops)};
  return cmocka_run_group_tests_name("loop_change", tests, NULL, NULL);
}

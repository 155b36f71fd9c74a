/* tests/gradient/test_rollout_products.c: the adjoint of a rollout through deformable bodies and
 * contact surfaces against a change of its start and its controls that is carried forwards, step
 * after step, by the Jacobian of each. Both ways take the same derivatives: they agree to
 * round-off, 1e-10 of the sum of the sizes of all terms. Random scenes and weights. */
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
#include "limpet/rollout_gradient.h"
#include "mjcf_text.h"
#include "mjcf_world.h"
#include "random_models.h"

enum { STEPS = 6 };

static const double agree = 1e-10;  // [-]  of the sum of the sizes of all terms

static unsigned long seed = 5;

// What moves: pose, velocity, vertices and their velocities, one after the other.
typedef struct state_size {
  int nv, V, all;
} state_size;

static limpet_gradient_vector vector_of(const state_size *n, double *x) {
  return (limpet_gradient_vector){.q = x,
                                  .v = x + n->nv,
                                  .vertex_position = n->V > 0 ? x + 2 * n->nv : NULL,
                                  .vertex_velocity = n->V > 0 ? x + 2 * n->nv + n->V : NULL};
}

// to (nv) += M (nv x count) x
static void add_product(int nv, int count, const double *M, const double *x, double *to) {
  for (int i = 0; i < nv; ++i)
    for (int j = 0; j < count; ++j) to[i] += M[i * count + j] * x[j];
}

// x (all) becomes the change at the end of the step, u that of the control.
static void carry(const limpet_model *model, limpet_gradient *g, const state_size *n,
                  const double *u, double *x) {
  double *moved = zero_array((size_t)n->all + 1);
  if (n->V > 0) {
    limpet_gradient_vector from = vector_of(n, x), to = vector_of(n, moved);
    from.control = (double *)u;
    assert_true(limpet_gradient_forward(g, &from, &to));
  } else {
    const limpet_gradient_arrays *half[2] = {&g->dq, &g->dv};
    for (int k = 0; k < 2; ++k) {
      add_product(n->nv, n->nv, half[k]->q, x, moved + k * n->nv);
      add_product(n->nv, n->nv, half[k]->v, x + n->nv, moved + k * n->nv);
      add_product(n->nv, model->nu, half[k]->control, u, moved + k * n->nv);
    }
  }
  memcpy(x, moved, (size_t)n->all * sizeof *x);
  free(moved);
}

static double dot(int count, const double *a, const double *b, double *size) {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += a[i] * b[i], *size += fabs(a[i] * b[i]);
  return sum;
}

/* weight.x of all states, x carried from the start: the sum, and the sizes of its terms. False: a
 * step had no derivatives. */
static bool forwards(mjcf_world *w, const state_size *n, const double *control, const double *du,
                     const double *weight, double *x, double sum[2]) {
  const limpet_model *model = w->model;
  const size_t nu = (size_t)model->nu;
  limpet_gradient *g = limpet_gradient_create(model);
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  wanted.contacts = false;
  sum[1] = 0.0;
  sum[0] = dot(n->all, weight, x, &sum[1]);
  bool done = true;
  for (int k = 0; k < STEPS && done; ++k) {
    memcpy(w->data->control, control + (size_t)k * nu, nu * sizeof(double));
    limpet_gradient_step(model, w->data, &w->settings, &wanted, g);
    done = !g->reason;
    if (done) carry(model, g, n, du + (size_t)k * nu, x);
    sum[0] += dot(n->all, weight + (k + 1) * n->all, x, &sum[1]);
  }
  limpet_gradient_destroy(g);
  return done;
}

// Columns `from` to from + count of the weights of all states.
static double *part(const state_size *n, const double *weight, int from, int count) {
  double *to = zero_array((size_t)(STEPS + 1) * (size_t)count + 1);
  for (int k = 0; k <= STEPS; ++k)
    memcpy(to + k * count, weight + k * n->all + from, (size_t)count * sizeof *to);
  return to;
}

// The same by the adjoint. False: as above, or steps leave more than their state to each other.
static bool backwards(mjcf_world *w, const state_size *n, double *control, const double *du,
                      const double *weight, const double *x, double *sum) {
  const limpet_model *model = w->model;
  double *of[4];
  for (int k = 0, at = 0; k < 4; ++k) {
    const int count = k < 2 ? n->nv : n->V;
    of[k] = part(n, weight, at, count);
    at += count;
  }
  limpet_rollout_gradient *g =
      limpet_rollout_gradient_create(model, STEPS, (int)random_uniform(&seed, 0.0, 8.0));
  const limpet_rollout_gradient_request request = {.settings = &w->settings,
                                                   .step_count = STEPS,
                                                   .control = control,
                                                   .weight_q = of[0],
                                                   .weight_v = of[1],
                                                   .weight_vertex_position = of[2],
                                                   .weight_vertex_velocity = of[3]};
  const bool done = limpet_rollout_gradient_compute(g, model, w->data, &request);
  double size = 0.0;
  if (done) {
    *sum = dot(n->nv, g->by_q, x, &size) + dot(n->nv, g->by_v, x + n->nv, &size) +
           dot(STEPS * model->nu, g->by_control, du, &size);
    if (n->V > 0)
      *sum += dot(n->V, g->by_start.vertex_position, x + 2 * n->nv, &size) +
              dot(n->V, g->by_start.vertex_velocity, x + 2 * n->nv + n->V, &size);
  }
  limpet_rollout_gradient_destroy(g);
  for (int k = 0; k < 4; ++k) free(of[k]);
  return done;
}

// Whether the rollout from the present state of the world has derivatives, which agree then.
static bool check(const char *what, mjcf_world *w) {
  const limpet_model *model = w->model;
  const int V = 3 * model->vertex_count;
  const state_size n = {model->nv, V, 2 * model->nv + 2 * V};
  const size_t inputs = STEPS * (size_t)model->nu;
  double *weight = random_array((STEPS + 1) * (size_t)n.all, 1.0, &seed),
         *x = random_array((size_t)n.all, 1.0, &seed), *moved = zero_array((size_t)n.all),
         *control = random_array(inputs + 1, 0.5, &seed),
         *du = random_array(inputs + 1, 1.0, &seed), ahead[2], back = 0.0;
  memcpy(moved, x, (size_t)n.all * sizeof *x);
  limpet_data *start = limpet_data_create(model);
  limpet_data_state_copy(w->data, start);
  const bool done = forwards(w, &n, control, du, weight, moved, ahead);
  limpet_data_state_copy(start, w->data);
  if (done) {
    assert_true(backwards(w, &n, control, du, weight, x, &back));
    if (!(fabs(back - ahead[0]) <= agree * ahead[1]))
      fail_msg("%s: backwards %.12g, forwards %.12g, off by %.2g of all terms", what, back,
               ahead[0], fabs(back - ahead[0]) / ahead[1]);
  }
  limpet_data_destroy(start);
  free(weight), free(x), free(moved), free(control), free(du);
  return done;
}

static const char *const soft_worlds[] = {
    // a finger on a driven arm
    MODEL("<worldbody><body pos='0 0 1'><joint name='j' axis='0 1 0' damping='.05'/>"
          "<geom type='capsule' fromto='0 0 0 .2 0 0' size='.02' contype='0' conaffinity='0'/>"
          "<limpet:deformable name='a' type='box' size='.05 .015 .01' cells='3 1 1' pos='.25 0 0' "
          "%s><limpet:tie box='-.051 -1 -1 -.049 1 1'/></limpet:deformable></body></worldbody>"
          "<actuator><motor joint='j'/></actuator>"),
    // a driven plate that presses a block
    MODEL("<worldbody><body pos='0 0 .055'><joint name='z' type='slide' axis='0 0 1' damping='1'/>"
          "<joint name='x' type='slide' axis='1 0 0' damping='1'/>"
          "<geom type='box' size='.02 .04 .015' euler='5 8 3' mass='.1'/></body>"
          "<limpet:deformable name='a' type='box' size='.05 .03 .02' cells='3 2 1' pos='0 0 .02' "
          "friction='.5' %s><limpet:tie body='world' box='-1 -1 -.021 1 1 -.019'/>"
          "</limpet:deformable></worldbody><actuator><motor joint='x'/></actuator>"),
    // a shell on the floor
    MODEL("<worldbody><geom type='plane' size='1 1 .1'/><limpet:deformable name='a' type='box' "
          "size='.05 .03 .02' cells='2 1 1' shell='true' thickness='.002' pos='0 0 .0199' "
          "friction='.5' %s/></worldbody>")};
enum { SOFT_WORLDS = sizeof soft_worlds / sizeof soft_worlds[0] };

static void through_deformable_bodies(void **state) {
  (void)state;
  static const char *const laws[] = {"linear-corotated", "corotated", "linear"};
  static const char *const models[] = {"sap", "coulomb", "lagged", "similar"};
  int done = 0;
  const int draws = test_effort(6, 3);
  for (int k = 0; k < draws; ++k) {
    const int world = k % SOFT_WORLDS;
    const char *law = world == 2 ? laws[0] : laws[k / SOFT_WORLDS % 3];
    char text[2048], body[256];
    snprintf(body, sizeof body,
             "law='%s' young='%.17g' poisson='%.17g' density='%.17g' "
             "damping='%.17g'",
             law, random_log(&seed, 1e4, 1e6), random_uniform(&seed, 0.0, 0.45),
             random_uniform(&seed, 500.0, 2000.0), random_log(&seed, 1e-3, 1e-2));
    snprintf(text, sizeof text, soft_worlds[world], body);
    mjcf_world w = mjcf_world_of(text, models[k % 4]);
    w.settings.time_step = random_log(&seed, 1e-3, 4e-3);
    w.settings.tolerance = 1e-10, w.settings.iteration_limit = 300;
    for (int i = 0; i < 3 * w.model->vertex_count; ++i)
      w.data->vertex_velocity[i] = random_uniform(&seed, -0.01, 0.01);
    for (int i = 0; i < 10; ++i) limpet_step(w.model, w.data, &w.settings);
    done += check(law, &w);
    mjcf_world_destroy(&w);
  }
  assert_true(2 * done >= draws);
}

// A rod on a slide and a hinge presses a soft pad: nothing flies.
static const char *const pad = MODEL(
    "<worldbody><geom type='box' size='.1 .1 .05' pos='0 0 -.05' "
    "limpet:elastic_modulus='%.17g' friction='%.17g'/>"
    "<body pos='0 0 %.17g'><joint name='z' type='slide' axis='0 0 1' damping='5'/>"
    "<joint name='x' type='slide' axis='1 0 0' damping='2'/><joint name='t' axis='0 1 0' "
    "damping='.02'/><geom type='%s' size='.03 .04 .03' mass='.4'/></body></worldbody>"
    "<actuator><motor joint='x'/><motor joint='t' gear='.05'/></actuator>");

static void through_contact_surfaces(void **state) {
  (void)state;
  static const char *const shapes[] = {"box", "capsule", "sphere", "cylinder", "ellipsoid"};
  static const char *const models[] = {"sap", "lagged", "similar", "coulomb"};
  static const double reach[] = {0.03, 0.07, 0.03, 0.04, 0.03};
  int done = 0, surfaces = 0;
  const int draws = test_effort(5, 3);
  for (int k = 0; k < draws; ++k) {
    char text[2048];
    const double depth = random_uniform(&seed, 1e-4, 2e-3);
    snprintf(text, sizeof text, pad, random_log(&seed, 1e5, 1e7), random_uniform(&seed, 0.1, 1.0),
             reach[k % 5] - depth, shapes[k % 5]);
    mjcf_world w = mjcf_world_of(text, models[k % 4]);
    w.settings.time_step = random_log(&seed, 5e-4, 4e-3);
    w.settings.tolerance = 1e-11;
    random_vector(&seed, w.data->v, w.model->nv, 0.1);
    done += check(shapes[k % 5], &w);
    surfaces += w.data->surface_count > 0;
    mjcf_world_destroy(&w);
  }
  assert_true(2 * done >= draws && 2 * surfaces >= draws);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(through_deformable_bodies),
                                     cmocka_unit_test(through_contact_surfaces)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

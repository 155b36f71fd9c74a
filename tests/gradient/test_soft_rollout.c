/* tests/gradient/test_soft_rollout.c: the adjoint of rollouts with deformable bodies against
 * differences of whole rollouts; Young's modulus of a cantilever found from the motion of its tip.
 *
 * Differences of fourth order of a sum over the whole rollout: 1e-7 of the parts of the derivative,
 * where no contact opens or closes along the way. */
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
#include "shared_data.h"

static const double place[4] = {-2.0, -1.0, 1.0, 2.0},
                    share[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};

static mjcf_world world_of(const char *format, double young) {
  char text[4096];
  snprintf(text, sizeof text, format, young);
  // what contacts of `coulomb` carry from step to step is held in derivatives
  mjcf_world w = mjcf_world_of(text, "similar");
  w.settings.tolerance = 1e-12;
  return w;
}

// ------------------------------------------------------------------------------------ rollouts

// A finger on a driven arm; a block that is pressed on the floor by its weight.
static const char *const arm = MODEL(
    "<option timestep='0.002'/><worldbody>"
    "<body pos='0 0 1'><joint name='j' type='hinge' axis='0 1 0' damping='.05'/>"
    "<geom type='capsule' fromto='0 0 0 .2 0 0' size='.02' contype='0' conaffinity='0'/>"
    "<limpet:deformable name='a' type='box' size='.05 .015 .01' cells='3 1 1' pos='.25 0 0' "
    "young='%.17g' damping='.002'><limpet:tie box='-.051 -1 -1 -.049 1 1'/>"
    "</limpet:deformable></body></worldbody>"
    "<actuator><motor joint='j'/></actuator>");
static const char *const pressed = MODEL(
    "<option timestep='0.002'/><worldbody><geom type='plane' size='1 1 .1' "
    "limpet:stiffness='2e4' limpet:dissipation='2'/>"
    "<limpet:deformable name='a' type='box' size='.05 .03 .02' cells='2 1 1' "
    "pos='0 0 .0199' friction='.5' young='%.17g' damping='.002'/></worldbody>");

// A tube of a shell with gas on the arm. Its rest, where tensions begin, is a kink: it starts in
// motion.
static const char *const tube = MODEL(
    "<option timestep='0.002'/><worldbody>"
    "<body pos='0 0 1'><joint name='j' type='hinge' axis='0 1 0' damping='.05'/>"
    "<geom type='capsule' fromto='0 0 0 .2 0 0' size='.02' contype='0' conaffinity='0'/>"
    "<limpet:deformable name='a' type='box' size='.05 .015 .01' cells='3 1 1' pos='.25 0 0' "
    "shell='true' thickness='.002' pressure='105000' young='%.17g' damping='.002'>"
    "<limpet:tie box='-.051 -1 -1 -.049 1 1'/></limpet:deformable></body></worldbody>"
    "<actuator><motor joint='j'/></actuator>");

enum { STEPS = 40 };

typedef struct problem {
  const char *text;
  mjcf_world w;
  double *start;  // full state
  double *control, *weight_q, *weight_x, *weight_dx;
  double young;
} problem;

static problem problem_open(const char *text, double young) {
  unsigned long seed = 11;
  problem p = {.text = text, .young = young, .w = world_of(text, young)};
  const limpet_model *model = p.w.model;
  const size_t rows = STEPS + 1, V = 3 * (size_t)model->vertex_count;
  for (size_t i = 0; i < V; ++i) p.w.data->vertex_velocity[i] = random_uniform(&seed, -0.01, 0.01);
  for (int k = 0; k < 5; ++k) limpet_step(model, p.w.data, &p.w.settings);
  p.start = zero_array((size_t)limpet_data_state_size(model));
  limpet_data_state_read(model, p.w.data, p.start);
  p.control = random_array(STEPS * (size_t)model->nu, 0.5, &seed);
  p.weight_q = random_array(rows * (size_t)model->nv, 1.0, &seed);
  p.weight_x = random_array(rows * V, 1.0, &seed), p.weight_dx = random_array(rows * V, 0.1, &seed);
  return p;
}

static void problem_close(problem *p) {
  free(p->start), free(p->control), free(p->weight_q), free(p->weight_x), free(p->weight_dx);
  mjcf_world_destroy(&p->w);
}

static double terms(const problem *p, const limpet_data *data, int step) {
  const limpet_model *model = p->w.model;
  const int V = 3 * model->vertex_count, nv = model->nv;
  double sum = 0.0;
  for (int i = 0; i < nv; ++i) sum += p->weight_q[step * nv + i] * data->q[i];
  for (int i = 0; i < V; ++i)
    sum += p->weight_x[step * V + i] * data->vertex_position[i] +
           p->weight_dx[step * V + i] * data->vertex_velocity[i];
  return sum;
}

// The loss of the rollout of a body of another stiffness from a state moved by s of dx, dv.
static double loss(const problem *p, double young, const double *dx, const double *dv,
                   const double *du, double s) {
  mjcf_world w = world_of(p->text, young);
  const int V = 3 * w.model->vertex_count;
  limpet_data_state_write(w.model, w.data, p->start);
  for (int i = 0; i < V; ++i) {
    w.data->vertex_position[i] += s * dx[i];
    w.data->vertex_velocity[i] += s * dv[i];
  }
  double sum = terms(p, w.data, 0);
  for (int k = 0; k < STEPS; ++k) {
    for (int i = 0; i < w.model->nu; ++i) w.data->control[i] = p->control[k] + s * du[k];
    limpet_step(w.model, w.data, &w.settings);
    sum += terms(p, w.data, k + 1);
  }
  mjcf_world_destroy(&w);
  return sum;
}

// kinks: how many steps may be at one, where a tension begins within 10 nm.
static void check(const char *text, double young, int interval, int kinks) {
  problem p = problem_open(text, young);
  const limpet_model *model = p.w.model;
  const int V = 3 * model->vertex_count;
  unsigned long seed = 3;
  double *dx = random_array((size_t)V, 1e-4, &seed), *dv = random_array((size_t)V, 1e-2, &seed),
         *du = random_array(STEPS, model->nu > 0 ? 0.1 : 0.0, &seed),
         *zero = zero_array((size_t)V + STEPS);
  limpet_rollout_gradient *g = limpet_rollout_gradient_create(model, STEPS, interval);
  const limpet_rollout_gradient_request request = {.settings = &p.w.settings,
                                                   .step_count = STEPS,
                                                   .control = p.control,
                                                   .weight_q = p.weight_q,
                                                   .weight_vertex_position = p.weight_x,
                                                   .weight_vertex_velocity = p.weight_dx};
  assert_true(limpet_rollout_gradient_compute(g, model, p.w.data, &request));
  assert_true(g->kinks <= kinks);
  double own = 0.0, size = 0.0, best = INFINITY, best_young = INFINITY;
  for (int i = 0; i < V; ++i) {
    const double part =
        g->by_start.vertex_position[i] * dx[i] + g->by_start.vertex_velocity[i] * dv[i];
    own += part, size += fabs(part);
  }
  for (int k = 0; k < STEPS * model->nu; ++k) own += g->by_control[k] * du[k];
  const double by_young = young * g->by_start.youngs_modulus[0];
  for (double width = 1e-1; width > 1e-4; width *= 0.1) {
    double slope = 0.0, of_young = 0.0;
    for (int i = 0; i < 4; ++i) {
      slope += share[i] / width * loss(&p, young, dx, dv, du, place[i] * width);
      of_young += share[i] / (0.1 * width) *
                  loss(&p, young * exp(0.1 * place[i] * width), zero, zero, zero, 0.0);
    }
    best = fmin(best, fabs(slope - own) / size);
    best_young = fmin(best_young, fabs(of_young - by_young) / fabs(by_young));
  }
  assert_true(best < (kinks > 0 ? 1e-6 : 1e-7));  // differences cross kinks
  assert_true(best_young < 1e-6);
  limpet_rollout_gradient_destroy(g);
  free(dx), free(dv), free(du), free(zero);
  problem_close(&p);
}

static void adjoints(void **state) {
  (void)state;
  check(arm, 3e5, 0, 0);
  check(arm, 3e5, 7, 0);  // checkpoints
  check(pressed, 5e4, 0, 0);
  check(tube, 1e6, 0, 2);
  check(tube, 1e6, 7, 2);
}

// -------------------------------------------------------------------------------- free fall

// A body that falls: what is at v0 goes dt v0 a step, and stays where it is pulled to.
static void free_fall(void **state) {
  (void)state;
  mjcf_world w = world_of(MODEL("<worldbody><limpet:deformable name='a' type='box' "
                                "size='.05 .03 .02' cells='2 1 1' pos='0 0 1' young='%.17g'/>"
                                "</worldbody>"),
                          1e5);
  const int V = 3 * w.model->vertex_count;
  double *weight = zero_array((STEPS + 1) * (size_t)V);
  const double *mass = limpet_fem_body_node_mass(w.model->deformable_body[0]);
  for (int i = 0; i < V; i += 3) weight[STEPS * V + i + 2] = mass[i / 3];  // height of the centre
  limpet_rollout_gradient *g = limpet_rollout_gradient_create(w.model, STEPS, 0);
  const limpet_rollout_gradient_request request = {
      .settings = &w.settings, .step_count = STEPS, .weight_vertex_position = weight};
  assert_true(limpet_rollout_gradient_compute(g, w.model, w.data, &request));
  double all = 0.0, by_z = 0.0, by_vz = 0.0;
  for (int i = 0; i < V; i += 3) {
    all += mass[i / 3];
    by_z += g->by_start.vertex_position[i + 2], by_vz += g->by_start.vertex_velocity[i + 2];
  }
  assert_true(fabs(by_z - all) < 1e-12 * all);
  assert_true(fabs(by_vz - STEPS * w.settings.time_step * all) < 1e-12 * all);
  assert_true(fabs(g->by_start.youngs_modulus[0]) < 1e-18);
  limpet_rollout_gradient_destroy(g);
  free(weight);
  mjcf_world_destroy(&w);
}

// ------------------------------------------------------------------------------- a cantilever

static const char *const cantilever = MODEL(
    "<option timestep='0.005'/><worldbody>"
    "<limpet:deformable name='a' type='box' size='.1 .01 .01' cells='10 1 1' pos='0 0 1' "
    "element='quadratic' young='%.17g' damping='.001'>"
    "<limpet:tie body='world' box='-.101 -1 -1 -.099 1 1'/></limpet:deformable></worldbody>");
enum { RECORD = 60 };

// The vertex that is farthest out.
static int tip_of(const limpet_model *model) {
  const double *rest = limpet_fem_body_rest(model->deformable_body[0]);
  int tip = 0;
  for (int i = 0; i < model->vertex_count; ++i)
    if (rest[3 * i] > rest[3 * tip]) tip = i;
  return tip;
}

// Heights of the tip (RECORD), and by ln E where it is wanted: changes go forwards with the steps.
static void tip_motion(double young, double *height, double *by_log) {
  mjcf_world w = world_of(cantilever, young);
  const int tip = tip_of(w.model);
  const size_t V = 3 * (size_t)w.model->vertex_count;
  limpet_gradient *gradient = limpet_gradient_create(w.model);
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  wanted.jacobians = wanted.contacts = false;
  double *block = zero_array(4 * V);
  limpet_gradient_vector change = {
      .vertex_position = block, .vertex_velocity = block + V, .youngs_modulus = &young};
  limpet_gradient_vector moved = {.vertex_position = block + 2 * V,
                                  .vertex_velocity = block + 3 * V};
  for (int k = 0; k < RECORD; ++k) {
    if (by_log) {
      limpet_gradient_step(w.model, w.data, &w.settings, &wanted, gradient);
      assert_true(limpet_gradient_forward(gradient, &change, &moved));
      memcpy(block, block + 2 * V, 2 * V * sizeof *block);
      by_log[k] = block[3 * tip + 2];
    } else {
      mjcf_world_step(&w);
    }
    height[k] = w.data->vertex_position[3 * tip + 2];
  }
  free(block);
  limpet_gradient_destroy(gradient);
  mjcf_world_destroy(&w);
}

// Gauss and Newton's method on ln E, from a third of it: back to 1e-9.
static void modulus_of_a_cantilever(void **state) {
  (void)state;
  const double truth = 4.2e6;
  double record[RECORD], height[RECORD], by_log[RECORD];
  double log_young = log(truth / (TEST_WATCHED ? 1.1 : 3.0));
  tip_motion(truth, record, NULL);
  int rounds = 0;
  for (double step = 1.0; fabs(step) > 1e-10 && rounds < 20; ++rounds) {
    double slope = 0.0, curvature = 0.0;
    tip_motion(exp(log_young), height, by_log);
    for (int k = 0; k < RECORD; ++k) {
      slope += (height[k] - record[k]) * by_log[k];
      curvature += by_log[k] * by_log[k];
    }
    step = -slope / curvature;
    step = fmax(-0.7, fmin(0.7, step));
    log_young += step;
  }
  print_message("E = %.9g Pa after %d rounds\n", exp(log_young), rounds);
  assert_true(fabs(exp(log_young) / truth - 1.0) < 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(adjoints), cmocka_unit_test(free_fall),
                                     cmocka_unit_test(modulus_of_a_cantilever)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

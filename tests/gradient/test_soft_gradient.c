/* tests/gradient/test_soft_gradient.c: derivatives of whole steps with deformable bodies: products
 * forwards against differences of steps along random directions, backwards against forwards.
 *
 * Differences of fourth order: f' = [8 (f1 - f-1) - (f2 - f-2)]/(12 E). Round-off of a step,
 * 1e-15 or so of what moves, over the width, and the tolerance of the solver (1e-12) set 1e-7 of
 * the largest entry. */
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
#include "gradient/soft_stiffening.h"
#include "limpet/gradient_deformable.h"
#include "limpet/law.h"
#include "mjcf_text.h"
#include "mjcf_world.h"
#include "shared_data.h"
#include "soft_products.h"
#include "step/prepared.h"

static unsigned long seed = 2024;

static int flagged;  // states at a kink, which differences see otherwise

static double random_number(double size) { return random_uniform(&seed, -size, size); }

// Vertices shaken a little.
static void shake(mjcf_world *w, double speed) {
  for (int i = 0; i < 3 * w->model->vertex_count; ++i)
    w->data->vertex_velocity[i] += random_number(speed);
}

// Numbers of a material.
enum { YOUNG, POISSON, DENSITY, MASS_DAMPING, STIFFNESS_DAMPING, NUMBERS };
typedef struct material {
  const char *law;
  double number[NUMBERS];
} material;

static mjcf_world world_of(const char *world, const material *m, const char *model, double dt) {
  char text[4096], body[1024];
  const double *n = m->number;
  snprintf(body, sizeof body,
           "law='%s' young='%.17g' poisson='%.17g' density='%.17g' mass_damping='%.17g' "
           "damping='%.17g'",
           m->law, n[YOUNG], n[POISSON], n[DENSITY], n[MASS_DAMPING], n[STIFFNESS_DAMPING]);
  snprintf(text, sizeof text, world, body, body);
  mjcf_world w = mjcf_world_of(text, model);
  w.settings.time_step = dt;
  w.settings.rigid_ties = false;  // of sets: test_rigid_tie_gradient.c
  // what laws that are not linear come to in contact is round-off of the stress
  w.settings.tolerance = strstr(m->law, "linear") ? 1e-12 : 1e-10;
  return w;
}

static material material_make(const char *law) {
  return (material){law,
                    {pow(10.0, random_uniform(&seed, 4.0, 7.0)), random_uniform(&seed, 0.0, 0.49),
                     random_uniform(&seed, 500.0, 2000.0), random_uniform(&seed, 0.1, 0.5),
                     random_uniform(&seed, 1e-4, 0.005)}};
}

static double random_step(void) { return 2e-4 * pow(25.0, random_uniform(&seed, 0.0, 1.0)); }

static const char *const free_body = MODEL(
    "<worldbody><limpet:deformable name='a' type='box' size='.05 .03 .02' cells='2 1 1' "
    "pos='0 0 1' %s/></worldbody>");
static const char *const clamped = MODEL(
    "<worldbody><limpet:deformable name='a' type='box' size='.05 .03 .02' cells='3 1 1' "
    "pos='0 0 1' %s><limpet:tie body='world' box='-.051 -1 -1 -.049 1 1'/>"
    "</limpet:deformable></worldbody>");

static void each_law(const char *world, const char *what, const char *model, double speed,
                     int steps, double tolerance) {
  static const char *const laws[] = {"linear", "linear-corotated", "corotated", "neo-hookean"};
  for (size_t k = 0; k < sizeof laws / sizeof *laws; ++k) {
    char title[64];
    snprintf(title, sizeof title, "%s, %s", what, laws[k]);
    const material m = material_make(laws[k]);
    mjcf_world w = world_of(world, &m, model, random_step());
    shake(&w, speed);
    // to a step that is solved to the tolerance
    for (int i = 0; i < steps; ++i) limpet_step(w.model, w.data, &w.settings);
    limpet_data *before = limpet_data_create(w.model);
    do limpet_data_state_copy(w.data, before);
    while (limpet_step(w.model, w.data, &w.settings) != LIMPET_OUTCOME_SOLVED && ++steps < 200);
    limpet_data_state_copy(before, w.data);
    limpet_data_destroy(before);
    flagged += !soft_products_check(&w, title, tolerance, &seed);
    mjcf_world_destroy(&w);
  }
}

// Whether the next step is solved; it is not made.
static bool is_solved_next(mjcf_world *w) {
  limpet_data *before = limpet_data_create(w->model);
  limpet_data_state_copy(w->data, before);
  const bool solved = limpet_step(w->model, w->data, &w->settings) == LIMPET_OUTCOME_SOLVED;
  limpet_data_state_copy(before, w->data);
  limpet_data_destroy(before);
  return solved;
}

static int least_rounds, most_rounds;  // of the steps of other numbers

// The product of a weight with the end of a step of a body of other numbers.
static double loss_of(const char *world, const material *m, const mjcf_world *like,
                      const limpet_data *from, const soft_vector *weight) {
  mjcf_world w = world_of(world, m, NULL, like->settings.time_step);
  const int V = 3 * w.model->vertex_count, nv = w.model->nv;
  soft_vector none = soft_vector_make(w.model);
  double *q = calloc((size_t)w.model->nq + 1, sizeof *q), size = 0.0,
         *rest = calloc((size_t)(nv + 2 * V) + 1, sizeof *rest);
  assert_true(soft_end_of(&w, w.data, from, &none, 0.0, q, rest));
  const int rounds = w.data->info.elastic_rounds;
  least_rounds = rounds < least_rounds ? rounds : least_rounds;
  most_rounds = rounds > most_rounds ? rounds : most_rounds;
  const double sum = soft_dot(nv, weight->at.v, rest, &size) +
                     soft_dot(V, weight->at.vertex_position, rest + nv, &size) +
                     soft_dot(V, weight->at.vertex_velocity, rest + nv + V, &size);
  free(none.block), free(q), free(rest);
  mjcf_world_destroy(&w);
  return sum;
}

// All numbers of the material, of one body, at the present state.
static void check_numbers(mjcf_world *w, const char *world, material m) {
  const limpet_model *model = w->model;
  limpet_data *from = limpet_data_create(model);
  limpet_data_state_copy(w->data, from);
  limpet_gradient *gradient = limpet_gradient_create(model);
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  wanted.contacts = false;
  soft_vector weight = soft_direction_make(model, &seed), by = soft_vector_make(model),
              x = soft_vector_make(model), moved = soft_vector_make(model);
  memset(weight.at.q, 0, (size_t)model->nv * sizeof(double));
  limpet_gradient_step(model, w->data, &w->settings, &wanted, gradient);
  assert_true(limpet_gradient_backward(gradient, &weight.at, &by.at));
  const double own[NUMBERS] = {by.at.youngs_modulus[0], by.at.poissons_ratio[0], by.at.density[0],
                               by.at.mass_damping[0], by.at.stiffness_damping[0]};
  const int V = 3 * model->vertex_count;
  double error[NUMBERS];
  for (int k = 0; k < NUMBERS; ++k) {
    const double value = m.number[k];
    error[k] = INFINITY;
    // laws that are not linear are solved to 1e-10 of the momentum, which widths divide
    for (double width = 1e-2 * value; width > 1e-5 * value; width *= 0.1) {
      double slope = 0.0;
      for (int i = 0; i < 4; ++i) {
        static const double place[4] = {-2.0, -1.0, 1.0, 2.0},
                            share[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
        m.number[k] = value + place[i] * width;
        slope += share[i] / width * loss_of(world, &m, w, from, &weight);
      }
      // relative, and round-off of the loss for numbers that hardly matter
      error[k] = fmin(error[k],
                      value * fabs(slope - own[k]) /
                          (value * fabs(own[k]) + 1e-2 * fabs(own[DENSITY] * m.number[DENSITY])));
    }
    m.number[k] = value;
    // forwards
    double size = 0.0;
    (&x.at.youngs_modulus)[k][0] = value;
    assert_true(limpet_gradient_forward(gradient, &x.at, &moved.at));
    (&x.at.youngs_modulus)[k][0] = 0.0;
    const double ahead = soft_dot(model->nv, weight.at.v, moved.at.v, &size) +
                         soft_dot(V, weight.at.vertex_position, moved.at.vertex_position, &size) +
                         soft_dot(V, weight.at.vertex_velocity, moved.at.vertex_velocity, &size);
    if (!(fabs(ahead - own[k] * value) < 1e-10 * size))
      fail_msg("number %d: forwards %g, backwards %g, of %g", k, ahead, own[k] * value, size);
  }
  // Of laws that are not linear steps leave 1e-10 of the momentum, which widths divide; and steps
  // of other numbers need not take as many rounds: their slopes scatter by what is told or so.
  const double bound = strstr(m.law, "linear") ? 1e-7 : 5e-6 + 2.0 * gradient->elastic_scatter;
  for (int k = 0; k < NUMBERS; ++k)
    if (!(error[k] < bound))
      fail_msg("number %d: %g, off by %.2g of the largest effect", k, own[k], error[k]);
  free(weight.block), free(by.block), free(x.block), free(moved.block);
  limpet_gradient_destroy(gradient);
  limpet_data_destroy(from);
}

static void without_contact(void **state) {
  (void)state;
  each_law(free_body, "free", NULL, 0.02, 3, 1e-7);
  each_law(clamped, "clamped", NULL, 0.02, 3, 1e-7);
}

static const char *const lying = MODEL(
    "<worldbody><geom type='plane' size='1 1 .1'/>"
    "<limpet:deformable name='a' type='box' size='.05 .03 .02' cells='2 1 1' "
    "pos='0 0 .0199' friction='.5' %s/></worldbody>");

static const char *const compliant = MODEL(
    "<worldbody><geom type='plane' size='1 1 .1' limpet:stiffness='2e4' "
    "limpet:dissipation='5'/>"
    "<limpet:deformable name='a' type='box' size='.05 .03 .02' cells='2 1 1' "
    "pos='0 0 .0199' friction='.5' %s/></worldbody>");

static void on_a_plane(void **state) {
  (void)state;
  each_law(lying, "coulomb", "coulomb", 0.01, 20, 1e-6);
  each_law(lying, "sap", "sap", 0.01, 20, 1e-6);
  // near-rigid contact of these is 1e-9 m deep, and their laws bend there: no width fits
  each_law(compliant, "lagged", "lagged", 0.01, 20, 1e-6);
  each_law(compliant, "similar", "similar", 0.01, 20, 1e-6);
}

static const char *const pendulum = MODEL(
    "<worldbody><body pos='0 0 1'><joint type='hinge' axis='0 1 0' damping='.01'/>"
    "<geom type='capsule' fromto='0 0 0 .2 0 0' size='.02' contype='0' conaffinity='0'/>"
    "<limpet:deformable name='a' type='box' size='.05 .03 .02' cells='2 1 1' pos='.25 0 0' %s>"
    "<limpet:tie box='-.051 -1 -1 -.049 1 1'/></limpet:deformable>"
    "</body></worldbody>");
static const char *const ball = MODEL(
    "<worldbody><geom type='plane' size='1 1 .1'/>"
    "<body pos='.01 .005 .0595'><freejoint/><geom type='sphere' size='.02' mass='.05'/></body>"
    "<limpet:deformable name='a' type='box' size='.05 .03 .02' cells='2 1 1' "
    "pos='0 0 .0199' friction='.5' %s/></worldbody>");
static const char *const gripped = MODEL(
    "<worldbody><body pos='0 0 .055'><joint name='s' type='slide' axis='0 0 1' damping='1'/>"
    "<geom type='box' size='.02 .04 .015' euler='5 8 3' mass='.1'/></body>"
    "<limpet:deformable name='a' type='box' size='.05 .03 .02' cells='3 2 1' "
    "pos='0 0 .02' friction='.5' %s><limpet:tie body='world' box='-1 -1 -.021 1 1 -.019'/>"
    "</limpet:deformable></worldbody>");
static const char *const stack = MODEL(
    "<worldbody><geom type='plane' size='1 1 .1'/>"
    "<limpet:deformable name='a' type='box' size='.05 .05 .02' cells='2 2 1' "
    "pos='0 0 .0199' friction='.5' %s/>"
    "<limpet:deformable name='b' type='box' size='.02 .02 .02' cells='1 1 1' "
    "pos='.003 .004 .0597' euler='0 0 20' friction='.5' %s/></worldbody>");

static void with_robots(void **state) {
  (void)state;
  each_law(pendulum, "tied to a pendulum", NULL, 0.01, 10, 1e-6);
  each_law(ball, "under a ball", NULL, 0.01, 20, 1e-6);
  each_law(gripped, "under a box on a slide", NULL, 0.01, 30, 1e-6);
  // laws that are not linear: what the step leaves of its residual
  each_law(stack, "soft on soft", NULL, 0.01, 20, 1e-5);
  assert_true(flagged <= 6);
}

static const char *const slab = MODEL(
    "<worldbody><geom type='plane' size='1 1 .1'/>"
    "<body pos='.013 .007 .0455'><freejoint/><geom type='sphere' size='.02' mass='.05'/></body>"
    "<limpet:deformable name='a' type='box' size='.08 .08 .012' cells='8 8 1' "
    "pos='0 0 .0121' friction='.5' %s/></worldbody>");

// A body of which so many vertices touch that all are unknowns: its matrix is as sparse as the
// mesh.
static void whole_bodies(void **state) {
  (void)state;
  static const char *const laws[] = {"linear-corotated", "neo-hookean-log"};
  const int before = flagged;
  for (size_t k = 0; k < sizeof laws / sizeof *laws; k += (size_t)test_effort(1, 2)) {
    const material m = material_make(laws[k]);
    mjcf_world w = world_of(slab, &m, NULL, random_step());
    for (int i = 0; i < 8; ++i) limpet_step(w.model, w.data, &w.settings);
    flagged += !soft_products_check(&w, laws[k], 1e-6, &seed);
    const limpet_solved_step *solved = limpet_solved_step_of(w.data);
    assert_int_equal(solved->problem.nv - w.model->nv, 3 * w.model->vertex_count);
    mjcf_world_destroy(&w);
  }
  assert_true(flagged - before <= 1);
}

static void materials(void **state) {
  (void)state;
  static const char *const laws[] = {"linear", "linear-corotated", "corotated", "neo-hookean"};
  static const char *const worlds[] = {clamped, lying, pendulum, ball};
  for (int i = 0; i < 4; ++i) {
    const test_turn turn = test_turn_of(i, sizeof laws / sizeof *laws);
    for (int k = turn.first; k < (int)(sizeof laws / sizeof *laws); k += turn.way) {
      const material m = material_make(laws[k]);
      mjcf_world w = world_of(worlds[i], &m, NULL, random_step());
      shake(&w, 0.02);
      for (int s = 0; s < 15; ++s) limpet_step(w.model, w.data, &w.settings);
      check_numbers(&w, worlds[i], m);
      mjcf_world_destroy(&w);
    }
  }
}

/* Where contacts of a near-rigid plane find a law balanced at the velocity of the start, the
 * stiffness of the contacts is that of this velocity, and follows no number through the end of the
 * step. Slopes of a Chebyshev series of degree 5 through steps that take no round, either: what
 * these leave, up to 1e-10 of the momentum, is divided by the width, 5e-4. */
static void laws_that_are_balanced_at_once(void **state) {
  (void)state;
  enum { POINTS = 8, DRAWS = 10 };
  static const double width = 5e-4;
  seed = 5;
  int looked_at = 0, near = 0;
  for (int k = 0; k < DRAWS; ++k) {
    material m = material_make(k % 2 ? "neo-hookean" : "corotated");
    m.number[YOUNG] = pow(10.0, random_uniform(&seed, 5.0, 6.0));
    mjcf_world w = world_of(lying, &m, NULL, random_uniform(&seed, 2e-3, 5e-3));
    shake(&w, 0.02);
    for (int s = 0; s < 15; ++s) limpet_step(w.model, w.data, &w.settings);
    limpet_data *from = limpet_data_create(w.model);
    limpet_data_state_copy(w.data, from);
    limpet_gradient *gradient = limpet_gradient_create(w.model);
    limpet_gradient_settings wanted = limpet_gradient_settings_default();
    soft_vector weight = soft_direction_make(w.model, &seed), by = soft_vector_make(w.model);
    limpet_gradient_step(w.model, w.data, &w.settings, &wanted, gradient);
    least_rounds = most_rounds = w.data->info.elastic_rounds;
    if (most_rounds == 0 && limpet_gradient_backward(gradient, &weight.at, &by.at)) {
      const double value = m.number[POISSON];
      double c[6] = {0};
      for (int i = 0; i < POINTS; ++i) {
        const double angle = acos(-1.0) * (i + 0.5) / POINTS;
        m.number[POISSON] = value * (1.0 + width * cos(angle));
        const double loss = loss_of(lying, &m, &w, from, &weight);
        for (int d = 1; d < 6; d += 2) c[d] += 2.0 / POINTS * loss * cos(d * angle);
      }
      const double slope = (c[1] - 3.0 * c[3] + 5.0 * c[5]) / width,
                   own = value * by.at.poissons_ratio[0],
                   size = fabs(own) + 1e-2 * fabs(m.number[DENSITY] * by.at.density[0]);
      if (most_rounds == 0) {
        ++looked_at, near += fabs(slope - own) <= 1e-7 * size;
        if (!(fabs(slope - own) <= 2e-6 * size))
          fail_msg("draw %d: %g, off by %.2g of it", k, own, fabs(slope - own) / size);
      }
    }
    free(weight.block), free(by.block);
    limpet_gradient_destroy(gradient);
    limpet_data_destroy(from);
    mjcf_world_destroy(&w);
  }
  assert_true(looked_at >= 4 && 2 * near > looked_at);
}

/* How stiffness follows the end of the step is solved for by rounds. Made a million times as strong
 * they do not settle, and what is found is said to be rough. */
static void rounds_that_do_not_settle_are_told(void **state) {
  (void)state;
  material m = material_make("neo-hookean");
  m.number[YOUNG] = 1e5;
  mjcf_world w = world_of(pendulum, &m, NULL, 1e-3);
  shake(&w, 0.05);
  limpet_gradient *gradient = limpet_gradient_create(w.model);
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  wanted.jacobians = false;
  soft_vector weight = soft_direction_make(w.model, &seed), by = soft_vector_make(w.model);
  limpet_gradient_step(w.model, w.data, &w.settings, &wanted, gradient);
  assert_true(limpet_gradient_backward(gradient, &weight.at, &by.at));
  assert_false(gradient->approximate);
  const limpet_soft_gradient *soft = gradient->workspace->soft;
  const limpet_soft_stiffening *stiffening = soft->stiffening;
  assert_true(stiffening->count > 0);
  for (int i = 0; i < stiffening->count * soft->unknowns; ++i) stiffening->by_x[i] *= 1e9;
  assert_true(limpet_gradient_backward(gradient, &weight.at, &by.at));
  assert_true(gradient->approximate);
  free(weight.block), free(by.block);
  limpet_gradient_destroy(gradient);
  mjcf_world_destroy(&w);
}

static const char *const shell_clamped = MODEL(
    "<worldbody><limpet:deformable name='a' type='box' size='.05 .03 .02' cells='2 1 1' "
    "pos='0 0 1' shell='true' thickness='.002' %s><limpet:tie body='world' "
    "box='-.051 -1 -1 -.049 1 1'/></limpet:deformable></worldbody>");
static const char *const shell_lying = MODEL(
    "<worldbody><geom type='plane' size='1 1 .1'/>"
    "<limpet:deformable name='a' type='box' size='.05 .03 .02' cells='2 1 1' shell='true' "
    "thickness='.002' pos='0 0 .0199' friction='.5' %s/></worldbody>");
static const char *const shell_pendulum = MODEL(
    "<worldbody><body pos='0 0 1'><joint type='hinge' axis='0 1 0' damping='.01'/>"
    "<geom type='capsule' fromto='0 0 0 .2 0 0' size='.02' contype='0' conaffinity='0'/>"
    "<limpet:deformable name='a' type='box' size='.05 .03 .02' cells='2 1 1' pos='.25 0 0' "
    "shell='true' thickness='.002' pressure='102000' gas_exponent='1.4' %s>"
    "<limpet:tie box='-.051 -1 -1 -.049 1 1'/></limpet:deformable>"
    "</body></worldbody>");
static const char *const shell_ball = MODEL(
    "<worldbody><geom type='plane' size='1 1 .1'/>"
    "<body pos='.01 .005 .0595'><freejoint/><geom type='sphere' size='.02' mass='.005'/></body>"
    "<limpet:deformable name='a' type='box' size='.05 .03 .02' cells='2 1 1' shell='true' "
    "thickness='.002' pressure='101500' pos='0 0 .0199' friction='.5' %s/></worldbody>");

static void shells(void **state) {
  (void)state;
  static const char *const worlds[] = {shell_clamped, shell_lying, shell_pendulum, shell_ball};
  for (int i = 0; i < 4; i += test_effort(1, 2)) {
    const material m = material_make("linear-corotated");
    mjcf_world w = world_of(worlds[i], &m, NULL, random_step());
    shake(&w, 0.02);
    for (int s = 0; s < 15; ++s) limpet_step(w.model, w.data, &w.settings);
    check_numbers(&w, worlds[i], m);
    mjcf_world_destroy(&w);
  }
}

static const char *const carrying = MODEL(
    "<worldbody><geom type='plane' size='1 1 .1' friction='.06'/>"
    "<body pos='0 0 .0545'><freejoint/><geom type='box' size='.02 .04 .015' mass='.1'/></body>"
    "<limpet:deformable name='a' type='box' size='.05 .03 .02' cells='3 2 1' "
    "pos='0 0 .0199' friction='.06' %s/></worldbody>");

/* A soft body slides below a box and bends around the edges of it. `sap` lets it glide on a gap,
 * where the normal turns from one face of the box to the other along an edge of the body: forces
 * follow where on it the contact is. */
static void around_edges_that_slide(void **state) {
  (void)state;
  const int draws = test_effort(30, 4);
  int smooth = 0;
  for (int k = 0; k < draws; ++k) {
    material m = material_make(k % 2 == 0 ? "linear-corotated" : "corotated");
    m.number[YOUNG] = pow(10.0, random_uniform(&seed, 4.0, 5.0));
    mjcf_world w = world_of(carrying, &m, "sap", random_uniform(&seed, 1e-3, 4e-3));
    w.settings.tolerance = 1e-12, w.settings.iteration_limit = 300;
    const double speed = random_uniform(&seed, 0.1, 0.5);
    for (int i = 0; i < w.model->vertex_count; ++i) w.data->vertex_velocity[3 * i] = speed;
    shake(&w, 0.01);
    limpet_outcome outcome = LIMPET_OUTCOME_SOLVED;
    for (int i = 0; i < 8; ++i) outcome = limpet_step(w.model, w.data, &w.settings);
    if (outcome == LIMPET_OUTCOME_SOLVED && is_solved_next(&w))
      smooth += soft_products_check(&w, "around edges that slide", 1e-6, &seed);
    mjcf_world_destroy(&w);
  }
  assert_true(4 * smooth > draws);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(without_contact),
                                     cmocka_unit_test(on_a_plane),
                                     cmocka_unit_test(with_robots),
                                     cmocka_unit_test(whole_bodies),
                                     cmocka_unit_test(materials),
                                     cmocka_unit_test(shells),
                                     cmocka_unit_test(around_edges_that_slide),
                                     cmocka_unit_test(rounds_that_do_not_settle_are_told),
                                     cmocka_unit_test(laws_that_are_balanced_at_once)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* tests/step/test_soft_newton.c: steps of nonlinear elastic laws with contact balance momentum as
 * the law has it at the end of the step, not as a linear one would. */
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
#include "math/vec3.h"
#include "mjcf_world.h"
#include "random_models.h"

typedef struct balance {
  double worst;  // [-]  |R - impulses| of a step over its scale
  int touched, rounds, unsolved, inverted;
} balance;

/* One step of a world with one free body near the ground, and what its law says of it: R(v+) of
 * fem.h against the forces that the step reports. */
static void step_and_check(mjcf_world *w, limpet_fem_step *fem, balance *sum) {
  const int n = 3 * w->model->vertex_count;
  double *q = malloc((size_t)n * sizeof *q), *v = malloc((size_t)n * sizeof *v),
         *R = malloc((size_t)n * sizeof *R);
  memcpy(q, w->data->vertex_position, (size_t)n * sizeof *q);
  memcpy(v, w->data->vertex_velocity, (size_t)n * sizeof *v);
  const double dt = w->settings.time_step;
  limpet_fem_input input = {.position = q, .velocity = v, .dt = dt, .backward_euler = true};
  limpet_vec3_copy(input.gravity, w->model->options.gravity);
  limpet_fem_step_begin(fem, &input);
  if (limpet_step(w->model, w->data, &w->settings) != LIMPET_OUTCOME_SOLVED) ++sum->unsolved;
  limpet_fem_step_residual(fem, w->data->vertex_velocity, R);
  double rest = 0.0, scale = 0.0;
  for (int i = 0; i < n; ++i) {
    const double impulse = dt * w->data->vertex_force[i];
    rest += (R[i] - impulse) * (R[i] - impulse), scale += impulse * impulse;
  }
  if (w->data->info.touching_count > 0) {
    ++sum->touched;
    sum->rounds += w->data->info.elastic_rounds;
    sum->worst = fmax(sum->worst, sqrt(rest / scale));
  }
  sum->inverted +=
      limpet_fem_body_state(w->model->deformable_body[0], w->data->vertex_position, NULL, NULL)
          .inverted;
  free(q), free(v), free(R);
}

// A ball thrown at the ground with 2 m/s by steps of 4 ms: it is squeezed by a third.
static balance throw_ball(const char *law, bool linearised) {
  char text[1024];
  snprintf(text, sizeof text,
           "<mujoco><option timestep='0.004'/><worldbody><geom type='plane' size='1 1 .1'/>"
           "<limpet:deformable type='ellipsoid' size='.03 .03 .03' cells='4 4 4' pos='0 0 .031' "
           "law='%s' young='3e4' poisson='.4' damping='.002'/></worldbody></mujoco>",
           law);
  mjcf_world w = mjcf_world_of(text, NULL);
  w.settings.linearised_elasticity = linearised;
  for (int i = 0; i < w.model->vertex_count; ++i) {
    w.data->vertex_velocity[3 * i] = 0.5;
    w.data->vertex_velocity[3 * i + 2] = -2.0;
  }
  limpet_fem_step *fem = limpet_fem_step_create(w.model->deformable_body[0], NULL);
  balance sum = {0};
  for (int i = 0; i < 12; ++i) step_and_check(&w, fem, &sum);
  limpet_fem_step_destroy(fem);
  mjcf_world_destroy(&w);
  return sum;
}

static void the_whole_law_is_solved(void **state) {
  (void)state;
  static const char *const laws[] = {"corotated", "neo-hookean", "neo-hookean-drake"};
  for (int i = 0; i < 3; ++i) {
    const balance b = throw_ball(laws[i], false);
    assert_true(b.touched > 5 && b.rounds >= b.touched);
    assert_int_equal(b.unsolved, 0);
    assert_int_equal(b.inverted, 0);
    // the tolerance of the step, 1e-6, is over impulses and weight
    if (!(b.worst < 2e-6)) fail_msg("%s: %g of the impulses are missing", laws[i], b.worst);
  }
}

// The published option is another problem: the check above can fail.
static void the_linearisation_is_not_the_law(void **state) {
  (void)state;
  const balance b = throw_ball("neo-hookean", true);
  assert_int_equal(b.rounds, 0);
  assert_int_equal(b.unsolved, 0);
  assert_true(b.worst > 1e-2);
}

// Laws that are linear during a step need no round.
static void linear_laws_need_no_round(void **state) {
  (void)state;
  const balance b = throw_ball("linear-corotated", false);
  assert_int_equal(b.rounds, 0);
  assert_true(b.worst < 2e-6);
}

static void a_soft_thing_pressed_by_bodies(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='1 1 .1'/>"
      "<limpet:deformable type='box' size='.03 .03 .03' cells='2 2 2' pos='0 0 .0301' "
      "law='neo-hookean' young='5e4' poisson='.45' damping='.004'/>"
      "<body pos='0 0 .08'><joint type='slide' axis='0 0 1' damping='5'/>"
      "<geom type='box' size='.05 .05 .01' mass='2' euler='5 0 0'/></body></worldbody></mujoco>",
      NULL);
  double worst = 0.0;
  int iterations = 0, rounds = 0;
  for (int i = 0; i < 300; ++i) {
    mjcf_world_step(&w);  // fails unless solved
    worst = fmax(worst, w.data->info.elastic_residual);
    iterations += w.data->info.iterations;
    rounds += w.data->info.elastic_rounds;
  }
  // laws are first taken at the velocity of the start, rounds start where the last one ended: 4.7 a
  // step and 0.57 rounds
  if (!(iterations < 300 * 5.5)) fail_msg("%d iterations", iterations);
  if (!(rounds < 300 * 0.8)) fail_msg("%d rounds", rounds);
  assert_true(worst > 0.0 && worst <= w.settings.tolerance);
  mjcf_world_destroy(&w);
}

/* A plate falls fast onto a ball that is far too soft to stop it within a step or two. Newton's
 * direction leads far astray there. A step that is not solved ends with the best of its attempts,
 * which bounds the energy, though it does not keep it: 9 times what there was in one hit of seed
 * 12345. Before, such scenes ended with up to 1e25 J. */
static void hit_ball(unsigned long *seed, const char *law, const char *contact, int count[2]) {
  const double young = random_log(seed, 1e4, 1e5), mass = random_log(seed, 0.2, 4.0),
               speed = random_log(seed, 1.0, 5.0), dt = random_log(seed, 1e-3, 8e-3);
  char text[1024];
  snprintf(text, sizeof text,
           "<mujoco><worldbody><geom type='plane' size='1 1 .1'/>"
           "<body pos='0 0 .062'><joint type='slide' axis='0 0 1'/>"
           "<geom type='box' size='.05 .05 .01' mass='%g'/></body>"
           "<limpet:deformable type='ellipsoid' size='.03 .02 .025' cells='3 3 3' pos='0 0 .0255' "
           "law='%s' young='%g' poisson='%g' density='340'/></worldbody></mujoco>",
           mass, law, young, random_uniform(seed, 0.0, 0.45));
  mjcf_world w = mjcf_world_of(text, NULL);
  w.settings.time_step = dt;
  w.settings.energy = true;
  limpet_step_settings_contact_model(&w.settings, limpet_contact_model_find(contact));
  w.data->v[0] = -speed;
  const double most = 0.5 * mass * speed * speed + mass * 9.81 * 0.1;  // [J]
  for (int i = 0; i < 0.1 / dt; ++i) {
    ++count[0];
    count[1] += limpet_step(w.model, w.data, &w.settings) != LIMPET_OUTCOME_SOLVED;
    const double energy = w.data->info.kinetic_energy + w.data->deformable_energy[0];
    if (!(energy < 20.0 * most))
      fail_msg("%s, %s, %g m/s, %g s: %g J of %g J in step %d\n%s", law, contact, speed, dt, energy,
               most, i, text);
  }
  mjcf_world_destroy(&w);
}

static void hard_hits_stay_bounded(void **state) {
  (void)state;
  static const char *const laws[] = {"neo-hookean-log", "neo-hookean", "corotated"};
  static const char *const contacts[] = {"lagged", "sap", "coulomb", "similar"};
  unsigned long seed = 20261129;
  int count[2] = {0, 0};
  for (int i = 0; i < test_effort(24, 6); ++i)
    hit_ball(&seed, laws[i % 3], contacts[i / 3 % 4], count);
  print_message("%d of %d steps unsolved\n", count[1], count[0]);
  // both that are left are among the first fifth, which watched builds see alone
  assert_true((TEST_WATCHED ? 100 : 500) * count[1] <= count[0]);
}

// A ball or box of a random nonlinear law that lands at x [m], alone or with others of the world.
typedef struct lander {
  char text[512];  // of MJCF, but for its place
  double speed;    // [m/s]
} lander;

static lander draw_lander(unsigned long *seed) {
  static const char *const laws[] = {"corotated", "neo-hookean", "neo-hookean-drake",
                                     "neo-hookean-log"};
  lander l;
  const int law = (int)random_uniform(seed, 0.0, 3.999), box = random_uniform(seed, 0.0, 1.0) < 0.5;
  const double young = random_log(seed, 1e4, 1e7),
               poisson = random_uniform(seed, law == 2 ? 0.13 : 0.0, 0.48),  // Drake's: above 1/8
      density = random_log(seed, 100.0, 1e4);
  l.speed = random_log(seed, 0.2, 3.0);
  snprintf(l.text, sizeof l.text,
           "type='%s' size='.03 .03 .03' cells='2 2 2' law='%s' young='%.17g' poisson='%.17g' "
           "density='%.17g' damping='.002'",
           box ? "box" : "ellipsoid", laws[law], young, poisson, density);
  return l;
}

static mjcf_world landers_world(const lander *first, int count, const double *x, double dt) {
  char text[2048];
  size_t length = (size_t)snprintf(text, sizeof text,
                                   "<mujoco><option timestep='%.17g'/><worldbody>"
                                   "<geom type='plane' size='1 1 .1'/>",
                                   dt);
  for (int k = 0; k < count; ++k)
    length += (size_t)snprintf(text + length, sizeof text - length,
                               "<limpet:deformable pos='%.17g 0 .0305' %s/>", x[k], first[k].text);
  snprintf(text + length, sizeof text - length, "</worldbody></mujoco>");
  mjcf_world w = mjcf_world_of(text, NULL);
  for (int k = 0; k < count; ++k)
    for (int i = w.model->deformable_vertex[k]; i < w.model->deformable_vertex[k + 1]; ++i)
      w.data->vertex_velocity[3 * i + 2] = -first[k].speed;
  return w;
}

/* Solids 8 m apart step as each alone, whichever needs more rounds: the rounds of each are its own.
 * What is balanced is solved again from what was found while the other goes on, which may lessen a
 * residual that is below the tolerance (1e-6) already: a tenth of that is allowed. */
static void islands_do_not_know_each_other(void **state) {
  (void)state;
  unsigned long seed = 12;
  static const double x[] = {-4.0, 4.0};
  const int scenes = test_effort(10, 2);
  double worst = 0.0;
  int apart = 0;  // steps in which one needs more rounds than the other
  for (int scene = 0; scene < scenes; ++scene) {
    lander l[2];
    mjcf_world alone[2];
    for (int k = 0; k < 2; ++k) l[k] = draw_lander(&seed);
    const double dt = random_log(&seed, 1e-3, 8e-3);
    mjcf_world both = landers_world(l, 2, x, dt);
    for (int k = 0; k < 2; ++k) alone[k] = landers_world(l + k, 1, x + k, dt);
    for (int i = 0; i < 12; ++i) {
      bool solved = limpet_step(both.model, both.data, &both.settings) == LIMPET_OUTCOME_SOLVED;
      for (int k = 0; k < 2; ++k)
        solved = limpet_step(alone[k].model, alone[k].data, &alone[k].settings) ==
                     LIMPET_OUTCOME_SOLVED &&
                 solved;
      if (!solved) break;
      apart += alone[0].data->info.elastic_rounds != alone[1].data->info.elastic_rounds;
      for (int k = 0; k < 2; ++k) {
        const double *v = both.data->vertex_velocity + 3 * both.model->deformable_vertex[k];
        for (int n = 0; n < 3 * alone[k].model->vertex_count; ++n)
          worst = fmax(worst, fabs(v[n] - alone[k].data->vertex_velocity[n]) / l[k].speed);
      }
    }
    for (int k = 0; k < 2; ++k) mjcf_world_destroy(&alone[k]);
    mjcf_world_destroy(&both);
  }
  print_message("%d steps of unlike rounds, worst %.3g of the speed\n", apart, worst);
  assert_true(apart > 2 * scenes);
  assert_true(worst < 1e-7);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(islands_do_not_know_each_other),
                                     cmocka_unit_test(the_whole_law_is_solved),
                                     cmocka_unit_test(the_linearisation_is_not_the_law),
                                     cmocka_unit_test(linear_laws_need_no_round),
                                     cmocka_unit_test(a_soft_thing_pressed_by_bodies),
                                     cmocka_unit_test(hard_hits_stay_bounded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

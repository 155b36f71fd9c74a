/* tests/step/test_soft_rest.c: why some soft bodies move for longer than a second, held against
 * theory.
 *
 * Gliding: a contact of `similar` that slides at v_t acts as if its gap were wider by mu dt v_t.
 * What is pressed from two sides cannot open, so there friction holds as mu (N + mu k dt v_t): it
 * has a viscous part. A thing that is too heavy sinks at a steady speed instead of falling.
 * Creep: friction of `lagged` and `similar` is regularised, so what hangs at a share r of it for
 * good slips at eps_s r/sqrt(1 - r^2), eps_s = sigma w mu gamma_n0: in proportion to sigma. A rim
 * that hangs beside another one creeps so.
 * Models against each other: a cube that bulges under its weight drags its foot outwards. Rigid
 * contact holds the foot; `sap` lets it creep at sigma w gamma_t by its law, and sink by
 * R_n gamma_n (dt + tau_d).
 *
 * Swinging: a mode of w [rad/s] falls as exp(-rate t), rate = (beta + dt) w_e^2/2: beta Rayleigh
 * damping, dt that of backward Euler near contacts; w^2 = w_e^2 - w_g^2, w_e of elasticity alone
 * and w_g^2, in proportion to gravity, what the weight of a tower takes off. */
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
#include "shared_data.h"

static const double pi = 3.14159265358979323846, gravity = 9.81;  // [-], [m/s^2]

// ------------------------------------------------------------------------------ gliding

typedef struct walls {
  double stiffness, depth, mass, friction, dt;  // [N/m], [m], [kg], [-], [s]
} walls;

// A ball between two walls that press it by `depth` from either side.
static mjcf_world ball_between(const walls *p, const char *model) {
  char text[1024];
  snprintf(text, sizeof text,
           "<mujoco><option timestep='%.17g'/><default><geom friction='%.17g 0 0'/></default>"
           "<worldbody><geom type='box' size='.1 .1 2' pos='%.17g 0 0'/>"
           "<geom type='box' size='.1 .1 2' pos='%.17g 0 0'/>"
           "<body><freejoint/><geom type='sphere' size='.05' mass='%.17g' "
           "limpet:stiffness='%.17g' limpet:dissipation='0'/></body></worldbody></mujoco>",
           p->dt, p->friction, 0.15 - p->depth, p->depth - 0.15, p->mass, p->stiffness);
  return mjcf_world_of(text, model);
}

static double draw_log(unsigned long *seed, double low, double high) {
  return low * pow(high / low, random_uniform(seed, 0.0, 1.0));
}

static walls random_walls(unsigned long *seed) {
  walls p = {.stiffness = draw_log(seed, 1e3, 1e6),
             .depth = draw_log(seed, 1e-4, 1e-3),
             .friction = draw_log(seed, 0.2, 1.0),
             .dt = draw_log(seed, 5e-4, 1e-2)};
  p.mass = 2.0 * p.friction * p.stiffness * p.depth * random_uniform(seed, 1.05, 1.55) / gravity;
  return p;
}

/* A ball that is too heavy for friction sinks at v (1 - exp(-t/T)) with `similar`,
 *   v = (m g - 2 mu N)/c,  T = m/c,  c = 2 mu^2 k dt,  N = k depth,
 * and falls at g - 2 mu N/m with the others. */
static void what_is_pressed_from_two_sides_glides(void **state) {
  (void)state;
  unsigned long seed = 5;
  for (int i = 0; i < 30; ++i) {
    const walls p = random_walls(&seed);
    const double hold = 2.0 * p.friction * p.stiffness * p.depth,
                 viscosity = 2.0 * p.friction * p.friction * p.stiffness * p.dt,
                 speed = (p.mass * gravity - hold) / viscosity, last = p.mass / viscosity;
    const int steps = (int)(fmin(20.0 * last, 1.5 / speed) / p.dt) + 10;
    mjcf_world w = ball_between(&p, "similar");
    mjcf_world_run(&w, steps * p.dt);
    // by implicit steps: (1 + dt/T)^-n for exp(-t/T)
    const double expected = speed * -expm1(-steps * log1p(p.dt / last));
    if (!(fabs(-w.data->v[2] - expected) < 1e-3 * expected))
      fail_msg("draw %d: sinks at %g m/s, theory %g", i, -w.data->v[2], expected);
    mjcf_world_destroy(&w);
  }
}

static void other_models_let_it_fall(void **state) {
  (void)state;
  static const char *const models[] = {"lagged", "coulomb"};
  unsigned long seed = 5;
  for (int i = 0; i < 30; ++i) {
    const walls p = random_walls(&seed);
    const double fall = gravity - 2.0 * p.friction * p.stiffness * p.depth / p.mass;
    mjcf_world w = ball_between(&p, models[i % 2]);
    mjcf_world_run(&w, 20.0 * p.dt);
    const double v = -w.data->v[2];
    mjcf_world_run(&w, 20.0 * p.dt);
    const double found = (-w.data->v[2] - v) / (20.0 * p.dt);
    if (!(fabs(found - fall) < 1e-3 * fall))
      fail_msg("%s, draw %d: falls at %g m/s^2, theory %g", models[i % 2], i, found, fall);
    mjcf_world_destroy(&w);
  }
}

// -------------------------------------------------------------------------------- creep

typedef struct tower {
  int count, cells;       // of cubes of 5 cm, of their edges
  double young, damping;  // [Pa], [s]
  double aside, back;     // [m]  where each second one stands: along x, along y
  double weight, dt;      // share of g, [s]
} tower;

static mjcf_world tower_of(const tower *p, const char *model) {
  char text[2048];
  int size = snprintf(text, sizeof text,
                      "<mujoco><option timestep='%g' gravity='0 0 %.17g'/><worldbody>"
                      "<geom type='plane' size='1 1 .1'/>",
                      p->dt, -gravity * p->weight);
  for (int i = 0; i < p->count; ++i)
    size += snprintf(text + size, sizeof text - (size_t)size,
                     "<limpet:deformable type='box' size='.025 .025 .025' cells='%d %d %d' "
                     "pos='%g %g %g' young='%g' poisson='.3' density='500' damping='%g'/>",
                     p->cells, p->cells, p->cells, p->aside * (i % 2), p->back * (i % 2),
                     0.026 + 0.0505 * i, p->young, p->damping);
  snprintf(text + size, sizeof text - (size_t)size, "</worldbody></mujoco>");
  return mjcf_world_of(text, model);
}

static double fastest(const mjcf_world *w) {
  double most = 0.0;
  for (int i = 0; i < w->model->vertex_count; ++i)
    most = fmax(most, limpet_vec3_norm(w->data->vertex_velocity + 3 * i));
  return most;
}

/* Cubes with flush faces: rims hang beside each other near the limit of friction. After a second
 * they creep by less than a micrometre a second, ten times as fast with ten times sigma, and where
 * friction has springs (coulomb) they rest. */
static void flush_rims_creep_as_friction_is_regularised(void **state) {
  (void)state;
  static const tower cases[] = {{2, 3, 1e5, 0.01, 0.0, 0.0, 1.0, 0.01},
                                {5, 2, 1e6, 0.01, 0.0, 0.0, 1.0, 0.01},
                                {5, 3, 1e7, 0.01, 0.0, 0.0, 1.0, 0.005}};
  static const char *const models[] = {"lagged", "similar"};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c += (size_t)test_effort(1, 3)) {
    for (int m = 0; m < 2; m += test_effort(1, 2)) {
      double creep[2];
      for (int k = 0; k < 2; ++k) {
        mjcf_world w = tower_of(&cases[c], models[m]);
        w.settings.stiction_speed = 1e-8;  // [m/s]  creep by sigma alone
        w.settings.friction_regularization *= k == 0 ? 1.0 : 10.0;
        mjcf_world_run(&w, 1.0);
        creep[k] = fastest(&w);
        mjcf_world_destroy(&w);
      }
      print_message("tower %zu, %s: %.2g m/s, with ten times sigma %.2g\n", c, models[m], creep[0],
                    creep[1]);
      assert_true(creep[0] < 1e-6);
      assert_true(creep[1] > 7.0 * creep[0] && creep[1] < 13.0 * creep[0]);
    }
    mjcf_world w = tower_of(&cases[c], "coulomb");
    mjcf_world_run(&w, 1.0);
    assert_true(fastest(&w) < 1e-9);
    mjcf_world_destroy(&w);
  }
}

// ---------------------------------------------------------------------------- flush rims

/* What rests on a flush rim stays there: corners over a corner creep to where the side below is
 * nearer than the top that they press, and the ends of edges to the edges that they cross. The load
 * does not leave them, not even for a step. */
static void flush_rims_do_not_jump(void **state) {
  (void)state;
  static const tower cases[] = {{5, 2, 1e7, 0.01, 0.0, 0.0, 1.0, 0.01},
                                {5, 2, 1e7, 0.01, 0.002, 0.0, 1.0, 0.01}};
  static const double last[] = {TEST_WATCHED ? 1.3 : 2.0, 4.0};  // [s]
  for (int c = 0; c < test_effort(2, 1); ++c) {
    mjcf_world w = tower_of(&cases[c], "similar");
    mjcf_world_run(&w, 1.2);
    double most = 0.0;
    for (double time = 1.2; time < last[c]; time += cases[c].dt) {
      mjcf_world_step(&w);
      most = fmax(most, fastest(&w));
    }
    print_message("flush tower %d: fastest after 1.2 s %.2g m/s\n", c, most);
    assert_true(most < 1e-6);
    mjcf_world_destroy(&w);
  }
}

// --------------------------------------------------------------- models against each other

// A cube on the ground for a time, from where another one is; NULL: from the air.
static mjcf_world cube_rests(const char *model, double sigma, const mjcf_world *from, double time) {
  mjcf_world w = mjcf_world_of(
      "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='1 1 .1' friction='5'/>"
      "<limpet:deformable type='box' size='.03 .03 .03' cells='2 2 2' pos='0 0 .0301' friction='5' "
      "law='linear-corotated' young='5e4' poisson='.45' damping='.004'/></worldbody></mujoco>",
      NULL);
  limpet_step_settings_contact_model(&w.settings, limpet_contact_model_find(model));
  if (sigma > 0.0) w.settings.friction_regularization = sigma;
  if (from) limpet_data_state_copy(from->data, w.data);
  mjcf_world_run(&w, time);
  return w;
}

// [m]  Largest distance of a coordinate of two worlds.
static double farthest(const mjcf_world *a, const mjcf_world *b) {
  double most = 0.0;
  for (int i = 0; i < 3 * a->model->vertex_count; ++i)
    most = fmax(most, fabs(a->data->vertex_position[i] - b->data->vertex_position[i]));
  return most;
}

// [m]  Where `sap` ends from where rigid contact does; *depth: how deep its contacts are.
static double off_by_creep(const mjcf_world *rigid, double sigma, double *depth) {
  mjcf_world w = cube_rests("sap", sigma, rigid, 0.6);
  const double off = farthest(rigid, &w);
  *depth = 0.0;
  for (int i = 0; i < w.data->contact_count; ++i)
    *depth = fmax(*depth, -w.data->contact_distance[i]);
  mjcf_world_destroy(&w);
  return off;
}

static void rigid_contact_holds_what_sap_lets_creep(void **state) {
  (void)state;
  mjcf_world rigid = cube_rests("anitescu", 0.0, NULL, 0.4),
             cone = cube_rests("anitescu-cone", 0.0, NULL, 0.4),
             coulomb = cube_rests("coulomb", 0.0, NULL, 0.4);
  // friction is far from its bound, so pyramid and cone are one; near-rigid contact is 17 nm deep
  assert_true(farthest(&rigid, &cone) < 1e-10);
  assert_true(farthest(&rigid, &coulomb) < 1e-7);
  double depth, half_depth, least_depth;
  const double whole = off_by_creep(&rigid, 1e-3, &depth),
               half = off_by_creep(&rigid, 5e-4, &half_depth),
               least = off_by_creep(&rigid, 1e-7, &least_depth);
  print_message("sap off by %g, %g and %g m, %g m deep\n", whole, half, least, least_depth);
  assert_true(whole > 1e-5 && fabs((half - least_depth) / (whole - least_depth) - 0.5) < 0.03);
  assert_true(fabs(least - least_depth) < 0.1 * least_depth);
  mjcf_world_destroy(&rigid), mjcf_world_destroy(&cone), mjcf_world_destroy(&coulomb);
}

// ------------------------------------------------------------------------------- swinging

typedef struct swing {
  double frequency, rate;  // w [rad/s], [1/s]
} swing;

// Mean speed [m/s] of the top cube along x.
static double sway(const mjcf_world *w) {
  const int last = w->model->deformable_count - 1, first = w->model->deformable_vertex[last];
  double sum = 0.0;
  for (int i = first; i < w->model->vertex_count; ++i) sum += w->data->vertex_velocity[3 * i];
  return sum / (w->model->vertex_count - first);
}

// From the times when the sway changes its sign, and the largest speeds between them.
static swing swing_of(const tower *p) {
  mjcf_world w = tower_of(p, "coulomb");
  mjcf_world_run(&w, 0.6);
  double before = sway(&w), most = 0.0, first_time = 0.0, time = 0.0, first = 0.0, last = 0.0;
  int halves = -1;
  for (int s = 1; s * p->dt < 2.2; ++s) {
    mjcf_world_step(&w);
    const double now = sway(&w);
    most = fmax(most, fabs(now));
    if (now * before < 0.0) {
      time = (s - now / (now - before)) * p->dt;
      if (halves < 0) first_time = time;
      if (halves == 0) first = most;
      ++halves, last = most, most = 0.0;
    }
    before = now;
  }
  mjcf_world_destroy(&w);
  assert_true(halves > 4);
  const double half = (time - first_time) / halves;
  return (swing){pi / half, log(first / last) / ((halves - 1) * half)};
}

/* Five cubes of 1e5 Pa. Twice the rate over beta + dt is w_e^2 for each step and damping; with half
 * of the weight w^2 is half way between that and w^2. After a second the tower still moves, since
 * the damping ratio is a tenth to a quarter. */
static void a_tower_swings_as_long_as_its_damping_says(void **state) {
  (void)state;
  static const double numbers[][2] = {{0.01, 0.01}, {0.01, 0.005}, {0.01, 0.0025}, {0.02, 0.005}};
  double elastic = 0.0, whole = 0.0;
  for (int c = 0; c < test_effort(4, 1); ++c) {
    const double beta = numbers[c][0], dt = numbers[c][1];
    const swing s = swing_of(&(tower){5, 3, 1e5, beta, 0.002, 0.002, 1.0, dt});
    const double w_e2 = 2.0 * s.rate / (beta + dt);
    print_message("beta %g s, dt %g s: %.3f Hz, damping ratio %.3f, w_e^2 %.1f, w^2 %.1f\n", beta,
                  dt, s.frequency / (2.0 * pi), s.rate / s.frequency, w_e2,
                  s.frequency * s.frequency);
    if (c == 0) elastic = w_e2;
    if (c == 1) whole = s.frequency * s.frequency;
    if (!(fabs(w_e2 - elastic) < 0.06 * elastic)) fail_msg("w_e^2 %g, before %g", w_e2, elastic);
  }
  if (TEST_WATCHED) return;
  const swing light = swing_of(&(tower){5, 3, 1e5, 0.01, 0.002, 0.002, 0.5, 0.005});
  const double found = light.frequency * light.frequency, expected = 0.5 * (elastic + whole);
  print_message("half of the weight: w^2 %.1f, theory %.1f\n", found, expected);
  if (!(fabs(found - expected) < 0.06 * expected)) fail_msg("w^2 %g, theory %g", found, expected);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_pressed_from_two_sides_glides),
      cmocka_unit_test(other_models_let_it_fall),
      cmocka_unit_test(flush_rims_creep_as_friction_is_regularised),
      cmocka_unit_test(flush_rims_do_not_jump),
      cmocka_unit_test(rigid_contact_holds_what_sap_lets_creep),
      cmocka_unit_test(a_tower_swings_as_long_as_its_damping_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* tests/step/test_soft_spin.c: what neither damping nor contacts that do not act take from a soft
 * body: its spin, whatever all of the world moves with. */
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

// Angular momentum of body d about its centre.
static void spin_of(const mjcf_world *w, int d, double L[3]) {
  const int first = 3 * w->model->deformable_vertex[d];
  const limpet_fem_state s =
      limpet_fem_body_state(w->model->deformable_body[d], w->data->vertex_position + first,
                            w->data->vertex_velocity + first, NULL);
  double carried[3];
  limpet_vec3_cross(carried, s.centre, s.momentum);
  limpet_vec3_sub(L, s.angular_momentum, carried);
}

// Adds the motion v + w x r to body d, r from its centre.
static void move(mjcf_world *w, int d, const double v[3], const double omega[3]) {
  const int first = w->model->deformable_vertex[d], end = w->model->deformable_vertex[d + 1];
  const limpet_fem_state s = limpet_fem_body_state(
      w->model->deformable_body[d], w->data->vertex_position + 3 * first, NULL, NULL);
  for (int i = first; i < end; ++i) {
    double r[3], turn[3];
    limpet_vec3_sub(r, w->data->vertex_position + 3 * i, s.centre);
    limpet_vec3_cross(turn, omega, r);
    for (int k = 0; k < 3; ++k) w->data->vertex_velocity[3 * i + k] += v[k] + turn[k];
  }
}

// Share of the spin of a box that is left after 0.15 s on a smooth plane.
static double spin_left(const char *law, double damping, double dt) {
  char text[512];
  snprintf(text, sizeof text,
           "<mujoco><worldbody><geom type='plane' size='1 1 .1' friction='0'/>"
           "<limpet:deformable type='box' size='.05 .05 .05' cells='2 2 2' pos='0 0 .05' law='%s' "
           "young='1.4e7' poisson='.3' damping='%g' friction='0'/></worldbody></mujoco>",
           law, damping);
  mjcf_world w = mjcf_world_of(text, NULL);
  w.settings.time_step = dt;
  move(&w, 0, (const double[3]){0.0, 0.0, 0.0}, (const double[3]){0.0, 0.0, 15.0});
  double start[3], end[3];
  spin_of(&w, 0, start);
  mjcf_world_run(&w, 0.15);
  spin_of(&w, 0, end);
  mjcf_world_destroy(&w);
  return end[2] / start[2];
}

// Damping takes nothing of it; backward Euler does, (w dt)^2 in a step. It took 78 % here.
static void damping_leaves_spin(void **state) {
  (void)state;
  static const char *const laws[] = {"corotated", "neo-hookean", "neo-hookean-log",
                                     "linear-corotated"};
  const double dt = 4e-3;
  for (int law = 0; law < 4; ++law) {
    const double plain = spin_left(laws[law], 0.0, dt), damped = spin_left(laws[law], 1e-3, dt);
    if (!(fabs(damped - plain) < 1e-3)) fail_msg("%s: %g, undamped %g", laws[law], damped, plain);
    assert_true(plain > 0.85);
  }
}

/* A soft box spins close above another one that falls with it: contacts are looked for, and do not
 * act. The spin stays to round-off, as in free flight. */
static void idle_contacts_leave_spin(void **state) {
  (void)state;
  unsigned long seed = 5;
  int idle = 0;
  for (int scene = 0; scene < test_effort(24, 6); ++scene) {
    char text[1024];
    const char *law = scene % 2 ? "neo-hookean" : "linear-corotated";
    const double young = random_log(&seed, 1e5, 1e7), damping = scene % 4 < 2 ? 0.0 : 1e-3;
    snprintf(text, sizeof text,
             "<mujoco><worldbody><limpet:deformable type='box' size='.03 .03 .03' cells='2 2 2' "
             "pos='0 0 .0301' law='%s' young='%g' poisson='.3' damping='%g'/>"
             "<limpet:deformable type='box' size='.05 .05 .03' cells='2 2 2' pos='0 0 -.0305' "
             "law='%s' young='%g' poisson='.3' damping='%g'/></worldbody></mujoco>",
             law, young, damping, law, young, damping);
    mjcf_world w = mjcf_world_of(text, NULL);
    w.settings.time_step = random_log(&seed, 5e-4, 2e-3);
    double omega[3], start[3], end[3];
    random_vector(&seed, omega, 2, 0.1), omega[2] = 10.0;
    move(&w, 0, (const double[3]){0.0, 0.0, -2.95}, omega);
    move(&w, 1, (const double[3]){0.0, 0.0, -3.0}, (const double[3]){0.0, 0.0, 0.0});
    spin_of(&w, 0, start);
    mjcf_world_step(&w);
    spin_of(&w, 0, end);
    if (w.data->contact_count > 0 && w.data->info.touching_count == 0) {
      ++idle;
      assert_true(limpet_vec3_distance(start, end) < 1e-12 * limpet_vec3_norm(start));
    }
    mjcf_world_destroy(&w);
  }
  print_message("%d with contacts that do not act\n", idle);
  assert_true(idle > 2);
}

typedef struct company {
  const char *contact;
  char text[2400];
  double v[3][3], omega[3][3];  // of the rigid box, and of two soft ones
  double pos[3][3];
} company;

// All but `contact`.
static company random_company(unsigned long *seed, bool fields) {
  company c;
  char soft[2][400] = {"", ""};
  static const char *const laws[] = {"linear-corotated", "corotated", "neo-hookean"};
  for (int d = 0; d < 3; ++d) {
    random_vector(seed, c.v[d], 3, 0.4), random_vector(seed, c.omega[d], 3, 8.0);
    random_vector(seed, c.pos[d], 2, 0.01);
    c.pos[d][2] = 0.09 * d;
    c.v[d][2] -= 1.0 * d;
  }
  for (int d = 0; d < (fields ? 1 : 2); ++d)
    snprintf(soft[d], sizeof soft[d],
             "<limpet:deformable type='ellipsoid' size='%g %g %g' cells='2 2 2' "
             "pos='%.17g %.17g %.17g' law='%s' young='%g' poisson='.3' damping='%g' "
             "euler='%g %g %g'/>",
             random_log(seed, 0.02, 0.04), random_log(seed, 0.02, 0.04),
             random_log(seed, 0.03, 0.045), c.pos[d + 1][0], c.pos[d + 1][1], c.pos[d + 1][2],
             laws[(int)random_uniform(seed, 0.0, 2.999)], random_log(seed, 1e4, 1e7),
             d ? random_log(seed, 1e-4, 1e-2) : 0.0, random_uniform(seed, -20.0, 20.0),
             random_uniform(seed, -20.0, 20.0), random_uniform(seed, -20.0, 20.0));
  snprintf(
      c.text, sizeof c.text,
      "<mujoco><option timestep='%g'/><worldbody><body pos='%.17g %.17g 0'><freejoint/>"
      "<geom type='box' size='.05 .04 .03' density='1500' %s/></body>%s%s</worldbody></mujoco>",
      random_log(seed, 1e-3, 4e-3), c.pos[0][0], c.pos[0][1],
      fields ? "limpet:elastic_modulus='1e6'" : "", soft[0], soft[1]);
  return c;
}

static mjcf_world company_world(const company *c, const double common[3]) {
  mjcf_world w = mjcf_world_of(c->text, NULL);
  limpet_step_settings_contact_model(&w.settings, limpet_contact_model_find(c->contact));
  w.settings.tolerance = 1e-8;
  for (int d = 0; d < w.model->deformable_count; ++d) {
    double v[3];
    limpet_vec3_add(v, c->v[d + 1], common);
    move(&w, d, v, c->omega[d + 1]);
  }
  for (int k = 0; k < 3; ++k)
    w.data->v[k] = c->v[0][k] + common[k], w.data->v[3 + k] = c->omega[0][k];
  return w;
}

// The state of `from` with another common velocity.
static void state_take(mjcf_world *to, const mjcf_world *from, const double common[3]) {
  const int n = 3 * from->model->vertex_count;
  memcpy(to->data->vertex_position, from->data->vertex_position, (size_t)n * sizeof(double));
  for (int i = 0; i < n; ++i)
    to->data->vertex_velocity[i] = from->data->vertex_velocity[i] + common[i % 3];
  memcpy(to->data->q, from->data->q, 7 * sizeof(double));
  for (int i = 0; i < 6; ++i) to->data->v[i] = from->data->v[i] + (i < 3 ? common[i] : 0.0);
}

/* Bodies that meet in free fall, a rigid one and two soft ones or, with a pressure field, one, and
 * the same at another common velocity: single steps from the same states agree, relative to the
 * fastest velocity that the bodies have among themselves: what is left is the tolerance of a step.
 */
static void common_velocity_changes_nothing(const char *contact, bool fields) {
  unsigned long seed = 2026;
  double worst = 0.0;
  int touched = 0, steps = 0;
  for (int scene = 0; scene < test_effort(16, 4); ++scene) {
    company c = random_company(&seed, fields);
    c.contact = contact;
    double common[3];
    random_vector(&seed, common, 3, 10.0);
    mjcf_world w = company_world(&c, (const double[3]){0.0, 0.0, 0.0});
    for (int i = 0; i < 30; ++i) {
      mjcf_world twin = company_world(&c, common), own = company_world(&c, common);
      state_take(&twin, &w, common), state_take(&own, &w, (const double[3]){0.0, 0.0, 0.0});
      const bool solved =
          limpet_step(own.model, own.data, &own.settings) == LIMPET_OUTCOME_SOLVED &&
          limpet_step(twin.model, twin.data, &twin.settings) == LIMPET_OUTCOME_SOLVED;
      double off = 0.0, fast = 0.0;
      for (int k = 0; k < 3 * w.model->vertex_count; ++k) {
        off = fmax(off, fabs(own.data->vertex_velocity[k] + common[k % 3] -
                             twin.data->vertex_velocity[k]));
        fast = fmax(fast, fabs(own.data->vertex_velocity[k]));
      }
      if (solved) worst = fmax(worst, off / fast), ++steps;
      touched += own.data->info.touching_count > 0;
      mjcf_world_destroy(&twin), mjcf_world_destroy(&own);
      limpet_step(w.model, w.data, &w.settings);
    }
    mjcf_world_destroy(&w);
  }
  print_message("%d steps, %d touch, off by %.2g\n", steps, touched, worst);
  assert_true(touched > steps / 10);
  assert_true(worst < 2e-9);
}

static void soft_twins_that_move(void **state) {
  (void)state;
  common_velocity_changes_nothing("coulomb", false);
  common_velocity_changes_nothing("similar", false);
}

static void field_twins_that_move(void **state) {
  (void)state;
  common_velocity_changes_nothing("coulomb", true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(damping_leaves_spin), cmocka_unit_test(idle_contacts_leave_spin),
      cmocka_unit_test(soft_twins_that_move), cmocka_unit_test(field_twins_that_move)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* tests/step/test_soft_contact.c: points of deformable bodies with rigid geoms: wherever a geom is
 * bent, no part of a soft surface may be inside, and what is pressed over an edge comes to rest. */
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
#include "collide/shape_of_geom.h"
#include "math/vec3.h"
#include "mjcf_world.h"
#include "random_models.h"

enum { SAMPLES = TEST_WATCHED ? 3 : 6 };  // along the sides of a triangle

static double fastest(const mjcf_world *w) {
  double most = 0.0;
  for (int i = 0; i < w->model->vertex_count; ++i)
    most = fmax(most, limpet_vec3_norm(w->data->vertex_velocity + 3 * i));
  return most;
}

// Deepest point [m] of a triangle within a shape, by samples.
static double depth_of_triangle(const limpet_shape *shape, const double *const x[3]) {
  double deepest = 0.0;
  for (int i = 0; i <= SAMPLES; ++i)
    for (int k = 0; i + k <= SAMPLES; ++k) {
      const double b = (double)i / SAMPLES, c = (double)k / SAMPLES;
      double at[3], phi;
      for (int j = 0; j < 3; ++j) at[j] = (1.0 - b - c) * x[0][j] + b * x[1][j] + c * x[2][j];
      limpet_signed_distance(shape, at, 1, &phi, NULL);
      deepest = fmax(deepest, -phi);
    }
  return deepest;
}

// Deepest point [m] of any soft surface within a geom.
static double depth_within_one(mjcf_world *w, int geom) {
  const limpet_model *model = w->model;
  const limpet_shape shape = limpet_shape_of_geom(model, w->data, geom);
  double deepest = 0.0;
  for (int d = 0; d < model->deformable_count; ++d) {
    const limpet_fem_body *body = model->deformable_body[d];
    const int *face = limpet_fem_body_faces(body);
    for (int f = 0; f < limpet_fem_body_information(body).face_count; ++f) {
      const double *x[3];
      for (int k = 0; k < 3; ++k)
        x[k] = w->data->vertex_position + 3 * (model->deformable_vertex[d] + face[3 * f + k]);
      deepest = fmax(deepest, depth_of_triangle(&shape, x));
    }
  }
  return deepest;
}

// The same of all rigid geoms.
static double depth_within(mjcf_world *w) {
  double deepest = 0.0;
  limpet_kinematics(w->model, w->data);
  limpet_geom_kinematics(w->model, w->data, false);
  for (int g = 0; g < w->model->geom_count; ++g)
    if (w->model->geom_kind[g] != LIMPET_SHAPE_SOFT)
      deepest = fmax(deepest, depth_within_one(w, g));
  return deepest;
}

// ------------------------------------------------------------------------------- one thing each

/* A soft bar lies over edges, or is clamped and bends over one, and a small box stands in the
 * middle of a triangle: in the end nothing moves, and nothing is deeper than 1 um: near-rigid
 * contact at 2 ms and some newtons gives way by 0.1 um. */
static void rests_on(const char *inside, double time, double speed) {
  char text[2048];
  snprintf(text, sizeof text,
           "<mujoco><option timestep='0.002'/><worldbody>%s</worldbody></mujoco>", inside);
  mjcf_world w = mjcf_world_of(text, NULL);
  mjcf_world_run(&w, time);
  const double v = fastest(&w), deep = depth_within(&w);
  if (!(v < speed)) fail_msg("%s: %g m/s after %g s", inside, v, time);
  if (!(deep < 1e-6)) fail_msg("%s: %g m deep", inside, deep);
  assert_true(w.data->info.touching_count > 0);
  mjcf_world_destroy(&w);
}

static void a_bar_bridges_two_ridges(void **state) {
  (void)state;
  rests_on(
      "<geom type='box' size='.02 .05 .02' euler='0 45 0' pos='-.037 0 0'/>"
      "<geom type='box' size='.02 .05 .02' euler='0 45 0' pos='.037 0 0'/>"
      "<limpet:deformable type='box' size='.06 .02 .01' cells='6 2 1' pos='0 0 .0385' "
      "young='1e5' damping='0.01'/>",
      1.5, 1e-6);
}

static void a_clamped_bar_bends_over_an_edge(void **state) {
  (void)state;
  rests_on(
      "<geom type='box' size='.05 .05 .05' pos='.013 0 -.06'/>"
      "<limpet:deformable type='box' size='.08 .015 .005' cells='8 2 1' young='1e5' "
      "damping='0.02'><limpet:tie box='-.081 -1 -1 -.079 1 1'/></limpet:deformable>",
      2.0, 1e-6);
}

static void a_small_box_stands_on_one_triangle(void **state) {
  (void)state;
  rests_on(
      "<body pos='.012 -.008 .0505'><freejoint/><geom type='box' size='.004 .004 .01' "
      "mass='0.02'/></body><geom type='plane' size='1 1 .1'/>"
      "<limpet:deformable type='box' size='.04 .04 .02' cells='2 2 1' pos='0 0 .0201' "
      "young='1e5' damping='0.02'/>",
      1.5, 1e-6);
}

// It rolls off in the end: the ground gives way more towards its sides.
static void a_capsule_lies_on_soft_ground(void **state) {
  (void)state;
  rests_on(
      "<body pos='.001 .002 .0475' euler='0 90 30'><freejoint/><geom type='capsule' "
      "size='.007 .02' mass='0.05'/></body><geom type='plane' size='1 1 .1'/>"
      "<limpet:deformable type='box' size='.04 .04 .02' cells='3 3 2' pos='0 0 .0201' "
      "young='1e5' damping='0.02'/>",
      1.0, 1e-5);
}

/* A soft ball between two fingers whose lower edges cut into it: it is at rest, and the energy of
 * all steps does not rise by more than a thousandth of what is stored. */
static void a_grip_over_edges_is_quiet(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='1 1 .1'/>"
      "<body pos='-.04 0 .08'><joint name='l' type='slide' axis='1 0 0' damping='5'/>"
      "<geom type='box' size='.008 .02 .05' mass='.1'/></body>"
      "<body pos='.04 0 .08'><joint name='r' type='slide' axis='-1 0 0' damping='5'/>"
      "<geom type='box' size='.008 .02 .05' mass='.1'/></body>"
      "<limpet:deformable type='ellipsoid' size='.03 .025 .04' cells='6 6 6' pos='0 0 .0405' "
      "young='5e4' poisson='.45' density='900' damping='.004'/></worldbody>"
      "<actuator><motor joint='l'/><motor joint='r'/></actuator></mujoco>",
      NULL);
  w.data->control[0] = w.data->control[1] = 5.0;
  w.settings.energy = true;
  double rise = 0.0, deep = 0.0;
  for (int i = 0; i < 400; ++i) {
    mjcf_world_step(&w);
    rise += w.data->info.energy_rise;
    if (i > 200 && i % test_effort(1, 10) == 0) deep = fmax(deep, depth_within(&w));
  }
  const double v = fastest(&w);
  if (!(v < 1e-6)) fail_msg("%g m/s", v);
  if (!(deep < 1e-6)) fail_msg("%g m deep", deep);
  if (!(rise < 1e-3)) fail_msg("%g J risen", rise);
  mjcf_world_destroy(&w);
}

// ------------------------------------------------------------------------------- at random

static double between_log(unsigned long *seed, double low, double high) {
  return exp(random_uniform(seed, log(low), log(high)));
}

/* A soft ball thrown onto a rigid thing of a random kind, size and attitude. Contacts are those of
 * the start of a step, along its normals, so a surface that turns during a step gets inside by the
 * square of its way: 0.5 mm at 1 m/s and 2 ms over 8 mm of curvature. Edges of a cylinder get in by
 * 0.2 mm. */
static void thrown_onto(unsigned long *seed, int number) {
  static const char *const kinds[] = {"box", "capsule", "cylinder", "sphere", "ellipsoid"};
  char text[2048];
  // drawn one by one: the order in which arguments are evaluated is the compiler's
  const double young = between_log(seed, 1e4, 1e6), nu = random_uniform(seed, 0.0, 0.45);
  double size[3], turn[3], beside[2];
  for (int k = 0; k < 3; ++k) size[k] = random_uniform(seed, .008, .03);
  for (int k = 0; k < 3; ++k) turn[k] = random_uniform(seed, -90, 90);
  for (int k = 0; k < 2; ++k) beside[k] = random_uniform(seed, -.01, .01);
  const double friction = random_uniform(seed, 0.0, 1.0);
  snprintf(text, sizeof text,
           "<mujoco><option timestep='0.001'/><worldbody>"
           "<geom type='%s' size='%g %g %g' euler='%g %g %g'/>"
           "<limpet:deformable type='ellipsoid' size='.03 .025 .035' cells='4 4 4' "
           "pos='%g %g .08' young='%g' poisson='%g' damping='.002' friction='%g'/>"
           "</worldbody></mujoco>",
           kinds[number % 5], size[0], size[1], size[2], turn[0], turn[1], turn[2], beside[0],
           beside[1], young, nu, friction);
  mjcf_world w = mjcf_world_of(text, NULL);
  for (int i = 0; i < w.model->vertex_count; ++i) w.data->vertex_velocity[3 * i + 2] = -0.3;
  double deep = 0.0;
  int touched = 0;
  for (int i = 0; i < 250; ++i) {
    mjcf_world_step(&w);
    if (i % test_effort(1, 3) == 0) deep = fmax(deep, depth_within(&w));
    touched += w.data->info.touching_count > 0;
  }
  const double allowed = 3e-4;
  if (!(deep < allowed)) fail_msg("scene %d: %s\n%g m deep", number, text, deep);
  if (touched == 0) fail_msg("scene %d: never touched", number);
  mjcf_world_destroy(&w);
}

/* A soft ball or sheet falls onto a slanted plate that is much longer than it: what contacts say is
 * no deeper than what is inside, 0.3 mm as above. The plate's corners are metres away, and lie
 * behind triangles of the far side. */
static void on_a_long_plate(unsigned long *seed, int number) {
  char text[2048];
  double size[3], turn[3];
  for (int k = 0; k < 2; ++k) size[k] = between_log(seed, .1, 3.0);
  size[2] = between_log(seed, .005, .05);
  for (int k = 0; k < 3; ++k) turn[k] = random_uniform(seed, -40, 40);
  const double young = between_log(seed, 1e4, 1e6);
  const char *shell = number % 2 ? "shell='true' thickness='.001'" : "";
  snprintf(text, sizeof text,
           "<mujoco><option timestep='0.001'/><worldbody>"
           "<geom type='box' size='%g %g %g' euler='%g %g %g'/>"
           "<limpet:deformable type='ellipsoid' size='.03 .025 .035' cells='4 4 4' %s "
           "pos='0 0 %g' young='%g' damping='.002'/></worldbody></mujoco>",
           size[0], size[1], size[2], turn[0], turn[1], turn[2], shell, 0.05 + 2.5 * size[2],
           young);
  mjcf_world w = mjcf_world_of(text, NULL);
  for (int i = 0; i < w.model->vertex_count; ++i) w.data->vertex_velocity[3 * i + 2] = -0.3;
  double deep = 0.0;
  int touched = 0;
  for (int i = 0; i < 300; ++i) {
    mjcf_world_step(&w);
    for (int c = 0; c < w.data->contact_count; ++c) deep = fmax(deep, -w.data->contact_distance[c]);
    touched += w.data->info.touching_count > 0;
  }
  if (!(deep < 3e-4)) fail_msg("scene %d: %s\n%g m deep", number, text, deep);
  if (touched == 0) fail_msg("scene %d: never touched", number);
  mjcf_world_destroy(&w);
}

static void corners_far_away_touch_nothing(void **state) {
  (void)state;
  unsigned long seed = 16;
  for (int i = 0; i < test_effort(10, 1); ++i) on_a_long_plate(&seed, i);
}

static void nothing_gets_inside(void **state) {
  (void)state;
  unsigned long seed = 15;
  for (int i = 0; i < test_effort(15, 2); ++i) thrown_onto(&seed, i);
}

/* A soft block over the edge of a box, which is where x is 0: one end is lowest, 0.2 mm above the
 * box, the other one sinks beside it, so that the edge of the box would be 0.6 mm inside after a
 * step. Contacts are at that edge; what is only found along the ways of a step is 0.5 mm beside. */
static void an_edge_that_swings_down_meets_an_edge(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      "<mujoco><option timestep='2e-3' gravity='0 0 0'/><worldbody><geom type='box' size='.1 .1 "
      ".1' pos='-.1 0 -.1' friction='.5'/><limpet:deformable type='box' size='.05 .02 .02' "
      "cells='1 1 1' pos='.03 0 .0211' euler='0 -1 0' young='1e6'/></worldbody></mujoco>",
      NULL);
  const double *x = w.data->vertex_position;
  double low = INFINITY;
  for (int i = 0; i < w.model->vertex_count; ++i) {
    low = fmin(low, x[3 * i + 2]);
    w.data->vertex_velocity[3 * i + 2] = -30.0 * (x[3 * i] + 0.02);
  }
  assert_true(low > 1e-4 && low < 3e-4);
  assert_int_equal(limpet_step(w.model, w.data, &w.settings), LIMPET_OUTCOME_SOLVED);
  double force = 0.0;
  for (int i = 0; i < w.data->contact_count; ++i)
    if (fabs(w.data->contact_position[3 * i]) < 1e-4) force += w.data->contact_force[3 * i + 2];
  assert_true(force > 1.0);
  mjcf_world_destroy(&w);
}

// ------------------------------------------------------------------------------ curved fields

// Sums force and torque about the origin of what contacts do to geom B, and of what vertices feel.
static void sum_contacts(const limpet_data *data, double on_b[6], double on_vertices[6]) {
  double f[3], x[3], turn[3];
  for (int i = 0; i < data->contact_count; ++i) {
    limpet_mat3_tmul_vec(f, data->contact_frame + 9 * i, data->contact_force + 3 * i);
    limpet_vec3_cross(turn, data->contact_position + 3 * i, f);
    for (int k = 0; k < 3; ++k) on_b[k] += f[k], on_b[3 + k] += turn[k];
  }
  for (int i = 0; i < data->model->vertex_count; ++i) {
    const double *force = data->vertex_force + 3 * i;
    limpet_vec3_copy(x, data->model->vertex_reference + 3 * i);
    limpet_vec3_cross(turn, x, force);
    for (int k = 0; k < 3; ++k) on_vertices[k] += force[k], on_vertices[3 + k] += turn[k];
  }
}

/* Points of a soft surface in a curved field hang on the vertices of their triangles: forces of
 * vertices have the sum and the torque of the contacts. All where the body was at the start. */
static void curved_fields_press_on_their_triangles(void **state) {
  (void)state;
  static const char *const shapes[] = {"sphere", "ellipsoid", "capsule", "cylinder"};
  unsigned long seed = 7;
  for (int k = 0; k < 4; ++k) {
    char text[1024];
    double q[4];
    random_quaternion(&seed, q);
    snprintf(text, sizeof text,
             "<mujoco><option timestep='1e-4' gravity='0 0 0'/><worldbody>"
             "<geom type='%s' size='.05 .04 .06' quat='%.9g %.9g %.9g %.9g' friction='.5' "
             "limpet:elastic_modulus='1e6'/>"
             "<limpet:deformable type='box' size='.03 .04 .02' cells='3 3 2' pos='.01 -.01 .05' "
             "euler='10 20 30' young='1e6'/></worldbody></mujoco>",
             shapes[k], q[0], q[1], q[2], q[3]);
    mjcf_world w = mjcf_world_of(text, NULL);
    for (int i = 0; i < w.model->vertex_count; ++i)
      w.data->vertex_velocity[3 * i] = 0.05, w.data->vertex_velocity[3 * i + 2] = -0.3;
    assert_int_equal(limpet_step(w.model, w.data, &w.settings), LIMPET_OUTCOME_SOLVED);
    double on_b[6] = {0.0}, on_vertices[6] = {0.0};
    sum_contacts(w.data, on_b, on_vertices);
    const double sign = w.data->contact_geom[1] == w.model->deformable_geom[0] ? 1.0 : -1.0;
    const double force = limpet_vec3_norm(on_b);
    assert_true(w.data->contact_count > 0 && force > 1.0);
    for (int i = 0; i < 6; ++i)
      assert_true(fabs(on_vertices[i] - sign * on_b[i]) < (i < 3 ? 1e-9 : 1e-10) * force);
    mjcf_world_destroy(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_bar_bridges_two_ridges),
                                     cmocka_unit_test(a_clamped_bar_bends_over_an_edge),
                                     cmocka_unit_test(a_small_box_stands_on_one_triangle),
                                     cmocka_unit_test(a_capsule_lies_on_soft_ground),
                                     cmocka_unit_test(a_grip_over_edges_is_quiet),
                                     cmocka_unit_test(corners_far_away_touch_nothing),
                                     cmocka_unit_test(nothing_gets_inside),
                                     cmocka_unit_test(an_edge_that_swings_down_meets_an_edge),
                                     cmocka_unit_test(curved_fields_press_on_their_triangles)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

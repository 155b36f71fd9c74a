/* tests/step/test_soft_crossing.c: cloths that fall on each other, plates of 1 mm that fall on
 * cloths, cloths that fall on edges, and walls of balloons that are crushed do not pass through
 * each other, however fast, stiff, thin or long the step; and a step that lets something pass, or a
 * cloth into what is shot at it, says so. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "crossing_scenes.h"
#include "effort.h"
#include "limpet/distance.h"
#include "limpet/fem.h"
#include "random_models.h"
#include "soft_crossing.h"

static const double inset = 1e-4;  // [m]  contacts with boxes may be as deep

typedef void scene_maker(unsigned long *seed, double time_step, double speed,
                         crossing_scene *scene);

// Falls of 0.1 to 10 m/s with steps of 0.5 to 5 ms: nothing crosses where any step ends.
static void nothing_crosses(scene_maker *make, unsigned long seed, int falls, bool boxes) {
  static const char *const models[] = {"coulomb", "lagged", "similar", "sap"};
  static crossing_scene s;
  int touched = 0;
  for (int i = 0; i < falls; ++i) {
    const double speed = random_log(&seed, .1, 10.0), dt = random_log(&seed, 5e-4, 5e-3);
    make(&seed, dt, speed, &s);
    mjcf_world w = crossing_world(&s, models[i % 4]);
    bool touches = false;
    for (int k = 0; k < (int)(.15 / dt); ++k) {
      limpet_step(w.model, w.data, &w.settings);
      touches = touches || w.data->info.touching_count > 0;
      const double through = soft_crossing(&w),
                   inside = boxes ? soft_crossing_of_boxes(&w, inset) : 0.0;
      if (through > 0.0 || inside > 0.0 || w.data->info.crossing_count > 0)
        fail_msg(
            "fall %d (%s, %g m/s, steps of %g s): step %d ends with %g m through a cloth, %g m "
            "in a box, %d passes told",
            i, models[i % 4], speed, dt, k, through, inside, w.data->info.crossing_count);
    }
    touched += touches;
    mjcf_world_destroy(&w);
  }
  if (2 * touched < falls) fail_msg("only %d falls touched anything", touched);
}

static void cloths_fall_on_cloths(void **state) {
  (void)state;
  nothing_crosses(crossing_cloths, 1502, test_effort(8, 1), false);
}

static void thin_plates_fall_on_cloths(void **state) {
  (void)state;
  nothing_crosses(crossing_plate, 1503, test_effort(10, 2), true);
}

static void cloths_fall_on_edges(void **state) {
  (void)state;
  nothing_crosses(crossing_edge, 1504, test_effort(10, 2), true);
}

// The deepest [m] that points of triangles of the first deformable body are in the geom `geom`.
static double depth_in(const mjcf_world *w, int geom) {
  enum { PARTS = 8 };
  const limpet_fem_body *body = w->model->deformable_body[0];
  const int *face = limpet_fem_body_faces(body),
            count = limpet_fem_body_information(body).face_count;
  const limpet_shape shape = {.kind = w->model->geom_kind[geom],
                              .size = w->model->geom_size + 3 * geom,
                              .position = w->data->geom_position + 3 * geom,
                              .rotation = w->data->geom_rotation + 9 * geom};
  double deepest = 0.0;
  for (int f = 0; f < count; ++f)
    for (int i = 0; i <= PARTS; ++i)
      for (int j = 0; i + j <= PARTS; ++j) {
        const double b[3] = {(double)i / PARTS, (double)j / PARTS, (double)(PARTS - i - j) / PARTS};
        double x[3] = {0.0, 0.0, 0.0}, phi;
        for (int k = 0; k < 9; ++k)
          x[k % 3] += b[k / 3] * w->data->vertex_position[3 * face[3 * f + k / 3] + k % 3];
        limpet_signed_distance(&shape, x, 1, &phi, NULL);
        deepest = fmax(deepest, -phi);
      }
  return deepest;
}

/* Rigid geoms without corners that are shot at cloths with 1 to 50 m/s: a step that lets a cloth in
 * by more than 0.1 mm says so. */
static void shots_are_outside_or_told(void **state) {
  (void)state;
  static const char *const models[] = {"coulomb", "lagged", "similar", "sap"};
  static crossing_scene s;
  unsigned long seed = 1506;
  const int shots = test_effort(8, 2);
  int steps = 0, rounds = 0, told = 0;
  for (int i = 0; i < shots; ++i) {
    const double speed = random_log(&seed, 1.0, 50.0), dt = random_log(&seed, 5e-4, 5e-3);
    crossing_shot(&seed, dt, speed, &s);
    mjcf_world w = crossing_world(&s, models[i % 4]);
    for (int k = 0; k < 15; ++k, ++steps) {
      const limpet_outcome outcome = limpet_step(w.model, w.data, &w.settings);
      const limpet_step_info *info = &w.data->info;
      rounds += info->crossing_rounds, told += info->crossing_count > 0;
      assert_true(info->crossing_count == 0 || outcome >= LIMPET_OUTCOME_ITERATION_LIMIT);
      limpet_kinematics(w.model, w.data);
      limpet_geom_kinematics(w.model, w.data, true);
      const double depth = depth_in(&w, 1 - w.model->deformable_geom[0]),
                   most = fmax(inset, info->crossing_depth);
      if (depth > 1.001 * most)
        fail_msg(
            "shot %d (%s, %g m/s, steps of %g s): step %d ends with a cloth %g m in a geom, "
            "%g m told",
            i, models[i % 4], speed, dt, k, depth, info->crossing_depth);
    }
    mjcf_world_destroy(&w);
  }
  if (rounds == 0 || 20 * told > steps) fail_msg("%d rounds, %d of %d told", rounds, told, steps);
}

static void balloons_are_crushed(void **state) {
  (void)state;
  nothing_crosses(crossing_balloon, 1505, 2, false);
}

/* Which side a thing is on is in the state alone: a world that takes the state over before each
 * step ends it with the same bits, also of steps that are solved anew. */
static void a_restart_ends_alike(void **state) {
  (void)state;
  static crossing_scene s;
  unsigned long seed = 1503;
  int rounds = 0;
  for (int i = 0; i < 2; ++i) {
    crossing_plate(&seed, 2e-3, 8.0, &s);
    mjcf_world w = crossing_world(&s, NULL);
    limpet_data *other = limpet_data_create(w.model);
    for (int k = 0; k < 20; ++k) {
      limpet_data_state_copy(w.data, other);
      limpet_step(w.model, w.data, &w.settings);
      limpet_step(w.model, other, &w.settings);
      rounds += w.data->info.crossing_rounds;
      assert_true(limpet_data_state_hash(w.model, w.data) ==
                  limpet_data_state_hash(w.model, other));
      assert_int_equal(w.data->info.crossing_rounds, other->info.crossing_rounds);
    }
    limpet_data_destroy(other);
    mjcf_world_destroy(&w);
  }
  if (rounds == 0) fail_msg("no step was solved anew");
}

/* Wires that a weld pulls through cloths with 0.05 to 5 m/s: the first step in which an axis ends
 * through a face says so. Afterwards it has passed. */
static void wires_are_outside_or_told(void **state) {
  (void)state;
  static const char *const models[] = {"coulomb", "lagged", "similar", "sap"};
  static crossing_scene s;
  unsigned long seed = 1507;
  const int pulls = test_effort(80, 40);
  int touched = 0, told = 0, through = 0;
  for (int i = 0; i < pulls; ++i) {
    const double speed = random_log(&seed, .05, 5.0), dt = random_log(&seed, 5e-4, 5e-3);
    crossing_wire(&seed, dt, speed, &s);
    mjcf_world w = crossing_world(&s, models[i % 4]);
    assert_true(soft_crossing_of_axes(&w) == 0.0);
    bool touches = false, tells = false, crosses = false;
    for (int k = 0; k < 150 && !tells && !crosses; ++k) {
      w.data->mocap_position[2] -= speed * dt;
      limpet_step(w.model, w.data, &w.settings);
      touches = touches || w.data->info.touching_count > 0;
      tells = w.data->info.crossing_count > 0;
      const double depth = soft_crossing_of_axes(&w);
      crosses = depth > 0.0;
      if (crosses && !tells)
        fail_msg("pull %d (%s, %g m/s, steps of %g s): step %d ends %g m through, untold", i,
                 models[i % 4], speed, dt, k, depth);
    }
    touched += touches, told += tells, through += crosses;
    mjcf_world_destroy(&w);
  }
  print_message("%d pulls: %d touched, %d told, %d through\n", pulls, touched, told, through);
  if (2 * touched < pulls) fail_msg("only %d pulls touched anything", touched);
}

// A box whose contacts have a stiffness of their own sinks into a soft one: nothing passes.
static void a_stiffness_lets_in(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      "<mujoco><worldbody><geom type='plane' size='1 1 1'/>"
      "<body pos='0 0 .135'><freejoint/><geom type='box' size='.02 .02 .02' mass='.1' "
      "limpet:stiffness='20'/></body>"
      "<limpet:deformable type='box' size='.05 .05 .05' cells='3 3 3' pos='0 0 .051' "
      "young='1e6'/></worldbody></mujoco>",
      NULL);
  double deep = 0.0;
  for (int i = 0; i < 150; ++i) {
    assert_int_equal(limpet_step(w.model, w.data, &w.settings), LIMPET_OUTCOME_SOLVED);
    assert_int_equal(w.data->info.crossing_rounds, 0);
    deep = fmax(deep, w.data->info.deepest_penetration);
  }
  assert_true(deep > 1e-3);
  mjcf_world_destroy(&w);
}

// A triangle 2.6 mm above a box, in whose plane a corner of the box lies 14 mm deep: no contact.
static void a_triangle_beside_a_box_is_none(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      "<mujoco><option gravity='0 0 0'/><worldbody>"
      "<body euler='45 0 0'><freejoint/><geom type='box' size='.02 .02 .02' mass='.1'/></body>"
      "<limpet:deformable type='direct' shell='true' thickness='1e-3' young='1e5' "
      "point='0.01778 -0.01417 0.01798  0.00298 -0.00466 0.02749  0.01341 -0.01337 0.03141' "
      "faces='0 "
      "1 2'/></worldbody></mujoco>",
      NULL);
  assert_int_equal(limpet_step(w.model, w.data, &w.settings), LIMPET_OUTCOME_SOLVED);
  for (int i = 0; i < w.data->contact_count; ++i)
    if (w.data->contact_distance[i] < 0.0)
      fail_msg("contact %d is %g m deep", i, -w.data->contact_distance[i]);
  mjcf_world_destroy(&w);
}

/* Two cloths that mocap bodies hold by all their vertices: nothing can stop them. The step in which
 * they pass is not solved, and tells how far and which vertex. */
static void what_passes_is_told(void **state) {
  (void)state;
  static const char text[] =
      "<mujoco><option timestep='0.01'/><worldbody>"
      "<body name='hand' mocap='true'/>"
      "<limpet:deformable type='direct' shell='true' thickness='1e-3' young='1e5' "
      "point='0 0 0  .1 0 0  .1 .1 0  0 .1 0' faces='0 1 2 0 2 3'>"
      "<limpet:tie box='-1 -1 -1 1 1 1'/></limpet:deformable>"
      "<limpet:deformable type='direct' shell='true' thickness='1e-3' young='1e5' "
      "pos='.03 .02 .05' euler='20 0 0' point='0 0 0  .1 0 0  .1 .1 0  0 .1 0' "
      "faces='0 1 2 0 2 3'><limpet:tie body='hand' box='-1 -1 -1 1 1 1'/></limpet:deformable>"
      "</worldbody></mujoco>";
  mjcf_world w = mjcf_world_of(text, NULL);
  const limpet_step_info *info = &w.data->info;
  w.data->mocap_position[2] -= .07;
  limpet_outcome outcome = LIMPET_OUTCOME_SOLVED;
  for (int i = 0; i < 4 && !(soft_crossing(&w) > 0.0); ++i) {
    assert_int_equal(outcome, LIMPET_OUTCOME_SOLVED);
    assert_int_equal(info->crossing_count, 0);
    outcome = limpet_step(w.model, w.data, &w.settings);
  }
  assert_true(soft_crossing(&w) > 0.0);
  assert_int_equal(outcome, LIMPET_OUTCOME_ITERATION_LIMIT);
  assert_true(info->crossing_count > 0 && info->crossing_rounds > 0);
  assert_true(info->crossing_depth > 1e-3 && info->crossing_depth < .07);
  assert_true(info->crossing_vertex >= 0 && info->crossing_vertex < w.model->vertex_count);
  mjcf_world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(cloths_fall_on_cloths),
                                     cmocka_unit_test(thin_plates_fall_on_cloths),
                                     cmocka_unit_test(cloths_fall_on_edges),
                                     cmocka_unit_test(a_restart_ends_alike),
                                     cmocka_unit_test(a_stiffness_lets_in),
                                     cmocka_unit_test(what_passes_is_told),
                                     cmocka_unit_test(balloons_are_crushed),
                                     cmocka_unit_test(shots_are_outside_or_told),
                                     cmocka_unit_test(wires_are_outside_or_told),
                                     cmocka_unit_test(a_triangle_beside_a_box_is_none)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

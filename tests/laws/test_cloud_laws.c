/* tests/laws/test_cloud_laws.c: bodies whose surface is a point cloud, in the scheme `discrete`:
 * rest, resting height, the numbering of the points, grasps. The blob has 992 points and weighs 0.4
 * kg; boxes of points weigh 0.5 kg. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "blob.h"
#include "limpet/limpet.h"
#include "math/vec3.h"
#include "shared_data.h"

enum { SIDE = 11, BOX_POINTS = 6 * SIDE * SIDE };

static const double g0 = 9.81, half = 0.05;
static double blob[3 * BLOB_POINTS], box[3 * BOX_POINTS];

static int setup(void **state) {
  (void)state;
  blob_points(blob, BLOB_POINTS);
  for (int i = 0; i < BOX_POINTS; ++i) {
    const int face = i / (SIDE * SIDE), axis = face / 2, u = i % SIDE, v = i / SIDE % SIDE;
    box[3 * i + axis] = face % 2 ? half : -half;
    box[3 * i + (axis + 1) % 3] = half * (2.0 * u / (SIDE - 1) - 1.0);
    box[3 * i + (axis + 2) % 3] = half * (2.0 * v / (SIDE - 1) - 1.0);
  }
  return 0;
}

typedef struct world {
  limpet_builder *builder;
  limpet_model *model;
  limpet_data *data;
  limpet_step_settings settings;
} world;

static world world_begin(bool floor) {
  world w = {.builder = limpet_builder_create()};
  limpet_geom_description g = limpet_geom_description_default();
  g.kind = LIMPET_SHAPE_PLANE;
  if (floor) limpet_builder_add_geom(w.builder, &g);
  return w;
}

// A free body of mass m with the inertia of a cube of half length `half`, whatever its geom.
static limpet_geom_description add_body(world *w, double m, const double position[3],
                                        limpet_joint_kind kind) {
  limpet_body_description b = limpet_body_description_default();
  limpet_vec3_copy(b.position, position);
  b.has_inertial = true, b.mass = m;
  for (int i = 0; i < 3; ++i) b.inertia[i] = m * half * half * 2.0 / 3.0;
  limpet_joint_description j = limpet_joint_description_default();
  limpet_geom_description g = limpet_geom_description_default();
  j.body = g.body = limpet_builder_add_body(w->builder, &b);
  j.kind = kind;
  limpet_vec3_set(j.axis, 0.0, 1.0, 0.0);
  limpet_builder_add_joint(w->builder, &j);
  return g;
}

static void add_cloud(world *w, double m, const double position[3], const double *points,
                      int count) {
  limpet_cloud_description c = limpet_cloud_description_default();
  c.point_count = count, c.points = points;
  limpet_geom_description g = add_body(w, m, position, LIMPET_JOINT_FREE);
  g.kind = LIMPET_SHAPE_CLOUD;
  g.cloud = limpet_builder_add_cloud(w->builder, &c);
  limpet_builder_add_geom(w->builder, &g);
}

static void world_end(world *w) {
  limpet_error error;
  w->model = limpet_builder_compile(w->builder, &error);
  if (!w->model) fail_msg("%s", error.message);
  limpet_builder_destroy(w->builder);
  w->data = limpet_data_create(w->model);
  assert_non_null(w->data);
  w->settings = limpet_step_settings_default(w->model);
}

static void world_destroy(world *w) {
  limpet_data_destroy(w->data);
  limpet_model_destroy(w->model);
}

// Steps that end at the iteration limit; all others are solved.
static int unsolved(world *w, double time) {
  const int steps = (int)(time / w->settings.time_step + 0.5);
  int count = 0;
  for (int i = 0; i < steps; ++i) {
    const limpet_outcome outcome = limpet_step(w->model, w->data, &w->settings);
    if (limpet_outcome_failed(outcome)) fail_msg("t = %g s: failed", w->data->time);
    count += outcome != LIMPET_OUTCOME_SOLVED;
  }
  return count;
}

static void run(world *w, double time) { assert_int_equal(unsolved(w, time), 0); }

// Sum of the contact forces along a world axis on everything but the world, normal and friction.
static double force_along(const limpet_data *data, int axis) {
  double sum = 0.0;
  for (int i = 0; i < data->contact_count; ++i)
    for (int k = 0; k < 3; ++k)
      sum += data->contact_frame[9 * i + 3 * k + axis] * data->contact_force[3 * i + k];
  return sum;
}

static void a_blob_comes_to_rest(void **state) {
  (void)state;
  world w = world_begin(true);
  add_cloud(&w, 0.4, (double[3]){0.0, 0.0, 0.1}, blob, BLOB_POINTS);
  world_end(&w);
  w.data->v[4] = 3.0;
  double deepest = 0.0;
  for (int i = 0; i < 30; ++i) {
    run(&w, 0.1);
    deepest = fmin(deepest, w.data->info.contact_count ? w.data->contact_distance[0] : 0.0);
  }
  run(&w, 4.5);  // it rolls to and fro until 6.5 s
  // momentum is solved to 1e-6 of itself; what is left of rocking is below 1 mm/s
  assert_true(fabs(force_along(w.data, 2) / (0.4 * g0) - 1.0) < 1e-3);
  assert_true(limpet_vec3_norm(w.data->v) < 1e-3);
  // near-rigid: sinks by g dt^2 beta^2 / 4 pi^2 = 1e-8 m; landing at 0.3 m/s gave less than 0.1 mm
  assert_true(deepest > -1e-4);
  for (int i = 0; i < w.data->contact_count; ++i) assert_true(w.data->contact_distance[i] > -1e-6);
  assert_true(w.data->contact_count >= 3 && w.data->contact_count <= LIMPET_CLOUD_POINTS);
  world_destroy(&w);
}

/* Thrown with a spin of up to 14 rad/s it turns so fast that points touch which were not the
 * nearest when the step began; enough of them are looked at that none goes under by more than
 * near-rigid contacts do in a landing. */
static void a_tumbling_blob_does_not_sink(void **state) {
  (void)state;
  unsigned long seed = 1;
  for (int n = 0; n < 20; ++n) {
    world w = world_begin(true);
    add_cloud(&w, 0.4, (double[3]){0.0, 0.0, 0.12}, blob, BLOB_POINTS);
    limpet_builder_body(w.builder, 1)->has_inertial = false;
    limpet_builder_geom(w.builder, 1)->mass = 0.4;
    world_end(&w);
    for (int k = 0; k < 3; ++k) w.data->v[k] = random_uniform(&seed, -0.5, 0.5);
    for (int k = 3; k < 6; ++k) w.data->v[k] = random_uniform(&seed, -8.0, 8.0);
    double deepest = 0.0;
    for (int i = 0; i < 1500; ++i) {
      run(&w, w.settings.time_step);
      deepest = fmax(deepest, w.data->info.deepest_penetration);
    }
    assert_true(deepest < 3e-5);
    world_destroy(&w);
  }
}

static double resting_height(bool cloud, bool on_box) {
  world w = world_begin(!on_box);
  if (on_box) {
    limpet_geom_description g = limpet_geom_description_default();
    g.kind = LIMPET_SHAPE_BOX;
    limpet_vec3_set(g.size, 0.2, 0.2, 0.1), limpet_vec3_set(g.position, 0.0, 0.0, -0.1);
    limpet_builder_add_geom(w.builder, &g);
  }
  const double start[3] = {0.0, 0.0, half + 1e-3};
  if (cloud) {
    add_cloud(&w, 0.5, start, box, BOX_POINTS);
  } else {
    limpet_geom_description g = add_body(&w, 0.5, start, LIMPET_JOINT_FREE);
    g.kind = LIMPET_SHAPE_BOX;
    limpet_vec3_set(g.size, half, half, half);
    limpet_builder_add_geom(w.builder, &g);
  }
  world_end(&w);
  run(&w, 1.0);
  assert_true(fabs(force_along(w.data, 2) / (0.5 * g0) - 1.0) < 1e-4);
  assert_true(fabs(w.data->q[0]) < 1e-6 && fabs(w.data->q[1]) < 1e-6 && fabs(w.data->q[4]) < 1e-6 &&
              fabs(w.data->q[5]) < 1e-6);
  const double height = w.data->q[2];
  world_destroy(&w);
  return height;
}

// Both sink by some 1e-8 m, the one on 16 points, the other on 4.
static void a_box_of_points_rests_as_a_box(void **state) {
  (void)state;
  for (int on_box = 0; on_box < 2; ++on_box) {
    const double points = resting_height(true, on_box), solid = resting_height(false, on_box);
    printf("box of points rests at %.3e m, box at %.3e m from its half length\n", points - half,
           solid - half);
    assert_true(fabs(points - solid) < 1e-7 && fabs(points - half) < 1e-7);
  }
}

static void numbering_the_points_differently_changes_nothing(void **state) {
  (void)state;
  static double shuffled[3 * BLOB_POINTS];
  unsigned long seed = 6;
  double q[2][7];
  memcpy(shuffled, blob, sizeof blob);
  for (int i = BLOB_POINTS - 1; i > 0; --i) {
    const int j = (int)random_uniform(&seed, 0.0, i + 1.0);
    for (int k = 0; k < 3; ++k) {
      const double spare = shuffled[3 * i + k];
      shuffled[3 * i + k] = shuffled[3 * j + k], shuffled[3 * j + k] = spare;
    }
  }
  for (int n = 0; n < 2; ++n) {
    world w = world_begin(true);
    add_cloud(&w, 0.4, (double[3]){0.0, 0.0, 0.15}, n ? shuffled : blob, BLOB_POINTS);
    world_end(&w);
    w.data->v[3] = 5.0, w.data->v[0] = 0.5;
    run(&w, 2.0);
    memcpy(q[n], w.data->q, sizeof q[n]);
    world_destroy(&w);
  }
  assert_true(fabs(q[0][0]) > 0.05);  // it has rolled away
  for (int k = 0; k < 7; ++k) assert_true(fabs(q[0][k] - q[1][k]) < 1e-12);
}

/* Two plates on sliders along y press the object with 5 N each; nothing else holds it. */
static void is_held(const double *points, int count, double mass, double reach, double drop) {
  world w = world_begin(false);
  add_cloud(&w, mass, (double[3]){0.0, 0.0, 0.0}, points, count);
  for (int side = -1; side <= 1; side += 2) {
    limpet_geom_description g =
        add_body(&w, 0.2, (double[3]){0.0, side * (reach + 0.0101), 0.0}, LIMPET_JOINT_PRISMATIC);
    g.kind = LIMPET_SHAPE_BOX;
    limpet_vec3_set(g.size, 0.03, 0.01, 0.03);
    limpet_builder_add_geom(w.builder, &g);
  }
  world_end(&w);
  w.data->applied_force[6] = 5.0, w.data->applied_force[7] = -5.0;
  // squeezed from two sides the object may jam, and contacts change places: one step in a thousand
  // may end at the limit
  run(&w, 0.5);
  const double start = w.data->q[2];
  assert_true(unsolved(&w, 2.0) <= 1);
  assert_true(fabs(w.data->q[2] - start) < drop);
  double weight = 0.0, squeeze[2] = {0.0, 0.0};
  for (int i = 0; i < w.data->contact_count; ++i) {
    const double *F = w.data->contact_frame + 9 * i, *f = w.data->contact_force + 3 * i;
    const bool first =
        w.data->contact_geom[2 * i] == 0;  // the object is A: the force is on the plate
    for (int k = 0; k < 3; ++k) {
      weight += (first ? -1.0 : 1.0) * F[3 * k + 2] * f[k];
      squeeze[(first ? w.data->contact_geom[2 * i + 1] : w.data->contact_geom[2 * i]) - 1] +=
          F[3 * k + 1] * f[k];
    }
  }
  assert_true(fabs(weight / (mass * g0) - 1.0) < 0.01);
  for (int k = 0; k < 2; ++k) assert_true(fabs(fabs(squeeze[k]) / 5.0 - 1.0) < 0.01);
  world_destroy(&w);
}

static void a_grasp_between_two_boxes_holds(void **state) {
  (void)state;
  // stiction creeps by at most a few slip speeds of 1 um/s while the corners share the load
  is_held(box, BOX_POINTS, 0.5, half, 2e-5);
  is_held(blob, BLOB_POINTS, 0.4, 0.05, 1e-3);
}

static void a_note_says_that_clouds_pass_each_other(void **state) {
  (void)state;
  world w = world_begin(true);
  add_cloud(&w, 0.4, (double[3]){0.0, 0.0, 0.1}, blob, BLOB_POINTS);
  add_cloud(&w, 0.4, (double[3]){0.0, 0.0, 0.3}, blob, BLOB_POINTS);
  world_end(&w);
  assert_int_equal(w.model->note_count, 1);
  assert_true(w.model->note[0].unsupported &&
              strstr(w.model->note[0].text, "1 pair of point clouds pass through each other"));
  run(&w, 1.0);
  assert_true(w.data->q[2] > 0.04 && w.data->q[9] > 0.04 &&
              w.data->q[9] < 0.15);  // both on the floor
  world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_blob_comes_to_rest),
      cmocka_unit_test(a_tumbling_blob_does_not_sink),
      cmocka_unit_test(a_box_of_points_rests_as_a_box),
      cmocka_unit_test(numbering_the_points_differently_changes_nothing),
      cmocka_unit_test(a_grasp_between_two_boxes_holds),
      cmocka_unit_test(a_note_says_that_clouds_pass_each_other),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}

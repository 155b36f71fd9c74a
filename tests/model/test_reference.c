/* tests/model/test_reference.c: mass, inertia and quantities at the reference pose against closed
 * forms.
 *
 * Tolerances: sums of few terms of like size, so 1e-12 relative is a thousand times rounding. The
 * last test compares a whole chain with numbers that MuJoCo 4.0.1 gave for the same description
 * (nine digits printed). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/model.h"
#include "math/vec3.h"
#include "small_models.h"

static bool near(double a, double b, double tolerance) {
  const bool good = fabs(a - b) <= tolerance * fmax(1.0, fabs(b));
  if (!good) fprintf(stderr, "%.15g is not %.15g\n", a, b);
  return good;
}

// A free body: 1/m along, mean of 1/I_k around, wherever its centre of mass lies and however it is
// turned.
static void free_body_weighs_its_mass(void **state) {
  (void)state;
  limpet_builder *builder = limpet_builder_create();
  const int body = small_body(builder, NULL, 0, 1, 2, 3);
  const double q[4] = {0.5, -0.1, 0.7, 0.2};
  memcpy(limpet_builder_body(builder, body)->quaternion, q, sizeof q);
  small_joint(builder, NULL, body, LIMPET_JOINT_FREE, 0, 0, 1);
  small_box(builder, body, 2.0, 0.1, 0.2, 0.3);
  limpet_model *model = small_compile(builder);
  assert_non_null(model);
  const double I[3] = {2.0 / 3.0 * 0.13, 2.0 / 3.0 * 0.10, 2.0 / 3.0 * 0.05};
  const double around = (1 / I[0] + 1 / I[1] + 1 / I[2]) / 3.0;
  for (int k = 0; k < 3; ++k) assert_true(near(model->dof_inverse_weight[k], 0.5, 1e-12));
  for (int k = 3; k < 6; ++k) assert_true(near(model->dof_inverse_weight[k], around, 1e-12));
  assert_true(near(model->body_inverse_weight[2], 0.5, 1e-12));
  assert_true(near(model->body_inverse_weight[3], around, 1e-12));
  assert_true(near(model->mean_inertia, (6.0 + I[0] + I[1] + I[2]) / 6.0, 1e-12));
  assert_true(model->body_inverse_weight[0] == 0.0);
  limpet_model_destroy(model);
}

/* A pendulum of mass m at the end of a rod of length l, rotor inertia a, inertia I of the bob: M =
 * I + m l^2 + a; the bob moves along one of three directions, so its weight is l^2/(3 M). */
static void pendulum_weighs_its_lever(void **state) {
  (void)state;
  limpet_builder *builder = limpet_builder_create();
  const double m = 0.7, l = 0.9, a = 0.05, r = 0.1;
  const int body = small_body(builder, NULL, 0, 0, 0, 1);
  const int joint = small_joint(builder, NULL, body, LIMPET_JOINT_REVOLUTE, 0, 2, 0);
  limpet_builder_joint(builder, joint)->armature = a;
  limpet_builder_joint(builder, joint)->spring_damper[0] = 0.2;
  limpet_builder_joint(builder, joint)->spring_damper[1] = 0.6;
  limpet_builder_geom(builder, small_sphere(builder, body, m, r))->position[2] = -l;
  limpet_actuator_description actuator = limpet_actuator_description_default();
  actuator.target = joint;
  actuator.gear[0] = 3.0, actuator.bias[1] = -100.0, actuator.damping_ratio = 0.7;
  limpet_builder_add_actuator(builder, &actuator);
  limpet_model *model = small_compile(builder);
  assert_non_null(model);
  const double M = 0.4 * m * r * r + m * l * l + a;
  assert_true(near(model->dof_inverse_weight[0], 1.0 / M, 1e-12));
  assert_true(near(model->body_inverse_weight[2], l * l / (3.0 * M), 1e-12));
  assert_true(near(model->body_inverse_weight[3], 1.0 / (3.0 * M), 1e-12));
  assert_true(near(model->body_com[5], -l, 0.0));

  // time constant 0.2 s, damping ratio 0.6; a critically weighed servo through a gear of 3
  assert_true(near(model->joint_stiffness[0], M / (0.04 * 0.36), 1e-12));
  assert_true(near(model->dof_damping[0], 2.0 * M / 0.2, 1e-12));
  assert_true(near(model->actuator_bias[2], -2.0 * 0.7 * sqrt(100.0 * M / 9.0), 1e-12));
  limpet_model_destroy(model);
}

// Two halves of a box, one of them on a welded child that is turned, weigh like the box.
static void welded_parts_weigh_like_the_whole(void **state) {
  (void)state;
  limpet_model *models[2];
  for (int k = 0; k < 2; ++k) {
    limpet_builder *builder = limpet_builder_create();
    const int body = small_body(builder, NULL, 0, 0, 0, 0);
    small_joint(builder, NULL, body, LIMPET_JOINT_BALL, 0, 0, 1);
    if (k == 0) {
      limpet_builder_geom(builder, small_box(builder, body, 2.0, 0.1, 0.2, 0.3))->position[0] = 0.5;
    } else {
      const int half = small_body(builder, NULL, body, 0.5, 0.1, 0.0);
      const double q[4] = {1, 0, 0, 1};  // quarter turn about z: x and y change places
      memcpy(limpet_builder_body(builder, half)->quaternion, q, sizeof q);
      small_box(builder, half, 1.0, 0.1, 0.1, 0.3);
      limpet_geom_description *geom =
          limpet_builder_geom(builder, small_box(builder, body, 1.0, 0.1, 0.1, 0.3));
      geom->position[0] = 0.5, geom->position[1] = -0.1;
    }
    models[k] = small_compile(builder);
    assert_non_null(models[k]);
  }
  for (int v = 0; v < 3; ++v)
    assert_true(near(models[1]->dof_inverse_weight[v], models[0]->dof_inverse_weight[v], 1e-12));
  assert_true(near(models[1]->mean_inertia, models[0]->mean_inertia, 1e-12));
  assert_true(near(models[1]->total_mass, 2.0, 1e-12));
  limpet_model_destroy(models[0]);
  limpet_model_destroy(models[1]);
}

/* Two balls on one body: about their common centre I = sum of the balls' own + mu (|d|^2 1 - d d'),
 * mu the reduced mass, d from one to the other. */
static void two_balls_have_the_inertia_of_a_dumbbell(void **state) {
  (void)state;
  limpet_builder *builder = limpet_builder_create();
  const int body = small_body(builder, NULL, 0, 0, 0, 0);
  const double p[2][3] = {{0.1, -0.2, 0.3}, {0.4, 0.5, -0.6}}, m[2] = {1.0, 3.0}, r[2] = {0.1, 0.2};
  for (int k = 0; k < 2; ++k)
    memcpy(limpet_builder_geom(builder, small_sphere(builder, body, m[k], r[k]))->position, p[k],
           sizeof p[k]);
  limpet_model *model = small_compile(builder);
  assert_non_null(model);
  const double own = 0.4 * (m[0] * r[0] * r[0] + m[1] * r[1] * r[1]),
               mu = m[0] * m[1] / (m[0] + m[1]);
  double d[3];
  limpet_vec3_sub(d, p[1], p[0]);
  for (int i = 0; i < 3; ++i) {
    assert_true(
        near(model->body_com[3 + i], (m[0] * p[0][i] + m[1] * p[1][i]) / (m[0] + m[1]), 1e-12));
    for (int j = 0; j < 3; ++j) {
      const double expected = (i == j ? own + mu * limpet_vec3_dot(d, d) : 0.0) - mu * d[i] * d[j];
      assert_true(near(model->body_inertia[9 + 3 * i + j], expected, 1e-12));
    }
  }
  limpet_model_destroy(model);
}

// A given inertia in turned axes and the same in body axes; bounds, balance and total mass.
static void inertia_options_do_what_they_say(void **state) {
  (void)state;
  limpet_builder *builder = limpet_builder_create();
  const int body = small_body(builder, NULL, 0, 0, 0, 0);
  limpet_body_description *description = limpet_builder_body(builder, body);
  const double diagonal[6] = {1, 2, 2.5, 0, 0, 0},
               q[4] = {1, 1, 0, 0};  // quarter turn about x: y and z change places
  description->has_inertial = true;
  description->mass = 4.0;
  memcpy(description->inertia, diagonal, sizeof diagonal);
  memcpy(description->inertia_quaternion, q, sizeof q);
  small_sphere(builder, body, 100.0, 1.0);  // does not count: the inertial is given
  limpet_model *model = limpet_builder_compile(builder, NULL);
  assert_non_null(model);
  const double expected[9] = {1, 0, 0, 0, 2.5, 0, 0, 0, 2};
  for (int i = 0; i < 9; ++i) assert_true(near(model->body_inertia[9 + i], expected[i], 1e-12));
  assert_true(model->body_mass[1] == 4.0);
  limpet_model_destroy(model);

  limpet_builder_options(builder)->bound_inertia = 1.5;
  limpet_builder_options(builder)->bound_mass = 5.0;
  limpet_builder_options(builder)->total_mass = 10.0;
  model = limpet_builder_compile(builder, NULL);
  assert_non_null(model);
  assert_true(near(model->body_mass[1], 10.0, 1e-12));
  assert_true(near(model->body_inertia[9], 3.0, 1e-12));  // bound 1.5, times 10/5
  limpet_model_destroy(model);

  *limpet_builder_options(builder) = limpet_options_default();
  limpet_builder_body(builder, body)->inertia[2] = 6.0;  // 1 + 2 < 6
  limpet_builder_options(builder)->balance_inertia = true;
  model = limpet_builder_compile(builder, NULL);
  assert_non_null(model);
  for (int i = 0; i < 9; i += 4) assert_true(near(model->body_inertia[9 + i], 3.0, 1e-12));
  limpet_model_destroy(model);

  *limpet_builder_options(builder) = limpet_options_default();
  limpet_builder_options(builder)->inertia_source = LIMPET_INERTIA_FROM_GEOMS;
  model = limpet_builder_compile(builder, NULL);
  assert_non_null(model);
  assert_true(near(model->body_mass[1], 100.0, 1e-12) && near(model->body_inertia[9], 40.0, 1e-12));
  limpet_model_destroy(model);

  limpet_builder_body(builder, body)->inertia[2] = 2.5;
  limpet_builder_options(builder)->inertia_group_first =
      1;  // the geom's group is 0: the inertial stays
  model = limpet_builder_compile(builder, NULL);
  assert_non_null(model);
  assert_true(model->body_mass[1] == 4.0);
  limpet_model_destroy(model);
  limpet_builder_destroy(builder);
}

// A primitive that is fitted to a mesh, and a mesh geom: both stand where the mesh is, not where
// its file frame is.
static void geoms_of_meshes_stand_where_the_mesh_is(void **state) {
  (void)state;
  double vertices[24];
  for (int i = 0; i < 8; ++i) {
    vertices[3 * i] = 5.0 + (i & 1 ? 0.1 : -0.1);
    vertices[3 * i + 1] = i & 2 ? 0.2 : -0.2;
    vertices[3 * i + 2] = i & 4 ? 0.3 : -0.3;
  }
  limpet_builder *builder = limpet_builder_create();
  limpet_mesh_description mesh = limpet_mesh_description_default();
  mesh.vertex_count = 8, mesh.vertices = vertices;
  const int handle = limpet_builder_add_mesh(builder, &mesh);
  const int body = small_body(builder, NULL, 0, 0, 0, 0);
  limpet_geom_description geom = limpet_geom_description_default();
  geom.body = body, geom.mesh = handle, geom.position[1] = 1.0;
  geom.kind = LIMPET_SHAPE_MESH;
  limpet_builder_add_geom(builder, &geom);
  geom.kind = LIMPET_SHAPE_BOX;
  limpet_builder_add_geom(builder, &geom);
  limpet_model *model = small_compile(builder);
  assert_non_null(model);
  for (int g = 0; g < 2; ++g) {
    assert_true(near(model->geom_position[3 * g], 5.0, 1e-9) &&
                near(model->geom_position[3 * g + 1], 1.0, 1e-9));
    assert_true(near(model->geom_radius[g], sqrt(0.14), 1e-9));
    double size[3] = {0.0, 0.0, 0.0};  // half lengths along the body's axes
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k)
        size[i] += fabs(model->geom_rotation[9 * g + 3 * i + k]) * model->geom_size[3 * g + k];
    assert_true(near(size[0], 0.1, 1e-9) && near(size[1], 0.2, 1e-9) && near(size[2], 0.3, 1e-9));
  }
  assert_non_null(model->mesh[0].hull);
  assert_int_equal(model->mesh[0].hull->vertex_count, 8);

  // two boxes of density 1000: mass and inertia about the common centre
  assert_true(near(model->body_mass[1], 2.0 * 8.0 * 0.006 * 1000.0, 1e-9));
  assert_true(near(model->body_com[3], 5.0, 1e-9));
  assert_true(near(model->body_inertia[9], 96.0 / 3.0 * 0.13, 1e-9));
  limpet_model_destroy(model);
}

/* A chain with all that matters here: static base, two skew hinges, a welded part, tendons with
 * armature within a tree and across two, slide and ball. */
static void chain_agrees_with_mujoco(void **state) {
  (void)state;
  limpet_builder *builder = limpet_builder_create();
  const int base = small_body(builder, NULL, 0, 1, 0, 0),
            a = small_body(builder, NULL, base, 0, 0, 0);
  const int b = small_body(builder, NULL, a, 0.3, 0.1, 0.5),
            welded = small_body(builder, NULL, b, 0, 0, 0.2);
  const int p = small_body(builder, NULL, 0, 0, 0, 0), pp = small_body(builder, NULL, p, 0, 0, 0);
  const int j1 = small_joint(builder, NULL, a, LIMPET_JOINT_REVOLUTE, 0, 1, 0);
  const int j2 = small_joint(builder, NULL, b, LIMPET_JOINT_REVOLUTE, 0, 1, 1);
  const int slide = small_joint(builder, NULL, p, LIMPET_JOINT_PRISMATIC, 1, 0, 0);
  const int ball = small_joint(builder, NULL, pp, LIMPET_JOINT_BALL, 0, 0, 1);
  limpet_builder_joint(builder, j1)->armature = 0.01;
  limpet_builder_joint(builder, ball)->armature = 0.001;
  const double off[3] = {0.1, 0.2, 0.3};
  limpet_geom_description *geom =
      limpet_builder_geom(builder, small_box(builder, a, 1.5, 0.05, 0.3, 0.0));
  geom->kind = LIMPET_SHAPE_CAPSULE;
  memcpy(geom->position, off, sizeof off);
  small_box(builder, b, 2.0, 0.1, 0.2, 0.3);
  small_box(builder, welded, 0.3, 0.1, 0.02, 0.3);
  small_sphere(builder, p, 2.0, 0.1);
  memcpy(limpet_builder_geom(builder, small_box(builder, pp, 1.0, 0.1, 0.2, 0.3))->position, off,
         sizeof off);
  const limpet_tendon_term terms[3][2] = {
      {{j1, 0.5}, {j2, -2.0}}, {{j1, 3.0}, {j2, -2.0}}, {{j1, 3.0}, {slide, -2.0}}};
  const double armature[3] = {0.0, 0.7, 0.5};
  for (int t = 0; t < 3; ++t) {
    limpet_tendon_description tendon = limpet_tendon_description_default();
    tendon.term_count = 2, tendon.terms = terms[t], tendon.armature = armature[t];
    limpet_builder_add_tendon(builder, &tendon);
  }
  limpet_actuator_description actuator = limpet_actuator_description_default();
  actuator.bias[1] = -100.0, actuator.damping_ratio = 0.7, actuator.target = j1,
  actuator.gear[0] = 3.0;
  limpet_builder_add_actuator(builder, &actuator);
  actuator.transmission = LIMPET_TRANSMISSION_TENDON, actuator.target = 0, actuator.gear[0] = 2.0;
  limpet_builder_add_actuator(builder, &actuator);
  actuator.transmission = LIMPET_TRANSMISSION_JOINT_IN_PARENT, actuator.target = ball;
  for (int k = 0; k < 3; ++k) actuator.gear[k] = k + 1.0;
  limpet_builder_add_actuator(builder, &actuator);
  limpet_model *model = small_compile(builder);
  assert_non_null(model);

  const double dof[6] = {0.16592968, 0.6927855, 0.23691351, 18.22395877, 18.22395877, 18.22395877};
  const double bodies[14] = {0,
                             0,
                             0,
                             0,
                             5.53098918e-03,
                             5.53098918e-02,
                             1.88053632e-02,
                             3.98752215e-01,
                             5.24502425e-02,
                             3.98752215e-01,
                             7.89711705e-02,
                             0,
                             5.44415859e-01,
                             1.82239588e+01};
  const double tendons[3] = {2.33526869, 1.40037473, 2.44102112},
               bias[3] = {-11.4563098, -4.58067639, -0.57692884};
  for (int v = 0; v < 6; ++v) assert_true(near(model->dof_inverse_weight[v], dof[v], 1e-8));
  for (int i = 0; i < 14; ++i) assert_true(near(model->body_inverse_weight[i], bodies[i], 1e-8));
  for (int t = 0; t < 3; ++t) assert_true(near(model->tendon_inverse_weight[t], tendons[t], 1e-8));
  for (int i = 0; i < 3; ++i) assert_true(near(model->actuator_bias[3 * i + 2], bias[i], 1e-8));

  // what its armature couples is said
  assert_int_equal(model->note_count, 1);
  assert_true(!model->note[0].unsupported && strstr(model->note[0].text, "tendon 2"));
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_body_weighs_its_mass),
      cmocka_unit_test(pendulum_weighs_its_lever),
      cmocka_unit_test(welded_parts_weigh_like_the_whole),
      cmocka_unit_test(two_balls_have_the_inertia_of_a_dumbbell),
      cmocka_unit_test(inertia_options_do_what_they_say),
      cmocka_unit_test(geoms_of_meshes_stand_where_the_mesh_is),
      cmocka_unit_test(chain_agrees_with_mujoco),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

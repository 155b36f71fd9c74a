/* tests/dynamics/test_point_motion.c: accelerations of points on curved paths, speeds of surfaces,
 * and the mass matrix of what is very light. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dynamics/curved_path.h"
#include "dynamics/surface.h"
#include "limpet/dynamics.h"
#include "math/vec3.h"
#include "small_models.h"

// A chain of three hinges about different axes; its last body.
static int chain_describe(limpet_builder *builder) {
  int body = 0;
  for (int i = 0; i < 3; ++i) {
    body = small_body(builder, NULL, body, 0.3, 0.1 * i, 0.2);
    small_joint(builder, NULL, body, LIMPET_JOINT_REVOLUTE, i == 0, i == 1, i == 2);
    small_box(builder, body, 1.0, 0.1, 0.05, 0.02);
  }
  return body;
}

// Where a point of a body lies that is at `local` in its axes, at q + h v.
static void point_after(limpet_data *data, int body, const double local[3], const double *q,
                        double h, double point[3]) {
  limpet_integrate_position(data->model, data->q, q, data->v, h, false);
  limpet_kinematics(data->model, data);
  limpet_mat3_mul_vec(point, data->body_rotation + 9 * body, local);
  limpet_vec3_add(point, point, data->body_position + 3 * body);
}

/* At constant joint velocities a point of a link is accelerated by what its path bends: central
 * differences of its position, whose error is h^2/12 of the fourth derivative, about 1e-7 here, and
 * round-off of 1e-16/h^2 = 1e-8. */
static void curved_paths_are_second_derivatives(void **state) {
  (void)state;
  limpet_builder *builder = limpet_builder_create();
  const int body = chain_describe(builder);
  limpet_model *model = small_compile(builder);
  limpet_data *data = limpet_data_create(model);
  const double q[3] = {0.3, -0.7, 1.1}, v[3] = {0.9, -1.3, 0.6}, local[3] = {0.2, 0.1, -0.3};
  const double h = 1e-4, dt = 2e-3, origin[3] = {0.0, 0.0, 0.0};
  double before[3], point[3], after[3], bias[6];
  for (int i = 0; i < 3; ++i) data->v[i] = v[i];
  point_after(data, body, local, q, -h, before);
  point_after(data, body, local, q, h, after);
  point_after(data, body, local, q, 0.0, point);
  limpet_velocity_kinematics(model, data);
  limpet_curved_path_of_points(model, data, NULL, NULL, 0, origin, body, point, dt, bias);
  for (int i = 0; i < 3; ++i) {
    const double expected = (after[i] - 2.0 * point[i] + before[i]) / (h * h);
    assert_true(fabs(2.0 / dt * bias[3 + i] - expected) < 1e-6);
  }
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// gear (gain u + bias) times the velocity of the surface, in world axes.
static void a_driven_surface_moves_with_its_actuator(void **state) {
  (void)state;
  limpet_builder *builder = limpet_builder_create();
  const int body = small_body(builder, NULL, 0, 0, 0, 0);
  small_joint(builder, NULL, body, LIMPET_JOINT_REVOLUTE, 0, 0, 1);
  const int geom = small_box(builder, body, 1.0, 0.1, 0.1, 0.1);
  limpet_builder_geom(builder, geom)->material.surface_velocity[0] = 0.5;
  limpet_actuator_description belt = limpet_actuator_description_default();
  belt.transmission = LIMPET_TRANSMISSION_SURFACE;
  belt.target = geom;
  belt.gear[0] = 3.0, belt.gain[0] = 2.0, belt.bias[0] = 0.25;
  limpet_builder_add_actuator(builder, &belt);
  limpet_model *model = small_compile(builder);
  limpet_data *data = limpet_data_create(model);
  const double quarter = 1.5707963267948966;
  double V[6];
  data->q[0] = quarter, data->control[0] = 0.5;
  limpet_kinematics(model, data);
  limpet_geom_kinematics(model, data, true);
  limpet_surface_velocity(model, data, 0, V);
  // 3 (2 0.5 + 0.25) 0.5 = 1.875 m/s along x of the geom, which is y of the world
  assert_true(fabs(V[3]) < 1e-15 && fabs(V[4] - 1.875) < 1e-15 && V[5] == 0.0);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// Pivots are as small as the body is light: 1 milligram answers a force with f/m.
static void light_bodies_have_their_mass(void **state) {
  (void)state;
  limpet_builder *builder = limpet_builder_create();
  const int body = small_body(builder, NULL, 0, 0, 0, 0);
  const double mass = 1e-6, force = 2e-6;
  small_joint(builder, NULL, body, LIMPET_JOINT_PRISMATIC, 0, 0, 1);
  small_box(builder, body, mass, 0.1, 0.1, 0.1);
  limpet_model *model = small_compile(builder);
  limpet_data *data = limpet_data_create(model);
  double acceleration;
  limpet_kinematics(model, data);
  limpet_mass_matrix(model, data);
  limpet_mass_solve(model, data, &force, &acceleration);
  assert_true(fabs(acceleration - force / mass) < 1e-12);  // of 2 m/s^2: round-off of a quotient
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(curved_paths_are_second_derivatives),
      cmocka_unit_test(a_driven_surface_moves_with_its_actuator),
      cmocka_unit_test(light_bodies_have_their_mass),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

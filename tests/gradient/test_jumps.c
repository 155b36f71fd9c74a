/* tests/gradient/test_jumps.c: jumps of a step are found by steps from moved states, with their
 * cause, contact and distance; where there are none, none are told. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/gradient.h"
#include "mjcf_world.h"
#include "random_models.h"

static const double width = 1e-7;  // [m, rad, m/s, rad/s]

// The nearest jump of the next step; where there is one all columns are kinks, else not all.
static limpet_gradient_jump jump_of(mjcf_world *world) {
  limpet_gradient *gradient = limpet_gradient_create(world->model);
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  const int nv = world->model->nv;
  wanted.jump_width = width;
  limpet_gradient_step(world->model, world->data, &world->settings, &wanted, gradient);
  assert_null(gradient->reason);
  int kinks = 0;
  for (int i = 0; i < nv; ++i) kinks += (gradient->kink.q[i] > 0.0) + (gradient->kink.v[i] > 0.0);
  const limpet_gradient_jump jump = gradient->jump;
  assert_int_equal(kinks == 2 * nv, jump.cause != LIMPET_JUMP_NONE);
  limpet_gradient_destroy(gradient);
  return jump;
}

// --------------------------------------------------------------------------- a plate's middle

#define PLATE                                                                                    \
  "<mujoco><option timestep='0.001' gravity='0 0 0'/><worldbody>"                                \
  "<geom type='box' size='1 1 0.02' solref='-1000 0'/>"                                          \
  "<body pos='0 0 0'><freejoint/><geom type='sphere' size='0.01' mass='0.01' solref='-1000 0'/>" \
  "</body></worldbody></mujoco>"

/* A ball in the middle of a plate is pushed out of the nearer face: which one that is changes at
 * z = 0, and with it the normal. */
static void a_ball_leaves_through_the_nearer_face(void **unused) {
  (void)unused;
  static const double heights[] = {3e-9, -5e-8, 9e-8};  // [m]
  for (size_t i = 0; i < sizeof heights / sizeof *heights; ++i) {
    mjcf_world world = mjcf_world_of(PLATE, NULL);
    world.data->q[2] = heights[i];
    const limpet_gradient_jump jump = jump_of(&world);
    printf("ball %g m above the middle: %s at %g m by %g m/s, contact %d\n", heights[i],
           limpet_jump_word(jump.cause), jump.distance, jump.size, jump.contact);
    assert_int_equal(jump.cause, LIMPET_JUMP_CONTACTS);
    // each coordinate moves as far as the ball has to
    assert_true(fabs(jump.distance - fabs(heights[i])) < 1e-10);
    assert_int_equal(jump.dof, 2);
    assert_int_equal(jump.contact, 0);
    mjcf_world_destroy(&world);
  }
  // as far as it is looked for, and no farther
  mjcf_world world = mjcf_world_of(PLATE, NULL);
  world.data->q[2] = 1e-6;
  const limpet_gradient_jump jump = jump_of(&world);
  assert_int_equal(jump.cause, LIMPET_JUMP_NONE);
  assert_int_equal(jump.contact, LIMPET_NONE);
  mjcf_world_destroy(&world);
}

// A soft box whose lowest vertices lie near the middle of the plate; `height` above it.
#define SOFT_PLATE                                                                              \
  "<mujoco><option timestep='0.001' gravity='0 0 0'/><worldbody>"                               \
  "<geom type='box' size='1 1 0.002' solref='-1000 0'/><limpet:deformable type='box' name='a' " \
  "size='.05 .03 .02' cells='1 1 1' young='1e5' density='500' pos='0 0 "                        \
  ".03'/></worldbody></mujoco>"

static limpet_gradient_jump soft_jump_at(double height) {
  mjcf_world world = mjcf_world_of(SOFT_PLATE, NULL);
  limpet_gradient *gradient = limpet_gradient_create(world.model);
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  double lowest = INFINITY, *x = world.data->vertex_position;
  for (int i = 0; i < world.model->vertex_count; ++i) lowest = fmin(lowest, x[3 * i + 2]);
  for (int i = 0; i < world.model->vertex_count; ++i) x[3 * i + 2] += height - lowest;
  // bodies at their rest shape take a round of elastic forces that others do not take
  unsigned long seed = 3;
  random_vector(&seed, world.data->vertex_velocity, 3 * world.model->vertex_count, 1e-2);
  wanted.jump_width = width;
  limpet_gradient_step(world.model, world.data, &world.settings, &wanted, gradient);
  assert_null(gradient->reason);
  assert_true(world.data->contact_count > 0);
  const limpet_gradient_jump jump = gradient->jump;
  assert_int_equal(gradient->approximate, jump.cause != LIMPET_JUMP_NONE);
  printf("vertices %g m above the middle: %d steps, %s at %g m by %g m/s\n", height, jump.steps,
         limpet_jump_word(jump.cause), jump.distance, jump.size);
  limpet_gradient_destroy(gradient);
  mjcf_world_destroy(&world);
  return jump;
}

// Vertices move in a search, too: nothing else does in a world of soft bodies alone.
static void vertices_leave_through_the_nearer_face(void **unused) {
  (void)unused;
  const limpet_gradient_jump near = soft_jump_at(3e-8), far = soft_jump_at(1e-5);
  assert_int_equal(near.cause, LIMPET_JUMP_CONTACTS);
  assert_int_equal(near.dof, LIMPET_NONE);
  assert_true(near.distance <= 3.1e-8);
  assert_int_equal(far.cause, LIMPET_JUMP_NONE);
}

// --------------------------------------------------------------------------- parts of a turn

#define TURNING                                                                    \
  "<mujoco><option timestep='0.01' gravity='0 0 0'/><worldbody><body><freejoint/>" \
  "<geom type='box' size='0.3 0.1 0.02' mass='1'/></body></worldbody></mujoco>"

/* A body that turns by more than 0.5 rad in a step is moved in parts. Where their number changes
 * its velocity jumps by what is left of their error. */
static void a_body_turns_in_other_parts(void **unused) {
  (void)unused;
  static const double axis[3] = {0.6, -0.48, 0.64};  // of length one
  static const double misses[] = {-3e-8, 4e-8};      // [rad/s]  of 0.5 rad a step
  for (size_t k = 0; k < sizeof misses / sizeof *misses; ++k) {
    mjcf_world world = mjcf_world_of(TURNING, NULL);
    for (int i = 0; i < 3; ++i) world.data->v[3 + i] = (50.0 + misses[k]) * axis[i];
    const limpet_gradient_jump jump = jump_of(&world);
    printf("turn: %s at %g rad/s by %g rad/s, %d steps\n", limpet_jump_word(jump.cause),
           jump.distance, jump.size, jump.steps);
    assert_int_equal(jump.cause, LIMPET_JUMP_RULES);
    assert_int_equal(jump.contact, LIMPET_NONE);
    mjcf_world_destroy(&world);
  }
}

// ----------------------------------------------------------------------------- nothing jumps

#define ROLLING                                                                             \
  "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='5 5 0.1'/>"        \
  "<body pos='0 0 0.0999'><freejoint/><geom type='sphere' size='0.1' mass='1'/></body>"     \
  "<body pos='1 0 0.5'><joint type='hinge' axis='0 1 0'/><geom type='capsule' size='0.03 '" \
  " fromto='0 0 0 0.4 0 0'/><body pos='0.4 0 0'><joint type='hinge' axis='0 1 0'/>"         \
  "<geom type='capsule' size='0.03' fromto='0 0 0 0.3 0 0'/></body></body></worldbody></mujoco>"

/* A ball that slides and rolls, and a chain that falls onto the floor: kinks, but no jumps. Its
 * world moves on with the bits of a plain step. */
static void kinks_are_no_jumps(void **unused) {
  (void)unused;
  unsigned long seed = 11;
  mjcf_world world = mjcf_world_of(ROLLING, NULL), plain = mjcf_world_of(ROLLING, NULL);
  random_vector(&seed, world.data->v, world.model->nv, 1.0);
  memcpy(plain.data->v, world.data->v, (size_t)world.model->nv * sizeof(double));
  for (int i = 0; i < 150; ++i) {
    if (i % 10 == 0) {
      const limpet_gradient_jump jump = jump_of(&world);
      if (jump.cause != LIMPET_JUMP_NONE)
        printf("step %d: %s at %g by %g\n", i, limpet_jump_word(jump.cause), jump.distance,
               jump.size);
      assert_int_equal(jump.cause, LIMPET_JUMP_NONE);
      assert_true(jump.steps >= 8);
    } else {
      mjcf_world_step(&world);
    }
    mjcf_world_step(&plain);
  }
  assert_memory_equal(world.data->v, plain.data->v, (size_t)world.model->nv * sizeof(double));
  mjcf_world_destroy(&world), mjcf_world_destroy(&plain);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_ball_leaves_through_the_nearer_face),
                                     cmocka_unit_test(vertices_leave_through_the_nearer_face),
                                     cmocka_unit_test(a_body_turns_in_other_parts),
                                     cmocka_unit_test(kinks_are_no_jumps)};
  return cmocka_run_group_tests_name("jumps", tests, NULL, NULL);
}

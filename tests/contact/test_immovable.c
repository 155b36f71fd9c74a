/* tests/contact/test_immovable.c: contacts that nothing can move are left out, and the world moves
 * on; slender bodies do not sink. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "limpet/dynamics.h"
#include "mjcf_text.h"
#include "mjcf_world.h"
#include "shared_data.h"

// A sphere on a vertical hinge, pressed into the floor, beside a ball that falls: the ball follows
// its closed form, and the contact is counted.
static void a_sphere_on_a_hinge_does_not_stop_the_world(void **state) {
  (void)state;
  mjcf_world world = mjcf_world_of(
      MODEL("<worldbody><geom type='plane' size='5 5 .1'/>"
            "<body pos='0 0 .09'><joint type='hinge' axis='0 0 1'/><geom size='.1'/></body>"
            "<body pos='1 0 5'><freejoint/><geom size='.1'/></body></worldbody>"),
      NULL);
  world.data->v[0] = 3.0;
  for (int i = 0; i < 200; ++i) {
    mjcf_world_step(&world);
    assert_int_equal(world.data->info.immovable_contacts, 1);
    assert_int_equal(world.data->info.failed_islands, 0);
  }
  const double t = world.data->time, fallen = 5.0 - world.data->q[3];
  assert_true(fabs(fallen - 0.5 * 9.81 * t * t) < 9.81 * t * world.settings.time_step);
  assert_true(fabs(world.data->v[0] - 3.0) < 1e-12);
  mjcf_world_destroy(&world);
}

/* A needle of 1 um radius and 1 kg is dropped flat from 20 cm: it slips about its axis by a push of
 * nothing, but is as heavy as any body across. It must not fall through the floor. */
static void a_needle_does_not_sink(void **state) {
  (void)state;
  mjcf_world world = mjcf_world_of(
      MODEL("<worldbody><geom type='plane' size='5 5 .1'/><body pos='0 0 .2'><freejoint/>"
            "<geom type='ellipsoid' size='1e-6 .1 1e-6' mass='1'/></body></worldbody>"),
      NULL);
  double deepest = 0.0;
  while (world.data->time < 1.0) {
    limpet_step(world.model, world.data, &world.settings);
    deepest = fmax(deepest, world.data->info.deepest_penetration);
  }
  printf("needle: %.3g m deep at most, ends at z = %.3g m\n", deepest, world.data->q[2]);
  assert_true(deepest < 1e-5 && world.data->q[2] > -1e-5);
  mjcf_world_destroy(&world);
}

/* A rod is folded onto another one, nearly along it, on the ball joint at whose middle both end: of
 * two contact points of the pair one is where nothing moves, but for round-off of its lever. Random
 * places, directions and sizes. */
static void rods_folded_on_a_ball_joint_go_on(void **state) {
  (void)state;
  unsigned long seed = 5;
  int touched = 0;
  for (int scene = 0; scene < 300; ++scene) {
    char text[1024];
    double at[10];
    for (int i = 0; i < 10; ++i) at[i] = random_uniform(&seed, -1.0, 1.0);
    const double length = 0.05 * exp2(at[7]), angle = 0.02 * pow(10.0, 4.0 * at[8] - 4.0);
    snprintf(text, sizeof text,
             "<mujoco><default><geom type='capsule' size='%.17g'/></default><worldbody>"
             "<body pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'>"
             "<geom fromto='0 0 0 0 0 %.17g'/><body pos='0 0 %.17g'>"
             "<joint type='ball'/><geom fromto='0 0 0 0 %.17g %.17g'/>"
             "</body></body></worldbody></mujoco>",
             0.2 * length, at[0], at[1], at[2], at[3], at[4], at[5], at[6], length, length,
             length * sin(angle), -length * cos(angle));
    mjcf_world world = mjcf_world_of(text, NULL);
    world.data->v[0] = at[9];
    for (int i = 0; i < 20; ++i) {
      const limpet_outcome outcome = limpet_step(world.model, world.data, &world.settings);
      assert_false(limpet_outcome_failed(outcome));
      assert_int_equal(world.data->info.failed_islands, 0);
      touched += world.data->contact_count > 0;
    }
    mjcf_world_destroy(&world);
  }
  printf("folded rods: %d of 6000 steps with contact\n", touched);
  assert_true(touched > 300);
}

/* A finger that slides along a wall that it is inside of, and a wheel about whose axis the mass is
 * spread evenly and that touches along a radius: normal motion is that of round-off, whatever way
 * all is turned. The finger falls along its slide, the wheel turns on. */
static void what_is_turned_to_round_off_goes_on(void **state) {
  (void)state;
  unsigned long seed = 11;
  for (int scene = 0; scene < 100; ++scene) {
    char text[1024];
    double at[4];
    for (int i = 0; i < 4; ++i) at[i] = random_uniform(&seed, -1.0, 1.0);
    snprintf(text, sizeof text,
             "<mujoco><worldbody><body quat='%.17g %.17g %.17g %.17g'>"
             "<geom type='box' size='1 .1 .1' pos='0 .195 0'/>"
             "<geom type='box' size='.1 .1 .1' pos='3 0 .19'/>"
             "<body name='finger'><joint type='slide' axis='1 0 0'/>"
             "<geom type='box' size='.05 .1 .05' mass='.3'/></body>"
             "<body name='wheel' pos='3 0 0'><joint axis='1 0 0'/>"
             "<geom size='.1' mass='2'/></body></body></worldbody></mujoco>",
             at[0], at[1], at[2], at[3]);
    mjcf_world world = mjcf_world_of(text, NULL);
    const double spin = world.data->v[1] = 3.0;
    limpet_kinematics(world.model, world.data);
    const double along = -9.81 * world.data->body_rotation[9 * world.model->joint_body[0] + 6];
    for (int i = 0; i < 100; ++i) {
      assert_int_equal(limpet_step(world.model, world.data, &world.settings),
                       LIMPET_OUTCOME_SOLVED);
      assert_int_equal(world.data->info.immovable_contacts, 5);
    }
    assert_true(fabs(world.data->v[0] - along * world.data->time) < 1e-9);
    assert_true(fabs(world.data->v[1] - spin) < 1e-9);
    mjcf_world_destroy(&world);
  }
}

// One step of two balls, one on a hinge between both, whose line of centres misses it by about half
// of `aside`.
static mjcf_world balls_at_a_hinge(double aside) {
  char text[512];
  snprintf(text, sizeof text,
           "<mujoco><option gravity='0 0 0'/><worldbody><geom size='.05' pos='0 0 -.03'/>"
           "<body><joint axis='0 1 0'/><geom size='.05' pos='%.17g 0 .03' mass='1'/></body>"
           "</worldbody></mujoco>",
           aside);
  mjcf_world world = mjcf_world_of(text, NULL);
  assert_int_equal(limpet_step(world.model, world.data, &world.settings), LIMPET_OUTCOME_SOLVED);
  return world;
}

/* Links that overlap at their joint: by a lever of 1 mm an overlap of 40 mm would take 40 radians
 * to come out, so nothing leads it; by one of 20 mm it comes out at the return speed. */
static void overlap_at_a_joint_is_not_led_by_a_small_lever(void **state) {
  (void)state;
  mjcf_world near = balls_at_a_hinge(0.002);
  assert_int_equal(near.data->info.immovable_contacts, 1);
  assert_true(near.data->v[0] == 0.0);
  mjcf_world_destroy(&near);

  mjcf_world far = balls_at_a_hinge(0.04);
  assert_int_equal(far.data->info.immovable_contacts, 0);
  assert_int_equal(far.data->contact_count, 1);
  assert_true(fabs(far.data->contact_velocity[2] - 0.02) < 1e-6);
  mjcf_world_destroy(&far);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sphere_on_a_hinge_does_not_stop_the_world),
      cmocka_unit_test(a_needle_does_not_sink),
      cmocka_unit_test(rods_folded_on_a_ball_joint_go_on),
      cmocka_unit_test(what_is_turned_to_round_off_goes_on),
      cmocka_unit_test(overlap_at_a_joint_is_not_led_by_a_small_lever),
  };
  return cmocka_run_group_tests_name("immovable", tests, NULL, NULL);
}

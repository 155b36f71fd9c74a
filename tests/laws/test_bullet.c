/* tests/laws/test_bullet.c: what moves many times its size in a step neither tunnels nor hits what
 * it flies past. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "limpet/step.h"
#include "math/vec3.h"
#include "mjcf_world.h"
#include "shared_data.h"

static const char *const models[] = {"lagged", "similar", "sap"};
enum { MODELS = sizeof models / sizeof *models };

// A bullet of 1 cm and 10 g, the last body, among `others`, without gravity.
static mjcf_world bullet_among(const char *others, const char *contact_model, double dt) {
  char text[2000];
  snprintf(text, sizeof text,
           "<mujoco><option gravity='0 0 0'/><worldbody>%s<body><freejoint/><geom size='.01' "
           "mass='.01'/></body></worldbody>"
           "</mujoco>",
           others);
  mjcf_world w = mjcf_world_of(text, NULL);
  limpet_step_settings_contact_model(&w.settings, limpet_contact_model_find(contact_model));
  w.settings.time_step = dt;
  return w;
}

static void place_bullet(mjcf_world *w, const double at[3], const double v[3]) {
  const int bullet = w->model->joint_count - 1;
  limpet_vec3_copy(w->data->q + w->model->joint_q[bullet], at);
  limpet_vec3_copy(w->data->v + w->model->joint_v[bullet], v);
}

static const double *bullet_q(const mjcf_world *w) {
  return w->data->q + w->model->joint_q[w->model->joint_count - 1];
}
static const double *bullet_v(const mjcf_world *w) {
  return w->data->v + w->model->joint_v[w->model->joint_count - 1];
}

// --------------------------------------------------------------------------------- no tunnels

/* A plate of 1 mm, fixed or free and heavy, hit from 1 cm to 9 m and from within 45 degrees. It is
 * wide enough for what a step at 1000 m/s slides on it. Never behind it, and at rest with respect
 * to it along its normal after 20 steps (SAP comes to rest over its relaxation time, Similar when
 * what slides has settled on its gliding gap, metres at such speeds). */
static void shoot_at_plate(const char *plate, bool moves, const char *contact_model, double speed,
                           double dt) {
  unsigned long seed = 3;
  for (int n = 0; n < 12; ++n) {
    mjcf_world w = bullet_among(plate, contact_model, dt);
    const double distance = exp(random_uniform(&seed, log(0.012), log(9.0))),
                 tilt = n ? random_uniform(&seed, 0.0, 0.78) : 0.0,
                 heading = random_uniform(&seed, 0.0, 6.28);
    const double v[3] = {speed * cos(tilt), speed * sin(tilt) * cos(heading),
                         speed * sin(tilt) * sin(heading)};
    place_bullet(&w, (double[3]){-distance, 0.3, -0.2}, v);
    for (int i = 0; i < 20; ++i) {
      mjcf_world_step(&w);
      const double *q = bullet_q(&w), depth = q[0] - (moves ? w.data->q[0] : 0.0);
      if (!(depth < 0.0))
        fail_msg("%s, %g m/s, %g s, from %g m at %g rad: %g m behind the plate in step %d",
                 contact_model, speed, dt, distance, tilt, depth, i);
    }
    const double left = fabs(bullet_v(&w)[0] - (moves ? w.data->v[0] : 0.0));
    if (left > (contact_model == models[2]                 ? 0.05
                : contact_model == models[1] && tilt > 0.0 ? 0.02
                                                           : 1e-3) *
                   speed)
      fail_msg("%s, %g m/s, %g s, from %g m at %g rad: still %g m/s", contact_model, speed, dt,
               distance, tilt, left);
    mjcf_world_destroy(&w);
  }
}

static void bullets_do_not_tunnel(void **state) {
  (void)state;
  static const char *const fixed = "<geom type='box' size='.0005 300 300'/>";
  static const char *const free_plate =
      "<body><freejoint/><geom type='box' size='.0005 300 300' mass='1000'/></body>";
  for (int k = 0; k < MODELS; ++k)
    for (int s = 0; s < 2; ++s)
      for (int d = 0; d < 2; ++d) {
        shoot_at_plate(fixed, false, models[k], s ? 1000.0 : 300.0, d ? 1e-2 : 2e-3);
        shoot_at_plate(free_plate, true, models[k], s ? 1000.0 : 300.0, d ? 1e-2 : 2e-3);
      }
}

/* Other targets, and bullets that are boxes, capsules, cylinders. They fly tip first: what lands on
 * its side on one point is spun through the target, which is turning, and not followed. */
static void shapes_do_not_tunnel(void **state) {
  (void)state;
  static const char *const targets[] = {"<geom type='box' size='.0005 2 2'/>",
                                        "<geom type='cylinder' size='3 .0005' zaxis='1 0 0'/>",
                                        "<geom type='ellipsoid' size='.001 3 3'/>",
                                        "<geom type='plane' size='1 1 1' zaxis='-1 0 0'/>",
                                        "<geom type='capsule' size='.02 3'/>",
                                        "<geom size='.05'/>"};
  static const char *const bullets[] = {
      "type='box' size='.01 .01 .01'", "type='capsule' size='.005 .01' zaxis='1 0 0'",
      "type='cylinder' size='.01 .004' zaxis='1 0 0'", "type='ellipsoid' size='.01 .005 .005'"};
  for (int t = 0; t < 6; ++t)
    for (int b = 0; b < 4; ++b) {
      char text[800];
      snprintf(text, sizeof text,
               "<mujoco><option gravity='0 0 0'/><worldbody>%s<body pos='-1.7 0 "
               "0'><freejoint/><geom mass='.01' %s/></body>"
               "</worldbody></mujoco>",
               targets[t], bullets[b]);
      mjcf_world w = mjcf_world_of(text, NULL);
      w.data->v[0] = 300.0;
      for (int i = 0; i < 10; ++i) {
        mjcf_world_step(&w);
        if (!(w.data->q[0] < 0.0)) fail_msg("target %d, bullet %d: at %g m", t, b, w.data->q[0]);
      }
      mjcf_world_destroy(&w);
    }
}

// Two bullets on one line stop each other half way; their momentum stays zero.
static void two_bullets_meet(void **state) {
  (void)state;
  mjcf_world w =
      bullet_among("<body><freejoint/><geom size='.01' mass='.01'/></body>", "lagged", 2e-3);
  w.data->q[0] = 0.8, w.data->v[0] = -500.0;
  place_bullet(&w, (double[3]){-0.7, 0, 0}, (double[3]){500, 0, 0});
  for (int i = 0; i < 10; ++i) {
    mjcf_world_step(&w);
    assert_true(bullet_q(&w)[0] < w.data->q[0]);
    assert_true(fabs(w.data->v[0] + bullet_v(&w)[0]) < 1e-6 * 500.0);
  }
  assert_true(fabs(w.data->v[0]) < 1.0);
  mjcf_world_destroy(&w);
}

/* What a hit turns is followed once more: from the wall that it hits first, a bullet slides into
 * the next one and stays in the corner, though its straight path would miss that wall. */
static void a_corner_of_two_walls_holds(void **state) {
  (void)state;
  for (int k = 0; k < MODELS; ++k)
    for (int n = 0; n < 8; ++n) {
      mjcf_world w = bullet_among(
          "<geom type='box' size='.0005 2 2' pos='.0005 -2 0' friction='0'/>"
          "<geom type='box' size='2 .0005 2' pos='-2 .0005 0' friction='0'/>",
          models[k], 1e-2);
      w.model->geom_material[2].friction = 0.0;
      place_bullet(&w, (double[3]){-0.5, -1.4 + 0.15 * n, 0.1}, (double[3]){200.0, 200.0, 0.0});
      for (int i = 0; i < 10; ++i) {
        mjcf_world_step(&w);
        const double *q = bullet_q(&w);
        if (!(q[0] < 0.0 && q[1] < 0.0)) fail_msg("%s, %d: at (%g, %g)", models[k], n, q[0], q[1]);
      }
      mjcf_world_destroy(&w);
    }
}

// ------------------------------------------------------------------------------- no ghosts

/* Beside the edge of a box, with a clearance of 50 um (2 mm where sliding contacts glide on a gap)
 * to 20 cm, from any distance: the velocity stays to the last digits. With the edge 5 mm in the way
 * it does not. */
static void a_bullet_passes_beside_a_corner(void **state) {
  (void)state;
  unsigned long seed = 9;
  for (int k = 0; k < MODELS; ++k)
    for (int n = 0; n < 60; ++n) {
      mjcf_world w =
          bullet_among("<geom type='box' size='.1 .1 .1'/>", models[k], n % 2 ? 2e-3 : 1e-2);
      const bool hits = n % 3 == 0;
      const double clearance =
          hits ? -0.005 : exp(random_uniform(&seed, log(k ? 0.002 : 5e-5), log(0.2)));
      const double speed = n % 4 < 2 ? 300.0 : 1000.0, side = 0.1 + 0.01 + clearance;
      place_bullet(&w, (double[3]){-random_uniform(&seed, 0.5, 6.0), side, 0.05},
                   (double[3]){speed, 0, 0});
      for (int i = 0; i < 12; ++i) mjcf_world_step(&w);
      const double *v = bullet_v(&w), change = hypot(v[0] - speed, hypot(v[1], v[2]));
      if (hits ? change < 0.01 * speed : change > 1e-9 * speed)
        fail_msg("%s, %g m/s, clearance %g m: velocity changes by %g m/s", models[k], speed,
                 clearance, change);
      mjcf_world_destroy(&w);
    }
}

// Past the corner of a plate diagonally, and through a hole between two boxes.
static void a_bullet_passes_through_a_hole(void **state) {
  (void)state;
  for (int n = 0; n < 20; ++n) {
    mjcf_world w = bullet_among(
        "<geom type='box' size='.1 .5 .5' pos='0 .515 0'/><geom type='box' size='.1 .5 .5' pos='0 "
        "-.515 0'/>"
        "<geom type='box' size='.0005 1 1' pos='3 1.04 -1.04' euler='45 0 0'/>",
        "lagged", 1e-2);
    place_bullet(&w, (double[3]){-0.3 - 0.3 * n, 0.001, 0.0}, (double[3]){300.0, 0, 0});
    for (int i = 0; i < 5; ++i) mjcf_world_step(&w);
    const double *v = bullet_v(&w);
    if (hypot(v[0] - 300.0, hypot(v[1], v[2])) > 1e-6)
      fail_msg("%d: (%g, %g, %g) m/s", n, v[0], v[1], v[2]);
    mjcf_world_destroy(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bullets_do_not_tunnel),
      cmocka_unit_test(shapes_do_not_tunnel),
      cmocka_unit_test(two_bullets_meet),
      cmocka_unit_test(a_corner_of_two_walls_holds),
      cmocka_unit_test(a_bullet_passes_beside_a_corner),
      cmocka_unit_test(a_bullet_passes_through_a_hole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

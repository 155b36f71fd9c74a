/* tests/step/test_impulse_methods.c: every method of the scheme `impulse` on scenes with closed
 * forms: a sphere that hits a plane (sheet C1), boxes at rest, on slopes below and above the angle
 * of friction, stacks, a grasp. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "effort.h"
#include "impulse_world.h"
#include "math/vec3.h"

// What a method is held to; creeps in 1 s at 2 ms [m], after rest is reached where things sink onto
// springs.
typedef struct method {
  const char *name;
  double impact;  // [-]  relative error of an impact; NAN: contacts are springs
  double creep;   // box on a slope of 25 degrees, friction angle 26.6
  double stack;   // top of a stack of three
  double grasp;   // ball in a grasp
  double tall;    // top of a stack of ten, in 2 s at 1 ms
  double row;     // the lowest of three cubes in a row that jaws press, in 0.5 s at 1 ms
} method;

static const method methods[] = {
    {"two-phase", 1e-6, 1e-9, 1e-9, 1e-9, 1e-9, 1e-9},
    {"pgs", 1e-5, 1e-6, 1e-4, 1e-6, 1e-4, 1e-5},
    {"lcp", 1e-5, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6},
    {"sequential-impulse", 1e-9, 1e-8, 1e-4, 1e-9, 3e-2, 2e-3},
    {"penalty", NAN, 1e-6, 1e-4, 1e-6, 2e-2, 2e-3},
};
enum { METHODS = sizeof methods / sizeof *methods };

#define BALL(friction, restitution)                                                               \
  "<mujoco xmlns:limpet='limpet'><option gravity='0 0 0'/><worldbody><geom type='plane' size='1 " \
  "1 1' friction='" friction                                                                      \
  "'/><body pos='0 0 .1'><freejoint/><geom size='.1' mass='1' friction='" friction                \
  "' limpet:restitution='" restitution "'/></body></worldbody></mujoco>"

/* Sheet C1: x_n = m (1 + e) v_n, x_t = min(m v_t/3.5, mu x_n) against the slip. The slip has
 * components along both axes of the world, so that the box of lcp would show; it gets its own row,
 * along one tangent. */
static void sphere_hits_a_plane(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double v_t, v, omega, bounce;
  } cases[] = {{BALL(".5", "0"), 1.0, 0.714285714285714, 7.142857142857143, 0.0},
               {BALL(".5", "0"), 3.0, 2.5, 12.5, 0.0},
               {BALL(".5", ".5"), 3.0, 2.25, 18.75, 0.5}};
  for (int m = 0; m < METHODS; ++m)
    for (int c = 0; c < 3; ++c)
      for (int euler = 0; euler < 2; ++euler)
        for (int turn = 0; turn < 5; ++turn) {
          if (isnan(methods[m].impact) || (strcmp(methods[m].name, "lcp") == 0 && turn > 0))
            continue;
          impulse_world w = impulse_world_open(cases[c].text, methods[m].name, 1e-3, euler);
          const double angle = 0.3 * turn, x = cos(angle), y = sin(angle);
          w.data->v[0] = cases[c].v_t * x, w.data->v[1] = cases[c].v_t * y, w.data->v[2] = -1.0;
          impulse_world_run(&w, 1e-3);
          const double *v = w.data->v, tolerance = methods[m].impact;
          const double expected[6] = {cases[c].v * x,      cases[c].v * y,     cases[c].bounce,
                                      -cases[c].omega * y, cases[c].omega * x, 0.0};
          for (int k = 0; k < 6; ++k)
            if (!(fabs(v[k] - expected[k]) <= tolerance * (1.0 + fabs(expected[k]))))
              fail_msg("%s, case %d, turn %d: v[%d] is %.12g, not %.12g", methods[m].name, c, turn,
                       k, v[k], expected[k]);
          impulse_world_close(&w);
        }
}

// The literal two-phase method does as well on single contacts: sheet C1 holds.
static void literal_hits_a_plane(void **state) {
  (void)state;
  for (int turn = 0; turn < 5; ++turn) {
    impulse_world w = impulse_world_open(BALL(".5", ".5"), "two-phase-literal", 1e-3, true);
    w.data->v[0] = 3.0 * cos(0.3 * turn), w.data->v[1] = 3.0 * sin(0.3 * turn), w.data->v[2] = -1.0;
    impulse_world_run(&w, 1e-3);
    assert_true(fabs(hypot(w.data->v[0], w.data->v[1]) - 2.25) < 3e-6 &&
                fabs(w.data->v[2] - 0.5) < 1e-9);
    impulse_world_close(&w);
  }
}

static double shift(const double *q, const double *from) {
  return hypot(hypot(q[0] - from[0], q[1] - from[1]), q[2] - from[2]);
}

static void boxes_rest_and_slide(void **state) {
  (void)state;
  for (int m = 0; m < METHODS; ++m)
    // where less runs, methods take turns
    for (int euler = TEST_WATCHED ? m % 2 : 0; euler < 2; euler += test_effort(1, 2)) {
      double creep[4];
      for (int scene = 0; scene < 4; ++scene) {
        const bool grasp = scene == 3;
        const char *text = grasp ? impulse_grasp(false)
                                 : impulse_boxes(scene == 2 ? 3 : 1, scene == 1 ? 25.0 : 0.0);
        impulse_world w = impulse_world_open(text, methods[m].name, 2e-3, euler);
        double start[3];
        const double *q = w.data->q + w.model->nq - 7;
        if (isnan(methods[m].impact)) impulse_world_run(&w, 4.0);  // things sink onto springs first
        memcpy(start, q, sizeof start);
        impulse_world_run(&w, 1.0);
        creep[scene] = shift(q, start);
        impulse_world_close(&w);
      }
      printf("%-20s %-13s creep in 1 s: rest %.2g m, slope %.2g m, stack %.2g m, grasp %.2g m\n",
             methods[m].name, euler ? "explicit" : "semi-implicit", creep[0], creep[1], creep[2],
             creep[3]);
      assert_true(creep[0] < methods[m].creep && creep[1] < methods[m].creep);
      assert_true(creep[2] < methods[m].stack && creep[3] < methods[m].grasp);

      // above the angle: a = g (sin 30 - mu cos 30)
      impulse_world w = impulse_world_open(impulse_boxes(1, 30.0), methods[m].name, 2e-3, euler);
      impulse_world_run(&w, 0.5);
      const double before = w.data->v[0], expected = 9.81 * (0.5 - 0.5 * cos(LIMPET_PI / 6.0));
      impulse_world_run(&w, 0.5);
      const double found = (w.data->v[0] - before) / 0.5;
      printf("%-20s %-13s slides with %.5f m/s^2, not %.5f\n", methods[m].name,
             euler ? "explicit" : "semi-implicit", found, expected);
      assert_true(fabs(found / expected - 1.0) < 0.01);
      impulse_world_close(&w);
    }
}

// MJCF in a static buffer: `count` cubes of 28 mm and 0.12 kg in a row between jaws that press with
// 100 N, friction 0.1.
static const char *row_of_cubes(int count) {
  static char text[4096];
  size_t n = (size_t)snprintf(text, sizeof text,
                              "<mujoco><default><geom friction='.1'/></default><worldbody>");
  for (int side = -1; side <= 1; side += 2)
    n += (size_t)snprintf(text + n, sizeof text - n,
                          "<body pos='%.17g 0 0'><joint name='%s' type='slide' axis='%d 0 0'/>"
                          "<geom type='box' size='.01 .03 .03' mass='.2'/></body>",
                          side * (0.014 * count + 0.01), side < 0 ? "left" : "right", -side);
  for (int i = 0; i < count; ++i)
    n += (size_t)snprintf(text + n, sizeof text - n,
                          "<body pos='%.17g 0 0'><freejoint/><geom type='box' size='.014 .014 "
                          ".014' mass='.12'/></body>",
                          0.028 * (i - 0.5 * (count - 1)));
  snprintf(text + n, sizeof text - n,
           "</worldbody><equality><joint joint1='left' joint2='right'/></equality>"
           "<actuator><motor joint='left'/><motor joint='right'/></actuator><keyframe><key "
           "ctrl='100 100'/></keyframe></mujoco>");
  return text;
}

/* Ten boxes stand; three cubes of 3.5 N in all are held by 100 N, of which friction needs 18.
 * Springs are as soft as explicit forces ask for; sequential impulses creep, as sweeps that take
 * nothing back do not converge on ten boxes. */
static void stacks_stand_and_rows_are_held(void **state) {
  (void)state;
  for (int m = 0; m < METHODS; ++m) {
    impulse_world w = impulse_world_open(impulse_boxes(10, 0.0), methods[m].name, 1e-3, false);
    const double top[3] = {0.0, 0.0, 0.95};
    impulse_world_run(&w, TEST_WATCHED ? 0.1 : 2.0);
    const double moved = shift(w.data->q + w.model->nq - 7, top);
    impulse_world_close(&w);
    w = impulse_world_open(row_of_cubes(3), methods[m].name, 1e-3, false);
    impulse_world_run(&w, TEST_WATCHED ? 0.05 : 0.5);
    double sunk = 0.0;
    for (int i = 0; i < 3; ++i) sunk = fmax(sunk, -w.data->q[2 + 7 * i + 2]);
    impulse_world_close(&w);
    printf("%-20s top of ten boxes moves by %.2g m, three cubes sink by %.2g m\n", methods[m].name,
           moved, sunk);
    assert_true(moved < methods[m].tall && sunk < methods[m].row);
  }
}

/* Restitution of the penalty method, at whatever depth a step first sees a contact: within 0.07 of
 * what was asked; nothing that is to be inelastic comes back as fast as it went. */
static void springs_bounce(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double e, error;
  } cases[] = {
      {BALL("0", "0"), 0.0, 0.95}, {BALL("0", ".5"), 0.5, 0.07}, {BALL("0", ".8"), 0.8, 0.07}};
  for (int c = 0; c < 3; ++c) {
    double least = INFINITY, most = 0.0;
    for (int i = 0; i < 10; ++i) {
      impulse_world w = impulse_world_open(cases[c].text, "penalty", 1e-3, false);
      w.data->q[2] += 1e-3 + 1e-4 * i, w.data->v[2] = -1.0;
      impulse_world_run(&w, 0.1);
      least = fmin(least, w.data->v[2]), most = fmax(most, w.data->v[2]);
      impulse_world_close(&w);
    }
    printf("penalty: e = %.1f bounces with %.3f to %.3f\n", cases[c].e, least, most);
    assert_true(least > cases[c].e - cases[c].error && most < cases[c].e + cases[c].error);
  }
}

/* Shock propagation: after the sweeps of one step the boxes of a stack still approach each other;
 * from the ground upwards, with what is below fixed, they are stopped. */
static void shocks_stop_a_stack(void **state) {
  (void)state;
  impulse_world w = impulse_world_open(impulse_boxes(10, 0.0), "sequential-impulse", 2e-3, false);
  impulse_world_run(&w, 2e-3);
  double fastest = 0.0;
  for (int i = 0; i < w.data->contact_count; ++i)
    fastest = fmax(fastest, -w.data->contact_velocity[3 * i + 2]);
  printf("sequential-impulse: boxes of a stack approach with %.2g m/s after a step\n", fastest);
  assert_int_equal(w.data->contact_count, 40);
  assert_true(fastest < 1e-6);
  impulse_world_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sphere_hits_a_plane),  cmocka_unit_test(literal_hits_a_plane),
      cmocka_unit_test(boxes_rest_and_slide), cmocka_unit_test(stacks_stand_and_rows_are_held),
      cmocka_unit_test(springs_bounce),       cmocka_unit_test(shocks_stop_a_stack),
  };
  return cmocka_run_group_tests_name("impulse_methods", tests, NULL, NULL);
}

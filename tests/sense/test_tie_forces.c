/* tests/sense/test_tie_forces.c: what soft bodies pull on the rigid ones that they are tied to.
 *
 * A scale under a soft body reads the weight of all that stands on it or hangs from it: where the
 * scale is fixed or moves, and where something lies on the very vertices that are clamped. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mjcf_text.h"
#include "mjcf_world.h"

static const double gravity = 9.81, block = 0.06 * 0.06 * 0.1 * 1000.0;  // [kg]

#define BLOCK(more)                                                                         \
  "<limpet:deformable name='a' type='box' size='.03 .03 .05' cells='2 2 3' pos='0 0 -.07' " \
  "young='1e6' density='1000' damping='.05'" more
#define READ "<sensor><force site='s'/><torque site='s'/></sensor>"

// Force and moment on the scale after three seconds.
static void read_scale_of(const char *text, bool rigid_ties, double mass, double lever) {
  mjcf_world w = mjcf_world_of(text, NULL);
  w.settings.rigid_ties = rigid_ties;
  mjcf_world_run(&w, 3.0);
  const double *f = w.data->sensor, *m = f + 3, weight = mass * gravity;
  if (!(fabs(f[2] - weight) < 1e-4 * weight && hypot(f[0], f[1]) < 1e-4 * weight))
    fail_msg("%.9g %.9g %.9g N, not %.9g N upwards: %s", f[0], f[1], f[2], weight, text);
  // what lies beside the site by `lever` along x: [N m] about y
  if (!(fabs(m[1] + lever * gravity) < 1e-4 * weight && fabs(m[0]) < 1e-4 * weight))
    fail_msg("%.9g %.9g N m, not %.9g: %s", m[0], m[1], -lever * gravity, text);
  mjcf_world_destroy(&w);
}

static void read_scale(const char *text, double mass, double lever) {
  read_scale_of(text, false, mass, lever);
  read_scale_of(text, true, mass, lever);
}

static void a_fixed_scale_feels_what_hangs_on_it(void **state) {
  (void)state;
  read_scale(
      MODEL("<worldbody><body pos='.5 0 1'><geom type='box' size='.05 .05 .02' mass='1'/>"
            "<site name='s' pos='-.1 0 0'/>" BLOCK(
                "><limpet:tie box='-1 -1 .049 1 1 1'/></limpet:deformable>") "</body></"
                                                                             "worldbody>" READ),
      1.0 + block, 0.1 * (1.0 + block));
}

static void a_moving_scale_feels_what_hangs_on_it(void **state) {
  (void)state;
  read_scale(
      MODEL("<worldbody><body pos='.5 0 1'><joint type='slide' axis='1 0 0' damping='1'/>"
            "<geom type='box' size='.05 .05 .02' mass='1'/><site name='s' pos='-.1 0 0'/>" BLOCK(
                "><limpet:tie box='-1 -1 .049 1 1 1'/></limpet:deformable>") "</body></"
                                                                             "worldbody>" READ),
      1.0 + block, 0.1 * (1.0 + block));
}

// A box lies on both clamped vertices and free ones.
static void what_lies_on_clamped_vertices_counts_once(void **state) {
  (void)state;
  read_scale(
      MODEL("<worldbody><body pos='.5 0 1'><geom type='box' size='.05 .05 .02' mass='1' "
            "contype='0' conaffinity='0'/><site name='s'/>"
            "<limpet:deformable name='a' type='box' size='.03 .03 .05' cells='2 2 3' pos='0 0 .1' "
            "young='1e6' density='1000' damping='.05'><limpet:tie box='-1 -1 -1 .001 1 1'/>"
            "</limpet:deformable></body>"
            "<body pos='.5 0 1.165'><freejoint/><geom type='box' size='.028 .028 .0145' mass='.2'/>"
            "</body></worldbody>" READ),
      1.0 + block + 0.2, 0.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_fixed_scale_feels_what_hangs_on_it),
      cmocka_unit_test(a_moving_scale_feels_what_hangs_on_it),
      cmocka_unit_test(what_lies_on_clamped_vertices_counts_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A ball thrown on a floor whose pair asks that friction stops slip within a step (solreffriction,
 * which is accepted in silence): Coulomb's law does that anyway, so the ball rolls while it touches
 * and leaves with spin, as in MuJoCo's example spin_recoil.xml. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "mjcf_text.h"
#include "mjcf_world.h"

static void rolls_while_it_touches(void **state) {
  (void)state;
  mjcf_world world = mjcf_world_of(
      MODEL("<option cone='elliptic' timestep='1e-4'/><default>"
            "<pair solref='-100000 0' solreffriction='0 -10000'/></default><worldbody>"
            "<geom name='floor' size='.2 .2 .01' type='plane'/>"
            "<body pos='-.1 0 .2'><freejoint/><geom name='ball' type='sphere' size='.02' "
            "mass='.001'/><body><joint type='ball' stiffness='0.1' damping='.0001'/>"
            "<geom type='sphere' size='.02' contype='0' conaffinity='0' mass='.01'/></body></body>"
            "</worldbody><contact><pair geom1='floor' geom2='ball'/></contact>"
            "<keyframe><key qvel='1.3 0 0 0 0 0 0 0 0'/></keyframe>"),
      NULL);
  limpet_data_reset_keyframe(world.model, world.data, 0);
  const double radius = 0.02, *v = world.data->v;
  int touching = 0;
  for (int i = 0; i < 2100; ++i) {
    mjcf_world_step(&world);
    if (world.data->info.touching_count == 0) continue;
    // the bound mu f_n is met within the first tenth of a millisecond or two
    if (++touching > 3 && !(fabs(v[0] - radius * v[4]) < 0.05 * 1.3)) {
      print_error("step %d: %g m/s, %g m/s by the turn\n", i, v[0], radius * v[4]);
      fail();
    }
  }
  assert_true(touching > 10 && v[2] > 0.0 && v[0] < 1.3 - 0.1 && fabs(v[4]) > 5.0);
  mjcf_world_destroy(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rolls_while_it_touches)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

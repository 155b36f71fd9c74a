/* tests/laws/test_conveyor.c: surfaces that move by themselves, against closed forms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/step.h"
#include "math/vec3.h"
#include "mjcf_text.h"
#include "mjcf_world.h"

static const double g0 = 9.81;

// A geom on a belt, both with the same friction; DRIVE: an actuator on the belt.
#define BELT(belt, body, mu, actuator)                                                       \
  "<mujoco xmlns:limpet='limpet'><worldbody><geom name='belt' type='box' size='50 50 .05' "  \
  "friction='" mu "' " belt                                                                  \
  "/><body pos='0 0 .15'><freejoint/><geom size='.1 .1 .1' mass='1' friction='" mu "' " body \
  "/></body></worldbody>"                                                                    \
  "<actuator>" actuator "</actuator></mujoco>"
#define DRIVE "<general name='drive' limpet:surface='belt' ctrlrange='-2 2'/>"

/* A box on a belt that runs: mu g until it rides with the belt, then the belt's speed to the creep
 * of stiction; mu g again when the belt stops. `margin`: of the rate while it slides; 1e-4 for
 * Lagged, whose normal force is the weight once the box has landed. Similar and SAP glide on a gap
 * that follows the slip: a belt that starts or stops at once throws the box up, so only what it
 * comes to is asked of them. Riding: at zero load creep vanishes; what remains is the solver's
 * tolerance, 1e-6 of v. `rest`: the box after the belt has stopped; SAP, thrown up, settles with
 * its relaxation time of 0.2 s and has not come to rest. */
static void box_is_carried_and_braked(const char *contact_model, double margin, double rest) {
  mjcf_world w = mjcf_world_of(BELT("limpet:surface_velocity='1 0 0'", "type='box'", "0.4", DRIVE),
                               contact_model);
  w.data->control[0] = 1.0;
  mjcf_world_run(&w, 0.1);
  const double early = w.data->v[0];
  mjcf_world_run(&w, 0.1);
  const double rate = (w.data->v[0] - early) / 0.1;
  if (fabs(rate / (0.4 * g0) - 1.0) > margin)
    fail_msg("%s: %.6g m/s^2 instead of %.6g", contact_model, rate, 0.4 * g0);
  for (int i = 0; i < w.data->contact_count; ++i) {  // slip is relative to the belt
    const double *v = w.data->contact_velocity + 3 * i;
    assert_true(fabs(hypot(v[0], v[1]) - (1.0 - w.data->v[0])) < 1e-3);
  }

  mjcf_world_run(&w, 0.3);
  if (fabs(w.data->v[0] - 1.0) > 1e-5)
    fail_msg("%s: rides at %.9g m/s", contact_model, w.data->v[0]);
  assert_true(fabs(w.data->v[1]) < 1e-5);

  // faster than the range of the control allows: 2 m/s and no more; then it stops
  w.data->control[0] = 5.0;
  mjcf_world_run(&w, 0.5);
  if (fabs(w.data->v[0] - 2.0) > 1e-5)
    fail_msg("%s: rides at %.9g m/s, not at 2", contact_model, w.data->v[0]);
  w.data->control[0] = 0.0;
  const double before = w.data->v[0];
  mjcf_world_run(&w, 0.1);
  assert_true(fabs((before - w.data->v[0]) / 0.1 / (0.4 * g0) - 1.0) < margin);
  mjcf_world_run(&w, 0.6);
  if (!(fabs(w.data->v[0]) < rest))
    fail_msg("%s: %.9g m/s on a belt that stands", contact_model, w.data->v[0]);
  mjcf_world_destroy(&w);
}

static void boxes_are_carried_and_braked(void **state) {
  (void)state;
  box_is_carried_and_braked("lagged", 1e-4, 1e-5);
  box_is_carried_and_braked("similar", INFINITY, 1e-5);
  box_is_carried_and_braked("sap", INFINITY, 1e-4);
}

/* A sphere on a belt that runs up with acceleration a rolls without slip: the belt pushes m v', f r
 * = 2/5 m r^2 w', and contact stays together, v' + r w' = a: v' = 2/7 a. 1e-3: first order in dt of
 * a constant acceleration. */
static void sphere_rolls_on_a_belt_that_starts(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      BELT("limpet:surface_velocity='0 1 0'", "type='sphere'", "0.8", DRIVE), "lagged");
  for (int i = 0; i < 500; ++i) {
    w.data->control[0] = 1.4 * (i + 1) * w.settings.time_step;
    mjcf_world_run(&w, w.settings.time_step);
  }
  const double *v = w.data->v;
  if (fabs(v[1] / 0.4 - 1.0) > 1e-3) fail_msg("%.6g m/s instead of 0.4", v[1]);
  assert_true(fabs(v[0]) < 1e-6);
  assert_true(fabs(v[3] / 10.0 - 1.0) < 2e-3);  // r w = 1.4 - 0.4 m/s, backwards
  mjcf_world_destroy(&w);
}

// Without an actuator the belt runs; with two their controls add; the geom of the body may carry
// the track.
static void factors_of_a_belt(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(BELT("surfacevel='0.5 0 0'", "type='box'", "1", ""), "lagged");
  mjcf_world_run(&w, 0.5);
  assert_true(fabs(w.data->v[0] - 0.5) < 1e-5);
  mjcf_world_destroy(&w);

  w = mjcf_world_of(BELT("limpet:surface_velocity='1 0 0'", "type='box'", "1",
                         DRIVE "<general limpet:surface='belt' gear='-2'/>"),
                    "lagged");
  w.data->control[0] = 1.0, w.data->control[1] = 0.25;
  mjcf_world_run(&w, 0.5);
  assert_true(fabs(w.data->v[0] - 0.5) < 1e-5);
  assert_true(w.data->actuator_force[0] == 0.0 && w.data->actuator_length[0] == 0.0 &&
              w.data->actuator_velocity[0] == 0.0);
  mjcf_world_destroy(&w);

  // a track below a vehicle that drives it backwards moves the vehicle forwards
  w = mjcf_world_of(BELT("", "type='box' limpet:surface_velocity='-0.3 0 0'", "1", ""), "lagged");
  mjcf_world_run(&w, 0.5);
  assert_true(fabs(w.data->v[0] - 0.3) < 1e-5);
  mjcf_world_destroy(&w);
}

/* Only what is tangential acts: a surface velocity along the normal moves nothing. The frame is the
 * geom's: turned by 90 degrees about z, its x is the world's y. */
static void surface_velocity_is_in_the_geom_frame(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      BELT("limpet:surface_velocity='0.2 0 7' euler='0 0 90'", "type='box'", "1", ""), "lagged");
  mjcf_world_run(&w, 0.5);
  assert_true(fabs(w.data->v[0]) < 1e-5 && fabs(w.data->v[1] - 0.2) < 1e-5 &&
              fabs(w.data->v[2]) < 1e-5);
  mjcf_world_destroy(&w);

  // meshes keep the frame of the file, whatever their inertial frame is
  limpet_model *model = mjcf_load(
      "<mujoco xmlns:limpet='limpet'><asset><mesh name='m' vertex='0 0 0 1 0 0 1 .1 0 0 .1 0 0 0 "
      ".3 1 0 .3 1 .1 .3 0 .1 .3'/>"
      "</asset><worldbody><geom type='mesh' mesh='m' euler='10 20 30' limpet:surface_velocity='1 2 "
      "3'/></worldbody></mujoco>");
  limpet_model *plain = mjcf_load(
      "<mujoco xmlns:limpet='limpet'><worldbody><geom type='box' size='1 1 1' euler='10 20 30' "
      "limpet:surface_velocity='1 2 3'/></worldbody></mujoco>");
  double a[3], b[3];
  limpet_mat3_mul_vec(a, model->geom_rotation, model->geom_material[0].surface_velocity);
  limpet_mat3_mul_vec(b, plain->geom_rotation, plain->geom_material[0].surface_velocity);
  assert_true(limpet_vec3_distance(a, b) < 1e-13);
  assert_true(fabs(model->geom_material[0].surface_velocity[0] - 1.0) >
              0.1);  // the frames do differ
  limpet_model_destroy(model);
  limpet_model_destroy(plain);
}

static void wrong_drives_are_refused(void **state) {
  (void)state;
  assert_true(
      mjcf_refused("<mujoco><worldbody><geom name='g' size='1'/></worldbody>\n<actuator><general "
                   "limpet:surface='g'/></actuator></mujoco>",
                   "robot.xml:2:11: actuator 'g' drives the surface of geom 'g', which has no "
                   "surface velocity; give that geom one: the "
                   "control multiplies it"));
  assert_true(
      mjcf_refused("<mujoco><worldbody><geom name='g' size='1' surfacevel='1 0 "
                   "0'/></worldbody>\n<actuator><general "
                   "limpet:surface='g' biastype='affine' biasprm='0 -1 0'/></actuator></mujoco>",
                   "robot.xml:2:11: actuator 'g' drives a surface, which has no length and takes "
                   "no force; leave out "
                   "all but the first numbers of gear, gain and bias, the range of the force, the "
                   "reference site, and "
                   "early activation"));
  assert_true(
      mjcf_refused("<mujoco><worldbody><geom name='belt' size='1' surfacevel='1 0 "
                   "0'/></worldbody>\n<actuator><general "
                   "limpet:surface='bels'/></actuator></mujoco>",
                   "robot.xml:2:20: there is no geom 'bels'; did you mean 'belt'?"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(boxes_are_carried_and_braked),
      cmocka_unit_test(sphere_rolls_on_a_belt_that_starts),
      cmocka_unit_test(factors_of_a_belt),
      cmocka_unit_test(surface_velocity_is_in_the_geom_frame),
      cmocka_unit_test(wrong_drives_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

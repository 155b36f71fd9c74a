/* tests/sense/test_tendon_forces.c: a tendon's pull is no force between a body and its parent.
 *
 * Along the axis of a joint without losses a parent can exert nothing. So force sensors along
 * slides and torque sensors about hinges read zero, whatever a tendon does: springs, dampers,
 * armature, motors, limits, dry friction, couplers, wraps, pulleys. What hangs on a string pulls
 * where the string ends, and twice where it is bent. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "limpet/sense.h"
#include "mjcf_text.h"
#include "mjcf_world.h"
#include "random_models.h"

static const double gravity = 9.81;

// Force of the parent upwards, after two seconds in which all comes to rest.
static double hanging(const char *text, double pull, double damping) {
  mjcf_world w = mjcf_world_of(text, NULL);
  w.model->dof_damping[0] = damping;
  for (int i = 0; i < w.model->nu; ++i) w.data->control[i] = pull;
  mjcf_world_run(&w, 2.0);
  if (!(fabs(w.data->v[0]) < 0.02)) fail_msg("%.3g m/s: %s", w.data->v[0], text);
  const double force = w.data->sensor[2];
  assert_true(hypot(w.data->sensor[0], w.data->sensor[1]) < 1e-6);
  mjcf_world_destroy(&w);
  return force;
}

// A crane of 1 kg that is fixed to the world, and a load of 2 kg that its string carries.
#define CRANE(tendon, more)                                                                  \
  MODEL(                                                                                     \
      "<worldbody><body><geom size='.1' mass='1'/><site name='hook' pos='.1 0 -.1'/></body>" \
      "<body pos='.1 0 -1'><joint type='slide' axis='0 0 1'/><geom size='.1' mass='2'/>"     \
      "<site name='load'/></body><site name='crane'/></worldbody><tendon><spatial "          \
      "name='t' " tendon "><site site='hook'/><site site='load'/></spatial></tendon>" more   \
      "<sensor><force site='hook'/></sensor>")

static void a_crane_carries_what_its_string_carries(void **state) {
  (void)state;
  static const struct {
    const char *name, *text;
    double pull, damping;
  } cases[] = {
      {"spring", CRANE("stiffness='2000' springlength='.9'", ""), 0.0, 30.0},
      {"spring and damper", CRANE("stiffness='2000' damping='20' springlength='.9'", ""), 0.0,
       30.0},
      {"limit", CRANE("range='0 .9' limited='true'", ""), 0.0, 30.0},
      {"equality", CRANE("", "<equality><tendon tendon1='t' polycoef='0 0 0 0 0'/></equality>"),
       0.0, 30.0},
      {"motor", CRANE("", "<actuator><motor tendon='t' gear='2'/></actuator>"), -gravity, 30.0},
      {"servo", CRANE("", "<actuator><position tendon='t' kp='2000' kv='50'/></actuator>"), 0.9,
       30.0},
      {"dry friction", CRANE("frictionloss='40'", ""), 0.0, 0.0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const double force = hanging(cases[i].text, cases[i].pull, cases[i].damping);
    if (!(fabs(force - 3.0 * gravity) < 1e-3))
      fail_msg("%s: the crane reads %.9g N, not %.9g N", cases[i].name, force, 3.0 * gravity);
  }
}

// Two loads of 2 kg balance over a wheel, or over a block with a divisor of 2.
static void a_wheel_carries_both_sides(void **state) {
  (void)state;
#define LOADS                                                                         \
  "<body pos='-.1 0 -1'><joint type='slide' axis='0 0 1'/><geom size='.1' mass='2'/>" \
  "<site name='left'/></body><body pos='.1 0 -1'><joint type='slide' axis='0 0 1'/>"  \
  "<geom size='.1' mass='2'/><site name='right'/></body></worldbody>"
#define SENSED "<sensor><force site='hub'/></sensor>"
  static const char *const texts[] = {
      MODEL("<worldbody><body><geom name='wheel' type='cylinder' size='.1 .02' euler='90 0 0' "
            "mass='1'/><site name='hub'/><site name='top' pos='0 0 .15'/></body>" LOADS
            "<tendon><spatial range='0 2.2' limited='true'><site site='left'/><geom geom='wheel' "
            "sidesite='top'/><site site='right'/></spatial></tendon>" SENSED),
      MODEL("<worldbody><body><geom size='.1' mass='1'/><site name='hub'/></body>" LOADS
            "<tendon><spatial range='0 1.9' limited='true'><site site='hub'/><site site='left'/>"
            "<pulley divisor='2'/><site site='hub'/><site site='right'/><pulley divisor='2'/>"
            "<site site='hub'/><site site='right'/></spatial></tendon>" SENSED)};
  for (int i = 0; i < 2; ++i) {
    mjcf_world w = mjcf_world_of(texts[i], NULL);
    for (int d = 0; d < 2; ++d) w.model->dof_damping[d] = 30.0;
    mjcf_world_run(&w, 20.0);  // by 20 mm/s from where the string is too long
    assert_true(fabs(w.data->v[0]) < 1e-3 && fabs(w.data->v[1]) < 1e-3);
    if (!(fabs(w.data->sensor[2] - 5.0 * gravity) < 1e-2))
      fail_msg("%d: the wheel reads %.9g N, not %.9g N", i, w.data->sensor[2], 5.0 * gravity);
    mjcf_world_destroy(&w);
  }
}

/* A chain of a hinge, a slide and a hinge at random places, and tendons from the world and along
 * it; or from a slide of its own, `joins`. Flight is plain, so that M of the step is that of its
 * start, as in the sensors. */
static mjcf_world chain(unsigned long *seed, bool joins) {
  char text[4096], other[256];
  double x[32];
  random_vector(seed, x, 32, 0.3);
  snprintf(other, sizeof other,
           joins ? "<body pos='%g %g .5'><joint name='d' type='slide' axis='1 .5 2'/>"
                   "<geom size='.1' mass='.7'/><site name='w'/></body>"
                 : "<site name='w' pos='%g %g .5'/>",
           x[0], x[1]);
  snprintf(
      text, sizeof text,
      MODEL("<worldbody><site name='w2' pos='%g %g 1'/>"
            "<body pos='0 0 0' euler='%g 30 %g'><joint name='a' axis='1 %g %g'/>"
            "<geom type='box' size='.1 .05 .07' pos='%g %g 0' mass='1'/><site name='ja'/>"
            "<site name='sa' pos='%g .2 %g'/><geom name='ball' size='.05' pos='.1 %g %g'/>"
            "<body pos='.3 0 %g' euler='20 %g 10'><joint name='b' type='slide' axis='%g 1 %g'/>"
            "<geom type='box' size='.1 .05 .07' pos='%g %g 0' mass='.5'/><site name='jb'/>"
            "<site name='sb' pos='%g -.1 %g'/>"
            "<body pos='.3 %g 0' euler='%g 50 0'><joint name='c' axis='%g %g 1'/>"
            "<geom type='box' size='.1 .05 .07' pos='%g %g 0' mass='.3'/><site name='jc'/>"
            "<site name='sc' pos='.1 %g %g'/></body></body></body>%s</worldbody>"
            "<tendon><spatial name='t' stiffness='%g' damping='%g' springlength='.2' armature='%g' "
            "range='0 %g' limited='true'><site site='w'/><site site='sa'/><site site='sc'/>"
            "<pulley divisor='3'/><site site='w2'/><site site='sb'/></spatial>"
            "<spatial name='u' stiffness='%g' frictionloss='.3'><site site='w2'/>"
            "<geom geom='ball'/><site site='sb'/><site site='sc'/></spatial></tendon>"
            "<equality><tendon tendon1='t' tendon2='u' polycoef='0 .5 .2 0 0' active='%s'/>"
            "</equality><actuator><motor tendon='u' gear='-2'/><position tendon='t' kp='20' "
            "kv='2'/></actuator><sensor><torque site='ja'/><force site='jb'/><torque site='jc'/>"
            "<force site='w'/></sensor>"),
      x[2], x[3], 100 * x[4], 100 * x[5], x[6], x[7], x[8], x[9], x[10], x[11], x[12], x[13], x[14],
      100 * x[15], x[16], x[17], x[18], x[19], x[20], x[21], x[22], 100 * x[23], x[24], x[25],
      x[26], x[27], x[28], x[29], other, random_log(seed, 1.0, 300.0), random_log(seed, 1e-2, 10.0),
      random_log(seed, 1e-3, 1.0), random_log(seed, 0.5, 3.0), random_log(seed, 1.0, 300.0),
      x[30] > 0.0 ? "true" : "false");
  mjcf_world w = mjcf_world_of(text, NULL);
  w.settings.compatibility.plain_flight = w.settings.compatibility.explicit_gyration = true;
  w.settings.time_step = random_log(seed, 5e-5, 5e-3);
  w.settings.tolerance = 1e-12;
  random_vector(seed, w.data->q, w.model->nq, 0.5);
  random_vector(seed, w.data->v, w.model->nv, 2.0);
  random_vector(seed, w.data->control, 2, 3.0);
  return w;
}

// Largest reading along a joint, as a share of the readings and of the forces of rows.
static double along_joints(const mjcf_world *w) {
  double worst = 0.0, size = 1.0;
  for (int i = 0; i < w->data->constraint_count; ++i) size += fabs(w->data->constraint_force[i]);
  for (int j = 0; j < w->model->joint_count; ++j) {
    const double *axis = w->model->joint_axis + 3 * j, *read = w->data->sensor + 3 * j;
    double along = 0.0;
    for (int k = 0; k < 3; ++k) along += axis[k] * read[k], size += fabs(read[k]);
    worst = fmax(worst, fabs(along));
  }
  return worst / size;
}

static void nothing_is_exerted_along_free_joints(void **state) {
  (void)state;
  unsigned long seed = 11;
  int limited = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const bool joins = trial >= 200;
    mjcf_world w = chain(&seed, joins);
    // forward dynamics have no armature between trees, which a step has
    if (!joins) limpet_sensors_evaluate(w.model, w.data);
    if (!joins && !(along_joints(&w) < 1e-9))
      fail_msg("trial %d, present state: %.3g of all forces", trial, along_joints(&w));
    for (int i = 0; i < 3; ++i) {
      limpet_step(w.model, w.data, &w.settings);
      if (!(along_joints(&w) < 2e-9 / w.settings.time_step))
        fail_msg("trial %d, step %d: %.3g of all forces", trial, i, along_joints(&w));
      limited += w.data->constraint_count > 2;
    }
    mjcf_world_destroy(&w);
  }
  assert_true(limited > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_crane_carries_what_its_string_carries),
      cmocka_unit_test(a_wheel_carries_both_sides),
      cmocka_unit_test(nothing_is_exerted_along_free_joints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

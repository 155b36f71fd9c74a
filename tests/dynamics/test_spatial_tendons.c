/* tests/dynamics/test_spatial_tendons.c: spatial tendons: rows against differences of lengths,
 * machines with closed forms, energy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/dynamics.h"
#include "math/vec3.h"
#include "mjcf_text.h"
#include "mjcf_world.h"

static unsigned long seed = 3;

static double uniform(double low, double high) {
  seed = seed * 6364136223846793005ul + 1442695040888963407ul;
  return low + (high - low) * (double)(seed >> 11 & 0x1fffffffffffff) / 9007199254740992.0;
}

// Two trees, one of them floating; wraps around both shapes, from outside and within; a pulley.
static const char *const everything = MODEL(
    "<option gravity='0 0 -10'/><worldbody><site name='w' pos='0 .4 1'/>"
    "<body pos='0 0 1'><joint axis='0 1 0'/><geom name='drum' type='cylinder' size='.06 .1' "
    "euler='90 0 0'/><site name='a' pos='.2 0 .1'/><site name='beside' pos='0 0 .3'/>"
    "<body pos='.3 0 0'><joint type='ball'/><geom name='knob' size='.05'/><site name='b' "
    "pos='.2 0 .05'/><body pos='.3 0 0'><joint type='slide' axis='1 1 0'/><geom size='.04'/><site "
    "name='c' pos='.1 .1 0'/></body></body></body>"
    "<body pos='.4 .5 1'><freejoint/><geom name='ring' type='cylinder' size='.1 .05' "
    "mass='2'/><site "
    "name='d' pos='.2 .1 .1'/><site name='within'/><site name='e' pos='-.2 .1 0'/></body>"
    "</worldbody><tendon>"
    "<spatial name='one'><site site='w'/><geom geom='drum' sidesite='beside'/><site "
    "site='a'/><geom "
    "geom='knob'/><site site='b'/><pulley divisor='2'/><site site='c'/><site site='d'/></spatial>"
    "<spatial name='two'><site site='w'/><geom geom='ring' sidesite='within'/><site "
    "site='c'/><site "
    "site='e'/></spatial></tendon>");

static void random_state(const limpet_model *model, limpet_data *data) {
  double move[64];
  limpet_data_reset(model, data);
  for (int d = 0; d < model->nv; ++d) move[d] = uniform(-0.8, 0.8), data->v[d] = uniform(-1, 1);
  limpet_integrate_position(model, data->q, data->q, move, 1.0, false);
}

static double length_moved(const limpet_model *model, limpet_data *other, const limpet_data *data,
                           int tendon, double step) {
  limpet_integrate_position(model, other->q, data->q, data->v, step, false);
  limpet_kinematics(model, other);
  return other->tendon_length[tendon];
}

/* Rate of the length against central differences of 1e-6 s: 1e-12 of truncation, 1e-10 of rounding.
 * Where a string meets or leaves a surface between the two the second derivative jumps: 1e-6. */
static void rates_are_those_of_lengths(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(everything);
  limpet_data *data = limpet_data_create(model), *other = limpet_data_create(model);
  assert_int_equal(model->tendon_count, 2);
  int exact = 0, trials = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    random_state(model, data);
    limpet_kinematics(model, data);
    limpet_velocity_kinematics(model, data);
    limpet_tendon_kinematics(model, data);
    for (int t = 0; t < 2; ++t, ++trials) {
      const double h = 1e-6, ahead = length_moved(model, other, data, t, h),
                   behind = length_moved(model, other, data, t, -h);
      const double error = fabs((ahead - behind) / (2.0 * h) - data->tendon_velocity[t]);
      if (fabs(ahead - behind) > 1e-3) continue;  // jumps from one side of a shape to the other
      exact += error < 2e-9;
      assert_true(error < 1e-4);
    }
  }
  assert_true(exact > 0.99 * trials);
  limpet_data_destroy(other);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

/* Atwood's machine: two weights on a string over a drum, which is a tendon that cannot grow longer.
 * They accelerate with g (m1 - m2)/(m1 + m2). The limit is near-rigid, so the string gives 1e-4 of
 * the way. */
static void atwood_machine_falls_as_it_should(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      MODEL("<option gravity='0 0 -10' timestep='.001'/><worldbody>"
            "<geom name='drum' type='cylinder' size='.1 .1' euler='90 0 0' pos='0 0 2' "
            "contype='0' conaffinity='0'/><site name='up' pos='0 0 3'/>"
            "<body pos='-.1 0 1'><joint name='l' type='slide' axis='0 0 1'/><geom size='.05' "
            "mass='3'/><site name='left'/></body>"
            "<body pos='.1 0 1'><joint name='r' type='slide' axis='0 0 1'/><geom size='.05' "
            "mass='1'/><site name='right'/></body></worldbody><tendon>"
            "<spatial limited='true' range='0 2.3141592653589793'><site site='left'/><geom "
            "geom='drum' sidesite='up'/><site site='right'/></spatial></tendon>"),
      NULL);
  assert_true(fabs(w.model->tendon_reference_length[0] - (2.0 + 0.1 * LIMPET_PI)) < 1e-13);
  mjcf_world_run(&w, 0.3);
  // velocities step before positions, so the way is a t (t + dt)/2
  const double fall = 0.5 * 10.0 * (3.0 - 1.0) / (3.0 + 1.0) * 0.3 * 0.301;
  assert_true(fabs(w.data->q[0] + fall) < 1e-4 * fall);
  assert_true(fabs(w.data->q[1] - fall) < 1e-4 * fall);
  mjcf_world_destroy(&w);
}

/* A block and tackle: the weight hangs on two strands, so half its weight holds it. */
static void tackle_halves_the_force(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      MODEL("<option gravity='0 0 -10'/><worldbody><site name='p' pos='0 0 2'/><site name='q' "
            "pos='.001 0 2'/><body pos='0 0 1'><joint type='slide' axis='0 0 1'/><geom size='.1' "
            "mass='4'/><site name='hook'/></body></worldbody><tendon><spatial name='t'><site "
            "site='p'/><site site='hook'/><site site='q'/></spatial></tendon>"
            "<actuator><motor tendon='t' gear='-1'/></actuator>"),
      NULL);
  w.data->control[0] = 20.0;
  mjcf_world_run(&w, 1.0);
  // the strands are askew by half a millimetre to a metre, which takes 1e-7 of the force
  assert_true(fabs(w.data->q[0]) < 1e-5);
  mjcf_world_destroy(&w);
}

/* A weight that swings on an elastic string around a drum keeps its energy: the step's own damping
 * is of first order in dt, so half the step loses half as much. */
static double energy_lost(double dt) {
  char text[2048];
  snprintf(text, sizeof text,
           MODEL("<option gravity='0 0 -10' timestep='%g'/><worldbody><geom name='drum' "
                 "type='cylinder' size='.1 .1' euler='90 0 0' pos='0 0 2' contype='0' "
                 "conaffinity='0'/><site name='over' pos='0 0 3'/><site name='top' pos='-.3 0 "
                 "2.2'/><body pos='.2 0 1.1'><freejoint/>"
                 "<geom size='.05' mass='1'/><site name='end'/></body></worldbody><tendon><spatial "
                 "stiffness='200' springlength='1.15'><site site='top'/><geom geom='drum' "
                 "sidesite='over'/><site "
                 "site='end'/></spatial></tendon>"),
           dt);
  mjcf_world w = mjcf_world_of(text, NULL);
  w.settings.energy = true;
  mjcf_world_step(&w);
  const double start = w.data->info.kinetic_energy + w.data->info.potential_energy;
  mjcf_world_run(&w, 1.0);
  const double end = w.data->info.kinetic_energy + w.data->info.potential_energy;
  mjcf_world_destroy(&w);
  return start - end;
}

static void elastic_string_keeps_energy(void **state) {
  (void)state;
  const double coarse = energy_lost(1e-3), fine = energy_lost(5e-4);
  assert_true(coarse > 0.0 && coarse < 0.5);
  assert_true(fine > 0.0 && fine < 0.7 * coarse);
}

static void mistakes_are_named(void **state) {
  (void)state;
  static const char *const start =
      "<mujoco>\n<worldbody><geom name='g' type='box' size='1 1 1'/><geom name='s' size='1'/><site "
      "name='a'/><site name='b' pos='1 0 0'/></worldbody><tendon><spatial name='t'>";
  static const struct {
    const char *points, *says;
  } cases[] = {
      {"<site site='a'/>", "has a branch with 1 site; give it two or more"},
      {"<site site='a'/><geom geom='g'/><site site='b'/>",
       "it can wrap around spheres and cylinders"},
      {"<site site='a'/><geom geom='s'/>", "does not stand between two sites"},
      {"<site site='a'/><site site='b'/><pulley divisor='0'/><site site='a'/><site site='b'/>",
       "a pulley divides by 0"},
      {"<site site='a'/><pulley divisor='2'/><site site='a'/><site site='b'/>",
       "a pulley needs two sites before and after it"},
      {"<site site='nobody'/><site site='b'/>", "nobody"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[1024];
    limpet_error error = {0};
    snprintf(text, sizeof text, "%s%s</spatial></tendon></mujoco>", start, cases[i].points);
    assert_null(mjcf_load_with(text, NULL, &error));
    if (!strstr(error.message, cases[i].says)) print_error("%s\n", error.message);
    assert_non_null(strstr(error.message, cases[i].says));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rates_are_those_of_lengths),
      cmocka_unit_test(atwood_machine_falls_as_it_should),
      cmocka_unit_test(tackle_halves_the_force),
      cmocka_unit_test(elastic_string_keeps_energy),
      cmocka_unit_test(mistakes_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* tests/step/test_gyration.c: what floats and turns keeps its energy, at any step.
 *
 * A bar of 41 x 41 x 180 mm turns about its length and a little across, as a thrown tool does, and
 * a brick turns about its middle axis, which is unstable. Energy is kept to round-off: 1e4 steps of
 * a few hundred operations, so 1e-11 of it has room. With the torque at the start of the step the
 * same bar gains energy at once. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "mjcf_text.h"

#define FLOATING(geom) \
  MODEL("<option gravity='0 0 0'/><worldbody><body><freejoint/>" geom "</body></worldbody>")

typedef struct spin_case {
  const char *text;
  double w[3];  // [rad/s]  at the start, body axes
} spin_case;

static const spin_case spins[] = {
    {FLOATING("<geom type='box' size='.0205 .0205 .09' density='8000'/>"), {8.0, 0.0, 30.0}},
    {FLOATING("<geom type='box' size='.02 .05 .1'/>"), {0.01, 12.0, 0.02}},
    {FLOATING("<geom type='box' size='.02 .05 .1' pos='.03 -.02 .05'/>"),
     {3.0, 12.0, -5.0}},  // origin beside the centre of mass
    {FLOATING("<geom type='box' size='.0205 .0205 .09'/>"),
     {200.0, 0.0, 900.0}},  // turns of more than a radian a step
};
enum { SPINS = sizeof spins / sizeof *spins };

/* Steps for `duration` [s]; w (3) receives the angular velocity. Returns the largest share by which
 * the energy of turning about the centre of mass left its first value. */
static double turn(const spin_case *spin, double dt, double duration, bool explicit_gyration,
                   double w[3]) {
  limpet_model *model = mjcf_load(spin->text);
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.time_step = dt;
  settings.compatibility.plain_flight = settings.compatibility.explicit_gyration =
      explicit_gyration;
  memcpy(data->v + 3, spin->w, sizeof spin->w);

  // principal axes are the body's; inertia about the centre of mass from the mass matrix
  limpet_kinematics(model, data);
  limpet_mass_matrix(model, data);
  const double *M = data->mass_matrix, mass = M[0];
  double inertia[3], start = 0.0, worst = 0.0;
  for (int i = 0; i < 3; ++i) {
    inertia[i] = M[7 * (3 + i)];
    for (int k = 0; k < 3; ++k) inertia[i] -= M[6 * (3 + i) + k] * M[6 * (3 + i) + k] / mass;
    start += inertia[i] * spin->w[i] * spin->w[i];
  }
  for (int n = 0; n < (int)lround(duration / dt); ++n) {
    assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
    double energy = 0.0;
    for (int i = 0; i < 3; ++i) energy += inertia[i] * data->v[3 + i] * data->v[3 + i];
    worst = fmax(worst, fabs(energy / start - 1.0));
  }
  memcpy(w, data->v + 3, 3 * sizeof *w);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  return worst;
}

static void energy_stays(void **state) {
  (void)state;
  double w[3];
  for (int i = 0; i < SPINS; ++i)
    for (double dt = 1e-3; dt < 0.02; dt *= 10.0) {
      const double change = turn(&spins[i], dt, 10.0, false, w);
      print_message("spin %d, %g s: energy changes by at most %.2g\n", i, dt, change);
      assert_true(change < 1e-11);
    }
}

static void the_torque_at_the_start_adds_energy(void **state) {
  (void)state;
  double w[3];
  const double change = turn(&spins[0], 2e-3, 1.0, true, w);
  print_message("explicit: %.3g\n", change);
  assert_true(change > 0.5);
}

// Against a step 64 times smaller: the midpoint rule is of second order, so half the step makes a
// quarter of the error.
static void turns_are_of_second_order(void **state) {
  (void)state;
  for (int i = 0; i < 3; ++i) {
    double exact[3], w[3], error[2] = {0.0, 0.0};
    turn(&spins[i], 1e-2 / 64.0, 1.0, false, exact);
    for (int n = 0; n < 2; ++n) {
      turn(&spins[i], n ? 5e-3 : 1e-2, 1.0, false, w);
      for (int k = 0; k < 3; ++k) error[n] = fmax(error[n], fabs(w[k] - exact[k]));
    }
    print_message("spin %d: error %.3g and %.3g rad/s\n", i, error[0], error[1]);
    assert_true(error[0] > 3.5 * error[1] && error[0] < 4.5 * error[1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_stays),
      cmocka_unit_test(the_torque_at_the_start_adds_energy),
      cmocka_unit_test(turns_are_of_second_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

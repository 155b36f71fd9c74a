/* tests/step/test_impulse_random.c: sheet C5: a thousand random states of several bodies for every
 * method of the scheme `impulse`: Coulomb's cone, velocities after, energy. What a method does not
 * promise is counted, and the table that is printed says how often; what it promises is asserted;
 * nothing is ever not a number. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "effort.h"
#include "random_contacts.h"
#include "shared_data.h"

enum { STATES = TEST_WATCHED ? 100 : 1000 };

typedef struct tally {
  int unsolved, cone, pulls, penetrates, not_newton, gains;
  double worst_cone, worst_speed, worst_gain;
} tally;

static void count_state(const random_contacts *r, tally *t) {
  const limpet_contact_problem *p = &r->problem;
  const limpet_contact_solution *s = &r->solution;
  const double before = random_contacts_energy(r, r->v_free),
               after = random_contacts_energy(r, s->v);
  double largest = 0.0;
  for (int c = 0; c < p->contact_count; ++c) largest = fmax(largest, fabs(s->gamma[3 * c + 2]));
  bool cone = false, pulls = false, penetrates = false, not_newton = false;
  for (int c = 0; c < p->contact_count; ++c) {
    const double *x = s->gamma + 3 * c, *u = s->velocity + 3 * c;
    for (int e = 0; e < 3; ++e) assert_true(isfinite(x[e]) && isfinite(u[e]));
    const double excess =
        (hypot(x[0], x[1]) - p->constants[c].friction * x[2]) / (largest + 1e-300);
    // of Newton's speed
    const double lack = -p->constants[c].restitution * p->constants[c].normal_speed - u[2];
    cone |= excess > 1e-9, pulls |= x[2] < -1e-9 * largest;
    penetrates |= u[2]<-1e-6, not_newton |= lack> 1e-8 || (x[2] > 1e-6 * largest && lack < -1e-8);
    t->worst_cone = fmax(t->worst_cone, excess), t->worst_speed = fmax(t->worst_speed, lack);
  }
  t->unsolved += r->solution.info.outcome != LIMPET_OUTCOME_SOLVED;
  t->cone += cone, t->pulls += pulls, t->penetrates += penetrates, t->not_newton += not_newton;
  t->gains += after > before * (1.0 + 1e-9);
  t->worst_gain = fmax(t->worst_gain, after / before - 1.0);
}

static tally run(const limpet_contact_model *model, bool mixed) {
  tally t = {0};
  unsigned long seed = mixed ? 77 : 5;
  static random_contacts r;
  for (int i = 0; i < STATES; ++i) {
    random_contacts_make(&r, model, 1 + i % RANDOM_BODIES, 2 + i % 9, mixed, &seed);
    random_contacts_solve(&r);
    count_state(&r, &t);
    random_contacts_destroy(&r);
  }
  printf("%-20s %-6s %5d %5d %5d %5d %5d %5d   %8.1e %8.1e %8.1e\n",
         limpet_contact_model_descriptor(model)->name, mixed ? "mixed" : "alike", t.unsolved,
         t.cone, t.pulls, t.penetrates, t.not_newton, t.gains, t.worst_cone, t.worst_speed,
         t.worst_gain);
  return t;
}

static void a_thousand_states(void **state) {
  (void)state;
  printf(
      "states of %d        unsolved cone pulls penetr. Newton energy   worst: cone [-], speed "
      "[m/s], energy [-]\n",
      STATES);
  for (int m = 0; limpet_contact_models()[m]; ++m) {
    const limpet_contact_model *model = limpet_contact_models()[m];
    if (limpet_contact_model_family(model) != LIMPET_CONTACT_IMPULSIVE) continue;
    const char *name = limpet_contact_model_descriptor(model)->name;
    for (int mixed = 0; mixed < 2; ++mixed) {
      const tally t = run(model, mixed);
      // what every method promises but the literal one, and lcp whose friction is a box of the
      // frictionless normals
      if (strcmp(name, "two-phase-literal") != 0) assert_int_equal(t.pulls, 0);
      if (strcmp(name, "two-phase-literal") != 0 && strcmp(name, "lcp") != 0)
        assert_int_equal(t.cone, 0);
      if (strcmp(name, "lcp") == 0) assert_true(t.unsolved == 0 && t.penetrates == 0 && t.cone > 0);
      // defects D2, D5 (and D6, by contacts that pull): the published method shows them, the
      // repaired one does not
      if (strcmp(name, "two-phase-literal") == 0)
        assert_true(t.unsolved == 0 && t.cone > STATES / 10 && t.pulls > STATES / 10 &&
                    (TEST_WATCHED || t.gains > 0));
      if (strcmp(name, "two-phase") == 0) {
        assert_true(t.gains == 0 && t.penetrates == 0 && t.unsolved == 0);
        assert_true(t.not_newton == 0 && t.worst_speed < 1e-8);
      }
      // C5; with a restitution for each contact, redundant ones may ask for what no motion gives
      if (strcmp(name, "two-phase-literal") == 0 && !mixed)
        assert_true(t.not_newton == 0 && t.worst_speed < 1e-8);
      // sweeps that end before they converge leave some states: few
      if (strcmp(name, "pgs") == 0)
        assert_true(t.unsolved < STATES / test_effort(10, 5) &&
                    t.penetrates < STATES / test_effort(10, 5));
      if (strcmp(name, "sequential-impulse") == 0)
        assert_true(t.penetrates < STATES / test_effort(20, 10));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_thousand_states),
  };
  return cmocka_run_group_tests_name("impulse_random", tests, NULL, NULL);
}

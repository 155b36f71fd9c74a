/* tests/step/test_impulse_two_phase.c: the two-phase method, as published and repaired: sheets C2 to C4 and C8 of the shared
 * reference, benchmarks.md 4.5, and its defects D1 to D10: each shows in the published method and not in the repaired one. D2 and
 * D5 are counted in test_impulse_random.c, too. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "contact/two_phase.h"
#include "impulse_world.h"
#include "random_contacts.h"
#include "shared_data.h"

#define LITERAL (&limpet_contact_model_two_phase_literal)
#define REPAIRED (&limpet_contact_model_two_phase)

static random_contacts r;  // large

static const double *impulse(int c) { return r.problem.gamma + 3 * c; }
static const double *velocity(int c) { return r.problem.velocity + 3 * c; }

// --------------------------------------------------------------------------------------------------------------- sheets

/* C2: coplanar contacts, no slip: normals equal, their sum m v (1 + e), of least norm among all that do the same (equal ones
 * are). Repaired: its regularisation leaves the shares free by round-off over 1e-10. */
static void redundant_contacts_share(void **state) {
  (void)state;
  static const double v[6] = {0.0, 0.0, 0.0, 0.0, 0.0, -2.0};
  for (int literal = 0; literal < 2; ++literal)
    for (int n = 4; n <= 64; n *= 4) {
      random_contacts_cubes(&r, literal ? LITERAL : REPAIRED, 1, n, 0.5, 0.5, v);
      random_contacts_solve(&r);
      double sum = 0.0, uneven = 0.0;
      for (int c = 0; c < n; ++c) uneven = fmax(uneven, fabs(impulse(c)[2] * n / 3.0 - 1.0));
      printf("%s, %d contacts: normals differ by %.2g\n", literal ? "literal" : "repaired", n, uneven);
      for (int c = 0; c < n; ++c) {
        assert_true(fabs(impulse(c)[2] * n / 3.0 - 1.0) < (literal ? 1e-9 : 1e-5));
        assert_true(hypot(impulse(c)[0], impulse(c)[1]) < (literal ? 1e-9 : 1e-5));
        assert_true(fabs(velocity(c)[2] - 1.0) < 1e-8);
        sum += impulse(c)[2];
      }
      assert_true(fabs(sum / 3.0 - 1.0) < 1e-9);
      random_contacts_destroy(&r);
    }
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* C2 and D8: the cost of both phases grows with n^2.5 to n^3.6 where friction slides. Time of the processor, the shortest of
 * several; programs that run beside it still take from the cache, for which the assertion leaves room. */
static void cost_grows_with_the_cube(void **state) {
  (void)state;
  static const double v[6] = {0.1, 0.2, 0.3, 3.0, 1.0, -1.0};
  for (int literal = 0; literal < 2; ++literal) {
    double best[2] = {INFINITY, INFINITY};
    int iterations[2] = {0};
    for (int k = 0; k < 2; ++k)
      for (int round = 0; round < 12 - 6 * k; ++round) {
        random_contacts_cubes(&r, literal ? LITERAL : REPAIRED, 1, k == 0 ? 16 : 64, 0.5, 0.0, v);
        const double start = seconds();
        random_contacts_solve(&r);
        best[k] = fmin(best[k], seconds() - start);
        iterations[k] = r.info.worst.iterations;
        random_contacts_destroy(&r);
      }
    const double exponent = log(best[1] / best[0]) / log(4.0);
    printf("%s: 16 contacts %.3g ms (%d iterations), 64 contacts %.3g ms (%d): n^%.2f\n", literal ? "literal" : "repaired",
           1e3 * best[0], iterations[0], 1e3 * best[1], iterations[1], exponent);
    if (iterations[0] > 0 && iterations[1] > 0) assert_true(exponent > 2.0 && exponent < 4.2);
  }
}

/* C3 and D4: a flat box that slides. The bound on the norm of the normals forbids to shift load between corners, and with it all
 * friction; the bound on their sum does not. */
static void only_the_repaired_method_brakes_a_flat_box(void **state) {
  (void)state;
  const double g = 9.81, dt = 1e-3;
  for (int literal = 0; literal < 2; ++literal)
    for (int euler = 0; euler < 2; ++euler) {
      impulse_world w = impulse_world_open(impulse_boxes(1, 0.0), literal ? "two-phase-literal" : "two-phase", dt, euler);
      impulse_world_run(&w, 0.02);
      w.data->v[0] = 2.0;
      impulse_world_run(&w, 0.2);
      const double deceleration = (2.0 - w.data->v[0]) / 0.2;
      printf("flat box, %s, %s: deceleration %.9g m/s^2, mu g %.9g\n", literal ? "literal" : "repaired",
             euler ? "explicit" : "semi-implicit", deceleration, 0.5 * g);
      if (literal) assert_true(fabs(deceleration) < 1e-6 * g);
      else assert_true(fabs(deceleration / (0.5 * g) - 1.0) < 0.01);
      impulse_world_close(&w);
    }
}

/* D4: what the bound on the norm lets through goes with the root of its slack: d of load from two corners to the other two makes
 * 4 d^2 = slack |w_s|^2 and balances the moment of friction 4 d at the height of half an edge: deceleration g sqrt(slack), until
 * that is mu g. A wider bound on the sum changes nothing here. */
static void friction_goes_with_the_root_of_the_slack(void **state) {
  (void)state;
  const double g = 9.81, slack[3] = {1e-6, 1e-2, 1.0};
  for (int literal = 0; literal < 2; ++literal)
    for (int i = 0; i < 3; ++i) {
      impulse_world w = impulse_world_open(impulse_boxes(1, 0.0), literal ? "two-phase-literal" : "two-phase", 1e-3, false);
      w.settings.bound_slack = slack[i];
      impulse_world_run(&w, 0.02);
      w.data->v[0] = 2.0;
      impulse_world_run(&w, 0.1);
      const double deceleration = (2.0 - w.data->v[0]) / 0.1, expected = literal ? fmin(sqrt(slack[i]), 0.5) * g : 0.5 * g;
      printf("flat box, %s, slack %g: deceleration %.6g m/s^2\n", literal ? "literal" : "repaired", slack[i], deceleration);
      assert_true(fabs(deceleration / expected - 1.0) < 1e-3);
      impulse_world_close(&w);
    }
}

// C4: the tip of a rod at 45 degrees. Friction acts where it lowers the normal impulse; where it would raise it there is none.
static void rod_tip(void **state) {
  (void)state;
  const double half = 0.5 * sqrt(0.5), lever[3] = {-half, 0.0, -half};
  for (int literal = 0; literal < 2; ++literal)
    for (int sign = -1; sign < 2; sign += 2) {
      const double v[6] = {0.0, 0.0, 0.0, 2.0 * sign, 0.0, -1.0};
      random_contacts_body(&r, literal ? LITERAL : REPAIRED, 1.0 / 12.0, 1, lever, 0.3, 0.0, v);
      random_contacts_solve(&r);
      // A_N = 1 + 12 half^2; a push along x at the tip turns the rod so that the tip rises by 12 half^2 less
      const double frictionless = 1.0 / (1.0 + 12.0 * half * half), *x = impulse(0), size = hypot(x[0], x[1]);
      const bool lowers = x[2] < frictionless * (1.0 - 1e-4);
      printf("rod tip, %s, slip %+g: normal %.6g of %.6g, friction %.3g\n", literal ? "literal" : "repaired", v[3], x[2],
             frictionless, size);
      if (sign > 0) assert_true(lowers && size > 0.25 * x[2]);
      else assert_true(!lowers && size < 3e-6 * x[2]);
      assert_true(fabs(velocity(0)[2]) < 1e-8);
      random_contacts_destroy(&r);
    }
}

// C8: ten boxes for 10 s, and a wall of five rows of bricks: the top does not move, energy does not grow.
static void stack_stands(void **state) {
  (void)state;
  impulse_world w = impulse_world_open(impulse_boxes(10, 0.0), "two-phase", 2e-3, false);
  const double *q = w.data->q + 7 * 9;
  const double start[3] = {q[0], q[1], q[2]};
  w.settings.energy = true;
  limpet_step(w.model, w.data, &w.settings);
  double energy = w.data->info.kinetic_energy + w.data->info.potential_energy;
  for (int i = 0; i < 5000; ++i) {
    assert_int_equal(limpet_step(w.model, w.data, &w.settings), LIMPET_OUTCOME_SOLVED);
    const double now = w.data->info.kinetic_energy + w.data->info.potential_energy;
    assert_true(now <= energy + 1e-9);
    energy = fmin(energy, now);
  }
  const double drift = hypot(hypot(q[0] - start[0], q[1] - start[1]), q[2] - start[2]);
  printf("ten boxes: top drifted %.3g m in 10 s\n", drift);
  assert_true(drift < 1e-3);
  impulse_world_close(&w);
}

/* Running bond: every second row is shifted by half a brick and has a short one at either end, for bricks that overhang by more
 * than half would tip over. */
static void wall_stands(void **state) {
  (void)state;
  static char text[8192];
  size_t n = (size_t)snprintf(text, sizeof text, "<mujoco><worldbody><geom type='plane' size='2 2 1' friction='.6'/>");
  for (int row = 0; row < 5; ++row)
    for (int k = 0; k < 5 + row % 2; ++k) {
      const bool short_one = row % 2 && k % 5 == 0;
      const double middle = 0.21 * k - (row % 2 ? 0.105 : 0.0), x = short_one ? middle + (k == 0 ? 0.0525 : -0.0525) : middle;
      n += (size_t)snprintf(
          text + n, sizeof text - n,
          "<body pos='%g 0 %g'><freejoint/><geom type='box' size='%g .05 .05' density='500' friction='.6'/></body>", x,
          0.05 + 0.1 * row, short_one ? 0.0475 : 0.1);
    }
  snprintf(text + n, sizeof text - n, "</worldbody></mujoco>");
  impulse_world w = impulse_world_open(text, "two-phase", 2e-3, false);
  const double *q = w.data->q + 7 * 26;
  const double start[3] = {q[0], q[1], q[2]}, begin = seconds();
  impulse_world_run(&w, 0.02);
  const double drift = hypot(hypot(q[0] - start[0], q[1] - start[1]), q[2] - start[2]);
  printf("wall of 27 bricks: %d contacts, top corner drifted %.3g m in 0.02 s, %.3g ms a step\n", w.data->contact_count, drift,
         100.0 * (seconds() - begin));
  assert_true(drift < 1e-9);
  impulse_world_close(&w);
}

// -------------------------------------------------------------------------------------------------------------- defects

// D1: approaching is b_N < 0 and is answered by a push; what parts is left alone. (The text asks for b_N >= 0.)
static void approach_is_negative(void **state) {
  (void)state;
  static const double lever[3] = {0.0, 0.0, -0.5};
  for (int literal = 0; literal < 2; ++literal)
    for (int sign = -1; sign < 2; sign += 2) {
      random_contacts_body(&r, literal ? LITERAL : REPAIRED, 0.2, 1, lever, 0.5, 0.0, (double[]){0, 0, 0, 0, 0, 1.0 * sign});
      random_contacts_solve(&r);
      assert_true(fabs(impulse(0)[2] - (sign < 0 ? 1.0 : 0.0)) < 1e-9);
      random_contacts_destroy(&r);
    }
}

/* D6, D2: a body that rests on two points near its centre and is hit at one: the other one would lift. Published: its speed is
 * held, which takes a pull. Repaired: it parts. */
static void only_the_repaired_method_lets_part(void **state) {
  (void)state;
  static const double lever[6] = {-0.2, 0.0, 0.0, 0.2, 0.0, 0.0};
  static const double v[6] = {0.0, -2.5, 0.0, 0.0, 0.0, -0.5};  // -1 m/s at the left point, 0 at the right one
  for (int literal = 0; literal < 2; ++literal) {
    random_contacts_body(&r, literal ? LITERAL : REPAIRED, 1.0 / 6.0, 2, lever, 0.5, 0.0, v);
    const int left = r.problem.law[0].normal_speed < -0.5 ? 0 : 1;
    assert_true(fabs(r.problem.law[left].normal_speed + 1.0) < 1e-12 && fabs(r.problem.law[1 - left].normal_speed) < 1e-12);
    random_contacts_solve(&r);
    if (literal) assert_true(impulse(1 - left)[2] < -0.1 && fabs(velocity(1 - left)[2]) < 1e-8);
    else assert_true(impulse(1 - left)[2] == 0.0 && velocity(1 - left)[2] > 0.1);
    assert_true(fabs(velocity(left)[2]) < 1e-8);
    random_contacts_destroy(&r);
  }
}

/* D6 in phase two, and what D4's bound on the sum leaves: a tall box slides, and friction would tip it over its leading edge. The
 * trailing edge is let go. But tipping lifts the box, for which the normals would have to rise: friction ends where its moment
 * balances that of the leading edge, T 0.5 = N 0.1. */
static void tall_box_stands_on_its_leading_edge(void **state) {
  (void)state;
  static const double lever[6] = {-0.1, 0.0, -0.5, 0.1, 0.0, -0.5};
  random_contacts_body(&r, REPAIRED, 0.1, 2, lever, 1.0, 0.0, (double[]){0, 0, 0, 3.0, 0, -1.0});
  random_contacts_solve(&r);
  int trailing = 0;
  for (int c = 0; c < 2; ++c) trailing = impulse(c)[2] < impulse(trailing)[2] ? c : trailing;
  printf("tall box: trailing edge %.3g N s, leaves with %.3g m/s; leading edge %.3g N s, friction %.3g\n", impulse(trailing)[2],
         velocity(trailing)[2], impulse(1 - trailing)[2], hypot(impulse(1 - trailing)[0], impulse(1 - trailing)[1]));
  assert_true(impulse(trailing)[2] == 0.0 && velocity(trailing)[2] > 0.0 && velocity(trailing)[2] < 1e-4);
  assert_true(fabs(impulse(1 - trailing)[2] - 1.0) < 1e-5 && fabs(velocity(1 - trailing)[2]) < 1e-8);
  assert_true(fabs(hypot(impulse(1 - trailing)[0], impulse(1 - trailing)[1]) - 0.2) < 1e-5);
  random_contacts_destroy(&r);
}

// A programme of one contact with mu = 0.5 and w = (1, 0, 0).
static limpet_friction_programme one_contact(bool literal, double bound, double *memory) {
  static const int at[1] = {0};
  static const double mu[1] = {0.5}, Q[9] = {2.0, 0.3, 0.1, 0.3, 1.5, 0.2, 0.1, 0.2, 1.0}, c[3] = {-1.0, 0.4, 0.2};
  limpet_friction_programme p = {0};
  limpet_friction_programme_lay_out(&p, 3, (char *)memory);
  p.m = 3, p.contacts = 1, p.literal = literal, p.at = at, p.mu = mu, p.Q = Q, p.c = c, p.bound = bound, p.t = 3.0;
  return p;
}

// D3: the start of the published programme lies on its bound, where the barrier is infinite; a little wider it is finite.
static void start_is_on_the_bound(void **state) {
  (void)state;
  double memory[64];
  const double w[3] = {1.0, 0.0, 0.0}, none[3] = {0.0, 0.0, 0.0};
  limpet_friction_programme p = one_contact(true, 1.0, memory);
  assert_true(isinf(limpet_friction_programme_barrier(&p, w, NULL, NULL)));
  assert_true(isinf(limpet_friction_programme_barrier(&p, none, NULL, NULL)));  // w_i = 0: on the cone
  p = one_contact(true, 1.0 + 1e-13, memory);
  assert_true(isfinite(limpet_friction_programme_barrier(&p, w, NULL, NULL)));
  p = one_contact(false, 1.0 + 1e-6, memory);
  assert_true(isfinite(limpet_friction_programme_barrier(&p, w, NULL, NULL)));
}

// D2, D7: the square lets the nappe of pulling normals pass; the repaired programme does not.
static void nappe_of_pulling_normals(void **state) {
  (void)state;
  double memory[64];
  const double pulls[3] = {-0.5, 0.1, 0.0};
  limpet_friction_programme p = one_contact(true, 1.1, memory);
  assert_true(isfinite(limpet_friction_programme_barrier(&p, pulls, NULL, NULL)));
  p = one_contact(false, 1.1, memory);
  assert_true(isinf(limpet_friction_programme_barrier(&p, pulls, NULL, NULL)));
}

// D10: gradient and Hessian of h against central differences, in both variants.
static void derivatives_match_differences(void **state) {
  (void)state;
  double memory[64];
  for (int literal = 0; literal < 2; ++literal) {
    const limpet_friction_programme p = one_contact(literal, 1.2, memory);
    const double x[3] = {0.8, 0.15, -0.1}, step = 1e-5;
    double gradient[3], H[9];
    limpet_friction_programme_barrier(&p, x, gradient, H);
    for (int i = 0; i < 3; ++i) {
      double ahead[3], behind[3], g_ahead[3], g_behind[3], unused[9];
      memcpy(ahead, x, sizeof x), memcpy(behind, x, sizeof x);
      ahead[i] += step, behind[i] -= step;
      const double up = limpet_friction_programme_barrier(&p, ahead, g_ahead, unused);
      const double down = limpet_friction_programme_barrier(&p, behind, g_behind, unused);
      assert_true(fabs((up - down) / (2.0 * step) - gradient[i]) < 1e-6 * (1.0 + fabs(gradient[i])));
      for (int k = 0; k < 3; ++k)
        assert_true(fabs((g_ahead[k] - g_behind[k]) / (2.0 * step) - H[3 * i + k]) < 1e-5 * (1.0 + fabs(H[3 * i + k])));
    }
  }
}

/* D9: moving in the null space of A_N alone, as the text says, changes normal velocities where B is not zero; moving in that of
 * [A_N B], as both variants do, keeps them. */
static void null_space_of_both_keeps_normals(void **state) {
  (void)state;
  unsigned long seed = 3;
  int shows = 0;
  for (int round = 0; round < 50; ++round) {
    random_contacts_make(&r, REPAIRED, 2, 3, false, &seed);
    random_contacts_solve(&r);
    limpet_contact_space s;
    for (int i = 0; i < r.problem.island_count; ++i) {
      assert_int_equal(limpet_contact_space_create(&s, &r.problem, i, &r.arena), 0);
      assert_int_equal(limpet_contact_space_fill(&s), 0);
      for (int c = 0; c < s.contacts; ++c) {
        const double *x = r.problem.gamma + 3 * s.island->contact, *row = s.A + (3 * c + 2) * s.size;
        double frictional = 0.0, all = s.b[3 * c + 2];
        for (int k = 0; k < s.size; ++k) {
          if (k % 3 != 2) frictional += row[k] * x[k];
          all += row[k] * x[k];
        }
        if (x[3 * c + 2] == 0.0) continue;
        shows += fabs(frictional) > 1e-3;  // what x_T with x_N of the null space of A_N would change
        assert_true(fabs(all + s.law[c].restitution * s.law[c].normal_speed) < 1e-8);
      }
    }
    random_contacts_destroy(&r);
  }
  assert_true(shows > 25);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(redundant_contacts_share),
      cmocka_unit_test(cost_grows_with_the_cube),
      cmocka_unit_test(only_the_repaired_method_brakes_a_flat_box),
      cmocka_unit_test(friction_goes_with_the_root_of_the_slack),
      cmocka_unit_test(rod_tip),
      cmocka_unit_test(stack_stands),
      cmocka_unit_test(wall_stands),
      cmocka_unit_test(approach_is_negative),
      cmocka_unit_test(only_the_repaired_method_lets_part),
      cmocka_unit_test(tall_box_stands_on_its_leading_edge),
      cmocka_unit_test(start_is_on_the_bound),
      cmocka_unit_test(nappe_of_pulling_normals),
      cmocka_unit_test(derivatives_match_differences),
      cmocka_unit_test(null_space_of_both_keeps_normals),
  };
  return cmocka_run_group_tests_name("impulse_two_phase", tests, NULL, NULL);
}

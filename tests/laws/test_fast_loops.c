/* tests/laws/test_fast_loops.c: energy of mechanisms with loops that turn fast stays bounded.
 *
 * Rings of three to five bodies of 6 g to 450 kg on hinges and balls, in a plane or not, closed by
 * `connect`, thrown at 1 to 1000 rad/s, with steps from 0.05 to 5 ms: up to radians in a step. The
 * ring is one tree that floats or that hangs on the world; bodies that are joined by connects
 * alone; or two trees, of which both float or one hangs on the world. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "effort.h"
#include "mjcf_world.h"
#include "shared_data.h"

enum { LOOPS = TEST_WATCHED ? 12 : 100, STEPS = 400, SETTLE = 3 };

typedef enum ring {
  RING_FLOATS,
  RING_HANGS,
  RING_OF_BODIES,
  RING_OF_TREES,
  RING_HANGS_ON_TWO
} ring;
enum { RINGS = 5 };
static const char *const names[RINGS] = {"a tree that floats", "a tree fixed to the world",
                                         "bodies that float", "two trees that float",
                                         "two trees, one fixed"};

static unsigned long seed;

static double uniform(double low, double high) { return random_uniform(&seed, low, high); }

static double log_uniform(double low, double high) { return random_log_uniform(&seed, low, high); }

#define WRITE(at, ...) ((at) += sprintf((at), __VA_ARGS__))

// Whether body i begins a tree.
static bool begins(ring kind, int i, int count) {
  if (i == 0 || kind == RING_OF_BODIES) return true;
  return (kind == RING_OF_TREES || kind == RING_HANGS_ON_TWO) && i == count / 2;
}

// A body at rest, before what is written else.
static const char bystander[] =
    "<body pos='9 9 9'><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body>";

static void write_loop(char *at, ring kind, const char *before) {
  const int count = 3 + (int)uniform(0.0, 2.999);
  const double tilt = uniform(0.0, 1.0) < 0.5 ? 0.0 : 0.3, angle = 2.0 * acos(-1.0) / count;
  int depth = 0;
  WRITE(at, "<mujoco><option gravity='0 0 0'/><worldbody>%s", before);
  for (int i = 0; i < count; ++i) {
    const double mass = log_uniform(0.006, 450.0), inertia = mass * log_uniform(1e-3, 0.02);
    const double x = uniform(-tilt, tilt), y = uniform(-tilt, tilt);
    const bool hangs = i == 0 && (kind == RING_HANGS || kind == RING_HANGS_ON_TWO);
    for (; begins(kind, i, count) && depth > 0; --depth) WRITE(at, "</body>");
    ++depth;
    WRITE(at, "<body name='b%d' pos='%g %g 0'>", i, i ? 0.3 * cos(angle * i) : 0.0,
          i ? 0.3 * sin(angle * i) : 0.0);
    const char *joint = uniform(0.0, 1.0) < 0.75 ? "hinge" : "ball";
    if (begins(kind, i, count) && !hangs) WRITE(at, "<freejoint/>");
    else WRITE(at, "<joint type='%s' axis='%g %g 1'/>", joint, x, y);
    const double to_x = uniform(-0.1, 0.1), to_y = uniform(-0.1, 0.1);
    WRITE(at, "<inertial pos='%g %g 0' mass='%g' diaginertia='%g %g %g'/>", to_x, to_y, mass,
          inertia, 1.2 * inertia, 1.4 * inertia);
  }
  while (depth-- > 0) WRITE(at, "</body>");
  WRITE(at, "</worldbody><equality>");
  for (int i = 0; i < count; ++i) {
    const int next = (i + 1) % count;
    if (next == 0 && kind == RING_HANGS) WRITE(at, "<connect body1='b%d' anchor='.05 .05 0'/>", i);
    else if (next == 0 || begins(kind, next, count))
      WRITE(at, "<connect body1='b%d' body2='b%d' anchor='.05 .05 0'/>", next, i);
  }
  WRITE(at, "</equality></mujoco>");
}

typedef struct outcome {
  double start, most;  // [J]
  int unsolved, rounded;
} outcome;

// A loop with its velocities [rad/s] up to *rate, behind what is written before it.
static mjcf_world draw_loop(ring kind, int k, const char *before, double *rate) {
  static char text[8192];
  seed = 40 + (unsigned)k;
  for (int i = 0; i < 8; ++i) uniform(0.0, 1.0);
  write_loop(text, kind, before);
  mjcf_world w = mjcf_world_of(text, NULL);
  w.settings.time_step = log_uniform(5e-5, 5e-3), w.settings.energy = true;
  *rate = log_uniform(1.0, 1e3);
  const int first = before[0] ? 6 : 0;
  for (int d = first + (kind == RING_FLOATS ? 3 : 0); d < w.model->nv; ++d) {
    const int joint = w.model->dof_joint[d];
    const bool moves =
        w.model->joint_kind[joint] == LIMPET_JOINT_FREE && d < w.model->joint_v[joint] + 3;
    const double v = *rate * uniform(-1.0, 1.0);
    w.data->v[d] = moves && kind != RING_FLOATS ? 0.1 * v : v;
  }
  return w;
}

/* The first steps make velocities that were drawn fit the loop, which takes energy. What turns by
 * radians in a step is not followed: its energy may swing, but grows no further. */
static outcome throw_loop(ring kind, int k) {
  double rate;
  mjcf_world w = draw_loop(kind, k, "", &rate);
  outcome o = {0};
  for (int i = 0; i < STEPS; ++i) {
    const limpet_outcome end = limpet_step(w.model, w.data, &w.settings);
    o.rounded += end == LIMPET_OUTCOME_PRECISION_LIMIT;
    o.unsolved += end > LIMPET_OUTCOME_PRECISION_LIMIT;
    const double energy = w.data->info.kinetic_energy;
    if (i < SETTLE) o.start = fmax(o.start, energy);
    else o.most = fmax(o.most, energy);
  }
  if (o.most > 1.2 * o.start || o.unsolved)
    printf("%s %d, %.3g ms, %.3g rad/s: %.3g J to %.3g J, %d unsolved\n", names[kind], k,
           1e3 * w.settings.time_step, rate, o.start, o.most, o.unsolved);
  mjcf_world_destroy(&w);
  return o;
}

static void energy_stays_bounded(void **state) {
  (void)state;
  for (int kind = 0; kind < RINGS; ++kind) {
    double worst = 0.0;
    int up = 0, unsolved = 0, at_rounding = 0;
    for (int k = 0; k < LOOPS; ++k) {
      const outcome o = throw_loop((ring)kind, k);
      up += o.most > 1.2 * o.start;
      worst = fmax(worst, o.most / o.start);
      unsolved += o.unsolved, at_rounding += o.rounded;
    }
    printf(
        "%s: %d of %d up by more than a fifth, the worst to %.3g times its energy; %d unsolved, %d "
        "at the limit of doubles\n",
        names[kind], up, LOOPS, worst, unsolved, at_rounding);
    assert_true(unsolved == 0 && at_rounding <= STEPS * LOOPS / test_effort(10, 4));
    // 1.34 where a ring of bodies may gain 1 % of the energy in each step; 5.6 where a tree that
    // flies as one rigid body turns by its angular velocity at the start; 2.6 and 1.5 where trees
    // that the world holds may gain what they like below 0.1 rad in a step
    assert_true(worst < 1.3 && up <= LOOPS / 50);
    if (kind == RING_OF_BODIES) assert_true(worst < 1.1);
  }
}

/* A body that rests far away is no part of what a loop does: velocities have the same bits with it
 * and without. Rows are numbered within their islands, of which that of the loop is the second. */
static void a_bystander_changes_nothing(void **state) {
  (void)state;
  enum { SOME = TEST_WATCHED ? 6 : 60, FEW = 50 };
  int differ = 0;
  for (int kind = 0; kind < RINGS; ++kind)
    for (int k = 0; k < SOME; ++k) {
      double rate;
      mjcf_world alone = draw_loop((ring)kind, k, "", &rate),
                 both = draw_loop((ring)kind, k, bystander, &rate);
      bool same = true;
      for (int i = 0; i < FEW && same; ++i) {
        limpet_step(alone.model, alone.data, &alone.settings);
        limpet_step(both.model, both.data, &both.settings);
        same = memcmp(alone.data->v, both.data->v + 6,
                      (size_t)alone.model->nv * sizeof *alone.data->v) == 0;
      }
      differ += !same;
      mjcf_world_destroy(&alone), mjcf_world_destroy(&both);
    }
  assert_int_equal(differ, 0);
}

// A triangle of links: nothing in it can move.
static const char *const triangle =
    "<mujoco><option gravity='0 0 0'/><worldbody><body name='a'><freejoint/>"
    "<inertial pos='.1 0 0' mass='1' diaginertia='.002 .01 .01'/>"
    "<body name='b' pos='.3 0 0'><joint type='hinge' axis='0 0 1'/>"
    "<inertial pos='-.07 .12 0' mass='2' diaginertia='.01 .004 .012'/>"
    "<body name='c' pos='-.15 .26 0'><joint type='hinge' axis='0 0 1'/>"
    "<inertial pos='-.07 -.12 0' mass='.5' diaginertia='.003 .003 .004'/></body></body></body>"
    "</worldbody><equality><connect body1='c' body2='a' anchor='-.15 -.26 0'/></equality></mujoco>";

// [-]  Farthest that its energy comes from that at the start, in a second.
static double triangle_error(double dt, double turn) {
  mjcf_world w = mjcf_world_of(triangle, NULL);
  w.settings.time_step = dt, w.settings.energy = true;
  const double spin[3] = {1.0, 0.3, 0.6};
  for (int i = 0; i < 3; ++i) w.data->v[3 + i] = turn * spin[i];
  double start = 0.0, worst = 0.0;
  for (int i = 0; i * dt < 1.0; ++i) {
    assert_true(limpet_step(w.model, w.data, &w.settings) <= LIMPET_OUTCOME_PRECISION_LIMIT);
    if (i == 0) start = w.data->info.kinetic_energy;
    worst = fmax(worst, fabs(w.data->info.kinetic_energy / start - 1.0));
  }
  mjcf_world_destroy(&w);
  return worst;
}

/* Impulses in the tree hold the triangle, and it must turn as the rigid body that it is: to second
 * order in the step. */
static void a_triangle_turns_as_a_body(void **state) {
  (void)state;
  for (double turn = 1.0; turn < 20.0; turn *= 2.0) {
    const double one = triangle_error(2e-3, turn), half = triangle_error(1e-3, turn);
    printf("triangle at %g rad/s: energy off by %.2g at 2 ms, %.2g at 1 ms\n", turn, one, half);
    // poses of the middle may miss by 1e-6 rad; 0.013 and 0.0064 at 16 rad/s where the
    // first body moves by all that impulses change
    assert_true(half < 0.3 * one + 2e-7);
  }
}

/* A tree of two links of some grams on a slide, which a weld locks, spins and lands: it is one
 * body, but moves as a tree that a loop holds. Its free motion turns by radians in a step; without
 * a bound the tree had 2e22 J after 40 steps. */
static mjcf_world draw_locked(double *rate) {
  char text[2048], *at = text;
  const double dt = log_uniform(2e-3, 1e-2);
  WRITE(at, "<mujoco><option timestep='%g'/><worldbody>", dt);
  WRITE(at, "<geom type='plane' size='5 5 1' friction='%g'/>", log_uniform(0.1, 1.5));
  for (int i = 0; i < 2; ++i) {
    const double at_x = i ? uniform(-0.03, 0.03) : 0.0, at_z = i ? uniform(-0.06, 0.06) : 0.1;
    WRITE(at, "<body name='b%d' pos='%g 0 %g' euler='%g %g 0'>", i, at_x, at_z,
          uniform(-90.0, 90.0), uniform(-90.0, 90.0));
    WRITE(at, "%s", i ? "<joint type='slide' axis='1 .3 .5'/>" : "<freejoint/>");
    WRITE(at, "<geom type='ellipsoid' size='%g %g %g' mass='%g'/>", log_uniform(0.006, 0.02),
          log_uniform(0.006, 0.02), log_uniform(0.006, 0.02), log_uniform(0.01, 0.04));
  }
  WRITE(at, "</body></body></worldbody><equality><weld body1='b1' body2='b0'/></equality>");
  WRITE(at, "</mujoco>");
  mjcf_world w = mjcf_world_of(text, NULL);
  w.settings.energy = true;
  *rate = log_uniform(1.0, 600.0);
  for (int k = 0; k < 3; ++k)
    w.data->v[k] = uniform(-2.0, 1.0), w.data->v[3 + k] = *rate * uniform(-1.0, 1.0);
  w.data->v[2] = uniform(-6.0, -1.0);
  return w;
}

static void what_is_locked_lands_without_energy(void **state) {
  (void)state;
  enum { DRAWS = TEST_WATCHED ? 20 : 200, LANDING = 80 };
  double worst = 0.0;
  seed = 17;
  for (int k = 0; k < DRAWS; ++k) {
    double rate, rise = 0.0, kinetic = 0.0;
    mjcf_world w = draw_locked(&rate);
    for (int i = 0; i < LANDING; ++i) {
      assert_true(limpet_step(w.model, w.data, &w.settings) < LIMPET_OUTCOME_ISLAND_FAILED);
      rise += w.data->info.energy_rise;
      if (i == 0) kinetic = w.data->info.kinetic_energy;
    }
    if (rise > 0.2 * kinetic)
      printf("locked %d, %.3g ms, %.3g rad/s: rose by %.3g of %.3g J\n", k,
             1e3 * w.settings.time_step, rate, rise, kinetic);
    worst = fmax(worst, rise / kinetic);
    mjcf_world_destroy(&w);
  }
  printf("what a weld locks lands: rises by %.3g of its energy at most\n", worst);
  // 1.33 in 800 draws: what rebounds with radians in a step has another pose than its impulses
  assert_true(worst < 2.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(energy_stays_bounded),
                                     cmocka_unit_test(a_bystander_changes_nothing),
                                     cmocka_unit_test(a_triangle_turns_as_a_body),
                                     cmocka_unit_test(what_is_locked_lands_without_energy)};
  return cmocka_run_group_tests_name("fast loops", tests, NULL, NULL);
}

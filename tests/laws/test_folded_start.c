/* tests/laws/test_folded_start.c: arms that start folded: links inside of links, joints beyond
 * their limits. Whatever presses against what, bodies are not thrown.
 *
 * Arms: three to seven links on hinges about the axes, or nearly so, as robots have them; capsules,
 * boxes and cylinders; masses over two decades; free or fixed; steps from 0.1 to 5 ms. Without
 * gravity. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "limpet/dynamics.h"
#include "limpet/format.h"
#include "math/vec3.h"
#include "mjcf_world.h"
#include "shared_data.h"
#include "step/prepared.h"

static unsigned long seed;

static double uniform(double low, double high) { return random_uniform(&seed, low, high); }

static int one_of(int count) { return (int)uniform(0.0, count); }

static double log_uniform(double low, double high) { return random_log_uniform(&seed, low, high); }

typedef struct arm {
  char text[16384], *at;
  int links;
  double mass;  // [kg]  of all links
} arm;

#define WRITE(a, ...) ((a)->at += sprintf((a)->at, __VA_ARGS__))

// A link of its own length; the next one starts at its end, or next to it, folded back.
static void write_link(arm *a, int link, bool joint) {
  static const char *const kinds[] = {"capsule", "box", "cylinder"};
  static const char *const axes[] = {"1 0 0", "0 1 0", "0 0 1"};
  const int kind = one_of(3), axis = one_of(3);
  const double mass = log_uniform(0.05, 5.0), half = uniform(0.03, 0.15),
               width = uniform(0.02, 0.06), tilt = one_of(3) == 0 ? uniform(0.0, 0.01) : 0.0;
  const double back = link == 0 ? 0.0 : -uniform(0.0, 0.05);
  a->mass += mass;
  WRITE(a, "<body pos='0 %g %g'>", tilt, back);
  if (joint) WRITE(a, "<joint name='j%d' axis='%s' range='30 330'/>", link, axes[axis]);
  WRITE(a, "<geom type='%s' size='%g %g %g' pos='0 0 %g' mass='%g'/>", kinds[kind], width, half,
        half, half, mass);
}

static mjcf_world arm_make(double dt, bool floats) {
  arm a = {.links = 3 + one_of(5)};
  a.at = a.text;
  WRITE(&a, "<mujoco><option timestep='%.17g' gravity='0 0 0'/><worldbody>", dt);
  write_link(&a, 0, false);
  if (floats) WRITE(&a, "<freejoint/>");
  for (int i = 1; i < a.links; ++i) write_link(&a, i, true);
  for (int i = 0; i < a.links; ++i) WRITE(&a, "</body>");
  WRITE(&a, "</worldbody></mujoco>");
  return mjcf_world_of(a.text, NULL);
}

static void nothing_is_thrown(void **state) {
  (void)state;
  enum { ARMS = 25 };
  int restrained = 0, unsolved = 0, failed = 0, steps = 0;
  double fastest = 0.0, most = 0.0;
  for (int k = 0; k < ARMS; ++k) {
    seed = 1000 + (unsigned long)k;
    for (int i = 0; i < 4; ++i) uniform(0.0, 1.0);
    const double dt = log_uniform(1e-4, 5e-3);
    const bool floats = one_of(2) == 0;
    mjcf_world w = arm_make(dt, floats);
    const limpet_model *model = w.model;
    limpet_data *data = w.data;
    w.settings.energy = true;
    double energy = 0.0;
    for (int i = 0; i < 20; ++i) {
      const limpet_outcome outcome = limpet_step(model, data, &w.settings);
      failed += outcome >= LIMPET_OUTCOME_NUMERICAL_FAILURE;
      unsolved += outcome != LIMPET_OUTCOME_SOLVED;
      // forces of jams are such that steps end as round-off of the velocities
      assert_true(outcome != LIMPET_OUTCOME_SOLVED || data->info.residual <= w.settings.tolerance);
      restrained += data->info.restrained_returns > 0;
      energy = fmax(energy, data->info.kinetic_energy);
      ++steps;
    }
    double speed = 0.0;
    for (int i = 0; i < model->nv; ++i) speed = fmax(speed, fabs(data->v[i]));
    fastest = fmax(fastest, speed), most = fmax(most, energy);
    mjcf_world_destroy(&w);
  }
  printf(
      "folded arms: %d of %d steps with weaker returns, %d unsolved; fastest %.3g m/s or rad/s, "
      "%.3g J\n",
      restrained, steps, unsolved, fastest, most);
  assert_true(restrained > 0);
  assert_int_equal(failed, 0);
  assert_true(unsolved <= steps / 50);
  assert_true(most < 5.0 && fastest < 200.0);
}

// Whether something that comes back is beyond its bound in a solution.
static bool is_beyond(const limpet_contact_problem *problem,
                      const limpet_contact_solution *solution) {
  const double *bound = problem->return_bound, *row_bound = bound + problem->contact_count;
  for (int i = 0; i < problem->contact_count; ++i)
    if (solution->gamma[3 * i + 2] > bound[i]) return true;
  for (int i = 0; i < problem->row_count; ++i)
    if (fabs(solution->row_gamma[i]) > row_bound[i]) return true;
  return false;
}

typedef struct jams {
  int looked_at, jams, unlike;
  int iterations[2];  // of steps that jam: as it is, and where the solver is not told
} jams;

// The problem of a prepared step, solved with and without what the solver is told of a jam.
static void compare(const mjcf_world *w, const limpet_step_prepared *prepared, jams *count) {
  limpet_contact_problem told = prepared->work->problem, untold = told;
  untold.return_bound = NULL;
  if (!told.return_bound) return;
  limpet_solve_settings solver = {.newton = limpet_newton_settings_default(),
                                  .dense_limit = w->settings.dense_limit};
  solver.newton.tolerance = w->settings.tolerance;
  solver.newton.iteration_limit = w->settings.iteration_limit;
  const limpet_solve_start start = {.v = told.v_start};
  limpet_arena *arena = prepared->work->arena;
  limpet_contact_solution early, late;
  assert_int_equal(limpet_problem_solve(&told, &solver, &start, NULL, arena, &early), LIMPET_OK);
  assert_int_equal(limpet_problem_solve(&untold, &solver, &start, NULL, arena, &late), LIMPET_OK);
  const bool jam = is_beyond(&told, &early);
  ++count->looked_at;
  count->jams += jam;
  count->unlike += jam != is_beyond(&told, &late);
  if (!jam) assert_memory_equal(early.v, late.v, (size_t)told.nv * sizeof *early.v);
  if (!jam) return;
  count->iterations[0] += early.info.iterations, count->iterations[1] += late.info.iterations;
}

/* What the solver is told of a jam costs it no more: weak returns are solved in few iterations
 * either way. It changes nothing of what is solved otherwise, and hardly ever whether there is a
 * jam: sweeps may find other forces after a stall, or where doubles end Newton's method. */
static void a_jam_is_known_early(void **state) {
  (void)state;
  enum { ARMS = 60, STEPS = 5, RARE = 60 };
  jams count = {0};
  for (int k = 0; k < ARMS; ++k) {
    seed = 5000 + (unsigned long)k;
    for (int i = 0; i < 4; ++i) uniform(0.0, 1.0);
    mjcf_world w = arm_make(log_uniform(1e-4, 5e-3), one_of(2) == 0);
    for (int i = 0; i < STEPS; ++i) {
      limpet_step_prepared prepared;
      assert_int_equal(
          limpet_step_prepare(w.model, w.data, &w.settings, w.settings.time_step, &prepared),
          LIMPET_OUTCOME_SOLVED);
      compare(&w, &prepared, &count);
      limpet_step(w.model, w.data, &w.settings);
    }
    mjcf_world_destroy(&w);
  }
  printf(
      "%d jams in %d problems; %d of which sweeps would have made none; their iterations %d, "
      "%d where the solver is not told\n",
      count.jams, count.looked_at, count.unlike, count.iterations[0], count.iterations[1]);
  assert_true(count.jams > 30);
  assert_true(count.unlike <= count.jams / RARE);
  assert_true(count.iterations[0] <= count.iterations[1] + count.iterations[1] / 50);
}

/* A jam that goes on is known from the forces that contacts carried: the attempt with strong
 * returns is saved. These are part of the state, so a world that starts from it goes on bit for
 * bit. */
static void a_jam_is_remembered(void **state) {
  (void)state;
  enum { ARMS = 20, STEPS = 15 };
  int restrained = 0, known = 0, unsolved = 0, iterations = 0;
  for (int k = 0; k < ARMS; ++k) {
    seed = 7000 + (unsigned long)k;
    for (int i = 0; i < 4; ++i) uniform(0.0, 1.0);
    mjcf_world w = arm_make(log_uniform(1e-4, 5e-3), one_of(2) == 0);
    limpet_data *other = limpet_data_create(w.model);
    for (int i = 0; i < STEPS; ++i) {
      limpet_data_state_copy(w.data, other);
      unsolved += limpet_step(w.model, w.data, &w.settings) != LIMPET_OUTCOME_SOLVED;
      limpet_step(w.model, other, &w.settings);
      assert_true(limpet_data_state_hash(w.model, w.data) ==
                  limpet_data_state_hash(w.model, other));
      if (w.data->info.restrained_returns == 0) continue;
      ++restrained;
      known += w.data->info.repeats == 0;
      iterations += w.data->info.iterations;
    }
    limpet_data_destroy(other);
    mjcf_world_destroy(&w);
  }
  printf("%d steps with weaker returns, %d known to be, %.2f iterations a step, %d unsolved\n",
         restrained, known, (double)iterations / restrained, unsolved);
  assert_true(restrained > 100 && 2 * known > restrained);
  assert_int_equal(unsolved, 0);
}

// The world of a shared file, with default settings.
static mjcf_world shared_world(const char *scene) {
  limpet_error error;
  mjcf_world w = {.model = limpet_load(shared_path(scene), NULL, &error)};
  if (!w.model) fail_msg("%s", error.message);
  w.data = limpet_data_create(w.model);
  assert_non_null(w.data);
  w.settings = limpet_step_settings_default(w.model);
  return w;
}

/* A humanoid whose geoms have a stiffness of their own starts 1.3 m inside of the floor, where that
 * presses with up to a million times what moves them. It rises with the return speed, in few
 * iterations. */
static void what_starts_far_inside_rises(void **state) {
  (void)state;
  enum { STEPS = 60 };
  static const char scene[] = "models/mjcf/model/humanoid/humanoid.xml";
  if (!shared_exists(scene)) skip();
  mjcf_world w = shared_world(scene);
  int iterations = 0;
  w.data->q[2] = 0.0;
  for (int i = 0; i < STEPS; ++i) {
    assert_int_equal(limpet_step(w.model, w.data, &w.settings), LIMPET_OUTCOME_SOLVED);
    iterations += w.data->info.iterations;
  }
  printf("inside of the floor: %.2f iterations a step, up by %.4g m in %.3g s\n",
         (double)iterations / STEPS, w.data->q[2], w.data->time);
  assert_true(iterations < 5 * STEPS);
  assert_true(fabs(w.data->q[2] - 0.02 * w.data->time) < 0.01 * 0.02 * w.data->time);
  mjcf_world_destroy(&w);
}

/* Cassie from its zero pose: joints are up to 0.4 rad beyond their limits, and limits of a foot
 * press against its rod. The mechanism snaps free, and the rods do not throw the feet: what is put
 * in stays below the energy of all returns, 2 rad/s of some kg m^2. */
static void limits_against_rods_throw_nothing(void **state) {
  (void)state;
  static const char scene[] = "models/menagerie/agility_cassie/scene.xml";
  if (!shared_exists(scene)) skip();
  mjcf_world w = shared_world(scene);
  w.settings.energy = true;
  double risen = 0.0, returned = 0.0, kinetic = 0.0;
  while (w.data->time < 0.15) {
    assert_int_equal(limpet_step(w.model, w.data, &w.settings), LIMPET_OUTCOME_SOLVED);
    risen += w.data->info.energy_rise, returned += w.data->info.return_work;
    kinetic = fmax(kinetic, w.data->info.kinetic_energy);
  }
  printf("Cassie: risen %.3g J, led back by %.3g J, kinetic energy up to %.3g J\n", risen, returned,
         kinetic);
  assert_true(risen < 0.01 && returned > 0.0 && returned < 5.0);
  assert_true(kinetic < 60.0);  // of a fall of 0.15 s: 33 kg, 36 J
  mjcf_world_destroy(&w);
}

/* A particle that moves in a plane and begins inside of a slanting capsule. The normal points more
 * out of the plane than along it, and friction holds what pushes: contact and guides bear forces
 * of kilonewtons that move nothing, and momenta are round-off of these. Such steps are solved. */
static void what_is_wedged_is_solved(void **state) {
  (void)state;
  enum { WORLDS = 60, STEPS = 30 };
  int unsolved = 0, wedged = 0;
  seed = 77;
  for (int k = 0; k < WORLDS; ++k) {
    char text[2048];
    snprintf(text, sizeof text,
             "<mujoco><option timestep='%.17g'/><worldbody>"
             "<geom type='capsule' size='.1 .1' pos='-.1 .05 0' zaxis='.5 0 1' friction='1'/>"
             "<body pos='%.17g %.17g .1'><joint type='slide' axis='1 0 0'/>"
             "<joint type='slide' axis='0 1 0'/><joint axis='0 0 1'/>"
             "<geom type='ellipsoid' size='.025 .02 .015' mass='%.17g' friction='%.17g'/></body>"
             "</worldbody></mujoco>",
             log_uniform(1e-3, 1e-2), uniform(-0.09, -0.03), uniform(0.02, 0.08),
             log_uniform(1e-3, 10.0), uniform(0.5, 2.0));
    mjcf_world w = mjcf_world_of(text, NULL);
    for (int i = 0; i < STEPS; ++i) {
      const limpet_outcome outcome = limpet_step(w.model, w.data, &w.settings);
      unsolved += outcome != LIMPET_OUTCOME_SOLVED;
      assert_true(w.data->info.residual <= w.settings.tolerance);
    }
    const double weight = 9.81 * w.model->body_mass[w.model->body_count - 1];
    wedged += w.data->contact_count > 0 && w.data->contact_force[2] > 5.0 * weight &&
              hypot(w.data->v[0], w.data->v[1]) < 1e-9;
    mjcf_world_destroy(&w);
  }
  printf("%d of %d particles are wedged, %d of %d steps unsolved\n", wedged, WORLDS, unsolved,
         WORLDS * STEPS);
  assert_true(wedged > 10);
  assert_int_equal(unsolved, 0);
}

// A free body that begins in the grip of fixed ones, which all lead it back, each its own way, and
// hold it by friction.
static mjcf_world grip_make(int k) {
  static const char *const kinds[] = {"sphere", "box", "capsule"};
  seed = 9000 + (unsigned long)k;
  for (int i = 0; i < 4; ++i) uniform(0.0, 1.0);
  arm a = {.links = 0};
  a.at = a.text;
  WRITE(&a,
        "<mujoco><option timestep='%.17g'/><asset><mesh name='m' vertex='0 0 0  1 0 0  0 1 0  "
        "0 0 1'/></asset><worldbody><geom type='plane' size='0 0 1'/>",
        log_uniform(5e-4, 5e-3));
  for (int i = 0; i < 2; ++i)
    WRITE(&a, "<geom type='%s' size='.2 .2 .2' pos='%g %g %g' euler='%g %g 0'/>", kinds[one_of(3)],
          uniform(-0.2, 0.6), uniform(-0.2, 0.6), uniform(0.0, 0.6), uniform(0.0, 90.0),
          uniform(0.0, 90.0));
  WRITE(&a,
        "<body pos='0 0 %g' euler='%g %g 0'><freejoint/><geom type='mesh' mesh='m' mass='%g' "
        "friction='%g'/></body></worldbody></mujoco>",
        uniform(-0.5, 0.0), uniform(0.0, 90.0), uniform(0.0, 90.0), log_uniform(0.1, 100.0),
        log_uniform(0.1, 2.0));
  return mjcf_world_of(a.text, NULL);
}

/* Where no solution with the stronger returns is found, one with the weaker ones mostly is. Steps
 * that are not solved take no momentum from nowhere: it is that of the forces that are told. */
static void what_is_gripped_is_solved(void **state) {
  (void)state;
  enum { WORLDS = 60, STEPS = 30 };
  int unsolved = 0, restrained = 0;
  double fastest = 0.0, gained = 0.0, residual = 0.0;
  for (int k = 0; k < WORLDS; ++k) {
    mjcf_world w = grip_make(k);
    const double mass = w.model->body_mass[w.model->body_count - 1];
    w.settings.energy = true;
    for (int i = 0; i < STEPS; ++i) {
      unsolved += limpet_step(w.model, w.data, &w.settings) != LIMPET_OUTCOME_SOLVED;
      restrained += w.data->info.restrained_returns > 0;
      fastest = fmax(fastest, limpet_vec3_norm(w.data->v));
      gained = fmax(gained, w.data->info.momentum_gained / mass);
      residual = fmax(residual, w.data->info.residual);
    }
    mjcf_world_destroy(&w);
  }
  printf(
      "gripped: %d of %d steps with weaker returns, %d unsolved; fastest %.3g m/s; momentum "
      "gained %.3g m/s, residual %.3g\n",
      restrained, WORLDS * STEPS, unsolved, fastest, gained, residual);
  assert_true(restrained > 100 && fastest < 1.0);
  // 13 % where a step is not attempted anew for it
  assert_true(unsolved <= WORLDS * STEPS / 30);
  assert_true(gained < 1e-5 && residual < 1e-5);
}

/* Drake's Jaco arm begins folded into itself. Forces of a step keep momentum, solved or not: what
 * ends a diverged step does not bring it to rest without a force. */
static void unsolved_steps_keep_momentum(void **state) {
  (void)state;
  static const char scene[] = "models/drake/jaco_description/urdf/j2s7s300.urdf";
  if (!shared_exists(scene)) skip();
  mjcf_world w = shared_world(scene);
  int unsolved = 0;
  double residual = 0.0;
  while (w.data->time < 0.05) {
    unsolved += limpet_step(w.model, w.data, &w.settings) != LIMPET_OUTCOME_SOLVED;
    residual = fmax(residual, w.data->info.residual);
  }
  printf("Jaco: %d unsolved steps, residual %.3g\n", unsolved, residual);
  assert_true(unsolved < 20 && residual < 1e-5);
  mjcf_world_destroy(&w);
}

/* Its arm, which falls: hulls of links 45 mm inside of each other, which nothing can move, can be
 * moved after 1.56 s. That is no overlap that the step made. */
static void what_was_left_out_is_not_made(void **state) {
  (void)state;
  static const char scene[] = "models/drake/jaco_description/urdf/j2s7s300_arm.urdf";
  if (!shared_exists(scene)) skip();
  mjcf_world w = shared_world(scene);
  double made = 0.0;
  int fewest = INT_MAX, most = 0;
  while (w.data->time < 1.6) {
    assert_int_equal(limpet_step(w.model, w.data, &w.settings), LIMPET_OUTCOME_SOLVED);
    made = fmax(made, w.data->info.overlap_made);
    const int left_out = w.data->info.immovable_contacts;
    if (left_out < fewest) fewest = left_out;
    if (left_out > most) most = left_out;
  }
  printf("Jaco's arm: %d to %d contacts left out, %.3g m of overlap made\n", fewest, most, made);
  assert_true(made < 1e-3 && fewest < most);
  mjcf_world_destroy(&w);
}

// Deepest overlap of contacts [m].
static double deepest(const limpet_data *data) {
  double most = 0.0;
  for (int i = 0; i < data->contact_count; ++i) most = fmax(most, -data->contact_distance[i]);
  return most;
}

/* Bodies that lie at rest, and are put 5 mm into what they lie on, at rest. Returns their overlap a
 * second later [m]; speed [m/s]: the highest on the way, weak: steps with weaker returns. */
static double sunk_for_a_second(const char *bodies, double dt, double *speed, int *weak) {
  char text[2048];
  snprintf(text, sizeof text,
           "<mujoco><option timestep='%.17g'/><worldbody>%s</worldbody></mujoco>", dt, bodies);
  mjcf_world w = mjcf_world_of(text, NULL);
  while (w.data->time < 0.3) limpet_step(w.model, w.data, &w.settings);
  for (int i = 0; i < w.model->nq; i += 7) w.data->q[i + 2] -= 0.005;
  for (int i = 0; i < w.model->nv; ++i) w.data->v[i] = 0.0;
  *speed = 0.0, *weak = 0;
  while (w.data->time < 1.3) {
    assert_int_equal(limpet_step(w.model, w.data, &w.settings), LIMPET_OUTCOME_SOLVED);
    for (int i = 0; i < w.model->nv; ++i) *speed = fmax(*speed, fabs(w.data->v[i]));
    *weak += w.data->info.restrained_returns > 0;
  }
  const double left = deepest(w.data);
  mjcf_world_destroy(&w);
  return left;
}

/* A load is no jam: it presses on one point with more than weaker returns begin with, and comes out
 * all the same, with the return speed. A ball in a groove that holds it by friction alone cannot
 * come out: its steps are solved. */
static void loads_come_out(void **state) {
  (void)state;
#define LOAD(height, shape) \
  "<body pos='0 0 " height "'><freejoint/><geom type=" shape " mass='1'/></body>"
#define GROOVE(x, z, friction)                                                \
  "<geom type='plane' size='2 2 1' zaxis='" x " 0 " z "' friction='" friction \
  "'/>"                                                                       \
  "<geom type='plane' size='2 2 1' zaxis='-" x " 0 " z "' friction='" friction "'/>"
  static const struct {
    const char *bodies;
    bool jams;
  } scene[] = {
      {"<geom type='plane' size='2 2 1'/>" LOAD("0.1", "'sphere' size='.1'")
           LOAD("0.3", "'box' size='.1 .1 .1'") LOAD("0.5", "'box' size='.1 .1 .1'"),
       false},
      {GROOVE(".96", ".28", ".05") LOAD("0.36", "'sphere' size='.1' friction='.05'"), false},
      {GROOVE(".96", ".28", ".6") LOAD("0.36", "'sphere' size='.1' friction='.6'"), true},
  };
  for (int k = 0; k < (int)(sizeof scene / sizeof *scene); ++k)
    for (int j = 0; j < 2; ++j) {
      const double dt = j == 0 ? 2e-3 : 5e-3;
      double speed;
      int weak;
      const double left = sunk_for_a_second(scene[k].bodies, dt, &speed, &weak);
      printf("load %d, steps of %g s: %.3g m deep after 1 s, %.3g m/s at most, %d weak steps\n", k,
             dt, left, speed, weak);
      if (scene[k].jams) assert_true(left > 1e-3 && speed < 1e-3);
      else assert_true(weak > 0 && left < 1e-4 && speed < 0.1);
    }
}

// A heavy body that floats, and hands whose fingers of some grams begin inside of each other.
static mjcf_world hands_make(int k) {
  enum { FINGERS = 9 };
  seed = 11000 + (unsigned long)k;
  for (int i = 0; i < 4; ++i) uniform(0.0, 1.0);
  arm a = {.links = 0};
  a.at = a.text;
  WRITE(&a,
        "<mujoco><option timestep='%.17g'/><worldbody><body><freejoint/>"
        "<geom type='box' size='.2 .2 .3' mass='300'/>",
        log_uniform(1e-3, 3e-3));
  for (int hand = -1; hand <= 1; hand += 2) {
    WRITE(&a,
          "<body pos='0 %g 0'><joint axis='0 1 0'/><geom type='box' size='.04 .02 .04' mass='.5'/>",
          0.4 * hand);
    for (int i = 0; i < FINGERS; ++i) {
      WRITE(&a, "<body pos='%g 0 %g'>", uniform(-0.04, 0.04), uniform(-0.03, 0.03));
      for (int link = 0; link < 3; ++link)
        WRITE(&a,
              "%s<joint axis='%s' range='-20 90'/><geom type='%s' size='%g %g .02' friction='1' "
              "mass='%g'/>",
              link ? "<body pos='0 0 .03'>" : "", one_of(2) ? "1 0 0" : "0 1 0",
              one_of(2) ? "box" : "capsule", uniform(0.01, 0.02), uniform(0.01, 0.02),
              log_uniform(0.001, 0.02));
      WRITE(&a, "</body></body></body>");
    }
    WRITE(&a, "</body>");
  }
  WRITE(&a, "</body></worldbody></mujoco>");
  return mjcf_world_of(a.text, NULL);
}

/* Fingers that are jammed press each other with no more than what moves them: with the weight of
 * the robot, which is thousands of times theirs, friction holds them in a knot. */
static void hands_of_heavy_robots_are_solved(void **state) {
  (void)state;
  enum { WORLDS = 3, STEPS = 10 };
  int unsolved = 0, restrained = 0, iterations = 0;
  for (int k = 0; k < WORLDS; ++k) {
    mjcf_world w = hands_make(k);
    for (int i = 0; i < STEPS; ++i) {
      unsolved += limpet_step(w.model, w.data, &w.settings) != LIMPET_OUTCOME_SOLVED;
      restrained += w.data->info.restrained_returns > 0;
      iterations += w.data->info.iterations;
    }
    mjcf_world_destroy(&w);
  }
  printf("hands: %d of %d steps with weaker returns, %d unsolved, %.1f iterations a step\n",
         restrained, WORLDS * STEPS, unsolved, (double)iterations / (WORLDS * STEPS));
  assert_true(restrained > WORLDS * STEPS / 2);
  assert_int_equal(unsolved, 0);
  assert_true(iterations < 12 * WORLDS * STEPS);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_thrown),
                                     cmocka_unit_test(limits_against_rods_throw_nothing),
                                     cmocka_unit_test(what_is_wedged_is_solved),
                                     cmocka_unit_test(what_is_gripped_is_solved),
                                     cmocka_unit_test(unsolved_steps_keep_momentum),
                                     cmocka_unit_test(what_was_left_out_is_not_made),
                                     cmocka_unit_test(a_jam_is_known_early),
                                     cmocka_unit_test(a_jam_is_remembered),
                                     cmocka_unit_test(what_starts_far_inside_rises),
                                     cmocka_unit_test(loads_come_out),
                                     cmocka_unit_test(hands_of_heavy_robots_are_solved)};
  return cmocka_run_group_tests_name("folded_start", tests, NULL, NULL);
}

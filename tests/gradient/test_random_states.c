/* tests/gradient/test_random_states.c: columns of Jacobians of robots in random states against
 * differences of whole steps: what differs by more than 1e-6 of the largest entry must be flagged
 * as a kink; how much is within 1e-8 is told.
 *
 * Robots move from a random pose near their first keyframe under random controls, and fall, stand,
 * lie and grip. A step and a column are drawn, and the best of differences of fourth order over
 * widths from 1e-3 to 1e-9 counts: contacts change on scales of 1e-8 m and 1e-6 m/s, and round-off
 * of two solutions is 1e-13/width, or 1e-9/width where a light leg swings against a near-rigid
 * contact. Where differences of no three widths agree with each other they decide nothing. Where
 * the step itself jumps from one solution of Coulomb's law to another, they tell of the other one:
 * such jumps must be told by gradient->jump. An arm
 * that pushes a ball does so for all compliant models, too. LIMPET_GRADIENT_STATES is the number of
 * states of each robot, 12 without it; LIMPET_GRADIENT_SEED draws others; LIMPET_GRADIENT_MODELS
 * names files, separated by colons, that take the place of all of them, with all models. */
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
#include "limpet/format.h"
#include "limpet/gradient.h"
#include "mjcf_text.h"
#include "random_models.h"
#include "step_differences.h"

enum { STATES = TEST_WATCHED ? 4 : 12, COLUMNS = 4, MOST_STEPS_BETWEEN = 20, RUN = 400 };

static const double tolerance = 1e-6, fine = 1e-8;  // [-]  of the largest entry
static const double solver_tolerance = 1e-13;       // [-]
static const double jump_width = 1e-9;              // [m, rad, m/s, rad/s]

static const char *const robots[] = {
    "menagerie/franka_emika_panda/scene.xml", "mjcf/model/humanoid/humanoid.xml",
    "menagerie/unitree_g1/scene.xml",         "menagerie/shadow_hand/scene_right.xml",
    "menagerie/anybotics_anymal_c/scene.xml", "menagerie/agility_cassie/scene.xml",
    "menagerie/robotiq_2f85/scene.xml",       "menagerie/wonik_allegro/scene_right.xml",
    "../scenes-peers/clutter40.xml"};
enum { ROBOTS = sizeof robots / sizeof robots[0] };

// compliant ones first
static const char *const laws[] = {"coulomb", "lagged",   "similar",
                                   "sap",     "anitescu", "anitescu-cone"};
enum { LAWS = 4, ALL_LAWS = sizeof laws / sizeof laws[0] };

static unsigned long seed = 5;

typedef struct totals {
  int states, unsolved, columns, flagged, undecided, jumps, missed, approximate;
  int within, off;  // of columns without a flag: within 1e-8; further off than differences scatter
  double worst;
} totals;

typedef struct world {
  limpet_model *model;
  limpet_data *data, *from;
  limpet_gradient *gradient;
  limpet_step_settings settings;
  double *state;
  int age;  // steps since the start
} world;

static void restart(world *w) {
  const limpet_model *model = w->model;
  limpet_data_reset(model, w->data);
  if (model->keyframe_count > 0) limpet_data_reset_keyframe(model, w->data, 0);
  double *shift = calloc((size_t)model->nv + 1, sizeof *shift);
  // a heap would start with its bodies inside each other
  random_vector(&seed, shift, model->nv, model->nu > 0 ? 0.1 : 0.0);
  limpet_integrate_position(model, w->data->q, w->data->q, shift, 1.0, false);
  random_vector(&seed, w->data->v, model->nv, 0.5);
  free(shift);
  w->age = 0;
}

static void command(world *w) {
  const limpet_model *model = w->model;
  for (int i = 0; i < model->nu; ++i) {
    const double *range = model->actuator_control_range + 2 * i;
    w->data->control[i] = model->actuator_control_limited[i]
                              ? random_uniform(&seed, range[0], range[1])
                              : random_uniform(&seed, -0.3, 0.3);
  }
}

// Bodies that fly have no slope of velocities by poses: what is below 1e-3 is round-off.
static double largest(const double *x, size_t count) {
  double most = 1e-3;
  for (size_t i = 0; i < count; ++i) most = fmax(most, fabs(x[i]));
  return most;
}

// Whether the step is told to jump near its start. The state is that of `from`.
static bool jump_is_told(world *w) {
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  limpet_gradient *gradient = limpet_gradient_create(w->model);
  limpet_data *data = limpet_data_create(w->model);
  wanted.contacts = wanted.inputs = wanted.jacobians = false;
  wanted.jump_width = jump_width;
  limpet_data_state_read(w->model, w->from, w->state);
  limpet_data_state_write(w->model, data, w->state);
  memcpy(data->control, w->from->control, (size_t)w->model->nu * sizeof(double));
  limpet_gradient_step(w->model, data, &w->settings, &wanted, gradient);
  const limpet_gradient_jump jump = gradient->jump;
  if (jump.cause != LIMPET_JUMP_NONE)
    printf("a jump (%s) by %.2g m/s or rad/s, %.2g from the start, contact %d, by %d steps\n",
           limpet_jump_word(jump.cause), jump.size, jump.distance, jump.contact, jump.steps);
  limpet_gradient_destroy(gradient);
  limpet_data_destroy(data);
  return jump.cause != LIMPET_JUMP_NONE;
}

static void check_column(world *w, const char *name, bool by_v, int column, totals *sum) {
  const limpet_gradient *g = w->gradient;
  const int nv = w->model->nv;
  const size_t size = (size_t)nv * (size_t)nv;
  const double *dq = by_v ? g->dq.v : g->dq.q, *dv = by_v ? g->dv.v : g->dv.q;
  ++sum->columns;
  if ((by_v ? g->kink.v : g->kink.q)[column] > 0.0) {
    ++sum->flagged;
    return;
  }
  const double scale[2] = {largest(dq, size), largest(dv, size)};
  double *own = calloc(2 * (size_t)nv, sizeof *own), settled;
  for (int i = 0; i < nv; ++i) own[i] = dq[i * nv + column], own[nv + i] = dv[i * nv + column];
  step_differences s;
  step_differences_open(&s, w->model, w->from, &w->settings);
  step_move *move = by_v ? step_move_v : step_move_q;
  const double best = step_differences_nearest(&s, move, column, own, scale, &settled);
  const bool decided = best > fine && settled <= 0.3 * best,
             seen = best <= tolerance || step_differences_jump(&s, move, column, own + nv),
             jumps = decided && seen && jump_is_told(w), off = decided && !jumps;
  step_differences_close(&s);
  free(own);
  sum->within += best <= fine;
  sum->off += off;
  sum->jumps += jumps;
  if (jumps) return;
  if (off && best <= tolerance)
    printf("%s, step %d: by %c %d: off by %.2g, differences settle to %.2g\n", name, w->age,
           by_v ? 'v' : 'q', column, best, settled);
  if (best <= tolerance) {
    sum->worst = fmax(sum->worst, best);
    return;
  }
  if (settled > 0.3 * best) {  // no three differences agree better than with the column
    ++sum->undecided;
    return;
  }
  ++sum->missed;
  printf(
      "%s, step %d: by %c %d: %.2g of the largest entry, differences settle to %.2g (%d contacts, "
      "%d repeats, carried %d)\n",
      name, w->age, by_v ? 'v' : 'q', column, best, settled, w->data->contact_count,
      w->data->info.repeats, g->carried_count);
}

// Whether a step of 10 ms under torques has thrown something away: differences tell nothing there.
static bool is_gone(const world *w) { return !(largest(w->data->v, (size_t)w->model->nv) < 100.0); }

// Moves on by some steps, and compares columns of the next one.
static void check_state(world *w, const char *name, totals *sum) {
  if (w->age > RUN) restart(w);
  command(w);
  const int steps = 1 + (int)random_uniform(&seed, 0, MOST_STEPS_BETWEEN);
  for (int i = 0; i < steps; ++i, ++w->age)
    if (limpet_outcome_failed(limpet_step(w->model, w->data, &w->settings)) || is_gone(w))
      restart(w);
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  wanted.contacts = wanted.inputs = false;
  limpet_data_state_read(w->model, w->data, w->state);
  limpet_data_state_write(w->model, w->from, w->state);
  memcpy(w->from->control, w->data->control, (size_t)w->model->nu * sizeof(double));
  ++sum->states;
  limpet_gradient_step(w->model, w->data, &w->settings, &wanted, w->gradient);
  ++w->age;
  if (w->gradient->reason) {
    if (sum->unsolved++ == 0) printf("%s, step %d: %s\n", name, w->age, w->gradient->reason);
    return;
  }
  sum->approximate += w->gradient->approximate;
  for (int k = 0; k < COLUMNS; ++k)
    check_column(w, name, random_uniform(&seed, 0, 1) < 0.4,
                 (int)random_uniform(&seed, 0, w->model->nv - 1e-9), sum);
}

// Destroys the model. law: NULL: the default.
static totals check_model(const char *name, limpet_model *model, const char *law, int states) {
  totals sum = {0};
  world w = {.model = model};
  w.data = limpet_data_create(w.model), w.from = limpet_data_create(w.model);
  w.gradient = limpet_gradient_create(w.model);
  w.state = calloc((size_t)limpet_data_state_size(w.model), sizeof *w.state);
  w.settings = limpet_step_settings_default(w.model);
  if (law) limpet_step_settings_contact_model(&w.settings, limpet_contact_model_find(law));
  w.settings.tolerance = solver_tolerance;
  w.settings.iteration_limit = 300;
  restart(&w);
  for (int i = 0; i < states; ++i) check_state(&w, name, &sum);
  printf(
      "%s%s%s: %d states (%d without derivatives, %d approximate), %d columns, %d flagged, %d "
      "undecided, %d jumps, %d missed 1e-6, worst %.2g; %d within 1e-8, %d decidedly not\n",
      name, law ? ", " : "", law ? law : "", sum.states, sum.unsolved, sum.approximate, sum.columns,
      sum.flagged, sum.undecided, sum.jumps, sum.missed, sum.worst, sum.within, sum.off);
  free(w.state);
  limpet_gradient_destroy(w.gradient);
  limpet_data_destroy(w.data), limpet_data_destroy(w.from);
  limpet_model_destroy(w.model);
  return sum;
}

static totals check_robot(const char *name, const char *path, const char *law, int states) {
  limpet_error error;
  limpet_model *model = limpet_load(path, NULL, &error);
  if (!model) fail_msg("%s", error.message);
  return check_model(name, model, law, states);
}

static void add(totals *all, totals sum) {
  all->missed += sum.missed, all->columns += sum.columns;
  all->flagged += sum.flagged, all->undecided += sum.undecided, all->jumps += sum.jumps;
  all->within += sum.within, all->off += sum.off;
}

// Files that were named take the place of the robots.
static void check_named(const char *names, int states, totals *all) {
  char path[4096];
  for (const char *at = names; *at;) {
    const size_t length = strcspn(at, ":");
    snprintf(path, sizeof path, "%.*s", (int)length, at);
    for (int k = 0; k < ALL_LAWS; ++k) add(all, check_robot(path, path, laws[k], states));
    at += length + (at[length] == ':');
  }
}

static void check_all(int states, totals *all) {
  for (int i = 0; i < ROBOTS; ++i) {
    char path[256];
    snprintf(path, sizeof path, "models/%s", robots[i]);
    if (shared_exists(path)) add(all, check_robot(robots[i], shared_path(path), NULL, states));
  }
  // an arm's capsules, at 10 ms, roll a ball: paths are curved
  for (int k = 0; k < LAWS; ++k)
    add(all, check_robot("kinova_push", LIMPET_SOURCE_DIR "/scenes/plans/kinova_push.xml", laws[k],
                         states));
}

static void what_differs_is_flagged(void **unused) {
  (void)unused;
  const char *asked = getenv("LIMPET_GRADIENT_STATES");
  const int states = asked ? atoi(asked) : STATES;
  const char *drawn = getenv("LIMPET_GRADIENT_SEED");
  if (drawn) seed = strtoul(drawn, NULL, 10);
  totals all = {0};
  const char *named = getenv("LIMPET_GRADIENT_MODELS");
  if (named) check_named(named, states, &all);
  else check_all(states, &all);
  const int missed = all.missed, columns = all.columns, flagged = all.flagged,
            undecided = all.undecided;
  printf(
      "random states: %d columns, %d flagged, %d undecided, %d jumps, %d missed; %d within 1e-8, "
      "%d not\n",
      columns, flagged, undecided, all.jumps, missed, all.within, all.off);
  assert_true(flagged < columns / 2 && undecided <= columns / 50 && all.jumps <= columns / 500);
  assert_int_equal(missed, 0);
}

/* The arm presses a ball against the floor while both turn, so that their paths bend: friction's
 * bound of Lagged is that of the gap before. */
static void an_arm_rolls_a_ball(void **unused) {
  (void)unused;
  enum { FIRST = 15, LAST = 21 };
  int failed = 0, columns = 0, kinks = 0;
  for (int k = 0; k < LAWS; ++k) {
    limpet_error error;
    world w = {.model =
                   limpet_load(LIMPET_SOURCE_DIR "/scenes/plans/kinova_push.xml", NULL, &error)};
    if (!w.model) fail_msg("%s", error.message);
    const limpet_gradient_settings wanted = limpet_gradient_settings_default();
    const int nv = w.model->nv;
    w.data = limpet_data_create(w.model), w.from = limpet_data_create(w.model);
    w.gradient = limpet_gradient_create(w.model);
    w.settings = limpet_step_settings_default(w.model);
    limpet_step_settings_contact_model(&w.settings, limpet_contact_model_find(laws[k]));
    w.settings.tolerance = solver_tolerance, w.settings.iteration_limit = 300;
    limpet_data_reset_keyframe(w.model, w.data, 0);
    limpet_data_reset_keyframe(w.model, w.from, 0);
    for (int step = 0; step <= LAST; ++step) {
      if (step >= FIRST) {
        limpet_gradient_step(w.model, w.data, &w.settings, &wanted, w.gradient);
        assert_null(w.gradient->reason);
        step_differences s;
        step_differences_open(&s, w.model, w.from, &w.settings);
        // measured are 2e-8 of the largest entry
        failed += !step_differences_agree(&s, laws[k], step_move_q, nv, w.gradient->dq.q,
                                          w.gradient->dv.q, w.gradient->kink.q, 1e-6, 1e-6);
        failed += !step_differences_agree(&s, laws[k], step_move_v, nv, w.gradient->dq.v,
                                          w.gradient->dv.v, w.gradient->kink.v, 1e-6, 1e-6);
        columns += s.columns, kinks += s.kinks;
        step_differences_close(&s);
      } else {
        limpet_step(w.model, w.data, &w.settings);
      }
      limpet_step(w.model, w.from, &w.settings);
    }
    limpet_gradient_destroy(w.gradient);
    limpet_data_destroy(w.data), limpet_data_destroy(w.from);
    limpet_model_destroy(w.model);
  }
  assert_int_equal(failed, 0);
  assert_true(kinks <= columns / 10);
}

/* An arm that lies at a limit of its second joint while its wrist whips: the end of the step takes
 * energy back, which bends over a milliradian. Differences of second order over 10 urad through
 * that end missed one column of each of these draws by 1e-6 to 1e-5. */
static void an_arm_whips_at_its_limit(void **unused) {
  (void)unused;
  enum { WHIPS = TEST_WATCHED ? 4 : 24 };
  static const unsigned long draws[] = {4, 7, 10, 12};
  for (size_t i = 0; i < sizeof draws / sizeof draws[0]; ++i) {
    seed = draws[i];
    const totals sum = check_robot("kinova_push", LIMPET_SOURCE_DIR "/scenes/plans/kinova_push.xml",
                                   "similar", WHIPS);
    assert_int_equal(sum.missed, 0);
    assert_true(sum.flagged < sum.columns / 3);
  }
}

/* The same arm, where what is taken back rises within 0.1 mrad: differences of fourth order over 20
 * urad missed one column by 1.9e-6. Over 20 urad/s along velocities round-off left 1e-8 of another,
 * and its jumps were kinks of 113 of 848 columns. */
static void an_arm_whips_with_a_rise(void **unused) {
  (void)unused;
  enum { WHIPS = TEST_WATCHED ? 8 : 212 };
  seed = 9498790445230350669ul;
  const totals sum =
      check_robot("kinova_push", LIMPET_SOURCE_DIR "/scenes/plans/kinova_push.xml", "sap", WHIPS);
  assert_int_equal(sum.missed, 0);
  assert_int_equal(sum.off, 0);
  assert_true(sum.flagged < sum.columns / (TEST_WATCHED ? 3 : 10));
}

/* Fingers whose near-rigid loops begin open whip, and the work of those loops is taken back at the
 * end of the step. With the impulses of the step held there, one column missed by 6.5e-3. */
static void a_gripper_whips(void **unused) {
  (void)unused;
  enum { WHIPS = TEST_WATCHED ? 4 : 24 };
  static const char robot[] = "models/menagerie/robotiq_2f85/scene.xml";
  if (!shared_exists(robot)) skip();
  seed = 141;
  const totals sum = check_robot("gripper", shared_path(robot), NULL, WHIPS);
  assert_int_equal(sum.missed, 0);
  assert_true(sum.flagged < sum.columns / 2);
}

/* Balls in pairs on threads around a bulb that floats. Where a thread touches the bulb within the
 * difference, and no other does, the step's islands are others: nine of 40 states had no
 * derivatives. Balls that are near but not in contact took part in the order of contacts of the
 * step, and not in that of the difference: columns missed by as much as their largest entry. */
static void threads_wrap_around_a_bulb(void **unused) {
  (void)unused;
  enum { THROWS = TEST_WATCHED ? 10 : 40 };
  static const char text[] =
      "<mujoco><default><geom condim='1'/></default><worldbody>"
      "<geom type='plane' size='2 2 .01'/><site name='ceiling' pos='0.01 0.02 2.4'/>"
      "<body pos='0 0 1.5'><freejoint/><site name='hook' pos='0 0 .3'/><site name='bulb'/>"
      "<geom name='bulb' size='.3' density='100' contype='0' conaffinity='0'/></body>"
      "<replicate count='6' euler='0 0 60'>"
      "<body pos='.2 0 1.5'><freejoint/><site name='a'/><geom size='.03'/></body>"
      "<body pos='1.2 0 1.5'><freejoint/><site name='b'/><geom size='.1'/></body></replicate>"
      "</worldbody><tendon><spatial springlength='0 0.5' stiffness='10000'><site site='ceiling'/>"
      "<site site='hook'/></spatial><spatial range='0 0.5'><site site='a'/>"
      "<geom geom='bulb' sidesite='bulb'/><site site='b'/></spatial></tendon></mujoco>";
  totals all = {0};
  for (int k = 0; k < 2; ++k) {
    static const char *const of[] = {"coulomb", "similar"};
    seed = 2;
    const totals sum = check_model("threads", mjcf_load(text), of[k], THROWS);
    assert_int_equal(sum.unsolved, 0);
    add(&all, sum);
  }
  assert_int_equal(all.missed, 0);
  assert_true(all.flagged < all.columns / 2);
}

/* Rigid contact. Fingers whose coupler comes back with 2 m/s: what a stiff row leaves of round-off
 * in a difference over 1e-6 is 1e-5 of a column. Round cones with bounded rows, whose faces the
 * interior point of a relative residual of 1e-9 does not show: columns of other faces were off by
 * as much as the largest entry. */
static void robots_in_rigid_contact(void **unused) {
  (void)unused;
  static const char *const names[] = {"menagerie/franka_emika_panda/scene.xml",
                                      "menagerie/anybotics_anymal_c/scene.xml"};
  static const char *const rigid[] = {"anitescu", "anitescu-cone"};
  for (int k = 0; k < 4; ++k) {
    char path[256];
    snprintf(path, sizeof path, "models/%s", names[k / 2]);
    if (!shared_exists(path)) skip();
    seed = 5;
    const totals sum = check_robot(names[k / 2], shared_path(path), rigid[k % 2], STATES);
    assert_int_equal(sum.missed, 0);
    assert_int_equal(sum.unsolved, 0);
    assert_true(sum.flagged < sum.columns / 4);
  }
}

/* A car that starts centimetres within the floor, where near-rigid contacts push with 1e5 times
 * what moves it. What round-off leaves of that was 3e-6 of a column, unflagged. */
static void a_car_deep_in_the_floor(void **unused) {
  (void)unused;
  static const char car[] = "models/mjcf/model/car/car.xml";
  if (!shared_exists(car)) skip();
  seed = 5;
  const totals sum = check_robot("car", shared_path(car), "lagged", TEST_WATCHED ? 10 : 40);
  assert_int_equal(sum.missed, 0);
  assert_int_equal(sum.off, 0);
  assert_true(sum.flagged < sum.columns / 4);
}

/* Legs that turn by 0.1 rad in a step, whose columns come from differences: a slope that bends
 * within the widest of them left 1.5e-8 of a column. */
static void a_quadruped_flails(void **state) {
  (void)state;
  static const char quadruped[] = "models/menagerie/anybotics_anymal_c/scene.xml";
  if (!shared_exists(quadruped)) skip();
  seed = 24;
  const totals sum = check_robot("ANYmal", shared_path(quadruped), NULL, 24);
  assert_int_equal(sum.off, 0);
  assert_true(sum.flagged < sum.columns / 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_differs_is_flagged),   cmocka_unit_test(an_arm_rolls_a_ball),
      cmocka_unit_test(an_arm_whips_at_its_limit), cmocka_unit_test(an_arm_whips_with_a_rise),
      cmocka_unit_test(a_gripper_whips),           cmocka_unit_test(threads_wrap_around_a_bulb),
      cmocka_unit_test(robots_in_rigid_contact),   cmocka_unit_test(a_car_deep_in_the_floor),
      cmocka_unit_test(a_quadruped_flails)};
  return cmocka_run_group_tests_name("random_states", tests, NULL, NULL);
}

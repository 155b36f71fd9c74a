/* tests/control/test_plan_stages.c: plans by stages: a contact that plain derivatives do not see is
 * found with smoothed ones, with the same bits on any number of threads; tasks of robots from
 * scenes/plans; what is said where "smoothing" is wrong. */
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
#include "json_text.h"
#include "limpet/format.h"
#include "limpet/plan.h"

typedef struct planned {
  limpet_model *model;
  limpet_plan_task *task;
  limpet_plan *plan;
} planned;

static char *text_of(const char *name) {
  char path[512], *text = calloc(1, 1 << 16);
  snprintf(path, sizeof path, "%s/scenes/plans/%s", LIMPET_SOURCE_DIR, name);
  FILE *file = fopen(path, "r");
  assert_true(file && text && fread(text, 1, (1 << 16) - 1, file) > 0);
  fclose(file);
  return text;
}

static planned planned_open(const char *scene, const char *plan) {
  char path[512], *text = text_of(plan);
  limpet_error error;
  snprintf(path, sizeof path, "%s/scenes/plans/%s", LIMPET_SOURCE_DIR, scene);
  planned p = {.model = limpet_load(path, NULL, &error)};
  assert_non_null(p.model);
  p.task = limpet_plan_task_create(p.model, text, plan, &error);
  if (!p.task) fail_msg("%s", error.message);
  p.plan = limpet_plan_create(p.model, p.task->problem.knot_count, &error);
  assert_non_null(p.plan);
  limpet_plan_task_guess(p.task, p.plan);
  free(text);
  return p;
}

static void planned_close(planned *p) {
  limpet_plan_destroy(p->plan);
  limpet_plan_task_destroy(p->task);
  limpet_model_destroy(p->model);
}

// Coordinates of the last state.
static const double *end_of(const planned *p) {
  return p->plan->state + (size_t)p->plan->knot_count * (size_t)limpet_data_state_size(p->model) +
         1;
}

typedef struct rows {
  int count, stages;
  double before, rise;  // largest within a stage
  double early;         // cost of the plain stage after EARLY iterations
  bool stop;            // there
} rows;

enum { EARLY = TEST_WATCHED ? 2 : 8, PLAIN = TEST_WATCHED ? 2 : 30 };

static bool row_watch(void *context, const limpet_plan_iteration *row) {
  rows *r = context;
  if (row->number > 0) r->rise = fmax(r->rise, row->cost - r->before);
  r->before = row->cost;
  r->stages = row->stage + 1;
  ++r->count;
  if (row->stage == 0 || row->number != EARLY) return true;
  r->early = row->cost;
  return !r->stop;
}

/* No term brings the finger near the disc: plain derivatives of the start say nothing. In the first
 * plan that moves the finger it hits the disc at more than half its radius a step: 1 mm of the
 * finger's way changes the disc's velocity by up to 0.3 m/s there, so that few iterations lead to
 * plans of many kinds. After as many plain ones as smoothed ones, plans from 13 starts 0.5 mm apart
 * have the disc within 1.7 mm of its goal. */
static void contact_is_found(void **state) {
  (void)state;
  double early[2];
  for (int threads = 1; threads <= 2; ++threads) {
    planned p = planned_open("pusher.xml", "pusher_smoothed.json");
    rows watched = {.rise = -1.0, .stop = threads == 1};
    p.task->settings.threads = threads;
    p.task->settings.iteration_limit = PLAIN;
    p.task->settings.progress = row_watch, p.task->settings.context = &watched;
    limpet_plan_task_solve(p.task, p.plan, &p.task->settings);
    early[threads - 1] = watched.early;
    assert_int_equal(watched.stages, 2);
    assert_true(watched.rise <= 0.0);
    assert_int_equal(watched.count, p.plan->iterations + 2);
    const double *disc = end_of(&p) + 2;
    assert_true(TEST_WATCHED || watched.stop || hypot(disc[0] - 0.2, disc[1] - 0.1) < 2e-3);
    planned_close(&p);
  }
  assert_true(early[0] == early[1] && early[0] > 0.0);

  planned p = planned_open("pusher.xml", "pusher_smoothed.json");
  limpet_plan_solve(p.plan, &p.task->problem, &p.task->settings);
  assert_true(fabs(p.plan->cost - 50.5) < 1e-9);
  planned_close(&p);
}

// A Panda, from a start without contact, turns a box by 45 degrees.
static void a_panda_turns_a_box(void **state) {
  (void)state;
  planned p = planned_open("panda_turn.xml", "panda_turn.json");
  // where less runs, one iteration of each stage visits the same code
  if (TEST_WATCHED) p.task->settings.iteration_limit = 1;
  limpet_plan_task_solve(p.task, p.plan, &p.task->settings);
  const double *q = end_of(&p) + 7;
  const double half = acos(-1.0) / 8.0;
  // |sin| of half the angle between the box and its goal
  assert_true(TEST_WATCHED || fabs(q[3] * sin(half) - q[6] * cos(half)) < 5e-3);
  assert_true(TEST_WATCHED || fabs(q[2] - 0.03) < 1e-3);
  planned_close(&p);
}

// ----------------------------------------------------------------------------------- mistakes

static void expect(const char *smoothing, const char *message) {
  limpet_error error = {0};
  char text[600], path[512];
  snprintf(path, sizeof path, "%s/scenes/plans/pusher.xml", LIMPET_SOURCE_DIR);
  limpet_model *model = limpet_load(path, NULL, &error);
  snprintf(text, sizeof text,
           "{'duration':0.02,\n'cost':[{'kind':'control','running':1}],\n'smoothing':%s}",
           smoothing);
  assert_null(limpet_plan_task_create(model, json_text(text), "plan.json", &error));
  limpet_model_destroy(model);
  if (strncmp(error.message, message, strlen(message)) == 0) return;
  printf("wanted: %s\ncame:   %s\n", message, error.message);
  fail();
}

static void mistakes_are_told(void **state) {
  (void)state;
  expect("3", "plan.json:3: smoothing: must be an object");
  expect("{}", "plan.json:3: smoothing: \"kind\" is missing");
  expect("{'kind':'soft'}",
         "plan.json:3: smoothing.kind: 'soft' is no smoothing; there are: barrier, random");
  expect("{'kind':'barrier','samples':4}", "plan.json:3: smoothing.samples: ");
  expect("{'kind':'barrier','energy':-1}",
         "plan.json:3: smoothing: energy is -1; it must be positive");
  expect("[{'kind':'random','samples':3}]",
         "plan.json:3: smoothing[0]: samples is 3; an even number");
  expect("{'kind':'random','samples':2.5}",
         "plan.json:3: smoothing.samples: is 2.5; a whole number");
  // spreads by their names, and by those that they had before
  expect("{'kind':'random','spread_velocity':-1}",
         "plan.json:3: smoothing: spread_velocity is -1; a spread");
  expect("{'kind':'random','position':-1}",
         "plan.json:3: smoothing: spread_position is -1; a spread");
  expect("{'kind':'random','control':1,'spread_control':1}",
         "plan.json:3: smoothing.spread_control: stands there twice: as control, too");
  expect("{'kind':'barrier','rollouts':1}",
         "plan.json:3: smoothing.rollouts: must be true or false");
  expect("[]", "plan.json:3: smoothing: must be a list");
  expect("{'kind':'barrier'},'contact_model':'sap'",
         "plan.json:3: smoothing: the contact model has a normal law of its own");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contact_is_found),
      cmocka_unit_test(a_panda_turns_a_box),
      cmocka_unit_test(mistakes_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

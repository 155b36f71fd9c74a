/* tests/laws/test_driven_trees.c: energy of trees under random torques follows the work that is
 * done.
 *
 * Trees of two to seven links on hinges and slides, masses over three decades, fixed to the world
 * or floating, with motors on two joints of three whose torques change at random, from gentle ones
 * to those that turn a link by radians in a step; steps from 0.05 to 10 ms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/format.h"
#include "mjcf_text.h"
#include "mjcf_world.h"
#include "random_models.h"

enum { WORLDS = 60, STEPS = 600, PERIOD = 50 };

static unsigned long seed;

static double uniform(double low, double high) { return random_uniform(&seed, low, high); }

static double log_uniform(double low, double high) { return random_log_uniform(&seed, low, high); }

typedef struct writer {
  char text[16384], motors[8192], *at, *motor;
  double strength;  // [N/kg]
  int joints;
} writer;

#define WRITE(at, ...) ((at) += sprintf((at), __VA_ARGS__))

static void write_joint(writer *w, bool slides, double mass) {
  double axis[3];
  random_vector(&seed, axis, 3, 1.0);
  WRITE(w->at, "<joint name='j%d' type='%s' axis='%g %g %g'/>", w->joints,
        slides ? "slide" : "hinge", axis[0], axis[1], 1.1 + axis[2]);
  if (uniform(0.0, 3.0) > 1.0)
    WRITE(w->motor, "<motor joint='j%d' gear='%g' ctrlrange='-1 1'/>", w->joints,
          mass * w->strength * (slides ? 1.0 : 0.05));
  ++w->joints;
}

static void write_tree(writer *w, bool fixed) {
  const int links = 2 + (int)uniform(0.0, 5.999);
  *w = (writer){.at = w->text, .motor = w->motors, .strength = log_uniform(1.0, 300.0)};
  WRITE(w->at, "<mujoco><worldbody>");
  for (int i = 0; i < links; ++i) {
    const double mass = log_uniform(0.03, 30.0), inertia = mass * log_uniform(1e-3, 0.02);
    double place[3], com[3];
    random_vector(&seed, place, 3, 0.3), random_vector(&seed, com, 3, 0.1);
    WRITE(w->at, "<body pos='%g %g %g'>", place[0], place[1], place[2]);
    if (i == 0 && !fixed) WRITE(w->at, "<freejoint/>");
    else write_joint(w, uniform(0.0, 1.0) < 0.3, mass);
    if (i > 0 && uniform(0.0, 1.0) < 0.3) write_joint(w, false, mass);
    WRITE(w->at, "<inertial pos='%g %g %g' mass='%g' diaginertia='%g %g %g'/>", com[0], com[1],
          com[2], mass, inertia, 1.2 * inertia, 1.4 * inertia);
  }
  for (int i = 0; i < links; ++i) WRITE(w->at, "</body>");
  WRITE(w->at, "</worldbody><actuator>%s</actuator></mujoco>", w->motors);
}

typedef struct drive {
  double error;     // [-]  energy less work, over the sum of the sizes of all that was there
  double farthest;  // [rad, m]  of a joint in a step
  int unsolved;
} drive;

// [J]  done by the motors in a step that started with v0.
static double work_done(const mjcf_world *w, const double *v0) {
  const limpet_model *model = w->model;
  double work = 0.0;
  for (int a = 0; a < model->nu; ++a) {
    const int d = model->joint_v[model->actuator_target[a]];
    work += 0.5 * w->settings.time_step * w->data->actuator_force[a] * model->actuator_gear[6 * a] *
            (v0[d] + w->data->v[d]);
  }
  return work;
}

static drive drive_about(const char *text, double dt, bool plain) {
  drive d = {0};
  mjcf_world w = mjcf_world_of(text, NULL);
  limpet_data *data = w.data;
  const int nv = w.model->nv;
  w.settings.time_step = dt, w.settings.energy = true;
  w.settings.compatibility.plain_flight = plain;
  double *v0 = calloc((size_t)nv, sizeof *v0), start = 0.0, work = 0.0, sizes = 0.0, most = 0.0;
  for (int i = 0; i < STEPS && d.farthest < 3.0; ++i) {
    for (int a = 0; a < w.model->nu && i % PERIOD == 0; ++a) data->control[a] = uniform(-1.0, 1.0);
    memcpy(v0, data->v, (size_t)nv * sizeof *v0);
    d.unsolved += limpet_step(w.model, data, &w.settings) != LIMPET_OUTCOME_SOLVED;
    const double done = work_done(&w, v0),
                 energy = data->info.kinetic_energy + data->info.potential_energy;
    work += done, sizes += fabs(done);
    if (i == 0) start = energy - done;
    most = fmax(most, data->info.kinetic_energy);
    d.error = fmax(d.error, fabs(energy - start - work) / (sizes + fabs(start) + most));
    for (int k = 0; k < nv; ++k) d.farthest = fmax(d.farthest, dt * fabs(data->v[k]));
  }
  free(v0);
  mjcf_world_destroy(&w);
  return d;
}

/* What is slower than 0.04 rad a step has M and bias of its start, and misses up to that share;
 * what is faster follows a midpoint rule. The plain scheme shows that the check can fail. */
static void energy_follows_the_work(void **state) {
  (void)state;
  static writer text;
  double worst = 0.0;
  int plain_off = 0;
  for (int i = 0; i < WORLDS; ++i) {
    seed = 300 + (unsigned)i;
    for (int k = 0; k < 8; ++k) uniform(0.0, 1.0);
    write_tree(&text, i % 3 != 0);
    const double dt = log_uniform(5e-5, 1e-2);
    const unsigned long start = seed;
    const drive one = drive_about(text.text, dt, false);
    if (!(one.error < 0.1))
      printf("world %d, %g ms: off by %.2g; %.2g in a step\n", i, 1e3 * dt, one.error,
             one.farthest);
    assert_int_equal(one.unsolved, 0);
    worst = fmax(worst, one.error);
    seed = start;
    plain_off += !(drive_about(text.text, dt, true).error < 0.1);
  }
  printf("energy less work: worst %.2g; %d of %d plain worlds are off by more than 0.1\n", worst,
         plain_off, WORLDS);
  assert_true(worst < 0.1);
  assert_true(plain_off > 0);
}

// The arm of the plans, under random torques at 10 ms, with every compliant contact model.
static void an_arm_stays_bounded(void **state) {
  (void)state;
  static const char *const laws[] = {"coulomb", "lagged", "similar", "sap"};
  for (int k = 0; k < 4; ++k) {
    limpet_error error;
    limpet_model *model =
        limpet_load(LIMPET_SOURCE_DIR "/scenes/plans/kinova_push.xml", NULL, &error);
    assert_non_null(model);
    limpet_data *data = limpet_data_create(model);
    limpet_step_settings settings = limpet_step_settings_default(model);
    limpet_step_settings_contact_model(&settings, limpet_contact_model_find(laws[k]));
    seed = 7;
    double most = 0.0;
    for (int i = 0; i < 1000; ++i) {
      for (int a = 0; a < model->nu && i % 20 == 0; ++a) {
        const double *range = model->actuator_control_range + 2 * a;
        data->control[a] =
            model->actuator_control_limited[a] ? uniform(range[0], range[1]) : uniform(-0.3, 0.3);
      }
      limpet_step(model, data, &settings);
      for (int d = 0; d < model->nv; ++d) most = fmax(most, fabs(data->v[d]));
    }
    printf("%s: at most %.3g rad/s\n", laws[k], most);
    assert_true(most < 1e3);
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_follows_the_work),
      cmocka_unit_test(an_arm_stays_bounded),
  };
  return cmocka_run_group_tests_name("driven trees", tests, NULL, NULL);
}

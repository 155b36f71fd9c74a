/* tests/determinism: steps with derivatives do not depend on what their world and their gradient
 * did before: states in a random order on used ones against new ones, bit by bit. Worlds with
 * contacts, limits, loops, servos, tendons and deformable bodies; all compliant models. */
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

enum { STATES = 8, MOST_STEPS = 12 };

static unsigned long seed = 41;

static const char *const arms = MODEL(
    "<option timestep='.004'/><worldbody><geom type='plane' size='2 2 .01'/>"
    "<body pos='0 0 .5'><joint name='a' axis='0 1 0' range='-40 40' damping='.1'/>"
    "<geom type='capsule' fromto='0 0 0 .25 0 0' size='.03'/><body pos='.25 0 0'>"
    "<joint name='b' axis='0 0 1' range='-30 30' frictionloss='.1'/>"
    "<geom type='capsule' fromto='0 0 0 .2 0 0' size='.025'/></body></body>"
    "<body pos='.3 .02 .12'><freejoint/><geom type='box' size='.05 .04 .03'/></body>"
    "<body pos='.32 0 .2'><freejoint/><geom type='box' size='.04 .04 .03' condim='6' "
    "friction='.8 .01 .001'/></body>"
    "<body pos='.3 .01 .3'><freejoint/><geom type='sphere' size='.04'/></body>"
    "<body pos='-.3 0 .06' euler='0 90 10'><freejoint/><geom type='cylinder' size='.04 "
    ".05'/></body>"
    "</worldbody><actuator><position joint='a' kp='40' kv='2'/><motor joint='b' gear='2'/>"
    "</actuator>");
static const char *const loops = MODEL(
    "<worldbody><geom type='plane' size='2 2 .01'/>"
    "<body name='l' pos='0 0 .3'><joint name='l' axis='0 1 0'/>"
    "<geom type='capsule' fromto='0 0 0 .2 0 0' size='.02'/><body name='m' pos='.2 0 0'>"
    "<joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0 0 .2' size='.02'/></body></body>"
    "<body name='r' pos='0 0 .5'><joint axis='0 1 0'/>"
    "<geom type='capsule' fromto='0 0 0 .2 0 0' size='.02'/></body>"
    "<body pos='.1 0 .1'><freejoint/><geom type='ellipsoid' size='.06 .05 .04'/></body></worldbody>"
    "<equality><connect body1='m' body2='r' anchor='0 0 .2'/></equality>"
    "<tendon><fixed name='t' limited='true' range='-.3 .3'><joint joint='l' coef='1'/></fixed>"
    "</tendon>");
static const char *const soft = MODEL(
    "<worldbody><geom type='plane' size='1 1 .1'/>"
    "<body pos='.01 .005 .0595'><freejoint/><geom type='sphere' size='.02' mass='.05'/></body>"
    "<body pos='.2 0 .05'><freejoint/><geom type='box' size='.03 .02 .02'/></body>"
    "<limpet:deformable name='a' type='box' size='.05 .03 .02' cells='2 1 1' pos='0 0 .0199' "
    "friction='.5' law='corotated' young='1e5' poisson='.3' density='900' damping='.001'/>"
    "<limpet:deformable name='b' type='box' size='.02 .02 .02' cells='1 1 1' shell='true' "
    "thickness='.002' pos='.1 .004 .03' friction='.5' law='linear-corotated' young='1e5' "
    "poisson='.3' density='900'/></worldbody>");

// What a step with derivatives leaves, as bits.
static uint64_t mix(uint64_t hash, const double *x, size_t count) {
  for (size_t i = 0; x && i < count; ++i) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
  }
  return hash;
}

static uint64_t mix_arrays(uint64_t hash, const limpet_gradient_arrays *a, int rows,
                           const limpet_model *model, int contacts) {
  const size_t n = (size_t)rows, nv = n * (size_t)model->nv, nu = n * (size_t)model->nu,
               nc = n * (size_t)contacts;
  hash = mix(mix(mix(hash, a->q, nv), a->v, nv), a->force, nv);
  hash = mix(mix(hash, a->control, nu), a->stiffness, nu);
  const double *const of_contacts[] = {a->friction,          a->torsion,     a->distance,
                                       a->contact_stiffness, a->dissipation, a->relaxation_time,
                                       a->start_speed};
  for (int k = 0; k < 7; ++k) hash = mix(hash, of_contacts[k], nc);
  return mix(mix(hash, a->point, 3 * nc), a->turn, 3 * nc);
}

enum { KINDS = 4 };
typedef struct trace {
  uint64_t hash[KINDS];  // state after the step, Jacobians, kinks and counts, a product
} trace;

static const char *const kinds[KINDS] = {"the step", "Jacobians", "kinks", "products"};

// A state of a world, and its inputs.
typedef struct start {
  double *state, *control;
} start;

static trace step_from(const start *from, limpet_data *data, limpet_gradient *g,
                       const limpet_step_settings *settings, bool jacobians) {
  const limpet_model *model = data->model;
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  wanted.jacobians = jacobians;
  limpet_data_state_write(model, data, from->state);
  memcpy(data->control, from->control, (size_t)model->nu * sizeof(double));
  const limpet_outcome outcome = limpet_gradient_step(model, data, settings, &wanted, g);
  trace t = {{limpet_data_state_hash(model, data) + (uint64_t)outcome, 7, 7, 7}};
  if (g->reason) return t;
  const int nv = model->nv, contacts = g->contact_count;
  if (jacobians) {
    t.hash[1] = mix_arrays(mix_arrays(7, &g->dq, nv, model, contacts), &g->dv, nv, model, contacts);
    t.hash[2] = mix_arrays(7, &g->kink, 1, model, contacts);
  }
  t.hash[2] += (uint64_t)(1000 * g->weak_count + 100 * g->carried_count + g->vertex_kink_count +
                          10 * g->approximate);
  double *weight = calloc(2 * (size_t)nv + 1, sizeof *weight);
  for (int i = 0; i < 2 * nv; ++i) weight[i] = 1.0 / (1.0 + i);
  if (limpet_gradient_adjoint(g, weight, weight + nv))
    t.hash[3] = mix_arrays(7, &g->adjoint, 1, model, contacts);
  free(weight);
  return t;
}

static void take_start(const limpet_data *data, start *s) {
  const limpet_model *model = data->model;
  s->state = calloc((size_t)limpet_data_state_size(model) + 1, sizeof(double));
  s->control = calloc((size_t)model->nu + 1, sizeof(double));
  limpet_data_state_read(model, data, s->state);
  memcpy(s->control, data->control, (size_t)model->nu * sizeof(double));
}

// States of one run, under random controls.
static void make_starts(const limpet_model *model, const limpet_step_settings *settings,
                        start *starts) {
  limpet_data *data = limpet_data_create(model);
  if (model->keyframe_count > 0) limpet_data_reset_keyframe(model, data, 0);
  double *by = calloc((size_t)model->nv + 1, sizeof *by);
  random_vector(&seed, by, model->nv, 0.05);
  limpet_integrate_position(model, data->q, data->q, by, 1.0, false);
  random_vector(&seed, data->v, model->nv, 0.5);
  free(by);
  for (int k = 0; k < STATES; ++k) {
    random_vector(&seed, data->control, model->nu, 0.3);
    const int steps = 1 + (int)random_uniform(&seed, 0.0, MOST_STEPS);
    for (int i = 0; i < steps; ++i) limpet_step(model, data, settings);
    take_start(data, &starts[k]);
  }
  limpet_data_destroy(data);
}

// Destroys the model.
static void check_order(const char *name, limpet_model *model, const char *law, int visits) {
  limpet_step_settings settings = limpet_step_settings_default(model);
  if (law) limpet_step_settings_contact_model(&settings, limpet_contact_model_find(law));
  start starts[STATES];
  trace fresh[STATES][2];
  make_starts(model, &settings, starts);
  for (int k = 0; k < 2 * STATES; ++k) {
    limpet_data *data = limpet_data_create(model);
    limpet_gradient *g = limpet_gradient_create(model);
    fresh[k / 2][k % 2] = step_from(&starts[k / 2], data, g, &settings, k % 2 == 0);
    limpet_gradient_destroy(g);
    limpet_data_destroy(data);
  }
  limpet_data *data = limpet_data_create(model);
  limpet_gradient *g = limpet_gradient_create(model);
  for (int i = 0; i < visits; ++i) {
    const int k = (int)random_uniform(&seed, 0.0, STATES - 1e-9), form = i % 3 == 2;
    const trace used = step_from(&starts[k], data, g, &settings, form == 0);
    for (int h = 0; h < KINDS; ++h)
      if (used.hash[h] != fresh[k][form].hash[h])
        fail_msg("%s, %s: %s of state %d differ on a used world, visit %d", name,
                 law ? law : "default", kinds[h], k, i);
    // and some steps that are not asked for
    for (int more = (int)random_uniform(&seed, 0.0, 3.0); more > 0; --more)
      limpet_step(model, data, &settings);
  }
  limpet_gradient_destroy(g);
  limpet_data_destroy(data);
  for (int k = 0; k < STATES; ++k) free(starts[k].state), free(starts[k].control);
  limpet_model_destroy(model);
}

static void used_worlds_are_new(void **state) {
  (void)state;
  static const char *const laws[] = {"coulomb", "lagged", "similar", "sap"};
  for (int k = 0; k < test_effort(4, 1); ++k) {
    check_order("arms", mjcf_load(arms), laws[k], 30);
    check_order("loops", mjcf_load(loops), laws[k], 30);
    check_order("soft", mjcf_load(soft), laws[k], 12);
  }
}

static void robots_too(void **state) {
  (void)state;
  static const char *const files[] = {"models/menagerie/anybotics_anymal_c/scene.xml",
                                      "models/menagerie/franka_emika_panda/scene.xml"};
  for (int k = 0; k < 2; ++k) {
    if (!shared_exists(files[k])) skip();
    limpet_error error;
    limpet_model *model = limpet_load(shared_path(files[k]), NULL, &error);
    if (!model) fail_msg("%s", error.message);
    check_order(files[k], model, NULL, test_effort(30, 8));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(used_worlds_are_new),
                                     cmocka_unit_test(robots_too)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

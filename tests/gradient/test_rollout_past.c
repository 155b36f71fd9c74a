/* tests/gradient/test_rollout_past.c: the adjoint of rollouts whose steps leave each other more
 * than pose and velocity (stretch of bristles, rebounds, the change of velocity that free flight
 * carries on) against differences of whole rollouts.
 *
 * Random scenes land, slide, stick, bounce and are driven for 5 to 50 steps. Along a random
 * direction of the start's pose, of its velocity, of all controls and of a constant force
 * differences of fourth order are taken over widths a factor of eight apart. Near-rigid contacts
 * are 1e-8 m deep, so only narrow ones agree with each other, and some none: at kinks. Where two
 * do, the adjoint agrees with them, or tells of a kink, or of a step whose past it holds.
 * LIMPET_ROLLOUT_COUNT, LIMPET_ROLLOUT_FIRST: how many scenes, and the first of them. */
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
#include "gradient_world.h"
#include "limpet/rollout_gradient.h"
#include "mjcf_text.h"
#include "shared_data.h"

static double between(unsigned long *seed, double low, double high) {
  double *x = random_array(1, 1.0, seed);
  const double value = low + (high - low) * 0.5 * (1.0 + *x);
  free(x);
  return value;
}

// ---------------------------------------------------------------------------------- scenes

enum { LANDS, SLIDES, BOUNCES, STICKS, STACKED, STANDS, TUMBLES, DRIVEN, KINDS };
enum { TEXT_SIZE = 4096 };

typedef struct scene {
  int kind;
  char text[TEXT_SIZE], geom[128];
} scene;

static void add_text(scene *s, const char *format, ...) {
  const size_t used = strlen(s->text);
  va_list values;
  va_start(values, format);
  const int count = vsnprintf(s->text + used, TEXT_SIZE - used, format, values);
  va_end(values);
  assert_true(count > 0 && (size_t)count < TEXT_SIZE - used);
}

// Bodies alone, on the floor or above it.
static void add_bodies(scene *s, unsigned long *seed) {
  static const char *const shapes[] = {"type='sphere' size='.1'", "type='box' size='.1 .08 .1'",
                                       "type='capsule' size='.1 .15' euler='0 1.5707963 0'"};
  for (int i = 0; i < (s->kind == STACKED ? 2 : 1); ++i) {
    const char *shape = shapes[(int)between(seed, 0.0, 2.999)];
    const double gap = s->kind == LANDS     ? between(seed, 0.0, 0.02)
                       : s->kind == BOUNCES ? between(seed, 0.0005, 0.03)
                                            : between(seed, -3e-5, 3e-5);
    add_text(s, "<body pos='%g %g %.9f'><freejoint/><geom %s %s density='300'/></body>",
             between(seed, -0.01, 0.01), between(seed, -0.01, 0.01), 0.1 + 0.21 * i + gap, shape,
             s->geom);
  }
}

// A tree that floats, with a joint that nothing drives but a motor of the test.
static void add_tree(scene *s, unsigned long *seed) {
  const double gap = s->kind == STANDS ? between(seed, -1e-5, 2e-5) : between(seed, 0.0, 0.03);
  add_text(s,
           "<body pos='0 0 %.9f'><freejoint/><geom type='box' size='.12 .1 .05' %s density='300'/>"
           "<body pos='.12 0 0'><joint name='a' axis='0 1 0' damping='.05'/><geom type='capsule' "
           "fromto='0 0 0 .2 0 %g' size='.03' density='500' %s/></body><body pos='-.12 0 .02'>"
           "<joint name='b' axis='%g 1 0' damping='.05'/><geom type='capsule' fromto='0 0 0 -.2 0 "
           ".1' size='.03' density='500' %s/></body></body>",
           0.05 + gap, s->geom, between(seed, -0.01, 0.1), s->geom, between(seed, 0.0, 0.5),
           s->geom);
}

// An arm that pushes a body.
static void add_arm(scene *s, unsigned long *seed) {
  add_text(s,
           "<body pos='0 0 .3'><joint name='a' axis='0 1 0' damping='.1'/><geom type='capsule' "
           "fromto='0 0 0 .2 0 0' size='.02' %s/><body pos='.2 0 0'><joint name='b' axis='0 1 .2'/>"
           "<geom type='capsule' fromto='0 0 0 .15 0 -.1' size='.02' %s/></body></body>"
           "<body pos='.38 0 %.9f'><freejoint/><geom type='%s' size='.05 .05 .05' %s "
           "density='400'/></body>",
           s->geom, s->geom, 0.05 + between(seed, -1e-5, 1e-5),
           between(seed, 0.0, 1.0) < 0.5 ? "box" : "sphere", s->geom);
}

static void scene_make(scene *s, int kind, unsigned long *seed) {
  static const char *const stiffness[] = {"", "limpet:stiffness='20000'",
                                          "limpet:stiffness='2000'"};
  const char *stiff = stiffness[(int)between(seed, 0.0, 2.999)];
  *s = (scene){.kind = kind};
  const char *bouncy = kind == BOUNCES && !*stiff ? "limpet:restitution='.6'" : "";
  snprintf(s->geom, sizeof s->geom, "friction='%g' %s %s", between(seed, 0.2, 1.0), stiff, bouncy);
  const bool leans = kind == SLIDES || kind == STICKS || between(seed, 0.0, 1.0) < 0.3;
  add_text(s,
           "<mujoco><compiler angle='radian'/><option timestep='%g' gravity='%g 0 -9.81'/>"
           "<worldbody><geom type='plane' size='5 5 .1' friction='%g'/>",
           between(seed, 0.0, 1.0) < 0.7 ? 0.002 : 0.001, leans ? between(seed, 0.3, 5.0) : 0.0,
           between(seed, 0.2, 1.0));
  if (kind <= STACKED) add_bodies(s, seed);
  else if (kind <= TUMBLES) add_tree(s, seed);
  else add_arm(s, seed);
  add_text(s, "</worldbody>");
  if (kind > STACKED)
    add_text(s, "<actuator><motor joint='a'/><position joint='b' kp='%g'/></actuator>",
             between(seed, 1.0, 20.0));
  add_text(s, "</mujoco>");
}

static void push(const scene *s, gradient_world *w, unsigned long *seed) {
  for (int i = 0; i < w->model->nv; ++i) {
    const bool along = i % 6 < 2;
    double speed = 0.0;
    if (s->kind == SLIDES || s->kind == STACKED) speed = along ? 0.3 : 0.0;
    else if (s->kind == LANDS || s->kind == BOUNCES) speed = 1.0;
    else if (s->kind == DRIVEN || i >= 6) speed = s->kind == STICKS ? 0.0 : 0.5;
    w->data->v[i] = between(seed, -speed, speed);
  }
}

// -------------------------------------------------------------------------------- rollouts

typedef enum part { BY_POSE, BY_VELOCITY, BY_CONTROL, BY_FORCE, PARTS } part;

typedef struct rollout {
  gradient_world w;
  int steps;
  double *start, *control, *force;  // force: on every step
  double *weight_q, *weight_v;      // (nv)  of the end
  double *end_q;                    // (nq)  of the rollout that is differentiated
  limpet_rollout_gradient *adjoint;
} rollout;

// The steps from the start moved along a direction; whether all were solved.
static bool run(rollout *r, part moved, const double *direction, double by) {
  const limpet_model *model = r->w.model;
  limpet_data *data = r->w.data;
  const int nv = model->nv, nu = model->nu;
  bool solved = true;
  limpet_data_state_write(model, data, r->start);
  double *q = zero_array((size_t)model->nq);
  memcpy(q, data->q, (size_t)model->nq * sizeof *q);
  if (moved == BY_POSE) limpet_integrate_position(model, data->q, q, direction, by, false);
  for (int i = 0; i < nv; ++i) {
    if (moved == BY_VELOCITY) data->v[i] += by * direction[i];
    data->applied_force[i] = r->force[i] + (moved == BY_FORCE ? by * direction[i] : 0.0);
  }
  for (int k = 0; k < r->steps; ++k) {
    for (int i = 0; i < nu; ++i)
      data->control[i] =
          r->control[k * nu + i] + (moved == BY_CONTROL ? by * direction[k * nu + i] : 0.0);
    solved = limpet_step(model, data, &r->w.settings) == LIMPET_OUTCOME_SOLVED && solved;
  }
  free(q);
  return solved;
}

static double loss_at(rollout *r, part moved, const double *direction, double by) {
  const limpet_model *model = r->w.model;
  if (!run(r, moved, direction, by)) return NAN;
  double *d = zero_array((size_t)model->nv), loss = 0.0;
  limpet_difference_position(model, d, r->end_q, r->w.data->q);
  for (int i = 0; i < model->nv; ++i)
    loss += r->weight_q[i] * d[i] + r->weight_v[i] * r->w.data->v[i];
  free(d);
  return loss;
}

static double slope_at(rollout *r, part moved, const double *direction, double width) {
  const double near = loss_at(r, moved, direction, width) - loss_at(r, moved, direction, -width);
  const double far =
      loss_at(r, moved, direction, 2.0 * width) - loss_at(r, moved, direction, -2.0 * width);
  return (8.0 * near - far) / (12.0 * width);
}

// The slope on which two widths agree best; *apart: by how much.
static double slope_of(rollout *r, part moved, const double *direction, double *apart) {
  const bool input = moved == BY_CONTROL || moved == BY_FORCE;
  double last = NAN, best = NAN;
  *apart = INFINITY;
  for (double width = input ? 1e-2 : 1e-4; width > (input ? 5e-7 : 5e-10); width /= 8.0) {
    const double slope = slope_at(r, moved, direction, width);
    if (fabs(slope - last) < *apart) *apart = fabs(slope - last), best = slope;
    last = slope;
  }
  return best;
}

// Takes the model. `warm` steps come before the start, which has then what they left.
static rollout rollout_open(const scene *s, limpet_model *model, const char *contact_model,
                            unsigned long *seed) {
  rollout r = {.w = gradient_world_open(model, "discrete", contact_model, 0.0)};
  r.w.settings = limpet_step_settings_default(model);
  limpet_step_settings_contact_model(&r.w.settings, limpet_contact_model_find(contact_model));
  r.w.settings.tolerance = 1e-13;
  const size_t nv = (size_t)model->nv, nu = (size_t)model->nu;
  r.steps = (int)between(seed, 5.0, 50.999);
  if (s) push(s, &r.w, seed);
  const int warm = 10 * (int)between(seed, 0.0, 2.999);
  for (size_t i = 0; i < nu; ++i) r.w.data->control[i] = between(seed, -0.5, 0.5);
  for (int k = 0; k < warm; ++k) limpet_step(model, r.w.data, &r.w.settings);
  r.start = zero_array((size_t)limpet_data_state_size(model));
  limpet_data_state_read(model, r.w.data, r.start);
  r.control = random_array((size_t)r.steps * nu, 0.2, seed);
  for (size_t i = 0; i < (size_t)r.steps * nu; ++i) r.control[i] += r.w.data->control[i % nu];
  r.force = random_array(nv, between(seed, 0.0, 1.0) < 0.5 ? 0.3 : 0.0, seed);
  r.weight_q = random_array(nv, 1.0, seed), r.weight_v = random_array(nv, 0.1, seed);
  r.end_q = zero_array((size_t)model->nq);
  return r;
}

static void rollout_close(rollout *r) {
  limpet_rollout_gradient_destroy(r->adjoint);
  free(r->start), free(r->control), free(r->force);
  free(r->weight_q), free(r->weight_v), free(r->end_q);
  gradient_world_close(&r->w);
}

// Whether there is a gradient.
static bool differentiate(rollout *r, int interval) {
  const limpet_model *model = r->w.model;
  const size_t nv = (size_t)model->nv, at = (size_t)r->steps * nv;
  double *weight_q = zero_array(at + nv), *weight_v = zero_array(at + nv);
  memcpy(weight_q + at, r->weight_q, nv * sizeof *weight_q);
  memcpy(weight_v + at, r->weight_v, nv * sizeof *weight_v);
  const limpet_rollout_gradient_request request = {.settings = &r->w.settings,
                                                   .step_count = r->steps,
                                                   .control = r->control,
                                                   .weight_q = weight_q,
                                                   .weight_v = weight_v};
  bool done = run(r, PARTS, NULL, 0.0);
  memcpy(r->end_q, r->w.data->q, (size_t)model->nq * sizeof *r->end_q);
  limpet_data_state_write(model, r->w.data, r->start);
  r->adjoint = limpet_rollout_gradient_create(model, r->steps, interval);
  done = limpet_rollout_gradient_compute(r->adjoint, model, r->w.data, &request) && done;
  free(weight_q), free(weight_v);
  return done;
}

// The gradient of the adjoint; its length in *count.
static double *gradient_of(const rollout *r, part moved, int *count) {
  const int nv = r->w.model->nv, nu = r->w.model->nu;
  const limpet_rollout_gradient *g = r->adjoint;
  *count = moved == BY_CONTROL ? r->steps * nu : nv;
  double *x = zero_array((size_t)*count);
  for (int i = 0; i < *count; ++i) {
    if (moved == BY_POSE) x[i] = g->by_q[i];
    if (moved == BY_VELOCITY) x[i] = g->by_v[i];
    if (moved == BY_CONTROL) x[i] = g->by_control[i];
    for (int k = 0; k < r->steps && moved == BY_FORCE; ++k) x[i] += g->by_force[k * nv + i];
  }
  return x;
}

typedef struct tally {
  int compared, wrong;
  double worst;
} tally;

/* Along a random direction: 1e-6 of the gradient's and the direction's lengths, where differences
 * are good to 2e-7 of that. */
static void compare(rollout *r, part moved, const char *what, unsigned long *seed, tally *to) {
  int count;
  double *gradient = gradient_of(r, moved, &count), *direction, own = 0.0, lengths[2] = {0.0};
  direction = random_array((size_t)count, 1.0, seed);
  for (int i = 0; i < count; ++i) {
    own += gradient[i] * direction[i];
    lengths[0] += gradient[i] * gradient[i], lengths[1] += direction[i] * direction[i];
  }
  double apart;
  const double scale = sqrt(lengths[0] * lengths[1]), slope = slope_of(r, moved, direction, &apart);
  if (count > 0 && apart <= 2e-7 * scale) {
    const double off = fabs(slope - own) / scale;
    ++to->compared;
    to->worst = fmax(to->worst, off);
    if (!(off <= 1e-6)) {
      printf("%s, part %d, %d steps: adjoint %.12g, differences %.12g\n", what, moved, r->steps,
             own, slope);
      ++to->wrong;
    }
  }
  free(gradient), free(direction);
}

// ------------------------------------------------------------------------------------ tests

static int number_of(const char *name, int otherwise) {
  const char *text = getenv(name);
  return text ? atoi(text) : otherwise;
}

// Every kind of scene: a kink is told where there is one, and no step's past is held.
static void random_rollouts_agree_with_differences(void **state) {
  (void)state;
  const int first = number_of("LIMPET_ROLLOUT_FIRST", 0),
            count = number_of("LIMPET_ROLLOUT_COUNT", test_effort(96, 16));
  tally kinds[KINDS] = {{0}};
  int wrong = 0, compared = 0, kinks = 0, none = 0;
  for (int i = first; i < first + count; ++i) {
    unsigned long seed = 7919ul * (unsigned long)i + 17ul;
    scene s;
    char what[64];
    scene_make(&s, i % KINDS, &seed);
    snprintf(what, sizeof what, "scene %d of kind %d", i, s.kind);
    rollout r = rollout_open(&s, mjcf_load(s.text), "coulomb", &seed);
    if (differentiate(&r, i % 3 * 4)) {
      assert_int_equal(r.adjoint->carried_steps, 0);
      kinks += r.adjoint->kinks > 0;
      for (part p = 0; p < PARTS && r.adjoint->kinks == 0; ++p)
        compare(&r, p, what, &seed, &kinds[s.kind]);
    } else {
      ++none;
    }
    rollout_close(&r);
  }
  for (int k = 0; k < KINDS; ++k) {
    printf("kind %d: %d numbers, worst %.1e\n", k, kinds[k].compared, kinds[k].worst);
    wrong += kinds[k].wrong, compared += kinds[k].compared;
    if (count >= 2 * KINDS) assert_true(kinds[k].compared > 0);
  }
  printf("%d numbers, %d of %d rollouts with kinks, %d without a gradient\n", compared, kinks,
         count, none);
  assert_int_equal(wrong, 0);
  assert_true(compared > 2 * count);
}

static void fixed_scene_agrees(const char *text, const char *contact_model, const double *velocity,
                               int steps) {
  unsigned long seed = 3;
  rollout r = rollout_open(NULL, mjcf_load(text), contact_model, &seed);
  limpet_data_reset(r.w.model, r.w.data);
  if (velocity) memcpy(r.w.data->v, velocity, (size_t)r.w.model->nv * sizeof *velocity);
  limpet_data_state_read(r.w.model, r.w.data, r.start);
  memset(r.force, 0, (size_t)r.w.model->nv * sizeof *r.force);
  free(r.control);
  r.steps = steps;
  r.control = zero_array((size_t)(steps * r.w.model->nu));
  assert_true(differentiate(&r, 0));
  assert_int_equal(r.adjoint->carried_steps, 0);
  tally all = {0};
  for (part p = 0; p < PARTS; ++p) compare(&r, p, text, &seed, &all);
  assert_true(all.compared >= 2);
  assert_int_equal(all.wrong, 0);
  rollout_close(&r);
}

// A ball that bounces: its rebounds are those of the step before. From a gap that differences of
// the pose would close, too.
static void rebounds_are_carried(void **state) {
  (void)state;
  static const double velocity[6] = {0.4, 0.1, -1.0, 0.0, 2.0, 0.5};
  static const struct {
    const char *text;
    int steps;
  } scenes[] = {
      {MODEL("<option timestep='0.002'/><worldbody><geom type='plane' size='5 5 .1'/><body "
             "pos='0 0 .1103'><freejoint/><geom size='.1' limpet:restitution='.3'/></body>"
             "</worldbody>"),
       80},
      {MODEL("<option timestep='0.002'/><worldbody><geom type='plane' size='5 5 .1'/><body "
             "pos='0 0 .10001'><freejoint/><geom size='.1' limpet:restitution='.6'/></body>"
             "</worldbody>"),
       4}};
  for (int i = 0; i < 2; ++i)
    fixed_scene_agrees(scenes[i].text, "coulomb", velocity, scenes[i].steps);
}

// Two links that fly, with the estimate of the middle that the last step left, in every model.
static void changes_of_velocity_are_carried(void **state) {
  (void)state;
  static const char *const models[] = {"coulomb", "lagged", "sap"};
  static const double velocity[8] = {0.1, 0.0, 0.3, 0.2, 0.5, -0.3, 0.4, -0.6};
  for (int i = 0; i < 3; ++i)
    fixed_scene_agrees(
        MODEL("<option timestep='0.002'/><worldbody><body pos='0 0 1'><freejoint/><geom type='box' "
              "size='.1 .1 .05'/><body pos='.1 0 0'><joint axis='0 1 0' stiffness='2'/><geom "
              "type='capsule' fromto='0 0 0 .2 0 .1' size='.03'/><body pos='.2 0 .1'><joint "
              "axis='1 0 .3'/><geom type='capsule' fromto='0 0 0 .2 .1 0' size='.03'/></body>"
              "</body></body></worldbody>"),
        models[i], velocity, 20);
}

// The shear of contact surfaces is held: every step but the first one counts.
// Rows of loops expect of bodies alone the impulses of the last step once more.
static void flights_of_loops_are_carried(void **state) {
  (void)state;
  static const double velocity[12] = {0.0,   0.0,    0.0,   2.4, 1.6, -2.0,
                                      0.052, -0.128, -0.04, 2.4, 1.6, -2.0};
  static const char *const loops[] = {"<weld body1='a' body2='b'/>",
                                      "<connect body1='a' body2='b' anchor='.05 0 0'/>"};
  for (int k = 0; k < 2; ++k) {
    char text[TEXT_SIZE];
    snprintf(text, sizeof text,
             "<mujoco><option timestep='.002'/><worldbody><body name='a' pos='0 0 2'><freejoint/>"
             "<inertial pos='.01 0 .02' mass='1' diaginertia='.001 .003 .0035'/></body>"
             "<body name='b' pos='.1 .05 1.97'><freejoint/>"
             "<inertial pos='0 .01 0' mass='.6' diaginertia='.002 .0007 .0015'/></body>"
             "</worldbody><equality>%s</equality></mujoco>",
             loops[k]);
    fixed_scene_agrees(text, "coulomb", velocity, 12);
  }
}

static void shear_counts(void **state) {
  (void)state;
  enum { STEPS = 12, DOFS = 6 };
  limpet_model *model =
      mjcf_load(MODEL("<option gravity='2 0 -9.81'/><worldbody><geom type='plane' size='5 5 .1' "
                      "limpet:elastic_modulus='1e6' limpet:slab_thickness='.05'/><body pos='0 0 "
                      ".0999'><freejoint/><geom type='box' "
                      "size='.1 .1 .1' limpet:elastic_modulus='1e6'/></body></worldbody>"));
  limpet_data *data = limpet_data_create(model);
  double weights[(STEPS + 1) * DOFS] = {0.0};
  weights[STEPS * DOFS] = 1.0;
  const limpet_step_settings settings = limpet_step_settings_default(model);
  const limpet_rollout_gradient_request request = {
      .settings = &settings, .step_count = STEPS, .weight_v = weights};
  limpet_rollout_gradient *g = limpet_rollout_gradient_create(model, STEPS, 0);
  assert_true(limpet_rollout_gradient_compute(g, model, data, &request));
  assert_int_equal(g->carried_steps, STEPS - 1);
  limpet_rollout_gradient_destroy(g);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_rollouts_agree_with_differences),
      cmocka_unit_test(rebounds_are_carried),
      cmocka_unit_test(changes_of_velocity_are_carried),
      cmocka_unit_test(flights_of_loops_are_carried),
      cmocka_unit_test(shear_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

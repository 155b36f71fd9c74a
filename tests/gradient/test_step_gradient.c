/* tests/gradient/test_step_gradient.c: derivatives of steps against central differences of steps,
 * and the adjoint against them.
 *
 * Tolerance: 1e-6 of the largest entry of a matrix. Differences of half width 1e-6 have 1e-10 of
 * round-off over that and truncation (1e-6/size of a geom)^2; cones are solved to 1e-9 of the
 * momentum, which leaves 3e-7. Where a kink is reported, the derivatives of the two sides must
 * differ. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gradient_world.h"
#include "limpet/limpet.h"
#include "mjcf_text.h"
#include "shared_data.h"
#include "step_differences.h"

static const double tolerance = 1e-6;

// kp of a position servo, in the model
static void move_stiffness(const limpet_model *model, limpet_data *data, int index, double by) {
  (void)data;
  model->actuator_gain[3 * index] += by;
  model->actuator_bias[3 * index + 1] -= by;
}

// w'J from the adjoint and from the Jacobians: the same to 1e-9 of the largest entry, the condition
// of the active rows included.
static void adjoint_group(const char *what, int nv, int width, const double *dq, const double *dv,
                          const double *adjoint, const double *wq, const double *wv) {
  double size = 1e-3, worst = 0.0;  // a group that moves nothing may have round-off of the others
  for (int j = 0; j < width; ++j) {
    double sum = 0.0, terms = 0.0;
    for (int i = 0; i < nv; ++i) {
      const double a = wq[i] * dq[i * width + j], b = wv[i] * dv[i * width + j];
      sum += a + b, terms += fabs(a) + fabs(b);
    }
    size = fmax(size, terms), worst = fmax(worst, fabs(sum - adjoint[j]));
  }
  if (!(worst <= 1e-9 * size)) printf("adjoint of %s: error %g of %g\n", what, worst, size);
  assert_true(worst <= 1e-9 * size);
}

static void adjoint_agrees(const gradient_world *w) {
  limpet_gradient *g = w->gradient;
  const int nv = w->model->nv, nu = w->model->nu, m = g->contact_count;
  double wq[64], wv[64];
  unsigned long seed = 7;
  for (int i = 0; i < nv; ++i)
    wq[i] = random_uniform(&seed, -1.0, 1.0), wv[i] = random_uniform(&seed, -1.0, 1.0);
  assert_true(limpet_gradient_adjoint(g, wq, wv));
  const limpet_gradient_arrays *q = &g->dq, *v = &g->dv, *a = &g->adjoint;
  adjoint_group("q", nv, nv, q->q, v->q, a->q, wq, wv);
  adjoint_group("v", nv, nv, q->v, v->v, a->v, wq, wv);
  adjoint_group("force", nv, nv, q->force, v->force, a->force, wq, wv);
  adjoint_group("control", nv, nu, q->control, v->control, a->control, wq, wv);
  adjoint_group("stiffness", nv, nu, q->stiffness, v->stiffness, a->stiffness, wq, wv);
  adjoint_group("friction", nv, m, q->friction, v->friction, a->friction, wq, wv);
  adjoint_group("torsion", nv, m, q->torsion, v->torsion, a->torsion, wq, wv);
  adjoint_group("distance", nv, m, q->distance, v->distance, a->distance, wq, wv);
  adjoint_group("point", nv, 3 * m, q->point, v->point, a->point, wq, wv);
  adjoint_group("turn", nv, 3 * m, q->turn, v->turn, a->turn, wq, wv);
}

static int smooth_columns;  // of all comparisons

// A step with derivatives, all of state and inputs against differences of steps.
static void agrees_with_steps(gradient_world *w) {
  limpet_data *from = gradient_world_copy(w);
  gradient_world_differentiate(w);
  const limpet_gradient *g = w->gradient;
  printf("nv %d, contacts %d, with a force %d; weak %d, dependent %d, carried %d\n", w->model->nv,
         g->contact_count, w->data->info.touching_count, g->weak_count, g->dependent_count,
         g->carried_count);
  assert_int_equal(g->carried_count, 0);
  step_differences s;
  step_differences_open(&s, w->model, from, &w->settings);
  const int nv = w->model->nv, nu = w->model->nu;
  assert_true(step_differences_agree(&s, "q", step_move_q, nv, g->dq.q, g->dv.q, g->kink.q, 1e-6,
                                     tolerance));
  assert_true(step_differences_agree(&s, "force", step_move_force, nv, g->dq.force, g->dv.force,
                                     g->kink.force, 1e-5, tolerance));
  assert_true(step_differences_agree(&s, "control", step_move_control, nu, g->dq.control,
                                     g->dv.control, g->kink.control, 1e-6, tolerance));
  if (w->settings.scheme == limpet_scheme_find("discrete"))
    assert_true(step_differences_agree(&s, "v", step_move_v, nv, g->dq.v, g->dv.v, g->kink.v, 1e-6,
                                       tolerance));
  else
    for (int i = 0; i < nv * nv; ++i) assert_true(g->dq.v[i] == 0.0 && g->dv.v[i] == 0.0);
  if (w->settings.scheme == limpet_scheme_find("quasi-dynamic")) {
    s.of_model = true;
    assert_true(step_differences_agree(&s, "stiffness", move_stiffness, nu, g->dq.stiffness,
                                       g->dv.stiffness, g->kink.stiffness, 1e-4, tolerance));
  }
  printf("  kinks along %d of %d\n", s.kinks, s.columns);
  assert_int_equal(s.false_kinks, 0);
  smooth_columns += s.columns - s.kinks;
  step_differences_close(&s);
  limpet_data_destroy(from);
  adjoint_agrees(w);
}

static const char *const rigid_models[] = {"anitescu", "anitescu-cone"};

// A ball that slides and spins on a plane: pushed, turned; steps from rest and with velocities.
static void ball_on_plane(void **state) {
  (void)state;
  static const char text[] =
      "<mujoco><worldbody><geom type='plane' size='1 1 1' friction='0.5 0.01' condim='4'/><body "
      "pos='0 0 0.1'>"
      "<freejoint/><geom size='0.1' mass='1' friction='0.5 0.01' "
      "condim='4'/></body></worldbody></mujoco>";
  static const char *const schemes[] = {"quasi-dynamic", "discrete"};
  for (int k = 0; k < 4; ++k) {
    gradient_world w =
        gradient_world_open(mjcf_load(text), schemes[k / 2], rigid_models[k % 2], 0.01);
    w.data->applied_force[5] = 2.0 * 0.0981, w.data->applied_force[3] = 0.02,
    w.data->applied_force[1] = 8.0;
    for (int i = 0; i < 10; ++i) gradient_world_step(&w);
    agrees_with_steps(&w);
    gradient_world_close(&w);
  }
}

// A4: a block pushed by a servo at 0.1 m/s, across the tangents.
static void pushed_block(void **state) {
  (void)state;
  static const char text[] =
      "<mujoco><worldbody><geom type='plane' size='1 1 1' friction='0.5'/><body pos='0 0 0.1'>"
      "<joint type='slide' axis='0 0 1'/><joint name='x' type='slide' axis='0.8 0.6 0'/>"
      "<geom size='0.1' mass='2' friction='0.5'/></body></worldbody>"
      "<actuator><position joint='x' kp='1e4'/></actuator></mujoco>";
  for (int m = 0; m < 2; ++m) {
    gradient_world w = gradient_world_open(mjcf_load(text), "quasi-dynamic", rigid_models[m], 0.01);
    for (int i = 0; i < 10; ++i) {
      w.data->control[0] = 0.1 * 0.01 * (i + 1);
      gradient_world_step(&w);
    }
    w.data->control[0] += 0.001;
    agrees_with_steps(&w);
    gradient_world_close(&w);
  }
}

static const char two_jaws[] =
    "<mujoco><worldbody><body pos='-0.1 0 0'><joint name='l' type='slide' axis='1 0 0'/>"
    "<geom type='box' size='0.05 0.05 0.05' friction='0.5 0.02' condim='4'/></body>"
    "<body pos='0.1 0 0'><joint name='r' type='slide' axis='-1 0 0'/>"
    "<geom type='box' size='0.05 0.05 0.05' friction='0.6 0.03' condim='4'/></body>"
    "<body><freejoint/><geom size='0.05' mass='0.5' friction='0.1 0.001' "
    "condim='4'/></body></worldbody>"
    "<actuator><position joint='l' kp='1000'/><position joint='r' kp='1500'/></actuator></mujoco>";

static gradient_world grasp_open(void) {
  gradient_world w = gradient_world_open(mjcf_load(two_jaws), "quasi-dynamic", "anitescu", 0.01);
  w.data->control[0] = w.data->control[1] = 0.01;
  for (int i = 0; i < 3; ++i) gradient_world_step(&w);
  w.data->applied_force[3] = 2.0, w.data->applied_force[4] = -30.0, w.data->applied_force[5] = 0.3;
  w.data->applied_force[6] = 0.2, w.data->applied_force[7] = 0.1;
  return w;
}

// A ball that is pulled out of two jaws.
static void two_jaw_grasp(void **state) {
  (void)state;
  gradient_world w = grasp_open();
  agrees_with_steps(&w);
  gradient_world_close(&w);
}

static int jaw_of_contact[2];

static void move_friction(const limpet_model *model, limpet_data *data, int index, double by) {
  (void)data;
  model->geom_material[jaw_of_contact[index]].friction += by;
}

static void move_torsion(const limpet_model *model, limpet_data *data, int index, double by) {
  (void)data;
  model->geom_material[jaw_of_contact[index]].friction_torsional += by;
}

// Coefficients in the model: those of the jaws are the larger ones, so they are those of the
// contacts.
static void friction_of_jaws(void **state) {
  (void)state;
  gradient_world w = grasp_open();
  w.data->applied_force[4] = -8.0, w.data->applied_force[5] = 1.2;
  limpet_data *from = gradient_world_copy(&w);
  gradient_world_differentiate(&w);
  assert_int_equal(w.gradient->contact_count, 2);
  for (int i = 0; i < 2; ++i)
    jaw_of_contact[i] = w.data->contact_geom[2 * i] == 2 ? w.data->contact_geom[2 * i + 1]
                                                         : w.data->contact_geom[2 * i];
  step_differences s;
  step_differences_open(&s, w.model, from, &w.settings);
  s.of_model = true;
  const limpet_gradient *g = w.gradient;
  assert_true(step_differences_agree(&s, "friction", move_friction, 2, g->dq.friction,
                                     g->dv.friction, g->kink.friction, 1e-6, tolerance));
  assert_true(step_differences_agree(&s, "torsion", move_torsion, 2, g->dq.torsion, g->dv.torsion,
                                     g->kink.torsion, 1e-7, tolerance));
  double most = 0.0;
  for (int i = 0; i < 2 * w.model->nv; ++i) most = fmax(most, fabs(g->dv.torsion[i]));
  assert_true(most > 1e-3);
  step_differences_close(&s);
  limpet_data_destroy(from);
  gradient_world_close(&w);
}

// An arm of four joints, near a limit and with dry friction, that drags a box over a table with its
// capsule.
static void arm_with_contacts(void **state) {
  (void)state;
  static const char text[] =
      "<mujoco><default><geom friction='0.4 0.01' condim='4'/></default><worldbody><geom "
      "type='plane' size='1 1 1'/>"
      "<body pos='0 0 0.3'><joint name='a' axis='0 0 1'/><geom type='capsule' fromto='0 0 0 0.2 0 "
      "0' size='0.03'/>"
      "<body pos='0.2 0 0'><joint name='b' axis='0 1 0' frictionloss='0.2'/>"
      "<geom type='capsule' fromto='0 0 0 0.2 0 0' size='0.03'/>"
      "<body pos='0.2 0 0'><joint name='c' axis='0 1 0' range='-10 59' limited='true'/>"
      "<geom type='capsule' fromto='0 0 0 0.1 0 0' size='0.03'/>"
      "<body pos='0.1 0 0'><joint name='d' axis='1 0 0'/><geom "
      "size='0.035'/></body></body></body></body>"
      "<body pos='0.42 0.09 0.05' euler='0 0 20'><freejoint/><geom type='box' size='0.06 0.04 "
      "0.05' mass='0.8'/></body>"
      "</worldbody><actuator><position joint='a' kp='40'/><position joint='b' kp='60'/><position "
      "joint='c' kp='30'/>"
      "<position joint='d' kp='10'/></actuator></mujoco>";
  gradient_world w = gradient_world_open(mjcf_load(text), "quasi-dynamic", "anitescu", 0.01);
  int seen = 0;
  smooth_columns = 0;
  for (int i = 0; i < 150; ++i) {
    const double t = 0.01 * i;
    w.data->control[0] = 0.5 * t, w.data->control[1] = fmin(0.6, t),
    w.data->control[2] = fmin(1.1, 1.5 * t);
    w.data->control[3] = 0.3 * t;
    gradient_world_step(&w);
    if (i < 60 || i % 10 != 0 || w.data->info.touching_count < 3) continue;
    w.data->control[0] += 0.007;
    agrees_with_steps(&w);
    ++seen;
  }
  assert_true(seen >= 5);
  assert_true(smooth_columns >= seen * 25);
  gradient_world_close(&w);
}

/* The Allegro hand with a ball on its palm: fingers close. Later the ball creeps towards a rest
 * that is a kink: differences of steps would cross it. */
static void hand_and_ball(void **state) {
  (void)state;
  if (!shared_exists("models/menagerie/wonik_allegro")) skip();
  static const char text[] =
      "<mujoco><include file='right_hand.xml'/><worldbody><body pos='0.0 0.0 0.0'/>"
      "<body name='ball' pos='0.06 0 0.05'><freejoint/><geom size='0.035' mass='0.1' condim='4' "
      "friction='0.8 0.005'/></body>"
      "</worldbody></mujoco>";
  limpet_error error = {0};
  limpet_builder *builder = limpet_builder_create();
  const char *path = shared_path("models/menagerie/wonik_allegro/ball.xml");
  assert_int_equal(limpet_mjcf_read_text(builder, text, strlen(text), path, NULL, &error),
                   LIMPET_OK);
  limpet_model *model = limpet_builder_compile(builder, &error);
  limpet_builder_destroy(builder);
  assert_non_null(model);
  gradient_world w = gradient_world_open(model, "quasi-dynamic", "anitescu", 0.01);
  int seen = 0;
  smooth_columns = 0;
  for (int i = 0; i < 200 && seen < 4; ++i) {
    for (int k = 0; k < model->nu; ++k)
      w.data->control[k] = k % 4 == 0 && k != 12 ? 0.0 : fmin(1.2, 0.01 * i);
    gradient_world_step(&w);
    if (i % 20 != 10 || w.data->info.touching_count < 2) continue;
    agrees_with_steps(&w);
    ++seen;
  }
  assert_true(seen >= 3);
  assert_true(smooth_columns >= 3 * 70);
  gradient_world_close(&w);
}

// Fast turns in free flight: the integration of rotations, both ways to integrate.
static void spinning_bodies(void **state) {
  (void)state;
  static const char text[] =
      "<mujoco><worldbody><body><freejoint/><geom type='box' size='0.1 0.2 0.3' mass='1'/>"
      "<body pos='0.3 0 0'><joint type='ball' pos='-0.1 0 0'/><geom type='box' size='0.1 0.05 "
      "0.02' mass='0.3'/></body></body>"
      "</worldbody></mujoco>";
  for (int first_order = 0; first_order < 2; ++first_order) {
    gradient_world w = gradient_world_open(mjcf_load(text), "discrete", "anitescu", 0.05);
    w.settings.compatibility.first_order_rotation = first_order;
    for (int i = 0; i < w.model->nv; ++i) w.data->v[i] = 10.0 * sin(1.0 + i);
    gradient_world_step(&w);
    agrees_with_steps(&w);
    gradient_world_close(&w);
  }
}

/* A robot in flight: friction and a limit of its joints, a servo and a motor act within it. Start
 * speeds differ in their last digits: a joint at its limit then answers a force with round-off or
 * not at all, while its free motion follows the force in any case. */
static void robots_in_flight(void **state) {
  (void)state;
  static const char text[] =
      "<mujoco><worldbody><body><freejoint/><geom type='box' size='0.1 0.2 0.3' mass='1'/>"
      "<body pos='0.3 0 0'><joint name='a' axis='0 1 0' frictionloss='0.1' damping='0.2'/>"
      "<geom type='box' size='0.1 0.05 0.02' mass='0.3'/>"
      "<body pos='0.2 0 0'><joint name='b' axis='0 0 1' range='-10 0.1' limited='true'/>"
      "<geom type='box' size='0.1 0.05 0.02' pos='.1 0 0' mass='0.2'/></body></body>"
      "<body pos='-0.3 0 0'><joint name='c' axis='0 1 0'/>"
      "<geom type='box' size='0.1 0.05 0.02' mass='0.3'/></body></body>"
      "</worldbody><actuator><position joint='c' kp='40'/><motor joint='a'/></actuator></mujoco>";
  unsigned long seed = 20;
  for (int k = 0; k < 20; ++k) {
    const double scale = 1.0 + (k > 0 ? random_uniform(&seed, -1e-9, 1e-9) : 0.0);
    gradient_world w = gradient_world_open(mjcf_load(text), "discrete", "anitescu", 0.005);
    for (int i = 0; i < w.model->nv; ++i) w.data->v[i] = 3.0 * sin(1.0 + i) * scale;
    for (int i = 0; i < w.model->nu; ++i) w.data->control[i] = 0.3;
    for (int i = 0; i < 5; ++i) limpet_step(w.model, w.data, &w.settings);
    gradient_world_step(&w);
    agrees_with_steps(&w);
    gradient_world_close(&w);
  }
}

/* Compliant contact: state, forces, controls and the stiffness of servos through the Hessian. A
 * stiction speed of 1 mm/s keeps friction smooth over the widths of the differences; the solver
 * goes to round-off. */
static void compliant_contact(void **state) {
  (void)state;
  static const char *const models[] = {"lagged", "similar", "sap", "coulomb"}, *const schemes[] = {
                                                                                   "discrete",
                                                                                   "quasi-dynamic"};
  for (int k = 0; k < 8; ++k) {
    gradient_world w =
        gradient_world_open(mjcf_load(two_jaws), schemes[k / 4], models[k % 4], 0.01);
    w.settings.tolerance = 1e-13, w.settings.stiction_speed = 1e-3;
    const int nv = w.model->nv, nu = w.model->nu;
    w.data->control[0] = w.data->control[1] = 0.01;
    for (int i = 0; i < 5; ++i) gradient_world_step(&w);
    w.data->applied_force[4] = -8.0, w.data->applied_force[5] = 0.02,
    w.data->applied_force[6] = 0.05;
    limpet_data *from = gradient_world_copy(&w);
    gradient_world_differentiate(&w);
    const limpet_gradient *g = w.gradient;
    assert_true(w.data->info.touching_count == 2);
    assert_true(isnan(g->dv.torsion[0]));
    assert_true(g->contact_margin[0] > 0.0 && !g->approximate);
    step_differences s;
    step_differences_open(&s, w.model, from, &w.settings);
    printf("%s, %s\n", schemes[k / 4], models[k % 4]);
    assert_true(
        step_differences_agree(&s, "q", step_move_q, nv, g->dq.q, g->dv.q, g->kink.q, 1e-10, 1e-5));
    if (w.settings.scheme == limpet_scheme_find("discrete"))
      assert_true(step_differences_agree(&s, "v", step_move_v, nv, g->dq.v, g->dv.v, g->kink.v,
                                         1e-8, tolerance));
    assert_true(step_differences_agree(&s, "force", step_move_force, nv, g->dq.force, g->dv.force,
                                       g->kink.force, 2e-5, tolerance));
    assert_true(step_differences_agree(&s, "control", step_move_control, nu, g->dq.control,
                                       g->dv.control, g->kink.control, 1e-7, tolerance));
    step_differences_close(&s);
    limpet_data_destroy(from);

    double wq[64] = {0.3, -0.2, 0.1, 0.7, 0.4, -0.6, 0.2, 0.5},
           wv[64] = {0.1, 0.2, -0.3, 0.1, 0.9, 0.8, -0.4, 0.3};
    assert_true(limpet_gradient_adjoint(w.gradient, wq, wv));
    adjoint_group("force", nv, nv, g->dq.force, g->dv.force, g->adjoint.force, wq, wv);
    adjoint_group("control", nv, nu, g->dq.control, g->dv.control, g->adjoint.control, wq, wv);
    gradient_world_close(&w);
  }
}

/* A joint that rests at its limit is at a kink, along its own coordinate and force, and what it
 * does not move is not. */
static void limits_at_rest_are_kinks(void **state) {
  (void)state;
  static const char text[] =
      "<mujoco><option gravity='0 0 0'/><worldbody>"
      "<body><joint type='slide' range='-1 0' limited='true'/><geom size='.1' mass='1'/></body>"
      "<body pos='1 0 0'><joint type='slide'/><geom size='.1' mass='1'/></body>"
      "</worldbody></mujoco>";
  static const char *const models[] = {"coulomb", "lagged", "similar", "sap"};
  for (int k = 0; k < 4; ++k) {
    gradient_world w = gradient_world_open(mjcf_load(text), "discrete", models[k], 0.002);
    gradient_world_differentiate(&w);
    assert_int_equal(w.gradient->weak_count, 1);
    assert_true(w.gradient->kink.q[0] > 0.0 && w.gradient->kink.force[0] > 0.0);
    assert_true(w.gradient->kink.q[1] == 0.0 && w.gradient->kink.force[1] == 0.0);
    gradient_world_close(&w);
    w = gradient_world_open(mjcf_load(text), "discrete", models[k], 0.002);
    w.data->q[0] = -1e-4;  // off the limit there is none
    gradient_world_differentiate(&w);
    assert_int_equal(w.gradient->weak_count, 0);
    assert_true(w.gradient->kink.q[0] == 0.0);
    gradient_world_close(&w);
  }
}

/* A ball on the rim of a box: on one side of it the normal stays, on the other it turns with the
 * ball, so the slopes across the rim differ. Along the rim all is smooth. */
static void edges_of_geometry_are_kinks(void **state) {
  (void)state;
  static const char text[] =
      "<mujoco><worldbody><geom type='box' pos='-.1 0 -.1' size='.1 .1 .1'/>"
      "<body pos='0 0 .0999999'><freejoint/><geom size='.1' mass='1'/></body>"
      "</worldbody></mujoco>";
  gradient_world w = gradient_world_open(mjcf_load(text), "discrete", "coulomb", 0.002);
  gradient_world_differentiate(&w);
  assert_int_equal(w.data->info.touching_count, 1);
  assert_true(isinf(w.gradient->kink.q[0]));
  assert_true(w.gradient->kink.q[1] == 0.0);
  gradient_world_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ball_on_plane),
      cmocka_unit_test(pushed_block),
      cmocka_unit_test(two_jaw_grasp),
      cmocka_unit_test(friction_of_jaws),
      cmocka_unit_test(arm_with_contacts),
      cmocka_unit_test(hand_and_ball),
      cmocka_unit_test(spinning_bodies),
      cmocka_unit_test(robots_in_flight),
      cmocka_unit_test(compliant_contact),
      cmocka_unit_test(limits_at_rest_are_kinks),
      cmocka_unit_test(edges_of_geometry_are_kinks),
  };
  return cmocka_run_group_tests_name("step_gradient", tests, NULL, NULL);
}

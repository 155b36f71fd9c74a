/* tests/gradient/test_rigid_tie_gradient.c: derivatives of whole steps where vertices that are tied
 * to one body move as a part of it (settings.rigid_ties): products forwards against differences of
 * steps, backwards against forwards (soft_products.h); Jacobians against products. Numbers of the
 * model: test_soft_parameters.c. Rows of a ratio of 0.5 give way so far that the stiffness of what
 * hangs on them matters.
 *
 * 1e-6 of the largest entry, as of single ties (test_soft_gradient.c): round-off of steps over the
 * width, and what near-rigid rows leave. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gradient/soft_product.h"
#include "limpet/gradient_deformable.h"
#include "mjcf_text.h"
#include "mjcf_world.h"
#include "shared_data.h"
#include "soft_products.h"

static unsigned long seed = 15;

#define BOX                                                                                 \
  "<limpet:deformable name='a' type='box' size='.05 .03 .02' cells='2 1 1' %s young='2e5' " \
  "poisson='.4' density='900' damping='.002' mass_damping='.3' friction='.4' law='%s'>"
#define ROOT "<limpet:tie body='hand' box='-.051 -1 -1 -.049 1 1'/>"
#define TIP(body) "<limpet:tie body='" body "' box='.049 -1 -1 .051 1 1'/>"
#define NO_TOUCH "contype='0' conaffinity='0'"
#define HAND(joint, height)                       \
  "<body name='hand' pos='0 0 " height "'>" joint \
  "<geom type='box' size='.02 .03 .01' mass='.3' " NO_TOUCH "/></body>"
// A hand with a body that stands out from it; `ground` below.
#define SCENE(ground, joint, height, ties) \
  "<worldbody>" ground HAND(joint, height) \
  BOX ROOT ties "</limpet:deformable></worldbody>"
#define FREE "<freejoint/>"
#define SOFT_GROUND \
  "<geom type='plane' size='1 1 .1' limpet:stiffness='2e4' limpet:dissipation='5'/>"
#define GROUND "<geom type='plane' size='1 1 .1'/>"
#define BALL                                                                                   \
  "<geom type='plane' size='1 1 .1'/><body pos='.08 .01 .06'><freejoint/><geom type='sphere' " \
  "size='.02' mass='.05'/></body>"
#define OTHER                                                                                 \
  "<body name='other' pos='.12 .01 1'><joint type='ball' damping='.01'/><geom type='sphere' " \
  "size='.02' mass='.2' " NO_TOUCH "/></body>"
#define ACTUATED \
  "<joint name='s' type='slide' axis='1 0 1'/><joint name='h' type='hinge' axis='0 1 0'/>"
#define HELD                                                                 \
  "<joint name='s' type='slide' axis='1 0 1' damping='20'/><joint name='h' " \
  "type='hinge' axis='0 1 0' stiffness='5' damping='.2'/>"
#define ACTUATORS \
  "<actuator><position joint='s' kp='200' kv='5'/><motor joint='h' gear='.1'/></actuator>"
#define TURNED "pos='.06 .01 1' euler='10 20 5'"

typedef struct scene {
  const char *title, *text, *pose, *law;
  int steps;
  double speed;         // [m/s]  of what shakes vertices
  double return_speed;  // [m/s]  0: that of the settings
  double ratio;         // of periods of near-rigid rows; 0: that of the settings
} scene;

static const scene scenes[] = {
    {"tied, in flight", SCENE("", FREE, "1", ""), TURNED, "linear", 3, 0.02, 0.0, 0.0},
    {"tied, turning", SCENE("", FREE, "1", ""), TURNED, "linear-corotated", 4, 0.02, 0.0, 0.0},
    {"tied, giving way", SCENE("", FREE, "1", ""), TURNED, "linear-corotated", 4, 0.02, 0.0, 0.5},
    {"tied, at the return speed", SCENE("", FREE, "1", ""), TURNED, "linear-corotated", 3, 0.02,
     1e-3, 0.0},
    {"tied, corotated", SCENE("", FREE, "1", ""), TURNED, "corotated", 3, 0.02, 0.0, 0.5},
    {"tied, neo-hookean", SCENE("", FREE, "1", ""), TURNED, "neo-hookean", 3, 0.02, 0.0, 0.5},
    {"tied, clamped at its tip", SCENE("", FREE, "1", TIP("world")), TURNED, "linear-corotated", 3,
     0.02, 0.0, 0.5},
    {"tied to two", SCENE(OTHER, FREE, "1", TIP("other")), TURNED, "linear-corotated", 3, 0.02, 0.0,
     0.5},
    {"tied and driven", SCENE("", ACTUATED, "1", "") ACTUATORS, TURNED, "linear-corotated", 3, 0.02,
     0.0, 0.5},
    // the free end, and vertices of the set
    {"tied, its end on the ground", SCENE(SOFT_GROUND, FREE, ".02", ""),
     "pos='.06 .01 .02' euler='0 4 0'", "linear-corotated", 8, 0.01, 0.0, 0.0},
    {"tied, its root on the ground", SCENE(SOFT_GROUND, FREE, ".02", ""),
     "pos='.06 .01 .02' euler='0 -4 0'", "linear-corotated", 8, 0.01, 0.0, 0.5},
    {"tied, on rigid ground", SCENE(GROUND, FREE, ".02", ""), "pos='.06 .01 .02' euler='0 -4 0'",
     "linear-corotated", 8, 0.01, 0.0, 0.0},
    {"tied, under a ball", SCENE(BALL, FREE, ".02", ""), "pos='.06 .01 .02'", "linear-corotated",
     20, 0.01, 0.0, 0.0},
    {"tied, pressed and nonlinear", SCENE(SOFT_GROUND, FREE, ".02", ""),
     "pos='.06 .01 .02' euler='0 -4 0'", "neo-hookean", 8, 0.01, 0.0, 0.5},
};

static mjcf_world world_of(const scene *s) {
  char text[2048], whole[4096];
  snprintf(text, sizeof text, s->text, s->pose, s->law);
  snprintf(whole, sizeof whole, "<mujoco><option timestep='0.002'/>%s</mujoco>", text);
  mjcf_world w = mjcf_world_of(whole, NULL);
  w.settings.rigid_ties = true;
  w.settings.tolerance = strstr(s->law, "linear") ? 1e-12 : 1e-10;
  if (s->return_speed > 0.0) w.settings.return_speed = s->return_speed;
  for (int i = 0; i < 3 * w.model->vertex_count; ++i)
    w.data->vertex_velocity[i] += random_uniform(&seed, -s->speed, s->speed);
  if (s->ratio > 0.0) w.settings.equality_ratio = s->ratio;
  for (int i = 0; i < w.model->nu; ++i) w.data->control[i] = 0.3;
  if (w.model->nv >= 6) w.data->v[3] = 1.0, w.data->v[4] = -2.0, w.data->v[5] = 3.0;
  for (int i = 0; i < s->steps; ++i) limpet_step(w.model, w.data, &w.settings);
  return w;
}

static void products_agree_with_steps(void **state) {
  (void)state;
  const int count = (int)(sizeof scenes / sizeof *scenes);
  int smooth = 0;
  for (int i = 0; i < count; ++i) {
    mjcf_world w = world_of(&scenes[i]);
    const bool is = soft_products_check(&w, scenes[i].title, 1e-6, &seed);
    if (!is) printf("%s: kink\n", scenes[i].title);
    smooth += is;
    mjcf_world_destroy(&w);
  }
  assert_true(smooth >= count - 2);
}

// A step with derivatives from the state of w, which stays as it is. For limpet_gradient_destroy.
static limpet_gradient *gradient_of(const mjcf_world *w) {
  const limpet_model *model = w->model;
  limpet_data *data = limpet_data_create(model);
  limpet_gradient *gradient = limpet_gradient_create(model);
  const limpet_gradient_settings wanted = limpet_gradient_settings_default();
  limpet_data_state_copy(w->data, data);
  memcpy(data->control, w->data->control, (size_t)model->nu * sizeof(double));
  limpet_gradient_step(model, data, &w->settings, &wanted, gradient);
  assert_null(gradient->reason);
  limpet_data_destroy(data);
  return gradient;
}

/* Near rest the first attempt of a step is balanced with the law taken at the velocities of the
 * start, which sets admit; how far rows give way follows these velocities. Without that products
 * are off by 6e-6 to 3e-5. With settings.linearised_elasticity nothing is balanced, and all is
 * flagged. */
static void laws_are_taken_at_the_start(void **state) {
  (void)state;
  enum { SETTLING = 1000 };
  static const char *const laws[] = {"corotated", "neo-hookean"};
  for (int i = 0; i < 2; ++i) {
    const scene s = {"tied, with the law of the start",
                     SCENE("", HELD, "1", "") ACTUATORS,
                     TURNED,
                     laws[i],
                     SETTLING,
                     0.0,
                     0.0,
                     0.5};
    mjcf_world w = world_of(&s);
    w.settings.tolerance = 1e-3;
    limpet_gradient *gradient = gradient_of(&w);
    assert_int_equal(limpet_soft_point_of(&gradient->workspace->soft->motion->body[0]),
                     LIMPET_SOFT_AT_START);
    assert_false(gradient->approximate);
    limpet_gradient_destroy(gradient);
    w.settings.linearised_elasticity = true;
    gradient = gradient_of(&w);
    assert_true(gradient->approximate);
    limpet_gradient_destroy(gradient);
    w.settings.linearised_elasticity = false;
    assert_true(soft_products_check(&w, s.title, 1e-7, &seed));
    mjcf_world_destroy(&w);
  }
}

// Columns by poses of trees are products with unit vectors.
static void jacobians_are_products(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
    mjcf_world w = world_of(&scenes[i]);
    const int nv = w.model->nv;
    limpet_gradient *gradient = limpet_gradient_create(w.model);
    const limpet_gradient_settings wanted = limpet_gradient_settings_default();
    limpet_gradient_step(w.model, w.data, &w.settings, &wanted, gradient);
    if (gradient->reason) fail_msg("%s: %s", scenes[i].title, gradient->reason);
    soft_vector x = soft_vector_make(w.model), moved = soft_vector_make(w.model);
    double worst = 0.0, most = 0.0;
    for (int j = 0; j < nv; ++j) {
      x.at.q[j] = 1.0;
      assert_true(limpet_gradient_forward(gradient, &x.at, &moved.at));
      x.at.q[j] = 0.0;
      for (int k = 0; k < nv; ++k) {
        worst = fmax(worst, fabs(moved.at.v[k] - gradient->dv.q[k * nv + j]));
        most = fmax(most, fabs(moved.at.v[k]));
      }
    }
    if (!(worst <= 1e-9 * most)) fail_msg("%s: off by %.2g", scenes[i].title, worst / most);
    free(x.block), free(moved.block);
    limpet_gradient_destroy(gradient);
    mjcf_world_destroy(&w);
  }
}

/* A link that hardly moves: along its pose the rows of the set hardly change, and round-off of
 * these is no kink beside the velocities that lead the vertices back. */
static void round_off_is_no_kink(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      "<mujoco><option timestep='0.002'/><worldbody><body pos='0 0 1'><joint axis='0 1 0' "
      "damping='.05'/><geom type='capsule' fromto='0 0 0 .2 0 0' size='.02' contype='0' "
      "conaffinity='0'/><limpet:deformable type='box' size='.05 .015 .01' cells='3 1 1' "
      "pos='.25 0 0' young='3e5' damping='.002'><limpet:tie box='-.051 -1 -1 -.049 1 1'/>"
      "</limpet:deformable></body></worldbody></mujoco>",
      NULL);
  w.settings.rigid_ties = true, w.settings.tolerance = 1e-12;
  limpet_gradient *gradient = limpet_gradient_create(w.model);
  const limpet_gradient_settings wanted = limpet_gradient_settings_default();
  for (int i = 0; i < 20; ++i) {
    limpet_gradient_step(w.model, w.data, &w.settings, &wanted, gradient);
    assert_null(gradient->reason);
    if (gradient->kink.q[0] != 0.0) fail_msg("step %d: a kink along the pose", i);
  }
  limpet_gradient_destroy(gradient);
  mjcf_world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_agree_with_steps),
      cmocka_unit_test(laws_are_taken_at_the_start),
      cmocka_unit_test(jacobians_are_products),
      cmocka_unit_test(round_off_is_no_kink),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

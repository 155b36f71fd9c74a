/* tests/collide/test_pair_reach.c: how far a pair is looked ahead covers what any of its points
 * can do, and what impacts throw together from farther off is still found. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collide/pair_reach.h"
#include "limpet/limpet.h"
#include "math/vec3.h"
#include "mjcf_text.h"
#include "shared_data.h"

static unsigned long seed = 5;
static double between(double low, double high) { return random_uniform(&seed, low, high); }

// ------------------------------------------------------------------------------- what it covers

enum { BODIES = 6 };

// Hinged chains, free bodies and a floor.
static limpet_model *bodies_create(void) {
  return mjcf_load(
      "<mujoco><worldbody><geom type='plane' size='1 1 1'/>"
      "<body pos='0 0 1'><freejoint/><geom type='box' size='.1 .2 .05' pos='.1 0 .02'/>"
      "<body pos='.2 0 0'><joint type='hinge' axis='0 1 0'/>"
      "<geom type='capsule' size='.03 .1' pos='.1 0 0'/>"
      "<body pos='.2 0 0'><joint type='ball'/><geom type='ellipsoid' size='.05 .06 .02'/></body>"
      "</body></body>"
      "<body pos='1 0 1'><freejoint/><geom type='cylinder' size='.1 .3'/></body>"
      "<body pos='0 1 1'><joint type='slide' axis='1 1 0'/><geom type='sphere' size='.2'/></body>"
      "</worldbody></mujoco>");
}

static void velocity_at(const limpet_model *model, const limpet_data *data, const double *twist,
                        int geom, const double x[3], double v[3]) {
  const int body = model->geom_body[geom], tree = model->body_tree[body];
  limpet_vec3_zero(v);
  if (tree < 0) return;
  double arm[3];
  limpet_vec3_sub(arm, x, data->tree_origin + 3 * tree);
  limpet_vec3_cross(v, twist + 6 * body, arm);
  limpet_vec3_add(v, v, twist + 6 * body + 3);
}

// Speed of B against A at x, for V or V + dV.
static double speed_at(const limpet_model *model, const limpet_data *data,
                       const limpet_reach *reach, bool free, int a, int b, const double x[3]) {
  double sum[3] = {0.0, 0.0, 0.0}, v[3];
  for (int side = 0; side < 2; ++side)
    for (int part = 0; part <= free; ++part) {
      velocity_at(model, data, part ? reach->added[0] : reach->twist, side ? b : a, x, v);
      limpet_vec3_addmul(sum, sum, side ? 1.0 : -1.0, v);
    }
  return limpet_vec3_norm(sum);
}

static void expect_covered(const limpet_model *model, const limpet_data *data,
                           const limpet_reach *reach, int a, int b) {
  const double far = 1e3;
  limpet_collision_pair pair = {.geom_a = a, .geom_b = b, .reach = far};
  limpet_pair_reach_lessen(model, data, reach, &pair);
  assert_int_equal(pair.lessened, pair.reach < far);
  if (!pair.lessened) return;
  const bool plane = model->geom_kind[a] == LIMPET_SHAPE_PLANE;
  const int smaller = plane || model->geom_radius[b] < model->geom_radius[a] ? b : a;
  for (int k = 0; k < 20; ++k) {
    double x[3];
    for (int i = 0; i < 3; ++i) x[i] = between(-1.0, 1.0);
    limpet_vec3_normalize(x);
    limpet_vec3_scale(x, model->geom_radius[smaller] * between(0.9, 1.0), x);
    limpet_vec3_add(x, x, data->geom_position + 3 * smaller);
    for (int free = 0; free < 2; ++free)
      assert_true(reach->least + reach->ahead * speed_at(model, data, reach, free, a, b, x) <=
                  pair.reach * (1.0 + 1e-12));
  }
}

static void no_point_gets_farther(void **state) {
  (void)state;
  limpet_model *model = bodies_create();
  limpet_data *data = limpet_data_create(model);
  long lessened = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const double fast = exp(between(log(1e-3), log(3.0)));
    double added[6 * (BODIES + 4)] = {0.0};
    assert_true(model->body_count <= BODIES + 4);
    double q[32];
    for (int i = 0; i < model->nv; ++i) data->v[i] = between(-1.0, 1.0);
    assert_true(model->nq <= 32);
    limpet_integrate_position(model, q, data->q, data->v, 1.0, false);
    memcpy(data->q, q, (size_t)model->nq * sizeof *q);
    for (int i = 0; i < model->nv; ++i) data->v[i] = fast * between(-1.0, 1.0);
    for (int b = 0; b < model->body_count; ++b)
      for (int i = 0; i < 6 && model->body_tree[b] >= 0; ++i)
        added[6 * b + i] = 0.3 * fast * between(-1.0, 1.0);
    limpet_kinematics(model, data);
    limpet_velocity_kinematics(model, data);
    limpet_geom_kinematics(model, data, false);
    const limpet_reach reach = {
        .twist = data->body_velocity, .added = {added, NULL}, .ahead = 0.004, .least = 2e-4};
    for (int a = 0; a < model->geom_count; ++a)
      for (int b = a + 1; b < model->geom_count; ++b) {
        // a reach that is not fast
        limpet_collision_pair pair = {.geom_a = a, .geom_b = b, .reach = 1e3};
        limpet_pair_reach_lessen(model, data, &reach, &pair);
        lessened += pair.lessened;
        expect_covered(model, data, &reach, a, b);
      }
  }
  assert_true(lessened > 2000);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// ------------------------------------------------------------------------------ what is thrown

/* A row of boxes 1 mm apart flies at `speed`; the first hits a wall within the step, the others
 * were not approaching each other. None may get into another by more than contacts allow. */
static double deepest_of_row(double speed) {
  limpet_model *model = mjcf_load(
      "<mujoco><option gravity='0 0 0'/><worldbody><geom type='box' size='.1 .5 .5' pos='-.1 0 0'/>"
      "<body pos='.0505 0 0'><freejoint/><geom type='box' size='.05 .05 .05' mass='1'/></body>"
      "<body pos='.1515 0 0'><freejoint/><geom type='box' size='.05 .05 .05' mass='1'/></body>"
      "<body pos='.2525 0 0'><freejoint/><geom type='box' size='.05 .05 .05' mass='1'/></body>"
      "</worldbody></mujoco>");
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  for (int d = 0; d < model->nv; d += 6) data->v[d] = -speed;
  double deepest = 0.0;
  for (int i = 0; i < 20; ++i) {
    assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
    for (int k = 0; k < 3; ++k) {
      const double front = data->q[7 * k] - 0.05, behind = k ? data->q[7 * k - 7] + 0.05 : 0.0;
      deepest = fmax(deepest, behind - front);
    }
  }
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  return deepest;
}

static void what_is_thrown_together_is_found(void **state) {
  (void)state;
  for (double speed = 0.5; speed < 20.0; speed *= 1.7) {
    const double deepest = deepest_of_row(speed);
    // 0.1 mm is what a second look leaves as it is
    if (deepest > 1.2e-4) fail_msg("%g m/s: %g mm deep", speed, 1e3 * deepest);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_point_gets_farther),
      cmocka_unit_test(what_is_thrown_together_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* tests/contact/test_turned_soft.c: what test_turned_world says, of deformable bodies.
 *
 * Solids and thin boxes of 1e4 to 1e8 Pa fall on a floor and a fixed geom, near-rigid or with a
 * pressure field, and a rigid body falls on them. A second world is turned and moved at random. A
 * step from the same state gives the same velocities, but for round-off. It did not where boxes
 * along the axes of the world chose between backward Euler and the midpoint rule, nor where
 * contacts weighed vertices along these axes. Curved fields are refined until their error is below
 * 1e-3 of the force, and round-off may decide whether they are. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "effort.h"
#include "math/extremes.h"
#include "math/quaternion.h"
#include "mjcf_world.h"
#include "random_models.h"

enum { LOOKS = 5, TEXT = 8192, STEPS = 300 };

typedef struct scene {
  double time_step;
  char fixed[512], falling[512], soft[512];  // shapes and materials
  double fixed_r[4], soft_p[3], soft_r[4];
  double p[3], r[4];  // of the turned world
} scene;

static unsigned long seed = 30;

static int draw_below(int end) {
  const int k = (int)random_uniform(&seed, 0.0, end);
  return k < end ? k : end - 1;
}

static void draw_geom(char *text, size_t room) {
  static const char *const shapes[] = {"sphere", "box", "capsule", "cylinder", "ellipsoid"};
  char field[64] = "";
  double size[3];
  for (int k = 0; k < 3; ++k) size[k] = random_log(&seed, 0.02, 0.08);
  if (draw_below(2))
    snprintf(field, sizeof field, "limpet:elastic_modulus='%.9g'", random_log(&seed, 1e5, 1e8));
  snprintf(text, room, "type='%s' size='%.9g %.9g %.9g' mass='%.9g' friction='%.9g' %s",
           shapes[draw_below(5)], size[0], size[1], size[2], random_log(&seed, 0.01, 10.0),
           random_log(&seed, 0.01, 1.5), field);
}

static void draw_soft(char *text, size_t room) {
  static const char *const kinds[] = {"law='linear-corotated'", "law='linear-corotated'",
                                      "law='neo-hookean'", "shell='true' thickness='.002'"};
  double size[3];
  for (int k = 0; k < 3; ++k) size[k] = random_log(&seed, 0.03, 0.08);
  snprintf(text, room,
           "type='box' size='%.9g %.9g %.9g' cells='%d %d %d' %s young='%.9g' poisson='%.9g' "
           "density='%.9g' friction='%.9g'",
           size[0], size[1], size[2], 1 + draw_below(3), 1 + draw_below(3), 1 + draw_below(3),
           kinds[draw_below(4)], random_log(&seed, 1e4, 1e8), random_uniform(&seed, 0.0, 0.49),
           random_log(&seed, 100.0, 5000.0), random_log(&seed, 0.01, 1.5));
}

static void draw_scene(scene *s) {
  s->time_step = random_log(&seed, 2e-4, 5e-3);
  draw_geom(s->fixed, sizeof s->fixed);
  draw_geom(s->falling, sizeof s->falling);
  draw_soft(s->soft, sizeof s->soft);
  random_quaternion(&seed, s->fixed_r);
  random_quaternion(&seed, s->soft_r);
  random_vector(&seed, s->soft_p, 2, 0.05);
  s->soft_p[2] = 0.13;
  random_quaternion(&seed, s->r);
  random_vector(&seed, s->p, 3, 1.0);
}

// "pos='..' quat='..'" of a pose, turned with the world or not.
static void write_pose(char text[256], const scene *s, bool turned, const double p[3],
                       const double q[4]) {
  double at[3] = {p[0], p[1], p[2]}, by[4] = {q[0], q[1], q[2], q[3]};
  if (turned) {
    limpet_quaternion_rotate(at, s->r, p);
    for (int k = 0; k < 3; ++k) at[k] += s->p[k];
    limpet_quaternion_mul(by, s->r, q);
  }
  snprintf(text, 256, "pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'", at[0], at[1], at[2],
           by[0], by[1], by[2], by[3]);
}

static mjcf_world world_of(const scene *s, bool turned) {
  static const double down[3] = {0.0, 0.0, -9.81}, none[3] = {0.0, 0.0, 0.0},
                      side[3] = {0.06, 0.0, 0.0}, level[4] = {1.0, 0.0, 0.0, 0.0};
  char text[TEXT], floor_pose[256], fixed_pose[256], soft_pose[256];
  double g[3] = {down[0], down[1], down[2]};
  if (turned) limpet_quaternion_rotate(g, s->r, down);
  write_pose(floor_pose, s, turned, none, level);
  write_pose(fixed_pose, s, turned, side, s->fixed_r);
  write_pose(soft_pose, s, turned, s->soft_p, s->soft_r);
  snprintf(text, sizeof text,
           "<mujoco><option timestep='%.17g' gravity='%.17g %.17g %.17g'/><worldbody>"
           "<body %s><geom type='plane' size='1 1 1'/></body><body %s><geom %s/></body>"
           "<body><freejoint/><geom %s/></body><limpet:deformable %s %s/></worldbody></mujoco>",
           s->time_step, g[0], g[1], g[2], floor_pose, fixed_pose, s->fixed, s->falling, soft_pose,
           s->soft);
  return mjcf_world_of(text, NULL);
}

static void start(limpet_data *data) {
  const double speed = random_log(&seed, 0.1, 3.0);
  data->q[2] = 0.28;
  random_quaternion(&seed, data->q + 3);
  random_vector(&seed, data->v, 6, speed);
  data->v[2] = -speed;
  double v[3];
  random_vector(&seed, v, 3, speed);
  for (int i = 0; i < 3 * data->model->vertex_count; ++i)
    data->vertex_velocity[i] = v[i % 3] + random_uniform(&seed, -0.05, 0.05);
}

// The state of one world without what contacts carried, in the same and the turned one.
static void place(const scene *s, const limpet_data *from, limpet_data *plain,
                  limpet_data *turned) {
  for (int i = 0; i < 7; ++i) plain->q[i] = from->q[i];
  for (int i = 0; i < 6; ++i) plain->v[i] = turned->v[i] = from->v[i];
  limpet_quaternion_rotate(turned->q, s->r, from->q);
  for (int k = 0; k < 3; ++k) turned->q[k] += s->p[k];
  limpet_quaternion_mul(turned->q + 3, s->r, from->q + 3);
  limpet_quaternion_rotate(turned->v, s->r, from->v);
  for (int i = 0; i < 3 * from->model->vertex_count; i += 3) {
    double *x = turned->vertex_position + i;
    for (int k = i; k < i + 3; ++k) {
      plain->vertex_position[k] = from->vertex_position[k];
      plain->vertex_velocity[k] = from->vertex_velocity[k];
    }
    limpet_quaternion_rotate(x, s->r, from->vertex_position + i);
    for (int k = 0; k < 3; ++k) x[k] += s->p[k];
    limpet_quaternion_rotate(turned->vertex_velocity + i, s->r, from->vertex_velocity + i);
  }
}

// Over the fastest, 0.1 m for a radian.
static double difference(const scene *s, const limpet_data *plain, const limpet_data *turned) {
  double worst = 0.0, fastest = 1e-3 + 9.81 * s->time_step, moved[3];
  for (int k = 3; k < 6; ++k) worst = limpet_max(worst, 0.1 * fabs(turned->v[k] - plain->v[k]));
  for (int i = -3; i < 3 * plain->model->vertex_count; i += 3) {
    const double *a = i < 0 ? plain->v : plain->vertex_velocity + i,
                 *b = i < 0 ? turned->v : turned->vertex_velocity + i;
    limpet_quaternion_rotate(moved, s->r, a);
    for (int k = 0; k < 3; ++k) {
      worst = limpet_max(worst, fabs(b[k] - moved[k]));
      fastest = limpet_max(fastest, fabs(a[k]));
    }
  }
  return worst / fastest;
}

// NAN: not solved, so that there is nothing to compare.
static double compare(const scene *s, const mjcf_world *drawn, const mjcf_world *other) {
  limpet_data *plain = limpet_data_create(drawn->model), *turned = limpet_data_create(other->model);
  assert_non_null(plain);
  assert_non_null(turned);
  place(s, drawn->data, plain, turned);
  const limpet_outcome a = limpet_step(drawn->model, plain, &drawn->settings),
                       b = limpet_step(other->model, turned, &other->settings);
  const double found =
      a == LIMPET_OUTCOME_SOLVED && b == LIMPET_OUTCOME_SOLVED ? difference(s, plain, turned) : NAN;
  limpet_data_destroy(plain);
  limpet_data_destroy(turned);
  return found;
}

static void test_turned(void **state) {
  (void)state;
  const int scenes = test_effort(16, 4);
  int looks = 0, met = 0, fine = 0;
  double worst = 0.0;
  for (int k = 0; k < scenes; ++k) {
    scene s;
    draw_scene(&s);
    mjcf_world drawn = world_of(&s, false), other = world_of(&s, true);
    drawn.settings.tolerance = other.settings.tolerance = 1e-10;
    start(drawn.data);
    for (int i = 0; i < LOOKS; ++i) {
      const double until = drawn.data->time + random_uniform(&seed, 0.005, 0.06);
      for (int n = 0; drawn.data->time < until && n < STEPS / LOOKS; ++n)
        limpet_step(drawn.model, drawn.data, &drawn.settings);
      const double found = compare(&s, &drawn, &other);
      if (isnan(found)) continue;
      if (found > 1e-7) print_message("scene %d at %g s: %.3g\n", k, drawn.data->time, found);
      worst = limpet_max(worst, found);
      met += drawn.data->contact_count > 0;
      fine += found < 1e-7;
      ++looks;
    }
    mjcf_world_destroy(&drawn);
    mjcf_world_destroy(&other);
  }
  print_message("%d steps, %d in contact, worst %.3g of the fastest velocity\n", looks, met, worst);
  assert_true(10 * looks > 7 * scenes * LOOKS && 3 * met > looks);
  assert_true(fine >= 0.98 * looks);
  assert_true(worst < 1e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_turned)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

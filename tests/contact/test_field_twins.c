/* tests/contact/test_field_twins.c: pressure fields know no left and right, and no rest.
 *
 * Boxes with pressure fields lie in each other, and in a floor, compliant or rigid, with speeds at
 * random. In a second world all is mirrored, turned about the vertical, and numbered the other way;
 * or, without a floor, all moves along with another velocity. Steps from both must give the same
 * velocities. So points of contact must not depend on where corners of polygons are counted from,
 * nor on how fast both bodies move together. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "effort.h"
#include "math/extremes.h"
#include "math/quaternion.h"
#include "mjcf_world.h"
#include "random_models.h"

enum { BODIES = 2, TEXT = 2048 };

static unsigned long seed = 57;

static bool one_in(int n) { return random_uniform(&seed, 0.0, n) < 1.0; }

typedef struct scene {
  char head[512], body[BODIES][320];
  double half[BODIES][3];
  double time_step;
  double turn;  // [rad]  of the image about the vertical
} scene;

static void draw_scene(scene *s, bool floor) {
  char field[128], plane[256];
  const double step = random_log(&seed, 5e-5, 5e-3), friction = random_log(&seed, 0.01, 1.5);
  const double dissipation = one_in(2) ? 0.0 : random_log(&seed, 0.1, 50.0);
  const bool compliant = one_in(2);
  snprintf(field, sizeof field, "limpet:elastic_modulus='%g' limpet:slab_thickness='0.1'",
           random_log(&seed, 1e4, 1e7));
  snprintf(plane, sizeof plane, "<geom type='plane' size='1 1 1' %s/>", compliant ? field : "");
  snprintf(s->head, sizeof s->head,
           "<mujoco><option timestep='%.17g'/><default><geom friction='%.17g' "
           "limpet:dissipation='%.17g'/></default><worldbody>%s",
           step, friction, dissipation, floor ? plane : "");
  for (int i = 0; i < BODIES; ++i) {
    double *half = s->half[i];
    for (int k = 0; k < 3; ++k) half[k] = random_log(&seed, 0.02, 0.1);
    snprintf(s->body[i], sizeof s->body[i],
             "<body><freejoint/><geom type='box' size='%.17g %.17g %.17g' mass='%.17g' "
             "limpet:elastic_modulus='%.17g'/></body>",
             half[0], half[1], half[2], random_log(&seed, 0.01, 10.0), random_log(&seed, 1e4, 1e7));
  }
  s->time_step = step;
  s->turn = random_uniform(&seed, -3.0, 3.0);
}

static mjcf_world world_of(const scene *s, bool image) {
  char text[TEXT];
  snprintf(text, sizeof text, "%s%s%s</worldbody></mujoco>", s->head, s->body[image ? 1 : 0],
           s->body[image ? 0 : 1]);
  mjcf_world world = mjcf_world_of(text, NULL);
  world.settings.tolerance = 1e-12;
  return world;
}

static void start(const scene *s, limpet_data *data) {
  for (int i = 0; i < BODIES; ++i) {
    double *q = data->q + 7 * i, *v = data->v + 6 * i;
    random_vector(&seed, q, 3, s->half[0][0] + s->half[1][0]);
    q[2] = s->half[0][2] * random_uniform(&seed, 0.7, 1.5) + i * s->half[1][2];
    random_quaternion(&seed, q + 3);
    random_vector(&seed, v, 3, random_log(&seed, 0.01, 3.0));
    random_vector(&seed, v + 3, 3, random_log(&seed, 0.1, 20.0));
  }
}

/* Of a body: x for -x, then turned about the vertical. Vectors that point to a place change sign
 * with x, axes of turns with y and z. */
static void image_of(const scene *s, const double q[7], const double v[6], double to_q[7],
                     double to_v[6]) {
  const double turn[4] = {cos(0.5 * s->turn), 0.0, 0.0, sin(0.5 * s->turn)};
  const double x[3] = {-q[0], q[1], q[2]}, u[3] = {-v[0], v[1], v[2]},
               r[4] = {q[3], q[4], -q[5], -q[6]};
  limpet_quaternion_rotate(to_q, turn, x);
  limpet_quaternion_mul(to_q + 3, turn, r);
  limpet_quaternion_rotate(to_v, turn, u);
  to_v[3] = v[3], to_v[4] = -v[4], to_v[5] = -v[5];
}

static void place(const scene *s, const limpet_data *data, limpet_data *image) {
  for (int i = 0; i < BODIES; ++i) {
    const int to = BODIES - 1 - i;
    image_of(s, data->q + 7 * i, data->v + 6 * i, image->q + 7 * to, image->v + 6 * to);
  }
}

// Of velocities of all bodies, over the fastest and `least`; 0.1 m for a radian.
static double speed_difference(const double *v, const double *w, double least) {
  double worst = 0.0, fastest = least;
  for (int i = 0; i < 6 * BODIES; ++i) {
    const double scale = i % 6 < 3 ? 1.0 : 0.1;
    worst = limpet_max(worst, scale * fabs(v[i] - w[i]));
    fastest = limpet_max(fastest, scale * fabs(v[i]));
  }
  return worst / fastest;
}

static double difference(const scene *s, const mjcf_world *world, const mjcf_world *image) {
  double wanted[6 * BODIES], w[6 * BODIES], q[7];
  for (int i = 0; i < BODIES; ++i) {
    image_of(s, world->data->q + 7 * i, world->data->v + 6 * i, q, wanted + 6 * i);
    memcpy(w + 6 * i, image->data->v + 6 * (BODIES - 1 - i), 6 * sizeof *w);
  }
  return speed_difference(wanted, w, 9.81 * s->time_step);
}

// What two outcomes found, and whether all of it was fine.
typedef struct tally {
  int touched, fine;
  double worst;
} tally;

static void count(tally *t, int k, double found) {
  if (found > 1e-7) print_message("scene %d: %.3g\n", k, found);
  ++t->touched, t->fine += found < 1e-7;
  t->worst = limpet_max(t->worst, found);
}

static void all_fine(const tally *t, int scenes) {
  print_message("%d steps with contact, %d within 1e-7, worst %.3g\n", t->touched, t->fine,
                t->worst);
  assert_true(t->touched > 0.5 * scenes);
  assert_int_equal(t->fine, t->touched);
}

// Whether both are solved, and bodies touch.
static bool step_both(mjcf_world *a, mjcf_world *b) {
  const limpet_outcome first = limpet_step(a->model, a->data, &a->settings),
                       second = limpet_step(b->model, b->data, &b->settings);
  return first == LIMPET_OUTCOME_SOLVED && second == LIMPET_OUTCOME_SOLVED &&
         a->data->contact_count > 0;
}

static void steps_are_mirrored(void **state) {
  (void)state;
  const int scenes = test_effort(400, 40);
  tally t = {0};
  for (int k = 0; k < scenes; ++k) {
    scene s;
    draw_scene(&s, true);
    mjcf_world world = world_of(&s, false), image = world_of(&s, true);
    start(&s, world.data);
    place(&s, world.data, image.data);
    if (step_both(&world, &image)) count(&t, k, difference(&s, &world, &image));
    mjcf_world_destroy(&world);
    mjcf_world_destroy(&image);
  }
  all_fine(&t, scenes);
}

static void steps_know_no_common_velocity(void **state) {
  (void)state;
  const int scenes = test_effort(400, 40);
  tally t = {0};
  for (int k = 0; k < scenes; ++k) {
    scene s;
    draw_scene(&s, false);
    mjcf_world world = world_of(&s, false), image = world_of(&s, false);
    double along[3];
    start(&s, world.data);
    random_vector(&seed, along, 3, random_log(&seed, 1.0, 30.0));
    for (int i = 0; i < 7 * BODIES; ++i) image.data->q[i] = world.data->q[i];
    for (int i = 0; i < 6 * BODIES; ++i)
      image.data->v[i] = world.data->v[i] + (i % 6 < 3 ? along[i % 6] : 0.0);
    if (step_both(&world, &image)) {
      for (int i = 0; i < 6 * BODIES; ++i) image.data->v[i] -= i % 6 < 3 ? along[i % 6] : 0.0;
      count(&t, k, speed_difference(world.data->v, image.data->v, 9.81 * s.time_step));
    }
    mjcf_world_destroy(&world);
    mjcf_world_destroy(&image);
  }
  all_fine(&t, scenes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_are_mirrored),
      cmocka_unit_test(steps_know_no_common_velocity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

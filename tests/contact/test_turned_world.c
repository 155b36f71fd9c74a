/* tests/contact/test_turned_world.c: physics knows no direction, place, numbering or frame.
 *
 * Bodies of all shapes, over four decades of mass, with chains of up to two links on two in three
 * of them, land and slide on a floor, near-rigid. A second world has the same floor, gravity and
 * bodies turned and moved at random, the bodies described in another order and in other frames of
 * their own, turned and with other origins. Steps from the same state must give the same velocities
 * and places, but for round-off: q and v of bodies at rest under near-rigid contacts see 1e-15 m as
 * 1e-7 of their deformation. */
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
#include "math/vec3.h"
#include "mjcf_world.h"
#include "random_models.h"

enum { MOST = 5, LINKS = 2, MESH = 12, TEXT = 4096, ALL_TEXT = 24576, LOOKS = 12 };

typedef struct scene {
  int count;
  char geom[MOST][256], mesh[MOST][TEXT];
  // of the body in the turned world, in that of the drawn one: turn, origin
  double frame[MOST][4], origin[MOST][3];
  // that hang on the body, one on the other: pose in the one before, in the drawn world
  int links[MOST];
  double hook[MOST][3], hook_turn[MOST][4];
  char link[MOST][LINKS][512];
  double time_step, friction;
  int order[MOST];  // of bodies in the turned world
  double p[3], r[4];
} scene;

static unsigned long seed = 29;

static int draw_below(int end) {
  const int k = (int)random_uniform(&seed, 0.0, end);
  return k < end ? k : end - 1;
}

static void write_mesh(scene *s, int i, const double size[3]) {
  int at = snprintf(s->mesh[i], TEXT, "<mesh name='m%d' vertex='", i);
  for (int k = 0; k < MESH; ++k) {
    double x[3];
    random_vector(&seed, x, 3, 1.0);
    at += snprintf(s->mesh[i] + at, TEXT - (size_t)at, "%.9g %.9g %.9g ", size[0] * x[0],
                   size[1] * x[1], size[2] * x[2]);
  }
  snprintf(s->mesh[i] + at, TEXT - (size_t)at, "'/>");
}

static void draw_body(scene *s, int i) {
  static const char *const shapes[] = {"sphere", "box", "capsule", "cylinder", "ellipsoid", "mesh"};
  const char *shape = shapes[draw_below(6)];
  double size[3];
  for (int k = 0; k < 3; ++k) size[k] = random_log(&seed, 0.02, 0.12);
  const double mass = random_log(&seed, 0.01, 100.0), friction = random_log(&seed, 0.01, 1.5);
  random_quaternion(&seed, s->frame[i]);
  random_vector(&seed, s->origin[i], 3, 0.1);
  s->mesh[i][0] = '\0';
  int at;
  if (shape[0] == 'm') {
    write_mesh(s, i, size);
    at = snprintf(s->geom[i], sizeof s->geom[i], "<geom type='mesh' mesh='m%d' ", i);
  } else {
    at = snprintf(s->geom[i], sizeof s->geom[i], "<geom type='%s' size='%.9g %.9g %.9g' ", shape,
                  size[0], size[1], size[2]);
  }
  snprintf(s->geom[i] + at, sizeof s->geom[i] - (size_t)at, "mass='%.9g' friction='%.9g' ", mass,
           friction);
}

// A chain of links on a body: on hinges and slides, round and long.
static void draw_links(scene *s, int i) {
  static const char *const joints[] = {"hinge", "hinge", "slide", "ball"};
  s->links[i] = draw_below(LINKS + 1);
  random_vector(&seed, s->hook[i], 3, 0.1);
  random_quaternion(&seed, s->hook_turn[i]);
  for (int k = 0; k < s->links[i]; ++k) {
    double axis[3], x[3];
    random_vector(&seed, axis, 3, 1.0);
    random_vector(&seed, x, 3, 0.1);
    snprintf(s->link[i][k], sizeof s->link[i][k],
             "<joint type='%s' axis='%.9g %.9g %.9g' armature='%.9g'/><geom type='%s' size='%.9g "
             "%.9g %.9g' pos='%.9g "
             "%.9g %.9g' mass='%.9g' friction='%.9g'/>",
             joints[draw_below(4)], axis[0], axis[1], axis[2],
             draw_below(2) ? 0.0 : random_log(&seed, 1e-5, 1e-3),
             draw_below(2) ? "box" : "ellipsoid", random_log(&seed, 0.02, 0.06),
             random_log(&seed, 0.02, 0.06), random_log(&seed, 0.02, 0.06), x[0], x[1], x[2],
             random_log(&seed, 0.01, 10.0), random_log(&seed, 0.01, 1.5));
  }
}

static void draw_scene(scene *s) {
  s->count = 1 + draw_below(MOST);
  s->time_step = random_log(&seed, 5e-5, 5e-3);
  s->friction = random_log(&seed, 0.01, 1.5);
  for (int i = 0; i < s->count; ++i) {
    draw_body(s, i);
    draw_links(s, i);
  }
  for (int i = 0; i < s->count; ++i) {
    const int j = draw_below(i + 1);
    s->order[i] = s->order[j];
    s->order[j] = i;
  }
  random_quaternion(&seed, s->r);
  random_vector(&seed, s->p, 3, 1.0);
}

// Pose of the drawn frame in another one.
static int write_pose(char *text, size_t room, const double frame[4], const double origin[3]) {
  double back[4], x[3];
  limpet_quaternion_conjugate(back, frame);
  limpet_quaternion_rotate(x, back, origin);
  return snprintf(text, room, "pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'", -x[0],
                  -x[1], -x[2], back[0], back[1], back[2], back[3]);
}

static int write_links(char *text, size_t room, const scene *s, int of, bool turned) {
  double x[3], r[4], back[4], apart[3];
  if (s->links[of] == 0) return 0;
  limpet_vec3_copy(x, s->hook[of]);
  limpet_quaternion_copy(r, s->hook_turn[of]);
  if (turned) {
    limpet_quaternion_conjugate(back, s->frame[of]);
    limpet_vec3_sub(apart, x, s->origin[of]);
    limpet_quaternion_rotate(x, back, apart);
    limpet_quaternion_mul(r, back, s->hook_turn[of]);
  }
  int at = snprintf(text, room, "<body pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'>%s",
                    x[0], x[1], x[2], r[0], r[1], r[2], r[3], s->link[of][0]);
  for (int k = 1; k < s->links[of]; ++k)
    at += snprintf(text + at, room - (size_t)at, "<body pos='0.1 0 0'>%s", s->link[of][k]);
  for (int k = 0; k < s->links[of]; ++k) at += snprintf(text + at, room - (size_t)at, "</body>");
  return at;
}

// The scene as drawn, or turned.
static mjcf_world world_of(const scene *s, bool turned) {
  static const double down[3] = {0.0, 0.0, -9.81};
  char text[ALL_TEXT];
  const double p[3] = {0.0, 0.0, 0.0}, r[4] = {1.0, 0.0, 0.0, 0.0}, *to = turned ? s->p : p,
               *by = turned ? s->r : r;
  double g[3];
  limpet_quaternion_rotate(g, by, down);
  int at = snprintf(text, sizeof text,
                    "<mujoco><option timestep='%.17g' gravity='%.17g %.17g %.17g'/><asset>",
                    s->time_step, g[0], g[1], g[2]);
  for (int i = 0; i < s->count; ++i)
    at += snprintf(text + at, sizeof text - (size_t)at, "%s", s->mesh[i]);
  at += snprintf(text + at, sizeof text - (size_t)at,
                 "</asset><worldbody><body pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'>"
                 "<geom type='plane' size='1 1 1' friction='%.9g'/></body>",
                 to[0], to[1], to[2], by[0], by[1], by[2], by[3], s->friction);
  for (int i = 0; i < s->count; ++i) {
    const int of = turned ? s->order[i] : i;
    const double *q = s->frame[of];
    at += snprintf(text + at, sizeof text - (size_t)at, "<body><freejoint/>%s ", s->geom[of]);
    if (turned) at += write_pose(text + at, sizeof text - (size_t)at, q, s->origin[of]);
    at += snprintf(text + at, sizeof text - (size_t)at, "/>");
    at += write_links(text + at, sizeof text - (size_t)at, s, of, turned);
    at += snprintf(text + at, sizeof text - (size_t)at, "</body>");
  }
  snprintf(text + at, sizeof text - (size_t)at, "</worldbody></mujoco>");
  return mjcf_world_of(text, NULL);
}

// Where positions and velocities of a tree begin.
static int first_q(const limpet_model *model, int tree) {
  return model->joint_q[model->dof_joint[model->tree_dof[tree]]];
}

static int end_q(const limpet_model *model, int tree) {
  return tree + 1 < model->tree_count ? first_q(model, tree + 1) : model->nq;
}

static void start(const scene *s, limpet_data *data) {
  const limpet_model *model = data->model;
  for (int i = 0; i < s->count; ++i) {
    double *q = data->q + first_q(model, i), *v = data->v + model->tree_dof[i];
    random_vector(&seed, q, 3, 0.15);
    q[2] = 0.15 + 0.25 * i;
    random_quaternion(&seed, q + 3);
    random_vector(&seed, v, 3, random_log(&seed, 0.1, 3.0));
    random_vector(&seed, v + 3, 3, random_log(&seed, 0.1, 20.0));
    v[2] = -fabs(v[2]);
    random_vector(&seed, v + 6, model->tree_dof_count[i] - 6, random_log(&seed, 0.1, 20.0));
  }
}

// Pose and velocity of a body of the drawn world as the turned one has them.
static void turn_body(const scene *s, int of, const double q[7], const double v[6], double to_q[7],
                      double to_v[6]) {
  double turn[4], back[4], arm[3], W[3], turning[3];
  limpet_quaternion_mul(turn, s->r, q + 3);
  limpet_quaternion_mul(to_q + 3, turn, s->frame[of]);
  limpet_quaternion_rotate(arm, turn, s->origin[of]);
  limpet_quaternion_rotate(to_q, s->r, q);
  for (int k = 0; k < 3; ++k) to_q[k] += s->p[k] + arm[k];
  limpet_quaternion_rotate(W, turn, v + 3);
  limpet_vec3_cross(turning, W, arm);
  limpet_quaternion_rotate(to_v, s->r, v);
  limpet_vec3_add(to_v, to_v, turning);
  limpet_quaternion_conjugate(back, s->frame[of]);
  limpet_quaternion_rotate(to_v + 3, back, v + 3);
}

// q and v of the world as it was drawn, without what contacts carried.
static void place(const scene *s, const double *q, const double *v, limpet_data *plain,
                  limpet_data *turned) {
  const limpet_model *from = plain->model, *to = turned->model;
  for (int i = 0; i < from->nq; ++i) plain->q[i] = q[i];
  for (int i = 0; i < from->nv; ++i) plain->v[i] = v[i];
  for (int i = 0; i < s->count; ++i) {
    const int of = s->order[i], a = first_q(from, of), b = first_q(to, i);
    turn_body(s, of, q + a, v + from->tree_dof[of], turned->q + b, turned->v + to->tree_dof[i]);
    for (int k = 7; a + k < end_q(from, of); ++k) turned->q[b + k] = q[a + k];
    for (int k = 6; k < from->tree_dof_count[of]; ++k)
      turned->v[to->tree_dof[i] + k] = v[from->tree_dof[of] + k];
  }
}

// Of the fastest body, 0.1 m for a radian; of places [m] times the step's rate.
static double difference(const scene *s, const limpet_data *plain, const limpet_data *turned) {
  const limpet_model *from = plain->model, *to = turned->model;
  double worst = 0.0, fastest = 1e-3 + 9.81 * s->time_step;
  for (int i = 0; i < s->count; ++i) {
    const int of = s->order[i];
    const double *v = plain->v + from->tree_dof[of], *b = turned->v + to->tree_dof[i],
                 *x = turned->q + first_q(to, i);
    double moved_q[7], moved[6];
    turn_body(s, of, plain->q + first_q(from, of), v, moved_q, moved);
    for (int k = 0; k < from->tree_dof_count[of]; ++k) {
      const double scale = k < 3 ? 1.0 : 0.1;
      worst = limpet_max(worst, scale * fabs(b[k] - (k < 6 ? moved[k] : v[k])));
      fastest = limpet_max(fastest, scale * fabs(v[k]));
    }
    for (int k = 0; k < 3; ++k) worst = limpet_max(worst, fabs(x[k] - moved_q[k]) / s->time_step);
  }
  return worst / fastest;
}

static mjcf_world drawn, other;

static double compare(const scene *s, const double *q, const double *v) {
  limpet_data *plain = limpet_data_create(drawn.model), *turned = limpet_data_create(other.model);
  assert_non_null(plain);
  assert_non_null(turned);
  place(s, q, v, plain, turned);
  const limpet_outcome a = limpet_step(drawn.model, plain, &drawn.settings),
                       b = limpet_step(other.model, turned, &other.settings);
  const double found =
      a == LIMPET_OUTCOME_SOLVED && b == LIMPET_OUTCOME_SOLVED ? difference(s, plain, turned) : 0.0;
  limpet_data_destroy(plain);
  limpet_data_destroy(turned);
  return found;
}

static void test_turned(void **state) {
  (void)state;
  const int scenes = test_effort(150, 15);
  int looks = 0, fine = 0;
  double worst = 0.0;
  for (int k = 0; k < scenes; ++k) {
    scene s;
    draw_scene(&s);
    drawn = world_of(&s, false), other = world_of(&s, true);
    drawn.settings.tolerance = other.settings.tolerance = 1e-12;
    start(&s, drawn.data);
    for (int i = 0; i < LOOKS; ++i) {
      const double until = drawn.data->time + random_uniform(&seed, 0.01, 0.06);
      while (drawn.data->time < until) limpet_step(drawn.model, drawn.data, &drawn.settings);
      const double found = compare(&s, drawn.data->q, drawn.data->v);
      if (found > 1e-5) print_message("scene %d at %g s: %.3g\n", k, drawn.data->time, found);
      worst = limpet_max(worst, found);
      ++looks;
      fine += found < 1e-7;
    }
    mjcf_world_destroy(&drawn);
    mjcf_world_destroy(&other);
  }
  print_message("%d steps, %d within 1e-7, worst %.3g of the fastest velocity\n", looks, fine,
                worst);
  assert_true(fine > 0.99 * looks);
  // one that takes some 90 iterations ends where 1e-12 is met, 7e-5 from its twin
  assert_true(worst < 1e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_turned)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

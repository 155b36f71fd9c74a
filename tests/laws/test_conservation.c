/* tests/laws/test_conservation.c: momentum of random trees that float, and of trees that collide.
 *
 * Trees: up to nine links on hinges, screws, slides, balls, universal (two hinges) and planar
 * joints (two slides and a hinge), masses over six decades, steps from 0.05 to 5 ms, velocities
 * over two decades; with armature, springs, dampers, dry friction, limits, tendons and loops, all
 * within the tree. */
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
#include "limpet/dynamics.h"
#include "math/vec3.h"
#include "mjcf_world.h"
#include "shared_data.h"

static unsigned long seed;

static double uniform(double low, double high) { return random_uniform(&seed, low, high); }

static int one_of(int count) { return (int)uniform(0.0, count); }

static double log_uniform(double low, double high) { return random_log_uniform(&seed, low, high); }

// One by one: compilers evaluate the arguments of a call in any order.
static const double *three(double x[3], double low, double high, double last_low) {
  x[0] = uniform(low, high);
  x[1] = uniform(low, high);
  x[2] = uniform(last_low, high);
  return x;
}

// What trees are made with, beside joints and masses.
typedef enum within {
  WITHIN_NOTHING,
  WITHIN_ARMATURE,
  WITHIN_SPRINGS,
  WITHIN_FRICTION,
  WITHIN_LIMITS,
  WITHIN_TENDONS,
  WITHIN_LOOPS,
  WITHIN_COUNT
} within;

static const char *const names[WITHIN_COUNT] = {
    "nothing", "armature", "springs and dampers", "dry friction", "limits", "tendons", "loops"};

typedef struct writer {
  char text[32768], *at;
  within extra;
  double mass;  // [kg]  of the link that is being written
  int first;    // number of the first link of the tree
  bool touches;
} writer;

#define WRITE(w, ...) ((w)->at += sprintf((w)->at, __VA_ARGS__))

static void write_joint(writer *w, const char *kind, int link, int part) {
  const bool turns = strcmp(kind, "slide") != 0, ball = strcmp(kind, "ball") == 0;
  double axis[3];
  three(axis, -1.0, 1.0, 0.1);
  WRITE(w, "<joint name='j%d_%d' type='%s' axis='%g %g %g'", link, part, kind, axis[0], axis[1],
        axis[2]);
  const double scale = w->mass * (turns ? 0.01 : 1.0);
  if (w->extra == WITHIN_ARMATURE) WRITE(w, " armature='%g'", scale * log_uniform(0.01, 10.0));
  const double stiffness = log_uniform(1.0, 1e3), damping = log_uniform(0.1, 10.0);
  if (w->extra == WITHIN_SPRINGS)
    WRITE(w, " stiffness='%g' damping='%g'", scale * stiffness, scale * damping);
  if (w->extra == WITHIN_FRICTION && !ball)
    WRITE(w, " frictionloss='%g'", scale * log_uniform(0.01, 1.0));
  if (w->extra == WITHIN_LIMITS && !ball)
    WRITE(w, " range='%g %g'", turns ? -20.0 : -0.1, turns ? 20.0 : 0.1);
  WRITE(w, "/>");
}

static void write_joints(writer *w, int link) {
  switch (one_of(5)) {
    case 0: write_joint(w, "hinge", link, 0); return;
    case 1: write_joint(w, "slide", link, 0); return;
    case 2: write_joint(w, "ball", link, 0); return;
    case 3:
      write_joint(w, "hinge", link, 0);
      write_joint(w, "hinge", link, 1);
      return;
    default:
      write_joint(w, "slide", link, 0);
      write_joint(w, "slide", link, 1);
      write_joint(w, "hinge", link, 2);
      return;
  }
}

static void write_geom(writer *w) {
  static const char *const kinds[] = {"sphere", "box", "capsule"};
  const double size = uniform(0.03, 0.08);
  WRITE(w, "<geom type='%s' size='%g %g %g'/>", kinds[one_of(3)], size, 0.7 * size, 0.5 * size);
}

static void write_link(writer *w, int link) {
  const double mass = w->mass = log_uniform(1e-3, 1e3), inertia = mass * log_uniform(1e-3, 0.05);
  double at[3], com[3], more[3];
  three(at, -0.3, 0.3, 0.1), three(com, -0.1, 0.1, -0.1), three(more, 1.0, 1.5, 1.0);
  WRITE(w, "<body name='b%d' pos='%g %g %g'>", link, at[0], at[1], at[2]);
  if (link == w->first) WRITE(w, "<freejoint/>");
  else if (w->extra == WITHIN_TENDONS) write_joint(w, one_of(2) ? "hinge" : "slide", link, 0);
  else write_joints(w, link);
  WRITE(w, "<inertial pos='%g %g %g' mass='%g' diaginertia='%g %g %g'/>", com[0], com[1], com[2],
        mass, inertia, inertia * more[0], inertia * more[1]);
  if (w->touches) write_geom(w);
}

static void write_links(writer *w, int links) {
  int depth = 0;
  for (int i = 0; i < links; ++i, ++depth) {
    for (; depth > 1 && one_of(3) == 0; --depth) WRITE(w, "</body>");
    write_link(w, w->first + i);
  }
  while (depth-- > 0) WRITE(w, "</body>");
}

// Returns how many links there are.
static int write_tree(writer *w) {
  const int links = 2 + one_of(8);
  w->at = w->text;
  WRITE(w, "<mujoco><compiler angle='degree'/><option gravity='0 0 0'/><worldbody>");
  write_links(w, links);
  WRITE(w, "</worldbody>");
  const double stiffness = log_uniform(0.1, 10.0), damping = log_uniform(0.01, 1.0);
  double anchor[3];
  three(anchor, -0.1, 0.1, -0.1);
  if (w->extra == WITHIN_TENDONS && links > 2)
    WRITE(w,
          "<tendon><fixed stiffness='%g' damping='%g'><joint joint='j1_0' coef='1'/>"
          "<joint joint='j2_0' coef='-0.5'/></fixed></tendon>",
          w->mass * stiffness, w->mass * damping);
  if (w->extra == WITHIN_LOOPS)
    WRITE(w, "<equality><connect body1='b0' body2='b%d' anchor='%g %g %g'/></equality>", links - 1,
          anchor[0], anchor[1], anchor[2]);
  WRITE(w, "</mujoco>");
  return links;
}

typedef struct carried {
  double mass, com[3], angular[3], linear[3], kinetic, size;
} carried;

static carried carried_by(mjcf_world *w) {
  carried c = {0};
  double both[6];
  limpet_kinematics(w->model, w->data);
  limpet_velocity_kinematics(w->model, w->data);
  limpet_mass_matrix(w->model, w->data);
  limpet_centre_of_mass(w->model, w->data, 0, c.com);
  limpet_momentum(w->model, w->data, 0, c.com, both);
  limpet_vec3_copy(c.angular, both);
  limpet_vec3_copy(c.linear, both + 3);
  c.kinetic = limpet_kinetic_energy(w->model, w->data);
  for (int b = 1; b < w->model->body_count; ++b) {
    const double *I = w->model->body_inertia + 9 * b;
    const double distance = limpet_vec3_distance(w->data->body_com + 3 * b, c.com);
    c.mass += w->model->body_mass[b];
    c.size += I[0] + I[4] + I[8] + w->model->body_mass[b] * distance * distance;
  }
  return c;
}

typedef struct drift {
  double linear, angular, energy;
  int unsolved;
} drift;

static void raise_to(drift *worst, const drift *one) {
  worst->linear = fmax(worst->linear, one->linear);
  worst->angular = fmax(worst->angular, one->angular);
  worst->energy = fmax(worst->energy, one->energy);
  worst->unsolved += one->unsolved;
}

typedef struct throw {
  double dt, speed;
  int count;  // steps
  unsigned long seed;
}
throw;

// Every third hinge becomes a screw, which MJCF does not have.
static void add_screws(limpet_model *model) {
  for (int j = 0; j < model->joint_count; ++j) {
    if (j % 3 != 0 || model->joint_kind[j] != LIMPET_JOINT_REVOLUTE) continue;
    model->joint_kind[j] = LIMPET_JOINT_SCREW;
    model->joint_advance[j] = uniform(-0.05, 0.05);
  }
}

// [rad]  largest number of v in a step
static double farthest(const mjcf_world *w) {
  double most = 0.0;
  for (int i = 0; i < w->model->nv; ++i) most = fmax(most, fabs(w->data->v[i]));
  return w->settings.time_step * most;
}

/* Loops of light and heavy links turn at a hundred times the speed that they were thrown with: what
 * turns by more than 0.1 rad in a step is not followed on. Momentum is measured against that which
 * bodies of this mass and spread have with the largest energy, energy against that of the start. */
static drift fly(const char *text, const throw *t) {
  drift worst = {0};
  mjcf_world w = mjcf_world_of(text, NULL);
  w.settings.time_step = t->dt;
  seed = t->seed;
  add_screws(w.model);
  for (int i = 0; i < w.model->nv; ++i) w.data->v[i] = t->speed * uniform(-1.0, 1.0);
  const carried start = carried_by(&w);
  double size = start.size, kinetic = start.kinetic;
  for (int i = 0; i < t->count; ++i) {
    worst.unsolved += limpet_step(w.model, w.data, &w.settings) != LIMPET_OUTCOME_SOLVED;
    if (w.model->loop_count > 0 && farthest(&w) > 0.1) break;
    if (i % 20 != 19) continue;
    const carried now = carried_by(&w);
    size = fmax(size, now.size), kinetic = fmax(kinetic, now.kinetic);
    const drift one = {
        limpet_vec3_distance(now.linear, start.linear) / sqrt(2.0 * start.mass * kinetic),
        limpet_vec3_distance(now.angular, start.angular) / sqrt(2.0 * size * kinetic),
        fabs(now.kinetic - start.kinetic) / start.kinetic, 0};
    raise_to(&worst, &one);
  }
  mjcf_world_destroy(&w);
  return worst;
}

/* Energy is kept to 1e-4 where links do not turn far in a step. Where a light link whips, its speed
 * may double within a step: then it is kept to 1e-2, and better by steps of a 64th (a
 * whip is over in microseconds: no order is to be seen yet). */
static void check_energy(const char *text, const throw *t, double error) {
  if (error < 1e-4) return;
  const throw finer = {t->dt / 64.0, t->speed, 64 * t->count, t->seed};
  const drift fine = fly(text, &finer);
  print_message("energy %.2g at %.2g ms, %.2g at a 64th of it\n", error, 1e3 * t->dt, fine.energy);
  assert_true(error < 1e-2 && (fine.energy < 1e-4 || fine.energy < error));
}

static void random_trees_keep_their_momentum(void **state) {
  (void)state;
  static writer text;
  for (int extra = 0; extra < WITHIN_COUNT; ++extra) {
    drift all = {0};
    text.extra = (within)extra;
    for (unsigned i = 0; i < 150; i += (unsigned)test_effort(1, 12)) {
      seed = 77 + i;
      for (int k = 0; k < 8; ++k) uniform(0.0, 1.0);
      write_tree(&text);
      throw t = {.dt = log_uniform(5e-5, 5e-3), .count = 200};
      t.speed = log_uniform(0.05, 5.0);
      t.seed = seed;
      const drift one = fly(text.text, &t);
      if (extra <= WITHIN_ARMATURE) check_energy(text.text, &t, one.energy);
      raise_to(&all, &one);
    }
    print_message("%s: momentum %.2g, angular %.2g; unsolved %d\n", names[extra], all.linear,
                  all.angular, all.unsolved);
    assert_true(all.linear < 1e-12 && all.angular < 1e-12);
    assert_int_equal(all.unsolved, 0);
  }
}

// A box and three links; another one flies towards it.
#define JOINED(axis)                        \
  "<body pos='.1 .1 .1'><joint axis='" axis \
  "'/>"                                     \
  "<geom type='capsule' fromto='0 0 0 .1 .1 .15' size='.03' mass='.4'/>"
#define TREE(x)                                                                                   \
  "<body pos='" x " 0 0'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/>" JOINED("0 1 0") \
      JOINED("0 0 1") JOINED("1 0 0") "</body></body></body></body>"

typedef struct collision {
  double between[2];  // [N s, N m s]  largest sum of impulses on both trees: force, moment
  double gained;      // [N m s]  angular momentum that steps gained, summed
  // [N s, N m s]  total at the end, less that at the start; about the centre of mass of both
  double linear, angular;
} collision;

typedef struct pose {
  double position[3], rotation[9];
} pose;

// Of the first body of each tree, before the step.
static void look(const mjcf_world *w, pose first[2]) {
  limpet_kinematics(w->model, w->data);
  for (int t = 0; t < 2; ++t) {
    const int body = w->model->tree_body[t];
    limpet_vec3_copy(first[t].position, w->data->body_position + 3 * body);
    limpet_mat3_copy(first[t].rotation, w->data->body_rotation + 9 * body);
  }
}

// Impulses of a step on the first joint, and their moment about the world's origin.
static void add_impulse(const mjcf_world *w, int tree, const pose *at, double force[3],
                        double moment[3]) {
  const double *P = w->data->constraint_joint_force + w->model->tree_dof[tree];
  double turned[3];
  limpet_vec3_addmul(force, force, w->settings.time_step, P);
  limpet_mat3_mul_vec(turned, at->rotation, P + 3);
  limpet_vec3_addmul(moment, moment, w->settings.time_step, turned);
  limpet_vec3_cross(turned, at->position, P);
  limpet_vec3_addmul(moment, moment, w->settings.time_step, turned);
}

static collision collide(double dt, double tolerance) {
  collision c = {0};
  mjcf_world w = mjcf_world_of(
      "<mujoco><option gravity='0 0 0'/><default><geom friction='.5'/>"
      "</default><worldbody>" TREE("-.3") TREE(".3") "</worldbody></mujoco>",
      NULL);
  static const double v0[18] = {2, 0, 0, 3, -2, 4, -1.4, 3.3, 4.9, -2, 0, 0, 0, 3, 0, 3.8, 3, -0.6};
  w.settings.time_step = dt, w.settings.energy = true;
  if (tolerance > 0.0) w.settings.tolerance = tolerance;
  memcpy(w.data->v, v0, sizeof v0);
  const carried start = carried_by(&w);
  while (w.data->time < 0.6) {
    double force[3] = {0}, moment[3] = {0};
    pose first[2];
    look(&w, first);
    mjcf_world_step(&w);
    for (int t = 0; t < 2; ++t) add_impulse(&w, t, &first[t], force, moment);
    c.between[0] = fmax(c.between[0], limpet_vec3_norm(force));
    c.between[1] = fmax(c.between[1], limpet_vec3_norm(moment));
    c.gained += w.data->info.angular_momentum_gained;
  }
  const carried end = carried_by(&w);
  c.linear = limpet_vec3_distance(end.linear, start.linear);
  c.angular = limpet_vec3_distance(end.angular, start.angular);
  mjcf_world_destroy(&w);
  return c;
}

/* Impulses of contacts are opposite and equal, force and moment, whatever trees they act on, and
 * each tree gets the momentum of its own. What steps gain is what the solver leaves. */
static void collisions_are_opposite_and_equal(void **state) {
  (void)state;
  for (int fine = 0; fine < 2; ++fine) {
    const double dt = fine ? 2.5e-4 : 2e-3;
    const collision c = collide(dt, 0.0);
    print_message("%g ms: sum of impulses %.2g N s, %.2g N m s; gained %.2g N m s, %.2g N s\n",
                  1e3 * dt, c.between[0], c.between[1], c.gained, c.linear);
    assert_true(c.between[0] < 1e-12 && c.between[1] < 1e-12);
    assert_true(c.gained < 1e-5 && c.linear < 1e-12);
  }
}

/* The centres of mass of trees in contact go straight, so that their angular momentum about a fixed
 * point stays, too, where the solver leaves nothing. */
static void collisions_keep_moments_about_a_point(void **state) {
  (void)state;
  const collision c = collide(2e-3, 1e-14);
  print_message("solved to 1e-14: %.2g N m s, %.2g N s\n", c.angular, c.linear);
  assert_true(c.angular < 1e-12 && c.linear < 1e-12);
}

// Two trees and two bodies that are thrown at each other, on a floor or without one.
static void write_crowd(writer *w, bool floor) {
  w->at = w->text, w->first = 0, w->touches = true, w->extra = WITHIN_NOTHING;
  const double friction = log_uniform(0.05, 1.0);
  WRITE(w,
        "<mujoco><option gravity='0 0 %g'/><default><geom friction='%g'/></default>"
        "<worldbody>",
        floor ? -9.81 : 0.0, friction);
  if (floor) WRITE(w, "<geom type='plane' size='9 9 1'/>");
  for (int k = 0; k < 4; ++k) {
    const int links = k < 2 ? 2 + one_of(5) : 1;
    WRITE(w, "<frame pos='%g 0 %g'>", 0.3 * k - 0.4, 0.3 + 0.1 * k);
    write_links(w, links);
    WRITE(w, "</frame>");
    w->first += links;
  }
  WRITE(w, "</worldbody></mujoco>");
}

typedef struct balance {
  double total[3];         // [N s]  that the world must have
  double linear, angular;  // largest departures of a step, as shares of the largest momentum
  double missed;           // of the total
  int unsolved;
} balance;

// Gravity and the forces of contacts with the floor.
static void add_outside(const mjcf_world *w, double mass, double total[3]) {
  const limpet_data *data = w->data;
  limpet_vec3_addmul(total, total, mass * w->settings.time_step, w->model->options.gravity);
  for (int i = 0; i < data->contact_count; ++i) {
    const int a = w->model->geom_body[data->contact_geom[2 * i]],
              b = w->model->geom_body[data->contact_geom[2 * i + 1]];
    if (a != 0 && b != 0) continue;
    double force[3];
    limpet_mat3_tmul_vec(force, data->contact_frame + 9 * i, data->contact_force + 3 * i);
    limpet_vec3_addmul(total, total, (a == 0 ? 1.0 : -1.0) * w->settings.time_step, force);
  }
}

static balance throw_crowd(const char *text, const throw *t) {
  balance all = {0};
  mjcf_world w = mjcf_world_of(text, NULL);
  w.settings.time_step = t->dt, w.settings.energy = true;
  seed = t->seed;
  for (int i = 0; i < w.model->nv; ++i) w.data->v[i] = t->speed * uniform(-1.0, 1.0);
  for (int k = 0; k < w.model->tree_count; ++k)
    w.data->v[w.model->tree_dof[k]] += t->speed * (1.5 - k);
  const carried start = carried_by(&w);
  double scale = 0.0, kinetic = start.kinetic;
  limpet_vec3_copy(all.total, start.linear);
  for (int i = 0; i < t->count; ++i) {
    all.unsolved += limpet_step(w.model, w.data, &w.settings) != LIMPET_OUTCOME_SOLVED;
    add_outside(&w, start.mass, all.total);
    kinetic = fmax(kinetic, w.data->info.kinetic_energy);
    scale = sqrt(2.0 * start.mass * kinetic);
    all.linear = fmax(all.linear, w.data->info.momentum_gained / scale);
    all.angular = fmax(all.angular, w.data->info.angular_momentum_gained / scale);
  }
  const carried end = carried_by(&w);
  all.missed = limpet_vec3_distance(end.linear, all.total) / scale;
  mjcf_world_destroy(&w);
  return all;
}

/* Trees of all masses that hit each other, single bodies and the floor: each step changes momentum
 * by its impulses and gravity, and angular momentum by their moments, to what the solver leaves
 * (its tolerance is 1e-8 of the momentum of an island). Halving the step does not matter. */
static void thrown_trees_balance_their_impulses(void **state) {
  (void)state;
  static writer text;
  for (int floor = 0; floor < 2; ++floor) {
    balance worst = {0};
    for (unsigned i = 0; i < 40; i += (unsigned)test_effort(1, 6)) {
      seed = 900 + i;
      for (int k = 0; k < 8; ++k) uniform(0.0, 1.0);
      write_crowd(&text, floor == 1);
      throw t = {.dt = log_uniform(1e-4, 5e-3), .count = 150};
      t.speed = log_uniform(0.1, 5.0);
      t.seed = seed;
      for (int half = 0; half < 2; ++half, t.dt *= 0.5, t.count *= 2) {
        const balance one = throw_crowd(text.text, &t);
        worst.linear = fmax(worst.linear, one.linear);
        worst.angular = fmax(worst.angular, one.angular);
        worst.missed = fmax(worst.missed, one.missed);
        worst.unsolved += one.unsolved;
      }
    }
    print_message("crowds%s: steps gain %.2g, %.2g m; all of it %.2g; unsolved %d\n",
                  floor ? " on a floor" : "", worst.linear, worst.angular, worst.missed,
                  worst.unsolved);
    assert_true(worst.linear < 1e-4 && worst.angular < 1e-4);
    assert_true(worst.missed < (floor ? 1e-4 : 1e-7));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_trees_keep_their_momentum),
      cmocka_unit_test(collisions_are_opposite_and_equal),
      cmocka_unit_test(collisions_keep_moments_about_a_point),
      cmocka_unit_test(thrown_trees_balance_their_impulses),
  };
  return cmocka_run_group_tests_name("conservation", tests, NULL, NULL);
}

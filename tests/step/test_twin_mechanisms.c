/* tests/step/test_twin_mechanisms.c: a mechanism moves alike however it is described.
 *
 * Random chains that float or hang, of links with hinges, slides and balls, slow and as fast as 0.3
 * rad in a step, against the same with the frames of all links turned, with links in two bodies
 * that are welded together, with armature on tendons of one joint, and with other units of mass and
 * length; in flight, and (but for units: speeds of stiction and of return are given in m/s) where
 * balls on the links land on a floor, near-rigid. What differs is round-off: 1e-16 in each number,
 * which steps of 0.3 rad multiply. */
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
#include "mjcf_writer.h"
#include "random_models.h"

enum { MOST = 4, TEXT = 8192, STEPS = 4 };

typedef enum joint { HINGE, SLIDE, BALL } joint;

typedef struct link {
  joint kind;
  double place[3], turn[4], axis[3], com[3], principal[4], mass, moments[3], armature;
  double limit;               // [rad, m]  on either side; 0: none
  double frame[4];            // of the twin with turned frames
  double part[3], partly[4];  // pose of the second half
} link;

typedef struct chain {
  int count;
  bool floats;
  link at[MOST];
  double time_step, turn;  // [s], [rad]  of the fastest joint in a step
  double length;           // [m]
  double floor;            // [m]  its height; -INFINITY: there is none
} chain;

typedef enum twin { PLAIN, TURNED, SPLIT, TENDONS, UNITS, TWINS } twin;

static const char *const names[TWINS] = {"itself", "frames", "parts", "tendons", "units"};

static unsigned long seed = 31;

static link draw_link(double mass, double length) {
  link k = {.kind = (joint)(int)random_uniform(&seed, 0.0, 2.999)};
  random_vector(&seed, k.place, 3, length);
  random_quaternion(&seed, k.turn);
  random_vector(&seed, k.axis, 3, 1.0);
  random_vector(&seed, k.com, 3, 0.3 * length);
  random_quaternion(&seed, k.principal);
  random_quaternion(&seed, k.frame);
  random_vector(&seed, k.part, 3, length);
  random_quaternion(&seed, k.partly);
  k.mass = mass * random_log(&seed, 0.1, 10.0);
  for (int i = 0; i < 3; ++i)
    k.moments[i] = k.mass * length * length * random_uniform(&seed, 0.1, 0.19);
  if (k.kind != BALL && random_uniform(&seed, 0.0, 1.0) < 0.5)
    k.armature = k.mass * (k.kind == SLIDE ? 1.0 : length * length) * random_log(&seed, 0.01, 10.0);
  if (k.kind != BALL && random_uniform(&seed, 0.0, 1.0) < 0.4)
    k.limit = k.kind == SLIDE ? 0.5 * length : 0.5;
  return k;
}

static chain draw_chain(void) {
  chain c = {.count = 1 + (int)random_uniform(&seed, 0.0, MOST - 1e-9),
             .floats = random_uniform(&seed, 0.0, 1.0) < 0.6,
             .time_step = random_log(&seed, 1e-4, 5e-3),
             .turn = random_log(&seed, 1e-3, 0.3),
             .floor = -INFINITY};
  const double mass = random_log(&seed, 1e-3, 1e4), length = random_log(&seed, 0.03, 1.0);
  c.length = length;
  for (int i = 0; i < c.count; ++i) c.at[i] = draw_link(mass, length);
  return c;
}

// ------------------------------------------------------------------------------- descriptions

static const double unit_mass = 0.0078125, unit_length = 32.0;

static void write_inertia(mjcf_writer *w, const link *k, const double com[3], const double axes[4],
                          double share, double mass, double length) {
  const double m = share * mass * k->mass;
  mjcf_write(w, "<inertial");
  mjcf_write_numbers(w, "mass", &m, 1, 1.0);
  mjcf_write_numbers(w, "pos", com, 3, length);
  mjcf_write_numbers(w, "quat", axes, 4, 1.0);
  mjcf_write_numbers(w, "diaginertia", k->moments, 3, share * mass * length * length);
  mjcf_write(w, "/>");
}

static void write_joint(mjcf_writer *w, const chain *c, int i, twin of, const double own[4],
                        double mass, double length) {
  static const char *const kinds[] = {"hinge", "slide", "ball"};
  const link *k = &c->at[i];
  double axis[3];
  if (i == 0 && c->floats) {
    mjcf_write(w, "<freejoint name='j0'/>");
    return;
  }
  mjcf_vector_in(axis, own, k->axis);
  mjcf_write(w, "<joint name='j%d' type='%s'", i, kinds[k->kind]);
  if (k->kind != BALL) mjcf_write_numbers(w, "axis", axis, 3, 1.0);
  if (k->armature > 0.0 && of != TENDONS)
    mjcf_write_numbers(w, "armature", &k->armature, 1,
                       mass * (k->kind == SLIDE ? 1.0 : length * length));
  const double range[2] = {-k->limit, k->limit};
  if (k->limit > 0.0) mjcf_write_numbers(w, "range", range, 2, k->kind == SLIDE ? length : 1.0);
  mjcf_write(w, "/>");
}

static double radius_of(const chain *c) { return 0.2 * c->length; }

// It touches the floor alone.
static void write_ball(mjcf_writer *w, const chain *c, const double com[3], double length) {
  const double radius = radius_of(c);
  mjcf_write(w, "<geom mass='0' contype='2' conaffinity='1'");
  mjcf_write_numbers(w, "pos", com, 3, length);
  mjcf_write_numbers(w, "size", &radius, 1, length);
  mjcf_write(w, "/>");
}

static void write_link(mjcf_writer *w, const chain *c, int i, twin of) {
  static const double none[4] = {1.0, 0.0, 0.0, 0.0};
  const link *k = &c->at[i];
  const double mass = of == UNITS ? unit_mass : 1.0, length = of == UNITS ? unit_length : 1.0;
  const double *own = of == TURNED ? k->frame : none,
               *parent = of == TURNED && i > 0 ? c->at[i - 1].frame : none;
  double place[3], turn[4], moved[4], com[3], axes[4], away[3];
  mjcf_vector_in(place, parent, k->place);
  limpet_quaternion_mul(moved, k->turn, own);
  mjcf_turn_in(turn, parent, moved);
  mjcf_vector_in(com, own, k->com);
  mjcf_turn_in(axes, own, k->principal);
  mjcf_write(w, "<body");
  mjcf_write_numbers(w, "pos", place, 3, length);
  mjcf_write_numbers(w, "quat", turn, 4, 1.0);
  mjcf_write(w, ">");
  write_joint(w, c, i, of, own, mass, length);
  if (isfinite(c->floor)) write_ball(w, c, com, length);
  write_inertia(w, k, com, axes, of == SPLIT ? 0.5 : 1.0, mass, length);
  if (of != SPLIT) return;
  mjcf_write(w, "<body");
  mjcf_write_numbers(w, "pos", k->part, 3, 1.0);
  mjcf_write_numbers(w, "quat", k->partly, 4, 1.0);
  mjcf_write(w, ">");
  limpet_vec3_sub(away, k->com, k->part);
  mjcf_vector_in(com, k->partly, away);
  mjcf_turn_in(axes, k->partly, k->principal);
  write_inertia(w, k, com, axes, 0.5, 1.0, 1.0);
  mjcf_write(w, "</body>");
}

static mjcf_world world_of(const chain *c, twin of) {
  char text[TEXT];
  mjcf_writer w = {.text = text, .size = sizeof text};
  mjcf_write(&w,
             "<mujoco><compiler angle='radian'/><option timestep='%.17g' gravity='0 0 %.17g'/>"
             "<worldbody>",
             c->time_step, -9.81 * (of == UNITS ? unit_length : 1.0));
  if (isfinite(c->floor))
    mjcf_write(&w,
               "<geom type='plane' contype='1' conaffinity='2' size='1 1 1' friction='.6' "
               "pos='0 0 %.17g'/>",
               c->floor * (of == UNITS ? unit_length : 1.0));
  for (int i = 0; i < c->count; ++i) write_link(&w, c, i, of);
  for (int i = 0; i < c->count; ++i) mjcf_write(&w, "</body>");
  mjcf_write(&w, "</worldbody><tendon>");
  for (int i = c->floats; i < c->count && of == TENDONS; ++i)
    if (c->at[i].armature > 0.0)
      mjcf_write(&w, "<fixed armature='%.17g'><joint joint='j%d' coef='1'/></fixed>",
                 c->at[i].armature, i);
  mjcf_write(&w, "</tendon></mujoco>");
  mjcf_world world = mjcf_world_of(text, NULL);
  world.settings.tolerance = 1e-13;
  return world;
}

// ------------------------------------------------------------------------------------- states

static joint kind_of(const chain *c, int i) { return i == 0 && c->floats ? BALL : c->at[i].kind; }

// Numbers of q and v before those of a joint, or of the rotation of one that is free.
static void places(const chain *c, int i, int *q, int *v) {
  *q = *v = c->floats ? 3 : 0;
  for (int k = 0; k < i; ++k) {
    *q += kind_of(c, k) == BALL ? 4 : 1;
    *v += kind_of(c, k) == BALL ? 3 : 1;
  }
}

// The fastest joint turns by c->turn in the first step.
static void start(const chain *c, limpet_data *data) {
  const double speed = c->turn / c->time_step;
  random_vector(&seed, data->v, data->model->nv, speed);
  for (int i = 0; i < c->count; ++i) {
    int q, v;
    places(c, i, &q, &v);
    if (kind_of(c, i) == BALL) random_quaternion(&seed, data->q + q);
    else
      data->q[q] = c->at[i].limit > 0.0 ? random_uniform(&seed, -0.9, 0.9) * c->at[i].limit : 0.3;
  }
}

static void put(const chain *c, twin of, const limpet_data *from, limpet_data *to) {
  const double length = of == UNITS ? unit_length : 1.0;
  for (int k = 0; k < 3 && c->floats; ++k)
    to->q[k] = length * from->q[k], to->v[k] = length * from->v[k];
  for (int i = 0; i < c->count; ++i) {
    int q, v;
    places(c, i, &q, &v);
    const double *frame = c->at[i].frame, scale = kind_of(c, i) == SLIDE ? length : 1.0;
    if (kind_of(c, i) != BALL) {
      to->q[q] = scale * from->q[q], to->v[v] = scale * from->v[v];
      continue;
    }
    double turned[4], none[4] = {1.0, 0.0, 0.0, 0.0};
    limpet_quaternion_mul(turned, from->q + q, of == TURNED ? frame : none);
    mjcf_turn_in(to->q + q, of == TURNED && !(i == 0 && c->floats) ? frame : none, turned);
    mjcf_vector_in(to->v + v, of == TURNED ? frame : none, from->v + v);
  }
}

// [-]  Of the fastest turn.
static double difference(const chain *c, twin of, const limpet_data *plain, const limpet_data *b) {
  double worst = 0.0, fastest = 1e-3;
  for (int i = 0; i < c->count; ++i) {
    int q, v;
    places(c, i, &q, &v);
    const int count = kind_of(c, i) == BALL ? 3 : 1;
    if (kind_of(c, i) == SLIDE) continue;
    double moved[3] = {b->v[v]};
    if (count == 3)
      limpet_quaternion_rotate(moved, of == TURNED ? c->at[i].frame : (double[4]){1.0}, b->v + v);
    for (int k = 0; k < count; ++k) {
      worst = limpet_max(worst, fabs(moved[k] - plain->v[v + k]));
      fastest = limpet_max(fastest, fabs(plain->v[v + k]));
    }
  }
  return worst / fastest;
}

// A floor that the lowest ball of the world touches, or nearly: the world anew with it.
static void add_floor(chain *c, mjcf_world *plain) {
  const double gap = random_uniform(&seed, -1e-3, 1e-3) * c->length;
  double low = INFINITY;
  limpet_kinematics(plain->model, plain->data);
  for (int b = 1; b < plain->model->body_count; ++b)
    low = limpet_min(low, plain->data->body_com[3 * b + 2]);
  c->floor = low - radius_of(c) + gap;
  const mjcf_world flying = *plain;
  *plain = world_of(c, PLAIN);
  memcpy(plain->data->q, flying.data->q, (size_t)plain->model->nq * sizeof(double));
  memcpy(plain->data->v, flying.data->v, (size_t)plain->model->nv * sizeof(double));
  mjcf_world_destroy((mjcf_world *)&flying);
}

static void compare(bool lands) {
  const int chains = test_effort(400, 40);
  int looks[TWINS] = {0}, fine[TWINS] = {0}, touched = 0, parted = 0;
  double worst[TWINS] = {0.0};
  for (int k = 0; k < chains; ++k) {
    chain c = draw_chain();
    mjcf_world plain = world_of(&c, PLAIN);
    start(&c, plain.data);
    if (lands) add_floor(&c, &plain);
    mjcf_world other[TWINS];
    const int twins = lands ? UNITS : TWINS;
    for (int t = 1; t < twins; ++t) other[t] = world_of(&c, (twin)t);
    for (int t = 1; t < twins; ++t) put(&c, (twin)t, plain.data, other[t].data);
    bool apart[TWINS] = {false};
    for (int i = 0; i < STEPS; ++i) {
      limpet_step(plain.model, plain.data, &plain.settings);
      touched += plain.data->info.contact_count > 0;
      for (int t = 1; t < twins; ++t) {
        limpet_step(other[t].model, other[t].data, &other[t].settings);
        // an impact that is posed anew with other points in the other world has two solutions
        const limpet_step_info *a = &plain.data->info, *b = &other[t].data->info;
        if (!apart[t] && (a->repeats != b->repeats || a->contact_count != b->contact_count))
          apart[t] = true, ++parted;
        if (apart[t]) continue;
        const double found = difference(&c, (twin)t, plain.data, other[t].data);
        if (found > 1e-7) print_message("chain %d, %s, step %d: %.2g\n", k, names[t], i, found);
        worst[t] = limpet_max(worst[t], found);
        ++looks[t], fine[t] += found < 1e-9;
      }
    }
    for (int t = 1; t < twins; ++t) mjcf_world_destroy(&other[t]);
    mjcf_world_destroy(&plain);
  }
  for (int t = 1; t < TWINS; ++t)
    print_message("%s: %d steps, %d within 1e-9, worst %.2g of the fastest turn\n", names[t],
                  looks[t], fine[t], worst[t]);
  print_message("%d steps with contacts, %d chains part\n", touched, parted);
  assert_true((touched > 0) == lands && parted <= 1 + chains / 100);
  for (int t = 1; t < TWINS; ++t) {
    assert_true(fine[t] >= (lands ? 0.97 : 0.99) * looks[t]);
    assert_true(worst[t] < 1e-5);
  }
}

static void test_twins(void **state) {
  (void)state;
  compare(false);
}

static void test_landing_twins(void **state) {
  (void)state;
  compare(true);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_twins),
                                     cmocka_unit_test(test_landing_twins)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

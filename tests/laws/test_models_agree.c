/* tests/laws/test_models_agree.c: bodies that land, slide and spin, under `coulomb` and beside it
 * under `similar`, whose friction is Coulomb's with the normal impulse of the same step, too.
 *
 * Friction 0.01 to 1.5, steps 0.05 to 5 ms, masses of six decades, on the floor and on a free slab
 * of 1e2 to 1e6 times the mass. `similar` pays with a gap of dt mu times the slip of each point; of
 * a box that spins on four corners the faster ones lift, and its friction is off by up to a third.
 * So that box stands beside the rigid box, integrated here. `sap` and `lagged` agree with both only
 * where they should: gliding and impacts part them (docs/theory/coulomb.md, limpet bench truth). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "effort.h"
#include "limpet/step.h"
#include "mjcf_world.h"
#include "shared_data.h"

static const double gravity = 9.81;                // [m/s^2]
static const double half = 0.1, thickness = 0.02;  // [m]  half sizes of the box
static const double drop = 1e-3;                   // [m]
static const char *const geoms[] = {"type='box' size='.1 .1 .02'", "type='sphere' size='.05'",
                                    "type='capsule' size='.03 .1' euler='90 0 0'"};
static const double height[] = {0.02, 0.05, 0.03};  // [m]  of its centre
enum { BOX, SPHERE, CAPSULE, SHAPES };

typedef struct slide {
  int shape;
  double friction, dt, mass, slab;  // [-], [s], [kg], [kg] 0: the floor
  double down, along, spin;         // [m/s], [m/s], [rad/s]
  double time;                      // [s]
} slide;

// Where it comes and how fast it is then, both relative to what it slides on.
typedef struct place {
  double x, v;  // [m], [m/s]
} place;

static slide random_slide(unsigned long *seed, int shape) {
  slide s = {.shape = shape,
             .friction = random_log_uniform(seed, 0.01, 1.5),
             .dt = random_log_uniform(seed, 5e-5, 5e-3),
             .mass = random_log_uniform(seed, 1e-3, 1e3),
             .down = random_log_uniform(seed, 0.05, 2.0),
             .along = random_log_uniform(seed, 0.1, 4.0),
             .spin = random_uniform(seed, -5.0, 5.0)};
  if (random_uniform(seed, 0.0, 1.0) < 0.5) s.slab = s.mass * random_log_uniform(seed, 1e2, 1e6);
  s.time = fmin(0.4, 2000.0 * s.dt);
  return s;
}

static place run(const slide *s, const char *model) {
  char text[2048], below[512] = "";
  if (s->slab > 0.0)
    snprintf(below, sizeof below,
             "<body pos='0 0 .1'><freejoint/><geom type='box' size='40 5 .1' mass='%.17g' "
             "friction='%.17g'/></body>",
             s->slab, s->friction);
  snprintf(text, sizeof text,
           "<mujoco><option timestep='%.17g'/><worldbody><geom type='plane' size='50 50 .1' "
           "friction='%.17g'/>%s<body pos='0 0 %.17g'><freejoint/><geom %s mass='%.17g' "
           "friction='%.17g'/></body></worldbody></mujoco>",
           s->dt, s->slab > 0.0 ? 2.0 : s->friction, below,
           (s->slab > 0.0 ? 0.2 : 0.0) + height[s->shape] + drop, geoms[s->shape], s->mass,
           s->friction);
  mjcf_world w = mjcf_world_of(text, model);
  double *v = w.data->v + (s->slab > 0.0 ? 6 : 0), *q = w.data->q + (s->slab > 0.0 ? 7 : 0);
  v[0] = s->along, v[2] = -s->down, v[5] = s->spin;
  mjcf_world_run(&w, s->time);
  place end = {q[0], v[0]};
  if (s->slab > 0.0) end.x -= w.data->q[0], end.v -= w.data->v[0];
  mjcf_world_destroy(&w);
  return end;
}

/* Spheres and capsules that spin, boxes that do not, to 1 %. Boxes may stop at once: of theirs a
 * third of the way of a step is taken off, as a landing falls on two steps. */
static void bodies_come_as_far_as_with_similar(void **state) {
  (void)state;
  enum { ROUNDS = TEST_WATCHED ? 15 : 90 };
  unsigned long seed = 9;
  double worst[SHAPES] = {0};
  for (int i = 0; i < ROUNDS; ++i) {
    slide s = random_slide(&seed, i % SHAPES);
    if (s.shape == BOX) s.spin = 0.0;
    const place coulomb = run(&s, "coulomb"), similar = run(&s, "similar");
    const double part = s.shape == BOX ? s.dt * s.along / 3.0 : 0.0,
                 off = fmax(0.0, fabs(coulomb.x - similar.x) - part) / fabs(similar.x);
    if (!(off < 0.01))
      fail_msg("%s, mu %g, dt %g, mass %g, slab %g, down %g, along %g, spin %g: %g m and %g m",
               geoms[s.shape], s.friction, s.dt, s.mass, s.slab, s.down, s.along, s.spin, coulomb.x,
               similar.x);
    worst[s.shape] = fmax(worst[s.shape], off);
  }
  printf(
      "ways of %d bodies that land and slide, off from those of similar by at most: box %.2g, "
      "sphere %.2g, capsule %.2g\n",
      ROUNDS, worst[BOX], worst[SPHERE], worst[CAPSULE]);
}

// A rigid box on its four corners: loads that hold its tilt, friction of each along its own slip.
typedef struct rigid_box {
  double friction, v[2], spin, turned;  // [-], [m/s], [rad/s], [rad]
} rigid_box;

// Accelerations along x, y and about the vertical, over the mass, under a load over the mass.
static void accelerate(const rigid_box *b, double load, double a[3]) {
  const double c = cos(b->turned), s = sin(b->turned);
  double tilt[2] = {0.0, 0.0};  // [1/m]  of the loads
  for (int pass = 0; pass < 20; ++pass) {
    a[0] = a[1] = a[2] = 0.0;
    for (int k = 0; k < 4; ++k) {
      const double p = k & 1 ? half : -half, q = k & 2 ? half : -half;
      const double x = c * p - s * q, y = s * p + c * q;
      const double u[2] = {b->v[0] - b->spin * y, b->v[1] + b->spin * x};
      const double pull = 0.25 * load * (1.0 + tilt[0] * x + tilt[1] * y) * b->friction /
                          (hypot(u[0], u[1]) + 1e-12);
      a[0] -= pull * u[0], a[1] -= pull * u[1];
      a[2] -= (x * u[1] - y * u[0]) * pull;
    }
    for (int e = 0; e < 2; ++e) tilt[e] = -thickness * a[e] / (load * half * half);
  }
  a[2] /= 2.0 * half * half / 3.0;  // the inertia over the mass
}

static place slide_rigidly(const slide *s) {
  rigid_box b = {s->friction, {s->along, 0.0}, s->spin, 0.0};
  const double fall = sqrt(s->down * s->down + 2.0 * gravity * drop),
               in_air = (fall - s->down) / gravity;
  double x = in_air * s->along, a[3];
  b.turned = in_air * s->spin;
  enum { PARTS = 4000 };
  for (int k = 0; k < 2 * PARTS; ++k) {  // the impact, then the way
    const double dt = k < PARTS ? fall / PARTS : (s->time - in_air) / PARTS;
    accelerate(&b, k < PARTS ? 1.0 : gravity, a);
    for (int e = 0; e < 2; ++e) b.v[e] += dt * a[e];
    b.spin += dt * a[2];
    if (k >= PARTS) x += dt * b.v[0], b.turned += dt * b.spin;
  }
  return (place){x, b.v[0]};
}

// It slides all the time; the impact is a load without time.
static void a_box_that_spins_slides_as_a_rigid_one(void **state) {
  (void)state;
  enum { ROUNDS = TEST_WATCHED ? 6 : 40 };
  unsigned long seed = 31;
  double worst = 0.0, worst_of_similar = 0.0;
  for (int i = 0; i < ROUNDS; ++i) {
    slide s = random_slide(&seed, BOX);
    s.friction = random_log_uniform(&seed, 0.01, 0.1);
    s.down = random_log_uniform(&seed, 0.05, 0.5);
    s.along = 0.4 + 3.0 * s.friction * (s.down + gravity * 0.4);
    s.dt = random_log_uniform(&seed, 5e-5, 2e-3);
    s.time = fmin(0.4, 2000.0 * s.dt);
    const place coulomb = run(&s, "coulomb"), similar = run(&s, "similar"),
                rigid = slide_rigidly(&s);
    const double lost = s.along - rigid.v, off = fabs(coulomb.v - rigid.v) / lost;
    if (!(off < 0.02))
      fail_msg("mu %g, dt %g, mass %g, slab %g, down %g, along %g, spin %g: %g m/s, rigid %g",
               s.friction, s.dt, s.mass, s.slab, s.down, s.along, s.spin, coulomb.v, rigid.v);
    worst = fmax(worst, off);
    worst_of_similar = fmax(worst_of_similar, fabs(similar.v - rigid.v) / lost);
  }
  printf(
      "speed that friction takes from %d boxes that spin: off by at most %.2g; by %.2g with "
      "similar\n",
      ROUNDS, worst, worst_of_similar);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_come_as_far_as_with_similar),
      cmocka_unit_test(a_box_that_spins_slides_as_a_rigid_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

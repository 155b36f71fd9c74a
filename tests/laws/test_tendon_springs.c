/* tests/laws/test_tendon_springs.c: springs and dampers of tendons between trees are implicit.
 *
 * The law is that of one tree, whose matrix of the step has dt D + dt^2 K: in closed form on
 * sliders, and on pairs of bodies that are two trees, or one on a base that nothing moves. With it
 * no step is too long, what nothing drives loses energy, and its momentum stays. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dynamics/joint_spring.h"
#include "limpet/dynamics.h"
#include "limpet/gradient.h"
#include "mjcf_world.h"
#include "random_models.h"

static unsigned long seed;

static double uniform(double low, double high) { return random_uniform(&seed, low, high); }
static double decades(double low, double high) { return random_log(&seed, low, high); }
static bool likely(double share) { return uniform(0.0, 1.0) < share; }

static double energy(const limpet_data *data) {
  return data->info.kinetic_energy + data->info.potential_energy;
}

// --------------------------------------------------------------------------------- sliders

/* Two sliders, and a tendon of length l = a[0] x + a[1] y whose spring and damper have the rates
 * k[0]
 * + k[1] s + k[2] s^2 at the stretch s and c[0] + c[1] |l'| + c[2] l'^2. */
typedef struct sliders {
  double m[2], f[2];  // [kg], [N]  masses and applied forces
  double a[2], k[3], c[3];
  double rest[2];  // [m]  range of rest lengths
  double dt;       // [s]
  bool grows;
} sliders;

static sliders random_sliders(void) {
  sliders s = {.dt = decades(5e-5, 5e-3), .grows = likely(0.3)};
  for (int i = 0; i < 2; ++i) {
    s.m[i] = decades(1e-3, 1e3);
    s.a[i] = (likely(0.5) ? 1.0 : -1.0) * decades(0.1, 10.0);
    s.f[i] = likely(0.5) ? 0.0 : uniform(-5.0, 5.0);
  }
  s.k[0] = likely(0.2) ? 0.0 : decades(1e-1, 1e5);
  s.c[0] = likely(0.2) ? 0.0 : decades(1e-3, 1e3);
  for (int i = 1; i < 3 && s.grows; ++i) {
    s.k[i] = s.k[0] * (i == 1 ? uniform(-3.0, 3.0) : uniform(1.0, 5.0));
    s.c[i] = s.c[0] * uniform(0.0, 1.0);
  }
  s.rest[0] = uniform(-0.3, 0.3);
  s.rest[1] = s.rest[0] + (likely(0.5) ? 0.0 : uniform(0.0, 0.3));
  return s;
}

// [1/kg]  of the tendon.
static double mobility_of(const sliders *s) {
  return s->a[0] * s->a[0] / s->m[0] + s->a[1] * s->a[1] / s->m[1];
}

static mjcf_world world_of_sliders(const sliders *s, const char *contact_model) {
  char text[2048];
  snprintf(text, sizeof text,
           "<mujoco><option gravity='0 0 0' timestep='%.17g'><flag contact='disable'/></option>"
           "<worldbody><body><joint name='x' type='slide' axis='1 0 0'/><geom size='.1' "
           "mass='%.17g'/></body>"
           "<body pos='0 9 0'><joint name='y' type='slide' axis='1 0 0'/>"
           "<geom size='.1' mass='%.17g'/></body></worldbody><tendon><fixed stiffness='%.17g %.17g "
           "%.17g' damping='%.17g %.17g %.17g' springlength='%.17g %.17g'>"
           "<joint joint='x' coef='%.17g'/><joint joint='y' coef='%.17g'/></fixed></tendon>"
           "</mujoco>",
           s->dt, s->m[0], s->m[1], s->k[0], s->k[1], s->k[2], s->c[0], s->c[1], s->c[2],
           s->rest[0], s->rest[1], s->a[0], s->a[1]);
  return mjcf_world_of(text, contact_model);
}

// [N]  and [N/m]: force and implicit stiffness of the spring at a length [m].
static double spring_of(const sliders *s, double length, double *stiffness) {
  const double x = length > s->rest[1]   ? length - s->rest[1]
                   : length < s->rest[0] ? length - s->rest[0]
                                         : 0.0;
  const double rate = s->k[0] + x * (s->k[1] + x * s->k[2]),
               slope = s->k[0] + x * (2.0 * s->k[1] + 3.0 * x * s->k[2]);
  const bool slack = x == 0.0 && s->rest[0] < s->rest[1];
  *stiffness = slack ? 0.0 : s->grows ? fmax(0.0, fmax(rate, slope)) : s->k[0];
  return -rate * x;
}

/* Velocities at the end of a step by the closed form
 *   v1 = v* - M^-1 a h s (a v* - f/s) / (1 + h s w),   s = c + h k,   w = a M^-1 a'
 * of what is implicit, h = dt, and v* of what is not. Returns the size of what adds up. */
static double solve(const sliders *s, const double *q, const double *v, bool explicit_springs,
                    double v1[2]) {
  const double h = s->dt, length = s->a[0] * q[0] + s->a[1] * q[1],
               speed = fabs(s->a[0] * v[0] + s->a[1] * v[1]);
  double k, f = spring_of(s, length, &k), size = 0.0, along = 0.0, w = 0.0;
  const double c = s->c[0] + speed * (s->c[1] + speed * s->c[2]);
  if (explicit_springs) k = 0.0;
  for (int i = 0; i < 2; ++i) {
    v1[i] = v[i] + h * s->f[i] / s->m[i];
    if (k == 0.0) v1[i] += h * s->a[i] * f / s->m[i];
    along += s->a[i] * v1[i], w += s->a[i] * s->a[i] / s->m[i];
    size = fmax(size, fmax(fabs(v[i]), fabs(v1[i])));
  }
  if (k == 0.0) f = 0.0;
  const double share = h * ((c + h * k) * along - f) / (1.0 + h * (c + h * k) * w);
  for (int i = 0; i < 2; ++i) {
    v1[i] -= share * s->a[i] / s->m[i];
    size = fmax(size, fabs(share * s->a[i] / s->m[i]));
  }
  return size;
}

// Largest error of a step's velocities, over the size of what adds up; the run is stepped along.
static double follow(const sliders *s, mjcf_world *w, int steps) {
  static const double rest[2] = {0.0, 0.0};
  const bool from_rest = w->settings.scheme == limpet_scheme_find("quasi-dynamic");
  const bool linear = s->f[0] == 0.0 && s->f[1] == 0.0 && !s->grows && s->rest[0] == s->rest[1] &&
                      !w->settings.compatibility.explicit_springs && !from_rest;
  double worst = 0.0, before = INFINITY;
  for (int k = 0; k < steps; ++k) {
    double v1[2];
    const double size = solve(s, w->data->q, from_rest ? rest : w->data->v,
                              w->settings.compatibility.explicit_springs, v1);
    mjcf_world_step(w);
    for (int i = 0; i < 2 && size > 0.0; ++i)
      worst = fmax(worst, fabs(w->data->v[i] - v1[i]) / size);
    // springs are no constraints
    const double pull = w->data->constraint_count > 0 ? w->data->constraint_force[0] : 0.0;
    for (int i = 0; i < 2; ++i)
      assert_true(fabs(w->data->constraint_joint_force[i]) <=
                  1e-9 * (s->m[i] * size / s->dt + fabs(s->a[i] * pull)));
    if (!linear) continue;
    if (!(energy(w->data) <= before * (1.0 + 1e-12)) || w->data->info.energy_rise > 0.0)
      fail_msg("energy rises from %.17g to %.17g J, told %g", before, energy(w->data),
               w->data->info.energy_rise);
    before = energy(w->data);
  }
  return worst;
}

static void sliders_follow_the_closed_form(void **state) {
  (void)state;
  enum { WORLDS = 600, STEPS = 40 };
  static const char *const models[] = {"coulomb", "lagged",   "similar",
                                       "sap",     "anitescu", "anitescu-cone"};
  double worst = 0.0, stiffest = 0.0;
  int kept = 0;
  for (int i = 0; i < WORLDS; ++i) {
    seed = 1000 + (unsigned long)i;
    const sliders s = random_sliders();
    mjcf_world w = world_of_sliders(&s, models[i % 6]);
    if (i % 7 == 0) w.settings.scheme = limpet_scheme_find("quasi-dynamic");
    w.settings.energy = true;
    w.settings.tolerance = 1e-12;
    w.settings.compatibility.plain_flight = likely(0.5);
    // explicit ones are stable alone where the step resolves them
    w.settings.compatibility.explicit_springs =
        !s.grows && likely(0.5) && s.dt * s.dt * s.k[0] * mobility_of(&s) < 0.5;
    random_vector(&seed, w.data->q, 2, 0.3);
    random_vector(&seed, w.data->v, 2, 2.0);
    memcpy(w.data->applied_force, s.f, sizeof s.f);
    const double error = follow(&s, &w, STEPS);
    stiffest = fmax(stiffest, s.dt * (s.c[0] + s.dt * s.k[0]) * mobility_of(&s));
    kept += s.k[0] > 0.0 && w.settings.compatibility.explicit_springs;
    if (error > 1e-9)
      fail_msg("world %d, %s: velocities off by %.3g of their size", i, models[i % 6], error);
    worst = fmax(worst, error);
    mjcf_world_destroy(&w);
  }
  printf(
      "sliders: velocities off by %.2g at worst; dt (c + dt k) w up to %.2g; %d explicit springs\n",
      worst, stiffest, kept);
  assert_true(stiffest > 1e4 && kept > 30);  // far beyond what would be stable explicitly
}

// The relative velocity of what a damper alone joins falls by 1/(1 + dt c w) in each step.
static void a_damper_slows_by_its_closed_form(void **state) {
  (void)state;
  for (int i = 0; i < 100; ++i) {
    seed = 70 + (unsigned long)i;
    const sliders s = {.m = {decades(1e-3, 1e3), decades(1e-3, 1e3)},
                       .a = {1.0, -1.0},
                       .c = {decades(1e-3, 1e3)},
                       .dt = decades(5e-5, 5e-3)};
    mjcf_world w = world_of_sliders(&s, NULL);
    w.settings.tolerance = 1e-14;
    w.data->v[0] = 1.0, w.data->v[1] = uniform(-1.0, 1.0);
    const double share = 1.0 / (1.0 + s.dt * s.c[0] * (1.0 / s.m[0] + 1.0 / s.m[1]));
    double relative = w.data->v[0] - w.data->v[1];
    for (int k = 0; k < 20; ++k) {
      relative *= share;
      mjcf_world_step(&w);
      assert_true(fabs(w.data->v[0] - w.data->v[1] - relative) < 1e-12);
    }
    mjcf_world_destroy(&w);
  }
}

/* A damper that drives, which MJCF's coefficients allow, is a force at the start: c < 0 where the
 * tendon is fast. */
static void what_drives_is_a_force(void **state) {
  (void)state;
  const sliders s = {.m = {1.0, 2.0}, .a = {1.0, -1.0}, .k = {10.0}, .c = {1.0, -2.0}, .dt = 1e-3};
  mjcf_world w = world_of_sliders(&s, NULL);
  w.data->v[0] = 1.0;
  const double c = -1.0, k = 10.0, relative = 1.0, mobility = 1.5;
  mjcf_world_step(&w);
  const double end = relative * (1.0 - s.dt * c * mobility) / (1.0 + s.dt * s.dt * k * mobility);
  assert_true(fabs(w.data->v[0] - w.data->v[1] - end) < 1e-12);
  mjcf_world_destroy(&w);
}

// ------------------------------------------------------------------------- one tree and two

/* Two discs that move in a plane, joined by a string from rim to rim: each a tree, or both on a
 * base that slides along the normal of the plane and that nothing moves. Their centres of mass are
 * their origins, so that M is constant, and both are one problem. */
static void write_discs(char *text, size_t size, bool base) {
  static const char disc[] =
      "<body pos='%g 0 0'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>"
      "<joint axis='0 0 1'/><geom type='cylinder' size='%g .02' mass='%.17g'/>"
      "<site name='%c' pos='%g %g 0'/></body>";
  char bodies[1024];
  int at = 0;
  for (int i = 0; i < 2; ++i) {
    const double radius = uniform(0.05, 0.3), mass = decades(1e-2, 1e2);
    at += snprintf(bodies + at, sizeof bodies - (size_t)at, disc, 1.0 * i, radius, mass,
                   i ? 'b' : 'a', radius * uniform(-0.9, 0.9), radius * uniform(0.1, 0.9));
  }
  snprintf(text, size,
           "<mujoco><option gravity='0 0 0' timestep='%.17g'><flag contact='disable'/></option>"
           "<worldbody>%s%s%s</worldbody><tendon><spatial stiffness='%g' damping='%g' "
           "springlength='%g %g'><site site='a'/><site site='b'/></spatial></tendon></mujoco>",
           decades(5e-5, 5e-3),
           base ? "<body><joint type='slide' axis='0 0 1'/><geom size='.1' mass='1'/>" : "", bodies,
           base ? "</body>" : "", decades(1.0, 1e4), decades(1e-2, 1e3), uniform(0.1, 0.7),
           uniform(0.7, 1.2));
}

static void two_trees_move_as_one(void **state) {
  (void)state;
  enum { PAIRS = 60, STEPS = 100 };
  double worst = 0.0;
  for (int i = 0; i < PAIRS; ++i) {
    mjcf_world w[2];
    for (int base = 0; base < 2; ++base) {
      char text[2048];
      double v[6];
      seed = 400 + (unsigned long)i;
      write_discs(text, sizeof text, base);
      w[base] = mjcf_world_of(text, NULL);
      w[base].settings.compatibility.plain_flight = true;
      w[base].settings.tolerance = 1e-12;
      random_vector(&seed, v, 6, 1.0);
      memcpy(w[base].data->v + base, v, sizeof v);
    }
    assert_int_equal(w[0].model->tree_count, 2);
    assert_int_equal(w[1].model->tree_count, 1);
    for (int k = 0; k < STEPS; ++k)
      for (int base = 0; base < 2; ++base) mjcf_world_step(&w[base]);
    double size = 0.0, error = 0.0;
    for (int d = 0; d < 6; ++d) {
      size = fmax(size, fabs(w[0].data->v[d]));
      error = fmax(error, fabs(w[0].data->v[d] - w[1].data->v[d + 1]));
    }
    if (error > 1e-8 * size) fail_msg("pair %d: velocities differ by %.3g of %.3g", i, error, size);
    worst = fmax(worst, error / size);
    for (int base = 0; base < 2; ++base) mjcf_world_destroy(&w[base]);
  }
  printf("two trees and one: velocities differ by %.2g\n", worst);
}

// ---------------------------------------------------------------------------- bodies that float

static void write_floating(char *text, size_t size, const char *attributes) {
  snprintf(text, size,
           "<mujoco><option gravity='0 0 0'><flag contact='disable'/></option><worldbody>"
           "<body><freejoint/><geom type='box' size='.1 .2 .05' mass='%g'/>"
           "<site name='a' pos='.1 .2 .05'/></body><body pos='.6 0 .3'><freejoint/>"
           "<geom type='box' size='.1 .05 .1' mass='%g'/><site name='b' pos='-.1 .05 .1'/>"
           "<body pos='0 .1 0'><joint axis='1 0 0'/><geom type='capsule' fromto='0 0 0 0 .2 0' "
           "size='.02' mass='%g'/></body></body></worldbody><tendon>"
           "<spatial %s><site site='a'/><site site='b'/></spatial></tendon></mujoco>",
           decades(0.05, 20.0), decades(0.05, 20.0), decades(0.05, 2.0), attributes);
}

// Momentum of the whole world about the origin [N m s, N s].
static void momentum_of(mjcf_world *w, double p[6]) {
  static const double origin[3] = {0.0};
  limpet_kinematics(w->model, w->data);
  limpet_velocity_kinematics(w->model, w->data);
  limpet_momentum(w->model, w->data, 0, origin, p);
}

// A string pulls both of its ends alike along one line: linear and angular momentum stay.
static void momentum_is_kept(void **state) {
  (void)state;
  double worst = 0.0;
  for (int k = 0; k < 60; ++k) {
    seed = 210 + (unsigned long)k;
    char text[2048], attributes[128];
    snprintf(attributes, sizeof attributes, "stiffness='%g' damping='%g' springlength='%g'",
             decades(1e-1, 1e5), decades(1e-3, 1e3), uniform(0.3, 0.8));
    write_floating(text, sizeof text, attributes);
    mjcf_world w = mjcf_world_of(text, NULL);
    w.settings.time_step = decades(1e-4, 4e-3);
    w.settings.tolerance = 1e-12;
    random_vector(&seed, w.data->v, w.model->nv, 1.0);
    double p[2][6], scale = 0.0;
    momentum_of(&w, p[0]);
    for (int i = 0; i < 200; ++i) mjcf_world_step(&w);
    momentum_of(&w, p[1]);
    for (int i = 0; i < 6; ++i) scale = fmax(scale, fabs(p[0][i]));
    for (int i = 0; i < 6; ++i) worst = fmax(worst, fabs(p[1][i] - p[0][i]) / scale);
    mjcf_world_destroy(&w);
  }
  printf("bodies on a string: momentum off by %.2g\n", worst);
  assert_true(worst < 1e-9);
}

// q, v after 0.1 s.
static void fly(const char *text, unsigned long start, double dt, double *v, int *nv) {
  mjcf_world w = mjcf_world_of(text, NULL);
  w.settings.time_step = dt;
  w.settings.tolerance = 1e-12;
  seed = start;
  random_vector(&seed, w.data->v, w.model->nv, 1.0);
  mjcf_world_run(&w, 0.1);
  memcpy(v, w.data->v, (size_t)w.model->nv * sizeof *v);
  *nv = w.model->nv;
  mjcf_world_destroy(&w);
}

// First order in the step: a quarter of it leaves at most 0.4 of the error.
static void shorter_steps_converge(void **state) {
  (void)state;
  enum { MOST = 13 };
  double worst = 0.0;
  for (int k = 0; k < 12; ++k) {
    seed = 530 + (unsigned long)k;
    char text[2048], attributes[128];
    snprintf(attributes, sizeof attributes, "stiffness='%g' damping='%g' springlength='%g'",
             decades(1.0, 100.0), decades(1e-2, 10.0), uniform(0.3, 0.8));
    write_floating(text, sizeof text, attributes);
    double v[3][MOST], error[2] = {0.0, 0.0};
    int nv = 0;
    static const double steps[3] = {1e-3, 2.5e-4, 1e-3 / 64.0};
    for (int i = 0; i < 3; ++i) fly(text, 7 + (unsigned long)k, steps[i], v[i], &nv);
    assert_int_equal(nv, MOST);
    for (int i = 0; i < 2; ++i)
      for (int d = 0; d < nv; ++d) error[i] = fmax(error[i], fabs(v[i][d] - v[2][d]));
    if (error[1] > 0.4 * error[0] + 1e-6)
      fail_msg("world %d: off by %.3g at 1 ms, %.3g at 0.25 ms", k, error[0], error[1]);
    worst = fmax(worst, error[1]);
  }
  printf("floating bodies, 0.25 ms: velocities off by %.2g at worst\n", worst);
}

// ------------------------------------------------------------------------------- in contact

/* A cube that a string drags over the floor from a sledge on rails: the string is as long as
 * friction asks for, and the floor carries the weight less what the string lifts. */
static void a_dragged_cube_hangs_on_its_string(void **state) {
  (void)state;
  for (int i = 0; i < 12; ++i) {
    seed = 610 + (unsigned long)i;
    const double mass = decades(0.05, 20.0), k = mass * decades(1e2, 1e5), mu = uniform(0.2, 0.8);
    char text[1024];
    snprintf(text, sizeof text,
             "<mujoco><worldbody><geom type='plane' size='9 9 1' friction='%g'/>"
             "<body pos='1 0 .1'><joint type='slide' axis='1 0 0'/>"
             "<geom size='.05' mass='50' contype='0' conaffinity='0'/><site name='s'/></body>"
             "<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='%g' "
             "friction='%g'/><site name='c'/></body></worldbody><tendon><spatial stiffness='%g' "
             "damping='%g' springlength='1'><site site='s'/><site site='c'/></spatial></tendon>"
             "</mujoco>",
             mu, mass, mu, k, 0.6 * sqrt(mass * k));
    mjcf_world w = mjcf_world_of(text, NULL);
    w.settings.time_step = decades(5e-4, 4e-3);
    for (int n = 0; w.data->time < 1.5; ++n) {
      w.data->v[0] = 0.3;
      mjcf_world_step(&w);
    }
    const double pull = k * (w.data->tendon_length[0] - 1.0), weight = 9.81 * mass;
    if (fabs(pull - mu * weight) > 0.01 * mu * weight)
      fail_msg("world %d: the string pulls with %.6g N, friction with %.6g N", i, pull,
               mu * weight);
    mjcf_world_destroy(&w);
  }
}

// ------------------------------------------------------------------------------ derivatives

// Velocity after a step from a state that is moved by `by` along one velocity coordinate.
static void step_beside(const mjcf_world *w, const double *q, const double *v, int column,
                        bool pose, double by, double *end) {
  limpet_data *data = limpet_data_create(w->model);
  double direction[16] = {0.0};
  assert_non_null(data);
  memcpy(data->q, q, (size_t)w->model->nq * sizeof *q);
  memcpy(data->v, v, (size_t)w->model->nv * sizeof *v);
  direction[column] = 1.0;
  if (pose) limpet_integrate_position(w->model, data->q, q, direction, by, false);
  else data->v[column] += by;
  assert_int_equal(limpet_step(w->model, data, &w->settings), LIMPET_OUTCOME_SOLVED);
  memcpy(end, data->v, (size_t)w->model->nv * sizeof *end);
  limpet_data_destroy(data);
}

// Largest entry of a block by `pose` or velocity, and of its difference from whole steps.
static double block_error(const mjcf_world *w, const double *q, const double *v,
                          const double *block, bool pose) {
  const int nv = w->model->nv;
  double largest = 0.0, error = 0.0;
  for (int j = 0; j < nv; ++j) {
    double ahead[16], back[16], e = 1e-6;
    step_beside(w, q, v, j, pose, e, ahead);
    step_beside(w, q, v, j, pose, -e, back);
    for (int i = 0; i < nv; ++i) {
      largest = fmax(largest, fabs(block[i * nv + j]));
      error = fmax(error, fabs((ahead[i] - back[i]) / (2.0 * e) - block[i * nv + j]));
    }
  }
  return error / largest;
}

static void steps_have_derivatives(void **state) {
  (void)state;
  double worst = 0.0;
  for (int k = 0; k < 40; ++k) {
    seed = 820 + (unsigned long)k;
    char text[2048], attributes[160];
    snprintf(attributes, sizeof attributes,
             "stiffness='%g %g' damping='%g %g' springlength='%g %g'", decades(1.0, 1e4),
             likely(0.5) ? uniform(0.0, 100.0) : 0.0, decades(1e-2, 1e2),
             likely(0.5) ? uniform(0.0, 1.0) : 0.0, 0.3, likely(0.5) ? 0.3 : 0.35);
    write_floating(text, sizeof text, attributes);
    mjcf_world w = mjcf_world_of(text, NULL);
    w.settings.tolerance = 1e-13;
    w.settings.time_step = decades(1e-4, 4e-3);
    random_vector(&seed, w.data->v, w.model->nv, 1.0);
    double q[16], v[16];
    memcpy(q, w.data->q, (size_t)w.model->nq * sizeof *q);
    memcpy(v, w.data->v, (size_t)w.model->nv * sizeof *v);
    const limpet_gradient_settings wanted = limpet_gradient_settings_default();
    limpet_gradient *gradient = limpet_gradient_create(w.model);
    assert_int_equal(limpet_gradient_step(w.model, w.data, &w.settings, &wanted, gradient),
                     LIMPET_OUTCOME_SOLVED);
    assert_null(gradient->reason);
    const double error = fmax(block_error(&w, q, v, gradient->dv.q, true),
                              block_error(&w, q, v, gradient->dv.v, false));
    if (!(error < 1e-6)) fail_msg("world %d: derivatives off by %.3g", k, error);
    worst = fmax(worst, error);
    limpet_gradient_destroy(gradient);
    mjcf_world_destroy(&w);
  }
  printf("derivatives of steps: off by %.2g of the largest entry\n", worst);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sliders_follow_the_closed_form),
                                     cmocka_unit_test(a_damper_slows_by_its_closed_form),
                                     cmocka_unit_test(what_drives_is_a_force),
                                     cmocka_unit_test(two_trees_move_as_one),
                                     cmocka_unit_test(momentum_is_kept),
                                     cmocka_unit_test(shorter_steps_converge),
                                     cmocka_unit_test(a_dragged_cube_hangs_on_its_string),
                                     cmocka_unit_test(steps_have_derivatives)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

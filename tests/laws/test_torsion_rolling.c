/* tests/laws/test_torsion_rolling.c: torsional and rolling friction (condim 4 and 6) of compliant
 * contact: closed forms of what spins, rolls and lands, and the law as a function. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "law/spin.h"
#include "limpet/step.h"
#include "math/vec3.h"
#include "mjcf_world.h"
#include "shared_data.h"

static const double gravity = 9.81;  // [m/s^2]  of MJCF by default

// A ball on a plane that leans by `slope` [rad] about y, or in the air.
typedef struct ball {
  double mass, radius;                // [kg], [m]
  double friction, torsion, rolling;  // [-], [m], [m]
  double dt, slope, height;           // [s], [rad], [m]
} ball;

static mjcf_world world_of(const ball *b, int condim, const char *shape, const char *model) {
  char text[2048];
  snprintf(text, sizeof text,
           "<mujoco><option timestep='%.17g' gravity='%.17g 0 %.17g'/><default><geom condim='%d' "
           "friction='%.17g %.17g %.17g'/></default><worldbody><geom type='plane' size='5 5 1'/>"
           "<body pos='0 0 %.17g'><freejoint/>%s mass='%.17g'/></body></worldbody></mujoco>",
           b->dt, gravity * sin(b->slope), -gravity * cos(b->slope), condim, b->friction,
           b->torsion, b->rolling, b->radius + b->height, shape, b->mass);
  return mjcf_world_of(text, model);
}

// `shape` closes the ball and opens another body.
static mjcf_world world_without_floor(const ball *b, int condim, const char *shape) {
  char text[2048];
  snprintf(text, sizeof text,
           "<mujoco><option timestep='%.17g'/><default><geom condim='%d' friction='%.17g %.17g "
           "%.17g'/></default><worldbody><body pos='0 0 %.17g'><freejoint/>%s/></body>"
           "</worldbody></mujoco>",
           b->dt, condim, b->friction, b->torsion, b->rolling, b->radius, shape);
  return mjcf_world_of(text, "coulomb");
}

static mjcf_world ball_of(const ball *b, int condim, const char *model) {
  char shape[128];
  snprintf(shape, sizeof shape, "<geom size='%.17g'", b->radius);
  return world_of(b, condim, shape, model);
}

static double random_decade(unsigned long *seed, double low, double high) {
  return pow(10.0, random_uniform(seed, log10(low), log10(high)));
}

static ball random_ball(unsigned long *seed) {
  return (ball){.mass = random_decade(seed, 1e-3, 1e3),
                .radius = random_decade(seed, 0.01, 1.0),
                .friction = random_decade(seed, 0.05, 1.5),
                .torsion = random_decade(seed, 1e-4, 0.1),
                .rolling = random_decade(seed, 1e-4, 0.1),
                .dt = random_decade(seed, 5e-5, 5e-3)};
}

static double inertia_of(const ball *b) { return 0.4 * b->mass * b->radius * b->radius; }

// ------------------------------------------------------------------------------ what spins and
// rolls

enum { SETTLING = 20, STEPS = 10 };  // a ball that starts in touch carries its weight by then

/* w_n falls by mu_t m g dt/I in each step. Speeds stay 1e-3 m/s at the radius, a thousand times
 * eps, above rest, where the regularised law misses 5e-7 of the bound. What would be turned round
 * stops instead, but for creep below eps. */
static void a_ball_that_spins_slows_down(void **state) {
  (void)state;
  static const char *const models[] = {"coulomb", "lagged"};
  unsigned long seed = 3;
  double worst = 0.0;
  for (int trial = 0; trial < 100; ++trial) {
    const ball b = random_ball(&seed);
    mjcf_world w = ball_of(&b, 4, models[trial % 2]);
    for (int i = 0; i < SETTLING; ++i) mjcf_world_step(&w);
    const double loss = b.torsion * b.mass * gravity / inertia_of(&b) * b.dt,
                 least = 1e-3 / b.radius;
    w.data->v[5] = STEPS * loss + least;
    for (int i = 1; i <= STEPS; ++i) {
      mjcf_world_step(&w);
      worst = fmax(worst, fabs(w.data->v[5] - (STEPS - i) * loss - least) / loss);
    }
    w.data->v[5] = 0.5 * loss;
    mjcf_world_step(&w);
    assert_true(fabs(w.data->v[5]) < 2e-6 / b.radius);
    mjcf_world_destroy(&w);
  }
  printf("spin of 100 balls is off by %.2g of what a step takes\n", worst);
  assert_true(worst < 1e-4);
}

/* A ball that rolls by v = w r: friction F turns it, rolling resistance mu_r m g holds it,
 *   m a = -F,  I a/r = F r - mu_r m g:   a = -(mu_r/r) g/(1 + I/(m r^2))
 * as long as F stays below mu m g. */
static void a_ball_that_rolls_slows_down(void **state) {
  (void)state;
  unsigned long seed = 4;
  double worst = 0.0;
  for (int trial = 0; trial < 100; ++trial) {
    ball b = random_ball(&seed);
    b.rolling = b.radius * random_decade(&seed, 1e-3, 0.9);
    b.friction = 1.0;
    mjcf_world w = ball_of(&b, 6, trial % 2 ? "coulomb" : "lagged");
    w.settings.curved_paths = false;  // the point of the ball goes straight in a step
    for (int i = 0; i < SETTLING; ++i) mjcf_world_step(&w);
    const double loss = b.rolling / b.radius * gravity / 1.4 * b.dt, least = 1e-3,
                 start = STEPS * loss + least, angle = 0.1 * trial;
    w.data->v[0] = start * cos(angle), w.data->v[1] = start * sin(angle);
    w.data->v[3] = -w.data->v[1] / b.radius, w.data->v[4] = w.data->v[0] / b.radius;
    for (int i = 1; i <= STEPS; ++i) {
      mjcf_world_step(&w);
      const double v = w.data->v[0] * cos(angle) + w.data->v[1] * sin(angle);
      worst = fmax(worst, fabs(v - (STEPS - i) * loss - least) / loss);
    }
    mjcf_world_destroy(&w);
  }
  printf("rolling of 100 balls is off by %.2g of what a step takes\n", worst);
  assert_true(worst < 1e-3);
}

/* A ball that spins or rolls on a free slab of up to a million times its mass: what torsion and
 * rolling friction take in a step is some 1e-10 of the momentum of both, and is taken in each. As a
 * share of what 30 steps take; the weight of the ball is within the tolerance of the slab's. */
static void heavy_slabs_do_not_hide_torques(void **state) {
  (void)state;
  enum { COUNT = 200, TAKEN = 30 };
  unsigned long seed = 5;
  double worst[2] = {0.0, 0.0};
  for (int trial = 0; trial < COUNT; ++trial) {
    ball b = random_ball(&seed);
    const bool rolls = trial % 2;
    const double length = b.radius * random_decade(&seed, 2e-4, 0.1);
    b.torsion = rolls ? 0.0 : length, b.rolling = rolls ? length : 0.0;
    if (rolls) b.friction = random_decade(&seed, 0.3, 1.5);
    char shape[512];
    snprintf(shape, sizeof shape,
             "<geom size='%.17g' mass='%.17g'/></body><body pos='0 0 -1'><freejoint/>"
             "<geom type='box' size='5 5 1' mass='%.17g'/></body><geom type='plane' pos='0 0 -2' "
             "size='9 9 1'/><body pos='9 9 9'><geom size='.1'",
             b.radius, b.mass, b.mass * random_decade(&seed, 1.0, 1e6));
    mjcf_world w = world_without_floor(&b, rolls ? 6 : 4, shape);
    for (int i = 0; i < SETTLING; ++i) mjcf_world_step(&w);
    const double loss = rolls ? length / b.radius * gravity / 1.4 * b.dt
                              : length * b.mass * gravity / inertia_of(&b) * b.dt,
                 least = fmax(1e-3 / (rolls ? 1.0 : b.radius), 10.0 * loss);
    double *v = w.data->v + (rolls ? 0 : 5);
    *v = TAKEN * loss + least;
    if (rolls) w.data->v[4] = *v / b.radius;
    for (int i = 0; i < TAKEN; ++i) mjcf_world_step(&w);
    worst[rolls] = fmax(worst[rolls], fabs(*v - least) / (TAKEN * loss));
    mjcf_world_destroy(&w);
  }
  printf("on slabs spins are off by %.2g, rolling by %.2g of what was taken\n", worst[0], worst[1]);
  assert_true(worst[0] < 0.01);
  assert_true(worst[1] < 0.01);
}

/* On a slope a ball or cylinder stays below tan theta = mu_r/r, within its creep, and rolls above
 * it with a = (g sin theta - (mu_r/r) g cos theta)/(1 + I/(m r^2)). */
static void rolling_friction_holds_on_slopes(void **state) {
  (void)state;
  static const char *const shapes[] = {"<geom size='.1'",
                                       "<geom type='cylinder' size='.1 .05' euler='90 0 0'"};
  for (int shape = 0; shape < 2; ++shape)
    for (int above = 0; above < 2; ++above) {
      ball b = {.mass = 2.0,
                .radius = 0.1,
                .friction = 1.0,
                .torsion = 0.01,
                .rolling = 0.02,
                .dt = 1e-3};
      b.slope = atan(b.rolling / b.radius) * (above ? 1.05 : 0.95);
      mjcf_world w = world_of(&b, 6, shapes[shape], "coulomb");
      mjcf_world_run(&w, 0.2);
      const double before = w.data->v[0];
      mjcf_world_run(&w, 0.5);
      const double rate = (w.data->v[0] - before) / 0.5, J = shape ? 0.5 : 0.4;
      const double expected =
          above ? gravity * (sin(b.slope) - 0.2 * cos(b.slope)) / (1.0 + J) : 0.0;
      printf("%s, %.3g of the angle: %.6g m/s^2 and %.3g m/s, expected %.6g m/s^2\n",
             shape ? "cylinder" : "ball", above ? 1.05 : 0.95, rate, w.data->v[0], expected);
      assert_true(fabs(rate - expected) < 1e-3 * expected + 1e-6);
      if (!above) assert_true(fabs(w.data->v[0]) < 1e-5);
      mjcf_world_destroy(&w);
    }
}

// ---------------------------------------------------------------------------------------- impacts

/* What lands and turns loses dw = rho p/I to the impulse p of the same step, as long as that does
 * not stop it; then it stops. Without friction, so that turning has no other cause. */
static void what_lands_is_held_by_the_impulse_of_the_step(void **state) {
  (void)state;
  unsigned long seed = 6;
  int stopped = 0;
  double worst = 0.0;
  for (int trial = 0; trial < 200; ++trial) {
    ball b = random_ball(&seed);
    b.friction = 0.0;
    mjcf_world w = ball_of(&b, trial % 2 ? 6 : 4, "coulomb");
    w.settings.curved_paths = false;
    const int axis = trial % 2 ? 3 : 5;
    const double rho = trial % 2 ? b.rolling : b.torsion, I = inertia_of(&b);
    const double speed = random_uniform(&seed, 0.1, 3.0), whole = rho * b.mass * speed / I;
    const double turn = whole * random_uniform(&seed, 0.3, 3.0);
    w.data->v[2] = -speed, w.data->v[axis] = turn;
    mjcf_world_step(&w);
    assert_int_equal(w.data->contact_count, 1);
    const double p = w.data->contact_force[2] * b.dt;
    assert_true(p > 0.9 * b.mass * speed);
    const double expected = fmax(0.0, turn - rho * p / I);
    stopped += expected == 0.0;
    worst = fmax(worst, fabs(w.data->v[axis] - expected) / whole);
    mjcf_world_destroy(&w);
  }
  printf("turning after 200 impacts is off by %.2g of rho p/I; %d stop\n", worst, stopped);
  assert_true(stopped > 20 && stopped < 180);
  assert_true(worst < 2e-3);  // where it nearly stops it creeps: eps over the whole
}

// ------------------------------------------------------------------------------------ every
// contact

// Power [W] of the torque of a contact on what it turns; R: body rotations at the step's start.
static double power_of(const mjcf_world *w, int contact, const double *R) {
  const double *rolling = w->data->contact_rolling + 2 * contact;
  const double torque[3] = {rolling[0], rolling[1], w->data->contact_torsion[contact]};
  double world[3], power = 0.0;
  limpet_mat3_tmul_vec(world, w->data->contact_frame + 9 * contact, torque);
  for (int side = 0; side < 2; ++side) {
    const int body = w->model->geom_body[w->data->contact_geom[2 * contact + side]];
    if (body == 0) continue;
    double turn[3];
    limpet_mat3_mul_vec(turn, R + 9 * body, w->data->v + 6 * (body - 1) + 3);
    power += (side ? 1.0 : -1.0) * limpet_vec3_dot(turn, world);
  }
  return power;
}

/* Bodies of three shapes, thrown on a plane and on each other. In every contact of every step
 * torque stays within its bounds, needs a normal force, and takes energy from what it turns. A step
 * in a thousand, at most, ends at the iteration limit and says so: a torque may be 10 % beyond its
 * bound then, which is that of an earlier iteration. */
static void torques_keep_their_bounds(void **state) {
  (void)state;
  unsigned long seed = 8;
  int loaded = 0, turning = 0, unsolved = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const double torsion = random_decade(&seed, 1e-4, 0.1),
                 rolling = random_decade(&seed, 1e-4, 0.1);
    char text[2048];
    snprintf(text, sizeof text,
             "<mujoco><option timestep='%.17g'/><default><geom condim='6' friction='%.17g %.17g "
             "%.17g'/></default><worldbody><geom type='plane' size='5 5 1'/>"
             "<body pos='0 0 .2'><freejoint/><geom type='box' size='.05 .08 .04'/></body>"
             "<body pos='.02 0 .35'><freejoint/><geom size='.05'/></body>"
             "<body pos='0 .02 .5'><freejoint/><geom type='capsule' size='.03 .06' euler='70 0 0'/>"
             "</body></worldbody></mujoco>",
             random_decade(&seed, 2e-4, 5e-3), random_decade(&seed, 0.05, 1.5), torsion, rolling);
    mjcf_world w = mjcf_world_of(text, "coulomb");
    w.settings.energy = true;  // rotations at the end of a step then are there
    if (trial % 2) w.settings.dense_limit = 0;
    for (int i = 0; i < w.model->nv; ++i)
      w.data->v[i] = random_uniform(&seed, -1.0, 1.0) * (i % 6 < 3 ? 0.5 : 10.0);
    double R[9 * 4] = {0.0};
    for (int i = 0; i < 200; ++i) {
      memcpy(R, w.data->body_rotation, sizeof R);
      const limpet_outcome outcome = limpet_step(w.model, w.data, &w.settings);
      assert_true(outcome <= LIMPET_OUTCOME_ITERATION_LIMIT);
      const bool limited = outcome == LIMPET_OUTCOME_ITERATION_LIMIT;
      const double most = 1.0 + (limited ? 0.1 : 1e-9);
      unsolved += limited;
      for (int c = 0; c < w.data->contact_count; ++c) {
        const double force = w.data->contact_force[3 * c + 2],
                     *turn = w.data->contact_rolling + 2 * c;
        const double spin = fabs(w.data->contact_torsion[c]), roll = hypot(turn[0], turn[1]);
        assert_true(spin <= torsion * force * most);
        assert_true(roll <= rolling * force * most);
        assert_true(power_of(&w, c, R) <= 0.0);
        loaded += force > 0.0;
        turning += spin > 0.9 * torsion * force || roll > 0.9 * rolling * force;
      }
    }
    mjcf_world_destroy(&w);
  }
  printf("%d contacts with load, %d of them turn; %d steps of 4000 unsolved\n", loaded, turning,
         unsolved);
  assert_true(unsolved <= 4);
  assert_true(loaded > 1000 && turning > 100);
}

/* Lengths of zero are condim 3, to the bit; models that take no part of them do as if they were
 * zero. */
static void lengths_of_zero_change_nothing(void **state) {
  (void)state;
  for (int k = 0; k < 2; ++k) {
    const ball with = {.mass = 1.0,
                       .radius = 0.05,
                       .friction = 0.5,
                       .torsion = k ? 0.01 : 0.0,
                       .rolling = k ? 0.01 : 0.0,
                       .dt = 2e-3,
                       .height = 0.01};
    const char *model = k ? "similar" : "coulomb";
    mjcf_world a = ball_of(&with, 3, model), b = ball_of(&with, 6, model);
    for (int i = 0; i < 6; ++i) a.data->v[i] = b.data->v[i] = 1.0 - 0.3 * i;
    for (int i = 0; i < 100; ++i) {
      mjcf_world_step(&a);
      mjcf_world_step(&b);
      assert_memory_equal(a.data->v, b.data->v, 6 * sizeof(double));
    }
    mjcf_world_destroy(&a);
    mjcf_world_destroy(&b);
  }
}

// The same world twice, to the bit.
static void the_same_start_gives_the_same_bits(void **state) {
  (void)state;
  const ball one = {.mass = 1.0,
                    .radius = 0.05,
                    .friction = 0.5,
                    .torsion = 0.01,
                    .rolling = 0.002,
                    .dt = 2e-3,
                    .height = 0.02};
  mjcf_world a = ball_of(&one, 6, "coulomb"), b = ball_of(&one, 6, "coulomb");
  for (int i = 0; i < 6; ++i) a.data->v[i] = b.data->v[i] = 1.0 - 0.3 * i;
  for (int i = 0; i < 200; ++i) {
    mjcf_world_step(&a);
    mjcf_world_step(&b);
    assert_memory_equal(a.data->q, b.data->q, 7 * sizeof(double));
  }
  mjcf_world_destroy(&a);
  mjcf_world_destroy(&b);
}

// ---------------------------------------------------------------------------------------- the law

/* tau and G are derivatives of the cost by central differences, whose error is h^2 of the third
 * derivative, bound/eps^2 at most, and round-off of the cost over h; slopes on rays are theirs, and
 * G with any direction in the unit disc is positive semidefinite. */
static void the_law_is_the_gradient_of_its_cost(void **state) {
  (void)state;
  unsigned long seed = 9;
  for (int trial = 0; trial < 2000; ++trial) {
    const double bound = random_decade(&seed, 1e-8, 1e2), eps = random_decade(&seed, 1e-6, 1e-2);
    const double size = eps * random_decade(&seed, 1e-2, 1e3), h = 1e-4 * eps;
    const double angle = random_uniform(&seed, -3.0, 3.0), away = random_uniform(&seed, -3.0, 3.0);
    const double w[2] = {size * cos(angle), size * sin(angle)}, d[2] = {cos(away), sin(away)};
    const double ahead[2] = {w[0] + h * d[0], w[1] + h * d[1]},
                 behind[2] = {w[0] - h * d[0], w[1] - h * d[1]};
    double tau[2], G[3], up[2], down[2], slope = 0.0, curvature = 0.0;
    limpet_spin_evaluate(bound, eps, w, tau);
    limpet_spin_hessian(bound, eps, w, NULL, G);
    limpet_spin_along(bound, eps, w, d, 0.0, &slope, &curvature);
    const double rise = limpet_spin_evaluate(bound, eps, ahead, up) -
                        limpet_spin_evaluate(bound, eps, behind, down);
    const double along = -(tau[0] * d[0] + tau[1] * d[1]),
                 across = G[0] * d[0] * d[0] + 2.0 * G[1] * d[0] * d[1] + G[2] * d[1] * d[1],
                 change = -((up[0] - down[0]) * d[0] + (up[1] - down[1]) * d[1]) / (2.0 * h);
    assert_true(fabs(rise / (2.0 * h) - along) < (1e-7 + 1e-11 * size / eps) * bound);
    assert_true(fabs(change - across) < 1e-7 * bound / eps);
    assert_true(fabs(slope - along) < 1e-12 * bound);
    assert_true(fabs(curvature - across) < 1e-12 * bound / eps);

    double dual[2] = {0.0};
    const double step[2] = {size * random_uniform(&seed, -9.0, 9.0),
                            size * random_uniform(&seed, -9.0, 9.0)};
    limpet_spin_dual_step(eps, w, step, dual);
    limpet_spin_dual_step(eps, w, d, dual);
    limpet_spin_hessian(bound, eps, w, dual, G);
    assert_true(hypot(dual[0], dual[1]) <= 1.0 + 1e-15);
    assert_true(G[0] >= 0.0 && G[2] >= 0.0 &&
                G[0] * G[2] - G[1] * G[1] >= -1e-12 * (bound / eps) * (bound / eps));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_that_spins_slows_down),
      cmocka_unit_test(a_ball_that_rolls_slows_down),
      cmocka_unit_test(heavy_slabs_do_not_hide_torques),
      cmocka_unit_test(rolling_friction_holds_on_slopes),
      cmocka_unit_test(what_lands_is_held_by_the_impulse_of_the_step),
      cmocka_unit_test(torques_keep_their_bounds),
      cmocka_unit_test(lengths_of_zero_change_nothing),
      cmocka_unit_test(the_same_start_gives_the_same_bits),
      cmocka_unit_test(the_law_is_the_gradient_of_its_cost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

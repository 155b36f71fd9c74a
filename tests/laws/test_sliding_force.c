/* tests/laws/test_sliding_force.c: the normal force of what slides, on every step, at a tolerance
 * of 1e-12: pucks (a sphere on three slides), boxes and feet (four spheres) of 1 g to 1 t, 1 cm to
 * 1 m, friction 0.01 to 1.5, steps of 0.05 to 5 ms.
 *
 * The total normal force is m (g + dv_z/dt) for the velocity of the same step. It is m g only where
 * the body does not heave, and one that is set sliding does: friction's torque tilts it about its
 * corners at x = +-a, and Hunt-Crossley's force is a product,
 *   sum_i dt (f - dt k v_i)(1 - d v_i) = ... + 4 dt^2 k d (v_z^2 + a^2 omega^2)
 * for the speeds v_i = v_z -+ a omega of corners. So the step in which it tilts by dt omega lifts
 * it with v_z = d a^2 omega^2. The force is off by eps = v_z/(g dt) of the weight in that step, by
 * -2 eps and eps in the next ones. eps falls with dt.
 *
 * Positions are doubles. One unit of round-off of a height z, u z, is a force of u z/(g dt^2) of
 * the weight: 1e-9 for 1 m at 0.15 ms. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "effort.h"
#include "limpet/format.h"
#include "limpet/step.h"
#include "math/vec3.h"
#include "shared_data.h"

static const double g0 = 9.81, tolerance = 1e-12, speed = 4.0;
static const double slab_half = 0.5;  // [m]  its height

typedef enum shape { PUCK, BOX, FEET, SHAPES } shape;

typedef struct slider {
  shape shape;
  double mass, mu, dt, z, a;      // [kg], [-], [s], [m] height of its centre, lever of its contacts
  double stiffness, dissipation;  // [N/m], [s/m]
  double slab;                    // [kg]  that it lies on; 0: the floor
  limpet_model *model;
  limpet_data *data;
  limpet_step_settings settings;
} slider;

static int add_body(limpet_builder *builder, double height, limpet_joint_kind kind) {
  limpet_body_description b = limpet_body_description_default();
  b.position[2] = height;
  const int body = limpet_builder_add_body(builder, &b);
  limpet_joint_description j = limpet_joint_description_default();
  j.kind = kind;
  j.body = body;
  for (int i = 0; i < (kind == LIMPET_JOINT_FREE ? 1 : 3); ++i) {
    if (kind != LIMPET_JOINT_FREE) limpet_vec3_set(j.axis, i == 0, i == 1, i == 2);
    limpet_builder_add_joint(builder, &j);
  }
  return body;
}

static limpet_geom_description geom_of(const slider *s, int body, limpet_shape_kind kind) {
  limpet_geom_description g = limpet_geom_description_default();
  g.body = body;
  g.kind = kind;
  g.material.friction = s->mu;
  g.material.dissipation = s->dissipation;
  return g;
}

static void add_ground(const slider *s, limpet_builder *builder) {
  limpet_geom_description g = geom_of(s, 0, LIMPET_SHAPE_PLANE);
  limpet_builder_add_geom(builder, &g);
  if (!(s->slab > 0.0)) return;
  g = geom_of(s, add_body(builder, slab_half, LIMPET_JOINT_FREE), LIMPET_SHAPE_BOX);
  limpet_vec3_set(g.size, 4.0, 4.0, slab_half);
  g.mass = s->slab;
  limpet_builder_add_geom(builder, &g);
}

// Spheres of a quarter of z, whose centres are a from the axes.
static void add_feet(const slider *s, limpet_builder *builder, limpet_geom_description g) {
  g.kind = LIMPET_SHAPE_SPHERE;
  g.mass = 0.0;
  g.size[0] = 0.25 * s->z;
  for (int i = 0; i < 4; ++i) {
    limpet_vec3_set(g.position, i & 1 ? s->a : -s->a, i & 2 ? s->a : -s->a, -0.75 * s->z);
    limpet_builder_add_geom(builder, &g);
  }
}

static void slider_open(slider *s) {
  limpet_builder *builder = limpet_builder_create();
  limpet_builder_options(builder)->time_step = s->dt;
  limpet_vec3_set(limpet_builder_options(builder)->gravity, 0.0, 0.0, -g0);
  add_ground(s, builder);
  const double height = s->z + (s->slab > 0.0 ? 2.0 * slab_half : 0.0);
  const int body =
      add_body(builder, height, s->shape == PUCK ? LIMPET_JOINT_PRISMATIC : LIMPET_JOINT_FREE);
  limpet_geom_description g =
      geom_of(s, body, s->shape == PUCK ? LIMPET_SHAPE_SPHERE : LIMPET_SHAPE_BOX);
  g.material.stiffness = s->stiffness;
  g.mass = s->mass;
  limpet_vec3_set(g.size, s->a, s->a, s->shape == FEET ? 0.5 * s->z : s->z);
  if (s->shape == PUCK) g.size[0] = s->z;
  limpet_builder_add_geom(builder, &g);
  if (s->shape == FEET) add_feet(s, builder, g);

  limpet_error error;
  s->model = limpet_builder_compile(builder, &error);
  if (!s->model) fail_msg("%s", error.message);
  limpet_builder_destroy(builder);
  s->data = limpet_data_create(s->model);
  assert_non_null(s->data);
  s->settings = limpet_step_settings_default(s->model);
  s->settings.tolerance = tolerance;
}

static void slider_close(slider *s) {
  limpet_data_destroy(s->data);
  limpet_model_destroy(s->model);
}

// The lever is as long as keeps it from tipping over.
static slider slider_draw(unsigned long *seed, int number) {
  slider s = {.shape = number % SHAPES, .stiffness = INFINITY, .dissipation = 50.0};
  s.mass = random_log_uniform(seed, 1e-3, 1e3);
  s.mu = random_log_uniform(seed, 0.01, 1.5);
  s.dt = random_log_uniform(seed, 5e-5, 5e-3);
  s.a = random_log_uniform(seed, 0.01, 1.0);
  s.z = s.a * random_uniform(seed, 0.1, fmin(0.9, 0.8 / s.mu));
  return s;
}

static void step(slider *s) {
  assert_int_equal(limpet_step(s->model, s->data, &s->settings), LIMPET_OUTCOME_SOLVED);
}

// Its velocities come last.
static double *velocity_of(const slider *s) {
  return s->data->v + s->model->nv - (s->shape == PUCK ? 3 : 6);
}

static void set_sliding(slider *s, double rest, double down, double heading) {
  for (int i = 0; i < (int)(rest / s->dt + 0.5); ++i) step(s);
  double *v = velocity_of(s);
  v[0] += speed * cos(heading);
  v[1] += speed * sin(heading);
  v[2] -= down;
}

// [N]  upwards, of all contacts on it
static double force_on(const slider *s) {
  const limpet_data *d = s->data;
  const int body = s->model->body_count - 1;
  double sum = 0.0;
  for (int i = 0; i < d->contact_count; ++i) {
    const bool is_b = s->model->geom_body[d->contact_geom[2 * i + 1]] == body,
               is_a = s->model->geom_body[d->contact_geom[2 * i]] == body;
    for (int e = 0; e < 3; ++e)
      sum += (is_b - is_a) * d->contact_force[3 * i + e] * d->contact_frame[9 * i + 3 * e + 2];
  }
  return sum;
}

// [-]  of the weight, what one unit of round-off of its height is
static double unit_of(const slider *s) {
  const double height = s->z + s->a + (s->slab > 0.0 ? 2.0 * slab_half : 0.0);
  return DBL_EPSILON * height / (g0 * s->dt * s->dt);
}

static void tell(const slider *s, const char *what, double off) {
  static const char *const name[] = {[PUCK] = "puck", [BOX] = "box", [FEET] = "feet"};
  printf("%s: mass %.3g mu %.3g dt %.3g z %.3g a %.3g k %.3g slab %.3g: %s %.3g\n", name[s->shape],
         s->mass, s->mu, s->dt, s->z, s->a, s->stiffness, s->slab, what, off);
}

/* The most by which the force misses the change of the momentum in 40 steps, of the larger one of
 * the force and the weight. */
static double momentum_missed(slider *s) {
  const double weight = s->mass * g0;
  double worst = 0.0;
  for (int i = 0; i < 40; ++i) {
    const double before = velocity_of(s)[2];
    step(s);
    const double force = force_on(s),
                 change = s->mass * (velocity_of(s)[2] - before) / s->dt + weight;
    worst = fmax(worst, fabs(force - change) / fmax(force, weight));
  }
  return worst;
}

/* After rest, set down without overlap, and landing at 1 m/s: the force that a step tells is that
 * of its momentum within 1e-9. On a slab of up to a million times its mass a body may also miss the
 * tolerance of its own momentum, 4 m/s. */
static void force_is_that_of_the_momentum(void **state) {
  (void)state;
  unsigned long seed = 31;
  double worst = 0.0;
  int over = 0;
  for (int n = 0; n < test_effort(360, 36); ++n) {
    slider s = slider_draw(&seed, n);
    const int start = n / SHAPES % 3;
    if (n / 9 % 2) s.slab = s.mass * random_log_uniform(&seed, 1.0, 1e6);
    slider_open(&s);
    set_sliding(&s, start == 0 ? 200 * s.dt : 0.0, start == 2, random_uniform(&seed, 0.0, 6.28));
    const double off = momentum_missed(&s);
    const double own = s.slab > 0.0 ? tolerance * speed / (g0 * s.dt) : 0.0;
    if (off > 1e-9 + own) tell(&s, "force off momentum by", off), ++over;
    worst = fmax(worst, off - own);
    slider_close(&s);
  }
  printf("force of a step off its momentum by %.2g of the weight at worst\n", worst);
  assert_int_equal(over, 0);
}

/* [-]  eps of the head. The contact's compliance beside the body's inertia makes its share of both
 * omega and v_z. */
static double closed_form(const slider *s, double k) {
  const double a = s->a, h = s->dt, inertia = s->mass / 3 * (a * a + s->z * s->z);
  const double omega = s->mu * s->mass * g0 * s->z * h / (4 * k * a * a * h * h + inertia);
  const double lift = s->dissipation * a * a * omega * omega /
                      (1 + s->mass / (4 * h * h * k) + s->mass * g0 * s->dissipation / (4 * h * k));
  return lift / (g0 * h);
}

/* Near-rigid boxes that are set sliding after rest: eps, -2 eps and eps, then nothing, within 1 %
 * of eps, 1e-11 and the round-off of heights; nothing at all without dissipation. */
static void first_steps_heave_as_the_law_says(void **state) {
  (void)state;
  static const double pattern[] = {1.0, -2.0, 1.0};
  enum { HEAVES = sizeof pattern / sizeof *pattern };
  unsigned long seed = 32;
  double worst = 0.0, most = 0.0, most_without = 0.0;
  for (int n = 0; n < test_effort(120, 24); ++n) {
    slider s = slider_draw(&seed, BOX);
    if (n % 4 == 0) s.dissipation = 0.0;
    slider_open(&s);
    set_sliding(&s, 500 * s.dt, 0.0, 0.0);
    for (int i = 0; i < 30; ++i) {
      step(&s);
      const double eps = closed_form(&s, s.data->contact_stiffness[0]),
                   ripple = force_on(&s) / (s.mass * g0) - 1.0,
                   expected = i < HEAVES ? pattern[i] * eps : 0.0;
      const double off = fabs(ripple - expected) / (0.01 * eps + 1e-11 + unit_of(&s));
      if (off > 1.0) tell(&s, "ripple off its closed form, of what is allowed:", off);
      worst = fmax(worst, off);
      if (s.dissipation > 0.0) most = fmax(most, fabs(ripple));
      else most_without = fmax(most_without, fabs(ripple) - unit_of(&s));
    }
    slider_close(&s);
  }
  printf(
      "ripple %.2g of the weight at most, %.2g off its closed form, of what is allowed; without "
      "dissipation %.2g\n",
      most, worst, most_without);
  assert_true(worst < 1.0);
  assert_true(most_without < 1e-11);
  assert_true(most > 1e-9);
}

// ------------------------------------------------------------------ the same step in 80 bits

/* A step in the plane of the motion, of the state that a double step started from: velocity v =
 * (v_x, v_z, omega about y); contacts at r (2) from the centre, each for two, with their gaps. */
typedef struct plane_step {
  long double v0[3], mass[3], h, k, d, mu, eps;
  long double r[2][2], gap[2];
} plane_step;

static plane_step plane_step_from(const slider *s) {
  const double *q = s->data->q, *v = s->data->v;
  const long double w = q[3], y = q[5], m = s->mass;
  const long double cosine = 1 - 2 * y * y, sine = 2 * w * y;
  plane_step p = {.v0 = {v[0], v[2], v[4]},
                  .mass = {m, m, m / 3 * ((long double)s->a * s->a + (long double)s->z * s->z)},
                  .h = s->dt,
                  .mu = s->mu};
  for (int i = 0; i < 2; ++i) {
    const long double x = i ? s->a : -s->a, z = -s->z;
    p.r[i][0] = cosine * x + sine * z;
    p.r[i][1] = cosine * z - sine * x;
    p.gap[i] = q[2] + p.r[i][1];
    // forces act on the stiffer surface, or half way between those of two rigid ones
    p.r[i][1] -= p.gap[i] * (isinf(s->stiffness) ? 0.5L : 1.0L);
  }
  return p;
}

// F (3) and its derivatives by the velocity; returns the normal impulse.
static long double residual(const plane_step *p, const long double v[3], long double F[3],
                            long double H[3][3]) {
  long double sum = 0;
  for (int i = 0; i < 3; ++i) {
    F[i] = p->mass[i] * (v[i] - p->v0[i]) + (i == 1 ? p->mass[1] * p->h * g0 : 0);
    for (int j = 0; j < 3; ++j) H[i][j] = i == j ? p->mass[i] : 0;
  }
  for (int c = 0; c < 2; ++c) {
    const long double Jt[3] = {1, 0, p->r[c][1]}, Jn[3] = {0, 1, -p->r[c][0]};
    const long double ut = v[0] + Jt[2] * v[2], un = v[1] + Jn[2] * v[2];
    const long double fe = -p->k * p->gap[c] - p->h * p->k * un, damping = 1 - p->d * un;
    assert_true(fe > 0 && damping > 0);
    const long double n = 2 * p->h * fe * damping,
                      slope = -2 * p->h * (p->h * p->k * damping + p->d * fe);
    const long double slip = sqrtl(ut * ut + p->eps * p->eps), t = ut / slip;
    sum += n;
    for (int i = 0; i < 3; ++i) {
      F[i] -= (Jn[i] - p->mu * t * Jt[i]) * n;
      for (int j = 0; j < 3; ++j)
        H[i][j] -= (Jn[i] - p->mu * t * Jt[i]) * slope * Jn[j] -
                   p->mu * n * (1 - t * t) / slip * Jt[i] * Jt[j];
    }
  }
  return sum;
}

static void eliminate(long double H[3][3], long double b[3]) {
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r) {
      if (r == c) continue;
      const long double f = H[r][c] / H[c][c];
      for (int k = 0; k < 3; ++k) H[r][k] -= f * H[c][k];
      b[r] -= f * b[c];
    }
  for (int c = 0; c < 3; ++c) b[c] /= H[c][c];
}

// [N]  the normal force of the step, by Newton's method from v
static long double exact_force(const plane_step *p, const double *v) {
  long double x[3] = {v[0], v[2], v[4]}, F[3], H[3][3];
  for (int i = 0; i < 12; ++i) {
    residual(p, x, F, H);
    eliminate(H, F);
    for (int j = 0; j < 3; ++j) x[j] -= F[j];
  }
  return residual(p, x, F, H) / p->h;
}

/* Boxes of 1e4 N/m to near-rigid that are set sliding after rest, while all corners press: each
 * step's force is that of its exact solution within 1e-10 and the round-off of heights. It changes
 * by up to a tenth where they are soft. */
static void force_is_that_of_the_exact_step(void **state) {
  (void)state;
  unsigned long seed = 33;
  double worst = 0.0, most = 0.0;
  int count = 0;
  for (int n = 0; n < test_effort(90, 15); ++n) {
    slider s = slider_draw(&seed, BOX);
    if (n % 3) s.stiffness = fmax(1e4, s.mass * g0 / (s.a * random_log_uniform(&seed, 1e-7, 1e-2)));
    slider_open(&s);
    set_sliding(&s, 0.2, 0.0, 0.0);
    for (int i = 0; i < 60 && s.data->v[0] > 1.0; ++i) {
      plane_step p = plane_step_from(&s);
      step(&s);
      const limpet_data *d = s.data;
      if (d->contact_count != 4 || d->info.touching_count != 4) break;
      p.k = d->contact_stiffness[0], p.d = s.dissipation, p.eps = d->contact_slip_speed[0];
      const double exact = (double)(exact_force(&p, d->v) / (s.mass * g0)),
                   force = force_on(&s) / (s.mass * g0);
      const double off = fabs(force - exact) - unit_of(&s);
      if (off > 1e-10) tell(&s, "force off that of the exact step by", off);
      worst = fmax(worst, off);
      most = fmax(most, fabs(exact - 1.0));
      ++count;
    }
    slider_close(&s);
  }
  printf(
      "%d steps: force off that of the exact step by %.2g of the weight at worst, where that is "
      "up to %.2g off the weight\n",
      count, worst, most);
  assert_true(worst < 1e-10);
  assert_true(most > 1e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(force_is_that_of_the_momentum),
      cmocka_unit_test(first_steps_heave_as_the_law_says),
      cmocka_unit_test(force_is_that_of_the_exact_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

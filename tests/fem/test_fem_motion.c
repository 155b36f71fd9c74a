/* tests/fem/test_fem_motion.c: free motion of deformable bodies against laws and closed forms.
 *
 *   fall          q, v of every node exact, no strain
 *   rotation      a turned body has no energy and no force
 *   momentum      changes by gravity alone; angular momentum by dt/2 sum v+ x M v, which the scheme
 *                 has for laws whose force has no torque
 *   energy        linear law, no damping: E falls by exactly 1/2 |q+ - q|^2_K in each step
 *   modes         the step of a mode is a 2 x 2 matrix with determinant 1/D,
 *                 D = 1 + alpha dt + beta w^2 dt + (w dt)^2/2
 *   frequency     first bending of a cantilever, 1.8751^2 sqrt(E I/(rho A L^4))
 *   state         energy, volume, inverted elements and stress are sums over the elements, each by
 *                 its own deformation gradient
 *   pieces        of one or two tetrahedra: exact mass, solved, both momenta */
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
#include "fem_bar.h"
#include "fem/body.h"
#include "fem/spin.h"
#include "fem/tetrahedron.h"
#include "math/vec3.h"
#include "shared_data.h"

static unsigned long seed = 23;

static fem_world world_of(const limpet_elastic_law *law, limpet_fem_element element,
                          void (*change)(limpet_fem_description *)) {
  fem_bar bar = fem_bar_make(4, 2, 2, 0.2, 0.1, 0.08);
  bar.description.law = law;
  bar.description.element = element;
  bar.description.poissons_ratio = 0.35;
  if (change) change(&bar.description);
  fem_world w = fem_world_make(&bar.description);
  fem_bar_free(&bar);
  return w;
}

static void shake(fem_world *w, double displacement, double speed) {
  for (int i = 0; i < w->n; ++i) {
    w->q[i] += random_uniform(&seed, -displacement, displacement);
    w->v[i] += random_uniform(&seed, -speed, speed);
  }
}

// Where programs are watched laws take turns: each has one kind of element.
static bool is_left_out(const limpet_elastic_law *law, int element) {
  int number = 0;
  while (limpet_elastic_laws()[number] != law) ++number;
  return TEST_WATCHED && number % 2 != element;
}

static void fall(void **state) {
  (void)state;
  for (int element = 0; element < 2; ++element)
    for (const limpet_elastic_law *const *law = limpet_elastic_laws(); *law; ++law) {
      if (is_left_out(*law, element)) continue;
      fem_world w = world_of(*law, (limpet_fem_element)element, NULL);
      const double v0[3] = {0.3, -0.2, 1.0}, g[3] = {0.5, 0.0, -9.81}, dt = 0.004;
      for (int i = 0; i < w.n; ++i) w.v[i] = v0[i % 3];
      memcpy(w.input.gravity, g, sizeof g);
      w.input.dt = dt;
      const double *rest = limpet_fem_body_rest(w.body);
      const int steps = test_effort(50, 15);
      for (int k = 0; k < steps; ++k) fem_world_step(&w);
      const double t = steps * dt;
      double speed = 0.0, place = 0.0;
      for (int i = 0; i < w.n; ++i) {
        speed = fmax(speed, fabs(w.v[i] - (v0[i % 3] + t * g[i % 3])));
        place = fmax(place, fabs(w.q[i] - (rest[i] + t * v0[i % 3] + 0.5 * t * t * g[i % 3])));
      }
      assert_true(speed < 1e-12);  // [m/s]  round-off of positions over dt: 5e-14 a step
      assert_true(place < 1e-14);  // [m]
      fem_world_free(&w);
    }
}

static void rotation(void **state) {
  (void)state;
  const double c = cos(2.5), s = sin(2.5);
  const double R[9] = {c, -s, 0.0, 0.6 * s, 0.6 * c, -0.8, 0.8 * s, 0.8 * c, 0.6};
  for (int element = 0; element < 2; ++element)
    for (const limpet_elastic_law *const *law = limpet_elastic_laws() + 1; *law; ++law) {
      fem_world w = world_of(*law, (limpet_fem_element)element, NULL);
      const limpet_fem_state at_rest = limpet_fem_body_state(w.body, w.q, NULL, NULL);
      for (int i = 0; i < w.n; i += 3) {
        limpet_mat3_mul_vec(w.next + i, R, w.q + i);
        w.next[i] += 3.0;
      }
      const limpet_fem_state turned = limpet_fem_body_state(w.body, w.next, NULL, NULL);
      assert_true(fabs(turned.elastic - at_rest.elastic) < 1e-12);  // [J]  of E V = 1600 J
      assert_true(fabs(turned.volume - at_rest.volume) < 1e-15);
      assert_int_equal(turned.inverted, 0);
      limpet_fem_body_force(w.body, NULL, w.next, w.q);
      for (int i = 0; i < w.n; ++i) assert_true(fabs(w.q[i]) < 1e-9);  // [N]  of E A = 8000 N
      fem_world_free(&w);
    }
}

// F of tetrahedron t from the edges of its corners.
static void gradient_of(const fem_world *w, int t, double F[9], double *volume) {
  const int *v = limpet_fem_body_tetrahedra(w->body) + 4L * t;
  const double *rest = limpet_fem_body_rest(w->body);
  double X[9], x[9];  // columns: edges
  for (int e = 0; e < 3; ++e)
    for (int i = 0; i < 3; ++i) {
      X[3 * i + e] = rest[3 * v[e + 1] + i] - rest[3 * v[0] + i];
      x[3 * i + e] = w->q[3 * v[e + 1] + i] - w->q[3 * v[0] + i];
    }
  const double J = limpet_mat3_determinant(X);
  double inverse[9];  // cofactors over the determinant
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
      inverse[3 * i + j] = (X[3 * a + c] * X[3 * b + d] - X[3 * a + d] * X[3 * b + c]) / J;
    }
  limpet_mat3_mul(F, x, inverse);
  *volume = J / 6.0;
}

static void check_stress(const limpet_elastic_law *law, const double F[9], const double P[9],
                         double mises, const double sigma[6]) {
  double R[9], S[9];
  if (limpet_elastic_law_is_linear(law)) {
    const double one[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    if (law->rotates) limpet_elastic_rotation(F, R);
    limpet_mat3_mul_t(S, P, law->rotates ? R : one);
  } else {
    limpet_mat3_mul_t(S, P, F);
    for (int i = 0; i < 9; ++i) S[i] /= fabs(limpet_mat3_determinant(F));
  }
  const int at[6] = {0, 4, 8, 5, 2, 1};
  double largest = 0.0;
  for (int i = 0; i < 9; ++i) largest = fmax(largest, fabs(S[i]));
  for (int i = 0; i < 6; ++i) assert_true(fabs(sigma[i] - S[at[i]]) < 1e-9 * largest);
  const double p = (S[0] + S[4] + S[8]) / 3.0;
  double square = 0.0;
  for (int i = 0; i < 9; ++i) square += (S[i] - (i % 4 ? 0.0 : p)) * (S[i] - (i % 4 ? 0.0 : p));
  assert_true(fabs(mises - sqrt(1.5 * square)) < 1e-9 * largest);
}

// Sums over all elements against what the body says; returns how many are inverted.
static int check_state(const fem_world *w, const limpet_elastic_law *law) {
  const limpet_fem_body_info info = limpet_fem_body_information(w->body);
  double *mises = malloc((size_t)info.tetrahedron_count * sizeof *mises),
         *together = malloc((size_t)info.tetrahedron_count * sizeof *mises),
         *cauchy = malloc(6 * (size_t)info.tetrahedron_count * sizeof *cauchy);
  limpet_fem_body_stress(w->body, w->q, mises, cauchy);
  const limpet_fem_state strained = limpet_fem_body_strained(w->body, w->q, together);
  double energy = 0.0, volume = 0.0;
  int inverted = 0;
  for (int t = 0; t < info.tetrahedron_count; ++t) {
    double F[9], P[9], V;
    gradient_of(w, t, F, &V);
    energy += V * limpet_elastic_energy(law, info.youngs_modulus, info.poissons_ratio, NULL, F, P);
    volume += V * limpet_mat3_determinant(F);
    inverted += limpet_mat3_determinant(F) <= 0.0;
    check_stress(law, F, P, mises[t], cauchy + 6 * t);
    assert_true(fabs(together[t] - mises[t]) <= 1e-12 * mises[t]);
  }
  const limpet_fem_state s = limpet_fem_body_state(w->body, w->q, w->v, NULL);
  assert_true(fabs(s.elastic - energy) < 1e-12 * energy);
  assert_true(fabs(s.volume - volume) < 1e-12 * info.volume);
  assert_int_equal(s.inverted, inverted);
  assert_true(strained.elastic == s.elastic && strained.volume == s.volume);
  assert_true(fabs(limpet_fem_body_kinetic(w->body, w->v) - s.kinetic) < 1e-13 * s.kinetic);
  free(mises), free(together), free(cauchy);
  return inverted;
}

// Nodes of linear elements go anywhere; those of quadratic ones by one map, as F is the same at
// all points then.
static void state_by_elements(void **state) {
  (void)state;
  int inverted = 0;
  for (int element = 0; element < 2; ++element)
    for (const limpet_elastic_law *const *law = limpet_elastic_laws(); *law; ++law)
      for (int k = 0; k < 4; ++k) {
        fem_world w = world_of(*law, (limpet_fem_element)element, NULL);
        shake(&w, 0.0, 0.5);
        double A[9], x[3];
        for (int i = 0; i < 9; ++i)
          A[i] = (i % 4 == 0) + random_uniform(&seed, -0.3, 0.3) * (element ? k + 1 : 1);
        for (int i = 0; i < w.n; i += 3) {
          limpet_vec3_copy(x, w.q + i);
          limpet_mat3_mul_vec(w.q + i, A, x);
        }
        if (element == 0) shake(&w, 0.01 * k, 0.0);  // [m]  edges have 0.04 to 0.05
        inverted += check_state(&w, *law);
        fem_world_free(&w);
      }
  assert_true(inverted > 100);
}

static void momentum(void **state) {
  (void)state;
  for (int element = 0; element < 2; ++element)
    for (const limpet_elastic_law *const *law = limpet_elastic_laws(); *law; ++law) {
      if (is_left_out(*law, element)) continue;
      fem_world w = world_of(*law, (limpet_fem_element)element, NULL);
      const bool linear = limpet_elastic_law_is_linear(*law);
      shake(&w, 0.002, 0.5);
      const limpet_fem_body_info info = limpet_fem_body_information(w.body);
      w.input.gravity[2] = -9.81;
      w.input.dt = 0.002;
      w.input.tolerance = 1e-14;
      for (int k = 0; k < test_effort(20, 6); ++k) {
        const limpet_fem_state a = limpet_fem_body_state(w.body, w.q, w.v, NULL);
        double *v0 = malloc((size_t)w.n * sizeof *v0);
        memcpy(v0, w.v, (size_t)w.n * sizeof *v0);
        fem_world_step(&w);
        const limpet_fem_state b = limpet_fem_body_state(w.body, w.q, w.v, NULL);
        for (int i = 0; i < 3; ++i) {
          const double gained =
              b.momentum[i] - a.momentum[i] - w.input.dt * info.mass * w.input.gravity[i];
          assert_true(fabs(gained) < 1e-12);  // [N s]  of 0.8
        }
        // torque of gravity at q+, and what the scheme adds: dt/2 sum v+ x M v
        const limpet_fem_state mixed = limpet_fem_body_state(w.body, w.v, v0, NULL);
        double torque[3], arm[3];
        limpet_vec3_scale(arm, info.mass, b.centre);
        limpet_vec3_cross(torque, arm, w.input.gravity);
        for (int i = 0; i < 3 && !linear; ++i) {
          const double gained = b.angular_momentum[i] - a.angular_momentum[i] -
                                w.input.dt * torque[i] -
                                0.5 * w.input.dt * mixed.angular_momentum[i];
          assert_true(fabs(gained) < 1e-12);  // [N m s]  of 0.1
        }
        free(v0);
      }
      fem_world_free(&w);
    }
}

/* A body thrown with a spin of 20 rad/s in gravity keeps its angular momentum about its centre over
 * 50 steps, but for the torque of a couple that pushes it; the turn that does so strains nothing.
 */
static void spin(void **state) {
  (void)state;
  for (int element = 0; element < 2; ++element)
    for (const limpet_elastic_law *const *law = limpet_elastic_laws() + 1; *law; ++law)
      for (int backward = 0; backward < 2; ++backward) {
        if (element == LIMPET_FEM_QUADRATIC && backward) continue;
        if (is_left_out(*law, element)) continue;
        fem_world w = world_of(*law, (limpet_fem_element)element, NULL);
        const double turn[3] = {3.0, 20.0, -5.0};
        const limpet_fem_body_info info = limpet_fem_body_information(w.body);
        for (int i = 0; i < w.n; i += 3) {
          double r[3];
          limpet_vec3_sub(r, w.q + i, info.centre);
          limpet_vec3_cross(w.v + i, turn, r);
          w.v[i] += 2.0;
        }
        shake(&w, 0.0, 0.2);
        double *force = calloc((size_t)w.n, sizeof *force);
        w.input.gravity[2] = -9.81, w.input.dt = 0.002, w.input.backward_euler = backward;
        w.input.force = force;
        force[0] = 0.5, force[w.n - 3] = -0.5;
        double expected[3], first[3], moved[3];
        for (int k = 0; k <= test_effort(50, 15); ++k) {
          const limpet_fem_state s = limpet_fem_body_state(w.body, w.q, w.v, NULL);
          limpet_vec3_cross(moved, s.centre, s.momentum);
          double L[3];
          limpet_vec3_sub(L, s.angular_momentum, moved);
          if (k == 0) limpet_vec3_copy(first, L), limpet_vec3_copy(expected, L);
          // [N m s]  50 steps of round-off
          assert_true(limpet_vec3_distance(L, expected) < 1e-12);
          assert_int_equal(limpet_fem_step_begin(w.step, &w.input), LIMPET_FEM_SOLVED);
          memcpy(w.next, limpet_fem_step_free_velocity(w.step), (size_t)w.n * sizeof *w.v);
          double *q = malloc((size_t)w.n * sizeof *q), arm[3], torque[3];
          limpet_fem_step_positions(w.step, w.next, q);
          const double strained = limpet_fem_body_state(w.body, q, NULL, NULL).elastic;
          assert_true(limpet_fem_step_keep_spin(w.step, NULL, w.next));
          limpet_fem_step_positions(w.step, w.next, q);
          const double turned = limpet_fem_body_state(w.body, q, NULL, NULL).elastic;
          assert_true(fabs(turned - strained) < 1e-9 * strained);  // round-off of strains
          memcpy(w.q, q, (size_t)w.n * sizeof *q);
          memcpy(w.v, w.next, (size_t)w.n * sizeof *q);
          limpet_vec3_sub(arm, q, q + w.n - 3);
          limpet_vec3_cross(torque, arm, force);
          limpet_vec3_addmul(expected, expected, w.input.dt, torque);
          free(q);
        }
        assert_true(limpet_vec3_norm(first) > 0.02);
        free(force);
        fem_world_free(&w);
      }
}

/* The turned way from one end of a step to another: a rotation strains nothing, at any share; what
 * is none is taken along, and small shares of all go straight. */
static void turned_way(void **state) {
  (void)state;
  fem_world w = world_of(limpet_elastic_law_find("corotated"), LIMPET_FEM_LINEAR, NULL);
  w.input.dt = 0.01;
  assert_int_equal(limpet_fem_step_begin(w.step, &w.input), LIMPET_FEM_SOLVED);
  const double turn[3] = {20.0, -30.0, 10.0}, small = 1e-5;
  const limpet_fem_body_info info = limpet_fem_body_information(w.body);
  double *d = malloc((size_t)w.n * sizeof *d), *to = malloc((size_t)w.n * sizeof *to),
         *q = malloc((size_t)w.n * sizeof *q), straight = 0.0;
  for (int strained = 0; strained < 2; ++strained) {
    for (int i = 0; i < w.n; i += 3) {
      double r[3];
      limpet_vec3_sub(r, w.q + i, info.centre);
      limpet_vec3_cross(d + i, turn, r);
      d[i] += 2.0 + strained * sin((double)i);
    }
    for (double share = 1.0; share > 0.2; share *= 0.5) {
      limpet_fem_step_turn(w.step, w.v, d, share, to);
      limpet_fem_step_positions(w.step, to, q);
      const double elastic = limpet_fem_body_state(w.body, q, NULL, NULL).elastic;
      for (int i = 0; i < w.n; ++i) to[i] = w.v[i] + share * d[i];
      limpet_fem_step_positions(w.step, to, q);
      straight = limpet_fem_body_state(w.body, q, NULL, NULL).elastic;
      if (!strained) assert_true(elastic < 1e-20 * straight);
    }
    limpet_fem_step_turn(w.step, w.v, d, small, to);
    for (int i = 0; i < w.n; ++i)
      assert_true(fabs(to[i] - w.v[i] - small * d[i]) < 10.0 * small * small);
  }
  assert_true(straight > 0.0);
  free(d), free(to), free(q);
  fem_world_free(&w);
}

/* Tetrahedra that are joined in pieces of one or two, whose centroids lie on a line: loose, and
 * hinged at a vertex or an edge. M is that of the matter, spin about each axis included, and random
 * bodies fall, turn and swing with all laws: every step is solved and keeps both momenta. */
static void pieces_in_a_line(void **state) {
  (void)state;
  static const int shape[5][12] = {{0, 1, 2, 3},
                                   {0, 1, 2, 3, 4, 1, 2, 3},
                                   {0, 1, 2, 3, 4, 5, 6, 7},
                                   {0, 1, 2, 3, 0, 4, 5, 6},
                                   {0, 1, 2, 3, 0, 1, 4, 5}};
  static const int vertices[5] = {4, 5, 8, 7, 6};
  static const double place[8][3] = {{0, 0, 0},    {.1, 0, 0},   {0, .1, 0},   {0, 0, .1},
                                     {.1, .1, .1}, {.2, .1, .1}, {.1, .2, .1}, {.1, .1, .2}};
  int number = 0;
  for (const limpet_elastic_law *const *law = limpet_elastic_laws() + 1; *law; ++law, ++number)
    for (int k = test_turn_of(number, 5).first; k < 5; k += test_turn_of(number, 5).way) {
      double x[24];
      // the hinged ones lie on the other side of the first
      for (int i = 0; i < 24; ++i)
        x[i] = (k > 2 && i >= 12 ? -1.0 : 1.0) * place[i / 3][i % 3] +
               random_uniform(&seed, -.01, .01);
      limpet_fem_description d = limpet_fem_description_default();
      d.vertex_count = vertices[k], d.vertices = x;
      d.tetrahedron_count = k == 0 ? 1 : 2, d.tetrahedra = shape[k];
      d.law = *law, d.youngs_modulus = pow(10.0, random_uniform(&seed, 3.0, 7.0));
      fem_world w = fem_world_make(&d);
      const double turn[3] = {3.0, 2.0, -5.0};
      double energy = 0.0;
      for (int i = 0; i < w.n; i += 3) limpet_vec3_cross(w.v + i, turn, w.q + i);
      const limpet_fem_state spun = limpet_fem_body_state(w.body, w.q, w.v, NULL);
      for (int t = 0; t < d.tetrahedron_count; ++t) {
        // of a tetrahedron: V/20 (sum of squares + square of the sum)
        const int *v = shape[k] + 4 * t;
        double sum[3] = {0.0, 0.0, 0.0}, squares = 0.0;
        for (int a = 0; a < 4; ++a) {
          limpet_vec3_add(sum, sum, w.v + 3 * v[a]);
          squares += limpet_vec3_dot(w.v + 3 * v[a], w.v + 3 * v[a]);
        }
        energy += d.density * fabs(limpet_tetrahedron_shape_of(x, v).volume) / 40.0 *
                  (squares + limpet_vec3_dot(sum, sum));
      }
      assert_true(fabs(spun.kinetic - energy) < 1e-13 * energy);
      shake(&w, 1e-4, 0.1);
      w.input.dt = 0.002;
      const limpet_fem_state a = limpet_fem_body_state(w.body, w.q, w.v, NULL);
      double L[3], arm[3];
      limpet_vec3_cross(arm, a.centre, a.momentum);
      limpet_vec3_sub(L, a.angular_momentum, arm);
      for (int n = 0; n < 20; ++n) {
        assert_int_equal(limpet_fem_step_begin(w.step, &w.input), LIMPET_FEM_SOLVED);
        memcpy(w.next, limpet_fem_step_free_velocity(w.step), (size_t)w.n * sizeof *w.v);
        assert_true(limpet_fem_step_keep_spin(w.step, NULL, w.next));
        double q[24];
        limpet_fem_step_positions(w.step, w.next, q);
        memcpy(w.q, q, (size_t)w.n * sizeof *q);
        memcpy(w.v, w.next, (size_t)w.n * sizeof *q);
      }
      const limpet_fem_state b = limpet_fem_body_state(w.body, w.q, w.v, NULL);
      limpet_vec3_cross(arm, b.centre, b.momentum);
      limpet_vec3_sub(arm, b.angular_momentum, arm);
      assert_true(limpet_vec3_distance(a.momentum, b.momentum) < 1e-12);  // [N s]
      assert_true(limpet_vec3_distance(L, arm) < 1e-12);                  // [N m s]  of 2e-4
      fem_world_free(&w);
    }
}

static double energy_of(const fem_world *w, const double *q, const double *v) {
  const limpet_fem_state s = limpet_fem_body_state(w->body, q, v, NULL);
  return s.kinetic + s.elastic;
}

static void energy_loss(void **state) {
  (void)state;
  for (int element = 0; element < 2; ++element) {
    fem_world w = world_of(limpet_elastic_law_find("linear"), (limpet_fem_element)element, NULL);
    fem_world_fix(&w, 0, 0.0);
    const double *rest = limpet_fem_body_rest(w.body);
    shake(&w, 0.001, 1.0);
    for (int k = 0; k < w.input.fixed_count; ++k)
      for (int i = 0; i < 3; ++i) {
        w.q[3 * w.fixed[k] + i] = rest[3 * w.fixed[k] + i];
        w.v[3 * w.fixed[k] + i] = 0.0;
      }
    w.input.dt = 0.001;
    const double first = energy_of(&w, w.q, w.v);
    double *before = malloc((size_t)w.n * sizeof *before), *u = malloc((size_t)w.n * sizeof *u);
    for (int k = 0; k < 50; ++k) {
      const double a = energy_of(&w, w.q, w.v);
      memcpy(before, w.q, (size_t)w.n * sizeof *before);
      fem_world_step(&w);
      const double b = energy_of(&w, w.q, w.v);
      for (int i = 0; i < w.n; ++i) u[i] = rest[i] + w.q[i] - before[i];
      const double lost = energy_of(&w, u, NULL);
      assert_true(fabs(a - b - lost) < 1e-13 * first);
      assert_true(b < a);
    }
    free(before), free(u);
    fem_world_free(&w);
  }
}

// A cantilever's first mode (n numbers, largest 1) by inverse iteration; returns w^2 [1/s^2].
static double first_mode(fem_world *w, int rounds, double *mode) {
  const double *rest = limpet_fem_body_rest(w->body);
  double *force = calloc((size_t)w->n, sizeof *force), square = 0.0;
  for (int i = 0; i < w->n; ++i) mode[i] = i % 3 == 2 ? rest[i - 2] * rest[i - 2] : 0.0;
  limpet_fem_input input = w->input;
  input.force = force;
  for (int k = 0; k < rounds; ++k) {
    double *Mu = force, *q = w->next;
    limpet_fem_body_mass_multiply(w->body, mode, Mu);
    memcpy(q, rest, (size_t)w->n * sizeof *q);
    assert_int_equal(limpet_fem_step_equilibrium(w->step, &input, q), LIMPET_FEM_SOLVED);
    double most = 0.0;
    for (int i = 0; i < w->n; ++i) {
      q[i] -= rest[i];
      if (fabs(q[i]) > fabs(most)) most = q[i];
    }
    double kinetic = 0.0, mixed = 0.0;  // u.M u of the new mode: w^2 = u.K u/u.M u
    for (int i = 0; i < w->n; ++i) mixed += q[i] * Mu[i];
    limpet_fem_body_mass_multiply(w->body, q, Mu);
    for (int i = 0; i < w->n; ++i) kinetic += q[i] * Mu[i];
    square = mixed / kinetic;
    for (int i = 0; i < w->n; ++i) mode[i] = q[i] / most;
  }
  free(force);
  return square;
}

static void mode_world_change(limpet_fem_description *d) {
  d->mass_damping = 0.7;
  d->stiffness_damping = 0.003;
}

// One step from (u, v) = (a, b) times the mode; the result as multiples of the mode.
static void mode_step(fem_world *w, const double *mode, double a, double b, double out[2]) {
  const double *rest = limpet_fem_body_rest(w->body);
  int at = 0;
  for (int i = 0; i < w->n; ++i) {
    w->q[i] = rest[i] + a * mode[i], w->v[i] = b * mode[i];
    if (mode[i] == 1.0) at = i;
  }
  fem_world_step(w);
  out[0] = w->q[at] - rest[at], out[1] = w->v[at];
  for (int i = 0; i < w->n; ++i) {
    assert_true(fabs(w->q[i] - rest[i] - out[0] * mode[i]) < 1e-9 * (fabs(a) + fabs(b)));
    assert_true(fabs(w->v[i] - out[1] * mode[i]) < 1e-7 * (fabs(a) + fabs(b)));
  }
}

static void modes(void **state) {
  (void)state;
  for (int damped = 0; damped < 2; ++damped) {
    fem_world w = world_of(limpet_elastic_law_find("linear"), LIMPET_FEM_LINEAR,
                           damped ? mode_world_change : NULL);
    fem_world_fix(&w, 0, 0.0);
    double *mode = malloc((size_t)w.n * sizeof *mode), position[2], velocity[2];
    const double square = first_mode(&w, 100, mode);
    for (int k = 0; k < 3; ++k) {
      const double dt = pow(10.0, -2.0 - k);
      w.input.dt = dt;
      mode_step(&w, mode, 1.0, 0.0, position);
      mode_step(&w, mode, 0.0, 1.0, velocity);
      const double D =
          1.0 + 0.5 * dt * dt * square + (damped ? 0.7 * dt + 0.003 * dt * square : 0.0);
      const double determinant = position[0] * velocity[1] - position[1] * velocity[0];
      assert_true(fabs(determinant * D - 1.0) < 1e-9);
      assert_true(fabs(position[1] * D + dt * square) < 1e-9 * dt * square + 1e-9);
    }
    free(mode);
    fem_world_free(&w);
  }
}

static void frequency(void **state) {
  (void)state;
  const double L = 0.4, b = 0.06, h = 0.02, E = 1e6, rho = 1000.0;
  fem_bar bar = fem_bar_make(12, 2, 1, L, b, h);
  bar.description.law = limpet_elastic_law_find("linear");
  bar.description.element = LIMPET_FEM_QUADRATIC;
  bar.description.poissons_ratio = 0.0;
  fem_world w = fem_world_make(&bar.description);
  fem_world_fix(&w, 0, 0.0);
  double *mode = malloc((size_t)w.n * sizeof *mode);
  const double measured = sqrt(first_mode(&w, 12, mode));
  const double beam =
      1.8751040687 * 1.8751040687 * sqrt(E * b * h * h * h / 12.0 / (rho * b * h)) / (L * L);
  printf("first frequency %.4f Hz, Euler-Bernoulli %.4f Hz\n", measured / (2.0 * LIMPET_PI),
         beam / (2.0 * LIMPET_PI));
  assert_true(fabs(measured / beam - 1.0) < 0.01);
  free(mode);
  fem_world_free(&w);
  fem_bar_free(&bar);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(fall),
                                     cmocka_unit_test(rotation),
                                     cmocka_unit_test(state_by_elements),
                                     cmocka_unit_test(momentum),
                                     cmocka_unit_test(turned_way),
                                     cmocka_unit_test(spin),
                                     cmocka_unit_test(energy_loss),
                                     cmocka_unit_test(modes),
                                     cmocka_unit_test(frequency),
                                     cmocka_unit_test(pieces_in_a_line)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

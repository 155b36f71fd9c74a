/* tests/fem/test_fem_elastic.c: elastic laws by themselves: stress and its derivative against
 * differences of energy and stress, turning, small strains, projection.
 *
 * F is drawn as a rotation times stretches between 1e-2 and 1e2 on a log scale, a third of them
 * inverted; E and nu over what is allowed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fem/elastic_law.h"
#include "fem/kernels.h"
#include "math/decompose.h"
#include "math/vec3.h"
#include "shared_data.h"

static unsigned long seed = 11;

static void random_rotation(double R[9]) {
  double a[3], b[3];
  for (int k = 0; k < 3; ++k)
    a[k] = random_uniform(&seed, -1.0, 1.0), b[k] = random_uniform(&seed, -1.0, 1.0);
  limpet_vec3_normalize(a);
  limpet_vec3_addmul(b, b, -limpet_vec3_dot(a, b), a);
  limpet_vec3_normalize(b);
  double c[3];
  limpet_vec3_cross(c, a, b);
  for (int k = 0; k < 3; ++k) R[3 * k] = a[k], R[3 * k + 1] = b[k], R[3 * k + 2] = c[k];
}

// Stretches of 10^-range to 10^range; `invert`: the last one negative.
static void random_gradient(double range, bool invert, double F[9]) {
  double U[9], V[9], S[9];
  random_rotation(U), random_rotation(V);
  for (int j = 0; j < 3; ++j) {
    const double s = pow(10.0, random_uniform(&seed, -range, range));
    for (int i = 0; i < 3; ++i) S[3 * i + j] = U[3 * i + j] * (invert && j == 2 ? -s : s);
  }
  limpet_mat3_mul_t(F, S, V);
}

static double size(const double *x, int count) {
  double most = 0.0;
  for (int i = 0; i < count; ++i) most = fmax(most, fabs(x[i]));
  return most;
}

typedef struct material {
  const limpet_elastic_law *law;
  double E, nu;
} material;

static double energy(const material *m, const double F0[9], const double F[9], double P[9]) {
  return limpet_elastic_energy(m->law, m->E, m->nu, F0, F, P);
}

/* Richardson's differences with steps h and h/2 of the smallest stretch: errors of h^4, and eps/h
 * of round-off, both below 1e-8 of the stiffness times F. */
static void differences_at(const material *m, const double F[9]) {
  double D[81], P[9];
  limpet_elastic_derivative(m->law, m->E, m->nu, F, F, false, D);
  const double W = energy(m, F, F, P), stiff = size(D, 81), large = size(F, 9);
  double smallest = INFINITY, w[3], V[9], C[9];
  limpet_mat3_tmul(C, F, F);
  limpet_mat3_eigen(C, w, V);
  smallest = sqrt(fmax(w[2], 0.0));
  // inverted: the rotation has a pole where two stretches are opposite
  if (limpet_mat3_determinant(F) < 0.0) smallest = fmin(smallest, sqrt(w[1]) - sqrt(w[2]));
  for (int k = 0; k < 9; ++k) {
    double change[2][10];
    for (int half = 0; half < 2; ++half) {
      const double h = 1e-3 * smallest / (1 + half);
      double up[9], down[9], Pu[9], Pd[9];
      memcpy(up, F, sizeof up), memcpy(down, F, sizeof down);
      up[k] += h, down[k] -= h;
      const double step = up[k] - down[k];
      change[half][9] = (energy(m, F, up, Pu) - energy(m, F, down, Pd)) / step;
      for (int i = 0; i < 9; ++i) change[half][i] = (Pu[i] - Pd[i]) / step;
    }
    const double slope = (4.0 * change[1][9] - change[0][9]) / 3.0;
    const double noise = 1e-15 / (1e-3 * smallest);
    assert_true(fabs(slope - P[k]) <= 1e-7 * stiff * large + 10.0 * noise * fabs(W));
    for (int i = 0; i < 9; ++i)
      assert_true(fabs((4.0 * change[1][i] - change[0][i]) / 3.0 - D[9 * i + k]) <=
                  1e-7 * stiff + 100.0 * noise * stiff * large);
  }
}

static material random_material(const limpet_elastic_law *law) {
  const bool positive = strcmp(limpet_elastic_law_descriptor(law)->name, "neo-hookean-drake") == 0;
  const double compressible = random_uniform(&seed, positive ? 0.05 : -0.9, 0.45);
  const double stiff = 0.5 - pow(10.0, random_uniform(&seed, -4.0, -1.0));
  return (material){.law = law,
                    .E = pow(10.0, random_uniform(&seed, 2.0, 11.0)),
                    .nu = random_uniform(&seed, 0.0, 1.0) < 0.5 ? compressible : stiff};
}

static void derivatives(void **state) {
  (void)state;
  for (const limpet_elastic_law *const *law = limpet_elastic_laws(); *law; ++law)
    for (int n = 0; n < 300; ++n) {
      const material m = random_material(*law);
      double F[9];
      random_gradient(n % 2 ? 1.0 : 0.2, n % 3 == 0, F);
      differences_at(&m, F);
    }
}

// psi(Q F) = psi(F) and P(Q F) = Q P(F), but for `linear`; a rotation has no energy beyond psi(I).
static void turning(void **state) {
  (void)state;
  for (const limpet_elastic_law *const *law = limpet_elastic_laws(); *law; ++law) {
    if (strcmp(limpet_elastic_law_descriptor(*law)->name, "linear") == 0) continue;
    for (int n = 0; n < 200; ++n) {
      const material m = random_material(*law);
      double F[9], Q[9], QF[9], P[9], QP[9], turned[9], identity[9], D[81];
      random_gradient(0.5, n % 3 == 0, F);
      random_rotation(Q);
      limpet_mat3_mul(QF, Q, F);
      limpet_elastic_derivative(*law, m.E, m.nu, F, F, false, D);
      const double stiff = size(D, 81) * fmax(1.0, size(F, 9));
      const double before = energy(&m, F, F, P), after = energy(&m, QF, QF, turned);
      limpet_mat3_mul(QP, Q, P);
      assert_true(fabs(before - after) <= 1e-13 * stiff * size(F, 9) + 1e-13 * fabs(before));
      for (int i = 0; i < 9; ++i) assert_true(fabs(QP[i] - turned[i]) <= 1e-13 * stiff);
      limpet_mat3_identity(identity);
      const double rest = energy(&m, identity, identity, NULL);
      assert_true(fabs(energy(&m, Q, Q, P) - rest) <= 1e-14 * stiff);
      assert_true(size(P, 9) <= 1e-14 * stiff);
    }
  }
}

/* Small strains: the law has the E and nu that were asked for; Drake's neo-Hookean constants do
 * not: lambda - mu in place of lambda. */
static void small_strain(void **state) {
  (void)state;
  for (const limpet_elastic_law *const *law = limpet_elastic_laws(); *law; ++law) {
    const double E = 1e6, nu = 0.3, mu = E / 2.6, lambda = E * nu / (1.3 * 0.4);
    const bool drake = strcmp(limpet_elastic_law_descriptor(*law)->name, "neo-hookean-drake") == 0;
    double D[81], I[9];
    limpet_mat3_identity(I);
    limpet_elastic_derivative(*law, E, nu, I, I, false, D);
    const double first = drake ? lambda - mu : lambda;
    assert_true(fabs(D[0] - (first + 2.0 * mu)) < 1e-9 * E);
    assert_true(fabs(D[4] - first) < 1e-9 * E);
    assert_true(fabs(D[9 * 1 + 1] + D[9 * 1 + 3] - 2.0 * mu) < 1e-9 * E);
  }
}

/* The projection: eigenvalues of the exact derivative with the negative ones at zero. */
static void projection(void **state) {
  (void)state;
  for (const limpet_elastic_law *const *law = limpet_elastic_laws(); *law; ++law)
    for (int n = 0; n < 100; ++n) {
      const material m = random_material(*law);
      double F[9], D[81], A[81], work[9], w[9], V[81], S[81];
      random_gradient(0.5, n % 2 == 0, F);
      limpet_elastic_derivative(*law, m.E, m.nu, F, F, false, D);
      const double stiff = size(D, 81);
      memcpy(A, D, sizeof A);
      limpet_symmetric_eigen(9, A, work, w, V);
      limpet_elastic_derivative(*law, m.E, m.nu, F, F, true, S);
      for (int i = 0; i < 9; ++i)
        for (int j = 0; j < 9; ++j) {
          double sum = 0.0;
          for (int k = 0; k < 9; ++k) sum += fmax(w[k], 0.0) * V[9 * i + k] * V[9 * j + k];
          assert_true(fabs(sum - S[9 * i + j]) <= 1e-11 * stiff);
        }
    }
}

/* Rotations of whole bodies, by Newton's method, against those of single elements, by singular
 * values: round-off of F turns them by eps |F| over the sum of the two least stretches. One body of
 * four tetrahedra, each with a gradient of its own; a fifth of the batches has an inverted one. */
static void rotations_of_bodies(void **state) {
  (void)state;
  static const int corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double rest[48], q[48], F[4][9], R[36] __attribute__((aligned(32))),
      again[36] __attribute__((aligned(32))), model;
  int tetrahedra[16];
  for (int i = 0; i < 16; ++i) tetrahedra[i] = i;
  for (int i = 0; i < 48; ++i) rest[i] = corner[i / 3 % 4][i % 3] + (i % 3 == 0 ? 3 * (i / 12) : 0);
  limpet_fem_description d = limpet_fem_description_default();
  d.vertex_count = 16, d.vertices = rest, d.tetrahedron_count = 4, d.tetrahedra = tetrahedra;
  limpet_error error;
  limpet_fem_body *body = limpet_fem_body_create(&d, &error);
  assert_non_null(body);
  const limpet_fem_kernels *tables[2] = {&limpet_fem_kernels_baseline, limpet_fem()};
  for (int n = 0; n < 2000; ++n) {
    const double range = n % 2 ? 0.02 : 2.0;
    for (int t = 0; t < 4; ++t) {
      random_gradient(range, n % 20 == 5 * t, F[t]);
      for (int a = 0; a < 4; ++a)
        for (int i = 0; i < 3; ++i)
          q[12 * t + 3 * a + i] = (a == 0 ? 0.0 : F[t][3 * i + a - 1]) + (i == 0 ? t : 0.0);
    }
    for (int k = 0; k < 2; ++k) {
      tables[k]->rotations(body, q, R);
      // steps that begin where one ended take these, to the bit
      tables[k]->turning_energy(body, R, q, &model, again);
      assert_memory_equal(again, R, sizeof R);
      for (int t = 0; t < 4; ++t) {
        double one[9], exact[9];
        // gradients as the body sees them: sums of positions round
        for (int i = 0; i < 9; ++i)
          one[i] = q[12 * t + 3 * (i % 3 + 1) + i / 3] - q[12 * t + i / 3];
        limpet_elastic_rotation(one, exact);
        const double J = limpet_mat3_determinant(one), most = size(one, 9);
        if (!(J > 0.0)) continue;                      // two stretches may be nearly opposite
        const double least = J / (3.0 * most * most);  // of the stretches, a bound
        for (int i = 0; i < 9; ++i)
          assert_true(fabs(R[4 * i + t] - exact[i]) <= 1e-14 * most / least);
      }
    }
  }
  limpet_fem_body_destroy(body);
}

/* Stress over E along the first axis at the stretch s, where the sides are free; their stretch in
 * t. */
static double pressed(const char *name, double nu, double s, double *t) {
  const limpet_elastic_law *law = limpet_elastic_law_find(name);
  const limpet_elastic_constants constants = limpet_elastic_constants_of(law, 1.0, nu);
  limpet_principal out;
  double low = 1e-9, high = 10.0;
  for (int i = 0; i < 200; ++i) {
    *t = 0.5 * (low + high);
    const double stretch[3] = {s, *t, *t};
    law->principal(&constants, stretch, s * *t * *t - 1.0, &out);
    if (out.slope[1] < 0.0) low = *t;
    else high = *t;
  }
  return out.slope[0];
}

/* The law without a logarithm has a largest load: 0.2335 E at nu = 0, beyond which nothing keeps
 * the volume; by t^2 = (2 - 1/s)/s it is gone at s = 1/2. With the logarithm the load grows down to
 * a tenth of the length and more, P = E (s - 1/s)/2 at nu = 0, and some volume stays. */
static void loads(void **state) {
  (void)state;
  double most = 0.0, t;
  for (double s = 0.99; s > 0.51; s -= 1e-3) {
    most = fmax(most, -pressed("neo-hookean", 0.0, s, &t));
    assert_true(fabs(t * t - (2.0 - 1.0 / s) / s) < 1e-9);
  }
  assert_true(fabs(most - 0.2335) < 1e-4);
  for (int draw = 0; draw < 50; ++draw) {
    const double nu = 0.01 * draw;
    double before = 0.0;
    for (double s = 0.99; s > 0.1; s *= 0.98) {
      const double load = -pressed("neo-hookean-log", nu, s, &t);
      if (!(load > before && s * t * t > 0.02 * s))
        fail_msg("nu %g, s %g: load %g after %g, volume %g", nu, s, load, before, s * t * t);
      if (draw == 0) assert_true(fabs(2.0 * load - (1.0 / s - s)) < 1e-9 / s);
      before = load;
    }
  }
}

static void names(void **state) {
  (void)state;
  static const char *const expected[] = {"linear",      "linear-corotated",  "corotated",
                                         "neo-hookean", "neo-hookean-drake", "neo-hookean-log"};
  int count = 0;
  for (const limpet_elastic_law *const *law = limpet_elastic_laws(); *law; ++law, ++count) {
    assert_string_equal(limpet_elastic_law_descriptor(*law)->name, expected[count]);
    assert_ptr_equal(limpet_elastic_law_find(expected[count]), *law);
    assert_int_equal(limpet_elastic_law_is_linear(*law), count < 2);
  }
  assert_int_equal(count, 6);
  assert_null(limpet_elastic_law_find("rubber"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives),
                                     cmocka_unit_test(turning),
                                     cmocka_unit_test(small_strain),
                                     cmocka_unit_test(projection),
                                     cmocka_unit_test(rotations_of_bodies),
                                     cmocka_unit_test(loads),
                                     cmocka_unit_test(names)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

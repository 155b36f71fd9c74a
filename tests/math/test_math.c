/* tests/math/test_math.c: identities of vectors, quaternions, 3x3 eigenvalues and spatial algebra
 * at random arguments.
 *
 * Every identity is between numbers of order 1 computed with a few dozen operations: 1e-13 is some
 * hundred eps. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "math/decompose.h"
#include "math/dense.h"
#include "math/ldl3.h"
#include "math/nonzero.h"
#include "math/pairs.h"
#include "math/quaternion.h"
#include "math/spatial.h"
#include "shared_data.h"

enum { ROUNDS = 2000 };

static const double pi = 3.14159265358979323846;
static unsigned long seed = 11;

static void random_fill(double *x, int n) {
  for (int i = 0; i < n; ++i) x[i] = random_uniform(&seed, -1.0, 1.0);
}

static void random_rotation(double q[4], double R[9]) {
  random_fill(q, 4);
  limpet_quaternion_normalize(q);
  limpet_quaternion_to_matrix(R, q);
}

static void expect_equal(const double *a, const double *b, int n, double tolerance) {
  for (int i = 0; i < n; ++i)
    if (!(fabs(a[i] - b[i]) <= tolerance)) fail_msg("entry %d: %.17g is not %.17g", i, a[i], b[i]);
}

static void products_of_vectors(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; ++round) {
    double a[3], b[3], c[3], ab[3], bc[3], left[3], right[3];
    random_fill(a, 3), random_fill(b, 3), random_fill(c, 3);
    limpet_vec3_cross(ab, a, b);
    assert_true(fabs(limpet_vec3_dot(ab, a)) < 1e-15 && fabs(limpet_vec3_dot(ab, b)) < 1e-15);

    // a x (b x c) = b (a . c) - c (a . b)
    limpet_vec3_cross(bc, b, c);
    limpet_vec3_cross(left, a, bc);
    limpet_vec3_scale(right, limpet_vec3_dot(a, c), b);
    limpet_vec3_addmul(right, right, -limpet_vec3_dot(a, b), c);
    expect_equal(left, right, 3, 1e-15);

    // the determinant is the triple product of the rows
    const double A[9] = {a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]};
    assert_true(fabs(limpet_mat3_determinant(A) - limpet_vec3_dot(a, bc)) < 1e-15);
  }
  double zero[3] = {0, 0, 0};
  assert_true(limpet_vec3_normalize(zero) == 0.0 && zero[2] == 1.0);
}

static void tangents_make_right_handed_frames(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; ++round) {
    double n[3], t1[3], t2[3], m[3];
    random_fill(n, 3);
    if (round < 3) n[0] = n[1] = n[2] = 0.0, n[round] = 1.0;
    limpet_vec3_normalize(n);
    limpet_vec3_tangents(t1, t2, n);
    limpet_vec3_cross(m, t1, t2);
    expect_equal(m, n, 3, 1e-14);
    assert_true(fabs(limpet_vec3_norm(t1) - 1.0) < 1e-14 && fabs(limpet_vec3_dot(t1, t2)) < 1e-14);
    assert_true(t1[0] == 0.0 || t1[1] == 0.0 || t1[2] == 0.0);
  }
}

static void transpose(double T[9], const double A[9]) {
  for (int i = 0; i < 9; ++i) T[i] = A[3 * (i % 3) + i / 3];
}

static void products_with_transposes_agree(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; ++round) {
    double A[9], B[9], C[9], T[9], D[9];
    random_fill(A, 9), random_fill(B, 9);
    transpose(T, A);
    limpet_mat3_mul(C, T, B);
    limpet_mat3_tmul(D, A, B);
    expect_equal(C, D, 9, 1e-15);
    transpose(T, B);
    limpet_mat3_mul(C, A, T);
    limpet_mat3_mul_t(D, A, B);
    expect_equal(C, D, 9, 1e-15);
  }
}

static void eigenvalues_rebuild_the_matrix(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; ++round) {
    double q[4], R[9], w[3], A[9], values[3], V[9], D[9], B[9];
    random_rotation(q, R);
    random_fill(w, 3);
    if (round % 4 == 0) w[1] = w[0];                // twice the same
    if (round % 16 == 0) w[2] = w[0];               // thrice
    if (round % 4 == 1) w[0] *= 1e9, w[2] *= 1e-9;  // far apart

    // A = R diag(w) R', made symmetric to the last bit
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j <= i; ++j)
        A[3 * i + j] = A[3 * j + i] = R[3 * i] * w[0] * R[3 * j] +
                                      R[3 * i + 1] * w[1] * R[3 * j + 1] +
                                      R[3 * i + 2] * w[2] * R[3 * j + 2];
    limpet_mat3_eigen(A, values, V);
    assert_true(values[0] >= values[1] && values[1] >= values[2]);
    assert_true(fabs(limpet_mat3_determinant(V) - 1.0) < 1e-13);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) D[3 * i + j] = V[3 * i + j] * values[j];
    limpet_mat3_mul_t(B, D, V);
    const double scale = fmax(1.0, fmax(fabs(values[0]), fabs(values[2])));
    expect_equal(B, A, 9, 1e-14 * scale);
  }
  double zero[9] = {0}, w[3], V[9];
  limpet_mat3_eigen(zero, w, V);
  assert_true(w[0] == 0.0 && w[1] == 0.0 && w[2] == 0.0 && V[0] == 1.0);
}

static void quaternions_are_rotations(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; ++round) {
    double p[4], q[4], r[4], P[9], Q[9], R[9], PQ[9], a[3], b[3], c[3];
    random_rotation(p, P), random_rotation(q, Q), random_fill(a, 3);

    // the matrix of a product is the product of the matrices; rotating a vector is multiplying by
    // the matrix
    limpet_quaternion_mul(r, p, q);
    limpet_quaternion_to_matrix(R, r);
    limpet_mat3_mul(PQ, P, Q);
    expect_equal(R, PQ, 9, 1e-14);
    limpet_quaternion_rotate(b, p, a);
    limpet_mat3_mul_vec(c, P, a);
    expect_equal(b, c, 3, 1e-14);

    // back from the matrix, up to sign
    limpet_quaternion_from_matrix(r, P);
    assert_true(r[0] >= 0.0);
    const double sign = p[0] < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 4; ++i) r[i] *= sign;
    expect_equal(r, p, 4, 1e-13);
  }
}

static void half_turns_come_back_from_matrices(void **state) {
  (void)state;
  for (int axis = 0; axis < 3; ++axis) {
    double q[4] = {0, 0, 0, 0}, R[9], r[4];
    q[1 + axis] = 1.0;
    limpet_quaternion_to_matrix(R, q);
    limpet_quaternion_from_matrix(r, R);
    expect_equal(r, q, 4, 1e-15);
  }
}

static void exponential_and_logarithm_are_inverse(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; ++round) {
    double w[3], q[4], back[3], minus[4];
    random_fill(w, 3);
    limpet_vec3_normalize(w);
    const double angle = round % 2 ? random_uniform(&seed, 0.0, pi - 1e-3)
                                   : pow(10.0, random_uniform(&seed, -12.0, 0.0));
    limpet_vec3_scale(w, angle, w);
    limpet_quaternion_exp(q, w);
    assert_true(fabs(q[0] * q[0] + limpet_vec3_dot(q + 1, q + 1) - 1.0) < 1e-14);
    limpet_quaternion_log(back, q);
    expect_equal(back, w, 3, 1e-12 * angle + 1e-300);
    for (int i = 0; i < 4; ++i) minus[i] = -q[i];  // the same rotation
    limpet_quaternion_log(back, minus);
    expect_equal(back, w, 3, 1e-12 * angle + 1e-300);
  }
}

// Turning with constant velocity for dt, and twice for dt / 2, is the same; the axis and angle are
// as asked for.
static void integration_composes(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; ++round) {
    double q[4], once[4], twice[4], R[9], w[3], axis[3], turn[4], expected[4];
    random_rotation(q, R), random_fill(w, 3);
    const double dt = random_uniform(&seed, -2.0, 2.0);
    limpet_quaternion_copy(once, q), limpet_quaternion_copy(twice, q);
    limpet_quaternion_integrate(once, w, dt);
    limpet_quaternion_integrate(twice, w, 0.5 * dt);
    limpet_quaternion_integrate(twice, w, 0.5 * dt);
    expect_equal(once, twice, 4, 1e-14);
    limpet_vec3_copy(axis, w);
    const double speed = limpet_vec3_normalize(axis);
    limpet_quaternion_from_axis_angle(turn, axis, speed * dt);
    limpet_quaternion_mul(expected, q, turn);
    expect_equal(once, expected, 4, 1e-14);
  }
}

static void spatial_products_are_dual(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; ++round) {
    double u[6], m[6], f[6], um[6], uf[6], uu[6];
    random_fill(u, 6), random_fill(m, 6), random_fill(f, 6);

    // (u x m) . f = -m . (u x* f): power does not depend on the observer
    limpet_spatial_cross_motion(um, u, m);
    limpet_spatial_cross_force(uf, u, f);
    assert_true(fabs(limpet_spatial_dot(um, f) + limpet_spatial_dot(m, uf)) < 1e-14);
    limpet_spatial_cross_motion(uu, u, u);
    for (int i = 0; i < 6; ++i) assert_true(fabs(uu[i]) < 1e-15);
  }
}

// A body's momentum by its inertia about the origin equals that of four point masses that make it
// up.
static void spatial_inertia_is_that_of_its_points(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; ++round) {
    double point[4][3], mass[4], c[3] = {0, 0, 0}, total = 0.0, Ic[9] = {0}, I[10], v[6], f[6],
                                 expected[6] = {0};
    for (int k = 0; k < 4; ++k) {
      random_fill(point[k], 3);
      mass[k] = random_uniform(&seed, 0.1, 1.0);
      total += mass[k];
      limpet_vec3_addmul(c, c, mass[k], point[k]);
    }
    limpet_vec3_scale(c, 1.0 / total, c);
    for (int k = 0; k < 4; ++k) {
      double d[3];
      limpet_vec3_sub(d, point[k], c);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          Ic[3 * i + j] += mass[k] * ((i == j ? limpet_vec3_dot(d, d) : 0.0) - d[i] * d[j]);
    }
    limpet_spatial_inertia(I, total, c, Ic);
    random_fill(v, 6);
    limpet_spatial_inertia_mul(f, I, v);

    for (int k = 0; k < 4; ++k) {
      double speed[3], moment[3];
      limpet_vec3_cross(speed, v, point[k]);
      limpet_vec3_add(speed, speed, v + 3);
      limpet_vec3_scale(speed, mass[k], speed);
      limpet_vec3_cross(moment, point[k], speed);
      limpet_vec3_add(expected, expected, moment);
      limpet_vec3_add(expected + 3, expected + 3, speed);
    }
    expect_equal(f, expected, 6, 1e-13);
  }
}

/* The null space of rows that are unit vectors, whose reflectors would be nothing with the other
 * sign, and of rows in general: C N' = 0 and N N' = 1. */
static void null_bases_are_orthonormal_and_annihilated(void **state) {
  (void)state;
  for (int round = 0; round < 20; ++round) {
    enum { P = 3, M = 7 };
    double C[P * M] = {0.0}, copy[P * M], work[P], N[M * M];
    for (int i = 0; i < P; ++i)
      for (int j = 0; j < M; ++j)
        C[i * M + j] =
            round < 2 ? (i == j ? (round ? -2.0 : 1.0) : 0.0) : random_uniform(&seed, -1.0, 1.0);
    memcpy(copy, C, sizeof C);
    assert_int_equal(limpet_null_basis(P, M, C, 1e-12, work, N), M - P);
    for (int k = 0; k < M - P; ++k) {
      for (int i = 0; i < P; ++i) assert_true(fabs(limpet_dot(M, copy + i * M, N + k * M)) < 1e-13);
      for (int l = 0; l <= k; ++l)
        assert_true(fabs(limpet_dot(M, N + k * M, N + l * M) - (k == l)) < 1e-13);
    }
  }
}

// Eigenvalues over six decades, and matrices that are not positive definite.
static void three_unknowns_are_solved(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; ++round) {
    double q[4], R[9], d[3], A[9], x[3], b[3];
    limpet_ldl3 factor = {0};
    random_rotation(q, R);
    for (int k = 0; k < 3; ++k) d[k] = exp(random_uniform(&seed, log(1e-3), log(1e3)));
    const bool indefinite = round % 4 == 0;
    if (indefinite) d[round / 4 % 3] *= -1.0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        A[3 * i + j] = 0.0;
        for (int k = 0; k < 3; ++k) A[3 * i + j] += R[3 * i + k] * d[k] * R[3 * j + k];
      }
    assert_int_equal(limpet_ldl3_factor(A, &factor), !indefinite);
    if (indefinite) continue;
    random_fill(x, 3);
    limpet_mat3_mul_vec(b, A, x);
    limpet_ldl3_solve(&factor, b);
    expect_equal(b, x, 3, 1e-8);  // of the condition number, 1e6 at most
  }
  const double zero[9] = {0.0}, unknown[9] = {NAN};
  limpet_ldl3 factor = {0};
  assert_false(limpet_ldl3_factor(zero, &factor));
  assert_false(limpet_ldl3_factor(unknown, &factor));
}

// Of every length, with the number that counts in every place.
static void short_arrays_are_read_to_their_end(void **state) {
  (void)state;
  enum { MOST = 27 };
  static const double some[] = {1.0, -1.0, 5e-324, -5e-324, NAN, -INFINITY};
  for (int n = 0; n <= MOST; ++n) {
    double x[MOST + 1] = {0.0}, a[MOST + 1], b[MOST + 1], y[MOST + 1];
    for (int i = 0; i < n; i += 3) x[i] = -0.0;
    assert_false(limpet_any_nonzero(x, n));
    assert_true(limpet_pairs_finite(n, x));
    for (int k = 0; k <= n; ++k) {  // what stands behind the end has no part
      const double was = x[k];
      for (int i = 0; i < 6; ++i) {
        x[k] = some[i];
        assert_int_equal(limpet_any_nonzero(x, n), k < n);
        assert_int_equal(limpet_pairs_finite(n, x), k == n || i < 4);
      }
      x[k] = was;
    }
    random_fill(a, n + 1), random_fill(b, n + 1), random_fill(x, n + 1);
    double square = 0.0, product = 0.0;
    for (int i = 0; i < n; ++i) square += x[i] * x[i], product += (a[i] + b[i]) * x[i];
    assert_true(fabs(limpet_pairs_square(n, x) - square) < 1e-13);
    assert_true(fabs(limpet_pairs_dot_sum(n, a, b, x) - product) < 1e-13);
    y[n] = 7.0;
    limpet_pairs_addmul(n, y, a, 0.3, x);
    for (int i = 0; i < n; ++i) assert_true(y[i] == a[i] + 0.3 * x[i]);
    limpet_pairs_copy(n, y, a);
    assert_memory_equal(y, a, (size_t)n * sizeof *y);
    limpet_pairs_add_difference(n, y, 0.3, b, x);
    for (int i = 0; i < n; ++i) assert_true(y[i] == a[i] + 0.3 * (b[i] - x[i]));
    assert_true(y[n] == 7.0);
  }
}

static void any_true_sees_every_place(void **state) {
  (void)state;
  for (int n = 0; n < 40; ++n) {
    bool x[41] = {false};
    assert_false(limpet_any_true(x, n));
    for (int k = 0; k <= n; ++k) {  // what stands behind the end has no part
      x[k] = true;
      assert_int_equal(limpet_any_true(x, n), k < n);
      x[k] = false;
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_true_sees_every_place),
      cmocka_unit_test(three_unknowns_are_solved),
      cmocka_unit_test(short_arrays_are_read_to_their_end),
      cmocka_unit_test(products_of_vectors),
      cmocka_unit_test(tangents_make_right_handed_frames),
      cmocka_unit_test(products_with_transposes_agree),
      cmocka_unit_test(eigenvalues_rebuild_the_matrix),
      cmocka_unit_test(null_bases_are_orthonormal_and_annihilated),
      cmocka_unit_test(quaternions_are_rotations),
      cmocka_unit_test(half_turns_come_back_from_matrices),
      cmocka_unit_test(exponential_and_logarithm_are_inverse),
      cmocka_unit_test(integration_composes),
      cmocka_unit_test(spatial_products_are_dual),
      cmocka_unit_test(spatial_inertia_is_that_of_its_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

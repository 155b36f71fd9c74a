/* tests/geometry/test_pressure_kernels.c: the kernels of tetrahedral fields give the same bits for
 * each instruction set, and what they call apart is apart. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/pressure_kernels.h"
#include "math/vec3.h"
#include "hull_shapes.h"
#include "shared_data.h"

// A tetrahedron with its field: what the kernels read of one.
typedef struct tetrahedron {
  double quad[16], planes[16];
  limpet_pressure_cell cell;
} tetrahedron;

static void draw(tetrahedron *t, unsigned long *random, double size) {
  double x[4][3], p[4];
  for (int k = 0; k < 4; ++k) {
    for (int i = 0; i < 3; ++i) x[k][i] = size * random_uniform(random, -1.0, 1.0);
    p[k] = random_uniform(random, 0.0, 1.0);
  }
  memset(&t->cell, 0, sizeof t->cell);
  for (int k = 0; k < 4; ++k) {
    double u[3], v[3], n[3], w[3];
    limpet_vec3_sub(u, x[(k + 2) % 4], x[(k + 1) % 4]);
    limpet_vec3_sub(v, x[(k + 3) % 4], x[(k + 1) % 4]);
    limpet_vec3_sub(w, x[k], x[(k + 1) % 4]);
    limpet_vec3_cross(n, u, v);
    limpet_vec3_scale(n, 1.0 / limpet_vec3_dot(n, w), n);
    limpet_vec3_copy(t->planes + 4 * k, n);
    t->planes[4 * k + 3] = -limpet_vec3_dot(n, x[(k + 1) % 4]);
    limpet_vec3_addmul(t->cell.gradient, t->cell.gradient, p[k], n);
    t->cell.offset += p[k] * t->planes[4 * k + 3];
    for (int i = 0; i < 3; ++i) t->quad[4 * i + k] = x[k][i];
    t->quad[12 + k] = p[k];
  }
}

static limpet_pressure_frame pose(unsigned long *random, double size) {
  limpet_pressure_frame frame;
  test_random_rotation(random, frame.rotation);
  for (int i = 0; i < 3; ++i) frame.offset[i] = size * random_uniform(random, -0.7, 0.7);
  return frame;
}

static void same_corners(const limpet_pressure_corner *a, int m, const limpet_pressure_corner *b,
                         int n) {
  assert_true((a == NULL) == (b == NULL));
  if (!a) return;
  assert_int_equal(m, n);
  assert_memory_equal(a, b, (size_t)m * sizeof *a);
}

// Corners of a polygon lie in both tetrahedra, and both pressures are the same there.
static void corners_lie_in_both(const limpet_pressure_corner *corner, int count,
                                const tetrahedron *a, double size) {
  for (int k = 0; k < count; ++k) {
    const double *at = corner[k].at;
    const double p = limpet_vec3_dot(a->cell.gradient, at) + a->cell.offset;
    const double steep = size * limpet_vec3_norm(a->cell.gradient);
    assert_true(fabs(p - at[LIMPET_CORNER_PRESSURE]) < 1e-10 * (1.0 + steep));
    for (int i = 0; i < 4; ++i) {
      const double *n = a->planes + 4 * i;
      const double share = limpet_vec3_dot(n, at) + n[3];
      assert_true(share > -1e-10 * (1.0 + size * limpet_vec3_norm(n)));
    }
  }
}

static void tables_agree(void **state) {
  (void)state;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2")) skip();
  const limpet_pressure_kernels *plain = &limpet_pressure_kernels_baseline,
                                *wide = &limpet_pressure_kernels_avx2;
  unsigned long random = 20;
  int met = 0, faced = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const double size = pow(10.0, random_uniform(&random, -4.0, 1.0));
    tetrahedron a, b;
    draw(&a, &random, size), draw(&b, &random, size);
    const limpet_pressure_frame frame = pose(&random, size);
    limpet_pressure_turned turned[2] = {0};
    plain->turn(&turned[0], &frame, b.quad, b.planes, &b.cell);
    wide->turn(&turned[1], &frame, b.quad, b.planes, &b.cell);
    assert_memory_equal(&turned[0], &turned[1], sizeof turned[0]);

    limpet_pressure_room room[2];
    int count[2] = {0, 0};
    const double least = random_uniform(&random, -0.5, 0.5);
    const limpet_pressure_corner *one =
        plain->meet(a.quad, &a.cell, &turned[0], least, &room[0], &count[0]);
    const limpet_pressure_corner *two =
        wide->meet(a.quad, &a.cell, &turned[0], least, &room[1], &count[1]);
    same_corners(one, count[0], two, count[1]);
    if (one) corners_lie_in_both(one, count[0], &a, size), ++met;
    assert_int_equal(plain->is_near(a.quad, &turned[0], 0.1 * size),
                     wide->is_near(a.quad, &turned[0], 0.1 * size));
    for (int k = 0; k < 4 * count[0] && one; ++k) {
      const double *share = turned[0].share + 4 * (k % 4), *at = one[k / 4].at;
      const double there = limpet_vec3_dot(share, at) + share[3],
                   digits = 1e-10 * (1.0 + size * limpet_vec3_norm(share));
      assert_true(at[LIMPET_CORNER_SHARE + k % 4] > -digits && there > -2.0 * digits);
    }
    assert_true(!one || plain->is_near(a.quad, &turned[0], 0.0));

    // a face of B as a rigid one
    limpet_pressure_turned_face face = {0};
    for (int k = 0; k < 4; ++k)
      for (int i = 0; i < 3; ++i) face.corner[4 * i + k] = turned[0].quad[4 * i + (k < 3 ? k : 2)];
    limpet_vec3_copy(face.plane, turned[0].share + 12);
    limpet_vec3_normalize(face.plane);
    face.plane[3] = -limpet_vec3_dot(
        face.plane, (const double[3]){face.corner[0], face.corner[4], face.corner[8]});
    count[0] = count[1] = 3;
    one = plain->meet_face(a.quad, a.planes, &a.cell, &face, least, &room[0], &count[0]);
    two = wide->meet_face(a.quad, a.planes, &a.cell, &face, least, &room[1], &count[1]);
    same_corners(one, count[0], two, count[1]);
    faced += one != NULL;
    assert_true(!one || plain->face_is_near(a.quad, a.planes, &face, 1e-9 * size));
  }
  assert_true(met > 1000 && faced > 1000);
#else
  skip();
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tables_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

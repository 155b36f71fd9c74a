/* dynamics/column_kernels_code.h: columns of a point and sums over them in four lanes and two;
 * included once for each instruction set. No sum is contracted: all give the same bits.
 *
 * Cost with AVX2, of a column: 19 instructions to make it, 30 for S S', 5 for each motion. */
#include "dynamics/column_kernels.h"
#include "math/lanes3.h"
#include "math/six.h"

static void columns(const int *parent, const double *axis, int last, int count,
                    const double lever[3], double sign, int *dof, double *column) {
  const lanes arm = three(lever), by = all(sign);
  for (long d = last, k = count - 1; k >= 0; d = parent[d], --k) {
    const double *S = axis + 6 * d;
    const lanes turn = lanes_at(S);
    dof[k] = (int)d;
    six_put(column + 6 * k, by * turn, by * (three_after(S + 3) + cross(turn, arm)));
  }
}

static void add_outer(int count, const double *column, const double *inverse, const int *dof,
                      double D[36]) {
  lanes sum[6];  // numbers 0 to 3 of each row
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) sum[i] = lanes_at(D + 6 * i);
  lanes corner = {D[28], D[29], D[34], D[35]};
  for (long k = 0; k < count; ++k) {
    const limpet_six S = limpet_six_at(column + 6 * k), f = limpet_six_scaled(inverse[dof[k]], S);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) sum[i] += all(f.low[i]) * S.low;
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) sum[4 + i] += all(f.high[i]) * S.low;
    corner += __builtin_shufflevector(f.high, f.high, 0, 0, 1, 1) *
              __builtin_shufflevector(S.high, S.high, 0, 1, 0, 1);
  }
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) lanes_put(D + 6 * i, sum[i]);
  D[28] = corner[0], D[29] = corner[1], D[34] = corner[2], D[35] = corner[3];
}

// motions: a constant.
INLINE void add_motions(const int motions, int count, const int *dof, const double *column,
                        const double *const v[], double *const V[]) {
  limpet_six sum[3];
#pragma GCC unroll 3
  for (int m = 0; m < motions; ++m) sum[m] = limpet_six_at(V[m]);
  for (long k = 0; k < count; ++k) {
    const limpet_six S = limpet_six_at(column + 6 * k);
#pragma GCC unroll 3
    for (int m = 0; m < motions; ++m) sum[m] = limpet_six_addmul(sum[m], v[m][dof[k]], S);
  }
#pragma GCC unroll 3
  for (int m = 0; m < motions; ++m) limpet_six_store(V[m], sum[m]);
}

static void add_two(int count, const int *dof, const double *column, const double *const v[2],
                    double *const V[2]) {
  add_motions(2, count, dof, column, v, V);
}

static void add_three(int count, const int *dof, const double *column, const double *const v[3],
                      double *const V[3]) {
  add_motions(3, count, dof, column, v, V);
}

const limpet_column_kernels LIMPET_COLUMN_KERNELS = {.name = LIMPET_COLUMN_KERNELS_NAME,
                                                     .columns = columns,
                                                     .add_outer = add_outer,
                                                     .add_two = add_two,
                                                     .add_three = add_three};

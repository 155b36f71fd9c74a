/* contact/point_kernels_code.h: rows and numbers of four contact points, a point in a lane;
 * included once for each instruction set. No sum is contracted: all give the same bits.
 *
 *   W        [r x e, e], e = t1, t2, n; r from the patch's point to the contact point
 *   speeds   W V of the patch's spatial velocities V, and of the path bias
 *   w        ||K||_F / 3, K the part of D that moves r, in world axes: the norm is the same in
 *            those of the contact
 * Cost: 600 instructions for four points with AVX2, 80 more for what turns. */
#include <stddef.h>

#include "contact/point_kernels.h"
#include "math/lanes.h"

// Numbers 0 ... 3 at each of four places, a place in a lane.
INLINE void gather(const double *const from[LANES], int at, lanes to[4]) {
  lanes row[4];
  for (int k = 0; k < LANES; ++k) row[k] = lanes_at(from[k] + at);
  transpose(row, to);
}

// The same of one place for all.
INLINE void spread(const double *from, int count, lanes *to) {
  for (int i = 0; i < count; ++i) to[i] = all(from[i]);
}

INLINE void cross_of(const lanes a[3], const lanes b[3], lanes to[3]) {
  to[0] = a[1] * b[2] - a[2] * b[1];
  to[1] = a[2] * b[0] - a[0] * b[2];
  to[2] = a[0] * b[1] - a[1] * b[0];
}

// limpet_spatial_dot, of an axis [moment, e].
INLINE lanes speed_of(const lanes moment[3], const lanes e[3], const lanes V[6]) {
  return moment[0] * V[0] + moment[2] * V[2] + e[1] * V[4] +
         (moment[1] * V[1] + e[0] * V[3] + e[2] * V[5]);
}

INLINE lanes root_of(lanes x) {
#if defined(__AVX__)
  return (lanes)_mm256_sqrt_pd((__m256d)x);
#else
  return (lanes){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])};
#endif
}

// w, and that of the normal alone into *normal.
INLINE lanes delassus_of(const lanes r[3], const lanes n[3], const lanes D[36], lanes *normal) {
  lanes K[9], Kn[3];
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    lanes t[6];
#pragma GCC unroll 6
    for (int j = 0; j < 6; ++j)
      t[j] = D[6 * (3 + i) + j] + r[i2] * D[6 * i1 + j] - r[i1] * D[6 * i2 + j];
    K[3 * i] = t[3] + r[2] * t[1] - r[1] * t[2];
    K[3 * i + 1] = t[4] + r[0] * t[2] - r[2] * t[0];
    K[3 * i + 2] = t[5] + r[1] * t[0] - r[0] * t[1];
    Kn[i] = K[3 * i] * n[0] + K[3 * i + 1] * n[1] + K[3 * i + 2] * n[2];
  }
  lanes sum = K[0] * K[0];
#pragma GCC unroll 8
  for (int i = 1; i < 9; ++i) sum += K[i] * K[i];
  *normal = n[0] * Kn[0] + n[1] * Kn[1] + n[2] * Kn[2];
  return root_of(sum) / all(3.0);
}

// e' D e of an axis e, for the part of D that turns.
INLINE lanes turning_of(const lanes e[3], const lanes D[36]) {
  lanes sum = all(0.0);
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i)
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) sum += e[i] * D[6 * i + j] * e[j];
  return sum;
}

INLINE void put_rows(const lanes moment[9], const limpet_point_view view[], double *W[]) {
#pragma GCC unroll 3
  for (int e = 0; e < 3; ++e) {
    const lanes column[4] = {moment[3 * e], moment[3 * e + 1], moment[3 * e + 2], all(0.0)};
    lanes row[LANES];
    transpose(column, row);
#pragma GCC unroll 4
    for (int k = 0; k < LANES; ++k) {
      lanes_put(W[k] + 6 * e, row[k]);
      for (int i = 0; i < 3; ++i) W[k][6 * e + 3 + i] = view[k].record->frame[3 * e + i];
    }
  }
}

// one: the points are of one patch.
INLINE void make_points(const limpet_point_view *view, const bool one, bool turns, double *W[],
                        limpet_point_numbers *number) {
  const double *at[LANES], *sums[LANES], *path[LANES];
  lanes r[3], frame[12], D[36], V[12], bias[6];  // V: at the start, then free
  for (int k = 0; k < LANES; ++k) {
    at[k] = view[k].record->position, path[k] = view[k].path_bias;
    sums[k] = (const double *)view[k].sums;
    for (int i = 0; i < 3 && !one; ++i) r[i][k] = view[k].point[i];
  }
  // position and frame, D and both velocities lie one after the other
  _Static_assert(offsetof(limpet_contact_record, frame) ==
                         offsetof(limpet_contact_record, position) + 3 * sizeof(double) &&
                     offsetof(limpet_patch_sums, V0) == 36 * sizeof(double) &&
                     offsetof(limpet_patch_sums, V_free) == 42 * sizeof(double),
                 "what is gathered by fours");
  for (int i = 0; i < 12; i += 4) gather(at, i, frame + i);
  if (one) {
    spread(sums[0], 36, D), spread(sums[0] + 36, 12, V);
    spread(path[0], 6, bias), spread(view[0].point, 3, r);
  } else {
    for (int i = 0; i < 36; i += 4) gather(sums, i, D + i);
    for (int i = 0; i < 12; i += 4) gather(sums, 36 + i, V + i);
    gather(path, 0, bias), gather(path, 2, bias + 2);
  }
  for (int i = 0; i < 3; ++i) r[i] = frame[i] - r[i];
  const lanes *t1 = frame + 3, *t2 = frame + 6, *n = frame + 9;

  lanes moment[9], value[12];
  for (int e = 0; e < 3; ++e) {
    cross_of(r, frame + 3 + 3 * e, moment + 3 * e);
    value[e] = speed_of(moment + 3 * e, frame + 3 + 3 * e, bias);
    value[3 + e] = speed_of(moment + 3 * e, frame + 3 + 3 * e, V);
  }
  value[6] = speed_of(moment + 6, n, V + 6);
  value[7] = delassus_of(r, n, D, &value[8]);
  value[9] = turns ? turning_of(t1, D) : all(0.0);
  value[10] = turns ? turning_of(t2, D) : all(0.0);
  value[11] = turns ? turning_of(n, D) : all(0.0);

  put_rows(moment, view, W);
  for (int i = 0; i < 12; i += 4) {
    lanes row[LANES];
    transpose(value + i, row);
    for (int k = 0; k < LANES; ++k) lanes_put((double *)&number[k] + i, row[k]);
  }
}

static void points(const limpet_point_view view[LIMPET_POINTS_AT_ONCE], bool turns, double *W[],
                   limpet_point_numbers number[LIMPET_POINTS_AT_ONCE]) {
  const bool one = view[0].sums == view[LANES - 1].sums;  // points come by patch
  if (one) make_points(view, true, turns, W, number);
  else make_points(view, false, turns, W, number);
}

const limpet_point_kernels LIMPET_POINT_KERNELS = {.name = LIMPET_POINT_KERNELS_NAME,
                                                   .points = points};

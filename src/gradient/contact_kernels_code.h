/* gradient/contact_kernels_code.h: inner loops of columns of contacts in four lanes; included once
 * for each instruction set.
 *
 * Weights: lanes are weights, which have their points and forces, and all have the same velocities.
 * Cost with AVX2: 130 instructions for a velocity. Sides: lanes are rows of the wrench. Pairs of
 * velocities: lanes are columns. */
#include "gradient/contact_kernels.h"
#include "math/lanes.h"

// Three numbers of each lane.
typedef struct triple {
  lanes x, y, z;
} triple;

INLINE triple of_all(const double v[3]) { return (triple){all(v[0]), all(v[1]), all(v[2])}; }
INLINE triple triple_at(const double *from) {
  return (triple){lanes_at(from), lanes_at(from + LANES), lanes_at(from + 2 * LANES)};
}
INLINE void triple_put(double *to, triple v) {
  lanes_put(to, v.x), lanes_put(to + LANES, v.y), lanes_put(to + 2 * LANES, v.z);
}
INLINE triple plus(triple a, triple b) { return (triple){a.x + b.x, a.y + b.y, a.z + b.z}; }
INLINE triple minus(triple a, triple b) { return (triple){a.x - b.x, a.y - b.y, a.z - b.z}; }
INLINE triple times(lanes s, triple a) { return (triple){s * a.x, s * a.y, s * a.z}; }
INLINE lanes dot3(triple a, triple b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
INLINE triple cross3(triple a, triple b) {
  return (triple){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Six.
typedef struct pull {
  triple torque, force;
} pull;

INLINE pull pull_sum(pull a, double share, pull b) {
  return (pull){plus(a.torque, times(all(share), b.torque)),
                plus(a.force, times(all(share), b.force))};
}
INLINE pull pull_scaled(double share, pull a) {
  return (pull){times(all(share), a.torque), times(all(share), a.force)};
}
// a x* f
INLINE pull turned_by(const double a[6], pull f) {
  const triple turn = of_all(a);
  return (pull){plus(cross3(turn, f.torque), cross3(of_all(a + 3), f.force)),
                cross3(turn, f.force)};
}

// -------------------------------------------------------------------------- weights

typedef struct four_weights {
  triple r;                      // [m]  their points
  triple force, torque;          // less their pushes, about it
  lanes xx, yy, zz, xy, xz, yz;  // C
  lanes turns, moves;            // 1 where a weight is of rotation, or else
} four_weights;

INLINE four_weights gather(int count, const limpet_law_weight *weight) {
  enum { NUMBERS = 17 };
  double number[NUMBERS][LANES] = {{0.0}};
  for (int k = 0; k < count; ++k) {
    const limpet_law_weight *w = &weight[k];
    for (int i = 0; i < 6; ++i) number[i][k] = w->less[i];
    for (int i = 0; i < 3; ++i) number[6 + i][k] = w->r[i];
    number[9][k] = w->C[0], number[10][k] = w->C[4], number[11][k] = w->C[8];
    number[12][k] = w->C[1], number[13][k] = w->C[2], number[14][k] = w->C[5];
    number[w->turns ? 15 : 16][k] = 1.0;
  }
  return (four_weights){.r = triple_at(number[6]),
                        .force = triple_at(number[3]),
                        .torque = triple_at(number[0]),
                        .xx = lanes_at(number[9]),
                        .yy = lanes_at(number[10]),
                        .zz = lanes_at(number[11]),
                        .xy = lanes_at(number[12]),
                        .xz = lanes_at(number[13]),
                        .yz = lanes_at(number[14]),
                        .turns = lanes_at(number[15]),
                        .moves = lanes_at(number[16])};
}

// About the origin of a tree, from which the patch's point is at `lever`.
INLINE four_weights seen_from(four_weights w, const double lever[3]) {
  const triple arm = of_all(lever);
  w.r = plus(w.r, arm);
  w.torque = plus(w.torque, cross3(arm, w.force));
  return w;
}

// C x
INLINE triple multiplied(const four_weights *w, triple x) {
  return (triple){w->xx * x.x + w->xy * x.y + w->xz * x.z, w->xy * x.x + w->yy * x.y + w->yz * x.z,
                  w->xz * x.x + w->yz * x.y + w->zz * x.z};
}

// What a motion moves: the points, or the rotation.
INLINE triple moved(const four_weights *w, const double motion[6]) {
  const triple turn = of_all(motion), at = plus(of_all(motion + 3), cross3(turn, w->r));
  return plus(times(w->moves, at), times(w->turns, turn));
}

enum { C_AT = 0, TURNED_AT = 3 * LANES, WORK = LIMPET_WEIGHT_WORK };

// One velocity: its rows and entries, and into work its c and -C x* B W about the points.
INLINE void weigh_dof(const limpet_weight_path *path, const four_weights *w, int k, double sign) {
  const limpet_weight_dof *dof = &path->dof[k];
  const limpet_dof_motion *m = dof->motion;
  const long stride = path->stride;
  double *work = path->work + (long)WORK * k;
  const triple c = moved(w, m->C), f = multiplied(w, moved(w, m->W)), g = multiplied(w, c);
  const triple torque = cross3(f, c), force = times(w->moves, cross3(f, of_all(m->C)));
  triple_put(work + C_AT, c);
  triple_put(work + TURNED_AT, torque);
  triple_put(work + TURNED_AT + 3 * LANES, force);
  lanes_put(path->a + stride * dof->column, all(-sign) * (dot3(w->torque, of_all(m->pose.S)) +
                                                          dot3(w->force, of_all(m->pose.S + 3))));
  lanes_put(path->entry + stride * dof->own_entry, -dot3(g, c));
  // those of its joint before it follow it here
  for (int l = 0; l < dof->local; ++l) {
    const triple other = triple_at(work + (long)WORK * (dof->local - l) + C_AT);
    lanes_put(path->entry + stride * (dof->pair_entry + l), all(-2.0) * dot3(g, other));
  }
}

INLINE pull turned_at(const limpet_weight_path *path, int k) {
  const double *work = path->work + (long)WORK * k + TURNED_AT;
  return (pull){triple_at(work), triple_at(work + 3 * LANES)};
}
// What poses of a side have of the axes that they turn; less: of all that sees them turn.
INLINE void turn_side(const limpet_weight_path *path, const four_weights *w, int side, pull less) {
  pull behind = {times(all(-1.0), less.torque), times(all(-1.0), less.force)};
  for (int j = path->from[side]; j < path->from[side + 1]; ++j) {
    const limpet_weight_dof *dof = &path->dof[j];
    const double *S = dof->motion->pose.S;
    pull sum = behind;
    for (int k = -LIMPET_NEAR; k <= LIMPET_NEAR && dof->odd; ++k)
      if (dof->own[k + LIMPET_NEAR] != 0)
        sum = pull_sum(sum, dof->own[k + LIMPET_NEAR], turned_at(path, j + k));
    const triple turn = of_all(S), s = plus(of_all(S + 3), cross3(turn, w->r));
    lanes_put(path->turn + (long)path->stride * dof->column,
              all(-2.0) * (dot3(turn, sum.torque) + dot3(s, sum.force)));
    behind = pull_sum(behind, 1.0, turned_at(path, j));
  }
}

static void weights(const limpet_weight_path *path, int count, const limpet_law_weight *weight) {
  const four_weights w = gather(count, weight);
  const int *from = path->from;
  const triple none = of_all((const double[3]){0.0, 0.0, 0.0});
  pull every = {none, none};
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    const four_weights seen = seen_from(w, path->lever[side]);
    for (int k = from[side + 1] - 1; k >= from[side]; --k)
      weigh_dof(path, &seen, k, limpet_patch_signs[side]);
  }
  for (int k = 0; k < from[LIMPET_SIDES] && from[LIMPET_SIDE_A + 1] > 0; ++k)
    every = pull_sum(every, 1.0, turned_at(path, k));
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    const four_weights seen = seen_from(w, path->lever[side]);
    turn_side(path, &seen, side, side == LIMPET_SIDE_A ? every : (pull){none, none});
  }
}

// -------------------------------------------------------------------------- sides of patches

enum { WIDTH = LIMPET_POSE_WIDTH, ROWS = 8 };

// T (columns x 8) = M' for M (6 x columns), columns a multiple of four.
INLINE void transpose_six(const double *M, int columns, double *T) {
  for (int c = 0; c < columns; c += LANES) {
    lanes from[LANES], to[LANES];
    for (int r = 0; r < LANES; ++r) from[r] = lanes_at(M + columns * r + c);
    transpose(from, to);
    for (int r = 0; r < LANES; ++r) lanes_put(T + ROWS * (c + r), to[r]);
    from[0] = lanes_at(M + columns * 4 + c), from[1] = lanes_at(M + columns * 5 + c);
    from[2] = from[3] = all(0.0);
    transpose(from, to);
    for (int r = 0; r < LANES; ++r) lanes_put(T + ROWS * (c + r) + LANES, to[r]);
  }
}

// K of a law as rows of a wrench about another point, transposed.
INLINE void law_at(const double *K, const double lever[3], double T[WIDTH * ROWS]) {
  double shifted[6 * WIDTH];
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const lanes by_j = all(lever[j]), by_k = all(lever[k]);
    for (int c = 0; c < WIDTH; c += LANES) {
      const lanes across =
          by_j * lanes_at(K + WIDTH * (3 + k) + c) - by_k * lanes_at(K + WIDTH * (3 + j) + c);
      lanes_put(shifted + WIDTH * i + c, lanes_at(K + WIDTH * i + c) + across);
      lanes_put(shifted + WIDTH * (3 + i) + c, lanes_at(K + WIDTH * (3 + i) + c));
    }
  }
  transpose_six(shifted, WIDTH, T);
}

// Rows of which `half` has four: factors of one side, in the order of limpet_pose_motion.
typedef struct side_rows {
  pull xi, V, V0, A;
} side_rows;

INLINE triple rows_at(const double *T, int half) {
  const double *from = T + LANES * half;
  return (triple){lanes_at(from), lanes_at(from + ROWS), lanes_at(from + 2 * ROWS)};
}
INLINE pull pull_at(const double *T, int first, int half) {
  return (pull){rows_at(T + ROWS * first, half), rows_at(T + ROWS * (first + 3), half)};
}
INLINE void pull_put(double *T, int first, int half, pull f) {
  const lanes numbers[6] = {f.torque.x, f.torque.y, f.torque.z, f.force.x, f.force.y, f.force.z};
  for (int i = 0; i < 6; ++i) lanes_put(T + ROWS * (first + i) + LANES * half, numbers[i]);
}

/* to += factors of a point at `arm` that moves by what v multiplies. */
INLINE void add_point(pull *to, const double arm[3], triple v) {
  to->torque = plus(to->torque, cross3(of_all(arm), v));
  to->force = plus(to->force, v);
}

// The bias of curved paths, backwards: patch_sides.c has it for one row.
INLINE void add_bias(const limpet_side_input *in, pull b, side_rows *to) {
  const triple n = b.force, omega = of_all(in->omega);
  const lanes share = all(in->half * in->sign), half = all(in->half);
  if (in->slower) {
    const triple slower = of_all(in->slower), apart = of_all(in->apart), side = cross3(n, slower);
    if (in->is_slower)
      to->V0.torque = plus(
          to->V0.torque, times(half, plus(cross3(cross3(slower, apart), n), cross3(apart, side))));
    add_point(&to->xi, in->pivot, times(-share, cross3(side, slower)));
  }
  to->A = pull_sum(to->A, in->half * in->sign, b);
  to->V0.torque = plus(to->V0.torque, times(share, cross3(of_all(in->v), n)));
  const triple dv = times(share, cross3(n, omega));
  add_point(&to->V0, in->arm, dv);
  add_point(&to->xi, in->arm, cross3(dv, omega));
}

// a x* F for axes a of the wrench, four rows of them.
INLINE pull axes_turned(const double F[6], int half) {
  const lanes zero = all(0.0);
  if (half == 0)
    return (pull){{{0.0, F[2], -F[1], 0.0}, {-F[2], 0.0, F[0], -F[5]}, {F[1], -F[0], 0.0, F[4]}},
                  {{0.0, F[5], -F[4], 0.0}, {-F[5], 0.0, F[3], 0.0}, {F[4], -F[3], 0.0, 0.0}}};
  return (pull){{{F[5], -F[4], 0.0, 0.0}, {0.0, F[3], 0.0, 0.0}, {-F[3], 0.0, 0.0, 0.0}},
                {zero, zero, zero}};
}

INLINE void shift(const double lever[3], pull *f) {
  f->torque = plus(f->torque, cross3(of_all(lever), f->force));
}

INLINE void side_half(const limpet_side_input *in, const double *law, const double F[6], int half,
                      double *T) {
  const limpet_patch_law *l = in->law;
  const pull none = {of_all((const double[3]){0.0}), of_all((const double[3]){0.0})},
             V = pull_at(law, LIMPET_BY_V, half), b = pull_at(law, LIMPET_BY_BIAS, half),
             start = pull_at(law, LIMPET_BY_START, half);
  side_rows to = {pull_scaled(in->sign, pull_at(law, LIMPET_BY_TWIST, half)),
                  pull_scaled(in->sign, V), none, none};
  const bool starts = in->curved || l->has_0;
  if (l->has_0) to.V0 = pull_scaled(in->sign, start);
  if (in->sees) {
    to.xi = pull_sum(to.xi, -1.0, turned_by(l->V, V));
    if (l->has_0) to.xi = pull_sum(to.xi, -1.0, turned_by(l->V0, start));
    if (in->curved) to.xi = pull_sum(to.xi, -1.0, turned_by(l->b, b));
  }
  if (in->curved) add_bias(in, b, &to);
  shift(in->lever, &to.xi), shift(in->lever, &to.V);
  if (in->sees) to.xi = pull_sum(to.xi, -1.0, axes_turned(F, half));
  to.xi = pull_sum(to.xi, 1.0, turned_by(in->V, to.V));
  if (starts) {
    shift(in->lever, &to.V0), shift(in->lever, &to.A);
    to.xi = pull_sum(to.xi, 1.0, turned_by(in->V0, to.V0));
    to.xi = pull_sum(to.xi, 1.0, turned_by(in->A, to.A));
    to.V0 = pull_sum(to.V0, 1.0, turned_by(in->V0, to.A));
  }
  pull_put(T, 0, half, pull_scaled(in->share, to.xi));
  pull_put(T, 6, half, pull_scaled(in->share, to.V));
  pull_put(T, 12, half, pull_scaled(in->share, to.V0));
  pull_put(T, 18, half, pull_scaled(in->share, to.A));
}

static void side(const limpet_side_input *in, limpet_contact_side *to) {
  const double *f = in->law->F, *x = in->lever;
  const double F[6] = {f[0] + x[1] * f[5] - x[2] * f[4],
                       f[1] + x[2] * f[3] - x[0] * f[5],
                       f[2] + x[0] * f[4] - x[1] * f[3],
                       f[3],
                       f[4],
                       f[5]};
  double law[WIDTH * ROWS];
  law_at(in->law->K, in->lever, law);
  side_half(in, law, F, 0, to->T[0]);
  side_half(in, law, F, 1, to->T[0]);
}

static void join(const limpet_contact_side *side, double *M) {
  for (int c = 0; c < WIDTH; c += LANES)
    for (int half = 0; half < 2; ++half) {
      lanes from[LANES], to[LANES];
      for (int r = 0; r < LANES; ++r) from[r] = lanes_at(side->T[c + r] + LANES * half);
      transpose(from, to);
      for (int r = 0; r < (half == 0 ? 4 : 2); ++r) {
        double *row = M + WIDTH * (LANES * half + r) + c;
        lanes_put(row, lanes_at(row) + to[r]);
      }
    }
}

// -------------------------------------------------------------------------- pairs of velocities

// Sums of four vectors.
INLINE lanes sums(const lanes x[LANES]) {
  lanes y[LANES];
  transpose(x, y);
  return (y[0] + y[1]) + (y[2] + y[3]);
}

// y (8) = M x of `width` columns from `first` on
INLINE void wrench(const double *M, int first, int width, const double *x, double y[8]) {
  lanes row[8];
  for (int r = 0; r < 8; ++r) row[r] = all(0.0);
  for (int c = 0; c < width; c += LANES) {
    const lanes at = lanes_at(x + c);
    for (int r = 0; r < 6; ++r) row[r] += at * lanes_at(M + WIDTH * r + first + c);
  }
  lanes_put(y, sums(row));
  lanes_put(y + LANES, sums(row + LANES));
}

static void factors(const double *M, const limpet_dof_motion *dof, const double turned[6],
                    limpet_row_factors *to) {
  lanes g[WIDTH / LANES];
  g[0] = lanes_at(turned), g[1] = (lanes){turned[4], turned[5], 0.0, 0.0};
  for (int c = 2; c < WIDTH / LANES; ++c) g[c] = all(0.0);
  for (int r = 0; r < 6; ++r) {
    const lanes S = all(dof->pose.S[r]);
    for (int c = 0; c < WIDTH / LANES; ++c) g[c] += S * lanes_at(M + WIDTH * r + LANES * c);
  }
  for (int c = 0; c < WIDTH / LANES; ++c) lanes_put(to->g + LANES * c, g[c]);
  wrench(M, 0, WIDTH, dof->pose.S, to->q);
  wrench(M, WIDTH / 2, LIMPET_RATE_WIDTH, dof->rate.S, to->v);
}

static void tables(int count, const limpet_dof_motion *dof, limpet_dof_table *table) {
  for (int j = 0; j < count; j += LANES, ++table) {
    const limpet_dof_motion *of[LANES];
    for (int k = 0; k < LANES; ++k) of[k] = &dof[j + k < count ? j + k : count - 1];
    for (int c = 0; c < WIDTH + ROWS; c += LANES) {
      lanes from[LANES], to[LANES];
      for (int k = 0; k < LANES; ++k)
        from[k] = lanes_at(c < WIDTH ? of[k]->pose.S + c : of[k]->rate.rate + c - WIDTH);
      transpose(from, to);
      for (int k = 0; k < LANES; ++k) lanes_put(table->number[c + k], to[k]);
    }
  }
}

// What four columns have.
typedef struct crossing {
  lanes q, v, own_q, own_v;
} crossing;

INLINE void cross_tables(const int count, const limpet_row_factors *x,
                         const limpet_dof_table *table, crossing *to) {
  for (int k = 0; k < count; ++k) to[k] = (crossing){all(0.0), all(0.0), all(0.0), all(0.0)};
#pragma GCC unroll 6
  for (int c = 0; c < 6; ++c) {
    const lanes g = all(x->g[c]), g_V0 = all(x->g[12 + c]), g_A = all(x->g[18 + c]),
                q = all(x->q[c]), v = all(x->v[c]);
    for (int k = 0; k < count; ++k) {
      const lanes S = lanes_at(table[k].number[c]);
      to[k].q += g * S, to[k].v += g_V0 * S, to[k].own_q += q * S, to[k].own_v += v * S;
      to[k].v += g_A * lanes_at(table[k].number[WIDTH + c]);
    }
  }
#pragma GCC unroll 18
  for (int c = 6; c < WIDTH; ++c)
    for (int k = 0; k < count; ++k) to[k].q += all(x->g[c]) * lanes_at(table[k].number[c]);
}

// Of numbers `stride` apart.
INLINE void take_off(double *to, long stride, const double number[LANES]) {
#pragma GCC unroll 4
  for (int i = 0; i < LANES; ++i) to[stride * i] -= number[i];
}

// One column, `at` places after the first one of the run.
INLINE void put_column(const limpet_column_run *run, long at, const double *q, const double *own_q,
                       const double *v, const double *own_v) {
  run->q[run->stride * at] -= *q;
  run->own_q[at] -= *own_q;
  if (!run->v) return;
  run->v[run->stride * at] -= *v;
  run->own_v[at] -= *own_v;
}

// Columns `first` on of which those of the run count.
INLINE void put_crossing(const limpet_column_run *run, int first, crossing x) {
  double q[LANES], v[LANES], own_q[LANES], own_v[LANES];
  const int run_end = run->first + run->count, begin = first < run->first ? run->first - first : 0,
            end = first + LANES < run_end ? LANES : run_end - first;
  const long stride = run->stride, at = first - run->first;
  lanes_put(q, x.q), lanes_put(v, x.v);
  if (end - begin == LANES) {
    take_off(run->q + stride * at, stride, q);
    lanes_put(run->own_q + at, lanes_at(run->own_q + at) - x.own_q);
    if (!run->v) return;
    take_off(run->v + stride * at, stride, v);
    lanes_put(run->own_v + at, lanes_at(run->own_v + at) - x.own_v);
    return;
  }
  lanes_put(own_q, x.own_q), lanes_put(own_v, x.own_v);
#pragma GCC unroll 1
  for (int i = begin; i < end; ++i) put_column(run, at + i, q + i, own_q + i, v + i, own_v + i);
}

static void cross(const limpet_row_factors *x, const limpet_column_run *run) {
  const int end = run->first + run->count;
  int j = run->first & ~(LANES - 1);
  crossing to[2];
  for (; end - j > LANES; j += 2 * LANES) {
    cross_tables(2, x, run->table + j / LANES, to);
    put_crossing(run, j, to[0]);
    put_crossing(run, j + LANES, to[1]);
  }
  if (j >= end) return;
  cross_tables(1, x, run->table + j / LANES, to);
  put_crossing(run, j, to[0]);
}

const limpet_contact_kernels LIMPET_CONTACT_KERNELS = {.name = LIMPET_CONTACT_KERNELS_NAME,
                                                       .weights = weights,
                                                       .side = side,
                                                       .join = join,
                                                       .tables = tables,
                                                       .factors = factors,
                                                       .cross = cross};

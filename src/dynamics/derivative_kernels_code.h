/* dynamics/derivative_kernels_code.h: derivatives of inverse dynamics in four lanes, see the head
 * of rnea_derivatives.c; included once for each instruction set. No sum is contracted: all give the
 * same bits.
 *
 * A velocity and one before it share four entries, of which a lane each:
 *   by_q[a][d], by_v[a][d]   S_a . [I_d q_d + C_d p_d + S_d x* F_d],  S_a . [I_d r_d + C_d S_d]
 *   by_q[d][a], by_v[d][a]   (I_d S_d) . q_a + (C_d' S_d) . p_a,  (I_d S_d) . r_a + (C_d' S_d) .
 * S_a Cost: about 200 instructions of AVX2 for each body and each velocity, 30 for each velocity
 * and each of its ancestors. */
#include "dynamics/derivative_kernels.h"
#include "math/lanes_spatial.h"
#include "model/trees.h"

enum { FREE = 6 };  // velocities of a free joint

INLINE void spatial_put(double *to, six a) { six_put(to, a.angular, a.linear); }

// --------------------------------------------------------------------------------- sums

// Numbers 0 ... 2 of four vectors side by side.
INLINE void side_by_side(lanes a, lanes b, lanes c, lanes d, double to[3][4]) {
  const lanes from[4] = {a, b, c, d};
  lanes row[4];
  transpose(from, row);
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i) lanes_put(to[i], row[i]);
}

// Terms of one velocity behind P and B, with its axis S and the rate of that.
INLINE void terms_make(limpet_dof_terms *t, six S, const double *rate, six P, six B,
                       const bool moves) {
  const six zero = six_zero();
  six q = cross_motion(B, S), p = zero, r = zero;
  if (moves) {
    p = cross_motion(P, S);
    q = six_addmul(q, -1.0, cross_motion(p, P));
    r = six_addmul(p, 1.0, six_at(rate));
    spatial_put(t->r, r);
    three_put(t->p, p.angular);
    side_by_side(zero.angular, zero.angular, p.angular, S.angular, t->turn);
  }
  spatial_put(t->q, q);
  side_by_side(S.angular, S.angular, q.angular, r.angular, t->side);
  side_by_side(S.linear, S.linear, q.linear, r.linear, t->side + 3);
}

// What a velocity adds to V and A.
INLINE void motion_add(const limpet_derivative_sweep *s, long d, six S, six *V, six *A,
                       const bool moves) {
  if (moves) {
    *V = six_addmul(*V, s->data->v[d], S);
    *A = six_addmul(*A, s->data->v[d], six_at(s->data->dof_axis_rate + 6 * d));
  }
  if (s->vdot) *A = six_addmul(*A, s->vdot[d], S);
}

/* Along the joints of a body: terms of their velocities; V and A become those of the body. The
 * velocities of a joint are behind the same frame, but rotations of a free joint are behind its
 * translations. */
INLINE void joints_pass(const limpet_derivative_sweep *s, long b, six *V, six *A,
                        const bool moves) {
  const limpet_model *model = s->model;
  const double *axis = s->data->dof_axis, *rate = s->data->dof_axis_rate;
  const int end = model->body_joint[b] + model->body_joint_count[b];
  for (int j = model->body_joint[b]; j < end; ++j) {
    const long first = model->joint_v[j];
    const limpet_joint_kind kind = model->joint_kind[j];
    const bool is_free = kind == LIMPET_JOINT_FREE;
    const int turns = is_free || kind == LIMPET_JOINT_BALL ? 3 : 1, shifts = is_free ? 3 : 0;
    for (int k = 0; k < shifts; ++k)
      motion_add(s, first + k, six_at(axis + 6 * (first + k)), V, A, moves);
    for (long d = first; d < first + shifts + turns; ++d)
      terms_make(&s->dof[d], six_at(axis + 6 * d), rate + 6 * d, *V, *A, moves);
    for (long d = first + shifts; d < first + shifts + turns; ++d)
      motion_add(s, d, six_at(axis + 6 * d), V, A, moves);
  }
}

/* C of one body by rotations e_k: a translation adds nothing, a rotation w (V = [omega; v], I =
 * [mass, h, J])
 *   moment  (2 omega x J - tr(J) omega x) w - 2 h x (v x w),   force  -2 (mass v + omega x h) x w
 * and h x (v x w) = v (h . w) - (h . v) w. */
INLINE void coupling_make(double C[18], const inertia *I, six V) {
  static const double unit[3][4] = {
      {1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}};
  const lanes w = V.angular, v = V.linear, h = I->h, product = h * v;
  const lanes two = all(2.0), trace = all(I->column[0][0] + I->column[1][1] + I->column[2][2]);
  const lanes along = all(2.0 * (product[0] + product[1] + product[2]));
  const lanes P = two * (cross(w, h) + I->mass * v), twice_v = two * v;
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) {
    const lanes e = lanes_at(unit[k]);
    const lanes moment =
        two * cross(w, I->column[k]) - trace * cross(w, e) - (twice_v * lane(h, k) - along * e);
    six_put(C + 6 * k, moment, cross(e, P));
  }
}

INLINE void body_sums_make(const limpet_derivative_sweep *s, long b, six V, six A,
                           const bool moves) {
  limpet_body_sums *own = &s->body[b];
  const double *from = s->data->body_inertia + 10 * b;
  const inertia I = inertia_at(from);
  six F = inertia_times(&I, A);
  spatial_put(own->A, A);
  lanes_put(own->I, lanes_at(from));
  lanes_put(own->I + 4, lanes_at(from + 4));
  *(two_lanes *)(own->I + 8) = *(const two_lanes *)(from + 8);
  if (moves) {
    F = six_addmul(F, 1.0, cross_force(V, inertia_times(&I, V)));
    coupling_make(own->C, &I, V);
  }
  spatial_put(own->F, F);
}

// to += from, `count` numbers, four or more.
INLINE void numbers_add(double *to, const double *from, const int count) {
  int i = 0;
#pragma GCC unroll 8
  for (; i + LANES <= count; i += LANES) lanes_put(to + i, lanes_at(to + i) + lanes_at(from + i));
  if (i < count) *(two_lanes *)(to + i) += *(const two_lanes *)(from + i);
}

INLINE void tree_sums(const limpet_derivative_sweep *s, const bool moves) {
  const limpet_model *model = s->model;
  const long first = model->tree_body[s->tree], end = first + model->tree_body_count[s->tree];
  const bool heavy = moves && !(model->options.disabled & LIMPET_DISABLE_GRAVITY);
  for (long b = first; b < end; ++b) {
    const long parent = model->body_parent[b];
    six V = six_zero(), A = six_zero();
    if (b > first) {
      A = six_at(s->body[parent].A);
      if (moves) V = six_at(s->data->body_velocity + 6 * parent);
    } else if (heavy) {
      A.linear = -three(model->options.gravity);
    }
    joints_pass(s, b, &V, &A, moves);
    body_sums_make(s, b, V, A, moves);
  }
  for (long b = end - 1; b > first; --b) {
    const limpet_body_sums *own = &s->body[b];
    limpet_body_sums *to = &s->body[model->body_parent[b]];
    numbers_add(to->F, own->F, 6);
    numbers_add(to->I, own->I, 10);
    if (moves) numbers_add(to->C, own->C, 18);
  }
}

static void sums(const limpet_derivative_sweep *s) {
  if (s->moves) tree_sums(s, true);
  else tree_sums(s, false);
}

// --------------------------------------------------------------------------------- entries

// Of one velocity, times the share of all.
typedef struct weights {
  lanes together[6], apart[6];  // by numbers of S_a, S_a, q_a, r_a: of those that turn together
  lanes turn[3];                // by p_a and S_a
  six held, sped;
} weights;

// C x for a motion x
INLINE six coupled(const double C[18], lanes x) {
  six y = six_addmul(six_zero(), x[0], six_at(C));
  y = six_addmul(y, x[1], six_at(C + 6));
  return six_addmul(y, x[2], six_at(C + 12));
}

// C' x, three numbers
INLINE lanes coupled_back(const double C[18], six x) {
  lanes product[4], part[4];
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) {
    const six c = six_at(C + 6 * k);
    product[k] = c.angular * x.angular + c.linear * x.linear;
  }
  product[3] = product[2];
  transpose(product, part);
  return part[0] + part[1] + part[2];
}

INLINE six six_scaled(double s, six a) { return (six){all(s) * a.angular, all(s) * a.linear}; }

INLINE void columns_of(six a, six b, six c, lanes to[6]) {
  const lanes angular[4] = {a.angular, b.angular, c.angular, c.angular},
              linear[4] = {a.linear, b.linear, c.linear, c.linear};
  lanes x[4], y[4];
  transpose(angular, x);
  transpose(linear, y);
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i) to[i] = x[i], to[3 + i] = y[i];
}

INLINE weights weights_of(const limpet_derivative_sweep *s, long d, const bool moves) {
  const limpet_body_sums *own = &s->body[s->model->dof_body[d]];
  const limpet_dof_terms *t = &s->dof[d];
  const six S = six_at(s->data->dof_axis + 6 * d);
  const inertia I = inertia_at(own->I);
  weights w = {.sped = six_zero()};
  six moved = inertia_times(&I, six_at(t->q));
  lanes CS = all(0.0);
  if (moves) {
    moved = six_addmul(moved, 1.0, coupled(own->C, three(t->p)));
    w.sped = inertia_times(&I, six_at(t->r));
    w.sped = six_scaled(s->share, six_addmul(w.sped, 1.0, coupled(own->C, S.angular)));
    CS = coupled_back(own->C, S);
  }
  const six IS = six_scaled(s->share, inertia_times(&I, S));
  w.held = six_scaled(s->share, six_addmul(cross_force(S, six_at(own->F)), 1.0, moved));
  moved = six_scaled(s->share, moved);
  columns_of(moved, w.sped, IS, w.together);
  columns_of(w.held, w.sped, IS, w.apart);
  CS = all(s->share) * CS;
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) w.turn[k] = lane(CS, k);
  return w;
}

// The entries that velocity d shares with a, which comes before it or is it, and its ancestors
// down to `from`; returns the next one.
INLINE long shared_entries(const limpet_derivative_sweep *s, const lanes by[6], const lanes turn[3],
                           long d, long a, long from, double *by_q, double *by_v) {
  const long first = s->model->tree_dof[s->tree], n = s->model->tree_dof_count[s->tree];
  const int *parent = s->model->dof_parent + first;
  const limpet_dof_terms *dof = s->dof + first;
  for (; a >= from; a = parent[a] - first) {
    lanes sum = by[0] * lanes_at(dof[a].side[0]);
#pragma GCC unroll 5
    for (int i = 1; i < 6; ++i) sum += by[i] * lanes_at(dof[a].side[i]);
#pragma GCC unroll 3
    for (int i = 0; turn && i < 3; ++i) sum += turn[i] * lanes_at(dof[a].turn[i]);
    by_q[d * n + a] = sum[2], by_q[a * n + d] = sum[0];
    if (by_v) by_v[d * n + a] = sum[3], by_v[a * n + d] = sum[1];
  }
  return a;
}

// Row and column of one velocity of the tree (0 ... n - 1), up to its root.
INLINE void velocity_entries(const limpet_derivative_sweep *s, long d, double *by_q, double *by_v,
                             const bool moves) {
  const limpet_model *model = s->model;
  const long first = model->tree_dof[s->tree], n = model->tree_dof_count[s->tree];
  const int joint = model->dof_joint[first + d];
  const limpet_joint_kind kind = model->joint_kind[joint];
  const bool is_free = kind == LIMPET_JOINT_FREE;
  const long turning = limpet_tree_floats(model, s->tree) ? 3 : 0;
  const weights w = weights_of(s, first + d, moves);
  const lanes *turn = moves ? w.turn : NULL;
  // it, and the rotations of its joint, which are behind each other
  long begins = d;
  if (is_free || kind == LIMPET_JOINT_BALL)
    begins = model->joint_v[joint] + (is_free ? 3 : 0) - first;
  long a =
      shared_entries(s, w.together, turn, d, d, begins > turning ? begins : turning, by_q, by_v);
  a = shared_entries(s, w.apart, turn, d, a, turning, by_q, by_v);
  // translations go along the axes of the world, and change nothing
  for (; a >= 0; a = model->dof_parent[first + a] - first) {
    by_q[a * n + d] = w.held.linear[a];
    if (moves && by_v) by_v[a * n + d] = w.sped.linear[a];
  }
}

static void entries(const limpet_derivative_sweep *s, double *by_q, double *by_v) {
  const long n = s->model->tree_dof_count[s->tree];
  if (s->moves)
    for (long d = 0; d < n; ++d) velocity_entries(s, d, by_q, by_v, true);
  else
    for (long d = 0; d < n; ++d) velocity_entries(s, d, by_q, NULL, false);
}

// --------------------------------------------------------------------------------- first rows

// I S and I q + S x* F of a velocity.
INLINE void pushes_of(const limpet_derivative_sweep *s, long d, six *IS, six *moved, six *held) {
  const limpet_body_sums *own = &s->body[s->model->dof_body[d]];
  const six S = six_at(s->data->dof_axis + 6 * d);
  const inertia I = inertia_at(own->I);
  *IS = inertia_times(&I, S);
  *moved = inertia_times(&I, six_at(s->dof[d].q));
  *held = six_addmul(*moved, 1.0, cross_force(S, six_at(own->F)));
}

// The numbers of three six-vectors, apart by `step`, side by side.
INLINE void three_sixes(const double *x, long step, lanes to[6]) {
  columns_of(six_at(x), six_at(x + step), six_at(x + 2 * step), to);
}

// x . f of the three vectors whose numbers stand in x.
INLINE lanes three_dots(const lanes x[6], six f) {
  lanes sum = x[0] * lane(f.angular, 0);
  sum += x[1] * lane(f.angular, 1);
  sum += x[2] * lane(f.angular, 2);
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i) sum += x[3 + i] * lane(f.linear, i);
  return sum;
}

// Column k of six rows: those of translations and those of rotations.
INLINE void column_put(double *X, long n, long k, lanes shift, lanes turn) {
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i) X[i * n + k] = shift[i], X[(3 + i) * n + k] = turn[i];
}

// Of a velocity of the free joint itself: column k, and row k left of the diagonal.
INLINE void first_column(const limpet_derivative_sweep *s, const lanes axis[6], long k, double *M,
                         double *by_q) {
  const limpet_model *model = s->model;
  const long first = model->tree_dof[s->tree], n = model->tree_dof_count[s->tree];
  six IS, moved, held;
  pushes_of(s, first + k, &IS, &moved, &held);
  for (long i = 0; i < 3 && i <= k; ++i) {
    M[i * n + k] = M[k * n + i] = IS.linear[i];
    by_q[k * n + i] = 0.0;
    by_q[i * n + k] = held.linear[i];
  }
  if (k >= 3) {
    lanes bent[6];
    three_sixes(s->dof[first + 3].q, sizeof *s->dof / sizeof(double), bent);
    const lanes turn = three_dots(axis, IS), by_turn = three_dots(axis, moved),
                back = three_dots(bent, IS);
    for (long i = 3; i <= k; ++i) {
      M[i * n + k] = M[k * n + i] = turn[i - 3];
      by_q[k * n + i] = back[i - 3];
      by_q[i * n + k] = by_turn[i - 3];
    }
  }
  M[k * n + k] += model->dof_armature[first + k];
}

static void first_rows(const limpet_derivative_sweep *s, double *M, double *by_q) {
  const long first = s->model->tree_dof[s->tree], n = s->model->tree_dof_count[s->tree];
  lanes axis[6];  // of the three rotations
  three_sixes(s->data->dof_axis + 6 * (first + 3), 6, axis);
  for (long k = 0; k < FREE; ++k) first_column(s, axis, k, M, by_q);
  for (long k = FREE; k < n; ++k) {
    six IS, moved, held;
    pushes_of(s, first + k, &IS, &moved, &held);
    column_put(M, n, k, IS.linear, three_dots(axis, IS));
    column_put(by_q, n, k, held.linear, three_dots(axis, held));
  }
}

const limpet_derivative_kernels LIMPET_DERIVATIVE_KERNELS = {.name = LIMPET_DERIVATIVE_KERNELS_NAME,
                                                             .sums = sums,
                                                             .entries = entries,
                                                             .first_rows = first_rows};

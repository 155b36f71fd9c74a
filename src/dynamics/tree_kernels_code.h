/* dynamics/tree_kernels_code.h: sweeps over the bodies of a tree in four lanes; included once for
 * each instruction set. No sum is contracted: all give the same bits.
 *
 * A motion axis is [angular; linear velocity of the point at the tree's origin o] per unit of
 * velocity; for a turn w about a point a the linear part is (a - o) x w. o is the centre of mass of
 * the tree's first body.
 *
 * A tree of several bodies that floats is posed about the origin of its first free joint, and then
 * shifted: where it is has no part in the round-off of how its bodies lie to each other.
 *
 * Reference: Featherstone, Rigid Body Dynamics Algorithms (2008), chapters 4 and 5. Cost: about 250
 * flops and one sincos for each hinge. */
#include "dynamics/tree_kernels.h"
#include "math/lanes_spatial.h"
#include "model/body_pose_code.h"
#include "model/trees.h"

// Anchors of the first body become linear parts, now that the origin is known.
static void first_axes(const limpet_model *model, limpet_data *data, int b, const body_frame *frame,
                       const double *origin) {
  const int begin = model->body_joint[b], end = begin + model->body_joint_count[b];
  if (end == begin + 1 && model->joint_kind[begin] == LIMPET_JOINT_FREE) {
    turns_put(data->dof_axis + 6 * model->joint_v[begin] + 18, frame->column, frame->position,
              origin);
    return;
  }
  for (int j = begin; j < end; ++j) {
    const limpet_joint_kind kind = model->joint_kind[j];
    if (kind == LIMPET_JOINT_PRISMATIC) continue;
    const bool is_free = kind == LIMPET_JOINT_FREE;
    const double advance = kind == LIMPET_JOINT_SCREW ? model->joint_advance[j] : 0.0;
    double *S = data->dof_axis + 6 * (model->joint_v[j] + (is_free ? 3 : 0));
    for (int left = is_free || kind == LIMPET_JOINT_BALL ? 3 : 1; left > 0; --left, S += 6)
      turn_put(S, lanes_at(S), three_after(S + 3), origin, advance);
  }
}

/* Ten numbers of a body's inertia about the tree's origin: W = R I R' about the centre of mass c,
 * moved by c. R: as it is stored, and its columns. */
INLINE void inertia_put(double ten[10], const double *R, const lanes column[3], const double *I,
                        double mass, lanes c) {
  lanes T[3], W[3];  // columns of R I and of W, of which the upper triangle is read
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k)
    T[k] = column[0] * all(I[k]) + column[1] * all(I[3 + k]) + column[2] * all(I[6 + k]);
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) W[k] = columns_times(T, R + 3 * k);
  const lanes square = c * c, h = all(mass) * c;
  const lanes others = __builtin_shufflevector(square, square, 1, 0, 0, 3) +
                       __builtin_shufflevector(square, square, 2, 2, 1, 3);
  const lanes own =
      __builtin_shufflevector(__builtin_shufflevector(W[0], W[1], 0, 5, 2, 3), W[2], 0, 1, 6, 3);
  const lanes across =
      __builtin_shufflevector(__builtin_shufflevector(W[2], W[2], 0, 0, 1, 3), W[1], 4, 1, 2, 3);
  lanes_put(ten, quaternion_with(mass, h));
  lanes_put(ten + 4, own + all(mass) * others);
  three_put(ten + 7, across - __builtin_shufflevector(h, h, 0, 0, 1, 3) *
                                  __builtin_shufflevector(c, c, 1, 2, 2, 3));
}

// One body, after its parent. tree: its tree, or LIMPET_NONE; first: of the tree.
INLINE void body(half_turns *turns, const limpet_model *model, limpet_data *data, int b, int tree,
                 const bool first) {
  // bodies that cannot move have no part in the spatial algebra
  double *origin = tree < 0 ? NULL : data->tree_origin + 3 * tree;
  const body_frame frame = body_pose(turns, model, data, b, first ? NULL : origin,
                                     first && tree >= 0 && limpet_tree_is_placed(model, tree));
  const lanes com = columns_times(frame.column, model->body_com + 3 * b) + frame.position;
  three_put(data->body_com + 3 * b, com);
  if (tree < 0) return;
  lanes lever;
  if (first) {
    three_put(origin, com);
    first_axes(model, data, b, &frame, origin);
    lever = com - com;
  } else {
    lever = com - three(origin);
  }
  inertia_put(data->body_inertia + 10 * b, data->body_rotation + 9 * b, frame.column,
              model->body_inertia + 9 * b, model->body_mass[b], lever);
}

static void kinematics_apart(const limpet_model *model, limpet_data *data, int first, int end) {
  half_turns turns =
      half_turns_until(model->body_joint[end - 1] + model->body_joint_count[end - 1]);
  const int tree = model->body_tree[first];
  body(&turns, model, data, first, tree, true);
  for (int b = first + 1; b < end; ++b) body(&turns, model, data, b, tree, false);
}

// The bodies of a tree that floats.
static void shift(const limpet_model *model, limpet_data *data, int first, int end) {
  const lanes x = three(data->q + model->joint_q[model->body_joint[first]]);
  double *origin = data->tree_origin + 3 * model->body_tree[first];
  three_put(origin, three(origin) + x);
  for (int b = first; b < end; ++b) {
    double *position = data->body_position + 3 * b;
    const lanes moved = three(position) + x;
    three_put(position, moved);
    three_put(data->body_com + 3 * b,
              rows_times(data->body_rotation + 9 * b, three(model->body_com + 3 * b)) + moved);
  }
}

/* Three numbers or more: mostly some ten, of which calls of memcpy cost more than the work. Blocks
 * of 16, and then 16 at most, of which some may be copied twice. */
INLINE void numbers_copy(double *to, const double *from, int count) {
  if (count < LANES) {
    three_put(to, three(from));
    return;
  }
  const long end = count - LANES;
  long i = 0;
  for (; i + 3 * LANES < end; i += 4 * LANES) {
#pragma GCC unroll 4
    for (int k = 0; k < 4 * LANES; k += LANES) lanes_put(to + i + k, lanes_at(from + i + k));
    __asm__("" : "+r"(i));  // compilers make such loops calls of memcpy
  }
  for (; i < end; i += LANES) {
    lanes_put(to + i, lanes_at(from + i));
    __asm__("" : "+r"(i));
  }
  lanes_put(to + end, lanes_at(from + end));
}

static void long_copy(double *to, const double *from, int count) { numbers_copy(to, from, count); }

static void poses_copy(const limpet_model *model, limpet_data *to, const limpet_data *from,
                       int tree) {
  const int b = model->tree_body[tree], bodies = model->tree_body_count[tree];
  const int d = 6 * model->tree_dof[tree], axes = 6 * model->tree_dof_count[tree];
  numbers_copy(to->body_position + 3 * b, from->body_position + 3 * b, 3 * bodies);
  numbers_copy(to->body_quaternion + 4 * b, from->body_quaternion + 4 * b, 4 * bodies);
  numbers_copy(to->body_rotation + 9 * b, from->body_rotation + 9 * b, 9 * bodies);
  numbers_copy(to->body_com + 3 * b, from->body_com + 3 * b, 3 * bodies);
  numbers_copy(to->body_inertia + 10 * b, from->body_inertia + 10 * b, 10 * bodies);
  numbers_copy(to->dof_axis + d, from->dof_axis + d, axes);
  three_put(to->tree_origin + 3 * tree, three(from->tree_origin + 3 * tree));
}

static void kinematics(const limpet_model *model, limpet_data *data, int first, int end) {
  kinematics_apart(model, data, first, end);
  const int tree = model->body_tree[first];
  if (tree >= 0 && limpet_tree_is_placed(model, tree)) shift(model, data, first, end);
}

static void geoms(const limpet_model *model, limpet_data *data, int count, const int *geom) {
  // arrays by name, as compilers load those of a struct anew after each store of lanes
  const double *place = model->geom_position, *turned = model->geom_rotation,
               *at = data->body_position, *axes = data->body_rotation;
  double *position = data->geom_position, *rotation = data->geom_rotation;
  const int *body = model->geom_body;
  for (int i = 0; i < count; ++i) {
    const long g = geom ? geom[i] : i, b = body[g];
    const double *R = axes + 9 * b, *own = turned + 9 * g;
    three_put(position + 3 * g, rows_times(R, three(place + 3 * g)) + three(at + 3 * b));
    const lanes turn[3] = {lanes_at(own), lanes_at(own + 3), three_after(own + 6)};
    lanes row[3];
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) row[k] = columns_times(turn, R + 3 * k);
    rows_put(rotation + 9 * g, row);
  }
}

// V and translations v of a free joint, whose axes are those of the world.
INLINE six shifted(six V, const double *v) { return (six){V.angular, V.linear + three(v)}; }

/* The velocity after a joint, and rates of its axes: S' = U x S, U of the frame to which the axis
 * is fixed. */
INLINE six joint_velocity(six V, const double *S, const double *v, double *rate,
                          limpet_joint_kind kind) {
  if (kind != LIMPET_JOINT_FREE && kind != LIMPET_JOINT_BALL) {
    const six axis = six_at(S), r = cross_motion(V, axis);
    six_put(rate, r.angular, r.linear);
    return six_addmul(V, v[0], axis);
  }
  if (kind == LIMPET_JOINT_FREE) {
    V = shifted(V, v);
    for (int k = 0; k < 3; ++k) six_put(rate + 6 * k, all(0.0), all(0.0));
    S += 18, v += 3, rate += 18;
  }
  for (int k = 0; k < 3; ++k) V = six_addmul(V, v[k], six_at(S + 6 * k));
  for (int k = 0; k < 3; ++k) {
    const six r = cross_motion(V, six_at(S + 6 * k));
    six_put(rate + 6 * k, r.angular, r.linear);
  }
  return V;
}

static void velocities(const limpet_model *model, limpet_data *data, int first, int end) {
  const int *parent = model->body_parent, *joint = model->body_joint,
            *joint_count = model->body_joint_count, *joint_v = model->joint_v;
  const limpet_joint_kind *kind = model->joint_kind;
  const double *axis = data->dof_axis, *v = data->v;
  double *velocity = data->body_velocity, *rate = data->dof_axis_rate;
  six V = six_zero();
  for (long b = first; b < end; ++b) {
    const long from = parent[b];
    if (b == first || from != b - 1) V = six_at(velocity + 6 * from);
    const long last = joint[b] + joint_count[b];
    for (long j = joint[b]; j < last; ++j) {
      const long d = joint_v[j];
      V = joint_velocity(V, axis + 6 * d, v + d, rate + 6 * d, kind[j]);
    }
    six_put(velocity + 6 * b, V.angular, V.linear);
  }
}

// Of a body, V that of its parent; the first `known` of its velocities are in V.
INLINE six body_velocity_from(six V, const limpet_model *model, limpet_data *data, int b,
                              int known) {
  const int first = model->body_dof[b], last = first + model->body_dof_count[b];
  for (int d = first + known; d < last; ++d)
    V = six_addmul(V, data->v[d], six_at(data->dof_axis + 6 * d));
  six_put(data->body_velocity + 6 * b, V.angular, V.linear);
  return V;
}

INLINE six body_velocity(const limpet_model *model, limpet_data *data, int b) {
  const six V = six_at(data->body_velocity + 6 * model->body_parent[b]);
  return body_velocity_from(V, model, data, b, 0);
}

// Of the first body of a tree, that hangs on what does not move.
INLINE six first_velocity(const limpet_model *model, limpet_data *data, int tree) {
  const bool floats = limpet_tree_floats(model, tree);
  six V = six_zero();
  if (floats) V = shifted(V, data->v + model->tree_dof[tree]);
  return body_velocity_from(V, model, data, model->tree_body[tree], floats ? 3 : 0);
}

static void body_velocities(const limpet_model *model, limpet_data *data, int first, int end) {
  for (int b = first; b < end; ++b) body_velocity(model, data, b);
}

// A of the bodies that are in trees, and the force F that each of them alone needs.
static void forward_sweep(double *A, double *F, const limpet_model *model, const limpet_data *data,
                          const double *vdot, int first, int end) {
  const bool heavy = !(model->options.disabled & LIMPET_DISABLE_GRAVITY);
  const six world = {all(0.0), heavy ? -three(model->options.gravity) : all(0.0)};
  const int *tree = model->body_tree, *parent = model->body_parent, *dof = model->body_dof,
            *dof_count = model->body_dof_count;
  const double *velocity = data->body_velocity, *own = data->body_inertia, *axis = data->dof_axis,
               *rate = data->dof_axis_rate, *v = data->v;
  six a = world;
  for (long b = first; b < end; ++b) {
    if (tree[b] < 0) continue;
    const long from = parent[b], last = dof[b] + dof_count[b];
    if (tree[from] < 0) a = world;
    else if (b == first || from != b - 1) a = six_at(A + 6 * from);
    for (long d = dof[b]; d < last; ++d) a = six_addmul(a, v[d], six_at(rate + 6 * d));
    if (vdot)
      for (long d = dof[b]; d < last; ++d) a = six_addmul(a, vdot[d], six_at(axis + 6 * d));
    six_put(A + 6 * b, a.angular, a.linear);

    const six V = six_at(velocity + 6 * b);
    const inertia I = inertia_at(own + 10 * b);
    const six f = six_addmul(inertia_times(&I, a), 1.0, cross_force(V, inertia_times(&I, V)));
    six_put(F + 6 * b, f.angular, f.linear);
  }
}

static void newton_euler(double *tau, double *work, const limpet_model *model,
                         const limpet_data *data, const double *vdot, int first, int end) {
  double *A = work, *F = work + 6 * model->body_count;
  forward_sweep(A, F, model, data, vdot, first, end);
  const int *tree = model->body_tree, *parent = model->body_parent, *dof = model->body_dof,
            *dof_count = model->body_dof_count;
  const double *axis = data->dof_axis;
  for (long b = end - 1; b >= first; --b) {
    if (tree[b] < 0) continue;
    const long from = parent[b], last = dof[b] + dof_count[b];
    for (long d = dof[b]; d < last; ++d) tau[d] = limpet_spatial_dot(axis + 6 * d, F + 6 * b);
    if (tree[from] >= 0) limpet_spatial_addmul(F + 6 * from, 1.0, F + 6 * b);
  }
}

// V after a joint, and A, which the change of its axes adds to.
INLINE void joint_motion(six *V, six *A, const limpet_data *data, limpet_joint_kind kind, int d) {
  const double *S = data->dof_axis + 6 * d, *v = data->v + d;
  if (kind != LIMPET_JOINT_FREE && kind != LIMPET_JOINT_BALL) {
    const six axis = six_at(S), rate = cross_motion(*V, axis);
    *V = six_addmul(*V, v[0], axis);
    *A = six_addmul(*A, v[0], rate);
    return;
  }
  if (kind == LIMPET_JOINT_FREE) *V = shifted(*V, v), S += 18, v += 3;
  for (int k = 0; k < 3; ++k) *V = six_addmul(*V, v[k], six_at(S + 6 * k));
  for (int k = 0; k < 3; ++k) *A = six_addmul(*A, v[k], cross_motion(*V, six_at(S + 6 * k)));
}

static void moving_bias(double *tau, double *work, const limpet_model *model, limpet_data *data,
                        int tree) {
  const int first = model->tree_body[tree], count = model->tree_body_count[tree];
  const int *parent = model->body_parent + first, *joint = model->body_joint + first;
  const bool heavy = !(model->options.disabled & LIMPET_DISABLE_GRAVITY);
  double *A = work, *F = work + 6 * count, *velocity = data->body_velocity + 6 * first;
  const double *own = data->body_inertia + 10 * first;
  six V = six_zero(), a = {all(0.0), heavy ? -three(model->options.gravity) : all(0.0)};
  for (int b = 0; b < count; ++b, own += 10) {
    const int from = parent[b] - first;
    if (b > 0 && from != b - 1) V = six_at(velocity + 6 * from), a = six_at(A + 6 * from);
    const int last = joint[b] + model->body_joint_count[first + b];
    for (int j = joint[b]; j < last; ++j)
      joint_motion(&V, &a, data, model->joint_kind[j], model->joint_v[j]);
    six_put(velocity + 6 * b, V.angular, V.linear);
    six_put(A + 6 * b, a.angular, a.linear);
    const inertia I = inertia_at(own);
    const six f = six_addmul(inertia_times(&I, a), 1.0, cross_force(V, inertia_times(&I, V)));
    six_put(F + 6 * b, f.angular, f.linear);
  }
  const double *axis = data->dof_axis;
  const bool floats = limpet_tree_floats(model, tree);
  for (int b = count - 1; b >= 0; --b) {
    const int last = model->body_dof[first + b] + model->body_dof_count[first + b];
    int d = model->body_dof[first + b];
    if (b == 0 && floats) three_put(tau + d, three_after(F + 3)), d += 3;
    for (; d < last; ++d) tau[d] = limpet_spatial_dot(axis + 6 * d, F + 6 * b);
    if (b > 0) limpet_spatial_addmul(F + 6 * (parent[b] - first), 1.0, F + 6 * b);
  }
}

// composite (10 a body of the tree): of each body and what hangs on it.
static void composite_inertias(double *composite, const limpet_model *model,
                               const limpet_data *data, int tree) {
  const int first = model->tree_body[tree], count = model->tree_body_count[tree];
  const int *parent = model->body_parent + first;
  const double *own = data->body_inertia + 10 * first;
  double *child = composite + 10 * count;
  int i = 0;
  for (; i + LANES <= 10 * count; i += LANES) lanes_put(composite + i, lanes_at(own + i));
  if (i < 10 * count) *(two_lanes *)(composite + i) = *(const two_lanes *)(own + i);
  for (int b = count - 1; b > 0; --b) {
    double *to = composite + 10 * (parent[b] - first);
    child -= 10;
    lanes_put(to, lanes_at(to) + lanes_at(child));
    lanes_put(to + 4, lanes_at(to + 4) + lanes_at(child + 4));
    *(two_lanes *)(to + 8) += *(const two_lanes *)(child + 8);
  }
}

enum { LONG = 4 };  // velocities of a tree whose rows of M go by fours

// Sums of products of even and of odd places of an axis with a force in lanes.
INLINE two_lanes axis_times(const double *axis, lanes low, two_lanes high) {
  const lanes four = low * lanes_at(axis);
  return __builtin_shufflevector(four, four, 0, 1) + __builtin_shufflevector(four, four, 2, 3) +
         high * *(const two_lanes *)(axis + 4);
}
INLINE two_lanes two_sums(two_lanes a, two_lanes b) {
  return __builtin_shufflevector(a, b, 0, 2) + __builtin_shufflevector(a, b, 1, 3);
}

/* Row and column i of M left of and above the diagonal, of a velocity that moves I; S the axes of
 * the tree. run: how many velocities up to one hang each on the one before; NULL: one by one. */
INLINE void mass_row(double *M, long n, long i, const inertia *I, const double *S,
                     const int *parent, const int *run, long begin) {
  const six f = inertia_times(I, six_at(S + 6 * i));
  double F[6];
  six_put(F, f.angular, f.linear);
  const lanes low = lanes_at(F);
  const two_lanes high = *(const two_lanes *)(F + 4);
  for (long a = i; a >= 0; a = parent[a] - begin) {
    // an ancestor and those before it, as long as each hangs on the one before
    long left = run ? run[a] : 1;
    const double *axis = S + 6 * a;
    double *row = M + i * n + a, *column = M + a * n + i;
    a -= left - 1;
    for (; left >= 4; left -= 4, axis -= 24, row -= 4, column -= 4 * n) {
      const two_lanes x = two_sums(axis_times(axis - 18, low, high),
                                   axis_times(axis - 12, low, high)),
                      y = two_sums(axis_times(axis - 6, low, high), axis_times(axis, low, high));
      *(two_lanes *)(row - 3) = x, *(two_lanes *)(row - 1) = y;
      column[-3 * n] = x[0], column[-2 * n] = x[1], column[-n] = y[0], column[0] = y[1];
    }
    for (; left > 0; --left, axis -= 6, --row, column -= n) {
      const two_lanes sum = axis_times(axis, low, high);
      *row = *column = sum[0] + sum[1];
    }
  }
}

enum { FREE_DOFS = 6 };

// Whether a tree has a free joint and no other velocities.
static bool floats_alone(const limpet_model *model, int tree) {
  return model->tree_dof_count[tree] == FREE_DOFS &&
         model->joint_kind[model->dof_joint[model->tree_dof[tree]]] == LIMPET_JOINT_FREE;
}

/* M of such a tree, from its inertia and its axes S: those of translations are the axes of the
 * world. The same sums as row by row, without what zeros give. */
static void floating_mass(double *M, const double *composite, const double *S,
                          const double *armature) {
  const inertia I = inertia_at(composite);
  lanes_clear(M, FREE_DOFS * FREE_DOFS);
  for (int i = 0; i < 3; ++i) M[(FREE_DOFS + 1) * i] = composite[0] + armature[i];
#pragma GCC unroll 3
  for (int i = 3; i < FREE_DOFS; ++i) {
    const six f = inertia_times(&I, six_at(S + 6 * i));
    double F[6], *row = M + FREE_DOFS * i;
    six_put(F, f.angular, f.linear);
    const lanes low = lanes_at(F);
    const two_lanes high = *(const two_lanes *)(F + 4);
    for (int a = 0; a < 3; ++a) row[a] = M[FREE_DOFS * a + i] = F[3 + a];
#pragma GCC unroll 3
    for (int a = 3; a <= i; ++a) {
      const two_lanes sum = axis_times(S + 6 * a, low, high);
      row[a] = M[FREE_DOFS * a + i] = sum[0] + sum[1];
    }
    row[i] += armature[i];
  }
}

static void mass_matrix(double *M, double *work, const limpet_model *model, const limpet_data *data,
                        int tree) {
  const int begin = model->tree_dof[tree], n = model->tree_dof_count[tree];
  const int *parent = model->dof_parent + begin;
  composite_inertias(work, model, data, tree);
  if (floats_alone(model, tree)) {
    floating_mass(M, work, data->dof_axis + 6 * begin, model->dof_armature + begin);
    return;
  }
  int *run = NULL;
  if (n >= LONG) {
    run = (int *)(void *)(work + 10 * model->tree_body_count[tree]);
    run[0] = 1;
  }
  for (int i = 1; i < n && run; ++i) run[i] = parent[i] - begin == i - 1 ? run[i - 1] + 1 : 1;
  lanes_clear(M, n * n);
  const double *composite = work, *S = data->dof_axis + 6 * begin,
               *armature = model->dof_armature + begin;
  const int *count = model->body_dof_count + model->tree_body[tree];
  for (long i = 0; i < n; composite += 10, ++count) {
    if (*count == 0) continue;
    const inertia I = inertia_at(composite);
    for (const long end = i + *count; i < end; ++i) {
      mass_row(M, n, i, &I, S, parent, run, begin);
      M[i * n + i] += armature[i];
    }
  }
}

// What bodies carry, and their inertias.
typedef struct momentum_sums {
  six momentum;
  lanes energy, front, middle;
  two_lanes back;
} momentum_sums;

INLINE momentum_sums momentum_none(void) {
  return (momentum_sums){six_zero(), all(0.0), all(0.0), all(0.0), {0.0, 0.0}};
}

INLINE void momentum_add(momentum_sums *s, const double *numbers, six V) {
  const inertia I = inertia_at(numbers);
  const six p = inertia_times(&I, V);
  s->momentum = six_addmul(s->momentum, 1.0, p);
  s->energy += p.angular * V.angular + p.linear * V.linear;
  s->front += lanes_at(numbers), s->middle += lanes_at(numbers + 4);
  s->back += *(const two_lanes *)(numbers + 8);
}

INLINE double momentum_put(const momentum_sums *s, double f[6], double total[10]) {
  six_put(f, s->momentum.angular, s->momentum.linear);
  lanes_put(total, s->front);
  lanes_put(total + 4, s->middle);
  *(two_lanes *)(total + 8) = s->back;
  return 0.5 * (s->energy[0] + s->energy[1] + s->energy[2]);
}

static double momentum(double f[6], double total[10], const limpet_model *model,
                       const limpet_data *data, int tree) {
  const int first = model->tree_body[tree], end = first + model->tree_body_count[tree];
  momentum_sums sums = momentum_none();
  for (int b = first; b < end; ++b)
    momentum_add(&sums, data->body_inertia + 10 * b, six_at(data->body_velocity + 6 * b));
  return momentum_put(&sums, f, total);
}

static double moving_momentum(double f[6], double total[10], const limpet_model *model,
                              limpet_data *data, int tree) {
  const int first = model->tree_body[tree], end = first + model->tree_body_count[tree];
  momentum_sums sums = momentum_none();
  six V = first_velocity(model, data, tree);
  const double *own = data->body_inertia + 10 * first;
  momentum_add(&sums, own, V);
  for (int b = first + 1; b < end; ++b) {
    const int parent = model->body_parent[b];
    if (parent != b - 1) V = six_at(data->body_velocity + 6 * parent);
    V = body_velocity_from(V, model, data, b, 0);
    momentum_add(&sums, own += 10, V);
  }
  return momentum_put(&sums, f, total);
}

static void arms(double *N, double *work, const limpet_model *model, const limpet_data *data,
                 int tree) {
  const int first = model->tree_body[tree], last = first + model->tree_body_count[tree] - 1;
  const int begin = model->tree_dof[tree], end = begin + model->tree_dof_count[tree];
  // mass and first moment of a body and what hangs on it
  for (int b = first; b <= last; ++b)
    lanes_put(work + 4 * (b - first), lanes_at(data->body_inertia + 10 * b));
  for (int b = last; b > first; --b) {
    double *parent = work + 4 * (model->body_parent[b] - first);
    lanes_put(parent, lanes_at(parent) + lanes_at(work + 4 * (b - first)));
  }
  const lanes share = all(1.0 / work[0]);
  for (int d = begin; d < end; ++d, N += 3) {
    const lanes own = lanes_at(work + 4 * (model->dof_body[d] - first));
    const six S = six_at(data->dof_axis + 6 * d);
    const lanes moment = __builtin_shufflevector(own, own, 1, 2, 3, 0);
    three_put(N, share * (cross(S.angular, moment) + lane(own, 0) * S.linear));
  }
}

// m a = m A_lin + A_ang x h + w x (m v + w x h) of each body
static void bend(double a[3], double *work, const limpet_model *model, const limpet_data *data,
                 int tree) {
  const int first = model->tree_body[tree], end = first + model->tree_body_count[tree];
  lanes sum = all(0.0);
  double mass = 0.0;
  for (int b = first; b < end; ++b) {
    six A = b == first ? six_zero() : six_at(work + 6 * (model->body_parent[b] - first));
    const int last = model->body_dof[b] + model->body_dof_count[b];
    for (int d = model->body_dof[b]; d < last; ++d)
      A = six_addmul(A, data->v[d], six_at(data->dof_axis_rate + 6 * d));
    six_put(work + 6 * (b - first), A.angular, A.linear);
    const lanes own = lanes_at(data->body_inertia + 10 * b), m = lane(own, 0),
                h = __builtin_shufflevector(own, own, 1, 2, 3, 0);
    const six V = six_at(data->body_velocity + 6 * b);
    sum += cross(V.angular, cross(V.angular, h) + m * V.linear);
    sum += cross(A.angular, h);
    sum += m * A.linear;
    mass += own[0];
  }
  three_put(a, all(1.0 / mass) * sum);
}

// Norms of the first three lanes of four vectors.
INLINE void norms(const lanes a[4], double norm[4]) {
  lanes square[4], part[4];
  for (int k = 0; k < 4; ++k) square[k] = a[k] * a[k];
  transpose(square, part);
  const lanes sum = part[0] + part[1] + part[2];
#if defined(__AVX2__)
  lanes_put(norm, (lanes)_mm256_sqrt_pd((__m256d)sum));
#else
  for (int k = 0; k < 4; ++k) norm[k] = sqrt(sum[k]);
#endif
}

static void twists(const limpet_model *model, const limpet_data *data, const double *v, int tree,
                   double *twist) {
  const int first = model->tree_body[tree], end = first + model->tree_body_count[tree];
  for (int b = first; b < end; ++b) {
    const int parent = model->body_parent[b];
    const int stop = b == first ? LIMPET_NONE : model->body_last_dof[parent];
    six V = b == first ? six_zero() : six_at(twist + 6 * parent);
    for (int k = model->body_last_dof[b]; k != stop; k = model->dof_parent[k])
      V = six_addmul(V, v[k], six_at(data->dof_axis + 6 * k));
    six_put(twist + 6 * b, V.angular, V.linear);
  }
}

/* The twist that v adds to the first body of a tree. The axes of a free joint's translations are
 * those of the world. */
INLINE six first_change(const limpet_model *model, const limpet_data *data, const double *v,
                        int tree) {
  const long begin = model->tree_dof[tree], body = model->tree_body[tree];
  const long turns = begin + (limpet_tree_floats(model, tree) ? 3 : 0);
  six dV = six_zero();
  for (long k = begin + model->body_dof_count[body] - 1; k >= turns; --k)
    dV = six_addmul(dV, v[k] - data->v[k], six_at(data->dof_axis + 6 * k));
  if (turns > begin) dV.linear += three(v + begin) - three(data->v + begin);
  return dV;
}

static double ways(const limpet_model *model, const limpet_data *data, const double *v, int tree,
                   double *change, double *way) {
  const int first = model->tree_body[tree], end = first + model->tree_body_count[tree];
  const int *parent = model->body_parent, *last_dof = model->body_last_dof,
            *dof_parent = model->dof_parent;
  const double *axis = data->dof_axis, *now_v = data->v, *velocity = data->body_velocity,
               *position = data->body_position, *radius = model->body_radius;
  const lanes origin = three(data->tree_origin + 3 * tree);
  double norm[4];

  // the first body goes as far as the tree
  six dV = first_change(model, data, v, tree), V = six_at(velocity + 6 * first);
  six_put(change + 6 * first, dV.angular, dV.linear);
  lanes arm = three(position + 3 * first) - origin;
  const lanes shared = cross(V.angular, arm) + V.linear, added = cross(dV.angular, arm) + dV.linear;
  norms((lanes[4]){V.angular, dV.angular, shared, added}, norm);
  way[first] = (norm[0] + norm[1]) * radius[first];
  const double common = norm[2] + norm[3];

  for (long b = first + 1; b < end; ++b) {
    // the twist that v adds to the body, from that of its parent on
    const long from = parent[b];
    if (from != b - 1) dV = six_at(change + 6 * from);
    const int stop = last_dof[from];
    for (long k = last_dof[b]; k != stop; k = dof_parent[k])
      dV = six_addmul(dV, v[k] - now_v[k], six_at(axis + 6 * k));
    six_put(change + 6 * b, dV.angular, dV.linear);
    V = six_at(velocity + 6 * b);
    arm = three(position + 3 * b) - origin;
    const lanes now = cross(V.angular, arm) + V.linear, dv = cross(dV.angular, arm) + dV.linear;
    norms((lanes[4]){V.angular, dV.angular, now - shared, dv - added}, norm);
    way[b] = norm[2] + norm[3] + (norm[0] + norm[1]) * radius[b];
  }
  return common;
}

const limpet_tree_kernels LIMPET_TREE_KERNELS = {.name = LIMPET_TREE_KERNELS_NAME,
                                                 .kinematics = kinematics,
                                                 .kinematics_apart = kinematics_apart,
                                                 .shift = shift,
                                                 .poses_copy = poses_copy,
                                                 .numbers_copy = long_copy,
                                                 .geoms = geoms,
                                                 .velocities = velocities,
                                                 .body_velocities = body_velocities,
                                                 .newton_euler = newton_euler,
                                                 .moving_bias = moving_bias,
                                                 .mass_matrix = mass_matrix,
                                                 .momentum = momentum,
                                                 .moving_momentum = moving_momentum,
                                                 .arms = arms,
                                                 .bend = bend,
                                                 .twists = twists,
                                                 .ways = ways};

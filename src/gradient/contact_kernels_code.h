/* gradient/contact_kernels_code.h: inner loops of columns of contacts in four lanes; included once
 * for each instruction set.
 *
 * Weights: lanes are weights, which have their points and forces, and all have the same velocities.
 * Cost with AVX2: 130 instructions for a velocity. */
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

// -------------------------------------------------------------------------- weights

typedef struct four_weights {
  triple r;                      // [m]  their points, from the tree's origin
  triple force, torque;          // less their pushes, about it
  lanes xx, yy, zz, xy, xz, yz;  // C
  lanes turns, moves;            // 1 where a weight is of rotation, or else
} four_weights;

INLINE four_weights gather(const limpet_weight_path *path, int count,
                           const limpet_law_weight *weight) {
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
  const triple lever = of_all(path->lever), force = triple_at(number[3]);
  return (four_weights){.r = plus(triple_at(number[6]), lever),
                        .force = force,
                        .torque = plus(triple_at(number[0]), cross3(lever, force)),
                        .xx = lanes_at(number[9]),
                        .yy = lanes_at(number[10]),
                        .zz = lanes_at(number[11]),
                        .xy = lanes_at(number[12]),
                        .xz = lanes_at(number[13]),
                        .yz = lanes_at(number[14]),
                        .turns = lanes_at(number[15]),
                        .moves = lanes_at(number[16])};
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

typedef struct pull {
  triple torque, force;
} pull;

INLINE pull turned_at(const limpet_weight_path *path, int k) {
  const double *work = path->work + (long)WORK * k + TURNED_AT;
  return (pull){triple_at(work), triple_at(work + 3 * LANES)};
}
INLINE pull pull_sum(pull a, double share, pull b) {
  return (pull){plus(a.torque, times(all(share), b.torque)),
                plus(a.force, times(all(share), b.force))};
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
  const four_weights w = gather(path, count, weight);
  const int *from = path->from;
  const triple none = of_all((const double[3]){0.0, 0.0, 0.0});
  pull every = {none, none};
  for (int side = 0; side < LIMPET_SIDES; ++side)
    for (int k = from[side + 1] - 1; k >= from[side]; --k)
      weigh_dof(path, &w, k, limpet_patch_signs[side]);
  for (int k = 0; k < from[LIMPET_SIDES] && from[LIMPET_SIDE_A + 1] > 0; ++k)
    every = pull_sum(every, 1.0, turned_at(path, k));
  turn_side(path, &w, LIMPET_SIDE_A, every);
  turn_side(path, &w, LIMPET_SIDE_B, (pull){none, none});
}

const limpet_contact_kernels LIMPET_CONTACT_KERNELS = {.name = LIMPET_CONTACT_KERNELS_NAME,
                                                       .weights = weights};
